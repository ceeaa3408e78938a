"""Operators that move bags by an objective."""

from __future__ import annotations

import itertools
import pickle
import random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering.bags import BagGeometry, BagObjective, Bags, bag_distances
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings.medoids import decode_slots
from moo_clustering.operators import (
    ImprovementMutation,
    KMMutation,
    MinSizeRepair,
    PartitionSampling,
)
from moo_clustering.operators.base import DrawnMutation
from moo_clustering.operators.labels import apportioned

TOY = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=20, deadline=None)


def some_bags(n_bags=14, seed=0) -> Bags:
    rng = np.random.default_rng(seed)
    centers = rng.normal(scale=3.0, size=(n_bags, 2))
    sizes = rng.integers(1, 5, size=n_bags)
    return Bags.from_list([c + rng.normal(size=(m, 2)) for c, m in zip(centers, sizes, strict=True)])


def problem_of(bags, n_clusters=2, **options) -> Problem:
    bags = bags if isinstance(bags, Bags) else Bags.from_list(bags)
    problem = Problem(n_var=bags.n_bags, n_obj=1, xl=0, xu=n_clusters - 1, vtype=int)
    problem.objective = BagObjective(BagGeometry(bags), n_clusters, **options)
    problem.distances = bag_distances(bags)
    return problem


PROBLEM = problem_of(some_bags(), 3, min_cluster_size=3)


def rng(seed=0) -> np.random.Generator:
    return np.random.default_rng(seed)


# ImprovementMutation


def naive_greedy_sweep(bags, labels):
    """Every gene in order gets the value of the least Davies-Bouldin index, given those before it."""
    means = np.array([np.mean(bag, axis=0) for bag in bags])

    def db(y):
        if len(set(y)) < 2:
            return np.inf
        c = [means[y == k].mean(axis=0) for k in (0, 1)]
        a = [
            np.mean([max(np.linalg.norm(x - c[k]) for x in bags[b]) for b in np.flatnonzero(y == k)])
            for k in (0, 1)
        ]
        return sum(a) / np.linalg.norm(c[0] - c[1])

    labels = np.array(labels)
    for j in range(len(labels)):
        values = [db(np.where(np.arange(len(labels)) == j, k, labels)) for k in (0, 1)]
        if values[1 - labels[j]] < values[labels[j]]:
            labels[j] = 1 - labels[j]
    return labels


def test_greedy_improvement_equals_a_sweep_by_hand():
    bags = [np.array(bag, dtype=float) for bag in some_bags(8)]
    problem = problem_of(bags, min_cluster_size=0)
    X = rng().integers(0, 2, size=(6, 8))
    improved = ImprovementMutation(1.0, "greedy")._do(problem, X, random_state=rng())
    assert_array_equal(improved, [naive_greedy_sweep(bags, row) for row in X])


def test_weights_of_the_draw():
    # Of the last gene alone: the worse cluster for it keeps a quarter (0.25, 0.75).
    bags = problem_of(TOY)
    X = np.tile([0, 0, 1, 1, 1], (4000, 1))
    last = np.arange(5) == 4

    class Last(np.random.Generator):
        """Draws that visit only the last gene."""

        calls = 0

        def random(self, size=None):
            self.calls += 1
            drawn = super().random(size)
            return np.where(last, 0.0, 1.0) * np.ones(size) if self.calls == 1 else drawn

    improved = ImprovementMutation(0.5)._do(bags, X, random_state=Last(np.random.PCG64(0)))
    assert_array_equal(improved[:, :4], X[:, :4])
    assert abs(improved[:, 4].mean() - 0.75) < 0.03


def test_settings_reach_the_objective():
    seen = []

    def improve(labels, generator, **options):
        seen.append(options)
        return SimpleNamespace(labels=labels + 1, n_trials=np.full(len(labels), 7))

    problem = Problem(n_var=3, n_obj=1, xl=0, xu=1)
    objective = SimpleNamespace(improve=improve)
    mutation = ImprovementMutation(0.4, "scaled", objective=objective)
    assert_array_equal(
        mutation._do(problem, np.array([[0.0, 1, 0]] * 2), random_state=rng()), [[1, 2, 1]] * 2
    )
    assert seen == [{"p_gene": 0.4, "draw_weights": "scaled"}]
    assert mutation.n_trials == 14


def test_trials_are_counted():
    problem = problem_of(some_bags(), 3, min_cluster_size=0)
    mutation = ImprovementMutation(1.0)
    for n in (4, 2):
        mutation._do(problem, rng().integers(0, 3, size=(n, 14)), random_state=rng())
    assert mutation.n_trials == (4 + 2) * 14 * 2


@given(seed=SEEDS)
@FEW
def test_moves_keep_the_least_size_and_the_genotypes_given(seed):
    X = PROBLEM.objective.repair(PROBLEM.objective.random(6, rng(seed)))
    before = X.copy()
    improved = ImprovementMutation(1.0)._do(PROBLEM, X.astype(float), random_state=rng(seed))
    assert min(np.bincount(row, minlength=3).min() for row in improved) >= 3
    assert improved.dtype == np.int32
    assert_array_equal(X, before)


# Who is mutated


class Plus(DrawnMutation):
    def _apply(self, problem, X, rng):
        self.seen = len(X)
        return X + 1


def test_only_the_chosen_are_worked_on():
    mutation = Plus(prob=0.3)
    pop = Population.new(X=np.zeros((1000, 2), dtype=int))
    mutated = mutation(PROBLEM, pop, random_state=rng())
    assert mutated is pop
    changed = pop.get("X").all(axis=1)
    assert changed.sum() == mutation.seen == pop.get("X")[:, 0].sum()
    assert 230 < mutation.seen < 370
    again = Population.new(X=np.zeros((1000, 2), dtype=int))
    assert_array_equal(mutation(PROBLEM, again, random_state=rng()).get("X"), pop.get("X"))


def test_all_or_nobody_is_mutated():
    pop = Population.new(X=np.zeros((50, 2), dtype=int))
    assert Plus(prob=1.0)(PROBLEM, pop, random_state=rng()).get("X").all()
    never = Plus(prob=0.0)
    assert not hasattr(never, "seen")
    fresh = Population.new(X=np.zeros((50, 2), dtype=int))
    assert not never(PROBLEM, fresh, random_state=rng()).get("X").any()
    assert not hasattr(never, "seen")


def test_a_copy_is_mutated_if_asked_for():
    pop = Population.new(X=np.zeros((5, 2), dtype=int))
    mutated = Plus().do(PROBLEM, pop, inplace=False, random_state=rng())
    assert mutated.get("X").all()
    assert not pop.get("X").any()


# KMMutation


def test_the_km_operator_of_the_worked_example():
    toy = problem_of(TOY)
    X = np.array([[0, 0, 1, 1, 1], [0, 0, 0, 0, 0]])
    moved = KMMutation()._do(toy, X, random_state=rng())
    assert_array_equal(moved, [[0, 0, 1, 1, 1], [0, 0, 0, 0, 1]])
    kept = KMMutation("keep")._do(toy, X, random_state=rng())
    assert_array_equal(kept, [[0, 0, 1, 1, 1], [0, 0, 0, 0, 0]])
    centroid = np.mean([np.mean(bag, axis=0) for bag in TOY], axis=0)
    radii = [max(np.linalg.norm(np.array(x) - centroid) for x in bag) for bag in TOY]
    closest = KMMutation("closest")._do(toy, X, random_state=rng())
    assert_array_equal(np.flatnonzero(closest[1]), [np.argmin(radii)])


# MinSizeRepair


@given(seed=SEEDS)
@FEW
def test_repaired_clusters_are_large_enough(seed):
    X = PROBLEM.objective.random(8, rng(seed))
    X[0] = 0
    repaired = MinSizeRepair()(PROBLEM, Population.new(X=X + 0.3)).get("X")
    sizes = np.array([np.bincount(row, minlength=3) for row in repaired])
    assert (sizes >= 3).all()
    fine = (np.array([np.bincount(row, minlength=3) for row in X]) >= 3).all(axis=1)
    assert_array_equal(repaired[fine], X[fine])


def test_constraints_are_repaired_where_the_objective_does():
    links = PairwiseConstraints([(0, 1), (5, 6)], [(0, 5)], n_samples=14)
    X = PROBLEM.objective.random(8, rng())
    strict = BagObjective(PROBLEM.objective.geometry, 3, constraints=links, handling="repair")
    assert links.violation(MinSizeRepair(strict)._do(PROBLEM, X)).max() == 0
    assert links.violation(MinSizeRepair()._do(PROBLEM, X)).max() > 0


def test_repair_of_nobody():
    assert len(MinSizeRepair().do(PROBLEM, Population())) == 0


# PartitionSampling


def sampled(kinds, n=12, seed=0, problem=PROBLEM, **options) -> np.ndarray:
    return PartitionSampling(kinds, **options)(problem, n, random_state=rng(seed)).get("X")


def test_random_partitions():
    problem = problem_of(some_bags(40), 3)
    X = sampled("random", 200, problem=problem)
    assert_array_equal(X, problem.objective.repair(problem.objective.random(200, rng())))
    assert abs((X == 2).mean() - 1 / 3) < 0.03


def test_partitions_by_centroids():
    labels = PROBLEM.objective.random(12, rng())
    for _ in range(2):
        labels = PROBLEM.objective.reassign(labels)
    assert_array_equal(sampled("km", km_steps=2), PROBLEM.objective.repair(labels))


def test_partitions_around_medoids():
    problem = problem_of(some_bags(), 2)
    pairs = np.array(list(itertools.permutations(range(14), 2)))
    possible = {tuple(row) for row in decode_slots(pairs, problem.distances)}
    X = sampled("bamic", 30, problem=problem)
    assert {tuple(row) for row in X} <= possible
    assert len(np.unique(X, axis=0)) > 10


def test_local_optima():
    sampling = PartitionSampling("optima")
    X = sampling._do(PROBLEM, 7, random_state=rng())
    assert sampling.n_trials > 0
    for row, value in zip(X, PROBLEM.objective.evaluate(X), strict=True):
        moves = [np.where(np.arange(14) == j, k, row) for j in range(14) for k in range(3)]
        allowed = [y for y in moves if np.bincount(y, minlength=3).min() >= 3]
        assert PROBLEM.objective.evaluate(np.array(allowed)).min() >= value * (1 - 1e-9)


def test_shares_of_the_mix():
    n = {"random": 3, "bamic": 1}
    X = sampled(n, 8)
    assert_array_equal(X[:6], sampled("random", 6))
    assert len(sampled(("random", "km", "bamic", "optima"), 10)) == 10
    assert_array_equal(sampled({"random": 0, "km": 2.5}, 5), sampled(["km"], 5))


@given(n=st.integers(0, 50), shares=st.lists(st.floats(0.01, 9), min_size=1, max_size=5))
@FEW
def test_apportionment(n, shares):
    shares = np.array(shares)
    counts = apportioned(n, shares)
    assert counts.sum() == n
    assert (np.abs(counts - n * shares / shares.sum()) < 1).all()
    assert_array_equal(apportioned(6, np.ones(3)), [2, 2, 2])


def test_the_seed_decides_and_nothing_else():
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    state = random.getstate()
    first, again, other = (sampled(("random", "km", "bamic", "optima"), 16, seed) for seed in (1, 1, 2))
    for operator in (ImprovementMutation(), KMMutation(prob=1.0)):
        assert_array_equal(*(operator._do(PROBLEM, first, random_state=rng(3)) for _ in range(2)))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.random.random() == expected  # noqa: NPY002
    assert random.getstate() == state
    assert min(np.bincount(row, minlength=3).min() for row in first) >= 3


# Misuse

OPERATORS = {
    "improve": ImprovementMutation(),
    "reassign": KMMutation(prob=1.0),
    "repair": MinSizeRepair(),
    "random": PartitionSampling("random"),
}


@pytest.mark.parametrize(("method", "operator"), OPERATORS.items(), ids=OPERATORS)
def test_problems_without_an_objective_are_refused(method, operator):
    problem = Problem(n_var=2, n_obj=1, xl=0, xu=1)
    given_one = 3 if method == "random" else np.zeros((2, 2), dtype=int)
    with pytest.raises(TypeError, match=rf"Problem.objective has no {method}\(\).*BagPartitionProblem"):
        operator._do(problem, given_one, random_state=rng())
    problem.objective = "bag_davies_bouldin"
    with pytest.raises(TypeError, match=rf"Problem.objective has no {method}\(\)"):
        operator._do(problem, given_one, random_state=rng())


def test_problems_without_distances_are_refused():
    problem = problem_of(some_bags())
    del problem.distances
    assert sampled(["random", "km"], 4, problem=problem).shape == (4, 14)
    for kinds in ("bamic", "optima"):
        with pytest.raises(TypeError, match="requires a problem with distances between bags, got Problem"):
            sampled(kinds, problem=problem)


def test_objectives_given_are_used():
    bare = Problem(n_var=14, n_obj=1, xl=0, xu=2)
    X = PROBLEM.objective.random(3, rng())
    for make in (ImprovementMutation, KMMutation):
        expected = make()._do(PROBLEM, X, random_state=rng(1))
        assert_array_equal(make(objective=PROBLEM.objective)._do(bare, X, random_state=rng(1)), expected)
    assert_array_equal(
        sampled("km", problem=bare, objective=PROBLEM.objective), sampled("km", problem=PROBLEM)
    )
    with pytest.raises(TypeError, match=r"str has no improve\(\)"):
        ImprovementMutation(objective="db")._do(bare, X, random_state=rng())


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: ImprovementMutation(1.5), ValueError, "p_gene"),
        (lambda: ImprovementMutation(draw_weights="best"), ValueError, "'contrast', 'scaled'"),
        (lambda: KMMutation("nearest"), ValueError, "empty"),
        (lambda: PartitionSampling("kmm"), ValueError, "'kmm'; did you mean 'km'"),
        (lambda: PartitionSampling([]), ValueError, "at least one"),
        (lambda: PartitionSampling({"km": 0}), ValueError, "at least one"),
        (lambda: PartitionSampling({"km": -1, "random": 2}), ValueError, "-1 for 'km'"),
        (lambda: PartitionSampling(km_steps=0), ValueError, "km_steps"),
    ],
)
def test_misuse(make, error, match):
    with pytest.raises(error, match=match):
        make()


def test_fractions_are_refused():
    X = np.full((2, 14), 0.5)
    for operator in (ImprovementMutation(), KMMutation()):
        with pytest.raises(ValueError, match="Repair"):
            operator._do(PROBLEM, X, random_state=rng())


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
def test_operators_can_be_pickled(operator):
    assert type(pickle.loads(pickle.dumps(operator))) is type(operator)
