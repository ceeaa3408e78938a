"""What the rules of an estimator choose."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]


class Choice(NamedTuple):
    """What ``choose(rule)`` gives.

    Attributes
    ----------
    rule : str
    labels : ndarray of shape (n_samples,)
    member : int or None
        Row of the front, where it is known.
    estimator : estimator
        A copy that has chosen.
    """

    rule: str
    labels: Labels
    member: int | None
    estimator: Any


def choices(estimator: Any) -> list[Choice]:
    """Choices of a fitted estimator by every rule that it has and that can be followed at once.

    The estimator stays as it is.
    """
    found = []
    for rule in rule_names(estimator):
        # Choosing sets attributes, and adds at most to memos behind them, so that the copy may be flat.
        other = copy.copy(estimator)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                other.choose(rule)
            except ValueError:  # a rule that this fit does not allow
                continue
        found.append(Choice(rule, other.labels_, member_of(other), other))
    return found


def member_of(estimator: Any) -> int | None:
    """Row of the front that is chosen, if the estimator tells."""
    row = getattr(estimator, "chosen_", None)
    return None if row is None else int(row)


def rule_names(estimator: Any) -> list[str]:
    """Names that ``choose`` takes, without those that would begin another search."""
    if not callable(getattr(estimator, "choose", None)) or not hasattr(estimator, "pareto_front_"):
        return []
    names = list(map(str, getattr(estimator, "objective_names_", ())))
    return list(dict.fromkeys((*_own_rules(estimator), *names)))


def _own_rules(estimator: Any) -> Sequence[str]:
    # Loaded here, since a report of one method needs none of the others.
    kinds = {each.__name__ for each in type(estimator).__mro__}
    if "ParetoPoolClusterer" in kinds:
        alternatives = [f"alternative-{row}" for row in range(len(estimator.alternatives_))]
        return ("auto", "select", "consensus", "knee", *alternatives, "control", "random-control")
    if "MedoidSetClusterer" in kinds:
        from moo_clustering.estimators._medoid_choice import RULES, SHORT_NAMES

        # Objectives have buttons under their whole names.
        return tuple(rule for rule in RULES if rule not in SHORT_NAMES)
    if "PESC" in kinds:
        from moo_clustering.estimators._pesc_ensemble import ENSEMBLES

        return (*ENSEMBLES, "knee")
    if "SRMOSC" in kinds:
        return ("rcut", "consensus", "knee")
    if "FuzzyModesMOGA" in kinds:
        return ("vote", "cspa", "knee")
    if "NSGA2SISC" in kinds:
        return ("impurity", "knee", "random")
    return _mock_rules(estimator) if "MOCK" in kinds else ("knee",)


def _mock_rules(estimator: Any) -> list[str]:
    from moo_clustering.estimators.graph_family._mock_choice import BY_KNOWLEDGE, RULES, resolve_rule

    known, wanted = estimator._knowledge.rule, estimator.n_clusters
    searched = hasattr(estimator, "control_fronts_")
    rules = []
    for rule in RULES:
        if rule in BY_KNOWLEDGE and known is None:
            continue
        if resolve_rule(rule, known, wanted) != "attainment" or searched:
            rules.append(rule)
    return rules
