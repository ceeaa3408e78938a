"""Rivals that are told the labels of some samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from moo_clustering.constraints import ConstraintGroups
from moo_clustering.estimators import PCKMeans
from moo_clustering.graphs import spectral_partition, write_constraints

Labels = NDArray[np.integer[Any]]
Features = NDArray[np.float64]

# What spreading keeps of its neighbours' labels; .99, the usual value, is worse.
SPREADING = 0.9
_ITERATIONS = 2000


def spreading_kernel(graph: sp.csr_array) -> Features:
    """(I - .9 B)^-1, B the symmetrically normalised graph."""
    root = 1.0 / np.sqrt(graph.sum(axis=1))
    B = graph.toarray() * root * root[:, np.newaxis]
    kernel: Features = np.linalg.inv(np.eye(len(B)) - SPREADING * B)
    return kernel


def label_spreading(kernel: Features, y: Labels) -> Labels:
    """Class of the greatest sum of the kernel over its labelled samples."""
    known = np.flatnonzero(y >= 0)
    labels: Labels = (kernel[:, known] @ _one_hot(y[known])).argmax(axis=1)
    return labels


def label_propagation(graph: sp.csr_array, y: Labels) -> Labels:
    """Harmonic functions: every unlabelled sample has the mean of its neighbours."""
    known, rest = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    laplacian = (sp.diags_array(graph.sum(axis=1)) - graph).tocsr()
    sums = graph[rest][:, known] @ _one_hot(y[known])
    # A tiny share of itself, where the graph is in parts without a label.
    system = laplacian[rest][:, rest] + 1e-10 * sp.eye_array(len(rest))
    scores = np.asarray(spsolve(system.tocsc(), sums)).reshape(len(rest), -1)
    labels = y.copy()
    labels[rest] = scores.argmax(axis=1)
    return labels


def nearest_labelled(X: Features, y: Labels) -> Labels:
    """Class of the nearest labelled sample."""
    known = y >= 0
    labels: Labels = KNeighborsClassifier(1).fit(X[known], y[known]).predict(X)
    return labels


def logistic_regression(X: Features, y: Labels) -> Labels:
    """Logistic regression; the class itself where only one has labels."""
    known = y >= 0
    if len(np.unique(y[known])) < 2:
        return np.full(len(y), y[known][0])
    labels: Labels = LogisticRegression(max_iter=_ITERATIONS).fit(X[known], y[known]).predict(X)
    return labels


def pck_means(X: Features, y: Labels, k: int, seed: int) -> Labels:
    """K-means that pays for violated pairs of labels."""
    labels: Labels = PCKMeans(k, random_state=seed).fit(X, y).labels_
    return labels


def seeded_k_means(X: Features, y: Labels) -> Labels:
    """K-means that starts from the means of the labelled samples of every class."""
    means = np.array([X[y == one].mean(axis=0) for one in range(int(y.max()) + 1)])
    labels: Labels = KMeans(len(means), init=means, n_init=1).fit_predict(X)
    return labels


def constrained_spectral(
    graph: sp.csr_array, X: Features, y: Labels, k: int, rng: np.random.Generator
) -> Labels:
    """Spectral clustering of the graph with labels written into it: largest weight within a class, else 0."""
    n_known = int(y.max()) + 1
    apart = np.column_stack(np.triu_indices(n_known, 1))
    written = write_constraints(graph, ConstraintGroups(y.astype(np.int64), apart), must_link="clique")
    return spectral_partition(written, k, X=X, rng=rng).labels


def _one_hot(y: Labels) -> Features:
    return np.eye(int(y.max()) + 1)[y]
