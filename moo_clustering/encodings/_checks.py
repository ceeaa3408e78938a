"""Input checks that all encodings share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.integer[Any]]

# Beyond any gene that exists, within any integer type that holds genes.
_FAR = 2**31 - 1


def _two_dimensional(X: ArrayLike, n_columns: int, name: str) -> NDArray[Any]:
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] != n_columns:
        raise ValueError(f"{name} must have shape (n_individuals, {n_columns}), got {X.shape}.")
    if X.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold numbers, got dtype {X.dtype}.")
    return X


def checked_genes(X: ArrayLike, n_var: int) -> IntArray:
    """Population as integers; refuses floats that are none."""
    X = _two_dimensional(X, n_var, "X")
    if X.dtype.kind != "f":
        return X
    genes = X.astype(np.int64) if np.all(np.abs(X) <= _FAR) else None
    if genes is None or not np.array_equal(genes, X):
        raise ValueError("X must hold integer genes, got fractions or values out of range: repair it first.")
    return genes


def rounded_genes(X: ArrayLike, n_var: int) -> IntArray:
    """Population as a fresh integer array, fractions rounded; refuses NaN."""
    X = _two_dimensional(X, n_var, "X")
    if X.dtype.kind != "f":
        return X.astype(np.int64)
    if np.isnan(X).any():
        raise ValueError("X must not hold NaN.")
    return np.rint(np.clip(X, -_FAR, _FAR)).astype(np.int64)


def checked_within(X: IntArray, lower: int, upper: int) -> IntArray:
    """The population itself, after a look at the range of its genes."""
    if X.size and (X.min() < lower or X.max() > upper):
        raise ValueError(
            f"genes must be within {lower}..{upper}, got {X.min()}..{X.max()}: repair the genotypes first."
        )
    return X


def checked_labels(labels: ArrayLike, n_samples: int) -> IntArray:
    """Partitions as integers within 0..n_samples-1."""
    array = _two_dimensional(labels, n_samples, "labels")
    if array.dtype.kind == "f":
        raise TypeError(f"labels must be integers, got dtype {array.dtype}.")
    if array.size and (array.min() < 0 or array.max() >= n_samples):
        raise ValueError(f"labels must be 0..k-1 with k <= {n_samples}, got {array.min()}..{array.max()}.")
    return array


def checked_cluster_range(k_min: Any, k_max: Any, n_samples: int, largest: str = "k_max") -> tuple[int, int]:
    """Smallest and largest number of clusters as Python integers, 1 <= k_min <= k_max <= n_samples.

    ``largest`` is what users know ``k_max`` as.
    """
    for name, value in (("k_min", k_min), (largest, k_max)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise TypeError(f"{name} must be an integer, got {value!r}.")
    if not 1 <= k_min <= k_max <= n_samples:
        raise ValueError(
            f"k_min and {largest} must satisfy 1 <= k_min <= {largest} <= n_samples, "
            f"got k_min={k_min}, {largest}={k_max}, n_samples={n_samples}."
        )
    return int(k_min), int(k_max)
