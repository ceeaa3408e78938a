"""Encoding by connected regions of a graph, such as territories on a map, with bounded loads."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from moo_clustering._arrays import BoolArray, FloatArray, Int64Array, IntArray, IntpArray, Labels, integer
from moo_clustering._data import checked_amounts, checked_graph
from moo_clustering._kernels import regions as kernels
from moo_clustering.encodings import base
from moo_clustering.encodings.labels import LabelEncoding
from moo_clustering.graphs.matrices import without_diagonal

_ROUNDING = 1e-9
_TREES, _PLANS = 12, 60
_PER_AREA = 50
# Weights of the objectives of ``climb_boundaries``, for the variation of loads and for changed areas.
_VARIATION, _CHANGED = np.eye(5)[2], np.eye(5)[3]


class RegionEncoding(LabelEncoding):
    """Encoding that stores the region of each area, and draws only feasible individuals.

    Partitions are called plans. In a feasible plan, each of the ``n_regions`` regions is connected in the
    graph, and its load is between ``low`` and ``high``. The load is the total weight of the region's areas.
    Raises a ValueError if the graph is not symmetric, if a weight is negative or above ``high``, if the
    graph's components cannot be divided into such regions, or if no feasible plan is found.

    ``random`` takes O(n_edges log(n_areas) log(n_regions)) time per plan. ``repair`` takes O(n_individuals
    (n_areas + n_edges)) time if all plans are feasible, and otherwise about as much time as ``random``.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n_areas, n_areas)
        Positive values connect neighbours. Each component gets regions in proportion to its weight.
    n_regions : int
    weight : array-like of shape (n_areas,), optional
        Non-negative weights. Default: 1 for each area, so that a load is a number of areas.
    low, high : float
        Minimum and maximum load of a region.
    plan : array-like of shape (n_areas,), optional
        Known feasible plan, which also sets the number of regions in each component.

    Attributes
    ----------
    indptr, indices : ndarray of int32
        The neighbours of area i are ``indices[indptr[i]:indptr[i + 1]]``.
    component, n_regions_of : ndarrays of shapes (n_areas,) and (n_components,)
        Connected component of each area, and number of regions in each component.

    Examples
    --------
    >>> path = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    >>> encoding = RegionEncoding(path, 2, weight=[3, 1, 1, 1, 1, 1], low=4, high=4)
    >>> encoding.decode(encoding.random(1, np.random.default_rng(0)))
    array([[0, 0, 1, 1, 1, 1]], dtype=int32)
    """

    def __init__(
        self,
        graph: ArrayLike,
        n_regions: int,
        *,
        weight: ArrayLike | None = None,
        low: float = 0.0,
        high: float = np.inf,
        plan: ArrayLike | None = None,
    ) -> None:
        matrix = without_diagonal(csr_array(checked_graph(graph, "graph"), copy=True))
        n_areas = int(matrix.shape[0])
        self.n_regions = integer("n_regions", n_regions, 1, n_areas, ", the number of areas")
        super().__init__(n_areas, self.n_regions, self.n_regions)
        self.indptr, self.indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
        self.weight = checked_weights(weight, n_areas)
        if not 0 <= low <= high:
            raise ValueError(f"low must be between 0 and high, got low={low} and high={high}")
        self.low, self.high = float(low), float(high)
        heaviest = int(self.weight.argmax())
        if self.weight[heaviest] > self.high * (1 + _ROUNDING):
            raise ValueError(
                f"area {heaviest} alone weighs {self.weight[heaviest]:g}, more than high={self.high:g}; "
                "increase high, use fewer regions, or split the area"
            )
        self.component: IntpArray = connected_components(matrix, directed=False)[1].astype(np.intp)
        known = None if plan is None else base.checked_genes(np.asarray(plan)[None], n_areas)
        self.n_regions_of = self._allotted() if known is None else self._counted(known[0])
        self._members = np.split(
            np.argsort(self.component, kind="stable"), np.cumsum(np.bincount(self.component))[:-1]
        )
        if known is not None and not self.is_feasible(known)[0]:
            raise ValueError("plan must have n_regions connected regions, and loads within the bounds")
        found = self._first_grown(_PLANS, np.random.default_rng(0)) if known is None else known[0]
        if found is None:
            raise ValueError(
                f"found no plan of {self.n_regions} connected regions with loads from {self.low:g} to "
                f"{self.high:g} in {_PLANS} attempts; widen the bounds, or change the number of regions"
            )
        # ``repair`` uses this plan if it can neither repair a plan nor grow a new one.
        self._feasible = np.array(found, dtype=np.int32)

    def is_feasible(self, X: IntArray) -> BoolArray:
        """Return whether each plan has connected regions and loads within the bounds."""
        plans = np.ascontiguousarray(base.checked_genes(X, self.n_var), dtype=np.int32)
        piece = np.empty(self.n_var, dtype=np.int32)
        return np.array([self._holds(plan, piece) for plan in plans], dtype=bool)

    def loads(self, X: IntArray) -> FloatArray:
        """Compute the load of each region, shape (n_individuals, n_regions)."""
        plans = base.checked_genes(X, self.n_var).astype(np.int64)
        flat = (plans + np.arange(len(plans))[:, None] * self.n_regions).ravel()
        sums = np.bincount(flat, np.tile(self.weight, len(plans)), minlength=len(plans) * self.n_regions)
        return np.asarray(sums, dtype=np.float64).reshape(len(plans), self.n_regions)

    def repair(self, X: IntArray) -> IntArray:
        """Return feasible plans that are similar to the rows. Feasible rows remain unchanged.

        Each region keeps its heaviest connected piece, and the other areas join the lightest adjacent region.
        Areas are then moved across boundaries, one at a time, until all loads are within the bounds. If this
        fails, regions are recombined or a new plan is grown. The last resort is the plan found by the
        constructor. The result is deterministic.
        """
        X = np.clip(base.rounded_genes(X, self.n_var), 0, self.k_max - 1).astype(self.dtype)
        for row in np.flatnonzero(~self.is_feasible(X)):
            X[row] = self.mend(X[row])
        return X

    def encode(self, labels: IntArray) -> IntArray:
        """Number the regions by first appearance and repair infeasible partitions."""
        plans = base.relabel_by_first_appearance(base.checked_labels(labels, self.n_samples))
        for row, plan in enumerate(plans):
            if plan.max() >= self.n_regions or not self.is_feasible(plan[None])[0]:
                plans[row] = self.mend(plan)
        return plans

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Draw plans by repeatedly bisecting random spanning trees into ``n_regions`` regions."""
        plans = np.empty((n_individuals, self.n_var), dtype=self.dtype)
        for row in range(n_individuals):
            grown = self._first_grown(3, rng)
            if grown is None:
                grown = self._feasible.copy()
                self.recombine(grown, 2 * self.n_regions, rng)
            plans[row] = grown
        return plans

    def _first_grown(self, n_tries: int, rng: np.random.Generator) -> Labels | None:
        grown = (self._grown(rng) for _ in range(n_tries))
        return next((plan for plan in grown if plan is not None), None)

    def recombine(self, plan: Labels, n_times: int, rng: np.random.Generator, *, mend: bool = False) -> bool:
        """Merge two random adjacent regions, and divide them anew; repeat this ``n_times``, in place.

        Returns whether all loads are valid. With ``mend``, most merged pairs include a region with an invalid
        load, divisions are as even as possible, and the method stops when all loads are valid.
        """
        if self.n_regions == 1:
            return self.is_feasible(plan[None])[0].item()
        outside = kernels.recombine_regions(
            plan, self.indptr, self.indices, self.weight, *self.bounds_of_loads, n_times, mend, rng
        )
        return bool(outside == 0)

    @property
    def bounds_of_loads(self) -> tuple[float, float]:
        """Load bounds ``low`` and ``high``, widened by a margin for rounding errors."""
        return self.low * (1 - _ROUNDING), self.high * (1 + _ROUNDING)

    def _holds(self, plan: Labels, piece: Labels) -> bool:
        loads = np.bincount(plan, self.weight, minlength=self.n_regions)
        low, high = self.bounds_of_loads
        if len(loads) > self.n_regions or (loads < low).any() or (loads > high).any():
            return False
        n_pieces = kernels.number_pieces(plan, self.indptr, self.indices, piece)
        return bool(n_pieces == self.n_regions and np.bincount(plan, minlength=self.n_regions).all())

    def _grown(self, rng: np.random.Generator, bias: FloatArray | None = None) -> Labels | None:
        plan = np.empty(self.n_var, dtype=np.int32)
        bias = np.zeros(len(self.indices)) if bias is None else bias
        first, graph = 0, (self.indptr, self.indices, self.weight)
        for nodes, k in zip(self._members, self.n_regions_of.tolist(), strict=True):
            # The bounds are ignored if no division satisfies them, because ``recombine`` corrects the loads
            # later.
            if not any(
                kernels.grow_regions(plan, nodes, first, k, *graph, *bounds, bias, _TREES, rng)
                for bounds in (self.bounds_of_loads, (0.0, np.inf))
            ):
                return None
            first += k
        holds = self._holds(plan, np.empty_like(plan))
        return plan if holds or self.recombine(plan, 20 * self.n_regions, rng, mend=True) else None

    def mend(self, labels: IntArray) -> Labels:
        """Return a feasible plan similar to the areas' labels, which can be -1 (none); see :meth:`repair`."""
        rng, plan = np.random.default_rng(0), np.ascontiguousarray(labels, dtype=np.int32)
        cuts = np.repeat(plan, np.diff(self.indptr)) != plan[self.indices]
        piece = np.empty_like(plan)
        n_pieces = kernels.number_pieces(plan, self.indptr, self.indices, piece)
        heavy = np.bincount(piece, self.weight, minlength=n_pieces)
        first = np.unique(piece, return_index=True)[1]
        region, component = plan[first], self.component[first]
        order = np.lexsort((-heavy, region))
        leads = np.zeros(n_pieces, dtype=bool)
        leads[order[np.unique(region[order], return_index=True)[1]]] = True
        number = np.full(n_pieces, -1, dtype=np.int32)
        found = np.zeros(len(self._members), dtype=np.int64)
        for one in np.lexsort((-heavy, ~leads)):
            if region[one] >= 0 and found[component[one]] < self.n_regions_of[component[one]]:
                number[one] = found.sum()
                found[component[one]] += 1
        if (found == self.n_regions_of).all():
            plan = number[piece]
            kernels.reattach_areas(plan, self.n_regions, self.indptr, self.indices, self.weight)
            if self._evened(plan, rng) or self.recombine(plan, 20 * self.n_regions, rng, mend=True):
                return self._returned(plan, labels, rng)
        # Edges across old boundaries become longer than all other edges, so that they are cut first.
        grown = self._grown(rng, 2.0 * cuts)
        return self._returned(self._feasible.copy() if grown is None else grown, labels, rng)

    def _returned(self, plan: Labels, labels: IntArray, rng: np.random.Generator) -> Labels:
        """Move areas of a feasible plan back to their regions in ``labels`` if the load bounds allow it."""
        known, before = np.flatnonzero(np.asarray(labels) >= 0), np.full_like(plan, -1)
        if not len(known):
            return plan
        before[known] = base.align_labels(plan[known], labels[known])
        # Annealing can make the plan worse. Such a plan is discarded.
        n_agree, found = np.count_nonzero(plan == before), plan.copy()
        self._climb(found, _CHANGED, before, self.bounds_of_loads, 0.3, _PER_AREA * self.n_var, rng)
        return found if np.count_nonzero(found == before) > n_agree else plan

    def _evened(self, plan: Labels, rng: np.random.Generator) -> bool:
        """Even out the loads by moving single areas in place, and return whether the bounds are satisfied."""
        piece = np.empty_like(plan)
        for _ in range(60):
            if self._holds(plan, piece):
                return True
            self._climb(plan, _VARIATION, plan, (-np.inf, np.inf), 0.0, 1 + self.n_var // 2, rng)
        return self._holds(plan, piece)

    def _climb(
        self, plan: Labels, rates: FloatArray, before: Labels, bounds: tuple[float, float], *rest: object
    ) -> None:
        nothing, borders = np.zeros((self.n_var, 2)), np.zeros(len(self.indices))
        graph = self.indptr, self.indices, self.weight, nothing
        kernels.climb_boundaries(plan, *graph, *bounds, rates, before, nothing, borders, *rest)

    def _counted(self, plan: IntArray) -> Int64Array:
        component = np.unique(np.column_stack([self.component, plan]), axis=0)[:, 0]
        return np.bincount(component).astype(np.int64)

    def _allotted(self) -> Int64Array:
        sizes = np.bincount(self.component)
        weights = np.bincount(self.component, self.weight)
        low, high = self.bounds_of_loads
        least, most = np.ones(len(sizes), dtype=np.int64), sizes.astype(np.int64)
        if high < np.inf:
            least = np.maximum(least, np.ceil(weights / high if high > 0 else 0.0 * weights).astype(np.int64))
        if low > 0:
            most = np.minimum(most, np.floor(weights / low).astype(np.int64))
        if len(sizes) > self.n_regions:
            raise ValueError(
                f"the graph has {len(sizes)} connected components, more than n_regions={self.n_regions}; "
                "add neighbours that connect the components, or use more regions"
            )
        if (least > most).any():
            one = int((least > most).argmax())
            area = int((self.component == one).argmax())
            kind = "island" if sizes[one] == 1 else f"component of {sizes[one]} areas"
            kind = "graph" if len(sizes) == 1 else kind
            raise ValueError(
                f"the {kind} with area {area} weighs {weights[one]:g}, which cannot be divided into regions "
                f"with loads from {self.low:g} to {self.high:g}; link it to other areas, or widen the bounds"
            )
        if not least.sum() <= self.n_regions <= most.sum():
            raise ValueError(
                f"{self.n_regions} regions with loads from {self.low:g} to {self.high:g} are impossible, "
                f"because the graph components allow {least.sum()} to {most.sum()} regions; change n_regions "
                "or the bounds"
            )
        share = weights / (weights.sum() / self.n_regions) if weights.any() else 0.0 * weights
        number = np.clip(np.rint(share).astype(np.int64), least, most)
        while (missing := self.n_regions - int(number.sum())) != 0:
            step = 1 if missing > 0 else -1
            free = number < most if step > 0 else number > least
            number[np.where(free, step * (share - number), -np.inf).argmax()] += step
        return number


def checked_weights(weight: ArrayLike | None, n_areas: int) -> FloatArray:
    if weight is None:
        return np.ones(n_areas)
    found: FloatArray = checked_amounts(weight, "weight", "area")
    if len(found) != n_areas:
        raise ValueError(f"weight must have one value per area ({n_areas}), got {len(found)}")
    return found
