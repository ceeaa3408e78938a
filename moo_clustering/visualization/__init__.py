"""Plots of fronts, similarity matrices, bags and the course of a search.

Each plot is two functions: ``*_data`` prepares what is shown, as plain arrays, and ``plot_*`` draws
it, on pymoo's visualization classes where they fit, and returns the figure. Figures are made apart
from pyplot, whose settings and current figure stay as they were.
"""

from moo_clustering.visualization._attainment import AttainmentData, attainment_plot_data, plot_attainment
from moo_clustering.visualization._bag_distances import (
    BagDistanceData,
    bag_distance_data,
    plot_bag_distances,
)
from moo_clustering.visualization._bag_embedding import BagEmbeddingData, bag_embedding_data
from moo_clustering.visualization._bag_scatter import plot_bag_embedding
from moo_clustering.visualization._front import FrontData, front_data, plot_front
from moo_clustering.visualization._history import HistoryData, history_data, plot_history
from moo_clustering.visualization._roc import RocData, plot_roc, roc_data
from moo_clustering.visualization._similarity import SimilarityData, plot_similarity, similarity_data
from moo_clustering.visualization._terms import TermData, plot_terms, term_data

__all__ = [
    "AttainmentData",
    "BagDistanceData",
    "BagEmbeddingData",
    "FrontData",
    "HistoryData",
    "RocData",
    "SimilarityData",
    "TermData",
    "attainment_plot_data",
    "bag_distance_data",
    "bag_embedding_data",
    "front_data",
    "history_data",
    "plot_attainment",
    "plot_bag_distances",
    "plot_bag_embedding",
    "plot_front",
    "plot_history",
    "plot_roc",
    "plot_similarity",
    "plot_terms",
    "roc_data",
    "similarity_data",
    "term_data",
]
