"""Tables of the NSGA-II-clus comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.nsga2_clus._published import (
    MEAN_ANSWERS,
    PUBLISHED,
    REASONS,
    Published,
    reasons,
)
from moo_clustering.experiments.nsga2_clus._runs import METHODS
from moo_clustering.validity import k_error

_MEANS = ("best", "average", "selected", "random", "satisfied", "ari", "k")
_TWO_DIGITS = ("ARI", "K", "K error", "satisfied", "free pairs", "members")
_FORMATS = dict.fromkeys(_TWO_DIGITS, ".2f")


def report(cells: Sequence[Key], values: Sequence[Any], all_answers: Sequence[int]) -> list[ResultTable]:
    """All tables; the first has a row for every cell and method."""
    scores = _long(cells, values)
    everything = ResultTable(
        "scores", "Scores", [*map(str, scores.columns)], scores.astype(object).values.tolist()
    )
    asked = scores.drop_duplicates("question")
    tables = [_methods(scores), _beside_published(scores), _constants(asked, all_answers)]
    floors = asked[asked["floor"].notna()]
    return [everything, *tables, *([_floors(floors)] if len(floors) else [])]


def _long(cells: Sequence[Key], values: Sequence[Any]) -> pd.DataFrame:
    rows = []
    for key, value in zip(cells, values, strict=True):
        shared = {**key, **{name: value[name] for name in ("documents", "answers", "floor")}}
        rows += [{**shared, "method": name, **found} for name, found in value["methods"].items()]
    numbers = ("floor", "best", "average")
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, "float64"))


def _groups(scores: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Rows by distance and method, in the order of the methods."""
    found = dict(list(scores.groupby(["distance", "method"], sort=False)))
    return [
        (distance, method, found[distance, method])
        for distance in scores["distance"].unique()
        for method in METHODS
        if (distance, method) in found
    ]


def _free(part: pd.DataFrame) -> float:
    """Mean of must-link and cannot-link recall over the pairs that were not given."""
    totals = {kind: int(part[f"free_{kind}"].sum()) for kind in ("must", "cannot")}
    recalls = [part[f"free_{kind}_right"].sum() / total for kind, total in totals.items() if total]
    return float(sum(recalls) / 2) if len(recalls) == 2 else float("nan")


def _methods(scores: pd.DataFrame) -> ResultTable:
    rows: list[list[Value]] = []
    for distance, method, part in _groups(scores):
        means = [float(part[name].mean()) for name in _MEANS]
        error = k_error(part["answers"], part["k"])
        rows.append([distance, method, *means, error, _free(part), float(part["members"].mean())])
    columns = ["best (oracle)", "average", "selected", "random labels", "satisfied", "ARI", "K", "K error"]
    n = scores["question"].nunique()
    rule = "rounded up" if scores["k_max"].iloc[0] == "ceil_sqrt" else "rounded down"
    return ResultTable(
        "methods",
        f"Methods on {n} questions, seeds: {scores['seed'].nunique()}, K up to the square root {rule}",
        ["distance", "method", *columns, "free pairs", "members"],
        rows,
        (
            "Entropies in bits, answers of a document counted fractionally; lower is better, and lower "
            "with more clusters: compare with random labels of the same numbers of clusters.",
            "best (oracle): the member of the front with the least entropy, which no method can know. "
            "selected: the member that satisfies most constraints, of equals the least Xie-Beni; the "
            "columns to its right belong to it. ARI: first answer of every document.",
            "free pairs: mean of must-link and cannot-link recall over the pairs that were not given, "
            "all questions together; 0.5 is chance. The other columns score all documents, the "
            "given pairs included. KMDM and KMProb are told the true number of clusters.",
        ),
        _FORMATS,
    )


def _beside_published(scores: pd.DataFrame) -> ResultTable:
    groups = {(distance, method): part for distance, method, part in _groups(scores)}
    rows: list[list[Value]] = []
    for distance, methods in PUBLISHED.items():
        for method, printed in methods.items():
            part = groups[distance, method]
            rows.append([distance, method, *_pairs(method, printed, part), reasons(method, printed)])
    names = ("best", "average", "K", "K error")
    headings = [f"{name}, {whose}" for name in names for whose in ("paper", "here")]
    return ResultTable(
        "published",
        "Figures of the paper and of this run",
        ["distance", "method", *headings, "why they differ"],
        rows,
        (
            "best: least entropy on the front by the true answers; for External the choice by "
            "constraints; for KMDM and KMProb their only result. K is that of the choice by constraints.",
            f"The paper's questions have {MEAN_ANSWERS} answers on average, these "
            f"{scores.drop_duplicates('question')['answers'].mean():.2f}.",
            *REASONS.values(),
        ),
        {heading: ".2f" for heading in headings if heading.startswith("K")},
    )


def _pairs(method: str, printed: Published, part: pd.DataFrame) -> list[Value]:
    best = "best" if method in ("AMOSA", "Internal") else "selected"
    here = (part[best].mean(), part["average"].mean(), part["k"].mean(), k_error(part["answers"], part["k"]))
    return [value for pair in zip(printed, map(float, here), strict=True) for value in pair]


def _constants(asked: pd.DataFrame, all_answers: Sequence[int]) -> ResultTable:
    rows: list[list[Value]] = [
        [f"K = {k}", k_error(asked["answers"], k), k_error(all_answers, k)] for k in (1, 2, 3)
    ]
    return ResultTable(
        "constant-k",
        "Error of constant numbers of clusters",
        ["prediction", f"these {len(asked)} questions", f"all {len(all_answers)} questions"],
        rows,
        ("A method whose K error is not below these has found nothing about the number of clusters.",),
        {f"these {len(asked)} questions": ".2f", f"all {len(all_answers)} questions": ".2f"},
    )


def _floors(asked: pd.DataFrame) -> ResultTable:
    found = asked.groupby("answers")["floor"].agg(["size", "mean"])
    rows: list[list[Value]] = [[int(k), int(n), float(mean)] for k, n, mean in found.itertuples()]
    rows.append(["all", len(asked), float(asked["floor"].mean())])
    return ResultTable(
        "floor",
        "Least entropy that any two clusters can have",
        ["answers", "questions", "entropy"],
        rows,
        ("All partitions of the questions with at most eight documents, the answers known.",),
    )
