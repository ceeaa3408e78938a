"""Features in which clusters stand out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.visualization.report._samples import Samples

Floats = NDArray[np.float64]
Leading = tuple[tuple[str, float], ...]

N_FEATURES = 10
# Of means in standard deviations.
_ROUNDING = 1e-9


class LeadingFeatures:
    """Leading features of the clusters of any partition of the same samples.

    Of tables the features whose mean in the cluster is farthest from that of all samples, in standard
    deviations, with sign; of sparse weights those of the largest mean in the cluster; of presence, 0 and 1,
    those most above the mean of all samples.

    Parameters
    ----------
    samples : Samples
        With a table.
    n_features : int, default=10
        Of every cluster.
    """

    def __init__(self, samples: Samples, n_features: int = N_FEATURES) -> None:
        self._names, self._most = samples.feature_names, n_features
        self._table, self._overall = samples.table, None
        self._sparse = sparse.issparse(samples.table)
        if not self._sparse:
            self._table = standardised(samples.table)
        elif is_presence(samples.table):
            self._overall = np.asarray(samples.table.mean(axis=0)).ravel()

    def of(self, labels: NDArray[np.int32]) -> list[Leading]:
        """Leading features of cluster 0, 1, ...; samples in no cluster (-1) do not count."""
        totals = cluster_indicators(labels) @ self._table
        sizes = np.maximum(np.bincount(labels[labels >= 0], minlength=totals.shape[0]), 1)
        if self._sparse:
            return [self._of_sparse(totals[[cluster]] / size) for cluster, size in enumerate(sizes)]
        return [self._of_dense(row / size) for row, size in zip(totals, sizes, strict=True)]

    def _of_dense(self, means: Floats) -> Leading:
        order = np.argsort(-np.abs(means), kind="stable")[: self._most]
        return tuple(
            (self._names[column], float(means[column])) for column in order if abs(means[column]) > _ROUNDING
        )

    def _of_sparse(self, row: Any) -> Leading:
        row = sparse.csr_array(row)
        columns, weights = row.indices, row.data
        if self._overall is not None:
            weights = weights - self._overall[columns]
        if len(weights) > self._most:
            # All that are as large as the last one wanted, of which there may be several.
            least = np.partition(weights, -self._most)[-self._most]
            kept = weights >= least
            columns, weights = columns[kept], weights[kept]
        order = np.lexsort((columns, -weights))[: self._most]
        return tuple((self._names[columns[i]], float(weights[i])) for i in order if weights[i] > 0.0)


def is_presence(table: Any) -> bool:
    """Whether sparse rows say of features only that they are there."""
    return bool((table.data == 1.0).all())


def cluster_indicators(labels: NDArray[np.int32]) -> Any:
    """Sparse matrix of shape (n_clusters, n_samples), 1 for the samples of a cluster."""
    inside = np.flatnonzero(labels >= 0)
    shape = max(int(labels.max()) + 1, 0), len(labels)
    return sparse.csr_array((np.ones(len(inside)), (labels[inside], inside)), shape=shape)


def standardised(table: Floats) -> Floats:
    """Features of mean 0 and standard deviation 1; constant ones 0."""
    # By the largest first, so that squares of huge and tiny numbers stay within bounds.
    largest = np.abs(table).max(axis=0)
    unit = table / np.where(largest > 0.0, largest, 1.0)
    unit = unit - unit.mean(axis=0)
    spread = unit.std(axis=0)
    # What is left of a constant feature is rounding.
    varies = spread > 1e-12
    return np.where(varies, unit / np.where(varies, spread, 1.0), 0.0)
