"""Partitions for which an index is undefined are infeasible, and in no front."""

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.optimize import minimize
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score

from moo_clustering.encodings import LabelEncoding, LocusAdjacencyEncoding, MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex

X = np.random.default_rng(0).normal(size=(12, 2)) + np.repeat([[0, 0], [6, 0]], 6, axis=0)
ONE, TWO, ALONE = np.zeros(12, int), np.repeat([0, 1], 6), np.arange(12)


class Gap(ValidityIndex):
    """Distance between the first two means, which needs two clusters and fails otherwise."""

    name, greater_is_better, min_clusters = "gap", True, 2

    def fit(self, data):
        self.X = np.asarray(data)
        return self

    def evaluate(self, labels):
        assert (labels.max(axis=1) > 0).all()
        return np.array([np.linalg.norm(self.X[r == 0].mean(0) - self.X[r == 1].mean(0)) for r in labels])


INDICES = {
    "davies_bouldin": "davies_bouldin",
    "xie_beni": "xie_beni",
    "function": (davies_bouldin_score, "min"),
    "own": Gap(),
}


@pytest.mark.parametrize("name", INDICES)
def test_one_cluster_is_infeasible_where_the_index_is_undefined(name):
    problem = PartitionProblem(X, LabelEncoding(12, k_max=3), [INDICES[name], "deviation"])
    out = problem.evaluate(np.array([ONE, TWO]), return_as_dictionary=True)
    assert problem.constraint_names == ("undefined_index",)
    assert out["G"].tolist() == [[1.0], [0.0]]
    assert out["F"][0, 0] == 1e12  # infeasible, and worse than any value besides
    two = LabelEncoding(12, k_max=3, k_min=2)
    assert PartitionProblem(X, two, [INDICES[name], "deviation"]).n_ieq_constr == 0
    assert PartitionProblem(X, MedoidEncoding(X), [INDICES[name]]).n_ieq_constr == 0


def test_values_of_defined_partitions_do_not_change():
    labels = np.random.default_rng(1).integers(0, 3, (20, 12))
    names = ["davies_bouldin", "xie_beni", "silhouette"]
    free = PartitionProblem(X, LabelEncoding(12, k_max=3), names)
    bound = PartitionProblem(X, LabelEncoding(12, k_max=3, k_min=2), names)
    F = free.evaluate(labels, return_as_dictionary=True)["F"]
    np.testing.assert_array_equal(F, bound.evaluate(labels))


def test_singletons_alone_are_infeasible_for_a_function():
    problem = PartitionProblem(X, LocusAdjacencyEncoding(n_samples=12), (calinski_harabasz_score, "max"))
    links = np.array([ALONE, np.roll(ALONE, 1), np.minimum(ALONE + 1, TWO * 6 + 5)])
    G = problem.evaluate(links, return_as_dictionary=True)["G"]
    assert G.tolist() == [[1.0], [1.0], [0.0]]
    limited = PartitionProblem(
        X, LabelEncoding(12, 12), "xie_beni", inequalities=[lambda row: -np.ones(len(row))]
    )
    assert limited.constraint_names == ("undefined_index", "<lambda>")
    G = limited.evaluate(np.array([ONE, ALONE]), return_as_dictionary=True)["G"]
    assert G.tolist() == [[1.0, -1.0], [0.0, -1.0]]


@pytest.mark.parametrize("algorithm", [NSGA2, SMSEMOA])
def test_no_front_has_a_magic_number(algorithm):
    problem = PartitionProblem(X, LabelEncoding(12, k_max=3), ["deviation", (davies_bouldin_score, "min")])
    start = np.concatenate([ONE[None], np.random.default_rng(0).integers(0, 3, (11, 12))])
    parts = problem.operators(algorithm) | {"sampling": start}
    result = minimize(problem, algorithm(12, **parts), ("n_gen", 4), seed=1)
    assert abs(result.F).max() < 1e6
    assert (problem.decode(result.X).max(axis=1) > 0).all()
