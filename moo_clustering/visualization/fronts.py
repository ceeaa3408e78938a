"""Plots of fronts, attainment, critical differences, convergence and ROC curves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pymoo.core.result import Result
from sklearn.base import BaseEstimator

from moo_clustering._arrays import non_dominated, optional_package, quoted
from moo_clustering._data import checked_array
from moo_clustering._docs import documented
from moo_clustering._messages import shortened
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntpArray
from moo_clustering.fronts import AttainmentScores, front_box, hypervolume
from moo_clustering.problems.partition import SignedProblem
from moo_clustering.results import SearchHistory, read_history, result_of

# These names are also public in this module.
from moo_clustering.stats import CriticalDifferenceData as CriticalDifferenceData
from moo_clustering.stats import critical_difference_data as critical_difference_data
from moo_clustering.visualization import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_MEMBERS, _CHOSEN = "#4477aa", "#cc3311"
_MARK: dict[str, Any] = {"color": _CHOSEN, "marker": "D", "s": 36}
_DASHES = ("-", "--", ":", "-.")
_STATISTICS = re.compile(r"(best|mean|avg|min|max)(?:_(.+))?")
_ROUNDING = 1e-9
Groups = dict[str, list[SearchHistory]]


@dataclass(frozen=True, eq=False)
class AttainmentData:
    """Data drawn by :func:`plot_attainment`.

    Parameters
    ----------
    front : ndarray of shape (n, 2)
        Square roots of the objectives of solutions with a score, scaled to [0, 1].
    n_clusters : ndarray of shape (n,)
    controls : tuple of ndarray of shape (m, 2)
        Corners of each control front's attainment surface, extended to the edges of the plot.
    annotated : ndarray of int
        Rows of ``front`` next to which the plot shows the number of clusters.
    chosen : int or None
        Row of the chosen solution in ``front``.
    foot : ndarray of shape (2,) or None
        Point on the control surfaces that is nearest to the chosen solution.
    distance : float or None
        Distance from ``foot`` to the chosen solution: the solution's score.
    numbers, scores : ndarray of shape (n_numbers,)
        Unique numbers of clusters, and the best score for each number.
    promising : ndarray of shape (n_numbers,), bool
        Whether each score is a local maximum; see :meth:`AttainmentScores.promising`.
    """

    front: FloatArray
    n_clusters: Int64Array
    controls: tuple[FloatArray, ...]
    annotated: IntpArray
    chosen: int | None
    foot: FloatArray | None
    distance: float | None
    numbers: Int64Array
    scores: FloatArray
    promising: BoolArray


@documented()
def attainment_plot_data(attainment: AttainmentScores, chosen: int | None = None) -> AttainmentData:
    """Prepare a front and its attainment scores for plotting.

    Parameters
    ----------
    attainment : AttainmentScores
        Scores of a front, such as ``MOCK().fit(X).attainment_``.
    chosen : int, optional
        Row of the solution to mark if it has a score. Default: the solution with the best score.

    Raises
    ------
    ValueError, TypeError
        If ``chosen`` is not a row of the front, or if ``attainment`` has the wrong type.
    """
    if not isinstance(attainment, AttainmentScores):
        raise TypeError(
            "attainment must be AttainmentScores, such as attainment_ of a MOCK fitted with "
            f"select='attainment', got {type(attainment).__name__}"
        )
    n = len(attainment.scores)
    row = attainment.best() if chosen is None else int(chosen)
    if not -n <= row < n:
        raise ValueError(f"chosen={chosen} is outside the front, which has {n} solutions")
    kept = np.flatnonzero(np.isfinite(attainment.scores))
    front, numbers = attainment.front[kept], attainment.n_clusters[kept]
    best = np.array([attainment.best(int(k)) for k in np.unique(numbers)], dtype=np.intp)
    promising = np.isin(best, attainment.promising())
    place = np.flatnonzero(kept == row % n).tolist()
    marked = place[0] if place else None
    foot = None
    if marked is not None:
        feet = [_nearest_point(front[marked], corners) for corners in attainment.controls]
        foot = min(feet, key=lambda point: float(np.hypot(*(point - front[marked]))))
    order = best[np.lexsort((-attainment.scores[best], ~promising))]
    annotated: list[int] = []
    for near in (*place, *np.searchsorted(kept, order).tolist()):
        if all(np.hypot(*(front[other] - front[near])) >= 0.06 for other in annotated):
            annotated.append(near)
    return AttainmentData(
        front=front,
        n_clusters=numbers,
        controls=tuple(np.vstack([[c[0, 0], 1.05], c, [1.05, c[-1, 1]]]) for c in attainment.controls),
        annotated=np.array(annotated, dtype=np.intp),
        chosen=marked,
        foot=foot,
        distance=None if foot is None else float(np.hypot(*(foot - front[marked]))),
        numbers=np.unique(numbers),
        scores=attainment.scores[best],
        promising=promising,
    )


@documented(figures.PLOT, attainment_plot_data)
def plot_attainment(
    attainment: AttainmentScores,
    chosen: int | None = None,
    names: Sequence[str] = ("variance", "connectivity"),
    *,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot a front, the fronts of random control data, and the score for each number of clusters.

    The left panel shows square roots of the scaled objectives, with numbers of clusters. The length of the
    dashed line is the chosen solution's score. The right panel shows scores, and marks local maxima.

    Parameters
    ----------
    names : sequence of two str, default=("variance", "connectivity")
        Names of the objectives.
    """
    if len(names) != 2:
        raise ValueError(f"names must have one name per objective (2), got {len(names)}")
    data = attainment_plot_data(attainment, chosen)
    with figures.house_style():
        figure = figures.new_figure(9.0, 4.2)
        left, right = figure.subplots(1, 2)
        for i, corners in enumerate(data.controls):
            label = "control fronts" if i == 0 else None
            left.step(*corners.T, where="post", color="0.6", linewidth=0.8, label=label, zorder=1)
        left.scatter(*data.front.T, color=_MEMBERS, s=14, label="front", zorder=2)
        right.plot(data.numbers, data.scores, color=_MEMBERS, marker=".", zorder=1)
        x, y = data.numbers[data.promising], data.scores[data.promising]
        right.scatter(x, y, facecolor="none", edgecolor="#228833", s=60, label="promising", zorder=2)
        if data.chosen is not None and data.foot is not None:
            point = data.front[data.chosen]
            left.plot(*np.array([point, data.foot]).T, color=_CHOSEN, linestyle="--", linewidth=1.0, zorder=3)
            left.scatter(*point, **_MARK, label=f"chosen (score {data.distance:.3f})", zorder=4)
            right.scatter(data.n_clusters[data.chosen], data.distance, **_MARK, label="chosen", zorder=3)
        beside: Any = {"textcoords": "offset points", "ha": "right", "va": "top", "fontsize": 8}
        for row in data.annotated:
            color = _CHOSEN if row == data.chosen else "black"
            left.annotate(str(data.n_clusters[row]), data.front[row], (-4, -4), color=color, **beside)
        xlabel, ylabel = (f"scaled {name.replace('_', ' ')} (square root)" for name in names)
        left.set(xlabel=xlabel, ylabel=ylabel, title="Front and control fronts")
        left.set(xlim=(-0.07, 1.05), ylim=(-0.07, 1.05), aspect="equal")
        left.legend(loc="upper right")
        right.xaxis.get_major_locator().set_params(integer=True)
        right.set_ylim(bottom=0)
        right.set(xlabel="number of clusters", ylabel="best attainment score", title="Attainment score")
        right.legend(loc="best")
        figures.save_figure(figure, path)
    return figure


def _nearest_point(point: FloatArray, surface: FloatArray) -> FloatArray:
    above, right = np.append(np.inf, surface[:-1, 1]), np.append(surface[1:, 0], np.inf)
    down = np.column_stack([surface[:, 0], np.clip(point[1], surface[:, 1], above)])
    along = np.column_stack([np.clip(point[0], surface[:, 0], right), surface[:, 1]])
    points = np.concatenate([down, along])
    return points[np.hypot(*(points - point).T).argmin()]


def draw_surfaces(
    table: pd.DataFrame,
    greater_is_better: Sequence[bool],
    *,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot attainment surfaces from the table of :meth:`~moo_clustering.studies.Study.attainment`."""
    names = [*table.columns[2:]]
    low, high = table[names].min().to_numpy(), table[names].max().to_numpy()
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    worst = np.where(greater_is_better, low - margin, high + margin)
    with figures.drawing(ax, path, (6.4, 4.6)) as panel:
        for place, (method, own) in enumerate(table.groupby("method", sort=False)):
            look, middle = figures.look_of(place), min(own["fraction"], key=lambda one: abs(one - 0.5))
            for fraction, corners in own.groupby("fraction"):
                x, y = corners[names].to_numpy().T
                line = {"linewidth": 2.0, "label": method} if fraction == middle else {"linewidth": 0.8}
                x, y = np.concatenate([x[:1], x, worst[:1]]), np.concatenate([worst[1:], y, y[-1:]])
                panel.plot(x, y, color=look.color, drawstyle="steps-post", **line)
        fractions = ", ".join(f"{one:g}" for one in sorted(set(table["fraction"])))
        ends = ["max" if greater else "min" for greater in greater_is_better]
        across, up = (f"{name.replace('_', ' ')} ({end})" for name, end in zip(names, ends, strict=True))
        panel.set_xlabel(across, parse_math=False)
        panel.set_ylabel(up, parse_math=False)
        what = f"attained by {fractions} of the seeds"
        panel.set_title(f"{title}: {what}" if title else what, loc="left", parse_math=False)
        figures.add_legend(panel)
    return figures.figure_of(panel)


@documented(figures.PLOT, critical_difference_data)
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
    """Plot the methods' average ranks, with bars that join methods that do not differ significantly.

    Requires scikit-posthocs (extra ``stats``). Raises the same errors as
    :func:`~moo_clustering.stats.critical_difference_data`. Source: J. Demšar, JMLR 7, 2006, section 3.2.4.

    Parameters
    ----------
    ax : matplotlib axes, optional
        Axes with space for names on both sides, unless the figure has ``layout="constrained"``.
    """
    from matplotlib.ticker import MaxNLocator

    data = critical_difference_data(
        results, alpha=alpha, method=method, greater_is_better=greater_is_better, n_datasets=n_datasets,
        methods=methods,
    )  # fmt: skip
    posthocs = optional_package("scikit_posthocs", "stats", "a critical difference diagram")
    n_methods, longest = len(data.average_ranks), max(map(len, data.average_ranks.index))
    size = 6.0 + 0.14 * max(0, longest - 6), 1.2 + 0.26 * ((n_methods + 1) // 2 + len(data.groups))
    with figures.drawing(ax, path, size) as panel:
        # Dots mark the methods that a bar connects. They are visible even if all ranks of the bar are equal.
        bars = {"color": "#bb3322", "linewidth": 2.5, "marker": "o", "markersize": 5, "clip_on": False}
        posthocs.critical_difference_diagram(
            data.average_ranks.to_dict(),
            # scikit-posthocs tests p < alpha, so the p-values are set to 0 or 1.
            1.0 - data.different.astype(float),
            alpha=data.alpha,
            ax=panel,
            label_fmt_left="{label} ({rank:.2f})",
            label_fmt_right="({rank:.2f}) {label}",
            label_props={"parse_math": False},
            color_palette=dict.fromkeys(data.average_ranks.index, "#333333"),
            marker_props={"s": 16, "clip_on": False},
            elbow_props={"linewidth": 0.9, "clip_on": False},
            crossbar_props=bars,
            text_h_margin=0.01 * (n_methods - 1),
        )
        panel.spines["top"].set_visible(True)
        panel.set_xlim(1, n_methods)
        panel.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=2))
        panel.xaxis.set_label_position("top")
        said = "bars join methods that do not differ" if data.groups else "all methods differ"
        width = data.critical_difference
        note = "" if width is None else f", critical difference {width:.2f}"
        caption = f"{said} significantly ({data.procedure.capitalize()}, {data.alpha:g}{note})"
        panel.set_xlabel(f"{caption}\naverage rank (best on the left)", linespacing=1.6)
        if title:
            panel.set_title(title, loc="left", pad=10, fontweight="bold", parse_math=False)
    return figures.figure_of(panel)


@dataclass(frozen=True, eq=False)
class FrontData:
    """Data drawn by :func:`plot_front`.

    Parameters
    ----------
    F : ndarray of shape (n_solutions, n_objectives)
        Objectives with their original signs.
    names : tuple of str
    chosen : ndarray of shape (n_solutions,), bool
        Mask of the solutions to mark.
    """

    F: FloatArray
    names: tuple[str, ...]
    chosen: BoolArray


@documented()
def front_data(
    F: Any, names: Sequence[str] | None = None, chosen: ArrayLike | int | None = None
) -> FrontData:
    """Check a front, and add default objective names.

    Parameters
    ----------
    F : array-like of shape (n_solutions, n_objectives), pymoo Result or fitted estimator
        Finite objectives with their original signs, a pymoo Result, or an estimator with ``pareto_front_``.
    names : sequence of str, optional
        Names of the objectives. Default: the names in the estimator or problem, or ``f1``, ``f2``, ...
    chosen : int, array-like of int or of bool, optional
        Rows to mark. Default: the estimator's ``chosen_``, if available.

    Raises
    ------
    ValueError
        If the front is empty, if a value is not finite, or if the names or rows do not match the front.
    """
    if isinstance(F, BaseEstimator):
        result = result_of(F)
        if result.front is None:
            raise ValueError(
                f"this {type(F).__name__} has no front; use the result of a multi-objective search"
            )
        names = result.front.names if names is None else names
        chosen, F = result.member if chosen is None else chosen, result.front.values
    if isinstance(F, Result):
        problem, F = F.problem, [] if F.F is None else np.atleast_2d(F.F)
        if isinstance(problem, SignedProblem) and len(F):
            names, F = problem.objective_names if names is None else names, problem.natural(F)
    F = checked_array(F, "F", np.float64)
    if F.ndim != 2 or not F.size:
        raise ValueError(f"F must be non-empty with shape (n_solutions, n_objectives), got {F.shape}")
    names = tuple(f"f{i + 1}" for i in range(F.shape[1])) if names is None else tuple(names)
    if len(names) != F.shape[1]:
        raise ValueError(f"names must have one name per objective ({F.shape[1]}), got {len(names)}")
    marked = np.zeros(len(F), dtype=bool)
    if chosen is not None:
        try:
            marked[checked_array(chosen, "chosen")] = True
        except IndexError as error:
            said = f"chosen={chosen!r} is outside the front, which has {len(F)} solution{'s' * (len(F) > 1)}"
            raise ValueError(said) from error
    return FrontData(F, names, marked)


def front_bounds(F: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Compute each objective's minimum and maximum, for use as ``bounds`` of pymoo's ``Petal`` and ``Radar``.

    Raises a ValueError in the same cases as :func:`front_data`.

    Parameters
    ----------
    F : array-like of shape (n_solutions, n_objectives)
        Finite objectives to minimise, such as ``result_.F``.

    Returns
    -------
    lower, upper : ndarray of shape (n_objectives,)
        Ideal and nadir point. If an objective is constant, its absolute value (or 1 for 0) is added to
        ``upper``.

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


@documented(figures.PLOT, front_data)
def plot_front(
    F: Any,
    names: Sequence[str] | None = None,
    chosen: ArrayLike | int | None = None,
    *,
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot a front with pymoo's ``Scatter``. Four or more objectives use ``PCP`` (parallel coordinates).

    Parameters
    ----------
    ax : matplotlib axes, optional
        Axes to draw on, with a 3-d projection for three objectives. Default: a new figure.
    """
    data = front_data(F, names, chosen)
    n, parallel, own = len(data.names), len(data.names) > 3, ax is None
    with figures.house_style():
        if ax is None:
            figure = figures.new_figure(1.5 * n + 1.5 if parallel else 5.0, 4.0)
            ax = figure.add_subplot(projection="3d" if n == 3 else None)
        _draw_objectives(data, ax)
        figure = figures.figure_of(ax)
        if parallel and own:
            figure.set_layout_engine("tight")
        figures.save_figure(figure, path)
    return figure


def _draw_objectives(data: FrontData, ax: Axes) -> None:
    from pymoo.visualization.pcp import PCP
    from pymoo.visualization.scatter import Scatter

    parallel = len(data.names) > 3
    # Dollar signs are escaped, because matplotlib would parse them as formulas.
    labels = [name.replace("_", " ").replace("$", r"\$") for name in data.names]
    styles: tuple[dict[str, Any], dict[str, Any]]
    options: dict[str, Any]
    if parallel:
        styles, options = ({"alpha": 0.6}, {"linewidth": 2.0}), {"func_number_to_text": "{:.3g}".format}
    else:
        styles = {"s": 18, "label": "front"}, {"s": 42, "marker": "D", "label": "chosen"}
        options = {"legend": bool(data.chosen.any())}
    # PCP always draws on pyplot's current axes.
    with figures.lent_to_pyplot(ax) if parallel else nullcontext():
        with figures.house_style():  # pymoo's plots set the global font when they are created
            plot = (PCP if parallel else Scatter)(ax=ax, labels=labels, close_on_destroy=False, **options)
        if parallel:
            plot.set_axis_style(color="0.6", linewidth=1.0)
        plot.add(data.F[~data.chosen] if not data.chosen.all() else None, color=_MEMBERS, **styles[0])
        if data.chosen.any():
            plot.add(data.F[data.chosen], color=_CHOSEN, **styles[1])
        plot.do()
    title = f"Pareto front, {len(data.F)} {'solution' if len(data.F) == 1 else 'solutions'}"
    ax.set_title(title, pad=24 if parallel else None)


@dataclass(frozen=True, eq=False)
class Curve:
    """Curve in a panel of :func:`plot_convergence`.

    Parameters
    ----------
    name : str
        Group (if groups have names) and statistic (if the panel shows more than one).
    group, statistic : int
        Indices of the group and the statistic.
    steps : ndarray of shape (n_steps,)
    middle : ndarray of shape (n_steps,)
        Median over the runs.
    low, high : ndarray of shape (n_steps,)
        Edges of the band around the median. Equal to ``middle`` if there is only one run.
    """

    name: str
    group: int
    statistic: int
    steps: Int64Array
    middle: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class ConvergenceData:
    """Data drawn by :func:`plot_convergence`.

    Parameters
    ----------
    panels : dict of str to tuple of Curve
        Curves in each panel, by title of the panel.
    step : str
        Unit of the steps, for example "generation".
    n_runs : tuple of int
        Number of runs in each group.
    band : tuple of two float
        Quantiles over the runs that are the edges of the bands.
    """

    panels: dict[str, tuple[Curve, ...]]
    step: str
    n_runs: tuple[int, ...]
    band: tuple[float, float]


@documented()
def convergence_data(
    runs: Any,
    names: Sequence[str] | None = None,
    *,
    show: Sequence[str] | str | None = None,
    band: tuple[float, float] = (0.25, 0.75),
    reference: ArrayLike | None = None,
) -> ConvergenceData:
    """Compute best and mean objectives, the hypervolume and other statistics of each generation.

    Recorders contain all individuals of a generation, even infeasible individuals. Means ignore non-finite
    values. If there are two or more objectives, hypervolumes (E. Zitzler, L. Thiele, IEEE TEVC 3(4), 1999)
    are divided by the volume of the box between the best values of all runs and the reference point. Shorter
    runs are extended with their last values. For two or three objectives, takes O(n_runs n_generations
    n_individuals^2 n_objectives) time and memory. Raises a TypeError or ValueError if a run has no history,
    if runs have different units of steps, or if a panel does not exist.

    Parameters
    ----------
    runs : run, list of runs, or mapping of str to run or list of runs
        Fitted estimators, their ``history_`` (:class:`~moo_clustering.algorithms.Recorder`, DataFrame with a
        column "generation", or array), or DEAP logbooks. A list holds repetitions. A mapping holds groups.
    names : sequence of str, optional
        Names of the objectives. Default: the estimator's names, or ``f1``, ``f2``, ...
    show : str or sequence of str, optional
        Titles of the panels to show, in this order, such as ``"hypervolume"``. Default: all panels.
    band : tuple of two float, default=(0.25, 0.75)
        Quantiles over the runs that are the edges of the band.
    reference : array-like of shape (n_objectives,), optional
        Reference point for the hypervolume, with original signs. Default: the worst values of all fronts plus
        a tenth of the range; hypervolumes are then comparable only within one call.

    Examples
    --------
    >>> data = convergence_data([[4.0, 2.0, 1.0], [6.0, 4.0]])
    >>> data.panels["objective"][0].middle.tolist()
    [5.0, 3.0, 2.5]
    """
    low, high = (float(edge) for edge in band)
    if not 0.0 <= low <= high <= 1.0:
        raise ValueError(f"band must be two ascending quantiles in [0, 1], got {band}")
    groups = _grouped(runs, names)
    histories = list(chain.from_iterable(groups.values()))
    counted = sorted({history.step for history in histories})
    if len(counted) > 1:
        raise ValueError(f"all runs must count the same steps, got {' and '.join(counted)}")
    _add_hypervolume(histories, reference)
    titles = _titles([str(name) for name in dict.fromkeys(chain.from_iterable(h.frame for h in histories))])
    maximised = {name.replace("_", " ") for history in histories for name in history.maximised}
    panels = {}
    for title in _wanted(list(titles), show):
        shown = f"{title} (maximised)" if title in maximised else title
        panels[shown] = _curves(titles[title], groups, (low, high))
    return ConvergenceData(panels, counted[0], tuple(map(len, groups.values())), (low, high))


def _grouped(runs: Any, names: Sequence[str] | None) -> Groups:
    given = dict(runs) if isinstance(runs, Mapping) else {"": runs}
    groups: Groups = {}
    for name, members in given.items():
        # A single run can be a list, too. A DEAP logbook is a list of records, and a history may contain
        # numbers.
        many = isinstance(members, list | tuple) and not (
            members and all(isinstance(each, Mapping | float | int | np.number) for each in members)
        )
        found = [read_history(run, names) for run in (members if many else [members])]
        if not found:
            raise ValueError(f"runs must contain at least one run{f' for {name!r}' if name else ''}")
        groups[str(name)] = found
    if not groups:
        raise ValueError("runs must contain at least one run")
    return groups


def _titles(columns: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return pairs (statistic, column) by panel title. All statistics of a quantity share a panel."""
    parts = [(column, _STATISTICS.fullmatch(column)) for column in columns]
    subjects = [(match[2] or "fitness") if match else "" for _, match in parts]
    panels: dict[str, list[tuple[str, str]]] = {}
    for (column, match), subject in zip(parts, subjects, strict=True):
        statistic = match[1] if match and subjects.count(subject) > 1 else ""
        panels.setdefault(subject if statistic else column, []).append((statistic, column))
    return {title.replace("_", " "): curves for title, curves in panels.items()}


def _wanted(titles: list[str], show: Sequence[str] | str | None) -> list[str]:
    if show is None:
        return titles
    wanted = [name.replace("_", " ") for name in ([show] if isinstance(show, str) else show)]
    if not wanted or (unknown := [name for name in wanted if name not in titles]):
        raise ValueError(
            f"show must name one or more of the panels {', '.join(map(repr, titles))}"
            + (f", got {quoted(unknown[0])}" if wanted else ", got none")
        )
    return wanted


def _curves(
    columns: Sequence[tuple[str, str]], groups: Groups, band: tuple[float, float]
) -> tuple[Curve, ...]:
    found = []
    for group, (name, histories) in enumerate(groups.items()):
        for place, (statistic, column) in enumerate(columns):
            series = [history.frame[column] for history in histories if column in history.frame]
            if not series:
                continue
            table = pd.concat(series, axis=1).sort_index().ffill()
            steps = table.index.to_numpy(dtype=np.int64)
            middle, low, high = (table.quantile(share, axis=1).to_numpy() for share in (0.5, *band))
            label = ", ".join(part for part in (name, statistic) if part)
            found.append(Curve(label, group, place, steps, middle, low, high))
    return tuple(found)


def _add_hypervolume(histories: Sequence[SearchHistory], reference: ArrayLike | None) -> None:
    """Add a column of hypervolumes if all runs have values for the same two or more objectives."""
    widths = {F.shape[1] for history in histories for F in (history.F or [np.empty((0, 0))])}
    if len(widths) != 1 or min(widths) < 2:
        if reference is not None:
            raise ValueError(
                "reference requires runs with the same two or more objectives, which have a hypervolume"
            )
        return
    finite = [[F[np.isfinite(F).all(axis=1)] for F in history.F] for history in histories]
    fronts = [[F[non_dominated(F)] for F in found] for found in finite]
    every = np.concatenate([front for found in fronts for front in found])
    if not len(every):
        return
    ideal, point = front_box([every])
    if reference is not None:
        given = checked_array(reference, "reference", np.float64)
        if given.shape != ideal.shape:
            what = f"a sequence of {len(ideal)} finite numbers"
            raise ValueError(f"reference must be {what}, got {quoted(reference)}")
        named = [
            name.removeprefix("best_") for name in map(str, histories[0].frame) if name.startswith("best_")
        ]
        point = given * np.where([name in histories[0].maximised for name in named], -1.0, 1.0)
        if (point <= ideal).any():
            raise ValueError(
                "reference must be worse than the best value in each objective; choose a worse point"
            )
    for history, found in zip(histories, fronts, strict=True):
        values = [hypervolume(front, (ideal, point)) for front in found]
        place = list(history.frame.columns).index("front_size")
        history.frame.insert(place, "hypervolume", values)


@documented(figures.PLOT, convergence_data)
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
    """Plot objectives, hypervolume and other values by generation, in one panel per quantity.

    A panel shows the median over the runs of each group, with a band. A vertical axis is logarithmic if its
    values are positive and differ by a factor of more than 200. Raises the same errors as
    :func:`convergence_data`. Raises a ValueError if the number of axes is wrong.

    Parameters
    ----------
    ax : matplotlib axes or sequence of axes, optional
        Axes for each panel; use ``show`` to select the panels. Default: a new figure.
    """
    data = convergence_data(runs, names, show=show, band=band, reference=reference)
    with figures.house_style():
        if ax is None:
            figure = figures.new_figure(6.0, 1.0 + 1.5 * len(data.panels) + 0.3 * bool(title))
            panels = list(figure.subplots(len(data.panels), 1, sharex=True, squeeze=False)[:, 0])
            figure.suptitle(title, parse_math=False)
        else:
            panels = list(np.ravel(np.asarray(ax, dtype=object)))
            if len(panels) != len(data.panels):
                raise ValueError(
                    f"ax must have one axes per panel ({len(data.panels)}: {', '.join(data.panels)}), got "
                    f"{len(panels)}; select panels with show"
                )
            figure = figures.figure_of(panels[0])
        for panel, (name, curves) in zip(panels, data.panels.items(), strict=True):
            _draw_convergence(panel, name if ax is None or not title else f"{title}: {name}", curves)
        for panel in panels if ax is not None else panels[-1:]:
            panel.set_xlabel(_steps_label(data))
        for panel in panels:
            panel.xaxis.get_major_locator().set_params(integer=True)
        figures.save_figure(figure, path)
    return figure


def _draw_convergence(ax: Axes, title: str, curves: Sequence[Curve]) -> None:
    several = len({curve.group for curve in curves}) > 1
    for curve in curves:
        look = figures.look_of(curve.group)
        if not np.array_equal(curve.low, curve.high, equal_nan=True):
            ax.fill_between(curve.steps, curve.low, curve.high, color=look.color, alpha=0.2, linewidth=0.0)
        style: dict[str, Any] = {"marker": "." if len(curve.steps) < 30 else None}
        if several:
            every = max(1, len(curve.steps) // 8)
            style = {"marker": look.marker, "markersize": 4.0, "markevery": every}
        line = _DASHES[curve.statistic % len(_DASHES)]
        ax.plot(curve.steps, curve.middle, color=look.color, linestyle=line, label=curve.name, **style)
    values = np.concatenate([each for curve in curves for each in (curve.middle, curve.low, curve.high)])
    values = values[np.isfinite(values)]
    if len(values) and values.min() > 0.0 and values.max() / values.min() > 200.0:
        ax.set_yscale("log")
    ax.set_title(title, loc="left", parse_math=False)
    if any(curve.name for curve in curves):
        figures.add_legend(ax, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.6)


def _steps_label(data: ConvergenceData) -> str:
    counts = sorted(set(data.n_runs))
    if counts[-1] == 1:
        return data.step
    runs = f"{counts[0]} runs" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs"
    low, high = data.band
    return f"{data.step} (median and {low:.0%} to {high:.0%} quantiles of {runs})"


@dataclass(frozen=True, eq=False)
class RocData:
    """Data drawn by :func:`plot_roc`.

    Parameters
    ----------
    names : tuple of str
    curves : list of tuple of two ndarrays
        False and true positive rates of each curve, from (0, 0) to (1, 1).
    aucs : ndarray of shape (n_curves,)
        Area under each curve.
    """

    names: tuple[str, ...]
    curves: list[tuple[FloatArray, FloatArray]]
    aucs: FloatArray


@documented()
def roc_data(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], *, aucs: Mapping[str, float] | None = None
) -> RocData:
    """Check ROC curves, and compute the areas under them.

    Parameters
    ----------
    curves : mapping of name to (fpr, tpr)
        Ascending false and true positive rates of equal length, which end at (1, 1). See
        :func:`moo_clustering.validity.mean_roc_curve`. The point (0, 0) is added if it is missing.
    aucs : mapping of name to float, optional
        Exact areas. Default: areas computed by the trapezoidal rule.

    Raises
    ------
    ValueError
        If there is no curve, if a rate is invalid, or if ``aucs`` contains an unknown name.
    """
    if not curves:
        raise ValueError("curves must contain at least one curve")
    known = dict(aucs or {})
    if strange := [name for name in known if name not in curves]:
        raise ValueError(f"aucs must contain only names of curves, got {quoted(strange[0])}")
    checked = [_checked(name, *curve) for name, curve in curves.items()]
    areas = [
        known.get(name, float(np.trapezoid(tpr, fpr)))
        for name, (fpr, tpr) in zip(curves, checked, strict=True)
    ]
    return RocData(tuple(map(str, curves)), checked, np.asarray(areas, dtype=np.float64))


@documented(figures.PLOT, roc_data)
def plot_roc(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    aucs: Mapping[str, float] | None = None,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot ROC curves and the diagonal that corresponds to chance. The legend shows the areas.

    The legend lists the curves in the given order. Colours and line styles distinguish up to 24 curves.
    """
    data = roc_data(curves, aucs=aucs)
    names = [shortened(name, 40) for name in data.names]
    size = 5.3 + 0.08 * max(8, *map(len, names)), max(4.2, 0.19 * (len(names) + 4))
    with figures.drawing(ax, path, size) as panel:
        for place, (name, (fpr, tpr), auc) in enumerate(zip(names, data.curves, data.aucs, strict=True)):
            color, line = figures.look_of(place).color, _DASHES[place % len(_DASHES)]
            panel.plot(fpr, tpr, color=color, linestyle=line, linewidth=1.5, label=f"{auc:.3f}  {name}")
        panel.plot([0, 1], [0, 1], color="0.6", linewidth=0.8, zorder=1, label="0.500  chance")
        panel.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        panel.set(xlabel="false positive rate", ylabel="true positive rate")
        panel.set_title(title or "Mean ROC curves", parse_math=False)
        figures.add_legend(
            panel, loc="upper left", bbox_to_anchor=(1.02, 1.0), alignment="left", handlelength=3.2,
            title="Area under the curve",
        )  # fmt: skip
    return figures.figure_of(panel)


def _checked(name: str, fpr: ArrayLike, tpr: ArrayLike) -> tuple[FloatArray, FloatArray]:
    fpr = checked_array(fpr, f"fpr of {name!r}", np.float64)
    tpr = checked_array(tpr, f"tpr of {name!r}", np.float64)
    if fpr.ndim != 1 or fpr.shape != tpr.shape or not len(fpr):
        raise ValueError(
            f"curve {name!r} must be two arrays of equal length, got shapes {fpr.shape} and {tpr.shape}"
        )
    for rates in (fpr, tpr):
        within = rates.min() >= -_ROUNDING and rates.max() <= 1 + _ROUNDING
        if not (within and np.diff(rates).min(initial=0.0) >= -_ROUNDING):
            raise ValueError(f"rates of curve {name!r} must be ascending and in [0, 1]")
    if abs(fpr[0]) > _ROUNDING or min(fpr[-1], tpr[-1]) < 1 - _ROUNDING:
        raise ValueError(
            f"curve {name!r} must extend from a false positive rate of 0 to (1, 1), got "
            f"{fpr[0]:.3g} to ({fpr[-1]:.3g}, {tpr[-1]:.3g})"
        )
    return (np.append(0.0, fpr), np.append(0.0, tpr)) if tpr[0] > 0 else (fpr, tpr)
