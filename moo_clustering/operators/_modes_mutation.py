"""Mutation of modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation


class ModesMutation(Mutation):
    """Set one attribute of one mode, at random, to a random value.

    Any category of the attribute, or uniform in its range. For
    :class:`~moo_clustering.problems.FuzzyModesProblem`.

    Parameters
    ----------
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        rng = np.random.default_rng(random_state)
        mutated = np.array(X)
        positions = rng.integers(0, problem.n_var, size=len(mutated))
        mutated[np.arange(len(mutated)), positions] = problem.draw(positions, rng)
        return mutated
