"""Partitions as graphs of one link per sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from moo_clustering._kernels.loci import component_rows
from moo_clustering._kernels.partitions import number_by_first_appearance
from moo_clustering.encodings import LocusAdjacencyEncoding

NEIGHBORS = np.array([[1, 2], [0, 2], [1, 3], [2, 4], [3, 2]])


def components(links: np.ndarray) -> list[int]:
    """Components by spreading labels until nothing changes, numbered by first appearance."""
    label = list(range(len(links)))
    changed = True
    while changed:
        changed = False
        for i, j in enumerate(links):
            low = min(label[i], label[j])
            changed |= label[i] != low or label[j] != low
            label[i] = label[j] = low
    numbers: dict[int, int] = {}
    return [numbers.setdefault(c, len(numbers)) for c in label]


def test_decode_of_the_worked_crossover():
    A = [1, 2, 3, 1, 3, 4, 7, 6]
    B = [2, 0, 1, 2, 5, 4, 5, 6]
    C = [1, 0, 3, 1, 5, 4, 7, 6]
    decoded = LocusAdjacencyEncoding(n_samples=8).decode(np.array([A, B, C]))
    assert_array_equal(
        decoded, [[0, 0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2]]
    )


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_decode_equals_the_definition_and_scipy(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    X = rng.integers(0, n, size=(4, n))
    X[rng.random(X.shape) < 0.4] = -1
    X = np.where(X < 0, np.arange(n), X)  # self links, else nearly all is one component
    labels = LocusAdjacencyEncoding(n_samples=n).decode(X)
    assert_array_equal(labels, [components(row) for row in X])
    for row, partition in zip(X, labels, strict=True):
        graph = coo_matrix((np.ones(n), (np.arange(n), row)), shape=(n, n))
        assert connected_components(graph, directed=False)[0] == partition.max() + 1


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64])
def test_kernels_take_any_integer(dtype):
    links = np.array([[1, 2, 3, 4, 4], [0, 0, 2, 2, 4]], dtype=dtype)
    labels = np.empty((2, 5), dtype=np.int32)
    component_rows(links, 0, 2, labels)
    assert_array_equal(labels, [[0, 0, 0, 0, 0], [0, 0, 2, 2, 4]])
    number_by_first_appearance(links, np.empty(5, dtype=np.int32), labels)
    assert_array_equal(labels, [[0, 1, 2, 3, 3], [0, 0, 1, 1, 2]])


def test_a_long_chain_is_one_component():
    n = 20_000
    links = np.array([np.minimum(np.arange(1, n + 1), n - 1), np.maximum(np.arange(-1, n - 1), 0)])
    assert not LocusAdjacencyEncoding(n_samples=n).decode(links).any()


def test_encode_links_each_sample_to_the_next_of_its_cluster():
    encoding = LocusAdjacencyEncoding(n_samples=6)
    labels = np.array([[0, 1, 0, 1, 0, 2], [0, 0, 0, 0, 0, 0]])
    assert_array_equal(encoding.encode(labels), [[2, 3, 4, 3, 4, 5], [1, 2, 3, 4, 5, 5]])


def test_repair_takes_the_nearest_neighbour_or_no_link():
    X = np.array([[-1, 4, 5, 2.4, 99]])
    assert_array_equal(LocusAdjacencyEncoding(NEIGHBORS).repair(X), [[1, 4, 1, 2, 3]])
    assert_array_equal(LocusAdjacencyEncoding(n_samples=5).repair(X), [[0, 4, 2, 2, 4]])


def test_random_draws_the_sample_itself_and_its_neighbours_equally():
    X = LocusAdjacencyEncoding(NEIGHBORS).random(9000, np.random.default_rng(0))
    for i, others in enumerate(NEIGHBORS):
        shares = np.bincount(X[:, i], minlength=5) / 9000
        assert_allclose(shares[[i, *others]], 1 / 3, atol=0.02)


def test_random_without_neighbours_draws_all_samples_equally():
    X = LocusAdjacencyEncoding(n_samples=5).random(9000, np.random.default_rng(0))
    for column in X.T:
        assert_allclose(np.bincount(column) / 9000, 0.2, atol=0.02)


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({}, "neighbors or n_samples"),
        ({"n_samples": 0}, "at least 1"),
        ({"neighbors": NEIGHBORS, "n_samples": 6}, "5 rows"),
        ({"neighbors": [[1], [1]]}, "own neighbour"),
        ({"neighbors": [[1], [2]]}, "within 0..1"),
        ({"neighbors": [[1.0], [0.0]]}, "integers"),
        ({"neighbors": [1, 0]}, "shape"),
        ({"neighbors": np.empty((3, 0), dtype=int)}, "n_neighbors >= 1"),
    ],
)
def test_misuse(kwargs, match):
    with pytest.raises(ValueError, match=match):
        LocusAdjacencyEncoding(**kwargs)


def test_the_lists_of_the_caller_are_copied():
    lists = NEIGHBORS.copy()
    encoding = LocusAdjacencyEncoding(lists)
    lists[:] = 0
    assert_array_equal(encoding.neighbors, NEIGHBORS)
