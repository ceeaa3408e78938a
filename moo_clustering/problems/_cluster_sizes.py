"""The smallest cluster as a constraint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class LeastClusterSize:
    """How many samples the smallest cluster lacks; feasible where that is at most 0.

    One of the ``inequalities`` of :class:`~moo_clustering.problems.PartitionProblem`.

    Parameters
    ----------
    min_cluster_size : int
    n_clusters : int
        Clusters there must be; one that is missing has no samples.
    """

    def __init__(self, min_cluster_size: int, n_clusters: int) -> None:
        self.min_cluster_size = min_cluster_size
        self.n_clusters = n_clusters

    def __call__(self, labels: NDArray[np.int32]) -> NDArray[np.float64]:
        width = max(self.n_clusters, int(labels.max(initial=0)) + 1)
        flat = (labels + np.arange(len(labels))[:, None] * width).ravel()
        sizes = np.bincount(flat, minlength=len(labels) * width).reshape(-1, width)
        least = np.where((sizes > 0) | (np.arange(width) < self.n_clusters), sizes, labels.shape[1])
        return np.asarray(self.min_cluster_size - least.min(axis=1), dtype=np.float64)
