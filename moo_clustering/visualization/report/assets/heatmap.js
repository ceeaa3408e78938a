// The columns that distinguish the clusters of the selected solution: a table with coloured cells.

// Levels of at least this number of standard deviations have the strongest colour.
const STRONGEST = 1.5;

function heatColor(level) {
  const share = Math.min(1, Math.abs(level ?? 0) / STRONGEST);
  return `color-mix(in srgb, var(${level < 0 ? "--heat-low" : "--heat-high"}) ${Math.round(100 * share)}%, var(--paper))`;
}

function heatCell(cluster, [column, category], level, value) {
  const what = category ? `${column}: ${category}` : column;
  const far = Math.abs(level) < 0.05 ? "about the average of all samples" : `${number(Math.abs(Number(level.toFixed(1))))} standard deviations ${level < 0 ? "below" : "above"} the average of all samples`;
  const made = element("td", { role: "gridcell", tabindex: "-1", title: `${plain(shortened(clusterName(state.selected, cluster), 60))}, ${what}: ${value}, ${level === null ? "unknown" : far.replace("samples", `${data.sampleKind}s`)}` }, value);
  made.style.backgroundColor = heatColor(level);
  return made;
}

// The Tab key reaches one cell, and the arrow keys reach the others.
function moveInHeatmap(event) {
  const [row, column] = [event.target.closest("tr"), event.target.cellIndex];
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  if (!(event.key in steps) || event.target.tagName !== "TD") return;
  event.preventDefault();
  const [down, right] = steps[event.key];
  const next = row.parentElement.rows[row.sectionRowIndex + down]?.cells[column + right];
  if (next?.tagName !== "TD") return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function heatHead([column, category]) {
  // A column name can wrap after an underscore.
  const parts = shortened(column, 40).split(/(?<=_)/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
  const isColoring = data.map?.columns.some(({ name }) => name === column);
  const name = isColoring ? [button("", () => colorBy(column), { title: `Colour the map by ${column}` })] : parts;
  if (isColoring) name[0].append(...parts);
  return element("th", { scope: "col", role: "columnheader" }, ...name, ...(category ? [element("span", { class: "better" }, shortened(category, 40))] : []));
}

function heatName(cluster) {
  const name = clusterName(state.selected, cluster);
  return element("span", { class: "two-lines", title: name }, swatch(lookOf(ownPlace(cluster))), " ", shortened(name, 80));
}

function showHeatmap() {
  const found = data.heatmaps[state.selected];
  const known = Object.keys(data.heatmaps).map((solution) => shortened(data.names[solution], 30));
  byId("heatmap").hidden = !known.length;
  byId("heatmap-legend").hidden = byId("heatmap-table").hidden = !found;
  const isTerms = data.featuresTitle.includes("terms");
  const medians = data.sampleKind === "bag" ? "The table shows medians of the means of the bags." : "The table shows medians of numbers and shares of categories.";
  const kinds = isTerms ? `The table shows the shares of ${data.sampleKind}s with the term.` : medians;
  byId("heatmap-title").textContent = `${isTerms ? "Terms" : "Columns"} that distinguish the clusters`;
  note("heatmap-note", found
    ? `${kinds} The colour shows how far a cluster is above or below the average of all ${data.sampleKind}s, in standard deviations.`
    : `The table is available for ${known.slice(0, 6).join(", ")}${known.length > 6 ? ` and ${count(known.length - 6, "other")}` : ""}.`);
  if (!found) return;
  const clusters = clustersOf(sizesOf(state.selected)).filter((cluster) => cluster >= 0);
  byId("heatmap-table").replaceChildren(
    element("table", { role: "grid", "aria-labelledby": "heatmap-title", keydown: moveInHeatmap },
      element("thead", {}, element("tr", {}, element("th", { scope: "col", role: "columnheader" }, "cluster"), ...found.columns.map(heatHead))),
      element("tbody", {}, ...clusters.map((cluster) => element("tr", { "data-cluster": cluster },
        element("th", { scope: "row", role: "rowheader" }, heatName(cluster)),
        ...found.columns.map((column, place) => heatCell(cluster, column, found.levels[cluster][place], found.values[cluster][place])))))),
  );
  const first = byId("heatmap-table").querySelector("td");
  if (first) first.tabIndex = 0;
}

function startHeatmap() {
  follow(["selected"], showHeatmap);
  showHeatmap();
}
