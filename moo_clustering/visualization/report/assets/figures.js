// Figures are drawn when they come into view, and redrawn when their data change.

const figures = new Map();

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
// Values of the page's style variables on paper.
const PRINTED = { "--paper": "#fff", "--ink": "#1f2933", "--soft": "#52606d", "--rule": "#e4e7eb", "--edge": "#9aa5b1", "--accent": "#1f5a94", "--selected": "#c2410c", "--compared": "#6d28d9", "--bad": "#b91c1c", "--lift": "0%" };

function layoutOf(own) {
  return { margin: { l: 60, r: 18, t: 14, b: 48 }, showlegend: false, zooms: true, ...own };
}

function axisOf(title, own = {}) {
  return { title: { text: plain(title) }, ...own };
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

// `build` returns {data, layout}, or null for an empty figure. `press` receives the pressed mark or null, and the event.
function addFigure(id, name, build, press = null) {
  const place = byId(id);
  const figure = { place, name, build, press, stale: true, inView: false, waiting: null, zoom: {}, kind: null };
  figures.set(id, figure);
  watcher.observe(place);
  const tools = byId(`${id.replace(/-figure$/, "")}-tools`);
  if (tools) tools.append(...pictureButtons(figure));
  listen(figure);
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

function draw(figure) {
  if (!figure.stale) return figure.place;
  figure.stale = false;
  const built = figure.build();
  figure.place.hidden = built === null;
  if (built === null) return figure.place;
  if (built.layout.height) figure.place.style.height = `${built.layout.height}px`;
  figure.place.style.maxWidth = built.maxWidth ? `${built.maxWidth}px` : "";
  if (figure.kind !== built.layout.kind) figure.zoom = {};
  figure.kind = built.layout.kind;
  paint(figure, built);
  return figure.place;
}

function paint(figure, built, [width, height] = [figure.place.clientWidth || 700, figure.place.clientHeight || 420]) {
  const { place, name, zoom } = figure;
  const { svg, axes } = drawing(built, { name, zoom, width, height });
  figure.drawn = { built, traces: built.data, axes };
  // For programs that control the page.
  place.data = built.data;
  place.layout = { ...built.layout, axes: Object.fromEntries(axes) };
  place.querySelector("svg")?.remove();
  place.prepend(svg);
}

async function drawn(id) {
  const figure = figures.get(id);
  if (figure.waiting) await figure.waiting;
  return draw(figure);
}

// The tooltip, presses, and a zoom to the box that is dragged with a mouse.
function listen(figure) {
  const { place } = figure;
  const [tip, box] = [element("div", { class: "tip", "aria-hidden": "true" }), element("div", { class: "zoom-box" })];
  const at = (event) => {
    const around = place.getBoundingClientRect();
    return [event.clientX - around.left, event.clientY - around.top];
  };
  let start = null;
  let wasDragged = false;
  place.addEventListener("pointerdown", (event) => {
    wasDragged = false;
    start = event.pointerType === "mouse" && event.button === 0 && figure.drawn?.built.layout.zooms ? at(event) : null;
    if (start) place.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointermove", (event) => {
    if (!figure.drawn) return;
    const now = at(event);
    tip.remove();
    if (start && Math.hypot(now[0] - start[0], now[1] - start[1]) > 5) {
      wasDragged = true;
      const [left, top] = [Math.min(start[0], now[0]), Math.min(start[1], now[1])];
      Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${Math.abs(now[0] - start[0])}px`, height: `${Math.abs(now[1] - start[1])}px` });
      place.append(box);
    } else if (!start) showTip(place, tip, hitAt(figure.drawn, ...now), now);
  });
  place.addEventListener("pointerleave", () => tip.remove());
  place.addEventListener("pointerup", (event) => {
    const from = start;
    start = null;
    box.remove();
    if (from && wasDragged) zoomTo(figure, from, at(event));
  });
  place.addEventListener("click", (event) => {
    if (figure.drawn && !wasDragged) figure.press?.(hitAt(figure.drawn, ...at(event)), event);
  });
  place.addEventListener("dblclick", () => {
    figure.zoom = {};
    if (figure.drawn) paint(figure, figure.drawn.built);
  });
}

function showTip(place, tip, hit, [left, top]) {
  if (!hit) return;
  tip.textContent = hit.text;
  place.append(tip);
  const [x, y] = hit.at ?? [left, top];
  tip.style.left = `${Math.max(0, Math.min(x + 12, place.clientWidth - tip.offsetWidth))}px`;
  tip.style.top = `${y + 14 + tip.offsetHeight > place.clientHeight ? y - tip.offsetHeight - 10 : y + 14}px`;
}

function zoomTo(figure, from, to) {
  const room = roomAt(figure.drawn, ...from);
  if (!room) return;
  room.forEach((axis, k) => {
    const [low, high] = [from[k], to[k]].sort((a, b) => a - b).map((pixel) => axis.p2l(Math.min(axis.length, Math.max(0, pixel - axis.offset))));
    const ends = [Math.min(low, high), Math.max(low, high)];
    if (ends[0] < ends[1]) figure.zoom[axis.matches ?? axis.id] = axis.ends[0] > axis.ends[1] ? ends.reverse() : ends;
  });
  paint(figure, figure.drawn.built);
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

// The legend on the page is not part of the drawing, so a picture has its own.
async function savePicture(figure, format) {
  const built = figure.build();
  const width = Math.max(figure.place.clientWidth, 700);
  const height = Math.max(figure.place.clientHeight, 420);
  const { svg } = drawing(built, { name: figure.name, width, height, zoom: figure.zoom, legend: true });
  svg.prepend(vector("rect", { width, height, fill: "#fff" }));
  const text = new XMLSerializer().serializeToString(svg)
    .replace(/var\((--[a-z]+)\)/g, (_, name) => PRINTED[name])
    .replace(/color-mix\(in srgb, (#\w+), white 0%\)/g, "$1");
  const name = `${fileName(`${data.title} ${figure.name}`)}.${format}`;
  if (format === "svg") return saveFile(name, "image/svg+xml", text);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = element("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  return saveFile(name, "image/png", await new Promise((resolve) => canvas.toBlob(resolve)));
}

// The layout of some figures depends on their width.
let settling = null;
window.addEventListener("resize", () => {
  clearTimeout(settling);
  settling = setTimeout(() => figures.forEach((_, id) => redraw(id)), 200);
});

const folds = () => document.querySelectorAll(".long details");
window.addEventListener("beforeprint", () => {
  figures.forEach((figure) => draw(figure));
  const plane = figures.get("map-figure");
  // The map fills the rest of the page. It is drawn at its printed size, so its labels are legible.
  const height = Math.max(140, 330 - 24 * document.querySelectorAll("#clusters-table tbody tr").length);
  if (plane?.drawn) paint(plane, plane.drawn.built, [700, height]);
  for (const fold of folds()) [fold.dataset.folded, fold.open] = [fold.open ? "" : "folded", true];
});
window.addEventListener("afterprint", () => {
  if (figures.has("map-figure")) redraw("map-figure");
  for (const fold of folds()) fold.open = !fold.dataset.folded;
});
