"""Base classes of estimators (reports, partitioned tables, semi-supervised fits), and helper functions."""

from __future__ import annotations

import importlib
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial, wraps
from inspect import isfunction
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.result import Result
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.utils._param_validation import Interval, InvalidParameterError
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering import _arrays
from moo_clustering._data import is_partitioned, numeric_features
from moo_clustering._distances import Metric
from moo_clustering._docs import documented
from moo_clustering._kernels.medoids import GRAIN
from moo_clustering._messages import message_line, quoted
from moo_clustering._types import (
    AnyFloatArray,
    BoolArray,
    FloatArray,
    Int32Array,
    IntArray,
    IntpArray,
    Labels,
)
from moo_clustering.algorithms.search import Plans, complete
from moo_clustering.bags import Bags
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.constraints._checks import check_partial_labels, warn_of_shared_clusters
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators._methods import CitedMixin
from moo_clustering.estimators._options import KW_ONLY, estimator
from moo_clustering.graphs import NeighborLists, neighbor_lists
from moo_clustering.graphs.neighbors import MetricSpace
from moo_clustering.parts import Parts, lazy_labels, parts, write_labels
from moo_clustering.persistence import Checkpoint, fingerprint
from moo_clustering.results import ClusteringResult, carried_names, from_attributes, renamed_clusters

if TYPE_CHECKING:
    import pandas as pd

    from moo_clustering.descriptions import ClusterDescription, ClusterDescriptions
    from moo_clustering.drift import Drift
    from moo_clustering.rules import ClusterRules
    from moo_clustering.visualization.report.content import Report

# A run can be resumed with different values of these parameters, for example with a larger ``n_gen``.
_FREE = frozenset(
    {"n_gen", "n_jobs", "verbose", "callback", "checkpoint", "checkpoint_every", "resume", "start"}
)
Rule = str | int | Callable[[FloatArray], int]
Scaling = Callable[[AnyFloatArray], AnyFloatArray]

# ``documented`` adds these sections to the docstrings of ``predict`` and ``transform``.
_OF_SAMPLES = """
Parameters
----------
X : array-like or sparse matrix of shape (n, n_features)
    Samples, in any format that ``fit`` accepts.

Returns
-------
"""
OF_PREDICT: str = (
    f"{_OF_SAMPLES}ndarray of shape (n,), int32\n    Cluster labels, numbered as in ``labels_``. For a table "
    "in parts (:func:`~moo_clustering.parts.parts`), a Dask array.\n"
)
OF_TRANSFORM: str = f"{_OF_SAMPLES}ndarray of shape (n, n_columns)\n    One column per cluster or topic.\n"


class RowLabels:
    def __init__(self, estimator: Any) -> None:
        self.estimator = copy(estimator)
        self.columns = vars(estimator).get("feature_names_in_")

    def __call__(self, rows: NDArray[Any]) -> NDArray[Any]:
        named: Any = rows
        if self.columns is not None:
            import pandas as pd  # slow import

            named = pd.DataFrame(rows, columns=self.columns)
        return np.asarray(self.estimator.predict(named))


def _by_part(predict: Any) -> Any:
    """Make a ``predict`` accept partitioned tables. The label of a row must not depend on other rows."""

    @wraps(predict)
    def predicted(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if not is_partitioned(X):
            return predict(self, X, *args, **options)
        check_is_fitted(self)
        if args or any(value is not None and value is not False for value in options.values()):
            raise ValueError(
                f"{type(self).__name__}.predict accepts no arguments besides X for a partitioned table, got "
                f"{quoted([*options] or args[0])}; omit them, or pass rows in memory"
            )
        return lazy_labels(checked_parts(self, parts(X), reset=False), self._label())

    return predicted


class NumericOptionsMixin(CitedMixin, _arrays.ShortMessages):
    """Mixin that checks parameters and applies ``predict`` to partitioned tables.

    Numeric parameters reject booleans. NumPy integers, which can overflow, are converted to int.
    """

    _parameter_constraints: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if isfunction(method := vars(cls).get("predict")):
            cls.predict = _by_part(method)  # type: ignore[attr-defined]

    def _label(self) -> Callable[[NDArray[Any]], NDArray[Any]]:
        return RowLabels(self)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get parameters as in scikit-learn, but not the parameters of an estimator passed as ``start``."""
        if (start := vars(self).get("start")) is None:
            return super().get_params(deep)  # type: ignore[misc]
        return _without_start(self).get_params(deep) | {"start": start}

    def set_params(self, **params: Any) -> Self:
        """Set parameters as in scikit-learn, but not the parameters of an estimator passed as ``start``."""
        if (name := next((name for name in params if name.startswith("start__")), None)) is not None:
            raise ValueError(
                f"cannot set {name}, because start is data; pass another fitted estimator as start"
            )
        return super().set_params(**params)  # type: ignore[misc]

    def __sklearn_clone__(self) -> Any:
        if vars(self).get("start") is None:
            return super().__sklearn_clone__()  # type: ignore[misc]
        # The clone shares the object ``start``, which may be this estimator itself.
        twin = _without_start(self).__sklearn_clone__()
        twin.start = self.start  # type: ignore[attr-defined]
        return twin

    def _validate_params(self) -> None:
        for name, value in self.get_params(deep=False).items():
            if isinstance(value, bool):
                rules: Any = self._parameter_constraints.get(name)
                allowed = not isinstance(rules, list) or "boolean" in rules
                if not allowed and any(isinstance(rule, Interval) for rule in rules):
                    raise InvalidParameterError(
                        f"The {name!r} parameter of {type(self).__name__} must be a number, not a boolean. "
                        f"Got {value} instead."
                    )
            elif isinstance(value, np.integer):
                setattr(self, name, int(value))
            elif name == "metric" and isinstance(value, str) and len(value) > 100:
                # Raise an error here, because other libraries would quote the whole string in their messages.
                raise InvalidParameterError(
                    f"The 'metric' parameter of {type(self).__name__} must be the name of a metric. "
                    f"Got {message_line(repr(value))} instead."
                )
        super()._validate_params()


class ReportMixin(NumericOptionsMixin):
    """Mixin for clusterers that can write a report.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each sample. Clusters are numbered 0, 1, ... by first appearance.
    n_clusters_ : int
        Number of non-empty clusters.
    """

    _cluster_names: dict[int, str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # A new fit drops the cluster names. The other methods carry the names over to the new partition.
        for name in ("fit", "choose", "relabel", "take"):
            method = getattr(cls, name, None)
            if isfunction(method) and not hasattr(method, "follows_names"):
                setattr(cls, name, _following_names(method, carries=name != "fit"))

    @property
    def cluster_names_(self) -> dict[int, str]:
        """Cluster names set by :meth:`rename`, or derived from classes by ``take``. Empty after ``fit``."""
        return dict(vars(self).get("_cluster_names", {}))

    def _carried_names(self, before: Labels, after: Labels, names: Mapping[int, str]) -> dict[int, str]:
        return carried_names(before, after, names)

    def rename(self, names: Mapping[int, str | None]) -> Self:
        """Set the cluster names used in ``describe``, ``table``, ``explain``, ``summary`` and ``report``.

        A new ``fit`` drops the names. After ``choose``, ``relabel`` and ``take``, a new cluster gets the name
        of an old cluster if more than half of its samples are in the old cluster, and vice versa. A
        UserWarning lists the dropped names. Raises a NotFittedError before ``fit``, and a ValueError or
        TypeError if a cluster does not exist or if a name is empty, not unique or not a string.

        Parameters
        ----------
        names : mapping of int to str or None
            Unique, non-empty name of each cluster to rename. None removes a name, and other names are kept.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> X = load_iris(as_frame=True).data
        >>> ParetoClustering(2, random_state=0).fit(X).rename({0: "setosa"}).describe(X).names
        ['setosa', 'high petal length']
        """
        check_is_fitted(self, "labels_")
        labels = np.asarray(getattr(self, "_result_labels", self.labels_))  # type: ignore[attr-defined]
        clusters = np.unique(labels[labels >= 0]).tolist()
        self._cluster_names = renamed_clusters(names, self.cluster_names_, clusters)
        return self

    def report(self, path: str | PathLike[str], X: Any = None, **options: Any) -> Report:
        """Write an HTML report to inspect, compare and select solutions.

        Raises a NotFittedError before ``fit``, and a ValueError if the data or options do not match the fit.

        Parameters
        ----------
        path : path-like
            HTML file, which is overwritten if it exists.
        X
            Training data, used for the map of the samples and the cluster descriptions.
        **options
            ``y``, ``must_link``, ``cannot_link`` as passed to ``fit``, ``sample_names``, ``feature_names``,
            ``title`` and other options of :func:`~moo_clustering.visualization.report.report_content`.

        Returns
        -------
        Report
            Object with the attribute ``path`` and the method ``open()``. Notebooks display the report.
        """
        return _pages("estimators").write_report_of(self, path, X, **options)

    def clustering_result(self) -> ClusteringResult:
        """Return the results of the fit as a :class:`~moo_clustering.results.ClusteringResult`."""
        check_is_fitted(self, "labels_")
        return self._clustering_result()

    def _clustering_result(self) -> ClusteringResult:
        return replace(from_attributes(self), scaled=partial(scaled_features, getattr(self, "scale", None)))

    def show(self, X: Any = None, **options: Any) -> None:
        """Display the report in a notebook or the browser; see :meth:`report` for options and errors.

        If no browser can be opened, a UserWarning states the path of the temporary file.
        """
        _pages("estimators").show_report_of(self, X, **options)

    def describe(
        self,
        X: Any,
        *,
        n_contrasts: int | None = None,
        namer: Callable[[ClusterDescription], str] | None = None,
        columns: pd.DataFrame | None = None,
        sample_names: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> ClusterDescriptions:
        """Name the clusters, and describe how each cluster differs from the cluster nearest to it.

        Raises a NotFittedError before ``fit``, and a ValueError if the data or names do not match the fit.

        Parameters
        ----------
        X
            Training data. Data frames are described in the units of their columns.
        n_contrasts : int, optional
            Maximum number of differences listed per cluster. Default: 3 for columns, 10 for terms.
        namer : callable, optional
            ``namer(description)`` returns the name of a cluster. Default: names derived from contrasts or
            classes. Clusters named by :meth:`rename` keep their names.
        columns : DataFrame of shape (n_samples, n_columns), optional
            Columns used to describe the clusters instead of the columns of X.
        sample_names, feature_names : sequence of str, optional
            Default: the names in X, or numbers if X has no names.
        class_names : sequence of str, optional
            Names of the classes 0, 1, ... after a fit with labels.

        Returns
        -------
        ClusterDescriptions
            See :func:`~moo_clustering.descriptions.describe_columns` and, for sparse data,
            :func:`~moo_clustering.descriptions.describe_terms`. Bags are described by their means. For
            precomputed distances, the description contains only typical samples.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> X = load_iris(as_frame=True).data
        >>> ParetoClustering(2, random_state=0).fit(X).describe(X).names
        ['low petal length', 'high petal length']
        """
        names = {"sample_names": sample_names, "feature_names": feature_names, "class_names": class_names}
        options = {"n_contrasts": n_contrasts, "namer": namer, "columns": columns}
        return _pages("estimators").describe_of(self, X, **options, **names)

    def explain(
        self,
        X: Any,
        *,
        max_conditions: int | None = None,
        namer: Callable[[ClusterDescription], str] | None = None,
        columns: pd.DataFrame | None = None,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> ClusterRules:
        """Explain the clusters by rules with few conditions.

        Raises the same errors as :meth:`describe`, and a ValueError for distances if ``columns`` is omitted.

        Parameters
        ----------
        X
            Training data. The rules use the units of a data frame's columns, and the means of bags.
        max_conditions : int, optional
            Maximum number of conditions in a rule set. Default: twice the number of clusters, but at least 7.
        namer, columns, feature_names, class_names
            Same as for :meth:`describe`. If given, ``columns`` are used for the rules instead of X.

        Returns
        -------
        ClusterRules
            Rule sets sorted by number of conditions, with their fidelity (share of correct assignments); see
            :func:`~moo_clustering.rules.find_rules`. ``select()`` returns the shortest
            set with a fidelity of at least 0.95.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> X = load_iris(as_frame=True).data
        >>> print(ParetoClustering(2, random_state=0).fit(X).explain(X))
        1 condition, fidelity 100%
        low petal length: petal length (cm) ≤ 2 (50 samples, 100% correct, 100% of the cluster)
        high petal length: petal length (cm) > 2 (100 samples, 100% correct, 100% of the cluster)
        """
        names = {"feature_names": feature_names, "class_names": class_names}
        options = {"max_conditions": max_conditions, "namer": namer, "columns": columns}
        return _pages("estimators").explain_of(self, X, **options, **names)

    def table(self, X: Any, **options: Any) -> pd.DataFrame:
        """Return the training samples with their clusters; see :meth:`describe` for options and errors.

        The DataFrame contains the columns of X, ``cluster``, ``name`` and ``typical``, which is True for the
        five samples nearest to each centre. Methods with a pool of partitions add two columns. ``support`` is
        the weighted share of the partitions that group the sample with its cluster. ``doubtful`` is True if
        this share is larger for another cluster. If X already has a column of the same name, ``_`` is
        appended.
        """
        return _pages("estimators").table_of(self, X, **options)

    def predict_table(
        self, X: Any, reference: Any = None, *, n_clusters: Any = None, **options: Any
    ) -> pd.DataFrame:
        """Return new samples with their clusters, and whether each sample is unlike the training samples.

        Raises a NotFittedError before ``fit``, and a ValueError if the method has no ``predict`` or if X,
        ``reference`` or ``n_clusters`` does not match the fit.

        Parameters
        ----------
        X
            Samples, in any format that ``predict`` accepts.
        reference : optional
            Training data, used to derive cluster names. Required if the fit does not store its samples.
        n_clusters : int or pair of int, optional
            Use the partition that ``relabel(n_clusters=n_clusters)`` would select, without changing the fit.
            Requires a method with ``relabel``, and a fit without labels or pairs.
        **options
            ``class_names``, ``feature_names`` and ``namer``; see :meth:`describe`.

        Returns
        -------
        DataFrame
            Columns of X, ``cluster``, ``name`` and ``unlike``. ``unlike`` is True for noise, and for samples
            whose distance to the nearest training sample is larger than that of 99% of the cluster's training
            samples. Methods with a pool of partitions add ``support``; see :meth:`table`.
        """
        self._check_predicts("predict_table", X)
        model = self if n_clusters is None else self._with_n_clusters(n_clusters)
        return _pages("estimators").predict_table_of(model, X, reference, **options)

    def drift(self, X: Any, reference: Any = None, **options: Any) -> Drift:
        """Compare new samples with the training samples.

        Uses at most 20,000 training samples. Takes O(n_new n_samples n_features) time.

        Parameters
        ----------
        X, reference, **options
            Same as for :meth:`predict_table`, which also documents the errors.

        Returns
        -------
        Drift
            Share of new samples unlike the training samples, with an interval, a p-value and the share
            expected by chance. Also cluster shares and, in prepared columns, new categories and values out of
            range.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> X = load_iris().data
        >>> drift = ParetoClustering(random_state=0).fit(X[::2]).drift(X[1::2] + 3)
        >>> drift.n_unlike, drift.p_value < 0.001
        (75, True)
        """
        self._check_predicts("drift", X)
        return _pages("estimators").drift_of(self, X, reference, **options)

    def _check_predicts(self, name: str, X: Any) -> None:
        check_is_fitted(self, "labels_")
        if not hasattr(self, "predict"):
            raise ValueError(f"{name} requires predict, which {type(self).__name__} does not have")
        if isinstance(X, Parts):
            raise ValueError(f"{name} requires rows in memory; pass a sample, such as X.rows(range(1000))")

    def _with_n_clusters(self, n_clusters: Any) -> Self:
        if (relabel := getattr(copy(self), "relabel", None)) is None:
            name = type(self).__name__
            raise ValueError(f"{name} cannot change the number of clusters after fit; set n_clusters first")
        return relabel(n_clusters=n_clusters)

    def _stored_rows(self) -> tuple[Any, Callable[[Any], Any]] | None:
        """Return the scaled training rows and the function that scales new rows, or None without rows."""
        return None

    def _support_of(self, X: Any) -> NDArray[np.float64] | None:
        """Return the ``support`` of each row for each cluster as in :meth:`table`, or None without a pool."""
        return None

    def _repr_html_inner(self) -> str:
        # scikit-learn calls this method from _repr_html_, unless its ``display`` option is "text".
        return self._with_card(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        return bundle | {kind: self._with_card(bundle[kind]) for kind in {"text/html"} & bundle.keys()}

    def _with_card(self, diagram: str) -> str:
        if getattr(self, "labels_", None) is None:
            return diagram
        return _pages("card").card_of(self, diagram)


def _following_names(method: Any, carries: bool) -> Any:
    """Wrap a method that may change the partition.

    If the partition changes, the cluster names are carried over if ``carries`` is True, and dropped
    otherwise.
    """

    @wraps(method)
    def followed(self: Any, *args: Any, **options: Any) -> Any:
        # Remove the names during the call, because ``method`` may call other wrapped methods, which would
        # also carry the names over.
        names: Any = vars(self).pop("_cluster_names", None)
        before: Any = getattr(self, "_result_labels", getattr(self, "labels_", None))
        try:
            return method(self, *args, **options)
        finally:
            after: Any = getattr(self, "_result_labels", getattr(self, "labels_", None))
            if names and after is before:
                self._cluster_names = names
            elif names and carries:
                new = self.cluster_names_  # names that ``take`` derived from classes
                carried = self._carried_names(before, after, names)
                own = {k: name for k, name in carried.items() if name not in new.values()}
                self._cluster_names = own | new

    vars(followed)["follows_names"] = True
    return followed


def _pages(name: str) -> Any:
    """Import a report module on demand, because the report modules import the estimators."""
    return importlib.import_module(f"moo_clustering.visualization.report.{name}")


def scaled_features(scale: Any, X: Any) -> Any:
    if isinstance(X, Bags) or scale not in ("standard", "isotropic", "minmax"):
        return X
    if scale != "minmax":
        landmarks = importlib.import_module("moo_clustering.estimators._pareto_landmarks")
        return landmarks.FeatureScaling.of(X, scale, n_components=X.shape[1]).transform(X)
    return np.asarray(feature_scaling(X, scale)(X), dtype=np.float64)


class PartLabelsMixin:
    """Mixin for clusterers that label the rows of partitioned tables."""

    def write_labels(self, folder: str | PathLike[str], X: Any = None) -> list[Path]:
        """Write the labels of a partitioned table to one Parquet file per part.

        ``X`` is a source for :func:`~moo_clustering.parts.parts` (default: the training table). Returns the
        file paths; see :func:`~moo_clustering.parts.write_labels`. Raises a NotFittedError before ``fit``,
        and a ValueError if ``X`` is omitted after a fit in memory, or if the folder contains other labels.
        """
        check_is_fitted(self)
        table = vars(self).get("parts_") if X is None else checked_parts(self, parts(X), reset=False)
        if table is None:
            raise ValueError("X is required, because the model was fitted to data in memory")
        return write_labels(table, self._label(of_fit=X is None), folder)

    @abstractmethod
    def _label(self, *, of_fit: bool = False) -> Callable[[NDArray[Any]], Labels]:
        """Return a function that labels new rows or, if ``of_fit`` is True, rows of the training table."""

    def _required_rows(self) -> IntpArray:
        """Return the indices of the table rows that must be among the ``rows`` of :meth:`_with_rows`."""
        return np.zeros(0, dtype=np.intp)

    def _with_rows(self, rows: NDArray[Any], labels: Labels) -> Self:
        """Return a copy of the estimator that appears to be fitted in memory to the given rows and labels."""
        found = copy(self)
        for name in ("parts_", "feature_names_in_"):
            vars(found).pop(name, None)
        vars(found)["labels_"] = labels
        return found


class TransformingClusterer(
    ReportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Base class of clusterers that transform samples into one column per cluster or topic."""


class SemiSupervisedClusterMixin(ReportMixin, ClusterMixin):
    """Mixin with a ``fit_predict`` that, unlike scikit-learn's, passes partial labels ``y`` to ``fit``."""

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **options: Any) -> Int32Array:
        """Fit with the arguments of ``fit``, such as ``must_link``, and return ``labels_``."""
        return self.fit(X, y, **options).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # This tag makes cross-validation split both rows and columns of distance matrices.
        tags.input_tags.pairwise = getattr(self, "metric", None) == "precomputed"
        return tags


class ConstrainedClusterer(SemiSupervisedClusterMixin, BaseEstimator, metaclass=ABCMeta):
    """Base class of clusterers whose ``fit`` accepts partial labels, must-links and cannot-links."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Raises a ValueError if parameters, data, labels or pairs are invalid, and an
        InconsistentConstraintsError if labels and pairs contradict each other, unless ``conflicts="keep"``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense features or, for some classes, sparse features. With ``metric="precomputed"``, which not all
            classes support, X contains distances of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,), optional
            Partial labels: 0, 1, ... for labelled samples, and -1 or a missing value for all others. A
            warning is issued if all samples are labelled.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of rows that belong to the same cluster, and pairs that belong to different clusters.
        """
        complete(self._plans(X, y, must_link=must_link, cannot_link=cannot_link))
        return self

    def _plans(self, X: Any, y: Any = None, *, must_link: Any = None, cannot_link: Any = None) -> Plans[None]:
        yield from self._cluster(X, y, must_link, cannot_link) or ()
        if y is not None and getattr(self, "supervision", "") not in (None, "none"):
            warn_if_all_labelled(check_partial_labels(y) >= 0)
            warn_of_shared_clusters(y, *(getattr(self, name, None) for name in ("n_clusters", "k_max")))

    @abstractmethod
    def _cluster(
        self, X: Any, y: ArrayLike | None, must_link: ArrayLike | None, cannot_link: ArrayLike | None
    ) -> Plans[None] | None:
        """Compute the fitted attributes. If the method runs a search, first yield the Plan of the search."""


class WeightedClusterer(ConstrainedClusterer):
    """Base class of clusterers whose ``fit`` also accepts sample weights."""

    @_fit_context(prefer_skip_nested_validation=True)
    @documented(ConstrainedClusterer.fit)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Raises a ValueError if parameters, data, labels, pairs or weights are invalid, and an
        InconsistentConstraintsError if labels and pairs contradict each other.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Positive number of rows that each sample represents, such as ``landmark_weights_``. Objectives,
            cluster sizes and cuts are computed for these rows. Rows of one sample are not neighbours.
        """
        complete(self._plans(X, y, must_link=must_link, cannot_link=cannot_link, sample_weight=sample_weight))
        return self

    def _plans(self, X: Any, y: Any = None, *, sample_weight: Any = None, **pairs: Any) -> Plans[None]:
        self._sample_weight = sample_weight
        yield from super()._plans(X, y, **pairs)


@estimator
class NearestSampleMixin:
    """Mixin for transductive clusterers, which assign new samples to the nearest training sample's cluster.

    Parameters
    ----------
    scale : {"minmax", "standard", "none"}
        Feature scaling. Ignored with ``metric="precomputed"``.
    ties : {"random", "index"}
        Order of equidistant neighbours. With ``"index"``, results for data with ties depend on the row order.
    neighbor_method : {"auto", "exact", "approximate"}
        Neighbour search; see :func:`~moo_clustering.graphs.neighbor_lists`.

    Attributes
    ----------
    neighbor_recall_ : float or None
        Recall of approximate neighbour lists. None for exact and user-supplied lists.
    """

    _: KW_ONLY
    scale: Literal["minmax", "standard", "none"] = "minmax"
    ties: Literal["random", "index"] = "random"
    neighbor_method: Literal["auto", "exact", "approximate"] = "auto"

    @_by_part
    @documented(OF_PREDICT)
    def predict(self, X: Any) -> Int32Array:
        """Assign samples to the cluster of the nearest training sample, using the fit's scaling and metric.

        Ties are broken by row order. Training samples get their ``labels_``. But if constraints separate
        equal samples, all equal samples get the label of the first one. Takes O(n n_samples n_features) time
        and bounded memory. Raises a ValueError if the features or distances do not match the fit.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            With ``metric="precomputed"``, distances to the training samples, shape (n, n_samples).
        """
        check_is_fitted(self, "labels_")
        labels: Int32Array = self.labels_  # type: ignore[attr-defined]
        space, scaling, dtype = self._compared
        if space is None and np.shape(X)[1:] != (len(labels),):
            raise ValueError(
                f'{type(self).__name__} was fitted with metric="precomputed", so X must contain distances '
                f"from new to training samples, of shape (n, {len(labels)}); got shape {np.shape(X)}"
            )
        X = numeric_features(self, X, dtype=dtype, reset=False)
        if space is None:
            return labels[X.argmin(axis=1)]
        rows = MetricSpace(scaling(X), space.metric).points
        return labels[nearest_rows(rows, space.points, "euclidean" if space.power == 2.0 else space.metric)]

    def _neighbors(
        self, X: AnyFloatArray, width: int, rng: np.random.Generator, groups: ConstraintGroups | None = None
    ) -> NeighborLists:
        options: Any = {"metric": self.metric, "n_jobs": self.n_jobs, "method": self.neighbor_method}  # type: ignore[attr-defined]
        return neighbor_lists(X, width, ties=self.ties, rng=rng, groups=groups, **options)

    def _scale_samples(self, X: AnyFloatArray) -> Any:
        metric: Metric = self.metric  # type: ignore[attr-defined]
        scaling = feature_scaling(X, "none" if metric == "precomputed" else self.scale)
        rows = scaling(X)
        self._compared = None if metric == "precomputed" else MetricSpace(rows, metric), scaling, rows.dtype
        return rows


def _without_start(estimator: Any) -> Any:
    found = copy(estimator)
    found.start = None
    return found


def checked_parts(estimator: Any, table: Parts, *, reset: bool) -> Parts:
    """Store the number and names of the features if ``reset`` is True. Otherwise, check them."""
    row: Any = np.zeros((1, table.n_features))
    if table.columns is not None:
        import pandas as pd  # slow import

        row = pd.DataFrame(row, columns=list(table.columns))
    validate_data(estimator, row, reset=reset)
    return table


def row_keys(X: Any) -> Iterator[bytes]:
    """Yield a bytes object for each row of a table or sparse matrix. Equal rows have equal bytes."""
    if not issparse(X):
        # Add 0 to turn -0.0 into 0.0, because both numbers are equal but have different bytes.
        yield from (np.ascontiguousarray(row + 0).tobytes() for row in X)
        return
    rows = csr_array(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for low, high in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        yield rows.indices[low:high].tobytes() + rows.data[low:high].tobytes()


def cluster_orders(labels: Labels, n_clusters: int) -> IntpArray:
    """Sort the cluster numbers of each partition by first appearance. Empty clusters come last."""
    ranks = np.full((len(labels), n_clusters), n_clusters, dtype=np.int32)
    np.put_along_axis(ranks, labels, relabel_by_first_appearance(labels), axis=1)
    return ranks.argsort(axis=1, kind="stable")


def equal_rows(X: Any) -> IntpArray:
    """Number the distinct rows by first appearance, and return the number of each row."""
    return equal_items(row_keys(X))


def equal_items(keys: Iterable[bytes]) -> IntpArray:
    number: dict[bytes, int] = {}
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.intp)


def count_distinct_rows(X: Any, limit: int) -> int:
    seen: set[bytes] = set()
    for key in row_keys(X):
        seen.add(key)
        if len(seen) == limit:
            break
    return len(seen)


def united(labels: NDArray[Any], equal: NDArray[Any], fixed: IntArray | None = None) -> Int32Array:
    """Assign each sample the most frequent label among the samples with the same number in ``equal``.

    If several labels are equally frequent, the lowest is used. Samples whose indices are in ``fixed`` keep
    their labels.
    """
    out = np.array(labels, dtype=np.int32)
    if equal.max() + 1 == len(equal):
        return out
    for row in np.atleast_2d(out):
        width = int(row.max()) + 1
        pairs, counts = np.unique(equal * width + row, return_counts=True)
        number, label = np.divmod(pairs, width)
        order = np.lexsort((label, -counts, number))
        joined = label[order][np.unique(number[order], return_index=True)[1]][equal]
        if fixed is not None:
            joined[fixed] = row[fixed]
        row[:] = joined
    return out


def warn_of_few(n_found: int, wanted: int | str | None, why: str = "") -> None:
    """Warn if fewer than ``wanted`` clusters are non-empty. If ``wanted`` is a text, always warn."""
    if wanted is None or (not isinstance(wanted, str) and n_found >= wanted):
        return
    wanted = wanted if isinstance(wanted, str) else f"n_clusters={wanted}"
    _arrays.warn_caller(
        f"only {n_found} of {wanted} clusters {'is' if n_found == 1 else 'are'} non-empty: "
        f"{why or 'X has fewer distinct rows than clusters'}"
    )


def warn_of_max_iter(what: str, max_iter: int) -> None:
    message = f"{what} did not converge in max_iter={max_iter} iterations; increase max_iter"
    _arrays.warn_caller(message, ConvergenceWarning)


def warn_if_all_labelled(labelled: BoolArray) -> None:
    if labelled.all():
        _arrays.warn_caller(
            "all samples are labelled, and the fit follows the labels, so scores against the same y "
            "(also in GridSearchCV and cross_val_score) are those of a supervised method; replace "
            "labels by -1, as in the example score_without_a_leak.py, or omit y"
        )


def checkpoint_for(estimator: BaseEstimator, *data: Any, **free: Any) -> Checkpoint | None:
    """Return the checkpoint of a fit, or None if the parameter ``checkpoint`` is None.

    A run can be resumed only if ``data`` and the parameters have not changed. Parameters named in ``free``
    may change, because the values in ``free`` are compared instead.
    """
    if estimator.checkpoint is None:
        if estimator.resume:
            raise ValueError("resume=True requires checkpoint, the path of the file to resume from")
        return None
    if not isinstance(estimator.random_state, Integral):
        raise ValueError(
            "checkpoint requires an integer random_state, so that a resumed run equals an "
            f"uninterrupted one; got random_state={estimator.random_state!r}"
        )
    if getattr(estimator, "start", None) is not None:
        from moo_clustering.operators.generic import start_rows  # slow import

        data = (*data, start_rows(estimator.start))
    given = estimator.get_params(deep=False) | free
    identity = {
        "method": type(estimator).__name__,
        "parameters": {name: _plain(value) for name, value in given.items() if name not in _FREE},
        "data": fingerprint(*(x if x is None or issparse(x) else np.asarray(x) for x in data)),
    }
    path, every = Path(estimator.checkpoint), estimator.checkpoint_every
    return Checkpoint(path=path, every=every, identity=identity, resume=estimator.resume)


def _plain(value: Any) -> Any:
    """Convert a parameter to a JSON type. Arrays become fingerprints, and functions become their names."""
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    parts = value if isinstance(value, tuple | list) else [value]
    if any(isinstance(part, np.ndarray | list | tuple) for part in parts):
        return fingerprint(*(np.asarray(part) for part in parts))
    return value.item() if isinstance(value, np.generic) else value


def nearest_rows(X: Any, rows: Any, metric: Metric) -> Int32Array:
    """For each row of X, return the index of the nearest row in ``rows``. Ties go to the lowest index."""
    out = np.empty(X.shape[0], dtype=np.int32)
    for part in _arrays.block_slices(X.shape[0], rows.shape[0]):
        out[part] = row_distances(X[part], rows, metric).argmin(axis=1)
    return out


def row_distances(X: Any, rows: Any, metric: Metric) -> FloatArray:
    if metric in ("euclidean", "sqeuclidean") and not issparse(X) and not issparse(rows):
        # Matrix products would be faster, but their rounding errors can exceed the distances between nearby
        # rows.
        return np.asarray(cdist(X, rows, metric))
    if metric == "cosine":
        D = _arrays.unit_rows(X) @ _arrays.unit_rows(rows).T
        D = 1.0 - (D if isinstance(D, np.ndarray) else D.toarray())
        return np.rint(np.clip(D, 0.0, 2.0) * GRAIN) / GRAIN
    return np.asarray(pairwise_distances(X, rows, metric=metric), dtype=np.float64)


def check_n_clusters(n_clusters: int, most: int, of: str = "samples, {}") -> None:
    if n_clusters > most:
        raise ValueError(f"n_clusters={n_clusters} must not exceed the number of {of.format(most)}")


def feature_scaling(X: AnyFloatArray, scale: str) -> Scaling:
    """Return a function that scales rows to [0, 1], or to mean 0 and standard deviation 1."""
    # The function drops constant features. If all features are constant, it returns one column of zeros.
    _arrays.choice("scale", scale, ("minmax", "standard", "none"))
    if scale == "none":
        return np.asarray
    low, high = X.min(axis=0), X.max(axis=0)
    varying = high > low
    # Halve the values first, because the range of huge values could overflow.
    by_range = partial(_scaled, varying, low[varying] / 2, high[varying] / 2 - low[varying] / 2)
    if scale == "minmax" or not varying.any():
        return by_range
    # Scale to [0, 1] first, because squares of tiny or huge features could underflow or overflow.
    scaled = by_range(X)
    mean, spread = scaled.mean(axis=0, dtype=np.float64), scaled.std(axis=0, dtype=np.float64)
    return partial(by_range, mean=mean, spread=spread)


def _scaled(
    varying: BoolArray, low: Any, half: Any, X: Any, mean: Any = None, spread: Any = None
) -> AnyFloatArray:
    """Scale X, given half of its minimum and half of its range. If ``mean`` is given, also standardise X."""
    if not varying.any():
        return np.zeros((len(X), 1), dtype=X.dtype)
    scaled: AnyFloatArray = (X[:, varying] / 2 - low) / half
    return scaled if mean is None else ((scaled - mean) / spread).astype(X.dtype)


def settled(result: Result) -> Result:
    """Set ``X``, ``F``, ``CV``, ``G`` and ``H`` of a pymoo result to 2-d arrays of the optimal solutions.

    If no solution is feasible, use the non-dominated solutions with the smallest constraint violation.
    """
    if result.opt is None:
        violation = result.pop.get("CV")[:, 0]
        best = np.flatnonzero(violation == violation.min())
        result.opt = result.pop[best[_arrays.non_dominated(result.pop[best].get("F"))]]
    result.X, result.F, result.CV, result.G, result.H = result.opt.get("X", "F", "CV", "G", "H")
    return result
