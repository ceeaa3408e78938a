// The map of the selected solution, with its constraints and the sample that is pointed out.

const map = { constraints: true, overlays: [] };
const ownPlace = (cluster) => placeOf(state.selected, cluster);

// Lines between the samples of pairs that are both on the map.
function pairLines(pairs, wanted) {
  const [x, y] = [[], []];
  const { positions, rows } = data.map;
  const placeOf = (map.placeOf ??= new Map(shownPlaces().map((i) => [rows[i], i])));
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

function mapFigure() {
  const lines = map.constraints && nConstraints() ? constraintTraces() : [];
  const traces = clusterTraces(state.selected, ownPlace, state.emphasis);
  return { data: [...lines, ...traces, ...sampleTrace(), ...map.overlays.flatMap((each) => each())], layout: planeLayout() };
}

function mapNote() {
  const shown = shownPlaces().length;
  const parts = [];
  if (shown < data.nSamples) parts.push(`${counting.format(shown)} of ${samplesText(data.nSamples)} shown.`);
  else parts.push(`All ${samplesText(data.nSamples)} shown.`);
  const lost = data.map.rows.length - shown;
  if (lost) parts.push(`${samplesText(lost)} without a position omitted.`);
  if (data.map.note) parts.push(data.map.note);
  if (!matchMedia("(pointer: coarse)").matches) parts.push("Drag to zoom in, double-click to reset.");
  return parts.join(" ");
}

function constraintCounts() {
  if (!nConstraints()) return "";
  const { must, cannot } = satisfiedConstraints(state.selected);
  const [nMust, nCannot] = [data.mustLink.length / 2, data.cannotLink.length / 2];
  const said = (satisfied, all, name) =>
    all ? `${count(all, name)}: ${counting.format(satisfied)} satisfied, ${counting.format(all - satisfied)} violated.` : "";
  const drawnText = !data.map ? "" : map.constraints
    ? "Satisfied constraints are thin and grey, violated must-links dashed, violated cannot-links dotted and red; constraints with a sample that is not shown are not drawn."
    : "";
  return [said(must, nMust, "must-link"), said(cannot, nCannot, "cannot-link"), drawnText].filter(Boolean).join(" ");
}

function emphasize(cluster) {
  change({ emphasis: state.emphasis === cluster ? null : cluster });
}

function pointOut(sample) {
  change({ sample: state.sample === sample ? null : sample });
}

function showMap() {
  const tell = () => {
    clusterLegend(byId("map-legend"), state.selected, ownPlace, data.map ? emphasize : null);
    note("constraint-counts", constraintCounts());
    if (data.map) redraw("map-figure");
  };
  if (data.map) {
    note("map-note", mapNote());
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
    note("map-note", "There is no map of these data, so there is no figure.");
    byId("map-figure").hidden = true;
  }
  follow(["selected", "emphasis", "sample"], tell);
  tell();
}
