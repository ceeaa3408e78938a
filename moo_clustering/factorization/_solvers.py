"""Solvers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from moo_clustering._suggest import did_you_mean
from moo_clustering.factorization._hals import hals
from moo_clustering.factorization._mu import multiplicative_updates
from moo_clustering.factorization._pg import projected_gradient
from moo_clustering.factorization._runs import NMFRuns
from moo_clustering.factorization._sklearn import coordinate_descent, sklearn_multiplicative_updates


class Solver(NamedTuple):
    """How to run a solver.

    Attributes
    ----------
    solve : callable
        ``solve(matrix, starts, *, tol, max_iter, n_threads) -> NMFRuns``
    tol : float
    max_iter : int
        Defaults.
    lanes : int
        Runs that a worker should have; with fewer, several workers share the rows of a run.
    prefer : {"threads", "processes"}
        Workers for batches.
    """

    solve: Callable[..., NMFRuns]
    tol: float
    max_iter: int
    lanes: int
    prefer: Literal["threads", "processes"]


SOLVERS: dict[str, Solver] = {
    "hals": Solver(hals, 1e-5, 40, 32, "threads"),
    "mu": Solver(multiplicative_updates, 1e-5, 200, 32, "threads"),
    "pg": Solver(projected_gradient, 1e-4, 200, 1, "processes"),
    "sklearn": Solver(coordinate_descent, 1e-4, 200, 1, "processes"),
    "sklearn-mu": Solver(sklearn_multiplicative_updates, 1e-4, 200, 1, "processes"),
}


def find_solver(name: str) -> Solver:
    """The solver of a name.

    Raises
    ------
    ValueError
    """
    if name not in SOLVERS:
        raise ValueError(
            f"solver must be one of {', '.join(map(repr, SOLVERS))}; got {name!r}"
            f"{did_you_mean(str(name), list(SOLVERS))}"
        )
    return SOLVERS[name]
