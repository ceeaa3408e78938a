"""One table in all the forms that programs write it in."""

import contextlib
import csv
import datetime
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.datasets import DataError, prepare_table, read_bags, read_documents, read_table
from moo_clustering.datasets.files import as_number, table_text
from moo_clustering.datasets.tables import Roles, read_frame

TABLE = [["1.5", "2"], ["-3", "4.25"], ["0.5", "-8"]]
NUMBERS = [[1.5, 2], [-3, 4.25], [0.5, -8]]


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.filterwarnings("ignore:.*comment line")
@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("a|b\n1.5|2\n-3|4.25\n0.5|-8\n", "t.csv"),
        ("sep=;\na;b\n1.5;2\n-3;4.25\n0.5;-8\n", "t.csv"),
        ("\ufeffSEP=|\r\na|b\r\n1.5|2\r\n-3|4.25\r\n0.5|-8\r\n", "t.csv"),
        ('"sep=,"\na,b\n1.5,2\n-3,4.25\n0.5,-8\n', "t.csv"),
        ("# made, by, someone\n#\na,b\n1.5,2\n-3,4.25\n# one more, here\n0.5,-8\n", "t.csv"),
        ("% made by someone\na,b\n1.5,2\n-3,4.25\n0.5,-8\n%end\n", "t.csv"),
        ("a,b\n1.5,2\n# broken sensor\n-3,4.25\n0.5,-8\n", "t.csv"),
        ("# a b\n# a,b\n1.5,2\n-3,4.25\n0.5,-8\n", "t.csv"),
        (gzip.compress(b"a,b\n1.5,2\n-3,4.25\n0.5,-8\n", mtime=0), "t.csv.gz"),
        (gzip.compress(b"a\tb\n1.5\t2\n-3\t4.25\n0.5\t-8\n", mtime=0), "t.tsv.gz"),
    ],
)
def test_forms_of_one_table(tmp_path, content, name):
    path = written(tmp_path / name, content)
    table = read_table(path)
    assert table.feature_names == ("a", "b")
    assert table.X.tolist() == NUMBERS
    frame, _, _ = read_frame(path, Roles())
    assert frame.columns.tolist() == ["a", "b"]
    assert frame.to_numpy().tolist() == TABLE


@pytest.mark.filterwarnings("ignore:.*first line")
@pytest.mark.parametrize("content", ["1.5,2\n-3,4.25\n0.5,-8\n", "1,5;2\n-3;4,25\n0,5;-8\n"])
def test_a_first_line_of_numbers_is_data(tmp_path, content):
    path = written(tmp_path / "t.csv", content)
    frame, _, notes = read_frame(path, Roles())
    assert frame.columns.tolist() == ["column1", "column2"]
    assert prepare_table(frame, scale="none").X.tolist() == NUMBERS
    assert notes == ["the first line contains only numbers and is read as data of columns column1 to column2"]
    if ";" not in content:
        with pytest.warns(UserWarning, match="read as data"):
            assert read_table(path).X.tolist() == NUMBERS


def test_the_caller_knows_whether_there_are_names(tmp_path):
    path = written(tmp_path / "t.csv", "5.1,3.5,setosa\n4.9,3.0,virginica\n6.0,2.5,setosa\n")
    with pytest.warns(UserWarning, match=r"'5\.1' looks like a value; read it as data with header=False"):
        assert read_table(path, labels="setosa").n_samples == 2
    table = read_table(path, labels="column3", header=False)
    assert table.X.tolist() == [[5.1, 3.5], [4.9, 3.0], [6.0, 2.5]]
    years = written(tmp_path / "years.csv", "2019,2020\n1,2\n3,4\n")
    assert read_table(years, header=True).feature_names == ("2019", "2020")
    twice = written(tmp_path / "twice.csv", "0.2,0.2,x\n1,2,y\n")
    with pytest.raises(DataError, match=r"two columns named '0\.2'; if the first line is data.*header=False"):
        read_table(twice)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("#,name\n1,x\n2,y\n", [["1", "x"], ["2", "y"]]),
        ("tag,n\n#1,3\n#2,4\n", [["#1", "3"], ["#2", "4"]]),
        ('tag,n\n#1,"a, b"\n#2,4\n', [["#1", "a, b"], ["#2", "4"]]),
        ('n,text\n1,"first\n# second"\n2,y\n', [["1", "first\n# second"], ["2", "y"]]),
        ('# title\nn,text\n1,"first\n# second"\n2,y\n', [["1", "first\n# second"], ["2", "y"]]),
    ],
)
def test_cells_that_begin_like_comments_stay(tmp_path, content, rows):
    frame, _, _ = read_frame(written(tmp_path / "t.csv", content), Roles())
    assert frame.to_numpy().tolist() == rows


def test_messages_count_the_lines_of_the_file(tmp_path):
    path = written(tmp_path / "t.csv", "# title\nsep\n\na,b\n1,2\n1,2,3\n")
    with pytest.raises(DataError, match=r"line 4 .* names 1 column; remove any title above the column"):
        read_table(path)
    path = written(tmp_path / "t.csv", "sep=;\n# title\na;b\n1;2\n1;2;3\n")
    with pytest.raises(
        DataError, match=r"line 5 has 3 cells.*; correct the line, or remove it if it is a title"
    ):
        read_table(path)


@pytest.mark.filterwarnings("ignore:.*comment line")
def test_what_was_left_out_is_said(tmp_path):
    path = written(tmp_path / "t.csv", "# one\n# two\nUnnamed: 0,x\n0,5\n1,7\n2,9\n")
    frame, _, notes = read_frame(path, Roles())
    assert frame.columns.tolist() == ["x"]
    assert notes == [
        "2 comment lines dropped",
        "column 'Unnamed: 0' dropped: it is an index written by pandas",
    ]
    with pytest.warns(UserWarning, match="it is an index written by pandas"):
        assert read_table(path).feature_names == ("x",)
    assert read_table(path, id_column="Unnamed: 0").row_ids.tolist() == ["0", "1", "2"]
    other = written(tmp_path / "other.csv", "Unnamed: 0,x\n4,5\n1,7\n2,9\n")
    assert read_frame(other, Roles())[0].columns.tolist() == ["Unnamed: 0", "x"]


def test_compressed_files_expand_so_far(tmp_path, monkeypatch):
    monkeypatch.setattr("moo_clustering.datasets.files._ALWAYS", 1000)
    content = gzip.compress(b"a,b\n" + b"1,2\n" * 50_000)
    path = written(tmp_path / "t.csv.gz", content)
    with pytest.raises(
        DataError, match=r"limit of 100 times its size.*unpack it first, or .* expansion=\.\.\."
    ):
        read_table(path)
    assert read_table(path, expansion=10_000).n_samples == 50_000
    monkeypatch.undo()
    for damaged in (content[:40], b"a,b\n1,2\n", content[:15] + b"\0\0\0" + content[18:]):
        with pytest.raises(DataError, match=r"truncated|not a valid"):
            read_table(written(tmp_path / "d.csv.gz", damaged))


def test_numbers_of_any_length(tmp_path):
    for n_digits in (400, 5000):
        huge = "1" * n_digits
        path = written(tmp_path / "t.csv", f"a,y\n{huge},{huge}\n2,3\n")
        with pytest.raises(DataError, match="the infinite value inf in column 'a', row 1"):
            read_table(path)
        frame, _, _ = read_frame(path, Roles())
        with pytest.raises(DataError, match="no usable columns remain"):
            prepare_table(frame)
    # Not all versions of pandas make a column of such numbers without being told of what type.
    frame = pd.DataFrame({"x": pd.Series([10**5000, 2, 3, 4], dtype=object), "y": [1.0, 2, 4, 8]})
    assert prepare_table(frame, scale="none").X[0, 0] in (2, 3, 4)


def test_numbers_in_python_s_notation_only():
    assert [as_number(text) for text in ("1e3", " -2.5 ", "inf", "1" * 400)] == [1000, -2.5, np.inf, np.inf]
    assert all(np.isnan(as_number(text)) for text in ("", "x", "1_000", "\u0661", "0x1f", "1,5", "nan"))


def test_excel_sheets(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "notes"
    sheet = book.create_sheet("data")
    sheet.append(["width", "kind", "when", "at", None])
    for row in range(4):
        day = datetime.datetime(2020, 1, row + 1)
        sheet.append([row + 0.1, "ab"[row % 2], day, datetime.time(row, 30), None])
    sheet.append([None, None])
    book.create_sheet("more").append(["x"])
    book.save(tmp_path / "t.xlsx")
    frame, _, notes = read_frame(tmp_path / "t.xlsx", Roles())
    assert frame.columns.tolist() == ["width", "kind", "when", "at"]
    assert frame.iloc[3].tolist() == ["3.1", "b", "2020-01-04", "03:30:00"]
    assert notes == ["read only the first sheet, 'data', and ignored 'more'"]
    with pytest.warns(UserWarning, match="only the first sheet"):
        table = read_table(tmp_path / "t.xlsx", drop=["when", "at"], labels="kind")
    assert table.X[:, 0].tolist() == [0.1, 1.1, 2.1, 3.1]
    whole = (tmp_path / "t.xlsx").read_bytes()
    for damaged in (b"", b"a,b\n1,2\n", whole[: len(whole) // 2], whole[:100] + b"\0" * 200 + whole[300:]):
        with pytest.raises(DataError, match="not a valid Excel file"):
            read_frame(written(tmp_path / "d.xlsx", damaged), Roles())


def test_excel_without_its_package(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(DataError, match=r"requires openpyxl.*moo_clustering\[excel\]"):
        read_table(written(tmp_path / "t.xlsx", b""))


def test_bags_and_documents_are_read_alike(tmp_path):
    bags = written(tmp_path / "bags.csv.gz", gzip.compress(b"sep=|\nbag|x|y\np|1|2\np|3|4\nq|5|6\n"))
    assert read_bags(bags).n_bags == 2
    texts = written(tmp_path / "texts.csv", "# by hand\ntitle|text\nfirst|some words\nsecond|more\n")
    assert read_documents(texts).texts == ["first\nsome words", "second\nmore"]


@st.composite
def tables(draw):
    """Numbers with two decimals, and one of the ways to write them down."""
    n_columns = draw(st.integers(2, 4))
    cents = st.integers(-(10**7), 10**7)
    rows = draw(st.lists(st.lists(cents, min_size=n_columns, max_size=n_columns), min_size=3, max_size=8))
    return np.array(rows) / 100


@settings(max_examples=60, deadline=None)
@given(
    X=tables(),
    decimal=st.sampled_from(".,"),
    separator=st.sampled_from(",;|\t"),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    has_names=st.booleans(),
    says_separator=st.booleans(),
    comments=st.sampled_from(["", "# written, by hand; on|monday", "%"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    is_compressed=st.booleans(),
)
def test_numbers_do_not_depend_on_the_form(
    tmp_path_factory, X, decimal, separator, end, encoding, has_names, says_separator, comments, quoting,
    is_compressed,
):  # fmt: skip
    text = io.StringIO()
    if says_separator:
        text.write(f"sep={separator}{end}")
    if comments:
        text.write(comments + end)
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    if has_names:
        writer.writerow([f"name {column}" for column in range(X.shape[1])])
    writer.writerows([[f"{cell:.2f}".replace(".", decimal) for cell in row] for row in X])
    content = text.getvalue().encode(encoding)
    path = tmp_path_factory.mktemp("form") / ("t.csv.gz" if is_compressed else "t.csv")
    path.write_bytes(gzip.compress(content) if is_compressed else content)
    frame, _, _ = read_frame(path, Roles())
    varying = [place for place in range(X.shape[1]) if len(np.unique(X[:, place])) > 1]
    assert frame.shape == X.shape
    if varying:
        chosen = frame.iloc[:, varying]
        assert prepare_table(chosen, scale="none").X.tolist() == X[:, varying].tolist()


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="#%ab1.,;| \n\"'=sep\t", max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(text.encode())
    assert table_text(path).text.count("\n") == text.count("\n")
    with contextlib.suppress(DataError):
        read_frame(path, Roles())


def test_categories_stay_as_they_are_written(tmp_path):
    path = written(tmp_path / "t.csv", "kind,x\nNA,1\n?,2\nred,3\nNA,4\n")
    table = read_table(path, categories=True)
    assert table.X["kind"].tolist() == ["NA", "?", "red", "NA"]
