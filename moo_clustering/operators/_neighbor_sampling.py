"""Initial populations of neighbour choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pymoo.core.sampling import Sampling

from moo_clustering._random import uniform_ranks

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem


class NeighborSampling(Sampling):
    """Link every sample to a random one of its nearest neighbours (PESC, Algorithm 3).

    Parameters
    ----------
    init : {"knn", "spread", "random"}, default="knn"
        - ``"knn"``: uniform over the k nearest, k = ``problem.n_neighbors``.
        - ``"spread"``: individual m of 0..pop-1 draws from its own k_m = 1 + round((k-1) m / (pop-1))
          nearest, so the first one is the pure nearest-neighbour graph. The members of ``"knn"``
          differ in f1 by O(1/sqrt(N)) only; above some thousand samples this spans the front instead.
        - ``"random"``: uniform over all admissible samples (needs lists of full width); the control.
    """

    def __init__(self, init: Literal["knn", "spread", "random"] = "knn") -> None:
        super().__init__()
        if init not in ("knn", "spread", "random"):
            raise ValueError(f"init must be 'knn', 'spread' or 'random', got {init!r}.")
        self.init = init

    def _do(
        self,
        problem: NeighborGraphProblem,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.integer[Any]]:
        rng = np.random.default_rng(random_state)
        ranks = np.empty((n_samples, problem.n_var), dtype=np.min_scalar_type(problem.width - 1))
        for m in range(n_samples):
            ranks[m] = uniform_ranks(self._widths(problem, m, n_samples), rng)
        return problem.genes(ranks)

    def _widths(self, problem: NeighborGraphProblem, member: int, n_members: int) -> NDArray[np.uint32]:
        if self.init == "knn":
            return problem.widths
        if self.init == "random":
            if problem.width < problem.n_samples - 1:
                raise ValueError(
                    "init='random' draws from all samples and needs neighbour lists of full width, "
                    f"{problem.n_samples - 1}; got width {problem.width}."
                )
            return problem.lists.n_admissible.astype(np.uint32)
        own = 1 + round((problem.n_neighbors - 1) * member / max(n_members - 1, 1))
        return np.minimum(problem.widths, np.uint32(own))
