"""Exact sums and samples of a partitioned table. They do not depend on how rows are divided into parts."""

from __future__ import annotations

import math
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import FloatArray, Int64Array, require_squares
from moo_clustering._kernels.kmeans import population_sums
from moo_clustering.parts.sources import Parts

Offsets = tuple[FloatArray, FloatArray]


class Survey:
    """Column bounds of a partitioned table, and a uniform sample of its rows without replacement."""

    # One pass finds the bounds and the sample, which do not depend on the division into parts. ``numbers``
    # contains the row indices of the sample in random order, and ``rows`` the sampled rows in float64.
    # ``offsets`` consists of the first sampled row and the mean of the sampled rows relative to this row.
    # Both are subtracted one after the other, so that statistics lose little to rounding.

    def __init__(self, parts: Parts, sample_size: int, *, seed: int = 0) -> None:
        # Each part returns only rows whose keys are below a limit, because other rows are hardly ever drawn.
        # ``seed`` must be below 2^63.
        drawn = partial(parts.map, _extremes, sample_size, seed, merge=_wider, description="sample")
        self.low, self.high, sample = drawn(key_limit(sample_size, parts.n_rows))
        if len(sample.keys) < min(sample_size, parts.n_rows):
            # With probability 10^-9, too few keys are below the limit. In this case, no limit is used.
            self.low, self.high, sample = drawn(np.inf)
        self.parts, self.numbers = parts, sample.numbers
        self.rows = np.ascontiguousarray(sample.rows, dtype=np.float64)
        require_squares(np.stack([self.low, self.high]), "the table")
        self.offsets: Offsets = self.rows[0].copy(), (self.rows - self.rows[0]).mean(axis=0)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values of each column after subtracting ``offsets``."""
        return (self.low - self.offsets[0]) - self.offsets[1], (self.high - self.offsets[0]) - self.offsets[1]

    @cached_property
    def total(self) -> float:
        """Sum of squared distances from all rows to their mean, computed in one pass."""
        return float(self.statistics(np.zeros((1, 1, len(self.low)))).scatter[0, 0])

    def statistics(self, centers: FloatArray) -> CenterStatistics:
        """In one pass, assign each row to the nearest centre of each of p candidates (sets of k centres)."""
        # ``centers`` has shape (p, k, d) and is relative to ``offsets``. If several centres are nearest, the
        # first is chosen. The statistics of a candidate depend neither on the division into parts nor on
        # other candidates.
        n, d = self.parts.n_rows, len(self.low)
        largest = float(np.abs(self.bounds).max(initial=0.0))
        # The units of rounding depend only on the candidate's own centres and on the table.
        reach = np.maximum(np.abs(centers).max(axis=(1, 2)), largest) + largest
        units = np.array([(grain(largest, n), u := grain(d * r * r, n), grain(u, n)) for r in reach.tolist()])
        centers = np.ascontiguousarray(centers, dtype=np.float64)
        sizes, sums, high, low, first, _, _, far = self.parts.map(
            _center_sums, centers, *self.offsets, units, merge=_added, description="scores"
        )
        squares = high + low
        means = np.where(sizes[..., None] > 0, sums / np.maximum(sizes, 1)[..., None], centers)
        moved = np.einsum("pkd,pkd->pk", means - centers, means - centers)
        scatter, far = np.maximum(squares - sizes * moved, 0.0), np.where(sizes[..., None] > 0, far, centers)
        return CenterStatistics(sizes, means, squares, scatter, first, far)


class CenterStatistics(NamedTuple):
    """Statistics for p sets of k centres. The cluster of a centre contains the rows nearest to the centre."""

    sizes: Int64Array
    means: FloatArray  # (p, k, n_features), mean of the cluster, or the centre if the cluster is empty
    squares: FloatArray  # (p, k), sums of squared distances to the centre
    scatter: FloatArray  # (p, k), sums of squared distances to the mean
    first: Int64Array  # (p, k), first row of the cluster, or n_rows if the cluster is empty
    far: FloatArray  # (p, k, n_features), row farthest from the centre, or the centre if the cluster is empty


class Drawn(NamedTuple):
    """Sample of at most ``size`` rows. They have the smallest random keys so far, and are sorted by key."""

    keys: FloatArray
    numbers: Int64Array
    rows: NDArray[Any]
    size: int

    def merged(self, other: Drawn) -> Drawn:
        keys, numbers = np.append(self.keys, other.keys), np.append(self.numbers, other.numbers)
        order = np.lexsort((numbers, keys))[: self.size]
        return Drawn(keys[order], numbers[order], np.concatenate([self.rows, other.rows])[order], self.size)


def grain(largest: float, n: int) -> float:
    """Return a power of two such that n multiples of it, each up to ``largest``, sum exactly in float64."""
    return float(2.0 ** (math.ceil(math.log2(max(largest, 1e-300) * n)) - 51))


def on_grain(values: Any, unit: float) -> Any:
    """Round to multiples of ``unit``, which must be a power of two."""
    anchor = 1.5 * 2.0**52 * unit
    return (values + anchor) - anchor


def row_keys(start: int, n: int, seed: int) -> FloatArray:
    """Return uniform numbers in (0, 1) that depend only on the row index and the seed (SplitMix64)."""
    z = np.arange(start + 1, start + n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.asarray(((z >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53)


def key_limit(size: int, n: int) -> float:
    """Return a limit; with probability 1 - 10^-9, at least ``size`` of n row keys do not exceed it."""
    return min(1.0, (size + 6 * math.sqrt(size) + 10) / n)


def draw(rows: NDArray[Any], start: int, size: int, seed: int, limit: float = np.inf) -> Drawn:
    """Draw rows uniformly without replacement."""
    keys = row_keys(start, len(rows), seed)
    likely = np.flatnonzero(keys <= limit)
    order = likely[np.lexsort((likely, keys[likely]))[:size]]
    return Drawn(keys[order], start + order, rows[order], size)


def _extremes(rows: NDArray[Any], start: int, size: int, seed: int, limit: float) -> tuple[Any, ...]:
    low, high = rows.min(axis=0).astype(np.float64), rows.max(axis=0).astype(np.float64)
    return low, high, draw(rows, start, size, seed, limit)


def _wider(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1]), a[2].merged(b[2])


def _center_sums(
    rows: NDArray[Any],
    start: int,
    centers: FloatArray,
    first: FloatArray,
    mean: FloatArray,
    units: FloatArray,
) -> tuple[Any, ...]:
    p, k, d = centers.shape
    columns = np.ascontiguousarray(centers.reshape(p * k, d).T)
    sizes, firsts = np.zeros((p, k), dtype=np.int64), np.full((p, k), np.iinfo(np.int64).max)
    sums, high, low = np.zeros((p, k, d)), np.zeros((p, k)), np.zeros((p, k))
    far, at = np.full((p, k), -1.0), np.zeros((p, k), dtype=np.int64)
    population_sums(rows, start, columns, first, mean, units, sizes, sums, high, low, firsts, far, at)
    return sizes, sums, high, low, firsts, far, start + at, (rows[at].astype(np.float64) - first) - mean


def _added(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    added, first = [x + y for x, y in zip(a[:4], b[:4], strict=True)], np.minimum(a[4], b[4])
    other = (b[5] > a[5]) | ((b[5] == a[5]) & (b[6] < a[6]))
    return *added, first, *(np.where(other.T, y.T, x.T).T for x, y in zip(a[5:], b[5:], strict=True))
