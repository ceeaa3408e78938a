"""Evidence of pairs: violated ones counted by hand and one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.validity import PairEvidence


def test_by_hand():
    pairs = PairwiseConstraints([(0, 1), (2, 3)], [(1, 2)], n_samples=4)
    labels = [[0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 3]]
    found = PairEvidence().fit(pairs).evaluate(labels)
    np.testing.assert_allclose(found, [0.0, -2.9, -8.7, -5.8], atol=1e-12)
    assert not np.signbit(found[0])
    np.testing.assert_array_equal(PairEvidence(penalty=2.0).fit(pairs).evaluate(labels), [0, -2, -6, -4])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), weighted=st.booleans())
def test_equals_counting_one_by_one(seed, weighted):
    rng = np.random.default_rng(seed)
    every = np.array([(i, j) for i in range(8) for j in range(i)])
    must, cannot = (every[rng.random(len(every)) < 0.4] for _ in range(2))
    weights = [
        rng.integers(1, 5, len(pairs)) if weighted else np.ones(len(pairs)) for pairs in (must, cannot)
    ]
    given_pairs = PairwiseConstraints(
        must, cannot, n_samples=8, must_link_weights=weights[0], cannot_link_weights=weights[1]
    )
    labels = np.array([np.unique(rng.integers(0, 4, 8), return_inverse=True)[1] for _ in range(5)])
    expected = [
        -2.9 * sum(w for (i, j), w in zip(must, weights[0], strict=True) if row[i] != row[j])
        - 2.9 * sum(w for (i, j), w in zip(cannot, weights[1], strict=True) if row[i] == row[j])
        for row in labels
    ]
    np.testing.assert_allclose(PairEvidence().fit(given_pairs).evaluate(labels), expected, atol=1e-10)


def test_no_pair_is_no_evidence():
    index = PairEvidence().fit(PairwiseConstraints(n_samples=3))
    np.testing.assert_array_equal(index.evaluate([[0, 0, 1], [0, 1, 2]]), [0.0, 0.0])


@pytest.mark.parametrize(
    ("penalty", "data", "error", "message"),
    [
        (2.9, np.zeros((4, 2)), TypeError, "requires PairwiseConstraints in fit, got ndarray"),
        (
            -1.0,
            PairwiseConstraints(n_samples=3),
            ValueError,
            "penalty must be a positive finite number",
        ),
        ("2", PairwiseConstraints(n_samples=3), TypeError, "penalty must be a positive number"),
    ],
)
def test_bad_input_is_refused(penalty, data, error, message):
    with pytest.raises(error, match=message):
        PairEvidence(penalty).fit(data)
