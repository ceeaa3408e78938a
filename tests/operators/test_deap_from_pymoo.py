"""Every public crossover and mutation of pymoo's kind, in DEAP's own loops."""

import random

import numpy as np
import pytest
from contract.operators import OPERATORS
from contract.problems import first_population, problem_of
from deap import algorithms, base, creator, tools
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.operators.crossover.ux import UX
from pymoo.operators.mutation.pm import PM

from moo_clustering.encodings import LabelEncoding, MedoidEncoding
from moo_clustering.operators import EncodingMutation
from moo_clustering.operators.deap import ArrayIndividual, as_mate, as_mutate
from moo_clustering.problems import PartitionProblem

VARYING = {name: case for name, case in OPERATORS.items() if isinstance(case.make(), (Crossover, Mutation))}
CROSSOVERS = [name for name, case in VARYING.items() if isinstance(case.make(), Crossover)]
MUTATIONS = [name for name in VARYING if name not in CROSSOVERS]
X = np.random.default_rng(0).normal(size=(20, 2)) + np.repeat([[0, 0], [6, 0]], 10, axis=0)


def toolbox_of(problem, crossover, mutation, individual):
    toolbox = base.Toolbox()
    toolbox.register("mate", as_mate(crossover, problem, seed=1))
    toolbox.register("mutate", as_mutate(mutation, problem, seed=2))
    toolbox.register(
        "evaluate", lambda one: tuple(problem.evaluate(np.asarray(one)[None], return_values_of=["F"])[0])
    )
    toolbox.register("select", tools.selNSGA2)
    kind = creator.__dict__.get(f"Minimize{problem.n_obj}")
    if kind is None:
        creator.create(f"Minimize{problem.n_obj}", base.Fitness, weights=(-1.0,) * problem.n_obj)
        kind = creator.__dict__[f"Minimize{problem.n_obj}"]
    toolbox.register("individual", individual, fitness=kind)
    return toolbox


def both_loops(problem, genes, crossover, mutation):
    """The last populations of eaSimple and eaMuPlusLambda."""
    state = random.getstate()
    random.seed(0)  # DEAP's loops draw from this generator alone
    toolbox = toolbox_of(problem, crossover, mutation, ArrayIndividual)
    population = [toolbox.individual(row) for row in genes]
    simple, _ = algorithms.eaSimple(
        [toolbox.clone(one) for one in population], toolbox, 0.5, 0.5, 1, verbose=False
    )
    plus, _ = algorithms.eaMuPlusLambda(population, toolbox, 6, 6, 0.5, 0.5, 1, verbose=False)
    random.setstate(state)
    return simple, plus


@pytest.mark.slow
@pytest.mark.parametrize("name", VARYING)
def test_every_operator_serves_deap(name):
    case = VARYING[name]
    problem = problem_of(case.problem)
    operators = problem.operators()
    operator = case.make()
    crossover = operator if name in CROSSOVERS else operators["crossover"]
    mutation = operator if name in MUTATIONS else operators["mutation"]
    genes = first_population(case.problem).get("X")[:6]
    for population in both_loops(problem, genes, crossover, mutation):
        assert np.isfinite([one.fitness.values for one in population]).all()


@pytest.mark.parametrize(
    "encoding", [LabelEncoding(20, 4), MedoidEncoding(X, k_max=4)], ids=["labels", "medoids"]
)
def test_pymoos_own_operators_are_repaired_for_any_encoding(encoding):
    problem = PartitionProblem(X, encoding, ["silhouette", "connectivity"])
    genes = encoding.random(8, np.random.default_rng(0))
    first = both_loops(problem, genes, UX(), PM(prob_var=0.5))
    again = both_loops(problem, genes, UX(), PM(prob_var=0.5))
    for population, same in zip(first, again, strict=True):
        np.testing.assert_array_equal(encoding.repair(np.array(population)), np.array(population))
        np.testing.assert_array_equal(np.array(population), np.array(same))


def test_a_seed_draws_on_from_call_to_call():
    problem = PartitionProblem(X, LabelEncoding(20, 4), "silhouette")
    mutate = as_mutate(EncodingMutation(0.5), problem, seed=3)
    one, two = ArrayIndividual(np.zeros(20, dtype=int)), ArrayIndividual(np.zeros(20, dtype=int))
    mutate(one)
    mutate(two)
    assert not np.array_equal(one, two)


def test_other_operators_are_refused():
    problem = PartitionProblem(X, LabelEncoding(len(X), 3), ["deviation"])
    for convert, operator, expected in ((as_mate, PM(), "Crossover"), (as_mutate, UX(), "Mutation")):
        with pytest.raises(TypeError, match=f"must be a pymoo {expected}, got "):
            convert(operator, problem)
