"""Tables of the PESC comparison: every score, accuracies by set, all methods, sets, leakage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.pesc._given import READINGS
from moo_clustering.experiments.pesc._graphs import GRIDS
from moo_clustering.experiments.pesc._notes import notes
from moo_clustering.experiments.pesc._results import Results
from moo_clustering.experiments.pesc._sets import FlatSet

PESC_ROWS = ("PESC_ES1", "PESC_ES2", "PESC_ES3")
CONTROL_ROWS = (
    "k-means",
    "generation 0",
    "water-filling graph",
    "Ward",
    "HDBSCAN",
    "spectral (scikit-learn)",
)
GRAPH_ROWS = tuple(f"{name}, {rule}" for name in GRIDS for rule in ("label-tuned", "eigengap"))
METHODS = {
    3: (*PESC_ROWS, "SRMOSC", "MOCK", "MOGA(π,sep)", "CSPA", "CSPA of MOCK's front"),
    4: (*PESC_ROWS, *GRAPH_ROWS),
    5: (*PESC_ROWS, "SRMOSC", "Semi-MOCK", "MOCK, picked by labels", *GRAPH_ROWS, "1-NN of the labels"),
}
METHODS[6] = METHODS[5]
LABELS = {3: 0, 4: 0, 5: 10, 6: 20}
TITLES = {
    3: "PESC and evolutionary methods",
    4: "PESC and conventional graphs",
    5: "10 % labelled",
    6: "20 % labelled",
}
# Scores that a table is about; the first is the one of its statistics.
SCORES = {
    "accuracy": "accuracy",
    "accuracy_unlabelled": "accuracy on the samples without label",
}
_LONG = ("accuracy", "ari", "nmi", "n_clusters", "seconds")
_LONG_UNLABELLED = (
    "accuracy",
    "accuracy_unlabelled",
    "ari_unlabelled",
    "nmi_unlabelled",
    "n_clusters",
    "seconds",
)
_FORMATS = {"n_clusters": ".1f", "seconds": ".2f", "largest class": ".3f"}


def everything(results: Results, name: str) -> ResultTable:
    """A row for every run."""
    runs = results.runs
    rows = runs.astype(object).where(runs.notna(), None).values.tolist()
    return ResultTable(f"{name}-scores", "Scores", [*map(str, runs.columns)], rows)


def by_set(results: Results, number: int, score: str) -> ResultTable:
    """One score of the methods and controls on every set, in both readings."""
    columns, labels = [*METHODS[number], *CONTROL_ROWS], LABELS[number]
    rows: list[list[Value]] = []
    for found in results.sets:
        for reading, title in READINGS.items():
            spreads = [results.spread(found, name, reading, score, labels=labels) for name in columns]
            rows.append([found.name, title, *(spread.text() for spread in spreads)])
    for reading, title in READINGS.items():
        frame = results.frame(columns, reading, score, labels)
        rows.append(["mean of all", title, *(f"{mean:.3f}" for mean in frame.mean())])
    suffix = "" if number < 5 else ("-unlabelled" if score.endswith("unlabelled") else "-all")
    return ResultTable(
        f"table{number}{suffix}",
        f"Table {number}, {TITLES[number]}: {SCORES[score]}, {runs_of(results)}",
        ["set", "reading", *columns],
        rows,
        (*notes("absent", "readings", "shuffled"), *notes(*_notes_of(number))),
    )


def _notes_of(number: int) -> Sequence[str]:
    rivals = ("srmosc", "mock", "moga", "cspa")
    tuned = ("tuned", "controls")
    return {3: (*rivals, "controls"), 4: tuned}.get(number, ("labels", *rivals[:2], "semi", *tuned))


def all_methods(results: Results, number: int) -> ResultTable:
    """Every row that the runs give, with agreement, clusters and seconds."""
    labels = LABELS[number]
    scores = _LONG_UNLABELLED if labels else _LONG
    chosen = results.chosen
    here = chosen[(chosen["labels"] == labels) & (chosen["order"] == "shuffled") & (chosen["setting"] == "")]
    names = [*dict.fromkeys([*METHODS[number], *CONTROL_ROWS, *here["method"]])]
    rows: list[list[Value]] = []
    for found in results.sets:
        for reading, title in READINGS.items():
            for name in names:
                if results.of(found, name, reading, labels=labels) is None:
                    continue
                spreads = [results.spread(found, name, reading, score, labels=labels) for score in scores]
                rows.append(
                    [found.name, title, name, spreads[0].mean, spreads[0].std, *(s.mean for s in spreads[1:])]
                )
    return ResultTable(
        f"table{number}-methods",
        f"Table {number}, all methods: agreement with the classes and costs, {runs_of(results)}",
        ["set", "reading", "method", scores[0], "±", *scores[1:]],
        rows,
        notes("bounds", "seconds", "population"),
        _FORMATS,
    )


def sets(results: Results) -> ResultTable:
    """What the sets are, as Table 2 of the paper."""
    rows: list[list[Value]] = [
        [one.name, *one.X.shape, one.n_clusters, one.largest_share, "codes" if one.is_nominal else "numbers"]
        for one in results.sets
    ]
    return ResultTable(
        "table2",
        "Sets (Table 2)",
        ["set", "samples", "features", "classes", "largest class", "features are"],
        rows,
        notes("sets"),
        _FORMATS,
    )


def leakage(results: Results, sorted_sets: Sequence[FlatSet]) -> ResultTable:
    """ES2 on rows sorted by class and on shuffled ones, by operators."""
    rows: list[list[Value]] = []
    kinds = ("PESC_ES2, index operators", "PESC_ES2")
    for found in sorted_sets:
        for reading, title in READINGS.items():
            means = [
                results.spread(found, kind, reading, "accuracy", order=order)
                for kind in kinds
                for order in ("sorted", "shuffled")
            ]
            gains = [means[0].mean - means[1].mean, means[2].mean - means[3].mean]
            shown = [spread.text() for spread in means]
            rows.append([found.name, title, *shown[:2], gains[0], *shown[2:], gains[1]])
    titles = (
        "index, sorted",
        "index, shuffled",
        "index, gain",
        "ours, sorted",
        "ours, shuffled",
        "ours, gain",
    )
    means_of = [float(np.mean([row[i] for row in rows])) for i in (4, 7)] if rows else [None, None]
    if rows:
        rows.append(["mean of all", "both", "", "", means_of[0], "", "", means_of[1]])
    return ResultTable(
        "table3-leakage",
        f"ES2 on rows sorted by class and shuffled, by operators, {runs_of(results)}",
        ["set", "reading", *titles],
        rows,
        notes("leakage"),
        dict.fromkeys(("index, gain", "ours, gain"), "+.3f"),
    )


def runs_of(results: Results) -> str:
    """How many runs are behind a table."""
    return f"{results.n_seeds} seed{'' if results.n_seeds == 1 else 's'}"
