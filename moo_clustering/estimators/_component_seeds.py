"""First centres from what must-links join."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.estimators._distortions import Distortion, Features, FloatArray


def component_seeds(
    X: Features,
    components: Sequence[NDArray[np.intp]],
    n_clusters: int,
    distortion: Distortion,
    rng: np.random.Generator,
) -> FloatArray:
    """Centres of components, chosen by weighted farthest-first traversal, and random samples.

    The largest component comes first; the next is the one with the greatest product of size and
    distance to the nearest chosen (ties: the lowest). Where there are too few, random samples fill up,
    as long as possible such that differ from all centres and are in none of the components.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    components : sequence of ndarray
        Samples of every component.
    n_clusters : int
    distortion : Distortion
    rng : Generator

    Returns
    -------
    ndarray of shape (n_clusters, n_features)

    Notes
    -----
    O(n_clusters n_samples n_features).
    """
    n_samples, n_features = X.shape
    centers = np.zeros((n_clusters, n_features))
    n_chosen = min(n_clusters, len(components))
    if n_chosen:
        members = np.concatenate(list(components))
        owner = np.repeat(np.arange(len(components)), [len(component) for component in components])
        means = distortion.group_centers(X[members], owner.astype(np.int32), len(components))
        sizes = np.array([len(component) for component in components], dtype=np.float64)
        score, nearest = sizes, np.full(len(components), np.inf)
        for c in range(n_chosen):
            chosen = int(np.argmax(score))
            centers[c] = _row(means, chosen)
            nearest = np.minimum(nearest, distortion.distances(means, centers[c : c + 1])[:, 0])
            nearest[chosen] = -1.0  # behind components that sit on a chosen one
            score = sizes * distortion.separation(np.maximum(nearest, 0.0))
            score[nearest < 0] = -1.0
    if n_chosen < n_clusters:
        free = np.ones(n_samples, dtype=bool)
        if n_chosen:
            free[members] = False
        _fill(X, centers, n_chosen, free, distortion, rng)
    return centers


def _fill(
    X: Features,
    centers: FloatArray,
    n_chosen: int,
    free: NDArray[np.bool_],
    distortion: Distortion,
    rng: np.random.Generator,
) -> None:
    """Put random samples in the last rows of ``centers``."""
    nearest = np.full(X.shape[0], np.inf)
    for c in range(n_chosen):
        nearest = np.minimum(nearest, distortion.distances(X, centers[c : c + 1])[:, 0])
    for c in range(n_chosen, len(centers)):
        # Distances of equal rows may be rounded away from zero.
        new = nearest > 1e-12 * np.max(nearest, where=np.isfinite(nearest), initial=0.0)
        candidates = np.flatnonzero(free & new)
        if not len(candidates):
            candidates = np.flatnonzero(new) if new.any() else np.arange(X.shape[0])
        i = candidates[rng.integers(len(candidates))]
        centers[c] = _row(X, i)
        free[i] = False
        nearest = np.minimum(nearest, distortion.distances(X, centers[c : c + 1])[:, 0])


def _row(X: Features, i: int) -> FloatArray:
    row: FloatArray = X[[i]].toarray()[0] if sparse.issparse(X) else X[i]
    return row
