"""Choice of runs, co-association, Pareto graph, reconstruction."""

from __future__ import annotations

import math
import warnings
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.optimize import minimize
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._arrays import FloatArray, IntArray, SeedLike, spawn_seeds
from moo_clustering._kernels import loci
from moo_clustering._kernels.least_squares import reconstruct
from moo_clustering._kernels.threads import for_blocks
from moo_clustering.consensus.hypergraph import (
    MetaPartitioner,
    VertexWeight,
    check_ensemble,
    check_number,
    meta_consensus,
    use_metis,
)
from moo_clustering.diversity import locus_counts, shared_choices
from moo_clustering.graphs import NeighborLists, spectral_embedding, symmetrize
from moo_clustering.problems.ensembles import EnsembleSelectionProblem
from moo_clustering.validity.agreement import Hyperedges, hyperedges, mean_agreement, nmi_table, pairwise_nmi
from moo_clustering.validity.base import check_option
from moo_clustering.validity.external import i2_criterion

#: The scale factors tried in the paper, for ES3 and for the conventional graphs.
SIGMA_GRID = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 15.0)
# exp(-x) is 0 in float64 from about 745 on; an edge must not vanish for that.
_SMALLEST = 1e-300
# Up to so many subsets all are compared; a search among them would mostly redraw what it has.
_FEW = 256


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


def to_csr(weights: FloatArray, lists: NeighborLists) -> sp.csr_array:
    """Directed similarity matrix from weights on the neighbour lists.

    Parameters
    ----------
    weights : ndarray of shape (n_samples, width)
        Of every sample for its listed neighbours.
    lists : NeighborLists

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    n = len(weights)
    used = weights > 0
    indptr = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    matrix = sp.csr_array((weights[used], lists.indices[used], indptr), shape=(n, n))
    matrix.sort_indices()
    return matrix


def diversity_weights(
    ranks: IntArray,
    lists: NeighborLists,
    *,
    weight: Literal["one_minus_div", "div", "count"] = "one_minus_div",
    n_jobs: int | None = None,
) -> sp.csr_array:
    """ES2: s_ij = (1/M) sum over the members that link i to j of 1 - DIV(member) (PESC, Eq. 5).

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
    lists : NeighborLists
    weight : {"one_minus_div", "div", "count"}, default="one_minus_div"
        What a member contributes: the formula of the paper, its prose ("better diversity contributes
        more"), or 1. With ``"div"`` and members that are all alike the weights are zero; use
        ``"count"`` there.
    n_jobs : int, optional

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Every row sums to the mean contribution of a member.

    Notes
    -----
    O(M N) time, O(N width) memory.
    """
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


def kernel_weights(edges: sp.csr_array, distances: FloatArray, sigma: float) -> sp.csr_array:
    """ES3: s_ij = exp(-D_ij^2 / (2 sigma^2)) on the given edges (PESC, Eq. 6).

    Parameters
    ----------
    edges : csr_array of shape (n_samples, n_samples)
    distances : ndarray of shape (nnz,)
        Distances of the edges in CSR order.
    sigma : float
        0 gives weight 1 everywhere (as do distances that are all 0).

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        The edges with their weights.
    """
    if sigma <= 0 or not distances.any():
        weights = np.ones(len(distances))
    else:
        weights = np.maximum(np.exp(-(distances**2) / (2.0 * sigma**2)), _SMALLEST)
    return sp.csr_array((weights, edges.indices, edges.indptr), shape=edges.shape)


def edge_distances(ranks: IntArray, lists: NeighborLists) -> tuple[sp.csr_array, FloatArray]:
    """Which pairs (i, j) some member links, as a CSR matrix, and their distances in CSR order.

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
        The ensemble in rank encoding.
    lists : NeighborLists

    Returns
    -------
    edges : csr_array of shape (n_samples, n_samples)
        Truth values.
    distances : ndarray of shape (nnz,)
        In the order of the edges.
    """
    counts = locus_counts(ranks, lists.indices.shape[1])
    # Stored as 1 + distance so that a distance of 0 stays an entry.
    edges = to_csr(np.where(counts > 0, 1.0 + lists.distances.astype(np.float64), 0.0), lists)
    return edges, edges.data - 1.0


def reconstruction_weights(
    X: NDArray[np.floating[Any]],
    edges: sp.csr_array,
    *,
    solver: Literal["nnls", "pso"] = "nnls",
    orientation: Literal["row", "column"] = "row",
    ridge: float = 0.025,
    min_weight: float = 0.0,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> sp.csr_array:
    """min ||reconstruction - X||_F^2, s_ij >= 0 on the edges and 0 elsewhere (PESC, Eq. 4).

    Separates into one small non-negative least-squares problem per sample.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    edges : csr_array of shape (n_samples, n_samples)
        Entry (i, j): some member linked i to j. Values are ignored.
    solver : {"nnls", "pso"}, default="nnls"
        Exact active-set solution, or the paper's simplified particle swarm (30 particles, 200
        iterations), which is hundreds of times slower and a little worse; it needs ``rng``.
    orientation : {"row", "column"}, default="row"
        ``"row"``: sample i from the samples i chose. ``"column"``: the literal product A S with
        samples in columns, sample j from the samples that chose j; one that nobody chose gets no
        weights.
    ridge : float, default=0.025
        Weight of ||s||^2 as a multiple of the mean feature variance. With more neighbours than
        features the minimiser is not unique without it. The swarm minimises the same sum.
    min_weight : float, default=0.0
        Edges of smaller weight get this one; with 0 edges of weight 0 are dropped.
    rng : numpy.random.Generator, optional
        For the swarm.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)

    Notes
    -----
    O(N (q^2 d + q^4)) worst case for q edges a sample; usually close to O(N q^2 (d + q)).
    """
    rho = ridge * float(X.var(axis=0, dtype=np.float64).mean())
    problem = edges if orientation == "row" else edges.T.tocsr()
    if solver == "pso":
        weights = _swarm(X, problem, rho, np.random.default_rng(rng))
    else:
        weights = _exact(X, problem, rho, n_jobs)
    np.maximum(weights, min_weight, out=weights)
    # A copy: dropping entries below must not reach the structure of the edges.
    S = sp.csr_array((weights, problem.indices, problem.indptr), shape=problem.shape, copy=True)
    S.eliminate_zeros()
    if orientation == "column":
        S = S.T.tocsr()
    S.sort_indices()
    return S


def _exact(X: NDArray[np.floating[Any]], edges: sp.csr_array, rho: float, n_jobs: int | None) -> FloatArray:
    A = np.ascontiguousarray(X)
    weights = np.zeros(edges.nnz)
    width = max(int(np.diff(edges.indptr).max(initial=0)), 1)
    for_blocks(
        lambda lo, hi: reconstruct(A, edges.indptr, edges.indices, rho, lo, hi, width, weights),
        len(A),
        width * width,
        n_jobs,
    )
    return weights


def _swarm(
    X: NDArray[np.floating[Any]],
    edges: sp.csr_array,
    rho: float,
    rng: np.random.Generator,
    n_particles: int = 30,
    n_iter: int = 200,
) -> FloatArray:
    """Velocity-free particle swarm, all samples with equally many edges at once."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.zeros(edges.nnz)
    sizes = np.diff(edges.indptr)
    for q in np.unique(sizes[sizes > 0]):
        samples = np.flatnonzero(sizes == q)
        # Bounds the (samples, particles, q) arrays of a batch to some tens of megabytes.
        for batch in np.array_split(samples, -(-len(samples) * n_particles * int(q) // 2_000_000)):
            entries = edges.indptr[batch, None] + np.arange(q)
            B = X[edges.indices[entries]]
            gram = B @ B.transpose(0, 2, 1) + rho * np.eye(q)
            target = (B @ X[batch][:, :, None])[:, :, 0]
            weights[entries] = _swarm_batch(gram, target, n_particles, n_iter, rng)
    return weights


def _swarm_batch(
    gram: FloatArray, target: FloatArray, n_particles: int, n_iter: int, rng: np.random.Generator
) -> FloatArray:
    """x <- max(0, w x + c r1 (own best - x) + c r2 (best - x)); w from 0.9 to 0.4, c = 2."""
    n, q = target.shape

    def loss(x: FloatArray) -> FloatArray:
        value: FloatArray = np.einsum("npq,npq->np", x @ gram, x) - 2.0 * (x @ target[:, :, None])[:, :, 0]
        return value

    x = rng.random((n, n_particles, q))
    own, own_loss = x.copy(), loss(x)
    rows = np.arange(n)
    for inertia in np.linspace(0.9, 0.4, n_iter):
        best = own[rows, own_loss.argmin(axis=1)][:, None, :]
        pull = 2.0 * rng.random(x.shape) * (own - x) + 2.0 * rng.random(x.shape) * (best - x)
        x = np.maximum(0.0, inertia * x + pull)
        new = loss(x)
        better = new < own_loss
        own[better], own_loss[better] = x[better], new[better]
    result: FloatArray = own[rows, own_loss.argmin(axis=1)]
    return result


class SelectionFront(NamedTuple):
    """Subsets of runs of which none is better than another in all respects.

    Attributes
    ----------
    kept : ndarray of shape (n_solutions, n_runs), bool
        Runs of every subset.
    F : ndarray of shape (n_solutions, n_objectives)
        Objectives of :class:`~moo_clustering.problems.EnsembleSelectionProblem`, minimised.
    labels : ndarray of shape (n_solutions, n_samples), int32
        Consensus of every subset.
    scores : ndarray of shape (n_solutions,)
        What the choice was made by; the largest won.
    """

    kept: NDArray[np.bool_]
    F: FloatArray
    labels: NDArray[np.int32]
    scores: FloatArray


class ParetoSelection(NamedTuple):
    """Runs chosen, their consensus, and the front they were chosen from.

    Attributes
    ----------
    runs : ndarray of int
        Of the chosen subset.
    labels : ndarray of shape (n_samples,), int32
        Their consensus.
    front : SelectionFront
    """

    runs: NDArray[np.intp]
    labels: NDArray[np.int32]
    front: SelectionFront


def best_half(labels: ArrayLike) -> NDArray[np.intp]:
    """The half of the runs, rounded up, with the largest mean NMI with all other runs.

    The cheap rival of :func:`select_pareto`.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers, -1 for objects a run has not seen.

    Returns
    -------
    ndarray of shape ((n_runs + 1) // 2,)
        Run numbers, increasing; of runs that agree equally the first.

    Notes
    -----
    O(n_samples n_runs^2).

    Examples
    --------
    >>> from moo_clustering.consensus import best_half
    >>> best_half([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    array([0, 2])
    """
    edges = hyperedges(labels)
    quality = mean_agreement(nmi_table(edges, edges))
    # Rounding must not decide between equals.
    order = np.argsort(-np.round(quality, 12), kind="stable")
    return np.sort(order[: (edges.n_runs + 1) // 2])


def select_pareto(
    labels: ArrayLike,
    n_clusters: int,
    *,
    losses: ArrayLike | None = None,
    min_runs: int = 5,
    pop_size: int = 40,
    n_gen: int = 60,
    choose: Literal["anmi", "i2"] = "anmi",
    X: Any = None,
    vertex_weight: VertexWeight = "size",
    partitioner: MetaPartitioner = "auto",
    random_state: SeedLike = None,
) -> ParetoSelection:
    """Search for subsets of runs that agree with all yet differ, and return the best one's consensus.

    NSGA-II on :class:`~moo_clustering.problems.EnsembleSelectionProblem`, MCLA of every subset on the
    front, and a choice among these. The whole ensemble is among the first subsets. Where no more than
    256 subsets are large enough, all of them are compared and nothing is searched.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        At least two runs; -1 for objects a run has not seen.
    n_clusters : int
        From 1 to n_samples.
    losses : array-like of shape (n_runs,), optional
        Makes the mean loss of the runs kept a third objective.
    min_runs : int, default=5
        Least size of a subset.
    pop_size : int, default=40
    n_gen : int, default=60
    choose : {"anmi", "i2"}, default="anmi"
        The consensus with the largest mean NMI with all runs, or the largest
        :func:`~moo_clustering.validity.i2_criterion` on ``X``, whose rows are taken as they are.
        Subsets that leave objects unseen have no consensus and do not count.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        Needed for, and only used by, ``choose="i2"``.
    vertex_weight, partitioner
        As for :func:`mcla`.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    ParetoSelection
        ``runs``, the numbers of the runs kept; ``labels``, their consensus; ``front``.

    Raises
    ------
    ValueError, TypeError
        Arguments out of range.
    ImportError
        ``partitioner="metis"`` without pymetis (``moo_clustering[metis]``).

    Notes
    -----
    O(n_samples n_runs^2 + n_gen pop_size n_runs^2) time and as often MCLA as the front has subsets: up to
    ``pop_size`` times after a search, up to 256 times without. The gain over a consensus of all runs is
    small and not reliable, and :func:`best_half` comes close at no cost.

    Examples
    --------
    >>> from moo_clustering.consensus import select_pareto
    >>> runs = [[0, 0, 1, 1]] * 5 + [[0, 1, 0, 1]]
    >>> select_pareto(runs, 2, n_gen=5, partitioner="matching", random_state=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """
    check_option("choose", choose, ("anmi", "i2"))
    check_option("vertex_weight", vertex_weight, ("size", "unit"))
    check_option("partitioner", partitioner, ("auto", "metis", "matching"))
    edges, _ = check_ensemble(labels, n_clusters, None)
    rows = np.atleast_2d(np.asarray(labels))
    problem = EnsembleSelectionProblem(rows, losses=losses, min_runs=min_runs)
    check_number("pop_size", pop_size, 2)
    check_number("n_gen", n_gen, 1)
    _check_features(choose, X, edges.n_samples)
    metis = use_metis(partitioner, "matching", "select_pareto")
    search_seed, consensus_seed = spawn_seeds(random_state, 2)
    kept, F = _search(problem, pop_size, n_gen, search_seed)
    all_runs = hyperedges(rows)
    # Counted here once for all subsets.
    _ = all_runs.intersections
    found = [
        _consensus(all_runs, subset, n_clusters, vertex_weight if metis else None, consensus_seed)
        for subset in kept
    ]
    counted = np.array([consensus is not None for consensus in found])
    if not counted.any():
        raise ValueError(f"every subset found leaves objects unseen by its runs; raise min_runs={min_runs}")
    consensus = np.array([consensus for consensus in found if consensus is not None])
    if choose == "anmi":
        scores = pairwise_nmi(consensus, rows).mean(axis=1)
    else:
        scores = np.array([i2_criterion(X, one, normalize_rows=False) for one in consensus])
    front = SelectionFront(kept[counted], F[counted], consensus, scores)
    best = int(np.flatnonzero(scores >= scores.max() * (1.0 - 1e-12))[0])
    return ParetoSelection(np.flatnonzero(front.kept[best]), consensus[best], front)


def _search(
    problem: EnsembleSelectionProblem, pop_size: int, n_gen: int, seed: np.random.SeedSequence
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Distinct subsets on the front, by their objectives."""
    n_runs = problem.n_var
    if sum(math.comb(n_runs, size) for size in range(problem.min_runs, n_runs + 1)) <= _FEW:
        kept, F = _front_of_all(problem)
    else:
        kept, F = _evolved_front(problem, pop_size, n_gen, seed)
    order = np.lexsort(F.T[::-1])
    return kept[order], F[order]


def _front_of_all(problem: EnsembleSelectionProblem) -> tuple[NDArray[np.bool_], FloatArray]:
    n_runs = problem.n_var
    left_out = [
        runs for size in range(n_runs - problem.min_runs + 1) for runs in combinations(range(n_runs), size)
    ]
    kept = np.ones((len(left_out), n_runs), dtype=np.bool_)
    for row, runs in zip(kept, left_out, strict=True):
        row[list(runs)] = False
    F = problem.evaluate(kept, return_values_of=["F"])
    # Rounding must not decide between equals.
    best = NonDominatedSorting().do(np.round(F, 12), only_non_dominated_front=True)
    return kept[best], F[best]


def _evolved_front(
    problem: EnsembleSelectionProblem, pop_size: int, n_gen: int, seed: np.random.SeedSequence
) -> tuple[NDArray[np.bool_], FloatArray]:
    sampling_rng, search = np.random.default_rng(seed.spawn(1)[0]), int(seed.generate_state(1)[0] >> 1)
    first = BinaryRandomSampling()(problem, pop_size, random_state=sampling_rng).get("X")
    first[0] = True  # feasible whatever the others are
    algorithm = NSGA2(
        pop_size=pop_size, sampling=first, crossover=UniformCrossover(), mutation=BitflipMutation()
    )
    result = minimize(problem, algorithm, ("n_gen", n_gen), seed=search, verbose=False)
    kept, which = np.unique(np.atleast_2d(result.X).astype(np.bool_), axis=0, return_index=True)
    return kept, np.atleast_2d(result.F)[which]


def _consensus(
    edges: Hyperedges,
    subset: NDArray[np.bool_],
    n_clusters: int,
    vertex_weight: VertexWeight | None,
    seed: np.random.SeedSequence,
) -> NDArray[np.int32] | None:
    chosen = edges.take(np.flatnonzero(subset))
    if not chosen.seen.any(axis=0).all():
        return None
    labels, _ = meta_consensus(
        chosen, n_clusters, np.ones(chosen.n_runs), vertex_weight=vertex_weight, seed=seed
    )
    return labels


def _check_features(choose: str, X: Any, n_samples: int) -> None:
    if choose == "anmi":
        if X is not None:
            raise ValueError("X is only used by choose='i2'; leave it out or choose 'i2'")
        return
    if X is None:
        raise ValueError("choose='i2' needs X, the weighted documents")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != n_samples:
        raise ValueError(f"X must have one row per object: expected {n_samples}, got {n_rows}")
