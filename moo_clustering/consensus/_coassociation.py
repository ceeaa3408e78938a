"""How often two objects are in one cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph

from moo_clustering.validity._hyperedges import FloatArray, Hyperedges

# Pairs handled at once: comparisons and counts of a byte each stay in the cache.
_BLOCK = 1 << 18
# Runs whose agreements a byte can count.
_RUNS = 255


def coassociation_blocks(
    edges: Hyperedges, weights: FloatArray, *, upper: bool = False
) -> Iterator[tuple[int, FloatArray]]:
    """Rows of S in blocks: the first row's number, and S of shape (n_rows, n_samples).

    S_ij is the (weighted) part of the runs that have seen both i and j that put them together, 0 where
    there is none. ``upper`` leaves out the columns before the first row of a block.

    O(n_samples^2 n_runs) time in all.
    """
    n = edges.n_samples
    local = edges.codes - edges.starts[:-1, np.newaxis]
    columns = np.where(edges.seen, local, -1).astype(np.int16 if local.max() < 2**15 else np.int32)
    # Not seen is equal to nothing.
    rows = np.where(edges.seen, columns, columns.dtype.type(-2))
    complete = bool(edges.seen.all())
    seen = edges.seen.astype(np.float64)
    step = max(1, _BLOCK // n)
    for lo in range(0, n, step):
        here, there = slice(lo, min(lo + step, n)), slice(lo if upper else 0, n)
        together = _together(rows[:, here], columns[:, there], weights)
        if complete:
            together /= weights.sum()
        else:
            both = (seen[:, here] * weights[:, np.newaxis]).T @ seen[:, there]
            np.divide(together, both, out=together, where=both > 0)
        yield lo, together


def condensed_distances(edges: Hyperedges, weights: FloatArray) -> FloatArray:
    """1 - S of all pairs i < j, shape (n_samples (n_samples - 1) / 2,), as SciPy orders them."""
    n = edges.n_samples
    distances = np.empty(n * (n - 1) // 2)
    end = 0
    for lo, block in coassociation_blocks(edges, weights, upper=True):
        for offset, row in enumerate(block):
            start, end = end, end + n - lo - offset - 1
            np.subtract(1.0, row[offset + 1 :], out=distances[start:end])
    return distances


def coassociation_graph(
    edges: Hyperedges,
    weights: FloatArray,
    n_clusters: int,
    n_neighbors: int | None,
    rng: np.random.Generator,
) -> sp.csr_array:
    """S without its diagonal as a symmetric sparse matrix.

    With ``n_neighbors`` only the largest entries of every row, and of every column. Where that leaves more
    components than clusters, as many objects are together in all runs, their first objects are linked to
    each other in the same way.
    """
    graph = _largest_entries(edges, weights, n_neighbors, rng)
    while n_neighbors is not None:
        n_components, parts = csgraph.connected_components(graph, directed=False)
        if n_components <= n_clusters:
            break
        first = np.unique(parts, return_index=True)[1]
        among = _largest_entries(Hyperedges(edges.codes[:, first], edges.starts), weights, n_neighbors, rng)
        if among.nnz == 0:
            break
        links = among.tocoo()
        graph = graph + sp.csr_array((links.data, (first[links.row], first[links.col])), shape=graph.shape)
    return graph


def _largest_entries(
    edges: Hyperedges, weights: FloatArray, n_neighbors: int | None, rng: np.random.Generator
) -> sp.csr_array:
    n = edges.n_samples
    parts = []
    for lo, block in coassociation_blocks(edges, weights):
        rows = np.arange(len(block))
        block[rows, lo + rows] = 0.0
        if n_neighbors is not None and n_neighbors < n - 1:
            # Equal entries are drawn: always taking the first would tie whole clusters to a few objects.
            # The draws are less than the least difference between two entries where weights are equal.
            order = block + rng.random(block.shape) / (2.0 * edges.n_runs**2)
            dropped = np.argpartition(-order, n_neighbors - 1, axis=1)[:, n_neighbors:]
            np.put_along_axis(block, dropped, 0.0, axis=1)
        parts.append(sp.csr_array(block.astype(np.float32)))
    graph = sp.vstack(parts, format="csr")
    return graph if n_neighbors is None else graph.maximum(graph.T).tocsr()


def _together(rows: NDArray[Any], columns: NDArray[Any], weights: FloatArray) -> FloatArray:
    """Weight of the runs in which a label of ``rows`` equals one of ``columns``."""
    shape = rows.shape[1], columns.shape[1]
    total = np.zeros(shape)
    equal = np.empty(shape, dtype=np.bool_)
    alike = np.ptp(weights) == 0
    for lo in range(0, len(rows), _RUNS):
        count = np.zeros(shape, dtype=np.uint8)
        for run in range(lo, min(lo + _RUNS, len(rows))):
            np.equal(rows[run][:, np.newaxis], columns[run], out=equal)
            if alike:
                count += equal.view(np.uint8)
            else:
                total += weights[run] * equal
        if alike:
            total += weights[0] * count
    return total
