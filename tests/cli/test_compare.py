"""``moo-clustering compare``."""

import json

import pytest

from moo_clustering.cli.compare import read_results
from papers.multi_instance_tables import PUBLISHED


@pytest.fixture
def published(tmp_path):
    PUBLISHED["DB"].frame().to_csv(tmp_path / "db.csv", index_label="data set")
    return "db.csv"


def test_text(run, published):
    result = run("compare", published, "--minimize")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "6 methods on 10 data sets; lower values are better"
    assert lines[3] == "CHCMIC          1.20"
    assert "Friedman, chi-square(5)         22.5143   0.0004" in lines
    assert "Iman and Davenport, F(5, 45)     7.3721  4.0e-05" in lines
    assert "Pairs of methods (Shaffer's procedure)" in lines
    row = next(line for line in lines if line.startswith("CHCMIC") and "MIFGKA" in line)
    assert row.split() == ["CHCMIC", "MIFGKA", "3.4662", "0.0005", "0.0053", "different"]
    assert lines[-2].startswith("CHCMIC is better than MIGCUK, MIFGKA, BAMIC and MIGKA")


@pytest.mark.slow
def test_direction_and_level(run, published):
    up = run("compare", published).stdout
    assert "higher values are better" in up
    assert "MIGCUK is better than CHCMIC" in up
    strict = run("compare", published, "--minimize", "--alpha", "0.0001").stdout
    assert "No significant difference was found: Friedman's test does not reject" in strict
    assert "different" not in strict


@pytest.mark.parametrize("posthoc", ["shaffer", pytest.param("holm", marks=pytest.mark.slow), "nemenyi"])
def test_json_and_figure(run, published, tmp_path, posthoc):
    options = ["--minimize", "--posthoc", posthoc, "--json", "--figure", "cd.png"]
    record = json.loads(run("compare", published, *options).stdout, parse_constant=pytest.fail)
    assert record["posthoc"] == posthoc
    assert record["average_ranks"]["CHCMIC"] == pytest.approx(1.2)
    assert record["friedman"]["p_value"] == pytest.approx(0.00041792, abs=1e-8)
    assert len(record["pairs"]) == 15
    assert record["pairs"][0]["significant"] is True
    assert record["groups"][0] == ["CHCMIC", "MIKM"]
    assert record["conclusions"]
    assert (tmp_path / "cd.png").read_bytes().startswith(b"\x89PNG")


def test_figure_as_text(run, published, tmp_path):
    result = run("compare", published, "--figure", "cd.svg")
    assert result.stdout.endswith("Saved the diagram in cd.svg.\n")
    assert "<svg" in (tmp_path / "cd.svg").read_text()


@pytest.mark.slow
def test_infinite_f_is_json(run, tmp_path):
    (tmp_path / "t.csv").write_text("d;a;b;c\n1;1;2;3\n2;1;2;3\n3;1;2;3\n")
    record = json.loads(run("compare", "t.csv", "--json").stdout, parse_constant=pytest.fail)
    assert record["friedman"]["iman_davenport_statistic"] is None
    assert record["friedman"]["iman_davenport_p_value"] == 0
    assert "inf" in run("compare", "t.csv").stdout


@pytest.mark.slow
def test_long_form(run, tmp_path):
    lines = ["Method,Data set,seed,Value"]
    for dataset, values in {"x": (1, 2, 4), "y": (2, 4, 5), "z": (5, 6, 8)}.items():
        for method, value in zip("abc", values, strict=True):
            lines += [f"{method},{dataset},1,{value - 1}", f"{method},{dataset},2,{value + 1}"]
    (tmp_path / "long.csv").write_text("\n".join(lines))
    frame = read_results(tmp_path / "long.csv")
    assert frame.to_dict("list") == {"a": [1, 2, 5], "b": [2, 4, 6], "c": [4, 5, 8]}
    assert frame.index.tolist() == ["x", "y", "z"]
    assert run("compare", "long.csv").stdout.startswith("3 methods on 3 data sets")
    (tmp_path / "other.csv").write_text("set,algorithm,score\n1,a,1\n1,b,2\n2,a,3\n2,b,1\n")
    assert run("compare", "other.csv", "--long").stdout.startswith("2 methods on 2 data sets")
    assert read_results(tmp_path / "other.csv", long=True).to_dict("list") == {"a": [1, 3], "b": [2, 1]}
    # A wide table may have these names.
    (tmp_path / "wide.csv").write_text("dataset,method,value\nx,1,2\ny,3,4\n")
    assert run("compare", "wide.csv", "--wide").stdout.startswith("2 methods on 2 data sets")


@pytest.mark.slow
def test_two_methods_and_ties(run, tmp_path):
    (tmp_path / "two.csv").write_text("d,a,b\nx,1,2\ny,1,2\n")
    assert "Friedman's test requires at least three methods" in run("compare", "two.csv").stdout
    (tmp_path / "ties.csv").write_text("d,a,b,c\nx,1,1,1\ny,2,2,2\n")
    ties = run("compare", "ties.csv", "--tie-correction", "--figure", "cd.png").stdout
    assert "No significant difference was found" in ties
    assert "1.0000" in ties


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("d,a\nx,1\ny,2\n", (), "at least 2 methods (columns), got 1"),
        ("d,a,b\nx,1,2\n", (), "at least 2 data sets (rows), got 1"),
        ("d,a,b\nx,1,2\ny,,2\n", (), "no value for data set 'y', method 'a'"),
        ("d,a,b\nx,1,2\ny,nan,2\n", (), "no value for data set 'y', method 'a'"),
        ("d,a,b\nx,1,2\ny,good,2\n", (), "must be numbers, got 'good' for data set 'y', method 'a'"),
        ("d,a,a\nx,1,2\ny,1,2\n", (), "two columns named 'a'"),
        ("d,a,b\nx,1,2\nx,1,2\n", (), "more than one row for 'x'"),
        ("d,a,b\nx,1,2\ny,1\n", (), "line 3 has 2 cells, but the first line names 3 columns"),
        ("d,a,b\n", (), "column names but no rows"),
        ("", (), "is empty"),
        ("dataset,method,value\nx,a,1\nx,b,2\ny,a,3\n", (), "no value for data set 'y' and method 'b'"),
        ("dataset,method,value\nx,a,1\nx,b,low\n", (), "line 3: value must be a number, got 'low'"),
        ("a,b,c,d\nx,1,2,3\n", ("--long",), "must have the columns dataset, method and value"),
        ("d,a,b\nx,1,2\ny,1,2\n", ("--alpha", "2"), "alpha must be between 0 and 1"),
        ("d,a,b\nx,1,2\ny,1,2\n", ("--posthoc", "tukey"), "'tukey' is not one of"),
        ("d,a,b\nx,1,2\ny,1,2\n", ("--figure", "cd.doc"), "doc"),
        ("d,a,b\nx,1,2\ny,1,2\n", ("--figure", "no/such/cd.png"), "folder no/such does not exist"),
    ],
)
def test_errors(fails, tmp_path, text, options, message):
    (tmp_path / "t.csv").write_text(text)
    assert message in fails("compare", "t.csv", *options)


def test_missing_file(fails, tmp_path):
    assert fails("compare", "none.csv") == "file none.csv does not exist"
    assert "is a folder" in fails("compare", tmp_path)
    (tmp_path / "t.csv").write_bytes(b"d,a\nx,\xff\xfe\n")
    assert "not a UTF-8 text file" in fails("compare", "t.csv")
    (tmp_path / "t.csv").write_text("d,a,a\nx,1,2\n")
    assert fails("compare", "t.csv") == "t.csv has two columns named 'a'"
