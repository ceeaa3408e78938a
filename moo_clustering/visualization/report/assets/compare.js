// Two solutions side by side: matched looks, adjusted Rand index, common samples.

function comparison() {
  if (state.compared === null) return null;
  const common = contingency(state.selected, state.compared);
  // Samples without a cluster are not matched.
  const rows = common.rows.filter((cluster) => cluster >= 0).length;
  const columns = common.columns.filter((cluster) => cluster >= 0).length;
  const counts = common.counts.slice(0, rows).map((row) => row.slice(0, columns));
  const looks = new Map();
  bestMatching(counts, columns).forEach((column, row) => {
    if (column >= 0 && counts[row][column] > 0) looks.set(common.columns[column], ownPlace(common.rows[row]));
  });
  let next = Math.max(-1, ...common.rows.map(ownPlace)) + 1;
  for (const cluster of common.columns) if (cluster >= 0 && !looks.has(cluster)) looks.set(cluster, next++);
  return { ...common, looks, index: adjustedRandIndex(common) };
}

const comparing = { now: null };

function contingencyTable({ rows, columns, counts, looks }) {
  const greatest = Math.max(...counts.flat());
  const cell = (value) => {
    const made = element("td", { class: "number" }, counting.format(value));
    made.style.backgroundColor = value ? `rgba(68, 119, 170, ${(0.06 + (0.4 * value) / greatest).toFixed(3)})` : "";
    return made;
  };
  const title = (solution, cluster, look) => [swatch(lookOf(cluster < 0 ? -1 : look)), " ", shortened(clusterName(solution, cluster), 30)];
  const head = element("tr", {}, element("th", {}, `${shortened(data.names[state.selected], 24)} ↓  ${shortened(data.names[state.compared], 24)} →`),
    ...columns.map((cluster) => element("th", { scope: "col", class: "number" }, ...title(state.compared, cluster, looks.get(cluster)))));
  const body = rows.map((cluster, i) =>
    element("tr", {}, element("th", { scope: "row" }, ...title(state.selected, cluster, ownPlace(cluster))), ...counts[i].map(cell)));
  return element("table", { class: "contingency" }, element("thead", {}, head), element("tbody", {}, ...body));
}

function compareNote() {
  if (data.nSolutions < 2) return "There is only one solution, so there is nothing to compare.";
  if (state.compared === null) return "Choose a second solution here, or hold Shift and press a solution in a figure or in the table.";
  const [first, second] = [data.names[state.selected], data.names[state.compared]].map((name) => shortened(name, 60));
  return `${first} and ${second}: adjusted Rand index ${comparing.now.index.toFixed(3).replace("-", "−")} ` +
    "(1: the same partition; about 0: no more alike than by chance). Matching clusters have the same colour.";
}

function showComparison() {
  const found = (comparing.now = comparison());
  byId("compare-with").value = state.compared === null ? "" : String(state.compared);
  note("compare-note", compareNote());
  byId("compare-maps").hidden = found === null || !data.map;
  byId("compare-counts").hidden = found === null;
  if (found === null) return;
  byId("compare-table").replaceChildren(contingencyTable(found));
  if (!data.map) return;
  byId("compare-first-title").textContent = data.names[state.selected];
  byId("compare-second-title").textContent = data.names[state.compared];
  clusterLegend(byId("compare-first-legend"), state.selected, ownPlace);
  clusterLegend(byId("compare-second-legend"), state.compared, (cluster) => found.looks.get(cluster));
  redraw("compare-first");
  redraw("compare-second");
}

function startCompare() {
  byId("compare-with").append(
    element("option", { value: "" }, "none"),
    ...data.names.map((name, solution) => element("option", { value: solution }, shortened(name, 60))),
  );
  byId("compare-with").disabled = data.nSolutions < 2;
  byId("compare-with").addEventListener("change", ({ target }) => compare(target.value === "" ? null : Number(target.value)));
  if (data.map) {
    const side = (solution, look) => ({ data: clusterTraces(solution, look, null), layout: planeLayout() });
    addFigure("compare-first", "first of two", () => comparing.now && side(state.selected, ownPlace));
    addFigure("compare-second", "second of two", () => comparing.now && side(state.compared, (cluster) => comparing.now.looks.get(cluster)));
  }
  follow(["selected", "compared"], showComparison);
  showComparison();
}
