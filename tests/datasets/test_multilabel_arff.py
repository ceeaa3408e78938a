"""ARFF files with several labels a row: MULAN's with XML, MEKA's with an option, sparse and dense."""

import gzip
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.datasets import DataError
from moo_clustering.datasets.multilabel import read_multilabel

HEADER = """\
% reports
@relation demo

@attribute abort {0,1}
@attribute 'above all' numeric
@attribute class01 {0,1}
@attribute x real
@attribute class02 {0,1}

@data
"""
XML = """\
<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="class01"></label>
<label name="class02"/>
</labels>
"""
SPARSE = "{0 1, 1 2.5, 2 1}\n{}\n% remark\n{4 1,3 -3e1 , 1 0}\n"
DENSE = "1,2.5,1,0,0\n0,0,0,0,0\n0, 0 ,0,-30.0,1\n"


@pytest.fixture
def read(tmp_path):
    def _read(text, xml=XML, name="data.arff", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if xml is not None:
            (tmp_path / "data.xml").write_text(xml, encoding="utf-8")
        return read_multilabel(path, **options)

    return _read


def meka(setting):
    return HEADER.replace("demo", f"'demo: {setting}'").replace("@attribute x real\n", "")


@pytest.mark.parametrize("rows", [SPARSE, DENSE, SPARSE.replace("\n", "\r\n"), DENSE.replace(",", "\t")])
def test_sparse_and_dense_rows_say_the_same(read, rows):
    table = read(HEADER + rows)
    assert table.X.toarray().tolist() == [[1, 2.5, 0], [0, 0, 0], [0, 0, -30]]
    assert table.X.nnz == 3
    assert table.X.dtype == np.float64
    assert table.Y.tolist() == [[1, 0], [0, 0], [0, 1]]
    assert table.Y.dtype == np.int8
    assert table.feature_names == ("abort", "above all", "x")
    assert table.label_names == ("class01", "class02")
    assert table.row_ids.tolist() == [0, 1, 2]
    assert table.name == "data.arff"


def test_both_kinds_of_rows_in_one_file_and_gzip(read):
    text = HEADER + "{0 1}\n0,0,1,0,1\n"
    expected = [[0, 0], [1, 1]]
    assert read(text).Y.tolist() == expected
    assert read(gzip.compress(text.encode()), name="data.arff.gz").Y.tolist() == expected


def test_labels_have_the_order_of_the_xml_file(read):
    swapped = XML.replace("class01", "tmp").replace("class02", "class01").replace("tmp", "class02")
    table = read(HEADER + SPARSE, swapped)
    assert table.label_names == ("class02", "class01")
    assert table.Y.tolist() == [[0, 1], [0, 0], [1, 0]]
    assert table.X.toarray().tolist() == [[1, 2.5, 0], [0, 0, 0], [0, 0, -30]]


def test_labels_inside_labels_and_another_xml_file(read, tmp_path):
    nested = '<labels><label name="class02"><label name="abort"/></label><label name="class01"/></labels>'
    assert read(HEADER + SPARSE, nested).label_names == ("class02", "abort", "class01")
    other = tmp_path / "other.xml"
    other.write_text('<labels><label name="abort"/></labels>')
    table = read(HEADER + SPARSE, labels_xml=other)
    assert table.label_names == ("abort",)
    assert table.feature_names == ("above all", "class01", "x", "class02")


def test_omitted_nominal_values_are_the_first_declared(read):
    header = HEADER.replace("class02 {0,1}", "class02 {1,0}").replace("abort {0,1}", "abort {1, 0}")
    table = read(header + "{}\n{0 0, 4 0}\n{0 1, 4 1}\n0,0,0,0,0\n")
    assert table.X.toarray()[:, 0].tolist() == [1, 0, 1, 0]
    assert table.Y[:, 1].tolist() == [1, 0, 1, 0]
    assert table.X.nnz == 2


def test_words_for_yes_and_no(read):
    header = HEADER.replace("abort {0,1}", "abort {NO,YES}").replace(
        "class01 {0,1}", "class01 {'false', true}"
    )
    table = read(header + "{0 YES}\nNO,1,true,0,0\n{2 'true', 4 '1'}\n")
    assert table.X.toarray()[:, 0].tolist() == [1, 0, 0]
    assert table.Y.tolist() == [[0, 0], [1, 0], [1, 1]]


@pytest.mark.parametrize(
    ("setting", "labels"),
    [
        ("-C 2", ("abort", "above all")),
        ("-C -1", ("class02",)),
        ("-c -2", ("class01", "class02")),
        ("-split-number 3 -C -2 -x", ("class01", "class02")),
    ],
)
def test_meka_option(read, setting, labels):
    assert read(meka(setting) + "0,1,0,1\n", None).label_names == labels


def test_meka_option_as_it_is_written_elsewhere(read):
    text = HEADER.replace("@attribute x real\n", "") + "{0 1}\n"
    assert read(text.replace("@relation demo", "@RELATION Music:-C 1"), None).label_names == ("abort",)
    assert read(text.replace("@relation demo", '@relation "Music: -C 1"'), None).label_names == ("abort",)
    with pytest.raises(DataError, match="does not specify which attributes are labels"):
        read(text.replace("@relation demo", "@relation 'Music -C 1'"), None)


def test_number_of_labels_overrides_what_the_file_says(read):
    assert read(meka("-C 2") + "0,1,0,1\n", None, n_labels=-1).label_names == ("class02",)
    assert read(meka("-C 2") + "0,1,0,1\n", n_labels=1).label_names == ("abort",)
    assert read(meka("-C 2") + "0,1,0,1\n", None, labels=["class02", "abort"]).label_names == (
        "class02",
        "abort",
    )


def test_xml_beside_the_file_wins_over_an_option_left_in_the_name(read):
    assert read(meka("-C 1") + "0,1,0,1\n").label_names == ("class01", "class02")


def test_option_from_before_attributes_were_moved_is_not_believed(read):
    text = meka("-C 1 -I 0-weka.filters.unsupervised.attribute.Remove-R1-45") + "0,1,0,1\n"
    with pytest.raises(DataError, match=r"moved, so.*n_labels"):
        read(text, None)
    assert read(text, None, n_labels=-2).label_names == ("class01", "class02")


@pytest.mark.parametrize("count", [0, 4, -4, 100])
def test_numbers_of_labels_that_leave_nothing(read, count):
    with pytest.raises(DataError, match=rf"from 1 to 3 .*got {count}"):
        read(meka(f"-C {count}") + "0,1,0,1\n", None)
    with pytest.raises(DataError, match="n_labels must be"):
        read(meka("-C 2") + "0,1,0,1\n", None, n_labels=count)


def test_nothing_says_what_the_labels_are(read, tmp_path):
    (tmp_path / "train.xml").write_text(XML)
    with pytest.raises(
        DataError,
        match=r"no file data\.xml next to it.*XML files in the folder are train\.xml.*labels_xml.*n_labels",
    ):
        read(HEADER + SPARSE, None)


def test_labels_that_the_data_lack(read):
    with pytest.raises(DataError, match=r"data\.xml lists the label 'class2'.*did you mean 'class02'"):
        read(HEADER + SPARSE, XML.replace("class02", "class2"))
    with pytest.raises(DataError, match=r"'a' \(and 1 more\)"):
        read(HEADER + SPARSE, None, labels=["a", "b", "abort"])
    with pytest.raises(DataError, match="'abort' more than once"):
        read(HEADER + SPARSE, None, labels=["abort", "abort"])


def test_unlabelled_rows(read):
    table = read(HEADER + "{0 1, 2 ?, 4 ?}\n0,0,?,0,?\n{4 1}\n")
    assert table.Y.tolist() == [[-1, -1], [-1, -1], [0, 1]]
    assert table.labelled.tolist() == [False, False, True]
    assert table.X.toarray()[:, 0].tolist() == [1, 0, 0]
    with pytest.raises(DataError, match=r"line 12: some labels are missing and others are not"):
        read(HEADER + "{0 1}\n{2 ?}\n")


def test_numeric_labels(read):
    header = HEADER.replace("class01 {0,1}", "class01 numeric")
    assert read(header + "0,0,1.0,0,0\n{2 0}\n{2 1}\n").Y[:, 0].tolist() == [1, 0, 1]
    for value in ("2", "0.5", "-1"):
        with pytest.raises(DataError, match=rf"line 12: label 'class01' must be 0 or 1 .*, got {value}"):
            read(header + f"{{2 1}}\n{{2 {value}}}\n")


def test_attributes_that_cannot_be_labels(read):
    for kind in ("{a,b}", "{0,1,2}", "{-1,1}", "string"):
        with pytest.raises(DataError, match=r"label 'class01' is .*declare labels as {0,1}"):
            read(HEADER.replace("class01 {0,1}", f"class01 {kind}") + "{}\n")


def test_features_of_other_kinds(read):
    nominal = HEADER.replace("x real", "x {red,green,blue}")
    with pytest.raises(DataError, match=r"'x' is nominal with values 'red', .*per value.*drop=\['x'\]"):
        read(nominal + "{}\n")
    assert read(nominal + "{3 blue}\n", drop=["x"]).feature_names == ("abort", "above all")
    text = HEADER.replace("x real", "x string")
    with pytest.raises(DataError, match=r"'x' is a string.*identifier, use id_column"):
        read(text + "{}\n")
    assert read(text + "{3 'a, b'}\n0,0,0,'c d',1\n", drop=["x"]).Y.tolist() == [[0, 0], [0, 1]]
    bags = HEADER.replace("@attribute x real", "@attribute x relational\n@attribute y real\n@end x")
    with pytest.raises(DataError, match=r"'x' is relational.*bags of instances with read_bags"):
        read(bags + "{}\n")


def test_identifiers(read):
    text = HEADER.replace("x real", "x string")
    table = read(text + "{0 1, 3 'a, b', 4 1}\n0,0,0,'c d',1\n{1 2,3 e}\n", id_column="x")
    assert table.row_ids.tolist() == ["a, b", "c d", "e"]
    assert table.has_row_ids
    assert table.feature_names == ("abort", "above all")
    numbers = read(HEADER + "{3 007}\n{0 1}\n{3 8}\n", id_column="x")
    assert numbers.row_ids.tolist() == ["007", "0", "8"]
    with pytest.raises(DataError, match="'x' is empty in row 2"):
        read(text + "{3 a}\n{0 1}\n", id_column="x")
    with pytest.warns(UserWarning, match=r"'x' has repeated values \('a'\)"):
        assert read(text + "{3 a}\n{3 a}\n", id_column="x").row_ids.tolist() == ["a (1)", "a (2)"]


def test_columns_with_two_roles_or_none(read):
    with pytest.raises(DataError, match=r"no attribute 'abrt' \(drop\); did you mean 'abort'"):
        read(HEADER + SPARSE, drop=["abrt"])
    with pytest.raises(DataError, match=r"no attribute 3 \(identifier\)"):
        read(HEADER + SPARSE, id_column=3)
    with pytest.raises(DataError, match="'class01' cannot be both the label"):
        read(HEADER + SPARSE, drop=["class01"])
    with pytest.raises(DataError, match="'x' cannot be both the identifier"):
        read(HEADER + SPARSE, id_column="x", drop=["x"])
    with pytest.raises(DataError, match="has no features besides"):
        read(HEADER + SPARSE, drop=["x", "abort", "above all"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{0 1, 2 1", "not end with a closing brace.*truncated"),
        ("{0 1, 0 0}", r"two entries for index 0 \(attribute 'abort'\)"),
        ("{4 1, 1 2, 4 1}", r"two entries for index 4 \(attribute 'class02'\)"),
        ("{5 1}", "attribute indices must be integers from 0 to 4, got '5'"),
        ("{99999999999999999999999 1}", "from 0 to 4, got '9999"),
        ("{-1 1}", "from 0 to 4, got '-1'"),
        ("{1_0 1}", "from 0 to 4, got '1_0'"),
        ("{a 1}", "from 0 to 4, got 'a'"),
        ("{0 1,}", "sparse-row entry 2 is empty"),
        ("{0 1,,2 1}", "entry 2 .*must be an index and a value"),
        ("{0}", "entry 1 .*must be an index and a value.*'0'"),
        ("{0 1 2 1}", "value '1 2 1' is not declared for attribute 'abort'"),
        ("{0 2}", "value '2' is not declared for attribute 'abort'"),
        ("{1 abc}", r"attribute 'above all' must be numeric, got 'abc'"),
        ("{1 1_0}", "must be numeric, got '1_0'"),
        ("{1 ?}", "missing value in attribute 'above all'.*drop=.'above all'"),
        ("{1 nan}", "missing value in attribute 'above all'"),
        ("{1 -inf}", "infinite value in attribute 'above all'"),
        ("{0 1}, {5}", "row weights are not supported"),
        ("{0 '1}", "entry 1 .*must be an index and a value"),
        ("0,1,0,1", "expected 5 values, one per attribute, got 4 values; the file may be truncated"),
        ("0,1,0,1,1,1", "expected 5 values, one per attribute, got 6"),
        ("0,?,0,1,1", "missing value in attribute 'above all'"),
        ("2,1,0,1,1", "value '2' is not declared"),
        ("0,x,0,1,1", "must be numeric, got 'x'"),
    ],
)
def test_bad_rows_are_told_with_their_line(read, row, message):
    with pytest.raises(DataError, match=rf"data\.arff, line 13: .*{message}"):
        read(HEADER + "{0 1}\n{}\n" + row + "\n")


def test_quotes_and_odd_spaces_in_sparse_rows(read):
    table = read(HEADER + "{ 0\t'1' ,1  \"2.5\",002 1 }\n{   }\n")
    assert table.X.toarray().tolist() == [[1, 2.5, 0], [0, 0, 0]]
    assert table.Y.tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "% only a remark\n", HEADER, HEADER[:60], HEADER.replace("@data", "")]
)
def test_files_without_rows(read, text):
    with pytest.raises(DataError, match=r"data\.arff"):
        read(text)


def test_sparse_rows_are_never_made_dense(read):
    header = "@relation big\n" + "".join(f"@attribute w{each} {{0,1}}\n" for each in range(4000)) + "@data\n"
    text = header + "{17 1, 3999 1}\n" * 20_000
    tracemalloc.start()
    try:
        table = read(text, None, n_labels=-3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert table.X.shape == (20_000, 3997)
    assert peak < 40e6  # with one byte a cell it would be 80e6


@pytest.mark.slow
def test_many_attributes_take_no_quadratic_time(read):
    header = (
        "@relation wide\n" + "".join(f"@attribute w{each} {{0,1}}\n" for each in range(30_000)) + "@data\n"
    )
    table = read(header + "{29998 1}\n{0 1, 29999 1}\n", None, n_labels=-2)
    assert table.X.shape == (2, 29_998)
    assert table.Y.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(DataError, match="attribute 'w7' is already declared"):
        read(header.replace("w8 ", "w7 "), None, n_labels=-2)


DEFAULTS = ("0", "0", "1", "1", "0", "0")
CELL = st.sampled_from(["0", "0", "1"])
ROWS = st.lists(st.tuples(CELL, CELL, CELL, CELL, st.sampled_from(["0", "2.5", "-1"]), CELL), min_size=1)


@settings(max_examples=25, deadline=None)
@given(ROWS, st.data())
def test_dense_rows_and_sparse_ones_in_any_order_agree(tmp_path_factory, rows, data):
    folder = tmp_path_factory.mktemp("arff")
    kinds = ["a {0,1}", "b {0,1}", "class01 {1,0}", "c {1,0}", "d numeric", "class02 {0,1}"]
    header = "@relation r\n" + "".join(f"@attribute {kind}\n" for kind in kinds) + "@data\n"
    sparse = ""
    for row in rows:
        entries = [f"{place} {cell}" for place, cell in enumerate(row) if cell != DEFAULTS[place]]
        sparse += "{" + ", ".join(data.draw(st.permutations(entries))) + "}\n"
    dense = "".join(",".join(row) + "\n" for row in rows)
    for name, text in (("dense.arff", dense), ("sparse.arff", sparse)):
        (folder / name).write_text(header + text)
        table = read_multilabel(folder / name, labels=["class02", "class01"])
        assert table.X.toarray().tolist() == [[float(row[place]) for place in (0, 1, 3, 4)] for row in rows]
        assert table.Y.tolist() == [[int(row[5]), int(row[2])] for row in rows]
