"""Drawing constraints from gold labels, as the papers do."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints._checks import check_fraction
from moo_clustering.constraints._gold import Gold, as_gold
from moo_clustering.constraints._pairs import Pairs, distinct, n_pairs, unrank_pairs

Scheme = Literal["stratified", "pooled", "docs"]


def sample_constraints(
    y: Any, fraction: float, scheme: Scheme, rng: np.random.Generator, max_pairs: int
) -> tuple[int, Pairs, Pairs]:
    """Number of samples, must-links and cannot-links drawn from gold labels."""
    fraction = check_fraction(fraction)
    if scheme not in ("stratified", "pooled", "docs"):
        raise ValueError(f"scheme must be 'stratified', 'pooled' or 'docs', got {scheme!r}")
    gold = as_gold(y)
    if scheme == "stratified":
        n_must = gold.n_must
        n_cannot = n_pairs(gold.n_samples) - n_must
        take_must, take_cannot = _share(fraction, n_must), _share(fraction, n_cannot)
        check_affordable(take_must + take_cannot, max_pairs)
        must = gold.must_pairs(sample_ranks(n_must, take_must, rng))
        cannot = gold.cannot_pairs(sample_ranks(n_cannot, take_cannot, rng))
        return gold.n_samples, must, cannot
    pairs = _draw_mixed(gold, fraction, scheme, rng, max_pairs)
    together = gold.shared(pairs)
    return gold.n_samples, pairs[together], pairs[~together]


def _draw_mixed(
    gold: Gold, fraction: float, scheme: Scheme, rng: np.random.Generator, max_pairs: int
) -> Pairs:
    """Pairs of either kind: of all pairs, or all pairs among some of the samples."""
    n = gold.n_samples
    if scheme == "pooled":
        n_drawn = _share(fraction, n_pairs(n))
        check_affordable(n_drawn, max_pairs)
        return np.column_stack(unrank_pairs(sample_ranks(n_pairs(n), n_drawn, rng)))
    chosen = np.sort(rng.choice(n, size=min(n, max(2, _share(fraction, n))), replace=False))
    return pairs_among(chosen, max_pairs)


def pairs_among(samples: NDArray[np.int64], max_pairs: int) -> Pairs:
    """All pairs of the given samples."""
    check_affordable(n_pairs(len(samples)), max_pairs)
    return samples[np.column_stack(unrank_pairs(np.arange(n_pairs(len(samples)))))]


def check_affordable(n_listed: int, max_pairs: int) -> None:
    """Refuse to list more pairs than the caller has allowed."""
    if n_listed > max_pairs:
        raise ValueError(
            f"this would list {n_listed:,} pairs, more than max_pairs={max_pairs:,}; "
            "use ConstraintGroups (constraint_groups), which lists no pairs, or raise max_pairs"
        )


def _share(fraction: float, total: int) -> int:
    """ceil(fraction * total) of the fraction that was meant: 0.07 of 100 is 7, not 8."""
    meant = Fraction(fraction).limit_denominator(10**12)
    return max(min(1, total), math.ceil(meant * total))


def sample_ranks(total: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """``size`` different integers of 0..total-1, each set equally likely; O(size) memory."""
    if 2 * size >= total:
        return rng.permutation(total)[:size]
    ranks = np.empty(0, dtype=np.int64)
    while len(ranks) < size:
        # Every value is as good as every other, so any surplus may go at random.
        drawn = rng.integers(total, size=size - len(ranks) + 16)
        ranks = distinct(np.concatenate([ranks, drawn]))
    return rng.choice(ranks, size=size, replace=False)
