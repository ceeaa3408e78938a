"""What the estimators of bags share."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.bags import Bags
from moo_clustering.bags._distances import Kind, bag_distances
from moo_clustering.bags._penalty import pair_rule
from moo_clustering.bags._repair import PartitionRepair
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators._number_clusters import number_clusters
from moo_clustering.estimators._semi_supervised import SemiSupervisedClusterMixin, supervision_pairs
from moo_clustering.estimators.multi_instance._bag_centers import farthest_distances, least
from moo_clustering.estimators.multi_instance._bag_input import read_bags
from moo_clustering.estimators.multi_instance._bag_scaling import FeatureRange, Floats
from moo_clustering.estimators.multi_instance._distinct_bags import count_distinct_bags

Labels = NDArray[np.int32]


class BagData(NamedTuple):
    """What a fit works on.

    Attributes
    ----------
    bags : Bags
        In the scale in which distances are meant.
    raw_bags : Bags
        In the units of the data.
    constraints : PairwiseConstraints or None
        Pairs of bags from labels and pairs given; None without any.
    seed : SeedSequence
    """

    bags: Bags
    raw_bags: Bags
    constraints: PairwiseConstraints | None
    seed: np.random.SeedSequence

    def violation(self, labels: NDArray[np.integer[Any]]) -> Floats:
        """Violated part of the must-links plus that of the cannot-links, of every partition."""
        if self.constraints is None:
            return np.zeros(len(np.atleast_2d(labels)))
        return self.constraints.violation(labels)


class BagClusterer(
    SemiSupervisedClusterMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC
):
    """Clusters of bags around vectors or medoid bags.

    A subclass implements :meth:`_fit`, in which it calls :meth:`_set_labels`, and then
    :meth:`_set_centers` or :meth:`_set_medoids`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "normalize": ["boolean"],
        "min_cluster_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    n_clusters: int
    normalize: bool
    min_cluster_size: int
    constraint_handling: Any
    penalty: float
    random_state: SeedLike

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster bags.

        Parameters
        ----------
        X : Bags, list of 2-d arrays, 3-d array, or 2-d array
            As :func:`moo_clustering.bags.as_bags` takes it: one array of shape (n_instances_of_the_bag,
            n_features) for each bag, or one instance a row, with ``groups`` or ``offsets``. A 2-d array
            alone is bags of one instance.
        y : array-like of shape (n_bags,), optional
            Partial labels 0, 1, ... of the bags; -1 for unlabelled bags. All pairs among the labelled
            bags become constraints.
        groups : array-like of shape (n_instances,), optional
            Bag identifier of each row of ``X``.
        offsets : array-like of shape (n_bags + 1,), optional
            First row of each bag, and the number of rows.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of bag numbers that belong, or do not belong, together.

        Raises
        ------
        ValueError
            Parameters, bags, labels or pairs out of range; more clusters than bags.
        TypeError
            ``X`` does not hold numbers.
        InconsistentConstraintsError
            Labels and pairs contradict each other.
        """
        self._fit(self._prepare(X, y, groups, offsets, must_link, cannot_link))
        return self

    def predict(self, X: Any, *, groups: ArrayLike | None = None, offsets: ArrayLike | None = None) -> Labels:
        """Cluster of the nearest centre; pairs and least sizes do not count.

        Bags of the fit may get another label than in ``labels_`` where that was decided by pairs, by
        clusters that had too few bags, or by a run that came back to partitions it had left.

        Parameters
        ----------
        X, groups, offsets
            Bags, as for ``fit``, with as many features.

        Returns
        -------
        ndarray of shape (n_bags,), int32
        """
        return least(self._distances(X, groups, offsets))

    def transform(
        self, X: Any, *, groups: ArrayLike | None = None, offsets: ArrayLike | None = None
    ) -> Floats:
        """Distances to the centres, in the scale of the fit.

        Parameters
        ----------
        X, groups, offsets
            Bags, as for ``fit``, with as many features.

        Returns
        -------
        ndarray of shape (n_bags, n_clusters_)
        """
        return self._one_row_per_bag(X, self._distances(X, groups, offsets))

    def fit_transform(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        **options: Any,
    ) -> Floats:
        """Fit, and return the distances to the centres.

        Parameters
        ----------
        X, y, groups, offsets
            As for ``fit``.
        **options
            ``must_link`` and ``cannot_link``, as for ``fit``.
        """
        self.fit(X, y, groups=groups, offsets=offsets, **options)
        return self._one_row_per_bag(X, self._distances(X, groups, offsets))

    @abstractmethod
    def _fit(self, data: BagData) -> None:
        """Cluster, and set the results."""

    def _prepare(
        self,
        X: Any,
        y: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> BagData:
        """Check everything that a fit is given, before any work."""
        raw = read_bags(self, X, groups, offsets, reset=True)
        self._check_sizes(raw.n_bags)
        pairs = supervision_pairs(raw.n_bags, y, must_link, cannot_link).pairs
        self._range = FeatureRange.of(raw) if self.normalize else FeatureRange.unit(raw.n_features)
        self.data_min_, self.data_range_ = self._range
        n_distinct = count_distinct_bags(raw, self.n_clusters)
        if n_distinct < self.n_clusters:
            which = "all bags are the same" if n_distinct == 1 else f"only {n_distinct} bags differ"
            warnings.warn(
                f"{which}, fewer than n_clusters={self.n_clusters}; some clusters tell equal bags apart",
                UserWarning,
                stacklevel=4,
            )
        (seed,) = spawn_seeds(self.random_state, 1)
        return BagData(self._range.scale_bags(raw), raw, pairs if len(pairs) else None, seed)

    def _check_sizes(self, n_bags: int) -> None:
        if self.n_clusters > n_bags:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the number of bags, n_samples={n_bags}."
            )
        needed = self.n_clusters * self.min_cluster_size
        if needed > n_bags:
            raise ValueError(
                f"n_clusters={self.n_clusters} clusters of at least min_cluster_size="
                f"{self.min_cluster_size} bags need {needed} bags; there are {n_bags}."
            )

    def _least(self, n_bags: int) -> int:
        """Bags that every cluster has at least."""
        return self.min_cluster_size

    def _pair_rule(self, data: BagData, least: int, *, power: int = 1) -> PartitionRepair | None:
        """What assignments of a method that has ``constraint_handling`` are made to respect."""
        return pair_rule(
            data.bags.n_bags,
            least,
            data.constraints,
            handling=self.constraint_handling,
            penalty=self.penalty,
            power=power,
        )

    def _set_labels(self, labels: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Number clusters in the order of their first bags; return the former number of each."""
        self.labels_, order = number_clusters(labels)
        self.n_clusters_ = len(order)
        self.cluster_sizes_ = np.bincount(self.labels_, minlength=self.n_clusters_)
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"only {self.n_clusters_} of n_clusters={self.n_clusters} clusters have bags",
                UserWarning,
                stacklevel=5,
            )
        self._warn_of_small_clusters()
        return order

    def _warn_of_small_clusters(self) -> None:
        smallest, least = int(self.cluster_sizes_.min()), self._least(len(self.labels_))
        if self.n_clusters_ > 1 and smallest < least:
            warnings.warn(
                f"the smallest cluster has {smallest} bags, fewer than min_cluster_size={least}: "
                "bags that stay together or apart left no more for it",
                UserWarning,
                stacklevel=6,
            )

    def _set_centers(self, centers: Floats) -> None:
        """Vectors in the scale of the distances, one for every cluster in ``labels_``."""
        self._centers = centers
        self.cluster_centers_ = self._range.unscale(centers)

    def _set_medoids(self, data: BagData, medoids: NDArray[np.integer[Any]], kind: Kind = "directed") -> None:
        """Bag numbers, one for every cluster in ``labels_``, and the distance to be taken to them."""
        self.medoid_indices_ = medoids.astype(np.int64)
        self.medoid_bags_ = data.raw_bags[self.medoid_indices_]
        self._kind: Kind = kind

    def _distances(self, X: Any, groups: ArrayLike | None, offsets: ArrayLike | None) -> Floats:
        check_is_fitted(self)
        bags = self._range.scale_bags(read_bags(self, X, groups, offsets, reset=False))
        if hasattr(self, "cluster_centers_"):
            return farthest_distances(bags, self._centers)
        medoids = self._range.scale_bags(self.medoid_bags_)
        return bag_distances(bags, medoids, kind=self._kind, n_jobs=getattr(self, "n_jobs", None))

    def _one_row_per_bag(self, X: Any, distances: Floats) -> Any:
        """Distances for scikit-learn to put into a frame, which would get the index of the rows of X."""
        indexed = hasattr(X, "columns") and len(X) != len(distances)
        if not indexed or _get_output_config("transform", self)["dense"] != "pandas":
            return distances
        import pandas as pd  # takes long to import

        return pd.DataFrame(distances)

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_
