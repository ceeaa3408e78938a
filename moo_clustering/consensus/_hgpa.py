"""HGPA: a cut of the hypergraph of all clusters, approximated."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.consensus._bipartite import spectral_parts
from moo_clustering.consensus._ensemble import check_ensemble, numbered
from moo_clustering.consensus._hbgf import hbgf
from moo_clustering.validity._population import check_option


def hgpa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    approximation: Literal["hbgf", "spectral"] = "hbgf",
    weights: ArrayLike | None = None,
    random_state: SeedLike = None,
) -> NDArray[np.int32]:
    """Consensus by an approximation of hypergraph partitioning.

    The original cuts as few hyperedges, the clusters of all runs, as it can with hMETIS, a program that
    may not be redistributed. Neither approximation minimises that cut itself.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers, -1 for objects a run has not seen. Runs may have different numbers of clusters.
    n_clusters : int
        From 1 to n_samples; fewer can come out.
    approximation : {"hbgf", "spectral"}, default="hbgf"
        Every hyperedge as a vertex linked to its objects, as :func:`hbgf` has it, with METIS if pymetis
        is installed; or the singular vectors of the hypergraph's incidence matrix, scaled by degrees,
        and k-means of the objects.
    weights : array-like of shape (n_runs,), optional
        Weight of the hyperedges of every run; 0 leaves it out.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first objects.

    Raises
    ------
    ValueError, TypeError
        Labels, numbers or options out of range, or objects that no run has seen.

    Notes
    -----
    Cost as for :func:`hbgf`. How runs name their clusters makes no difference.

    References
    ----------
    A. Strehl, J. Ghosh, "Cluster ensembles", Journal of Machine Learning Research 3 (2002), section 3.3.
    D. Zhou, J. Huang, B. Schölkopf, "Learning with hypergraphs", Advances in Neural Information
    Processing Systems 19 (2006), for the singular vectors.

    Examples
    --------
    >>> from moo_clustering.consensus import hgpa
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> hgpa(runs, 3, approximation="spectral", random_state=0)
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    """
    check_option("approximation", approximation, ("hbgf", "spectral"))
    if approximation == "hbgf":
        return hbgf(labels, n_clusters, weights=weights, random_state=random_state)
    edges, run_weights = check_ensemble(labels, n_clusters, weights)
    if n_clusters == 1:
        return np.zeros(edges.n_samples, dtype=np.int32)
    (seed,) = spawn_seeds(random_state, 1)
    return numbered(spectral_parts(edges, run_weights, n_clusters, with_edges=False, seed=seed))
