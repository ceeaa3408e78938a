"""Many runs side by side in one panel, updated row by row."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering._kernels import nmf_panel
from moo_clustering._kernels.parts import for_parts
from moo_clustering.factorization._matrix import Matrix, SparseRows, sparse_rows
from moo_clustering.factorization._runs import Floats, NMFRuns
from moo_clustering.factorization._starts import Starts

# Blocks of rows that threads may share, and the rows that one should have at least.
_BLOCKS = 32
_BLOCK_ROWS = 64
# Iterations after which runs that have converged leave the panel.
_REPACK = 10


class _Side(NamedTuple):
    """A factor of all runs, and what its update needs of the matrix."""

    rows: SparseRows
    bounds: NDArray[np.int64]
    panel: Floats

    @classmethod
    def of(cls, A: sparse.csr_array, factors: Floats) -> Self:
        """Factors of shape (n_runs, n_rows, n_components) in the order of a panel."""
        rows = sparse_rows(A)
        n_rows, k = factors.shape[1:]
        n_blocks = max(1, min(_BLOCKS, n_rows // _BLOCK_ROWS))
        # A value of the matrix costs k operations, a row the descent and the Gram matrix.
        cost = rows.indptr + 1.5 * k * np.arange(n_rows + 1)
        bounds = np.searchsorted(cost, np.linspace(0, cost[-1], n_blocks + 1)).astype(np.int64)
        bounds[-1] = n_rows
        return cls(rows, bounds, np.ascontiguousarray(factors.transpose(1, 2, 0)).reshape(n_rows, -1))

    def of_run(self, run: int, n_runs: int) -> Floats:
        return self.panel.reshape(len(self.panel), -1, n_runs)[:, :, run]

    def keep(self, kept: NDArray[np.intp], n_runs: int) -> Self:
        """The panel without the other runs."""
        lanes = self.panel.reshape(len(self.panel), -1, n_runs)
        return self._replace(panel=np.ascontiguousarray(lanes[:, :, kept]).reshape(len(lanes), -1))


class _Sums(NamedTuple):
    gram: NDArray[np.float64]
    inner: NDArray[np.float64]


def solve_panel(
    matrix: Matrix, starts: Starts, *, multiply: bool, tol: float, max_iter: int, n_threads: int
) -> NMFRuns:
    """Update U and V in turn until the loss of a run falls by less than ``tol`` of itself.

    Notes
    -----
    O(n_runs (n_values k + (n_documents + n_terms) k^2)) time per iteration. Every run is computed lane
    by lane in the same order of operations, and blocks of rows are those of the matrix: a run is
    the same to the last bit whatever else is in the panel and on any number of threads.
    """
    n_runs = len(starts.U)
    results = Starts(np.empty_like(starts.U), np.empty_like(starts.V))
    losses = np.full((n_runs, max_iter), np.nan)
    n_iter = np.full(n_runs, max_iter, dtype=np.int64)
    topics, weights = _Side.of(matrix.At, starts.U), _Side.of(matrix.A, starts.V)
    live = np.arange(n_runs)
    running = np.ones(n_runs, dtype=np.bool_)
    # Nothing is less than the loss before the first iteration.
    last = np.full(n_runs, np.nan)
    gram = _gram(weights, n_runs, n_threads)
    for iteration in range(max_iter):
        first = _update(topics, weights.panel, gram, multiply, n_threads)
        gram, inner = _update(weights, topics.panel, first.gram, multiply, n_threads)
        loss = np.empty(len(live))
        nmf_panel.panel_losses(matrix.square, gram, first.gram, inner, loss)
        losses[live[running], iteration] = loss[running]
        settled = _has_settled(last, loss, tol) if iteration + 1 < max_iter else np.ones_like(running)
        for lane in np.flatnonzero(running & settled).tolist():
            n_iter[live[lane]] = iteration + 1
            results.U[live[lane]] = topics.of_run(lane, len(live))
            results.V[live[lane]] = weights.of_run(lane, len(live))
        running &= ~settled
        if not running.any():
            break
        last = loss
        if (iteration + 1) % _REPACK == 0 and not running.all():
            kept = np.flatnonzero(running)
            topics, weights = topics.keep(kept, len(live)), weights.keep(kept, len(live))
            gram, last, live = np.ascontiguousarray(gram[:, kept]), last[kept], live[kept]
            running = np.ones(len(live), dtype=np.bool_)
    histories = [history[:count] for history, count in zip(losses, n_iter, strict=True)]
    return NMFRuns(*results, np.array([history[-1] for history in histories]), n_iter, histories)


def _has_settled(last: NDArray[np.float64], loss: NDArray[np.float64], tol: float) -> NDArray[np.bool_]:
    return (last - loss < tol * last) | (loss == 0)


def _update(side: _Side, other: Floats, gram: NDArray[np.float64], multiply: bool, n_threads: int) -> _Sums:
    """Update a panel in place; its new Gram matrices, and inner products with the matrix times the other."""
    n_blocks, n_runs = len(side.bounds) - 1, gram.shape[1]
    dtype = side.panel.dtype
    scratch = np.empty((n_blocks, 2, side.panel.shape[1]), dtype=dtype)
    grams = np.empty((n_blocks, *gram.shape), dtype=dtype)
    inners = np.empty((n_blocks, 1, n_runs))
    own_gram = gram.astype(dtype, copy=False)

    def sweep(lo: int, hi: int) -> None:
        nmf_panel.update_panel(
            *side.rows,
            other,
            own_gram,
            side.panel,
            side.bounds,
            multiply,
            scratch,
            grams,
            inners[:, 0],
            lo,
            hi,
        )

    k = side.panel.shape[1] // n_runs
    n_operations = 2.0 * n_runs * k * (len(side.rows.data) + 1.5 * k * len(side.panel))
    for_parts(sweep, n_blocks, n_operations, n_threads)
    return _Sums(_sum(grams), _sum(inners)[0])


def _gram(side: _Side, n_runs: int, n_threads: int) -> NDArray[np.float64]:
    """Gram matrices of a panel."""
    k = side.panel.shape[1] // n_runs
    grams = np.empty((len(side.bounds) - 1, k * (k + 1) // 2, n_runs), dtype=side.panel.dtype)
    for_parts(
        lambda lo, hi: nmf_panel.gram_panel(side.panel, side.bounds, grams, lo, hi),
        len(grams),
        float(side.panel.size) * k,
        n_threads,
    )
    return _sum(grams)


def _sum(parts: NDArray[Any]) -> NDArray[np.float64]:
    total = np.empty(parts.shape[1:])
    nmf_panel.sum_blocks(parts, total)
    return total
