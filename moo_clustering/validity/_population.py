"""A checked population of partitions, and its division into blocks of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from moo_clustering._arrays import block_slices
from moo_clustering._kernels.partitions import count_members


class Population(NamedTuple):
    """Partitions with their cluster sizes; row q has clusters ``0..n_clusters[q]-1``, all non-empty."""

    labels: NDArray[np.int32]
    sizes: NDArray[np.int64]
    n_clusters: NDArray[np.int64]

    def take(self, rows: slice | NDArray[np.intp]) -> Population:
        """Some of the individuals, with ``sizes`` no wider than they need."""
        n_clusters = self.n_clusters[rows]
        width = int(n_clusters.max(initial=0))
        return Population(self.labels[rows], np.ascontiguousarray(self.sizes[rows, :width]), n_clusters)

    def blocks(self, items: int) -> Iterator[tuple[slice, Population]]:
        """Consecutive individuals, as many as fit when each needs ``items`` numbers."""
        for rows in block_slices(len(self.labels), items):
            yield rows, self.take(rows)


def integer_rows(values: Any, name: str) -> NDArray[np.integer[Any]]:
    """``values`` as a 2-d integer array; one row may come flat, floats must be whole numbers."""
    array = np.asarray(values)
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2:
        raise ValueError(f"{name} must have 1 or 2 dimensions, got shape {array.shape}")
    if array.dtype.kind == "f":
        if not np.all(np.isfinite(array)):
            raise ValueError(f"{name} must be integers, got NaN or infinity")
        if np.any(array != np.floor(array)):
            raise ValueError(f"{name} must be integers, got {array[array != np.floor(array)][0]}")
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}")
    return array


def check_population(labels: Any, n_samples: int) -> Population:
    """Validate the labels of a population.

    Raises
    ------
    ValueError
        If a row has the wrong length, or its clusters are not exactly 0..k-1.
    TypeError
        If the labels are no numbers.
    """
    array = integer_rows(labels, "labels")
    if array.shape[1] != n_samples:
        raise ValueError(
            f"labels must have {n_samples} entries per row as the fitted data, got {array.shape[1]}"
        )
    lowest, highest = int(array.min(initial=0)), int(array.max(initial=0))
    if lowest < 0 or highest >= n_samples:
        bad = lowest if lowest < 0 else highest
        raise ValueError(f"labels must be 0..k-1 with k at most n_samples={n_samples}, got {bad}")
    rows = np.ascontiguousarray(array, dtype=np.int32)
    n_clusters = rows.max(axis=1).astype(np.int64) + 1
    sizes = np.zeros((len(rows), int(n_clusters.max(initial=0))), dtype=np.int64)
    count_members(rows, sizes)
    gaps = np.argwhere((sizes == 0) & (np.arange(sizes.shape[1]) < n_clusters[:, np.newaxis]))
    if len(gaps):
        row, cluster = gaps[0]
        raise ValueError(
            f"labels must use 0..k-1 without gaps; row {row} has k={n_clusters[row]} "
            f"but no sample in cluster {cluster}"
        )
    return Population(rows, sizes, n_clusters)


def require_fitted(index: object, attribute: str) -> None:
    """Raise scikit-learn's ``NotFittedError`` unless ``fit`` has set ``attribute``."""
    if not hasattr(index, attribute):
        name = type(index).__name__
        raise NotFittedError(f"this {name} is not fitted yet; call fit(data) before evaluate(labels)")


def check_option(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of ``allowed``."""
    if not any(value is option or (isinstance(value, str) and value == option) for option in allowed):
        choices = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} must be one of {choices}; got {value!r}")
