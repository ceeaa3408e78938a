"""Consensus: one partition of many (MCLA, CSPA, HGPA, HBGF), and one similarity graph of a Pareto front."""

from moo_clustering.consensus.hypergraph import cspa, hbgf, hgpa, mcla
from moo_clustering.consensus.pareto_graph import (
    SIGMA_GRID,
    diversity_graph,
    diversity_weights,
    edge_distances,
    ensemble_members,
    kernel_graph,
    kernel_weights,
    reconstruction_graph,
    reconstruction_weights,
    to_csr,
)
from moo_clustering.consensus.selection import ParetoSelection, SelectionFront, best_half, select_pareto

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
