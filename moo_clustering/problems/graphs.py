"""Problems on sample graphs: MOCK's trees, PESC's neighbour graphs and SRMOSC's sparse weights."""

import math
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property, partial
from typing import Any, Literal, Self, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csgraph
from scipy.spatial.distance import cdist

from moo_clustering import _arrays
from moo_clustering._data import checked_array, checked_table, checked_weights, require_same_samples
from moo_clustering._distances import MAX_MEMORY
from moo_clustering._docs import documented
from moo_clustering._kernels import least_squares, loci
from moo_clustering._kernels.loci import deviations, link_objectives, pair_weights, rand_gaps, variances
from moo_clustering._kernels.threads import for_parts, sum_blocks
from moo_clustering._messages import quoted
from moo_clustering._targets import partial_targets
from moo_clustering._types import Float32Array, FloatArray, IntArray, Labels
from moo_clustering.constraints import ConstraintGroups, PairwiseConstraints
from moo_clustering.diversity import locus_counts, shared_choices
from moo_clustering.encodings import LocusAdjacencyEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import checked_labels, checked_rows
from moo_clustering.encodings.loci import Delta, Kind, forest_links, relevant_links
from moo_clustering.graphs import LocusGraph, NeighborLists, locus_graph, neighbor_lists
from moo_clustering.graphs.matrices import joined_smallest
from moo_clustering.graphs.neighbors import Method, Metric, Ties
from moo_clustering.graphs.similarity import listed_edges
from moo_clustering.graphs.trees import Root
from moo_clustering.problems.partition import EncodedProblem, FixedProblem, unique_names
from moo_clustering.validity import MinimaxSilhouette

Objective = Literal["variance", "deviation", "connectivity", "ari", "constraint_violation"]
Weights = Literal["ranks", "published"]
Rows = Labels
MOST_LITERAL = 2000
# ``without_fragments`` selects partitions by minimax silhouettes if there are at most ``_MOST_FOR_SHAPES``
# features and the highest silhouette is at least ``_APART``. At most ``_MOST_ROWS`` samples are used.
_MOST_FOR_SHAPES, _APART, _MOST_ROWS = 3, 0.4, 600
MOST_PIECES, _MOST_GROUPED = 500, 50_000
VALID_LINKS = "pass **problem.operators() to the algorithm"


@documented(LocusAdjacencyEncoding)
class MOCKProblem(EncodedProblem):
    """Find clusters that are compact and contain the nearest neighbours of their samples.

    With "short" and "split" encodings, evaluating an individual takes O(E n_features + P) time, where E is
    the number of encoded links and P is the number of pairs of neighbouring components. With "locus"
    encodings or the objective "deviation", it takes O(N (n_features + L)) time for N samples. Sources: Handl
    and Knowles, IEEE TEVC 11(1), 2007, Eqs. 5 and 6; Handl and Knowles, GECCO, 2006, for the third objective;
    Garza-Fabre, Handl and Knowles, IEEE TEVC, 2018.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), optional
        Features; ignored if ``graph`` is specified.
    encoding : {"short", "split", "locus"} or LocusAdjacencyEncoding, default="short"
        Genes: the most interesting links of a tree ("short", "split"), or one link per sample ("locus").
    n_neighbors : int, default=10
        Number L of neighbours per sample, for connectivity and for links. The search can miss clusters with
        fewer than L/2 samples. Use 5 for thin, interlocked clusters; with 10, wrong partitions can dominate.
    objectives : sequence of str, default=("variance", "connectivity")
        Unique objective names:

        - ``"variance"``: (1/N) sum_i |x_i - m_c(i)|^2;
        - ``"deviation"``: sum_i |x_i - m_c(i)|;
        - ``"connectivity"``: sum_i sum_r 1/r, where the r-th neighbour of i is in another cluster;
        - ``"ari"``: adjusted Rand index of the labelled samples, maximised;
        - ``"constraint_violation"``: share of violated must-links plus share of violated cannot-links.
    connectivity : {"ranks", "published"}, default="ranks"
        Weight of the r-th neighbour in the connectivity. With ``"ranks"``, it is 1/r. With ``"published"``,
        it is 1/(r + 1), but 0 for r = L, as in the published program of delta-MOCK.
    y : array-like of shape (n_samples,), optional
        Partial labels for ``"ari"``; -1 for unlabelled samples.
    constraints : PairwiseConstraints, optional
        Must-links and cannot-links for ``"constraint_violation"``.
    sample_weight : array-like of shape (n_samples,), optional
        Positive number of identical rows that each sample represents. Variance, deviation and ``"ari"`` are
        equal to those of the repeated rows. In the connectivity, copies do not count as neighbours.
    metric, ties, root, rank_cap
        See :func:`~moo_clustering.graphs.locus_graph`.
    graph : LocusGraph, optional
        Neighbour graph to use. The features X and the options for building a graph are then ignored.
    random_state : int, Generator or None, default=None
        Seed for breaking ties and for selecting the root of the tree.

    Attributes
    ----------
    weights : ndarray of shape (n_neighbors,)
        Weight of the r-th neighbour in the connectivity, for each r.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]]
    >>> problem = MOCKProblem(X, encoding="split", delta=40, n_neighbors=2, root=0, ties="index")
    >>> problem.evaluate(np.array([[0, 1, 1], [1, 1, 1]])).round(4)
    array([[ 1.0556,  0.    ],
           [26.0556,  0.    ]])
    """

    def __init__(
        self,
        X: ArrayLike | None = None,
        *,
        encoding: Kind | LocusAdjacencyEncoding = "short",
        delta: Delta = "auto",
        n_neighbors: int = 10,
        objectives: Sequence[Objective] = ("variance", "connectivity"),
        connectivity: Weights = "ranks",
        y: ArrayLike | None = None,
        constraints: PairwiseConstraints | None = None,
        sample_weight: ArrayLike | None = None,
        metric: Metric = "euclidean",
        ties: Ties = "random",
        root: Root = "random",
        rank_cap: int | None = None,
        graph: LocusGraph | None = None,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if isinstance(encoding, LocusAdjacencyEncoding) and encoding.graph is not None:
            if graph is not None and graph is not encoding.graph:
                raise ValueError("encoding and problem must use the same graph, got different graphs")
            graph = encoding.graph
        if graph is None:
            if X is None:
                raise ValueError("X or graph is required")
            graph = locus_graph(
                X, n_neighbors=n_neighbors, metric=metric, ties=ties, root=root, rank_cap=rank_cap,
                rng=np.random.default_rng(random_state), n_jobs=n_jobs,
            )  # fmt: skip
        elif X is not None:
            require_same_samples("X and graph", np.shape(X)[0], graph.n_samples)
        self.graph = graph
        if not isinstance(encoding, LocusAdjacencyEncoding):
            encoding = LocusAdjacencyEncoding(graph=graph, kind=encoding, delta=delta, n_jobs=n_jobs)
        else:
            require_same_samples("encoding and data", encoding.n_samples, graph.n_samples)
        self.encoding = encoding
        self.objective_names = unique_names(objectives, get_args(Objective))
        for name, parameter, value in (("ari", "y", y), ("constraint_violation", "constraints", constraints)):
            if name in self.objective_names and value is None:
                raise ValueError(f"the objective {name!r} requires {parameter}")
        ranks = np.arange(1, graph.n_neighbors + 1)
        self.weights = 1.0 / ranks
        if _arrays.choice("connectivity", connectivity, get_args(Weights)) == "published":
            self.weights = np.where(ranks < graph.n_neighbors, 1.0 / (ranks + 1), 0.0)
        self.n_jobs = n_jobs
        self._signs = np.array([-1.0 if name == "ari" else 1.0 for name in self.objective_names])
        self._built: dict[int, NDArray[Any]] = {}
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, graph.n_samples)
        scores = LinkScores if encoding.links is None and sample_weight is None else PartScores
        self._scores = scores(encoding, graph, self.weights, y, constraints, n_jobs, sample_weight)
        super().__init__()

    def n_clusters(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the number of clusters of each individual."""
        return self.encoding.n_clusters(np.atleast_2d(np.asarray(X)))

    def greedy_front(self, n_weights: int = 20) -> NDArray[Any]:
        """Construct a front without a search, by greedily merging parts of the minimum spanning tree.

        The initial parts are the components that remain if the most interesting links are removed from the
        tree. Each step merges the two neighbouring parts for which the weighted sum of the changes in
        variance and connectivity is smallest. Each change is divided by the range of the objective. This is
        repeated for ``n_weights`` ratios of the weights. Returns the genotypes of the non-dominated
        partitions, lowest variance first. The result is deterministic and cached. With "split" encodings,
        only parts linked in the tree are merged. Takes O(n_weights P^2) to O(n_weights P^3) time and O(P^2)
        memory, where P is the number of parts. If there are more than 500 parts, the smallest parts are first
        merged with their closest neighbours.

        Examples
        --------
        >>> X = [[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]]
        >>> problem = MOCKProblem(X, delta=40, n_neighbors=2, root=0, ties="index")
        >>> problem.decode(problem.greedy_front())
        array([[0, 0, 1, 2, 2, 3],
               [0, 0, 0, 1, 1, 2],
               [0, 0, 0, 1, 1, 1]], dtype=int32)
        """
        n_weights = _arrays.integer("n_weights", n_weights)
        if n_weights not in self._built:
            self._built = {n_weights: self._construct(n_weights)}
        return self._built[n_weights].copy()

    def _construct(self, n_weights: int) -> NDArray[Any]:
        if self.n_samples == 1:
            return np.zeros((1, self.n_var), dtype=self.encoding.dtype)
        pieces, scores = self.encoding, self._scores
        if pieces.links is None or pieces.n_parts > _MOST_GROUPED:
            share = min(relevant_links("auto", self.n_samples), _MOST_GROUPED - 1) / (self.n_samples - 1)
            delta = 100.0 * (1.0 - share)
            pieces = LocusAdjacencyEncoding(graph=self.graph, kind="short", delta=delta, n_jobs=self.n_jobs)
            weights = self.weights, None, None, self.n_jobs, scores.sample_weight
            scores = PartScores(pieces, self.graph, *weights)
        links: Any = pieces.links
        groups, linked = scores.groups(links.above, self.encoding.kind == "split")
        scores = scores.of_groups(groups)
        front = np.empty((0, scores.n_parts), dtype=np.int32)
        for ratio in np.geomspace(0.01, 100.0, n_weights):
            path = merge_path(scores, ratio / (1.0 + ratio), linked)
            parts = np.concatenate([front, path])
            F = np.column_stack([scores.variance(parts), scores.connectivity(parts)])
            rows = _arrays.non_dominated(F)
            # Duplicates are adjacent, because the rows are sorted and equal partitions have equal objectives.
            front = parts[rows[np.append(True, (np.diff(F[rows], axis=0) != 0).any(axis=1))]]
        firsts = np.unique(groups, return_index=True)[1].astype(np.int32)
        chunks = np.split(front, range(0, len(front), max(1, 2**23 // self.n_samples))[1:])
        labels = (links.labels(firsts[rows][:, groups]) for rows in chunks)
        if self.encoding.links is None:
            return np.concatenate([pieces.to_full(pieces.encode(one)) for one in labels])
        return np.concatenate([self.encoding.encode(one) for one in labels])

    def without_fragments(
        self, X: ArrayLike, n_clusters: int, least_size: float
    ) -> tuple[int, Labels] | None:
        """Merge clusters smaller than ``least_size`` in each individual, and return the best partition.

        Uses only individuals that have at most 2000 clusters, of which exactly ``n_clusters`` have at least
        ``least_size`` samples. Each smaller cluster is merged with the cluster to which it has the highest
        total neighbour weight. If it has no neighbours, it is merged with the cluster whose mean is nearest.
        With up to three features, the best partition has the highest minimax silhouette (of up to 600
        samples) if this is at least 0.4. Otherwise, it has the lowest variance. Returns the index of the best
        individual and its labels after merging (numbered by first appearance), or None if no individual can
        be used. Takes O(n_individuals P (n_features + n_neighbors)) time, where P is the number of parts.
        """
        n_clusters = _arrays.integer("n_clusters", n_clusters)
        scores, parts = self._scores, self.encoding.parts(np.atleast_2d(np.asarray(X)))
        rows, columns, weights = scores.pairs
        counted, found = [], []
        for i, part in enumerate(parts):
            clusters, own = np.unique(part, return_inverse=True)
            sizes, k = np.bincount(own, scores.sizes).astype(np.float64), len(clusters)
            if (sizes >= least_size).sum() != n_clusters or k > 2000:
                continue
            sums = np.zeros((k, scores.X.shape[1]))
            np.add.at(sums, own, scores.sums)
            edges = coo_array((weights, (own[rows], own[columns])), shape=(k, k)).tocsr().tocoo()
            groups = joined_smallest(sizes, sums, edges, n_clusters)
            counted.append(i)
            found.append(clusters[np.unique(groups, return_index=True)[1]][groups[own]])
        if not counted:
            return None
        results = np.array(found, dtype=np.int32)
        best = int(scores.variance(results).argmin())
        if n_clusters > 1 and scores.X.shape[1] <= _MOST_FOR_SHAPES:
            order = np.lexsort(scores.X.T[::-1])
            shown = order[np.linspace(0, len(order) - 1, min(len(order), _MOST_ROWS)).round().astype(int)]
            drawn = np.stack([_arrays.number_clusters(row[scores.base[shown]])[0] for row in results])
            apart = MinimaxSilhouette().fit(scores.X[shown]).evaluate(drawn)
            best = int(apart.argmax()) if apart.max() >= _APART else best
        return counted[best], _arrays.number_clusters(found[best][scores.base])[0]

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = np.atleast_2d(np.asarray(X))
        out["F"] = self._scores.values(genes, self.objective_names) * self._signs


class PartScores:
    """Objectives computed from sums over parts. Samples in a part share a cluster in all genotypes."""

    def __init__(
        self,
        encoding: LocusAdjacencyEncoding,
        graph: LocusGraph,
        weights: FloatArray,
        y: ArrayLike | None,
        constraints: PairwiseConstraints | None,
        n_jobs: int | None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.encoding, self.X, self.n_jobs, self.sample_weight = encoding, graph.X, n_jobs, sample_weight
        self.total_weight: float = len(self.X) if sample_weight is None else float(sample_weight.sum())
        self.graph, self.weights = graph, weights
        self._set_parts(encoding.base, encoding.n_parts)
        self.table = None if y is None else self._class_table(y)
        self.links = None if constraints is None else self._pairs_of_constraints(constraints)

    def _set_parts(self, base: IntArray, n_parts: int) -> None:
        self.base, self.n_parts, weight = base, n_parts, self.sample_weight
        self.sizes = np.bincount(self.base, weight, minlength=self.n_parts).astype(np.float64)
        self.sums = np.zeros((self.n_parts, self.X.shape[1]))
        np.add.at(self.sums, self.base, self.X if weight is None else weight[:, None] * self.X)
        self.means = self.sums / self.sizes[:, None]
        rest = self.X - self.means[self.base]
        squares = (rest, rest) if weight is None else (weight[:, None] * rest, rest)
        self.within = float(np.einsum("ij,ij->", *squares))

    def values(self, X: NDArray[Any], names: Sequence[str]) -> FloatArray:
        """Return the objectives with their original signs, shape (n_individuals, len(names))."""
        parts = self.encoding.parts(X)
        return np.column_stack([getattr(self, name)(parts) for name in names])

    def variance(self, parts: Rows) -> FloatArray:
        sums = self.sizes, self.sums, self.means, self.within, self.total_weight
        return self._map(variances, parts, 2 * self.sums.size, *sums, scratch=self._room)

    def deviation(self, parts: Rows) -> FloatArray:
        weight = np.ones(len(self.X)) if self.sample_weight is None else self.sample_weight
        sums = self.sizes, self.sums, self.base, self.X, weight
        return self._map(deviations, parts, self.X.size, *sums, scratch=self._room)

    def connectivity(self, parts: Rows) -> FloatArray:
        return self._weight(parts, self.pairs, True)

    def ari(self, parts: Rows) -> FloatArray:
        table = np.empty((0, 0)) if self.table is None else self.table
        gaps = self._map(rand_gaps, parts, 2 * table.size, table, scratch=lambda: (np.empty_like(table),))
        return 1.0 - gaps

    def constraint_violation(self, parts: Rows) -> FloatArray:
        (must, must_total), (cannot, cannot_total), always = self.links  # type: ignore[misc]
        joined = always + self._weight(parts, cannot, False)
        return self._weight(parts, must, True) / must_total + joined / cannot_total

    def _weight(self, parts: Rows, pairs: Any, apart: bool) -> FloatArray:
        return self._map(pair_weights, parts, len(pairs[0]), *pairs, apart)

    def _map(
        self, kernel: Any, parts: Rows, cost: int, *values: Any, scratch: Callable[[], Any] = tuple
    ) -> FloatArray:
        """Run a kernel in threads, with new work arrays from ``scratch`` for each slice of the population."""
        out = np.empty(len(parts))

        def share(lo: int, hi: int) -> None:
            kernel(parts, *values, *scratch(), lo, hi, out)

        for_parts(share, len(parts), float(len(parts) * cost), self.n_jobs)
        return out

    def _room(self) -> tuple[FloatArray, FloatArray]:
        return np.empty(self.n_parts), np.empty_like(self.sums)

    @cached_property
    def pairs(self) -> Any:
        """Pairs of parts that contain neighbouring samples, and the total neighbour weight of each pair."""
        rows, ranks = np.nonzero(self.graph.neighbors >= 0)
        weights = self.weights[ranks]
        if self.sample_weight is not None:
            weights = weights * self.sample_weight[rows]
        return self._pairs(rows, self.graph.neighbors[rows, ranks], weights)

    def groups(self, above: IntArray, along_tree: bool) -> tuple[IntArray, NDArray[np.bool_]]:
        """Merge small parts until 500 groups remain; return each part's group and which groups are linked."""
        rows, columns, weights = self.pairs
        kept = above[columns] == rows if along_tree else slice(None)
        # Every part is linked to its parent in the tree, so that all parts can be merged.
        rows, columns = np.append(rows[kept], above[1:]), np.append(columns[kept], np.arange(1, len(above)))
        weights = np.append(weights[kept], np.full(len(above) - 1, np.finfo(np.float64).tiny))
        edges = coo_array((weights, (rows, columns)), shape=(len(above), len(above)))
        own = joined_smallest(self.sizes, self.sums, edges, MOST_PIECES)
        linked = np.zeros((own.max() + 1, own.max() + 1), dtype=bool)
        linked[own[rows], own[columns]] = True
        np.fill_diagonal(linked, False)
        return own, linked | linked.T

    def of_groups(self, groups: IntArray) -> Self:
        """Return a copy whose parts are the given groups of parts, without labels and constraints."""
        if groups.max() + 1 == self.n_parts:
            return self
        found = copy(self)
        vars(found).pop("pairs", None)
        found.table = found.links = None
        found._set_parts(groups[self.base], int(groups.max()) + 1)
        return found

    def _pairs_of_constraints(self, constraints: PairwiseConstraints) -> tuple[Any, Any, float]:
        require_same_samples("constraints and X", constraints.n_samples, len(self.X))
        cannot, cannot_weights = constraints.cannot_link, constraints.cannot_link_weights
        given = (constraints.must_link, constraints.must_link_weights), (cannot, cannot_weights)
        totalled = [
            (self._pairs(links[:, 0], links[:, 1], weights), float(weights.sum()) if len(weights) else 1.0)
            for links, weights in given
        ]
        joined = self.base[cannot[:, 0]] == self.base[cannot[:, 1]]
        return totalled[0], totalled[1], float(cannot_weights[joined].sum())

    def _pairs(self, a: NDArray[Any], b: NDArray[Any], weights: FloatArray) -> Any:
        """Return pairs of parts and the total weight of the sample pairs between both parts."""
        a, b = self.base[a], self.base[b]
        apart = a != b
        ends = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        summed = coo_array((weights[apart], ends), shape=(self.n_parts, self.n_parts)).tocsr().tocoo()
        return summed.row.astype(np.int32), summed.col.astype(np.int32), summed.data

    def _class_table(self, y: ArrayLike) -> FloatArray:
        targets = partial_targets(y, len(self.X))
        if targets.multilabel:
            raise ValueError("y must contain one class per sample, or -1 if unlabelled; got label sets")
        rows, table = targets.rows, np.zeros((self.n_parts, max(targets.n_classes, 1)))
        codes = targets.indicators[rows].argmax(axis=1) if targets.n_classes else rows
        weight = 1.0 if self.sample_weight is None else self.sample_weight[rows]
        np.add.at(table, (self.base[rows], codes), weight)
        return table


def merge_path(scores: PartScores, weight: float, linked: NDArray[np.bool_]) -> Rows:
    """Merge linked parts greedily, and return the partition at every step, shape (n_parts, n_parts)."""
    parts, n = np.arange(scores.n_parts), scores.total_weight
    sizes, link = scores.sizes.copy(), linked.copy()
    rows, columns, weights = scores.pairs
    apart = coo_array((weights, (rows, columns)), shape=linked.shape).toarray()
    apart += apart.T
    apart *= 2.0 * (1.0 - weight) / (apart.sum() or 1.0)
    if scores.sample_weight is None:
        whole = float(scores.X.var(axis=0).sum())
    else:
        whole = float(scores.variance(np.zeros((1, scores.n_parts), dtype=np.int32))[0])
    spread = whole - scores.within / n
    far = cdist(scores.means, scores.means, "sqeuclidean") * (weight / n / (spread if spread > 0 else 1.0))
    cost = np.where(link, np.outer(sizes, sizes) / (sizes[:, None] + sizes) * far - apart, np.inf)
    nearest = cost.argmin(axis=1)
    least = cost[parts, nearest]
    path = [parts.copy()]
    for _ in range(scores.n_parts - 1):
        a, b = sorted((i := int(least.argmin()), int(nearest[i])))
        total = sizes[a] + sizes[b]
        # These are squared distances to the joint mean, computed from those to both means.
        row = (sizes[a] * far[a] + sizes[b] * far[b]) / total - sizes[a] * sizes[b] / total**2 * far[a, b]
        far[a] = far[:, a] = row
        apart[a] += apart[b]
        apart[:, a] = apart[a]
        link[a] |= link[b]
        link[a, [a, b]], link[b] = False, False
        link[:, a], link[:, b] = link[a], False
        sizes[a] = total
        parts[parts == b] = a
        path.append(parts.copy())
        row = np.where(link[a], total * sizes / (total + sizes) * row - apart[a], np.inf)
        cost[a] = cost[:, a] = row
        cost[b] = cost[:, b] = least[b] = np.inf
        stale = np.append(np.flatnonzero(((nearest == a) | (nearest == b)) & np.isfinite(least)), a)
        nearest[stale] = cost[stale].argmin(axis=1)
        least[stale] = cost[stale, nearest[stale]]
        better = row < least
        nearest[better], least[better] = a, row[better]
    return np.array(path, dtype=np.int32)


class LinkScores(PartScores):
    """Objectives of genotypes with one link per sample, computed in one pass over samples and neighbours."""

    @cached_property
    def _neighbors(self) -> Labels:
        return np.ascontiguousarray(self.graph.neighbors.T)

    def values(self, X: NDArray[Any], names: Sequence[str]) -> FloatArray:
        links, scores = self.encoding.to_full(X), np.empty((len(X), 3))
        columns = dict(zip(("variance", "deviation", "connectivity"), scores.T, strict=True))
        wanted = tuple(name in names for name in columns)

        def share(lo: int, hi: int) -> None:
            row = np.empty(len(self.X), dtype=np.int32)
            link_objectives(
                links, self.X, self.sizes, self._neighbors, self.weights, wanted,
                row, *self._room(), lo, hi, scores,
            )  # fmt: skip

        for_parts(share, len(X), float(len(X) * (2 * self.X.size + self._neighbors.size)), self.n_jobs)
        if not columns.keys() >= {*names}:
            parts = self.encoding.parts(X)
            columns |= {name: getattr(self, name)(parts) for name in names if name not in columns}
        return np.column_stack([columns[name] for name in names])


class NeighborGraphProblem(FixedProblem):
    """Link each sample to a near neighbour (f1), but differently in each individual (f2).

    - f1, ``mean_neighbor_distance``: (1/N) sum_i D[i, x_i] for the neighbour x_i of gene i, minimised.
    - f2, ``one_minus_diversity``: 1 - DIV(X | Q), minimised, where Q are individuals to compare X with.
      :class:`~moo_clustering.operators.DynamicDiversitySurvival` compares only values with the same Q.

    Evaluating P individuals takes O(P N) time. Genes take P N bytes with ``gene="rank"`` and w <= 256.
    Source: PESC, Eqs. 1-3, Algorithm 3.

    Parameters
    ----------
    lists : NeighborLists
        The w nearest neighbours that each sample may be linked to, nearest first.
    n_neighbors : int, optional
        Number k <= w of nearest neighbours that operators draw from. Default: smallest integer above ln N.
    gene : {"rank", "index"}, default="rank"
        Whether gene i is the neighbour's rank in the list of sample i, or the neighbour's index, as in the
        paper. ``"index"`` requires lists of all neighbours and an (N, N) table.
    diversity : {"batch", "deferred"}, default="batch"
        ``"batch"``: Q is the evaluated batch. ``"deferred"``: f2 is NaN until the survival computes it.
    sample_weight : array-like of shape (n_samples,), optional
        Positive sample weights; f1 is then a weighted mean. In f2, all genes have equal weight.

    Attributes
    ----------
    widths : ndarray of shape (N,)
        Number of neighbours from which operators draw gene i: k, or fewer if sample i has fewer neighbours.
    """

    objective_names = ("mean_neighbor_distance", "one_minus_diversity")

    def __init__(
        self,
        lists: NeighborLists,
        *,
        n_neighbors: int | None = None,
        gene: Literal["rank", "index"] = "rank",
        diversity: Literal["batch", "deferred"] = "batch",
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        n_samples, self.width = lists.indices.shape
        width = self.width
        if n_neighbors is None:
            n_neighbors = min(default_n_neighbors(n_samples), width)
        _arrays.integer("n_neighbors", n_neighbors, 1, width, ", the width of the neighbour lists")
        if gene == "index" and width != n_samples - 1:
            raise ValueError(
                f"gene='index' requires neighbour lists of width n_samples - 1 = {n_samples - 1}, got {width}"
            )
        self.lists, self._distances = lists, lists.distances
        if sample_weight is not None:
            weight = checked_weights(sample_weight, n_samples)
            self._distances = (weight / weight.mean())[:, None] * lists.distances
        self.n_neighbors = n_neighbors
        self.gene = _arrays.choice("gene", gene, ("rank", "index"))
        self.diversity = _arrays.choice("diversity", diversity, ("batch", "deferred"))
        self.n_jobs = n_jobs
        self.widths = np.minimum(lists.n_admissible, n_neighbors).astype(np.uint32)
        self._rank_of = _inverse(lists) if gene == "index" else None
        dtype = np.min_scalar_type(width - 1 if gene == "rank" else n_samples - 1)
        upper = lists.n_admissible - 1 if gene == "rank" else n_samples - 1
        super().__init__(n_var=n_samples, n_obj=2, xl=0, xu=np.broadcast_to(upper, n_samples), vtype=dtype)

    @classmethod
    @documented(neighbor_lists)
    def from_data(
        cls,
        X: ArrayLike,
        *,
        list_width: int | None = None,
        metric: str = "euclidean",
        groups: ConstraintGroups | None = None,
        random_state: int = 0,
        n_neighbors: int | None = None,
        gene: Literal["rank", "index"] = "rank",
        **kwargs: Any,
    ) -> Self:
        """Build the neighbour lists and the problem from features or distances.

        Parameters
        ----------
        list_width : int, optional
            List width w. Default: k, or n_samples - 1 with ``gene="index"``.
        random_state : int, default=0
            Seed for breaking ties between equidistant neighbours.
        n_neighbors, gene, **kwargs
            Same as the parameters of the class.
        """
        X = np.asarray(X)
        k = default_n_neighbors(len(X)) if n_neighbors is None else n_neighbors
        if list_width is None:
            list_width = len(X) - 1 if gene == "index" else k
        rng, n_jobs = np.random.default_rng(random_state), kwargs.get("n_jobs")
        lists = neighbor_lists(X, list_width, metric=metric, rng=rng, groups=groups, n_jobs=n_jobs)
        return cls(lists, n_neighbors=min(k, lists.indices.shape[1]), gene=gene, **kwargs)

    @property
    def n_samples(self) -> int:
        """Number of samples, which is also the number of genes."""
        return int(self.n_var)

    def ranks(self, X: IntArray) -> IntArray:
        """Convert genotypes to ranks, shape (n_individuals, n_samples), C-contiguous; floats are rounded.

        Raises a TypeError or ValueError if X has the wrong shape, or if a gene is not a number in range.
        """
        X = np.asarray(X)
        if X.shape[-1:] != (self.n_var,) or X.dtype.kind not in "iuf":
            raise TypeError(f"X must have {self.n_var} numeric genes per individual, got {quoted(X)}")
        if X.dtype.kind == "f":
            X = np.rint(X)
        low, high, most = X.min(initial=0), X.max(initial=0), int(np.max(self.xu))
        # Kernels do not check bounds. NaN is rejected, too, because comparisons with NaN are false.
        if not (low >= 0 and high <= most):
            raise ValueError(f"genes must be from 0 to {most}, got {low} to {high}; {VALID_LINKS}")
        if self._rank_of is not None:
            return np.ascontiguousarray(self._rank_of[np.arange(self.n_var), X.astype(np.intp)])
        return np.ascontiguousarray(X, dtype=self.vtype)

    def genes(self, ranks: IntArray) -> IntArray:
        """Convert ranks to genotypes, the inverse of :meth:`ranks`."""
        return ranks if self._rank_of is None else self.neighbors_of_ranks(ranks).astype(self.vtype)

    def neighbors_of_ranks(self, ranks: IntArray) -> Labels:
        """Convert ranks to neighbour indices, shape (n_individuals, n_samples)."""
        return self.lists.indices[np.arange(self.n_var), ranks]

    def neighbors(self, X: IntArray) -> Labels:
        """Return the index of the neighbour of each sample, shape (n_individuals, n_samples)."""
        return self.neighbors_of_ranks(self.ranks(X))

    def draw_neighbors(self, loci: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a gene for each locus, uniformly from the sample's k nearest admissible neighbours."""
        ranks = _arrays.uniform_ranks(self.widths[loci], rng)
        return ranks.astype(self.vtype) if self.gene == "rank" else self.lists.indices[loci, ranks]

    def decode(self, X: IntArray) -> Labels:
        """Decode genotypes to partitions, which are the connected components of their graphs."""
        return LocusAdjacencyEncoding(n_samples=self.n_samples).decode(self.neighbors(X))

    def encode(self, labels: IntArray) -> IntArray:
        """Encode partitions by linking each sample to a near neighbour in the same cluster.

        If listed neighbours do not connect a cluster, it is divided. A sample without listed neighbours in
        its cluster is linked to the nearest sample. Takes O(N (w + log N)) time per partition.
        """
        labels = relabel_by_first_appearance(checked_labels(labels, self.n_samples))
        ranks = [self._spanning_ranks(row, self.n_neighbors) for row in labels]
        return self.genes(np.array(ranks, dtype=self.vtype).reshape(labels.shape))

    def _spanning_ranks(self, labels: Labels, width: int) -> IntArray:
        """Link the samples of each cluster along a tree, if possible to their first ``width`` neighbours."""
        neighbors = self.lists.indices[:, :width]
        inside: Any = _inside(neighbors, labels)
        # If the own link of a neighbour must leave the cluster, a link to this neighbour would join two
        # clusters.
        while not np.array_equal(inside, fewer := inside & inside.any(axis=1)[neighbors]):
            inside = fewer
        target = forest_links(np.where(inside, neighbors, -1), labels)
        chosen = inside & (neighbors == target[:, None])
        ranks = np.where(chosen.any(axis=1), chosen.argmax(axis=1), inside.argmax(axis=1))
        if width < self.width and (self.decode(self.genes(ranks[None]))[0] != labels).any():
            return self._spanning_ranks(labels, min(2 * width, self.width))
        return ranks

    def mean_distance(self, ranks: IntArray) -> NDArray[np.float64]:
        """Compute f1 from ranks, shape (n_individuals,)."""
        add = partial(loci.sum_entries, ranks, self._distances)
        return sum_blocks(add, self.n_samples, len(ranks), np.float64, self.n_jobs) / self.n_samples

    def count(self, ranks: IntArray) -> NDArray[np.unsignedinteger[Any]]:
        """Count the choices at each locus; see :func:`moo_clustering.diversity.locus_counts`."""
        return locus_counts(ranks, self.width, n_jobs=self.n_jobs)

    def one_minus_diversity(
        self, ranks: IntArray, counts: NDArray[np.unsignedinteger[Any]], size: int
    ) -> NDArray[np.float64]:
        """Compute f2 from ranks, compared with ``size`` individuals whose choices :meth:`count` counted."""
        return shared_choices(ranks, counts, n_jobs=self.n_jobs) / (self.n_samples * size)

    def _evaluate(self, X: IntArray, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        ranks = self.ranks(X)
        if (ranks.max(axis=0, initial=0) >= self.lists.n_admissible).any():
            raise ValueError(f"X must not link samples to themselves or forbidden neighbours; {VALID_LINKS}")
        f2 = np.full(len(ranks), np.nan)
        if self.diversity == "batch":
            f2 = self.one_minus_diversity(ranks, self.count(ranks), len(ranks))  # Eq. 2
        out["F"] = np.column_stack([self.mean_distance(ranks), f2])  # Eq. 1


@documented()
def default_n_neighbors(n_samples: int) -> int:
    """Return the smallest integer greater than ln N, but at most N - 1 (PESC, Algorithm 3: k > ln N).

    Parameters
    ----------
    n_samples : int
        Number N of samples.
    """
    return min(n_samples - 1, math.floor(math.log(n_samples)) + 1)


def _inside(candidates: IntArray, labels: IntArray) -> NDArray[np.bool_]:
    return (candidates >= 0) & (labels[candidates] == labels[:, None])


def _inverse(lists: NeighborLists) -> IntArray:
    """Return a table whose entry [i, j] is the rank of j in the list of i, or the width if j is unlisted."""
    n, width = lists.indices.shape
    rank_of = np.full((n, n), width, dtype=np.min_scalar_type(width))
    rows, ranks = np.nonzero(lists.indices >= 0)
    rank_of[rows, lists.indices[rows, ranks]] = ranks
    return rank_of


class SRMOSCProblem(FixedProblem):
    """Reconstruct each sample accurately (f1) from as few of its nearest candidates as possible (f2).

    Gene i * w + a is the non-negative weight s_ia of the a-th candidate of sample i.

    - f1, ``reconstruction_error``: sum_i |x_i - sum_a s_ia x_nb(i,a)|^2 + rho sum s^2, minimised.
    - f2, ``n_links``: number of weights above 1e-6, minimised.

    A constraint requires at least one link per sample; the operators satisfy it. Raises a ValueError if there
    are too many samples for ``n_candidates="all"``, if a population exceeds ``max_memory``, if a sample has
    no candidates, or if squares overflow. Issues a UserWarning if the data are so far from the origin that
    rounding errors determine the links. Evaluation takes O(N (w + n_links n_features)) time per individual
    with n_links links per sample, but O(N) time with :class:`~moo_clustering.algorithms.RowTableEvaluator`.
    Source: Luo, Jiao and Lozano, IEEE TEVC, 2016.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, scaled for distances.
    n_candidates : int or "all", optional
        Number w of candidates per sample. Default: 2 (floor(ln N) + 1). With ``"all"`` (as in the paper) and
        few features, samples can be reconstructed from distant samples.
    rho : float or "auto", default="auto"
        Weight of the ridge penalty; ``"auto"`` uses 0.025 times the mean feature variance.
    lists : NeighborLists, optional
        Candidate lists, which replace ``n_candidates``, ``metric``, ``ties`` and ``groups``.
    groups : ConstraintGroups, optional
        Groups of linked samples. Samples in conflicting groups are not candidates for each other.
    metric : str or callable, default="euclidean"
        Distance that determines the nearest candidates: any scikit-learn metric except ``"precomputed"``.
    ties, neighbor_method
        See ``ties`` and ``method`` of :func:`~moo_clustering.graphs.neighbor_lists`.
    pop_size : int, default=100
        Population size used to check ``max_memory``.
    max_memory : int, default=4 GiB
        Maximum memory for a population and its offspring, which take 2 pop_size N (4 w + 12) bytes.
    force : bool, default=False
        Whether to allow ``n_candidates="all"`` for more than 2000 samples.
    random_state : int, Generator or None, default=None
        Seed for breaking ties at random.

    Attributes
    ----------
    width : int
        Number w of candidates per sample.

    Examples
    --------
    >>> X = [[1, 1], [2, 1], [1, 2], [2, 2]]
    >>> problem = SRMOSCProblem(X, n_candidates="all", rho=0, ties="index")
    >>> problem.lists.indices[0]
    array([1, 2, 3], dtype=int32)
    >>> errors, sizes = problem.row_tables([0, 0, 0.5] + [0, 1, 0] * 3)
    >>> errors.round(4)
    array([[0., 1., 1., 1.]])
    """

    objective_names = ("reconstruction_error", "n_links")
    # Weights can exceed the upper bounds, which exist only for operators that require bounds.
    largest_gene = np.inf

    def __init__(
        self,
        X: ArrayLike,
        *,
        n_candidates: int | Literal["all"] | None = None,
        rho: float | Literal["auto"] = "auto",
        lists: NeighborLists | None = None,
        groups: ConstraintGroups | None = None,
        metric: str = "euclidean",
        ties: Ties = "random",
        neighbor_method: Method = "auto",
        pop_size: int = 100,
        max_memory: int = MAX_MEMORY,
        force: bool = False,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.X: FloatArray = np.ascontiguousarray(checked_table(X))
        n_samples = len(self.X)
        if n_samples < 2:
            raise ValueError("SRMOSC requires at least 2 samples, got 1")
        if isinstance(metric, str) and metric == "precomputed":
            raise ValueError("metric must not be 'precomputed'; SRMOSC reconstructs samples from features")
        _arrays.require_squares(self.X)
        # The squared norms of the samples determine the size of rounding errors.
        self.norms: FloatArray = np.einsum("ij,ij->i", self.X, self.X)
        # If the variance is below 1e-12 times the largest squared norm, rounding errors of inner products
        # hide it.
        if 0.0 < float(self.X.var(axis=0).sum()) < 1e-12 * float(self.norms.max()):
            _arrays.warn_caller(
                "the samples are more than a million times farther from the origin than from each other, so "
                "rounding errors would determine the links; subtract the means or scale the data"
            )
        width = candidate_width(n_candidates, n_samples) if lists is None else lists.indices.shape[1]
        check_size(n_samples, width, pop_size, max_memory, force)
        if lists is None:
            lists = neighbor_lists(
                self.X, width, metric=metric, ties=ties, rng=np.random.default_rng(random_state),
                groups=groups, n_jobs=n_jobs, method=neighbor_method,
            )  # fmt: skip
        require_same_samples("lists and X", len(lists.indices), n_samples)
        self.lists, self.width = lists, width
        self.rho = self._ridge(rho)
        self.n_jobs = n_jobs
        xu = self._upper()
        super().__init__(n_var=len(xu), n_obj=2, n_ieq_constr=1, xl=0.0, xu=xu, vtype=np.float32)

    @property
    def n_samples(self) -> int:
        """Number of samples, each of which has a row of weights."""
        return len(self.X)

    def weights(self, X: ArrayLike) -> Float32Array:
        """Return a copy of shape (n_individuals, n_samples, width) in which negative genes are set to 0."""
        genes = checked_rows(np.atleast_2d(X), self.n_var, "X").astype(np.float32, copy=False)
        return np.ascontiguousarray(np.maximum(genes, 0.0)).reshape(-1, self.n_samples, self.width)

    def row_tables(self, X: ArrayLike) -> tuple[FloatArray, Labels]:
        """Return the error and link count of each row, both of shape (n_individuals, n_samples)."""
        weights = self.weights(X)
        errors, sizes = np.empty(weights.shape[:2]), np.empty(weights.shape[:2], dtype=np.int32)
        for individual in zip(weights, errors, sizes, strict=True):
            self.score(*individual)
        return errors, sizes

    def score(self, rows: Float32Array, errors: FloatArray, sizes: Labels) -> None:
        """Write the errors and link counts of one individual's rows into ``errors`` and ``sizes``."""

        def score(lo: int, hi: int) -> None:
            least_squares.score_rows(*self.candidates(), self.rho, rows, lo, hi, errors, sizes)

        for_parts(score, self.n_samples, float(self.width) * self.X.size, self.n_jobs)

    def fitted_rows(
        self, candidates: Labels, admissible: Labels, width: int, n_sweeps: int
    ) -> tuple[Float32Array, FloatArray, Labels]:
        """Fit weights of the first ``width`` candidates per row; return weights, errors and link counts."""
        n, rows = self.n_samples, np.empty(candidates.shape, dtype=np.float32)
        errors, sizes = np.empty(n), np.empty(n, dtype=np.int32)

        def fill(lo: int, hi: int) -> None:
            least_squares.fill_rows(
                self.X, self.norms, candidates, admissible, self.rho, width, n_sweeps, lo, hi,
                rows, errors, sizes,
            )  # fmt: skip

        for_parts(fill, n, (1.0 + n_sweeps) * width * self.X.size, self.n_jobs)
        return rows, errors, sizes

    def candidates(self) -> tuple[FloatArray, Labels, Labels]:
        """Return the features, the candidate lists, and the number of admissible candidates per sample."""
        return self.X, self.lists.indices, self.lists.n_admissible

    def graph(self, x: ArrayLike) -> sp.csr_array:
        """Return the directed similarity matrix of one genotype."""
        weights = self.weights(x)[0]
        return listed_edges(self.lists, np.where(weights > least_squares.LINK, weights, 0.0))

    def decode(self, X: ArrayLike) -> Labels:
        """Decode genotypes to partitions, which are the connected components of their graphs."""
        graphs = map(self.graph, np.atleast_2d(checked_array(X, "X", np.float32)))
        labels = [csgraph.connected_components(graph, directed=False)[1] for graph in graphs]
        return relabel_by_first_appearance(np.array(labels, dtype=np.int32).reshape(-1, self.n_samples))

    def encode(self, labels: IntArray) -> Float32Array:
        """Encode partitions as weights that reconstruct each sample from candidates in its cluster.

        Links that are needed only to connect a cluster get a small weight. If links to candidates cannot
        connect a cluster, the cluster is divided. If a sample has no candidate in its cluster, it is linked
        to the nearest sample. Takes O(N w n_features) time per partition.
        """
        made = [self._weights_inside(row) for row in checked_labels(labels, self.n_samples)]
        return np.array(made, dtype=np.float32).reshape(-1, self.n_var)

    def _weights_inside(self, labels: IntArray) -> Float32Array:
        candidates = self.lists.indices
        inside = _inside(candidates, labels)
        order = np.argsort(~inside, axis=1, kind="stable")
        own = np.ascontiguousarray(np.take_along_axis(candidates, order, axis=1))
        number, weights = np.maximum(inside.sum(axis=1, dtype=np.int32), 1), np.empty(own.shape, np.float32)
        np.put_along_axis(weights, order, self.fitted_rows(own, number, self.width, 3)[0], axis=1)
        (found,) = self.decode(weights.reshape(1, -1))
        # Links that only connect a cluster get a small weight, compared with a sum of about 1 per row.
        weights[inside & (found[candidates] != found[:, None])] = 1e-3
        return weights

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"], out["G"] = summed(*self.row_tables(checked_array(X, "X", np.float32)))

    def _ridge(self, rho: float | str) -> float:
        if isinstance(rho, str) and rho == "auto":
            return 0.025 * float(self.X.var(axis=0).mean())
        if isinstance(rho, str) or not (math.isfinite(rho) and rho >= 0):
            raise ValueError(f"rho must be 'auto' or a non-negative number, got {quoted(rho)}")
        return float(rho)

    def _upper(self) -> FloatArray:
        """Return upper bounds, which are at least 1 and allow any link to be the only link of its sample."""
        lengths = np.sqrt(self.norms)
        longest = np.where(self.lists.indices >= 0, lengths[self.lists.indices], np.inf)
        bounds = np.divide(lengths[:, None], longest, out=np.ones_like(longest), where=longest > 0)
        return np.maximum(bounds, np.where(self.lists.indices >= 0, 1.0, 0.0)).ravel()


def summed(errors: FloatArray, sizes: Labels) -> tuple[FloatArray, FloatArray]:
    """Sum row tables of shape (n_individuals, n_samples) over samples, and count samples without links."""
    F = np.column_stack([errors.sum(axis=1), sizes.sum(axis=1, dtype=np.int64)])
    return F, np.count_nonzero(sizes == 0, axis=1)[:, None].astype(np.float64)


def candidate_width(n_candidates: int | str | None, n_samples: int) -> int:
    """Return the number of candidates per sample. Raises an error unless it is positive, "all" or None."""
    if n_candidates is None:
        return default_n_candidates(n_samples)
    if n_candidates == "all":
        return n_samples - 1
    if isinstance(n_candidates, str):
        raise ValueError(f"n_candidates must be an integer, 'all' or None, got {quoted(n_candidates)}")
    return min(_arrays.integer("n_candidates", n_candidates), n_samples - 1)


def default_n_candidates(n_samples: int) -> int:
    """Return the default number of candidates, w = 2 (floor(ln N) + 1), but at most N - 1."""
    return min(n_samples - 1, 2 * (math.floor(math.log(n_samples)) + 1))


def check_size(n_samples: int, width: int, pop_size: int, max_memory: int, force: bool) -> None:
    """Raise a ValueError with advice if a population would exceed the memory limit."""
    default = default_n_candidates(n_samples)
    sparse = f"set n_candidates=None ({default} candidates per sample)"
    if width == n_samples - 1 and n_samples > MOST_LITERAL and not force:
        raise ValueError(
            f"n_candidates={width} requires a full {n_samples} x {n_samples} matrix per individual, which is "
            f"not allowed above {MOST_LITERAL} samples; {sparse}, or force=True to allow it"
        )
    needed = 2 * pop_size * n_samples * (4 * width + 12)
    if needed > max_memory:
        advice = [sparse] * (width > default) + ["decrease pop_size"] * (pop_size > 1)
        advice.append("decrease n_candidates, or increase max_memory")
        who = f"a population of {pop_size} and its offspring require" if pop_size > 1 else "a front requires"
        raise ValueError(
            f"{who} {needed / 2**30:.3g} GiB with {width} candidates for each of {n_samples} samples, which "
            f"exceeds max_memory={max_memory} bytes ({max_memory / 2**30:.3g} GiB); {', '.join(advice)}"
        )
