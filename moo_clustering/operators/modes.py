"""Operators for cluster modes; genes are the attribute values of k modes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.operators.crossover.spx import SinglePointCrossover

from moo_clustering.operators import base
from moo_clustering.operators.generic import register_operators
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.categories import FuzzyModesProblem

MODES: tuple[str, ...] = ("FuzzyModesProblem", "draw")


class ModesSampling(base.SeededSampling):
    """Draw K samples without replacement as ``FuzzyModesProblem`` modes; equal samples yield equal modes."""

    _needs = MODES

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[Any]:
        data, k = problem.space.data, problem.n_clusters
        rows = [rng.choice(len(data), size=k, replace=False) for _ in range(n_samples)]
        X: NDArray[Any] = data[np.array(rows, dtype=np.intp).reshape(n_samples, k)]
        return X.reshape(n_samples, problem.n_var)


class ModesMutation(base.SeededMutation):
    """Set a random attribute of a ``FuzzyModesProblem`` mode to a random category or number in its range."""

    _needs = MODES

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        mutated = np.array(X)
        positions = rng.integers(0, problem.n_var, size=len(mutated))
        mutated[np.arange(len(mutated)), positions] = problem.draw(positions, rng)
        return mutated


register_operators(
    FuzzyModesProblem,
    sampling=ModesSampling,
    crossover=SinglePointCrossover,
    mutation=ModesMutation,
    duplicates=lambda problem: CanonicalDuplicates(problem.canonical),
)
