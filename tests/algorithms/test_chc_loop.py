"""CHC over DEAP toolboxes."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest
from deap import base, tools
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

from moo_clustering.algorithms import ChcStep, chc
from moo_clustering.operators.deap import ArrayIndividual, Minimize, MinimizeTwo

COLUMNS = ["gen", "nevals", "ntrials", "ncross", "accepted", "d", "restart", "min", "avg", "std", "max"]


def run(seed=0, ngen=20, n=20, toolbox=None, **options):
    rng = np.random.default_rng(seed)
    kind = options.pop("kind", "array")
    toolbox = bits_toolbox(rng, kind=kind) if toolbox is None else toolbox(rng)
    population = toolbox.population(n=n)
    return chc(population, toolbox, ngen, rng=rng, **options)


def pair_toolbox(distance=None, evaluate=None):
    """Children of a pair are its average and the same again; nothing is random."""

    def mate(first, second):
        first[:] = second[:] = (np.asarray(first) + np.asarray(second)) // 2
        return first, second

    toolbox = base.Toolbox()
    toolbox.register("individual", lambda: ArrayIndividual([9, 9, 9, 9], Minimize))
    toolbox.register("evaluate", evaluate or (lambda individual: (float(np.sum(individual)),)))
    toolbox.register("mate", mate)
    if distance is not None:
        toolbox.register("distance", distance)
    return toolbox


def individuals(*rows):
    return [ArrayIndividual(row, Minimize) for row in rows]


@pytest.mark.parametrize("kind", ["array", "list"])
def test_onemax_is_solved_minimised_or_maximised(kind):
    population, logbook = run(ngen=60, n=40, kind=kind)
    best = logbook.select("min" if kind == "array" else "max")
    assert best[-1] == 0
    assert (zeros_of(population) == 0).any()
    assert abs(best[0]) > 3


def test_float_vectors_with_a_distance_of_their_own():
    class Vector(list):
        def __init__(self, values):
            super().__init__(values)
            self.fitness = Minimize()

    rng = np.random.default_rng(4)

    def blend(first, second):
        gamma = rng.uniform(-0.5, 1.5, len(first))
        first[:], second[:] = (
            ((1 - gamma) * first + gamma * np.array(second)).tolist(),
            (gamma * first + (1 - gamma) * np.array(second)).tolist(),
        )
        return first, second

    toolbox = base.Toolbox()
    toolbox.register("individual", lambda: Vector(rng.uniform(-5, 5, 3).tolist()))
    toolbox.register("evaluate", lambda v: (sum(x * x for x in v),))
    toolbox.register("mate", blend)
    toolbox.register("distance", lambda a, b: float(np.linalg.norm(np.array(a) - np.array(b))))
    population = [toolbox.individual() for _ in range(40)]
    _, logbook = chc(population, toolbox, 80, threshold=2.0, step=0.25, rng=rng)
    assert logbook[-1]["min"] < 1e-3
    assert sum(logbook.select("restart")) >= 1


def test_columns_of_the_logbook():
    population, logbook = run(ngen=3)
    assert logbook.header == COLUMNS
    assert all(list(record) == COLUMNS for record in logbook)
    assert logbook.select("gen") == [0, 1, 2, 3]
    first = {key: logbook[0][key] for key in COLUMNS[:7]}
    assert first == {
        "gen": 0,
        "nevals": 20,
        "ntrials": 0,
        "ncross": 0,
        "accepted": 0,
        "d": N_VAR // 4,
        "restart": 0,
    }
    assert logbook[1]["nevals"] == 2 * logbook[1]["ncross"]
    assert logbook[-1]["avg"] == pytest.approx(zeros_of(population).mean())
    assert logbook[-1]["std"] == pytest.approx(zeros_of(population).std())


def test_given_statistics_replace_the_default_ones_and_are_printed(capsys):
    stats = tools.Statistics(lambda individual: individual.fitness.values[0])
    stats.register("median", np.median)
    population, logbook = run(ngen=2, stats=stats, verbose=True)
    assert logbook.header == [*COLUMNS[:7], "median"]
    assert logbook[-1]["median"] == np.median(zeros_of(population))
    out = capsys.readouterr().out
    assert out.count("median") == 1
    assert len(out.strip().splitlines()) == 4


def test_statistics_are_of_finite_values():
    values = iter([1.0, np.inf, 3.0, np.inf])
    toolbox = pair_toolbox(evaluate=lambda _: (next(values),))
    _, logbook = chc(individuals(*np.eye(4, dtype=int)), toolbox, 0)
    assert [logbook[0][key] for key in ("min", "avg", "std", "max")] == [1.0, 2.0, 1.0, 3.0]
    toolbox.register("evaluate", lambda _: (np.inf,))
    _, logbook = chc(individuals([1], [2]), toolbox, 0)
    assert np.isnan(logbook[0]["min"])


@pytest.mark.parametrize(("threshold", "n_crossed"), [(2.9, 1), (3, 0), (2, 1)])
def test_only_pairs_farther_apart_than_the_threshold_are_crossed(threshold, n_crossed):
    population = individuals([0, 0, 0, 0], [2, 2, 2, 0])
    _, logbook = chc(population, pair_toolbox(), 1, threshold=threshold)
    assert logbook[1]["ncross"] == n_crossed
    assert logbook[1]["nevals"] == 2 * n_crossed
    assert logbook[1]["d"] == (threshold if n_crossed else threshold - 1)


def test_distance_of_the_toolbox():
    population = individuals([0, 0, 0, 0], [2, 2, 2, 0])
    toolbox = pair_toolbox(distance=lambda a, b: float(np.abs(np.asarray(a) - np.asarray(b)).sum()))
    _, logbook = chc(population, toolbox, 1, threshold=5.5)
    assert logbook[1]["ncross"] == 1


def test_children_do_not_replace_parents_that_are_as_good():
    given = individuals([0, 0, 0, 0], [2, 2, 2, 2], [4, 4, 4, 4])
    toolbox = pair_toolbox(evaluate=lambda _: (1.0,))
    population, logbook = chc(list(given), toolbox, 3, threshold=3)
    assert all(one is two for one, two in zip(population, given, strict=True))
    assert logbook.select("accepted") == [0, 0, 0, 0]
    assert logbook.select("ncross") == [0, 1, 1, 1]  # of three, one is left over
    assert logbook.select("d") == [3, 3, 3, 3]


def test_threshold_falls_when_nothing_is_accepted_and_then_comes_the_restart():
    given = individuals([0, 0, 0, 0], [2, 2, 2, 2])
    toolbox = pair_toolbox(evaluate=lambda _: (1.0,))
    population, logbook = chc(
        list(given),
        toolbox,
        5,
        threshold=3,
        step=2,
        threshold_rule="no_acceptance",
        restart_threshold=1,
        n_keep=1,
    )
    assert logbook.select("d") == [3, 1, 1, 1, 1, 1]  # 3, 3-2, 1-2 -> 1, 1-2 -> 1, ...
    assert logbook.select("restart") == [0, 0, 1, 1, 1, 1]
    assert logbook.select("nevals") == [2, 2, 3, 3, 3, 3]
    assert list(population[0]) == [0, 0, 0, 0]
    assert list(population[1]) == [9, 9, 9, 9]


def test_default_threshold_of_few_genes_is_one():
    _, logbook = chc(individuals([1, 2], [3, 4]), pair_toolbox(), 1)
    assert logbook[0]["d"] == 1


@pytest.mark.parametrize("rule", ["no_crossing", "no_acceptance"])
@pytest.mark.parametrize("mutate", ["children", "population"])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_never_worsens_whatever_is_restarted(rule, mutate, seed):
    population, logbook = run(
        seed=seed,
        ngen=40,
        n=9,
        threshold=1,
        n_keep=2,
        threshold_rule=rule,
        mutate=mutate,
        mutpb=0.3,
        kmpb=0.2,
    )
    assert sum(logbook.select("restart")) > 1
    assert (np.diff(logbook.select("min")) <= 0).all()
    assert len(population) == 9
    np.testing.assert_array_equal([i.fitness.values[0] for i in population], zeros_of(population))


def test_restarts_keep_the_best_and_fill_up():
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng)
    population = toolbox.population(n=12)
    step = ChcStep(threshold=N_VAR, n_keep=4, step=N_VAR)  # nothing is ever crossed
    population, _ = step.start(population, toolbox, rng)
    after, columns = step(population, toolbox, rng)
    ranked = sorted(population, key=lambda i: i.fitness.values)
    assert columns["restart"] == step.restarts == 1
    assert all(one is two for one, two in zip(after[:4], ranked[:4], strict=True))
    assert not any(one is two for one in after[4:] for two in population)
    assert columns["nevals"] == 8
    assert step.d == N_VAR


def test_a_restart_of_ones_own_gets_clones_and_is_evaluated_anew():
    def restart(best, n_new, rng):
        assert len(best) == 3
        for individual in best:
            individual[:] = 0  # keeps the fitness of the best, as a careless function may
        return [copy.deepcopy(best[0]) for _ in range(n_new)]

    population, logbook = run(ngen=1, n=10, threshold=N_VAR, step=N_VAR, n_keep=3, restart=restart)
    assert logbook[1]["restart"] == 1
    assert logbook[1]["min"] == logbook[0]["min"]
    np.testing.assert_array_equal([i.fitness.values[0] for i in population], zeros_of(population))
    assert (zeros_of(population) == N_VAR).sum() == 7
    with pytest.raises(ValueError, match="restart must return 7 individuals, got 1"):
        run(ngen=1, n=10, threshold=N_VAR, step=N_VAR, n_keep=3, restart=lambda best, n, rng: best[:1])


def test_small_populations_are_restarted_too():
    _, logbook = run(ngen=1, n=3, threshold=N_VAR, step=N_VAR)  # n_keep is 10
    assert logbook[1]["nevals"] == 1
    _, logbook = run(ngen=2, n=1)
    assert logbook.select("nevals") == [1, 0, 0]


def test_unique_population():
    key = tuple
    population, _ = run(ngen=30, n=20, unique=key, threshold=1)
    assert len({key(individual) for individual in population}) == 20
    population, _ = run(ngen=30, n=20, threshold=1, threshold_rule="no_acceptance", n_keep=19)
    assert len({key(individual) for individual in population}) < 20


def test_unique_keeps_the_size_where_there_are_not_enough():
    given = individuals([0, 0], [0, 0], [1, 1], [0, 0])
    population, _ = chc(given, pair_toolbox(), 1, threshold=5, unique=tuple, n_keep=3)
    assert [list(individual) for individual in population] == [[0, 0], [1, 1], [0, 0], [0, 0]]


def test_one_object_several_times():
    one, two = individuals([1, 1, 1, 1], [3, 3, 3, 3])
    population, _ = chc([one, one, two, one], pair_toolbox(), 2, unique=tuple)
    assert len(population) == 4


@pytest.mark.parametrize("kind", ["array", "list"])
@pytest.mark.parametrize("mutate", ["children", "population"])
def test_parents_are_never_changed(kind, mutate):
    rng = np.random.default_rng(2)
    toolbox = bits_toolbox(rng, kind=kind)
    given = toolbox.population(n=12)
    step = ChcStep(mutpb=0.7, kmpb=0.5, mutate=mutate, threshold=1, n_keep=3)
    population, _ = step.start(given, toolbox, rng)
    for _ in range(15):
        before = genes_of(population).copy()
        values = [individual.fitness.values for individual in population]
        after, _ = step(population, toolbox, rng)
        np.testing.assert_array_equal(genes_of(population), before)
        assert [individual.fitness.values for individual in population] == values
        assert len({id(individual) for individual in after}) == len(after)
        if kind == "array":
            old = {id(individual) for individual in population}
            assert not any(
                np.shares_memory(one, two)
                for one in after
                for two in [*population, *after]
                if one is not two and id(one) not in old
            )
        population = after


def test_mutation_over_the_population_adds_mutated_copies():
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng, mutate=Climb())
    step = ChcStep(mutpb=1.0, mutate="population", threshold=N_VAR)  # nothing is crossed
    population, _ = step.start(toolbox.population(n=10), toolbox, rng)
    before = zeros_of(population)
    population, columns = step(population, toolbox, rng)
    assert columns["nevals"] == 10
    assert columns["ntrials"] == 20
    pool = sorted([(zeros, 0) for zeros in before] + [(max(zeros - 2, 0), 1) for zeros in before])
    assert sorted(zeros_of(population)) == [zeros for zeros, _ in pool[:10]]
    assert columns["accepted"] == sum(child for _, child in pool[:10])
    assert step(population, toolbox, rng)[1]["ncross"] == 0


def test_copies_that_nothing_changed_do_not_compete():
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng)
    step = ChcStep(mutate="population", threshold=N_VAR)
    population, _ = step.start(toolbox.population(n=10), toolbox, rng)
    after, columns = step(population, toolbox, rng)
    assert (columns["nevals"], columns["accepted"]) == (0, 0)
    assert {id(individual) for individual in after} == {id(individual) for individual in population}


def test_mutation_comes_before_km():
    calls = []

    def note(name):
        def function(individual):
            calls.append((name, id(individual)))
            return (individual,)

        return function

    toolbox = pair_toolbox()
    toolbox.register("mutate", note("mutate"))
    toolbox.register("km", note("km"))
    chc(individuals([0] * 4, [2] * 4), toolbox, 1, mutpb=1.0, kmpb=1.0, rng=np.random.default_rng(0))
    assert [name for name, _ in calls] == ["mutate", "mutate", "km", "km"]
    assert [where for _, where in calls[:2]] == [where for _, where in calls[2:]]


@pytest.mark.parametrize("mutate", ["children", "population"])
def test_batches_give_the_same_as_one_by_one(mutate):
    def one_by_one(rng):
        return bits_toolbox(rng, mutate=Climb(1))

    def batched(rng):
        return bits_toolbox(rng, mutate=BatchedClimb(1), batched=True)

    options = {"ngen": 12, "mutpb": 0.4, "kmpb": 0.2, "mutate": mutate, "threshold": 2, "n_keep": 3}
    population, logbook = run(toolbox=batched, **options)
    expected, expected_logbook = run(toolbox=one_by_one, **options)
    np.testing.assert_array_equal(genes_of(population), genes_of(expected))
    assert list(logbook) == list(expected_logbook)
    assert sum(logbook.select("ntrials")) > 0


@pytest.mark.parametrize("max_evals", [1, 7, 20, 21, 33, 150, 151, 152])
def test_max_evals_is_met_exactly(max_evals):
    evaluate = Zeros()
    population, logbook = run(
        ngen=400,
        max_evals=max_evals,
        threshold=2,
        toolbox=lambda rng: bits_toolbox(rng, evaluate=evaluate),
    )
    assert evaluate.n_evaluations == max_evals == sum(logbook.select("nevals"))
    assert len(population) == min(20, max_evals)
    assert all(individual.fitness.valid for individual in population)
    np.testing.assert_array_equal([i.fitness.values[0] for i in population], zeros_of(population))
    assert logbook[-1]["gen"] < 400


@pytest.mark.parametrize("max_evals", [20, 25, 31, 60, 99, 100, 101])
def test_trials_count_and_each_child_keeps_an_evaluation(max_evals):
    evaluate, mutate = BatchedZeros(), BatchedClimb(1)
    _, logbook = run(
        ngen=400,
        max_evals=max_evals,
        mutpb=0.8,
        threshold=2,
        toolbox=lambda rng: bits_toolbox(rng, evaluate=evaluate, mutate=mutate, batched=True),
    )
    assert evaluate.n_evaluations == sum(logbook.select("nevals"))
    assert mutate.n_trials == sum(logbook.select("ntrials"))
    assert evaluate.n_evaluations + mutate.n_trials == max_evals
    # no generation made trials for children that it then could not evaluate
    assert all(record["nevals"] > 0 for record in logbook if record["ntrials"])


def test_max_evals_in_a_restart():
    evaluate = Zeros()
    population, logbook = run(
        n=10,
        ngen=5,
        threshold=N_VAR,
        step=N_VAR,
        n_keep=2,
        max_evals=13,
        toolbox=lambda rng: bits_toolbox(rng, evaluate=evaluate),
    )
    assert logbook.select("nevals") == [10, 3]
    assert len(population) == 10
    assert evaluate.n_evaluations == 13


def test_evaluated_individuals_are_not_evaluated_again():
    evaluate = Zeros()
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng, evaluate=evaluate)
    population, _ = chc(toolbox.population(n=10), toolbox, 2, rng=rng)
    before = evaluate.n_evaluations
    _, logbook = chc(population, toolbox, 0, rng=rng)
    assert evaluate.n_evaluations == before
    assert logbook[0]["nevals"] == 0


def test_the_list_is_replaced_in_place_and_the_hall_of_fame_filled():
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng)
    given = toolbox.population(n=20)
    hall = tools.HallOfFame(3, similar=np.array_equal)
    population, logbook = chc(given, toolbox, 10, rng=rng, halloffame=hall)
    assert population is given
    assert hall[0].fitness.values[0] == logbook[-1]["min"]


def test_seeded_runs_are_equal_and_no_global_generator_is_touched():
    state, numpy_state = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    one, logbook = run(seed=3, mutpb=0.3, kmpb=0.3, threshold=2)
    two, logbook_two = run(seed=3, mutpb=0.3, kmpb=0.3, threshold=2)
    other, _ = run(seed=4, mutpb=0.3, kmpb=0.3, threshold=2)
    np.testing.assert_array_equal(genes_of(one), genes_of(two))
    assert list(logbook) == list(logbook_two)
    assert (genes_of(one) != genes_of(other)).any()
    assert random.getstate() == state
    np.testing.assert_array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002


def test_without_a_generator_runs_differ():
    runs = []
    for _ in range(2):
        toolbox = pair_toolbox(evaluate=lambda _: (1.0,))
        population = individuals(*np.arange(80).reshape(20, 4))
        crossed = []
        toolbox.register("mate", lambda a, b, to: (to.append((a[0], b[0])), (a, b))[1], to=crossed)
        chc(population, toolbox, 1)
        runs.append(crossed)
    assert runs[0] != runs[1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mutpb": 1.5}, ValueError, "mutpb must be a number from 0 to 1, got 1.5"),
        ({"kmpb": "a"}, TypeError, "kmpb must be a number from 0 to 1"),
        ({"threshold": 0}, ValueError, "threshold must be a positive finite number, got 0"),
        ({"step": -1}, ValueError, "step must be a positive finite number"),
        ({"restart_threshold": np.inf}, ValueError, "restart_threshold must be a positive finite number"),
        ({"n_keep": 0}, ValueError, "n_keep must be an integer of at least 1, got 0"),
        ({"threshold_rule": "idle"}, ValueError, "threshold_rule must be one of 'no_crossing'"),
        ({"mutate": "all"}, ValueError, "mutate must be one of 'children', 'population', got 'all'"),
        ({"max_evals": 0}, ValueError, "max_evals must be an integer of at least 1"),
        ({"max_evals": 2.5}, TypeError, "max_evals must be an integer"),
        ({"restart": 3}, TypeError, "restart must be a function or None, got 3"),
        ({"unique": True}, TypeError, "unique must be a function or None, got True"),
        ({"rng": 1}, TypeError, "rng must be a numpy.random.Generator or None, got 1"),
        ({"ngen": -1}, ValueError, "ngen must be an integer of at least 0"),
        ({"mutpb": 0.5}, ValueError, "toolbox has no 'mutate'"),
        ({"kmpb": 0.5}, ValueError, "toolbox has no 'km'"),
    ],
)
def test_bad_options(options, error, message):
    options = {"ngen": 1} | options
    with pytest.raises(error, match=message):
        chc(individuals([1], [2]), pair_toolbox(), options.pop("ngen"), **options)


def test_bad_populations_and_toolboxes():
    toolbox = pair_toolbox()
    with pytest.raises(ValueError, match="population must contain at least one individual"):
        chc([], toolbox, 1)
    with pytest.raises(TypeError, match="population must be a list"):
        chc(tuple(individuals([1])), toolbox, 1)
    with pytest.raises(ValueError, match="one objective"):
        chc([ArrayIndividual([1], MinimizeTwo)], toolbox, 1)
    with pytest.raises(ValueError, match="the Hamming distance is undefined"):
        chc(individuals([1, 2], [3]), toolbox, 1)
    toolbox.register("evaluate", lambda _: (np.nan,))
    with pytest.raises(ValueError, match="returned NaN as an objective"):
        chc(individuals([1, 2], [3, 4]), toolbox, 1)
    del toolbox.individual
    with pytest.raises(ValueError, match="toolbox has no 'individual'"):
        chc(individuals([1]), toolbox, 1)
    del toolbox.mate
    with pytest.raises(ValueError, match="toolbox has no 'mate'"):
        chc(individuals([1]), toolbox, 1)
