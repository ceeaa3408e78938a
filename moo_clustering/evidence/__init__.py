"""What a pool of partitions says together with labels or pairs of samples.

Scores become weights, weights a co-association: clustered, it is a consensus; as a kernel, beside those of
graph and features, it carries the classes of a few samples to all others (:func:`kernel_ridge`,
:func:`class_probabilities`). Must-links and cannot-links are propagated over affinities
(:func:`propagate_pairs`), between which held-out pairs decide (:func:`held_out_partition`), and a partition
is repaired towards them (:func:`repair_pairs`). All work on samples or on landmarks alike.
"""

from moo_clustering.evidence._class_probabilities import class_factors, class_probabilities
from moo_clustering.evidence._coassociation import coassociation, consensus_affinity
from moo_clustering.evidence._consensus import consensus_partition
from moo_clustering.evidence._graph_kernel import graph_kernel
from moo_clustering.evidence._held_out import HeldOutPartition, held_out_partition
from moo_clustering.evidence._kernel_ridge import kernel_ridge
from moo_clustering.evidence._linear_kernel import linear_kernel
from moo_clustering.evidence._pair_matrix import pair_matrix
from moo_clustering.evidence._pair_repair import repair_pairs
from moo_clustering.evidence._propagation import propagate_pairs
from moo_clustering.evidence._selection import (
    best_member,
    consensus_weights,
    evidence_weights,
    selection_score,
)

__all__ = [
    "HeldOutPartition",
    "best_member",
    "class_factors",
    "class_probabilities",
    "coassociation",
    "consensus_affinity",
    "consensus_partition",
    "consensus_weights",
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
