// Files for the user.

function saveFile(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Spreadsheets would run these texts as formulas; the package's readers take the apostrophe off again.
function guarded(value) {
  const isFormula = typeof value === "string" && /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value);
  return isFormula && Number.isNaN(Number(value)) ? `'${value}` : String(value);
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
