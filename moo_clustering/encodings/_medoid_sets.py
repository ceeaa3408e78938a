"""Rows of distinct sample ids padded with -1, changed for a whole population at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.encodings._base import IntArray
from moo_clustering.encodings._medoids import occurred_before

Ints = NDArray[np.int64]


def as_sets(X: IntArray) -> Ints:
    """Copy of a population as int64; pymoo hands genes out as floats."""
    return np.rint(X).astype(np.int64) if X.dtype.kind == "f" else X.astype(np.int64)


def set_sizes(sets: IntArray) -> Ints:
    """Number of ids in every row."""
    return np.asarray((sets >= 0).sum(axis=1), dtype=np.int64)


def first_distinct(candidates: IntArray, sizes: Any) -> Ints:
    """The first ``sizes`` distinct ids >= 0 of every row, in their order.

    Parameters
    ----------
    candidates : ndarray of shape (n_rows, n_candidates)
    sizes : int or ndarray of shape (n_rows,)

    Returns
    -------
    sets : ndarray of shape (n_rows, n_candidates), padded with -1

    Notes
    -----
    O(n_rows n_candidates log n_candidates).
    """
    kept = (candidates >= 0) & ~occurred_before(candidates)
    kept &= np.cumsum(kept, axis=1) <= np.reshape(sizes, (-1, 1))
    sets = np.where(kept, candidates, -1)
    return np.take_along_axis(sets, np.argsort(~kept, axis=1, kind="stable"), axis=1)


def random_absent(sets: IntArray, n_samples: int, rng: np.random.Generator) -> Ints:
    """One sample for every row, uniform over those not in it; rows must not hold all samples.

    The r-th absent id is r plus the number of present ids s_t, in ascending order, with s_t - t <= r.
    """
    rank = rng.integers(0, n_samples - set_sizes(sets))
    present = np.sort(np.where(sets < 0, 2 * n_samples + sets.shape[1], sets), axis=1)
    skipped = (present - np.arange(sets.shape[1]) <= rank[:, None]).sum(axis=1)
    return np.asarray(rank + skipped, dtype=np.int64)


def filled(sets: IntArray, k_min: int, n_samples: int, rng: np.random.Generator) -> IntArray:
    """Copy in which rows of fewer than ``k_min`` ids have random others at their end."""
    sets = sets.copy()
    while len(short := np.flatnonzero(set_sizes(sets) < k_min)):
        sets[short, set_sizes(sets[short])] = random_absent(sets[short], n_samples, rng)
    return sets
