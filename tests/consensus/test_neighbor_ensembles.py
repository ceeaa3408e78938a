"""Phase II of PESC against worked numbers and word-for-word sums."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.consensus import (
    SIGMA_GRID,
    diversity_graph,
    diversity_weights,
    edge_distances,
    ensemble_members,
    kernel_graph,
    kernel_weights,
    reconstruction_graph,
    reconstruction_weights,
)
from moo_clustering.graphs import NeighborLists, neighbor_lists

PAPER = np.array([[1, 0, 3, 2, 3], [1, 0, 4, 2, 3], [1, 2, 4, 2, 2]])


def full_lists(n, seed=0):
    """Lists whose distances do not matter, and a function from indices to ranks."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return X, neighbor_lists(X, n - 1, rng=np.random.default_rng(0))


def to_ranks(indices, lists):
    return np.array(
        [[int(np.flatnonzero(lists.indices[i] == j)[0]) for i, j in enumerate(row)] for row in indices]
    )


def paper_graph(weight):
    _, lists = full_lists(5)
    return diversity_weights(to_ranks(PAPER, lists).astype(np.uint8), lists, weight=weight)


@pytest.mark.parametrize(
    ("weight", "units"),
    [
        (
            "one_minus_div",
            {(0, 1): 33, (1, 0): 23, (1, 2): 10, (2, 3): 11, (2, 4): 22, (3, 2): 33, (4, 2): 10, (4, 3): 23},
        ),
        ("div", {(0, 1): 12, (1, 0): 7, (1, 2): 5, (2, 3): 4, (2, 4): 8, (3, 2): 12, (4, 2): 5, (4, 3): 7}),
        (
            "count",
            {(0, 1): 45, (1, 0): 30, (1, 2): 15, (2, 3): 15, (2, 4): 30, (3, 2): 45, (4, 2): 15, (4, 3): 30},
        ),
    ],
)
def test_es2_of_the_paper(weight, units):
    S = paper_graph(weight).todok()
    assert set(S.keys()) == set(units)
    for pair, value in units.items():
        assert S[pair] == pytest.approx(float(Fraction(value, 45)), rel=1e-14)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(1, 8))
def test_es2_rows_sum_to_the_mean_contribution(seed, n, members):
    rng = np.random.default_rng(seed)
    _, lists = full_lists(n, seed % 97)
    ranks = rng.integers(0, n - 1, size=(members, n)).astype(np.uint8)
    div = [np.mean([(row != other).mean() for other in ranks]) for row in ranks]
    S = diversity_weights(ranks, lists)
    np.testing.assert_allclose(S.sum(axis=1), np.mean([1 - d for d in div]), rtol=1e-12)
    assert S.nnz <= members * n
    assert S.format == "csr"
    chosen = lists.indices[np.arange(n), ranks]
    rows, columns = S.nonzero()
    assert {(i, j) for i, j in zip(rows, columns, strict=True)} == {
        (i, int(j)) for row in chosen for i, j in enumerate(row)
    }
    np.testing.assert_array_equal(
        diversity_weights(ranks, lists, n_jobs=2).toarray(),
        diversity_weights(ranks, lists, n_jobs=1).toarray(),
    )


def test_es2_div_of_an_ensemble_without_diversity_counts_instead():
    _, lists = full_lists(6)
    ranks = np.ones((3, 6), dtype=np.uint8)
    with pytest.warns(UserWarning, match="es2_weight='count'"):
        S = diversity_graph(ranks, lists, weight="div")
    np.testing.assert_array_equal(S.sum(axis=1), 1.0)


def test_es2_graph_of_a_diverse_ensemble_has_the_weights_asked_for():
    _, lists = full_lists(5)
    ranks = to_ranks(PAPER, lists).astype(np.uint8)
    S = diversity_graph(ranks, lists, weight="div").toarray() * 45
    # As in the paper's table above: 12 of 45 and so on.
    expected = np.zeros((5, 5))
    for (i, j), units in {
        (0, 1): 12,
        (1, 0): 7,
        (1, 2): 5,
        (2, 3): 4,
        (2, 4): 8,
        (3, 2): 12,
        (4, 2): 5,
        (4, 3): 7,
    }.items():
        expected[i, j] = units
    np.testing.assert_allclose(S, expected, rtol=1e-6)


SQUARE = np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 2.0], [2.0, 2.0]])


def square_ensemble():
    lists = neighbor_lists(SQUARE, 3, ties="index", rng=np.random.default_rng(0))
    return to_ranks([[1, 0, 0, 1], [2, 3, 3, 2], [1, 3, 3, 1]], lists).astype(np.uint8), lists


def residual(S, X):
    return ((S @ X - X) ** 2).sum()


def test_es1_worked_example_without_ridge():
    ranks, lists = square_ensemble()
    S = reconstruction_graph(ranks, lists, SQUARE, ridge=4e-8).toarray()
    expected = np.zeros((4, 4))
    expected[0, [1, 2]] = 1 / 3
    expected[1, [0, 3]] = expected[2, [0, 3]] = 0.3, 0.6
    expected[3, [1, 2]] = 2 / 3
    np.testing.assert_allclose(S, expected, atol=1e-6)
    assert residual(S, SQUARE) == pytest.approx(1.0, abs=1e-6)


def test_es1_worked_example_with_ridge():
    ranks, lists = square_ensemble()
    S = reconstruction_graph(ranks, lists, SQUARE, ridge=4.0).toarray()  # mean variance 1/4: rho = 1
    assert S[0, [1, 2]] == pytest.approx([0.3, 0.3])
    assert S[1, [0, 3]] == pytest.approx([0.272727, 0.545455], abs=1e-6)
    assert S[2, [0, 3]] == pytest.approx([0.272727, 0.545455], abs=1e-6)
    assert S[3, [1, 2]] == pytest.approx([0.6, 0.6])
    assert residual(S, SQUARE) == pytest.approx(1.1743802, abs=1e-6)


def random_edges(seed, n=25, d=3, q=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    lists = neighbor_lists(X, q, rng=rng)
    ranks = rng.integers(0, q, size=(q, n)).astype(np.uint8)
    return X, edge_distances(ranks, lists)[0]


@pytest.mark.parametrize("orientation", ["row", "column"])
@pytest.mark.parametrize("seed", range(4))
def test_es1_is_the_exact_minimum(orientation, seed):
    X, edges = random_edges(seed)
    rho = 0.025 * X.var(axis=0).mean()
    S = reconstruction_weights(X, edges, orientation=orientation).toarray()
    support = edges.toarray() > 0
    if orientation == "column":
        S, support = S.T, support.T
    for i in range(len(X)):
        chosen = np.flatnonzero(support[i])
        if len(chosen) == 0:
            assert not S[i].any()
            continue
        stacked = np.vstack([X[chosen].T, np.sqrt(rho) * np.eye(len(chosen))])
        expected, _ = scipy.optimize.nnls(stacked, np.concatenate([X[i], np.zeros(len(chosen))]))
        np.testing.assert_allclose(S[i, chosen], expected, atol=1e-9)
        gradient = 2 * (X[chosen] @ (X[chosen].T @ S[i, chosen] - X[i]) + rho * S[i, chosen])
        assert (gradient > -1e-8).all()
        assert abs(gradient @ S[i, chosen]) < 1e-8


def test_es1_orientations_differ_on_an_asymmetric_support():
    X, edges = random_edges(7)
    by_row, by_column = (reconstruction_weights(X, edges, orientation=o).toarray() for o in ("row", "column"))
    assert np.abs(by_row - by_column).max() > 1e-3


def test_es1_drops_zero_weights_unless_a_least_weight_is_set():
    X, edges = random_edges(2)
    assert reconstruction_weights(X, edges).nnz < edges.nnz
    kept = reconstruction_weights(X, edges, min_weight=1e-6)
    assert kept.nnz == edges.nnz
    assert kept.data.min() == 1e-6


def test_es1_with_duplicates_and_no_ridge_is_finite():
    X = np.repeat(np.random.default_rng(0).normal(size=(3, 2)), 4, axis=0)
    lists = neighbor_lists(X, 5, rng=np.random.default_rng(0))
    ranks = np.tile(np.arange(5)[:, None], (1, 12)).astype(np.uint8)
    S = reconstruction_graph(ranks, lists, X, ridge=0.0)
    assert np.isfinite(S.data).all()
    assert residual(S, X) < 1e-10


def test_es3_is_the_kernel_on_the_chosen_edges():
    X, lists = full_lists(12)
    ranks = np.random.default_rng(0).integers(0, 4, size=(5, 12)).astype(np.uint8)
    edges, distances = edge_distances(ranks, lists)
    rows = np.repeat(np.arange(12), np.diff(edges.indptr))
    expected = np.linalg.norm(X[rows] - X[edges.indices], axis=1)
    np.testing.assert_allclose(distances, expected, rtol=1e-6)
    S, sigma = kernel_graph(
        ranks, lists, sigma="mean", n_clusters=2, laplacian="sym", rng=np.random.default_rng(0)
    )
    assert sigma == pytest.approx(expected.mean(), rel=1e-6)
    np.testing.assert_allclose(S.data, np.exp(-(expected**2) / (2 * sigma**2)), rtol=1e-5)
    _, median = kernel_graph(
        ranks, lists, sigma="median", n_clusters=2, laplacian="sym", rng=np.random.default_rng(0)
    )
    assert median == pytest.approx(np.median(expected), rel=1e-6)


def test_es3_extremes():
    edges, distances = edge_distances(np.zeros((1, 6), dtype=np.uint8), full_lists(6)[1])
    np.testing.assert_array_equal(kernel_weights(edges, distances, 0.0).data, 1.0)
    np.testing.assert_array_equal(kernel_weights(edges, 0 * distances, 0.1).data, 1.0)
    assert (kernel_weights(edges, distances, 1e-9).data > 0).all()


def test_es3_grid_takes_a_value_of_the_paper_and_warns_with_the_paper_laplacian():
    _, lists = full_lists(30)
    ranks = np.random.default_rng(0).integers(0, 5, size=(8, 30)).astype(np.uint8)
    rng = np.random.default_rng(0)
    assert kernel_graph(ranks, lists, sigma="grid", n_clusters=3, laplacian="sym", rng=rng)[1] in SIGMA_GRID
    with pytest.warns(UserWarning, match="separate outliers"):
        kernel_graph(ranks, lists, sigma=1.0, n_clusters=3, laplacian="unnormalized", rng=rng)


def test_members_are_whole_fronts():
    F = np.array([[0.0, 3.0], [1.0, 1.0], [3.0, 0.0], [2.0, 2.0], [2.0, 3.0], [4.0, 4.0]])
    assert ensemble_members(F).tolist() == [0, 1, 2]
    assert ensemble_members(F, 4).tolist() == [0, 1, 2, 3]
    assert ensemble_members(F, 5).tolist() == [0, 1, 2, 3, 4]
    assert ensemble_members(F, 99).tolist() == [0, 1, 2, 3, 4, 5]


def test_ragged_lists_do_not_leak_their_padding():
    indices = np.array([[1, 2], [0, -1], [1, 0]], dtype=np.int32)
    distances = np.array([[1, 2], [1, np.inf], [1, 2]], dtype=np.float32)
    lists = NeighborLists(indices, distances, np.array([2, 1, 2], dtype=np.int32))
    S = diversity_weights(np.array([[1, 0, 1], [0, 0, 0]], dtype=np.uint8), lists)
    assert (S.indices >= 0).all()
    assert np.isfinite(edge_distances(np.array([[1, 0, 1]], dtype=np.uint8), lists)[1]).all()


def test_unknown_options_are_refused():
    X, lists = full_lists(5)
    ranks = to_ranks(PAPER, lists)
    with pytest.raises(ValueError, match="orientation must be"):
        reconstruction_weights(X, edge_distances(ranks, lists)[0], orientation="rows")
    with pytest.raises(ValueError, match="weight must be"):
        diversity_weights(ranks, lists, weight="counts")
    with pytest.raises(ValueError, match="sigma must be"):
        kernel_graph(ranks, lists, sigma="mode", n_clusters=2, laplacian="sym", rng=np.random.default_rng(0))
