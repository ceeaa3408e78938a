"""Regions: a front of partitions of a map into connected regions with even loads."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, replace
from numbers import Integral
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from pymoo.core.result import Result
from pymoo.core.sampling import Sampling
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils._param_validation import Interval

from moo_clustering import _arrays
from moo_clustering._data import checked_graph, checked_integers, geometry_of, is_frame, numeric_features
from moo_clustering._kernels.regions import split_above
from moo_clustering._messages import quoted
from moo_clustering._targets import classes_as_given, is_class, marked
from moo_clustering._types import BoolArray, FloatArray, Labels
from moo_clustering.algorithms import DirectedWalks
from moo_clustering.algorithms.search import Plans, complete
from moo_clustering.constraints import ClusterWeights, Contiguity, Limit
from moo_clustering.encodings import RegionEncoding, relabel_by_first_appearance
from moo_clustering.encodings.regions import checked_weights
from moo_clustering.estimators import _options
from moo_clustering.estimators._base import ReportMixin, checkpoint_for, feature_scaling
from moo_clustering.estimators._fronts import FrontSearchMixin
from moo_clustering.operators import BoundaryClimb
from moo_clustering.operators.base import SeededSampling
from moo_clustering.problems import PartitionProblem
from moo_clustering.results import ClusteringResult
from moo_clustering.validity import ChangedShare, Compactness, CutEdges, LoadVariation, ValidityIndex
from moo_clustering.validity.internal import SumOfSquares

OBJECTIVES = ("sum_of_squares", "cut_edges", "load_variation", "changed", "compactness")
# Number of spanning trees per graph component, and of recombinations per region, in ``most_regions``.
_TREES, _ROUNDS = 50, 30
# A border shorter than this share of the mean perimeter counts as a point.
_POINT = 1e-9


@_options.estimator
class Regions(FrontSearchMixin, ReportMixin, ClusterMixin, BaseEstimator):
    """Division of a map into connected regions with even loads, such as sales territories or districts.

    All solutions on the front are feasible: their regions are connected in ``graph``, and each region's load
    (the sum of its area weights) is within ``tolerance`` of the mean load. The search uses
    :class:`~moo_clustering.algorithms.DirectedWalks` with :class:`~moo_clustering.operators.BoundaryClimb`.
    The method is new; its recombination of regions is from D. DeFord, M. Duchin, J. Solomon, "Recombination:
    a family of Markov chains for redistricting", Harvard Data Science Review 3 (2021). ``"auto"`` is based on
    J. C. Duque, L. Anselin, S. J. Rey, "The max-p-regions problem", Journal of Regional Science 52 (2012).

    Parameters
    ----------
    n_regions : int or "auto"
        Number of regions. ``"auto"``: the largest number found for loads of at least ``min_cluster_weight``.
    tolerance : float
        Maximum deviation of a load from the mean load, relative to the mean. Not used with ``"auto"``.
    min_cluster_weight : float, optional
        Minimum load of each region, for ``n_regions="auto"``.
    objectives : sequence of str, optional
        One or more of ``"sum_of_squares"`` (within regions), ``"cut_edges"``, ``"load_variation"``,
        ``"changed"`` (share of moved areas, requires ``start``) and ``"compactness"`` (Polsby-Popper,
        requires ``shapes``). Default: the first three, plus ``"changed"`` if ``start`` is passed.
    scale : {"standard", "minmax", "none"}
        Feature scaling.
    select : str, int or callable
        Rule that selects ``labels_`` from the front, see :meth:`choose`.
    pop_size, n_gen : int
        Number of initial partitions (equal to the number of walks per generation), and number of generations.
    n_proposals : int, optional
        Number of moves proposed per walk. Default: 20 per area, but at least 10,000 and at most 64,000.

    Attributes
    ----------
    chosen_ : int
        Selected row of the front.
    loads_ : ndarray of shape (n_clusters_,)
        Load of each region.
    bounds_ : tuple of float
        Minimum and maximum permitted load.
    changed_ : ndarray of shape (n_samples,), bool
        Whether each area has left its region in ``start``; False for areas that have no region in ``start``.

    Notes
    -----
    With ``start``, each region keeps the number and, if there is one, the name of the region in ``start``
    that it matches (see ``cluster_names_``). Regions in ``start`` are numbered 0, 1, ... in sorted order.
    There is no ``predict``, because new areas would change the graph. A fit takes O(n_gen pop_size
    (n_proposals + n_areas + n_edges)) time and O(pop_size n_areas + n_edges) memory.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.grid_2d_graph(6, 6)
    >>> X = [[i, j] for i, j in graph]
    >>> model = Regions(4, n_gen=5, random_state=0).fit(X, graph=graph)
    >>> model.loads_.tolist()
    [9.0, 9.0, 9.0, 9.0]
    """

    n_regions: Annotated[Any, Interval(Integral, 1, None, closed="left"), str]
    _: KW_ONLY
    tolerance: _options.NonNegative = 0.15
    min_cluster_weight: _options.Positive | None = None
    objectives: Annotated[Any, "array-like", None] = None
    scale: Literal["standard", "minmax", "none"] = "standard"
    select: Annotated[Any, str, Integral, callable] = "knee"
    pop_size: _options.PopulationSize = 20
    n_gen: _options.NonNegativeCount = 100
    n_proposals: _options.Count | None = None
    start: ClassVar[None] = None  # type: ignore[misc]  # is passed to ``fit``, like the graph

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        graph: Any = None,
        weight: Any = None,
        start: ArrayLike | None = None,
        shapes: Any = None,
        repair_start: bool = True,
    ) -> Self:
        """Divide the areas into regions.

        Raises a ValueError if the graph is missing, not symmetric or of the wrong size, if a weight is
        negative or exceeds the maximum load, or if no division within the bounds is found. Issues a
        UserWarning if areas are moved because ``start`` is infeasible.

        Parameters
        ----------
        X : array-like of shape (n_areas, n_features), or GeoDataFrame
            Features, excluding the geometry and the column named by ``weight``.
        graph : sparse matrix, array-like, networkx graph or libpysal weights
            Symmetric neighbour graph. Nodes must have the names in the index of X, have the names 0 to
            n_areas - 1, or be in the order of X. Default: polygons with a common border are neighbours.
        weight : array-like of shape (n_areas,) or str, optional
            Area weights, or the name of the column of X that contains them. Default: 1.
        start : array-like of shape (n_areas,), optional
            Earlier regions to start from: a number or name per area; -1 or a missing value if it has no
            region.
        shapes : tuple of (areas, perimeters, borders), optional
            Data for :class:`~moo_clustering.validity.Compactness`. Default: from a GeoDataFrame's polygons.
        repair_start : bool, default=True
            If ``start`` is infeasible, True moves areas with a UserWarning, and False raises a ValueError.
        """
        given: dict[str, Any] = {"graph": graph, "weight": weight, "start": start, "shapes": shapes}
        complete(self._plans(X, y, **given, repair_start=repair_start))
        return self

    def _plans(
        self, X: Any, y: Any = None, *, graph: Any = None, weight: Any = None, start: Any = None,
        shapes: Any = None, repair_start: bool = True,
    ) -> Plans[None]:  # fmt: skip
        table, graph, weight, shapes = _read_map(X, graph, weight, shapes)
        features = numeric_features(self, table, ensure_min_samples=2)
        n_areas = len(features)
        if graph.shape[0] != n_areas:
            raise ValueError(f"graph must have one node per area ({n_areas}), got {graph.shape[0]}")
        weights = checked_weights(weight, n_areas)
        earlier, earlier_names = (None, []) if start is None else _earlier_regions(start, n_areas)
        names = self._objective_names(earlier is not None, shapes is not None)
        data = [features, graph.indptr, graph.indices, weights, earlier]
        compact = Compactness()
        if "compactness" in names:
            rims = compact.fit(shapes).borders
            data += [compact.shapes, rims.indptr, rims.indices, rims.data]
        checkpoint = checkpoint_for(self, *data)
        growth, seed = _arrays.spawn_seeds(self.random_state, 2)
        encoding = self._encoding(graph, weights, np.random.default_rng(growth))
        self.bounds_ = encoding.low, encoding.high
        changes = self._changes = None if earlier is None else ChangedShare().fit(earlier)
        makers: dict[str, Callable[[], Any]] = {
            "sum_of_squares": lambda: SumOfSquares().fit(feature_scaling(features, self.scale)(features)),
            "cut_edges": lambda: CutEdges().fit(graph),
            "load_variation": lambda: LoadVariation().fit(weights if weights.any() else np.ones(n_areas)),
            "changed": lambda: changes,
            "compactness": lambda: compact,
        }
        indices: list[ValidityIndex] = [makers[name]() for name in names]
        problem = PartitionProblem(None, encoding, indices)
        kind = DirectedWalks if self.algorithm is None else self.algorithm
        operators = problem.operators(kind if isinstance(kind, type) else type(kind))
        operators["mutation"] = BoundaryClimb(self.n_proposals)
        if earlier is not None:
            plan = _mended(encoding, earlier, repair_start)
            operators["sampling"] = StartSampling(plan, operators["sampling"])
        search = self._pymoo_search_for(problem, operators, _arrays.integer_seed(seed), DirectedWalks)
        signs = problem.natural(np.ones(problem.n_obj))
        yield from self._drive(search, problem, self.n_gen, checkpoint, signs)
        self.result_: Result = search.result()
        loads = [ClusterWeights(weights, *self.bounds_)] if weights.any() else []
        self._limits: list[Limit] = [Contiguity(graph), *loads]
        self._set_front(problem, search.algorithm.pop, weights)
        self._earlier_names = earlier_names
        self._cluster_names = self._carried_names(self.labels_, self.labels_, {})

    def _objective_names(self, has_start: bool, has_shapes: bool) -> tuple[str, ...]:
        if self.objectives is None:
            return OBJECTIVES[: 3 + has_start]
        names = (self.objectives,) if isinstance(self.objectives, str) else tuple(self.objectives)
        if not names or any(names.count(one) > 1 or one not in OBJECTIVES for one in names):
            raise ValueError(
                f"objectives must be unique names from {', '.join(OBJECTIVES)}; got {quoted(self.objectives)}"
            )
        if "changed" in names and not has_start:
            raise ValueError("the objective 'changed' requires the earlier regions; pass start to fit")
        if "compactness" in names and not has_shapes:
            raise ValueError("the objective 'compactness' requires shapes or a GeoDataFrame; pass one to fit")
        return names

    def _encoding(self, graph: csr_array, weights: FloatArray, rng: np.random.Generator) -> RegionEncoding:
        if isinstance(self.n_regions, str):
            if self.n_regions != "auto":
                raise ValueError(f"n_regions must be an integer or 'auto', got {quoted(self.n_regions)}")
            if self.min_cluster_weight is None:
                raise ValueError("n_regions='auto' requires min_cluster_weight, the minimum load of a region")
            low = float(self.min_cluster_weight)
            plan = most_regions(graph, weights, low, rng)
            return RegionEncoding(graph, int(plan.max()) + 1, weight=weights, low=low, plan=plan)
        if self.min_cluster_weight is not None:
            raise ValueError(
                "min_cluster_weight requires n_regions='auto'; use tolerance with a fixed n_regions"
            )
        if self.n_regions > len(weights):
            raise ValueError(
                f"n_regions={self.n_regions} must not exceed the number of areas, {len(weights)}"
            )
        mean = weights.sum() / self.n_regions
        low, high = max(0.0, 1.0 - self.tolerance) * mean, (1.0 + self.tolerance) * mean
        try:
            return RegionEncoding(graph, self.n_regions, weight=weights, low=low, high=high)
        except ValueError as error:
            if "high" not in str(error) and "loads" not in str(error):
                raise
            bounds = f"the bounds are the mean load, {mean:g}, -/+ tolerance={self.tolerance:g}"
            raise ValueError(f"{error} ({bounds})") from error

    def _set_front(self, problem: PartitionProblem, pop: Any, weights: FloatArray) -> None:
        F = pop.get("F")
        rows = _arrays.non_dominated(F)
        labels = relabel_by_first_appearance(problem.decode(pop[rows].get("X")))
        first = np.sort(np.unique(labels, axis=0, return_index=True)[1])
        labels = labels[first]
        if self._changes is not None:
            labels = _numbered_as(labels, self._changes)
        self._weights = weights
        self._set_objectives(problem, F[rows[first]])
        self.pareto_labels_: Labels = labels
        self.choose(self.select)

    def _take_member(self, row: int) -> None:
        self.chosen_: int = row
        self.labels_: Labels = self.pareto_labels_[row].copy()
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.loads_: FloatArray = np.asarray(np.bincount(self.labels_, self._weights), dtype=np.float64)
        self.changed_: BoolArray = np.zeros(len(self.labels_), dtype=bool)
        if self._changes is not None:
            known = self._changes.known
            self.changed_[known] = self._changes.matched(self.labels_[None])[0] != self.labels_[known]

    def _carried_names(self, before: Labels, after: Labels, names: Mapping[int, str]) -> dict[int, str]:
        """Return the names of the regions in ``after``, given the ``names`` of the regions in ``before``."""
        # Regions without a name get the name of the matching earlier region, unless it has been removed.
        if (changes := self._changes) is None:
            return super()._carried_names(before, after, names)
        first, last = (changes.matched(each[None])[0].tolist() for each in (before, after))
        own = {k: name for k, name in names.items() if k not in first}
        found = super()._carried_names(before, after, own)
        for earlier, old, new in set(zip(changes.earlier.tolist(), first, last, strict=True)):
            name = names.get(old)
            if name is None and self._earlier_names and (not names or old > before.max()):
                name = self._earlier_names[earlier]
            if name is not None and new <= after.max():
                found[new] = name
        return dict(sorted(found.items()))

    def _clustering_result(self) -> ClusteringResult:
        low, high = self.bounds_
        spread = f"{self.loads_.min():g} to {self.loads_.max():g}"
        limit = f"at least {low:g}" if np.isinf(high) else f"{low:g} to {high:g} permitted"
        facts = [("loads", f"{spread} ({limit})")]
        if self._changes is not None:
            facts.append(("changed", f"{int(self.changed_.sum())} of {len(self._changes.known)} areas"))
        return replace(super()._clustering_result(), facts=facts, limits=self._limits)


def _read_map(X: Any, graph: Any, weight: Any, shapes: Any) -> tuple[Any, csr_array, Any, Any]:
    """Return the features, the neighbour graph, the area weights and the shapes."""
    # If X is a GeoDataFrame, a missing graph and missing shapes are computed from its polygons.
    index = X.index if hasattr(X, "iloc") else ()
    if isinstance(weight, str):
        if not is_frame(X) or weight not in X.columns:
            raise ValueError(
                f"weight={quoted(weight)} is not a column of X; pass a column name, or one number per area"
            )
        weight, X = np.asarray(X[weight]), X.drop(columns=weight)
    geometry = geometry_of(X)
    if geometry is not None:
        table = X.drop(columns=geometry.name)
        X = table if table.shape[1] else np.zeros((len(table), 1))
        if graph is None or shapes is None:
            found = rook_neighbors(geometry)
            shapes = found if shapes is None else shapes
            graph = found[2] if graph is None else graph
    if graph is None:
        raise ValueError(
            "Regions requires a neighbour graph; pass graph as a sparse matrix, a networkx graph or libpysal "
            "weights, or X as a GeoDataFrame of polygons"
        )
    return X, neighbor_matrix(graph, index), weight, shapes


def neighbor_matrix(graph: Any, index: Any = ()) -> csr_array:
    """Convert a graph to a symmetric matrix of ones. If ``index`` names all nodes, rows have this order."""
    nodes, remedy = [], "graphs.symmetrize(graph)"
    if hasattr(graph, "adjacency") and hasattr(graph, "number_of_nodes"):
        import networkx as nx

        nodes, remedy = list(graph), "graph.to_undirected()"
        matrix = nx.to_scipy_sparse_array(graph, nodes, weight=None) if nodes else coo_array((0, 0))
    elif not issparse(graph) and hasattr(graph, "sparse") and not hasattr(graph, "iloc"):
        # ``graph`` is a weights or graph object of libpysal.
        nodes = list(getattr(graph, "id_order", getattr(graph, "unique_ids", ())))
        matrix = coo_array(graph.sparse)
    else:
        matrix = coo_array(checked_graph(graph, "graph", symmetric=False))
    matrix = csr_array(matrix)
    matrix.sum_duplicates()
    matrix = csr_array(matrix != 0).astype(np.float64)
    for names in (list(index), list(range(len(nodes)))) if nodes else ():
        if len(names) == len(nodes) == len(set(names)) and set(names) == set(nodes):
            place = {node: row for row, node in enumerate(nodes)}
            order = [place[name] for name in names]
            matrix = csr_array(matrix[order][:, order])
            break
    one_way = (matrix - matrix.T).tocoo()
    if one_way.nnz and (bad := np.flatnonzero(one_way.data > 0)).size:
        a, b = one_way.row[bad[0]], one_way.col[bad[0]]
        raise ValueError(
            f"graph must be symmetric, but area {b} is a neighbour of area {a} and not vice versa; use "
            f"{remedy} to add the missing neighbours"
        )
    return matrix


def rook_neighbors(geometry: Any) -> tuple[FloatArray, FloatArray, csr_array]:
    """Compute the areas, perimeters and common border lengths of polygons; a common corner is no border."""
    shapely = _arrays.optional_package(
        "shapely", "spatial", "neighbours of polygons", "Otherwise, pass graph to fit."
    )
    polygons = np.asarray(geometry, dtype=object)
    kinds = {None if one is None else one.geom_type for one in polygons}
    if not kinds <= {"Polygon", "MultiPolygon"}:
        other = next(str(kind) for kind in kinds if kind not in ("Polygon", "MultiPolygon"))
        raise ValueError(f"geometry must consist of polygons, got {other}; pass graph for other geometry")
    if not (valid := shapely.is_valid(polygons)).all():
        area = int((~valid).argmax())
        raise ValueError(
            f"the polygon of area {area} is invalid ({shapely.is_valid_reason(polygons[area])}); repair it "
            "with geometry.make_valid()"
        )
    i, j = shapely.STRtree(polygons).query(polygons, predicate="intersects")
    i, j = i[i < j], j[i < j]
    lengths = shapely.length(
        shapely.intersection(shapely.boundary(polygons[i]), shapely.boundary(polygons[j]))
    )
    perimeters = shapely.length(polygons)
    common = lengths > _POINT * perimeters.mean()
    i, j, lengths = i[common], j[common], lengths[common]
    pairs = np.concatenate([i, j]), np.concatenate([j, i])
    borders = csr_array((np.tile(lengths, 2), pairs), shape=(len(polygons),) * 2)
    return shapely.area(polygons), perimeters, borders


def most_regions(graph: csr_array, weights: FloatArray, floor: float, rng: np.random.Generator) -> Labels:
    """Search for the maximum number of connected regions with loads of at least ``floor`` (max-p)."""
    # Random spanning trees are cut into as many regions as possible. Then, pairs and triples of neighbouring
    # regions are merged and split again, which can yield more regions.
    n_components, component = connected_components(graph, directed=False)
    totals = np.bincount(component, weights)
    if (totals < floor).any():
        area = int(np.flatnonzero(component == int((totals < floor).argmax()))[0])
        raise ValueError(
            f"the graph component of area {area} weighs {totals[component[area]]:g}, less than "
            f"min_cluster_weight={floor:g}; connect it to other areas, or decrease min_cluster_weight"
        )
    edges = (graph.indptr.astype(np.int32), graph.indices.astype(np.int32), weights, floor, rng)
    labels = np.full(len(weights), -1, dtype=np.int32)
    for one in range(n_components):
        nodes, most = np.flatnonzero(component == one), 0
        first, trial = int(labels.max()) + 1, labels.copy()
        for _ in range(_TREES):
            found = split_above(trial, nodes, first, *edges)
            if found > most:
                most, labels[nodes] = found, trial[nodes]
    ends = graph.tocoo()
    for _ in range(_ROUNDS * (int(labels.max()) + 1)):
        cut = np.flatnonzero(labels[ends.row] != labels[ends.col])
        if not len(cut):
            break
        edge = cut[int(rng.integers(len(cut)))]
        joined = {int(labels[ends.row[edge]]), int(labels[ends.col[edge]])}
        beside = np.isin(labels[ends.row], list(joined)) & ~np.isin(labels[ends.col], list(joined))
        if beside.any() and rng.random() < 0.5:
            joined.add(int(labels[ends.col[rng.choice(np.flatnonzero(beside))]]))
        nodes, trial = np.flatnonzero(np.isin(labels, list(joined))), labels.copy()
        found = split_above(trial, nodes, 0, *edges)
        if found >= len(joined):
            numbers = [*joined, *range(int(labels.max()) + 1, int(labels.max()) + 1 + found - len(joined))]
            labels[nodes] = np.array(numbers, dtype=np.int32)[trial[nodes]]
    return _arrays.number_clusters(labels)[0]


def _earlier_regions(start: ArrayLike, n_areas: int) -> tuple[Labels, list[str]]:
    """Return the number of each area's earlier region, or -1 without one, and the sorted region names."""
    values = classes_as_given(start, "start", ndim=(1,))
    if len(values) != n_areas:
        raise ValueError(f"start must have one region per area ({n_areas}), got {len(values)}")
    values = marked(values, "start", "earlier regions")
    if any(isinstance(one, str) for one in values.tolist()):
        known = np.array([is_class(one) for one in values.tolist()], dtype=bool)
        other = next((one for one in values[known].tolist() if not isinstance(one, str)), None)
        if other is not None or "-1" in values[known]:
            raise ValueError(
                "start must contain either integers or region names, and the integer -1 for areas without a "
                f"region; got {quoted('-1' if other is None else other)}"
            )
        values = np.where(known, values, "").astype(str)
    else:
        values = checked_integers(values, "start", "; region names are also allowed")
        known = values >= 0
    if not known.any():
        raise ValueError("start must assign a region to at least one area")
    labels = np.full(n_areas, -1, dtype=np.int32)
    found, labels[known] = np.unique(values[known], return_inverse=True)
    return labels, [str(one) for one in found if isinstance(one, str)]


def _mended(encoding: RegionEncoding, earlier: Labels, repair: bool) -> Labels:
    """Move areas until the earlier regions are feasible, and warn if areas have moved."""
    # Without ``repair``, a ValueError is raised instead of the warning.
    number, change = int(earlier.max()) + 1, ChangedShare().fit(earlier)
    plan = encoding.mend(earlier)
    moved = change.matched(plan[None])[0] != plan[change.known]
    if moved.any():
        ending = "s" if number > 1 else ""
        problem = (
            f"start, with {number} region{ending}, must have {encoding.n_regions} connected regions with "
            f"loads from {encoding.low:g} to {encoding.high:g}"
        )
        if not repair:
            raise ValueError(f"{problem}; change start, or use repair_start=True to move areas")
        _arrays.warn_caller(
            f"{problem}; {int(moved.sum())} of {len(moved)} areas were moved to make it feasible"
        )
    return plan


def _numbered_as(labels: Labels, changes: ChangedShare) -> Labels:
    """Number the regions of each partition like the earlier regions that they match."""
    out = np.empty_like(labels)
    for row, (plan, matched) in enumerate(zip(labels, changes.matched(labels), strict=True)):
        number = np.full(int(plan.max()) + 1, -1, dtype=np.int32)
        for new, old in zip(matched.tolist(), changes.earlier.tolist(), strict=True):
            if new < len(number) and old < len(number):
                number[new] = old
        number[number < 0] = np.setdiff1d(np.arange(len(number)), number)
        out[row] = number[plan]
    return out


class StartSampling(SeededSampling):
    """Initial population: an earlier plan, recombinations of this plan, and plans from another operator."""

    def __init__(self, plan: Labels, others: Sampling) -> None:
        super().__init__()
        self.plan, self.others = plan, others

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> Any:
        n_near = (n_samples + 1) // 2
        near = np.repeat(self.plan[None], n_near, axis=0)
        for plan in near[1:]:
            problem.encoding.recombine(plan, int(rng.integers(1, 4)), rng)
        rest = self.others(problem, n_samples - n_near, random_state=rng).get("X")
        return np.concatenate([near, np.reshape(rest, (-1, problem.n_var)).astype(near.dtype)])
