"""Scores of the NSGA-II-clus table on one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments.nsga2_clus._runs import Front, Labels, Question, chosen, fronts
from moo_clustering.validity import cluster_entropy

# Beyond this many documents the two-cluster partitions are not enumerated.
MAX_DOCUMENTS_OF_FLOOR = 8
_RANDOM_DRAWS = 50


def question_scores(question: Question) -> dict[str, Any]:
    """Value of a cell: scores of every method, and what they are to be compared with."""
    random = RandomEntropy(question)
    scores = {name: _scores(front, question, random) for name, front in fronts(question)}
    return {
        "documents": question.X.shape[0],
        "answers": question.n_answers,
        "floor": two_cluster_floor(question.answers),
        "methods": scores,
    }


class RandomEntropy:
    """Mean entropy of random labels with a given number of clusters."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._known: dict[int, float] = {}

    def __call__(self, k: int) -> float:
        if k not in self._known:
            answers = self._question.answers
            rng = np.random.default_rng(seed_of(*self._question.seed, "random labels", k))
            draws = [_random_labels(len(answers), k, rng) for _ in range(_RANDOM_DRAWS)]
            self._known[k] = float(np.mean([cluster_entropy(answers, labels) for labels in draws]))
        return self._known[k]


def _random_labels(n: int, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Uniform labels of which none is missing."""
    return rng.permutation(np.concatenate([np.arange(k), rng.integers(k, size=n - k)]))


def _scores(front: Front, question: Question, random: RandomEntropy) -> dict[str, float | int | None]:
    entropies = [cluster_entropy(question.answers, labels) for labels in front.labels]
    choice = chosen(front.labels, question.constraints)
    labels = front.labels[choice]
    k = len(np.unique(labels))
    must, cannot = question.constraints.satisfied(labels)
    first = [answers[0] for answers in question.answers]
    return {
        "members": len(front.labels),
        "best": min(entropies) if front.is_front else None,
        "average": float(np.mean(entropies)) if front.is_front else None,
        "selected": entropies[choice],
        "random": random(k),
        "satisfied": float(must[0] + cannot[0]) / len(question.constraints),
        "ari": float(adjusted_rand_score(first, labels)),
        "k": k,
        "k_average": float(np.mean([len(np.unique(member)) for member in front.labels])),
        **unconstrained_pairs(labels, question),
    }


def unconstrained_pairs(labels: Labels, question: Question) -> dict[str, int]:
    """Pairs that were not given: how many there are and how many are right, of either kind."""
    everything = all_pairs(question.answers)
    counts = {}
    for kind, whole, given, right in zip(
        ("must", "cannot"),
        (everything.must_link, everything.cannot_link),
        (question.constraints.must_link, question.constraints.cannot_link),
        everything.satisfied(labels),
        strict=True,
    ):
        together = labels[given[:, 0]] == labels[given[:, 1]]
        given_right = int(np.count_nonzero(together if kind == "must" else ~together))
        counts[f"free_{kind}"] = len(whole) - len(given)
        counts[f"free_{kind}_right"] = int(right[0]) - given_right
    return counts


def all_pairs(answers: Sequence[tuple[str, ...]]) -> PairwiseConstraints:
    """Must-links and cannot-links among all documents."""
    return PairwiseConstraints.from_labels([set(entry) for entry in answers], 1.0)


def two_cluster_floor(answers: Sequence[tuple[str, ...]]) -> float | None:
    """Least entropy that any two clusters could have, gold labels known; None for many documents."""
    n = len(answers)
    if n > MAX_DOCUMENTS_OF_FLOOR:
        return None
    names = sorted({answer for entry in answers for answer in entry})
    weights = np.array([[(name in entry) / len(set(entry)) for name in names] for entry in answers])
    # The last document is in the second cluster; the first is not empty.
    inside = np.arange(1, 2 ** (n - 1))[:, None] >> np.arange(n) & 1
    total = np.zeros(len(inside))
    for cluster in (inside, 1 - inside):
        received = cluster @ weights
        shares = received / cluster.sum(axis=1, keepdims=True)
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        total -= (received * logs).sum(axis=1)
    return max(0.0, float(total.min()) / n)
