"""Critical difference diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from moo_clustering.stats._cliques import cliques
from moo_clustering.stats._pairs import pair_matrix
from moo_clustering.stats._posthoc import critical_difference, find_posthoc
from moo_clustering.stats._ranks import as_rank_summary


@dataclass(frozen=True, eq=False)
class CriticalDifferenceData:
    """What :func:`~moo_clustering.visualization.plot_critical_difference` shows.

    Parameters
    ----------
    average_ranks : Series
        From best to worst.
    groups : list of tuple of str
        Methods joined by a bar: groups of two or more of which no two differ.
    different : DataFrame of shape (n_methods, n_methods)
        Whether two methods differ.
    procedure : str
        Which procedure tells.
    alpha : float
    critical_difference : float or None
        Of average ranks; Nemenyi's test only.
    """

    average_ranks: pd.Series[float]
    groups: list[tuple[str, ...]]
    different: pd.DataFrame
    procedure: str
    alpha: float
    critical_difference: float | None


def critical_difference_data(
    results: Any,
    *,
    alpha: float = 0.05,
    method: str = "shaffer",
    greater_is_better: bool | None = None,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> CriticalDifferenceData:
    """Ranks and groups of a critical difference diagram.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), Series, mapping or result
        A table, average ranks, or what :func:`friedman` or :func:`compare` returned.
    alpha : float, default=0.05
        Level of significance.
    method : {"shaffer", "holm", "nemenyi"}, default="shaffer"
        Procedure for the pairs.
    greater_is_better : bool
        Whether large values are good. Needed with a table only.
    n_datasets : int, optional
        Over how many data sets given ranks are averages.
    methods : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    CriticalDifferenceData
    """
    procedure = find_posthoc(method)
    summary = as_rank_summary(results, greater_is_better, n_datasets, methods)
    ranks = summary.average_ranks.sort_values(kind="stable")
    pairs = procedure(ranks, n_datasets=summary.n_datasets, alpha=alpha)
    width = critical_difference(len(ranks), summary.n_datasets, alpha=alpha) if method == "nemenyi" else None
    return CriticalDifferenceData(
        average_ranks=ranks,
        groups=[group for group in cliques(pairs) if len(group) > 1],
        different=pair_matrix(pairs, "significant"),
        procedure=method,
        alpha=alpha,
        critical_difference=width,
    )
