"""Scores from the shares of the nearest clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.subspace import votes

SHARES = np.array([[1.0, 0.2], [0.5, 0.4], [0.0, 0.9]])
IMP = np.array([0.0, 1.0, 0.5])


def naive(d, shares, imp, kappa, aggregation, f):
    out = np.zeros((len(d), shares.shape[1]))
    for j, row in enumerate(d):
        near = sorted(range(len(row)), key=lambda c: (row[c], c))[:kappa]
        zero = [c for c in near if row[c] == 0]
        if kappa == 1 or zero:
            out[j] = np.mean([shares[c] for c in (zero if kappa > 1 else near)], axis=0)
            continue
        w = [1 / row[c] for c in near]
        if aggregation == "membership":
            w = [(row[c] * (1 + imp[c])) ** (-1 / (f - 1)) for c in near]
        out[j] = sum(x * shares[c] for x, c in zip(w, near, strict=True))
        if aggregation != "sum":
            out[j] /= sum(w)
    return out


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 6),
    aggregation=st.sampled_from(["normalised", "sum", "membership"]),
    data=st.data(),
)
def test_as_the_formulas_say(seed, k, aggregation, data):
    """Small whole distances, so that ties and zeros are common."""
    kappa = data.draw(st.integers(1, k))
    rng = np.random.default_rng(seed)
    d, shares, imp = rng.integers(0, 5, (7, k)) * 1.0, rng.random((k, 3)), rng.random(k)
    found = votes(d, shares, imp, n_neighbors=kappa, aggregation=aggregation, fuzziness=1.7)
    assert_allclose(found, naive(d, shares, imp, kappa, aggregation, 1.7), rtol=1e-12)
    if kappa == k:
        assert_array_equal(found, votes(d, shares, imp, aggregation=aggregation, fuzziness=1.7))


def test_by_hand():
    d = np.array([[1.0, 2.0, 4.0]])
    assert_allclose(votes(d, SHARES, IMP), [[1.25 / 1.75, (0.2 + 0.2 + 0.225) / 1.75]])
    assert_allclose(votes(d, SHARES, IMP, aggregation="sum"), [[1.25, 0.625]])
    # (d (1 + Imp))^-2 = 1, 1/16, 1/36
    total = 1 + 1 / 16 + 1 / 36
    assert_allclose(
        votes(d, SHARES, IMP, aggregation="membership"),
        [[(1 + 0.5 / 16) / total, (0.2 + 0.4 / 16 + 0.9 / 36) / total]],
    )
    assert_allclose(votes(d, SHARES, IMP, n_neighbors=2), [[1.25 / 1.5, 0.4 / 1.5]])


def test_ties_go_to_the_smaller_index():
    d = np.array([[3.0, 3.0, 3.0], [4.0, 3.0, 3.0]])
    assert_array_equal(votes(d, SHARES, IMP, n_neighbors=1), SHARES[[0, 1]])
    assert_allclose(votes(d[:1], SHARES, IMP, n_neighbors=2), [[0.75, 0.3]])


@pytest.mark.parametrize("aggregation", ["normalised", "sum", "membership"])
def test_zero_and_tiny_distances(aggregation):
    d = np.array([[0.0, 5.0, 0.0], [5e-324, 1.0, 1.0], [1e300, 1e300, 1e300]])
    found = votes(d, SHARES, IMP, aggregation=aggregation)
    assert_allclose(found[0], [0.5, 0.55])
    assert np.isfinite(found).all()
    if aggregation != "sum":
        assert_allclose(found[1], SHARES[0])


def test_no_samples_and_no_classes():
    assert votes(np.zeros((0, 3)), SHARES, IMP).shape == (0, 2)
    assert votes(np.ones((4, 3)), np.zeros((3, 0)), IMP).shape == (4, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be from 1 to the 3"),
        ({"n_neighbors": 4}, "n_neighbors"),
        ({"aggregation": "mean"}, "aggregation must be one of"),
        ({"fuzziness": 1.0}, "fuzziness"),
    ],
)
def test_out_of_range(change, message):
    with pytest.raises(ValueError, match=message):
        votes(np.ones((2, 3)), SHARES, IMP, **change)
