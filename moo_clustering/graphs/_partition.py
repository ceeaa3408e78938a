"""Spectral clustering of a similarity graph."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph
from sklearn.cluster import KMeans

from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.graphs._bridges import bridge_components
from moo_clustering.graphs._embedding import EigenSolver, Laplacian, spectral_embedding
from moo_clustering.graphs._search import Metric
from moo_clustering.graphs._similarity import symmetrize

# k-means is fitted to so many rows at most; the others are assigned to the nearest centre.
_MAX_FIT = 100_000


@dataclass(frozen=True, eq=False)
class SpectralPartition:
    """Clusters of a graph and what they were found in.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        Numbered by first appearance.
    similarity : csr_array of shape (n_samples, n_samples)
        Symmetric, bridges included.
    embedding : ndarray of shape (n_samples, n_clusters)
    eigenvalues : ndarray of shape (n_clusters + 1,), or n_samples if that is less
    n_components : int
        Connected components before bridging.
    """

    labels: NDArray[np.int32]
    similarity: sp.csr_array
    embedding: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    n_components: int


def spectral_partition(
    S: Any,
    n_clusters: int,
    *,
    laplacian: Laplacian = "sym",
    bridge: bool = True,
    X: NDArray[np.floating[Any]] | None = None,
    metric: Metric = "euclidean",
    eigen_solver: EigenSolver = "auto",
    rng: np.random.Generator,
) -> SpectralPartition:
    """Symmetrise, bridge, embed, k-means.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Directed similarities.
    n_clusters : int
        K, from 1 (all samples) to n_samples (every sample on its own).
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
    bridge : bool, default=True
        Join the components of a disconnected graph, which needs ``X``. Without, K components are the
        clusters, and with more than K of them the eigenvectors are arbitrary.
    X : ndarray of shape (n_samples, n_features), optional
        Features, or distances with ``metric="precomputed"``.
    metric : str or callable, default="euclidean"
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        ``n_clusters`` out of range, or ``bridge`` without ``X``.

    Notes
    -----
    k-means++ with 10 starts, up to 100,000 rows; of larger data it is fitted to so many rows.

    References
    ----------
    PESC, Algorithm 1.
    """
    graph = symmetrize(S)
    n_samples = graph.shape[0]
    if not 1 <= n_clusters <= n_samples:
        raise ValueError(
            f"n_clusters must be between 1 and the number of samples, {n_samples}; got {n_clusters}."
        )
    n_parts, part = csgraph.connected_components(graph, directed=False)
    if n_parts > 1 and bridge:
        if X is None:
            raise ValueError("bridge=True needs X to join the components of a disconnected graph.")
        graph = bridge_components(graph, X, metric=metric, rng=rng)
    values, embedding = spectral_embedding(
        graph,
        n_clusters,
        laplacian=laplacian,
        eigen_solver=eigen_solver,
        rng=rng,
        n_eigenvalues=min(n_clusters + 1, n_samples),
        parts=part,
    )
    if n_clusters == n_samples:
        labels = np.arange(n_samples)
    elif n_parts == n_clusters and not bridge:
        labels = part
    else:
        if n_parts > n_clusters and not bridge:
            warnings.warn(
                f"the graph has {n_parts} components, more than n_clusters={n_clusters}: its first "
                "eigenvectors are arbitrary; use bridge=True.",
                UserWarning,
                stacklevel=2,
            )
        labels = _k_means(embedding, n_clusters, rng)
    numbered = relabel_by_first_appearance(labels[None, :].astype(np.int32))[0]
    return SpectralPartition(numbered, graph, embedding, values, n_parts)


def _k_means(embedding: NDArray[np.float64], n_clusters: int, rng: np.random.Generator) -> NDArray[Any]:
    if n_clusters == 1:
        return np.zeros(len(embedding), dtype=np.int32)
    model = KMeans(n_clusters, init="k-means++", n_init=10, random_state=int(rng.integers(2**31)))
    if len(embedding) <= _MAX_FIT:
        return np.asarray(model.fit_predict(embedding))
    rows = rng.choice(len(embedding), size=_MAX_FIT, replace=False)
    return np.asarray(model.fit(embedding[rows]).predict(embedding))
