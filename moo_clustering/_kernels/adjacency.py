"""Loops over partitions: components of locus graphs, numbering by first appearance."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def component_labels(links, parent, labels):  # type: ignore[no-untyped-def]
    """labels[q] = connected components of {i - links[q, i]}, numbered by first appearance.

    ``parent`` is room for n_samples numbers. Roots are the least sample of their component, so one
    ascending pass numbers the components in order of first appearance.
    """
    n = links.shape[1]
    for q in range(links.shape[0]):
        for i in range(n):
            parent[i] = i
        for i in range(n):
            a = np.int64(i)
            while parent[a] != a:
                parent[a] = parent[parent[a]]  # path halving
                a = parent[a]
            b = np.int64(links[q, i])
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = parent[b]
            if a < b:
                parent[b] = a
            else:
                parent[a] = b
        count = 0
        for i in range(n):
            root = np.int64(i)
            while parent[root] != root:
                parent[root] = parent[parent[root]]
                root = parent[root]
            if root == i:
                labels[q, i] = count
                count += 1
            else:
                labels[q, i] = labels[q, root]


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
