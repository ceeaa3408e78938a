"""DEAP toolboxes as searches, and their resumption."""

from __future__ import annotations

import numpy as np
import pytest
from deap import tools
from search_toys import deap_step, deap_toolbox

from moo_clustering.algorithms import DeapSearch, ExhaustedSearchWarning, drive
from moo_clustering.persistence import Checkpoint

N_GEN, STOP = 8, 3


def make(seed=1, step=deap_step, toolbox=None, **options):
    options = {"pop_size": 12} | options
    return DeapSearch(toolbox or deap_toolbox(), step, rng=np.random.default_rng(seed), **options)


def hall():
    return tools.HallOfFame(5, similar=np.array_equal)


def genes(search):
    return np.stack([np.asarray(individual) for individual in search.population])


def test_objectives_are_minimised_and_follow_the_weights():
    search = make()
    search.start()
    X = genes(search)
    expected = np.column_stack([(X > 0).sum(axis=1), -X.sum(axis=1) / 3])  # weights (-1, 0.3)
    np.testing.assert_allclose(search.objectives(), expected, rtol=1e-12)


def test_logbook_has_natural_values():
    search = make()
    drive(search, n_gen=2)
    assert search.logbook.select("gen") == [0, 1, 2]
    assert search.logbook.select("nevals") == [12, 12, 12]
    X = genes(search)
    last = search.logbook[-1]
    np.testing.assert_allclose(last["min"], [(X > 0).sum(axis=1).min(), X.sum(axis=1).min() / 3])
    np.testing.assert_allclose(last["avg"], [(X > 0).sum(axis=1).mean(), X.sum(axis=1).mean() / 3])


def test_evaluations_are_only_logged_where_reported():
    toolbox = deap_toolbox()
    evaluate = toolbox.evaluate_population
    toolbox.register("evaluate_population", lambda individuals: (evaluate(individuals), None)[1])
    search = make(toolbox=toolbox, step=lambda *args: deap_step(*args)[0])
    drive(search, n_gen=1)
    assert search.logbook.select("nevals") == [None, None]


def test_resume_is_the_uninterrupted_run(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", every=2)
    whole = make(hall_of_fame=hall())
    drive(whole, n_gen=N_GEN)
    drive(make(hall_of_fame=hall()), n_gen=STOP, checkpoint=checkpoint)
    resumed = make(seed=99, hall_of_fame=hall())
    drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
    assert resumed.generation == N_GEN
    np.testing.assert_array_equal(genes(whole), genes(resumed))
    assert genes(resumed).dtype == np.int32
    assert [i.fitness.wvalues for i in whole.population] == [i.fitness.wvalues for i in resumed.population]
    assert list(whole.logbook) == list(resumed.logbook)
    assert whole.rng.bit_generator.state == resumed.rng.bit_generator.state
    assert len(whole.hall_of_fame) == 5
    np.testing.assert_array_equal(np.stack(whole.hall_of_fame.items), np.stack(resumed.hall_of_fame.items))
    assert whole.hall_of_fame.keys == resumed.hall_of_fame.keys


def restored(search):
    twin = make(seed=99, hall_of_fame=None if search.hall_of_fame is None else hall())
    twin.restore(*search.state())
    return twin


def test_restored_individuals_are_as_they_were():
    search = make(hall_of_fame=hall())
    drive(search, n_gen=3)
    search.population[3] = search.population[2]  # one object twice, as selection without cloning leaves it
    search.population[0].age = 4
    twin = restored(search)
    assert twin.population[3] is twin.population[2]
    assert twin.population[0].age == 4
    assert type(twin.population[0]) is type(search.population[0])
    crowding = [i.fitness.crowding_dist for i in search.population]
    assert np.isinf(crowding).any()
    assert [i.fitness.crowding_dist for i in twin.population] == crowding
    assert [i.fitness.values for i in twin.population] == [i.fitness.values for i in search.population]


def test_ties_in_the_hall_of_fame_keep_their_order():
    search = make(hall_of_fame=hall())
    search.start()
    for individual in search.population:
        individual.fitness.values = (1.0, 1.0)
    search.hall_of_fame.clear()
    search.hall_of_fame.update(search.population)
    twin = restored(search)
    np.testing.assert_array_equal(np.stack(twin.hall_of_fame.items), np.stack(search.hall_of_fame.items))


def test_list_individuals(tmp_path):
    class Bits(list):
        def __init__(self, bits):
            super().__init__(int(bit) for bit in bits)
            self.fitness = deap_toolbox().individual([0]).fitness

    def step(population, toolbox, rng):
        children = [toolbox.individual(rng.permutation(parent)) for parent in population]
        toolbox.evaluate_population(children)
        return children

    def search(seed):
        toolbox = deap_toolbox()
        toolbox.register("individual", Bits)
        return make(seed=seed, toolbox=toolbox, step=step)

    checkpoint = Checkpoint(tmp_path / "c")
    whole, resumed = search(1), search(99)
    drive(whole, n_gen=N_GEN)
    drive(search(1), n_gen=STOP, checkpoint=checkpoint)
    drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
    assert [list(i) for i in whole.population] == [list(i) for i in resumed.population]
    assert all(type(i) is Bits for i in resumed.population)


class CoolingStep:
    """A step whose course depends on state of its own."""

    def __init__(self):
        self.threshold = 0.9

    def __call__(self, population, toolbox, rng):
        self.threshold *= 0.8
        return population if rng.random() < self.threshold else deap_step(population, toolbox, rng)

    def checkpoint_state(self):
        return {"threshold": np.array(self.threshold)}, {}

    def restore_checkpoint_state(self, arrays, meta):
        self.threshold = float(arrays["threshold"])


def test_steps_with_state_of_their_own(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    whole, resumed = make(step=CoolingStep()), make(step=CoolingStep())
    drive(whole, n_gen=N_GEN)
    drive(make(step=CoolingStep()), n_gen=STOP, checkpoint=checkpoint)
    drive(resumed, n_gen=N_GEN, checkpoint=checkpoint)
    assert whole.step.threshold == resumed.step.threshold
    np.testing.assert_array_equal(genes(whole), genes(resumed))


def test_step_that_ends_the_search():
    search = make(step=lambda *_: None)
    with pytest.warns(ExhaustedSearchWarning, match="after generation 0 of 5"):
        drive(search, n_gen=5)
    assert len(search.population) == 12


def test_bad_arguments():
    toolbox = deap_toolbox()
    with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator, got 1"):
        DeapSearch(toolbox, deap_step, rng=1, pop_size=4)
    with pytest.raises(ValueError, match="pop_size must be an integer of at least 1, got 0"):
        make(pop_size=0)
    with pytest.raises(TypeError, match="pop_size must be an integer of at least 1"):
        make(pop_size=2.5)
    del toolbox.evaluate_population
    with pytest.raises(ValueError, match="toolbox has no 'evaluate_population'"):
        make(toolbox=toolbox)


def test_checkpoint_needs_individual(tmp_path):
    toolbox = deap_toolbox()
    search = make(toolbox=toolbox)
    del toolbox.individual
    with pytest.raises(ValueError, match="toolbox has no 'individual'"):
        drive(search, n_gen=2, checkpoint=Checkpoint(tmp_path / "c"))
    assert search.population == []


def test_attribute_that_cannot_be_saved():
    search = make()
    search.start()
    search.population[0].friend = object()
    with pytest.raises(TypeError, match="friend"):
        search.state()
