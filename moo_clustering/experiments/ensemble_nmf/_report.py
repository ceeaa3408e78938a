"""Tables of the ensemble NMF comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.ensemble_nmf._cells import (
    BEST_HALF,
    PARETO,
    PLAIN,
    RANDOM,
    consensus_functions,
)
from moo_clustering.experiments.ensemble_nmf._comparisons import claims, significance
from moo_clustering.experiments.ensemble_nmf._published import (
    METHODS,
    N_CLUSTERS,
    N_SETS,
    PUBLISHED,
    PUBLISHED_MEANS,
    errata,
)
from moo_clustering.experiments.ensemble_nmf._results import (
    BEST_OF,
    MAX_RUN,
    MIN_RUN,
    score_frame,
)

# The consensus that is called the ensemble, with and without METIS.
ENSEMBLES = {True: "MCLA (size)", False: "MCLA (matching)"}
_FORMATS = dict.fromkeys(METHODS, ".4f")


def report(
    cells: Sequence[Key], values: Sequence[Any], stand_ins: Mapping[str, str], *, metis: bool
) -> list[ResultTable]:
    """All tables; the first has a row for every data set.

    Parameters
    ----------
    cells, values
    stand_ins : mapping
        What every collection stands for.
    metis : bool
        Whether the ensemble is by METIS, as in the original.
    """
    scores = score_frame(cells, values, ENSEMBLES[metis])
    names = [name for name in stand_ins if name in set(scores["collection"])]
    everything = ResultTable(
        "scores", "Scores", [*map(str, scores.columns)], scores.astype(object).values.tolist()
    )
    return [
        everything,
        _means(scores, names, stand_ins, metis),
        significance(scores, names),
        claims(scores, names),
        _by_collection(
            scores,
            names,
            "consensus",
            "Consensus of the runs of NCW-NMF",
            ["NCW-NMF", MIN_RUN, MAX_RUN, *consensus_functions(metis), BEST_HALF, PARETO, PLAIN],
            errata("balance", "selection"),
        ),
        _by_collection(
            scores,
            names,
            "controls",
            "Random labels, and k-means as CLUTO does it",
            [RANDOM, "K-means", BEST_OF["K-means"], "Bisecting", BEST_OF["Bisecting"], "NMF", "NCW-NMF"],
            errata("trials"),
        ),
        *(_beside_published(scores, name, stand_ins[name]) for name in names),
    ]


def _means(
    scores: pd.DataFrame, names: Sequence[str], stand_ins: Mapping[str, str], metis: bool
) -> ResultTable:
    rows: list[list[Value]] = [["paper, TREC Genomics 2004", N_SETS, "133-1757", *PUBLISHED_MEANS]]
    for name in names:
        part = scores[scores["collection"] == name]
        rows.append([name, len(part), _range(part["documents"]), *_column_means(part)])
    how = "" if metis else " pymetis is not installed here, so the ensemble is MCLA (matching)."
    return ResultTable(
        "means",
        f"NMI, mean over k of the means of the data sets, paper and {_sets(scores)} here",
        ["collection", "sets", "documents", *METHODS],
        rows,
        (
            errata("stand-in")[0] + how,
            *(f"{name}: stands for {stand_ins[name]}." for name in names),
            *errata("means", "idf", "scale", "nmi", "no terms", "trials"),
        ),
        _FORMATS,
    )


def _column_means(part: pd.DataFrame) -> list[Value]:
    # Every k counts alike, as in the paper, however many data sets it has.
    by_k = part.groupby("k")[list(METHODS)].mean()
    return [float(by_k[name].mean()) for name in METHODS]


def _beside_published(scores: pd.DataFrame, name: str, stand_in: str) -> ResultTable:
    part = scores[scores["collection"] == name]
    rows: list[list[Value]] = []
    there = [int(k) for k in sorted(set(part["k"]))]
    for k in there:
        drawn = part[part["k"] == k]
        if k in PUBLISHED:
            rows.append([str(k), "paper", 10, *PUBLISHED[k]])
        rows.append([str(k), "here", len(drawn), *(float(drawn[method].mean()) for method in METHODS)])
    rows.append(["mean", "paper, k from 3 to 10", N_SETS, *PUBLISHED_MEANS])
    both = [k for k in there if k in PUBLISHED]
    if both and both != list(N_CLUSTERS):
        same = np.mean([PUBLISHED[k] for k in both], axis=0)
        rows.append(["mean", "paper, k as here", 10 * len(both), *map(float, same)])
    rows.append(["mean", "here", len(part), *_column_means(part)])
    return ResultTable(
        f"table2-{name}",
        f"NMI: Table 2 of the paper and {name}",
        ["k", "whose", "sets", *METHODS],
        rows,
        (f"{name} stands for {stand_in}.", *errata("stand-in")),
        _FORMATS,
    )


def _by_collection(
    scores: pd.DataFrame,
    names: Sequence[str],
    name: str,
    title: str,
    columns: Sequence[str],
    notes: Sequence[str],
) -> ResultTable:
    rows: list[list[Value]] = []
    for collection in names:
        part = scores[scores["collection"] == collection]
        rows.append([collection, len(part), *(float(part[column].mean()) for column in columns)])
    return ResultTable(
        name,
        f"{title}: mean NMI of the data sets",
        ["collection", "sets", *columns],
        rows,
        notes,
    )


def _range(values: pd.Series[int]) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low}-{high}"


def _sets(scores: pd.DataFrame) -> str:
    return f"{len(scores)} data set{'' if len(scores) == 1 else 's'}"
