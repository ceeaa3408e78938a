"""Toolboxes for partitions of bags and for medoid slots: DEAP's own loops, batches, every entry."""

from __future__ import annotations

import random
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from deap import algorithms, tools

from moo_clustering.algorithms import chc, gcuk, gka
from moo_clustering.bags import BagGeometry, BagObjective, Bags, bag_distances
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import MedoidSlotEncoding
from moo_clustering.operators import SlotMutation, SlotOnePointCrossover
from moo_clustering.operators.deap import (
    ArrayIndividual,
    Minimize,
    MixedStarts,
    PerturbedCopies,
    UsesAllClusters,
    bag_toolbox,
    batch_map,
    slot_toolbox,
)
from moo_clustering.validity import db_medoid


def bags_of(n_bags=16, seed=0):
    rng = np.random.default_rng(seed)
    return Bags.from_list(
        [4 * np.eye(3)[i % 3] + rng.standard_normal((rng.integers(1, 5), 3)) for i in range(n_bags)]
    )


def objective_of(n_clusters=3, name="db", n_bags=16, **options):
    return BagObjective(BagGeometry(bags_of(n_bags)), n_clusters, name, **options)


class Watched:
    """What of an objective a toolbox asks for, counted."""

    def __init__(self, objective):
        self.objective, self.calls, self.rows = objective, 0, 0

    def __getattr__(self, name):
        return getattr(self.objective, name)

    def evaluate(self, labels):
        self.calls, self.rows = self.calls + 1, self.rows + len(labels)
        return self.objective.evaluate(labels)


def slots_of(k_max=4, k_min=2, seed=0, **options):
    encoding = MedoidSlotEncoding(bag_distances(bags_of()), k_max, k_min)
    calls = []

    def score(genes):
        calls.append(len(genes))
        labels = encoding.decode(genes)
        order = np.argsort(genes < 0, axis=1, kind="stable")
        return db_medoid(encoding.distances, labels, np.take_along_axis(genes, order, axis=1))

    return slot_toolbox(encoding, score, np.random.default_rng(seed), **options), encoding, calls


# --------------------------------------------------------------------------------- DEAP's own loops


def run_deap(loop, toolbox, n_gen):
    random.seed(1)  # DEAP's own draws
    population = toolbox.population(n=20)
    hall = tools.HallOfFame(1, similar=np.array_equal)
    if loop == "simple":
        population, logbook = algorithms.eaSimple(
            population, toolbox, 0.5, 0.3, n_gen, halloffame=hall, verbose=False
        )
    else:
        population, logbook = algorithms.eaMuPlusLambda(
            population, toolbox, 20, 20, 0.5, 0.3, n_gen, halloffame=hall, verbose=False
        )
    return population, logbook, hall


@pytest.mark.parametrize("loop", ["simple", "plus"])
@pytest.mark.parametrize("name", ["db", "twcv", "ftwcv"])
@pytest.mark.parametrize("mutation", ["improve", "descend", "drift"])
def test_loops_of_deap_evaluate_whole_generations(loop, name, mutation):
    watched = Watched(objective_of(3, name))
    toolbox = bag_toolbox(watched, np.random.default_rng(0), mutation=mutation, p_gene=0.3)
    population, logbook, hall = run_deap(loop, toolbox, 6)
    assert watched.calls == 7
    assert watched.rows == sum(logbook.select("nevals"))
    best = hall[0].fitness.values[0]
    start = objective_of(3, name).evaluate([toolbox.individual() for _ in range(20)])
    assert best < np.median(start[np.isfinite(start)])
    assert best == pytest.approx(objective_of(3, name).evaluate(hall[0])[0])
    for one in population:
        assert isinstance(one, ArrayIndividual)
        assert one.dtype == np.int32
        assert one.fitness.values[0] == pytest.approx(objective_of(3, name).evaluate(one)[0])


@pytest.mark.parametrize("loop", ["simple", "plus"])
@pytest.mark.parametrize("mutation", ["index", "rank"])
@pytest.mark.parametrize("selection", ["inverse", "linear"])
def test_loops_of_deap_on_slots(loop, mutation, selection):
    toolbox, encoding, calls = slots_of(mutation=mutation, selection=selection)
    population, logbook, hall = run_deap(loop, toolbox, 6)
    assert calls == logbook.select("nevals")
    assert len(calls) == 7
    for one in population:
        held = one[one >= 0]
        assert 2 <= len(held) == len(set(held.tolist())) <= 4
        assert held.max() < encoding.n_samples
    assert np.isfinite(hall[0].fitness.values[0])


def test_our_loops_evaluate_whole_generations():
    watched = Watched(objective_of())
    toolbox = bag_toolbox(watched, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for loop in (partial(chc, mutpb=0.5, kmpb=0.2, threshold=1), partial(gka, mutpb=0.5, kmpb=0.2)):
        watched.calls = watched.rows = 0
        _, logbook = loop(toolbox.population(n=12), toolbox, 8, rng=rng)
        assert watched.rows == sum(logbook.select("nevals"))
        restarts = sum(logbook.select("restart")) if "restart" in logbook[0] else 0
        assert watched.calls <= 9 + restarts
    toolbox, _, calls = slots_of()
    _, logbook = gcuk(toolbox.population(n=12), toolbox, 8, rng=rng)
    assert calls == [n for n in logbook.select("nevals") if n]


# ------------------------------------------------------------------------------------------ entries


def test_entries_of_both_toolboxes():
    toolbox = bag_toolbox(objective_of(), np.random.default_rng(0))
    names = ["individual", "from_genes", "population", "evaluate", "mate", "mutate", "km", "repair"]
    for name in [*names, "select", "distance", "key", "clone", "map"]:
        assert callable(getattr(toolbox, name)), name
    one = toolbox.individual()
    assert one.shape == (16,)
    assert isinstance(one.fitness, Minimize)
    assert not one.fitness.valid
    assert {*np.unique([*toolbox.population(n=50)])} == {0, 1, 2}
    for values in (toolbox.evaluate(one), *toolbox.map(toolbox.evaluate, [one, one])):
        assert values == pytest.approx((objective_of().evaluate(one)[0],))
    for name in ("mutate", "km", "repair"):
        one.fitness.values = (1.0,)
        (same,) = getattr(toolbox, name)(one)
        assert same is one
        assert not one.fitness.valid
    copied = toolbox.clone(one)
    copied[0] = (copied[0] + 1) % 3
    assert toolbox.distance(one, copied) == 1
    assert toolbox.key(one) == toolbox.key(ArrayIndividual((np.asarray(one) + 1) % 3, Minimize))
    assert toolbox.key(one) != toolbox.key(copied)


def test_entries_can_be_registered_anew():
    objective = objective_of()
    toolbox = bag_toolbox(objective, np.random.default_rng(0))
    ones = []

    def individual():
        ones.append(ArrayIndividual(np.arange(16) % 3, Minimize))
        return ones[-1]

    toolbox.register("individual", individual)
    population = toolbox.population(n=5)
    assert len(ones) == 5
    np.testing.assert_array_equal(population, np.tile(np.arange(16) % 3, (5, 1)))
    toolbox.register("evaluate", lambda one: (float(np.sum(one)),))
    toolbox.register("mutate", tools.mutUniformInt, low=0, up=2, indpb=0.2)
    toolbox.register("select", tools.selTournament, tournsize=3)
    toolbox.register("mate", tools.cxTwoPoint)
    toolbox.unregister("repair")
    population, _ = gka(toolbox.population(n=20), toolbox, 25, mutpb=0.8, kmpb=0.0)
    assert min(one.fitness.values[0] for one in population) == min(int(np.sum(one)) for one in population) < 8


@pytest.mark.parametrize("crossover", ["one_point", "hux", "uniform"])
@pytest.mark.parametrize("align", [False, True])
def test_parents_that_were_cloned_stay(crossover, align):
    toolbox = bag_toolbox(objective_of(), np.random.default_rng(0), crossover=crossover, align=align)
    for _ in range(20):
        parents = toolbox.population(n=2)
        before = [np.array(parent) for parent in parents]
        children = toolbox.mate(*map(toolbox.clone, parents))
        toolbox.mutate(children[0])
        for parent, genes, child in zip(parents, before, children, strict=True):
            np.testing.assert_array_equal(parent, genes)
            assert not np.shares_memory(parent, child)
        assert not np.shares_memory(*children)


def test_aligned_toolboxes_see_through_permuted_labels():
    rng = np.random.default_rng(0)
    plain, aligned = (
        bag_toolbox(objective_of(), rng, crossover="hux", align=align) for align in (False, True)
    )
    for _ in range(20):
        one = plain.individual()
        twin = ArrayIndividual(rng.permutation(3)[np.asarray(one)], Minimize)
        other = ArrayIndividual((np.asarray(one) + 1) % 3, Minimize)
        assert plain.distance(one, other) == 16
        assert aligned.distance(one, twin) == aligned.distance(one, other) == 0
        children = aligned.mate(plain.clone(one), plain.clone(other))
        assert all(plain.key(child) == plain.key(one) for child in children)


@pytest.mark.parametrize("mutation", ["index", "rank"])
def test_slots_vary_as_in_pymoo(mutation):
    toolbox, encoding, _ = slots_of(mutation=mutation, p_gene=0.9, reach=0.4)
    problem = SimpleNamespace(encoding=encoding)
    X = encoding.random(2, np.random.default_rng(3))
    a, b = (toolbox.from_genes(row) for row in X)
    toolbox.mate(a, b, rng=np.random.default_rng(1))
    expected = SlotOnePointCrossover()._do(problem, X[:, None], random_state=np.random.default_rng(1))[:, 0]
    np.testing.assert_array_equal([a, b], expected)
    toolbox.mutate(a, rng=np.random.default_rng(1))
    change = SlotMutation(mutation, p_gene=0.9, reach=0.4)
    expected = change._do(problem, expected[:1], random_state=np.random.default_rng(1))[0]
    np.testing.assert_array_equal(a, expected)


def test_selection_favours_smaller_values():
    objective = objective_of(3, "twcv")
    toolbox = bag_toolbox(objective, np.random.default_rng(0))
    slots, _, _ = slots_of()
    for box in (toolbox, slots):
        population = box.population(n=40)
        for one, values in zip(population, box.map(box.evaluate, population), strict=True):
            one.fitness.values = values
        mean = np.mean([one.fitness.values[0] for one in population])
        chosen = np.mean([one.fitness.values[0] for one in box.select(population, 4000)])
        assert chosen < mean
        assert all(any(one is another for another in population) for one in box.select(population, 5))


def test_trials_are_counted_and_limited():
    for mutation in ("improve", "descend"):
        toolbox = bag_toolbox(objective_of(), np.random.default_rng(0), mutation=mutation, p_gene=1.0)
        mutate = toolbox.mutate.func
        assert mutate.n_trials == 0
        toolbox.mutate(toolbox.individual())
        first = mutate.n_trials
        assert first >= 2 * 14
        matrix = np.array(toolbox.population(n=6))
        changed = mutate.batch(matrix, max_trials=50)
        assert 48 <= mutate.n_trials - first <= 50
        assert changed.shape == matrix.shape
        np.testing.assert_array_equal(mutate.batch(matrix, max_trials=0), objective_of().repair(matrix))


def test_bad_options():
    objective, rng = objective_of(), np.random.default_rng(0)
    with pytest.raises(ValueError, match="crossover must be one of 'one_point', 'hux', 'uniform', got 'two'"):
        bag_toolbox(objective, rng, crossover="two")
    with pytest.raises(ValueError, match="mutation must be one of 'improve', 'descend', 'drift', got 'flip'"):
        bag_toolbox(objective, rng, mutation="flip")
    with pytest.raises(ValueError, match="mutation must be one of 'index', 'rank', got 'flip'"):
        slots_of(mutation="flip")


# ------------------------------------------------------------------------------------------- repair


def test_every_new_individual_is_repaired():
    pairs = PairwiseConstraints([(0, 1), (1, 2)], [(2, 3)], n_samples=16)
    objective = objective_of(3, min_cluster_size=4, constraints=pairs, handling="repair")
    seen = []

    class Evaluate:
        def __call__(self, one):
            return (float(self.batch(np.asarray(one)[None])[0]),)

        def batch(self, matrix):
            seen.append(matrix.copy())
            return objective.evaluate(matrix)

    rng = np.random.default_rng(0)
    toolbox = bag_toolbox(objective, rng)
    toolbox.register("evaluate", Evaluate())
    given = toolbox.population(n=12)
    before = [np.array(one) for one in given]
    chc([*given], toolbox, 15, mutpb=0.3, kmpb=0.5, threshold=1, n_keep=2, rng=rng)
    rows = np.concatenate(seen)
    assert min(np.bincount(row, minlength=3).min() for row in rows) >= 4
    assert pairs.violation(rows).max() == 0
    np.testing.assert_array_equal(given, before)  # what the caller made is no one else's


def test_repairs_that_return_another_individual():
    toolbox = bag_toolbox(objective_of(name="twcv"), np.random.default_rng(0))
    toolbox.register("repair", lambda one: (ArrayIndividual(np.arange(16) % 3, Minimize),))
    population, _ = gka(toolbox.population(n=6), toolbox, 3, rng=np.random.default_rng(0))
    expected = objective_of(name="twcv").evaluate(np.arange(16) % 3)[0]
    for one in population:
        np.testing.assert_array_equal(one, np.arange(16) % 3)
        assert one.fitness.values[0] == pytest.approx(expected)


@pytest.mark.parametrize("least", [1, 2])
def test_legality(least):
    legal = UsesAllClusters(3, least)
    rows = np.array([[0, 1, 2, 0, 1, 2], [0, 1, 2, 2, 2, 2], [0, 1, 1, 0, 1, 0]])
    expected = [True, least == 1, False]
    np.testing.assert_array_equal(legal.batch(rows), expected)
    assert [legal(row) for row in rows] == expected
    assert [bool(flag[0]) for flag in batch_map(legal, list(rows))] == expected


# --------------------------------------------------------------------------------- starts and restarts


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_mixed_starts(n):
    objective = objective_of(3, min_cluster_size=3)
    toolbox = bag_toolbox(objective, np.random.default_rng(0))
    H = bag_distances(bags_of())
    starts = MixedStarts(objective, toolbox, np.random.default_rng(5), H)(n)
    assert len(starts) == n
    for one in starts:
        assert not one.fitness.valid
        assert np.bincount(one, minlength=3).min() >= 3
    again = MixedStarts(objective, toolbox, np.random.default_rng(5), H)(n)
    np.testing.assert_array_equal(starts, again)
    if n == 10:
        values = objective.evaluate(starts)
        assert np.median(values[1::3]) < np.median(values[::3])
        assert np.median(values[2::3]) < np.median(values[::3])


def test_perturbed_copies():
    objective = objective_of(3)
    toolbox = bag_toolbox(objective, np.random.default_rng(0))
    best = toolbox.population(n=2)
    before = [np.array(one) for one in best]
    rng = np.random.default_rng(0)
    copies = PerturbedCopies(objective, toolbox, share=0.25, fresh=0.0)(best, 20, rng)
    assert [int((one != best[i % 2]).sum()) for i, one in enumerate(copies)] == [4] * 20
    np.testing.assert_array_equal(best, before)
    fresh = PerturbedCopies(objective, toolbox, share=0.25, fresh=1.0)(best, 20, rng)
    assert np.mean([(one != best[0]).mean() for one in fresh]) == pytest.approx(2 / 3, abs=0.1)
    mixed = PerturbedCopies(objective, toolbox, share=0.25, fresh=0.5)(best, 200, rng)
    near = np.mean([(one != best[i % 2]).sum() == 4 for i, one in enumerate(mixed)])
    assert 0.4 < near < 0.6
