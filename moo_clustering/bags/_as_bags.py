"""Bags from whatever holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering.bags._bags import Bags, column_names


def as_bags(X: Any, *, groups: ArrayLike | None = None, offsets: ArrayLike | None = None) -> Bags:
    """Bags from whatever holds them.

    Parameters
    ----------
    X : Bags, sequence of 2-d arrays, 3-d array, or 2-d array
        ``Bags`` are returned as they are. A list, tuple or object array holds one 2-d array-like
        for each bag. A 3-d array has shape (n_bags, n_instances_of_each, n_features). A 2-d array
        holds one instance a row; without ``groups`` or ``offsets`` each is a bag.
    groups : array-like of shape (n_instances,) or None, default=None
        Bag identifier of each row of a 2-d ``X``; see :meth:`Bags.from_groups`.
    offsets : array-like of shape (n_bags + 1,) or None, default=None
        First row of each bag in a 2-d ``X``, and the number of rows.

    Returns
    -------
    Bags

    Raises
    ------
    ValueError
        When ``X`` makes no bags, or with ``groups`` or ``offsets`` for an ``X`` already in bags.
    TypeError
        When ``X`` does not hold numbers.
    """
    if groups is not None and offsets is not None:
        raise ValueError("give groups or offsets, not both")
    if groups is not None or offsets is not None:
        name = "offsets" if groups is None else "groups"
        if isinstance(X, Bags):
            raise ValueError(f"X is in bags already, so {name} must be None")
        if groups is not None:
            return Bags.from_groups(X, groups)
        return Bags(X, offsets, feature_names=column_names(X))  # type: ignore[arg-type]
    if isinstance(X, Bags):
        return X
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype == object:
        X = list(X)
    if isinstance(X, list | tuple):
        return Bags.from_list(X)
    if getattr(X, "ndim", None) == 3:
        n_bags, size, n_features = X.shape
        if not size:
            raise ValueError(f"bag 0 is empty: X has shape {X.shape}")
        return Bags(X.reshape(n_bags * size, n_features), np.arange(n_bags + 1) * size)
    if not hasattr(X, "shape"):
        raise TypeError(f"X must be Bags, a list of 2-d arrays or an array, got {type(X).__name__}")
    return Bags(X, np.arange(X.shape[0] + 1), feature_names=column_names(X))
