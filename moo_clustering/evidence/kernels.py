"""Kernels based on pools, graphs or features; consensus of a pool; prediction of class scores from labels."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack, solve
from scipy.sparse import csgraph

from moo_clustering._arrays import FloatArray, IntpArray, quoted
from moo_clustering._data import checked_array, checked_graph
from moo_clustering._distances import centred_features
from moo_clustering._docs import documented
from moo_clustering._kernels.pools import weigh_together
from moo_clustering._parallel import one_thread
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.graphs import spectral_cuts
from moo_clustering.graphs.matrices import inverse_root
from moo_clustering.validity.ensembles import check_runs

# Scores and similarities are at least this value, which keeps logarithms and ratios finite.
FLOOR = 1e-9
# Entries that differ from a threshold by at most this number count as equal to it.
_ROUNDING = 1e-12
_TIE = 1e-6


def coassociation(labels: ArrayLike, weights: ArrayLike, *, columns: ArrayLike | None = None) -> FloatArray:
    """For pairs of samples, return the weighted share of partitions with both samples in the same cluster.

    Takes O(n_samples L n_partitions) time, where L is the number of columns. Raises a ValueError or TypeError
    if labels, weights or columns are invalid. Source: ParetoClustering (partition kernel).

    Parameters
    ----------
    labels : array-like of shape (n_partitions, n_samples)
        Partitions with non-negative labels.
    weights : array-like of shape (n_partitions,)
        Non-negative weights, not all 0. They are divided by their sum.
    columns : array-like of int, shape (L,), optional
        Indices of the samples for which columns are returned. Default: all samples.

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        Entry (i, j) is the total weight of the partitions in which i and the j-th column's sample share a
        cluster. With all columns, this is a positive semidefinite kernel with unit diagonal.

    Examples
    --------
    >>> from moo_clustering.evidence import coassociation
    >>> coassociation([[0, 0, 1], [0, 1, 1]], [3.0, 1.0], columns=[0]).ravel().tolist()
    [1.0, 0.75, 0.0]
    """
    rows, shares = checked_pool(labels, weights)
    weighty = shares > 0
    codes = relabel_by_first_appearance(rows[weighty])
    others = codes if columns is None else codes[:, check_columns(columns, rows.shape[1])]
    out = np.empty((codes.shape[1], others.shape[1]))
    weigh_together(np.ascontiguousarray(codes.T), np.ascontiguousarray(others), shares[weighty], out)
    # Limit the sums to 1, because rounding errors can increase them.
    return np.minimum(out, 1.0, out=out)


@documented(coassociation)
def consensus_affinity(labels: ArrayLike, weights: ArrayLike, *, floor: float = 0.05) -> FloatArray:
    """Compute the co-association of all samples as a similarity matrix, and set small entries to 0.

    Takes O(n_samples^2) memory. Source: ParetoClustering (consensus).

    Parameters
    ----------
    floor : float, default=0.05
        Co-associations up to this value are set to 0.

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64

    Examples
    --------
    >>> from moo_clustering.evidence import consensus_affinity
    >>> consensus_affinity([[0, 0, 1], [0, 1, 1]], [0.98, 0.02])[0].tolist()
    [1.0, 0.98, 0.0]
    """
    affinity = coassociation(labels, weights)
    affinity[affinity <= floor + _ROUNDING] = 0.0
    return affinity


@documented(consensus_affinity)
def consensus_partition(
    labels: ArrayLike, weights: ArrayLike, k: int, *, floor: float = 0.05, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Cluster the samples by spectral clustering of their weighted co-association.

    The similarities are those of :func:`consensus_affinity`. If their graph has more than k connected
    components, the components are connected: small co-associations are kept, and a constant and 0.001 times
    the unweighted co-associations are added. Takes O(n_samples^3) time and O(n_samples^2) memory. Source:
    ParetoClustering (consensus).

    Parameters
    ----------
    k : int
        Number of clusters, from 1 to n_samples.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Labels, numbered by first appearance. There are fewer than k clusters if the partitions distinguish
        fewer than k groups of samples.

    Examples
    --------
    >>> from moo_clustering.evidence import consensus_partition
    >>> pool = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]
    >>> consensus_partition(pool, [1.0, 0.5, 1.0], 2, rng=np.random.default_rng(0)).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    rows, shares = checked_pool(labels, weights)
    n_samples = rows.shape[1]
    if not 1 <= k <= n_samples:
        raise ValueError(f"k must be from 1 to n_samples={n_samples}, got {k}")
    if k in (1, n_samples):
        return np.arange(n_samples, dtype=np.int32) % np.int32(k)  # a single cluster, or singletons
    # Renumber the clusters to make results and ties independent of the caller's labels.
    rows = relabel_by_first_appearance(rows)
    by_weight = rows[np.argsort(-shares, kind="stable")]
    first, kind = distinct_rows(rows[shares > 0].T)
    if len(first) <= k:
        # With at most k distinct samples, some of the k eigenvectors would be arbitrary.
        return _with_clusters(kind.astype(np.int32), k, by_weight)
    affinity = consensus_affinity(rows, shares, floor=floor)
    if csgraph.connected_components(sp.csr_array(affinity), directed=False)[0] > k:
        whole = coassociation(rows, np.ones(len(rows)))
        # Connect the components, because cuts between unconnected components would be arbitrary.
        affinity = coassociation(rows, shares) + 1e-3 * whole + _TIE
    return _with_clusters(spectral_cuts(affinity, [k], rng=rng)[0], k, by_weight)


def _with_clusters(found: NDArray[np.int32], k: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Split the largest clusters along the partitions in ``rows``, one after another, until there are k."""
    found = found.astype(np.int64)
    n_clusters = int(found.max()) + 1
    for row in rows:
        width = int(row.max()) + 1
        while n_clusters < k:
            # Number of clusters of ``row`` that each cluster intersects.
            n_pieces = np.bincount(np.unique(found * width + row) // width)
            sizes = np.where(n_pieces > 1, np.bincount(found), 0)
            if not sizes.any():
                break
            members = np.flatnonzero(found == sizes.argmax())
            piece = row[members]
            found[members[piece != np.bincount(piece).argmax()]] = n_clusters
            n_clusters += 1
    return relabel_by_first_appearance(found)


@documented(coassociation)
def graph_kernel(S: Any, columns: ArrayLike | None = None, *, factor: float = 0.9) -> FloatArray:
    """Compute the kernel G_ij / sqrt(G_ii G_jj), G = (I - factor B)^-1, from normalised similarities B.

    The similarities are B_ij = S_ij / sqrt(d_i d_j), where d are the row sums of S. Takes O(n_samples^3) time
    and O(n_samples^2) memory for any number of columns L. If you need several sets of columns, compute the
    full kernel once. Source: ParetoClustering (graph kernel).

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric non-negative similarities.
    factor : float, default=0.9
        Probability of continuing a random walk at each step, in [0, 1).

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        Kernel with unit diagonal.

    Examples
    --------
    >>> from moo_clustering.evidence import graph_kernel
    >>> path = np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1)
    >>> graph_kernel(path, [0]).round(4).ravel().tolist()
    [1.0, 0.825, 0.6807]
    """
    W = dense_affinity(S, "S")
    chosen = None if columns is None else check_columns(columns, len(W))
    return unit_diagonal(diffusion(W, factor), chosen)


def unit_diagonal(G: FloatArray, columns: IntpArray | None = None) -> FloatArray:
    """Return all or selected columns of G_ij / sqrt(G_ii G_jj)."""
    scale = 1.0 / np.sqrt(G.diagonal())
    chosen = slice(None) if columns is None else columns
    scaled: FloatArray = G[:, chosen] * scale[:, np.newaxis]
    scaled *= scale[chosen]
    return scaled


@documented(coassociation)
def linear_kernel(X: ArrayLike, columns: ArrayLike | None = None) -> FloatArray:
    """Compute inner products of the centred rows of X, divided by their mean squared norm.

    Takes O(n_samples L n_features) time. Source: ParetoClustering (linear kernel). Raises a ValueError or
    TypeError if X is not a table of finite numbers or if columns are invalid.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        Kernel. The mean of the full diagonal is 1. All entries are 0 if all rows are equal.

    Examples
    --------
    >>> from moo_clustering.evidence import linear_kernel
    >>> linear_kernel([[0.0], [2.0], [4.0]], [0]).ravel().round(6).tolist()
    [1.5, 0.0, -1.5]
    """
    Z = centred_features(X)
    chosen = np.arange(len(Z)) if columns is None else check_columns(columns, len(Z))
    mean_square = np.einsum("ij,ij->", Z, Z) / len(Z)
    if mean_square > 0:
        Z /= np.sqrt(mean_square)
    return Z @ Z[chosen].T


def kernel_ridge(
    kernel: ArrayLike,
    columns: ArrayLike,
    targets: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    ridge: float = 0.1,
) -> FloatArray:
    """Predict class shares by kernel ridge regression. Far from all labels, shares approach 1/K.

    F = 1/K + k[:, I] (k[I, I] + ridge / counts)^-1 (Y - 1/K), where I are the L labelled samples, Y are their
    targets for K classes, and k is the kernel divided by its mean diagonal entry over I. Merging repeated
    samples into one with a higher count does not change the result. Takes O(L^3 + n_samples L K) time. Raises
    a ValueError or TypeError if shapes do not match, a column is repeated, or counts or ridge are not
    positive. Source: ParetoClustering (ridge with the partition kernel).

    Parameters
    ----------
    kernel : array-like of shape (n_samples, L)
        Kernel between all samples and the labelled samples. Both may be landmarks of several samples.
    columns : array-like of int, shape (L,)
        Unique row indices of the labelled samples.
    targets : array-like of shape (L, K)
        One-hot classes of the labelled samples, or class shares of landmarks.
    counts : array-like of shape (L,), optional
        Number of labelled samples that each row represents. Default: 1.
    ridge : float, default=0.1
        Positive ridge penalty per labelled sample.

    Returns
    -------
    ndarray of shape (n_samples, K), float64

    Examples
    --------
    >>> from moo_clustering.evidence import kernel_ridge
    >>> kernel_ridge([[1.0, 0.0], [0.6, 0.4], [0.0, 1.0]], [0, 2], np.eye(2), ridge=0.25).round(6).tolist()
    [[0.9, 0.1], [0.58, 0.42], [0.1, 0.9]]
    """
    values = checked_array(kernel, "kernel", np.float64)
    shares = checked_array(targets, "targets", np.float64)
    if values.ndim != 2:
        raise ValueError(f"kernel must have one row per sample and one column per label, got {values.shape}")
    known = check_columns(columns, len(values))
    n_known = values.shape[1]
    sizes = np.ones(n_known) if counts is None else checked_array(counts, "counts", np.float64)
    _check(known, n_known, shares, sizes, ridge)
    block = values[known]
    scale = float(np.average(block.diagonal(), weights=sizes))
    # If the kernel is 0 at all labelled samples, the scale has no effect.
    scale = scale if scale > 0 else 1.0
    uniform = 1.0 / shares.shape[1]
    system = block / scale
    system[np.diag_indices_from(system)] += ridge / sizes
    coefficients = solve(system, (shares - uniform) / scale, assume_a="sym", check_finite=False)
    return uniform + values @ coefficients


def _check(known: IntpArray, n_known: int, shares: FloatArray, sizes: FloatArray, ridge: float) -> None:
    if not n_known or len(known) != n_known:
        raise ValueError(
            "columns must contain one sample index per kernel column, and at least one, got "
            f"{len(known)} indices for {n_known} columns"
        )
    if len(np.unique(known)) < n_known:
        values, times = np.unique(known, return_counts=True)
        raise ValueError(
            f"columns must be unique, got sample {values[times.argmax()]} in {times.max()} columns; merge "
            "repeated rows and pass their counts"
        )
    if shares.ndim != 2 or len(shares) != n_known or not shares.shape[1]:
        raise ValueError(f"targets must have shape ({n_known}, n_classes), got {shares.shape}")
    if sizes.shape != (n_known,) or not (sizes > 0).all():
        raise ValueError(f"counts must be {n_known} positive numbers, got {quoted(sizes.tolist())}")
    if not ridge > 0:
        raise ValueError(f"ridge must be positive, got {quoted(ridge)}")


def class_probabilities(
    F: ArrayLike, prior: ArrayLike | None = None, *, factors: ArrayLike | None = None
) -> FloatArray:
    """Convert class scores to probabilities, adjusted halfway towards the expected class shares.

    Rows of F are scaled to sum to 1, and column c is multiplied by sqrt(prior_c / mean of F_c). Takes
    O(n_samples K) time. Raises a ValueError if shapes do not match, if F contains NaN, if prior or factors
    are not positive, or if both or neither are given. Source: ParetoClustering (class shares).

    Parameters
    ----------
    F : array-like of shape (n_samples, K)
        Scores. Values below 1e-9 are set to 1e-9.
    prior : array-like of shape (K,), optional
        Expected class shares, positive.
    factors : array-like of shape (K,), optional
        Factors that :func:`class_factors` returned for other samples of the data. They replace ``prior``.

    Returns
    -------
    ndarray of shape (n_samples, K), float64

    Examples
    --------
    >>> from moo_clustering.evidence import class_probabilities
    >>> class_probabilities([[3.0, 1.0], [1.0, 3.0]], [0.8, 0.2]).round(6).tolist()
    [[0.857143, 0.142857], [0.4, 0.6]]
    """
    P = _shares(F)
    if (prior is None) == (factors is None):
        raise ValueError("pass exactly one of prior and factors")
    P *= _factors(P, prior) if prior is not None else _above_zero(factors, P.shape[1], "factors")
    P /= P.sum(axis=1, keepdims=True)
    return P


def _shares(F: ArrayLike) -> FloatArray:
    scores = checked_array(F, "F", np.float64)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"F must have one row per sample and one column per class, got shape {scores.shape}")
    positive = np.maximum(scores, FLOOR)
    return positive / positive.sum(axis=1, keepdims=True)


def _factors(P: FloatArray, prior: ArrayLike) -> FloatArray:
    return np.sqrt(_above_zero(prior, P.shape[1], "prior") / P.mean(axis=0))


def _above_zero(values: ArrayLike | None, n_classes: int, name: str) -> FloatArray:
    numbers = checked_array(values, name, np.float64)
    if numbers.shape != (n_classes,) or not (numbers > 0).all():
        what = "shares" if name == "prior" else "numbers"
        raise ValueError(f"{name} must be {n_classes} positive {what}, got {numbers.tolist()}")
    return numbers


@documented(class_probabilities)
def class_factors(F: ArrayLike, prior: ArrayLike) -> FloatArray:
    """Return the class factors sqrt(prior_c / mean of F_c), with rows of F scaled to sum to 1.

    Source: ParetoClustering (class shares).

    Returns
    -------
    ndarray of shape (K,), float64

    Examples
    --------
    >>> from moo_clustering.evidence import class_factors
    >>> class_factors([[3.0, 1.0], [1.0, 3.0]], [0.72, 0.28]).round(6).tolist()
    [1.2, 0.748331]
    """
    return _factors(_shares(F), prior)


def diffusion(
    W: FloatArray, factor: float, name: str = "factor", columns: IntpArray | None = None
) -> FloatArray:
    """Return columns of (I - factor B)^-1, where B_ij = W_ij / sqrt(d_i d_j), and d are the row sums of W."""
    if not 0 <= factor < 1:
        raise ValueError(f"{name} must be in [0, 1), got {quoted(factor)}")
    root = inverse_root(W.sum(axis=1))
    # LAPACK needs column-major order to work in place. A is positive definite, because the absolute
    # eigenvalues of B are at most 1.
    A = np.multiply(W.T, -factor * root[:, np.newaxis], order="F")
    A *= root
    A[np.diag_indices_from(A)] += 1.0
    # Use one thread, because partitions must not depend on the number of threads.
    with one_thread():
        A, failed = lapack.dpotrf(A, lower=1, overwrite_a=1)
        if not failed and columns is not None and 3 * len(columns) < len(A):
            units = np.zeros((len(A), len(columns)), order="F")
            units[columns, np.arange(len(columns))] = 1.0
            return lapack.dpotrs(A, units, lower=1, overwrite_b=1)[0]
        if not failed:
            A, failed = lapack.dpotri(A, lower=1, overwrite_c=1)
    if failed:
        raise ValueError("the similarity matrix must be symmetric")
    inverse: FloatArray = np.tril(A)
    inverse += np.tril(A, -1).T
    return inverse if columns is None else inverse[:, columns]


def dense_affinity(W: Any, name: str = "W") -> FloatArray:
    """Return similarities as a dense array without copying dense input."""
    graph = checked_graph(W, name)
    return graph.toarray() if sp.issparse(graph) else graph


def check_columns(columns: ArrayLike, n_samples: int) -> IntpArray:
    """Check sample indices of shape (L,), from 0 to ``n_samples - 1``."""
    chosen = checked_array(columns, "columns")
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        got = f"dtype {chosen.dtype} and shape {chosen.shape}"
        raise TypeError(f"columns must be a 1-d array of sample indices, got {got}")
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n_samples):
        raise ValueError(
            f"columns must be from 0 to n_samples - 1 = {n_samples - 1}, got {chosen.min()} to {chosen.max()}"
        )
    return chosen.astype(np.intp)


def checked_pool(labels: ArrayLike, weights: ArrayLike) -> tuple[NDArray[np.integer], FloatArray]:
    """Check labels of shape (n_partitions, n_samples), and scale weights to sum to 1."""
    rows = check_runs(labels)
    if rows.min() < 0:
        raise ValueError(
            f"labels must be non-negative, because every partition must assign every sample; got {rows.min()}"
        )
    shares = checked_array(weights, "weights", np.float64)
    if shares.shape != (len(rows),):
        raise ValueError(
            f"weights must have shape ({len(rows)},), one entry per partition, got {shares.shape}"
        )
    if shares.min() < 0 or shares.max() == 0:
        got = f"values from {shares.min():g} to {shares.max():g}"
        raise ValueError(f"weights must be non-negative, and at least one must be positive, got {got}")
    # Divide by the largest weight first, because sums of tiny weights can lose precision.
    shares = shares / shares.max()
    return rows, shares / shares.sum()
