"""From distances or vectors to positions in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._random import SeedLike

Floats = NDArray[np.float64]

# Points up to which random starts are tried too; with more they take long and have won nothing.
_RESTARTED = 300
_RESTARTS = 2


def scaled_to_plane(D: Floats, random_state: SeedLike = 0) -> tuple[Floats, float]:
    """Metric multidimensional scaling, and Kruskal's stress.

    Majorisation begins with the result of classical scaling, which usually beats random starts; the
    position of least stress is turned to its principal axes.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Symmetric distances.
    random_state : int, Generator, RandomState or None, default=0

    Returns
    -------
    positions : ndarray of shape (n, 2)
    stress : float
        Root of the squared errors of the distances over the squared distances: 0 is faithful, more
        than 0.2 a rough sketch.

    Notes
    -----
    O(n^3) time, O(n^2) memory.
    """
    from sklearn.manifold import smacof

    from moo_clustering._random import spawn_seeds

    start = _classical(D)
    if len(D) < 3 or not D.any():
        return start, _stress(start, D)
    seeds = spawn_seeds(random_state, _RESTARTS if len(D) <= _RESTARTED else 0)
    starts = [start, *(_random_start(D, np.random.default_rng(seed)) for seed in seeds)]
    found = [smacof(D, init=each, n_init=1)[0] for each in starts]
    best = min(found, key=lambda points: _stress(points, D))
    return components(best, len(best))[0], _stress(best, D)


def components(X: Floats, n_fitted: int) -> tuple[Floats, float]:
    """Two principal components of the first ``n_fitted`` rows, for all rows, and their share of the variance.

    The largest coordinate of a component is positive.
    """
    from sklearn.decomposition import PCA

    if not np.ptp(X[:n_fitted], axis=0).any():  # scikit-learn would divide by the variance
        return np.zeros((len(X), 2)), 1.0
    pca = PCA(min(2, n_fitted, X.shape[1]), random_state=0).fit(X[:n_fitted])
    return _settled(pca.transform(X)), float(pca.explained_variance_ratio_.sum())


def feature_plane(
    table: Any, feature_names: Sequence[str] | None = None
) -> tuple[Floats, tuple[str, str], float | None]:
    """Two features as they are, or two principal components of more.

    Parameters
    ----------
    table : ndarray or sparse matrix of shape (n, n_features)
    feature_names : sequence of str, optional
        ``x0``, ``x1``, ... by default.

    Returns
    -------
    positions : ndarray of shape (n, 2)
        A single feature is spread by the number of the row, so that equal values do not hide each other.
    axes : tuple of two str
    share : float or None
        Of the variance that two components show; None for features as they are.
    """
    from scipy import sparse

    if table.shape[1] > 2:
        found = _sparse_components(table) if sparse.issparse(table) else components(table, len(table))
        return found[0], ("first principal component", "second principal component"), found[1]
    dense = table.toarray() if sparse.issparse(table) else table
    names = [f"x{column}" for column in range(dense.shape[1])] if feature_names is None else feature_names
    one = dense.shape[1] == 1
    positions = np.column_stack([dense[:, 0], np.arange(len(dense)) if one else dense[:, 1]])
    return positions, (str(names[0]), "row" if one else str(names[1])), None


def landmark_plane(to_landmarks: Floats, between_landmarks: Floats) -> Floats:
    """Classical scaling of some points, beside which all others are placed by their distances to them.

    Parameters
    ----------
    to_landmarks : ndarray of shape (n, n_landmarks)
        Distances of every point from the landmarks.
    between_landmarks : ndarray of shape (n_landmarks, n_landmarks)

    Returns
    -------
    ndarray of shape (n, 2)
        Landmarks lie where classical scaling of them alone puts them; Euclidean distances of points in a
        plane come out exactly.

    Notes
    -----
    O(n_landmarks^3 + n n_landmarks) time.

    References
    ----------
    de Silva and Tenenbaum, Sparse multidimensional scaling using landmark points, 2004.
    """
    axes = _classical(between_landmarks)
    lengths = (axes**2).sum(axis=0)
    # What is left of a direction in which landmarks do not differ is rounding.
    back = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 1e-9 * lengths.max())
    means = (between_landmarks**2).mean(axis=0)
    placed: Floats = -0.5 * (to_landmarks**2 - means) @ back
    return placed


def _sparse_components(X: Any) -> tuple[Floats, float]:
    from sklearn.decomposition import PCA

    if min(X.shape) <= 3:
        return components(X.toarray(), X.shape[0])
    pca = PCA(2, svd_solver="arpack", random_state=0).fit(X)
    share = float(pca.explained_variance_ratio_.sum())
    return np.asarray(pca.transform(X)), share if np.isfinite(share) else 1.0


def _classical(D: Floats) -> Floats:
    from scipy.linalg import eigh

    n = len(D)
    squares = D**2
    means = squares.mean(axis=0)
    gram = -0.5 * (squares - means - means[:, None] + means.mean())
    values, vectors = eigh(gram, subset_by_index=[max(0, n - 2), n - 1])
    return _settled((vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1])


def _settled(points: Floats) -> Floats:
    """Two columns whose signs do not depend on the library that found them."""
    plane = np.zeros((len(points), 2))
    plane[:, : points.shape[1]] = points
    largest = plane[np.abs(plane).argmax(axis=0), [0, 1]]
    return plane * np.where(largest < 0.0, -1.0, 1.0)


def _random_start(D: Floats, rng: np.random.Generator) -> Floats:
    return rng.normal(scale=float(D.mean()), size=(len(D), 2))


def _stress(points: Floats, D: Floats) -> float:
    from scipy.spatial.distance import pdist, squareform

    wanted = squareform(D, checks=False)
    total = float((wanted**2).sum())
    return float(np.sqrt(((pdist(points) - wanted) ** 2).sum() / total)) if total > 0.0 else 0.0
