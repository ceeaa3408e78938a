"""Minimum sum-of-squares clustering by evolution, by relocated centres, and by restarts."""

from moo_clustering.estimators.memetic._memetic_kmeans import MemeticKMeans

__all__ = ["MemeticKMeans"]
