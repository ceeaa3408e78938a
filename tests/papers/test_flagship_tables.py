"""Tables in files that nobody prepared, and what is no table."""

import numpy as np
import pytest

from moo_clustering.datasets import DataError
from papers.flagship_sets import archive_table, frame_table


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"X": np.zeros(3), "y": np.zeros(3)},
            r"X of shape \(3,\) and type float64 with 3 classes is not a table",
        ),
        ({"X": np.zeros((3, 2)), "y": np.zeros(2)}, r"X of shape \(3, 2\) and type float64 with 2 classes"),
        ({"X": np.array([["a"]]), "y": np.zeros(1)}, r"X of shape \(1, 1\) and type <U1 with 1 classes"),
        ({"X": np.zeros((3, 2))}, "no arrays X and y; it contains X"),
        ({}, "no arrays X and y; it contains nothing"),
    ],
)
def test_archives_that_are_no_table(tmp_path, arrays, message):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(DataError, match=message):
        archive_table(tmp_path / "t.npz")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"class\n1\n2\n", "a single column"),
        ("t.csv", b"name,class\nab,1\ncd,2\nef,1\n", "no numeric or categorical features"),
        ("t.csv", b"empty,class\n,1\n,2\n,1\n", "no numeric or categorical features"),
        ("t.csv", b"", "cannot be read: No columns"),
        ("t.csv", b"a,class\n1,2\n1,2,3,4\n", "cannot be read: .*Expected 2 fields in line 3, saw 4"),
        ("t.csv", b"a,class\n\xff\xfe,1\n", "not a UTF-8 text file"),
        ("t.parquet", b"PAR1 and no more", "cannot be read: "),
        ("t.csv", None, "file .* does not exist"),
    ],
)
def test_files_that_are_no_table(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        frame_table(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_columns_without_a_value_are_no_features(tmp_path):
    (tmp_path / "t.csv").write_text("a,empty,unknown,class\n1,,?,x\n2,,NA,y\n3,,,x\n")
    table = frame_table(tmp_path / "t.csv")
    assert table.X.tolist() == [[1], [2], [3]]
    assert table.classes.tolist() == [0, 1, 0]
    assert table.note == "classes in column class"
