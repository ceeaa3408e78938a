// The map of the selected solution, with its constraints and the highlighted sample.

const map = { constraints: true, overlays: [], color: null };
const ownPlace = (cluster) => placeOf(state.selected, cluster);

// Lines of the pairs with both samples on the map.
function pairLines(pairs, wanted) {
  const [x, y] = [[], []];
  const { positions, rows } = data.map;
  const placeOf = new Map(shownPlaces().map((i) => [rows[i], i]));
  for (let i = 0; i < pairs.length / 2; i++) {
    const [first, second] = [placeOf.get(pairs[2 * i]), placeOf.get(pairs[2 * i + 1])];
    if (first === undefined || second === undefined || !wanted(i)) continue;
    x.push(positions[2 * first], positions[2 * second], null);
    y.push(positions[2 * first + 1], positions[2 * second + 1], null);
  }
  return { x, y };
}

function constraintTraces() {
  const labels = storedLabels(state.selected);
  const kinds = [
    ["must-link", data.mustLink, true, INK],
    ["cannot-link", data.cannotLink, false, "var(--bad)"],
  ];
  const traces = [];
  for (const isSatisfied of [true, false]) {
    for (const [name, pairs, wantsTogether, color] of kinds) {
      const { x, y } = pairLines(pairs, (i) => (together(labels, pairs, i) === wantsTogether) === isSatisfied);
      if (!x.length) continue;
      const line = isSatisfied ? { color: EDGE, width: 1 } : { color, width: 2.2, dash: wantsTogether ? "dash" : "dot" };
      traces.push({
        type: "scatter", mode: "lines", x, y, hoverinfo: "skip", line, opacity: isSatisfied ? 0.6 : 0.9,
        name: `${isSatisfied ? "satisfied" : "violated"} ${name}`, showlegend: true,
        meta: { constraint: name, satisfied: isSatisfied },
      });
    }
  }
  return traces;
}

function sampleTrace() {
  const i = shownPlaces().find((place) => data.map.rows[place] === state.sample);
  if (i === undefined) return [];
  return [{
    type: "scatter", mode: "markers", hoverinfo: "skip",
    x: [data.map.positions[2 * i]], y: [data.map.positions[2 * i + 1]],
    marker: { symbol: "circle-open", size: 20, color: INK, line: { width: 3, color: INK } },
    meta: { sample: state.sample },
  }];
}

// Viridis, which remains readable in greyscale and for the colour-blind.
const VALUES = ["#440154", "#443983", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725"];
const UNKNOWN = "#9aa5b1";

function mixed(share) {
  const at = Math.min(1, Math.max(0, share)) * (VALUES.length - 1);
  const [low, high] = [VALUES[Math.floor(at)], VALUES[Math.ceil(at)]];
  return `#${[1, 3, 5].map((k) => {
    const [from, to] = [low, high].map((color) => parseInt(color.slice(k, k + 2), 16));
    return Math.round(from + (at % 1) * (to - from)).toString(16).padStart(2, "0");
  }).join("")}`;
}

// Prepare a column for colouring: the most frequent categories, or the limits of the scale without extreme values.
const MOST_CATEGORIES = 12;
function prepareColumn(column) {
  if (column.write) return;
  const known = Array.from(column.values).filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  if (column.categories.length) {
    const counts = column.categories.map((_, code) => known.filter((value) => value === code).length);
    column.order = [...counts.keys()].filter((code) => counts[code]).sort((a, b) => counts[b] - counts[a]).slice(0, MOST_CATEGORIES);
    column.write = (code) => column.categories[code];
    return;
  }
  const at = (share) => known[Math.round(share * (known.length - 1))];
  column.limits = at(0.02) < at(0.98) ? [at(0.02), at(0.98)] : [known[0], known.at(-1)];
  column.write = column.unit === "date"
    ? (value) => new Date(1000 * value).toISOString().slice(0, 10)
    : (value) => `${number(Number(value.toPrecision(4)))} ${column.unit}`.trim();
}

// Colour and text of the value of a column at a position of the map.
function paintOf({ name, values, categories, order, limits, write }, i) {
  const value = values[i];
  if (Number.isNaN(value)) return { color: UNKNOWN, text: `${name}: unknown` };
  const text = `${name}: ${write(value)}`;
  if (categories.length) return { color: order.includes(value) ? lookOf(order.indexOf(value)).color : UNKNOWN, text };
  const [low, high] = limits;
  return { color: mixed(high > low ? (value - low) / (high - low) : 0.5), text };
}

function columnLegend({ name, values, categories, order, limits, write }) {
  const isUnknown = data.map.rows.some((_, i) => Number.isNaN(values[i]));
  const circle = (color) => swatch({ color, symbol: "circle" });
  if (categories.length) {
    const rest = [...(categories.length > order.length ? ["other values"] : []), ...(isUnknown ? ["unknown"] : [])].join(" or ");
    return element("ul", { class: "legend", "aria-label": name },
      ...order.map((code, place) => element("li", {}, circle(lookOf(place).color), shortened(categories[code], 40))),
      ...(rest ? [element("li", {}, circle(UNKNOWN), rest)] : []));
  }
  const ramp = element("span", { class: "ramp" });
  ramp.style.backgroundImage = `linear-gradient(to right, ${VALUES.map(shade).join(", ")})`;
  return element("p", { class: "scale" }, write(limits[0]), ramp, write(limits[1]), ...(isUnknown ? [circle(UNKNOWN), "unknown"] : []));
}

function colorBy(name) {
  map.color = data.map.columns.find((column) => column.name === name) ?? null;
  if (map.color) prepareColumn(map.color);
  byId("map-color").value = map.color ? name : "";
  byId("map-colors").hidden = !map.color;
  byId("map-colors").replaceChildren(...(map.color ? [columnLegend(map.color)] : []));
  map.tell();
}

// Show the samples at their positions in the plane or in the neighbour embedding.
function setView(view) {
  const { plane, neighbors } = map.views;
  Object.assign(data.map, { view, positions: view === "neighbors" ? neighbors : plane });
  for (const each of byId("map-view").children) each.setAttribute("aria-pressed", String(each.dataset.view === view));
  note("map-note", mapNote(), zoomHint());
  map.tell();
  for (const id of ["compare-first", "compare-second"]) if (figures.has(id)) redraw(id);
}

const planeName = () => (data.map.axes[0].includes("component") ? "Principal components" : "Scaling");

function viewButtons() {
  map.views = { plane: data.map.positions, neighbors: data.map.neighbors };
  if (!data.map.neighbors) return;
  byId("map-view").append(...[["neighbors", "Neighbours"], ["plane", planeName()]].map(([view, name]) => button(name, () => setView(view), { "data-view": view })));
  byId("map-view").hidden = false;
  setView("neighbors");
}

function colorChoice() {
  if (!data.map.columns.length) return;
  const choice = byId("map-color");
  choice.append(element("option", { value: "" }, "cluster"), ...data.map.columns.map(({ name }) => element("option", { value: name }, shortened(name, 40))));
  choice.addEventListener("change", () => colorBy(choice.value));
  choice.parentElement.hidden = false;
}

function mapFigure() {
  const lines = map.constraints && nConstraints() ? constraintTraces() : [];
  const traces = clusterTraces(state.selected, ownPlace, state.emphasis, map.color && ((i) => paintOf(map.color, i)));
  if (map.color) for (const trace of traces) trace.legendMarker = { color: INK };
  const said = map.color && !map.color.categories.length ? `, ${map.color.limits.map(map.color.write).join(" (dark) to ")} (light)` : "";
  const title = map.color ? { annotations: [{ text: `Colour: ${shortened(map.color.name, 40)}${said}`, xref: "paper", yref: "paper", x: 0, y: 1, xanchor: "left" }], margin: { l: 60, r: 18, t: 28, b: 48 } } : {};
  return {
    data: [...lines, ...traces, clusterLabels(state.selected, state.emphasis), ...sampleTrace(), ...map.overlays.flatMap((each) => each())],
    layout: planeLayout(title),
  };
}

function mapNote() {
  const shown = shownPlaces().length;
  const parts = [];
  if (shown < data.nSamples) parts.push(`The map shows ${counting.format(shown)} of ${samplesText(data.nSamples)}.`);
  else parts.push(`The map shows all ${samplesText(data.nSamples)}.`);
  const lost = data.map.rows.length - shown;
  if (lost && data.map.view === "neighbors") parts.push(`The ${planeName().toLowerCase()} show${planeName() === "Scaling" ? "s" : ""} more ${data.sampleKind}s.`);
  else if (lost) parts.push(`${samplesText(lost)} ${lost === 1 ? "has" : "have"} no position.`);
  if (data.map.view === "neighbors") parts.push(`Similar ${data.sampleKind}s are near each other (t-SNE). The sizes of groups and the distances between groups have little meaning.`);
  else if (data.map.note) parts.push(data.map.note);
  return parts.join(" ");
}

const zoomHint = () => (matchMedia("(pointer: coarse)").matches ? "" : "Drag to zoom in, and double-click to reset.");

function constraintCounts() {
  if (!nConstraints()) return "";
  const { must, cannot } = satisfiedConstraints(state.selected);
  const [nMust, nCannot] = [data.mustLink.length / 2, data.cannotLink.length / 2];
  const said = (satisfied, all, name) =>
    all ? `${count(all, name)}: ${counting.format(satisfied)} satisfied, ${counting.format(all - satisfied)} violated.` : "";
  const drawnText = !data.map ? "" : map.constraints
    ? `Satisfied constraints are thin grey lines, violated must-links dashed lines, and violated cannot-links dotted red lines. Constraints of ${data.sampleKind}s that the map omits are not drawn.`
    : "";
  return [said(must, nMust, "must-link"), said(cannot, nCannot, "cannot-link"), drawnText].filter(Boolean).join(" ");
}

function emphasize(cluster) {
  change({ emphasis: state.emphasis === cluster ? null : cluster });
}

function pointOut(sample) {
  // In large data, some samples have a position only in the plane.
  if (data.map.view === "neighbors" && !shownPlaces().some((place) => data.map.rows[place] === sample)) setView("plane");
  change({ sample: state.sample === sample ? null : sample });
}

function showMap() {
  const tell = map.tell = () => {
    clusterLegend(byId("map-legend"), state.selected, ownPlace, data.map ? emphasize : null, map.color ? INK : null);
    note("constraint-counts", constraintCounts());
    if (figures.has("map-figure")) redraw("map-figure");
  };
  if (data.map) {
    viewButtons();
    colorChoice();
    note("map-note", mapNote(), zoomHint());
    if (nConstraints()) {
      const box = element("input", { type: "checkbox", id: "show-constraints", checked: true, change: (event) => {
        map.constraints = event.target.checked;
        tell();
      } });
      byId("map-tools").append(element("label", {}, box, " Constraints"));
    }
    addFigure("map-figure", "map", mapFigure, (hit) => {
      if (hit?.value !== undefined) pointOut(hit.value);
    });
  } else {
    byId("map-title").textContent = "Sizes of the clusters";
    note("map-note", "There is no map of these data.");
    byId("map-figure").hidden = true;
  }
  follow(["selected", "emphasis", "sample"], tell);
  tell();
}
