"""Rules that pick one member of a Pareto front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean

Rule = str | int | Callable[[NDArray[np.float64]], int]


def knee(F: NDArray[np.float64]) -> int:
    """Index of the member nearest to the ideal point, objectives scaled to the range of the front.

    Parameters
    ----------
    F : ndarray of shape (n_solutions, n_objectives)
        Minimised objectives. An objective without range does not count. Ties: the first.
    """
    low, spread = F.min(axis=0), np.ptp(F, axis=0)
    scaled = np.divide(F - low, spread, out=np.zeros_like(F), where=spread > 0)
    return int(np.linalg.norm(scaled, axis=1).argmin())


def choose_member(
    front: NDArray[np.float64], names: Sequence[str], greater_is_better: Sequence[bool], rule: Rule
) -> int:
    """Index of the member a rule picks.

    Parameters
    ----------
    front : ndarray of shape (n_solutions, n_objectives)
        Objectives in natural sign.
    names : sequence of str
        Names of the objectives.
    greater_is_better : sequence of bool
    rule : {"knee"}, name of an objective, int or callable
        The knee, the member that is best in one objective, a row number, or
        ``rule(front) -> row number``.

    Raises
    ------
    ValueError
        Unknown rule (names the nearest), or a row number outside the front.
    """
    check_rule(rule, ("knee", *names))
    minimised = np.where(np.asarray(greater_is_better), -front, front)
    if callable(rule):
        found: object = rule(front)
        if not isinstance(found, Integral):
            raise TypeError(f"a rule must return a row number of the front; {rule!r} returned {found!r}")
        rule = int(found)
    if isinstance(rule, str):
        return knee(minimised) if rule == "knee" else int(minimised[:, list(names).index(rule)].argmin())
    if not -len(front) <= rule < len(front):
        raise ValueError(f"rule={rule} is outside the front, which has {len(front)} members.")
    return int(rule) % len(front)


def check_rule(rule: object, allowed: Sequence[str]) -> None:
    """Refuse what is neither an allowed name nor a row number nor a callable.

    Raises
    ------
    ValueError
        Naming what is allowed, and the nearest of it.
    """
    if callable(rule) or isinstance(rule, Integral) or (isinstance(rule, str) and rule in allowed):
        return
    raise ValueError(
        f"unknown rule {rule!r}; allowed are {', '.join(map(repr, allowed))}, a row number or a callable"
        + (did_you_mean(rule, allowed) if isinstance(rule, str) else "")
    )
