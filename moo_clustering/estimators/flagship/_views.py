"""Further representations of the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from moo_clustering.estimators.flagship._feature_scaling import FeatureScaling, Scale

FloatArray = NDArray[np.float64]


def view_rows(
    name: str,
    view: Any,
    X: Any,
    scale: Scale,
    n_components: int,
    seed: int,
) -> FloatArray:
    """Scaled rows, shape (n_samples, n_kept), that a transformer or a choice of columns makes of X."""
    if hasattr(view, "fit_transform"):
        transformer = clone(view)
        if "random_state" in transformer.get_params() and transformer.random_state is None:
            transformer.set_params(random_state=seed)
        table = transformer.fit_transform(X)
    else:
        table = X[:, _columns(name, view, X.shape[1])]
    if table.ndim != 2 or table.shape[0] != X.shape[0]:
        raise ValueError(
            f"views: {name!r} must give one row per sample, {X.shape[0]} in all; got an array of shape "
            f"{table.shape}."
        )
    table = sp.csr_array(table) if sp.issparse(table) else np.asarray(table, dtype=np.float64)
    if not np.isfinite(table.data if sp.issparse(table) else table).all():
        raise ValueError(f"views: {name!r} gives values that are missing or infinite.")
    scaling = FeatureScaling.of(table, scale, n_components=n_components, seed=seed)
    return scaling.transform(table)


def _columns(name: str, view: Any, n_features: int) -> NDArray[np.intp]:
    numbers = np.arange(n_features)
    try:
        chosen: NDArray[np.intp] = numbers[view if isinstance(view, slice) else np.asarray(view)]
    except IndexError:
        chosen = numbers[:0]
    if chosen.ndim != 1 or not len(chosen):
        raise ValueError(
            f"views: {name!r} must be an object with fit_transform, or a list of columns from 0 to "
            f"{n_features - 1}; got {view!r}."
        )
    return chosen
