"""The genetic K-means and GCUK loops over DEAP toolboxes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from deap import tools
from loop_toys import (
    N_VAR,
    BatchedClimb,
    BatchedZeros,
    Climb,
    Zeros,
    bits_toolbox,
    genes_of,
    zeros_of,
)

from moo_clustering.algorithms import GcukStep, GkaStep, gcuk, gka


def run(loop, seed=0, ngen=20, n=20, toolbox=bits_toolbox, **options):
    rng = np.random.default_rng(seed)
    toolbox = toolbox(rng)
    return loop(toolbox.population(n=n), toolbox, ngen, rng=rng, **options)


def worsen(individual):
    """Clear the first one bit."""
    ones = np.flatnonzero(np.array(individual))[:1]
    for i in ones:
        individual[i] = 0
    return (individual,)


@pytest.mark.parametrize("kind", ["array", "list"])
@pytest.mark.parametrize("loop", [gka, gcuk])
def test_the_best_never_worsens_and_improves(loop, kind):
    population, logbook = run(loop, toolbox=lambda rng: bits_toolbox(rng, kind=kind), ngen=40)
    best = logbook.select("min") if kind == "array" else [-value for value in logbook.select("max")]
    assert (np.diff(best) <= 0).all()
    assert best[-1] < best[0]
    assert len(population) == 20
    np.testing.assert_array_equal([abs(i.fitness.values[0]) for i in population], zeros_of(population))


@pytest.mark.parametrize("loop", [gka, gcuk])
def test_without_elitism_the_best_may_be_lost(loop):
    options = {"toolbox": lambda rng: bits_toolbox(rng, mutate=worsen), "mutpb": 1.0, "ngen": 5}
    _, logbook = run(loop, elitism=0, **options)
    assert logbook[-1]["min"] > logbook[0]["min"]
    population, logbook = run(loop, elitism=1, **options)
    assert len(set(logbook.select("min"))) == 1
    assert (zeros_of(population) == logbook[0]["min"]).any()


def test_columns():
    _, logbook = run(gka, ngen=2)
    assert logbook.header == ["gen", "nevals", "ntrials", "min", "avg", "std", "max"]
    _, logbook = run(gcuk, ngen=2)
    assert logbook.header == ["gen", "nevals", "ntrials", "ncross", "min", "avg", "std", "max"]


def test_the_best_takes_the_place_of_the_worst():
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng, mutate=worsen)
    toolbox.register("select", lambda population, k: population[:k])
    step = GkaStep(mutpb=1.0, kmpb=0.0)
    population, _ = step.start(toolbox.population(n=6), toolbox, rng)
    before = zeros_of(population)
    after, _ = step(population, toolbox, rng)
    expected = before + 1
    worst = np.flatnonzero(expected == expected.max())[-1]
    expected[worst] = before.min()
    np.testing.assert_array_equal(zeros_of(after), expected)
    assert after[worst] is population[int(before.argmin())]


def test_of_equally_bad_ones_the_last_goes():
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng)
    population = [toolbox.individual() for _ in range(4)]
    for individual, n_ones in zip(population, (9, 5, 5, 7), strict=True):
        individual[:] = np.arange(N_VAR) < n_ones
    toolbox.register("select", lambda population, k: [population[i] for i in (3, 1, 2, 3)])
    step = GkaStep(mutpb=0.0, kmpb=0.0)
    population, _ = step.start(population, toolbox, rng)
    after, _ = step(population, toolbox, rng)
    np.testing.assert_array_equal(N_VAR - zeros_of(after), [7, 5, 9, 7])


def test_consecutive_pairs_are_crossed():
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng)
    toolbox.register("select", lambda population, k: population[:k])
    pairs = []

    def mate(first, second):
        pairs.append((int(np.sum(first)), int(np.sum(second))))
        return first, second

    toolbox.register("mate", mate)
    step = GcukStep(cxpb=1.0, mutpb=0.0)
    population, _ = step.start(toolbox.population(n=5), toolbox, rng)
    ones = N_VAR - zeros_of(population)
    _, columns = step(population, toolbox, rng)
    assert pairs == [(ones[0], ones[1]), (ones[2], ones[3])]
    assert columns == {"nevals": 4, "ntrials": 0, "ncross": 2}  # the fifth is unchanged


@pytest.mark.parametrize("loop", [gka, gcuk])
def test_unchanged_individuals_are_not_evaluated(loop):
    options = {"kmpb": 0.0} if loop is gka else {"cxpb": 0.0}
    _, logbook = run(loop, ngen=3, mutpb=0.0, **options)
    assert logbook.select("nevals") == [20, 0, 0, 0]


def test_probabilities():
    _, logbook = run(gka, ngen=30, n=100, mutpb=0.5, kmpb=0.2)
    share = np.mean(logbook.select("nevals")[1:]) / 100
    assert 0.55 < share < 0.65  # 1 - 0.5 * 0.8
    _, logbook = run(gcuk, ngen=30, n=100, cxpb=0.3, mutpb=0.0)
    assert 0.25 < np.mean(logbook.select("ncross")[1:]) / 50 < 0.35


class Even:
    """Legal are even numbers of zeros."""

    def __call__(self, individual):
        return (len(individual) - sum(individual)) % 2 == 0


class BatchedEven(Even):
    def batch(self, matrix):
        return (matrix == 0).sum(axis=1) % 2 == 0


@pytest.mark.parametrize("legal", [Even(), BatchedEven()])
@pytest.mark.parametrize("loop", [gka, gcuk])
def test_only_legal_individuals_are_the_best(loop, legal):
    hall = tools.HallOfFame(4, similar=np.array_equal)
    best = []

    class Watch(tools.Statistics):
        def compile(self, population):
            zeros = zeros_of(population)
            best.append(zeros[zeros % 2 == 0].min())
            return super().compile(population)

    run(loop, ngen=30, legal=legal, halloffame=hall, stats=Watch(len))
    assert (np.diff(best) <= 0).all()
    assert best[-1] < best[0]
    assert all(individual.fitness.values[0] % 2 == 0 for individual in hall)
    assert hall[0].fitness.values[0] == best[-1]


def test_no_legal_individual_at_all():
    hall = tools.HallOfFame(1, similar=np.array_equal)
    population, logbook = run(gka, ngen=4, legal=lambda individual: False, halloffame=hall)
    assert len(hall) == 0
    assert len(population) == 20
    assert len(logbook) == 5


@pytest.mark.parametrize("loop", [gka, gcuk])
def test_batches_give_the_same_as_one_by_one(loop):
    population, logbook = run(
        loop, toolbox=lambda rng: bits_toolbox(rng, mutate=BatchedClimb(1), batched=True), legal=BatchedEven()
    )
    expected, expected_logbook = run(
        loop, toolbox=lambda rng: bits_toolbox(rng, mutate=Climb(1)), legal=Even()
    )
    np.testing.assert_array_equal(genes_of(population), genes_of(expected))
    assert list(logbook) == list(expected_logbook)
    assert sum(logbook.select("ntrials")) > 0


@pytest.mark.parametrize("max_evals", [1, 20, 27, 55, 56, 120])
@pytest.mark.parametrize("loop", [gka, gcuk])
def test_max_evals_is_met_exactly(loop, max_evals):
    evaluate, mutate = BatchedZeros(), BatchedClimb(1)
    population, logbook = run(
        loop,
        ngen=500,
        max_evals=max_evals,
        toolbox=lambda rng: bits_toolbox(rng, evaluate=evaluate, mutate=mutate, batched=True),
    )
    assert evaluate.n_evaluations == sum(logbook.select("nevals"))
    assert mutate.n_trials == sum(logbook.select("ntrials"))
    assert evaluate.n_evaluations + mutate.n_trials == max_evals
    assert len(population) == min(20, max_evals)
    assert all(individual.fitness.valid for individual in population)
    assert (np.diff(logbook.select("min")) <= 0).all()


def test_trials_that_cannot_be_limited_overshoot_by_one_individual_at_most():
    evaluate, mutate = Zeros(), Climb(5)
    run(gka, ngen=500, max_evals=90, toolbox=lambda rng: bits_toolbox(rng, evaluate=evaluate, mutate=mutate))
    assert 90 <= evaluate.n_evaluations + mutate.n_trials < 95


@pytest.mark.parametrize("step", [GkaStep(mutpb=0.9, kmpb=0.5), GcukStep(cxpb=0.8, mutpb=0.5)])
@pytest.mark.parametrize("kind", ["array", "list"])
def test_parents_are_never_changed(step, kind):
    rng = np.random.default_rng(2)
    toolbox = bits_toolbox(rng, kind=kind)
    population, _ = step.start(toolbox.population(n=10), toolbox, rng)
    for _ in range(10):
        before = genes_of(population).copy()
        after, _ = step(population, toolbox, rng)
        np.testing.assert_array_equal(genes_of(population), before)
        assert len({id(individual) for individual in after}) == 10
        population = after


@pytest.mark.parametrize("loop", [gka, gcuk])
def test_seeded_runs_are_equal_and_no_global_generator_is_touched(loop):
    state, numpy_state = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    one, two, other = (genes_of(run(loop, seed=seed)[0]) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()
    assert random.getstate() == state
    np.testing.assert_array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002


@pytest.mark.parametrize(
    ("loop", "options", "error", "message"),
    [
        (gka, {"mutpb": -0.1}, ValueError, "mutpb must be a number from 0 to 1"),
        (gcuk, {"cxpb": 2}, ValueError, "cxpb must be a number from 0 to 1, got 2"),
        (gka, {"elitism": 2}, ValueError, "elitism must be 0 or 1, got 2"),
        (gka, {"elitism": -1}, ValueError, "elitism must be an integer of at least 0"),
        (gcuk, {"legal": 1}, TypeError, "legal must be a function or None, got 1"),
    ],
)
def test_bad_options(loop, options, error, message):
    with pytest.raises(error, match=message):
        run(loop, **options)


@pytest.mark.parametrize(("loop", "name"), [(gka, "select"), (gka, "km"), (gcuk, "mate"), (gcuk, "mutate")])
def test_toolbox_that_lacks_a_function(loop, name):
    def lacking(rng):
        toolbox = bits_toolbox(rng)
        delattr(toolbox, name)
        return toolbox

    with pytest.raises(ValueError, match=f"toolbox has no '{name}'"):
        run(loop, toolbox=lacking)
