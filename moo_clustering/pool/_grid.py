"""Numbers of clusters for which candidates are made."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Range = Literal["auto"] | Iterable[int]

_AUTO = [*range(2, 21), *range(22, 41, 2)]
# However few samples there are, so many clusters are looked at.
LEAST_TOP = 6


def k_grid(n_samples: int, *, k_range: Range = "auto", n_clusters: int | None = None) -> NDArray[np.int64]:
    """Numbers of clusters for which candidates are made, ascending.

    Parameters
    ----------
    n_samples : int
    k_range : "auto" or iterable of int, default="auto"
        2 to 20 and the even numbers up to 40, at most max(6, the root of n_samples rounded up).
    n_clusters : int, optional
        A wanted number, added if it is missing. One cluster, or one for every sample, needs no
        candidates and adds nothing.

    Returns
    -------
    ks : ndarray of shape (n_numbers,), int64
        All from 2 to n_samples - 1; empty for fewer than three samples and ``k_range="auto"``.

    Raises
    ------
    ValueError, TypeError
        A number that is no whole number from 2 to n_samples - 1, or no number at all.

    References
    ----------
    ParetoClustering: agreement of algorithm families.

    Examples
    --------
    >>> from moo_clustering.pool import k_grid
    >>> k_grid(50, n_clusters=12)
    array([ 2,  3,  4,  5,  6,  7,  8, 12])
    """
    if isinstance(k_range, str):
        if k_range != "auto":
            raise ValueError(f"k_range must be 'auto' or whole numbers, got {k_range!r}.")
        top = max(LEAST_TOP, math.isqrt(max(n_samples - 1, 0)) + 1)
        ks = {k for k in _AUTO if k <= top and k < n_samples}
    else:
        ks = {_checked("k_range", k, 2, n_samples - 1) for k in _listed(k_range)}
        if not ks:
            raise ValueError("k_range must hold at least one number of clusters.")
    if n_clusters is not None:
        wanted = _checked("n_clusters", n_clusters, 1, n_samples)
        ks |= {wanted} if 2 <= wanted < n_samples else set()
    return np.array(sorted(ks), dtype=np.int64)


def _listed(k_range: Any) -> list[Any]:
    try:
        return list(k_range)
    except TypeError:
        raise TypeError(f"k_range must be 'auto' or whole numbers, got {k_range!r}.") from None


def _checked(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be made of whole numbers, got {value!r}.")
    if not least <= value <= most:
        raise ValueError(f"{name} must lie between {least} and {most} for these samples, got {value}.")
    return int(value)
