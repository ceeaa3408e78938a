"""Impurity of clusters and votes of their classes."""

import naive_subspace as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering._targets import partial_targets
from moo_clustering.subspace import SubspaceData, chi_square, class_shares, impurity, overall_shares, votes

SEEDS = st.integers(0, 10**6)


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, multilabel=st.booleans())
def test_aggregated_dispersion(seed, multilabel):
    """ADC, the sum of w_a w_b [classes of a and b differ] over pairs, is |L|^2 times the Gini index."""
    rng = np.random.default_rng(seed)
    n, T = 12, 3
    if multilabel:
        Y = (rng.random((n, T)) < 0.4).astype(int)
        targets = partial_targets(Y, n)
        differ = (Y[:, None] != Y[None]).sum(axis=2)
    else:
        y = rng.integers(0, T, n)
        targets = partial_targets(y, n)
        differ = y[:, None] != y[None]
    W = rng.dirichlet(np.ones(4), size=n)
    shares, sizes = class_shares(W, targets), W.sum(axis=0)
    adc = np.einsum("al,bl,ab->l", W, W, differ)
    entropies = []
    for row in shares:
        parts = np.concatenate([row, 1 - row]) if multilabel else row
        entropies.append(-(parts[parts > 0] * np.log(parts[parts > 0])).sum())
    found = impurity(shares, overall_shares(targets), sizes, n, multilabel, "none")
    assert_allclose(found, adc * entropies, rtol=1e-10, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, multilabel=st.booleans())
def test_shares_and_impurity_are_in_range(seed, multilabel):
    rng = np.random.default_rng(seed)
    n = 15
    y = (rng.random((n, 4)) < 0.3).astype(int) if multilabel else rng.integers(0, 4, n)
    y[rng.random(n) < 0.3] = -1
    targets = partial_targets(y, n)
    W = rng.dirichlet(np.full(3, 0.05), size=n)
    shares = class_shares(W, targets)
    assert ((shares >= 0) & (shares <= 1)).all()
    if not targets.labelled.any():
        return
    sizes, overall = W[targets.labelled].sum(axis=0), overall_shares(targets)
    n_labelled = targets.labelled.sum()
    mean = impurity(shares, overall, sizes, n_labelled, multilabel, "mean")
    assert (mean >= 0).all()
    expected = [naive.impurity(row, multilabel) for row in shares]
    whole = naive.impurity(overall, multilabel)
    assert_allclose(mean, np.array(expected) / whole if whole > 0 else 0.0, rtol=1e-9, atol=1e-12)
    count = impurity(shares, overall, sizes, n_labelled, multilabel, "count")
    assert_allclose(count, (sizes / n_labelled) ** 2 * mean)


def test_clusters_without_labelled_mass_have_the_shares_of_all():
    targets = partial_targets(np.array([0, 1, 1, -1]), 4)
    W = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert_allclose(class_shares(W, targets), [[1 / 3, 2 / 3], [1 / 3, 2 / 3]])


def test_impurity_without_labels_or_normalisation():
    shares, sizes = np.full((2, 3), 0.5), np.ones(2)
    assert_array_equal(impurity(shares, np.full(3, 0.5), sizes, 0, True, "mean"), 0.0)
    assert_array_equal(impurity(np.zeros((2, 0)), np.zeros(0), sizes, 0, False, "none"), 0.0)
    with pytest.raises(ValueError, match="normalisation must be"):
        impurity(shares, np.full(3, 0.5), sizes, 5, True, "median")


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, density=st.sampled_from([0.0, 0.1, 0.5, 0.95, 1.0]))
def test_chi_square_is_that_of_the_table(seed, density):
    rng = np.random.default_rng(seed)
    present = rng.random((14, 6)) < density
    W = rng.dirichlet(np.full(3, 0.3), size=14)
    a = SubspaceData.of(present.astype(float)).by_column(W)
    found = chi_square(a, W.sum(axis=0), present.sum(axis=0), 14, 14.0)
    expected = [[naive.chi_table(present[:, i], W[:, t]) for t in range(3)] for i in range(6)]
    assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    assert (found >= 0).all()
    constant = present.all(axis=0) | ~present.any(axis=0)
    assert_array_equal(found[constant], 0.0)


def test_chi_square_of_one_cluster_is_zero():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert_array_equal(chi_square(X.T @ np.ones((3, 1)), np.full(1, 3.0), X.sum(axis=0), 3, 3.0), 0.0)


SHARES = np.array([[1.0, 0.2], [0.5, 0.4], [0.0, 0.9]])
IMP = np.array([0.0, 1.0, 0.5])


def naive_votes(d, shares, imp, kappa, aggregation, f):
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
    assert_allclose(found, naive_votes(d, shares, imp, kappa, aggregation, 1.7), rtol=1e-12)
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
        ({"n_neighbors": 0}, "n_neighbors must be an integer from 1 to 3"),
        ({"n_neighbors": 4}, "n_neighbors"),
        ({"aggregation": "mean"}, "aggregation must be one of"),
        ({"fuzziness": 1.0}, "fuzziness"),
    ],
)
def test_out_of_range(change, message):
    with pytest.raises(ValueError, match=message):
        votes(np.ones((2, 3)), SHARES, IMP, **change)
