"""Operators for DEAP toolboxes: array individuals, selection, and any pymoo operator as a function."""

from moo_clustering.operators.deap._bag_operators import (
    DescendPartition,
    DriftPartition,
    EvaluatePartition,
    ImprovePartition,
    ReassignPartition,
    RepairPartition,
    UsesAllClusters,
)
from moo_clustering.operators.deap._bag_restarts import MixedStarts, PerturbedCopies
from moo_clustering.operators.deap._bag_toolbox import bag_toolbox
from moo_clustering.operators.deap._batch_map import apply_batch, batch_map
from moo_clustering.operators.deap._bridge import as_mate, as_mutate
from moo_clustering.operators.deap._centers import (
    CentreIndividual,
    cx_match_centres,
    local_search,
    mut_relocate,
)
from moo_clustering.operators.deap._individual import ArrayIndividual, Minimize, MinimizeTwo
from moo_clustering.operators.deap._label_operators import cx_grouping_overlay, mut_partition
from moo_clustering.operators.deap._label_toolbox import EvaluateLabels, LabelStep, label_toolbox
from moo_clustering.operators.deap._medoid_slots import cx_slots_one_point, mut_slots
from moo_clustering.operators.deap._medoid_toolbox import (
    MedoidFitness,
    MedoidIndividual,
    SupervisedMedoidFitness,
    constraint_nsga2_step,
    medoid_toolbox,
)
from moo_clustering.operators.deap._medoids import (
    cx_prefix_union,
    mut_medoid_replace,
    mut_medoid_swap,
    sel_constraint_nsga2,
    sel_tournament_rank,
)
from moo_clustering.operators.deap._neighbor_toolbox import neighbor_toolbox
from moo_clustering.operators.deap._partition_operators import (
    cx_hux,
    cx_one_point,
    cx_uniform,
    partition_distance,
    partition_key,
    perturbed,
)
from moo_clustering.operators.deap._roulette import (
    SelRouletteLegal,
    fgka_fitness,
    roulette_weights,
    sel_roulette_min,
)
from moo_clustering.operators.deap._sel_elite import SelElite
from moo_clustering.operators.deap._selection import sel_dynamic_diversity, sel_tournament_dcd
from moo_clustering.operators.deap._slot_toolbox import slot_toolbox
from moo_clustering.operators.deap._variation import dynamic_nsga2_step, var_and, var_or

__all__ = [
    "ArrayIndividual",
    "CentreIndividual",
    "DescendPartition",
    "DriftPartition",
    "EvaluateLabels",
    "EvaluatePartition",
    "ImprovePartition",
    "LabelStep",
    "MedoidFitness",
    "MedoidIndividual",
    "Minimize",
    "MinimizeTwo",
    "MixedStarts",
    "PerturbedCopies",
    "ReassignPartition",
    "RepairPartition",
    "SelElite",
    "SelRouletteLegal",
    "SupervisedMedoidFitness",
    "UsesAllClusters",
    "apply_batch",
    "as_mate",
    "as_mutate",
    "bag_toolbox",
    "batch_map",
    "constraint_nsga2_step",
    "cx_grouping_overlay",
    "cx_hux",
    "cx_match_centres",
    "cx_one_point",
    "cx_prefix_union",
    "cx_slots_one_point",
    "cx_uniform",
    "dynamic_nsga2_step",
    "fgka_fitness",
    "label_toolbox",
    "local_search",
    "medoid_toolbox",
    "mut_medoid_replace",
    "mut_medoid_swap",
    "mut_partition",
    "mut_relocate",
    "mut_slots",
    "neighbor_toolbox",
    "partition_distance",
    "partition_key",
    "perturbed",
    "roulette_weights",
    "sel_constraint_nsga2",
    "sel_dynamic_diversity",
    "sel_roulette_min",
    "sel_tournament_dcd",
    "sel_tournament_rank",
    "slot_toolbox",
    "var_and",
    "var_or",
]
