"""Crossover of seeds, cluster by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from scipy.optimize import linear_sum_assignment

from moo_clustering.encodings._medoid_slots import repair_slots
from moo_clustering.operators._gene_exchange import coins, cross_partitions
from moo_clustering.operators._seed_sampling import seed_problem

IntArray = NDArray[np.integer[Any]]


class AlignedSeedCrossover(Crossover):
    """Exchange clusters of the one parent for those of the other that are most like them.

    The clusters of both parents are paired such that their centroids are nearest in sum, and each pair
    changes sides with probability one half. Clusters of the larger parent without a partner are paired
    with no cluster, so that the children of parents of unlike size are of sizes in between. A document
    that would be a seed twice is one once; where that leaves too few, random documents are added. For
    :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(k^2 n_features + k^3) time for each pair of evaluated parents; others are evaluated first.

    References
    ----------
    SISC-ML's clusters, searched.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

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
        parents = [encoding.seeds(side) for side in X]
        n_pairs = len(parents[0])
        centers = problem.cluster_centers(np.concatenate(parents))
        for a, b, first, second in zip(*parents, centers[:n_pairs], centers[n_pairs:], strict=True):
            a[:], b[:] = _paired(a[a >= 0], b[b >= 0], first, second, len(a))
        children = cross_partitions(parents[0], parents[1], coins, rng, align=False)
        return np.stack([repair_slots(x, encoding.n_samples, encoding.k_min, rng) for x in children])


def _paired(
    a: IntArray, b: IntArray, first: NDArray[np.floating[Any]], second: NDArray[np.floating[Any]], width: int
) -> tuple[IntArray, IntArray]:
    """The seeds of two parents in one order, -1 opposite those without a partner and at the end."""
    squares = [np.einsum("ij,ij->i", x, x)[:, np.newaxis] for x in (first, second)]
    left, right = linear_sum_assignment(squares[0] + squares[1].T - 2.0 * (first @ second.T))
    alone = np.setdiff1d(np.arange(len(a)), left), np.setdiff1d(np.arange(len(b)), right)
    rows = np.full((2, width), -1, dtype=a.dtype)
    rows[0, : len(a)] = a[np.concatenate([left, alone[0]])]
    rows[1, : len(b)] = b[np.concatenate([right, alone[1]])]
    return rows[0], rows[1]
