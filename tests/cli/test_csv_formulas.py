"""CSV files that spreadsheets do not run: cells that look like formulas, written and read back."""

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moo_clustering.cli.folder import csv_text, write_csv
from moo_clustering.constraints import read_pairs
from moo_clustering.datasets import read_table
from moo_clustering.datasets.bags import read_bags
from moo_clustering.persistence import cell_text, csv_cell
from moo_clustering.studies import Study
from papers.runner import ResultTable

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "moo_clustering" / "visualization" / "report" / "assets"
HOSTILE = [
    "=1+1",
    "+A1",
    "-A1",
    "@SUM(1)",
    "'=1+1",
    "''-x",
    "＝1+1",
    '=HYPERLINK("http://x","a")',
    "-1+cmd|' /C calc'!A1",
    "a;=1+1",
    "a\t=1+1",
    "a|@SUM(1)",
    "a\n-1+1",
    "a；＝1",
    "a; =1",
    'a;"=1',
    " =1+1",
    "\u200b=1",
    '"=1',
    "-1_0",
    "b;-1;+2",
    "c;",
    "d;'=1",
]
# At which spreadsheets of some locale split a line.
SEPARATORS = ",;\t|"
HARMLESS = [
    "a=1", "a - b", "a, -b", "x; y", "1-2", "-.5", "+3e-4", "-1", "+1.5e3", "-inf", "'quoted'", "plain",
    "a@b", "'",
]  # fmt: skip
DANGEROUS = re.compile("[ \\u200b\xa0]*[=+\\-@\t\r\n＝＋－＠]")
TEXTS = st.text(alphabet="'=+-@\t\n1e.aＡ＝－ ;|,\"；\u200b\xa0\u2028", max_size=8)


def is_formula(cell):
    """Whether a spreadsheet would run it; numbers with what follows them in a line are none."""
    number = re.split(f"[{SEPARATORS}]", cell)[0]
    try:
        float(number)
    except ValueError:
        return DANGEROUS.match(cell) is not None
    return "_" in number


@pytest.mark.parametrize("text", [*HOSTILE, *HARMLESS])
def test_a_cell_is_no_formula_and_is_read_back(text):
    cell = csv_cell(text)
    assert not is_formula(cell)
    assert cell_text(cell) == text
    assert (cell == text) == (text in HARMLESS)


@given(TEXTS | st.text(max_size=6))
def test_every_text_is_read_back(text):
    assert cell_text(csv_cell(text)) == text
    assert not is_formula(csv_cell(text))


@given(st.lists(st.tuples(TEXTS, st.sampled_from([1.5, -2.5, -3]), TEXTS), min_size=1, max_size=3), TEXTS)
@example([("a;=1", -1.5, "b"), ("", 2.0, "\n")], "=1;=2")
@example([('x;"', -1.5, '"\n=1')], "'\t=1")
def test_a_table_has_no_formula_in_any_locale(rows, name):
    frame = pd.DataFrame(rows, columns=[name, "number", "text"])
    text = csv_text(frame).decode()
    for separator in SEPARATORS:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            assert not [cell for cell in row if is_formula(cell)], (separator, text)
    header, *read = csv.reader(io.StringIO(text, newline=""))
    assert cell_text(header[0]) == name
    assert [(cell_text(first), float(number), cell_text(last)) for first, number, last in read] == rows


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_downloads_of_the_page_are_written_alike():
    texts = [*HOSTILE, *HARMLESS]
    for one in "\t\n;|'\" =-1aＡ；":
        texts += [
            f"{two}{one}{three}{four}" for two in ["", *";\n' a"] for three in "\t;'=\"1\r" for four in "=-a"
        ]
        texts += [one, f"{one}=", f"-{one}", f"a{one}", f"{one};", f"{one}\n"]
    script = (ASSETS / "download.js").read_text(encoding="utf-8")
    program = f"{script}\nconsole.log(JSON.stringify({json.dumps(texts)}.map(guarded)));"
    done = subprocess.run(["node", "-e", program], capture_output=True, check=True, encoding="utf-8")
    assert dict(zip(texts, json.loads(done.stdout), strict=True)) == {text: csv_cell(text) for text in texts}


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A table whose names of rows, classes and columns are formulas, with negative numbers."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"=id": f"{name}{copy}", "@kind": ("=A()", "-B()")[row % 2], "+x": (row % 2) * 9.5 - 4, "y": -row / 7}
        for copy in "abc"
        for row, name in enumerate(name for name in HOSTILE if name == name.strip())
    ]
    frame = pd.DataFrame(rows)
    write_csv(tmp_path / "table.csv", frame)
    return frame


FIT = ("fit", "table.csv", "--id-column", "=id", "--partial-labels", "@kind", "--quiet", "--no-report")


def cells(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("method", ["pareto-clustering", pytest.param("sisc", marks=pytest.mark.slow)])
def test_no_file_of_a_run_holds_a_formula(run, hostile, tmp_path, method):
    extra = ("-k", 2) if method == "sisc" else ()
    result = run(*FIT, "--method", method, *extra, "--out", "out")
    assert result.exit_code == 0, result.output
    tables = sorted((tmp_path / "out").glob("*.csv"))
    assert {"labels.csv", "clusters.csv", "probabilities.csv"} <= {path.name for path in tables}
    for path in tables:
        assert not [cell for row in cells(path) for cell in row if is_formula(cell)], path.name
    drop = ["class"] if "class" in cells(tmp_path / "out" / "labels.csv")[0] else []
    read = read_table(tmp_path / "out" / "labels.csv", id_column="row", drop=drop)
    assert read.row_ids.tolist() == hostile["=id"].tolist()


def test_texts_as_they_are_on_request(run, hostile, tmp_path):
    table = ("table.csv", "--id-column", "=id", "--drop", "@kind", "--method", "spherical-kmeans", "-k", 2)
    command = ("fit", *table, "--quiet", "--no-report", "--plain-csv", "--out", "out")
    assert run(*command).exit_code == 0
    assert [row[0] for row in cells(tmp_path / "out" / "labels.csv")[1:]] == hostile["=id"].tolist()


def test_numbers_stay_numbers(tmp_path):
    write_csv(tmp_path / "a.csv", pd.DataFrame({"-x": [-1.5, 2.0], "text": ["-3", "-a"]}))
    assert (tmp_path / "a.csv").read_text() == "'-x,text\n-1.5,-3\n2.0,'-a\n"


def test_readers_of_pairs_and_bags(tmp_path):
    (tmp_path / "pairs.csv").write_text("'=a,'-b\n'@c,'=a\n")
    assert read_pairs(tmp_path / "pairs.csv", row_ids=["=a", "-b", "@c"]).tolist() == [[0, 1], [2, 0]]
    (tmp_path / "bags.csv").write_text("'=bag,x\n'-a,1\n'-a,-2\n'@b,3\n'@b,4\n")
    read = read_bags(tmp_path / "bags.csv", bag="=bag")
    assert list(read.bags.bag_ids) == ["-a", "@b"]


def test_tables_of_experiments():
    table = ResultTable("t", "T", ["=set", "value"], [["+wine", -0.5], ["@iris", None]])
    assert table.csv() == "'=set,value\n'+wine,-0.5\n'@iris,\n"


def test_tables_of_studies(tmp_path):
    methods = {"=m": lambda X, seed: np.arange(len(X)) % 2, "+n": lambda X, seed: np.arange(len(X)) % 3}
    scores = [("@s", lambda X, labels: -1.5, "max")]
    study = Study(methods, {"-d": np.arange(12.0)[:, None]}, scores, seeds=2, path=tmp_path).run()
    study.save()
    table = list(csv.reader(io.StringIO(study.table().to_csv(), newline="")))
    results = cells(tmp_path / "results.csv")
    assert not [cell for row in results for cell in row if is_formula(cell)]
    assert "'@s" in results[0]
    assert {(row[0], row[1]) for row in results[1:]} == {("'-d", "'=m"), ("'-d", "'+n")}
    # The other cells are numbers with their deviations.
    assert table[0] == ["data", "'=m", "'+n"]
    assert table[1][0] == "'-d"
    assert not [row[0] for row in table if is_formula(row[0])]


def test_no_other_file_writes_csv():
    writes = re.compile(r"\.to_csv\(|csv\.(Dict)?[wW]riter\(")
    found = {
        path.relative_to(ROOT).as_posix(): csv_cell.__name__ in text
        for folder in ("moo_clustering", "papers")
        for path in (ROOT / folder).rglob("*.py")
        if writes.search(text := path.read_text(encoding="utf-8"))
    }
    # Numbers alone, and a sheet of Excel that is read as text.
    others = {"moo_clustering/constraints/sources.py": False, "moo_clustering/datasets/files.py": False}
    ours = ("moo_clustering/cli/folder.py", "moo_clustering/studies/study.py", "papers/runner.py")
    assert found == others | dict.fromkeys(ours, True)
