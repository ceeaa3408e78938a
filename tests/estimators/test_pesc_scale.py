"""What PESC must not allocate, and that the order of the rows is of no consequence."""

import tracemalloc

import numpy as np
import pytest

from moo_clustering import PESC
from moo_clustering.consensus import diversity_weights, edge_distances, reconstruction_weights
from moo_clustering.graphs import NeighborLists, neighbor_lists
from moo_clustering.problems import NeighborGraphProblem


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_nothing_quadratic_and_no_float_population(engine):
    n, pop_size = 12_000, 40
    X = np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
    options = {"pop_size": pop_size, "n_gen": 2, "init": "spread", "engine": engine, "random_state": 0}
    PESC(2, **options).fit(X[:300])  # kernels are loaded outside the measurement
    tracemalloc.start()
    PESC(2, **options).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Parents, offspring and their merged stack, one byte a gene, take 4 n pop; a float64 population
    # 8 n pop on top, and the smallest quadratic array, of bytes, n^2 = 144 MB.
    graph = 2 * 20 * n * 12 * 3
    assert peak < 8 * n * pop_size + graph + 20e6
    assert peak < n * n / 2


def permuted(lists, order):
    """The same lists for rows in another order."""
    position = np.argsort(order)
    return NeighborLists(
        position[lists.indices[order]].astype(np.int32), lists.distances[order], lists.n_admissible[order]
    )


def test_objectives_and_graphs_follow_a_permutation_of_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    order = rng.permutation(60)
    lists = neighbor_lists(X, 8, rng=rng)
    moved = neighbor_lists(X[order], 8, rng=rng)
    np.testing.assert_array_equal(moved.indices, permuted(lists, order).indices)
    ranks = rng.integers(0, 8, size=(12, 60)).astype(np.uint8)
    here = NeighborGraphProblem(lists).evaluate(ranks)
    there = NeighborGraphProblem(moved).evaluate(ranks[:, order])
    np.testing.assert_allclose(here, there, rtol=1e-12)
    for build in (
        diversity_weights,
        lambda r, nearest: reconstruction_weights(
            X if nearest is lists else X[order], edge_distances(r, nearest)[0]
        ),
    ):
        S, T = build(ranks, lists).toarray(), build(ranks[:, order], moved).toarray()
        np.testing.assert_allclose(S[np.ix_(order, order)], T, atol=1e-10)
