"""Rules that pick one member of a front of MOCK."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.estimators._choice import Rule, check_rule, choose_member
from moo_clustering.estimators.graph_family._mock_search import Front
from moo_clustering.fronts import AttainmentScores, attainment_scores

FloatArray = NDArray[np.float64]

BY_KNOWLEDGE = ("labels", "constraints")
RULES = ("auto", "attainment", "variance", "sum", "knee", *BY_KNOWLEDGE)


def resolve_rule(rule: Rule, known: str | None, n_clusters: int | None) -> Rule:
    """The rule that ``"auto"`` stands for, and what stands in for rules without what they need.

    Parameters
    ----------
    rule : as for :func:`choose_row`, or "auto"
    known : {"labels", "constraints"} or None
        What labels and pairs allow.
    n_clusters : int or None
    """
    if not isinstance(rule, str) or (rule != "auto" and rule not in BY_KNOWLEDGE):
        return rule
    if known is not None:
        # Labels alone are judged as labels; with pairs, as the pairs that follow from them.
        return known if rule == "auto" or known == "constraints" else "labels"
    return "attainment" if n_clusters is None else "variance"


def known_rules(names: Sequence[str]) -> tuple[str, ...]:
    """Names of rules, those of objectives among them."""
    return (*RULES, *(name for name in names if name not in RULES))


def possible_rules(
    names: Sequence[str], known: str | None, n_clusters: int | None, searched: bool
) -> tuple[str, ...]:
    """Rules that have what they need.

    Parameters
    ----------
    names : sequence of str
        Of the objectives.
    known : {"labels", "constraints"} or None
        What labels and pairs allow.
    n_clusters : int or None
    searched : bool
        Whether control data were searched.
    """
    return tuple(
        rule
        for rule in known_rules(names)
        if not (rule in BY_KNOWLEDGE and known is None)
        and (searched or resolve_rule(rule, known, n_clusters) != "attainment")
    )


def nearest_rows(numbers: NDArray[np.integer[Any]], n_clusters: int | None) -> NDArray[np.intp]:
    """Solutions with so many clusters, else with the nearest number, of two the smaller; or all."""
    if n_clusters is None:
        return np.arange(len(numbers))
    distance = np.abs(numbers - n_clusters)
    nearest = numbers[distance == distance.min()].min()
    return np.flatnonzero(numbers == nearest)


def choose_row(
    front: Front,
    natural: FloatArray,
    names: Sequence[str],
    rule: Rule,
    n_clusters: int | None,
    judge: Callable[[str], FloatArray],
    scores: Callable[[], FloatArray],
) -> int:
    """Row that a rule picks.

    Parameters
    ----------
    front : Front
    natural : ndarray of shape (n_solutions, n_objectives)
        Objectives in natural sign.
    names : sequence of str
        Names of the objectives.
    rule : {"attainment", "variance", "sum", "knee", "labels", "constraints"}, name of an objective, int \
or callable
    n_clusters : int or None
        Restricts all rules but rows and callables.
    judge : callable
        Of ``"labels"`` or ``"constraints"``: how badly every solution agrees with them.
    scores : callable
        Attainment scores, when they are needed.

    Raises
    ------
    ValueError
        Unknown rule, or a row outside the front.
    """
    check_rule(rule, known_rules(names))
    if not isinstance(rule, str):
        return choose_member(natural, names, [False] * natural.shape[1], rule)
    allowed = nearest_rows(front.n_clusters, n_clusters)
    keys = _keys(front, names, rule, judge, scores)
    return int(allowed[np.lexsort([key[allowed] for key in reversed(keys)])[0]])


def _keys(
    front: Front,
    names: Sequence[str],
    rule: str,
    judge: Callable[[str], FloatArray],
    scores: Callable[[], FloatArray],
) -> list[NDArray[Any]]:
    """What is to be small, first things first."""
    if rule == "attainment":
        # Without a score, behind all that have one; of those alone the first objective decides.
        return [-np.nan_to_num(scores(), nan=-1.0), front.n_clusters, front.F[:, 0]]
    if rule in BY_KNOWLEDGE:
        return [judge(rule), np.sqrt(_scaled(front.F[:, :2])).sum(axis=1)]
    if rule == "sum":
        return [_scaled(front.F).sum(axis=1)]
    if rule == "knee":
        return [np.linalg.norm(_scaled(front.F), axis=1)]
    return [front.F[:, names.index(rule) if rule in names else 0]]


def _scaled(F: FloatArray) -> FloatArray:
    low, span = F.min(axis=0), np.ptp(F, axis=0)
    scaled: FloatArray = (F - low) / np.where(span > 0, span, 1.0)
    return scaled


def front_scores(front: Front, controls: Sequence[Any], k_user: int) -> AttainmentScores | None:
    """Attainment scores of a front; those that lose in the first two objectives have none.

    None where a front has no solution with few enough clusters.
    """
    # Rows are by the first objective, so who is not dominated has less of the second than all before.
    second = front.F[:, 1]
    before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]])
    two = front.F.shape[1] > 2
    rows = np.flatnonzero(second < before) if two else np.arange(len(second))
    numbers = [front.n_clusters[rows], *(k for _, k in controls)]
    if max(int(k.min()) for k in numbers) > min([k_user, *(int(k.max()) for k in numbers)]):
        return None
    found = attainment_scores(front.F[rows, :2], front.n_clusters[rows], controls, k_user=k_user)
    scores, scaled = np.full(len(second), np.nan), np.full((len(second), 2), np.nan)
    scores[rows], scaled[rows] = found.scores, found.front
    return AttainmentScores(scores, front.n_clusters, found.k_max, scaled, found.controls)
