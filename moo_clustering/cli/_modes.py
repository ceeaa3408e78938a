"""Clusters of tables with categories: the mode of every attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.cli._clusters import shortened
from moo_clustering.cli._tables import aligned
from moo_clustering.datasets import CategoryTable

if TYPE_CHECKING:
    from moo_clustering.cli._job import Job

OWN = ("cluster", "size")
TYPICAL = "typical values"
_SHOWN, _WIDTH = 20, 84


def mode_frame(job: Job) -> pd.DataFrame:
    """Number and size of every cluster, and its mode, or mean of numbers, in every attribute."""
    estimator, names = job.estimator, job.feature_names
    frame = sizes_frame(estimator.labels_)
    for feature, name in enumerate(names):
        # As it is, an attribute of this name would be taken for what is said of the cluster.
        column = f"{name} (attribute)" if name in OWN else name
        frame[column] = [_cell(value) for value in estimator.modes_[:, feature]]
    return frame


def typical_frame(job: Job) -> pd.DataFrame:
    """Number and size of every cluster, and what it has and others have not, most telling first.

    That is the mode of an attribute if more samples have it than elsewhere, or its mean if that is far
    from the mean of all, in standard deviations.
    """
    estimator = job.estimator
    frame = sizes_frame(estimator.labels_)
    columns = job.data.columns() if isinstance(job.data, CategoryTable) else list(np.asarray(job.data.X).T)
    tells = _excess_means if estimator.metric == "euclidean" else _excess_shares
    excess = [
        tells(column, estimator.modes_[:, feature], estimator.labels_)
        for feature, column in enumerate(columns)
    ]
    table = np.column_stack(excess)
    frame[TYPICAL] = [
        "; ".join(
            f"{job.feature_names[feature]} {short_cell(estimator.modes_[cluster, feature])}"
            for feature in np.argsort(-table[cluster], kind="stable")
            if table[cluster, feature] > 0
        )
        for cluster in frame["cluster"]
    ]
    return frame


def mode_table(frame: pd.DataFrame) -> str:
    """The largest clusters, for a terminal."""
    largest = frame.sort_values("size", ascending=False, kind="stable").head(_SHOWN)
    rows = [[*OWN, TYPICAL]]
    rows += [[str(c), str(s), shortened(text, _WIDTH)] for c, s, text in largest.itertuples(index=False)]
    text = aligned(rows, right=(0, 1))
    if len(frame) > _SHOWN:
        text += f"\nand {len(frame) - _SHOWN} more in clusters.csv"
    return text


def sizes_frame(labels: NDArray[np.integer[Any]]) -> pd.DataFrame:
    """Number and size of every cluster."""
    sizes = np.bincount(labels)
    return pd.DataFrame({"cluster": np.arange(len(sizes)), "size": sizes})


def _excess_shares(column: NDArray[Any], modes: Sequence[Any], labels: NDArray[Any]) -> list[float]:
    """Share of the mode within each cluster, less that in all samples."""
    excess = []
    for cluster, mode in enumerate(modes):
        has = _equals(column, mode)
        excess.append(float(has[labels == cluster].mean() - has.mean()))
    return excess


def _excess_means(column: NDArray[Any], means: Sequence[Any], labels: NDArray[Any]) -> list[float]:
    spread = float(column.std())
    return [abs(float(mean) - float(column.mean())) / spread if spread else 0.0 for mean in means]


def _equals(column: NDArray[Any], mode: Any) -> NDArray[np.bool_]:
    if isinstance(mode, pd.Interval):
        return (column >= mode.left) & (column < mode.right)
    return column == mode


def _cell(value: Any) -> Any:
    """Intervals as a reader writes them, whole numbers without a point."""
    if isinstance(value, pd.Interval):
        if np.isinf(value.left):
            return "any" if np.isinf(value.right) else f"< {value.right:g}"
        return f">= {value.left:g}" if np.isinf(value.right) else f"[{value.left:g}, {value.right:g})"
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    return value


def short_cell(value: Any) -> str:
    """A number of four digits at most, or text."""
    cell = _cell(value)
    return f"{cell:.4g}" if isinstance(cell, float | np.floating) else str(cell)
