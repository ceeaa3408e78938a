"""Samplings: initial populations for every encoding and problem.

:class:`EncodingSampling` works for any encoding; :class:`RefillingSampling` wraps another sampling to
replace duplicates.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from moo_clustering._arrays import (
    BoolArray,
    IntArray,
    Labels,
    choice,
    did_you_mean,
    probability,
    quoted,
    uniform_ranks,
    warn_caller,
)
from moo_clustering._data import checked_array
from moo_clustering._docs import documented
from moo_clustering._kernels import least_squares
from moo_clustering._kernels.threads import for_parts
from moo_clustering._parallel import one_thread
from moo_clustering._targets import Targets
from moo_clustering.bags import BagObjective
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.encodings.medoids import decode_slots, random_slots, repair_slots
from moo_clustering.operators import base

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem
    from moo_clustering.problems.graphs import SRMOSCProblem

StartKind = Literal["random", "km", "bamic", "optima"]
KINDS: tuple[StartKind, ...] = get_args(StartKind)
TreeKind = Literal["delta", "2007"]
Replace = Literal["neighbor", "self"]


class EncodingSampling(base.SeededSampling):
    """Draw valid individuals by ``problem.encoding.random``, for any encoding."""

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> IntArray:
        return base.encoding_of(problem).random(n_samples, rng)


class RefillingSampling(Sampling):
    """Draw from another sampling until there are enough distinct individuals.

    pymoo removes duplicates from the initial population but does not replace them, so that in a small
    search space a run starts with a fraction of its population.

    Parameters
    ----------
    sampling : pymoo Sampling
        Must draw valid genotypes if ``duplicates`` decodes them.
    duplicates : pymoo DuplicateElimination
        Finds duplicates, for instance
        :class:`~moo_clustering.operators.CanonicalDuplicates`.
    max_tries : int, default=20
        Largest number of populations drawn. If they do not hold enough distinct individuals, those found
        are returned, with a UserWarning.
    """

    def __init__(self, sampling: Sampling, duplicates: DuplicateElimination, max_tries: int = 20) -> None:
        super().__init__()
        if not isinstance(sampling, Sampling):
            raise TypeError(f"sampling must be a pymoo Sampling, got {type(sampling).__name__}.")
        if not isinstance(duplicates, DuplicateElimination):
            raise TypeError(
                f"duplicates must be a pymoo DuplicateElimination, got {type(duplicates).__name__}."
            )
        if max_tries < 1:
            raise ValueError(f"max_tries must be at least 1, got {max_tries}.")
        self.sampling = sampling
        self.duplicates = duplicates
        self.max_tries = max_tries

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        pop = Population()
        for _ in range(self.max_tries):
            # Some samplings depend on the number asked for, so it is always a whole population.
            drawn = self.sampling(problem, n_samples, *args, random_state=random_state, **kwargs)
            pop = Population.merge(pop, self.duplicates.do(drawn, pop))
            if len(pop) >= n_samples:
                break
        else:
            warn_caller(
                f"found {len(pop)} distinct individuals of {n_samples} asked for in {self.max_tries} "
                "populations: the search space is small, or the sampling narrow."
            )
        return pop[:n_samples].get("X")


class MedoidSampling(base.SeededSampling):
    """Draw K uniformly from 2..k_max, then K distinct samples as medoids.

    For :class:`~moo_clustering.problems.MedoidProblem`, or any problem whose ``encoding`` is a
    :class:`~moo_clustering.encodings.MedoidEncoding`.
    """

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> IntArray:
        return base.encoding_of(problem, MedoidEncoding).random(n_samples, rng)


@documented(base.SHARED)
class PoolSampling(Sampling):
    """Take the members of a pool with the greatest scores, each distinct partition once.

    Nothing is random. A pool with fewer distinct members than asked for gives all of them. For problems
    with an encoding, which encodes the partitions.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    scores : array-like of shape (n_partitions,)
        Greater is better; ties go to fewer clusters, then to the earlier member.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, pool: Any, scores: ArrayLike) -> None:
        super().__init__()
        labels = base.pool_labels(pool)
        values = checked_array(scores, "scores", np.float64, finite=False)
        if values.shape != (len(labels),) or np.isnan(values).any():
            raise ValueError(
                f"scores must be {len(labels)} numbers, one for each partition of the pool; "
                f"got shape {values.shape}."
            )
        order = np.lexsort((labels.max(axis=1), -values))
        first, _ = distinct_rows(labels[order])
        self.labels = labels[order[first]]

    def _do(self, problem: Any, n_samples: int, *args: Any, **kwargs: Any) -> IntArray:
        return base.encoding_of(problem).encode(self.labels[:n_samples])


@documented(base.SHARED)
class PartitionSampling(base.SeededSampling):
    """Mix several kinds of partitions of bags, repaired to the least cluster size.

    For problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`, and ``distances`` between bags for
    partitions around medoids.

    Parameters
    ----------
    kinds : str, sequence of str, or mapping of str to float, default=("random", "km", "bamic", "optima")
        The kinds in the mix, in equal shares unless a mapping gives others:

        - ``"random"``: every gene uniform over the clusters.
        - ``"km"``: random genes, then ``km_steps`` steps of k-means.
        - ``"bamic"``: every bag with the nearest of distinct random medoids.
        - ``"optima"``: greedy descents of the objective from the other three kinds in equal shares.
    km_steps : int, default=3
        Steps of k-means for ``"km"``.

    Attributes
    ----------
    n_trials : int
        Trial evaluations made so far.

    Raises
    ------
    TypeError
        If a problem has no ``objective`` or, for ``"bamic"`` and ``"optima"``, no ``distances``.
    ValueError
        For an unknown kind, shares that are negative or all zero, or ``km_steps`` below 1.

    Notes
    -----
    The number of individuals per kind follows from the shares by largest remainders, without chance.
    Descents cost far more than the other kinds; ``n_trials`` counts their evaluations. Several descents
    may end in the same partition: see :class:`RefillingSampling`.

    References
    ----------
    Evolutionary multi-instance clustering (initialisation, KM operator, BAMIC); the
    descents are new here.
    """

    def __init__(
        self,
        kinds: StartKind | Sequence[StartKind] | Mapping[StartKind, float] = KINDS,
        *,
        km_steps: int = 3,
        objective: BagObjective | None = None,
    ) -> None:
        super().__init__()
        self.kinds = kinds
        self._shares = _shares(kinds)
        if km_steps < 1:
            raise ValueError(f"km_steps must be at least 1, got {km_steps}.")
        self.km_steps = km_steps
        self.objective = objective
        self.n_trials = 0

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> Labels:
        objective = base.objective_of(problem, self.objective, "random", "reassign", "descend", "repair")
        counts = apportioned(n_samples, np.array(list(self._shares.values())))
        drawn = [
            self._drawn(kind, problem, objective, count, rng)
            for kind, count in zip(self._shares, counts, strict=True)
        ]
        return objective.repair(np.concatenate(drawn))

    def _drawn(
        self, kind: StartKind, problem: Any, objective: BagObjective, n: int, rng: np.random.Generator
    ) -> Labels:
        if kind == "optima":
            starts = [
                self._drawn(start, problem, objective, count, rng)
                for start, count in zip(KINDS[:3], apportioned(n, np.ones(3)), strict=True)
            ]
            descended = objective.descend(objective.repair(np.concatenate(starts)), rng)
            self.n_trials += int(descended.n_trials.sum())
            return descended.labels
        if kind == "bamic":
            k, N = objective.n_clusters, objective.n_bags
            return decode_slots(random_slots(n, N, k, k, rng), _distances(problem))
        labels = objective.random(n, rng)
        if kind == "km" and n:
            for _ in range(self.km_steps):
                labels = objective.reassign(labels)
        return labels


def apportioned(n: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Split n in proportion to the shares, rounded by largest remainders."""
    exact = n * shares / shares.sum()
    # The tolerance keeps exact quotients whole that binary arithmetic rounds down.
    counts = np.floor(exact + 1e-9).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts


def _shares(kinds: Any) -> dict[StartKind, float]:
    if isinstance(kinds, str):
        kinds = [kinds]
    shares = dict(kinds) if isinstance(kinds, Mapping) else dict.fromkeys(kinds, 1.0)
    for kind, share in shares.items():
        if kind not in KINDS:
            allowed = ", ".join(map(repr, KINDS))
            raise ValueError(
                f"kinds must be of {allowed}; got {quoted(kind)}{did_you_mean(str(kind), KINDS)}."
            )
        if not 0.0 <= share < np.inf:
            raise ValueError(f"shares must be numbers of at least 0, got {quoted(share)} for {kind!r}.")
    if not sum(shares.values()) > 0.0:
        raise ValueError(f"kinds must name at least one with a share above 0, got {quoted(kinds)}.")
    return shares


def _distances(problem: Any) -> NDArray[np.floating[Any]]:
    distances = getattr(problem, "distances", None)
    if not isinstance(distances, np.ndarray):
        raise TypeError(
            f"{type(problem).__name__} has no distances between bags, which kinds 'bamic' and 'optima' need."
        )
    return distances


class NeighborSampling(base.SeededSampling):
    """Link every sample to a random one of its nearest neighbours (PESC, Algorithm 3).

    Parameters
    ----------
    init : {"knn", "spread", "random"}, default="knn"
        - ``"knn"``: uniform over the k nearest, k = ``problem.n_neighbors``.
        - ``"spread"``: individual m of 0..pop-1 draws from its own k_m = 1 + round((k-1) m / (pop-1))
          nearest, so that the first one is the nearest-neighbour graph. Individuals of ``"knn"`` differ
          in f1 by O(1/sqrt(N)) only; with some thousand samples or more, ``"spread"`` covers the front.
        - ``"random"``: uniform over all admissible samples, as a control; needs lists of full width.
    """

    _needs = base.NEIGHBOR_GRAPH

    def __init__(self, init: Literal["knn", "spread", "random"] = "knn") -> None:
        super().__init__()
        self.init = choice("init", init, ("knn", "spread", "random"))

    def _apply(self, problem: NeighborGraphProblem, n_samples: int, rng: np.random.Generator) -> IntArray:
        ranks = np.empty((n_samples, problem.n_var), dtype=np.min_scalar_type(problem.width - 1))
        for m in range(n_samples):
            ranks[m] = uniform_ranks(self._widths(problem, m, n_samples), rng)
        return problem.genes(ranks)

    def _widths(self, problem: NeighborGraphProblem, member: int, n_members: int) -> NDArray[np.uint32]:
        if self.init == "knn":
            return problem.widths
        if self.init == "random":
            if problem.width < problem.n_samples - 1:
                raise ValueError(
                    "init='random' draws from all samples and needs neighbour lists of full width, "
                    f"{problem.n_samples - 1}; got width {problem.width}."
                )
            return problem.lists.n_admissible.astype(np.uint32)
        own = 1 + round((problem.n_neighbors - 1) * member / max(n_members - 1, 1))
        return np.minimum(problem.widths, np.uint32(own))


class MSTInterestingnessSampling(base.SeededSampling):
    """Spanning trees without their most interesting links, or without those between k-means clusters.

    For :class:`~moo_clustering.problems.MOCKProblem` with any kind of encoding.

    Parameters
    ----------
    kind : {"delta", "2007"}, default="delta"
        ``"delta"``: the whole tree, then the tree without its k - 1 most interesting links, with k from
        random permutations of 2, 3, ... ``"2007"``: the tree without its first 0, 1, ... interesting
        links, for up to half of the population, then the tree without its links between the clusters of
        k-means, for k = 2, 3, ...
    replace : {"neighbor", "self"}, default="neighbor"
        New link of a sample whose tree link is removed: a random neighbour (with ``"delta"`` possibly the
        sample itself, but never the removed link), or always the sample itself. A bit of the kind "split"
        becomes 0.

    Notes
    -----
    A link is interesting if neither end is among the L nearest neighbours of the other. For ``"2007"``, k
    starts again at 2 when it reaches the number of samples. O(n_individuals n_var) time, plus a run of
    k-means of ten iterations for each individual of the second half of ``"2007"``.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, section on initialisation.
    """

    _needs = base.LINKS

    def __init__(self, kind: TreeKind = "delta", *, replace: Replace = "neighbor") -> None:
        super().__init__()
        self.kind: TreeKind = choice("kind", kind, get_args(TreeKind))
        self.replace: Replace = choice("replace", replace, get_args(Replace))

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[Any]:
        removed = (_by_priority if self.kind == "delta" else _by_clusters)(problem, n_samples, rng)
        encoding = problem.encoding
        if encoding.kind == "split":
            return (~removed).astype(encoding.dtype)
        samples = encoding.relevant
        X = np.tile(problem.graph.tree.parent[samples], (n_samples, 1))
        rows, genes = np.nonzero(removed)
        if self.replace == "self":
            X[rows, genes] = samples[genes]
        else:
            X[rows, genes] = draw_links(
                problem.graph.neighbors, samples[genes], X[rows, genes] if self.kind == "delta" else None, rng
            )
        return X.astype(encoding.dtype)


class GreedyFrontSampling(base.SeededSampling):
    """Partitions of a front that was constructed greedily, and spanning trees that lost links.

    For problems with ``greedy_front``, see :meth:`MOCKProblem.greedy_front
    <moo_clustering.problems.MOCKProblem.greedy_front>`, whose partitions are taken at equal steps along the
    front, both ends among them.

    Parameters
    ----------
    share : float, default=0.5
        Largest share of the population that is from the constructed front.
    rest : pymoo Sampling, optional
        Makes the others; default :class:`MSTInterestingnessSampling`.

    Examples
    --------
    >>> from moo_clustering.problems import MOCKProblem
    >>> problem = MOCKProblem([[0.0], [1.0], [9.0], [10.0]], delta=0, n_neighbors=2, random_state=0)
    >>> X = GreedyFrontSampling(share=1.0)._do(problem, 2, random_state=0)
    >>> problem.decode(X)
    array([[0, 1, 2, 3],
           [0, 0, 0, 0]], dtype=int32)
    """

    def __init__(self, share: float = 0.5, *, rest: Sampling | None = None) -> None:
        super().__init__()
        self.share = probability("share", share)
        self.rest = MSTInterestingnessSampling() if rest is None else rest

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[Any]:
        front = base.require(problem, "MOCKProblem", "greedy_front").greedy_front()
        n_built = min(len(front), round(self.share * n_samples))
        built = front[np.linspace(0, len(front) - 1, n_built).round().astype(np.intp)]
        if n_built == n_samples:
            return built
        return np.concatenate([built, self.rest._do(problem, n_samples - n_built, random_state=rng)])


def _by_priority(problem: Any, n_samples: int, rng: np.random.Generator) -> BoolArray:
    """Mask of the genes that lose their tree links for "delta", shape (n_samples, n_var)."""
    order = _by_interest(problem)
    removed = np.zeros((n_samples, problem.n_var), dtype=bool)
    most = min(n_samples, len(order) + 1)
    row = 1
    while row < n_samples and most >= 2:
        for k in rng.permutation(np.arange(2, most + 1))[: n_samples - row]:
            removed[row, order[: k - 1]] = True
            row += 1
    return removed


def _by_clusters(problem: Any, n_samples: int, rng: np.random.Generator) -> BoolArray:
    """Mask of the genes that lose their tree links for "2007", shape (n_samples, n_var)."""
    graph, samples = problem.graph, problem.encoding.relevant
    removed = np.zeros((n_samples, problem.n_var), dtype=bool)
    order = _by_interest(problem)
    interesting = order[graph.interest.interesting(graph.n_neighbors)[samples[order]]]
    n_trees = min(len(interesting), max(n_samples // 2 - 1, 0))
    for n in range(min(n_trees + 1, n_samples)):
        removed[n, interesting[:n]] = True
    parent = graph.tree.parent[samples]
    # With several threads the sums of k-means differ in their last digits from run to run.
    with one_thread():
        for row in range(n_trees + 1, n_samples):
            # At the number of samples, k starts again.
            k = 2 + (row - n_trees - 1) % max(min(n_samples - n_trees, graph.n_samples) - 1, 1)
            labels = few_means(graph.X, min(k, graph.n_samples), rng)
            removed[row] = labels[samples] != labels[parent]
    return removed


def _by_interest(problem: Any) -> NDArray[np.intp]:
    """Genes of the samples with a parent in the tree, most interesting links first."""
    gene_of = np.full(problem.n_samples, -1, dtype=np.intp)
    gene_of[problem.encoding.relevant] = np.arange(problem.n_var)
    genes = gene_of[problem.graph.interest.order]
    return genes[genes >= 0]


def few_means(X: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.int32]:
    model = KMeans(k, init="random", n_init=1, max_iter=10, random_state=int(rng.integers(2**31)))
    with warnings.catch_warnings():
        # An initial partition need not have converged, nor use all k clusters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: NDArray[np.int32] = model.fit(X).labels_
    return labels


def draw_links(
    neighbors: NDArray[np.int32], samples: IntArray, current: IntArray | None, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw a neighbour of each sample; with ``current``, draw from neighbours and itself, except that."""
    width = np.count_nonzero(neighbors[samples] >= 0, axis=1)
    if current is None:
        return neighbors[samples, rng.integers(0, width)]
    choices = np.column_stack([samples, neighbors[samples]])
    same = choices == np.asarray(current)[:, None]
    # The current link is skipped: there is one place fewer to draw, and places from it on shift by one.
    place = np.where(same.any(axis=1), same.argmax(axis=1), width + 1)
    drawn_place = rng.integers(0, width + 1 - same.any(axis=1))
    drawn = choices[np.arange(len(samples)), drawn_place + (drawn_place >= place)]
    return drawn


class SeedSampling(base.SeededSampling):
    """Draw k uniformly from k_min..n_seeds, then k distinct documents as seeds in random slots.

    For :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    by_class : bool, default=False
        Cycle through the classes in random order and draw a labelled document of each: any labelled one
        if the class has none left, and any document if no labelled one is left. Needs labels.

    References
    ----------
    SISC-ML, "seeds" and "labels" starts.
    """

    def __init__(self, by_class: bool = False) -> None:
        super().__init__()
        if not isinstance(by_class, bool | np.bool_):
            raise TypeError(f"by_class must be True or False, got {quoted(by_class)}.")
        self.by_class = bool(by_class)

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> IntArray:
        encoding = base.seed_problem(problem).encoding
        slots: IntArray = encoding.random(n_samples, rng)
        if self.by_class:
            if not problem.targets.labelled.any() or not problem.targets.n_classes:
                raise ValueError("by_class=True needs labels, and no document has any.")
            for row in slots:
                row[:] = _labelled_seeds(row, problem.targets, encoding.n_samples, rng)
        return slots


def _labelled_seeds(row: IntArray, targets: Targets, n_samples: int, rng: np.random.Generator) -> IntArray:
    """Draw other documents for the slots of a row; O(k n_labelled)."""
    documents = rng.permutation(targets.rows)
    member = targets.indicators[documents] > 0
    order = rng.permutation(targets.n_classes)
    free = np.ones(len(documents), dtype=bool)
    occupied = np.flatnonzero(row >= 0)
    row = np.full_like(row, -1)
    for number, slot in enumerate(occupied[: len(documents)]):
        of_class = free & member[:, order[number % len(order)]]
        first = np.argmax(of_class if of_class.any() else free)
        free[first] = False
        row[slot] = documents[first]
    return repair_slots(row[np.newaxis], n_samples, len(occupied), rng)[0]


class SparseRowSampling(Sampling):
    """Spread weights over more and more of the nearest candidates, from one to all.

    Individual m of ``n`` starts with equal weights on the 1 + round((w - 1) m / (n - 1)) nearest, which
    are then fitted by sweeps of non-negative coordinate descent. Nothing is random.

    Parameters
    ----------
    n_sweeps : int, default=3
        Sweeps of coordinate descent.

    Notes
    -----
    Individuals carry ``row_errors`` and ``row_sizes``, see
    :class:`~moo_clustering.algorithms.RowTableEvaluator`. O(n N w n_features n_sweeps) time.

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    def __init__(self, n_sweeps: int = 3) -> None:
        if n_sweeps < 0:
            raise ValueError(f"n_sweeps must not be negative, got {n_sweeps}.")
        super().__init__()
        self.n_sweeps = n_sweeps

    def do(self, problem: SRMOSCProblem, n_samples: int, *args: Any, **kwargs: Any) -> Population:
        """Make the population, each individual with an array of its own."""
        return Population.create(*(self._individual(problem, m, n_samples) for m in range(n_samples)))

    def _do(self, problem: SRMOSCProblem, n_samples: int, *args: Any, **kwargs: Any) -> NDArray[np.float32]:
        return np.stack([self._individual(problem, m, n_samples).X for m in range(n_samples)])

    def _individual(self, problem: SRMOSCProblem, member: int, n_members: int) -> Individual:
        X, candidates, admissible = base.require(problem, *base.SPARSE_ROWS).candidates()
        width = 1 + round((problem.width - 1) * member / max(n_members - 1, 1))
        rows = np.empty(candidates.shape, dtype=np.float32)
        errors, sizes = np.empty(len(X)), np.empty(len(X), dtype=np.int32)

        def fill(lo: int, hi: int) -> None:
            least_squares.fill_rows(
                X, problem.norms, candidates, admissible, problem.rho, width, self.n_sweeps, lo, hi,
                rows, errors, sizes,
            )  # fmt: skip

        for_parts(fill, len(X), (1.0 + self.n_sweeps) * width * X.size, problem.n_jobs)
        individual = Individual(X=rows.reshape(-1))
        individual.set("row_errors", errors)
        individual.set("row_sizes", sizes)
        return individual


class ModesSampling(base.SeededSampling):
    """Draw K different samples as modes, whose values may be equal.

    For :class:`~moo_clustering.problems.FuzzyModesProblem`.
    """

    _needs = base.MODES

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> NDArray[Any]:
        data, k = problem.space.data, problem.n_clusters
        rows = [rng.choice(len(data), size=k, replace=False) for _ in range(n_samples)]
        X: NDArray[Any] = data[np.array(rows, dtype=np.intp).reshape(n_samples, k)]
        return X.reshape(n_samples, problem.n_var)
