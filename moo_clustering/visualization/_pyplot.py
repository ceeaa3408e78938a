"""pyplot's state, lent to what draws through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from moo_clustering.visualization._figures import figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# No figure has this number: pyplot counts from 1.
_LENT = -1


@contextmanager
def pymoo_plots() -> Iterator[None]:
    """Inside the block pymoo's plots may be made and drawn; after it matplotlib is as before.

    pymoo's plots set the global font when they are made, leave their figure the current one, and draw
    the outlines of all panels of ``Petal`` and ``Radar`` into the last one. Here the font and every other
    setting are restored at the end of the block, the figure that was pyplot's current one is so again, and
    every panel gets its own outline.

    Yields
    ------
    None

    Notes
    -----
    Plots are drawn by ``do``, ``save`` and ``show``, which belong into the block. Figures stay open as long
    as the plots that made them exist. Not for several threads at once.

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
    """pyplot's current figure is the same after the block as before, unless it was closed."""
    from matplotlib._pylab_helpers import Gcf

    previous: Any = Gcf.get_active()
    try:
        yield
    finally:
        if previous is not None and Gcf.has_fignum(previous.num):
            Gcf.set_active(previous)


@contextmanager
def lent_to_pyplot(ax: Axes) -> Iterator[None]:
    """Inside the block pyplot draws into ``ax``; it neither keeps its figure nor needs a window for it."""
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
    """Every panel is drawn while it is pyplot's current one."""
    draw: Callable[..., None] = kind._plot

    def drawn_in_place(self: Any, ax: Axes, *rest: Any) -> None:
        with lent_to_pyplot(ax):
            draw(self, ax, *rest)

    kind._plot = drawn_in_place
    try:
        yield
    finally:
        kind._plot = draw
