"""From distances or vectors to positions in the plane."""

from __future__ import annotations

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
