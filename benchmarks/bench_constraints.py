"""Counting satisfied constraints for a population."""

from __future__ import annotations

import numpy as np
from _harness import Row, compare

from moo_clustering.constraints import PairwiseConstraints, satisfied_from_labels


def run() -> list[Row]:
    """A million pairs, 100 individuals, N = 5,000; and the same pairs as labels of 1,415 samples."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 20, size=(100, 5000)).astype(np.int32)
    pairs = np.sort(rng.integers(0, 5000, size=(1_100_000, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)[:1_000_000]
    constraints = PairwiseConstraints(pairs, None, n_samples=5000)

    def fancy() -> np.ndarray:
        return np.array([(row[pairs[:, 0]] == row[pairs[:, 1]]).sum() for row in labels])

    np.testing.assert_array_equal(constraints.satisfied(labels)[0], fancy())
    known = np.full(5000, -1)
    known[rng.choice(5000, 1415, replace=False)] = rng.integers(0, 10, size=1415)
    listed = PairwiseConstraints.from_partial_labels(known)
    np.testing.assert_array_equal(satisfied_from_labels(labels, known)[0], listed.satisfied(labels)[0])
    return [
        compare(
            "1,000,000 must-links, 100 individuals, N = 5,000",
            lambda: constraints.satisfied(labels),
            "NumPy fancy indexing",
            fancy,
            repeats=5,
        ),
        compare(
            "1,415 labelled samples by contingency table, 100 individuals",
            lambda: satisfied_from_labels(labels, known),
            "their million pairs, NumPy fancy indexing",
            lambda: [
                (row[kind[:, 0]] == row[kind[:, 1]]).sum()
                for row in labels
                for kind in (listed.must_link, listed.cannot_link)
            ],
            repeats=5,
        ),
        compare(
            "1,415 labelled samples by contingency table, 100 individuals (compiled pairs)",
            lambda: satisfied_from_labels(labels, known),
            "their million pairs, compiled",
            lambda: listed.satisfied(labels),
            repeats=5,
        ),
    ]
