"""Every estimator names its clusters, explains them by rules and returns a table of its samples."""

import copy
import html
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone

from contract.metamorphic import estimators, fitted, samples_of, usual
from moo_clustering import estimators as room

# The usual options of every class that finds clusters.
CLUSTERERS = [
    name
    for name, case in estimators().items()
    if "=" not in name and "evolved" not in name and hasattr(getattr(room, case.of, None), "describe")
]


def test_no_clusterer_is_left_out():
    every = {name for name in room.__all__ if hasattr(getattr(room, name), "describe")}
    assert every == {estimators()[name].of for name in CLUSTERERS}


@pytest.mark.parametrize("name", CLUSTERERS)
def test_names_and_table(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    found = model.describe(X)
    sizes = np.bincount(model.labels_[model.labels_ >= 0])
    assert [each.size for each in found] == sizes.tolist()
    assert len(set(found.names)) == len(sizes)
    assert all(found.names)
    for each in found:
        assert (model.labels_[list(each.typical)] == each.cluster).all()
        strengths = [contrast.strength for contrast in each.contrasts]
        assert strengths == sorted(strengths, reverse=True)
        assert all(0.2 <= strength <= 1.0 for strength in strengths)
    table = model.table(X)
    assert len(table) == len(model.labels_)
    assert (table["cluster"] == model.labels_).all()
    assert table["typical"].sum() == sum(len(each.typical) for each in found)


class Annotated:
    """As AnnData, whose dense or sparse ``X`` may be in a file."""

    def __init__(self, frame, X=None, isbacked=False):
        self.var_names, self.obs_names = frame.columns, frame.index
        self.frame, self.inside, self.isbacked = frame, frame.to_numpy() if X is None else X, isbacked

    @property
    def X(self):
        assert not self.isbacked, "not in memory"
        return self.inside

    def to_memory(self):
        return Annotated(self.frame, self.inside)

    def to_df(self):
        assert not self.isbacked, "not in memory"
        return self.frame


class Polars:
    """As a frame of polars."""

    def __init__(self, frame):
        self.frame, self.columns, self.shape = frame, list(frame), frame.shape

    def to_pandas(self):
        return self.frame

    def __array__(self, dtype=None, copy=None):
        return self.frame.to_numpy(dtype=dtype)

    def __len__(self):
        return len(self.frame)


@pytest.mark.parametrize("name", CLUSTERERS)
def test_tables_of_other_packages(name):
    case, X = estimators()[name], samples_of(estimators()[name])
    if not isinstance(X, np.ndarray):
        return  # bags and data frames of categories
    frame = pd.DataFrame(X, index=[f"row {i}" for i in range(len(X))]).add_prefix("column ")
    expected = usual(name)[0]
    names, rows = expected.describe(frame).names, list(expected.table(frame).index)
    # Clusters of regions are named by numbers, and those of labelled samples by classes.
    assert any("column" in each for each in names) or case.of == "Regions" or "labels" in name
    sparse_form = Annotated(frame, sp.csr_matrix(X))
    for form in (Annotated(frame), Annotated(frame, isbacked=True), sparse_form, Polars(frame)):
        assert expected.describe(form).names == names
        assert list(expected.table(form).index) == rows
        if isinstance(form, Annotated):
            model = fitted(case, form)[0]
            assert (model.labels_ == expected.labels_).all()
            if hasattr(model, "predict"):
                assert np.array_equal(model.predict(form), expected.predict(X))


@pytest.mark.parametrize("name", CLUSTERERS)
def test_rules(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    inside = model.labels_ >= 0
    front = model.explain(X, max_conditions=3)
    names = model.describe(X).names
    for each in front:
        predicted = each.predict(X)
        assert each.fidelity == pytest.approx((predicted == model.labels_)[inside].mean())
        assert sum(rule.n_samples for rule in each.rules) == inside.sum()
        assert all(rule.name == names[rule.cluster] for rule in each.rules)
        assert each.n_conditions <= 3
        assert all(condition in str(each) for rule in each.rules for condition in rule.conditions)
    assert front.to_frame()["fidelity"].is_monotonic_increasing


@pytest.mark.parametrize("name", CLUSTERERS)
def test_new_samples(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    if not hasattr(model, "predict"):
        with pytest.raises(ValueError, match="requires predict"):
            model.drift(X, X)
        return
    table, predicted = model.predict_table(X, X), model.predict(X)
    assert (table["cluster"] == predicted).all()
    assert {"name", "unlike"} <= set(table)
    names = model.describe(X).names
    assert table["name"].tolist() == [names[cluster] if cluster >= 0 else "" for cluster in predicted]
    drift = model.drift(X, X)
    assert drift.n_unlike == table["unlike"].sum() <= (predicted < 0).sum() + 0.1 * len(predicted)
    assert drift.new_rows.tolist() == np.bincount(predicted[predicted >= 0], minlength=len(names)).tolist()
    assert ("support" in table) == (model.clustering_result().pool is not None)


@pytest.mark.parametrize("name", CLUSTERERS)
def test_names_of_the_user(name, tmp_path):
    model, X = usual(name)[0], samples_of(estimators()[name])
    assert model.cluster_names_ == {}
    usual_names = model.describe(X).names
    # A number is appended to a name that the user sets for another cluster.
    last = len(usual_names) - 1
    wanted = {last: f" {usual_names[0]} "} if last else {0: "all"}
    assert model.rename(wanted) is model
    given = model.cluster_names_
    assert given == {k: " ".join(text.split()) for k, text in wanted.items()}
    model.cluster_names_[0] = "a copy"
    assert model.cluster_names_ == given
    names = model.describe(X).names
    assert names[last] == given[last]
    assert len(set(names)) == len(names)
    assert names[1:last] == usual_names[1:last]
    table = model.table(X)
    assert set(table["name"][model.labels_ == last]) <= {given[last]}
    assert {rule.name for each in model.explain(X, max_conditions=2) for rule in each.rules} <= set(names)
    namer = model.describe(X, namer=lambda each: f"group {each.cluster}").names
    assert namer == [given.get(k, f"group {k}") for k in range(len(names))]
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    assert [each.cluster_names_ for each in copies] == [given, given]
    assert clone(model).cluster_names_ == {}
    for bad in ({last + 1: "a"}, {-1: "a"}, {True: "a"}, {"a": "a"}, {0: " "}, {0: 1}, [("a", 0)]):
        with pytest.raises((ValueError, TypeError)):
            model.rename(bad)
    if last:
        with pytest.raises(ValueError, match="unique"):
            model.rename({0: given[last]})
    assert model.cluster_names_ == given
    model.report(tmp_path / "report.html", X)
    assert given[last] in html.unescape((tmp_path / "report.html").read_text())
    assert model.rename({last: None}).cluster_names_ == {}
    assert model.describe(X).names == usual_names


@pytest.mark.parametrize("name", CLUSTERERS)
def test_a_fit_drops_names(name):
    case = estimators()[name]
    model, X = copy.deepcopy(usual(name)[0]), samples_of(case)
    before = model.labels_
    model.rename({0: "first"})
    with pytest.raises((ValueError, TypeError)):
        model.fit(object())
    assert model.cluster_names_ == {0: "first"}
    assert model.labels_ is before
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True):
        warnings.simplefilter("ignore")
        model.fit(*((X,) if case.y is None else (X, case.y)), **case.more)
    # The clusters are the same, but come from another fit.
    assert np.array_equal(model.labels_, before)
    assert model.cluster_names_ == {}
