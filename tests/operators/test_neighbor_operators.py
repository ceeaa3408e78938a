"""Sampling, crossover and mutation of neighbour choices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymoo.core.population import Population

from moo_clustering._arrays import sparse_positions, spawn_seeds
from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import neighbor_lists
from moo_clustering.operators import (
    CannotLinkRepair,
    IndexPM,
    IndexSBX,
    NeighborResample,
    NeighborSampling,
    RankPM,
    RankSBX,
    UniformNeighborCrossover,
)
from moo_clustering.problems import NeighborGraphProblem

CLASSES = np.repeat([0, 1, -1], [10, 10, 20])


def make_problem(gene="rank", constrained=False, n=40, width=None, n_neighbors=6, duplicates=False):
    X = np.random.default_rng(0).normal(size=(n, 3))
    if duplicates:
        X[: n // 2] = X[0]
    groups = constraint_groups(n, CLASSES[:n]) if constrained else None
    lists = neighbor_lists(X, width or n - 1, rng=np.random.default_rng(0), groups=groups)
    return NeighborGraphProblem(lists, gene=gene, n_neighbors=n_neighbors)


def sample(problem, n, init="knn", seed=0):
    return NeighborSampling(init).do(problem, n, random_state=np.random.default_rng(seed)).get("X")


def is_feasible(problem, X, constrained=False):
    neighbours = problem.neighbors(X)
    feasible = (neighbours >= 0).all() and (neighbours != np.arange(problem.n_var)).all()
    if constrained:
        mine, theirs = CLASSES[None, :], CLASSES[neighbours]
        feasible &= not ((mine >= 0) & (theirs >= 0) & (mine != theirs)).any()
    return feasible


@pytest.mark.parametrize("gene", ["rank", "index"])
@pytest.mark.parametrize("init", ["knn", "spread", "random"])
def test_sampling_draws_admissible_neighbours(gene, init):
    problem = make_problem(gene, constrained=True)
    X = sample(problem, 15, init)
    assert X.dtype == np.uint8
    assert is_feasible(problem, X, constrained=True)
    ranks = problem.ranks(X)
    if init != "random":
        assert ranks.max() < 6
    else:
        assert ranks.max() > 20


def test_spread_goes_from_nearest_to_all_k():
    problem = make_problem(n=40)
    ranks = problem.ranks(sample(problem, 6, "spread"))
    assert (ranks[0] == 0).all()
    assert [row.max() for row in ranks] == [0, 1, 2, 3, 4, 5]


def test_knn_sampling_is_uniform():
    problem = make_problem()
    counts = np.bincount(problem.ranks(sample(problem, 3000)).ravel(), minlength=6)
    assert np.abs(counts / counts.sum() - 1 / 6).max() < 0.01


def test_random_needs_full_lists():
    with pytest.raises(ValueError, match="full width, n_samples - 1 = 39; got width 10"):
        sample(make_problem(width=10), 3, "random")
    with pytest.raises(ValueError, match="init must be"):
        NeighborSampling("all")


def crossed(operator, problem, X, seed=0):
    pairs = np.stack([X[::2], X[1::2]])
    return operator._do(problem, pairs, random_state=np.random.default_rng(seed))


def test_uniform_crossover_keeps_the_genes_of_a_locus():
    problem = make_problem()
    X = sample(problem, 20)
    children = crossed(UniformNeighborCrossover(), problem, X)
    np.testing.assert_array_equal(np.sort(children, axis=0), np.sort(np.stack([X[::2], X[1::2]]), axis=0))
    differs = X[::2] != X[1::2]
    assert 0.4 < (children[0] == X[1::2])[differs].mean() < 0.6


@pytest.mark.parametrize("prob", [0.0, 0.05, 0.5, 1.0])
def test_resampling_rate(prob):
    problem = make_problem()
    X = np.full((400, 40), 5, dtype=np.uint8)
    mutated = NeighborResample(prob)._do(problem, X, random_state=np.random.default_rng(1))
    # One draw in six is the old value.
    assert abs((mutated != X).mean() - prob * 5 / 6) < 0.01
    assert mutated.dtype == X.dtype
    assert (X == 5).all()


def test_resampling_default_rate_is_one_gene_and_in_pymoo_dress():
    problem = make_problem()
    pop = Population.new("X", np.zeros((500, 40), dtype=np.uint8))
    changed = NeighborResample().do(problem, pop, random_state=np.random.default_rng(0)).get("X") != 0
    assert 0.7 < changed.sum(axis=1).mean() < 1.0  # 40 genes * 1/40 * 5/6


@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize(
    ("gene", "crossover", "mutation"),
    [
        ("rank", UniformNeighborCrossover(), NeighborResample(0.3)),
        ("index", UniformNeighborCrossover(), NeighborResample(0.3)),
        ("rank", RankSBX(), RankPM(0.3)),
        ("index", IndexSBX(), IndexPM(0.3)),
    ],
)
def test_variation_stays_feasible(gene, crossover, mutation, constrained, duplicates):
    problem = make_problem(gene, constrained, duplicates=duplicates)
    X = sample(problem, 20)
    for generation in range(5):
        X = crossed(crossover, problem, X, generation).reshape(20, -1)
        X = mutation._do(problem, X, random_state=np.random.default_rng(generation))
        assert X.dtype == np.uint8
        assert is_feasible(problem, X, constrained)


def test_rank_operators_respect_the_bound_of_each_locus():
    problem = make_problem(constrained=True)
    assert problem.xu.min() < problem.xu.max()
    X = sample(problem, 50, "random")
    children = crossed(RankSBX(), problem, X).reshape(50, -1)
    assert (children <= problem.xu).all()
    mutated = RankPM(1.0, eta=1)._do(problem, X, random_state=np.random.default_rng(0))
    assert (mutated <= problem.xu).all()
    assert (mutated != X).mean() > 0.5


def test_a_single_admissible_neighbour_is_left_alone():
    problem = make_problem(width=1, n_neighbors=1)
    X = np.zeros((4, 40), dtype=np.uint8)
    np.testing.assert_array_equal(RankPM(1.0)._do(problem, X, random_state=np.random.default_rng(0)), X)
    np.testing.assert_array_equal(crossed(RankSBX(), problem, X), np.zeros((2, 2, 40)))


def test_repair_redraws_only_what_is_illegal():
    problem = make_problem("index", constrained=True)
    X = sample(problem, 8)
    X[0, 5], X[1, 3], X[2, 12] = 5, 15, 2  # self link, two links between classes
    repaired = (
        CannotLinkRepair().do(problem, Population.new("X", X), random_state=np.random.default_rng(0)).get("X")
    )
    assert is_feasible(problem, repaired, constrained=True)
    assert (repaired != X).sum() == 3


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 5000), st.floats(0, 1), st.integers(0, 1000))
def test_sparse_positions_are_sorted_and_within(n, prob, seed):
    chunks = list(sparse_positions(n, prob, np.random.default_rng(seed)))
    positions = np.concatenate(chunks) if chunks else np.empty(0)
    assert (np.diff(positions) > 0).all()
    assert ((positions >= 0) & (positions < n)).all()
    assert abs(len(positions) - n * prob) <= 6 * np.sqrt(n * prob * (1 - prob)) + 6


def test_sparse_positions_hit_every_place_alike():
    hits = np.zeros(50)
    for seed in range(4000):
        for positions in sparse_positions(50, 0.1, np.random.default_rng(seed)):
            hits[positions] += 1
    assert np.abs(hits / 4000 - 0.1).max() < 0.025


def test_seeds_from_all_that_scikit_learn_takes():
    def first(random_state):
        return spawn_seeds(random_state, 3)[0].generate_state(1)[0]

    assert first(3) == first(np.int64(3)) != first(4)
    assert first(np.random.RandomState(3)) == first(np.random.RandomState(3))
    generator = np.random.default_rng(3)
    assert first(generator) != first(generator)
    assert first(None) != first(None)
