"""The graph of objects and the hyperedges they are in, and its leading eigenvectors."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.utils.extmath import randomized_svd

from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.validity._hyperedges import FloatArray, Hyperedges

# Up to so many hyperedges all eigenvectors are within reach.
_DENSE = 2000


def bipartite_graph(edges: Hyperedges, weights: FloatArray) -> sp.csr_array:
    """Adjacency of objects (first) and hyperedges, weighted by run; n_samples n_runs edges."""
    H = edges.matrix(weights)
    return sp.block_array([[None, H.T], [H, None]], format="csr")


def spectral_parts(
    edges: Hyperedges, weights: FloatArray, n_parts: int, *, with_edges: bool, seed: np.random.SeedSequence
) -> NDArray[np.intp]:
    """k-means of the leading singular vectors of D_v^(-1/2) H^T D_e^(-1/2), rows of unit length.

    D_v and D_e hold the weights that objects and hyperedges have in sum. Where objects differ in no more
    than ``n_parts`` ways, these are the parts.

    Parameters
    ----------
    with_edges : bool
        Whether k-means sees the rows of the hyperedges too.

    Notes
    -----
    O(n_samples n_runs^2 + E^3) time for up to 2000 hyperedges, else O(n_samples n_runs n_parts).
    """
    first, inverse = distinct_rows(edges.codes.T)
    if len(first) <= n_parts:
        return inverse
    vector_seed, center_seed = (int(part.generate_state(1)[0] >> 1) for part in seed.spawn(2))
    objects, hyper = _singular_vectors(edges, weights, n_parts, vector_seed)
    rows, share = objects[first], np.bincount(inverse).astype(np.float64)
    if with_edges:
        rows, share = np.vstack([rows, hyper]), np.concatenate([share, np.ones(len(hyper))])
    kmeans = KMeans(n_parts, n_init=10, random_state=center_seed)
    parts: NDArray[np.intp] = kmeans.fit(rows, sample_weight=share).labels_[: len(first)][inverse]
    return parts


def _singular_vectors(
    edges: Hyperedges, weights: FloatArray, n_vectors: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    H = edges.matrix(weights)
    of_edge = np.sqrt(H.sum(axis=1))
    of_object = np.sqrt(H.sum(axis=0))
    A = (sp.diags_array(1.0 / of_object) @ H.T @ sp.diags_array(1.0 / of_edge)).tocsr()
    n_vectors = min(n_vectors, *A.shape)
    if edges.n_edges > _DENSE:
        left, _, right = randomized_svd(A, n_vectors, n_iter=10, random_state=seed)
        return _unit(left), _unit(right.T)
    last = edges.n_edges - 1
    squares, right = scipy.linalg.eigh((A.T @ A).toarray(), subset_by_index=(last + 1 - n_vectors, last))
    # Vectors of singular value 0 are arbitrary.
    known = squares > 1e-10
    right = right[:, known]
    return _unit(A @ (right / np.sqrt(squares[known]))), _unit(right)


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)
