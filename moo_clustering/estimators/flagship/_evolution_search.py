"""The search of :func:`evolve_pool` as a pymoo algorithm or a DEAP toolbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.selection.rnd import RandomSelection
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding

from moo_clustering.algorithms import DeapSearch, PymooSearch
from moo_clustering.algorithms._exhaustive import non_dominated
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.operators import (
    CanonicalDuplicates,
    ClusterNumberRepair,
    EliteMemory,
    EliteSurvival,
    GroupingOverlayCrossover,
    LabelGraph,
    PartitionMutation,
    PoolSampling,
    RandomSurvival,
    batched_tournament,
)
from moo_clustering.operators.deap import LabelStep, SelElite, label_toolbox
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex

FloatArray = NDArray[np.float64]
Labels = NDArray[np.int32]
Scalar = Callable[[FloatArray, Labels], FloatArray]
SurvivalKind = Literal["crowding", "random"]

_N_ELITE = 4
# Clusters an evolved partition may have at least, if there are as many samples.
_ROOM = 60


class Parts(NamedTuple):
    """What a run is composed of."""

    problem: PartitionProblem
    sampling: PoolSampling
    crossover: GroupingOverlayCrossover
    mutation: PartitionMutation
    repair: ClusterNumberRepair | None
    scalar: Scalar
    survival: SurvivalKind
    pop_size: int


def compose(
    members: Labels,
    graph: LabelGraph,
    indices: Sequence[ValidityIndex],
    scalar: Scalar,
    *,
    n_clusters: int | None,
    constraints: PairwiseConstraints | None,
    pop_size: int,
    survival: SurvivalKind,
    rng: np.random.Generator,
) -> Parts:
    """The problem, where to start, and the operators; members and labels are canonical."""
    m = members.shape[1]
    if m < 2:
        raise ValueError(f"pool must be about at least 2 samples, got {m}.")
    if graph.n_samples != m:
        raise ValueError(f"graph is about {graph.n_samples} samples, pool about {m}.")
    if constraints is not None and constraints.n_samples != m:
        raise ValueError(f"constraints are about {constraints.n_samples} samples, pool about {m}.")
    k_max = min(m, max(2 * (int(members.max()) + 1), _ROOM, n_clusters or 0))
    encoding = LabelEncoding(m, k_max, k_min=2 if n_clusters is None else min(2, n_clusters))
    problem = PartitionProblem(None, encoding, list(indices))
    repair, start = None, members
    if n_clusters is not None:
        repair = ClusterNumberRepair(graph, members, n_clusters)
        start = repair.repaired(members, rng)
    start = start[distinct_rows(start)[0]]
    values = problem.natural(problem.evaluate(start, return_values_of=["F"]))
    return Parts(
        problem,
        PoolSampling(start, scalar(values, start)),
        GroupingOverlayCrossover(graph),
        PartitionMutation(graph, members, constraints=constraints),
        repair,
        scalar,
        survival,
        pop_size,
    )


def pymoo_search(parts: Parts, seed: int) -> PymooSearch:
    """NSGA-II over partitions in pymoo."""
    random = parts.survival == "random"
    algorithm = NSGA2(
        pop_size=parts.pop_size,
        sampling=parts.sampling,
        # Without this the tournament would select in the control as well.
        selection=RandomSelection() if random else TournamentSelection(func_comp=batched_tournament),
        crossover=parts.crossover,
        mutation=parts.mutation,
        survival=EliteSurvival(
            RandomSurvival() if random else RankAndCrowding(), parts.scalar, _N_ELITE, keep=not random
        ),
        repair=parts.repair,
        eliminate_duplicates=CanonicalDuplicates(parts.problem.encoding),
        output=None,
    )
    return PymooSearch(parts.problem, algorithm, seed=seed)


def deap_search(parts: Parts, seed: int) -> DeapSearch:
    """NSGA-II over partitions in DEAP."""
    toolbox = label_toolbox(
        parts.problem,
        parts.sampling,
        parts.crossover,
        parts.mutation,
        SelElite(EliteMemory(parts.scalar, _N_ELITE), parts.survival),
        parts.repair,
    )
    return DeapSearch(
        toolbox, LabelStep(parts.pop_size), rng=np.random.default_rng(seed), pop_size=parts.pop_size
    )


def deap_result(search: DeapSearch, problem: PartitionProblem) -> Result:
    """The last population of a DEAP run, in the form of pymoo's results."""
    genes = np.stack([np.asarray(individual) for individual in search.population])
    pop = Population.new(X=genes, F=search.objectives(), CV=np.zeros((len(genes), 1)))
    pop.apply(lambda individual: individual.evaluated.update({"F", "CV"}))
    result = Result()
    result.problem, result.pop, result.success = problem, pop, True
    result.opt = pop[non_dominated(pop.get("F"))]
    result.X, result.F = result.opt.get("X", "F")
    return result
