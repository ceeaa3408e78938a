"""Scores that differ by rounding noise are tied: no rank, no p-value and no sentence depends on it."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from moo_clustering.controls import ControlComparison, paired_difference
from moo_clustering.stats import (
    average_ranks,
    compare,
    critical_difference_data,
    friedman,
    holm,
    nemenyi,
    shaffer_static,
    signed_rank_p,
)

TESTS = {
    "average_ranks": lambda table, **more: average_ranks(table, **more),
    "friedman": lambda table, **more: vars(friedman(table, **more)),
    "friedman, ties corrected": lambda table, **more: vars(friedman(table, tie_correction=True, **more)),
    "shaffer_static": lambda table, **more: shaffer_static(table, **more),
    "holm": lambda table, **more: holm(table, **more),
    "nemenyi": lambda table, **more: nemenyi(table, **more),
    "critical_difference_data": lambda table, **more: vars(critical_difference_data(table, **more)),
    "compare": lambda table, **more: compare(table, **more).conclusions,
    "compare, ties corrected": lambda table, **more: compare(table, tie_correction=True, **more).conclusions,
}


def same(one, other):
    if isinstance(one, dict):
        for name in one:
            same(one[name], other[name])
    elif isinstance(one, pd.DataFrame):
        assert_frame_equal(one, other, check_exact=True)
    elif isinstance(one, pd.Series):
        assert_series_equal(one, other, check_exact=True)
    else:
        assert one == other


def nudged(table, rng, ulps):
    """Every score moved by up to so many units in its last place."""
    steps = rng.integers(-ulps, ulps + 1, table.shape).astype(table.dtype)
    finite = np.where(np.isfinite(table), table, 0).astype(table.dtype)
    return np.where(np.isfinite(table), finite + steps * np.spacing(np.abs(finite)), table)


def tables(rng):
    """Tables with exact ties, of several sizes of numbers, also large ones with an offset."""
    base = rng.integers(0, 6, (8, 4)) / 7.0
    scales = 10.0 ** np.array([-30, -12, -3, 0, 0, 3, 9, 30])[:, None]
    yield "shares", base
    yield "one scale for each data set", (base + 0.25) * scales
    yield "negative", -(base + 0.25) * scales
    yield "large offset", 1e9 + base
    yield "single precision", base.astype(np.float32)
    yield "single precision, offset", (base + 16).astype(np.float32)
    yield "infinite", np.where(base == base.max(), np.inf, base)
    yield "penalties", np.where(base == base.max(), 1e300, base + 1)


@pytest.mark.parametrize("name", TESTS)
def test_a_few_units_in_the_last_place_change_nothing(name):
    rng = np.random.default_rng(0)
    for case, table in tables(rng):
        for greater in (False, True):
            expected = TESTS[name](table, greater_is_better=greater)
            noisy = nudged(table, rng, 3)
            assert (noisy != table).any()
            try:
                same(TESTS[name](noisy, greater_is_better=greater), expected)
            except AssertionError as error:
                raise AssertionError(f"{case}, greater_is_better={greater}") from error


def test_runs_in_another_order_have_the_same_mean():
    rng = np.random.default_rng(1)
    for n_runs in (10, 100, 1000):
        runs = rng.random((10, n_runs)) * 10.0 ** rng.integers(-9, 9, (10, 1))
        orders = [runs, *(rng.permuted(runs, axis=1) for _ in range(4))]
        # Python's sum adds one by one; NumPy adds in pairs.
        means = [np.array([sum(row) / n_runs for row in one]) for one in orders] + [runs.mean(axis=1)]
        table = np.column_stack(means)
        assert (np.ptp(table, axis=1) > 0).any()
        assert (average_ranks(table, greater_is_better=True) == 3.5).all()
        assert friedman(table, greater_is_better=True).p_value == 1.0
        assert (shaffer_static(table, greater_is_better=True)["p_adjusted"] == 1.0).all()
        found = paired_difference(means[0], means[1])
        assert found == {
            **dict.fromkeys(("difference", "low", "high"), 0.0), "p": 1.0, "wins": 0, "ties": 10, "losses": 0
        }  # fmt: skip


def ranks_of(*rows):
    """Ranks of the methods on the first data set, of which the others are copies."""
    return average_ranks([list(rows)] * 2, greater_is_better=False).tolist()


def test_noise_by_hand():
    u = 2.0**-52
    assert ranks_of(1.0, 1.0 + 60 * u, 2.0) == [1.5, 1.5, 3.0]
    assert ranks_of(1.0, 1.0 + 70 * u, 2.0) == [1.0, 2.0, 3.0]
    # Neighbours of neighbours are tied although they are farther apart.
    assert ranks_of(1.0, 1.0 + 50 * u, 1.0 + 100 * u) == [2.0, 2.0, 2.0]
    # What is left of a subtraction, beside larger scores and alone.
    assert ranks_of(0.1 + 0.2 - 0.3, 0.0, 0.5) == [1.5, 1.5, 3.0]
    assert ranks_of(0.1 + 0.2 - 0.3, 0.3 - 0.2 - 0.1, 0.0) == [2.0, 2.0, 2.0]
    assert ranks_of(2e-17, 5e-17, 0.8) == [1.5, 1.5, 3.0]
    # Small scores of one sign are what they are, also beside a penalty.
    assert ranks_of(2e-17, 5e-17, 5.0001e-17) == [1.0, 2.0, 3.0]
    assert ranks_of(1.0, 1.001, 1e300) == [1.0, 2.0, 3.0]
    assert ranks_of(-np.inf, -1e308, np.inf, np.inf, 1e308) == [1.0, 2.0, 4.5, 4.5, 3.0]
    # Whole numbers are exact.
    assert ranks_of(10**15, 10**15 + 1, 10**15 + 2) == [1.0, 2.0, 3.0]
    assert ranks_of(0.0, 10.0**15, 10.0**15 + 1) == [1.0, 2.5, 2.5]


def test_scores_have_the_precision_of_their_type():
    step = np.float32(2.0**-22)
    row = np.array([0.75, 0.75 + step, 0.9], dtype=np.float32)
    frame = pd.DataFrame([row] * 2).astype("Float32")
    mixed = pd.DataFrame({"a": np.float32([0.1, 0.1]), "b": [0.1, 0.1], "c": [0.2, 0.2]})
    for single in ([row] * 2, np.stack([row] * 2), pd.DataFrame([row] * 2), frame, [list(row)] * 2):
        assert average_ranks(single, greater_is_better=False).tolist() == [1.5, 1.5, 3.0]
    assert average_ranks(np.stack([row] * 2).astype(float), greater_is_better=False).tolist() == [1, 2, 3]
    assert average_ranks(mixed, greater_is_better=False).tolist() == [1.5, 1.5, 3.0]
    half = np.array([[0.75, np.nextafter(np.float16(0.75), np.float16(1)), 0.76]] * 2, dtype=np.float16)
    assert average_ranks(half, greater_is_better=False).tolist() == [1.5, 1.5, 3.0]
    found = paired_difference(np.float32([0.1] * 8), np.full(8, 0.1))
    assert (found["p"], found["ties"]) == (1.0, 8)


def test_average_ranks_of_ones_own_are_tied_as_well():
    ranks = {"a": 1.1 + 2.2 - 1.5, "b": 1.8, "c": 2.4}
    assert ranks["a"] != ranks["b"]
    pairs = shaffer_static(ranks, n_datasets=10)
    assert pairs.set_index(["method_1", "method_2"]).loc[("a", "b"), ["z", "p_value"]].tolist() == [0.0, 1.0]


def test_paired_differences_of_equal_size_are_tied():
    ours = np.array([0.3, 0.2, 0.7, 0.1, 0.9, 0.4, 0.6, 0.8, 0.5])
    theirs = np.array([0.2, 0.1, 0.6, 0.2, 0.6, 0.4, 0.7, 0.9, 0.3])
    tenths = np.array([1, 1, 1, -1, 3, 0, -1, -1, 2])
    assert len(set(np.abs(ours - theirs)[[0, 1, 2, 3, 6, 7]])) > 1
    found = paired_difference(ours, theirs)
    assert found["p"] == signed_rank_p(tenths) != signed_rank_p(ours - theirs)
    assert (found["wins"], found["ties"], found["losses"]) == (5, 1, 3)


def test_controls_claim_nothing_of_noise():
    rng = np.random.default_rng(2)
    runs = rng.random((20, 6))
    values = {
        "evolution": runs.mean(axis=1), "random": runs[:, ::-1].mean(axis=1), "drift": sum(runs.T) / 6,
    }  # fmt: skip
    rows = [
        {"problem": "", "seed": seed, "method": method, "hypervolume": value}
        for method, column in values.items()
        for seed, value in enumerate(column)
    ]
    found = ControlComparison(pd.DataFrame(rows), pd.DataFrame())
    assert (found.differences()[["p", "ties"]] == [1.0, 20]).all(axis=None)
    assert "is not significantly different from random" in found.claim()
