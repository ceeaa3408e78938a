"""Searches that start from known partitions, genotypes, populations, estimators or runs."""

import numpy as np
import pytest
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions
from sklearn.cluster import KMeans

from moo_clustering.algorithms import AMOSA, evolve
from moo_clustering.encodings import Encoding, LabelEncoding, LocusAdjacencyEncoding, MedoidEncoding
from moo_clustering.encodings import relabel_by_first_appearance as numbered
from moo_clustering.estimators.composed import EvolutionaryClusterer, estimator
from moo_clustering.graphs import locus_graph
from moo_clustering.operators import start_genes
from moo_clustering.problems import PartitionProblem

X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 10, axis=0)
TRUTH = np.repeat([0, 1, 2], 10)
GRAPH = locus_graph(X, n_neighbors=6, rng=np.random.default_rng(0))
ENCODINGS = {
    "labels": LabelEncoding(30, k_max=5),
    "links": LocusAdjacencyEncoding(graph=GRAPH),
    "tree": LocusAdjacencyEncoding(graph=GRAPH, kind="split", delta=0.0),
    "medoids": MedoidEncoding(X, k_max=5),
}


def problem_of(name):
    return PartitionProblem(X, ENCODINGS[name], ["deviation", "connectivity"])


def first_labels(problem, algorithm):
    return numbered(problem.decode(minimize(problem, algorithm, ("n_gen", 1), seed=1).pop.get("X")))


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_partition_is_in_the_first_population(name):
    problem = problem_of(name)
    algorithm = NSGA2(12, **problem.operators(NSGA2, start=TRUTH))
    labels = first_labels(problem, algorithm)
    assert (labels == TRUTH).all(axis=1).sum() == 1
    assert len(np.unique(labels, axis=0)) == 12


def test_every_form_of_a_start():
    problem, genes = problem_of("medoids"), np.array([[0, 10, 20, -1, -1]])
    model = KMeans(3, n_init=1, random_state=0).fit(X)
    for start in (genes, Population.new(X=genes), TRUTH.tolist(), model):
        assert (numbered(problem.decode(start_genes(problem, start))) == TRUTH).all()
    result = minimize(problem, NSGA2(8, **problem.operators(NSGA2)), ("n_gen", 1), seed=0)
    np.testing.assert_array_equal(start_genes(problem, result), result.pop.get("X"))
    links = ENCODINGS["links"].random(2, np.random.default_rng(0))
    np.testing.assert_array_equal(start_genes(problem_of("links"), Population.new(X=links)), links)


def test_folder_of_a_run(tmp_path):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(TRUTH))
    (tmp_path / "labels.csv").write_text("row,label\n" + rows)
    problem = problem_of("labels")
    assert start_genes(problem, tmp_path).tolist() == [TRUTH.tolist()]
    with pytest.raises(ValueError, match="must be a finished run folder, but"):
        start_genes(problem, str(tmp_path / "absent"))


def test_moead_and_evolve_start_there_too():
    problem = problem_of("labels")
    directions = get_reference_directions("uniform", 2, n_partitions=9)
    algorithm = MOEAD(directions, n_neighbors=4, **problem.operators(MOEAD, start=TRUTH))
    assert (first_labels(problem, algorithm) == TRUTH).all(axis=1).any()
    for made in (NSGA2(10, **problem.operators(NSGA2)), AMOSA(soft_limit=20, hard_limit=10, n_moves=2)):
        if isinstance(made, AMOSA):
            made = AMOSA(soft_limit=20, hard_limit=10, n_moves=2, **problem.operators(AMOSA))
        result = evolve(problem, made, n_gen=0, seed=1, start=TRUTH)
        assert (numbered(problem.decode(result.pop.get("X"))) == TRUTH).all(axis=1).any()
    given = problem.operators(NSGA2) | {"sampling": np.zeros((4, 30), int)}
    with pytest.raises(TypeError, match=r"start requires an algorithm with a pymoo Sampling"):
        evolve(problem, NSGA2(4, **given), n_gen=0, start=TRUTH)


@estimator
class Started(EvolutionaryClusterer):
    """Links between neighbours."""

    def make_problem(self, X, constraints):
        return PartitionProblem(X, ENCODINGS["links"], ["deviation", "connectivity"], constraints=constraints)


def test_an_estimator_starts_there_and_resumes(tmp_path):
    path = tmp_path / "run"
    model = Started(pop_size=10, n_gen=2, random_state=0, start=TRUTH, checkpoint=path).fit(X)
    values = model.result_.problem.evaluate(start_genes(model.result_.problem, TRUTH))
    assert (values >= model.result_.F).all(axis=1).any()
    np.testing.assert_array_equal(model.set_params(n_gen=2).fit(X).labels_, model.labels_)
    again = Started(pop_size=10, n_gen=0, random_state=0, start=model).fit(X)
    assert (again.pareto_labels_[:, None] == model.pareto_labels_).all(axis=2).any(axis=1).all()


class Sides(Encoding):
    """Two clusters by one cut, which has no encode."""

    n_samples, n_var = 30, 1

    def bounds(self):
        return np.zeros(1, int), np.full(1, 28)

    def decode(self, X):
        return numbered((np.arange(30) > X.astype(int)).astype(int))


def test_starts_that_do_not_fit_are_refused_in_a_sentence():
    problem = problem_of("labels")
    for start, message in (
        (np.zeros(29, int), r"start must contain partitions of 30 samples, got shape \(1, 29\)"),
        (np.arange(30) // 5, "start has 6 clusters, but the encoding supports at most 5; increase k_max"),
        (np.empty((0, 30), int), "start must contain at least one partition"),
        (TRUTH - 1, "labels of start must be non-negative, got -1; assign noise"),
    ):
        with pytest.raises(ValueError, match=message):
            problem.operators(NSGA2, start=start)
    sides = PartitionProblem(X, Sides(), ["silhouette"])
    with pytest.raises(TypeError, match="Sides cannot encode partitions, which start_genes requires"):
        sides.operators(NSGA2, start=TRUTH)
    with pytest.warns(UserWarning, match="AdjacencyEncoding can only approximate 1 of 1 partitions in start"):
        start_genes(problem_of("tree"), np.arange(30) % 2)


def test_encoded_links_are_those_of_neighbours_where_these_connect_a_cluster():
    encoding = ENCODINGS["links"]
    (links,) = encoding.encode(TRUTH[None])
    near = [
        link == i or link in encoding.neighbors[i] or i in encoding.neighbors[link]
        for i, link in enumerate(links)
    ]
    assert all(near)
    np.testing.assert_array_equal(encoding.decode(links[None]), [TRUTH])
