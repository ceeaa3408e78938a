"""Reports of all methods of the command: their sentences are true of the fit."""

import functools
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from family_runs import fit, run_command

from moo_clustering.estimators._methods import METHODS
from moo_clustering.visualization.report.page import load_content, render, sureness

TABLE = ("--drop", "some")
PAIRS = ("--must-link", "must.csv", "--cannot-link", "cannot.csv")
SETS = ("--partial-labels", "topics", "--hold-out", 0.3)
OF_BAGS = {name for name, method in METHODS.items() if method.bags}
PAIRED = {"metric-kmeans", "pckmeans", "hmrf-kmeans"}
ARGUMENTS = {
    "fuzzy-modes-moga": ("categories", "-k", 2),
    **dict.fromkeys(("ensemble-nmf", "nmf-clustering", "spherical-kmeans"), ("documents", "-k", 3)),
    **dict.fromkeys(("sisc", "nsga2-sisc"), ("documents", "-k", 4, *SETS)),
    **dict.fromkeys(PAIRED, ("table", *TABLE, "-k", 3, *PAIRS)),
    **dict.fromkeys(
        ("pareto-clustering", "mock", "nsga2-clus", "amosa-clus", "subspace-mixture"), ("table", *TABLE)
    ),
    "pareto-bags": ("bags",),
}
SETTINGS = {"n_gen": 3, "pop_size": 12, "n_runs": 4}
# Methods whose pool determines the certainty of the clusters.
SURE = {"pareto-clustering", "pareto-bags"}
# Maps are tested in tests/cli/test_cli_maps.py.
OWN = [name for name, of in METHODS.items() if of.module.startswith("moo_clustering.") and not of.areas]
FAST = {"memetic-kmeans", "mock", "pareto-clustering"}
EVERY = [pytest.param(name, marks=pytest.mark.slow if name in FAST else pytest.mark.nightly) for name in OWN]


@pytest.fixture(scope="module")
def run_of(tmp_path_factory):
    """Function that fits a method once to small data, with few generations."""

    @functools.cache
    def fitted(name):
        data, *arguments = ARGUMENTS.get(name, ("bags" if name in OF_BAGS else "table", "-k", 3))
        if data == "table" and arguments[:1] != ["--drop"]:
            arguments = [*TABLE, *arguments]
        known = METHODS[name].load()._get_param_names()
        # These are fast without a limit.
        own = {} if name in SURE | {"srmosc"} else SETTINGS
        values = [f"{key}={value}" for key, value in own.items() if key in known]
        settings = [word for value in values for word in ("--set", value)]
        folder = tmp_path_factory.mktemp(name)
        return fit(folder, data, *arguments, "--method", name, *settings)

    return fitted


def numbers_of(run):
    """Numbers of clusters of all members of the front."""
    labels = np.asarray(getattr(run.estimator, "pareto_labels_", np.empty((0, 1), dtype=int)))
    return {len(set(row[row >= 0].tolist())) for row in labels}


@pytest.mark.parametrize("name", EVERY)
def test_every_sentence_holds(run_of, name):
    run = run_of(name)
    content, labels = load_content(run.folder / "report.npz"), run.written_labels()
    said, figures, length = sureness(content)
    assert (said == "This method does not assess the certainty of its clusters.") == (name not in SURE)
    assert length is None or 0 <= length <= 1
    if name not in SURE:
        assert "Verdict" not in figures
        assert not content.doubts
    # Other solutions exist if the method has alternatives, or a front with several numbers of clusters.
    alternatives = getattr(run.estimator, "alternatives_", ())
    expected = len(alternatives) if name in SURE else len(numbers_of(run) - {len(set(labels[labels >= 0]))})
    assert len(content.cuts) == (min(expected, len(alternatives) or 5) + 1 if expected else 0)
    texts = " ".join(text for _, *of_cut in content.cuts for text in of_cut)
    assert ("alternative" in texts) == bool(len(alternatives))
    assert ("on the front" in texts) == (bool(content.cuts) and name not in SURE)
    page = render(content)
    assert len(page.encode()) < 1_000_000
    n_clusters = len(set(labels[labels >= 0]))
    assert f"in {n_clusters} cluster" in re.search(r'class="headline">(.*?)</p>', page)[1]


@pytest.mark.parametrize("name", EVERY)
def test_what_is_said_against_other_cuts_is_true(run_of, name):
    content = load_content(run_of(name).folder / "report.npz")
    columns = {column.name: column for column in content.columns}
    for solution, _, against in content.cuts:
        compared = against.removeprefix("Compared with the chosen solution: ").removesuffix(".")
        for word, listed in re.findall(r"(better|worse) in ([^;]+)", compared):
            for what, own, of_result in re.findall(r"([^,(]+) \((\S+) instead of (\S+)\)", listed):
                if what.strip() == "expected index":
                    assert word == {True: "better", False: "worse"}[float(own) > float(of_result)]
                    continue
                column = columns[what.strip()]
                assert float(own) == pytest.approx(column.values[solution], rel=5e-3)
                assert float(of_result) == pytest.approx(column.values[content.chosen], rel=5e-3)
                gain = column.values[solution] - column.values[content.chosen]
                gain = gain if column.greater_is_better else -gain
                assert word == ("better" if gain > 0 else "worse")


@pytest.mark.parametrize("name", EVERY)
def test_lines_do_what_they_say(run_of, name, monkeypatch):
    run = run_of(name)
    lines, folder = dict(load_content(run.folder / "report.npz").lines), run.folder.parent
    files = {path.name for path in run.folder.iterdir()}
    assert ("Clusters of new rows" in lines) == ("model.skops" in files)
    assert ("Questions about doubtful rows" in lines) == ("questions.npz" in files)
    monkeypatch.chdir(folder)
    if "model.skops" in files:
        words = shlex.split(lines["Clusters of new rows"].replace("new.csv", "table.csv"))
        run_command(folder, *words[1:], "--out", "predicted.csv", "--quiet")
        predicted = pd.read_csv(folder / "predicted.csv", dtype={"id": str})
        differ = predicted["id"][predicted["cluster"].to_numpy() != run.estimator.labels_]
        # Pairs can move a sample of the fit to another cluster than an equal new row.
        pairs = [pd.read_csv(folder / f"{kind}.csv") for kind in ("must", "cannot")]
        assert set(differ) <= (set(np.concatenate(pairs).ravel()) if name in PAIRED else set())
    words = shlex.split(lines["Repeat the fit"])
    assert words[-2:] == ["--out", "out"]
    run_command(folder, *words[1:-1], "again", "--quiet", "--no-report")
    assert (folder / "again" / "labels.csv").read_bytes() == (run.folder / "labels.csv").read_bytes()
    code = lines.get("The same fit in Python")
    # The code to copy contains neither pairs nor label sets.
    assert (code is not None) == ((run.folder / "clustered.csv").is_file() and name not in PAIRED)
    if code:
        names = {}
        exec(code, names)
        np.testing.assert_array_equal(names["model"].labels_, run.estimator.labels_)


@pytest.mark.parametrize("name", EVERY)
def test_left_out_columns_are_counted(run_of, name):
    run = run_of(name)
    content = load_content(run.folder / "report.npz")
    columns = {each: (values, codes) for each, values, codes in content.left_out}
    if not (run.folder / "clustered.csv").is_file():
        assert not columns
        return
    table = pd.read_csv(run.folder / "clustered.csv", keep_default_na=False)
    assert set(columns) == {"kind", "some"}
    for each, (values, codes) in columns.items():
        assert [values[code] if code >= 0 else "" for code in codes] == table[each].tolist()


@pytest.mark.parametrize("name", EVERY)
def test_doubtful_rows_are_those_of_the_table(run_of, name):
    run = run_of(name)
    content = load_content(run.folder / "report.npz")
    labels = run.written_labels()
    for row, cluster, other, support, rest in content.doubts:
        assert labels[row] == cluster != other
        assert rest > support
    if (run.folder / "clustered.csv").is_file() and name in SURE:
        table = pd.read_csv(run.folder / "clustered.csv")
        listed = {doubt[0] for doubt in content.doubts}
        assert listed == set(np.flatnonzero(table["doubtful"] & (labels >= 0))) or len(listed) == 60
        for row, *_, support, _ in content.doubts:
            assert table["support"][row] == pytest.approx(support, abs=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_the_page_shows_the_sections_that_apply(run_of, open_report, name):
    run = run_of(name)
    content = load_content(run.folder / "report.npz")
    page = open_report(run.page)
    shown = {
        "#cuts": bool(content.cuts),
        "#known": bool(content.left_out),
        "#doubts": bool(content.doubts),
        "#take": True,
        "#front": any(column.is_objective for column in content.columns),
    }
    assert {each: page.find(each).is_displayed() for each in shown} == shown
    text = page.js("return document.body.innerText")
    assert not re.search(r"\bundefined\b|\bNaN\b|\[object|\bnull\b", text)
    assert page.texts("#take-lines code") == [code for _, code in content.lines]
    for solution, *_ in content.cuts:
        numbers = {label for label in page.js("return report.labels(arguments[0])", solution) if label >= 0}
        page.press(f"#cuts-list li:nth-child({[cut[0] for cut in content.cuts].index(solution) + 1}) button")
        assert page.selected == solution
        assert f"{len(numbers)} cluster" in page.text("#summary")


def test_every_method_of_the_command_is_tested():
    assert json.dumps(sorted(OWN)) == json.dumps(sorted(param.values[0] for param in EVERY))
    assert len(OWN) >= 27
