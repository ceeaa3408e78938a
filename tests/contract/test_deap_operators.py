"""What every DEAP operator promises: the generator handed in alone, children apart, nobody else touched."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from contract.copies import pickled
from contract.deap_operators import DEAP_OPERATORS, OTHERS, cloned
from contract.operators import NEIGHBORS
from contract.problems import PROBLEMS, problem_of
from contract.randomness import poisoned, seeded
from contract.rooms import listed_names
from moo_clustering.operators import deap as tools

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def of_kinds(*kinds):
    """Cases of these kinds."""
    chosen = {name: case for name, case in DEAP_OPERATORS.items() if case.kind in kinds}
    return pytest.mark.parametrize("case", chosen.values(), ids=chosen.keys())


def test_every_public_name_is_listed():
    assert listed_names(DEAP_OPERATORS) | OTHERS.keys() == set(tools.__all__)


@of_kinds("mate", "mutate", "select", "step")
def test_only_the_generator_handed_in_decides(case):
    expected = case.run()
    with seeded(1), poisoned():
        assert_array_equal(case.run(), expected)
    assert any(not np.array_equal(case.run(seed), expected) for seed in (4, 5, 6)) == case.draws


@of_kinds("mate", "mutate", "step")
def test_genes_stay_legal(case):
    made = case.run()
    name = case.problem if case.problem in PROBLEMS else None
    if name is None or not case.of.endswith("toolbox"):
        problem = problem_of(case.problem)
        assert made.shape[1] == problem.n_var
        assert ((problem.xl <= made) & (made <= problem.xu)).all()
    assert np.isfinite(made).all()


@of_kinds("mate", "mutate")
def test_children_share_nothing(case):
    individuals = case.individuals()
    clones = cloned(individuals)
    rng = np.random.default_rng(0)
    arguments = clones[:2] if case.kind == "mate" else clones[:1]
    children = case.call(*arguments, rng)
    assert isinstance(children, tuple)
    assert len(children) == len(arguments)
    held = [np.asarray(one) for one in (*children, *individuals, *clones[2:])]
    apart = [not np.shares_memory(one, other) for place, one in enumerate(held) for other in held[:place]]
    assert all(apart)
    assert_array_equal(np.array(individuals[2:]), np.array(clones[2:]))
    assert_array_equal(np.array(individuals), np.array(case.individuals()))


@of_kinds("select", "step")
def test_those_who_are_there_keep_their_genes(case):
    individuals = case.individuals()
    genes = np.array(individuals)
    fitness = [one.fitness.values for one in individuals]
    made = case.run(individuals=individuals)
    assert_array_equal(np.array(individuals), genes)
    if case.problem != NEIGHBORS:  # diversity is of an individual among those who are there
        assert [one.fitness.values for one in individuals] == fitness
    if case.kind == "select":
        assert len(made) == 4
        assert {row.tobytes() for row in made} <= {row.tobytes() for row in genes}


@pytest.mark.parametrize("make", [tools.ArrayIndividual, tools.MedoidIndividual, tools.CenterIndividual])
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
def test_deap_individuals(make, copied):
    one = make([3, 1, 2])
    one.fitness.values = tuple(float(i) for i in range(len(one.fitness.weights)))
    twin = copied(one)
    assert type(twin) is type(one)
    assert twin.dtype == one.dtype
    assert twin.fitness.values == one.fitness.values
    twin[0] = 9
    del twin.fitness.values
    assert one.tolist() == [3, 1, 2]
    assert one.fitness.valid
