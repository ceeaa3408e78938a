"""Matched crossover, relocation and local search of centres."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pymoo.core.population import Population

from moo_clustering.operators import CenterMatchingCrossover, LocalSearchRepair, RelocateCenter
from moo_clustering.operators import centers as module
from moo_clustering.operators.centers import cheapest, drawn, match_centers, nearest_pairs, relocate
from moo_clustering.problems import SumOfSquaresProblem

SIX = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
A = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
B = np.array([[9.0, 1.0], [1.0, 9.0], [1.0, 0.0]])


def test_partners_by_hand():
    np.testing.assert_array_equal(nearest_pairs(A, B)[1], [2, 0, 1])
    np.testing.assert_allclose(((A - B[nearest_pairs(A, B)[1]]) ** 2).sum(axis=1), [1.0, 2.0, 2.0])


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 5).flatmap(
        lambda k: st.tuples(*[arrays(np.float64, (k, 2), elements=st.integers(-9, 9))] * 2)
    )
)
def test_partners_are_the_best_of_all_permutations(pair):
    a, b = pair
    partners = nearest_pairs(a, b)[1]
    assert sorted(partners) == list(range(len(a)))
    least = min(((a - b[list(order)]) ** 2).sum() for order in permutations(range(len(a))))
    assert ((a - b[partners]) ** 2).sum() == least


def test_either_parent_gives_each_centre_as_often():
    rng = np.random.default_rng(0)
    partners = B[nearest_pairs(A, B)[1]]
    sides = np.array([(match_centers(A, B, rng)[0] == A).all(axis=1) for _ in range(2000)])
    # Two hundred beyond the mean are nine standard deviations.
    assert (abs(sides.sum(axis=0) - 1000) < 200).all()
    # Independently of the others: each of eight children 250 times, within seven deviations.
    kinds = np.bincount(sides @ [1, 2, 4], minlength=8)
    assert (abs(kinds - 250) < 105).all()
    assert (partners != A).any(axis=1).all()


def children(a, b, rng, times=200):
    """Each as a set of centres."""
    made = [child for _ in range(times) for child in match_centers(a, b, rng)]
    return {frozenset(map(tuple, child.tolist())) for child in made}


def test_order_of_centres_means_nothing():
    rng = np.random.default_rng(0)
    expected = children(A, B, rng)
    assert len(expected) == 8
    order = [1, 2, 0]
    assert not np.array_equal(nearest_pairs(A, B[order])[1], nearest_pairs(A, B)[1])
    assert children(A, B[order], rng) == expected
    assert children(A[order], B, rng) == expected


def test_children_complement_each_other():
    first, second = match_centers(A, B, np.random.default_rng(4))
    both = np.sort(np.concatenate([first, second]), axis=0)
    np.testing.assert_array_equal(both, np.sort(np.concatenate([A, B]), axis=0))


def plane(seed=0):
    return SumOfSquaresProblem(np.random.default_rng(seed).random((40, 2)), 3)


@pytest.mark.parametrize("n_offsprings", [1, 2])
def test_crossover_leaves_parents_alone_and_hands_the_mix_on(n_offsprings):
    problem = plane()
    X = np.stack([A.ravel(), B.ravel()])
    pop = Population.new(X=X.copy())
    pop[0].set("mix", 0.05)
    pop[1].set("mix", 0.95)
    crossover = CenterMatchingCrossover(n_offsprings)
    mixes = []
    for seed in range(100):
        made = crossover.do(problem, pop, [[0, 1]], random_state=np.random.default_rng(seed))
        assert len(made) == n_offsprings
        for child in made:
            child.X[:] = 7.0
        mixes += [child.get("mix") for child in made]
        np.testing.assert_array_equal(pop.get("X"), X)
    mixes = np.array(mixes)
    assert ((mixes >= 0) & (mixes <= 0.25) | (mixes >= 0.75) & (mixes <= 1)).all()
    # A quarter of the steps from 0.05 go below 0: 0.15 / 0.4 of those from that parent.
    assert 0.05 < (mixes == 0).mean() < 0.35
    assert 0.05 < (mixes == 1).mean() < 0.35


def test_mix_of_parents_without_one_is_drawn():
    pop = Population.new(X=np.stack([A.ravel(), B.ravel()]))
    (child,) = CenterMatchingCrossover(1).do(plane(), pop, [[0, 1]], random_state=np.random.default_rng(0))
    assert 0.0 <= child.get("mix") <= 1.0


class Rigged:
    """A generator whose next numbers are given."""

    def __init__(self, randoms, integers):
        self.randoms, self.whole = list(randoms), list(integers)

    def random(self):
        return self.randoms.pop(0)

    def integers(self, high):
        return self.whole.pop(0)

    def permutation(self, high):
        return np.arange(high)


def test_relocation_by_hand(monkeypatch):
    problem = SumOfSquaresProblem(SIX, 3)
    weights = []

    def spy(values, otherwise, rng):
        weights.append(values)
        return drawn(values, otherwise, rng)

    monkeypatch.setattr(module, "drawn", spy)
    centers = np.array([[1.0], [10.0], [12.0]]) - 6.0
    # Not anywhere; a sample that does not matter; centre 12 goes; 0.5 is beyond .2 + .2, not .2 + .2 + .2.
    relocate(problem.encoding, centers, 0.0, Rigged([0.0, 0.5], [3, 2]))
    np.testing.assert_allclose(weights[0], [1, 0, 1, 0, 1, 2])
    np.testing.assert_allclose(weights[0] / weights[0].sum(), [0.2, 0, 0.2, 0, 0.2, 0.4])
    np.testing.assert_allclose(centers.ravel() + 6.0, [1.0, 10.0, 11.0])


def test_relocation_frequencies():
    problem = SumOfSquaresProblem(SIX, 3)
    rng = np.random.default_rng(0)
    centers = np.array([[1.0], [10.0], [12.0]]) - 6.0
    counts = np.zeros(6)
    for _ in range(6000):
        moved = centers.copy()
        relocate(problem.encoding, moved, 0.4, rng)
        if moved[0] == centers[0] and moved[1] == centers[1]:
            counts[np.flatnonzero(np.isclose(SIX[:, 0] - 6.0, moved[2, 0]))[0]] += 1
    # Moves of the third centre; those of others that put back the same are few: compare apart from 12.
    expected = 0.4 / 6 + 0.6 * np.array([0.2, 0, 0.2, 0, 0.2, 0.4])
    np.testing.assert_allclose(counts[:5] / counts[:5].sum(), expected[:5] / expected[:5].sum(), atol=0.04)


@pytest.mark.parametrize("mix", [0.0, 0.25, 1.0])
def test_exact_law_of_relocation(mix):
    """All outcomes of the generator, in equal steps: the third centre goes from 1, 10, 12."""
    problem = SumOfSquaresProblem(SIX, 3)
    chances = np.zeros(6)
    steps = (np.arange(20) + 0.5) / 20
    for coin in (np.arange(4) + 0.5) / 4:
        for place in range(6):
            for u in steps:
                centers = np.array([[1.0], [10.0], [12.0]]) - 6.0
                relocate(problem.encoding, centers, mix, Rigged([coin, u], [place, 2]))
                assert centers[:2].ravel().tolist() == [-5.0, 4.0]
                chances[SIX.ravel().tolist().index(centers[2, 0] + 6.0)] += 1 / (4 * 6 * 20)
    expected = mix / 6 + (1 - mix) * np.array([0.2, 0.0, 0.2, 0.0, 0.2, 0.4])
    np.testing.assert_allclose(chances, expected, atol=1e-12)


def test_exact_law_of_cheap_relocation():
    problem = SumOfSquaresProblem(SIX, 3)
    chances = np.zeros(6)
    for u in (np.arange(950) + 0.5) / 950:
        # Without 10 its one sample is 1.5 from 11.5; without 11.5 two are 1 and 2 from 10, not .5 and .5.
        centers = np.array([[1.0], [10.0], [11.5]]) - 6.0
        relocate(problem.encoding, centers, 0.0, Rigged([0.5, u], [0]), "cheap")
        assert centers[[0, 2]].ravel().tolist() == [-5.0, 5.5]
        chances[SIX.ravel().tolist().index(centers[1, 0] + 6.0)] += 1 / 950
    np.testing.assert_allclose(chances, np.array([1, 0, 1, 2.25, 0.25, 0.25]) / 4.75, atol=1e-12)


def test_every_centre_goes_as_often():
    problem = SumOfSquaresProblem(SIX, 6)
    start, rng = SIX - 6.0 + 0.25, np.random.default_rng(0)
    gone = np.zeros(6)
    for _ in range(600):
        centers = start.copy()
        relocate(problem.encoding, centers, 1.0, rng)
        gone += (centers != start).any(axis=1)
    assert gone.sum() == 600
    # 100 each, within seven standard deviations.
    assert (abs(gone - 100) < 65).all()


def test_any_sample_costs_no_distances():
    problem = SumOfSquaresProblem(SIX, 3)
    centers = np.array([[1.0], [10.0], [12.0]]) - 6.0
    relocate(problem.encoding, centers, 1.0, np.random.default_rng(0))
    assert problem.n_distances == 0


def test_copies_of_one_sample_are_drawn_uniformly():
    problem = SumOfSquaresProblem(np.zeros((5, 1)), 2)
    centers = np.zeros((2, 1))
    relocate(problem.encoding, centers, 0.0, np.random.default_rng(0))
    np.testing.assert_array_equal(centers, 0.0)
    assert drawn(np.zeros(3), 2, np.random.default_rng(0)) == 2


def test_single_centre():
    problem = SumOfSquaresProblem(SIX, 1)
    for removal in ("uniform", "cheap"):
        centers = np.array([[0.25]])
        relocate(problem.encoding, centers, 0.0, np.random.default_rng(0), removal)
        assert centers[0, 0] + 6.0 in SIX


def test_cheap_removal():
    problem = SumOfSquaresProblem(SIX, 3)
    # Losing 10.5 or 11.5 costs little, losing 1 much: all three are candidates, and 1 always stays.
    for seed in range(20):
        centers = np.array([[1.0], [10.5], [11.5]]) - 6.0
        relocate(problem.encoding, centers, 0.0, np.random.default_rng(seed), "cheap")
        assert centers[0, 0] == -5.0
        assert (np.isclose(centers[1:, 0], [4.5, 5.5])).sum() == 1
    losses = np.array([5.0, 1.0, 1.0, 1.0])
    assert cheapest(np.array([0, 1, 2, 2]), losses, np.array([0, 2, 1])) == 1
    assert cheapest(np.array([0, 1, 2, 2]), losses, np.array([2, 0])) == 2


def test_mutation_of_a_population():
    problem = plane()
    genes = problem.encoding.random(30, np.random.default_rng(0))
    pop = Population.new(X=genes.copy())
    mutated = RelocateCenter().do(problem, pop, inplace=False, random_state=np.random.default_rng(1))
    np.testing.assert_array_equal(pop.get("X"), genes)
    changed = (mutated.get("X") != genes).reshape(30, 3, 2).any(axis=2).sum(axis=1)
    assert changed.max() == 1
    assert changed.sum() > 20
    some = RelocateCenter(prob=0.3).do(problem, pop, inplace=False, random_state=np.random.default_rng(1))
    assert 0 < (some.get("X") != genes).any(axis=1).sum() < 20
    assert not np.shares_memory(RelocateCenter()._do(problem, genes), genes)


def test_mix_of_the_individual_counts():
    problem = plane()
    pop = Population.new(X=problem.encoding.random(4, np.random.default_rng(0)))
    used = problem.n_distances
    pop.set("mix", [1.0] * 4)
    RelocateCenter().do(problem, pop, random_state=np.random.default_rng(1))
    assert problem.n_distances == used
    RelocateCenter(mix=0.0).do(problem, pop, random_state=np.random.default_rng(1))
    assert problem.n_distances == used + 4 * 40 * 2


def test_local_search_writes_back():
    problem = SumOfSquaresProblem(SIX, 3)
    pop = Population.new(X=np.array([[0.0, 2.0, 11.0], [1.0, 10.0, 12.0]]) - 6.0)
    LocalSearchRepair().do(problem, pop)
    np.testing.assert_allclose(pop.get("X") + 6.0, [[0.5, 2.0, 11.0], [1.0, 10.5, 12.0]])
    assert len(LocalSearchRepair()._do(problem, np.empty((0, 3)))) == 0


def test_refusals():
    with pytest.raises(ValueError, match="n_offsprings"):
        CenterMatchingCrossover(3)
    with pytest.raises(ValueError, match="removal"):
        RelocateCenter("dear")
    with pytest.raises(ValueError, match="mix"):
        RelocateCenter(mix=1.5)
    with pytest.raises(TypeError, match="requires a SumOfSquaresProblem"):
        CenterMatchingCrossover()._do(object(), np.zeros((2, 1, 3)))
    with pytest.raises(TypeError, match="requires a SumOfSquaresProblem"):
        RelocateCenter()._do(object(), np.zeros((1, 3)))
    with pytest.raises(TypeError, match="improve"):
        LocalSearchRepair()._do(object(), np.zeros((1, 3)))
