"""Distances to centres and within pairs, as the k-means family measures them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize

FloatArray = NDArray[np.float64]
Features = Any  # ndarray or CSR matrix of float64

_BLOCK = 2**22  # entries of a block: 32 MiB


class Distortion(Protocol):
    """A measure of distance whose sum to a centre has a minimiser in closed form."""

    def offset(self, X: Features) -> FloatArray | float:
        """Where the origin had better be for samples like X."""

    def moved(self, X: Features, offset: FloatArray | float) -> Features:
        """Samples as the other methods take them."""

    def distances(self, X: Features, centers: FloatArray) -> FloatArray:
        """Distortions of all samples, shape (n_samples, n_centers), at least 0."""

    def centers(self, X: Features, labels: NDArray[np.int32], former: FloatArray) -> FloatArray:
        """Best centres of the clusters; clusters without one keep the former."""

    def group_centers(self, X: Features, labels: NDArray[np.int32], n_groups: int) -> Features:
        """Best centres of groups that all have members; sparse where X is."""

    def within(self, X: Features, pairs: NDArray[np.int64]) -> FloatArray:
        """Distortion between the samples of each pair."""

    def largest(self, X: Features) -> float:
        """Largest distortion between two samples."""

    def separation(self, distances: FloatArray) -> FloatArray:
        """Distances that grow evenly, of distortions."""


class Euclidean:
    """Squared Euclidean distance; centres are means."""

    def offset(self, X: Features) -> FloatArray | float:
        """The mean where X is dense, since large means cost digits."""
        mean: FloatArray | float = 0.0 if sparse.issparse(X) else X.mean(axis=0)
        return mean

    def moved(self, X: Features, offset: FloatArray | float) -> Features:
        """Relative to the new origin."""
        return X if sparse.issparse(X) else X - offset

    def distances(self, X: Features, centers: FloatArray) -> FloatArray:
        """O(n_samples n_centers n_features)."""
        squared: FloatArray = euclidean_distances(X, centers, squared=True)
        return squared

    def centers(self, X: Features, labels: NDArray[np.int32], former: FloatArray) -> FloatArray:
        """Means."""
        empty = np.bincount(labels, minlength=len(former)) == 0
        return np.where(empty[:, None], former, _dense(_means(X, labels, len(former))))

    def group_centers(self, X: Features, labels: NDArray[np.int32], n_groups: int) -> Features:
        """Means."""
        return _means(X, labels, n_groups)

    def within(self, X: Features, pairs: NDArray[np.int64]) -> FloatArray:
        """In blocks."""
        out = np.empty(len(pairs))
        step = max(1, _BLOCK // max(1, X.shape[1]))
        for lo in range(0, len(pairs), step):
            i, j = pairs[lo : lo + step].T
            difference = X[i] - X[j]
            if sparse.issparse(X):
                out[lo : lo + step] = np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
            else:
                out[lo : lo + step] = np.einsum("ij,ij->i", difference, difference)
        return out

    def largest(self, X: Features) -> float:
        """O(n_candidates^2 n_features), candidates being far enough from the mean for a largest pair."""
        mean = np.asarray(X.mean(axis=0)).reshape(1, -1)
        radius = np.sqrt(self.distances(X, mean)[:, 0])
        outermost = X[[int(radius.argmax())]]
        found = float(np.sqrt(euclidean_distances(X, outermost, squared=True).max()))
        far = X[np.flatnonzero(radius >= found - radius.max() - 1e-9 * found)]
        step = max(1, _BLOCK // far.shape[0])
        blocks = (far[lo : lo + step] for lo in range(0, far.shape[0], step))
        return max(float(euclidean_distances(block, far, squared=True).max()) for block in blocks)

    def separation(self, distances: FloatArray) -> FloatArray:
        """Distances."""
        return np.sqrt(distances)


class Cosine:
    """1 - cos on rows of unit length; centres are mean directions. Rows of zeros are at distance 1."""

    def offset(self, X: Features) -> FloatArray | float:
        """None: the origin has a meaning."""
        return 0.0

    def moved(self, X: Features, offset: FloatArray | float) -> Features:
        """Rows of unit length."""
        return normalize(X)

    def distances(self, X: Features, centers: FloatArray) -> FloatArray:
        """O(n_samples n_centers n_features)."""
        return np.maximum(1.0 - np.asarray(X @ centers.T), 0.0)

    def centers(self, X: Features, labels: NDArray[np.int32], former: FloatArray) -> FloatArray:
        """Mean directions; clusters whose members cancel out keep their centre too."""
        means = _dense(_means(X, labels, len(former)))
        length = np.linalg.norm(means, axis=1, keepdims=True)
        return np.where(length > 1e-12, means / np.maximum(length, 1e-12), former)

    def group_centers(self, X: Features, labels: NDArray[np.int32], n_groups: int) -> Features:
        """Mean directions."""
        return normalize(_means(X, labels, n_groups))

    def within(self, X: Features, pairs: NDArray[np.int64]) -> FloatArray:
        """Half the squared distance of unit vectors, which keeps digits where they are near; else 1."""
        zero = self._zero(X)
        half = 0.5 * Euclidean().within(X, pairs)
        return np.where(zero[pairs].any(axis=1), 1.0, half)

    def largest(self, X: Features) -> float:
        """As for Euclidean distances."""
        zero = self._zero(X)
        among = 0.5 * Euclidean().largest(X[np.flatnonzero(~zero)]) if not zero.all() else 0.0
        return max(among, 1.0) if zero.any() and len(zero) > 1 else among

    def separation(self, distances: FloatArray) -> FloatArray:
        """Distortions themselves."""
        return distances

    def _zero(self, X: Features) -> NDArray[np.bool_]:
        return np.asarray(abs(X).sum(axis=1)).ravel() == 0


DISTORTIONS: dict[str, Distortion] = {"euclidean": Euclidean(), "cosine": Cosine()}


def _means(X: Features, labels: NDArray[np.int32], n_clusters: int) -> Features:
    """Means of the clusters, zero for those without samples."""
    n = len(labels)
    shares = 1.0 / np.bincount(labels, minlength=n_clusters)[labels]
    return sparse.csr_array((shares, (labels, np.arange(n))), shape=(n_clusters, n)) @ X


def _dense(X: Features) -> FloatArray:
    dense: FloatArray = X.toarray() if sparse.issparse(X) else np.asarray(X)
    return dense
