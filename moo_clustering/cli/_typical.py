"""Clusters of tables: what is typical of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.cli._clusters import shortened
from moo_clustering.cli._modes import OWN, TYPICAL, short_cell, sizes_frame
from moo_clustering.cli._tables import aligned

_FEWEST, _MOST = 0.25, 5
_SHOWN, _WIDTH = 20, 100
_BETWEEN = "; "
_LIKE_ALL = "(like all samples)"
_VALUES, _PURE = 10, 0.95


def column_frames(
    columns: pd.DataFrame, category_names: tuple[str, ...], labels: NDArray[np.integer[Any]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Clusters with the columns in which they differ most from all samples, and with all columns.

    A number is the mean, beside that of all samples; a category the most frequent value, with its share.
    What differs by a quarter of a standard deviation is told, the most telling first.

    Returns
    -------
    typical : DataFrame
        Cluster, size, typical values.
    table : DataFrame
        Besides, the mean or the most frequent value of each column.
    """
    typical = sizes_frame(labels)
    typical = typical[typical["size"] > 0].reset_index(drop=True)
    clusters = typical["cluster"].to_numpy()
    values: dict[str, list[Any]] = {}
    excess = np.zeros((len(clusters), len(columns.columns)))
    texts: list[list[str]] = []
    for number, name in enumerate(columns.columns):
        describe = _category if name in category_names else _number
        found = describe(columns[name], labels, clusters)
        # As it is, a column of this name would be taken for what is said of the cluster.
        values[f"{name} (column)" if name in (*OWN, TYPICAL) else name] = found[0]
        excess[:, number] = found[1]
        texts.append([f"{name} {text}" for text in found[2]])
    telling: list[str] = []
    for row, differences in enumerate(excess):
        order = [c for c in np.argsort(-differences, kind="stable") if differences[c] >= _FEWEST][:_MOST]
        telling.append(_BETWEEN.join(texts[c][row] for c in order))
    typical[TYPICAL] = telling
    return typical, pd.concat([typical, pd.DataFrame(values)], axis=1)


def sorting_columns(columns: pd.DataFrame, labels: NDArray[np.integer[Any]]) -> list[str]:
    """Columns of few values, of which nearly every cluster has one only."""
    found = []
    for name in columns.columns:
        codes, values = pd.factorize(columns[name])
        if 2 <= len(values) <= _VALUES:
            counts = np.zeros((int(labels.max()) + 1, len(values)))
            np.add.at(counts, (labels, codes), 1)
            # The value most frequent of all must not pass for that of every cluster.
            if counts.max(axis=1).sum() >= _PURE * len(labels) and counts.sum(axis=0).max() < _PURE * len(
                labels
            ):
                found.append(str(name))
    return found


def column_table(frame: pd.DataFrame) -> str:
    """The largest clusters, for a terminal: as much of what is typical as fits."""
    largest = frame.sort_values("size", ascending=False, kind="stable").head(_SHOWN)
    rows = [list(map(str, frame.columns))]
    for *own, typical in largest.itertuples(index=False):
        fitting = typical.split(_BETWEEN)
        while len(fitting) > 1 and len(_BETWEEN.join(fitting)) > _WIDTH:
            fitting.pop()
        rows.append([*map(str, own), shortened(_BETWEEN.join(fitting), _WIDTH) or _LIKE_ALL])
    text = aligned(rows, right=(0, 1))
    return text if len(frame) <= _SHOWN else f"{text}\nand {len(frame) - _SHOWN} more in clusters.csv"


_Found = tuple[list[Any], list[float], list[str]]


def _number(column: pd.Series[Any], labels: NDArray[Any], clusters: NDArray[Any]) -> _Found:
    is_date = pd.api.types.is_datetime64_any_dtype(column)
    numbers = column.to_numpy(dtype="datetime64[s]").astype(np.float64) if is_date else column.to_numpy()
    # By the largest, so that squares of huge numbers stay within bounds.
    unit = float(np.abs(numbers).max()) or 1.0
    mean, spread = float((numbers / unit).mean()) * unit, float((numbers / unit).std()) * unit
    means = [float((numbers[labels == cluster] / unit).mean()) * unit for cluster in clusters]
    excess = [abs(m - mean) / spread if spread else 0.0 for m in means]
    show = _date if is_date else short_cell
    shown = [_date(m) for m in means] if is_date else [float(f"{m:.6g}") for m in means]
    return shown, excess, [f"{show(m)} (all: {show(mean)})" for m in means]


def _category(column: pd.Series[Any], labels: NDArray[Any], clusters: NDArray[Any]) -> _Found:
    values: list[Any] = []
    excess, texts = [], []
    for cluster in clusters:
        inside = column[labels == cluster]
        value = inside.mode().iloc[0]
        share, overall = float((inside == value).mean()), float((column == value).mean())
        spread = np.sqrt(overall * (1 - overall))
        values.append(value)
        excess.append((share - overall) / spread if spread else 0.0)
        texts.append(f"{value} {share:.0%} (all: {overall:.0%})")
    return values, excess, texts


def _date(seconds: float) -> str:
    return str(np.datetime64(round(seconds), "s").astype("datetime64[D]"))
