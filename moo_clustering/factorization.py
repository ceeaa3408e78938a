"""Simultaneous non-negative matrix factorisations of a document-term matrix from many starts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_non_negative

from moo_clustering._arrays import AnyFloatArray, choice, integer, quoted
from moo_clustering._data import FLOATS, checked_array, checked_table
from moo_clustering._docs import documented
from moo_clustering._kernels import nmf as nmf_panel
from moo_clustering._kernels.nmf import fit_weights
from moo_clustering._kernels.threads import for_parts
from moo_clustering._parallel import active_shelf, run_calls

__all__ = [
    "MAX_MEMORY",
    "SOLVERS",
    "NMFRuns",
    "document_weights",
    "factorization_loss",
    "labels_from_factors",
    "map_nmf",
    "nmf",
    "topic_lengths",
]

MAX_MEMORY = 4 << 30
Result = TypeVar("Result")
Seeds = Sequence[np.random.SeedSequence]
Factors = tuple[ArrayLike, ArrayLike]
# U and V of several runs, of shapes (n_runs, n_terms, n_components) and (n_runs, n_documents, n_components).
Starts = tuple[AnyFloatArray, AnyFloatArray]
# Rows are divided among threads in at most _BLOCKS blocks, which have at least _BLOCK_ROWS rows each.
_BLOCKS, _BLOCK_ROWS = 32, 64
# Blocks have equal costs. The cost of a row is its number of stored values plus this per component.
_ROW_COST = 3.5
_LINE = 64


@documented()
def nmf(
    A: Any,
    n_components: int,
    *,
    solver: str = "hals",
    n_runs: int | None = None,
    seeds: Seeds | None = None,
    starts: Factors | None = None,
    tol: float | None = None,
    max_iter: int | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    n_jobs: int | None = None,
    max_memory: int = MAX_MEMORY,
) -> NMFRuns:
    """Factorise A ~ V U^T with U, V >= 0 from several starts, so that J = ||A - V U^T||^2 is minimal.

    Raises a ValueError if the runs do not fit into ``max_memory``. Takes O(n_values k + (n_documents +
    n_terms) k^2) time per run and iteration, and O(n_runs (n_documents + n_terms) k) memory. The result of a
    run does not depend on the batch size and the number of workers, not even in its last bit. Source:
    Ensemble NMF, section on non-negative matrix factorization.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n_documents, n_terms)
        Finite, non-negative values.
    n_components : int
        Number k of topics; at least 1.
    solver : {"hals", "mu", "sklearn", "sklearn-mu"}, default="hals"
        Hierarchical alternating least squares, multiplicative updates, or scikit-learn's "cd" or "mu" solver.
    n_runs : int, optional
        Number of runs. Default: the number of ``seeds`` or ``starts``, or 1 if neither is given.
    seeds : sequence of SeedSequence, optional
        One seed per run. Default: random seeds. Initial factors are |N(0, 1)| sqrt(mean(A) / n_components).
    starts : tuple (U, V) of arrays of shape (n_runs, n_terms, k) and (n_runs, n_documents, k), optional
        Initial factors, used instead of ``seeds``.
    tol : float, optional
        A "hals" or "mu" run ends when the relative decrease of J per iteration is below ``tol`` (default
        1e-5). scikit-learn's solvers use ``tol`` in their own criterion (default 1e-4).
    max_iter : int, optional
        Maximum number of iterations. Default: 40 for "hals", 200 for other solvers.
    dtype : {"float64", "float32"}, default="float64"
    n_jobs : int, optional
        Number of threads ("hals", "mu") or processes. Default: as set by ``joblib.parallel_config``.
    max_memory : int, default=4 GiB
        Maximum memory for factors and results, in bytes. Runs are computed in batches that fit into it.

    Examples
    --------
    >>> from moo_clustering.factorization import labels_from_factors, nmf
    >>> A = np.kron(np.eye(2), np.ones((3, 2)))
    >>> runs = nmf(A, 2, seeds=np.random.SeedSequence(0).spawn(5))
    >>> best = runs.best
    >>> len(set(labels_from_factors(runs.U[best], runs.V[best])[:3].tolist()))
    1
    """
    given = (solver, n_runs, seeds, starts, tol, max_iter, dtype, n_jobs, max_memory)
    parts = _solved(lambda runs: runs, A, n_components, given, keep=True)
    if len(parts) == 1:
        return parts[0]
    *arrays, histories = zip(*parts, strict=True)
    return NMFRuns._make([*map(np.concatenate, arrays), list(chain.from_iterable(histories))])


def map_nmf(
    function: Callable[[NMFRuns], Result],
    A: Any,
    n_components: int,
    *,
    solver: str = "hals",
    n_runs: int | None = None,
    seeds: Seeds | None = None,
    starts: Factors | None = None,
    tol: float | None = None,
    max_iter: int | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    n_jobs: int | None = None,
    max_memory: int = MAX_MEMORY,
) -> list[Result]:
    """Apply a function to each batch of runs, without storing the factors of all runs.

    Parameters
    ----------
    function : callable
        Called with the NMFRuns of each batch, on the worker that computed the batch. The batch size depends
        on the number of workers and on memory; the order of the runs does not.
    A, n_components, solver, n_runs, seeds, starts, tol, max_iter, dtype, n_jobs, max_memory
        See :func:`nmf`. ``max_memory`` limits the batches that are processed concurrently.

    Returns
    -------
    list
        One result per batch.
    """
    given = (solver, n_runs, seeds, starts, tol, max_iter, dtype, n_jobs, max_memory)
    return _solved(function, A, n_components, given, keep=False)


class NMFRuns(NamedTuple):
    """Factors of each run, A ~ V U^T.

    Attributes
    ----------
    U : ndarray of shape (n_runs, n_terms, n_components)
        Topics.
    V : ndarray of shape (n_runs, n_documents, n_components)
        Document weights.
    losses : ndarray of shape (n_runs,)
        Loss ||A - V U^T||^2 of each run.
    n_iter : ndarray of shape (n_runs,)
    histories : list of ndarray
        For each run, the loss after each iteration. scikit-learn's solvers provide only the final loss.
    """

    U: AnyFloatArray
    V: AnyFloatArray
    losses: NDArray[np.float64]
    n_iter: NDArray[np.int64]
    histories: list[NDArray[np.float64]]

    @property
    def best(self) -> int:
        """Index of the run with the lowest loss; ties are broken in favour of the lower index."""
        return int(np.argmin(self.losses))


def labels_from_factors(U: ArrayLike, V: ArrayLike, unit_topics: bool = True) -> NDArray[np.int32]:
    """Return the topic with the largest weight in each document. Ties are broken in favour of lower numbers.

    Source: W. Xu, X. Liu, Y. Gong, SIGIR (2003), section 3.2.

    Parameters
    ----------
    U : array-like of shape (n_terms, n_components) or (n_runs, n_terms, n_components)
    V : array-like of shape (n_documents, n_components) or (n_runs, n_documents, n_components)
    unit_topics : bool, default=True
        Whether to scale each non-zero topic to unit length before weights are compared, so that labels do not
        depend on the relative scaling of U and V. The published method does not scale topics.

    Returns
    -------
    ndarray of shape (n_documents,) or (n_runs, n_documents), int32
        Topic numbers. A topic can have no documents.
    """
    topics, weights = checked_array(U, "U", FLOATS), checked_array(V, "V", FLOATS)
    if topics.ndim != weights.ndim or topics.ndim not in (2, 3) or topics.shape[-1] != weights.shape[-1]:
        needed = "(n_terms, k) and (n_documents, k), or (n_runs, n_terms, k) and (n_runs, n_documents, k)"
        shapes = f"{topics.shape} and {weights.shape}"
        raise ValueError(f"U and V must have shapes {needed} with the same k; got {shapes}")
    if unit_topics:
        weights = weights * topic_lengths(topics)[..., np.newaxis, :]
    return weights.argmax(axis=-1).astype(np.int32)


def topic_lengths(U: AnyFloatArray) -> AnyFloatArray:
    """Compute the Euclidean length of each topic; topics without terms have length 1.

    Dividing U and multiplying V by these lengths does not change V U^T.

    Parameters
    ----------
    U : ndarray of shape (..., n_terms, n_components)

    Returns
    -------
    ndarray of shape (..., n_components)
    """
    lengths: AnyFloatArray = np.linalg.norm(checked_array(U, "U", FLOATS, ndim=(2, 3)), axis=-2)
    return np.where(lengths > 0, lengths, lengths.dtype.type(1))


def document_weights(A: Any, U: NDArray[Any], *, n_jobs: int | None = None) -> NDArray[np.float64]:
    """Compute the exact non-negative weights V that minimise ||A - V U^T||^2.

    Takes O(n_values n_components) time for the products. Each document takes at worst about O(n_components^4)
    time, and far less if few weights are positive.

    Parameters
    ----------
    A : ndarray or sparse matrix of shape (n_documents, n_terms)
    U : ndarray of shape (n_terms, n_components)
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    ndarray of shape (n_documents, n_components)
    """
    A = checked_table(A, "A", dtype=FLOATS, accept_sparse="csr")
    topics = np.ascontiguousarray(checked_array(U, "U", np.float64))
    _require_factor("U", topics, A.shape[1])
    products = np.ascontiguousarray(A @ topics, dtype=np.float64)
    n_documents, k = products.shape
    gram = topics.T @ topics
    # Add a ridge above the rounding error, so that the system is solvable even for linearly dependent topics.
    gram[np.diag_indices(k)] += 1e-12 * max(float(np.trace(gram)), np.finfo(np.float64).tiny) / k
    weights = np.zeros((n_documents, k))
    fit = partial(fit_weights, gram, products, weights)
    for_parts(fit, n_documents, n_documents * k**3, n_jobs)
    return weights


@documented()
def factorization_loss(A: Any, U: ArrayLike, V: ArrayLike) -> float:
    """Compute J = ||A - V U^T||^2 without forming V U^T.

    Evaluates ||A||^2 - 2 <V, A U> + <V^T V, U^T U> in O(n_values n_components) time, with a rounding error of
    about 1e-16 ||A||^2.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n_documents, n_terms)
    U : array-like of shape (n_terms, n_components)
    V : array-like of shape (n_documents, n_components)
    """
    topics, weights = checked_array(U, "U", np.float64), checked_array(V, "V", np.float64)
    matrix = check_matrix(A, "float64")
    _require_factor("U", topics, matrix.A.shape[1])
    _require_factor("V", weights, matrix.A.shape[0], topics.shape[1])
    return loss_of(matrix, topics, weights)


def _require_factor(name: str, factor: AnyFloatArray, n_rows: int, n_components: int | None = None) -> None:
    width = n_components or "n_components"
    if factor.ndim != 2 or len(factor) != n_rows or n_components not in (None, factor.shape[1]):
        raise ValueError(f"{name} must have shape ({n_rows}, {width}) to match A, got {factor.shape}")
    if not factor.size:
        raise ValueError(f"{name} must have at least one component, got shape {factor.shape}")


def loss_of(matrix: Matrix, U: AnyFloatArray, V: AnyFloatArray) -> float:
    inner = np.vdot(V, matrix.A @ U)
    return max(0.0, float(matrix.square - 2.0 * inner + np.vdot(V.T @ V, U.T @ U)))


def _solved(
    function: Callable[[NMFRuns], Result], A: Any, n_components: int, given: tuple[Any, ...], keep: bool
) -> list[Result]:
    """Apply ``function`` to each batch of runs. With ``keep``, reserve memory for the factors of all runs."""
    solver, n_runs, seeds, starts, tol, max_iter, dtype, n_jobs, max_memory = given
    method = SOLVERS[choice("solver", solver, SOLVERS)]
    tol = method.tol if tol is None else tol
    choice("dtype", dtype, ("float64", "float32"))
    integer("n_components", n_components)
    max_iter = integer("max_iter", method.max_iter if max_iter is None else max_iter)
    if not tol >= 0:
        raise ValueError(f"tol must be non-negative, got {quoted(tol)}")
    matrix = check_matrix(A, dtype)
    origins = _origins(matrix, n_components, n_runs, seeds, starts)
    n_runs = len(origins[0] if isinstance(origins, tuple) else origins)
    n_rows, row_bytes = sum(matrix.A.shape), n_components * matrix.A.dtype.itemsize
    # The workers of a Dask cluster cannot share the rows of a run.
    far = active_shelf() is not None and n_jobs != 1
    # Leave memory for the factors of all batches and for the array into which they are concatenated.
    kept = 2 * n_runs * n_rows * row_bytes if keep else 0
    lanes, workers = 1 if far else method.lanes, effective_n_jobs(n_jobs)
    batches, n_workers, n_threads = plan_batches(
        n_runs, n_rows, row_bytes, lanes=lanes, workers=workers, memory=max_memory - kept
    )
    options = {"tol": float(tol), "max_iter": max_iter, "n_threads": 1 if far else n_threads}

    def run(part: Seeds | Starts) -> Result:
        starts = part if isinstance(part, tuple) else _random_starts(matrix, n_components, part)
        return function(method.solve(matrix, starts, **options))

    parts = (
        (origins[0][runs], origins[1][runs]) if isinstance(origins, tuple) else origins[runs]
        for runs in batches
    )
    return run_calls(map(delayed(run), parts), n_jobs=n_workers, prefer=method.prefer)


def _origins(
    matrix: Matrix, n_components: int, n_runs: int | None, seeds: Seeds | None, starts: Factors | None
) -> Seeds | Starts:
    if seeds is not None and starts is not None:
        raise ValueError("pass either seeds or starts for the initial factors, not both")
    if n_runs is not None:
        integer("n_runs", n_runs)
    origins: Seeds | Starts
    if starts is not None:
        origins = _checked_starts(starts, matrix, n_components)
        name, count = "starts", len(origins[0])
    else:
        origins = np.random.SeedSequence().spawn(n_runs or 1) if seeds is None else list(seeds)
        name, count = "seeds", len(origins)
    if count == 0 or n_runs not in (None, count):
        wanted = "at least one run" if n_runs is None else f"n_runs={n_runs} runs"
        raise ValueError(f"{name} must contain {wanted}, got {count}")
    return origins


def plan_batches(
    n_runs: int, n_rows: int, row_bytes: int, *, lanes: int, workers: int, memory: int
) -> tuple[list[slice], int, int]:
    """Divide runs into batches, and workers among the batches."""
    # Returns the batches, the number of batches that run at the same time, and the number of threads per
    # batch. Batches that run at the same time fit into ``memory`` bytes. Each run has ``n_rows`` rows of
    # ``row_bytes`` bytes. There are up to four copies of a run, namely the starts, the panel, the repacked
    # panel and the result. ``lanes`` is the desired number of runs per worker.
    run_bytes = 4 * n_rows * row_bytes
    affordable = memory // run_bytes
    if affordable < 1:
        left, needed = max(memory, 0) / 2**30, run_bytes / 2**30
        advice = "use fewer runs, prune the vocabulary, use dtype='float32' or increase max_memory"
        fault = f"leaves {left:.3g} GiB for the computation, but a run requires {needed:.3g} GiB"
        raise ValueError(f"max_memory {fault}; {advice}")
    most = min(workers, affordable, max(1, n_runs // lanes))
    # Select a divisor of ``workers``, so that batches have equal numbers of threads and no worker is idle.
    at_once = max(count for count in range(1, most + 1) if workers % count == 0)
    # A panel row has at most 4096 bytes, because longer rows evict each other from the caches. If memory
    # allows, however, a batch has at least 16 runs, to fill the vector registers.
    size = min(affordable // at_once, max(16, 4096 // row_bytes))
    n_batches = min(n_runs, at_once * -(-n_runs // (at_once * size)))
    bounds = [n_runs * batch // n_batches for batch in range(n_batches + 1)]
    return [slice(lo, hi) for lo, hi in pairwise(bounds)], at_once, workers // at_once


class Matrix(NamedTuple):
    """A document-term matrix A (n_documents, n_terms), the transpose of A, ||A||^2, and the mean of A."""

    A: sparse.csr_array
    At: sparse.csr_array
    square: float
    mean: float


def check_matrix(A: Any, dtype: str) -> Matrix:
    """Check that a matrix is finite and non-negative, and convert it to ``dtype`` without changing ``A``."""
    A = sparse.csr_array(checked_table(A, "A", dtype=FLOATS, accept_sparse="csr"))
    check_non_negative(A, "nmf (parameter A)")
    check_scale(A, "A", dtype)
    A = A.astype(dtype, copy=False)
    # Copy read-only and memory-mapped arrays, because they would require another compilation of the kernels.
    A = sparse.csr_array((_plain(A.data), _plain(A.indices), _plain(A.indptr)), shape=A.shape)
    square = float(np.square(A.data, dtype=np.float64).sum())
    mean = float(A.data.sum(dtype=np.float64)) / (A.shape[0] * A.shape[1])
    return Matrix(A, A.T.tocsr(), square, mean)


def check_scale(A: Any, name: str, dtype: str) -> None:
    """Raise a ValueError that names the matrix if its squares overflow or underflow in ``dtype``."""
    # Check before the conversion to single precision, which can turn values into infinity or zero.
    values = A.data if sparse.issparse(A) else A
    with np.errstate(over="ignore"):
        square = float(np.square(values, dtype=np.float64).sum())
    limits = np.finfo(np.dtype(dtype))
    if not square <= float(limits.max):
        raise ValueError(f"{name} has values so large that their squares overflow {dtype}; rescale it")
    if square < float(limits.tiny / limits.eps) and values.any():
        raise ValueError(f"{name} has values so small that their squares vanish in {dtype}; rescale it")


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    return array if array.flags.writeable and type(array) is np.ndarray else np.array(array, subok=False)


def _random_starts(matrix: Matrix, n_components: int, seeds: Seeds) -> Starts:
    n_documents, n_terms = matrix.A.shape
    scale = math.sqrt(matrix.mean / n_components)
    U = np.empty((len(seeds), n_terms, n_components), dtype=matrix.A.dtype)
    V = np.empty((len(seeds), n_documents, n_components), dtype=matrix.A.dtype)
    for run, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        for factor in (U, V):
            factor[run] = np.abs(rng.standard_normal(factor.shape[1:])) * scale
    return U, V


def _checked_starts(starts: Factors, matrix: Matrix, n_components: int) -> Starts:
    U, V = (checked_array(factor, "starts", matrix.A.dtype).copy() for factor in starts)
    for name, factor, n_rows in (("U", U, matrix.A.shape[1]), ("V", V, matrix.A.shape[0])):
        if factor.ndim != 3 or factor.shape[1:] != (n_rows, n_components) or len(U) != len(V):
            needed = f"shape (n_runs, {n_rows}, {n_components}), with the same n_runs in U and V"
            raise ValueError(f"{name} of starts must have {needed}; got {factor.shape}")
        if (factor < 0).any():
            raise ValueError(f"{name} of starts must be non-negative, got {factor.min():g}")
    return U, V


class Solver(NamedTuple):
    """A solver and its default settings."""

    solve: Callable[..., NMFRuns]  # called with (matrix, starts, *, tol, max_iter, n_threads)
    tol: float
    max_iter: int
    # Desired number of runs per worker. If there are fewer runs, several workers share the rows of a run.
    lanes: int
    prefer: Literal["threads", "processes"]


def solve_panel(
    matrix: Matrix, starts: Starts, *, multiply: bool, tol: float, max_iter: int, n_threads: int
) -> NMFRuns:
    """Factorise a matrix from all starts together, with HALS or, if ``multiply``, multiplicative updates."""
    # Each iteration updates U, and then V with the new U. A run ends when the relative decrease of its loss
    # falls below ``tol``. HALS is coordinate descent over columns. With G = V^T V, column j of U becomes
    # max(0, u_j + ((A^T V)_j - U G_j) / G_jj), where the previous columns already have new values. If G_jj =
    # 0, the column does not change. Multiplicative updates replace U by U * (A^T V) / (U V^T V). Takes
    # O(n_runs (n_values k + (n_documents + n_terms) k^2)) time per iteration. The order of operations does
    # not depend on other runs and threads, so a run is bitwise identical in any panel. Sources: Cichocki,
    # Zdunek, Amari, ICA (2007); Lee, Seung, NIPS 13 (2001), theorem 1.
    U, V = map(np.empty_like, starts)
    n_runs = len(U)
    losses = np.full((n_runs, max_iter), np.nan)
    n_iter = np.full(n_runs, max_iter, dtype=np.int64)
    topics = _Side.of(matrix.At, starts[0], multiply, n_threads)
    weights = _Side.of(matrix.A, starts[1], multiply, n_threads)
    live = np.arange(n_runs)
    running = np.ones(n_runs, dtype=np.bool_)
    # In the first iteration, comparisons with NaN are false, so no run ends because of its decrease in loss.
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
            U[live[lane]] = topics.lanes[:, :, lane]
            V[live[lane]] = weights.lanes[:, :, lane]
        # Converged runs are updated until they are removed from the panel, but their results do not change.
        running &= ~settled
        if not running.any():
            break
        last = loss
        if (iteration + 1) % 10 == 0 and not running.all():
            kept = np.flatnonzero(running)
            topics, weights = topics.keep(kept), weights.keep(kept)
            gram, last, live = np.ascontiguousarray(gram[:, kept]), last[kept], live[kept]
            running = np.ones(len(live), dtype=np.bool_)
    histories = [history[:count] for history, count in zip(losses, n_iter, strict=True)]
    return NMFRuns(U, V, np.array([history[-1] for history in histories]), n_iter, histories)


class _Side(NamedTuple):
    """One factor (U or V) of all runs. The runs are stored side by side in an array called panel."""

    rows: tuple[AnyFloatArray, NDArray[np.integer[Any]], NDArray[np.int64]]  # the arrays of a CSR matrix
    bounds: NDArray[np.int64]
    panel: AnyFloatArray
    n_components: int
    n_runs: int
    multiply: bool
    n_threads: int

    @classmethod
    def of(cls, A: sparse.csr_array, factors: AnyFloatArray, multiply: bool, n_threads: int) -> Self:
        # The kernels are compiled only for these types.
        kind = np.int32 if max(A.shape) <= np.iinfo(np.int32).max else np.int64
        rows = A.data, A.indices.astype(kind, copy=False), A.indptr.astype(np.int64, copy=False)
        n_runs, n_rows, k = factors.shape
        n_blocks = max(1, min(_BLOCKS, n_rows // _BLOCK_ROWS))
        cost = rows[2] + _ROW_COST * k * np.arange(n_rows + 1)
        bounds = np.searchsorted(cost, np.linspace(0, cost[-1], n_blocks + 1)).astype(np.int64)
        bounds[-1] = n_rows
        return cls(rows, bounds, as_panel(factors.transpose(1, 2, 0)), k, n_runs, multiply, n_threads)

    @property
    def lanes(self) -> AnyFloatArray:
        return panel_lanes(self.panel, self.n_components, self.n_runs)

    def keep(self, kept: NDArray[np.intp]) -> Self:
        return self._replace(panel=as_panel(self.lanes[:, :, kept]), n_runs=len(kept))

    def update(
        self, other: AnyFloatArray, gram: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Update the panel, and return the Gram matrices and inner products of the updated factors."""
        # The inner product of each factor is with ``rows @ other``.
        n_blocks, dtype = len(self.bounds) - 1, self.panel.dtype
        scratch = aligned_zeros((n_blocks, 2, self.panel.shape[1]), dtype)
        grams = aligned_zeros((n_blocks, *gram.shape), dtype)
        inners = np.empty((n_blocks, 1, self.n_runs))
        # Convert to the precision of the panel, because each kernel is compiled for a single type.
        given = *self.rows, other, gram.astype(dtype, copy=False), self.panel, self.n_components, self.bounds
        sweep = partial(nmf_panel.update_panel, *given, self.multiply, scratch, grams, inners[:, 0])
        n_values = len(self.rows[0]) + _ROW_COST * self.n_components * len(self.panel)
        for_parts(sweep, n_blocks, 2.0 * self.n_runs * self.n_components * n_values, self.n_threads)
        return _sum(grams), _sum(inners)[0]

    def gram(self) -> NDArray[np.float64]:
        k, panel = self.n_components, self.panel
        grams = aligned_zeros((len(self.bounds) - 1, k * (k + 1) // 2, self.n_runs), panel.dtype)
        gram = partial(nmf_panel.gram_panel, panel, k, self.bounds, grams)
        for_parts(gram, len(grams), float(panel.size) * k, self.n_threads)
        return _sum(grams)


def _sum(parts: NDArray[Any]) -> NDArray[np.float64]:
    total = np.zeros(parts.shape[1:])
    for part in parts:
        total += part
    return total


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Allocate zeros that are aligned to cache lines, because loads across two lines cost twice as much."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.zeros(size + _LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + size].view(dtype).reshape(shape)


def as_panel(lanes: AnyFloatArray) -> AnyFloatArray:
    """Copy factors (n_rows, n_components, n_runs) into a padded panel (n_rows, n_components * n_runs)."""
    n_rows, k, n_runs = lanes.shape
    per_line = _LINE // lanes.itemsize
    panel = aligned_zeros((n_rows, -(-k * n_runs // per_line) * per_line), lanes.dtype)
    panel_lanes(panel, k, n_runs)[...] = lanes
    return panel


def panel_lanes(panel: AnyFloatArray, k: int, n_runs: int) -> AnyFloatArray:
    """Return a view of the factors in a panel, with shape (n_rows, n_components, n_runs)."""
    return panel[:, : k * n_runs].reshape(len(panel), k, n_runs)


def _solve(
    matrix: Matrix, starts: Starts, *, solver: str, tol: float, max_iter: int, n_threads: int = 1
) -> NMFRuns:
    """Run ``sklearn.decomposition.NMF``, which has its own stopping rule, from each start."""
    U, V = map(np.empty_like, starts)
    n_iter = np.empty(len(U), dtype=np.int64)
    losses = np.empty(len(U))
    for run, (first_U, first_V) in enumerate(zip(*starts, strict=True)):
        if matrix.square == 0:
            # If the matrix is zero, so are the initial factors, which scikit-learn rejects.
            U[run], V[run], n_iter[run], losses[run] = first_U, 0, 0, 0
            continue
        model = NMF(U.shape[2], solver=solver, init="custom", tol=tol, max_iter=max_iter)
        with warnings.catch_warnings():
            # Ignore the warning, because ``n_iter`` shows whether a run converged, and other solvers do not
            # warn.
            warnings.simplefilter("ignore", ConvergenceWarning)
            V[run] = model.fit_transform(matrix.A, W=first_V.copy(), H=np.ascontiguousarray(first_U.T))
        U[run] = model.components_.T
        n_iter[run] = model.n_iter_
        losses[run] = loss_of(matrix, U[run], V[run])
    return NMFRuns(U, V, losses, n_iter, [losses[run : run + 1] for run in range(len(losses))])


SOLVERS: dict[str, Solver] = {
    "hals": Solver(partial(solve_panel, multiply=False), 1e-5, 40, 32, "threads"),
    "mu": Solver(partial(solve_panel, multiply=True), 1e-5, 200, 32, "threads"),
    "sklearn": Solver(partial(_solve, solver="cd"), 1e-4, 200, 1, "processes"),
    "sklearn-mu": Solver(partial(_solve, solver="mu"), 1e-4, 200, 1, "processes"),
}
