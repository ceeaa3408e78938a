"""CSPA: clusters of a graph of how often objects are together."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csgraph

from moo_clustering._distances import MAX_MEMORY
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.consensus._coassociation import coassociation_graph, condensed_distances
from moo_clustering.consensus._ensemble import check_ensemble, check_number, numbered
from moo_clustering.consensus._low_rank import low_rank_parts
from moo_clustering.consensus._metis import metis_parts, metis_seed, use_metis
from moo_clustering.graphs import spectral_partition
from moo_clustering.validity._hyperedges import Hyperedges
from moo_clustering.validity._population import check_option

# Bytes per pair of objects (i, j), or per stored entry of a sparse graph, at the peak.
_BYTES = {"average": 8, "metis": 40, "spectral": 64}


def cspa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    partitioner: Literal["average", "metis", "spectral", "svd"] = "average",
    n_neighbors: int | None = None,
    max_memory: int = MAX_MEMORY,
    weights: ArrayLike | None = None,
    random_state: SeedLike = None,
) -> NDArray[np.int32]:
    """Consensus by cluster-based similarity: S_ij is the part of the runs that put i and j together.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers, -1 for objects a run has not seen: S_ij is about the runs that have seen both, 0
        without one. Runs may have different numbers of clusters.
    n_clusters : int
        From 1 to n_samples; with ``"svd"`` to the number of clusters of all runs together, and no more
        are found than there are objects that some run tells apart.
    partitioner : {"average", "metis", "spectral", "svd"}, default="average"
        Average linkage on 1 - S, which returns identical runs unchanged; METIS into parts of about equal
        size, as in the original, which does not unless the clusters are of like size; spectral
        clustering of S; or ``"svd"``, spectral clustering by a low-rank factor of S without S itself, for
        any number of objects.
    n_neighbors : int, optional
        Keep only so many of the largest entries in every row of S, for METIS and spectral clustering.
    max_memory : int, default=4 GiB
        Bytes that the pairs of objects may take.
    weights : array-like of shape (n_runs,), optional
        How much every run counts; 0 leaves it out.
    random_state : int, Generator, RandomState or None, default=None
        For all but average linkage, which has nothing random.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first objects.

    Raises
    ------
    ValueError, TypeError
        Labels, numbers or options out of range, objects that no run has seen, or more pairs than
        ``max_memory`` allows.
    ImportError
        ``partitioner="metis"`` without pymetis (``moo_clustering[metis]``).

    Notes
    -----
    O(n_samples^2 n_runs) time and O(n_samples^2) memory, the latter O(n_samples n_neighbors) where that
    is given; with ``"svd"`` O(n_samples (n_runs + E^2)) time at most and O(n_samples n_runs) memory for
    runs of E clusters together, equal ones counted once. How runs name their clusters makes no difference.

    ``"svd"`` takes S_ij as the weight, not the part, of the runs that put i and j together, which differs
    only where objects are missing from runs. Its rows are divided by the square roots of their sums, and
    so are its columns, objects with themselves included; k-means is run on the rows of the n_clusters
    leading eigenvectors, at unit length.

    References
    ----------
    A. Strehl, J. Ghosh, "Cluster ensembles", Journal of Machine Learning Research 3 (2002), section 3.2.
    A. Fred, A. Jain, "Combining multiple clusterings using evidence accumulation", IEEE Transactions on
    Pattern Analysis and Machine Intelligence 27 (2005), for average linkage.

    Examples
    --------
    >>> from moo_clustering.consensus import cspa
    >>> runs = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]]
    >>> cspa(runs, 3)
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    """
    check_option("partitioner", partitioner, ("average", "metis", "spectral", "svd"))
    edges, run_weights = check_ensemble(labels, n_clusters, weights)
    if n_neighbors is not None:
        check_number("n_neighbors", n_neighbors, 1, edges.n_samples)
        if partitioner in ("average", "svd"):
            raise ValueError(
                f"n_neighbors needs partitioner='metis' or 'spectral'; {partitioner!r} has no graph"
            )
    if partitioner == "svd" and n_clusters > edges.n_edges:
        raise ValueError(
            f"n_clusters={n_clusters} is more than all runs have together, {edges.n_edges}; "
            "partitioner='svd' cannot tell so many clusters apart"
        )
    metis = use_metis(partitioner, "average", "cspa")
    if partitioner != "svd":
        check_memory(edges.n_samples, partitioner, n_neighbors, max_memory)
    if n_clusters == 1:
        return np.zeros(edges.n_samples, dtype=np.int32)
    if partitioner == "average":
        tree = linkage(condensed_distances(edges, run_weights), method="average")
        return numbered(_cut(tree, edges.n_samples, n_clusters))
    neighbor_seed, seed = spawn_seeds(random_state, 2)
    if partitioner == "svd":
        return numbered(low_rank_parts(edges, run_weights, n_clusters, seed))
    neighbor_rng = np.random.default_rng(neighbor_seed)
    graph = coassociation_graph(edges, run_weights, n_clusters, n_neighbors, neighbor_rng)
    if metis:
        return numbered(metis_parts(graph, n_clusters, seed=metis_seed(seed)))
    return _spectral(graph, edges, n_clusters, np.random.default_rng(seed))


def _spectral(
    graph: sp.csr_array, edges: Hyperedges, n_clusters: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    n_components, _ = csgraph.connected_components(graph, directed=False)
    partition = spectral_partition(
        graph,
        n_clusters,
        # As many components as clusters are the clusters; more of them never share one in any run, and
        # links between them are as good as any.
        bridge=n_components > n_clusters,
        X=edges.codes.T.astype(np.float64),
        metric="hamming",
        rng=rng,
    )
    return partition.labels


def _cut(tree: NDArray[np.float64], n_samples: int, n_clusters: int) -> NDArray[np.int32]:
    """Clusters after the first n_samples - n_clusters merges: exactly so many, ties or not."""
    merged = n_samples - n_clusters
    children = tree[:merged, :2].astype(np.int64).ravel()
    parents = np.repeat(n_samples + np.arange(merged), 2)
    n_nodes = n_samples + merged
    links = sp.csr_array((np.ones(2 * merged), (children, parents)), shape=(n_nodes, n_nodes))
    _, parts = csgraph.connected_components(links, directed=False)
    labels: NDArray[np.int32] = parts[:n_samples]
    return labels


def check_memory(n_samples: int, partitioner: str, n_neighbors: int | None, max_memory: int) -> None:
    width = n_samples if n_neighbors is None else min(2 * n_neighbors, n_samples)
    needed = _BYTES[partitioner] * n_samples * width
    if needed > max_memory:
        advice = (
            "give n_neighbors to partitioner='metis' or 'spectral'"
            if n_neighbors is None
            else "lower n_neighbors"
        )
        raise ValueError(
            f"cspa compares all pairs of {n_samples} objects and needs {needed / 2**30:.3g} GiB, more than "
            f"max_memory={max_memory} bytes ({max_memory / 2**30:.3g} GiB); take partitioner='svd', which "
            f"compares none, {advice}, use mcla or hbgf, or raise max_memory."
        )
