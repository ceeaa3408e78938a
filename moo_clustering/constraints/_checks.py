"""Validation of constraints, and conversion of pairs of samples to sortable integers and back."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import FloatArray, Int64Array, warn_caller
from moo_clustering._data import checked_array, checked_integers
from moo_clustering._targets import marked


def check_pairs(pairs: ArrayLike | None, n: int, name: str, what: str = "samples") -> Int64Array:
    """Check pairs of samples or groups. Return them as an array in the given order, including duplicates."""
    array = checked_array([] if pairs is None else pairs, name)
    if array.size == 0 and (array.ndim == 1 or array.shape[-1] == 2):
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} must have shape (n_pairs, 2), got shape {array.shape}")
    array = checked_integers(array, name).astype(np.int64, copy=False)
    if len(outside := np.flatnonzero(((array < 0) | (array >= n)).any(axis=1))):
        i, j = array[outside[0]]
        raise ValueError(
            f"{name} row {outside[0]}: pair ({i}, {j}) is out of range; "
            f"with n_{what}={n}, {what} are numbered 0 to {n - 1}"
        )
    if len(alike := np.flatnonzero(array[:, 0] == array[:, 1])):
        i = array[alike[0], 0]
        raise ValueError(f"{name} row {alike[0]}: pair ({i}, {i}) links a {what[:-1]} to itself")
    return array


def check_weights(weights: ArrayLike | None, n_pairs: int, name: str) -> FloatArray:
    if weights is None:
        return np.ones(n_pairs)
    array = checked_array(weights, name, np.float64).copy()
    if array.shape != (n_pairs,):
        raise ValueError(f"{name} must have one weight per pair ({n_pairs}), got shape {array.shape}")
    if len(wrong := np.flatnonzero(~(np.isfinite(array) & (array > 0)))):
        raise ValueError(f"{name} must be positive and finite, got {array[wrong[0]]} at [{wrong[0]}]")
    return array


def check_partial_labels(y: ArrayLike, n_samples: int | None = None) -> Int64Array:
    """Check partial labels. Return classes 0, 1, ..., and -1 for samples whose label is -1 or missing."""
    values = checked_array(y, "y")
    if values.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got shape {values.shape}")
    if n_samples is not None and len(values) != n_samples:
        raise ValueError(f"y must have one value per sample ({n_samples}), got {len(values)}")
    hint = "; number the classes 0, 1, ... and mark unlabelled samples with -1"
    classes = checked_integers(marked(values), "y", hint).astype(np.int64, copy=False)
    if len(wrong := np.flatnonzero(classes < -1)):
        raise ValueError(f"y must be at least -1, got {classes[wrong[0]]} at [{wrong[0]}]{hint}")
    return classes


def warn_of_shared_clusters(y: ArrayLike, *limits: Any) -> None:
    known = check_partial_labels(y)
    n_classes = len(np.unique(known[known >= 0]))
    n_clusters = next((limit for limit in limits if isinstance(limit, Integral)), n_classes)
    if n_clusters < n_classes:
        warn_caller(
            f"y has {n_classes} classes, but there are only {n_clusters} clusters, so some classes share a "
            "cluster; increase the number of clusters"
        )


def check_partitions(labels: ArrayLike, n_samples: int) -> NDArray[Any]:
    """Check the labels of a population of partitions. A single partition becomes a population of one."""
    array = checked_array(labels, "labels")
    if array.dtype.kind not in "iuO":
        raise TypeError(f"labels must be integers, got dtype {array.dtype}")
    array = checked_integers(array, "labels")
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != n_samples:
        raise ValueError(
            f"labels must have shape (n_individuals, {n_samples}) or ({n_samples},), got {np.shape(labels)}"
        )
    return array


def check_affordable(n_listed: int, max_pairs: int) -> None:
    if n_listed > max_pairs:
        raise ValueError(
            f"{n_listed:,} pairs would be listed, which exceeds max_pairs={max_pairs:,}; use "
            "ConstraintGroups (constraint_groups), which does not list pairs, or increase max_pairs"
        )


def sort_pairs(pairs: Int64Array, weights: FloatArray, n: int) -> tuple[Int64Array, FloatArray]:
    """Return the distinct pairs (i < j) in lexicographic order, and the largest weight of each pair."""
    keys = pair_keys(pairs, n)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    largest = np.maximum.reduceat(weights[order], starts) if len(keys) else np.empty(0)
    return keys_to_pairs(keys[starts], n), largest


def pair_keys(pairs: Int64Array, n: int) -> Int64Array:
    """Convert each pair to an integer, so that sorting the integers sorts the pairs."""
    return np.minimum(pairs[:, 0], pairs[:, 1]) * n + np.maximum(pairs[:, 0], pairs[:, 1])


def keys_to_pairs(keys: Int64Array, n: int) -> Int64Array:
    return np.column_stack(np.divmod(keys, n))


def distinct(numbers: Int64Array) -> Int64Array:
    """Return the sorted distinct values of non-negative integers, much faster than ``numpy.unique`` does."""
    numbers = np.sort(numbers)
    return numbers[np.diff(numbers, prepend=-1) != 0]


def n_pairs(n: Any) -> Any:
    return n * (n - 1) // 2


def unrank_pairs(ranks: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the pairs (a, b) with ranks b (b - 1) / 2 + a in the order (0, 1), (0, 2), (1, 2), ..."""
    b = ((1 + np.sqrt(1 + 8 * ranks.astype(np.float64))) / 2).astype(np.int64)
    # The square root may be rounded up, so that b is too large by 1, but b is never too small.
    b -= b * (b - 1) // 2 > ranks
    return ranks - b * (b - 1) // 2, b
