// The agreement of all pairs of solutions, and the two most different solutions.

function agreementOf(first, second) {
  return data.agreement[first * data.nSolutions + second];
}

function mostDifferent() {
  let [best, least] = [null, Infinity];
  for (let i = 0; i < data.nSolutions; i++) {
    for (let j = i + 1; j < data.nSolutions; j++) {
      const value = agreementOf(i, j);
      if (value < least) [best, least] = [[i, j], value];
    }
  }
  return best;
}

function agreementFigure() {
  const n = data.nSolutions;
  const places = data.names.map((_, solution) => solution);
  const z = places.map((i) => data.agreement.subarray(i * n, (i + 1) * n));
  const wide = byId("agreement").clientWidth;
  const few = n <= 30 && wide > 600;
  const named = few
    ? { tickvals: places, ticktext: data.names.map((name) => plain(shortened(name, 18))) }
    : { tickformat: "d", nticks: 10 };
  const title = few ? "" : "solution, in the order of the report";
  const square = { type: "scatter", mode: "markers", hoverinfo: "skip",
    x: [state.compared], y: [state.selected],
    marker: { symbol: "square-open", size: Math.max(10, Math.min(26, 440 / n)), color: SELECTED, line: { width: 3, color: SELECTED } } };
  return {
    maxWidth: 720,
    data: [
      { type: "heatmap", z, zmin: Math.min(0, lowest()), zmax: 1, colors: SEQUENTIAL, scale: "ARI",
        tell: (i, j) => `${plain(data.names[j])} and ${plain(data.names[i])}: ${number(z[j][i])}` },
      ...(state.compared === null ? [] : [square]),
    ],
    layout: layoutOf({
      height: Math.min(600, wide),
      margin: { l: 60, r: 18, t: 30, b: 48 },
      kind: "agreement",
      xaxis: axisOf(title, { ...named, showgrid: false, tickangle: few ? -40 : 0 }),
      yaxis: axisOf(title, { ...named, scaleanchor: "x", autorange: "reversed", showgrid: false }),
    }),
  };
}

const lowest = (() => {
  let known = null;
  return () => (known ??= data.agreement.reduce((least, value) => (value < least ? value : least), 0));
})();

function showAgreement() {
  if (!data.agreement || data.nSolutions < 2) return;
  byId("agreement").hidden = false;
  note("agreement-note", `Press a cell to compare its two solutions. ${data.agreementNote || "Adjusted Rand index."}`);
  const pair = mostDifferent();
  byId("most-different").hidden = pair === null;
  byId("most-different").addEventListener("click", () => {
    select(pair[0]);
    compare(pair[1]);
  });
  addFigure("agreement-figure", "agreement", agreementFigure, (hit) => {
    if (!hit) return;
    select(hit.y);
    compare(hit.x);
  });
  follow(["selected", "compared"], () => redraw("agreement-figure"));
}
