// Search for solutions by words, and by comparisons such as k=5 or silhouette>0.4.

function keyOf(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

const COMPARISONS = {
  "=": (a, b) => a === b,
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  ">=": (a, b) => a >= b,
  "<=": (a, b) => a <= b,
};

// Converts a term of the query to a test.
function termTest(term, columns) {
  const parts = /^(.+?)(>=|<=|=|>|<)(-?[\d.]+(?:e[+-]?\d+)?)$/i.exec(term);
  if (parts) {
    const key = parts[1].toLowerCase() === "k" ? "clusters" : keyOf(parts[1]);
    const numeric = columns.filter((column) => column.numeric);
    const column =
      numeric.find((each) => keyOf(each.title) === key) ?? numeric.find((each) => keyOf(each.title).startsWith(key));
    if (column) return (solution) => COMPARISONS[parts[2]](column.value(solution), Number(parts[3]));
  }
  return (solution) => searchText(solution).includes(term.toLowerCase());
}

function searchText(solution) {
  return [data.names[solution], data.runs[solution] ?? "", ...rulesOf(solution)].join("\n").toLowerCase();
}

// Blanks separate terms, except around a comparison sign.
function solutionsFound(query, columns) {
  const terms = query.replace(/\s*(>=|<=|=|>|<)\s*/g, "$1").split(/\s+/).filter(Boolean);
  const tests = terms.map((term) => termTest(term, columns));
  return data.names.map((_, solution) => solution).filter((solution) => tests.every((test) => test(solution)));
}
