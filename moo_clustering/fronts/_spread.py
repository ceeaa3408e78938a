"""A few members of a front, evenly along it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def spread_members(values: NDArray[Any], n_members: int) -> NDArray[np.intp]:
    """Members whose values are nearest to evenly spaced ones, in the order of the values.

    Parameters
    ----------
    values : ndarray of shape (n_solutions,)
        One objective of a front.
    n_members : int
        At most so many; fewer where one member is nearest to several.
    """
    order = np.argsort(values, kind="stable")
    if len(order) <= n_members:
        return order
    ranked = np.asarray(values, dtype=np.float64)[order]
    targets = np.linspace(ranked[0], ranked[-1], n_members)
    right = np.clip(np.searchsorted(ranked, targets), 1, len(ranked) - 1)
    nearer_left = targets - ranked[right - 1] <= ranked[right] - targets
    chosen: NDArray[np.intp] = order[np.unique(np.where(nearer_left, right - 1, right))]
    return chosen
