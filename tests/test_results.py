"""The typed result of a clusterer: what it holds, and that a foreign method gets everything by filling it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import MOCK, PESC, FuzzyModesMOGA, NSGA2Clus
from moo_clustering.results import ClusteringResult, Front, Objective, result_of
from moo_clustering.visualization import plot_front
from moo_clustering.visualization.report import report_content
from moo_clustering.visualization.report.card import card_of

X = np.random.default_rng(0).normal(size=(12, 2)) + np.repeat([[0, 0], [5, 5], [9, 0]], 4, axis=0)
FRONT = np.array([np.repeat([0, 1], [4, 8]), np.repeat([0, 1, 2], 4)])


class Foreign(ClusterMixin, BaseEstimator):
    """A method of another package with a front of two partitions and a third one as a control."""

    def __init__(self, row=1, random_state=None):
        self.row, self.random_state = row, random_state

    def fit(self, X, y=None):
        self.labels_ = FRONT[self.row].copy()
        return self

    def clustering_result(self):
        objectives = (Objective("loss"), Objective("gain", greater_is_better=True))
        front = Front(np.array([[2.0, 1.0], [1.0, 0.5]]), objectives, lambda rows: FRONT[rows])
        return ClusteringResult(
            self.labels_,
            front=front,
            member=self.row,
            rules=("first", "impossible"),
            select=self._select,
            controls={"control": np.arange(12) % 2},
            evaluate=lambda labels: np.stack([labels.max(axis=1), labels.min(axis=1)], axis=1),
            medoids=np.array([0, 4, 8])[: self.labels_.max() + 1],
            facts=[("advice", "none")],
            lines=lambda: ["three clusters of four"],
            history=lambda: pd.DataFrame({"generation": [0, 1], "best_loss": [3.0, 1.0]}),
            record={"spent": 7},
            arrays=lambda: {"extra": np.arange(3)},
        )

    def _select(self, rule):
        if rule == "impossible":
            raise ValueError("not now")
        return Foreign(0).fit(None).clustering_result()


def test_a_foreign_result_fills_the_report():
    content = report_content(Foreign().fit(X), X)
    assert list(content.names) == ["member 0", "result, member 1", "control"]
    assert content.rules == {"first": 0}
    assert content.chosen == 1
    columns = {column.name: column for column in content.columns}
    assert columns["loss"].values.tolist() == [2.0, 1.0, 1.0]
    assert [columns[name].greater_is_better for name in ("loss", "gain")] == [False, True]
    assert ("advice", "none") in content.facts
    assert content.clusters[1][2].typical[0] == 8
    assert content.history["best_loss"].tolist() == [3.0, 1.0]


def test_a_foreign_result_fills_the_card_and_the_plot():
    card = card_of(Foreign().fit(X), "")
    assert "three clusters of four" in card
    assert (
        "front of 2 solutions: gain (vertical) against loss (horizontal); the ring marks the result" in card
    )
    figure = plot_front(Foreign().fit(X))
    assert figure.axes[0].get_xlabel() == "loss"


def test_without_a_result_the_attributes_count():
    model = KMeans(3, random_state=0).fit(X)
    result = result_of(model)
    assert_array_equal(result.labels, model.labels_)
    assert (result.front, result.rules, result.history()) == (None, (), None)
    with pytest.raises(NotFittedError, match="This KMeans instance is not fitted yet"):
        result_of(KMeans())
    with pytest.raises(NotFittedError):
        MOCK().clustering_result()


@pytest.mark.parametrize(
    "model",
    [
        MOCK(3, n_gen=2, pop_size=8, supervision="objective", random_state=0),
        NSGA2Clus(metric="euclidean", random_state=0),
        FuzzyModesMOGA(3, metric="euclidean", n_gen=2, pop_size=8, random_state=0),
    ],
)
def test_the_problem_says_which_way_an_objective_is_better(model):
    y = np.where(np.arange(12) % 4 < 2, np.arange(12) // 4, -1)
    model.fit(X, y) if hasattr(model, "supervision") else model.fit(X)
    front = model.clustering_result().front
    signs = model.result_.problem.natural(np.ones(len(front.names)))
    assert [objective.greater_is_better for objective in front.objectives] == (signs < 0).tolist()
    assert_array_equal(front.labels(), model.pareto_labels_)


def test_graphs_are_clustered_one_by_one_until_all_are():
    model = PESC(3, n_gen=2, pop_size=8, random_state=0).fit(X)
    front = model.clustering_result().front
    assert not front.is_ready
    assert "pareto_labels_" not in vars(model)
    some = front.final_labels(np.arange(2))
    assert_array_equal(some, model.pareto_labels_[:2])
    assert model.clustering_result().front.is_ready


def test_a_pipeline_stands_for_its_last_step():
    frame = pd.DataFrame(
        {"a": [1.0, 1.1, 1.2, 9.0, 9.1, 9.3] * 4, "b": [2.0, 2.1, 2.2, 900.0, 910.0, 930.0] * 4}
    )
    pipeline = make_pipeline(StandardScaler(), KMeans(2, random_state=0))
    for call in (result_of, report_content):
        with pytest.raises(NotFittedError):
            call(*([pipeline] if call is result_of else [pipeline, frame]))
    pipeline.fit(frame)
    assert result_of(pipeline).labels.tolist() == pipeline[-1].labels_.tolist()
    found = report_content(pipeline, frame)
    expected = report_content(pipeline[-1], pipeline[:-1].transform(frame), columns=frame)
    assert found.title == "KMeans"
    assert [facts.contrasts for facts in found.clusters[0]] == [
        facts.contrasts for facts in expected.clusters[0]
    ]
    assert any("9.1" in str(facts.contrasts) for facts in found.clusters[0])  # in the units of the table
    assert np.array_equal(found.labels, report_content(pipeline).labels)
