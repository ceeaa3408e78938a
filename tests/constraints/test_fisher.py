"""Feature weights from pairs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering import _arrays
from moo_clustering.constraints import PairwiseConstraints, fisher_weights


def naive(X, constraints, shrinkage):
    weights = []
    greatest = X.var(axis=0).max()
    for x in X.T:
        v = x.var()
        s, b = (
            np.average(
                [(x[i] - x[j]) ** 2 / 2 for i, j in pairs],
                weights=w,
            )
            for pairs, w in (
                (constraints.must_link, constraints.must_link_weights),
                (constraints.cannot_link, constraints.cannot_link_weights),
            )
        )
        keep = v > 1e-6 * greatest
        weights.append(max(b, 1e-12) / (((1 - shrinkage) * s + shrinkage * v) * v) if keep else 0.0)
    return weights


def test_worked_weights():
    # v = 25.25, s = 1/2, b = 50; the second feature separates no cannot-link.
    X = [[0, 0], [1, 9], [10, 0], [11, 9]]
    pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2), (1, 3)], n_samples=4)
    expected = 50 / ((0.8 * 0.5 + 0.2 * 25.25) * 25.25)
    assert_allclose(fisher_weights(X, pairs), [expected, 1e-12 / ((0.8 * 40.5 + 0.2 * 20.25) * 20.25)])
    assert_allclose(fisher_weights(X, pairs, shrinkage=1.0)[0], 50 / 25.25**2)
    assert_allclose(fisher_weights(X, pairs, shrinkage=0.0)[0], 50 / (0.5 * 25.25))


@given(seed=st.integers(0, 2**32 - 1), shrinkage=st.floats(0.01, 1.0))
@settings(max_examples=25, deadline=None)
def test_weights_are_the_definition_for_dense_and_sparse_features(seed, shrinkage):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(15, 4)).astype(float)
    X[:, 2] = 3.0
    pairs = rng.choice(15, size=(9, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    constraints = PairwiseConstraints(
        [(0, 1), *pairs[:3]], [(2, 3), *pairs[3:]], n_samples=15,
        must_link_weights=rng.random(1 + len(pairs[:3])) + 0.1,
    )  # fmt: skip
    expected = naive(X, constraints, shrinkage)
    assert_allclose(fisher_weights(X, constraints, shrinkage), expected, rtol=1e-9)
    assert_allclose(fisher_weights(scipy.sparse.csr_array(X), constraints, shrinkage), expected, rtol=1e-9)
    assert expected[2] == 0


def test_pairs_in_many_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    constraints = PairwiseConstraints.from_labels(rng.integers(0, 3, 20), 1.0)
    whole = fisher_weights(X, constraints)
    monkeypatch.setattr(_arrays, "BLOCK_ITEMS", 20)
    assert_allclose(fisher_weights(X, constraints), whole, rtol=1e-12)


@pytest.mark.parametrize("kind", ["must", "cannot"])
def test_one_kind_of_pairs_only_leaves_the_metric_alone(kind):
    pairs = [(0, 1)]
    constraints = PairwiseConstraints(
        pairs if kind == "must" else None, pairs if kind == "cannot" else None, n_samples=3
    )
    assert_array_equal(fisher_weights(np.eye(3), constraints), np.ones(3))


def test_features_that_agree_on_all_must_links_stay_finite_without_shrinkage():
    X = [[0, 0], [0, 1], [5, 0], [5, 3]]
    pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2)], n_samples=4)
    weights = fisher_weights(X, pairs, shrinkage=0.0)
    assert np.isfinite(weights).all()
    assert weights[0] > weights[1]


def test_classes_are_further_apart_under_the_weights():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 10))
    X[:, 3] += 4 * y
    constraints = PairwiseConstraints.from_labels(y, 0.2, scheme="docs", random_state=0)
    spread = fisher_weights(X, constraints) * X.var(axis=0)
    assert spread.argmax() == 3
    assert spread[3] > 2 * np.sort(spread)[-2]


def test_misuse():
    pairs = PairwiseConstraints([(0, 1)], [(0, 2)], n_samples=3)
    with pytest.raises(ValueError, match="shrinkage"):
        fisher_weights(np.eye(3), pairs, shrinkage=1.5)
    with pytest.raises(ValueError, match="3 samples, X has 4"):
        fisher_weights(np.eye(4), pairs)
    with pytest.raises(TypeError, match="PairwiseConstraints"):
        fisher_weights(np.eye(3), [(0, 1)])
