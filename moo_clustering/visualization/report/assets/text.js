// Formatting of texts and numbers.

// A text on one line.
function plain(text) {
  return String(text).replace(/\s+/g, " ");
}

function shortened(text, length) {
  const letters = Array.from(text);
  return letters.length <= length ? text : letters.slice(0, length - 1).join("") + "…";
}

// Wraps a text at `width` characters, to at most `most` lines.
function lines(text, width, most = 6) {
  const found = [""];
  for (const word of String(text).split(/\s+/)) {
    for (let rest = word; rest; rest = rest.slice(width)) {
      const part = rest.slice(0, width);
      const last = found[found.length - 1];
      if (last && last.length + part.length + 1 > width) found.push(part);
      else found[found.length - 1] = last ? `${last} ${part}` : part;
    }
  }
  if (found.length > most) found.splice(most - 1, found.length, `${found[most - 1]} …`);
  return found.join("\n");
}

const counting = new Intl.NumberFormat("en-US");

function count(number, noun) {
  return `${counting.format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function samplesText(number) {
  return count(number, data.sampleKind);
}

function number(value) {
  if (value === null || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return counting.format(value).replace("-", "−");
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

// Returns a formatter that writes all numbers of a column with the same number of decimals.
function columnWriter(values) {
  const finite = Array.from(values).filter(Number.isFinite);
  if (finite.every(Number.isInteger)) return number;
  const greatest = Math.max(...finite.map(Math.abs));
  if (greatest >= 1e6 || greatest < 1e-3) return number;
  const decimals = Math.min(6, Math.max(1, 4 - Math.ceil(Math.log10(greatest) + 1e-9)));
  return (value) => (Number.isFinite(value) ? value.toFixed(decimals).replace("-", "−") : number(value));
}

function direction(column) {
  if (column.greaterIsBetter === null) return "";
  return column.greaterIsBetter ? "greater is better" : "smaller is better";
}

function fileName(text) {
  return text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "report";
}
