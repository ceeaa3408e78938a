"""Scores for selecting solutions from fronts, and the convex hull of the SRMOSC front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.indicators.hv import Hypervolume

from moo_clustering._arrays import FloatArray, Int64Array, IntpArray, choice, non_dominated
from moo_clustering._data import checked_array, checked_integers, checked_table
from moo_clustering._docs import documented
from moo_clustering._kernels import least_squares
from moo_clustering._kernels.threads import for_parts

if TYPE_CHECKING:
    from moo_clustering.problems.graphs import SRMOSCProblem

__all__ = ["AttainmentScores", "SRMOSCHull", "attainment_scores", "control_data", "srmosc_hull_front"]
Box = tuple[FloatArray, FloatArray]
Front = tuple[ArrayLike, ArrayLike]
Kind = Literal["box", "eigenvalue"]


@documented()
def attainment_scores(
    F: ArrayLike, n_clusters: ArrayLike, controls: Sequence[Front], *, k_user: int = 25
) -> AttainmentScores:
    """Score solutions on a front by their distances to the nearest attainment surface of a control front.

    An attainment surface is the boundary of the region that a front dominates. The objectives of each front
    are scaled to [0, 1], and distances are computed between their square roots. The end points of the front
    have score 0. Takes O(n_solutions m) time and memory, where m is the number of solutions on all control
    fronts. Raises a ValueError if shapes do not match, if there is no control front, or if all solutions on a
    front have more than ``k_max`` clusters. Source: Handl and Knowles, IEEE TEVC 11(1), 2007, Algorithm 1.

    Parameters
    ----------
    F : array-like of shape (n_solutions, 2)
        Objectives to minimise.
    n_clusters : array-like of shape (n_solutions,)
    controls : sequence of (F, n_clusters)
        Fronts found by the same method in data without cluster structure; see :func:`control_data`.
    k_user : int, default=25
        Maximum number of clusters in the scored solutions. If all solutions on a front have fewer clusters,
        the largest number on that front is the limit.

    Examples
    --------
    >>> front = [(10, 0), (4, 1), (3, 4), (1, 16)]
    >>> control = [(10, 0), (9, 2), (6, 6), (2, 14), (0, 30)]
    >>> scores = attainment_scores(front, [1, 2, 3, 4], [(control, [1, 2, 3, 4, 5])])
    >>> scores.scores.round(4), scores.best()
    (array([0.    , 0.3802, 0.2819, 0.    ]), 1)
    """
    if len(controls) == 0:
        raise ValueError("controls must contain at least one front")
    front, numbers = _checked(F, n_clusters, "the front")
    checked = [_checked(*control, f"control front {i}") for i, control in enumerate(controls)]
    k_max = min([k_user, *(int(k.max()) for _, k in [(front, numbers), *checked])])
    kept = numbers <= k_max
    if not kept.any():
        limit = f"{k_max} clusters, the smallest limit set by k_user and the fronts"
        raise ValueError(f"F must contain a solution with at most {limit}")
    scaled = np.full(front.shape, np.nan)
    scaled[kept] = _scaled(front[kept])
    surfaces = []
    for values, k in checked:
        if not (k <= k_max).any():
            raise ValueError(f"every control front must contain a solution with at most {k_max} clusters")
        control = _scaled(values[k <= k_max])
        # ``_to_staircase`` requires corners that are sorted by the first objective, without duplicates.
        surfaces.append(np.unique(control[non_dominated(control)], axis=0))
    scores = np.full(len(front), np.nan)
    scores[kept] = np.min([_to_staircase(scaled[kept], control) for control in surfaces], axis=0)
    return AttainmentScores(scores, numbers, k_max, scaled, tuple(surfaces))


def _checked(F: ArrayLike, n_clusters: ArrayLike, what: str) -> tuple[FloatArray, Int64Array]:
    values = checked_array(F, what, np.float64)
    numbers = checked_integers(n_clusters, f"n_clusters of {what}")
    if values.ndim != 2 or values.shape[1] != 2 or not len(values):
        raise ValueError(f"{what} must have shape (n_solutions, 2), got {values.shape}")
    if numbers.shape != (len(values),):
        size = f"one integer per solution ({len(values)})"
        raise ValueError(f"n_clusters of {what} must contain {size}, got {numbers.size}")
    return values, numbers.astype(np.int64)


def _scaled(values: FloatArray) -> FloatArray:
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    return np.sqrt((values - low) / np.where(span > 0, span, 1.0))


def _to_staircase(points: FloatArray, corners: FloatArray) -> FloatArray:
    """Return the distance of each point to the attainment surface of the front ``corners``."""
    x, y = points[:, :1], points[:, 1:]
    left, low = corners[:, 0], corners[:, 1]
    above, right = np.append(np.inf, low[:-1]), np.append(left[1:], np.inf)
    down = np.hypot(x - left, y - np.clip(y, low, above))
    along = np.hypot(x - np.clip(x, left, right), y - low)
    return np.minimum(down, along).min(axis=1)


@dataclass(frozen=True, eq=False)
class AttainmentScores:
    """Attainment scores of the solutions on a front.

    Attributes
    ----------
    scores : ndarray of shape (n_solutions,)
        Distance to the nearest attainment surface of a control front; NaN above ``k_max`` clusters.
    n_clusters : ndarray of shape (n_solutions,), int64
    k_max : int
        Maximum number of clusters in the scored solutions.
    front : ndarray of shape (n_solutions, 2)
        Square roots of the objectives scaled to [0, 1]; NaN where ``scores`` is NaN.
    controls : tuple of ndarray of shape (n, 2)
        Non-dominated solutions of each control front, scaled like ``front`` and sorted by first objective.
    """

    scores: FloatArray
    n_clusters: Int64Array
    k_max: int
    front: FloatArray
    controls: tuple[FloatArray, ...]

    def best(self, n_clusters: int | None = None) -> int:
        """Return the solution with the highest score or, if given, the best one with ``n_clusters`` clusters.

        Ties go to fewer clusters, then to the lower index. Raises a ValueError if no solution has a score.
        """
        allowed = n_clusters is None or self.n_clusters == n_clusters
        rows = np.flatnonzero(np.isfinite(self.scores) & allowed)
        if not len(rows):
            among = "" if n_clusters is None else f" with {n_clusters} clusters"
            raise ValueError(f"no solution{among} has a score")
        return int(rows[np.lexsort((rows, self.n_clusters[rows], -self.scores[rows]))[0]])

    def promising(self) -> IntpArray:
        """Return the best solution for each number of clusters at which the score has a local maximum.

        A local maximum is higher than the score at the next lower number of clusters, and at least as high as
        the score at the next higher number.
        """
        numbers = np.unique(self.n_clusters[np.isfinite(self.scores)])
        rows = np.array([self.best(int(k)) for k in numbers], dtype=np.intp)
        padded = np.concatenate([[-np.inf], self.scores[rows], [-np.inf]])
        return rows[(padded[1:-1] > padded[:-2]) & (padded[1:-1] >= padded[2:])]


def control_data(X: ArrayLike, *, kind: Kind = "box", rng: np.random.Generator) -> FloatArray:
    """Draw uniform samples from a box along the principal axes of the data.

    Takes O(n_samples n_features^2) time. Source: Handl and Knowles, IEEE TEVC 11(1), 2007, null model.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    kind : {"box", "eigenvalue"}, default="box"
        "box": bounding box of the data. "eigenvalue": box centred on the mean, whose side lengths are the
        covariance eigenvalues (as printed in the paper, although eigenvalues are variances).
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_samples, n_features)
    """
    choice("kind", kind, get_args(Kind))
    data = checked_table(X)
    mean = data.mean(axis=0)
    centred = data - mean
    variances, axes = np.linalg.eigh(centred.T @ centred / max(len(data) - 1, 1))
    if kind == "box":
        scores = centred @ axes
        low, high = scores.min(axis=0), scores.max(axis=0)
    else:
        high = np.maximum(variances, 0.0) / 2
        low = -high
    return rng.uniform(low, high, size=data.shape) @ axes.T + mean


@documented()
def srmosc_hull_front(problem: SRMOSCProblem, *, n_jobs: int | None = None) -> SRMOSCHull:
    """Approximate the solutions on the convex hull of the SRMOSC front.

    In the first solution, each sample has one link. Each step selects the sample whose error decreases most
    per link, and adds links up to the next vertex of the lower convex hull of the sample's errors, as a
    function of the number of links. Errors are from non-negative orthogonal matching pursuit, a greedy
    approximation. Takes O(n k (w n_features + k^2) + n w log(n w)) time, where each of n samples has w
    candidate neighbours and at most k links. Memory is O(n w), plus the weights at the vertices.

    Parameters
    ----------
    problem : SRMOSCProblem
    n_jobs : int, optional
        Number of threads; does not affect the result.

    Examples
    --------
    >>> from moo_clustering.problems import SRMOSCProblem
    >>> hull = srmosc_hull_front(SRMOSCProblem([[1, 1], [2, 1], [1, 2], [2, 2]], rho=0))
    >>> hull.F
    array([[1., 4.]])
    """
    X, candidates, admissible = problem.candidates()
    n_samples, width = candidates.shape
    errors = np.empty((n_samples, width))
    slots = np.full((n_samples, width), -1, dtype=np.int64)
    n_operations = float(n_samples) * width**2 * (X.shape[1] + width)

    def walk(columns: NDArray[np.int32], values: NDArray[np.float32]) -> None:
        def part(lo: int, hi: int) -> None:
            given = X, problem.norms, candidates, admissible, problem.rho
            least_squares.support_paths(*given, lo, hi, errors, slots, columns, values)

        for_parts(part, n_samples, n_operations, n_jobs)

    walk(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))
    kept = np.zeros((n_samples, width), dtype=np.bool_)
    least_squares.lower_hulls(errors, 0, n_samples, kept)
    row, place = np.nonzero(kept)
    # The first pass stored no weights, to save memory. The second pass stores them only at hull vertices.
    entries = np.concatenate([[0], np.cumsum(place + 1)])
    slots[row, place] = entries[:-1]
    corner_errors = errors[row, place]
    columns, values = np.zeros(entries[-1], dtype=np.int32), np.zeros(entries[-1], dtype=np.float32)
    walk(columns, values)
    F, steps = _sweep(row, place + 1, corner_errors)
    vertices = np.searchsorted(row, np.arange(n_samples + 1))
    return SRMOSCHull(F, steps, problem, vertices, entries, columns, values)


def _sweep(row: Int64Array, size: Int64Array, error: FloatArray) -> tuple[FloatArray, NDArray[np.int32]]:
    """Return the objectives of all members, and the sample that gains links in each step."""
    first = np.concatenate([[True], row[1:] != row[:-1]])
    step = np.flatnonzero(~first)
    gain, links = error[step - 1] - error[step], size[step] - size[step - 1]
    order = np.argsort(-gain / links, kind="stable")
    step, gain, links = step[order], gain[order], links[order]
    f1 = error[first].sum() - np.concatenate([[0.0], np.cumsum(gain)])
    f2 = size[first].sum() + np.concatenate([[0], np.cumsum(links)])
    return np.column_stack([np.maximum(f1, 0.0), f2]), row[step].astype(np.int32)


@dataclass(frozen=True, eq=False)
class SRMOSCHull:
    """Solutions found by :func:`srmosc_hull_front`, called members, in increasing order of number of links.

    Attributes
    ----------
    F : ndarray of shape (n_members, 2)
        Objectives of the members: the error, which decreases, and the number of links, which increases.
    steps : ndarray of shape (n_members - 1,), int32
        For each member except the last, the sample that has different links in the next member.
    """

    F: FloatArray
    steps: NDArray[np.int32]
    _problem: SRMOSCProblem
    _vertices: Int64Array
    _entries: Int64Array
    _columns: NDArray[np.int32]
    _values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.F)

    def graph(self, member: int) -> sp.csr_array:
        """Return the directed similarity matrix of a member, with shape (n_samples, n_samples)."""
        rows, places = self._places(member)
        columns = self._problem.lists.indices[rows, self._columns[places]]
        n_samples = self._problem.n_samples
        indptr = np.searchsorted(rows, np.arange(n_samples + 1))
        values = self._values[places].astype(np.float64)
        matrix = sp.csr_array((values, columns, indptr), shape=(n_samples, n_samples))
        matrix.sort_indices()
        return matrix

    def weights(self, member: int) -> NDArray[np.float32]:
        """Return the weights of a member's links to all candidates, shape (n_samples, n_candidates)."""
        rows, places = self._places(member)
        weights = np.zeros(self._problem.lists.indices.shape, dtype=np.float32)
        weights[rows, self._columns[places]] = self._values[places]
        return weights

    def _places(self, member: int) -> tuple[Int64Array, Int64Array]:
        """Return the sample of each link of a member, and its index in ``_columns`` and ``_values``."""
        if not -len(self) <= member < len(self):
            raise ValueError(f"member must be from {-len(self)} to {len(self) - 1}, got {member}")
        n_samples = self._problem.n_samples
        done = np.bincount(self.steps[: member % len(self)], minlength=n_samples)
        vertex = self._vertices[:-1] + done
        start, sizes = self._entries[vertex], self._entries[vertex + 1] - self._entries[vertex]
        rows = np.repeat(np.arange(n_samples), sizes)
        first = np.cumsum(sizes) - sizes
        return rows, np.arange(len(rows)) + np.repeat(start - first, sizes)


def spread_members(values: NDArray[Any], n_members: int) -> IntpArray:
    """Select up to ``n_members`` roughly evenly spaced values, and return their indices sorted by value."""
    order = np.argsort(values, kind="stable")
    if len(order) <= n_members:
        return order
    ranked = np.asarray(values, dtype=np.float64)[order]
    targets = np.linspace(ranked[0], ranked[-1], n_members)
    right = np.clip(np.searchsorted(ranked, targets), 1, len(ranked) - 1)
    nearer_left = targets - ranked[right - 1] <= ranked[right] - targets
    return order[np.unique(np.where(nearer_left, right - 1, right))]


def front_box(fronts: Sequence[FloatArray]) -> Box:
    """Return each objective's minimum over all fronts, and its maximum plus a tenth of its range."""
    every = np.concatenate(fronts)
    if not len(every):
        return np.zeros(every.shape[1]), np.ones(every.shape[1])
    low, high = every.min(axis=0), every.max(axis=0)
    return low, high + 0.1 * np.where(high > low, high - low, 1.0)


def attainment_surfaces(fronts: Sequence[FloatArray], fractions: Sequence[float]) -> dict[float, FloatArray]:
    """For each fraction, find the corners of the surface that so many of the two-objective fronts attain."""
    # Source: V. Grunert da Fonseca, C. M. Fonseca, A. O. Hall, "Inferential performance assessment of
    # stochastic optimisers and the attainment function", EMO 2001. Objectives are minimised; points with NaN
    # are omitted.
    if np.ndim(fractions) != 1 or not len(fractions) or not all(0 < one <= 1 for one in fractions):
        raise ValueError(f"fractions must be a non-empty list of numbers in (0, 1], got {fractions}")
    fronts = [F[~np.isnan(F).any(axis=1)] for F in fronts]
    x = np.unique(np.concatenate(fronts)[:, 0])
    # For each front and each x, find the lowest second objective of points whose first objective is at most
    # x.
    least = [np.where(F[:, :1] <= x, F[:, 1:], np.inf).min(axis=0, initial=np.inf) for F in fronts]
    reached = np.sort(least, axis=0)
    levels = {one: reached[math.ceil(one * len(fronts) - 1e-9) - 1] for one in fractions}
    return {one: np.column_stack([x, y])[y < np.append(np.inf, y[:-1])] for one, y in levels.items()}


def hypervolume(F: FloatArray, box: Box) -> float:
    """Return the fraction of a box's volume that the solutions F dominate; objectives are minimised."""
    scaled = (F - box[0]) / (box[1] - box[0])
    scaled = scaled[(scaled < 1.0).all(axis=1)]
    if not len(scaled) or scaled.shape[1] == 1:
        return float(1.0 - scaled.min(initial=1.0))
    return float(Hypervolume(ref_point=np.ones(scaled.shape[1]), norm_ref_point=False)(scaled))
