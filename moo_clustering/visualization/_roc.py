"""ROC curves of several methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure
from moo_clustering.visualization._palette import look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

_LINES = ("-", "--", "-.", ":")
_COLORS = 6  # of look_of
_LONGEST = 40  # characters of a name
_ROUNDING = 1e-9
# Inches: of the panel with the strokes of the legend, of a line of the legend and of a character in it.
_WIDTH, _HEIGHT, _LINE, _MARK = 5.3, 4.2, 0.19, 0.08


@dataclass(frozen=True, eq=False)
class RocData:
    """What :func:`plot_roc` shows.

    Parameters
    ----------
    names : tuple of str
    curves : list of tuple of two ndarrays
        False and true positive rates of each, from (0, 0) to (1, 1).
    aucs : ndarray of shape (n_curves,)
        Areas under them.
    """

    names: tuple[str, ...]
    curves: list[tuple[Floats, Floats]]
    aucs: Floats


def roc_data(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], *, aucs: Mapping[str, float] | None = None
) -> RocData:
    """Check curves and measure their areas.

    Parameters
    ----------
    curves : mapping of name to (fpr, tpr)
        False and true positive rates of equal length, ascending, that end at (1, 1), such as
        :func:`moo_clustering.validity.mean_roc_curve` returns. Curves that begin at a true positive rate
        above 0 are drawn from (0, 0).
    aucs : mapping of name to float, optional
        Areas known more exactly; by default the trapezoid rule gives them.

    Returns
    -------
    RocData

    Raises
    ------
    ValueError
        For no curve, rates that are none, or names in ``aucs`` that no curve has.
    """
    if not curves:
        raise ValueError("curves must have at least one curve, got none")
    known = dict(aucs or {})
    strange = [name for name in known if name not in curves]
    if strange:
        raise ValueError(f"aucs names {strange[0]!r}, but there is no such curve")
    checked = [_checked(name, *curve) for name, curve in curves.items()]
    areas = [
        known.get(name, float(np.trapezoid(tpr, fpr)))
        for name, (fpr, tpr) in zip(curves, checked, strict=True)
    ]
    return RocData(tuple(map(str, curves)), checked, np.asarray(areas, dtype=np.float64))


def plot_roc(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    aucs: Mapping[str, float] | None = None,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """ROC curves in one panel, with the area under each in the legend and the diagonal of chance.

    Parameters
    ----------
    curves, aucs
        See :func:`roc_data`; the legend keeps their order. Up to 24 curves look different.
    title : str, default=""
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data = roc_data(curves, aucs=aucs)
    with house_style():
        if ax is None:
            width = _WIDTH + _MARK * max(8, *(len(_cut(name)) for name in data.names))
            ax = new_figure(width, max(_HEIGHT, _LINE * (len(data.names) + 4))).add_subplot()
        for place, (name, (fpr, tpr), auc) in enumerate(zip(data.names, data.curves, data.aucs, strict=True)):
            color, line = _look(place)
            ax.plot(fpr, tpr, color=color, linestyle=line, linewidth=1.5, label=f"{auc:.3f}  {_cut(name)}")
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8, zorder=1, label="0.500  chance")
        _finish(ax, title)
        figure = figure_of(ax)
        save_figure(figure, path)
    return figure


def _finish(ax: Axes, title: str) -> None:
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    ax.set_xlabel("false positive rate")
    ax.set_ylabel("true positive rate")
    ax.set_title(title or "Mean ROC curves", parse_math=False)
    # Beside the panel, for a curve may run anywhere in it.
    legend = ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        handlelength=3.2,
        title="Area under the curve",
        alignment="left",
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _checked(name: str, fpr: ArrayLike, tpr: ArrayLike) -> tuple[Floats, Floats]:
    rates = np.asarray(fpr, dtype=np.float64), np.asarray(tpr, dtype=np.float64)
    if rates[0].ndim != 1 or rates[0].shape != rates[1].shape or not len(rates[0]):
        raise ValueError(
            f"the curve {name!r} must be two arrays of equal length, got the shapes "
            f"{rates[0].shape} and {rates[1].shape}"
        )
    for each in rates:
        within = each.min() >= -_ROUNDING and each.max() <= 1 + _ROUNDING
        if not (within and np.diff(each).min(initial=0.0) >= -_ROUNDING):
            raise ValueError(f"rates of the curve {name!r} must ascend within 0 and 1")
    if abs(rates[0][0]) > _ROUNDING or min(rates[0][-1], rates[1][-1]) < 1 - _ROUNDING:
        raise ValueError(
            f"the curve {name!r} must go from a false positive rate of 0 to (1, 1), it goes from "
            f"{rates[0][0]:.3g} to ({rates[0][-1]:.3g}, {rates[1][-1]:.3g})"
        )
    if rates[1][0] > 0:
        return np.append(0.0, rates[0]), np.append(0.0, rates[1])
    return rates


def _look(place: int) -> tuple[str, str]:
    """Colour and line of a curve: neighbours differ in both."""
    color = look_of(place).color
    turn = place // _COLORS
    return color, _LINES[(place + turn) % len(_LINES)]


def _cut(name: str) -> str:
    line = "".join(mark if mark.isprintable() else " " for mark in name)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
