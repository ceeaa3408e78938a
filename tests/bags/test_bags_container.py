"""Bags as a container: what they hold, refuse and share."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.bags import Bags

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
        ([], ValueError, "selection has no bags"),
        (slice(3, 1), ValueError, "selection has no bags"),
        (np.zeros(4, dtype=bool), ValueError, "selection has no bags"),
        ("x", TypeError, "chosen by an integer, a slice, a mask"),
        (True, TypeError, "chosen by an integer"),
        ([0.0], TypeError, "chosen by an integer"),
        ((0, 1), TypeError, "chosen by an integer"),
        (1.0, TypeError, "chosen by an integer"),
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
        ([0, 5, 3, 8], ValueError, r"offsets must increase, but after 5 comes 3 \(entry 2\)"),
        ([0, 5], ValueError, "offsets must end at the number of instances, 8, got 5"),
        ([0, 5, 9], ValueError, "offsets must end at the number of instances, 8, got 9"),
        ([0, 5, 5, 8], ValueError, "bag 1 is empty"),
        ([0], ValueError, "there is no bag"),
        ([], ValueError, "there is no bag"),
        ([[0, 8]], ValueError, r"offsets must be 1-d, got shape \(1, 2\)"),
        (8, ValueError, r"offsets must be 1-d, got shape \(\)"),
        ([0.0, 8.0], TypeError, "offsets must be integers, got dtype float64"),
        (np.array([5, 3, 8], dtype=np.uint8), ValueError, "offsets must start at 0, got 5"),
        (np.array([0, 5, 3, 8], dtype=np.uint8), ValueError, "offsets must increase, but after 5 comes 3"),
    ],
)
def test_bad_offsets(offsets, error, message):
    with pytest.raises(error, match=message):
        Bags(np.zeros((8, 2)), offsets)


def test_empty_bag_is_called_by_its_name():
    with pytest.raises(ValueError, match=r"bag 1 \('q'\) is empty"):
        Bags(np.zeros((8, 2)), [0, 5, 5, 8], bag_ids=["p", "q", "r"])


@pytest.mark.parametrize(
    ("instances", "error", "message"),
    [
        (
            np.zeros(8),
            ValueError,
            r"instances must be a 2-d array \(n_instances, n_features\), got shape \(8,\)",
        ),
        (np.zeros((8, 0)), ValueError, r"instances is empty: its shape is \(8, 0\)"),
        (np.zeros((0, 2)), ValueError, "instances is empty"),
        (np.zeros((8, 2), dtype=object), TypeError, "real numbers, got dtype object"),
        (np.zeros((8, 2), dtype=complex), TypeError, "real numbers, got dtype complex128"),
        ([["a", "b"]] * 8, TypeError, "real numbers, got dtype <U1"),
        ([[1, 2], [3]], ValueError, "rows of different lengths"),
        (np.ma.masked_less(np.zeros((8, 2)), 1), TypeError, "masked array"),
    ],
)
def test_bad_instances(instances, error, message):
    with pytest.raises(error, match=message):
        Bags(instances, OFFSETS)


def test_sparse_instances_are_refused():
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match=r"dense, convert it with \.toarray\(\)"):
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
        ({"bag_ids": ["a"]}, ValueError, "bag_ids has 1 names for 4 bags"),
        ({"bag_ids": "abcd"}, TypeError, "bag_ids must be a sequence of names"),
        ({"bag_ids": 3}, TypeError, "bag_ids must be a sequence of names"),
        ({"feature_names": list("abc")}, ValueError, "feature_names has 3 names for 2 features"),
    ],
)
def test_bad_names(names, error, message):
    with pytest.raises(error, match=message):
        make(**names)


def test_one_bag_is_enough():
    assert Bags([[1, 2]], [0, 1]).n_bags == 1
