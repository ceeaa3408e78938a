"""A study: every cell once, failures shown, classes out of reach, numbers as worked out independently."""

import gc
import inspect
import json
import os
import re
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from joblib import parallel_config
from scipy.sparse import csr_array
from scipy.stats import friedmanchisquare, rankdata, wilcoxon
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, davies_bouldin_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import NSGA2Clus, studies
from moo_clustering.cli import main
from moo_clustering.studies import Study

X, Y = make_blobs(60, centers=3, cluster_std=2.5, random_state=0)
OTHER = make_blobs(50, centers=2, random_state=1)


def drawn(X, seed):
    return np.random.default_rng(seed).integers(3, size=len(X))


def picky(X, seed):
    if seed == 1:
        raise ValueError("not today,\nperhaps tomorrow")
    return drawn(X, seed)


METHODS = {"k-means": KMeans(3, n_init=1), "Ward": AgglomerativeClustering(3), "drawn": drawn}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("study")
    data = {"blobs": (X, Y), "two": OTHER, "fresh": partial(make_blobs, 40, centers=3)}
    methods = {**METHODS, "picky": picky}
    return Study(methods, data, ["ari", "davies_bouldin"], seeds=4, path=path).run()


def test_cells_are_fits_of_clones_with_the_seed(study):
    found = study.results.set_index(["data", "method", "seed"])
    assert len(found) == 3 * 4 * 4
    for seed in range(4):
        fresh, classes = make_blobs(40, centers=3, random_state=seed)
        for name, (data, y) in {"blobs": (X, Y), "fresh": (fresh, classes)}.items():
            labels = KMeans(3, n_init=1, random_state=seed).fit_predict(data)
            row = found.loc[(name, "k-means", seed)]
            assert row["ari"] == pytest.approx(adjusted_rand_score(y, labels))
            assert row["davies_bouldin"] == pytest.approx(davies_bouldin_score(data, labels))
            assert row["n_clusters"] == 3
        assert found.loc[("blobs", "drawn", seed), "ari"] == adjusted_rand_score(Y, drawn(X, seed))
    assert METHODS["k-means"].random_state is None


def test_tables_have_means_medians_and_ranks(study):
    values = study.results.pivot_table("ari", ["data", "seed"], "method")
    shown = study.table()
    means, deviations = values.groupby("data").mean(), values.groupby("data").std()
    assert shown.frame.loc["two", "Ward"] == f"{means.loc['two', 'Ward']:.3f} ± 0.000"
    expected = f"{means.loc['blobs', 'drawn']:.3f} ± {deviations.loc['blobs', 'drawn']:.3f}"
    assert shown.frame.loc["blobs", "drawn"] == expected
    ranks = means.rank(axis=1, ascending=False)
    assert shown.frame.loc["average rank", "drawn"] == f"{ranks['drawn'].mean():.2f}"
    best = means[list(study.methods)].eq(means.max(axis=1), axis=0).reindex(["blobs", "two", "fresh"])
    np.testing.assert_array_equal(shown.best.iloc[:3], best)
    low, middle, high = values.loc["fresh", "k-means"].quantile([0.25, 0.5, 0.75])
    median = study.table(statistic="median").frame
    assert median.loc["fresh", "k-means"] == f"{middle:.3f} [{low:.3f}, {high:.3f}]"
    # Small values of this index are good.
    index = study.results.groupby(["data", "method"])["davies_bouldin"].mean().unstack()[list(study.methods)]
    lowest = index.eq(index.min(axis=1), axis=0).reindex(["blobs", "two", "fresh"])
    np.testing.assert_array_equal(study.table("davies_bouldin").best.iloc[:3], lowest)


def test_summary_counts_wins_against_every_other_method(study):
    means = study.results.groupby(["data", "method"])["ari"].mean().unstack()
    table = study.summary()
    for one in study.methods:
        others = [name for name in study.methods if name != one]
        away = [means.loc[data, one] - means.loc[data, name] for data in means.index for name in others]
        assert table.loc[one, "wins"] == sum(step > 1e-12 for step in away)
        assert table.loc[one, "losses"] == sum(step < -1e-12 for step in away)
        assert table.loc[one, ["wins", "ties", "losses"]].sum() == 9
    assert table.loc["picky", "failed"] == 3
    assert table["mean"]["Ward"] == pytest.approx(means["Ward"].mean())


def test_failed_cells_are_shown_in_every_output(study):
    failed = study.results.query("status == 'failed'")
    assert set(failed["method"]) == {"picky"}
    assert set(failed["error"]) == {"ValueError: not today, perhaps tomorrow"}
    assert study.table().frame["picky"].str.contains("(1 failed)", regex=False).sum() == 3
    assert "Warning: no result for 1 of 4 runs of picky on two" in study.compare("Ward").text


def test_comparison_is_that_of_scipy():
    rng = np.random.default_rng(3)
    wide = pd.DataFrame(rng.normal([0.0, 4.0, 0.1], size=(9, 3)), columns=["a", "b", "c"])
    data = {f"d{d}": np.full((4, 1), float(d)) for d in range(9)}

    def value(X, labels):
        return wide.iloc[int(X[0, 0]), len(np.unique(labels)) - 1]

    methods = {name: partial(lambda k, X: np.minimum(np.arange(4), k), k) for k, name in enumerate("abc")}
    found = Study(methods, data, [("value", value, "min")], seeds=1).run().compare("a")
    p = {name: wilcoxon(wide["a"], wide[name]).pvalue for name in "bc"}
    assert found.pairs["p"].to_dict() == pytest.approx(p)
    small, large = sorted(p.values())
    holm = [min(1, 2 * small), min(1, max(2 * small, large))]
    assert found.pairs["p_holm"].tolist() == pytest.approx(holm)
    # Positive differences favour the method, and small values are good.
    assert found.pairs.loc["b", "difference"] == pytest.approx((wide["b"] - wide["a"]).mean())
    away = wide["b"] - wide["a"]
    ranks = away.abs().rank() * np.sign(away)
    assert found.pairs.loc["b", "effect"] == pytest.approx(ranks.sum() / ranks.abs().sum())
    # The interval of the effect is that of an independent bootstrap.
    away = (wide["c"] - wide["a"]).to_numpy()
    effects = []
    for row in away[rng.integers(0, 9, (10_000, 9))]:
        ranks = rankdata(np.abs(row))
        effects.append((ranks[row > 0].sum() - ranks[row < 0].sum()) / ranks.sum())
    ends = found.pairs.loc["c", ["effect_low", "effect_high"]].tolist()
    assert ends == pytest.approx(np.quantile(effects, [0.025, 0.975]), abs=0.05)
    assert found.friedman.statistic == pytest.approx(friedmanchisquare(*wide.to_numpy().T).statistic)
    assert "a is better than b: mean advantage +" in found.text
    assert "not significantly different from c" in found.text


def test_data_sets_without_a_value_do_not_count():
    # Friedman's test, ranks and numbers of pairs use only the data sets with classes.
    sets = {f"d{d}": make_blobs(40, centers=3, cluster_std=2.5, random_state=d) for d in range(3)}
    bare = {f"n{d}": make_blobs(30, random_state=d)[0] for d in range(6)}
    methods = {**METHODS, "single": AgglomerativeClustering(3, linkage="single")}
    mixed = Study(methods, bare | sets, ["ari", "silhouette"], seeds=2).run()
    means = mixed.results.groupby(["data", "method"])["ari"].mean().unstack().loc[list(sets)]
    found = mixed.compare("Ward")
    assert found.friedman.n_datasets == 3
    ranks = means.rank(axis=1, ascending=False).mean()
    assert mixed.summary()["average_rank"].to_dict() == pytest.approx(ranks.to_dict())
    assert mixed.table().frame.loc["average rank", "Ward"] == f"{ranks['Ward']:.2f}"
    assert mixed.table().frame.loc["n0", "Ward"] == "—"
    assert (
        f"on 3 data sets, averaged over 2 seeds, Ward has a mean of {means['Ward'].mean():.3f}" in found.text
    )
    assert "7 data sets are required, got 3" in found.text
    one = Study(METHODS, bare | {"d0": sets["d0"]}, ["ari", "silhouette"], seeds=8).run().compare("k-means")
    wide = (
        Study(METHODS, {"d0": sets["d0"]}, seeds=8)
        .run()
        .results.pivot(index="seed", columns="method", values="ari")
    )
    assert one.pairs.loc["drawn", "p"] == pytest.approx(wilcoxon(wide["k-means"], wide["drawn"]).pvalue)
    assert "the tests apply only to d0" in one.text


def test_pairs_with_few_common_results_have_no_conclusion():
    def rare(X, seed):
        return np.arange(len(X)) % 3 if seed < 2 else 1 / 0

    methods = {"k-means": KMeans(3), "never": lambda X, seed: 1 / 0, "rare": rare, "drawn": drawn}
    found = Study(methods, {"a": (X, Y)}, seeds=10).run().compare("k-means")
    assert "k-means and never have 0 common results, but 7 are required." in found.text
    assert "k-means and rare have 2 common results, but 7 are required." in found.text
    assert "k-means is better than drawn" in found.text
    assert found.pairs.loc["never", ["wins", "ties", "losses", "p_holm"]].tolist() == [0, 0, 0, 1]
    alone = Study({"k-means": KMeans(3), "never": methods["never"]}, {"a": (X, Y)}, seeds=8).run()
    assert "6 seeds are required, got 0" in alone.compare("k-means").text


def test_seeds_are_not_data_sets(study):
    alone = Study(METHODS, {"blobs": (X, Y)}, seeds=8).run().compare("k-means")
    assert "Warning: the pairs are seeds, not data sets; the tests apply only to blobs." in alone.text
    assert alone.friedman is None
    said = study.compare("k-means").text
    assert "averaged over 4 seeds" in said
    assert "No conclusion about pairs is possible: 7 data sets are required, got 3." in said


class Spy(ClusterMixin, BaseEstimator):
    """Fails if it gets anything but features and its own parameters."""

    def __init__(self, seen=None, random_state=None):
        self.seen, self.random_state = seen, random_state

    def fit(self, X, y=None, **options):
        if y is not None or options:
            raise AssertionError("classes reached the fit")
        X[:] = 0
        self.labels_ = np.arange(len(X)) % 2
        return self


def test_classes_do_not_reach_a_fit_and_data_stay_as_they_are():
    kept = X.copy()
    study = Study({"spy": Spy(), "Ward": AgglomerativeClustering(3)}, {"blobs": (X, Y)}, seeds=2).run()
    assert set(study.results["status"]) == {"ok"}
    np.testing.assert_array_equal(X, kept)
    expected = adjusted_rand_score(Y, AgglomerativeClustering(3).fit_predict(X))
    assert study.results.query("method == 'Ward'")["ari"].tolist() == [pytest.approx(expected)] * 2


def test_known_classes_alone_score():
    y = np.array(["a", "b", "c", None], dtype=object)[np.where(np.arange(60) < 20, 3, Y)]
    ours = Study([KMeans(3)], {"a": (X, y)}, seeds=1).run().results["ari"][0]
    labels = KMeans(3, random_state=0).fit_predict(X)
    assert ours == pytest.approx(adjusted_rand_score(Y[20:], labels[20:]))
    numbered = Study([KMeans(3)], {"a": (X, np.where(np.arange(60) < 20, -1, Y))}, seeds=1).run()
    assert numbered.results["ari"][0] == ours


def test_only_missing_cells_are_computed(tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()

    def method(X, seed):
        (marks / f"{len(X)} {seed} {time.perf_counter_ns()}").touch()
        return drawn(X, seed)

    data = {"a": (X, Y), "b": OTHER}
    path = tmp_path / "study"
    first = Study({"one": method}, data, seeds=3, path=path).run()
    assert len(list(marks.iterdir())) == 6
    # A killed process leaves complete lines and perhaps a part of one.
    lines = (path / "results.jsonl").read_bytes().splitlines(keepends=True)
    (path / "results.jsonl").write_bytes(b"".join(lines[:-2]) + lines[-2][:20])
    again = Study({"one": method}, data, seeds=3, path=path).run()
    assert len(list(marks.iterdir())) == 8
    values = ["data", "method", "seed", "ari"]
    pd.testing.assert_frame_equal(again.results[values], first.results[values])
    again.add({"Ward": AgglomerativeClustering(3)})
    assert len(list(marks.iterdir())) == 8
    assert len(again.results) == 12
    more = Study({"one": method, "Ward": AgglomerativeClustering(3)}, data, seeds=4, path=path).run()
    assert len(list(marks.iterdir())) == 10
    assert len(more.results) == 16


def test_seeds_and_sparse_or_text_data_may_be_added(tmp_path):
    table = pd.DataFrame({"x": X[:, 0], "kind": np.array(["p", "q", "r"])[Y]})
    data = {"fresh": partial(make_blobs, 30), "sparse": (csr_array(np.abs(X)), Y), "text": (table, Y)}
    for seeds in ([3, 4], [1]):
        found = Study([KMeans(2)], data, seeds=seeds, path=tmp_path / "s").run().results
        assert found["seed"].tolist() == seeds * 3
        assert found.groupby("data", sort=False)["status"].first().tolist() == ["ok", "ok", "failed"]
    assert "could not convert string" in found["error"].iloc[-1]
    fixed = {"one": partial(make_blobs, 30, random_state=7)}
    values = Study([AgglomerativeClustering(3)], fixed, seeds=2).run().results["ari"]
    assert values[0] == values[1]
    with parallel_config(backend="threading", n_jobs=2):
        again = Study([KMeans(2)], data, seeds=[1]).run().results
    pd.testing.assert_series_equal(again["ari"], found["ari"])


def test_failed_cells_are_computed_again_on_request(tmp_path):
    ready = tmp_path / "ready"

    def method(X, seed):
        if not ready.exists():
            raise RuntimeError("not ready")
        return drawn(X, seed)

    study = Study({"m": method}, {"a": (X, Y)}, seeds=2, path=tmp_path / "s").run()
    ready.touch()
    assert set(study.run().results["status"]) == {"failed"}
    assert set(study.run(retry=True).results["status"]) == {"ok"}
    assert set(Study({"m": method}, {"a": (X, Y)}, seeds=2, path=tmp_path / "s").results["status"]) == {"ok"}


@pytest.mark.slow
def test_workers_do_not_change_values(tmp_path):
    kept = ["data", "method", "seed", "status", "ari", "silhouette", "error"]
    data = {"a": (X, Y), "b": OTHER, "c": partial(make_blobs, 40)}
    found = [
        Study({**METHODS, "picky": picky}, data, ["ari", "silhouette"], seeds=2).run(n_jobs=n).results[kept]
        for n in (1, 2)
    ]
    pd.testing.assert_frame_equal(*found)


def misbehaves(X, seed):
    if seed == 1:
        time.sleep(60)
    if seed == 2:
        os._exit(7)
    print("a method may print")
    return drawn(X, seed)


@pytest.mark.slow
def test_cells_out_of_time_are_shown():
    study = Study({"m": misbehaves}, {"a": (X, Y)}, seeds=3, timeout=0.5).run()
    found = study.results
    assert found["ari"][0] == pytest.approx(adjusted_rand_score(Y, drawn(X, 0)))
    assert found["status"].tolist() == ["ok", "timed out", "failed"]
    assert found["error"][1:].tolist() == [
        "not finished after 0.5 seconds",
        "the process ended with exit code 7",
    ]
    shown = study.table().frame.loc["a", "m"]
    assert "(1 timed out)" in shown
    assert "(1 failed)" in shown


def problem(X):
    from moo_clustering.encodings import MedoidEncoding
    from moo_clustering.problems import PartitionProblem

    return PartitionProblem(X, MedoidEncoding(X, k_max=4), ["silhouette", "davies_bouldin"])


def algorithm(problem):
    from pymoo.algorithms.moo.nsga2 import NSGA2

    return NSGA2(10, **problem.operators())


def test_searches_have_evaluations_and_controls(tmp_path):
    estimator = NSGA2Clus(k_max=4, pop_size=10, n_gen=3)
    methods = {"search": (problem, algorithm, 3), "Ward": AgglomerativeClustering(3), "estimator": estimator}
    study = Study(methods, {"a": (X, Y), "b": OTHER}, seeds=1, controls=True, path=tmp_path / "s").run()
    found = study.results
    assert found.query("method == 'search'")["evaluations"].tolist() == [40] * 2
    assert found.query("method == 'Ward'")["evaluations"].isna().all()
    lines = [json.loads(line) for line in (tmp_path / "s" / "results.jsonl").read_text().splitlines()[1:]]
    runs = [pd.DataFrame(one["value"]["runs"]) for one in lines if "part" in one["key"]]
    assert len(runs) == 4
    for one in runs:
        assert (
            one.set_index("method").loc[["evolution", "random", "drift"], "evaluations"].tolist() == [40] * 3
        )
    study.plot_anytime(path=tmp_path / "anytime.png")
    assert (tmp_path / "anytime.png").stat().st_size > 1000
    assert (
        "search and its controls: No conclusion about hypervolume is possible" in study.compare("search").text
    )
    with pytest.raises(ValueError, match="use controls=True and at least one search"):
        Study(METHODS, [(X, Y)], seeds=1).plot_anytime()


def test_attainment_surfaces_of_seeds(tmp_path):
    methods = {"short": (problem, algorithm, 1), "long": (problem, algorithm, 6), "Ward": METHODS["Ward"]}
    study = Study(methods, {"a": (X, Y)}, seeds=3, path=tmp_path / "s").run()
    table = study.attainment(fractions=[1 / 3, 1.0])
    first, second = table.columns[2:]
    names = problem(X).objective_names
    assert (first, second) == tuple(names)
    lines = [json.loads(line) for line in (tmp_path / "s" / "results.jsonl").read_text().splitlines()[1:]]
    up = problem(X).natural(np.ones(2)) < 0
    for method in ("short", "long"):
        values = [one["value"] for one in lines if one["key"].get("method") == method]
        assert [one["objectives"] for one in values] == [
            [[n, bool(u)] for n, u in zip(names, up, strict=True)]
        ] * 3
        # Every seed attains the surface of all seeds; at least one seed attains that of a third of the seeds.
        for fraction, least in ((1 / 3, 1), (1.0, 3)):
            own = table[(table["method"] == method) & (table["fraction"] == fraction)]
            assert len(own)
            for corner in own[[first, second]].to_numpy():
                as_good = [
                    np.where(up, np.array(one["front"]) >= corner, np.array(one["front"]) <= corner)
                    for one in values
                ]
                assert sum(each.all(axis=1).any() for each in as_good) >= least
    figure = study.plot_attainment("a", fractions=[1 / 3, 1.0], title="a", path=tmp_path / "surfaces.png")
    (panel,) = figure.axes
    assert len(panel.lines) == 4
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["short", "long"]
    assert panel.get_title(loc="left") == "a: attained by 0.333333, 1 of the seeds"
    with pytest.raises(ValueError, match="'Ward' has no front on 'a'; methods must be names of searches"):
        study.attainment(methods=["Ward"])
    with pytest.raises(ValueError, match="methods must be one of 'short', 'long', 'Ward', got 'other'"):
        study.attainment(methods=["other"])
    with pytest.raises(
        ValueError, match="no method has a Pareto front for 'blobs'; add a search method, or call run"
    ):
        Study(METHODS, {"blobs": (X, Y)}, seeds=1).attainment()


def test_attainment_tells_of_seeds_without_a_front(tmp_path):
    study = Study({"short": (problem, algorithm, 1)}, {"a": (X, Y)}, seeds=2, path=tmp_path / "s").run()
    more = Study({"short": (problem, algorithm, 1)}, {"a": (X, Y)}, seeds=2, path=tmp_path / "s")
    more.seeds = [0, 1, 2]
    message = "no front of 'short' on 'a' for 1 of 3 seeds; fractions refer to the other seeds"
    with pytest.warns(UserWarning, match=message) as caught:
        more.plot_attainment()
    assert len(caught) == 1
    with pytest.warns(UserWarning, match=message):
        table = more.attainment()
    pd.testing.assert_frame_equal(table, study.attainment())


def test_estimators_leave_their_fronts(tmp_path):
    study = Study({"medoids": NSGA2Clus(k_max=4, pop_size=8, n_gen=2)}, {"a": (X, Y)}, seeds=2).run()
    fits = [NSGA2Clus(k_max=4, pop_size=8, n_gen=2, random_state=seed).fit(X) for seed in (0, 1)]
    table = study.attainment(fractions=[0.5])
    assert table.columns[2:].tolist() == list(fits[0].objective_names_)
    points = np.vstack([fit.pareto_front_ for fit in fits])
    assert {tuple(row) for row in table.iloc[:, 2:].to_numpy()} <= {tuple(row) for row in points}


def test_all_pairs_by_shaffer_and_holm(tmp_path):
    data = {f"set {i}": make_blobs(30, centers=3, cluster_std=3.0, random_state=i) for i in range(6)}
    methods = {**METHODS, "one": lambda X, seed: np.zeros(len(X), dtype=int)}
    study = Study(methods, data, seeds=1).run()
    found = study.compare_all()
    assert (found.posthoc, found.n_datasets, found.n_methods) == ("shaffer", 6, 4)
    # Among four methods, 6 (all), 3 (of three methods), 2 (disjoint), 1 or 0 pairs can be equal. If one pair
    # differs, at most 3 of the other 5 are equal.
    p = found.shaffer["p_value"].to_numpy()
    assert (p > 0).all()
    step_down = lambda factors: np.maximum.accumulate(factors * p).clip(max=1.0)  # noqa: E731
    np.testing.assert_allclose(found.shaffer["p_adjusted"], step_down([6, 3, 3, 3, 2, 1]))
    np.testing.assert_allclose(found.holm["p_adjusted"], step_down([6, 5, 4, 3, 2, 1]))
    assert study.compare_all(posthoc="holm").pairs.equals(found.holm)
    ranks = np.array([rankdata(-row) for row in study._wide(None)[2].to_numpy()]).mean(axis=0)
    np.testing.assert_allclose(found.average_ranks, ranks)


def test_number_of_clusters_reaches_steps_and_functions():
    def method(X, seed, n_clusters):
        return np.arange(len(X)) % n_clusters

    pipeline = make_pipeline(PCA(n_components=1), KMeans(9))
    methods = {"pipeline": pipeline, "f": method, "mixture": GaussianMixture(9), "DBSCAN": DBSCAN()}
    found = Study(methods, {"a": (X, Y), "b": OTHER}, seeds=1, n_clusters={"a": 4, "b": 2}).run().results
    assert set(found["status"]) == {"ok"}
    sizes = found.set_index(["data", "method"])["n_clusters"].to_dict()
    for name in ("pipeline", "f", "mixture"):
        assert [sizes[data, name] for data in "ab"] == [4, 2]
    # Other steps of the pipeline do not change.
    labels = make_pipeline(PCA(1, random_state=0), KMeans(4, random_state=0)).fit_predict(X)
    assert found["ari"][0] == pytest.approx(adjusted_rand_score(Y, labels))


def test_a_default_of_a_function_is_not_replaced_by_the_seed():
    def named(X, k=2, random_state=None):
        return np.random.default_rng(random_state).integers(k, size=len(X))

    methods = {f"k={k}": lambda X, k=k: np.arange(len(X)) % k for k in (2, 3)} | {"named": named}
    found = Study(methods, {"a": (X, Y)}, seeds=[5, 7]).run().results.set_index(["method", "seed"])
    assert found["n_clusters"].to_dict() == {(m, s): 3 if m == "k=3" else 2 for m in methods for s in (5, 7)}
    assert found.loc[("named", 7), "ari"] == pytest.approx(adjusted_rand_score(Y, named(X, 2, 7)))


def test_files_and_bundled_sets_are_data(tmp_path):
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(kind=np.array(["p", "q", "r"])[Y])
    frame.to_csv(tmp_path / "table.csv", index=False)
    data = [(tmp_path / "table.csv", "kind"), "iris", load_iris]
    with pytest.raises(ValueError, match="two data sets have the name 'iris'"):
        Study([KMeans(3)], data)
    study = Study([KMeans(3)], data[:2], seeds=1).run()
    assert list(study.data) == ["table", "iris"]
    expected = [
        adjusted_rand_score(y, KMeans(3, random_state=0).fit_predict(data))
        for data, y in ((X, Y), load_iris(return_X_y=True))
    ]
    assert study.results["ari"].tolist() == pytest.approx(expected)


def modulo_score(y, labels):
    return 1.0


def test_tables_and_page_are_escaped(tmp_path):
    study = Study({"a & <b>_": KMeans(2), "=c": KMeans(3)}, {"50 %_x": (X, Y)}, seeds=1, path=tmp_path).run()
    tex, html = study.table().to_latex(), study.table().to_html()
    assert r"a \& <b>\_" in tex
    assert r"50 \%\_x" in tex
    assert r"\toprule" in tex
    assert tex.count(r"\textbf{") == 2  # best score and rank
    assert "a &amp; &lt;b&gt;_" in html
    assert study.table().to_csv().splitlines()[0] == "data,a & <b>_,'=c"
    caption = (
        Study([KMeans(2)], [(X, Y)], [("a & 5%#_", modulo_score, "max")], seeds=1).run().table().to_latex()
    )
    assert r"\caption{a \& 5\%\#\_: mean" in caption
    names = [file.name for file in study.save("=c")]
    assert names == ["results.csv", "study.tex", "study.html"]
    assert "<b>" not in (tmp_path / "study.html").read_text()
    assert len(pd.read_csv(tmp_path / "results.csv")) == 2


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([KMeans(2), KMeans(3)], [(X, Y)]), {}, "two methods have the name 'KMeans'"),
        (({}, [(X, Y)]), {}, "at least one method, got none"),
        (({"a": KMeans}, [(X, Y)]), {}, "method 'a' must be a clusterer with fit_predict"),
        (({"a": StandardScaler()}, [(X, Y)]), {}, "method 'a' must be a clusterer"),
        (
            ([KMeans(2)], "iris"),
            {},
            "data sets must be a sequence or a mapping with names as keys, got 'iris'",
        ),
        (([KMeans(2)], [(X, Y)], ["arri"]), {}, "unknown score 'arri'.*did you mean 'ari'"),
        (([KMeans(2)], [(X, Y)], "ari"), {}, r"scores must be a non-empty sequence such as \['ari'\]"),
        (([KMeans(2)], [(X, Y)], ["ari", "ari"]), {}, "score name 'ari' is already used"),
        (([KMeans(2)], [(X, Y)], [("a", len, "up")]), {}, "direction of score 'a'"),
        (([KMeans(2)], {"a": (X, Y)}), {"n_clusters": {"b": 2}}, "every key of n_clusters"),
        (([KMeans(2)], {"a": (X, Y)}), {"n_clusters": {"a": 2.5}}, "n_clusters must be .*got 2.5"),
        (
            ([KMeans(2)], {"a": (X, Y)}),
            {"n_clusters": 0},
            "n_clusters must be an integer of at least 1",
        ),
        (([KMeans(2)], [(X, Y)]), {"seeds": 0}, "seeds must be"),
        (([KMeans(2)], [(X, Y)]), {"seeds": []}, r"seeds must be an integer of at least 1, got \[\]"),
        (([KMeans(2)], [(X, Y)]), {"seeds": np.array([1, 2**32])}, "seeds must be .* to 4294967295"),
        (([KMeans(2)], [(X, Y)]), {"timeout": 0}, "timeout must be"),
    ],
    ids=range(16),
)
def test_faults_are_named_at_once(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Study(*arguments, **options)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.ones(3), r"data set 'd' must have shape .*, got ndarray of shape \(3,\)"),
        (np.array([["a", "b"]]), "data set 'd' must have shape"),
        (Path("nowhere.csv"), "data set 'd' cannot be read: .*nowhere.csv"),
        ((X, Y[:3]), r"data set 'd' has 60 samples, but classes of shape \(3,\)"),
        (X, "score 'ari' requires classes, but no data set has any"),
    ],
    ids=range(5),
)
def test_data_that_no_method_can_read_are_named_before_a_run(tmp_path, data, message):
    study = Study([KMeans(2)], {"d": data}, path=tmp_path / "s")
    with pytest.raises(ValueError, match=message):
        study.run()
    assert not (tmp_path / "s").exists()
    with pytest.raises(ValueError, match="no finished cells"):
        study.table()


def test_another_study_is_refused_and_left_alone(tmp_path):
    def make(k=3, y=Y, **options):
        return Study({"m": KMeans(k)}, {"a": (X, y)}, seeds=1, path=tmp_path / "s", **options)

    make().run()
    before = (tmp_path / "s" / "results.jsonl").read_bytes()
    with pytest.raises(ValueError, match=r"method 'm' was .KMeans\(n_clusters=3\)., got .*=4"):
        make(4).run()
    with pytest.raises(ValueError, match="created with different parameters: data set 'a'"):
        make(y=1 - Y % 2).run()
    with pytest.raises(ValueError, match=r'scores was \["ari"\], got \["nmi"\]'):
        make(scores=["nmi"]).run()
    with pytest.raises(ValueError, match="already has a method named 'm'"):
        make().add({"m": KMeans(5)})
    # Results of another method are not shown as those of this one.
    with pytest.raises(ValueError, match=r"method 'm' was .KMeans\(n_clusters=3\)., got .*=4"):
        make(4).table()
    with pytest.raises(ValueError, match=r'scores was \["ari"\], got \["nmi"\]'):
        make(scores=["nmi"]).table()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").touch()
    with pytest.raises(ValueError, match="contains other files"):
        Study([KMeans(3)], {"a": (X, Y)}, path=tmp_path / "notes").run()
    assert (tmp_path / "s" / "results.jsonl").read_bytes() == before


def test_data_with_a_number_of_clusters_are_added(tmp_path):
    def make(**sizes):
        data = {name: one for name, one in {"a": (X, Y), "b": OTHER}.items() if name in sizes}
        study = Study({"m": KMeans(9)}, data, seeds=1, n_clusters=sizes, path=tmp_path / "s")
        return study.run().results["n_clusters"].tolist()

    assert make(a=3) == [3]
    assert make(a=3, b=2) == [3, 2]
    with pytest.raises(ValueError, match=r"data set 'a' was .\w+, 3 clusters., got .\w+, 4 clusters"):
        make(a=4, b=2)


def modulo(X, seed, k):
    return np.arange(len(X)) % k


def test_arguments_of_a_partial_tell_methods_apart(tmp_path):
    def make(k):
        return Study({"m": partial(modulo, k=k)}, {"a": (X, Y)}, seeds=1, path=tmp_path / "s").run()

    assert make(3).results["n_clusters"].tolist() == make(3).results["n_clusters"].tolist() == [3]
    with pytest.raises(ValueError, match=r"different parameters: method 'm'.*'k': 3.*'k': 4"):
        make(4)


KILLED = """
import sys, time
from moo_clustering.studies import Study
def slow(X, seed):
    time.sleep(0.05)
    return [seed % 2] * 149 + [0]
Study({"slow": slow}, ["iris"], seeds=200, path=sys.argv[1]).run()
"""


@pytest.mark.slow
def test_a_kill_loses_one_cell(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "s")])
    file = tmp_path / "s" / "results.jsonl"
    while process.poll() is None and not (file.exists() and file.read_bytes().count(b"\n") > 8):
        time.sleep(0.02)
    process.kill()
    process.wait()

    calls = []

    def slow(X, seed):
        calls.append(seed)
        return [seed % 2] * 149 + [0]

    n_saved = file.read_bytes().count(b"\n") - 3
    study = Study({"slow": slow}, ["iris"], seeds=n_saved + 3, path=tmp_path / "s").run()
    assert calls == [n_saved, n_saved + 1, n_saved + 2]
    assert set(study.results["status"]) == {"ok"}


def test_public_names():
    assert studies.__all__ == ["MethodComparison", "Study", "StudyTable", "Tuning"]


FILE = """
scores = ["ari"]
seeds = 2
path = "out"
compare = "ward"
[methods]
kmeans = {class = "sklearn.cluster.KMeans", n_clusters = 3}
ward = {class = "sklearn.cluster.AgglomerativeClustering", n_clusters = 3}
spherical-kmeans = {n_clusters = 2}
[data]
iris = "iris"
table = {file = "table.csv", labels = "kind"}
blobs = {generator = "make_blobs", n_samples = 40, centers = 3}
"""


def test_the_command_runs_what_the_file_says(tmp_path):
    pd.DataFrame(X, columns=["x", "y"]).assign(kind=Y).to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "study.toml").write_text(FILE)
    result = CliRunner().invoke(main, ["study", str(tmp_path / "study.toml")])
    assert result.exit_code == 0, result.output
    found = pd.read_csv(tmp_path / "out" / "results.csv")
    assert len(found) == 18
    labels = KMeans(3, random_state=1).fit_predict(X)
    (score,) = found.query("data == 'table' and method == 'kmeans' and seed == 1")["ari"]
    assert score == pytest.approx(adjusted_rand_score(Y, labels))
    assert "By ari on 3 data sets, averaged over 2 seeds, ward has a mean of" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("Saved in ")
    again = CliRunner().invoke(main, ["study", str(tmp_path / "study.toml"), "--quiet"])
    assert (again.exit_code, again.stdout) == (0, "")
    assert pd.read_csv(tmp_path / "out" / "results.csv").equals(found)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds", "sedes", "unknown key, 'sedes'; did you mean 'seeds'?"),
        ("[data]", "[else]", "unknown key, 'else'"),
        ('"sklearn.cluster.KMeans"', '"sklearn.cluster.Kmeans"', "method 'kmeans' cannot be created"),
        ("spherical-kmeans", "sperical-kmeans", "did you mean 'spherical-kmeans'?"),
        ('"make_blobs"', '"make_blob"', "data set 'blobs' must be"),
        ('"ward"', '"wart"', "compare must name a method of"),
        ("= 2\npath", "= [[\npath", "is not a valid TOML file"),
    ],
    ids=range(7),
)
def test_faults_of_the_file_are_one_sentence(tmp_path, old, new, message):
    (tmp_path / "study.toml").write_text(FILE.replace(old, new, 1))
    result = CliRunner().invoke(main, ["study", str(tmp_path / "study.toml")])
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()[-1:]) == 1
    assert not (tmp_path / "out").exists()


def test_keys_of_the_file_are_documented():
    page = (Path(__file__).parents[2] / "docs/api/command.md").read_text(encoding="utf-8")
    section = page.partition("| key of FILE | meaning |")[2].partition("## about")[0]
    listed = re.findall(r"^\| `\[?(\w+)\]?` \|", section, re.MULTILINE)
    assert set(listed) == {*inspect.signature(Study).parameters, "jobs", "compare"}


def test_a_study_without_a_folder_leaves_nothing(recwarn):
    study = Study([KMeans(2)], {"x": np.arange(8.0)[:, None]}, ["silhouette"], seeds=1).run()
    path, caption = study.path, study.table().caption
    assert path.is_dir()
    assert "over 1 seed;" in caption
    del study
    gc.collect()
    assert not path.exists()
    assert not [one for one in recwarn if issubclass(one.category, ResourceWarning)]


MIXED = pd.DataFrame(
    {
        "name": [f"n{row}" for row in range(40)],
        "weight": [f"{3 if row % 2 else 9}.{row % 7} kg" for row in range(40)],
        "kind": ["p" if row % 2 else "q" for row in range(40)],
        "class": ["a" if row % 2 else "b" for row in range(39)] + [""],
    }
)


def test_a_mixed_table_is_prepared_or_named(tmp_path):
    MIXED.to_csv(tmp_path / "mixed.csv", index=False)
    entry = 'mixed = {file = "mixed.csv", labels = "class", drop = ["name"]'
    method = 'k-means = {class = "sklearn.cluster.KMeans", n_clusters = 2}'
    text = f"seeds = 1\n[methods]\n{method}\n[data]\n{entry}"
    (tmp_path / "raw.toml").write_text(text + "}\n")
    done = CliRunner().invoke(main, ["study", str(tmp_path / "raw.toml")])
    assert done.exit_code == 2
    assert "'weight', 'kind' are not numeric" in done.stderr
    assert "set prepare = true to convert them, or drop = [...]" in done.stderr
    (tmp_path / "read.toml").write_text(text + ", prepare = true}\n")
    done = CliRunner().invoke(main, ["study", str(tmp_path / "read.toml")])
    assert done.exit_code == 0, done.stderr
    assert pd.read_csv(tmp_path / "read" / "results.csv")["ari"].tolist() == [1.0]


def warned(X, seed):
    warnings.warn("look", UserWarning, stacklevel=1)
    return drawn(X, seed)


def test_warnings_name_the_cell():
    with pytest.warns(UserWarning, match="^mine on blobs, seed 1: look$"):
        Study({"mine": warned}, {"blobs": (X, Y)}, seeds=2).run()
