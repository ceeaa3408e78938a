"""Checks of what is said of samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.bags import Bags
from moo_clustering.visualization.report._content import Pairs


def checked_pairs(pairs: ArrayLike | None, n_samples: int, name: str) -> Pairs:
    """Pairs of row numbers, shape (n_pairs, 2).

    Raises
    ------
    ValueError
        Another shape, or rows that there are not.
    """
    if pairs is None or np.size(pairs) == 0:
        return np.empty((0, 2), dtype=np.int64)
    found = np.asarray(pairs)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError(f"{name} must be pairs of row numbers, got {found.dtype} of shape {found.shape}")
    if found.min() < 0 or found.max() >= n_samples:
        raise ValueError(
            f"{name} must have row numbers from 0 to {n_samples - 1}, got {found.min()} to {found.max()}"
        )
    return found.astype(np.int64)


def checked_partial_labels(y: Any, n_samples: int) -> NDArray[np.int64] | None:
    """Classes as 0, 1, ..., -1 for unlabelled samples; None without any, and for sets of labels.

    Raises
    ------
    ValueError
        Not one entry a sample.
    """
    if y is None:
        return None
    found = np.asarray(y)
    if found.ndim not in (1, 2) or len(found) != n_samples:
        raise ValueError(f"y must have one entry for each of {n_samples} samples, got shape {found.shape}")
    if found.ndim == 2:
        return None
    if found.dtype.kind in "iub":
        return np.maximum(found.astype(np.int64), -1)
    known = np.array([not _is_unlabelled(entry) for entry in found.tolist()])
    codes = np.full(n_samples, -1, dtype=np.int64)
    codes[known] = np.unique(found[known].astype(str), return_inverse=True)[1]
    return codes if known.any() else None


def checked_names(names: Sequence[Any] | None, X: Any, n_samples: int) -> NDArray[np.str_]:
    """Names of the samples: those given, those of the bags or of the rows of a table, or row numbers.

    Raises
    ------
    ValueError
        Not one for each sample.
    """
    if names is None and isinstance(X, Bags) and X.bag_ids is not None:
        names = X.bag_ids
    if names is None and hasattr(X, "index") and hasattr(X, "columns"):
        names = list(X.index)
    found = np.array([str(name) for name in (range(n_samples) if names is None else names)], dtype=np.str_)
    if len(found) != n_samples:
        raise ValueError(f"sample_names must have one name for each of {n_samples} samples, got {len(found)}")
    return found


def checked_texts(texts: Sequence[Any] | None, n_samples: int) -> list[str] | None:
    """A text for each sample, or none at all.

    Raises
    ------
    ValueError
        Not one for each sample.
    """
    if texts is None:
        return None
    found = [str(text) for text in texts]
    if len(found) != n_samples:
        raise ValueError(f"sample_texts must have one text for each of {n_samples} samples, got {len(found)}")
    return found


def _is_unlabelled(entry: Any) -> bool:
    return entry is None or entry == -1 or entry == "-1" or entry != entry
