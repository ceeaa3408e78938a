"""Sparse matrices of any size as pictures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Entries handled at once; bounds the temporary arrays to some tens of megabytes.
_CHUNK = 1 << 20


def block_means(matrix: Any, order: NDArray[np.integer[Any]], n_blocks: int) -> NDArray[np.float64]:
    """Mean entry of every block of a reordered sparse matrix.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        Never made dense.
    order : ndarray of shape (n,)
        Row (and column) that stands at each place.
    n_blocks : int
        Blocks a side, at most n; with n blocks the reordered matrix itself comes out.

    Returns
    -------
    means : ndarray of shape (n_blocks, n_blocks)

    Notes
    -----
    O(nnz + n_blocks^2) time.
    """
    n = matrix.shape[0]
    block = np.empty(n, dtype=np.int64)
    block[order] = np.arange(n, dtype=np.int64) * n_blocks // n
    total = np.zeros(n_blocks * n_blocks)
    bounds = np.searchsorted(matrix.indptr, np.arange(0, matrix.nnz + _CHUNK, _CHUNK), side="left")
    bounds[0], bounds[-1] = 0, n
    for start, stop in pairwise(bounds.tolist()):
        first, last = matrix.indptr[start], matrix.indptr[stop]
        rows = np.repeat(block[start:stop], np.diff(matrix.indptr[start : stop + 1]))
        cells = rows * n_blocks + block[matrix.indices[first:last]]
        total += np.bincount(cells, weights=matrix.data[first:last], minlength=len(total))
    sizes = np.bincount(block, minlength=n_blocks)
    return total.reshape(n_blocks, n_blocks) / np.outer(sizes, sizes)
