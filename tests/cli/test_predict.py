"""The commands ``predict`` and ``explain``: clusters of further rows, and rules, by the model of a run."""

import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from skops import io

from moo_clustering.cli import main
from moo_clustering.cli.folder import load_model
from moo_clustering.estimators._methods import METHODS
from tests.cli.test_prepared_fit import SMALL

NAMES = [name for name, method in METHODS.items() if not (method.bags or method.areas)]


class Foreign:
    """A type of another package."""


def table(seed=0, n=60):
    """Three groups of rows, with a unit, categories, dates and a name."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    return pd.DataFrame(
        {
            "name": [f"tree {row}" for row in range(n)],
            "height": [f"{value:.1f} m".replace(".", ",") for value in rng.normal(10.0 * group + 5, 0.5)],
            "wood": np.array(["soft", "hard", "none"])[group],
            "planted": pd.Timestamp("2001-01-01")
            + pd.to_timedelta(1000 * group + rng.integers(0, 90, n), unit="D"),
        }
    )


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """A folder with a table and a fit of it."""
    folder = tmp_path_factory.mktemp("trees")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        table().to_csv("trees.csv", index=False)
        done = run("fit", "trees.csv", "--out", "out", "--set", "k_range=[2,3,4]", "--no-report", "--quiet")
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def fitted(trees, tmp_path, monkeypatch):
    """A copy of this folder, which a test may change."""
    shutil.copytree(trees, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def predicted(*arguments):
    done = run("predict", "out", *arguments)
    assert done.exit_code == 0, done.output
    return done


def test_rows_of_the_fit_get_their_clusters(fitted):
    clustered = pd.read_csv("out/clustered.csv")
    added = ["cluster", "name_", "typical", "support", "doubtful"]
    assert list(clustered) == [*table(), *added]
    assert clustered.drop(columns=added).astype(str).equals(table().astype(str))
    assert clustered["typical"].sum() == 15
    assert clustered["cluster"].tolist() == pd.read_csv("out/labels.csv")["label"].tolist()
    done = predicted("trees.csv")
    assert (
        f"Note: all {len(clustered)} rows also occur in the fit; if they are the rows of the fit"
        in done.stderr
    )
    found = pd.read_csv("trees-clustered.csv")
    assert found.drop(columns="unlike").equals(clustered[[*table(), "cluster", "name_", "support"]])
    assert found["unlike"].mean() < 0.05
    assert "Saved trees-clustered.csv." in done.stdout
    assert {"clustered.csv", "model.skops"} <= set(json.loads(Path("out/run.json").read_text())["files"])


def test_further_rows(fitted):
    new = table(7, 30).drop(columns="name").iloc[::-1, ::-1]
    new["cluster"] = "mine"
    new.loc[0, "wood"] = "bamboo"
    new.loc[1, "height"] = "250,0 m"
    new.loc[[0, 2], "height"] = "not measured"
    new.to_csv("new.csv", index=False)
    done = predicted("new.csv", "--out", "found.csv")
    found = pd.read_csv("found.csv")
    assert list(found) == [*new, "cluster_", "name", "support", "unlike", "ignored"]
    assert found["ignored"].dropna().to_dict() == {27: "height", 29: "height, wood"}
    assert "Some cells in 2 rows were treated as missing; the column ignored lists them." in done.stdout
    groups = pd.read_csv("out/clustered.csv").groupby("wood")["cluster"].first()
    known = found[~found["unlike"] & found["ignored"].isna()]
    assert len(known) > 20
    assert (known["cluster_"] == groups[known["wood"]].to_numpy()).all()
    assert found.loc[found["height"] == "250,0 m", "unlike"].all()
    assert "Note: column 'wood' has 1 category not seen in the fit ('bamboo')" in done.stderr
    assert "Note: column 'height' has" in done.stderr
    assert "unlike the fit: noise, or farther from the nearest row of the fit" in done.stdout
    record = json.loads(predicted("new.csv", "--out", "third.csv", "--json").stdout)
    assert [each for each in record["columns"] if each["kind"] != "beyond range"] == [
        {"column": "height", "kind": "unreadable", "n_rows": 2, "values": ["not measured"], "rows": [27, 29]},
        {"column": "wood", "kind": "new category", "n_rows": 1, "values": ["bamboo"], "rows": [29]},
    ]
    assert predicted("new.csv", "--out", "again.csv", "--quiet").output == ""
    assert Path("again.csv").read_bytes() == Path("found.csv").read_bytes()


def test_another_number_of_clusters(fitted):
    files = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    done = predicted("trees.csv", "-k", "2")
    found = pd.read_csv("trees-clustered.csv")
    model = load_model(Path("out"))["estimator"].relabel(n_clusters=2)
    assert found["cluster"].tolist() == model.labels_.tolist()
    assert found["cluster"].nunique() == found["name_"].nunique() == 2
    assert all(name in done.stdout for name in found["name_"])
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == files


def test_classes_of_partial_labels(fitted):
    frame = table()
    frame["kind"] = np.where(np.arange(60) < 12, frame["wood"].str.upper(), "")
    frame.to_csv("partly.csv", index=False)
    done = run("fit", "partly.csv", "--partial-labels", "kind", "--out", "out2", "--no-report", "--quiet")
    assert done.exit_code == 0, done.output
    done = run("predict", "out2", "trees.csv")
    assert done.exit_code == 0, done.output
    found = pd.read_csv("trees-clustered.csv", keep_default_na=False)
    assert (found["class"] == found["wood"].str.upper()).all()
    assert "SOFT" in done.stdout
    done = run("predict", "out2", "trees.csv", "--out", "two.csv", "-k", "2")
    assert "n_clusters requires a fit without labels and pairs; fit again with -k" in done.stderr


NO_MODEL = {"fuzzy-modes-moga"}
# Their predictions of documents of the fit may differ from the labels.
OTHER_LABELS = {"ensemble-nmf", "nmf-clustering"}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_method(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv("trees.csv", index=False)
    options = [part for setting in SMALL.get(name, ()) for part in ("--set", setting)]
    for more in ((), ("-k", "3")):
        done = run(
            "fit", "trees.csv", "--method", name, "--out", "out", "--no-report", "--quiet", *more, *options
        )
        if done.exit_code == 0:
            break
    assert done.exit_code == 0, done.output
    if not Path("out/model.skops").exists():
        assert name in NO_MODEL
        assert "has no model.skops" in run("predict", "out", "trees.csv").stderr
        return
    assert name not in NO_MODEL
    predicted("trees.csv")
    labels = pd.read_csv("out/labels.csv")["label"]
    found = pd.read_csv("trees-clustered.csv")["cluster"]
    assert found.tolist() == labels.tolist() or name in OTHER_LABELS


REFUSED = {
    "no folder": (lambda: ("nowhere", "trees.csv"), "nowhere does not exist"),
    "no run": (lambda: (Path("empty"), "trees.csv"), "empty"),
    "no file": (lambda: ("out", "nothing.csv"), "file nothing.csv does not exist"),
    "no rows": (lambda: ("out", "rows.csv"), "no rows"),
    "a column too few": (lambda: ("out", "few.csv"), "few.csv: the table lacks column 'wood' of the fit"),
    "another name": (
        lambda: ("out", "named.csv"),
        "lacks column 'wood' of the fit, but has new names ('tree');",
    ),
    "another case": (lambda: ("out", "case.csv"), "it has column 'Wood', but names must match exactly"),
    "text": (
        lambda: ("out", "text.csv"),
        "had numbers in the training table, but has 'tall'",
    ),
    "another unit": (lambda: ("out", "unit.csv"), "column 'height' has numbers in ft"),
    "too many clusters": (
        lambda: ("out", "trees.csv", "-k", "61"),
        "n_clusters=61 must not exceed the number of samples, 60",
    ),
}


@pytest.mark.parametrize("form", REFUSED)
def test_refusals(fitted, form):
    frame = table()
    Path("empty").mkdir()
    frame[:0].to_csv("rows.csv", index=False)
    frame.drop(columns="wood").to_csv("few.csv", index=False)
    frame.rename(columns={"wood": "Wood"}).to_csv("case.csv", index=False)
    frame.rename(columns={"wood": "tree"}).to_csv("named.csv", index=False)
    frame.assign(height="tall").to_csv("text.csv", index=False)
    frame.assign(height=frame["height"].str.replace(" m", " ft")).to_csv("unit.csv", index=False)
    arguments, message = REFUSED[form]
    done = run("predict", *arguments())
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(Path().glob("*-clustered.csv"))


def test_nothing_is_replaced(fitted):
    Path("mine.csv").write_text("mine")
    done = run("predict", "out", "trees.csv", "--out", "mine.csv")
    assert done.exit_code == 2
    assert "mine.csv already exists; choose another file with --out" in done.stderr
    assert Path("mine.csv").read_text() == "mine"
    done = run("predict", "out", "trees.csv", "--out", "mine.xlsx")
    assert done.exit_code == 2
    assert "predict writes CSV, but mine.xlsx ends with .xlsx; use the suffix .csv" in done.stderr
    assert not Path("mine.xlsx").exists()


@pytest.mark.parametrize("form", ["cut", "no archive", "foreign", "other", "newer", "gone", "pipe", "bomb"])
def test_models_that_are_none(fitted, form):
    path = Path("out/model.skops")
    content = path.read_bytes()
    model = io.load(path, trusted=io.get_untrusted_types(file=path))
    if form == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif form == "no archive":
        path.write_text("model")
    elif form == "foreign":
        io.dump({**model, "estimator": Foreign()}, path)
    elif form == "other":
        io.dump({"a": 1}, path)
    elif form == "newer":
        io.dump({**model, "version": 99}, path)
    elif form == "bomb":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            archive.writestr("schema.json", b"0" * (2**28 + 1))
    else:
        path.unlink()
    if form == "pipe":
        os.mkfifo(path)
    done = run("predict", "out", "trees.csv")
    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 1
    expected = {
        "foreign": "test_predict.Foreign",
        "other": "is not a model written by `moo-clustering fit`",
        "newer": "use a newer version",
        "gone": "has no model.skops",
        "pipe": "out/model.skops is a named pipe, not a file",
        "bomb": "GiB of memory",
    }
    assert expected.get(form, "fit again with this version") in done.stderr


def test_equal_fits_have_equal_models(fitted):
    content = Path("out/model.skops").read_bytes()
    done = run("fit", "trees.csv", "--out", "again", "--set", "k_range=[2,3,4]", "--no-report", "--quiet")
    assert done.exit_code == 0, done.output
    assert Path("again/model.skops").read_bytes() == content


WITHOUT_MODEL = {
    "columns without preparation": ("numbers.csv", "--no-prepare"),
    "a bundled data set": ("iris",),
    "documents": ("texts.csv", "--text-columns", "text"),
    "bags": ("numbers.csv", "--bag", "b", "--method", "mikmeans", "-k", "2"),
    "with a method that prepares columns": (
        "trees.csv",
        "--method",
        "fuzzy-modes-moga",
        "-k",
        "2",
        "--set",
        "n_gen=2",
    ),
    "is incomplete": ("numbers.csv",),
    "; fit again": ("numbers.csv",),
}


@pytest.mark.parametrize("kind", WITHOUT_MODEL)
def test_why_a_run_has_no_model(fitted, kind):
    pd.DataFrame({"a": np.arange(60.0), "b": np.arange(60.0) % 7}).to_csv("numbers.csv", index=False)
    pd.DataFrame({"text": ["red apples", "green pears", "cold lakes"] * 9}).to_csv("texts.csv", index=False)
    done = run("fit", *WITHOUT_MODEL[kind], "--out", "plain", "--no-report", "--quiet")
    assert done.exit_code == 0, done.output
    if kind == "is incomplete":
        record = json.loads(Path("plain/run.json").read_text())
        Path("plain/run.json").write_text(json.dumps(record | {"status": "interrupted"}))
    Path("plain/model.skops").unlink(missing_ok=kind not in ("is incomplete", "; fit again"))
    for command in (("predict", "plain", "trees.csv"), ("explain", "plain", "trees.csv"),
                    ("choose", "plain", "auto"), ("update", "plain", "trees.csv")):  # fmt: skip
        done = run(*command)
        assert done.exit_code == 2
        assert len(done.stderr.strip().splitlines()) == 1
        if kind != "is incomplete" or command[0] in ("predict", "explain"):
            assert "plain has no model.skops" in done.stderr
            assert kind in done.stderr


def test_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv("trees.csv", index=False)
    done = run("fit", "trees.csv", "--out", "out", "--json", "--quiet", "--set", "k_range=[2,3,4]")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found.pop("folder") == "out"
    assert found == json.loads(Path("out/run.json").read_text())
    assert [each["size"] for each in found["clusters"]] == found["result"]["sizes"]
    assert set(found["clusters"][0]["contrasts"][0]) == {"column", "value", "other", "strength"}
    names = [each["name"] for each in found["clusters"]]
    typical = pd.read_csv("out/clustered.csv")["typical"]
    rows = [row for each in found["clusters"] for row in each["typical"]]
    assert sorted(rows) == np.flatnonzero(typical).tolist()
    done = run("predict", "out", "trees.csv", "--json")
    found = json.loads(done.stdout)
    assert [each["name"] for each in found["clusters"]] == names
    assert [each["rows_of_fit"] for each in found["clusters"]] == [20, 20, 20]
    assert [each["new_rows"] for each in found["clusters"]] == [20, 20, 20]
    assert (found["n_rows"], found["n_noise"], found["file"]) == (60, 0, "trees-clustered.csv")


def test_exit_code_without_structure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(np.random.default_rng(0).random((80, 3)), columns=list("abc")).to_csv(
        "noise.csv", index=False
    )
    done = run("fit", "noise.csv", "--out", "out", "--quiet", "--fail-on", "no-structure", "--no-report")
    assert json.loads(Path("out/run.json").read_text())["verdict"] == "no structure beyond noise"
    assert done.exit_code == 3
    table().to_csv("trees.csv", index=False)
    done = run("fit", "trees.csv", "--out", "trees", "--quiet", "--fail-on", "no-structure", "--no-report")
    assert done.exit_code == 0


def test_messages_name_options_of_the_command(fitted):
    Path("prose.txt").write_text("a,0.5,0.5\nb,1.5,2\n")
    done = run("predict", "out", "prose.txt")
    assert done.exit_code == 2
    assert "--no-header" in done.stderr
    assert "header=False" not in done.stderr
    done = run("explain", "out", "prose.txt")
    assert "two columns named '0.5'" in done.stderr
    assert "header" not in done.stderr
    for option in ("--id-column", "--drop", "--labels", "--partial-labels"):
        done = run("fit", "trees.csv", option, "hight", "--out", "other")
        assert f"no column 'hight' ({option}); did you mean 'height'?" in done.stderr
    done = run("predict", "out", "trees.csv", "--out", "nosuch/x.csv")
    assert done.exit_code == 2
    assert "folder nosuch does not exist; create it, or choose another file with --out" in done.stderr


def test_rules_of_the_clusters(fitted):
    done = run("explain", "out", "--fidelity", 1)
    assert done.exit_code == 0, done.output
    front, rules = done.stdout.rstrip("\n").split("\n\n")
    assert front.count("*") == 1
    assert len(rules.splitlines()) == 3
    assert all(" correct, " in rule for rule in rules.splitlines())
    assert done.stderr == ""
    expected = pd.read_csv("out/clustered.csv")["cluster"].tolist()
    namespace = {}
    exec(run("explain", "out", "trees.csv", "--code", "python").stdout, namespace)
    rows = table()
    rows["height"] = rows["height"].str.removesuffix(" m").str.replace(",", ".").astype(float)
    assert [namespace["cluster_of"](row) for _, row in rows.iterrows()] == expected
    names = pd.read_csv("out/clusters.csv")["name"]
    *comments, code = run("explain", "out", "--code", "sql").stdout.splitlines()
    assert re.fullmatch(r"-- \d conditions, fidelity 100%", comments[0])
    assert comments[1:4] == [f"-- {cluster}: {name}" for cluster, name in enumerate(names)]
    assert code.startswith("CASE WHEN ")
    done = run("explain", "out", "--max-conditions", 1)
    assert "Note: no rules reach a fidelity of 95%, so the most faithful rules" in done.stderr
    short = json.loads(run("explain", "out", "--max-conditions", 1, "--json").stdout)
    assert [each["n_conditions"] for each in short["rule_sets"]] == [1]


def test_rules_need_the_table_of_the_fit(fitted):
    table().drop(columns="height").to_csv("short.csv", index=False)
    for arguments, message in (
        (["out", "short.csv"], "the table lacks column 'height' of the fit"),
        (["out", "none.csv"], "file none.csv does not exist"),
        (["out", "--fidelity", 2], "--fidelity"),
    ):
        done = run("explain", *arguments)
        assert done.exit_code == 2
        assert message in done.stderr
    os.remove("out/clustered.csv")
    assert "out has no clustered.csv; specify the training table" in run("explain", "out").stderr


def test_formula_of_a_spreadsheet(fitted):
    done = run("explain", "out", "--code", "spreadsheet")
    assert done.exit_code == 0, done.output
    # Cells such as "5,1 m" are texts in a spreadsheet.
    assert "Note: column 'height' is dropped, because some spreadsheets read '" in done.stderr
    formula = done.stdout.strip()
    assert re.match(r'=\(\(\$C2&""="\w+"\)\*|=\(\(\$D2<>""\)\*', formula)
    assert not re.search(r"[A-Z]\(", formula)
    assert set(re.findall(r"\$[A-Z]+2", formula)) <= {"$C2", "$D2"}
    assert "Note: the formula is for a spreadsheet with decimal points\n" in done.stderr
    assert "conditions, fidelity 100%" in done.stderr
    names = pd.read_csv("out/clusters.csv")["name"]
    assert all(f"Note: {cluster}: {name}" in done.stderr for cluster, name in enumerate(names))
    table()[["height"]].assign(more=range(60)).to_csv("two.csv", index=False)
    run(
        "fit",
        "two.csv",
        "--out",
        "two",
        "--set",
        "k_range=[2,3,4]",
        "--no-report",
        "--quiet",
        "--drop",
        "more",
    )
    done = run("explain", "two", "--code", "spreadsheet")
    assert done.exit_code == 2
    assert "some spreadsheets read all columns as text; use --code python or sql" in done.stderr


def test_formula_of_a_spreadsheet_with_decimal_commas(fitted):
    frame = table()[["height"]]
    frame["height"] = frame["height"].str.removesuffix(" m")
    frame = frame.assign(old=[height > "2" for height in frame["height"]], size=range(60))
    frame.to_csv("german.csv", index=False, sep=";")
    done = run("fit", "german.csv", "--out", "german", "--no-report", "--quiet", "-k", "3", "--drop", "size")
    assert done.exit_code == 0, done.output
    for more in ((), ("german.csv",)):
        done = run("explain", "german", *more, "--code", "spreadsheet")
        assert done.exit_code == 0, done.output
        assert "Note: the formula is for a spreadsheet with decimal commas\n" in done.stderr
        assert "dropped" not in done.stderr
        assert re.match(r'=\(\(+\$[AB]2<>""\)\*', done.stdout)
        assert re.search(r"\$A2[<>]=?\d+(,\d+)?\)", done.stdout)


def test_columns_with_a_role_are_not_reported_as_unknown(fitted):
    options = ("--id-column", "name", "--out", "named", "--no-report", "--quiet", "--set", "k_range=[2,3,4]")
    assert run("fit", "trees.csv", *options).exit_code == 0
    new = table(7, 30)
    new.assign(more=1).to_csv("new.csv", index=False)
    done = run("predict", "named", "new.csv", "--out", "found.csv")
    assert "Note: column 'more' is ignored, because the fit did not use it" in done.stderr
    assert list(pd.read_csv("found.csv"))[:4] == list(new)
    new.drop(columns="wood").to_csv("short.csv", index=False)
    done = run("predict", "named", "short.csv", "--out", "other.csv")
    assert "the table lacks column 'wood' of the fit" in done.stderr
    assert "new names" not in done.stderr


def test_new_letters_in_a_copy_of_an_ascii_table_have_a_mark_for_spreadsheets(fitted):
    frame = table(7, 30)
    frame.to_csv("new.csv", index=False)
    predicted("new.csv", "--out", "ascii.csv")
    assert Path("ascii.csv").read_bytes().isascii()
    assert run("rename", "out", "0=Bäume").exit_code == 0
    for path in ("out/clustered.csv", "marked.csv"):
        if path == "marked.csv":
            predicted("new.csv", "--out", path)
        assert Path(path).read_bytes().startswith(b"\xef\xbb\xbf")
        assert next(iter(pd.read_csv(path))) == "name"
    # The notation of a table with such letters does not change.
    frame.assign(name="Höhe").to_csv("letters.csv", index=False)
    predicted("letters.csv", "--out", "plain.csv")
    assert Path("plain.csv").read_bytes().startswith(b"name,")
