"""Operators for feature subsets, which are encoded as one bit per feature."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.operators.crossover.ux import UniformCrossover

from moo_clustering._arrays import probability
from moo_clustering.operators import base
from moo_clustering.operators.generic import EncodingRepair, register_operators
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.feature_subsets import FeatureSubsetEncoding

_ADD, _DROP, _SWAP = range(3)


class FeatureMutation(base.SeededMutation):
    """Add, drop or swap features, with equal probability.

    Unlike bit flips, these changes do not tend to enlarge sparse subsets. Requires a problem with a
    ``FeatureSubsetEncoding``, such as :class:`~moo_clustering.problems.FeatureSubsetProblem`.

    Parameters
    ----------
    more : float, default=0.5
        Probability that another change follows each change; the mean number of changes is 1 / (1 - more).
    """

    def __init__(self, more: float = 0.5, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.more = probability("more", more)
        if self.more == 1:
            raise ValueError("more must be less than 1, got 1, with which mutation would not terminate")

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        mutated = np.array(X)
        most = base.encoding_of(problem, FeatureSubsetEncoding).max_features
        for row, changes in zip(mutated, rng.geometric(1.0 - self.more, len(mutated)), strict=True):
            for _ in range(changes):
                held, absent = np.flatnonzero(row), np.flatnonzero(row == 0)
                adds, drops = len(absent) > 0, len(held) > 0
                possible = (adds and len(held) < most, len(held) > 1, adds and drops)
                kinds = [kind for kind in (_ADD, _DROP, _SWAP) if possible[kind]]
                kind = kinds[int(rng.integers(len(kinds)))] if kinds else None
                if kind in (_ADD, _SWAP):
                    row[absent[int(rng.integers(len(absent)))]] = 1
                if kind in (_DROP, _SWAP):
                    row[held[int(rng.integers(len(held)))]] = 0
        return mutated


register_operators(
    FeatureSubsetEncoding,
    crossover=partial(UniformCrossover, prob=0.9),
    mutation=FeatureMutation,
    repair=EncodingRepair,
    duplicates=lambda problem: CanonicalDuplicates(problem.encoding),
)
