"""How populations are made, varied and selected: pymoo operators (DEAP's are in ``operators.deap``)."""

from moo_clustering.operators._aligned_crossovers import AlignedHUX, AlignedOnePoint, AlignedUniformCrossover
from moo_clustering.operators._batched_tournament import batched_tournament
from moo_clustering.operators._canonical_duplicates import CanonicalDuplicates
from moo_clustering.operators._canonical_repair import CanonicalRepair
from moo_clustering.operators._center_matching import CentreMatchingCrossover
from moo_clustering.operators._cluster_number_repair import ClusterNumberRepair
from moo_clustering.operators._constraint_crowding import ConstraintCrowdingSurvival
from moo_clustering.operators._dynamic_diversity import DynamicDiversitySurvival
from moo_clustering.operators._elite_memory import EliteMemory
from moo_clustering.operators._elite_survival import EliteSurvival
from moo_clustering.operators._encoding_repair import EncodingRepair
from moo_clustering.operators._encoding_sampling import EncodingSampling
from moo_clustering.operators._exclusive_mating import ExclusiveMating
from moo_clustering.operators._graph_merge import GraphMerge
from moo_clustering.operators._graph_refine import GraphRefine
from moo_clustering.operators._grouping_overlay import GroupingOverlayCrossover
from moo_clustering.operators._improvement_mutation import ImprovementMutation
from moo_clustering.operators._index_operators import IndexPM, IndexSBX
from moo_clustering.operators._km_mutation import KMMutation
from moo_clustering.operators._label_graph import LabelGraph
from moo_clustering.operators._local_search_repair import LocalSearchRepair
from moo_clustering.operators._medoid_repair import MedoidSetRepair
from moo_clustering.operators._medoid_replace import MedoidReplaceMutation
from moo_clustering.operators._medoid_sampling import MedoidSampling
from moo_clustering.operators._medoid_swap import MedoidSwapMutation
from moo_clustering.operators._min_size_repair import MinSizeRepair
from moo_clustering.operators._modes_mutation import ModesMutation
from moo_clustering.operators._modes_sampling import ModesSampling
from moo_clustering.operators._mutation_choice import MutationChoice
from moo_clustering.operators._neighbor_biased import NeighborBiasedMutation
from moo_clustering.operators._neighbor_crossover import UniformNeighborCrossover
from moo_clustering.operators._neighbor_mutation import NeighborResample
from moo_clustering.operators._neighbor_repair import CannotLinkRepair
from moo_clustering.operators._neighbor_sampling import NeighborSampling
from moo_clustering.operators._pair_violation_mutation import PairViolationMutation
from moo_clustering.operators._partition_mutation import PartitionMutation
from moo_clustering.operators._partition_sampling import PartitionSampling
from moo_clustering.operators._pool_sampling import PoolSampling
from moo_clustering.operators._pool_split import PoolSplit
from moo_clustering.operators._prefix_union import PrefixUnionCrossover
from moo_clustering.operators._random_survival import RandomSurvival
from moo_clustering.operators._rank_operators import RankPM, RankSBX
from moo_clustering.operators._refilling_sampling import RefillingSampling
from moo_clustering.operators._relocate_center import RelocateCentre
from moo_clustering.operators._repair_sequence import RepairSequence
from moo_clustering.operators._row_uniform_crossover import RowUniformCrossover
from moo_clustering.operators._seed_crossover import AlignedSeedCrossover
from moo_clustering.operators._seed_mutations import DistantSeedMutation, SweepSeedMutation
from moo_clustering.operators._seed_sampling import SeedSampling
from moo_clustering.operators._slot_operators import (
    SlotMutation,
    SlotOnePointCrossover,
    SlotRepair,
    SlotSampling,
)
from moo_clustering.operators._sparse_row_sampling import SparseRowSampling
from moo_clustering.operators._support_mutation import SupportMutation
from moo_clustering.operators._tree_sampling import MSTInterestingnessSampling

__all__ = [
    "AlignedHUX",
    "AlignedOnePoint",
    "AlignedSeedCrossover",
    "AlignedUniformCrossover",
    "CannotLinkRepair",
    "CanonicalDuplicates",
    "CanonicalRepair",
    "CentreMatchingCrossover",
    "ClusterNumberRepair",
    "ConstraintCrowdingSurvival",
    "DistantSeedMutation",
    "DynamicDiversitySurvival",
    "EliteMemory",
    "EliteSurvival",
    "EncodingRepair",
    "EncodingSampling",
    "ExclusiveMating",
    "GraphMerge",
    "GraphRefine",
    "GroupingOverlayCrossover",
    "ImprovementMutation",
    "IndexPM",
    "IndexSBX",
    "KMMutation",
    "LabelGraph",
    "LocalSearchRepair",
    "MSTInterestingnessSampling",
    "MedoidReplaceMutation",
    "MedoidSampling",
    "MedoidSetRepair",
    "MedoidSwapMutation",
    "MinSizeRepair",
    "ModesMutation",
    "ModesSampling",
    "MutationChoice",
    "NeighborBiasedMutation",
    "NeighborResample",
    "NeighborSampling",
    "PairViolationMutation",
    "PartitionMutation",
    "PartitionSampling",
    "PoolSampling",
    "PoolSplit",
    "PrefixUnionCrossover",
    "RandomSurvival",
    "RankPM",
    "RankSBX",
    "RefillingSampling",
    "RelocateCentre",
    "RepairSequence",
    "RowUniformCrossover",
    "SeedSampling",
    "SlotMutation",
    "SlotOnePointCrossover",
    "SlotRepair",
    "SlotSampling",
    "SparseRowSampling",
    "SupportMutation",
    "SweepSeedMutation",
    "UniformNeighborCrossover",
    "batched_tournament",
]
