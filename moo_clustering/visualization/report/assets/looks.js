// Colours and markers of clusters, the same as in the package's other plots.

const NO_CLUSTER = { color: "#7b8794", symbol: "x" };
const SELECTED = "#c2410c";
const COMPARED = "#6d28d9";
const INK = "#1f2933";

const SHAPES = {
  circle: "M6 1.2a4.8 4.8 0 1 0 .01 0z",
  square: "M1.6 1.6h8.8v8.8H1.6z",
  "triangle-up": "M6 1 11.2 10.4H.8z",
  diamond: "M6 .4 11.6 6 6 11.6.4 6z",
  "triangle-down": "M6 11 .8 1.6h10.4z",
  cross: "M4.2 1h3.6v3.2H11v3.6H7.8V11H4.2V7.8H1V4.2h3.2z",
  "triangle-left": "M1 6 10.4.8v10.4z",
  "triangle-right": "M11 6 1.6 11.2V.8z",
  x: "M2.9 1 6 4.1 9.1 1 11 2.9 7.9 6 11 9.1 9.1 11 6 7.9 2.9 11 1 9.1 4.1 6 1 2.9z",
  star: "M6 .5 7.6 4.3l4.1.3-3.1 2.7 1 4L6 9.1l-3.6 2.2 1-4L.3 4.6l4.1-.3z",
};

function lookOf(cluster) {
  return cluster < 0 ? NO_CLUSTER : data.looks[cluster % data.looks.length];
}

// Places in the looks of clusters that keep theirs while they are numbered anew.
const lookPlaces = new Map();

function placeOf(solution, cluster) {
  return cluster < 0 ? cluster : (lookPlaces.get(solution)?.[cluster] ?? cluster);
}

// A small drawing of a marker; `open` ones are only outlined.
function swatch(look, open = false) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("viewBox", "-1 -1 14 14");
  drawing.setAttribute("class", "swatch");
  drawing.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(space, "path");
  shape.setAttribute("d", SHAPES[look.symbol]);
  shape.setAttribute("fill", open ? "none" : look.color);
  shape.setAttribute("stroke", look.color);
  shape.setAttribute("stroke-width", open ? 2 : 0);
  drawing.append(shape);
  return drawing;
}
