"""DBCV in NumPy and SciPy, one partition after the other, as the definitions read."""

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist


class NumpyDBCV:
    """Density-based validation of partitions of ``X``."""

    def __init__(self, X):
        self.D, self.d = cdist(X, X), X.shape[1]

    def __call__(self, labels):
        """Value of one partition."""
        if not np.any(labels):
            return -1.0
        members = [np.flatnonzero(labels == c) for c in range(max(labels) + 1)]
        clusters = [rows for rows in members if len(rows) > 1]
        core = np.zeros(len(labels))
        for rows in clusters:
            core[rows] = self._core(self.D[np.ix_(rows, rows)])
        found = [self._inner(rows, core) for rows in clusters]
        total = 0.0
        for i, (rows, (sparseness, inner)) in enumerate(zip(clusters, found, strict=True)):
            others = [other for j, (_, other) in enumerate(found) if j != i]
            if others:
                others = np.concatenate(others)
                reach = np.maximum(self.D[np.ix_(inner, others)], core[others])
                separation = float(np.maximum(reach, core[inner, np.newaxis]).min())
                greater = max(separation, sparseness)
                total += len(rows) * (separation - sparseness) / greater if greater > 0 else 0.0
        return total / len(labels)

    def _core(self, D):
        """Generalised means of distances with exponent -d, relative to the nearest against overflow."""
        others = D[~np.eye(len(D), dtype=bool)].reshape(len(D), -1)
        nearest = others.min(axis=1)
        ratio = np.divide(nearest[:, np.newaxis], others, out=np.ones_like(others), where=others > 0)
        return nearest * (ratio**self.d).mean(axis=1) ** (-1 / self.d)

    def _inner(self, rows, core):
        """Longest edge between inner samples of the spanning tree, and these; all where none is inner."""
        own, D = core[rows], self.D[np.ix_(rows, rows)]
        reach = np.maximum(np.maximum(D, own), own[:, np.newaxis])
        # Ranks, with ties broken by distance.
        rank = np.empty(D.size)
        rank[np.lexsort((D.ravel(), reach.ravel()))] = np.arange(1, D.size + 1)
        tree = minimum_spanning_tree(rank.reshape(D.shape)).tocoo()
        inside = np.bincount([*tree.row, *tree.col], minlength=len(rows)) > 1
        between = inside[tree.row] & inside[tree.col]
        edges = between if between.any() else slice(None)
        longest = reach[tree.row[edges], tree.col[edges]].max()
        return float(longest), rows[inside] if inside.any() else rows
