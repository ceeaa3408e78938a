"""Tables that compare methods of the ensemble NMF comparison data set by data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.ensemble_nmf._published import (
    METHODS,
    N_ABOVE,
    N_SETS,
    N_SIGNIFICANT,
    PUBLISHED,
    errata,
)
from moo_clustering.experiments.ensemble_nmf._results import Z_COLUMNS

SIGNIFICANT = 1.96

# What the paper says of its table, as a comparison of two columns.
_CLAIMS = (
    ("NCW-NMF", "NMF"),
    ("NCW-NMF", "Bisecting"),
    ("NCW-NMF", "K-means"),
    ("Bisecting", "K-means"),
    ("Bisecting", "NMF"),
    ("NCW-NMF", "Ensemble"),
    ("Ensemble", "Bisecting"),
    ("Ensemble", "Min-NCW-NMF"),
)


def significance(scores: pd.DataFrame, names: Sequence[str]) -> ResultTable:
    """Data sets on which the ensemble is above bisecting k-means, and by how many deviations."""
    rows: list[list[Value]] = [["paper", "Bisecting", N_SETS, N_ABOVE, N_SIGNIFICANT, None, None]]
    for name in [*names, *(["all"] if len(names) > 1 else [])]:
        part = scores if name == "all" else scores[scores["collection"] == name]
        for rival, column in Z_COLUMNS.items():
            z = part[column]
            counts = (z > 0, z >= SIGNIFICANT, z <= -SIGNIFICANT)
            found = [int(np.count_nonzero(count)) for count in counts]
            rows.append([name, rival, len(part), *found, float(z.median())])
    return ResultTable(
        "significance",
        "Ensemble against bisecting k-means",
        ["collection", "rival", "sets", "ensemble above", "Z >= 1.96", "Z <= -1.96", "median Z"],
        rows,
        errata("z", "trials"),
        {"median Z": ".2f"},
    )


def claims(scores: pd.DataFrame, names: Sequence[str]) -> ResultTable:
    """On how many data sets the paper's order of two methods holds."""
    printed = pd.DataFrame.from_dict(PUBLISHED, orient="index", columns=list(METHODS))
    parts = [printed, *(scores[scores["collection"] == name] for name in names)]
    rows: list[list[Value]] = [
        [f"{above} above {below}", *(_share(part[above] > part[below]) for part in parts)]
        for above, below in _CLAIMS
    ]
    rest = [name for name in METHODS if name != "Hierarchical"]
    worst = [_share(part["Hierarchical"] < part[rest].min(axis=1)) for part in parts]
    rows.append(["Hierarchical below all others", *worst])
    return ResultTable(
        "claims",
        "What the paper says of its methods",
        ["statement", "paper", *names],
        rows,
        errata("claims"),
    )


def _share(holds: pd.Series[bool]) -> str:
    return f"{int(holds.sum())} of {len(holds)}"
