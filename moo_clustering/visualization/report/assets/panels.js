// Further figures: matrices, lines, bars, pictures.

// Names of positions, which need not be unique.
function placeNames(names, n) {
  if (!names.length) return { tickformat: "d" };
  const step = Math.max(1, Math.ceil(n / 24));
  const shown = names.map((_, place) => place).filter((place) => place % step === 0);
  return { tickvals: shown, ticktext: shown.map((place) => plain(shortened(String(names[place] ?? ""), 24))) };
}

function matrixPanel(panel, width) {
  const [nRows, nColumns] = shapes.get(panel.matrix);
  const z = Array.from({ length: nRows }, (_, i) => panel.matrix.subarray(i * nColumns, (i + 1) * nColumns));
  const finite = panel.matrix.filter(Number.isFinite);
  const [low, high] = finite.length ? [finite.reduce((a, b) => Math.min(a, b)), finite.reduce((a, b) => Math.max(a, b))] : [0, 1];
  // If there are negative values, the scale is symmetric about 0.
  const most = Math.max(-low, high);
  const colors = low < 0 ? { colors: DIVERGING, zmin: -most, zmax: most } : { colors: SEQUENTIAL, zmin: low, zmax: high };
  const isSquare = nRows === nColumns;
  return {
    maxWidth: isSquare ? 620 : null,
    data: [
      { type: "heatmap", z, ...colors, tell: (i, j) => `${plain(panel.y[j] ?? j)}, ${plain(panel.x[i] ?? i)}: ${Number.isNaN(z[j][i]) ? "none" : number(z[j][i])}` },
      ...selectedCell(panel, nColumns),
    ],
    layout: layoutOf({
      height: Math.min(480, width),
      xaxis: axisOf(panel.axes[0] ?? "", { ...placeNames(panel.x, nColumns), showgrid: false }),
      yaxis: axisOf(panel.axes[1] ?? "", { ...placeNames(panel.y, nRows), showgrid: false, autorange: "reversed", ...(isSquare ? { scaleanchor: "x" } : {}) }),
    }),
  };
}

function selectedCell(panel, nColumns) {
  const place = panel.solutions?.indexOf(state.selected) ?? -1;
  return place < 0 ? [] : [{ type: "scatter", mode: "markers", hoverinfo: "skip", x: [place % nColumns], y: [Math.floor(place / nColumns)],
    marker: { symbol: "square-open", size: 18, color: SELECTED, line: { width: 3, color: SELECTED } } }];
}

// Cells of a map of clusterings select their solutions.
function pressPanel(panel, hit, event) {
  const solution = hit ? panel.solutions[hit.y * panel.x.length + hit.x] : -1;
  if (solution >= 0) press(solution, event);
}

function linesPanel(panel) {
  const traces = panel.series.map(({ name, x, y }, place) => ({
    type: "scatter", mode: x.length > 1 ? (x.length <= 30 ? "lines+markers" : "lines") : "markers", x: Array.from(x), y: Array.from(y),
    name: plain(shortened(name, 40)), showlegend: panel.series.length > 1, 
    line: { color: lookOf(place).color, width: 2, dash: ["solid", "dash", "dot", "dashdot"][Math.floor(place / 8) % 4] },
    marker: { symbol: lookOf(place).symbol, size: 7 },
  }));
  return {
    data: traces,
    layout: layoutOf({
      height: 380, showlegend: panel.series.length > 1,
      xaxis: axisOf(panel.axes[0] ?? ""), yaxis: axisOf(panel.axes[1] ?? ""),
    }),
  };
}

function barsPanel(panel) {
  const places = panel.x.map((_, place) => place);
  return {
    data: [{ type: "bar", x: places, y: panel.y, marker: { color: "#4477aa" },
      text: panel.x.map((name, place) => `${plain(shortened(String(name ?? ""), 60))}: ${number(Number(panel.y[place]))}`) }],
    layout: layoutOf({
      height: 360,
      xaxis: axisOf(panel.axes[0] ?? "", { ...placeNames(panel.x, places.length), showgrid: false, tickangle: -40 }),
      yaxis: axisOf(panel.axes[1] ?? "", { rangemode: "tozero" }),
    }),
  };
}

const PANELS = { matrix: matrixPanel, lines: linesPanel, bars: barsPanel };

function isEmpty(panel) {
  if (panel.kind === "matrix") return !panel.matrix || panel.matrix.length === 0;
  if (panel.kind === "lines") return !panel.series.some(({ x }) => x.length);
  return panel.kind === "bars" ? !panel.x.length : !panel.image;
}

function showPanel(panel, place) {
  const id = `panel-${place}`;
  const card = element("section", { class: `card panel${panel.solutions ? " wide" : ""}`, "aria-labelledby": `${id}-title` },
    element("div", { class: "card-head" }, element("h2", { id: `${id}-title` }, panel.title), element("div", { class: "tools", id: `${id}-tools` })));
  if (panel.solutions) byId("page").insertBefore(card, byId("doubts"));
  else byId("methods-page").append(card);
  if (panel.note && (panel.kind !== "image" || isEmpty(panel))) card.append(element("p", { class: "note" }, panel.note));
  if (isEmpty(panel)) {
    card.append(element("p", { class: "note" }, "There is nothing to draw."));
  } else if (panel.kind === "image") {
    card.append(element("img", { src: `data:image/png;base64,${panel.image}`, alt: panel.note || panel.title, loading: "lazy" }));
    if (panel.note) card.append(element("p", { class: "note" }, panel.note));
  } else {
    card.append(element("div", { class: "figure", id: `${id}-figure` }));
    const pressed = panel.solutions && ((hit, event) => pressPanel(panel, hit, event));
    addFigure(`${id}-figure`, panel.title, () => PANELS[panel.kind](panel, card.clientWidth), pressed);
    if (pressed) follow(["selected"], () => redraw(`${id}-figure`));
  }
}

function showPanels() {
  const fixed = data.panels.filter(({ solutions }) => !solutions).length;
  if (fixed && data.nSolutions > 1) {
    const figures = fixed === 1 ? "figure below shows" : "figures below show";
    const text = `The ${figures} the run and its chosen solution, even if another solution is selected.`;
    byId("methods-page").append(element("p", { class: "note wide", id: "panels-note" }, text));
  }
  data.panels.forEach(showPanel);
}
