"""How far partitions satisfy what was known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.constraints._counting import satisfied_from_labels
from moo_clustering.constraints._pairwise import PairwiseConstraints


class SatisfiedPairs(NamedTuple):
    """Pairs of one kind: those that each partition satisfies, and all."""

    satisfied: NDArray[np.int64]
    n_pairs: int


def satisfied_pairs(
    partitions: ArrayLike, supervision: Mapping[str, Any]
) -> tuple[SatisfiedPairs, SatisfiedPairs]:
    """Must-links and cannot-links that each partition satisfies.

    Parameters
    ----------
    partitions : array-like of shape (n_solutions, n_samples)
    supervision : mapping
        ``must_link``, ``cannot_link`` and ``y`` (partial labels, whose pairs are counted but not
        listed), as ``fit`` takes them. A pair that follows from the labels counts once.
    """
    labels = np.asarray(partitions)
    y = np.asarray(-1 if supervision.get("y") is None else supervision["y"])
    if y.ndim != 1:  # label sets say of no pair that it belongs together
        y = np.full(labels.shape[1], -1)
    pairs = PairwiseConstraints(
        _not_in_labels(supervision.get("must_link"), y, same=True),
        _not_in_labels(supervision.get("cannot_link"), y, same=False),
        n_samples=labels.shape[1],
    )
    counts = [len(pairs.must_link), len(pairs.cannot_link)]
    satisfied: list[NDArray[Any]] = list(pairs.satisfied(labels))
    sizes = np.bincount(y[y >= 0])
    if len(sizes):
        n_labelled, together = int(sizes.sum()), int((sizes * (sizes - 1) // 2).sum())
        counts = [counts[0] + together, counts[1] + n_labelled * (n_labelled - 1) // 2 - together]
        by_labels = satisfied_from_labels(labels, y)
        satisfied = [pair + label for pair, label in zip(satisfied, by_labels, strict=True)]
    return SatisfiedPairs(satisfied[0], counts[0]), SatisfiedPairs(satisfied[1], counts[1])


def satisfied_shares(partitions: ArrayLike, supervision: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """Shares of the must-links and cannot-links that each partition satisfies.

    Parameters
    ----------
    partitions, supervision
        As for :func:`satisfied_pairs`.

    Returns
    -------
    dict of str to ndarray of shape (n_solutions,)
        ``must_link_satisfied`` and ``cannot_link_satisfied``, where there are such pairs.
    """
    return {
        f"{kind}_satisfied": found.satisfied / found.n_pairs
        for kind, found in zip(
            ("must_link", "cannot_link"), satisfied_pairs(partitions, supervision), strict=True
        )
        if found.n_pairs
    }


def _not_in_labels(pairs: ArrayLike | None, y: NDArray[Any], *, same: bool) -> NDArray[np.int64] | None:
    if pairs is None:
        return None
    given = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    i, j = y[given].T
    return given[~((i >= 0) & (j >= 0) & ((i == j) == same))]
