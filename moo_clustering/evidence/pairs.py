"""Propagation of must-links and cannot-links to other samples, and repair of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph

from moo_clustering._arrays import BoolArray, FloatArray, IntpArray, quoted
from moo_clustering._data import checked_array, checked_graph, checked_table
from moo_clustering._docs import documented
from moo_clustering._kernels.partitions import sweep_groups
from moo_clustering._kernels.pools import adjust_similarities
from moo_clustering._parallel import one_thread
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.evidence.kernels import FLOOR, dense_affinity, diffusion
from moo_clustering.graphs import spectral_cuts
from moo_clustering.graphs.matrices import short_indices
from moo_clustering.validity.base import integer_rows

# Weight w of a hard and of a soft pair in ``repair_pairs``, where the similarities of a sample sum to 1.
_HARD, _SOFT = 1.0, 0.3
#: Constraints on the samples, or a symmetric matrix of summed constraints; see :func:`pair_matrix`.
PairsLike: TypeAlias = "PairwiseConstraints | Any"


def pair_matrix(constraints: PairwiseConstraints) -> sp.csr_array:
    """Return the symmetric pair matrix Z: weights of must-links minus weights of cannot-links.

    Source: ParetoClustering (pair propagation).

    Parameters
    ----------
    constraints : PairwiseConstraints

    Returns
    -------
    csr_array of shape (n_samples, n_samples), float64
        Pairs whose weights cancel are not stored.

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import pair_matrix
    >>> pairs = PairwiseConstraints([(0, 1), (1, 2)], [(0, 3)], n_samples=4)
    >>> pair_matrix(pairs).toarray()[1].tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    must, cannot, size = constraints.must_link, constraints.cannot_link, constraints.n_samples
    i, j = np.concatenate([must, cannot]).T
    z = np.concatenate([constraints.must_link_weights, -constraints.cannot_link_weights])
    apart = i != j
    i, j, z = i[apart], j[apart], z[apart]
    both = np.concatenate([i, j]), np.concatenate([j, i])
    Z = sp.coo_array((np.concatenate([z, z]), both), shape=(size, size)).tocsr()
    Z.eliminate_zeros()
    return Z


def propagate_pairs(W: Any, constraints: PairsLike, *, alpha: float) -> FloatArray:
    """Adjust similarities by exhaustive propagation of must-links and cannot-links.

    F is R Z R divided by its largest absolute value, where Z is the :func:`pair_matrix`, R = (I - alpha
    B)^-1, B_ij = W_ij / sqrt(d_i d_j), and d are the row sums of W. The result is 1 - (1 - F)(1 - W) where F
    >= 0, and (1 + F) W where F < 0, plus 1e-9. Takes O(n_samples^3) time and O(n_samples^2) memory. Raises a
    ValueError unless W is symmetric and non-negative. Source: Lu and Ip, ECCV 2010. Used by ParetoClustering.

    Parameters
    ----------
    W : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities between 0 and 1.
    constraints : PairwiseConstraints, or matrix of shape (n_samples, n_samples)
        Pairs, or a symmetric matrix Z such as from :func:`pair_matrix`. The diagonal of Z is ignored.
    alpha : float
        Reach of the propagation, in [0, 1).

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64, symmetric

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import propagate_pairs
    >>> W = np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.0]])
    >>> pairs = PairwiseConstraints([], [(0, 1)], n_samples=3)
    >>> propagate_pairs(W, pairs, alpha=0.0).round(3).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
    """
    dense = dense_affinity(W)
    Z = as_pair_matrix(constraints, len(dense))
    return _adjusted(dense, _walks(dense, alpha, Z), Z)


@dataclass(frozen=True, eq=False)
class HeldOutPartition:
    """Result of :func:`held_out_partition`.

    Attributes
    ----------
    labels : ndarray of shape (m,), int32
        Clusters of the m samples for the selected affinity and all pairs, numbered by first appearance.
    chosen : int
        Index of the selected affinity.
    violations : ndarray of shape (n_affinities,) or (n_affinities, n_ks), float64
        Total weight of the held-out pairs that are violated if only the remaining pairs are used. NaN if no
        pairs were held out. :func:`cross_validated_partition` returns one column per number of clusters.
    """

    labels: NDArray[np.int32]
    chosen: int
    violations: FloatArray


@documented()
def held_out_partition(
    affinities: Sequence[tuple[Any, float]],
    k: int,
    constraints: PairwiseConstraints,
    *,
    share: float = 0.75,
    rng: np.random.Generator,
) -> HeldOutPartition:
    """Partition samples into k clusters, using the affinity that best predicts held-out pairs.

    A random subset of the pairs is propagated over each affinity, and the rest is held out. The affinity
    whose spectral partition violates the lowest total weight of held-out pairs is then used with all pairs.
    With fewer than 4 pairs, the first affinity is used. Takes O(m^3) time and O(m^2) memory per affinity for
    m samples. Raises a ValueError if an argument is invalid. Used by ParetoClustering.

    Parameters
    ----------
    affinities : sequence of (W, alpha)
        W contains symmetric similarities between 0 and 1, shape (m, m). ``alpha`` is that of
        :func:`propagate_pairs`, or its precomputed matrix R. Ties go to the first affinity.
    k : int
        Number of clusters, from 1 to m.
    constraints : PairwiseConstraints
    share : float, default=0.75
        Share of pairs that are not held out, in (0, 1).
    rng : numpy.random.Generator

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import held_out_partition
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))
    >>> pairs = PairwiseConstraints([(0, 1), (3, 4), (1, 2)], [(0, 5), (2, 3)], n_samples=6)
    >>> found = held_out_partition([(blocks, 0.5)], 2, pairs, rng=np.random.default_rng(0))
    >>> found.labels.tolist(), found.chosen, found.violations.tolist()
    ([0, 0, 0, 1, 1, 1], 0, [0.0])
    """
    if not len(affinities):
        raise ValueError("affinities must contain at least one pair (W, alpha)")
    if not 0 < share < 1:
        raise ValueError(f"share must be in (0, 1), got {quoted(share)}")
    graphs = [(dense_affinity(W), alpha) for W, alpha in affinities]
    m = len(graphs[0][0])
    if any(len(W) != m for W, _ in graphs):
        raise ValueError(f"affinities must all have the same size, got {[len(W) for W, _ in graphs]}")
    if not 1 <= k <= m:
        raise ValueError(f"k must be from 1 to n_samples={m}, got {k}")
    Z = as_pair_matrix(constraints, m)
    violations, n_pairs, chosen = np.full(len(graphs), np.nan), len(constraints), 0
    walks = [(W, _walks(W, alpha, Z)) for W, alpha in (graphs if n_pairs >= 4 else graphs[:1])]
    if n_pairs >= 4:
        n_known = min(max(round(share * n_pairs), 1), n_pairs - 1)
        known = np.isin(np.arange(n_pairs), rng.permutation(n_pairs)[:n_known])
        held_out, Z_known = _subset(constraints, ~known), pair_matrix(_subset(constraints, known))
        violations[:] = [_violated(_cut(W, R, Z_known, k, rng), held_out) for W, R in walks]
        chosen = int(violations.argmin())
    return HeldOutPartition(_cut(*walks[chosen], Z, k, rng), chosen, violations)


def cross_validated_partition(
    affinities: Sequence[tuple[Any, float]],
    ks: Sequence[int],
    constraints: PairwiseConstraints,
    *,
    bonus: ArrayLike,
    n_folds: int = 3,
    rng: np.random.Generator,
) -> HeldOutPartition:
    """Partition samples, using the affinity and number of clusters that best predict held-out pairs.

    Each pair is held out once. The affinity and the number of clusters that maximise bonus - 2.9 V are
    selected, where V is the total weight of the violated held-out pairs. Takes O(n_samples^3) time per
    affinity and fold, and O(n_samples^2) memory per affinity. Raises a ValueError if there are fewer pairs
    than folds. Used by ParetoClustering.

    Parameters
    ----------
    affinities : sequence of (W, alpha)
        See :func:`held_out_partition`. Ties go to the first affinity, and then to the fewest clusters.
    ks : sequence of int
        Numbers of clusters, from 1 to the number of samples.
    constraints : PairwiseConstraints
        At least ``n_folds`` pairs.
    bonus : array-like of shape (n_ks,)
        Log-likelihood of each number of clusters, from evidence other than the pairs.
    n_folds : int, default=3
    rng : numpy.random.Generator

    Returns
    -------
    HeldOutPartition
        Result. ``violations`` has shape (n_affinities, n_ks), and ``chosen`` is an index of ``affinities``.

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import cross_validated_partition
    >>> blocks = np.kron(np.eye(2), np.ones((3, 3)))
    >>> pairs = PairwiseConstraints([(0, 1), (3, 4), (1, 2)], [(0, 5), (2, 3)], n_samples=6)
    >>> rng = np.random.default_rng(0)
    >>> found = cross_validated_partition([(blocks, 0.5)], [2, 3], pairs, bonus=[0, 0], rng=rng)
    >>> found.labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if not 2 <= n_folds <= len(constraints):
        raise ValueError(f"n_folds must be from 2 to the number of pairs ({len(constraints)}), got {n_folds}")
    prices = checked_array(bonus, "bonus", np.float64)
    if not len(affinities) or not len(ks) or prices.shape != (len(ks),):
        raise ValueError("affinities and ks must not be empty, and bonus must have one number per k")
    Z_all = pair_matrix(constraints)
    walks = [(W, _walks(W, alpha, Z_all)) for W, alpha in ((dense_affinity(W), a) for W, a in affinities)]
    fold_of = rng.permutation(len(constraints)) % n_folds
    violations = np.zeros((len(walks), len(ks)))
    for fold in range(n_folds):
        held_out = _subset(constraints, fold_of == fold)
        Z = pair_matrix(_subset(constraints, fold_of != fold))
        for q, (W, R) in enumerate(walks):
            cuts = spectral_cuts(_adjusted(W, R, Z), list(ks), rng=rng)
            violations[q] += [_violated(labels, held_out) for labels in cuts]
    # If a pair is correct with probability .95, its log-odds are 2.9.
    values = prices - 2.9 * violations
    # Values that differ only by rounding errors are tied.
    best = np.argwhere(values >= values.max() - 1e-9)
    chosen, at = min(best.tolist(), key=lambda one: (one[0], ks[one[1]]))
    return HeldOutPartition(_cut(*walks[chosen], Z_all, ks[at], rng), chosen, violations)


def _cut(
    W: FloatArray, walks: tuple[IntpArray, FloatArray], Z: sp.csr_array, k: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    return spectral_cuts(_adjusted(W, walks, Z), [k], rng=rng)[0]


def _subset(constraints: PairwiseConstraints, chosen: BoolArray) -> PairwiseConstraints:
    must, cannot = np.split(chosen, [len(constraints.must_link)])
    return PairwiseConstraints(
        constraints.must_link[must],
        constraints.cannot_link[cannot],
        n_samples=constraints.n_samples,
        must_link_weights=constraints.must_link_weights[must],
        cannot_link_weights=constraints.cannot_link_weights[cannot],
    )


def _violated(labels: NDArray[np.int32], pairs: PairwiseConstraints) -> float:
    must, cannot = pairs.satisfied(labels)
    total = pairs.must_link_weights.sum() + pairs.cannot_link_weights.sum()
    return float(total - must[0] - cannot[0])


@documented(propagate_pairs)
def repair_pairs(
    labels: ArrayLike,
    S: Any,
    constraints: PairsLike,
    *,
    hard: bool = True,
    max_sweeps: int = 8,
    keep_clusters: bool = False,
) -> NDArray[np.int32]:
    """Reassign samples to clusters according to their neighbours and pairs.

    Each group of samples moves in turn to the cluster c with the highest score, or stays if no cluster has a
    higher score. The score is a sum of three terms over the group's samples i: 1/2 if i was initially in c,
    the share of the sum of row i of S that is in columns of c, and w times the difference between the weights
    of i's must-links and cannot-links to c. Similarities and pairs within the group do not count towards c. A
    group that spans several clusters starts in the cluster of its first sample. Takes O(max_sweeps (nnz(S) +
    n_pairs + n_groups k)) time. With ``hard``, must-links are always satisfied. Similarities can outweigh
    cannot-links. Raises a ValueError or TypeError for invalid inputs. Source: ParetoClustering (repair).

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Partition with non-negative labels.
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric non-negative similarities.
    hard : bool, default=True
        If True, groups are components of the must-links (or of a matrix's positive entries), and w = 1. If
        False, groups are single samples, and w = 0.3.
    max_sweeps : int, default=8
        Maximum number of passes over all groups. Stops early if no group moves.
    keep_clusters : bool, default=False
        Whether a group that forms a whole cluster stays there, so that no cluster disappears.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Cluster labels, numbered by first appearance.

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import repair_pairs
    >>> path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    >>> pairs = PairwiseConstraints([(2, 3)], [(0, 4)], n_samples=5)
    >>> repair_pairs([0, 0, 0, 1, 1], path, pairs).tolist()
    [0, 0, 0, 0, 1]
    """
    partition = integer_rows(labels, "labels")
    if len(partition) != 1 or not partition.size:
        raise ValueError(f"labels must be one partition of at least one sample, got shape {np.shape(labels)}")
    start = relabel_by_first_appearance(partition[0])
    n = len(start)
    graph = short_indices(sp.csr_array(checked_graph(S)))
    if graph.shape != (n, n):
        raise ValueError(f"S must have shape ({n}, {n}) for {n} labels, got {graph.shape}")
    if max_sweeps < 0:
        raise ValueError(f"max_sweeps must be non-negative, got {max_sweeps}")
    Z = short_indices(as_pair_matrix(constraints, n))
    groups = _groups(constraints, Z) if hard else np.arange(n, dtype=np.intp)
    # A stable sort puts the lowest-numbered sample of each group first.
    members = np.argsort(groups, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    current = start[members[ends[:-1]]][groups]
    volume = np.asarray(graph.sum(axis=1)).ravel()
    votes = np.divide(1.0, volume, out=np.zeros(n), where=volume > 0)
    weights = Z.data * (_HARD if hard else _SOFT)
    similarities, pairs = (graph.indptr, graph.indices, graph.data, votes), (Z.indptr, Z.indices, weights)
    sums = np.zeros(int(start.max()) + 1)
    of_groups = groups, members, ends
    sweep_groups(current, start, *of_groups, *similarities, *pairs, sums, max_sweeps, keep_clusters)
    return relabel_by_first_appearance(current)


def _groups(constraints: PairsLike, Z: sp.csr_array) -> IntpArray:
    if isinstance(constraints, PairwiseConstraints):
        return constraints.components().astype(np.intp)
    parts = csgraph.connected_components(Z > 0, directed=False)[1]
    return relabel_by_first_appearance(parts).astype(np.intp)


def as_pair_matrix(constraints: PairsLike, n: int) -> sp.csr_array:
    """Return the pair matrix Z of n samples. A given matrix is checked, and its diagonal is set to 0."""
    if isinstance(constraints, PairwiseConstraints):
        if constraints.n_samples != n:
            raise ValueError(f"constraints must be for {n} samples, got {constraints.n_samples} samples")
        return pair_matrix(constraints)
    Z = sp.csr_array(checked_table(constraints, "constraints", accept_sparse="csr"), copy=True)
    if Z.shape != (n, n):
        raise ValueError(
            f"constraints must be a matrix of shape ({n}, {n}) or PairwiseConstraints, got {Z.shape}"
        )
    Z.sum_duplicates()
    Z.setdiag(0.0)
    Z.eliminate_zeros()
    if Z.nnz and abs(Z - Z.T).max() > 1e-9 * abs(Z.data).max():
        raise ValueError("a constraint matrix must be symmetric")
    return Z


def _walks(W: FloatArray, alpha: float | FloatArray, Z: sp.csr_array) -> tuple[IntpArray, FloatArray]:
    """Return the samples that occur in the pairs Z, and their columns of R in :func:`propagate_pairs`."""
    ends = np.flatnonzero(np.diff(Z.indptr))
    if not isinstance(alpha, np.ndarray):
        return ends, diffusion(W, float(alpha), "alpha", ends)
    if alpha.shape != W.shape:
        raise ValueError(f"alpha must be a number or have the shape of W, {W.shape}; got {alpha.shape}")
    return ends, alpha[:, ends]  # alpha is R itself


def _adjusted(W: FloatArray, walks: tuple[IntpArray, FloatArray], Z: sp.csr_array) -> FloatArray:
    if not Z.nnz:
        return W + FLOOR
    ends, R = walks
    with one_thread():
        # Use only one direction of each pair, because ``adjust_similarities`` adds the transpose of F.
        once = sp.triu(Z[ends][:, ends], 1).tocoo()
        if once.nnz < len(ends):
            F = (R[:, once.row] * once.data) @ R[:, once.col].T
        else:
            F = R @ (once @ R.T)
    adjust_similarities(F, W, FLOOR)
    return F
