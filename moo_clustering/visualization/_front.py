"""Pareto fronts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._figures import (
    STYLE,
    figure_of,
    house_style,
    new_figure,
    save_figure,
)
from moo_clustering.visualization._pyplot import lent_to_pyplot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MEMBERS, _CHOSEN = "#4477aa", "#cc3311"


@dataclass(frozen=True, eq=False)
class FrontData:
    """What :func:`plot_front` shows.

    Parameters
    ----------
    F : ndarray of shape (n_solutions, n_objectives)
        Objectives in natural sign.
    names : tuple of str
        One per objective.
    chosen : ndarray of shape (n_solutions,), bool
        Which members are marked.
    """

    F: NDArray[np.float64]
    names: tuple[str, ...]
    chosen: NDArray[np.bool_]


def front_data(
    F: ArrayLike, names: Sequence[str] | None = None, chosen: ArrayLike | int | None = None
) -> FrontData:
    """Check and complete a front.

    Parameters
    ----------
    F : array-like of shape (n_solutions, n_objectives)
        Finite objectives in natural sign.
    names : sequence of str, optional
        Names of the objectives; ``f1``, ``f2``, ... by default.
    chosen : int, array-like of int or of bool, optional
        Rows to mark.

    Returns
    -------
    FrontData

    Raises
    ------
    ValueError
        For an empty front, values that are not finite, or names or rows that do not fit it.
    """
    F = np.asarray(F, dtype=np.float64)
    if F.ndim != 2 or not F.size:
        raise ValueError(f"F must have shape (n_solutions, n_objectives) and a member, got {F.shape}")
    if not np.isfinite(F).all():
        raise ValueError("F must be finite")
    names = tuple(f"f{i + 1}" for i in range(F.shape[1])) if names is None else tuple(names)
    if len(names) != F.shape[1]:
        raise ValueError(f"names has {len(names)} names for {F.shape[1]} objectives")
    marked = np.zeros(len(F), dtype=bool)
    if chosen is not None:
        try:
            marked[np.asarray(chosen)] = True
        except IndexError as error:
            raise ValueError(f"chosen={chosen!r} is outside the front, which has {len(F)} members") from error
    return FrontData(F, names, marked)


def front_bounds(F: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least and greatest value of every objective, as pymoo's ``Petal`` and ``Radar`` want their ``bounds``.

    Parameters
    ----------
    F : array-like of shape (n_solutions, n_objectives)
        Finite objectives, such as ``result_.F``: minimised, so that the first of the bounds is the ideal
        and the second the nadir point.

    Returns
    -------
    lower, upper : ndarray of shape (n_objectives,)
        An objective that has one value only goes on to the next whole unit of its size.

    Raises
    ------
    ValueError
        As of :func:`front_data`.

    Examples
    --------
    >>> lower, upper = front_bounds([[0.0, 3.0], [1.0, 3.0]])
    >>> lower.tolist(), upper.tolist()
    ([0.0, 3.0], [1.0, 6.0])
    """
    F = front_data(F).F
    lower, upper = F.min(axis=0), F.max(axis=0)
    size = np.where(lower == 0.0, 1.0, np.abs(lower))
    return lower, np.where(upper > lower, upper, lower + size)


def plot_front(
    F: ArrayLike,
    names: Sequence[str] | None = None,
    chosen: ArrayLike | int | None = None,
    *,
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Scatter plot of up to three objectives, parallel coordinates of more.

    Parameters
    ----------
    F, names, chosen
        See :func:`front_data`.
    ax : matplotlib axes, optional
        Where to draw (with 3-d projection for three objectives); a new figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure

    See Also
    --------
    pymoo.visualization.scatter.Scatter, pymoo.visualization.pcp.PCP : what draws it.
    """
    data = front_data(F, names, chosen)
    with house_style():
        figure = _scatter(data, ax) if len(data.names) <= 3 else _parallel(data, ax)
        save_figure(figure, path)
    return figure


def _scatter(data: FrontData, ax: Axes | None) -> Figure:
    from pymoo.visualization.scatter import Scatter

    solid = len(data.names) == 3
    if ax is None:
        ax = new_figure(5.0, 4.0).add_subplot(projection="3d" if solid else None)
    with _restored_font():
        plot = Scatter(ax=ax, labels=_labels(data), legend=bool(data.chosen.any()), close_on_destroy=False)
    plot.add(data.F[~data.chosen] if not data.chosen.all() else None, color=_MEMBERS, s=18, label="front")
    if data.chosen.any():
        plot.add(data.F[data.chosen], color=_CHOSEN, s=42, marker="D", label="chosen")
    plot.do()
    ax.set_title(_title(data))
    return figure_of(ax)


def _parallel(data: FrontData, ax: Axes | None) -> Figure:
    from pymoo.visualization.pcp import PCP

    own = ax is None
    if ax is None:
        ax = new_figure(1.5 * len(data.names) + 1.5, 4.0).add_subplot()
    # PCP draws into pyplot's current axes, whichever it is given.
    with lent_to_pyplot(ax):
        with _restored_font():
            plot = PCP(
                ax=ax, labels=_labels(data), func_number_to_text="{:.3g}".format, close_on_destroy=False
            )
        plot.set_axis_style(color="0.6", linewidth=1.0)
        plot.add(data.F[~data.chosen] if not data.chosen.all() else None, color=_MEMBERS, alpha=0.6)
        if data.chosen.any():
            plot.add(data.F[data.chosen], color=_CHOSEN, linewidth=2.0)
        plot.do()
    ax.set_title(_title(data), pad=24)
    figure = figure_of(ax)
    if own:
        figure.set_layout_engine("tight")
    return figure


def _labels(data: FrontData) -> list[str]:
    return [name.replace("_", " ") for name in data.names]


def _title(data: FrontData) -> str:
    return f"Pareto front, {len(data.F)} {'member' if len(data.F) == 1 else 'members'}"


@contextmanager
def _restored_font() -> Iterator[None]:
    """pymoo's plots set the global font when they are made, which the drawing would then mix."""
    import matplotlib as mpl

    yield
    mpl.rcParams["font.family"] = STYLE["font.family"]
