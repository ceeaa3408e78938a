// Files that the user can save.

function saveFile(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// An apostrophe is prepended to texts that a spreadsheet would run as a formula, and to parts of a text that the
// separator of another locale would split off. `csv_cell` of the package does the same, and its readers undo it.
const SEPARATOR = /([;|\t-\r\x1c-\x1f\x85\u2028\u2029\u060c\u061b\u3001\uff0c\uff1b\uff5c])/;
const PART =
  /^(["\x00-\x08\x0e-\x1b \x7f-\x84\x86-\xa0\xad\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff]*)('*)([^]*)$/;
const SIGN = /^[=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]/;
const NUMBER = /^ *[+-]?(?:(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan) *$/i;

function guarded(value) {
  if (typeof value !== "string" || NUMBER.test(value)) return String(value);
  const parts = value.split(SEPARATOR);
  const guard = (part, i) => {
    if (i % 2) return part;
    const [, blanks, marks, rest] = part.match(PART);
    const next = parts[i + 1];
    const ends = next === "\t" || (i ? next === undefined : next === "\r" || next === "\n");
    return (rest ? SIGN.test(rest) : ends) ? `${blanks}'${marks}${rest}` : part;
  };
  return parts.map(guard).join("");
}

function quoted(value) {
  const text = guarded(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

function labelsAsCsv(solution) {
  const named = solution in data.clusterNames;
  const rows = [["sample", "label", ...(named ? ["cluster_name"] : [])]];
  storedLabels(solution).forEach((label, i) => {
    const name = named ? [label ? clusterName(solution, label - 1) : ""] : [];
    rows.push([data.sampleNames[i], label - 1, ...name]);
  });
  return rows.map((row) => row.map(quoted).join(",") + "\r\n").join("");
}

function downloadLabels() {
  const name = fileName(data.names[state.selected]);
  saveFile(`labels-${name}.csv`, "text/csv;charset=utf-8", labelsAsCsv(state.selected));
}
