"""From candidates and knowledge to one partition; evolution."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from deap import tools
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.selection.rnd import RandomSelection
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from threadpoolctl import threadpool_limits

from moo_clustering._arrays import FloatArray, IntArray, Labels
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.algorithms import DeapSearch, PymooSearch, Recorder, drive
from moo_clustering.algorithms.others import non_dominated
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.constraints.pairs import connected
from moo_clustering.encodings import LabelEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators._base import supervision_groups
from moo_clustering.estimators._pareto_ground import Ground, trivial_labels
from moo_clustering.evidence import (
    best_member,
    class_factors,
    class_probabilities,
    coassociation,
    consensus_affinity,
    consensus_partition,
    consensus_weights,
    evidence_weights,
    graph_kernel,
    held_out_partition,
    kernel_ridge,
    linear_kernel,
    repair_pairs,
    selection_score,
)
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
from moo_clustering.operators.base import at_least_one, pool_labels
from moo_clustering.operators.deap import LabelStep, SelElite, label_toolbox
from moo_clustering.persistence import Checkpoint
from moo_clustering.pool import PartitionPool
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import (
    BoundaryCut,
    FamilyAgreement,
    GraphModularity,
    LabelEvidence,
    MinimaxSilhouette,
    PairEvidence,
    ValidityIndex,
    pairwise_ari,
)

_ENGINES = ("pymoo", "deap")
_SURVIVALS = ("crowding", "random")
Scalar = Callable[[FloatArray, Labels], FloatArray]
SurvivalKind = Literal["crowding", "random"]
_N_ELITE = 4
# Clusters an evolved partition may have at least, if there are as many samples.
_ROOM = 60
Engine = Literal["pymoo", "deap"]
EVOLVED = "evolved"
# Without it a search satisfies pairs by tiny pieces around their samples.
BOUNDARY_PRICE = 0.3
CRITERION_WEIGHTS = {"modularity": 0.25, "minimax": 0.7}
MOST, LIKENESS = 6, 0.8
# How much a point of the selection score counts against evidence, which is a log-likelihood.
SCORE_WEIGHT = 20.0
# Reach of the propagation on the co-association and on the graph.
_REACH_POOL, _REACH_GRAPH = 0.7, 0.9
# Labels for each class from which graph and linear kernel help: with fewer they do harm where clusters are
# not convex.
FULL_FROM = 4
_LINEAR = 0.3
Kind = Literal["none", "labels", "novel", "pairs"]


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


@dataclass(frozen=True)
class EvolutionOptions:
    """How the pool is evolved, if it is."""

    n_gen: int
    pop_size: int
    engine: Engine
    verbose: bool
    checkpoint: Checkpoint | None = None


@dataclass(frozen=True, eq=False)
class Findings:
    """What a fit found.

    Attributes
    ----------
    scoring : Scoring or None
    candidates : Candidates or None
        The pool, then what evolved; None where bag kernels alone were asked for.
    agreement : ndarray of shape (p,)
        Plain agreement of the families, from which the confidence is taken.
    answer : Answer
        The result.
    front : ndarray
        Non-dominated candidates.
    alternatives : ndarray
        Candidates that are good and unlike the result.
    alternative_ari : ndarray
        Adjusted Rand index of each and the result.
    evolved : Evolved or None
    control, random_control : Answer or None
        Results without evolution, and after an evolution that selects at random; of an interrupted
        evolution there is no second one.
    scalars : dict of str to float
        Greatest scalar of the candidates of ``"result"``, ``"control"`` and ``"random_control"``.
    interrupted : bool
        Whether Ctrl-C ended the evolution or its control.
    """

    answer: Answer
    scoring: Scoring | None = None
    candidates: Candidates | None = None
    agreement: FloatArray | None = None
    front: NDArray[np.intp] | None = None
    alternatives: NDArray[np.intp] | None = None
    alternative_ari: FloatArray | None = None
    evolved: Evolved | None = None
    control: Answer | None = None
    random_control: Answer | None = None
    scalars: dict[str, float] | None = None
    interrupted: bool = False


def find(
    ground: Ground,
    knowledge: Knowledge,
    options: AnswerOptions,
    evolution: EvolutionOptions,
    *,
    criterion: str,
    criterion_weight: float | None,
    n_jobs: int | None,
    seeds: list[np.random.SeedSequence],
) -> Findings:
    """Score the pool, evolve it if that is asked for, and find the result for what is known.

    Parameters
    ----------
    seeds : three of SeedSequence
        Of the result, the evolution and its control.
    """
    pairs = None
    if knowledge.pairs is not None:
        pairs = pairs_of_landmarks(knowledge.pairs, ground.landmark_of, ground.m)

    def result(candidates: Candidates | None) -> Answer:
        return answer(ground, candidates, knowledge, pairs, options, seeds[0])

    if ground.pool is None:
        return Findings(result(None))
    scoring = _scoring(ground, ground.pool, knowledge, pairs, criterion, criterion_weight, n_jobs)
    pool = Candidates.of(ground.pool, scoring)
    if not evolution.n_gen:
        return _findings(ground, scoring, pool, result(pool))
    return _evolved_findings(ground, scoring, pool, result, evolution, options, pairs, seeds[1:])


def _scoring(
    ground: Ground,
    pool: PartitionPool,
    knowledge: Knowledge,
    pairs: PairwiseConstraints | None,
    criterion: str,
    criterion_weight: float | None,
    n_jobs: int | None,
) -> Scoring:
    indices: list[ValidityIndex]
    if criterion == "minimax":
        # Where no features are left, as of given distances and bags, there are none to make paths in.
        assert ground.rows is not None
        indices = [BroadAgreement(n_jobs=n_jobs).fit(pool), MinimaxSilhouette().fit(ground.rows)]
    else:
        indices = [FamilyAgreement(n_jobs=n_jobs).fit(pool), GraphModularity().fit(ground.graph)]
    counts = np.zeros((ground.m, 0))
    if knowledge.targets is not None:
        counts = ground.sums(knowledge.targets.indicators)
    evidence = knowledge.evidence(counts, pairs)
    weight = CRITERION_WEIGHTS[criterion] if criterion_weight is None else criterion_weight
    return Scoring((*indices, *([] if evidence is None else [evidence])), weight)


def _evolved_findings(
    ground: Ground,
    scoring: Scoring,
    pool: Candidates,
    result: Callable[[Candidates], Answer],
    evolution: EvolutionOptions,
    options: AnswerOptions,
    pairs: PairwiseConstraints | None,
    seeds: list[np.random.SeedSequence],
) -> Findings:
    # Loaded here because most fits do not evolve.

    searched = scoring
    if pairs is not None:
        searched = Scoring(scoring.indices, scoring.weight, BoundaryCut().fit(ground.graph), BOUNDARY_PRICE)
    start = Candidates.of(pool.pool, searched, pool.values)

    def evolve(
        survival: Literal["crowding", "random"], seed: np.random.SeedSequence, checkpoint: Checkpoint | None
    ) -> Evolved:
        return evolve_pool(
            pool=pool.pool,
            graph=ground.graph,
            indices=list(scoring.indices),
            scalar=searched.scalar,
            n_clusters=options.n_clusters,
            constraints=pairs,
            n_gen=evolution.n_gen,
            pop_size=evolution.pop_size,
            engine=evolution.engine,
            survival=survival,
            seed=int(seed.generate_state(1)[0]),
            verbose=evolution.verbose,
            checkpoint=checkpoint,
        )

    def joined(evolved: Evolved) -> Candidates:
        members = PartitionPool(evolved.labels, (EVOLVED,) * len(evolved.labels))
        return start.joined(Candidates.of(members, searched, evolved.values))

    evolved = evolve("crowding", seeds[0], evolution.checkpoint)
    found = joined(evolved)
    scalars = {"result": float(found.scalar.max()), "control": float(start.scalar.max())}
    random_control, interrupted = None, evolved.interrupted
    # Who stops an evolution does not want to wait for as many generations of its control.
    if not interrupted:
        # The same operators and number of evaluations, but chance decides who survives.
        by_chance = evolve("random", seeds[1], None)
        interrupted = by_chance.interrupted
        if not interrupted:
            chance = joined(by_chance)
            random_control = result(chance)
            scalars["random_control"] = float(chance.scalar.max())
    return _findings(
        ground,
        searched,
        found,
        result(found),
        evolved=evolved,
        control=result(pool),
        random_control=random_control,
        scalars=scalars,
        interrupted=interrupted,
    )


def _findings(
    ground: Ground, scoring: Scoring, candidates: Candidates, answer: Answer, **more: Any
) -> Findings:
    labels = np.zeros(ground.m, dtype=np.int32)
    if ground.landmark_of is None:
        labels = answer.labels.astype(np.int32)
    else:
        # Landmarks whose samples have several classes are compared by that of one of them.
        labels[ground.landmark_of] = answer.labels
    rows, ari = alternatives(candidates, labels)
    agreement = candidates.values[:, 0]
    if isinstance(scoring.indices[0], BroadAgreement):
        agreement = scoring.indices[0].plain(candidates.labels)
    return Findings(
        answer,
        scoring,
        candidates,
        agreement=agreement,
        front=candidates.front(),
        alternatives=rows,
        alternative_ari=ari,
        **more,
    )


def alternatives(
    candidates: Candidates,
    labels: NDArray[np.integer[Any]],
    *,
    most: int = MOST,
    likeness: float = LIKENESS,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Members by falling score, each unlike the result and unlike those before it.

    Parameters
    ----------
    candidates : Candidates
    labels : ndarray of shape (m,)
        The result.
    most : int, default=6
    likeness : float, default=0.8
        Greatest adjusted Rand index of two of them.

    Returns
    -------
    members : ndarray of shape (n_alternatives,)
    ari : ndarray of shape (n_alternatives,)
        Adjusted Rand index of each and the result.

    Notes
    -----
    O(most p m).
    """
    order = np.lexsort((candidates.pool.n_clusters, -candidates.score))
    to_result = pairwise_ari(candidates.labels, np.asarray(labels, dtype=np.int32)[None])[:, 0]
    nearest = to_result.copy()
    members: list[int] = []
    for member in order:
        if nearest[member] > likeness or not np.isfinite(candidates.score[member]):
            continue
        members.append(int(member))
        if len(members) == most:
            break
        nearest = np.maximum(
            nearest, pairwise_ari(candidates.labels, candidates.labels[member : member + 1])[:, 0]
        )
    chosen = np.array(members, dtype=np.intp)
    return chosen, to_result[chosen]


@dataclass(frozen=True, eq=False)
class Scoring:
    """The objectives of a partition and their sum.

    Attributes
    ----------
    indices : tuple of ValidityIndex, fitted
        Agreement and modularity (or minimax silhouette); then the evidence, if there is any.
    weight : float
        Of the second against the first.
    boundary : ValidityIndex or None
        Price of boundaries, taken off the scalar of a search.
    boundary_price : float
    """

    indices: tuple[ValidityIndex, ...]
    weight: float
    boundary: ValidityIndex | None = None
    boundary_price: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objectives."""
        return tuple(index.name for index in self.indices)

    def values(self, labels: NDArray[np.int32]) -> FloatArray:
        """Objectives, natural sign, shape (q, n_objectives)."""
        return np.column_stack([index.evaluate(labels) for index in self.indices])

    def score(self, values: FloatArray) -> FloatArray:
        """Selection score of agreement and modularity."""
        return selection_score(values[:, 0], values[:, 1], weight=self.weight)

    def scalar(self, values: FloatArray, labels: NDArray[np.int32]) -> FloatArray:
        """What is greatest in the best: the score, or evidence and 20 times the score less the price."""
        total = self.score(values)
        if values.shape[1] > 2:
            total = values[:, 2] + SCORE_WEIGHT * total
        if self.boundary is not None:
            total = total - self.boundary_price * self.boundary.evaluate(labels)
        return total


@dataclass(frozen=True, eq=False)
class Candidates:
    """Partitions to choose from or to combine.

    Attributes
    ----------
    pool : PartitionPool
        Of the m samples or landmarks.
    values : ndarray of shape (p, n_objectives)
    score, scalar : ndarray of shape (p,)
    """

    pool: PartitionPool
    values: FloatArray
    score: FloatArray
    scalar: FloatArray

    @classmethod
    def of(cls, pool: PartitionPool, scoring: Scoring, values: FloatArray | None = None) -> Self:
        """Score a pool; ``values`` if its objectives are known."""
        if values is None:
            values = scoring.values(pool.labels)
        return cls(pool, values, scoring.score(values), scoring.scalar(values, pool.labels))

    def joined(self, other: Candidates) -> Candidates:
        """These, then others."""
        return Candidates(
            self.pool.joined(other.pool),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.score, other.score]),
            np.concatenate([self.scalar, other.scalar]),
        )

    @property
    def labels(self) -> NDArray[np.int32]:
        """Partitions, shape (p, m)."""
        return self.pool.labels

    def front(self) -> NDArray[np.intp]:
        """Members that no other dominates, each partition once."""
        distinct = _first_of_equals(self.labels)
        rows: NDArray[Any] = non_dominated(-self.values[distinct])
        return np.sort(distinct[rows])


def _first_of_equals(labels: NDArray[np.int32]) -> NDArray[np.intp]:
    from moo_clustering.encodings.base import distinct_rows

    return np.sort(distinct_rows(labels)[0])


@dataclass(frozen=True)
class AnswerOptions:
    """Options of the estimator that decide how candidates become a result."""

    n_clusters: int | None
    method: str
    kernel: str
    pairs: str
    clamp: bool
    class_prior: str
    merge_same_class: bool


class Answer(NamedTuple):
    """One result.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
    probabilities : ndarray of shape (n_samples, n_classes) or None
    classes_of_clusters : ndarray of shape (n_clusters,), int, or None
        Position of the class of every cluster, -1 for new classes.
    model : ClassModel or None
        What gives classes to other samples.
    member : int or None
        Candidate that was picked, if one was.
    """

    labels: NDArray[np.integer[Any]]
    probabilities: FloatArray | None = None
    classes_of_clusters: NDArray[np.integer[Any]] | None = None
    model: ClassModel | None = None
    member: int | None = None


def answer(
    ground: Ground,
    candidates: Candidates | None,
    knowledge: Knowledge,
    pairs: PairwiseConstraints | None,
    options: AnswerOptions,
    seed: np.random.SeedSequence,
) -> Answer:
    """The result for what is known; ``pairs`` are those between the m samples or landmarks."""
    if knowledge.kind == "labels":
        return _by_labels(ground, candidates, knowledge, options)
    assert candidates is not None
    only = None
    if options.n_clusters is not None:
        only = trivial_labels(options.n_clusters, ground.m, _inseparable(ground, pairs, options))
    if knowledge.kind == "novel":
        return _with_new_classes(ground, candidates, knowledge, options, only)
    if only is not None:
        return Answer(ground.of_samples(only))
    rng = np.random.default_rng(seed)
    if knowledge.kind == "pairs" and pairs is not None and len(pairs):
        return _by_pairs(ground, candidates, pairs, options, rng)
    labels, member = unsupervised(candidates, options.n_clusters, options.method, rng)
    return Answer(ground.of_samples(labels), member=member)


def _inseparable(
    ground: Ground, pairs: PairwiseConstraints | None, options: AnswerOptions
) -> NDArray[np.int32] | None:
    """Equal rows and what certain must-links join, as clusters of the m; None where neither is known."""
    distinct = ground.distinct
    if pairs is None or options.pairs != "hard" or not len(pairs.must_link):
        return distinct
    links = pairs.must_link
    if distinct is not None:
        first = np.unique(distinct, return_index=True)[1]
        links = np.concatenate([links, np.column_stack([np.arange(ground.m), first[distinct]])])
    return connected(links, ground.m).astype(np.int32)


def unsupervised(
    candidates: Candidates, n_clusters: int | None, method: str, rng: np.random.Generator
) -> tuple[NDArray[np.int32], int | None]:
    """The best member, or the consensus of those with about as many clusters; of the m."""
    pool, score = candidates.pool, candidates.score
    if n_clusters is None or method == "select":
        member = best_member(score, pool.n_clusters, k=n_clusters)
        return pool.labels[member], member
    weights = consensus_weights(score, pool.n_clusters, n_clusters)
    return consensus_partition(pool.labels, weights, n_clusters, rng=rng), None


def _by_labels(
    ground: Ground, candidates: Candidates | None, knowledge: Knowledge, options: AnswerOptions
) -> Answer:
    targets = knowledge.targets
    assert targets is not None
    model = class_scores(ground, candidates, targets, kernel=options.kernel, class_prior=options.class_prior)
    probabilities = model.probabilities(ground.interpolated(model.scores))
    if options.clamp:
        probabilities[targets.labelled] = targets.indicators[targets.labelled]
    return Answer(probabilities.argmax(axis=1), probabilities, model=model)


def _with_new_classes(
    ground: Ground,
    candidates: Candidates,
    knowledge: Knowledge,
    options: AnswerOptions,
    only: NDArray[np.int32] | None,
) -> Answer:
    targets = knowledge.targets
    assert targets is not None
    member = None
    if only is None:
        member = best_member(candidates.scalar, candidates.pool.n_clusters, k=options.n_clusters)
        only = candidates.labels[member]
    labels = ground.of_samples(only)
    named = class_of_clusters(labels, targets.indicators)
    if options.merge_same_class:
        # Clusters of the same class become the first of them.
        first = np.arange(len(named))
        for code in np.unique(named[named >= 0]):
            first[named == code] = np.flatnonzero(named == code)[0]
        kept, labels = np.unique(first[labels], return_inverse=True)
        named = named[kept]
    return Answer(labels.reshape(-1), classes_of_clusters=named, member=member)


def class_of_clusters(labels: NDArray[np.integer[Any]], indicators: FloatArray) -> NDArray[np.intp]:
    """Class that most of the labelled samples of every cluster have (ties: the lowest), -1 without any."""
    counts = np.zeros((int(labels.max()) + 1, indicators.shape[1]))
    np.add.at(counts, labels, indicators)
    return np.where(counts.any(axis=1), counts.argmax(axis=1), -1)


def _by_pairs(
    ground: Ground,
    candidates: Candidates,
    pairs: PairwiseConstraints,
    options: AnswerOptions,
    rng: np.random.Generator,
) -> Answer:
    member = None
    if options.n_clusters is None:
        member = best_member(candidates.scalar, candidates.pool.n_clusters)
        labels = candidates.labels[member]
    else:
        together = consensus_affinity(candidates.labels, evidence_weights(candidates.scalar, drop=True))
        affinities = [(together, _REACH_POOL), (ground.graph, _REACH_GRAPH)]
        labels = held_out_partition(affinities, options.n_clusters, pairs, rng=rng).labels
    repaired = repair_pairs(
        labels,
        ground.graph,
        pairs,
        hard=options.pairs == "hard",
        keep_clusters=options.n_clusters is not None,
    )
    return Answer(ground.of_samples(repaired), member=member)


@dataclass(frozen=True, eq=False)
class ClassModel:
    """Scores of the classes, and the factors that bring their shares nearer to those of the labels.

    Attributes
    ----------
    scores : ndarray of shape (m, n_classes)
        Of the samples or landmarks of the fit.
    factors : ndarray of shape (n_classes,)
    """

    scores: FloatArray
    factors: FloatArray

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Rows that sum to 1, of scores (n, n_classes)."""
        return class_probabilities(scores, factors=self.factors)


def class_scores(
    ground: Ground, candidates: Candidates | None, targets: Targets, *, kernel: str, class_prior: str
) -> ClassModel:
    """Kernel ridge regression of the classes on the labelled samples.

    Notes
    -----
    O(m L sum(k)) for L labelled samples or landmarks; the graph kernel adds O(m^3).
    """
    counts = ground.sums(targets.indicators)
    columns = np.flatnonzero(counts.sum(axis=1) > 0)
    n_labels = counts[columns].sum(axis=1)
    # On one thread, so that no digit depends on how many there are.
    with threadpool_limits(limits=1, user_api="blas"):
        total = _kernel(ground, candidates, counts, columns, kernel)
        scores = kernel_ridge(total, columns, counts[columns] / n_labels[:, None], n_labels)
    return ClassModel(scores, class_factors(ground.interpolated(scores), _prior(targets, class_prior)))


def _kernel(
    ground: Ground, candidates: Candidates | None, counts: FloatArray, columns: NDArray[np.intp], kind: str
) -> FloatArray:
    """Kernel of all samples or landmarks with the labelled ones."""
    total = np.zeros((ground.m, len(columns)))
    if candidates is not None and kind != "bags":
        weights = evidence_weights(LabelEvidence().fit(counts).evaluate(candidates.labels))
        total += coassociation(candidates.labels, weights, columns=columns)
    if ground.kernels:
        if kind != "pool":
            for part in ground.kernels:
                total += part[:, columns]
    elif kind == "full" or (kind == "auto" and counts.sum() >= FULL_FROM * counts.shape[1]):
        total += graph_kernel(ground.graph, columns)
        if ground.rows is not None:
            total += _LINEAR * linear_kernel(ground.rows, columns)
    return total


def _prior(targets: Targets, class_prior: str) -> FloatArray:
    if class_prior == "uniform":
        return np.full(targets.n_classes, 1.0 / targets.n_classes)
    of_class = targets.indicators.sum(axis=0)
    prior: FloatArray = (of_class + 1.0) / (of_class.sum() + targets.n_classes)
    return prior


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Labels and pairs of one fit, about samples.

    Attributes
    ----------
    kind : {"none", "labels", "novel", "pairs"}
        How the result is found: labels of all classes, of some of the classes, or pairs alone.
    targets : Targets or None
        Labels given, and those that follow along must-links.
    pairs : PairwiseConstraints or None
    """

    kind: Kind
    targets: Targets | None = None
    pairs: PairwiseConstraints | None = None

    def evidence(self, counts: FloatArray, pairs: PairwiseConstraints | None) -> ValidityIndex | None:
        """Index of what labels and pairs say of a partition; None without either."""
        unnamed = self.kind == "novel"
        labels = LabelEvidence(unnamed=unnamed).fit(counts) if self.targets is not None else None
        if pairs is None:
            return labels
        between = PairEvidence().fit(pairs)
        return between if labels is None else JointEvidence(labels, between)


class JointEvidence(ValidityIndex):
    """Sum of two log-likelihoods."""

    name = "evidence"
    greater_is_better = True

    def __init__(self, first: ValidityIndex, second: ValidityIndex) -> None:
        self.first, self.second = first, second

    def fit(self, data: ArrayLike) -> JointEvidence:
        """Both have been fitted to what they are about."""
        return self

    def evaluate(self, labels: NDArray[np.integer[Any]]) -> FloatArray:
        """Their sum."""
        return self.first.evaluate(labels) + self.second.evaluate(labels)


def take_knowledge(
    n_samples: int,
    y: Any,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    *,
    novel: str,
    pairs: str,
) -> Knowledge:
    """Check labels and pairs, and say how the result is to be found.

    Raises
    ------
    ValueError
        Labels or pairs out of range, or label sets.
    InconsistentConstraintsError
        Labels and pairs contradict each other, or pairs that are hard do.

    Warns
    -----
    UserWarning
        Labels of a single class: other clusters are taken for new classes then.
    """
    targets = partial_targets(y, n_samples)
    if targets.multilabel:
        raise ValueError(
            "y must hold one class per sample, -1 for unlabelled ones; for any number of labels per sample "
            "use SISC."
        )
    given = None
    if must_link is not None or cannot_link is not None:
        given = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
        given = given if len(given) else None
    if given is not None:
        codes = np.where(targets.labelled, _codes(targets), -1) if targets.n_classes else None
        if pairs == "hard" or codes is not None:
            supervision_groups(n_samples, codes, given.must_link, given.cannot_link)
        if codes is not None:
            targets = _along_must_links(targets, codes, given)
    if not targets.n_classes:
        return Knowledge("none" if given is None else "pairs", None, given)
    if targets.n_classes == 1 and novel == "none":
        warnings.warn(
            f"all labels in y are of one class, {targets.classes.tolist()[0]!r}: clusters without labels are "
            'taken for new classes, as with novel="allow".',
            UserWarning,
            stacklevel=4,
        )
        novel = "allow"
    return Knowledge("novel" if novel == "allow" else "labels", targets, given)


def _codes(targets: Targets) -> NDArray[np.intp]:
    codes: NDArray[np.intp] = targets.indicators.argmax(axis=1)
    return codes


def _along_must_links(
    targets: Targets, codes: NDArray[np.integer[Any]], pairs: PairwiseConstraints
) -> Targets:
    component = pairs.components()
    class_of = np.full(int(component.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(class_of, component, codes)
    codes = class_of[component]
    labelled = codes >= 0
    indicators = np.zeros_like(targets.indicators)
    indicators[np.flatnonzero(labelled), codes[labelled]] = 1.0
    return Targets(indicators, labelled, targets.classes, False)


def pairs_of_landmarks(
    pairs: PairwiseConstraints, landmark_of: NDArray[np.integer[Any]] | None, m: int
) -> PairwiseConstraints:
    """Pairs between landmarks, weighted by how many pairs of samples they stand for.

    Pairs within a landmark are left out: no partition of the landmarks changes them.
    """
    if landmark_of is None:
        return pairs
    ends: list[NDArray[np.int64]] = []
    weights: list[FloatArray] = []
    for given in (pairs.must_link, pairs.cannot_link):
        lifted = np.sort(landmark_of[given], axis=1)
        lifted = lifted[lifted[:, 0] != lifted[:, 1]]
        ones = np.ones(len(lifted))
        counts = sp.coo_array((ones, (lifted[:, 0], lifted[:, 1])), shape=(m, m)).tocsr().tocoo()
        ends.append(np.column_stack([counts.row, counts.col]).astype(np.int64))
        weights.append(counts.data)
    return PairwiseConstraints(
        ends[0],
        ends[1],
        n_samples=m,
        must_link_weights=weights[0] if len(ends[0]) else None,
        cannot_link_weights=weights[1] if len(ends[1]) else None,
    )


class BroadAgreement(ValidityIndex):
    """Family agreement plus the mean over families of the mean positive agreement with their members.

    For pools in which only two or three families see the structure, as in spirals, where the median of
    the families sees nothing; together with the silhouette in minimax-path distances.
    """

    name: ClassVar[str] = "broad_agreement"
    greater_is_better: ClassVar[bool] = True

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        """Take a PartitionPool."""
        pool: PartitionPool = data
        self._agreement = FamilyAgreement(n_jobs=self.n_jobs).fit(pool)
        self._labels = pool.labels
        codes = pool.family_codes
        # Columns that average over the members of a family, then over the families.
        shares = 1.0 / np.bincount(codes)[codes]
        self._shares = shares / len(pool.family_names)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        """Between about 0 and 2."""
        rows = np.atleast_2d(np.asarray(labels, dtype=np.int32))
        support = np.maximum(pairwise_ari(rows, self._labels), 0.0) @ self._shares
        values: FloatArray = self.plain(rows) + support
        return values

    def plain(self, labels: IntArray) -> FloatArray:
        """Family agreement alone."""
        return self._agreement.evaluate(labels)
