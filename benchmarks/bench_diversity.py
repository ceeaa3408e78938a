"""Diversity of a population by counts against the pairwise form."""

from __future__ import annotations

import numpy as np
from _harness import Row, compare

from moo_clustering.diversity import locus_counts, shared_choices


def pairwise(population: np.ndarray) -> np.ndarray:
    """Eq. 2 in NumPy, one row of the pair matrix at a time."""
    return np.array([(row != population).mean() for row in population])


def run() -> list[Row]:
    """N = 5000, 200 individuals."""
    ranks = np.random.default_rng(0).integers(0, 9, size=(200, 5000)).astype(np.uint8)
    by_counts = 1 - shared_choices(ranks, locus_counts(ranks, 9)) / ranks.size
    np.testing.assert_allclose(by_counts, pairwise(ranks), rtol=1e-12)
    return [
        compare(
            "diversity of 200 individuals, N = 5,000",
            lambda: shared_choices(ranks, locus_counts(ranks, 9)),
            "pairwise NumPy",
            lambda: pairwise(ranks),
            repeats=9,
        )
    ]
