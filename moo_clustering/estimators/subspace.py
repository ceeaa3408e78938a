"""Clusterers and classifiers with cluster-specific feature weights: SISC, SCAD2, EntropyWeightedKMeans."""

import math
from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, fields, replace
from numbers import Real
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from moo_clustering import results, subspace
from moo_clustering._arrays import number_clusters, quoted, row_sizes, spawn_seeds, warn_caller
from moo_clustering._data import numeric_features, without_duplicates
from moo_clustering._docs import documented
from moo_clustering._targets import Targets, partial_targets
from moo_clustering._types import AnyFloatArray, FloatArray
from moo_clustering.algorithms.search import Plans, complete
from moo_clustering.estimators import _base, _options, multi_label
from moo_clustering.estimators.documents import checked_names, leading_terms
from moo_clustering.subspace import SubspaceData, SubspaceOptions
from moo_clustering.subspace.classes import Aggregation

# Parts of error messages that explain a parameter and recommend values.
_REASONS = {
    "fuzziness": (
        "1 / (fuzziness - 1) is the exponent of distances in memberships",
        "1.1 gives nearly hard memberships, 1.5 is common",
    ),
    "weight_exponent": (
        "1 / (weight_exponent - 1) is the exponent of dispersions in feature weights",
        "2 concentrates the weight on a few features, 5 is common, 50 gives nearly equal weights",
    ),
}

# Result of a search, which consists of memberships, centres, logarithms of the feature weights and
# impurities, and of the objective after each sweep.
Found = tuple[tuple[AnyFloatArray, AnyFloatArray, AnyFloatArray, FloatArray], FloatArray]

_ARRAYS = {
    "memberships": "memberships_",
    "centers": "cluster_centers_",
    "feature_weights": "feature_weights_",
    "class_shares": "class_shares_",
    "impurities": "impurities_",
}


class LeadingFeaturesMixin(metaclass=ABCMeta):
    """Mixin for clusterers with cluster-specific feature weights."""

    def leading_features(
        self, n: int = 10, feature_names: Sequence[str] | None = None
    ) -> tuple[tuple[Any, ...], ...]:
        """Return the names or column indices of up to n features per cluster, most characteristic first.

        :class:`SubspaceMixture` sorts relevant features by weight. In other methods, absent features can also
        have large weights, so features are sorted by their weight times the difference between the centre and
        the mean of all documents. By default, names are ``feature_names_in_``, or column indices if there are
        no names. Raises a ValueError if ``n`` is less than 1, or if the number of names is wrong.
        """
        check_is_fitted(self)
        if not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a positive integer, got {quoted(n)}")
        return leading_terms(self._distinction(), checked_names(self, feature_names, "feature"), int(n))

    def _clustering_result(self) -> results.ClusteringResult:
        found: results.ClusteringResult = super()._clustering_result()  # type: ignore[misc]
        arrays = results.attributes_of(self, _ARRAYS)
        weights, leading = arrays["feature_weights"], self.leading_features
        return replace(found, feature_weights=weights, leading_features=leading, arrays=lambda: arrays)

    @abstractmethod
    def _distinction(self) -> AnyFloatArray:
        """Return a score for each cluster and feature. Leading features must have positive scores."""


@documented(subspace.votes)
@_options.estimator
class SubspaceEstimator(
    LeadingFeaturesMixin,
    _base.ReportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _options.ParallelOptions,
    BaseEstimator,
):
    """Base class of clusterers with cluster-specific feature weights that predict classes by cluster votes.

    Parameters
    ----------
    threshold : float
        Minimum probability for ``predict`` to return a label. Used only for label sets.
    binarize : bool
        Whether to replace ``X`` by feature presence: 1 where ``X`` is positive, 0 elsewhere.
    dtype : {"float64", "float32"}
        Precision of the computation. float32 halves memory use.
    n_init, max_iter : int
        Number of starts, and maximum sweeps per start. The start with the lowest objective is used.
    tol : float
        Sweeps stop when no membership changes by more than this value.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        Membership of each document in each cluster; rows sum to 1. Clusters without documents come last.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    class_shares_ : ndarray of shape (n_clusters, n_classes)
        Class shares among the labelled documents of the cluster or, if there are none, of all clusters.
    classes_ : ndarray of shape (n_classes,)
        Classes of ``y``. They are 0, 1, ... for label sets, and empty if there are no labels.
    multilabel_ : bool
        Whether ``y`` contains label sets.
    labels_ : ndarray of shape (n_documents,), int32
        Cluster with the largest membership. Clusters are numbered in order of their first document.
    history_ : ndarray of shape (n_iter_,)
        Objective after each sweep, which does not always decrease.
    n_iter_ : int
        Number of sweeps.
    """

    n_clusters: _options.Count
    _: KW_ONLY
    n_neighbors: _options.Count | None = None
    aggregation: Literal["normalised", "sum", "membership"] = "normalised"
    threshold: _options.Probability = 0.5
    binarize: bool = False
    dtype: Literal["float64", "float32"] = "float64"
    max_iter: _options.Count = 15
    tol: _options.NonNegative = 1e-4
    n_init: _options.Count = 1

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of X, guided by labels if any are given.

        ``cross_val_predict(method="predict_proba")`` and other functions that encode ``y`` treat -1 as a
        class, so pass only labelled documents to these functions. ``n_neighbors``, ``aggregation`` and
        ``threshold`` can be changed after fitting. Raises a ValueError if arguments are invalid, or if there
        are more clusters than documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        y : array-like of shape (n_documents,) or (n_documents, n_labels), optional
            Classes or label indicators, with -1 or rows of -1 for unlabelled documents.
        """
        complete(self._plans(X, y))
        return self

    def _plans(self, X: Any, y: ArrayLike | None = None) -> Plans[None]:
        self._check_parameters()
        X = self._checked(X, reset=True)
        _base.check_n_clusters(self.n_clusters, X.shape[0])
        targets = partial_targets(y, X.shape[0])
        if y is not None and not targets.labelled.any():
            warn_caller("y is -1 for all documents, so the fit uses no labels")
            targets = partial_targets(None, X.shape[0])
        data = self._data(X)
        self._warn_of_data(X, data, targets)
        yield from self._search(data, targets) or ()
        if _base.count_distinct_rows(X, self.n_clusters) < self.n_clusters:
            _base.warn_of_few(self.n_clusters_, self.n_clusters)

    def fit_predict(self, X: Any, y: ArrayLike | None = None) -> NDArray[np.int32]:
        """Cluster the rows of X as ``fit`` does, and return ``labels_`` of shape (n_documents,), int32."""
        return self.fit(X, y).labels_

    @documented(_base.OF_TRANSFORM)
    def transform(self, X: Any) -> FloatArray:
        """Compute the distances of documents to clusters, using the feature weights of each cluster."""
        return self._distances_of(X)

    @documented(_base.OF_PREDICT)
    def predict_cluster(self, X: Any) -> NDArray[np.int32]:
        """Predict the cluster with the largest membership; for training data, this equals ``labels_``."""
        nearness = self._nearness(self._distances_of(X))
        # Ties are broken by the order of the clusters in the search, as in ``fit``.
        return self._numbers[nearness[:, self._numbers].argmax(axis=1)]

    def predict(self, X: Any, n_labels: ArrayLike | None = None) -> NDArray[Any]:
        """Predict classes (n_documents,), label sets (n_documents, n_classes) or, without labels, clusters.

        ``n_labels`` is the number of most probable labels to return, either one number or one per document.
        By default, all labels with a probability of at least ``threshold`` are returned. Raises a ValueError
        if ``n_labels`` is out of range, or if ``y`` contained one class per document.
        """
        check_is_fitted(self)
        if n_labels is not None and not self.multilabel_:
            raise ValueError("n_labels requires label sets, but the estimator was fitted without label sets")
        if not len(self.classes_):
            return self.predict_cluster(X)
        return multi_label.decided(self, self.predict_proba(X), self.threshold, n_labels)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return class or label probabilities, shape (n, n_classes): votes divided by their total weight.

        Rows sum to 1 if each document has one class. ``aggregation="sum"`` is replaced by ``"normalised"``,
        which ranks classes in the same order. Raises a ValueError if the fit had no labels.
        """
        votes = self._votes(X, "normalised" if self.aggregation == "sum" else self.aggregation)
        return np.clip(votes, 0.0, 1.0)

    def decision_function(self, X: Any) -> FloatArray:
        """Return class or label scores: cluster votes weighted according to ``aggregation``.

        The shape is (n, n_classes). With two classes, it is (n,), and the score of the first class is
        subtracted from the score of the second class. Raises a ValueError if the fit had no labels.
        """
        votes = self._votes(X, self.aggregation)
        if len(self.classes_) == 2 and not self.multilabel_:
            return votes[:, 1] - votes[:, 0]
        return votes

    @property
    def feature_weights_(self) -> AnyFloatArray:
        """Feature weights, shape (n_clusters, n_features); rows sum to 1, constant features have weight 0."""
        return np.exp(self._log_weights).T

    def _distinction(self) -> AnyFloatArray:
        return self.feature_weights_ * (self.cluster_centers_ - self._feature_means)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = False
        # After a fit with labels, clusterers also predict class probabilities.
        tags.classifier_tags = ClassifierTags(multi_label=True)
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.memberships_.shape[1]

    @property
    @abstractmethod
    def _exponent(self) -> float:
        """Exponent of the feature weights in the distances."""

    def _search(self, data: SubspaceData, targets: Targets) -> Plans[None] | None:
        """Find clusters, and pass them to :meth:`_set`. Methods that run a search first yield its Plan."""
        seeds = spawn_seeds(self.random_state, self.n_init)
        starts = (self._clusters(data, targets, np.random.default_rng(seed)) for seed in seeds)
        found, self.history_ = min(starts, key=lambda start: float(start[1][-1]))
        self.n_iter_ = len(self.history_)
        self._set(*found, data, targets)
        return None

    @abstractmethod
    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Found:
        """Find clusters from a single start, and return them with the history of the objective."""

    def _check_parameters(self) -> None:
        if self.n_neighbors is not None and self.n_neighbors > self.n_clusters:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must not exceed n_clusters={self.n_clusters}, the "
                "number of clusters that vote; use None for all"
            )

    def _warn_of_data(self, X: Any, data: SubspaceData, targets: Targets) -> None:
        """Warn about data that are unsuitable for the method."""

    def _checked(self, X: Any, reset: bool) -> Any:
        X = numeric_features(self, X, accept_sparse="csr", dtype=np.dtype(self.dtype), reset=reset)
        X = without_duplicates(X)
        return presence(X) if self.binarize else X

    def _data(self, X: Any, shift: FloatArray | None = None) -> SubspaceData:
        return SubspaceData.of(X, dtype=self.dtype, n_jobs=self.n_jobs, shift=shift)

    def _distances_of(self, X: Any) -> FloatArray:
        # Subtract the means of the training data, so that distances do not depend on the other samples in X.
        data = self._data(self._checked(X, reset=False), self._shift)
        return subspace.distances(data, self.cluster_centers_.T, self._log_weights, self._exponent)

    def _nearness(self, distances: FloatArray) -> AnyFloatArray:
        """Convert distances to scores, of which ``predict_cluster`` selects the highest for each document."""
        return -distances

    def _set(
        self, memberships: AnyFloatArray, centers: AnyFloatArray, log_weights: AnyFloatArray,
        impurities: FloatArray, data: SubspaceData, targets: Targets,
    ) -> None:  # fmt: skip
        """Set the fitted attributes from centres and weights of shape (n_features, n_clusters)."""
        self.labels_: NDArray[np.int32]
        self.labels_, used = number_clusters(memberships.argmax(axis=1))
        self.n_clusters_ = len(used)
        self._numbers = used.argsort().astype(np.int32)
        unused = np.setdiff1d(np.arange(memberships.shape[1]), used)
        self._order: NDArray[np.intp] = np.concatenate([used, unused])
        ordered = (np.ascontiguousarray(part[:, self._order]) for part in (memberships, centers, log_weights))
        self.memberships_, centers, self._log_weights = ordered
        self.cluster_centers_ = centers.T
        self._impurities: FloatArray = impurities[self._order]
        self._feature_means = data.mean()
        self._shift = data.matrix.shift
        self.class_shares_: FloatArray = subspace.class_shares(self.memberships_, targets)
        self.classes_: NDArray[Any] = targets.classes
        self.multilabel_: bool = targets.multilabel

    def _check_classes(self) -> None:
        if not len(self.classes_):
            raise ValueError(
                f"this {type(self).__name__} was fitted without labels, so it cannot predict classes; use "
                "predict_cluster to predict clusters, or transform to compute distances to clusters"
            )

    def _votes(self, X: Any, aggregation: Aggregation) -> FloatArray:
        check_is_fitted(self)
        self._check_classes()
        impurities, fuzziness = self._vote_options()
        return subspace.votes(
            self._distances_of(X),
            self.class_shares_,
            impurities,
            n_neighbors=self.n_neighbors,
            aggregation=aggregation,
            fuzziness=fuzziness,
        )

    def _vote_options(self) -> tuple[FloatArray, float]:
        """Return the impurities and the fuzziness that determine how much weight each cluster's vote has."""
        return self._impurities, 1.5


def presence(X: Any) -> Any:
    """Copy ``X`` with 1 for positive values and 0 elsewhere; raise a ValueError for negative values."""
    values = X.data if issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(f"binarize=True requires non-negative counts or weights, got {values.min():g} in X")
    if not issparse(X):
        return np.sign(X)
    X = X.sign()
    X.eliminate_zeros()
    return X


@documented(subspace.entropy_weighted_kmeans)
@_options.estimator
class EntropyWeightedKMeans(ClusterMixin, SubspaceEstimator):
    """k-means with cluster-specific feature weights.

    Each document belongs to the cluster with the smallest weighted distance, so memberships are 0 or 1. A
    feature's weight decreases exponentially with its dispersion in the cluster. Labels affect only the class
    predictions, in which clusters vote. An empty cluster restarts from a random document. A sweep takes
    O((nnz(X) + n_documents + n_features) n_clusters) time and O((n_documents + n_features) n_clusters) memory
    in addition to X, which remains sparse. Source: L. Jing, M. Ng, J. Huang, "An entropy weighting k-means
    algorithm for subspace clustering of high-dimensional sparse data", IEEE TKDE 19 (2007). SISC-ML, eq. 13.

    Parameters
    ----------
    gamma : float
        If the dispersion of a feature increases by ``gamma`` (in squared units of X), the weight of the
        feature is divided by e. Large values equalise weights.
    aggregation : {"normalised", "sum"}
        ``"normalised"`` divides weighted votes by the sum of weights; ``"sum"`` (as in the paper) does not.
    tol : float
        Sweeps stop when the relative change in the objective is less than this value.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import EntropyWeightedKMeans
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> model = EntropyWeightedKMeans(2, n_init=5, random_state=0).fit(X)
    >>> sorted(model.leading_features())
    [(0, 1, 2), (3, 4, 5)]
    """

    _: KW_ONLY
    gamma: _options.Positive = 0.5
    dispersion: Literal["sum", "mean"] = "sum"
    aggregation: Literal["normalised", "sum"] = "normalised"
    max_iter: _options.Count = 100

    _exponent = 1.0

    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Found:
        found = subspace.entropy_weighted_kmeans(
            data,
            self.n_clusters,
            gamma=self.gamma,
            dispersion=self.dispersion,
            max_iter=self.max_iter,
            tol=self.tol,
            rng=rng,
        )
        memberships: AnyFloatArray = np.zeros((data.n, self.n_clusters), dtype=np.dtype(self.dtype))
        # The last sweep assigns documents before it updates the centres, so assign documents again.
        memberships[np.arange(data.n), found.distances.argmin(axis=1)] = 1.0
        impurities = np.zeros(self.n_clusters)
        return (memberships, found.centers, found.log_weights, impurities), found.history

    def _distances_of(self, X: Any) -> FloatArray:
        distances = super()._distances_of(X)
        n_weighted = int(np.count_nonzero(np.isfinite(self._log_weights[:, 0])))
        # ``subspace.distances`` multiplies the weights by n_weighted, so divide by this number.
        return distances / max(n_weighted, 1)


@_options.estimator
class FuzzySubspaceEstimator(SubspaceEstimator):
    """Base class for clusterers with fuzzy memberships.

    Issues a UserWarning if all dispersions are below ``floor``, which makes all weights equal.

    Parameters
    ----------
    fuzziness : float
        Membership exponent f > 1. Near 1, each document has one cluster; from 2 on, memberships are equal.
    weight_exponent : float
        Exponent q > 1 of feature weights. Near 1, a single feature counts; large values yield equal weights.
    floor : float
        Lower bound on feature dispersions (squared units of X), which limits the weight of absent features.
    """

    _: KW_ONLY
    fuzziness: Annotated[float, Real] = 1.5
    weight_exponent: Annotated[float, Real] = 5.0
    floor: _options.Positive = 1e-6

    # Options of the sweeps that are not parameters of the estimator.
    _fixed: ClassVar[dict[str, Any]] = {}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, (reason, advice) in _REASONS.items():
            value = getattr(self, name)
            if not (value > 1 and math.isfinite(value)):
                raise ValueError(
                    f"{name} must be finite and greater than 1, got {quoted(value)}; {reason} ({advice})"
                )
        own = self.get_params(deep=False)
        names = {option.name for option in fields(SubspaceOptions)} & own.keys()
        self._options = SubspaceOptions(**{name: own[name] for name in names}, **self._fixed)

    def _warn_of_data(self, X: Any, data: SubspaceData, targets: Targets) -> None:
        # In a sparse matrix, values that are not stored are 0.
        widest = float(abs(X).max() if issparse(X) else np.ptp(X, axis=0).max())
        if 0 < widest**2 < self.floor:
            warn_caller(
                f"features vary by at most {widest:g}, so all dispersions are below floor={self.floor:g} and "
                "all features have equal weights; rescale X, or decrease floor"
            )

    @property
    def _exponent(self) -> float:
        return self._options.weight_exponent

    def _vote_options(self) -> tuple[FloatArray, float]:
        counted = self._options.impurity_in_membership
        return self._impurities if counted else np.zeros_like(self._impurities), self._options.fuzziness

    def _nearness(self, distances: FloatArray) -> AnyFloatArray:
        return subspace.memberships_from_distances(distances, self._impurities, self._options)

    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Found:
        init: Any = getattr(self, "init", "seeds")  # SCAD2 has no such parameter
        memberships = subspace.start(init, data, targets, self.n_clusters, self._options, rng)
        found = subspace.iterate(
            data, targets, memberships, self._options, max_iter=self.max_iter, tol=self.tol
        )
        last = found.sweep
        return (last.memberships, last.centers, last.log_weights, last.impurities), found.history


@_options.estimator
class SCAD2(ClusterMixin, FuzzySubspaceEstimator):
    """Simultaneous Clustering and Attribute Discrimination, second version.

    Fuzzy k-means with cluster-specific feature weights; :class:`SISC` adds labels and chi-square. Labels
    affect only the class predictions, in which clusters vote. Initial centres are random documents, moved
    halfway to the mean. Use several starts (``n_init``), because equal centres never separate. A sweep takes
    O((nnz(X) + n_documents + n_features) n_clusters) time and O((n_documents + n_features) n_clusters) memory
    plus X, which remains sparse. Source: H. Frigui, O. Nasraoui, "Unsupervised learning of prototypes and
    attribute weights", Pattern Recognition 37 (2004). Objective: SISC-ML, eq. 12, with squared deviations.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import SCAD2
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> model = SCAD2(2, n_init=5, random_state=0).fit(X)
    >>> sorted(model.leading_features())
    [(0, 1, 2), (3, 4, 5)]
    """

    _fixed: ClassVar[dict[str, Any]] = {"chi_weight": 0.0, "impurity": None}


@documented(SubspaceOptions)
@_options.estimator
class SISC(ClassifierMixin, FuzzySubspaceEstimator):
    """Semi-supervised impurity-based subspace clustering, and classification by cluster votes.

    Each cluster has fuzzy memberships and its own feature weights. Distances to impure clusters (clusters
    with mixed labels) are increased. With label sets, this is SISC-ML; without labels and chi-square, it is
    :class:`SCAD2`. The method is designed for binary word-presence data (0 or 1), but accepts any numbers.
    Issues a UserWarning if ``X`` contains counts, if a document has no features, or if a label has no
    documents. A sweep takes O((nnz(X) + n_documents + n_features) n_clusters) time and O((n_documents +
    n_features) n_clusters) memory in addition to X, which remains sparse. Source: "Multi-label ASRS dataset
    classification using semi-supervised subspace clustering", eq. 1-11.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, usually much larger than the number of classes.
    chi_weight : float
        Weight of the chi-square statistic of feature and cluster in the dispersion, in squared units of X.
    init : {"labels", "seeds", "kmeans", "dirichlet", "equal"}
        Initial clusters: labelled documents of one class per cluster (without labels, as ``"seeds"``); random
        documents; k-means clusters; random memberships; or equal memberships (paper), which never change.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import SISC
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> y = [[1, 0], [-1, -1], [-1, -1], [-1, -1], [0, 1], [-1, -1], [-1, -1], [-1, -1]]
    >>> model = SISC(2, random_state=0).fit(X, y)
    >>> model.predict(X).tolist()
    [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]
    >>> model.leading_features()
    ((0, 1, 2), (3, 4, 5))
    """

    n_clusters: _options.Count = 60
    _: KW_ONLY
    init: Literal["labels", "seeds", "kmeans", "dirichlet", "equal"] = "labels"
    chi_weight: _options.NonNegative = 0.5
    impurity: Literal["mean", "count", "none"] | None = "mean"
    chi_scale: Literal["n", "n_labelled"] = "n"
    impurity_in_membership: bool = True

    @property
    def impurities_(self) -> FloatArray:
        """Cluster impurities, shape (n_clusters,), which influence ``memberships_``."""
        return self._impurities

    @documented(multi_label.PartialLabelClassifier.score)
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy: the share of labelled documents whose class or entire label set is correct.

        Raises a ValueError if no document is labelled, or if the fit had no labels.
        """
        predicted = self.predict(X)
        self._check_classes()
        return multi_label.labelled_accuracy(y, predicted, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.required = False
        return tags

    def _warn_of_data(self, X: Any, data: SubspaceData, targets: Targets) -> None:
        super()._warn_of_data(X, data, targets)
        values = X.data if issparse(X) else X
        are_counts = (
            values.size and values.max() > 1 and values.min() >= 0 and (values == np.rint(values)).all()
        )
        if not data.is_binary and are_counts:
            warn_caller("X contains counts, but SISC expects binary features (0 or 1); set binarize=True")
        if (data.is_binary or issparse(X)) and (n_empty := np.count_nonzero(row_sizes(X) == 0)):
            warn_caller(f"{n_empty} of {data.n} documents have no features, so their clusters are arbitrary")
        if targets.labelled.any():
            missing = np.flatnonzero(targets.indicators.sum(axis=0) == 0)
            if len(missing):
                shown = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
                warn_caller(f"labels without labelled documents have probability 0: {shown}")
