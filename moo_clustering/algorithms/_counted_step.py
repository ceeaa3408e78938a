"""What the generations of the DEAP-style loops have in common: evaluations within a budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from deap import base
from numpy.typing import NDArray

from moo_clustering.algorithms._checks import integer, probability
from moo_clustering.algorithms._search import State
from moo_clustering.operators.deap._batch_map import apply_batch, n_trials

Individuals = list[Any]
Columns = dict[str, Any]


class CountedStep(ABC):
    """One generation of a search that counts its evaluations and ends when they are used up.

    For :func:`run_steps` and, as ``step``, for :class:`DeapSearch`. New individuals go through
    ``toolbox.repair``, where there is one, before they are evaluated. Subclasses do the generation in
    ``_generation``, name the toolbox functions they need in ``_needed`` and their columns of the
    logbook in ``columns``.

    Parameters
    ----------
    mutpb, kmpb : float
        Probabilities of ``toolbox.mutate`` and of ``toolbox.km`` after it, for each child.
    max_evals : int, optional
        Evaluations allowed in all, counting the initial population and the trial evaluations that
        ``toolbox.mutate`` reports in ``n_trials``. Never exceeded where ``mutate`` has a batched form
        that heeds ``max_trials``, else by less than the trials of one individual.

    Attributes
    ----------
    evaluations, trials : int
        Made so far.
    """

    columns: ClassVar[tuple[str, ...]] = ("nevals", "ntrials")

    def __init__(self, *, mutpb: float, kmpb: float, max_evals: int | None) -> None:
        self.mutpb = probability("mutpb", mutpb)
        self.kmpb = probability("kmpb", kmpb)
        self.max_evals = None if max_evals is None else integer("max_evals", max_evals, 1)
        self.evaluations = 0
        self.trials = 0

    @property
    def left(self) -> int | None:
        """Evaluations left; None without a limit."""
        if self.max_evals is None:
            return None
        return max(self.max_evals - self.evaluations - self.trials, 0)

    @property
    def finished(self) -> bool:
        """Whether all evaluations that are allowed have been made."""
        return self.left == 0

    def start(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, Columns]:
        """Evaluate the initial population and forget any run before.

        Parameters
        ----------
        population : list
            Those with valid fitness are not evaluated again; those beyond ``max_evals`` are dropped.
        toolbox : deap.base.Toolbox
        rng : numpy.random.Generator

        Returns
        -------
        population : list
        columns : dict
            For the logbook.

        Raises
        ------
        ValueError
            For an empty population, several objectives, or a toolbox that lacks a function.
        """
        self._check(population, toolbox)
        self.evaluations = self.trials = 0
        if callable(getattr(toolbox, "repair", None)):  # not of what the caller made
            population = [one if one.fitness.valid else toolbox.clone(one) for one in population]
        population = self._evaluated(population, toolbox)
        return population, {"nevals": self.evaluations, "ntrials": 0, **self._begin(population)}

    def __call__(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, Columns] | None:
        """The next population and its columns of the logbook; None when :attr:`finished`."""
        if self.finished:
            return None
        evaluations, trials = self.evaluations, self.trials
        population, columns = self._generation(population, toolbox, rng)
        counts = {"nevals": self.evaluations - evaluations, "ntrials": self.trials - trials}
        return population, counts | columns

    def eligible(self, population: Individuals) -> Individuals:
        """Those that may enter the hall of fame."""
        return population

    def checkpoint_state(self) -> State:
        """Arrays and JSON-able metadata."""
        return {}, {"evaluations": self.evaluations, "trials": self.trials}

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over what :meth:`checkpoint_state` returned."""
        self.evaluations = meta["evaluations"]
        self.trials = meta["trials"]

    @abstractmethod
    def _generation(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, Columns]:
        """Do one generation; the given individuals stay as they are."""

    @abstractmethod
    def _needed(self) -> list[str]:
        """Names of the toolbox functions that are called, besides those of this class."""

    def _begin(self, population: Individuals) -> Columns:
        return {}

    def _evaluated(self, individuals: Individuals, toolbox: base.Toolbox) -> Individuals:
        """Evaluate those without fitness while the budget lasts; those that have one then."""
        new = [individual for individual in individuals if not individual.fitness.valid][: self.left]
        if new and callable(repair := getattr(toolbox, "repair", None)):
            repaired = dict(zip(map(id, new), apply_batch(repair, new), strict=True))
            individuals = [repaired.get(id(individual), individual) for individual in individuals]
            new = list(repaired.values())
        for individual, values in zip(new, toolbox.map(toolbox.evaluate, new), strict=True):
            if any(value != value for value in values):
                raise ValueError(
                    f"toolbox.evaluate gave an objective that is not a number for {individual!r}; "
                    f"let it give an infinite one"
                )
            individual.fitness.values = values
        self.evaluations += len(new)
        return [individual for individual in individuals if individual.fitness.valid]

    def _mutated(self, children: Individuals, toolbox: base.Toolbox, rng: np.random.Generator) -> Individuals:
        """Mutate and KM the children in place; those that could not be evaluated are dropped first."""
        mutate = rng.random(len(children)) < self.mutpb
        km = rng.random(len(children)) < self.kmpb
        new = mutate | km | np.array([not child.fitness.valid for child in children], dtype=bool)
        children, max_trials = list(children), None
        if (left := self.left) is not None:
            # set aside an evaluation for each, so that trials do not leave them unevaluated
            kept = ~new | (np.cumsum(new) <= left)
            children = [child for child, keep in zip(children, kept, strict=True) if keep]
            mutate, km, new = mutate[kept], km[kept], new[kept]
            max_trials = left - int(new.sum())
        with self._counting_trials(toolbox):
            _apply(getattr(toolbox, "mutate", None), children, mutate, max_trials)
        _apply(getattr(toolbox, "km", None), children, km)
        return children

    @contextmanager
    def _counting_trials(self, toolbox: base.Toolbox) -> Iterator[None]:
        before = _trials_of(toolbox)
        yield
        self.trials += _trials_of(toolbox) - before

    def _check(self, population: Individuals, toolbox: base.Toolbox) -> None:
        if not len(population):
            raise ValueError("population must have at least one individual, got none")
        weights = population[0].fitness.weights
        if len(weights) != 1:
            raise ValueError(
                f"{type(self).__name__} works on one objective, got fitness weights {tuple(weights)}"
            )
        needed = ["evaluate", "clone", "map", *self._needed()]
        needed += ["mutate"] * (self.mutpb > 0) + ["km"] * (self.kmpb > 0)
        for name in needed:
            if not callable(getattr(toolbox, name, None)):
                raise ValueError(f"toolbox has no {name!r}; register one")


def _trials_of(toolbox: base.Toolbox) -> int:
    mutate = getattr(toolbox, "mutate", None)
    return 0 if mutate is None else n_trials(mutate) or 0


def _apply(func: Any, children: Individuals, chosen: NDArray[Any], max_trials: int | None = None) -> None:
    where = np.flatnonzero(chosen)
    if len(where):
        changed = apply_batch(func, [children[i] for i in where], max_trials)
        for i, child in zip(where, changed, strict=True):
            children[i] = child
