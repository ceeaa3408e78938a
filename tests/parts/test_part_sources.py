"""Sources of tables in parts: all give the same rows, and faults name the column and the part."""

import numpy as np
import pandas as pd
import pytest
from parts.part_data import sources, table, write_parquet

from moo_clustering.parts import Parts, parts


def gathered(found):
    return np.concatenate(found.map(lambda rows, start: rows))


def count(rows, start):
    return len(rows)


def test_all_sources_give_the_same_rows(tmp_path):
    X = table()
    for name, (source, options) in sources(tmp_path, X).items():
        found = parts(source, **options)
        rows = gathered(found)
        assert rows.dtype == np.float32, name
        np.testing.assert_array_equal(rows, X, err_msg=name)
        np.testing.assert_array_equal(found.rows([1500, 3, 2999, 3]), X[[1500, 3, 2999, 3]], err_msg=name)
        assert found.shape == X.shape
        assert [part.start for part in found.items] == np.cumsum([0, *found.map(count)])[:-1].tolist()
        assert max(found.map(count)) <= max(options.get("rows_per_part", 0), 1500) or name == "array"


def test_rows_by_number_read_only_their_parts():
    read = []
    found = parts(np.arange(20.0).reshape(10, 2), rows_per_part=3)
    found.items = [
        part._replace(read=lambda part=part: read.append(part.start) or part.read()) for part in found.items
    ]
    np.testing.assert_array_equal(found.rows([9, 4, 5]), [[18, 19], [8, 9], [10, 11]])
    assert read == [3, 9]
    assert found.rows([]).shape == (0, 2)
    assert found.n_passes == 1
    with pytest.raises(ValueError, match="numbers must be from 0 to 9, got -1 to 10"):
        found.rows([10, -1])
    for wrong in ([1.7], [True, False], [[1, 2]], 5, ["a"], [2**70]):
        with pytest.raises(TypeError, match="numbers must be a 1-d array of integers, got"):
            found.rows(wrong)


def test_csv_reads_integers_and_decimals_as_float64(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4\n")
    (tmp_path / "b.csv").write_text("x,y\n1.5,-2\n")
    np.testing.assert_array_equal(gathered(parts(str(tmp_path / "*.csv"))), [[1, 2], [3, 4], [1.5, -2]])


def test_columns_are_selected_and_types_are_joined(tmp_path):
    frame = pd.DataFrame({"n": [1, 2], "name": ["a", "b"], "x": np.float32([0.5, 1.5])})
    frame.to_parquet(tmp_path / "a.parquet")
    for names in (frame.columns[1:2], np.array(["name"]), iter(["name"])):
        assert parts(tmp_path, drop=names).columns == ("n", "x")
    assert parts(tmp_path, columns=frame.columns[[0, 2]]).columns == ("n", "x")
    found = parts(tmp_path, columns=["x", "n"])
    assert found.dtype == np.float64
    np.testing.assert_array_equal(gathered(found), [[0.5, 1], [1.5, 2]])
    assert parts(found) is found
    assert parts(tmp_path, columns=["x"]).dtype == np.float32


def test_empty_parts_are_left_out(tmp_path):
    found = parts(write_parquet(tmp_path / "t", table(50), [0, 20, 20, 50]))
    assert [part.n_rows for part in found.items] == [20, 30]


def faulty(tmp_path, change):
    """Folder of two files, of which ``change(frame)`` gives the second."""
    frame = pd.DataFrame(np.arange(40.0).reshape(10, 4), columns=list("abcd"))
    frame.to_parquet(tmp_path / "one.parquet")
    change(frame).to_parquet(tmp_path / "two.parquet")
    return parts(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.rename(columns={"a": "z"}), "part two.parquet lacks column 'a'"),
        (lambda f: f.assign(e=1), "part two.parquet has an additional column, 'e'"),
        (lambda f: f.assign(b="text"), "column 'b' of part two.parquet is not numeric"),
        (
            lambda f: f.assign(c=[1.0] * 7 + [np.nan] * 3),
            "column 'c' of part two.parquet has missing values, 3 in row group 0; fill them in",
        ),
        (
            lambda f: f.assign(c=pd.array([1] * 9 + [None], "Int64")),
            "column 'c' of part two.parquet has missing values, 1 in row group 0",
        ),
        (lambda f: f.assign(c=None), "column 'c' of part two.parquet has only missing values"),
        (lambda f: f.assign(d=np.inf), "column 'd' of part two.parquet has missing or infinite .* row 0"),
    ],
    ids=["renamed", "extra", "text", "missing", "missing integer", "empty", "infinite"],
)
def test_faults_of_files_name_column_and_part(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        faulty(tmp_path, change).map(count)


def test_files_that_change_or_vanish_between_passes(tmp_path):
    found = faulty(tmp_path, lambda frame: frame)
    assert found.map(count) == [10, 10]
    pd.DataFrame(np.zeros((12, 4)), columns=list("abcd")).to_parquet(tmp_path / "two.parquet")
    with pytest.raises(ValueError, match=r"part two.parquet: .* has changed since it was opened"):
        found.map(count)
    (tmp_path / "two.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"two\.parquet no longer exists"):
        found.map(count)


def test_a_memory_map_of_a_truncated_file(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((4000, 4)))
    found = parts(np.load(tmp_path / "x.npy", mmap_mode="r"))
    with open(tmp_path / "x.npy", "r+b") as file:
        file.truncate(4096)
    with pytest.raises(ValueError, match=r"x\.npy was truncated"):
        found.map(count)


def test_text_in_a_csv_file_names_the_file_and_column(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,y\n1,oops\n")
    with pytest.raises(
        ValueError, match=r"^column 'y' of part b.csv is not numeric \(invalid value 'oops'\)"
    ):
        parts(str(tmp_path / "*.csv"))
    # Text that opening does not read, because it is not at the beginning of the file.
    (tmp_path / "b.csv").write_text("x,y\n" + "1,2\n" * 300_000 + "1,oops\n")
    with pytest.raises(
        ValueError, match=r"^column 'y' of part b.csv is not numeric \(invalid value 'oops'\)"
    ):
        parts(str(tmp_path / "*.csv"))


@pytest.mark.parametrize(("name", "reason"), [("a.csv", "Empty CSV file"), ("b.parquet", "0 bytes")])
def test_files_that_cannot_be_read_are_named(tmp_path, name, reason):
    (tmp_path / name).touch()
    with pytest.raises(
        ValueError, match=rf"^part {name} cannot be read \(.*{reason}.*\); write the file again"
    ):
        parts(tmp_path)
    if name == "b.parquet":
        pd.DataFrame({"x": [1.0]}).to_parquet(tmp_path / "a.parquet")
        with pytest.raises(ValueError, match=r"^part b.parquet cannot be read \("):
            parts(tmp_path)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (3, TypeError, "source must be a NumPy or Zarr array"),
        ([[1.0, 2.0]], TypeError, "source must be a NumPy or Zarr array"),
        (
            [pd.DataFrame()] * 2,
            TypeError,
            r"list of 2 data frames; pass Bags.from_list\(source\) if they are",
        ),
        (np.zeros(3), ValueError, "numeric 2-d array"),
        (np.zeros((0, 3)), ValueError, "got 0 rows and 3 columns"),
        (np.array([["a"]]), ValueError, "numeric 2-d array"),
        ("nowhere/*.parquet", FileNotFoundError, r"no file matches 'nowhere/\*.parquet'"),
        ("nope://x", ValueError, "cannot open 'nope://x'"),
    ],
    ids=["number", "list", "frames", "vector", "no rows", "text", "no files", "protocol"],
)
def test_other_sources_are_refused(source, error, message):
    with pytest.raises(error, match=message):
        parts(source)


def test_folders_without_files_and_with_two_kinds(tmp_path):
    with pytest.raises(FileNotFoundError, match="no Parquet or CSV file in"):
        parts(tmp_path)
    (tmp_path / "_a.csv").write_text("x\n1\n")
    for path in (tmp_path, tmp_path / "_a.csv", tmp_path / "*.csv"):
        with pytest.raises(FileNotFoundError, match="are ignored"):
            parts(path)
    (tmp_path / "a.csv").write_text("x\n1\n")
    pd.DataFrame({"x": [1.0]}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"all have the suffix \.parquet or all \.csv"):
        parts(tmp_path)
    with pytest.raises(ValueError, match="index the array instead"):
        parts(np.zeros((2, 2)), columns=["a"])


def test_storage_errors_are_retried():
    attempts = []

    def read():
        attempts.append(1)
        if len(attempts) < 3:
            raise OSError("connection reset")
        return np.ones((2, 1))

    found = parts(np.ones((2, 1)))
    found.items = [found.items[0]._replace(read=read)]
    assert isinstance(found, Parts)
    assert found.map(count) == [2]
    assert len(attempts) == 3


def test_columns_of_dask_frames():
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"name": ["a", "b"], "x": np.float32([0.5, 1.5])})
    found = parts(dd.from_pandas(frame, npartitions=2), columns=["x"])
    assert (found.dtype, found.columns, found.shape) == (np.float32, ("x",), (2, 1))
    with pytest.raises(ValueError, match="column 'name' of the frame is not numeric"):
        parts(dd.from_pandas(frame, npartitions=2))
    with pytest.raises(ValueError, match="the frame lacks column 'y'; it has "):
        parts(dd.from_pandas(frame, npartitions=2), columns=["y"])
    with pytest.raises(ValueError, match="numeric 2-d Dask array"):
        parts(dd.from_pandas(frame, npartitions=2)["x"].values)


@pytest.mark.parametrize("glob", ["?.PARQUET", "[ab].*", "*", ""])
def test_globs_and_suffixes_in_capitals(tmp_path, glob):
    for name, value in {"a": 1.0, "b": 2.0, "[c]": 3.0}.items():
        folder = tmp_path if len(name) == 1 else tmp_path / name
        folder.mkdir(exist_ok=True)
        pd.DataFrame({"x": [value]}).to_parquet(folder / f"{name}.PARQUET")
    assert gathered(parts(str(tmp_path / "[c]" / "[c].PARQUET"))).tolist() == [[3.0]]
    (tmp_path / "[c]" / "[c].PARQUET").unlink()
    (tmp_path / "[c]").rmdir()
    assert gathered(parts(str(tmp_path / glob))).tolist() == [[1.0], [2.0]]


def test_columns_are_a_list_for_a_table_that_is_not_open(tmp_path):
    pd.DataFrame({"a": [1.0], "b": [2.0], "ab": [3.0]}).to_parquet(tmp_path / "a.parquet")
    assert gathered(parts(tmp_path, columns=["ab"])).tolist() == [[3.0]]
    with pytest.raises(TypeError, match=r"must be a sequence of names, such as \['ab'\], got 'ab'"):
        parts(tmp_path, columns="ab")  # these were the columns a and b
    with pytest.raises(ValueError, match="source is already a partitioned table"):
        parts(parts(tmp_path), columns=["a"])
