"""Input checks: integers, pairs, weights, partial labels, populations of labels."""

from __future__ import annotations

import operator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Pairs = NDArray[np.int64]


def check_n_samples(n_samples: Any) -> int:
    """A positive number of samples."""
    try:
        n = operator.index(n_samples)
    except TypeError:
        raise TypeError(f"n_samples must be an integer, got {n_samples!r}") from None
    if n < 1:
        raise ValueError(f"n_samples must be at least 1, got {n}")
    return n


def check_fraction(fraction: Any) -> float:
    """A number in (0, 1]."""
    if not isinstance(fraction, Real):
        raise TypeError(f"fraction must be a number in (0, 1], got {fraction!r}")
    value = float(fraction)
    if not 0 < value <= 1:
        raise ValueError(f"fraction must be in (0, 1], got {value}")
    return value


def check_integers(values: NDArray[Any], name: str, hint: str = "") -> NDArray[np.int64]:
    """Integers, or floats that are integers; anything else is refused by name and position."""
    if values.dtype.kind == "O":
        values = np.array(values.tolist())
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind != "f":
        items = values.ravel().tolist()
        odd = next((item for item in items if not isinstance(item, Integral)), values.dtype)
        raise TypeError(f"{name} must hold integers, got {odd!r}{hint}")
    wrong = np.argwhere(~(np.isfinite(values) & (values == np.floor(values))))
    if len(wrong):
        where = ", ".join(str(k) for k in wrong[0])
        raise ValueError(f"{name} must hold integers, got {values[tuple(wrong[0])]} at [{where}]{hint}")
    return values.astype(np.int64)


def check_pairs(pairs: ArrayLike | None, n_samples: int, name: str) -> Pairs:
    """Pairs of two different samples in range, as given: not sorted, duplicates kept."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.int64)
    try:
        array = np.asarray(pairs)
    except ValueError as error:
        raise ValueError(f"{name} must have shape (n_pairs, 2); its rows differ in length") from error
    if array.size == 0 and (array.ndim == 1 or array.shape[-1] == 2):
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} must have shape (n_pairs, 2), got {array.shape}")
    array = check_integers(array, name)
    outside = np.flatnonzero(((array < 0) | (array >= n_samples)).any(axis=1))
    if len(outside):
        i, j = array[outside[0]]
        raise ValueError(
            f"{name} row {outside[0]}: pair ({i}, {j}) is out of range; "
            f"with n_samples={n_samples} samples are numbered 0 to {n_samples - 1}"
        )
    alike = np.flatnonzero(array[:, 0] == array[:, 1])
    if len(alike):
        i, j = array[alike[0]]
        raise ValueError(f"{name} row {alike[0]}: pair ({i}, {j}) joins a sample to itself")
    return array


def check_weights(weights: ArrayLike | None, n_pairs: int, name: str) -> NDArray[np.float64]:
    """One positive finite weight per pair; ones by default."""
    if weights is None:
        return np.ones(n_pairs)
    array = np.array(weights, dtype=np.float64)
    if array.shape != (n_pairs,):
        raise ValueError(f"{name} must have shape ({n_pairs},), one weight per pair, got {array.shape}")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if len(wrong):
        raise ValueError(f"{name} must be positive and finite, got {array[wrong[0]]} at [{wrong[0]}]")
    return array


def check_partial_labels(y: ArrayLike, n_samples: int | None = None) -> NDArray[np.int64]:
    """Classes 0, 1, ... with -1 for unlabelled samples."""
    values = np.asarray(y)
    if values.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got shape {values.shape}")
    if n_samples is not None and len(values) != n_samples:
        raise ValueError(f"y must have one value per sample: expected {n_samples}, got {len(values)}")
    hint = "; number the classes 0, 1, ... and mark unlabelled samples with -1"
    classes = check_integers(values, "y", hint)
    wrong = np.flatnonzero(classes < -1)
    if len(wrong):
        raise ValueError(f"y must be at least -1, got {classes[wrong[0]]} at [{wrong[0]}]{hint}")
    return classes


def check_partitions(labels: ArrayLike, n_samples: int) -> NDArray[Any]:
    """A population of integer labels; one partition is a population of one."""
    array = np.asarray(labels)
    if array.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, got an array of {array.dtype}")
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != n_samples:
        raise ValueError(
            f"labels must have shape (n_individuals, {n_samples}) or ({n_samples},), got {np.shape(labels)}"
        )
    return array
