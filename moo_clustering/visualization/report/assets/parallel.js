// Parallel coordinates: each line is a solution, and up is better on every axis.

function heights(column) {
  const finite = Array.from(column.values).filter(Number.isFinite);
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  return Array.from(column.values, (value) => {
    if (!Number.isFinite(value)) return null;
    if (high === low) return 0.5;
    const share = (value - low) / (high - low);
    return column.greaterIsBetter === false ? 1 - share : share;
  });
}

const objectiveHeights = (() => {
  let known = null;
  return () => (known ??= data.objectives.map(heights));
})();

function lineTrace(solutions, own, line) {
  const [x, y] = [[], []];
  for (const solution of solutions) {
    objectiveHeights().forEach((column, place) => {
      x.push(place);
      y.push(column[solution]);
    });
    x.push(null);
    y.push(null);
  }
  return { type: "scatter", mode: "lines", x, y, hoverinfo: "skip", line, ...own };
}

function backgroundLines() {
  const all = data.names.map((_, solution) => solution);
  const opacity = Math.min(0.7, Math.max(0.12, 12 / data.nSolutions));
  if (!data.runs.length) return [lineTrace(all, { opacity }, { color: "#4477aa", width: 1.2 })];
  return runNames().map((run, i) =>
    lineTrace(
      all.filter((solution) => data.runs[solution] === run),
      { opacity },
      { color: lookOf(i).color, width: 1.2 },
    ),
  );
}

function pointsOnAxes() {
  const points = { x: [], y: [], customdata: [], text: [] };
  objectiveHeights().forEach((column, place) =>
    column.forEach((height, solution) => {
      if (height === null) return;
      points.x.push(place);
      points.y.push(height);
      points.customdata.push(solution);
      points.text.push(hoverTexts()[solution]);
    }),
  );
  const marker = { size: 5, color: "#4477aa", opacity: 0.6 };
  return { type: "scatter", mode: "markers", hoverinfo: "text", marker, ...points };
}

function endsOfAxes() {
  return data.objectives.flatMap((column, place) => {
    const finite = Array.from(column.values).filter(Number.isFinite);
    if (!finite.length) return [];
    const ends = [Math.min(...finite), Math.max(...finite)];
    if (column.greaterIsBetter === false) ends.reverse();
    const font = { size: 11, color: "var(--soft)" };
    return [
      { x: place, y: 1, yshift: 11, text: number(ends[1]), font },
      { x: place, y: 0, yshift: -11, text: number(ends[0]), font },
    ];
  });
}

function parallelFigure() {
  const marked = marks().map(({ solution, symbol, color }) =>
    lineTrace([solution], {
      mode: "lines+markers",
      marker: { symbol: symbol.replace("-open", ""), size: symbol === "star" ? 11 : 8, color },
    }, { color, width: solution === state.selected ? 3.5 : 2.2, dash: symbol === "star" ? "dot" : "solid" }),
  );
  const last = data.objectives.length - 1;
  const tall = data.objectives.map((_, place) => place);
  // About 7 pixels a letter.
  const letters = Math.max(7, Math.min(22, Math.floor((byId("front-figure").clientWidth - 90) / last / 7)));
  return {
    data: [...backgroundLines(), pointsOnAxes(), ...marked],
    layout: layoutOf({
      kind: "parallel",
      zooms: false,
      margin: { l: 44, r: 44, t: 26, b: 64 },
      annotations: endsOfAxes(),
      shapes: tall.map((place) => ({
        x0: place, x1: place, y0: 0, y1: 1, line: { color: EDGE },
      })),
      xaxis: axisOf("", {
        range: [-0.12, last + 0.12],
        tickvals: tall,
        ticktext: data.objectives.map((column) => axisText(column, letters)),
        tickangle: 0,
        ticks: "",
        showgrid: false,
        showline: false,
      }),
      yaxis: axisOf("", { range: [-0.09, 1.09], showticklabels: false, ticks: "", showgrid: false, showline: false }),
    }),
  };
}

function axisText(column, letters) {
  const name = lines(column.name, letters, 3);
  const better = direction(column);
  return better ? `${name}\n${lines(`(${better})`, letters, 3)}` : name;
}

// The solution whose line passes nearest to the pointer.
function nearestLine(place, event) {
  const { x: across, y: down } = place.layout.axes;
  const box = place.getBoundingClientRect();
  const x = across.p2l(event.clientX - box.left - across.offset);
  const pixelY = event.clientY - box.top - down.offset;
  const last = data.objectives.length - 1;
  if (x < -0.1 || x > last + 0.1) return null;
  const left = Math.min(last - 1, Math.max(0, Math.floor(x)));
  const share = Math.min(1, Math.max(0, x - left));
  const [before, after] = [objectiveHeights()[left], objectiveHeights()[left + 1]];
  let [best, least] = [null, 12];
  for (let solution = 0; solution < data.nSolutions; solution++) {
    if (before[solution] === null || after[solution] === null) continue;
    const distance = Math.abs(down.l2p(before[solution] + share * (after[solution] - before[solution])) - pixelY);
    if (distance < least) [best, least] = [solution, distance];
  }
  return best;
}
