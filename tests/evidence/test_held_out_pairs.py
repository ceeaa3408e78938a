"""Choice between affinities by held-out pairs."""

import numpy as np
import pytest

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.evidence import held_out_partition, propagate_pairs
from moo_clustering.evidence import pairs as module
from moo_clustering.graphs import spectral_cuts

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


def test_equal_seeds_give_equal_results():
    W = np.clip(blocks(TRUTH) * 0.3 + 0.2 * rng(3).random((30, 30)), 0, 1)
    W = (W + W.T) / 2
    first, second = (
        held_out_partition([(W, 0.7), (W**2, 0.9)], 4, pairs_of(TRUTH, 20), rng=rng(5)) for _ in range(2)
    )
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.violations, second.violations)


def test_landmarks_stand_for_their_samples():
    landmark_of = np.repeat(np.arange(30), 2)
    constraints = pairs_of(TRUTH[landmark_of], 60)
    affinities = [(blocks(np.arange(30) % 3), 0.7), (blocks(TRUTH), 0.9)]
    found = held_out_partition(affinities, 3, constraints, landmark_of=landmark_of, rng=rng())
    assert found.chosen == 1
    np.testing.assert_array_equal(found.labels, TRUTH)


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
        ({"affinities": []}, "affinities must hold"),
        ({"affinities": [(np.eye(30), 0.5), (np.eye(29), 0.5)]}, "of one size"),
        ({"affinities": [(np.eye(30), 1.0)]}, "alpha must be"),
        ({"affinities": [(np.eye(29), 0.5)]}, "about 30 samples, not 29"),
        ({"k": 31}, "k must be from 1"),
        ({"share": 1.0}, "share must be"),
    ],
)
def test_refusals(arguments, message):
    given = {"affinities": [(blocks(TRUTH), 0.5)], "k": 3, "constraints": pairs_of(TRUTH, 30)} | arguments
    with pytest.raises(ValueError, match=message):
        held_out_partition(**given, rng=rng())
