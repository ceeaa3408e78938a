"""All medoid sets at once: against brute force, and as the reference for the search."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize

from moo_clustering._arrays import non_dominated
from moo_clustering.algorithms.exhaustive import count_medoid_sets, enumerate_medoid_sets, exhaustive_front
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.operators import ConstraintCrowdingSurvival
from moo_clustering.operators.medoids import MedoidReplaceMutation, MedoidSampling, PrefixUnionCrossover
from moo_clustering.problems.medoids import MedoidProblem

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])


def sets_of(problem, X):
    return [tuple(sorted(int(z) for z in row if z >= 0)) for row in problem.medoids(X)]


@pytest.mark.parametrize(("n", "k_max"), [(2, 2), (5, 2), (6, 3), (7, 7), (1, 1)])
def test_enumeration(n, k_max):
    sets = enumerate_medoid_sets(n, k_max)
    if n == 1:
        assert sets.tolist() == [[0]]
        return
    assert len(sets) == count_medoid_sets(n, k_max) == sum(comb(n, k) for k in range(2, k_max + 1))
    expected = [c for k in range(2, k_max + 1) for c in combinations(range(n), k)]
    assert [tuple(row[row >= 0].tolist()) for row in sets] == expected
    assert sets.shape[1] == k_max


def test_worked_fronts():
    two = exhaustive_front(MedoidProblem(LINE, k_max=2, metric="euclidean"))
    assert two.X.tolist() == [[1, 4]]
    problem = MedoidProblem(LINE, k_max=3, metric="euclidean")
    three = exhaustive_front(problem)
    assert sets_of(problem, three.X) == [(1, 4), (1, 3, 5)]
    assert_allclose(
        problem.natural(three.F), [[0.0116666666666667, 961], [0.0555555555555556, 1708.444444444444]]
    )
    assert len(set(sets_of(problem, three.pop.get("X")))) == len(three.pop)


def test_non_dominated_rows():
    F = np.array([[2, 2], [1, 3], [2, 2], [3, 1], [3, 3], [1, 4], [0.5, 9.0]])
    assert non_dominated(F).tolist() == [6, 1, 0, 2, 3]
    rng = np.random.default_rng(0)
    for n_obj in (1, 2, 3):
        F = rng.integers(0, 5, size=(60, n_obj)).astype(float)
        naive = [
            i for i in range(60) if not any((F[j] <= F[i]).all() and (F[j] < F[i]).any() for j in range(60))
        ]
        assert sorted(non_dominated(F)) == naive


@pytest.mark.parametrize("decode", ["reassign", "literal"])
@pytest.mark.parametrize("supervision", ["none", "objective", "crowding", "assignment"])
def test_front_is_that_of_brute_force(decode, supervision):
    rng = np.random.default_rng(1)
    X = rng.poisson(1.0, size=(8, 4)) + rng.integers(0, 2, size=(8, 1))
    constraints = PairwiseConstraints([(0, 3)], [(1, 2), (0, 7)], n_samples=8)
    problem = MedoidProblem(X, k_max=3, decode=decode, constraints=constraints, supervision=supervision)
    result = exhaustive_front(problem)
    values = {}
    for k in (2, 3):
        for c in combinations(range(8), k):
            row = np.full((1, 3), -1)
            row[0, :k] = c
            out = problem.evaluate(row, return_as_dictionary=True)
            values.setdefault(sets_of(problem, out["X"])[0], []).append(tuple(out["F"][0]))
    points = {point for found in values.values() for point in found}
    front = {
        p
        for p in points
        if not any(q != p and all(a <= b for a, b in zip(q, p, strict=True)) for q in points)
    }
    assert {tuple(f) for f in result.F} == front
    assert set(sets_of(problem, result.pop.get("X"))) == set(values)
    assert_array_equal(np.sort(result.F[:, 0]), result.F[:, 0])
    assert len(problem.partitions(result.opt)) == len(result.X)


@pytest.mark.parametrize("seed", range(4))
def test_search_finds_nothing_better_and_nothing_else(seed):
    X = np.random.default_rng(seed).normal(size=(8, 3))
    problem = MedoidProblem(X, k_max=3)
    exact = exhaustive_front(problem)
    algorithm = NSGA2(
        pop_size=20,
        sampling=MedoidSampling(),
        crossover=PrefixUnionCrossover(),
        mutation=MedoidReplaceMutation(),
        survival=ConstraintCrowdingSurvival(),
        eliminate_duplicates=False,
    )
    algorithm.tournament_type = "comp_by_rank_and_crowding"
    found = minimize(problem, algorithm, ("n_gen", 21), seed=seed)
    assert set(sets_of(problem, found.X)) <= set(sets_of(problem, exact.pop.get("X")))
    for f in found.F:
        below = (f <= exact.F + 1e-12).all(axis=1) & (f < exact.F - 1e-12).any(axis=1)
        assert not below.any()
    # Eight samples and 420 evaluations: the least Xie-Beni is among them.
    assert_allclose(found.F[:, 0].min(), exact.F[:, 0].min())


def test_least_violation_where_nothing_is_feasible():
    constraints = PairwiseConstraints([(0, 5)], [(0, 1), (1, 2), (0, 2)], n_samples=6)
    problem = MedoidProblem(
        LINE, k_max=2, metric="euclidean", constraints=constraints, supervision="constraint"
    )
    result = exhaustive_front(problem)
    least = result.pop.get("G").min()
    assert least > 0
    assert_array_equal(result.G[:, 0], least)
    assert_array_equal(result.CV[:, 0], least)


def test_too_many_sets_are_refused():
    problem = MedoidProblem(np.random.default_rng(0).normal(size=(30, 2)))
    with pytest.raises(ValueError, match="174406 sets of 2 to 5 medoids, more than max_sets=5000"):
        exhaustive_front(problem)
    assert len(exhaustive_front(MedoidProblem(np.eye(9)[:, :4]), max_sets=120).pop) <= 120
    with pytest.raises(ValueError, match="120 sets"):
        exhaustive_front(MedoidProblem(np.eye(9)), max_sets=119)


def test_one_sample():
    assert exhaustive_front(MedoidProblem([[1.0]])).F.tolist() == [[1e12, 0]]
