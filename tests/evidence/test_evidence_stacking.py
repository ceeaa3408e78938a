"""Classifiers of features that are weighed against another opinion by held-out labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from moo_clustering.evidence import ClassifierStack

RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1, 2], 40)
ROWS = RNG.normal(size=(120, 3)) + 2.5 * np.eye(3)[CODES]
TRUTH = np.eye(3)[CODES]
UNIFORM = np.full((120, 3), 1 / 3)


def opinion(table):
    return lambda known: table[~known]


def test_a_right_opinion_keeps_its_say():
    stack = ClassifierStack.fit(ROWS, CODES, 3, opinion(TRUTH))
    assert stack.weights[0] > 0.9
    assert_array_equal(stack.combine(TRUTH, ROWS).argmax(axis=1), CODES)


def test_an_empty_opinion_leaves_logistic_regression():
    stack = ClassifierStack.fit(ROWS, CODES, 3, opinion(UNIFORM))
    assert stack.weights.shape == (2,)
    found = stack.combine(UNIFORM, ROWS)
    assert_allclose(found.sum(axis=1), 1)
    scaled = (ROWS - stack.center) / stack.spread
    expected = LogisticRegression().fit(scaled, CODES).predict(scaled)
    assert_array_equal(found.argmax(axis=1), expected)


def test_a_product_of_powers():
    stack = ClassifierStack.fit(ROWS, CODES, 3, opinion(UNIFORM), gaussian=True, penalty=1.0)
    first = RNG.dirichlet(np.ones(3), size=120)
    scaled = (ROWS - stack.center) / stack.spread
    opinions = [first, *(classifier(scaled) for classifier in stack.classifiers)]
    product = np.prod(
        [(0.98 * P + 0.02 / 3) ** w for P, w in zip(opinions, stack.weights, strict=True)], axis=0
    )
    assert_allclose(stack.combine(first, ROWS), product / product.sum(axis=1, keepdims=True))


def test_a_greater_penalty_stays_nearer_to_the_opinion():
    weights = [
        ClassifierStack.fit(ROWS, CODES, 3, opinion(UNIFORM), penalty=penalty).weights[1]
        for penalty in (1.0, 20.0, 1e6)
    ]
    assert weights[0] > weights[1] > weights[2]
    assert weights[2] < 0.01


def test_neither_units_nor_order_of_rows_matter():
    stack = ClassifierStack.fit(ROWS, CODES, 3, opinion(UNIFORM), gaussian=True)
    order = RNG.permutation(120)
    other = ClassifierStack.fit(1e6 * ROWS[order] + 7, CODES[order], 3, opinion(UNIFORM), gaussian=True)
    assert_allclose(other.weights, stack.weights, atol=1e-3)
    assert_allclose(other.combine(UNIFORM, 1e6 * ROWS + 7), stack.combine(UNIFORM, ROWS), atol=1e-3)


@pytest.mark.parametrize("gaussian", [False, True])
def test_a_class_with_a_single_label_and_one_without_any(gaussian):
    known = np.r_[0:20, 40:60, 80]
    stack = ClassifierStack.fit(
        ROWS[known], CODES[known], 4, lambda held: np.full((np.sum(~held), 4), 0.25), gaussian=gaussian
    )
    found = stack.combine(np.full((120, 4), 0.25), ROWS)
    assert np.isfinite(found).all()
    assert (found.argmax(axis=1) < 3).all()


def test_many_labels():
    rng = np.random.default_rng(1)
    angles, codes = rng.uniform(0, 2 * np.pi, 2400), np.arange(2400) % 2
    rings = np.column_stack([np.cos(angles), np.sin(angles)]) * (1 + codes[:, None])
    stack = ClassifierStack.fit(
        rings, codes, 2, lambda known: np.full((np.sum(~known), 2), 0.5), gaussian=True, penalty=5.0
    )
    assert (stack.combine(np.full((2400, 2), 0.5), rings).argmax(axis=1) == codes).mean() > 0.99
