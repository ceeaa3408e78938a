"""Laplacians, eigenpairs, embedding, cuts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, qr, svd
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh, lobpcg, splu
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from moo_clustering._arrays import FloatArray, number_clusters
from moo_clustering.graphs.neighbors import CHUNK, Metric, NeighborLists
from moo_clustering.graphs.similarity import bridge_components, short_indices, symmetrize

Laplacian = Literal["sym", "unnormalized", "rw"]
EigenSolver = Literal["auto", "dense", "arpack", "lobpcg", "pic"]
_DENSE = 1500
# Factors of graphs with more neighbours than this fill in too much to be worth it.
_FACTOR_NEIGHBORS = 24
_FACTOR_WORK = 4e11
Pairs = tuple[FloatArray, FloatArray]
Step = Callable[[FloatArray], FloatArray]
# Accepted |L u - lambda u| relative to the scale of L.
_RESIDUAL = 1e-4
_MAX_PASSES = 6
_MAX_RESTARTS = 100
_SPARE = 4
_WEAK = 1e-3
# Above so many samples k-means sees a part of them only.
_ALL_FITTED = 100_000
_FITTED = 20_000
# Sparse graphs up to this size are solved as dense matrices.
_DENSE_CUTS = 2000


def eigengap(
    S: Any, n_clusters: int, *, eigen_solver: EigenSolver = "auto", rng: np.random.Generator
) -> float:
    """Eigenvalue K + 1 minus eigenvalue K of the symmetric normalised Laplacian, without labels.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities, zero diagonal.
    n_clusters : int
        K; the gap of K = n_samples is 0.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
    rng : numpy.random.Generator
        Draws starting vectors.

    Returns
    -------
    float

    References
    ----------
    PESC: a rule for the scale factor that needs no classes.
    """
    if n_clusters >= S.shape[0]:
        return 0.0
    values, _ = spectral_embedding(S, n_clusters + 1, laplacian="sym", eigen_solver=eigen_solver, rng=rng)
    return float(values[-1] - values[-2])


def spectral_embedding(
    S: Any,
    n_components: int,
    *,
    laplacian: Laplacian = "sym",
    eigen_solver: EigenSolver = "auto",
    rng: np.random.Generator,
    n_eigenvalues: int | None = None,
    parts: NDArray[Any] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of the smallest eigenvalues of a graph Laplacian, the constant one included.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities, zero diagonal.
    n_components : int
        Number of vectors.
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
        ``"sym"``: eigenvectors of I - D^(-1/2) S D^(-1/2), rows scaled to unit length (zero rows stay
        zero). ``"unnormalized"``: of D - S. ``"rw"``: D^(-1/2) times those of ``"sym"`` before scaling.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
        ``"auto"``: dense up to 1500 samples, otherwise ``"arpack"``: Lanczos, on the inverse where a
        factorisation is cheap (small or low-dimensional data). ``"lobpcg"``: block conjugate gradients,
        Jacobi preconditioner for the unnormalised Laplacian. ``"pic"``: 100 steps of block power
        iteration, quick and rough.
    rng : numpy.random.Generator
        Draws starting vectors.
    n_eigenvalues : int, optional
        Number of eigenvalues, at least ``n_components`` (the default); one more shows the eigengap.
    parts : ndarray of shape (n_samples,), optional
        Numbers 0, 1, ... of parts that are only weakly tied, for instance the components before
        bridging; default the connected components. Helps iterative solvers past the near-zero
        eigenvalues; does not change what is computed.

    Returns
    -------
    eigenvalues : ndarray of shape (n_eigenvalues,), increasing
    vectors : ndarray of shape (n_samples, n_components)
        The entry of largest magnitude of every vector is positive before rows are scaled.

    Raises
    ------
    ValueError
        More vectors or eigenvalues than samples, or fewer eigenvalues than vectors.

    Notes
    -----
    Iterative solvers: O(nnz + n_samples n_components) memory and, per step, time; residuals of 1e-4
    relative to the largest degree.

    References
    ----------
    PESC, Algorithm 1 (Eq. 7).
    """
    S = short_indices(sp.csr_array(S, dtype=np.float64))
    n_samples = S.shape[0]
    n_pairs = n_components if n_eigenvalues is None else n_eigenvalues
    if not 1 <= n_components <= n_pairs <= n_samples:
        raise ValueError(
            f"n_components={n_components} and n_eigenvalues={n_pairs} must satisfy "
            f"1 <= n_components <= n_eigenvalues <= n_samples={n_samples}."
        )
    if laplacian not in ("sym", "unnormalized", "rw"):
        raise ValueError(f"laplacian must be 'sym', 'unnormalized' or 'rw', got {laplacian!r}.")
    if eigen_solver not in ("auto", "dense", "arpack", "lobpcg", "pic"):
        raise ValueError(
            f"eigen_solver must be 'auto', 'dense', 'arpack', 'lobpcg' or 'pic', got {eigen_solver!r}."
        )
    values, vectors = _pairs(S, n_pairs, laplacian != "unnormalized", eigen_solver, parts, rng)
    vectors = _fix_signs(vectors[:, :n_components])
    if laplacian == "sym":
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    elif laplacian == "rw":
        vectors = vectors * inverse_root(degrees(S))[:, None]
    # Rounding can leave the zeros of the spectrum slightly negative.
    return np.maximum(values, 0.0), vectors


def _pairs(
    S: sp.csr_array,
    n_pairs: int,
    normalized: bool,
    solver: EigenSolver,
    parts: NDArray[Any] | None,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    n_samples = S.shape[0]
    L = laplacian(S, "sym" if normalized else "unnormalized")
    if solver == "dense" or (solver == "auto" and n_samples <= _DENSE) or 2 * n_pairs > n_samples - 2:
        return dense_pairs(L, n_pairs)
    degree = degrees(S)
    scale = 1.0 if normalized else float(degree.max()) or 1.0
    strength = inverse_root(degree) if normalized else np.ones(n_samples)
    parts = weakly_tied_parts(S, strength, scale, parts)
    known = part_basis(L, parts, np.sqrt(degree) if normalized else strength, scale)
    if solver == "pic":
        return power_pairs(L, n_pairs, scale, known, rng)
    if solver == "lobpcg":
        return lobpcg_pairs(L, n_pairs, scale, known, rng, jacobi=not normalized)
    return lanczos_pairs(L, n_pairs, scale, known, rng, factorize=_factors_well(S))


def _factors_well(S: sp.csr_array) -> bool:
    """Whether a factorisation of the Laplacian fills in so little that it takes seconds at most.

    The widest level of a breadth-first search bounds the width of a band the graph can be brought to.
    """
    n_samples = S.shape[0]
    if S.nnz > _FACTOR_NEIGHBORS * n_samples:
        return False
    far = 0
    # From an end of the graph rather than from its middle.
    for _ in range(2):
        hops = csgraph.dijkstra(S, indices=far, unweighted=True)
        hops = np.where(np.isfinite(hops), hops, 0).astype(np.int64)
        far = int(hops.argmax())
    return n_samples * int(np.bincount(hops).max()) ** 2 <= _FACTOR_WORK


def _fix_signs(vectors: FloatArray) -> FloatArray:
    """Every column with its entry of largest magnitude positive; the first among (nearly) equal ones."""
    magnitude = np.abs(vectors)
    first = (magnitude >= (1.0 - 1e-6) * magnitude.max(axis=0)).argmax(axis=0)
    signs = np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    return vectors * signs


def dense_pairs(L: sp.csr_array, n_pairs: int) -> Pairs:
    """All-dense solution; O(n^3) time, O(n^2) memory."""
    values, vectors = eigh(L.toarray(), subset_by_index=[0, n_pairs - 1])
    return values, vectors


def lanczos_pairs(
    L: sp.csr_array,
    n_pairs: int,
    scale: float,
    known: sp.csr_array,
    rng: np.random.Generator,
    *,
    factorize: bool = False,
) -> Pairs:
    """Lanczos iteration, repeated on what is orthogonal to the vectors found until nothing is missing.

    One Lanczos run sees one vector of an eigenspace, so it passes over copies of eigenvalues that
    are (nearly) equal, as the zeros of a graph in (nearly) separate parts are.

    Parameters
    ----------
    L : csr_array
        Laplacian with eigenvalues in [0, 2 scale].
    n_pairs : int
    scale : float
    known : csr_array of shape (n, c)
        Orthonormal vectors, one per part of the graph, that span what is almost the null space.
    rng : numpy.random.Generator
        Draws the starting vectors.
    factorize : bool, default=False
        Iterate with (L + tiny I)^-1 instead of I - L / scale. Far fewer steps, but the memory for the
        factors grows fast with the number of neighbours of a sample.
    """
    n = L.shape[0]
    step, tolerance = _inverse(L, scale) if factorize else _forward(L, scale)
    found = _reduced_vectors(L, known, n_pairs)
    values, vectors = rayleigh_ritz(L, found, n_pairs) if found.shape[1] else (np.empty(0), found)
    for _ in range(_MAX_PASSES):
        n_missing = n_pairs - vectors.shape[1]
        operator = _Deflated(step, known, vectors)
        room = n - max(known.shape[1], vectors.shape[1])
        wanted = min(n_missing if n_missing > 0 else min(n_pairs, 3), room)
        if wanted < 1:
            break
        new = operator.largest(wanted, tolerance, rng)
        if not new.shape[1]:
            break
        quotients = np.einsum("ij,ij->j", new, L @ new)
        if n_missing <= 0 and quotients.min() >= min(0.99 * values[-1], values[-1] - 1e-6 * scale):
            break
        values, vectors = rayleigh_ritz(L, np.column_stack([vectors, new]), n_pairs)
    if vectors.shape[1] < n_pairs:
        return power_pairs(L, n_pairs, scale, known, rng, n_steps=200)
    return _refine(L, values, vectors, scale)


def _forward(L: sp.csr_array, scale: float) -> tuple[Step, float]:
    """x -> (I - L / scale) x, and the tolerance of Lanczos that leaves residuals small enough."""
    return (lambda x: x - (L @ x) / scale), _RESIDUAL


def _inverse(L: sp.csr_array, scale: float) -> tuple[Step, float]:
    """x -> (L + shift I)^-1 x by one sparse factorisation, and the tolerance for it."""
    shifted = (L + 1e-5 * scale * sp.eye_array(L.shape[0])).tocsc()
    options = {"SymmetricMode": True}
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return factors.solve, 1e-6


class _Deflated:
    """A symmetric operator on the orthogonal complement of vectors already known."""

    def __init__(self, step: Step, known: sp.csr_array, vectors: FloatArray) -> None:
        self.step, self.known = step, known
        self.known_t = known.T.tocsr()
        beside, weight, _ = svd(vectors - known @ (self.known_t @ vectors), full_matrices=False)
        self.beside = beside[:, weight > 1e-8]

    def outside(self, x: FloatArray) -> FloatArray:
        residual: FloatArray = x - self.known @ (self.known_t @ x) - self.beside @ (self.beside.T @ x)
        return residual

    def matvec(self, x: FloatArray) -> FloatArray:
        return self.outside(self.step(self.outside(x.reshape(-1))))

    def largest(self, n_pairs: int, tolerance: float, rng: np.random.Generator) -> FloatArray:
        """Vectors of the largest eigenvalues, as many as converge, orthonormal."""
        n = self.known.shape[0]
        start = self.outside(rng.standard_normal(n))
        operator = LinearOperator((n, n), matvec=self.matvec, dtype=np.float64)
        try:
            _, vectors = eigsh(
                operator,
                n_pairs,
                which="LA",
                tol=tolerance,
                v0=start,
                ncv=min(n, max(2 * n_pairs + 1, 20)),
                maxiter=_MAX_RESTARTS,
            )
        except ArpackNoConvergence as partial:
            vectors = partial.eigenvectors
        except ArpackError:
            vectors = np.empty((n, 0))
        return np.asarray(vectors, dtype=np.float64)


def lobpcg_pairs(
    L: sp.csr_array,
    n_pairs: int,
    scale: float,
    known: sp.csr_array,
    rng: np.random.Generator,
    *,
    jacobi: bool,
) -> Pairs:
    """Block conjugate gradients with a block somewhat wider than asked; Lanczos if it breaks down."""
    block = _start_block(known, min(n_pairs + _SPARE, L.shape[0] // 5), rng)
    preconditioner = sp.diags_array(1.0 / np.maximum(L.diagonal(), 1e-12 * scale)) if jacobi else None
    if block.shape[1] < n_pairs:
        return lanczos_pairs(L, n_pairs, scale, known, rng)
    with warnings.catch_warnings():
        # Whether it converged is checked below, by residuals.
        warnings.simplefilter("ignore")
        try:
            _, vectors = lobpcg(L, block, M=preconditioner, largest=False, tol=_RESIDUAL * scale, maxiter=200)
        except (ValueError, np.linalg.LinAlgError):
            return lanczos_pairs(L, n_pairs, scale, known, rng)
    if not np.isfinite(vectors).all():
        return lanczos_pairs(L, n_pairs, scale, known, rng)
    values, vectors = rayleigh_ritz(L, vectors, n_pairs)
    if residuals(L, values, vectors).max() > 10.0 * _RESIDUAL * scale:
        return lanczos_pairs(L, n_pairs, scale, known, rng)
    return values, vectors


def power_pairs(
    L: sp.csr_array,
    n_pairs: int,
    scale: float,
    known: sp.csr_array,
    rng: np.random.Generator,
    *,
    n_steps: int = 100,
) -> Pairs:
    """Block power iteration on I - L / (2 scale), orthogonalised, with a final Rayleigh-Ritz step."""
    block = _start_block(known, min(n_pairs + _SPARE, L.shape[0]), rng)
    for _ in range(max(1, n_steps // 5)):
        for _ in range(5):
            block = block - (L @ block) / (2.0 * scale)
        block = qr(block, mode="economic")[0]
    return rayleigh_ritz(L, block, n_pairs)


def rayleigh_ritz(L: sp.csr_array, basis: FloatArray, n_pairs: int) -> Pairs:
    """Best approximations to the smallest eigenpairs within the span of some vectors."""
    # A second pass makes nearly dependent vectors orthogonal to working precision.
    basis = qr(qr(basis, mode="economic")[0], mode="economic")[0]
    reduced = basis.T @ (L @ basis)
    values, rotation = eigh((reduced + reduced.T) / 2.0)
    return values[:n_pairs], basis @ rotation[:, :n_pairs]


def _reduced_vectors(L: sp.csr_array, known: sp.csr_array, n_pairs: int) -> FloatArray:
    """The best ``n_pairs`` vectors within the span of the known ones."""
    if known.shape[1] <= n_pairs:
        return known.toarray()
    reduced = (known.T @ L @ known).tocsr()
    if reduced.shape[0] <= 1500 or n_pairs >= reduced.shape[0] - 1:
        rotation = dense_pairs(reduced, n_pairs)[1]
    else:
        scale = float(reduced.diagonal().max()) or 1.0
        none, rng = sp.csr_array((reduced.shape[0], 0)), np.random.default_rng(0)
        # Parts are tied by few edges, so that the factors hardly fill in.
        rotation = lanczos_pairs(reduced, n_pairs, scale, none, rng, factorize=True)[1]
    return np.asarray(known @ rotation)


def _start_block(known: sp.csr_array, width: int, rng: np.random.Generator) -> FloatArray:
    n = known.shape[0]
    sizes = np.diff(known.tocsc().indptr)
    largest = np.argsort(-sizes, kind="stable")[:width]
    block = np.column_stack([known[:, largest].toarray(), rng.standard_normal((n, width - len(largest)))])
    return qr(block, mode="economic")[0]


def residuals(L: sp.csr_array, values: FloatArray, vectors: FloatArray) -> FloatArray:
    """|L u - lambda u| of every pair."""
    lengths: FloatArray = np.sqrt(((L @ vectors - vectors * values) ** 2).sum(axis=0))
    return lengths


def _refine(L: sp.csr_array, values: FloatArray, vectors: FloatArray, scale: float) -> Pairs:
    """Descent steps until the residuals are small."""
    for _ in range(10):
        if residuals(L, values, vectors).max() <= _RESIDUAL * scale:
            break
        downhill = L @ vectors - vectors * values
        values, vectors = rayleigh_ritz(L, np.column_stack([vectors, downhill]), len(values))
    return values, vectors


def weakly_tied_parts(
    S: sp.csr_array, strength: FloatArray, scale: float, parts: NDArray[Any] | None
) -> NDArray[np.int32]:
    """Parts of a graph that only weak edges, or edges between given parts, hold together.

    Parameters
    ----------
    S : csr_array of shape (n, n)
    strength : ndarray of shape (n,)
        An edge counts as s_ij * strength_i * strength_j.
    scale : float
        Edges below a thousandth of it are weak.
    parts : ndarray of shape (n,), optional

    Notes
    -----
    Every such part makes an eigenvalue near zero, which Lanczos tells apart from the others with
    difficulty only. With very many weak edges (more than a part per 20 samples) they say nothing.
    """
    edges = S.tocoo()
    row, column = edges.coords
    tied = edges.data * strength[row] * strength[column] >= _WEAK * scale
    inside = np.ones(len(row), dtype=np.bool_) if parts is None else parts[row] == parts[column]
    for kept in (tied & inside, inside):
        graph = sp.coo_array((np.ones(np.count_nonzero(kept)), (row[kept], column[kept])), shape=S.shape)
        n_parts, found = csgraph.connected_components(graph.tocsr(), directed=False)
        if n_parts <= len(strength) // 20:
            break
    return np.asarray(found)


def part_basis(L: sp.csr_array, parts: NDArray[Any], lengths: FloatArray, scale: float) -> sp.csr_array:
    """Orthonormal vectors, one per part of a graph that is hardly tied to the rest.

    Parameters
    ----------
    L : csr_array of shape (n, n)
    parts : ndarray of shape (n,)
        Part of every sample, 0, 1, ....
    lengths : ndarray of shape (n,)
        Null vector of L for a connected graph: ones, or roots of the degrees.
    scale : float

    Notes
    -----
    A part whose vector is no near-null vector of L, as a single sample under the normalised
    Laplacian, is left out.
    """
    n, n_parts = len(parts), int(parts.max()) + 1
    lengths = np.where(lengths > 0, lengths, 1.0)
    norms = np.sqrt(np.bincount(parts, weights=lengths**2, minlength=n_parts))
    basis = sp.csr_array((lengths / norms[parts], (np.arange(n), parts)), shape=(n, n_parts))
    quotient = np.asarray((basis * (L @ basis)).sum(axis=0)).reshape(-1)
    return basis[:, np.flatnonzero(quotient <= 10.0 * _WEAK * scale)].tocsr()


def degrees(S: sp.csr_array) -> NDArray[np.float64]:
    """Row sums of a symmetric similarity matrix."""
    return np.asarray(S.sum(axis=1), dtype=np.float64).reshape(-1)


def inverse_root(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / sqrt(x), with 0 for x = 0."""
    with np.errstate(divide="ignore"):
        return np.where(values > 0, 1.0 / np.sqrt(values), 0.0)


def laplacian(S: Any, kind: Literal["unnormalized", "sym"] = "unnormalized") -> sp.csr_array:
    """L = D - S, or L_sym = I - D^(-1/2) S D^(-1/2), with D the diagonal of row sums.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric, zero diagonal.
    kind : {"unnormalized", "sym"}, default="unnormalized"

    Returns
    -------
    csr_array
        The row of a sample without edges is zero in both, so that it spans a null vector by itself.

    References
    ----------
    PESC, Algorithm 1, Eq. 7.
    """
    S = sp.csr_array(S, dtype=np.float64)
    degree = degrees(S)
    if kind == "unnormalized":
        return (sp.diags_array(degree) - S).tocsr()
    if kind == "sym":
        root = sp.diags_array(inverse_root(degree))
        return (sp.diags_array((degree > 0).astype(np.float64)) - root @ S @ root).tocsr()
    raise ValueError(f"kind must be 'unnormalized' or 'sym', got {kind!r}.")


@dataclass(frozen=True, eq=False)
class SpectralPartition:
    """Result of :func:`spectral_partition`.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        Clusters, numbered by first appearance.
    similarity : csr_array of shape (n_samples, n_samples)
        The graph that was clustered: symmetric, bridges included.
    embedding : ndarray of shape (n_samples, n_clusters)
        Rows that k-means was run on.
    eigenvalues : ndarray of shape (n_clusters + 1,), or (n_samples,) if that is less
        Smallest eigenvalues of the Laplacian; the step between the last two is the eigengap.
    n_components : int
        Connected components before bridging.
    """

    labels: NDArray[np.int32]
    similarity: sp.csr_array
    embedding: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    n_components: int


def spectral_partition(
    S: Any,
    n_clusters: int,
    *,
    laplacian: Laplacian = "sym",
    bridge: bool = True,
    X: ArrayLike | None = None,
    metric: Metric = "euclidean",
    lists: NeighborLists | None = None,
    eigen_solver: EigenSolver = "auto",
    rng: np.random.Generator,
) -> SpectralPartition:
    """Spectral clustering: Laplacian, first eigenvectors, k-means on their rows.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Non-negative similarities, symmetrised by max(S, S^T).
    n_clusters : int
        K, from 1 to n_samples.
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
    bridge : bool, default=True
        Make a disconnected graph connected, see :func:`bridge_components`; needs ``X``. Without it the
        components are the clusters if there are K of them, and the result means little if there are
        more.
    X, metric, lists
        As in :func:`bridge_components`.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
        See :func:`spectral_embedding`.
    rng : numpy.random.Generator

    Returns
    -------
    SpectralPartition

    Raises
    ------
    ValueError
        K out of range, or a disconnected graph with ``bridge=True`` and no ``X``.

    Notes
    -----
    K = 1 and K = n_samples give the trivial partitions. Above 100000 samples k-means is fitted to
    20000 of them.

    References
    ----------
    PESC, Algorithm 1.
    """
    graph = symmetrize(S)
    n_samples = graph.shape[0]
    if not 1 <= n_clusters <= n_samples:
        raise ValueError(f"n_clusters must be from 1 to n_samples={n_samples}, got {n_clusters}.")
    n_components, parts = csgraph.connected_components(graph, directed=False)
    if bridge and n_components > 1:
        if X is None:
            raise ValueError(
                f"the graph has {n_components} components and bridge=True needs X to link them; "
                "give X or set bridge=False."
            )
        graph = bridge_components(graph, X, metric=metric, lists=lists, rng=rng)
    elif n_components > n_clusters:
        warnings.warn(
            f"the graph has {n_components} components, more than n_clusters={n_clusters}: its first "
            "eigenvectors are arbitrary and so is the partition. Use bridge=True or a denser graph.",
            UserWarning,
            stacklevel=2,
        )
    values, embedding = spectral_embedding(
        graph,
        n_clusters,
        laplacian=laplacian,
        eigen_solver=eigen_solver,
        rng=rng,
        n_eigenvalues=min(n_clusters + 1, n_samples),
        parts=parts,
    )
    if n_clusters == n_samples:
        labels = np.arange(n_samples)
    elif n_clusters == n_components and not bridge:
        labels = parts
    else:
        labels = _cluster_rows(embedding, n_clusters, rng)
    return SpectralPartition(number_clusters(labels)[0], graph, embedding, values, n_components)


def _cluster_rows(embedding: NDArray[np.float64], n_clusters: int, rng: np.random.Generator) -> NDArray[Any]:
    n_samples = len(embedding)
    seed = int(rng.integers(2**31 - 1))
    if n_clusters == 1:
        return np.zeros(n_samples, dtype=np.int32)
    kmeans = KMeans(n_clusters, init="k-means++", n_init=10, random_state=seed)
    if n_samples <= _ALL_FITTED:
        return kmeans.fit_predict(embedding)
    sample = rng.choice(n_samples, size=max(_FITTED, min(n_samples, 50 * n_clusters)), replace=False)
    return kmeans.fit(embedding[np.sort(sample)]).predict(embedding)


def ratio_cut(W: Any, labels: ArrayLike) -> NDArray[np.float64]:
    """Ratio cut ``sum_c cut(C_c, rest) / |C_c|`` of partitions; less is better.

    Parameters
    ----------
    W : sparse matrix or array-like of shape (n_samples, n_samples)
        Similarities, symmetrised by max(W, W^T).
    labels : array-like of shape (n_partitions, n_samples) or (n_samples,)
        Clusters 0, 1, ...; numbers may be left out.

    Returns
    -------
    ndarray of shape (n_partitions,)

    Raises
    ------
    ValueError
        Labels of another shape, or negative.

    Notes
    -----
    An edge between two clusters counts once for each of them. It favours cutting off single samples where
    the graph is thin. O(n_partitions nnz) time; O(nnz) memory and some tens of megabytes.

    References
    ----------
    Luo, Jiao and Lozano, IEEE TEVC, 2016, where it picks one partition of a front.

    Examples
    --------
    >>> W = [[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]]
    >>> ratio_cut(W, [[0, 0, 1], [0, 0, 0]])
    array([0.75, 0.  ])
    """
    graph = symmetrize(W).tocoo()
    partitions = np.atleast_2d(np.asarray(labels))
    if partitions.ndim != 2 or partitions.shape[1] != graph.shape[0]:
        raise ValueError(f"labels must have shape (n_partitions, {graph.shape[0]}), got {np.shape(labels)}.")
    if partitions.dtype.kind not in "iu" or partitions.min(initial=0) < 0:
        raise ValueError("labels must be integers from 0.")
    values = np.empty(len(partitions))
    step = max(1, CHUNK // max(graph.nnz, graph.shape[0]))
    for lo in range(0, len(partitions), step):
        values[lo : lo + step] = _ratio_cuts(graph, partitions[lo : lo + step].astype(np.int64))
    return values


def _ratio_cuts(graph: Any, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    n_partitions, n_clusters = len(labels), int(labels.max(initial=0)) + 1
    row, column = graph.coords
    cut = labels[:, row] != labels[:, column]
    which, edge = np.nonzero(cut)
    cell = which * n_clusters + labels[which, row[edge]]
    cuts = np.bincount(cell, weights=graph.data[edge], minlength=n_partitions * n_clusters)
    cells = labels + n_clusters * np.arange(n_partitions)[:, None]
    sizes = np.bincount(cells.ravel(), minlength=n_partitions * n_clusters)
    ratios = np.divide(cuts, sizes, out=np.zeros(len(cuts)), where=sizes > 0)
    total: NDArray[np.float64] = ratios.reshape(n_partitions, n_clusters).sum(axis=1)
    return total


def spectral_cuts(
    S: Any, ks: Sequence[int] | NDArray[Any], *, n_init: int = 3, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Spectral partitions of one graph into each of several numbers of clusters.

    For every k: the first k eigenvectors of D^(-1/2) S D^(-1/2) (largest eigenvalues), rows scaled to
    unit length, k-means++.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (m, m)
        Symmetric similarities, none negative; the diagonal counts.
    ks : sequence of int
        Numbers of clusters, at least 1 each. 1 gives one cluster, m or more gives singletons.
    n_init : int, default=3
        Starts of k-means.
    rng : numpy.random.Generator
        One seed is drawn per k, and starting vectors for large sparse graphs.

    Returns
    -------
    ndarray of shape (len(ks), m), int32
        Clusters numbered by first appearance; fewer than k if fewer rows differ. Samples without any
        similarity have a zero row and go to the cluster whose centre is nearest to the origin.

    Raises
    ------
    ValueError
        S not square, not symmetric or with negative or infinite entries; a k or n_init below 1.

    Notes
    -----
    Dense matrices, and sparse ones up to 2000 samples: O(m^3) time, O(m^2) memory. Larger sparse ones:
    Lanczos as in :func:`spectral_embedding`. Computed in one thread, so that neither rounding nor the
    result depends on how many there are.

    References
    ----------
    Ng, Jordan and Weiss, On spectral clustering, NIPS 2001.
    """
    S, wanted = _checked_similarities(S), checked_counts(ks)
    if n_init < 1:
        raise ValueError(f"n_init must be at least 1, got {n_init}.")
    m = S.shape[0]
    seeds = rng.integers(2**31 - 1, size=len(wanted))
    labels = np.zeros((len(wanted), m), dtype=np.int32)
    labels[wanted >= m] = np.arange(m)
    between = np.flatnonzero((wanted > 1) & (wanted < m))
    if not len(between):
        return labels
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Fewer different rows than clusters: allowed, see Returns.
        warnings.simplefilter("ignore", ConvergenceWarning)
        vectors = _leading_vectors(S, int(wanted[between].max()), rng)
        for q in between:
            rows = _unit_rows(vectors[:, : wanted[q]])
            kmeans = KMeans(int(wanted[q]), init="k-means++", n_init=n_init, random_state=int(seeds[q]))
            labels[q] = kmeans.fit_predict(rows)
    return np.stack([number_clusters(row)[0] for row in labels])


def checked_counts(ks: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    """Numbers of clusters as an array."""
    counts = np.asarray(ks)
    if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu"):
        raise ValueError(f"ks must be a sequence of integers, got {ks!r}.")
    if counts.size and counts.min() < 1:
        raise ValueError(f"ks must be at least 1 each, got {counts.min()}.")
    return counts.astype(np.int64)


def _checked_similarities(S: Any) -> Any:
    S = sp.csr_array(S, dtype=np.float64) if sp.issparse(S) else np.asarray(S, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not S.shape[0]:
        raise ValueError(f"S must be a square matrix of similarities, got shape {S.shape}.")
    entries = S.data if sp.issparse(S) else S
    if entries.size and (not np.isfinite(entries).all() or entries.min() < 0):
        raise ValueError("S must hold finite similarities, none of them negative.")
    if entries.size and abs(S - S.T).max() > 1e-8 * entries.max():
        raise ValueError("S must be symmetric; symmetrize(S) takes the larger of two entries.")
    return S


def _leading_vectors(S: Any, n_vectors: int, rng: np.random.Generator) -> FloatArray:
    """Eigenvectors of B up to the scale of their rows, 0 for samples without similarities."""
    degree = np.asarray(S.sum(axis=1), dtype=np.float64).reshape(-1)
    tied = np.flatnonzero(degree > 0)
    vectors = np.zeros((len(degree), n_vectors))
    n_found = min(n_vectors, len(tied))
    if not n_found:
        return vectors
    inner = S if len(tied) == len(degree) else S[tied][:, tied]
    if sp.issparse(S) and len(tied) > _DENSE_CUTS:
        # D^(-1/2) scales rows only, which unit length undoes.
        vectors[tied, :n_found] = spectral_embedding(inner, n_found, laplacian="rw", rng=rng)[1]
        return vectors
    root = inverse_root(degree[tied])
    B = (inner.toarray() if sp.issparse(inner) else inner) * root[:, None] * root
    last = len(tied) - 1
    found = eigh(B, subset_by_index=[last - n_found + 1, last], overwrite_a=True, check_finite=False)[1]
    vectors[tied, :n_found] = found[:, ::-1]
    return vectors


def _unit_rows(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
