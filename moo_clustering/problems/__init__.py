"""What is optimised: pymoo problems whose individuals are partitions or graphs of the samples."""

from moo_clustering.problems._bag_medoid import BagMedoidProblem
from moo_clustering.problems._bag_partition import BagPartitionProblem
from moo_clustering.problems._center_encoding import CenterEncoding
from moo_clustering.problems._chunked import ChunkedProblem
from moo_clustering.problems._ensemble_selection import EnsembleSelectionProblem
from moo_clustering.problems._fuzzy_modes import FuzzyModesProblem
from moo_clustering.problems._medoids import MedoidProblem
from moo_clustering.problems._mock import MOCKProblem
from moo_clustering.problems._neighbor_graph import NeighborGraphProblem, default_n_neighbors
from moo_clustering.problems._partition import PartitionProblem
from moo_clustering.problems._srmosc import SRMOSCProblem
from moo_clustering.problems._subspace_clustering import SubspaceClusteringProblem
from moo_clustering.problems._subspace_seeds import SubspaceSeedEncoding
from moo_clustering.problems._sum_of_squares import SumOfSquaresProblem

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
