"""NSGA-II's tournament, all of its duels at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.population import Population

IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]


def batched_tournament(
    pop: Population,
    P: IntArray,
    algorithm: Any = None,
    random_state: np.random.Generator | None = None,
    **kwargs: Any,
) -> IntArray:
    """Winners of tournaments, by feasibility, then dominance or rank, then crowding, then chance.

    A drop-in for :func:`pymoo.algorithms.moo.nsga2.binary_tournament` as
    ``TournamentSelection(func_comp=batched_tournament)``, with the same winners wherever no coin is
    tossed.

    Parameters
    ----------
    pop : Population
        Individuals with ``crowding``, and ``rank`` if it is compared, where they are feasible.
    P : ndarray of shape (n_tournaments, pressure)
        Who competes; with more than two, the winner so far meets the next.
    algorithm : pymoo Algorithm, optional
        Its ``tournament_type`` is ``"comp_by_dom_and_crowding"`` (default) or
        ``"comp_by_rank_and_crowding"``.
    random_state : numpy.random.Generator, optional
        Tosses the coins; default that of the algorithm.
    **kwargs
        What else pymoo hands over; not used.

    Returns
    -------
    winners : ndarray of shape (n_tournaments, 1)

    Notes
    -----
    O(n_tournaments pressure n_obj), without a Python loop over tournaments.
    """
    kind = getattr(algorithm, "tournament_type", "comp_by_dom_and_crowding")
    if kind not in ("comp_by_dom_and_crowding", "comp_by_rank_and_crowding"):
        raise ValueError(
            "tournament_type must be 'comp_by_dom_and_crowding' or 'comp_by_rank_and_crowding', "
            f"got {kind!r}."
        )
    if random_state is None:
        random_state = getattr(algorithm, "random_state", None)
    rng = np.random.default_rng(random_state)

    violation = pop.get("CV").astype(float)[:, 0]
    feasible = violation <= 0.0
    crowding = _set_by_survival(pop, "crowding", feasible)
    if kind == "comp_by_rank_and_crowding":
        merit = _set_by_survival(pop, "rank", feasible)[:, None]
    else:
        merit = pop.get("F").astype(float)

    winner = P[:, 0]
    for challenger in P.T[1:]:
        coin = rng.random(len(winner)) < 0.5
        wins, loses = _dominates(merit, challenger, winner)
        undecided = ~wins & ~loses
        wins |= undecided & (crowding[challenger] > crowding[winner])
        loses |= undecided & (crowding[challenger] < crowding[winner])
        infeasible = ~(feasible[challenger] & feasible[winner])
        wins = np.where(infeasible, violation[challenger] < violation[winner], wins)
        loses = np.where(infeasible, violation[challenger] > violation[winner], loses)
        winner = np.where(wins | (~loses & coin), challenger, winner)
    return winner[:, None]


def _set_by_survival(pop: Population, key: str, needed: BoolArray) -> NDArray[np.float64]:
    """A value of all individuals; NaN where there is none and none is needed."""
    values = pop.get(key)
    if any(value is None for value in values[needed]):
        raise ValueError(f"feasible individuals must have {key!r}, which the survival of NSGA-II sets.")
    return np.asarray(values, dtype=float)


def _dominates(F: NDArray[np.float64], a: IntArray, b: IntArray) -> tuple[BoolArray, BoolArray]:
    """Whether a dominates b, and whether b dominates a."""
    better: BoolArray = np.any(F[a] < F[b], axis=1)
    worse: BoolArray = np.any(F[a] > F[b], axis=1)
    return better & ~worse, worse & ~better
