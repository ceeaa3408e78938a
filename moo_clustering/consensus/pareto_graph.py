"""Similarity graphs from the members of a Pareto front, by the three PESC methods (ES1, ES2, ES3)."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._arrays import AnyFloatArray, FloatArray, IntArray, choice, warn_caller
from moo_clustering._data import FLOATS, checked_array, checked_integers, checked_table
from moo_clustering._docs import documented
from moo_clustering._kernels import loci
from moo_clustering._kernels.least_squares import reconstruct
from moo_clustering._kernels.threads import for_blocks, for_parts
from moo_clustering.diversity import locus_counts, shared_choices
from moo_clustering.graphs import NeighborLists, eigengap, symmetrize
from moo_clustering.graphs.similarity import listed_edges

#: Scale factors that the paper uses for ES3 and for conventional graphs.
SIGMA_GRID = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 15.0)


def ensemble_members(F: FloatArray, min_members: int = 1) -> IntArray:
    """Select the non-dominated front, then whole further fronts until there are ``min_members`` members.

    Parameters
    ----------
    F : ndarray of shape (n_individuals, n_objectives)
        Objectives, which are minimised.
    min_members : int, default=1
        Minimum number of members; a graph built from few members may be disconnected.

    Returns
    -------
    ndarray of shape (n_members,)
        Indices of the selected rows of F, in ascending order.
    """
    members: list[int] = []
    F = checked_array(F, "F", np.float64, ndim=(2,))
    if not F.size:
        raise ValueError(f"F must not be empty, got shape {F.shape}")
    for front in NonDominatedSorting().do(F):
        members.extend(front)
        if len(members) >= min_members:
            break
    return np.sort(np.array(members, dtype=np.intp))


def reconstruction_graph(
    ranks: IntArray, lists: NeighborLists, X: AnyFloatArray, **options: Any
) -> sp.csr_array:
    """Build the ES1 graph of an ensemble.

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
        Ensemble members in rank encoding.
    lists : NeighborLists
    X : ndarray of shape (n_samples, n_features)
    **options
        Options for :func:`reconstruction_weights`.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    edges, _ = edge_distances(ranks, lists)
    return reconstruction_weights(X, edges, **options)


def reconstruction_weights(
    X: AnyFloatArray,
    edges: sp.csr_array,
    *,
    orientation: Literal["row", "column"] = "row",
    ridge: float = 0.025,
    min_weight: float = 0.0,
    n_jobs: int | None = None,
) -> sp.csr_array:
    """Compute ES1: the non-negative edge weights s_ij that best reconstruct X (PESC, Eq. 4).

    For each sample, an active-set method solves a small non-negative least-squares problem exactly. The paper
    uses a particle swarm instead. Takes at most O(N (q^2 d + q^4)) time, where N is the number of samples, q
    the number of edges per sample, and d the number of features. Usually close to O(N q^2 (d + q)).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    edges : csr_array of shape (n_samples, n_samples)
        One entry (i, j) for each link from i to j in any member; values are ignored.
    orientation : {"row", "column"}, default="row"
        ``"row"`` reconstructs each sample from the samples to which it links. ``"column"`` reconstructs it
        from the samples that link to it, if there are any, as the paper's formula literally says.
    ridge : float, default=0.025
        Ridge penalty for the reconstruction, as a multiple of the mean feature variance.
    min_weight : float, default=0.0
        Lower limit on edge weights; with 0, edges whose weight is 0 are removed.
    n_jobs : int, optional
        Number of threads; does not affect the result.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    choice("orientation", orientation, ("row", "column"))
    X = np.ascontiguousarray(checked_table(X, dtype=FLOATS))  # the result must not depend on the memory order
    rho = ridge * float(X.var(axis=0, dtype=np.float64).mean())
    problem = edges if orientation == "row" else edges.T.tocsr()
    weights = np.zeros(problem.nnz)
    width = max(int(np.diff(problem.indptr).max(initial=0)), 1)
    for_parts(
        lambda lo, hi: reconstruct(X, problem.indptr, problem.indices, rho, lo, hi, width, weights),
        len(X),
        float(len(X)) * width**2 * (X.shape[1] + width),
        n_jobs,
    )
    np.maximum(weights, min_weight, out=weights)
    # The arrays are copied, because ``eliminate_zeros`` must not remove entries of ``edges``.
    S = sp.csr_array((weights, problem.indices, problem.indptr), shape=problem.shape, copy=True)
    S.eliminate_zeros()
    if orientation == "column":
        S = S.T.tocsr()
    S.sort_indices()
    return S


@documented(reconstruction_graph, reconstruction_weights)
def diversity_graph(
    ranks: IntArray,
    lists: NeighborLists,
    *,
    weight: Literal["one_minus_div", "div", "count"],
    n_jobs: int | None = None,
) -> sp.csr_array:
    """Build the ES2 graph of an ensemble; if all diversity weights are zero, use counts instead.

    Parameters
    ----------
    weight : {"one_minus_div", "div", "count"}
        A member's contribution to its edges; see :func:`diversity_weights`.
    """
    ranks = _checked_ranks(ranks, lists)
    if weight == "div" and (ranks == ranks[0]).all():
        warn_caller(
            "es2_weight='div' gives every member weight 0, because all members of the ensemble are "
            "equal; using es2_weight='count'"
        )
        weight = "count"
    return diversity_weights(ranks, lists, weight=weight, n_jobs=n_jobs)


@documented(reconstruction_weights, reconstruction_graph)
def diversity_weights(
    ranks: IntArray,
    lists: NeighborLists,
    *,
    weight: Literal["one_minus_div", "div", "count"] = "one_minus_div",
    n_jobs: int | None = None,
) -> sp.csr_array:
    """Compute ES2: s_ij is the sum of 1 - DIV over the members that link i to j, divided by M (PESC, Eq. 5).

    DIV is defined in :func:`~moo_clustering.diversity.diversity`. Takes O(M N) time and O(N width) memory,
    where M is the number of members, N the number of samples, and ``width`` the length of a list.

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
    weight : {"one_minus_div", "div", "count"}, default="one_minus_div"
        Contribution of a member to its edges. ``"one_minus_div"``: 1 - DIV, as in the paper's formula.
        ``"div"``: DIV, as in the paper's text ("better diversity contributes more"). ``"count"``: 1. If all
        members are equal, ``"div"`` results in zeros; use ``"count"`` instead.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        The sum of each row is the mean contribution of the members.
    """
    choice("weight", weight, ("one_minus_div", "div", "count"))
    ranks = _checked_ranks(ranks, lists)
    n_members, n_samples = ranks.shape
    width = lists.indices.shape[1]
    shared = shared_choices(ranks, locus_counts(ranks, width, n_jobs=n_jobs), n_jobs=n_jobs)
    total = n_samples * n_members
    share = {"one_minus_div": shared / total, "div": (total - shared) / total, "count": np.ones(n_members)}
    contribution = share[weight] / n_members
    weights = np.zeros((n_samples, width))
    for_blocks(
        lambda lo, hi: loci.add_weights(ranks, contribution, weights, lo, hi), n_samples, n_members, n_jobs
    )
    return to_csr(weights, lists)


@documented(reconstruction_graph)
def kernel_graph(
    ranks: IntArray,
    lists: NeighborLists,
    *,
    sigma: float | str,
    n_clusters: int,
    laplacian: str,
    rng: np.random.Generator,
) -> tuple[sp.csr_array, float]:
    """Build the ES3 graph of an ensemble, and return its scale factor.

    Parameters
    ----------
    sigma : float, "mean", "median" or "grid"
        Scale factor, or how to choose it: the mean or median edge distance, or the value in
        :data:`SIGMA_GRID` for which eigenvalues K and K + 1 of the symmetric normalised Laplacian differ
        most. The paper chooses the value in this grid for which the result agrees best with the true classes.
    n_clusters : int
        K, the number of clusters.
    laplacian : str
        Laplacian that will be used to cluster the graph; ``"unnormalized"`` issues a warning.
    rng : numpy.random.Generator
        Generator for the eigensolver's initial vectors.

    Returns
    -------
    graph : csr_array of shape (n_samples, n_samples)
    sigma : float
        Scale factor that was used.
    """
    if isinstance(sigma, str):
        choice("sigma", sigma, ("mean", "median", "grid"))
    edges, distances = edge_distances(ranks, lists)
    if laplacian == "unnormalized":
        warn_caller("ensemble='es3' with laplacian='unnormalized' tends to separate outliers; use 'sym'")
    if sigma == "grid":
        graphs = (symmetrize(kernel_weights(edges, distances, s)) for s in SIGMA_GRID)
        gaps = [eigengap(graph, n_clusters, rng=rng) for graph in graphs]
        chosen = SIGMA_GRID[int(np.argmax(gaps))]
    elif isinstance(sigma, str):
        chosen = float(np.mean(distances) if sigma == "mean" else np.median(distances))
    else:
        chosen = float(sigma)
    return kernel_weights(edges, distances, chosen), chosen


def kernel_weights(edges: sp.csr_array, distances: FloatArray, sigma: float) -> sp.csr_array:
    """Compute ES3: s_ij = exp(-D_ij^2 / (2 sigma^2)) for edges of length D_ij (PESC, Eq. 6).

    Parameters
    ----------
    edges : csr_array of shape (n_samples, n_samples)
    distances : ndarray of shape (nnz,)
        Edge distances, in CSR order.
    sigma : float
        Scale factor. If ``sigma`` is 0 or if all distances are 0, all weights are 1.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Weighted edges.
    """
    distances = checked_array(distances, "distances", np.float64)
    if distances.shape != (edges.nnz,):
        raise ValueError(f"distances must have one entry per edge ({edges.nnz}), got shape {distances.shape}")
    if sigma <= 0 or not distances.any():
        weights = np.ones(len(distances))
    else:
        # If x exceeds 745, exp(-x) is rounded to 0, and the edge would be lost.
        weights = np.maximum(np.exp(-(distances**2) / (2.0 * sigma**2)), 1e-300)
    return sp.csr_array((weights, edges.indices, edges.indptr), shape=edges.shape)


@documented(reconstruction_graph)
def edge_distances(ranks: IntArray, lists: NeighborLists) -> tuple[sp.csr_array, FloatArray]:
    """Collect the edges (i, j) of all members in a CSR matrix, and their lengths in an array.

    Returns
    -------
    edges : csr_array of shape (n_samples, n_samples)
        Edges; ignore the values of the entries.
    distances : ndarray of shape (nnz,)
        Edge lengths, in the order of the entries of ``edges``.
    """
    counts = locus_counts(_checked_ranks(ranks, lists), lists.indices.shape[1])
    # The entries are 1 + distance, so that edges of length 0 remain explicit entries.
    edges = to_csr(np.where(counts > 0, 1.0 + lists.distances.astype(np.float64), 0.0), lists)
    return edges, edges.data - 1.0


def to_csr(weights: FloatArray, lists: NeighborLists) -> sp.csr_array:
    """Convert weights on the neighbour lists to a directed similarity matrix.

    Parameters
    ----------
    weights : ndarray of shape (n_samples, width)
        Weights of each sample's listed neighbours.
    lists : NeighborLists

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    weights = checked_array(weights, "weights", np.float64)
    if weights.shape != lists.indices.shape:
        raise ValueError(
            f"weights must have shape {lists.indices.shape}, as the neighbour lists; got {weights.shape}"
        )
    return listed_edges(lists, weights)


def _checked_ranks(ranks: Any, lists: NeighborLists) -> IntArray:
    found = checked_integers(ranks, "ranks")
    n_samples, width = lists.indices.shape
    if found.ndim != 2 or found.shape[1] != n_samples or not len(found):
        raise ValueError(f"ranks must have shape (n_members, {n_samples}), got shape {found.shape}")
    if found.min() < 0 or found.max() >= width:
        raise ValueError(f"ranks must be from 0 to {width - 1}, got {found.min()} to {found.max()}")
    return found
