"""Outliers labelled as noise, in every partition that an estimator tells."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pareto_cases import QUICK, ari
from test_pareto_outliers import CLASSES, FAR, ROWS

from moo_clustering import ParetoClustering
from moo_clustering.visualization.report import report_content

APART = np.arange(123) >= 120


@pytest.fixture
def model():
    return ParetoClustering(**{**QUICK, "criterion": "auto"}, noise="label").fit(ROWS)


def test_noise_is_in_no_cluster_of_any_partition(model):
    assigned = model.__class__(**{**model.get_params(), "noise": "assign"}).fit(ROWS)
    assert_array_equal(model.labels_ < 0, APART)
    assert_array_equal(model.labels_[:120], assigned.labels_[:120])
    assert (model.n_clusters_, model.confidence_) == (3, assigned.confidence_)
    for labels in (*model.alternative_labels_, *model.pareto_labels_):
        assert_array_equal(labels < 0, APART)
    for rule in model.rules_:
        assert_array_equal(model.choose(rule).labels_ < 0, APART)
        assert model.n_clusters_ == len(set(model.labels_.tolist())) - 1
    assert model.choose("auto").summary().startswith("3 clusters of 40, 40, 40 samples and 3 outliers: ")
    sizes = [list(map(int, row.split(", "))) for row in model.alternatives_["sizes"]]
    assert [sum(row) for row in sizes if len(row) < 8] == [120] * sum(len(row) < 8 for row in sizes)
    # A cluster of outliers alone is one.
    assert model.relabel(n_clusters=123).labels_.tolist() == list(range(123))
    assert_array_equal(model.predict(ROWS), model.labels_)


def test_new_samples_far_away_are_noise(model):
    new = np.concatenate([ROWS, ROWS[:120] + 0.1, FAR * 2, [[1e6] * 4]])
    found = model.predict(new)
    assert_array_equal(found[:123], model.labels_)
    assert_array_equal(found[123:243], model.labels_[:120])
    assert (found[243:] == -1).all()


@pytest.mark.filterwarnings("ignore:no structure")
def test_too_few_samples_have_no_noise():
    model = ParetoClustering(**QUICK, noise="label").fit(ROWS[30:49])
    assert_array_equal(model.predict(np.concatenate([ROWS[30:49], [[1e6] * 4]]))[:19], model.labels_)
    assert model.predict([[1e6] * 4]) >= 0


def test_known_samples_are_no_noise(model):
    y = np.full(123, -1)
    y[[0, 40, 80, 1, 41, 81, 120]] = [0, 1, 2, 0, 1, 2, 1]
    model.relabel(y)
    assert_array_equal(model.labels_ < 0, np.arange(123) > 120)
    assert model.labels_[120] == 1
    assert model.transduction_[[0, 120, 121]].tolist() == [0, 1, -1]
    assert ari(model.labels_[:120], CLASSES) == 1
    model.set_params(novel="allow").relabel(y)
    assert model.transduction_[[0, 121]].tolist() == [0, -1]
    model.set_params(novel="none").relabel(must_link=[[121, 0]])
    assert_array_equal(np.flatnonzero(model.labels_ < 0), [120, 122])
    assert model.labels_[121] == model.labels_[0]


def test_answers_about_outliers_place_them(model):
    session = model.ask()
    session.answer("together", samples=(120, 0))
    model.take(session)
    assert model.labels_[120] == session.labels_[120]
    assert_array_equal(np.flatnonzero(model.labels_ < 0), [121, 122])
    assert (model.choose("fit").labels_ < 0).sum() == 3


def test_evolution_and_its_controls():
    options = {**QUICK, "criterion": "auto", "n_gen": 1, "pop_size": 4, "noise": "label"}
    model = ParetoClustering(**options).fit(ROWS)
    for labels in (model.labels_, model.control_labels_, model.random_control_labels_):
        assert_array_equal(labels < 0, APART)


def test_the_report_shows_noise_in_no_cluster(model):
    content = report_content(model, ROWS)
    assert ((content.labels < 0).sum(axis=1) == 3).all()
    # Values are those of whole partitions.
    (score,) = (column for column in content.columns if column.name == "score")
    assert np.isfinite(score.values).all()
    assert score.values[content.chosen] == pytest.approx(model.scores_.score.max())
