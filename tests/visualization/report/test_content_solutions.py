"""Partitions of a run: each once, with all that it is."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs

from moo_clustering.estimators import EnsembleNMF, ParetoClustering
from moo_clustering.visualization.report import report_content
from moo_clustering.visualization.report.content import Solution, Solutions, checked_labels
from moo_clustering.visualization.report.describe import agreement

X, CLASSES = make_blobs(80, 3, centers=4, random_state=0)


class Front(ClusterMixin, BaseEstimator):
    """A clusterer that has found all its partitions already."""

    def __init__(self, partitions=(), result=0):
        self.partitions, self.result = partitions, result

    def fit(self, X, y=None):
        self.pareto_labels_ = np.asarray(self.partitions, dtype=np.int32)
        self.pareto_front_ = np.arange(2.0 * len(self.partitions)).reshape(-1, 2)
        self.objective_names_ = ("first", "second")
        self.labels_ = self.pareto_labels_[self.result]
        return self


def test_equal_members_of_a_front_stay_apart():
    content = report_content(Front([[0, 0, 1], [0, 0, 1], [0, 1, 1]], result=1).fit(None))
    assert list(content.names) == ["result, member 0", "member 1", "member 2"]
    assert content.labels.tolist() == [[0, 0, 1], [0, 0, 1], [0, 1, 1]]


def test_cuts_are_the_members_most_similar_to_the_result():
    two, near, far, four = [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 2], [0, 1, 2, 3, 0, 1]
    content = report_content(Front([far, two, near, four], result=1).fit(None))
    place = {str(labels): row for row, labels in enumerate(content.labels.tolist())}
    assert [each for each, *_ in content.cuts] == [place[str(two)], place[str(near)], place[str(four)]]
    reasons = [reason for _, reason, _ in content.cuts]
    assert reasons[0] == "The chosen solution."
    assert "among 2 solutions on the front" in reasons[1]
    assert reasons[2].startswith("The only solution on the front")


def test_changed_parameters_are_facts():
    facts = {KMeans(4, random_state=0): "n_clusters=4; others: defaults", KMeans(): "defaults"}
    for model, fact in facts.items():
        assert dict(report_content(model.fit(X), X).facts)["parameters"] == fact


def test_a_partition_is_placed_once():
    solutions = Solutions()
    assert solutions.place([0, 1, 1], "a") == 0
    assert solutions.place([1, 0, 0], "b") == 1
    assert solutions.place([0, 1, 1], "c") == 0
    assert solutions.place([0, 1, 1], "d", always_named=False) == 0
    assert solutions.names == ["a, c", "b"]


def test_a_row_of_the_front_takes_the_numbers_of_who_chose_it():
    solutions = Solutions()
    solutions.add(Solution(checked_labels([0, 1, 1]), ["member 0"], member=0))
    assert solutions.place([2, 0, 0], "result", member=0) == 0
    assert solutions.labels.tolist() == [[2, 0, 0]]
    # Another partition than that of the row is one of its own.
    assert solutions.place([0, 0, 1], "rule", member=0) == 1
    assert solutions.names == ["result, member 0", "rule"]


def test_many_roles_are_counted():
    solutions = Solutions()
    for number in range(5):
        solutions.place([0, 1], f"run {number}")
    assert solutions.names == ["run 0, run 1, run 2 and 2 more"]


@pytest.mark.parametrize("labels", [[0.5, 1.0], [[0, 1]], [], ["a", "b"]])
def test_labels_must_be_whole_numbers(labels):
    with pytest.raises(ValueError, match="one integer per sample"):
        checked_labels(labels)


def test_labels_below_are_samples_in_no_cluster():
    # HDBSCAN marks infinite and missing rows by -2 and -3.
    assert checked_labels([-3, -1, 0, 2]).tolist() == [-1, -1, 0, 2]


def test_alternatives_and_controls_of_the_flagship():
    model = ParetoClustering(4, n_gen=2, pop_size=8, random_state=0).fit(X)
    content = report_content(model, X)
    roles = {role: place for place, name in enumerate(content.names) for role in name.split(", ")}
    for row, labels in enumerate(model.alternative_labels_):
        np.testing.assert_array_equal(content.labels[content.rules[f"alternative-{row}"]], labels)
    np.testing.assert_array_equal(content.labels[content.rules["control"]], model.control_labels_)
    np.testing.assert_array_equal(
        content.labels[content.rules["random-control"]], model.random_control_labels_
    )
    assert {"result", "control", "random-control"} <= roles.keys() or any("more" in n for n in content.names)
    assert len({row.tobytes() for row in content.labels}) == len(content.labels)


def test_objectives_of_the_result_are_known_beside_the_front():
    model = ParetoClustering(4, random_state=0).fit(X)
    content = report_content(model, X)
    columns = {column.name: column.values for column in content.columns}
    assert np.isfinite([columns[name] for name in model.objective_names_]).all()
    candidates = model.scores_
    place = content.rules["alternative-0"]
    for name in (*model.objective_names_, "score"):
        assert columns[name][place] == pytest.approx(model.alternatives_[name][0], rel=1e-12)
    select = content.rules["select"]
    assert columns["score"][select] == pytest.approx(candidates["score"][candidates["n_clusters"] == 4].max())


def test_clusters_are_named_after_the_classes_of_the_labels():
    y = np.full(80, -1, dtype=object)
    y[:40] = np.array(["ash", "beech", "cedar", "date"])[CLASSES[:40]]
    model = ParetoClustering(random_state=0).fit(X, y)
    content = report_content(model, X, y=y)
    assert content.cluster_names[content.chosen] == ["ash", "beech", "cedar", "date"]
    codes = np.where(np.arange(80) < 40, CLASSES, -1)
    model = ParetoClustering(random_state=0).fit(X, codes)
    content = report_content(model, X, y=codes, class_names=["a", "b", "c", "d"])
    assert content.cluster_names[content.chosen] == ["a", "b", "c", "d"]
    for place, names in content.cluster_names.items():
        assert len(names) > content.labels[place].max()


def test_runs_of_an_ensemble_are_solutions_with_their_losses():
    weights = np.abs(X)
    model = EnsembleNMF(3, n_runs=4, random_state=0).fit(weights)
    content = report_content(model, weights)
    loss = next(column for column in content.columns if column.name == "loss of the run")
    for run, labels in enumerate(model.run_labels_):
        (place,) = np.flatnonzero((content.labels == labels).all(axis=1))
        assert f"run {run}" in content.names[place]
        first = int(content.names[place].split("run ")[1].split(",")[0])
        assert loss.values[place] == model.run_losses_[first]
    assert content.missing[0] == (
        "There is no front, because the method returns one solution and others for comparison."
    )


def test_any_clusterer_of_scikit_learn():
    content = report_content(KMeans(4, random_state=0).fit(X), X)
    assert list(content.names) == ["result"]
    assert content.rules == {}
    assert content.agreement.tolist() == [[1.0]]
    assert "there is no choice" in content.missing[0]


def test_samples_in_no_cluster_are_counted():
    model = DBSCAN(eps=1.2).fit(X)
    assert 0 < (model.labels_ < 0).sum() < 80
    content = report_content(model, X)
    columns = {column.name: column.values for column in content.columns}
    assert columns["in no cluster"] == (model.labels_ < 0).sum()
    assert columns["clusters"] == model.labels_.max() + 1
    assert len(content.clusters[0]) == model.labels_.max() + 1


def test_agreement_is_the_adjusted_rand_index_over_the_samples_that_are_compared():
    from sklearn.metrics import adjusted_rand_score

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, (5, 50)).astype(np.int32)
    found = agreement(labels, 2, np.random.default_rng(0))
    for i in range(5):
        assert found[0][i] == pytest.approx(adjusted_rand_score(labels[i], labels[2]))
        for j in range(5):
            assert found[1][i, j] == pytest.approx(adjusted_rand_score(labels[i], labels[j]))
    assert "random subset" not in found[2]


def test_many_solutions_of_many_samples_agree_over_some_of_these(monkeypatch):
    import moo_clustering.visualization.report.describe as module

    monkeypatch.setattr(module, "AGREEMENT_WORK", 25 * 600)
    labels = np.random.default_rng(0).integers(0, 3, (5, 2000)).astype(np.int32)
    found = agreement(labels, 0, np.random.default_rng(3))
    assert "Computed on a random subset of 600 of 2000 samples" in found[2]
    rows = np.sort(np.random.default_rng(3).choice(2000, 600, replace=False))
    from moo_clustering.validity import pairwise_ari

    np.testing.assert_array_equal(found[1], pairwise_ari(labels[:, rows]))
    monkeypatch.setattr(module, "MOST_SOLUTIONS", 4)
    few = agreement(labels, 1, np.random.default_rng(3))
    assert few[1] is None
    np.testing.assert_allclose(few[0], pairwise_ari(labels)[1])
