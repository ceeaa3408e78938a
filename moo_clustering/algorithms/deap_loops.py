"""DEAP-style loops and steps: genetic K-means, genetic clustering for unknown K, and CHC."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from operator import attrgetter
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from deap import base, tools
from numpy.random import Generator
from numpy.typing import NDArray

from moo_clustering._arrays import choice, integer, positive, probability, quoted
from moo_clustering._docs import Documented, documented
from moo_clustering.algorithms.search import State, finite_statistics
from moo_clustering.operators.deap.individuals import apply_batch, batch_map, n_trials

ThresholdRule = Literal["no_crossing", "no_acceptance"]
Individuals = list[Any]
Key = Callable[[Any], Hashable]
_quality = attrgetter("fitness.wvalues")
Columns = dict[str, Any]
Outcome = tuple[Individuals, Columns]
Legal = Callable[[Any], bool]
# Docstring sections of all loops. :func:`~moo_clustering._docs.documented` adds them to docstrings.
LOOP = """
Parameters
----------
population : list
    Lists or arrays of genes with a ``fitness`` for one objective, minimised or maximised. The list is updated
    in place. Individuals with a valid fitness are not evaluated again.
toolbox : deap.base.Toolbox
    Toolbox with the functions that the step requires.
ngen : int
    Number of generations after the initial population. A generation of P individuals takes O(P) evaluations
    and O(P n_var) other operations.
stats : deap.tools.Statistics, optional
    Default: minimum, mean, standard deviation and maximum of the finite fitness values.
halloffame : deap.tools.HallOfFame, optional
    For NumPy individuals, create it with ``similar=numpy.array_equal``.
rng : numpy.random.Generator, optional
    Generator used by the step; toolbox functions use their own. Default: a new generator.
verbose : bool
    Print the logbook during the run.
**options
    Parameters of the step. For checkpoints, a progress bar or Ctrl-C handling, run a :class:`DeapSearch` of
    the step with :func:`drive`.

Returns
-------
population : list
    The list that was passed in.
logbook : deap.tools.Logbook
    One record per generation: ``gen``, ``nevals``, ``ntrials``, any columns listed above, and the fields of
    ``stats``.

Raises
------
TypeError, ValueError
    If an option is invalid, if the toolbox lacks a function, or if there are several objectives or NaNs.
"""


def _loop(make_step: Callable[..., CountedStep]) -> Callable[..., tuple[Individuals, tools.Logbook]]:
    """Turn a function that creates a step into a loop with the same name and docstring."""

    def loop(
        population: Individuals,
        toolbox: base.Toolbox,
        ngen: int,
        *,
        stats: Any = None,
        halloffame: Any = None,
        rng: Generator | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> tuple[Individuals, tools.Logbook]:
        step = make_step(**options)
        ngen = integer("ngen", ngen, 0)
        if not isinstance(population, list):
            raise TypeError(f"population must be a list of individuals, got {quoted(population)}")
        if rng is not None and not isinstance(rng, Generator):
            raise TypeError(f"rng must be a numpy.random.Generator or None, got {quoted(rng)}")
        rng = np.random.default_rng() if rng is None else rng
        stats = finite_statistics() if stats is None else stats
        logbook = tools.Logbook()
        logbook.header = ["gen", *step.columns, *stats.fields]
        for gen in range(ngen + 1):
            outcome = step(population, toolbox, rng) if gen else step.start(population, toolbox, rng)
            if outcome is None:
                break
            population[:], columns = outcome
            if halloffame is not None:
                halloffame.update(step.eligible(population))
            logbook.record(gen=gen, **columns, **stats.compile(population))
            if verbose:
                with suppress(OSError, ValueError):  # the standard output may be closed or full
                    print(logbook.stream)
        return population, logbook

    loop.__name__ = loop.__qualname__ = make_step.__name__
    loop.__doc__ = make_step.__doc__
    return documented(LOOP)(loop)


@_loop
def gka(**options: Any) -> CountedStep:
    """Run genetic K-means, which repeats :class:`GkaStep`: selection, mutation and K-means, but no crossover.

    Sources: Evolutionary multi-instance clustering (MIGKA, MIFGKA); K. Krishna, M. N. Murty, "Genetic K-means
    algorithm", IEEE Transactions on Systems, Man, and Cybernetics B 29 (1999).
    """
    return GkaStep(**options)


@_loop
def gcuk(**options: Any) -> CountedStep:
    """Run genetic clustering for unknown K, which repeats :class:`GcukStep`.

    The logbook column ``ncross`` is the number of crossed pairs. Sources: Evolutionary multi-instance
    clustering (MIGCUK); Bandyopadhyay, Maulik, Pattern Recognition 35, 2002.
    """
    return GcukStep(**options)


@_loop
def chc(**options: Any) -> CountedStep:
    """Run CHC, which repeats :class:`ChcStep`: elitist survival, crossover of distant parents, and restarts.

    Additional logbook columns are ``ncross`` (crossed pairs), ``accepted`` (surviving children), ``d``
    (threshold after the generation) and ``restart`` (0 or 1). Sources: L. J. Eshelman, "The CHC adaptive
    search algorithm", Foundations of Genetic Algorithms 1 (1991), with ``threshold_rule="no_acceptance"``;
    Evolutionary multi-instance clustering (CHCMIC).

    Examples
    --------
    >>> from deap import base, creator, tools
    >>> from moo_clustering.operators.deap import ArrayIndividual, Minimize
    >>> rng = np.random.default_rng(0)
    >>> def mate(a, b):
    ...     swap = rng.random(len(a)) < 0.5
    ...     a[swap], b[swap] = b[swap], a[swap]
    ...     return a, b
    >>> toolbox = base.Toolbox()
    >>> toolbox.register("individual", lambda: ArrayIndividual(rng.integers(2, size=20), Minimize))
    >>> toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    >>> toolbox.register("evaluate", lambda individual: (float(individual.sum()),))
    >>> toolbox.register("mate", mate)
    >>> population, logbook = chc(toolbox.population(n=30), toolbox, 40, rng=rng)
    >>> logbook[-1]["min"]
    0.0
    """
    return ChcStep(**options)


class CountedStep(Documented, ABC):
    """One generation of a search with an evaluation budget, for :class:`DeapSearch` and this module's loops.

    Subclasses implement ``_generation`` and ``_needed``, and list their logbook columns in ``columns``.

    Parameters
    ----------
    mutpb, kmpb : float
        Probability of ``mutate``, and then of ``km``, for each child. Unchanged children are not evaluated.
    max_evals : int, optional
        Maximum number of evaluations, including the initial population and trial evaluations by ``mutate``.
        It can be exceeded only if ``mutate`` is not batched. Children for which no evaluation is left are
        dropped in CHC, and replaced with the best parents in other searches.

    Attributes
    ----------
    evaluations, trials : int
        Numbers of evaluations and trial evaluations so far.
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
        """Number of remaining evaluations, or None if there is no limit."""
        if self.max_evals is None:
            return None
        return max(self.max_evals - self.evaluations - self.trials, 0)

    @property
    def finished(self) -> bool:
        """Whether the evaluation budget is exhausted."""
        return self.left == 0

    def start(self, population: Individuals, toolbox: base.Toolbox, rng: Generator) -> Outcome:
        """Reset the step, and evaluate those initial individuals that have no valid fitness.

        Makes at most ``max_evals`` evaluations. Returns the individuals with a fitness, and logbook columns.
        Raises a ValueError if the population is empty or has several objectives, or if a function is missing.
        """
        self._check(population, toolbox)
        self.evaluations = self.trials = 0
        if callable(getattr(toolbox, "repair", None)):  # a repair must not modify the caller's individuals
            population = [one if one.fitness.valid else toolbox.clone(one) for one in population]
        population = self._evaluated(population, toolbox)
        columns = dict.fromkeys(self.columns, 0) | {"nevals": self.evaluations} | self._begin(population)
        return population, columns

    def __call__(self, population: Individuals, toolbox: base.Toolbox, rng: Generator) -> Outcome | None:
        """Return the next population and its logbook columns, or None if the search is :attr:`finished`."""
        if self.finished:
            return None
        evaluations, trials = self.evaluations, self.trials
        population, columns = self._generation(population, toolbox, rng)
        columns |= {"nevals": self.evaluations - evaluations, "ntrials": self.trials - trials}
        return population, {name: columns[name] for name in self.columns}

    def eligible(self, population: Individuals) -> Individuals:
        """Return the individuals that may enter the hall of fame."""
        return population

    def checkpoint_state(self) -> State:
        """Return arrays and JSON-serialisable metadata for :meth:`restore_checkpoint_state`."""
        return {}, {"evaluations": self.evaluations, "trials": self.trials}

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore the state that :meth:`checkpoint_state` returned."""
        self.evaluations, self.trials = meta["evaluations"], meta["trials"]

    @abstractmethod
    def _generation(self, population: Individuals, toolbox: base.Toolbox, rng: Generator) -> Outcome:
        """Run one generation without modifying the individuals of ``population``."""

    @abstractmethod
    def _needed(self) -> list[str]:
        """Return the names of the functions that the toolbox must contain."""

    def _begin(self, population: Individuals) -> Columns:
        return {}

    def _evaluated(self, individuals: Individuals, toolbox: base.Toolbox) -> Individuals:
        """Evaluate the individuals without a fitness, and return all individuals that then have one.

        If the budget is too small, the remaining individuals are dropped.
        """
        new = [individual for individual in individuals if not individual.fitness.valid][: self.left]
        if new and callable(repair := getattr(toolbox, "repair", None)):
            repaired = dict(zip(map(id, new), apply_batch(repair, new), strict=True))
            individuals = [repaired.get(id(individual), individual) for individual in individuals]
            new = list(repaired.values())
        for individual, values in zip(new, toolbox.map(toolbox.evaluate, new), strict=True):
            if any(value != value for value in values):
                raise ValueError(
                    f"toolbox.evaluate returned NaN as an objective of {individual!r}; return an infinite "
                    "value instead"
                )
            individual.fitness.values = values
        self.evaluations += len(new)
        return [individual for individual in individuals if individual.fitness.valid]

    def _mutated(self, children: Individuals, toolbox: base.Toolbox, rng: Generator) -> Individuals:
        """Apply ``mutate`` and ``km`` to random children in place, and drop children beyond the budget."""
        mutate = rng.random(len(children)) < self.mutpb
        km = rng.random(len(children)) < self.kmpb
        new = mutate | km | np.array([not child.fitness.valid for child in children], dtype=bool)
        children, max_trials = list(children), None
        if (left := self.left) is not None:
            # One evaluation is reserved per child, because trial evaluations could otherwise exhaust the
            # budget.
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
        mutate: Any = getattr(toolbox, "mutate", None)
        before = n_trials(mutate) or 0
        yield
        self.trials += (n_trials(mutate) or 0) - before

    def _check(self, population: Individuals, toolbox: base.Toolbox) -> None:
        if not len(population):
            raise ValueError("population must contain at least one individual")
        weights = population[0].fitness.weights
        if len(weights) != 1:
            raise ValueError(
                f"{type(self).__name__} requires one objective, got fitness weights {tuple(weights)}"
            )
        needed = ["evaluate", "clone", "map", *self._needed()]
        needed += ["mutate"] * (self.mutpb > 0) + ["km"] * (self.kmpb > 0)
        for name in needed:
            if not callable(getattr(toolbox, name, None)):
                raise ValueError(
                    f"toolbox has no {name!r}, which {type(self).__name__} calls; register it"
                    + {"mutate": ", or set mutpb=0", "km": ", or set kmpb=0"}.get(name, "")
                )


def _apply(func: Any, children: Individuals, chosen: NDArray[Any], max_trials: int | None = None) -> None:
    where = np.flatnonzero(chosen)
    if len(where):
        changed = apply_batch(func, [children[i] for i in where], max_trials)
        for i, child in zip(where, changed, strict=True):
            children[i] = child


class GenerationalStep(CountedStep):
    """One generation of selection, crossover, mutation and replacement, with an elite of one individual.

    Parameters
    ----------
    elitism : {1, 0}
        Whether the best individual so far replaces the worst new one, if it is better than all new ones.
    legal : callable, optional
        ``legal(individual) -> bool``, optionally with a method ``legal.batch(matrix)``. Illegal individuals
        can be selected, but cannot become the elite or enter the hall of fame.
    """

    def __init__(self, *, cxpb: float, elitism: int, legal: Legal | None, **options: Any) -> None:
        super().__init__(**options)
        self.cxpb = probability("cxpb", cxpb)
        self.elitism = integer("elitism", elitism, 0)
        if self.elitism > 1:
            raise ValueError(f"elitism must be 0 or 1, got {elitism}")
        if legal is not None and not callable(legal):
            raise TypeError(f"legal must be a function or None, got {quoted(legal)}")
        self.legal = legal

    def eligible(self, population: Individuals) -> Individuals:
        """Return only the legal individuals."""
        if self.legal is None:
            return population
        flags = [np.all(flag) for flag in batch_map(self.legal, population)]
        return [individual for individual, flag in zip(population, flags, strict=True) if flag]

    def _needed(self) -> list[str]:
        return ["select"] + ["mate"] * (self.cxpb > 0)

    def _generation(self, population: Individuals, toolbox: base.Toolbox, rng: Generator) -> Outcome:
        # With elitism, the population always contains the best individual found so far.
        best = self._best(population) if self.elitism else None
        children = [toolbox.clone(parent) for parent in toolbox.select(population, len(population))]
        n_crossed = self._cross(children, toolbox, rng)
        children = self._evaluated(self._mutated(children, toolbox, rng), toolbox)
        if (n_missing := len(population) - len(children)) > 0:
            children += sorted(population, key=_quality, reverse=True)[:n_missing]
        if best is not None:
            rival = self._best(children)
            if rival is None or best.fitness > rival.fitness:
                worst = min(range(len(children)), key=lambda i: (_quality(children[i]), -i))
                children[worst] = best
        return children, {"ncross": n_crossed}

    def _cross(self, children: Individuals, toolbox: base.Toolbox, rng: Generator) -> int:
        crossed = np.flatnonzero(rng.random(len(children) // 2) < self.cxpb)
        for i in 2 * crossed:
            children[i : i + 2] = toolbox.mate(children[i], children[i + 1])
            for child in children[i : i + 2]:
                del child.fitness.values
        return len(crossed)

    def _best(self, population: Individuals) -> Any:
        return max(self.eligible(population), key=_quality, default=None)


class GkaStep(GenerationalStep):
    """One generation of the genetic K-means algorithm, for :func:`gka`, :class:`DeapSearch` or custom loops.

    The toolbox must have ``evaluate(individual)`` and ``select(population, k)``. It must also have
    ``mutate(individual)`` if ``mutpb`` > 0, and ``km(individual)`` (K-means) if ``kmpb`` > 0. An optional
    ``repair(individual)`` is applied to new individuals before evaluation. The step passes no generator to
    them. For a minimised objective, register ``sel_roulette_min`` or ``SelRouletteLegal`` from
    ``moo_clustering.operators.deap`` as ``select``. To evaluate in batches, register ``batch_map`` from this
    module as ``map``.
    """

    def __init__(
        self,
        *,
        mutpb: float = 0.8,
        kmpb: float = 0.2,
        elitism: int = 1,
        legal: Legal | None = None,
        max_evals: int | None = None,
    ) -> None:
        super().__init__(cxpb=0.0, mutpb=mutpb, kmpb=kmpb, elitism=elitism, legal=legal, max_evals=max_evals)


class GcukStep(GenerationalStep):
    """One generation of genetic clustering for unknown K, for :func:`gcuk` or :class:`DeapSearch`.

    The toolbox must have the functions for :class:`GkaStep` and, if ``cxpb`` > 0, ``mate(first, second)``.

    Parameters
    ----------
    cxpb : float, default=0.2
        Probability of crossing each pair of consecutively selected individuals.
    mutpb : float, default=0.3
        Probability of mutating each individual after crossover. Unchanged individuals are not reevaluated.
    """

    columns = ("nevals", "ntrials", "ncross")

    def __init__(
        self,
        *,
        cxpb: float = 0.2,
        mutpb: float = 0.3,
        elitism: int = 1,
        legal: Legal | None = None,
        max_evals: int | None = None,
    ) -> None:
        super().__init__(cxpb=cxpb, mutpb=mutpb, kmpb=0.0, elitism=elitism, legal=legal, max_evals=max_evals)


class ChcStep(CountedStep):
    """One generation of CHC, for :func:`chc`, :class:`DeapSearch` or custom loops.

    The step pairs individuals at random, crosses pairs whose distance exceeds a threshold ``d``, and selects
    the best of the parents and children. ``threshold_rule`` defines when ``d`` decreases; when
    ``d`` reaches 0, a restart replaces all but the best individuals.

    The toolbox must have ``mate(first, second)`` and the functions that :class:`GkaStep` requires, except
    ``select``. It must also have ``individual()`` unless ``restart`` is set. A function ``distance(first,
    second)`` is optional; by default, the distance is the number of differing genes.

    Parameters
    ----------
    threshold : float, optional
        Initial ``d``. Default: max(1, n_var // 4).
    n_keep : int, default=10
        Number of best individuals that a restart keeps; at least one individual is always replaced.
    threshold_rule : {"no_crossing", "no_acceptance"}, default="no_crossing"
        ``d`` decreases if no pair was crossed or, with ``"no_acceptance"``, if no child survived.
    mutate : {"children", "population"}, default="children"
        With ``"population"``, ``mutate`` and ``km`` also change copies of all parents, which become children.
    step : float, default=1
        Amount by which ``d`` decreases.
    restart : callable, optional
        ``restart(best, n_new, rng)`` must return ``n_new`` individuals; ``best`` contains clones of the
        ``n_keep`` best individuals. Default: ``toolbox.individual()``.
    restart_threshold : float, optional
        ``d`` after a restart. Default: ``threshold``.
    unique : callable, optional
        Function that returns an individual's hashable key, such as ``toolbox.key``. Of the individuals with
        equal keys, only the best survives, unless there are too few distinct keys to fill the population.

    Attributes
    ----------
    d : int, float or None
        Current threshold; None before the start.
    restarts : int
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
        restart: Callable[[Individuals, int, Generator], Individuals] | None = None,
        restart_threshold: float | None = None,
        max_evals: int | None = None,
        unique: Key | None = None,
    ) -> None:
        super().__init__(mutpb=mutpb, kmpb=kmpb, max_evals=max_evals)
        self.threshold = None if threshold is None else positive("threshold", threshold)
        self.n_keep = integer("n_keep", n_keep, 1)
        self.threshold_rule: ThresholdRule = choice("threshold_rule", threshold_rule, get_args(ThresholdRule))
        self.mutate: str = choice("mutate", mutate, ("children", "population"))
        self.step = positive("step", step)
        for name, value in (("restart", restart), ("unique", unique)):
            if value is not None and not callable(value):
                raise TypeError(f"{name} must be a function or None, got {quoted(value)}")
        self.restart, self.unique = restart, unique
        if restart_threshold is not None:
            restart_threshold = positive("restart_threshold", restart_threshold)
        self.restart_threshold = restart_threshold
        self.d: int | float | None = None
        self.restarts = 0

    def checkpoint_state(self) -> State:
        arrays, meta = super().checkpoint_state()
        return arrays, meta | {"d": self.d, "restarts": self.restarts}

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        super().restore_checkpoint_state(arrays, meta)
        self.d, self.restarts = meta["d"], meta["restarts"]

    def _needed(self) -> list[str]:
        return ["mate"] + ["individual"] * (self.restart is None)

    def _begin(self, population: Individuals) -> Columns:
        self.restarts, self.d = 0, self._first_threshold(population)
        return {"d": self.d}

    def _first_threshold(self, population: Individuals) -> int | float:
        return max(len(population[0]) // 4, 1) if self.threshold is None else self.threshold

    def _generation(self, population: Individuals, toolbox: base.Toolbox, rng: Generator) -> Outcome:
        d = self._first_threshold(population) if self.d is None else self.d
        children = self._crossed(population, toolbox, rng, d)
        n_crossed = len(children) // 2
        if self.mutate == "population":
            children += [toolbox.clone(individual) for individual in population]
        children = self._mutated(children, toolbox, rng)
        children = [child for child in children if not child.fitness.valid]  # drop unchanged copies
        children = self._evaluated(children, toolbox)
        population, n_accepted = self._survivors(population, children)
        if (n_crossed if self.threshold_rule == "no_crossing" else n_accepted) == 0:
            d -= self.step
        self.d = d
        restart = d <= 0 and not self.finished
        if restart:
            population = self._restarted(population, toolbox, rng)
        return population, {"ncross": n_crossed, "accepted": n_accepted, "d": self.d, "restart": int(restart)}

    def _crossed(
        self, population: Individuals, toolbox: base.Toolbox, rng: Generator, d: float
    ) -> Individuals:
        """Pair individuals at random, and return the children of the pairs whose distance exceeds ``d``."""
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
        """Return the best of the parents and children, and the number of children among the best."""
        pool = sorted([*population, *children], key=_quality, reverse=True)  # stable, so parents win ties
        if self.unique is not None:
            pool = _repeated_last(pool, self.unique)
        pool = pool[: len(population)]
        new = {id(child) for child in children}
        return pool, sum(id(individual) in new for individual in pool)

    def _restarted(self, population: Individuals, toolbox: base.Toolbox, rng: Generator) -> Individuals:
        """Keep the best individuals, and replace all others with new individuals within the budget."""
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

    def _new(self, best: Individuals, n_new: int, toolbox: base.Toolbox, rng: Generator) -> Individuals:
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
    """Count the genes in which two individuals differ, or raise a ValueError if their lengths differ."""
    if len(first) != len(second):
        raise ValueError(
            f"the Hamming distance is undefined for individuals with {len(first)} and {len(second)} "
            "genes; register 'distance' in the toolbox"
        )
    return int(np.count_nonzero(np.asarray(first) != np.asarray(second)))


class MemeticChcStep(ChcStep):
    """A :class:`ChcStep` that also mutates part of the initial population, and new individuals in restarts.

    If ``toolbox.mutate`` descends to a local optimum and ``mutpb=1``, all children are local optima.

    Parameters
    ----------
    optima : float, default=0.5
        Fraction of the initial population to mutate, starting from the first individual.
    **options
        Options of :class:`ChcStep`.
    """

    def __init__(self, *, optima: float = 0.5, **options: Any) -> None:
        super().__init__(**options)
        self.optima = probability("optima", optima)

    def start(self, population: Individuals, toolbox: base.Toolbox, rng: Generator) -> Outcome:
        """Evaluate the initial population, then mutate and evaluate its first individuals."""
        population, columns = super().start(population, toolbox, rng)
        count = round(self.optima * len(population))
        if self.left is not None:
            count = min(count, self.left)
        if count:
            first = [toolbox.clone(individual) for individual in population[:count]]
            with self._counting_trials(toolbox):
                first = apply_batch(toolbox.mutate, first, None if self.left is None else self.left - count)
            population = [*self._evaluated(first, toolbox), *population[count:]]
        return population, columns | {"nevals": self.evaluations, "ntrials": self.trials}

    def _new(self, best: Individuals, n_new: int, toolbox: base.Toolbox, rng: Generator) -> Individuals:
        # One evaluation is reserved per new individual. The caller counts the trial evaluations.
        limit = None if self.left is None else self.left - n_new
        return apply_batch(toolbox.mutate, super()._new(best, n_new, toolbox, rng), limit)
