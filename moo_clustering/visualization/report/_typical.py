"""Samples that are typical of clusters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.visualization.report._cluster_features import cluster_indicators
from moo_clustering.visualization.report._sampled_distances import SampledDistances
from moo_clustering.visualization.report._samples import Samples

Floats = NDArray[np.float64]
Rows = tuple[int, ...]

N_TYPICAL = 5


def typical_rows(
    samples: Samples,
    labels: NDArray[np.int32],
    medoids: NDArray[np.int64] | None,
    distances: SampledDistances,
    to_own: Floats,
) -> list[Rows]:
    """Samples nearest to the middle of their cluster, for cluster 0, 1, ...; of equals the first.

    The middle is the mean of the cluster, in direction for cosine distances; of bags and given distances
    the samples of least mean distance to their cluster come first, of those that are looked at. A medoid
    of the method comes before all.

    Parameters
    ----------
    samples : Samples
    labels : ndarray of shape (n_samples,)
    medoids : ndarray of shape (n_clusters,) or None
    distances : SampledDistances
    to_own : ndarray
        See :class:`Cohesion`.
    """
    n_clusters = int(labels.max()) + 1
    if samples.kind in ("bags", "distances"):
        rows, keys = distances.rows, to_own
    else:
        rows, keys = np.arange(len(labels)), _from_means(samples, labels)
    found = _nearest(rows, labels[rows], keys, n_clusters)
    if medoids is None or len(medoids) != n_clusters:
        return found
    own = np.asarray(medoids)
    if not np.array_equal(labels[own], np.arange(n_clusters)):
        return found
    return [
        (int(medoid), *(row for row in nearest if row != medoid))[:N_TYPICAL]
        for medoid, nearest in zip(own, found, strict=True)
    ]


def _nearest(rows: NDArray[np.intp], own: NDArray[np.int32], keys: Floats, n_clusters: int) -> list[Rows]:
    # Rounding must not decide between equal samples.
    order = np.lexsort((rows, np.round(keys, 12), own))
    starts = np.searchsorted(own[order], np.arange(n_clusters + 1))
    return [
        tuple(rows[order[start : min(start + N_TYPICAL, stop)]].tolist())
        for start, stop in pairwise(starts.tolist())
    ]


def _from_means(samples: Samples, labels: NDArray[np.int32]) -> Floats:
    """Squared distance from the mean of the own cluster, or what orders samples alike."""
    points, members = samples.points, cluster_indicators(labels)
    sizes = np.maximum(np.bincount(labels[labels >= 0], minlength=members.shape[0]), 1)
    totals = members @ points
    keys = np.zeros(len(labels))
    if sparse.issparse(points):
        # Of unit length or empty: the larger the product with the mean, the nearer.
        order = members.indices
        for cluster, (start, stop) in enumerate(pairwise(members.indptr.tolist())):
            inside = order[start:stop]
            mean = totals[[cluster]].toarray().ravel() / sizes[cluster]
            keys[inside] = -(points[inside] @ mean)
        return keys
    means = totals / sizes[:, None]
    inside = np.flatnonzero(labels >= 0)
    difference = points[inside] - means[labels[inside]]
    keys[inside] = np.einsum("ij,ij->i", difference, difference)
    return keys
