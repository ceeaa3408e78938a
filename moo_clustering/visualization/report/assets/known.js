// Columns that the fit did not use: the share of every value in every cluster of the selected solution.

function knownTable({ name, values, codes }) {
  const { rows, columns, counts } = crossed(storedLabels(state.selected), codes);
  const shown = columns.filter((value) => value >= 0);
  const valueName = (value) => shortened(values[value], 40);
  const row = (cluster, i) => {
    const inCluster = total(counts[i]);
    return element("tr", {},
      element("th", { scope: "row" }, swatch(lookOf(ownPlace(cluster))), " ", shortened(clusterName(state.selected, cluster), 60)),
      ...columns.map((value, j) => {
        const share = counts[i][j] / inCluster;
        const cell = element("td", { class: counts[i][j] ? "number share" : "number" }, counts[i][j] ? `${(100 * share).toFixed(0)}% (${counting.format(counts[i][j])})` : "–");
        cell.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
        return cell;
      }));
  };
  const heads = ["cluster", ...columns.map((value) => (value < 0 ? "empty" : valueName(value)))];
  return shown.length ? element("div", { class: "known" },
    element("h3", {}, shortened(name, 80)),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Clusters by ${name}` },
      element("table", {},
        element("thead", {}, element("tr", {}, ...heads.map((head, j) => element("th", { scope: "col", class: j ? "number" : "" }, head)))),
        element("tbody", {}, ...rows.map(row))))) : "";
}

function showKnown() {
  const columns = data.leftOut.filter(({ values, codes }) => codes.some((code) => code > 0) && values.length);
  if (!columns.length) return;
  byId("known").hidden = false;
  note("known-note", `These columns had no influence on the clusters. Each row shows, for one cluster, the share and the number of its ${data.sampleKind}s with each value of the column.`);
  const show = () => byId("known-tables").replaceChildren(...columns.map(knownTable));
  follow(["selected"], show);
  show();
}
