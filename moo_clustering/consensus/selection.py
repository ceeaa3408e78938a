"""Selection of ensemble runs: the half that agrees best with the other runs, or Pareto-optimal subsets."""

import math
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.optimize import minimize
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._arrays import FloatArray, SeedLike, choice, integer, integer_seed, spawn_seeds
from moo_clustering._data import FLOATS, checked_integers, checked_table
from moo_clustering._docs import documented
from moo_clustering.consensus import hypergraph
from moo_clustering.problems.ensembles import EnsembleSelectionProblem
from moo_clustering.validity.ensembles import hyperedges, mean_agreement, nmi_table, pairwise_nmi
from moo_clustering.validity.external import i2_criterion


class SelectionFront(NamedTuple):
    """Non-dominated subsets of runs.

    Attributes
    ----------
    kept : ndarray of shape (n_solutions, n_runs), bool
        Mask of the runs in each subset.
    F : ndarray of shape (n_solutions, n_objectives)
        Objectives of :class:`~moo_clustering.problems.EnsembleSelectionProblem`, which are minimised.
    labels : ndarray of shape (n_solutions, n_samples), int32
        Consensus of each subset.
    scores : ndarray of shape (n_solutions,)
        Score of each subset; the subset with the highest score is selected.
    """

    kept: NDArray[np.bool_]
    F: FloatArray
    labels: NDArray[np.int32]
    scores: FloatArray


class ParetoSelection(NamedTuple):
    """Selected runs, their consensus, and all non-dominated subsets.

    Attributes
    ----------
    runs : ndarray of int
        Indices of the selected runs.
    labels : ndarray of shape (n_samples,), int32
        Consensus of the selected runs.
    front : SelectionFront
    """

    runs: NDArray[np.intp]
    labels: NDArray[np.int32]
    front: SelectionFront


def best_half(labels: ArrayLike) -> NDArray[np.intp]:
    """Select the half of the runs (rounded up) with the highest mean NMI with all other runs.

    This is a fast alternative to :func:`select_pareto`. Takes O(n_samples n_runs^2) time.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Integers; -1 marks samples missing from a run.

    Returns
    -------
    ndarray of shape ((n_runs + 1) // 2,)
        Run indices in ascending order. If runs are tied, the first of them are selected.

    Examples
    --------
    >>> from moo_clustering.consensus import best_half
    >>> best_half([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    array([0, 2])
    """
    edges = hyperedges(labels)
    quality = mean_agreement(nmi_table(edges, edges))
    # Values are rounded, so that equal values stay tied despite rounding errors.
    order = np.argsort(-np.round(quality, 12), kind="stable")
    return np.sort(order[: (edges.n_runs + 1) // 2])


@documented(hypergraph.mcla)
def select_pareto(
    labels: ArrayLike,
    n_clusters: int,
    *,
    losses: ArrayLike | None = None,
    min_runs: int = 5,
    pop_size: int = 40,
    n_gen: int = 60,
    select: Literal["anmi", "i2"] = "anmi",
    X: Any = None,
    vertex_weight: hypergraph.VertexWeight = "size",
    partitioner: hypergraph.MetaPartitioner = "auto",
    random_state: SeedLike = None,
) -> ParetoSelection:
    """Search for subsets of diverse runs that agree with the remaining runs; return the best consensus.

    NSGA-II solves :class:`~moo_clustering.problems.EnsembleSelectionProblem`, starting from a population that
    includes the whole ensemble. If there are at most 256 subsets of ``min_runs`` or more runs, all of them
    are evaluated without NSGA-II. MCLA computes the consensus of each non-dominated subset. Takes O(n_samples
    n_runs^2 + n_gen pop_size n_runs^2) time, plus the time of MCLA for each such subset. The improvement over
    the consensus of all runs is small and unreliable. Raises the errors of :func:`mcla`.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        At least two runs; -1 marks samples missing from a run.
    losses : array-like of shape (n_runs,), optional
        Loss of each run; the mean loss of a subset is the third objective.
    min_runs : int, default=5
        Minimum number of runs in a subset.
    pop_size, n_gen : int, default=40, 60
        Population size and number of generations.
    select : {"anmi", "i2"}, default="anmi"
        Select the consensus with the highest mean NMI with all runs, or with the highest
        :func:`~moo_clustering.validity.i2_criterion` on unscaled ``X``. If a sample is missing from all runs
        of a subset, the subset is ignored.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        Features, required and used only with ``select="i2"``.
    random_state : int, Generator, RandomState or None, default=None
        Seed for NSGA-II and METIS.

    Examples
    --------
    >>> from moo_clustering.consensus import select_pareto
    >>> runs = [[0, 0, 1, 1]] * 5 + [[0, 1, 0, 1]]
    >>> select_pareto(runs, 2, n_gen=5, partitioner="matching", random_state=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """
    choice("select", select, ("anmi", "i2"))
    choice("vertex_weight", vertex_weight, ("size", "unit"))
    choice("partitioner", partitioner, ("auto", "metis", "matching"))
    edges, _ = hypergraph.check_ensemble(labels, n_clusters, None)
    rows = np.atleast_2d(checked_integers(labels, "labels"))
    problem = EnsembleSelectionProblem(rows, losses=losses, min_runs=min_runs)
    integer("pop_size", pop_size, 2)
    integer("n_gen", n_gen, 1)
    X = _checked_features(select, X, edges.n_samples)
    metis = hypergraph.use_metis(partitioner, "matching", "select_pareto")
    if metis and vertex_weight == "size":
        hypergraph.warn_of_meta_balance(edges, np.ones(edges.n_runs), n_clusters, "select_pareto")
    search_seed, consensus_seed = spawn_seeds(random_state, 2)
    subsets, F = _search(problem, pop_size, n_gen, search_seed)
    all_runs = hyperedges(rows)
    covers = np.array([all_runs.seen[subset].any(axis=0).all() for subset in subsets])
    if not covers.any():
        raise ValueError(
            f"every subset found has a sample that is missing from all its runs; increase min_runs={min_runs}"
        )
    subsets, F = subsets[covers], F[covers]
    # The intersections of all clusters are computed here once, because all subsets use them.
    _ = all_runs.intersections
    weight, seed = vertex_weight if metis else None, consensus_seed
    chosen = [all_runs.take(np.flatnonzero(subset)) for subset in subsets]
    found = [
        hypergraph.meta_consensus(runs, n_clusters, np.ones(runs.n_runs), vertex_weight=weight, seed=seed)
        for runs in chosen
    ]
    consensus = np.array([one for one, _ in found])
    if select == "anmi":
        scores = pairwise_nmi(consensus, rows).mean(axis=1)
    else:
        scores = np.array([i2_criterion(X, one, normalize_rows=False) for one in consensus])
    front = SelectionFront(subsets, F, consensus, scores)
    best = int(np.flatnonzero(scores >= scores.max() * (1.0 - 1e-12))[0])
    return ParetoSelection(np.flatnonzero(front.kept[best]), consensus[best], front)


def _search(
    problem: EnsembleSelectionProblem, pop_size: int, n_gen: int, seed: np.random.SeedSequence
) -> tuple[NDArray[np.bool_], FloatArray]:
    n_runs = problem.n_var
    # If there are at most 256 subsets, all are evaluated, because a search would mostly repeat subsets.
    if sum(math.comb(n_runs, size) for size in range(problem.min_runs, n_runs + 1)) <= 256:
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
    # Objectives are rounded, so that equal objectives stay tied despite rounding errors.
    best = NonDominatedSorting().do(np.round(F, 12), only_non_dominated_front=True)
    return kept[best], F[best]


def _evolved_front(
    problem: EnsembleSelectionProblem, pop_size: int, n_gen: int, seed: np.random.SeedSequence
) -> tuple[NDArray[np.bool_], FloatArray]:
    sampling_rng, search = np.random.default_rng(seed.spawn(1)[0]), integer_seed(seed)
    first = BinaryRandomSampling()(problem, pop_size, random_state=sampling_rng).get("X")
    # The first subset is the whole ensemble, which is always feasible.
    first[0] = True
    algorithm = NSGA2(
        pop_size=pop_size, sampling=first, crossover=UniformCrossover(), mutation=BitflipMutation()
    )
    result = minimize(problem, algorithm, ("n_gen", n_gen), seed=search, verbose=False)
    kept, which = np.unique(np.atleast_2d(result.X).astype(np.bool_), axis=0, return_index=True)
    return kept, np.atleast_2d(result.F)[which]


def _checked_features(select: str, X: Any, n_samples: int) -> Any:
    if select == "anmi":
        if X is not None:
            raise ValueError("X requires select='i2'; omit X or set select='i2'")
        return None
    if X is None:
        raise ValueError("select='i2' requires X, the sample features")
    X = checked_table(X, dtype=FLOATS, accept_sparse="csr")
    if X.shape[0] != n_samples:
        raise ValueError(f"X must have one row per sample ({n_samples}), got {X.shape[0]}")
    return X
