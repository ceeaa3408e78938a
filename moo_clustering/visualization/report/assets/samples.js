// The list of all samples with their clusters, in pages of 25.

const SAMPLES_A_PAGE = 25;
const list = { query: "", cluster: "", page: 0 };

function samplesFound() {
  const labels = storedLabels(state.selected);
  const query = list.query.toLowerCase();
  const found = [];
  for (let row = 0; row < data.nSamples; row++) {
    if (list.cluster !== "" && labels[row] - 1 !== Number(list.cluster)) continue;
    if (query && !data.sampleNames[row].toLowerCase().includes(query) && !data.sampleTexts?.[row].toLowerCase().includes(query)) continue;
    found.push(row);
  }
  return found;
}

function sampleRow(row, cluster) {
  const name = data.map
    ? button(shortened(data.sampleNames[row], 120), () => pointOut(row), { class: "sample", "aria-pressed": String(state.sample === row) })
    : shortened(data.sampleNames[row], 120);
  const cells = [
    element("th", { scope: "row", role: "rowheader" }, name),
    element("td", { class: "cluster", role: "cell" }, swatch(lookOf(ownPlace(cluster))), " ", shortened(clusterName(state.selected, cluster), 60)),
  ];
  if (data.sampleTexts) cells.push(element("td", { class: "text", role: "cell" }, shortened(data.sampleTexts[row], 240)));
  return element("tr", { role: "row", "data-sample": row }, ...cells);
}

function showSamples() {
  const found = samplesFound();
  const labels = storedLabels(state.selected);
  const nPages = Math.max(1, Math.ceil(found.length / SAMPLES_A_PAGE));
  list.page = Math.min(list.page, nPages - 1);
  const shown = found.slice(list.page * SAMPLES_A_PAGE, (list.page + 1) * SAMPLES_A_PAGE);
  const heads = [data.sampleKind, "cluster", ...(data.sampleTexts ? ["text"] : [])];
  byId("samples-table").replaceChildren(
    element("table", { role: "table", class: "stacking", "aria-labelledby": "samples-title" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads.map((name) => element("th", { scope: "col", role: "columnheader" }, name)))),
      element("tbody", { role: "rowgroup" }, ...shown.map((row) => sampleRow(row, labels[row] - 1)))),
  );
  byId("samples-count").textContent =
    found.length === data.nSamples ? samplesText(found.length) : `${counting.format(found.length)} of ${counting.format(data.nSamples)}`;
  pageButtons(byId("samples-pages"), list.page, nPages, (page) => {
    list.page = page;
    showSamples();
  });
}

function fillClusterChoice() {
  const clusters = clustersOf(sizesOf(state.selected));
  byId("samples-cluster").replaceChildren(
    element("option", { value: "" }, "all"),
    ...clusters.map((cluster) => element("option", { value: cluster }, shortened(clusterName(state.selected, cluster), 40))),
  );
  list.cluster = "";
  list.page = 0;
}

function startSamples() {
  byId("samples-search").addEventListener("input", (event) => {
    list.query = event.target.value.trim();
    list.page = 0;
    showSamples();
  });
  byId("samples-cluster").addEventListener("change", (event) => {
    list.cluster = event.target.value;
    list.page = 0;
    showSamples();
  });
  follow(["selected"], () => {
    fillClusterChoice();
    showSamples();
  });
  fillClusterChoice();
  showSamples();
}
