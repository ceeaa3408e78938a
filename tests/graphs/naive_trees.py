"""Minimum spanning trees, ranks and priorities word for word, from all distances."""

from __future__ import annotations

import numpy as np


def links_by_kruskal(D, keys):
    """The tree of smallest total under the order (length, smaller key, larger key)."""
    n = len(D)
    every = [
        (round(float(D[i, j]), 9), min(keys[i], keys[j]), max(keys[i], keys[j]), i, j)
        for i in range(n)
        for j in range(i)
    ]
    group = list(range(n))
    tree = set()
    for *_, i, j in sorted(every):
        if group[i] != group[j]:
            old, new = group[i], group[j]
            group = [new if g == old else g for g in group]
            tree.add((j, i))
    return tree


def links_of(tree):
    """Pairs (smaller, larger) of samples."""
    return {(int(min(link)), int(max(link))) for link in tree.links()}


def naive_rank(D, keys, i, j):
    """Place of j among the others of i, from 1."""
    order = sorted(
        (h for h in range(len(D)) if h != i), key=lambda h: (round(float(D[i, h]), 9), int(keys[h]))
    )
    return 1 + order.index(j)


def hard_points(rng, n=None):
    """Points of one of the kinds that break shortcuts: far blobs, grids, duplicates, heavy tails."""
    n = int(rng.integers(1, 70)) if n is None else n
    d = int(rng.integers(1, 5))
    kind = rng.integers(6)
    if kind == 0:
        return rng.normal(size=(n, d))
    if kind == 1:
        return rng.normal(size=(n, d)) + 1e4 * rng.integers(0, 3, (n, 1))
    if kind == 2:
        return rng.integers(0, 4, (n, d)).astype(float)
    if kind == 3:
        return rng.integers(0, 3, (3, d))[rng.integers(0, 3, n)].astype(float)
    if kind == 4:
        return rng.integers(0, 5, (n, d)) / 3
    return np.exp(3 * rng.normal(size=(n, d)))
