"""Simulated binary crossover and polynomial mutation on ranks in the neighbour lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM

IntArray = NDArray[np.integer[Any]]


def to_genes(problem: Any, values: NDArray[np.float64]) -> IntArray:
    """Rounded half to even, clipped to the problem's bounds, in its integer type."""
    genes: IntArray = np.clip(np.rint(values), problem.xl, problem.xu).astype(problem.vtype)
    return genes


class RankSBX(SBX):
    """Simulated binary crossover on ranks, rounded and clipped.

    A step in rank is a slightly nearer or farther neighbour, so the operator does not depend on the
    order of the rows. Same draw as pymoo's SBX (bounded form, genes exchanged with probability one
    half).

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed.
    eta : float, default=15
        Distribution index; not printed in the paper.
    prob_var : float, default=0.5
        Probability per gene.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    References
    ----------
    PESC, "Evolutionary operators"; Deb and Agrawal 1995.
    """

    def __init__(self, prob: float = 0.9, eta: float = 15, prob_var: float = 0.5, **kwargs: Any) -> None:
        super().__init__(prob_var=prob_var, eta=eta, prob=prob, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))


class RankPM(PM):
    """Polynomial mutation on ranks, rounded and clipped.

    With narrow lists (w up to about 20) and ``eta=20`` most steps round back to the parent's value:
    lower ``eta`` or use :class:`NeighborResample`.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.
    eta : float, default=20
        Distribution index; not printed in the paper.
    prob : float, default=1.0
        Probability that an individual is mutated at all.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def __init__(
        self, prob_var: float | None = None, eta: float = 20, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, eta=eta, prob_var=prob_var, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))
