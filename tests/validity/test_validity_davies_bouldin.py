"""Davies-Bouldin against scikit-learn, and where the two differ on purpose."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import davies_bouldin_score

from moo_clustering.validity import DaviesBouldin


def naive(X, labels):
    names = sorted(set(labels))
    means = [X[labels == c].mean(axis=0) for c in names]
    spreads = [
        np.mean([np.linalg.norm(x - m) for x in X[labels == c]]) for c, m in zip(names, means, strict=True)
    ]
    worst = [
        max(
            (spreads[a] + spreads[b]) / np.linalg.norm(means[a] - means[b])
            for b in range(len(names))
            if b != a
        )
        for a in range(len(names))
    ]
    return np.mean(worst)


@pytest.mark.parametrize("seed", range(3))
def test_equals_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 5)) * [1, 10, 0.1, 3, 1] + 50
    labels = np.array([rng.permutation(np.arange(120) % k) for k in (2, 3, 7, 40, 90, 119)])
    found = DaviesBouldin().fit(X).evaluate(labels)
    # scikit-learn gives a singleton a spread of some 1e-7 in place of 0.
    np.testing.assert_allclose(found, [davies_bouldin_score(X, row) for row in labels], rtol=1e-6)
    np.testing.assert_allclose(found, [naive(X, row) for row in labels], rtol=1e-9)


def test_unequal_cluster_sizes_by_hand():
    # means 1, 10, 30; mean distances 1, 0, 10; ratios 1/9, 10/20, 11/29
    x = np.array([[0.0], [2.0], [10.0], [20.0], [40.0]])
    ratios = [max(1 / 9, 11 / 29), max(1 / 9, 10 / 20), max(11 / 29, 10 / 20)]
    np.testing.assert_allclose(DaviesBouldin().fit(x).evaluate([0, 0, 1, 2, 2]), np.mean(ratios), rtol=1e-14)


def test_coinciding_means_look_bad_not_good():
    x = np.array([[0.0], [0.0], [4.0], [4.0]])
    # spreads 2 and 2, distance 0 floored at 1e-12 * sqrt(8)
    value = DaviesBouldin().fit(x).evaluate([0, 1, 0, 1])[0]
    np.testing.assert_allclose(value, 4 / (1e-12 * np.sqrt(8)), rtol=1e-12)
    assert davies_bouldin_score(x, [0, 1, 0, 1]) == 0.0


def test_two_singletons_at_the_same_place_add_nothing():
    x = np.array([[0.0], [0.0], [4.0], [6.0]])
    # singletons against {4, 6}: 1/5 each; {4, 6} against either: 1/5
    np.testing.assert_allclose(DaviesBouldin().fit(x).evaluate([0, 1, 2, 2]), 0.2)


def test_scale_does_not_matter():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 2)), np.arange(30) % 4
    expected = DaviesBouldin().fit(X).evaluate(labels)
    for factor in (1e-12, 1e9):
        np.testing.assert_allclose(DaviesBouldin().fit(X * factor).evaluate(labels), expected, rtol=1e-9)
