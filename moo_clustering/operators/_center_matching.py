"""Crossover of centres, each with the one that is nearest to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.population import Population
from scipy.optimize import linear_sum_assignment

FloatArray = NDArray[np.float64]

_NEEDED = ("encoding", "points", "n_clusters", "improve")
# How far the mutation mix of a child is from that of a parent, at most.
_STEP = 0.2


def center_problem(problem: Any) -> Any:
    """The problem itself; refuses any other than over centres."""
    if not all(hasattr(problem, name) for name in _NEEDED):
        raise TypeError(f"{type(problem).__name__} is no SumOfSquaresProblem, which this operator needs.")
    return problem


def matched(first: FloatArray, second: FloatArray) -> NDArray[np.intp]:
    """For every centre of the first its partner in the second, squared distances least in sum."""
    squares = np.einsum("ij,ij->i", first, first)[:, np.newaxis] + np.einsum("ij,ij->i", second, second)
    return np.asarray(linear_sum_assignment(squares - 2.0 * (first @ second.T))[1], dtype=np.intp)


def match_centers(
    first: FloatArray, second: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """A child with each centre from either parent, by a coin, and the child with all the others."""
    partners = second[matched(first, second)]
    coin = rng.random(len(first))[:, np.newaxis] < 0.5
    return np.where(coin, first, partners), np.where(coin, partners, first)


def inherited_mix(mixes: list[float | None], rng: np.random.Generator) -> float:
    """Mix of a random parent, moved by up to 0.2 within [0, 1]; a parent without gets a uniform one."""
    mix = mixes[int(rng.integers(len(mixes)))]
    step = rng.uniform(-_STEP, _STEP)
    return float(np.clip((rng.random() if mix is None else mix) + step, 0.0, 1.0))


class CentreMatchingCrossover(Crossover):
    """Pair the centres of two parents such that they are near; each pair is split by a coin.

    The pairs are those of the least sum of squared distances, so the order of the centres means nothing.
    The second child, if there is one, has the centres that the first has not. For
    :class:`~moo_clustering.problems.SumOfSquaresProblem`.

    Parameters
    ----------
    n_offsprings : {2, 1}, default=2
    prob : float, default=1.0
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    Children carry ``"mix"``, which :class:`RelocateCentre` uses: that of a random parent plus a uniform
    number from -0.2 to 0.2, clipped to [0, 1].

    O(k^2 n_features + k^3) time a pair.

    References
    ----------
    D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for minimum sum-of-squares
    clustering", Pattern Recognition 88 (2019).
    """

    def __init__(self, n_offsprings: int = 2, *, prob: float = 1.0, **kwargs: Any) -> None:
        if n_offsprings not in (1, 2):
            raise ValueError(f"n_offsprings must be 1 or 2, got {n_offsprings!r}.")
        super().__init__(2, n_offsprings, prob=prob, **kwargs)

    def do(
        self,
        problem: Any,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Cross whole individuals, whose children inherit ``mix``."""
        rng = np.random.default_rng(random_state)
        if parents is not None:
            pop = [pop[mating] for mating in parents]
        children = super().do(problem, pop, *args, random_state=rng, **kwargs)
        for i, child in enumerate(children):
            child.set("mix", inherited_mix([parent.get("mix") for parent in pop[i % len(pop)]], rng))
        return children

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> FloatArray:
        encoding = center_problem(problem).encoding
        rng = np.random.default_rng(random_state)
        children = np.empty((self.n_offsprings, *X.shape[1:]))
        for q, pair in enumerate(zip(encoding.centers(X[0]), encoding.centers(X[1]), strict=True)):
            for child, genes in zip(children[:, q], match_centers(*pair, rng), strict=False):
                child[:] = genes.ravel()
        return children
