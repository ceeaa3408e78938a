"""MCLA: meta-clusters of clusters."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.consensus._ensemble import check_ensemble
from moo_clustering.consensus._matching import matched_parts, part_similarity
from moo_clustering.consensus._metis import metis_parts, metis_seed, use_metis
from moo_clustering.validity._hyperedges import FloatArray, Hyperedges
from moo_clustering.validity._population import check_option

VertexWeight = Literal["size", "unit"]
MetaPartitioner = Literal["auto", "metis", "matching"]
Ties = Literal["first", "random"]

# Associations that differ by less are equal.
_TIE = 1e-12


@overload
def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    vertex_weight: VertexWeight = ...,
    partitioner: MetaPartitioner = ...,
    weights: ArrayLike | None = ...,
    ties: Ties = ...,
    random_state: SeedLike = ...,
    return_association: Literal[False] = ...,
) -> NDArray[np.int32]: ...


@overload
def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    vertex_weight: VertexWeight = ...,
    partitioner: MetaPartitioner = ...,
    weights: ArrayLike | None = ...,
    ties: Ties = ...,
    random_state: SeedLike = ...,
    return_association: Literal[True],
) -> tuple[NDArray[np.int32], FloatArray]: ...


def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    vertex_weight: VertexWeight = "size",
    partitioner: MetaPartitioner = "auto",
    weights: ArrayLike | None = None,
    ties: Ties = "first",
    random_state: SeedLike = None,
    return_association: bool = False,
) -> NDArray[np.int32] | tuple[NDArray[np.int32], FloatArray]:
    """Consensus by the meta-clustering algorithm.

    Clusters of all runs are grouped into meta-clusters by how many objects they share; every object
    goes to the meta-cluster whose members hold it most often.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers, -1 for objects a run has not seen. Runs may have different numbers of clusters.
    n_clusters : int
        Meta-clusters, from 1 to n_samples. One may win no object: fewer clusters can come out.
    vertex_weight : {"size", "unit"}, default="size"
        What METIS balances over the meta-clusters: objects, as in the original, or clusters. With
        ``"unit"`` identical runs come back unchanged, however unequal their clusters.
    partitioner : {"auto", "metis", "matching"}, default="auto"
        METIS, as in the original, or matching: the clusters of every run go to different meta-clusters,
        so as to be most similar to their members. Matching needs no balance nor extra package; where a
        run has more than ``n_clusters`` clusters, some are left out. ``"auto"`` is METIS if pymetis is
        installed (a log message says which).
    weights : array-like of shape (n_runs,), optional
        How much every run counts, in means, cuts and balance; 0 leaves it out.
    ties : {"first", "random"}, default="first"
        Which of equally associated meta-clusters takes an object.
    random_state : int, Generator, RandomState or None, default=None
        For METIS and ``ties="random"``.
    return_association : bool, default=False

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first objects.
    association : ndarray of shape (n_clusters, n_samples)
        Only with ``return_association``. Part of the members of every meta-cluster that hold an object,
        among those of runs that have seen it; row c is cluster c, and rows of meta-clusters without
        objects come last. ``association.max(axis=0) / association.sum(axis=0)`` tells how sure a label
        is.

    Raises
    ------
    ValueError, TypeError
        Labels, numbers or options out of range, or objects that no run has seen.
    ImportError
        ``partitioner="metis"`` without pymetis (``moo_clustering[metis]``).

    Notes
    -----
    Two clusters are as similar as the Jaccard index of the objects that both runs have seen. O(n_samples
    n_runs^2 + E^2 n_clusters) time and O(n_runs n_samples + E^2) memory for E clusters in all runs. How
    runs name their clusters makes no difference.

    References
    ----------
    A. Strehl, J. Ghosh, "Cluster ensembles", Journal of Machine Learning Research 3 (2002), section 3.4.

    Examples
    --------
    >>> from moo_clustering.consensus import mcla
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> labels, association = mcla(runs, 3, partitioner="matching", return_association=True)
    >>> labels
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    >>> association[0]
    array([1.  , 1.  , 0.75, 0.25, 0.  , 0.  , 0.  ])
    """
    check_option("vertex_weight", vertex_weight, ("size", "unit"))
    check_option("partitioner", partitioner, ("auto", "metis", "matching"))
    check_option("ties", ties, ("first", "random"))
    edges, run_weights = check_ensemble(labels, n_clusters, weights)
    seed, tie_seed = spawn_seeds(random_state, 2)
    metis = use_metis(partitioner, "matching", "mcla")
    found, association = meta_consensus(
        edges,
        n_clusters,
        run_weights,
        vertex_weight=vertex_weight if metis else None,
        seed=seed,
        tie_rng=np.random.default_rng(tie_seed) if ties == "random" else None,
    )
    return (found, association) if return_association else found


def meta_consensus(
    edges: Hyperedges,
    n_clusters: int,
    weights: FloatArray,
    *,
    vertex_weight: VertexWeight | None,
    seed: np.random.SeedSequence,
    tie_rng: np.random.Generator | None = None,
) -> tuple[NDArray[np.int32], FloatArray]:
    """Labels and association of checked runs; by matching where there is no vertex weight."""
    edge_weights = weights[edges.runs]
    similar = jaccard(edges)
    if n_clusters == 1:
        parts = np.zeros(edges.n_edges, dtype=np.intp)
    elif edges.n_edges <= n_clusters:
        parts = np.arange(edges.n_edges)
    elif vertex_weight is None:
        parts = matched_parts(edges, similar, n_clusters, weights)
    else:
        graph = sp.csr_array(similar * edge_weights * edge_weights[:, np.newaxis])
        sizes = edge_weights * (edges.sizes if vertex_weight == "size" else 1.0)
        parts = metis_parts(graph, n_clusters, vertex_weights=sizes, seed=metis_seed(seed))
    association = collapse(edges, parts, n_clusters, weights)
    deciding = association.copy()
    left_out = np.flatnonzero(~association.any(axis=0))
    if len(left_out):
        # Only in clusters that matching left out: to the meta-cluster most like these.
        likeness = part_similarity(similar, parts, n_clusters, edge_weights)
        codes = edges.codes[:, left_out]
        votes = np.where((codes >= 0)[..., np.newaxis], likeness[codes], 0.0)
        deciding[:, left_out] = np.einsum("t,tic->ci", weights, votes)
    return _compete(deciding, association, tie_rng)


def jaccard(edges: Hyperedges) -> FloatArray:
    """|a and b| / |a or b| of hyperedges over the objects both runs have seen; the diagonal is 0."""
    shared = edges.intersections
    sums = np.concatenate([np.zeros((edges.n_edges, 1), np.int64), shared.cumsum(axis=1)], axis=1)
    within = (sums[:, edges.starts[1:]] - sums[:, edges.starts[:-1]])[:, edges.runs]
    union = within + within.T - shared
    similar = np.divide(shared, union, out=np.zeros(shared.shape), where=union > 0)
    np.fill_diagonal(similar, 0.0)
    return similar


def collapse(edges: Hyperedges, parts: NDArray[np.intp], n_parts: int, weights: FloatArray) -> FloatArray:
    """Mean of the members' indicators in every meta-cluster, shape (n_parts, n_samples)."""
    n = edges.n_samples
    run, column = np.nonzero(edges.seen)
    part = parts[edges.codes[run, column]]
    kept = part >= 0
    held = np.bincount(
        part[kept] * n + column[kept], weights=weights[run[kept]], minlength=n_parts * n
    ).reshape(n_parts, n)
    # Nothing at all counts as integers.
    held = held.astype(np.float64, copy=False)
    used = np.flatnonzero(parts >= 0)
    members = np.zeros((n_parts, edges.n_runs))
    np.add.at(members, (parts[used], edges.runs[used]), weights[edges.runs[used]])
    if edges.seen.all():
        totals = np.broadcast_to(members.sum(axis=1, keepdims=True), held.shape)
    else:
        totals = members @ edges.seen
    return np.divide(held, totals, out=np.zeros_like(held), where=totals > 0)


def _compete(
    deciding: FloatArray, association: FloatArray, tie_rng: np.random.Generator | None
) -> tuple[NDArray[np.int32], FloatArray]:
    best = deciding >= deciding.max(axis=0) - _TIE
    if tie_rng is None:
        winner = best.argmax(axis=0)
    else:
        winner = np.where(best, tie_rng.random(best.shape), -1.0).argmax(axis=0)
    former, first, inverse = np.unique(winner, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    rank = np.empty(len(former), dtype=np.int32)
    rank[by_appearance] = np.arange(len(former), dtype=np.int32)
    order = np.concatenate([former[by_appearance], np.setdiff1d(np.arange(len(deciding)), former)])
    return rank[inverse.reshape(-1)], association[order]
