"""Granularities and intervals of the number of clusters, by a naive search of the pool."""

import json
import re
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.cli import main
from moo_clustering.visualization.report import report_content

LEVELS = ("few", "some", "many")


def fitted(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ParetoClustering(*arguments, random_state=0, **options).fit(load_wine().data)


@pytest.fixture(scope="module")
def wine():
    return fitted(min_cluster_size=1)


def naive_best(model, numbers):
    """Labels of the partition with the greatest score among those with these numbers of clusters."""
    scores = model.scores_
    inside = scores[scores.n_clusters.isin(numbers)]
    return model.pool_.labels[inside.sort_values("n_clusters").score.idxmax()]


def level_of(k, numbers):
    """The third of the range on a logarithmic scale, in exact integer arithmetic."""
    low, high = min(numbers), max(numbers)
    return LEVELS[int(k**3 > low**2 * high) + int(k**3 > low * high**2)]


def test_levels_are_thirds_of_the_pool_and_their_best_partitions_are_those_of_a_naive_search(wine):
    numbers = sorted(set(wine.pool_.n_clusters.tolist()))
    wine.choose("auto")
    assert wine.granularity_ == level_of(wine.n_clusters_, numbers)
    expected = wine.granularities_
    for level in LEVELS:
        best = naive_best(wine, [k for k in numbers if level_of(k, numbers) == level])
        assert adjusted_rand_score(wine.choose(level).labels_, best) == 1
        assert wine.granularity_ == level
        assert expected[level] == wine.n_clusters_
        again = fitted(granularity=level, min_cluster_size=1)
        assert_array_equal(again.labels_, wine.labels_)
        assert again.granularity_ == level
        assert again.choose("select").n_clusters_ == wine.n_clusters_
    assert {*LEVELS} < set(wine.rules_)


def test_an_interval_restricts_the_number_also_with_pairs_and_without_a_new_fit(wine):
    wine.choose("auto")
    for interval in ((2, 2), (4, 6), (7, 14)):
        model = fitted(interval, min_cluster_size=1)
        best = naive_best(wine, range(interval[0], interval[1] + 1))
        assert adjusted_rand_score(model.labels_, best) == 1
        assert interval[0] <= model.n_clusters_ <= interval[1]
        before = fitted(min_cluster_size=1).relabel(n_clusters=interval)
        assert_array_equal(before.labels_, model.labels_)
        links = [(i, i + 1) for i in range(20)]
        paired = model.relabel(must_link=links, cannot_link=[(i, i + 120) for i in range(20)])
        assert interval[0] <= paired.n_clusters_ <= interval[1]
    message = r"no partition of the pool has n_clusters=\(60, 70\); its partitions have 2 to 14 clusters"
    with pytest.raises(ValueError, match=message):
        wine.relabel(n_clusters=(60, 70))
    assert wine.n_clusters is None


def test_granularities_are_those_of_the_default_fit_and_intervals_extend_the_pool():
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(20), 6)
    X = 20 * np.stack(np.divmod(classes, 5), axis=1) + rng.normal(size=(120, 2))
    # The square root of 120 is 11.
    interval = ParetoClustering((15, 24), random_state=0).fit(X)
    assert adjusted_rand_score(classes, interval.labels_) == 1
    assert interval.verdict_ != "no structure beyond noise"
    assert interval.pool_.n_clusters.max() == 24
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    of_distances = ParetoClustering((15, 24), metric="precomputed", random_state=0).fit(distances)
    assert adjusted_rand_score(classes, of_distances.labels_) == 1
    auto = ParetoClustering(random_state=0).fit(X)
    for level, number in auto.granularities_.items():
        again = ParetoClustering(granularity=level, random_state=0).fit(X)
        assert (again.granularity_, again.n_clusters_) == (level, number)
        assert again.granularities_ == auto.granularities_


def test_no_answer_divides_equal_rows():
    rng = np.random.default_rng(0)
    X = np.concatenate([np.zeros((30, 5)), rng.normal(5, 1, (10, 5)), rng.normal(-5, 1, (15, 5))])
    model = ParetoClustering(random_state=0).fit(X)
    assert (model.pool_.labels[:, 1:30] != model.pool_.labels[:, :1]).any()
    shown = [*zip(model.alternatives_.n_clusters, model.alternative_labels_, strict=True)]
    assert shown
    for row, (number, labels) in enumerate(shown):
        assert len(np.unique(labels[:30])) == 1
        assert number == len(np.unique(labels))
        assert_array_equal(model.choose(f"alternative-{row}").labels_, labels)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": (5, 3)}, r"a pair of minimum and maximum such as \(2, 5\); got \(5, 3\)"),
        ({"n_clusters": (2,)}, r"such as \(2, 5\); got \(2,\)"),
        ({"n_clusters": (0, 3)}, r"got \(0, 3\)"),
        ({"n_clusters": (True, 3)}, r"got \(True, 3\)"),
        ({"n_clusters": (200, 300)}, "n_clusters=200 must not exceed the number of samples, 178"),
        ({"n_clusters": 3, "granularity": "few"}, "n_clusters and granularity are mutually exclusive"),
        (
            {"granularity": "many", "k_range": [2], "families": ("km", "ward")},
            "granularity must be one of 'few' for this pool, got 'many'",
        ),
        ({"n_clusters": (50, 60), "k_range": [2, 3]}, "Change n_clusters or k_range"),
    ],
)
def test_what_the_pool_cannot_have_is_said_in_a_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        fitted(**options)


def test_the_summary_and_the_report_name_the_neighbours(wine):
    wine.choose("some")
    numbers = wine.granularities_
    line = next(row for row in wine.summary().splitlines() if row.startswith("granularity: "))
    few, some, many = (numbers[level] for level in LEVELS)
    assert line == f"granularity: some ({some} clusters); coarser: few ({few}); finer: many ({many})"
    reasons = [cut[1] for cut in report_content(wine).cuts]
    assert "The chosen solution. Granularity: some." in reasons
    others = [reason for reason in reasons if reason.startswith("alternative-")]
    assert others
    assert all(re.match(r"alternative-\d+ \((few|some|many)\): found by ", reason) for reason in others)
    wine.choose("auto")


def test_the_command_accepts_both_and_repeats_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = np.random.default_rng(0).normal(size=(60, 3)) + 6 * (np.arange(60) % 3)[:, None]
    np.savetxt("t.csv", table, delimiter=",", header="a,b,c", comments="")

    def run(*options):
        return CliRunner().invoke(main, ["fit", "t.csv", *options])

    assert run("-k", "4-5", "--out", "interval", "--quiet").exit_code == 0
    record = json.loads((tmp_path / "interval" / "run.json").read_text())
    assert 4 <= record["result"]["n_clusters"] <= 5
    assert record["granularities"][record["granularity"]] == record["result"]["n_clusters"]
    assert "-k 4-5" in (tmp_path / "interval" / "report.html").read_text(encoding="utf-8")
    few = run("--granularity", "few", "--out", "few", "--no-report")
    assert "granularity    few (" in few.stdout
    assert (
        "requires a single number of clusters, got -k 4-5"
        in run("-k", "4-5", "--method", "mock", "--out", "m").stderr
    )
    assert (
        "does not accept --granularity"
        in run("--granularity", "few", "--method", "mock", "--out", "m").stderr
    )
    assert "use a number (3), an interval (2-5) or auto" in run("-k", "three", "--out", "m").stderr
