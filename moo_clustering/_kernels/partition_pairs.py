"""Loops over pairs of partitions: contingency tables, half of the genes that differ.

Rows q of two int32 arrays of shape (n_pairs, n_samples) are compared with each other.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def contingency_tables(reference, labels, tables):  # type: ignore[no-untyped-def]
    """tables[q, l, r] += number of samples with label l whose reference label is r."""
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            tables[q, labels[q, i], reference[q, i]] += 1


@njit(cache=True, nogil=True)
def half_of_differences(first, second, draws, chosen):  # type: ignore[no-untyped-def]
    """chosen[q] = a random half, rounded down, of the genes in which row q differs.

    Selection sampling: of the r genes still to come w are wanted, so the next is taken with
    probability w / r. ``draws`` are uniform on [0, 1), one for every gene.
    """
    for q in range(first.shape[0]):
        left = 0
        for i in range(first.shape[1]):
            left += first[q, i] != second[q, i]
        wanted = left // 2
        for i in range(first.shape[1]):
            chosen[q, i] = False
            if first[q, i] != second[q, i]:
                if draws[q, i] * left < wanted:
                    chosen[q, i] = True
                    wanted -= 1
                left -= 1
