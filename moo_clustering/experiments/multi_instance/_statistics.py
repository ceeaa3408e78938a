"""Ranks and tests of the multi-instance tables, of the printed figures and of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.multi_instance._errata import errata
from moo_clustering.experiments.multi_instance._methods import READINGS
from moo_clustering.experiments.multi_instance._published import METHODS, PUBLISHED
from moo_clustering.experiments.multi_instance._results import Results
from moo_clustering.experiments.multi_instance._tables import absent
from moo_clustering.stats import average_ranks, cliques, friedman, pair_matrix, shaffer_static
from moo_clustering.stats._friedman import FriedmanResult
from moo_clustering.stats._sentences import sentences

_BEST = "CHCMIC"


class Source(NamedTuple):
    """A table of results of one metric.

    Parameters
    ----------
    name : str
        Whose.
    values : DataFrame
        A row per data set, a column per method.
    greater_is_better : bool
    is_drawn : bool, default=True
        Whether in figures.
    """

    name: str
    values: pd.DataFrame
    greater_is_better: bool
    is_drawn: bool = True

    @property
    def average_ranks(self) -> pd.Series[float]:
        """Average rank of every method, 1 = best."""
        return average_ranks(self.values, greater_is_better=self.greater_is_better)

    @property
    def friedman(self) -> FriedmanResult:
        """Friedman's test."""
        return friedman(self.values, greater_is_better=self.greater_is_better)

    def pairs(self, alpha: float) -> pd.DataFrame:
        """All pairs by Shaffer's procedure."""
        return shaffer_static(self.values, greater_is_better=self.greater_is_better, alpha=alpha)

    def conclusions(self, alpha: float) -> list[str]:
        """What may be claimed."""
        pairs = self.pairs(alpha)
        return sentences(self.friedman, pairs, cliques(pairs), "shaffer", alpha)


def sources(results: Results, metric: str) -> list[Source]:
    """The printed table, its rows for which there are data, and our tables; with two rows at least."""
    printed, better = PUBLISHED[metric].frame(), PUBLISHED[metric].greater_is_better
    names = [row.name for _, row in results.tested()]
    found = [Source(f"paper, {len(names)} rows found here", printed.loc[names], better)]
    if "ImgT" in names and "ImgF" not in names:
        taken = ["ImgF" if name == "ImgT" else name for name in names]
        found.append(Source("   the same, ImgF for ImgT", printed.loc[taken], better, is_drawn=False))
    for reading, title in READINGS.items():
        found.append(Source(f"here, {title}", results.frame(metric, reading), better))
    everything = Source("paper, all ten rows", printed, better)
    return [everything, *(source for source in found if len(source.values) > 1)]


def ranks(results: Results, metrics: Sequence[str], number: int) -> ResultTable:
    """Average ranks."""
    rows: list[list[Value]] = []
    for metric in metrics:
        rows.append([metric, "paper, as printed", 10, *PUBLISHED[metric].ranks])
        for source in sources(results, metric):
            average = source.average_ranks[list(METHODS)].tolist()
            rows.append([metric, source.name, len(source.values), *average])
    return ResultTable(
        f"table{number}",
        f"Average ranks (1 is best): Table {number} of the paper and here",
        ["index", "whose", "rows", *METHODS],
        rows,
        (*absent(results), *errata("once", "tiger", "bold")),
        dict.fromkeys(METHODS, ".2f"),
    )


def friedman_tests(results: Results, metrics: Sequence[str], number: int) -> ResultTable:
    """Friedman's test and that of Iman and Davenport."""
    rows: list[list[Value]] = []
    for metric in metrics:
        printed = PUBLISHED[metric]
        rows.append([metric, "paper, as printed", 10, printed.statistic, printed.p_value, None, None])
        for source in sources(results, metric):
            test = source.friedman
            f_test = (test.iman_davenport_statistic, test.iman_davenport_p_value)
            rows.append([metric, source.name, test.n_datasets, test.statistic, test.p_value, *f_test])
    columns = ["χ²", "p", "F (Iman, Davenport)", "p of F"]
    return ResultTable(
        f"table{number}",
        f"Friedman's test of the six methods: Table {number} of the paper and here",
        ["index", "whose", "rows", *columns],
        rows,
        (*absent(results), *errata("once", "tiger")),
        dict.fromkeys(columns, ".4f") | {"p of F": ".2g"},
    )


def pair_tests(results: Results, metrics: Sequence[str], alpha: float, number: int) -> ResultTable:
    """Adjusted p-values of CHCMIC against the others."""
    others = [method for method in METHODS if method != _BEST]
    rows: list[list[Value]] = []
    for metric in metrics:
        for source in sources(results, metric):
            p = pair_matrix(source.pairs(alpha)).loc[[_BEST], others].to_numpy(dtype=float)[0].tolist()
            best = str(source.average_ranks.idxmin())
            rows.append([metric, source.name, len(source.values), best, *p])
    return ResultTable(
        f"table{number}-pairs",
        f"{_BEST} against each other method, adjusted p (Shaffer, static)",
        ["index", "whose", "rows", "best rank", *others],
        rows,
        errata("claims"),
        dict.fromkeys(others, ".4f"),
    )


def conclusions(results: Results, metrics: Sequence[str], alpha: float, number: int) -> ResultTable:
    """What may be claimed, in sentences."""
    rows: list[list[Value]] = [
        [metric, source.name, sentence]
        for metric in metrics
        for source in sources(results, metric)
        for sentence in source.conclusions(alpha)
    ]
    return ResultTable(
        f"table{number}-conclusions",
        f"What may be claimed at {1 - alpha:.0%}",
        ["index", "whose", "conclusion"],
        rows,
        errata("bars"),
    )
