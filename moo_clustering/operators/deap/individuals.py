"""Array individuals for DEAP, fitness classes, batched maps, and pymoo operators as DEAP functions."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from functools import partial
from typing import Any, Self

import numpy as np
from deap import base
from numpy.typing import ArrayLike, DTypeLike, NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.repair import NoRepair, Repair

from moo_clustering._arrays import SeedLike, instance
from moo_clustering._docs import documented
from moo_clustering.operators.base import children_of

Individual = Any
Individuals = list[Any]
Function = Callable[..., Any]
CHUNK_BYTES = 1 << 26


class Minimize(base.Fitness):
    """Fitness with one minimised objective."""

    weights = (-1.0,)


class MinimizeTwo(base.Fitness):
    """Fitness with two minimised objectives."""

    weights = (-1.0, -1.0)


class MedoidFitness(base.Fitness):
    """Fitness with the Xie-Beni index (minimised) and the I-index (maximised)."""

    weights = (-1.0, 1.0)


class SupervisedMedoidFitness(base.Fitness):
    """Fitness with Xie-Beni index (minimised), I-index (maximised), constraint violation (minimised)."""

    weights = (-1.0, 1.0, -1.0)


class ArrayIndividual(np.ndarray):
    """Array of genes with a ``fitness``. A list would be slower, and would take about 30 bytes per gene.

    Deep copies and pickles include the fitness and all other attributes; slices do not. ``==`` compares
    elementwise, so pass ``similar=numpy.array_equal`` to ``deap.tools.HallOfFame`` and ``ParetoFront``.

    Parameters
    ----------
    genes : array-like of shape (n_var,)
    fitness : type, default=MinimizeTwo
        Subclass of :class:`deap.base.Fitness`.
    """

    fitness: Any

    def __new__(cls, genes: ArrayLike, fitness: type[base.Fitness] = MinimizeTwo) -> Self:
        individual = np.array(genes).view(cls)
        individual.fitness = fitness()
        return individual

    def __array_finalize__(self, obj: Any) -> None:
        self.fitness = None

    def __bool__(self) -> bool:
        # DEAP's HallOfFame and ParetoFront compare individuals by the truth value of ``a == b``.
        return bool(np.asarray(self).all() if self.dtype == bool else np.asarray(self))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        twin: Self = _rebuild(type(self), self, deepcopy(vars(self), memo))
        if self.fitness is not None:
            # DEAP's deep copy of a fitness lacks attributes such as ``crowding_dist``.
            twin.fitness = copy(self.fitness)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), np.asarray(self), vars(self))


def _rebuild(cls: type[Any], genes: Any, attributes: dict[str, Any]) -> Any:
    individual = np.array(genes).view(cls)
    vars(individual).update(attributes)
    return individual


class CenterIndividual(ArrayIndividual):
    """Individual with centre coordinates as genes, and the attributes ``mix`` and ``labels``.

    Parameters
    ----------
    genes : array-like of shape (n_clusters * n_features,)
    fitness : type, default=Minimize
    mix : float, optional
        Probability that :func:`mut_relocate` draws a centre's new position uniformly.
    """

    mix: float | None = None
    labels: Any = None

    def __new__(
        cls, genes: ArrayLike, fitness: type[base.Fitness] = Minimize, mix: float | None = None
    ) -> Self:
        individual = super().__new__(cls, np.array(genes, dtype=np.float64), fitness)
        individual.mix = mix
        return individual


class MedoidIndividual(ArrayIndividual):
    """Individual with medoid indices as genes, padded with -1.

    Parameters
    ----------
    genes : array-like of shape (k_max,)
    fitness : type, default=MedoidFitness
    """

    def __new__(cls, genes: ArrayLike, fitness: type[base.Fitness] = MedoidFitness) -> Self:
        return super().__new__(cls, np.asarray(genes, dtype=np.int64), fitness)


def as_mate(
    crossover: Crossover, problem: Any, *, seed: SeedLike = None, repair: Repair | None = None
) -> Callable[..., tuple[Individual, Individual]]:
    """Convert a pymoo crossover to a DEAP function ``mate(first, second)``.

    The function modifies both individuals in place, deletes their fitness, and returns them. The crossover's
    ``prob`` is ignored, because the caller decides which pairs to cross.

    Parameters
    ----------
    crossover : pymoo.core.crossover.Crossover
        Crossover of two parents. If it produces a single child, both individuals become copies of the child.
    problem : pymoo.core.problem.Problem
        Problem to pass to the crossover and the repair.
    seed : int, Generator or None, default=None
        Seed of a generator, which is used by all calls whose last argument is not a generator.
    repair : pymoo.core.repair.Repair, optional
        Repair of the children. Default: the ``repair`` of ``problem.operators()``, if any.

    Returns
    -------
    callable
    """
    own, repair = np.random.default_rng(seed), _repair_for(problem, repair)
    if instance("crossover", crossover, Crossover, "a pymoo Crossover").n_parents != 2:
        raise ValueError(
            f"DEAP mates two individuals, but {type(crossover).__name__} requires "
            f"{crossover.n_parents} parents; use a crossover with two parents"
        )

    def mate(
        first: Individual, second: Individual, rng: np.random.Generator | None = None
    ) -> tuple[Individual, Individual]:
        rng = own if rng is None else rng
        parents = np.stack([np.asarray(first), np.asarray(second)])[:, None, :]
        made = crossover._do(problem, parents, random_state=rng)
        children = children_of(crossover, made, (crossover.n_offsprings, *parents.shape[1:]))[:, 0]
        children = children_of(repair, repair._do(problem, children, random_state=rng), children.shape)
        put_genes(first, children[0])
        put_genes(second, children[-1])
        return first, second

    return mate


@documented(as_mate)
def as_mutate(
    mutation: Mutation, problem: Any, *, seed: SeedLike = None, repair: Repair | None = None
) -> Callable[..., tuple[Individual]]:
    """Convert a pymoo mutation to an in-place DEAP function ``mutate(individual) -> (individual,)``.

    Parameters
    ----------
    mutation : pymoo.core.mutation.Mutation
        Mutation. Its ``prob`` is ignored, because DEAP decides which individuals to mutate.
    """
    own, repair = np.random.default_rng(seed), _repair_for(problem, repair)
    instance("mutation", mutation, Mutation, "a pymoo Mutation")

    def mutate(individual: Individual, rng: np.random.Generator | None = None) -> tuple[Individual]:
        rng = own if rng is None else rng
        genes = np.asarray(individual)[None, :]
        mutant = children_of(mutation, mutation._do(problem, genes, random_state=rng), genes.shape)
        mutant = children_of(repair, repair._do(problem, mutant, random_state=rng), genes.shape)
        put_genes(individual, mutant[0])
        return (individual,)

    return mutate


def _repair_for(problem: Any, repair: Repair | None) -> Any:
    if repair is None and hasattr(problem, "operators"):
        repair = problem.operators().get("repair")
    return NoRepair() if repair is None else repair


def batch_map(func: Function, *sequences: Iterable[Any]) -> list[Any]:
    """Map a function over individuals, in batches if possible; for use as ``toolbox.map``.

    Raises a ValueError if ``batch`` returns values of the wrong shape. Batches take at most 64 MiB.
    Individuals are evaluated one at a time if their lengths differ, or if the function has a decorator,
    because ``batch`` would bypass it.

    Parameters
    ----------
    func : callable
        Function of one individual, or a ``functools.partial`` of such a function. If it has a method
        ``batch(matrix)``, this method is called with a matrix of shape (n, n_var) and the bound arguments,
        and must return values of shape (n,) or (n, n_objectives).
    *sequences : iterable
        Individuals. If several sequences are passed, the built-in ``map`` is used.

    Returns
    -------
    list
        One tuple of floats per individual, as in ``list(map(func, *sequences))``.

    Examples
    --------
    >>> def evaluate(individual):
    ...     return (float(sum(individual)),)
    >>> evaluate.batch = lambda matrix: matrix.sum(axis=1)
    >>> batch_map(evaluate, [[1, 2], [3, 4]])
    [(3.0,), (7.0,)]
    """
    if len(sequences) != 1:
        return list(map(func, *sequences))
    individuals = list(sequences[0])
    batch = batch_form(func)
    if batch is None or not _same_length(individuals):
        return list(map(func, individuals))
    results: list[Any] = []
    for chunk in _chunks(individuals):
        values = np.asarray(batch(stacked(chunk)), dtype=np.float64)
        if values.ndim not in (1, 2) or len(values) != len(chunk):
            raise ValueError(
                f"the batch method of {_name(func)} must return values of shape ({len(chunk)},) or "
                f"({len(chunk)}, n_objectives), got shape {values.shape}"
            )
        results += [tuple(row) for row in values.reshape(len(chunk), -1).tolist()]
    return results


def apply_batch(func: Function, individuals: Sequence[Any], max_trials: int | None = None) -> Individuals:
    """Apply a mutation to individuals in place, in batches if possible.

    Parameters
    ----------
    func : callable
        ``func(individual) -> (individual,)``. If it has a method ``batch(matrix)``, this method must return
        the mutated matrix, and must accept ``max_trials`` if ``func`` has an attribute ``n_trials``.
    individuals : sequence
        Individuals, which must be distinct objects.
    max_trials : int, optional
        Maximum number of trial evaluations; ignored if ``func`` does not count trials. If ``func`` has no
        method ``batch``, its last call can exceed the maximum.

    Returns
    -------
    list
        Mutated individuals without fitness.
    """
    changed, start, batch = list(individuals), n_trials(func), batch_form(func)

    def left() -> int | None:
        if max_trials is None or start is None:
            return None
        return max(max_trials - (n_trials(func) or 0) + start, 0)

    if batch is None or not _same_length(changed):
        for i, individual in enumerate(changed):
            if left() == 0:
                break
            (changed[i],) = func(individual)
        for individual in changed:
            del individual.fitness.values
        return changed
    for chunk in _chunks(changed):
        matrix, limit = stacked(chunk), left()
        rows = np.asarray(batch(matrix) if limit is None else batch(matrix, max_trials=limit))
        if rows.shape != matrix.shape:
            raise ValueError(
                f"the batch method of {_name(func)} must return shape {matrix.shape}, got {rows.shape}"
            )
        for individual, genes in zip(chunk, rows, strict=True):
            put_genes(individual, genes)
    return changed


def batch_form(func: Function) -> Function | None:
    """Return a function's ``batch`` with the arguments bound by ``partial``, or None if there is none."""
    args: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while True:
        inner, batch = _inner(func), getattr(func, "batch", None)
        # ``toolbox.register`` and ``functools.wraps`` copy the attribute ``batch`` from the inner function.
        # Such a copy is not used, because it ignores bound arguments and decorators.
        if batch is not None and (inner is None or batch is not getattr(inner, "batch", None)):
            return partial(batch, *args, **keywords) if args or keywords else batch
        if not isinstance(func, partial):
            return None
        args, keywords = func.args + args, func.keywords | keywords
        func = func.func


def n_trials(func: Function) -> int | None:
    """Return the number of trial evaluations that a function has made, or None if it does not count them."""
    # Partials and wrappers hold outdated copies of the attribute, so the innermost function is used.
    count = getattr(innermost(func), "n_trials", None)
    return None if count is None else int(count)


def innermost(func: Function) -> Function:
    """Return the innermost function inside partials and decorators."""
    while (inner := _inner(func)) is not None:
        func = inner
    return func


def _inner(func: Function) -> Function | None:
    return func.func if isinstance(func, partial) else getattr(func, "__wrapped__", None)


def _name(func: Function) -> str:
    func = innermost(func)
    return str(getattr(func, "__name__", type(func).__name__))


def _chunks(individuals: Individuals) -> Iterator[Individuals]:
    if individuals:
        size = max(1, CHUNK_BYTES // max(1, np.asarray(individuals[0]).nbytes))
        for start in range(0, len(individuals), size):
            yield individuals[start : start + size]


def stacked(individuals: Individuals) -> NDArray[Any]:
    return np.stack([np.asarray(individual) for individual in individuals])


def _same_length(individuals: Sequence[Any]) -> bool:
    return len({len(individual) for individual in individuals}) <= 1


def copied_genes(individual: Individual, dtype: DTypeLike) -> NDArray[Any]:
    """Copy an individual's genes to a matrix with one row."""
    return np.array(individual, dtype=dtype)[None]


def put_genes(individual: Individual, genes: NDArray[Any]) -> None:
    """Write genes to an individual and delete its fitness, if any."""
    if isinstance(individual, np.ndarray):
        individual[:] = genes
    elif isinstance(individual, array):
        individual[:] = array(individual.typecode, genes.tolist())
    else:
        individual[:] = genes.tolist()
    if hasattr(individual, "fitness"):
        del individual.fitness.values
