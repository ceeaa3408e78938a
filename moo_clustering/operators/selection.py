"""Tournament selection of parents, mating by either crossover or mutation, and duplicate elimination."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.mating import Mating
from pymoo.core.population import Population

from moo_clustering._arrays import BoolArray, FloatArray, IntArray, choice, name_of, quoted
from moo_clustering.encodings import Encoding
from moo_clustering.encodings.base import row_digests

Canonical = Callable[[NDArray[Any]], NDArray[Any]]


def batched_tournament(
    pop: Population, P: IntArray, algorithm: Any = None, random_state: Generator | None = None, **kwargs: Any
) -> IntArray:
    """Run tournaments, decided by feasibility, then by dominance or rank, then by crowding, then at random.

    ``TournamentSelection(func_comp=batched_tournament)`` selects the same winners as pymoo's
    ``binary_tournament``, except in ties. Takes O(n_tournaments * pressure * n_obj) time.

    Parameters
    ----------
    pop : Population
        Raises a ValueError if a feasible individual lacks ``crowding`` or, in tournaments by rank, ``rank``.
    P : ndarray of shape (n_tournaments, pressure)
        Positions of the competitors in ``pop``. The winner of the first two faces the third, and so on.
    algorithm : pymoo Algorithm, optional
        Algorithm whose ``tournament_type`` is used: ``"comp_by_dom_and_crowding"`` (default) or
        ``"comp_by_rank_and_crowding"``.
    random_state : numpy.random.Generator, optional
        Generator used to break ties at random. Default: the algorithm's generator.
    **kwargs
        Additional arguments passed by pymoo, which are ignored.

    Returns
    -------
    winners : ndarray of shape (n_tournaments, 1)
        Positions of the winners in ``pop``.
    """
    kind = getattr(algorithm, "tournament_type", "comp_by_dom_and_crowding")
    choice("tournament_type", kind, ("comp_by_dom_and_crowding", "comp_by_rank_and_crowding"))
    own = getattr(algorithm, "random_state", None)
    rng = np.random.default_rng(own if random_state is None else random_state)

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
        better: BoolArray = np.any(merit[challenger] < merit[winner], axis=1)
        worse: BoolArray = np.any(merit[challenger] > merit[winner], axis=1)
        wins, loses = better & ~worse, worse & ~better
        undecided = ~wins & ~loses
        wins |= undecided & (crowding[challenger] > crowding[winner])
        loses |= undecided & (crowding[challenger] < crowding[winner])
        infeasible = ~(feasible[challenger] & feasible[winner])
        wins = np.where(infeasible, violation[challenger] < violation[winner], wins)
        loses = np.where(infeasible, violation[challenger] > violation[winner], loses)
        winner = np.where(wins | (~loses & coin), challenger, winner)
    return winner[:, None]


def _set_by_survival(pop: Population, key: str, needed: BoolArray) -> FloatArray:
    """Return an attribute as floats, with NaN for individuals that lack the attribute.

    Raises a ValueError if an individual that is marked in ``needed`` lacks the attribute.
    """
    values = pop.get(key)
    if values.dtype == object and any(value is None for value in values[needed]):
        raise ValueError(f"feasible individuals must have {key!r}, which the NSGA-II survival sets")
    return np.asarray(values, dtype=float)


class CanonicalDuplicates(DuplicateElimination):
    """Eliminate individuals whose canonical genotype equals that of a previous individual.

    One hash per individual is compared. Takes O(n_individuals * n_var) time, plus the time for ``canonical``.
    pymoo's default, the Euclidean distance between genes, misses permuted medoids and renumbered clusters.

    Parameters
    ----------
    canonical : Encoding or callable, optional
        Encoding with a :meth:`~moo_clustering.encodings.Encoding.canonical` method, or a function ``X -> X``
        for populations of shape (n_individuals, n_var). Default: genes are compared. Dtypes are ignored.

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
            raise TypeError(f"canonical must be an Encoding, a callable or None, got {quoted(canonical)}")
        self.canonical = canonical

    def keys(self, pop: Population) -> list[bytes]:
        """Return a key for each individual; keys are equal if and only if the individuals are duplicates."""
        X = pop.get("X")
        if isinstance(self.canonical, Encoding):
            X = self.canonical.canonical(X)
        elif self.canonical is not None:
            X = np.asarray(self.canonical(X))
            if X.shape[:1] != (len(pop),):
                raise ValueError(
                    f"canonical must return one row per individual ({len(pop)}); "
                    f"{name_of(self.canonical)} returned shape {X.shape}"
                )
        return row_digests(X)

    def _do(self, pop: Population, other: Population | None, is_duplicate: BoolArray) -> BoolArray:
        seen = set() if other is None else set(self.keys(other))
        for i, key in enumerate(self.keys(pop)):
            if key in seen:
                is_duplicate[i] = True
            elif other is None:
                seen.add(key)
        return is_duplicate


class ExclusiveMating(Mating):
    """Mating that either crosses a pair of parents or mutates both of them.

    Parameters
    ----------
    selection, crossover, mutation
        pymoo operators. The crossover must produce two children from two parents; its ``prob`` is the
        probability that a pair is crossed rather than mutated.
    **kwargs
        ``repair``, ``eliminate_duplicates`` and ``n_max_iterations``, as in pymoo.
    """

    def _do(
        self,
        problem: Any,
        pop: Population,
        n_offsprings: int,
        parents: Any = None,
        random_state: Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        rng = np.random.default_rng(random_state)
        n_pairs = math.ceil(n_offsprings / 2)
        if parents is None:
            parents = self.selection(problem, pop, n_pairs, n_parents=2, random_state=rng, **kwargs)
        pairs = np.array([[individual.X for individual in pair] for pair in parents])
        crossed = rng.random(len(pairs)) < float(self.crossover.prob.value)
        if crossed.any():
            offspring = self.crossover._do(problem, pairs[crossed].swapaxes(0, 1), random_state=rng)
            pairs[crossed] = offspring.swapaxes(0, 1)
        if not crossed.all():
            rest = pairs[~crossed]
            mutated = self.mutation._do(problem, rest.reshape(-1, rest.shape[-1]), random_state=rng)
            pairs[~crossed] = mutated.reshape(rest.shape)
        return Population.new("X", pairs.reshape(-1, pairs.shape[-1]))
