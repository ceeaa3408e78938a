"""Subspace clustering in which every cluster weighs features for itself, with partial labels or none.

Functions on arrays that the estimators and the problem share: a sweep of SISC and SISC-ML (SCAD2 when
impurity and chi-square are left out), ways to start, predictions, and entropy-weighted k-means. Arrays by
feature have shape (n_features, n_clusters), arrays by sample (n_samples, n_clusters), so that products with
sparse data read whole rows. No dense array of samples by features is ever built of sparse data.
"""

from moo_clustering.subspace.classes import chi_square, class_shares, impurity, overall_shares, votes
from moo_clustering.subspace.data import SubspaceData
from moo_clustering.subspace.kmeans import (
    EntropyWeighted,
    entropy_weighted_kmeans,
    memberships_from_seeds,
    start,
)
from moo_clustering.subspace.sweeps import (
    Iterated,
    SubspaceOptions,
    Sweep,
    distances,
    iterate,
    memberships_from_distances,
    sweep,
)

__all__ = [
    "EntropyWeighted",
    "Iterated",
    "SubspaceData",
    "SubspaceOptions",
    "Sweep",
    "chi_square",
    "class_shares",
    "distances",
    "entropy_weighted_kmeans",
    "impurity",
    "iterate",
    "memberships_from_distances",
    "memberships_from_seeds",
    "overall_shares",
    "start",
    "sweep",
    "votes",
]
