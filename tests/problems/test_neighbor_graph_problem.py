"""NeighborGraphProblem against the worked examples and a word-for-word evaluation."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize

from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import neighbor_lists
from moo_clustering.operators import (
    DynamicDiversitySurvival,
    NeighborResample,
    NeighborSampling,
    UniformNeighborCrossover,
)
from moo_clustering.problems import NeighborGraphProblem, default_n_neighbors

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])
CHOICES = np.array([[1, 0, 1, 2], [1, 2, 1, 2], [2, 0, 1, 1]])


def problem_of(X, width, gene="rank", groups=None, **kwargs):
    lists = neighbor_lists(X, width, ties="index", rng=np.random.default_rng(0), groups=groups)
    return NeighborGraphProblem(lists, gene=gene, **kwargs)


def test_worked_example():
    problem = problem_of(LINE, 3, gene="index", n_neighbors=2)
    F = problem.evaluate(CHOICES)
    np.testing.assert_allclose(F[:, 0], [2, 2.25, 3], rtol=1e-7)
    np.testing.assert_allclose(F[:, 1], [3 / 4, 2 / 3, 7 / 12], rtol=1e-15)


def test_rank_and_index_encoding_are_the_same_problem():
    by_index, by_rank = (problem_of(LINE, 3, gene=gene, n_neighbors=2) for gene in ("index", "rank"))
    ranks = by_index.ranks(CHOICES)
    np.testing.assert_array_equal(by_index.genes(ranks), CHOICES)
    np.testing.assert_array_equal(by_rank.neighbors(ranks), CHOICES)
    np.testing.assert_array_equal(by_rank.evaluate(ranks), by_index.evaluate(CHOICES))


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (150, 6), (178, 6), (5000, 9)])
def test_default_number_of_neighbours(n, k):
    assert default_n_neighbors(n) == k


def test_forbidden_pairs_are_not_in_the_lists():
    groups = constraint_groups(4, [0, -1, 1, -1])
    problem = problem_of(LINE, 3, groups=groups)
    assert problem.lists.indices[0, :2].tolist() == [1, 3]
    assert problem.lists.indices[2, :2].tolist() == [1, 3]
    np.testing.assert_array_equal(problem.lists.n_admissible, [2, 3, 2, 3])
    np.testing.assert_array_equal(problem.xu, [1, 2, 1, 2])


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(1, 6))
def test_objectives_word_for_word(seed, n, members):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    problem = problem_of(X, n - 1)
    ranks = np.stack([rng.integers(0, n - 1, size=n) for _ in range(members)]).astype(np.uint8)
    neighbours = problem.neighbors(ranks)
    f1 = [np.mean([np.linalg.norm(X[i] - X[j]) for i, j in enumerate(row)]) for row in neighbours]
    f2 = [1 - np.mean([np.mean(row != other) for other in neighbours]) for row in neighbours]
    F = problem.evaluate(ranks)
    np.testing.assert_allclose(F, np.column_stack([f1, f2]), rtol=1e-6, atol=1e-12)
    one_by_one = [problem.mean_distance(problem.ranks(row[None]))[0] for row in ranks]
    np.testing.assert_array_equal(F[:, 0], one_by_one)


def test_decode_gives_the_connected_components():
    problem = problem_of(LINE, 3)
    labels = problem.decode(problem.ranks(np.array([[0, 0, 0, 0]])))
    np.testing.assert_array_equal(labels, [[0, 0, 0, 0]])
    pairs = problem_of(np.array([[0.0], [1.0], [10.0], [11.0]]), 1)
    np.testing.assert_array_equal(pairs.decode(np.zeros((1, 4), dtype=int)), [[0, 0, 1, 1]])


def test_float_genotypes_are_read():
    problem = problem_of(LINE, 3)
    ranks = np.array([[0, 1, 2, 0]])
    np.testing.assert_array_equal(problem.evaluate(ranks.astype(float)), problem.evaluate(ranks))


def test_threads_change_nothing():
    X = np.random.default_rng(0).normal(size=(30_000, 2))
    lists = neighbor_lists(X, 5, rng=np.random.default_rng(0))
    one, many = (NeighborGraphProblem(lists, n_neighbors=5, n_jobs=n_jobs) for n_jobs in (1, 8))
    ranks = np.random.default_rng(1).integers(0, 5, size=(150, 30_000)).astype(np.uint8)
    np.testing.assert_array_equal(one.evaluate(ranks), many.evaluate(ranks))


def test_deep_copies_share_the_data():
    problem = problem_of(LINE, 3)
    assert copy.deepcopy(problem).lists is problem.lists
    twin = pickle.loads(pickle.dumps(problem))
    np.testing.assert_array_equal(twin.evaluate(np.zeros((1, 4))), problem.evaluate(np.zeros((1, 4))))


def test_runs_in_pymoo_from_data():
    X = np.random.default_rng(0).normal(size=(60, 3))
    problem = NeighborGraphProblem.from_data(X, random_state=1)
    algorithm = NSGA2(
        pop_size=16,
        sampling=NeighborSampling("spread"),
        crossover=UniformNeighborCrossover(),
        mutation=NeighborResample(0.1),
        survival=DynamicDiversitySurvival(),
        eliminate_duplicates=False,
    )
    result = minimize(problem, algorithm, ("n_gen", 5), seed=1)
    assert result.X.dtype == np.uint8
    assert (result.F[:, 1] > 0).all()


def test_widths_of_lists_from_data():
    X = np.random.default_rng(0).normal(size=(40, 3))

    def made(**options):
        problem = NeighborGraphProblem.from_data(X, **options)
        return problem.width, problem.n_neighbors

    assert made() == (4, 4)  # ceil(ln 40)
    assert made(n_neighbors=7) == (7, 7)
    assert made(list_width=9) == (9, 4)
    assert made(list_width=3, n_neighbors=7) == (3, 3)
    assert made(gene="index", n_neighbors=7) == (39, 7)
    with pytest.raises(ValueError, match="neighbour lists of width n_samples - 1 = 39, got 4"):
        made(gene="index", list_width=4)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("factor", "which"), [(1e40, "large"), (1e-40, "small"), (1e-60, "small")])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_distances_beyond_single_precision_are_refused(factor, which, metric):
    X = np.random.default_rng(0).normal(size=(20, 2)) * factor
    given = np.hypot(*(X[:, None] - X).T) if metric == "precomputed" else X
    with pytest.raises(ValueError, match=f"distances of the nearest neighbours are too {which}.*; rescale X"):
        NeighborGraphProblem.from_data(given, metric=metric)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"gene": "ranks"}, "gene must be"),
        ({"diversity": "all"}, "diversity must be"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer from 1 to 2"),
        ({"n_neighbors": 4}, "the width of the neighbour lists, got 4"),
        ({"gene": "index"}, "width n_samples - 1 = 3, got"),
    ],
)
def test_bad_options(kwargs, message):
    with pytest.raises(ValueError, match=message):
        problem_of(LINE, 2, **kwargs)
