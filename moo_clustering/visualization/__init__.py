"""Plots of fronts, partitions, constraints, similarity matrices, bags and the course of a search.

Each plot is two functions: ``*_data`` prepares what is shown, as plain arrays, and ``plot_*`` draws
it, on pymoo's visualization classes where they fit, and returns the figure; ``ax`` draws into axes of
one's own, ``path`` writes a file. Figures are made apart from pyplot, whose settings and current figure
stay as they were. :func:`pymoo_plots` and :func:`front_bounds` are for pymoo's own plots of a ``result_``.
"""

from moo_clustering.stats import CriticalDifferenceData, critical_difference_data
from moo_clustering.visualization._attainment import AttainmentData, attainment_plot_data, plot_attainment
from moo_clustering.visualization._bag_distances import (
    BagDistanceData,
    bag_distance_data,
    plot_bag_distances,
)
from moo_clustering.visualization._bag_embedding import BagEmbeddingData, bag_embedding_data
from moo_clustering.visualization._bag_scatter import plot_bag_embedding
from moo_clustering.visualization._constraints import (
    ConstraintsData,
    PairLines,
    constraints_data,
    plot_constraints,
)
from moo_clustering.visualization._convergence import plot_convergence
from moo_clustering.visualization._convergence_data import ConvergenceData, Curve, convergence_data
from moo_clustering.visualization._critical_difference import plot_critical_difference
from moo_clustering.visualization._front import FrontData, front_bounds, front_data, plot_front
from moo_clustering.visualization._history import HistoryData, history_data, plot_history
from moo_clustering.visualization._partition import PartitionData, partition_data, plot_partition
from moo_clustering.visualization._pyplot import pymoo_plots
from moo_clustering.visualization._roc import RocData, plot_roc, roc_data
from moo_clustering.visualization._similarity import SimilarityData, plot_similarity, similarity_data
from moo_clustering.visualization._terms import TermData, plot_terms, term_data

__all__ = [
    "AttainmentData",
    "BagDistanceData",
    "BagEmbeddingData",
    "ConstraintsData",
    "ConvergenceData",
    "CriticalDifferenceData",
    "Curve",
    "FrontData",
    "HistoryData",
    "PairLines",
    "PartitionData",
    "RocData",
    "SimilarityData",
    "TermData",
    "attainment_plot_data",
    "bag_distance_data",
    "bag_embedding_data",
    "constraints_data",
    "convergence_data",
    "critical_difference_data",
    "front_bounds",
    "front_data",
    "history_data",
    "partition_data",
    "plot_attainment",
    "plot_bag_distances",
    "plot_bag_embedding",
    "plot_constraints",
    "plot_convergence",
    "plot_critical_difference",
    "plot_front",
    "plot_history",
    "plot_partition",
    "plot_roc",
    "plot_similarity",
    "plot_terms",
    "pymoo_plots",
    "roc_data",
    "similarity_data",
    "term_data",
]
