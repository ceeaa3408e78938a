"""Many solutions to one: of a front a similarity matrix, of many partitions one (MCLA, CSPA, HGPA, HBGF)."""

from moo_clustering.consensus._cspa import cspa
from moo_clustering.consensus._hbgf import hbgf
from moo_clustering.consensus._hgpa import hgpa
from moo_clustering.consensus._mcla import mcla
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
from moo_clustering.consensus._selection import ParetoSelection, SelectionFront, best_half, select_pareto

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
