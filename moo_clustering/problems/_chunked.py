"""Populations of any problem in chunks, side by side."""

from __future__ import annotations

import copy
import os
from contextlib import nullcontext
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from pymoo.core.problem import Problem
from threadpoolctl import threadpool_limits

from moo_clustering._parallel import run_calls


class ChunkedProblem(Problem):
    """Another problem, of which chunks of a population are evaluated side by side.

    Worth it where a chunk takes far longer than sending its genes and getting its objectives back: many
    tenths of a second. On threads of one machine the problems of this package need no chunks, their kernels
    share the work by themselves.

    Parameters
    ----------
    problem : Problem
        Vectorised; objectives of an individual must not depend on which others are evaluated with it.
        Whatever it has, such as ``encoding`` or ``decode``, this has too.
    chunk_size : int, default=50
        Individuals of a chunk. Chunks do not depend on the number of workers, so results do not either.
    n_jobs : int, optional
        Of joblib: workers, or whatever :func:`joblib.parallel_config` says.

    Attributes
    ----------
    problem : Problem

    Raises
    ------
    TypeError
        For a problem that is none, or takes one individual at a time.
    ValueError
        For chunks of less than one individual.

    Notes
    -----
    With ``joblib.parallel_config(backend="dask")`` large arrays of the problem are sent to a worker once,
    as long as the block lasts, and not in every generation. Every generation they are looked through for
    changes, which takes about a second for a gigabyte.

    Examples
    --------
    >>> from moo_clustering.encodings import LabelEncoding
    >>> from moo_clustering.problems import PartitionProblem
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> whole = PartitionProblem(X, LabelEncoding(4, k_max=2), ["deviation", "silhouette"])
    >>> problem = ChunkedProblem(whole, chunk_size=1)
    >>> problem.natural(problem.evaluate(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]))).round(3)
    array([[ 2.  ,  0.9 ],
           [20.  , -0.45]])
    """

    def __init__(self, problem: Problem, *, chunk_size: int = 50, n_jobs: int | None = None) -> None:
        if not isinstance(problem, Problem):
            raise TypeError(f"problem must be a pymoo Problem, got {type(problem).__name__}.")
        if problem.elementwise:
            raise TypeError(
                f"problem must evaluate whole populations; {type(problem).__name__} takes one individual at "
                "a time: give it an elementwise_runner of pymoo.parallelization instead."
            )
        self.problem = problem
        self.chunk_size = _checked_size(chunk_size)
        self.n_jobs = n_jobs
        super().__init__(
            n_var=problem.n_var,
            n_obj=problem.n_obj,
            n_ieq_constr=problem.n_ieq_constr,
            n_eq_constr=problem.n_eq_constr,
            xl=problem.xl,
            xu=problem.xu,
            vtype=problem.vtype,
        )

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = np.atleast_2d(np.asarray(X))
        chunks = [genes[lo : lo + self.chunk_size] for lo in range(0, len(genes), self.chunk_size)]
        # Sums by threads differ in their last digits; equal work must come to equal results.
        with threadpool_limits(limits=1, user_api="blas"):
            parts = run_calls(
                (delayed(_evaluated)(os.getpid(), self.problem, chunk, args, kwargs) for chunk in chunks),
                n_jobs=self.n_jobs,
                prefer="threads",
            )
        for name in parts[0]:
            out[name] = np.concatenate([part[name] for part in parts])

    def __getattr__(self, name: str) -> Any:
        # Copies and pickles ask before there is a problem.
        if name.startswith("__") or "problem" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.problem, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = copy.copy(self)
        new.problem = copy.deepcopy(self.problem, memo)
        return new


def _checked_size(chunk_size: Any) -> int:
    if isinstance(chunk_size, bool) or not isinstance(chunk_size, Integral) or chunk_size < 1:
        raise ValueError(f"chunk_size must be an integer of at least 1; got {chunk_size!r}.")
    return int(chunk_size)


def _evaluated(
    caller: int, problem: Problem, X: NDArray[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, NDArray[Any]]:
    out: dict[str, Any] = {}
    # The caller has set it for its own process, threads and all.
    with threadpool_limits(limits=1, user_api="blas") if os.getpid() != caller else nullcontext():
        problem._evaluate(X, out, *args, **kwargs)
    return {name: np.asarray(values) for name, values in out.items() if values is not None}
