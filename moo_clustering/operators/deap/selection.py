"""Selection of DEAP individuals by roulette wheels, tournaments and survival."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from moo_clustering._arrays import FloatArray, IntArray, choice
from moo_clustering._data import checked_array, checked_integers
from moo_clustering._docs import documented
from moo_clustering.operators import survival as survivals
from moo_clustering.operators.deap.individuals import Individuals, stacked

Rule = Literal["linear", "inverse"]
Legality = Literal["ratio", "count"]
SurvivalKind = Literal["crowding", "random"]


def sel_roulette_min(individuals: Individuals, k: int, rng: Generator, rule: Rule = "linear") -> Individuals:
    """Draw ``k`` individuals with replacement, with higher weights for lower objective values.

    Raises a ValueError unless the only objective is minimised; ``deap.tools.selRoulette`` maximises.

    Parameters
    ----------
    individuals : list
        Evaluated individuals.
    k : int
        Number of individuals to select.
    rng : numpy.random.Generator
    rule : {"linear", "inverse"}, default="linear"
        See :func:`roulette_weights`.

    Returns
    -------
    list of length k
        Selected individuals, which are not copied.
    """
    return _spin(individuals, roulette_weights(_objectives(individuals), rule), k, rng)


def roulette_weights(F: ArrayLike, rule: Rule = "linear") -> FloatArray:
    """Compute unnormalised selection weights from minimised objectives.

    Source: Evolutionary multi-instance clustering, Eq. 8 (linear); genetic clustering for unknown K
    (inverse). Raises a ValueError if the rule is unknown, or is ``"inverse"`` and an objective is negative.

    Parameters
    ----------
    F : array-like of shape (n_individuals,)
        Non-negative objectives. Infinite values and NaN get weight 0.
    rule : {"linear", "inverse"}, default="linear"
        ``"linear"``: max(0, 1.5 F_worst - F), where F_worst is the highest finite F. ``"inverse"``: 1 / F or,
        if some objectives are 0, equal weights for these and weight 0 for all others.

    Returns
    -------
    ndarray of shape (n_individuals,)
        If all weights would be 0, finite objectives get weight 1. If none is finite, all objectives do.
    """
    F = checked_array(F, "F", np.float64, ndim=(1,), finite=False)
    choice("rule", rule, ("linear", "inverse"))
    finite = np.isfinite(F)
    values, weights = F[finite], np.zeros(len(F))
    if rule == "inverse" and (values < 0).any():
        raise ValueError(f"rule='inverse' requires non-negative objectives, got {values.min()}; use 'linear'")
    if scale := float(np.abs(values).max(initial=0.0)):
        # The objectives are divided by their largest absolute value, so that no weight overflows.
        values = values / scale
        if rule == "linear":
            weights[finite] = np.maximum(1.5 * values.max() - values, 0.0)
        else:
            weights[finite] = values.min() / values if values.min() > 0 else values == 0
    if weights.sum() > 0:
        return weights
    return finite.astype(np.float64) if finite.any() else np.ones(len(F))


@documented(sel_roulette_min)
class SelRouletteLegal:
    """Operator ``select`` for roulette-wheel selection with weights from :func:`fgka_fitness`.

    Parameters
    ----------
    n_clusters : int
        Number of clusters. Partitions with fewer non-empty clusters are illegal.
    legality : {"ratio", "count"}, default="ratio"
        See :func:`fgka_fitness`.

    Attributes
    ----------
    f_max : float or None
        Highest finite objective so far. It is saved in checkpoints.
    """

    def __init__(self, n_clusters: int, rng: Generator, *, legality: Legality = "ratio") -> None:
        self.n_clusters = n_clusters
        self.rng = rng
        self.legality: Legality = choice("legality", legality, ("ratio", "count"))
        self.f_max: float | None = None

    def __call__(self, individuals: Individuals, k: int) -> Individuals:
        F = _objectives(individuals)
        finite = F[np.isfinite(F)]
        if len(finite):
            self.f_max = float(max(finite.max(), -np.inf if self.f_max is None else self.f_max))
        nonempty = [len(np.unique(np.asarray(individual))) for individual in individuals]
        fitness = fgka_fitness(F, nonempty, self.n_clusters, self.f_max, legality=self.legality)
        return _spin(individuals, fitness if fitness.sum() > 0 else np.ones(len(F)), k, self.rng)

    def checkpoint_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arrays and metadata that :meth:`restore_checkpoint_state` requires."""
        return {}, {"f_max": self.f_max}

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a state returned by :meth:`checkpoint_state`."""
        self.f_max = meta["f_max"]


def fgka_fitness(
    F: ArrayLike, nonempty: ArrayLike, k: int, f_max: float | None = None, *, legality: Legality = "ratio"
) -> FloatArray:
    """Compute the selection fitness of partitions that can contain empty clusters.

    A partition without empty clusters is legal. Its fitness is 0 if F is infinite or NaN, and otherwise
    max(0, 1.5 f_max - F), where f_max is the highest finite objective so far. The fitness of an illegal
    partition is the factor selected by ``legality`` times the lowest fitness of all legal partitions with
    finite F, or times 1 if there are none. Source: Evolutionary multi-instance clustering, Eq. 8; FGKA.

    Parameters
    ----------
    F : array-like of shape (n_individuals,)
        Minimised objectives.
    nonempty : array-like of shape (n_individuals,)
        Number of non-empty clusters, which is ``k`` for legal partitions.
    k : int
    f_max : float, optional
        Highest finite objective of all previous generations.
    legality : {"ratio", "count"}, default="ratio"
        Factor for illegal partitions: the share of non-empty clusters (``"ratio"``) or, as in the paper, the
        number of non-empty clusters (``"count"``), which is at least 1 and therefore not a penalty.

    Returns
    -------
    ndarray of shape (n_individuals,)

    Examples
    --------
    >>> fgka_fitness([10, 20, 5], [2, 2, 1], 2)
    array([20., 10.,  5.])
    """
    F = checked_array(F, "F", np.float64, ndim=(1,), finite=False)
    nonempty = checked_integers(nonempty, "nonempty", ndim=(1,))
    if len(nonempty) != len(F):
        raise ValueError(f"nonempty must have one entry per value of F ({len(F)}), got {len(nonempty)}")
    choice("legality", legality, ("ratio", "count"))
    finite, legal, fitness = np.isfinite(F), nonempty == k, np.zeros(len(F))
    f_max = max(F[finite].max(initial=-np.inf), -np.inf if f_max is None else f_max)
    chosen = legal & finite
    fitness[chosen] = np.maximum(1.5 * f_max - F[chosen], 0.0)  # Eq. 8
    smallest = fitness[chosen].min() if chosen.any() else 1.0
    fitness[~legal] = nonempty[~legal] / (k if legality == "ratio" else 1) * smallest
    return fitness


def _objectives(individuals: Individuals) -> FloatArray:
    weights = individuals[0].fitness.weights
    if len(weights) != 1 or weights[0] >= 0:
        raise ValueError(
            f"roulette selection requires one minimised objective, got fitness weights {tuple(weights)}; "
            "use deap.tools.selRoulette for a maximised objective"
        )
    return fitness_of(individuals, "values")[:, 0]


def fitness_of(individuals: Individuals, name: str) -> FloatArray:
    """Return a fitness attribute of all individuals, or raise a ValueError if it is not set."""
    found = [getattr(individual.fitness, name, ()) for individual in individuals]
    for number, value in enumerate(found):
        if isinstance(value, tuple) and not value:
            raise ValueError(
                f"select requires evaluated individuals, but individual {number} has no fitness {name}: set "
                "individual.fitness.values = toolbox.evaluate(individual) first"
            )
    return np.array(found, dtype=np.float64)


def _spin(individuals: Individuals, weights: FloatArray, k: int, rng: Generator) -> Individuals:
    return [individuals[i] for i in rng.choice(len(individuals), size=k, p=weights / weights.sum())]


@documented(sel_roulette_min)
def sel_tournament_dcd(individuals: Individuals, k: int, rng: Generator) -> Individuals:
    """Run ``k`` binary tournaments, decided by dominance, then by larger crowding distance, then at random.

    Accepts any number of individuals and uses no global random state, unlike ``deap.tools.selTournamentDCD``.
    """
    fitness_of(individuals, "crowding_dist")  # raise a ValueError if a distance is missing
    n_rounds = -(-2 * k // len(individuals))
    order = np.concatenate([rng.permutation(len(individuals)) for _ in range(n_rounds)])[: 2 * k]
    coins = rng.random(k) < 0.5
    chosen = []
    for (a, b), coin in zip(order.reshape(k, 2), coins, strict=True):
        first, second = individuals[a].fitness, individuals[b].fitness
        if first.dominates(second) or second.dominates(first):
            wins = first.dominates(second)
        elif first.crowding_dist != second.crowding_dist:
            wins = not second.crowding_dist > first.crowding_dist
        else:
            wins = coin
        chosen.append(individuals[a if wins else b])
    return chosen


@documented(sel_roulette_min)
def sel_tournament_rank(individuals: Individuals, k: int, rng: Generator) -> Individuals:
    """Run ``k`` binary tournaments, decided by lower rank, then by larger crowding distance, then at random.

    :func:`sel_constraint_nsga2` sets the required ``fitness.rank`` and ``fitness.crowding_dist``.
    """
    rank, crowding = fitness_of(individuals, "rank"), fitness_of(individuals, "crowding_dist")
    a, b = rng.integers(0, len(individuals), size=(2, k))
    coin = rng.random(k) < 0.5
    nearer = np.where(crowding[a] == crowding[b], coin, crowding[a] > crowding[b])
    wins = np.where(rank[a] == rank[b], nearer, rank[a] < rank[b])
    return [individuals[i] for i in np.where(wins, a, b)]


@documented(sel_roulette_min, survivals.ConstraintCrowdingSurvival)
def sel_constraint_nsga2(
    individuals: Individuals,
    k: int,
    rng: Generator | None = None,
    *,
    boundary: survivals.Boundary = "infinite",
) -> Individuals:
    """Select survivors by rank, then by crowding distance plus ``fitness.bonus``; break ties at random.

    DEAP version of :class:`~moo_clustering.operators.ConstraintCrowdingSurvival`. Sets ``fitness.rank`` and
    ``fitness.crowding_dist``, which includes the bonus (0 by default).

    Parameters
    ----------
    rng : numpy.random.Generator, optional
        Generator used to break ties. Default: the first of the tied individuals is selected.
    """
    F = -fitness_of(individuals, "wvalues")
    bonus = np.array([getattr(individual.fitness, "bonus", 0.0) for individual in individuals])
    rank, crowding = survivals.rank_with_bonus(F, bonus, boundary)
    for individual, own_rank, distance in zip(individuals, rank.tolist(), crowding.tolist(), strict=True):
        individual.fitness.rank, individual.fitness.crowding_dist = own_rank, distance
    chance = np.zeros(len(F)) if rng is None else rng.random(len(F))
    return [individuals[i] for i in np.lexsort((chance, -crowding, rank))[:k]]


@documented(sel_roulette_min)
def sel_dynamic_diversity(
    individuals: Individuals, k: int, problem: Any, survival: survivals.DynamicDiversitySurvival | None = None
) -> Individuals:
    """Select survivors, then set their fitness and crowding distance relative to the survivors.

    DEAP version of :class:`~moo_clustering.operators.DynamicDiversitySurvival`. ``individuals`` must contain
    parents and offspring. Their second objective is recomputed.

    Parameters
    ----------
    problem : NeighborGraphProblem
    survival : DynamicDiversitySurvival, optional
        Default: ``DynamicDiversitySurvival()``.
    """
    ranks = problem.ranks(stacked(individuals))
    F = fitness_of(individuals, "values")
    chosen, F = (survival or survivals.DynamicDiversitySurvival()).select(problem, ranks, F, k)
    survivors = [individuals[i] for i in chosen]
    assign_fitness(survivors, F)
    return survivors


def assign_fitness(individuals: Individuals, F: FloatArray) -> None:
    for individual, values in zip(individuals, F, strict=True):
        individual.fitness.values = tuple(values)
    _assign_crowding(individuals, F)


def _assign_crowding(individuals: Individuals, F: FloatArray) -> None:
    distances = survivals.rank_and_crowding(F)[1].tolist()
    for individual, distance in zip(individuals, distances, strict=True):
        individual.fitness.crowding_dist = distance


class SelElite:
    """Operator ``select`` that selects survivors including an elite, and sets ``fitness.crowding_dist``.

    Parameters
    ----------
    memory : EliteMemory
        Memory for the best partitions, which are scored by their fitness values and genes.
    survival : {"crowding", "random"}, default="crowding"
        ``"crowding"`` selects the elite first, then other individuals by front, crowding distance and
        position, as in :class:`~moo_clustering.operators.EliteSurvival`. ``"random"`` selects at random
        without an elite, as in :class:`~moo_clustering.operators.RandomSurvival`.
    """

    def __init__(self, memory: survivals.EliteMemory, survival: SurvivalKind = "crowding") -> None:
        self.memory = memory
        self.survival: SurvivalKind = choice("survival", survival, get_args(SurvivalKind))

    def __call__(self, individuals: Individuals, k: int, rng: Generator) -> Individuals:
        elite = self.memory.update(fitness_of(individuals, "values"), stacked(individuals))
        F = -fitness_of(individuals, "wvalues")
        chosen: IntArray
        if self.survival == "random":
            chosen = rng.choice(len(individuals), size=min(k, len(individuals)), replace=False)
        else:
            rank, crowding = survivals.rank_and_crowding(F)
            chosen = survivals.with_elite(np.lexsort((-crowding, rank))[:k], elite)
        survivors = [individuals[row] for row in chosen]
        _assign_crowding(survivors, F[chosen])
        return survivors

    def checkpoint_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arrays and metadata that :meth:`restore_checkpoint_state` requires."""
        return self.memory.checkpoint_state()

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a state returned by :meth:`checkpoint_state`."""
        self.memory.restore_checkpoint_state(arrays, meta)
