"""Subspace clustering in which every cluster weighs features for itself, with partial labels or none.

Functions on arrays that the estimators and the problem share: a sweep of SISC and SISC-ML (SCAD2 when
impurity and chi-square are left out), ways to start, predictions, and entropy-weighted k-means. Arrays by
feature have shape (n_features, n_clusters), arrays by sample (n_samples, n_clusters), so that products with
sparse data read whole rows. No dense array of samples by features is ever built of sparse data.
"""

from moo_clustering.subspace.kmeans import (
    EntropyWeighted,
    entropy_weighted_kmeans,
    memberships_from_seeds,
    start,
)
from moo_clustering.subspace.sweeps import (
    Iterated,
    SubspaceData,
    SubspaceOptions,
    Sweep,
    chi_square,
    class_shares,
    distances,
    impurity,
    iterate,
    memberships_from_distances,
    overall_shares,
    sweep,
    votes,
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
