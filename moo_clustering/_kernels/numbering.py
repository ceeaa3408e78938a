"""Numbering of clusters by first appearance."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def number_by_first_appearance(codes, number, labels):  # type: ignore[no-untyped-def]
    """labels[q, i] = how many other codes occur in row q before the first occurrence of codes[q, i].

    ``number`` is room for one entry per possible code, 0..len(number)-1.
    """
    for q in range(codes.shape[0]):
        for c in range(number.shape[0]):
            number[c] = -1
        count = 0
        for i in range(codes.shape[1]):
            c = codes[q, i]
            if number[c] < 0:
                number[c] = count
                count += 1
            labels[q, i] = number[c]
