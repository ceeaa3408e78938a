"""Problem on cluster centres in a partitioned table, with indices computed in one pass over the rows."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import FloatArray, Labels, choice, integer, quoted
from moo_clustering._messages import distinct_names
from moo_clustering.constraints import ClusterSizes
from moo_clustering.encodings.base import contiguous
from moo_clustering.parts import parts
from moo_clustering.parts.labels import NearestCenter
from moo_clustering.parts.statistics import CenterStatistics, Survey
from moo_clustering.problems.centers import CenterEncoding
from moo_clustering.problems.partition import UNDEFINED_INDEX, SignedProblem
from moo_clustering.validity.base import UNDEFINED
from moo_clustering.validity.internal import FLOOR, NOTHING

_INDICES = ("sum_of_squares", "calinski_harabasz", "xie_beni", "davies_bouldin_rms")


class ChunkedCenterProblem(SignedProblem):
    """Find cluster centres in a table larger than memory; one pass over the rows scores a whole population.

    Genes are the coordinates of ``n_clusters`` centres relative to the mean of a uniform sample of the rows.
    Operators draw centres from this sample. Objectives are computed on all rows. Up to rounding errors, they
    are equal to those of :class:`PartitionProblem`. They are bitwise identical for all divisions of the rows
    into parts, and for any number of workers. Takes O(n_rows n_clusters n_features) time per individual. If
    ``data`` is invalid, raises the same errors as :func:`~moo_clustering.parts.parts`.

    Parameters
    ----------
    data
        A table opened with :func:`~moo_clustering.parts.parts`, or a source that this function accepts.
        Passes run on the current ``dask.distributed`` client or, if there is none, in this process.
    n_clusters : int
        Number of clusters, from 1 to the sample size.
    objectives : sequence of str
        ``"sum_of_squares"``, ``"calinski_harabasz"`` (maximised), ``"xie_beni"`` or ``"davies_bouldin_rms"``.
        The last is the Davies-Bouldin index with root mean squared distances instead of mean distances.
    limits : sequence of ClusterSizes, default=()
        Bounds on cluster sizes, which are inequality constraints. Empty clusters are ignored.
    sample_size : int, default=20000
        Number of rows to sample.
    seed : int, default=0
        Seed for the sample.

    Attributes
    ----------
    encoding : CenterEncoding
        Encoding of the sampled rows. The problem's bounds ``xl`` and ``xu`` enclose all rows.
    parts : Parts
        The partitioned table.
    constraint_names : tuple of str
        Names of the inequality constraints, which are the columns of ``G``.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> problem = ChunkedCenterProblem(parts(X, rows_per_part=2), 2, ["sum_of_squares"])
    >>> centers = problem.improve([[-6.0, 5.0]])
    >>> problem.centers(centers), problem.evaluate(centers)
    (array([[[ 1.],
            [11.]]]), array([[4.]]))
    """

    def __init__(
        self,
        data: Any,
        n_clusters: int,
        objectives: Sequence[str],
        *,
        limits: Sequence[ClusterSizes] = (),
        sample_size: int = 20_000,
        seed: int = 0,
    ) -> None:
        names = [objectives] if isinstance(objectives, str) else list(objectives)
        for name in names or [""]:
            choice("objectives", name, _INDICES)
        self.limits = tuple(limits) if isinstance(limits, Iterable) else (None,)
        if not all(isinstance(limit, ClusterSizes) for limit in self.limits):
            raise TypeError(f"limits must be a sequence of ClusterSizes, got {quoted(limits)}")
        table = self.parts = parts(data)
        most = min(integer("sample_size", sample_size), table.n_rows)
        self.n_clusters = integer("n_clusters", n_clusters, 1, most, ", the number of sampled rows")
        for limit in self.limits:
            limit.possible(self.n_clusters, table.n_rows)
        self._survey: Survey = Survey(table, sample_size, seed=integer("seed", seed, 0, 2**63 - 1))
        self.encoding = CenterEncoding(self._survey.rows, self.n_clusters)
        self.objective_names = tuple(distinct_names(names))
        self._n_of_two = sum(name in _INDICES[2:] for name in names)
        added = [UNDEFINED_INDEX] * (self._n_of_two > 0) + [limit.name for limit in self.limits]
        self.constraint_names = tuple(distinct_names(added))
        self._signs = np.array([-1.0 if name == "calinski_harabasz" else 1.0 for name in names])
        self._columns = tuple(names)
        low, high = (np.tile(bound, self.n_clusters) for bound in self._survey.bounds)
        super().__init__(n_var=len(low), n_obj=len(names), n_ieq_constr=len(added), xl=low, xu=high)

    @property
    def points(self) -> FloatArray:
        """Sampled rows minus their mean, shape (n_sampled, n_features)."""
        return self.encoding.points

    def centers(self, X: ArrayLike) -> FloatArray:
        """Return centres in data coordinates, shape (n_individuals, n_clusters, n_features)."""
        return self.encoding.in_data(self.encoding.relative_centers(X))

    def improve(self, X: ArrayLike) -> FloatArray:
        """Move each centre to its cluster's mean in one pass; centres of empty clusters do not move."""
        return self._survey.statistics(self.encoding.relative_centers(X)).means.reshape(-1, self.n_var)

    def decode(self, X: ArrayLike) -> Labels:
        """Return the labels of all rows in one pass, int32 of shape (n_individuals, n_rows).

        Non-empty clusters are numbered in the order of their centres. For many rows, use
        :func:`~moo_clustering.parts.lazy_labels`.
        """
        offsets, numbers = self.encoding.offsets, np.arange(self.n_clusters)
        labels = [NearestCenter(one, offsets, numbers) for one in self.encoding.relative_centers(X)]
        return contiguous(np.concatenate(self.parts.map(_labels, labels), axis=1))

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        found = self._survey.statistics(self.encoding.relative_centers(X))
        total = self._survey.total if self._columns != ("sum_of_squares",) else 0.0
        values = _values(found, self.parts.n_rows, total)
        out["F"] = np.column_stack([values[name] for name in self._columns]) * self._signs
        loads = found.sizes.astype(np.float64)
        missing = [float(self._n_of_two) * ((loads > 0).sum(axis=1) < 2)] * (self._n_of_two > 0)
        if columns := missing + [limit.load_violations(loads) for limit in self.limits]:
            out["G"] = np.column_stack(columns)


def _values(found: CenterStatistics, n: int, total: float) -> dict[str, FloatArray]:
    """Return all indices by name, where ``total`` is the sum of squares about the mean of all rows."""
    used = found.sizes > 0
    k = used.sum(axis=1)
    within, mean_square = found.scatter.sum(axis=1), 2.0 * total / n
    bounded = np.maximum(within, max(FLOOR * total, NOTHING))
    ratio = np.maximum(total - within, 0.0) / np.maximum(k - 1, 1) * (n - k) / bounded
    gaps = ((found.means[:, :, None] - found.means[:, None]) ** 2).sum(axis=-1)
    pairs = used[:, :, None] & used[:, None] & ~np.eye(used.shape[1], dtype=bool)
    least = np.where(pairs, gaps, np.inf).min(axis=(1, 2))
    floor = max(FLOOR * mean_square, NOTHING)
    xie_beni = within / (n * np.maximum(least, floor))
    spread = np.sqrt(found.scatter / np.maximum(found.sizes, 1))
    apart = np.maximum(np.sqrt(gaps), FLOOR * np.sqrt(max(mean_square, NOTHING)))
    worst = np.where(pairs, (spread[:, :, None] + spread[:, None]) / apart, 0.0).max(axis=2)
    davies = worst.sum(axis=1) / np.maximum(k, 1)
    if mean_square < NOTHING:
        xie_beni, davies = np.zeros(len(k)), np.zeros(len(k))
    return {
        "sum_of_squares": within,
        "calinski_harabasz": np.where(k > 1, ratio, 0.0),
        "xie_beni": np.where(k > 1, xie_beni, UNDEFINED),
        "davies_bouldin_rms": np.where(k > 1, davies, UNDEFINED),
    }


def _labels(rows: NDArray[Any], start: int, labels: list[NearestCenter]) -> Labels:
    return np.stack([label(rows) for label in labels])
