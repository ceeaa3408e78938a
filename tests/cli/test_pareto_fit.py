"""``fit`` without a method and a number of clusters: one table as it comes, and all that is written."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.cli import main
from moo_clustering.datasets import prepare_table
from moo_clustering.persistence import read_archive

KINDS = np.repeat(["oak", "elm", "ash"], 24)


def messy_table():
    """Three groups in numbers, a date and two columns of text, as a German spreadsheet might have them."""
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1, 2], 24)
    day = pd.Timestamp("2021-01-20") + pd.to_timedelta(group * 200 + rng.integers(0, 20, 72), unit="D")
    frame = pd.DataFrame(
        {
            "tree": [f"T-{row:03d}" for row in range(72)],
            "height": [f"{value:.2f}".replace(".", ",") for value in 5 + 6 * group + rng.normal(size=72)],
            "sick": [f"{value:.0f} %" for value in 10 + 30 * group + rng.normal(0, 3, 72)],
            "soil": np.array(["sand", "clay", "peat"])[group],
            "felled": np.where((group == 0) ^ (np.arange(72) == 30), "ja", "nein"),
            "planted": day.strftime("%d.%m.%Y"),
            "country": "DE",
            "empty": "",
            "kind": KINDS,
        }
    )
    frame.loc[[3, 30], "height"] = ["", "k.A."]
    frame.loc[[5, 40, 60], "soil"] = "n/a"
    return frame.sample(frac=1, random_state=5).reset_index(drop=True)


def fit(folder, frame, *arguments, out="out"):
    path = folder / "trees.csv"
    frame.to_csv(path, index=False, sep=";", encoding="utf-8-sig")
    return CliRunner().invoke(main, ["fit", str(path), *map(str, arguments), "--out", str(folder / out)])


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A fit of the table, and its folder."""
    folder = tmp_path_factory.mktemp("fit")
    result = fit(folder, messy_table(), "--labels", "kind", "--pictures")
    assert result.exit_code == 0, result.output
    return result, folder / "out"


def record_of(folder):
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def test_clusters_are_those_of_the_estimator_on_the_prepared_table(fitted):
    _, out = fitted
    prepared = prepare_table(messy_table().drop(columns="kind"))
    estimator = ParetoClustering(scale="none", random_state=0).fit(prepared.X)
    labels = pd.read_csv(out / "labels.csv")
    assert labels.columns.tolist() == ["row", "label"]
    assert labels["row"].tolist() == list(range(72))
    assert labels["label"].tolist() == estimator.labels_.tolist()
    assert adjusted_rand_score(messy_table()["kind"], labels["label"]) == 1.0
    scores = pd.read_csv(out / "scores.csv")
    np.testing.assert_allclose(scores["score"], estimator.scores_["score"])
    alternatives = pd.read_csv(out / "alternatives.csv")
    assert np.array_equal(alternatives.iloc[:, 1:].to_numpy().T, estimator.alternative_labels_)
    assert alternatives["row"].tolist() == labels["row"].tolist()
    record = record_of(out)
    assert (record["confidence"], record["verdict"]) == (estimator.confidence_, estimator.verdict_)
    assert record["structure_p_value"] == estimator.structure_p_value_


def test_what_is_said_of_the_table(fitted):
    notes = [line.removeprefix("Note: ") for line in fitted[0].stderr.splitlines()]
    assert notes == record_of(fitted[1])["data"]["notes"]
    expected = [
        "column 'tree' dropped: a different value in every row (--id-column tree uses it as row names)",
        "column 'country' dropped: constant",
        "column 'empty' dropped: empty",
        "text in 2 columns (soil, felled) converted to 4 indicator features",
        "dates in column 'planted' converted to days (--drop excludes a column)",
        "column 'height' read as numbers with decimal commas",
        "column 'height' contains numbers except for 'k.A.', which is treated as missing",
        "column 'sick' read as numbers in %",
        "2 missing values were filled with the mean of the nearest rows, in column 'height'",
        "3 missing values were filled with the most frequent value of the nearest rows, in column 'soil'",
    ]
    assert notes == expected


def test_what_is_said_of_the_clusters(fitted):
    lines = fitted[0].stdout.splitlines()
    rows = dict(line.split("  ", 1) for line in lines if "  " in line)
    rows = {name.strip(): text.strip() for name, text in rows.items()}
    assert rows["data"] == "trees.csv, 72 samples, 5 columns converted to 7 features"
    assert rows["method"].endswith("the default method")
    assert rows["clusters"] == "3 of 24, 24, 24 samples"
    assert " (expected adjusted Rand index with known classes 0." in rows["verdict"]
    assert "expected index 0." in rows["alternative-0"]
    assert "found by " in rows["alternative-0"]
    assert rows["adjusted rand"] == "1.0000"
    assert sum(line.startswith("Nearly every cluster contains a single value of") for line in lines) <= 1


def test_every_file_is_there_and_listed(fitted):
    _, out = fitted
    record = record_of(out)
    assert sorted(path.name for path in out.iterdir()) == sorted([*record["files"], "run.json"])
    pictures = {"front.png", "similarity.png", "partition.png"}
    assert pictures < set(record["files"])
    for name in pictures:
        assert (out / name).read_bytes().startswith(b"\x89PNG")
        assert (out / name).stat().st_size > 5000
    arrays, meta = read_archive(out / "result.npz")
    assert arrays["labels"].tolist() == pd.read_csv(out / "labels.csv")["label"].tolist()
    assert meta["data"] == record["data"]
    assert arrays["pool_labels"].shape == (record["pool_size"], 72)
    assert json.loads(json.dumps(record)) == record
    assert record["method"] == "pareto-clustering"
    assert record["method_taken"] == "the default method"
    assert record["data"]["categories"] == ["soil", "felled"]


def test_alternatives_are_unlike_and_summed_up(fitted):
    _, out = fitted
    labels = pd.read_csv(out / "labels.csv")["label"]
    others = pd.read_csv(out / "alternatives.csv").drop(columns="row")
    summary = pd.read_csv(out / "alternatives_summary.csv").set_index("alternative")
    assert summary.index.tolist() == others.columns.tolist()
    assert len(others.columns) > 0
    for name in others:
        assert others[name].nunique() == summary["n_clusters"][name]
        assert adjusted_rand_score(labels, others[name]) == pytest.approx(summary["ari_to_labels"][name])
    assert (summary["ari_to_labels"] <= 0.8).all()


def test_clusters_are_described_in_units_of_the_table(fitted):
    _, out = fitted
    table = messy_table()
    clusters = pd.read_csv(out / "clusters.csv").set_index("cluster")
    labels = pd.read_csv(out / "labels.csv")["label"]
    height = prepare_table(table.drop(columns="kind")).columns["height"]
    np.testing.assert_allclose(clusters["height"], height.groupby(labels).mean(), rtol=1e-4)
    for cluster, group in table.groupby(labels.to_numpy()):
        assert clusters["soil"][cluster] == group["soil"].replace("n/a", None).mode()[0]
        assert clusters["size"][cluster] == len(group)
        share = (group["soil"] == clusters["soil"][cluster]).mean()
        assert share > 0.5
    assert (pd.to_datetime(clusters["planted"]).dt.year >= 2021).all()
    assert clusters["contrasts"].str.contains(r"soil \d+% \w+ \(\d+%\)").all()
    assert clusters["contrasts"].str.contains(r"height [\d.]+ \([\d.]+\)").any()
    assert clusters["name"].is_unique


def test_order_of_rows_and_classes_do_not_matter(fitted, tmp_path):
    table = messy_table()
    moved = table.sample(frac=1, random_state=8)
    moved["kind"] = np.random.default_rng(0).permutation(moved["kind"].to_numpy())
    result = fit(tmp_path, moved, "--labels", "kind", "--quiet")
    assert result.output == ""
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")["label"].to_numpy()
    first = pd.read_csv(fitted[1] / "labels.csv")["label"].to_numpy()
    assert adjusted_rand_score(first[moved.index], labels) == 1.0
    assert record_of(tmp_path / "out")["scores"]["adjusted_rand"] < 0.5


def test_number_of_clusters_and_identifiers(tmp_path):
    table = messy_table().drop(columns="kind")
    result = fit(tmp_path, table, "-k", 2, "--id-column", "tree", "--drop", "soil")
    assert result.exit_code == 0, result.output
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")
    assert labels["row"].tolist() == table["tree"].tolist()
    assert labels["label"].nunique() == 2
    assert "tree" not in result.stderr
    assert record_of(tmp_path / "out")["data"]["categories"] == ["felled"]


@pytest.mark.slow
def test_columns_that_sort_the_clusters_are_named(tmp_path):
    table = messy_table().drop(columns="kind")
    table["sold"] = np.where(np.random.default_rng(1).random(72) < 0.5, "yes", "no")
    result = fit(tmp_path, table, "--drop", "felled", "--weights", "equal")
    named = record_of(tmp_path / "out")["sorted_by"]
    assert "sold" in named
    assert "height" not in named
    shown = " and of ".join(map(repr, named))
    remark = f"Nearly every cluster contains a single value of {shown}. To find other clusters, exclude"
    assert remark in result.stdout
    assert [text for text in record_of(tmp_path / "out")["warnings"] if text.startswith(remark)]
    assert remark.partition(" of ")[0] in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.slow
def test_a_column_of_words_that_tells_nothing_changes_no_cluster(fitted, tmp_path):
    table = messy_table()
    table["sold"] = np.array(["yes", "no", "maybe"])[np.random.default_rng(1).integers(3, size=72)]
    result = fit(tmp_path, table, "--labels", "kind", "--no-report")
    assert "column 'sold' dropped: few distinct values, and no dependence on any" in result.stderr
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")["label"]
    assert labels.equals(pd.read_csv(fitted[1] / "labels.csv")["label"])


@pytest.mark.slow
def test_missing_cells_that_clusters_follow_are_told(tmp_path):
    table = messy_table().drop(columns="kind")
    table.loc[table["soil"] == "clay", "sick"] = ""
    result = fit(tmp_path, table, "-k", "3", "--missing", "median", "--no-report")
    said = "the clusters are associated with missing cells in 'sick': they may reflect how cells were filled"
    assert said in result.stderr
    assert any(said in line for line in record_of(tmp_path / "out")["warnings"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--weights", "equal", "--set", "scale=isotropic"), "--weights requires equally scaled columns"),
        (
            ("--weights", "equal", "--method", "spherical-kmeans", "-k", "2"),
            "--weights requires equally scaled columns, but method spherical-kmeans keeps the original scale",
        ),
        (("--missing", "mean"), "is not one of 'neighbors', 'median'"),
    ],
)
def test_options_of_the_preparation_that_do_not_apply(tmp_path, options, message):
    table = pd.DataFrame({"x": range(20), "y": np.arange(20) ** 2, "soil": "a", "felled": "b"})
    result = fit(tmp_path, table, *options)
    assert result.exit_code != 0
    assert message in result.output


@pytest.mark.slow
def test_scale_of_ones_own(tmp_path):
    table = messy_table()[["height", "soil"]]
    assert fit(tmp_path, table, "--set", "scale=isotropic", "--quiet").exit_code == 0
    record = record_of(tmp_path / "out")
    assert record["parameters"]["scale"] == "isotropic"
    numbers = prepare_table(table, scale="none")
    labels = ParetoClustering(scale="isotropic", random_state=0).fit(numbers.X).labels_
    assert pd.read_csv(tmp_path / "out" / "labels.csv")["label"].tolist() == labels.tolist()
