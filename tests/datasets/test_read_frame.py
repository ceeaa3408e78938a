"""Tables as spreadsheets write them."""

import pandas as pd
import pytest

from moo_clustering.datasets import DataError
from moo_clustering.datasets.tables import Roles, holds_columns, read_frame

NO_ROLES = Roles()


@pytest.fixture
def read(tmp_path):
    def _read(content, name="table.csv", roles=NO_ROLES):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_frame(path, roles)

    return _read


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("x,y\n1,u\n2,v\n", "table.csv"),
        ("\ufeffx,y\n1,u\n2,v\n", "table.csv"),
        ("x;y\r\n1;u\r\n2;v\r\n", "table.csv"),
        ("x\ty\n1\tu\n2\tv", "table.tsv"),
        ("\n\nx,y\n1,u\n\n2,v\n", "table.csv"),
        ('"x", "y"\n"1", "u"\n 2,v\n', "table.csv"),
        ("x,y,\n1,u,\n2,v,\n", "table.csv"),
        ("x,y\n1,u\n2,v\n,\n", "table.csv"),
        ("x,y\n1,u\n2,v\n".encode("utf-16"), "table.csv"),
    ],
)
def test_spellings_of_one_table(read, content, name):
    frame, roles, _ = read(content, name)
    assert frame.columns.tolist() == ["x", "y"]
    assert frame.to_numpy().tolist() == [["1", "u"], ["2", "v"]]
    assert roles == NO_ROLES


def test_quoted_cells_keep_separators_and_line_ends(read):
    frame, _, notes = read('x,note\n1,"one, two"\n2,"first\nsecond"\n3,"say ""so"""\n')
    assert frame["note"].tolist() == ["one, two", "first\nsecond", 'say "so"']
    assert notes == []


def test_what_is_said(read):
    assert read("x,y\n1,u\n2,v\n,\n,\n")[2] == ["2 trailing empty rows dropped"]
    frame, _, notes = read("x,y\n1,Käse\n2,v\n".encode("cp1252"))
    assert frame["y"].tolist() == ["Käse", "v"]
    assert "read as Windows-1252" in notes[0]


def test_a_workbook_with_another_suffix_is_recognised(read):
    with pytest.raises(
        DataError, match=r"table\.csv is not a text file but a zip archive; .* rename it to \.xlsx"
    ):
        read(b"PK\x03\x04\x14\x00")


def test_first_column_without_a_name_holds_identifiers(read):
    frame, roles, _ = read(",x\np,1\nq,2\n")
    assert roles.id_column == frame.columns[0]
    assert frame[roles.id_column].tolist() == ["p", "q"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table.csv is empty"),
        ("\n \n", "table.csv is empty"),
        ("x,y\n", "has column names but no rows"),
        ("x,y\n,\n", "has column names but no rows"),
        ("x,y\n1,2\n1,2,3\n", "line 3"),
        ("x,y\n1,2\n1\n", "line 3"),
        ("x,x\n1,2\n", "two columns named 'x'"),
        ('x,y\n1,2\n3,"4\n5,6\n', "line 3: unmatched quote .*truncated"),
        ('x,y\n1,2\n3,"4\n5,"6"\n', "line 3: unmatched quote .*double it inside a cell$"),
        ("x,,y\n1,2,3\n", "column 2 .*name"),
        (b"x,y\n1,\0\n", "null bytes"),
        (b"x\x81,y\n1,2\n", "not a UTF-8 text file"),
    ],
)
def test_mistakes(read, content, message):
    with pytest.raises(DataError, match=message):
        read(content)


def test_files_that_are_none(tmp_path):
    with pytest.raises(DataError, match=r"file .* does not exist"):
        read_frame(tmp_path / "none.csv", NO_ROLES)
    with pytest.raises(DataError, match="is a folder"):
        read_frame(tmp_path, NO_ROLES)


def test_columns_that_are_none(read):
    with pytest.raises(DataError, match="'kidn'"):
        read("x,kind\n1,2\n", roles=NO_ROLES._replace(labels="kidn"))


def test_parquet_keeps_types_and_index(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"x": [1.5, None], "kind": pd.Categorical(["u", "v"]), 3: [True, False]}, index=["p", "q"]
    )
    frame.columns = frame.columns.astype(str)
    frame.to_parquet(tmp_path / "table.parquet")
    found, roles, notes = read_frame(tmp_path / "table.parquet", NO_ROLES)
    assert found.columns.tolist() == ["(index)", "x", "kind", "3"]
    assert roles.id_column == "(index)"
    assert found["3"].tolist() == [True, False]
    assert isinstance(found["kind"].dtype, pd.CategoricalDtype)
    assert notes == []
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match="not a valid Parquet file"):
        read_frame(tmp_path / "broken.parquet", NO_ROLES)


def test_kinds_of_files(tmp_path):
    assert all(holds_columns(tmp_path / f"t{end}") for end in (".csv", ".TSV", ".parquet"))
    assert not any(holds_columns(tmp_path / f"t{end}") for end in (".npz", ".arff", ".jsonl", ""))
