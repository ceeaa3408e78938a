"""Multi-instance data: bags of instances, distances between bags, and what can be left out of them."""

from moo_clustering.bags._as_bags import as_bags
from moo_clustering.bags._bags import Bags
from moo_clustering.bags._distance_kinds import bag_distance_kinds
from moo_clustering.bags._distances import bag_distances
from moo_clustering.bags._energy_distance import energy_distance
from moo_clustering.bags._gaussian_kernel import gaussian_bag_kernel
from moo_clustering.bags._geometry import BagGeometry
from moo_clustering.bags._objective import BagObjective
from moo_clustering.bags._pruning import farthest_candidates
from moo_clustering.bags._sliced import sliced_quantile_embedding
from moo_clustering.bags._statistics import bag_embedding, bag_statistics
from moo_clustering.bags._transformer import BagTransformer

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
