"""Figures 1 to 4 of the PESC paper: accuracy against parameters and generations, as tables and drawings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.experiments._tables import ResultFigure, ResultTable, Value
from moo_clustering.experiments.pesc._courses import PAIRS, SIZES, STARTS
from moo_clustering.experiments.pesc._given import READINGS
from moo_clustering.experiments.pesc._notes import notes
from moo_clustering.experiments.pesc._results import Results
from moo_clustering.experiments.pesc._sets import FlatSet
from moo_clustering.experiments.pesc._tables import runs_of
from moo_clustering.visualization._figures import house_style, new_figure, save_figure
from moo_clustering.visualization._palette import look_of


class Curve(NamedTuple):
    """Means and standard deviations over seeds along an axis."""

    name: str
    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]


# Names of the columns x, and the pairs behind them.
_VARIED = {
    "p_m = 1 - p_c": [(pc, pm) for pc, pm in PAIRS],
    "p_m = 0.1": [(pc, 0.1) for pc, _ in PAIRS],
    "p_c = 0.9": [(0.9, pm) for _, pm in PAIRS],
}


def curves(results: Results, number: int, found: FlatSet) -> list[Curve]:
    """Curves of a figure on one set."""
    if number == 1:
        return [
            _curve(results, found, f"{title}, {name}", reading, "PESC_ES2", _settings(name))
            for reading, title in READINGS.items()
            for name in _VARIED
        ]
    if number == 2:
        return [
            _curve(results, found, title, reading, "PESC_ES2", {float(size): size for size in SIZES})
            for reading, title in READINGS.items()
        ]
    if number == 3:
        return [_course(results, found, title, reading, "") for reading, title in READINGS.items()]
    return [_course(results, found, start, "paper", start) for start in STARTS]


def _settings(name: str) -> dict[float, str]:
    """Settings by the probability that varies; of both, that of crossover."""
    place = 1 if name == "p_c = 0.9" else 0
    return {
        pair[place]: f"{pair[0]:.1f} {pair[1]:.1f}" for pair in sorted(_VARIED[name], key=lambda p: p[place])
    }


def _curve(
    results: Results, found: FlatSet, name: str, reading: str, method: str, settings: dict[float, str]
) -> Curve:
    spreads = [
        results.spread(found, method, reading, "accuracy", setting=setting) for setting in settings.values()
    ]
    return _made(name, list(settings), spreads)


def _course(results: Results, found: FlatSet, name: str, reading: str, setting: str) -> Curve:
    stops = sorted(map(int, results.runs[results.runs["set"] == found.name]["method"].unique()))
    spreads = [results.spread(found, str(stop), reading, "accuracy", setting=setting) for stop in stops]
    return _made(name, stops, spreads)


def _made(name: str, x: Sequence[float], spreads: Sequence[tuple[float, float]]) -> Curve:
    mean, std = np.array([tuple(spread) for spread in spreads]).T
    return Curve(name, np.array(x, dtype=float), mean, np.nan_to_num(std))


AXES = {
    1: "probability that varies",
    2: "population size",
    3: "generation",
    4: "generation",
}
_TITLES = {
    1: "accuracy against the probabilities of crossover and mutation",
    2: "accuracy against the population size",
    3: "accuracy against the generation",
    4: "accuracy against the generation, by initial population and operators",
}
_NOTES = {1: ("together",), 2: ("budget",), 3: ("coarse",), 4: ("coarse", "starts")}
# Columns of courses; other stops are in the scores.
_SHOWN = (0, 1, 5, 10, 20, 25, 50, 75, 100, 150, 200, 250, 300)


def table(results: Results, number: int) -> ResultTable:
    """Means of the curves, and what the paper says of them."""
    drawn = {found.name: curves(results, number, found) for found in results.sets}
    x = sorted({float(v) for all_curves in drawn.values() for curve in all_curves for v in curve.x})
    if number > 2:
        x = [v for v in x if v in _SHOWN or v == max(x)]
    rows: list[list[Value]] = []
    for name, all_curves in drawn.items():
        for curve in all_curves:
            at = dict(zip(curve.x.tolist(), curve.mean.tolist(), strict=True))
            rows.append([name, curve.name, *(at.get(v) for v in x), *_said(number, curve)])
    return ResultTable(
        f"figure{number}",
        f"Figure {number}: {_TITLES[number]}, {runs_of(results)}",
        ["set", "curve", *(f"{v:g}" for v in x), *_COLUMNS[number]],
        rows,
        (_STATEMENTS[number], *notes(*_NOTES[number])),
        {"change from 20": "+.3f", "change from 50": "+.3f"},
    )


_COLUMNS = {
    1: ("best at", "verdict"),
    2: ("change from 50", "verdict"),
    3: ("change from 20", "verdict"),
    4: ("within 0.02 of the last from",),
}
_STATEMENTS = {
    1: "The paper: with p_c = 0.9 the accuracy is relatively high; it holds for a curve that is highest "
    "there (of p_m alone, at 0.1), to 0.01.",
    2: "The paper: insensitive once the population is large enough; it holds where sizes of 50 and 100 "
    "differ by less than 0.02.",
    3: "The paper: converged since generation 20; it holds where later ones differ from it by less "
    "than 0.02.",
    4: "The paper: random initial populations converge slowly, and near ones give high quality at once.",
}


def _said(number: int, curve: Curve) -> list[Value]:
    if number == 1:
        wanted = 0.1 if curve.name.endswith("p_c = 0.9") else 0.9
        reached = curve.mean[np.isclose(curve.x, wanted)][0]
        best = f"{curve.x[int(np.argmax(curve.mean))]:g}"
        return [best, "holds" if reached >= curve.mean.max() - 0.01 else "does not hold"]
    if number == 4:
        near = np.abs(curve.mean - curve.mean[-1]) < 0.02
        return [f"{curve.x[len(near) - int(np.argmin(near[::-1])) if not near.all() else 0]:g}"]
    start = 50 if number == 2 else 20
    later = curve.mean[curve.x >= min(start, curve.x[-1])]
    holds = np.abs(later - later[0]).max() < 0.02
    return [float(later[-1] - later[0]), "holds" if holds else "does not hold"]


def drawing(results: Results, number: int) -> ResultFigure:
    """One panel for every set."""
    title = f"Figure {number}: {_TITLES[number]}"
    return ResultFigure(f"figure{number}", title, partial(_draw, results, number))


def _draw(results: Results, number: int, path: Path) -> None:
    with house_style():
        figure = new_figure(5.0 * len(results.sets), 4.4)
        axes = figure.subplots(1, len(results.sets), squeeze=False)[0]
        for ax, found in zip(axes, results.sets, strict=True):
            drawn = curves(results, number, found)
            for i, curve in enumerate(drawn):
                look = look_of(i)
                few = len(curve.x) < 15
                ax.plot(
                    curve.x, curve.mean, color=look.color, marker=look.marker if few else None, markersize=4.0
                )
                ax.fill_between(
                    curve.x,
                    curve.mean - curve.std,
                    curve.mean + curve.std,
                    color=look.color,
                    alpha=0.12,
                    lw=0,
                )
            ax.set_title(f"{found.name} ({len(found.X)})", loc="left")
            ax.set_xlabel(AXES[number])
        axes[0].set_ylabel("accuracy (mean and standard deviation)")
        names = [curve.name for curve in curves(results, number, results.sets[0])]
        lines = axes[0].get_lines()
        figure.legend(lines, names, loc="outside lower center", ncols=min(3, len(names)))
        save_figure(figure, path)
