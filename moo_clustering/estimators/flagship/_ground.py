"""What everything else is computed from: samples or landmarks, their graph and the pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from moo_clustering.estimators.flagship._feature_scaling import FeatureScaling, Scale
from moo_clustering.estimators.flagship._landmarks import find_landmarks, landmark_means
from moo_clustering.estimators.flagship._nearest import (
    N_NEAREST,
    Neighbors,
    inverse_square_shares,
    nearest_by_distance,
    nearest_rows,
    weighted_means,
)
from moo_clustering.estimators.flagship._trivial import at_distance_zero, distinct_rows_of, trivial_pool
from moo_clustering.estimators.flagship._views import view_rows
from moo_clustering.graphs import self_tuning_graph
from moo_clustering.pool import PartitionPool, candidate_pool, extra_partitions

FloatArray = NDArray[np.float64]
Nearest = Callable[[Any, int], tuple[NDArray[np.intp], FloatArray]]


@dataclass(frozen=True, eq=False)
class Ground:
    """Samples, or landmarks that stand for them, and partitions of these.

    Attributes
    ----------
    n_samples : int
    graph : csr_array of shape (m, m)
    pool : PartitionPool or None
        Of m samples or landmarks; None if the bag kernels alone were asked for.
    rows : ndarray of shape (m, n_kept) or None
        Scaled features; None for given distances and for bags.
    landmark_of : ndarray of shape (n_samples,), int32, or None
        None if every sample is its own.
    kernels : tuple of ndarray of shape (m, m)
        Kernels of the data that take the place of the graph and the linear kernel (bags).
    nearest : callable
        ``(X_new, n) -> indices, distances``, of the nearest of the m.
    samples : ndarray of shape (n_samples, n_kept) or None
        Scaled features of all samples where there are landmarks.
    same : ndarray of shape (m,), int32, or None
        Where there are no features: samples at distance 0 as clusters.
    """

    n_samples: int
    graph: sp.csr_array
    pool: PartitionPool | None
    rows: FloatArray | None
    nearest: Nearest
    landmark_of: NDArray[np.int32] | None = None
    kernels: tuple[FloatArray, ...] = ()
    samples: FloatArray | None = None
    same: NDArray[np.int32] | None = None

    @property
    def m(self) -> int:
        """Number of samples or landmarks."""
        return int(self.graph.shape[0])

    def sums(self, values: FloatArray) -> FloatArray:
        """Sums of rows, shape (n_samples, c), over the samples of every landmark."""
        if self.landmark_of is None:
            return values
        totals = np.zeros((self.m, values.shape[1]))
        np.add.at(totals, self.landmark_of, values)
        return totals

    def of_samples(self, labels: NDArray[Any]) -> NDArray[Any]:
        """From labels (..., m) of landmarks to those of samples."""
        return labels if self.landmark_of is None else labels[..., self.landmark_of]

    @cached_property
    def distinct(self) -> NDArray[np.int32] | None:
        """Equal ones of the m as clusters; None if that is not known."""
        return self.same if self.rows is None else distinct_rows_of(self.rows)

    @cached_property
    def _shares(self) -> tuple[NDArray[np.intp], FloatArray]:
        assert self.samples is not None
        assert self.rows is not None
        index = NearestNeighbors().fit(self.rows)
        return inverse_square_shares(*nearest_rows(index, self.samples, N_NEAREST))

    def interpolated(self, values: FloatArray) -> FloatArray:
        """From values (m, c) of landmarks to those of samples: means of the three nearest, weighted."""
        if self.landmark_of is None:
            return values
        indices, shares = self._shares
        return weighted_means(values, indices, shares)


@dataclass(frozen=True)
class PoolOptions:
    """Options of the estimator that the pool depends on."""

    families: Any
    k_range: Any
    n_clusters: int | None
    n_neighbors: int
    n_jobs: int | None


def table_ground(
    X: Any,
    scaling: FeatureScaling,
    options: PoolOptions,
    *,
    n_landmarks: int,
    scale: Scale,
    n_components: int,
    views: Mapping[str, Any] | None,
    extra: Sequence[Any] | None,
    seeds: Sequence[np.random.SeedSequence],
) -> Ground:
    """Ground of a table: ndarray or sparse matrix of shape (n_samples, n_features).

    Parameters
    ----------
    views : mapping of str to transformer or columns, or None
        Representations of the samples that families are run on as well.
    extra : sequence or None
        Further candidates, as :func:`~moo_clustering.pool.extra_partitions` takes them.
    seeds : four of SeedSequence
    """
    rows, landmark_of = scaling.transform(X), None
    nearest_of = rows
    if X.shape[0] > n_landmarks:
        found = find_landmarks(rows, n_landmarks, _seed(seeds[0]))
        nearest_of, landmark_of = found.rows, found.landmark_of
    graph = self_tuning_graph(nearest_of, n_neighbors=options.n_neighbors, n_jobs=options.n_jobs)
    index = NearestNeighbors().fit(nearest_of)
    ground = Ground(
        X.shape[0],
        graph,
        trivial_pool(len(nearest_of)),
        nearest_of,
        Neighbors(scaling, index),
        landmark_of,
        samples=None if landmark_of is None else rows,
    )
    if len(nearest_of) < 3 or (nearest_of == nearest_of[0]).all():
        return ground
    tables = {"": nearest_of}
    for name, view in (views or {}).items():
        table = view_rows(name, view, X, scale, n_components, _seed(seeds[1]))
        tables[name] = table if landmark_of is None else landmark_means(table, landmark_of, len(nearest_of))
    candidates = _given(extra, X, landmark_of, len(nearest_of), seeds[2])
    pool = _pool_of_views(tables, graph, candidates, options, seeds[3])
    return replace(ground, pool=pool)


def distance_ground(
    D: FloatArray, options: PoolOptions, extra: Sequence[Any] | None, seeds: Sequence[np.random.SeedSequence]
) -> Ground:
    """Ground of given distances, shape (n_samples, n_samples)."""
    graph = self_tuning_graph(D, n_neighbors=options.n_neighbors, metric="precomputed", n_jobs=options.n_jobs)
    ground = Ground(len(D), graph, trivial_pool(len(D)), None, nearest_by_distance, same=at_distance_zero(D))
    if len(D) < 3 or not D.any():
        return ground
    candidates = _given(extra, D, None, len(D), seeds[2], "precomputed")
    pool = _pool_of_views({"": D}, graph, candidates, options, seeds[3], metric="precomputed")
    return replace(ground, pool=pool)


def _given(
    extra: Sequence[Any] | None,
    X: Any,
    landmark_of: NDArray[np.int32] | None,
    m: int,
    seed: np.random.SeedSequence,
    metric: str = "euclidean",
) -> list[tuple[str, NDArray[Any]]]:
    if not extra:
        return []
    rows = X if landmark_of is None else landmark_means(X, landmark_of, m)
    return extra_partitions(
        extra,
        rows,
        n_samples=X.shape[0],
        landmark_of=landmark_of,
        rng=np.random.default_rng(seed),
        metric=metric,
    )


def _pool_of_views(
    tables: Mapping[str, FloatArray],
    graph: sp.csr_array,
    extra: list[tuple[str, NDArray[Any]]],
    options: PoolOptions,
    seed: np.random.SeedSequence,
    metric: Literal["euclidean", "precomputed"] = "euclidean",
) -> PartitionPool:
    # Landmarks may be fewer than the clusters asked for where many samples are equal.
    m = len(tables[""])
    n_clusters = None if options.n_clusters is None else min(options.n_clusters, m)
    pools = []
    for (name, table), part in zip(tables.items(), seed.spawn(len(tables)), strict=True):
        pool = candidate_pool(
            table,
            families=options.families,
            k_range=options.k_range,
            n_clusters=n_clusters,
            metric=metric,
            graph=None if name else graph,
            n_neighbors=options.n_neighbors,
            extra_candidates=None if name else extra,
            random_state=_seed(part),
            n_jobs=options.n_jobs,
        )
        pools.append(pool.tagged(name) if name else pool)
    joined = pools[0]
    for pool in pools[1:]:
        joined = joined.joined(pool)
    return joined


def _seed(sequence: np.random.SeedSequence) -> int:
    return int(sequence.generate_state(1)[0] >> 1)
