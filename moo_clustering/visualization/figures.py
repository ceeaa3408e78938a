"""Figures: cluster styles, display, saving to files, and axes for pymoo's plots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BytesIO
from os import PathLike
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from moo_clustering._messages import checked_path
from moo_clustering.persistence import replacing

if TYPE_CHECKING:
    # These imports are for type checking only, because reports use the colours without importing matplotlib.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

# matplotlib's stubs require Literal keys, so the type cannot be a dict of str.
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif", "font.size": 9.0, "axes.titlesize": 10.0, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False,
}  # fmt: skip
# The first six colours are those of Okabe and Ito, without black and yellow. Each additional colour is the
# point on an OKLCH grid that is farthest from all previous colours under normal vision, deuteranopia and
# protanopia. All candidates contrast sufficiently with white. If mixed with 25% white, they also contrast
# with the dark page of the report.
_COLORS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7b1f45", "#342daa", "#8bca8a",
    "#7e77fa", "#774f12", "#b72e82", "#ad4b48", "#f05465", "#8c0779", "#3c53cd", "#3d410f", "#ff7ad2",
    "#e3acc1", "#50c854", "#75475f", "#5e7ec2", "#3f9015", "#b09722", "#7fab88", "#25aabe", "#7a97fb",
    "#00445a", "#24569f", "#f79f63", "#1a6fe1", "#3accab",
)  # fmt: skip
_MARKERS = ("o", "s", "^", "D", "v", "P", "<", ">")
# Number of a figure during :func:`lent_to_pyplot`. It is negative, because pyplot uses positive numbers.
_LENT = -1


PLOT = """
Parameters
----------
title : str
ax : matplotlib axes
    Axes to draw on. Default: a new figure.
path : path-like
    File to which the figure is also written.

Returns
-------
matplotlib.figure.Figure
"""


@contextmanager
def drawing(ax: Axes | None, path: str | PathLike[str] | None, size: tuple[float, float]) -> Iterator[Axes]:
    """Yield ``ax`` or axes of a new figure (``size`` in inches). Use the package's style; save the figure."""
    with house_style():
        ax = new_figure(*size).add_subplot() if ax is None else ax
        yield ax
        save_figure(figure_of(ax), path)


@contextmanager
def house_style() -> Iterator[None]:
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Create a figure (size in inches) that notebooks display and pyplot does not manage."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    # IPython calls this method if %matplotlib has not registered a formatter for figures.
    vars(figure).update(_repr_png_=partial(_png, figure), show=partial(_show, figure))
    return figure


def _png(figure: Figure) -> bytes:
    file = BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return file.getvalue()


def _show(figure: Figure) -> None:
    """Display the figure in a notebook or, elsewhere, in a window that blocks until it is closed."""
    if "ipykernel.kernelapp" in sys.modules:
        sys.modules["IPython"].display.display(figure)
        return
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with restored_current_figure():
        adopted: Any = lambda *args, **options: figure  # noqa: E731
        pyplot.figure(FigureClass=adopted)
        try:
            pyplot.show(block=True)
        finally:
            pyplot.close(figure)
            FigureCanvasAgg(figure)


def add_legend(ax: Axes, **options: Any) -> Legend:
    """Add a legend that shows dollar signs literally instead of parsing formulas."""
    legend = ax.legend(**options)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend


def figure_of(ax: Axes) -> Figure:
    from matplotlib.figure import Figure

    figure = ax.figure
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure


def save_figure(figure: Figure, path: str | PathLike[str] | None) -> None:
    """Write a figure atomically if ``path`` is not None; the suffix determines the format."""
    if path is None:
        return
    target = checked_path(path)
    with replacing(target) as file:
        figure.savefig(file, format=target.suffix[1:].lower() or "png")


class Look(NamedTuple):
    color: str
    marker: str


def look_of(cluster: int) -> Look:
    """Return a colour and marker, unique for up to 256 clusters. Consecutive clusters differ in both."""
    turn = cluster // len(_COLORS)
    return Look(_COLORS[cluster % len(_COLORS)], _MARKERS[(cluster + turn) % len(_MARKERS)])


@contextmanager
def pymoo_plots() -> Iterator[None]:
    """Return a context manager for creating pymoo's plots without changing matplotlib's state.

    Call the plots' methods ``do``, ``save`` and ``show`` within the context. The context also corrects an
    error of pymoo: ``Petal`` and ``Radar`` draw the outlines of all panels into the last panel. A figure
    remains open as long as its plot exists. The context is not thread-safe.

    Yields
    ------
    None

    Examples
    --------
    >>> import matplotlib as mpl
    >>> import numpy as np
    >>> from pymoo.visualization.scatter import Scatter
    >>> before = mpl.rcParams["font.family"]
    >>> with pymoo_plots():
    ...     plot = Scatter(labels=["near", "unlike"]).add(np.array([[0.0, 3.0], [1.0, 1.0]])).do()
    >>> mpl.rcParams["font.family"] == before
    True
    """
    import matplotlib as mpl
    from pymoo.visualization.petal import Petal
    from pymoo.visualization.radar import Radar

    with mpl.rc_context(), restored_current_figure(), ExitStack() as stack:
        for kind in (Petal, Radar):
            stack.enter_context(_own_panels(kind))
        yield


@contextmanager
def restored_current_figure() -> Iterator[None]:
    """Restore pyplot's current figure after the block, unless it was closed."""
    from matplotlib._pylab_helpers import Gcf

    previous: Any = Gcf.get_active()
    try:
        yield
    finally:
        if previous is not None and Gcf.has_fignum(previous.num):
            Gcf.set_active(previous)


@contextmanager
def lent_to_pyplot(ax: Axes) -> Iterator[None]:
    """Let pyplot draw into ``ax`` within the block, without registering its figure or opening a window."""
    from matplotlib._pylab_helpers import Gcf

    figure = figure_of(ax)
    previous = figure.gca()
    lent: Any = SimpleNamespace(num=_LENT, canvas=figure.canvas)
    with restored_current_figure():
        Gcf.set_active(lent)
        figure.sca(ax)
        try:
            yield
        finally:
            figure.sca(previous)
            Gcf.figs.pop(_LENT)


@contextmanager
def _own_panels(kind: Any) -> Iterator[None]:
    """Patch a pymoo plot class, so that each panel is pyplot's current axes while pymoo draws the panel."""
    draw: Callable[..., None] = kind._plot

    def drawn_in_place(self: Any, ax: Axes, *rest: Any) -> None:
        with lent_to_pyplot(ax):
            draw(self, ax, *rest)

    kind._plot = drawn_in_place
    try:
        yield
    finally:
        kind._plot = draw
