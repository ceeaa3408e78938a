"""Mutations of seeds that know what grew from them."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from moo_clustering.encodings._medoid_sets import random_absent, set_sizes
from moo_clustering.operators._chosen_mutation import ChosenMutation
from moo_clustering.operators._seed_sampling import seed_problem

IntArray = NDArray[np.integer[Any]]
Kind = Literal["replace", "full"]


class DistantSeedMutation(ChosenMutation):
    """Exchange a random seed for a document that is far from all centroids.

    A document is drawn with probability proportional to its distance to the nearest centroid, as the
    clusters measure it. For :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    kind : {"full", "replace"}, default="full"
        ``"full"``: replace a seed, add one in a random slot, or drop one, with equal probability; at the
        largest and the smallest number of clusters replace instead, so always where it is fixed.
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_individuals n_samples) time for individuals that were evaluated, one evaluation more for others:
    best in :class:`~moo_clustering.operators.ExclusiveMating`, which mutates what survived.

    References
    ----------
    SISC-ML's clusters, searched.
    """

    def __init__(self, kind: Kind = "full", prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {get_args(Kind)}, got {kind!r}.")
        self.kind: Kind = kind

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = seed_problem(problem).encoding
        rng = np.random.default_rng(random_state)
        slots: IntArray = encoding.seeds(X)
        sizes = set_sizes(slots)
        action = rng.integers(0, 3, size=len(slots)) if self.kind == "full" else np.zeros(len(slots))
        drop = (action == 2) & (sizes > encoding.k_min)
        enter = ~drop & (sizes < encoding.n_samples)
        add = (action == 1) & (sizes < encoding.k_max) & enter
        slot = _random_slot((slots >= 0) != add[:, np.newaxis], rng)
        slots[drop, slot[drop]] = -1
        if enter.any():
            distances = problem.center_distances(X[enter])
            slots[enter, slot[enter]] = _distant(distances, encoding.seeds(X[enter]), rng)
        return slots


def _random_slot(allowed: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
    """A column for every row, each that is allowed equally likely."""
    return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)


def _distant(
    distances: NDArray[np.floating[Any]], slots: IntArray, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A document not in the row, with probability proportional to its distance; uniform if all are 0."""
    weights = np.asarray(distances, dtype=np.float64).copy()
    row, place = np.nonzero(slots >= 0)
    weights[row, slots[row, place]] = 0.0
    cumulative = np.cumsum(weights, axis=1)
    # The first sum beyond the threshold belongs to a document of positive weight.
    drawn = (cumulative > rng.random(len(slots))[:, np.newaxis] * cumulative[:, -1:]).argmax(axis=1)
    return np.where(cumulative[:, -1] > 0.0, drawn, random_absent(slots, weights.shape[1], rng))


class SweepSeedMutation(ChosenMutation):
    """Local search: every seed becomes the document nearest to the centroid of its cluster.

    What the sweeps of the evaluation found is written back as seeds, from which the child's sweeps go
    on. Nearest is meant relative to the other centroids: the document that belongs to the cluster most.
    For :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    Costs nothing for individuals that were evaluated, one evaluation more for others: best in
    :class:`~moo_clustering.operators.ExclusiveMating`, which mutates what survived. The child of an
    individual whose seeds are where they want to be is a copy.

    References
    ----------
    SISC-ML's clusters, searched.
    """

    def __init__(self, prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        mutated: IntArray = seed_problem(problem).central_documents(X)
        return mutated
