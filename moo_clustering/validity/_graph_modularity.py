"""Modularity of a similarity graph."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from moo_clustering.validity._base import FloatArray, IntArray
from moo_clustering.validity._population import Population, check_population, require_fitted
from moo_clustering.validity._shared_data_index import SharedDataIndex
from moo_clustering.validity._similarity_edges import SimilarityEdges, similarity_edges


class GraphModularity(SharedDataIndex):
    """Similarity within clusters over what their volumes let expect; maximise.

    M = sum over clusters c of W_cc / W - (vol_c / W)^2, where W is the sum of all similarities, W_cc that
    within the cluster, both directions counted, and vol_c the sum of the rows of its samples.

    Notes
    -----
    0 for one cluster; less than 1 always. A graph without edges gives 0 for every partition.

    O(q (E + n)) time for q partitions and E edges.

    References
    ----------
    Newman & Girvan, Physical Review E 69, 026113, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> S = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    >>> GraphModularity().fit(S).evaluate([0, 0, 0, 1, 1, 1]).round(12)
    array([0.3])
    """

    name: ClassVar[str] = "modularity"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    _edges: SimilarityEdges
    _total: float

    def fit(self, data: Any) -> Self:
        """Take the graph.

        Parameters
        ----------
        data : sparse matrix or array-like of shape (n_samples, n_samples)
            Similarities S: symmetric, not negative.

        Raises
        ------
        ValueError
            Anything else.
        """
        self._edges = similarity_edges(data, "modularity")
        self._total = float(self._edges.volumes.sum())
        self.n_samples_ = self._edges.n_samples
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        if self._total == 0.0:
            return np.zeros(len(population.labels))
        within = 2.0 * self._edges.split(population.labels)[0] + self._edges.loops.sum()
        values: FloatArray = within / self._total
        for rows, block in population.blocks(self.n_samples_):
            values[rows] -= self._expected(block)
        return values

    def _expected(self, block: Population) -> FloatArray:
        width = block.sizes.shape[1]
        cells = block.labels + width * np.arange(len(block.labels))[:, np.newaxis]
        weights = np.broadcast_to(self._edges.volumes / self._total, cells.shape)
        shares = np.bincount(cells.ravel(), weights=weights.ravel(), minlength=block.sizes.size)
        squares: FloatArray = (shares.reshape(block.sizes.shape) ** 2).sum(axis=1)
        return squares


def graph_modularity(labels: IntArray, S: Any) -> FloatArray:
    """:class:`GraphModularity` of partitions of shape (n_individuals, n_samples) in the graph S.

    Parameters
    ----------
    labels : ndarray of shape (n_individuals, n_samples)
    S : sparse matrix of shape (n_samples, n_samples)

    Returns
    -------
    ndarray of shape (n_individuals,)
    """
    return GraphModularity().fit(S).evaluate(labels)
