"""Every algorithm class of the installed pymoo, and of the package, with the operators of a problem."""

import importlib
import inspect
import pkgutil

import numpy as np
import pymoo.algorithms
import pytest
from pymoo.algorithms.soo.nonconvex.ga import FitnessSurvival
from pymoo.core.algorithm import Algorithm
from pymoo.operators.selection.rnd import RandomSelection
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering.algorithms import AMOSA, CHC, PESA2, DirectedWalks, MapElites
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem

X = np.random.default_rng(0).normal(size=(24, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 8, axis=0)
ENCODING = MedoidEncoding(X, k_max=6)
DIRECTIONS = get_reference_directions("uniform", 2, n_partitions=13)
# Required arguments, besides the size of the population, by class or by parameter.
NEEDED = {
    "GeneticAlgorithm": {"pop_size": 14, "selection": RandomSelection(), "survival": FitnessSurvival()},
    "RNSGA3": {"ref_points": np.eye(2), "pop_per_ref_point": 6},
    "RNSGA2": {"ref_points": np.eye(2), "pop_size": 14},
    "RandomSearch": {"n_points_per_iteration": 14},
    "AMOSA": {"soft_limit": 14, "hard_limit": 7},
}
UNSUITED = {
    "evaluates real-valued vectors": {
        "BIPOPCMAES",
        "BRKGA",
        "CMAES",
        "DE",
        "DIRECT",
        "EPPSO",
        "ES",
        "GDE3",
        "GDE32NN",
        "GDE3MNN",
        "GDE3PCD",
        "ISRES",
        "KGB",
        "LocalSearch",
        "MOPSO_CD",
        "NSDE",
        "NSDER",
        "NelderMead",
        "Optuna",
        "PatternSearch",
        "SRES",
        "SimpleCMAES",
    },
    "a single real variable": {
        "BracketSearch",
        "ExponentialSearch",
        "GoldenSectionSearch",
        "LineSearch",
        "QuadraticInterpolationSearch",
        "WolfeSearch",
    },
    "wraps another algorithm": {"MetaAlgorithm2"},
    "divides by differences": {"NRBO"},
}
REASON = {name: why for why, names in UNSUITED.items() for name in names}


def _classes():
    found = {kind.__name__: kind for kind in (AMOSA, CHC, PESA2, DirectedWalks, MapElites)}
    for module in pkgutil.walk_packages(pymoo.algorithms.__path__, "pymoo.algorithms."):
        try:
            names = vars(importlib.import_module(module.name))
        except Exception:  # an optional dependency, about which pymoo raises an Exception
            continue
        for name, kind in list(names.items()):
            if inspect.isclass(kind) and issubclass(kind, Algorithm) and kind.__module__ == module.name:
                found[name] = kind
    return found


CLASSES = _classes()


def _parameters(kind):
    return {name for one in kind.__mro__[:-1] for name in inspect.signature(one.__init__).parameters}


def test_all_classes_are_found():
    assert len(CLASSES) >= 50
    assert set(REASON) - {"Optuna"} <= set(CLASSES)


# pymoo compiles AGEMOEA in every process.
SLOW = dict.fromkeys(("AGEMOEA", "AGEMOEA2"), pytest.mark.slow)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SLOW.get(name, ())) for name in sorted(set(CLASSES) - set(REASON))]
)
def test_every_algorithm_runs_with_the_operators_of_the_problem(name):
    kind = CLASSES[name]
    single = ".soo." in kind.__module__ or name in ("CHC", "GeneticAlgorithm")
    problem = PartitionProblem(X, ENCODING, ["silhouette", "connectivity"][: 1 if single else 2])
    usual = {"ref_dirs": DIRECTIONS} if "ref_dirs" in _parameters(kind) else {"pop_size": 14}
    algorithm = kind(**NEEDED.get(name, usual), **problem.operators(kind))
    result = minimize(problem, algorithm, ("n_eval", 40), seed=1)
    genes = result.pop.get("X")
    np.testing.assert_array_equal(ENCODING.repair(genes), genes)
    assert np.isfinite(result.F).all()
    assert problem.decode(result.X).shape[1] == 24


@pytest.mark.parametrize("name", sorted(set(CLASSES) & set(REASON)))
def test_an_algorithm_that_cannot_search_genotypes_is_refused_with_the_reason(name):
    problem = PartitionProblem(X, ENCODING, "silhouette")
    reason = f"{name} cannot search genotypes, because it .*{REASON[name]}.*such as NSGA2"
    with pytest.raises(TypeError, match=reason):
        problem.operators(CLASSES[name])


@pytest.mark.parametrize("kind", [CHC, PESA2, DirectedWalks, MapElites])
def test_the_population_size_comes_first_as_in_pymoo(kind):
    problem = PartitionProblem(X, ENCODING, "silhouette")
    assert kind(12, **problem.operators(kind)).pop_size == 12


@pytest.mark.parametrize("wrong", ["NSGA2", CHC(), 3])
def test_an_algorithm_that_is_no_class_is_refused(wrong):
    with pytest.raises(TypeError, match="algorithm must be a class such as NSGA2, got "):
        PartitionProblem(X, ENCODING, "silhouette").operators(wrong)


def test_operators_are_those_that_the_algorithm_accepts():
    problem = PartitionProblem(X, ENCODING, ["silhouette", "connectivity"])
    usual = {"sampling", "crossover", "mutation", "repair", "eliminate_duplicates"}
    expected = {
        "NSGA2": usual,
        "MOEAD": usual - {"eliminate_duplicates"},
        "CMOPSO": {"sampling", "repair"},
        "RandomSearch": {"sampling"},
        "DirectedWalks": usual - {"crossover"},
        "MapElites": usual,
        "AMOSA": usual - {"crossover", "mutation"} | {"perturb"},
    }
    assert {name: set(problem.operators(CLASSES[name])) for name in expected} == expected
    assert set(problem.operators()) == usual
