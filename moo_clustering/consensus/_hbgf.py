"""HBGF: objects and clusters partitioned together."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.consensus._bipartite import bipartite_graph, spectral_parts
from moo_clustering.consensus._ensemble import check_ensemble, numbered
from moo_clustering.consensus._metis import metis_parts, metis_seed, use_metis
from moo_clustering.validity._population import check_option


def hbgf(
    labels: ArrayLike,
    n_clusters: int,
    *,
    partitioner: Literal["auto", "metis", "spectral"] = "auto",
    weights: ArrayLike | None = None,
    random_state: SeedLike = None,
) -> NDArray[np.int32]:
    """Consensus by partitioning the bipartite graph of objects and the clusters they are in.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers, -1 for objects a run has not seen. Runs may have different numbers of clusters.
    n_clusters : int
        From 1 to n_samples; fewer can come out.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        METIS, whose parts are of about equal size, or spectral clustering of the graph: singular vectors
        and k-means of the rows of objects and clusters. Both are in the paper. ``"auto"`` is METIS if
        pymetis is installed (a log message says which).
    weights : array-like of shape (n_runs,), optional
        Weight of the edges of every run; 0 leaves it out.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first objects.

    Raises
    ------
    ValueError, TypeError
        Labels, numbers or options out of range, or objects that no run has seen.
    ImportError
        ``partitioner="metis"`` without pymetis (``moo_clustering[metis]``).

    Notes
    -----
    The graph has n_samples + E vertices and n_samples n_runs edges, E being the number of clusters in all
    runs: METIS takes about linear time, spectral clustering O(n_samples n_runs^2 + E^3) for E up to 2000.
    Spectral clustering returns identical runs unchanged; METIS does so where the clusters are of like
    size. How runs name their clusters makes no difference.

    References
    ----------
    X. Fern, C. Brodley, "Solving cluster ensemble problems by bipartite graph partitioning",
    International Conference on Machine Learning (2004).

    Examples
    --------
    >>> from moo_clustering.consensus import hbgf
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> hbgf(runs, 3, partitioner="spectral", random_state=0)
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    """
    check_option("partitioner", partitioner, ("auto", "metis", "spectral"))
    edges, run_weights = check_ensemble(labels, n_clusters, weights)
    metis = use_metis(partitioner, "spectral", "hbgf")
    (seed,) = spawn_seeds(random_state, 1)
    if n_clusters == 1:
        return np.zeros(edges.n_samples, dtype=np.int32)
    if metis:
        graph = bipartite_graph(edges, run_weights)
        parts = metis_parts(graph, n_clusters, seed=metis_seed(seed))[: edges.n_samples]
    else:
        parts = spectral_parts(edges, run_weights, n_clusters, with_edges=True, seed=seed)
    return numbered(parts)
