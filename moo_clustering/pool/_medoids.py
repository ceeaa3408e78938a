"""k-medoids of a matrix of distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_MAX_ITER = 100
# Sums that differ by a smaller part are equal.
_ROUNDING = 1e-12


def k_medoids(D: Floats, k: int, *, n_init: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Assign samples to the nearest of k medoids and choose medoids anew, in turns; the best of some starts.

    Starts are drawn as for k-means++, with probability proportional to the squared distance from those
    drawn before. O(n_samples k + n_samples^2 / k) time for a turn where clusters are of like size.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples)
        Symmetric distances, zero on the diagonal.
    k : int
    n_init : int
        Number of starts.
    rng : numpy.random.Generator

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        Fewer than k clusters where there are fewer different samples.
    """
    runs = [_run(D, _seeded(D, k, rng)) for _ in range(n_init)]
    return min(runs, key=lambda run: run[1])[0]


def _seeded(D: Floats, k: int, rng: np.random.Generator) -> Indices:
    medoids = [int(rng.integers(len(D)))]
    nearest = D[medoids[0]] ** 2
    for _ in range(1, k):
        nearest[medoids[-1]] = 0.0
        total = nearest.sum()
        if total == 0.0:
            # Copies of medoids are all that is left.
            break
        medoids.append(int(rng.choice(len(D), p=nearest / total)))
        nearest = np.minimum(nearest, D[medoids[-1]] ** 2)
    return np.array(medoids, dtype=np.intp)


def _run(D: Floats, medoids: Indices) -> tuple[NDArray[np.int32], float]:
    for _ in range(_MAX_ITER):
        labels = _assigned(D, medoids)
        updated = _updated(D, labels, medoids)
        if (updated == medoids).all():
            break
        medoids = updated
    labels = _assigned(D, medoids)
    return labels, float(D[medoids[labels], np.arange(len(D))].sum())


def _assigned(D: Floats, medoids: Indices) -> NDArray[np.int32]:
    labels = D[medoids].argmin(axis=0).astype(np.int32)
    # A copy of another medoid keeps its own cluster, so that none is empty.
    labels[medoids] = np.arange(len(medoids))
    return labels


def _updated(D: Floats, labels: NDArray[np.int32], medoids: Indices) -> Indices:
    """The member with the least sum of distances to the others, the present one if it is as good."""
    updated = medoids.copy()
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(len(medoids) + 1))
    for c, medoid in enumerate(medoids):
        members = order[bounds[c] : bounds[c + 1]]
        sums = D[np.ix_(members, members)].sum(axis=1)
        least = sums.min()
        if sums[np.searchsorted(members, medoid)] > least * (1.0 + _ROUNDING):
            updated[c] = members[sums.argmin()]
    return updated
