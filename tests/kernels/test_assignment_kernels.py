"""Assignment within bounds: worked cases, the linear programme, matching with copies of clusters, prices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from moo_clustering._kernels.assignment import assign_within


def assigned(cost, low, high, prices=None, kernel=assign_within):
    """Labels, their cost, prices and number of paths."""
    cost = np.array(cost, dtype=np.float64)
    n, k = cost.shape
    prices = np.zeros(k) if prices is None else np.array(prices, dtype=np.float64)
    low, high = (np.broadcast_to(np.int64(bound), k).copy() for bound in (low, high))
    labels = np.full(n, -1, dtype=np.int32)
    n_paths = kernel(cost, low, high, prices, labels)
    return labels, cost[np.arange(n), labels].sum(), prices, n_paths


WORKED = [[0, 10], [1, 9], [2, 8], [3, 7]]


def test_worked_numbers():
    assert assigned(WORKED, 0, 4)[:2] == (pytest.approx([0, 0, 0, 0]), 6)
    labels, cost, prices, n_paths = assigned(WORKED, 0, 3)
    assert (labels.tolist(), cost, prices.tolist(), n_paths) == ([0, 0, 0, 1], 10, [4, 0], 1)
    assert assigned(WORKED, 2, 2)[:2] == (pytest.approx([0, 0, 1, 1]), 16)
    # The surplus of 0 goes to 2 by way of 1: the direct move costs 10, the two exchanges 1 + 1.
    assert assigned([[0, 1, 10], [0, 3, 10], [9, 0, 1]], 1, 1)[:2] == (pytest.approx([1, 0, 2]), 2)


def programme(cost, low, high):
    """Least cost by the linear programme, which has a whole solution."""
    n, k = cost.shape
    sizes = np.tile(np.eye(k), n)
    found = linprog(
        cost.ravel(),
        A_ub=np.vstack([sizes, -sizes]),
        b_ub=np.concatenate([high, -low]),
        A_eq=np.kron(np.eye(n), np.ones(k)),
        b_eq=np.ones(n),
        method="highs",
    )
    assert found.status == 0
    return found.fun


def drawn(seed):
    """Costs, often with ties, and bounds per cluster that can hold."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    k = int(rng.integers(1, min(n, 6) + 1))
    cost = rng.integers(0, 5, (n, k)).astype(float) if rng.random() < 0.5 else rng.random((n, k))
    low = rng.multinomial(rng.integers(0, n + 1), np.ones(k) / k)
    high = low + rng.integers(0, 4, k)
    while high.sum() < n:
        high[rng.integers(k)] += 1
    return rng, cost, low, high


@settings(max_examples=500, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_cost_equals_that_of_the_linear_programme(seed):
    rng, cost, low, high = drawn(seed)
    best = programme(cost, low, high)
    starts = [None, rng.normal(size=cost.shape[1])]
    for prices in [*starts, assigned(cost + rng.normal(0, 0.1, cost.shape), low, high)[2]]:
        labels, value, after, _ = assigned(cost, low, high, prices)
        sizes = np.bincount(labels, minlength=len(low))
        assert (low <= sizes).all()
        assert (sizes <= high).all()
        assert value == pytest.approx(best, rel=1e-9, abs=1e-9)
        # The prices prove it: no sample, and no bound, can gain by them.
        dual = (cost + after).min(axis=1).sum() - np.where(after > 0, after * high, after * low).sum()
        assert dual == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_the_python_function_returns_the_same():
    for seed in range(60):
        _, cost, low, high = drawn(seed)
        one, two = assigned(cost, low, high), assigned(cost, low, high, kernel=assign_within.py_func)
        np.testing.assert_array_equal(one[0], two[0])
        np.testing.assert_array_equal(one[2], two[2])
        assert one[3] == two[3]


def test_lists_that_run_out_are_refilled():
    # Hundreds of samples leave a cluster, more than a list of exchanges holds.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2)) * [1, 3]
    cost = ((X[:, None] - np.array([[0, 0], [5, 0], [-5, 4]])) ** 2).sum(-1)
    labels, value, _, n_paths = assigned(cost, [250, 300, 350], [250, 300, 350])
    assert n_paths > 200
    slots = np.repeat(np.arange(3), [250, 300, 350])
    rows, columns = linear_sum_assignment(cost[:, slots])
    assert value == pytest.approx(cost[rows, slots[columns]].sum(), rel=1e-12)
    np.testing.assert_array_equal(labels, slots[columns])


def test_prices_of_the_same_problem_save_all_paths():
    rng = np.random.default_rng(1)
    cost = rng.random((200, 5))
    _, value, prices, n_paths = assigned(cost, 40, 40)
    _, again, _, n_again = assigned(cost, 40, 40, prices)
    assert n_paths > 0
    assert n_again <= 5
    assert again == pytest.approx(value)
