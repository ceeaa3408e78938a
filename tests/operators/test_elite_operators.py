"""Where a search over partitions starts, and who survives."""

import copy

import numpy as np
import pytest
from label_operator_cases import Modularity, arcs, parse, problem_of, ring_graph
from numpy.testing import assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.population import Population
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering.algorithms import evolve
from moo_clustering.operators import (
    CanonicalDuplicates,
    ClusterNumberRepair,
    EliteMemory,
    EliteSurvival,
    GroupingOverlayCrossover,
    PartitionMutation,
    PoolSampling,
    RandomSurvival,
)
from moo_clustering.operators.survival import with_elite

M = 24
POOL = arcs(M)


def generator(seed=0):
    return np.random.default_rng(seed)


def sum_of(values, labels):
    return values.sum(axis=1)


def test_the_best_members_start():
    pool = parse("001122", "000111", "222000", "011111", "000000")
    sampling = PoolSampling(pool, [0.5, 0.5, 0.9, 0.9, 0.1])
    # 222000 is 000111: its greater score counts, before 011111 that came later.
    chosen = sampling._do(problem_of(6, k_max=3), 3)
    assert_array_equal(chosen, parse("000111", "011111", "001122"))
    assert len(sampling._do(problem_of(6, k_max=3), 9)) == 4


def test_ties_go_to_fewer_clusters():
    chosen = PoolSampling(parse("001122", "000111", "001111"), [1, 1, 1])._do(problem_of(6, k_max=3), 3)
    assert_array_equal(chosen, parse("000111", "001111", "001122"))


def test_scores_that_do_not_fit():
    with pytest.raises(ValueError, match=r"scores must have one number per partition of the pool \(10\)"):
        PoolSampling(POOL, [1.0])
    with pytest.raises(ValueError, match="scores must not contain NaN"):
        PoolSampling(POOL, [np.nan] * 10)


def test_memory():
    memory = EliteMemory(sum_of, 2)
    rows = memory.update(np.array([[1.0], [3.0], [3.0], [2.0]]), parse("0011", "0110", "1001", "0101"))
    assert_array_equal(rows, [1, 3])
    assert_array_equal(memory.scores, [3, 2])
    rows = memory.update(np.array([[2.0], [0.0]]), parse("0111", "0011"))
    assert_array_equal(rows, [0, 1])
    # The earlier of equals stays.
    assert_array_equal(memory.labels, parse("0110", "0101"))
    twin = copy.deepcopy(memory)
    twin.update(np.array([[9.0]]), parse("0000"))
    assert_array_equal(memory.scores, [3, 2])
    again = EliteMemory(sum_of, 2)
    again.restore_checkpoint_state(*twin.checkpoint_state())
    assert_array_equal(again.scores, [9, 3])
    assert_array_equal(again.values, [[9], [3]])


def test_memory_refuses_scalars_of_another_shape():
    with pytest.raises(ValueError, match="one number per"):
        EliteMemory(lambda values, labels: values, 2).update(np.zeros((2, 2)), parse("0011", "0101"))
    with pytest.raises(ValueError, match=r"scalar must return one number per .*; got NaN for 2 of 2"):
        EliteMemory(lambda values, labels: values[:, 0], 2).update(
            np.full((2, 2), np.nan), parse("0011", "0101")
        )
    with pytest.raises(TypeError, match="callable"):
        EliteMemory(None)
    with pytest.raises(ValueError, match="n_elite"):
        EliteMemory(sum_of, 0)


def test_the_last_make_room():
    assert_array_equal(with_elite(np.array([4, 2, 0]), np.array([2, 7])), [4, 2, 7])
    assert_array_equal(with_elite(np.array([4, 2, 7]), np.array([7, 2, 1])), [1, 2, 7])
    assert_array_equal(with_elite(np.array([4]), np.array([7, 2])), [7])
    assert_array_equal(with_elite(np.array([4, 2]), np.array([2, 4])), [4, 2])


def population(problem, X=POOL):
    pop = Population.new(X=X)
    return pop.new("X", X, "F", problem.evaluate(X, return_values_of=["F"]), "CV", np.zeros((len(X), 1)))


def test_the_best_by_the_scalar_survive():
    problem = problem_of(M)
    pop = population(problem)
    # Against the objectives: the worst by both are the elite.
    survival = EliteSurvival(RankAndCrowding(), lambda values, labels: -values.sum(axis=1), 3)
    survivors = survival.do(problem, pop, n_survive=5, random_state=generator())
    worst = np.argsort(problem.natural(pop.get("F")).sum(axis=1), kind="stable")[:3]
    assert len(survivors) == 5
    assert {id(one) for one in pop[worst]} <= {id(one) for one in survivors}
    fresh = RankAndCrowding().do(problem, population(problem, survivors.get("X")), random_state=generator())
    ranks = {row.tobytes(): rank for row, rank in zip(fresh.get("X"), fresh.get("rank"), strict=True)}
    assert [ranks[row.tobytes()] for row in survivors.get("X")] == survivors.get("rank").tolist()
    assert_array_equal(survival.memory.labels, POOL[worst])


def test_remembered_only():
    problem = problem_of(M)
    pop = population(problem)
    plain = RankAndCrowding().do(problem, pop, n_survive=4, random_state=generator())
    survival = EliteSurvival(RankAndCrowding(), lambda values, labels: -values.sum(axis=1), 2, keep=False)
    survivors = survival.do(problem, pop, n_survive=4, random_state=generator())
    assert [id(one) for one in survivors] == [id(one) for one in plain]
    assert len(survival.memory.scores) == 2


def test_survival_by_chance():
    problem = problem_of(M)
    pop = population(problem)
    counts = np.zeros(len(pop))
    position = {id(one): row for row, one in enumerate(pop)}
    rng = generator()
    for _ in range(1000):
        survivors = RandomSurvival().do(problem, pop, n_survive=4, random_state=rng)
        counts[[position[id(one)] for one in survivors]] += 1
    # 400 expected of each, standard deviation 15.5.
    assert counts.sum() == 4000
    assert (np.abs(counts - 400) < 80).all()
    assert survivors.get("rank").min() == 0


def test_survival_of_something_else():
    with pytest.raises(TypeError, match="pymoo Survival"):
        EliteSurvival(None, sum_of)


def parts(repair=None):
    return {
        "sampling": PoolSampling(POOL, np.arange(10)),
        "crossover": GroupingOverlayCrossover(ring_graph(M)),
        "mutation": PartitionMutation(ring_graph(M), POOL),
        "repair": repair,
        "eliminate_duplicates": CanonicalDuplicates(problem_of(M).encoding),
        "output": None,
    }


ALGORITHMS = {
    "nsga2": lambda p: NSGA2(pop_size=12, survival=EliteSurvival(RankAndCrowding(), sum_of), **p),
    "nsga3": lambda p: NSGA3(get_reference_directions("das-dennis", 2, n_partitions=11), pop_size=12, **p),
    "smsemoa": lambda p: SMSEMOA(pop_size=12, **p),
    "random": lambda p: NSGA2(pop_size=12, survival=RandomSurvival(), **p),
}


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("k", [None, 4])
def test_composed_by_users(name, k):
    repair = None if k is None else ClusterNumberRepair(ring_graph(M), POOL, k)
    problem = problem_of(M)
    result = evolve(problem, ALGORITHMS[name](parts(repair)), n_gen=6, seed=1)
    again = evolve(problem, ALGORITHMS[name](parts(repair)), n_gen=6, seed=1)
    X = result.pop.get("X")
    assert_array_equal(X, again.pop.get("X"))
    labels = problem.decode(X)
    assert len(np.unique(labels, axis=0)) == len(labels) == 12
    if k is not None:
        assert_array_equal(labels.max(axis=1) + 1, k)


def test_a_single_objective():
    index = Modularity().fit(ring_graph(M))
    problem = problem_of(M, indices=[index])
    result = evolve(problem, GA(pop_size=12, **parts()), n_gen=15, seed=1)
    assert -result.F[0] > index.evaluate(POOL).max() - 1e-12
    assert problem.natural(result.F)[0] == index.evaluate(problem.decode(result.X))[0]
