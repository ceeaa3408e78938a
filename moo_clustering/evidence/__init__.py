"""Evidence of a few labels or pairs about the partitions of a pool, and about the other samples.

A pool becomes a kernel or a consensus, and labels make class scores of it; pairs are carried over a graph to
other samples, and repair partitions; weights and scores choose among the members of the pool.
"""

from moo_clustering.evidence.kernels import (
    class_factors,
    class_probabilities,
    coassociation,
    consensus_affinity,
    consensus_partition,
    graph_kernel,
    kernel_ridge,
    linear_kernel,
)
from moo_clustering.evidence.members import best_member, consensus_weights, evidence_weights, selection_score
from moo_clustering.evidence.pairs import (
    HeldOutPartition,
    cross_validated_partition,
    held_out_partition,
    pair_matrix,
    propagate_pairs,
    repair_pairs,
)
from moo_clustering.evidence.stacking import ClassifierStack

__all__ = [
    "ClassifierStack",
    "HeldOutPartition",
    "best_member",
    "class_factors",
    "class_probabilities",
    "coassociation",
    "consensus_affinity",
    "consensus_partition",
    "consensus_weights",
    "cross_validated_partition",
    "evidence_weights",
    "graph_kernel",
    "held_out_partition",
    "kernel_ridge",
    "linear_kernel",
    "pair_matrix",
    "propagate_pairs",
    "repair_pairs",
    "selection_score",
]
