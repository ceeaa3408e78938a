"""Objectives of MOCK, from parts of the samples where a tree gives them, else from the links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array

from moo_clustering._kernels.locus_links import link_objectives
from moo_clustering._kernels.part_objectives import deviations, pair_weights, rand_gaps, variances
from moo_clustering._kernels.parts import for_parts
from moo_clustering._targets import partial_targets
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.graphs import LocusGraph

FloatArray = NDArray[np.float64]
Rows = NDArray[np.int32]


class PartScores:
    """Objectives of partitions into unions of parts; what a part contributes is added up once.

    Parameters
    ----------
    encoding : LocusAdjacencyEncoding
    graph : LocusGraph
    weights : ndarray of shape (n_neighbors,)
        Of the neighbours, by rank.
    y : array-like of shape (n_samples,) or None
    constraints : PairwiseConstraints or None
    n_jobs : int or None
    """

    def __init__(
        self,
        encoding: LocusAdjacencyEncoding,
        graph: LocusGraph,
        weights: FloatArray,
        y: ArrayLike | None,
        constraints: PairwiseConstraints | None,
        n_jobs: int | None,
    ) -> None:
        self.encoding, self.X, self.n_jobs = encoding, graph.X, n_jobs
        self.base, self.n_parts = encoding.base, encoding.n_parts
        self.sizes = np.bincount(self.base, minlength=self.n_parts).astype(np.float64)
        self.sums = np.zeros((self.n_parts, self.X.shape[1]))
        np.add.at(self.sums, self.base, self.X)
        self.means = self.sums / self.sizes[:, None]
        # Square distances of the samples to the means of their parts; a part's own is exactly 0 if it is one.
        rest = self.X - self.means[self.base]
        self.within = float(np.einsum("ij,ij->", rest, rest))
        self.pairs = None if encoding.links is None else self._pairs_of_lists(graph, weights)
        self.table = None if y is None else self._class_table(y)
        self.links = None if constraints is None else self._pairs_of_constraints(constraints)

    def values(self, X: NDArray[Any], names: Sequence[str]) -> FloatArray:
        """Objectives in natural sign, shape (n_individuals, len(names))."""
        parts = self.encoding.parts(X)
        return np.column_stack([self._of(name)(parts) for name in names])

    def _of(self, name: str) -> Callable[[Rows], FloatArray]:
        return {
            "variance": self.variance,
            "deviation": self.deviation,
            "connectivity": self.connectivity,
            "ari": self.rand_index,
            "constraint_violation": self.violation,
        }[name]

    def variance(self, parts: Rows) -> FloatArray:
        """Mean square distance to the cluster's mean."""
        n = len(self.X)

        def share(lo: int, hi: int, out: FloatArray) -> None:
            variances(parts, self.sizes, self.sums, self.means, self.within, n, *self._room(), lo, hi, out)

        return self._map(share, len(parts), 2 * self.sums.size)

    def deviation(self, parts: Rows) -> FloatArray:
        """Sum of distances to the cluster's mean."""

        def share(lo: int, hi: int, out: FloatArray) -> None:
            deviations(parts, self.sizes, self.sums, self.base, self.X, *self._room(), lo, hi, out)

        return self._map(share, len(parts), self.X.size)

    def connectivity(self, parts: Rows) -> FloatArray:
        """Sum of the weights of neighbours in other clusters."""
        return self._weight(parts, self.pairs, True)

    def rand_index(self, parts: Rows) -> FloatArray:
        """Adjusted Rand index of the labelled samples."""
        table = np.empty((0, 0)) if self.table is None else self.table

        def share(lo: int, hi: int, out: FloatArray) -> None:
            rand_gaps(parts, table, np.empty_like(table), lo, hi, out)

        return 1.0 - self._map(share, len(parts), 2 * table.size)

    def violation(self, parts: Rows) -> FloatArray:
        """Violated part of the must-links plus that of the cannot-links."""
        (must, must_total), (cannot, cannot_total), always = self.links  # type: ignore[misc]
        joined = always + self._weight(parts, cannot, False)
        return self._weight(parts, must, True) / must_total + joined / cannot_total

    def _weight(self, parts: Rows, pairs: Any, apart: bool) -> FloatArray:
        return self._map(
            lambda lo, hi, out: pair_weights(parts, *pairs, apart, lo, hi, out), len(parts), len(pairs[0])
        )

    def _map(self, kernel: Callable[[int, int, FloatArray], None], count: int, cost: int) -> FloatArray:
        out = np.empty(count)
        for_parts(lambda lo, hi: kernel(lo, hi, out), count, float(count * cost), self.n_jobs)
        return out

    def _room(self) -> tuple[FloatArray, FloatArray]:
        return np.empty(self.n_parts), np.empty_like(self.sums)

    def _pairs_of_lists(self, graph: LocusGraph, weights: FloatArray) -> Any:
        rows, ranks = np.nonzero(graph.neighbors >= 0)
        return self._pairs(rows, graph.neighbors[rows, ranks], weights[ranks])

    def _pairs_of_constraints(self, constraints: PairwiseConstraints) -> tuple[Any, Any, float]:
        if constraints.n_samples != len(self.X):
            raise ValueError(f"constraints are about {constraints.n_samples} samples, not {len(self.X)}.")
        must, cannot = constraints.must_link, constraints.cannot_link
        weights = constraints.must_link_weights, constraints.cannot_link_weights
        totals = [float(part.sum()) if len(part) else 1.0 for part in weights]
        joined = self.base[cannot[:, 0]] == self.base[cannot[:, 1]]
        return (
            (self._pairs(must[:, 0], must[:, 1], weights[0]), totals[0]),
            (self._pairs(cannot[:, 0], cannot[:, 1], weights[1]), totals[1]),
            float(weights[1][joined].sum()),
        )

    def _pairs(self, a: NDArray[Any], b: NDArray[Any], weights: FloatArray) -> Any:
        """Pairs of parts and what they weigh together; those within a part are never split."""
        a, b = self.base[a], self.base[b]
        apart = a != b
        ends = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        summed = coo_array((weights[apart], ends), shape=(self.n_parts, self.n_parts)).tocsr().tocoo()
        return summed.row.astype(np.int32), summed.col.astype(np.int32), summed.data

    def _class_table(self, y: ArrayLike) -> FloatArray:
        targets = partial_targets(y, len(self.X))
        if targets.multilabel:
            raise ValueError("y must hold one class a sample, -1 for unlabelled ones; got label sets.")
        table = np.zeros((self.n_parts, max(targets.n_classes, 1)))
        codes = targets.indicators[targets.rows].argmax(axis=1) if targets.n_classes else targets.rows
        np.add.at(table, (self.base[targets.rows], codes), 1.0)
        return table


class LinkScores(PartScores):
    """The same of links of all samples, in one pass over samples and neighbours."""

    def __init__(
        self, encoding: LocusAdjacencyEncoding, graph: LocusGraph, weights: FloatArray, *rest: Any
    ) -> None:
        super().__init__(encoding, graph, weights, *rest)
        self.neighbors = np.ascontiguousarray(graph.neighbors.T)
        self.weights = weights

    def values(self, X: NDArray[Any], names: Sequence[str]) -> FloatArray:
        """Objectives in natural sign, shape (n_individuals, len(names))."""
        places = {name: k for k, name in enumerate(("variance", "deviation", "connectivity"))}
        asked = tuple(name in names for name in places)
        links = self.encoding.to_full(X)
        found = np.empty((len(links), 3))

        def share(lo: int, hi: int) -> None:
            row = np.empty(len(self.X), dtype=np.int32)
            link_objectives(
                links, self.X, self.sizes, self.neighbors, self.weights, asked,
                row, *self._room(), lo, hi, found,
            )  # fmt: skip

        cost = 2 * self.X.size + self.neighbors.size
        for_parts(share, len(links), float(len(links) * cost), self.n_jobs)
        others = [name for name in names if name not in places]
        parts = self.encoding.parts(X) if others else None
        return np.column_stack(
            [found[:, places[name]] if name in places else self._of(name)(parts) for name in names]  # type: ignore[arg-type]
        )
