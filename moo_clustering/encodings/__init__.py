"""Genotype <-> partition: one class per representation, all of them for whole populations.

No encoding knows an objective, so each combines with any list of validity indices in
:class:`~moo_clustering.problems.PartitionProblem`.
"""

from moo_clustering.encodings._alignment import align_labels, aligned_distance, hamming_distance
from moo_clustering.encodings._base import Encoding
from moo_clustering.encodings._canonical import relabel_by_first_appearance
from moo_clustering.encodings._labels import LabelEncoding
from moo_clustering.encodings._locus_adjacency import LocusAdjacencyEncoding
from moo_clustering.encodings._medoid_slots import MedoidSlotEncoding
from moo_clustering.encodings._medoids import MedoidEncoding

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
