"""Separation and density indices for clusters of any shape: Dunn, DBCV and CDbw."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from moo_clustering._arrays import FloatArray, IntpArray, Labels, block_slices, choice, integer
from moo_clustering._distances import MAX_MEMORY, centred_features, check_memory, distance_matrix
from moo_clustering._kernels.trees import density_validity
from moo_clustering.validity.base import CentredIndex, Population, PopulationIndex, mean_square_distance
from moo_clustering.validity.internal import FLOOR


class Dunn(PopulationIndex):
    """Smallest distance between clusters divided by the largest distance within a cluster, maximised.

    The value is 0 for a single cluster and for a partition into singletons. Takes O(p n^2) time for p
    individuals and O(n^2) memory. Source: Dunn, Journal of Cybernetics 4(1), 1974.
    """

    name, greater_is_better = "dunn", True

    def fit(self, data: ArrayLike) -> Self:
        X = centred_features(data)
        self._D = distance_matrix(X, "euclidean", MAX_MEMORY, "Dunn")
        self._floor = FLOOR * np.sqrt(mean_square_distance(X))
        self.n_samples_ = len(X)
        return self

    def _score(self, population: Population) -> FloatArray:
        values = np.zeros(len(population.labels))
        for q in np.flatnonzero((population.n_clusters > 1) & (population.n_clusters < self.n_samples_)):
            same = population.labels[q][:, np.newaxis] == population.labels[q]
            apart, wide = np.min(self._D, where=~same, initial=np.inf), np.max(self._D, where=same, initial=0)
            values[q] = apart / max(wide, self._floor) if self._floor > 0 else 0.0
        return values


@dataclass(eq=False, repr=False)
class DBCV(PopulationIndex):
    """Density-based validation: cluster separation compared with sparseness within clusters, maximised.

    Each cluster has a minimum spanning tree of mutual reachability distances. Sparseness is the longest inner
    edge of the tree. Separation is the smallest mutual reachability distance from inner samples (non-leaves
    of the tree) to inner samples of another cluster. The value, from -1 to 1, is the mean over samples of
    their cluster's (separation - sparseness) / max(separation, sparseness). It is -1 for a single cluster.
    Singletons score 0, like noise in the paper. Samples with duplicates have core distance 0. Ties of
    distances are frequent; programs break them differently. Takes O(p n^2) time for p individuals, and 16 n^2
    bytes of memory. Source: Moulavi, Jaskowiak, Campello, Zimek & Sander, SIAM Data Mining, 2014, Defs. 1-8.

    Parameters
    ----------
    variant : {"distance", "published"}, default="distance"
        ``"distance"``: Euclidean distances (as in the paper); ties in reachability are broken by distance.
        ``"published"``: squared Euclidean distances (as in published Python code); sample order breaks ties.

    Examples
    --------
    >>> from moo_clustering.validity import DBCV
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> DBCV().fit(X).evaluate([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]]).round(3)
    array([ 0.867, -0.192])
    """

    name, greater_is_better = "dbcv", True

    variant: Literal["distance", "published"] = "distance"

    def fit(self, data: ArrayLike) -> Self:
        choice("variant", self.variant, ("distance", "published"))
        X = centred_features(data)
        check_memory(len(X), MAX_MEMORY, "DBCV", 2)
        self._D = D = distance_matrix(X, "euclidean", MAX_MEMORY, "DBCV")
        if self.variant == "published":
            np.square(D, out=D)
        self.n_samples_, self._d = X.shape
        # Distances are divided by that of the nearest sample, because their inverse powers could overflow.
        self._nearest = np.min(D, axis=1, where=D > 0, initial=np.inf)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            self._closeness = (self._nearest[:, np.newaxis] / D) ** self._d
        self._closeness[D == 0] = np.inf
        np.fill_diagonal(self._closeness, 0.0)
        self._nearest[np.isinf(self._nearest)] = 1.0
        return self

    def _score(self, population: Population) -> FloatArray:
        values = np.empty(len(population.labels))
        density_validity(
            self._D, self._closeness, self._nearest, self._d, population.labels, population.sizes,
            self.variant == "distance", values,
        )  # fmt: skip
        return values


@dataclass(eq=False, repr=False)
class CDbw(CentredIndex):
    """Density within and between clusters: cohesion times compactness times separation, maximised.

    A cluster's representatives are samples far from its mean and from each other. Compactness is the mean
    density around the representatives while they are moved towards the mean. Cohesion is low if this density
    changes. Separation is the mean over clusters of the distance to the nearest cluster, divided by 1 plus
    the mean over clusters of the highest density between the cluster and another cluster. Distances between
    clusters are means over mutually nearest representatives. The value is 0 for a single cluster and if each
    cluster consists of duplicates. Takes O(p k n r d) time for p individuals and r representatives, and O(n
    d) memory. Source: Halkidi & Vazirgiannis, Pattern Recognition Letters 29(6), 2008.

    Parameters
    ----------
    n_representatives : int, default=10
        Maximum number of representatives per cluster.
    """

    name, greater_is_better = "cdbw", True

    n_representatives: int = 10

    def fit(self, data: ArrayLike) -> Self:
        integer("n_representatives", self.n_representatives)
        return super().fit(data)

    def _score(self, population: Population) -> FloatArray:
        return np.array([self._value(row) if row.any() else 0.0 for row in population.labels])

    def _value(self, labels: Labels) -> float:
        sizes = np.bincount(labels)
        cuts = np.cumsum(sizes)[:-1]
        X = self._X[np.argsort(labels, kind="stable")]
        clusters = np.split(X, cuts)
        # reduceat is not used, because its rounding would break ties between distances to a mean.
        means = np.array([points.sum(axis=0) for points in clusters]) / sizes[:, np.newaxis]
        squares = np.split((X - np.repeat(means, sizes, axis=0)) ** 2, cuts)
        spread = (np.array([parts.sum(axis=0) for parts in squares]) / sizes[:, np.newaxis]).sum(axis=1)
        stdev = float(np.sqrt(spread.mean()))
        if stdev == 0.0:
            return 0.0
        chosen = list(map(self._representatives, clusters, means))
        far, n_far = np.concatenate(chosen), np.array(list(map(len, chosen)))
        owner = np.repeat(np.arange(len(sizes)), n_far)
        shrunk = far + np.arange(1, 9)[:, np.newaxis, np.newaxis] / 10 * (means[owner] - far)
        near = self._near(clusters, shrunk.reshape(-1, X.shape[1]), np.tile(owner, len(shrunk)), stdev)
        inside = (near.reshape(len(shrunk), -1) / (n_far * sizes)[owner]).sum(axis=1) / len(sizes) / stdev
        compactness = inside.mean()
        cohesion = compactness / (1.0 + np.abs(np.diff(inside)).mean())
        return float(cohesion * self._separation(clusters, far, n_far, np.sqrt(spread)) * compactness)

    def _near(
        self, clusters: list[FloatArray], points: FloatArray, owner: IntpArray, radii: FloatArray | float
    ) -> IntpArray:
        """For each point, count the samples in the cluster ``owner`` whose distance is at most ``radii``."""
        counts, limits = np.zeros(len(points), dtype=np.intp), np.broadcast_to(radii, len(points))
        ends = np.cumsum(np.bincount(owner, minlength=len(clusters)))
        members = np.split(np.argsort(owner, kind="stable"), ends[:-1])
        for samples, own in zip(clusters, members, strict=True):
            for part in block_slices(len(own), len(samples)):
                rows = own[part]
                counts[rows] = (cdist(points[rows], samples) <= limits[rows, np.newaxis]).sum(axis=1)
        return counts

    def _representatives(self, points: FloatArray, mean: FloatArray) -> FloatArray:
        """Select samples that are far from the mean and from each other.

        The first sample is the farthest from the mean. Each further sample is the farthest from all samples
        that were selected before.
        """
        distance = cdist(points, mean[np.newaxis])[:, 0]
        chosen = [int(distance.argmax())]
        distance = cdist(points, points[chosen])[:, 0]
        while len(chosen) < self.n_representatives and distance.max() > 0:
            chosen.append(int(distance.argmax()))
            distance = np.minimum(distance, cdist(points, points[chosen[-1:]])[:, 0])
        return points[chosen]

    def _separation(
        self, clusters: list[FloatArray], far: FloatArray, n_far: IntpArray, spread: FloatArray
    ) -> float:
        k, sizes, starts = len(clusters), np.array(list(map(len, clusters))), np.cumsum(n_far) - n_far
        owner, nearest, densest = np.repeat(np.arange(k), n_far), np.full(k, np.inf), np.zeros(k)
        for block in block_slices(k, 4 * len(far) * int(n_far.max())):
            first, stop = starts[block.start], starts[block.stop - 1] + n_far[block.stop - 1]
            D = cdist(far[first:stop], far[:stop])
            # ``facing`` is a mask of the pairs of representatives that are mutually nearest between two
            # clusters. Each pair is found once, from the cluster with the higher number.
            least = np.minimum.reduceat(D, starts[block] - first, axis=0)
            a, b = np.nonzero(np.repeat(least, n_far[block], axis=0) == D)
            least = np.minimum.reduceat(D, starts[: block.stop], axis=1)
            facing = (owner[a + first] > owner[b]) & (least[a, owner[b]] == D[a, b])
            gap, a, b = D[a, b][facing], a[facing] + first, b[facing]
            i, j = owner[a], owner[b]
            width, middle, share = (spread[i] + spread[j]) / 2, (far[a] + far[b]) / 2, np.zeros(len(a))
            some = np.flatnonzero(width > 0)
            for side in (i, j):
                share[some] += self._near(clusters, middle[some], side[some], width[some])
            share[some] *= gap[some] / (2 * width * (sizes[i] + sizes[j]))[some]
            cell, shape = (i - block.start) * k + j, (block.stop - block.start, k)
            n_facing = np.bincount(cell, minlength=shape[0] * k).reshape(shape)
            sums = [np.bincount(cell, w, shape[0] * k).reshape(shape) for w in (gap, share)]
            apart = np.divide(sums[0], n_facing, out=np.full(shape, np.inf), where=n_facing > 0)
            dense = sums[1] / np.maximum(n_facing, 1)
            nearest = np.minimum(nearest, apart.min(axis=0))
            densest = np.maximum(densest, dense.max(axis=0))
            nearest[block] = np.minimum(nearest[block], apart.min(axis=1))
            densest[block] = np.maximum(densest[block], dense.max(axis=1))
        return float(nearest.mean() / (1.0 + densest.mean()))
