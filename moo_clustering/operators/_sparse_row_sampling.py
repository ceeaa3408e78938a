"""First populations of rows of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling

from moo_clustering._kernels import sparse_rows
from moo_clustering._kernels.blocks import for_blocks

if TYPE_CHECKING:
    from moo_clustering.problems._srmosc import SRMOSCProblem


class SparseRowSampling(Sampling):
    """Weights on more and more of the nearest candidates, from one to all.

    Individual m of ``n`` starts with equal weights on the 1 + round((w - 1) m / (n - 1)) nearest, which
    sweeps of non-negative coordinate descent then fit. Nothing is drawn.

    Parameters
    ----------
    n_sweeps : int, default=3

    Notes
    -----
    Individuals carry ``row_errors`` and ``row_sizes``, see
    :class:`~moo_clustering.algorithms.RowTableEvaluator`. O(n N w n_features n_sweeps).

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    def __init__(self, n_sweeps: int = 3) -> None:
        if n_sweeps < 0:
            raise ValueError(f"n_sweeps must not be negative, got {n_sweeps}.")
        super().__init__()
        self.n_sweeps = n_sweeps

    def do(self, problem: SRMOSCProblem, n_samples: int, *args: Any, **kwargs: Any) -> Population:
        """The population, each individual with an array of its own."""
        made = [self._individual(problem, m, n_samples) for m in range(n_samples)]
        return Population.create(*made)

    def _do(self, problem: SRMOSCProblem, n_samples: int, *args: Any, **kwargs: Any) -> NDArray[np.float32]:
        return np.stack([self._individual(problem, m, n_samples).X for m in range(n_samples)])

    def _individual(self, problem: SRMOSCProblem, member: int, n_members: int) -> Individual:
        X, candidates, admissible = problem.candidates()
        width = 1 + round((problem.width - 1) * member / max(n_members - 1, 1))
        rows = np.empty(candidates.shape, dtype=np.float32)
        errors, sizes = np.empty(len(X)), np.empty(len(X), dtype=np.int32)

        def fill(lo: int, hi: int) -> None:
            sparse_rows.fill_rows(
                X, problem.norms, candidates, admissible, problem.rho, width, self.n_sweeps, lo, hi,
                rows, errors, sizes,
            )  # fmt: skip

        for_blocks(fill, len(X), width * X.shape[1], problem.n_jobs)
        individual = Individual(X=rows.reshape(-1))
        individual.set("row_errors", errors)
        individual.set("row_sizes", sizes)
        return individual
