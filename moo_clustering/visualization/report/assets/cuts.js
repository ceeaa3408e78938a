// Alternative solutions (cuts) by number of clusters: their clusters, and the samples that clusters have in common.

const CUT = { height: 300, bar: 12, gap: 6, top: 30 };

// Clusters of a cut from top to bottom, ordered by the mean position of their samples in the previous cut.
function cutNodes(solution, before) {
  const sizes = sizesOf(solution);
  const clusters = clustersOf(sizes);
  const middle = new Map();
  if (before) {
    const heights = new Map(before.nodes.map((node) => [node.cluster, node.top + node.height / 2]));
    const { rows, columns, counts } = contingency(solution, before.solution);
    rows.forEach((cluster, i) => {
      const weighted = columns.map((other, j) => counts[i][j] * heights.get(other));
      middle.set(cluster, total(weighted) / total(counts[i]));
    });
    clusters.sort((a, b) => middle.get(a) - middle.get(b));
  }
  const room = CUT.height - CUT.gap * (clusters.length - 1);
  let top = CUT.top;
  const nodes = clusters.map((cluster) => {
    const node = { cluster, top, height: Math.max(1, (room * sizes[cluster + 1]) / data.nSamples), size: sizes[cluster + 1] };
    top += node.height + CUT.gap;
    return node;
  });
  return { solution, nodes };
}

function flowsBetween(from, to, x, end) {
  const { rows, columns, counts } = contingency(from.solution, to.solution);
  const leaving = new Map(from.nodes.map((node) => [node.cluster, node.top]));
  const entering = new Map(to.nodes.map((node) => [node.cluster, node.top]));
  const bend = (x + end) / 2;
  const flows = [];
  for (const source of from.nodes) {
    for (const target of to.nodes) {
      const shared = counts[rows.indexOf(source.cluster)][columns.indexOf(target.cluster)];
      if (!shared) continue;
      const [out, into] = [(source.height * shared) / source.size, (target.height * shared) / target.size];
      const [a, b] = [leaving.get(source.cluster), entering.get(target.cluster)];
      leaving.set(source.cluster, a + out);
      entering.set(target.cluster, b + into);
      const path = `M${x} ${a}C${bend} ${a} ${bend} ${b} ${end} ${b}V${b + into}C${bend} ${b + into} ${bend} ${a + out} ${x} ${a + out}Z`;
      const title = `${clusterName(from.solution, source.cluster)} to ${clusterName(to.solution, target.cluster)}: ${samplesText(shared)}`;
      flows.push(vector("path", { d: path, class: "flow", fill: shade(lookOf(source.cluster).color) }, vector("title", {}, title)));
    }
  }
  return flows;
}

function cutFigure(width) {
  const cuts = [];
  for (const [solution] of data.cuts) cuts.push(cutNodes(solution, cuts.at(-1)));
  const wide = Math.max(width, 170 * cuts.length);
  const step = (wide - 175) / Math.max(1, cuts.length - 1);
  const deepest = Math.max(...cuts.map(({ nodes }) => nodes.at(-1).top + nodes.at(-1).height));
  const flows = cuts.slice(1).flatMap((cut, i) => flowsBetween(cuts[i], cut, i * step + CUT.bar, (i + 1) * step));
  const columns = cuts.map(({ solution, nodes }, i) => {
    const isSelected = solution === state.selected;
    const group = vector("g", { class: isSelected ? "cut selected" : "cut", "data-solution": solution },
      vector("text", { x: i * step, y: 16, class: "cut-title" }, count(numberOfClusters(solution), "cluster")),
      ...nodes.flatMap((node) => {
        const name = `${shortened(clusterName(solution, node.cluster), Math.min(40, Math.floor(((cuts[i + 1] ? step : 175) - 50) / LETTER)))} ${counting.format(node.size)}`;
        const bar = vector("rect", { x: i * step, y: node.top, width: CUT.bar, height: node.height, fill: shade(lookOf(node.cluster).color) },
          vector("title", {}, `${clusterName(solution, node.cluster)}: ${samplesText(node.size)}`));
        const label = vector("text", { x: i * step + CUT.bar + 4, y: node.top + node.height / 2 + 4 }, name);
        return node.height >= 13 ? [bar, label] : [bar];
      }));
    group.addEventListener("click", () => select(solution));
    return group;
  });
  const svg = vector("svg", { viewBox: `0 0 ${wide} ${deepest + 6}`, role: "img",
    "aria-label": `Clusters of ${count(cuts.length, "solution")}: ${cuts.map(({ solution }) => numberOfClusters(solution)).join(", ")}` }, ...flows, ...columns);
  svg.style.minWidth = `${170 * cuts.length}px`;
  return svg;
}

// The map of at most 400 samples in the colours of a cut, one path per cluster; dots are lines without length.
function cutThumbnail(solution) {
  if (!data.map) return [];
  const { positions, rows } = data.map;
  const places = shownPlaces();
  const some = places.filter((_, i) => i % Math.ceil(places.length / 400) === 0);
  const scaled = [82, 50].map((length, axis) => {
    const values = some.map((i) => positions[2 * i + axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return values.map((value) => (length * (value - low)) / (high - low || 1) + 3);
  });
  const labels = storedLabels(solution);
  const dots = new Map();
  some.forEach((i, at) => {
    const cluster = labels[rows[i]] - 1;
    dots.set(cluster, `${dots.get(cluster) ?? ""}M${scaled[0][at].toFixed(1)} ${(56 - scaled[1][at]).toFixed(1)}h0`);
  });
  return [vector("svg", { viewBox: "0 0 88 56", class: "thumbnail", "aria-hidden": "true" },
    ...[...dots].map(([cluster, d]) => vector("path", { d, stroke: shade(lookOf(placeOf(solution, cluster)).color) })))];
}

function cutEntry([solution, reason, against]) {
  const sizes = sizesOf(solution).slice(1).filter((size) => size).sort((a, b) => b - a);
  const shown = sizes.slice(0, 8).map((size) => counting.format(size)).join(", ") + (sizes.length > 8 ? ", …" : "");
  const name = `${count(sizes.length, "cluster")} of ${shown}`;
  const show = button("Show", () => select(solution), { "aria-pressed": String(solution === state.selected), "aria-label": `Show ${name}` });
  return element("li", {}, show, ...cutThumbnail(solution), element("span", {}, element("strong", {}, `${name}:`), ` ${reason} ${against}`));
}

// Explain what determined the choice: the score of a pool, or a rule for a front.
function decisionText() {
  const score = data.columns.find(({ name }) => name === "score")?.values;
  if (score) {
    const isBest = data.cuts.every(([solution]) => !(score[solution] > score[data.chosen]));
    return `The method ranks solutions by their score, not by the expected index. ${isBest ? "The chosen solution has the best score" : "Labels, pairs, a fixed number of clusters or a selection rule take precedence over the score"}.`;
  }
  if (!data.objectives.length) return "";
  const rules = data.rules.filter(([, solution]) => solution === data.chosen).map(([rule]) => rule);
  const by = rules.length ? ` The chosen solution is selected by the rule${rules.length > 1 ? "s" : ""} ${rules.join(" and ")}.` : "";
  return `On a front, no solution is better than another in all objectives.${by}`;
}

function showCuts() {
  if (data.cuts.length < 2) return;
  byId("cuts").hidden = false;
  const numbers = [...new Set(data.cuts.map(([solution]) => numberOfClusters(solution)))];
  note("cuts-note", `${numbers.join(" → ")} clusters. The band between two clusters contains the ${data.sampleKind}s that are in both. ${decisionText()}`.trim(), "Press Show to see a solution in the table of clusters and on the map.");
  const place = byId("cuts-figure");
  let width = 0;
  const show = () => {
    place.replaceChildren(cutFigure(width));
    byId("cuts-list").replaceChildren(...data.cuts.map(cutEntry));
  };
  const resize = () => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    place.replaceChildren(cutFigure(width));
  };
  width = place.clientWidth;
  show();
  new ResizeObserver(resize).observe(place);
  follow(["selected"], () => {
    const focused = [...byId("cuts-list").querySelectorAll("button")].indexOf(document.activeElement);
    show();
    if (focused >= 0) byId("cuts-list").querySelectorAll("button")[focused].focus();
  });
}
