"""Bags as ``fit`` and ``predict`` receive them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from moo_clustering.bags import Bags, as_bags


def read_bags(
    estimator: BaseEstimator,
    X: Any,
    groups: ArrayLike | None,
    offsets: ArrayLike | None,
    *,
    reset: bool,
) -> Bags:
    """Bags from anything that holds some; their features become, or must be, those of the estimator.

    Parameters
    ----------
    estimator : BaseEstimator
    X : Bags, list of 2-d arrays, 3-d array, or 2-d array
        As :func:`moo_clustering.bags.as_bags` takes it. Rows of numbers without ``groups`` or
        ``offsets`` are bags of one instance.
    groups, offsets : array-like or None
    reset : bool
        Whether ``n_features_in_`` and ``feature_names_in_`` are set, or checked.

    Raises
    ------
    ValueError
        ``X`` makes no bags, or has other features than the fit.
    TypeError
        ``X`` does not hold numbers.
    """
    if groups is None and offsets is None and not holds_bags(X):
        rows = validate_data(estimator, X, dtype=[np.float64, np.float32], reset=reset)
        names = getattr(estimator, "feature_names_in_", None) if hasattr(X, "columns") else None
        return Bags(rows, np.arange(len(rows) + 1), feature_names=names)
    bags = as_bags(X, groups=groups, offsets=offsets)
    validate_data(estimator, _named(bags), reset=reset, skip_check_array=True)
    return bags


def holds_bags(X: Any) -> bool:
    """Whether items of X are bags rather than rows of numbers."""
    if isinstance(X, Bags):
        return True
    if isinstance(X, np.ndarray):
        nested = X.ndim == 1 and X.dtype == object and any(np.ndim(item) == 2 for item in X)
        return X.ndim == 3 or nested
    return isinstance(X, list | tuple) and any(map(_is_table, X))


def _is_table(item: Any) -> bool:
    if isinstance(item, list | tuple):
        return len(item) > 0 and isinstance(item[0], list | tuple | np.ndarray)
    return getattr(item, "ndim", 0) == 2


def _named(bags: Bags) -> Any:
    """What scikit-learn's checks of the features look at."""
    if bags.feature_names is None:
        return bags.instances
    import pandas as pd  # takes long to import, and most bags have no names

    return pd.DataFrame(columns=list(bags.feature_names), dtype=np.float64)
