"""Averaged ROC curves of the SISC-ML paper's figures: one file for each set."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from moo_clustering.experiments._tables import ResultFigure, ResultTable, Value
from moo_clustering.experiments.sisc_ml._notes import notes
from moo_clustering.experiments.sisc_ml._readings import LITERAL, LOGISTIC, READINGS, SISC_ML, title_of
from moo_clustering.experiments.sisc_ml._results import Results
from moo_clustering.experiments.sisc_ml._sets import LabelledSet
from moo_clustering.visualization import plot_roc

# The paper's methods as it has them, SISC-ML normalised, and the better of the plain models.
SHOWN = (SISC_ML, *(group[0] for group in READINGS.values()), LOGISTIC[1])


def by_method(results: Results) -> list[ResultFigure]:
    """Figure 2: methods, all training documents labelled."""
    return [
        ResultFigure(f"figure2-{given.name}", f"Figure 2: {given.title}", partial(_methods, results, given))
        for given in results.sets
    ]


def by_fraction(results: Results) -> list[ResultFigure]:
    """Figure 3: SISC-ML by share of labelled documents; normalised, and literal."""
    return [
        ResultFigure(
            f"figure3-{given.name}{suffix}",
            f"Figure 3: {given.title}, {title_of(scored)}",
            partial(_fractions, results, given, scored),
        )
        for given in results.sets
        for suffix, scored in (("", SISC_ML), ("-literal", LITERAL))
    ]


def areas_by_method(results: Results) -> ResultTable:
    """Areas under the curves of Figure 2."""
    rows: list[list[Value]] = [
        [title_of(scored), *(results.mean(given, scored).text() for given in results.sets)]
        for scored in SHOWN
    ]
    return ResultTable(
        "figure2",
        f"Areas under the curves of Figure 2 ({results.size}, mean ± standard deviation)",
        ["method", *(given.title for given in results.sets)],
        rows,
        notes(results, "readings", "data", "missed", "claims", "cut", "macro", "single"),
    )


def _methods(results: Results, given: LabelledSet, path: Path) -> None:
    plot_roc(
        {title_of(scored): results.curve(given, scored) for scored in SHOWN},
        aucs={title_of(scored): results.mean(given, scored).mean for scored in SHOWN},
        title=f"{given.title}, all training documents labelled",
        path=path,
    )


def _fractions(results: Results, given: LabelledSet, scored: tuple[str, str], path: Path) -> None:
    names = {f"{fraction:.0%} labelled": fraction for fraction in results.fractions}
    plot_roc(
        {name: results.curve(given, scored, fraction) for name, fraction in names.items()},
        aucs={name: results.mean(given, scored, fraction=fraction).mean for name, fraction in names.items()},
        title=f"{given.title}, {title_of(scored)}",
        path=path,
    )
