"""Neighbour lists, similarity graphs, and spectral clustering of them."""

from moo_clustering.graphs._bridges import bridge_components
from moo_clustering.graphs._constraint_edges import write_constraints
from moo_clustering.graphs._embedding import spectral_embedding
from moo_clustering.graphs._given_lists import lists_from_arrays
from moo_clustering.graphs._laplacian import laplacian
from moo_clustering.graphs._neighbors import NeighborLists, neighbor_lists
from moo_clustering.graphs._partition import SpectralPartition, spectral_partition
from moo_clustering.graphs._similarity import (
    epsilon_graph,
    full_graph,
    gaussian_similarity,
    knn_graph,
    mutual_knn_graph,
    symmetrize,
)
from moo_clustering.graphs._waterfill import waterfill_graph

__all__ = [
    "NeighborLists",
    "SpectralPartition",
    "bridge_components",
    "epsilon_graph",
    "full_graph",
    "gaussian_similarity",
    "knn_graph",
    "laplacian",
    "lists_from_arrays",
    "mutual_knn_graph",
    "neighbor_lists",
    "spectral_embedding",
    "spectral_partition",
    "symmetrize",
    "waterfill_graph",
    "write_constraints",
]
