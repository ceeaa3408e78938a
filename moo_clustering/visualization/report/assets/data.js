// Data of the report: the JSON in the page, with its arrays decompressed.
//
// `window.report` is the interface for programs that control the page (tests, notebooks):
//   ready          a promise that resolves when the page can be used
//   selected       the selected solution; `compared`: the second solution or null
//   select(i), compare(i)
//   labels(i)      clusters of the samples in solution i, -1 for none
//   agreement()    adjusted Rand index of these two solutions, computed exactly from their labels, or null
//   drawn(id)      draws the figure in the element `id` now; returns a promise of that element

const data = JSON.parse(document.getElementById("report-data").textContent);

const ARRAYS = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
};

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function decoded(encoded) {
  const stream = new Blob([bytesOf(encoded.data)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const response = new Response(stream);
  if (encoded.dtype === "json") return JSON.parse(await response.text());
  return new ARRAYS[encoded.dtype](await response.arrayBuffer());
}

// Replaces every encoded array in a value by its numbers, and stores the shapes in `shapes`.
const shapes = new Map();
function decodeAll(value, waiting) {
  for (const [key, entry] of Object.entries(value)) {
    if (entry === null || typeof entry !== "object") continue;
    if (typeof entry.data === "string" && entry.dtype) {
      waiting.push(
        decoded(entry).then((array) => {
          shapes.set(array, entry.shape);
          value[key] = array;
        }),
      );
    } else {
      decodeAll(entry, waiting);
    }
  }
  return waiting;
}

async function loadData() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old for this page. Use a version from 2023 or later.");
  }
  const [nSolutions, nSamples] = data.labels.shape;
  data.nSolutions = nSolutions;
  data.nSamples = nSamples;
  await Promise.all(decodeAll(data, []));
  data.columns.forEach((column, place) => {
    column.values = data.values.subarray(place * nSolutions, (place + 1) * nSolutions);
  });
  // For several runs, show only common objectives, because other objectives are missing in some solutions.
  const objectives = data.columns.filter((column) => column.isObjective);
  const runsWith = ({ values }) => new Set(data.runs.filter((_, solution) => !Number.isNaN(values[solution])));
  const nRuns = new Set(objectives.flatMap((column) => [...runsWith(column)])).size;
  data.objectives = objectives.filter((column) => runsWith(column).size === nRuns);
}
