"""Evolution of a pool of partitions, as an option whose controls are at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from deap import tools
from pymoo.core.population import Population
from pymoo.core.result import Result

from moo_clustering.algorithms import PymooSearch, Recorder, drive
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.estimators.flagship._evolution_search import (
    FloatArray,
    Labels,
    Scalar,
    compose,
    deap_result,
    deap_search,
    pymoo_search,
)
from moo_clustering.operators import EliteMemory, LabelGraph
from moo_clustering.operators._label_rows import at_least_one, pool_labels
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex

_ENGINES = ("pymoo", "deap")
_SURVIVALS = ("crowding", "random")


@dataclass(frozen=True, eq=False)
class Evolved:
    """What a search found.

    Attributes
    ----------
    labels : ndarray of shape (n_partitions, n_samples), int32
        The final population, then what is not in it of the best of all generations; all distinct and
        numbered by first appearance.
    values : ndarray of shape (n_partitions, n_objectives)
        Natural objectives.
    result : Result
        pymoo's, of the final population.
    history : Recorder
    logbook : deap.tools.Logbook or None
        Of DEAP's.
    n_gen : int
        Generations done.
    interrupted : bool
    """

    labels: Labels
    values: FloatArray
    result: Result
    history: Recorder
    logbook: tools.Logbook | None
    n_gen: int
    interrupted: bool


def evolve_pool(
    *,
    pool: Any,
    graph: Any,
    indices: Sequence[ValidityIndex],
    scalar: Scalar,
    n_clusters: int | None = None,
    constraints: PairwiseConstraints | None = None,
    n_gen: int,
    pop_size: int = 48,
    engine: str = "pymoo",
    survival: str = "crowding",
    seed: int,
    verbose: bool = False,
    checkpoint: Checkpoint | None = None,
) -> Evolved:
    """NSGA-II over partitions, from the best members of a pool.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
        Where the search starts from, and what clusters are cut by.
    graph : sparse matrix of shape (n_samples, n_samples)
        Symmetric similarities.
    indices : sequence of ValidityIndex
        The objectives, fitted to the pool as it is: evolved partitions are judged by the members of
        that, never by each other.
    scalar : callable
        ``scalar(values, labels) -> scores``: natural objectives (q, n_objectives) and canonical
        partitions (q, n_samples) to (q,), greater is better. Says where to start and who always stays.
    n_clusters : int, optional
        Fixed number; members with another are repaired before the best are chosen.
    constraints : PairwiseConstraints, optional
        More than half of the mutations then repair a violated pair.
    n_gen : int
        Generations after the initial population.
    pop_size : int, default=48
    engine : {"pymoo", "deap"}, default="pymoo"
        The two draw differently, so that their results differ.
    survival : {"crowding", "random"}, default="crowding"
        ``"random"``: the control. Parents and survivors by chance, everything else the same.
    seed : int
    verbose : bool, default=False
    checkpoint : Checkpoint, optional

    Returns
    -------
    Evolved

    Raises
    ------
    TypeError, ValueError
        For bad options, sizes that disagree, or a checkpoint that does not fit.

    Notes
    -----
    (n_gen + 1) pop_size evaluations, and one of every member of the pool. The number of clusters is at
    most twice the greatest of the pool, or 60 if that is more.

    References
    ----------
    ParetoClustering: evolution.
    """
    for name, value, allowed in (
        ("engine", engine, _ENGINES),
        ("survival", survival, _SURVIVALS),
    ):
        if value not in allowed:
            raise ValueError(f"{name} must be one of {allowed}, got {value!r}.")
    start_seed, search_seed = np.random.SeedSequence(seed).generate_state(2).tolist()
    parts = compose(
        pool_labels(pool),
        LabelGraph.of(graph),
        indices,
        scalar,
        n_clusters=n_clusters,
        constraints=constraints,
        pop_size=at_least_one("pop_size", pop_size),
        survival="random" if survival == "random" else "crowding",
        rng=np.random.default_rng(start_seed),
    )
    search = pymoo_search(parts, search_seed) if engine == "pymoo" else deap_search(parts, search_seed)
    problem = parts.problem
    signs = problem.natural(np.ones(problem.n_obj))
    history = Recorder(signs)
    interrupted = drive(
        search,
        n_gen=n_gen,
        recorder=history,
        verbose=verbose,
        description="survival at random" if survival == "random" else "evolution",
        objective_names=problem.objective_names,
        signs=signs,
        checkpoint=checkpoint,
    )
    if isinstance(search, PymooSearch):
        result, memory, logbook = search.result(), search.algorithm.survival.memory, None
    else:
        result, memory, logbook = (
            deap_result(search, problem),
            search.toolbox.select.func.memory,
            search.logbook,
        )
    labels, values = _found(problem, result.pop, memory)
    return Evolved(labels, values, result, history, logbook, search.generation, interrupted)


def _found(problem: PartitionProblem, pop: Population, memory: EliteMemory) -> tuple[Labels, FloatArray]:
    final = relabel_by_first_appearance(problem.decode(pop.get("X")))
    labels = np.concatenate([final, memory.labels])
    values = np.concatenate([problem.natural(pop.get("F").astype(np.float64)), memory.values])
    first, _ = distinct_rows(labels)
    return labels[first], values[first]
