"""A sweep of SISC in the forms that it is compared with, and reports to sweep over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]

F, Q, GAMMA, FLOOR = 1.5, 5.0, 0.5, 1e-6


def reports(
    n: int, m: int, n_values: int, n_labels: int, seed: int = 0
) -> tuple[csr_array, NDArray[np.int8]]:
    """Binary words whose frequencies fall as 1 / rank, every word in some and in not all, and label sets."""
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(10, m + 10)
    words = rng.choice(m, size=int(1.25 * n_values), p=weights / weights.sum())
    rows = np.concatenate([rng.integers(0, n, size=len(words)), rng.integers(0, n, size=m)])
    columns = np.concatenate([words, np.arange(m)])
    X = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, m))
    X.data[:] = 1.0
    Y = (rng.random((n, n_labels)) < 2.2 / n_labels).astype(np.int8)
    return X, Y


def start(n: int, k: int, seed: int = 1) -> Floats:
    """Random memberships."""
    return np.random.default_rng(seed).dirichlet(np.ones(k), size=n)


def impurities(W: Floats, Y: NDArray[Any]) -> Floats:
    """Equation (1) and the normalised impurity of all label sets known; W of shape (k, n)."""
    P = W @ Y / W.sum(axis=1, keepdims=True)

    def gini_entropy(p: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.nan_to_num(-p * np.log(p) - (1 - p) * np.log(1 - p))
        product: Floats = (2 * p * (1 - p)).sum(axis=-1) * entropy.sum(axis=-1)
        return product

    return gini_entropy(P) / gini_entropy(Y.mean(axis=0))


def chi_square(a: Floats, sizes: Floats, frequencies: Floats, n: int) -> Floats:
    """Chi-square statistics of clusters (rows) and features."""
    numerator = n * (n * a - sizes[:, None] * frequencies) ** 2
    return numerator / ((sizes * (n - sizes))[:, None] * (frequencies * (n - frequencies)))


def log_weights(M: Floats) -> Floats:
    """Weights that sum to 1 in a row."""
    logs = np.log(np.maximum(M, FLOOR)) / (1 - Q)
    logs -= logs.max(axis=1, keepdims=True)
    return logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))


def new_memberships(d: Floats, imp: Floats) -> Floats:
    """Memberships of shape (k, n), from distances (k, n)."""
    logs = np.log(d * (1 + imp)[:, None]) / (1 - F)
    logs -= logs.max(axis=0)
    W: Floats = np.exp(logs)
    return W / W.sum(axis=0)


def dense_sweep(X: Floats, Y: NDArray[Any], W: Floats) -> Floats:
    """One cluster after the other, differences of all documents from its centroid."""
    n, m = X.shape
    k = len(W)
    imp, frequencies = impurities(W, Y), X.sum(axis=0)
    d = np.empty((k, n))
    for cluster in range(k):
        w = W[cluster] ** F
        z = (w[:, None] * X).sum(axis=0) / w.sum()
        square = (X - z) ** 2
        D = (w[:, None] * square).sum(axis=0)
        a = (W[cluster][:, None] * X).sum(axis=0)
        chi = chi_square(a[None], W[cluster].sum(keepdims=True), frequencies, n)
        scaled = np.exp(Q * (log_weights(D * (1 + imp[cluster]) + GAMMA * chi) + np.log(m)))
        d[cluster] = (scaled * square).sum(axis=1)
    return new_memberships(d, imp)


def scipy_sweep(X: csr_array, XT: csr_array, Y: NDArray[Any], W: Floats) -> Floats:
    """Three products of sparse and dense matrices."""
    n, m = X.shape
    imp, frequencies = impurities(W, Y), np.diff(XT.indptr).astype(float)
    powers = W**F
    sums = powers.sum(axis=1, keepdims=True)
    Z = (XT @ powers.T).T / sums
    a = (XT @ W.T).T
    D = sums * Z * (1 - Z)
    chi = chi_square(a, W.sum(axis=1), frequencies, n)
    scaled = np.exp(Q * (log_weights(D * (1 + imp)[:, None] + GAMMA * chi) + np.log(m)))
    d = (scaled * Z**2).sum(axis=1)[:, None] + (X @ (scaled * (1 - 2 * Z)).T).T
    return new_memberships(np.maximum(d, 0.0), imp)
