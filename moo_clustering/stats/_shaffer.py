"""Shaffer's static procedure for all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from operator import or_
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.stats._pairs import adjusted_pairs


@cache
def possible_true_counts(n_methods: int) -> tuple[int, ...]:
    """How many pairs of methods can be equal at the same time, increasing.

    Equality is transitive: methods fall into groups of equals, and a group of j has j (j - 1) / 2 equal
    pairs, hence ``S(k) = {j (j - 1) / 2 + x : 1 <= j <= k, x in S(k - j)}`` with ``S(0) = {0}``.

    Examples
    --------
    >>> possible_true_counts(4)
    (0, 1, 2, 3, 6)
    """
    # Sets as bits of integers: adding j (j - 1) / 2 to all members is a shift.
    sets = [1]
    for k in range(1, n_methods + 1):
        sets.append(reduce(or_, (sets[k - j] << (j * (j - 1) // 2) for j in range(1, k + 1))))
    return tuple(count for count in range(n_methods * (n_methods - 1) // 2 + 1) if sets[-1] >> count & 1)


def shaffer_multipliers(n_methods: int) -> NDArray[np.int64]:
    """By what the i-th smallest p is multiplied: the most pairs equal if i - 1 pairs are not."""
    counts = np.array(possible_true_counts(n_methods))
    n_pairs = n_methods * (n_methods - 1) // 2
    return counts[np.searchsorted(counts, np.arange(n_pairs, 0, -1), side="right") - 1]


def shaffer_static(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    alpha: float = 0.05,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Which pairs of methods differ, by Shaffer's static procedure.

    More powerful than Holm's, because equality is transitive: if one pair of methods is known to
    differ, fewer others can be equal.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), Series, mapping or FriedmanResult
        A table, average ranks, or the result of :func:`friedman`.
    greater_is_better : bool
        Whether large values are good. Needed with a table only.
    alpha : float, default=0.05
        Level of the column ``significant``.
    n_datasets : int, optional
        Over how many data sets given ranks are averages.
    methods : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    DataFrame of n_methods (n_methods - 1) / 2 rows
        ``method_1`` (the better of the two), ``method_2``, ``z``, ``p_value``, ``p_adjusted`` and
        ``significant``, most different pairs first. :func:`pair_matrix` makes a square of it.

    Notes
    -----
    O(k^4) bit operations once for k methods, O(k^2 log k) for every table.

    References
    ----------
    .. [1] J. P. Shaffer, "Modified Sequentially Rejective Multiple Test Procedures", Journal of the
       American Statistical Association 81(395), 1986.
    .. [2] S. García, F. Herrera, "An Extension on 'Statistical Comparisons of Classifiers over Multiple
       Data Sets' for all Pairwise Comparisons", Journal of Machine Learning Research 9, 2008.

    Examples
    --------
    >>> ranks = {"C4.5": 2.100, "1-NN": 3.250, "NB": 2.200, "Kernel": 4.333, "CN2": 3.117}
    >>> int(shaffer_static(ranks, n_datasets=30)["significant"].sum())
    6
    """
    return adjusted_pairs(_step_down, results, greater_is_better, alpha, n_datasets, methods)


def _step_down(z: NDArray[np.float64], p: NDArray[np.float64], n_methods: int) -> NDArray[np.float64]:
    return np.minimum(1.0, np.maximum.accumulate(shaffer_multipliers(n_methods) * p))
