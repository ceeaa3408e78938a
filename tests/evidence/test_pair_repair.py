"""Repair of a partition towards pairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.evidence import pair_matrix, repair_pairs


def canonical(labels):
    return relabel_by_first_appearance(np.asarray(labels)[np.newaxis])[0]


def group_by_group(labels, S, constraints, hard=True, max_sweeps=8, keep=False):
    """The NumPy twin: votes of rows, added up by cluster."""
    start = canonical(labels)
    n, k = len(start), start.max() + 1
    Z = pair_matrix(constraints).toarray()
    volume = S.sum(axis=1)
    votes = S / np.where(volume > 0, volume, 1.0)[:, None] + (1.0 if hard else 0.3) * Z
    component = constraints.components() if hard else np.arange(n)
    groups = [np.flatnonzero(component == g) for g in range(component.max() + 1)]
    current = start.copy()
    for group in groups:
        current[group] = start[group[0]]
    for _ in range(max_sweeps):
        before = current.copy()
        for group in groups:
            outside = np.setdiff1d(np.arange(n), group)
            total = votes[np.ix_(group, outside)].sum(axis=0)
            score = np.bincount(current[outside], weights=total, minlength=k)
            score = score + 0.5 * np.bincount(start[group], minlength=k)
            own = best = current[group[0]]
            for c in range(k):
                if score[c] > score[best] + 1e-12:
                    best = c
            if keep and (current == own).sum() == len(group):
                continue
            current[group] = best
        if (current == before).all():
            break
    return canonical(current)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.booleans(), st.booleans(), st.integers(0, 8), st.integers(0, 9999))
def test_against_the_twin(n, hard, keep, max_sweeps, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(4, size=n)
    S = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.3), 1)
    S = S + S.T
    pairs = rng.integers(n, size=(8, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    n_must = rng.integers(len(pairs) + 1)
    constraints = PairwiseConstraints(pairs[:n_must], pairs[n_must:], n_samples=n)
    options = {"hard": hard, "max_sweeps": max_sweeps}
    found = repair_pairs(labels, sp.csr_array(S), constraints, keep_clusters=keep, **options)
    np.testing.assert_array_equal(found, group_by_group(labels, S, constraints, keep=keep, **options))
    if hard:
        assert constraints.satisfied(found)[0][0] == len(constraints.must_link)
    # Neither the numbers of the clusters nor the units of the similarities matter.
    renumbered = 3 * rng.permutation(4)[labels]
    np.testing.assert_array_equal(
        repair_pairs(renumbered, 4.0 * S, constraints, keep_clusters=keep, **options), found
    )


def two_blocks():
    S = np.kron(np.eye(2), np.ones((5, 5)))
    np.fill_diagonal(S, 0.0)
    return S, np.repeat([0, 1], 5)


def test_right_pairs_put_separable_data_right():
    rng = np.random.default_rng(2)
    centres = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
    truth = np.repeat(np.arange(3), 30)
    X = centres[truth] + rng.normal(size=(90, 2))
    S = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    np.fill_diagonal(S, 0.0)
    start = truth.copy()
    wrong = rng.random(90) < 0.2
    start[wrong] = rng.integers(3, size=wrong.sum())
    pairs = rng.integers(90, size=(60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    constraints = PairwiseConstraints(pairs[same], pairs[~same], n_samples=90)
    assert constraints.violation(start)[0] > 0
    for hard in (True, False):
        found = repair_pairs(start, S, constraints, hard=hard)
        assert constraints.violation(found)[0] == 0
        np.testing.assert_array_equal(found, canonical(truth))


def test_a_group_takes_the_cluster_of_its_lowest_sample_first():
    S = np.zeros((4, 4))
    constraints = PairwiseConstraints([(1, 2)], n_samples=4)
    # Nothing else speaks for either cluster: ½ each, and ties stay.
    assert repair_pairs([0, 1, 0, 0], S, constraints).tolist() == [0, 1, 1, 0]
    assert repair_pairs([0, 0, 1, 1], S, constraints).tolist() == [0, 0, 0, 1]


def test_a_must_link_inside_a_group_does_not_hold_it():
    S, truth = two_blocks()
    labels = truth.copy()
    labels[0] = 1
    # Sample 0 drags sample 1 along first; the neighbours then bring both back.
    found = repair_pairs(labels, S, PairwiseConstraints([(0, 1)], n_samples=10))
    np.testing.assert_array_equal(found, truth)


def test_soft_pairs_weigh_less_than_neighbours():
    S, truth = two_blocks()
    pairs = PairwiseConstraints([(0, 9)], n_samples=10)
    np.testing.assert_array_equal(repair_pairs(truth, S, pairs, hard=False), truth)
    joined = repair_pairs(truth, S, pairs)
    assert joined[0] == joined[9]


@pytest.mark.parametrize(
    ("own", "must", "cannot", "moves"),
    # ½ + own for staying against 1 - own + .3 (must-links - cannot-links).
    [(0.37, 1, 0, True), (0.41, 1, 0, False), (0.08, 0, 1, True), (0.12, 0, 1, False)],
)
def test_a_soft_pair_counts_three_tenths(own, must, cannot, moves):
    # Sample 0 has neighbours 1 and 3, of which 1 is in its cluster; the others hold each other.
    S = np.zeros((5, 5))
    S[0, 1], S[0, 3] = own, 1.0 - own
    S[1, 2] = S[3, 4] = 9.0
    pairs = PairwiseConstraints([(0, 4)] * must, [(0, 4)] * cannot, n_samples=5)
    found = repair_pairs([0, 0, 0, 1, 1], S + S.T, pairs, hard=False, max_sweeps=1)
    assert (found[0] == found[3]) == moves


def test_without_similarities_pairs_alone_decide():
    pairs = PairwiseConstraints([], [(0, 1)], n_samples=3)
    found = repair_pairs([0, 0, 1], np.zeros((3, 3)), pairs)
    # Sample 0 moves first: -1 + ½ for staying, 0 for the other cluster.
    assert found.tolist() == [0, 1, 0]


def test_clusters_can_be_kept():
    S = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    none = PairwiseConstraints(n_samples=3)
    assert repair_pairs([0, 1, 1], S, none).tolist() == [0, 0, 0]
    assert repair_pairs([0, 1, 1], S, none, keep_clusters=True).tolist() == [0, 1, 1]
    assert repair_pairs([0, 1, 1], S, none, max_sweeps=0).tolist() == [0, 1, 1]


def test_sums_of_signs_group_by_what_is_positive():
    constraints = PairwiseConstraints([(0, 1), (2, 3)], [(1, 2)], n_samples=4)
    S, labels = np.zeros((4, 4)), [0, 1, 1, 0]
    by_pairs = repair_pairs(labels, S, constraints)
    by_signs = repair_pairs(labels, S, pair_matrix(constraints))
    np.testing.assert_array_equal(by_pairs, by_signs)
    assert by_pairs.tolist() == [0, 0, 1, 1]


def test_inputs_are_left_alone():
    S, truth = two_blocks()
    Z = pair_matrix(PairwiseConstraints([(0, 9)], n_samples=10))
    labels, similarities, signs = truth.astype(np.int32), sp.csr_array(S), Z.copy()
    repair_pairs(labels, similarities, Z, hard=False)
    np.testing.assert_array_equal(labels, truth)
    np.testing.assert_array_equal(similarities.toarray(), S)
    np.testing.assert_array_equal(Z.toarray(), signs.toarray())


def test_refusals():
    pairs = PairwiseConstraints([(0, 1)], n_samples=3)
    with pytest.raises(ValueError, match="labels must be one partition"):
        repair_pairs([[0, 1, 1], [0, 0, 1]], np.zeros((3, 3)), pairs)
    with pytest.raises(ValueError, match="S must have shape"):
        repair_pairs([0, 1, 1], np.zeros((2, 2)), pairs)
    with pytest.raises(ValueError, match="S must hold"):
        repair_pairs([0, 1, 1], -np.ones((3, 3)), pairs)
    with pytest.raises(ValueError, match="about 3 samples, not 4"):
        repair_pairs([0, 1, 1, 0], np.zeros((4, 4)), pairs)
    with pytest.raises(ValueError, match="max_sweeps"):
        repair_pairs([0, 1, 1], np.zeros((3, 3)), pairs, max_sweeps=-1)
