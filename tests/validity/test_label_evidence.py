"""Evidence of labels: worked example, sequential predictions, invariances."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from moo_clustering import _arrays as arrays_module
from moo_clustering.validity import LabelEvidence, label_evidence

FOUR = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])


def naive(labels, counts, alpha, outcomes):
    value = 0.0
    for c in set(labels):
        table = counts[labels == c].sum(axis=0)
        value += lgamma(alpha) - lgamma(alpha + table.sum())
        value += sum(lgamma(alpha / outcomes + count) - lgamma(alpha / outcomes) for count in table)
    return value


def one_by_one(labels, classes, n_classes, alpha):
    """Chain rule: every label is predicted from those before it in its cluster."""
    value = 0.0
    for i, g in enumerate(classes):
        before = [classes[j] for j in range(i) if labels[j] == labels[i]]
        value += log((alpha / n_classes + before.count(g)) / (alpha + len(before)))
    return value


def random_case(rng):
    n, K = int(rng.integers(2, 30)), int(rng.integers(1, 5))
    counts = rng.integers(0, 4, (n, K)) * (rng.random((n, 1)) < 0.5)
    labels = np.array([np.unique(rng.integers(0, n, n), return_inverse=True)[1] for _ in range(6)])
    return labels, counts.astype(float)


def test_worked_example():
    labels = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 0, 1]]
    expected = [-1.7509374747078, -2.2617630984738, -2.7725887222398, -4.2076732475291, -4.9698132995760]
    np.testing.assert_allclose(label_evidence(labels, FOUR), expected, atol=1e-12)
    assert label_evidence([0, 1, 2, 3], FOUR)[0] == pytest.approx(-4 * log(2), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.5, 1.0, 3.7]), unnamed=st.booleans())
def test_equals_the_formula(seed, alpha, unnamed):
    labels, counts = random_case(np.random.default_rng(seed))
    found = label_evidence(labels, counts, alpha=alpha, unnamed=unnamed)
    outcomes = counts.shape[1] + unnamed
    expected = [naive(row, counts, alpha, outcomes) for row in labels]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)
    # One more class without a label is a column of zeros.
    if unnamed:
        wider = np.column_stack([counts, np.zeros(len(counts))])
        np.testing.assert_array_equal(label_evidence(labels, wider, alpha=alpha), found)


def test_equals_the_product_of_sequential_predictions():
    rng = np.random.default_rng(1)
    classes, labels = rng.integers(0, 3, 20).tolist(), rng.permutation(np.arange(20) % 4)
    expected = one_by_one(labels, classes, 3, 0.5)
    assert label_evidence(labels, np.eye(3)[classes])[0] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_invariances(seed):
    rng = np.random.default_rng(seed)
    labels, counts = random_case(rng)
    expected = label_evidence(labels, counts)
    renamed = np.array([rng.permutation(row.max() + 1)[row] for row in labels])
    np.testing.assert_allclose(label_evidence(renamed, counts), expected, atol=1e-11)
    order = rng.permutation(len(counts))
    np.testing.assert_allclose(label_evidence(labels[:, order], counts[order]), expected, atol=1e-11)
    np.testing.assert_allclose(
        label_evidence(labels, counts[:, rng.permutation(counts.shape[1])]), expected, atol=1e-11
    )


def test_samples_of_a_landmark_are_summed():
    counts = np.array([[1, 0], [1, 0], [0, 1], [0, 0], [0, 1]])
    landmark = np.array([0, 0, 1, 1, 2])
    summed = np.zeros((3, 2))
    np.add.at(summed, landmark, counts)
    labels = np.array([[0, 0, 1], [0, 1, 1], [0, 1, 2]])
    expected = label_evidence(labels[:, landmark], counts)
    np.testing.assert_allclose(label_evidence(labels, summed), expected, atol=1e-14)
    np.testing.assert_array_equal(label_evidence(labels, csr_array(summed)), label_evidence(labels, summed))


def test_a_cluster_without_labels_adds_exactly_nothing():
    counts = np.vstack([FOUR, np.zeros((3, 2))])
    found = label_evidence([[0, 0, 1, 1, 0, 1, 1], [0, 0, 1, 1, 2, 3, 4]], counts)
    np.testing.assert_array_equal(found, np.repeat(label_evidence([0, 0, 1, 1], FOUR), 2))
    np.testing.assert_array_equal(label_evidence([[0, 0], [0, 1]], np.zeros((2, 3))), [0.0, 0.0])


def test_one_class_says_nothing_unless_there_may_be_others():
    labels, counts = [[0, 0, 0, 0], [0, 1, 2, 3]], np.ones((4, 1))
    np.testing.assert_array_equal(label_evidence(labels, counts), [0.0, 0.0])
    together, apart = label_evidence(labels, counts, unnamed=True)
    assert together > apart == pytest.approx(-4 * log(2))


def test_population_equals_one_by_one_in_any_blocks(monkeypatch):
    labels, counts = random_case(np.random.default_rng(7))
    index = LabelEvidence().fit(counts)
    together = index.evaluate(labels)
    monkeypatch.setattr(arrays_module, "BLOCK_ITEMS", 10)
    np.testing.assert_array_equal(index.evaluate(labels), together)
    assert index.evaluate(labels[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("options", "counts", "error", "message"),
    [
        ({"alpha": 0.0}, FOUR, ValueError, "alpha must be a positive finite number, got 0"),
        ({"alpha": "1"}, FOUR, TypeError, "alpha must be a positive number"),
        ({"unnamed": "yes"}, FOUR, ValueError, "unnamed must be one of True, False"),
        ({}, -FOUR, ValueError, "counts must be non-negative, got -1"),
        ({}, [1, 0, 1], ValueError, "2D"),
        ({}, [[np.nan, 1.0]], ValueError, "NaN"),
    ],
)
def test_bad_input_is_refused(options, counts, error, message):
    with pytest.raises(error, match=message):
        LabelEvidence(**options).fit(counts)
