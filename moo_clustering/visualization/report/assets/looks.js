// Colours and markers of clusters, the same as in the package's other plots.

const NO_CLUSTER = { color: "#7b8794", symbol: "x" };
const SELECTED = "var(--selected)";
const COMPARED = "var(--compared)";
const INK = "var(--ink)";
const GRID = "var(--rule)";
const EDGE = "var(--edge)";

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

// Indices of the looks of clusters that keep their look when they are renumbered.
const lookPlaces = new Map();

function placeOf(solution, cluster) {
  return cluster < 0 ? cluster : (lookPlaces.get(solution)?.[cluster] ?? cluster);
}

// A darker edge distinguishes light colours from white.
const EDGE_SHARE = 0.6;

function edgeOf(color) {
  if (!color.startsWith("#")) return color;
  const channels = [1, 3, 5].map((start) => Math.round(EDGE_SHARE * parseInt(color.slice(start, start + 2), 16)));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

// A small drawing of a marker; `open` markers are only outlined.
function swatch(look, open = false) {
  const color = shade(look.color);
  const shape = vector("path", { d: SHAPES[look.symbol], fill: open ? "none" : color, stroke: open ? color : edgeOf(look.color), "stroke-width": open ? 2 : 1 });
  return vector("svg", { viewBox: "-1 -1 14 14", class: "swatch", "aria-hidden": "true" }, shape);
}
