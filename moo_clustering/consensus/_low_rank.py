"""Leading eigenvectors of the normalised co-association matrix without the matrix."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans

from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.validity._hyperedges import FloatArray, Hyperedges

# Up to so many hyperedges all their eigenvectors are within reach.
_DENSE = 2000
# Objects whose rows of H are dense at once: 4 million numbers for 2000 hyperedges.
_ROWS = 2048
# Eigenvalues lie from 0 to 1; vectors of 0 are arbitrary.
_ZERO = 1e-10


def low_rank_parts(
    edges: Hyperedges, weights: FloatArray, n_parts: int, seed: np.random.SeedSequence
) -> NDArray[np.intp]:
    """k-means of the leading eigenvectors of the co-association, rows of unit length.

    Where objects differ in no more than ``n_parts`` ways, these are the parts. Where they fall into more
    groups that no run joins, which of these are put together is arbitrary.

    Notes
    -----
    O(N' E^2 + E^3) time for E hyperedges, those of equal runs counted once, and N' objects that differ.
    """
    edges, weights = merge_equal_runs(edges, weights)
    first, inverse = distinct_rows(edges.codes.T)
    if len(first) <= n_parts:
        return inverse
    share = np.bincount(inverse).astype(np.float64)
    vector_seed, center_seed = (int(part.generate_state(1)[0] >> 1) for part in seed.spawn(2))
    few = Hyperedges(edges.codes[:, first], edges.starts)
    U, _ = leading_vectors(few, weights, n_parts, share=share, seed=vector_seed)
    length = np.linalg.norm(U, axis=1, keepdims=True)
    # Of groups that never meet, more than parts, some are in none of the vectors.
    U = np.divide(U, length, out=np.zeros_like(U), where=length > _ZERO)
    kmeans = KMeans(n_parts, n_init=10, random_state=center_seed)
    labels: NDArray[np.intp] = kmeans.fit(U, sample_weight=share).labels_[inverse]
    return labels


def merge_equal_runs(edges: Hyperedges, weights: FloatArray) -> tuple[Hyperedges, FloatArray]:
    """Every partition once, with the sum of the weights of the runs that found it."""
    local = np.where(edges.seen, edges.codes - edges.starts[:-1, np.newaxis], -1)
    first, inverse = distinct_rows(local)
    if len(first) == edges.n_runs:
        return edges, weights
    return edges.take(first), np.bincount(inverse, weights).astype(np.float64)


def leading_vectors(
    edges: Hyperedges,
    weights: FloatArray,
    n_vectors: int,
    *,
    share: FloatArray | None = None,
    seed: int = 0,
) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of Deg^(-1/2) C Deg^(-1/2) of the largest eigenvalues that are not 0, and these.

    C_ij is the weight of the runs that have i and j in one cluster, its diagonal included, and Deg the sums
    of its rows. C = H W H^T has the same eigenvalues as the much smaller W^(1/2) H^T Deg^-1 H W^(1/2).

    Parameters
    ----------
    edges : Hyperedges
    weights : ndarray of shape (n_runs,)
    n_vectors : int
    share : ndarray of shape (n_samples,), optional
        How many equal objects each one stands for; rows are those of one of them, up to its share of the
        vector's length.
    seed : int, default=0
        Of the first vector where there are more than 2000 hyperedges.

    Returns
    -------
    vectors : ndarray of shape (n_samples, n), float64
        At most ``n_vectors`` columns, of unit length when rows count by their share.
    eigenvalues : ndarray of shape (n,)
        Descending.
    """
    n_samples = edges.n_samples
    share = np.ones(n_samples) if share is None else share
    H = edges.matrix().T.tocsr()
    of_edge = weights[edges.runs]
    degree = H @ (of_edge * (H.T @ share))
    A = sp.diags_array(np.sqrt(share / degree)) @ H @ sp.diags_array(np.sqrt(of_edge))
    A = A.tocsr()
    n_vectors = min(n_vectors, edges.n_edges, n_samples)
    if edges.n_edges <= _DENSE or n_vectors >= edges.n_edges - 1:
        last = edges.n_edges - 1
        values, right = scipy.linalg.eigh(_gram(A), subset_by_index=(last + 1 - n_vectors, last))
    else:
        gram = LinearOperator((edges.n_edges,) * 2, matvec=lambda v: A.T @ (A @ v), dtype=np.float64)
        start = np.random.default_rng(seed).random(edges.n_edges)
        values, right = eigsh(gram, n_vectors, v0=start)
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > _ZERO]
    values = values[order]
    vectors = np.asarray(A @ (right[:, order] / np.sqrt(values)))
    return vectors / np.sqrt(share)[:, np.newaxis], values


def _gram(A: sp.csr_array) -> FloatArray:
    """A^T A by dense blocks of rows, which is faster than the sparse product."""
    gram = np.zeros((A.shape[1],) * 2)
    for lo in range(0, A.shape[0], _ROWS):
        block = A[lo : lo + _ROWS].toarray()
        gram += block.T @ block
    return gram
