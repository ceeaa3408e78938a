// Figures as SVG: points, lines, bars and matrices on linear axes, with a tooltip and a zoom.
//
// A figure is {data, layout}: traces of type "scatter", "bar" or "heatmap" on the axes `xaxis`, `yaxis`, `xaxis2`,
// ... of its layout. Colours are variables of the page's style, so that a figure follows its theme. Pictures for
// print use the light theme.

const LETTER = 6.6; // mean width of a letter in pixels
const LINE_HEIGHT = 15;
const NEAR = 20; // largest distance in pixels from the pointer to the point that it selects
const DASHES = { dash: "7 5", dot: "2 4", dashdot: "8 4 2 4" };
// Cividis for values of one sign, and blue to red for values of both signs.
const SEQUENTIAL = ["#00204c", "#00346e", "#273f6c", "#3c4a6b", "#4c556b", "#5b5f6d", "#686a70", "#757575", "#838178", "#928c78", "#a19876", "#b0a572", "#c0b16d", "#d1bf66", "#e1cc5c", "#f3db4f", "#ffe945"];
const DIVERGING = ["#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fddbc7", "#ef8a62", "#b2182b"];

function writing(text, x, y, attributes = {}) {
  const rows = String(text).split("\n");
  return vector("text", { x, y, fill: INK, ...attributes }, ...rows.map((row, place) => vector("tspan", { x, dy: place * LINE_HEIGHT && LINE_HEIGHT }, row)));
}

const widthOf = (text) => LETTER * Math.max(0, ...String(text).split("\n").map((row) => row.length));
const heightOf = (text) => LINE_HEIGHT * String(text).split("\n").length;

// Colours of clusters are lighter on a dark background.
const shade = (color) => (color.startsWith("#") ? `color-mix(in srgb, ${color}, white var(--lift))` : color);
const each = (given, place) => (Array.isArray(given) ? given[place] : given);

// Limits of an axis: from the zoom or the layout, or else from its traces, with a margin.
function endsOf(axis, traces, zoomed) {
  if (zoomed ?? axis.range) return zoomed ?? axis.range;
  let [low, high, room] = [Infinity, -Infinity, 0.04];
  for (const trace of traces) {
    const cells = trace.type === "heatmap" ? (axis.letter === "x" ? trace.z[0] : trace.z).length : axis.letter === "x" && trace.type === "bar" ? trace.x.length : 0;
    for (const value of cells ? [-0.5, cells - 0.5] : trace[axis.letter]) {
      if (value !== null && Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    if (cells) room = 0;
  }
  if (low > high) [low, high] = [0, 1];
  if (axis.rangemode === "tozero") [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  const more = room * (high - low || Math.abs(low) || 1);
  const ends = [axis.rangemode === "tozero" && low === 0 ? 0 : low - more, high + more];
  return axis.autorange === "reversed" ? ends.reverse() : ends;
}

// Positions and texts of the ticks of an axis.
function ticksOf(axis) {
  const [low, high] = [...axis.ends].sort((a, b) => a - b);
  if (axis.tickvals) return axis.tickvals.map((value, place) => [value, axis.ticktext[place]]).filter(([value]) => value >= low && value <= high);
  const rough = (high - low) / (axis.nticks ?? Math.max(2, Math.min(10, axis.length / (axis.letter === "x" ? 80 : 45))));
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10);
  if (axis.tickformat === "d") step = Math.max(1, step);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const write = (value) => (Math.max(-low, high) >= 1e6 || decimals > 5 ? number(value) : decimals ? value.toFixed(decimals).replace("-", "−") : number(value));
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high && found.length < 50; k++) {
    const value = Number((k * step).toPrecision(12));
    found.push([value, write(value)]);
  }
  return found;
}

// The legend: names and marks of the traces, in rows above the plot.
function legendOf(traces, width) {
  let [x, y] = [0, LINE_HEIGHT];
  const entries = traces.filter((trace) => trace.showlegend).map((trace) => {
    const room = widthOf(trace.name) + 38;
    if (x && x + room > width) [x, y] = [0, y + 19];
    const entry = { trace, x, y };
    x += room;
    return entry;
  });
  return { entries, height: entries.length ? y + 10 : 0 };
}

// Axes of a figure in pixels: `offset`, `length`, and conversions between numbers and pixels.
function placedAxes({ data: traces, layout }, width, height, zoom, legend) {
  const axes = new Map();
  for (const [name, given] of Object.entries(layout)) {
    const [, letter, place] = /^([xy])axis(\d*)$/.exec(name) ?? [];
    if (letter) axes.set(letter + place, { ...given, id: letter + place, letter });
  }
  for (const axis of axes.values()) {
    const own = traces.filter((trace) => (trace[`${axis.letter}axis`] ?? axis.letter) === axis.id);
    axis.ends = endsOf(axis, own, zoom[axis.matches ?? axis.id]);
    axis.length = axis.letter === "x" ? width - 80 : height - 80;
    axis.ticks = axis.showticklabels === false ? [] : ticksOf(axis);
  }
  const margin = { ...layout.margin, t: layout.margin.t + legend.height };
  if (axes.size === 2) fitMargin(margin, axes.get("x"), axes.get("y"), traces, width);
  const [across, tall] = [Math.max(40, width - margin.l - margin.r), Math.max(40, height - margin.t - margin.b)];
  for (const axis of axes.values()) {
    const [start, stop] = axis.domain ?? [0, 1];
    const isX = axis.letter === "x";
    axis.length = (stop - start) * (isX ? across : tall);
    axis.offset = isX ? margin.l + start * across : margin.t + (1 - stop) * tall;
  }
  for (const axis of axes.values()) if (axis.scaleanchor) makeSquare(axis, axes.get(axis.scaleanchor));
  for (const axis of axes.values()) {
    const [first, last] = axis.letter === "x" ? axis.ends : [...axis.ends].reverse();
    axis.l2p = (value) => ((value - first) / (last - first)) * axis.length;
    axis.p2l = (pixel) => first + (pixel / axis.length) * (last - first);
    if (axis.showticklabels !== false) axis.ticks = ticksOf(axis);
  }
  return axes;
}

// Margins for the texts beside a single plot; texts below it are rotated if they would overlap.
function fitMargin(margin, x, y, traces, width) {
  const left = Math.max(0, ...y.ticks.map(([, text]) => widthOf(text)));
  margin.l = Math.max(y.showticklabels === false ? margin.l : 20, 12 + left + (y.title?.text ? LINE_HEIGHT + 12 : 0));
  if (traces.some((trace) => trace.type === "heatmap")) margin.r += 62;
  const longest = Math.max(0, ...x.ticks.map(([, text]) => widthOf(text)));
  const spacing = (width - margin.l - margin.r) / Math.max(1, x.ticks.length);
  x.turned = x.tickangle ?? (longest + 8 > spacing ? -40 : 0);
  x.below = !x.ticks.length ? 0 : x.turned ? 0.66 * longest + 14 : Math.max(LINE_HEIGHT, ...x.ticks.map(([, text]) => heightOf(text)));
  margin.b = Math.max(x.showticklabels === false ? margin.b : 20, 12 + x.below + (x.title?.text ? LINE_HEIGHT + 8 : 0));
  if (x.turned) margin.l = Math.max(margin.l, 0.7 * widthOf(x.ticks[0]?.[1] ?? "") - 8);
}

// Equal scales of both axes, centred in the available space.
function makeSquare(first, second) {
  const span = (axis) => Math.abs(axis.ends[1] - axis.ends[0]);
  const unit = Math.min(first.length / span(first), second.length / span(second));
  for (const axis of [first, second]) {
    const length = unit * span(axis);
    axis.offset += axis.letter === "x" ? (axis.length - length) / 2 : 0;
    axis.length = length;
  }
}

const axesOf = (axes, trace) => [axes.get(trace.xaxis ?? "x"), axes.get(trace.yaxis ?? "y")];

function axisShapes(axis, other) {
  const isX = axis.letter === "x";
  const base = isX ? other.offset + other.length : other.offset;
  // A line from pixel `from` to `to` across the axis, at `along` on it.
  const line = (along, from, to, color) => vector("line", isX ? { x1: along, x2: along, y1: from, y2: to, stroke: color } : { y1: along, y2: along, x1: from, x2: to, stroke: color });
  const made = [];
  const size = axis.tickfont?.size ?? 12;
  for (const [value, text] of axis.ticks) {
    const at = axis.offset + axis.l2p(value);
    if (axis.showgrid !== false) made.push(line(at, other.offset, other.offset + other.length, GRID));
    if (axis.ticks !== "" && axis.hasTicks !== false) made.push(line(at, base, base + (isX ? 4 : -4), EDGE));
    if (isX) {
      const turned = axis.turned ? { transform: `rotate(${axis.turned} ${at} ${base + 14})`, "text-anchor": "end" } : { "text-anchor": "middle" };
      made.push(writing(text, at, base + (axis.turned ? 14 : 17), { "font-size": size, ...turned }));
    } else made.push(writing(text, base - 8, at + 4, { "text-anchor": "end", "font-size": size }));
  }
  if (axis.showline !== false) {
    const [from, to] = [axis.offset, axis.offset + axis.length];
    made.push(vector("line", isX ? { x1: from, x2: to, y1: base, y2: base, stroke: EDGE } : { y1: from, y2: to, x1: base, x2: base, stroke: EDGE }));
  }
  return made;
}

function axisTitle(axis, other) {
  const text = axis.title?.text;
  if (!text) return [];
  const middle = axis.offset + axis.length / 2;
  // Titles longer than their axis have a smaller font.
  const attributes = { "text-anchor": "middle", "font-size": axis.title.font?.size ?? Math.min(12, Math.max(9, (12 * (axis.length + 28)) / widthOf(text))) };
  if (axis.letter === "x") {
    return [writing(text, middle, other.offset + other.length + (axis.below ?? LINE_HEIGHT) + 22, attributes)];
  }
  const across = Math.max(LINE_HEIGHT - 2, other.offset - 16 - Math.max(0, ...axis.ticks.map(([, tick]) => widthOf(tick))) - heightOf(text) + LINE_HEIGHT);
  return [writing(text, across, middle, { ...attributes, transform: `rotate(-90 ${across} ${middle})` })];
}

function marker(look, place, x, y, scale = 1) {
  const symbol = each(look.symbol ?? "circle", place);
  const isOpen = symbol.endsWith("-open");
  const own = each(look.color, place);
  const [edge, thick] = isOpen ? [shade(own), look.line?.width ?? 2] : [edgeOf(own), 0.7];
  const factor = (scale * (look.size ?? 6)) / 9.6;
  return vector("path", {
    class: "point", d: SHAPES[symbol.replace("-open", "")], transform: `translate(${(x - 6 * factor).toFixed(2)} ${(y - 6 * factor).toFixed(2)}) scale(${factor.toFixed(3)})`,
    fill: isOpen ? "none" : shade(own), stroke: edge, "stroke-width": (thick / factor).toFixed(2), opacity: look.opacity ?? 1,
  });
}

function strokeOf(line) {
  return { fill: "none", stroke: shade(line.color), "stroke-width": line.width ?? 2, "stroke-linejoin": "round", "stroke-dasharray": DASHES[line.dash] ?? null };
}

function pixelsOf(trace, x, y) {
  return Array.from(trace.x, (value, place) => {
    const other = trace.y[place];
    const isShown = value !== null && other !== null && Number.isFinite(value) && Number.isFinite(other);
    return isShown ? [x.offset + x.l2p(value), y.offset + y.l2p(other)] : null;
  });
}

// Rings of one area as a path.
function outline(rings, x, y) {
  const at = ([u, v]) => `${(x.offset + x.l2p(u)).toFixed(1)} ${(y.offset + y.l2p(v)).toFixed(1)}`;
  return rings.map((ring) => `M${ring.map(at).join("L")}Z`).join("");
}

// Whether a position is inside an area: a ray to the right crosses an odd number of edges.
function isInside(rings, u, v) {
  let inside = false;
  for (const ring of rings) {
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [[a, b], [c, d]] = [ring[i], ring[j]];
      if (b > v !== d > v && u < ((c - a) * (v - b)) / (d - b) + a) inside = !inside;
    }
  }
  return inside;
}

function areaShapes(trace, x, y) {
  return trace.rings.map((rings, place) => {
    const color = each(trace.marker.color, place);
    return vector("path", { class: "area", d: outline(rings, x, y), fill: shade(color), "fill-rule": "evenodd", stroke: edgeOf(color), "stroke-width": 0.5, opacity: trace.marker.opacity });
  });
}

function scatterShapes(trace, x, y) {
  if (trace.rings) return areaShapes(trace, x, y);
  const places = pixelsOf(trace, x, y);
  const made = [];
  if (trace.mode.includes("lines")) {
    const d = places.map((at, place) => (at ? `${places[place - 1] ? "L" : "M"}${at[0].toFixed(1)} ${at[1].toFixed(1)}` : "")).join("");
    made.push(vector("path", { class: "line", d, ...strokeOf(trace.line) }));
  }
  if (trace.mode.includes("markers")) {
    const look = { color: trace.line?.color, ...trace.marker };
    places.forEach((at, place) => at && made.push(marker(look, place, ...at)));
  }
  return made;
}

// Shorten texts to two lines. If shortened texts would be equal, words that all texts contain are removed first.
function labelTexts(texts, length) {
  const folded = (text) => {
    const parts = text.split(", ");
    return text.length <= length ? text : parts.length === 2 ? parts.map((part) => shortened(part, length)).join(",\n") : lines(text, length, 2);
  };
  const short = texts.map(folded);
  if (new Set(short).size === texts.length) return short;
  const inAll = texts.map((text) => new Set(text.split(/[ ,]+/))).reduce((a, b) => new Set([...a].filter((word) => b.has(word))));
  return texts.map((text) => folded(text.split(" ").filter((word) => !inAll.has(word.replace(",", ""))).join(" ") || text));
}

// Place texts near their positions, over few points, so that they neither overlap nor leave the plot. Texts without room
// are shortened, or omitted. A covered point costs as much as a distance of 6 pixels, up to 90.
function labelShapes(trace, x, y) {
  const [boxes, made, texts] = [[], [], labelTexts(trace.text, x.length < 420 ? 14 : 24)];
  const points = pixelsOf(trace.points, x, y).filter(Boolean);
  const placed = (text, at) => {
    const [wide, tall] = [0.55 * widthOf(text) + 2, heightOf(text) / 2 + 2];
    let best = { text, cost: Infinity };
    for (let step = 0; step < 109; step++) {
      const [turn, far] = [(step % 12) * (Math.PI / 6), 12 * Math.ceil(step / 12)];
      const across = Math.min(x.offset + x.length - wide, Math.max(x.offset + wide, at[0] + 1.6 * far * Math.cos(turn)));
      const down = Math.min(y.offset + y.length - tall, Math.max(y.offset + tall, at[1] + far * Math.sin(turn)));
      if (boxes.some((box) => Math.abs(box.across - across) < box.wide + wide && Math.abs(box.down - down) < box.tall + tall)) continue;
      const covered = points.filter(([left, top]) => Math.abs(left - across) < wide && Math.abs(top - down) < tall).length;
      const distance = Math.hypot(across - at[0], down - at[1]);
      const cost = distance + Math.min(90, 6 * covered);
      if (cost < best.cost) best = { text, cost, distance, across, down, wide, tall };
    }
    return best;
  };
  pixelsOf(trace, x, y).forEach((at, place) => {
    if (!at || at[0] < x.offset || at[0] > x.offset + x.length || at[1] < y.offset || at[1] > y.offset + y.length) return;
    const short = shortened(plain(texts[place]), 14);
    const [box] = [texts[place], short].map((text) => placed(text, at)).filter(({ text, cost }) => cost < Infinity && !boxes.some((other) => other.text === text));
    if (!box) return;
    boxes.push(box);
    if (box.distance > 20) made.push(vector("line", { x1: at[0], y1: at[1], x2: box.across, y2: box.down, stroke: EDGE }));
    made.push(writing(box.text, box.across, box.down - box.tall + LINE_HEIGHT - 1, { class: "map-label", "text-anchor": "middle" }));
  });
  return made.sort((a, b) => (a.tagName === "line" ? 0 : 1) - (b.tagName === "line" ? 0 : 1));
}

function barShapes(trace, x, y) {
  const zero = y.offset + y.l2p(Math.max(y.ends[0], 0));
  return trace.x.map((value, place) => {
    const top = y.offset + y.l2p(Number(trace.y[place]));
    const [left, right] = [x.offset + x.l2p(value - 0.38), x.offset + x.l2p(value + 0.38)];
    return vector("rect", { x: left, width: right - left, y: Math.min(top, zero), height: Math.abs(zero - top) || 0, fill: shade(trace.marker.color) });
  });
}

// A picture with one pixel per number.
function pixelPicture(rows, { zmin, zmax, colors }) {
  const canvas = element("canvas", { width: rows[0].length, height: rows.length });
  const drawing = canvas.getContext("2d");
  const channels = colors.map((color) => [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16)));
  const image = drawing.createImageData(canvas.width, canvas.height);
  rows.forEach((row, i) => row.forEach((value, j) => {
    if (!Number.isFinite(value)) return;
    const share = Math.min(1, Math.max(0, (value - zmin) / (zmax - zmin || 1))) * (colors.length - 1);
    const [left, part] = [Math.floor(share), share % 1];
    const mixed = channels[left].map((channel, k) => channel + part * ((channels[left + 1] ?? channels[left])[k] - channel));
    image.data.set([...mixed.map(Math.round), 255], 4 * (i * canvas.width + j));
  }));
  drawing.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function matrixShapes(trace, x, y) {
  // Rows are in screen order: the first row is at the top of a reversed axis.
  const rows = y.ends[0] > y.ends[1] ? trace.z : [...trace.z].reverse();
  const [left, right] = [-0.5, trace.z[0].length - 0.5].map((value) => x.offset + x.l2p(value));
  const [top, bottom] = [-0.5, trace.z.length - 0.5].map((value) => y.offset + y.l2p(value)).sort((a, b) => a - b);
  const box = { preserveAspectRatio: "none", style: "image-rendering: pixelated" };
  return [vector("image", { href: pixelPicture(rows, trace), x: left, y: top, width: right - left, height: bottom - top, ...box })];
}

function colorBar(trace, x, y) {
  const levels = Array.from({ length: 64 }, (_, place) => [trace.zmin + ((63 - place) / 63) * (trace.zmax - trace.zmin)]);
  const left = x.offset + x.length + 14;
  const axis = { letter: "y", ends: [trace.zmin, trace.zmax], length: y.length, nticks: 5 };
  const at = (value) => y.offset + y.length * (1 - (value - trace.zmin) / (trace.zmax - trace.zmin || 1));
  return [
    vector("image", { href: pixelPicture(levels, trace), x: left, y: y.offset, width: 14, height: y.length, preserveAspectRatio: "none" }),
    ...ticksOf(axis).map(([value, text]) => writing(text, left + 19, at(value) + 4)),
    ...(trace.scale ? [writing(trace.scale, left, y.offset - 12)] : []),
  ];
}

const SHAPES_OF = { scatter: scatterShapes, labels: labelShapes, bar: barShapes, heatmap: matrixShapes };

function annotationShape(note, axes, layout) {
  const [x, y] = [axes.get("x"), axes.get("y")];
  const all = [...axes.values()];
  const reach = (letter) => all.filter((axis) => axis.letter === letter).map((axis) => [axis.offset, axis.offset + axis.length]);
  const [lefts, tops] = [reach("x"), reach("y")];
  const across = note.xref === "paper" ? Math.min(...lefts.map(([low]) => low)) + note.x * (Math.max(...lefts.map(([, high]) => high)) - Math.min(...lefts.map(([low]) => low))) : x.offset + x.l2p(note.x);
  const [top, bottom] = [Math.min(...tops.map(([low]) => low)), Math.max(...tops.map(([, high]) => high))];
  const down = note.yref === "paper" ? bottom - note.y * (bottom - top) - 6 : y.offset + y.l2p(note.y) - (note.yshift ?? 0) + 4;
  const anchor = note.xanchor === "left" ? "start" : "middle";
  return writing(note.text, across, down, { class: "annotation", "text-anchor": anchor, "font-size": note.font?.size ?? 12, "font-weight": note.font?.weight ?? 400, fill: note.font?.color ?? INK });
}

function legendShapes({ entries }, left) {
  return entries.flatMap(({ trace, x, y }) => [
    ...(trace.mode?.includes("lines") ? [vector("path", { d: `M${left + x} ${y}h20`, ...strokeOf(trace.line) })] : []),
    ...(trace.mode?.includes("markers") ? [marker({ color: trace.line?.color, ...trace.marker, size: 9, opacity: 1, ...trace.legendMarker }, 0, left + x + 10, y)] : []),
    writing(trace.name, left + x + 26, y + 4),
  ]);
}

// The drawing of a figure, and its axes.
function drawing(built, { name, width, height, zoom = {}, legend: wantsLegend = built.layout.showlegend }) {
  const { data: traces, layout } = built;
  const legend = legendOf(wantsLegend ? traces : [], width - 40);
  const axes = placedAxes(built, width, height, zoom, legend);
  const svg = vector("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name, "font-family": FONT, "font-size": 12 });
  const rooms = new Map(traces.map((trace) => [`${trace.xaxis ?? "x"}-${trace.yaxis ?? "y"}`, axesOf(axes, trace)]));
  if (!rooms.size) rooms.set("x-y", [axes.get("x"), axes.get("y")]);
  const clips = new Map();
  for (const [key, [x, y]] of rooms) {
    const id = `${fileName(name)}-${key}`;
    svg.append(vector("clipPath", { id }, vector("rect", { x: x.offset - 10, y: y.offset - 10, width: x.length + 20, height: y.length + 20 })));
    clips.set(key, id);
    svg.append(...axisShapes(x, y), ...axisShapes(y, x), ...axisTitle(x, y), ...axisTitle(y, x));
  }
  for (const { x0, y0, x1, y1, line } of layout.shapes ?? []) {
    const [x, y] = [axes.get("x"), axes.get("y")];
    svg.append(vector("line", { x1: x.offset + x.l2p(x0), x2: x.offset + x.l2p(x1), y1: y.offset + y.l2p(y0), y2: y.offset + y.l2p(y1), stroke: line.color }));
  }
  for (const trace of traces) {
    const [x, y] = axesOf(axes, trace);
    const clip = `url(#${clips.get(`${trace.xaxis ?? "x"}-${trace.yaxis ?? "y"}`)})`;
    svg.append(vector("g", { class: "trace", "clip-path": clip, opacity: trace.opacity ?? null }, ...SHAPES_OF[trace.type](trace, x, y)));
    if (trace.type === "heatmap") svg.append(...colorBar(trace, x, y));
  }
  svg.append(...(layout.annotations ?? []).map((note) => annotationShape(note, axes, layout)), ...legendShapes(legend, 20));
  return { svg, axes };
}

// The mark at a position of a figure: its trace, its index in the trace, and a text.
function hitAt({ traces, axes }, left, top) {
  let [found, least] = [null, NEAR];
  for (const trace of traces) {
    const [x, y] = axesOf(axes, trace);
    const [across, down] = [left - x.offset, top - y.offset];
    if (trace.hoverinfo === "skip" || across < -NEAR || down < -NEAR || across > x.length + NEAR || down > y.length + NEAR) continue;
    const [column, row] = [Math.round(x.p2l(across)), Math.round(y.p2l(down))];
    if (trace.rings) {
      const place = trace.rings.findIndex((rings) => isInside(rings, x.p2l(across), y.p2l(down)));
      if (place >= 0) return { trace, x: trace.x[place], y: trace.y[place], value: trace.customdata[place], text: trace.text[place] };
    } else if (trace.type === "heatmap") {
      if (trace.z[row]?.[column] !== undefined) found = { trace, x: column, y: row, text: trace.tell(column, row) };
    } else if (trace.type === "bar") {
      if (trace.text[column] !== undefined) found = { trace, x: column, text: trace.text[column] };
    } else {
      pixelsOf(trace, x, y).forEach((at, place) => {
        const distance = at ? Math.hypot(at[0] - left, at[1] - top) : Infinity;
        if (distance > least) return;
        least = distance;
        const text = trace.text ? trace.text[place] : `${trace.name}\n${number(trace.x[place])}, ${number(trace.y[place])}`;
        found = { trace, x: trace.x[place], y: trace.y[place], value: trace.customdata?.[place], text, at };
      });
    }
  }
  return found;
}

// The two axes of the plot that contains a position.
function roomAt({ traces, axes }, left, top) {
  const inside = (axis, pixel) => pixel >= axis.offset && pixel <= axis.offset + axis.length;
  return traces.map((trace) => axesOf(axes, trace)).find(([x, y]) => inside(x, left) && inside(y, top));
}
