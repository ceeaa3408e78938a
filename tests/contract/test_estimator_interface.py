"""What scikit-learn's tools take for granted of every estimator."""

import copy
import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

import moo_clustering
from contract.estimators import ESTIMATORS, bags
from contract.fits import answers, fitted
from contract.rooms import listed_names, public_classes
from contract.same import assert_same
from moo_clustering.bags import Bags

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
every_estimator = pytest.mark.parametrize("case", ESTIMATORS.values(), ids=ESTIMATORS.keys())
of_matrices = pytest.mark.parametrize(
    "case", [pytest.param(case, id=name) for name, case in ESTIMATORS.items() if case.data is not bags]
)


def test_every_public_estimator_is_listed():
    assert listed_names(ESTIMATORS) == set(public_classes(BaseEstimator))


@every_estimator
def test_the_constructor_keeps_what_it_is_given(case):
    given = {name: object() for name in inspect.signature(type(case.make())).parameters}
    model = type(case.make())(**given)
    assert vars(model).keys() == given.keys()
    assert all(getattr(model, name) is value for name, value in given.items())


@pytest.mark.parametrize(
    "case", [case for case in ESTIMATORS.values() if "checkpoint" in case.make().get_params()]
)
def test_a_folder_as_checkpoint_is_refused_at_the_start(case, tmp_path, monkeypatch):
    monkeypatch.setattr("moo_clustering.persistence.write_archive", lambda *_: pytest.fail("too late"))
    with pytest.raises(ValueError, match=r"must be a file, got folder .*checkpoint\.npz|require search"):
        case.make().set_params(checkpoint=tmp_path).fit(*case.arguments(0), **case.more)


@every_estimator
def test_parameters_and_clones(case):
    model = case.make()
    given = model.get_params()
    twin = clone(model)
    assert_same(twin.get_params(), given, where="clone")
    assert twin.set_params(**model.get_params(deep=False)) is twin
    with pytest.raises(ValueError, match="Invalid parameter 'no_such_thing'"):
        model.set_params(no_such_thing=1)
    blank = clone(fitted(case))
    assert vars(blank).keys() == model.get_params(deep=False).keys()


def refusal(case, name, value):
    """What is said of a value that is not allowed; None if it is."""
    try:
        case.make().set_params(**{name: value})._validate_params()
    except ValueError as error:
        return str(error)
    return None


@every_estimator
def test_refused_options_are_quoted_on_a_line(case):
    names = list(getattr(type(case.make()), "_parameter_constraints", {}))
    said = [refusal(case, name, "y" * 20_000) for name in names]
    said += [refusal(case, name, np.zeros((300, 3))) for name in names[:3]]
    said = [text for text in said if text is not None]
    assert said or not names
    assert all(len(text.splitlines()) == 1 and len(text) < 1_000 for text in said)
    if "metric" in case.make().get_params():
        assert "'metric' parameter" in refusal(case, "metric", "y" * 20_000)


@of_matrices
def test_cross_validation_splits_rows_and_columns_of_distances(case):
    model = case.make()
    assert not model.__sklearn_tags__().input_tags.pairwise
    if "metric" in model.get_params():
        model.set_params(metric="precomputed")
        try:
            model._validate_params()
        except ValueError:  # no metric of this class
            return
        assert model.__sklearn_tags__().input_tags.pairwise


@every_estimator
def test_members_of_a_front_need_a_fit(case):
    model = case.make()
    for name in ("pareto_labels_", "alternative_labels_", "rules_"):
        if hasattr(type(model), name):
            with pytest.raises(NotFittedError):
                getattr(model, name)


@every_estimator
def test_repr_is_the_call_that_makes_it(case):
    model = case.make()
    names = vars(moo_clustering) | {type(model).__name__: type(model)}
    names |= {name: getattr(moo_clustering, name) for name in moo_clustering.estimators.__all__}
    assert repr(eval(repr(model), names)) == repr(model)


@every_estimator
def test_fit_leaves_parameters_and_writes_names_with_an_underscore(case):
    model = case.make()
    before, kept = model.get_params(deep=False), copy.deepcopy(model.get_params())
    assert model.fit(*case.arguments(), **case.more) is model
    assert all(getattr(model, name) is value for name, value in before.items())
    assert_same(model.get_params(), kept, where="parameters")
    made = vars(model).keys() - before.keys()
    assert {name for name in made if not name.startswith("_") and not name.endswith("_")} == set()
    assert made


@every_estimator
def test_what_needs_a_fit_says_so(case):
    model, X = case.make(), case.data(0)
    for method in ("predict", "predict_proba", "transform", "decision_function"):
        if hasattr(model, method):
            with pytest.raises(NotFittedError):
                getattr(model, method)(X)


@of_matrices
def test_numbers_and_names_of_features(case):
    X, *y = case.arguments()
    names = [f"feature {j}" for j in range(X.shape[1])]
    model = case.make().fit(pd.DataFrame(X, columns=names), *y, **case.more)
    assert model.n_features_in_ == X.shape[1]
    assert model.feature_names_in_.tolist() == names
    assert not hasattr(fitted(case), "feature_names_in_")
    assert_same(answers(model, pd.DataFrame(X, columns=names)), answers(fitted(case), X), rtol=1e-9)


@every_estimator
def test_names_of_features_that_come_out(case):
    model = fitted(case)
    if not hasattr(model, "get_feature_names_out"):
        pytest.skip("makes no features")
    made = model.transform(case.data(0))
    names = model.get_feature_names_out()
    assert isinstance(names, np.ndarray)
    assert len(names) == len(set(names)) == (made.n_features if isinstance(made, Bags) else made.shape[1])
    assert all(isinstance(name, str) for name in names)


@every_estimator
def test_shortcuts_are_fit_and_then_the_rest(case):
    model, X = fitted(case), case.data(0)
    if hasattr(model, "labels_") and hasattr(model, "fit_predict"):
        assert model.labels_.shape == (24,)
        labels = case.make().fit_predict(*case.arguments(), **case.more)
        assert_same(labels, model.labels_, where="fit_predict")
    if hasattr(model, "fit_transform"):
        made = case.make().fit_transform(*case.arguments(), **case.more)
        assert_same(made, model.transform(X), rtol=1e-10, where="fit_transform")
