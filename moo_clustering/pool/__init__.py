"""Candidate partitions of one data set from algorithm families with different biases.

:func:`candidate_pool` runs k-means, Ward linkage, spectral cuts, Genie, HDBSCAN, Gaussian mixtures and
the merging of fragments over a range of numbers of clusters; what comes out, and clusterers or labels of
one's own, is a :class:`PartitionPool`.
"""

from moo_clustering.pool.candidates import FAMILIES, bag_candidate_pool, candidate_pool
from moo_clustering.pool.extra import extra_partitions
from moo_clustering.pool.families import k_grid
from moo_clustering.pool.partitions import PartitionPool

__all__ = ["FAMILIES", "PartitionPool", "bag_candidate_pool", "candidate_pool", "extra_partitions", "k_grid"]
