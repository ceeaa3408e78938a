"""Arguments that do not fit together, each refused before a kernel reads beyond an array."""

import numpy as np
import pytest

from moo_clustering._targets import partial_targets
from moo_clustering.subspace import (
    SubspaceData,
    SubspaceOptions,
    distances,
    entropy_weighted_kmeans,
    iterate,
    memberships_from_distances,
    sweep,
    votes,
)

X = (np.random.default_rng(0).random((12, 5)) < 0.3).astype(float)
DATA = SubspaceData.of(X)
TARGETS = partial_targets(None, 12)
OPTIONS = SubspaceOptions()
EVEN = np.full((12, 3), 1 / 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sweep(DATA, TARGETS, np.full((12, 2), np.nan), OPTIONS), "finite and non-negative, got nan"),
        (lambda: iterate(DATA, TARGETS, -EVEN, OPTIONS), "non-negative, got -0.333"),
        (
            lambda: sweep(DATA, TARGETS, np.eye(3)[[0] * 12], OPTIONS, centers=np.zeros((5, 2))),
            r"centers must have shape \(5, 3\), got \(5, 2\)",
        ),
        (lambda: distances(DATA, np.zeros((5, 2)), np.zeros((5, 3)), 5.0), r"\(5, 2\) and \(5, 3\)"),
        (lambda: distances(DATA, np.zeros(5), np.zeros(5), 5.0), "same shape"),
        (lambda: distances(DATA, np.zeros((4, 2)), np.zeros((4, 2)), 5.0), "centers must have .* got 4"),
        (lambda: memberships_from_distances(EVEN, np.zeros(2), OPTIONS), r"\(12, 3\) and \(2,\)"),
        (lambda: votes(EVEN, np.ones((2, 4)), np.zeros(3)), "per cluster"),
        (lambda: votes(EVEN, np.ones((3, 4)), np.zeros(2)), "per cluster"),
        (lambda: SubspaceOptions(fuzziness=1.0), "fuzziness must be a finite number above 1, got 1.0"),
        (
            lambda: SubspaceOptions(chi_weight=None),
            "chi_weight must be a finite non-negative number, got None",
        ),
        (lambda: SubspaceData.of(X, dtype="double precision"), "dtype must be one of 'float32', 'float64'"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_texts_are_no_numbers():
    with pytest.raises(TypeError, match="fuzziness must be a number above 1, got '2'"):
        SubspaceOptions(fuzziness="2")
    with pytest.raises(TypeError, match="n_neighbors must be an integer from 1 to 3, the number of clusters"):
        votes(EVEN, np.ones((3, 4)), np.zeros(3), n_neighbors="2")


@pytest.mark.parametrize(
    ("seeds", "message"), [([0.5, 1], "integers"), ([0, 12], "0 to 12"), ([1], "per cluster, 2 in all")]
)
def test_seeds_of_k_means_are_refused(seeds, message):
    with pytest.raises(ValueError, match=message):
        entropy_weighted_kmeans(DATA, 2, rng=np.random.default_rng(0), seeds=seeds)


def test_half_precision_is_taken():
    half = SubspaceData.of(X.astype(np.float16))
    assert half.is_binary
    np.testing.assert_array_equal(half.by_column(EVEN), DATA.by_column(EVEN))
