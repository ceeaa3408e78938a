"""Searches based on DEAP toolboxes, with checkpoints."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from deap import base, tools
from numpy.typing import NDArray

from moo_clustering._arrays import integer, quoted
from moo_clustering.algorithms import search as searches
from moo_clustering.operators.deap.individuals import innermost, put_genes
from moo_clustering.persistence import to_json

Individuals = list[Any]
Step = Callable[[Individuals, base.Toolbox, np.random.Generator], Any]
_FITNESS = "fitness."
_ATTRIBUTE = "attribute."


class DeapSearch:
    """A :class:`Search` that uses a DEAP toolbox.

    Raises a TypeError or ValueError if the toolbox lacks a function or if another argument is invalid.

    Parameters
    ----------
    toolbox : deap.base.Toolbox
        Toolbox with ``population(n=, rng=)`` or ``population(n=)``, which returns individuals: arrays or
        lists with a ``fitness``. Unless the step has ``start``, the toolbox must also have
        ``evaluate_population(population)``, which sets fitnesses and may return the number of evaluations.
    step : callable
        ``step(population, toolbox, rng)`` runs one generation, such as :class:`ChcStep`; see Notes.
    rng : Generator
        Generator used by ``population`` and ``step``.
    pop_size : int
    hall_of_fame : deap.tools.HallOfFame, optional
        Updated in every generation and saved in checkpoints.
    statistics : deap.tools.Statistics, optional
        Statistics to record in the logbook instead of ``min`` and ``avg``.

    Attributes
    ----------
    population : list
    logbook : deap.tools.Logbook
        Columns ``gen``, ``nevals`` (or the columns that the step reports), ``min`` and ``avg``. The last two
        list the minimum and the mean of each objective's finite fitness values, with original signs.
    generation : int
    exhausted : bool
    finished : bool

    Notes
    -----
    A step returns the next population (evaluated), ``(population, n_evaluations)``, or ``(population,
    columns)`` with a mapping of logbook columns. It returns None if it finds no new individuals. It may have
    the attributes ``start(population, toolbox, rng)``, which evaluates the initial population and returns it
    like a step; ``finished``, which is true when the search has ended; and ``eligible(population)``, which
    returns the candidates for the hall of fame.

    Checkpoints contain the individuals' genes, fitness and other plain attributes, the generator, the
    logbook, the hall of fame, and the state of any step or toolbox function that has ``checkpoint_state()``
    and ``restore_checkpoint_state(arrays, meta)``. The toolbox restores individuals using
    ``from_genes(genes)``, ``individual(genes)`` or ``individual()``. Restored searches are bit-identical if
    all draws use ``rng``.
    """

    def __init__(
        self,
        toolbox: base.Toolbox,
        step: Step,
        *,
        rng: np.random.Generator,
        pop_size: int,
        hall_of_fame: tools.HallOfFame | None = None,
        statistics: tools.Statistics | None = None,
    ) -> None:
        for name in ["population"] + ["evaluate_population"] * (not hasattr(step, "start")):
            if not callable(getattr(toolbox, name, None)):
                raise ValueError(f"toolbox has no {name!r}; register this function")
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, got {quoted(rng)}")
        pop_size = integer("pop_size", pop_size)
        if isinstance(statistics, tools.MultiStatistics):
            raise TypeError("statistics must be a deap.tools.Statistics, got MultiStatistics")
        self.toolbox, self.step, self.rng, self.pop_size = toolbox, step, rng, pop_size
        self.hall_of_fame, self.statistics = hall_of_fame, statistics
        self.population: Individuals = []
        self.logbook = tools.Logbook()
        self.generation = 0
        self.exhausted = False
        self._first: Any = ()

    @property
    def finished(self) -> bool:
        """Whether the step reports that the search has ended."""
        return bool(getattr(self.step, "finished", False))

    def check_resumable(self) -> None:
        """Raise a ValueError if the toolbox has neither ``from_genes`` nor ``individual``."""
        if not any(callable(getattr(self.toolbox, name, None)) for name in ("individual", "from_genes")):
            raise ValueError(
                "toolbox has no 'individual'; register a function that accepts genes, or omit checkpoint"
            )

    def start_from(self, genes: NDArray[Any]) -> None:
        """Use the given genotypes as the first individuals of the initial population."""
        self._first = genes[: self.pop_size]

    def start(self) -> None:
        """Create and evaluate the initial population."""
        self.population = new_population(self.toolbox, self.pop_size, self.rng)
        self.population[: len(self._first)] = [of_genes(genes, self.toolbox) for genes in self._first]
        if hasattr(self.step, "start"):
            self._take(self.step.start(self.population, self.toolbox, self.rng))
        else:
            self._finish(self.toolbox.evaluate_population(self.population))

    def advance(self) -> None:
        """Run one generation."""
        outcome = self.step(self.population, self.toolbox, self.rng)
        if outcome is None:
            self.exhausted = not self.finished
            return
        self.generation += 1
        self._take(outcome)

    def objectives(self) -> NDArray[np.float64]:
        """Return minimised objectives: fitness values, negated if their weight is positive."""
        weights = np.array(self.population[0].fitness.weights, dtype=np.float64)
        return np.asarray(-np.sign(weights) * self._values())

    def state(self) -> searches.State:
        """Return arrays and JSON-serialisable metadata for :meth:`restore`.

        Raises a TypeError if an individual has an attribute that is not plain data.
        """
        members = {"population": self.population, "hall_of_fame": list(self.hall_of_fame or [])}
        unique = {id(individual): individual for group in members.values() for individual in group}
        row_of = {key: row for row, key in enumerate(unique)}
        table, columns = searches.to_columns([flatten(individual) for individual in unique.values()])
        arrays = searches.prefixed("individuals", table)
        for name, group in members.items():
            arrays[name] = np.array([row_of[id(individual)] for individual in group], dtype=np.int64)
        meta: dict[str, Any] = {
            "generation": self.generation,
            "exhausted": self.exhausted,
            "individuals": columns,
            "logbook": list(self.logbook),
            "rng": searches.rng_state(self.rng),
        }
        if (step := _hooks(self.step)) is not None:
            own, meta["step"] = step.checkpoint_state()
            arrays |= searches.prefixed("step", own)
        meta["toolbox"] = {}
        for name, function in _with_state(self.toolbox).items():
            own, meta["toolbox"][name] = function.checkpoint_state()
            arrays |= searches.prefixed(f"toolbox/{name}", own)
        return arrays, meta

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a saved state instead of calling :meth:`start`."""
        rows = searches.from_columns(searches.within("individuals", arrays), meta["individuals"])
        individuals = [unflatten(row, self.toolbox) for row in rows]
        self.population = [individuals[row] for row in arrays["population"]]
        if self.hall_of_fame is not None:
            self.hall_of_fame.clear()
            # The worst individuals come first, because ``insert`` places an individual before equally good
            # ones.
            for row in arrays["hall_of_fame"][::-1]:
                self.hall_of_fame.insert(individuals[row])
        self.logbook = tools.Logbook()
        for record in meta["logbook"]:
            self.logbook.record(**record)
        searches.set_rng_state(self.rng, meta["rng"])
        self.generation, self.exhausted = meta["generation"], meta["exhausted"]
        if (step := _hooks(self.step)) is not None:
            step.restore_checkpoint_state(searches.within("step", arrays), meta["step"])
        for name, function in _with_state(self.toolbox).items():
            if name in meta["toolbox"]:
                own = searches.within(f"toolbox/{name}", arrays)
                function.restore_checkpoint_state(own, meta["toolbox"][name])

    def _take(self, outcome: Any) -> None:
        report = None
        if isinstance(outcome, tuple):
            outcome, report = outcome
        self.population = list(outcome)
        self._finish(report)

    def _finish(self, report: object) -> None:
        record: dict[str, Any] = {"gen": self.generation}
        if isinstance(report, Mapping):
            record |= to_json(report)
        elif isinstance(report, (int, np.integer)):
            record["nevals"] = int(report)
        if self.statistics is None:
            record["min"], record["avg"] = searches.finite_min_and_mean(self._values())
        else:
            record |= to_json(self.statistics.compile(self.population))
        self.logbook.record(**record)
        if self.hall_of_fame is not None:
            eligible = getattr(self.step, "eligible", None)
            self.hall_of_fame.update(self.population if eligible is None else eligible(self.population))

    def _values(self) -> NDArray[np.float64]:
        return np.array([individual.fitness.values for individual in self.population], dtype=np.float64)


def _with_state(toolbox: base.Toolbox) -> dict[str, searches.Checkpointable]:
    hooks = {name: _hooks(innermost(entry)) for name, entry in vars(toolbox).items() if callable(entry)}
    return {name: hook for name, hook in hooks.items() if hook is not None}


def _hooks(owner: object) -> searches.Checkpointable | None:
    return owner if isinstance(owner, searches.Checkpointable) and not isinstance(owner, type) else None


def flatten(individual: Any) -> dict[str, Any]:
    """Return an individual's genes, fitness and other attributes, for ``to_columns``."""
    row = {"genes": np.array(individual), "wvalues": np.array(individual.fitness.wvalues, dtype=np.float64)}
    fitness = {k: v for k, v in vars(individual.fitness).items() if k != "wvalues"}
    own = {k: v for k, v in vars(individual).items() if k != "fitness"}
    row |= {_FITNESS + key: value for key, value in fitness.items()}
    return row | {_ATTRIBUTE + key: value for key, value in own.items()}


def unflatten(row: Mapping[str, Any], toolbox: base.Toolbox) -> Any:
    """Restore an individual from the output of :func:`flatten`."""
    individual = of_genes(row["genes"], toolbox)
    for key, value in row.items():
        if key.startswith(_FITNESS):
            setattr(individual.fitness, key.removeprefix(_FITNESS), value)
        elif key.startswith(_ATTRIBUTE):
            setattr(individual, key.removeprefix(_ATTRIBUTE), value)
    # Setting ``values`` would cause rounding errors, because DEAP would multiply them by the weights.
    individual.fitness.wvalues = tuple(row["wvalues"].tolist())
    return individual


def new_population(toolbox: base.Toolbox, n: int, rng: np.random.Generator) -> list[Any]:
    """Call ``toolbox.population(n=n, rng=rng)``, or omit ``rng`` if the function does not accept it."""
    options = {"n": n, "rng": rng} if can_take(toolbox.population, n=n, rng=rng) else {"n": n}
    return list(toolbox.population(**options))


def of_genes(genes: Any, toolbox: base.Toolbox) -> Any:
    """Create an individual with the given genes."""
    if callable(from_genes := getattr(toolbox, "from_genes", None)):
        return from_genes(genes)
    if can_take(toolbox.individual, genes):
        return toolbox.individual(genes)
    individual = toolbox.individual()  # DEAP's examples create random individuals
    put_genes(individual, genes)
    return individual


def can_take(function: Any, *args: Any, **keywords: Any) -> bool:
    """Return whether a function accepts the arguments; True if its signature is unknown."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    with suppress(TypeError):
        signature.bind(*args, **keywords)
        return True
    return False
