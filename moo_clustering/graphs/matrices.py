"""Sparse graph matrices: symmetric similarities, their Laplacians, and merging of node groups."""

from heapq import heapify, heappop, heappush
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from moo_clustering._arrays import block_slices, choice, number_clusters
from moo_clustering._data import checked_graph
from moo_clustering._kernels.caching import run
from moo_clustering._kernels.partitions import weigh_equal
from moo_clustering._types import FloatArray, IntArray, Labels


def symmetrize(S: Any) -> sp.csr_array:
    """Compute the elementwise max(S, S^T) with a zero diagonal and without stored zeros (PESC, Eq. 7).

    Takes O(nnz) time and memory.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Non-negative similarities, which are not modified.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    return symmetrized(S, "S")


def symmetrized(S: Any, name: str) -> sp.csr_array:
    """Apply :func:`symmetrize`. Error messages refer to the similarities by ``name``."""
    matrix = sp.csr_array(checked_graph(S, name, symmetric=False))
    matrix = matrix.maximum(matrix.T.tocsr()).tocsr()
    return short_indices(without_diagonal(matrix))


def laplacian(S: Any, kind: Literal["unnormalized", "sym"] = "unnormalized") -> sp.csr_array:
    """Compute L = D - S or L_sym = I - D^(-1/2) S D^(-1/2), where D is the diagonal matrix of row sums.

    Source: PESC, Algorithm 1, Eq. 7.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities with a zero diagonal.
    kind : {"unnormalized", "sym"}, default="unnormalized"

    Returns
    -------
    csr_array
        For both kinds, the row of a sample without edges contains only zeros.
    """
    choice("kind", kind, ("unnormalized", "sym"))
    S = sp.csr_array(checked_graph(S))
    degree = degrees(S)
    if kind == "unnormalized":
        return (sp.diags_array(degree) - S).tocsr()
    root = sp.diags_array(inverse_root(degree))
    return (sp.diags_array((degree > 0).astype(np.float64)) - root @ S @ root).tocsr()


def degrees(S: sp.csr_array) -> FloatArray:
    return np.asarray(S.sum(axis=1), dtype=np.float64).reshape(-1)


def inverse_root(values: FloatArray) -> FloatArray:
    """Compute 1 / sqrt(x), or 0 where x = 0."""
    with np.errstate(divide="ignore"):
        return np.where(values > 0, 1.0 / np.sqrt(values), 0.0)


def short_indices(S: sp.csr_array) -> sp.csr_array:
    """Convert indices to 32 bits if possible, because graph routines of older SciPy versions require this."""
    if S.indices.dtype == S.indptr.dtype == np.int32 or max(S.nnz, *S.shape) > np.iinfo(np.int32).max:
        return S
    parts = S.data, S.indices.astype(np.int32), S.indptr.astype(np.int32)
    return sp.csr_array(parts, shape=S.shape)


def without_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    """Remove the diagonal and any stored zeros, and sort indices, in place."""
    row = np.repeat(np.arange(matrix.shape[0], dtype=matrix.indices.dtype), np.diff(matrix.indptr))
    matrix.data[row == matrix.indices] = 0.0
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


class SimilarityEdges:
    """Edges of a graph with similarities S of shape (n_samples, n_samples), which are validated.

    ``ends`` contains the samples i < j of each edge, and ``weights`` the similarity of these samples.
    ``loops`` is the diagonal of S. ``volumes`` contains the row sums of S, including the diagonal.
    """

    def __init__(self, S: Any) -> None:
        graph = sp.csr_array(checked_graph(S))
        # The two triangles are averaged, because they may differ by rounding errors.
        upper = sp.triu(0.5 * (graph + graph.T), 1).tocoo()
        positive = upper.data > 0.0
        ends = np.column_stack([index[positive].astype(np.int64) for index in upper.coords])
        self.ends, self.weights = np.ascontiguousarray(ends), upper.data[positive]
        self.n_samples = graph.shape[0]
        self.loops, self.volumes = graph.diagonal(), np.asarray(graph.sum(axis=1))

    def split(self, labels: Labels) -> tuple[FloatArray, FloatArray]:
        """Return the total edge weights within and between clusters, each of shape (n_individuals,)."""
        within, between = np.zeros(len(labels)), np.zeros(len(labels))
        narrow = np.min_scalar_type(int(labels.max(initial=0)))
        for rows in block_slices(len(labels), self.n_samples):
            turned = np.ascontiguousarray(labels[rows].T.astype(narrow))
            sums = within[rows], between[rows]
            run(weigh_equal, len(self.ends) * len(sums[0]), turned, self.ends, self.weights, *sums)
        return within, between


def joined_smallest(sizes: FloatArray, sums: FloatArray, edges: sp.coo_array, n_groups: int) -> IntArray:
    """Merge the smallest part with its most strongly linked part, repeatedly until ``n_groups`` remain."""
    near: list[dict[int, float]] = [{} for _ in sizes]
    for a, b, weight in zip(edges.row.tolist(), edges.col.tolist(), edges.data.tolist(), strict=True):
        if a != b:
            near[a][b] = near[b][a] = near[a].get(b, 0.0) + weight
    left, sums, own = sizes.copy(), sums.copy(), np.arange(len(sizes))
    smallest = [(size, part) for part, size in enumerate(sizes.tolist())]
    heapify(smallest)
    for _ in range(len(left) - n_groups):
        size, a = heappop(smallest)
        while size != left[a]:  # skip the entries of parts that have since grown or been merged
            size, a = heappop(smallest)
        left[a] = 0.0
        if near[a]:
            b = max(near[a], key=lambda c: (near[a][c], -c))
        else:  # a part without links is merged with the part that has the nearest mean
            others = np.flatnonzero(left)
            gaps = sums[others] / left[others, None] - sums[a] / size
            b = int(others[(gaps**2).sum(axis=1).argmin()])
        left[b], own[a], sums[b] = left[b] + size, b, sums[b] + sums[a]
        heappush(smallest, (float(left[b]), b))
        for c, weight in near[a].items():
            del near[c][a]
            if c != b:
                near[b][c] = near[c][b] = near[c].get(b, 0.0) + weight
    while (own != own[own]).any():
        own = own[own]
    return number_clusters(own)[0]
