"""K-means with a price on violated pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.pairwise_kmeans import icm_sweep
from moo_clustering.estimators._distortions import Distortion, Features, FloatArray


@dataclass(frozen=True, eq=False)
class Penalties:
    """What violated pairs cost.

    Parameters
    ----------
    must, cannot : ndarray of shape (n_pairs, 2)
    must_costs, cannot_costs : ndarray of shape (n_pairs,)
        At least 0.
    """

    must: NDArray[np.int64]
    must_costs: FloatArray
    cannot: NDArray[np.int64]
    cannot_costs: FloatArray

    def total(self, labels: NDArray[np.int32]) -> float:
        """Cost of all violated pairs."""
        apart = labels[self.must[:, 0]] != labels[self.must[:, 1]]
        together = labels[self.cannot[:, 0]] == labels[self.cannot[:, 1]]
        return float(self.must_costs[apart].sum() + self.cannot_costs[together].sum())

    def by_sample(self, n_samples: int) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
        """Partners of every sample, and the cost of sharing a cluster with each: gained for must-links."""
        pairs = np.concatenate([self.must, self.cannot])
        costs = np.concatenate([-self.must_costs, self.cannot_costs])
        sample = np.concatenate([pairs[:, 0], pairs[:, 1]])
        partner = np.concatenate([pairs[:, 1], pairs[:, 0]])
        order = np.argsort(sample, kind="stable")
        starts = np.searchsorted(sample[order], np.arange(n_samples + 1)).astype(np.int64)
        return starts, partner[order], np.concatenate([costs, costs])[order]


class Partition(NamedTuple):
    """Result of a run.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
    centers : ndarray of shape (n_clusters, n_features)
    distortion : float
    history : list of float
        Objective after every round.
    """

    labels: NDArray[np.int32]
    centers: FloatArray
    distortion: float
    history: list[float]


def penalized_kmeans(
    X: Features,
    centers: FloatArray,
    penalties: Penalties,
    distortion: Distortion,
    *,
    max_iter: int,
    rng: np.random.Generator,
) -> Partition:
    """Alternate between clusters and centres until no sample moves.

    A round assigns the samples in random order, each to the cluster in which it costs least given
    those that have one, and then moves the centres. After the first, neither step can raise the
    objective, distortion plus penalties.

    Notes
    -----
    O(n_samples n_clusters n_features + n_pairs) time per round, O(n_samples n_clusters + n_pairs)
    memory.
    """
    n_samples = X.shape[0]
    starts, partners, costs = penalties.by_sample(n_samples)
    labels = np.full(n_samples, -1, dtype=np.int32)
    distances = np.ascontiguousarray(distortion.distances(X, centers))
    spent = 0.0
    history: list[float] = []
    for _ in range(max_iter):
        moved = icm_sweep(distances, starts, partners, costs, rng.permutation(n_samples), labels)
        if not moved:
            history.append(history[-1])
            break
        centers = distortion.centers(X, labels, centers)
        distances = np.ascontiguousarray(distortion.distances(X, centers))
        spent = float(distances[np.arange(n_samples), labels].sum())
        history.append(spent + penalties.total(labels))
    return Partition(labels, centers, spent, history)
