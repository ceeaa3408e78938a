"""Encoding by cluster labels, one gene per sample."""

import numpy as np

from moo_clustering._arrays import IntArray, Labels
from moo_clustering.encodings import base


class LabelEncoding(base.Encoding):
    """Encoding by cluster labels: gene i is the label of sample i, from 0 to k_max - 1.

    Clusters are numbered arbitrarily. Each method takes O(n_individuals (n_samples + k_max)) time.

    Parameters
    ----------
    n_samples : int
    k_max : int
        Maximum number of clusters.
    k_min : int, default=1
        Minimum number of clusters.

    Examples
    --------
    >>> LabelEncoding(4, k_max=3).decode([[2, 2, 0, 2]])
    array([[0, 0, 1, 0]], dtype=int32)
    """

    dtype = np.dtype(np.int32)

    def __init__(self, n_samples: int, k_max: int, k_min: int = 1) -> None:
        self.k_min, self.k_max = base.checked_cluster_range(k_min, k_max, n_samples)
        self.n_samples = self.n_var = int(n_samples)

    def bounds(self) -> tuple[IntArray, IntArray]:
        lower = np.zeros(self.n_var, dtype=self.dtype)
        return lower, np.full(self.n_var, self.k_max - 1, dtype=self.dtype)

    def decode(self, X: IntArray) -> Labels:
        """Return contiguous labels, numbered by first appearance."""
        X = base.checked_genes(X, self.n_var)
        return base.relabel_by_first_appearance(base.checked_within(X, 0, self.k_max - 1))

    def encode(self, labels: IntArray) -> IntArray:
        """Number clusters by first appearance.

        If there are more than ``k_max`` clusters, the ``k_max - 1`` largest (on ties, the first) are kept,
        and the others are merged. If there are fewer than ``k_min``, they are split as in :meth:`repair`.
        """
        X = base.relabel_by_first_appearance(base.checked_labels(labels, self.n_samples))
        for q in np.flatnonzero(X.max(axis=1, initial=0) >= self.k_max):
            largest = np.argsort(-np.bincount(X[q]), kind="stable")
            number = np.full(len(largest), self.k_max - 1, dtype=self.dtype)
            number[largest[: self.k_max - 1]] = np.arange(self.k_max - 1)
            X[q] = number[X[q]]
        return self.repair(base.relabel_by_first_appearance(X))

    def repair(self, X: IntArray) -> IntArray:
        """Round genes, clip them to 0..k_max-1, and split clusters until there are ``k_min`` clusters.

        A split moves the last sample of the largest cluster (on ties, the first) to the lowest unused label.
        """
        X = np.clip(base.rounded_genes(X, self.n_var), 0, self.k_max - 1).astype(self.dtype)
        rows = np.arange(len(X))[:, None] * self.k_max
        sizes = np.bincount((X + rows).ravel(), minlength=len(X) * self.k_max).reshape(-1, self.k_max)
        for q in np.flatnonzero((sizes > 0).sum(axis=1) < self.k_min):
            for _ in range(self.k_min - np.count_nonzero(sizes[q])):
                largest, free = sizes[q].argmax(), sizes[q].argmin()
                X[q, np.flatnonzero(X[q] == largest)[-1]] = free
                sizes[q, largest] -= 1
                sizes[q, free] += 1
        return X

    def canonical(self, X: IntArray) -> IntArray:
        """Number the clusters by first appearance, so that equal partitions have equal genes."""
        return self.decode(X)

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Draw K uniformly from k_min..k_max, genes from 0..K-1, and split clusters until there are k_min."""
        k = rng.integers(self.k_min, self.k_max + 1, size=(n_individuals, 1))
        return self.repair(rng.integers(0, k, size=(n_individuals, self.n_var), dtype=np.int32))
