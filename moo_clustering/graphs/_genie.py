"""Genie: single linkage that attaches the smallest clusters first while sizes are uneven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._kernels.genie import cut_labels, genie_order
from moo_clustering.graphs._search import round_distances
from moo_clustering.graphs._spectral_cuts import checked_counts


def genie_merges(links: ArrayLike, lengths: ArrayLike, *, threshold: float = 0.3) -> NDArray[np.intp]:
    """Order in which Genie merges along a minimum spanning tree.

    While the Gini index of the cluster sizes is at most ``threshold`` the shortest unused link is
    merged, otherwise the shortest unused link of a cluster of the least size.

    Parameters
    ----------
    links : array-like of shape (m - 1, 2)
        Links of a spanning tree of samples 0..m-1, for instance :meth:`SpanningTree.links`.
    lengths : array-like of shape (m - 1,)
        Lengths that agree to twelve digits are tied; the earlier link comes first.
    threshold : float, default=0.3
        From 0 to 1; 1 is single linkage.

    Returns
    -------
    ndarray of shape (m - 1,), intp
        Positions in ``links``.

    Raises
    ------
    ValueError
        Links that are no spanning tree, lengths that do not match or are not finite, or a threshold
        out of range.

    Notes
    -----
    O(m sqrt(m)) time at most, since so many sizes can differ at once; O(m) memory.

    References
    ----------
    Gagolewski, Bartoszuk and Cena, Genie: a new, fast, and outlier-resistant hierarchical clustering
    algorithm, Information Sciences 363, 2016.
    """
    joined, span = _checked_links(links, lengths)
    if not 0.0 <= threshold <= 1.0:
        raise ValueError(f"threshold must be from 0 to 1, got {threshold!r}.")
    by_length = np.argsort(round_distances(span), kind="stable")
    order = np.empty(len(span), dtype=np.int64)
    if not genie_order(joined[by_length], float(threshold), order):
        raise ValueError("links must form a spanning tree, but they hold a circle.")
    return by_length[order]


def genie_cuts(
    links: ArrayLike,
    lengths: ArrayLike,
    ks: Sequence[int] | NDArray[Any],
    *,
    threshold: float = 0.3,
) -> NDArray[np.int32]:
    """Partitions by Genie into each of several numbers of clusters.

    Parameters
    ----------
    links, lengths
        As in :func:`genie_merges`.
    ks : sequence of int
        Numbers of clusters, at least 1 each; m or more gives singletons.
    threshold : float, default=0.3
        As in :func:`genie_merges`.

    Returns
    -------
    ndarray of shape (len(ks), m), int32
        Clusters after m - k merges, numbered by first appearance.

    Notes
    -----
    O(m) for every k besides the merges.
    """
    wanted = checked_counts(ks)
    order = genie_merges(links, lengths, threshold=threshold)
    m = len(order) + 1
    n_merges = np.maximum(m - wanted, 0)
    few_first = np.argsort(n_merges, kind="stable")
    labels = np.empty((len(wanted), m), dtype=np.int32)
    cut_labels(_checked_links(links, lengths)[0], order, n_merges[few_first], labels)
    cuts = np.empty_like(labels)
    cuts[few_first] = labels
    return cuts


def _checked_links(links: ArrayLike, lengths: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    joined, span = np.asarray(links), np.asarray(lengths, dtype=np.float64)
    if span.ndim != 1 or joined.shape != (len(span), 2):
        raise ValueError(
            f"links and lengths must have shapes (m - 1, 2) and (m - 1,), got {joined.shape} and "
            f"{span.shape}."
        )
    if len(span) and joined.dtype.kind not in "iu":
        raise ValueError(f"links must be integers, got {joined.dtype}.")
    if len(span) and (joined.min() < 0 or joined.max() > len(span)):
        raise ValueError(f"links must join samples 0 to {len(span)}, got {joined.min()} to {joined.max()}.")
    if not np.isfinite(span).all() or (span < 0).any():
        raise ValueError("lengths must be finite and not negative.")
    return np.ascontiguousarray(joined, dtype=np.int64), span
