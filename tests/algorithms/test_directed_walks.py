"""Directed walks: directions, the archive, any problem, and runs that go on to the same result."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pymoo.core.individual import calc_cv
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.indicators.hv import HV
from pymoo.operators.selection.rnd import RandomSelection
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from pymoo.optimize import minimize
from pymoo.problems import get_problem

from moo_clustering.algorithms import DirectedWalks, PymooSearch, drive
from moo_clustering.algorithms.directed_walks import ArchiveSurvival, _least_crowded, best_in_directions
from moo_clustering.controls import compare
from moo_clustering.encodings import LabelEncoding
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import PartitionProblem

ZDT = get_problem("zdt1", n_var=5)


def test_the_best_in_a_direction():
    F = np.array([[0.0, 1.0], [0.4, 0.4], [1.0, 0.0], [0.0, 0.0]])
    violation = np.array([0.0, 0, 0, 1])
    weights = np.array([[1.0, 0.1], [0.5, 0.5], [0.1, 1.0]])
    assert best_in_directions(F, violation, weights).tolist() == [0, 1, 2]
    assert best_in_directions(F, violation[::-1], weights).tolist() == [3, 3, 3]


def naive_survivors(F, size):
    """Remove the row with the least sum of gaps, one at a time; constant objectives do not count."""
    F = F[:, np.ptp(F, axis=0) > 0] / np.ptp(F, axis=0)[np.ptp(F, axis=0) > 0]
    rows = list(range(len(F)))
    while len(rows) > size:
        crowding = np.zeros(len(rows))
        for values in F[rows].T:
            order = np.argsort(values, kind="stable")
            padded = np.concatenate([[-np.inf], values[order], [np.inf]])
            crowding[order] += padded[2:] - padded[:-2]
        del rows[int(crowding.argmin())]
    return rows


@given(
    F=arrays(float, st.tuples(st.integers(1, 15), st.integers(1, 3)), elements=st.integers(0, 4).map(float)),
    size=st.integers(1, 15),
)
@settings(max_examples=200, deadline=None)
def test_a_full_archive_loses_its_most_crowded_solutions(F, size):
    # Several solutions may share the least or largest value of an objective.
    assert _least_crowded(F, size).tolist() == naive_survivors(F, size)


@given(F=arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(0, 5).map(float)))
@settings(max_examples=50, deadline=None)
def test_the_archive_is_the_set_of_distinct_non_dominated_solutions(F):
    pop = Population.new(X=np.arange(len(F))[:, None], F=F)
    pop.set("CV", np.zeros((len(F), 1)))
    found = ArchiveSurvival(50).do(ZDT, pop).get("F")
    front = {tuple(f) for f in F if not any((g <= f).all() and (g < f).any() for g in F)}
    assert sorted(map(tuple, found)) == sorted(front)
    assert len(ArchiveSurvival(2).do(ZDT, pop)) == min(2, len(front))


def test_smaller_violations_come_first():
    pop = Population.new(X=np.arange(3)[:, None], F=np.array([[0.0, 0], [1, 2], [2, 1]]))
    pop.set("CV", np.array([[1.0], [0.5], [0.5]]))
    assert calc_cv(G=np.array([[0.5]]))[0] == 0.5
    assert ArchiveSurvival(9).do(ZDT, pop).get("X")[:, 0].tolist() == [1, 2]


def test_walks_approach_the_front_of_zdt1():
    result = minimize(ZDT, DirectedWalks(), ("n_gen", 100), seed=1)
    assert HV(np.array([1.1, 1.1]))(result.F) > 0.8
    assert len(RankAndCrowding().do(ZDT, result.pop)) == len(result.opt)


@pytest.mark.parametrize("selection", [None, RandomSelection()])
def test_any_encoding_and_mutation(selection):
    X = np.random.default_rng(0).normal(size=(30, 2)) + 5 * (np.arange(30) % 3)[:, None]
    problem = PartitionProblem(X, LabelEncoding(30, 4, 2), ["deviation", "silhouette"])
    operators = problem.operators(DirectedWalks)
    result = minimize(problem, DirectedWalks(selection=selection, **operators), ("n_gen", 30), seed=0)
    first = minimize(problem, DirectedWalks(selection=selection, **operators), ("n_gen", 1), seed=0)
    assert result.F[:, 0].min() < first.F[:, 0].min()


def test_the_archive_never_changes_with_its_copies():
    class Spoil(Mutation):
        def _do(self, problem, X, *args, **kwargs):
            X[:] = 0.5
            return X

    search = PymooSearch(ZDT, DirectedWalks(mutation=Spoil(), eliminate_duplicates=False), seed=0)
    for _ in range(4):
        search.advance()
        pop = search.algorithm.pop
        np.testing.assert_allclose(ZDT.evaluate(pop.get("X")), pop.get("F"))


def test_an_interrupted_run_goes_on_to_the_same_result(tmp_path):
    def run(n_gen, checkpoint=None):
        search = PymooSearch(ZDT, DirectedWalks(archive_size=15), seed=3)
        drive(search, n_gen=n_gen, checkpoint=checkpoint)
        return search.result()

    whole = run(20)
    path = tmp_path / "run.npz"
    run(7, Checkpoint(path, every=1))
    resumed = run(20, Checkpoint(path, every=1, resume=True))
    np.testing.assert_array_equal(whole.F, resumed.F)
    np.testing.assert_array_equal(whole.X, resumed.X)


def test_controls():
    found = compare(ZDT, DirectedWalks(), n_evals=200, seeds=2)
    assert {"drift", "random", "climbs"} <= set(found.runs["method"])


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="DirectedWalks does not support crossover"):
        DirectedWalks(crossover=None)
    with pytest.raises(TypeError, match="mutation must be a pymoo Mutation, got 3"):
        DirectedWalks(mutation=3)
