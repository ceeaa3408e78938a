"""A similarity graph as operators on cluster numbers use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from moo_clustering._kernels import partition_votes
from moo_clustering.encodings._canonical import relabel_by_first_appearance

FloatArray = NDArray[np.float64]
Labels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LabelGraph:
    """Similarities of samples in compressed rows, and what clusters get from them.

    Made once by :meth:`of` and shared by several operators; copies are the object itself.

    Attributes
    ----------
    matrix : csr_array of shape (n_samples, n_samples)
        Non-negative, without diagonal.
    volumes : ndarray of shape (n_samples,)
        Sum of every row.
    """

    matrix: sp.csr_array
    volumes: FloatArray

    @classmethod
    def of(cls, graph: Self | ArrayLike | Any) -> Self:
        """A graph from a sparse or dense symmetric matrix of similarities; one that is one stays itself.

        Raises
        ------
        ValueError
            For a matrix that is not square, or has negative or infinite entries.
        """
        if isinstance(graph, cls):
            return graph
        matrix = sp.csr_array(graph, dtype=np.float64, copy=True)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"graph must be a square matrix of similarities, got shape {matrix.shape}.")
        if not (np.isfinite(matrix.data) & (matrix.data >= 0.0)).all():
            raise ValueError("graph must hold finite similarities of at least 0.")
        matrix.sum_duplicates()
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        matrix.data[row == matrix.indices] = 0.0
        matrix.eliminate_zeros()
        return cls(matrix, np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel())

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    def links(self, labels: Labels) -> FloatArray:
        """Sum of similarities from each cluster to each, shape (k, k); O(links + k^2)."""
        k = int(labels.max()) + 1
        sums = np.zeros((k, k))
        partition_votes.sum_links(*self._rows, labels, sums)
        return sums

    def voted(self, labels: Labels, inertia: float) -> Labels:
        """Clusters after all samples took that of their neighbours at once; the numbers may have gaps."""
        out = np.empty_like(labels)
        tally = np.zeros(int(labels.max()) + 1)
        partition_votes.vote_once(*self._rows, inertia * self.volumes, labels, tally, out)
        return out

    def joined(self, labels: Labels, max_rounds: int) -> Labels:
        """Labels with -1 replaced by the neighbours' cluster, for those who have such neighbours."""
        out = labels.copy()
        partition_votes.join_neighbors(*self._rows, out, np.zeros(int(labels.max()) + 1), max_rounds)
        return out

    def united(self, labels: Labels, k_max: int) -> Labels:
        """At most ``k_max`` clusters: the smallest joins the one it is linked to most, again and again.

        Ties: the lowest number; without any link the next smallest.
        """
        sizes = np.bincount(labels)
        alive = len(sizes)
        if alive <= k_max:
            return labels
        links, number = self.links(labels), np.arange(alive)
        np.fill_diagonal(links, 0.0)
        size: FloatArray = sizes.astype(np.float64)
        while alive > k_max:
            small = int(size.argmin())
            size[small], joining = np.inf, size[small]
            large = int((links[small] if links[small].any() else -size).argmax())
            number[number == small] = large
            size[large] += joining
            links[large] += links[small]
            links[:, large] += links[:, small]
            links[large, large] = 0.0
            links[small] = links[:, small] = 0.0
            alive -= 1
        return relabel_by_first_appearance(number[labels][None])[0]

    @property
    def _rows(self) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
        return self.matrix.indptr, self.matrix.indices, self.matrix.data

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
