"""Products of a sparse matrix with many vectors at once, and components of its entries."""

from __future__ import annotations

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.trees import join, settle


@njit(cache=True, nogil=True)
def combine_products(indptr, indices, data, block, factors, out, lo, hi):  # type: ignore[no-untyped-def]
    """Rows lo..hi-1 of ``out = a A block + b block + c out`` for a CSR matrix A and factors a, b and c.

    The vectors are the columns of ``block``, so that an entry of A is read once for all of them. Rows are
    summed in the order of their entries, in any thread.
    """
    a, b, c = factors
    width = block.shape[1]
    for i in range(lo, hi):
        for q in range(width):
            out[i, q] = b * block[i, q] + c * out[i, q]
        for entry in range(indptr[i], indptr[i + 1]):
            j, weight = indices[entry], a * data[entry]
            for q in range(width):
                out[i, q] += weight * block[j, q]


@njit(cache=True, nogil=True)
def join_entries(indptr, indices, data, strength, least, parts, parents):  # type: ignore[no-untyped-def]
    """Join samples of the same part if their entry, times the strengths of both, is at least ``least``.

    ``parents``, initially 0, 1, ..., finally contains the smallest member of the component of every sample.
    """
    for i in range(len(parents)):
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            if parts[i] == parts[j] and data[entry] * strength[i] * strength[j] >= least:
                join(parents, i, j)
    settle(parents)
