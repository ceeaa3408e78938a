"""PESA-II: the archive, the grid, who becomes a parent, and what is found."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from scipy.stats import chi2
from search_toys import Integers, IntegerToy, RealToy, Reset, Uniform

from moo_clustering._arrays import non_dominated
from moo_clustering.algorithms import PESA2, PymooSearch, drive
from moo_clustering.algorithms.pesa2 import archived, grid_boxes, select_by_boxes
from moo_clustering.operators import MSTInterestingnessSampling, NeighborBiasedMutation
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MOCKProblem

WORKED = np.array([[0, 10], [1, 9.5], [2, 9.2], [10, 0]], dtype=float)


def archive(F, capacity=1000, n_bins=10, violation=None, seed=0):
    F = np.asarray(F, dtype=float)
    violation = np.zeros(len(F)) if violation is None else np.asarray(violation, dtype=float)
    return archived(F, violation, 0, capacity, n_bins, np.random.default_rng(seed))


def dominates(f, c, g, d):
    if c != d:
        return c < d
    return bool((f <= g).all() and (f < g).any())


def assert_an_archive(F, violation=None):
    violation = np.zeros(len(F)) if violation is None else violation
    assert len(np.unique(F, axis=0)) == len(F)
    for i in range(len(F)):
        for j in range(len(F)):
            assert i == j or not dominates(F[i], violation[i], F[j], violation[j])


def test_the_worked_boxes():
    assert grid_boxes(WORKED, 10).tolist() == [[0, 9], [1, 9], [2, 9], [9, 0]]
    assert grid_boxes(WORKED, 4).tolist() == [[0, 3], [0, 3], [0, 3], [3, 0]]
    assert grid_boxes(WORKED[:1], 10).tolist() == [[0, 0]]
    assert grid_boxes(np.array([[1.0, 5.0], [2.0, 5.0]]), 4).tolist() == [[0, 0], [3, 0]]


def test_the_worked_archive():
    left = set()
    for seed in range(60):
        rows = archive([*WORKED, (5, 5)], 4, 4, seed=seed)
        assert len(rows) == 4
        assert {3, 4} <= set(rows)
        left |= {0, 1, 2} - set(rows)
    assert left == {0, 1, 2}
    assert archive([*WORKED, (3, 9.3)], 4, 4) == [0, 1, 2, 3]
    assert archive([*WORKED, (0.5, 9)], 4, 4) == [0, 3, 4]
    assert archive([*WORKED, (1, 9.5)], 4, 4) == [0, 1, 2, 3]
    # A newcomer goes itself if it is in a most crowded box, and not otherwise.
    gone = {frozenset({0, 1, 2, 3, 4} - set(archive([*WORKED, (1.5, 9.3)], 4, 4, seed=s))) for s in range(80)}
    assert gone == {frozenset({i}) for i in (0, 1, 2, 4)}


def test_infinite_objectives_are_in_the_first_and_the_last_boxes():
    F = np.array([[0.0, np.inf], [1.0, 3.0], [2.0, 1.0], [-np.inf, np.inf]])
    with np.errstate(all="raise"):
        boxes = grid_boxes(F, 4)
    assert boxes.tolist() == [[0, 3], [2, 3], [3, 0], [0, 3]]
    assert grid_boxes(np.full((2, 1), np.inf), 4).tolist() == [[3], [3]]


POINTS = st.lists(st.tuples(*[st.integers(0, 6)] * 2, st.integers(0, 1)), min_size=1, max_size=40)


@given(POINTS, st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_an_archive_is_what_no_one_dominates(points, capacity):
    F = np.array([p[:2] for p in points], dtype=float)
    violation = np.array([p[2] for p in points], dtype=float)
    whole = archive(F, 1000, 10, violation)
    expected = {
        tuple(F[i])
        for i in range(len(F))
        if not any(dominates(F[j], violation[j], F[i], violation[i]) for j in range(len(F)))
    }
    assert {tuple(row) for row in F[whole]} == expected
    assert len(whole) == len(expected)
    small = archive(F, capacity, 3, violation)
    assert 1 <= len(small) <= capacity
    assert_an_archive(F[small], violation[small])


def test_parents_are_drawn_by_box_not_by_member():
    rng = np.random.default_rng(0)
    # Boxes of 40, 1, 3 and 1 members.
    x = np.concatenate([np.linspace(0, 0.09, 40), [0.35], np.linspace(0.61, 0.69, 3), [1.0]])
    F = np.column_stack([x, 1 - x])
    drawn = select_by_boxes(F, 40_000, 10, False, rng)
    box = np.repeat([0, 1, 2, 3], [40, 1, 3, 1])
    assert len({tuple(b) for b in grid_boxes(F, 10)}) == 4
    counts = np.bincount(box[drawn], minlength=4)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < chi2.ppf(0.9999, 3)
    members = np.bincount(drawn, minlength=45)
    for b in range(4):
        own, share = members[box == b], counts[b] / (box == b).sum()
        assert ((own - share) ** 2 / share).sum() <= chi2.ppf(0.9999, max((box == b).sum() - 1, 1))


def test_the_emptier_of_two_boxes_wins():
    x = np.concatenate([np.linspace(0, 0.09, 40), [0.35], np.linspace(0.61, 0.69, 3), [1.0]])
    drawn = select_by_boxes(np.column_stack([x, 1 - x]), 40_000, 10, True, np.random.default_rng(0))
    counts = np.bincount(np.repeat([0, 1, 2, 3], [40, 1, 3, 1])[drawn], minlength=4) / 40_000
    # The fullest only against itself; the two with one member share the rest.
    assert counts == pytest.approx([1 / 16, 6 / 16, 3 / 16, 6 / 16], abs=0.012)


@pytest.mark.parametrize("selection", ["boxes", "tournament"])
def test_the_archive_in_a_run(selection):
    seen = []

    class Watched(PESA2):
        def _advance(self, infills=None, **options):
            super()._advance(infills=infills, **options)
            seen.append((len(infills), self.pop.get("F")))

    algorithm = Watched(pop_size=10, archive_size=25, n_init=30, selection=selection)
    result = minimize(get_problem("zdt1", n_var=6), algorithm, ("n_gen", 150), seed=1)
    assert result.algorithm.evaluator.n_eval == 30 + 149 * 10
    assert {n for n, _ in seen} == {10}
    for _, F in seen[::10]:
        assert len(F) <= 25
        assert_an_archive(F)
    assert len(seen[-1][1]) == 25
    assert_array_equal(np.sort(result.F, axis=0), np.sort(result.pop.get("F"), axis=0))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zdt1", "zdt2", "zdt3"])
def test_as_good_as_nsga2_with_as_many_evaluations(name):
    problem = get_problem(name, n_var=10)
    indicator = HV(ref_point=[1.1, 1.1])
    found = minimize(problem, PESA2(n_init=50), ("n_eval", 4000), seed=1)
    other = minimize(problem, NSGA2(pop_size=100), ("n_eval", 4000), seed=1)
    assert indicator(found.F) > 0.95 * indicator(other.F)


def test_constraints_come_first():
    problem = IntegerToy(n_constr=1)
    integers = {"sampling": Integers(), "crossover": Uniform(), "mutation": Reset()}
    result = PymooSearch(problem, PESA2(n_init=20, **integers), seed=3)
    drive(result, n_gen=60)
    found = result.result()
    assert (found.X.sum(axis=1) >= 20).all()
    assert_an_archive(found.F)
    assert len(found.F) >= 5


def test_without_feasible_solutions_the_least_infeasible_is_kept():
    class Impossible(RealToy):
        def __init__(self):
            super().__init__()
            self.n_ieq_constr = 1

        def _evaluate(self, X, out, *args, **kwargs):
            super()._evaluate(X, out)
            out["G"] = 1 + X.sum(axis=1, keepdims=True)

    result = minimize(Impossible(), PESA2(n_init=20), ("n_gen", 40), seed=1)
    assert result.X is None
    violation = result.pop.get("CV")[:, 0]
    assert len(set(violation.tolist())) == 1
    assert violation[0] < 3


def test_integers_keep_their_type_and_bits_are_found():
    result = minimize(
        IntegerToyToCopy(), PESA2(n_init=20, sampling=Integers(), crossover=Uniform(), mutation=Reset()),
        ("n_gen", 80), seed=1,
    )  # fmt: skip
    assert result.pop.get("X").dtype == np.int16
    assert (result.F.sum(axis=1) >= 6 * 12).all()
    assert len(result.F) > 15
    assert (result.F.min(axis=0) < 12).all()

    class TwoCounts(Problem):
        def __init__(self):
            super().__init__(n_var=30, n_obj=2, xl=0, xu=1, vtype=bool)

        def _evaluate(self, X, out, *args, **kwargs):
            out["F"] = np.column_stack([X.sum(axis=1), 30 - X[:, :20].sum(axis=1)]).astype(float)

    bits = {
        "sampling": BinaryRandomSampling(),
        "crossover": UniformCrossover(),
        "mutation": BitflipMutation(),
    }
    found = minimize(TwoCounts(), PESA2(**bits), ("n_gen", 300), seed=1)
    assert found.pop.get("X").dtype == bool
    assert {tuple(f) for f in found.F} <= {(float(k), 30.0 - k) for k in range(21)}
    assert len(found.F) >= 12


class IntegerToyToCopy(IntegerToy):
    def __deepcopy__(self, memo):
        return self


def test_repair_is_applied():
    result = minimize(IntegerToyToCopy(), PESA2(n_init=20, repair=RoundingRepair()), ("n_gen", 30), seed=1)
    assert_array_equal(result.pop.get("X"), np.rint(result.pop.get("X")))


@pytest.mark.parametrize("n_obj", [1, 3])
def test_one_and_three_objectives(n_obj):
    if n_obj == 1:
        result = minimize(get_problem("sphere", n_var=4), PESA2(n_init=20), ("n_gen", 200), seed=1)
        assert len(result.pop) == 1
        assert result.F[0] < 0.02
    else:
        result = minimize(get_problem("dtlz2", n_var=7, n_obj=3), PESA2(n_init=50), ("n_gen", 200), seed=1)
        assert_an_archive(result.F[:60])
        assert np.linalg.norm(result.F, axis=1).mean() < 1.2


@pytest.mark.parametrize("pop_size", [1, 3, 10, 11])
def test_any_number_of_children(pop_size):
    result = minimize(RealToy(), PESA2(pop_size=pop_size), ("n_gen", 20), seed=1)
    assert result.algorithm.evaluator.n_eval == 20 * pop_size


def test_seeds_decide():
    one, two, other = (minimize(RealToy(), PESA2(n_init=20), ("n_gen", 30), seed=s) for s in (1, 1, 2))
    assert_array_equal(one.pop.get("X"), two.pop.get("X"))
    assert one.pop.get("X").tobytes() != other.pop.get("X").tobytes()


def mock_problem(kind):
    X = np.random.default_rng(0).normal(size=(60, 2)) + 6 * (np.arange(60)[:, None] % 2)
    return MOCKProblem(X, encoding=kind, delta=50, random_state=0)


CASES = {
    "reals": (RealToy, lambda: PESA2(n_init=20)),
    "full archive": (RealToy, lambda: PESA2(n_init=20, archive_size=6, selection="tournament")),
    **{
        kind: (
            lambda kind=kind: mock_problem(kind),
            lambda: PESA2(
                n_init=20,
                sampling=MSTInterestingnessSampling("2007"),
                crossover=UniformCrossover(prob=0.7),
                mutation=NeighborBiasedMutation(),
            ),
        )
        for kind in ("locus", "short", "split")
    },
}


@pytest.mark.parametrize("case", CASES)
def test_a_resumed_run_is_the_run_that_was_never_stopped(case, tmp_path):
    make_problem, make = CASES[case]
    problem = make_problem()
    whole = PymooSearch(problem, make(), seed=3)
    drive(whole, n_gen=30)
    checkpoint = Checkpoint(tmp_path / "c.npz", every=100)
    drive(PymooSearch(problem, make(), seed=3), n_gen=13, checkpoint=checkpoint)
    resumed = PymooSearch(problem, make(), seed=99)
    drive(resumed, n_gen=30, checkpoint=checkpoint)
    assert whole.generation == resumed.generation == 30
    for key in ("X", "F"):
        a, b = whole.algorithm.pop.get(key), resumed.algorithm.pop.get(key)
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()
    states = [s.algorithm.random_state.bit_generator.state for s in (whole, resumed)]
    assert states[0] == states[1]
    assert whole.algorithm.evaluator.n_eval == resumed.algorithm.evaluator.n_eval
    assert_array_equal(whole.result().F, resumed.result().F)


def test_copies_and_pickles_of_a_running_algorithm():
    search = PymooSearch(RealToy(), PESA2(n_init=20), seed=1)
    drive(search, n_gen=5)
    copies = [copy.deepcopy(search.algorithm), pickle.loads(pickle.dumps(search.algorithm))]
    for algorithm in (search.algorithm, *copies):
        for _ in range(5):
            algorithm.next()
    for algorithm in copies:
        assert_array_equal(algorithm.pop.get("X"), search.algorithm.pop.get("X"))


@pytest.mark.parametrize("name", ["pop_size", "archive_size", "n_bins", "n_init"])
def test_bad_sizes(name):
    with pytest.raises(ValueError, match=f"{name} must be an integer of at least 1, got 0"):
        PESA2(**{name: 0})
    for wrong in (2.5, True, "many"):
        with pytest.raises(TypeError, match=f"{name} must be an integer"):
            PESA2(**{name: wrong})


def test_bad_selection():
    with pytest.raises(ValueError, match="selection must be"):
        PESA2(selection="grid")


@pytest.mark.parametrize("n_obj", [1, 2, 3])
def test_rows_that_no_other_dominates(n_obj):
    # Few values, so that there are ties in one objective and in all.
    F = np.random.default_rng(0).integers(0, 5, size=(60, n_obj)).astype(float)
    dominated = [(np.all(f >= F, axis=1) & np.any(f > F, axis=1)).any() for f in F]
    rows = non_dominated(F)
    assert sorted(rows) == np.flatnonzero(~np.array(dominated)).tolist()
    assert F[rows].tolist() == sorted(F[rows].tolist())
    assert len(non_dominated(F[:0])) == 0
