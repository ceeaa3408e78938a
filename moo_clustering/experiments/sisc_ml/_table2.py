"""Table 2 of the SISC-ML paper beside ours: all methods, all training documents labelled."""

from __future__ import annotations

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.sisc_ml._notes import notes
from moo_clustering.experiments.sisc_ml._published import published_table2
from moo_clustering.experiments.sisc_ml._readings import READINGS, all_scored, title_of
from moo_clustering.experiments.sisc_ml._results import Results

SECONDS = ("fit_seconds", "predict_seconds")


def beside_published(results: Results) -> ResultTable:
    """Areas of all methods, with those of the paper."""
    rows_of = {scored: name for name, group in READINGS.items() for scored in group}
    rows: list[list[Value]] = []
    for scored in all_scored():
        row: list[Value] = [title_of(scored), rows_of.get(scored)]
        for given in results.sets:
            published = published_table2(rows_of.get(scored, ""), given.name)
            row += [published, results.mean(given, scored).text()]
        rows.append(row)
    columns = [f"{given.title} {whose}" for given in results.sets for whose in ("paper", "here")]
    return ResultTable(
        "table2",
        "Macro AUC, all training documents labelled: Table 2 of the paper and ours "
        f"({results.size}, mean ± standard deviation)",
        ["method", "row of the paper", *columns],
        rows,
        notes(
            results,
            "readings",
            "data",
            "missed",
            "claims",
            "parameters",
            "cut",
            "macro",
            "controls",
            "single",
        ),
    )


def costs(results: Results) -> ResultTable:
    """Undefined classes and seconds."""
    rows: list[list[Value]] = [
        [
            given.title,
            title_of(scored),
            results.mean(given, scored, "undefined").mean,
            *(results.mean(given, scored, column).mean for column in SECONDS),
        ]
        for given in results.sets
        for scored in all_scored()
    ]
    return ResultTable(
        "table2-costs",
        "Classes left out of the mean, and seconds of one fit and of one prediction",
        ["set", "method", "undefined", "fit s", "predict s"],
        rows,
        notes(results, "undefined", "seconds"),
        {"undefined": ".1f", "fit s": ".2f", "predict s": ".2f"},
    )
