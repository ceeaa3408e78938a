"""DEAP functions that take a whole population at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.operators.deap._genes import put_genes

Individuals = list[Any]
Function = Callable[..., Any]

_CHUNK_BYTES = 1 << 26


def batch_map(func: Function, *sequences: Iterable[Any]) -> list[Any]:
    """``map`` that calls a batched function once for many individuals; for ``toolbox.map``.

    Parameters
    ----------
    func : callable
        A function of one individual, or ``functools.partial`` of one, as ``toolbox.register`` makes.
        With an attribute ``batch``, ``func.batch(matrix)`` is called instead for individuals stacked
        to a matrix of shape (n, n_var), and returns values of shape (n,) or (n, n_objectives);
        arguments that the partial has bound are handed on.
    *sequences : iterable
        Individuals; with more than one sequence this is the built-in ``map``.

    Returns
    -------
    list
        What ``list(map(func, *sequences))`` gives: a tuple of floats for each individual.

    Raises
    ------
    ValueError
        When ``batch`` gives another number of values than it got rows.

    Notes
    -----
    The matrix is made in chunks of 64 MiB. Functions without ``batch``, individuals of differing
    lengths, and functions that a decorator has wrapped (whose work ``batch`` would leave out) are
    called one by one.

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
        values = np.asarray(batch(_stack(chunk)), dtype=np.float64)
        if values.ndim not in (1, 2) or len(values) != len(chunk):
            raise ValueError(
                f"the batch of {_name(func)} must return values of shape ({len(chunk)},) or "
                f"({len(chunk)}, n_objectives), got {values.shape}"
            )
        results += [tuple(row) for row in values.reshape(len(chunk), -1).tolist()]
    return results


def apply_batch(func: Function, individuals: Sequence[Any], max_trials: int | None = None) -> Individuals:
    """Apply a mutation to many individuals in place, at once where it has a batched form.

    Parameters
    ----------
    func : callable
        ``func(individual) -> (individual,)``. With an attribute ``batch``, ``func.batch(matrix)``
        gives the changed matrix; a function that counts trial evaluations in ``n_trials`` is called
        as ``func.batch(matrix, max_trials=...)`` where a limit is given.
    individuals : sequence
        Distinct objects.
    max_trials : int, optional
        Trial evaluations allowed. Without a batched form the calls end when that many were made,
        which the last one may have exceeded.

    Returns
    -------
    list
        The individuals, changed and without fitness. No two of them share memory.
    """
    counted = n_trials(func)
    if counted is None:
        max_trials = None
    batch = batch_form(func)
    if batch is None or not _same_length(individuals):
        return _one_by_one(func, individuals, max_trials)
    changed = list(individuals)
    for chunk in _chunks(changed):
        matrix = _stack(chunk)
        limit = {} if max_trials is None else {"max_trials": _left(func, counted, max_trials)}
        _write(chunk, np.asarray(batch(matrix, **limit)), matrix.shape, func)
    return changed


def batch_form(func: Function) -> Function | None:
    """The batched form of a function, with what partials have bound; None if it has none."""
    args: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while True:
        inner = func.func if isinstance(func, partial) else getattr(func, "__wrapped__", None)
        batch = getattr(func, "batch", None)
        # toolbox.register and functools.wraps copy attributes: such a one belongs to what is inside
        if batch is not None and (inner is None or batch is not getattr(inner, "batch", None)):
            return partial(batch, *args, **keywords) if args or keywords else batch
        if not isinstance(func, partial):
            return None
        args, keywords = func.args + args, func.keywords | keywords
        func = func.func


def innermost(func: Function) -> Function:
    """What is inside partials and decorators."""
    while True:
        inner = func.func if isinstance(func, partial) else getattr(func, "__wrapped__", None)
        if inner is None:
            return func
        func = inner


def n_trials(func: Function) -> int | None:
    """Trial evaluations a function has made so far; None if it does not count them."""
    # attributes copied on to partials and wrappers stand still
    count = getattr(innermost(func), "n_trials", None)
    return None if count is None else int(count)


def _one_by_one(func: Function, individuals: Sequence[Any], max_trials: int | None) -> Individuals:
    changed = list(individuals)
    start = n_trials(func)
    for i, individual in enumerate(changed):
        if max_trials is not None and _left(func, start, max_trials) == 0:
            break
        (changed[i],) = func(individual)
    for individual in changed:
        del individual.fitness.values
    return changed


def _left(func: Function, start: int | None, max_trials: int) -> int:
    return max(max_trials - ((n_trials(func) or 0) - (start or 0)), 0)


def _write(chunk: Individuals, rows: NDArray[Any], shape: tuple[int, ...], func: Function) -> None:
    if rows.shape != shape:
        raise ValueError(
            f"the batch of {_name(func)} must return a matrix of shape {shape}, got {rows.shape}"
        )
    for individual, genes in zip(chunk, rows, strict=True):
        put_genes(individual, genes)


def _chunks(individuals: Individuals) -> Iterator[Individuals]:
    if individuals:
        size = max(1, _CHUNK_BYTES // max(1, np.asarray(individuals[0]).nbytes))
        for start in range(0, len(individuals), size):
            yield individuals[start : start + size]


def _stack(individuals: Individuals) -> NDArray[Any]:
    return np.stack([np.asarray(individual) for individual in individuals])


def _same_length(individuals: Sequence[Any]) -> bool:
    return len({len(individual) for individual in individuals}) <= 1


def _name(func: Function) -> str:
    func = innermost(func)
    return str(getattr(func, "__name__", type(func).__name__))
