"""The course of one or several searches, as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._search_history import SearchHistory, read_history

Floats = NDArray[np.float64]
Groups = dict[str, list[SearchHistory]]

_HYPERVOLUME = "hypervolume"
_STATISTICS = re.compile(r"(best|mean|avg|min|max)(?:_(.+))?")
# Of the range of the fronts: how far behind them the reference point is.
_BEHIND = 0.1


@dataclass(frozen=True, eq=False)
class Curve:
    """One curve of a panel.

    Parameters
    ----------
    name : str
        Group of runs and statistic, as far as there are several.
    group, statistic : int
        Which of them.
    steps : ndarray of shape (n_steps,)
    middle : ndarray of shape (n_steps,)
        Median of the runs.
    low, high : ndarray of shape (n_steps,)
        Edges of the band; equal to ``middle`` with one run.
    """

    name: str
    group: int
    statistic: int
    steps: NDArray[np.int64]
    middle: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class ConvergenceData:
    """What :func:`plot_convergence` shows.

    Parameters
    ----------
    panels : dict of str to tuple of Curve
        By their titles.
    step : str
        What is counted, such as "generation".
    n_runs : tuple of int
        Of every group.
    band : tuple of two float
        Quantiles of the runs at the edges of the bands.
    """

    panels: dict[str, tuple[Curve, ...]]
    step: str
    n_runs: tuple[int, ...]
    band: tuple[float, float]


def convergence_data(
    runs: Any,
    names: Sequence[str] | None = None,
    *,
    show: Sequence[str] | str | None = None,
    band: tuple[float, float] = (0.25, 0.75),
    reference: ArrayLike | None = None,
) -> ConvergenceData:
    """Best and mean of every objective, hypervolume and other numbers over the generations.

    Parameters
    ----------
    runs : run, list of runs, or mapping of str to these
        A run is a fitted estimator, its ``history_`` (a :class:`~moo_clustering.algorithms.Recorder`, a
        DataFrame with a column "generation", or an array) or a DEAP logbook. Runs of a list are
        repetitions, whose median is shown; those of a mapping are compared.
    names : sequence of str, optional
        Of the objectives; those of the estimator by default, else ``f1``, ``f2``, ...
    show : str or sequence of str, optional
        Titles of the panels wanted, in this order, such as ``"hypervolume"``; default all.
    band : tuple of two float, default=(0.25, 0.75)
        Quantiles of repetitions at the edges of the band.
    reference : array-like of shape (n_objectives,), optional
        Reference point of the hypervolume, in natural sign. By default a tenth of the range of all fronts
        behind the worst of them, so that hypervolumes can be compared within one call only.

    Returns
    -------
    ConvergenceData

    Raises
    ------
    TypeError, ValueError
        For runs without a history, runs that count different things, and panels that there are not.

    Notes
    -----
    Recorders keep all individuals of a generation, feasible or not; means are of finite values. The
    hypervolume [1]_ is that of two and more objectives, as a share of the box between the best values of
    all runs and the reference point. A run that ended earlier than others keeps its last value. Time and
    memory O(n_runs n_generations n_individuals^2 n_objectives) with two or three objectives.

    References
    ----------
    .. [1] E. Zitzler, L. Thiele, "Multiobjective evolutionary algorithms: a comparative case study and the
       strength Pareto approach", IEEE Transactions on Evolutionary Computation 3(4), 1999.

    Examples
    --------
    >>> data = convergence_data([[4.0, 2.0, 1.0], [6.0, 4.0]])
    >>> data.panels["objective"][0].middle.tolist()
    [5.0, 3.0, 2.5]
    """
    low, high = (float(edge) for edge in band)
    if not 0.0 <= low <= high <= 1.0:
        raise ValueError(f"band must be two quantiles in ascending order within 0 and 1, got {band}")
    groups = _grouped(runs, names)
    histories = list(chain.from_iterable(groups.values()))
    counted = sorted({history.step for history in histories})
    if len(counted) > 1:
        raise ValueError(f"runs must count the same, these count {' and '.join(counted)}")
    _add_hypervolume(histories, reference)
    titles = _titles([str(name) for name in dict.fromkeys(chain.from_iterable(h.frame for h in histories))])
    wanted = _wanted(list(titles), show)
    maximised = frozenset[str]().union(*(history.maximised for history in histories))
    return ConvergenceData(
        panels={_said(title, maximised): _curves(titles[title], groups, (low, high)) for title in wanted},
        step=counted[0],
        n_runs=tuple(map(len, groups.values())),
        band=(low, high),
    )


def _grouped(runs: Any, names: Sequence[str] | None) -> Groups:
    given = dict(runs) if isinstance(runs, Mapping) else {"": runs}
    groups: Groups = {}
    for name, members in given.items():
        many = isinstance(members, list | tuple) and not _is_run(members)
        found = [read_history(run, names) for run in (members if many else [members])]
        if not found:
            raise ValueError(f"there are no runs{f' of {name!r}' if name else ''}")
        groups[str(name)] = found
    if not groups:
        raise ValueError("there are no runs")
    return groups


def _is_run(members: Sequence[Any]) -> bool:
    """A DEAP logbook is a list of records, and a plain history one of numbers."""
    return bool(members) and all(isinstance(each, Mapping | float | int | np.number) for each in members)


def _titles(columns: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Panels with (statistic, column) of their curves; statistics of one thing share a panel."""
    parts = {column: _STATISTICS.fullmatch(column) for column in columns}
    subjects = [match.group(2) or "fitness" for match in parts.values() if match]
    panels: dict[str, list[tuple[str, str]]] = {}
    for column, match in parts.items():
        subject = (match.group(2) or "fitness") if match else None
        if match and subject is not None and subjects.count(subject) > 1:
            panels.setdefault(subject, []).append((match.group(1), column))
        else:
            panels.setdefault(column, []).append(("", column))
    return {title.replace("_", " "): curves for title, curves in panels.items()}


def _wanted(titles: list[str], show: Sequence[str] | str | None) -> list[str]:
    if show is None:
        return titles
    wanted = [name.replace("_", " ") for name in ([show] if isinstance(show, str) else show)]
    if not wanted or (unknown := [name for name in wanted if name not in titles]):
        raise ValueError(
            f"show must name some of the panels {', '.join(map(repr, titles))}"
            + (f", got {unknown[0]!r}" if wanted else ", got none")
        )
    return wanted


def _said(title: str, maximised: frozenset[str]) -> str:
    return f"{title} (maximised)" if title in {name.replace("_", " ") for name in maximised} else title


def _curves(
    columns: Sequence[tuple[str, str]], groups: Groups, band: tuple[float, float]
) -> tuple[Curve, ...]:
    found = []
    for group, (name, histories) in enumerate(groups.items()):
        for place, (statistic, column) in enumerate(columns):
            series = [history.frame[column] for history in histories if column in history.frame]
            if not series:
                continue
            # Steps as rows, runs as columns.
            table = pd.concat(series, axis=1).sort_index().ffill()
            steps = table.index.to_numpy(dtype=np.int64)
            middle, low, high = (table.quantile(share, axis=1).to_numpy() for share in (0.5, *band))
            label = ", ".join(part for part in (name, statistic) if part)
            found.append(Curve(label, group, place, steps, middle, low, high))
    return tuple(found)


def _add_hypervolume(histories: Sequence[SearchHistory], reference: ArrayLike | None) -> None:
    """A column more, where all runs kept values of the same two and more objectives."""
    widths = {F.shape[1] for history in histories for F in (history.F or [np.empty((0, 0))])}
    if len(widths) != 1 or min(widths) < 2:
        if reference is not None:
            raise ValueError(
                "reference is that of a hypervolume, for runs with the same objectives, 2 or more"
            )
        return
    from pymoo.indicators.hv import Hypervolume

    from moo_clustering.algorithms._exhaustive import non_dominated

    finite = [[F[np.isfinite(F).all(axis=1)] for F in history.F] for history in histories]
    fronts = [[F[non_dominated(F)] for F in found] for found in finite]
    every = np.concatenate([front for found in fronts for front in found])
    if not len(every):
        return
    ideal, nadir = every.min(axis=0), every.max(axis=0)
    size = np.where(nadir > ideal, nadir - ideal, 1.0)
    point = nadir + _BEHIND * size
    if reference is not None:
        point = _checked_reference(reference, histories[0], len(ideal))
        if (point <= ideal).any():
            raise ValueError("reference is better than every solution in some objective; take a worse point")
    measure = Hypervolume(ref_point=np.ones(len(ideal)), norm_ref_point=False)
    for history, found in zip(histories, fronts, strict=True):
        values = [float(measure((front - ideal) / (point - ideal))) if len(front) else 0.0 for front in found]
        place = list(history.frame.columns).index("front_size")
        history.frame.insert(place, _HYPERVOLUME, values)


def _checked_reference(reference: ArrayLike, history: SearchHistory, n_objectives: int) -> Floats:
    point = np.asarray(reference, dtype=np.float64)
    if point.shape != (n_objectives,) or not np.isfinite(point).all():
        raise ValueError(f"reference must be {n_objectives} finite numbers, got {reference!r}")
    named = [str(name)[len("best_") :] for name in history.frame if str(name).startswith("best_")]
    return point * np.where([name in history.maximised for name in named], -1.0, 1.0)
