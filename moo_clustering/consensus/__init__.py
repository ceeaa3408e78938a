"""Many solutions to one: of a front a similarity matrix, of many partitions one (MCLA, CSPA, HGPA, HBGF)."""

from moo_clustering.consensus.hypergraph import cspa, hbgf, hgpa, mcla
from moo_clustering.consensus.selection import (
    SIGMA_GRID,
    ParetoSelection,
    SelectionFront,
    best_half,
    diversity_graph,
    diversity_weights,
    edge_distances,
    ensemble_members,
    kernel_graph,
    kernel_weights,
    reconstruction_graph,
    reconstruction_weights,
    select_pareto,
    to_csr,
)

__all__ = [
    "SIGMA_GRID",
    "ParetoSelection",
    "SelectionFront",
    "best_half",
    "cspa",
    "diversity_graph",
    "diversity_weights",
    "edge_distances",
    "ensemble_members",
    "hbgf",
    "hgpa",
    "kernel_graph",
    "kernel_weights",
    "mcla",
    "reconstruction_graph",
    "reconstruction_weights",
    "select_pareto",
    "to_csr",
]
