// Samples in the plane, in the looks of their clusters.

// Positions, in the arrays of the map, of the samples that can be drawn.
const knownPlaces = new Map();
function shownPlaces() {
  const { positions, rows } = data.map;
  if (!knownPlaces.has(positions)) {
    knownPlaces.set(positions, Array.from(rows, (_, i) => i).filter((i) => Number.isFinite(positions[2 * i]) && Number.isFinite(positions[2 * i + 1])));
  }
  return knownPlaces.get(positions);
}

const sampleHovers = new Map();
function sampleHover(row) {
  if (!sampleHovers.has(row)) {
    const text = data.sampleTexts?.[row];
    const name = lines(shortened(data.sampleNames[row], 120), 50, 3);
    sampleHovers.set(row, text ? `${name}\n${lines(text, 60)}` : name);
  }
  return sampleHovers.get(row);
}

function markerSize(nPoints) {
  return nPoints > 3000 ? 5 : nPoints > 600 ? 6.5 : 8.5;
}

// Rings of every area on the map, or null if the samples are points.
let knownRings;
function areaRings() {
  if (knownRings !== undefined) return knownRings;
  const { outlines, rows } = data.map;
  if (!outlines) return (knownRings = null);
  knownRings = Array.from(rows, () => []);
  let ring = [];
  for (let i = 0; i < outlines.length; i += 3) {
    if (!Number.isNaN(outlines[i])) {
      if (!ring.length) knownRings[outlines[i]].push(ring);
      ring.push([outlines[i + 1], outlines[i + 2]]);
    } else ring = [];
  }
  return knownRings;
}

// Limits of the axes of a map of areas.
function areaRange(k) {
  let [low, high] = [Infinity, -Infinity];
  for (const rings of areaRings()) for (const ring of rings) for (const point of ring) [low, high] = [Math.min(low, point[k]), Math.max(high, point[k])];
  return [low, high];
}

// One trace per cluster; `lookPlace` selects the look of a cluster, `paint` returns the colour and text of a sample.
function clusterTraces(solution, lookPlace, emphasis, paint = null) {
  const labels = storedLabels(solution);
  const sizes = sizesOf(solution);
  const places = new Map(clustersOf(sizes).map((cluster) => [cluster + 1, []]));
  for (const i of shownPlaces()) places.get(labels[data.map.rows[i]]).push(i);
  const size = markerSize(shownPlaces().length);
  return [...places].map(([label, shown]) => {
    const cluster = label - 1;
    const look = lookOf(cluster < 0 ? -1 : lookPlace(cluster));
    const name = clusterName(solution, cluster);
    const rows = shown.map((i) => data.map.rows[i]);
    const faint = emphasis !== null && emphasis !== cluster;
    return {
      type: "scatter",
      mode: "markers",
      name: `${plain(shortened(name, 40))} (${counting.format(sizes[label])})`,
      showlegend: true,
      x: shown.map((i) => data.map.positions[2 * i]),
      y: shown.map((i) => data.map.positions[2 * i + 1]),
      customdata: rows,
      rings: areaRings() && shown.map((i) => areaRings()[i]),
      text: shown.map((i) => `${sampleHover(data.map.rows[i])}\n${plain(shortened(name, 60))}${paint ? `\n${paint(i).text}` : ""}`),
      hoverinfo: faint ? "skip" : "text",
      marker: { color: paint ? shown.map((i) => paint(i).color) : look.color, symbol: look.symbol, size: cluster < 0 ? size - 1 : size, opacity: faint ? 0.08 : 0.85 },
      meta: { cluster },
    };
  });
}

function planeLayout(own) {
  const bare = { showticklabels: false, showgrid: false, showline: false };
  const axis = (k) => areaRings() ? axisOf("", { ...bare, range: areaRange(k), ...(k ? { scaleanchor: "x" } : {}) }) : (data.map.view === "neighbors" ? axisOf("", { showticklabels: false, showgrid: false }) : axisOf(data.map.axes[k]));
  return layoutOf({
    ...(data.map.view === "neighbors" || areaRings() ? { margin: { l: 18, r: 18, t: 14, b: 14 } } : {}),
    kind: `plane of ${data.map.view ?? "all"}`,
    // The axes of a neighbour embedding have no meaning, and no titles.
    xaxis: axis(0),
    yaxis: axis(1),
    ...own,
  });
}

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// Names at the medians of the samples of the clusters, largest cluster first.
function clusterLabels(solution, emphasis) {
  const all = clusterTraces(solution, ownPlace, emphasis);
  const traces = all.filter(({ meta, x }) => meta.cluster >= 0 && x.length && (emphasis === null || meta.cluster === emphasis));
  traces.sort((a, b) => b.x.length - a.x.length);
  return {
    type: "labels", hoverinfo: "skip", meta: { labels: true },
    x: traces.map(({ x }) => middle(x)), y: traces.map(({ y }) => middle(y)),
    text: traces.map(({ meta }) => plain(clusterName(solution, meta.cluster))),
    points: { x: areaRings() ? [] : all.flatMap(({ x }) => x), y: all.flatMap(({ y }) => y) },
  };
}

// Names and sizes of the clusters; `choose`, if any, is called with the pressed cluster.
function clusterLegend(place, solution, lookPlace, choose = null, color = null) {
  const sizes = sizesOf(solution);
  place.replaceChildren(
    ...clustersOf(sizes).map((cluster) => {
      const parts = [
        swatch({ ...lookOf(cluster < 0 ? -1 : lookPlace(cluster)), ...(color ? { color } : {}) }),
        element("span", {}, shortened(clusterName(solution, cluster), 40)),
        element("span", { class: "size" }, counting.format(sizes[cluster + 1])),
      ];
      if (!choose) return element("li", {}, ...parts);
      const pressed = String(state.emphasis === cluster);
      return element("li", {}, element("button", {
        type: "button", "aria-pressed": pressed, "data-cluster": cluster, click: () => choose(cluster),
      }, ...parts));
    }),
  );
}
