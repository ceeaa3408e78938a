"""Assignments that weigh violated pairs against distances."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering import BAMIC, MIKMeans
from moo_clustering.bags.repair import PairPenalty, pair_rule
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.datasets import make_bags


def product(labels, distances, constraints, penalty, power):
    cost = (distances[np.arange(len(labels)), labels] ** power).sum()
    return cost * (1.0 + penalty * constraints.violation(labels)[0])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 5.0), st.sampled_from([1, 2]))
def test_no_single_bag_in_a_pair_would_gain(seed, penalty, power):
    rng = np.random.default_rng(seed)
    distances = rng.random((7, 3))
    constraints = PairwiseConstraints([(0, 1), (1, 4)], [(2, 3), (0, 5)], n_samples=7)
    rule = PairPenalty(7, 0, constraints, penalty=penalty, power=power)
    start = distances.argmin(axis=1).astype(np.int32)
    settled = rule.apply(start[None], distances[None])[0]
    value = product(settled, distances, constraints, penalty, power)
    assert value <= product(start, distances, constraints, penalty, power) + 1e-12
    assert settled[6] == start[6]  # in no pair
    for bag, cluster in itertools.product(range(6), range(3)):
        moved = settled.copy()
        moved[bag] = cluster
        assert product(moved, distances, constraints, penalty, power) >= value * (1 - 1e-9)


def test_without_a_price_nothing_moves():
    distances = np.random.default_rng(0).random((6, 2))
    constraints = PairwiseConstraints([(0, 1)], [(2, 3)], n_samples=6)
    start = distances.argmin(axis=1).astype(np.int32)[None]
    free = PairPenalty(6, 0, constraints, penalty=0.0, power=1)
    np.testing.assert_array_equal(free.apply(start, distances[None]), start)


def test_no_rule_where_nothing_is_asked():
    assert pair_rule(5, 1, None, handling="penalty", penalty=1.0) is None
    assert pair_rule(5, 2, None, handling="penalty", penalty=1.0) is not None


@pytest.mark.parametrize("estimator", [BAMIC, MIKMeans])
def test_a_higher_price_breaks_fewer_pairs(estimator):
    table = make_bags(60, 3, bag_std=2.5, random_state=1)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(60) < 0.5, table.labels, -1)
    violations = [
        estimator(3, constraint_handling="penalty", penalty=penalty, n_init=5, random_state=0)
        .fit(table.bags, y)
        .violation_
        for penalty in (0.0, 50.0)
    ]
    assert violations[1] < violations[0] - 0.05
    repaired = estimator(3, random_state=0).fit(table.bags, y)
    assert repaired.violation_ == 0.0
