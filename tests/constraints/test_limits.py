"""Limits: worked violations, naive functions, permutations, units, and impossible limits."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from moo_clustering.constraints import (
    ClusterCount,
    ClusterSizes,
    ClusterWeights,
    Contiguity,
    Diameter,
    GroupShares,
    Kept,
    Limit,
)
from moo_clustering.encodings import align_labels

PATH = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)  # 0-1-2-3
LINE = np.abs(np.subtract.outer([0.0, 1, 5], [0.0, 1, 5]))


@pytest.mark.parametrize(
    ("limit", "labels", "violations"),
    [
        (ClusterWeights([1, 2, 5], 4, 5), [0, 0, 1], [1 / 4]),
        # Loads 3 and 5; then 8, which is 2 above 6.
        (ClusterWeights([1, 2, 5, 0], 4, 6), [[0, 0, 1, 1], [0, 0, 0, 0]], [1 / 4, 2 / 6]),
        (ClusterSizes(2, 3), [[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]], [0, 1 / 3 + 1 / 2]),
        (ClusterSizes(high=2), [[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], [1 / 2, 3 / 2]),
        (ClusterSizes(low=2), [[0, 0, 0, 1, 1], [0, 1, 2, 3, 4]], [0, 5 / 2]),
        # The larger cluster is matched to the larger bounds, whatever its number.
        (
            ClusterSizes([1, 4], [1, 4]),
            [[0, 0, 0, 0, 1], [0, 1, 1, 1, 1], [0, 0, 1, 1, 1]],
            [0, 0, 1 + 1 / 4],
        ),
        # Three clusters for two bounds: 1, 1 and 3 samples; and one cluster of 5.
        (ClusterSizes([1, 4], [1, 4]), [[0, 1, 2, 2, 2], [0, 0, 0, 0, 0]], [1 + 1 / 4, 1 + 1 / 4]),
        (Contiguity(PATH), [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], [0, 1, 1 / 2]),
        # Both groups are half of all samples. Two of three in a cluster: 4/3 is 1/12 above 1.25, and 2/3 is
        # 2/15 below 0.8.
        (GroupShares([1, 1, 0, 0, 0, 1]), [0, 0, 0, 1, 1, 1], [2 / 15]),
        (GroupShares([1, 1, 0, 0, 0, 1], low=0.5), [0, 0, 0, 1, 1, 1], [1 / 12]),
        (Diameter(LINE, 4), [[0, 0, 0], [0, 0, 1], [0, 1, 1]], [1 / 4, 0, 0]),
        (ClusterCount(2, 3), [[0, 0, 0, 0], [0, 1, 1, 2], [0, 1, 2, 3]], [1 / 2, 0, 1 / 3]),
        (Kept([0, 0, 1, 1], 0.25), [[1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]], [0, 0, 1 / 4]),
        # The third sample is new.
        (Kept([0, 0, -1, 1], 0), [[0, 0, 0, 1], [0, 0, 2, 1], [0, 1, 0, 0]], [0, 0, 1 / 3]),
    ],
)
def test_worked_violations(limit, labels, violations):
    assert_allclose(limit.violations(np.array(labels)), violations, rtol=1e-12, atol=0)
    # Huge cluster numbers do not need huge tables.
    assert_allclose(limit.violations(np.array(labels) * 10**15), violations, rtol=1e-12, atol=0)
    assert_array_equal(pickle.loads(pickle.dumps(limit)).violations(labels), limit.violations(labels))


def test_changed_samples_by_hand():
    kept = Kept([0, 0, 1, 1], 0)
    assert_array_equal(kept.changed([[1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]]), [0, 0.25, 0.5])


def naive_loads(row, weight, low, high):
    total = 0.0
    for cluster in set(row.tolist()):
        load = sum(weight[i] for i in range(len(row)) if row[i] == cluster)
        total += (low - load) / low if load < low else (load - high) / high if load > high else 0.0
    return total


def naive_pieces(row, graph):
    """Number of pieces by repeated merging, over the number of clusters."""
    piece = list(range(len(row)))
    for _ in row:
        for i, j in itertools.product(range(len(row)), repeat=2):
            if graph[i, j] and row[i] == row[j]:
                piece[i] = piece[j] = min(piece[i], piece[j])
    return len(set(piece)) / len(set(row.tolist())) - 1


def naive_shares(row, groups, low, high):
    worst = 0.0
    for cluster, group in itertools.product(set(row.tolist()), set(groups.tolist())):
        ratio = np.mean(groups[row == cluster] == group) / np.mean(groups == group)
        worst = max(worst, low - ratio, ratio - high)
    return worst


def naive_diameter(row, D, at_most):
    pairs = itertools.product(range(len(row)), repeat=2)
    return max(max(D[i, j] for i, j in pairs if row[i] == row[j]) / at_most - 1, 0.0)


def drawn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 15))
    labels = rng.integers(0, rng.integers(1, 5), size=(6, n))
    return rng, n, labels


def all_limits(rng, n):
    """Each limit on n samples, its naive function, and how to permute its data."""
    weight, groups = rng.integers(1, 9, n).astype(float), np.append([0, 1], rng.integers(0, 3, n - 2))
    graph = rng.random((n, n)) < 0.3
    graph = ((graph | graph.T) & ~np.eye(n, dtype=bool)).astype(float)
    points = rng.normal(size=(n, 2))
    D = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    previous = rng.integers(0, 3, n)
    return {
        "sizes": (
            lambda order: ClusterSizes(2, 4),
            lambda row: naive_loads(row, np.ones(n), 2, 4),
        ),
        "weights": (
            lambda order: ClusterWeights(weight[order], 7, 12),
            lambda row: naive_loads(row, weight, 7, 12),
        ),
        "contiguity": (
            lambda order: Contiguity(graph[np.ix_(order, order)]),
            lambda row: naive_pieces(row, graph),
        ),
        "shares": (
            lambda order: GroupShares(groups[order], 0.7, 1.4),
            lambda row: naive_shares(row, groups, 0.7, 1.4),
        ),
        "diameter": (
            lambda order: Diameter(D[np.ix_(order, order)], 1.5),
            lambda row: naive_diameter(row, D, 1.5),
        ),
        "count": (
            lambda order: ClusterCount(2, 3),
            lambda row: max(0, (2 - len(set(row.tolist()))) / 2, (len(set(row.tolist())) - 3) / 3),
        ),
        "kept": (
            lambda order: Kept(previous[order], 0.1),
            lambda row: max(0.0, np.mean(align_labels(previous, row) != previous) - 0.1),
        ),
    }


NAMES = ["sizes", "weights", "contiguity", "shares", "diameter", "count", "kept"]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_violations_equal_a_naive_function(name, seed):
    rng, n, labels = drawn(seed)
    make, naive = all_limits(rng, n)[name]
    limit = make(np.arange(n))
    violations = limit.violations(labels)
    assert violations.shape == (6,)
    assert (violations >= 0).all()
    assert_allclose(violations, [naive(row) for row in labels], rtol=0, atol=1e-9)
    # One partition at a time, and other names of the clusters.
    assert_array_equal(violations, [limit.violations(row)[0] for row in labels])
    assert_allclose(limit.violations(1000 - 3 * labels), violations, rtol=1e-12)
    assert_allclose(limit.violations(rng.permutation(9)[labels]), violations, rtol=1e-12)
    # The same samples in another order.
    order = rng.permutation(n)
    assert_allclose(make(order).violations(labels[:, order]), violations, rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), unit=st.floats(1e-6, 1e6))
def test_violations_do_not_depend_on_units(seed, unit):
    rng, n, labels = drawn(seed)
    weight, D = rng.random(n) + 0.1, np.abs(np.subtract.outer(*[rng.normal(size=n)] * 2))
    pairs = [
        (ClusterWeights(weight, 1, 2), ClusterWeights(weight * unit, unit, 2 * unit)),
        (Diameter(D, 0.8), Diameter(D * unit, 0.8 * unit)),
    ]
    for one, other in pairs:
        assert_allclose(one.violations(labels), other.violations(labels), rtol=1e-9, atol=1e-9)


def test_sums_that_reach_a_bound_up_to_rounding_are_within():
    limit = ClusterWeights([0.1] * 6, 0.3, 0.3)
    assert 0.1 + 0.1 + 0.1 > 0.3
    assert_array_equal(limit.violations([0, 0, 0, 1, 1, 1]), [0])
    limit.possible(2)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 4))
@pytest.mark.parametrize("name", NAMES)
def test_limits_are_only_called_impossible_if_all_partitions_violate_them(name, seed, k):
    rng = np.random.default_rng(seed)
    n = 6
    limit = all_limits(rng, n)[name][0](np.arange(n))
    try:
        limit.possible(k, n)
    except ValueError:
        rows = np.array([row for row in itertools.product(range(k), repeat=n) if len(set(row)) == k])
        assert (limit.violations(rows) > 0).all()


@pytest.mark.parametrize(
    ("limit", "k", "message"),
    [
        (
            ClusterWeights([1, 2, 5], 5, 6),
            3,
            r"^3 clusters of weight 5\.\.6 contain 15\.\.18 in total, but the weights sum to 8",
        ),
        (
            ClusterSizes(5, 6),
            3,
            r"^3 clusters of 5\.\.6 samples contain 15\.\.18 in total, but there are 3 samples",
        ),
        (ClusterSizes(low=2), 2, r"of at least 2 samples contain at least 4 in total, but there are 3"),
        (ClusterSizes([1, 1, 1], 2), 2, "bounds for 3 clusters, not for 2"),
        (
            ClusterSizes([1, 4], [1, 5]),
            2,
            r"2 clusters within their bounds contain 5\.\.6 in total, but there are 3",
        ),
        (Contiguity(np.zeros((3, 3))), 2, "3 connected components, so it cannot be divided into 2"),
        (GroupShares(["a", "b", "b"]), 2, "needs a sample of group 'a', which has 1 samples for 2 clusters"),
        (Diameter(LINE, 0.5), 2, "samples 0, 1, 2 are pairwise farther apart than at_most=0.5"),
        (ClusterCount(3, 4), 2, r"2 clusters are outside the bounds, 3\.\.4"),
        (ClusterCount(3), 2, "outside the bounds, at least 3"),
        (
            Kept([0, 1, 2], 0.3),
            2,
            "with 2 clusters instead of 3, at least 1 of 3 samples change cluster, more than at_most",
        ),
        (
            ClusterWeights([1, 2], 1, 2),
            2,
            "cluster_weights was created for 2 samples, but there are 3 samples",
        ),
        (Contiguity(PATH), 2, "contiguity was created for 4 samples, but there are 3 samples"),
    ],
)
def test_what_cannot_hold(limit, k, message):
    with pytest.raises(ValueError, match=message):
        limit.possible(k, 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ClusterWeights([1, 2, 5], 0, 4), "sample 2 alone weighs 5, more than high=4"),
        (lambda: ClusterWeights([1, -2, 5], 0, 9), "weight must be non-negative, got -2 for sample 1"),
        (lambda: ClusterWeights([0, 0], 0, 9), "weight must contain at least one positive value"),
        (lambda: ClusterWeights([1, np.nan], 0, 9), "weight must be finite"),
        (lambda: ClusterWeights([1, 2], 3, 2), "low must not exceed high, got low=3 and high=2"),
        (lambda: ClusterSizes([1, 3], 2), "got low=3 and high=2 for cluster 1"),
        (lambda: ClusterSizes(), "ClusterSizes requires low, high or both"),
        (lambda: ClusterSizes(-1), "low must be one non-negative number, or one per cluster, got -1"),
        (lambda: ClusterSizes(high=0), "high must be one positive number"),
        (lambda: ClusterSizes("3"), "low must be one non-negative number, or one per cluster, got '3'"),
        (lambda: ClusterSizes(np.inf), "low must be finite"),
        (lambda: ClusterSizes(1.5), "low must be a whole number of samples, got 1.5"),
        (lambda: ClusterSizes([1, 2], [3, 4, 5]), "one bound per cluster, got 2 and 3"),
        (lambda: Contiguity(np.ones((2, 3))), "graph must be a square matrix"),
        (lambda: Contiguity(sparse.csr_array([[0, 1], [0, 0]])), "graph must be symmetric.*symmetrize"),
        (lambda: Contiguity([[0, -1], [-1, 0]]), "graph must be non-negative, got -1"),
        (
            lambda: GroupShares(["a", "a"]),
            "groups must have at least two values, got 'a' for all samples",
        ),
        (lambda: GroupShares(["a", None]), "a value for every sample, but sample 1 has none"),
        (lambda: GroupShares([1.0, np.nan]), "a value for every sample, but sample 1 has none"),
        (lambda: GroupShares([0, 1], low=1.1), "low must be at most 1, and high at least 1, got low=1.1"),
        (lambda: GroupShares([0, 1], high="a"), "high must be a non-negative number, got 'a'"),
        (lambda: Diameter(LINE, 0), "at_most must be a positive finite number, got 0"),
        (lambda: Diameter([[0, 1], [2, 0]], 1), "must be symmetric"),
        (lambda: ClusterCount(0), "low must be an integer of at least 1"),
        (lambda: ClusterCount(3, 2), "high must be an integer of at least 3"),
        (lambda: Kept([0, 1], 2), "at_most must be a number from 0 to 1"),
        (lambda: Kept([-1, -1], 0), "previous must be at least -1, and contain at least one non-negative"),
        (lambda: Kept([0, -2], 0), "previous must be at least -1, and contain at least one non-negative"),
        (lambda: ClusterSizes(1, 2).violations([0, -1]), "labels must be non-negative, got -1"),
        (lambda: Contiguity(PATH).violations([0, 1]), "labels must have shape"),
    ],
)
def test_bad_limits(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_names():
    assert ClusterSizes(1, 2).name == "cluster_sizes"
    assert ClusterSizes(1, 2, name="teams").name == "teams"

    class MyOwn(Limit):
        def violations(self, labels):
            return [0.0] * len(labels)

    assert MyOwn().name == "my_own"
    MyOwn().possible(3, 10)


def test_assigned_samples_are_within_the_bounds():
    cost = [[0, 10], [1, 9], [2, 8], [3, 7]]
    for limit, labels in (
        (ClusterSizes(0, 4), [0, 0, 0, 0]),
        (ClusterSizes(high=3), [0, 0, 0, 1]),
        (ClusterSizes(2, 2), [0, 0, 1, 1]),
        (ClusterSizes([1, 3], [1, 3]), [0, 1, 1, 1]),
    ):
        assert_array_equal(limit.assign(cost), labels)
        assert limit.violations(limit.assign(cost)) == 0
    assert_array_equal(ClusterSizes(1, 1).assign([[0, 1, 10], [0, 3, 10], [9, 0, 1]]), [1, 0, 2])
    with pytest.raises(ValueError, match="2 clusters of at least 3 samples contain at least 6"):
        ClusterSizes(3).assign(cost)
    with pytest.raises(ValueError, match="cost must have 2 dimensions"):
        ClusterSizes(1).assign([1, 2])


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_groups_are_named(missing):
    with pytest.raises(ValueError, match="a value for every sample, but sample 2 has none"):
        GroupShares(["a", "b", missing])
