"""The course of one or several searches."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering.visualization._convergence_data import ConvergenceData, Curve, convergence_data
from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure
from moo_clustering.visualization._palette import look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DASHES = ("-", "--", ":", "-.")
_FEW = 30  # steps of which each gets a mark
_MARKED = 8  # marks of a longer curve, where they tell groups apart
_WIDE = 200.0  # times the least value, from which on only a logarithmic axis shows both ends


def plot_convergence(
    runs: Any,
    names: Sequence[str] | None = None,
    *,
    show: Sequence[str] | str | None = None,
    band: tuple[float, float] = (0.25, 0.75),
    reference: ArrayLike | None = None,
    title: str = "",
    ax: Axes | Sequence[Axes] | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Objectives, hypervolume and other numbers over the generations, one panel each.

    Repetitions are shown by their median and a band, groups of runs by colour and mark. Positive values of
    very different size get a logarithmic axis.

    Parameters
    ----------
    runs, names, show, band, reference
        See :func:`convergence_data`.
    title : str, default=""
    ax : matplotlib axes or sequence of these, optional
        Where to draw, one for every panel (``show`` chooses panels); a new figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    TypeError, ValueError
        As of :func:`convergence_data`, and for more or fewer axes than panels.
    """
    data = convergence_data(runs, names, show=show, band=band, reference=reference)
    with house_style():
        if ax is None:
            figure = new_figure(6.0, 1.0 + 1.5 * len(data.panels) + 0.3 * bool(title))
            panels = list(figure.subplots(len(data.panels), 1, sharex=True, squeeze=False)[:, 0])
            figure.suptitle(title, parse_math=False)
        else:
            panels = list(np.ravel(np.asarray(ax, dtype=object)))
            if len(panels) != len(data.panels):
                raise ValueError(
                    f"ax must be one axes for each of {len(data.panels)} panels "
                    f"({', '.join(data.panels)}), got {len(panels)}; show chooses panels"
                )
            figure = figure_of(panels[0])
        for panel, (name, curves) in zip(panels, data.panels.items(), strict=True):
            _draw(panel, name if ax is None or not title else f"{title}: {name}", curves)
        for panel in panels if ax is not None else panels[-1:]:
            panel.set_xlabel(_steps_label(data))
        for panel in panels:
            panel.xaxis.get_major_locator().set_params(integer=True)
        save_figure(figure, path)
    return figure


def _draw(ax: Axes, title: str, curves: Sequence[Curve]) -> None:
    several = len({curve.group for curve in curves}) > 1
    for curve in curves:
        look = look_of(curve.group)
        if not np.array_equal(curve.low, curve.high, equal_nan=True):
            ax.fill_between(curve.steps, curve.low, curve.high, color=look.color, alpha=0.2, linewidth=0.0)
        few = len(curve.steps) < _FEW
        mark = look.marker if several else "." if few else None
        ax.plot(
            curve.steps,
            curve.middle,
            color=look.color,
            linestyle=_DASHES[curve.statistic % len(_DASHES)],
            marker=mark,
            markersize=4.0 if several else None,
            markevery=max(1, len(curve.steps) // _MARKED) if several else None,
            label=curve.name,
        )
    if _is_wide(curves):
        ax.set_yscale("log")
    ax.set_title(title, loc="left", parse_math=False)
    if any(curve.name for curve in curves):
        legend = ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.6)
        for text in legend.get_texts():
            text.set_parse_math(False)


def _is_wide(curves: Sequence[Curve]) -> bool:
    values = np.concatenate([each for curve in curves for each in (curve.middle, curve.low, curve.high)])
    values = values[np.isfinite(values)]
    return bool(len(values) and values.min() > 0.0 and values.max() / values.min() > _WIDE)


def _steps_label(data: ConvergenceData) -> str:
    counts = sorted(set(data.n_runs))
    if counts[-1] == 1:
        return data.step
    runs = f"{counts[0]} runs" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs"
    low, high = data.band
    return f"{data.step} (median of {runs}, band from {low:.0%} to {high:.0%} of them)"
