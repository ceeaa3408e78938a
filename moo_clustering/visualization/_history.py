"""The course of a search."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization._figures import house_style, new_figure, save_figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_NOT_SHOWN = ("generation", "seconds")


@dataclass(frozen=True, eq=False)
class HistoryData:
    """What :func:`plot_history` shows.

    Parameters
    ----------
    generations : ndarray of shape (n_generations,)
    series : dict of str to ndarray of shape (n_generations,)
        One curve per panel, by its title.
    """

    generations: NDArray[np.int64]
    series: dict[str, NDArray[np.float64]]


def history_data(frame: pd.DataFrame) -> HistoryData:
    """Curves of a history.

    Parameters
    ----------
    frame : DataFrame
        As ``Recorder.to_frame`` returns it: a column ``generation`` and a column for each curve.

    Raises
    ------
    ValueError
        Without a column ``generation``, or without any other curve.
    """
    if "generation" not in frame.columns:
        raise ValueError(f"frame must have a column 'generation', it has {list(frame.columns)}")
    curves = [name for name in frame.columns if name not in _NOT_SHOWN]
    if not curves:
        raise ValueError("frame has no columns to draw")
    series = {str(name).replace("_", " "): frame[name].to_numpy(dtype=np.float64) for name in curves}
    return HistoryData(frame["generation"].to_numpy(dtype=np.int64), series)


def plot_history(frame: pd.DataFrame, *, path: str | PathLike[str] | None = None) -> Figure:
    """Best objective values and size of the front over the generations, one panel each.

    Parameters
    ----------
    frame : DataFrame
        See :func:`history_data`.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data = history_data(frame)
    with house_style():
        figure = new_figure(6.0, 1.0 + 1.5 * len(data.series))
        panels: Any = figure.subplots(len(data.series), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (title, values) in zip(panels, data.series.items(), strict=True):
            ax.plot(data.generations, values, color="#4477aa", marker="." if len(values) < 30 else None)
            ax.set_title(title, loc="left")
        panels[-1].set_xlabel("generation")
        panels[-1].xaxis.get_major_locator().set_params(integer=True)
        save_figure(figure, path)
    return figure
