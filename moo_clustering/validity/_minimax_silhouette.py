"""Mean silhouette along paths of short steps."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from moo_clustering._distances import MAX_MEMORY
from moo_clustering.validity._base import FloatArray, IntArray
from moo_clustering.validity._population import check_option, require_fitted
from moo_clustering.validity._shared_data_index import SharedDataIndex
from moo_clustering.validity._silhouette import Silhouette


class MinimaxSilhouette(SharedDataIndex):
    """Mean silhouette where two samples are as far apart as the longest step of the best path; maximise.

    The minimax distance of two samples is the least length such that steps of at most that length lead
    from one to the other: the longest link between them in a minimum spanning tree. Long thin clusters
    are compact in it, and clusters joined by a bridge are one.

    Parameters
    ----------
    metric : {"euclidean", "precomputed"}, default="euclidean"
    max_memory : int, default=4 GiB
        Limit in bytes for two matrices of distances.

    Attributes
    ----------
    n_samples_ : int

    Notes
    -----
    One cluster: -1; a sample alone in its cluster counts 0. O(n^2) memory, O(n^2) time to fit and
    O(q n^2 min(k, 10)) for q partitions.

    References
    ----------
    ParetoClustering: silhouette of minimax paths; Rousseeuw, Journal of Computational and Applied
    Mathematics 20, 1987.

    Examples
    --------
    >>> MinimaxSilhouette().fit([[0.0], [1.0], [2.0], [7.0], [8.0]]).evaluate([0, 0, 0, 1, 1])
    array([0.8])
    """

    name: ClassVar[str] = "minimax_silhouette"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    _silhouette: Silhouette

    def __init__(
        self, metric: Literal["euclidean", "precomputed"] = "euclidean", *, max_memory: int = MAX_MEMORY
    ) -> None:
        self.metric = metric
        self.max_memory = max_memory

    def fit(self, data: ArrayLike) -> Self:
        # The graphs room takes long to import.
        from moo_clustering.graphs._minimax import minimax_distances
        from moo_clustering.graphs._spanning_tree import euclidean_mst

        check_option("metric", self.metric, ("euclidean", "precomputed"))
        X = check_array(data, dtype=np.float64, input_name="data")
        self._check_memory(len(X))
        # Equal lengths may make another tree, but no longest link of another length.
        tree = euclidean_mst(X, metric=self.metric, root=0, ties="index")
        self._silhouette = Silhouette("precomputed", max_memory=self.max_memory)
        self._silhouette.fit(minimax_distances(tree))
        self.n_samples_ = len(X)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        return self._silhouette.evaluate(labels)

    def _check_memory(self, n_samples: int) -> None:
        if isinstance(self.max_memory, bool) or not isinstance(self.max_memory, int | float | np.number):
            raise TypeError(f"max_memory must be a number of bytes, got {self.max_memory!r}")
        needed = 16 * n_samples**2
        if needed > self.max_memory:
            raise ValueError(
                f"MinimaxSilhouette needs two matrices of distances of {n_samples} samples, "
                f"{needed / 2**30:.3g} GiB, more than max_memory={self.max_memory} bytes "
                f"({self.max_memory / 2**30:.3g} GiB); raise max_memory or score a subsample"
            )
