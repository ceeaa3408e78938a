"""Copies of fits: what they say, what they cost, and what they share."""

import copy
import pickle

import pytest

from contract.copies import pickled, repeated, saved
from contract.estimators import ESTIMATORS, bags
from contract.fits import TIMES, answers, chosen, fitted, public
from contract.same import assert_same
from moo_clustering import ParetoClustering

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
every_estimator = pytest.mark.parametrize("case", ESTIMATORS.values(), ids=ESTIMATORS.keys())


@every_estimator
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
def test_copies_say_the_same(case, copied):
    model, X = fitted(case), case.data(0)
    twin = copied(model)
    assert_same(
        public(twin, case.computed_anew), public(model, case.computed_anew), where="attributes", skip=TIMES
    )
    assert_same(answers(twin, X), answers(model, X), where="answers")
    if copied is pickled:
        for rule in case.rules:
            assert_same(twin.choose(rule).labels_, chosen(case, rule), where=rule)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, case in ESTIMATORS.items() if case.data is not bags])
def test_saved_models_say_the_same(name):
    case = ESTIMATORS[name]
    model, X = fitted(case), case.data(0)
    twin = saved(model)
    assert_same(answers(twin, X), answers(model, X), where="answers")
    if isinstance(twin, ParetoClustering):
        twin._restore()
        for rule in case.rules:
            assert_same(twin.choose(rule).labels_, chosen(case, rule), where=rule)


@every_estimator
def test_copies_are_apart(case):
    model, X = copy.deepcopy(fitted(case)), case.data(0)
    copy.deepcopy(model).fit(*case.arguments(1), **case.more)
    assert_same(answers(model, X), answers(fitted(case), X), where="answers")
    without = case.computed_anew
    assert_same(public(model, without), public(fitted(case), without), where="attributes", skip=TIMES)


@every_estimator
def test_nothing_is_pickled_twice(case):
    sizes = repeated(fitted(case), least=350)
    assert bool(sizes) == bool(case.ships_again), sizes
    assert len(sizes) <= 4


@every_estimator
def test_pickles_do_not_grow_with_what_was_done(case):
    model = pickled(fitted(case))
    size = len(pickle.dumps(model))
    answers(model, case.data(0))
    for rule in case.rules[:1] * 3:
        model.choose(rule)
    assert len(pickle.dumps(pickled(model))) <= 1.5 * size + 2000
