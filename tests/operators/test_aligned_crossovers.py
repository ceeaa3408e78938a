"""Crossovers of partitions: what changes sides, and that cluster numbers do not matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.core.duplicate import DefaultDuplicateElimination
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering.encodings import (
    align_labels,
    aligned_distance,
    hamming_distance,
    relabel_by_first_appearance,
)
from moo_clustering.operators import AlignedHUX, AlignedOnePoint, AlignedUniformCrossover, CanonicalRepair
from moo_clustering.operators import labels as module

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=30, deadline=None)
CROSSOVERS = [AlignedOnePoint, AlignedHUX, AlignedUniformCrossover]
every_crossover = pytest.mark.parametrize("crossover", CROSSOVERS)


def parents(seed, p=8):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(1, 5)), int(rng.integers(1, 20))
    return rng.integers(0, k, size=(2, p, n), dtype=np.int32), rng


def cross(crossover, X, seed=0):
    return crossover._do(None, X, random_state=np.random.default_rng(seed))


@every_crossover
@pytest.mark.parametrize("align", [True, False])
@given(seed=SEEDS)
@FEW
def test_children_are_made_of_genes_of_both_parents(crossover, align, seed):
    X, _ = parents(seed)
    before = X.copy()
    children = cross(crossover(align), X, seed)
    assert_array_equal(X, before)
    assert children.shape == X.shape
    assert children.dtype == X.dtype
    first, second = X[0], align_labels(X[0], X[1]) if align else X[1]
    straight = (children[0] == first) & (children[1] == second)
    swapped = (children[0] == second) & (children[1] == first)
    assert (straight | swapped).all()
    assert_array_equal(cross(crossover(align), X, seed), children)
    assert_array_equal(cross(crossover(align), X.astype(float), seed), children)


@every_crossover
@given(seed=SEEDS)
@FEW
def test_a_partition_crossed_with_itself_renumbered_is_itself(crossover, seed):
    (A, _), rng = parents(seed)
    X = np.stack([A, rng.permutation(A.max() + 2).astype(A.dtype)[A]])
    assert_array_equal(cross(crossover(), X, seed), np.stack([A, A]))


@every_crossover
@given(seed=SEEDS)
@FEW
def test_children_lie_between_their_parents(crossover, seed):
    X, _ = parents(seed)
    apart = aligned_distance(X[0], X[1])
    children = cross(crossover(), X, seed)
    for child in children:
        for parent in X:
            assert (aligned_distance(parent, child) <= apart).all()


@every_crossover
def test_without_alignment_renumbering_is_noise(crossover):
    A = np.random.default_rng(0).integers(0, 2, size=(1, 60))
    mixed = cross(crossover(align=False), np.stack([A, 1 - A]))
    assert (aligned_distance(np.tile(A, (2, 1)), mixed[:, 0]) > 0).all()


@pytest.mark.parametrize("align", [True, False])
@given(seed=SEEDS)
@FEW
def test_hux_exchanges_exactly_half_of_the_differences(align, seed):
    X, _ = parents(seed)
    children = cross(AlignedHUX(align), X, seed)
    second = align_labels(X[0], X[1]) if align else X[1]
    differing = hamming_distance(X[0], second)
    assert_array_equal(hamming_distance(X[0], children[0]), differing // 2)
    assert_array_equal(hamming_distance(second, children[1]), differing // 2)


def test_hux_in_blocks(monkeypatch):
    X = np.random.default_rng(0).integers(0, 3, size=(2, 9, 25))
    expected = cross(AlignedHUX(), X)
    monkeypatch.setattr(module, "BLOCK_DRAWS", 60)
    assert_array_equal(cross(AlignedHUX(), X), expected)


def test_one_point_cuts_are_uniform_and_inside():
    X = np.stack([np.zeros((4000, 5), int), np.ones((4000, 5), int)])
    children = cross(AlignedOnePoint(align=False), X)
    assert_array_equal(children[0], 1 - children[1])
    cuts = (children[0] == 0).sum(axis=1)
    assert_array_equal(children[0], np.arange(5) >= cuts[:, None])
    assert_allclose(np.bincount(cuts, minlength=6) / 4000, [0, 0.25, 0.25, 0.25, 0.25, 0], atol=0.03)


def test_uniform_crossover_tosses_fair_coins():
    X = np.stack([np.zeros((1000, 13), int), np.ones((1000, 13), int)])
    swapped = cross(AlignedUniformCrossover(align=False), X)[0]
    assert_allclose(swapped.mean(axis=0), 0.5, atol=0.06)
    assert_allclose(np.corrcoef(swapped.T), np.eye(13), atol=0.13)


@every_crossover
def test_samples_alone_and_pairs_none(crossover):
    alone = np.array([[[0]], [[1]]])
    assert_array_equal(cross(crossover(), alone), [[[0]], [[0]]])
    assert cross(crossover(), np.empty((2, 0, 5), int)).shape == (2, 0, 5)


@every_crossover
def test_in_pymoo(crossover):
    problem = Problem(n_var=30, n_obj=1, xl=0, xu=1, vtype=int)
    rng = np.random.default_rng(0)
    pop = Population.new(X=rng.integers(0, 2, size=(200, 30)))
    mates = np.arange(200).reshape(100, 2)
    off = crossover(prob=0.6)(problem, pop, mates, random_state=rng).get("X")
    assert off.shape == (200, 30)
    copies = (off == pop.get("X")[mates.T.ravel()]).all(axis=1).mean()
    assert 0.25 < copies < 0.55


@every_crossover
def test_misuse(crossover):
    with pytest.raises(TypeError, match="align"):
        crossover("yes")
    with pytest.raises(ValueError, match="integer genes"):
        cross(crossover(), np.full((2, 1, 3), 0.5))
    with pytest.raises(ValueError, match="negative"):
        cross(crossover(), np.full((2, 1, 3), -1))


# CanonicalRepair


@given(seed=SEEDS)
@FEW
def test_repair_numbers_by_first_appearance(seed):
    (A, B), _ = parents(seed)
    X = np.vstack([A, B])
    repaired = CanonicalRepair()._do(None, X.astype(float) + 0.2)
    assert_array_equal(repaired, relabel_by_first_appearance(X))
    assert repaired.dtype.kind == "i"
    assert (repaired.max(axis=1) <= X.max(axis=1)).all()


def test_repair_lets_pymoo_see_duplicates():
    X = np.array([[0, 1, 1, 2], [2, 0, 0, 1], [1, 1, 0, 2]])
    pop = Population.new(X=X)
    assert len(DefaultDuplicateElimination().do(pop)) == 3
    repaired = CanonicalRepair()(None, pop)
    assert_array_equal(repaired.get("X"), [[0, 1, 1, 2], [0, 1, 1, 2], [0, 0, 1, 2]])
    assert len(DefaultDuplicateElimination().do(repaired)) == 2
    assert CanonicalRepair().do(None, Population()).shape == (0,)
