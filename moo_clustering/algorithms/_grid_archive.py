"""Non-dominated solutions in a grid over their objectives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def grid_boxes(F: FloatArray, n_bins: int) -> NDArray[np.int64]:
    """Box of every solution, shape (n, n_obj): which of ``n_bins`` equal parts of the range it is in.

    All are in the first part where the range is 0. The range is that of the finite values; infinite ones
    are in the first or the last part.
    """
    finite = np.isfinite(F)
    low = np.where(finite, F, np.inf).min(axis=0)
    high = np.where(finite, F, -np.inf).max(axis=0)
    low, high = np.where(finite.any(axis=0), low, 0.0), np.where(finite.any(axis=0), high, 0.0)
    span = high - low
    parts = n_bins * (np.clip(F, low, high) - low) / np.where(span > 0, span, 1.0)
    boxes = np.minimum(np.floor(parts).astype(np.int64), n_bins - 1)
    boxes[np.isposinf(F)] = n_bins - 1
    return boxes


def box_numbers(F: FloatArray, n_bins: int) -> NDArray[np.int64]:
    """Number 0, 1, ... of the occupied box that every solution is in."""
    numbers = np.zeros(len(F), dtype=np.int64)
    for parts in grid_boxes(F, n_bins).T:
        numbers = np.unique(numbers * n_bins + parts, return_inverse=True)[1]
    return numbers


def select_by_boxes(
    F: FloatArray, count: int, n_bins: int, tournament: bool, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Solutions drawn by box: an occupied box, each as likely as any other, then a solution in it.

    With ``tournament``, the emptier of two boxes.
    """
    numbers = box_numbers(F, n_bins)
    sizes = np.bincount(numbers)
    boxes = rng.integers(0, len(sizes), size=count)
    if tournament:
        others = rng.integers(0, len(sizes), size=count)
        boxes = np.where(sizes[others] < sizes[boxes], others, boxes)
    members = np.argsort(numbers, kind="stable")
    starts = np.cumsum(sizes) - sizes
    chosen: NDArray[np.intp] = members[starts[boxes] + rng.integers(0, sizes[boxes])]
    return chosen


class GridArchive:
    """Rows of a table of solutions of which none dominates or equals another.

    Parameters
    ----------
    F : ndarray of shape (n, n_obj)
        Objectives of all that may be in it, minimised.
    violation : ndarray of shape (n,)
        Constraint violations; the smaller one dominates.
    capacity, n_bins : int
    rng : numpy.random.Generator
        Draws who leaves a full archive.

    Attributes
    ----------
    rows : list of int
        Those that are in it, in the order of entry.
    """

    def __init__(
        self, F: FloatArray, violation: FloatArray, capacity: int, n_bins: int, rng: np.random.Generator
    ) -> None:
        self.F, self.violation = F, violation
        self.capacity, self.n_bins, self.rng = capacity, n_bins, rng
        self.rows: list[int] = []

    def offer(self, row: int) -> None:
        """Let a solution in unless a member is as good or better; those that it dominates leave."""
        if self.rows:
            F, violation = self.F[self.rows], self.violation[self.rows]
            less = violation < self.violation[row]
            equal = violation == self.violation[row]
            if (less | (equal & (self.F[row] >= F).all(axis=1))).any():
                return
            beaten = (violation > self.violation[row]) | (equal & (self.F[row] <= F).all(axis=1))
            if beaten.any():
                self.rows = [other for other, out in zip(self.rows, beaten, strict=True) if not out]
        self.rows.append(row)
        if len(self.rows) > self.capacity:
            numbers = box_numbers(self.F[self.rows], self.n_bins)
            sizes = np.bincount(numbers)
            crowded = np.flatnonzero(sizes[numbers] == sizes.max())
            del self.rows[int(self.rng.choice(crowded))]


def whole_number(name: str, value: Any, least: int) -> int:
    """An integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer of at least {least}, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)
