"""Bags: what they are built from, what they refuse, selection, files."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.bags import Bags, as_bags

SIZES = [2, 1, 3, 2]
OFFSETS = [0, 2, 3, 6, 8]


def make(dtype=np.float64, **names):
    return Bags(np.arange(16, dtype=dtype).reshape(8, 2), OFFSETS, **names)


def test_attributes():
    bags = make(bag_ids=[7, "x", 2.5, None], feature_names=("a", 1))
    assert (bags.n_bags, bags.n_instances, bags.n_features, len(bags)) == (4, 8, 2, 4)
    assert_array_equal(bags.sizes, SIZES)
    assert_array_equal(bags.offsets, OFFSETS)
    assert bags.offsets.dtype == np.int64
    assert_array_equal(bags.bag_of_instance, [0, 0, 1, 2, 2, 2, 3, 3])
    assert bags.bag_ids == ("7", "x", "2.5", "None")
    assert bags.feature_names == ("a", "1")
    assert repr(bags) == "Bags(n_bags=4, n_instances=8, n_features=2, sizes=1-3)"
    assert repr(bags[[0, 3]]) == "Bags(n_bags=2, n_instances=4, n_features=2, sizes=2)"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float32, np.float32),
        (">f4", np.float32),
        (np.float64, np.float64),
        (">f8", np.float64),
        (np.float16, np.float64),
        (np.int16, np.float64),
        (bool, np.float64),
    ],
)
def test_types_of_instances(given, kept):
    bags = Bags(np.ones((8, 2), dtype=given), OFFSETS)
    assert bags.dtype == kept
    assert bags.dtype.isnative
    assert bags.instances.flags.c_contiguous


def test_means_are_in_double_precision():
    bags = make(np.float32)
    expected = [bag.astype(np.float64).mean(axis=0) for bag in bags]
    assert bags.means().dtype == np.float64
    assert_allclose(bags.means(), expected, rtol=1e-15)


def test_iterating_gives_read_only_views():
    bags = make()
    for number, bag in enumerate(bags):
        assert_array_equal(bag, bags[number])
        assert np.shares_memory(bag, bags.instances)
        assert not bag.flags.writeable
    assert number == 3


@pytest.mark.parametrize(
    ("index", "chosen"),
    [
        (slice(1, 3), [1, 2]),
        (slice(None), [0, 1, 2, 3]),
        (slice(-2, None), [2, 3]),
        (slice(None, None, -1), [3, 2, 1, 0]),
        (slice(0, 4, 2), [0, 2]),
        ([2, 0, 2], [2, 0, 2]),
        (np.array([-1, 1], dtype=np.int8), [3, 1]),
        (np.array([True, False, False, True]), [0, 3]),
        ([False, True, False, False], [1]),
        (range(2), [0, 1]),
    ],
)
def test_selecting_bags(index, chosen):
    bags = make(bag_ids=list("pqrs"))
    part = bags[index]
    assert isinstance(part, Bags)
    assert part == Bags.from_list([bags[k] for k in chosen], bag_ids=[bags.bag_ids[k] for k in chosen])
    assert not part.instances.flags.writeable


def test_integers_select_one_bag():
    bags = make()
    assert_array_equal(bags[1], [[4, 5]])
    assert_array_equal(bags[np.int32(-1)], [[12, 13], [14, 15]])


def test_ranges_share_memory():
    bags = make()
    assert np.shares_memory(bags[1:3].instances, bags.instances)
    assert len(pickle.dumps(bags[1:2])) < len(pickle.dumps(bags))


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (4, IndexError, "bag 4 is out of range: there are 4 bags"),
        (-5, IndexError, "bag -5 is out of range"),
        ([0, 9], IndexError, "bag 9 is out of range"),
        ([True, False], IndexError, "the mask has 2 entries, but there are 4 bags"),
        ([], ValueError, "selection must contain at least one bag"),
        (slice(3, 1), ValueError, "selection must contain at least one bag"),
        (np.zeros(4, dtype=bool), ValueError, "selection must contain at least one bag"),
        ("x", TypeError, "must be an integer, slice, mask or list"),
        (True, TypeError, "must be an integer"),
        ([0.0], TypeError, "must be an integer"),
        ((0, 1), TypeError, "must be an integer"),
        (1.0, TypeError, "must be an integer"),
    ],
)
def test_bad_selections(index, error, message):
    with pytest.raises(error, match=message):
        make()[index]


def test_nobody_can_write():
    X = np.zeros((8, 2))
    bags = Bags(X, OFFSETS)
    X[0, 0] = 99
    assert bags.instances[0, 0] == 0
    for array in (bags.instances, bags.offsets, bags.sizes, bags.bag_of_instance):
        assert not array.flags.writeable
        assert array.base is None or not array.base.flags.writeable
    with pytest.raises(AttributeError):
        bags.instances = X
    with pytest.raises(AttributeError):
        bags.anything = 1


def test_only_frozen_input_is_not_copied(tmp_path):
    X = np.zeros((8, 2))
    hidden = X[:]
    hidden.flags.writeable = False
    assert not np.shares_memory(Bags(hidden, OFFSETS).instances, X)  # X can still be written to
    X.flags.writeable = False
    assert np.shares_memory(Bags(X, OFFSETS).instances, X)
    assert not np.shares_memory(Bags(X.T.copy().T, OFFSETS).instances, X)
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    bags = Bags(mapped, OFFSETS)
    assert np.shares_memory(bags.instances, mapped)
    assert type(bags.instances) is np.ndarray
    assert np.shares_memory(Bags(bags.instances, OFFSETS).instances, mapped)
    changeable = np.load(tmp_path / "x.npy", mmap_mode="r+")
    assert not np.shares_memory(Bags(changeable, OFFSETS).instances, changeable)


def test_copies_share_and_pickles_do_not_thaw():
    bags = make(bag_ids=list("abcd"), feature_names=list("xy"))
    assert copy.deepcopy(bags) is bags
    assert copy.copy(bags) is bags
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(bags, protocol))
        assert again == bags
        assert not again.instances.flags.writeable
        assert again.dtype == bags.dtype


def test_equality():
    bags = make(bag_ids=list("abcd"), feature_names=list("xy"))
    assert bags == make(np.float32, bag_ids=list("abcd"), feature_names=list("xy"))
    assert bags != make(bag_ids=list("abcd"))
    assert bags != make(feature_names=list("xy"))
    assert make() != Bags(make().instances, [0, 2, 4, 6, 8])
    assert make() != make().with_instances(make().instances + 1)
    assert make() != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(bags)


def test_bags_are_not_silently_an_array():
    assert not hasattr(Bags, "__array__")
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.asarray(make())


def test_with_instances():
    bags = make(bag_ids=list("abcd"), feature_names=list("xy"))
    twice = bags.with_instances(2 * bags.instances)
    assert_array_equal(twice.instances, 2 * bags.instances)
    assert (twice.bag_ids, twice.feature_names) == (bags.bag_ids, bags.feature_names)
    assert bags.with_instances(np.ones((8, 5))).feature_names is None
    assert bags.with_instances(np.ones((8, 1)), feature_names=["one"]).feature_names == ("one",)
    with pytest.raises(ValueError, match="instances has 7 rows, but the bags have 8"):
        bags.with_instances(np.ones((7, 2)))
    with pytest.raises(ValueError, match=r"bag 1 \('b'\), row 0, column 1 \('y'\) is inf"):
        bags.with_instances(np.where(np.arange(16).reshape(8, 2) == 5, np.inf, 0))


@pytest.mark.parametrize(
    ("offsets", "error", "message"),
    [
        ([1, 8], ValueError, "offsets must start at 0, got 1"),
        ([0, 5, 3, 8], ValueError, r"offsets must increase, got 3 after 5 at index 2"),
        ([0, 5], ValueError, "offsets must end at the number of instances, 8, got 5"),
        ([0, 5, 9], ValueError, "offsets must end at the number of instances, 8, got 9"),
        ([0, 5, 5, 8], ValueError, "bag 1 must not be empty"),
        ([0], ValueError, r"at least two entries \(one bag\)"),
        ([], ValueError, r"at least two entries \(one bag\)"),
        ([[0, 8]], ValueError, r"offsets must be 1-d, got shape \(1, 2\)"),
        (8, ValueError, r"offsets must be 1-d, got shape \(\)"),
        ([0.0, 8.0], TypeError, "offsets must be integers, got dtype float64"),
        (np.array([5, 3, 8], dtype=np.uint8), ValueError, "offsets must start at 0, got 5"),
        (np.array([0, 5, 3, 8], dtype=np.uint8), ValueError, "offsets must increase, got 3 after 5"),
    ],
)
def test_bad_offsets(offsets, error, message):
    with pytest.raises(error, match=message):
        Bags(np.zeros((8, 2)), offsets)


def test_empty_bag_is_called_by_its_name():
    with pytest.raises(ValueError, match=r"bag 1 \('q'\) must not be empty"):
        Bags(np.zeros((8, 2)), [0, 5, 5, 8], bag_ids=["p", "q", "r"])


@pytest.mark.parametrize(
    ("instances", "error", "message"),
    [
        (
            np.zeros(8),
            ValueError,
            r"instances must be a 2-d array \(n_instances, n_features\), got shape \(8,\)",
        ),
        (np.zeros((8, 0)), ValueError, r"instances must not be empty, got shape \(8, 0\)"),
        (np.zeros((0, 2)), ValueError, "instances must not be empty"),
        (np.zeros((8, 2), dtype=object), TypeError, "real numbers, got dtype object"),
        (np.zeros((8, 2), dtype=complex), TypeError, "real numbers, got dtype complex128"),
        ([["a", "b"]] * 8, TypeError, "real numbers, got dtype <U1"),
        ([[1, 2], [3]], ValueError, "rows differ in length"),
        (np.ma.masked_less(np.zeros((8, 2)), 1), TypeError, "masked array"),
    ],
)
def test_bad_instances(instances, error, message):
    with pytest.raises(error, match=message):
        Bags(instances, OFFSETS)


def test_sparse_instances_are_refused():
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match=r"convert it with \.toarray\(\)"):
        Bags(csr_array(np.eye(8)), OFFSETS)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("block", [1, 4, 1 << 20])
def test_values_that_are_not_finite_are_found(value, block, monkeypatch):
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", block)
    X = np.zeros((8, 2), dtype=np.float32)
    X[5, 1] = value
    with pytest.raises(ValueError, match=f"bag 2, row 2, column 1 is {value}; every value must be finite"):
        Bags(X, OFFSETS)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ({"bag_ids": ["a"]}, ValueError, "bag_ids must have one name per bag, 4 in all; got 1"),
        ({"bag_ids": "abcd"}, TypeError, "bag_ids must be a sequence of names"),
        ({"bag_ids": 3}, TypeError, "bag_ids must be a sequence of names"),
        (
            {"feature_names": list("abc")},
            ValueError,
            "feature_names must have one name per feature, 2 in all; got 3",
        ),
    ],
)
def test_bad_names(names, error, message):
    with pytest.raises(error, match=message):
        make(**names)


def test_one_bag_is_enough():
    assert Bags([[1, 2]], [0, 1]).n_bags == 1


LISTS = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]]]


def test_from_list():
    bags = Bags.from_list(LISTS, bag_ids=["a", "b", "c"], feature_names=["x", "y"])
    assert_array_equal(bags.offsets, [0, 2, 3, 6])
    assert [bag.tolist() for bag in bags] == LISTS
    assert (bags.bag_ids, bags.feature_names) == (("a", "b", "c"), ("x", "y"))
    assert Bags.from_list(np.asarray(bag) for bag in LISTS) == Bags.from_list(LISTS)


def test_single_precision_needs_all_bags_to_be():
    single = [np.zeros((2, 3), dtype=np.float32), np.ones((1, 3), dtype=np.float32)]
    assert Bags.from_list(single).dtype == np.float32
    assert Bags.from_list([*single, np.zeros((1, 3))]).dtype == np.float64
    assert Bags.from_list([*single, np.zeros((1, 3), dtype=int)]).dtype == np.float64


@pytest.mark.parametrize(
    ("items", "ids", "error", "message"),
    [
        ([], None, ValueError, "at least one bag"),
        ([[[1, 2]], []], None, ValueError, r"bag 1 must not be empty, got shape \(0,\)"),
        ([[[1, 2]], np.zeros((0, 2))], ["p", "q"], ValueError, r"bag 1 \('q'\) must not be empty"),
        ([[[1, 2]], [[1]]], ["p", "q"], ValueError, r"bag 1 \('q'\) has 1 features, but bag 0 \('p'\) has 2"),
        ([[[1, 2]], [1, 2]], None, ValueError, r"bag 1 must be a 2-d array .* got shape \(2,\)"),
        ([[[1, 2]], [[[1, 2]]]], None, ValueError, r"bag 1 must be a 2-d array .* got shape \(1, 1, 2\)"),
        ([[[1, 2]], [[1, 2], [3]]], None, ValueError, "bag 1 must be an array, but its rows"),
        ([[[1, 2]], [["a", "b"]]], None, TypeError, "bag 1 must contain real numbers, got dtype <U1"),
        ([[[1, 2]], [[1, None]]], None, TypeError, "bag 1 must contain real numbers, got dtype object"),
        ([[[1, 2]], [[1, 2], [1, np.nan]]], None, ValueError, "bag 1, row 1, column 1 is nan"),
        ([[[1, 2]]], ["p", "q"], ValueError, "bag_ids must have one name per bag, 1 in all; got 2"),
    ],
)
def test_bad_lists(items, ids, error, message):
    with pytest.raises(error, match=message):
        Bags.from_list(items, bag_ids=ids)


@pytest.mark.parametrize("groups", [list("babcab"), np.array(list("babcab")), pd.Series(list("babcab"))])
def test_rows_of_a_group_are_gathered_in_their_order(groups):
    bags = Bags.from_groups(np.arange(12).reshape(6, 2), groups)
    assert bags.bag_ids == ("b", "a", "c")
    assert [bag[:, 0].tolist() for bag in bags] == [[0, 4, 10], [2, 8], [6]]


def test_groups_of_any_hashable_kind():
    groups = [1, "1", (1, 2), "1", 1, (1, 2)]
    bags = Bags.from_groups(np.arange(6)[:, None], groups)
    assert bags.bag_ids == ("1", "1", "(1, 2)")
    assert [bag.ravel().tolist() for bag in bags] == [[0, 4], [1, 3], [2, 5]]
    assert Bags.from_groups([[1], [2]], np.array([5, 5])).bag_ids == ("5",)


def test_groups_of_a_frame_keep_its_columns():
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    assert Bags.from_groups(frame, [0, 1]).feature_names == ("x", "y")
    assert Bags.from_groups(frame, [0, 1], feature_names=["p", "q"]).feature_names == ("p", "q")
    assert Bags.from_groups(pd.DataFrame([[1.0]]), [0]).feature_names is None


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([0, 1], r"one identifier per instance, 3 in all; got shape \(2,\)"),
        (np.zeros((3, 1)), r"one identifier per instance, 3 in all; got shape \(3, 1\)"),
        ([0.0, np.nan, 1.0], "got one in row 1"),
        (np.array([0.0, 1.0, np.nan]), "got one in row 2"),
        (["a", "b", None], "got one in row 2"),
        (pd.Series([1, None, 2], dtype="Int64"), "got one in row 1"),
    ],
)
def test_bad_groups(groups, message):
    with pytest.raises(ValueError, match=message):
        Bags.from_groups(np.zeros((3, 2)), groups)


def test_values_that_are_not_finite_are_named_after_gathering():
    X = np.zeros((4, 2))
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"bag 0 \('u'\), row 1, column 1 is nan"):
        Bags.from_groups(X, ["u", "v", "u", "v"])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=25))
@settings(max_examples=40, deadline=None)
def test_groups_and_lists_agree(groups):
    X = np.arange(2.0 * len(groups)).reshape(-1, 2)
    names = list(dict.fromkeys(groups))
    lists = [X[np.array(groups) == name] for name in names]
    assert Bags.from_groups(X, groups) == Bags.from_list(lists, bag_ids=names)


def test_from_frame():
    frame = pd.DataFrame(
        {"x": [1, 2, 3], "train": ["b", "a", "b"], "flag": [True, False, True], 3: [0.5, 0, 1]}
    )
    bags = Bags.from_frame(frame, bag="train")
    assert bags.feature_names == ("x", "flag", "3")
    assert bags.bag_ids == ("b", "a")
    assert_array_equal(bags.instances, [[1, 1, 0.5], [3, 1, 1], [2, 0, 0]])
    assert bags.dtype == np.float64
    assert Bags.from_frame(frame.astype({"train": "category"}), bag="train") == bags
    assert Bags.from_frame(frame.astype({"x": "Int64"}), bag="train") == bags


def test_the_frame_stays_changeable():
    frame = pd.DataFrame({"x": np.array([1, 2], dtype=np.float32), "bag": [0, 0]})
    bags = Bags.from_frame(frame, "bag")
    assert bags.dtype == np.float32
    frame.loc[0, "x"] = 9
    assert bags.instances[0, 0] == 1


@pytest.mark.parametrize(
    ("columns", "bag", "error", "message"),
    [
        ({"x": [1.0, 2.0], "bag": [1, 2]}, "bags", ValueError, "no column 'bags'; did you mean 'bag'"),
        ({"x": [1.0, 2.0], "bag": [1, None]}, "bag", ValueError, "got one in row 1"),
        (
            {"x": [1.0, None], "bag": [1, 2]},
            "bag",
            ValueError,
            r"bag 1 \('2'\), row 0, column 0 \('x'\) is nan",
        ),
        ({"x": ["p", "q"], "bag": [1, 2]}, "bag", TypeError, "column 'x' must be numeric"),
        (
            {"x": [1j, 2j], "bag": [1, 2]},
            "bag",
            TypeError,
            "column 'x' must be numeric, got dtype complex128",
        ),
        ({"bag": [1, 2]}, "bag", ValueError, "empty"),
        ({"x": [], "bag": []}, "bag", ValueError, "empty"),
    ],
)
def test_bad_frames(columns, bag, error, message):
    with pytest.raises(error, match=message):
        Bags.from_frame(pd.DataFrame(columns).infer_objects(), bag)


def test_frames_with_two_bag_columns_or_none_at_all():
    with pytest.raises(ValueError, match="frame has 2 columns named 'bag'"):
        Bags.from_frame(pd.DataFrame([[1, 2, 3]], columns=["bag", "x", "bag"]), "bag")
    with pytest.raises(TypeError, match=r"must be a pandas\.DataFrame, got ndarray"):
        Bags.from_frame(np.zeros((2, 2)), 0)


def test_concatenate():
    left = Bags.from_list(LISTS[:1], bag_ids=["p"], feature_names=["x", "y"])
    right = Bags.from_list(LISTS[1:], bag_ids=["q", "r"])
    both = Bags.concatenate([left, right])
    assert both == Bags.from_list(LISTS, bag_ids=["p", "q", "r"], feature_names=["x", "y"])
    assert not both.instances.flags.writeable
    assert Bags.concatenate([right, left]).feature_names == ("x", "y")
    assert Bags.concatenate([left, Bags.from_list(LISTS)]).bag_ids is None
    single = right.with_instances(right.instances.astype(np.float32))
    assert Bags.concatenate([single, single]).dtype == np.float32
    assert Bags.concatenate([single, left]).dtype == np.float64


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ([], ValueError, "parts must contain at least one bag"),
        (
            [Bags([[1]], [0, 1]), Bags([[1, 2]], [0, 1])],
            ValueError,
            "part 1 has 2 features, but part 0 has 1",
        ),
        ([Bags([[1]], [0, 1]), LISTS], TypeError, "part 1 must be Bags, got list"),
        (
            [
                Bags([[1]], [0, 1], feature_names=["a"]),
                Bags([[1]], [0, 1]),
                Bags([[1]], [0, 1], feature_names=["b"]),
            ],
            ValueError,
            "parts 0 and 2 have different feature_names",
        ),
    ],
)
def test_bad_parts(parts, error, message):
    with pytest.raises(error, match=message):
        Bags.concatenate(parts)


def test_as_bags():
    bags = Bags.from_list(LISTS)
    assert as_bags(bags) is bags
    assert as_bags(LISTS) == bags
    assert as_bags(tuple(np.asarray(bag) for bag in LISTS)) == bags
    objects = np.empty(3, dtype=object)
    objects[:] = [np.asarray(bag) for bag in LISTS]
    assert as_bags(objects) == bags
    assert as_bags(bags.instances, offsets=bags.offsets) == bags
    assert as_bags(bags.instances.tolist(), offsets=[0, 2, 3, 6]) == bags
    assert as_bags(bags.instances, groups=[5, 5, 1, 2, 2, 2]).bag_ids == ("5", "1", "2")
    assert_array_equal(as_bags(bags.instances).sizes, np.ones(6))
    cube = np.arange(24).reshape(4, 3, 2)
    assert as_bags(cube) == Bags.from_list(list(cube))
    assert as_bags(cube.transpose(0, 2, 1)) == Bags.from_list(list(cube.transpose(0, 2, 1)))
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    assert as_bags(frame).feature_names == as_bags(frame, groups=[0, 0]).feature_names == ("x",)
    assert as_bags(frame, offsets=[0, 2]).feature_names == ("x",)


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        (
            np.zeros((2, 2)),
            {"groups": [0, 0], "offsets": [0, 2]},
            ValueError,
            "pass either groups or offsets, not both",
        ),
        (
            Bags([[1]], [0, 1]),
            {"groups": [0]},
            ValueError,
            "groups must be None if X already contains bags",
        ),
        (Bags([[1]], [0, 1]), {"offsets": [0, 1]}, ValueError, "offsets must be None if"),
        (LISTS, {"groups": [0, 0, 0]}, ValueError, "X must be an array, but its rows differ in length"),
        ([[1, 2], [3, 4]], {}, ValueError, "bag 0 must be a 2-d array"),
        (np.zeros(3), {}, ValueError, "instances must be a 2-d array"),
        (np.zeros((2, 0, 3)), {}, ValueError, "bag 0 must not be empty"),
        (np.zeros((2, 3, 0)), {}, ValueError, r"instances must not be empty, got shape \(6, 0\)"),
        (np.zeros((0, 2)), {}, ValueError, "instances must not be empty"),
        (np.zeros((2, 2), dtype=object), {}, TypeError, "real numbers, got dtype object"),
        ({"a": 1}, {}, TypeError, "X must be Bags, a list of 2-d arrays or an array, got dict"),
    ],
)
def test_what_makes_no_bags(X, options, error, message):
    with pytest.raises(error, match=message):
        as_bags(X, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("names", [{}, {"bag_ids": ["p", "", "žluť"], "feature_names": ["x", "y"]}])
def test_files_give_back_the_bags(tmp_path, dtype, names):
    bags = Bags.from_list([np.asarray(bag, dtype=dtype) for bag in LISTS], **names)
    path = tmp_path / "some.npz"
    bags.save(path)
    again = Bags.load(path)
    assert again == bags
    assert again.dtype == dtype
    with np.load(path, allow_pickle=False) as archive:
        assert {"instances", "bag_offsets", *names} <= set(archive.files)


def test_files_with_more_in_them(tmp_path):
    path = tmp_path / "some.npz"
    np.savez_compressed(path, instances=np.eye(3), bag_offsets=[0, 1, 3], bag_labels=[0, 1], bag_ids=[10, 20])
    bags = Bags.load(path)
    assert bags == Bags(np.eye(3), [0, 1, 3], bag_ids=["10", "20"])


def test_bad_files(tmp_path):
    path = tmp_path / "some.npz"
    with pytest.raises(FileNotFoundError):
        Bags.load(path)
    np.savez(path, instances=np.eye(3))
    with pytest.raises(ValueError, match=r"some\.npz has no array 'bag_offsets'; it contains 'instances'"):
        Bags.load(path)
    np.savez(path, instances=np.eye(3), bag_offsets=np.array([0, 3], dtype=object))
    with pytest.raises(ValueError, match="contains Python objects"):
        Bags.load(path)
    np.savez(path, instances=np.eye(3), bag_offsets=[0, 2])
    with pytest.raises(ValueError, match="offsets must end at the number of instances"):
        Bags.load(path)
    Bags(np.eye(30), [0, 30]).save(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"not a NumPy archive \(\.npz\), or is truncated"):
        Bags.load(path)
    Bags(np.eye(30), [0, 30]).save(path)
    content = bytearray(path.read_bytes())
    content[1000:1040] = bytes(40)
    content[1000:1040] = b"\xff" * 40
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is a damaged NumPy archive"):
        Bags.load(path)


def test_stored_sets_load(data_folder):
    path = data_folder / "mil" / "musk1.npz"
    if not path.is_file():
        pytest.skip("no Musk1 in the data folder")
    bags = Bags.load(path)
    assert repr(bags) == "Bags(n_bags=92, n_instances=476, n_features=166, sizes=2-40)"
    assert bags.bag_ids[0].startswith("MUSK-")
    assert len(bags.feature_names) == 166


def test_frames_in_a_list_name_their_columns_alike():
    first, second = pd.DataFrame([[1, 2]], columns=["a", "b"]), pd.DataFrame([[3, 4]], columns=["b", "a"])
    assert Bags.from_list([np.ones((2, 2)), first, first]).feature_names == ("a", "b")
    assert Bags.from_list([first], feature_names=["x", "y"]).feature_names == ("x", "y")
    with pytest.raises(ValueError, match="bag 0 and bag 2 have different columns"):
        Bags.from_list([first, first, second])


def test_groups_that_cannot_be_told_apart():
    with pytest.raises(TypeError, match="groups must contain hashable identifiers"):
        as_bags(np.ones((3, 1)), groups=[[1], [2], [1]])
