"""Neighbour lists: naive twins, ties, constraints, and lists from other searches."""

from __future__ import annotations

import sys
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from moo_clustering.constraints import PairwiseConstraints, constraint_groups
from moo_clustering.graphs import (
    lists_from_arrays,
    locus_graph,
    mutual_reachability_mst,
    neighbor_lists,
    self_tuning_graph,
)
from moo_clustering.graphs.neighbors import DistinctRows, ordered_lists, round_distances, tie_keys

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def naive(D, width, keys, forbidden=None):
    """Sort everybody else by (distance, key); the distances are compared to nine digits."""
    everybody = np.arange(len(D))
    barred = np.eye(len(D), dtype=bool)
    if forbidden is not None:
        barred |= forbidden(everybody[:, None], everybody)
    order = [np.lexsort((keys, np.round(row, 9))) for row in D]
    return [row[~bars[row]][:width].tolist() for row, bars in zip(order, barred, strict=True)]


def as_rows(lists):
    return [row[:m].tolist() for row, m in zip(lists.indices, lists.n_admissible, strict=True)]


def test_orders_on_a_line():
    lists = neighbor_lists(LINE, 3, rng=rng())
    assert lists.indices.tolist() == [[1, 2, 3], [0, 2, 3], [1, 0, 3], [2, 1, 0]]
    assert lists.distances.tolist() == [[1, 3, 7], [1, 2, 6], [2, 3, 4], [4, 6, 7]]
    assert lists.n_admissible.tolist() == [3, 3, 3, 3]
    assert (lists.indices.dtype, lists.distances.dtype) == (np.int32, np.float32)


def test_forbidden_neighbours_are_taken_out_before_the_nearest_are():
    groups = constraint_groups(4, [0, -1, 1, -1])
    lists = neighbor_lists(LINE, 3, rng=rng(), groups=groups)
    assert as_rows(lists) == [[1, 3], [0, 2, 3], [1, 3], [2, 1, 0]]
    assert lists.indices[0].tolist() == [1, 3, -1]
    assert lists.distances[0].tolist() == [1, 7, np.inf]
    assert as_rows(neighbor_lists(LINE, 2, rng=rng(), groups=groups))[2] == [1, 3]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "canberra", "precomputed"])
@pytest.mark.parametrize("n_features", [1, 3, 14])
@pytest.mark.parametrize("gridded", [False, True])
def test_against_sorting_everybody(metric, n_features, gridded):
    generator = np.random.default_rng(n_features)
    for n_samples in (2, 7, 130):
        X = generator.integers(0, 3, (n_samples, n_features)) / 3 if gridded else None
        X = generator.normal(size=(n_samples, n_features)) if X is None else X
        keys = tie_keys(n_samples, "random", generator)
        D = cdist(X, X, {"manhattan": "cityblock", "precomputed": "euclidean"}.get(metric, metric))
        y = np.where(generator.random(n_samples) < 0.4, generator.integers(0, 3, n_samples), -1)
        y[0] = -1
        for groups in (None, constraint_groups(n_samples, y)):
            width = min(9, n_samples - 1)
            lists = ordered_lists(D if metric == "precomputed" else X, width, metric, keys, groups)
            rows = as_rows(lists)
            assert rows == naive(D, width, keys, groups.forbidden if groups else None)
            for i, row in enumerate(rows):
                np.testing.assert_allclose(lists.distances[i, : len(row)], D[i, row], rtol=1e-6, atol=1e-7)


def test_cosine_orders_by_angle_and_keeps_zero_rows_at_distance_one():
    X = np.array([[1.0, 0.0], [5.0, 0.1], [0.0, 2.0], [0.0, 0.0], [-1.0, 0.0]])
    lists = neighbor_lists(X, 4, metric="cosine", rng=rng())
    assert lists.indices[0, 0] == 1
    assert lists.indices[0, 3] == 4
    np.testing.assert_allclose(lists.distances[0, 1:], [1, 1, 2], atol=1e-6)
    np.testing.assert_allclose(lists.distances[3], 1.0, atol=1e-6)


@pytest.mark.parametrize("n_features", [3, 16])
def test_large_coordinates_do_not_drown_small_distances(n_features, global_random_seed):
    # Multiples of 1/1024: adding the offset loses nothing.
    X = np.round(np.random.default_rng(global_random_seed).normal(size=(300, n_features)) * 1024) / 1024
    far = neighbor_lists(X + 2.0**20, 5, rng=rng())
    np.testing.assert_array_equal(far.indices, neighbor_lists(X, 5, rng=rng()).indices)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
@pytest.mark.parametrize("data", ["grid", "noise", "wide"])
def test_permuted_rows_give_permuted_lists(metric, data, global_random_seed):
    generator = np.random.default_rng(global_random_seed)
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 4), axis=-1).reshape(-1, 4) / 3
    X = {"grid": grid, "noise": generator.normal(size=(200, 3)), "wide": generator.normal(size=(200, 20))}[
        data
    ]
    keys = tie_keys(len(X), "random", generator)
    order = generator.permutation(len(X))
    place = np.argsort(order)

    def lists(points, point_keys):
        given = cdist(points, points) if metric == "precomputed" else points
        return ordered_lists(given, 7, metric, point_keys)

    straight, shuffled = lists(X, keys), lists(X[order], keys[order])
    np.testing.assert_array_equal(shuffled.indices, place[straight.indices[order]])
    np.testing.assert_array_equal(shuffled.distances, straight.distances[order])


def test_random_ties_do_not_leak_the_order_of_the_rows():
    # Eight samples at the same distance from the first: by index the same three are always taken.
    X = np.vstack([np.zeros((1, 8)), np.eye(8)])
    assert neighbor_lists(X, 3, ties="index", rng=rng()).indices[0].tolist() == [1, 2, 3]
    taken = {tuple(neighbor_lists(X, 3, rng=np.random.default_rng(s)).indices[0]) for s in range(20)}
    assert len(taken) > 10


def test_scaled_grids_tie_in_spite_of_rounding():
    # The six nearest of the centre are equally far, but their distances differ in the last digits.
    axis = np.array([0.1, 0.3, 0.5])
    X = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    distances = cdist(X[[13]], X)[0]
    six = np.flatnonzero(np.isclose(distances, 0.2))
    assert len(np.unique(distances[six])) > 1
    keys = np.arange(len(X), dtype=np.int32)[::-1].copy()
    assert ordered_lists(X, 3, "euclidean", keys).indices[13].tolist() == six[::-1][:3].tolist()


def test_duplicates_are_neighbours_and_self_is_not(global_random_seed):
    X = np.repeat(np.random.default_rng(global_random_seed).normal(size=(6, 2)), 30, axis=0)
    lists = neighbor_lists(X, 12, rng=rng())
    assert not (lists.indices == np.arange(len(X))[:, None]).any()
    assert (lists.distances == 0).all()
    np.testing.assert_array_equal(
        lists.indices // 30, np.repeat(np.arange(6), 30)[:, None] * np.ones(12, int)
    )
    assert all(len(set(row)) == 12 for row in lists.indices)


def test_everything_alike():
    lists = neighbor_lists(np.ones((5000, 3)), 6, rng=rng())
    assert (lists.distances == 0).all()
    assert not (lists.indices == np.arange(5000)[:, None]).any()


def test_rows_that_only_look_alike_are_told_apart():
    # The tiny feature vanishes in any sum with the other one.
    X = np.array([[1e-300, 1.0], [2e-300, 1.0], [1e-300, 1.0], [5.0, 1.0]])
    found = DistinctRows(X, np.arange(4, dtype=np.int32))
    assert len(found.points) == 3
    assert found.of_sample[0] == found.of_sample[2] != found.of_sample[1]
    np.testing.assert_array_equal(found.points[found.of_sample], X)


def test_squared_distances_order_alike(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(200, 3))
    plain, squared = (neighbor_lists(X, 6, metric=m, rng=rng()) for m in ("euclidean", "sqeuclidean"))
    np.testing.assert_array_equal(plain.indices, squared.indices)
    np.testing.assert_allclose(squared.distances, plain.distances**2, rtol=1e-6)


def test_metric_as_a_function(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(80, 2))
    own = neighbor_lists(X, 3, metric=lambda a, b: float(np.abs(a - b).sum()), rng=rng())
    np.testing.assert_array_equal(own.indices, neighbor_lists(X, 3, metric="manhattan", rng=rng()).indices)


@pytest.mark.parametrize("factor", [1e-200, 1e-150, 1e-40])
def test_distances_that_underflow_are_refused(factor):
    X = np.arange(30.0)[:, None] * factor
    with pytest.raises(ValueError, match=r"so small|too small .* rescale X"):
        ordered_lists(X, 4, "euclidean", np.arange(30, dtype=np.int32))


def test_width_is_capped_at_everybody_else():
    assert neighbor_lists(LINE, 99, rng=rng()).indices.shape == (4, 3)
    assert neighbor_lists(LINE[:2], 1, rng=rng()).indices.tolist() == [[1], [0]]


def test_labelled_samples_look_far_enough(global_random_seed):
    # Class 0 sits in one blob with class 1 between; admissible neighbours are far away.
    generator = np.random.default_rng(global_random_seed)
    X = np.vstack([generator.normal(size=(80, 2)), generator.normal(size=(40, 2)) + 50])
    y = np.concatenate([np.arange(80) % 40, np.full(40, -1)])
    groups = constraint_groups(len(X), y)
    lists = neighbor_lists(X, 5, rng=rng(), groups=groups)
    assert (lists.n_admissible == 5).all()
    assert as_rows(lists)[:80] == naive(cdist(X, X), 5, np.arange(120), groups.forbidden)[:80]


def test_cannot_links_alone_forbid_pairs():
    groups = constraint_groups(4, None, PairwiseConstraints(None, [(0, 1)], n_samples=4))
    assert as_rows(neighbor_lists(LINE, 2, rng=rng(), groups=groups)) == [[2, 3], [2, 3], [1, 0], [2, 1]]


def test_sample_without_admissible_neighbour_is_named():
    groups = constraint_groups(3, [0, 1, 1])
    with pytest.raises(ValueError, match="sample 0 has no admissible neighbours"):
        neighbor_lists(LINE[:3], 1, rng=rng(), groups=groups)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": LINE[:1]}, "at least 2 samples"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer of at least 1, got 0"),
        ({"ties": "first"}, "ties must be"),
        ({"metric": "precomputed"}, "square"),
        ({"X": -np.ones((3, 3)), "metric": "precomputed"}, "must be non-negative, got -"),
        ({"X": np.array([[np.nan], [1.0]])}, "NaN"),
        (
            {"groups": constraint_groups(3, [0, 1, 1])},
            "groups and X must have the same number of samples",
        ),
    ],
)
def test_bad_input(change, message):
    arguments = {"X": LINE, "n_neighbors": 2, "rng": rng(), **change}
    with pytest.raises(ValueError, match=message):
        neighbor_lists(**arguments)


@pytest.mark.parametrize("n_neighbors", [2.5, True, "2", None])
def test_numbers_of_neighbours_must_be_integers(n_neighbors):
    message = "n_neighbors must be an integer of at least 1"
    for graph in (neighbor_lists, locus_graph):
        with pytest.raises(TypeError, match=message):
            graph(LINE, n_neighbors=n_neighbors, rng=rng())
    for graph in (self_tuning_graph, mutual_reachability_mst):
        with pytest.raises(TypeError, match=message):
            graph(LINE, n_neighbors=n_neighbors)


def test_float32_is_not_inflated_and_memory_stays_near_the_output():
    X = np.random.default_rng(4).normal(size=(20_000, 3)).astype(np.float32)
    tracemalloc.start()
    lists = neighbor_lists(X, 14, rng=rng())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lists.indices.nbytes + lists.distances.nbytes == 20_000 * 14 * 8
    assert peak < 150e6  # the distances of all pairs take 3200e6


@pytest.mark.parametrize("shape", [(3000, 3), (9000, 6)])  # by a tree, in blocks
def test_threads_do_not_change_the_result(shape, monkeypatch):
    monkeypatch.setattr("moo_clustering._kernels.threads._WORTH_A_THREAD", 0)
    X = np.random.default_rng(6).integers(0, 6, size=shape).astype(float)
    one, two = (neighbor_lists(X, 8, rng=rng(), n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)


@settings(max_examples=60, deadline=None)
@given(st.floats(1e-12, 1e12), st.floats(-1e-14, 1e-14))
def test_rounding_is_monotone_and_fine(value, noise):
    pair = np.sort([value, value * (1 + noise)])
    low, high = round_distances(pair)
    assert low <= high
    assert abs(low - pair[0]) <= 1e-12 * pair[0]


def test_rounding_keeps_zero_and_infinity():
    assert round_distances(np.array([0.0, np.inf])).tolist() == [0.0, np.inf]


INDICES = np.array([[1, 2], [0, 2], [1, 0], [2, 1]])
DISTANCES = np.array([[1.0, 3.0], [1.0, 2.0], [2.0, 3.0], [4.0, 6.0]])


def test_lists_are_taken_over():
    lists = lists_from_arrays(INDICES, DISTANCES, n_samples=4)
    np.testing.assert_array_equal(lists.indices, INDICES)
    np.testing.assert_array_equal(lists.distances, DISTANCES.astype(np.float32))
    np.testing.assert_array_equal(lists.n_admissible, [2, 2, 2, 2])
    assert lists.indices.dtype == np.int32


def test_forbidden_neighbours_are_taken_out():
    groups = constraint_groups(4, [0, 1, 2, -1])
    with pytest.raises(ValueError, match="sample 0 has no admissible neighbours; pass longer lists"):
        lists_from_arrays(INDICES, DISTANCES, n_samples=4, groups=groups)
    groups = constraint_groups(4, [0, 1, -1, -1])
    lists = lists_from_arrays(INDICES, DISTANCES, n_samples=4, groups=groups)
    np.testing.assert_array_equal(lists.indices, [[2, -1], [2, -1], [1, 0], [2, 1]])
    np.testing.assert_array_equal(lists.distances[:2], [[3, np.inf], [2, np.inf]])
    np.testing.assert_array_equal(lists.n_admissible, [1, 1, 2, 2])


@pytest.mark.parametrize(
    ("indices", "distances", "message"),
    [
        (INDICES[:3], DISTANCES[:3], r"shape \(4, width\)"),
        (INDICES, DISTANCES[:, :1], "got shapes"),
        (INDICES + 0.5, DISTANCES, "indices must be integers"),
        (INDICES + 2, DISTANCES, "integers from 0 to 3"),
        (np.array([[0, 2], [0, 2], [1, 0], [2, 1]]), DISTANCES, "own neighbour in row 0"),
        (np.array([[1, 2], [2, 2], [1, 0], [2, 1]]), DISTANCES, "listed twice in row 1"),
        (INDICES, -DISTANCES, "negative or not finite in row 0"),
        (INDICES, DISTANCES[:, ::-1], "distances decrease along the row in row 0"),
    ],
)
def test_bad_lists_are_named(indices, distances, message):
    with pytest.raises(ValueError, match=message):
        lists_from_arrays(indices, distances, n_samples=4)


EXACT = ["tree", "blocks", "brute"]


def shapes(n_samples, n_features, dtype=np.float64):
    """Clusters of different width, some rows twice, whole numbers among them."""
    generator = np.random.default_rng(n_features)
    X = generator.normal(size=(n_samples, n_features)) * generator.integers(1, 9, (n_samples, 1))
    X[: n_samples // 5] = X[: n_samples // 5].round()
    X[-40:] = X[:40]
    return X.astype(dtype)


@pytest.mark.parametrize("method", [*EXACT, "exact", "auto"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_exact_method_gives_the_lists_of_scikit_learn(method, dtype):
    for n_features in (2, 6, 20):
        X = shapes(900, n_features, dtype)
        lists = neighbor_lists(X, 7, rng=rng(), method=method)
        expected = NearestNeighbors(n_neighbors=7, algorithm="brute").fit(X.astype(float)).kneighbors()[0]
        np.testing.assert_allclose(lists.distances, expected, rtol=1e-5, atol=1e-6)
        real = np.linalg.norm(X.astype(float)[:, None] - X.astype(float)[lists.indices], axis=2)
        np.testing.assert_allclose(lists.distances, real, rtol=1e-6)
        assert lists.recall is None


@pytest.mark.parametrize("method", EXACT)
def test_every_exact_method_orders_ties_alike(method):
    X = np.random.default_rng(3).integers(0, 4, size=(1500, 6)) / 3.0
    lists, usual = (neighbor_lists(X, 9, rng=rng(), method=name) for name in (method, "exact"))
    np.testing.assert_array_equal(lists.indices, usual.indices)
    np.testing.assert_array_equal(lists.distances, usual.distances)


def test_blocks_tell_apart_what_single_precision_does_not(global_random_seed):
    generator = np.random.default_rng(global_random_seed)
    X = 1e-9 * generator.normal(size=(600, 5))
    X[300:] += 1.0
    for scale in (1.0, 1e-20, 1e30):
        blocks, tree = (neighbor_lists(scale * X, 6, rng=rng(), method=name) for name in ("blocks", "tree"))
        np.testing.assert_array_equal(blocks.indices, tree.indices)


def test_many_samples_are_compared_in_blocks_by_any_number_of_threads():
    X = shapes(9000, 6, np.float32)
    groups = constraint_groups(9000, np.where(np.arange(9000) % 100, -1, np.arange(9000) % 3))
    expected = neighbor_lists(X, 8, rng=rng(), groups=groups, method="tree")
    for n_jobs in (1, 2, 8):
        lists = neighbor_lists(X, 8, rng=rng(), groups=groups, n_jobs=n_jobs)
        np.testing.assert_array_equal(lists.indices, expected.indices)
        np.testing.assert_array_equal(lists.distances, expected.distances)


class Descent:
    """Finds all but one of the nearest neighbours in place of pynndescent, which takes long to compile."""

    def __init__(self, X, n_neighbors, **options):
        nearest = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(X).kneighbors(X)[1]
        self.neighbor_graph = np.delete(nearest, 3, axis=1), None
        self.neighbor_graph[0][5, -1] = -1


def test_approximate_lists_report_their_recall(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=Descent, __spec__=object()))
    X = np.random.default_rng(8).normal(size=(800, 4))
    groups = constraint_groups(800, np.where(np.arange(800) < 20, np.arange(800) % 2, -1))
    lists = neighbor_lists(X, 10, rng=rng(), groups=groups, method="approximate")
    exact = neighbor_lists(X, 10, rng=rng(), groups=groups)
    assert lists.recall == pytest.approx(14 / 15, abs=2e-3)
    # Rows without a full list, and those that may not neighbour everyone, are exact.
    for row in (5, *range(20)):
        assert lists.indices[row].tolist() == exact.indices[row].tolist()
    assert lists.indices[100].tolist() == [*exact.indices[100, [0, 1, *range(3, 10)]], lists.indices[100, -1]]


def test_long_searches_are_approximate_or_announced(monkeypatch):
    X = np.random.default_rng(9).normal(size=(9000, 6))
    monkeypatch.setattr("moo_clustering.graphs.neighbors._LARGE", 8000)
    monkeypatch.setattr("moo_clustering.graphs.neighbors._LONG", 0.0)
    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=Descent, __spec__=object()))
    with pytest.warns(UserWarning, match=r"features: approximate lists contain 9\d\.\d% of the nearest"):
        lists = neighbor_lists(X, 10, rng=rng())
    assert 0.9 < lists.recall < 1.0
    assert neighbor_lists(X, 10, rng=rng(), method="exact").recall is None
    monkeypatch.setattr("moo_clustering.graphs.neighbors.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match=r"exact lists take about 0 minutes .* pip install"):
        assert neighbor_lists(X, 10, rng=rng()).recall is None
    with pytest.raises(ImportError, match=r"requires pynndescent, which is not installed: pip install"):
        neighbor_lists(X, 10, rng=rng(), method="approximate")


@pytest.mark.nightly
def test_pynndescent_finds_nearly_all():
    pytest.importorskip("pynndescent")
    lists = neighbor_lists(shapes(9000, 6), 10, rng=rng(), method="approximate")
    assert 0.95 < lists.recall <= 1.0


@pytest.mark.parametrize(
    ("method", "metric", "message"),
    [
        ("tree", "canberra", "method=\"tree\" requires a Minkowski metric, got 'canberra'"),
        ("blocks", "manhattan", "requires a metric with the order of the Euclidean metric"),
        ("approximate", "precomputed", "requires features"),
        ("fast", "euclidean", "method must be"),
    ],
)
def test_methods_that_do_not_fit_the_metric_are_refused(method, metric, message):
    X = np.ones((5, 5)) - np.eye(5)
    with pytest.raises(ValueError, match=message):
        neighbor_lists(X, 2, rng=rng(), metric=metric, method=method)
