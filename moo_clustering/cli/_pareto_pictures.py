"""Pictures of a choice from a pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._prepared import PreparedSamples

if TYPE_CHECKING:
    from moo_clustering.cli._job import Job

PARTITION = "partition.png"
_MOST_PLACES = 1000


def draw_partition(folder: Path, job: Job, classes: Sequence[str] | None) -> list[str]:
    """Samples in the plane, clusters by their numbers or by the names of their classes."""
    from moo_clustering.visualization import plot_partition

    if getattr(job.estimator, "metric", None) == "precomputed" and job.table.n_samples > _MOST_PLACES:
        return []
    estimator = job.estimator
    X, names = _places(job)
    shown = None
    if classes is not None:
        shown = [name or f"new, {cluster}" for cluster, name in enumerate(classes)]
    plot_partition(
        X,
        estimator.labels_,
        feature_names=names,
        cluster_names=shown,
        title=f"{type(estimator).__name__}, {job.table.name}",
        path=folder / PARTITION,
    )
    return [PARTITION]


def _places(job: Job) -> tuple[Any, list[str]]:
    """What the plane shows: one or two columns as they are, of more the features as the method takes them."""
    data, estimator = job.data, job.estimator
    assert not isinstance(data, BagSamples)
    if getattr(estimator, "metric", None) == "precomputed":
        from moo_clustering.visualization._plane import scaled_to_plane

        X, stress = scaled_to_plane(np.asarray(data.X))
        return X, [f"first dimension of scaled distances (stress {stress:.2f})", "second dimension"]
    if isinstance(data, PreparedSamples) and len(data.columns.columns) <= 2 and not data.category_names:
        columns = data.columns
        # Dates as years, which an axis can show.
        return np.column_stack([_plottable(columns[name]) for name in columns]), list(columns)
    from moo_clustering.estimators.flagship._feature_scaling import FeatureScaling

    scaling = FeatureScaling.of(data.X, estimator.scale, n_components=estimator.n_components, seed=0)
    if scaling.components is None and 1 <= len(scaling.kept) <= 2:
        return data.X[:, scaling.kept], [job.feature_names[column] for column in scaling.kept]
    return scaling.transform(data.X), job.feature_names


def _plottable(column: pd.Series[Any]) -> NDArray[np.float64]:
    if not pd.api.types.is_datetime64_any_dtype(column):
        return column.to_numpy(dtype=np.float64)
    years: NDArray[np.float64] = 1970 + column.to_numpy(dtype="datetime64[s]").astype(np.float64) / 31556952
    return years


def draw_pool(folder: Path, estimator: Any, name: str) -> list[str]:
    """How much of the pool has samples together, of many samples or landmarks a part."""
    from scipy.linalg import eigh

    from moo_clustering.visualization import plot_similarity
    from moo_clustering.visualization._pool_similarity import pool_similarity

    together, labels, n_all, what = pool_similarity(estimator, _MOST_PLACES)
    degree = np.sqrt(together.sum(axis=1))
    laplacian = np.eye(len(labels)) - together / np.outer(degree, degree)
    last = min(len(labels), max(10, estimator.n_clusters_ + 2)) - 1
    eigenvalues, vectors = eigh(laplacian, subset_by_index=[0, last])
    part = "" if len(labels) == n_all else f", {len(labels)} of {n_all} {what}"
    title = f"{type(estimator).__name__}, {name}"
    plot_similarity(
        together,
        labels,
        eigenvalues,
        vectors[:, : estimator.n_clusters_],
        title=f"{title}: the lighter, the more of the pool has two {what} together{part}",
        path=folder / "similarity.png",
    )
    return ["similarity.png"]
