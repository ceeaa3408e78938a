"""Reading bags from tables and archives, and the data sets that circulate in several formats."""

import gzip

import numpy as np
import pandas as pd
import pytest

from moo_clustering.bags import Bags
from moo_clustering.datasets import BagTable, DataError, read_bags


@pytest.fixture
def write(tmp_path):
    def _write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return _write


@pytest.fixture
def save(tmp_path):
    def _save(**arrays):
        path = tmp_path / "bags.npz"
        np.savez(path, **{name.rstrip("_"): array for name, array in arrays.items()})
        return path

    return _save


def as_lists(table):
    return [bag.tolist() for bag in table.bags]


@pytest.mark.parametrize(
    ("file", "archive"),
    [
        ("musk1.arff.gz", "musk1"),
        ("musk1_flat.arff.gz", "musk1"),
        ("mutagenesis3_atoms.arff.gz", "mutatoms"),
        ("eastWest.dat.gz", "eastwest"),
    ],
)
def test_published_files_give_the_arrays_of_their_archives(data_folder, file, archive):
    folder = data_folder / "mil"
    if not folder.is_dir():
        pytest.skip("no multi-instance data")
    table = read_bags(folder / "arff" / file)
    with np.load(folder / f"{archive}.npz") as arrays:
        np.testing.assert_array_equal(table.bags.instances, arrays["instances"])
        np.testing.assert_array_equal(table.bags.offsets, arrays["bag_offsets"])
        np.testing.assert_array_equal(table.labels, arrays["bag_labels"])
        assert table.bags.bag_ids == tuple(arrays["bag_ids"])
        assert table.bags.feature_names == tuple(arrays["feature_names"])
    assert table.label_names == ("0", "1")
    same = read_bags(folder / f"{archive}.npz")
    assert same.bags == table.bags
    np.testing.assert_array_equal(same.labels, table.labels)


def test_csv_in_order_of_first_rows(write):
    table = read_bags(write("x,bag,y,class\n1,b,2,yes\n3,a,4,no\n5,b,6,yes\n"))
    assert as_lists(table) == [[[1, 2], [5, 6]], [[3, 4]]]
    assert table.bags.bag_ids == ("b", "a")
    assert table.bags.feature_names == ("x", "y")
    assert table.labels.tolist() == [1, 0]
    assert table.labels.dtype == np.int64
    assert table.label_names == ("no", "yes")
    assert table.name == "data.csv"
    assert (table.n_bags, table.n_classes, table.has_bag_ids) == (2, 2, True)
    assert table.bags.instances.dtype == np.float64


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bag\tx\na\t1\na\t2\n", "d.tsv"),
        ("bag;x\na;1\na;2\n", "d.csv"),
        ("\ufeffbag, x\r\na, 1\r\n\r\na, 2\r\n", "d.txt"),
        ("bag,x\na,1\na,2\n", "d.dat"),
        (gzip.compress(b"bag,x\na,1\na,2\n", mtime=0), "d.csv.gz"),
        (gzip.compress(b"bag,x\na,1\na,2\n", mtime=0), "d.csv"),
    ],
)
def test_separators_signatures_and_compression(write, text, name):
    table = read_bags(write(text, name))
    assert as_lists(table) == [[[1], [2]]]
    assert table.bags.bag_ids == ("a",)
    assert table.labels is None
    assert table.label_names == ()


@pytest.mark.parametrize("bag", ["bag", "Bag_ID", "bag-name", "bagid", "atoms_bag_id"])
def test_a_column_called_bag_is_the_bag(write, bag):
    table = read_bags(write(f"x,{bag}\n1,007\n2,7\n3,007\n"))
    assert table.bags.bag_ids == ("007", "7")
    assert as_lists(table) == [[[1], [3]], [[2]]]


def test_the_first_column_is_the_bag_if_it_is_text_and_repeats(write):
    assert read_bags(write("molecule,x\nm1,1\nm1,2\nm2,3\n")).bags.bag_ids == ("m1", "m2")
    with pytest.raises(DataError, match=r"the first column, 'molecule', has a different value in every row"):
        read_bags(write("molecule,x\nm1,1\nm2,3\n"))
    assert len(read_bags(write("molecule,x\nm1,1\nm2,3\n"), bag="molecule").bags) == 2


def test_baggage_is_no_bag(write):
    with pytest.raises(DataError, match=r"specify the column with bag=\.\.\., one of 'baggage', 'x'$"):
        read_bags(write("baggage,x\n1,2\n1,3\n"))


def test_numeric_bags_and_labels_stay_as_they_are_written(write):
    table = read_bags(write("m,x,c\n9007199254740993,1,2\n9007199254740992,2,-1\n"), bag="m", label="c")
    assert table.bags.bag_ids == ("9007199254740993", "9007199254740992")
    assert table.label_names == ("-1", "2")
    assert table.labels.tolist() == [1, 0]


def test_missing_labels(write):
    table = read_bags(write("bag,x,class\na,1,\nb,2,p\na,3,\n"))
    assert table.labels.tolist() == [-1, 0]
    none = read_bags(write("bag,x,class\na,1,\nb,2,\n"))
    assert none.labels is None
    assert none.label_names == ()


def test_label_false_leaves_the_column_to_the_features(write):
    table = read_bags(write("bag,x,class\na,1,0\na,2,1\n"), label=False)
    assert table.labels is None
    assert table.bags.feature_names == ("x", "class")
    assert as_lists(table) == [[[1, 0], [2, 1]]]


def test_one_class_a_bag(write):
    path = write("bag,x,class\nb,1,0\na,1,0\nb,2,0\na,2,1\n")
    with pytest.raises(
        DataError, match=r"bag 'a' has class '0' in line 3 and class '1' in line 5 \(column 'c"
    ):
        read_bags(path)
    with pytest.raises(DataError, match=r"bag 'a' has no class in line 2 and class '1' in line 3"):
        read_bags(write("bag,x,class\na,1,\na,2,1\n"))


def test_text_columns(write):
    path = write("bag,colour,x\na,red,1\na,blue,2\nb,red,3\n")
    with pytest.raises(
        DataError, match=r"column 'colour' is not numeric \('red' in line 2\).*nominal=\['colour'\]"
    ):
        read_bags(path)
    assert read_bags(path, drop=["colour"]).bags.feature_names == ("x",)
    table = read_bags(path, nominal=["colour"])
    assert table.bags.feature_names == ("colour=blue", "colour=red", "x")
    assert as_lists(table) == [[[0, 1, 1], [1, 0, 2]], [[0, 1, 3]]]


def test_the_example_of_a_text_column_is_its_text(write):
    with pytest.raises(DataError, match=r"'x' is not numeric \('oops' in line 3\)"):
        read_bags(write("bag,x\na,1\na,oops\n"))


def test_too_many_values_of_a_nominal_column(write):
    rows = "".join(f"{row // 2},word{row}\n" for row in range(2**15 + 1))
    with pytest.raises(
        DataError, match=r"would require 32,769 x 32,769 cells, more than the limit of 1,073,7"
    ):
        read_bags(write("bag,word\n" + rows), nominal=["word"])


def test_numeric_codes_as_nominal(write):
    table = read_bags(write("bag,code,x\na,22,1\na,3,2\n"), nominal=["code"])
    assert table.bags.feature_names == ("code=3", "code=22", "x")
    assert as_lists(table) == [[[0, 1, 1], [1, 0, 2]]]


def test_names_of_instances_are_left_out(write):
    path = write("mol,conformation_name,x\nm,c1,1\nm,c2,2\n")
    assert read_bags(path).bags.feature_names == ("x",)
    assert read_bags(path, nominal=["conformation_name"]).bags.n_features == 3
    with pytest.raises(DataError, match="'conformation_name' is not numeric"):
        read_bags(write("mol,conformation_name,x\nm,c1,1\nm,c1,2\n"))


def test_row_names_of_pandas_are_left_out(write):
    assert read_bags(write(",bag,x\n0,a,1\n1,a,2\n")).bags.feature_names == ("x",)


def test_missing_values(write):
    path = write("bag,x,kind,y\na,1,u,1\nb,,v,1\n\na,4,v,\na,7,,9\n")
    with pytest.raises(DataError, match=r"line 3 \(bag 'b', row 1\): missing value in column 'x' \(and 2"):
        read_bags(path, nominal=["kind"])
    table = read_bags(path, nominal=["kind"], missing="median")
    assert as_lists(table) == [[[1, 1, 0, 1], [4, 0, 1, 1], [7, 0, 1, 9]], [[4, 0, 1, 1]]]
    with pytest.raises(DataError, match="column 'x' has only missing values; drop it"):
        read_bags(write("bag,x\na,\na,NaN\n"), missing="median")


def test_an_infinite_value_is_never_taken(write):
    with pytest.raises(DataError, match=r"line 3 \(bag 'a', row 2\): infinite value in column 'x'"):
        read_bags(write("bag,x\na,1\na,-inf\n"), missing="median")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty$"),
        ("\n \n", "is empty$"),
        ("bag,x\n", "column names but no rows"),
        ("bag,x\na,1\na\n", "line 3 has 1 cell, but the first line names 2 columns"),
        ("bag,x\na,1\n,2\n", "line 3: missing bag identifier in column 'bag'"),
        ('bag,x\na,"1\n', "line 2: unmatched quote .*truncated"),
        ("bag,x,x\na,1,2\n", "two columns named 'x'"),
        ("bag,class\na,1\n", "has no feature columns"),
        ("bag,x=u,x\na,1,u\na,2,v\n", "two features named 'x=u'"),
    ],
)
def test_tables_that_cannot_be_read(write, text, message):
    with pytest.raises(DataError, match=message):
        read_bags(write(text), nominal=["x"] if "x=u" in text else [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bag": "bags"}, r"no column 'bags' \(bag\); did you mean 'bag'\?"),
        ({"label": "clas"}, r"no column 'clas' \(label\); did you mean 'class'\?"),
        ({"label": ""}, r"no column '' \(label\)"),
        ({"drop": ["z"]}, r"no column 'z' \(drop\)"),
        ({"drop": [1]}, r"no column 1 \(drop\)"),
        ({"nominal": ["z"]}, r"no column 'z' \(nominal\)"),
        ({"bag": "bag", "drop": ["bag"]}, "cannot be both the bag and the drop column"),
        ({"bag": "class", "label": "class"}, "cannot be both the bag and the label column"),
    ],
)
def test_columns_that_do_not_fit(write, options, message):
    with pytest.raises(DataError, match=message):
        read_bags(write("bag,x,class\na,1,0\n"), **options)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"missing": "mean"}, ValueError),
        ({"label": True}, TypeError),
        ({"drop": "x"}, TypeError),
        ({"nominal": "x"}, TypeError),
    ],
)
def test_options_that_are_none(write, options, error):
    with pytest.raises(error, match=next(iter(options))):
        read_bags(write("bag,x\na,1\n"), **options)


def test_paths(write, tmp_path):
    with pytest.raises(DataError, match=r"file .* does not exist"):
        read_bags(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_bags(tmp_path)
    with pytest.raises(DataError, match=r"suffix '.xls'; supported suffixes are .arff, .dat, "):
        read_bags(write("bag,x\n", "d.xls"))
    with pytest.raises(DataError, match="UTF-8"):
        read_bags(write("bag,x\nü,1\n".encode("latin-1")))


def test_damaged_compression(write):
    whole = gzip.compress(b"bag,x\na,1\na,2\n" * 100)
    with pytest.raises(DataError, match="is truncated: its compressed data are incomplete"):
        read_bags(write(whole[:-9], "d.csv.gz"))
    with pytest.raises(DataError, match="not a valid gzip file"):
        read_bags(write(b"bag,x\n", "d.csv.gz"))
    with pytest.raises(DataError, match="not a valid gzip file"):
        read_bags(write(whole[:20] + b"\xff" * 30, "d.csv.gz"))


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "bag": [2**53 + 1, 2**53, 2**53 + 1],
            "x": np.array([1, 2, 3], dtype=np.int32),
            "flag": [True, False, True],
            "kind": pd.Categorical(["u", "w", "u"], categories=["w", "v", "u"]),
            "class": ["p", None, "p"],
        }
    )
    path = tmp_path / "d.parquet"
    frame.to_parquet(path)
    table = read_bags(path)
    assert table.bags.bag_ids == (str(2**53 + 1), str(2**53))
    assert table.bags.feature_names == ("x", "flag", "kind=w", "kind=v", "kind=u")
    assert as_lists(table) == [[[1, 1, 0, 0, 1], [3, 1, 0, 0, 1]], [[2, 0, 1, 0, 0]]]
    assert table.labels.tolist() == [0, -1]
    frame.assign(when=pd.Timestamp("2020-01-01")).to_parquet(path)
    with pytest.raises(DataError, match=r"column 'when' contains dates.*drop=\['when'\]"):
        read_bags(path)
    assert read_bags(path, drop=["when"]).bags == table.bags
    frame.set_index("bag").to_parquet(path)
    assert read_bags(path).bags == table.bags
    frame[frame.x > 1].to_parquet(path)  # its index has no name
    assert as_lists(read_bags(path)) == [[[2, 0, 1, 0, 0]], [[3, 1, 0, 0, 1]]]
    frame.iloc[:0].to_parquet(path)
    with pytest.raises(DataError, match="has no rows"):
        read_bags(path)
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match="not a valid Parquet file"):
        read_bags(path)


def test_saved_bags_are_read_back(tmp_path):
    bags = Bags(
        np.array([[0.5, 2], [3, 4], [5, 6]], dtype=np.float32),
        [0, 2, 3],
        bag_ids=["a", "b"],
        feature_names=["x", "y"],
    )
    bags.save(tmp_path / "bags.npz")
    table = read_bags(tmp_path / "bags.npz")
    assert table.bags == bags
    assert table.bags.dtype == np.float32
    assert table.labels is None


def test_archive(save):
    X = np.arange(6.0).reshape(3, 2)
    path = save(instances=X, bag_offsets=[0, 1, 3], bag_labels=[1, -1], other=["u", "v"])
    table = read_bags(path)
    assert as_lists(table) == [[[0, 1]], [[2, 3], [4, 5]]]
    assert not table.has_bag_ids
    assert table.bags.feature_names == ("x0", "x1")
    assert table.label_names == ("-1", "1")
    assert table.labels.tolist() == [1, 0]
    assert read_bags(path, label="other").label_names == ("u", "v")
    assert read_bags(path, label=False).labels is None
    assert read_bags(path, drop=["x0"]).bags.instances.tolist() == [[1], [3], [5]]
    assert read_bags(path, nominal=["x0"]).bags.feature_names == ("x0=0", "x0=2", "x0=4", "x1")
    with pytest.raises(DataError, match=r"no array 'othr' \(label\); did you mean 'other'\?"):
        read_bags(path, label="othr")
    with pytest.raises(DataError, match=r"no array '' \(label\)"):
        read_bags(path, label="")
    with pytest.raises(DataError, match="defines its bags by the array 'bag_offsets'"):
        read_bags(path, bag="x0")


def test_gaps_in_archives(save):
    path = save(instances=[[1.0], [np.nan], [2.0]], bag_offsets=[0, 1, 3])
    with pytest.raises(DataError, match=r"bags.npz, bag 2 of 2, row 1: missing value in column 'x0'; fill"):
        read_bags(path)
    assert as_lists(read_bags(path, missing="median")) == [[[1]], [[1.5], [2]]]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"bag_offsets": [0, 1]}, "no array 'instances'; it contains 'bag_offsets'"),
        ({"instances": [[1.0]]}, "no array 'bag_offsets'"),
        ({"instances": [1.0], "bag_offsets": [0, 1]}, r"a numeric 2-d array.*\(1,\)"),
        ({"instances": [["a"]], "bag_offsets": [0, 1]}, "a numeric 2-d array"),
        ({"instances": [[1.0]], "bag_offsets": [0, 2]}, "'bag_offsets' and 'bag_ids': .*, 1, got 2"),
        ({"instances": [[1.0]], "bag_offsets": [0, 1, 1]}, "bag 1 must not be empty"),
        (
            {"instances": [[1.0]], "bag_offsets": [0, 1], "bag_ids": ["a", "b"]},
            "one name per bag, 1 in all",
        ),
        (
            {"instances": [[1.0]], "bag_offsets": [0, 1], "feature_names": ["a", "b"]},
            "2 names, but 'instances' has 1 columns",
        ),
        (
            {"instances": [[1.0]], "bag_offsets": [0, 1], "bag_labels": [1, 2]},
            r"one class per bag, 1 in all.*\(2,\)",
        ),
    ],
)
def test_archives_that_hold_no_bags(save, arrays, message):
    with pytest.raises(DataError, match=message):
        read_bags(save(**arrays))


def test_archives_with_objects_are_not_opened(save):
    with pytest.raises(DataError, match="Python objects"):
        read_bags(save(instances=np.array([[{}]]), bag_offsets=[0, 1]))


def test_shuffled_keeps_bags_and_classes_together():
    bags = Bags.from_list([[[i]] * (i + 1) for i in range(20)], bag_ids=range(20))
    table = BagTable(bags, np.arange(20), tuple("abcdefghijklmnopqrst"), "n")
    mixed = table.shuffled(0)
    assert mixed.labels.tolist() != list(range(20))
    assert sorted(mixed.labels.tolist()) == list(range(20))
    for bag, identifier, label in zip(mixed.bags, mixed.bags.bag_ids, mixed.labels, strict=True):
        assert identifier == str(label)
        assert bag.tolist() == [[label]] * (label + 1)
    assert mixed.name == "n"
    assert BagTable(bags).shuffled(0).labels is None
