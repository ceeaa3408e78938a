"""Means of the Ward cut."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import AgglomerativeClustering

from moo_clustering.problems._center_encoding import FloatArray
from moo_clustering.problems._sum_of_squares import SumOfSquaresProblem

# Above, searches don't start from a Ward cut unless that is what was asked for.
WARD_SAMPLES = 8000


def ward_centers(problem: SumOfSquaresProblem) -> FloatArray:
    """Means of the clusters at the cut of Ward's hierarchy, (n_clusters, n_features).

    Counts as 1.5 n_samples^2 distances: one for each pair, and an update for each entry of the matrix. In
    seconds it is up to ten times as much, since the matrix is far from the processor.
    """
    n = problem.n_samples
    problem.encoding.n_distances += 3 * n * n // 2
    labels = np.zeros(n, dtype=np.int64)
    if problem.n_clusters > 1:
        labels = AgglomerativeClustering(problem.n_clusters, linkage="ward").fit(problem.points).labels_
    return problem.encoding.centers(problem.encoding.encode(labels[np.newaxis]))[0]


def check_ward_memory(n_samples: int, max_memory: int) -> None:
    """Refuse distances of all pairs that do not fit.

    Raises
    ------
    ValueError
    """
    needed = 4 * n_samples * (n_samples - 1)
    if needed > max_memory:
        raise ValueError(
            f"a Ward cut needs the distances of all pairs of {n_samples} samples, {needed} bytes, and "
            f"max_memory is {max_memory}; use another strategy than 'ward', ward_start=False and no "
            "report_controls, or a larger max_memory."
        )
