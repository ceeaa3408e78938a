"""Solvers for the smallest eigenpairs of Laplacians: dense, Lanczos, Chebyshev, LOBPCG, power iteration."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, svd
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh, lobpcg, splu

from moo_clustering._arrays import FloatArray, Int32Array, choice, warn_caller
from moo_clustering._data import checked_graph
from moo_clustering._docs import documented
from moo_clustering._kernels.threads import for_blocks, sum_blocks
from moo_clustering._kernels.trees import combine_products, join_entries
from moo_clustering._parallel import one_thread
from moo_clustering.graphs.matrices import degrees, inverse_root, laplacian, short_indices

Laplacian = Literal["sym", "unnormalized", "rw"]
EigenSolver = Literal["auto", "dense", "arpack", "chebyshev", "lobpcg", "pic"]
DENSE_UP_TO = 1500
CHEBYSHEV_FROM = 20_000
# With more neighbours per sample than this, a factorisation of the Laplacian would cause too much fill-in.
FACTOR_NEIGHBORS = 24
# A factorisation takes about n * bandwidth^2 operations. This maximum corresponds to a few seconds.
_FACTOR_WORK = 4e11
Pairs = tuple[FloatArray, FloatArray]
Step = Callable[[FloatArray], FloatArray]
# The norm of a residual L u - lambda u may be at most this fraction of the scale of L.
_RESIDUAL = 1e-4
_EXTRA = 4
# A block is filtered at least _MIN_ROUNDS times, because vectors could be missed if the first residuals
# happen to be small.
_MAX_ROUNDS, _MIN_ROUNDS = 60, 2
# _AMPLIFIED is the logarithm of the largest factor by which a filter may amplify a vector. With a higher
# degree or a larger factor, the columns of a block would become nearly linearly dependent.
_MAX_DEGREE, _AMPLIFIED = 40, np.log(1e6)
# An edge is weak if its weight divided by the scale of the Laplacian is below this value.
_WEAK = 1e-3


def spectral_embedding(
    S: Any,
    n_components: int,
    *,
    laplacian: Laplacian = "sym",
    eigen_solver: EigenSolver = "auto",
    rng: Generator,
    n_eigenvalues: int | None = None,
    parts: NDArray[Any] | None = None,
    n_jobs: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute the smallest eigenpairs of a graph Laplacian, including the trivial eigenvector.

    ``"arpack"`` is Lanczos iteration, in shift-invert mode if a sparse factorisation of the Laplacian is
    cheap. ``"chebyshev"`` is subspace iteration with Chebyshev filters, on ``n_jobs`` threads; it may miss
    the smallest eigenvalues of an unnormalised Laplacian with very unequal degrees. ``"lobpcg"`` is the block
    conjugate gradient method. ``"pic"`` is 100 steps of block power iteration; it is fast but inaccurate.

    Iterative solvers take O(nnz + n_samples n_components) memory, and as much time per step. The tolerance
    for residual norms is 1e-4. With ``"chebyshev"``, it is 1e-5 for the first ``n_components`` pairs, and
    1e-3 for all further pairs. For unnormalised Laplacians, the tolerance is multiplied by the largest
    degree. Raises a ValueError unless 1 <= n_components <= n_eigenvalues <= n_samples. Sources: PESC,
    Algorithm 1 (Eq. 7); Zhou, Saad, Tiago, Chelikowsky, J. Comput. Phys. 219, 2006 (``"chebyshev"``).

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities with a zero diagonal.
    n_components : int
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
        ``"sym"``: eigenvectors of I - D^(-1/2) S D^(-1/2), with non-zero rows scaled to unit length, where D
        is the diagonal matrix of row sums. ``"unnormalized"``: eigenvectors of D - S. ``"rw"``: the ``"sym"``
        eigenvectors before scaling, multiplied by D^(-1/2).
    eigen_solver : {"auto", "dense", "arpack", "chebyshev", "lobpcg", "pic"}, default="auto"
        ``"auto"``: ``"dense"`` for up to 1500 samples, then ``"arpack"``, and ``"chebyshev"`` from 20,000,
        unless the Laplacian is cheap to factorise, or is unnormalised with very unequal degrees.
    rng : numpy.random.Generator
        Generator for the initial vectors.
    n_eigenvalues : int, optional
        Number of eigenvalues. Default: ``n_components``. The eigengap requires ``n_components + 1``.
    parts : ndarray of shape (n_samples,), optional
        Part of each sample, such as its component before bridges are added. Only weak edges may connect
        parts. Default: computed from S. Parts help iterative solvers to find eigenvalues near 0.
    n_jobs : int, optional
        Number of threads for ``"chebyshev"``; does not affect the result.

    Returns
    -------
    eigenvalues : ndarray of shape (n_eigenvalues,), increasing
    vectors : ndarray of shape (n_samples, n_components)
        Eigenvectors. Before rows are scaled, the entry of largest magnitude in each vector is positive.
    """
    S = short_indices(sp.csr_array(checked_graph(S)))
    n_samples = S.shape[0]
    n_pairs = n_components if n_eigenvalues is None else n_eigenvalues
    if not 1 <= n_components <= n_pairs <= n_samples:
        raise ValueError(
            f"n_components={n_components} and n_eigenvalues={n_pairs} must satisfy "
            f"1 <= n_components <= n_eigenvalues <= n_samples={n_samples}"
        )
    choice("laplacian", laplacian, ("sym", "unnormalized", "rw"))
    choice("eigen_solver", eigen_solver, get_args(EigenSolver))
    normalized = laplacian != "unnormalized"
    values, vectors = _pairs(S, n_components, n_pairs, normalized, eigen_solver, parts, rng, n_jobs)
    vectors = _fix_signs(vectors[:, :n_components])
    if laplacian == "sym":
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    elif laplacian == "rw":
        vectors = vectors * inverse_root(degrees(S))[:, None]
    # Rounding errors can make zero eigenvalues slightly negative.
    return np.maximum(values, 0.0), vectors


def _pairs(
    S: sp.csr_array,
    n_vectors: int,
    n_pairs: int,
    normalized: bool,
    solver: EigenSolver,
    parts: NDArray[Any] | None,
    rng: Generator,
    n_jobs: int | None,
) -> tuple[FloatArray, FloatArray]:
    n_samples = S.shape[0]
    kind: Literal["sym", "unnormalized"] = "sym" if normalized else "unnormalized"
    if solver == "dense" or (solver == "auto" and n_samples <= DENSE_UP_TO) or 2 * n_pairs > n_samples - 2:
        return dense_pairs(laplacian(S, kind), n_pairs)
    factorize = solver in ("auto", "arpack") and _factors_well(S)
    degree = degrees(S)
    scale = 1.0 if normalized else float(degree.max()) or 1.0
    # If the maximum degree of an unnormalised Laplacian exceeds 10 times the mean, a few very large
    # eigenvalues prevent filters from separating the lowest eigenvalues, whereas Lanczos iteration remains
    # fast.
    regular = normalized or scale <= 10.0 * degree.mean()
    if solver == "auto" and n_samples >= CHEBYSHEV_FROM and regular and not factorize:
        solver = "chebyshev"
    strength = inverse_root(degree) if normalized else np.ones(n_samples)
    parts = weakly_tied_parts(S, strength, scale, parts)
    L = laplacian(S, kind)
    known = part_basis(L, parts, np.sqrt(degree) if normalized else strength, scale)
    if solver == "pic":
        return power_pairs(L, n_pairs, scale, known, rng)
    if solver == "lobpcg":
        return lobpcg_pairs(L, n_pairs, scale, known, rng, jacobi=not normalized)
    if solver == "arpack" or solver == "auto":
        return lanczos_pairs(L, n_pairs, scale, known, rng, factorize=factorize)
    # Neighbours are placed close together in memory, because memory access limits large products.
    order = csgraph.reverse_cuthill_mckee(S, symmetric_mode=True)
    rows = L[order][:, order]
    rows.sort_indices()
    products = _Products(rows, n_jobs)
    values, found = chebyshev_pairs(products, n_pairs, scale, known[order], rng, n_vectors)
    vectors = np.empty_like(found)
    vectors[order] = found
    return values, vectors


def _factors_well(S: sp.csr_array) -> bool:
    """Return whether a factorisation of the Laplacian has little fill-in and takes at most a few seconds."""
    # The size of the widest level of a breadth-first search is an estimate of the bandwidth after reordering.
    n_samples = S.shape[0]
    if S.nnz > FACTOR_NEIGHBORS * n_samples:
        return False
    far = 0
    # The second search starts from the sample farthest from sample 0, because its levels are narrower.
    for _ in range(2):
        hops = csgraph.dijkstra(S, indices=far, unweighted=True)
        hops = np.where(np.isfinite(hops), hops, 0).astype(np.int64)
        far = int(hops.argmax())
    return n_samples * int(np.bincount(hops).max()) ** 2 <= _FACTOR_WORK


def _fix_signs(vectors: FloatArray) -> FloatArray:
    """Make the entry of largest magnitude in each column positive."""
    magnitude = np.abs(vectors)
    first = (magnitude >= (1.0 - 1e-6) * magnitude.max(axis=0)).argmax(axis=0)
    signs = np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    return vectors * signs


@documented(spectral_embedding)
def eigengap(
    S: Any, n_clusters: int, *, eigen_solver: EigenSolver = "auto", rng: Generator, n_jobs: int | None = None
) -> float:
    """Compute eigenvalue K + 1 minus eigenvalue K of the symmetric normalised Laplacian.

    Source: PESC, which uses this gap to select the scale factor of the similarities if no classes are known.

    Parameters
    ----------
    n_clusters : int
        K; the gap is 0 if K >= n_samples.
    """
    S = checked_graph(S)
    if n_clusters >= S.shape[0]:
        return 0.0
    values, _ = spectral_embedding(S, n_clusters + 1, eigen_solver=eigen_solver, rng=rng, n_jobs=n_jobs)
    return float(values[-1] - values[-2])


def dense_pairs(L: sp.csr_array, n_pairs: int) -> Pairs:
    values, vectors = eigh(L.toarray(), subset_by_index=[0, n_pairs - 1])
    return values, vectors


def lanczos_pairs(
    L: sp.csr_array, n_pairs: int, scale: float, known: sp.csr_array, rng: Generator, factorize: bool = False
) -> Pairs:
    """Compute the smallest eigenpairs in Lanczos runs. Each run is orthogonal to the vectors found so far."""
    # If several eigenvalues are nearly equal, each run finds only one of their eigenvectors, so runs are
    # repeated until no pair is missing. ``known`` contains orthonormal vectors that nearly span the null
    # space of L. Lanczos iteration takes fewer steps on the inverse of L + shift I than on I - L / scale.
    n = L.shape[0]
    step, tolerance = _inverse(L, scale) if factorize else ((lambda x: x - (L @ x) / scale), _RESIDUAL)
    found = _reduced_vectors(L, known, n_pairs)
    values, vectors = rayleigh_ritz(L, found, n_pairs) if found.shape[1] else (np.empty(0), found)
    for _ in range(6):
        n_missing = n_pairs - vectors.shape[1]
        room = n - max(known.shape[1], vectors.shape[1])
        wanted = min(n_missing if n_missing > 0 else min(n_pairs, 3), room)
        if wanted < 1:
            break
        new = _missing_vectors(step, known, vectors, wanted, tolerance, rng)
        if not new.shape[1]:
            break
        quotients = np.einsum("ij,ij->j", new, L @ new)
        if n_missing <= 0 and quotients.min() >= min(0.99 * values[-1], values[-1] - 1e-6 * scale):
            break
        values, vectors = rayleigh_ritz(L, np.column_stack([vectors, new]), n_pairs)
    if vectors.shape[1] < n_pairs:
        return power_pairs(L, n_pairs, scale, known, rng, n_steps=200)
    for _ in range(10):
        if residuals(L, values, vectors).max() <= _RESIDUAL * scale:
            break
        downhill = L @ vectors - vectors * values
        values, vectors = rayleigh_ritz(L, np.column_stack([vectors, downhill]), n_pairs)
    return values, vectors


def _inverse(L: sp.csr_array, scale: float) -> tuple[Step, float]:
    """Return a function that multiplies a vector by (L + shift I)^-1, and a tolerance for ARPACK."""
    shifted = (L + 1e-5 * scale * sp.eye_array(L.shape[0])).tocsc()
    options = {"SymmetricMode": True}
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return factors.solve, 1e-6


def _reduced_vectors(L: sp.csr_array, known: sp.csr_array, n_pairs: int) -> FloatArray:
    """Compute the Ritz vectors of at most ``n_pairs`` lowest Ritz values in the span of ``known``."""
    if known.shape[1] <= n_pairs:
        return known.toarray()
    reduced = (known.T @ L @ known).tocsr()
    if reduced.shape[0] <= 1500 or n_pairs >= reduced.shape[0] - 1:
        rotation = dense_pairs(reduced, n_pairs)[1]
    else:
        scale = float(reduced.diagonal().max()) or 1.0
        none, rng = sp.csr_array((reduced.shape[0], 0)), np.random.default_rng(0)
        rotation = lanczos_pairs(reduced, n_pairs, scale, none, rng, factorize=True)[1]
    return np.asarray(known @ rotation)


def _missing_vectors(
    step: Step, known: sp.csr_array, vectors: FloatArray, n_pairs: int, tolerance: float, rng: Generator
) -> FloatArray:
    """Compute leading eigenvectors of ``step`` that are orthogonal to ``known`` and ``vectors``.

    At most ``n_pairs`` orthonormal vectors are returned. Vectors that have not converged are omitted.
    """
    n, transposed = known.shape[0], known.T.tocsr()
    beside, weight, _ = svd(vectors - known @ (transposed @ vectors), full_matrices=False)
    beside = beside[:, weight > 1e-8]

    def outside(x: FloatArray) -> FloatArray:
        return x - known @ (transposed @ x) - beside @ (beside.T @ x)

    operator = LinearOperator((n, n), lambda x: outside(step(outside(x.reshape(-1)))), dtype=np.float64)
    start = outside(rng.standard_normal(n))
    limits = {"ncv": min(n, max(2 * n_pairs + 1, 20)), "maxiter": 100}
    try:
        found = eigsh(operator, n_pairs, which="LA", tol=tolerance, v0=start, **limits)[1]
    except ArpackNoConvergence as partial:
        found = partial.eigenvectors
    except ArpackError:
        found = np.empty((n, 0))
    return np.asarray(found, dtype=np.float64)


def chebyshev_pairs(
    products: _Products, n_pairs: int, scale: float, known: sp.csr_array, rng: Generator, n_vectors: int
) -> Pairs:
    """Compute the smallest eigenpairs by subspace iteration with polynomials that damp larger eigenvalues."""
    # Each round filters the block, makes its columns orthonormal, and computes the best eigenpairs in their
    # span. Converged vectors are not filtered again. Beyond the first ``n_vectors`` pairs, only eigenvalues
    # need to be accurate. The number of threads does not affect any sum, because threads process rows of L
    # and fixed blocks of vectors.
    L, n = products.L, products.L.shape[0]
    # The tolerance is stricter than for Lanczos iteration, because the final residuals are closer to it. If
    # only the eigenvalue of a pair is needed, the tolerance is looser, because the error of an eigenvalue is
    # of the order of the squared residual.
    allowed = np.full(n_pairs, 1e-5 * scale)
    allowed[n_vectors:] = 1e-3 * scale
    block = _reduced_vectors(L, known, n_pairs)
    n_random = min(n, n_pairs + max(_EXTRA, n_pairs // 4)) - block.shape[1]
    block = np.column_stack([block, rng.standard_normal((n, n_random))])
    with one_thread():
        for turn in range(_MAX_ROUNDS + 1):
            values, errors = _ritz_pairs(products, block)
            excess = errors[:n_pairs] / allowed
            if (excess.max() <= 1.0 and turn >= _MIN_ROUNDS) or block.shape[1] == n or turn == _MAX_ROUNDS:
                break
            n_kept = int(np.argmax(np.append(excess, np.inf) > 1.0))
            late = np.flatnonzero(excess > 1.0) if n_kept < n_pairs else np.array([n_pairs - 1])
            kept, block = block[:, :n_kept].copy(), block[:, n_kept:].copy()
            block = _filtered(products, block, values[-1], values[late], excess[late], scale)
            for _ in range(2):  # the second pass removes rounding errors of the first
                products.multiply(kept, -products.inner(kept, block), block)
            block = np.column_stack([kept, block])
            del kept  # free memory for the product with L
    if excess.max() > 1.0 and block.shape[1] < n:
        warn_caller(
            f"the eigenvectors did not converge: after {_MAX_ROUNDS} filters, the largest residual "
            f"is {excess.max():.2g} times the tolerance; eigen_solver='arpack' is slower but may be "
            "more accurate"
        )
    return values[:n_pairs], block[:, :n_pairs]


def _filtered(
    products: _Products, block: FloatArray, last: float, wanted: FloatArray, excess: FloatArray, scale: float
) -> FloatArray:
    """Multiply the block by a Chebyshev polynomial of L, and overwrite the block."""
    # The polynomial is small between ``cut`` and the upper bound 2 * scale on the eigenvalues, and grows
    # below ``cut``. ``last`` is the largest Ritz value of the block. Unless a limit is reached, the degree
    # suffices to divide the residuals of the Ritz values ``wanted`` by ``excess``.
    cut = min(max(last, wanted[-1] + 2e-3 * scale), 1.98 * scale)
    half, middle = scale - cut / 2.0, scale + cut / 2.0
    growth = np.maximum(np.arccosh((middle - np.minimum(wanted, cut)) / half), 1e-3)
    enough = float((np.log(10.0 * np.maximum(excess, 1.0)) / growth).max())
    degree = min(enough, _AMPLIFIED / np.arccosh(middle / half), _MAX_DEGREE)
    other = np.zeros_like(block)
    # The polynomials follow the recurrence T_(i+1) = 2 (middle - L) / half T_i - T_(i-1). Each polynomial is
    # divided by its value at L = 0.
    start = share = half / middle
    factors = (-share / half, share * middle / half, 0.0)
    for _ in range(max(2, int(np.ceil(degree)))):
        products.combine(block, factors, other)
        block, other = other, block
        following = 1.0 / (2.0 / start - share)
        factors = (-2.0 * following / half, 2.0 * following * middle / half, -share * following)
        share = following
    return block


def _ritz_pairs(products: _Products, block: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace a block by its Ritz vectors, and return the ascending Ritz values and their residual norms."""
    for _ in range(3):
        # A single pass would not make nearly dependent columns orthogonal to working precision.
        gram = products.inner(block, block)
        lengths = np.sqrt(np.diagonal(gram))
        weights, rotation = eigh(gram / lengths / lengths[:, None])
        products.multiply(block, rotation / np.sqrt(np.maximum(weights, 1e-14)) / lengths[:, None], block)
    image = np.zeros_like(block)
    products.combine(block, (1.0, 0.0, 0.0), image)
    reduced = products.inner(block, image)
    values, rotation = eigh((reduced + reduced.T) / 2.0)
    products.multiply(block, rotation, block)
    products.multiply(image, rotation, image)
    products.multiply(block, -np.diag(values), image)
    return values, np.sqrt(np.diagonal(products.inner(image, image)))


class _Products:
    """Products of L and blocks of vectors. The results do not depend on the number of threads."""

    def __init__(self, L: sp.csr_array, n_jobs: int | None) -> None:
        self.L, self.n_jobs = L, n_jobs

    def combine(self, block: FloatArray, factors: tuple[float, float, float], out: FloatArray) -> None:
        """Set ``out`` to a * L @ block + b * block + c * out, where ``factors`` contains a, b and c."""
        rows, n_entries = (self.L.indptr, self.L.indices, self.L.data), max(1, self.L.nnz // len(block))
        kernel = partial(combine_products, *rows, block, factors, out)
        for_blocks(kernel, len(block), block.shape[1] * n_entries, self.n_jobs)

    def multiply(self, block: FloatArray, small: FloatArray, out: FloatArray) -> None:
        """Add ``block @ small`` to ``out`` or, if ``out`` is the block, replace the block by the product."""

        def multiply(lo: int, hi: int) -> None:
            out[lo:hi] = block[lo:hi] @ small if out is block else out[lo:hi] + block[lo:hi] @ small

        for_blocks(multiply, len(block), small.size, self.n_jobs)

    def inner(self, left: FloatArray, right: FloatArray) -> FloatArray:
        shape = left.shape[1], right.shape[1]

        def add(lo: int, hi: int, total: FloatArray) -> None:
            np.matmul(left[lo:hi].T, right[lo:hi], out=total.reshape(shape))

        return sum_blocks(add, len(left), shape[0] * shape[1], np.float64, self.n_jobs).reshape(shape)


def lobpcg_pairs(
    L: sp.csr_array, n_pairs: int, scale: float, known: sp.csr_array, rng: Generator, *, jacobi: bool
) -> Pairs:
    """Run LOBPCG with additional vectors in the block or, if it does not converge, Lanczos iteration."""
    block = _start_block(known, min(n_pairs + _EXTRA, L.shape[0] // 5), rng)
    preconditioner = sp.diags_array(1.0 / np.maximum(L.diagonal(), 1e-12 * scale)) if jacobi else None
    with warnings.catch_warnings(), suppress(ValueError, np.linalg.LinAlgError):
        # Warnings are ignored, because the residuals are checked below.
        warnings.simplefilter("ignore")
        if block.shape[1] >= n_pairs:
            found = lobpcg(L, block, M=preconditioner, largest=False, tol=_RESIDUAL * scale, maxiter=200)[1]
            values, vectors = rayleigh_ritz(L, found, n_pairs)
            if residuals(L, values, vectors).max() <= 10.0 * _RESIDUAL * scale:
                return values, vectors
    return lanczos_pairs(L, n_pairs, scale, known, rng)


def _start_block(known: sp.csr_array, width: int, rng: Generator) -> FloatArray:
    n = known.shape[0]
    sizes = np.diff(known.tocsc().indptr)
    largest = np.argsort(-sizes, kind="stable")[:width]
    block = np.column_stack([known[:, largest].toarray(), rng.standard_normal((n, width - len(largest)))])
    return qr(block, mode="economic")[0]


def power_pairs(
    L: sp.csr_array, n_pairs: int, scale: float, known: sp.csr_array, rng: Generator, *, n_steps: int = 100
) -> Pairs:
    """Run orthogonalised block power iteration on I - L / (2 scale), followed by a Rayleigh-Ritz step."""
    block = _start_block(known, min(n_pairs + _EXTRA, L.shape[0]), rng)
    for _ in range(max(1, n_steps // 5)):
        for _ in range(5):
            block = block - (L @ block) / (2.0 * scale)
        block = qr(block, mode="economic")[0]
    return rayleigh_ritz(L, block, n_pairs)


def rayleigh_ritz(L: sp.csr_array, basis: FloatArray, n_pairs: int) -> Pairs:
    """Approximate the smallest eigenpairs in the span of ``basis``."""
    # The second pass makes nearly dependent vectors orthogonal to working precision.
    basis = qr(qr(basis, mode="economic")[0], mode="economic")[0]
    reduced = basis.T @ (L @ basis)
    values, rotation = eigh((reduced + reduced.T) / 2.0)
    return values[:n_pairs], basis @ rotation[:, :n_pairs]


def residuals(L: sp.csr_array, values: FloatArray, vectors: FloatArray) -> FloatArray:
    return np.sqrt(((L @ vectors - vectors * values) ** 2).sum(axis=0))


def weakly_tied_parts(
    S: sp.csr_array, strength: FloatArray, scale: float, parts: NDArray[Any] | None
) -> Int32Array:
    """Find the components of a graph after deleting weak edges and edges between different ``parts``."""
    # An edge is weak if s_ij * strength_i * strength_j is below a thousandth of ``scale``. Each part causes
    # an eigenvalue near zero, which Lanczos iteration can hardly separate from the others. If the graph
    # without weak edges had more than one part per 20 samples, weak edges are kept.
    ids = np.arange(S.shape[0], dtype=np.int32)
    known = np.zeros(len(ids), dtype=np.int32) if parts is None else parts
    for least in (_WEAK * scale, -np.inf):
        found = ids.copy()
        join_entries(S.indptr, S.indices, S.data, strength, least, known, found)
        first = found == ids
        if np.count_nonzero(first) <= len(ids) // 20:
            break
    return np.asarray(np.cumsum(first, dtype=np.int32)[found] - 1)


def part_basis(L: sp.csr_array, parts: NDArray[Any], lengths: FloatArray, scale: float) -> sp.csr_array:
    """Return orthonormal vectors that nearly span the null space of L, each non-zero in one part only."""
    # A part without edges to other parts has a null vector, which consists of the part's entries of
    # ``lengths``, that is, of ones or square roots of degrees. If edges to other parts make the vector differ
    # much from a null vector, the vector is omitted.
    n, n_parts = len(parts), int(parts.max()) + 1
    lengths = np.where(lengths > 0, lengths, 1.0)
    norms = np.sqrt(np.bincount(parts, weights=lengths**2, minlength=n_parts))
    basis = sp.csr_array((lengths / norms[parts], (np.arange(n), parts)), shape=(n, n_parts))
    quotient = np.asarray((basis * (L @ basis)).sum(axis=0)).reshape(-1)
    return basis[:, np.flatnonzero(quotient <= 10.0 * _WEAK * scale)].tocsr()
