"""DEAP toolboxes as searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from deap import base, tools
from numpy.typing import NDArray

from moo_clustering.algorithms._columns import from_columns, to_columns
from moo_clustering.algorithms._prefix import prefixed, within
from moo_clustering.algorithms._rng_state import rng_state, set_rng_state
from moo_clustering.algorithms._search import Checkpointable, State

Individuals = list[Any]
Step = Callable[[Individuals, base.Toolbox, np.random.Generator], Any]

_FITNESS = "fitness."
_ATTRIBUTE = "attribute."
_EVALUATIONS = "nevals"


class DeapSearch:
    """A :class:`Search` over a DEAP toolbox.

    Parameters
    ----------
    toolbox : deap.base.Toolbox
        With ``population(n=, rng=)`` that makes a list of individuals (numpy arrays or lists with a
        ``fitness``), ``evaluate_population(population)`` that sets the fitness of all and may return
        the number of evaluations, and ``individual(genes)`` that makes one from its genes (only
        needed for checkpoints).
    step : callable
        ``step(population, toolbox, rng)`` does one generation and returns the next population with
        its fitness set, or ``(population, n_evaluations)``, or None when no new individuals can be
        made. A step with state of its own offers ``checkpoint_state()`` and
        ``restore_checkpoint_state(arrays, meta)``.
    rng : Generator
        What ``population`` and ``step`` draw from.
    pop_size : int
    hall_of_fame : deap.tools.HallOfFame, optional
        Updated with every generation, and part of the state.

    Attributes
    ----------
    population : list
    logbook : deap.tools.Logbook
        ``gen``, ``nevals`` (where reported), and ``min`` and ``avg``, each a list of one natural
        fitness value for each objective.
    generation : int
    exhausted : bool

    Raises
    ------
    TypeError, ValueError
        For a toolbox that lacks a function, or a bad ``rng`` or ``pop_size``.

    Notes
    -----
    The state holds genes, fitness, crowding distance and other plain attributes of the individuals,
    the generator, logbook, hall of fame and the step's own state. Going on from it is bit-identical
    when ``step`` draws from ``rng`` only.
    """

    def __init__(
        self,
        toolbox: base.Toolbox,
        step: Step,
        *,
        rng: np.random.Generator,
        pop_size: int,
        hall_of_fame: tools.HallOfFame | None = None,
    ) -> None:
        for name in ("population", "evaluate_population"):
            if not callable(getattr(toolbox, name, None)):
                raise ValueError(f"toolbox has no {name!r}; register one")
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
        if isinstance(pop_size, bool) or not isinstance(pop_size, (int, np.integer)):
            raise TypeError(f"pop_size must be a positive integer, got {pop_size!r}")
        if pop_size < 1:
            raise ValueError(f"pop_size must be a positive integer, got {pop_size}")
        self.toolbox = toolbox
        self.step = step
        self.rng = rng
        self.pop_size = int(pop_size)
        self.hall_of_fame = hall_of_fame
        self.population: Individuals = []
        self.logbook = tools.Logbook()
        self.generation = 0
        self.exhausted = False

    def check_resumable(self) -> None:
        """Refuse a toolbox that cannot make individuals from their genes.

        Raises
        ------
        ValueError
        """
        if not callable(getattr(self.toolbox, "individual", None)):
            raise ValueError(
                "toolbox has no 'individual'; register one that takes genes, or leave checkpoint out"
            )

    def start(self) -> None:
        """Make and evaluate the initial population."""
        self.population = list(self.toolbox.population(n=self.pop_size, rng=self.rng))
        self._finish(self.toolbox.evaluate_population(self.population))

    def advance(self) -> None:
        """Do one generation."""
        outcome = self.step(self.population, self.toolbox, self.rng)
        if outcome is None:
            self.exhausted = True
            return
        n_evaluations = None
        if isinstance(outcome, tuple):
            outcome, n_evaluations = outcome
        self.population = list(outcome)
        self.generation += 1
        self._finish(n_evaluations)

    def objectives(self) -> NDArray[np.float64]:
        """Fitness values to be minimised: natural where the weight is negative, negated otherwise."""
        weights = np.array(self.population[0].fitness.weights, dtype=np.float64)
        return np.asarray(-np.sign(weights) * self._values())

    def state(self) -> State:
        """Arrays and JSON-able metadata from which :meth:`restore` goes on.

        Raises
        ------
        TypeError
            When an individual has an attribute that is no plain data.
        """
        unique: dict[int, Any] = {}
        for individual in [*self.population, *(self.hall_of_fame or [])]:
            unique.setdefault(id(individual), individual)
        row_of = {key: row for row, key in enumerate(unique)}
        table, columns = to_columns([_flatten(individual) for individual in unique.values()])
        arrays = prefixed("individuals", table)
        arrays["population"] = np.array([row_of[id(i)] for i in self.population], dtype=np.int64)
        arrays["hall_of_fame"] = np.array([row_of[id(i)] for i in self.hall_of_fame or []], dtype=np.int64)
        meta: dict[str, Any] = {
            "generation": self.generation,
            "exhausted": self.exhausted,
            "individuals": columns,
            "logbook": list(self.logbook),
            "rng": rng_state(self.rng),
        }
        if (step := _hooks(self.step)) is not None:
            own, meta["step"] = step.checkpoint_state()
            arrays |= prefixed("step", own)
        return arrays, meta

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over a state, in place of :meth:`start`."""
        rows = from_columns(within("individuals", arrays), meta["individuals"])
        individuals = [self._individual(row) for row in rows]
        self.population = [individuals[row] for row in arrays["population"]]
        if self.hall_of_fame is not None:
            self.hall_of_fame.clear()
            # worst first: of equals, the one inserted later goes before
            for row in arrays["hall_of_fame"][::-1]:
                self.hall_of_fame.insert(individuals[row])
        self.logbook = tools.Logbook()
        for record in meta["logbook"]:
            self.logbook.record(**record)
        set_rng_state(self.rng, meta["rng"])
        self.generation = meta["generation"]
        self.exhausted = meta["exhausted"]
        if (step := _hooks(self.step)) is not None:
            step.restore_checkpoint_state(within("step", arrays), meta["step"])

    def _finish(self, n_evaluations: object) -> None:
        values = self._values()
        record: dict[str, Any] = {"gen": self.generation}
        if isinstance(n_evaluations, (int, np.integer)):
            record[_EVALUATIONS] = int(n_evaluations)
        record |= {"min": values.min(axis=0).tolist(), "avg": values.mean(axis=0).tolist()}
        self.logbook.record(**record)
        if self.hall_of_fame is not None:
            self.hall_of_fame.update(self.population)

    def _values(self) -> NDArray[np.float64]:
        return np.array([individual.fitness.values for individual in self.population], dtype=np.float64)

    def _individual(self, row: Mapping[str, Any]) -> Any:
        individual = self.toolbox.individual(row["genes"])
        for key, value in row.items():
            if key.startswith(_FITNESS):
                setattr(individual.fitness, key.removeprefix(_FITNESS), value)
            elif key.startswith(_ATTRIBUTE):
                setattr(individual, key.removeprefix(_ATTRIBUTE), value)
        # what DEAP keeps and compares, taken as it was instead of through a division and a product
        individual.fitness.wvalues = tuple(row["wvalues"].tolist())
        return individual


def _hooks(step: object) -> Checkpointable | None:
    return step if isinstance(step, Checkpointable) else None


def _flatten(individual: Any) -> dict[str, Any]:
    row = {
        "genes": np.array(individual),
        "wvalues": np.array(individual.fitness.wvalues, dtype=np.float64),
    }
    fitness = {k: v for k, v in vars(individual.fitness).items() if k != "wvalues"}
    own = {k: v for k, v in vars(individual).items() if k != "fitness"}
    row |= {_FITNESS + key: value for key, value in fitness.items()}
    return row | {_ATTRIBUTE + key: value for key, value in own.items()}
