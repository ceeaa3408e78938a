"""Farthest instances of bags, from squared norms and products with bag means.

Instances are stored slot-major: every bag is cut into chunks of a few instances (the last one filled up
with copies), and ``squares[s, c]`` belongs to the s-th instance of chunk c. The maximum over the slots is
then an elementwise operation on long rows, which vector units do at once.
"""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.borrowed import borrowed

# No infinities or NaNs get here; sums of three terms may be fused, but are not reordered.
_FAST = {"nnan", "nsz", "contract"}


@borrowed()
def own_rows(labels, chunk_bag, projections, own, chunk_label):  # type: ignore[no-untyped-def]
    """own[s, c] = projections[cluster of the bag of chunk c, s, c]."""
    for c in range(chunk_bag.shape[0]):
        chunk_label[c] = labels[chunk_bag[c]]
    for s in range(own.shape[0]):
        for c in range(own.shape[1]):
            own[s, c] = projections[chunk_label[c], s, c]


@borrowed(fastmath=_FAST)
def chunk_maxima(squares, own, scale, best):  # type: ignore[no-untyped-def]
    """best[c] = max over s of squares[s, c] - scale[c] own[s, c]."""
    for c in range(squares.shape[1]):
        best[c] = squares[0, c] - scale[c] * own[0, c]
    for s in range(1, squares.shape[0]):
        for c in range(squares.shape[1]):
            value = squares[s, c] - scale[c] * own[s, c]
            best[c] = max(best[c], value)


@borrowed(fastmath=_FAST)
def cluster_maxima(squares, projection, scale, best):  # type: ignore[no-untyped-def]
    """best[c] = max over s of squares[s, c] - scale projection[s, c]."""
    for c in range(squares.shape[1]):
        best[c] = squares[0, c] - scale * projection[0, c]
    for s in range(1, squares.shape[0]):
        for c in range(squares.shape[1]):
            value = squares[s, c] - scale * projection[s, c]
            best[c] = max(best[c], value)


@borrowed(fastmath=_FAST)
def moved_chunk_maxima(squares, own, row, scale, pull, best):  # type: ignore[no-untyped-def]
    """best[c] = max over s of squares[s, c] - scale[c] own[s, c] - pull[c] row[s, c]."""
    for c in range(squares.shape[1]):
        best[c] = squares[0, c] - scale[c] * own[0, c] - pull[c] * row[0, c]
    for s in range(1, squares.shape[0]):
        for c in range(squares.shape[1]):
            value = squares[s, c] - scale[c] * own[s, c] - pull[c] * row[s, c]
            best[c] = max(best[c], value)


@borrowed()
def bag_maximum(best, chunk_start, bag):  # type: ignore[no-untyped-def]
    """Largest of the chunks of a bag."""
    farthest = best[chunk_start[bag]]
    for c in range(chunk_start[bag] + 1, chunk_start[bag + 1]):
        farthest = max(farthest, best[c])
    return farthest


@borrowed()
def above_rounding(square, arrays):  # type: ignore[no-untyped-def]
    """A squared distance, 0 where only rounding is left of it."""
    return square if square > arrays.rounding else 0.0


@borrowed()
def squared_radii(arrays, labels, projections, norms, masses, own, chunk_label, scale, best, out):  # type: ignore[no-untyped-def]
    """out[b] = squared distance of the farthest instance of bag b to the centroid of its cluster."""
    own_rows(labels, arrays.chunk_bag, projections, own, chunk_label)
    for c in range(chunk_label.shape[0]):
        scale[c] = 2.0 / masses[chunk_label[c]]
    chunk_maxima(arrays.squares, own, scale, best)
    for b in range(labels.shape[0]):
        farthest = bag_maximum(best, arrays.chunk_start, b)
        out[b] = above_rounding(farthest + norms[labels[b]], arrays)


@borrowed()
def squared_distances(arrays, projections, norms, masses, counts, best, out):  # type: ignore[no-untyped-def]
    """out[b, k] = squared distance of the farthest instance of bag b to centroid k; inf if k is empty."""
    for k in range(projections.shape[0]):
        if counts[k] == 0:
            out[:, k] = np.inf
            continue
        cluster_maxima(arrays.squares, projections[k], 2.0 / masses[k], best)
        for b in range(out.shape[0]):
            farthest = bag_maximum(best, arrays.chunk_start, b)
            out[b, k] = above_rounding(farthest + norms[k], arrays)
