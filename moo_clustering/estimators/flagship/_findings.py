"""All that a fit finds in a pool: scores, result, alternatives, evolution and its controls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators.flagship._alternatives import alternatives
from moo_clustering.estimators.flagship._answers import Answer, AnswerOptions, answer
from moo_clustering.estimators.flagship._broad_agreement import BroadAgreement
from moo_clustering.estimators.flagship._candidates import Candidates, Scoring
from moo_clustering.estimators.flagship._ground import Ground
from moo_clustering.estimators.flagship._knowledge import Knowledge, pairs_of_landmarks
from moo_clustering.persistence import Checkpoint
from moo_clustering.pool import PartitionPool
from moo_clustering.validity import (
    BoundaryCut,
    FamilyAgreement,
    GraphModularity,
    MinimaxSilhouette,
    ValidityIndex,
)

if TYPE_CHECKING:
    from moo_clustering.estimators.flagship._evolution import Evolved

FloatArray = NDArray[np.float64]
Engine = Literal["pymoo", "deap"]

EVOLVED = "evolved"
# Without it a search satisfies pairs by tiny pieces around their samples.
BOUNDARY_PRICE = 0.3
CRITERION_WEIGHTS = {"modularity": 0.25, "minimax": 0.7}


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
    from moo_clustering.estimators.flagship._evolution import evolve_pool

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
