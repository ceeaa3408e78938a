"""pymoo problems whose individuals are partitions or graphs of the samples.

:class:`PartitionProblem` composes any encoding, validity indices and constraints, and is the one to
subclass; the others are problems of papers, or need an evaluation of their own. All score whole populations.
"""

from moo_clustering.problems.bags import BagMedoidProblem, BagPartitionProblem
from moo_clustering.problems.categories import FuzzyModesProblem
from moo_clustering.problems.centers import CenterEncoding, SumOfSquaresProblem
from moo_clustering.problems.ensembles import EnsembleSelectionProblem
from moo_clustering.problems.graphs import (
    MOCKProblem,
    NeighborGraphProblem,
    SRMOSCProblem,
    default_n_neighbors,
)
from moo_clustering.problems.medoids import MedoidProblem
from moo_clustering.problems.partition import ChunkedProblem, PartitionProblem
from moo_clustering.problems.subspace import SubspaceClusteringProblem, SubspaceSeedEncoding

__all__ = [
    "BagMedoidProblem",
    "BagPartitionProblem",
    "CenterEncoding",
    "ChunkedProblem",
    "EnsembleSelectionProblem",
    "FuzzyModesProblem",
    "MOCKProblem",
    "MedoidProblem",
    "NeighborGraphProblem",
    "PartitionProblem",
    "SRMOSCProblem",
    "SubspaceClusteringProblem",
    "SubspaceSeedEncoding",
    "SumOfSquaresProblem",
    "default_n_neighbors",
]
