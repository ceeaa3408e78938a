// The convergence of the search: a small figure of every statistic by generation.

function historyColumns() {
  const n = shapes.get(data.history.values)[1];
  return data.history.columns.map((name, place) => ({
    name,
    values: Array.from(data.history.values.subarray(place * n, (place + 1) * n)),
  }));
}

function historyFigure() {
  const [generations, ...shown] = historyColumns();
  const wide = byId("history-figure").clientWidth;
  const nColumns = Math.min(shown.length, wide > 900 ? 3 : wide > 560 ? 2 : 1);
  const nRows = Math.ceil(shown.length / nColumns);
  const height = nRows * 210 + 30;
  const layout = layoutOf({ height, kind: "history", annotations: [] });
  const [gapX, gapY] = [nColumns > 1 ? 0.075 : 0, nRows > 1 ? 70 / height : 0];
  const [width, tall] = [(1 - gapX * (nColumns - 1)) / nColumns, (1 - gapY * (nRows - 1)) / nRows];
  const isCounted = generations.values.some(Number.isFinite);
  const x = isCounted ? generations.values : generations.values.map((_, place) => place);
  const traces = shown.map((column, place) => {
    const suffix = place ? String(place + 1) : "";
    const [row, across] = [Math.floor(place / nColumns), place % nColumns];
    const left = across * (width + gapX);
    const top = 1 - row * (tall + gapY);
    const isLast = place + nColumns >= shown.length;
    layout[`xaxis${suffix}`] = axisOf(isLast ? generations.name : "", { domain: [left, left + width], anchor: `y${suffix}`, nticks: 6, showgrid: false });
    layout[`yaxis${suffix}`] = axisOf("", { domain: [Math.max(0, top - tall), top], anchor: `x${suffix}`, nticks: 5 });
    layout.annotations.push({ text: plain(shortened(column.name, 40)), x: left, y: top, xref: "paper", yref: "paper",
      xanchor: "left", yanchor: "bottom", font: { weight: 600 } });
    return { type: "scatter", mode: x.length > 1 ? "lines" : "markers", x, y: column.values, name: plain(column.name),
      xaxis: `x${suffix}`, yaxis: `y${suffix}`, hoverinfo: "x+y", line: { color: "#4477aa", width: 2 } };
  });
  layout.margin = { l: 60, r: 18, t: 26, b: 48 };
  return { data: traces, layout };
}

function showHistory() {
  const [n, length] = data.history ? shapes.get(data.history.values) : [0, 0];
  byId("history-figure").hidden = n < 2 || length === 0;
  if (byId("history-figure").hidden) {
    note("history-note", "There is no convergence to show, because the fit had no generations or other search steps, or did not record them.");
    return;
  }
  note("history-note", `The fit recorded ${count(length, "step")} of its search.`);
  addFigure("history-figure", "convergence", historyFigure);
}
