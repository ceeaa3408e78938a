"""NSGA-II over modes, and its front."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.operators.crossover.pntx import SinglePointCrossover
from pymoo.operators.selection.tournament import TournamentSelection

from moo_clustering.algorithms import PymooSearch
from moo_clustering.algorithms._exhaustive import non_dominated
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.operators import batched_tournament
from moo_clustering.operators._modes_mutation import ModesMutation
from moo_clustering.operators._modes_sampling import ModesSampling
from moo_clustering.problems._fuzzy_modes import FuzzyModesProblem


def modes_search(
    problem: FuzzyModesProblem, *, pop_size: int, pc: float, pm: float, seed: int
) -> PymooSearch:
    """MOGA(pi, sep) in pymoo."""
    algorithm = NSGA2(
        pop_size=pop_size,
        sampling=ModesSampling(),
        selection=TournamentSelection(func_comp=batched_tournament),
        crossover=SinglePointCrossover(prob=pc),
        mutation=ModesMutation(prob=pm),
        eliminate_duplicates=False,
        output=None,
    )
    return PymooSearch(problem, algorithm, seed=seed)


def distinct_front(
    problem: FuzzyModesProblem, population: Population
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Different non-dominated solutions, modes in lexicographic order, by pi: genotypes and F."""
    front = population[non_dominated(population.get("F"))]
    genes = problem.canonical(front.get("X"))
    kept = np.sort(distinct_rows(genes)[0])
    return genes[kept], front.get("F")[kept]
