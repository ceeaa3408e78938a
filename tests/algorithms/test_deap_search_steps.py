"""Steps with columns, an end and a start of their own under DeapSearch and drive."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from deap import tools
from loop_toys import BatchedClimb, BatchedZeros, bits_toolbox, genes_of, zeros_of
from search_toys import deap_step, deap_toolbox

from moo_clustering.algorithms import ChcStep, DeapSearch, GcukStep, GkaStep, Recorder, chc, drive
from moo_clustering.operators.deap import ArrayIndividual, Minimize, SelRouletteLegal
from moo_clustering.persistence import Checkpoint

N_GEN, STOP = 25, 18
STEPS = {
    "chc": lambda **options: ChcStep(mutpb=0.4, kmpb=0.2, threshold=13, step=13, n_keep=3, **options),
    "chc no_acceptance": lambda **options: ChcStep(
        mutpb=0.2,
        threshold_rule="no_acceptance",
        mutate="population",
        unique=tuple,
        step=6,
        n_keep=3,
        **options,
    ),
    "gka": GkaStep,
    "gcuk": GcukStep,
}


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def make(name, seed=1, kind="array", max_evals=None, mutate=None, batched=False, **options):
    rng = np.random.default_rng(seed)
    toolbox = bits_toolbox(rng, kind=kind, mutate=mutate, batched=batched)
    options = {"hall_of_fame": tools.HallOfFame(3, similar=np.array_equal)} | options
    return DeapSearch(toolbox, STEPS[name](max_evals=max_evals), rng=rng, pop_size=14, **options)


def assert_same(whole, resumed):
    assert whole.generation == resumed.generation
    np.testing.assert_array_equal(genes_of(whole.population), genes_of(resumed.population))
    assert [i.fitness.wvalues for i in whole.population] == [i.fitness.wvalues for i in resumed.population]
    assert list(whole.logbook) == list(resumed.logbook)
    assert whole.rng.bit_generator.state == resumed.rng.bit_generator.state
    np.testing.assert_array_equal(genes_of(whole.hall_of_fame.items), genes_of(resumed.hall_of_fame.items))
    for name in ("evaluations", "trials", "d", "restarts"):
        assert getattr(whole.step, name, None) == getattr(resumed.step, name, None)


@pytest.mark.parametrize("kind", ["array", "list"])
@pytest.mark.parametrize("name", STEPS)
def test_resume_is_the_uninterrupted_run(name, kind, tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", every=2)
    whole = make(name, kind=kind)
    drive(whole, n_gen=N_GEN)
    drive(make(name, kind=kind), n_gen=STOP, checkpoint=checkpoint)
    resumed = make(name, seed=99, kind=kind)
    drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
    assert_same(whole, resumed)
    if kind == "list":
        assert all(type(gene) is int for individual in resumed.population for gene in individual)
    if name.startswith("chc"):
        assert whole.step.restarts > 0


@pytest.mark.parametrize("name", STEPS)
def test_resume_within_a_budget_that_counts_trials(name, tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    options = {"max_evals": 120, "batched": True}
    whole = make(name, mutate=BatchedClimb(1), **options)
    drive(whole, n_gen=200)
    drive(make(name, mutate=BatchedClimb(1), **options), n_gen=2, checkpoint=checkpoint)
    resumed = make(name, seed=99, mutate=BatchedClimb(1), **options)
    drive(resumed, n_gen=200, checkpoint=checkpoint)
    assert_same(whole, resumed)
    assert whole.step.evaluations + whole.step.trials == 120
    assert whole.finished
    whole.advance()
    assert whole.generation == resumed.generation
    assert not whole.exhausted


@pytest.mark.parametrize("name", STEPS)
def test_the_end_of_the_budget_is_no_warning(name, tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", every=1)
    search, recorder = make(name, max_evals=60), Recorder()
    assert drive(search, n_gen=500, checkpoint=checkpoint, recorder=recorder) is False
    assert 0 < search.generation < 500
    assert recorder.generations == list(range(search.generation + 1))
    assert sum(search.logbook.select("nevals")) == 60
    # and neither is it after resuming; with more evaluations it goes on
    resumed = make(name, seed=99, max_evals=60)
    drive(resumed, n_gen=500, checkpoint=checkpoint)
    assert_same(search, resumed)
    longer = make(name, seed=99, max_evals=80)
    drive(longer, n_gen=500, checkpoint=checkpoint)
    assert longer.generation > search.generation
    assert sum(longer.logbook.select("nevals")) == 80


def test_a_budget_for_less_than_the_initial_population():
    search = make("chc", max_evals=5)
    drive(search, n_gen=3)
    assert search.generation == 0
    assert len(search.population) == 5


def test_the_function_and_the_search_are_one():
    search = make("chc")
    drive(search, n_gen=N_GEN)
    rng = np.random.default_rng(1)
    toolbox = bits_toolbox(rng)
    population, logbook = chc(
        toolbox.population(n=14),
        toolbox,
        N_GEN,
        mutpb=0.4,
        kmpb=0.2,
        threshold=13,
        step=13,
        n_keep=3,
        rng=rng,
    )
    np.testing.assert_array_equal(genes_of(population), genes_of(search.population))
    columns = ["gen", *ChcStep.columns]
    assert [[record[name] for name in columns] for record in logbook] == [
        [record[name] for name in columns] for record in search.logbook
    ]


def test_logbook_has_the_columns_of_the_step_and_given_statistics():
    search = make("gcuk")
    drive(search, n_gen=2)
    assert list(search.logbook[0]) == ["gen", "nevals", "ntrials", "ncross", "min", "avg"]
    statistics = tools.Statistics(lambda individual: individual.fitness.values[0])
    statistics.register("median", np.median)
    search = make("gcuk", statistics=statistics)
    drive(search, n_gen=2)
    assert list(search.logbook[0]) == ["gen", "nevals", "ntrials", "ncross", "median"]
    assert search.logbook[-1]["median"] == np.median(zeros_of(search.population))
    assert type(search.logbook[-1]["median"]) is float
    with pytest.raises(TypeError, match="MultiStatistics"):
        make("gcuk", statistics=tools.MultiStatistics(a=statistics))


def test_a_plain_step_may_return_columns():
    def step(population, toolbox, rng):
        population, n_evaluations = deap_step(population, toolbox, rng)
        return population, {"nevals": np.int64(n_evaluations), "mood": "fine"}

    search = DeapSearch(deap_toolbox(), step, rng=np.random.default_rng(0), pop_size=6)
    drive(search, n_gen=1)
    assert search.logbook[1]["mood"] == "fine"
    assert search.logbook[1]["nevals"] == 6
    assert type(search.logbook[1]["nevals"]) is int


def test_minimum_and_mean_are_of_finite_values():
    toolbox = deap_toolbox()
    values = [(1.0, np.inf), (np.inf, np.inf), (4.0, np.inf), (np.inf, np.inf)]

    def evaluate_population(individuals):
        for individual, value in zip(individuals, values, strict=True):
            individual.fitness.values = value

    toolbox.register("evaluate_population", evaluate_population)
    search = DeapSearch(toolbox, deap_step, rng=np.random.default_rng(0), pop_size=4)
    search.start()
    assert search.logbook[0]["min"][0] == 1.0
    assert search.logbook[0]["avg"][0] == 2.5
    assert np.isnan([search.logbook[0]["min"][1], search.logbook[0]["avg"][1]]).all()


def test_a_search_may_say_that_it_is_finished():
    from search_toys import CountingSearch

    class Planned(CountingSearch):
        @property
        def finished(self):
            return self.generation == 2

    search = Planned()
    drive(search, n_gen=9)
    assert search.calls == ["start", 1, 2]


def labels_search(seed, legality="ratio"):
    rng = np.random.default_rng(seed)
    toolbox = bits_toolbox(rng)
    toolbox.register("individual", lambda: ArrayIndividual(rng.integers(3, size=6), Minimize))
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", lambda individual: (float(individual.sum()) + 1,))  # best when illegal

    def mutate(individual):
        individual[rng.integers(6)] = rng.integers(3)
        return (individual,)

    toolbox.register("mutate", mutate)
    toolbox.register("select", SelRouletteLegal(3, rng, legality=legality))

    def legal(individual):
        return len(np.unique(individual)) == 3

    step = GkaStep(mutpb=0.5, kmpb=0.0, legal=legal)
    hall = tools.HallOfFame(2, similar=np.array_equal)
    return DeapSearch(toolbox, step, rng=rng, pop_size=10, hall_of_fame=hall)


def test_toolbox_functions_with_state_are_saved_and_only_legal_ones_remembered(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    whole, resumed = labels_search(1), labels_search(99)
    drive(whole, n_gen=N_GEN)
    drive(labels_search(1), n_gen=STOP, checkpoint=checkpoint)
    drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
    assert_same(whole, resumed)
    assert whole.toolbox.select.func.f_max == resumed.toolbox.select.func.f_max
    initial = labels_search(1)
    initial.start()
    assert whole.toolbox.select.func.f_max >= max(-i.fitness.wvalues[0] for i in initial.population)
    assert all(len(np.unique(individual)) == 3 for individual in whole.hall_of_fame)
    assert any(len(np.unique(individual)) < 3 for individual in whole.population)


def test_individuals_are_made_by_from_genes_where_there_is_one(tmp_path):
    checkpoint, made = Checkpoint(tmp_path / "c"), []
    drive(make("gka"), n_gen=STOP, checkpoint=checkpoint)
    resumed = make("gka", seed=99)

    def from_genes(genes):
        made.append(genes)
        return ArrayIndividual(genes, Minimize)

    resumed.toolbox.register("from_genes", from_genes)
    del resumed.toolbox.individual
    drive(resumed, n_gen=STOP, checkpoint=checkpoint)
    assert len(made) >= 14


def test_evaluations_are_batched():
    evaluate = BatchedZeros()
    rng = np.random.default_rng(0)
    toolbox = bits_toolbox(rng, evaluate=evaluate, batched=True)
    drive(DeapSearch(toolbox, STEPS["chc"](), rng=rng, pop_size=14), n_gen=5)
    assert evaluate.n_single == 0
    assert evaluate.n_batches <= 11
