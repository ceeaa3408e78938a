"""Tournaments, mating, duplicates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.mating import Mating
from pymoo.core.population import Population

from moo_clustering._arrays import BoolArray, IntArray
from moo_clustering.encodings import Encoding
from moo_clustering.encodings.base import row_digests

Canonical = Callable[[NDArray[Any]], NDArray[Any]]


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


class CanonicalDuplicates(DuplicateElimination):
    """Eliminate individuals whose canonical genotype occurred before.

    pymoo's default compares all pairs by Euclidean distance and sees neither permuted medoids nor
    renumbered clusters; this hashes one canonical row per individual.

    Parameters
    ----------
    canonical : Encoding or callable, optional
        ``X -> X`` on populations of shape (n_individuals, n_var), such as
        :meth:`~moo_clustering.encodings.Encoding.canonical`, or an encoding that has it. Default:
        the genes as they are. Rows that hold the same numbers are equal whatever their dtype.

    Notes
    -----
    O(n_individuals n_var) plus the cost of ``canonical``. The first of several equal individuals
    is kept.

    Examples
    --------
    >>> from moo_clustering.encodings import LabelEncoding
    >>> population = Population.new(X=np.array([[0, 0, 1], [1, 1, 0], [0, 1, 1]]))
    >>> CanonicalDuplicates(LabelEncoding(3, k_max=2)).do(population).get("X")
    array([[0, 0, 1],
           [0, 1, 1]])
    """

    def __init__(self, canonical: Encoding | Canonical | None = None) -> None:
        super().__init__()
        if canonical is not None and not isinstance(canonical, Encoding) and not callable(canonical):
            raise TypeError(f"canonical must be an Encoding, a callable or None, got {canonical!r}.")
        self.canonical = canonical

    def keys(self, pop: Population) -> list[bytes]:
        """What two individuals have in common if and only if one of them is a duplicate."""
        X = pop.get("X")
        if isinstance(self.canonical, Encoding):
            X = self.canonical.canonical(X)
        elif self.canonical is not None:
            X = self.canonical(X)
        return row_digests(X)

    def _do(
        self, pop: Population, other: Population | None, is_duplicate: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        seen = set() if other is None else set(self.keys(other))
        for i, key in enumerate(self.keys(pop)):
            if key in seen:
                is_duplicate[i] = True
            elif other is None:
                seen.add(key)
        return is_duplicate


class ExclusiveMating(Mating):
    """Mating in which a pair of parents is crossed with probability pc and otherwise mutated.

    Parameters
    ----------
    selection, crossover, mutation
        pymoo operators; the crossover must make two children of two parents, and its own probability
        is the probability of crossing.
    **kwargs
        ``repair``, ``eliminate_duplicates``, ``n_max_iterations`` as in pymoo.
    """

    def _do(
        self,
        problem: Any,
        pop: Population,
        n_offsprings: int,
        parents: Any = None,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        rng = np.random.default_rng(random_state)
        n_pairs = math.ceil(n_offsprings / 2)
        if parents is None:
            parents = self.selection(problem, pop, n_pairs, n_parents=2, random_state=rng, **kwargs)
        pairs = np.array([[individual.X for individual in pair] for pair in parents])
        children = pairs.copy()
        crossed = rng.random(len(pairs)) < float(self.crossover.prob.value)
        if crossed.any():
            offspring = self.crossover._do(problem, pairs[crossed].swapaxes(0, 1), random_state=rng)
            children[crossed] = offspring.swapaxes(0, 1)
        if not crossed.all():
            rest = children[~crossed]
            mutated = self.mutation._do(problem, rest.reshape(-1, rest.shape[-1]), random_state=rng)
            children[~crossed] = mutated.reshape(rest.shape)
        return Population.new("X", children.reshape(-1, children.shape[-1]))
