// Partitions: sizes, agreement of two partitions, constraints. Labels are stored plus one; 0 means no cluster.

function storedLabels(solution) {
  return data.labels.subarray(solution * data.nSamples, (solution + 1) * data.nSamples);
}

function labelsOf(solution) {
  return Array.from(storedLabels(solution), (label) => label - 1);
}

// Samples in no cluster, then in cluster 0, 1, ...
function sizesOf(solution) {
  return sizesIn(storedLabels(solution));
}

function sizesIn(labels) {
  const sizes = [0];
  for (const label of labels) sizes[label] = (sizes[label] ?? 0) + 1;
  for (let label = 0; label < sizes.length; label++) sizes[label] ??= 0;
  return sizes;
}

// Non-empty clusters, followed by -1 if samples have no cluster.
function clustersOf(sizes) {
  const clusters = [];
  for (let label = 1; label < sizes.length; label++) if (sizes[label]) clusters.push(label - 1);
  if (sizes[0]) clusters.push(-1);
  return clusters;
}

// The clusters of every solution, counted once.
const clusterNumbers = (() => {
  let known = null;
  return () => {
    if (known === null) {
      // The last solution that contained a label.
      const seen = new Int32Array(data.labels.reduce((most, label) => (label > most ? label : most), 0) + 1).fill(-1);
      known = new Uint32Array(data.nSolutions);
      for (let solution = 0, i = 0; solution < data.nSolutions; solution++) {
        let found = 0;
        for (const stop = i + data.nSamples; i < stop; i++) {
          const label = data.labels[i];
          if (label && seen[label] !== solution) {
            seen[label] = solution;
            found++;
          }
        }
        known[solution] = found;
      }
    }
    return known;
  };
})();

function numberOfClusters(solution) {
  return clusterNumbers()[solution];
}

function clusterName(solution, cluster) {
  if (cluster < 0) return "in no cluster";
  return data.clusterNames[solution]?.[cluster] || `cluster ${cluster}`;
}

// Contingency table: counts[i][j] samples are in both first.clusters[i] and second.clusters[j].
function contingency(first, second) {
  return crossed(storedLabels(first), storedLabels(second));
}

function crossed(a, b) {
  const rows = clustersOf(sizesIn(a));
  const columns = clustersOf(sizesIn(b));
  const rowOf = new Map(rows.map((cluster, i) => [cluster + 1, i]));
  const columnOf = new Map(columns.map((cluster, j) => [cluster + 1, j]));
  const counts = rows.map(() => new Array(columns.length).fill(0));
  for (let i = 0; i < a.length; i++) counts[rowOf.get(a[i])][columnOf.get(b[i])]++;
  return { rows, columns, counts };
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);
const squares = (values) => total(values.map((value) => value * value));

// Hubert & Arabie's index from the pairs of samples that are together in both partitions, in one, or in neither.
function adjustedRandIndex({ columns, counts }) {
  const rowSums = counts.map(total);
  const columnSums = columns.map((_, j) => total(counts.map((row) => row[j])));
  const n = total(rowSums);
  const both = total(counts.map(squares)) - n;
  const onlyFirst = squares(rowSums) - n - both;
  const onlySecond = squares(columnSums) - n - both;
  const neither = n * n - n - both - onlyFirst - onlySecond;
  if (onlyFirst === 0 && onlySecond === 0) return 1;
  return (
    (2 * (both * neither - onlyFirst * onlySecond)) /
    ((both + onlyFirst) * (onlyFirst + neither) + (both + onlySecond) * (onlySecond + neither))
  );
}

// Column of every row in the matching with the greatest total, -1 for none (Hungarian algorithm, O(n³)).
function bestMatching(counts, nColumns) {
  const n = Math.max(counts.length, nColumns);
  const cost = (i, j) => -(counts[i]?.[j] ?? 0);
  const rowPull = new Array(n + 1).fill(0);
  const columnPull = new Array(n + 1).fill(0);
  const rowOf = new Array(n + 1).fill(0);
  for (let row = 1; row <= n; row++) {
    const least = new Array(n + 1).fill(Infinity);
    const before = new Array(n + 1).fill(0);
    const done = new Array(n + 1).fill(false);
    let column = 0;
    rowOf[0] = row;
    while (rowOf[column] !== 0) {
      done[column] = true;
      let step = Infinity;
      let next = 0;
      for (let j = 1; j <= n; j++) {
        if (done[j]) continue;
        const left = cost(rowOf[column] - 1, j - 1) - rowPull[rowOf[column]] - columnPull[j];
        if (left < least[j]) [least[j], before[j]] = [left, column];
        if (least[j] < step) [step, next] = [least[j], j];
      }
      for (let j = 0; j <= n; j++) {
        if (done[j]) {
          rowPull[rowOf[j]] += step;
          columnPull[j] -= step;
        } else least[j] -= step;
      }
      column = next;
    }
    while (column) {
      rowOf[column] = rowOf[before[column]];
      column = before[column];
    }
  }
  const columnOf = new Array(counts.length).fill(-1);
  for (let j = 1; j <= nColumns; j++) if (rowOf[j] <= counts.length) columnOf[rowOf[j] - 1] = j - 1;
  return columnOf;
}

const nConstraints = () => (data.mustLink.length + data.cannotLink.length) / 2;

function together(labels, pairs, i) {
  return labels[pairs[2 * i]] === labels[pairs[2 * i + 1]];
}

// Numbers of satisfied must-links and cannot-links.
function satisfiedConstraints(solution) {
  const labels = storedLabels(solution);
  let must = 0;
  let cannot = 0;
  for (let i = 0; i < data.mustLink.length / 2; i++) must += together(labels, data.mustLink, i);
  for (let i = 0; i < data.cannotLink.length / 2; i++) cannot += !together(labels, data.cannotLink, i);
  return { must, cannot };
}
