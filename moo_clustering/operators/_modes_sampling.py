"""Initial populations of modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling


class ModesSampling(Sampling):
    """K different samples as modes, uniformly; their values may be the same.

    For :class:`~moo_clustering.problems.FuzzyModesProblem`.
    """

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        rng = np.random.default_rng(random_state)
        data, k = problem.space.data, problem.n_clusters
        rows = [rng.choice(len(data), size=k, replace=False) for _ in range(n_samples)]
        X: NDArray[Any] = data[np.array(rows, dtype=np.intp).reshape(n_samples, k)]
        return X.reshape(n_samples, problem.n_var)
