"""Limits of a PartitionProblem: columns of G, any encoding, algorithm and control, limits of a user's own."""

import numpy as np
import pytest
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering import PairwiseConstraints, controls
from moo_clustering.algorithms import AMOSA, PESA2, evolve
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
from moo_clustering.encodings import LabelEncoding, LocusAdjacencyEncoding, MedoidEncoding, MedoidSlotEncoding
from moo_clustering.estimators.composed import EvolutionaryClusterer
from moo_clustering.graphs import locus_graph, symmetrize
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import ChunkedProblem, PartitionProblem

X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 10, axis=0)
D = np.linalg.norm(X[:, None] - X, axis=2)
D = (D + D.T) / 2
PAIRS = PairwiseConstraints([[0, 1], [10, 11]], [[0, 10], [1, 20]], n_samples=30)
ENCODINGS = {
    "labels": LabelEncoding(30, k_max=5, k_min=2),
    "medoids": MedoidEncoding(X, k_max=5),
    "slots": MedoidSlotEncoding(D, k_max=5),
    "links": LocusAdjacencyEncoding(np.argsort(D, axis=1)[:, 1:6]),
    "cut links": LocusAdjacencyEncoding(
        graph=locus_graph(X, n_neighbors=5, rng=np.random.default_rng(0)), kind="split"
    ),
}
NEAR = symmetrize((D < 2).astype(float))
CLASSES = np.arange(30) // 10
EVERY_LIMIT = [
    ClusterSizes(2, 20),
    ClusterWeights(np.arange(1.0, 31.0), 10, 400, name="load"),
    Contiguity(NEAR),
    GroupShares(np.arange(30) % 2, 0.3, 2),
    Diameter(D, 12.0),
    ClusterCount(2, 4),
    Kept(CLASSES, 0.9),
]
NAMES = ("cluster_sizes", "load", "contiguity", "group_shares", "diameter", "cluster_count", "kept")


def partition_problem(encoding="labels", **options):
    return PartitionProblem(X, ENCODINGS[encoding], ["deviation", "silhouette"], **options)


def test_one_named_column_per_limit():
    def too_odd(labels):
        return np.ones(len(labels))

    limits = [*EVERY_LIMIT, ClusterSizes(1, 9)]
    problem = partition_problem(
        limits=limits, inequalities=[too_odd], constraints=PAIRS, constraint_handling="constraint"
    )
    names = ("constraint_violation", *NAMES, "cluster_sizes (2)", "too_odd")
    assert problem.constraint_names == names
    labels = ENCODINGS["labels"].random(12, np.random.default_rng(0))
    G = problem.evaluate(labels, return_values_of=["G"])
    columns = [PAIRS.violation(labels), *(limit.violations(labels) for limit in limits), np.ones(12)]
    np.testing.assert_array_equal(G, np.column_stack(columns))
    for handling, first in (("objective", ()), ("crowding", ()), ("none", ()), ("constraint", names[:1])):
        given = {"constraints": PAIRS, "constraint_handling": handling}
        assert partition_problem(limits=EVERY_LIMIT, **given).constraint_names == first + NAMES
    assert partition_problem().constraint_names == ()
    assert partition_problem().n_ieq_constr == 0


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_equal_the_violations_of_decoded_partitions(encoding):
    problem = partition_problem(encoding, limits=EVERY_LIMIT)
    genes = problem.encoding.random(9, np.random.default_rng(1))
    _, G = problem.evaluate(genes)
    labels = problem.decode(genes)
    np.testing.assert_allclose(G, np.column_stack([limit.violations(labels) for limit in EVERY_LIMIT]))
    chunked = ChunkedProblem(problem, chunk_size=2, n_jobs=2)
    assert chunked.constraint_names == NAMES
    np.testing.assert_array_equal(chunked.evaluate(genes)[1], G)


# What a limit may wrongly return.
WRONG = {
    "a scalar": lambda labels: 1.0,
    "None": lambda labels: None,
    "one value per sample": lambda labels: labels[0].astype(float),
    "a column": lambda labels: np.zeros((len(labels), 1)),
    "NaN": lambda labels: np.where(np.arange(len(labels)) == 0, np.nan, 1.0),
    "infinity": lambda labels: np.full(len(labels), np.inf),
    "text": lambda labels: np.full(len(labels), "1.0"),
}
# Not RVEA of pymoo, whose results include infeasible individuals.
SEARCHES = {kind.__name__: kind for kind in (NSGA2, NSGA3, SMSEMOA, SPEA2, AGEMOEA, PESA2, AMOSA)}


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_any_algorithm_keeps_a_limit(algorithm):
    limit = ClusterSizes(8, 12)
    problem = partition_problem(limits=[limit])
    kind = SEARCHES[algorithm]
    operators = problem.operators(kind)
    operators["sampling"] = np.random.default_rng(0).permuted(np.tile(CLASSES, (20, 1)), axis=1)
    options = {"pop_size": 20}
    if kind is NSGA3:
        options = {"ref_dirs": get_reference_directions("uniform", 2, n_partitions=19)}
    elif kind is AMOSA:
        options = {"soft_limit": 20, "hard_limit": 10, "n_climb": 2}
    result = evolve(problem, kind(**options, **operators), n_gen=10, seed=0)
    labels = problem.decode(result.X)
    assert (limit.violations(labels) == 0).all()
    assert all(8 <= size <= 12 for row in labels for size in np.bincount(row))


def test_controls_keep_a_limit():
    problem = PartitionProblem(X, LabelEncoding(30, 3), "deviation", limits=[ClusterSizes(8, 12)])
    compared = controls.compare(problem, NSGA2(10, **problem.operators()), n_evals=60, seeds=2)
    assert len(compared.runs["hypervolume" if "hypervolume" in compared.runs else "deviation"]) > 0


def test_a_run_resumes_with_limits(tmp_path):
    problem = partition_problem("medoids", limits=EVERY_LIMIT)

    def run(n_gen, checkpoint=None):
        algorithm = NSGA2(10, return_least_infeasible=True, **problem.operators())
        return evolve(problem, algorithm, n_gen=n_gen, seed=3, checkpoint=checkpoint)

    whole = run(8)
    path = tmp_path / "run.ckpt"
    run(4, Checkpoint(path, every=2))
    resumed = run(8, Checkpoint(path, every=2))
    np.testing.assert_array_equal(resumed.pop.get("X"), whole.pop.get("X"))
    np.testing.assert_array_equal(resumed.pop.get("G"), whole.pop.get("G"))


def test_a_limit_of_a_users_own():
    class OddSizes(Limit):
        def violations(self, labels):
            return [sum(np.bincount(row) % 2 == 0) / len(row) for row in labels]

    problem = partition_problem(limits=[OddSizes(), ClusterCount(2)])
    assert problem.constraint_names == ("odd_sizes", "cluster_count")
    result = evolve(problem, NSGA2(20, **problem.operators()), n_gen=20, seed=0)
    assert all((np.bincount(row) % 2).all() for row in problem.decode(result.X))


@pytest.mark.parametrize("n", [7, 30])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_limit_that_returns_something_else_is_named(wrong, n):
    class Wrong(Limit):
        def violations(self, labels):
            return WRONG[wrong](labels)

    problem = partition_problem(limits=[Wrong()])
    with pytest.raises(ValueError, match="limit 'wrong' must return one finite value per partition"):
        problem.evaluate(ENCODINGS["labels"].random(n, np.random.default_rng(0)))


def test_negative_violations_count_as_zero():
    class Slack(Limit):
        def violations(self, labels):
            return np.where(np.arange(len(labels)) == 0, -5.0, 1.0)

    G = partition_problem(limits=[Slack()]).evaluate(np.array([CLASSES, CLASSES[::-1] * 0]))[1]
    np.testing.assert_array_equal(G, [[0], [1]])


@pytest.mark.parametrize(
    "wrong",
    [ClusterSizes(1, 2), [len], ["sizes"], [ClusterSizes], None],
    ids=["one limit", "function", "name", "class", "none"],
)
def test_limits_are_limit_objects(wrong):
    with pytest.raises(TypeError, match="limits must be a sequence of Limits such as ClusterSizes"):
        partition_problem(limits=wrong)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            [ClusterSizes(20, 25)],
            "contain 40..50 in total, but there are 30 samples; 5 clusters of",
        ),
        ([ClusterSizes(1, 4)], "5 clusters of 1..4 samples contain 5..20 in total"),
        ([ClusterCount(6, 9)], r"satisfies the limits: .*2 clusters are outside the bounds, 6\.\.9"),
        # Each alone is possible, with 2 to 3 and with 4 to 5 clusters.
        ([ClusterSizes(10, 15), ClusterCount(4, 5)], "no partition of the encoding satisfies the limits"),
        ([Contiguity(np.zeros((30, 30)))], "the graph has 30 connected components"),
        ([Contiguity(np.zeros((20, 20)))], "contiguity was created for 20 samples, but there are 30 samples"),
    ],
)
def test_impossible_limits_are_refused_before_a_run(limits, message):
    with pytest.raises(ValueError, match=message):
        partition_problem(limits=limits)


def test_generators_are_read_once():
    limits, values = (each for each in [ClusterSizes(3)]), (each for each in [lambda labels: -labels[:, 0]])
    problem = PartitionProblem(X, ENCODINGS["labels"], ["deviation"], limits=limits, inequalities=values)
    assert problem.n_ieq_constr == 2


def test_an_estimator_composed_with_limits():
    class Teams(EvolutionaryClusterer):
        def make_problem(self, X, constraints):
            limits = [ClusterSizes(8, 12)]
            return PartitionProblem(
                X, MedoidEncoding(X, 3, k_min=3), ["deviation", "silhouette"], limits=limits
            )

    model = Teams(pop_size=20, n_gen=5, random_state=0).fit(X)
    assert all(8 <= size <= 12 for row in model.pareto_labels_ for size in np.bincount(row))
