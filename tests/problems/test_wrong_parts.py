"""Parts that do not fit a problem: one sentence each, which names what cures it."""

import numpy as np
import pytest
from pymoo.algorithms.moo.ctaea import CTAEA
from pymoo.algorithms.moo.dnsga2 import DNSGA2
from pymoo.algorithms.moo.moead import MOEAD, ParallelMOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.algorithms.soo.nonconvex.ga import BGA, GA
from pymoo.core.survival import Survival
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering import MOCK, NSGA2Clus, ParetoClustering, PCKMeans
from moo_clustering.algorithms import PymooSearch, evolve
from moo_clustering.constraints import ClusterSizes, PairwiseConstraints
from moo_clustering.encodings import Encoding, LabelEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex

X = np.random.default_rng(0).normal(size=(20, 2))
SMALL = {"pop_size": 6, "n_gen": 1}
THREE = get_reference_directions("uniform", 3, n_partitions=3)


class Odd(ValidityIndex):
    """An index that returns what it was given, or what that makes of the labels."""

    name, greater_is_better = "odd", False

    def __init__(self, values):
        self.values = values

    def fit(self, data):
        return self

    def evaluate(self, labels):
        return self.values(len(labels)) if callable(self.values) else self.values


def problem_of(*objectives, **options):
    return PartitionProblem(X, LabelEncoding(20, 4), ["silhouette", *objectives], **options)


def some_values(objective):
    genes = LabelEncoding(20, 4).random(6, np.random.default_rng(0))
    return problem_of(objective).evaluate(genes)


@pytest.mark.parametrize(
    "values",
    [
        np.nan, None, 1.0, lambda n: np.full(n, np.nan), lambda n: np.where(np.arange(n), 1.0, np.inf),
        lambda n: np.ones(n - 1), lambda n: np.ones((n, 2)), lambda n: ["a"] * n, lambda n: np.full(n, 1j),
    ],
    ids=["nan", "none", "scalar", "all nan", "an inf", "too few", "two columns", "text", "complex"],
)  # fmt: skip
def test_values_of_an_index_that_are_none(values):
    with pytest.raises(
        ValueError,
        match=r"index 'odd' must return one finite value per partition(,| \()",
    ):
        some_values(Odd(values))


@pytest.mark.parametrize("value", [np.nan, np.inf], ids=str)
def test_values_of_a_function_that_are_none(value):
    with pytest.raises(ValueError, match="finite"):
        some_values((lambda X, labels: value, "min"))


@pytest.mark.parametrize(
    "fit",
    [
        MOCK(**SMALL).fit,
        NSGA2Clus(**SMALL).fit,
        PCKMeans(2).fit,
        ParetoClustering(families=("km",)).fit,
    ],
    ids=["mock", "medoids", "k-means", "pool"],
)
@pytest.mark.parametrize("pair", [(0, 20), (3, -1)])
def test_pairs_of_rows_that_are_not_there(fit, pair):
    with pytest.raises(ValueError, match=r"must_link row 0: pair .* samples are numbered 0 to 19"):
        fit(X, must_link=[pair])


def test_pairs_about_other_samples():
    pairs = PairwiseConstraints([(0, 20)], n_samples=30)
    with pytest.raises(ValueError, match=r"same number of samples, got 30 and 20; create .*n_samples=20\)"):
        problem_of(constraints=pairs)


@pytest.mark.parametrize("algorithm", [NSGA3, CTAEA, RVEA])
def test_reference_directions_that_are_missing_or_of_other_objectives(algorithm):
    with pytest.raises(ValueError, match=f"{algorithm.__name__} requires reference directions.*get_ref"):
        MOCK(2, algorithm=algorithm, **SMALL).fit(X)
    message = r"directions for 3 objectives, but the problem has 2; pass ref_dirs=get_reference_dir"
    with pytest.raises(ValueError, match=message):
        MOCK(2, algorithm=algorithm(THREE), **SMALL).fit(X)
    with pytest.raises(ValueError, match=message):
        PymooSearch(problem_of("connectivity"), algorithm(THREE))


@pytest.mark.parametrize("algorithm", [MOEAD, ParallelMOEAD, DNSGA2])
@pytest.mark.parametrize(
    ("index", "limits", "names"),
    [
        ("xie_beni", (), "undefined_index; use another algorithm.*k_min=2"),
        (
            "xie_beni",
            (ClusterSizes(low=2),),
            "undefined_index, cluster_sizes; use another.*k_min=2",
        ),
        ("connectivity", (ClusterSizes(low=2),), r"cluster_sizes; use another algorithm .*constraints$"),
    ],
)
def test_an_algorithm_without_constraints_names_those_of_the_problem(algorithm, index, limits, names):
    problem = problem_of(index, limits=limits)
    message = f"{algorithm.__name__} does not support constraints, but the problem has {names}"
    with pytest.raises(ValueError, match=message):
        problem.operators(algorithm)
    made = DNSGA2() if algorithm is DNSGA2 else algorithm(get_reference_directions("uniform", 2, n_points=9))
    with pytest.raises(ValueError, match=message):
        PymooSearch(problem, made)


@pytest.mark.parametrize("algorithm", [GA, BGA])
def test_an_algorithm_for_one_objective_with_two(algorithm):
    problem = problem_of("connectivity")
    made = algorithm(pop_size=8, **problem.operators(algorithm))
    with pytest.raises(ValueError, match=rf"{algorithm.__name__} minimises one objective, but .* has 2; use"):
        PymooSearch(problem, made)


@pytest.mark.parametrize("limits", [(), (ClusterSizes(low=3),)])
def test_the_result_of_an_algorithm_that_reports_its_whole_population(limits):
    problem = problem_of("connectivity", limits=limits)
    directions = get_reference_directions("uniform", 2, n_partitions=9)
    for seed in range(4):
        result = evolve(problem, RVEA(directions, **problem.operators(RVEA)), n_gen=4, seed=seed)
        assert len(result.F) == len(result.X) == len(result.opt)
        worse = (result.F[:, None] >= result.F).all(axis=2) & (result.F[:, None] > result.F).any(axis=2)
        assert not worse.any()
        assert (result.opt.get("CV") <= 0).all()


def test_a_survival_without_ranks():
    class Youngest(Survival):
        def _do(self, problem, pop, *args, n_survive=None, **kwargs):
            return pop[-n_survive:]

    problem = problem_of("connectivity")
    algorithm = NSGA2(pop_size=8, survival=Youngest(), **problem.operators(NSGA2))
    with pytest.raises(ValueError, match=r"Youngest must set the rank and crowding .*RankAndCrowding\(\)"):
        evolve(problem, algorithm, n_gen=2, seed=0)


def test_an_algorithm_without_the_operators_of_the_problem():
    with pytest.raises(ValueError, match="EncodingSampling"):
        PymooSearch(problem_of("connectivity"), NSGA2(pop_size=8), seed=0).start()


def test_an_encoding_without_its_number_of_samples_is_refused():
    class Cut(Encoding):
        n_var = 1

        def bounds(self):
            return np.zeros(1, int), np.ones(1, int)

        def decode(self, X):
            return np.zeros((len(X), 4), int)

    with pytest.raises(TypeError, match=r"Cut.n_samples must be an integer of at least 1, got None"):
        PartitionProblem(np.zeros((4, 1)), Cut(), "silhouette")
