"""The samples of a run in the scale in which its method sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from moo_clustering.bags import Bags

Floats = NDArray[np.float64]

_MOST_VALUES = 50  # of a column of categories


@dataclass(frozen=True, eq=False)
class Samples:
    """Rows, bags or distances.

    Attributes
    ----------
    kind : {"features", "sparse", "bags", "distances"}
    points : ndarray or csr_array of shape (n_samples, n_features) or None
        As the method sees them, of unit length for cosine distances; of bags the means; None for distances.
    table : ndarray or csr_array of shape (n_samples, n_features) or None
        As given; of bags the means.
    feature_names : tuple of str
    cosine : bool
        Whether distances are those of directions.
    bags : Bags or None
        As the method sees them.
    given : ndarray of shape (n_samples, n_samples) or None
        Distances.
    """

    kind: Literal["features", "sparse", "bags", "distances"]
    points: Any = None
    table: Any = None
    feature_names: tuple[str, ...] = ()
    cosine: bool = False
    bags: Bags | None = None
    given: Floats | None = None

    @property
    def n_samples(self) -> int:
        """Rows, or bags."""
        return len(self.given) if self.given is not None else int(self.points.shape[0])

    def distances(self, rows: NDArray[np.intp]) -> Floats:
        """Symmetric distances between some samples."""
        if self.given is not None:
            D = self.given[np.ix_(rows, rows)]
            return (D + D.T) / 2.0
        if self.bags is not None:
            from moo_clustering.bags import bag_distances

            return bag_distances(self.bags[rows], kind="symmetric")
        chosen = self.points[rows]
        if self.cosine:
            products = chosen @ chosen.T
            return np.clip(1.0 - (products.toarray() if sparse.issparse(products) else products), 0.0, None)
        from sklearn.metrics import pairwise_distances

        found: Floats = pairwise_distances(chosen)
        return found


def read_samples(
    estimator: Any, X: Any, n_samples: int, feature_names: Sequence[str] | None = None
) -> Samples | str:
    """Samples of a run, or a sentence on why there are none to show.

    Raises
    ------
    ValueError
        When X does not have a row, or a bag, for every label, or a name for every feature.
    """
    from moo_clustering.estimators.multi_instance._bag_input import holds_bags

    if X is None:
        return "No data were given, so nothing is known of clusters but their sizes."
    if holds_bags(X):
        return _bags(estimator, X, n_samples, feature_names)
    if sparse.issparse(X):
        table: Any = sparse.csr_array(X).astype(np.float64)
        names = None
    else:
        table, names = _dense(X)
    if table.ndim != 2 or table.shape[0] != n_samples:
        raise ValueError(
            f"X must have one row for each of {n_samples} labels of the estimator, got shape {table.shape}"
        )
    stored = table.data if sparse.issparse(table) else table
    if not np.isfinite(stored).all():
        return "The data have missing or infinite values, so nothing is known of clusters but their sizes."
    if "precomputed" in (getattr(estimator, "metric", None), getattr(estimator, "affinity", None)):
        return _distances(table)
    if not table.shape[1]:
        return "The data have no features, so nothing is known of clusters but their sizes."
    known = _names(feature_names if feature_names is not None else names, table.shape[1])
    cosine = sparse.issparse(table) or _metric(estimator) == "cosine"
    points = table if sparse.issparse(table) else _scaled(estimator, table)
    return Samples(
        "sparse" if sparse.issparse(table) else "features",
        _unit(points) if cosine else points,
        table,
        known,
        cosine,
    )


def _bags(estimator: Any, X: Any, n_samples: int, feature_names: Sequence[str] | None) -> Samples:
    from moo_clustering.bags import as_bags
    from moo_clustering.estimators.multi_instance._scaled_bags import scaled_bags

    bags = as_bags(X)
    if len(bags) != n_samples:
        raise ValueError(
            f"X must have one bag for each of the {n_samples} labels of the estimator, got {len(bags)} bags"
        )
    scaled = scaled_bags(estimator, bags)
    names = feature_names if feature_names is not None else bags.feature_names
    return Samples(
        "bags",
        np.asarray(scaled.means(), dtype=np.float64),
        np.asarray(bags.means(), dtype=np.float64),
        _names(names, bags.n_features),
        bags=scaled,
    )


def _distances(table: Any) -> Samples:
    given = np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)
    if given.shape[0] != given.shape[1]:
        raise ValueError(f"X must be a square matrix of distances, as for the fit, got shape {given.shape}")
    return Samples("distances", given=given)


def _dense(X: Any) -> tuple[Any, list[str] | None]:
    """Numbers, and names of the columns if there are any; categories as columns of 0 and 1."""
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        rows = np.asarray(X)
        if rows.dtype.kind in "fiub":
            return rows.astype(np.float64), None
        X = pd.DataFrame(rows).infer_objects()
        X.columns = [f"x{column}" for column in range(X.shape[1])]
    numbers = [pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes]
    if all(numbers):
        return X.to_numpy(dtype=np.float64), [str(name) for name in X.columns]
    parts = []
    for place, is_number in enumerate(numbers):
        column, name = X.iloc[:, place].reset_index(drop=True), str(X.columns[place])
        if is_number:
            parts.append(column.astype(np.float64).rename(name))
        elif pd.api.types.is_datetime64_any_dtype(column):
            parts.append(pd.Series(column.to_numpy(dtype="datetime64[s]").astype(np.float64), name=name))
        else:
            most = column.value_counts().index[:_MOST_VALUES]
            column = column.where(column.isin(most))
            parts.append(pd.get_dummies(column, prefix=name, prefix_sep="=", dtype=np.float64))
    wide = pd.concat(parts, axis=1)
    return wide.to_numpy(dtype=np.float64), [str(name) for name in wide.columns]


def _names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{column}" for column in range(n_features))
    if len(names) != n_features:
        raise ValueError(
            f"feature_names must have one name for each of {n_features} features, got {len(names)}"
        )
    return tuple(map(str, names))


def _metric(estimator: Any) -> Any:
    metric = getattr(estimator, "metric", None)
    if metric is None and type(estimator).__name__ == "SphericalKMeans":
        return "cosine"
    return metric


def _scaled(estimator: Any, table: Floats) -> Floats:
    scale = getattr(estimator, "scale", None)
    if scale in ("standard", "isotropic"):
        from moo_clustering.estimators.flagship._feature_scaling import FeatureScaling

        return FeatureScaling.of(table, scale, n_components=table.shape[1], seed=0).transform(table)
    if scale in ("minmax", "zscore"):
        from moo_clustering.estimators._scaling import scale_features

        return np.asarray(scale_features(table, scale), dtype=np.float64)
    return table


def _unit(points: Any) -> Any:
    from sklearn.preprocessing import normalize

    return normalize(points)
