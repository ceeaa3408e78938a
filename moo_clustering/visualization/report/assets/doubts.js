// Doubtful samples of the chosen solution, grouped by their own and the other cluster.

function showDoubts() {
  if (!data.doubts.length) return;
  byId("doubts").hidden = false;
  const pairs = new Map();
  for (const doubt of data.doubts) {
    const key = `${Math.min(doubt[1], doubt[2])} ${Math.max(doubt[1], doubt[2])}`;
    pairs.set(key, [...(pairs.get(key) ?? []), doubt]);
  }
  const percent = (share) => `${(100 * share).toFixed(0)}%`;
  const named = (cluster) => [swatch(lookOf(cluster)), " ", shortened(clusterName(data.chosen, cluster), 60)];
  const row = ([sample, cluster, other, support, otherSupport]) => {
    const name = shortened(data.sampleNames[sample], 80);
    const text = data.sampleTexts?.[sample];
    return element("tr", { role: "row", "data-sample": sample },
      element("th", { scope: "row", role: "rowheader" },
        data.map ? button(name, () => pointOut(sample), { class: "sample" }) : name,
        ...(text ? [element("span", { class: "text beside" }, shortened(text, 120))] : [])),
      ...[named(cluster), [percent(support)], named(other), [percent(otherSupport)]].map((content, i) =>
        element("td", { role: "cell", class: i % 2 ? "number" : "", "data-title": heads[i + 1] }, ...content)));
  };
  const group = (key) => {
    const [a, b] = key.split(" ").map(Number);
    const title = `Between ${shortened(clusterName(data.chosen, a), 40)} and ${shortened(clusterName(data.chosen, b), 40)}: ${count(pairs.get(key).length, data.sampleKind)}`;
    return element("tbody", { role: "rowgroup" },
      element("tr", { role: "row" }, element("th", { colspan: 5, scope: "colgroup", role: "rowheader", class: "pair-title" }, title)),
      ...pairs.get(key).map(row));
  };
  const heads = [data.sampleKind, "cluster", "support", "other cluster", "its support"];
  const omitted = sizesOf(data.chosen)[0] ? ` The ${data.sampleKind}s in no cluster are not listed.` : "";
  note("doubts-note", `These are the most doubtful ${data.sampleKind}s of the chosen solution: another cluster has more support than their own cluster. The support of a cluster is the share of the partitions in the method's pool that join the ${data.sampleKind} with the cluster.${omitted}`);
  const show = () => byId("doubts-table").replaceChildren(
    element("table", { role: "table", class: "stacking" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads.map((head, i) => element("th", { scope: "col", role: "columnheader", class: i === 2 || i === 4 ? "number" : "" }, head)))),
      ...[...pairs.keys()].map(group)));
  follow(["selected"], show); // Renaming also triggers this event.
  show();
  const line = data.lines.find(([, code]) => / ask /.test(code));
  if (byId("ask")) byId("doubts-tools").append(button("Answer the questions", () => document.querySelector("#ask-title").focus()));
  else if (line) byId("doubts-tools").append(element("code", {}, line[1]), copyButton(line[1]));
}
