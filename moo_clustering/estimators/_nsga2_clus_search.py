"""NSGA-II over medoid sets as a pymoo algorithm or a DEAP toolbox."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from deap import tools
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.selection.tournament import TournamentSelection

from moo_clustering.algorithms import DeapSearch, PymooSearch
from moo_clustering.algorithms._exhaustive import non_dominated
from moo_clustering.encodings._canonical import row_digests
from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    MedoidReplaceMutation,
    MedoidSampling,
    MedoidSwapMutation,
    PrefixUnionCrossover,
    batched_tournament,
)
from moo_clustering.operators.deap import constraint_nsga2_step, medoid_toolbox
from moo_clustering.problems import MedoidProblem

Individuals = list[Any]
Select = Callable[[Individuals, int, np.random.Generator], Individuals]


def pymoo_search(
    problem: MedoidProblem,
    *,
    pop_size: int,
    pc: float,
    pm: float,
    length: str,
    mutation: str,
    boundary: str,
    unique: bool,
    seed: int,
) -> PymooSearch:
    """NSGA-II-clus in pymoo."""
    mutate = (
        MedoidSwapMutation(prob=pm) if mutation == "swap" else MedoidReplaceMutation(mutation, prob=pm)  # type: ignore[arg-type]
    )
    algorithm = NSGA2(
        pop_size=pop_size,
        sampling=MedoidSampling(),
        selection=TournamentSelection(func_comp=batched_tournament),
        crossover=PrefixUnionCrossover(length, prob=pc),  # type: ignore[arg-type]
        mutation=mutate,
        survival=ConstraintCrowdingSurvival(
            boundary,  # type: ignore[arg-type]
            unique=CanonicalDuplicates(problem.encoding) if unique else None,
        ),
        eliminate_duplicates=False,
        output=None,
    )
    algorithm.tournament_type = "comp_by_rank_and_crowding"
    return PymooSearch(problem, algorithm, seed=seed)


def deap_search(
    problem: MedoidProblem,
    *,
    pop_size: int,
    pc: float,
    pm: float,
    length: str,
    mutation: str,
    boundary: str,
    unique: bool,
    seed: int,
) -> DeapSearch:
    """NSGA-II-clus in DEAP."""
    toolbox = medoid_toolbox(problem, length=length, mutation=mutation, boundary=boundary)  # type: ignore[arg-type]
    if unique:
        toolbox.register("select", _select_distinct, select=toolbox.select, problem=problem)
    return DeapSearch(
        toolbox,
        partial(constraint_nsga2_step, pc=pc, pm=pm),
        rng=np.random.default_rng(seed),
        pop_size=pop_size,
        hall_of_fame=tools.ParetoFront(similar=np.array_equal),
    )


def _select_distinct(
    individuals: Individuals, k: int, rng: np.random.Generator, *, select: Select, problem: MedoidProblem
) -> Individuals:
    """Survivors among the first of all that hold the same medoids, while enough individuals remain."""
    keys = row_digests(problem.encoding.canonical(np.stack([np.asarray(one) for one in individuals])))
    first: dict[bytes, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    later = [row for row, key in enumerate(keys) if first[key] != row]
    kept = sorted([*first.values(), *later[: max(0, k - len(first))]])
    return select([individuals[row] for row in kept], k, rng)


def deap_result(search: DeapSearch, problem: MedoidProblem) -> Result:
    """The last population of a DEAP run, in the form of pymoo's results."""
    values = {
        "X": np.stack([np.asarray(individual) for individual in search.population]).astype(np.float64),
        "F": search.objectives(),
        "CV": np.zeros((len(search.population), 1)),
    }
    if hasattr(search.population[0], "assigned_by"):
        values["assigned_by"] = np.stack([individual.assigned_by for individual in search.population])
    pop = Population.new(**values)
    pop.apply(lambda individual: individual.evaluated.update(values))
    result = Result()
    result.problem, result.pop, result.success = problem, pop, True
    result.opt = pop[non_dominated(values["F"])]
    result.X, result.F = result.opt.get("X", "F")
    return result
