"""Do the methods differ at all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from moo_clustering.stats._ranks import RankSummary, as_rank_summary
from moo_clustering.stats._results import as_results

_EPS = 1e-9


@dataclass(frozen=True, eq=False)
class FriedmanResult:
    """Outcome of :func:`friedman`.

    Parameters
    ----------
    statistic, p_value : float
        Friedman's chi-square and its p-value.
    df : int
        Degrees of freedom, ``n_methods - 1``.
    iman_davenport_statistic, iman_davenport_p_value : float
        The less conservative F of Iman and Davenport on ``df`` and ``df * (n_datasets - 1)`` degrees of
        freedom; infinite where all data sets rank the methods alike.
    average_ranks : Series
        Average rank of every method, 1 = best.
    n_datasets, n_methods : int
    """

    statistic: float
    p_value: float
    df: int
    iman_davenport_statistic: float
    iman_davenport_p_value: float
    average_ranks: pd.Series[float]
    n_datasets: int
    n_methods: int


def friedman(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    tie_correction: bool = False,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> FriedmanResult:
    """Friedman's test that several methods do equally well, with Iman and Davenport's version.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), or Series or mapping
        A row per data set, a column per method; or the average rank of every method.
    greater_is_better : bool
        Whether large values are good. Needed with a table, not with ranks.
    tie_correction : bool, default=False
        Divide by the share of distinct ranks, as :func:`scipy.stats.friedmanchisquare` does. Papers on
        machine learning mostly do not. Needs a table.
    n_datasets : int, optional
        Over how many data sets given ranks are averages.
    methods : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    FriedmanResult
        Where all values of every data set are equal, the statistics are 0 and the p-values 1.

    Raises
    ------
    ValueError
        For fewer than 3 methods or 2 data sets, and cells without a number.

    Notes
    -----
    O(n_datasets n_methods log n_methods) time.

    References
    ----------
    .. [1] J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of
       Machine Learning Research 7, 2006, section 3.2.2.

    Examples
    --------
    >>> ranks = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    >>> round(friedman(ranks, n_datasets=14).statistic, 2)
    9.28
    """
    summary = as_rank_summary(results, greater_is_better, n_datasets, methods)
    if tie_correction and greater_is_better is None:
        raise ValueError("tie_correction needs the table of results; average ranks do not show ties")
    n, k = summary.n_datasets, len(summary.average_ranks)
    if k < 3:
        raise ValueError(f"Friedman's test needs at least 3 methods, got {k}")
    statistic = _corrected(results, methods) if tie_correction else chi_square(summary)
    f_value = iman_davenport(statistic, n, k)
    return FriedmanResult(
        statistic=statistic,
        p_value=float(stats.chi2.sf(statistic, k - 1)),
        df=k - 1,
        iman_davenport_statistic=f_value,
        iman_davenport_p_value=float(stats.f.sf(f_value, k - 1, (k - 1) * (n - 1))),
        average_ranks=summary.average_ranks,
        n_datasets=n,
        n_methods=k,
    )


def chi_square(summary: RankSummary) -> float:
    """Friedman's statistic without correction for ties; nothing but rounding counts as 0."""
    ranks, n = summary.average_ranks.to_numpy(), summary.n_datasets
    k = len(ranks)
    value = 12 * n / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4)
    return 0.0 if value < _EPS else float(value)


def iman_davenport(statistic: float, n_datasets: int, n_methods: int) -> float:
    """F of a Friedman statistic; infinite at the largest statistic there is."""
    largest = n_datasets * (n_methods - 1)
    rest = largest - statistic
    return float("inf") if rest <= _EPS * largest else (n_datasets - 1) * statistic / rest


def _corrected(results: Any, methods: Sequence[str] | None) -> float:
    values = as_results(results, methods=methods).values
    # The correction divides 0 by 0 where no data set tells any two methods apart.
    if (values == values[:, :1]).all():
        return 0.0
    return float(stats.friedmanchisquare(*values.T).statistic)
