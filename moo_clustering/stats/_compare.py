"""Everything about a table of results at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from moo_clustering.stats._cliques import cliques
from moo_clustering.stats._friedman import FriedmanResult, friedman
from moo_clustering.stats._pairs import checked_alpha
from moo_clustering.stats._posthoc import find_posthoc, holm, nemenyi
from moo_clustering.stats._ranks import averaged, rank_matrix
from moo_clustering.stats._results import as_results
from moo_clustering.stats._sentences import sentences
from moo_clustering.stats._shaffer import shaffer_static


@dataclass(frozen=True, eq=False)
class Comparison:
    """Outcome of :func:`compare`.

    Parameters
    ----------
    ranks : DataFrame of shape (n_datasets, n_methods)
        Rank of every method on every data set, 1 = best.
    average_ranks : Series
        In the order of the columns.
    friedman : FriedmanResult or None
        None with two methods, which the test does not take.
    shaffer, holm, nemenyi : DataFrame
        All pairs by each procedure, see :func:`shaffer_static`.
    posthoc : {"shaffer", "holm", "nemenyi"}
        The procedure that ``pairs``, ``groups`` and ``conclusions`` go by.
    alpha : float
    greater_is_better : bool
    n_datasets, n_methods : int
    """

    ranks: pd.DataFrame
    average_ranks: pd.Series[float]
    friedman: FriedmanResult | None
    shaffer: pd.DataFrame
    holm: pd.DataFrame
    nemenyi: pd.DataFrame
    posthoc: str
    alpha: float
    greater_is_better: bool
    n_datasets: int
    n_methods: int

    @property
    def pairs(self) -> pd.DataFrame:
        """All pairs by the chosen procedure, most different first."""
        table: pd.DataFrame = getattr(self, self.posthoc)
        return table

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Maximal groups of methods of which no two differ, see :func:`cliques`."""
        return cliques(self.pairs)

    @property
    def conclusions(self) -> list[str]:
        """What may be claimed, in sentences."""
        return sentences(self.friedman, self.pairs, self.groups, self.posthoc, self.alpha)


def compare(
    results: Any,
    *,
    greater_is_better: bool,
    alpha: float = 0.05,
    posthoc: str = "shaffer",
    tie_correction: bool = False,
    methods: Sequence[str] | None = None,
) -> Comparison:
    """Compare methods over data sets: ranks, Friedman's test, all pairs, and what may be claimed.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods)
        A row per data set, a column per method; repeated runs averaged.
    greater_is_better : bool
        Whether large values are good.
    alpha : float, default=0.05
        Level of significance.
    posthoc : {"shaffer", "holm", "nemenyi"}, default="shaffer"
        Procedure for the pairs; the tables of all three are in the result.
    tie_correction : bool, default=False
        See :func:`friedman`.
    methods : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        For fewer than two methods or data sets, repeated names, and cells without a number.

    Examples
    --------
    >>> scores = [[0.9, 0.5, 0.1], [0.8, 0.4, 0.2], [0.7, 0.6, 0.3], [0.9, 0.8, 0.7]]
    >>> outcome = compare(scores, greater_is_better=True, methods=["good", "fair", "poor"])
    >>> outcome.conclusions[-2]
    'good is better than poor (adjusted p = 0.0140).'
    """
    alpha = checked_alpha(alpha)
    find_posthoc(posthoc)
    table = as_results(results, methods=methods)
    ranks = rank_matrix(table, greater_is_better)
    average, n_datasets = averaged(ranks, table), len(table.datasets)
    test = None
    if len(table.methods) > 2:
        test = friedman(
            pd.DataFrame(table.values, table.datasets, table.methods),
            greater_is_better=greater_is_better, tie_correction=tie_correction,
        )  # fmt: skip
    return Comparison(
        ranks=pd.DataFrame(ranks, list(table.datasets), list(table.methods)),
        average_ranks=average,
        friedman=test,
        shaffer=shaffer_static(average, n_datasets=n_datasets, alpha=alpha),
        holm=holm(average, n_datasets=n_datasets, alpha=alpha),
        nemenyi=nemenyi(average, n_datasets=n_datasets, alpha=alpha),
        posthoc=posthoc,
        alpha=alpha,
        greater_is_better=bool(greater_is_better),
        n_datasets=n_datasets,
        n_methods=len(table.methods),
    )
