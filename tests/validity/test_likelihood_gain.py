"""Gain in likelihood of a Gaussian per cluster, by hand and against a naive twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from moo_clustering.validity import LikelihoodGain


def naive_gain(row, X, n_components=5):
    P = PCA(min(n_components, *X.shape), svd_solver="full").fit_transform(X)
    n, q = P.shape
    overall = P.var(axis=0)
    value = n / 2 * np.log(overall).sum()
    for c in range(row.max() + 1):
        members = P[row == c]
        size = len(members)
        variances = (((members - members.mean(axis=0)) ** 2).sum(axis=0) + overall / 2) / (size + 0.5)
        value += size * np.log(size / n) - size / 2 * np.log(variances).sum()
    return (value - np.log(n) / 2 * row.max() * (2 * q + 1)) / (n * q)


def test_by_hand():
    index = LikelihoodGain().fit([[0.0], [2.0], [10.0], [12.0]])
    fit = -2 * np.log((2 / 26 + 0.5) / 2.5)
    expected = (fit - 4 * np.log(2) - 1.5 * np.log(4)) / 4
    np.testing.assert_allclose(index.evaluate([[0, 0, 1, 1], [0, 0, 0, 0]]), [expected, 0.0], atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), d=st.sampled_from([1, 3, 8, 40]))
def test_equals_a_naive_twin(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, d)) * rng.uniform(0.5, 3, d)
    labels = np.array([rng.permutation(np.arange(25) % k) for k in (1, 2, 7, 25)])
    found = LikelihoodGain().fit(X).evaluate(labels)
    np.testing.assert_allclose(found, [naive_gain(row, X) for row in labels], atol=1e-10)
    # One unit for all features says nothing.
    for unit in (1e-100, 1e100):
        np.testing.assert_allclose(LikelihoodGain().fit(X * unit).evaluate(labels), found, atol=1e-9)


def test_clusters_gain_and_halves_of_one_do_not():
    rng = np.random.default_rng(0)
    two = np.concatenate([rng.normal(size=(100, 6)), rng.normal(4, 1, size=(100, 6))])
    halves = np.repeat([0, 1], 100)
    assert LikelihoodGain().fit(two).evaluate(halves)[0] > 0.1
    one = rng.normal(size=(200, 6))
    by_first = (one[:, 0] > 0).astype(int)
    assert (LikelihoodGain().fit(one).evaluate([by_first, halves]) < 0).all()


def test_components():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4)) * [9.0, 3.0, 2.0, 1.0]
    labels = rng.integers(0, 3, 60)
    found = LikelihoodGain(2).fit(X).evaluate(labels)
    np.testing.assert_allclose(found, naive_gain(labels, X, 2), atol=1e-10)
    # A copy of a feature adds no component.
    np.testing.assert_allclose(
        LikelihoodGain(9).fit(np.hstack([X, X])).evaluate(labels), naive_gain(labels, X), atol=1e-9
    )


@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)])
def test_bad_components(value, error):
    with pytest.raises(error, match="n_components must be"):
        LikelihoodGain(value).fit([[0.0], [1.0]])
