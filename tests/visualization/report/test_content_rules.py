"""Solutions and rules of a report are those of the estimator."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

import moo_clustering.visualization.report.content as front_module
from moo_clustering.estimators import (
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
from moo_clustering.visualization.report import report_content

X, CLASSES = make_blobs(60, 4, centers=3, cluster_std=2.5, random_state=1)
PARTIAL = np.where(np.arange(60) < 15, CLASSES, -1)
BAGS = [X[start : start + 2] for start in range(0, 60, 2)]
PRESENCE = (X.mean(axis=0) < X).astype(float)
PAIRS = {"must_link": [(0, 1), (2, 3)], "cannot_link": [(4, 9), (5, 11)]}

FAMILIES = {
    "pool": (ParetoClustering(3, random_state=0), X, {}),
    "pool with labels": (ParetoClustering(random_state=0), X, {"y": PARTIAL}),
    "pool with pairs": (ParetoClustering(3, random_state=0), X, PAIRS),
    "pool with new classes": (ParetoClustering(novel="allow", random_state=0), X, {"y": PARTIAL}),
    "pool evolved": (ParetoClustering(3, n_gen=2, pop_size=8, random_state=0), X, {}),
    "pool of landmarks": (ParetoClustering(3, n_landmarks=20, random_state=0), X, {}),
    "pool of bags": (ParetoBagClustering(3, random_state=0), BAGS, {}),
    "medoids": (NSGA2Clus(k_max=4, random_state=0), X, PAIRS),
    "medoids without repair": (NSGA2Clus.internal(k_max=4, n_gen=3, random_state=0), X, PAIRS),
    "annealing": (
        AMOSAClus(k_max=4, annealing={"t_max": 10.0, "t_min": 1.0, "n_moves": 10}, random_state=0),
        X,
        PAIRS,
    ),
    "graphs": (PESC(3, n_gen=2, pop_size=8, random_state=0), X, {}),
    "sparse graphs": (SRMOSC(3, pop_size=6, random_state=0), X, {}),
    "links": (MOCK(3, n_gen=2, random_state=0), X, {}),
    "links with labels": (MOCK(n_gen=2, random_state=0), X, {"y": PARTIAL}),
    "modes": (FuzzyModesMOGA(3, metric="euclidean", n_gen=2, pop_size=8, random_state=0), X, {}),
    "subspaces": (NSGA2SISC(3, n_gen=2, pop_size=6, random_state=0), PRESENCE, {"y": PARTIAL}),
}


def fitted(name):
    estimator, data, known = FAMILIES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return copy.deepcopy(estimator).fit(data, **known), data, known


@pytest.fixture(scope="module", params=list(FAMILIES))
def run(request):
    estimator, data, known = fitted(request.param)
    before = {
        name: value.copy() if isinstance(value, np.ndarray | pd.DataFrame) else value
        for name, value in vars(estimator).items()
    }
    return estimator, before, report_content(estimator, data, **known)


def test_the_estimator_stays_as_it_is(run):
    estimator, before, _ = run
    assert vars(estimator).keys() == before.keys()
    for name, value in before.items():
        now = vars(estimator)[name]
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(now, value)
        elif isinstance(value, pd.DataFrame):
            pd.testing.assert_frame_equal(now, value)
        else:
            assert now is value


def test_the_chosen_solution_is_that_of_the_estimator(run):
    estimator, _, content = run
    np.testing.assert_array_equal(content.labels[content.chosen], estimator.labels_)
    assert "result" in content.names[content.chosen].split(", ")


@pytest.mark.filterwarnings("ignore")
def test_every_rule_selects_what_choose_selects(run):
    estimator, _, content = run
    assert {"knee", *estimator.objective_names_} <= content.rules.keys()
    for rule, place in content.rules.items():
        chosen = copy.copy(estimator).choose(rule)
        np.testing.assert_array_equal(content.labels[place], chosen.labels_, err_msg=rule)
        if getattr(chosen, "chosen_", None) is not None:
            assert f"member {chosen.chosen_}" in content.names[place].split(", ")


def test_every_rule_of_the_estimator_is_in_the_report(run):
    estimator, _, content = run
    assert content.rules.keys() == set(estimator.rules_)
    assert len(set(estimator.rules_)) == len(estimator.rules_)


@pytest.mark.filterwarnings("ignore")
def test_members_of_the_front_are_the_rows_that_choose_takes(run):
    estimator, _, content = run
    objectives = [column for column in content.columns if column.is_objective]
    assert [column.name for column in objectives] == list(estimator.objective_names_)
    for row, values in enumerate(estimator.pareto_front_):
        assert f"member {row}" in content.names[row].split(", ")
        np.testing.assert_array_equal([column.values[row] for column in objectives], values)
        chosen = copy.copy(estimator).choose(row).labels_
        # Clusters of a member may be numbered without the empty ones.
        assert len(set(zip(content.labels[row], chosen, strict=True))) == len(set(chosen))
        assert len(set(content.labels[row])) == len(set(chosen))


@pytest.mark.filterwarnings("ignore")
def test_the_best_in_an_objective_is_the_one_that_its_rule_takes(run):
    estimator, _, content = run
    allowed = np.arange(len(estimator.pareto_front_))
    if isinstance(estimator, MOCK) and estimator.n_clusters is not None:
        sizes = [len(np.unique(row)) for row in content.labels[allowed]]
        allowed = np.flatnonzero(np.array(sizes) == estimator.n_clusters)
    for column in content.columns:
        if column.is_objective:
            best = np.max if column.greater_is_better else np.min
            taken = column.values[content.rules[column.name]]
            assert taken == best(column.values[allowed]), column.name


def test_names_are_different(run):
    assert len(set(run[2].names)) == len(run[2].names)


def test_what_was_chosen_before_is_the_result():
    estimator, data, known = fitted("medoids")
    content = report_content(estimator.choose("xb"), data, **known)
    assert content.chosen == estimator.chosen_ == content.rules["xie_beni"]


@pytest.mark.parametrize("kind", ["medoids", "medoids without repair"])
def test_objectives_of_repaired_partitions(kind):
    estimator, data, known = fitted(kind)
    repaired = any(
        not np.array_equal(estimator.choose(row).labels_, found)
        for row, found in enumerate(estimator.pareto_labels_)
    )
    said = [
        each for each in report_content(estimator, data, **known).missing if "satisfy the constraints" in each
    ]
    assert len(said) == repaired == (kind == "medoids")


def test_long_fronts_of_graphs_are_shown_in_part(monkeypatch):
    monkeypatch.setattr(front_module, "AFFORDABLE_LABELS", 0)
    monkeypatch.setattr(front_module, "FEWEST_MEMBERS", 2)
    estimator, data, _ = fitted("sparse graphs")
    assert len(estimator.pareto_front_) > 3
    content = report_content(estimator, data)
    ends = [0, len(estimator.pareto_front_) - 1]
    assert [name.split(", ")[-1] for name in content.names[:2]] == [f"member {row}" for row in ends]
    assert f"Only 2 evenly spaced solutions out of {ends[1] + 1} on the front" in content.missing[0]
    for rule, place in content.rules.items():
        chosen = copy.copy(estimator).choose(rule)
        np.testing.assert_array_equal(content.labels[place], chosen.labels_)
        if chosen.chosen_ is not None:
            assert f"member {chosen.chosen_}" in content.names[place].split(", ")
            error = next(each for each in content.columns if each.name == estimator.objective_names_[0])
            assert error.values[place] == estimator.pareto_front_[chosen.chosen_, 0]


def test_attainment_is_a_rule_once_control_data_were_searched():
    estimator, data, _ = fitted("links")
    assert "attainment" not in report_content(estimator, data).rules
    searched = copy.copy(estimator).choose("attainment")
    content = report_content(searched, data)
    assert content.rules["attainment"] == searched.chosen_
    shown = next(column for column in content.columns if column.name == "attainment")
    np.testing.assert_array_equal(shown.values, searched.attainment_scores_)
