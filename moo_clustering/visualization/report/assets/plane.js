// Samples in the plane, in the looks of their clusters.

// Places in the map's arrays of the samples that can be drawn.
const shownPlaces = (() => {
  let known = null;
  return () => {
    if (known === null) {
      known = [];
      const { positions, rows } = data.map;
      for (let i = 0; i < rows.length; i++) {
        if (Number.isFinite(positions[2 * i]) && Number.isFinite(positions[2 * i + 1])) known.push(i);
      }
    }
    return known;
  };
})();

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

// A trace of every cluster; `lookPlace` says which look a cluster has.
function clusterTraces(solution, lookPlace, emphasis) {
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
      text: rows.map((row) => `${sampleHover(row)}\n${plain(shortened(name, 60))}`),
      hoverinfo: faint ? "skip" : "text",
      marker: { color: look.color, symbol: look.symbol, size: cluster < 0 ? size - 1 : size, opacity: faint ? 0.08 : 0.85 },
      meta: { cluster },
    };
  });
}

function planeLayout(own) {
  return layoutOf({
    kind: "plane",
    xaxis: axisOf(data.map.axes[0]),
    yaxis: axisOf(data.map.axes[1]),
    ...own,
  });
}

// Names and sizes of the clusters; `choose`, where given, is called with the one pressed.
function clusterLegend(place, solution, lookPlace, choose = null) {
  const sizes = sizesOf(solution);
  place.replaceChildren(
    ...clustersOf(sizes).map((cluster) => {
      const parts = [
        swatch(lookOf(cluster < 0 ? -1 : lookPlace(cluster))),
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
