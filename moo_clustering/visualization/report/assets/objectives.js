// Solutions by their objectives: a ranking for one, a scatter plot for two, and a matrix of scatter plots for more.

function hoverOfSolution(solution) {
  const rows = [plain(shortened(data.names[solution], 60)), count(numberOfClusters(solution), "cluster")];
  for (const column of data.objectives) {
    rows.push(`${plain(shortened(column.name, 40))}: ${number(column.values[solution])}`);
  }
  const rules = rulesOf(solution);
  if (rules.length) rows.push(plain(rules.join(", ")));
  return rows.join("\n");
}

const hoverTexts = (() => {
  let known = null;
  return () => (known ??= data.names.map((_, solution) => hoverOfSolution(solution)));
})();

function runNames() {
  return [...new Set(data.runs)];
}

function solutionColors() {
  if (!data.runs.length) return "#4477aa";
  const place = new Map(runNames().map((run, i) => [run, i]));
  return data.runs.map((run) => lookOf(place.get(run)).color);
}

function solutionSymbols() {
  if (!data.runs.length) return "circle";
  const place = new Map(runNames().map((run, i) => [run, i]));
  return data.runs.map((run) => lookOf(place.get(run)).symbol);
}

// The chosen, compared and selected solutions, the last one on top.
function marks() {
  const found = [{ solution: data.chosen, symbol: "star", color: INK, size: 14, line: 1 }];
  if (state.compared !== null) {
    found.push({ solution: state.compared, symbol: "square-open", color: COMPARED, size: 15, line: 3 });
  }
  found.push({ solution: state.selected, symbol: "circle-open", color: SELECTED, size: 18, line: 3 });
  return found;
}

function pointTraces(x, y, own = {}) {
  const solutions = data.names.map((_, solution) => solution);
  const all = {
    type: "scatter",
    mode: "markers",
    x,
    y,
    customdata: solutions,
    text: hoverTexts(),
    hoverinfo: "text",
    marker: { size: x.length > 300 ? 7 : 9, opacity: 0.85, color: solutionColors(), symbol: solutionSymbols() },
    ...own,
  };
  const marked = marks().map(({ solution, symbol, color, size, line }) => ({
    type: "scatter",
    mode: "markers",
    x: [x[solution]],
    y: [y[solution]],
    customdata: [solution],
    text: [hoverTexts()[solution]],
    hoverinfo: "text",
    marker: { symbol, size, color, opacity: 1, line: { width: line, color } },
    ...own,
  }));
  return [all, ...marked];
}

function objectiveTitle(column) {
  const better = direction(column);
  return better ? `${shortened(column.name, 50)} (${better})` : shortened(column.name, 60);
}

function rankedFigure() {
  const [column] = data.objectives;
  const sign = column.greaterIsBetter === false ? 1 : -1;
  const order = data.names.map((_, solution) => solution);
  const worth = (solution) => (Number.isNaN(column.values[solution]) ? Infinity : sign * column.values[solution]);
  order.sort((a, b) => (worth(a) === worth(b) ? a - b : worth(a) - worth(b)));
  const rank = [];
  order.forEach((solution, place) => (rank[solution] = place + 1));
  return {
    data: pointTraces(rank, Array.from(column.values)),
    layout: layoutOf({
      kind: "ranked",
      xaxis: axisOf("rank", { tickformat: "d", showgrid: false }),
      yaxis: axisOf(objectiveTitle(column)),
    }),
  };
}

function scatterFigure() {
  const [x, y] = data.objectives;
  return {
    data: pointTraces(Array.from(x.values), Array.from(y.values)),
    layout: layoutOf({
      kind: "scatter",
      xaxis: axisOf(objectiveTitle(x)),
      yaxis: axisOf(objectiveTitle(y)),
    }),
  };
}

// Scatter plots of all pairs of at most six objectives, below the diagonal.
const MOST_IN_MATRIX = 6;

function matrixFigure() {
  const shown = data.objectives.slice(0, MOST_IN_MATRIX);
  const n = shown.length - 1;
  const traces = [];
  const layout = layoutOf({ kind: "matrix", margin: { l: 60, r: 14, t: 14, b: 56 } });
  const gap = 0.04;
  const size = (1 - gap * (n - 1)) / n;
  const domain = (place) => [place * (size + gap), place * (size + gap) + size];
  for (let row = 1; row <= n; row++) {
    for (let column = 0; column < row; column++) {
      const place = (row - 1) * n + column + 1;
      const suffix = place === 1 ? "" : String(place);
      const small = { size: data.nSolutions > 300 ? 4 : 6, opacity: 0.8, color: solutionColors() };
      const cell = pointTraces(Array.from(shown[column].values), Array.from(shown[row].values), {
        xaxis: `x${suffix}`,
        yaxis: `y${suffix}`,
      });
      cell[0].marker = small;
      for (const mark of cell.slice(1)) mark.marker.size *= 0.75;
      traces.push(...cell);
      const own = { nticks: 4, tickfont: { size: 10 } };
      const first = { ...own, title: { text: lines(shown[column].name, 16, 2), font: { size: 11 } } };
      const second = { ...own, title: { text: lines(shown[row].name, 16, 2), font: { size: 11 } } };
      layout[`xaxis${suffix}`] = axisOf("", {
        ...(row === n ? first : { ...own, showticklabels: false }),
        domain: domain(column),
        anchor: `y${suffix}`,
        matches: row === n ? undefined : axisName("x", n, n, column),
      });
      layout[`yaxis${suffix}`] = axisOf("", {
        ...(column === 0 ? second : { ...own, showticklabels: false }),
        domain: domain(n - row),
        anchor: `x${suffix}`,
        matches: column === 0 ? undefined : axisName("y", row, n, 0),
      });
    }
  }
  return { data: traces, layout };
}

function axisName(letter, row, n, column) {
  const place = (row - 1) * n + column + 1;
  return place === 1 ? letter : `${letter}${place}`;
}
