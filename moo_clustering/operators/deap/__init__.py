"""Operators for DEAP toolboxes: array individuals, selection, and any pymoo operator as a function."""

from moo_clustering.operators.deap._bridge import as_mate, as_mutate
from moo_clustering.operators.deap._individual import ArrayIndividual, MinimizeTwo
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
from moo_clustering.operators.deap._selection import sel_dynamic_diversity, sel_tournament_dcd
from moo_clustering.operators.deap._variation import dynamic_nsga2_step, var_and, var_or

__all__ = [
    "ArrayIndividual",
    "MedoidFitness",
    "MedoidIndividual",
    "MinimizeTwo",
    "SupervisedMedoidFitness",
    "as_mate",
    "as_mutate",
    "constraint_nsga2_step",
    "cx_prefix_union",
    "dynamic_nsga2_step",
    "medoid_toolbox",
    "mut_medoid_replace",
    "mut_medoid_swap",
    "neighbor_toolbox",
    "sel_constraint_nsga2",
    "sel_dynamic_diversity",
    "sel_tournament_dcd",
    "sel_tournament_rank",
    "var_and",
    "var_or",
]
