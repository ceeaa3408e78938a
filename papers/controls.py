"""Controls of DEAP toolboxes, as :mod:`moo_clustering.controls` has them for pymoo algorithms."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._arrays import FloatArray, integer
from moo_clustering._docs import documented
from moo_clustering.algorithms import DeapSearch
from moo_clustering.algorithms.deap_search import can_take, new_population, of_genes
from moo_clustering.controls import BY_MUTATION, ControlComparison, Genes, Meter, changed, compare, compared
from moo_clustering.operators.deap.individuals import apply_batch, n_trials

__all__ = ["compare_deap"]


@documented(compare)
def compare_deap(
    toolbox: Any,
    step: Any,
    *,
    pop_size: int,
    n_evals: int,
    seeds: int | Sequence[int] = 10,
    y: ArrayLike | None = None,
    controls: str | Sequence[str] = "auto",
    n_clusters: int | None = None,
) -> ControlComparison:
    """Run a DEAP toolbox and its controls with equal evaluations, and compare what they find.

    Drift replaces ``select`` and ``select_parents`` by chance and sets the ``elitism`` of the step to 0; for
    a step that selects by itself, as CHC's does, it is no control.

    Parameters
    ----------
    toolbox : deap.base.Toolbox, or callable
        As for :class:`~moo_clustering.algorithms.DeapSearch`, with ``evaluate``, and ``decode(genes)`` for
        ``y`` unless genes are labels. Or ``toolbox(rng)``, which makes one that draws from the generator.
    step : callable
        As for :class:`~moo_clustering.algorithms.DeapSearch`; copies of it are run.
    pop_size : int
    """
    make = partial(_DeapRun, toolbox, step, integer("pop_size", pop_size, 1))
    return compared(make, n_evals, seeds, y, controls, n_clusters)


class _DeapRun:
    """A run of a toolbox or of a control, with evaluations counted; trials of its mutation among them."""

    def __init__(self, toolbox: Any, step: Any, size: int, meter: Meter, seed: int) -> None:
        self.rng, self.step, self.size, self.meter = np.random.default_rng(seed), step, size, meter
        self.given = toolbox if hasattr(toolbox, "register") else toolbox(self.rng)
        self.toolbox = copy.copy(self.given)
        self.title, self.decode = "the toolbox", getattr(self.given, "decode", np.asarray)
        self.signs = -np.sign(new_population(self.given, 1, self.rng)[0].fitness.weights)
        self.names = tuple(f"f{i + 1}" for i in range(len(self.signs)))
        self._tried = n_trials(getattr(self.given, "mutate", len)) or 0
        self.toolbox.map = self._map
        self.toolbox.evaluate = lambda one: self._map(self.toolbox.evaluate, [one])[0]

    def lacking(self) -> dict[str, str]:
        found = {"construction": "a problem with greedy_front"}
        if not hasattr(self.given, "mutate"):
            found |= dict.fromkeys(BY_MUTATION, "a mutation, but the toolbox has no 'mutate'")
        if not hasattr(self.given, "select"):
            found["drift"] = "a selection to replace, but the toolbox has no 'select'"
        return found

    def sample(self) -> Genes:
        return _genes(new_population(self.toolbox, self.size, self.rng))

    def evaluate(self, X: Genes) -> tuple[FloatArray, FloatArray]:
        values = self._map(self.toolbox.evaluate, self._applied("repair", X))
        return self.signs * np.asarray(values, dtype=np.float64), np.zeros(len(X))

    def varied(self, X: Genes) -> Genes:
        def vary(rows: Genes) -> Genes:
            return _genes(self._applied("repair", _genes(self._applied("mutate", rows))))

        # Mutations that count trials search; where they change nothing, they would not the next time.
        return vary(X) if n_trials(self.given.mutate) is not None else changed(X, vary)

    def search(self, drift: bool) -> DeapSearch:
        toolbox, step = copy.copy(self.toolbox), copy.deepcopy(self.step)
        if drift:
            for name in {"select", "select_parents"} & vars(toolbox).keys():
                setattr(toolbox, name, self._by_chance)
            if hasattr(step, "elitism"):
                step.elitism = 0
        if hasattr(step, "max_evals"):
            step.max_evals = self.meter.n_evals
        return DeapSearch(toolbox, step, rng=self.rng, pop_size=self.size)

    def _by_chance(self, individuals: list[Any], k: int, *rest: Any, **options: Any) -> list[Any]:
        return [individuals[i] for i in self.rng.choice(len(individuals), k, replace=k > len(individuals))]

    def _applied(self, name: str, X: Genes) -> list[Any]:
        """Individuals after a function of the toolbox, if it is there."""
        individuals = [of_genes(row, self.given) for row in X]
        function = getattr(self.given, name, None)
        if function is None:
            return individuals
        function = partial(function, rng=self.rng) if can_take(function, None, rng=self.rng) else function
        # An evaluation for each remains.
        changed = apply_batch(function, individuals, max(self.meter.n_evals - self.meter.count - len(X), 0))
        self._count_trials()
        return changed

    def _map(self, func: Any, *sequences: Any) -> list[Any]:
        if func is not self.toolbox.evaluate:
            return list(self.given.map(func, *sequences))
        self._count_trials()
        individuals = list(sequences[0])
        admitted = individuals[: self.meter.admit(len(individuals))]
        values = list(self.given.map(self.given.evaluate, admitted))
        F = self.signs * np.asarray(values, dtype=np.float64).reshape(len(admitted), -1)
        self.meter.take(_genes(admitted), F, np.zeros(len(F)), len(individuals))
        return values

    def _count_trials(self) -> None:
        tried = n_trials(getattr(self.given, "mutate", len)) or 0
        self.meter.count, self._tried = self.meter.count + tried - self._tried, tried


def _genes(individuals: Sequence[Any]) -> Genes:
    return np.stack([np.array(one) for one in individuals])
