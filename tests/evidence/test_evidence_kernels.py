"""Kernels, consensus, and class scores from a few labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from moo_clustering.evidence import (
    class_probabilities,
    coassociation,
    consensus_affinity,
    consensus_partition,
    graph_kernel,
    kernel_ridge,
    linear_kernel,
)

PATH = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)


def test_first_row_of_the_path():
    expected = [1.0, 0.756434498461, 0.530091399226, 0.361610120109, 0.253407816451, 0.191686414543]
    np.testing.assert_allclose(graph_kernel(PATH)[0], expected, atol=1e-11)
    np.testing.assert_allclose(graph_kernel(sp.csr_array(PATH), [0, 3])[:, 0], expected, atol=1e-11)


def random_graph(n, seed):
    rng = np.random.default_rng(seed)
    S = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.6), 1)
    S = S + S.T
    assert S.sum(axis=1).min() > 0
    return S


@pytest.mark.parametrize("factor", [0.0, 0.5, 0.99])
def test_against_the_inverse(factor):
    S = random_graph(15, 3)
    root = 1.0 / np.sqrt(S.sum(axis=1))
    G = np.linalg.inv(np.eye(15) - factor * root[:, None] * S * root)
    expected = G / np.sqrt(np.outer(G.diagonal(), G.diagonal()))
    given = S.copy()
    K = graph_kernel(S, factor=factor)
    np.testing.assert_allclose(K, expected, atol=1e-10)
    np.testing.assert_array_equal(S, given)
    np.testing.assert_array_equal(graph_kernel(S, [4, 1], factor=factor), K[:, [4, 1]])


def test_order_of_samples_and_scale_of_similarities_don_t_matter():
    S = random_graph(12, 5)
    K, order = graph_kernel(S), np.random.default_rng(0).permutation(12)
    np.testing.assert_allclose(
        graph_kernel(7.0 * S[np.ix_(order, order)]), K[np.ix_(order, order)], atol=1e-12
    )


def test_parts_and_lonely_samples_have_nothing_in_common():
    S = np.zeros((5, 5))
    S[0, 1] = S[1, 0] = S[2, 3] = S[3, 2] = 1.0
    K = graph_kernel(S)
    np.testing.assert_allclose(K[4], [0.0, 0.0, 0.0, 0.0, 1.0])
    assert np.all(K[:2, 2:] == 0.0)
    np.testing.assert_allclose(K[0, 1], 0.9)


def test_graph_refusals():
    for S in (np.ones((2, 3)), -np.ones((2, 2)), np.full((2, 2), np.nan)):
        with pytest.raises(ValueError, match=r"S must|S contains NaN"):
            graph_kernel(S)
    for factor in (1.0, -0.1):
        with pytest.raises(ValueError, match="factor must be"):
            graph_kernel(PATH, factor=factor)


def test_linear_kernel_of_centred_rows(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(9, 3)) + 100.0
    Z = X - X.mean(axis=0)
    expected = Z @ Z.T / (Z**2).sum(axis=1).mean()
    K = linear_kernel(X)
    np.testing.assert_allclose(K, expected, atol=1e-10)
    assert K.diagonal().mean() == pytest.approx(1.0)
    np.testing.assert_allclose(linear_kernel(X, [2, 7]), K[:, [2, 7]], atol=1e-12)


def test_equal_rows_say_nothing():
    assert np.all(linear_kernel(np.full((4, 2), 0.1), [0]) == 0.0)


POOLS = arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=st.integers(0, 4))


def pair_by_pair(labels, weights):
    n = labels.shape[1]
    K = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            K[i, j] = sum(w for row, w in zip(labels, weights, strict=True) if row[i] == row[j])
    return K / sum(weights)


@settings(max_examples=40, deadline=None)
@given(POOLS, st.data())
def test_against_pairs_of_samples(labels, data):
    weights = np.linspace(0.0, 2.0, len(labels)) if len(labels) > 1 else np.ones(1)
    expected = pair_by_pair(labels, weights)
    K = coassociation(labels, weights)
    np.testing.assert_allclose(K, expected, atol=1e-12)
    np.testing.assert_array_equal(K, K.T)
    columns = data.draw(st.lists(st.integers(0, labels.shape[1] - 1), max_size=4))
    np.testing.assert_array_equal(coassociation(labels, weights, columns=columns), K[:, columns])


@settings(max_examples=20, deadline=None)
@given(POOLS, st.integers(0, 99))
def test_numbering_of_clusters_and_order_of_samples_don_t_matter(labels, seed):
    rng = np.random.default_rng(seed)
    weights = rng.random(len(labels)) + 0.1
    K = coassociation(labels, weights)
    np.testing.assert_array_equal(coassociation(7 * rng.permutation(5)[labels], weights), K)
    order = rng.permutation(labels.shape[1])
    np.testing.assert_array_equal(coassociation(labels[:, order], weights), K[np.ix_(order, order)])


def test_blocks_of_rows_join(monkeypatch, global_random_seed):
    labels = np.random.default_rng(global_random_seed).integers(4, size=(5, 23))
    whole = coassociation(labels, np.ones(5))
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 100)
    np.testing.assert_array_equal(coassociation(labels, np.ones(5)), whole)


def test_a_floor_takes_entries_up_to_it():
    # One of twenty partitions joins the second pair: exactly the floor.
    labels = np.array([[0, 0, 1, 2]] * 19 + [[0, 0, 1, 1]])
    affinity = consensus_affinity(labels, np.ones(20))
    assert affinity[2, 3] == 0.0
    np.testing.assert_allclose(affinity.diagonal(), 1.0)
    assert consensus_affinity(labels, np.ones(20), floor=0.049)[2, 3] == pytest.approx(0.05)


def test_tiny_weights_are_weights():
    K = coassociation([[0, 0], [0, 1]], [1e-310, 3e-310])
    np.testing.assert_allclose(K, [[1.0, 0.25], [0.25, 1.0]], rtol=1e-9)


@pytest.mark.parametrize(
    ("labels", "weights", "columns", "message"),
    [
        ([[0, -1]], [1.0], None, "labels must be non-negative"),
        ([[0, 1]], [1.0, 1.0], None, "weights must have shape"),
        ([[0, 1]], [0.0], None, "one must be positive"),
        ([[0, 1]], [np.nan], None, "finite"),
        ([[0, 1]], [1.0], [2], "columns must be from 0"),
    ],
)
def test_coassociation_refuses(labels, weights, columns, message):
    with pytest.raises(ValueError, match=message):
        coassociation(labels, weights, columns=columns)


def test_columns_are_numbers_of_samples():
    with pytest.raises(TypeError, match="columns"):
        coassociation([[0, 1]], [1.0], columns=[0.5])


def rng():
    return np.random.default_rng(0)


def noisy_pool(truth, n_partitions, noise, seed):
    draw = np.random.default_rng(seed)
    pool = np.tile(truth, (n_partitions, 1))
    wrong = draw.random(pool.shape) < noise
    pool[wrong] = draw.integers(truth.max() + 1, size=wrong.sum())
    return pool


def test_noise_of_the_members_averages_out():
    truth = np.repeat(np.arange(4), 25)
    pool = noisy_pool(truth, 30, 0.3, 1)
    np.testing.assert_array_equal(consensus_partition(pool, np.ones(30), 4, rng=rng()), truth)


def test_only_weighted_members_count():
    first, second = np.repeat([0, 1], 6), np.tile([0, 1], 6)
    # A third partition by which the samples of a cluster differ.
    fine = np.arange(12) % 4
    pool = [first, second, fine]
    np.testing.assert_array_equal(consensus_partition(pool, [1.0, 0.01, 0.01], 2, rng=rng()), first)
    np.testing.assert_array_equal(consensus_partition(pool, [0.01, 1.0, 0.01], 2, rng=rng()), second)


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=st.integers(0, 3)),
    st.data(),
)
def test_k_clusters_where_the_pool_tells_k_samples_apart(labels, data):
    n_partitions, n = labels.shape
    k = data.draw(st.integers(1, n))
    weights = np.zeros(n_partitions)
    weights[data.draw(st.integers(0, n_partitions - 1))] = 1.0
    found = consensus_partition(labels, weights, k, rng=rng())
    n_distinct = n if k == n else len(np.unique(labels, axis=1).T)
    assert found.dtype == np.int32
    assert len(np.unique(found)) == min(k, n_distinct)
    assert list(dict.fromkeys(found.tolist())) == list(range(found.max() + 1))
    # The clusters' numbers in the pool don't matter.
    np.testing.assert_array_equal(consensus_partition(9 - labels, weights, k, rng=rng()), found)


def test_groups_that_nobody_joins_are_joined_by_the_whole_pool():
    four, two = np.repeat(np.arange(4), 3), np.repeat([0, 1, 1, 0], 3)
    found = consensus_partition([four, two], [1.0, 0.0], 2, rng=rng())
    np.testing.assert_array_equal(found, two)


def test_too_few_clusters_are_cut_by_the_rest_of_the_pool():
    coarse, fine = np.repeat([0, 1], 6), np.repeat([0, 0, 1, 2], 3)
    pool = [coarse, fine, np.arange(12)]
    found = consensus_partition(pool, [1.0, 0.0, 0.0], 3, rng=rng())
    np.testing.assert_array_equal(found, fine)
    # The largest of three clusters next, its first sample against the others.
    found = consensus_partition(pool, [1.0, 0.0, 0.0], 4, rng=rng())
    np.testing.assert_array_equal(found, [0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3])


def test_a_cut_that_misses_clusters_is_completed(monkeypatch):
    pool = np.array([np.arange(6) // 2, np.arange(6) // 3, np.arange(6)])
    monkeypatch.setattr(
        "moo_clustering.evidence.kernels.spectral_cuts",
        lambda S, ks, *, rng: np.zeros((1, 6), dtype=np.int32),
    )
    found = consensus_partition(pool, [0.5, 1.0, 0.2], 3, rng=rng())
    np.testing.assert_array_equal(found, [0, 0, 1, 2, 2, 2])


def test_ends_of_the_range():
    labels = np.array([[0, 1, 1, 0]])
    assert consensus_partition(labels, [1.0], 1, rng=rng()).tolist() == [0, 0, 0, 0]
    assert consensus_partition(labels, [1.0], 4, rng=rng()).tolist() == [0, 1, 2, 3]
    assert consensus_partition(labels, [1.0], 2, rng=rng()).tolist() == [0, 1, 1, 0]
    for k in (0, 5):
        with pytest.raises(ValueError, match="k must be from 1"):
            consensus_partition(labels, [1.0], k, rng=rng())


POOL = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]])


def unmerged(K, labelled, Y, noise=0.1):
    """A row of the system for every labelled sample; K between all."""
    K = K / K[labelled, labelled].mean()
    shares = 1.0 / Y.shape[1]
    system = K[np.ix_(labelled, labelled)] + noise * np.eye(len(labelled))
    return shares + K[:, labelled] @ np.linalg.inv(system) @ (Y - shares)


def test_worked_example():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    F = kernel_ridge(kernel, [0, 5], np.eye(2), np.ones(2))
    np.testing.assert_allclose(F[:, 0], [21 / 22, 21 / 22, 0.5, 13 / 66, 1 / 22, 1 / 22], atol=1e-14)
    np.testing.assert_allclose(F.sum(axis=1), 1.0, atol=1e-14)


def test_two_labels_on_a_landmark_are_two_rows():
    K = coassociation(POOL, np.ones(3))
    Y = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    merged = kernel_ridge(K[:, [0, 5]], [0, 5], np.eye(2), [2, 1])
    np.testing.assert_allclose(merged, unmerged(K, [0, 0, 5], Y), atol=1e-10)
    assert not np.allclose(merged, kernel_ridge(K[:, [0, 5]], [0, 5], np.eye(2)))


def test_repeats_of_many_classes_and_a_kernel_of_uneven_diagonal(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(20, 5))
    K = linear_kernel(X) + np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    labelled = rng.integers(20, size=30)
    Y = np.eye(3)[rng.integers(3, size=30)]
    columns, which, counts = np.unique(labelled, return_inverse=True, return_counts=True)
    targets = np.zeros((len(columns), 3))
    np.add.at(targets, which, Y)
    merged = kernel_ridge(K[:, columns], columns, targets / counts[:, None], counts)
    np.testing.assert_allclose(merged, unmerged(K, labelled, Y), atol=1e-10)


def test_units_of_the_kernel_don_t_matter_and_nothing_known_means_equal_shares():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    F = kernel_ridge(kernel, [0, 5], np.eye(2))
    np.testing.assert_allclose(kernel_ridge(50.0 * kernel, [0, 5], np.eye(2)), F, atol=1e-12)
    np.testing.assert_array_equal(
        kernel_ridge(np.zeros((6, 2)), [0, 5], np.eye(4)[:2]), np.full((6, 4), 0.25)
    )


def test_order_of_labels_doesn_t_matter():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5, 2])
    order = [2, 0, 1]
    Y = np.eye(3)
    F = kernel_ridge(kernel, [0, 5, 2], Y)
    np.testing.assert_allclose(kernel_ridge(kernel[:, order], [2, 0, 5], Y[order]), F, atol=1e-12)


def test_inputs_are_left_alone():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    given, targets = kernel.copy(), np.eye(2)
    kernel_ridge(kernel, [0, 5], targets)
    np.testing.assert_array_equal(kernel, given)
    np.testing.assert_array_equal(targets, np.eye(2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": [0]}, "columns must contain"),
        ({"columns": [3, 3]}, "sample 3 in 2 columns"),
        ({"columns": [0, 6]}, "columns must be from 0"),
        ({"targets": np.eye(3)}, "targets must have shape"),
        ({"counts": [1.0, 0.0]}, r"counts must be 2 positive numbers, got \[1.0, 0.0\]"),
        ({"ridge": 0.0}, "ridge must be positive"),
    ],
)
def test_ridge_refuses(arguments, message):
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    given = {"columns": [0, 5], "targets": np.eye(2)} | arguments
    with pytest.raises(ValueError, match=message):
        kernel_ridge(kernel, **given)


def test_by_hand():
    # Rows (3/4, 1/4) and (0, 1) have means (3/8, 5/8): factors sqrt(4/3) and sqrt(4/5) for equal shares.
    P = class_probabilities([[0.75, 0.25], [-2.0, 1.0]], [0.5, 0.5])
    a, b = 0.75 * np.sqrt(4 / 3), 0.25 * np.sqrt(4 / 5)
    np.testing.assert_allclose(P[0], [a / (a + b), b / (a + b)], rtol=1e-8)
    np.testing.assert_allclose(P[1], [1e-9 * np.sqrt(5 / 3), 1.0], rtol=1e-7)


def test_shares_as_expected_change_nothing():
    F = np.array([[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]])
    np.testing.assert_allclose(class_probabilities(F, [0.7, 0.3]), F, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 8), st.integers(1, 5), st.integers(0, 999))
def test_step_by_step(n, K, seed):
    rng = np.random.default_rng(seed)
    F, prior = rng.normal(size=(n, K)), rng.dirichlet(np.ones(K)) + 1e-3
    expected = np.array([[max(f, 1e-9) for f in row] for row in F])
    expected = np.array([row / sum(row) for row in expected])
    expected = np.array([row * (prior / expected.mean(axis=0)) ** 0.5 for row in expected])
    expected = np.array([row / sum(row) for row in expected])
    given_scores = F.copy()
    np.testing.assert_allclose(class_probabilities(F, prior), expected, rtol=1e-10)
    np.testing.assert_array_equal(F, given_scores)


@pytest.mark.parametrize(
    ("F", "prior", "message"),
    [
        ([1.0, 2.0], [0.5, 0.5], "F must have"),
        ([[1.0, np.nan]], [0.5, 0.5], "finite"),
        ([[1.0, 2.0]], [1.0], "prior must be 2"),
        ([[1.0, 2.0]], [1.0, 0.0], "positive"),
    ],
)
def test_class_probabilities_refuse(F, prior, message):
    with pytest.raises(ValueError, match=message):
        class_probabilities(F, prior)
