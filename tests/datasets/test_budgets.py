"""Small files that ask for much memory are refused before they get it, in a sentence with the limit."""

import io
import zipfile
from decimal import Decimal

import numpy as np
import pytest

from moo_clustering.cli.load import load_sparse
from moo_clustering.datasets import DataError, files, read_bags, read_documents, read_multilabel, read_table
from moo_clustering.datasets import tables as tables_module
from moo_clustering.datasets.tables import Roles, read_frame
from moo_clustering.estimators._methods import METHODS
from moo_clustering.persistence import HEADER, ArchiveError, read_archive

pa = pytest.importorskip("pyarrow")
openpyxl = pytest.importorskip("openpyxl")
pq = pytest.importorskip("pyarrow.parquet")

TOO_LARGE = (
    r"expands from [\d,]+ bytes to at least [\d,]+ bytes of cells, which exceeds the limit of 100 times .*; "
    r"save .* as CSV"
)


def written_parquet(path, columns, **options):
    """A file without the types of pandas, so that repeated values are seen by their encoding alone."""
    table = pa.table(columns)
    with pq.ParquetWriter(path, table.schema, store_schema=False, compression="zstd", **options) as writer:
        writer.write_table(table)
    return path


def repeated(value, n):
    return pa.DictionaryArray.from_arrays(np.zeros(n, dtype=np.int32), pa.array([value]))


BOMBS = {
    "equal texts": lambda n: {"a": repeated("x" * 10_000, n), "b": np.zeros(n)},
    "equal bytes": lambda n: {"a": repeated(b"x" * 10_000, n), "b": np.zeros(n)},
    "zeros": lambda n: {f"c{column}": repeated(0.0, 50 * n) for column in range(8)},
    "truth values": lambda n: {f"c{column}": np.zeros(50 * n, dtype=bool) for column in range(8)},
    "decimals": lambda n: {f"c{column}": repeated(Decimal("1.5"), n) for column in range(30)},
    "wide bytes": lambda n: {
        "a": repeated(b"x" * 5_000, n).cast(pa.dictionary(pa.int32(), pa.binary(5_000)))
    },
    "lists of texts": lambda n: {"a": pa.array([["x" * 1_000] * 100] * (n // 10))},
    "records of texts": lambda n: {"a": pa.array([{"k": "x" * 10_000}] * n)},
    "empty cells": lambda n: {f"c{column}": pa.nulls(50 * n, pa.int64()) for column in range(8)},
}


@pytest.mark.parametrize("kind", sorted(BOMBS))
def test_parquet_that_expands(tmp_path, monkeypatch, kind):
    """The limit is lowered, so that small tables do."""
    monkeypatch.setattr(files, "_ALWAYS_CELLS", 2**21)
    path = written_parquet(tmp_path / "t.parquet", BOMBS[kind](1_000))
    assert path.stat().st_size < 2**21 / 100
    for read in (read_table, read_bags, lambda path: read_frame(path, Roles())):
        with pytest.raises(DataError, match=TOO_LARGE):
            read(path)
    assert len(files.load_parquet(path, expansion=10**6)) in (100, 1_000, 50_000)


def test_texts_written_as_differences(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_ALWAYS_CELLS", 2**21)
    columns = {"a": pa.array(["x" * 5_000 + str(row) for row in range(1_000)])}
    options = {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}}
    path = written_parquet(tmp_path / "t.parquet", columns, **options)
    with pytest.raises(DataError, match=TOO_LARGE):
        read_table(path)
    assert files.load_parquet(path, expansion=10**6)["a"].str.len().max() == 5_003


def test_parquet_of_categories_that_expands(tmp_path, monkeypatch):
    """With the types of pandas, the texts would stay apart from their repetitions until they are used."""
    monkeypatch.setattr(files, "_ALWAYS_CELLS", 2**21)
    pq.write_table(pa.table(BOMBS["equal texts"](1_000)), tmp_path / "t.parquet", compression="zstd")
    with pytest.raises(DataError, match=TOO_LARGE):
        read_table(tmp_path / "t.parquet")


def test_ordinary_parquet_is_read(tmp_path):
    """A table of a million equal cells, and one of texts that are all different."""
    zeros = written_parquet(tmp_path / "z.parquet", {f"c{column}": np.zeros(100_000) for column in range(10)})
    assert read_table(zeros).X.shape == (100_000, 10)
    texts = {"t": [f"text {row}" for row in range(5_000)], "x": np.arange(5_000.0)}
    found = files.load_parquet(written_parquet(tmp_path / "t.parquet", texts))
    assert found["t"].tolist() == texts["t"]


NAMES = "".join(f'<c r="{name.upper()}1" t="inlineStr"><is><t>{name}</t></is></c>' for name in "ab")
ROWS = f'<row r="1">{NAMES}</row>' + "".join(
    f'<row r="{row}"><c r="A{row}"><v>{row % 7}</v></c><c r="B{row}"><v>{row % 5}</v></c></row>'
    for row in range(2, 40)
)
START = '<?xml version="1.0"?>'
SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SHARED = (
    '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'spreadsheetml.sharedStrings+xml"/></Types>'
)


def written_sheet(path, rows, dimension="", shared=""):
    """An Excel file of which the XML of the only sheet, and the shared text, is given."""
    content = io.BytesIO()
    book = openpyxl.Workbook()
    book.active["A1"] = "a"
    book.save(content)
    sheet = f"{START}<worksheet {SPACE}>{dimension}<sheetData>{ROWS}{rows}</sheetData></worksheet>"
    strings = f'{START}<sst {SPACE} count="1" uniqueCount="1"><si><t>{shared}</t></si></sst>'
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = old.read(name).decode()
            if name == "[Content_Types].xml" and "sharedStrings" not in part:
                part = part.replace("</Types>", SHARED)
            if name != "xl/sharedStrings.xml":
                new.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else part)
        new.writestr("xl/sharedStrings.xml", strings)
    return path


def wide_rows(n, column="XFD"):
    return "".join(f'<row r="{row}"><c r="{column}{row}"><v>1</v></c></row>' for row in range(40, 40 + n))


def shared_texts(n):
    return "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(40, 40 + n))


@pytest.mark.parametrize(
    ("rows", "shared"),
    [
        (wide_rows(50), ""),
        (
            wide_rows(1)
            + "".join(f'<row r="{row}"><c r="A{row}"><v>1</v></c></row>' for row in range(41, 90)),
            "",
        ),
        (shared_texts(300), "x" * 10_000),
    ],
)
def test_sheets_that_expand(tmp_path, monkeypatch, rows, shared):
    monkeypatch.setattr(files, "most_expanded", lambda size, expansion: 2**21 if expansion == 100 else 2**40)
    path = written_sheet(tmp_path / "t.xlsx", rows, shared=shared)
    for read in (lambda path: read_table(path, categories=True), lambda path: read_frame(path, Roles())):
        with pytest.raises(DataError, match=TOO_LARGE):
            read(path)
    # With more allowed, only what the cells say is wrong with the table.
    with pytest.raises(DataError, match=r"has no name|empty|not numeric"):
        read_table(path, expansion=10**6)


def test_rows_beyond_the_last_of_a_sheet(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LAST_ROW", 1000)
    row = '<row r="{0}"><c r="A{0}"><v>1</v></c></row>'
    for number in (1001, 10**12):
        path = written_sheet(tmp_path / "t.xlsx", row.format(number))
        with pytest.raises(DataError, match="more than 1,000 rows, Excel's limit"):
            read_frame(path, Roles())
    written_sheet(tmp_path / "t.xlsx", row.format(1000))
    assert len(read_frame(tmp_path / "t.xlsx", Roles())[0]) == 39


def test_what_a_sheet_says_of_its_size_does_not_matter(tmp_path):
    path = written_sheet(tmp_path / "t.xlsx", "", dimension='<dimension ref="A1:XFD1048576"/>')
    assert read_table(path).X.shape == (38, 2)


def test_sheets_beside_the_first_are_not_read(tmp_path, monkeypatch):
    """The cells of the other sheet would be too many."""
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    other = book.create_sheet("other")
    for _ in range(30):
        other.append([1.5] * 100)
    book.save(tmp_path / "t.xlsx")
    monkeypatch.setattr(files, "_CELL", 2**16)
    monkeypatch.setattr(files, "most_expanded", lambda size, expansion: 2**24)  # bytes of 256 cells
    frame, _, notes = read_frame(tmp_path / "t.xlsx", Roles())
    assert len(frame) == 1
    assert "and ignored 'other'" in notes[0]


def test_indices_far_beyond_the_values(tmp_path):
    (tmp_path / "t.svm").write_text("1 19999999:1\n2 3:1\n")
    with pytest.raises(DataError, match="19,999,999 features, more than the 2,097,152 allowed for 2 values"):
        read_multilabel(tmp_path / "t.svm")
    parts = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2])}
    np.savez(tmp_path / "t.npz", format=np.array(b"csr"), shape=np.array([2, 19_000_000]), **parts)
    method = next(method for method in METHODS.values() if method.sparse)
    with pytest.raises(DataError, match="19,000,000 features"):
        load_sparse(tmp_path / "t.npz", method, {})
    np.savez(tmp_path / "t.npz", format=np.array(b"csc"), shape=np.array([19_000_000, 2]), **parts)
    with pytest.raises(DataError, match="not a valid sparse matrix"):
        load_sparse(tmp_path / "t.npz", method, {})


def test_dense_cells_that_small_files_ask_for(tmp_path, monkeypatch):
    monkeypatch.setattr(tables_module, "_MOST_CELLS", 10_000)
    (tmp_path / "t.svm").write_text("".join(f"{row} 1:1\n" for row in range(200)))
    names = "".join(f"@attribute a{place} {{0,1}}\n" for place in range(200))
    (tmp_path / "t.arff").write_text(f"@relation 'x: -C 150'\n{names}@data\n" + "{}\n" * 200)
    for name in ("t.svm", "t.arff"):
        with pytest.raises(DataError, match=r"label indicators would require 200 x (150|200) cells"):
            read_multilabel(tmp_path / name)
    left_out = names.replace("{0,1}", "{1,0}").replace("a0 {1,0}", "a0 {0,1}")
    (tmp_path / "d.arff").write_text(f"@relation 'x: -C 1'\n{left_out}@data\n" + "{}\n" * 200)
    with pytest.raises(DataError, match="values omitted from its sparse rows would require 200 x 199"):
        read_multilabel(tmp_path / "d.arff")
    (tmp_path / "b.csv").write_text("bag,x,w\n" + "".join(f"{row % 9},{row},w{row}\n" for row in range(200)))
    for name, other in (("x", "w"), ("w", "x")):
        with pytest.raises(DataError, match=f"one feature per value of column '{name}' would require 200 x"):
            read_bags(tmp_path / "b.csv", nominal=[name], drop=[other])


def test_a_long_text_among_short_ones(tmp_path, monkeypatch):
    """An array of text has the room of the longest one everywhere."""
    monkeypatch.setattr(tables_module, "_MOST_CHARACTERS", 100_000)
    (tmp_path / "t.csv").write_text("kind,x\n" + "u,1\nv,2\n" * 50 + "w" * 5_000 + ",3\n")
    with pytest.raises(
        DataError,
        match="'kind' has a string of 5,000 characters, too long for a category in a table of 101",
    ):
        read_table(tmp_path / "t.csv", categories=True)


NESTED = "[" * 100_000


@pytest.mark.parametrize(
    "line", [NESTED, '{"text": ' + NESTED, '{"text": ' + NESTED + "]" * 100_000 + "}", '{"a":' * 99_999]
)
def test_nested_json(tmp_path, line):
    (tmp_path / "t.jsonl").write_text(f'{{"text": "w"}}\n{line}\n')
    with pytest.raises(DataError, match="line 2 cannot be read as JSON: maximum recursion"):
        read_documents(tmp_path / "t.jsonl")


def test_nested_json_in_the_header_of_an_archive(tmp_path):
    header = np.frombuffer(NESTED.encode(), dtype=np.uint8)
    np.savez(tmp_path / "t.npz", **{HEADER: header, "x": np.ones(2)})
    with pytest.raises(ArchiveError, match="entry cannot be read"):
        read_archive(tmp_path / "t.npz")
