"""Products of bag means and instances, which determine the distances to any centroid."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import Shared, choice, far_offset, integer, require_squares
from moo_clustering._data import FLOATS, checked_array, checked_integers, checked_table
from moo_clustering._kernels import bag_distances
from moo_clustering._kernels.threads import for_parts
from moo_clustering._parallel import one_thread
from moo_clustering._types import BoolArray, FloatArray, Int64Array, Labels
from moo_clustering.bags.bags import as_bags, to_offsets

Weighting = Literal["bag", "instance"]
# Squared distances below this multiple of the largest squared norm are rounding errors, and are set to 0.
_ROUNDING, _SINGLE_ROUNDING = 1e-13, 1e-6
# A block of partitions takes this number of bytes. If the number depended on n_jobs, the results would depend
# on n_jobs, too.
_SCRATCH = 64 * 2**20
TABLE_ITEMS = 1 << 22
# If n_bags is at least this multiple of n_clusters * n_features, the bag means of each cluster are summed and
# then multiplied by the instances. Otherwise, stored products of bag means and instances are summed.
_MANY_BAGS = 8
_ROWS, _COLUMNS = 128, 1024
# If this number of bag means suffices to retain all instances of a bag, no other bag means are tried.
_FEW_MEANS = 1024


class BagGeometry(Shared):
    """Products of bag means and instances, which determine the distances from bags to any centroid.

    A bag's distance to a vector is the distance of its farthest instance. Centroids are means of the bag
    means M_b with weights w_b. Let G[b, t] = w_b M_b . x_t, where x_t is a centred instance. If cluster C has
    weight W, the squared distance from x_t to the centroid of C is |x_t|^2 - (2/W) sum_C G[b, t] + |sum_C w_b
    M_b|^2 / W^2. The time for this does not depend on n_features. Precomputation takes O(n N d) time, where N
    bags have n instances of d features in total, and 8 n N bytes (4 n N in single precision). Evaluating P
    partitions into K clusters then takes O(P (n + N) min(N, K d)) time. Raises a ValueError for invalid
    parameters or overflow. Source: Evolutionary multi-instance clustering, Eqs. 1 and 3.

    Parameters
    ----------
    bags : Bags or any input of :func:`as_bags`
        Bags of scaled features.
    weighting : {"bag", "instance"}, default="bag"
        Whether centroids are means of bag means (Eq. 3) or of all instances.
    prune : bool, default=True
        Whether to omit instances that are never the farthest from a centroid; does not affect the result.
    min_cluster_size : int, default=1
        Minimum number of bags per cluster in the partitions to be evaluated. With ``weighting="bag"``, larger
        values allow ``prune`` to omit more instances.
    dtype : {"auto", "float64", "float32"}, default="auto"
        Data type of the products; ``"auto"`` is float32 if float64 would take more than 512 MiB.
    n_jobs : int or None, default=None
        Number of threads for the precomputation; does not affect the result.

    Attributes
    ----------
    n_bags : int
    weights : ndarray of shape (n_bags,)
    means : ndarray of shape (n_bags, n_features)
        Centred bag means.
    center : ndarray of shape (n_features,)
        Mean of all instances, which is subtracted from the data.
    arrays : BagArrays
        Arrays for the compiled kernels.
    """

    def __init__(
        self,
        bags: Any,
        *,
        weighting: Weighting = "bag",
        prune: bool = True,
        min_cluster_size: int = 1,
        dtype: Literal["auto", "float64", "float32"] = "auto",
        n_jobs: int | None = None,
    ) -> None:
        choice("dtype", dtype, ("auto", "float64", "float32"))
        bags = as_bags(bags)
        self.weighting = choice("weighting", weighting, get_args(Weighting))
        self.n_bags = bags.n_bags
        self.bags = bags
        self.weights = np.ones(bags.n_bags) if weighting == "bag" else bags.sizes.astype(np.float64)
        X = np.asarray(bags.instances, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            if (offset := far_offset(X)).any():
                X = X - offset
            center = X.mean(axis=0)
            self.means = np.add.reduceat(X, bags.offsets[:-1], axis=0) / bags.sizes[:, None] - center
            self.center = offset + center
            X = X - center
            # For any partition, no sum of products exceeds this bound.
            greatest = 4.0 * self.weights.sum() ** 2 * np.einsum("td,td->t", X, X).max()
        _require_below(greatest, np.float64)
        require_squares(X, "instances")
        kept = np.ones(len(X), dtype=bool)
        if prune:
            least = min_cluster_size if weighting == "bag" else 1
            kept = farthest_candidates(X, bags.offsets, self.means, min_cluster_size=least)
        self.arrays, self._instances = self._precompute(
            X[kept], np.add.reduceat(kept, bags.offsets[:-1], dtype=np.int64), dtype, n_jobs
        )
        self._totals = (
            self.arrays.products.reshape(self.n_bags, -1).sum(axis=0, dtype=np.float64),
            self.arrays.pulls.sum(axis=0),
            (self.weights[:, None] * self.means).sum(axis=0),
        )

    def _precompute(
        self, X: FloatArray, sizes: Int64Array, dtype: str, n_jobs: int | None
    ) -> tuple[bag_distances.BagArrays, FloatArray]:
        """Return the arrays for the kernels, and a matrix whose columns are the instances in the chunks."""
        instances, chunk_bag, chunk_start = _chunk_layout(sizes)
        weighted = self.weights[:, None] * self.means
        n_bytes = 8 * self.n_bags * instances.size
        single = dtype == "float32" or (dtype == "auto" and n_bytes > 512 * 2**20)
        squares = np.einsum("td,td->t", X, X)
        largest = float(squares.max())
        if single:
            _require_below(self.weights.max() * largest, np.float32)
        products = np.empty((self.n_bags, *instances.shape), dtype=np.float32 if single else np.float64)
        columns = np.ascontiguousarray(X[instances.ravel()].T)
        flat = products.reshape(self.n_bags, -1)

        def fill(lo: int, hi: int) -> None:
            for row in range(lo * _ROWS, min(hi * _ROWS, self.n_bags), _ROWS):
                rows = slice(row, row + _ROWS)
                for start in range(0, columns.shape[1], _COLUMNS):
                    part = slice(start, start + _COLUMNS)
                    flat[rows, part] = weighted[rows] @ columns[:, part]

        with one_thread("blas"):
            for_parts(fill, -(-self.n_bags // _ROWS), float(weighted.size) * columns.shape[1], n_jobs)
        rounding = (_SINGLE_ROUNDING if single else _ROUNDING) * largest
        pulls = weighted @ weighted.T
        arrays = bag_distances.BagArrays(
            squares[instances], products, pulls, self.weights, chunk_bag, chunk_start, rounding
        )
        return arrays, columns if self._by_centroids(1) else columns[:, :0]

    def _by_centroids(self, n_clusters: Any) -> Any:
        """Return whether to sum bag means before multiplying them by instances, see ``_MANY_BAGS``."""
        return n_clusters * self.means.shape[1] * _MANY_BAGS <= self.n_bags

    def chunks(self, n_individuals: int, n_clusters: int) -> list[slice]:
        """Divide a population into slices for which the arrays of :meth:`sums` fit into ``_SCRATCH``."""
        step = max(1, _SCRATCH // (8 * n_clusters * (self.arrays.squares.size + self.n_bags)))
        return [slice(lo, min(lo + step, n_individuals)) for lo in range(0, n_individuals, step)]

    def sums(
        self, labels: Labels, n_clusters: int, *, projections: bool = True, n_jobs: int | None = None
    ) -> tuple[Int64Array, FloatArray, FloatArray, FloatArray]:
        """Return the sizes and weights of K clusters in p partitions, each of shape (p, K), and two products.

        Each cluster's sum of weighted bag means is multiplied by all instances, (p, K, n_slots, n_chunks),
        and by all weighted bag means, (p, K, n_bags). ``projections=False`` omits the first product.
        """
        count, arrays = len(labels), self.arrays
        counts = np.empty((count, n_clusters), dtype=np.int64)
        masses = np.empty((count, n_clusters))
        pulls = np.empty((count, n_clusters, self.n_bags))
        shape = arrays.squares.shape if projections else (0, 0)
        sums = np.empty((count, n_clusters, *shape))
        flat = sums.reshape(count, n_clusters, -1)
        rows = arrays.products.reshape(self.n_bags, -1)[:, : flat.shape[2]]
        width = bag_distances.column_width(self.n_bags, rows.itemsize)
        weighted = self.weights[:, None] * self.means
        vectors = np.empty((count, n_clusters, weighted.shape[1]))
        columns = self._instances[:, : flat.shape[2]], np.ascontiguousarray(weighted.T)
        # The method is chosen separately for each partition, because the result of a partition must not
        # depend on other partitions.
        short = self._by_centroids(labels.max(axis=1, initial=0) + 1)
        ends = np.append(np.flatnonzero(np.diff(short)) + 1, count).tolist()

        def kernel(lo: int, hi: int) -> None:
            bag_distances.count_and_weigh(labels, self.weights, counts, masses, lo, hi)
            for end in ends:
                if lo < (stop := min(end, hi)):
                    add(lo, stop)
                    lo = stop

        def add(lo: int, hi: int) -> None:
            if short[lo]:
                total = self._totals[2]
                bag_distances.add_rows(labels, counts, weighted, total, vectors, width, lo, hi)
                for part, out in zip(columns, (flat, pulls), strict=True):
                    bag_distances.multiply_sums(vectors, part, out, _COLUMNS, lo, hi)
                return
            bag_distances.add_rows(labels, counts, rows, self._totals[0], flat, width, lo, hi)
            bag_distances.add_rows(labels, counts, arrays.pulls, self._totals[1], pulls, width, lo, hi)

        terms = n_clusters * weighted.shape[1] if short.all() else self.n_bags
        for_parts(kernel, count, count * terms * (flat.shape[2] + self.n_bags), n_jobs, each=1)
        return counts, masses, sums, pulls

    def radii(self, labels: Labels) -> FloatArray:
        """Return each bag's distance to its centroid, (n_individuals, n_bags). Clusters may be empty."""
        labels = self.checked(labels)
        n_clusters = int(labels.max()) + 1
        out = np.empty(labels.shape)
        own, chunk_label = np.empty(self.arrays.squares.shape), np.empty_like(self.arrays.chunk_bag)
        scale, best = np.empty(len(chunk_label)), np.empty(len(chunk_label))
        inner = np.empty((n_clusters, n_clusters))
        for rows in self.chunks(len(labels), n_clusters):
            block = labels[rows]
            _, masses, projections, pulls = self.sums(block, n_clusters)
            for i, one in enumerate(block):
                bag_distances.cross_sums(one, pulls[i], inner)
                with np.errstate(divide="ignore", invalid="ignore"):
                    norms = np.diag(inner) / masses[i] ** 2
                scratch = own, chunk_label, scale, best
                given = self.arrays, one, projections[i], norms, masses[i]
                bag_distances.squared_radii(*given, *scratch, out[rows][i])
        return np.sqrt(out)

    def distances(self, labels: Labels, n_clusters: int, *, n_jobs: int | None = None) -> FloatArray:
        """Return distances to centroids (inf if a cluster is empty), (n_individuals, n_bags, n_clusters)."""
        labels = self.checked(labels, n_clusters)
        out = np.empty((*labels.shape, n_clusters))
        for rows in self.chunks(len(labels), n_clusters):
            self._square_distances(labels[rows], out[rows], n_jobs)
        return np.sqrt(out, out=out)

    def _square_distances(self, labels: Labels, out: FloatArray, n_jobs: int | None) -> None:
        n_clusters = out.shape[2]
        counts, masses, projections, pulls = self.sums(labels, n_clusters, n_jobs=n_jobs)

        def kernel(lo: int, hi: int) -> None:
            scale, best = np.empty((2, self.arrays.squares.shape[1]))
            inner = np.empty((n_clusters, n_clusters))
            for i in range(lo, hi):
                bag_distances.cross_sums(labels[i], pulls[i], inner)
                norms = np.diag(inner) / np.where(counts[i] > 0, masses[i], 1.0) ** 2
                bag_distances.squared_distances(
                    self.arrays, projections[i], norms, masses[i], counts[i], scale, best, out[i]
                )

        for_parts(kernel, len(labels), len(labels) * n_clusters * self.arrays.squares.size, n_jobs)

    def centroids(self, labels: Any, n_clusters: int) -> FloatArray:
        """Return the centroids of a partition in the original coordinates, or NaN for empty clusters."""
        one = self.checked(np.atleast_2d(labels), n_clusters)[0]
        sums = np.zeros((n_clusters, self.means.shape[1]))
        np.add.at(sums, one, self.weights[:, None] * self.means)
        masses = np.bincount(one, weights=self.weights, minlength=n_clusters)
        with np.errstate(invalid="ignore"):
            centroids: FloatArray = sums / masses[:, None] + self.center
        return centroids

    def checked(self, labels: Any, n_clusters: int | None = None) -> Labels:
        """Convert labels for the compiled kernels. Raises a ValueError for invalid shapes or labels."""
        labels = np.atleast_2d(checked_integers(labels, "labels"))
        if labels.ndim != 2 or labels.shape[1] != self.n_bags:
            n = self.n_bags
            raise ValueError(f"labels must have one column per bag, {n} in all; got shape {labels.shape}")
        if labels.size and (labels.min() < 0 or (n_clusters is not None and labels.max() >= n_clusters)):
            most = "K - 1" if n_clusters is None else n_clusters - 1
            raise ValueError(f"labels must be from 0 to {most}, got {labels.min()} to {labels.max()}")
        return np.ascontiguousarray(labels, dtype=np.int32)


def _require_below(value: float, dtype: type[np.floating[Any]]) -> None:
    if not value <= np.finfo(dtype).max:  # also raises for NaN
        raise ValueError(
            "instances have values so large that squared distances overflow"
            f"{' single precision' if dtype is np.float32 else ''}; rescale them"
        )


def farthest_candidates(
    X: ArrayLike, offsets: ArrayLike, means: ArrayLike, *, min_cluster_size: int = 1
) -> BoolArray:
    """Find the instances that can be the farthest instance of their bag from some centroid.

    Every centroid is a convex combination of bag means, so an instance is never the farthest if another
    instance of its bag is farther from all bag means. If every cluster has at least s bags of equal weight,
    it suffices that the other instance is farther, on average, from any s bag means. Takes O(n N d) time,
    where there are N means and n instances of d features, plus O(m^2 N) time at worst for each bag of m
    instances. Takes 32 MB of memory (more if two rows of N numbers are larger). Bags that exceed this memory
    are pruned in parts, which may retain unnecessary instances. Instances whose distances differ only by
    rounding errors are retained. Source: Evolutionary multi-instance clustering, Eqs. 1 and 3.

    Parameters
    ----------
    X : array-like of shape (n_instances, n_features)
        Instances, sorted by bag.
    offsets : array-like of shape (n_bags + 1,)
        First row of each bag, followed by the number of rows.
    means : array-like of shape (n_means, n_features)
        Means of the complete bags, of which centroids are convex combinations.
    min_cluster_size : int, default=1
        Minimum number s of bags per cluster. If s > 1, no mean may have a weight above 1/s in a centroid.

    Returns
    -------
    kept : ndarray of shape (n_instances,), bool
        Instances to retain, at least one per bag. Omitting all other instances changes no distance between
        bags and centroids. Among identical instances of a bag, the first is retained.
    """
    data = checked_table(X, dtype=FLOATS)
    centers: FloatArray = checked_array(means, "means", np.float64)
    if data.ndim != 2 or centers.ndim != 2 or data.shape[1] != centers.shape[1] or not len(centers):
        shapes = f"{data.shape} and {centers.shape}"
        raise ValueError(f"X and means must be matrices with the same number of columns, got shapes {shapes}")
    integer("min_cluster_size", min_cluster_size)
    bounds = to_offsets(offsets, len(data), None)
    origin = centers.mean(axis=0)
    centers = centers - origin
    kept = np.ones(len(data), dtype=np.bool_)
    least = min(int(min_cluster_size), len(centers))
    few = centers[:: max(1, len(centers) // max(_FEW_MEANS, least))]
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if stop - start > 1:
            rows = np.asarray(data[start:stop], dtype=np.float64) - origin
            # Some means are tried first. If they omit no instance of the bag, all means omit none either.
            if len(few) == len(centers) or not _farthest(rows, few, least).all():
                kept[start:stop] = _farthest(rows, centers, least)
    return kept


def _farthest(rows: FloatArray, centers: FloatArray, n_largest: int) -> BoolArray:
    """Return a mask of the rows of a bag to retain. Large bags are pruned in parts, in several rounds."""
    limit = max(2, TABLE_ITEMS // len(centers))
    remaining = np.arange(len(rows))
    while True:
        n_parts = -(-len(remaining) // limit)
        if n_parts > 1:
            # Instances far from the centre are distributed evenly, because they cause others to be omitted.
            squares = np.einsum("ij,ij->i", rows[remaining], rows[remaining])
            remaining = remaining[np.argsort(-squares, kind="stable")]
        parts = [np.sort(remaining[part::n_parts]) for part in range(n_parts)]
        left = np.concatenate([part[_candidates(rows[part], centers, n_largest)] for part in parts])
        if n_parts == 1 or len(left) > 0.9 * len(remaining):
            kept = np.zeros(len(rows), dtype=np.bool_)
            kept[left] = True
            return kept
        remaining = left


def _candidates(rows: FloatArray, centers: FloatArray, n_largest: int) -> BoolArray:
    squares = np.einsum("ij,ij->i", rows, rows)
    values: NDArray[Any] = rows @ centers.T
    values *= -2.0
    values += squares[:, None]
    # The margin allows for rounding errors in sums of d + n_largest terms.
    largest = np.sqrt(squares.max())
    spread = largest * (largest + 2.0 * np.sqrt(np.einsum("ij,ij->i", centers, centers).max()))
    margin = 8.0 * (rows.shape[1] + n_largest + 8) * np.finfo(np.float64).eps * spread
    order = np.argsort(-values.sum(axis=1), kind="stable")
    kept = np.empty(len(rows), dtype=np.bool_)
    bag_distances.keep_farthest(values, rows, order, margin, n_largest, kept)
    return kept


def _chunk_layout(sizes: Int64Array) -> tuple[Int64Array, NDArray[np.int32], Int64Array]:
    """Return the instances in each chunk, the bag of each chunk, and the first chunk of each bag."""
    # A chunk has n_slots instances of one bag. If necessary, the last instance of the bag is repeated. The
    # maximum of a chunk costs n_slots + 3 operations, and n_slots minimises the total cost.
    n_slots = min(range(1, 17), key=lambda slots: int((-(-sizes // slots)).sum()) * (slots + 3))
    n_chunks = -(-sizes // n_slots)
    chunk_start = np.concatenate([[0], np.cumsum(n_chunks)])
    chunk_bag = np.repeat(np.arange(len(sizes)), n_chunks)
    first = (np.arange(len(chunk_bag)) - chunk_start[chunk_bag]) * n_slots
    place = np.minimum(first + np.arange(n_slots)[:, None], sizes[chunk_bag] - 1)
    starts = np.cumsum(sizes) - sizes
    return starts[chunk_bag] + place, chunk_bag.astype(np.int32), chunk_start
