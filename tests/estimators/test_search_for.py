"""``search_for`` of every method that searches: the search of its fit, handed out before it runs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.base import clone

from moo_clustering import (
    CHCMIC,
    MIGCUK,
    MIGKA,
    MOCK,
    NSGA2SISC,
    PESC,
    SRMOSC,
    AMOSAClus,
    FuzzyModesMOGA,
    NSGA2Clus,
    ParetoBagClustering,
    ParetoClustering,
)
from moo_clustering.algorithms import DeapSearch, PymooSearch, drive

rng = np.random.default_rng(0)
X = np.abs(np.concatenate([rng.normal(c, 0.3, (15, 3)) for c in (1, 3, 6)]))
BAGS = [rng.normal(3 * (i % 2), 1, (4, 2)) for i in range(12)]
SIZES = {"pop_size": 8, "n_gen": 3, "random_state": 0}
SEARCHES = [
    (MOCK(3, **SIZES), X, PymooSearch),
    (MOCK(3, search="pesa2", **SIZES), X, PymooSearch),
    (NSGA2Clus(search="evolve", **SIZES), X, PymooSearch),
    (NSGA2Clus(search="evolve", engine="deap", **SIZES), X, DeapSearch),
    (AMOSAClus(annealing={"t_max": 1, "t_min": 0.1, "n_moves": 5}, random_state=0), X, PymooSearch),
    (PESC(3, **SIZES), X, PymooSearch),
    (SRMOSC(3, search="nsga2", **SIZES), X, PymooSearch),
    (FuzzyModesMOGA(3, **SIZES), X, PymooSearch),
    (NSGA2SISC(3, **SIZES), X, PymooSearch),
    (ParetoClustering(3, **SIZES), X, PymooSearch),
    (ParetoBagClustering(2, **SIZES), BAGS, PymooSearch),
    (CHCMIC(2, **SIZES), BAGS, DeapSearch),
    (MIGKA(2, **SIZES), BAGS, DeapSearch),
    (MIGCUK(2, **SIZES), BAGS, DeapSearch),
]


def name_of(case):
    return f"{type(case).__name__}-{getattr(case, 'engine', '')}" if hasattr(case, "fit") else ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "data", "kind"), SEARCHES, ids=name_of)
def test_driving_the_search_repeats_the_search_of_the_fit(model, data, kind):
    params = model.get_params()
    search = model.search_for(data)
    assert isinstance(search, kind)
    assert model.get_params() == params
    assert not hasattr(model, "labels_")
    fitted = clone(model).fit(data)
    F = fitted.history_.F
    drive(search, n_gen=len(F) - 1)
    assert_array_equal(search.objectives(), F[-1])


def test_another_algorithm_runs_on_its_problem_with_its_operators():
    problem = MOCK(3, **SIZES).search_for(X).problem
    result = minimize(problem, NSGA2(pop_size=8, **problem.operators()), ("n_gen", 4), seed=1)
    assert problem.decode(result.X).shape == (len(result.X), len(X))


def test_labels_and_pairs_are_those_of_the_search():
    search = NSGA2Clus(search="evolve", **SIZES).search_for(X, must_link=[(0, 1)], cannot_link=[(0, 30)])
    assert search.problem.n_obj == 3
    y = np.full(len(X), -1)
    y[[0, 20, 40]] = [0, 1, 2]
    assert MOCK(3, supervision="objective", **SIZES).search_for(X, y).problem.n_obj == 3


def test_nothing_is_written(tmp_path):
    path = tmp_path / "run.npz"
    MOCK(3, checkpoint=path, resume=True, **SIZES).search_for(X)
    assert not path.exists()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NSGA2Clus(pop_size=1), "pop_size"),
        (NSGA2Clus(search="exhaustive"), "NSGA2Clus does not run a search .*; set search='evolve'"),
        (SRMOSC(3, search="hull"), "SRMOSC does not run a search .*; set search='nsga2'"),
        (ParetoClustering(3), "ParetoClustering does not run a search .*; set n_gen=20"),
    ],
)
def test_without_a_search_the_error_says_what_to_change(model, message):
    with pytest.raises(ValueError, match=message):
        model.search_for(X[:8])
