"""Sampling, crossover, mutation and repair of medoid slots."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering.encodings import MedoidSlotEncoding
from moo_clustering.encodings.medoids import nearest_others
from moo_clustering.operators import EncodingSampling, SlotMutation, SlotOnePointCrossover
from moo_clustering.operators.medoids import slot_radius

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=30, deadline=None)


class Slots(Problem):
    def __init__(self, n=30, k_max=6, k_min=2, seed=0):
        H = np.random.default_rng(seed).random((n, n))  # not symmetric
        np.fill_diagonal(H, 0.0)
        self.encoding = MedoidSlotEncoding(H, k_max=k_max, k_min=k_min)
        xl, xu = self.encoding.bounds()
        super().__init__(n_var=k_max, n_obj=1, xl=xl, xu=xu, vtype=int)


def any_problem(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    k_max = int(rng.integers(1, n + 1))
    return Slots(n, k_max, int(rng.integers(1, k_max + 1)), seed), rng


def assert_legal(X, problem):
    encoding = problem.encoding
    assert X.dtype.kind == "i"
    assert_array_equal(encoding.repair(X), X)
    assert ((X >= 0).sum(axis=1) >= encoding.k_min).all()


@pytest.mark.parametrize("kind", ["index", "rank"])
@given(seed=SEEDS)
@FEW
def test_what_comes_out_is_legal(kind, seed):
    problem, rng = any_problem(seed)
    X = EncodingSampling()._do(problem, 20, random_state=rng)
    assert_legal(X, problem)
    before = X.copy()
    children = SlotOnePointCrossover()._do(problem, X.reshape(2, 10, -1).astype(float), random_state=rng)
    assert children.shape == (2, 10, problem.n_var)
    assert_legal(children.reshape(20, -1), problem)
    mutated = SlotMutation(kind, p_gene=1.0, reach=0.5)._do(problem, X.astype(float), random_state=rng)
    assert_legal(mutated, problem)
    assert_array_equal(X, before)


@given(seed=SEEDS)
@FEW
def test_children_have_a_head_and_a_tail(seed):
    problem = Slots(n=40, k_max=6, k_min=1)
    X = problem.encoding.random(20, np.random.default_rng(seed)).reshape(2, 10, 6)
    children = SlotOnePointCrossover()._do(problem, X, random_state=np.random.default_rng(seed))
    for a, b, c, d in zip(*X, *children, strict=True):
        options = [
            [
                problem.encoding.repair(np.concatenate([p[:cut], q[cut:]])[None])[0]
                for p, q in ((a, b), (b, a))
            ]
            for cut in range(1, 6)
        ]
        # Children of nothing but empty slots and duplicates are filled at random.
        agree = [
            all(
                np.array_equal(child, option) or (option >= 0).sum() == 1
                for child, option in zip((c, d), pair, strict=True)
            )
            for pair in options
        ]
        assert any(agree)


def test_crossing_copies_gives_copies():
    problem = Slots()
    X = problem.encoding.random(10, np.random.default_rng(0))
    children = SlotOnePointCrossover()._do(problem, np.stack([X, X]), random_state=np.random.default_rng(0))
    assert_array_equal(children, np.stack([X, X]))


def test_index_mutation_moves_within_reach():
    slots = np.tile([50, -1, 2, -1], (4000, 1))
    rng = np.random.default_rng(0)
    mutated = SlotMutation(reach=0.1)._do(Slots(100, 4, 1), slots, random_state=rng)
    assert (mutated[:, [1, 3]] == -1).all()
    shift = mutated[:, 0] - 50
    assert set(shift) == set(range(-10, 11))
    # 7 of 10 move, one in 21 of them on the spot.
    assert_allclose((shift != 0).mean(), 0.7 * 20 / 21, atol=0.03)
    # Clipped at zero: -10..-2 all lead there.
    assert set(mutated[:, 2]) == set(range(13))
    assert_allclose((mutated[:, 2] == 0).mean(), 0.7 * 9 / 21, atol=0.03)
    low = SlotMutation(p_gene=1)._do(Slots(100, 2, 1), np.array([[99, 0]] * 50), random_state=rng)
    assert 0 <= low.min() <= low.max() <= 99


@pytest.mark.parametrize(("reach", "n", "r"), [(0.25, 102, 25), (0.25, 3, 0), (0.29, 100, 29), (1.0, 7, 7)])
def test_radius(reach, n, r):
    assert slot_radius(reach, n) == r


def test_rank_mutation_moves_to_the_nearest():
    problem = Slots(30, k_max=3, k_min=1)
    neighbors = nearest_others(problem.encoding.distances, 7)
    slots = np.tile([-1, 11, -1], (3000, 1))
    rng = np.random.default_rng(0)
    mutated = SlotMutation("rank", p_gene=1.0, reach=0.25)._do(problem, slots, random_state=rng)
    assert (mutated[:, [0, 2]] == -1).all()
    counts = np.bincount(mutated[:, 1], minlength=30)
    assert set(np.flatnonzero(counts)) == set(neighbors[11])
    assert_allclose(counts[neighbors[11]] / 3000, 1 / 7, atol=0.03)
    # Row 11 of the distances, not the column.
    assert set(neighbors[11]) == set(np.argsort(problem.encoding.distances[11])[1:8])


def test_rank_mutation_of_pymoo_takes_its_reach_from_the_problem():
    problem = Slots(n=30)
    X = np.tile([11, -1, -1, -1, -1, 4], (500, 1))
    mutation = SlotMutation("rank", p_gene=1.0, reach=0.25)
    mutated = mutation._do(problem, X, random_state=np.random.default_rng(0))
    nearest = nearest_others(problem.encoding.distances, 7)
    assert set(mutated[:, 0]) == set(nearest[11])
    # Where 11 and 4 both became one sample, a random one took the first empty slot.
    apart = mutated[:, 5] >= 0
    assert set(mutated[apart, 5]) == set(nearest[4])
    shortest = SlotMutation("rank", p_gene=1.0, reach=0.0)
    mutated = shortest._do(problem, X, random_state=np.random.default_rng(0))
    assert (mutated[:, 0] == nearest[11, 0]).all()


def test_duplicates_left_by_mutation_are_emptied_or_replaced():
    slots = np.tile([1, 0, -1], (200, 1))
    rng = np.random.default_rng(0)
    # Sample 2 is the nearest of both medoids.
    distances = np.array(
        [[0, 2, 1, 2, 2], [2, 0, 1, 2, 2], [1, 2, 0, 2, 2], [1, 2, 2, 0, 2], [1, 2, 2, 2, 0]]
    )
    mutation = SlotMutation("rank", p_gene=1.0, reach=0.0)
    two, one = (
        SimpleNamespace(encoding=MedoidSlotEncoding(np.array(distances, dtype=float), 3, k_min))
        for k_min in (2, 1)
    )
    mutated = mutation._do(two, slots, random_state=rng)
    assert (mutated[:, [0, 2]] == [2, -1]).all()
    assert set(mutated[:, 1]) == {0, 1, 3, 4}
    alone = mutation._do(one, slots, random_state=rng)
    assert (alone == [2, -1, -1]).all()


def test_mutation_probability():
    problem = Slots(n=200)
    pop = Population.new(X=problem.encoding.random(600, np.random.default_rng(0)))
    before = pop.get("X").copy()
    mutation = SlotMutation(p_gene=1.0)
    after = mutation(problem, pop, random_state=np.random.default_rng(0)).get("X")
    assert_allclose((after != before).any(axis=1).mean(), 0.3, atol=0.06)
    assert (after[(after != before).any(axis=1)] >= -1).all()


def test_crossover_probability():
    problem = Slots(n=200)
    rng = np.random.default_rng(0)
    pop = Population.new(X=problem.encoding.random(600, rng))
    mates = np.arange(600).reshape(300, 2)
    off = SlotOnePointCrossover()(problem, pop, mates, random_state=rng).get("X")
    assert 0.1 < (off != pop.get("X")[mates.T.ravel()]).any(axis=1).mean() < 0.3


def test_seeds_decide():
    problem = Slots()
    X = problem.encoding.random(40, np.random.default_rng(0))
    pairs = X.reshape(2, 20, -1)
    for run in (
        lambda s: SlotOnePointCrossover()._do(problem, pairs, random_state=np.random.default_rng(s)),
        lambda s: SlotMutation()._do(problem, X, random_state=np.random.default_rng(s)),
        lambda s: SlotMutation("rank")._do(problem, X, random_state=np.random.default_rng(s)),
    ):
        assert_array_equal(run(1), run(1))
        assert not np.array_equal(run(1), run(2))


def test_misuse():
    other = Problem(n_var=3, n_obj=1, xl=0, xu=3)
    for operate in (
        lambda: SlotOnePointCrossover()._do(other, np.zeros((2, 1, 3))),
        lambda: SlotMutation()._do(other, np.zeros((1, 3))),
    ):
        with pytest.raises(TypeError, match="MedoidSlotEncoding"):
            operate()
    with pytest.raises(ValueError, match="kind"):
        SlotMutation("gauss")
    with pytest.raises(ValueError, match="p_gene"):
        SlotMutation(p_gene=1.5)
    with pytest.raises(ValueError, match="reach"):
        SlotMutation(reach=-0.1)
