"""Mutation of medoid sets as printed: two genes change places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation

from moo_clustering.encodings._medoid_sets import as_sets, set_sizes

Ints = NDArray[np.int64]


def swap_two(sets: Ints, rng: np.random.Generator) -> Ints:
    """Exchange two random genes of every row of at least two."""
    sizes = np.maximum(set_sizes(sets), 1)
    row = np.arange(len(sets))
    a = rng.integers(0, sizes)
    b = (a + 1 + rng.integers(0, np.maximum(sizes - 1, 1))) % sizes
    swapped = sets.copy()
    swapped[row, a], swapped[row, b] = sets[row, b], sets[row, a]
    return swapped


class MedoidSwapMutation(Mutation):
    """Exchange the positions of two medoids.

    This changes no clustering, only the order in which a later crossover cuts the genes; use
    :class:`MedoidReplaceMutation` to search.

    Parameters
    ----------
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    References
    ----------
    NSGA-II-clus.
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
    ) -> Ints:
        return swap_two(as_sets(X), np.random.default_rng(random_state))
