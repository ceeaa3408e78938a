"""Mutation that takes one centre away and puts it on a sample."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.population import Population
from pymoo.core.variable import get

from moo_clustering.operators._center_matching import center_problem
from moo_clustering.operators._chosen_mutation import ChosenMutation

FloatArray = NDArray[np.float64]
Removal = Literal["uniform", "cheap"]

# Of so many centres the cheapest is removed.
_CANDIDATES = 3


class RelocateCentre(ChosenMutation):
    """Remove a centre and put it on a sample, rather on one that is far from all others.

    With probability ``mix`` the sample is any, otherwise it is drawn in proportion to its distance D to
    the nearest remaining centre: mix / n + (1 - mix) D_i / sum D. For
    :class:`~moo_clustering.problems.SumOfSquaresProblem`.

    Parameters
    ----------
    removal : {"uniform", "cheap"}, default="uniform"
        ``"uniform"``: any centre goes. ``"cheap"``: of three random ones that whose loss costs least,
        and samples are drawn by D squared.
    mix : float, optional
        In [0, 1]. Default: what the individual carries as ``"mix"`` (children of
        :class:`CentreMatchingCrossover` do), or else a uniform number each time.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_samples k n_features) time, with ``"uniform"`` only where the sample is not just any.

    References
    ----------
    D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for minimum sum-of-squares
    clustering", Pattern Recognition 88 (2019), whose mutation the default is.
    """

    def __init__(
        self, removal: Removal = "uniform", *, mix: float | None = None, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        self.removal: Removal = checked_removal(removal)
        if mix is not None and not 0.0 <= mix <= 1.0:
            raise ValueError(f"mix must be in [0, 1], got {mix!r}.")
        self.mix = mix

    def do(
        self,
        problem: Any,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Mutate whole individuals, each by its own ``mix``."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = deepcopy(pop)
        chosen = pop[rng.random(len(pop)) < get(self.prob, size=len(pop))]
        for individual in chosen:
            X = np.atleast_2d(individual.get("X"))
            individual.set("X", self._do(problem, X, random_state=rng, mix=individual.get("mix"))[0])
        return pop

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        mix: float | None = None,
        **kwargs: Any,
    ) -> FloatArray:
        rng = np.random.default_rng(random_state)
        mix = mix if self.mix is None else self.mix
        centers = center_problem(problem).encoding.centers(X)
        for one in centers:
            relocate(problem.encoding, one, rng.random() if mix is None else mix, rng, self.removal)
        return np.asarray(centers.reshape(len(centers), -1))


def checked_removal(removal: Any) -> Removal:
    """One of the kinds of removal.

    Raises
    ------
    ValueError
    """
    if removal not in get_args(Removal):
        raise ValueError(f"removal must be one of {get_args(Removal)}, got {removal!r}.")
    kind: Removal = removal
    return kind


def relocate(
    encoding: Any, centers: FloatArray, mix: float, rng: np.random.Generator, removal: Removal = "uniform"
) -> None:
    """Move one of the centres (k, d), in place."""
    k, n = len(centers), encoding.n_samples
    anywhere = rng.random() < mix
    place = int(rng.integers(n))
    if removal == "uniform":
        gone = int(rng.integers(k))
        if not anywhere and k > 1:
            place = drawn(np.sqrt(encoding.nearest(np.delete(centers, gone, axis=0))[1]), place, rng)
    else:
        labels, first, second = encoding.nearest(centers)
        gone = cheapest(labels, second - first, rng.permutation(k)[:_CANDIDATES]) if k > 1 else 0
        if not anywhere and k > 1:
            place = drawn(np.where(labels == gone, second, first), place, rng)
    centers[gone] = encoding.points[place]


def cheapest(labels: NDArray[np.int32], losses: FloatArray, candidates: NDArray[np.integer[Any]]) -> int:
    """The candidate whose samples lose least when it goes."""
    totals = [losses[labels == j].sum() for j in candidates]
    return int(candidates[int(np.argmin(totals))])


def drawn(weights: FloatArray, otherwise: int, rng: np.random.Generator) -> int:
    """A position in proportion to its weight; ``otherwise`` if all are 0."""
    cumulative = np.cumsum(weights)
    if not cumulative[-1] > 0.0:
        return otherwise
    # The first sum beyond the threshold belongs to a positive weight.
    return int(np.argmax(cumulative > rng.random() * cumulative[-1]))
