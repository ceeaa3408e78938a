"""Partitions varied and selected by DEAP."""

import random

import numpy as np
import pytest
from deap import base
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.algorithms import DeapSearch, drive
from moo_clustering.encodings import LabelEncoding, relabel_by_first_appearance
from moo_clustering.operators import (
    ClusterNumberRepair,
    EliteMemory,
    GroupingOverlayCrossover,
    PartitionMutation,
    PoolSampling,
)
from moo_clustering.operators.deap import ArrayIndividual
from moo_clustering.operators.deap.selection import SelElite
from moo_clustering.operators.deap.toolboxes import LabelStep, label_toolbox
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex

M = 24
STEP = np.abs(np.subtract.outer(np.arange(M), np.arange(M)))
RING = (np.minimum(STEP, M - STEP) == 1).astype(float)
POOL = relabel_by_first_appearance(
    np.array([np.roll(np.arange(M) * k // M, turn) for k in (2, 3, 4, 6) for turn in (0, 2)])
)
CROSSOVER = GroupingOverlayCrossover(RING)
MUTATION = PartitionMutation(RING, POOL)


class Cut(ValidityIndex):
    """Links between clusters."""

    name = "ring_cut"
    greater_is_better = False

    def fit(self, data):
        return self

    def evaluate(self, labels):
        return (labels != np.roll(labels, 1, axis=1)).sum(axis=1) * 1.0


class Count(ValidityIndex):
    """Number of clusters, the more the better."""

    name = "number"
    greater_is_better = True

    def fit(self, data):
        return self

    def evaluate(self, labels):
        return labels.max(axis=1) + 1.0


PROBLEM = PartitionProblem(None, LabelEncoding(M, k_max=12), [Cut(), Count()])


def scalar(values, labels):
    return values[:, 1] - 0.7 * values[:, 0]


def array_individual(genes):
    individual = ArrayIndividual(genes)
    individual.fitness.values = (1.0, 2.0)
    return individual


def toolbox_of(survival="crowding", n_elite=2, k=None, mutation=MUTATION):
    repair = None if k is None else ClusterNumberRepair(RING, POOL, k)
    start = POOL if repair is None else repair.repaired(POOL, np.random.default_rng(0))
    select = SelElite(EliteMemory(scalar, n_elite), survival)
    sampling = PoolSampling(start, np.arange(len(start)))
    return label_toolbox(PROBLEM, sampling, CROSSOVER, mutation, select, repair)


def test_entries_vary_in_place_as_in_pymoo():
    toolbox = toolbox_of()
    # Numbers of the clusters do not matter.
    a, b = array_individual(POOL[2] + 3), array_individual(POOL[6])
    out = toolbox.mate(a, b, np.random.default_rng(3))
    assert out[0] is a
    assert out[1] is b
    rng = np.random.default_rng(3)
    assert_array_equal(a, CROSSOVER.overlaid(POOL[2], POOL[6], 12, rng))
    assert_array_equal(b, CROSSOVER.overlaid(POOL[6], POOL[2], 12, rng))
    assert not a.fitness.valid
    assert not b.fitness.valid

    a = array_individual(POOL[2])
    (same,) = toolbox.mutate(a, np.random.default_rng(4))
    assert same is a
    assert_array_equal(a, MUTATION.varied(POOL[2], PROBLEM.encoding, np.random.default_rng(4)))
    assert not a.fitness.valid


def test_children_of_a_crossover_are_mutated_less():
    rng = np.random.default_rng(0)
    toolbox = toolbox_of(mutation=PartitionMutation(RING, POOL, split=0, refine=0, polish=0))

    def changed(crossed):
        individual = array_individual(POOL[4])
        toolbox.mutate(individual, rng, crossed=crossed)
        return (individual != POOL[4]).any()

    assert all(changed(False) for _ in range(20))
    assert_allclose(np.mean([changed(True) for _ in range(1000)]), 0.3, atol=0.05)


def test_fitness_is_natural_and_of_the_whole_population_at_once():
    toolbox = toolbox_of()
    individuals = toolbox.population(4, np.random.default_rng(0))
    LabelStep(4).start(individuals, toolbox, np.random.default_rng(0))
    for individual in individuals:
        assert individual.fitness.values == (Cut().evaluate(individual[None])[0], individual.max() + 1.0)
        assert individual.fitness.weights == (-1.0, 1.0)
        assert toolbox.evaluate(individual) == individual.fitness.values


def evaluated(toolbox, rows):
    individuals = [toolbox.individual(row) for row in rows]
    for individual, values in zip(individuals, toolbox.map(toolbox.evaluate, individuals), strict=True):
        individual.fitness.values = values
    return individuals


def test_elite_and_crowding():
    # All of the pool have as many cuts as clusters: nobody dominates, ends of the front are 2 and 6.
    toolbox = toolbox_of()
    scattered = np.arange(M)[None] % 2  # 24 cuts, two clusters: dominated
    individuals = evaluated(toolbox, np.concatenate([scattered, POOL]))
    select = SelElite(EliteMemory(lambda values, labels: values[:, 0], 1))
    survivors = select(individuals, 3, np.random.default_rng(0))
    assert len(survivors) == 3
    assert any(one is individuals[0] for one in survivors)
    assert_array_equal(select.memory.labels, scattered)
    assert all(one.fitness.crowding_dist >= 0 for one in survivors)
    plain = SelElite(EliteMemory(scalar, 1))(individuals[1:], 8, np.random.default_rng(0))
    assert sorted(map(id, plain)) == sorted(map(id, individuals[1:]))


def test_chance():
    individuals = evaluated(toolbox_of(), POOL)
    select = SelElite(EliteMemory(scalar, 2), "random")
    rng, counts = np.random.default_rng(0), np.zeros(8)
    for _ in range(500):
        survivors = {id(one) for one in select(individuals, 2, rng)}
        counts += [id(one) in survivors for one in individuals]
    assert counts.sum() == 1000
    assert (np.abs(counts - 125) < 50).all()
    with pytest.raises(ValueError, match="survival"):
        SelElite(EliteMemory(scalar), "best")


def test_the_memory_is_kept_in_checkpoints():
    toolbox = toolbox_of()
    best, rest = POOL[:1], POOL[1:]
    select, twin = (SelElite(EliteMemory(lambda values, labels: -values[:, 0], 1)) for _ in range(2))
    select(evaluated(toolbox, best), 1, np.random.default_rng(0))  # 2 cuts, the least there are
    twin.restore_checkpoint_state(*select.checkpoint_state())
    twin(evaluated(toolbox, rest[1:]), 1, np.random.default_rng(0))
    assert_array_equal(twin.memory.labels, best)
    assert_array_equal(twin.memory.scores, [-2.0])
    # Without it the best of the second population would have been all there is.
    assert rest[1:].max(axis=1).min() == 2


@pytest.mark.parametrize("survival", ["crowding", "random"])
@pytest.mark.parametrize("k", [None, 5])
def test_generations(survival, k):
    state = random.getstate()
    toolbox = toolbox_of(survival, k=k)
    search = DeapSearch(toolbox, LabelStep(10), rng=np.random.default_rng(1), pop_size=10)
    drive(search, n_gen=6)
    assert random.getstate() == state
    labels = np.stack([np.asarray(one) for one in search.population])
    assert len(np.unique(labels, axis=0)) == len(labels) == 10
    assert_array_equal(labels, relabel_by_first_appearance(labels))
    assert [record["nevals"] for record in search.logbook] == [8, *[10] * 6]
    if k is not None:
        assert_array_equal(labels.max(axis=1) + 1, k)
    memory = toolbox.select.func.memory
    if survival == "crowding":
        rows = {row.tobytes() for row in labels}
        assert all(row.tobytes() in rows for row in memory.labels)


def test_nothing_new():
    # Two samples have two partitions.
    problem = PartitionProblem(None, LabelEncoding(2, k_max=2), [Cut(), Count()])
    pool = np.array([[0, 0], [0, 1]])
    toolbox = label_toolbox(
        problem,
        PoolSampling(pool, [0, 1]),
        GroupingOverlayCrossover(np.ones((2, 2))),
        PartitionMutation(np.ones((2, 2)), pool),
        SelElite(EliteMemory(scalar)),
    )
    rng = np.random.default_rng(0)
    start, n_evaluations = LabelStep(4).start(toolbox.population(4, rng), toolbox, rng)
    assert n_evaluations == 2
    assert LabelStep(4)(start, toolbox, rng) is None


def test_steps_of_nobody():
    with pytest.raises(ValueError, match="pop_size"):
        LabelStep(0)
    with pytest.raises(ValueError, match="pc"):
        LabelStep(4, pc=2)
    assert isinstance(toolbox_of(), base.Toolbox)
