"""All pairs of methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from moo_clustering.stats._ranks import RankSummary, as_rank_summary

# Adjusted p-values of pairs in increasing order of p, from (z, p, number of methods).
Adjust = Callable[[NDArray[np.float64], NDArray[np.float64], int], NDArray[np.float64]]


def checked_alpha(alpha: float) -> float:
    if not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
    return float(alpha)


def pair_table(summary: RankSummary) -> pd.DataFrame:
    """z and unadjusted two-sided p of every pair, most different pairs first.

    ``method_1`` is the one with the better average rank, so that ``z`` is never negative.
    """
    ranks = summary.average_ranks.sort_values(kind="stable")
    k = len(ranks)
    first, second = np.triu_indices(k, 1)
    error = np.sqrt(k * (k + 1) / (6 * summary.n_datasets))
    z = (ranks.to_numpy()[second] - ranks.to_numpy()[first]) / error
    names = ranks.index.to_numpy()
    pairs = pd.DataFrame(
        {"method_1": names[first], "method_2": names[second], "z": z, "p_value": 2 * stats.norm.sf(z)}
    )
    # By z, because the p-values of very large z are all 0.
    return pairs.sort_values("z", ascending=False, kind="stable", ignore_index=True)


def adjusted_pairs(
    adjust: Adjust,
    results: Any,
    greater_is_better: bool | None,
    alpha: float,
    n_datasets: int | None,
    methods: Sequence[str] | None,
) -> pd.DataFrame:
    """The table of pairs with adjusted p-values and what is significant at ``alpha``."""
    alpha = checked_alpha(alpha)
    summary = as_rank_summary(results, greater_is_better, n_datasets, methods)
    pairs = pair_table(summary)
    n_methods = len(summary.average_ranks)
    pairs["p_adjusted"] = adjust(pairs["z"].to_numpy(), pairs["p_value"].to_numpy(), n_methods)
    pairs["significant"] = pairs["p_adjusted"] <= alpha
    return pairs


def pair_matrix(pairs: pd.DataFrame, column: str = "p_adjusted") -> pd.DataFrame:
    """Square view of a table of pairs.

    Parameters
    ----------
    pairs : DataFrame
        As :func:`shaffer_static`, :func:`holm` and :func:`nemenyi` return it.
    column : {"p_adjusted", "p_value", "z", "significant"}, default="p_adjusted"
        What is shown.

    Returns
    -------
    DataFrame of shape (n_methods, n_methods)
        Symmetric, methods from best to worst; the diagonal is what a method is to itself: p 1, z 0,
        not significant.
    """
    diagonal: dict[str, Any] = {"p_adjusted": 1.0, "p_value": 1.0, "z": 0.0, "significant": False}
    if column not in diagonal:
        raise ValueError(f"column must be one of {', '.join(diagonal)}, got {column!r}")
    # The better of two is first, so the best method is first in most pairs.
    wins = pairs["method_1"].value_counts()
    names = sorted(dict.fromkeys([*pairs["method_1"], *pairs["method_2"]]), key=lambda m: -wins.get(m, 0))
    square = pd.DataFrame(diagonal[column], index=names, columns=names)
    for pair in pairs.itertuples(index=False):
        square.loc[pair.method_1, pair.method_2] = getattr(pair, column)
        square.loc[pair.method_2, pair.method_1] = getattr(pair, column)
    return square
