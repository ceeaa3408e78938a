"""Features that have to be numbers, and whose they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data


def numeric_features(estimator: BaseEstimator, X: Any, **options: Any) -> NDArray[np.float64]:
    """X as float64, checked as scikit-learn does; sets the estimator's names and number of features.

    Parameters
    ----------
    estimator : BaseEstimator
    X : array-like or DataFrame of shape (n_samples, n_features)
    **options
        Of ``validate_data``.

    Raises
    ------
    ValueError
        Bad data; columns that hold other things than numbers are named.
    """
    try:
        features: NDArray[np.float64] = validate_data(estimator, X, dtype=np.float64, order="C", **options)
    except (TypeError, ValueError) as error:
        frame = isinstance(X, pd.DataFrame)
        # Of arrays, objects that are neither number nor string are a TypeError with scikit-learn.
        others = _others(X) if frame or isinstance(error, ValueError) else []
        if not others:
            raise
        raise ValueError(
            f"{type(estimator).__name__} needs numbers, but there are others in {', '.join(others)}; encode "
            "or drop them, or take FuzzyModesMOGA, which compares categories."
        ) from error
    return features


def _others(X: Any) -> list[str]:
    """Columns with what is no number, by name, and the first such value of each."""
    if isinstance(X, pd.DataFrame):
        columns = [(f"column {name!r}", values.to_numpy(dtype=object)) for name, values in X.items()]
    else:
        table = np.asarray(X, dtype=object)
        columns = [(f"column {i}", values) for i, values in enumerate(table.T)] if table.ndim == 2 else []
    found = []
    for name, values in columns:
        other = next((value for value in values if not _is_number(value)), None)
        if other is not None:
            found.append(f"{name} (such as {other!r})")
    return found


def _is_number(value: Any) -> bool:
    """Whether it is a number, if only a complex one, or missing."""
    if isinstance(value, complex | np.complexfloating) or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
