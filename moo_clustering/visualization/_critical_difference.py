"""Critical difference diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from moo_clustering.stats._critical_difference import CriticalDifferenceData, critical_difference_data
from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#333333"
_BAR = "#bb3322"


def plot_critical_difference(
    results: Any,
    *,
    alpha: float = 0.05,
    method: str = "shaffer",
    greater_is_better: bool | None = None,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Average ranks on an axis, with bars that join methods not significantly different.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), Series, mapping or FriedmanResult
        A table, average ranks, or the result of :func:`~moo_clustering.stats.friedman` or
        :func:`~moo_clustering.stats.compare`.
    alpha : float, default=0.05
        Level of significance.
    method : {"shaffer", "holm", "nemenyi"}, default="shaffer"
        Procedure for the pairs.
    greater_is_better : bool
        Whether large values are good. Needed with a table only.
    n_datasets : int, optional
        Over how many data sets given ranks are averages.
    methods : sequence of str, optional
        Names of the columns of an array.
    title : str, default=""
    ax : matplotlib axes, optional
        Where to draw; names stand to the left and right of the axis and need a figure with
        ``layout="constrained"`` or room beside the axes. A new figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError, TypeError
        As of :func:`~moo_clustering.stats.critical_difference_data`.

    See Also
    --------
    scikit_posthocs.critical_difference_diagram : what draws it.

    References
    ----------
    .. [1] J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of
       Machine Learning Research 7, 2006, section 3.2.4.
    """
    data = critical_difference_data(
        results, alpha=alpha, method=method, greater_is_better=greater_is_better, n_datasets=n_datasets,
        methods=methods,
    )  # fmt: skip
    with house_style():
        if ax is None:
            ax = new_figure(*_size(data)).subplots()
        _draw(data, ax)
        if title:
            ax.set_title(title, loc="left", pad=10, fontweight="bold", parse_math=False)
        figure = figure_of(ax)
        save_figure(figure, path)
    return figure


def _size(data: CriticalDifferenceData) -> tuple[float, float]:
    """Inches for two columns of names, and for a line per name and bar."""
    longest = max(len(name) for name in data.average_ranks.index)
    lines = (len(data.average_ranks) + 1) // 2 + len(data.groups)
    return 6.0 + 0.14 * max(0, longest - 6), 1.2 + 0.26 * lines


def _draw(data: CriticalDifferenceData, ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator
    from scikit_posthocs import critical_difference_diagram

    n_methods = len(data.average_ranks)
    critical_difference_diagram(
        data.average_ranks.to_dict(),
        # Its own comparison with alpha leaves out equality: nothing but 0 and 1 is decided here.
        1.0 - data.different.astype(float),
        alpha=data.alpha,
        ax=ax,
        label_fmt_left="{label} ({rank:.2f})",
        label_fmt_right="({rank:.2f}) {label}",
        label_props={"parse_math": False},
        color_palette=dict.fromkeys(data.average_ranks.index, _INK),
        marker_props={"s": 16, "clip_on": False},
        elbow_props={"linewidth": 0.9, "clip_on": False},
        # The dots show which methods a bar joins, and the bar itself where their ranks are equal.
        crossbar_props={"color": _BAR, "linewidth": 2.5, "marker": "o", "markersize": 5, "clip_on": False},
        text_h_margin=0.01 * (n_methods - 1),
    )
    ax.spines["top"].set_visible(True)
    ax.set_xlim(1, n_methods)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=2))
    ax.xaxis.set_label_position("top")
    ax.set_xlabel(f"{_caption(data)}\naverage rank, best on the left", linespacing=1.6)


def _caption(data: CriticalDifferenceData) -> str:
    bars = "bars join methods that do not differ" if data.groups else "all methods differ"
    width = data.critical_difference
    note = "" if width is None else f", critical difference {width:.2f}"
    return f"{bars} ({data.procedure.capitalize()}, {data.alpha:g}{note})"
