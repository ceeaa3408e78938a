"""CHC as a pymoo algorithm."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from pymoo.core.callback import Callback
from pymoo.core.problem import Problem
from pymoo.core.repair import Repair
from pymoo.operators.crossover.hux import HUX
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.crossover.ux import UX
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.optimize import minimize
from search_toys import IntegerToy

from moo_clustering.algorithms import CHC, PymooSearch, drive, evolve
from moo_clustering.persistence import Checkpoint

N_VAR = 24


class OneMax(Problem):
    def __init__(self, n_var=N_VAR, **options):
        super().__init__(n_var=n_var, n_obj=1, xl=0, xu=1, vtype=bool, **options)
        self.n_rows = 0

    def _evaluate(self, X, out, *args, **kwargs):
        self.n_rows += len(X)
        out["F"] = -X.sum(axis=1, dtype=float)


class AtMostTen(OneMax):
    """No more than ten ones."""

    def __init__(self):
        super().__init__(n_ieq_constr=1)

    def _evaluate(self, X, out, *args, **kwargs):
        super()._evaluate(X, out)
        out["G"] = X.sum(axis=1, dtype=float) - 10


class Sphere(Problem):
    def __init__(self):
        super().__init__(n_var=3, n_obj=1, xl=-5.0, xu=5.0)

    def _evaluate(self, X, out, *args, **kwargs):
        out["F"] = (X**2).sum(axis=1)


class Flat(OneMax):
    def _evaluate(self, X, out, *args, **kwargs):
        out["F"] = np.zeros(len(X))


def euclidean(A, B):
    return np.linalg.norm(A - B, axis=1)


class Watch(Callback):
    def __init__(self):
        super().__init__()
        self.rows = []

    def _update(self, algorithm):
        keys = ("d", "n_restarts", "n_crossed", "n_accepted", "is_restarting")
        row = {key: getattr(algorithm, key) for key in keys}
        F = algorithm.pop.get("F")[:, 0]
        self.rows.append(row | {"best": F.min(), "size": len(F), "n_eval": algorithm.evaluator.n_eval})

    def column(self, name):
        return [row[name] for row in self.rows]


def run(problem, algorithm, n_gen=40, seed=1):
    watch = Watch()
    return minimize(problem, algorithm, ("n_gen", n_gen), seed=seed, callback=watch), watch


def test_onemax_with_pymoos_operators():
    algorithm = CHC(pop_size=40, sampling=BinaryRandomSampling(), crossover=HUX(prob=1.0))
    result, watch = run(OneMax(), algorithm)
    assert result.F[0] == -N_VAR
    assert result.X.all()
    assert result.X.dtype == bool
    assert (np.diff(watch.column("best")) <= 0).all()
    assert watch.column("size") == [40] * 40


def test_seeded_runs_are_equal():
    def genes(seed):
        algorithm = CHC(pop_size=10, mutation=BitflipMutation(prob=0.5), threshold=2, n_keep=3)
        return run(OneMax(), algorithm, n_gen=20, seed=seed)[0].pop.get("X")

    np.testing.assert_array_equal(genes(3), genes(3))
    assert (genes(3) != genes(4)).any()


def test_no_global_generator_is_touched():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    run(OneMax(), CHC(pop_size=10, mutation=BitflipMutation(), threshold=1, n_keep=2), n_gen=20)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("rule", ["no_crossing", "no_acceptance"])
@pytest.mark.parametrize("divergence", [None, 0.35])
def test_restarts_never_lose_the_best(rule, divergence):
    algorithm = CHC(pop_size=9, threshold=6, step=3, n_keep=2, threshold_rule=rule, divergence=divergence)
    _, watch = run(OneMax(), algorithm, n_gen=80)
    assert watch.rows[-1]["n_restarts"] > 1
    assert (np.diff(watch.column("best")) <= 0).all()
    assert set(watch.column("size")) == {9}


def test_threshold_falls_and_restarts_take_a_generation():
    algorithm = CHC(pop_size=10, threshold=2 * N_VAR, step=N_VAR, n_keep=4)  # nothing is ever crossed
    _, watch = run(OneMax(), algorithm, n_gen=7)
    assert watch.column("d") == [48, 24, 0, 48, 24, 0, 48]
    assert watch.column("n_restarts") == [0, 0, 0, 1, 1, 1, 2]
    assert watch.column("n_eval") == [10, 10, 10, 16, 16, 16, 22]
    assert watch.column("n_crossed") == [0] * 7


def test_divergence_copies_the_best():
    problem = OneMax(n_var=400)
    algorithm = CHC(pop_size=30, threshold=400, step=400, n_keep=1, divergence=0.35)
    _, watch = run(problem, algorithm, n_gen=2)
    best = algorithm = None
    search = PymooSearch(
        problem, CHC(pop_size=30, threshold=400, step=400, n_keep=1, divergence=0.35), seed=1
    )
    drive(search, n_gen=2)
    algorithm = search.algorithm
    assert algorithm.d == int(0.35 * 0.65 * 400)
    new = [individual for individual in algorithm.pop if individual.get("n_gen") == 3]
    best = min((i for i in algorithm.pop if i.get("n_gen") == 1), key=lambda i: i.F[0])
    assert len(new) == 29
    changed = np.mean([individual.X != best.X for individual in new])
    assert changed == pytest.approx(0.35 / 2, abs=0.02)  # half of the fresh genes are the same
    assert watch.rows[-1]["is_restarting"]


def test_children_do_not_replace_parents_that_are_as_good():
    algorithm = CHC(pop_size=10, threshold=1, threshold_rule="no_acceptance", step=0.25)
    result, watch = run(Flat(), algorithm, n_gen=4)
    assert watch.column("n_accepted") == [0] * 4
    assert watch.column("d") == [1, 0.75, 0.5, 0.25]
    assert all(individual.get("n_gen") == 1 for individual in result.pop)


def test_constraints_come_first():
    result, _ = run(AtMostTen(), CHC(pop_size=40), n_gen=60)
    assert result.F[0] == -10
    assert result.CV[0] == 0
    cv = result.pop.get("CV")[:, 0]
    assert (np.diff(cv) >= 0).all()


def test_reals_with_a_distance_and_operators_of_their_own():
    algorithm = CHC(
        pop_size=30, crossover=SBX(prob=1.0), mutation=PM(), distance=euclidean, threshold=1.0, step=0.5
    )
    result, watch = run(Sphere(), algorithm, n_gen=120)
    assert result.F[0] < 1e-2
    assert watch.rows[-1]["n_restarts"] >= 1


class EvenSum(Repair):
    def _do(self, problem, X, **kwargs):
        X = X.copy()
        X[:, 0] ^= X.sum(axis=1) % 2 == 1
        return X


def test_repair_and_duplicates():
    algorithm = CHC(pop_size=10, repair=EvenSum(), threshold=1, n_keep=2, mutation=BitflipMutation())
    result, _ = run(OneMax(n_var=9), algorithm, n_gen=30)
    X = result.pop.get("X")
    assert (X.sum(axis=1) % 2 == 0).all()
    assert len(np.unique(X, axis=0)) == len(X)
    assert result.F[0] == -8


def test_children_that_are_known_are_not_evaluated():
    problem = OneMax(n_var=3)
    run(problem, CHC(pop_size=4, threshold=1, crossover=UX(prob=1.0), n_keep=3), n_gen=100)
    with_duplicates = OneMax(n_var=3)
    run(
        with_duplicates,
        CHC(pop_size=4, threshold=1, crossover=UX(prob=1.0), n_keep=3, eliminate_duplicates=False),
        n_gen=100,
    )
    assert problem.n_rows < with_duplicates.n_rows


def test_an_array_as_sampling_is_taken_once():
    X = np.zeros((8, N_VAR), dtype=bool)
    X[:, :8] = np.eye(8)
    algorithm = CHC(pop_size=8, sampling=X, threshold=N_VAR, step=N_VAR, n_keep=2)
    result, _ = run(OneMax(), algorithm, n_gen=3)
    assert len(result.pop) == 8
    assert result.F[0] < -5  # some of the six that were made anew


def test_integers_by_default_from_the_bounds():
    class Sum(IntegerToy):
        def __init__(self):
            super().__init__()
            self.n_obj = 1

        def _evaluate(self, X, out, *args, **kwargs):
            out["F"] = X.sum(axis=1)

    result = evolve(Sum(), CHC(pop_size=60), n_gen=60, seed=1)
    assert result.X.dtype.kind == "i"
    assert result.F[0] <= 6


def test_terminations_by_evaluations():
    problem = OneMax()
    result = minimize(problem, CHC(pop_size=20), ("n_eval", 100), seed=1)
    assert problem.n_rows == result.algorithm.evaluator.n_eval >= 100


def test_ask_and_tell():
    problem = OneMax()
    algorithm = CHC(pop_size=20, threshold=3)
    algorithm.setup(problem, termination=("n_gen", 20), seed=1)
    while algorithm.has_next():
        infills = algorithm.ask()
        algorithm.evaluator.eval(problem, infills)
        algorithm.tell(infills=infills)
    expected, _ = run(problem, CHC(pop_size=20, threshold=3), n_gen=20)
    np.testing.assert_array_equal(algorithm.result().pop.get("X"), expected.pop.get("X"))


@pytest.mark.parametrize("stop", [3, 8, 9, 10, 11])
def test_resume_is_the_uninterrupted_run(stop, tmp_path):
    def search(seed):
        algorithm = CHC(
            pop_size=10,
            mutation=BitflipMutation(prob=0.5),
            threshold=8,
            threshold_rule="no_acceptance",
            step=4,
            n_keep=3,
            divergence=0.3,
        )
        return PymooSearch(OneMax(), algorithm, seed=seed)

    checkpoint = Checkpoint(tmp_path / "c", every=100)
    whole, resumed = search(3), search(99)
    drive(whole, n_gen=40)
    drive(search(3), n_gen=stop, checkpoint=checkpoint)
    drive(resumed, n_gen=40, checkpoint=checkpoint)
    assert whole.algorithm.n_restarts > 1
    for key in ("d", "n_restarts", "n_crossed", "n_accepted", "is_restarting"):
        assert getattr(whole.algorithm, key) == getattr(resumed.algorithm, key)
    for key in ("X", "F", "n_gen"):
        np.testing.assert_array_equal(whole.algorithm.pop.get(key), resumed.algorithm.pop.get(key))
    assert whole.algorithm.evaluator.n_eval == resumed.algorithm.evaluator.n_eval


def test_pickle_and_copies_in_the_middle_of_a_run():
    algorithm = CHC(pop_size=10, threshold=2, n_keep=3)
    algorithm.setup(OneMax(), termination=("n_gen", 30), seed=1)
    for _ in range(5):
        algorithm.next()
    twins = [pickle.loads(pickle.dumps(algorithm)), copy.deepcopy(algorithm)]
    algorithm.run()
    for twin in twins:
        np.testing.assert_array_equal(twin.run().pop.get("X"), algorithm.pop.get("X"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"pop_size": 1}, ValueError, "pop_size must be an integer of at least 2, got 1"),
        ({"n_keep": 0}, ValueError, "n_keep must be an integer of at least 1"),
        ({"threshold": -1}, ValueError, "threshold must be a positive finite number"),
        ({"threshold_rule": "x"}, ValueError, "threshold_rule must be one of"),
        ({"divergence": 2}, ValueError, "divergence must be a number from 0 to 1, got 2"),
        ({"distance": "hamming"}, TypeError, "distance must be a function or None, got 'hamming'"),
        ({"mutatoin": None}, TypeError, "CHC does not support mutatoin"),
        ({"eliminate_duplicates": 3}, TypeError, "eliminate_duplicates must be"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        CHC(**options)


def test_bad_problems_and_crossovers():
    from pymoo.operators.crossover.dex import DEX

    with pytest.raises(ValueError, match="CHC requires one objective, but IntegerToy has 2"):
        CHC().setup(IntegerToy())
    with pytest.raises(ValueError, match="crossover must have 2 parents, got 3"):
        CHC(crossover=DEX())
