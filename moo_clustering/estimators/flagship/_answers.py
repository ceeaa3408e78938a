"""From candidates, and what is known of the samples, to one partition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.constraints._closure import connected
from moo_clustering.estimators.flagship._candidates import Candidates
from moo_clustering.estimators.flagship._class_scores import ClassModel, class_scores
from moo_clustering.estimators.flagship._ground import Ground
from moo_clustering.estimators.flagship._knowledge import Knowledge
from moo_clustering.estimators.flagship._trivial import trivial_labels
from moo_clustering.evidence import (
    best_member,
    consensus_affinity,
    consensus_partition,
    consensus_weights,
    evidence_weights,
    held_out_partition,
    repair_pairs,
)

FloatArray = NDArray[np.float64]

# Reach of the propagation on the co-association and on the graph.
_REACH_POOL, _REACH_GRAPH = 0.7, 0.9


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
