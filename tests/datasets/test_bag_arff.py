"""ARFF with bags: WEKA's relational form, one instance a row, KEEL's dialect, and writing."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import arff

from moo_clustering.bags import Bags
from moo_clustering.datasets import BagTable, DataError, make_bags, read_bags
from tests.datasets.arff_files import write_bag_arff

RELATIONAL = """\
% atoms of molecules
@RELATION demo

@attribute id {a,b}
@attribute bag Relational
  @attribute x numeric
  @attribute y REAL
@end bag
@attribute class {0,1}

@data
"""
FLAT = """\
@relation demo
@attribute mol {a,b}
@attribute conformation_name {c1,c2,c3}
@attribute x integer
@attribute class {no,yes}
@data
"""
KEEL = """\
@relation demo
@attribute no{1, 2}
@attribute x real [0.0, 9.0]
@attribute y integer[0,9]
@attribute extra real [0.0, 1.0]
@attribute Class{u, v}
@inputs no, x, y real
@outputs Class
@data
"""


@pytest.fixture
def read(tmp_path):
    def _read(text, name="data.arff", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_bags(path, **options)

    return _read


def as_lists(table):
    return [bag.tolist() for bag in table.bags]


def test_relational(read):
    table = read(RELATIONAL + 'a,"1,2\\n-3,4e1",1\n% remark\n\nb,"5,6",0\n')
    assert as_lists(table) == [[[1, 2], [-3, 40]], [[5, 6]]]
    assert table.bags.bag_ids == ("a", "b")
    assert table.bags.feature_names == ("x", "y")
    assert table.labels.tolist() == [1, 0]
    assert table.label_names == ("0", "1")
    assert table.name == "data.arff"


@pytest.mark.parametrize(
    "rows",
    [
        "a,'1,2\\n3,4',1\nb,\"5,6\",0\n",
        'a , "1, 2\\n3 ,4" , 1\r\n b,"5,6", 0',
        'a\t"1,2\\n3,4\\n"\t1\nb\t"5,6"\t0\n',
        "'a',\"1,2\\n\\n3,4\\r\\n\",'1'\nb,\"5,6\",0\n",
    ],
)
def test_ways_to_write_the_same_rows(read, rows):
    table = read(RELATIONAL.replace("\n", "\r\n") + rows)
    assert as_lists(table) == [[[1, 2], [3, 4]], [[5, 6]]]
    assert table.labels.tolist() == [1, 0]


def test_names_with_quotes_blanks_and_other_letters(read):
    table = read(
        "@relation 'a b'\n@attribute 'bag id' {'it\\'s','ü , 2',\"?\"}\n@attribute 'the bag' relational\n"
        "@attribute 'charge {e}' numeric\n@attribute type {'x y',é,z}\n@end 'the bag'\n"
        "@attribute class {p,'n n'}\n@data\n"
        "'it\\'s',\"1,'x y'\\n2,é\",p\n'ü , 2','3,\\'x y\\'','n n'\n'?',\"4,z\",?\n"
    )
    assert table.bags.bag_ids == ("it's", "ü , 2", "?")
    assert table.bags.feature_names == ("charge {e}", "type=x y", "type=é", "type=z")
    assert as_lists(table) == [[[1, 1, 0, 0], [2, 0, 1, 0]], [[3, 1, 0, 0]], [[4, 0, 0, 1]]]
    assert table.label_names == ("n n", "p")
    assert table.labels.tolist() == [1, 0, -1]


def test_nominal_attributes_in_bags(read):
    header = RELATIONAL.replace("x numeric", "x {u,v}").replace("y REAL", "y {0, 1}")
    table = read(header + 'a,"v,1\\nu,0",1\n')
    assert table.bags.feature_names == ("x=u", "x=v", "y")
    assert as_lists(table) == [[[0, 1, 1], [1, 0, 0]]]


def test_attributes_beside_the_bag(read):
    header = RELATIONAL.replace("@data", "@attribute weight numeric\n@data")
    with pytest.raises(DataError, match=r"'weight' is neither the bag.*drop=\['weight'\]"):
        read(header + 'a,"1,2",0,3\n')
    assert read(header + 'a,"1,2",0,3\n', drop=["weight"]).labels.tolist() == [0]
    assert read(header + 'a,"1,2",0,3\n', drop=["class"], label="weight").label_names == ("3",)
    assert read(header + 'a,"1,2",0,3\n', drop=["weight", "x"]).bags.feature_names == ("y",)


def test_bags_without_identifier_or_class(read):
    inside = "@attribute bag relational\n@attribute x numeric\n@end bag\n"
    only = read("@relation r\n" + inside + "@data\n'1\\n2'\n3\n")
    assert as_lists(only) == [[[1], [2]], [[3]]]
    assert not only.has_bag_ids
    assert only.labels is None
    classes = read("@relation r\n" + inside + "@attribute kind {u,v}\n@data\n1,v\n2,u\n3,v\n")
    assert not classes.has_bag_ids
    assert classes.labels.tolist() == [1, 0, 1]
    names = read("@relation r\n@attribute kind {u,v}\n" + inside + "@data\nv,1\nu,2\n")
    assert names.bags.bag_ids == ("v", "u")
    assert names.labels is None
    first = read("@relation r\n@attribute class {u,v}\n" + inside + "@data\nv,1\nu,2\n")
    assert first.labels.tolist() == [1, 0]
    with pytest.raises(DataError, match=r"line 7: bag 2 of 2 is empty"):
        read("@relation r\n" + inside + "@data\n1\n?\n")


def test_repeated_identifiers_are_one_bag(read):
    table = read(RELATIONAL + 'b,"1,2",1\na,"3,4",0\nb,"5,6\\n7,8",1\n')
    assert table.bags.bag_ids == ("b", "a")
    assert as_lists(table) == [[[1, 2], [5, 6], [7, 8]], [[3, 4]]]
    assert table.labels.tolist() == [1, 0]
    with pytest.raises(DataError, match="bag 'b' has class '1' in line 12 and class '0' in line 14"):
        read(RELATIONAL + 'b,"1,2",1\na,"3,4",0\nb,"5,6",0\n')


def test_several_relational_attributes(read):
    header = RELATIONAL.replace("@data", "@attribute more relational\n@attribute z numeric\n@end more\n@data")
    rows = 'a,"1,2",1,"7\\n8"\n'
    with pytest.raises(DataError, match=r"several relational attributes \('bag', 'more'\).*drop=\['more'\]"):
        read(header + rows)
    assert read(header + rows, drop=["more"]).bags.feature_names == ("x", "y")
    assert read(header + rows, drop=["bag"]).bags.instances.tolist() == [[7], [8]]
    with pytest.raises(DataError, match="all relational attributes are dropped"):
        read(header + rows, drop=["bag", "more"])


def test_missing_values_name_bag_and_row(read):
    text = RELATIONAL + 'a,"1,2",1\nb,"5,6\\n?,7\\n9,?",0\n'
    with pytest.raises(
        DataError, match=r"line 13 \(bag 'b', row 2\): missing value in column 'x' \(and 1 more"
    ):
        read(text)
    assert as_lists(read(text, missing="median")) == [[[1, 2]], [[5, 6], [5, 7], [9, 6]]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('a,"1,2\\n3', "line 12: value 2 has no closing quote; the file may be truncated"),
        ('a, "1,2\\n3', "line 12: value 2 has no closing quote"),
        (
            'a,"1,2\\n3,4"',
            "line 12: expected 3 values, one per attribute, got 2 values; the file may be truncated",
        ),
        ('a,"1,2"x,1', "line 12: missing comma after quoted value 2"),
        ('a,"1,2",1,1', "line 12: expected 3 values, one per attribute, got 4 values$"),
        ('a,"1,2\\n3",1', "line 12: bag 'a', row 2: expected 2 values, one per attribute, got 1 value;"),
        ('a,"1,2\\n3,4,5",1', "line 12: bag 'a', row 2: expected 2 values, one per attribute, got 3 values"),
        ('a,"1,2\\n3,four",1', r"line 12: bag 'a', row 2: attribute 'y' must be numeric, got 'four'"),
        ('a,"1,2\\n3,1_0",1', "must be numeric, got '1_0'"),
        ('c,"1,2",1', "line 12: value 'c' is not declared for attribute 'id'"),
        ('a,"1,2",2', "line 12: value '2' is not declared for attribute 'class'"),
        ('a,"",1', "line 12: bag 'a' is empty"),
        ("a,?,1", "line 12: bag 'a' is empty"),
        ('?,"1,2",1', "line 12: missing bag identifier in column 'id'"),
        ('a,"1,inf",1', r"line 12 \(bag 'a', row 1\): infinite value in column 'y'"),
        ("{0 a, 2 1}", "line 12: sparse rows are not supported"),
        ("", "no rows after its @data line; it may be truncated"),
    ],
)
def test_rows_that_cannot_be_read(read, row, message):
    with pytest.raises(DataError, match=message):
        read(RELATIONAL + row)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@data", "", "line 12: invalid ARFF header line 'a,.*must end with an @data line before"),
        ("@end bag\n", "", "line 5: relational attribute 'bag' is not closed by an @end line"),
        ("  @attribute x numeric\n  @attribute y REAL\n", "", "line 5: .* declares no attributes"),
        ("x numeric", "x blob", "line 6: attribute 'x' has unknown type 'blob'"),
        ("x numeric", "x", "line 6: attribute 'x' has unknown type ''"),
        ("x numeric", "x relational", r"line 6: nested relational attributes are not supported, got 'x'"),
        ("x numeric", "y numeric", "line 7: attribute 'y' is already declared"),
        ("x numeric", "'x numeric", "line 6: invalid attribute declaration"),
        ("{a,b}", "{a,", "line 4: the values of 'id' have no closing brace"),
        ("{a,b}", "{}", "line 4: attribute 'id' declares no values"),
        ("{a,b}", "{a,'b}", "line 4: attribute 'id': value 2 has no closing quote"),
        ("@RELATION demo", "demo", "line 2: invalid ARFF header line 'demo'"),
    ],
)
def test_headers_that_cannot_be_read(read, old, new, message):
    with pytest.raises(DataError, match=message):
        read(RELATIONAL.replace(old, new) + 'a,"1,2",1\n')


@pytest.mark.parametrize("length", range(30, len(RELATIONAL), 10))
def test_a_header_cut_anywhere_is_noticed(read, length):
    with pytest.raises(DataError):
        read(RELATIONAL[:length])


def test_a_compressed_file_cut_anywhere_is_noticed(read):
    whole = gzip.compress((RELATIONAL + 'a,"1,2\\n3,4",1\n').encode())
    assert read(whole, "data.arff.gz").bags.n_instances == 2
    for length in range(3, len(whole), 20):
        with pytest.raises(DataError, match=r"truncated|not a valid"):
            read(whole[:length], "data.arff.gz")


def test_other_texts_are_no_arff(read):
    with pytest.raises(DataError, match=r"line 1: invalid ARFF header line 'bag,x'"):
        read("bag,x\na,1\n")


@pytest.mark.parametrize(("kind", "what"), [("string", "is not numeric"), ("date 'yyyy'", "contains dates")])
def test_strings_and_dates_are_no_features(read, kind, what):
    text = RELATIONAL.replace("x numeric", f"x {kind}") + 'a,"1999,2\\n2001,3",1\n'
    with pytest.raises(DataError, match=rf"column 'x' {what}.*drop=\['x'\]"):
        read(text)
    assert as_lists(read(text, drop=["x"])) == [[[2], [3]]]
    assert read(text, nominal=["x"]).bags.feature_names == ("x=1999", "x=2001", "y")


def test_options_name_attributes_where_they_belong(read):
    text = RELATIONAL + 'a,"1,2",1\n'
    assert read(text, bag="id", label="class").bags.bag_ids == ("a",)
    assert read(text, bag="bag").bags.bag_ids == ("a",)
    with pytest.raises(DataError, match=r"no column 'x' \(bag\)"):
        read(text, bag="x")
    with pytest.raises(DataError, match=r"no column 'class' \(nominal\)"):
        read(text, nominal=["class"])


def test_one_instance_a_row(read):
    table = read(FLAT + "b,c1,1,yes\na,c2,2,no\nb,c3,3,yes\n")
    assert table.bags.bag_ids == ("b", "a")
    assert table.bags.feature_names == ("x",)
    assert as_lists(table) == [[[1], [3]], [[2]]]
    assert table.labels.tolist() == [1, 0]
    spaced = read((FLAT + "b,c1,1,yes\na,c2,2,no\nb,c3,3,yes\n").replace("1,yes", "1 ,\tyes"))
    assert spaced.bags == table.bags
    blanks = read(FLAT + "b c1 1 yes\na\tc2\t2\tno\nb,c3,3,yes\n")
    assert blanks.bags == table.bags


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,c1,1,no\na,c2,2,yes", "bag 'a' has class 'no' in line 7 and class 'yes' in line 8"),
        (
            "a,c1,1,no\na,c2",
            "line 8: expected 4 values, one per attribute, got 2 values; the file may be truncated",
        ),
        ("a,c1,1,no\nb,c2,3,no", "the first column, 'mol', has a different value in every row"),
        ("a,c1,1,no\na,c2,?,no", r"line 8 \(bag 'a', row 2\): missing value in column 'x'"),
        ("?,c1,1,no\na,c2,3,no", "line 7: missing bag identifier in column 'mol'"),
    ],
)
def test_flat_rows_that_cannot_be_read(read, rows, message):
    with pytest.raises(DataError, match=message):
        read(FLAT + rows)


def test_flat_without_a_plain_bag(read):
    text = FLAT.replace("mol {a,b}", "mol numeric") + "01,c1,1,no\n1,c2,2,no\n"
    with pytest.raises(
        DataError, match=r"neither a relational attribute .*bag=\.\.\., one of 'mol', 'conformation_"
    ):
        read(text)
    assert read(text, bag="mol").bags.bag_ids == ("01", "1")


def test_the_last_nominal_attribute_is_the_class(read):
    text = "@attribute m {a,b}\n@attribute t {u,v,w}\n@attribute x real\n@attribute k {p,q}\n@data\n"
    table = read(text + "a,u,1,q\na,w,2,q\nb,v,3,p\n")
    assert table.bags.feature_names == ("t=u", "t=v", "t=w", "x")
    assert table.labels.tolist() == [1, 0]
    all_features = read(text + "a,u,1,q\na,w,2,q\nb,v,3,p\n", label=False)
    assert all_features.labels is None
    assert all_features.bags.feature_names[-2:] == ("k=p", "k=q")


def test_keel(read):
    table = read(KEEL + "1, 2.5, 1, 0, v\n2, 1, 0, 0, u\n1, 2, <null>, 0, v\n", "d.dat", missing="median")
    assert table.bags.bag_ids == ("1", "2")
    assert table.bags.feature_names == ("x", "y")  # "extra" is no input
    assert as_lists(table) == [[[2.5, 1], [2, 0.5]], [[1, 0]]]
    assert table.label_names == ("u", "v")
    assert table.labels.tolist() == [1, 0]


def test_keel_outputs(read):
    several = KEEL.replace("@outputs Class", "@outputs extra, Class") + "1, 2, 3, 0, v\n1, 2, 3, 1, v\n"
    with pytest.raises(
        DataError, match=r"several outputs .*; select the class, for example with label='extra'"
    ):
        read(several)
    assert read(several, label="Class").bags.feature_names == ("x", "y")
    with pytest.raises(DataError, match="lists 'z' as an input or output, but does not declare it"):
        read(KEEL.replace("y real\n", "z\n") + "1, 2, 3, 0, v\n")
    with pytest.raises(DataError, match="line 7: value 1 has no closing quote"):
        read(KEEL.replace("@inputs no", "@inputs 'no") + "1, 2, 3, 0, v\n")
    with pytest.raises(DataError, match="declares no attributes"):
        read("@relation r\n@data\n1\n")


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5).map(float)


@st.composite
def tables(draw, name=names):
    """Bags with any names, and classes that some bags lack."""
    n, d = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=sum(sizes), max_size=sum(sizes)))
    ids = draw(st.lists(name, min_size=n, max_size=n, unique=True))
    features = draw(st.lists(name, min_size=d, max_size=d, unique=True))
    labels = draw(st.none() | st.lists(st.integers(-1, 1), min_size=n, max_size=n))
    bags = Bags(X, np.concatenate([[0], np.cumsum(sizes)]), bag_ids=ids, feature_names=features)
    return BagTable(bags, None if labels is None else np.array(labels), ("it's, %", "no {}"), "what's %\n")


def class_of_each(table):
    if table.labels is None:
        return [None] * table.n_bags
    return [table.label_names[label] if label >= 0 else None for label in table.labels]


@given(table=tables(), suffix=st.sampled_from(["arff", "arff.gz"]))
@settings(max_examples=150, deadline=None)
def test_written_bags_are_read_back(tmp_path_factory, table, suffix):
    path = tmp_path_factory.getbasetemp() / f"written.{suffix}"
    write_bag_arff(path, table)
    again = read_bags(path)
    assert again.bags == table.bags
    assert np.array_equal(np.signbit(again.bags.instances), np.signbit(table.bags.instances))
    assert class_of_each(again) == class_of_each(table)


@given(table=tables(st.text("abcXYZ_019", min_size=1, max_size=6)))
@settings(max_examples=50, deadline=None)
def test_scipy_reads_what_we_write(tmp_path_factory, table):
    path = tmp_path_factory.getbasetemp() / "scipy.arff"
    write_bag_arff(path, BagTable(table.bags, table.labels, ("no", "yes"), "demo"))
    data, _ = arff.loadarff(path)
    assert [identifier.decode() for identifier in data["bag_id"]] == list(table.bags.bag_ids)
    for read_bag, bag in zip(data["bag"], table.bags, strict=True):
        assert read_bag.dtype.names == table.bags.feature_names
        assert [list(row) for row in read_bag.tolist()] == bag.tolist()
    if table.labels is not None:
        expected = [["no", "yes", "?"][label] for label in table.labels]
        assert [label.decode() for label in data["class"]] == expected


def test_writing_bags_without_names(tmp_path):
    path = tmp_path / "d.arff"
    write_bag_arff(path, BagTable(Bags.from_list([[[1, 2]], [[3, 4]]])))
    table = read_bags(path)
    assert table.bags.bag_ids == ("0", "1")
    assert table.bags.feature_names == ("x0", "x1")
    assert "class" not in path.read_text()
    assert "0,'1,2'\n1,'3,4'\n" in path.read_text()


def test_writing_is_reproducible(tmp_path):
    table = make_bags(10, random_state=0)
    for name in ("a.arff.gz", "b.arff.gz"):
        write_bag_arff(tmp_path / name, table)
    assert (tmp_path / "a.arff.gz").read_bytes() == (tmp_path / "b.arff.gz").read_bytes()
    again = read_bags(tmp_path / "a.arff.gz")
    np.testing.assert_array_equal(again.bags.instances, table.bags.instances)
    np.testing.assert_array_equal(again.labels, table.labels)
