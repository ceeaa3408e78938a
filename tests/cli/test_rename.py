"""The command ``rename``: names of clusters in all files of a run."""

import errno
import json
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from moo_clustering import persistence
from moo_clustering.cli import main
from moo_clustering.cli import predict as command
from moo_clustering.cli.ask import AskedRun
from moo_clustering.cli.folder import load_model, run_content
from moo_clustering.persistence import locked
from tests.cli.test_predict import run, table


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A folder with the table and its run, with a report."""
    folder = tmp_path_factory.mktemp("renamed")
    table().to_csv(folder / "trees.csv", index=False)
    done = run("fit", folder / "trees.csv", "--out", folder / "out", "--set", "k_range=[2,3,4]", "--quiet")
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def out(fitted, tmp_path, monkeypatch):
    shutil.copytree(fitted, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return Path("out")


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def named(*arguments):
    done = run("rename", "out", *arguments)
    assert done.exit_code == 0, done.output
    return done


def test_every_file_has_the_names(out):
    before, old = files(out), pd.read_csv(out / "clustered.csv")
    done = named('0=large,  "old"', "2==1+1")
    assert done.stdout.splitlines()[0].split() == ["cluster", "size", "name"]
    kept = pd.read_csv(out / "clusters.csv").set_index("cluster")["name"][1]
    names = {0: 'large, "old"', 1: kept, 2: "=1+1"}
    cells = {**names, 2: "'=1+1"}
    for name, column in (("clusters.csv", "name"), ("clustered.csv", "name_")):
        frame = pd.read_csv(out / name)
        assert (frame[column] == frame["cluster"].map(cells)).all()
        # All other cells are unchanged, byte for byte.
        first, second = (pd.read_csv(path, dtype=str) for path in (out / name, fitted_file(before, name)))
        assert first.drop(columns=column).equals(second.drop(columns=column))
    assert pd.read_csv(out / "clustered.csv")["cluster"].equals(old["cluster"])
    record = json.loads((out / "run.json").read_text())
    assert record["cluster_names"] == {"0": 'large, "old"', "2": "=1+1"}
    assert [each["name"] for each in record["clusters"]] == list(names.values())
    model = load_model(out)
    assert model["names"] == list(names.values())
    assert model["estimator"].cluster_names_ == {0: 'large, "old"', 2: "=1+1"}
    content = run_content(out)
    assert content.cluster_names[content.chosen] == tuple(names.values())
    assert "large, &#34;old&#34;" in (out / "report.html").read_text()
    changed = {name for name, content in files(out).items() if content != before[name]}
    assert changed == {
        "clusters.csv",
        "clustered.csv",
        "run.json",
        "model.skops",
        "report.npz",
        "report.html",
    }
    # Tables of further rows, rules and another report also contain the names.
    assert run("predict", "out", "trees.csv", "--out", "new.csv").exit_code == 0
    new = pd.read_csv("new.csv")
    assert (new["name_"] == new["cluster"].map(cells)).all()
    assert 'large, "old": ' in run("explain", "out").stdout
    assert run("report", "out", "--out", "again.html").exit_code == 0
    assert "large, &#34;old&#34;" in Path("again.html").read_text()
    # Without names set by the user, every file equals its first version.
    named("0=", "2=")
    after = files(out)
    assert {name for name in after if after[name] != before[name]} <= {"model.skops"}
    assert load_model(out)["estimator"].cluster_names_ == {}
    assert load_model(out)["names"][1] == kept


def fitted_file(contents, name):
    path = Path(f"before-{name}")
    path.write_bytes(contents[name])
    return path


def test_names_accumulate_and_others_stay_distinct(out):
    usual = pd.read_csv(out / "clusters.csv")["name"].tolist()
    Path("names.json").write_text(json.dumps({"0": usual[1], "2": "two"}))
    found = json.loads(named("--names", "names.json", "--json").stdout)
    assert found["folder"] == "out"
    assert [each["name"] for each in found["clusters"]] == [usual[1], f"{usual[1]} (2)", "two"]
    assert [each["given"] for each in found["clusters"]] == [True, False, True]
    assert sum(each["size"] for each in found["clusters"]) == 60
    Path("names.json").write_text(json.dumps({"0": None}))
    found = json.loads(named("--names", "names.json", "1=one", "--json").stdout)
    assert [each["name"] for each in found["clusters"]] == [usual[0], "one", "two"]


def test_present_names_replace_numbers(out):
    usual = pd.read_csv(out / "clusters.csv")["name"].tolist()
    named(f"{usual[0]}=first", "1=second")
    Path("names.json").write_text(json.dumps({"first": "second", usual[2]: "third"}))
    found = json.loads(named("--names", "names.json", "second=first", "--json").stdout)
    assert [each["name"] for each in found["clusters"]] == ["second", "first", "third"]
    done = run("rename", "out", "First=x")
    assert done.exit_code != 0
    assert "there is no cluster 'First'" in done.stderr
    found = json.loads(named("second=", "first=", "third=", "--json").stdout)
    assert [each["name"] for each in found["clusters"]] == usual


def test_classes_of_partial_labels(out):
    frame = table()
    frame["kind"] = np.where(np.arange(60) < 12, frame["wood"].str.upper(), "")
    frame.to_csv("partly.csv", index=False)
    done = run("fit", "partly.csv", "--partial-labels", "kind", "--out", "out2", "--quiet")
    assert done.exit_code == 0, done.output
    before = run_content(Path("out2"))
    assert run("rename", "out2", "1=pines").exit_code == 0
    content = run_content(Path("out2"))
    names = list(before.cluster_names[before.chosen])
    assert list(content.cluster_names[content.chosen]) == [names[0], "pines", names[2]]
    done = run("predict", "out2", "trees.csv")
    assert "pines" in done.stdout
    assert names[0] in done.stdout
    assert "pines: " in run("explain", "out2", "trees.csv").stdout
    # The report shows the names of the classes.
    assert run("rename", "out2", f"{names[0]}=firs").exit_code == 0
    assert list(content_names(Path("out2"))) == ["firs", "pines", names[2]]


def content_names(folder):
    content = run_content(folder)
    return content.cluster_names[content.chosen]


REFUSED = {
    "no folder": (("nowhere", "0=a"), "nowhere does not exist"),
    "no run": (("empty", "0=a"), "empty is not a run folder"),
    "nothing": (("out",), "specify at least one CLUSTER=NAME, such as 0=visitors, or --names FILE"),
    "no equals sign": (("out", "0"), "'0' must have the form CLUSTER=NAME"),
    "no such cluster": (("out", "7=a"), "there is no cluster 7; the last cluster is 2"),
    "no number": (("out", "a=b"), "there is no cluster 'a'"),
    "twice": (("out", "0=a", "1= a"), "names must be unique, but clusters 0 and 1 would be named 'a'"),
    "no JSON": (("out", "--names", "broken.json"), "broken.json must contain a JSON object"),
    "a list": (("out", "--names", "list.json"), "list.json must contain a JSON object"),
    "a number": (("out", "--names", "number.json"), "the name of cluster 0 must be a string or None, got 3"),
    "blank": (
        ("out", "--names", "blank.json"),
        "must not be empty; to remove a name, use 0= or null in a file",
    ),
    "no file": (("out", "--names", "nothing.json"), "file nothing.json does not exist"),
    "damaged table": (("damaged", "0=a"), "clustered.csv is damaged: it has no column of clusters"),
    "other table": (("other", "0=a"), "other is damaged: its files belong to different runs"),
    "another page": (("page", "0=a"), "is not a moo-clustering report"),
    "unfinished": (("unfinished", "0=a"), "run without a result"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case, out):
    arguments, message = REFUSED[case]
    Path("empty").mkdir()
    texts = {"broken": '{"0": "a"', "list": "[1]", "number": '{"0": 3}', "blank": '{"0": " "}'}
    for name, text in texts.items():
        Path(f"{name}.json").write_text(text)
    for name in ("damaged", "other", "page", "unfinished"):
        shutil.copytree("out", name)
    Path("damaged/clustered.csv").write_text("a,b\n1,2\n")
    Path("other/clustered.csv").write_text("a,cluster,name\n1,40,x\n")
    Path("page/report.html").write_text("mine")
    Path("unfinished/labels.csv").unlink()
    record = json.loads(Path("unfinished/run.json").read_text())
    Path("unfinished/run.json").write_text(json.dumps(record | {"status": "running"}))
    folder = Path(arguments[0])
    before = files(folder) if folder.is_dir() else None
    done = run("rename", *arguments)
    assert done.exit_code == 2 or done.exit_code == 1
    assert message in done.stderr.replace("\n", " ")
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()[-1]) < 300
    assert before is None or files(folder) == before


def test_locked_folder(out):
    before = files(out)
    with locked(out):
        done = run("rename", "out", "0=a")
    assert "another process is writing to out" in done.stderr
    assert files(out) == before


@pytest.mark.parametrize("failing", ["run.json", "model.skops", "report.html"])
def test_full_disk(out, monkeypatch, failing):
    before, replacing = files(out), persistence.replacing

    class Full:
        def write(self, text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def full(path):
        context = replacing(path)
        if path.name == failing:
            enter = context.__enter__
            context.__class__ = type("Full", (type(context),), {"__enter__": lambda _: (enter(), Full())[1]})
        return context

    monkeypatch.setattr(command, "replacing", full)
    done = run("rename", "out", "0=a")
    assert "No space left" in done.stderr
    assert files(out) == before


def test_ctrl_c_is_late(out, monkeypatch):
    load = command.load_model

    def interrupted(folder):
        os.kill(os.getpid(), signal.SIGINT)
        return load(folder)

    monkeypatch.setattr(command, "load_model", interrupted)
    done = run("rename", "out", "0=late")
    assert done.exit_code == 130
    assert "late" in done.stdout
    assert "late" in (out / "clustered.csv").read_text()
    assert load_model(out)["estimator"].cluster_names_ == {0: "late"}


def test_a_killed_command_can_be_repeated(out, monkeypatch):
    before = files(out)
    named("0=first", "1=second")
    after = files(out)
    # Simulate that the process is killed after the first file, the record.
    for name, content in before.items():
        if name != "run.json":
            (out / name).write_bytes(content)
    named("0=first")
    assert files(out) == after
    named("0=", "1=")
    assert files(out)["clusters.csv"] == before["clusters.csv"]


def test_questions_keep_names(out):
    named("0=soft ones", "1=hard ones")
    session = AskedRun(out).session
    for _ in range(3):
        session.answer(
            "together" if len(set(table()["wood"][list(session.question.samples)])) == 1 else "apart"
        )
    done = CliRunner().invoke(main, ["ask", "out", "--resume"], input="q\n")
    assert done.exit_code == 0, done.output
    asked = Path("out/asked")
    labels = pd.read_csv(asked / "labels.csv")
    fit = pd.read_csv(out / "labels.csv")
    names = json.loads((asked / "run.json").read_text())["cluster_names"]
    assert sorted(names.values()) == ["hard ones", "soft ones"]
    for cluster, name in names.items():
        old = fit["label"][labels["label"] == int(cluster)].mode()[0]
        assert name == {0: "soft ones", 1: "hard ones"}[old]
    clusters = pd.read_csv(asked / "clusters.csv", keep_default_na=False)
    assert [names.get(str(k), "") for k in clusters["cluster"]] == clusters["name"].tolist()
    content = run_content(asked)
    assert set(names.values()) < set(content.cluster_names[content.chosen])
    done = run("rename", asked, "2=others")
    assert done.exit_code == 0, done.output
    assert set(pd.read_csv(asked / "clusters.csv")["name"]) == {"soft ones", "hard ones", "others"}


@pytest.mark.parametrize(
    "method",
    [
        "fuzzy-modes-moga",
        "spherical-kmeans",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("pesc", "sisc")),
    ],
)
def test_other_methods(method, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = table()
    frame["name"] = frame.pop("wood")
    frame.to_csv("trees.csv", index=False)
    more = ["-k", "3", *(["--set", "n_gen=3"] if method == "fuzzy-modes-moga" else [])]
    done = run("fit", "trees.csv", "--method", method, "--out", "out", "--quiet", *more)
    assert done.exit_code == 0, done.output
    labels = pd.read_csv("out/labels.csv")["label"]
    before = pd.read_csv("out/clusters.csv", dtype=str) if Path("out/clusters.csv").exists() else None
    assert run("rename", "out", "0=mine").exit_code == 0
    clusters = pd.read_csv("out/clusters.csv", dtype=str)
    assert clusters["name"][0] == "mine"
    assert clusters["name"].is_unique
    assert before is not None
    assert clusters.drop(columns="name").equals(before.drop(columns="name", errors="ignore"))
    if Path("out/clustered.csv").exists():
        clustered = pd.read_csv("out/clustered.csv", keep_default_na=False)
        assert set(clustered["name_"][labels == 0]) == {"mine"}
        assert clustered["name"].equals(frame["name"])
    content = run_content(Path("out"))
    assert content.cluster_names[content.chosen][0] == "mine"
