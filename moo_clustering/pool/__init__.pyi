from .candidates import FAMILIES as FAMILIES
from .candidates import PartitionPool as PartitionPool
from .candidates import bag_candidate_pool as bag_candidate_pool
from .candidates import candidate_pool as candidate_pool
from .extra import extra_partitions as extra_partitions
from .families import k_grid as k_grid
