// The table of the clusters of the selected solution.

function typicalSamples(facts) {
  return element("ul", { class: "typical" }, ...facts.typical.slice(0, 3).map((row) => {
    const text = data.sampleTexts?.[row];
    const name = button(shortened(data.sampleNames[row], 80), () => pointOut(row), { class: "sample", "data-sample": row });
    return element("li", {}, name, ...(text ? [element("span", { class: "text" }, shortened(text, 160))] : []));
  }));
}

function leadingFeatures(facts) {
  const greatest = Math.max(...facts.features.map(([, weight]) => Math.abs(weight ?? 0))) || 1;
  return element("ul", { class: "features" }, ...facts.features.map(([name, weight]) => {
    const bar = element("span", { class: weight < 0 ? "bar negative" : "bar", "aria-hidden": "true" });
    bar.style.width = `${(100 * Math.abs(weight ?? 0)) / greatest}%`;
    return element("li", {}, bar, element("span", { class: "feature" }, shortened(name, 60)), element("span", { class: "size" }, number(weight)));
  }));
}

function contrastsOf(facts) {
  return element("ul", { class: "contrasts" },
    ...(facts.nearest < 0 ? [] : [element("li", { class: "text" }, `compared with ${clusterName(state.selected, facts.nearest)} (in brackets):`)]),
    ...facts.contrasts.map(([column, value, other]) =>
      element("li", {}, element("span", { class: "feature" }, shortened(column, 60)), " ", element("strong", {}, value), other ? ` (${other})` : "")));
}

// Conditions stand out from the shares in brackets. Rules are sorted by the share of the cluster that they cover; all after the second are folded.
function conditionsOf(facts) {
  const list = (rules) => element("ul", { class: "conditions" }, ...rules.map((rule) => {
    const [, conditions, shares] = /^(.*) (\([^()]*\))$/.exec(rule) ?? [null, rule, ""];
    return element("li", {}, conditions, " ", element("span", { class: "text" }, shares.replace("sample", data.sampleKind)));
  }));
  const more = facts.rules.slice(2);
  if (!more.length) return list(facts.rules);
  const summary = element("summary", {}, more.length === 1 ? "1 more rule" : `${more.length} more rules`);
  return element("div", {}, list(facts.rules.slice(0, 2)), element("details", {}, summary, list(more)));
}

// On narrow screens, rows become blocks, so cells need their own titles and roles.
function cell(title, kind, content) {
  return element("td", { role: "cell", class: kind, "data-title": title }, content);
}

function clusterRow(cluster, size, facts, shows) {
  const cells = [
    element("th", { scope: "row", role: "rowheader" }, element("span", { class: "named" }, swatch(lookOf(ownPlace(cluster))), namedCell(cluster))),
    cell(`${data.sampleKind}s`, "number", counting.format(size)),
    cell("share", "number", `${((100 * size) / data.nSamples).toFixed(1)}%`),
  ];
  if (shows.contrasts) cells.push(cell(contrastsTitle(), "", facts?.contrasts?.length ? contrastsOf(facts) : "–"));
  if (shows.rules) cells.push(cell("rules", "unprinted", facts?.rules?.length ? conditionsOf(facts) : "–"));
  if (shows.silhouette) cells.push(cell("silhouette", "number unprinted", facts && facts.silhouette !== null ? facts.silhouette.toFixed(2).replace("-", "−") : "–"));
  if (shows.features) cells.push(cell(data.featuresTitle, shows.contrasts ? "unprinted" : "", facts?.features.length ? leadingFeatures(facts) : "–"));
  if (shows.typical) cells.push(cell(`typical ${data.sampleKind}s`, shows.contrasts || shows.features ? "most unprinted" : "most", facts?.typical.length ? typicalSamples(facts) : "–"));
  return element("tr", { role: "row", "data-cluster": cluster }, ...cells);
}

function contrastsTitle() {
  return data.featuresTitle.includes("terms") ? "terms, with their share of documents" : "differs in";
}

function showClusters() {
  const described = data.clusters[state.selected];
  const sizes = sizesOf(state.selected);
  const known = described ?? [];
  const shows = {
    contrasts: known.some((facts) => facts.contrasts?.length),
    rules: known.some((facts) => facts.rules?.length),
    silhouette: known.some((facts) => facts.silhouette !== null),
    features: known.some((facts) => facts.features.length),
    typical: known.some((facts) => facts.typical.length),
  };
  const heads = [["cluster", ""], [`${data.sampleKind}s`, "number"], ["share", "number"]];
  if (shows.contrasts) heads.push([contrastsTitle(), ""]);
  if (shows.rules) heads.push(["rules", "unprinted"]);
  if (shows.silhouette) heads.push(["silhouette", "number unprinted"]);
  if (shows.features) heads.push([data.featuresTitle, shows.contrasts ? "unprinted" : ""]);
  if (shows.typical) heads.push([`typical ${data.sampleKind}s`, shows.contrasts || shows.features ? "unprinted" : ""]);
  note("clusters-note", described ? "" : `Only the sizes of this solution's clusters are known. ${describedText()}`,
    described && shows.typical && data.map ? `Press ${/^[aeiou]/.test(data.sampleKind) ? "an" : "a"} ${data.sampleKind} to see it on the map.` : "");
  byId("clusters-table").replaceChildren(
    element("table", { role: "table", class: "stacking", "aria-labelledby": "clusters-title" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
        ...heads.map(([name, kind]) => element("th", { scope: "col", role: "columnheader", class: kind }, name)))),
      element("tbody", { role: "rowgroup" }, ...clustersOf(sizes).map((cluster) => clusterRow(cluster, sizes[cluster + 1], described?.[cluster], shows)))),
  );
}

function describedText() {
  const names = Object.keys(data.clusters).map((solution) => data.names[solution]);
  if (!names.length) return "No clusters were described in detail.";
  const few = names.slice(0, 6).map((name) => shortened(name, 30)).join(", ");
  return `Details are available for ${few}${names.length > 6 ? ` and ${count(names.length - 6, "other")}` : ""}.`;
}

function startClusters() {
  follow(["selected"], showClusters);
  showClusters();
}
