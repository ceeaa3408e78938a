"""Spectral partitions for many numbers of clusters from one eigendecomposition."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.graphs._embedding import spectral_embedding
from moo_clustering.graphs._laplacian import inverse_root

Doubles = NDArray[np.float64]

# Sparse graphs up to this size are solved as dense matrices.
_DENSE = 2000


def spectral_cuts(
    S: Any, ks: Sequence[int] | NDArray[Any], *, n_init: int = 3, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Spectral partitions of one graph into each of several numbers of clusters.

    For every k: the first k eigenvectors of D^(-1/2) S D^(-1/2) (largest eigenvalues), rows scaled to
    unit length, k-means++.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (m, m)
        Symmetric similarities, none negative; the diagonal counts.
    ks : sequence of int
        Numbers of clusters, at least 1 each. 1 gives one cluster, m or more gives singletons.
    n_init : int, default=3
        Starts of k-means.
    rng : numpy.random.Generator
        One seed is drawn per k, and starting vectors for large sparse graphs.

    Returns
    -------
    ndarray of shape (len(ks), m), int32
        Clusters numbered by first appearance; fewer than k if fewer rows differ. Samples without any
        similarity have a zero row and go to the cluster whose centre is nearest to the origin.

    Raises
    ------
    ValueError
        S not square, not symmetric or with negative or infinite entries; a k or n_init below 1.

    Notes
    -----
    Dense matrices, and sparse ones up to 2000 samples: O(m^3) time, O(m^2) memory. Larger sparse ones:
    Lanczos as in :func:`spectral_embedding`. Computed in one thread, so that neither rounding nor the
    result depends on how many there are.

    References
    ----------
    Ng, Jordan and Weiss, On spectral clustering, NIPS 2001.
    """
    S, wanted = _checked_similarities(S), checked_counts(ks)
    if n_init < 1:
        raise ValueError(f"n_init must be at least 1, got {n_init}.")
    m = S.shape[0]
    seeds = rng.integers(2**31 - 1, size=len(wanted))
    labels = np.zeros((len(wanted), m), dtype=np.int32)
    labels[wanted >= m] = np.arange(m)
    between = np.flatnonzero((wanted > 1) & (wanted < m))
    if not len(between):
        return labels
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Fewer different rows than clusters: allowed, see Returns.
        warnings.simplefilter("ignore", ConvergenceWarning)
        vectors = _leading_vectors(S, int(wanted[between].max()), rng)
        for q in between:
            rows = _unit_rows(vectors[:, : wanted[q]])
            kmeans = KMeans(int(wanted[q]), init="k-means++", n_init=n_init, random_state=int(seeds[q]))
            labels[q] = kmeans.fit_predict(rows)
    return relabel_by_first_appearance(labels)


def checked_counts(ks: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    """Numbers of clusters as an array."""
    counts = np.asarray(ks)
    if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu"):
        raise ValueError(f"ks must be a sequence of integers, got {ks!r}.")
    if counts.size and counts.min() < 1:
        raise ValueError(f"ks must be at least 1 each, got {counts.min()}.")
    return counts.astype(np.int64)


def _checked_similarities(S: Any) -> Any:
    S = sp.csr_array(S, dtype=np.float64) if sp.issparse(S) else np.asarray(S, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not S.shape[0]:
        raise ValueError(f"S must be a square matrix of similarities, got shape {S.shape}.")
    entries = S.data if sp.issparse(S) else S
    if entries.size and (not np.isfinite(entries).all() or entries.min() < 0):
        raise ValueError("S must hold finite similarities, none of them negative.")
    if entries.size and abs(S - S.T).max() > 1e-8 * entries.max():
        raise ValueError("S must be symmetric; symmetrize(S) takes the larger of two entries.")
    return S


def _leading_vectors(S: Any, n_vectors: int, rng: np.random.Generator) -> Doubles:
    """Eigenvectors of B up to the scale of their rows, 0 for samples without similarities."""
    degree = np.asarray(S.sum(axis=1), dtype=np.float64).reshape(-1)
    tied = np.flatnonzero(degree > 0)
    vectors = np.zeros((len(degree), n_vectors))
    n_found = min(n_vectors, len(tied))
    if not n_found:
        return vectors
    inner = S if len(tied) == len(degree) else S[tied][:, tied]
    if sp.issparse(S) and len(tied) > _DENSE:
        # D^(-1/2) scales rows only, which unit length undoes.
        vectors[tied, :n_found] = spectral_embedding(inner, n_found, laplacian="rw", rng=rng)[1]
        return vectors
    root = inverse_root(degree[tied])
    B = (inner.toarray() if sp.issparse(inner) else inner) * root[:, None] * root
    last = len(tied) - 1
    found = eigh(B, subset_by_index=[last - n_found + 1, last], overwrite_a=True, check_finite=False)[1]
    vectors[tied, :n_found] = found[:, ::-1]
    return vectors


def _unit_rows(vectors: Doubles) -> Doubles:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
