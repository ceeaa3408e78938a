"""Many runs side by side in one panel, updated row by row."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering._kernels import nmf_panel
from moo_clustering._kernels.parts import for_parts
from moo_clustering.factorization._aligned import aligned_zeros, as_panel, panel_lanes
from moo_clustering.factorization._matrix import Matrix, SparseRows, sparse_rows
from moo_clustering.factorization._runs import Floats, NMFRuns
from moo_clustering.factorization._starts import Starts

# Blocks of rows that threads may share, and the rows that one should have at least.
_BLOCKS = 32
_BLOCK_ROWS = 64
# A row costs about as much as this times k values of the matrix.
_ROW_COST = 3.5
# Iterations after which runs that have converged leave the panel.
_REPACK = 10


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
    topics = _Side.of(matrix.At, starts.U, multiply, n_threads)
    weights = _Side.of(matrix.A, starts.V, multiply, n_threads)
    live = np.arange(n_runs)
    running = np.ones(n_runs, dtype=np.bool_)
    # Nothing is less than the loss before the first iteration.
    last = np.full(n_runs, np.nan)
    gram = weights.gram()
    for iteration in range(max_iter):
        topics_gram, _ = topics.update(weights.panel, gram)
        gram, inner = weights.update(topics.panel, topics_gram)
        loss = np.empty(len(live))
        nmf_panel.panel_losses(matrix.square, gram, topics_gram, inner, loss)
        losses[live[running], iteration] = loss[running]
        settled = (last - loss < tol * last) | (loss == 0) | (iteration + 1 == max_iter)
        for lane in np.flatnonzero(running & settled).tolist():
            n_iter[live[lane]] = iteration + 1
            results.U[live[lane]] = topics.lanes[:, :, lane]
            results.V[live[lane]] = weights.lanes[:, :, lane]
        running &= ~settled
        if not running.any():
            break
        last = loss
        if (iteration + 1) % _REPACK == 0 and not running.all():
            kept = np.flatnonzero(running)
            topics, weights = topics.keep(kept), weights.keep(kept)
            gram, last, live = np.ascontiguousarray(gram[:, kept]), last[kept], live[kept]
            running = np.ones(len(live), dtype=np.bool_)
    histories = [history[:count] for history, count in zip(losses, n_iter, strict=True)]
    return NMFRuns(*results, np.array([history[-1] for history in histories]), n_iter, histories)


class _Side(NamedTuple):
    """A factor of all runs, and how to update it."""

    rows: SparseRows
    bounds: NDArray[np.int64]
    panel: Floats
    n_components: int
    n_runs: int
    multiply: bool
    n_threads: int

    @classmethod
    def of(cls, A: sparse.csr_array, factors: Floats, multiply: bool, n_threads: int) -> Self:
        """The panel of factors of shape (n_runs, n_rows, n_components)."""
        rows = sparse_rows(A)
        n_runs, n_rows, k = factors.shape
        n_blocks = max(1, min(_BLOCKS, n_rows // _BLOCK_ROWS))
        cost = rows.indptr + _ROW_COST * k * np.arange(n_rows + 1)
        bounds = np.searchsorted(cost, np.linspace(0, cost[-1], n_blocks + 1)).astype(np.int64)
        bounds[-1] = n_rows
        return cls(rows, bounds, as_panel(factors.transpose(1, 2, 0)), k, n_runs, multiply, n_threads)

    @property
    def lanes(self) -> Floats:
        return panel_lanes(self.panel, self.n_components, self.n_runs)

    def keep(self, kept: NDArray[np.intp]) -> Self:
        """The panel without the other runs."""
        return self._replace(panel=as_panel(self.lanes[:, :, kept]), n_runs=len(kept))

    def update(
        self, other: Floats, gram: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Change the panel; its new Gram matrices, and inner products with the matrix times the other."""
        n_blocks, dtype = len(self.bounds) - 1, self.panel.dtype
        scratch = aligned_zeros((n_blocks, 2, self.panel.shape[1]), dtype)
        grams = aligned_zeros((n_blocks, *gram.shape), dtype)
        inners = np.empty((n_blocks, 1, self.n_runs))
        # As fine as the panel: kernels are compiled for one type.
        own_gram = gram.astype(dtype, copy=False)

        def sweep(lo: int, hi: int) -> None:
            nmf_panel.update_panel(
                *self.rows,
                other,
                own_gram,
                self.panel,
                self.n_components,
                self.bounds,
                self.multiply,
                scratch,
                grams,
                inners[:, 0],
                lo,
                hi,
            )

        n_values = len(self.rows.data) + _ROW_COST * self.n_components * len(self.panel)
        n_operations = 2.0 * self.n_runs * self.n_components * n_values
        for_parts(sweep, n_blocks, n_operations, self.n_threads)
        return _sum(grams), _sum(inners)[0]

    def gram(self) -> NDArray[np.float64]:
        """Gram matrices of all runs."""
        k = self.n_components
        grams = aligned_zeros((len(self.bounds) - 1, k * (k + 1) // 2, self.n_runs), self.panel.dtype)
        for_parts(
            lambda lo, hi: nmf_panel.gram_panel(self.panel, k, self.bounds, grams, lo, hi),
            len(grams),
            float(self.panel.size) * k,
            self.n_threads,
        )
        return _sum(grams)


def _sum(parts: NDArray[Any]) -> NDArray[np.float64]:
    total = np.empty(parts.shape[1:])
    nmf_panel.sum_blocks(parts, total)
    return total
