"""Mutations of labels, medoids, links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling

from moo_clustering._arrays import Int64Array, IntArray, Labels, sparse_positions
from moo_clustering._kernels import loci
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import checked_genes, rounded_genes
from moo_clustering.encodings.medoids import (
    MedoidSlotEncoding,
    as_sets,
    random_absent,
    repair_slots,
    set_sizes,
)
from moo_clustering.operators._shared import (
    Bounds,
    ChosenMutation,
    LabelGraph,
    LabelMutation,
    at_least_one,
    bounds_of,
    canonical_rows,
    checked_probability,
    cross_slots,
    mutate_slots,
    pool_labels,
    share,
    slot_radius,
)
from moo_clustering.operators.crossover import CROSSED
from moo_clustering.operators.sampling import draw_links, medoid_encoding_of

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem

ReplaceKind = Literal["replace", "full"]
Length = Literal["genotype", "N"]
NewValue = Literal["different", "any"]
SlotKind = Literal["index", "rank"]


def replace_one(
    sets: Int64Array,
    n_samples: int,
    rng: np.random.Generator,
    *,
    kind: ReplaceKind = "replace",
    k_min: int = 2,
) -> Int64Array:
    """Change one medoid of every row, see :class:`MedoidReplaceMutation`.

    Rows that hold all samples stay as they are, except for deletions.
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


class MedoidReplaceMutation(Mutation):
    """Exchange a random medoid for a random sample that is none.

    Parameters
    ----------
    kind : {"replace", "full"}, default="replace"
        ``"full"``: replace a medoid, add one, or drop one, with equal probability; at the largest
        and the smallest number of medoids replace instead.
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_individuals k_max log k_max).

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, kind: ReplaceKind = "replace", prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)
        if kind not in get_args(ReplaceKind):
            raise ValueError(f"kind must be one of {get_args(ReplaceKind)}, got {kind!r}.")
        self.kind: ReplaceKind = kind

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Int64Array:
        encoding = medoid_encoding_of(problem)
        rng = np.random.default_rng(random_state)
        return replace_one(as_sets(X), encoding.n_samples, rng, kind=self.kind, k_min=encoding.k_min)


def swap_two(sets: Int64Array, rng: np.random.Generator) -> Int64Array:
    """Exchange two random genes of every row of at least two."""
    sizes = np.maximum(set_sizes(sets), 1)
    row = np.arange(len(sets))
    a = rng.integers(0, sizes)
    b = (a + 1 + rng.integers(0, np.maximum(sizes - 1, 1))) % sizes
    swapped = sets.copy()
    swapped[row, a], swapped[row, b] = sets[row, b], sets[row, a]
    return swapped


class MedoidSwapMutation(Mutation):
    """Exchange the positions of two medoids.

    This changes no clustering, only the order in which a later crossover cuts the genes; use
    :class:`MedoidReplaceMutation` to search.

    Parameters
    ----------
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Int64Array:
        return swap_two(as_sets(X), np.random.default_rng(random_state))


class MutationChoice(ChosenMutation):
    """One of several mutations for each individual; pymoo's algorithms take a single one.

    Parameters
    ----------
    mutations : sequence of pymoo Mutation
        Their own probabilities, ``prob``, do not count.
    weights : array-like of shape (n_mutations,), optional
        Relative frequencies; default equal.
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def __init__(
        self,
        mutations: Sequence[Mutation],
        weights: ArrayLike | None = None,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        self.mutations = tuple(mutations)
        if not self.mutations:
            raise ValueError("mutations must hold at least one pymoo Mutation, got none.")
        for mutation in self.mutations:
            if not isinstance(mutation, Mutation):
                raise TypeError(f"mutations must be pymoo Mutations, got {type(mutation).__name__}.")
        given = np.ones(len(self.mutations)) if weights is None else np.asarray(weights, dtype=np.float64)
        if given.shape != (len(self.mutations),) or not (np.isfinite(given) & (given >= 0)).all():
            raise ValueError(
                f"weights must be {len(self.mutations)} numbers >= 0, one for each mutation; got {weights!r}."
            )
        if not given.sum() > 0:
            raise ValueError(f"weights must not all be 0, got {weights!r}.")
        self.weights = given / given.sum()

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        rng = np.random.default_rng(random_state)
        which = rng.choice(len(self.mutations), size=len(X), p=self.weights)
        mutated = X.copy()
        for number, mutation in enumerate(self.mutations):
            rows = np.flatnonzero(which == number)
            if len(rows):
                mutated[rows] = mutation._do(problem, X[rows], *args, random_state=rng, **kwargs)
        return mutated


class NeighborBiasedMutation(Mutation):
    """A link to the l-th neighbour mutates with probability 1/n + (l/n)^2, to one of the L nearest.

    For :class:`~moo_clustering.problems.MOCKProblem` with any kind of encoding. A link to itself counts as
    l = 0, one that is neither in the tree nor in the lists as L + 1. Bits of the "split" kind are flipped,
    the second term being for those that are 1.

    Parameters
    ----------
    length : {"genotype", "N"}, default="genotype"
        n: number of genes, or of samples.
    new_value : {"different", "any"}, optional
        ``"different"``: the sample itself or one of its neighbours, but not the same as before;
        ``"any"``: one of its neighbours, which may be the same. Default: the latter for encodings of
        kind "locus".

    Notes
    -----
    Probabilities are capped at 1. O(n_individuals (expected changes + interesting links)) draws.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, Eq. 7.
    """

    def __init__(self, length: Length = "genotype", *, new_value: NewValue | None = None) -> None:
        if length not in get_args(Length):
            raise ValueError(f"length must be one of {get_args(Length)}, got {length!r}.")
        if new_value not in (*get_args(NewValue), None):
            raise ValueError(f"new_value must be one of {get_args(NewValue)} or None, got {new_value!r}.")
        super().__init__()
        self.length: Length = length
        self.new_value: NewValue | None = new_value

    def _do(
        self, problem: Any, X: NDArray[Any], *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[Any]:
        rng, encoding = np.random.default_rng(random_state), problem.encoding
        X = np.array(X, dtype=encoding.dtype)
        if not problem.graph.n_neighbors:
            return X
        n = problem.n_var if self.length == "genotype" else problem.n_samples
        rows, genes = mutated_genes(problem, X, n, rng)
        if encoding.kind == "split":
            X[rows, genes] ^= 1
            return X
        different = self.new_value == "different" or (self.new_value is None and encoding.kind != "locus")
        current = X[rows, genes] if different else None
        X[rows, genes] = draw_links(problem.graph.neighbors, encoding.relevant[genes], current, rng)
        return X


def mutated_genes(
    problem: Any, X: NDArray[Any], n: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the genes that change."""
    graph, samples = problem.graph, problem.encoding.relevant
    width = graph.n_neighbors + 1
    far = graph.interest.rank_of_parent[samples]
    parent = graph.tree.parent[samples]
    hot = np.flatnonzero(far > width)
    holds = X[:, hot] == (1 if problem.encoding.kind == "split" else parent[hot])
    # Ranks within the lists are so small that few genes are looked at: a draw with the largest
    # probability that they can have, and another for those it falls on.
    most = min(1.0, 1.0 / n + (width / n) ** 2)
    places = [*sparse_positions(X.size, most, rng)]
    flat = np.concatenate(places) if places else np.empty(0, dtype=np.int64)
    rows, genes = np.divmod(flat, X.shape[1])
    chance = 1.0 / n + (_ranks(problem, X[rows, genes], genes, width) / n) ** 2
    cold = ~((far[genes] > width) & (X[rows, genes] == _held(problem, genes)))
    kept = cold & (rng.random(len(rows)) * most < chance)
    hot_rows, hot_columns = np.nonzero(holds & (rng.random(holds.shape) < 1.0 / n + (far[hot] / n) ** 2))
    return np.concatenate([rows[kept], hot_rows]), np.concatenate([genes[kept], hot[hot_columns]])


def _held(problem: Any, genes: NDArray[np.intp]) -> Any:
    """Value of genes whose links are those of the tree."""
    if problem.encoding.kind == "split":
        return 1
    return problem.graph.tree.parent[problem.encoding.relevant[genes]]


def _ranks(problem: Any, values: NDArray[Any], genes: NDArray[np.intp], unlisted: int) -> NDArray[np.int64]:
    """Rank of the sample that each gene leads to among the neighbours of its own."""
    graph, samples = problem.graph, problem.encoding.relevant[genes]
    far = graph.interest.rank_of_parent[samples].astype(np.int64)
    if problem.encoding.kind == "split":
        return np.where(values == 1, far, 0)
    listed = graph.neighbors[samples] == values[:, None]
    found = np.where(listed.any(axis=1), listed.argmax(axis=1) + 1, unlisted)
    found = np.where(values == graph.tree.parent[samples], far, found)
    return np.where(values == samples, 0, found)


class NeighborResample(Mutation):
    """Draw genes anew, uniformly over the k nearest admissible neighbours of the sample.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.
    prob : float, default=1.0
        Probability that an individual is mutated at all.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(prob_var * pop * N): only the genes that change are drawn.
    """

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _do(
        self,
        problem: NeighborGraphProblem,
        X: NDArray[np.integer[Any]],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.integer[Any]]:
        rng = np.random.default_rng(random_state)
        prob = 1.0 / problem.n_var if self.prob_var is None else float(self.prob_var.value)
        if problem.gene == "index":
            return self._resample_indices(problem, np.array(X), prob, rng)
        mutated = np.array(X, dtype=problem.vtype, order="C")
        flat = mutated.reshape(-1)
        for positions in sparse_positions(flat.size, prob, rng):
            draws = rng.integers(0, 2**32, size=len(positions), dtype=np.uint32)
            loci.resample(flat, positions, draws, problem.widths, problem.n_var)
        return mutated

    @staticmethod
    def _resample_indices(
        problem: NeighborGraphProblem,
        X: NDArray[np.integer[Any]],
        prob: float,
        rng: np.random.Generator,
    ) -> NDArray[np.integer[Any]]:
        flat = X.reshape(-1)
        for positions in sparse_positions(flat.size, prob, rng):
            loci_hit = positions % problem.n_var
            flat[positions] = problem.draw_neighbors(loci_hit, rng)
        return X


class PartitionMutation(Mutation):
    """Unite two clusters, cut one, or let samples follow their neighbours; then perhaps refine.

    Children that :class:`~moo_clustering.operators.GroupingOverlayCrossover` marked as crossed are
    mutated with probability ``crossed``, all others always. One step of :class:`GraphRefine` follows
    with probability ``polish``, mutated or not. With ``constraints``, a share ``pairs`` of the
    mutations repairs a violated pair instead, as long as there is any. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
        What clusters are cut by.
    merge, split, refine : float, default=0.35, 0.40, 0.25
        Relative frequencies of :class:`GraphMerge`, :class:`PoolSplit` and :class:`GraphRefine`.
    crossed, polish : float, default=0.3
    constraints : PairwiseConstraints, optional
    pairs : float, default=0.55
        Share of :class:`PairViolationMutation`, with constraints.

    Notes
    -----
    O(links + k^2 + n_samples) time per individual. Crossovers of other kinds mark nobody, so that
    all of their children are mutated.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self,
        graph: Any,
        pool: Any,
        *,
        merge: float = 0.35,
        split: float = 0.40,
        refine: float = 0.25,
        crossed: float = 0.3,
        polish: float = 0.3,
        constraints: PairwiseConstraints | None = None,
        pairs: float = 0.55,
    ) -> None:
        super().__init__()
        graph = LabelGraph.of(graph)
        self.refinement = GraphRefine(graph)
        self.mutations: tuple[LabelMutation, ...] = (GraphMerge(graph), PoolSplit(pool), self.refinement)
        weights = np.array([merge, split, refine], dtype=np.float64)
        if not (np.isfinite(weights) & (weights >= 0.0)).all() or not weights.any():
            raise ValueError(
                f"merge, split and refine must be at least 0 and not all 0, got {merge}, {split}, {refine}."
            )
        self.weights = weights / weights.sum()
        self.crossed = share("crossed", crossed)
        self.polish = share("polish", polish)
        self.pairs = share("pairs", pairs)
        self.repair_pair = None if constraints is None else PairViolationMutation(graph, pool, constraints)

    def do(
        self,
        problem: Any,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Mutate whole individuals, of which those that were crossed are marked."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = Population.new("X", pop.get("X"), CROSSED, pop.get(CROSSED))
        # A child is marked for its first mutation only.
        marks = [bool(individual.data.pop(CROSSED, False)) for individual in pop]
        pop.set("X", self.mutated(problem, pop.get("X"), marks, rng))
        return pop

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        return self.mutated(problem, X, np.zeros(len(X)), np.random.default_rng(random_state))

    def mutated(self, problem: Any, X: NDArray[Any], crossed: ArrayLike, rng: np.random.Generator) -> Labels:
        """Changed copies of the rows, of which some are children of a crossover."""
        bounds = bounds_of(problem)
        out = canonical_rows(X, problem.n_var)
        for row, mark in zip(out, np.asarray(crossed, dtype=bool), strict=True):
            row[:] = self.varied(row.copy(), bounds, rng, crossed=bool(mark))
        return out

    def varied(
        self, labels: Labels, bounds: Bounds, rng: np.random.Generator, *, crossed: bool = False
    ) -> Labels:
        """One canonical partition, changed."""
        if not crossed or rng.random() < self.crossed:
            labels = self._mutation(labels, rng).varied(labels, bounds, rng)
        return self.refinement.refined(labels, 1, bounds.k_min) if rng.random() < self.polish else labels

    def _mutation(self, labels: Labels, rng: np.random.Generator) -> LabelMutation:
        pairs = self.repair_pair
        if pairs is not None and rng.random() < self.pairs and len(pairs.violated(labels)):
            return pairs
        return self.mutations[rng.choice(len(self.mutations), p=self.weights)]


class GraphMerge(LabelMutation):
    """Unite two clusters, the likelier the more they are linked.

    The pair (a, b) is drawn with probability proportional to W_ab / min(vol_a, vol_b), W_ab being the
    similarities between the two and vol_a all that the samples of a have. Without any link between
    clusters every pair is equally likely; partitions of ``k_min`` clusters stay as they are. For
    problems over a :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(links + k^2) time per individual.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, graph: Any, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)
        self.graph = LabelGraph.of(graph)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return merge_linked(labels, self.graph, bounds.k_min, rng)


def merge_linked(labels: Labels, graph: LabelGraph, k_min: int, rng: np.random.Generator) -> Labels:
    """One cluster less, unless there are ``k_min``; see :class:`GraphMerge`."""
    k = int(labels.max()) + 1
    if k <= max(k_min, 1):
        return labels
    a, b = np.triu_indices(k, 1)
    volumes = np.bincount(labels, weights=graph.volumes)
    # Isolated clusters have volume and links 0.
    least = np.maximum(np.minimum(volumes[a], volumes[b]), np.finfo(np.float64).tiny)
    pull = graph.links(labels)[a, b] / least
    cumulative = np.cumsum(pull if pull.any() else np.ones(len(a)))
    pair = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return relabel_by_first_appearance(np.where(labels == b[pair], a[pair].astype(np.int32), labels))


class GraphRefine(LabelMutation):
    """Some steps in which all samples go to the cluster of their neighbours at once.

    Sample i goes to argmax_c sum_j S_ij [l_j = c] + inertia vol_i [l_i = c]; on ties it stays, or
    follows the tied neighbour of the lowest number. Clusters may vanish, never appear; a step that
    left fewer than ``k_min`` is not taken. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    max_steps : int, default=3
        The number of steps is uniform on 1..max_steps.
    inertia : float, default=0.05
        Share of all a sample's links with which it holds on to its cluster.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(links) time per step and individual.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self, graph: Any, *, max_steps: int = 3, inertia: float = 0.05, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        self.graph = LabelGraph.of(graph)
        self.max_steps = at_least_one("max_steps", max_steps)
        if not 0.0 <= inertia < np.inf:
            raise ValueError(f"inertia must be at least 0, got {inertia!r}.")
        self.inertia = float(inertia)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return self.refined(labels, int(rng.integers(1, self.max_steps + 1)), bounds.k_min)

    def refined(self, labels: Labels, n_steps: int, k_min: int) -> Labels:
        """A canonical partition after so many steps; nothing is random."""
        for _ in range(n_steps):
            moved = relabel_by_first_appearance(self.graph.voted(labels, self.inertia))
            if moved.max() + 1 < k_min:
                break
            labels = moved
        return labels


class PairViolationMutation(LabelMutation):
    """Satisfy one random violated pair, with pieces cut out by random partitions of a pool.

    A must-link whose ends (i, j) are apart: their clusters are united, or a piece of the cluster of i
    goes to that of j, with equal probability. A cannot-link within a cluster: a piece with i and
    without j becomes a cluster, or joins the other cluster it is linked to most, with equal
    probability. Which end is i is random. A piece is what a partition of the pool puts together with i;
    where none cuts the cluster, clusters of must-links are united and cannot-links stay as they are.
    A repair that would lead out of ``k_min..k_max``, or to a cluster that the piece has no link to,
    gives way to the other; partitions that violate nothing stay as they are. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    constraints : PairwiseConstraints
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_pairs + n_partitions * size of the cluster + links) time per individual. A search that
    optimises pairs without a price on the boundaries between clusters memorises them: it cuts tiny
    pieces around the samples of pairs.

    References
    ----------
    ParetoClustering: evolution with pairs.
    """

    def __init__(
        self, graph: Any, pool: Any, constraints: PairwiseConstraints, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        if not isinstance(constraints, PairwiseConstraints):
            raise TypeError(f"constraints must be PairwiseConstraints, got {type(constraints).__name__}.")
        self.graph = LabelGraph.of(graph)
        self.pool = pool_labels(pool)
        self.pairs = np.concatenate([constraints.must_link, constraints.cannot_link])
        self.together = np.arange(len(self.pairs)) < len(constraints.must_link)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        violated = self.violated(labels)
        return self.satisfied(labels, int(rng.choice(violated)), bounds, rng) if len(violated) else labels

    def violated(self, labels: Labels) -> NDArray[np.intp]:
        """Positions of the violated pairs: must-links first, then cannot-links."""
        same = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        return np.flatnonzero(same != self.together)

    def satisfied(self, labels: Labels, pair: int, bounds: Bounds, rng: np.random.Generator) -> Labels:
        """A canonical partition with a violated pair repaired."""
        i, j = rng.permutation(self.pairs[pair])
        first = rng.random() < 0.5
        k = int(labels.max()) + 1
        if self.together[pair]:
            piece = self._piece(labels, i, None, rng)
            unite = k > max(bounds.k_min, 1) and (first or piece is None)
            if not unite and piece is None:
                return labels
            members = labels == labels[i] if unite else piece
            return _moved(labels, members, int(labels[j]))
        piece = self._piece(labels, i, j, rng)
        if piece is None:
            return labels
        neighbor = self._strongest(labels, piece)
        if k < bounds.k_max and (first or neighbor is None):
            return _moved(labels, piece, k)
        return labels if neighbor is None else _moved(labels, piece, neighbor)

    def _piece(
        self, labels: Labels, i: int, without: int | None, rng: np.random.Generator
    ) -> NDArray[np.intp] | None:
        """Samples of the cluster of i that a random partition puts with i: not all, and not ``without``."""
        if without is None:
            members = np.flatnonzero(labels == labels[i])
            cutting = (self.pool[:, members] != self.pool[:, [i]]).any(axis=1)
        else:
            cutting = self.pool[:, i] != self.pool[:, without]
        able = np.flatnonzero(cutting)
        if not len(able):
            return None
        cut = self.pool[rng.choice(able)]
        return np.flatnonzero((cut == cut[i]) & (labels == labels[i]))

    def _strongest(self, labels: Labels, piece: NDArray[np.intp]) -> int | None:
        """The other cluster a piece is linked to most (ties: the lowest number); None without a link."""
        k, own = int(labels.max()) + 1, int(labels[piece[0]])
        links = self.graph.links(_placed(labels, piece, k))[k, :k]
        links[own] = 0.0
        return int(links.argmax()) if links.any() else None


def _placed(labels: Labels, members: NDArray[Any] | None, target: int) -> Labels:
    out = labels.copy()
    out[members] = target
    return out


def _moved(labels: Labels, members: NDArray[Any] | None, target: int) -> Labels:
    return relabel_by_first_appearance(_placed(labels, members, target))


class PoolSplit(LabelMutation):
    """Cut a random cluster by a random partition of a pool.

    A try draws a cluster with probability proportional to its size, and a partition of the pool, whose
    clusters cut it to pieces. With two or more pieces of at least ``min_share`` of its samples, either
    one of them, or each, with equal probability, becomes a cluster of its own; the smaller ones stay
    with what is left, or with the largest. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`, whose ``k_max`` is never exceeded.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    min_share : float, default=0.08
        Of the samples of the cluster, for a piece to count.
    max_tries : int, default=12
        Afterwards the partition stays as it is.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_samples) time per try.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self, pool: Any, *, min_share: float = 0.08, max_tries: int = 12, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        self.pool = pool_labels(pool)
        self.min_share = share("min_share", min_share)
        self.max_tries = at_least_one("max_tries", max_tries)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return self.split(labels, bounds.k_max, rng)

    def split(
        self, labels: Labels, k_max: int, rng: np.random.Generator, *, one_piece: bool = False
    ) -> Labels:
        """A canonical partition with a cluster cut, by one piece only where that is wanted."""
        k = int(labels.max()) + 1
        if k >= k_max:
            return labels
        for _ in range(self.max_tries):
            members = np.flatnonzero(labels == labels[rng.integers(len(labels))])
            cut = self.pool[rng.integers(len(self.pool)), members]
            sizes = np.bincount(cut)
            # 1e-9: the share of 25 samples that 2 are is .08 but for rounding.
            pieces = np.flatnonzero((sizes > 0) & (sizes >= self.min_share * len(members) - 1e-9))
            if len(pieces) < 2:
                continue
            every = rng.random() < 0.5 and not one_piece and k + len(pieces) - 1 <= k_max
            # Of several largest pieces the first by number, which is the first to appear in the pool's.
            leaving = pieces[pieces != sizes.argmax()] if every else [rng.choice(pieces)]
            out = labels.copy()
            for number, piece in enumerate(leaving):
                out[members[cut == piece]] = k + number
            return relabel_by_first_appearance(out)
        return labels


def slot_encoding_of(problem: Any) -> MedoidSlotEncoding:
    """The encoding of a problem over medoid slots; refuses others."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, MedoidSlotEncoding):
        raise TypeError(f"{type(problem).__name__} has no MedoidSlotEncoding, which this operator needs.")
    return encoding


class SlotSampling(Sampling):
    """K uniform on k_min..k_max, then K distinct samples uniformly, in random slots.

    For problems whose ``encoding`` is a :class:`~moo_clustering.encodings.MedoidSlotEncoding`.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).
    """

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        return slot_encoding_of(problem).random(n_samples, np.random.default_rng(random_state))


class SlotOnePointCrossover(Crossover):
    """Exchange the slots from a random cut in 1..k_max-1 on, then repair as :class:`SlotRepair`.

    Parameters
    ----------
    prob : float, default=0.2
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = slot_encoding_of(problem)
        rng = np.random.default_rng(random_state)
        first, second = (checked_genes(parents, encoding.n_var) for parents in X)
        return np.stack(cross_slots(first, second, rng, k_min=encoding.k_min, n_samples=encoding.n_samples))


class SlotMutation(Mutation):
    """Move medoids to samples near them, then repair as :class:`SlotRepair`.

    Parameters
    ----------
    kind : {"index", "rank"}, default="index"
        - ``"index"``, as printed: id g becomes g + U{-r..r}, clipped. Ids of samples in no particular
          order say nothing about nearness.
        - ``"rank"``: a uniform draw among the r nearest samples of the current one, by its row of the
          distances.
    p_gene : float, default=0.7
        Probability that a medoid of a mutated individual moves.
    reach : float, default=0.25
        r = floor(reach n_samples); at least 1 and at most all others for ``"rank"``.
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

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
        super().__init__(prob=prob, **kwargs)
        if kind not in get_args(SlotKind):
            raise ValueError(f"kind must be one of {get_args(SlotKind)}, got {kind!r}.")
        self.kind: SlotKind = kind
        self.p_gene = checked_probability("p_gene", p_gene)
        self.reach = checked_probability("reach", reach)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = slot_encoding_of(problem)
        n = encoding.n_samples
        neighbors = None
        if self.kind == "rank" and n > 1:
            neighbors = encoding.nearest(min(max(slot_radius(self.reach, n), 1), n - 1))
        return mutate_slots(
            checked_genes(X, encoding.n_var),
            np.random.default_rng(random_state),
            p_gene=self.p_gene,
            reach=self.reach,
            n_samples=n,
            k_min=encoding.k_min,
            neighbors=neighbors,
        )


class SlotRepair(Repair):
    """Empty the slots that hold no sample or one held before; draw samples for empty ones up to k_min.

    Fractions are rounded. The operators for medoid slots leave nothing to repair; others do.
    :class:`EncodingRepair` does the same but takes the samples with the lowest numbers.
    """

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        if len(X) == 0:
            return X
        encoding = slot_encoding_of(problem)
        rng = np.random.default_rng(random_state)
        return repair_slots(rounded_genes(X, encoding.n_var), encoding.n_samples, encoding.k_min, rng)
