"""Clusters of documents by the topics of a non-negative factorisation."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators._number_clusters import number_clusters
from moo_clustering.estimators._reporting import ReportMixin
from moo_clustering.factorization import (
    MAX_MEMORY,
    SOLVERS,
    NMFRuns,
    document_weights,
    labels_from_factors,
    map_nmf,
    topic_lengths,
)

Floats = NDArray[np.floating[Any]]


class NMFClustering(
    ReportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Document clustering by non-negative matrix factorisation, X ~ V U^T.

    The columns of U are topics, the rows of V say how much of each topic a document has; a document
    belongs to the cluster of its largest weight.

    Parameters
    ----------
    n_clusters : int
        Topics, from 1 to the number of documents and of terms.
    solver : {"hals", "mu", "pg", "sklearn", "sklearn-mu"}, default="hals"
        Hierarchical alternating least squares, multiplicative updates, projected gradients, or
        scikit-learn's "cd" and "mu".
    n_init : int, default=1
        Runs from other random factors, of which the one with the least loss counts; "hals" and "mu" do
        them side by side.
    tol : float, optional
        "hals", "mu": a run ends where the loss falls by less than this part of itself in an iteration,
        1e-5 by default; "pg": where the projected gradient has shrunk to this part, 1e-4; for
        scikit-learn's solvers as there, 1e-4.
    max_iter : int, optional
        40 for "hals", 200 for the others.
    normalise : bool, default=True
        Whether weights are compared for topics of unit length. Without it labels depend on the
        arbitrary scale of topics.
    dtype : {"float64", "float32"}, default="float64"
        Single precision takes half the memory and, with many runs, half the time.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads ("hals", "mu") or processes; results do not depend on it.
    max_memory : int, default=4 GiB
        Bytes for the factors of the runs at work; results do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,), int32
        Clusters 0, 1, ... in the order of their first documents.
    components_ : ndarray of shape (n_clusters, n_terms)
        Topics of unit length: first those of the clusters, in their order, then those that are the
        largest of no document.
    document_weights_ : ndarray of shape (n_documents, n_clusters)
        Weights of these topics where the solver stopped.
    loss_ : float
        ||X - V U^T||^2 of the best run.
    losses_ : ndarray of shape (n_init,)
    n_iter_ : int
        Iterations of the best run.
    n_clusters_ : int
        Clusters with documents.
    n_features_in_, feature_names_in_

    Notes
    -----
    O(n_values n_clusters + (n_documents + n_terms) n_clusters^2) time per iteration and run,
    O((n_documents + n_terms) n_clusters) memory per run that is at work. ``transform`` and ``predict``
    fit weights to fixed topics to the end, so that they differ a little from ``document_weights_`` and
    for a few documents from ``labels_``. Documents without terms get the largest cluster.

    References
    ----------
    W. Xu, X. Liu, Y. Gong, "Document clustering based on non-negative matrix factorization", SIGIR
    (2003); "Ensemble non-negative matrix factorization for clustering biomedical documents".

    Examples
    --------
    >>> from moo_clustering.estimators import NMFClustering
    >>> X = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1], [0, 0, 1, 2]]
    >>> NMFClustering(2, random_state=0).fit_predict(X)
    array([0, 0, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "solver": [StrOptions(set(SOLVERS))],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "normalise": ["boolean"],
        "dtype": [StrOptions({"float64", "float32"})],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "max_memory": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        solver: str = "hals",
        n_init: int = 1,
        tol: float | None = None,
        max_iter: int | None = None,
        normalise: bool = True,
        dtype: Literal["float64", "float32"] = "float64",
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        max_memory: int = MAX_MEMORY,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.normalise = normalise
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)
            Weights of terms, finite and not negative.
        y : ignored

        Raises
        ------
        ValueError
            Parameters or data out of range, more clusters than documents or terms, no terms at all, or a
            run beyond ``max_memory``.
        """
        X = self._checked(X, reset=True)
        for count, name in zip(X.shape, ("n_samples", "n_features"), strict=True):
            if self.n_clusters > count:
                what = "documents" if name == "n_samples" else "terms"
                raise ValueError(
                    f"n_clusters={self.n_clusters} is more than the number of {what}, {name}={count}."
                )
        empty = _empty_rows(X)
        if empty.all():
            raise ValueError("No document has any term: all entries of X are 0.")
        best = map_nmf(
            _best_run,
            X,
            self.n_clusters,
            solver=self.solver,
            seeds=spawn_seeds(self.random_state, self.n_init),
            tol=self.tol,
            max_iter=self.max_iter,
            dtype=self.dtype,
            n_jobs=self.n_jobs,
            max_memory=self.max_memory,
        )
        self.losses_ = np.concatenate([part.losses for part in best])
        self._set(min(best, key=lambda part: part.losses.min()), empty)
        return self

    def transform(self, X: Any) -> Floats:
        """Weights of the topics in documents, by non-negative least squares.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)

        Returns
        -------
        ndarray of shape (n_documents, n_clusters)
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return document_weights(X, self.components_.T, n_jobs=self.n_jobs).astype(
            self.components_.dtype, copy=False
        )

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster of the topic with the largest weight.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_terms)

        Returns
        -------
        ndarray of shape (n_documents,), int32
            The largest cluster where no topic has weight.
        """
        weights = self.transform(X)[:, : self.n_clusters_]
        if not self.normalise:
            weights = weights / self._lengths[: self.n_clusters_]
        labels = weights.argmax(axis=1).astype(np.int32)
        without = (weights == 0).all(axis=1)
        if without.any():
            labels[without] = self._largest
            _warn_of_largest(without, "have no weight in the topic of any cluster", stacklevel=3)
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _checked(self, X: Any, reset: bool) -> Any:
        return validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=np.dtype(self.dtype),
            ensure_non_negative=True,
            reset=reset,
        )

    def _set(self, run: _Run, empty: NDArray[np.bool_]) -> None:
        topics = labels_from_factors(run.U, run.V, self.normalise)
        largest = int(np.bincount(topics[~empty]).argmax())
        if empty.any():
            topics[empty] = largest
            _warn_of_largest(empty, "have no terms", stacklevel=5)
        self.labels_, used = number_clusters(topics)
        order = np.concatenate([used, np.setdiff1d(np.arange(self.n_clusters), used)])
        lengths = topic_lengths(run.U)
        self.components_ = np.ascontiguousarray((run.U / lengths).T[order])
        self.document_weights_ = np.ascontiguousarray((run.V * lengths)[:, order])
        self.document_weights_[empty] = 0.0
        self._lengths = lengths[order]
        self._largest = int(np.flatnonzero(used == largest)[0])
        self.n_clusters_ = len(used)
        self.loss_ = float(run.losses.min())
        self.n_iter_ = run.n_iter


class _Run(NamedTuple):
    """The best of some runs, and the losses of all."""

    U: Floats
    V: Floats
    n_iter: int
    losses: NDArray[np.float64]


def _best_run(runs: NMFRuns) -> _Run:
    best = runs.best
    return _Run(runs.U[best].copy(), runs.V[best].copy(), int(runs.n_iter[best]), runs.losses)


def _empty_rows(X: Any) -> NDArray[np.bool_]:
    return np.asarray(X.sum(axis=1)).ravel() == 0


def _warn_of_largest(documents: NDArray[np.bool_], why: str, stacklevel: int) -> None:
    warnings.warn(
        f"{np.count_nonzero(documents)} of {len(documents)} documents {why}; they get the largest cluster",
        UserWarning,
        stacklevel=stacklevel,
    )
