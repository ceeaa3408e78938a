"""What labels and pairs say of a pool: kernels, propagation, repair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack, solve
from scipy.sparse import csgraph
from threadpoolctl import threadpool_limits

from moo_clustering._arrays import block_slices, centred_features
from moo_clustering._kernels.partitions import sweep_groups
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.graphs.similarity import short_indices
from moo_clustering.graphs.spectral import inverse_root, spectral_cuts
from moo_clustering.validity.agreement import check_runs, hyperedges
from moo_clustering.validity.base import integer_rows

__all__ = [
    "HeldOutPartition",
    "best_member",
    "class_factors",
    "class_probabilities",
    "coassociation",
    "consensus_affinity",
    "consensus_partition",
    "consensus_weights",
    "evidence_weights",
    "graph_kernel",
    "held_out_partition",
    "kernel_ridge",
    "linear_kernel",
    "pair_matrix",
    "propagate_pairs",
    "repair_pairs",
    "selection_score",
]

_LEAST = 1e-9
# Entries that differ by rounding only count as equal to the floor.
_ROUNDING = 1e-12
# Share of the whole pool, weights aside, and of nothing at all in an affinity with too many parts.
_WHOLE_POOL = 1e-3
_TIE = 1e-6
# With fewer pairs none is kept out.
_FEWEST = 4
#: Constraints on the samples at hand, or the sums z of lifted ones as a symmetric matrix.
PairsLike: TypeAlias = "PairwiseConstraints | Any"
_HARD, _SOFT = 1.0, 0.3
# How fast the weights fall with the score and with the ratio of numbers of clusters.
_SCORE_RATE = 10.0
_RATIO_RATE = 3.0
_EVIDENCE_RATE = 0.3
# Members of less weight than this part of the greatest don't count.
_LEAST_SELECTED = 1e-4


def class_probabilities(
    F: ArrayLike, prior: ArrayLike | None = None, *, factors: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Scores of classes made positive, moved half the way to the expected class shares, rows to sum 1.

    Parameters
    ----------
    F : array-like of shape (n_samples, K)
        Scores; those below 1e-9 count as 1e-9.
    prior : array-like of shape (K,), optional
        Expected shares of the classes, above 0.
    factors : array-like of shape (K,), optional
        Instead of ``prior``: what :func:`class_factors` gave for other samples of the same data.

    Returns
    -------
    ndarray of shape (n_samples, K), float64

    Raises
    ------
    ValueError
        If the shapes don't fit, F holds NaN, or prior or factors are not above 0.

    Notes
    -----
    Class c is multiplied by sqrt(prior_c / mean of F_c), F with rows of sum 1. O(n_samples K).

    References
    ----------
    ParetoClustering: class shares.

    Examples
    --------
    >>> from moo_clustering.evidence import class_probabilities
    >>> class_probabilities([[3.0, 1.0], [1.0, 3.0]], [0.8, 0.2]).round(6).tolist()
    [[0.857143, 0.142857], [0.4, 0.6]]
    """
    P = _shares(F)
    if (prior is None) == (factors is None):
        raise ValueError("either prior or factors must be given, and not both")
    P *= _factors(P, prior) if prior is not None else _above_zero(factors, P.shape[1], "factors")
    P /= P.sum(axis=1, keepdims=True)
    return P


def class_factors(F: ArrayLike, prior: ArrayLike) -> NDArray[np.float64]:
    """Factors sqrt(prior_c / mean of F_c) of the classes, F with rows of sum 1.

    Parameters
    ----------
    F : array-like of shape (n_samples, K)
    prior : array-like of shape (K,)

    Returns
    -------
    ndarray of shape (K,), float64

    Raises
    ------
    ValueError
        As :func:`class_probabilities` does.

    References
    ----------
    ParetoClustering: class shares.

    Examples
    --------
    >>> from moo_clustering.evidence import class_factors
    >>> class_factors([[3.0, 1.0], [1.0, 3.0]], [0.72, 0.28]).round(6).tolist()
    [1.2, 0.748331]
    """
    return _factors(_shares(F), prior)


def _factors(P: NDArray[np.float64], prior: ArrayLike) -> NDArray[np.float64]:
    factors: NDArray[np.float64] = np.sqrt(_above_zero(prior, P.shape[1], "prior") / P.mean(axis=0))
    return factors


def _shares(F: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(F, dtype=np.float64)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"F must have a row per sample and a column per class, got shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError("F must hold finite scores")
    positive = np.maximum(scores, _LEAST)
    shares: NDArray[np.float64] = positive / positive.sum(axis=1, keepdims=True)
    return shares


def _above_zero(values: ArrayLike | None, n_classes: int, name: str) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (n_classes,) or not (numbers > 0).all():
        what = "shares" if name == "prior" else "numbers"
        raise ValueError(f"{name} must be {n_classes} {what} above 0, got {numbers.tolist()}")
    return numbers


def coassociation(
    labels: ArrayLike, weights: ArrayLike, *, columns: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Share of the weight of the partitions that have two samples in one cluster.

    Parameters
    ----------
    labels : array-like of shape (n_partitions, n_samples)
        Partitions of any numbering from 0 on.
    weights : array-like of shape (n_partitions,)
        At least 0 and somewhere above; divided by their sum. Partitions of weight 0 cost nothing.
    columns : array-like of int, shape (L,), optional
        Samples to compare all others with. By default all of them.

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        Sum over the partitions P of v_P [l_P(i) = l_P(j)]: a positive semidefinite kernel with ones on its
        diagonal.

    Raises
    ------
    ValueError, TypeError
        If labels, weights or columns are out of range or of the wrong shape.

    Notes
    -----
    Through the sparse table of samples by clusters: O(n_samples L n_partitions / k) time for k clusters a
    partition, O(n_samples L) memory.

    References
    ----------
    ParetoClustering: partition kernel.

    Examples
    --------
    >>> from moo_clustering.evidence import coassociation
    >>> coassociation([[0, 0, 1], [0, 1, 1]], [3.0, 1.0], columns=[0]).ravel().tolist()
    [1.0, 0.75, 0.0]
    """
    rows, shares = checked_pool(labels, weights)
    n_samples = rows.shape[1]
    kept = shares > 0
    edges = hyperedges(rows[kept])
    one_hot = edges.matrix().T.tocsr()
    weighted = edges.matrix(shares[kept])
    if columns is not None:
        weighted = weighted[:, check_columns(columns, n_samples)]
    weighted = weighted.tocsr()
    out = np.empty((n_samples, weighted.shape[1]))
    # In blocks: the sparse form of a full product would take more room than the product itself.
    for part in block_slices(n_samples, 2 * weighted.shape[1]):
        out[part] = (one_hot[part] @ weighted).toarray()
    return out


def consensus_affinity(labels: ArrayLike, weights: ArrayLike, *, floor: float = 0.05) -> NDArray[np.float64]:
    """Co-association of all samples without its small entries, a similarity to be clustered.

    Parameters
    ----------
    labels, weights
        As for :func:`coassociation`.
    floor : float, default=0.05
        Entries up to this become 0.

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64

    Notes
    -----
    O(n_samples^2) memory.

    References
    ----------
    ParetoClustering: consensus.

    Examples
    --------
    >>> from moo_clustering.evidence import consensus_affinity
    >>> consensus_affinity([[0, 0, 1], [0, 1, 1]], [0.98, 0.02])[0].tolist()
    [1.0, 0.98, 0.0]
    """
    affinity = coassociation(labels, weights)
    affinity[affinity <= floor + _ROUNDING] = 0.0
    return affinity


def checked_pool(labels: ArrayLike, weights: ArrayLike) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
    """Labels of shape (n_partitions, n_samples) and weights of sum 1."""
    rows = check_runs(labels)
    if rows.min() < 0:
        raise ValueError(f"labels must be at least 0: every partition places every sample; got {rows.min()}")
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape != (len(rows),):
        raise ValueError(
            f"weights must have one entry per partition, shape ({len(rows)},); got {shares.shape}"
        )
    if not np.isfinite(shares).all() or shares.min() < 0 or shares.max() == 0:
        raise ValueError("weights must be finite, at least 0, and above 0 for some partition")
    # Divided by the greatest first: the sum of tiny weights may lack digits.
    shares = shares / shares.max()
    return rows, shares / shares.sum()


def check_columns(columns: ArrayLike, n_samples: int) -> NDArray[np.intp]:
    """Sample numbers of shape (L,), each from 0 to ``n_samples - 1``."""
    chosen = np.asarray(columns)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise TypeError(f"columns must be a list of sample numbers, got shape {chosen.shape}, {chosen.dtype}")
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n_samples):
        raise ValueError(
            f"columns must be from 0 to n_samples - 1 = {n_samples - 1}, got {chosen.min()} to {chosen.max()}"
        )
    return chosen.astype(np.intp)


def consensus_partition(
    labels: ArrayLike, weights: ArrayLike, k: int, *, floor: float = 0.05, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Spectral clustering of the co-association of weighted partitions.

    Parameters
    ----------
    labels : array-like of shape (n_partitions, n_samples)
        Partitions of any numbering from 0 on.
    weights : array-like of shape (n_partitions,)
        At least 0 and somewhere above, as from :func:`consensus_weights`.
    k : int
        Number of clusters, from 1 to n_samples.
    floor : float, default=0.05
        Co-associations up to this count as 0.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Numbered by first appearance: k clusters, or as many as there are samples that some partition of the
        pool (of any weight) tells apart, if these are fewer.

    Raises
    ------
    ValueError, TypeError
        If labels, weights or k are out of range.

    Notes
    -----
    O(n_samples^3) time and O(n_samples^2) memory. Where the weighted partitions fall into more than k groups
    that none of them joins, all partitions of the pool help to join them.

    References
    ----------
    ParetoClustering: consensus.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.evidence import consensus_partition
    >>> pool = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]
    >>> consensus_partition(pool, [1.0, 0.5, 1.0], 2, rng=np.random.default_rng(0)).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    rows, shares = checked_pool(labels, weights)
    n_samples = rows.shape[1]
    if not 1 <= k <= n_samples:
        raise ValueError(f"k must be from 1 to the number of samples, {n_samples}; got {k}")
    if k in (1, n_samples):
        return np.arange(n_samples, dtype=np.int32) % np.int32(k)
    # Clusters are numbered alike whatever a caller calls them; so are the ties between them.
    rows = relabel_by_first_appearance(rows)
    by_weight = rows[np.argsort(-shares, kind="stable")]
    first, kind = distinct_rows(rows[shares > 0].T)
    if len(first) <= k:
        # Eigenvectors beyond the different rows would be arbitrary.
        return _with_clusters(kind.astype(np.int32), k, by_weight)
    affinity = consensus_affinity(rows, shares, floor=floor)
    if _n_parts(affinity) > k:
        whole = coassociation(rows, np.ones(len(rows)))
        affinity = coassociation(rows, shares) + _WHOLE_POOL * whole + _TIE
    found = spectral_cuts(affinity, [k], rng=rng)[0]
    return _with_clusters(found, k, by_weight)


def _n_parts(affinity: NDArray[np.float64]) -> int:
    return int(csgraph.connected_components(sp.csr_array(affinity), directed=False)[0])


def _with_clusters(found: NDArray[np.int32], k: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """At least k clusters, or as many as columns of ``rows`` differ if these are fewer.

    One partition after the other cuts the largest cluster it can cut: its greatest piece stays, the rest
    becomes a new one.
    """
    found = found.astype(np.int64)
    n_clusters = int(found.max()) + 1
    for row in rows:
        width = int(row.max()) + 1
        while n_clusters < k:
            n_pieces = np.bincount(np.unique(found * width + row) // width)
            sizes = np.where(n_pieces > 1, np.bincount(found), 0)
            if not sizes.any():
                break
            members = np.flatnonzero(found == sizes.argmax())
            piece = row[members]
            found[members[piece != np.bincount(piece).argmax()]] = n_clusters
            n_clusters += 1
    return relabel_by_first_appearance(found)


def graph_kernel(S: Any, columns: ArrayLike | None = None, *, factor: float = 0.9) -> NDArray[np.float64]:
    """G_ij / sqrt(G_ii G_jj) with G = (I - factor B)^-1 and B the normalised similarities.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities of at least 0.
    columns : array-like of int, shape (L,), optional
        Samples to compare all others with. By default all of them.
    factor : float, default=0.9
        How far walks reach, in [0, 1).

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        Ones on the diagonal.

    Raises
    ------
    ValueError, TypeError
        If S is not symmetric and at least 0, or columns or factor are out of range.

    Notes
    -----
    O(n_samples^3) time and O(n_samples^2) memory, whatever L: the whole diagonal is needed. Keep the full
    kernel where columns change often.

    References
    ----------
    ParetoClustering: graph kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.evidence import graph_kernel
    >>> path = np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1)
    >>> graph_kernel(path, [0]).round(4).ravel().tolist()
    [1.0, 0.825, 0.6807]
    """
    W = dense_affinity(S, "S")
    chosen = None if columns is None else check_columns(columns, len(W))
    G = diffusion(W, factor)
    scale = 1.0 / np.sqrt(G.diagonal())
    if chosen is None:
        G *= scale[:, np.newaxis]
        G *= scale
        return G
    return G[:, chosen] * scale[:, np.newaxis] * scale[chosen]


def dense_affinity(W: Any, name: str = "W") -> NDArray[np.float64]:
    """Similarities as a dense array, which is not copied if it is one."""
    dense = W.toarray() if sp.issparse(W) else W
    array = np.asarray(dense, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"{name} must be a square matrix of similarities, got shape {array.shape}")
    if not np.isfinite(array).all() or array.min() < 0:
        raise ValueError(f"{name} must hold finite similarities of at least 0")
    return array


def diffusion(W: NDArray[np.float64], factor: float, name: str = "factor") -> NDArray[np.float64]:
    """(I - factor B)^-1 with B = Dg(W1)^(-1/2) W Dg(W1)^(-1/2), for symmetric W.

    A sample without similarities has a row of the identity. O(n^3) time, O(n^2) memory.
    """
    if not 0 <= factor < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, got {factor!r}")
    root = inverse_root(W.sum(axis=1))
    # Column-major, so that LAPACK works in place; positive definite, as B's eigenvalues are within [-1, 1].
    A = np.asfortranarray(W * (-factor * root[:, np.newaxis]))
    A *= root
    A[np.diag_indices_from(A)] += 1.0
    # In one thread: partitions made of it must not depend on how many there are.
    with threadpool_limits(limits=1):
        A, failed = lapack.dpotrf(A, lower=1, overwrite_a=1)
        if not failed:
            A, failed = lapack.dpotri(A, lower=1, overwrite_c=1)
    if failed:
        raise ValueError("the matrix of similarities must be symmetric")
    inverse: NDArray[np.float64] = np.tril(A)
    inverse += np.tril(A, -1).T
    return inverse


@dataclass(frozen=True, eq=False)
class HeldOutPartition:
    """Result of :func:`held_out_partition`.

    Attributes
    ----------
    labels : ndarray of shape (m,), int32
        Partition from the chosen affinity and all pairs, numbered by first appearance. m is the number of
        rows of the affinities.
    chosen : int
        Position of the affinity.
    violations : ndarray of shape (n_affinities,), float64
        Held-out pairs (or their weight) that the partition from the other pairs violates; NaN where none
        were held out.
    """

    labels: NDArray[np.int32]
    chosen: int
    violations: NDArray[np.float64]


def held_out_partition(
    affinities: Sequence[tuple[Any, float]],
    k: int,
    constraints: PairwiseConstraints,
    *,
    share: float = 0.75,
    landmark_of: ArrayLike | None = None,
    rng: np.random.Generator,
) -> HeldOutPartition:
    """Partition into k clusters from pairs propagated over the affinity that predicts pairs best.

    A random part of the pairs is propagated over every affinity; the one whose spectral partition violates
    the fewest of the other pairs is chosen, and its partition made from all pairs.

    Parameters
    ----------
    affinities : sequence of (W, alpha)
        Symmetric similarities of shape (m, m) from 0 to 1, and the factor of :func:`propagate_pairs`.
        Among equals the first one is chosen.
    k : int
        Number of clusters, from 1 to m.
    constraints : PairwiseConstraints
        Pairs of samples.
    share : float, default=0.75
        Part of the pairs that is propagated at first, in (0, 1).
    landmark_of : array-like of int, shape (n_samples,), optional
        Row of the affinities that stands for each sample; by default each has its own.
    rng : numpy.random.Generator

    Returns
    -------
    HeldOutPartition

    Raises
    ------
    ValueError
        If there is no affinity, or affinities, constraints, landmarks, k or share don't fit.

    Notes
    -----
    With fewer than 4 pairs there is nothing to choose by: the first affinity is taken. O(m^3) time for each
    affinity, whose inverse is shared by the two sets of pairs; O(m^2) memory, and as much again for each
    affinity.

    References
    ----------
    ParetoClustering: held-out choice between affinities.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import held_out_partition
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))
    >>> pairs = PairwiseConstraints([(0, 1), (3, 4), (1, 2)], [(0, 5), (2, 3)], n_samples=6)
    >>> found = held_out_partition([(blocks, 0.5)], 2, pairs, rng=np.random.default_rng(0))
    >>> found.labels.tolist(), found.chosen, found.violations.tolist()
    ([0, 0, 0, 1, 1, 1], 0, [0.0])
    """
    if not len(affinities):
        raise ValueError("affinities must hold at least one pair (W, alpha), got none")
    if not 0 < share < 1:
        raise ValueError(f"share must be above 0 and below 1, got {share!r}")
    lift = None if landmark_of is None else checked_landmarks(landmark_of, constraints.n_samples)
    graphs = [(dense_affinity(W), float(alpha)) for W, alpha in affinities]
    m = len(graphs[0][0])
    if any(len(W) != m for W, _ in graphs):
        raise ValueError(f"affinities must be of one size, got {[len(W) for W, _ in graphs]}")
    if not 1 <= k <= m:
        raise ValueError(f"k must be from 1 to the number of rows, {m}; got {k}")
    Z = pair_matrix(constraints, n=m, landmark_of=lift)
    violations = np.full(len(graphs), np.nan)
    if len(constraints) < _FEWEST:
        return HeldOutPartition(_cut(*_walks(graphs[0]), Z, k, rng), 0, violations)
    known, kept_out = _split(constraints, share, rng)
    Z_known = pair_matrix(known, n=m, landmark_of=lift)
    walks = [_walks(graph) for graph in graphs]
    for q, (W, R) in enumerate(walks):
        labels = _cut(W, R, Z_known, k, rng)
        violations[q] = _violated(labels if lift is None else labels[lift], kept_out)
    chosen = int(violations.argmin())
    return HeldOutPartition(_cut(*walks[chosen], Z, k, rng), chosen, violations)


def _walks(graph: tuple[NDArray[np.float64], float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    W, alpha = graph
    return W, diffusion(W, alpha, "alpha")


def _cut(
    W: NDArray[np.float64], R: NDArray[np.float64], Z: sp.csr_array, k: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    return spectral_cuts(adjusted(W, R, Z), [k], rng=rng)[0]


def _violated(labels: NDArray[np.int32], pairs: PairwiseConstraints) -> float:
    must, cannot = pairs.satisfied(labels)
    total = pairs.must_link_weights.sum() + pairs.cannot_link_weights.sum()
    return float(total - must[0] - cannot[0])


def _split(
    constraints: PairwiseConstraints, share: float, rng: np.random.Generator
) -> tuple[PairwiseConstraints, PairwiseConstraints]:
    """A random part of all pairs, and the others; at least one pair in each."""
    n_pairs, n_must = len(constraints), len(constraints.must_link)
    n_known = min(max(round(share * n_pairs), 1), n_pairs - 1)
    known = np.zeros(n_pairs, dtype=np.bool_)
    known[rng.permutation(n_pairs)[:n_known]] = True
    return _part(constraints, known, n_must), _part(constraints, ~known, n_must)


def _part(constraints: PairwiseConstraints, chosen: NDArray[np.bool_], n_must: int) -> PairwiseConstraints:
    must, cannot = chosen[:n_must], chosen[n_must:]
    return PairwiseConstraints(
        constraints.must_link[must],
        constraints.cannot_link[cannot],
        n_samples=constraints.n_samples,
        must_link_weights=constraints.must_link_weights[must],
        cannot_link_weights=constraints.cannot_link_weights[cannot],
    )


def pair_matrix(
    constraints: PairwiseConstraints, *, n: int | None = None, landmark_of: ArrayLike | None = None
) -> sp.csr_array:
    """Symmetric matrix Z of the pairs: +1 for a must-link, -1 for a cannot-link (times its weight).

    Parameters
    ----------
    constraints : PairwiseConstraints
    n : int, optional
        Rows of Z: the number of samples, or of landmarks. By default that of the constraints, or the
        greatest landmark + 1.
    landmark_of : array-like of int, shape (constraints.n_samples,), optional
        Landmark of every sample. Pairs are then lifted to their landmarks and summed; those of one landmark
        with itself are left out.

    Returns
    -------
    csr_array of shape (n, n), float64
        Pairs that cancel are not stored.

    Raises
    ------
    ValueError, TypeError
        If the landmarks or n don't fit the constraints.

    References
    ----------
    ParetoClustering: pair propagation.

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import pair_matrix
    >>> pairs = PairwiseConstraints([(0, 1), (1, 2)], [(0, 3)], n_samples=4)
    >>> pair_matrix(pairs, landmark_of=[0, 0, 1, 1]).nnz
    0
    """
    must, cannot = constraints.must_link, constraints.cannot_link
    if landmark_of is None:
        size = constraints.n_samples if n is None else n
        if size != constraints.n_samples:
            raise ValueError(f"constraints are about {constraints.n_samples} samples, not {size}")
    else:
        lift = checked_landmarks(landmark_of, constraints.n_samples)
        size = int(lift.max()) + 1 if n is None else n
        if lift.max() >= size:
            raise ValueError(f"landmark_of must be below n={size}, got {lift.max()}")
        must, cannot = lift[must], lift[cannot]
    i, j = np.concatenate([must, cannot]).T
    z = np.concatenate([constraints.must_link_weights, -constraints.cannot_link_weights])
    apart = i != j
    i, j, z = i[apart], j[apart], z[apart]
    both = np.concatenate([i, j]), np.concatenate([j, i])
    Z = sp.coo_array((np.concatenate([z, z]), both), shape=(size, size)).tocsr()
    Z.eliminate_zeros()
    return Z


def checked_landmarks(landmark_of: ArrayLike, n_samples: int) -> NDArray[np.intp]:
    """Landmark of every sample."""
    lift = np.asarray(landmark_of)
    if lift.shape != (n_samples,) or lift.dtype.kind not in "iu":
        raise ValueError(
            f"landmark_of must be {n_samples} integers, one per sample; got shape {lift.shape}, {lift.dtype}"
        )
    if lift.min() < 0:
        raise ValueError(f"landmark_of must be at least 0, got {lift.min()}")
    return lift.astype(np.intp)


def as_pair_matrix(constraints: PairsLike, n: int) -> sp.csr_array:
    """Z of constraints on n samples, or the given Z without its diagonal."""
    if isinstance(constraints, PairwiseConstraints):
        return pair_matrix(constraints, n=n)
    Z = sp.csr_array(constraints, dtype=np.float64, copy=True)
    if Z.shape != (n, n):
        raise ValueError(
            f"constraints must be a matrix of shape ({n}, {n}) or PairwiseConstraints, got {Z.shape}"
        )
    Z.sum_duplicates()
    Z.setdiag(0.0)
    Z.eliminate_zeros()
    if not np.isfinite(Z.data).all() or (Z.nnz and abs(Z - Z.T).max() > 1e-9 * abs(Z.data).max()):
        raise ValueError("constraints as a matrix must be symmetric and finite")
    return Z


def propagate_pairs(W: Any, constraints: PairsLike, *, alpha: float) -> NDArray[np.float64]:
    """Similarities changed by exhaustive propagation of must-links and cannot-links.

    With R = (I - alpha B)^-1, B = Dg(W1)^(-1/2) W Dg(W1)^(-1/2), and Z = +1 or -1 at the pairs: F = R Z R,
    divided by its greatest magnitude. Similarities become 1 - (1 - F)(1 - W) where F >= 0, (1 + F) W
    elsewhere; 1e-9 is added to all.

    Parameters
    ----------
    W : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities from 0 to 1.
    constraints : PairwiseConstraints, or matrix of shape (n_samples, n_samples)
        Pairs of samples, or a symmetric Z as from :func:`pair_matrix` (its diagonal is ignored).
    alpha : float
        How far pairs are carried, in [0, 1).

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64, symmetric

    Raises
    ------
    ValueError
        If W is not square, symmetric and at least 0, alpha is out of range or the constraints don't fit.

    Notes
    -----
    O(n_samples^3) time, O(n_samples^2) memory.

    References
    ----------
    Lu and Ip, Constrained spectral clustering via exhaustive and efficient constraint propagation,
    ECCV 2010. ParetoClustering: pair propagation.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import propagate_pairs
    >>> W = np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.0]])
    >>> pairs = PairwiseConstraints([], [(0, 1)], n_samples=3)
    >>> propagate_pairs(W, pairs, alpha=0.0).round(3).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
    """
    dense = dense_affinity(W)
    return adjusted(dense, diffusion(dense, alpha, "alpha"), as_pair_matrix(constraints, len(dense)))


def adjusted(W: NDArray[np.float64], R: NDArray[np.float64], Z: sp.csr_array) -> NDArray[np.float64]:
    """Similarities W changed by the pairs Z carried with R."""
    ends = np.flatnonzero(np.diff(Z.indptr))
    if not len(ends):
        return W + _LEAST
    with threadpool_limits(limits=1):
        # Only samples in pairs have rows in Z.
        F = R[:, ends] @ (Z[ends] @ R)
    F += F.T.copy()
    greatest = np.abs(F).max()
    if greatest > 0:
        F /= greatest
    # 1 - (1 - F)(1 - W) = W + F (1 - W), and (1 + F) W = W + F W.
    F *= np.where(F >= 0, 1.0 - W, W)
    F += W
    F += _LEAST
    return F


def kernel_ridge(
    kernel: ArrayLike,
    columns: ArrayLike,
    targets: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    noise: float = 0.1,
) -> NDArray[np.float64]:
    """Kernel ridge regression of class shares, towards equal shares where nothing is known.

    F = 1/K + k[:, I] (k[I, I] + noise / counts)^-1 (Y - 1/K), the kernel k divided by the mean of its
    labelled diagonal.

    Parameters
    ----------
    kernel : array-like of shape (n_samples, L)
        Kernel of all samples (or landmarks) with the labelled ones.
    columns : array-like of int, shape (L,)
        The labelled ones, each once.
    targets : array-like of shape (L, K)
        Their classes, one-hot; or the shares of the classes among the labelled samples of a landmark.
    counts : array-like of shape (L,), optional
        Number of labelled samples each stands for; ones by default.
    noise : float, default=0.1
        Ridge for one labelled sample, above 0.

    Returns
    -------
    ndarray of shape (n_samples, K), float64

    Raises
    ------
    ValueError, TypeError
        If shapes don't fit, a column is repeated, or counts or noise are not above 0.

    Notes
    -----
    Merged repeats give what a system with a row per labelled sample gives. O(L^3 + n_samples L K) time.

    References
    ----------
    ParetoClustering: partition kernel ridge.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.evidence import kernel_ridge
    >>> kernel_ridge([[1.0, 0.0], [0.6, 0.4], [0.0, 1.0]], [0, 2], np.eye(2), noise=0.25).round(6).tolist()
    [[0.9, 0.1], [0.58, 0.42], [0.1, 0.9]]
    """
    values, shares = np.asarray(kernel, dtype=np.float64), np.asarray(targets, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"kernel must have a row per sample and a column per label, got {values.shape}")
    known = check_columns(columns, len(values))
    n_known = values.shape[1]
    sizes = np.ones(n_known) if counts is None else np.asarray(counts, dtype=np.float64)
    _check(known, n_known, shares, sizes, noise)
    block = values[known]
    # Weighted, so that merged repeats change nothing.
    scale = float(np.average(block.diagonal(), weights=sizes))
    # A kernel that is 0 at all labels says nothing, in any units.
    scale = scale if scale > 0 else 1.0
    uniform = 1.0 / shares.shape[1]
    system = block / scale
    system[np.diag_indices_from(system)] += noise / sizes
    coefficients = solve(system, (shares - uniform) / scale, assume_a="sym", check_finite=False)
    return uniform + values @ coefficients


def _check(
    known: NDArray[np.intp],
    n_known: int,
    shares: NDArray[np.float64],
    sizes: NDArray[np.float64],
    noise: float,
) -> None:
    if not n_known or len(known) != n_known:
        raise ValueError(
            f"columns must name a sample for each column of the kernel, at least one; got {len(known)} for "
            f"{n_known}"
        )
    if len(np.unique(known)) < n_known:
        values, times = np.unique(known, return_counts=True)
        raise ValueError(
            f"columns must be different, got {values[times.argmax()]} {times.max()} times; merge repeats and "
            "give their counts"
        )
    if shares.ndim != 2 or len(shares) != n_known or not shares.shape[1]:
        raise ValueError(f"targets must have shape ({n_known}, n_classes), got {shares.shape}")
    if sizes.shape != (n_known,) or not (sizes > 0).all():
        raise ValueError(f"counts must be {n_known} numbers above 0, got shape {sizes.shape}")
    if not noise > 0:
        raise ValueError(f"noise must be above 0, got {noise!r}")


def linear_kernel(X: ArrayLike, columns: ArrayLike | None = None) -> NDArray[np.float64]:
    """Inner products of the rows of X minus their mean, over the mean squared length of these.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    columns : array-like of int, shape (L,), optional
        Samples to compare all others with. By default all of them.

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        The mean of the full diagonal is 1; all 0 if all rows are equal.

    Raises
    ------
    ValueError, TypeError
        If X is no table of finite numbers or columns are out of range.

    Notes
    -----
    O(n_samples L n_features) time.

    References
    ----------
    ParetoClustering: linear kernel.

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


def repair_pairs(
    labels: ArrayLike,
    S: Any,
    constraints: PairsLike,
    *,
    hard: bool = True,
    max_sweeps: int = 8,
    keep_clusters: bool = False,
) -> NDArray[np.int32]:
    """Move samples to the clusters that their neighbours and their pairs ask for.

    Groups of samples, one after the other, move to the cluster c with the greatest sum over their samples i
    of ½ [i was in c at first] + sum_j S_ij [j in c] / sum_j S_ij + w (must-links - cannot-links of i with c).
    Only j and other ends of pairs outside the group count: what is inside moves along. A group stays where
    nothing is better; a group of several clusters first takes that of its lowest sample.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        A partition, numbered from 0 on.
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities of at least 0.
    constraints : PairwiseConstraints, or matrix of shape (n_samples, n_samples)
        Pairs of samples, or their summed signs as from :func:`pair_matrix`.
    hard : bool, default=True
        Groups are what must-links join (positive entries of a matrix) and w = 1; otherwise every sample is a
        group and w = 0.3.
    max_sweeps : int, default=8
        Passes over all groups; it ends earlier when none moves.
    keep_clusters : bool, default=False
        Don't move a group that is a whole cluster, so that the number of clusters stays as it is after
        groups were made of one cluster each.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Numbered by first appearance.

    Raises
    ------
    ValueError, TypeError
        If labels, S and constraints don't fit, or are out of range.

    Notes
    -----
    O(max_sweeps (nnz(S) + n_pairs + n_groups k)) time. Hard must-links always hold afterwards; cannot-links
    where the similarities allow it.

    References
    ----------
    ParetoClustering: repair.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import repair_pairs
    >>> path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    >>> pairs = PairwiseConstraints([(2, 3)], [(0, 4)], n_samples=5)
    >>> repair_pairs([0, 0, 0, 1, 1], path, pairs).tolist()
    [0, 0, 0, 0, 1]
    """
    given = integer_rows(labels, "labels")
    if len(given) != 1 or not given.size:
        raise ValueError(f"labels must be one partition of at least one sample, got shape {np.shape(labels)}")
    start = relabel_by_first_appearance(given)[0]
    n = len(start)
    graph = short_indices(sp.csr_array(S, dtype=np.float64))
    if graph.shape != (n, n):
        raise ValueError(f"S must have shape ({n}, {n}) as there are {n} labels, got {graph.shape}")
    if graph.nnz and not (np.isfinite(graph.data).all() and graph.data.min() >= 0):
        raise ValueError("S must hold finite similarities of at least 0")
    if max_sweeps < 0:
        raise ValueError(f"max_sweeps must be at least 0, got {max_sweeps}")
    Z = short_indices(as_pair_matrix(constraints, n))
    groups = _groups(constraints, Z) if hard else np.arange(n, dtype=np.intp)
    # Stable: members by number, so that the first of a group is its lowest.
    members = np.argsort(groups, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    current = start[members[ends[:-1]]][groups]
    volume = np.asarray(graph.sum(axis=1)).ravel()
    votes = np.divide(1.0, volume, out=np.zeros(n), where=volume > 0)
    sweep_groups(
        current,
        start,
        groups,
        members,
        ends,
        graph.indptr,
        graph.indices,
        graph.data,
        votes,
        Z.indptr,
        Z.indices,
        Z.data * (_HARD if hard else _SOFT),
        np.zeros(int(start.max()) + 1),
        max_sweeps,
        keep_clusters,
    )
    return relabel_by_first_appearance(current)


def _groups(constraints: PairsLike, Z: sp.csr_array) -> NDArray[np.intp]:
    """Component of every sample, numbered by their lowest samples."""
    if isinstance(constraints, PairwiseConstraints):
        return constraints.components().astype(np.intp)
    together = Z.copy()
    together.data = np.maximum(together.data, 0.0)
    together.eliminate_zeros()
    parts = csgraph.connected_components(together, directed=False)[1]
    return relabel_by_first_appearance(parts).astype(np.intp)


def selection_score(
    agreement: ArrayLike, modularity: ArrayLike, *, weight: float = 0.25
) -> NDArray[np.float64]:
    """Agreement of algorithm families plus a little graph modularity.

    Parameters
    ----------
    agreement, modularity : array-like of shape (n_partitions,)
    weight : float, default=0.25
        Of the modularity, at least 0.

    Returns
    -------
    ndarray of shape (n_partitions,)

    Raises
    ------
    ValueError
        If the two differ in shape, hold NaN, or the weight is negative.

    References
    ----------
    ParetoClustering: selection score.

    Examples
    --------
    >>> from moo_clustering.evidence import selection_score
    >>> selection_score([0.5, 0.25], [0.0, 0.5]).tolist()
    [0.5, 0.375]
    """
    first, second = _scores(agreement, "agreement"), _scores(modularity, "modularity")
    if first.shape != second.shape:
        raise ValueError(
            f"agreement and modularity must have one entry per partition, got {len(first)} and {len(second)}"
        )
    if not weight >= 0:
        raise ValueError(f"weight must be at least 0, got {weight!r}")
    return first + weight * second


def best_member(score: ArrayLike, n_clusters: ArrayLike, *, k: int | None = None) -> int:
    """Number of the best partition; among equal scores the fewest clusters, then the first.

    Parameters
    ----------
    score : array-like of shape (n_partitions,)
        Greater is better.
    n_clusters : array-like of shape (n_partitions,)
    k : int, optional
        Look only among the partitions whose number of clusters is nearest to it.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If there is no partition, or the two arguments don't fit.

    References
    ----------
    ParetoClustering: choice of a partition.

    Examples
    --------
    >>> from moo_clustering.evidence import best_member
    >>> best_member([0.5, 0.5, 0.2], [4, 3, 2]), best_member([0.5, 0.5, 0.2], [4, 3, 2], k=2)
    (1, 2)
    """
    scores, sizes = _scored(score, n_clusters)
    if k is None:
        rows = np.arange(len(scores))
    else:
        away = np.abs(sizes - k)
        rows = np.flatnonzero(away == away.min())
    order = np.lexsort((rows, sizes[rows], -scores[rows]))
    return int(rows[order[0]])


def consensus_weights(score: ArrayLike, n_clusters: ArrayLike, k: int) -> NDArray[np.float64]:
    """Weights of partitions in a consensus of k clusters: ``exp(10 (s - max s) - 3 |ln(k_P / k)|)``.

    Parameters
    ----------
    score : array-like of shape (n_partitions,)
        Selection score s.
    n_clusters : array-like of shape (n_partitions,)
        k_P, at least 1.
    k : int
        Wanted number of clusters, at least 1.

    Returns
    -------
    ndarray of shape (n_partitions,)
        0 where a weight is no more than 1e-4 times the greatest.

    Raises
    ------
    ValueError
        If there is no partition, the arguments don't fit, or a number of clusters is below 1.

    References
    ----------
    ParetoClustering: consensus.

    Examples
    --------
    >>> from moo_clustering.evidence import consensus_weights
    >>> consensus_weights([1.0, 1.0, 0.0], [2, 4, 2], 2).round(6).tolist()
    [1.0, 0.125, 0.0]
    """
    scores, sizes = _scored(score, n_clusters)
    if k < 1 or sizes.min() < 1:
        raise ValueError(
            f"numbers of clusters must be at least 1, got k={k} and n_clusters from {sizes.min()}"
        )
    return _weights(
        _SCORE_RATE * (scores - scores.max()) - _RATIO_RATE * np.abs(np.log(sizes / k)), _LEAST_SELECTED
    )


def evidence_weights(evidence: ArrayLike, *, drop: bool = False) -> NDArray[np.float64]:
    """Weights v = exp(0.3 (E - max E)) of the partitions, to sum 1.

    Parameters
    ----------
    evidence : array-like of shape (n_partitions,)
        What labels or pairs say for each partition, as a logarithm.
    drop : bool, default=False
        0 where a weight is no more than 1e-4 times the greatest.

    Returns
    -------
    ndarray of shape (n_partitions,)

    Raises
    ------
    ValueError
        If there is no partition or the evidence holds NaN.

    References
    ----------
    ParetoClustering: partition kernel, pair evidence.

    Examples
    --------
    >>> from moo_clustering.evidence import evidence_weights
    >>> evidence_weights([-1.0, -1.0]).tolist()
    [0.5, 0.5]
    """
    values = _scores(evidence, "evidence")
    weights = _weights(_EVIDENCE_RATE * (values - values.max()), _LEAST_SELECTED if drop else 0.0)
    return weights / weights.sum()


def _weights(logarithms: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    weights = np.exp(logarithms)
    weights[weights <= least * weights.max()] = 0.0
    return weights


def _scored(score: ArrayLike, n_clusters: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scores, sizes = _scores(score, "score"), np.asarray(n_clusters, dtype=np.float64)
    if sizes.shape != scores.shape:
        raise ValueError(
            f"n_clusters must have one entry per score, shape {scores.shape}; got shape {sizes.shape}"
        )
    return scores, sizes


def _scores(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must have one entry for each of at least one partition, got {array.shape}")
    if np.isnan(array).any():
        raise ValueError(f"{name} must not hold NaN, got it at {np.flatnonzero(np.isnan(array))[0]}")
    return array
