"""Perturbations of AMOSA-clus: replace, insert or delete, each as likely as the others that apply."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.encodings._medoid_sets import as_sets, random_absent, set_sizes

REPLACE, INSERT, DELETE = 0, 1, 2


def draw_moves(
    can_replace: NDArray[np.bool_],
    can_insert: NDArray[np.bool_],
    can_delete: NDArray[np.bool_],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """A move for every row, uniform over those it can make; -1 where there is none."""
    applicable = np.stack([can_replace, can_insert, can_delete])
    count = applicable.sum(axis=0)
    turn = rng.integers(0, np.maximum(count, 1))
    move = np.argmax((np.cumsum(applicable, axis=0) == turn + 1) & applicable, axis=0)
    return np.where(count > 0, move, -1)


def perturb_medoids(problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Replace a medoid by a sample that is none, add one, or drop one.

    Parameters
    ----------
    problem : MedoidProblem
    X : ndarray of shape (n_individuals, k_max)
    rng : numpy.random.Generator
    """
    sets = as_sets(X)
    n, k_min, k_max = problem.n_samples, problem.encoding.k_min, sets.shape[1]
    sizes = set_sizes(sets)
    absent = sizes < n
    move = draw_moves(absent, absent & (sizes < k_max), sizes > k_min, rng)
    position = rng.integers(0, sizes)
    enter = np.flatnonzero((move == REPLACE) | (move == INSERT))
    where = np.where(move == INSERT, sizes, position)[enter]
    sets[enter, where] = random_absent(sets[enter], n, rng)
    for row in np.flatnonzero(move == DELETE):
        sets[row, :-1] = np.delete(sets[row], position[row])
        sets[row, -1] = -1
    return sets


def perturb_centers(problem: Any, X: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Move a centre by Laplacian noise, add a sample as a centre, or drop one.

    Parameters
    ----------
    problem : CenterProblem
    X : ndarray of shape (n_individuals, k_max * n_features)
        Centres, padded with NaN.
    rng : numpy.random.Generator
    """
    centers = problem.centers(X).copy()
    sizes = problem.sizes(X)
    always = np.ones(len(centers), dtype=bool)
    move = draw_moves(always, sizes < centers.shape[1], sizes > problem.k_min, rng)
    position = rng.integers(0, sizes)
    rows = np.flatnonzero(move == REPLACE)
    noise = rng.laplace(size=(len(rows), centers.shape[2]))
    centers[rows, position[rows]] += noise * problem.noise
    rows = np.flatnonzero(move == INSERT)
    centers[rows, sizes[rows]] = problem.features[rng.integers(0, problem.n_samples, size=len(rows))]
    for row in np.flatnonzero(move == DELETE):
        centers[row, :-1] = np.delete(centers[row], position[row], axis=0)
        centers[row, -1] = np.nan
    return centers.reshape(X.shape)
