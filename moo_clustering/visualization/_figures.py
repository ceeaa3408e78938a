"""Figures that leave matplotlib's global state alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from moo_clustering.persistence._atomic import replacing

# The keys are Literals in matplotlib's stubs, which a dict of text does not match.
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


def new_figure(width: float, height: float) -> Figure:
    """A figure that pyplot does not know, so that nobody has to close it (sizes in inches)."""
    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def house_style() -> Iterator[None]:
    """The look of this package inside the block; the settings from before after it."""
    with mpl.rc_context(STYLE):
        yield


def figure_of(ax: Axes) -> Figure:
    """The figure that holds ``ax``."""
    figure = ax.figure
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure


def save_figure(figure: Figure, path: str | PathLike[str] | None) -> None:
    """Write a figure whole or not at all, in the format of the suffix; nothing without a path."""
    if path is None:
        return
    target = Path(path)
    with replacing(target) as file:
        figure.savefig(file, format=target.suffix[1:].lower() or "png")
