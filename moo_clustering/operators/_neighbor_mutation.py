"""Resampling of neighbour choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation

from moo_clustering._kernels import loci
from moo_clustering._random import sparse_positions

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem


class NeighborResample(Mutation):
    """Draw genes anew, uniformly over the k nearest admissible neighbours of the sample.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.
    prob : float, default=1.0
        Probability that an individual is mutated at all.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(prob_var * pop * N): only the genes that change are drawn.
    """

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _do(
        self,
        problem: NeighborGraphProblem,
        X: NDArray[np.integer[Any]],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.integer[Any]]:
        rng = np.random.default_rng(random_state)
        prob = 1.0 / problem.n_var if self.prob_var is None else float(self.prob_var.value)
        if problem.gene == "index":
            return self._resample_indices(problem, np.array(X), prob, rng)
        mutated = np.array(X, dtype=problem.vtype, order="C")
        flat = mutated.reshape(-1)
        for positions in sparse_positions(flat.size, prob, rng):
            draws = rng.integers(0, 2**32, size=len(positions), dtype=np.uint32)
            loci.resample(flat, positions, draws, problem.widths, problem.n_var)
        return mutated

    @staticmethod
    def _resample_indices(
        problem: NeighborGraphProblem,
        X: NDArray[np.integer[Any]],
        prob: float,
        rng: np.random.Generator,
    ) -> NDArray[np.integer[Any]]:
        flat = X.reshape(-1)
        for positions in sparse_positions(flat.size, prob, rng):
            loci_hit = positions % problem.n_var
            flat[positions] = problem.draw_neighbors(loci_hit, rng)
        return X
