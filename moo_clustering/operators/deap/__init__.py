"""Operators for DEAP toolboxes: array individuals, selection, and any pymoo operator as a function."""

from moo_clustering.operators.deap._bridge import as_mate, as_mutate
from moo_clustering.operators.deap._individual import ArrayIndividual, MinimizeTwo
from moo_clustering.operators.deap._neighbor_toolbox import neighbor_toolbox
from moo_clustering.operators.deap._selection import sel_dynamic_diversity, sel_tournament_dcd
from moo_clustering.operators.deap._variation import dynamic_nsga2_step, var_and, var_or

__all__ = [
    "ArrayIndividual",
    "MinimizeTwo",
    "as_mate",
    "as_mutate",
    "dynamic_nsga2_step",
    "neighbor_toolbox",
    "sel_dynamic_diversity",
    "sel_tournament_dcd",
    "var_and",
    "var_or",
]
