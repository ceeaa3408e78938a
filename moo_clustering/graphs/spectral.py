"""Spectral clustering of similarity graphs, and the ratio cut of partitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas, eigh
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.cluster import KMeans

from moo_clustering._arrays import block_slices, integer, number_clusters, warn_caller
from moo_clustering._data import checked_array, checked_graph, checked_integers, checked_weights
from moo_clustering._docs import documented
from moo_clustering._kernels import caching
from moo_clustering._kernels.kmeans import greedy_seeds, lloyd
from moo_clustering._parallel import one_thread
from moo_clustering._types import FloatArray, Int32Array, Int64Array
from moo_clustering.graphs import embedding as embeddings
from moo_clustering.graphs.bridges import bridge_components, bridge_weight, link_parts
from moo_clustering.graphs.matrices import degrees, inverse_root, symmetrize, symmetrized
from moo_clustering.graphs.neighbors import Metric, NeighborLists

FITTED_IN_FULL = 100_000
FITTED_SAMPLE = 20_000
_MAX_PASSES, _TOLERANCE = 300, 1e-4
DENSE_UP_TO = 2000
# Lanczos iteration is used from _LANCZOS_FROM samples on. For a dense matrix, the number of vectors must be
# at most _LANCZOS_SHARE times the number of samples, and at most _RESTARTS restarts must suffice.
_LANCZOS_FROM, _LANCZOS_SHARE, _RESTARTS = 512, 1 / 16, 40


@dataclass(frozen=True, eq=False)
class SpectralPartition:
    """Result of :func:`spectral_partition`.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        Clusters, numbered by first appearance.
    similarity : csr_array of shape (n_samples, n_samples)
        Graph that was clustered, after symmetrisation and bridging.
    embedding : ndarray of shape (n_samples, n_clusters)
        Points that were clustered by k-means, one row per sample.
    eigenvalues : ndarray of shape (min(n_clusters + 1, n_samples),)
        Smallest eigenvalues of the Laplacian. The difference between the last two is the eigengap.
    n_components : int
        Number of connected components before bridging.
    """

    labels: Int32Array
    similarity: sp.csr_array
    embedding: FloatArray
    eigenvalues: FloatArray
    n_components: int


@documented(embeddings.spectral_embedding, bridge_components)
def spectral_partition(
    S: Any,
    n_clusters: int,
    *,
    laplacian: embeddings.Laplacian = "sym",
    bridge: bool = True,
    X: ArrayLike | None = None,
    metric: Metric = "euclidean",
    lists: NeighborLists | None = None,
    eigen_solver: embeddings.EigenSolver = "auto",
    sample_weight: ArrayLike | None = None,
    rng: Generator,
    n_jobs: int | None = None,
) -> SpectralPartition:
    """Cluster a graph by k-means on the rows of its first K Laplacian eigenvectors.

    K = 1 and K = n_samples yield the trivial partitions. With more than 100,000 samples, k-means is fitted to
    a random subset of max(20,000, 50 K) samples. Raises a ValueError if K is out of range, if bridges are
    needed but ``X`` is missing, or if weights are used with ``"unnormalized"``. Source: PESC, Algorithm 1.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Non-negative similarities, made symmetric by max(S, S^T).
    n_clusters : int
        K, from 1 to n_samples.
    bridge : bool, default=True
        Whether to connect a disconnected graph by :func:`bridge_components`, which requires ``X``. If False
        and the graph has exactly K components, they are the clusters. If it has more, a UserWarning reports
        that the clusters are arbitrary.
    sample_weight : array-like of shape (n_samples,), optional
        Positive number of copies that each sample represents: its weight in k-means, and a factor of its row
        of S. Entry s_ij is the similarity between one copy of i and all copies of j together.
    rng : numpy.random.Generator
    """
    copies = None if sample_weight is None else cut_weights(sample_weight, np.shape(S)[0], laplacian)
    graph = symmetrize(S if copies is None else sp.diags_array(copies) @ sp.csr_array(S))
    n_samples = graph.shape[0]
    integer("n_clusters", n_clusters, 1, n_samples, ", the number of samples")
    n_components, parts = csgraph.connected_components(graph, directed=False)
    if bridge and n_components > 1:
        if X is None:
            raise ValueError(
                f"the graph has {n_components} components, and bridge=True requires X to link them; "
                "pass X or set bridge=False"
            )
        # This replaces ``bridge_components``, because the components are already known.
        weight, keys = bridge_weight(graph), rng.permutation(n_samples)
        graph = link_parts(graph, parts, X, weight, metric=metric, lists=lists, keys=keys)
    elif n_components > n_clusters:
        warn_caller(
            f"the graph has {n_components} components, more than n_clusters={n_clusters}: its first "
            "eigenvectors, and thus the partition, are arbitrary. Use bridge=True or a denser graph."
        )
    values, embedding = embeddings.spectral_embedding(
        graph,
        n_clusters,
        laplacian=laplacian,
        eigen_solver=eigen_solver,
        rng=rng,
        n_eigenvalues=min(n_clusters + 1, n_samples),
        parts=parts,
        n_jobs=n_jobs,
    )
    if n_clusters == n_samples:
        labels = np.arange(n_samples)
    elif n_clusters == n_components and not bridge:
        labels = parts
    else:
        labels = _cluster_rows(embedding, n_clusters, rng, copies)
    return SpectralPartition(number_clusters(labels)[0], graph, embedding, values, n_components)


def cut_weights(sample_weight: ArrayLike, n_samples: int, laplacian: str) -> FloatArray:
    """Check sample weights, which the unnormalised Laplacian does not support."""
    if laplacian == "unnormalized":
        raise ValueError(
            'sample_weight does not apply to laplacian="unnormalized", whose eigenvectors ignore the number '
            'of rows that a sample represents; use "sym" or "rw"'
        )
    return checked_weights(sample_weight, n_samples)


def _cluster_rows(
    embedding: FloatArray, n_clusters: int, rng: Generator, weight: FloatArray | None
) -> NDArray[Any]:
    n_samples = len(embedding)
    seed = int(rng.integers(2**31 - 1))
    if n_clusters == 1:
        return np.zeros(n_samples, dtype=np.int32)
    kmeans = KMeans(n_clusters, init="k-means++", n_init=10, random_state=seed)
    if n_samples <= FITTED_IN_FULL:
        return kmeans.fit_predict(embedding, sample_weight=weight)
    size = max(FITTED_SAMPLE, min(n_samples, 50 * n_clusters))
    sample = np.sort(rng.choice(n_samples, size=size, replace=False))
    kmeans.fit(embedding[sample], sample_weight=None if weight is None else weight[sample])
    return kmeans.predict(embedding)


def spectral_cuts(S: Any, ks: Sequence[int] | NDArray[Any], *, n_init: int = 3, rng: Generator) -> Int32Array:
    """Return the spectral partitions of a graph for several numbers of clusters.

    For each k, the rows of the k eigenvectors of D^(-1/2) S D^(-1/2) with the largest eigenvalues are scaled
    to unit length and clustered by k-means++. Dense and small sparse matrices take O(m^3) time and O(m^2)
    memory. Large or very sparse matrices use Lanczos iteration, as in :func:`spectral_embedding`. Dense
    matrices without zeros also use Lanczos iteration if it converges. All solvers run in one thread. Raises a
    ValueError if S is not square, symmetric, finite and non-negative, or if any k or n_init is below 1.
    Source: Ng, Jordan, Weiss, On spectral clustering, NIPS 2001.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (m, m)
        Symmetric, non-negative similarities, including the diagonal.
    ks : sequence of int
        Numbers of clusters, at least 1. For values of at least m, each sample is a cluster.
    n_init : int, default=3
        Number of k-means initialisations.
    rng : numpy.random.Generator
        Generator for the k-means seeds (one for each k up to the largest) and the solver's initial vectors.

    Returns
    -------
    ndarray of shape (len(ks), m), int32
        Clusters, numbered by first appearance; fewer than k if fewer than k scaled rows are distinct. Samples
        without edges have rows of zeros, and join the cluster whose centre is nearest to the origin.
    """
    S, wanted = checked_graph(S), checked_counts(ks)
    integer("n_init", n_init)
    m = S.shape[0]
    seeds = rng.integers(2**31 - 1, size=int(wanted.max(initial=0)) + 1)
    labels = np.zeros((len(wanted), m), dtype=np.int32)
    labels[wanted >= m] = np.arange(m)
    between = np.flatnonzero((wanted > 1) & (wanted < m))
    if not len(between):
        return labels
    with one_thread():
        vectors = _leading_vectors(S, int(wanted[between].max()), rng)
    for q in between:
        k = int(wanted[q])
        rows, lengths = vectors[:, :k], np.linalg.norm(vectors[:, :k], axis=1, keepdims=True)
        rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        labels[q] = kmeans_labels(rows, k, n_init=n_init, seed=int(seeds[k]))
    return np.stack([number_clusters(row)[0] for row in labels])


def kmeans_labels(
    X: FloatArray,
    n_clusters: int,
    *,
    n_init: int,
    seed: int,
    centers: FloatArray | None = None,
    squares: FloatArray | None = None,
) -> Int32Array:
    """Compute the labels that scikit-learn's k-means returns for the same seed, but faster."""
    # ``centers`` is an additional initialisation, and ``squares`` contains the squared distances between
    # samples. If there are fewer distinct samples than clusters, the result has fewer clusters.
    n = len(X)
    random = np.random.RandomState(seed)
    chosen = np.empty(n_clusters, dtype=np.int64)
    tolerance = _TOLERANCE * float(X.var(axis=0).mean())
    labels = np.empty((2, n), dtype=np.int32)
    least = np.inf
    small = n <= 256
    if small and squares is None:
        squares = _squares_in_order(X, X)
    small = small and caching.interpreted(lloyd, n_init * n_clusters * n / 20)
    for start in range(n_init + (centers is not None)):
        if start < n_init:
            first = int(random.choice(n, p=np.full(n, 1.0 / n)))
            draws = random.uniform(size=(n_clusters - 1, 2 + int(np.log(n_clusters))))
            if small and squares is not None:
                _small_seeds(squares, first, draws, chosen)
            else:
                greedy_seeds(X if squares is None else squares, squares is not None, first, draws, chosen)
        begun = X[chosen] if start < n_init or centers is None else centers
        if not (small and _small_lloyd(X, begun, labels[1], tolerance)):
            lloyd(X, begun, labels[1], _MAX_PASSES, tolerance)
        # The objective is recomputed, because the last digits of the kernel's result depend on the processor.
        found = ((X - begun[labels[1]]) ** 2).sum()
        if found < least:
            least, labels[0] = found, labels[1]
    return labels[0]


def _squares_in_order(X: FloatArray, centers: FloatArray) -> FloatArray:
    """Compute the squared distances to the centres, adding the features in the same order as the kernels."""
    total = np.zeros((len(X), len(centers)))
    for t in range(X.shape[1]):
        total += (X[:, t, np.newaxis] - centers[:, t]) ** 2
    return total


def _small_seeds(squares: FloatArray, first: int, draws: FloatArray, chosen: Int64Array) -> None:
    """Draw the same seeds as the kernel ``greedy_seeds``, but with NumPy."""
    chosen[0], nearest = first, squares[first]
    for c, draw in enumerate(draws):
        cumulative = np.cumsum(nearest)
        total = cumulative[-1]
        if total > 0.0:
            at = np.minimum(np.searchsorted(cumulative, draw * total, side="right"), len(nearest) - 1)
            # If a drawn sample equals a seed, the last sample before it that differs from all seeds is used.
            at = np.maximum.accumulate(np.where(nearest > 0.0, np.arange(len(nearest)), -1))[at]
        else:
            at = (draw * len(nearest)).astype(np.int64)
        candidates = np.minimum(nearest, squares[at])
        best = int(np.cumsum(candidates, axis=1)[:, -1].argmin())
        chosen[c + 1], nearest = at[best], candidates[best]


def _small_lloyd(X: FloatArray, begun: Any, labels: Int32Array, tolerance: float) -> bool:
    """Move the centres ``begun`` as the kernel ``lloyd`` does, but with NumPy.

    If a cluster becomes empty, the centres are not moved, and False is returned.
    """
    centers, last = np.array(begun, dtype=float), False
    labels[:] = -1
    for _ in range(_MAX_PASSES):
        nearest = _squares_in_order(X, centers).argmin(axis=1)
        counts = np.bincount(nearest, minlength=len(centers))
        if not counts.all():
            return False
        if last or np.array_equal(nearest, labels):
            labels[:] = nearest
            break
        labels[:] = nearest
        sums = np.array([np.bincount(labels, column, len(centers)) for column in X.T])
        moved = (sums / counts).T
        last = 0.0 < ((moved - centers) ** 2).sum() <= tolerance
        centers = moved
    begun[:] = centers
    return True


def _leading_vectors(S: Any, n_vectors: int, rng: Generator) -> FloatArray:
    """Compute leading eigenvectors, whose rows are not scaled, and are zero for samples without edges."""
    degree = degrees(S)
    tied = np.flatnonzero(degree > 0)
    vectors = np.zeros((len(degree), n_vectors))
    n_found = min(n_vectors, len(tied))
    if not n_found:
        return vectors
    inner = S if len(tied) == len(degree) else S[tied][:, tied]
    thin = (
        sp.issparse(S) and len(tied) >= _LANCZOS_FROM and inner.nnz <= embeddings.FACTOR_NEIGHBORS * len(tied)
    )
    if thin or (sp.issparse(S) and len(tied) > DENSE_UP_TO):
        # The factor D^(-1/2) changes only the lengths of rows, which are scaled to unit length later.
        solver = "auto" if len(tied) >= embeddings.CHEBYSHEV_FROM else "arpack"
        options: Any = {"laplacian": "rw", "eigen_solver": solver, "rng": rng}
        vectors[tied, :n_found] = embeddings.spectral_embedding(inner, n_found, **options)[1]
        return vectors
    root = inverse_root(degree[tied])
    # A matrix with zeros may have several components, whose equal eigenvalues Lanczos iteration may miss.
    found = _by_lanczos(inner, root, n_found) if not sp.issparse(S) and inner.min() > 0 else None
    if found is None:
        B = (inner.toarray() if sp.issparse(inner) else inner) * root[:, None]
        B *= root
        last = len(tied) - 1
        found = eigh(B, subset_by_index=[last - n_found + 1, last], overwrite_a=True, check_finite=False)[1]
    vectors[tied, :n_found] = found[:, ::-1]
    return vectors


def _by_lanczos(S: FloatArray, root: FloatArray, n_vectors: int) -> FloatArray | None:
    """Return the leading eigenvectors of diag(root) S diag(root), or None if a dense solver is needed."""
    m = len(S)
    if m < _LANCZOS_FROM or n_vectors > _LANCZOS_SHARE * m:
        return None
    # BLAS reads column-major matrices, such as the transpose of a row-major matrix, without copying them.
    # Like ``eigh``, BLAS reads only one triangle.
    half = S.T if S.flags.c_contiguous else np.asfortranarray(S)
    product = LinearOperator(
        (m, m), matvec=lambda x: root * blas.dsymv(1.0, half, root * x.ravel()), dtype=np.float64
    )
    start = np.random.default_rng(0).standard_normal(m)
    try:
        found: FloatArray = eigsh(product, n_vectors, which="LA", v0=start, maxiter=_RESTARTS)[1]
    except ArpackNoConvergence:
        return None
    return found


def ratio_cut(W: Any, labels: ArrayLike) -> FloatArray:
    """Return the ratio cut ``sum_c cut(C_c, rest) / |C_c|`` of each partition, to be minimised.

    An edge between two clusters counts once for each of the two clusters. The ratio cut favours cutting off
    single samples in sparse regions of a graph. Takes O(n_partitions nnz) time and O(nnz) memory. Source:
    Luo, Jiao and Lozano, IEEE TEVC, 2016, who use it to select one partition from a front.

    Parameters
    ----------
    W : sparse matrix or array-like of shape (n_samples, n_samples)
        Similarities, made symmetric by max(W, W^T).
    labels : array-like of shape (n_partitions, n_samples) or (n_samples,)
        Non-negative labels, which need not be contiguous.

    Returns
    -------
    ndarray of shape (n_partitions,)

    Examples
    --------
    >>> W = [[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]]
    >>> ratio_cut(W, [[0, 0, 1], [0, 0, 0]])
    array([0.75, 0.  ])
    """
    graph = symmetrized(W, "W").tocoo()
    partitions = np.atleast_2d(checked_array(labels, "labels"))
    if partitions.ndim != 2 or partitions.shape[1] != graph.shape[0]:
        raise ValueError(f"labels must have shape (n_partitions, {graph.shape[0]}), got {np.shape(labels)}")
    if partitions.dtype.kind not in "iu" or partitions.min(initial=0) < 0:
        raise ValueError("labels must be non-negative integers")
    values = np.empty(len(partitions))
    for part in block_slices(len(partitions), max(graph.nnz, graph.shape[0])):
        values[part] = _ratio_cuts(graph, partitions[part].astype(np.int64))
    return values


def _ratio_cuts(graph: Any, labels: Int64Array) -> FloatArray:
    n_partitions, n_clusters = len(labels), int(labels.max(initial=0)) + 1
    row, column = graph.coords
    cut = labels[:, row] != labels[:, column]
    which, edge = np.nonzero(cut)
    cell = which * n_clusters + labels[which, row[edge]]
    cuts = np.bincount(cell, weights=graph.data[edge], minlength=n_partitions * n_clusters)
    cells = labels + n_clusters * np.arange(n_partitions)[:, None]
    sizes = np.bincount(cells.ravel(), minlength=n_partitions * n_clusters)
    ratios = np.divide(cuts, sizes, out=np.zeros(len(cuts)), where=sizes > 0)
    return ratios.reshape(n_partitions, n_clusters).sum(axis=1)


def checked_counts(ks: Sequence[int] | NDArray[Any]) -> Int64Array:
    counts = checked_integers(ks, "ks", ndim=(1,)).astype(np.int64)
    if counts.min(initial=1) < 1:
        raise ValueError(f"ks must be at least 1, got {counts.min()}")
    return counts
