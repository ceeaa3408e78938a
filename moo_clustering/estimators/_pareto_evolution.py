"""Evolve a pool of partitions by NSGA-II (pymoo or DEAP), with random survival as a control."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.result import Result
from pymoo.operators.selection.rnd import RandomSelection
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding

from moo_clustering import operators
from moo_clustering._arrays import FloatArray, Labels
from moo_clustering.algorithms import DeapSearch, PymooSearch, Recorder, drive
from moo_clustering.algorithms.search import Plan, Plans
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators._pareto_selection import Candidates, Solution
from moo_clustering.operators.deap import LabelStep, SelElite, label_toolbox
from moo_clustering.operators.partitions import pool_labels
from moo_clustering.persistence import Checkpoint
from moo_clustering.pool import PartitionPool
from moo_clustering.problems import PartitionProblem
from moo_clustering.problems.partition import evaluated_population, pymoo_result
from moo_clustering.validity import BoundaryCut, ValidityIndex

Total = Callable[[FloatArray, Labels], FloatArray]
# This number of elite partitions, which are the best of all generations so far, always survives.
_N_ELITE = 4


@dataclass(frozen=True, eq=False)
class EvolvedPartitions:
    """Distinct partitions of the final population, followed by the best partitions of all generations."""

    labels: Labels
    values: FloatArray
    result: Result
    history: Recorder
    interrupted: bool


def evolve_pool(
    *, pool: Any, graph: Any, indices: Sequence[ValidityIndex], total: Total, n_gen: int, seed: int,
    n_clusters: int | None = None, constraints: PairwiseConstraints | None = None, pop_size: int = 48,
    engine: str = "pymoo", survival: str = "crowding", verbose: bool = False,
    checkpoint: Checkpoint | None = None, start: Labels | None = None,
) -> Plans[EvolvedPartitions]:  # fmt: skip
    """Evolve partitions by NSGA-II, starting from the best partitions of a pool."""
    # The objectives ``indices`` are fitted to the pool only, so evolved partitions are never compared with
    # each other. ``total(values, labels)`` returns scores, of which higher ones are better. They determine
    # the initial population and the partitions that always survive. The operators use the similarities
    # between samples in ``graph``. If ``n_clusters`` is given, the partitions of the pool are first changed
    # to this number of clusters. With ``survival="random"``, which is the control, parents and survivors are
    # random.
    start_seed, search_seed = np.random.SeedSequence(seed).generate_state(2).tolist()
    composed = _composed(
        pool_labels(pool), operators.LabelGraph.of(graph), indices, total,
        n_clusters=n_clusters, constraints=constraints, rng=np.random.default_rng(start_seed),
        largest=0 if start is None else int(start.max()) + 1,
    )  # fmt: skip
    problem = composed[0]
    new = _pymoo_search if engine == "pymoo" else _deap_search
    search = new(*composed, total, survival, pop_size, search_seed)
    signs = problem.natural(np.ones(problem.n_obj))
    if start is not None:
        search.start_from(operators.start_genes(problem, start))
    yield Plan(search, n_gen, problem.objective_names)
    history = Recorder(signs)
    interrupted = drive(
        search, n_gen=n_gen, recorder=history, checkpoint=checkpoint, verbose=verbose,
        description="random survival" if survival == "random" else "evolution",
        objective_names=problem.objective_names, signs=signs,
    )  # fmt: skip
    if isinstance(search, PymooSearch):
        result, memory = search.result(), search.algorithm.survival.memory
    else:
        genes = np.stack([np.asarray(individual) for individual in search.population])
        pop = evaluated_population(X=genes, F=search.objectives(), CV=np.zeros((len(genes), 1)))
        result, memory = pymoo_result(problem, pop), search.toolbox.select.func.memory
    final = relabel_by_first_appearance(problem.decode(result.pop.get("X")))
    labels = np.concatenate([final, memory.labels])
    values = np.concatenate([problem.natural(result.pop.get("F").astype(np.float64)), memory.values])
    first = distinct_rows(labels)[0]
    return EvolvedPartitions(labels[first], values[first], result, history, interrupted)


def evolve_with_controls(
    pool: Candidates,
    pairs: PairwiseConstraints | None,
    choose: Callable[[Candidates], Solution],
    seeds: Sequence[np.random.SeedSequence],
    checkpoint: Checkpoint | None,
    **options: Any,
) -> Plans[tuple[EvolvedPartitions, Candidates, dict[str, Solution], dict[str, float]]]:
    """Evolve a pool, and evolve it again with random survival. Select a result from each pool.

    Returns the evolved partitions, the candidates, and the selected results and their best totals. The
    candidates are the partitions of the pool, followed by the evolved ones. The results are ``"auto"`` (with
    evolution), ``"control"`` (without evolution) and, unless interrupted, ``"random-control"``.
    """
    objectives, graph = pool.objectives, pool.samples.graph
    if pairs is not None:
        objectives = replace(objectives, boundary=BoundaryCut().fit(graph))
    options.update(graph=graph, constraints=pairs, indices=objectives.indices, total=objectives.total)

    def evolve(survival: str, seed: Any, **more: Any) -> Plans[tuple[EvolvedPartitions, Candidates]]:
        number = int(seed.generate_state(1)[0])
        evolved = yield from evolve_pool(pool=pool.pool, survival=survival, seed=number, **options, **more)
        members = pool.pool.joined(PartitionPool(evolved.labels, ("evolved",) * len(evolved.labels)))
        values = np.concatenate([pool.values, evolved.values])
        return evolved, Candidates(pool.samples, members, objectives, values, pool.least)

    evolved, candidates = yield from evolve("crowding", seeds[0], checkpoint=checkpoint)
    solutions = {"auto": choose(candidates), "control": choose(pool)}
    scores = {
        "result": float(candidates.total.max()),
        "control": float(candidates.total[: pool.pool.n_partitions].max()),
    }
    # After Ctrl-C, skip the control with random survival, which takes as long as the evolution.
    if not evolved.interrupted:
        at_random, by_chance = yield from evolve("random", seeds[1])
        evolved = replace(evolved, interrupted=at_random.interrupted)
        if not evolved.interrupted:
            solutions["random-control"] = choose(by_chance)
            scores["random_control"] = float(by_chance.total.max())
    return evolved, candidates, solutions, scores


def _composed(
    members: Labels, graph: operators.LabelGraph, indices: Sequence[ValidityIndex], total: Total, *,
    n_clusters: int | None, constraints: PairwiseConstraints | None, rng: np.random.Generator, largest: int,
) -> tuple[PartitionProblem, Any, Any, Any, Any]:  # fmt: skip
    """Return the problem, sampling, crossover, mutation and repair (or None) of the evolution."""
    m = members.shape[1]
    if m < 2:
        raise ValueError(f"pool must have partitions of at least 2 samples, got {m}")
    # Evolved partitions may have at least 60 clusters if there are enough samples.
    k_max = min(m, max(2 * (int(members.max()) + 1), 60, n_clusters or 0, largest))
    encoding = LabelEncoding(m, k_max, k_min=2 if n_clusters is None else min(2, n_clusters))
    problem = PartitionProblem(None, encoding, list(indices))
    repair, start = None, members
    if n_clusters is not None:
        repair = operators.ClusterNumberRepair(graph, members, n_clusters)
        start = repair.repaired(members, rng)
    start = start[distinct_rows(start)[0]]
    values = problem.natural(problem.evaluate(start, return_values_of=["F"]))
    sampling = operators.PoolSampling(start, total(values, start))
    mutation = operators.PartitionMutation(graph, members, constraints=constraints)
    return problem, sampling, operators.GroupingOverlayCrossover(graph), mutation, repair


def _pymoo_search(
    problem: PartitionProblem, sampling: Any, crossover: Any, mutation: Any, repair: Any,
    total: Total, survival: str, pop_size: int, seed: int,
) -> PymooSearch:  # fmt: skip
    # In the control with random survival, parents must be random too.
    random = survival == "random"
    selection = RandomSelection() if random else TournamentSelection(func_comp=operators.batched_tournament)
    inner = operators.RandomSurvival() if random else RankAndCrowding()
    algorithm = NSGA2(
        pop_size=pop_size, sampling=sampling, selection=selection, crossover=crossover, mutation=mutation,
        survival=operators.EliteSurvival(inner, total, _N_ELITE, keep=not random), repair=repair,
        eliminate_duplicates=operators.CanonicalDuplicates(problem.encoding), output=None,
    )  # fmt: skip
    return PymooSearch(problem, algorithm, seed=seed)


def _deap_search(
    problem: PartitionProblem, sampling: Any, crossover: Any, mutation: Any, repair: Any,
    total: Total, survival: Any, pop_size: int, seed: int,
) -> DeapSearch:  # fmt: skip
    select = SelElite(operators.EliteMemory(total, _N_ELITE), survival)
    toolbox = label_toolbox(problem, sampling, crossover, mutation, select, repair)
    return DeapSearch(toolbox, LabelStep(pop_size), rng=np.random.default_rng(seed), pop_size=pop_size)
