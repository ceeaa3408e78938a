"""Label sets that occur often enough to be classes, and what becomes of the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import block_slices


class PrunedSets(NamedTuple):
    """Samples as examples of frequent label sets.

    Attributes
    ----------
    rows : ndarray of shape (n_examples,)
        Samples in order, one several times if it stands for several subsets of its labels.
    codes : ndarray of shape (n_examples,)
        Rows of ``label_sets``.
    label_sets : ndarray of shape (n_sets, n_labels), int8
        The largest first, then the commonest, then those of the first labels.
    found : bool
        Whether any set was frequent; if not, all sets are taken.
    """

    rows: NDArray[np.intp]
    codes: NDArray[np.intp]
    label_sets: NDArray[np.int8]
    found: bool


def pruned_sets(indicators: NDArray[Any], min_count: int, n_subsets: int) -> PrunedSets:
    """Turn label sets into classes; rare ones into some of their frequent subsets.

    Parameters
    ----------
    indicators : ndarray of shape (n_samples, n_labels), 0 or 1
    min_count : int
        Samples that make a set frequent.
    n_subsets : int
        At most so many frequent proper subsets, not empty, stand for a rare set: the first in the order
        of ``label_sets``. Samples of rare sets without one are left out.

    Notes
    -----
    O(n_samples n_labels log n_samples + n_rare n_frequent n_labels) time.
    """
    sets, inverse, counts = np.unique(
        indicators.astype(np.int8), axis=0, return_inverse=True, return_counts=True
    )
    inverse = inverse.ravel()
    sizes = sets.sum(axis=1, dtype=np.intp)
    frequent = counts >= min_count
    found = bool(frequent.any())
    if not found:
        frequent[:] = True
    # unique sorts by the first label first, absent before present
    order = np.lexsort((-np.arange(len(sets)), -counts, -sizes))
    kept = order[frequent[order]]
    rare = np.flatnonzero(~frequent)
    choices = [np.zeros(0, dtype=np.intp)] * len(sets)
    for code, number in enumerate(kept):
        choices[number] = np.array([code])
    for number, subsets in zip(rare, _first_subsets(sets[kept], sets[rare], n_subsets), strict=True):
        choices[number] = subsets
    n_choices = np.array([len(choice) for choice in choices])
    examples = n_choices[inverse]
    rows = np.repeat(np.arange(len(inverse)), examples)
    codes = np.concatenate([np.zeros(0, dtype=np.intp), *(choices[number] for number in inverse)])
    return PrunedSets(rows, codes, sets[kept], found)


def _first_subsets(
    frequent: NDArray[np.int8], rare: NDArray[np.int8], n_subsets: int
) -> list[NDArray[np.intp]]:
    """For each rare set the first frequent ones within it, except the empty one, which denies its labels."""
    wide = frequent.astype(np.float32)
    usable = frequent.any(axis=1)
    subsets: list[NDArray[np.intp]] = []
    for block in block_slices(len(rare), len(frequent)):
        outside = (1 - rare[block]).astype(np.float32) @ wide.T
        inside = (outside == 0) & usable
        subsets.extend(np.flatnonzero(row)[:n_subsets] for row in inside)
    return subsets
