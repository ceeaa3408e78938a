"""What is told of the classes: labels of a few samples, of some classes only, and pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints._pairs import unrank_pairs
from moo_clustering.constraints._sampling import sample_ranks

Ints = NDArray[np.int64]

# Part of the samples that is in no pair.
FREE_SHARE = 0.3


class PairDraw(NamedTuple):
    """Pairs of samples, and who is in none.

    Attributes
    ----------
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64
    free : ndarray of shape (n_samples,), bool
        Samples in no pair.
    """

    must_link: Ints
    cannot_link: Ints
    free: NDArray[np.bool_]


def draw_labels(classes: Ints, fraction: float, rng: np.random.Generator) -> Ints:
    """Classes of a fraction of every class, of one sample at least; -1 for the others and for noise."""
    return _drawn(classes, range(int(classes.max()) + 1), fraction, rng)


def draw_some_classes(classes: Ints, fraction: float, rng: np.random.Generator) -> Ints:
    """As :func:`draw_labels`, but half of the classes, rounded down, get no label.

    Labels are numbered 0, 1, ... without gaps, so that they do not tell how many are missing.
    """
    n_classes = int(classes.max()) + 1
    kept = np.sort(rng.permutation(n_classes)[n_classes // 2 :])
    y = _drawn(classes, kept.tolist(), fraction, rng)
    known = y >= 0
    y[known] = np.searchsorted(kept, y[known])
    return y


def _drawn(classes: Ints, of: range | list[int], fraction: float, rng: np.random.Generator) -> Ints:
    y = np.full(len(classes), -1, dtype=np.int64)
    for one in of:
        members = np.flatnonzero(classes == one)
        y[rng.choice(members, max(1, round(fraction * len(members))), replace=False)] = one
    return y


def draw_pairs(classes: Ints, amount: float, flipped: float, rng: np.random.Generator) -> PairDraw:
    """``amount`` n different pairs of 70 % of the samples with a class, ``flipped`` of them wrong."""
    scored = np.flatnonzero(classes >= 0)
    n_among = len(scored) - round(FREE_SHARE * len(scored))
    among = np.sort(rng.permutation(scored)[:n_among])
    total = n_among * (n_among - 1) // 2
    ranks = sample_ranks(total, min(total, round(amount * len(classes))), rng)
    pairs = among[np.column_stack(unrank_pairs(ranks))]
    together = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    wrong = rng.permutation(len(pairs))[: round(flipped * len(pairs))]
    together[wrong] = ~together[wrong]
    free = np.ones(len(classes), dtype=bool)
    free[pairs.ravel()] = False
    return PairDraw(pairs[together], pairs[~together], free)
