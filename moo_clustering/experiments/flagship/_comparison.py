"""Means over sets, paired differences, and ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.flagship._cells import BLOCKS
from moo_clustering.experiments.flagship._notes import notes
from moo_clustering.experiments.flagship._published import PUBLISHED
from moo_clustering.experiments.flagship._results import REFERENCE, SECOND, Results
from moo_clustering.experiments.flagship._sets import KINDS
from moo_clustering.stats import average_ranks, friedman, shaffer_static

# Differences up to this are no difference.
_EQUAL = 1e-9
ALPHA = 0.05


def means(results: Results, block: str) -> ResultTable:
    """Of every method: means over all sets and by kind, the published mean, and how it compares."""
    kinds = [kind for kind in KINDS if kind in results.kinds.values()]
    references = [REFERENCE[block], *([SECOND[block]] if block in SECOND else [])]
    rows: list[list[Value]] = []
    for setting in results.settings(block):
        frame, ami = (results.frame(block, setting, score) for score in ("ari", "ami"))
        whole = results.frame(block, setting, "ari_all") if block == "pairs" else None
        for method in frame.columns:
            scores = frame[method]
            if scores.isna().all():
                continue
            row: list[Value] = [setting, method, int(scores.notna().sum())]
            row += [
                _mean(scores),
                results.spread(block, setting, method),
                PUBLISHED.get((block, "ari", "", setting, method)),
                _mean(ami[method]),
            ]
            row.append(PUBLISHED.get((block, "ami", "", setting, method)))
            if whole is not None:
                row.append(_mean(whole[method]))
            of_kind = [results.kinds[str(name)] for name in frame.index]
            for kind in kinds:
                here = scores[[one == kind for one in of_kind]]
                row.append(_mean(here))
                row.append(PUBLISHED.get((block, "ari", kind, setting, method)))
            for reference in references:
                row += _paired(frame[reference] - scores) if method != reference else [None, None, None]
            seconds = results.frame(block, setting, "seconds")[method]
            rows.append([*row, _mean(seconds)])
    whole_column = ["ARI of all"] if block == "pairs" else []
    columns = [
        "setting",
        "method",
        "sets",
        "ARI",
        "± draws",
        "published",
        "AMI",
        "published AMI",
        *whole_column,
    ]
    for kind in kinds:
        columns += [f"ARI {kind}", f"published {kind}"]
    for reference in references:
        columns += [f"{reference} - it", f"± {reference}", f"better/equal/worse {reference}"]
    table = ResultTable(
        f"{block}-means",
        f"{BLOCKS[block].title}: means over the sets",
        [*columns, "seconds"],
        rows,
        notes(
            *(["published"] if any(place[0] == block for place in PUBLISHED) else []), "means", "kinds", block
        ),
        {f"{reference} - it": "+.3f" for reference in references} | {"seconds": ".2f"},
    )
    return _without_empty(table)


def _mean(values: pd.Series[float]) -> float | None:
    return float(values.mean()) if values.notna().any() else None


def _paired(differences: pd.Series[float]) -> list[Value]:
    found = differences.dropna().to_numpy(dtype=float)
    if not len(found):
        return [None, None, None]
    error = float(found.std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else None
    better, worse = int((found > _EQUAL).sum()), int((found < -_EQUAL).sum())
    return [float(found.mean()), error, f"{better}/{len(found) - better - worse}/{worse}"]


def _without_empty(table: ResultTable) -> ResultTable:
    """Without columns that say nothing anywhere."""
    kept = [
        i for i, name in enumerate(table.columns) if any(row[i] is not None for row in table.rows) or i < 4
    ]
    rows = [[row[i] for i in kept] for row in table.rows]
    columns = [table.columns[i] for i in kept]
    return ResultTable(table.name, table.title, columns, rows, table.notes, table.formats)


def by_set(results: Results, block: str) -> ResultTable:
    """ARI of every method on every set; of several settings their mean."""
    names = results.methods(block)
    rows: list[list[Value]] = []
    for setting in results.main_settings(block):
        frame = results.frame(block, setting)
        for found in results.sets:
            if found.name in frame.index:
                values = frame.loc[found.name].to_numpy(dtype=float).tolist()
                rows.append([found.name, found.kind, setting, *values])
    return ResultTable(
        f"{block}-sets", f"{BLOCKS[block].title}: ARI by set", ["set", "kind", "setting", *names], rows
    )


def ranks(results: Results) -> ResultTable | None:
    """Mean ranks, Friedman's test and Shaffer's of every pair with the flagship; None for a single set."""
    rows: list[list[Value]] = []
    for block in results.blocks:
        for setting in results.main_settings(block):
            rows += _ranked(results, block, setting)
    if not rows:
        return None
    return ResultTable(
        "ranks",
        "Mean ranks (1 is best), and tests against the flagship",
        ["block", "setting", "sets", "p of Friedman's test", "method", "mean rank", "adjusted p (Shaffer)"],
        rows,
        notes("ranks"),
        {"p of Friedman's test": ".2g", "mean rank": ".2f", "adjusted p (Shaffer)": ".2g"},
    )


def _ranked(results: Results, block: str, setting: str) -> list[list[Value]]:
    frame = results.frame(block, setting)[results.methods(block, bounds=False)]
    # A method that failed everywhere says nothing; a set where one failed cannot be ranked.
    frame = frame.dropna(axis=1, how="all").dropna(axis=0)
    reference = REFERENCE[block]
    if len(frame) < 2 or frame.shape[1] < 3 or reference not in frame.columns:
        return []
    averages = average_ranks(frame, greater_is_better=True)
    test = friedman(frame, greater_is_better=True)
    pairs = shaffer_static(frame, greater_is_better=True, alpha=ALPHA)
    p_of = {frozenset((str(a), str(b))): float(p) for a, b, p in _adjusted(pairs)}
    rows: list[list[Value]] = []
    for name, rank in averages.sort_values(kind="stable").items():
        p = None if name == reference else p_of[frozenset((str(name), reference))]
        rows.append([block, setting, len(frame), float(test.p_value), str(name), float(rank), p])
    return rows


def _adjusted(pairs: pd.DataFrame) -> list[tuple[str, str, float]]:
    return list(pairs[["method_1", "method_2", "p_adjusted"]].itertuples(index=False, name=None))
