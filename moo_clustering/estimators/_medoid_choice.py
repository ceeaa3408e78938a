"""Rules that pick one member of a front of medoid sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.estimators._choice import check_rule, choose_member

Rule = str | int | Callable[[NDArray[np.float64]], int]

BY_CONSTRAINTS = ("balanced", "constraints")
SHORT_NAMES = {"xb": "xie_beni", "i": "i_index"}
RULES = (*BY_CONSTRAINTS, *SHORT_NAMES, "knee")


def choose_solution(
    front: NDArray[np.float64],
    names: Sequence[str],
    rule: Rule,
    scores: NDArray[Any] | None,
    n_pairs: tuple[int, int],
) -> int:
    """Row that a rule picks.

    Parameters
    ----------
    front : ndarray of shape (n_solutions, n_objectives)
        Objectives in natural sign, Xie-Beni first.
    names : sequence of str
        Names of the objectives.
    rule : {"balanced", "constraints", "xb", "i", "knee"}, name of an objective, int or callable
        ``"constraints"``: most satisfied pairs; ``"balanced"``: greatest satisfied part of the must-links
        plus that of the cannot-links; both with the least Xie-Beni among equals, and the knee where
        there are no pairs. The others as for :func:`choose_member`.
    scores : ndarray of shape (n_solutions, 2) or None
        Satisfied must-links and cannot-links.
    n_pairs : tuple of int
        All must-links and cannot-links.

    Raises
    ------
    ValueError
        Unknown rule, or a row number outside the front.
    """
    check_rule(rule, (*RULES, *names))
    if isinstance(rule, str):
        rule = SHORT_NAMES.get(rule, rule)
        if rule in BY_CONSTRAINTS:
            if scores is None:
                rule = "knee"
            else:
                weights = (1.0, 1.0) if rule == "constraints" else tuple(1.0 / max(n, 1) for n in n_pairs)
                merit = scores @ np.array(weights)
                # Sums of fractions that are equal may differ in their last bit.
                best = merit >= merit.max() - 1e-12 * max(1.0, float(merit.max()))
                return int(np.where(best, front[:, 0], np.inf).argmin())
    return choose_member(front, names, [name == "i_index" for name in names], rule)
