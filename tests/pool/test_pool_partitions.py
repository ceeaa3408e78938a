import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.pool import PartitionPool


@pytest.fixture
def pool():
    return PartitionPool.of([("b", [7, 7, 3, 3]), ("a", ["x", "y", "y", "z"]), ("b", [0, 1, 2, 3])])


def test_labels_are_numbered_by_first_appearance(pool):
    assert pool.labels.dtype == np.int32
    assert pool.labels.tolist() == [[0, 0, 1, 1], [0, 1, 1, 2], [0, 1, 2, 3]]
    assert pool.families == ("b", "a", "b")


def test_counts_and_codes(pool):
    assert (pool.n_partitions, pool.n_samples) == (3, 4)
    assert pool.n_clusters.tolist() == [2, 3, 4]
    assert pool.n_clusters.dtype == pool.family_codes.dtype == np.int64
    assert pool.family_names == ("b", "a")
    assert pool.family_codes.tolist() == [0, 1, 0]


def test_single_clusters_are_dropped_and_equal_partitions_kept():
    pool = PartitionPool.of([("a", [1, 1, 1]), ("a", [0, 0, 1]), ("b", [5, 5, 2])])
    assert pool.families == ("a", "b")
    assert pool.labels.tolist() == [[0, 0, 1], [0, 0, 1]]


def test_subsets_by_positions_and_masks(pool):
    turned = pool.subset([2, 0])
    assert turned.labels.tolist() == [[0, 1, 2, 3], [0, 0, 1, 1]]
    assert turned.families == ("b", "b")
    assert pool.subset(np.array([False, True, False])).families == ("a",)
    assert pool.subset(slice(1, None)).families == ("a", "b")
    assert pool.subset([]).n_partitions == 0


def test_joined_tagged_lifted(pool):
    joined = pool.tagged("v").joined(pool)
    assert joined.families == ("b@v", "a@v", "b@v", "b", "a", "b")
    assert joined.labels.tolist() == pool.labels.tolist() * 2
    assert pool.lifted(np.array([3, 3, 0])).tolist() == [[1, 1, 0], [2, 2, 0], [3, 3, 0]]


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([("a", [0, 0])], "two or more clusters"),
        ([], "two or more clusters"),
        ([("a", [0, 1]), ("b", [0, 1, 1])], "labels for the same samples"),
        ([("a", [[0, 1], [1, 0]])], "labels for the same samples"),
    ],
)
def test_candidates_that_make_no_pool(candidates, message):
    with pytest.raises(ValueError, match=message):
        PartitionPool.of(candidates)


def test_what_is_no_pool(pool):
    with pytest.raises(ValueError, match="must be integers"):
        PartitionPool(np.zeros(3, dtype=np.int32), ("a",))
    with pytest.raises(ValueError, match="negative"):
        PartitionPool(np.array([[0, -1]]), ("a",))
    with pytest.raises(ValueError, match="2 names"):
        PartitionPool(np.array([[0, 1], [0, 1]]), ("a",))
    with pytest.raises(ValueError, match="same number of samples"):
        pool.joined(PartitionPool.of([("a", [0, 1])]))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-3, 4), min_size=2, max_size=12).filter(lambda row: len(set(row)) > 1))
def test_pairs_stay_together(row):
    labels = PartitionPool.of([("a", row)]).labels[0]
    seen: list[int] = []
    for value, label in zip(row, labels, strict=True):
        if value not in seen:
            seen.append(value)
        assert label == seen.index(value)
