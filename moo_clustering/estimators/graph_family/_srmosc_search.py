"""The evolutionary search of SRMOSC, and the graphs of fronts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.operators.selection.tournament import TournamentSelection

from moo_clustering.algorithms import PymooSearch
from moo_clustering.algorithms._row_table_evaluator import RowTableEvaluator
from moo_clustering.consensus import ensemble_members
from moo_clustering.fronts._srmosc_hull import SRMOSCHull
from moo_clustering.operators import batched_tournament
from moo_clustering.operators._row_uniform_crossover import RowUniformCrossover
from moo_clustering.operators._sparse_row_sampling import SparseRowSampling
from moo_clustering.operators._support_mutation import SupportMutation
from moo_clustering.problems._srmosc import SRMOSCProblem


def srmosc_search(problem: SRMOSCProblem, *, pop_size: int, pc: float, pm: float, seed: int) -> PymooSearch:
    """NSGA-II over rows of weights, whose errors go along with them."""
    algorithm = NSGA2(
        pop_size=pop_size,
        sampling=SparseRowSampling(),
        selection=TournamentSelection(func_comp=batched_tournament),
        crossover=RowUniformCrossover(prob=pc),
        mutation=SupportMutation(prob=pm),
        eliminate_duplicates=False,
        evaluator=RowTableEvaluator(),
        output=None,
    )
    return PymooSearch(problem, algorithm, seed=seed)


def distinct_front(population: Population) -> Population:
    """Non-dominated individuals of different objectives, by the number of links."""
    F: NDArray[Any] = population.get("F")
    front = ensemble_members(F)
    _, first = np.unique(F[front][:, ::-1], axis=0, return_index=True)
    return population[front[first]]


@dataclass(frozen=True, eq=False)
class HullGraphs:
    """Similarity matrices of the members of a hull that are shown."""

    hull: SRMOSCHull
    shown: NDArray[np.intp]

    def __call__(self, member: int) -> sp.csr_array:
        return self.hull.graph(int(self.shown[member]))


@dataclass(frozen=True, eq=False)
class EvolvedGraphs:
    """Similarity matrices of the individuals of a front."""

    problem: SRMOSCProblem
    front: Population

    def __call__(self, member: int) -> sp.csr_array:
        return self.problem.graph(self.front[member].X)
