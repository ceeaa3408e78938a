"""Counting pairs with equal labels, for a whole population at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

# The narrow counters below overflow after this many pairs.
_FLUSH = 255


@njit(cache=True, nogil=True)
def count_equal(
    labels: NDArray[np.integer[Any]], pairs: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Add to ``counts[q]`` the number of pairs whose two samples have equal labels.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_individuals), C-contiguous
        Sample-major, so that a pair reads two contiguous rows.
    pairs : ndarray of shape (n_pairs, 2)
    counts : ndarray of shape (n_individuals,)
        Changed in place.

    Notes
    -----
    O(n_pairs * n_individuals). One-byte counters keep the comparison loop at full vector width;
    they are emptied into ``counts`` before they can overflow.
    """
    n_individuals = labels.shape[1]
    narrow = np.zeros(n_individuals, dtype=np.uint8)
    for start in range(0, pairs.shape[0], _FLUSH):
        for t in range(start, min(start + _FLUSH, pairs.shape[0])):
            left = labels[pairs[t, 0]]
            right = labels[pairs[t, 1]]
            for q in range(n_individuals):
                narrow[q] += np.uint8(left[q] == right[q])
        for q in range(n_individuals):
            counts[q] += narrow[q]
            narrow[q] = 0


@njit(cache=True, nogil=True)
def weigh_equal(
    labels: NDArray[np.integer[Any]],
    pairs: NDArray[np.int64],
    weights: NDArray[np.float64],
    equal: NDArray[np.float64],
    different: NDArray[np.float64],
) -> None:
    """Add the weights of the pairs with equal and with different labels.

    Both sums are kept, not one and its complement: a sum over no pairs is then exactly zero.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_individuals), C-contiguous
    pairs : ndarray of shape (n_pairs, 2)
    weights : ndarray of shape (n_pairs,)
    equal, different : ndarray of shape (n_individuals,)
        Changed in place.
    """
    for t in range(pairs.shape[0]):
        left = labels[pairs[t, 0]]
        right = labels[pairs[t, 1]]
        weight = weights[t]
        for q in range(labels.shape[1]):
            if left[q] == right[q]:
                equal[q] += weight
            else:
                different[q] += weight


@njit(cache=True, nogil=True)
def count_equal_by_class(
    labels: NDArray[np.integer[Any]],
    boundaries: NDArray[np.int64],
    n_labels: int,
    within: NDArray[np.int64],
    total: NDArray[np.int64],
) -> None:
    """Pairs with equal labels, within the classes and altogether, without listing a pair.

    Parameters
    ----------
    labels : ndarray of shape (n_individuals, n_samples), C-contiguous
        Values 0..n_labels-1; samples sorted by class.
    boundaries : ndarray of shape (n_classes + 1,)
        Class g holds the samples ``boundaries[g]`` to ``boundaries[g + 1] - 1``.
    n_labels : int
    within, total : ndarray of shape (n_individuals,)
        Written in place.

    Notes
    -----
    The m-th sample of a cell closes m - 1 new pairs, so binomial coefficients add up on the way:
    O(n_individuals * n_samples) time, O(n_labels) memory.
    """
    n_classes = boundaries.shape[0] - 1
    in_class = np.zeros(n_labels, dtype=np.int64)
    in_all = np.zeros(n_labels, dtype=np.int64)
    for q in range(labels.shape[0]):
        row = labels[q]
        in_all[:] = 0
        n_within = 0
        n_total = 0
        for g in range(n_classes):
            first, last = boundaries[g], boundaries[g + 1]
            for i in range(first, last):
                c = row[i]
                n_within += in_class[c]
                in_class[c] += 1
                n_total += in_all[c]
                in_all[c] += 1
            for i in range(first, last):
                in_class[row[i]] = 0
        within[q] = n_within
        total[q] = n_total
