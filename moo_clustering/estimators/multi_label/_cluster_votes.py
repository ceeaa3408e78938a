"""Classes and label sets of documents by the votes of clusters."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from moo_clustering import subspace
from moo_clustering.estimators.multi_label._label_decisions import best_labels, checked_n_labels
from moo_clustering.subspace._options import Aggregation

Doubles = NDArray[np.float64]


class ClusterVotes:
    """Predictions of what knows the distances of documents from clusters, and the clusters' classes."""

    aggregation: Aggregation
    n_neighbors: int | None
    threshold: float
    classes_: NDArray[Any]
    multilabel_: bool
    class_shares_: Doubles
    _impurities: Doubles

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

    def predict_proba(self, X: Any) -> Doubles:
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

    def decision_function(self, X: Any) -> Doubles:
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
    def _distances_of(self, X: Any) -> Doubles:
        """Distances of documents from clusters."""

    @property
    def _vote_impurities(self) -> Doubles:
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

    def _votes(self, X: Any, aggregation: Aggregation) -> Doubles:
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
