"""Laplacian noise on one variable."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation


class LaplaceNoise(Mutation):
    """Add Laplacian noise to one variable, drawn at random, of every individual.

    Where the problem has bounds the noise is relative to their distance, and what would leave them
    is put on the bound. Integer variables move by at least one.

    Parameters
    ----------
    scale : float, default=0.1
        Scale of the Laplace distribution (its mean absolute value), as a fraction of the range of the
        variable; in units of the variable for problems without bounds.

    References
    ----------
    S. Bandyopadhyay, S. Saha, U. Maulik, K. Deb, "A simulated annealing-based multiobjective
    optimization algorithm: AMOSA", IEEE Transactions on Evolutionary Computation 12 (2008).
    """

    def __init__(self, scale: float = 0.1) -> None:
        super().__init__()
        if not isinstance(scale, (int, float, np.number)):
            raise TypeError(f"scale must be a positive number, got {scale!r}")
        if not 0 < scale < np.inf:
            raise ValueError(f"scale must be a positive number, got {scale}")
        self.scale = float(scale)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        rng = np.random.default_rng(random_state)
        n = len(X)
        lower, upper = problem.xl, problem.xu
        if problem.has_bounds():
            free = np.flatnonzero(upper > lower)
            if not len(free):
                return X.copy()
            column = free[rng.integers(len(free), size=n)]
            noise = rng.laplace(scale=self.scale, size=n) * (upper - lower)[column]
        else:
            column = rng.integers(problem.n_var, size=n)
            noise = rng.laplace(scale=self.scale, size=n)
        if X.dtype.kind in "iu":
            noise = np.copysign(np.ceil(np.abs(noise)), noise)
        row = np.arange(n)
        moved = X[row, column] + noise
        if problem.has_bounds():
            moved = np.minimum(np.maximum(moved, lower[column]), upper[column])
        out = X.copy()
        out[row, column] = moved
        return out
