"""Genotype <-> partition: one class per representation, all of them for whole populations.

No encoding knows an objective, so each combines with any list of validity indices in
:class:`~moo_clustering.problems.PartitionProblem`.
"""

from moo_clustering.encodings.base import (
    Encoding,
    align_labels,
    aligned_distance,
    hamming_distance,
    relabel_by_first_appearance,
)
from moo_clustering.encodings.labels import LabelEncoding
from moo_clustering.encodings.loci import LocusAdjacencyEncoding
from moo_clustering.encodings.medoids import MedoidEncoding, MedoidSlotEncoding

__all__ = [
    "Encoding",
    "LabelEncoding",
    "LocusAdjacencyEncoding",
    "MedoidEncoding",
    "MedoidSlotEncoding",
    "align_labels",
    "aligned_distance",
    "hamming_distance",
    "relabel_by_first_appearance",
]
