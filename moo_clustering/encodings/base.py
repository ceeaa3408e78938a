"""Base class for encodings, and functions to relabel, align and compare partitions and check genes."""

import hashlib
import sys
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from moo_clustering._arrays import FloatArray, Int64Array, IntArray, IntpArray, Labels, block_slices, quoted
from moo_clustering._data import checked_array, checked_integers
from moo_clustering._kernels import caching
from moo_clustering._kernels.partitions import contingency_tables, number_by_first_appearance

# Larger than any gene, but within the range of the integer types that store genes.
_FAR = 2**31 - 1
VALID_GENES = "pass EncodingSampling() and EncodingRepair(), or **problem.operators(), to the algorithm"


class Encoding(ABC):
    """Base class of encodings, which convert populations from genotypes to partitions and back.

    A subclass sets ``n_samples`` and ``n_var``, and defines :meth:`bounds` and :meth:`decode`. Encodings must
    not change after construction, because a deep copy is the same object.

    Attributes
    ----------
    n_samples : int
        Number of samples in a partition.
    n_var : int
        Number of genes in an individual.
    dtype : numpy.dtype, default=int64
        Integer dtype of the genes created by this package's operators.
    """

    n_samples: int
    n_var: int
    dtype: np.dtype[Any] = np.dtype(np.int64)

    @abstractmethod
    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return the smallest and largest valid value of every gene, as two arrays of shape (n_var,)."""

    @abstractmethod
    def decode(self, X: IntArray) -> Labels:
        """Decode valid genotypes (n_individuals, n_var) to int32 partitions (n_individuals, n_samples).

        Genotypes are integers, or the floats with integer values that pymoo can produce. Each row of the
        result has contiguous labels 0..k-1.
        """

    def memberships(self, X: IntArray) -> FloatArray:
        """Return memberships of shape (n_individuals, n_samples, n_clusters) that sum to 1 per sample.

        By default, memberships are 1 in the cluster given by :meth:`decode` and 0 elsewhere. Fuzzy encodings
        decode to clusters of highest membership. Labels index the last axis; empty clusters come last.
        """
        return one_hot(self.decode(X))

    def encode(self, labels: IntArray) -> IntArray:
        """Encode partitions as genotypes of shape (n_individuals, n_var), approximately if necessary.

        The default implementation raises a TypeError that names the calling class or function.
        """
        frame, name = sys._getframe(1), type(self).__name__
        caller = frame.f_locals.get("self")
        who = frame.f_code.co_name if caller is None else type(caller).__name__
        raise TypeError(
            f"{name} cannot encode partitions, which {who} requires; define {name}.encode(labels), or start "
            "from genotypes"
        )

    def repair(self, X: IntArray) -> IntArray:
        """Return valid copies of genotypes. Valid rows are kept. The default rounds and clips all genes."""
        return np.clip(rounded_genes(X, self.n_var), *self.bounds()).astype(self.dtype)

    def canonical(self, X: IntArray) -> IntArray:
        """Return one row per individual; rows are equal if and only if they encode the same partition.

        Default: decoded partitions. Some encodings return sorted genes, although gene order can decide ties.
        """
        return relabel_by_first_appearance(self.decode(X))

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Draw valid genotypes of shape (n_individuals, n_var), by default uniformly within the bounds."""
        low, high = self.bounds()
        return self.repair(rng.integers(low, high, size=(n_individuals, self.n_var), endpoint=True))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def relabel_by_first_appearance(labels: IntArray) -> Labels:
    """Renumber each partition's clusters 0, 1, ... by first appearance.

    Takes O(n) time, where n = n_individuals n_samples, or O(n log n) time if a label exceeds 8 n_samples.
    Raises a ValueError if a label is negative.

    Parameters
    ----------
    labels : ndarray of shape (n_individuals, n_samples) or (n_samples,)
        Non-negative labels, which need not be contiguous.

    Returns
    -------
    labels : ndarray of the same shape, int32
        Rows that are equal if and only if their partitions are equal.

    Examples
    --------
    >>> relabel_by_first_appearance(np.array([5, 5, 2, 0, 2]))
    array([0, 0, 1, 2, 1], dtype=int32)
    """
    labels = checked_integers(labels, "labels", ndim=(1, 2))
    out = np.empty(labels.shape, dtype=np.int32)
    if labels.size:
        if labels.min() < 0:
            raise ValueError(f"labels must be non-negative, got {labels.min()}")
        if labels.max() > 8 * labels.shape[-1]:
            # The kernel clears a table with an entry for every possible label in each row, so labels must be
            # small.
            labels = np.unique(labels, return_inverse=True)[1].reshape(labels.shape)
        codes, n_codes = np.atleast_2d(labels), int(labels.max()) + 1
        if caching.interpreted(number_by_first_appearance, (codes.size + len(codes) * n_codes) / 20):
            first = np.full((len(codes), n_codes), codes.shape[1])
            np.minimum.at(first, (np.arange(len(codes))[:, np.newaxis], codes), np.arange(codes.shape[1]))
            order = first.argsort(axis=1).argsort(axis=1)
            out[:] = np.take_along_axis(order, codes.astype(np.intp), axis=1).reshape(labels.shape)
        else:
            number_by_first_appearance(codes, np.empty(n_codes, dtype=np.int32), np.atleast_2d(out))
    return out


def contiguous(labels: IntArray) -> Labels:
    """Renumber each row's distinct non-negative values 0, 1, ... in ascending order."""
    places = labels.astype(np.intp)
    used = np.zeros((len(places), int(places.max(initial=-1)) + 1), dtype=bool)
    np.put_along_axis(used, places, True, axis=1)
    return np.take_along_axis(np.cumsum(used, axis=1, dtype=np.int32) - 1, places, axis=1)


def one_hot(labels: IntArray) -> FloatArray:
    """Convert partitions to 0/1 memberships of shape (n_individuals, n_samples, n_clusters)."""
    return np.asarray(labels[..., np.newaxis] == np.arange(labels.max(initial=0) + 1), dtype=np.float64)


def checked_memberships(memberships: Any, name: str, n_samples: int) -> FloatArray:
    """Check that a population's memberships are non-negative and sum to 1 for every sample."""
    U = np.asarray(memberships)
    if U.ndim != 3 or U.shape[1] != n_samples or U.dtype.kind not in "biuf":
        got, wanted = f"shape {U.shape}, dtype {U.dtype}", f"(n_individuals, {n_samples}, n_clusters)"
        raise ValueError(f"{name} must be a numeric array of shape {wanted}, got {got}")
    U = U.astype(np.float64, copy=False)
    if U.size and not (low := U.min()) >= 0:
        raise ValueError(f"{name} must be non-negative, got {low:.6g}")
    sums = U.sum(axis=2)
    # The tolerance covers the rounding errors of float32.
    wrong = np.argwhere(~(np.abs(sums - 1.0) <= 1e-5))
    if len(wrong):
        row, sample = wrong[0]
        raise ValueError(
            f"{name} must sum to 1 over the clusters of every sample, got {sums[row, sample]:.6g} for "
            f"sample {sample} of individual {row}; divide them by their sums"
        )
    return U


def align_labels(reference: ArrayLike, labels: ArrayLike, n_clusters: int | None = None) -> IntArray:
    """Permute each partition's labels so that as many samples as possible have the label of the reference.

    Takes O(n_samples) time per row for two clusters, and O(n_samples + K^3) for K clusters. Raises a
    TypeError if labels are not integers, and a ValueError if rows differ in length, or if a label is negative
    or at least ``n_clusters``.

    Parameters
    ----------
    reference, labels : array-like of shape (n_samples,) or (n_individuals, n_samples)
        Labels 0..n_clusters-1; some can be unused. A single row is paired with each row of the other array.
    n_clusters : int, optional
        Exclusive upper bound on the labels. Default: no bound.

    Returns
    -------
    labels : ndarray, of the dtype of ``labels``
        The same partitions with permuted labels. Ties are broken in favour of the permutation that changes
        the fewest labels. Rows are aligned independently. No label exceeds the largest input label.

    Examples
    --------
    >>> align_labels([0, 0, 1, 1], [1, 1, 0, 1], n_clusters=2)
    array([0, 0, 1, 0])
    """
    fixed, moving = _same_width(_checked(reference, n_clusters, "reference"), _checked(labels, n_clusters))
    fixed, moving = np.broadcast_arrays(fixed, moving)
    # The arrays are copied, because kernels warn about views of broadcast arrays.
    rows, others = (np.array(np.atleast_2d(x), dtype=np.int32, order="C") for x in (fixed, moving))
    k = 1 + int(max(rows.max(initial=0), others.max(initial=0)))
    if k <= 2:
        flip = 2 * np.count_nonzero(rows != others, axis=1) > rows.shape[1]
        aligned = np.where(flip[:, None], 1 - others, others)
    else:
        aligned = _assigned(rows, others, k)
    return aligned.reshape(moving.shape).astype(moving.dtype)


def _same_width(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    shapes = first.shape, second.shape
    rows = {len(x) for x in (first, second) if x.ndim == 2}
    if not all(x.ndim in (1, 2) for x in (first, second)) or shapes[0][-1] != shapes[1][-1] or len(rows) > 1:
        raise ValueError(
            "inputs must be two individuals or populations of the same shape, or an individual and a "
            f"population; got shapes {shapes[0]} and {shapes[1]}"
        )
    return first, second


def _checked(labels: ArrayLike, n_clusters: int | None, name: str = "labels") -> IntArray:
    codes = checked_array(labels, name)
    if codes.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {codes.dtype}")
    if codes.size and codes.min() < 0:
        raise ValueError(f"{name} must be non-negative, got {codes.min()}")
    if n_clusters is not None and codes.size and codes.max() >= n_clusters:
        raise ValueError(f"{name} must be less than n_clusters={n_clusters}, got {codes.max()}")
    return codes


def _assigned(rows: IntArray, others: IntArray, k: int) -> IntArray:
    """Renumber the clusters of ``others`` to maximise the number of samples that agree with ``rows``."""
    # Each row uses its own number of labels, so that its result does not depend on the other rows.
    own = 1 + np.maximum(rows.max(axis=1), others.max(axis=1))
    number = np.zeros((len(rows), k), dtype=np.int32)
    for part in block_slices(len(rows), k**2):
        tables = np.zeros((part.stop - part.start, k, k), dtype=np.int64)
        contingency_tables(rows[part], others[part], tables)
        for q, (table, used) in enumerate(zip(tables, own[part].tolist(), strict=True), start=part.start):
            # If permutations agree equally well, the one that changes the fewest labels is chosen.
            worth = table[:used, :used] * (used + 1) + np.eye(used, dtype=np.int64)
            number[q, :used] = linear_sum_assignment(worth, maximize=True)[1]
    return np.take_along_axis(number, others, axis=1)


def aligned_distance(a: ArrayLike, b: ArrayLike, n_clusters: int | None = None) -> Int64Array:
    """Count the samples in which two partitions differ after :func:`align_labels`.

    This symmetric distance is the minimum number of samples that must move to make the partitions equal.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_individuals, n_samples)
    n_clusters : int, optional
        See :func:`align_labels`.

    Returns
    -------
    distance : ndarray of shape (n_individuals,), or a number for two single partitions

    Examples
    --------
    >>> int(aligned_distance([0, 0, 1, 1], [1, 1, 0, 1]))
    1
    """
    a, b = checked_integers(a, "a"), checked_integers(b, "b")
    return hamming_distance(a, align_labels(a, b, n_clusters))


def hamming_distance(a: ArrayLike, b: ArrayLike) -> Int64Array:
    """Count the genes in which two individuals differ.

    Parameters
    ----------
    a, b : array-like of shape (n_var,) or (n_individuals, n_var)
        A single individual is compared with each row of a population.

    Returns
    -------
    distance : ndarray of shape (n_individuals,), or a number for two single individuals
    """
    first, second = _same_width(checked_integers(a, "a"), checked_integers(b, "b"))
    return np.count_nonzero(first != second, axis=-1)


def distinct_rows(X: ArrayLike) -> tuple[IntpArray, IntpArray]:
    """Return the first position of each distinct row, and the index of each row among the distinct rows."""
    number: dict[bytes, int] = {}
    inverse = np.array([number.setdefault(key, len(number)) for key in row_digests(X)], dtype=np.intp)
    return np.unique(inverse, return_index=True)[1], inverse


def row_digests(X: ArrayLike) -> list[bytes]:
    """Return a hash of each row of numbers that depends on the values but not on the dtype."""
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise TypeError(f"X must be a numeric 2-d array, got shape {X.shape} and dtype {X.dtype}")
    keys = []
    for row in X:
        with np.errstate(invalid="ignore"):
            values: NDArray[Any] = np.ascontiguousarray(row, dtype=np.int64)
        if X.dtype.kind == "f" and not np.array_equal(values, row):
            # Adding zero converts -0.0 to 0.0, so that both have the same bytes.
            values = np.ascontiguousarray(row, dtype=np.float64) + 0.0
        person = values.dtype.str.encode()
        keys.append(hashlib.blake2b(values.data, digest_size=16, person=person).digest())
    return keys


def checked_genes(X: ArrayLike, n_var: int) -> IntArray:
    """Convert a population to integers, or raise a ValueError if any gene is not a whole number."""
    X = checked_rows(X, n_var, "X")
    if X.dtype.kind != "f":
        return X
    if not ((np.abs(X) <= _FAR) & (np.rint(X) == X)).all():
        raise ValueError(f"X must contain integer genes, got fractions or values out of range; {VALID_GENES}")
    return X.astype(np.int64)


def checked_rows(X: ArrayLike, n_columns: int, name: str) -> NDArray[Any]:
    X = checked_array(X, name)
    if X.ndim != 2 or X.shape[1] != n_columns:
        raise ValueError(f"{name} must have shape (n_individuals, {n_columns}), got shape {X.shape}")
    if X.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numeric, got dtype {X.dtype}")
    return X if X.dtype.kind == "f" else checked_integers(X, name)


def rounded_genes(X: ArrayLike, n_var: int) -> IntArray:
    """Return the genes rounded to a new int64 array, or raise a ValueError for NaN."""
    X = checked_rows(X, n_var, "X")
    if X.dtype.kind != "f":
        return X.astype(np.int64)
    if np.isnan(X).any():
        raise ValueError("X must not contain NaN")
    return np.rint(np.clip(X, -_FAR, _FAR)).astype(np.int64)


def checked_within(X: IntArray, lower: int, upper: int) -> IntArray:
    if X.size and (X.min() < lower or X.max() > upper):
        raise ValueError(f"genes must be from {lower} to {upper}, got {X.min()} to {X.max()}; {VALID_GENES}")
    return X


def checked_labels(labels: ArrayLike, n_samples: int) -> IntArray:
    """Return partitions as an array, or raise an error unless all labels are integers in 0..n_samples-1."""
    array = checked_rows(labels, n_samples, "labels")
    if array.dtype.kind == "f":
        raise TypeError(f"labels must be integers, got dtype {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= n_samples):
        raise ValueError(f"labels must be 0..k-1 with k <= {n_samples}, got {array.min()}..{array.max()}")
    return array


def checked_cluster_range(k_min: Any, k_max: Any, n_samples: int, largest: str = "k_max") -> tuple[int, int]:
    """Check that 1 <= k_min <= k_max <= n_samples. ``largest`` is the name of k_max in error messages."""
    for name, value in (("k_min", k_min), (largest, k_max), ("n_samples", n_samples)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise TypeError(f"{name} must be an integer, got {quoted(value)}")
    if not 1 <= k_min <= k_max <= n_samples:
        raise ValueError(
            f"k_min and {largest} must satisfy 1 <= k_min <= {largest} <= n_samples, "
            f"got k_min={k_min}, {largest}={k_max}, n_samples={n_samples}"
        )
    return int(k_min), int(k_max)
