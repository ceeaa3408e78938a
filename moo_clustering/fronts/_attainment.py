"""How far a front of clusterings is ahead of fronts of data without clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
Front = tuple[ArrayLike, ArrayLike]
Surface = Literal["staircase", "points"]


@dataclass(frozen=True, eq=False)
class AttainmentScores:
    """Scores of the solutions of a front.

    Attributes
    ----------
    scores : ndarray of shape (n_solutions,)
        Distance to the nearest control front; NaN for solutions with more than ``k_max`` clusters.
    n_clusters : ndarray of shape (n_solutions,), int64
    k_max : int
        Largest number of clusters that is compared.
    front : ndarray of shape (n_solutions, 2)
        Objectives as they are compared: from 0 to 1, square roots; NaN as in ``scores``.
    controls : tuple of ndarray of shape (n, 2)
        The same of the control fronts, by the first objective, without what is dominated.
    """

    scores: FloatArray
    n_clusters: NDArray[np.int64]
    k_max: int
    front: FloatArray
    controls: tuple[FloatArray, ...]

    def best(self, n_clusters: int | None = None) -> int:
        """Solution with the largest score, of those with so many clusters if that is given.

        Of equal scores the one with fewer clusters, then the first.

        Raises
        ------
        ValueError
            If there is none with so many clusters that has a score.
        """
        allowed = np.isfinite(self.scores)
        if n_clusters is not None:
            allowed &= self.n_clusters == n_clusters
        rows = np.flatnonzero(allowed)
        if not len(rows):
            raise ValueError(f"no solution with {n_clusters} clusters has a score")
        return int(rows[np.lexsort((rows, self.n_clusters[rows], -self.scores[rows]))[0]])

    def promising(self) -> NDArray[np.intp]:
        """Best solutions of those numbers of clusters that score above the next smaller and larger ones."""
        numbers = np.unique(self.n_clusters[np.isfinite(self.scores)])
        rows = np.array([self.best(int(k)) for k in numbers], dtype=np.intp)
        padded = np.concatenate([[-np.inf], self.scores[rows], [-np.inf]])
        return rows[(padded[1:-1] > padded[:-2]) & (padded[1:-1] >= padded[2:])]


def attainment_scores(
    F: ArrayLike,
    n_clusters: ArrayLike,
    controls: Sequence[Front],
    *,
    k_user: int = 25,
    surface: Surface = "staircase",
) -> AttainmentScores:
    """Distance of every solution of a front to the attainment surfaces of control fronts.

    Every front is scaled to [0, 1] by its own range, and the square root of each objective is taken. The
    score of a solution is its distance to the nearest of the control fronts' surfaces, the boundaries of
    what they dominate.

    Parameters
    ----------
    F : array-like of shape (n_solutions, 2)
        Objectives, minimised.
    n_clusters : array-like of shape (n_solutions,)
    controls : sequence of (F, n_clusters)
        Fronts of the same method on data without clusters, see :func:`control_data`.
    k_user : int, default=25
        Solutions with more clusters are left out; so are those with more than any of the fronts has.
    surface : {"staircase", "points"}, default="staircase"
        Distance to the surface, or only to the solutions of the control fronts.

    Returns
    -------
    AttainmentScores

    Raises
    ------
    ValueError
        Other shapes, no control front, or none of its solutions with few enough clusters.

    Notes
    -----
    The ends of the front have score 0, so that one cluster is never the best of several. O(n_solutions m)
    time and memory for control fronts of m solutions.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, Algorithm 1, with the largest of the smallest distances in
    place of what is printed there.

    Examples
    --------
    >>> front = [(10, 0), (4, 1), (3, 4), (1, 16)]
    >>> control = [(10, 0), (9, 2), (6, 6), (2, 14), (0, 30)]
    >>> scores = attainment_scores(front, [1, 2, 3, 4], [(control, [1, 2, 3, 4, 5])])
    >>> scores.scores.round(4), scores.best()
    (array([0.    , 0.3802, 0.2819, 0.    ]), 1)
    """
    if surface not in get_args(Surface):
        raise ValueError(f"surface must be one of {get_args(Surface)}, got {surface!r}.")
    if len(controls) == 0:
        raise ValueError("controls must hold at least one front.")
    front, numbers = _checked(F, n_clusters, "the front")
    checked = [_checked(*control, f"control front {i}") for i, control in enumerate(controls)]
    k_max = min([k_user, *(int(k.max()) for _, k in [(front, numbers), *checked])])
    kept = numbers <= k_max
    if not kept.any():
        raise ValueError(
            f"no solution has {k_max} or fewer clusters, as many as k_user and all fronts allow."
        )
    scaled = np.full(front.shape, np.nan)
    scaled[kept] = _scaled(front[kept])
    surfaces = tuple(_staircase(_scaled(values[k <= k_max])) for values, k in checked if (k <= k_max).any())
    if len(surfaces) < len(checked):
        raise ValueError(f"a control front has no solution with {k_max} or fewer clusters.")
    distance = _to_staircase if surface == "staircase" else _to_points
    scores = np.full(len(front), np.nan)
    scores[kept] = np.min([distance(scaled[kept], control) for control in surfaces], axis=0)
    return AttainmentScores(scores, numbers, k_max, scaled, surfaces)


def _checked(F: ArrayLike, n_clusters: ArrayLike, what: str) -> tuple[FloatArray, NDArray[np.int64]]:
    values, numbers = np.asarray(F, dtype=np.float64), np.asarray(n_clusters)
    if values.ndim != 2 or values.shape[1] != 2 or not len(values):
        raise ValueError(f"{what} must have shape (n_solutions, 2), got {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{what} has objectives that are not finite.")
    if numbers.shape != (len(values),):
        raise ValueError(f"{what} has {len(values)} solutions and {numbers.size} numbers of clusters.")
    return values, numbers.astype(np.int64)


def _scaled(values: FloatArray) -> FloatArray:
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    scaled: FloatArray = np.sqrt((values - low) / np.where(span > 0, span, 1.0))
    return scaled


def _staircase(values: FloatArray) -> FloatArray:
    """Non-dominated solutions by the first objective."""
    ordered = values[np.lexsort((values[:, 1], values[:, 0]))]
    lowest = np.minimum.accumulate(ordered[:, 1])
    return ordered[np.concatenate([[True], ordered[1:, 1] < lowest[:-1]])]


def _to_points(points: FloatArray, corners: FloatArray) -> FloatArray:
    gaps = points[:, None] - corners
    return np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps)).min(axis=1)


def _to_staircase(points: FloatArray, corners: FloatArray) -> FloatArray:
    """Down to every corner from the height of the one before, then right to the place of the next."""
    x, y = points[:, :1], points[:, 1:]
    left, low = corners[:, 0], corners[:, 1]
    above, right = np.append(np.inf, low[:-1]), np.append(left[1:], np.inf)
    down = np.hypot(x - left, y - np.clip(y, low, above))
    along = np.hypot(x - np.clip(x, left, right), y - low)
    nearest: FloatArray = np.minimum(down, along).min(axis=1)
    return nearest
