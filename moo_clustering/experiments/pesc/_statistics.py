"""Ranks and tests of the PESC tables, and their critical differences."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from moo_clustering.experiments._tables import ResultFigure, ResultTable, Value
from moo_clustering.experiments.pesc._given import READINGS
from moo_clustering.experiments.pesc._notes import notes
from moo_clustering.experiments.pesc._results import Results
from moo_clustering.experiments.pesc._tables import CONTROL_ROWS, LABELS, METHODS, TITLES
from moo_clustering.stats import average_ranks, cliques, friedman, shaffer_static
from moo_clustering.stats._sentences import sentences
from moo_clustering.visualization import plot_critical_difference
from moo_clustering.visualization._figures import house_style, new_figure, save_figure

ALPHA = 0.05
# Inches of one diagram.
_WIDTH, _HEIGHT = 9.0, 4.2


def tested_score(number: int) -> str:
    """The score that a table's statistics are about."""
    return "accuracy_unlabelled" if LABELS[number] else "accuracy"


def frame(results: Results, number: int, reading: str) -> pd.DataFrame:
    """Means of a table's methods and controls."""
    names = [*METHODS[number], *CONTROL_ROWS]
    return results.frame(names, reading, tested_score(number), LABELS[number])


def tests(results: Results, number: int) -> list[ResultTable]:
    """Average ranks, best first, with Friedman's tests; and what may be claimed of pairs."""
    frames = {reading: frame(results, number, reading) for reading in READINGS}
    averages = {one: average_ranks(table, greater_is_better=True) for one, table in frames.items()}
    friedmans = {one: friedman(table, greater_is_better=True) for one, table in frames.items()}
    order = averages["default"].sort_values(kind="stable").index
    rows: list[list[Value]] = [
        [str(name), *(float(averages[one][name]) for one in READINGS)] for name in order
    ]
    for title, attribute in (("p of Friedman's test", "p_value"), ("p of F", "iman_davenport_p_value")):
        rows.append([title, *(float(getattr(friedmans[one], attribute)) for one in READINGS)])
    claims: list[list[Value]] = []
    for reading, title in READINGS.items():
        pairs = shaffer_static(frames[reading], greater_is_better=True, alpha=ALPHA)
        found = sentences(friedmans[reading], pairs, cliques(pairs), "shaffer", ALPHA)
        claims += [[title, sentence] for sentence in found]
    return [
        ResultTable(
            f"table{number}-ranks",
            f"Average ranks (1 is best) over {len(results.sets)} sets, {TITLES[number]}",
            ["method", *READINGS.values()],
            rows,
            notes("ranks"),
            dict.fromkeys(READINGS.values(), ".4g"),
        ),
        ResultTable(
            f"table{number}-conclusions",
            f"What may be claimed at {1 - ALPHA:.0%}, {TITLES[number]}",
            ["reading", "conclusion"],
            claims,
        ),
    ]


def diagram(results: Results, number: int) -> ResultFigure:
    """Critical differences, one diagram for every reading."""

    def draw(path: Path) -> None:
        with house_style():
            figure = new_figure(_WIDTH, _HEIGHT * len(READINGS))
            # Names stand outside of the axes, which the layout engine does not see.
            figure.set_layout_engine("constrained", h_pad=0.16, w_pad=0.1)
            axes = figure.subplots(len(READINGS), 1)
            for ax, (reading, title) in zip(axes, READINGS.items(), strict=True):
                table = frame(results, number, reading)
                plot_critical_difference(table, alpha=ALPHA, greater_is_better=True, ax=ax)
                ax.set_title(title, loc="left", pad=10, fontweight="bold")
            save_figure(figure, path)

    title = f"Critical differences at {1 - ALPHA:.0%}, {TITLES[number]}"
    return ResultFigure(f"table{number}-ranks", title, draw)
