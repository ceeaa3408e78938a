"""Partitions of bags, and medoids among bags, as problems of pymoo."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.mutation.pm import PM
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering.bags import Bags, bag_distances
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.datasets import make_bags
from moo_clustering.operators import (
    AlignedHUX,
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    EncodingSampling,
    ImprovementMutation,
    MinSizeRepair,
    PartitionSampling,
    SlotMutation,
    SlotOnePointCrossover,
)
from moo_clustering.problems import BagMedoidProblem, BagPartitionProblem
from moo_clustering.problems import bags as bag_problems
from moo_clustering.problems.bags import MedoidDaviesBouldin
from moo_clustering.problems.partition import LeastClusterSize
from moo_clustering.validity import FTWCV, BagDaviesBouldin, BagSilhouette, ValidityIndex

TOY = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
SPLIT = np.array([[0, 0, 1, 1, 1]])
ALL = ("bag_davies_bouldin", "bag_silhouette", "bag_sdbw", "twcv", "ftwcv")
TWO = ["bag_davies_bouldin", "bag_silhouette"]
LINKS = PairwiseConstraints([(0, 1), (2, 4)], [(0, 8), (3, 4)], n_samples=9)


def some_bags(n_bags=9, seed=3) -> Bags:
    rng = np.random.default_rng(seed)
    centers = rng.normal(scale=3.0, size=(n_bags, 2))
    sizes = rng.integers(1, 5, size=n_bags)
    return Bags.from_list([c + rng.normal(size=(m, 2)) for c, m in zip(centers, sizes, strict=True)])


NINE = some_bags()


def operators(problem) -> dict:
    return {
        "sampling": PartitionSampling(),
        "crossover": AlignedHUX(),
        "mutation": ImprovementMutation(),
        "repair": MinSizeRepair(),
        "eliminate_duplicates": CanonicalDuplicates(problem.encoding),
    }


def every_partition(n_bags: int, n_clusters: int) -> np.ndarray:
    """All partitions into at most n_clusters, once each: restricted growth strings."""
    rows = [(0,)]
    for _ in range(n_bags - 1):
        rows = [(*row, k) for row in rows for k in range(min(max(row) + 2, n_clusters))]
    return np.array(rows)


def non_dominated(F: np.ndarray) -> np.ndarray:
    above = F[:, None] >= F
    dominated = (above.all(axis=2) & ~above.transpose(1, 0, 2).all(axis=2)).any(axis=1)
    return np.unique(F[~dominated].round(9), axis=0)


# Partitions: values


def test_all_indices_of_the_worked_example():
    problem = BagPartitionProblem(TOY, 2, ALL)
    F = problem.evaluate(SPLIT)
    expected = [
        0.8293670558961574,
        0.5202354735156673,
        0.438631209051363,
        80.3333333333333,
        54.3333333333333,
    ]
    assert_allclose(problem.natural(F), [expected])
    assert_allclose(F, np.array([expected]) * [1, -1, 1, 1, 1])
    assert problem.objective_names == ALL
    assert (problem.n_var, problem.n_obj, problem.n_ieq_constr) == (5, 5, 0)
    assert_array_equal(problem.xu, np.ones(5))


def test_weighting_by_instances():
    problem = BagPartitionProblem(TOY, 2, ["bag_davies_bouldin", "twcv"], weighting="instance")
    assert_allclose(problem.evaluate(SPLIT), [[0.789272467883347, 78.7777777777778]])
    assert problem.objective.evaluate(SPLIT)[0] == pytest.approx(0.789272467883347)


def test_numbers_may_be_left_out_and_exchanged():
    problem = BagPartitionProblem(TOY, 3, ALL)
    F = problem.evaluate(np.array([[0, 0, 2, 2, 2], [2, 2, 1, 1, 1], [0, 0, 1, 1, 1.0]]))
    assert_allclose(F[0, 0], 0.8293670558961574)
    assert_array_equal(F[0], F[1])
    assert_array_equal(F[0], F[2])
    assert_array_equal(problem.decode([0, 0, 2, 2, 2]), SPLIT)


def test_infinite_values_are_large_ones():
    problem = BagPartitionProblem(TOY, 2, [*TWO, "bag_sdbw", BagDaviesBouldin(undefined=np.inf)])
    one_cluster = problem.natural(problem.evaluate(np.zeros((1, 5), int)))
    assert_array_equal(one_cluster, [[1e6, 0, 1e6, 1e6]])
    coinciding = BagPartitionProblem([[[0, 0], [2, 0]], [[1, 0]]], 2)
    assert_array_equal(coinciding.evaluate(np.array([[0, 1]])), [[1e6]])


def test_one_index_need_not_be_in_a_list():
    for given in ("twcv", BagDaviesBouldin, BagSilhouette()):
        assert BagPartitionProblem(TOY, 2, given).n_obj == 1


class Spread(ValidityIndex):
    name = "spread"
    greater_is_better = True

    def fit(self, data):
        self.n_bags = data.n_bags
        return self

    def evaluate(self, labels):
        return labels.max(axis=1) / self.n_bags


def test_other_indices_of_bags():
    average = BagSilhouette("symmetric", "bag")
    problem = BagPartitionProblem(TOY, 2, [average, Spread()])
    assert_allclose(problem.natural(problem.evaluate(SPLIT)), [[0.39708840055826244, 0.2]])
    assert not hasattr(average, "n_samples_")


def test_batch_equals_one_by_one_and_genotypes_are_left_alone():
    problem = BagPartitionProblem(
        NINE, 3, ALL, min_cluster_size=2, constraints=LINKS, constraint_handling="constraint"
    )
    X = problem.objective.random(25, np.random.default_rng(0))
    X[7] = X[3]
    before = X.copy()
    F, G = problem.evaluate(X)
    single = [problem.evaluate(row) for row in X]
    assert_allclose(F, np.vstack([f for f, _ in single]), rtol=1e-12)
    assert_array_equal(G, np.vstack([g for _, g in single]))
    assert_array_equal(X, before)


# Partitions: sizes and constraints


def test_the_smallest_cluster_is_a_constraint():
    problem = BagPartitionProblem(TOY, 2, min_cluster_size=2)
    _, G = problem.evaluate(np.array([[0, 0, 1, 1, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]))
    assert_array_equal(G, [[0], [1], [2]])
    three = BagPartitionProblem(TOY, 3, min_cluster_size=1, size_constraint=True)
    _, G = three.evaluate(np.array([[0, 0, 1, 1, 2], [0, 0, 2, 2, 2]]))
    assert_array_equal(G, [[0], [1]])


def test_the_constraint_is_an_option():
    def count(**options):
        return BagPartitionProblem(TOY, 2, **options).n_ieq_constr

    assert count() == 0
    assert count(size_constraint=True) == 1
    assert count(min_cluster_size=2) == 1
    assert count(min_cluster_size=2, size_constraint=False) == 0


def test_sizes_of_more_clusters_than_there_must_be():
    assert_array_equal(LeastClusterSize(2, 2)(np.array([[0, 1, 2, 2, 2], [0, 0, 1, 1, 1]])), [1, 0])


def test_handling_of_constraints():
    X = np.array([[0, 0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 0, 0, 0, 0]])
    V = LINKS.violation(X)
    assert V[0] == 0 < V[1]

    def evaluated(handling):
        problem = BagPartitionProblem(
            NINE, 2, min_cluster_size=4, constraints=LINKS, constraint_handling=handling
        )
        return problem, problem.evaluate(X, return_as_dictionary=True)

    problem, out = evaluated("objective")
    assert problem.objective_names == ("bag_davies_bouldin", "constraint_violation")
    assert_array_equal(out["F"][:, 1], V)
    assert_array_equal(out["G"], [[0], [1]])
    problem, out = evaluated("constraint")
    assert_array_equal(out["G"], np.column_stack([V, [0, 1]]))
    _, out = evaluated("crowding")
    assert_allclose(out["constraint_bonus"], LINKS.bonus(X))
    assert out["G"].shape == (2, 1)
    problem, out = evaluated("none")
    assert out["F"].shape == (2, 1)
    assert_array_equal(problem.objective.evaluate(X), out["F"][:, 0])


def test_moves_mind_the_constraints():
    X = np.array([[0, 1, 0, 1, 1, 1, 0, 0, 0]])
    guided = BagPartitionProblem(NINE, 2, constraints=LINKS)
    F = guided.evaluate(X)
    assert guided.objective.evaluate(X)[0] == pytest.approx(F[0, 0] * (1 + F[0, 1]))
    assert_array_equal(guided.objective.repair(X), X)
    strict = BagPartitionProblem(NINE, 2, constraints=LINKS, constraint_handling="constraint")
    assert LINKS.violation(strict.objective.repair(X)) == 0


# Partitions: what operators move by, and what is shared


@pytest.mark.parametrize(
    ("objectives", "expected"),
    [
        (["bag_davies_bouldin"], "db"),
        (["bag_silhouette", "bag_sdbw"], "db"),
        (["bag_silhouette", "twcv", "ftwcv"], "twcv"),
        (["ftwcv", "bag_davies_bouldin"], "ftwcv"),
    ],
)
def test_what_moves_lower(objectives, expected):
    problem = BagPartitionProblem(NINE, 3, objectives, min_cluster_size=2)
    assert problem.objective.objective == expected
    assert (problem.objective.n_clusters, problem.objective.min_cluster_size) == (3, 2)


def test_moves_have_the_reading_and_the_weights_of_the_index():
    problem = BagPartitionProblem(TOY, 2, [FTWCV("printed"), "twcv"], weighting="instance")
    assert problem.objective.evaluate(SPLIT)[0] == pytest.approx(173.944444444444)
    assert problem.objective.geometry.weighting == "bag"
    assert_allclose(problem.evaluate(SPLIT), [[173.944444444444, 78.7777777777778]])


def test_what_indices_need_is_computed_once(monkeypatch):
    computed = []

    def counted(bags, **options):
        computed.append(options["kind"])
        return bag_distances(bags, **options)

    monkeypatch.setattr(bag_problems, "bag_distances", counted)
    problem = BagPartitionProblem(NINE, 2, [*ALL, BagSilhouette(average="bag")])
    copies = copy.deepcopy(problem)
    assert_array_equal(problem.distances, bag_distances(NINE))
    assert copies.distances is problem.distances
    assert computed == ["directed"]
    geometries = {id(index.geometry_) for index in problem.indices if hasattr(index, "geometry_")}
    assert geometries == {id(problem.objective.geometry)}
    lazy = BagPartitionProblem(NINE, 2)
    later = copy.deepcopy(lazy)
    assert lazy.distances is later.distances
    assert len(computed) == 2


def test_a_run_with_history_copies_no_data():
    problem = BagPartitionProblem(NINE, 2, TWO, min_cluster_size=2)
    result = minimize(
        problem, NSGA2(pop_size=12, **operators(problem)), ("n_gen", 3), seed=1, save_history=True
    )
    for past in result.history:
        assert past.problem.objective is problem.objective
        assert past.problem.indices is problem.indices
        assert past.problem.distances is problem.distances


@pytest.mark.parametrize(
    "problem",
    [
        BagPartitionProblem(NINE, 3, ALL, min_cluster_size=2, constraints=LINKS),
        BagMedoidProblem(NINE, 4, objectives=ALL, constraints=LINKS),
    ],
    ids=["partition", "medoid"],
)
def test_copies_and_pickles_score_alike(problem):
    X = problem.encoding.random(6, np.random.default_rng(3))
    F = problem.evaluate(X, return_as_dictionary=True)["F"]
    for other in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert_array_equal(other.evaluate(X, return_as_dictionary=True)["F"], F)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"n_clusters": 1}, ValueError, "n_clusters must be an integer of at least 2"),
        ({"n_clusters": 2.0}, TypeError, "n_clusters must be an integer"),
        ({"n_clusters": 6}, ValueError, "must not exceed the number of bags, 5"),
        ({"min_cluster_size": -1}, ValueError, "min_cluster_size"),
        ({"min_cluster_size": 3}, ValueError, "min_cluster_size=3 bags require 6 bags"),
        ({"objectives": ["silhouette"]}, ValueError, "'silhouette'; did you mean 'bag_silhouette'"),
        ({"objectives": ["twcv", "twcv"]}, ValueError, "more than once"),
        ({"objectives": []}, ValueError, "at least one"),
        ({"objectives": [3]}, TypeError, "index"),
        ({"weighting": "sizes"}, ValueError, "weighting"),
        ({"bags": 3}, TypeError, "Bags"),
        ({"constraints": LINKS}, ValueError, "same number of samples, got 9 and"),
        ({"constraint_handling": "constraint"}, ValueError, "requires constraints"),
    ],
)
def test_misuse_of_partitions(change, error, match):
    with pytest.raises(error, match=match):
        BagPartitionProblem(**({"bags": TOY, "n_clusters": 2} | change))


def test_genes_out_of_range_are_refused():
    problem = BagPartitionProblem(TOY, 2)
    with pytest.raises(ValueError, match="Repair"):
        problem.evaluate(np.array([[0, 0, 1, 1, 2]]))


# Partitions: search

ALGORITHMS = {
    "NSGA2": NSGA2,
    "NSGA3": lambda **kw: NSGA3(ref_dirs=get_reference_directions("das-dennis", 2, n_partitions=11), **kw),
    "AGEMOEA": AGEMOEA,
    "crowding": lambda **kw: NSGA2(survival=ConstraintCrowdingSurvival(), **kw),
}


# AGEMOEA's own loops are compiled in every process.
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=name, marks=[pytest.mark.slow] * (name == "AGEMOEA"))
        for name, make in ALGORITHMS.items()
    ],
)
def test_algorithms_for_several_objectives(make):
    problem = BagPartitionProblem(some_bags(20), 3, TWO, min_cluster_size=3)
    result = minimize(problem, make(pop_size=12, **operators(problem)), ("n_gen", 4), seed=1)
    labels = problem.decode(result.X)
    assert min(np.bincount(row, minlength=3).min() for row in labels) >= 3
    assert_allclose(result.F, problem.evaluate(labels)[0], rtol=1e-12)
    again = minimize(problem, make(pop_size=12, **operators(problem)), ("n_gen", 4), seed=1)
    assert_array_equal(again.X, result.X)


def test_decomposition_takes_no_constraint():
    directions = get_reference_directions("das-dennis", 2, n_partitions=7)
    parts = operators(BagPartitionProblem(NINE, 2))
    parts.pop("eliminate_duplicates")

    def run(**options):
        problem = BagPartitionProblem(NINE, 2, TWO, min_cluster_size=2, **options)
        return minimize(problem, MOEAD(directions, n_neighbors=4, **parts), ("n_gen", 3), seed=1)

    result = run(size_constraint=False)
    assert all(2 <= row.sum() <= 7 for row in np.atleast_2d(result.X))
    with pytest.raises(AssertionError):
        run()


@pytest.mark.parametrize(("n_clusters", "least"), [(2, 1), (2, 3), (3, 1), (3, 2)])
def test_search_finds_the_least_of_all_partitions(n_clusters, least):
    problem = BagPartitionProblem(NINE, n_clusters, min_cluster_size=least, size_constraint=True)
    everything = every_partition(9, n_clusters)
    F, G = problem.evaluate(everything)
    best = F[G[:, 0] <= 0].min()
    result = minimize(problem, GA(pop_size=20, **operators(problem)), ("n_gen", 12), seed=1)
    assert result.F[0] == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("seed", [6, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (8, 9))])
def test_search_finds_the_front_of_all_partitions(seed, least):
    bags = some_bags(seed=seed)
    problem = BagPartitionProblem(bags, 2, TWO, min_cluster_size=least, size_constraint=True)
    everything = every_partition(9, 2)
    assert len(everything) == 256
    F, G = problem.evaluate(everything)
    front = non_dominated(F[G[:, 0] <= 0])
    result = minimize(problem, NSGA2(pop_size=40, **operators(problem)), ("n_gen", 15), seed=1)
    assert len(front) > 1
    assert_allclose(np.unique(result.F.round(9), axis=0), front)


# Medoids


def naive_db_of_medoids(H, labels, medoids):
    spread = [np.mean([H[b, m] for b in np.flatnonzero(labels == k)]) for k, m in enumerate(medoids)]
    worst = [
        max(
            (spread[p] + spread[q]) / max(H[medoids[p], medoids[q]], H[medoids[q], medoids[p]])
            for q in range(len(medoids))
            if q != p
        )
        for p in range(len(medoids))
    ]
    return np.mean(worst)


def test_medoids_of_the_worked_example():
    problem = BagMedoidProblem(TOY, 2)
    assert_allclose(problem.evaluate(np.array([[1, 2], [2, 1]])), 0.49021531714815864)
    assert problem.objective_names == ("bag_davies_bouldin",)
    assert_array_equal(problem.decode([1, 2]), SPLIT)
    assert_array_equal(problem.xl, [-1, -1])
    mean = BagMedoidProblem(TOY, 2, centers="mean", objectives=["bag_davies_bouldin", "bag_silhouette"])
    assert_allclose(mean.evaluate(np.array([[1, 2]])), [[0.8293670558961574, -0.5202354735156673]])


@pytest.mark.parametrize("kind", ["directed", "symmetric", "mean_min"])
def test_every_set_of_medoids(kind):
    problem = BagMedoidProblem(NINE, 3, kind=kind)
    H = bag_distances(NINE, kind=kind)
    rows = [[*ids, *[-1] * (3 - len(ids))] for k in (2, 3) for ids in itertools.permutations(range(9), k)]
    X = np.array(rows)
    F = problem.evaluate(X)
    for x, f in zip(X[::7], F[::7], strict=True):
        medoids = x[x >= 0]
        labels = H[:, medoids].argmin(axis=1)
        labels[medoids] = np.arange(len(medoids))
        assert f[0] == pytest.approx(naive_db_of_medoids(H, labels, medoids))


def test_the_same_partition_by_other_medoids_has_another_value():
    problem = BagMedoidProblem(TOY, 3, objectives=["bag_davies_bouldin", "ftwcv"])
    F = problem.evaluate(np.array([[1, 2, -1], [0, 2, -1], [-1, 2, 1], [1.0, -1, 2]]))
    assert_array_equal(problem.decode([[1, 2, -1]]), problem.decode([[0, 2, -1]]))
    assert F[0, 0] != F[1, 0]
    assert F[0, 1] == F[1, 1]
    assert_array_equal(F[0], F[2])
    assert_array_equal(F[0], F[3])


def test_medoids_without_distance_are_bad():
    problem = BagMedoidProblem([[[0, 0]], [[0, 0]], [[1, 1]]], 3, k_min=1)
    F = problem.evaluate(np.array([[0, 1, -1], [2, -1, -1], [0, 2, -1]]))
    assert_array_equal(F, [[1e6], [1e6], [0]])


def test_partitions_without_medoids_get_theirs():
    H = bag_distances(TOY)
    index = MedoidDaviesBouldin().fit(H)
    totals = H[np.ix_([2, 3, 4], [2, 3, 4])].sum(axis=1)
    medoid = 2 + int(totals.argmin())
    by_hand = naive_db_of_medoids(H, SPLIT[0], [1, medoid])
    assert H[0, 1] > H[1, 0]  # the first cluster's medoid is the second bag
    assert_allclose(index.evaluate(SPLIT[0]), by_hand)


def test_search_finds_the_best_of_all_sets_of_medoids():
    problem = BagMedoidProblem(NINE, 3)
    every = [[*ids, *[-1] * (3 - len(ids))] for k in (2, 3) for ids in itertools.combinations(range(9), k)]
    best = problem.evaluate(np.array(every)).min()
    algorithm = GA(
        pop_size=30,
        sampling=EncodingSampling(),
        crossover=SlotOnePointCrossover(prob=0.8),
        mutation=SlotMutation("rank"),
        eliminate_duplicates=CanonicalDuplicates(problem.encoding),
    )
    result = minimize(problem, algorithm, ("n_gen", 15), seed=1)
    assert result.F[0] == pytest.approx(best, rel=1e-12)
    assert problem.decode(result.X).shape == (1, 9)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"centers": "median"}, ValueError, "centers"),
        ({"kind": "cosine"}, ValueError, "kind"),
        ({"k_max": 6}, ValueError, "k_max"),
        ({"k_min": 3, "k_max": 2}, ValueError, "k_min"),
        ({"objectives": ["silhouette"]}, ValueError, "bag_silhouette"),
    ],
)
def test_misuse_of_medoids(change, error, match):
    with pytest.raises(error, match=match):
        BagMedoidProblem(**({"bags": TOY, "k_max": 2} | change))


def test_real_operators_are_refused_unless_repaired():
    problem = BagPartitionProblem(NINE, 2)
    parts = operators(problem) | {"mutation": PM(), "repair": None}
    with pytest.raises(ValueError, match="Repair"):
        minimize(problem, GA(pop_size=8, **parts), ("n_gen", 3), seed=1)


def test_copies_of_the_tables_are_the_tables():
    problem = BagMedoidProblem(NINE, 3)
    X = problem.encoding.random(2, np.random.default_rng(0))
    problem.evaluate(X)
    tables = problem._tables
    assert copy.deepcopy({"of": tables})["of"] is tables


def test_a_function_is_an_objective():
    def spread(bags, labels):
        return float(
            max(np.ptp(np.concatenate([bags[b] for b in np.flatnonzero(labels == k)])) for k in set(labels))
        )

    bags = make_bags(20, 2, random_state=0).bags
    labels = np.arange(20) % 2
    one = BagPartitionProblem(bags, 2, objectives=(spread, "min")).evaluate(labels[None])
    two = BagPartitionProblem(bags, 2, objectives=["twcv", (spread, "max")]).evaluate(labels[None])
    free = BagPartitionProblem(bags, 2, objectives="bag_davies_bouldin", min_cluster_size=0)
    G = free.evaluate(np.array([labels, 0 * labels]), return_as_dictionary=True)["G"]
    assert G.tolist() == [[0.0], [1.0]]
    assert one.ravel()[0] == -two.ravel()[1] == spread(bags, labels)
