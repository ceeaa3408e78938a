"""What SISC-ML is to be compared with beside the paper's rivals: plain models, and controls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import LinearSVC

from moo_clustering.experiments.sisc_ml._splits import Split

Scores = NDArray[np.float64]
Predict = Callable[[csr_matrix], Scores]


def neighbors(split: Split, metric: str, n_neighbors: tuple[int, ...]) -> dict[str, Predict]:
    """Shares of the nearest labelled documents that have a label; a kind of scores for each number."""
    rows = split.labelled
    Y = split.y_train[rows].astype(np.float64)
    model = NearestNeighbors(metric=metric, algorithm="brute").fit(split.X_train[rows])

    def among(number: int) -> Predict:
        def predict(X: csr_matrix) -> Scores:
            nearest = model.kneighbors(X, min(number, len(rows)), return_distance=False)
            shares: Scores = Y[nearest].mean(axis=1)
            return shares

        return predict

    return {f"kappa={number}": among(number) for number in n_neighbors}


def logistic_binary(split: Split, seed: int) -> Predict:
    """One logistic regression a label, on presence of words, C = 0.1."""
    # Not liblinear, which shrinks the intercept too: that costs much area where few are labelled.
    return _one_vs_rest(split, LogisticRegression(C=0.1, max_iter=1000, random_state=seed), "predict_proba")


def logistic_tfidf(split: Split, seed: int) -> Predict:
    """One logistic regression a label, on idf weights of unit length, C = 1."""
    model = LogisticRegression(C=1.0, max_iter=1000, random_state=seed)
    return _one_vs_rest(split, model, "predict_proba", weighted=True)


def linear_svm(split: Split, seed: int) -> Predict:
    """One linear support vector machine a label, on idf weights of unit length, C = 1."""
    return _one_vs_rest(split, LinearSVC(C=1.0, random_state=seed), "decision_function", weighted=True)


def class_shares(split: Split, seed: int) -> Predict:
    """Share of every label among the labelled documents, the same for every document."""
    shares = split.y_train[split.labelled].mean(axis=0)
    return lambda X: np.tile(shares, (X.shape[0], 1))


def random_scores(split: Split, seed: int) -> Predict:
    """Uniform random numbers."""
    n_labels = split.y_train.shape[1]
    return lambda X: np.random.default_rng(seed).random((X.shape[0], n_labels))


def _one_vs_rest(split: Split, model: Any, scores: str, *, weighted: bool = False) -> Predict:
    # Unlabelled documents count for the idf.
    weights = TfidfTransformer().fit(split.X_train) if weighted else None
    rows = split.labelled

    def weigh(X: csr_matrix) -> csr_matrix:
        return X if weights is None else weights.transform(X)

    fitted = OneVsRestClassifier(model).fit(weigh(split.X_train[rows]), split.y_train[rows])
    return lambda X: np.asarray(getattr(fitted, scores)(weigh(X)), dtype=np.float64)
