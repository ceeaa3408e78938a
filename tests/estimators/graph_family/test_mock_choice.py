"""Which solution of the front MOCK takes."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MOCK


@pytest.fixture(scope="module")
def data():
    return make_blobs(150, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=1.3, random_state=0)


@pytest.fixture
def model(data):
    return MOCK(3, min_cluster_share=0, pop_size=60, n_gen=25, random_state=0).fit(data[0])


def scaled(F):
    return (F - F.min(axis=0)) / np.ptp(F, axis=0)


def rows_of(model, k):
    return np.flatnonzero(model.pareto_K_ == k)


def test_given_a_number_the_least_variance_decides_and_not_the_least_connectivity(model):
    rows = rows_of(model, 3)
    assert len(rows) > 1
    assert model.chosen_ == rows[model.pareto_front_[rows, 0].argmin()]
    assert model.chosen_ != model.choose("connectivity").chosen_
    assert model.chosen_ == rows[model.pareto_front_[rows, 1].argmin()]


@pytest.mark.parametrize("k", [2, 3, None])
def test_rules(model, k):
    F = model.pareto_front_
    rows = np.arange(len(F)) if k is None else rows_of(model, k)
    expected = {
        "variance": F[:, 0],
        "sum": scaled(F).sum(axis=1),
        "knee": np.linalg.norm(scaled(F), axis=1),
        "connectivity": F[:, 1],
    }
    for rule, values in expected.items():
        assert model.choose(rule, n_clusters=k).chosen_ == rows[values[rows].argmin()]
    chosen = model.choose("attainment", n_clusters=k).chosen_
    assert chosen == rows[np.nanargmax(model.attainment_scores_[rows])]
    assert model.choose("auto", n_clusters=k).chosen_ == (chosen if k is None else rows[F[rows, 0].argmin()])


def test_controls_are_searched_when_asked_for_and_once(model, data):
    assert not hasattr(model, "attainment_scores_")
    fronts = model.choose("attainment").control_fronts_
    assert model.choose("attainment", n_clusters=2).control_fronts_ is fronts
    again = MOCK(3, pop_size=60, n_gen=25, random_state=0, select="attainment").fit(data[0])
    np.testing.assert_array_equal(again.control_fronts_[0][0], fronts[0][0])
    model.fit(data[0])
    assert not hasattr(model, "control_fronts_")


def test_rows_and_callables_whatever_the_number(model):
    last = len(model.pareto_front_) - 1
    assert model.choose(-1).chosen_ == last
    assert model.n_clusters_ == model.pareto_K_[last]
    assert model.choose(lambda F: F[:, 1].argmin()).chosen_ == last
    np.testing.assert_array_equal(model.labels_, model.pareto_labels_[last])


def test_a_number_that_is_not_there(model):
    missing = int(model.pareto_K_.max()) + 5
    with pytest.warns(UserWarning, match=f"n_clusters={missing}.* nearest number, {missing - 5}"):
        model.choose("variance", n_clusters=missing)
    assert model.n_clusters_ == missing - 5


def test_of_two_as_near_the_smaller(model):
    from moo_clustering.estimators.mock import nearest_rows

    assert nearest_rows(np.array([9, 7, 3, 1, 3]), 5).tolist() == [2, 4]
    assert nearest_rows(np.array([9, 7, 3]), 6).tolist() == [1]
    assert nearest_rows(np.array([9, 7, 3]), None).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("rule", "options", "message"),
    [
        ("kne", {}, "unknown rule 'kne'.*did you mean 'knee'"),
        (10**6, {}, "outside the front"),
        ("knee", {"n_clusters": 0}, "n_clusters must be a positive integer"),
    ],
)
def test_refused(model, rule, options, message):
    before = model.labels_
    with pytest.raises(ValueError, match=message):
        model.choose(rule, **options)
    assert model.labels_ is before


def test_numbers_above_k_user_are_compared_when_asked_for(data):
    # Raised to n_clusters, or none of the solutions with so many would have a score.
    model = MOCK(4, k_user=2, select="attainment", pop_size=40, n_gen=10, random_state=0).fit(data[0])
    assert model.attainment_.k_max == 4
    assert model.n_clusters_ == 4


def test_select_is_the_rule_of_the_fit(data):
    options = {"pop_size": 60, "n_gen": 25, "random_state": 0}
    for rule in ("sum", "connectivity", 2):
        model = MOCK(3, select=rule, **options).fit(data[0])
        chosen = model.chosen_
        assert model.choose(rule).chosen_ == chosen


def test_good_partitions(model, data):
    assert adjusted_rand_score(data[1], model.labels_) > 0.85
    assert adjusted_rand_score(data[1], model.choose("attainment").labels_) > 0.85
