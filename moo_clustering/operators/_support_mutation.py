"""Mutation of which candidates a sample is rebuilt from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population

from moo_clustering._kernels import sparse_rows
from moo_clustering._kernels.blocks import for_blocks
from moo_clustering.operators._row_uniform_crossover import TABLES

if TYPE_CHECKING:
    from moo_clustering.problems._srmosc import SRMOSCProblem

Tables = tuple[NDArray[np.float64], NDArray[np.int32]]


class SupportMutation(Mutation):
    """Drop the smallest weight of a row or add the candidate of largest gain, then fit the weights.

    For :class:`~moo_clustering.problems.SRMOSCProblem`. The gain of a candidate is max(0, g)^2 / G_aa, g
    being the negative half of the gradient: how much it alone can lessen the error. The last link of a
    row is not dropped; a row that nothing is added to has its weights fitted all the same.

    Parameters
    ----------
    prob : float, default=0.3
        Probability that an individual is mutated.
    row_rate : float, default=0.05
        Part of its rows that change, at least one.
    n_sweeps : int, default=5
        Sweeps of non-negative coordinate descent over the links of a row.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(row_rate N n_features (w + n_sweeps links)) an individual, besides a copy of its genes.

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    def __init__(
        self, prob: float = 0.3, *, row_rate: float = 0.05, n_sweeps: int = 5, **kwargs: Any
    ) -> None:
        if not 0 < row_rate <= 1:
            raise ValueError(f"row_rate must be above 0 and at most 1, got {row_rate}.")
        if n_sweeps < 0:
            raise ValueError(f"n_sweeps must not be negative, got {n_sweeps}.")
        super().__init__(prob=prob, **kwargs)
        self.row_rate = row_rate
        self.n_sweeps = n_sweeps

    def do(
        self,
        problem: SRMOSCProblem,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> Population:
        """The population, mutated individuals with new arrays."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = Population.create(*(individual.copy() for individual in pop))
        for k in np.flatnonzero(rng.random(len(pop)) <= float(self.prob.value)):
            individual = pop[k]
            # Copies, for arrays may be those of a parent.
            genes = problem.weights(individual.X)[0]
            tables = None
            if all(individual.has(name) for name in TABLES):
                tables = individual.get("row_errors").copy(), individual.get("row_sizes").copy()
                for name, table in zip(TABLES, tables, strict=True):
                    individual.set(name, table)
            self._mutate(problem, genes, tables, rng)
            individual.X = genes.reshape(-1)
        return pop

    def _do(
        self, problem: SRMOSCProblem, X: NDArray[Any], *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[np.float32]:
        rng = np.random.default_rng(random_state)
        mutated = problem.weights(X)
        for genes in mutated:
            self._mutate(problem, genes, None, rng)
        return mutated.reshape(len(mutated), -1)

    def _mutate(
        self,
        problem: SRMOSCProblem,
        genes: NDArray[np.float32],
        tables: Tables | None,
        rng: np.random.Generator,
    ) -> None:
        X, candidates, admissible = problem.candidates()
        n_samples = len(X)
        which = rng.choice(n_samples, size=max(1, round(self.row_rate * n_samples)), replace=False)
        drop = rng.random(len(which)) < 0.5
        errors, sizes = tables or (np.empty(n_samples), np.empty(n_samples, dtype=np.int32))

        def change(lo: int, hi: int) -> None:
            sparse_rows.change_supports(
                X, problem.norms, candidates, admissible, problem.rho, which, drop, self.n_sweeps, lo, hi,
                genes, errors, sizes,
            )  # fmt: skip

        for_blocks(change, len(which), problem.width * X.shape[1], problem.n_jobs)
