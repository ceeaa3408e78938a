"""PESC's phase I as a pymoo algorithm or a DEAP toolbox, composed from its options."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.selection.tournament import TournamentSelection

from moo_clustering.algorithms import DeapSearch, PymooSearch
from moo_clustering.operators import (
    CannotLinkRepair,
    DynamicDiversitySurvival,
    ExclusiveMating,
    IndexPM,
    IndexSBX,
    NeighborResample,
    NeighborSampling,
    RankPM,
    RankSBX,
    UniformNeighborCrossover,
    batched_tournament,
)
from moo_clustering.operators.deap import dynamic_nsga2_step, neighbor_toolbox

if TYPE_CHECKING:
    from pymoo.core.crossover import Crossover
    from pymoo.core.mutation import Mutation

    from moo_clustering.problems import NeighborGraphProblem

IntArray = NDArray[np.integer[Any]]


class Parts(NamedTuple):
    """The operators of a run."""

    sampling: NeighborSampling
    crossover: Crossover
    mutation: Mutation
    survival: DynamicDiversitySurvival


def compose(
    *,
    operators: str,
    init: str,
    pc: float,
    pm: float,
    mutation_prob: str,
    eta_crossover: float,
    eta_mutation: float,
    diversity: str,
    n_div: int | None,
) -> Parts:
    """Operators for the options of :class:`~moo_clustering.PESC`."""
    # What p_m is a probability of is not printed: of a gene, or of an individual whose genes then
    # change with probability 1/N.
    rates: dict[str, Any] = {"prob_var": pm} if mutation_prob == "gene" else {}
    if mutation_prob == "individual":
        rates["prob"] = pm
    crossover: Crossover
    mutation: Mutation
    if operators == "uniform":
        crossover, mutation = UniformNeighborCrossover(prob=pc), NeighborResample(**rates)
    elif operators == "rank":
        crossover, mutation = RankSBX(prob=pc, eta=eta_crossover), RankPM(eta=eta_mutation, **rates)
    else:
        crossover, mutation = IndexSBX(prob=pc, eta=eta_crossover), IndexPM(eta=eta_mutation, **rates)
    survival = DynamicDiversitySurvival(diversity, n_div)  # type: ignore[arg-type]
    return Parts(NeighborSampling(init), crossover, mutation, survival)  # type: ignore[arg-type]


def pymoo_search(
    problem: NeighborGraphProblem, parts: Parts, *, pop_size: int, exclusive: bool, seed: int
) -> PymooSearch:
    """NSGA-II over neighbour graphs in pymoo."""
    selection = TournamentSelection(func_comp=batched_tournament)
    repair = CannotLinkRepair() if problem.gene == "index" else None
    mating = ExclusiveMating(selection, parts.crossover, parts.mutation, repair=repair) if exclusive else None
    algorithm = NSGA2(
        pop_size=pop_size,
        sampling=parts.sampling,
        selection=selection,
        crossover=parts.crossover,
        mutation=parts.mutation,
        survival=parts.survival,
        repair=repair,
        mating=mating,
        eliminate_duplicates=False,
        output=None,
    )
    return PymooSearch(problem, algorithm, seed=seed)


def deap_search(
    problem: NeighborGraphProblem,
    parts: Parts,
    *,
    pop_size: int,
    pc: float,
    pm: float,
    mutation_prob: str,
    seed: int,
) -> DeapSearch:
    """NSGA-II over neighbour graphs in DEAP."""
    toolbox = neighbor_toolbox(problem, *parts)
    step = partial(
        dynamic_nsga2_step,
        pc=pc,
        pm=pm if mutation_prob == "individual" else 1.0,
        variation="or" if mutation_prob == "exclusive" else "and",
    )
    return DeapSearch(toolbox, step, rng=np.random.default_rng(seed), pop_size=pop_size)


def final_population(search: PymooSearch | DeapSearch) -> tuple[IntArray, NDArray[np.float64]]:
    """Genotypes and objectives of the last population."""
    if isinstance(search, PymooSearch):
        X, F = search.result().pop.get("X", "F")
        return X, F
    return np.stack([np.asarray(individual) for individual in search.population]), search.objectives()
