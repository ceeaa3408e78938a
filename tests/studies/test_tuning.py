"""Tuning: parameters are chosen on some data sets, and tested only on others."""

import sys
from functools import partial

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import estimators
from moo_clustering.studies import Study

optuna = pytest.importorskip("optuna")

DATA = {
    name: make_blobs(40, centers=3, cluster_std=1.0, random_state=seed)
    for name, seed in (("a", 1), ("b", 2), ("c", 3), ("d", 5))
}
CALLS = []


def split(X, seed, level=0.5):
    CALLS.append((len(X), level))
    return (X[:, 0] > np.quantile(X[:, 0], level)).astype(int)


def study_in(path, methods=None, **options):
    default = {"mine": KMeans(8, n_init=1), "Ward": AgglomerativeClustering(3)}
    return Study(methods or default, DATA, ["ari", "silhouette"], seeds=2, path=path, **options)


def test_the_best_parameters_of_the_tuning_sets_are_tested_on_the_others(tmp_path):
    study = study_in(tmp_path / "s")
    found = study.tune("mine", {"n_clusters": (2, 9)}, 6, on=["a", "b"], seeds=2)
    scores = [
        np.mean(
            [
                adjusted_rand_score(y, KMeans(trial.n_clusters, n_init=1, random_state=seed).fit_predict(X))
                for X, y in (DATA["a"], DATA["b"])
                for seed in (0, 1)
            ]
        )
        for trial in found.trials.itertuples()
    ]
    np.testing.assert_allclose(found.trials["score"], scores, atol=1e-12)
    best = int(found.trials["n_clusters"][int(np.argmax(scores))])
    assert found.parameters["n_clusters"].to_dict() == {"c": best, "d": best}
    assert found.name == "mine (tuned)"
    assert f"has n_clusters={best} on c, d: the best of 6 trials by ari" in str(found)
    tuned = study.results[study.results["method"] == "mine (tuned)"]
    assert sorted(set(tuned["data"])) == ["c", "d"]
    for row in tuned.itertuples():
        labels = KMeans(best, n_init=1, random_state=row.seed).fit_predict(DATA[row.data][0])
        assert row.ari == pytest.approx(adjusted_rand_score(DATA[row.data][1], labels), abs=1e-12)


def test_data_sets_of_the_tuning_are_in_no_table_and_no_test(tmp_path):
    study = study_in(tmp_path / "s").run()
    before = study.table().frame
    assert list(before.index) == ["a", "b", "c", "d", "average rank"]
    study.tune("mine", {"n_clusters": (2, 5)}, 2, on=["b"], seeds=1)
    table = study.table()
    assert list(table.frame.index) == ["a", "c", "d", "average rank"]
    assert table.caption.endswith("without the data sets used for tuning (b).")
    untouched = ["a", "c", "d"]
    assert table.frame.loc[untouched, ["mine", "Ward"]].equals(before.loc[untouched])
    assert study.summary()["mean"]["Ward"] == pytest.approx(
        study.results.query("method == 'Ward' and data != 'b'")["ari"].mean()
    )
    text = study.compare("mine (tuned)").text
    assert "on 3 data sets" in text
    assert "mine (tuned) has n_clusters=" in text
    assert study.complete
    with pytest.raises(ValueError, match="no data set is left to test, because earlier tunings used"):
        study.tune("Ward", {"n_clusters": (2, 5)}, 2, on=["a", "c", "d"])


def test_others_leaves_every_data_set_out_once(tmp_path):
    pipeline = make_pipeline(StandardScaler(), AgglomerativeClustering())
    study = study_in(tmp_path / "s", {"mine": pipeline})
    name = "agglomerativeclustering__n_clusters"
    found = study.tune("mine", {name: [2, 3, 7]}, 4, on="others", seeds=1, name="best", score="silhouette")
    assert list(found.parameters.index) == list(study.table().frame.index[:-1]) == ["a", "b", "c", "d"]
    for test in DATA:
        chosen_on = ", ".join(other for other in DATA if other != test)
        trials = found.trials[found.trials["chosen_on"] == chosen_on]
        assert found.parameters[name][test] == trials.loc[trials["score"].idxmax(), name]


def test_repeated_calls_compute_nothing_and_longer_ones_continue(tmp_path):
    def run(n_trials, name):
        study = study_in(tmp_path / "s", {"split": split})
        return study.tune("split", {"level": (0.1, 0.9)}, n_trials, on=["a"], seeds=1, name=name)

    CALLS.clear()
    first, n_calls = run(3, "short"), len(CALLS)
    assert n_calls == 3 + 2 * 4 + 2 * 3
    assert run(3, "short").trials.equals(first.trials)
    assert len(CALLS) == n_calls
    longer = run(5, "long")
    assert longer.trials["level"][:3].tolist() == first.trials["level"].tolist()
    assert len(CALLS) == n_calls + 2 + 2 * 3


def test_an_interrupted_tuning_continues_with_the_same_result(tmp_path, monkeypatch):
    whole = study_in(tmp_path / "whole").tune("mine", {"n_clusters": (2, 9)}, 4, on=["a"], seeds=1)
    study, fit, left = study_in(tmp_path / "cut"), KMeans.fit_predict, [1]

    def interrupted(self, *given, **options):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return fit(self, *given, **options)

    monkeypatch.setattr(KMeans, "fit_predict", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study.tune("mine", {"n_clusters": (2, 9)}, 4, on=["a"], seeds=1)
    assert list(study.methods) == ["mine", "Ward"]
    monkeypatch.undo()
    assert study.tune("mine", {"n_clusters": (2, 9)}, 4, on=["a"], seeds=1).trials.equals(whole.trials)


def test_failed_trials_are_shown_and_never_chosen(tmp_path):
    study = study_in(tmp_path / "s")
    found = study.tune("mine", {"n_clusters": [3, 500]}, 6, on=["a"], seeds=1)
    failed = found.trials[found.trials["n_clusters"] == 500]
    assert len(failed)
    assert failed["score"].isna().all()
    assert failed["error"].str.contains("n_samples=40 should be >= n_clusters=500").all()
    assert set(found.parameters["n_clusters"]) == {3}
    with pytest.raises(
        ValueError, match="all 2 trials failed, the first with: ValueError: n_samples=40 should"
    ):
        study.tune("mine", {"n_clusters": (300, 500)}, 2, on=["a"], seeds=1, name="none")


def test_a_search_with_controls_is_tuned(tmp_path):
    mock = estimators.MOCK(3, pop_size=6, n_gen=1)
    study = Study({"mock": mock}, dict(list(DATA.items())[:2]), seeds=1, controls=True, path=tmp_path / "s")
    found = study.tune("mock", {"pop_size": (6, 8)}, 2, on=["a"], seeds=1)
    assert study.complete
    assert found.name in set(study.results["method"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"space": {}}, "space must be a non-empty mapping"),
        ({"space": {"n_cluster": (2, 5)}}, "no parameter 'n_cluster'; did you mean 'n_clusters'"),
        ({"space": {"random_state": (2, 5)}}, "the study sets random_state, so it cannot be tuned"),
        ({"space": {"n_clusters": (5, 2)}}, r"must have finite ends with low < high, got \(5, 2\)"),
        ({"space": {"tol": (0.0, 1.0, "log")}}, "must have finite ends with 0 < low < high"),
        ({"space": {"tol": (0.0, 1.0, "lg")}}, "or a non-empty list of choices"),
        ({"space": {"tol": []}}, "or a non-empty list of choices"),
        ({"on": ["a", "e"]}, "on contains an unknown data set, 'e'"),
        ({"on": "a"}, 'on must be "others" or names of data sets'),
        ({"on": []}, 'on must be "others" or names of data sets'),
        ({"on": [*DATA]}, "on contains all data sets, so none is left to test"),
        ({"method": "his"}, "method must be one of 'mine', 'Ward', got 'his'"),
        ({"name": "Ward"}, "the study already has a method 'Ward'"),
        ({"score": "nmi"}, "score must be one of 'ari', 'silhouette'"),
        ({"n_trials": 0}, "n_trials must be an integer of at least 1"),
        ({"seeds": 0}, "seeds must be an integer of at least 1"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(changes, message, tmp_path):
    given = {"method": "mine", "space": {"n_clusters": (2, 5)}, "on": ["a"], **changes}
    with pytest.raises(ValueError, match=message):
        study_in(tmp_path / "s").tune(**given)


def test_methods_without_parameters_and_sizes_of_the_study(tmp_path):
    study = study_in(
        tmp_path / "s", {"mine": KMeans(3), "tuple": (len, len, 2), "part": partial(split, level=0.2)}
    )
    with pytest.raises(TypeError, match="'tuple' has no parameters to tune"):
        study.tune("tuple", {"n_gen": (2, 5)}, on=["a"])
    with pytest.raises(ValueError, match="no parameter 'level'"):
        study.tune("part", {"level": (0.2, 0.5)}, on=["a"])
    with pytest.raises(ValueError, match="the study sets n_clusters, so it cannot be tuned"):
        study_in(tmp_path / "t", n_clusters=3).tune("mine", {"n_clusters": (2, 5)}, on=["a"])


def test_without_optuna_the_message_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"Study.tune requires optuna, .* 'moo_clustering\[tune\]'"):
        study_in(tmp_path / "s").tune("mine", {"n_clusters": (2, 5)}, on=["a"])
