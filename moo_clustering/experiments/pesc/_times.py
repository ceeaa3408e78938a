"""Figure 6 of the PESC paper: seconds of every method."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from moo_clustering.experiments._tables import ResultFigure, ResultTable, Value
from moo_clustering.experiments.pesc._given import READINGS
from moo_clustering.experiments.pesc._graphs import GRIDS
from moo_clustering.experiments.pesc._notes import notes
from moo_clustering.experiments.pesc._results import Results
from moo_clustering.experiments.pesc._statements import seconds_of
from moo_clustering.experiments.pesc._tables import CONTROL_ROWS, METHODS, runs_of
from moo_clustering.visualization._figures import house_style, new_figure, save_figure
from moo_clustering.visualization._palette import look_of

# A choice takes the whole grid, the average of a grid is of single values.
SHOWN = (
    *METHODS[3],
    *(f"{name}, {which}" for name in GRIDS for which in ("label-tuned", "average of its grid")),
    *CONTROL_ROWS,
)


def table(results: Results) -> ResultTable:
    """Mean seconds by set and reading."""
    rows: list[list[Value]] = [
        [found.name, title, *(results.spread(found, one, reading, "seconds").mean for one in SHOWN)]
        for found in results.sets
        for reading, title in READINGS.items()
    ]
    for reading, title in READINGS.items():
        rows.append(["geometric mean", title, *(seconds_of(results, one, reading) for one in SHOWN)])
    return ResultTable(
        "figure6",
        f"Figure 6: seconds of a fit, {runs_of(results)}",
        ["set", "reading", *SHOWN],
        rows,
        notes("seconds", "bars"),
    )


def drawing(results: Results) -> ResultFigure:
    """Bars on a logarithmic scale."""
    return ResultFigure("figure6", "Figure 6: seconds of a fit", partial(_draw, results))


def _draw(results: Results, path: Path) -> None:
    with house_style():
        figure = new_figure(10.0, 5.4)
        ax = figure.add_subplot()
        width = 0.4
        for i, (reading, title) in enumerate(READINGS.items()):
            places, look = np.arange(len(SHOWN)) + (i - 0.5) * width, look_of(i)
            means = [seconds_of(results, one, reading) for one in SHOWN]
            ax.bar(places, means, width, color=look.color, alpha=0.7, label=title)
            for found in results.sets:
                seconds = [results.spread(found, one, reading, "seconds").mean for one in SHOWN]
                ax.plot(places, seconds, ".", color="0.25", markersize=2.5)
        ax.set_yscale("log")
        ax.set_ylabel("seconds")
        ax.set_xticks(np.arange(len(SHOWN)), SHOWN, rotation=55, ha="right", rotation_mode="anchor")
        ax.legend(loc="upper right")
        save_figure(figure, path)
