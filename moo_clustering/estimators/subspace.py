"""SISC, SCAD2, EntropyWeightedKMeans."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

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
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering import subspace
from moo_clustering._arrays import AnyFloatArray, FloatArray, SeedLike, spawn_seeds, without_duplicates
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.estimators._base import ReportMixin, check_n_clusters, fill_docs
from moo_clustering.estimators.documents import leading_terms
from moo_clustering.estimators.multi_label import best_labels, checked_n_labels, labelled_accuracy
from moo_clustering.subspace import SubspaceData, SubspaceOptions
from moo_clustering.subspace.classes import Aggregation
from moo_clustering.subspace.kmeans import Init

FUZZY = """
fuzziness : float, default=1.5
    f above 1: near 1 documents belong to one cluster, from 2 on to all alike where features are many.
weight_exponent : float, default=5
    q above 1: near 1 one feature takes all weight of a cluster, a large one gives all features the same.
"""
PREDICTION = """
n_neighbors : int, optional
    Nearest clusters that vote on the classes of a document; all by default.
"""
AGGREGATION = """
aggregation : {"normalised", "sum", "membership"}, default="normalised"
    Votes weighted by inverse distances and divided by their sum; not divided, as printed, which makes
    scores of documents incomparable; or weighted by memberships.
"""
START = """
max_iter : int, default=15
    Sweeps at most.
tol : float, default=1e-4
    Sweeps end where no membership changes by more.
floor : float, default=1e-6
    Least dispersion of a feature, above 0: features that a cluster lacks have none.
"""
COMMON = """
threshold : float, default=0.5
    Least probability of the labels that ``predict`` gives, for label sets.
binarize : bool, default=False
    Take presence of features, 1 where ``X`` is positive, in place of ``X``.
dtype : {"float64", "float32"}, default="float64"
    Single precision takes half the memory.
n_init : int, default=1
    Independent starts, of which that with the least objective counts.
random_state : int, Generator, RandomState or None, default=None
n_jobs : int, optional
    Threads; results do not depend on it.
"""
ATTRIBUTES = """
memberships_ : ndarray of shape (n_documents, n_clusters)
    Rows sum to 1.
cluster_centers_ : ndarray of shape (n_clusters, n_features)
feature_weights_ : ndarray of shape (n_clusters, n_features)
    Rows sum to 1; 0 for features that are the same in all documents.
class_shares_ : ndarray of shape (n_clusters, n_classes)
    Shares of the classes among the labelled documents of the clusters; those among all labelled
    documents where a cluster has none.
classes_ : ndarray of shape (n_classes,)
    Classes; 0, 1, ... for label sets; empty without labels.
multilabel_ : bool
    Whether documents have label sets.
labels_ : ndarray of shape (n_documents,), int32
    Column of the largest membership; columns that are the largest of no document leave gaps.
n_clusters_ : int
    Clusters with documents.
history_ : ndarray of shape (n_iter_,)
    Objective of every sweep; it need not fall.
n_iter_ : int
n_features_in_, feature_names_in_
"""
PARTIAL = """
``y`` says -1 for unlabelled documents: numeric classes cannot include -1. Whatever replaces ``y`` by codes,
as ``cross_val_predict(method="predict_proba")`` does with classes, makes -1 one of them; give it labelled
documents only. ``n_neighbors``, ``aggregation`` and ``threshold`` may be changed after the fit.
"""
_REASONS = {
    "fuzziness": (
        "1 / (fuzziness - 1) is the exponent of distances in memberships",
        "1.1 makes them nearly hard, 1.5 is usual",
    ),
    "weight_exponent": (
        "1 / (weight_exponent - 1) is the exponent of dispersions in the weights of features",
        "2 leaves most weight to few features, 5 is usual, 50 makes them nearly equal",
    ),
}


class ClusterVotes:
    """Predictions of what knows the distances of documents from clusters, and the clusters' classes."""

    aggregation: Aggregation
    n_neighbors: int | None
    threshold: float
    classes_: NDArray[Any]
    multilabel_: bool
    class_shares_: FloatArray
    _impurities: FloatArray

    def predict(self, X: Any, n_labels: ArrayLike | None = None) -> NDArray[Any]:
        """Classes or label sets of documents; their clusters after a fit without labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        n_labels : int or array-like of shape (n_documents,), optional
            Of label sets, how many to give, the most probable ones; by default those with at least
            probability ``threshold``.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_classes)
            Classes; or indicators of label sets; or clusters.

        Raises
        ------
        ValueError
            ``n_labels`` out of range, or for documents with one class.
        """
        check_is_fitted(self)
        if n_labels is not None and not self.multilabel_:
            raise ValueError("n_labels is for label sets; this was fitted without any")
        if not len(self.classes_):
            return self.predict_cluster(X)
        probabilities = self.predict_proba(X)
        if not self.multilabel_:
            return self.classes_[probabilities.argmax(axis=1)]
        if n_labels is None:
            return (probabilities >= self.threshold).astype(np.int64)
        counts = checked_n_labels(n_labels, *probabilities.shape)
        return best_labels(probabilities, counts).astype(np.int64)

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of classes or labels by the votes of clusters, divided by the sum of weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents, n_classes), 0 to 1
            Rows sum to 1 for documents with one class. ``aggregation="sum"`` is no probability: here it is
            taken as ``"normalised"``, which ranks the classes of a document alike.

        Raises
        ------
        ValueError
            After a fit without labels.
        """
        votes = self._votes(X, "normalised" if self.aggregation == "sum" else self.aggregation)
        return np.clip(votes, 0.0, 1.0)

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of classes or labels by the votes of clusters as ``aggregation`` adds them up.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents, n_classes) or (n_documents,)
            The latter for two classes, one per document: score of the second less that of the first.

        Raises
        ------
        ValueError
            After a fit without labels.
        """
        votes = self._votes(X, self.aggregation)
        if len(self.classes_) == 2 and not self.multilabel_:
            return votes[:, 1] - votes[:, 0]
        return votes

    @abstractmethod
    def predict_cluster(self, X: Any) -> NDArray[np.int32]:
        """Clusters of documents."""

    @abstractmethod
    def _distances_of(self, X: Any) -> FloatArray:
        """Distances of documents from clusters."""

    @property
    def _vote_impurities(self) -> FloatArray:
        """Those that count in votes by membership."""
        return self._impurities

    @property
    def _vote_fuzziness(self) -> float:
        """That of votes by membership."""
        return 1.5

    def _check_classes(self) -> None:
        if not len(self.classes_):
            raise ValueError(
                f"this {type(self).__name__} was fitted without labels, so that there are no classes; "
                "predict_cluster gives clusters, transform the distances from them"
            )

    def _votes(self, X: Any, aggregation: Aggregation) -> FloatArray:
        check_is_fitted(self)
        self._check_classes()
        return subspace.votes(
            self._distances_of(X),
            self.class_shares_,
            self._vote_impurities,
            n_neighbors=self.n_neighbors,
            aggregation=aggregation,
            fuzziness=self._vote_fuzziness,
        )


class SubspaceEstimator(
    ReportMixin, ClusterVotes, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Base of the subspace clusterers: clusters with weights of features, and classes by their votes.

    A subclass says how one start becomes clusters (``_clusters``), at what exponent weights count in
    distances (``_exponent``), and may warn of data (``_warn_of_data``).
    """

    _common_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "binarize": ["boolean"],
        "dtype": [StrOptions({"float64", "float32"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of X, guided by the labels there are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        y : array-like of shape (n_documents,) or (n_documents, n_labels), optional
            Classes, -1 for unlabelled documents; or indicators 0 and 1 of label sets, with rows of -1
            for unlabelled documents.

        Raises
        ------
        ValueError
            Parameters, data or labels out of range, or more clusters than documents.
        """
        self._check_parameters()
        X = self._checked(X, reset=True)
        check_n_clusters(self.n_clusters, X.shape[0])
        targets = partial_targets(y, X.shape[0])
        if y is not None and not targets.labelled.any():
            warnings.warn(
                "y has no labelled document, all are -1: fitted without labels", UserWarning, stacklevel=3
            )
            targets = partial_targets(None, X.shape[0])
        data = self._data(X)
        self._warn_of_data(X, data, targets)
        seeds = spawn_seeds(self.random_state, self.n_init)
        starts = (self._clusters(data, targets, np.random.default_rng(seed)) for seed in seeds)
        self._set(min(starts, key=lambda found: found.objective), data, targets)
        return self

    def fit_predict(self, X: Any, y: ArrayLike | None = None) -> NDArray[np.int32]:
        """Cluster the rows of X and return ``labels_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        y : array-like, optional
            As for ``fit``.

        Returns
        -------
        ndarray of shape (n_documents,), int32
        """
        return self.fit(X, y).labels_

    def transform(self, X: Any) -> FloatArray:
        """Distances of documents from the clusters, each by its own weights of features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents, n_clusters)
        """
        return self._distances_of(X)

    def predict_cluster(self, X: Any) -> NDArray[np.int32]:
        """Cluster of the largest membership, numbered as in ``labels_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents,), int32
        """
        return self._nearest(self._distances_of(X))

    def leading_features(
        self, n: int = 10, feature_names: Sequence[str] | None = None
    ) -> tuple[tuple[Any, ...], ...]:
        """Features that tell what every cluster is about, the most telling first.

        Large weights alone do not: features that a cluster lacks have them too. So features are ordered
        by weight times how far the centre of the cluster is above the mean of all documents, and those
        that are not above it are left out.

        Parameters
        ----------
        n : int, default=10
            Features per cluster at most.
        feature_names : sequence of str, optional
            ``feature_names_in_`` by default; columns where there are none.

        Returns
        -------
        tuple of n_clusters tuples of str or int

        Raises
        ------
        ValueError
            ``n`` below 1, or another number of names than of features.
        """
        check_is_fitted(self)
        if not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a whole number from 1 on; got {n!r}")
        names = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        if names is not None and len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names must name the {self.n_features_in_} features; got {len(names)} names"
            )
        excess = self.cluster_centers_ - self._feature_means
        return leading_terms(self.feature_weights_ * excess, names, int(n))

    @property
    def feature_weights_(self) -> AnyFloatArray:
        """Weights of the features in every cluster, shape (n_clusters, n_features)."""
        return np.exp(self._log_weights).T

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = False
        # Clusterers too give probabilities of classes once they are fitted with labels.
        tags.classifier_tags = ClassifierTags(multi_label=True)
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.memberships_.shape[1]

    @property
    @abstractmethod
    def _exponent(self) -> float:
        """That of feature weights in distances."""

    @abstractmethod
    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Clusters:
        """Clusters from one start."""

    def _check_parameters(self) -> None:
        if self.n_neighbors is not None and self.n_neighbors > self.n_clusters:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is more than the number of clusters that can vote, "
                f"n_clusters={self.n_clusters}; use None for all"
            )

    def _warn_of_data(self, X: Any, data: SubspaceData, targets: Targets) -> None:
        """Warn of data that the method is not made for; stacklevel=4 is the caller of fit."""

    def _checked(self, X: Any, reset: bool) -> Any:
        X = validate_data(self, X, accept_sparse="csr", dtype=np.dtype(self.dtype), reset=reset)
        X = without_duplicates(X)
        return presence(X) if self.binarize else X

    def _data(self, X: Any) -> SubspaceData:
        return SubspaceData.of(X, dtype=self.dtype, n_jobs=self.n_jobs)

    def _distances_of(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        data = self._data(self._checked(X, reset=False))
        return subspace.distances(data, self.cluster_centers_.T, self._log_weights, self._exponent)

    def _nearest(self, distances: FloatArray) -> NDArray[np.int32]:
        return distances.argmin(axis=1).astype(np.int32)

    def _set(self, found: Clusters, data: SubspaceData, targets: Targets) -> None:
        self.memberships_ = found.memberships
        self.cluster_centers_ = found.centers.T
        self._log_weights = found.log_weights
        self._impurities = found.impurities
        self._feature_means = data.mean()
        self.class_shares_ = subspace.class_shares(found.memberships, targets)
        self.classes_ = targets.classes
        self.multilabel_ = targets.multilabel
        self.labels_: NDArray[np.int32] = found.memberships.argmax(axis=1).astype(np.int32)
        self.n_clusters_ = len(np.unique(self.labels_))
        self.history_ = found.history
        self.n_iter_ = len(found.history)


@fill_docs(prediction=PREDICTION, common=COMMON, attributes=ATTRIBUTES, partial=PARTIAL)
class EntropyWeightedKMeans(ClusterMixin, SubspaceEstimator):
    """k-means in which every cluster has its own weights of features.

    A document belongs to the cluster of the least weighted distance; weights fall exponentially with the
    dispersion of a feature in the cluster. Labels do not guide the clusters; where there are some, clusters
    vote on the classes of documents.

    Parameters
    ----------
    n_clusters : int
    gamma : float, default=0.5
        Dispersion at which a weight falls by e; the larger, the more features share the weight.
    dispersion : {"sum", "mean"}, default="sum"
        Of a feature over the documents of a cluster. Sums grow with the cluster and put all weight on
        features that are the same in it, mostly absent ones; means do not, and classify far better.
    %(prediction)s
    aggregation : {"normalised", "sum"}, default="normalised"
        Votes weighted by inverse distances, divided by the sum of these or, as printed, not.
    max_iter : int, default=100
        Sweeps at most.
    tol : float, default=1e-4
        Sweeps end where the objective changes by less than this part of itself.
    %(common)s

    Attributes
    ----------
    %(attributes)s

    Notes
    -----
    Memberships are 0 and 1. A cluster without documents starts again from a random one.

    %(partial)s

    O(nnz(X) n_clusters + (n_documents + n_features) n_clusters) time per sweep,
    O((n_documents + n_features) n_clusters) memory beside X; sparse data stay sparse.

    References
    ----------
    L. Jing, M. Ng, J. Huang, "An entropy weighting k-means algorithm for subspace clustering of
    high-dimensional sparse data", IEEE TKDE 19 (2007). "Multi-label ASRS dataset classification using
    semi-supervised subspace clustering", eq. 13.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import EntropyWeightedKMeans
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> model = EntropyWeightedKMeans(2, n_init=5, random_state=0).fit(X)
    >>> sorted(model.leading_features())
    [(0, 1, 2), (3, 4, 5)]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceEstimator._common_constraints,
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "dispersion": [StrOptions({"sum", "mean"})],
        "aggregation": [StrOptions({"normalised", "sum"})],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        gamma: float = 0.5,
        dispersion: Literal["sum", "mean"] = "sum",
        n_neighbors: int | None = None,
        aggregation: Literal["normalised", "sum"] = "normalised",
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float = 0.5,
        binarize: bool = False,
        dtype: Literal["float64", "float32"] = "float64",
        n_init: int = 1,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.dispersion = dispersion
        self.n_neighbors = n_neighbors
        self.aggregation = aggregation
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.binarize = binarize
        self.dtype = dtype
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Clusters:
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
        # The labels of the last sweep are older than its centres.
        memberships[np.arange(data.n), found.distances.argmin(axis=1)] = 1.0
        impurities = np.zeros(self.n_clusters)
        return Clusters(memberships, found.centers, found.log_weights, impurities, found.history)

    @property
    def _exponent(self) -> float:
        return 1.0

    def _distances_of(self, X: Any) -> FloatArray:
        distances = super()._distances_of(X)
        n_weighted = int(np.count_nonzero(np.isfinite(self._log_weights[:, 0])))
        # The common distances have weights times their number.
        return distances / max(n_weighted, 1)


class Clusters(NamedTuple):
    """What one start leads to; arrays by feature are (n_features, n_clusters)."""

    memberships: AnyFloatArray
    centers: AnyFloatArray
    log_weights: AnyFloatArray
    impurities: FloatArray
    history: FloatArray

    @property
    def objective(self) -> float:
        """Of the last sweep."""
        return float(self.history[-1])


def presence(X: Any) -> Any:
    """1 where ``X`` is positive, 0 elsewhere, as a copy of the same kind and type.

    Raises
    ------
    ValueError
        Negative values, which are no counts.
    """
    values = X.data if issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(f"binarize=True takes counts or weights of features; X has {values.min():g} < 0")
    if not issparse(X):
        return (X > 0).astype(X.dtype)
    X = X.copy()
    X.data[:] = X.data > 0
    X.eliminate_zeros()
    return X


def are_counts(X: Any) -> bool:
    """Whether all values are whole, none is negative and some are above 1."""
    values = X.data if issparse(X) else X
    return bool(values.size and values.max() > 1 and values.min() >= 0 and (values == np.rint(values)).all())


def empty_rows(X: Any) -> NDArray[np.intp]:
    """Numbers of the rows without values other than 0."""
    filled = (X != 0).sum(axis=1) if issparse(X) else X.any(axis=1)
    return np.flatnonzero(np.asarray(filled).ravel() == 0)


class FuzzySubspaceEstimator(SubspaceEstimator):
    """Base of the clusterers whose clusters share documents: sweeps from a start until they settle."""

    _fuzzy_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceEstimator._common_constraints,
        "fuzziness": [Real],
        "weight_exponent": [Real],
        "aggregation": [StrOptions({"normalised", "sum", "membership"})],
        "floor": [Interval(Real, 0, None, closed="neither")],
    }

    _options: SubspaceOptions

    @property
    def _start(self) -> Init:
        """How clusters start."""
        return "seeds"

    @abstractmethod
    def _make_options(self) -> SubspaceOptions:
        """Options of the sweeps."""

    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Clusters:
        memberships = subspace.start(self._start, data, targets, self.n_clusters, self._options, rng)
        found = subspace.iterate(
            data, targets, memberships, self._options, max_iter=self.max_iter, tol=self.tol
        )
        last = found.sweep
        return Clusters(last.memberships, last.centers, last.log_weights, last.impurities, found.history)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, (reason, advice) in _REASONS.items():
            value = getattr(self, name)
            if not (value > 1 and math.isfinite(value)):
                raise ValueError(f"{name} must be a number > 1, as {reason} ({advice}); got {value!r}")
        self._options = self._make_options()

    @property
    def _exponent(self) -> float:
        return self._options.weight_exponent

    @property
    def _vote_impurities(self) -> FloatArray:
        return self._impurities if self._options.impurity_in_membership else np.zeros_like(self._impurities)

    @property
    def _vote_fuzziness(self) -> float:
        return self._options.fuzziness

    def _nearest(self, distances: FloatArray) -> NDArray[np.int32]:
        memberships = subspace.memberships_from_distances(distances, self._impurities, self._options)
        return memberships.argmax(axis=1).astype(np.int32)


@fill_docs(
    fuzzy=FUZZY,
    prediction=PREDICTION,
    aggregation=AGGREGATION,
    start=START,
    common=COMMON,
    attributes=ATTRIBUTES,
    partial=PARTIAL,
)
class SCAD2(ClusterMixin, FuzzySubspaceEstimator):
    """Simultaneous clustering and attribute discrimination, second version.

    Fuzzy k-means in which every cluster has its own weights of features. Labels do not guide the clusters;
    where there are some, clusters vote on the classes of documents.

    Parameters
    ----------
    n_clusters : int
    %(fuzzy)s
    %(prediction)s
    %(aggregation)s
    %(start)s
    %(common)s

    Attributes
    ----------
    %(attributes)s

    See Also
    --------
    SISC : With labels and chi-square.

    Notes
    -----
    %(partial)s

    It starts from random documents, drawn halfway to the mean. Centres that meet do not part again: take
    several starts (``n_init``).

    O(nnz(X) n_clusters + (n_documents + n_features) n_clusters) time per sweep,
    O((n_documents + n_features) n_clusters) memory beside X; sparse data stay sparse.

    References
    ----------
    H. Frigui, O. Nasraoui, "Unsupervised learning of prototypes and attribute weights", Pattern Recognition
    37 (2004). "Multi-label ASRS dataset classification using semi-supervised subspace clustering", eq. 12,
    with squares as in the former.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import SCAD2
    >>> X = np.kron(np.eye(2), np.ones((4, 3)))
    >>> model = SCAD2(2, n_init=5, random_state=0).fit(X)
    >>> sorted(model.leading_features())
    [(0, 1, 2), (3, 4, 5)]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = FuzzySubspaceEstimator._fuzzy_constraints

    def __init__(
        self,
        n_clusters: int,
        *,
        fuzziness: float = 1.5,
        weight_exponent: float = 5.0,
        n_neighbors: int | None = None,
        aggregation: Literal["normalised", "sum", "membership"] = "normalised",
        max_iter: int = 15,
        tol: float = 1e-4,
        floor: float = 1e-6,
        threshold: float = 0.5,
        binarize: bool = False,
        dtype: Literal["float64", "float32"] = "float64",
        n_init: int = 1,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.weight_exponent = weight_exponent
        self.n_neighbors = n_neighbors
        self.aggregation = aggregation
        self.max_iter = max_iter
        self.tol = tol
        self.floor = floor
        self.threshold = threshold
        self.binarize = binarize
        self.dtype = dtype
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _make_options(self) -> SubspaceOptions:
        return SubspaceOptions(
            fuzziness=self.fuzziness,
            weight_exponent=self.weight_exponent,
            gamma=0.0,
            impurity=None,
            floor=self.floor,
        )


@fill_docs(
    fuzzy=FUZZY,
    prediction=PREDICTION,
    aggregation=AGGREGATION,
    start=START,
    common=COMMON,
    attributes=ATTRIBUTES,
    partial=PARTIAL,
)
class SISC(ClassifierMixin, FuzzySubspaceEstimator):
    """Semi-supervised impurity-based subspace clustering, and classification by the clusters.

    Documents belong to all clusters in part, every cluster has its own weights of features, and clusters
    in which the labels are mixed count as farther away. With label sets as ``y`` it is SISC-ML. It is made
    for presence of words, 0 and 1; any numbers are taken.

    Parameters
    ----------
    n_clusters : int, default=60
        Many more than classes: they are regions of classes.
    %(fuzzy)s
    gamma : float, default=0.5
        Part of the chi-square between feature and cluster in the dispersion of features; 0 is without.
    %(prediction)s
    impurity : {"mean", "count", "none"} or None, default="mean"
        Product of Gini index and entropy of the labels of a cluster: divided by that of all labelled
        documents; times the squared size, as printed, which divided likewise leaves next to nothing at
        many clusters, and not divided outweighs all else; or no impurity at all.
    %(aggregation)s
    init : {"labels", "seeds", "kmeans", "dirichlet", "equal"}, default="labels"
        Clusters start from some labelled documents of a class each, class after class (from seeds where
        there are no labels); from random documents; from k-means; from random memberships; or all alike,
        as printed, where they stay.
    %(start)s
    chi_scale : {"n", "n_labelled"}, default="n"
        Documents that the chi-square counts as its total.
    impurity_in_membership : bool, default=True
        Whether impurity counts in memberships; printed without.
    %(common)s

    Attributes
    ----------
    %(attributes)s
    impurities_ : ndarray of shape (n_clusters,)
        That ``memberships_`` are made with.

    Warns
    -----
    UserWarning
        Counts in place of presence, documents without features, labels without documents.

    See Also
    --------
    SCAD2 : Without labels and chi-square.

    Notes
    -----
    %(partial)s

    For classes, ``decision_function`` has one column per class and, as scikit-learn wants it, none for
    two; scikit-learn's ranking metrics use it before ``predict_proba``.

    O(nnz(X) n_clusters + (n_documents + n_features) n_clusters) time per sweep,
    O((n_documents + n_features) n_clusters) memory beside X; sparse data stay sparse.

    References
    ----------
    "Multi-label ASRS dataset classification using semi-supervised subspace clustering", eq. 1-11.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FuzzySubspaceEstimator._fuzzy_constraints,
        "gamma": [Interval(Real, 0, None, closed="left")],
        "impurity": [StrOptions({"mean", "count", "none"}), None],
        "init": [StrOptions({"labels", "seeds", "kmeans", "dirichlet", "equal"})],
        "chi_scale": [StrOptions({"n", "n_labelled"})],
        "impurity_in_membership": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 60,
        *,
        fuzziness: float = 1.5,
        weight_exponent: float = 5.0,
        gamma: float = 0.5,
        n_neighbors: int | None = None,
        impurity: Literal["mean", "count", "none"] | None = "mean",
        aggregation: Literal["normalised", "sum", "membership"] = "normalised",
        init: Literal["labels", "seeds", "kmeans", "dirichlet", "equal"] = "labels",
        max_iter: int = 15,
        tol: float = 1e-4,
        floor: float = 1e-6,
        chi_scale: Literal["n", "n_labelled"] = "n",
        impurity_in_membership: bool = True,
        threshold: float = 0.5,
        binarize: bool = False,
        dtype: Literal["float64", "float32"] = "float64",
        n_init: int = 1,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.weight_exponent = weight_exponent
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.impurity = impurity
        self.aggregation = aggregation
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.floor = floor
        self.chi_scale = chi_scale
        self.impurity_in_membership = impurity_in_membership
        self.threshold = threshold
        self.binarize = binarize
        self.dtype = dtype
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def impurities_(self) -> FloatArray:
        """Impurities of the clusters, shape (n_clusters,)."""
        return self._impurities

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Part of the labelled documents whose class, or whole label set, is predicted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        y : array-like of shape (n_documents,) or (n_documents, n_labels)
            As for ``fit``; unlabelled documents do not count.
        sample_weight : array-like of shape (n_documents,), optional

        Returns
        -------
        float

        Raises
        ------
        ValueError
            No labelled document, or a fit without labels.
        """
        predicted = self.predict(X)
        self._check_classes()
        return labelled_accuracy(y, predicted, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.required = False
        return tags

    @property
    def _start(self) -> Init:
        return self.init

    def _make_options(self) -> SubspaceOptions:
        return SubspaceOptions(
            fuzziness=self.fuzziness,
            weight_exponent=self.weight_exponent,
            gamma=self.gamma,
            impurity=self.impurity,
            impurity_in_membership=self.impurity_in_membership,
            chi_scale=self.chi_scale,
            floor=self.floor,
        )

    def _warn_of_data(self, X: Any, data: SubspaceData, targets: Targets) -> None:
        if not data.is_binary and are_counts(X):
            warnings.warn(
                "X holds counts, and SISC is made for presence of features, 0 and 1: binarize=True takes it",
                UserWarning,
                stacklevel=4,
            )
        if data.is_binary or issparse(X):
            empty = empty_rows(X)
            if len(empty):
                warnings.warn(
                    f"{len(empty)} of {data.n} documents have no features; nothing tells where they belong",
                    UserWarning,
                    stacklevel=4,
                )
        if targets.labelled.any():
            missing = np.flatnonzero(targets.indicators.sum(axis=0) == 0)
            if len(missing):
                shown = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
                warnings.warn(
                    f"no labelled document has label {shown}: probability 0 for all documents",
                    UserWarning,
                    stacklevel=4,
                )
