"""Tables of the multi-instance comparison: every score, the paper's tables, all methods with controls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.multi_instance._errata import errata
from moo_clustering.experiments.multi_instance._methods import ENTRIES, READINGS
from moo_clustering.experiments.multi_instance._published import DATASETS, METHODS, PUBLISHED
from moo_clustering.experiments.multi_instance._results import Results
from moo_clustering.experiments.multi_instance._sets import BagSet

INTERNAL_METRICS, EXTERNAL_METRICS = ("S", "DB", "S_Dbw"), ("RI", "E", "F1")
_TITLES = {
    "S": "Silhouette S, greater is better",
    "DB": "Davies-Bouldin DB, less is better",
    "S_Dbw": "S_Dbw, less is better",
    "RI": "RI (matched accuracy), greater is better",
    "E": "Entropy E, less is better",
    "F1": "F1 of the positive class, greater is better",
}
_NOTES = {
    "S": ("readings", "order", "swapped", "west"),
    "DB": ("degenerate",),
    "S_Dbw": ("bold",),
    "RI": ("readings", "rand", "seeds", "swapped", "west"),
    "E": ("log",),
    "F1": ("bold",),
}
_COSTS = ("smallest", "seconds", "evaluations", "trials")
_FORMATS = {"smallest": ".1f", "seconds": ".2f", "evaluations": ".0f", "trials": ".0f"}


def everything(results: Results) -> ResultTable:
    """A row for every run."""
    runs = results.runs
    rows = runs.astype(object).where(runs.notna(), None).values.tolist()
    return ResultTable("scores", "Scores", [*map(str, runs.columns)], rows)


def beside_published(results: Results, metric: str, number: int) -> ResultTable:
    """One metric of the six methods: the paper, and both readings here."""
    printed = PUBLISHED[metric].frame()
    rows: list[list[Value]] = []
    for bag_set, row in results.rows:
        for name in row.published:
            whose = "paper" if name == row.name else f"paper, its row {name}"
            rows.append([row.name, whose, *(f"{value:.4f}" for value in printed.loc[name, list(METHODS)])])
        for reading, title in READINGS.items():
            spreads = [results.metric(bag_set, row, method, reading, metric) for method in METHODS]
            rows.append([row.name, f"here, {title}", *(spread.text() for spread in spreads)])
            if metric == "DB":
                sizes = [results.spread(bag_set, method, reading, "smallest_cluster") for method in METHODS]
                rows.append([row.name, "   smallest cluster", *(f"{size.mean:.1f}" for size in sizes)])
    return ResultTable(
        f"table{number}-{metric.lower().replace('_', '-')}",
        f"{_TITLES[metric]}: Table {number} of the paper and {_runs(results)}",
        ["set", "whose", *METHODS],
        rows,
        (*(absent(results) if metric in ("S", "RI") else ()), *errata(*_NOTES[metric])),
    )


def all_methods(results: Results, metrics: Sequence[str], name: str, number: int) -> ResultTable:
    """Every method and control in both readings: metrics, the smallest cluster, costs."""
    rows: list[list[Value]] = []
    for bag_set in results.sets:
        for reading in READINGS:
            rows += _methods(results, bag_set, reading, metrics)
    extra = ["ARI"] if "RI" in metrics else []
    spreads = [title for metric in metrics for title in (metric, f"{metric} ±")]
    return ResultTable(
        f"table{number}-methods",
        f"All methods and controls, {name} indices, {_runs(results)}",
        ["set", "reading", "method", *spreads, *extra, *_COSTS],
        rows,
        (
            "smallest: bags of the smallest cluster. evaluations and trials: individuals evaluated, and "
            "values of single genes tried besides. Spectral clustering is of exp(-H²/s²) with the symmetric "
            "Hausdorff distances H and their median s; average linkage is of H.",
            *([_largest_classes(results)] if extra else errata("shuffled")),
            *errata("trials", "degenerate"),
        ),
        _FORMATS,
    )


def _methods(results: Results, bag_set: BagSet, reading: str, metrics: Sequence[str]) -> list[list[Value]]:
    row, rows = bag_set.rows[0], []
    for entry in ENTRIES.values():
        if entry.reading not in (reading, ""):
            continue
        title = f"{entry.name}, {entry.note}" if entry.note else entry.name
        spreads = [results.metric(bag_set, row, entry.name, reading, metric) for metric in metrics]
        scores = ["adjusted_rand"] if "RI" in metrics else []
        scores += ["smallest_cluster", "seconds", "evaluations", "trials"]
        means: list[Value] = [results.spread(bag_set, entry.name, reading, score).mean for score in scores]
        rows.append([row.name, READINGS[reading], title, *(v for s in spreads for v in s), *means])
    return rows


def absent(results: Results) -> Sequence[str]:
    """Which rows of the paper there are no data for."""
    there = {row.name for _, row in results.rows}
    missing = [name for name in DATASETS if name not in there]
    return (f"No data here for the paper's rows {', '.join(missing)}.",) if missing else ()


def _largest_classes(results: Results) -> str:
    shares = [f"{s.rows[0].name} {np.bincount(s.classes).max() / len(s.classes):.3f}" for s in results.sets]
    return f"RI of one cluster for everything (share of the largest class): {', '.join(shares)}."


def _runs(results: Results) -> str:
    return f"{results.n_seeds} seed{'' if results.n_seeds == 1 else 's'} here"
