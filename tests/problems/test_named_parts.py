"""Names of functions as objectives, data of inequalities, and the other small doors of a composition."""

import numpy as np
import pytest
from deap import tools
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from sklearn.metrics import davies_bouldin_score

from moo_clustering.algorithms import evolve
from moo_clustering.encodings import LabelEncoding, MedoidEncoding
from moo_clustering.estimators.composed import EvolutionaryClusterer, estimator
from moo_clustering.operators.deap import ArrayIndividual, medoid_toolbox
from moo_clustering.problems import MedoidProblem, PartitionProblem

X = np.random.default_rng(0).normal(size=(20, 2)) + np.repeat([[0, 0], [6, 0]], 10, axis=0)
TWO = np.repeat([0, 1], 10)


def test_functions_have_distinct_names_or_those_of_the_user():
    first, second = (lambda X, labels: 1.0), (lambda X, labels: 2.0)
    encoding = MedoidEncoding(X, k_max=3)
    problem = PartitionProblem(
        X, encoding, [(first, "max"), (second, "min"), ("spread", davies_bouldin_score, "min")]
    )
    assert problem.objective_names == ("<lambda>", "<lambda> (2)", "spread")
    alone = PartitionProblem(X, encoding, ("spread", davies_bouldin_score, "min"))
    assert alone.objective_names == ("spread",)
    assert alone.evaluate(np.array([[0, 10, -1]]))[0, 0] == davies_bouldin_score(X, TWO)
    with pytest.raises(TypeError, match=r"\('name', function, 'min'\)"):
        PartitionProblem(X, encoding, [("spread", "xie_beni", "min")])


def test_inequality_with_data():
    def mean_of_first(labels, data):
        return [data[row == 0, 0].mean() - 3.0 for row in labels]

    problem = PartitionProblem(X, LabelEncoding(20, 2), "silhouette", inequalities=[mean_of_first])
    assert problem.constraint_names == ("mean_of_first",)
    G = problem.evaluate(TWO[None], return_as_dictionary=True)["G"]
    assert G[0, 0] == pytest.approx(X[:10, 0].mean() - 3.0)
    with pytest.raises(
        ValueError, match="inequality 'mean_of_first' requires data, but the problem has data=None"
    ):
        PartitionProblem(None, LabelEncoding(20, 2), problem.indices, inequalities=[mean_of_first])


def test_a_path_is_a_checkpoint(tmp_path):
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=4), ["silhouette", "connectivity"])
    path = tmp_path / "x.npz"
    evolve(problem, NSGA2(8, **problem.operators(NSGA2)), n_gen=2, seed=1, checkpoint=str(path))
    assert path.is_file()
    resumed = evolve(problem, NSGA2(8, **problem.operators(NSGA2)), n_gen=4, seed=1, checkpoint=path)
    whole = evolve(problem, NSGA2(8, **problem.operators(NSGA2)), n_gen=4, seed=1)
    np.testing.assert_array_equal(resumed.pop.get("X"), whole.pop.get("X"))


@pytest.mark.parametrize("kind", [lambda: tools.HallOfFame(3), tools.ParetoFront])
def test_halls_of_fame_hold_arrays(kind):
    population = [ArrayIndividual([0, 1, 2]), ArrayIndividual([0, 1, 2]), ArrayIndividual([0, 1, 1])]
    for individual, values in zip(population, [(1.0, 2.0), (1.0, 2.0), (2.0, 1.0)], strict=True):
        individual.fitness.values = values
    hall = kind()
    hall.update(population)
    hall.update(population)
    assert sorted(one.tolist() for one in hall) == [[0, 1, 1], [0, 1, 2]]


def test_a_toolbox_of_whole_populations_says_so():
    toolbox = medoid_toolbox(MedoidProblem(X, k_max=4, metric="euclidean"))
    with pytest.raises(TypeError, match=r"medoid_toolbox evaluates whole populations.* use bag_toolbox"):
        toolbox.evaluate([0, 1])


@estimator
class Plain(EvolutionaryClusterer):
    """An estimator whose problem has no partitions."""

    def make_problem(self, X, constraints):
        return Problem(n_var=2, n_obj=2)


def test_a_plain_problem_is_refused_with_what_runs_it():
    with pytest.raises(TypeError, match=r"make_problem must return a PartitionProblem.*use evolve\(problem"):
        Plain().fit(X)
