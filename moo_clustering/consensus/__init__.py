"""Many solutions to one: from the members of a front to a single similarity matrix."""

from moo_clustering.consensus._neighbor_ensembles import (
    diversity_weights,
    edge_distances,
    kernel_weights,
    to_csr,
)
from moo_clustering.consensus._pareto_graph import (
    SIGMA_GRID,
    diversity_graph,
    ensemble_members,
    kernel_graph,
    reconstruction_graph,
)
from moo_clustering.consensus._reconstruction import reconstruction_weights

__all__ = [
    "SIGMA_GRID",
    "diversity_graph",
    "diversity_weights",
    "edge_distances",
    "ensemble_members",
    "kernel_graph",
    "kernel_weights",
    "reconstruction_graph",
    "reconstruction_weights",
    "to_csr",
]
