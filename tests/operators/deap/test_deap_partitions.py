"""Partitions in DEAP: pymoo's operators in place on any kind of individual, distances, keys, perturbation."""

import random
from array import array
from types import SimpleNamespace

import numpy as np
import pytest
from deap import base, tools
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.encodings import LabelEncoding
from moo_clustering.operators import AlignedHUX, AlignedOnePoint, AlignedUniformCrossover, EncodingMutation
from moo_clustering.operators.deap import ArrayIndividual, as_mate, as_mutate
from moo_clustering.operators.deap.bags import perturbed
from moo_clustering.operators.deap.variation import partition_distance, partition_key

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)
CROSSOVERS = [AlignedOnePoint, AlignedHUX, AlignedUniformCrossover]


class Lowest(base.Fitness):
    weights = (-1.0,)


class Listed(list):
    """A DEAP individual of the usual kind."""

    def __init__(self, genes):
        super().__init__(int(g) for g in genes)
        self.fitness = Lowest()


class Packed(array):
    """A DEAP individual of bytes."""

    def __new__(cls, genes):
        individual = super().__new__(cls, "h", [int(g) for g in genes])
        individual.fitness = Lowest()
        return individual


def arrays(genes):
    return ArrayIndividual(np.asarray(genes, dtype=np.int32), Lowest)


KINDS = {"array": arrays, "list": Listed, "packed": Packed}
every_kind = pytest.mark.parametrize("kind", KINDS)


def pair(kind, genes):
    individuals = [KINDS[kind](row) for row in genes]
    for individual in individuals:
        individual.fitness.values = (1.0,)
    return individuals


@every_kind
@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("operator", CROSSOVERS)
@given(seed=SEEDS)
@FEW
def test_mates_are_crossed_in_place_as_by_pymoo(kind, align, operator, seed):
    rng = np.random.default_rng(seed)
    genes = rng.integers(0, 3, size=(2, int(rng.integers(1, 15))))
    expected = operator(align)._do(None, genes[:, None], random_state=np.random.default_rng(1))[:, 0]
    first, second = pair(kind, genes)
    a, b = as_mate(operator(align), None)(first, second, np.random.default_rng(1))
    assert a is first
    assert b is second
    assert_array_equal(list(a), expected[0])
    assert_array_equal(list(b), expected[1])
    assert not a.fitness.valid
    assert not b.fitness.valid


@every_kind
@given(seed=SEEDS)
@FEW
def test_mutants_are_changed_in_place_as_by_pymoo(kind, seed):
    problem = SimpleNamespace(encoding=LabelEncoding(12, k_max=3), n_var=12)
    genes = problem.encoding.random(2, np.random.default_rng(seed))
    expected = EncodingMutation(0.5)._do(problem, genes[:1], random_state=np.random.default_rng(1))[0]
    individual, other = pair(kind, genes)
    (mutant,) = as_mutate(EncodingMutation(0.5), problem)(individual, np.random.default_rng(1))
    assert mutant is individual
    assert_array_equal(list(mutant), expected)
    assert not mutant.fitness.valid
    assert_array_equal(list(other), genes[1])
    assert other.fitness.valid


@every_kind
@pytest.mark.parametrize("operator", CROSSOVERS)
def test_individuals_share_no_memory(kind, operator):
    a, b = pair(kind, [[0] * 40, [1] * 40])
    as_mate(operator(align=False), None)(a, b, np.random.default_rng(0))
    # A view would have overwritten one tail before it was copied, and both would agree there.
    assert_array_equal(np.asarray(a) + np.asarray(b), np.ones(40))
    assert 0 < sum(a) < 40
    before = list(b)
    for i in range(40):
        a[i] = 7
    assert list(b) == before


def test_parents_that_were_cloned_stay():
    parents = [arrays(row) for row in np.random.default_rng(0).integers(0, 3, size=(2, 30))]
    genes = [p.tolist() for p in parents]
    clones = [p.__deepcopy__() for p in parents]
    as_mate(AlignedHUX(), None)(*clones, np.random.default_rng(0))
    assert [p.tolist() for p in parents] == genes
    assert [p.tolist() for p in clones] != genes


def test_toolboxes_bind_the_generator():
    state = random.getstate()
    toolbox = base.Toolbox()
    toolbox.register("mate", as_mate(AlignedOnePoint(), None), rng=np.random.default_rng(0))
    a, b = toolbox.mate(*pair("array", [[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]]))
    assert a.tolist() == b.tolist() == [0, 0, 0, 1, 1, 1]
    assert random.getstate() == state


@every_kind
def test_distance(kind):
    a, b = pair(kind, [[0, 0, 1, 1], [1, 1, 0, 1]])
    assert partition_distance(a, b) == 3
    assert partition_distance(a, b, align=True) == 1
    assert partition_distance(a, b, align=True, n_clusters=2) == 1
    assert type(partition_distance(a, b)) is type(partition_distance(a, b, align=True)) is int


def test_keys_are_those_of_partitions():
    keys = {
        partition_key(make(genes))
        for make in KINDS.values()
        for genes in ([0, 1, 1, 2], [2, 0, 0, 1], [1, 2, 2, 0])
    }
    assert len(keys) == 1
    assert partition_key([0, 1, 1, 2]) != partition_key([0, 1, 2, 2])
    best = tools.HallOfFame(3, similar=lambda a, b: partition_key(a) == partition_key(b))
    population = pair("array", [[0, 1, 1], [1, 0, 0], [0, 0, 1]])
    best.update(population)
    assert len(best) == 2


@every_kind
@given(seed=SEEDS)
@FEW
def test_perturbation_changes_the_share_asked_for(kind, seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 40)), int(rng.integers(2, 5))
    individual = KINDS[kind](rng.integers(0, k, size=n))
    before = list(individual)
    share = float(rng.random())
    genes = perturbed(individual, share, k, rng)
    assert list(individual) == before
    assert genes.dtype == np.int32
    assert np.count_nonzero(genes != before) == round(share * n)
    assert 0 <= genes.min() <= genes.max() < k


def test_perturbation_draws_places_and_clusters_evenly():
    rng = np.random.default_rng(0)
    drawn = np.array([perturbed([1, 1, 1, 1], 0.5, 4, rng) for _ in range(3000)])
    assert_allclose((drawn != 1).mean(axis=0), 0.5, atol=0.04)
    assert_allclose(np.bincount(drawn[drawn != 1], minlength=4) / 6000, [1 / 3, 0, 1 / 3, 1 / 3], atol=0.03)
    assert_array_equal(perturbed([0, 0], 1.0, 1, rng), [0, 0])
    assert_array_equal(perturbed([0, 1], 0.0, 2, rng), [0, 1])
    assert_array_equal(perturbed([0, 1], 1.0, 2, rng), [1, 0])


@pytest.mark.parametrize(
    ("share", "k", "match"),
    [
        (1.2, 2, "share"),
        (-0.1, 2, "share"),
        (0.5, 1, "genes must be from 0 to n_clusters - 1 = 0, got 0 to 1$"),
        (0.5, 0, "n_clusters must be an integer of at least 1, got 0"),
    ],
)
def test_misuse_of_perturbation(share, k, match):
    with pytest.raises(ValueError, match=match):
        perturbed([0, 1, 0], share, k, np.random.default_rng(0))
