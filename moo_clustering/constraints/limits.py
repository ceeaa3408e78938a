"""Limits on the clusters of a partition, such as sizes, weights, connectedness and group shares."""

import re
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csgraph

from moo_clustering._arrays import (
    block_slices,
    cluster_sums,
    integer,
    number_clusters,
    positive,
    probability,
    quoted,
)
from moo_clustering._data import checked_amounts, checked_array, checked_graph, checked_integers
from moo_clustering._distances import checked_distances
from moo_clustering._docs import Documented
from moo_clustering._kernels.assignment import assign_within
from moo_clustering._kernels.caching import run
from moo_clustering._kernels.partitions import contingency_tables
from moo_clustering._targets import classes_as_given, is_missing
from moo_clustering._types import FloatArray, Int32Array, Int64Array, IntArray
from moo_clustering.constraints import _checks

# Violations up to this value may result from rounding errors and are set to 0.
_ROUNDING = 1e-9


class Limit(Documented, ABC):
    """Base class for limits, which measure how far partitions violate a requirement.

    Subclasses only need to implement :meth:`violations`. Pass limits to
    :class:`~moo_clustering.problems.PartitionProblem` as constraints.

    Parameters
    ----------
    name : str, optional
        Name in tables and messages. Default: the class name in snake case.

    Attributes
    ----------
    n_samples : int or None
        Required number of samples; None if the limit does not depend on the number of samples.

    Examples
    --------
    >>> class EvenSizes(Limit):
    ...     def violations(self, labels):
    ...         return [np.ptp(np.bincount(row)) / len(row) for row in labels]
    >>> EvenSizes().name, EvenSizes().violations(np.array([[0, 0, 1, 1], [0, 1, 1, 1]]))
    ('even_sizes', [np.float64(0.0), np.float64(0.5)])
    """

    name: str
    n_samples: int | None = None

    def __init__(self, *, name: str | None = None) -> None:
        if name is not None:
            self.name = str(name)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # The default name is set here, because subclasses need not call ``Limit.__init__``.
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @property
    def requirement(self) -> str:
        """Summary of the class, in which each attribute name is replaced by the attribute's value."""
        summary = (type(self).__doc__ or self.name).strip().split("\n\n")[0]
        return re.sub(r"``(\w+)``", lambda found: _shown(getattr(self, found[1], found[1])), summary)

    @abstractmethod
    def violations(self, labels: IntArray) -> Any:
        """Compute each partition's violation of the limit.

        Parameters
        ----------
        labels : ndarray of shape (n_partitions, n_samples)
            Cluster labels 0..k-1. A single partition may have the shape (n_samples,).

        Returns
        -------
        violations : ndarray of shape (n_partitions,)
            0 for partitions within the limit, and positive for all other partitions.
        """

    def possible(self, k: int, n_samples: int | None = None) -> None:
        """Raise a ValueError if no partition of n_samples samples into ``k`` clusters can satisfy the limit.

        The check is fast but incomplete: it does not detect all impossible limits. Also raises a ValueError
        if the limit applies to a different number of samples than ``n_samples``.
        """
        integer("k", k)
        if n_samples is not None and self.n_samples not in (None, n_samples):
            raise ValueError(
                f"{self.name} was created for {self.n_samples} samples, but there are {n_samples} samples"
            )

    def _rows(self, labels: ArrayLike) -> Int64Array:
        """Check partitions. Large labels are renumbered, because the memory depends on the largest label."""
        n = np.shape(labels)[-1] if self.n_samples is None and np.ndim(labels) else self.n_samples
        rows = _checks.check_partitions(labels, n or 1).astype(np.int64, copy=False)
        if rows.size and rows.min() < 0:
            raise ValueError(f"labels must be non-negative, got {rows.min()}")
        if rows.max(initial=0) > 2 * rows.shape[1]:
            rows = np.array([number_clusters(row)[0] for row in rows], dtype=np.int64)
        return rows


class _Loads(Limit):
    """Base class for limits on the size or the total weight of each cluster."""

    weight: FloatArray | None = None
    _total = 0.0
    _unit = ""

    def __init__(self, low: Any, high: Any, name: str | None) -> None:
        super().__init__(name=name)
        self.low, self.high = self._bound("low", low, 0.0), self._bound("high", high, np.inf)
        if low is None and high is None:
            raise ValueError(f"{type(self).__name__} requires low, high or both")
        if self.low.ndim and self.high.ndim and self.low.size != self.high.size:
            raise ValueError(
                f"low and high must have one bound per cluster, got {self.low.size} and {self.high.size}"
            )
        self.low, self.high = (np.array(b) for b in np.broadcast_arrays(self.low, self.high))
        if (self.low > self.high).any():
            c = int((self.low > self.high).argmax())
            where = f" for cluster {c}" if self.low.ndim else ""
            low, high = self.low.flat[c], self.high.flat[c]
            raise ValueError(f"low must not exceed high, got low={low:g} and high={high:g}{where}")

    def _bound(self, name: str, value: Any, default: float) -> FloatArray:
        try:
            given = default if value is None else value
            bound: FloatArray = checked_array(given, name, np.float64, finite=False).copy()
        except TypeError:
            if hasattr(value, "__len__") and not isinstance(value, str):
                raise
            bound = np.array(np.nan)
        zero = name == "high" and not (bound > 0).all()
        if bound.ndim > 1 or not bound.size or np.isnan(bound).any() or (bound < 0).any() or zero:
            kind = "positive" if name == "high" else "non-negative"
            raise ValueError(f"{name} must be one {kind} number, or one per cluster, got {quoted(value)}")
        if name == "low" and np.isinf(bound).any():
            raise ValueError(f"low must be finite, got {quoted(value)}")
        return bound

    def violations(self, labels: IntArray) -> FloatArray:
        rows = self._rows(labels)
        return self.load_violations(cluster_sums(rows, self.weight), cluster_sums(rows) > 0)

    def load_violations(self, loads: FloatArray, used: Any = None) -> FloatArray:
        """Compute violations from ``loads``: cluster sizes or weights, shape (n_partitions, n_clusters)."""
        # ``used`` marks the non-empty clusters. By default, these are the clusters with a positive load.
        used = loads > 0 if used is None else used
        if self.low.ndim:
            return np.array([self._matched(load[mask]) for load, mask in zip(loads, used, strict=True)])
        return np.where(used, _missed(loads, self.low, self.high), 0.0).sum(axis=1)

    def _matched(self, loads: FloatArray) -> float:
        """Return the lowest violation of one partition over all matchings of its clusters to the bounds."""
        n_bounds = len(self.low)
        missed = np.ones((max(len(loads), n_bounds),) * 2)
        padded = np.append(loads, np.zeros(len(missed) - len(loads)))
        missed[:, :n_bounds] = _missed(padded[:, None], self.low, self.high)
        return float(missed[linear_sum_assignment(missed)].sum())

    def possible(self, k: int, n_samples: int | None = None) -> None:
        super().possible(k, n_samples)
        if self.low.ndim and k != len(self.low):
            raise ValueError(f"{self.name} has bounds for {len(self.low)} clusters, not for {k}")
        total = n_samples if self.weight is None else self._total
        low, high = (float(bound.sum() if bound.ndim else k * bound) for bound in (self.low, self.high))
        if total is not None and not low * (1 - _ROUNDING) <= total <= high * (1 + _ROUNDING):
            kind = "" if self.weight is None else "weight "
            each = f"of {kind}{_span(self.low.flat[0], self.high.flat[0])}{self._unit}"
            each = "within their bounds" if self.low.ndim else each
            have = f"there are {total} samples" if self.weight is None else f"the weights sum to {total:g}"
            raise ValueError(f"{k} clusters {each} contain {_span(low, high)} in total, but {have}")


class ClusterSizes(_Loads):
    """Every cluster contains between ``low`` and ``high`` samples.

    The violation is the sum of (low - size) / low over clusters below ``low``, plus the sum of
    (size - high) / high over clusters above ``high``. Takes O(n_samples) time per partition. Raises a
    ValueError if a bound is negative or not an integer, or if ``low > high``.

    Parameters
    ----------
    low, high : int or array-like of shape (n_clusters,), optional
        One bound for all clusters, or one per cluster. Bounds per cluster are matched to clusters so that the
        violation is lowest. Each cluster and each positive ``low`` that remains unmatched adds 1.

    Examples
    --------
    >>> ClusterSizes(2, 3).violations([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]).round(3)
    array([0.   , 0.833])
    """

    _unit = " samples"

    def __init__(self, low: Any = None, high: Any = None, *, name: str | None = None) -> None:
        super().__init__(low, high, name)
        for key, bound in (("low", self.low), ("high", self.high)):
            if (np.isfinite(bound) & (bound != np.floor(bound))).any():
                raise ValueError(f"{key} must be a whole number of samples, got {quoted(bound.tolist())}")

    def assign(self, cost: ArrayLike) -> Int32Array:
        """Assign samples to clusters at the lowest total cost that the bounds allow.

        Takes O(n_samples n_clusters) time, plus O(n_clusters^2) per sample whose cheapest cluster is full.
        Raises a ValueError if no assignment is possible.

        Parameters
        ----------
        cost : array-like of shape (n_samples, n_clusters)
            Cost of each assignment, for example the squared distance to a centre.

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
            Column of ``cost`` assigned to each sample. If bounds are arrays, entry i applies to column i.

        Examples
        --------
        >>> ClusterSizes(high=3).assign([[0, 10], [1, 9], [2, 8], [3, 7]])
        array([0, 0, 0, 1], dtype=int32)
        """
        costs = checked_array(cost, "cost", np.float64, ndim=(2,))
        n, k = costs.shape
        self.possible(k, n)
        low, high = (np.broadcast_to(np.minimum(b, n), k).astype(np.int64) for b in (self.low, self.high))
        labels = np.empty(n, dtype=np.int32)
        run(assign_within, 3 * costs.size, np.ascontiguousarray(costs), low, high, np.zeros(k), labels)
        return labels


class ClusterWeights(_Loads):
    """Every cluster has a total weight between ``low`` and ``high``.

    The violation is the sum of (low - weight) / low over clusters below ``low``, plus the sum of
    (weight - high) / high over clusters above ``high``. Takes O(n_samples) time per partition. Raises a
    ValueError if a weight is negative, if ``low > high``, or if a sample is heavier than ``high``.

    Parameters
    ----------
    weight : array-like of shape (n_samples,)
        Non-negative weights.
    low, high : float or array-like of shape (n_clusters,), optional
        See :class:`ClusterSizes`.

    Examples
    --------
    >>> ClusterWeights([1, 2, 5], 4, 5).violations([[0, 0, 1], [0, 1, 1]])
    array([0.25, 1.15])
    """

    weight: FloatArray

    def __init__(
        self, weight: ArrayLike, low: Any = None, high: Any = None, *, name: str | None = None
    ) -> None:
        self.weight = checked_amounts(weight, "weight")
        if not self.weight.any():
            raise ValueError("weight must contain at least one positive value")
        super().__init__(low, high, name)
        self.n_samples, self._total = len(self.weight), float(self.weight.sum())
        heaviest, most = int(self.weight.argmax()), float(self.high.max())
        if self.weight[heaviest] > most * (1 + _ROUNDING):
            raise ValueError(
                f"sample {heaviest} alone weighs {self.weight[heaviest]:g}, more than high={most:g}; "
                "increase high, or split the sample"
            )


class Contiguity(Limit):
    """Every cluster is connected in a graph of neighbours.

    The violation is the mean number of connected components per cluster, minus 1. Takes O(n_samples +
    n_edges) time per partition. Raises a ValueError if the graph is not square, symmetric and non-negative.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n_samples, n_samples)
        Positive values connect neighbours, as in a :func:`sklearn.neighbors.kneighbors_graph` after
        :func:`~moo_clustering.graphs.symmetrize`.

    Attributes
    ----------
    n_components : int
        Number of connected components of the graph.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> Contiguity(path).violations([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]])
    array([0. , 1. , 0.5])
    """

    def __init__(self, graph: Any, *, name: str | None = None) -> None:
        super().__init__(name=name)
        self.graph = sparse.csr_array(checked_graph(graph, "graph"))
        self.n_samples = int(self.graph.shape[0])
        self.n_components = int(csgraph.connected_components(self.graph, directed=False)[0])
        edges = sparse.triu(self.graph, 1, format="coo")
        self._edges = edges.row.astype(np.int64), edges.col.astype(np.int64)

    def violations(self, labels: IntArray) -> FloatArray:
        rows, (i, j) = self._rows(labels), self._edges
        n, out = rows.shape[1], np.empty(len(rows))
        for part in block_slices(len(rows), n + len(i)):
            block = rows[part]
            row, edge = np.nonzero(block[:, i] == block[:, j])
            within = sparse.coo_array(
                (np.ones(len(row), np.int8), (row * n + i[edge], row * n + j[edge])), shape=(block.size,) * 2
            )
            n_pieces, piece = csgraph.connected_components(within, directed=False)
            row_of = np.empty(n_pieces, dtype=np.int64)
            row_of[piece] = np.repeat(np.arange(len(block)), n)
            out[part] = (
                np.bincount(row_of, minlength=len(block)) / (cluster_sums(block) > 0).sum(axis=1) - 1.0
            )
        return out

    def possible(self, k: int, n_samples: int | None = None) -> None:
        super().possible(k, n_samples)
        if self.n_components > k:
            raise ValueError(
                f"the graph has {self.n_components} connected components, so it cannot be divided into {k} "
                "connected clusters; connect the components or increase the number of clusters"
            )


class GroupShares(Limit):
    """The share of every group in every cluster is ``low`` to ``high`` times its share of all samples.

    The violation is the largest amount by which a ratio of the two shares is below ``low`` or above ``high``.
    Takes O(n_samples n_groups) time per partition. Raises a ValueError if there is only one group, if a
    sample has no group, or if the bounds do not enclose 1. Source: S. K. Bera, D. Chakrabarty, N. Flores, M.
    Negahbani, "Fair algorithms for clustering", NeurIPS 2019.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        Group of each sample, as a number or string.
    low, high : float
        Bounds on the ratio of a group's share of a cluster to the group's share of all samples.

    Examples
    --------
    >>> GroupShares(["a", "a", "b", "b", "b", "a"]).violations([[0, 0, 0, 1, 1, 1]]).round(4)
    array([0.1333])
    """

    def __init__(
        self, groups: ArrayLike, low: float = 0.8, high: float = 1.25, *, name: str | None = None
    ) -> None:
        super().__init__(name=name)
        values = classes_as_given(groups, "groups", ndim=(1,)).tolist()
        if lost := [i for i, value in enumerate(values) if is_missing(value)]:
            raise ValueError(f"groups must have a value for every sample, but sample {lost[0]} has none")
        number: dict[Any, int] = {}
        self.codes = np.array([number.setdefault(value, len(number)) for value in values], dtype=np.int64)
        if len(number) < 2:
            only = f"{quoted(values[0])} for all samples" if values else "an empty array"
            raise ValueError(f"groups must have at least two values, got {only}")
        self.n_samples = len(values)
        for key, value in (("low", low), ("high", high)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0:
                raise ValueError(f"{key} must be a non-negative number, got {quoted(value)}")
        if not low <= 1 <= high:
            raise ValueError(f"low must be at most 1, and high at least 1, got low={low:g} and high={high:g}")
        self.low, self.high, self._names = float(low), float(high), list(number)
        self._counts = np.bincount(self.codes)

    def violations(self, labels: IntArray) -> FloatArray:
        rows = self._rows(labels)
        sizes, worst = cluster_sums(rows), np.zeros(len(rows))
        for group, count in enumerate(self._counts):
            counts = cluster_sums(rows[:, self.codes == group], width=sizes.shape[1])
            ratio = counts * (len(self.codes) / count) / np.maximum(sizes, 1)
            miss = np.where(sizes > 0, np.maximum(self.low - ratio, ratio - self.high), 0.0)
            worst = np.maximum(worst, miss.max(axis=1))
        return np.where(worst > _ROUNDING, worst, 0.0)

    def possible(self, k: int, n_samples: int | None = None) -> None:
        super().possible(k, n_samples)
        rarest = int(self._counts.argmin())
        if self.low > 0 and self._counts[rarest] < k:
            raise ValueError(
                f"every cluster needs a sample of group {quoted(self._names[rarest])}, which has "
                f"{self._counts[rarest]} samples for {k} clusters; use fewer clusters or low=0"
            )


class Diameter(Limit):
    """No two samples of a cluster are farther apart than ``at_most``.

    The violation is the largest distance within a cluster, divided by ``at_most``, minus 1. Takes
    O(n_samples^2) time per partition and O(n_samples^2) memory. Raises a ValueError unless the distances are
    square, symmetric and non-negative.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples)
        Distances between samples.
    at_most : float
        Largest permitted distance within a cluster; positive.

    Examples
    --------
    >>> D = [[0, 1, 5], [1, 0, 4], [5, 4, 0]]
    >>> Diameter(D, 4).violations([[0, 0, 0], [0, 0, 1]])
    array([0.25, 0.  ])
    """

    def __init__(self, D: Any, at_most: float, *, name: str | None = None) -> None:
        super().__init__(name=name)
        distances = checked_distances(D, "D", dtype=np.float64)
        self.n_samples, self.at_most = len(distances), positive("at_most", at_most)
        far = np.argwhere(np.triu(distances > at_most * (1 + _ROUNDING), 1))
        i, j = far[np.argsort(-distances[tuple(far.T)], kind="stable")].T
        self._far = i, j, distances[i, j]

    def violations(self, labels: IntArray) -> FloatArray:
        rows, (i, j, length) = self._rows(labels), self._far
        out, left = np.zeros(len(rows)), np.arange(len(rows))
        for part in block_slices(len(i), max(1, len(rows))):
            together = rows[np.ix_(left, i[part])] == rows[np.ix_(left, j[part])]
            found = together.any(axis=1)
            # Pairs are sorted by decreasing distance, so the first pair within a cluster is the farthest.
            out[left[found]] = length[part][together[found].argmax(axis=1)] / self.at_most - 1.0
            left = left[~found]
        return out

    def possible(self, k: int, n_samples: int | None = None) -> None:
        super().possible(k, n_samples)
        apart = self._apart[: k + 1]
        if len(apart) > k:
            raise ValueError(
                f"samples {', '.join(map(str, apart))} are pairwise farther apart than "
                f"at_most={self.at_most:g}, so {k} cluster{'s are' if k > 1 else ' is'} too few; "
                "increase at_most or the number of clusters"
            )

    @cached_property
    def _apart(self) -> list[int]:
        """Samples that are pairwise farther apart than ``at_most``, selected greedily."""
        i, j, _ = self._far
        far = sparse.coo_array((np.ones(len(i), np.int64), (i, j)), shape=(self.n_samples,) * 2)
        far = sparse.csr_array(far + far.T)
        apart: list[int] = []
        allowed = np.ones(self.n_samples or 0, dtype=np.int64)
        while allowed.any():
            # Choose the candidate that is far from most other candidates, so that many candidates remain.
            apart.append(int(np.where(allowed > 0, 1 + far @ allowed, 0).argmax()))
            allowed = allowed * far[[apart[-1]]].toarray()[0]
        return apart


class ClusterCount(Limit):
    """The number of clusters is between ``low`` and ``high``.

    The violation is (low - k) / low for k < low clusters, and (k - high) / high for k > high clusters. Takes
    O(n_samples) time per partition.

    Parameters
    ----------
    low : int
    high : int, optional
        Default: no upper bound.

    Examples
    --------
    >>> ClusterCount(2, 3).violations([[0, 0, 0, 0], [0, 1, 1, 2], [0, 1, 2, 3]]).round(3)
    array([0.5  , 0.   , 0.333])
    """

    def __init__(self, low: int = 1, high: int | None = None, *, name: str | None = None) -> None:
        super().__init__(name=name)
        self.low = integer("low", low)
        self.high = np.inf if high is None else integer("high", high, self.low)

    def violations(self, labels: IntArray) -> FloatArray:
        return _missed(
            (cluster_sums(self._rows(labels)) > 0).sum(axis=1), np.array(self.low), np.array(self.high)
        )

    def possible(self, k: int, n_samples: int | None = None) -> None:
        super().possible(k, n_samples)
        if not self.low <= k <= self.high:
            raise ValueError(f"{k} clusters are outside the bounds, {_span(self.low, self.high)}")


class Kept(Limit):
    """At most a share of ``at_most`` of the samples changes cluster relative to a previous partition.

    Clusters are first matched to the previous clusters so that the fewest samples change cluster. The
    violation is the share that changes, minus ``at_most``. Takes O(n_samples + k^3) time per partition.

    Parameters
    ----------
    previous : array-like of shape (n_samples,)
        Previous cluster labels 0..k-1. Samples with label -1 had no previous cluster and are not counted.
    at_most : float
        Largest permitted share of changed samples, from 0 to 1.

    Examples
    --------
    >>> kept = Kept([0, 0, 1, 1], at_most=0.25)
    >>> kept.changed([[1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]])
    array([0.  , 0.25, 0.5 ])
    >>> kept.violations([[1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]])
    array([0.  , 0.  , 0.25])
    """

    def __init__(self, previous: ArrayLike, at_most: float, *, name: str | None = None) -> None:
        super().__init__(name=name)
        codes = checked_integers(previous, "previous", "; use -1 for new samples", ndim=(1,))
        if codes.min(initial=0) < -1 or not (codes >= 0).any():
            raise ValueError("previous must be at least -1, and contain at least one non-negative label")
        self.previous = codes.astype(np.int64)
        self.at_most = probability("at_most", at_most)
        self.n_samples = len(codes)
        self._known = np.flatnonzero(codes >= 0)
        self._former = number_clusters(codes[self._known])[0].astype(np.int32)

    def changed(self, labels: IntArray) -> FloatArray:
        """Return each partition's share of samples that change cluster, after matching clusters optimally."""
        rows = self._rows(labels)[:, self._known].astype(np.int32)
        n_codes = int(max(self._former.max(), rows.max(initial=0))) + 1
        out = np.empty(len(rows))
        for part in block_slices(len(rows), n_codes**2):
            tables = np.zeros((part.stop - part.start, n_codes, n_codes), dtype=np.int64)
            former = np.repeat(self._former[None], len(tables), axis=0)
            contingency_tables(former, rows[part], tables)
            same = [table[linear_sum_assignment(table, maximize=True)].sum() for table in tables]
            out[part] = 1.0 - np.array(same) / len(self._known)
        return out

    def violations(self, labels: IntArray) -> FloatArray:
        excess = self.changed(labels) - self.at_most
        return np.where(excess > _ROUNDING, excess, 0.0)

    def possible(self, k: int, n_samples: int | None = None) -> None:
        super().possible(k, n_samples)
        sizes = np.sort(np.bincount(self._former))
        free = len(self.previous) - len(self._known)
        moves = max(k - len(sizes) - free, int(sizes[: max(0, len(sizes) - k)].sum()))
        if moves > (self.at_most + _ROUNDING) * len(self._known):
            raise ValueError(
                f"with {k} clusters instead of {len(sizes)}, at least {moves} of {len(self._known)} samples "
                f"change cluster, more than at_most={self.at_most:g}; increase at_most or change the number "
                "of clusters"
            )


def _missed(loads: Any, low: Any, high: Any) -> FloatArray:
    """Return how far each load lies outside its bounds, relative to the violated bound."""
    lack = np.maximum(low - loads, 0.0) / np.where(low > 0, low, 1.0)
    missed: FloatArray = lack + np.maximum(loads - high, 0.0) / high
    return np.where(missed > _ROUNDING, missed, 0.0)


def _shown(value: Any) -> str:
    if np.ndim(value):
        return f"({', '.join(map(_shown, np.asarray(value).tolist()))})"
    return "∞" if value == np.inf else value if isinstance(value, str) else f"{float(value):,g}"


def _span(low: float, high: float) -> str:
    if low == high:
        return f"{low:g}"
    return f"at least {low:g}" if high == np.inf else f"{low:g}..{high:g}"
