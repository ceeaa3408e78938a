"""Mutations of medoids, links between neighbours, seeds, centres, sparse rows and modes, and their choice.

Mutations of partitions, whose genes are cluster numbers, are in ``mutation_labels.py``.
Functions of arrays (:func:`replace_one`, :func:`relocate`, ...) serve the DEAP forms as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.operators.mutation.pm import PM

from moo_clustering._arrays import (
    FloatArray,
    Int64Array,
    IntArray,
    IntpArray,
    Labels,
    choice,
    probability,
    quoted,
    sparse_positions,
)
from moo_clustering._data import checked_array
from moo_clustering._docs import documented
from moo_clustering._kernels import least_squares, loci
from moo_clustering._kernels.threads import for_parts
from moo_clustering.encodings import MedoidEncoding, MedoidSlotEncoding
from moo_clustering.encodings.base import checked_genes
from moo_clustering.encodings.medoids import as_sets, random_absent, repair_slots, set_sizes
from moo_clustering.operators import base
from moo_clustering.operators.crossover import TABLES
from moo_clustering.operators.sampling import draw_links
from moo_clustering.problems.feature_subsets import FeatureSubsetEncoding

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem
    from moo_clustering.problems.graphs import SRMOSCProblem

ReplaceKind = Literal["replace", "full"]
SlotKind = Literal["index", "rank"]
Length = Literal["genotype", "N"]
NewValue = Literal["different", "any"]
Removal = Literal["uniform", "cheap"]
# Errors and link counts of the rows of an individual.
Tables = tuple[FloatArray, Labels]
# RelocateCentre with removal="cheap" compares so many random centres.
CANDIDATES = 3
# Changes of a subset.
_ADD, _DROP, _SWAP = range(3)


class MutationChoice(base.DrawnMutation):
    """Draw one of several mutations for each individual, as pymoo's algorithms take a single one.

    Parameters
    ----------
    mutations : sequence of pymoo Mutation
        Their own ``prob`` is ignored.
    weights : array-like of shape (n_mutations,), optional
        Relative frequencies, equal by default.
    """

    def __init__(
        self,
        mutations: Sequence[Mutation],
        weights: ArrayLike | None = None,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.mutations = tuple(mutations)
        if not self.mutations:
            raise ValueError("mutations must hold at least one pymoo Mutation, got none.")
        for mutation in self.mutations:
            if not isinstance(mutation, Mutation):
                raise TypeError(f"mutations must be pymoo Mutations, got {type(mutation).__name__}.")
        given = (
            np.ones(len(self.mutations)) if weights is None else checked_array(weights, "weights", np.float64)
        )
        if given.shape != (len(self.mutations),) or not (np.isfinite(given) & (given >= 0)).all():
            raise ValueError(
                f"weights must be {len(self.mutations)} numbers >= 0, one each; got {quoted(weights)}."
            )
        if not given.sum() > 0:
            raise ValueError(f"weights must not all be 0, got {quoted(weights)}.")
        self.weights = given / given.sum()

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        which = rng.choice(len(self.mutations), size=len(X), p=self.weights)
        mutated = X.copy()
        for number, mutation in enumerate(self.mutations):
            rows = np.flatnonzero(which == number)
            if len(rows):
                mutated[rows] = mutation._do(problem, X[rows], random_state=rng)
        return mutated


class EncodingMutation(base.SeededMutation):
    """Replace genes by those of random individuals of ``problem.encoding``, for any encoding.

    Children may need a repair, which :class:`~moo_clustering.operators.EncodingRepair` does.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/n_var.
    """

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        rate = self.get_prob_var(problem, size=(len(X), 1))
        drawn = base.encoding_of(problem).random(len(X), rng)
        return np.where(rng.random(X.shape) < rate, drawn, X)


class FeatureMutation(base.SeededMutation):
    """Add, drop or swap features of a subset, each with the same probability.

    For :class:`~moo_clustering.problems.FeatureSubsetProblem`. Flips of single bits would let sparse
    subsets grow, as most features are absent.

    Parameters
    ----------
    more : float, default=0.5
        Probability of another change after every one: 1 / (1 - more) changes on average.
    """

    def __init__(self, more: float = 0.5, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.more = probability("more", more)
        if self.more == 1:
            raise ValueError("more must be below 1, got 1: the changes would not end.")

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        mutated = np.array(X)
        most = base.encoding_of(problem, FeatureSubsetEncoding).max_features
        for row, changes in zip(mutated, rng.geometric(1.0 - self.more, len(mutated)), strict=True):
            for _ in range(changes):
                held, absent = np.flatnonzero(row), np.flatnonzero(row == 0)
                adds, drops = len(absent) > 0, len(held) > 0
                possible = (adds and len(held) < most, len(held) > 1, adds and drops)
                kinds = [kind for kind in (_ADD, _DROP, _SWAP) if possible[kind]]
                kind = kinds[int(rng.integers(len(kinds)))] if kinds else None
                if kind in (_ADD, _SWAP):
                    row[absent[int(rng.integers(len(absent)))]] = 1
                if kind in (_DROP, _SWAP):
                    row[held[int(rng.integers(len(held)))]] = 0
        return mutated


class MedoidReplaceMutation(base.SeededMutation):
    """Replace a random medoid by a random sample that is no medoid.

    Parameters
    ----------
    kind : {"replace", "full"}, default="replace"
        ``"full"``: replace a medoid, add one, or drop one, with equal probability; where the number of
        medoids cannot grow or shrink, replace one.

    Notes
    -----
    O(n_individuals k_max log k_max) time.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, kind: ReplaceKind = "replace", prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.kind: ReplaceKind = choice("kind", kind, get_args(ReplaceKind))

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Int64Array:
        encoding = base.encoding_of(problem, MedoidEncoding)
        return replace_one(as_sets(X), encoding.n_samples, rng, kind=self.kind, k_min=encoding.k_min)


def replace_one(
    sets: Int64Array,
    n_samples: int,
    rng: np.random.Generator,
    *,
    kind: ReplaceKind = "replace",
    k_min: int = 2,
) -> Int64Array:
    """Change one medoid of every row, see :class:`MedoidReplaceMutation`.

    Rows that hold all samples can only lose one.
    """
    mutated = sets.copy()
    width = sets.shape[1]
    sizes = set_sizes(sets)
    position = rng.integers(0, np.maximum(sizes, 1))
    action = rng.integers(0, 3, size=len(sets)) if kind == "full" else np.zeros(len(sets), dtype=np.int64)
    some_absent = sizes < n_samples
    delete = (action == 2) & (sizes > k_min)
    insert = (action == 1) & (sizes < width) & some_absent
    position[insert] = sizes[insert]
    enter = np.flatnonzero(~delete & some_absent)
    mutated[enter, position[enter]] = random_absent(sets[enter], n_samples, rng)
    shorter = np.flatnonzero(delete)
    following = np.minimum(np.arange(width) + (np.arange(width) >= position[shorter, None]), width - 1)
    mutated[shorter] = np.take_along_axis(sets[shorter], following, axis=1)
    mutated[shorter, sizes[shorter] - 1] = -1
    return mutated


class MedoidSwapMutation(base.SeededMutation):
    """Exchange the positions of two medoids.

    The clustering stays the same; only the order in which a later crossover cuts the genes changes. Use
    :class:`MedoidReplaceMutation` to search.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Int64Array:
        base.encoding_of(problem, MedoidEncoding)
        return swap_two(as_sets(X), rng)


def swap_two(sets: Int64Array, rng: np.random.Generator) -> Int64Array:
    """Exchange two random genes of every row that has at least two."""
    sizes = np.maximum(set_sizes(sets), 1)
    row = np.arange(len(sets))
    a = rng.integers(0, sizes)
    b = (a + 1 + rng.integers(0, np.maximum(sizes - 1, 1))) % sizes
    swapped = sets.copy()
    swapped[row, a], swapped[row, b] = sets[row, b], sets[row, a]
    return swapped


class SlotMutation(base.SeededMutation):
    """Move medoids to samples near them, then repair like :class:`SlotOnePointCrossover`.

    Parameters
    ----------
    kind : {"index", "rank"}, default="index"
        - ``"index"``, as printed in the paper: id g becomes g + U{-r..r}, clipped. Unless the samples
          are ordered, their ids say nothing about nearness.
        - ``"rank"``: a uniform draw among the r samples nearest to the current one.
    p_gene : float, default=0.7
        Probability that a medoid of a mutated individual moves.
    reach : float, default=0.25
        r = floor(reach n_samples); at least 1 and at most all others for ``"rank"``.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).
    """

    def __init__(
        self,
        kind: SlotKind = "index",
        p_gene: float = 0.7,
        reach: float = 0.25,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.kind: SlotKind = choice("kind", kind, get_args(SlotKind))
        self.p_gene = probability("p_gene", p_gene)
        self.reach = probability("reach", reach)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> IntArray:
        encoding = base.encoding_of(problem, MedoidSlotEncoding)
        n = encoding.n_samples
        neighbors = None
        if self.kind == "rank" and n > 1:
            neighbors = encoding.nearest(min(max(slot_radius(self.reach, n), 1), n - 1))
        return mutate_slots(
            checked_genes(X, encoding.n_var),
            rng,
            p_gene=self.p_gene,
            reach=self.reach,
            n_samples=n,
            k_min=encoding.k_min,
            neighbors=neighbors,
        )


def mutate_slots(
    slots: IntArray,
    rng: np.random.Generator,
    *,
    p_gene: float,
    reach: float,
    n_samples: int,
    k_min: int,
    neighbors: IntArray | None = None,
) -> IntArray:
    """Move every medoid with probability ``p_gene``, then repair the rows; the rows given are not modified.

    Medoid g becomes g + U{-r..r}, clipped to 0..n_samples-1, where r = floor(reach n_samples). With
    ``neighbors``, the nearest samples of every sample, it becomes one of ``neighbors[g]`` instead, all
    equally likely.
    """
    moves = (slots >= 0) & (rng.random(slots.shape) < p_gene)
    if neighbors is None:
        r = slot_radius(reach, n_samples)
        moved = np.clip(slots + rng.integers(-r, r + 1, size=slots.shape), 0, n_samples - 1)
    else:
        moved = neighbors[slots, rng.integers(0, neighbors.shape[1], size=slots.shape)]
    return repair_slots(np.where(moves, moved, slots), n_samples, k_min, rng)


def slot_radius(reach: float, n_samples: int) -> int:
    """floor(reach n_samples); the tolerance absorbs the rounding of the product in binary."""
    return math.floor(reach * n_samples + 1e-9)


class NeighborResample(base.SeededMutation):
    """Redraw links uniformly over the k nearest admissible neighbours of the sample.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.

    Notes
    -----
    O(prob_var * pop * N) time: only genes that change are drawn.
    """

    _needs = base.NEIGHBOR_GRAPH

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _apply(self, problem: NeighborGraphProblem, X: IntArray, rng: np.random.Generator) -> IntArray:
        prob = 1.0 / problem.n_var if self.prob_var is None else float(self.prob_var.value)
        by_index = problem.gene == "index"
        mutated = np.array(X, dtype=None if by_index else problem.vtype, order="C")
        flat = mutated.reshape(-1)
        for positions in sparse_positions(flat.size, prob, rng):
            if by_index:
                flat[positions] = problem.draw_neighbors(positions % problem.n_var, rng)
            else:
                draws = rng.integers(0, 2**32, size=len(positions), dtype=np.uint32)
                loci.resample(flat, positions, draws, problem.widths, problem.n_var)
        return mutated


@documented(base.SeededMutation)
class RankPM(PM):
    """Polynomial mutation on ranks of neighbours, rounded and clipped.

    With narrow lists (w up to about 20) and ``eta=20`` most steps are rounded back to the parent's
    value: lower ``eta`` or use :class:`NeighborResample`.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.
    eta : float, default=20
        Distribution index; the paper does not print it.
    """

    def __init__(
        self, prob_var: float | None = None, eta: float = 20, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, eta=eta, prob_var=prob_var, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return base.to_genes(problem, super()._do(problem, X, *args, **kwargs))


@documented()
class IndexPM(RankPM):
    """Polynomial mutation on sample indices 0..N-1, rounded and clipped.

    Illegal genes are redrawn, and the order of the rows leaks into the result, as :class:`IndexSBX` explains.

    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return base.redraw_illegal(
            problem, super()._do(problem, X, *args, **kwargs), kwargs.get("random_state")
        )


class NeighborBiasedMutation(base.SeededMutation):
    """Redraw a link to the l-th neighbour from the L nearest, with probability 1/n + (l/n)^2.

    For :class:`~moo_clustering.problems.MOCKProblem` with any kind of encoding. A self link counts as
    l = 0, and one that is neither in the tree nor in the lists as L + 1. Bits of the kind "split" are
    flipped; the second term counts for those that are 1.

    Parameters
    ----------
    length : {"genotype", "N"}, default="genotype"
        Whether n is the number of genes or of samples.
    new_value : {"different", "any"}, optional
        ``"different"``: the sample itself or one of its neighbours, but not the current one;
        ``"any"``: one of its neighbours, possibly the current one. Default: ``"any"`` for encodings of
        kind "locus", ``"different"`` for others.

    Notes
    -----
    Probabilities are capped at 1. O(n_individuals (expected changes + interesting links)) random numbers.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, Eq. 7.
    """

    _needs = base.LINKS

    def __init__(self, length: Length = "genotype", *, new_value: NewValue | None = None) -> None:
        super().__init__()
        self.length: Length = choice("length", length, get_args(Length))
        self.new_value: NewValue | None = choice("new_value", new_value, (*get_args(NewValue), None))

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        encoding = problem.encoding
        X = np.array(X, dtype=encoding.dtype)
        if not problem.graph.n_neighbors:
            return X
        n = problem.n_var if self.length == "genotype" else problem.n_samples
        rows, genes = _mutated_genes(problem, X, n, rng)
        if encoding.kind == "split":
            X[rows, genes] ^= 1
            return X
        different = self.new_value == "different" or (self.new_value is None and encoding.kind != "locus")
        current = X[rows, genes] if different else None
        X[rows, genes] = draw_links(problem.graph.neighbors, encoding.relevant[genes], current, rng)
        return X


def _mutated_genes(
    problem: Any, X: NDArray[Any], n: int, rng: np.random.Generator
) -> tuple[IntpArray, IntpArray]:
    """Draw the rows and columns of the genes that change.

    Tree links that are far beyond the lists ("hot" where a gene holds them) have large probabilities and
    are drawn one by one. All others have ranks of at most L + 1: a sparse draw with the largest of their
    probabilities, thinned to the exact ones, looks at few genes only.
    """
    graph, samples = problem.graph, problem.encoding.relevant
    width = graph.n_neighbors + 1
    far = graph.interest.rank_of_parent[samples]
    parent = graph.tree.parent[samples]
    hot = np.flatnonzero(far > width)
    holds = X[:, hot] == (1 if problem.encoding.kind == "split" else parent[hot])
    most = min(1.0, 1.0 / n + (width / n) ** 2)
    places = [*sparse_positions(X.size, most, rng)]
    flat = np.concatenate(places) if places else np.empty(0, dtype=np.int64)
    rows, genes = np.divmod(flat, X.shape[1])
    chance = 1.0 / n + (_ranks(problem, X[rows, genes], genes, width) / n) ** 2
    in_tree = 1 if problem.encoding.kind == "split" else parent[genes]
    cold = ~((far[genes] > width) & (X[rows, genes] == in_tree))
    accepted = cold & (rng.random(len(rows)) * most < chance)
    hot_rows, hot_columns = np.nonzero(holds & (rng.random(holds.shape) < 1.0 / n + (far[hot] / n) ** 2))
    return np.concatenate([rows[accepted], hot_rows]), np.concatenate([genes[accepted], hot[hot_columns]])


def _ranks(problem: Any, values: NDArray[Any], genes: NDArray[np.intp], unlisted: int) -> NDArray[np.int64]:
    """Rank of the sample that each gene links to, among the neighbours of its own sample."""
    graph, samples = problem.graph, problem.encoding.relevant[genes]
    far = graph.interest.rank_of_parent[samples].astype(np.int64)
    if problem.encoding.kind == "split":
        return np.where(values == 1, far, 0)
    listed = graph.neighbors[samples] == values[:, None]
    found = np.where(listed.any(axis=1), listed.argmax(axis=1) + 1, unlisted)
    found = np.where(values == graph.tree.parent[samples], far, found)
    return np.where(values == samples, 0, found)


class DistantSeedMutation(base.DrawnMutation):
    """Replace a random seed by a document far from all centroids.

    The document is drawn with probability proportional to its distance to the nearest centroid, in the
    weights of that cluster. For :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    kind : {"full", "replace"}, default="full"
        ``"full"``: replace a seed, add one in a random slot, or drop one, with equal probability; where
        the number of clusters cannot grow or shrink, replace one.

    Notes
    -----
    O(n_individuals n_samples) time for evaluated individuals, plus one evaluation for others. Best used in
    :class:`~moo_clustering.operators.ExclusiveMating`, which mutates survivors.

    References
    ----------
    An evolutionary search over the clusters of SISC-ML.
    """

    def __init__(self, kind: ReplaceKind = "full", prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.kind: ReplaceKind = choice("kind", kind, get_args(ReplaceKind))

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> IntArray:
        encoding = base.seed_problem(problem).encoding
        slots: IntArray = encoding.seeds(X)
        sizes = set_sizes(slots)
        action = rng.integers(0, 3, size=len(slots)) if self.kind == "full" else np.zeros(len(slots))
        drop = (action == 2) & (sizes > encoding.k_min)
        enter = ~drop & (sizes < encoding.n_samples)
        add = (action == 1) & (sizes < encoding.k_max) & enter
        # One of the allowed columns of every row, all equally likely.
        slot = np.where((slots >= 0) != add[:, np.newaxis], rng.random(slots.shape), -1.0).argmax(axis=1)
        slots[drop, slot[drop]] = -1
        if enter.any():
            distances = problem.center_distances(X[enter])
            slots[enter, slot[enter]] = _distant(distances, encoding.seeds(X[enter]), rng)
        return slots


def _distant(
    distances: NDArray[np.floating[Any]], slots: IntArray, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw a document outside each row by its distance, or uniformly if all distances are 0."""
    weights = np.asarray(distances, dtype=np.float64).copy()
    row, place = np.nonzero(slots >= 0)
    weights[row, slots[row, place]] = 0.0
    cumulative = np.cumsum(weights, axis=1)
    # The first sum beyond the threshold belongs to a document of positive weight.
    drawn = (cumulative > rng.random(len(slots))[:, np.newaxis] * cumulative[:, -1:]).argmax(axis=1)
    return np.where(cumulative[:, -1] > 0.0, drawn, random_absent(slots, weights.shape[1], rng))


class SweepSeedMutation(base.DrawnMutation):
    """Local search: replace every seed by the document most central in its cluster.

    The clusters that the sweeps of the evaluation found are written back as seeds, from which the sweeps
    of the child continue. The most central document has the largest membership of the cluster. For
    :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Notes
    -----
    Free for evaluated individuals, one evaluation for others. Best used in
    :class:`~moo_clustering.operators.ExclusiveMating`, which mutates survivors. An individual whose seeds
    are all most central is copied.

    References
    ----------
    An evolutionary search over the clusters of SISC-ML.
    """

    def __init__(self, prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> IntArray:
        return base.seed_problem(problem).central_documents(X)


class RelocateCentre(base.DrawnMutation):
    """Move a centre to a sample, preferably one that is far from all other centres.

    With probability ``mix`` the sample is drawn uniformly, otherwise in proportion to its distance D to
    the nearest remaining centre: mix / n + (1 - mix) D_i / sum D. For
    :class:`~moo_clustering.problems.SumOfSquaresProblem`.

    Parameters
    ----------
    removal : {"uniform", "cheap"}, default="uniform"
        Which centre moves. ``"uniform"``: any. ``"cheap"``: of three random ones, that whose removal
        raises the objective least; samples are then drawn by D squared.
    mix : float, optional
        Probability of a uniform draw. Default: the ``"mix"`` of the individual, which children of
        :class:`CentreMatchingCrossover` have, or else a uniform number each time.

    Notes
    -----
    O(n_samples k n_features) time per individual; ``"uniform"`` needs it only if the sample is not drawn
    uniformly.

    References
    ----------
    D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for minimum sum-of-squares
    clustering", Pattern Recognition 88 (2019): the default.
    """

    def __init__(
        self, removal: Removal = "uniform", *, mix: float | None = None, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.removal: Removal = choice("removal", removal, get_args(Removal))
        if mix is not None and not 0.0 <= mix <= 1.0:
            raise ValueError(f"mix must be in [0, 1], got {quoted(mix)}.")
        self.mix = mix

    def _mutate(self, problem: Any, drawn: Population, *args: Any, random_state: Any, **kwargs: Any) -> None:
        for individual in drawn:
            X = np.atleast_2d(individual.get("X"))
            individual.set("X", self._apply(problem, X, random_state, individual.get("mix"))[0])

    def _apply(
        self, problem: Any, X: NDArray[Any], rng: np.random.Generator, mix: float | None = None
    ) -> FloatArray:
        mix = mix if self.mix is None else self.mix
        centers = base.center_problem(problem).encoding.centers(X)
        for one in centers:
            relocate(problem.encoding, one, rng.random() if mix is None else mix, rng, self.removal)
        return np.asarray(centers.reshape(len(centers), -1))


def relocate(
    encoding: Any, centers: FloatArray, mix: float, rng: np.random.Generator, removal: Removal = "uniform"
) -> None:
    """Move one of the centres, shape (k, n_features), in place."""
    k, n = len(centers), encoding.n_samples
    anywhere = rng.random() < mix
    place = int(rng.integers(n))
    if removal == "uniform":
        gone = int(rng.integers(k))
        if not anywhere and k > 1:
            place = drawn(np.sqrt(encoding.nearest(np.delete(centers, gone, axis=0))[1]), place, rng)
    else:
        labels, first, second = encoding.nearest(centers)
        # Without its centre, a sample goes to the second nearest one.
        gone = cheapest(labels, second - first, rng.permutation(k)[:CANDIDATES]) if k > 1 else 0
        if not anywhere and k > 1:
            place = drawn(np.where(labels == gone, second, first), place, rng)
    centers[gone] = encoding.points[place]


def cheapest(labels: Labels, losses: FloatArray, candidates: IntArray) -> int:
    """The candidate whose removal costs its samples least."""
    totals = [losses[labels == j].sum() for j in candidates]
    return int(candidates[int(np.argmin(totals))])


def drawn(weights: FloatArray, otherwise: int, rng: np.random.Generator) -> int:
    """Draw a position in proportion to its weight; return ``otherwise`` if all weights are 0."""
    cumulative = np.cumsum(weights)
    if not cumulative[-1] > 0.0:
        return otherwise
    # The first sum beyond the threshold belongs to a positive weight.
    return int(np.argmax(cumulative > rng.random() * cumulative[-1]))


class SupportMutation(base.SeededMutation):
    """Drop the smallest weight of a row or add the candidate of largest gain, then refit the weights.

    For :class:`~moo_clustering.problems.SRMOSCProblem`. The gain of a candidate is max(0, g)^2 / G_aa with
    g the negative half of the gradient: the most by which it alone can reduce the error. The last link of
    a row is never dropped, and weights are refitted even where no candidate is added.

    Parameters
    ----------
    row_rate : float, default=0.05
        Share of the rows of an individual that change, at least one.
    n_sweeps : int, default=5
        Sweeps of non-negative coordinate descent over the links of a row.

    Notes
    -----
    O(row_rate N n_features (w + n_sweeps links)) time per individual, plus a copy of its genes.

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    _needs = base.SPARSE_ROWS

    def __init__(
        self, prob: float = 0.3, *, row_rate: float = 0.05, n_sweeps: int = 5, **kwargs: Any
    ) -> None:
        if not 0 < row_rate <= 1:
            raise ValueError(f"row_rate must be above 0 and at most 1, got {row_rate}.")
        if n_sweeps < 0:
            raise ValueError(f"n_sweeps must not be negative, got {n_sweeps}.")
        super().__init__(prob, **kwargs)
        self.row_rate = row_rate
        self.n_sweeps = n_sweeps

    def do(
        self,
        problem: SRMOSCProblem,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> Population:
        """Mutate individuals, which get new arrays."""
        base.require(problem, *self._needs)
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = Population.create(*(individual.copy() for individual in pop))
        for k in np.flatnonzero(rng.random(len(pop)) <= float(self.prob.value)):
            individual = pop[k]
            # The arrays may belong to a parent, too.
            genes = problem.weights(individual.X)[0]
            tables = None
            if all(individual.has(name) for name in TABLES):
                tables = individual.get("row_errors").copy(), individual.get("row_sizes").copy()
                for name, table in zip(TABLES, tables, strict=True):
                    individual.set(name, table)
            self._mutate(problem, genes, tables, rng)
            individual.X = genes.reshape(-1)
        return pop

    def _apply(
        self, problem: SRMOSCProblem, X: NDArray[Any], rng: np.random.Generator
    ) -> NDArray[np.float32]:
        mutated = problem.weights(X)
        for genes in mutated:
            self._mutate(problem, genes, None, rng)
        return mutated.reshape(len(mutated), -1)

    def _mutate(
        self,
        problem: SRMOSCProblem,
        genes: NDArray[np.float32],
        tables: Tables | None,
        rng: np.random.Generator,
    ) -> None:
        X, candidates, admissible = problem.candidates()
        n_samples = len(X)
        which = rng.choice(n_samples, size=max(1, round(self.row_rate * n_samples)), replace=False)
        drop = rng.random(len(which)) < 0.5
        errors, sizes = tables or (np.empty(n_samples), np.empty(n_samples, dtype=np.int32))

        def change(lo: int, hi: int) -> None:
            least_squares.change_supports(
                X, problem.norms, candidates, admissible, problem.rho, which, drop, self.n_sweeps, lo, hi,
                genes, errors, sizes,
            )  # fmt: skip

        n_operations = (1.0 + self.n_sweeps) * problem.width * len(which) * X.shape[1]
        for_parts(change, len(which), n_operations, problem.n_jobs)


class ModesMutation(base.SeededMutation):
    """Set a random attribute of a random mode to a random value.

    The value is any category of the attribute, or uniform in its range. For
    :class:`~moo_clustering.problems.FuzzyModesProblem`.
    """

    _needs = base.MODES

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        mutated = np.array(X)
        positions = rng.integers(0, problem.n_var, size=len(mutated))
        mutated[np.arange(len(mutated)), positions] = problem.draw(positions, rng)
        return mutated
