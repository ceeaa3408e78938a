"""pymoo algorithms as searches: same course as pymoo's own loop, no copies of the problem."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.algorithms.soo.nonconvex.cmaes import CMAES
from pymoo.algorithms.soo.nonconvex.pso_ep import EPPSO
from pymoo.core.callback import Callback
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions
from search_toys import IntegerToy, RealToy, Reset, integer_nsga2

from moo_clustering.algorithms import ExhaustedSearchWarning, PymooSearch, drive, evolve
from moo_clustering.graphs import locus_graph
from moo_clustering.operators import (
    MSTInterestingnessSampling,
    NeighborBiasedMutation,
    RandomSurvival,
    batched_tournament,
)
from moo_clustering.persistence import Checkpoint, CheckpointMismatchError
from moo_clustering.problems import MOCKProblem


def test_same_course_as_minimize():
    problem = IntegerToy()
    expected = minimize(problem, integer_nsga2(), ("n_gen", 8), seed=5)
    found = evolve(problem, integer_nsga2(), n_gen=7, seed=5)
    np.testing.assert_array_equal(found.pop.get("X"), expected.pop.get("X"))
    np.testing.assert_array_equal(found.F, expected.F)
    assert found.algorithm.evaluator.n_eval == expected.algorithm.evaluator.n_eval
    assert found.problem is problem
    assert found.exec_time > 0
    assert found.X.dtype == np.int16


@pytest.mark.parametrize(
    ("algorithm", "difference"),
    [
        (lambda: integer_nsga2(pop_size=6), "parameter pop_size is 8 in the checkpoint but 6 here"),
        (lambda: integer_nsga2(8, n_offsprings=2), "parameter n_offsprings is 8 in .* but 2 here"),
        (lambda: integer_nsga2(survival=RandomSurvival()), "parameter survival is .* but .RandomSurvival. "),
        (lambda: SPEA2(pop_size=8), "method is 'NSGA2' in the checkpoint but 'SPEA2' here"),
    ],
)
def test_a_file_is_resumed_only_with_the_same_algorithm_and_operators(algorithm, difference, tmp_path):
    run = partial(evolve, IntegerToy(), seed=1, checkpoint=tmp_path / "c.npz")
    run(integer_nsga2(pop_size=8), n_gen=1)
    with pytest.raises(CheckpointMismatchError, match=difference):
        run(algorithm(), n_gen=1)
    found = run(integer_nsga2(pop_size=8), n_gen=2)
    np.testing.assert_array_equal(found.F, evolve(IntegerToy(), integer_nsga2(pop_size=8), n_gen=2, seed=1).F)


@pytest.mark.parametrize("options", [{}, {"n_offsprings": 7}, {"pop_size": 9}], ids=["even", "few", "odd"])
def test_generations_on_arrays_equal_those_of_individuals(options, monkeypatch):
    X = np.random.default_rng(3).normal(size=(40, 2))
    problem = MOCKProblem(graph=locus_graph(X, rng=np.random.default_rng(0)), encoding="short")
    operators = {
        "sampling": MSTInterestingnessSampling(),
        "selection": TournamentSelection(func_comp=batched_tournament),
        "crossover": UniformCrossover(prob=0.8),
        "mutation": NeighborBiasedMutation(),
    }
    given = {"pop_size": 12, "output": None, "eliminate_duplicates": False} | operators | options
    fast, slow, resumed = (PymooSearch(problem, NSGA2(**given), seed=4) for _ in range(3))
    assert slow.algorithm.pop is None  # reading the algorithm requires pymoo's individuals
    infills, infill = [], NSGA2.infill
    monkeypatch.setattr(NSGA2, "infill", lambda algorithm: infills.append(algorithm) or infill(algorithm))
    for search in (fast, slow):
        search.start()
        for generation in range(9):
            search.advance()
            if search is fast and generation == 5:
                resumed.restore(*fast.state())
    for _ in range(3):
        resumed.advance()
    np.testing.assert_array_equal(fast.objectives(), slow.objectives())
    expected = slow.algorithm
    # The first two outputs of a search are checked, and the others do not use individuals.
    assert [infills.count(search.algorithm) for search in (fast, resumed, slow)] == [2, 2, 10]
    for search in (fast, resumed):
        found = search.algorithm
        for name in ("X", "F", "G", "H", "CV", "rank", "crowding", "n_gen", "n_iter", "evaluated"):
            np.testing.assert_array_equal(found.pop.get(name), expected.pop.get(name), err_msg=name)
        for name in ("opt", "off"):
            np.testing.assert_array_equal(getattr(found, name).get("X"), getattr(expected, name).get("X"))
        young = {individual for individual in found.pop if individual.data["n_gen"] == 10}
        assert young == set(found.off) & set(found.pop)
        assert set(found.opt) <= set(found.pop)
        assert found.random_state.bit_generator.state == expected.random_state.bit_generator.state
        assert (search.generation, found.n_iter) == (9, expected.n_iter)
        assert found.evaluator.n_eval == expected.evaluator.n_eval
        search.advance()
        assert found.pop is search.algorithm.pop


def test_initial_population_only():
    search = PymooSearch(IntegerToy(), integer_nsga2(), seed=5)
    assert search.generation == 0
    drive(search, n_gen=0)
    assert search.generation == 0
    assert search.objectives().shape == (12, 2)
    assert search.algorithm.evaluator.n_eval == 12


def test_generation_counts_one_per_advance():
    search = PymooSearch(IntegerToy(), integer_nsga2(), seed=5)
    search.start()
    for expected in (1, 2, 3):
        search.advance()
        assert search.generation == expected


def test_algorithms_that_evaluate_one_by_one_advance_by_whole_generations():
    ref_dirs = get_reference_directions("das-dennis", 2, n_partitions=9)
    search = PymooSearch(RealToy(), MOEAD(ref_dirs=ref_dirs, n_neighbors=4), seed=1)
    drive(search, n_gen=3)
    assert search.generation == 3
    assert search.algorithm.evaluator.n_eval == 10 * (1 + 3)


def test_neither_problem_nor_what_it_holds_is_copied():
    data = np.arange(5.0)
    problem = IntegerToy(data=data)
    mutation = Reset()
    mutation.problem, mutation.table, mutation.own = problem, data, [1]
    algorithm = integer_nsga2()
    algorithm.mating.mutation = mutation
    search = PymooSearch(problem, algorithm, seed=0)  # IntegerToy.__deepcopy__ raises
    run = search.algorithm.mating.mutation
    assert run is not mutation
    assert run.problem is problem
    assert run.table is data
    assert run.own is not mutation.own


def test_the_algorithm_given_stays_fresh_and_its_callback_is_called():
    calls = []

    class Count(Callback):
        def _update(self, algorithm):
            calls.append(algorithm.n_gen)

    algorithm = integer_nsga2(callback=Count())
    evolve(IntegerToy(), algorithm, n_gen=2, seed=0)
    assert calls == [1, 2, 3]
    assert algorithm.problem is None
    assert algorithm.pop is None


def test_runs_do_not_leak_into_each_other_through_shared_default_objects():
    # SPEA2's default survival is one object for all instances and keeps normalisation points
    first = evolve(RealToy(), SPEA2(pop_size=10), n_gen=3, seed=1)
    second = evolve(RealToy(), SPEA2(pop_size=10), n_gen=3, seed=1)
    np.testing.assert_array_equal(first.F, second.F)


def test_seeds():
    def front(seed, algorithm=None):
        return evolve(IntegerToy(), algorithm or integer_nsga2(), n_gen=3, seed=seed).pop.get("X")

    sequence = np.random.SeedSequence(3)
    np.testing.assert_array_equal(front(sequence), front(np.random.SeedSequence(3)))
    np.testing.assert_array_equal(front(np.random.default_rng(3)), front(3))
    np.testing.assert_array_equal(front(None, integer_nsga2(seed=3)), front(3))
    assert not np.array_equal(front(4), front(3))


def test_dry_mating_ends_the_search():
    problem = IntegerToy(n_var=1, upper=3)  # four different genotypes
    search = PymooSearch(problem, integer_nsga2(pop_size=4), seed=1)
    with pytest.warns(ExhaustedSearchWarning, match="of 50"):
        drive(search, n_gen=50)
    assert search.exhausted
    assert search.generation < 50
    assert len(search.algorithm.pop) == 4
    assert search.result().X is not None


def test_resuming_a_search_that_ran_dry(tmp_path):
    problem, checkpoint = IntegerToy(n_var=1, upper=3), Checkpoint(tmp_path / "c", every=1)
    searches = [PymooSearch(problem, integer_nsga2(pop_size=4), seed=1) for _ in range(2)]
    for search in searches:
        with pytest.warns(ExhaustedSearchWarning):
            drive(search, n_gen=50, checkpoint=checkpoint)
    np.testing.assert_array_equal(searches[0].result().pop.get("X"), searches[1].result().pop.get("X"))


def test_bad_algorithms():
    with pytest.raises(TypeError, match="algorithm must be a pymoo Algorithm, got 'nsga2'"):
        PymooSearch(IntegerToy(), "nsga2")
    used = integer_nsga2().setup(IntegerToy())
    with pytest.raises(ValueError, match="pass a new algorithm"):
        PymooSearch(IntegerToy(), used)


@pytest.mark.parametrize("make", [EPPSO, CMAES, lambda: integer_nsga2(save_history=True)])
def test_what_cannot_go_on_is_refused_before_any_work(make, tmp_path):
    search = PymooSearch(RealToy(), make(), seed=1)
    with pytest.raises(ValueError, match="cannot be checkpointed"):
        drive(search, n_gen=2, checkpoint=Checkpoint(tmp_path / "c"))
    assert search.algorithm.evaluator.n_eval == 0
    assert not list(tmp_path.iterdir())


def test_names_of_objectives_come_from_the_problem(capsys):
    problem = IntegerToy()
    problem.objective_names = ["near two", "near seven"]
    evolve(problem, integer_nsga2(), n_gen=2, seed=1, verbose=True)
    err = capsys.readouterr().err
    assert "NSGA2: 100%" in err
    assert "near two=" in err
    assert "near seven=" in err
