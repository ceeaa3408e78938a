// The front: its figure, its legend, and the effect of a press.

const front = { kind: "none" };

function frontFigure() {
  return { ranked: rankedFigure, scatter: scatterFigure, parallel: parallelFigure, matrix: matrixFigure }[front.kind]();
}

const PRESS = "Press a solution to select it, or hold Shift and press it to compare it.";

function lostText() {
  const isLost = (_, solution) => data.objectives.some((column) => Number.isNaN(column.values[solution]));
  const nLost = data.names.filter(isLost).length;
  return nLost ? ` ${count(nLost, "solution")} with unknown objectives ${nLost === 1 ? "is" : "are"} missing or incomplete here.` : "";
}

function frontNote() {
  const nObjectives = data.objectives.length;
  if (front.kind === "ranked") return `The solutions are ranked by the only objective, best first. ${PRESS}`;
  if (front.kind === "parallel") return `Every line is a solution. Higher is better on every axis with a direction. ${PRESS}`;
  if (front.kind === "matrix" && nObjectives > MOST_IN_MATRIX) {
    return `The panels show all pairs of the first ${MOST_IN_MATRIX} of ${nObjectives} objectives. ${PRESS}`;
  }
  return front.kind === "matrix" ? `The panels show all pairs of the ${nObjectives} objectives. ${PRESS}` : PRESS;
}

function frontLegend() {
  const entries = [
    [swatch({ symbol: "circle", color: SELECTED }, true), "selected"],
    [swatch({ symbol: "star", color: INK }), "the method's choice"],
  ];
  if (state.compared !== null) entries.push([swatch({ symbol: "square", color: COMPARED }, true), "compared"]);
  if (data.runs.length) runNames().forEach((run, i) => entries.push([swatch(lookOf(i)), shortened(run, 60)]));
  byId("front-legend").replaceChildren(...entries.map((entry) => element("li", {}, ...entry)));
}

function showKind(kind) {
  front.kind = kind;
  note("front-note", frontNote() + lostText());
  for (const each of byId("front-tools").querySelectorAll("[data-kind]")) {
    each.setAttribute("aria-pressed", String(each.dataset.kind === kind));
  }
  redraw("front-figure");
}

function pressFront(hit, event) {
  const solution = front.kind === "parallel" ? nearestLine(byId("front-figure"), event) : hit?.value;
  if (Number.isInteger(solution)) press(solution, event);
}

function showFront() {
  const nObjectives = data.objectives.length;
  if (!nObjectives) {
    byId("front").hidden = true;
    return;
  }
  front.kind = ["ranked", "scatter"][nObjectives - 1] ?? "parallel";
  if (nObjectives > 2) {
    const kinds = { parallel: "Parallel coordinates", matrix: "Scatter matrix" };
    byId("front-tools").append(
      element("div", { role: "group", class: "toggle", "aria-label": "Kind of figure" },
        ...Object.entries(kinds).map(([kind, name]) => button(name, () => showKind(kind), { "data-kind": kind }))),
    );
  }
  addFigure("front-figure", "front", frontFigure, pressFront);
  showKind(front.kind);
  frontLegend();
  follow(["selected", "compared"], () => {
    frontLegend();
    redraw("front-figure");
  });
}
