"""What the PESC paper says of its tables and times, and whether it holds here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.pesc._given import READINGS
from moo_clustering.experiments.pesc._graphs import GRIDS
from moo_clustering.experiments.pesc._notes import notes
from moo_clustering.experiments.pesc._results import Results
from moo_clustering.experiments.pesc._tables import LABELS, PESC_ROWS

HOLDS = {True: "holds", False: "does not hold"}


class Statement(NamedTuple):
    """A sentence of the paper about pairs of methods.

    Attributes
    ----------
    text : str
    better, worse : sequence of str
    on_all : bool, default=False
        On all sets, or on most of them.
    """

    text: str
    better: Sequence[str]
    worse: Sequence[str]
    on_all: bool = False


def _tuned(*names: str) -> Sequence[str]:
    return tuple(f"{name}, label-tuned" for name in names)


_SEMI = Statement(
    "PESC, no matter which ensemble strategy, gains better performance than other multiobjective clustering "
    "algorithms on most data sets",
    PESC_ROWS,
    ("SRMOSC", "Semi-MOCK"),
)
STATEMENTS: dict[int, tuple[Statement, ...]] = {
    3: (
        Statement(
            "all three ensemble strategies outperform the other cluster ensembles",
            PESC_ROWS,
            ("MOGA(π,sep)", "CSPA"),
        ),
        Statement("PESC works better than SRMOSC on most data sets", PESC_ROWS, ("SRMOSC",)),
        Statement("PESC outperforms MOCK on most data sets", PESC_ROWS, ("MOCK",)),
    ),
    4: (
        Statement(
            "PESC outperforms the fully connected, mutual kNN and epsilon graphs on all data sets",
            PESC_ROWS,
            _tuned("full", "mutual kNN", "epsilon"),
            on_all=True,
        ),
        Statement("PESC performs better than kNN", PESC_ROWS, _tuned("kNN")),
    ),
    5: (_SEMI,),
    6: (_SEMI,),
}


def statements(results: Results, number: int) -> ResultTable:
    """Pairs of methods that the paper speaks about."""
    scores = ("accuracy_unlabelled", "accuracy") if LABELS[number] else ("accuracy",)
    rows: list[list[Value]] = []
    for statement in STATEMENTS[number]:
        for score in scores:
            for reading, title in READINGS.items():
                rows += _pairs(results, statement, score, reading, title, LABELS[number])
    return ResultTable(
        f"table{number}-statements",
        f"What the paper says of Table {number}, and what was found",
        ["statement", "score", "reading", "pair", "better on", "worse on", "mean difference", "verdict"],
        rows,
        notes("absent", "claims"),
        {"mean difference": "+.3f"},
    )


def _pairs(
    results: Results, statement: Statement, score: str, reading: str, title: str, labels: int
) -> list[list[Value]]:
    means = results.frame([*statement.better, *statement.worse], reading, score, labels)
    rows: list[list[Value]] = []
    verdicts: list[bool] = []
    score = score.replace("_", ", ")
    for better in statement.better:
        for worse in statement.worse:
            difference = (means[better] - means[worse]).round(12)
            wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
            verdicts.append(wins == len(means) if statement.on_all else 2 * wins > len(means))
            pair: list[Value] = [f"{better} > {worse}", wins, losses, float(difference.mean())]
            rows.append([statement.text, score, title, *pair, HOLDS[verdicts[-1]]])
    holding = f"{sum(verdicts)} of {len(verdicts)} pairs"
    summary: list[Value] = [statement.text, score, title, holding]
    summary += [None, None, None, HOLDS[all(verdicts)]]
    return [summary, *rows]


# What takes longer, and than what.
_TIMES = (
    ("ES1 is the most time-consuming of the three", ("PESC_ES1",), ("PESC_ES2", "PESC_ES3")),
    ("SRMOSC and MOCK take longer than PESC", ("SRMOSC", "MOCK"), PESC_ROWS),
    (
        "conventional graphs, with one value of their parameter, take less time than PESC",
        PESC_ROWS,
        tuple(f"{name}, average of its grid" for name in GRIDS),
    ),
)
_ALIKE = ("PESC takes about as long as MOGA(π,sep) and CSPA", PESC_ROWS, ("MOGA(π,sep)", "CSPA"))


def times(results: Results) -> ResultTable:
    """Ratios of seconds that the paper speaks about."""
    rows: list[list[Value]] = []
    for reading, title in READINGS.items():
        for text, longer, shorter in (*_TIMES, _ALIKE):
            for one in longer:
                for other in shorter:
                    ratio = seconds_of(results, one, reading) / seconds_of(results, other, reading)
                    # Alike: neither takes more than three times as long.
                    holds = 1 / 3 <= ratio <= 3 if text == _ALIKE[0] else ratio > 1
                    rows.append([text, title, f"{one} : {other}", ratio, HOLDS[bool(holds)]])
    return ResultTable(
        "figure6-statements",
        "What the paper says of Figure 6, and what was found",
        ["statement", "reading", "seconds of", "ratio", "verdict"],
        rows,
        ("Ratios of geometric means over the sets; about as long: neither three times as long.",),
        {"ratio": ".2f"},
    )


def seconds_of(results: Results, method: str, reading: str) -> float:
    """Geometric mean over the sets of a method's mean seconds."""
    seconds = [results.spread(one, method, reading, "seconds").mean for one in results.sets]
    return float(np.exp(np.mean(np.log(np.maximum(seconds, 1e-9)))))
