"""CSV files that spreadsheets do not run: cells that look like formulas, written and read back."""

import csv
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moo_clustering.cli.folder import write_csv
from moo_clustering.constraints import read_pairs
from moo_clustering.datasets import read_table
from moo_clustering.datasets.bags import read_bags
from moo_clustering.persistence import cell_text, csv_cell
from papers.runner import ResultTable

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
]
HARMLESS = ["a=1", "-1", "+1.5e3", "-inf", "'quoted'", "plain", "a@b", "'"]
DANGEROUS = re.compile("[=+\\-@\t\r\n＝＋－＠]")


def is_formula(cell):
    try:
        float(cell)
    except ValueError:
        return DANGEROUS.match(cell) is not None
    return False


@pytest.mark.parametrize("text", [*HOSTILE, *HARMLESS])
def test_a_cell_is_no_formula_and_is_read_back(text):
    cell = csv_cell(text)
    assert not is_formula(cell)
    assert cell_text(cell) == text
    assert (cell == text) == (text in HARMLESS)


@given(st.text(alphabet="'=+-@\t\r\n1e.aＡ＝－ ", max_size=6))
def test_every_text_is_read_back(text):
    assert cell_text(csv_cell(text)) == text
    assert not is_formula(csv_cell(text))


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A table whose names of rows, classes and columns are formulas, with negative numbers."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"=id": f"{name}{copy}", "@kind": ("=A()", "-B()")[row % 2], "+x": (row % 2) * 9.5 - 4, "y": -row / 7}
        for copy in "abc"
        for row, name in enumerate(HOSTILE)
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
