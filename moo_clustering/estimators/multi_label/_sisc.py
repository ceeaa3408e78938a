"""SISC and SISC-ML: fuzzy subspace clusters guided by labels, and classes by their votes."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._random import SeedLike
from moo_clustering._targets import Targets
from moo_clustering.estimators._shared_docs import fill_docs
from moo_clustering.estimators.multi_label import _subspace_docs as docs
from moo_clustering.estimators.multi_label._cluster_votes import Doubles
from moo_clustering.estimators.multi_label._fuzzy import FuzzySubspaceEstimator
from moo_clustering.estimators.multi_label._label_decisions import labelled_accuracy
from moo_clustering.estimators.multi_label._presence import are_counts, empty_rows
from moo_clustering.subspace import SubspaceData, SubspaceOptions
from moo_clustering.subspace._options import Init


@fill_docs(
    fuzzy=docs.FUZZY,
    prediction=docs.PREDICTION,
    aggregation=docs.AGGREGATION,
    start=docs.START,
    common=docs.COMMON,
    attributes=docs.ATTRIBUTES,
    partial=docs.PARTIAL,
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
    def impurities_(self) -> Doubles:
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
