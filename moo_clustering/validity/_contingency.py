"""Labels of any kind as codes, and the sparse table of classes against clusters."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.metrics.cluster import contingency_matrix


def encode(labels: Any, name: str) -> tuple[NDArray[np.int64], list[Any]]:
    """Codes 0..k-1 of shape (n,), and the k different labels.

    Labels are sorted where they can be compared with one another, else in order of appearance.

    Raises
    ------
    ValueError
        If there are none, more than one dimension, or NaN among them.
    TypeError
        If one is not hashable.
    """
    if not isinstance(labels, list | tuple):
        labels = np.asarray(labels)
        if labels.ndim != 1:
            raise ValueError(f"{name} must have one label per sample, got shape {labels.shape}")
    if len(labels) == 0:
        raise ValueError(f"{name} must have at least one label")
    if not isinstance(labels, np.ndarray) and _plain(labels):
        labels = np.asarray(labels)
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUS":
        if labels.dtype.kind == "f" and np.any(np.isnan(labels)):
            raise ValueError(f"{name} must not contain NaN")
        values, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int64), values.tolist()
    return _encode_hashables(list(labels), name)


def _plain(labels: Sequence[Any]) -> bool:
    """Whether NumPy can hold the labels without turning one type into another."""
    kinds = set(map(type, labels))
    return len(kinds) == 1 and next(iter(kinds)) in (int, str, float, bool)


def _encode_hashables(labels: list[Any], name: str) -> tuple[NDArray[np.int64], list[Any]]:
    try:
        seen: dict[Hashable, int] = dict.fromkeys(labels, 0)
    except TypeError as error:
        raise TypeError(f"{name} must be hashable labels, one per sample: {error}") from None
    if any(label != label for label in seen):
        raise ValueError(f"{name} must not contain NaN")
    values: list[Any] = list(seen)
    with contextlib.suppress(TypeError):
        values.sort()
    seen = {value: code for code, value in enumerate(values)}
    return np.fromiter((seen[label] for label in labels), dtype=np.int64, count=len(labels)), values


def contingency(labels_true: Any, labels_pred: Any) -> tuple[csr_array, list[Any]]:
    """Samples of class i in cluster k, as sparse integers, and the class labels of the rows."""
    true, classes = encode(labels_true, "labels_true")
    predicted, _ = encode(labels_pred, "labels_pred")
    require_same_length(len(true), len(predicted))
    return csr_array(contingency_matrix(true, predicted, sparse=True)), classes


def require_same_length(n_true: int, n_pred: int) -> None:
    """Raise ``ValueError`` unless both partitions label the same number of samples."""
    if n_true != n_pred:
        raise ValueError(f"labels_true and labels_pred must have equal lengths, got {n_true} and {n_pred}")
