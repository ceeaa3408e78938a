"""Points in a balanced tree of boxes, for the kernels that search in it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.kd_tree import build, node_count

# Beyond so many features boxes hold off too few points to be worth their while.
MOST_FEATURES = 20


class BoxTree(NamedTuple):
    """A tree over points; positions are places in the order of its leaves.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_features), float64
        By position.
    samples : ndarray of shape (n_points,), int64
        Row of the data at every position.
    start, stop : ndarray of shape (n_nodes,), int64
        Positions of a node; its children are 2i+1 and 2i+2.
    low, high : ndarray of shape (n_nodes, n_features)
        Corners of its box.
    """

    points: NDArray[np.float64]
    samples: NDArray[np.int64]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def nodes(self) -> tuple[NDArray[Any], ...]:
        """Arrays by node, as kernels take them."""
        return self.start, self.stop, self.low, self.high

    def positions(self) -> NDArray[np.int64]:
        """Position of every sample."""
        places = np.empty_like(self.samples)
        places[self.samples] = np.arange(len(places))
        return places


def box_tree(X: NDArray[Any]) -> BoxTree:
    """Build a tree of rows. O(n_features N log N) time, O(n_features N) memory."""
    rows = np.ascontiguousarray(X, dtype=np.float64)
    samples, *nodes = build(rows, node_count(len(rows)))
    return BoxTree(rows[samples], samples, *nodes)
