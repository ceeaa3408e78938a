"""Similarity cut by a partition."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from moo_clustering.validity._base import FloatArray, IntArray
from moo_clustering.validity._population import check_population, require_fitted
from moo_clustering.validity._shared_data_index import SharedDataIndex
from moo_clustering.validity._similarity_edges import SimilarityEdges, similarity_edges


class BoundaryCut(SharedDataIndex):
    """Sum of S_ij over the pairs i < j in different clusters; minimise.

    Notes
    -----
    0 for one cluster. As a price it keeps a search under pairwise constraints from cutting tiny pieces
    around the constrained samples; alone it favours such pieces wherever the graph is thin.

    O(q (E + n)) time for q partitions and E edges.

    References
    ----------
    ParetoClustering: price of the boundary.

    Examples
    --------
    >>> BoundaryCut().fit([[0.0, 1.0, 0.5], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]).evaluate([0, 0, 1])
    array([0.5])
    """

    name: ClassVar[str] = "boundary_cut"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    _edges: SimilarityEdges

    def fit(self, data: Any) -> Self:
        """Take the graph.

        Parameters
        ----------
        data : sparse matrix or array-like of shape (n_samples, n_samples)
            Similarities S: symmetric, not negative. The diagonal has no influence.

        Raises
        ------
        ValueError
            Anything else.
        """
        self._edges = similarity_edges(data, "boundary_cut")
        self.n_samples_ = self._edges.n_samples
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        return self._edges.split(check_population(labels, self.n_samples_).labels)[1]


def boundary_cut(labels: IntArray, S: Any) -> FloatArray:
    """:class:`BoundaryCut` of partitions of shape (n_individuals, n_samples) in the graph S.

    Parameters
    ----------
    labels : ndarray of shape (n_individuals, n_samples)
    S : sparse matrix of shape (n_samples, n_samples)

    Returns
    -------
    ndarray of shape (n_individuals,)
    """
    return BoundaryCut().fit(S).evaluate(labels)
