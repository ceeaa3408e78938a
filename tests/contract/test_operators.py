"""What every pymoo operator promises: legal genes, its generator alone, inputs left as they are."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pymoo.core.repair import Repair

from contract.copies import copied_in_deepcopy, pickled
from contract.operators import OPERATORS, OTHERS
from contract.problems import problem_of
from contract.randomness import poisoned, seeded
from contract.rooms import listed_names
from moo_clustering import operators

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
every_operator = pytest.mark.parametrize("case", OPERATORS.values(), ids=OPERATORS.keys())
REPAIRS = {
    name: case for name, case in OPERATORS.items() if isinstance(case.make(), Repair) and not case.draws
}


def test_every_public_operator_is_listed():
    assert listed_names(OPERATORS) | OTHERS.keys() == set(operators.__all__)


@every_operator
def test_only_the_generator_handed_in_decides(case):
    expected = case.run()
    with seeded(1), poisoned():
        found = case.run()
    assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    other = case.run(seed=4)
    assert np.array_equal(other, expected) != case.draws


@every_operator
def test_genes_stay_legal(case):
    made, problem = case.run(), problem_of(case.problem)
    if case.of == "batched_tournament":
        assert set(made.ravel()) <= set(range(8))
        return
    assert made.shape[1] == problem.n_var
    assert made.dtype == case.population().get("X").dtype
    assert ((problem.xl <= made) & (made <= problem.xu)).all()
    encoding = getattr(problem, "encoding", None)
    if encoding is not None:
        assert_array_equal(encoding.repair(made), made)


@every_operator
def test_a_population_is_left_as_it_is(case):
    population = case.population()
    genes = population.get("X").copy()
    expected = case.run()
    for individual in population:
        individual.X = individual.X.copy()
        individual.X.flags.writeable = False
    assert_array_equal(case.run(population=population), expected)
    assert_array_equal(population.get("X"), genes)


@every_operator
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
def test_copies_do_the_same(case, copied):
    operator = case.make()
    assert_array_equal(case.run(copied(operator)), case.run(operator))
    # And again, after all it has seen.
    assert_array_equal(case.run(copied(operator)), case.run(operator))


@every_operator
def test_copies_share_what_cannot_be_written_to(case):
    assert copied_in_deepcopy(case.make(), least=200) == []


@pytest.mark.parametrize("case", REPAIRS.values(), ids=REPAIRS.keys())
def test_repairs_together_and_one_by_one(case):
    problem, operator = problem_of(case.problem), case.make()
    genes = case.population().get("X")
    # What crossovers of others leave behind.
    mixed = np.where(np.random.default_rng(0).random(genes.shape) < 0.5, genes, genes[::-1])
    together = operator._do(problem, mixed.copy(), random_state=np.random.default_rng(0))
    alone = [operator._do(problem, row[None].copy(), random_state=np.random.default_rng(0)) for row in mixed]
    assert_array_equal(np.concatenate(alone), together)
    assert_array_equal(
        operator._do(problem, together.copy(), random_state=np.random.default_rng(0)), together
    )
