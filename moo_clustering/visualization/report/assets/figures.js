// Figures: drawn when they come into view, drawn again when what they show has changed.

const figures = new Map();

const CONFIG = {
  responsive: true,
  displayModeBar: false,
  showTips: false,
};
const FONT = { family: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif', size: 12, color: INK };
const GRID = "#e4e7eb";

function layoutOf(own) {
  // Dragging on a touch screen is for scrolling.
  const dragmode = matchMedia("(pointer: coarse)").matches ? false : "zoom";
  return {
    font: FONT,
    margin: { l: 60, r: 18, t: 14, b: 48 },
    paper_bgcolor: "#fff",
    plot_bgcolor: "#fff",
    hovermode: "closest",
    hoverlabel: { align: "left", bgcolor: "#fff", bordercolor: "#9aa5b1", font: { ...FONT, size: 12 } },
    showlegend: false,
    dragmode,
    ...own,
  };
}

function axisOf(title, own = {}) {
  return {
    title: { text: plain(title), standoff: 10 },
    type: "linear",
    gridcolor: GRID,
    zeroline: false,
    linecolor: "#9aa5b1",
    ticks: "outside",
    ticklen: 4,
    tickcolor: "#9aa5b1",
    automargin: true,
    ...own,
  };
}

const hasWebGL = (() => {
  let known = null;
  return () => {
    if (known === null) {
      const canvas = document.createElement("canvas");
      known = Boolean(canvas.getContext("webgl2") ?? canvas.getContext("webgl"));
    }
    return known;
  };
})();

// Few points stay vector graphics; many are drawn by the graphics card where there is one.
function scatterType(nPoints) {
  return nPoints > 2000 && hasWebGL() ? "scattergl" : "scatter";
}

const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const figure = figures.get(entry.target.id);
      figure.inView = entry.isIntersecting;
      if (figure.inView) drawSoon(figure);
    }
  },
  { rootMargin: "150px" },
);

// `build` gives {data, layout} or null for nothing to draw; `prepare` gets the element once.
function addFigure(id, name, build, prepare = () => {}) {
  const place = byId(id);
  const figure = { place, name, build, prepare, stale: true, inView: false, waiting: null };
  figures.set(id, figure);
  watcher.observe(place);
  const tools = byId(`${id.replace(/-figure$/, "")}-tools`);
  if (tools) tools.append(...pictureButtons(figure));
  return figure;
}

function redraw(id) {
  const figure = figures.get(id);
  figure.stale = true;
  if (figure.inView) drawSoon(figure);
}

function drawSoon(figure) {
  if (!figure.stale || figure.waiting) return;
  figure.waiting = new Promise((resolve) => requestAnimationFrame(resolve)).then(() => {
    figure.waiting = null;
    return draw(figure);
  });
}

async function draw(figure) {
  if (!figure.stale) return figure.place;
  figure.stale = false;
  const built = figure.build();
  figure.place.hidden = built === null;
  if (built === null) return figure.place;
  if (built.layout.height) figure.place.style.height = `${built.layout.height}px`;
  figure.place.style.maxWidth = built.maxWidth ? `${built.maxWidth}px` : "";
  await Plotly.react(figure.place, built.data, built.layout, { ...CONFIG, ...built.config });
  if (figure.prepare) {
    figure.prepare(figure.place);
    figure.prepare = null;
  }
  return figure.place;
}

async function drawn(id) {
  const figure = figures.get(id);
  if (figure.waiting) await figure.waiting;
  return draw(figure);
}

function pictureButtons(figure) {
  return ["png", "svg"].map((format) =>
    button(format.toUpperCase(), () => savePicture(figure, format), {
      class: "picture",
      "aria-label": `Download ${figure.name} as ${format.toUpperCase()}`,
      title: `Download as ${format.toUpperCase()}`,
    }),
  );
}

function savePicture(figure, format) {
  const { data: traces, layout } = figure.build();
  const width = Math.max(figure.place.clientWidth, 700);
  const height = Math.max(figure.place.clientHeight, 420);
  // The legend on the page is not part of the picture, so plotly draws its own.
  const whole = { ...layout, width, height, showlegend: traces.some((trace) => trace.showlegend) };
  return Plotly.downloadImage(
    { data: traces, layout: whole, config: CONFIG },
    { format, width, height, scale: format === "png" ? 2 : 1, filename: fileName(`${data.title} ${figure.name}`) },
  );
}

// Presses on points whose `customdata` is a solution.
function pressable(place) {
  place.on("plotly_click", ({ points, event }) => {
    const solution = points[0].customdata;
    if (Number.isInteger(solution)) press(solution, event);
  });
}

// Some figures are laid out by the width they have.
let settling = null;
window.addEventListener("resize", () => {
  clearTimeout(settling);
  settling = setTimeout(() => figures.forEach((_, id) => redraw(id)), 200);
});

window.addEventListener("beforeprint", () => figures.forEach((figure) => draw(figure)));
