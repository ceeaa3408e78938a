"""A factorisation that has been checked, and its batches at work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, NamedTuple, TypeVar

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import ArrayLike

from moo_clustering._parallel import active_shelf, run_calls
from moo_clustering.factorization._batches import Batches, plan_batches
from moo_clustering.factorization._matrix import Matrix, check_matrix
from moo_clustering.factorization._runs import NMFRuns
from moo_clustering.factorization._solvers import Solver, find_solver
from moo_clustering.factorization._starts import Starts, check_starts, random_starts

Result = TypeVar("Result")
Seeds = Sequence[np.random.SeedSequence]
Factors = tuple[ArrayLike, ArrayLike]


class Task(NamedTuple):
    """What is to be done; ``origins`` are seeds or first factors."""

    matrix: Matrix
    n_components: int
    solver: Solver
    tol: float
    max_iter: int
    origins: Seeds | Starts
    batches: Batches


def prepare_task(
    A: Any,
    n_components: int,
    *,
    solver: str,
    n_runs: int | None,
    seeds: Seeds | None,
    starts: Factors | None,
    tol: float | None,
    max_iter: int | None,
    dtype: str,
    n_jobs: int | None,
    max_memory: int,
    keep: bool,
) -> Task:
    """Check everything; ``keep`` leaves room for the factors of all runs.

    Raises
    ------
    ValueError
    """
    method = find_solver(solver)
    tol = method.tol if tol is None else tol
    max_iter = method.max_iter if max_iter is None else max_iter
    if dtype not in ("float64", "float32"):
        raise ValueError(f"dtype must be 'float64' or 'float32'; got {dtype!r}.")
    _check_count("n_components", n_components)
    _check_count("max_iter", max_iter)
    if not tol >= 0:
        raise ValueError(f"tol must be at least 0; got {tol!r}.")
    matrix = check_matrix(A, dtype)
    origins = _origins(matrix, n_components, n_runs, seeds, starts)
    n_runs = len(origins.U) if isinstance(origins, Starts) else len(origins)
    n_rows, row_bytes = sum(matrix.A.shape), n_components * matrix.A.dtype.itemsize
    # Workers elsewhere cannot share the rows of a run.
    far = active_shelf() is not None and n_jobs != 1
    # Batches and their concatenation.
    kept = 2 * n_runs * n_rows * row_bytes if keep else 0
    batches = plan_batches(
        n_runs,
        n_rows,
        row_bytes,
        lanes=1 if far else method.lanes,
        workers=effective_n_jobs(n_jobs),
        memory=max_memory - kept,
    )
    if far:
        batches = batches._replace(n_threads=1)
    return Task(matrix, n_components, method, float(tol), int(max_iter), origins, batches)


def run_task(task: Task, function: Callable[[NMFRuns], Result]) -> list[Result]:
    """``function`` of every batch, computed where the batch is."""
    jobs = (
        delayed(_run_batch)(
            function,
            task.solver,
            task.matrix,
            task.n_components,
            Starts(task.origins.U[runs], task.origins.V[runs])
            if isinstance(task.origins, Starts)
            else task.origins[runs],
            {"tol": task.tol, "max_iter": task.max_iter, "n_threads": task.batches.n_threads},
        )
        for runs in task.batches.runs
    )
    return run_calls(jobs, n_jobs=task.batches.n_workers, prefer=task.solver.prefer)


def _run_batch(
    function: Callable[[NMFRuns], Result],
    solver: Solver,
    matrix: Matrix,
    n_components: int,
    origins: Seeds | Starts,
    options: dict[str, Any],
) -> Result:
    starts = origins if isinstance(origins, Starts) else random_starts(matrix, n_components, origins)
    return function(solver.solve(matrix, starts, **options))


def _origins(
    matrix: Matrix, n_components: int, n_runs: int | None, seeds: Seeds | None, starts: Factors | None
) -> Seeds | Starts:
    if seeds is not None and starts is not None:
        raise ValueError("seeds and starts exclude each other: first factors are drawn or given.")
    if n_runs is not None:
        _check_count("n_runs", n_runs)
    origins: Seeds | Starts
    if starts is not None:
        origins = check_starts(starts, matrix, n_components)
    elif seeds is not None:
        origins = list(seeds)
    else:
        origins = np.random.SeedSequence().spawn(1 if n_runs is None else n_runs)
    count = len(origins.U) if isinstance(origins, Starts) else len(origins)
    name = "starts" if isinstance(origins, Starts) else "seeds"
    if count == 0 or n_runs not in (None, count):
        wanted = "at least 1" if n_runs is None else f"n_runs={n_runs}"
        raise ValueError(f"{name} are for {count} runs; {wanted} needed.")
    return origins


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1; got {value!r}.")
