"""Connectivity, the continuity objective of MOCK."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from moo_clustering._distances import Metric
from moo_clustering._kernels.partitions import count_split_neighbors
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._neighbors import check_neighbors, nearest_others
from moo_clustering.validity._population import check_option, check_population, require_fitted


class Connectivity(ValidityIndex):
    """Sum over samples i and ranks r = 1..L of 1/r where i and its r-th neighbour are split; minimise.

    Parameters
    ----------
    n_neighbors : int, default=10
        L. With fewer than L other samples, all of them are used, with a warning.
    metric : str or callable, default="euclidean"
        What :class:`sklearn.neighbors.NearestNeighbors` takes, or ``"precomputed"``.
    ties : {"random", "index"}, default="random"
        Order of equally distant neighbours: by a random permutation of the samples, or by index.
        Index order leaks the classes of class-sorted data where ties are frequent.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of that permutation.
    neighbors : ndarray of shape (n_samples, at least n_neighbors), optional
        Nearest other samples of every sample, nearest first, to use in place of a search; then
        ``metric``, ``ties`` and ``random_state`` have no effect.
    variant : {"rank", "published"}, default="rank"
        ``"published"`` does as the delta-MOCK program: the list starts with the sample itself, so
        that neighbours 1..L-1 weigh 1/2..1/L.

    Attributes
    ----------
    neighbors_ : ndarray of shape (n_samples, n_used)
        The neighbours in use.
    weights_ : ndarray of shape (n_used,)
        Their weights.

    Notes
    -----
    Defined for every partition; 0 for one cluster. Neighbours are counted per rank in integers, so
    renaming clusters or reordering samples does not change a digit.

    O(p n L) time for p individuals, O(n L) memory, apart from the search of the neighbours.

    References
    ----------
    Handl & Knowles, IEEE TEVC 11(1), 2007, Eq. 6.

    Examples
    --------
    >>> from moo_clustering.validity import Connectivity
    >>> index = Connectivity(n_neighbors=2).fit([[0.0], [1.0], [3.0], [7.0]])
    >>> index.evaluate([[0, 0, 1, 1], [0, 0, 0, 0]])
    array([3., 0.])
    """

    name: ClassVar[str] = "connectivity"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    neighbors_: NDArray[np.int32]
    weights_: NDArray[np.float64]

    def __init__(
        self,
        n_neighbors: int = 10,
        metric: Metric = "euclidean",
        *,
        ties: Literal["random", "index"] = "random",
        random_state: int | np.random.Generator | None = 0,
        neighbors: NDArray[np.integer[Any]] | None = None,
        variant: Literal["rank", "published"] = "rank",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.ties = ties
        self.random_state = random_state
        self.neighbors = neighbors
        self.variant = variant

    def fit(self, data: ArrayLike) -> Self:
        check_option("ties", self.ties, ("random", "index"))
        check_option("variant", self.variant, ("rank", "published"))
        least = 2 if self.variant == "published" else 1
        if not isinstance(self.n_neighbors, int | np.integer) or self.n_neighbors < least:
            raise ValueError(f"n_neighbors must be an integer of at least {least}, got {self.n_neighbors!r}")
        X = check_array(data, accept_sparse="csr", dtype=np.float64, input_name="data")
        wanted = int(self.n_neighbors) - (least - 1)
        used = min(wanted, X.shape[0] - 1)
        if used < wanted:
            warnings.warn(
                f"n_neighbors={self.n_neighbors}, but there are only {used} other samples; all are used",
                UserWarning,
                stacklevel=2,
            )
        if self.neighbors is not None:
            self.neighbors_ = check_neighbors(self.neighbors, X.shape[0], used)
        else:
            self.neighbors_ = nearest_others(X, used, self.metric, self._tie_keys(X.shape[0]))
        self.weights_ = 1.0 / np.arange(least, least + used)
        self.n_samples_ = X.shape[0]
        return self

    def _tie_keys(self, n_samples: int) -> NDArray[np.int64]:
        if self.ties == "index":
            return np.arange(n_samples)
        return np.random.default_rng(self.random_state).permutation(n_samples)

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        counts = np.zeros((len(population.labels), len(self.weights_)), dtype=np.int64)
        count_split_neighbors(self.neighbors_, population.labels, counts)
        values: FloatArray = (counts * self.weights_).sum(axis=1)  # Eq. 6
        return values
