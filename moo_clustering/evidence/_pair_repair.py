"""Labels moved towards must-links and cannot-links."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph

from moo_clustering._kernels.pair_repair import sweep_groups
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.evidence._pair_matrix import PairsLike, as_pair_matrix
from moo_clustering.graphs._similarity import short_indices
from moo_clustering.validity._population import integer_rows

_HARD, _SOFT = 1.0, 0.3


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
    return relabel_by_first_appearance(current[np.newaxis])[0]


def _groups(constraints: PairsLike, Z: sp.csr_array) -> NDArray[np.intp]:
    """Component of every sample, numbered by their lowest samples."""
    if isinstance(constraints, PairwiseConstraints):
        return constraints.components().astype(np.intp)
    together = Z.copy()
    together.data = np.maximum(together.data, 0.0)
    together.eliminate_zeros()
    parts = csgraph.connected_components(together, directed=False)[1]
    return relabel_by_first_appearance(parts[np.newaxis])[0].astype(np.intp)
