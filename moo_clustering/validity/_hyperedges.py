"""Runs of clusterings as one hypergraph: a hyperedge per cluster of every run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.validity._population import integer_rows

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]

# Objects counted at once: two arrays of 8 bytes each that stay in the cache.
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class Hyperedges:
    """Clusters of every run, numbered run by run and within a run by their first objects.

    So that nothing computed from it depends on how a run names its clusters. Clusters of one run need
    not be as many as those of another.

    Attributes
    ----------
    codes : ndarray of shape (n_runs, n_samples), int64
        Hyperedge of every object in every run, -1 where the run has not seen it.
    starts : ndarray of shape (n_runs + 1,), int64
        Run t has the hyperedges ``starts[t]`` to ``starts[t + 1] - 1``.
    """

    codes: NDArray[np.int64]
    starts: NDArray[np.int64]

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return self.codes.shape[0]

    @property
    def n_samples(self) -> int:
        """Number of objects."""
        return self.codes.shape[1]

    @property
    def n_edges(self) -> int:
        """Number of hyperedges, E."""
        return int(self.starts[-1])

    @cached_property
    def runs(self) -> NDArray[np.intp]:
        """Run of every hyperedge, shape (n_edges,)."""
        return np.repeat(np.arange(self.n_runs), np.diff(self.starts))

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Which objects every run has seen, shape (n_runs, n_samples)."""
        return self.codes >= 0

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Objects in every hyperedge, shape (n_edges,)."""
        return np.bincount(self.codes[self.seen], minlength=self.n_edges)

    @cached_property
    def intersections(self) -> NDArray[np.int64]:
        """Objects that two hyperedges share, H H^T, shape (n_edges, n_edges)."""
        return overlaps(self, self)

    def matrix(self, values: FloatArray | None = None) -> sp.csr_array:
        """H, shape (n_edges, n_samples): 1, or the value of its run, where an object is in an edge."""
        run, column = np.nonzero(self.seen)
        data = np.ones(len(run)) if values is None else values[run]
        return sp.csr_array((data, (self.codes[run, column], column)), shape=(self.n_edges, self.n_samples))

    def take(self, runs: IntArray) -> Hyperedges:
        """Some of the runs, in the order given; what two hyperedges share is not counted again."""
        widths = np.diff(self.starts)[runs]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        shift = (starts[:-1] - self.starts[runs])[:, np.newaxis]
        taken = Hyperedges(np.where(self.seen[runs], self.codes[runs] + shift, -1), starts)
        if "intersections" in vars(self):
            edges = np.arange(taken.n_edges) - np.repeat(shift[:, 0], widths)
            vars(taken)["intersections"] = self.intersections[np.ix_(edges, edges)]
        return taken


def check_runs(labels: ArrayLike) -> IntArray:
    """Labels of runs, shape (n_runs, n_samples); one run may come flat.

    Raises
    ------
    ValueError
        Rows of unequal length, no run or no object, or labels below -1.
    TypeError
        Labels that are not integers.
    """
    try:
        array = np.asarray(labels)
    except ValueError:
        raise ValueError("labels must have one row per run, all of the same length") from None
    rows = integer_rows(array, "labels")
    if rows.size == 0:
        raise ValueError(f"labels must hold at least one run of at least one object, got shape {rows.shape}")
    if rows.min() < -1:
        raise ValueError(f"labels must be at least 0, or -1 for an object not seen; got {rows.min()}")
    return rows


def hyperedges(labels: ArrayLike) -> Hyperedges:
    """Hyperedges of checked runs of shape (n_runs, n_samples).

    O(n_runs n_samples) time and memory.
    """
    rows = check_runs(labels)
    if rows.max() > 8 * rows.shape[1]:
        # Codes far apart would need long tables.
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape) - int(rows.min() < 0)
    unseen = rows < 0
    local = relabel_by_first_appearance(rows.astype(np.int64) + 1).astype(np.int64)
    for run in np.flatnonzero(unseen.any(axis=1)):
        # "Not seen" was numbered like a cluster; those after it move up.
        local[run] -= local[run] > local[run, unseen[run].argmax()]
    local[unseen] = -1
    starts = np.concatenate([[0], np.cumsum(local.max(axis=1) + 1)])
    return Hyperedges(np.where(unseen, -1, local + starts[:-1, np.newaxis]), starts)


def overlaps(first: Hyperedges, second: Hyperedges) -> NDArray[np.int64]:
    """Objects that hyperedges of two sets of runs on the same objects share, shape (E_1, E_2).

    O(n_samples n_runs_1 n_runs_2 + E_1 E_2) time. Counting is several times faster than the sparse
    product H_1 H_2^T.
    """
    table = np.zeros((first.n_edges, second.n_edges), dtype=np.int64)
    step = max(1, _BLOCK // first.n_samples)
    for lo in range(0, second.n_runs, step):
        columns = slice(int(second.starts[lo]), int(second.starts[min(lo + step, second.n_runs)]))
        width = columns.stop - columns.start + 1
        # Objects not seen count in a row and a column of their own, which are cut off.
        there = np.where(second.seen[lo : lo + step], second.codes[lo : lo + step] - columns.start, width - 1)
        for run in range(first.n_runs):
            rows = slice(int(first.starts[run]), int(first.starts[run + 1]))
            height = rows.stop - rows.start + 1
            here = np.where(first.seen[run], first.codes[run] - rows.start, height - 1)
            counts = np.bincount((here * width + there).ravel(), minlength=height * width)
            table[rows, columns] = counts.reshape(height, width)[:-1, :-1]
    return table
