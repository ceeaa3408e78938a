"""The course of a search that is a table."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization._convergence import plot_convergence
from moo_clustering.visualization._search_history import read_history

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class HistoryData:
    """Curves of one run.

    Parameters
    ----------
    generations : ndarray of shape (n_generations,)
    series : dict of str to ndarray of shape (n_generations,)
        One curve per column, by its title.
    """

    generations: NDArray[np.int64]
    series: dict[str, NDArray[np.float64]]


def history_data(frame: pd.DataFrame) -> HistoryData:
    """Curves of a history.

    Parameters
    ----------
    frame : DataFrame
        As ``Recorder.to_frame`` returns it: a column ``generation`` and a column for each curve.

    Returns
    -------
    HistoryData

    Raises
    ------
    ValueError
        Without a column ``generation``, or without any other curve.
    """
    _, table, *_ = read_history(frame)
    series = {str(name).replace("_", " "): table[name].to_numpy(dtype=np.float64) for name in table}
    return HistoryData(table.index.to_numpy(dtype=np.int64), series)


def plot_history(frame: pd.DataFrame, *, path: str | PathLike[str] | None = None) -> Figure:
    """:func:`plot_convergence` of one run that is a table.

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
    return plot_convergence(frame, path=path)
