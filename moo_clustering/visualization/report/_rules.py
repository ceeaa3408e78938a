"""What the rules of an estimator choose."""

from __future__ import annotations

import copy
import warnings
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
    own = getattr(estimator, "rules_", ("knee", *getattr(estimator, "objective_names_", ())))
    return list(dict.fromkeys(map(str, own)))
