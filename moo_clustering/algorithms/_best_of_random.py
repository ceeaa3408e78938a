"""Draw and keep the best: what a search must beat."""

from __future__ import annotations

from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pymoo.core.problem import Problem
from pymoo.core.sampling import Sampling

from moo_clustering.algorithms._checks import integer
from moo_clustering.algorithms._interrupt import InterruptGuard
from moo_clustering.algorithms._progress import Progress
from moo_clustering.operators import EncodingSampling

# Individuals between two looks at the keyboard.
_BATCH = 16


class RandomDraws(NamedTuple):
    """Random individuals, and which of them is best.

    Attributes
    ----------
    X : ndarray of shape (n_individuals, n_var)
    F : ndarray of shape (n_individuals, n_obj)
        Objectives as pymoo minimises them.
    best : int
        Row of the least value of the objective that decides, the first of equal ones.
    objective : int
        Column of that objective.
    """

    X: NDArray[Any]
    F: NDArray[np.float64]
    best: int
    objective: int


def best_of_random(
    problem: Problem,
    n: int,
    random_state: int | np.random.SeedSequence | np.random.Generator | None = None,
    *,
    objective: str | int | None = None,
    sampling: Sampling | None = None,
    verbose: bool = False,
) -> RandomDraws:
    """Evaluate random individuals; the cheap rival of a search with as many evaluations.

    Parameters
    ----------
    problem : Problem
        With an ``encoding``, or give ``sampling``.
    n : int
        Evaluations.
    random_state : int, SeedSequence, Generator or None, default=None
        The first m of n individuals are not those of a run with m.
    objective : str or int, optional
        What decides, by its place or its name in ``problem.objective_names``. Default: ``"impurity"``
        where the problem has it, otherwise the first.
    sampling : pymoo Sampling, optional
        Default: :class:`~moo_clustering.operators.EncodingSampling`.
    verbose : bool, default=False
        Show a progress bar on stderr.

    Returns
    -------
    RandomDraws
        Of fewer than n individuals after Ctrl-C.

    Raises
    ------
    TypeError, ValueError
        ``n`` or ``objective`` out of range.

    Notes
    -----
    n evaluations in time, O(n n_var) memory. Individuals are not compared with each other.
    """
    n = integer("n", n, 1)
    column = _column(problem, objective)
    rng = np.random.default_rng(random_state)
    sampling = EncodingSampling() if sampling is None else sampling
    X = sampling(problem, n, random_state=rng).get("X")
    values: list[NDArray[np.float64]] = []
    progress = Progress(
        n_gen=n,
        done=0,
        verbose=verbose,
        description="random",
        objective_names=getattr(problem, "objective_names", None),
    )
    with InterruptGuard() as guard, closing(progress):
        for start in range(0, len(X), _BATCH):
            values.append(problem.evaluate(X[start : start + _BATCH], return_values_of=["F"]))
            F = np.concatenate(values)
            progress.show(len(F), F)
            if guard.requested:
                break
    return RandomDraws(X[: len(F)], F, int(F[:, column].argmin()), column)


def _column(problem: Problem, objective: str | int | None) -> int:
    names = list(getattr(problem, "objective_names", ()))
    if objective is None:
        return names.index("impurity") if "impurity" in names else 0
    if isinstance(objective, str):
        if objective not in names:
            raise ValueError(f"objective must be one of {', '.join(names) or 'no names'}; got {objective!r}")
        return names.index(objective)
    column = integer("objective", objective, 0)
    if column >= problem.n_obj:
        raise ValueError(f"objective must be below {problem.n_obj}, the number of them; got {objective}")
    return column
