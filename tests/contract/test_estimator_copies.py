"""Copies of fits: what they say, what they cost, and what they share."""

import copy
import pickle

import pytest
from sklearn.exceptions import NotFittedError

from contract.copies import pickled, repeated, saved
from contract.estimators import ESTIMATORS, bags, find, quicker
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


SAVED_FRONTS = {
    name: case
    for name, case in ESTIMATORS.items()
    if hasattr(find(case.of), "choose") and case.data is not bags
}


@pytest.mark.parametrize("case", SAVED_FRONTS.values(), ids=SAVED_FRONTS)
def test_saved_models_choose_or_say_what_they_lack(case):
    model, rules = saved(fitted(case)), dict.fromkeys((*case.rules[:1], *case.rules[-1:]))
    kept = model.labels_.copy()
    for rule in rules:
        if case.of in ("MOCK", "NSGA2SISC"):
            with pytest.raises(NotFittedError, match=f"{case.of} has no result_: its fit created none"):
                model.choose(rule)
            assert_same(model.labels_, kept, where=rule)
            continue
        result = model.clustering_result()
        assert result.front.objectives == fitted(case).clustering_result().front.objectives
        assert_same(model.choose(rule).labels_, chosen(case, rule), where=rule)
        assert_same(result.select(rule).labels, chosen(case, rule), where=rule)


@pytest.mark.parametrize("of", ["NSGA2Clus", "PESC", "MemeticKMeans"])
def test_models_of_searches_with_deap_can_be_loaded(of):
    case = quicker(next(case for case in ESTIMATORS.values() if case.of == of))
    model = find(of)(**case.options | {"engine": "deap"}).fit(case.data(0))
    assert_same(answers(saved(model), case.data(0)), answers(model, case.data(0)), where="answers")


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
