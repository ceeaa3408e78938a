"""Holm's and Nemenyi's procedures for all pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import studentized_range

from moo_clustering._suggest import did_you_mean
from moo_clustering.stats._pairs import adjusted_pairs, checked_alpha
from moo_clustering.stats._shaffer import shaffer_static


def holm(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    alpha: float = 0.05,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Which pairs of methods differ, by Holm's step-down procedure.

    The adjustment is :func:`statsmodels.stats.multitest.multipletests`.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), Series, mapping or FriedmanResult
        A table, average ranks, or the result of :func:`friedman`.
    greater_is_better : bool
        Whether large values are good. Needed with a table only.
    alpha : float, default=0.05
        Level of significance.
    n_datasets : int, optional
        Over how many data sets given ranks are averages.
    methods : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    DataFrame
        As of :func:`shaffer_static`.
    """
    return adjusted_pairs(_holm, results, greater_is_better, alpha, n_datasets, methods)


def nemenyi(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    alpha: float = 0.05,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Which pairs of methods differ, by Nemenyi's test.

    Two methods differ if their average ranks do by at least :func:`critical_difference`. Simple, and
    the least powerful of the three. P-values are those of :func:`scipy.stats.studentized_range`.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), Series, mapping or FriedmanResult
        A table, average ranks, or the result of :func:`friedman`.
    greater_is_better : bool
        Whether large values are good. Needed with a table only.
    alpha : float, default=0.05
        Level of significance.
    n_datasets : int, optional
        Over how many data sets given ranks are averages.
    methods : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    DataFrame
        As of :func:`shaffer_static`.
    """
    return adjusted_pairs(_nemenyi, results, greater_is_better, alpha, n_datasets, methods)


def critical_difference(n_methods: int, n_datasets: int, *, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks.

    Parameters
    ----------
    n_methods : int
    n_datasets : int
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    float

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = studentized_range.isf(checked_alpha(alpha), n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


POSTHOC: dict[str, Callable[..., pd.DataFrame]] = {
    "shaffer": shaffer_static,
    "holm": holm,
    "nemenyi": nemenyi,
}


def find_posthoc(name: str) -> Callable[..., pd.DataFrame]:
    if name not in POSTHOC:
        raise ValueError(
            f"the procedure for pairs must be one of {', '.join(POSTHOC)}, got {name!r}"
            f"{did_you_mean(str(name), POSTHOC)}"
        )
    return POSTHOC[name]


def _holm(z: NDArray[np.float64], p: NDArray[np.float64], n_methods: int) -> NDArray[np.float64]:
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(p, method="holm")[1])


def _nemenyi(z: NDArray[np.float64], p: NDArray[np.float64], n_methods: int) -> NDArray[np.float64]:
    # Numerical integration may leave the interval by a rounding error.
    return np.clip(studentized_range.sf(z * np.sqrt(2), n_methods, np.inf), 0.0, 1.0)
