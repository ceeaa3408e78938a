"""A similarity graph as a list of edges, and how much of it partitions keep together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, triu
from sklearn.utils import check_array

from moo_clustering._arrays import block_slices
from moo_clustering._kernels.constraints import weigh_equal
from moo_clustering.validity._base import FloatArray

_TOLERANCE = 1e-8


@dataclass(frozen=True, eq=False)
class SimilarityEdges:
    """Edges i < j of a symmetric graph, with what stands on the diagonal.

    Attributes
    ----------
    ends : ndarray of shape (n_edges, 2), int64
    weights : ndarray of shape (n_edges,)
    loops, volumes : ndarray of shape (n_samples,)
        Diagonal, and sums of the rows with the diagonal.
    """

    ends: NDArray[np.int64]
    weights: FloatArray
    loops: FloatArray
    volumes: FloatArray

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.loops)

    def split(self, labels: NDArray[np.int32]) -> tuple[FloatArray, FloatArray]:
        """Weight of the edges within clusters and between clusters, (n_individuals,) each."""
        within, between = np.zeros(len(labels)), np.zeros(len(labels))
        # A byte per label where that's enough: an edge reads two rows of labels.
        narrow = np.min_scalar_type(int(labels.max(initial=0)))
        for rows in block_slices(len(labels), self.n_samples):
            turned = np.ascontiguousarray(labels[rows].T.astype(narrow))
            weigh_equal(turned, self.ends, self.weights, within[rows], between[rows])
        return within, between


def similarity_edges(S: Any, owner: str) -> SimilarityEdges:
    """Check S of shape (n_samples, n_samples) and list its edges.

    Raises
    ------
    ValueError
        If S isn't square, not finite, negative somewhere, or not symmetric within 1e-8 of its largest
        entry.
    """
    matrix = check_array(S, accept_sparse="csr", dtype=np.float64, input_name="S")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{owner} needs similarities of all samples with each other, a square matrix S; "
            f"got shape {matrix.shape}"
        )
    graph = csr_array(matrix, copy=issparse(matrix))
    graph.sum_duplicates()
    lowest, largest = float(graph.data.min(initial=0.0)), float(graph.data.max(initial=0.0))
    if lowest < 0.0:
        raise ValueError(f"S must not be negative, got {lowest:g}")
    asymmetry = float(np.abs((graph - graph.T).data).max(initial=0.0))
    if asymmetry > _TOLERANCE * largest:
        raise ValueError(f"S must be symmetric, but its halves differ by up to {asymmetry:g}")
    upper = triu(graph, 1).tocoo()
    if asymmetry > 0.0:
        upper = triu(0.5 * (graph + graph.T), 1).tocoo()
    positive = upper.data > 0.0
    ends = np.column_stack([index[positive].astype(np.int64) for index in upper.coords])
    return SimilarityEdges(
        np.ascontiguousarray(ends), upper.data[positive], graph.diagonal(), np.asarray(graph.sum(axis=1))
    )
