"""Pairs propagated, held out and repaired."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.evidence import (
    cross_validated_partition,
    held_out_partition,
    pair_matrix,
    propagate_pairs,
    repair_pairs,
)
from moo_clustering.evidence import pairs as module
from moo_clustering.graphs import spectral_cuts


def affinity(n, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5))
    return np.maximum(W, W.T) + 0.01 * (1 - np.eye(n))


def entry_by_entry(W, Z, alpha):
    n = len(W)
    d = W.sum(axis=1)
    R = np.linalg.inv(np.eye(n) - alpha * W / np.sqrt(np.outer(d, d)))
    F = R @ Z @ R
    if np.abs(F).max() > 0:
        F = F / np.abs(F).max()
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            if F[i, j] >= 0:
                out[i, j] = 1 - (1 - F[i, j]) * (1 - W[i, j]) + 1e-9
            else:
                out[i, j] = (1 + F[i, j]) * W[i, j] + 1e-9
    return out


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.floats(0.0, 0.95), st.integers(0, 999))
def test_entry_by_entry(n, alpha, seed):
    rng = np.random.default_rng(seed)
    W = affinity(n, seed)
    pairs = rng.integers(n, size=(6, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    constraints = PairwiseConstraints(pairs[::2], pairs[1::2], n_samples=n)
    Z = np.zeros((n, n))
    for i, j in constraints.must_link:
        Z[i, j] += 1
        Z[j, i] += 1
    for i, j in constraints.cannot_link:
        Z[i, j] -= 1
        Z[j, i] -= 1
    np.testing.assert_array_equal(pair_matrix(constraints).toarray(), Z)
    found = propagate_pairs(W, constraints, alpha=alpha)
    np.testing.assert_allclose(found, entry_by_entry(W, Z, alpha), atol=1e-9)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(propagate_pairs(sp.csr_array(W), Z, alpha=alpha), found)
    # Order of samples doesn't matter.
    order = rng.permutation(n)
    moved = propagate_pairs(W[np.ix_(order, order)], Z[np.ix_(order, order)], alpha=alpha)
    np.testing.assert_allclose(moved, found[np.ix_(order, order)], atol=1e-9)


def test_without_pairs_nothing_changes():
    W = affinity(5, 0)
    given_similarities = W.copy()
    found = propagate_pairs(W, PairwiseConstraints(n_samples=5), alpha=0.9)
    np.testing.assert_array_equal(found, W + 1e-9)
    np.testing.assert_array_equal(W, given_similarities)


def test_one_cannot_link_separates_what_the_graph_leaves_open():
    # A ring of two chains: only the pairs say which of its cuts is meant.
    n = 12
    W = np.zeros((n, n))
    ring = np.arange(n)
    W[ring, (ring + 1) % n] = W[(ring + 1) % n, ring] = 0.8
    truth = (ring >= n // 2).astype(int)
    constraints = PairwiseConstraints([(0, 5), (6, 11)], [(0, 11), (5, 6)], n_samples=n)
    changed = propagate_pairs(W, constraints, alpha=0.9)
    found = spectral_cuts(changed, [2], rng=np.random.default_rng(0))[0]
    np.testing.assert_array_equal(found, truth)


def test_pairs_of_the_same_samples_add_up():
    constraints = PairwiseConstraints([(0, 2), (1, 3), (0, 1)], [(1, 2), (3, 1)], n_samples=4)
    Z = pair_matrix(constraints).toarray()
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = expected[0, 2] = expected[2, 0] = 1.0
    expected[1, 2] = expected[2, 1] = -1.0
    np.testing.assert_array_equal(Z, expected)
    assert pair_matrix(constraints).nnz == 6


def test_weights_are_the_sizes_of_the_signs():
    constraints = PairwiseConstraints(
        [(0, 1)], [(1, 2)], n_samples=3, must_link_weights=[2.0], cannot_link_weights=[0.5]
    )
    np.testing.assert_array_equal(pair_matrix(constraints).toarray(), [[0, 2, 0], [2, 0, -0.5], [0, -0.5, 0]])


def test_propagation_refuses():
    W, constraints = affinity(4, 0), PairwiseConstraints([(0, 1)], n_samples=4)
    for alpha in (1.0, -0.5):
        with pytest.raises(ValueError, match="alpha must be"):
            propagate_pairs(W, constraints, alpha=alpha)
    with pytest.raises(ValueError, match="for 5 samples, got 4"):
        propagate_pairs(affinity(5, 0), constraints, alpha=0.5)
    with pytest.raises(ValueError, match="must be a matrix of shape"):
        propagate_pairs(W, np.zeros((3, 3)), alpha=0.5)
    with pytest.raises(ValueError, match="symmetric"):
        propagate_pairs(W, np.triu(np.ones((4, 4))), alpha=0.5)
    with pytest.raises(ValueError, match="W must be a square matrix of similarities"):
        propagate_pairs(W[:3], constraints, alpha=0.5)


TRUTH = np.repeat(np.arange(3), 10)


def rng(seed=0):
    return np.random.default_rng(seed)


def blocks(labels):
    return (np.asarray(labels)[:, None] == labels).astype(float)


def pairs_of(truth, n_pairs, seed=1):
    pairs = rng(seed).integers(len(truth), size=(n_pairs, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return PairwiseConstraints(pairs[same], pairs[~same], n_samples=len(truth))


def test_the_affinity_that_predicts_pairs_is_chosen():
    wrong = np.arange(30) % 3
    affinities = [(blocks(wrong), 0.7), (blocks(TRUTH), 0.9)]
    found = held_out_partition(affinities, 3, pairs_of(TRUTH, 90), rng=rng())
    assert found.chosen == 1
    assert found.violations[1] == 0 < found.violations[0]
    np.testing.assert_array_equal(found.labels, TRUTH)
    assert found.labels.dtype == np.int32


def test_equal_affinities_leave_the_first():
    found = held_out_partition(
        [(blocks(TRUTH), 0.7), (blocks(TRUTH), 0.7)], 3, pairs_of(TRUTH, 30), rng=rng()
    )
    assert found.chosen == 0
    assert found.violations.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n_pairs", [0, 3])
def test_few_pairs_choose_nothing(n_pairs):
    constraints = PairwiseConstraints([(0, 1), (1, 2), (2, 3)][:n_pairs], n_samples=30)
    found = held_out_partition(
        [(blocks(np.arange(30) % 3), 0.7), (blocks(TRUTH), 0.9)], 3, constraints, rng=rng()
    )
    assert found.chosen == 0
    assert np.isnan(found.violations).all()


@pytest.mark.parametrize(
    ("n_must", "n_cannot", "share", "held"), [(8, 12, 0.75, 5), (4, 0, 0.75, 1), (3, 2, 0.01, 4)]
)
def test_only_held_out_pairs_are_counted(monkeypatch, n_must, n_cannot, share, held):
    must, cannot = [(i, i + 1) for i in range(n_must)], [(i, i + 15) for i in range(n_cannot)]
    constraints = PairwiseConstraints(must, cannot, n_samples=30)
    seen = []

    def cut(S, ks, *, rng):
        seen.append(S)
        # One cluster violates all cannot-links, singletons all must-links.
        return np.zeros((1, 30), dtype=np.int32) if len(seen) == 1 else np.arange(30, dtype=np.int32)[None]

    monkeypatch.setattr(module, "spectral_cuts", cut)
    W = rng(8).random((30, 30))
    W = (W + W.T) / 2
    found = held_out_partition([(W, 0.5), (W, 0.5)], 3, constraints, share=share, rng=rng())
    assert found.violations.sum() == held
    # What is chosen by some pairs is made from all.
    np.testing.assert_array_equal(seen[2], propagate_pairs(W, constraints, alpha=0.5))
    assert not np.array_equal(seen[0], seen[2])
    np.testing.assert_array_equal(seen[0], seen[1])


def test_one_inverse_for_an_affinity(monkeypatch):
    calls = []
    diffusion = module.diffusion
    monkeypatch.setattr(module, "diffusion", lambda *args: calls.append(args) or diffusion(*args))
    held_out_partition([(blocks(TRUTH), 0.7), (blocks(TRUTH), 0.9)], 3, pairs_of(TRUTH, 30), rng=rng())
    assert len(calls) == 2


def test_an_inverse_that_is_known_is_taken():
    affinities = [(blocks(TRUTH), 0.7), (blocks(TRUTH) * 0.9, 0.9)]
    known = [(W, module.diffusion(W, alpha)) for W, alpha in affinities]
    constraints = pairs_of(TRUTH, 30)
    first, second = (held_out_partition(given, 3, constraints, rng=rng()) for given in (affinities, known))
    np.testing.assert_array_equal(first.labels, second.labels)
    with pytest.raises(ValueError, match="have the shape of W"):
        held_out_partition([(blocks(TRUTH), np.eye(3))], 3, constraints, rng=rng())


def test_equal_seeds_give_equal_results():
    W = np.clip(blocks(TRUTH) * 0.3 + 0.2 * rng(3).random((30, 30)), 0, 1)
    W = (W + W.T) / 2
    first, second = (
        held_out_partition([(W, 0.7), (W**2, 0.9)], 4, pairs_of(TRUTH, 20), rng=rng(5)) for _ in range(2)
    )
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.violations, second.violations)


def test_held_out_weights_count(monkeypatch):
    constraints = PairwiseConstraints(
        [(i, i + 1) for i in range(8)], n_samples=30, must_link_weights=np.full(8, 2.5)
    )
    singletons = np.arange(30, dtype=np.int32)[None]
    monkeypatch.setattr(module, "spectral_cuts", lambda S, ks, *, rng: singletons)
    assert held_out_partition([(blocks(TRUTH), 0.5)], 3, constraints, rng=rng()).violations.tolist() == [5.0]


def test_one_affinity_is_its_propagation():
    constraints = pairs_of(TRUTH, 30)
    found = held_out_partition([(blocks(TRUTH), 0.9)], 3, constraints, rng=rng())
    changed = propagate_pairs(blocks(TRUTH), constraints, alpha=0.9)
    np.testing.assert_array_equal(found.labels, spectral_cuts(changed, [3], rng=rng())[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"affinities": []}, "affinities must contain"),
        ({"affinities": [(np.eye(30), 0.5), (np.eye(29), 0.5)]}, "the same size"),
        ({"affinities": [(np.eye(30), 1.0)]}, "alpha must be"),
        ({"affinities": [(np.eye(29), 0.5)]}, "for 29 samples, got 30"),
        ({"k": 31}, "k must be from 1"),
        ({"share": 1.0}, "share must be"),
    ],
)
def test_held_out_refuses(arguments, message):
    given = {"affinities": [(blocks(TRUTH), 0.5)], "k": 3, "constraints": pairs_of(TRUTH, 30)} | arguments
    with pytest.raises(ValueError, match=message):
        held_out_partition(**given, rng=rng())


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


def test_repair_refuses():
    pairs = PairwiseConstraints([(0, 1)], n_samples=3)
    with pytest.raises(ValueError, match="labels must be one partition"):
        repair_pairs([[0, 1, 1], [0, 0, 1]], np.zeros((3, 3)), pairs)
    with pytest.raises(ValueError, match="S must have shape"):
        repair_pairs([0, 1, 1], np.zeros((2, 2)), pairs)
    with pytest.raises(ValueError, match="S must"):
        repair_pairs([0, 1, 1], -np.ones((3, 3)), pairs)
    with pytest.raises(ValueError, match="for 4 samples, got 3"):
        repair_pairs([0, 1, 1, 0], np.zeros((4, 4)), pairs)
    with pytest.raises(ValueError, match="max_sweeps"):
        repair_pairs([0, 1, 1], np.zeros((3, 3)), pairs, max_sweeps=-1)


def blocks_with_pairs(n_blocks, size, n_pairs, seed=0):
    """Weakly separated blocks, and right pairs of their samples."""
    rng = np.random.default_rng(seed)
    n = n_blocks * size
    classes = np.repeat(np.arange(n_blocks), size)
    W = 0.05 * affinity(n, seed) + 0.3 * (classes[:, None] == classes)
    np.fill_diagonal(W, 0.0)
    pairs = np.unique(np.sort(rng.choice(n, size=(n_pairs, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    together = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return W, classes, PairwiseConstraints(pairs[together], pairs[~together], n_samples=n)


def test_pairs_tell_the_number_of_clusters():
    W, classes, pairs = blocks_with_pairs(4, 10, 60)
    found = cross_validated_partition(
        [(W, 0.5)], [2, 3, 4, 5, 6], pairs, bonus=np.zeros(5), rng=np.random.default_rng(0)
    )
    np.testing.assert_array_equal(found.labels, classes)
    assert found.violations.shape == (1, 5)
    assert found.violations[0].argmin() == 2


def test_a_bonus_counts_as_a_log_likelihood():
    W, _, pairs = blocks_with_pairs(4, 10, 60)
    rng = np.random.default_rng(0)
    violations = cross_validated_partition([(W, 0.5)], [3, 4], pairs, bonus=[0, 0], rng=rng).violations[0]
    price = 2.9 * (violations[0] - violations[1])
    for bonus, n_clusters in ((price - 0.1, 4), (price + 0.1, 3)):
        found = cross_validated_partition(
            [(W, 0.5)], [3, 4], pairs, bonus=[bonus, 0], rng=np.random.default_rng(0)
        )
        assert found.labels.max() + 1 == n_clusters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_folds": 1}, "n_folds must be from 2"),
        ({"n_folds": 500}, "n_folds must be from 2"),
        ({"bonus": [0.0]}, "one number per k"),
        ({"ks": []}, "must not be empty"),
    ],
)
def test_bad_cross_validation(options, message):
    W, _, pairs = blocks_with_pairs(2, 5, 12)
    arguments = {"ks": [2, 3], "bonus": [0.0, 0.0], "rng": np.random.default_rng(0)} | options
    with pytest.raises(ValueError, match=message):
        cross_validated_partition([(W, 0.5)], constraints=pairs, **arguments)
