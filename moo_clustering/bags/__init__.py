"""Multi-instance data: bags of instances, distances between bags, and what can be left out of them."""

from moo_clustering.bags._as_bags import as_bags
from moo_clustering.bags._bags import Bags
from moo_clustering.bags._distances import bag_distances
from moo_clustering.bags._geometry import BagGeometry
from moo_clustering.bags._objective import BagObjective
from moo_clustering.bags._pruning import farthest_candidates
from moo_clustering.bags._transformer import BagTransformer

__all__ = [
    "BagGeometry",
    "BagObjective",
    "BagTransformer",
    "Bags",
    "as_bags",
    "bag_distances",
    "farthest_candidates",
]
