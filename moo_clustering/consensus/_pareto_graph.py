"""From the final population of a neighbour-graph search to one similarity matrix."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering.consensus._neighbor_ensembles import diversity_weights, edge_distances, kernel_weights
from moo_clustering.consensus._reconstruction import reconstruction_weights
from moo_clustering.graphs import NeighborLists, spectral_embedding, symmetrize

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]

#: The scale factors tried in the paper, for ES3 and for the conventional graphs.
SIGMA_GRID = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 15.0)


def ensemble_members(F: FloatArray, min_members: int = 1) -> IntArray:
    """Indices of the non-dominated members, and of whole further fronts until there are enough.

    Parameters
    ----------
    F : ndarray of shape (n_individuals, n_objectives)
        Minimised objectives.
    min_members : int, default=1
        1 takes the non-dominated set alone. A handful of members makes a graph so thin that it falls
        apart.

    Returns
    -------
    ndarray of shape (n_members,)
        Rows of F, ascending.
    """
    members: list[int] = []
    for front in NonDominatedSorting().do(F):
        members.extend(front)
        if len(members) >= min_members:
            break
    return np.sort(np.array(members, dtype=np.intp))


def reconstruction_graph(
    ranks: IntArray, lists: NeighborLists, X: NDArray[np.floating[Any]], **options: Any
) -> sp.csr_array:
    """ES1 of an ensemble.

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
        The ensemble in rank encoding.
    lists : NeighborLists
    X : ndarray of shape (n_samples, n_features)
    **options
        Of :func:`reconstruction_weights`.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    edges, _ = edge_distances(ranks, lists)
    return reconstruction_weights(X, edges, **options)


def diversity_graph(
    ranks: IntArray,
    lists: NeighborLists,
    *,
    weight: Literal["one_minus_div", "div", "count"],
    n_jobs: int | None = None,
) -> sp.csr_array:
    """ES2 of an ensemble; falls back to counting where diversity weights would all be zero.

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
        The ensemble in rank encoding.
    lists : NeighborLists
    weight : {"one_minus_div", "div", "count"}
        What a member's edges weigh.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    if weight == "div" and (ranks == ranks[0]).all():
        warnings.warn(
            "es2_weight='div' gives every member weight 0, since all members of the ensemble are "
            "alike; using es2_weight='count'.",
            UserWarning,
            stacklevel=2,
        )
        weight = "count"
    return diversity_weights(ranks, lists, weight=weight, n_jobs=n_jobs)


def kernel_graph(
    ranks: IntArray,
    lists: NeighborLists,
    *,
    sigma: float | str,
    n_clusters: int,
    laplacian: str,
    rng: np.random.Generator,
) -> tuple[sp.csr_array, float]:
    """ES3 of an ensemble, and the scale factor used.

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
        The ensemble in rank encoding.
    lists : NeighborLists
    sigma : float, "mean", "median" or "grid"
        A number; that of the distances of the chosen edges; or the one of :data:`SIGMA_GRID` with the
        largest gap between eigenvalues K and K + 1 of the symmetric normalised Laplacian. The paper picks
        the one with the best result, which needs the true classes.
    n_clusters : int
        K.
    laplacian : str
        Kind of the Laplacian of the graph that will be clustered.
    rng : numpy.random.Generator
        Draws starting vectors.

    Returns
    -------
    graph : csr_array of shape (n_samples, n_samples)
    sigma : float
        The scale factor used.
    """
    edges, distances = edge_distances(ranks, lists)
    if laplacian == "unnormalized":
        warnings.warn(
            "ensemble='es3' with laplacian='unnormalized' tends to cut off outliers; prefer 'sym'.",
            UserWarning,
            stacklevel=2,
        )
    if sigma == "grid":
        gaps = [_eigengap(kernel_weights(edges, distances, s), n_clusters, rng) for s in SIGMA_GRID]
        chosen = SIGMA_GRID[int(np.argmax(gaps))]
    elif isinstance(sigma, str):
        chosen = float(np.mean(distances) if sigma == "mean" else np.median(distances))
    else:
        chosen = float(sigma)
    return kernel_weights(edges, distances, chosen), chosen


def _eigengap(S: sp.csr_array, n_clusters: int, rng: np.random.Generator) -> float:
    n_values = min(n_clusters + 1, S.shape[0])
    values, _ = spectral_embedding(symmetrize(S), n_values, laplacian="sym", rng=rng)
    return float(values[-1] - values[-2]) if n_values > 1 else 0.0
