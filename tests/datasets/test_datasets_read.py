"""Reading tables: what is taken for what, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.datasets import DataError, read_documents, read_table
from moo_clustering.datasets.cells import read_numbers


@pytest.fixture
def write(tmp_path):
    def _write(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return _write


def test_plain_csv(write):
    table = read_table(write("a,b\n1,2.5\n-3,1e-3\n"))
    assert table.name == "data.csv"
    assert table.feature_names == ("a", "b")
    assert table.X.tolist() == [[1.0, 2.5], [-3.0, 0.001]]
    assert table.X.dtype == np.float64
    assert table.X.flags.c_contiguous
    assert table.row_ids.tolist() == [0, 1]
    assert not table.has_row_ids
    assert table.y is None
    assert table.partial_y is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a;b\n1;2\n", "d.csv"),
        ("a\tb\n1\t2\n", "d.tsv"),
        ("a\tb\n1\t2\n", "d.txt"),
        ("\ufeffa,b\n1,2\n", "d.csv"),
    ],
)
def test_separators_and_signature(write, text, name):
    table = read_table(write(text, name))
    assert table.feature_names == ("a", "b")
    assert table.X.tolist() == [[1.0, 2.0]]


def test_blank_lines_and_quotes(write):
    table = read_table(write('\n"a, of x",b\n\n1,2\n\n3,4\n\n'))
    assert table.feature_names == ("a, of x", "b")
    assert table.X.tolist() == [[1, 2], [3, 4]]


def test_roles(write):
    path = write("id,kind,a,some,note,b\n007,x,1,red,hm,2\n008,y,3,,ha,4\n009,x,5,blue,,6\n010,,7,-1,,8\n")
    table = read_table(path, labels="kind", partial_labels="some", id_column="id", drop=["note"])
    assert table.feature_names == ("a", "b")
    assert table.row_ids.tolist() == ["007", "008", "009", "010"]
    assert table.has_row_ids
    assert table.target_names == ("x", "y")
    assert table.y.tolist() == [0, 1, 0, -1]
    assert table.partial_names == ("blue", "red")
    assert table.partial_y.tolist() == [1, -1, 0, -1]


def test_minus_one_is_a_class_among_known_classes_only(write):
    path = write("a,y\n1,1\n2,-1\n3,1\n")
    assert read_table(path, labels="y").y.tolist() == [1, 0, 1]
    assert read_table(path, labels="y").target_names == ("-1", "1")
    assert read_table(path, partial_labels="y").partial_y.tolist() == [0, -1, 0]


def test_numeric_classes_are_in_numeric_order_and_one_is_one_point_zero(write):
    table = read_table(write("a,y\n1,10\n2,9\n3,9.0\n"), labels="y")
    assert table.target_names == ("9", "10")
    assert table.y.tolist() == [1, 0, 0]


def test_na_may_be_a_class(write):
    table = read_table(write("a,y\n1,NA\n2,None\n3,null\n"), labels="y")
    assert table.target_names == ("NA", "None", "null")


def test_unnamed_first_column_identifies_rows(write):
    table = read_table(write(",a\nr1,1\nr2,2\n"))
    assert table.feature_names == ("a",)
    assert table.row_ids.tolist() == ["r1", "r2"]


def test_frames_with_numbered_columns_are_read_back(tmp_path):
    frame = pd.DataFrame([[1.5, 2.0], [3.0, 4.0]])
    frame.to_csv(tmp_path / "with.csv")
    frame.to_csv(tmp_path / "without.csv", index=False)
    for name in ("with.csv", "without.csv"):
        assert read_table(tmp_path / name).X.tolist() == frame.to_numpy().tolist()
    assert read_table(tmp_path / "with.csv").row_ids.tolist() == ["0", "1"]


def test_one_row_and_one_feature_are_legal(write):
    assert read_table(write("a\n1\n")).X.shape == (1, 1)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "is empty"),
        ("\n\n", {}, "is empty"),
        ("a,b\n", {}, "column names but no rows"),
        ("a,a\n1,2\n", {}, "two columns named 'a'"),
        (
            "a,,b\n1,2,3\n",
            {},
            "column 2 has no name; keep a single line of column names, or, if the first line is",
        ),
        ("a,b\n1\n2,3\n", {}, "line 2 has 1 cell, but the first line names 2 columns"),
        ("a,b\n1,2\n3\n", {}, "line 3 has 1 cell, but"),
        ("a,b\n1,2,3\n", {}, "line 2 has 3 cells, but the first line names 2 columns"),
        ("a,b\n1,2\n3,4,5\n", {}, "line 3 has 3 cells, but"),
        ("a,b\n1,2\n\n3,4\n5,6,7\n", {}, "line 5 has 3 cells"),
        ("a,b,y\n1,2,x\n3,4\n", {"partial_labels": "y"}, "line 3 has 2 cells"),
        ("a,b\n1,2\n3,\n", {}, "empty or NaN value in column 'b', row 2"),
        ("a,b\n1,2\nNaN,3\n", {}, "empty or NaN value in column 'a', row 2"),
        ("a,b\n1,NA\nNaN,3\n", {}, r"column 'b', row 1 \(and 1 more such cell\)"),
        ("a,b\n1,2\n4,inf\n", {}, "infinite value inf in column 'b', row 2"),
        ("a,b\n1,-inf\n4,inf\n", {}, "infinite value -inf in column 'b', row 1"),
        (
            "a,kind\n1,red\n2,blue\n",
            {},
            r"column 'kind' is not numeric \('red' in row 1\).*drop=\['kind'\].*labels=",
        ),
        ("a,b\n1,2\n2,3x\n", {}, r"column 'b' is not numeric \('3x' in row 2\)"),
        ("a,b,c\n1,x,y\n", {}, "columns 'b', 'c' are not numeric"),
        ("a,class\n1,x\n", {"labels": "clas"}, r"no column 'clas' \(labels\); did you mean 'class'"),
        ("a,class\n1,x\n", {"partial_labels": "Class"}, "did you mean 'class'"),
        ("a,id\n1,x\n", {"id_column": "ident"}, r"no column 'ident' \(id\)"),
        ("a,b\n1,2\n", {"drop": ["bb"]}, r"no column 'bb' \(drop\)"),
        ("a,y\n1,2\n", {"labels": "y", "partial_labels": "y"}, "both the labels and the partial labels"),
        ("a,y\n1,2\n", {"labels": "y", "drop": ["y"]}, "both the labels and the drop"),
        ("a,y\n1,2\n", {"labels": "y", "drop": ["a"]}, "no feature columns besides"),
        ("a,id\n1,x\n2,\n", {"id_column": "id"}, "is empty in row 2"),
    ],
)
def test_refused_text(write, text, options, message):
    with pytest.raises(DataError, match=message) as caught:
        read_table(write(text), **options)
    assert "\n" not in str(caught.value)


def test_repeated_identifiers_are_numbered(write):
    path = write("a,id\n1,x\n2,y\n3,x\n4,x (1)\n5,z\n6,y\n")
    with pytest.warns(UserWarning, match=r"'id' has repeated values \('x' and 1 more\).*as in 'x \(1\)'"):
        table = read_table(path, id_column="id")
    assert table.row_ids.tolist() == ["x (1)", "y (1)", "x (2)", "x (1) (2)", "z", "y (2)"]


def test_refused_files(tmp_path, write):
    with pytest.raises(DataError, match=r"file .* does not exist"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(DataError, match=r"suffix '\.xls'; supported suffixes are"):
        read_table(write("a\n1\n", "data.xls"))
    with pytest.raises(DataError, match=r"suffix '\.zip'; .*; extract the table from the archive"):
        read_table(write("a\n1\n", "data.zip"))
    with pytest.raises(DataError, match="not a UTF-8 text file"):
        read_table(write("caf\xe9,b\n1,2\n", encoding="latin-1"))


def test_huge_finite_values_are_finite(write):
    assert read_table(write("a\n1.7e308\n1.7e308\n")).X.max() == 1.7e308


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**40), 2**40)), min_size=1
    )
)
def test_numbers_come_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("back") / "d.csv"
    path.write_text("a,b\n" + "".join(f"{a!r},{b}\n" for a, b in rows))
    # the last digit is pandas' affair, which differs between versions
    np.testing.assert_allclose(read_table(path).X, np.array(rows, dtype=float), rtol=1e-15, atol=5e-324)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_any_ragged_line_is_found(tmp_path_factory, widths):
    path = tmp_path_factory.mktemp("ragged") / "d.csv"
    path.write_text("a,b,c\n" + "".join(",".join(["1"] * width) + "\n" for width in widths))
    wrong = [line for line, width in enumerate(widths, start=2) if width != 3]
    if not wrong:
        assert read_table(path).n_samples == len(widths)
        return
    with pytest.raises(DataError, match=rf"line \d+ has {widths[wrong[0] - 2]} cell") as caught:
        read_table(path)
    assert any(f"line {line} " in str(caught.value) for line in wrong)


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"a": [1, 2, 3], "b": [True, False, True], "y": ["u", None, "v"], "p": [1.0, np.nan, -1]}
    )
    frame.to_parquet(tmp_path / "d.parquet")
    table = read_table(tmp_path / "d.parquet", labels="y", partial_labels="p")
    assert table.X.tolist() == [[1, 1], [2, 0], [3, 1]]
    assert table.y.tolist() == [0, -1, 1]
    assert table.partial_y.tolist() == [0, -1, -1]
    frame.set_index("y").iloc[[0, 2]].drop(columns="p").to_parquet(tmp_path / "indexed.parquet")
    assert read_table(tmp_path / "indexed.parquet").row_ids.tolist() == ["u", "v"]
    pd.DataFrame(index=range(3)).to_parquet(tmp_path / "empty.parquet")
    with pytest.raises(DataError, match=r"has no feature columns$"):
        read_table(tmp_path / "empty.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DataError, match="not a valid Parquet file"):
        read_table(tmp_path / "bad.parquet")


def test_npz(tmp_path):
    X = np.arange(6).reshape(3, 2)
    named = {"feature_names": np.array(["u", "v"]), "who": ["a", "b", "c"], "some": np.array([-1, 7, -1])}
    np.savez(tmp_path / "d.npz", X=X, y=np.array([4, 2, 4]), **named)
    table = read_table(tmp_path / "d.npz", partial_labels="some", id_column="who", drop=["u"])
    assert table.X.tolist() == [[1.0], [3.0], [5.0]]
    assert table.feature_names == ("v",)
    assert table.row_ids.tolist() == ["a", "b", "c"]
    assert table.y.tolist() == [1, 0, 1]
    assert table.target_names == ("2", "4")
    assert table.partial_y.tolist() == [-1, 0, -1]
    assert read_table(tmp_path / "d.npz", partial_labels="y").y is None


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ({"Y": np.ones(3)}, {}, "no array 'X'; it contains 'Y'"),
        ({"X": np.ones(3)}, {}, "a numeric 2-d array"),
        ({"X": np.ones((0, 3))}, {}, "no rows"),
        ({"X": np.array([["a"]])}, {}, "numeric 2-d array"),
        ({"X": np.array([[1.0, np.nan]])}, {}, "column 'x1', row 1"),
        ({"X": np.ones((2, 2)), "y": np.ones(3)}, {}, "one value per row of 'X', 2 in all"),
        ({"X": np.ones((2, 2)), "classes": np.ones(2)}, {"labels": "class"}, "did you mean 'classes'"),
        ({"X": np.ones((2, 2)), "feature_names": np.array(["a"])}, {}, "1 names, but 'X' has 2 columns"),
        ({"X": np.ones((2, 2))}, {"drop": ["x7"]}, "no feature 'x7'"),
        ({"X": np.ones((2, 1))}, {"drop": ["x0"]}, "has no feature columns"),
        ({"X": np.array([[1], [{}]], dtype=object)}, {}, "Python objects, which are never loaded"),
    ],
)
def test_refused_npz(tmp_path, arrays, options, message):
    np.savez(tmp_path / "d.npz", **arrays)
    with pytest.raises(DataError, match=message):
        read_table(tmp_path / "d.npz", **options)


def test_damaged_npz(tmp_path):
    path = tmp_path / "d.npz"
    np.savez(path, X=np.random.default_rng(0).random((50, 4)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"not a NumPy archive \(.npz\), or is truncated"):
        read_table(path)
    path.write_bytes(whole[:200] + b"\0" * 100 + whole[300:])
    with pytest.raises(DataError, match="damaged NumPy archive"):
        read_table(path)


def test_numbers_are_read_to_the_last_bit(write):
    """Not all are by older versions of pandas; nor would those of tables as they come be."""
    values = np.random.default_rng(0).normal(size=(300, 2)) * 10
    path = write("a,b\n" + "\n".join(f"{float(a)!r},{float(b)!r}" for a, b in values) + "\n")
    np.testing.assert_array_equal(read_table(path).X, values)
    texts = np.array([repr(float(a)) for a in values[:, 0]], dtype=object)
    np.testing.assert_array_equal(read_numbers(texts)[1], values[:, 0])


def test_warnings_about_categories_name_the_line_of_the_caller(write):
    with pytest.warns(UserWarning, match="only in whitespace") as caught:
        read_table(write("a,b\n1,x\n2,x \n3,y\n"), categories=True)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("read", [read_documents, read_table])
def test_a_single_name_is_no_list_of_columns_to_drop(read, tmp_path):
    (tmp_path / "a.csv").write_text("note,text\n1,a\n2,b\n")
    with pytest.raises(TypeError, match=r"drop must be a sequence of names, such as \['note'\]"):
        read(tmp_path / "a.csv", drop="note")
