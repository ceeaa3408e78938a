"""``fit`` with MOCK, SRMOSC and modes of categories."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MOCK, FuzzyCMeans, FuzzyModesMOGA
from moo_clustering.cli.describe import number_rows, plain_cell
from moo_clustering.cli.job import units_note
from moo_clustering.cli.samples import Samples
from moo_clustering.datasets import CategoryTable, read_table
from moo_clustering.estimators._methods import METHODS
from moo_clustering.persistence import read_archive

QUICK = ("--set", "pop_size=20", "--set", "n_gen=6")
TABLE = ("table.csv", "--id-column", "id", "--labels", "kind")


def record_in(folder):
    return json.loads((folder / "run.json").read_text())


def rows_of(text):
    """The summary's lines by their first words."""
    return dict(re.findall(r"^(\S.*?) {2,}(.*)$", text, flags=re.MULTILINE))


@pytest.fixture
def animals(tmp_path):
    """Thirty rows of two kinds, told apart by text and a number."""
    bird = np.arange(30) % 3 == 0
    frame = pd.DataFrame(
        {
            "name": [f"animal {i}" for i in range(30)],
            "cover": np.where(bird, "feathers", "hair"),
            "size": np.where(np.arange(30) % 5 == 0, "NA", "small"),
            "legs": np.where(bird, 2, 4),
            "kind": np.where(bird, "bird", "mammal"),
        }
    )
    frame.to_csv(tmp_path / "animals.csv", index=False)
    return frame


MODES = ("fit", "animals.csv", "--method", "fuzzy-modes-moga", "--no-prepare")
NAMED = ("--id-column", "name", "--labels", "kind")


@pytest.mark.slow
def test_mock_finds_the_number_of_clusters(run, table, tmp_path):
    result = run("fit", *TABLE, "--drop", "some", "--method", "mock", *QUICK, "--out", "out")
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    model = MOCK(pop_size=20, n_gen=6, random_state=0).fit(np.ascontiguousarray(table[["a", "b"]]))
    labels = pd.read_csv(out / "labels.csv")["label"]
    assert labels.tolist() == model.labels_.tolist()
    front = pd.read_csv(out / "front.csv")
    assert front.columns.tolist() == [
        "member", "variance", "connectivity", "n_clusters", "attainment", "chosen"
    ]  # fmt: skip
    assert front["n_clusters"].tolist() == model.pareto_K_.tolist()
    np.testing.assert_allclose(front["attainment"], model.attainment_scores_)
    assert front.loc[front["chosen"], "member"].tolist() == [model.chosen_]
    record = record_in(out)
    assert sorted(record["files"]) == sorted(
        [
            "clustered.csv",
            "clusters.csv",
            "model.skops",
            "labels.csv",
            "result.npz",
            "front.csv",
            "history.csv",
            "front.png",
            "history.png",
            "attainment.png",
            "report.npz",
            "report.html",
        ]
    )
    assert sorted(path.name for path in out.iterdir()) == sorted([*record["files"], "run.json"])
    arrays, _ = read_archive(out / "result.npz")
    assert np.array_equal(arrays["front_labels"], model.pareto_labels_)
    assert np.array_equal(arrays["front_n_clusters"], model.pareto_K_)
    assert not any("mst" in name or "tree" in name for name in arrays)


@pytest.mark.slow
def test_summary_names_the_chosen_number_and_the_promising_ones(run, tmp_path):
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [3, 0], [20, 0], [23, 0], [0, 20], [3, 20]], dtype=float)
    X = np.repeat(centres, 10, axis=0) + 0.6 * rng.normal(size=(60, 2))
    pd.DataFrame(X, columns=["a", "b"]).to_csv(tmp_path / "pairs.csv", index=False)
    fit = ("fit", "pairs.csv", "--method", "mock", "--set", "pop_size=40", "--set", "n_gen=15")
    result = run(*fit, "--out", "out")
    found = record_in(tmp_path / "out")
    rows, front = rows_of(result.stdout), pd.read_csv(tmp_path / "out" / "front.csv")
    number = found["result"]["n_clusters"]
    best = front["attainment"].max()
    assert rows["chosen"].startswith(f"{number} clusters by attainment score {best:.3f}")
    assert (
        rows["front"]
        == f"{len(front)} solutions with {front.n_clusters.min()} to {front.n_clusters.max()} clusters"
    )
    scores = front.groupby("n_clusters")["attainment"].max().dropna()
    around = np.concatenate([[-1], scores, [-1]])
    peaks = set(scores.index[(scores > around[:-2]) & (scores >= around[2:])]) - {number}
    assert peaks
    promising = found["attainment"]["also_promising"]
    assert {other["n_clusters"] for other in promising} == peaks
    assert [other["score"] for other in promising] == sorted(
        (other["score"] for other in promising), reverse=True
    )
    first = promising[0]
    assert rows["promising"].startswith(f"also {first['n_clusters']} ({first['score']:.3f})")
    command = ("-k", first["n_clusters"], "--set", "select=attainment")
    again = run(*fit, *command, "--out", "other")
    assert again.exit_code == 0, again.output
    partitions = read_archive(tmp_path / "out" / "result.npz")[0]["front_labels"]
    labels = pd.read_csv(tmp_path / "other" / "labels.csv")["label"]
    assert labels.tolist() == partitions[first["member"]].tolist()


@pytest.mark.slow
def test_mock_with_a_number_searches_no_control_data(run, table, tmp_path):
    result = run("fit", *TABLE, "--drop", "some", "--method", "delta-mock", "-k", 3, *QUICK, "--out", "out")
    assert result.exit_code == 0, result.output
    record = record_in(tmp_path / "out")
    assert record["result"]["sizes"] == [20, 20, 20]
    assert record["scores"]["adjusted_rand"] == 1.0
    assert record["parameters"]["connectivity"] == "published"
    assert "attainment" not in record
    assert "attainment.png" not in record["files"]
    assert "chosen" not in rows_of(result.stdout)
    assert "control" not in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alias", "options"),
    [("MOCK-2007", {"search": "pesa2"}), ("semi_mock", {"supervision": "objective"}), ("MOCK-PESC", {})],
)
def test_aliases_of_mock(run, table, tmp_path, alias, options):
    known = ("--partial-labels", "some", "-k", 3, "--set", "n_gen=5")
    assert run("fit", *TABLE, *known, "--method", alias, "--quiet", "--out", "out").exit_code == 0
    parameters = record_in(tmp_path / "out")["parameters"]
    assert {name: parameters[name] for name in options} == options
    assert parameters["n_gen"] == 5


def test_labels_and_pairs_of_mock(run, table, tmp_path):
    (tmp_path / "must.csv").write_text("s00,s05\n")
    (tmp_path / "cannot.csv").write_text("s00,s59\ns30,s01\n")
    given = ("--partial-labels", "some", "--must-link", "must.csv", "--cannot-link", "cannot.csv")
    result = run("fit", *TABLE, *given, "--method", "mock", *QUICK, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "by agreement with the labels or pairs" in rows_of(result.stdout)["chosen"]
    front = pd.read_csv(tmp_path / "out" / "front.csv").set_index("member")
    chosen = front[front["chosen"]].iloc[0]
    assert chosen["must_link_satisfied"] + chosen["cannot_link_satisfied"] == pytest.approx(
        (front["must_link_satisfied"] + front["cannot_link_satisfied"]).max()
    )
    assert "attainment" not in front


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "remedies"),
    [
        ("mock", [("--set", "scale=standard"), ("--set", "scale=none")]),
        ("fuzzy-cmeans", [("--weights", "equal")]),
    ],
)
def test_features_of_different_units(run, tmp_path, method, remedies):
    rng = np.random.default_rng(0)
    pd.DataFrame({"a": rng.normal(size=20), "b": 100 * rng.normal(size=20)}).to_csv("units.csv", index=False)
    fit = (
        "fit",
        "units.csv",
        "--method",
        method,
        "-k",
        2,
        *(QUICK if method == "mock" else ("--no-report",)),
    )
    stderr = run(*fit, "--out", "1").stderr
    assert re.search(rf"Note: one feature varies [\d.]+ times .*{' '.join(remedies[0])}", stderr)
    assert "times as much as another" in Path("1/run.json").read_text()
    for number, more in enumerate([*remedies, ("--quiet",)], 2):
        assert "Note" not in run(*fit, *more, "--out", number).stderr


@pytest.mark.parametrize("method", ["gustafson-kessel", "subspace-mixture", "sisc"])
def test_no_note_on_units_that_have_no_effect(method):
    X = np.random.default_rng(0).normal(size=(20, 2)) * [1.0, 100.0]
    samples = Samples(name="units", X=X, feature_names=["a", "b"], row_ids=np.arange(20))
    assert units_note(METHODS["fuzzy-cmeans"], FuzzyCMeans(2), samples) is not None
    assert units_note(METHODS[method], FuzzyCMeans(2), samples) is None


def test_how_the_number_was_chosen_is_told_of_runs_without_scores():
    record = {"result": {"n_clusters": 3}, "status": "interrupted"}
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = MOCK(select="knee", n_gen=2, pop_size=8, random_state=0).fit(X)
    assert number_rows(record, model.clustering_result().number_reason) == []
    model.interrupted_, model.select = True, "auto"
    [(name, text)] = number_rows(record, model.clustering_result().number_reason)
    assert (name, text[-24:]) == ("chosen", "no attainment scores yet")
    model.n_clusters = 3
    assert model.clustering_result().number_reason == ""


@pytest.mark.slow
def test_ctrl_c_and_resume_of_mock(run, table, tmp_path):
    table[["a", "b"]].to_csv(tmp_path / "t.csv", index=False)
    common = ("fit", "t.csv", "--method", "mock", "--set", "pop_size=20")
    command = [*common, "--set", "n_gen=1000000", "--checkpoint-every", "5", "--out", "out"]
    process = subprocess.Popen(
        [sys.executable, "-m", "moo_clustering", *command],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + 600
    while not (tmp_path / "out" / "checkpoint.npz").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 130, stderr
    assert "no attainment scores yet" in rows_of(stdout)["chosen"]
    assert "to continue, rerun the command with --resume" in stderr
    archive = read_archive(tmp_path / "out" / "checkpoint.npz")[0]
    done = next(array for name, array in archive.items() if name.endswith("generations"))[-1]
    for out in (("--out", "out", "--resume"), ("--out", "straight")):
        result = run(*common, "--set", f"n_gen={done + 3}", "--quiet", *out)
        assert result.exit_code == 0, result.output
    for name in ("labels.csv", "front.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()
    assert "attainment" in pd.read_csv(tmp_path / "out" / "front.csv")
    assert not (tmp_path / "out" / "checkpoint.npz").exists()


def test_srmosc(run, pictures, table, tmp_path):
    result = run("fit", *TABLE, "--partial-labels", "some", "--method", "srmosc", "-k", 3, "--out", "out")
    assert result.exit_code == 0, result.output
    record = record_in(tmp_path / "out")
    assert {"similarity.png", "front.png"} <= set(record["files"])
    assert record["scores"]["adjusted_rand"] > 0.9
    front = pd.read_csv(tmp_path / "out" / "front.csv")
    assert front["chosen"].sum() == 1
    arrays, _ = read_archive(tmp_path / "out" / "result.npz")
    assert arrays["similarity"].shape == (60, 60)
    assert "front_labels" not in arrays


@pytest.mark.slow
def test_generations_of_srmosc(run, fails, table, tmp_path):
    fit = ("fit", *TABLE, "--drop", "some", "-k", 3)
    for flag in (("--set", "n_gen=5"), ("--checkpoint-every", 2), ("--resume",)):
        message = fails(*fit, "--method", "srmosc", *flag, "--out", "out")
        assert "no generations with search=hull" in message
        assert "--set search=nsga2" in message
    result = run(
        *fit, "--method", "srmosc-evolved", *QUICK, "--checkpoint-every", 2, "--quiet", "--out", "out"
    )
    assert result.exit_code == 0, result.output
    assert pd.read_csv(tmp_path / "out" / "history.csv")["generation"].tolist() == list(range(7))


def test_categories_are_not_said_to_become_indicators(run, animals):
    prepared = [each for each in MODES if each != "--no-prepare"]
    message = run(*prepared, *NAMED, "-k", 2, *QUICK, "--out", "out").stderr
    assert "indicator" not in message
    message = run("fit", "animals.csv", *NAMED, "-k", 2, "--out", "other").stderr
    assert "converted to" in message
    assert "indicator" in message


def test_categories(run, animals, tmp_path):
    result = run(*MODES, *NAMED, "-k", 2, *QUICK, "--out", "out")
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    rows = rows_of(result.stdout)
    assert rows["data"] == "animals.csv, 30 samples, 3 features, 2 categorical"
    record = record_in(out)
    assert record["data"]["feature_names"] == ["cover", "size", "legs"]
    assert record["data"]["categories"] == ["cover", "size"]
    labels = pd.read_csv(out / "labels.csv")
    assert labels["row"].tolist() == animals["name"].tolist()
    assert adjusted_rand_score(animals["kind"], labels["label"]) == 1
    clusters = pd.read_csv(out / "clusters.csv", dtype=str, keep_default_na=False)
    assert clusters.columns.tolist() == ["cluster", "size", "cover", "size (attribute)", "legs"]
    for row in clusters.itertuples(index=False):
        inside = animals[labels["label"] == int(row.cluster)].astype(str)
        modes = [inside[name].mode()[0] for name in ("cover", "size", "legs")]
        assert [row.size, *row[2:]] == [str(len(inside)), *modes]
    printed = result.stdout.split("\n\n")[0].splitlines()
    assert printed[0].split() == ["cluster", "size", "name", "contrasts", "(nearest", "cluster)"]
    assert any("% feathers (0%)" in line and "legs 2 (" in line for line in printed)
    arrays, _ = read_archive(out / "result.npz")
    np.testing.assert_allclose(arrays["memberships"].sum(axis=1), 1)
    assert {"front.csv", "clusters.csv"} <= set(record["files"])


@pytest.mark.slow
def test_the_same_categories_in_other_columns_are_other_data(run, animals, tmp_path):
    animals.assign(cover=animals["cover"].replace("hair", "fur")).to_csv(tmp_path / "others.csv", index=False)
    prints = []
    for data in ("animals.csv", "others.csv"):
        run("fit", data, *MODES[2:], *NAMED, "-k", 2, *QUICK, "--quiet", "--out", data[:-4])
        prints.append(record_in(tmp_path / data[:-4])["data"]["fingerprint"])
    assert prints[0] != prints[1]


@pytest.mark.slow
def test_resume_with_categories(run, animals, tmp_path):
    (tmp_path / "out").mkdir()
    X = animals[["cover", "size", "legs"]].astype({"legs": float})
    options = {"pop_size": 20, "n_gen": 3, "random_state": 0, "checkpoint": tmp_path / "out/checkpoint.npz"}
    FuzzyModesMOGA(2, **options).fit(X)
    assert (tmp_path / "out" / "checkpoint.npz").exists()
    fit = (*MODES, *NAMED, "-k", 2, *QUICK)
    result = run(*fit, "--resume", "--out", "out")
    assert result.exit_code == 0, result.output
    assert run(*fit, "--quiet", "--out", "straight").exit_code == 0
    for name in ("labels.csv", "front.csv", "clusters.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()


def test_parquet_with_categories(run, animals, tmp_path):
    pytest.importorskip("pyarrow")
    frame = animals.drop(columns=["name", "kind"])
    frame["cover"] = frame["cover"].astype("category")
    frame["tame"] = np.arange(30) % 2 == 0
    frame.to_parquet(tmp_path / "a.parquet")
    run("fit", "a.parquet", *MODES[2:], "-k", 2, *QUICK, "--out", "out")
    clusters = pd.read_csv(tmp_path / "out" / "clusters.csv", dtype=str)
    assert set(clusters["cover"]) == {"feathers", "hair"}
    assert set(clusters["tame"]) <= {"True", "False"}
    frame.assign(day=pd.Timestamp("2020-01-01")).to_parquet(tmp_path / "b.parquet")
    message = run("fit", "b.parquet", *MODES[2:], "-k", 2, "--out", "other").stderr
    assert "dates in column 'day' converted to days" in message
    frame.assign(day=[b"monday"] * 30).to_parquet(tmp_path / "c.parquet")
    message = run("fit", "c.parquet", *MODES[2:], "-k", 2, "--out", "third").stderr
    assert "column 'day' must contain numbers or text, got bytes" in message


def test_numbers_around_means(run, table, tmp_path):
    fit = ("fit", *TABLE, "--drop", "some", "--method", "moga-numeric", "-k", 3, *QUICK, "--out", "out")
    result = run(*fit)
    assert result.exit_code == 0, result.output
    clusters = pd.read_csv(tmp_path / "out" / "clusters.csv")
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")["label"].to_numpy()
    means = table.groupby(labels)[["a", "b"]].mean()
    np.testing.assert_allclose(clusters[["a", "b"]], means, atol=1e-9)


def test_intervals_and_whole_numbers():
    cells = [pd.Interval(*ends, closed="left") for ends in ((-np.inf, 2.5), (2.5, 3.0), (3.0, np.inf))]
    assert [plain_cell(value) for value in cells] == ["< 2.5", "[2.5, 3)", ">= 3"]
    assert [plain_cell(value) for value in (4.0, np.float64(2.5), "x", True)] == [4, 2.5, "x", True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-k", 2), "column 'name' has a different value in every row ('animal 0' in row 1)"),
        (("-k", 2), "--id-column"),
        ((*NAMED,), "requires the number of clusters; set it with -k"),
        ((*NAMED, "-k", 2, "--set", "metric=euclidean"), "column 'cover' (such as 'feathers')"),
        ((*NAMED, "-k", 2, "--partial-labels", "cover"), "does not accept --partial-labels"),
        ((*NAMED, "-k", 31), "31"),
    ],
)
def test_mistakes_with_categories(fails, animals, tmp_path, arguments, message):
    assert message in fails(*MODES, *arguments, "--out", "out")
    assert not (tmp_path / "out").exists()


def test_empty_cells_of_categories(fails, animals, tmp_path):
    animals.loc[[3, 7], "cover"] = " "
    animals.to_csv(tmp_path / "animals.csv", index=False)
    message = fails(*MODES, *NAMED, "-k", 2, "--out", "out")
    assert "an empty cell in column 'cover', row 4 (and 1 more)" in message
    assert "'missing'" in message


def test_columns_that_look_like_mistakes(run, animals, tmp_path):
    animals["legs"] = animals["legs"].astype(str)
    animals.loc[4, "legs"] = "?"
    animals["name"] = [f"animal {i // 2 if i < 4 else i}" for i in range(30)]
    animals.to_csv(tmp_path / "animals.csv", index=False)
    result = run(*MODES, "--labels", "kind", "-k", 2, *QUICK, "--quiet", "--out", "out")
    assert result.stderr.splitlines() == [
        "Warning: column 'name' has 28 distinct values in 30 rows, too many for informative "
        "categories; drop it with --drop name",
        "Warning: all values of column 'legs' are used as categories, because cell '?' in row 5 is not "
        "a number",
    ]
    assert len(record_in(tmp_path / "out")["warnings"]) == 2


def test_text_for_methods_of_numbers(fails, animals):
    message = fails("fit", "animals.csv", "--method", "mock", "--no-prepare", "--out", "out")
    assert "columns 'name', 'cover', 'size', 'kind' are not numeric ('animal 0' in row 1)" in message
    assert "--drop name --drop cover --drop size and so on" in message
    assert "(fuzzy-modes-moga)" in message
    message = fails(
        "fit", "animals.csv", "--method", "pesc", "--no-prepare", *NAMED, "--drop", "size", "--out", "out"
    )
    assert "column 'cover' is not numeric ('feathers' in row 1); method pesc accepts only numbers" in message
    assert "--drop cover," in message


def test_methods_say_what_they_take(run):
    text = run("methods").stdout
    entry = text[text.index("\nfuzzy-modes-moga") :].split("\n\n")[0]
    assert "text columns" in entry
    assert "MOGA(pi,sep)" in entry
    for alias in ("MOCK-2007", "delta-MOCK", "Semi-MOCK", "SRMOSC-evolved"):
        assert alias in text


def test_read_and_shuffled_categories(animals, tmp_path):
    read = read_table(tmp_path / "animals.csv", labels="kind", id_column="name", categories=True)
    assert isinstance(read, CategoryTable)
    assert read.category_names == ("cover", "size")
    assert read.X["cover"].tolist() == animals["cover"].tolist()
    assert read.X["legs"].dtype == np.float64
    mixed = read.shuffled(3)
    assert mixed.row_ids.tolist() != read.row_ids.tolist()
    again = animals.set_index("name").loc[mixed.row_ids]
    assert mixed.X["cover"].tolist() == again["cover"].tolist()
    assert [mixed.target_names[code] for code in mixed.y] == again["kind"].tolist()
    assert [column.dtype.kind for column in mixed.columns()] == ["U", "U", "f"]
    numbers = read_table(
        tmp_path / "animals.csv", drop=["name", "cover", "size", "kind"], categories=True
    )  # fmt: skip
    assert type(numbers.X) is np.ndarray
