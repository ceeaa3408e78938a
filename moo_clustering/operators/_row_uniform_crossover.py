"""Uniform crossover of whole rows of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.individual import Individual
from pymoo.core.population import Population

from moo_clustering._kernels.blocks import for_blocks
from moo_clustering._kernels.sparse_rows import swap_rows

if TYPE_CHECKING:
    from moo_clustering.problems._srmosc import SRMOSCProblem

TABLES = ("row_errors", "row_sizes")


class RowUniformCrossover(Crossover):
    """Exchange every sample's row of weights between two parents with probability one half.

    For :class:`~moo_clustering.problems.SRMOSCProblem`. A row is all that concerns a sample, so that its
    error and number of links go along with it, where both parents carry them.

    Parameters
    ----------
    prob : float, default=0.7
        Probability that a pair is crossed; otherwise its children share the parents' arrays.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(N w) time and memory a pair that is crossed.

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    def __init__(self, prob: float = 0.7, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

    def do(
        self,
        problem: SRMOSCProblem,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> Population:
        """Children of the pairs, all first ones before all second ones."""
        rng = np.random.default_rng(random_state)
        pairs = pop if parents is None else [pop[pair] for pair in parents]
        crossed = rng.random(len(pairs)) < float(self.prob.value)
        made: list[list[Individual]] = [[], []]
        for (first, second), cross in zip(pairs, crossed, strict=True):
            swap = _draw(problem.n_samples, rng) if cross else None
            for children, child in zip(made, _children(problem, first, second, swap), strict=True):
                children.append(child)
        return Population.create(*made[0], *made[1])

    def _do(
        self,
        problem: SRMOSCProblem,
        X: NDArray[Any],
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> NDArray[np.float32]:
        rng = np.random.default_rng(random_state)
        children = np.empty(X.shape, dtype=np.float32)
        for k in range(X.shape[1]):
            children[:, k] = _exchange(problem, X[0, k], X[1, k], _draw(problem.n_samples, rng))
        return children


def _draw(n_samples: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    bits = np.frombuffer(rng.bytes(-(-n_samples // 8)), dtype=np.uint8)
    return np.unpackbits(bits, count=n_samples).astype(np.bool_)


def _children(
    problem: SRMOSCProblem, first: Individual, second: Individual, swap: NDArray[np.bool_] | None
) -> tuple[Individual, Individual]:
    if swap is None:
        genes = (first.X, second.X)
    else:
        genes = _exchange(problem, first.X, second.X, swap)
    children = Individual(X=genes[0]), Individual(X=genes[1])
    if all(parent.has(name) for parent in (first, second) for name in TABLES):
        for name in TABLES:
            one, other = first.get(name), second.get(name)
            if swap is not None:
                one, other = np.where(swap, other, one), np.where(swap, one, other)
            children[0].set(name, one)
            children[1].set(name, other)
    return children


def _exchange(
    problem: SRMOSCProblem, first: NDArray[Any], second: NDArray[Any], swap: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    shape = problem.n_samples, problem.width
    one, other = (np.ascontiguousarray(x, dtype=np.float32).reshape(shape) for x in (first, second))
    child, sibling = np.empty_like(one), np.empty_like(one)
    for_blocks(
        lambda lo, hi: swap_rows(one, other, swap, lo, hi, child, sibling),
        problem.n_samples,
        2 * problem.width,
        problem.n_jobs,
    )
    return child.reshape(-1), sibling.reshape(-1)
