"""Reading multi-label data: which reader, svmlight, npz, and files that were cut or damaged."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from moo_clustering.datasets import DataError
from moo_clustering.datasets.multilabel import read_multilabel
from tests.datasets.arff_files import write_multilabel_arff

X = np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, -1]])
Y = np.array([[1, 0], [0, 0], [-1, -1]])


@pytest.fixture
def svm(tmp_path):
    def _read(text, name="data.svm"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_multilabel(tmp_path / name)

    return _read


def test_svmlight(svm):
    text = "1,3 1:1 7:0.5\n3 2:-2 # a remark\n 3:1\n10,1\n"
    table = svm(text)
    assert table.label_names == ("1", "3", "10")
    assert table.Y.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1]]
    assert table.X.shape == (4, 7)
    assert table.X.toarray()[:, [0, 1, 2, 6]].tolist() == [
        [1, 0, 0, 0.5],
        [0, -2, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
    ]
    assert table.feature_names == tuple(f"x{each}" for each in range(7))
    assert svm(gzip.compress(text.encode()), "data.libsvm.gz").Y.tolist() == table.Y.tolist()


def test_svmlight_counts_features_from_0_if_0_occurs(svm):
    assert svm("1 0:1 2:1\n").X.toarray().tolist() == [[1, 0, 1]]
    assert svm("1 1:1 3:1\n").X.toarray().tolist() == [[1, 0, 1]]
    assert svm("1.5,-1 0:1\n").label_names == ("-1", "1.5")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 3:1 2:1", "line 6 must contain labels.*sorted and unique"),
        ("1 2:1 2:1", "line 6 must contain labels.*sorted and unique"),
        ("1 2", "line 6 must contain labels"),
        ("a 2:1", "line 6 must contain labels.*'a'|line 6 must contain labels"),
        ("1, 2:1", "line 6 must contain labels"),
        ("1 -2:1", "line 6 must contain labels"),
        ("1 2:", "line 6 must contain labels"),
        ("1 99999999999999999999999:1", "line 6 must contain labels"),
        ("1 2:nan", "value nan in row 6, for feature index 1"),
        ("1 2:inf", "value inf in row 6"),
        ("nan 2:1", "a label that is not a finite number"),
        ("1 999999999:1", "one of its indices is probably wrong"),
    ],
)
def test_bad_svmlight_lines(svm, row, message):
    with pytest.raises(DataError, match=rf"data\.svm.*({message})"):
        svm("1 2:1\n" * 5 + row + "\n" + "2 1:1\n" * 3)


def test_svmlight_without_rows_or_labels(svm):
    for text in ("", " \n"):
        with pytest.raises(DataError, match="is empty"):
            svm(text)
    with pytest.raises(DataError, match="has no rows"):
        svm("# nothing\n")
    with pytest.raises(DataError, match="has no labels"):
        svm(" 1:1\n 2:1\n")


def same(table, names=("x0", "x1", "x2"), labels=("y0", "y1")):
    assert table.X.toarray().tolist() == X.tolist()
    assert table.X.nnz == 3
    assert table.Y.tolist() == Y.tolist()
    assert table.Y.dtype == np.int8
    assert table.feature_names == names
    assert table.label_names == labels


def test_npz_with_all_arrays(tmp_path):
    np.savez(
        tmp_path / "a.npz", X=X, Y=Y, feature_names=["a", "b", "c"], label_names=["u", "v"], row=[5, 7, 6]
    )
    table = read_multilabel(tmp_path / "a.npz", id_column="row")
    same(table, ("a", "b", "c"), ("u", "v"))
    assert table.row_ids.tolist() == ["5", "7", "6"]
    same(read_multilabel(tmp_path / "a.npz", feature_names=["p", "q", "r"]), ("p", "q", "r"), ("u", "v"))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
def test_sparse_npz_with_labels_in_another(tmp_path, kind):
    sp.save_npz(tmp_path / "set_X.npz", kind(X))
    np.savez(tmp_path / "set_Y.npz", Y=Y, row=np.arange(3) + 10)
    sp.save_npz(tmp_path / "other.npz", sp.csr_array(np.abs(Y)))
    same(read_multilabel(tmp_path / "set_X.npz"))
    same(read_multilabel(tmp_path / "set_X.npz", labels=tmp_path / "set_Y.npz"))
    same(read_multilabel(tmp_path / "set_X.npz", labels=str(tmp_path / "set_Y.npz")))
    assert read_multilabel(tmp_path / "set_X.npz", id_column="row").row_ids.tolist() == ["10", "11", "12"]
    assert (
        read_multilabel(tmp_path / "set_X.npz", labels=tmp_path / "other.npz").Y.tolist()
        == np.abs(Y).tolist()
    )
    (tmp_path / "set_features.txt").write_text("a\nb b\nç\n", encoding="utf-8")
    (tmp_path / "set_labels.txt").write_text("u\r\nv", newline="")
    same(read_multilabel(tmp_path / "set_X.npz"), ("a", "b b", "ç"), ("u", "v"))
    with pytest.raises(
        DataError, match=r"set_labels\.txt must contain 3 feature names, one per column; got 2"
    ):
        read_multilabel(tmp_path / "set_X.npz", feature_names=tmp_path / "set_labels.txt")
    (tmp_path / "set_labels.txt").write_text("u\nu")
    with pytest.raises(DataError, match=r"set_labels\.txt: label names 1 and 2 are both 'u'"):
        read_multilabel(tmp_path / "set_X.npz")


def test_bad_npz(tmp_path):
    path = tmp_path / "a.npz"

    def refused(message, labels=None, **arrays):
        np.savez(path, **arrays)
        with pytest.raises(DataError, match=message):
            read_multilabel(path, labels=labels)

    refused("no array 'X' and is not a sparse matrix; it contains 'Z'", Z=X)
    refused("no array 'Y'.*contains 'X'.*labels=", X=X)
    refused("file .*missing.npz", tmp_path / "missing.npz", X=X)
    refused(r"row of X \(3\).*shape \(2, 2\)", X=X, Y=Y[:2])
    refused("a numeric 2-d array", X=X[0], Y=Y)
    refused("numeric 2-d array", X=X.astype(str), Y=Y)
    refused("must be numeric", X=X, Y=Y.astype(str))
    refused("nan in row 1, for feature index 0", X=X + np.nan, Y=Y)
    refused("row 1 of Y: some labels are missing", X=X, Y=[[0, 1], [-1, 1], [0, 0]])
    refused("row 0 of Y: .*must be 0 or 1.*got 0.5", X=X, Y=[[0.5, 1], [1, 1], [0, 0]])
    refused("at least one row and one column", X=X[:0], Y=Y[:0])
    refused("Python objects, which are never loaded", X=np.array([[1, "a"]] * 3, dtype=object), Y=Y)


@pytest.mark.parametrize(
    "change",
    [
        {"indices": [0, 1, 3]},
        {"indices": [0, -1, 2]},
        {"indices": [0.0, 1.0, 2.0]},
        {"indptr": [0, 1, 9]},
        {"indptr": [0, 2, 1]},
        {"shape": [2]},
        {"shape": [2, -3]},
        {"shape": [10**12, 3]},
        {"data": [1.0]},
        {"data": ["a", "b", "c"]},
        {"format": "coo"},
        {"format": "bsr"},
    ],
)
def test_sparse_npz_that_would_read_beyond_its_arrays(tmp_path, change):
    parts = {"format": "csr", "shape": [2, 3], "data": [1.0, 2, 3], "indices": [0, 1, 2], "indptr": [0, 1, 3]}
    np.savez(tmp_path / "y.npz", Y=[[0], [1]])
    np.savez(tmp_path / "x.npz", **parts)
    assert read_multilabel(tmp_path / "x.npz", labels=tmp_path / "y.npz").X.toarray().tolist() == [
        [1, 0, 0],
        [0, 2, 3],
    ]
    np.savez(tmp_path / "x.npz", **{**parts, **change})
    with pytest.raises(DataError, match=r"x\.npz"):
        read_multilabel(tmp_path / "x.npz", labels=tmp_path / "y.npz")


def test_suffixes_and_options(tmp_path):
    with pytest.raises(DataError, match=r"suffix '\.csv'; supported suffixes are \.arff"):
        read_multilabel(tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"read_documents.*label_indicators"):
        read_multilabel(tmp_path / "a.jsonl.gz")
    with pytest.raises(DataError, match=r"file .* does not exist"):
        read_multilabel(tmp_path / "a.arff")
    (tmp_path / "folder.arff").mkdir()
    with pytest.raises(DataError, match="is a folder, not a file"):
        read_multilabel(tmp_path / "folder.arff")
    with pytest.raises(DataError, match=r"is read as npz.*applies only to ARFF files; omit n_labels=2"):
        read_multilabel(tmp_path / "a.npz", n_labels=2)
    with pytest.raises(DataError, match=r"is read as svmlight.*only to ARFF, npz files; omit labels="):
        read_multilabel(tmp_path / "a.svm", labels=["a"])
    with pytest.raises(DataError, match=r"pass only labels_xml='a\.xml', or pass only n_labels=2"):
        read_multilabel(tmp_path / "a.arff", n_labels=2, labels_xml="a.xml")
    with pytest.raises(TypeError, match="n_labels must be an integer"):
        read_multilabel(tmp_path / "a.arff", n_labels=2.5)
    with pytest.raises(TypeError, match="drop must be a sequence"):
        read_multilabel(tmp_path / "a.arff", drop="x")


def test_kinds_of_labels_option(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, Y=Y)
    with pytest.raises(TypeError, match="labels must be the path of the archive"):
        read_multilabel(tmp_path / "a.npz", labels=["u", "v"])
    with pytest.raises(DataError, match=r"file u \(label names\) does not exist"):
        read_multilabel(tmp_path / "a.npz", label_names="u")
    (tmp_path / "a.arff").write_text("@relation r\n")
    with pytest.raises(TypeError, match="labels must be a sequence of names"):
        read_multilabel(tmp_path / "a.arff", labels="u")


def test_damaged_gzip(tmp_path):
    text = b"@relation 'r: -C 1'\n@attribute y {0,1}\n@attribute x numeric\n@data\n0,1\n{0 1}\n"
    path = tmp_path / "a.arff.gz"
    path.write_bytes(gzip.compress(text)[:-6])
    with pytest.raises(DataError, match="is truncated"):
        read_multilabel(path)
    path.write_bytes(text)
    with pytest.raises(DataError, match="not a valid gzip file"):
        read_multilabel(path)
    (tmp_path / "b.arff").write_bytes(text + b"\xff")
    with pytest.raises(DataError, match="UTF-8"):
        read_multilabel(tmp_path / "b.arff")


ARFF = """\
@relation 'demo: -C -2'
@attribute abort {0,1}
@attribute 'above all' numeric
@attribute red {1,0}
@attribute class01 {0,1}
@attribute class02 numeric
@data
{0 1, 1 2.5, 3 1}
{}
1,'-3.5',0,0,1
{3 ?, 4 ?}
{ 1 "7" , 2 0 }
"""
SVM = "1,3 1:1 7:0.5 # no\n3 2:-2e1\n 3:1\n10,1\n"


def outcome(path):
    """The table that a damaged file gives, or None where it is refused."""
    try:
        table = read_multilabel(path)
    except DataError:
        return None
    assert np.isin(table.Y, (-1, 0, 1)).all()
    assert np.isfinite(table.X.data).all()
    return table


@pytest.mark.parametrize(("name", "text"), [("cut.arff", ARFF), ("cut.svm", SVM)])
def test_files_cut_anywhere(tmp_path, name, text):
    path = tmp_path / name
    for end in range(len(text) + 1):
        path.write_text(text[:end])
        table = outcome(path)
    assert table is not None


@pytest.mark.parametrize(("name", "text"), [("odd.arff", ARFF), ("odd.svm", SVM)])
def test_files_with_a_changed_character(tmp_path, name, text):
    rng = np.random.default_rng(0)
    path, read = tmp_path / name, 0
    for place, letter in zip(
        rng.integers(len(text), size=300), rng.choice(list("{}?'\",:;-%\n\t \\9e@\0é"), 300), strict=True
    ):
        path.write_text(text[:place] + letter + text[place + 1 :], encoding="utf-8")
        read += outcome(path) is not None
    assert read < 300


def test_xml_cut_anywhere(tmp_path):
    xml = '<?xml version="1.0"?>\n<labels><label name="red"><label name="class02"/></label></labels>\n'
    (tmp_path / "cut.arff").write_text(ARFF.replace("{3 ?, 4 ?}\n", ""))
    for end in range(len(xml) + 1):
        (tmp_path / "cut.xml").write_text(xml[:end])
        table = outcome(tmp_path / "cut.arff")
        if table is not None:
            assert table.label_names == ("red", "class02")
    assert table is not None


def test_archives_cut_or_changed(tmp_path):
    path = tmp_path / "cut.npz"
    np.savez_compressed(path, X=X, Y=Y)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for end in range(0, len(whole), 7):
        path.write_bytes(whole[:end])
        assert outcome(path) is None
    for place in rng.integers(len(whole), size=60):
        changed = bytearray(whole)
        changed[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        outcome(path)


def test_written_tables_come_back(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, Y=Y, feature_names=["a", "b c", "ç"], label_names=["u", "v <&>"])
    table = read_multilabel(tmp_path / "a.npz")
    write_multilabel_arff(tmp_path / "b.arff.gz", table)
    same(read_multilabel(tmp_path / "b.arff.gz"), ("a", "b c", "ç"), ("u", "v <&>"))
