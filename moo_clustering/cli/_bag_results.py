"""Files of a run on bags beside those of every run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.estimators.multi_instance._bag_scaling import FeatureRange
from moo_clustering.estimators.multi_instance._scaled_bags import scaled_bags

DISTANCES, EMBEDDING, HISTORY = "bag_distances.png", "bag_embedding.png", "history.png"

_ARRAYS = {
    "medoids": "medoid_indices_",
    "centers": "cluster_centers_",
    "data_min": "data_min_",
    "data_range": "data_range_",
}
# Columns of the course that are drawn, and what they are called there.
_DRAWN = {
    "min": "best objective",
    "avg": "mean objective",
    "d": "genes in which parents must differ",
    "inertia": "inertia",
    "smallest": "bags of the smallest cluster",
}


def bag_arrays(estimator: Any) -> dict[str, Any]:
    """Arrays that are kept beside the labels; centres are in the units of the data."""
    found = {name: getattr(estimator, attribute, None) for name, attribute in _ARRAYS.items()}
    return {name: np.asarray(value) for name, value in found.items() if value is not None}


def draw_bags(folder: Path, estimator: Any, samples: BagSamples, history: pd.DataFrame | None) -> list[str]:
    """Distances between bags, bags in the plane, and the course of the search; names of the files."""
    from moo_clustering.visualization import plot_bag_distances, plot_bag_embedding, plot_history
    from moo_clustering.visualization._bag_input import affordable_bags

    bags, labels = scaled_bags(estimator, samples.X), estimator.labels_
    most = affordable_bags(bags)
    centers = getattr(estimator, "cluster_centers_", None)
    if centers is not None:
        centers = FeatureRange(estimator.data_min_, estimator.data_range_).scale(centers)
    plot_bag_distances(bags, labels, max_bags=min(1500, most), path=folder / DISTANCES)
    plot_bag_embedding(
        bags,
        labels,
        medoids=getattr(estimator, "medoid_indices_", None),
        centers=centers,
        max_bags=min(1000, most),
        path=folder / EMBEDDING,
    )
    if history is None or len(history) < 2:
        return [DISTANCES, EMBEDDING]
    plot_history(_drawn(history) if hasattr(estimator, "logbook_") else history, path=folder / HISTORY)
    return [DISTANCES, EMBEDDING, HISTORY]


def _drawn(history: pd.DataFrame) -> pd.DataFrame:
    names = [name for name in _DRAWN if name in history]
    # A threshold that never falls is no news.
    names = [name for name in names if name != "d" or history[name].nunique() > 1]
    return history[["generation", *names]].rename(columns=_DRAWN)
