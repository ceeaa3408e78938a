"""The commands ``update`` and ``choose``: a run with further rows, or with another solution."""

import json
import os
import re
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from moo_clustering import ParetoClustering
from moo_clustering.cli import main
from moo_clustering.cli.folder import finish_update, run_content, run_record
from moo_clustering.cli.update import run_update


def run(*arguments, code=0):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done


def table(groups, seed=0, start=0):
    """Rows about 10 times their group, with an identifier, a class and a formula-like text."""
    rng = np.random.default_rng(seed)
    groups = np.asarray(groups)
    return pd.DataFrame(
        {
            "id": [f"row {start + row}" for row in range(len(groups))],
            "x": rng.normal(10.0 * groups, 1).round(3),
            "y": rng.normal(-5.0 * groups, 1).round(3),
            "z": rng.normal(10.0 * (groups == 1), 1).round(3),
            "kind": np.array(["=A1", "two", "three", "four"])[groups],
        }
    )


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("update")
    table(np.arange(60) % 2).to_csv(folder / "old.csv", index=False)
    options = ("--id-column", "id", "--labels", "kind", "--set", "k_range=[2,3,4]", "--quiet")
    run("fit", folder / "old.csv", "--out", folder / "run", *options)
    run("fit", folder / "old.csv", "--out", folder / "front", "--method", "mock", "--drop", "id", "--drop",
        "kind", "--set", "n_gen=3", "--set", "pop_size=6", "--quiet")  # fmt: skip
    return folder


@pytest.fixture
def fitted(original, tmp_path, monkeypatch):
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


def new_group():
    """Rows of both groups, and as many of a third group."""
    return table([0, 1] * 10 + [3] * 20, seed=1, start=60)


def test_further_rows(fitted):
    run("rename", "run", "1=mine")
    new_group().iloc[:, ::-1].to_csv("new.csv", index=False)
    done = run("update", "run", "new.csv", "--json")
    found = json.loads(done.stdout)
    assert (found["n_old"], found["n_new"]) == (60, 40)
    assert (found["births"], found["deaths"], found["n_moved"]) == ([2], [], 0)
    assert [each["rows"] for each in found["clusters"]] == [40, 40, 20]
    assert found["clusters"][1]["name"] == "mine"
    assert found["drift"]["clusters"][1]["name"] == "mine"
    rows = pd.read_csv("run/clustered.csv", dtype=str, keep_default_na=False)
    both = pd.concat([table(np.arange(60) % 2), new_group()])
    assert rows["kind"].tolist() == both["kind"].replace("=A1", "'=A1").tolist()
    assert rows["id"].tolist() == both["id"].tolist()
    assert rows["cluster"].astype(int).tolist() == [0, 1] * 40 + [2] * 20
    assert set(rows["name"][rows["cluster"] == "1"]) == {"mine"}
    labels = pd.read_csv("run/labels.csv")
    assert labels["row"].tolist() == both["id"].tolist()
    content = run_content(Path("run"))
    assert content.n_samples == 100
    assert content.labels[content.chosen].tolist() == labels["label"].tolist()
    assert ("The update", "moo-clustering update run new.csv") in content.lines
    assert "mine" in Path("run/report.html").read_text()
    record = run_record(Path("run"))
    assert record["updates"] == [{"file": "new.csv", "n_rows": 40}]
    assert record["scores"]["adjusted_rand"] == pytest.approx(1)
    assert set(record["files"]) | {"run.json"} == set(contents("run"))


def test_as_in_python(fitted):
    new_group().to_csv("new.csv", index=False)
    found = run("update", "run", "new.csv").stdout
    columns = ["x", "y", "z"]
    model = ParetoClustering(k_range=[2, 3, 4], random_state=0).fit(table(np.arange(60) % 2)[columns])
    model.update(new_group()[columns])
    assert pd.read_csv("run/labels.csv")["label"].tolist() == model.labels_.tolist()
    assert "40 new rows; 0 of 60 old rows moved to another cluster." in found
    assert "born" in found
    assert "Saved 100 rows in run; open run/report.html in a browser." in found
    # The updated run is a run: it predicts, explains, asks, and takes further rows.
    run("predict", "run", "new.csv", "--out", "again.csv", "--quiet")
    assert pd.read_csv("again.csv")["cluster"].tolist() == model.labels_[60:].tolist()
    run("explain", "run")
    run("report", "run")
    table([3, 3], seed=2, start=100).to_csv("more.csv", index=False)
    run("update", "run", "more.csv", "--quiet")
    model.update(table([3, 3], seed=2)[columns])
    assert pd.read_csv("run/labels.csv")["label"].tolist() == model.labels_.tolist()
    assert [each["n_rows"] for each in run_record(Path("run"))["updates"]] == [40, 2]


def stopped(monkeypatch, n_steps, function):
    """Call a function that is killed after a number of renamed files."""
    replaced, steps = os.replace, iter(range(n_steps))

    def replace(source, target):
        # Compiled kernels are cached elsewhere, and do not count.
        of_run = Path(target).resolve().is_relative_to(Path.cwd()) and ".updated.tmp" not in str(target)
        if of_run and next(steps, None) is None:
            raise KeyboardInterrupt
        replaced(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            function()


def test_killed_at_any_step(fitted, monkeypatch):
    new_group().to_csv("new.csv", index=False)
    before, path = contents("run"), Path("run")

    def update():
        run_update(path, Path("new.csv"), header=None, quiet=True, as_json=False)

    stopped(monkeypatch, 0, update)
    assert contents("run") == before
    # The new files are complete, but none has replaced an earlier one.
    stopped(monkeypatch, 1, update)
    after = contents("run/updated")
    assert {name: content for name, content in contents("run").items() if name in before} == before
    for n_steps in range(len(after)):
        shutil.copytree("run", f"run{n_steps}")
        stopped(monkeypatch, n_steps, partial(finish_update, Path(f"run{n_steps}")))
        assert run_record(Path(f"run{n_steps}"))["data"]["n_samples"] == 100
        assert contents(f"run{n_steps}") == after


def test_interrupted_before_the_files_are_complete(fitted, monkeypatch):
    table([0, 1], start=60).to_csv("new.csv", index=False)
    before = contents("run")

    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("moo_clustering.cli.update.save_report", interrupted)
    run("update", "run", "new.csv", code=130)
    assert contents("run") == before


def test_bad_rows_change_nothing(fitted):
    before, new = contents("run"), new_group()
    tables = {
        "lacks column 'z'": new.drop(columns="z"),
        "no column 'id'": new.drop(columns="id"),
        "has column names but no rows": new[:0],
        "'y'": new.assign(y="text"),
    }
    for message, rows in tables.items():
        rows.to_csv("new.csv", index=False)
        done = run("update", "run", "new.csv", code=2)
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""
        assert contents("run") == before
    assert "absent.csv does not exist" in run("update", "run", "absent.csv", code=2).stderr
    new.to_csv("new.csv", index=False)
    done = run("update", "front", "new.csv", code=2)
    assert "method mock does not support update; only pareto-clustering does" in done.stderr
    rows = pd.read_csv("run/clustered.csv")
    for changed in (rows[::-1], rows.assign(x=rows["x"] + 1)):
        changed.to_csv("run/clustered.csv", index=False)
        done = run("update", "run", "new.csv", code=2)
        assert "clustered.csv was changed after the fit" in done.stderr
    Path("run/clustered.csv").unlink()
    assert "has no clustered.csv" in run("update", "run", "new.csv", code=2).stderr


def test_left_out_columns_may_be_absent(fitted):
    new_group().drop(columns="kind").to_csv("new.csv", index=False)
    done = run("update", "run", "new.csv")
    assert "Note: the new rows have no values for 'kind'" in done.stderr
    rows = pd.read_csv("run/clustered.csv")
    assert rows["kind"].isna().tolist() == [False] * 60 + [True] * 40


def test_fit_with_labels(fitted):
    old = table(np.arange(60) % 2).assign(kind=[f"class {row % 2}" if row < 8 else "" for row in range(60)])
    old.to_csv("old.csv", index=False)
    options = ("--partial-labels", "kind", "--set", "k_range=[2,3,4]", "--quiet")
    run("fit", "old.csv", "--out", "known", "--id-column", "id", *options)
    new_group().to_csv("new.csv", index=False)  # its classes are not used
    run("update", "known", "new.csv")
    rows = pd.read_csv("known/clustered.csv")
    assert rows["class"][:60].tolist() == ["class 0", "class 1"] * 30
    record = run_record(Path("known"))
    assert record["supervision"]["partial_labels"]["column"] == "kind"
    assert len(rows) == 100 == record["data"]["n_samples"]


def test_choose_an_alternative(fitted):
    alternatives = pd.read_csv("run/alternatives.csv")
    first = pd.read_csv("run/labels.csv")["label"]
    run("rename", "run", "0=mine")
    before = contents("run")
    found = json.loads(run("choose", "run", "alternative-0", "--json").stdout)
    labels = pd.read_csv("run/labels.csv")["label"]
    assert labels.tolist() == alternatives["alternative-0"].tolist()
    assert [each["size"] for each in found["clusters"]] == np.bincount(labels).tolist()
    assert pd.read_csv("run/clustered.csv")["cluster"].tolist() == labels.tolist()
    assert pd.read_csv("run/clusters.csv")["size"].tolist() == np.bincount(labels).tolist()
    content = run_content(Path("run"))
    assert content.labels[content.chosen].tolist() == labels.tolist()
    assert not content.missing
    assert run_record(Path("run"))["rule"] == "alternative-0"
    run("predict", "run", "old.csv", "--out", "again.csv", "--quiet")
    assert pd.read_csv("again.csv")["cluster"].tolist() == labels.tolist()
    # The result of the fit is one command away.
    run("choose", "run", "auto")
    assert pd.read_csv("run/labels.csv")["label"].tolist() == first.tolist()
    for name in ("labels.csv", "alternatives.csv", "scores.csv", "front.csv"):
        assert contents("run")[name] == before[name]


def test_title_of_the_page_stays(fitted):
    page = Path("run/report.html")
    fitted_title = re.search("<title>(.*)</title>", page.read_text()).group(1)
    run("report", "run", "--title", "Our rows", "--out", "other.html")
    run("report", "run")
    assert f"<title>{fitted_title}</title>" in page.read_text()  # --out does not change the run
    run("report", "run", "--title", "Our rows")
    run("rename", "run", "0=mine")
    assert "<title>Our rows</title>" in page.read_text()
    run("report", "run")
    assert "<title>Our rows</title>" in page.read_text()
    run("choose", "run", "alternative-0")
    assert "<title>Our rows</title>" in page.read_text()
    run("choose", "run", "auto")
    run("rename", "run", "0=")
    run("report", "run", "--title", "")
    assert f"<title>{fitted_title}</title>" in page.read_text()


def test_an_update_keeps_the_choice(fitted):
    run("choose", "run", "alternative-0")
    chosen = pd.read_csv("run/labels.csv")["label"].tolist()
    table([0, 1] * 5, seed=2, start=60).to_csv("new.csv", index=False)
    for n_rows in (70, 80):
        run("update", "run", "new.csv")
        labels = pd.read_csv("run/labels.csv")["label"].tolist()
        assert (labels[:60], len(labels)) == (chosen, n_rows)


def test_choose_from_a_front(fitted):
    front = pd.read_csv("front/front.csv")
    history = pd.read_csv("front/history.csv").drop(columns="seconds", errors="ignore")
    row = int((~front["chosen"]).to_numpy().argmax())
    done = run("choose", "front", row)
    assert "Repeating the fit" in done.stderr
    now = pd.read_csv("front/front.csv")
    assert now["chosen"].to_numpy().nonzero()[0].tolist() == [row]
    assert now.drop(columns="chosen").equals(front.drop(columns="chosen"))
    labels = pd.read_csv("front/labels.csv")["label"]
    assert labels.nunique() == front["n_clusters"][row]
    run("predict", "front", "old.csv", "--out", "again.csv", "--quiet")
    assert pd.read_csv("again.csv")["cluster"].tolist() == labels.tolist()
    repeated = pd.read_csv("front/history.csv")[list(history)]
    pd.testing.assert_frame_equal(repeated, history)


def test_bad_rules_change_nothing(fitted):
    before = contents("run")
    n_rows = len(pd.read_csv("run/front.csv"))
    done = run("choose", "run", code=2)
    assert "auto, select, few, some, many, knee" in done.stderr
    assert f"a row of front.csv (0 to {n_rows - 1})" in done.stderr
    assert "did you mean 'alternative-0'" in run("choose", "run", "alternativ-0", code=2).stderr
    assert "callable" not in run("choose", "run", "zebra", code=2).stderr
    done = run("choose", "run", n_rows, code=2)
    assert f"row {n_rows} does not exist; the last row of front.csv is row {n_rows - 1}" in done.stderr
    assert contents("run") == before
    run("fit", "old.csv", "--out", "single", "--method", "memetic-kmeans", "-k", 2, "--drop", "id", "--quiet")
    assert "returns one solution, so there is no choice" in run("choose", "single", "knee", code=2).stderr
    assert "not a run folder" in run("choose", ".", "knee", code=2).stderr


STYLES = [
    {"sep": ";", "decimal": ",", "encoding": "cp1252"},
    pytest.param({"sep": "\t", "decimal": ",", "encoding": "utf-8-sig"}, marks=pytest.mark.nightly),
    pytest.param({"sep": ";", "decimal": ".", "encoding": "utf-16"}, marks=pytest.mark.nightly),
    pytest.param({"sep": ",", "decimal": ".", "encoding": "utf-8"}, marks=pytest.mark.nightly),
]


@pytest.mark.parametrize("style", STYLES)
def test_tables_have_the_form_of_the_input(tmp_path, monkeypatch, style):
    monkeypatch.chdir(tmp_path)
    old = table(np.arange(60) % 2).assign(
        kind=np.array(["Gr\u00f6\u00dfe; klein", 'two, "2"'])[np.arange(60) % 2]
    )
    new = table([0, 1] * 5 + [3] * 10, start=60).assign(kind="Stra\u00dfe")
    for rows, name in ((old, "old.csv"), (new, "new.csv")):
        rows.to_csv(name, index=False, **style)
    options = ("--id-column", "id", "--drop", "kind", "--set", "k_range=[2,3,4]", "--quiet")
    run("fit", "old.csv", "--out", "run", *options)
    added = ["cluster", "name", "typical", "support", "doubtful"]

    def read():
        return pd.read_csv("run/clustered.csv", **style)

    pd.testing.assert_frame_equal(read()[list(old)], old)
    assert list(read()) == [*old, *added]
    assert read()["support"].dtype == float
    run("rename", "run", "0=k\u00fchl")
    pd.testing.assert_frame_equal(read()[list(old)], old)
    assert read()["name"][0] == "k\u00fchl"
    run("explain", "run")
    run("update", "run", "new.csv")
    both = pd.concat([old, new], ignore_index=True)
    pd.testing.assert_frame_equal(read()[list(old)], both)
    assert read()["support"].dtype == float
    run("predict", "run", "new.csv", "--out", "found.csv", "--quiet")
    found = pd.read_csv("found.csv", **style)
    pd.testing.assert_frame_equal(found[list(old)], new)
    assert found["cluster"].tolist() == read()["cluster"][60:].tolist()
    # Windows-1252 has no such letter.
    run("rename", "run", "0=\u0141\u00f3d\u017a")
    if style["encoding"] == "cp1252":
        style = {**style, "encoding": "utf-8-sig"}
    assert pd.read_csv("run/clustered.csv", **style)["name"][0] == "\u0141\u00f3d\u017a"
    pd.testing.assert_frame_equal(pd.read_csv("run/clustered.csv", **style)[list(old)], both)
