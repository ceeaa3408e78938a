"""One generation of CHC over a DEAP toolbox."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from deap import base

from moo_clustering.algorithms._checks import choice, integer, positive
from moo_clustering.algorithms._counted_step import Columns, CountedStep, Individuals
from moo_clustering.algorithms._search import State

ThresholdRule = Literal["no_crossing", "no_acceptance"]
Restart = Callable[[Individuals, int, np.random.Generator], Individuals]
Key = Callable[[Any], Hashable]

_THRESHOLD_RULES = ("no_crossing", "no_acceptance")
_quality = attrgetter("fitness.wvalues")


class ChcStep(CountedStep):
    """One generation of CHC, with the threshold of incest prevention as its state.

    For :class:`DeapSearch`, or called in a loop of your own; :func:`chc` is that loop, where the
    parameters are described at length.

    Parameters
    ----------
    mutpb, kmpb : float, default=0
        Probabilities for each child of ``mutate`` and, after it, of ``km``.
    threshold : float, optional
        First ``d``; a quarter of the number of genes by default, at least 1.
    n_keep : int, default=10
        The best that survive a restart.
    threshold_rule : {"no_crossing", "no_acceptance"}, default="no_crossing"
        When ``d`` falls.
    mutate : {"children", "population"}, default="children"
        What is mutated.
    step : float, default=1
        By how much ``d`` falls.
    restart : callable, optional
        ``restart(best, n_new, rng)`` makes individuals after a restart.
    restart_threshold : float, optional
        ``d`` after a restart; ``threshold`` by default.
    max_evals : int, optional
        Evaluations in all.
    unique : callable, optional
        ``unique(individual)`` gives a key, of which survivors have different ones.

    Attributes
    ----------
    d : int, float or None
        The threshold; None before the start.
    restarts : int
    evaluations, trials : int
    """

    columns = ("nevals", "ntrials", "ncross", "accepted", "d", "restart")

    def __init__(
        self,
        *,
        mutpb: float = 0.0,
        kmpb: float = 0.0,
        threshold: float | None = None,
        n_keep: int = 10,
        threshold_rule: ThresholdRule = "no_crossing",
        mutate: Literal["children", "population"] = "children",
        step: float = 1,
        restart: Restart | None = None,
        restart_threshold: float | None = None,
        max_evals: int | None = None,
        unique: Key | None = None,
    ) -> None:
        super().__init__(mutpb=mutpb, kmpb=kmpb, max_evals=max_evals)
        self.threshold = None if threshold is None else positive("threshold", threshold)
        self.n_keep = integer("n_keep", n_keep, 1)
        self.threshold_rule: ThresholdRule = choice("threshold_rule", threshold_rule, _THRESHOLD_RULES)
        self.mutate: str = choice("mutate", mutate, ("children", "population"))
        self.step = positive("step", step)
        for name, value in (("restart", restart), ("unique", unique)):
            if value is not None and not callable(value):
                raise TypeError(f"{name} must be a function or None, got {value!r}")
        self.restart = restart
        self.restart_threshold = (
            None if restart_threshold is None else positive("restart_threshold", restart_threshold)
        )
        self.unique = unique
        self.d: int | float | None = None
        self.restarts = 0

    def checkpoint_state(self) -> State:
        """Arrays and JSON-able metadata."""
        arrays, meta = super().checkpoint_state()
        return arrays, meta | {"d": self.d, "restarts": self.restarts}

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over what :meth:`checkpoint_state` returned."""
        super().restore_checkpoint_state(arrays, meta)
        self.d = meta["d"]
        self.restarts = meta["restarts"]

    def _needed(self) -> list[str]:
        return ["mate"] + ["individual"] * (self.restart is None)

    def _begin(self, population: Individuals) -> Columns:
        self.restarts = 0
        self.d = self._first_threshold(population)
        return {"ncross": 0, "accepted": 0, "d": self.d, "restart": 0}

    def _first_threshold(self, population: Individuals) -> int | float:
        return max(len(population[0]) // 4, 1) if self.threshold is None else self.threshold

    def _generation(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, Columns]:
        d = self._first_threshold(population) if self.d is None else self.d
        children = self._crossed(population, toolbox, rng, d)
        n_crossed = len(children) // 2
        if self.mutate == "population":
            children += [toolbox.clone(individual) for individual in population]
        children = self._mutated(children, toolbox, rng)
        children = [child for child in children if not child.fitness.valid]  # no unchanged copies
        children = self._evaluated(children, toolbox)
        population, n_accepted = self._survivors(population, children)
        if (n_crossed if self.threshold_rule == "no_crossing" else n_accepted) == 0:
            d -= self.step
        self.d = d
        restart = d <= 0 and not self.finished
        if restart:
            population = self._restarted(population, toolbox, rng)
        return population, {
            "ncross": n_crossed,
            "accepted": n_accepted,
            "d": self.d,
            "restart": int(restart),
        }

    def _crossed(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator, d: float
    ) -> Individuals:
        """Two children of each random pair that is farther apart than ``d``."""
        distance = getattr(toolbox, "distance", hamming)
        order = rng.permutation(len(population))
        children: Individuals = []
        for i, j in zip(order[::2], order[1::2], strict=False):
            first, second = population[i], population[j]
            if distance(first, second) > d:
                pair = toolbox.mate(toolbox.clone(first), toolbox.clone(second))
                for child in pair:
                    del child.fitness.values
                children += pair
        return children

    def _survivors(self, population: Individuals, children: Individuals) -> tuple[Individuals, int]:
        """The best of parents and children, parents first among equals; how many are children."""
        pool = sorted([*population, *children], key=_quality, reverse=True)  # stable
        if self.unique is not None:
            pool = _repeated_last(pool, self.unique)
        pool = pool[: len(population)]
        new = {id(child) for child in children}
        return pool, sum(id(individual) in new for individual in pool)

    def _restarted(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> Individuals:
        """The best, and new ones as far as the budget goes in place of the others."""
        size = len(population)
        n_keep = max(min(self.n_keep, size - 1), 1)
        n_new = size - n_keep
        if self.left is not None:
            n_new = min(n_new, self.left)
        with self._counting_trials(toolbox):
            new = self._new(population[:n_keep], n_new, toolbox, rng) if n_new else []
        for individual in new:
            del individual.fitness.values
        new = self._evaluated(new, toolbox)
        first = self._first_threshold(population)
        self.d = first if self.restart_threshold is None else self.restart_threshold
        self.restarts += 1
        return [*population[: size - len(new)], *new]

    def _new(
        self, best: Individuals, n_new: int, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> Individuals:
        if self.restart is None:
            return [toolbox.individual() for _ in range(n_new)]
        new = list(self.restart([toolbox.clone(individual) for individual in best], n_new, rng))
        if len(new) != n_new:
            raise ValueError(f"restart must return {n_new} individuals, got {len(new)}")
        return new


def _repeated_last(pool: Individuals, key: Key) -> Individuals:
    seen: set[Hashable] = set()
    first: Individuals = []
    again: Individuals = []
    for individual in pool:
        value = key(individual)
        (again if value in seen else first).append(individual)
        seen.add(value)
    return first + again


def hamming(first: Any, second: Any) -> int:
    """Number of genes in which two individuals differ.

    Raises
    ------
    ValueError
        When they are of different lengths.
    """
    if len(first) != len(second):
        raise ValueError(
            f"individuals of {len(first)} and {len(second)} genes have no Hamming distance; register "
            f"'distance' in the toolbox"
        )
    return int(np.count_nonzero(np.asarray(first) != np.asarray(second)))
