"""Neighbour lists, similarity graphs and spectral clustering of sparse graphs.

From features to :class:`NeighborLists` (exact, with a defined order among ties), from lists to a
similarity matrix (k-nearest-neighbour, mutual, epsilon, full, water-filling), and from any such matrix
to a partition: constraints written in, components bridged, eigenvectors of a Laplacian, k-means.
Matrices are ``scipy.sparse.csr_array`` of float64.
"""

from moo_clustering.graphs._bridging import bridge_components
from moo_clustering.graphs._constraint_edges import write_constraints
from moo_clustering.graphs._eigengap import eigengap
from moo_clustering.graphs._embedding import spectral_embedding
from moo_clustering.graphs._genie import genie_cuts, genie_merges
from moo_clustering.graphs._given_lists import lists_from_arrays
from moo_clustering.graphs._interestingness import LinkInterest, mst_interestingness
from moo_clustering.graphs._laplacian import laplacian
from moo_clustering.graphs._locus_graph import LocusGraph, locus_graph
from moo_clustering.graphs._minimax import minimax_distances
from moo_clustering.graphs._mutual_reachability import mutual_reachability_mst
from moo_clustering.graphs._neighbors import NeighborLists, neighbor_lists
from moo_clustering.graphs._partition import SpectralPartition, spectral_partition
from moo_clustering.graphs._ratio_cut import ratio_cut
from moo_clustering.graphs._self_tuning import self_tuning_graph
from moo_clustering.graphs._similarity import (
    epsilon_graph,
    full_graph,
    gaussian_similarity,
    knn_graph,
    mutual_knn_graph,
    pair_distances,
    resolve_sigma,
    symmetrize,
)
from moo_clustering.graphs._spanning_tree import SpanningTree, euclidean_mst
from moo_clustering.graphs._spectral_cuts import spectral_cuts
from moo_clustering.graphs._waterfill import waterfill_graph, waterfill_lambda, waterfill_weights

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
