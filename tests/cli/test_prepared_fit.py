"""One table as it comes out of a spreadsheet, clustered by every method of tables."""

import gzip
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from moo_clustering import ParetoClustering
from moo_clustering.cli import main
from moo_clustering.cli.load import load_data, prepares
from moo_clustering.cli.samples import CategorySamples
from moo_clustering.datasets import DataError, prepare_table
from moo_clustering.estimators._methods import METHODS
from moo_clustering.visualization.report.page import load_content

TABULAR = [name for name, method in METHODS.items() if not (method.bags or method.areas)]
# Smaller searches than those of the defaults, so that a fit takes a moment.
SMALL = {
    "pareto-clustering": ("k_range=[2,3,4]",),
    "memetic-kmeans": ("strategy=ward",),
    "pesc": ("pop_size=10", "n_gen=2"),
    "nsga2-clus": ("pop_size=10", "n_gen=2"),
    "amosa-clus": ("k_max=4",),
    "ensemble-nmf": ("n_runs=3",),
    "nsga2-sisc": ("binarize=True", "pop_size=4", "n_gen=1"),
    "sisc": ("binarize=True",),
    "mock": ("pop_size=10", "n_gen=2"),
    "srmosc": ("pop_size=10",),
    "fuzzy-modes-moga": ("pop_size=10", "n_gen=2"),
}


@pytest.fixture
def messy(tmp_path, monkeypatch):
    """Sixty rows in three groups: decimal commas, categories, dates, units, empty cells, a comment."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    group = np.arange(60) % 3
    frame = pd.DataFrame(
        {
            "id": [f"s{row:02d}" for row in range(60)],
            "width": [f"{value:.2f}".replace(".", ",") for value in 5 + 6 * (group == 1) + rng.random(60)],
            "kind": np.array(["red", "green", "blue"])[group],
            "price": [f"{value:.0f} €" for value in 20 + 30 * (group == 2) + 5 * rng.random(60)],
            "day": (pd.Timestamp("2020-01-01") + pd.to_timedelta(group * 90, unit="D")).strftime("%d.%m.%Y"),
            "class": np.array(["p", "q", "r"])[group],
        }
    )
    frame.loc[[3, 17], "width"] = ""
    frame.loc[5, "kind"] = "n/a"
    text = "sep=;\n# measured by hand\n" + frame.to_csv(sep=";", index=False)
    (tmp_path / "messy.csv.gz").write_bytes(gzip.compress(text.encode()))
    return frame


ROLES = ("messy.csv.gz", "--id-column", "id", "--labels", "class")


def fit_of(method):
    settings = [item for setting in SMALL.get(method, ()) for item in ("--set", setting)]
    needed = () if method in ("mock", "amosa-clus", "nsga2-clus", "pareto-clustering") else ("-k", 3)
    return ("fit", *ROLES, "--method", method, *needed, *settings, "--out", "out")


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name in TABULAR if name != "metric-kmeans"])
def test_every_method_of_tables_takes_it(run, messy, tmp_path, method):
    result = run(*fit_of(method))
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    assert len(pd.read_csv(out / "labels.csv")) == 60
    notes = json.loads((out / "run.json").read_text())["data"]["notes"]
    assert any("decimal commas" in note for note in notes)
    assert (out / "report.html").stat().st_size > 10_000
    (out / "report.html").unlink()
    assert run("report", "out").exit_code == 0


@pytest.mark.parametrize("method", ["memetic-kmeans", "spherical-kmeans", "fuzzy-modes-moga"])
def test_methods_of_each_kind_take_it(run, messy, tmp_path, method):
    result = run(*fit_of(method), "--no-report")
    assert result.exit_code == 0, result.output
    assert "Note: 1 comment line dropped" in result.stderr
    assert ("columns have equal weights, because the table contains categories" in result.stderr) == (
        method == "memetic-kmeans"
    )
    assert json.loads((tmp_path / "out" / "run.json").read_text())["scores"]["adjusted_rand"] > 0.3


def test_categories_of_a_mixed_table_stay_integers_for_models(run, messy, tmp_path):
    """Equal weights would turn codes into fractions, and a Gaussian does not depend on the scale."""
    frame = pd.DataFrame({"code": np.arange(60) % 3, "kind": messy["kind"].fillna("red")})
    frame.to_csv("codes.csv", index=False)
    for method in ("icl-categories", "icl", "fuzzy-cmeans"):
        needed = ("-k", 3) if method == "fuzzy-cmeans" else ()
        result = run("fit", "codes.csv", "--method", method, *needed, "--no-report", "--out", method)
        assert result.exit_code == 0, result.output
        # Neither method has the option ``scale``.
        assert "--set scale" not in result.stderr
        assert ("columns have equal weights" in result.stderr) == (method == "fuzzy-cmeans")


def test_features_are_those_of_prepare_table(messy, tmp_path):
    columns = messy[["width", "kind", "price", "day"]]
    for name, scale in (("pareto-clustering", "equal"), ("mock", "equal"), ("ensemble-nmf", "none")):
        method = METHODS[name]
        samples = load_data(
            "messy.csv.gz", method, labels="class", id_column="id", prepares=prepares(method, {})
        )
        expected = prepare_table(columns, scale=scale)
        np.testing.assert_array_equal(samples.X, expected.X)
        assert tuple(samples.feature_names) == expected.feature_names
    method = METHODS["fuzzy-modes-moga"]
    samples = load_data("messy.csv.gz", method, labels="class", id_column="id", prepares=prepares(method, {}))
    assert isinstance(samples, CategorySamples)
    assert samples.X["kind"].isin(["red", "green", "blue"]).all()
    assert samples.X["day"].max() == 180


def test_numbers_alone_stay_as_they_are_but_for_the_recommended_method(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(30, 2)) * [1, 1000]
    pd.DataFrame(X, columns=["a", "b"]).to_csv(tmp_path / "numbers.csv", index=False)
    found = {
        name: load_data("numbers.csv", METHODS[name], prepares=prepares(METHODS[name], {}))
        for name in ("mock", "pareto-clustering")
    }
    np.testing.assert_array_equal(found["mock"].X, X)
    np.testing.assert_allclose(found["pareto-clustering"].X.var(axis=0), 1)


def test_scaling_of_ones_own(messy):
    samples = load_data(
        "messy.csv.gz",
        METHODS["mock"],
        labels="class",
        id_column="id",
        prepares=prepares(METHODS["mock"], {"scale": "minmax"}),
    )
    assert not samples.has_equal_columns
    assert set(samples.X[:, 1]) == {0, 1}


def test_without_preparation(fails, messy):
    message = fails(*fit_of("mock"), "--no-prepare")
    assert "are not numeric" in message
    assert "omit --no-prepare to convert such columns to features" in message
    assert "--no-prepare leaves columns unchanged; remove it or --missing" in fails(
        *fit_of("mock"), "--no-prepare", "--missing", "median"
    )


def test_tables_without_names(run, fails, tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(40, 2)) + 9 * (np.arange(40) % 2)[:, None]])
    np.savetxt(tmp_path / "bare.csv", X, delimiter="|", fmt="%.3f")
    fit = ("--method", "spherical-kmeans", "-k", 2, "--no-report")
    result = run("fit", "bare.csv", *fit, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "Note: the first line contains only numbers and is read as data" in result.stderr
    assert len(pd.read_csv("out/labels.csv")) == 40
    result = run("fit", "bare.csv", *fit, "--header", "--out", "named")
    assert len(pd.read_csv("named/labels.csv")) == 39
    (tmp_path / "twice.csv").write_text("0.2,0.2,x\n1,2,y\n3,1,x\n")
    message = fails("fit", "twice.csv", *fit, "--out", "other")
    assert message.endswith("two columns named '0.2'; if the first line is data, use --no-header")
    assert "--header and --no-header require a text table" in fails(
        "fit", "wine", "--no-header", "--out", "other"
    )


def test_the_report_has_the_units_of_the_table_and_the_options_that_were_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"height": np.repeat([150.0, 180.0], 20), "weight": np.repeat([50.0, 90.0], 20)})
    (frame + rng.normal(0, 1, (40, 2))).round(2).to_csv("people.csv", index=False)
    table = pd.read_csv("people.csv")
    for options in ((), ("--set", "n_neighbors=5")):
        arguments = [
            "fit",
            "people.csv",
            "-k",
            "2",
            "--set",
            "families=['km','ward','gmm','genie']",
            *options,
        ]
        assert CliRunner().invoke(main, [*arguments, "--quiet", "--out", f"out{len(options)}"]).exit_code == 0
        content = load_content(Path(f"out{len(options)}", "report.npz"))
        assert content.map.axes == ("height", "weight")
        assert np.allclose(content.map.positions, table.to_numpy())
        listed = dict(content.facts)["parameters"]
        assert ("scale" in listed, "n_neighbors=5" in listed) == (False, bool(options))


@pytest.mark.parametrize("scale", ["auto", "standard"])
def test_the_command_and_python_find_the_same(messy, tmp_path, scale):
    messy.to_csv("plain.csv", index=False)
    options = [] if scale == "auto" else ["--set", f"scale={scale}"]
    done = CliRunner().invoke(
        main,
        ["fit", "plain.csv", "--labels", "class", "--out", "out", "--seed", "3", "--no-report", *options],
    )
    assert done.exit_code == 0, done.output
    frame = pd.read_csv("plain.csv").drop(columns="class")
    model = ParetoClustering(scale=scale, random_state=3).fit(frame)
    np.testing.assert_array_equal(pd.read_csv("out/labels.csv")["label"], model.labels_)
    np.testing.assert_array_equal(model.predict(frame.iloc[::-1, ::-1]), model.labels_[::-1])
    notes = json.loads(Path("out/run.json").read_text())["data"]["notes"]
    # Notes of the command name its options; notes in Python name functions.
    assert {note.partition(" (")[0] for note in model.preparer_.notes_} <= {
        note.partition(" (")[0] for note in notes
    }


@pytest.mark.parametrize("form", ["semicolons", "parquet"])
def test_the_code_of_the_page_repeats_the_fit(messy, tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    table = messy.rename(columns={messy.columns[0]: "Größe"})
    if form == "parquet":
        table.to_parquet("table.parquet")
        read = "pd.read_parquet('table.parquet').drop(columns=['class'])"
    else:
        table.to_csv("table.csv", index=False, sep=";", decimal=",", encoding="cp1252")
        read = "pd.read_csv('table.csv', sep=';', encoding='cp1252').drop(columns=['class'])"
    path = next(tmp_path.glob("table.*")).name
    arguments = ["fit", path, "--labels", "class", "--set", "k_range=[2,3]", "--out", "out", "--quiet"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    code = dict(load_content(Path("out/report.npz")).lines)["The same fit in Python"]
    assert read in code
    names = {}
    exec(code, names)
    np.testing.assert_array_equal(pd.read_csv("out/labels.csv")["label"], names["model"].labels_)


def test_the_head_of_the_report_names_what_was_changed(messy, tmp_path):
    messy.assign(**{f"code {n}": [f"0{row % 2}" for row in range(60)] for n in range(12)}).to_csv("more.csv")
    arguments = ["fit", "more.csv", "--weights", "equal", "--set", "k_range=[2,3]", "--out", "out", "--quiet"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    record, facts = json.loads(Path("out/run.json").read_text()), load_content(Path("out/report.npz")).facts
    notes = record["data"]["notes"]
    assert len(notes) > 12
    assert dict(facts)["preparation"] == "; ".join(notes[:12]) + f"; {len(notes) - 12} more steps in run.json"
    assert [value for name, value in facts if name == "warning"] == record["warnings"]
    assert any("no structure" in text for text in record["warnings"])


def test_notes_name_options_of_python_or_of_the_command(messy):
    rng = np.random.default_rng(1)
    frame = messy.assign(
        **{
            "my remark": [f"this is remark number {row} of all" for row in range(60)],
            "draw": rng.integers(0, 2, 60),
        }
    )
    frame.to_csv("more.csv", index=False)
    model = ParetoClustering(k_range=[2, 3], random_state=0).fit(pd.read_csv("more.csv"))
    arguments = ["fit", "more.csv", "--set", "k_range=[2,3]", "--out", "out", "--quiet", "--no-report"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    found = json.loads(Path("out/run.json").read_text())["data"]["notes"]
    ways = {
        "sample_names=X['id'] uses it as row": "--id-column id uses it as row",
        "use read_documents": "use --text-columns 'my remark'",
        'TablePreparer(weights="equal") keeps': "--weights equal keeps",
        "drop a column to exclude it": "--drop excludes a column",
        "exclude it from the fit": "use --labels class",
    }
    for notes, others, own in ((model.preparer_.notes_, found, ways), (found, [], ways.values())):
        assert all(sum(way in note for note in notes) == 1 for way in own)
        assert not any(way in note for note in others for way in own)
    assert not any("--" in note for note in model.preparer_.notes_)
    assert {type(note) for note in model.preparer_.notes_} == {str}
    assert all(
        flag in CliRunner().invoke(main, ["fit", "--help"]).output
        for flag in re.findall(r"--[a-z-]+", str(found))
    )
    frame[["my remark"]].to_csv("texts.csv", index=False)
    with pytest.raises(DataError, match=r"'my remark' .*; use read_documents to cluster by words") as error:
        prepare_table(frame[["my remark"]])
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    refused = CliRunner().invoke(main, ["fit", "texts.csv", "--out", "other"])
    assert (
        "a different value in every row; use --text-columns 'my remark' to cluster by words" in refused.stderr
    )
