"""Silhouette of bags."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from moo_clustering._distances import MAX_MEMORY
from moo_clustering._kernels.parts import for_parts
from moo_clustering.validity._bag_data import bags_of, check_bag_population
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._population import check_option, require_fitted

KINDS = ("directed", "symmetric", "mean_min", "min_min", "mean", "precomputed")


class BagSilhouette(ValidityIndex):
    """Mean silhouette (b - a) / max(a, b) of the bags; maximise.

    a is the mean distance from a bag to the others of its cluster, b the least of its mean distances
    to the other clusters. Distances go from the bag that is scored, which matters for kinds that are
    not symmetric.

    Parameters
    ----------
    kind : str, default="directed"
        Distance of bags: ``"directed"``, ``"symmetric"``, ``"mean_min"``, ``"min_min"`` or ``"mean"`` as
        for :func:`~moo_clustering.bags.bag_distances`; or ``"precomputed"``, where ``fit`` takes a matrix
        with the distance from i to j in row i, of which the diagonal is not looked at.
    average : {"cluster", "bag"}, default="cluster"
        Mean over the clusters of their mean silhouettes (Eq. 12), or over all bags.
    max_memory : int, default=4 GiB
        Limit in bytes for the distances and their transpose.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Notes
    -----
    ``fit`` takes Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``. Labels
    may leave out numbers: only occupied clusters count. A bag alone in its cluster, or with a = b = 0,
    counts 0, and so does one cluster.

    Distances O(n^2 d) for n instances of d features. Then O(p N (N + K)) time for p individuals of K
    clusters of N bags, and O(N^2) memory.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 12-14.

    Examples
    --------
    >>> from moo_clustering.validity import BagSilhouette
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagSilhouette().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([0.5202])
    """

    name: ClassVar[str] = "bag_silhouette"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    _columns: NDArray[np.float64]

    def __init__(
        self,
        kind: Literal["directed", "symmetric", "mean_min", "min_min", "mean", "precomputed"] = "directed",
        average: Literal["cluster", "bag"] = "cluster",
        *,
        max_memory: int = MAX_MEMORY,
        n_jobs: int | None = None,
    ) -> None:
        self.kind = kind
        self.average = average
        self.max_memory = max_memory
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        check_option("kind", self.kind, KINDS)
        check_option("average", self.average, ("cluster", "bag"))
        H = self._given(data) if self.kind == "precomputed" else self._measured(data)
        # A bag's distances to a cluster are a sum over columns; rows of the transpose are adjacent.
        self._columns = H.T.copy()
        np.fill_diagonal(self._columns, 0.0)
        self.n_samples_ = len(H)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        # Loaded here, as in fit, because most who import this room have no bags.
        from moo_clustering._kernels.bag_silhouette import silhouette_means
        from moo_clustering._kernels.bag_sums import column_width

        require_fitted(self, "n_samples_")
        population = check_bag_population(labels, self.n_samples_)
        values = np.zeros(len(population.labels))
        n, width = self.n_samples_, int(column_width(self.n_samples_, 8))

        def kernel(lo: int, hi: int) -> None:
            silhouette_means(self._columns, *population, width, self.average == "cluster", values, lo, hi)

        for_parts(kernel, len(values), float(len(values)) * n * n, self.n_jobs)
        return values

    def _measured(self, data: Any) -> FloatArray:
        from moo_clustering.bags import bag_distances

        bags = bags_of(data)
        self._check_memory(bags.n_bags)
        return bag_distances(bags, kind=self.kind, n_jobs=self.n_jobs)  # type: ignore[arg-type]

    def _given(self, data: Any) -> FloatArray:
        H: FloatArray = check_array(data, dtype=np.float64, input_name="data")
        if H.shape[0] != H.shape[1]:
            raise ValueError(f'kind="precomputed" needs a square matrix, got shape {H.shape}')
        self._check_memory(len(H))
        if (H < 0.0).any():
            raise ValueError(f'kind="precomputed" needs distances, got a negative one, {H.min():g}')
        return H

    def _check_memory(self, n_bags: int) -> None:
        needed = 16 * n_bags**2
        if needed > self.max_memory:
            raise ValueError(
                f"BagSilhouette needs {needed / 2**30:.1f} GiB for the distances of {n_bags} bags, more "
                f"than max_memory={self.max_memory} bytes"
            )
