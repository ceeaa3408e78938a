"""Spectral clustering of a similarity graph."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph
from sklearn.cluster import KMeans

from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.graphs._bridging import bridge_components
from moo_clustering.graphs._embedding import EigenSolver, Laplacian, spectral_embedding
from moo_clustering.graphs._neighbors import NeighborLists
from moo_clustering.graphs._search import Metric
from moo_clustering.graphs._similarity import symmetrize

# Above so many samples k-means sees a part of them only.
_ALL_FITTED = 100_000
_FITTED = 20_000


@dataclass(frozen=True, eq=False)
class SpectralPartition:
    """Result of :func:`spectral_partition`.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        Clusters, numbered by first appearance.
    similarity : csr_array of shape (n_samples, n_samples)
        The graph that was clustered: symmetric, bridges included.
    embedding : ndarray of shape (n_samples, n_clusters)
        Rows that k-means was run on.
    eigenvalues : ndarray of shape (n_clusters + 1,), or (n_samples,) if that is less
        Smallest eigenvalues of the Laplacian; the step between the last two is the eigengap.
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
    X: ArrayLike | None = None,
    metric: Metric = "euclidean",
    lists: NeighborLists | None = None,
    eigen_solver: EigenSolver = "auto",
    rng: np.random.Generator,
) -> SpectralPartition:
    """Spectral clustering: Laplacian, first eigenvectors, k-means on their rows.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Non-negative similarities, symmetrised by max(S, S^T).
    n_clusters : int
        K, from 1 to n_samples.
    laplacian : {"sym", "unnormalized", "rw"}, default="sym"
    bridge : bool, default=True
        Make a disconnected graph connected, see :func:`bridge_components`; needs ``X``. Without it the
        components are the clusters if there are K of them, and the result means little if there are
        more.
    X, metric, lists
        As in :func:`bridge_components`.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
        See :func:`spectral_embedding`.
    rng : numpy.random.Generator

    Returns
    -------
    SpectralPartition

    Raises
    ------
    ValueError
        K out of range, or a disconnected graph with ``bridge=True`` and no ``X``.

    Notes
    -----
    K = 1 and K = n_samples give the trivial partitions. Above 100000 samples k-means is fitted to
    20000 of them.

    References
    ----------
    PESC, Algorithm 1.
    """
    graph = symmetrize(S)
    n_samples = graph.shape[0]
    if not 1 <= n_clusters <= n_samples:
        raise ValueError(f"n_clusters must be from 1 to n_samples={n_samples}, got {n_clusters}.")
    n_components, parts = csgraph.connected_components(graph, directed=False)
    if bridge and n_components > 1:
        if X is None:
            raise ValueError(
                f"the graph has {n_components} components and bridge=True needs X to link them; "
                "give X or set bridge=False."
            )
        graph = bridge_components(graph, X, metric=metric, lists=lists, rng=rng)
    elif n_components > n_clusters:
        warnings.warn(
            f"the graph has {n_components} components, more than n_clusters={n_clusters}: its first "
            "eigenvectors are arbitrary and so is the partition. Use bridge=True or a denser graph.",
            UserWarning,
            stacklevel=2,
        )
    values, embedding = spectral_embedding(
        graph,
        n_clusters,
        laplacian=laplacian,
        eigen_solver=eigen_solver,
        rng=rng,
        n_eigenvalues=min(n_clusters + 1, n_samples),
        parts=parts,
    )
    if n_clusters == n_samples:
        labels = np.arange(n_samples)
    elif n_clusters == n_components and not bridge:
        labels = parts
    else:
        labels = _cluster_rows(embedding, n_clusters, rng)
    return SpectralPartition(_numbered(labels), graph, embedding, values, n_components)


def _cluster_rows(embedding: NDArray[np.float64], n_clusters: int, rng: np.random.Generator) -> NDArray[Any]:
    n_samples = len(embedding)
    seed = int(rng.integers(2**31 - 1))
    if n_clusters == 1:
        return np.zeros(n_samples, dtype=np.int32)
    kmeans = KMeans(n_clusters, init="k-means++", n_init=10, random_state=seed)
    if n_samples <= _ALL_FITTED:
        return kmeans.fit_predict(embedding)
    sample = rng.choice(n_samples, size=max(_FITTED, min(n_samples, 50 * n_clusters)), replace=False)
    return kmeans.fit(embedding[np.sort(sample)]).predict(embedding)


def _numbered(labels: NDArray[Any]) -> NDArray[np.int32]:
    return relabel_by_first_appearance(labels.astype(np.int32)[np.newaxis])[0]
