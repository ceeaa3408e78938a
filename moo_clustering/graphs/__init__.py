"""Neighbour lists, similarity graphs and spectral clustering of sparse graphs.

From features to :class:`NeighborLists` (exact, with a defined order among ties), from lists to a
similarity matrix (k-nearest-neighbour, mutual, epsilon, full, water-filling), and from any such matrix
to a partition: constraints written in, components bridged, eigenvectors of a Laplacian, k-means.
Matrices are ``scipy.sparse.csr_array`` of float64.
"""

from moo_clustering.graphs.bridges import bridge_components
from moo_clustering.graphs.embedding import eigengap, spectral_embedding
from moo_clustering.graphs.loci import LinkInterest, LocusGraph, locus_graph, mst_interestingness
from moo_clustering.graphs.matrices import laplacian, symmetrize
from moo_clustering.graphs.neighbors import NeighborLists, lists_from_arrays, neighbor_lists
from moo_clustering.graphs.similarity import (
    epsilon_graph,
    full_graph,
    gaussian_similarity,
    knn_graph,
    mutual_knn_graph,
    pair_distances,
    resolve_sigma,
    self_tuning_graph,
    waterfill_graph,
    waterfill_lambda,
    waterfill_weights,
    write_constraints,
)
from moo_clustering.graphs.spectral import SpectralPartition, ratio_cut, spectral_cuts, spectral_partition
from moo_clustering.graphs.trees import (
    SpanningTree,
    euclidean_mst,
    genie_cuts,
    genie_merges,
    minimax_distances,
    mutual_reachability_mst,
)

__all__ = [
    "LinkInterest",
    "LocusGraph",
    "NeighborLists",
    "SpanningTree",
    "SpectralPartition",
    "bridge_components",
    "eigengap",
    "epsilon_graph",
    "euclidean_mst",
    "full_graph",
    "gaussian_similarity",
    "genie_cuts",
    "genie_merges",
    "knn_graph",
    "laplacian",
    "lists_from_arrays",
    "locus_graph",
    "minimax_distances",
    "mst_interestingness",
    "mutual_knn_graph",
    "mutual_reachability_mst",
    "neighbor_lists",
    "pair_distances",
    "ratio_cut",
    "resolve_sigma",
    "self_tuning_graph",
    "spectral_cuts",
    "spectral_embedding",
    "spectral_partition",
    "symmetrize",
    "waterfill_graph",
    "waterfill_lambda",
    "waterfill_weights",
    "write_constraints",
]
