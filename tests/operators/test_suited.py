"""Operators that suit a problem."""

import subprocess
import sys
from copy import copy

import numpy as np
import pytest
from contract.problems import PROBLEMS, problem_of
from pymoo.algorithms.moo.cmopso import CMOPSO
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering.encodings import (
    LabelEncoding,
    LocusAdjacencyEncoding,
    MedoidEncoding,
    MedoidSlotEncoding,
    relabel_by_first_appearance,
)
from moo_clustering.operators import (
    EncodingMutation,
    ImprovementMutation,
    PrefixUnionCrossover,
    suited_operators,
)
from moo_clustering.problems import BagPartitionProblem, FuzzyCenterEncoding, PartitionProblem
from moo_clustering.validity import get_index

X = np.random.default_rng(0).normal(size=(24, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 8, axis=0)
DISTANCES = np.linalg.norm(X[:, None] - X, axis=2)
ENCODINGS = {
    "labels": LabelEncoding(24, k_max=4),
    "medoids": MedoidEncoding(X, k_max=4),
    "slots": MedoidSlotEncoding(DISTANCES, k_max=4),
    "links": LocusAdjacencyEncoding(np.argsort(DISTANCES, axis=1)[:, 1:6]),
}


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_any_encoding_runs_in_one_line_and_finds_better_partitions(encoding):
    problem = PartitionProblem(X, encoding, "silhouette")
    start = minimize(problem, NSGA2(pop_size=12, **problem.operators()), ("n_gen", 1), seed=1)
    result = minimize(problem, NSGA2(pop_size=12, **problem.operators()), ("n_gen", 25), seed=1)
    assert result.pop.get("F").mean() < start.pop.get("F").mean()


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_no_partition_is_in_the_population_twice(encoding):
    problem = PartitionProblem(X, encoding, ["silhouette", "connectivity"])
    result = minimize(problem, NSGA2(pop_size=16, **problem.operators()), ("n_gen", 4), seed=1)
    partitions = encoding.canonical(result.pop.get("X"))
    assert len(np.unique(partitions, axis=0)) == len(partitions) == 16


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_moead_takes_them_too(encoding):
    problem = PartitionProblem(X, encoding, ["silhouette", "connectivity"])
    directions = get_reference_directions("uniform", 2, n_partitions=7)
    algorithm = MOEAD(directions, n_neighbors=4, **problem.operators(MOEAD))
    assert len(minimize(problem, algorithm, ("n_gen", 2), seed=1).pop) == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_has_operators(name):
    problem = problem_of(name)
    result = minimize(problem, NSGA2(pop_size=8, **problem.operators()), ("n_gen", 3), seed=1)
    assert np.isfinite(result.pop.get("F")).all()


@pytest.mark.parametrize("name", PROBLEMS)
def test_particles_that_move_between_genotypes_become_genotypes(name):
    problem = problem_of(name)
    given = problem.operators(CMOPSO)
    assert set(given) == {"sampling", "repair"}
    drawn = given["sampling"].do(problem, 4, random_state=np.random.default_rng(0)).get("X")
    pop = Population.new(X=drawn + np.random.default_rng(1).uniform(-0.9, 1.9, drawn.shape))
    pop = given["repair"](problem, pop, random_state=np.random.default_rng(2))
    assert np.isfinite(problem.evaluate(pop.get("X"), return_values_of=["F"])).all()


def test_registry_is_filled_for_users_of_problems_alone():
    """Importing all problems imports no operators; asking one for its operators does."""
    program = """
import sys
import moo_clustering.problems as problems
for name in problems.__all__:
    getattr(problems, name)
assert not [name for name in sys.modules if name.startswith("moo_clustering.operators")]
problem = problems.SumOfSquaresProblem([[0.0], [1.0], [9.0], [10.0]], 2)
print(*(type(one).__name__ for one in problem.operators().values()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    names = ["RefillingSampling", "CenterMatchingCrossover", "RelocateCenter", "LocalSearchRepair"]
    assert done.stdout.split() == [*names, "CanonicalDuplicates"]


def test_subclasses_have_the_operators_of_the_nearest_class():
    class Mine(MedoidEncoding):
        """An encoding of medoids."""

    class Rounded(BagPartitionProblem):
        """A problem whose operators precede those of its encoding."""

    problem = PartitionProblem(X, Mine(X, k_max=4), "silhouette")
    assert type(problem.operators()["crossover"]) is PrefixUnionCrossover
    bags = copy(problem_of("BagPartitionProblem"))
    bags.__class__ = Rounded
    assert type(bags.operators()["mutation"]) is ImprovementMutation


def test_operators_are_made_anew():
    problem = PartitionProblem(X, ENCODINGS["medoids"], "silhouette")
    first, second = problem.operators(), suited_operators(problem)
    assert first.keys() == second.keys()
    assert all(first[name] is not second[name] for name in first)


def test_encoding_mutation_changes_the_given_share_of_genes():
    encoding = LabelEncoding(2000, k_max=4)
    problem = PartitionProblem(None, encoding, [get_index("deviation").fit(np.zeros((2000, 1)))])
    genes = np.full((3, 2000), 9)  # no gene of a random individual
    mutated = EncodingMutation(0.25)._do(problem, genes, random_state=0)
    assert (mutated != 9).mean() == pytest.approx(0.25, abs=0.02)
    assert (EncodingMutation()._do(problem, genes, random_state=0) != 9).sum() < 20


def test_problem_without_encoding_is_told_what_to_give():
    with pytest.raises(TypeError, match="; set its encoding attribute"):
        suited_operators(Problem(n_var=2, n_obj=1))


def test_pymoo_operators_without_repair_are_told_what_mends_it():
    problem = PartitionProblem(X, ENCODINGS["labels"], ["silhouette", "connectivity"])
    with pytest.raises(ValueError, match=r"EncodingRepair\(\).*problem\.operators\(\)"):
        minimize(problem, NSGA2(pop_size=8), ("n_gen", 1), seed=1)


@pytest.mark.parametrize("algorithm", [SMSEMOA, NSGA2])
def test_medoids_that_decode_to_the_same_partition_are_duplicates(algorithm):
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=4), ["silhouette", "connectivity"])
    result = minimize(problem, algorithm(30, **problem.operators(algorithm)), ("n_gen", 12), seed=1)
    partitions = relabel_by_first_appearance(problem.decode(result.pop.get("X")))
    assert len(partitions) == len(np.unique(partitions, axis=0)) == 30


def test_fuzzy_genotypes_are_duplicates_unless_an_index_reads_their_memberships():
    encoding = FuzzyCenterEncoding(X, 3)
    genes = encoding.encode(np.arange(len(X))[None] % 3)
    genes = np.concatenate([genes, np.nextafter(genes, 9)])
    for objectives, n in ((["silhouette"], 1), (["fuzzy_xie_beni", "silhouette"], 2)):
        duplicates = PartitionProblem(X, encoding, objectives).operators()["eliminate_duplicates"]
        assert len(duplicates.do(Population.new(X=genes))) == n
