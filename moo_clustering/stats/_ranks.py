"""Ranks of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from moo_clustering.stats._results import Results, as_results

# Published average ranks have often one decimal only.
_ROUNDING = 0.05


@runtime_checkable
class HasRanks(Protocol):
    """What already holds average ranks: the results of :func:`friedman` and :func:`compare`."""

    @property
    def average_ranks(self) -> pd.Series[float]: ...

    @property
    def n_datasets(self) -> int: ...


class RankSummary(NamedTuple):
    """Average ranks (1 = best) in the order of the columns, and over how many data sets."""

    average_ranks: pd.Series[float]
    n_datasets: int


def average_ranks(
    results: Any, *, greater_is_better: bool, methods: Sequence[str] | None = None
) -> pd.Series[float]:
    """Average rank of every method.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods)
        A row per data set, a column per method; infinite values are ranked like others.
    greater_is_better : bool
        Which values get rank 1.
    methods : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    Series of length n_methods
        In the order of the columns; equal values share the mean of their ranks.

    Examples
    --------
    >>> average_ranks([[0.9, 0.7, 0.7], [0.8, 0.9, 0.1]], greater_is_better=True).tolist()
    [1.5, 1.75, 2.75]
    """
    table = as_results(results, methods=methods)
    return averaged(rank_matrix(table, greater_is_better), table)


def rank_matrix(table: Results, greater_is_better: bool) -> NDArray[np.float64]:
    """Ranks within every row, mid-ranks on ties."""
    if not isinstance(greater_is_better, bool | np.bool_):
        raise TypeError(f"greater_is_better must be True or False, got {greater_is_better!r}")
    return np.asarray(rankdata(-table.values if greater_is_better else table.values, axis=1))


def averaged(ranks: NDArray[np.float64], table: Results) -> pd.Series[float]:
    return pd.Series(ranks.mean(axis=0), index=list(table.methods), name="average rank")


def as_rank_summary(
    results: Any, greater_is_better: bool | None, n_datasets: int | None, methods: Sequence[str] | None
) -> RankSummary:
    """Average ranks of a table, of a mapping from method to average rank, or of an earlier result."""
    if isinstance(results, HasRanks) and not isinstance(results, pd.DataFrame):
        _refuse(greater_is_better, n_datasets, methods, "an earlier result")
        return RankSummary(results.average_ranks, results.n_datasets)
    if isinstance(results, pd.Series | Mapping):
        _refuse(greater_is_better, None, methods, "average ranks")
        return _given(pd.Series(results, dtype=np.float64), n_datasets)
    _refuse(None, n_datasets, None, "a table")
    if greater_is_better is None:
        raise TypeError("greater_is_better must be given with a table of results: True or False")
    table = as_results(results, methods=methods)
    return RankSummary(averaged(rank_matrix(table, greater_is_better), table), len(table.datasets))


def _refuse(greater: bool | None, n_datasets: int | None, methods: Sequence[str] | None, what: str) -> None:
    given = {"greater_is_better": greater, "n_datasets": n_datasets, "methods": methods}
    if useless := [name for name, value in given.items() if value is not None]:
        raise ValueError(f"{useless[0]} cannot be given with {what}, which says it already")


def _given(ranks: pd.Series[float], n_datasets: int | None) -> RankSummary:
    n_methods = len(ranks)
    if n_datasets is None:
        raise ValueError("average ranks need n_datasets, the number of data sets they are averaged over")
    if n_datasets < 2 or int(n_datasets) != n_datasets:
        raise ValueError(f"n_datasets must be a whole number of at least 2, got {n_datasets}")
    if n_methods < 2:
        raise ValueError(f"average ranks must be of at least 2 methods, got {n_methods}")
    ranks.index = ranks.index.map(str)
    if not ranks.index.is_unique:
        raise ValueError(f"average ranks name {ranks.index[ranks.index.duplicated()][0]!r} more than once")
    expected = n_methods * (n_methods + 1) / 2
    inside = ranks.between(1 - _ROUNDING, n_methods + _ROUNDING).all()
    if not inside or abs(ranks.sum() - expected) > _ROUNDING * n_methods:
        raise ValueError(
            f"average ranks of {n_methods} methods lie from 1 to {n_methods} and sum to {expected:g}, "
            f"got {ranks.tolist()}"
        )
    return RankSummary(ranks.rename("average rank"), int(n_datasets))
