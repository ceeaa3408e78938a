"""Fuzzy clustering around modes: the problem, and spaces for category codes and numeric features."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from moo_clustering._arrays import FloatArray, at_least_one, choice, integer, require_squares
from moo_clustering._data import checked_array, checked_table
from moo_clustering._parallel import n_threads, named_losses, one_thread
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.problems.centers import fuzzy_memberships
from moo_clustering.problems.partition import SignedProblem

Metric = Literal["hamming", "euclidean"]
# The number of samples per block is constant, so that sums do not depend on the size of the population.
BLOCK_SAMPLES = 512
ALL_ITEMS, BLOCK_ITEMS = 1 << 25, 1 << 20
LEAST_PER_THREAD = 1 << 18
# Sums of memberships tie if they differ by less, because the order of summation affects them.
TIE = 1e-10
SPARSE_CATEGORIES = 64


class FuzzyModesProblem(SignedProblem):
    """Find modes of fuzzy clusters that are compact (pi) and well separated (sep).

    A mode contains the most frequent category (or the mean) of each attribute in a cluster. Genes are the
    concatenated attributes of K modes. Evaluation replaces each mode with the mode of its fuzzy cluster,
    scores the new modes, and writes them to ``out["X"]``. Raises a ValueError for invalid categories or
    infinite values. Source: Mukhopadhyay, Maulik and Bandyopadhyay, IEEE TEVC 13, 2009.

    - ``pi``, minimised: mean distance from a cluster's members to its mode, summed over clusters.
    - ``sep``, maximised (-sep in ``F``): sum of distances between modes, with higher weights for close modes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Category codes 0, 1, ... of each attribute. With ``metric="euclidean"``: numeric features.
    n_clusters : int
        Number K of clusters, from 1 to n_samples; sep is 0 for K = 1.
    metric : {"hamming", "euclidean"}, default="hamming"
        Distance: the number of differing attributes ("hamming"), or the Euclidean distance.
    fuzziness : float, default=2
        Exponent of memberships, greater than 1. If it is near 1, memberships are near 0 or 1.

    Attributes
    ----------
    space : HammingSpace or EuclideanSpace
        Data, attribute values and distances.

    Notes
    -----
    A population of P individuals takes O(P K N C) time for N samples, where C is the total number of
    categories, or the number of features. Temporary arrays take at most 256 MB. The order of modes and the
    number of threads do not affect objectives. Two modes can be equal, and a mode can be the nearest mode of
    no sample. pymoo stores genes as float64; convert ``res.X`` with :meth:`modes` or :meth:`decode`.

    Examples
    --------
    >>> X = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [2, 1, 2], [2, 2, 2]]
    >>> problem = FuzzyModesProblem(X, 2)
    >>> problem.natural(problem.evaluate(np.array([[0, 0, 1, 2, 1, 2]]))).round(4)
    array([[0.8646, 6.    ]])
    """

    objective_names = ("pi", "sep")
    _signs = np.array([1.0, -1.0])

    def __init__(
        self,
        X: ArrayLike,
        n_clusters: int,
        *,
        metric: Metric = "hamming",
        fuzziness: float = 2.0,
        n_jobs: int | None = None,
    ) -> None:
        self.metric: Metric = choice("metric", metric, get_args(Metric))
        self.space: HammingSpace | EuclideanSpace = SPACES[metric](X)
        self.n_samples, self.n_features = self.space.data.shape
        self.n_clusters = integer("n_clusters", n_clusters, 1, self.n_samples, ", the number of samples")
        self.fuzziness = at_least_one("fuzziness", fuzziness, strictly=True)
        self.n_jobs = n_jobs
        xl, xu = (np.tile(bound, self.n_clusters) for bound in (self.space.lower, self.space.upper))
        super().__init__(n_var=len(xl), n_obj=2, xl=xl, xu=xu, vtype=self.space.dtype.type)

    def modes(self, X: ArrayLike) -> NDArray[Any]:
        """Convert genotypes such as ``res.X`` to modes, shape (n_individuals, n_clusters, n_features).

        Modes are float64 or, for categories, rounded to int32 codes. A single genotype is treated as a
        population. Raises a ValueError if the number of genes is wrong, or if genes are invalid or infinite.
        """
        genes = np.atleast_2d(np.asarray(X))
        if genes.ndim != 2 or genes.shape[1] != self.n_var:
            raise ValueError(f"X must have {self.n_var} genes per individual, got shape {genes.shape}")
        numbers = genes if genes.dtype.kind in "iuf" else checked_array(genes, "X", np.float64)
        return self.space.checked(numbers.reshape(-1, self.n_clusters, self.n_features))

    def memberships(self, X: ArrayLike) -> FloatArray:
        """Return the memberships u_ik, shape (n_individuals, n_clusters, n_samples)."""
        modes = self.modes(X)
        u = np.empty((len(modes), self.n_clusters, self.n_samples))
        for rows, part in product(self._individuals(len(modes)), self._samples()):
            u[rows, :, part] = self._shares(self.space.distances(modes[rows], part))
        return u

    def decode(self, X: ArrayLike) -> NDArray[np.int32]:
        """Assign samples to their nearest modes (the first on ties); number clusters by first appearance."""
        return relabel_by_first_appearance(self.nearest(X))

    def nearest(self, X: ArrayLike) -> NDArray[np.int32]:
        """Return each sample's nearest mode (the first on ties), shape (n_individuals, n_samples)."""
        modes = self.modes(X)
        labels = np.empty((len(modes), self.n_samples), dtype=np.int32)
        for rows, part in product(self._individuals(len(modes)), self._samples()):
            labels[rows, part] = self.space.distances(modes[rows], part).argmin(axis=1)
        return labels

    def canonical(self, X: ArrayLike) -> NDArray[Any]:
        """Sort each genotype's modes lexicographically, for ``CanonicalDuplicates``."""
        modes = self.modes(X)
        sorted_modes = np.take_along_axis(modes, _sorted_modes(modes)[:, :, None], axis=1)
        return sorted_modes.reshape(len(modes), self.n_var)

    def modes_of(self, labels: ArrayLike) -> NDArray[Any]:
        """Return the modes (k, n_features) of clusters 0..k-1 in a partition of shape (n_samples,).

        A mode contains the most frequent category (the first on ties) or the mean value of each attribute.
        """
        partition = np.asarray(labels)
        k = int(partition.max()) + 1
        modes = np.tile(self.space.lower, (1, k, 1))
        sums, total = np.zeros((1, k, self.space.width)), np.zeros((1, k))
        for part in self._samples():
            member = (partition[part] == np.arange(k)[:, None]).astype(np.float64)[None]
            sums += self.space.sums(member, part)
            total += member.sum(axis=2)
        return self.space.update(sums, total, modes)[0]

    def encode(self, labels: ArrayLike) -> NDArray[Any]:
        """Encode partitions by their modes; if there are fewer than K clusters, the last mode is repeated."""
        modes = map(self.modes_of, np.atleast_2d(np.asarray(labels)))
        rows = np.minimum(np.arange(self.n_clusters), [[int(np.max(row))] for row in np.atleast_2d(labels)])
        return np.stack([m[r].ravel() for m, r in zip(modes, rows, strict=True)])

    def draw(self, positions: NDArray[np.intp], rng: np.random.Generator) -> NDArray[Any]:
        """Draw the genes at these positions, uniformly from the values or range of each gene's attribute."""
        return self.space.draw(positions % self.n_features, rng)

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        modes = self.modes(X)
        order = _sorted_modes(modes)
        modes = np.take_along_axis(modes, order[:, :, None], axis=1)
        first, inverse = distinct_rows(modes.reshape(len(modes), self.n_var))
        blocks = [modes[first[rows]] for rows in self._individuals(max(len(first), 1))]
        workers = min(n_threads(self.n_jobs), len(blocks))
        with named_losses(), ThreadPoolExecutor(workers) as pool, one_thread("blas"):
            results = list((pool.map if workers > 1 else map)(self._score, blocks))
        improved, F = (np.concatenate(part) for part in zip(*results, strict=True))
        back = np.argsort(order, axis=1)[:, :, None]
        written = np.take_along_axis(improved[inverse], back, axis=1)
        out["X"] = written.reshape(len(written), self.n_var)
        out["F"] = F[inverse]

    def _score(self, modes: NDArray[Any]) -> tuple[NDArray[Any], FloatArray]:
        """Improve modes of shape (n_individuals, n_modes, n_features), and compute their objectives."""
        shape = modes.shape[:2]
        sums, total = np.zeros((*shape, self.space.width)), np.zeros(shape)
        for part in self._samples():
            u_m = powered(self._shares(self.space.distances(modes, part)), self.fuzziness)
            sums += self.space.sums(u_m, part)
            total += u_m.sum(axis=2)
        modes = self.space.update(sums, total, modes)
        scatter, size = np.zeros(shape), np.zeros(shape)
        for part in self._samples():
            distances = self.space.distances(modes, part)
            u = self._shares(distances)
            size += u.sum(axis=2)
            distances *= powered(u, self.fuzziness)
            scatter += distances.sum(axis=2)
        pi, sep = compactness(scatter, size), separation(self.space.between(modes), self.fuzziness)
        return modes, np.column_stack([pi, -sep])

    def _shares(self, distances: FloatArray) -> FloatArray:
        return fuzzy_memberships(distances, self.fuzziness, axis=-2)

    def _samples(self) -> Iterator[slice]:
        return (slice(lo, lo + BLOCK_SAMPLES) for lo in range(0, self.n_samples, BLOCK_SAMPLES))

    def _individuals(self, n_individuals: int) -> Iterator[slice]:
        """Split a population into blocks that limit the memory and occupy all threads."""
        k, threads = self.n_clusters, n_threads(self.n_jobs)
        items = k * (4 * min(self.n_samples, BLOCK_SAMPLES) + 3 * self.space.width + 2 * k)
        step = max(1, min(BLOCK_ITEMS, ALL_ITEMS // threads) // items)
        if n_individuals * k * self.n_samples >= LEAST_PER_THREAD:
            step = min(step, -(-n_individuals // threads))
        return (slice(lo, lo + step) for lo in range(0, n_individuals, step))


def _sorted_modes(modes: NDArray[Any]) -> NDArray[np.intp]:
    return np.lexsort(np.moveaxis(modes, 2, 0)[::-1])


def powered(u: FloatArray, m: float) -> FloatArray:
    return np.square(u) if m == 2.0 else np.power(u, m)


def compactness(scatter: FloatArray, size: FloatArray) -> FloatArray:
    """Compute pi = sum_i scatter_i / size_i, where scatter_i = sum_k u_ik^m d_ik and size_i = sum_k u_ik."""
    return np.divide(scatter, size, out=np.zeros_like(scatter), where=size > 0.0).sum(axis=1)


def separation(between: FloatArray, m: float) -> FloatArray:
    """Compute sep = sum_i sum_{j != i} mu_ij^m d(z_i, z_j) per individual; 0 if there is only one mode."""
    # mu_ij is the membership of mode z_j in the cluster of z_i if the cluster of z_j itself is left out.
    n_modes = between.shape[1]
    if n_modes == 1:
        return np.zeros(len(between))
    others = between.copy()
    others[:, np.arange(n_modes), np.arange(n_modes)] = np.inf
    return (powered(fuzzy_memberships(others, m, axis=-2), m) * between).sum(axis=(1, 2))


class HammingSpace:
    """Space of category codes; the distance is the number of differing attributes."""

    # A 0/1 table has a row per sample and a column per category of each attribute, ``width`` columns in all.
    # Products with 0/1 tables of modes count equal attributes, which is exact even in float32. Products with
    # weights are the total weights of categories. A mode consists of the heaviest categories.

    dtype = np.dtype(np.int32)

    def __init__(self, X: ArrayLike) -> None:
        self.data = _codes(X)
        self.categories = self.data.max(axis=0).astype(np.int64) + 1
        self.lower, self.upper = np.zeros_like(self.data[0]), (self.categories - 1).astype(np.int32)
        self.starts = np.concatenate([[0], np.cumsum(self.categories)])
        self.width = int(self.starts[-1])

    def distances(self, modes: NDArray[Any], part: slice) -> FloatArray:
        """Compute the distances (n, n_modes, n_block) from modes (n, n_modes, n_features) to samples."""
        n, k, p = modes.shape
        equal = np.asarray(self._dense(modes.reshape(n * k, p)) @ self._table(part).T)
        return (p - equal.astype(np.float64, order="C")).reshape(n, k, equal.shape[1])

    def between(self, modes: NDArray[Any]) -> FloatArray:
        """Return the distances between modes, shape (n, n_modes, n_modes)."""
        columns = [(modes != modes[:, [i]]).sum(axis=2) for i in range(modes.shape[1])]
        return np.stack(columns, axis=2).astype(np.float64)

    def sums(self, weights: FloatArray, part: slice) -> FloatArray:
        """Return a block's weighted sums (n, n_modes, width), given the weights (n, n_modes, n_block)."""
        n, k, size = weights.shape
        sums = weights.reshape(n * k, size) @ self._table(part).astype(np.float64)
        return np.asarray(sums).reshape(n, k, self.width)

    def update(self, sums: FloatArray, total: FloatArray, modes: NDArray[Any]) -> NDArray[Any]:
        """Compute modes from sums; do not change modes whose ``total`` weight (n, n_modes) is 0."""
        updated = np.empty_like(modes)
        for feature, (lo, hi) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            of_category = sums[:, :, lo:hi]
            # Because of rounding errors, the first category with almost the largest sum is selected.
            enough = of_category.max(axis=2, keepdims=True) * (1.0 - TIE)
            updated[:, :, feature] = (of_category >= enough).argmax(axis=2)
        return np.where(total[:, :, None] > 0.0, updated, modes)

    def draw(self, features: NDArray[np.intp], rng: np.random.Generator) -> NDArray[Any]:
        return rng.integers(0, self.categories[features])

    def checked(self, modes: NDArray[Any]) -> NDArray[Any]:
        """Convert genes to modes, or raise a ValueError if a gene is not a known category."""
        codes = np.rint(modes)
        # Comparisons with NaN are false, so genes that are NaN are rejected, too.
        if not ((codes >= 0) & (codes <= self.upper)).all():
            raise ValueError("X contains categories that are not in the data; pass a repair to the algorithm")
        return codes.astype(np.int32)

    def _table(self, part: slice) -> Any:
        codes = self.data[part]
        n, p = codes.shape
        if self.width <= SPARSE_CATEGORIES * p:
            return self._dense(codes)
        columns = (codes + self.starts[:-1]).ravel()
        ones = np.ones(n * p, dtype=np.float32)
        return sp.csr_array((ones, columns, np.arange(0, n * p + 1, p)), shape=(n, self.width))

    def _dense(self, codes: NDArray[Any]) -> NDArray[np.float32]:
        table = np.zeros((len(codes), self.width), dtype=np.float32)
        table[np.arange(len(codes))[:, None], codes + self.starts[:-1]] = 1.0
        return table


def _codes(X: ArrayLike) -> NDArray[np.int32]:
    values = checked_table(X, dtype=None)
    if values.dtype.kind not in "biuf" or (values != np.rint(values)).any():
        raise ValueError("metric='hamming' requires category codes 0, 1, ..., but X contains other values")
    if values.min() < 0:
        raise ValueError(f"metric='hamming' requires category codes 0, 1, ..., but X contains {values.min()}")
    most = 10 * len(values) + 1000
    if values.max() > most:
        column = int(values.max(axis=0).argmax())
        raise ValueError(
            f"metric='hamming' requires category codes 0, 1, ... without large gaps, but column {column} of "
            f"X contains {values.max()} for {len(values)} samples, more than {most}; renumber its categories"
        )
    return values.astype(np.int32)


class EuclideanSpace:
    """Space of numeric features. Euclidean distances are float64, and exactly 0 for identical samples."""

    dtype = np.dtype(np.float64)

    def __init__(self, X: ArrayLike) -> None:
        self.data: FloatArray = checked_table(X, order="C")
        self.lower, self.upper = self.data.min(axis=0), self.data.max(axis=0)
        require_squares(self.data)
        self.width = self.data.shape[1]
        # If features are far from 0, subtracting the first sample before weighting prevents a loss of
        # precision.
        self._center = self.data[0].copy()

    def distances(self, modes: NDArray[Any], part: slice) -> FloatArray:
        n, k, p = modes.shape
        D: FloatArray = cdist(modes.reshape(n * k, p), self.data[part])
        return D.reshape(n, k, D.shape[1])

    def between(self, modes: NDArray[Any]) -> FloatArray:
        columns = [np.sqrt(np.square(modes - modes[:, [i]]).sum(axis=2)) for i in range(modes.shape[1])]
        return np.stack(columns, axis=2)

    def sums(self, weights: FloatArray, part: slice) -> FloatArray:
        return weights @ (self.data[part] - self._center)

    def update(self, sums: FloatArray, total: FloatArray, modes: NDArray[Any]) -> NDArray[Any]:
        there = total[:, :, None] > 0.0
        means = np.divide(sums, total[:, :, None], out=np.zeros_like(sums), where=there) + self._center
        return np.where(there, np.clip(means, self.lower, self.upper), modes)

    def draw(self, features: NDArray[np.intp], rng: np.random.Generator) -> NDArray[Any]:
        return rng.uniform(self.lower[features], self.upper[features])

    def checked(self, modes: NDArray[Any]) -> NDArray[Any]:
        if not np.isfinite(modes).all():
            raise ValueError("X must contain finite modes")
        return np.ascontiguousarray(modes, dtype=np.float64)


SPACES: dict[str, type[Any]] = {"hamming": HammingSpace, "euclidean": EuclideanSpace}


def mode_distances(rows: NDArray[Any], modes: NDArray[Any], metric: str) -> FloatArray:
    """Compute distances (n_modes, n_rows) from modes to rows; code -1 in a row differs from all modes."""
    if metric == "euclidean":
        return cdist(modes, rows)
    return np.stack([np.count_nonzero(rows != mode, axis=1) for mode in modes]).astype(np.float64)
