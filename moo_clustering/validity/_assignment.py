"""One-to-one matching of clusters to classes with the most agreements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

# Cells of a table that is worth holding densely: 80 MB of integers.
_DENSE_CELLS = 10_000_000
# Cells of a table for which ties are broken exactly, by up to as many small assignments.
_EXACT_TIE_CELLS = 4096


def most_agreements(table: csr_array) -> int:
    """Largest sum of cells, no two in the same row or column."""
    if np.prod(table.shape, dtype=np.int64) <= _DENSE_CELLS:
        return _dense_optimum(table.toarray())
    rows, columns = _sparse_pairs(table)
    return int(np.asarray(table[rows, columns]).sum())


def class_of_cluster(table: csr_array) -> NDArray[np.int64]:
    """Class (row) matched to every cluster (column), -1 for none.

    Most agreements, then most clusters matched, then the lexicographically smallest result; the
    last two only for tables of up to 4096 cells, beyond which the solver's choice stands.
    """
    n_classes, n_clusters = table.shape
    cells = n_classes * n_clusters
    if cells <= _EXACT_TIE_CELLS:
        return _smallest_optimum(table.toarray())
    rows, columns = (
        linear_sum_assignment(table.toarray(), maximize=True)
        if cells <= _DENSE_CELLS
        else _sparse_pairs(table)
    )
    mapping = np.full(n_clusters, -1, dtype=np.int64)
    mapping[columns] = rows
    return mapping


def _dense_optimum(table: NDArray[np.int64]) -> int:
    return int(table[linear_sum_assignment(table, maximize=True)].sum())


def _smallest_optimum(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Fix cluster after cluster to the smallest class with which the optimum is still reached."""
    n_clusters = table.shape[1]
    free = list(range(len(table)))
    mapping = np.full(n_clusters, -1, dtype=np.int64)
    goal = _dense_optimum(table)
    for k in range(n_clusters):
        # -1 comes first, but only while the clusters left can still take up all free classes.
        options = [-1, *free] if n_clusters - k > len(free) else free
        steps = (
            (option, 0 if option < 0 else int(table[option, k]), [c for c in free if c != option])
            for option in options
        )
        mapping[k], gain, free = next(
            (option, gain, left)
            for option, gain, left in steps
            if gain + _dense_optimum(table[left, k + 1 :]) == goal
        )
        goal -= gain
    return mapping


def _sparse_pairs(table: csr_array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Optimal cells of a table too large to be dense; only non-empty cells are returned.

    Every row gets a column of its own that costs as much as an empty cell, so that a full matching
    exists. Sums of whole numbers are exact in the solver's float64.
    """
    if table.shape[0] > table.shape[1]:
        columns, rows = _sparse_pairs(csr_array(table.T))
        return rows, columns
    n_rows, n_columns = table.shape
    cells = coo_array(table)
    empty = int(cells.data.max()) + 1
    own = np.arange(n_rows)
    cost = np.concatenate([empty - cells.data, np.full(n_rows, empty)]).astype(np.float64)
    # SciPy's graph routines long took 32-bit indices only.
    row = np.concatenate([cells.coords[0], own]).astype(np.int32)
    column = np.concatenate([cells.coords[1], n_columns + own]).astype(np.int32)
    graph = csr_array((cost, (row, column)), shape=(n_rows, n_columns + n_rows))
    rows, columns = min_weight_full_bipartite_matching(graph)
    real = columns < n_columns
    return rows[real], columns[real]
