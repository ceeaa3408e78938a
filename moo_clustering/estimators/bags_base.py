"""Base classes for bag clusterers, and functions that read, scale and compare bags."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering import results
from moo_clustering._arrays import BLOCK_ITEMS, FloatArray, Labels, number_clusters, spawn_seeds, warn_caller
from moo_clustering._data import holds_tables, numeric_features
from moo_clustering._distances import MAX_MEMORY
from moo_clustering.algorithms.search import Plans, complete
from moo_clustering.bags import Bags, as_bags, bag_distances
from moo_clustering.bags.bags import freeze
from moo_clustering.bags.distances import Kind, bag_blocks
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.constraints._checks import warn_of_shared_clusters
from moo_clustering.constraints.pairs import supervision_pairs
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import KW_ONLY, Count, NonNegative, Positive, SeedOptions, estimator


class BagData(NamedTuple):
    """Validated arguments of ``fit``. ``bags`` are scaled, and ``raw_bags`` have the units of the data."""

    bags: Bags
    raw_bags: Bags
    constraints: PairwiseConstraints | None
    seed: np.random.SeedSequence
    equal: NDArray[np.intp]  # group of each bag; identical bags have the same number

    def united(self, labels: NDArray[Any]) -> Labels:
        """Move identical bags that are in no pair to the cluster that contains most of them."""
        pairs = self.constraints
        fixed = None if pairs is None else np.unique(np.concatenate([pairs.must_link, pairs.cannot_link]))
        return _base.united(labels, self.equal, fixed)

    def violation(self, labels: NDArray[np.integer[Any]]) -> FloatArray:
        """Return each partition's share of violated must-links plus its share of violated cannot-links."""
        pairs = self.constraints
        return np.zeros(len(np.atleast_2d(labels))) if pairs is None else pairs.violation(labels)


@estimator
class BagClusterer(
    _base.SemiSupervisedClusterMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    SeedOptions,
    BaseEstimator,
    ABC,
):
    """Base class of bag clusterers that use centres or medoid bags.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, from 1 to n_bags.
    min_cluster_size : int
        Minimum number of bags per cluster. Smaller clusters are filled with the bags that cost least to move.
    constraint_handling : {"penalty", "repair"}
        Both options multiply the objective by 1 + ``penalty`` * violation; ``"repair"`` also moves bags to
        satisfy labels and pairs.
    penalty : float
    normalize : bool
        Whether to scale each feature to 0..1 over the instances of all bags (Eq. 11).
    weighting : {"bag", "instance"}
        Whether a centroid is the mean of the bag means (Eq. 3) or of all instances.

    Attributes
    ----------
    labels_ : ndarray of shape (n_bags,), int32
        Cluster of each bag. Clusters are numbered 0, 1, ... in the order of their first bags.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Number of bags in each cluster.
    violation_ : float
        Share of violated must-links plus share of violated cannot-links, from 0 to 2.
    data_min_, data_range_ : ndarray of shape (n_features,)
        Minimum and range of each feature, or zeros and ones if ``normalize`` is False.
    """

    n_clusters: Count = 2
    _: KW_ONLY
    min_cluster_size: Count = 1
    constraint_handling: Literal["penalty", "repair"] = "penalty"
    penalty: NonNegative = 1.0
    normalize: bool = True

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
        """Cluster the bags.

        Raises a ValueError or TypeError if arguments are invalid or there are more clusters than bags, and an
        InconsistentConstraintsError if labels and pairs contradict each other.

        Parameters
        ----------
        X : Bags, list of 2-d arrays, 3-d array, or 2-d array
            Bags, see :func:`moo_clustering.bags.as_bags`: one array per bag or, if ``groups`` or ``offsets``
            are passed, one instance per row. If neither is passed, each row of a 2-d array is a bag.
        y : array-like of shape (n_bags,), optional
            Labels 0, 1, ...; -1 or a missing value if unlabelled. Each pair of labelled bags is a constraint.
        groups, offsets : array-like of shape (n_instances,) or (n_bags + 1,), optional
            ``groups``: bag identifier of each row of X. ``offsets``: index of the first row of each bag, and
            then the total number of rows.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of bag indices. ``must_link``: in the same cluster. ``cannot_link``: in different clusters.
        """
        options = {"groups": groups, "offsets": offsets, "must_link": must_link, "cannot_link": cannot_link}
        complete(self._plans(X, y, **options))
        return self

    def _plans(
        self, X: Any, y: Any = None, *, groups: Any = None, offsets: Any = None, must_link: Any = None,
        cannot_link: Any = None,
    ) -> Plans[None]:  # fmt: skip
        raw = read_bags(self, X, groups, offsets, reset=True)
        self._check_sizes(raw.n_bags)
        pairs = supervision_pairs(raw.n_bags, y, must_link, cannot_link)
        if y is not None:
            warn_of_shared_clusters(y, self.n_clusters)
        unit = np.zeros(raw.n_features), np.ones(raw.n_features)
        self.data_min_, self.data_range_ = feature_range(raw) if self.normalize else unit
        (seed,) = spawn_seeds(self.random_state, 1)
        equal = _base.equal_items(bag_keys(raw))
        data = BagData(self._scaled(raw), raw, pairs if len(pairs) else None, seed, equal)
        yield from self._fit(data) or ()
        if (data.united(self.labels_) != self.labels_).any():
            warn_caller("equal bags are in different clusters, because of min_cluster_size")

    def predict(self, X: Any, *, groups: ArrayLike | None = None, offsets: ArrayLike | None = None) -> Labels:
        """Predict the cluster of the nearest centre, ignoring constraints and minimum cluster sizes.

        Accepts bags in the same formats as ``fit``. Predictions for training bags can differ from ``labels_``
        because of pairs, identical centres or minimum cluster sizes, or if the search ended before all bags
        were in their nearest cluster.
        """
        return least(self._distances(X, groups, offsets))

    def transform(
        self, X: Any, *, groups: ArrayLike | None = None, offsets: ArrayLike | None = None
    ) -> FloatArray:
        """Compute the distances (n_bags, n_clusters_) to the centres, on the scale used in ``fit``."""
        distances = self._distances(X, groups, offsets)
        pandas = _get_output_config("transform", self)["dense"] == "pandas"
        if pandas and hasattr(X, "columns") and len(X) != len(distances):
            import pandas as pd

            # The index of X, which scikit-learn would use, has one entry per instance instead of per bag.
            return pd.DataFrame(distances)  # type: ignore[return-value]
        return distances

    def fit_transform(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        **options: Any,
    ) -> FloatArray:
        """Cluster the bags as ``fit`` does, and return their distances to the centres (see ``transform``)."""
        self.fit(X, y, groups=groups, offsets=offsets, **options)
        return self.transform(X, groups=groups, offsets=offsets)

    def _clustering_result(self) -> results.ClusteringResult:
        found = super()._clustering_result()
        names = {name: f"{name}_" for name in ("data_min", "data_range")}
        names |= {"medoids": "medoid_indices_", "centers": "cluster_centers_"}
        arrays = results.attributes_of(self, names)
        seconds = found.records[0].seconds if len(found.records) > 1 else ()
        return replace(
            found,
            scaled=partial(scaled_bags, low=self.data_min_, span=self.data_range_),
            history=lambda: results.logbook_frame(self.logbook_, seconds),
            arrays=lambda: arrays,
        )

    @abstractmethod
    def _fit(self, data: BagData) -> Plans[None] | None:
        """Cluster the bags, and set the fitted attributes."""
        # A method that runs a search is a generator that first yields the Plan of the search.

    def _check_sizes(self, n_bags: int) -> None:
        _base.check_n_clusters(self.n_clusters, n_bags, "bags, n_samples={}")
        least = self._smallest_size(n_bags)
        if self.n_clusters * least > n_bags:
            raise ValueError(
                f"n_clusters={self.n_clusters} and min_cluster_size={least} require at least "
                f"{self.n_clusters * least} bags, got {n_bags}"
            )

    def _smallest_size(self, n_bags: int) -> int:
        return self.min_cluster_size

    def _set_labels(self, data: BagData, labels: NDArray[Any], k_min: int | None = None) -> NDArray[np.intp]:
        """Set ``labels_`` and related attributes, and return the former number of each cluster."""
        # Identical bags are first moved to the same cluster, unless a cluster would become too small.
        why, least = "the distances and constraints leave the others empty", self._smallest_size(len(labels))
        united = data.united(labels)
        if np.unique(united, return_counts=True)[1].min() >= least and (united != labels).any():
            is_few = data.equal.max() + 1 < self.n_clusters
            why = "X has fewer distinct bags than clusters" if is_few else "equal bags share a cluster"
            labels = united
        self.labels_, order = number_clusters(labels)
        self.n_clusters_ = len(order)
        self.cluster_sizes_ = np.bincount(self.labels_, minlength=self.n_clusters_)
        if self.n_clusters_ < (k_min or self.n_clusters):
            _base.warn_of_few(self.n_clusters_, f"k_min={k_min}" if k_min else self.n_clusters, why)
        smallest = int(self.cluster_sizes_.min())
        if self.n_clusters_ > 1 and smallest < least:
            warn_caller(
                f"the smallest cluster has {smallest} bags, fewer than min_cluster_size={least}, because of "
                "constraints"
            )
        return order

    def _set_centers(self, centers: FloatArray) -> None:
        self._centers = centers
        self.cluster_centers_ = centers * self.data_range_ + self.data_min_

    def _set_medoids(self, data: BagData, medoids: NDArray[np.integer[Any]], kind: Kind = "directed") -> None:
        self.medoid_indices_ = medoids.astype(np.int64)
        self.medoid_bags_ = data.raw_bags[self.medoid_indices_]
        self._kind: Kind = kind

    def _distances(self, X: Any, groups: ArrayLike | None, offsets: ArrayLike | None) -> FloatArray:
        check_is_fitted(self)
        bags = self._scaled(read_bags(self, X, groups, offsets, reset=False))
        if hasattr(self, "cluster_centers_"):
            return farthest_distances(bags, self._centers)
        medoids, n_jobs = self._scaled(self.medoid_bags_), getattr(self, "n_jobs", None)
        return bag_distances(bags, medoids, kind=self._kind, n_jobs=n_jobs)

    def _scaled(self, bags: Bags) -> Bags:
        return scaled_bags(bags, self.data_min_, self.data_range_)

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_


@estimator
class DistanceOptions:
    """Mixin for clusterers that store all distances between bags; must precede the base class.

    Parameters
    ----------
    max_memory : float
        Maximum memory for the distances, in bytes.
    kind : {"directed", "symmetric", "mean_min", "min_min", "mean"}
        Type of distance between bags and medoids, see :func:`~moo_clustering.bags.bag_distances`.
    """

    _: KW_ONLY
    max_memory: Positive = MAX_MEMORY

    def _check_sizes(self, n_bags: int) -> None:
        super()._check_sizes(n_bags)  # type: ignore[misc]
        if 8 * n_bags**2 > self.max_memory:
            raise ValueError(
                f"{type(self).__name__} requires {n_bags**2 / 2**27:.3g} GiB for the distances of {n_bags} "
                f"bags, which exceeds max_memory={self.max_memory} bytes; increase max_memory or cluster a "
                "sample of the bags"
            )


def least(values: NDArray[np.floating[Any]]) -> NDArray[np.int32]:
    """Return the index of the minimum along the last axis. If values are tied, the lowest index is used."""
    # Values that differ by a factor of at most 1 + 1e-9 are treated as equal, because of rounding errors.
    limit = values.min(axis=-1, keepdims=True) * (1.0 + 1e-9)
    return np.asarray((values <= limit).argmax(axis=-1), dtype=np.int32)


def farthest_distances(bags: Bags, vectors: FloatArray) -> FloatArray:
    """Compute directed Hausdorff distances (Eq. 1) from bags to vectors, in blocks of bounded memory."""
    out = np.zeros((bags.n_bags, len(vectors)))
    for block in bag_blocks(bags.offsets, max(1, BLOCK_ITEMS // len(vectors))):
        into = out[block.bags]
        for rows, bounds in block.pieces:
            table = cdist(bags.instances[rows], vectors)
            np.maximum(into, np.maximum.reduceat(table, bounds[:-1], axis=0), out=into)
    if not np.isfinite(out).all():
        raise ValueError("squared distances between instances overflow; rescale the data")
    return out


def read_bags(
    estimator: BaseEstimator, X: Any, groups: ArrayLike | None, offsets: ArrayLike | None, *, reset: bool
) -> Bags:
    """Read bags in any format that ``BagClusterer.fit`` accepts, and set or check the feature names."""
    if groups is None and offsets is None and not (isinstance(X, Bags) or holds_tables(X)):
        rows = numeric_features(estimator, X, dtype=[np.float64, np.float32], reset=reset)
        names = getattr(estimator, "feature_names_in_", None) if hasattr(X, "columns") else None
        return Bags(rows, np.arange(len(rows) + 1), feature_names=names)
    bags = as_bags(X, groups=groups, offsets=offsets)
    named: Any = bags.instances
    if bags.feature_names is not None:
        import pandas as pd

        named = pd.DataFrame(columns=list(bags.feature_names), dtype=np.float64)
    validate_data(estimator, named, reset=reset, skip_check_array=True)
    return bags


def feature_range(bags: Bags) -> tuple[FloatArray, FloatArray]:
    """Compute the minimum and the range of each feature over the instances of all bags."""
    low = bags.instances.min(axis=0).astype(np.float64)
    high = bags.instances.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore"):
        span = high - low
    if not np.isfinite(span).all():
        column = int(np.isinf(span).argmax())
        raise ValueError(
            f"the range of feature {column}, {low[column]:g} to {high[column]:g}, overflows; "
            "rescale the feature"
        )
    return low, span


def scaled_bags(bags: Bags, low: FloatArray, span: FloatArray) -> Bags:
    """Scale the instances using :func:`scaled_rows`."""
    if not low.any() and (span == 1.0).all():
        return bags
    return bags.with_instances(freeze(scaled_rows(bags.instances, low, span)))


def scaled_rows(rows: ArrayLike, low: FloatArray, span: FloatArray) -> FloatArray:
    """Scale the range of each feature to 0..1 (Eq. 11) without clipping; constant features become 0."""
    scaled = np.array(rows, dtype=np.float64)
    scaled -= low
    scaled /= np.where(span > 0.0, span, 1.0)
    scaled[:, span == 0.0] = 0.0
    return scaled


def bag_keys(bags: Bags) -> Iterator[bytes]:
    """Yield a key for each bag; bags with equal sets of instances have equal keys."""
    return ((np.unique(bag, axis=0) + 0.0).tobytes() for bag in bags)
