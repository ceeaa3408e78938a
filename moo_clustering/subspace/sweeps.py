"""Subspace clustering: memberships, weights, sweeps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse
from scipy.special import entr
from sklearn.preprocessing import normalize
from sklearn.utils import check_array

from moo_clustering._arrays import AnyFloatArray, block_slices
from moo_clustering._kernels.subspace import (
    feature_moments,
    finish_distances,
    fuzzy_panel,
    label_moments,
    multiply_rows,
    quadratic_rows,
    soften_rows,
    update_rows,
    weigh_features,
    weight_panel,
)
from moo_clustering._kernels.threads import for_parts
from moo_clustering._targets import Targets

# Denominators up to this are taken as 0.
_NOTHING = 1e-12
# Labelled samples handled at once: bounds the temporary arrays.
_CHUNK = 4096
# A dense matrix with a larger share of non-zeros is not worth compressing.
_DENSE = 0.3
BLOCK = 128
# A distance this many roundings of its terms or less is a cancellation.
_ROUNDINGS = 16.0
Normalisation = Literal["mean", "count", "none"] | None
ChiScale = Literal["n", "n_labelled"]
Init = Literal["labels", "seeds", "kmeans", "dirichlet", "equal"]
Aggregation = Literal["normalised", "sum", "membership"]
IMPURITIES = ("mean", "count", "none", None)
CHI_SCALES = ("n", "n_labelled")
AGGREGATIONS = ("normalised", "sum", "membership")


def chi_square(
    a: NDArray[np.floating[Any]],
    sizes: NDArray[np.float64],
    frequencies: NDArray[Any],
    n_samples: int,
    scale: float,
) -> NDArray[np.float64]:
    """Chi-square of every feature and cluster.

    Parameters
    ----------
    a : ndarray of shape (n_features, n_clusters)
        Mass of a cluster that has the feature.
    sizes : ndarray of shape (n_clusters,)
        Mass of the clusters.
    frequencies : ndarray of shape (n_features,)
        Samples that have the feature.
    n_samples : int
        Total of the tables.
    scale : float
        Factor of the statistic: ``n_samples`` for chi-square itself.

    Returns
    -------
    ndarray of shape (n_features, n_clusters)
        At least 0; 0 for features that all samples or none have.

    Notes
    -----
    With b = df - a, c = S' - a, d = n - S' - b the usual (a d - b c)^2 / ((a + c)(b + d)(a + b)(c + d)) is
    (n a - S' df)^2 / (S' (n - S') df (n - df)), since a + b = df and a + c = S'.
    """
    found = np.asarray(frequencies, dtype=np.float64)[:, None]
    difference = n_samples * np.asarray(a, dtype=np.float64) - sizes * found
    below = np.maximum(sizes * (n_samples - sizes), 0.0) * (found * (n_samples - found))
    out = np.zeros(difference.shape)
    np.divide(scale * difference**2, below, out=out, where=below > _NOTHING)
    return out


class Iterated(NamedTuple):
    """What sweeps led to.

    Attributes
    ----------
    sweep : Sweep
        The last one.
    history : ndarray of shape (n_iter,)
        Objectives of all sweeps.
    n_iter : int
    converged : bool
        Whether memberships stayed.
    """

    sweep: Sweep
    history: NDArray[np.float64]
    n_iter: int
    converged: bool


def iterate(
    data: SubspaceData,
    targets: Targets,
    memberships: NDArray[np.floating[Any]],
    options: SubspaceOptions,
    *,
    max_iter: int = 15,
    tol: float = 1e-4,
) -> Iterated:
    """Sweep until no membership changes by ``tol`` or more, at most ``max_iter`` times.

    The objective may rise from sweep to sweep, since impurities and chi-square change with the memberships.

    Parameters
    ----------
    data : SubspaceData
    targets : Targets
    memberships : ndarray of shape (n_samples, n_clusters)
        Where to start; see :func:`start`.
    options : SubspaceOptions
    max_iter : int, default=15
        At least 1.
    tol : float, default=1e-4

    Returns
    -------
    Iterated

    Raises
    ------
    ValueError
        ``max_iter`` below 1 or ``tol`` below 0.
    """
    if max_iter < 1:
        raise ValueError(f"max_iter must be at least 1, got {max_iter!r}")
    if not tol >= 0:
        raise ValueError(f"tol must be at least 0, got {tol!r}")
    check_targets(targets, data)
    given, centers = as_memberships(memberships, data), None
    labelled = labelled_shares(given, targets)
    history: list[float] = []
    while True:
        state, labelled = sweep_from(data, targets, given, labelled, options, centers)
        history.append(state.objective)
        if state.change < tol or len(history) == max_iter:
            break
        # The rest of the old state is not kept alive while the new one is made.
        given, centers = state.memberships, state.centers
        del state
    return Iterated(state, np.array(history), len(history), state.change < tol)


class LabelledShares(NamedTuple):
    """Shares of classes and the labelled mass |L_l| they are shares of."""

    shares: NDArray[np.float64]
    sizes: NDArray[np.float64]


def labelled_shares(memberships: NDArray[np.floating[Any]], targets: Targets) -> LabelledShares:
    """Shares (1), with the denominator that is missing there; unlabelled samples are never read."""
    k = memberships.shape[1]
    sums, sizes = np.zeros((k, targets.n_classes)), np.zeros(k)
    rows = targets.rows
    for first in range(0, len(rows), _CHUNK):
        part = rows[first : first + _CHUNK]
        weights = memberships[part].astype(np.float64, copy=False)
        sums += weights.T @ targets.indicators[part]
        sizes += weights.sum(axis=0)
    shares = np.tile(overall_shares(targets), (k, 1))
    np.divide(sums, sizes[:, None], out=shares, where=sizes[:, None] > 0)
    return LabelledShares(np.clip(shares, 0.0, 1.0), sizes)


def class_shares(memberships: NDArray[np.floating[Any]], targets: Targets) -> NDArray[np.float64]:
    """Shares of the classes in each cluster.

    Parameters
    ----------
    memberships : ndarray of shape (n_samples, n_clusters)
    targets : Targets
        Rows of unlabelled samples are never read.

    Returns
    -------
    ndarray of shape (n_clusters, n_classes)
        In 0..1; those of all labelled samples where a cluster has none, 0 where nothing is labelled.
    """
    return labelled_shares(memberships, targets).shares


def overall_shares(targets: Targets) -> NDArray[np.float64]:
    """Shares of the classes among all labelled samples.

    Parameters
    ----------
    targets : Targets

    Returns
    -------
    ndarray of shape (n_classes,)
        0 where nothing is labelled.
    """
    rows = targets.rows
    if len(rows) == 0:
        return np.zeros(targets.n_classes)
    found: NDArray[np.float64] = targets.indicators[rows].mean(axis=0)
    return found


class SubspaceData:
    """A matrix of samples by features; see :meth:`of`.

    Attributes
    ----------
    matrix : SparseMatrix or DenseMatrix
    dtype : numpy.dtype
        Type of panels, centroids, weights and memberships; sums over samples or features are float64.
    n_jobs : int or None
        Threads, as for joblib; results do not depend on them.
    """

    def __init__(self, matrix: SparseMatrix | DenseMatrix, dtype: DTypeLike, n_jobs: int | None) -> None:
        self.matrix = matrix
        self.dtype = np.dtype(dtype)
        self.n_jobs = n_jobs

    @classmethod
    def of(cls, X: Any, *, dtype: DTypeLike = "float64", n_jobs: int | None = None) -> Self:
        """Check data and keep them as a sweep reads them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers. Zeros and ones are the fast case. A dense matrix of which at most 30 % is not
            0 is compressed.
        dtype : {"float64", "float32"}, default="float64"
        n_jobs : int or None, default=None

        Raises
        ------
        ValueError
            Not a matrix of finite numbers, numbers whose squares overflow, or another ``dtype``.
        """
        kind = _checked_dtype(dtype)
        given = check_array(X, accept_sparse="csr", dtype="numeric", input_name="X")
        if given.dtype.kind not in "fiub":
            raise ValueError(f"X must hold real numbers, got values of type {given.dtype}")
        if given.dtype == np.float16:
            given = given.astype(kind)  # sparse matrices have no such type
        _check_size(given, kind)
        if not issparse(given) and np.count_nonzero(given) > _DENSE * given.size:
            return cls(DenseMatrix(given, kind), kind, n_jobs)
        return cls(SparseMatrix(_canonical(given), kind), kind, n_jobs)

    @property
    def n(self) -> int:
        """Samples."""
        return self.matrix.shape[0]

    @property
    def m(self) -> int:
        """Features."""
        return self.matrix.shape[1]

    @property
    def is_binary(self) -> bool:
        """Whether all values are 0 or 1."""
        return self.matrix.is_binary

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """Samples in which each feature is not 0, shape (m,)."""
        return self.matrix.frequencies

    @property
    def varying(self) -> NDArray[np.bool_]:
        """Features that are not the same in all samples, shape (m,); only they have weight."""
        return self.matrix.varying

    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature, shape (m,)."""
        return self.matrix.mean()

    def rows(self, indices: NDArray[np.integer[Any]]) -> AnyFloatArray:
        """Some samples, dense, shape (len(indices), m)."""
        return self.matrix.rows(np.asarray(indices), self.dtype)

    def by_column(self, P: AnyFloatArray) -> NDArray[np.float64]:
        """X^T P, shape (m, c), for P of shape (n, c)."""
        return self._by_column(P, False)

    def squares_by_column(self, P: AnyFloatArray) -> NDArray[np.float64]:
        """The product of the squares of the values, transposed, with P, shape (m, c)."""
        return self._by_column(P, not self.is_binary)

    def by_row(self, Q: AnyFloatArray) -> NDArray[np.float64]:
        """X Q, shape (n, c), for Q of shape (m, c)."""
        panel = np.ascontiguousarray(Q, dtype=self.dtype)
        out = np.empty((self.n, panel.shape[1]))

        def kernel(block: int, lo: int, hi: int) -> None:
            self.matrix.by_row(panel, lo, hi, out[lo:hi])

        for_blocks(kernel, self.n, self.n_operations(panel.shape[1]), self.n_jobs)
        return out

    def n_operations(self, width: int) -> float:
        """About how many operations a product with a panel of so many columns takes."""
        return float(self.matrix.n_stored + self.n) * width

    def _by_column(self, P: AnyFloatArray, squared: bool) -> NDArray[np.float64]:
        panel = np.ascontiguousarray(P, dtype=self.dtype)
        out = np.empty((self.m, panel.shape[1]))

        def kernel(block: int, lo: int, hi: int) -> None:
            self.matrix.by_column(panel, squared, lo, hi, out[lo:hi])

        for_blocks(kernel, self.m, self.n_operations(panel.shape[1]), self.n_jobs)
        return out


def _checked_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = ""
    if name not in ("float32", "float64"):
        raise ValueError(f"dtype must be 'float64' or 'float32', got {dtype!r}")
    return np.dtype(name)


def _check_size(X: Any, dtype: np.dtype[Any]) -> None:
    values = X.data if issparse(X) else X
    largest = max(abs(float(values.max(initial=0))), abs(float(values.min(initial=0))))
    if largest > np.sqrt(float(np.finfo(dtype).max)) / 1e4 / np.sqrt(
        max(1.0, float(X.shape[0]) * X.shape[1])
    ):
        raise ValueError(
            f"X has values so large that sums of their squares overflow in {dtype.name}: up to {largest:g} "
            "in size; rescale it"
        )


def _canonical(X: Any) -> csr_array:
    """A sparse matrix without duplicates and stored zeros; what the caller gave stays as it is."""
    matrix = csr_array(X)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def n_blocks(count: int) -> int:
    """Number of blocks of 0..count-1."""
    return -(-count // BLOCK)


def for_blocks(
    kernel: Callable[[int, int, int], None], count: int, n_operations: float, n_jobs: int | None
) -> None:
    """Call ``kernel(block, lo, hi)`` for every block, on threads where that pays.

    Sums by block, added in their order, are then the same on any number of threads.
    """

    def part(first: int, last: int) -> None:
        for block in range(first, last):
            kernel(block, block * BLOCK, min((block + 1) * BLOCK, count))

    for_parts(part, n_blocks(count), n_operations, n_jobs)


class DenseMatrix:
    """Finite dense matrix.

    Values other than 0 and 1 are taken relative to the mean of their feature wherever squares are
    formed, so that a large common offset costs no digits.
    """

    def __init__(self, matrix: NDArray[Any], dtype: DTypeLike) -> None:
        self._X: AnyFloatArray = np.ascontiguousarray(matrix, dtype=dtype)
        self.shape: tuple[int, int] = self._X.shape
        self.is_binary = bool(((self._X == 0) | (self._X == 1)).all())
        self.shift = np.zeros(self.shape[1]) if self.is_binary else self.mean()

    @property
    def n_stored(self) -> int:
        """Number of values."""
        return self._X.size

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What tells it from other matrices."""
        return (self._X,)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """Samples that have each feature."""
        return np.count_nonzero(self._X, axis=0).astype(np.int64)

    @cached_property
    def varying(self) -> NDArray[np.bool_]:
        """Features that are not the same in all samples."""
        found: NDArray[np.bool_] = self._X.min(axis=0) < self._X.max(axis=0)
        return found

    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature."""
        found: NDArray[np.float64] = self._X.mean(axis=0, dtype=np.float64)
        return found

    def rows(self, indices: NDArray[np.integer[Any]], dtype: DTypeLike) -> AnyFloatArray:
        """Some rows."""
        return self._X[indices].astype(dtype, copy=False)

    def unit_rows(self) -> AnyFloatArray:
        """Rows of length 1; rows of zeros stay."""
        found: AnyFloatArray = normalize(self._X)
        return found

    def by_column(
        self, panel: AnyFloatArray, squared: bool, lo: int, hi: int, out: NDArray[np.float64]
    ) -> None:
        """out = features lo..hi-1 of X^T, or of its squares, times a panel."""
        out[:] = 0.0
        for chunk in self._chunks():
            part = self._X[chunk, lo:hi]
            out += (part * part if squared else part).T @ panel[chunk]

    def by_row(self, panel: AnyFloatArray, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """out = samples lo..hi-1 of X times a panel."""
        out[:] = self._X[lo:hi] @ panel

    def moments(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Sums of w^f x, w [x != 0] and (unless binary) w^f x^2 by feature, for the panel [W^f | W]."""
        if self.is_binary:
            self.by_column(panel, False, lo, hi, out)
            return
        out[:] = 0.0
        for chunk in self._chunks():
            given = self._X[chunk, lo:hi]
            part = self._moved(given, lo, hi)
            out[:, :k] += part.T @ panel[chunk, :k]
            out[:, k : 2 * k] += (given != 0).astype(given.dtype).T @ panel[chunk, k:]
            out[:, 2 * k :] += (part * part).T @ panel[chunk, :k]

    def label_moments(
        self,
        labels: NDArray[np.int32],
        lo: int,
        hi: int,
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
    ) -> None:
        """Sums of x - shift and (x - shift)^2 by feature and label."""
        sums[:] = 0.0
        squares[:] = 0.0
        for chunk in self._chunks():
            part = self._moved(self._X[chunk, lo:hi], lo, hi)
            owners = (labels[chunk, None] == np.arange(sums.shape[1])).astype(part.dtype)
            sums += part.T @ owners
            squares += (part * part).T @ owners

    def weighted(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Products of samples lo..hi-1 with the panel of weights."""
        if self.is_binary:
            self.by_row(panel, lo, hi, out)
            return
        part = self._moved(self._X[lo:hi], 0, self.shape[1])
        out[:] = part @ panel[:, :k]
        out += (part * part) @ panel[:, k:]

    def _moved(self, part: AnyFloatArray, lo: int, hi: int) -> AnyFloatArray:
        return part - self.shift[lo:hi].astype(part.dtype)

    def _chunks(self) -> Iterator[slice]:
        for start in range(0, self.shape[0], _CHUNK):
            yield slice(start, start + _CHUNK)


class Compressed(NamedTuple):
    """A sparse matrix by rows; without values, all entries are 1."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: AnyFloatArray


class SparseMatrix:
    """Finite sparse matrix without stored zeros or duplicates."""

    def __init__(self, matrix: Any, dtype: DTypeLike) -> None:
        self.shape: tuple[int, int] = matrix.shape
        self.is_binary = bool((matrix.data == 1).all())
        self.shift = np.zeros(self.shape[1])
        values = np.zeros(0, dtype) if self.is_binary else matrix.data.astype(dtype)
        self._rows = Compressed(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), values)

    @property
    def n_stored(self) -> int:
        """Number of non-zeros."""
        return len(self._rows.indices)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What tells it from other matrices."""
        return (np.array(self.shape), *self._rows)

    @cached_property
    def _columns(self) -> Compressed:
        values = np.ones(self.n_stored, np.int8) if self.is_binary else self._rows.values
        matrix = csr_array((values, self._rows.indices, self._rows.indptr), shape=self.shape).tocsc()
        kept = self._rows.values if self.is_binary else matrix.data
        return Compressed(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), kept)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """Samples that have each feature."""
        return np.bincount(self._rows.indices, minlength=self.shape[1]).astype(np.int64)

    @cached_property
    def varying(self) -> NDArray[np.bool_]:
        """Features that are not the same in all samples."""
        n, found = self.shape[0], self.frequencies
        if self.is_binary or not (found == n).any():
            return (found > 0) & (found < n)
        full = np.flatnonzero(found == n)
        columns, varying = self._columns, found > 0
        for i in full:
            values = columns.values[columns.indptr[i] : columns.indptr[i + 1]]
            varying[i] = (values != values[0]).any()
        return varying

    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature."""
        weights = None if self.is_binary else self._rows.values.astype(np.float64)
        total = np.bincount(self._rows.indices, weights=weights, minlength=self.shape[1])
        return total / self.shape[0]

    def rows(self, indices: NDArray[np.integer[Any]], dtype: DTypeLike) -> AnyFloatArray:
        """Some rows, dense."""
        out = np.zeros((len(indices), self.shape[1]), dtype)
        indptr, columns, values = self._rows
        for r, j in enumerate(indices):
            where = slice(indptr[j], indptr[j + 1])
            out[r, columns[where]] = 1.0 if self.is_binary else values[where]
        return out

    def unit_rows(self) -> Any:
        """Rows of length 1, as a sparse matrix; rows of zeros stay."""
        starts, indices, values = self._rows
        values = np.ones(len(indices)) if self.is_binary else values.astype(np.float64)
        where = np.repeat(np.arange(self.shape[0]), np.diff(starts))
        lengths = np.sqrt(np.bincount(where, weights=values * values, minlength=self.shape[0]))
        lengths[lengths == 0.0] = 1.0  # squares of the least numbers are 0
        # k-means takes no other indices than int32.
        fits = len(indices) <= np.iinfo(np.int32).max
        indptr = starts.astype(np.int32) if fits else starts
        return csr_array((values / lengths[where], indices, indptr), shape=self.shape)

    def by_column(
        self, panel: AnyFloatArray, squared: bool, lo: int, hi: int, out: NDArray[np.float64]
    ) -> None:
        """out = features lo..hi-1 of X^T, or of its squares, times a panel."""
        multiply_rows(*self._columns, squared, panel, lo, hi, out)

    def by_row(self, panel: AnyFloatArray, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """out = samples lo..hi-1 of X times a panel."""
        multiply_rows(*self._rows, False, panel, lo, hi, out)

    def moments(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Sums of w^f x, w [x != 0] and (unless binary) w^f x^2 by feature, for the panel [W^f | W]."""
        if self.is_binary:
            multiply_rows(*self._columns, False, panel, lo, hi, out)
        else:
            feature_moments(*self._columns, panel, k, lo, hi, out)

    def label_moments(
        self,
        labels: NDArray[np.int32],
        lo: int,
        hi: int,
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
    ) -> None:
        """Sums of x and x^2 by feature and label."""
        label_moments(*self._columns, labels, lo, hi, sums, squares)

    def weighted(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Products of samples lo..hi-1 with the panel of weights."""
        if self.is_binary:
            multiply_rows(*self._rows, False, panel, lo, hi, out)
        else:
            quadratic_rows(*self._rows, panel, k, lo, hi, out)


class Updated(NamedTuple):
    """Memberships and distances, (n, k); the sum of w^f d (1 + Imp); the greatest change of a membership."""

    memberships: AnyFloatArray
    distances: NDArray[np.float64]
    loss: float
    change: float


def memberships_from_distances(
    distances: NDArray[np.float64], impurities: NDArray[np.float64], options: SubspaceOptions
) -> NDArray[np.float64]:
    """Memberships w proportional to (d (1 + Imp))^(-1 / (f - 1)).

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters)
        At least 0.
    impurities : ndarray of shape (n_clusters,)
    options : SubspaceOptions
        ``fuzziness`` and ``impurity_in_membership`` are read.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters), float64
        Rows sum to 1. Clusters at distance 0 share a sample equally.

    Raises
    ------
    ValueError
        Distances and impurities of another number of clusters.
    """
    given = np.ascontiguousarray(distances, dtype=np.float64)
    if given.ndim != 2 or np.shape(impurities) != given.shape[1:]:
        raise ValueError(
            "distances must have a column and impurities a value for each cluster, got the shapes "
            f"{given.shape} and {np.shape(impurities)}"
        )
    out = np.empty(given.shape)
    factors = _factors(1.0 + np.asarray(impurities, dtype=np.float64), options)
    power = 1.0 / (options.fuzziness - 1.0)
    soften_rows(given, factors, power, 0, len(given), np.empty(given.shape[1]), out)
    return out


def update(
    data: SubspaceData,
    weights: WeightPanel,
    impurities: NDArray[np.float64],
    memberships: AnyFloatArray,
    options: SubspaceOptions,
) -> Updated:
    """Distances and new memberships in one pass over the samples."""
    n, k = memberships.shape
    blame = 1.0 + impurities
    factors = _factors(blame, options)
    power = 1.0 / (options.fuzziness - 1.0)
    found, new = np.empty((n, k)), np.empty((n, k), data.dtype)
    losses = np.empty((n_blocks(n), 2))

    def kernel(block: int, lo: int, hi: int) -> None:
        fill(data, weights, lo, hi, found[lo:hi])
        update_rows(
            found,
            factors,
            blame,
            power,
            options.fuzziness,
            memberships,
            lo,
            hi,
            np.empty(k),
            new,
            losses[block],
        )

    for_blocks(kernel, n, data.n_operations(k) + 20.0 * n * k, data.n_jobs)
    return Updated(new, found, float(losses[:, 0].sum()), float(losses[:, 1].max()))


def _factors(blame: NDArray[np.float64], options: SubspaceOptions) -> NDArray[np.float64]:
    return blame if options.impurity_in_membership else np.ones(len(blame))


def as_memberships(values: Any, data: SubspaceData) -> AnyFloatArray:
    """Check memberships handed in for some data."""
    found: AnyFloatArray = np.ascontiguousarray(values, dtype=data.dtype)
    if found.ndim != 2 or len(found) != data.n or found.shape[1] < 1:
        raise ValueError(f"memberships must have shape ({data.n}, n_clusters), got {found.shape}")
    if not (found.min() >= 0 and found.max() < np.inf):
        raise ValueError(f"memberships must be finite and at least 0, got {found.min():g} to {found.max():g}")
    return found


class WeightPanel(NamedTuple):
    """What turns a product with X into distances: scales * (constants + product)."""

    panel: AnyFloatArray
    constants: NDArray[np.float64]
    scales: NDArray[np.float64]
    tolerance: float


def distances(
    data: SubspaceData,
    centers: NDArray[np.floating[Any]],
    log_weights: NDArray[np.floating[Any]],
    weight_exponent: float,
) -> NDArray[np.float64]:
    """Distances d = sum_i (m lambda_i)^q (z_i - x_i)^2 of samples to clusters.

    Parameters
    ----------
    data : SubspaceData
        Samples, of the training data or new ones.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
        Centroids and logarithms of the weights; features of weight 0 don't count in m.
    weight_exponent : float
        q.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters), float64
        Exactly 0 where it is 0 up to rounding.

    Raises
    ------
    ValueError
        Centers and weights of different shape, or of another number of features than the data.

    Notes
    -----
    O((non-zeros + features) * clusters) time, a panel of features * clusters numbers.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, equation (8).
    """
    if np.ndim(centers) != 2 or np.shape(centers) != np.shape(log_weights):
        raise ValueError(
            "centers and log_weights must have the same shape, (n_features, n_clusters); got "
            f"{np.shape(centers)} and {np.shape(log_weights)}"
        )
    if len(centers) != data.m:
        raise ValueError(f"data must have {len(centers)} features, as the centers do; got {data.m}")
    weights = prepare(data, centers, log_weights, weight_exponent)
    out = np.empty((data.n, centers.shape[1]))

    def kernel(block: int, lo: int, hi: int) -> None:
        fill(data, weights, lo, hi, out[lo:hi])

    for_blocks(kernel, data.n, data.n_operations(out.shape[1]), data.n_jobs)
    return out


def prepare(
    data: SubspaceData,
    centers: NDArray[np.floating[Any]],
    log_weights: NDArray[np.floating[Any]],
    weight_exponent: float,
) -> WeightPanel:
    """The panel g (1 - 2 z), or [-2 g z | g], with g = (lambda / greatest lambda of the cluster)^q."""
    m, k = centers.shape
    z = np.ascontiguousarray(centers, dtype=data.dtype)
    logs = np.ascontiguousarray(log_weights, dtype=data.dtype)
    tops = logs.max(axis=0).astype(np.float64)
    tops[np.isneginf(tops)] = 0.0
    panel = np.empty((m, k if data.is_binary else 2 * k), data.dtype)
    constants = np.empty((n_blocks(m), k))

    def kernel(block: int, lo: int, hi: int) -> None:
        weight_panel(
            z, logs, tops, weight_exponent, data.matrix.shift, data.is_binary, lo, hi, panel, constants[block]
        )

    for_blocks(kernel, m, 20.0 * m * k, data.n_jobs)
    n_weighted = max(1, int(np.count_nonzero(np.isfinite(logs).any(axis=1))))
    # m^q times lambda^q in one power: lambda^q alone would underflow with many features.
    scales = np.exp(weight_exponent * (tops + np.log(n_weighted)))
    tolerance = _ROUNDINGS * float(np.finfo(data.dtype).eps)
    return WeightPanel(panel, constants.sum(axis=0), scales, tolerance)


def fill(data: SubspaceData, weights: WeightPanel, lo: int, hi: int, out: NDArray[np.float64]) -> None:
    """Distances of samples lo..hi-1."""
    data.matrix.weighted(weights.panel, out.shape[1], lo, hi, out)
    finish_distances(weights.constants, weights.scales, weights.tolerance, out)


@dataclass(frozen=True)
class SubspaceOptions:
    """Options of a sweep, checked.

    Parameters
    ----------
    fuzziness : float, default=1.5
        f > 1, exponent of the memberships.
    weight_exponent : float, default=5.0
        q > 1, exponent of the weights of features.
    gamma : float, default=0.5
        Weight of chi-square, at least 0.
    impurity : {"mean", "count", "none", None}, default="mean"
        Normalisation of the impurity of clusters; None: no impurity.
    impurity_in_membership : bool, default=True
        Whether impurity makes clusters farther, as in equation (10).
    chi_scale : {"n", "n_labelled"}, default="n"
        Total of the tables of which chi-square is taken.
    floor : float, default=1e-6
        Least dispersion of a feature in a cluster.

    Raises
    ------
    ValueError
        A value outside its range.
    """

    fuzziness: float = 1.5
    weight_exponent: float = 5.0
    gamma: float = 0.5
    impurity: Normalisation = "mean"
    impurity_in_membership: bool = True
    chi_scale: ChiScale = "n"
    floor: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("fuzziness", "weight_exponent"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and float(value) > 1 and math.isfinite(value)):
                raise ValueError(f"{name} must be a finite number above 1, got {value!r}")
        for name in ("gamma", "floor"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and float(value) >= 0 and math.isfinite(value)):
                raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
        if self.impurity not in IMPURITIES:
            raise ValueError(f"impurity must be 'mean', 'count', 'none' or None, got {self.impurity!r}")
        if self.chi_scale not in CHI_SCALES:
            raise ValueError(f"chi_scale must be 'n' or 'n_labelled', got {self.chi_scale!r}")


class Sweep(NamedTuple):
    """State after a sweep.

    Attributes
    ----------
    memberships : ndarray of shape (n_samples, n_clusters)
        New memberships; rows sum to 1.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
        Centroids; logarithms of the weights lambda, -inf for features that are the same in all samples.
    shares : ndarray of shape (n_clusters, n_classes)
        Shares of classes in the new memberships: what predictions are made of.
    impurities : ndarray of shape (n_clusters,)
        Those of the memberships handed in, with which weights, new memberships and objective were found.
    distances : ndarray of shape (n_samples, n_clusters), float64
        With (m lambda)^q.
    chi_term : ndarray of shape (n_clusters,)
        Sum over features of (m lambda)^q chi.
    objective : float
        Equation (2) with m lambda for lambda, at the new memberships.
    change : float
        Greatest change of a membership.
    """

    memberships: AnyFloatArray
    centers: AnyFloatArray
    log_weights: AnyFloatArray
    shares: NDArray[np.float64]
    impurities: NDArray[np.float64]
    distances: NDArray[np.float64]
    chi_term: NDArray[np.float64]
    objective: float
    change: float


def sweep(
    data: SubspaceData,
    targets: Targets,
    memberships: NDArray[np.floating[Any]],
    options: SubspaceOptions,
    *,
    centers: NDArray[np.floating[Any]] | None = None,
) -> Sweep:
    """Centroids, impurities, chi-square, weights, distances and new memberships, once, in this order.

    Parameters
    ----------
    data : SubspaceData
    targets : Targets
        Classes of some, all or none of the samples.
    memberships : ndarray of shape (n_samples, n_clusters)
    options : SubspaceOptions
    centers : ndarray of shape (n_features, n_clusters), optional
        Centroids that clusters without any mass keep; the mean of the data by default.

    Returns
    -------
    Sweep

    Notes
    -----
    O((non-zeros + samples + features) * clusters) time in three products with the sparse data, taken in two
    passes; O((samples + features) * clusters) memory. Results do not depend on the number of threads.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, equations (1) to
    (11).
    """
    given = as_memberships(memberships, data)
    check_targets(targets, data)
    return sweep_from(data, targets, given, labelled_shares(given, targets), options, centers)[0]


def sweep_from(
    data: SubspaceData,
    targets: Targets,
    memberships: AnyFloatArray,
    labelled: LabelledShares,
    options: SubspaceOptions,
    centers: NDArray[np.floating[Any]] | None,
) -> tuple[Sweep, LabelledShares]:
    """A sweep of checked input, from and to memberships together with their shares of classes."""
    n_labelled = len(targets.rows)
    impurities = impurity(
        labelled.shares,
        overall_shares(targets),
        labelled.sizes,
        n_labelled,
        targets.multilabel,
        options.impurity,
    )
    chi_total = float(data.n if options.chi_scale == "n" else n_labelled)
    weighted = weigh(data, memberships, impurities, options, centers, chi_total)
    weights = prepare(data, weighted.centers, weighted.log_weights, options.weight_exponent)
    new = update(data, weights, impurities, memberships, options)
    del weights  # as large as the centroids
    after = labelled_shares(new.memberships, targets)
    state = Sweep(
        memberships=new.memberships,
        centers=weighted.centers,
        log_weights=weighted.log_weights,
        shares=after.shares,
        impurities=impurities,
        distances=new.distances,
        chi_term=weighted.chi_term,
        objective=new.loss + options.gamma * float(weighted.chi_term.sum()),  # Eq. 2
        change=new.change,
    )
    return state, after


def check_targets(targets: Targets, data: SubspaceData) -> None:
    """Refuse targets of another number of samples."""
    if len(targets.labelled) != data.n:
        raise ValueError(f"targets must be of {data.n} samples, as the data; got {len(targets.labelled)}")


def impurity(
    shares: NDArray[np.float64],
    overall: NDArray[np.float64],
    sizes: NDArray[np.float64],
    n_labelled: float,
    multilabel: bool,
    normalisation: Normalisation,
) -> NDArray[np.float64]:
    """Impurity of clusters by the classes of their labelled samples.

    Parameters
    ----------
    shares : ndarray of shape (n_clusters, n_classes)
        Shares of the classes in the clusters.
    overall : ndarray of shape (n_classes,)
        Shares among all labelled samples.
    sizes : ndarray of shape (n_clusters,)
        Labelled mass of the clusters.
    n_labelled : float
    multilabel : bool
        Whether each class is a yes or no of its own.
    normalisation : {"mean", "count", "none", None}
        Gini index times entropy, relative to that of all labelled samples ("mean"); the same times the
        squared share of labelled samples ("count", the literal ratio); times the squared labelled mass,
        relative to nothing ("none"); or 0 (None).

    Returns
    -------
    ndarray of shape (n_clusters,)
        At least 0; 0 where nothing is labelled or all label sets are the same.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, sections on SISC
    and SISC-ML.
    """
    if normalisation not in IMPURITIES:
        raise ValueError(f"normalisation must be 'mean', 'count', 'none' or None, got {normalisation!r}")
    if normalisation is None or n_labelled <= 0:
        return np.zeros(len(shares))
    mixed = _mixture(shares, multilabel)
    if normalisation == "none":
        return sizes**2 * mixed
    whole = _mixture(overall[None], multilabel)[0]
    if whole <= 0:
        return np.zeros(len(shares))
    relative = mixed / whole
    return relative if normalisation == "mean" else (sizes / n_labelled) ** 2 * relative


def _mixture(shares: NDArray[np.float64], multilabel: bool) -> NDArray[np.float64]:
    """Gini index times entropy, never negative."""
    if multilabel:
        gini = 2.0 * (shares * (1.0 - shares)).sum(axis=1)
        entropy = (entr(shares) + entr(1.0 - shares)).sum(axis=1)
    else:
        gini = 1.0 - (shares**2).sum(axis=1)
        entropy = entr(shares).sum(axis=1)
    product: NDArray[np.float64] = np.maximum(gini, 0.0) * entropy
    return product


class Weighted(NamedTuple):
    """Centroids and log weights, both (m, k), and the sum of (m lambda)^q chi by cluster."""

    centers: AnyFloatArray
    log_weights: AnyFloatArray
    chi_term: NDArray[np.float64]


class _Panel(NamedTuple):
    panel: AnyFloatArray
    masses: NDArray[np.float64]
    sizes: NDArray[np.float64]


def weigh(
    data: SubspaceData,
    memberships: AnyFloatArray,
    impurities: NDArray[np.float64],
    options: SubspaceOptions,
    centers: AnyFloatArray | None,
    chi_total: float,
) -> Weighted:
    """New centroids and weights; clusters without mass keep their old centroid, or get the mean."""
    k, n, m = memberships.shape[1], data.n, data.m
    panel, masses, sizes = _panel(data, memberships, options)
    old = np.zeros((1, k), data.dtype) if masses.all() else _kept(data, centers, k)
    spreads = np.maximum(sizes * (n - sizes), 0.0)
    frequencies, varying = data.frequencies.astype(np.float64), data.varying
    power = 1.0 / (options.weight_exponent - 1.0)
    new, logs = np.empty((m, k), data.dtype), np.empty((m, k), data.dtype)
    least, totals, chi_totals = (np.empty((n_blocks(m), k)) for _ in range(3))
    width = 2 if data.is_binary else 3

    def kernel(block: int, lo: int, hi: int) -> None:
        sums = np.empty((hi - lo, width * k))
        data.matrix.moments(panel, k, lo, hi, sums)
        weigh_features(
            sums, data.is_binary, masses, sizes, spreads, 1.0 + impurities, frequencies, varying,
            data.matrix.shift, old, n, chi_total, options.gamma, options.floor, power,
            lo, hi, new, logs, least[block], totals[block], chi_totals[block],
        )  # fmt: skip

    for_blocks(kernel, m, data.n_operations(2 * k) + 20.0 * m * k, data.n_jobs)
    if not varying.any():
        return Weighted(new, logs, np.zeros(k))
    # Each block counts relative to its least M: bring all to the least of all.
    smallest = least.min(axis=0)
    relative = np.exp(power * (np.log(smallest) - np.log(least)))
    total = (totals * relative).sum(axis=0)
    logs += (power * np.log(smallest) - np.log(total)).astype(data.dtype)
    q = options.weight_exponent
    chi_term = (chi_totals * relative**q).sum(axis=0)
    return Weighted(new, logs, np.exp(q * np.log(varying.sum() / total)) * chi_term)


def _panel(data: SubspaceData, memberships: AnyFloatArray, options: SubspaceOptions) -> _Panel:
    """[W^f | W], so that both are gathered at once, and the column sums S and S' of its halves."""
    k = memberships.shape[1]
    panel = np.empty((data.n, 2 * k), data.dtype)
    masses, sizes = np.empty((n_blocks(data.n), k)), np.empty((n_blocks(data.n), k))

    def kernel(block: int, lo: int, hi: int) -> None:
        fuzzy_panel(memberships, options.fuzziness, lo, hi, panel, masses[block], sizes[block])

    for_blocks(kernel, data.n, 20.0 * data.n * k, data.n_jobs)
    total = masses.sum(axis=0)
    # Sums of numbers too small to be held in full are no weights of a mean.
    total[total < np.finfo(data.dtype).tiny] = 0.0
    return _Panel(panel, total, sizes.sum(axis=0))


def _kept(data: SubspaceData, centers: AnyFloatArray | None, k: int) -> AnyFloatArray:
    given = np.repeat(data.mean()[:, None], k, axis=1) if centers is None else centers
    if np.shape(given) != (data.m, k):
        raise ValueError(f"centers must have shape ({data.m}, {k}), got {np.shape(given)}")
    return np.ascontiguousarray(given, dtype=data.dtype)


def votes(
    distances: NDArray[np.float64],
    shares: NDArray[np.float64],
    impurities: NDArray[np.float64],
    *,
    n_neighbors: int | None = None,
    aggregation: Aggregation = "normalised",
    fuzziness: float = 1.5,
) -> NDArray[np.float64]:
    """Shares of the classes in the nearest clusters, put together.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters)
        At least 0.
    shares : ndarray of shape (n_clusters, n_classes)
    impurities : ndarray of shape (n_clusters,)
        Read by "membership" only.
    n_neighbors : int, optional
        Number of clusters that vote, all by default; ties go to the smaller index.
    aggregation : {"normalised", "sum", "membership"}, default="normalised"
        Mean weighted by 1 / d; sum weighted by 1 / d, which is no probability; or mean weighted by
        (d (1 + Imp))^(-1 / (f - 1)). One neighbour votes with its shares, clusters at distance 0 with the
        mean of theirs.
    fuzziness : float, default=1.5
        f > 1, read by "membership" only.

    Returns
    -------
    ndarray of shape (n_samples, n_classes), float64

    Raises
    ------
    ValueError
        ``n_neighbors``, ``aggregation`` or ``fuzziness`` out of range, or shapes that do not fit.

    Notes
    -----
    O(n_samples * n_clusters * n_classes) time.
    """
    k = distances.shape[1]
    if len(shares) != k or np.shape(impurities) != (k,):
        raise ValueError(
            f"shares must have a row and impurities a value for each of the {k} clusters of distances, got "
            f"the shapes {np.shape(shares)} and {np.shape(impurities)}"
        )
    if n_neighbors is not None and not 1 <= n_neighbors <= k:
        raise ValueError(f"n_neighbors must be from 1 to the {k} clusters, got {n_neighbors!r}")
    if aggregation not in AGGREGATIONS:
        raise ValueError(f"aggregation must be one of {', '.join(AGGREGATIONS)}; got {aggregation!r}")
    if not fuzziness > 1:
        raise ValueError(f"fuzziness must be above 1, got {fuzziness!r}")
    kappa = k if n_neighbors is None else n_neighbors
    if kappa == 1:
        return np.asarray(shares[distances.argmin(axis=1)], dtype=np.float64)
    out = np.empty((len(distances), shares.shape[1]))
    for part in block_slices(len(distances), 8 * k):
        weights = _weights(distances[part], impurities, kappa, aggregation, fuzziness)
        np.matmul(weights, shares, out=out[part])
    return out if aggregation == "sum" else np.clip(out, 0.0, 1.0, out=out)


def _weights(
    d: NDArray[np.float64],
    impurities: NDArray[np.float64],
    kappa: int,
    aggregation: Aggregation,
    fuzziness: float,
) -> NDArray[np.float64]:
    near = _nearest(d, kappa)
    zero = near & (d == 0)
    touching = zero.any(axis=1)
    # 1 / d of the least numbers would be infinite.
    safe = np.maximum(d, np.finfo(np.float64).tiny)
    if aggregation == "sum":
        weights = near / safe
    else:
        far = np.log(safe)
        if aggregation == "membership":
            far = (far + np.log1p(impurities)) / (fuzziness - 1.0)
        far[~near] = np.inf
        far -= far.min(axis=1, keepdims=True)
        weights = np.exp(-far)
    weights[touching] = zero[touching]
    if aggregation == "sum":
        weights[touching] /= weights[touching].sum(axis=1, keepdims=True)
    else:
        weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _nearest(d: NDArray[np.float64], kappa: int) -> NDArray[np.bool_]:
    """The kappa nearest clusters; of equally far ones the first."""
    if kappa == d.shape[1]:
        return np.ones(d.shape, dtype=bool)
    last = np.partition(d, kappa - 1, axis=1)[:, kappa - 1 : kappa]
    nearer = d < last
    level = d == last
    room = kappa - nearer.sum(axis=1, keepdims=True)
    found: NDArray[np.bool_] = nearer | (level & (np.cumsum(level, axis=1) <= room))
    return found
