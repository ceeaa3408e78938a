// Limits of the clusters, and their violations by the selected solution.

function limitRow({ name, requirement, violations }) {
  const value = violations[state.selected];
  const holds = Number.isNaN(value) ? "unknown" : value ? "no" : "yes";
  return element("tr", {},
    element("th", { scope: "row" }, name.replaceAll("_", " ")),
    element("td", { class: holds === "no" ? "contrary" : "" }, holds),
    element("td", { class: "number" }, Number.isNaN(value) ? "–" : number(value)),
    element("td", {}, requirement));
}

function showLimits() {
  if (!data.limits.length) return;
  byId("limits").hidden = false;
  const share = (limit) => Array.from(limit.violations).filter((value) => value === 0).length;
  const all = data.limits.every((limit) => share(limit) === data.nSolutions);
  note("limits-note", all && data.nSolutions > 1 ? `All ${counting.format(data.nSolutions)} solutions are within all limits.` : "", "The violation is 0 if the limit holds. For sizes and weights, violations are relative to the bound and summed over the clusters.");
  const heads = ["limit", "holds", "violation", "requirement"];
  const show = () => byId("limits-table").replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, ...heads.map((head, j) => element("th", { scope: "col", class: j === 2 ? "number" : "" }, head)))),
    element("tbody", {}, ...data.limits.map(limitRow))));
  follow(["selected"], show);
  show();
}
