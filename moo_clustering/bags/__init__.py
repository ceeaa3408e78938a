"""Multi-instance data: bags of instances, distances between bags, and what can be left out of them."""

from moo_clustering.bags.bags import Bags, as_bags
from moo_clustering.bags.distances import (
    bag_distance_kinds,
    bag_distances,
    energy_distance,
    gaussian_bag_kernel,
)
from moo_clustering.bags.embeddings import bag_embedding, bag_statistics, sliced_quantile_embedding
from moo_clustering.bags.geometry import BagGeometry, farthest_candidates
from moo_clustering.bags.objective import BagObjective
from moo_clustering.bags.transformer import BagTransformer

__all__ = [
    "BagGeometry",
    "BagObjective",
    "BagTransformer",
    "Bags",
    "as_bags",
    "bag_distance_kinds",
    "bag_distances",
    "bag_embedding",
    "bag_statistics",
    "energy_distance",
    "farthest_candidates",
    "gaussian_bag_kernel",
    "sliced_quantile_embedding",
]
