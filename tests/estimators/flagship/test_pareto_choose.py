"""Other partitions and other knowledge after a fit, from the same pool."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, partly, true_pairs

from moo_clustering import InconsistentConstraintsError, ParetoClustering

Y = partly(CLASSES, 3)


@pytest.fixture
def model(plain):
    return copy.deepcopy(plain)


@pytest.fixture
def with_labels(labelled):
    return copy.deepcopy(labelled)


def test_auto_comes_back_to_the_fit(model):
    first = model.labels_.copy()
    assert model.choose("alternative-0") is model
    assert (model.labels_ != first).any()
    assert_array_equal(model.choose("auto").labels_, first)


def test_alternatives(model):
    for i, row in enumerate(model.alternative_labels_):
        assert_array_equal(model.choose(f"alternative-{i}").labels_, row)
        assert model.n_clusters_ == model.alternatives_.n_clusters[i]
        assert_array_equal(model.predict(X), row)


def test_rows_of_the_front(model):
    front, labels = model.pareto_front_, model.pareto_labels_
    assert_array_equal(model.choose(0).labels_, labels[0])
    assert_array_equal(model.choose(-1).labels_, labels[-1])
    assert_array_equal(model.choose(lambda F: int(F[:, 1].argmax())).labels_, labels[front[:, 1].argmax()])
    assert_array_equal(model.choose("modularity").labels_, labels[front[:, 1].argmax()])
    assert_array_equal(model.choose("agreement").labels_, labels[front[:, 0].argmax()])
    assert any((model.choose("knee").labels_ == row).all() for row in labels)


def test_select_and_consensus(model):
    best = model.labels_.copy()
    assert_array_equal(model.choose("select").labels_, best)
    with pytest.raises(ValueError, match=r"requires n_clusters; set it with relabel"):
        model.choose("consensus")
    assert_array_equal(model.labels_, best)
    consensus = ParetoClustering(4, random_state=0).fit(X)
    expected = consensus.labels_.copy()
    chosen = consensus.choose("select")
    rows = chosen.scores_[chosen.scores_.n_clusters == 4]
    assert ari(chosen.labels_, chosen.pool_.labels[rows.score.idxmax()]) == 1
    assert_array_equal(chosen.choose("consensus").labels_, expected)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("alternative-9", "did you mean 'alternative-"),
        ("modularty", "did you mean 'modularity'"),
        ("control", "unknown rule 'control'"),
        (None, "unknown rule None"),
        (1.5, "unknown rule 1.5"),
        (1000, "outside the front"),
        (lambda F: len(F), "outside the front"),
    ],
)
def test_rules_that_are_none(model, rule, message):
    before = model.labels_.copy()
    with pytest.raises(ValueError, match=message):
        model.choose(rule)
    assert_array_equal(model.labels_, before)


def test_classes_of_other_partitions(with_labels):
    fitted = with_labels.predict_proba_.copy()
    with_labels.choose("alternative-0")
    assert not hasattr(with_labels, "predict_proba_")
    with pytest.raises(ValueError, match="predict_proba requires"):
        with_labels.predict_proba(X)
    names = with_labels.transduction_
    for cluster, index in enumerate(with_labels.cluster_classes_index_):
        inside = with_labels.labels_ == cluster
        counts = np.bincount(Y[inside & (Y >= 0)], minlength=3)
        assert index == (counts.argmax() if counts.any() else -1)
        assert set(names[inside]) == {-1 if index < 0 else index}
    with_labels.choose("auto")
    assert_array_equal(with_labels.predict_proba_, fitted)
    assert_array_equal(with_labels.transduction_, fitted.argmax(axis=1))
    assert not hasattr(with_labels, "cluster_classes_index_")


def test_relabel_is_a_fit_from_the_same_pool():
    must, cannot = true_pairs(CLASSES, 40)
    model = ParetoClustering(**QUICK).fit(X)
    for given in (
        {"y": Y},
        {"must_link": must},
        {"must_link": must, "cannot_link": cannot, "n_clusters": 3},
        {"n_clusters": 4},
        {"y": Y, "n_clusters": None},
        {"n_clusters": None},
    ):
        model.relabel(**given)
        options = {k: v for k, v in given.items() if k != "n_clusters"}
        fresh = ParetoClustering(model.n_clusters, **QUICK).fit(X, **options)
        assert_array_equal(model.labels_, fresh.labels_)
        assert hasattr(model, "classes_") == ("y" in given)
        assert model.objective_names_ == fresh.objective_names_
    assert model.n_clusters is None


def test_relabel_leaves_the_pool(model):
    pool = model.pool_
    assert model.relabel(n_clusters=5) is model
    assert model.pool_ is pool
    assert model.n_clusters_ == model.n_clusters == 5
    # The partitions of this pool divide the samples into fewer parts than that.
    with pytest.warns(UserWarning, match="of n_clusters=85 clusters are non-empty: .* at most .*; fit again"):
        assert model.relabel(n_clusters=85).n_clusters_ < 85
    with pytest.raises(ValueError, match=r"n_clusters=\(40, 50\); its partitions .*, and fit again"):
        model.relabel(n_clusters=(40, 50))


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"n_clusters": 91}, ValueError),
        ({"n_clusters": 0}, ValueError),
        ({"n_clusters": "three"}, ValueError),
        ({"y": Y[:-1]}, ValueError),
        ({"n_clusters": 4, "y": Y[:-1]}, ValueError),
        ({"n_clusters": 4, "must_link": [(0, 90)]}, ValueError),
        ({"must_link": [(0, 1)], "cannot_link": [(0, 1)]}, InconsistentConstraintsError),
    ],
)
def test_a_refused_relabel_changes_nothing(with_labels, given, error):
    before = with_labels.labels_.copy()
    with pytest.raises(error):
        with_labels.relabel(**given)
    assert with_labels.n_clusters is None
    assert_array_equal(with_labels.labels_, before)
    assert_array_equal(with_labels.transduction_, before)


def test_an_interrupted_relabel_changes_nothing(with_labels, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(with_labels), "_select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        with_labels.relabel(n_clusters=4)
    assert with_labels.n_clusters is None
