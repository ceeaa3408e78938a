"""BagGeometry, BagObjective, repair, penalty."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import BoolArray, FloatArray, Labels
from moo_clustering._kernels.bag_distances import (
    CONTRAST,
    DAVIES_BOULDIN,
    FTWCV,
    GREEDY,
    PRINTED_WEIGHTS,
    SCALED,
    TWCV,
    BagArrays,
    Task,
    add_rows,
    column_width,
    count_and_weigh,
    cross_sums,
    keep_farthest,
    squared_distances,
    squared_radii,
)
from moo_clustering._kernels.bags import (
    descend_population,
    fill_empty,
    fill_small,
    place_groups,
    settle_pairs,
    sweep_population,
    value_population,
)
from moo_clustering._kernels.threads import for_parts
from moo_clustering.bags.bags import as_bags, to_offsets
from moo_clustering.bags.distances import chunk_layout
from moo_clustering.constraints import PairwiseConstraints

Rule = Literal["contrast", "scaled", "printed", "greedy"]
Handling = Literal["penalty", "repair"]
RULES = {"contrast": CONTRAST, "scaled": SCALED, "printed": PRINTED_WEIGHTS, "greedy": GREEDY}
Weighting = Literal["bag", "instance"]
# Above this the products of bag means and instances are kept in single precision.
_SINGLE_ABOVE = 512 * 2**20
# Squared distances below these parts of the largest squared norm are rounding, and count as 0.
_ROUNDING, _SINGLE_ROUNDING = 1e-13, 1e-6
# Bytes of projections at a time; fixed, so that results do not depend on the number of workers.
_SCRATCH = 64 * 2**20
# Numbers in the table of distances of a bag from all bag means: 32 MB of float64.
_TABLE = 1 << 22
# Parts that keep more than this share have little left to drop.
_WORTH_A_ROUND = 0.9
Objective = Literal["db", "twcv", "ftwcv"]
Reading = Literal["between", "printed", "printed_meansq"]
CODES = {"db": DAVIES_BOULDIN, "twcv": TWCV, "ftwcv": FTWCV}


class Improved(NamedTuple):
    """Partitions after a sweep.

    Attributes
    ----------
    labels : ndarray of shape (n_individuals, n_bags), int32
    values : ndarray of shape (n_individuals,)
        What is minimised, up to the rounding of the updates.
    n_trials : ndarray of shape (n_individuals,)
        Trial evaluations made.
    """

    labels: Labels
    values: FloatArray
    n_trials: NDArray[np.int64]


class BagObjective:
    """One objective over partitions of bags into at most ``n_clusters``, and moves that lower it.

    Parameters
    ----------
    geometry : BagGeometry
    n_clusters : int
    objective : {"db", "twcv", "ftwcv"}, default="db"
        Davies-Bouldin index (Eq. 10), total within-cluster variation (Eq. 4), or its fast form (Eq. 7).
    reading : {"between", "printed", "printed_meansq"}, default="between"
        Of FTWCV: within-cluster squares of bag means, or two literal readings of Eq. 7.
    min_cluster_size : int, default=1
        No move leaves a cluster with fewer bags; 0 lets clusters become empty.
    constraints : PairwiseConstraints, optional
        The objective is multiplied by 1 + ``penalty`` times their violation V in [0, 2].
    handling : {"penalty", "repair"}, default="penalty"
        Whether :meth:`repair` also puts groups joined by must-links into one cluster, and apart from
        those they cannot be with.
    penalty : float, default=1.0
    n_jobs : int, optional
        Threads; results do not depend on it.

    Notes
    -----
    With n instances (after pruning), N bags and K clusters: evaluating P partitions takes
    O(P (n N + N^2 + n)); a trial of all K values of a gene O(n + K^3). Values are inf for fewer than
    two clusters (Davies-Bouldin).

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 4-7 and 10.
    """

    def __init__(
        self,
        geometry: BagGeometry,
        n_clusters: int,
        objective: Objective = "db",
        *,
        reading: Reading = "between",
        min_cluster_size: int = 1,
        constraints: PairwiseConstraints | None = None,
        handling: Handling = "penalty",
        penalty: float = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        if handling not in ("penalty", "repair"):
            raise ValueError(f"handling must be 'penalty' or 'repair', got {handling!r}.")
        if n_clusters * max(1, min_cluster_size) > geometry.n_bags:
            raise ValueError(
                f"n_clusters={n_clusters} clusters of at least min_cluster_size={min_cluster_size} bags "
                f"need {n_clusters * max(1, min_cluster_size)} bags; there are {geometry.n_bags}."
            )
        self.geometry = geometry
        self.n_clusters = n_clusters
        self.objective = objective
        self.min_cluster_size = min_cluster_size
        self.n_jobs = n_jobs
        self._task = make_task(
            geometry,
            objective,
            reading=reading,
            least=min_cluster_size,
            constraints=constraints,
            penalty=penalty,
        )
        self._repair = PartitionRepair(
            geometry.n_bags, min_cluster_size, constraints if handling == "repair" else None
        )

    @property
    def n_bags(self) -> int:
        """Number of bags partitioned."""
        return self.geometry.n_bags

    def random(self, n: int, rng: np.random.Generator) -> Labels:
        """Partitions of which every gene is drawn uniformly."""
        return rng.integers(0, self.n_clusters, size=(n, self.n_bags), dtype=np.int32)

    def evaluate(self, labels: Any) -> FloatArray:
        """What is minimised, shape (n_individuals,)."""
        values, violations = self.values(labels)
        with np.errstate(invalid="ignore"):
            return np.where(violations > 1e-12, values * (1.0 + self._task.penalty * violations), values)

    def values(self, labels: Any) -> tuple[FloatArray, FloatArray]:
        """The objective without penalty, and the violation of the constraints."""
        one = np.zeros(len(np.atleast_2d(labels)), dtype=np.int64)
        _, values, violations, _ = self._run(value_population, self._task, labels, (), one)
        return values, violations

    def improve(
        self,
        labels: Any,
        rng: np.random.Generator,
        *,
        p_gene: float = 0.7,
        weights: Rule = "contrast",
        max_trials: int | None = None,
    ) -> Improved:
        """Draw genes anew one after the other, by the value of the objective for every choice.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_bags)
        rng : numpy.random.Generator
        p_gene : float, default=0.7
            Probability that a gene is visited.
        weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"
            Weights of the draw: by the distance to the worst value; as in Eq. 9; the value itself,
            which favours the worse (Eqs. 5 and 6 as printed); or always the best.
        max_trials : int, optional
            Trial evaluations that may be made; later individuals are left alone when it runs out.

        References
        ----------
        Evolutionary multi-instance clustering, Eqs. 5-6.
        """
        if weights not in RULES:
            raise ValueError(f"weights must be one of {', '.join(map(repr, RULES))}, got {weights!r}.")
        shape = np.atleast_2d(labels).shape
        genes, draws = rng.random(shape) < p_gene, rng.random(shape)
        wanted = genes.sum(axis=1) * (self.n_clusters - 1)
        limits = wanted
        if max_trials is not None:
            limits = np.clip(max_trials - (np.cumsum(wanted) - wanted), 0, wanted)
        task = self._task._replace(rule=RULES[weights])
        return self._improved(self._run(sweep_population, task, labels, (genes, draws), limits))

    def descend(self, labels: Any, rng: np.random.Generator, *, max_trials: int | None = None) -> Improved:
        """Move single bags to their best cluster until no move helps.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_bags)
        rng : numpy.random.Generator
            Draws the order of the genes.
        max_trials : int, optional
            Trial evaluations that may be made in all, shared out evenly.
        """
        count = len(np.atleast_2d(labels))
        order = np.tile(np.arange(self.n_bags), (count, 1))
        order = rng.permuted(order, axis=1)
        limits = np.full(count, np.iinfo(np.int64).max)
        if max_trials is not None:
            limits = max_trials // count + (np.arange(count) < max_trials % count)
        task = self._task._replace(rule=GREEDY)
        return self._improved(self._run(descend_population, task, labels, (order,), limits))

    def reassign(self, labels: Any, *, empty: Literal["farthest", "closest", "keep"] = "farthest") -> Labels:
        """One step of k-means: every bag to its nearest centroid, and a bag to every empty cluster.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_bags)
        empty : {"farthest", "closest", "keep"}, default="farthest"
            Which bag an empty cluster gets: the one farthest from its own centroid, the one closest to
            it (as printed), or none.
        """
        distances = self.distances(labels)
        return self._repair.filled(distances.argmin(axis=2).astype(np.int32), distances, empty)

    def drift(
        self, labels: Any, rng: np.random.Generator, *, p_gene: float = 0.7, bias: float = 0.5
    ) -> Labels:
        """Draw genes anew all at once, nearer centroids being likelier.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_bags)
        rng : numpy.random.Generator
        p_gene : float, default=0.7
            Probability that a gene is drawn.
        bias : float, default=0.5
            Added to the weight of every cluster, on the scale of the distances.

        References
        ----------
        Evolutionary multi-instance clustering, Eq. 9.
        """
        labels = self.geometry.checked(labels, self.n_clusters)
        genes, draws = rng.random(labels.shape) < p_gene, rng.random(labels.shape)
        weights = drift_weights(self.distances(labels), bias)
        bounds = np.cumsum(weights, axis=2)
        drawn = (bounds <= draws[:, :, None] * bounds[:, :, -1:]).sum(axis=2)
        return np.where(genes, np.minimum(drawn, self.n_clusters - 1), labels).astype(np.int32)

    def distances(self, labels: Any) -> FloatArray:
        """Distance of every bag to every centroid, shape (n_individuals, n_bags, n_clusters)."""
        return self.geometry.distances(labels, self.n_clusters, n_jobs=self.n_jobs)

    def repair(self, labels: Any) -> Labels:
        """Partitions that keep the least cluster size, and the constraints if those are repaired."""
        labels = self.geometry.checked(labels, self.n_clusters)
        broken = self._repair.broken(labels, self.n_clusters)
        if broken.any():
            labels = labels.copy()
            labels[broken] = self._repair.apply(labels[broken], self.distances(labels[broken]))
        return labels

    def _run(
        self, kernel: Any, task: Any, labels: Any, drawn: tuple[NDArray[Any], ...], limits: NDArray[np.int64]
    ) -> tuple[Labels, FloatArray, FloatArray, NDArray[np.int64]]:
        labels = self.geometry.checked(labels, self.n_clusters)
        values, violations = np.empty(len(labels)), np.empty(len(labels))
        searching = len(drawn) > 0
        # The kernels are compiled for labels that can be written to.
        labels = labels.copy() if searching or not labels.flags.writeable else labels
        trials = np.zeros(len(labels), dtype=np.int64)
        for rows in self.geometry.chunks(len(labels), self.n_clusters):
            out: list[NDArray[Any]] = [values[rows], violations[rows]]
            read = [part[rows] for part in drawn]
            if searching:
                read.append(limits[rows])
                out.append(trials[rows])
            self._run_block(kernel, task, labels[rows], [*read, *out], searching)
        return labels, values, violations, trials

    def _run_block(
        self, kernel: Any, task: Any, labels: Labels, arrays: list[NDArray[Any]], searching: bool
    ) -> None:
        data, n_jobs = self.geometry.arrays, self.n_jobs
        projections = task.objective != FTWCV
        sums = self.geometry.sums(labels, self.n_clusters, projections=projections, n_jobs=n_jobs)

        def share(lo: int, hi: int) -> None:
            kernel(data, task, labels, *sums, *arrays, lo, hi)

        size = data.squares.size * (self.n_bags if searching else 1)
        for_parts(share, len(labels), len(labels) * size, n_jobs)

    def _improved(self, outcome: tuple[Labels, FloatArray, FloatArray, NDArray[np.int64]]) -> Improved:
        labels, values, violations, trials = outcome
        with np.errstate(invalid="ignore"):
            penalized = np.where(violations > 1e-12, values * (1.0 + self._task.penalty * violations), values)
        return Improved(labels, penalized, trials)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def drift_weights(distances: FloatArray, bias: float) -> FloatArray:
    """1.5 times the largest distance, less the distance, plus ``bias``; empty clusters count as near.

    Parameters
    ----------
    distances : ndarray of shape (..., n_clusters)
        Inf for an empty cluster.
    bias : float
    """
    near = np.where(np.isfinite(distances), distances, 0.0)
    weights: FloatArray = 1.5 * near.max(axis=-1, keepdims=True) - near + bias  # Eq. 9
    return weights


class BagGeometry:
    """Products of bag means and instances, from which every distance to every centroid follows.

    The distance of a bag to a vector is that of its farthest instance (directed Hausdorff distance);
    centroids are weighted means of bag means. With products G[b, t] = w_b M_b . x_t of centred data,
    the squared distance of x_t to the centroid of C is
    |x_t|^2 - (2/W) sum_C G[b, t] + |sum_C w_b M_b|^2 / W^2, in which no feature occurs any more.

    Parameters
    ----------
    bags : Bags or anything :func:`as_bags` takes
        In the scale in which distances are meant.
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of the bag means (Eq. 3), or of all instances.
    prune : bool, default=True
        Leave out instances that can be the farthest from no centroid; changes nothing but speed.
    min_cluster_size : int, default=1
        All partitions asked about have at least so many bags in every cluster, which lets ``prune``
        leave out more. Only with ``weighting="bag"``.
    dtype : {"auto", "float64", "float32"}, default="auto"
        Of the products; ``"auto"`` is float32 where float64 would take more than 512 MiB.

    Attributes
    ----------
    n_bags : int
    weights : ndarray of shape (n_bags,)
    means : ndarray of shape (n_bags, n_features)
        Bag means, centred.
    center : ndarray of shape (n_features,)
        What was subtracted: the mean of all instances.
    arrays : BagArrays
        What the compiled loops read.

    Raises
    ------
    ValueError
        For options out of range, or values so large that sums of squared distances overflow.

    Notes
    -----
    Precomputation takes O(n N d) for N bags with n instances of d features, and 8 n N bytes (4 n N in
    single precision). A population of P partitions then takes O(P (n N + N^2)) from scratch.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 1 and 3.
    """

    def __init__(
        self,
        bags: Any,
        *,
        weighting: Weighting = "bag",
        prune: bool = True,
        min_cluster_size: int = 1,
        dtype: Literal["auto", "float64", "float32"] = "auto",
    ) -> None:
        if weighting not in get_args(Weighting):
            raise ValueError(f"weighting must be 'bag' or 'instance', got {weighting!r}.")
        if dtype not in ("auto", "float64", "float32"):
            raise ValueError(f"dtype must be 'auto', 'float64' or 'float32', got {dtype!r}.")
        bags = as_bags(bags)
        self.weighting = weighting
        self.n_bags = bags.n_bags
        self.bags = bags
        sizes = bags.sizes.astype(np.int64)
        self.weights = np.ones(len(sizes)) if weighting == "bag" else sizes.astype(np.float64)
        X = np.asarray(bags.instances, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            self.center = X.mean(axis=0)
            X = X - self.center
            self.means = bags.means() - self.center
            # bounds every sum of products that any partition leads to
            greatest = 4.0 * self.weights.sum() ** 2 * np.einsum("td,td->t", X, X).max()
        _require_below(greatest, np.float64)
        kept = np.ones(len(X), dtype=bool)
        if prune:
            least = min_cluster_size if weighting == "bag" else 1
            kept = farthest_candidates(X, bags.offsets, self.means, min_cluster_size=least)
        self.arrays = self._precompute(
            X[kept], np.add.reduceat(kept, bags.offsets[:-1], dtype=np.int64), dtype
        )
        self._totals = (
            self.arrays.products.reshape(self.n_bags, -1).sum(axis=0, dtype=np.float64),
            self.arrays.pulls.sum(axis=0),
        )

    def _precompute(self, X: FloatArray, sizes: NDArray[np.int64], dtype: str) -> BagArrays:
        layout = chunk_layout(sizes, np.cumsum(sizes) - sizes)
        weighted = self.weights[:, None] * self.means
        n_bytes = 8 * self.n_bags * layout.instances.size
        single = dtype == "float32" or (dtype == "auto" and n_bytes > _SINGLE_ABOVE)
        squares = np.einsum("td,td->t", X, X)
        largest = float(squares.max())
        if single:
            _require_below(self.weights.max() * largest, np.float32)
        products = np.empty(
            (self.n_bags, *layout.instances.shape), dtype=np.float32 if single else np.float64
        )
        for slot, rows in enumerate(layout.instances):
            products[:, slot] = weighted @ X[rows].T
        rounding = (_SINGLE_ROUNDING if single else _ROUNDING) * largest
        pulls = weighted @ weighted.T
        return BagArrays(
            squares[layout.instances],
            products,
            pulls,
            self.weights,
            layout.chunk_bag,
            layout.chunk_start,
            rounding,
        )

    def chunks(self, n_individuals: int, n_clusters: int) -> list[slice]:
        """Slices of a population small enough for the memory that sums over clusters take."""
        step = max(1, _SCRATCH // (8 * n_clusters * (self.arrays.squares.size + self.n_bags)))
        return [slice(lo, min(lo + step, n_individuals)) for lo in range(0, n_individuals, step)]

    def sums(
        self, labels: Labels, n_clusters: int, *, projections: bool = True, n_jobs: int | None = None
    ) -> tuple[NDArray[np.int64], FloatArray, FloatArray, FloatArray]:
        """Sums over the clusters of every individual.

        Returns
        -------
        counts, masses : ndarray of shape (n_individuals, n_clusters)
        projections : ndarray of shape (n_individuals, n_clusters, n_slots, n_chunks)
            Sums of ``arrays.products``; of no slots if not asked for.
        pulls : ndarray of shape (n_individuals, n_clusters, n_bags)
            Sums of ``arrays.pulls``.
        """
        count, arrays = len(labels), self.arrays
        counts = np.empty((count, n_clusters), dtype=np.int64)
        masses = np.empty((count, n_clusters))
        pulls = np.empty((count, n_clusters, self.n_bags))
        shape = arrays.squares.shape if projections else (0, 0)
        sums = np.empty((count, n_clusters, *shape))
        flat = sums.reshape(count, n_clusters, -1)
        rows = arrays.products.reshape(self.n_bags, -1)[:, : flat.shape[2]]
        width = column_width(self.n_bags, rows.itemsize)

        def kernel(lo: int, hi: int) -> None:
            count_and_weigh(labels, self.weights, counts, masses, lo, hi)
            add_rows(labels, counts, rows, self._totals[0], flat, width, lo, hi)
            add_rows(labels, counts, arrays.pulls, self._totals[1], pulls, width, lo, hi)

        for_parts(kernel, count, count * self.n_bags * (flat.shape[2] + self.n_bags), n_jobs)
        return counts, masses, sums, pulls

    def radii(self, labels: Labels) -> FloatArray:
        """Distance of every bag to the centroid of its cluster, shape (n_individuals, n_bags).

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_bags)
            Non-negative; numbers may be left out.
        """
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
                cross_sums(one, pulls[i], inner)
                with np.errstate(divide="ignore", invalid="ignore"):
                    norms = np.diag(inner) / masses[i] ** 2
                squared_radii(
                    self.arrays,
                    one,
                    projections[i],
                    norms,
                    masses[i],
                    own,
                    chunk_label,
                    scale,
                    best,
                    out[rows][i],
                )
        return np.sqrt(out)

    def distances(self, labels: Labels, n_clusters: int, *, n_jobs: int | None = None) -> FloatArray:
        """Distance of every bag to every centroid, shape (n_individuals, n_bags, n_clusters).

        An empty cluster is at distance inf.
        """
        labels = self.checked(labels, n_clusters)
        out = np.empty((*labels.shape, n_clusters))
        for rows in self.chunks(len(labels), n_clusters):
            self._square_distances(labels[rows], out[rows], n_jobs)
        return np.sqrt(out, out=out)

    def _square_distances(self, labels: Labels, out: FloatArray, n_jobs: int | None) -> None:
        n_clusters = out.shape[2]
        counts, masses, projections, pulls = self.sums(labels, n_clusters, n_jobs=n_jobs)

        def kernel(lo: int, hi: int) -> None:
            best, inner = np.empty(self.arrays.squares.shape[1]), np.empty((n_clusters, n_clusters))
            for i in range(lo, hi):
                cross_sums(labels[i], pulls[i], inner)
                norms = np.diag(inner) / np.where(counts[i] > 0, masses[i], 1.0) ** 2
                squared_distances(self.arrays, projections[i], norms, masses[i], counts[i], best, out[i])

        for_parts(kernel, len(labels), len(labels) * n_clusters * self.arrays.squares.size, n_jobs)

    def centroids(self, labels: Any, n_clusters: int) -> FloatArray:
        """Centroids of one partition in the coordinates of the bags; NaN for an empty cluster."""
        one = self.checked(np.atleast_2d(labels), n_clusters)[0]
        sums = np.zeros((n_clusters, self.means.shape[1]))
        np.add.at(sums, one, self.weights[:, None] * self.means)
        masses = np.bincount(one, weights=self.weights, minlength=n_clusters)
        with np.errstate(invalid="ignore"):
            centroids: FloatArray = sums / masses[:, None] + self.center
        return centroids

    def checked(self, labels: Any, n_clusters: int | None = None) -> Labels:
        """Labels as the loops take them.

        Raises
        ------
        ValueError
            Wrong shape or cluster numbers out of range.
        """
        labels = np.atleast_2d(np.asarray(labels))
        if labels.ndim != 2 or labels.shape[1] != self.n_bags:
            raise ValueError(f"labels must have one column per bag, {self.n_bags}; got shape {labels.shape}.")
        if labels.dtype.kind not in "iu" and not np.equal(np.mod(labels, 1), 0).all():
            raise ValueError("labels must be integers.")
        if labels.size and (labels.min() < 0 or (n_clusters is not None and labels.max() >= n_clusters)):
            raise ValueError(
                f"labels must be in 0..{'K-1' if n_clusters is None else n_clusters - 1}, "
                f"got {labels.min()}..{labels.max()}."
            )
        return np.ascontiguousarray(labels, dtype=np.int32)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _require_below(value: float, dtype: type[np.floating[Any]]) -> None:
    if not value <= np.finfo(dtype).max:  # NaN neither
        raise ValueError(
            "instances have values so large that squared distances overflow"
            f"{' single precision' if dtype is np.float32 else ''}; rescale them"
        )


def farthest_candidates(
    X: ArrayLike, offsets: ArrayLike, means: ArrayLike, *, min_cluster_size: int = 1
) -> BoolArray:
    """Instances that can be the farthest of their bag from a centroid.

    The difference of the squared distances of two instances to a point is affine in the point, and
    every centroid is a convex combination of bag means. So an instance is never the farthest if
    another one of its bag is farther from all bag means. Where every cluster has at least s bags of
    equal weights, no bag mean weighs more than 1/s, and it is enough that the other one is farther on
    average from any s of them.

    Parameters
    ----------
    X : array-like of shape (n_instances, n_features)
        Instances, bag after bag.
    offsets : array-like of shape (n_bags + 1,)
        First row of each bag, and the number of rows.
    means : array-like of shape (n_means, n_features)
        What centroids are convex combinations of: the means of the bags before anything is left out.
    min_cluster_size : int, default=1
        A number s above 1 leaves out more. It holds only for centroids whose weights are at most 1/s:
        unweighted means of the means of s or more bags.

    Returns
    -------
    kept : ndarray of shape (n_instances,), bool
        Without the others, the greatest distance of each bag to any centroid is unchanged. Of equal
        instances of a bag the first is kept. At least one instance of each bag is kept.

    Notes
    -----
    An instance is left out only when rounding cannot be the reason. O(n N d) time for N means and
    n instances of d features, and O(m^2 N) at worst, mostly far less, for each bag of m. Memory is
    32 MB or one row of N numbers; bags for which that is not enough are treated in parts, and may
    keep more than they had to.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 1 and 3.
    """
    data = np.asarray(X)
    centers: FloatArray = np.asarray(means, dtype=np.float64)
    if data.ndim != 2 or centers.ndim != 2 or data.shape[1] != centers.shape[1] or not len(centers):
        raise ValueError(f"X and means must be matrices of equal width, got {data.shape} and {centers.shape}")
    if isinstance(min_cluster_size, bool) or not isinstance(min_cluster_size, int | np.integer):
        raise TypeError(f"min_cluster_size must be an integer, got {min_cluster_size!r}")
    if min_cluster_size < 1:
        raise ValueError(f"min_cluster_size must be at least 1, got {min_cluster_size}")
    bounds = to_offsets(offsets, len(data), None)
    origin = centers.mean(axis=0)
    centers = centers - origin
    kept = np.ones(len(data), dtype=np.bool_)
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if stop - start > 1:
            rows = np.asarray(data[start:stop], dtype=np.float64) - origin
            kept[start:stop] = _farthest(rows, centers, min(int(min_cluster_size), len(centers)))
    return kept


def _farthest(rows: FloatArray, centers: FloatArray, n_largest: int) -> BoolArray:
    """Candidates of one bag; of a large one in parts, again until that no longer helps."""
    limit = max(2, _TABLE // len(centers))
    remaining = np.arange(len(rows))
    while True:
        n_parts = -(-len(remaining) // limit)
        if n_parts > 1:
            # Every part gets its share of outer instances, which make others drop.
            squares = np.einsum("ij,ij->i", rows[remaining], rows[remaining])
            remaining = remaining[np.argsort(-squares, kind="stable")]
        parts = [np.sort(remaining[part::n_parts]) for part in range(n_parts)]
        left = np.concatenate([part[_candidates(rows[part], centers, n_largest)] for part in parts])
        if n_parts == 1 or len(left) > _WORTH_A_ROUND * len(remaining):
            kept = np.zeros(len(rows), dtype=np.bool_)
            kept[left] = True
            return kept
        remaining = left


def _candidates(rows: FloatArray, centers: FloatArray, n_largest: int) -> BoolArray:
    squares = np.einsum("ij,ij->i", rows, rows)
    values: NDArray[Any] = rows @ centers.T
    values *= -2.0
    values += squares[:, None]
    # Several times what rounding can do to sums of d + n_largest terms.
    largest = np.sqrt(squares.max())
    spread = largest * (largest + 2.0 * np.sqrt(np.einsum("ij,ij->i", centers, centers).max()))
    margin = 8.0 * (rows.shape[1] + n_largest + 8) * np.finfo(np.float64).eps * spread
    order = np.argsort(-values.sum(axis=1), kind="stable")
    kept = np.empty(len(rows), dtype=np.bool_)
    keep_farthest(values, rows, order, margin, n_largest, kept)
    return kept


class PartitionRepair:
    """What a partition must respect, and how it is made to.

    Parameters
    ----------
    n_bags : int
    min_cluster_size : int
    constraints : PairwiseConstraints or None
        To be repaired. Must-links that contradict cannot-links have no closure; such constraints are
        left alone.
    """

    def __init__(self, n_bags: int, min_cluster_size: int, constraints: PairwiseConstraints | None) -> None:
        self.min_cluster_size = min_cluster_size
        self._members = np.empty(0, dtype=np.int64)
        self._group_start = np.zeros(1, dtype=np.int64)
        self._conflict_start, self._conflicts = np.zeros(1, np.int64), np.empty(0, np.int64)
        self._conflicting = np.empty((0, 2), dtype=np.int64)
        self._movable = np.ones(n_bags, dtype=bool)
        if constraints is not None and len(constraints) and _is_consistent(constraints):
            self._set_groups(constraints)

    def _set_groups(self, constraints: PairwiseConstraints) -> None:
        closure = constraints.groups()
        sizes = np.bincount(closure.groups[closure.groups >= 0], minlength=closure.n_groups)
        # Large groups first: they have the least freedom.
        rank = np.empty(closure.n_groups, dtype=np.int64)
        rank[np.argsort(-sizes, kind="stable")] = np.arange(closure.n_groups)
        group = np.where(closure.groups >= 0, rank[closure.groups], -1)
        self._movable = group < 0
        constrained = np.flatnonzero(group >= 0)
        self._members = constrained[np.argsort(group[constrained], kind="stable")]
        starts = np.arange(closure.n_groups + 1)
        self._group_start = np.searchsorted(group[self._members], starts).astype(np.int64)
        both = rank[np.concatenate([closure.conflicts, closure.conflicts[:, ::-1]])]
        both = both[np.argsort(both[:, 0], kind="stable")]
        self._conflict_start = np.searchsorted(both[:, 0], starts).astype(np.int64)
        self._conflicts = np.ascontiguousarray(both[:, 1])
        first = self._members[self._group_start[:-1]]
        self._conflicting = first[both]

    def broken(self, labels: Labels, n_clusters: int) -> NDArray[np.bool_]:
        """Which individuals need a repair."""
        broken = np.zeros(len(labels), dtype=bool)
        if self.min_cluster_size > 0:
            flat = (labels + np.arange(len(labels))[:, None] * n_clusters).ravel()
            sizes = np.bincount(flat, minlength=len(labels) * n_clusters).reshape(-1, n_clusters)
            broken |= (sizes < self.min_cluster_size).any(axis=1)
        if len(self._members):
            first = np.repeat(self._members[self._group_start[:-1]], np.diff(self._group_start))
            broken |= (labels[:, self._members] != labels[:, first]).any(axis=1)
            one, other = self._conflicting.T
            broken |= (labels[:, one] == labels[:, other]).any(axis=1)
        return broken

    def apply(self, labels: Labels, distances: FloatArray) -> Labels:
        """Repaired partitions; ``distances`` are those to the centroids of ``labels``."""
        labels = labels.copy()
        for row, own in zip(labels, distances, strict=True):
            if len(self._members):
                place_groups(
                    row, own, self._members, self._group_start, self._conflict_start, self._conflicts
                )
            if self.min_cluster_size > 0:
                fill_small(row, own, self.min_cluster_size, self._movable)
        return labels

    def filled(self, labels: Labels, distances: FloatArray, empty: str) -> Labels:
        """Partitions without empty clusters, unless those are kept."""
        if empty not in ("farthest", "closest", "keep"):
            raise ValueError(f"empty must be 'farthest', 'closest' or 'keep', got {empty!r}.")
        if empty != "keep":
            for row, own in zip(labels, distances, strict=True):
                fill_empty(row, own, empty == "farthest")
        return labels


def _is_consistent(constraints: Any) -> bool:
    component = constraints.components()[constraints.cannot_link]
    return not bool((component[:, 0] == component[:, 1]).any())


def make_task(
    geometry: BagGeometry,
    objective: Objective,
    *,
    reading: Reading = "between",
    rule: int = 0,
    least: int = 0,
    constraints: PairwiseConstraints | None = None,
    penalty: float = 0.0,
) -> Task:
    """The objective with its constants.

    Parameters
    ----------
    geometry : BagGeometry
    objective : {"db", "twcv", "ftwcv"}
    reading : {"between", "printed", "printed_meansq"}, default="between"
        Of FTWCV.
    rule : int
        How genes are drawn.
    least : int
        Bags that no move may leave a cluster with fewer of.
    constraints : PairwiseConstraints, optional
    penalty : float
        The objective is multiplied by 1 + penalty * violation.
    """
    if objective not in get_args(Objective):
        raise ValueError(f"objective must be 'db', 'twcv' or 'ftwcv', got {objective!r}.")
    if reading not in get_args(Reading):
        raise ValueError(f"reading must be 'between', 'printed' or 'printed_meansq', got {reading!r}.")
    terms = np.zeros(geometry.n_bags)
    if objective == "ftwcv":
        if reading == "between":
            constant = float(geometry.weights @ np.einsum("bd,bd->b", geometry.means, geometry.means))
        else:
            terms = squared_norms(geometry, reading)
            constant = float(terms.sum())
    else:
        constant = 0.0
    start, bag, weight, free = signed_pairs(geometry.n_bags, constraints)
    literal = objective == "ftwcv" and reading != "between"
    return Task(
        CODES[objective], literal, constant, terms, rule, least, float(penalty), start, bag, weight, free
    )


def squared_norms(geometry: BagGeometry, reading: Reading) -> NDArray[np.float64]:
    """Of every bag, the mean squared norm of its instances, or the squared norm of their mean.

    In the coordinates of the bags: these readings depend on the origin.
    """
    if reading == "printed_meansq":
        means = geometry.means + geometry.center
        return np.asarray(np.einsum("bd,bd->b", means, means))
    bags = geometry.bags
    X = np.asarray(bags.instances, dtype=np.float64)
    squares = np.einsum("td,td->t", X, X)
    return np.asarray(np.add.reduceat(squares, bags.offsets[:-1]) / bags.sizes)


def signed_pairs(
    n_bags: int, constraints: PairwiseConstraints | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], float]:
    """Neighbours of every bag in the constraints, and what each adds to the violation when together.

    Shares of the must-links count below zero, since a must-link between bags that are together is not
    violated; the constant makes up for it.
    """
    if constraints is None or len(constraints) == 0:
        return np.zeros(n_bags + 1, np.int64), np.empty(0, np.int64), np.empty(0), 0.0
    must, cannot = constraints.must_link_weights, constraints.cannot_link_weights
    ends = np.concatenate([constraints.must_link, constraints.cannot_link])
    share = np.concatenate([-must / max(must.sum(), 1e-300), cannot / max(cannot.sum(), 1e-300)])
    one, other = np.concatenate([ends, ends[:, ::-1]]).T
    order = np.argsort(one, kind="stable")
    start = np.searchsorted(one[order], np.arange(n_bags + 1)).astype(np.int64)
    both = np.concatenate([share, share])[order]
    return start, np.ascontiguousarray(other[order]), both, float(must.sum() > 0)


class PairPenalty(PartitionRepair):
    """Assignments that weigh violated pairs against distances, and keep a least cluster size.

    Parameters
    ----------
    n_bags : int
    min_cluster_size : int
    constraints : PairwiseConstraints
    penalty : float
        The sum of the costs is multiplied by 1 + ``penalty`` times the violation, 0 to 2.
    power : {1, 2}
        Of the distances in the costs.

    Notes
    -----
    Bags in pairs move one after the other while that lowers the product: a local optimum.
    """

    def __init__(
        self,
        n_bags: int,
        min_cluster_size: int,
        constraints: PairwiseConstraints,
        *,
        penalty: float,
        power: int,
    ) -> None:
        super().__init__(n_bags, min_cluster_size, None)
        self.constraints = constraints
        self.penalty = penalty
        self.power = power
        self._pairs = signed_pairs(n_bags, constraints)[:3]

    def broken(self, labels: Labels, n_clusters: int) -> NDArray[np.bool_]:
        """All that violate a pair, or have small clusters."""
        return super().broken(labels, n_clusters) | (self.constraints.violation(labels) > 0)

    def apply(self, labels: Labels, distances: FloatArray) -> Labels:
        """Settled partitions; ``distances`` are those to what the clusters gather around."""
        labels = labels.copy()
        violations = self.constraints.violation(labels)
        for row, own, violation in zip(labels, distances**self.power, violations, strict=True):
            settle_pairs(row, own, *self._pairs, violation, self.penalty)
        return super().apply(labels, distances)


def pair_rule(
    n_bags: int,
    min_cluster_size: int,
    constraints: PairwiseConstraints | None,
    *,
    handling: str,
    penalty: float,
    power: int = 1,
) -> PartitionRepair | None:
    """What assignments are made to respect; None if nothing."""
    if constraints is None or handling == "repair":
        if constraints is None and min_cluster_size <= 1:
            return None
        return PartitionRepair(n_bags, min_cluster_size, constraints)
    return PairPenalty(n_bags, min_cluster_size, constraints, penalty=penalty, power=power)
