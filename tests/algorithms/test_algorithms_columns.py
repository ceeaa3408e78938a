"""Tables of individuals come back as they were, types and gaps included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from moo_clustering.algorithms.search import NotStorableError, from_columns, to_columns

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=3).filter(lambda s: "\0" not in s),  # numpy strings end at NUL
    st.builds(np.float32, st.floats(width=32)),
    st.builds(np.int8, st.integers(-128, 127)),
    hnp.arrays(
        st.sampled_from([np.int16, np.float64, bool]), hnp.array_shapes(min_dims=0, max_dims=2, min_side=0)
    ),
)
ROWS = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "a b", "a_b", "", "a.rows"]), VALUES, max_size=4), max_size=5
)


def same(one, two):
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray | np.generic):
        return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()
    return one == two or (one != one and two != two)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_round_trip(rows):
    arrays, meta = to_columns(rows)
    assert not any(array.dtype.hasobject for array in arrays.values())
    found = from_columns(arrays, meta)
    assert [set(row) for row in found] == [set(row) for row in rows]
    for row, expected in zip(found, rows, strict=True):
        assert all(same(row[key], value) for key, value in expected.items())


def test_alike_rows_are_one_array_each():
    rows = [{"X": np.arange(4), "rank": np.int64(i), "crowding": 0.5} for i in range(100)]
    arrays, _ = to_columns(rows)
    assert {name: array.shape for name, array in arrays.items()} == {
        "X": (100, 4),
        "rank": (100,),
        "crowding": (100,),
    }


def test_restored_arrays_own_their_memory():
    arrays, meta = to_columns([{"X": np.arange(4)}, {"X": np.arange(4)}])
    one, two = from_columns(arrays, meta)
    one["X"][0] = 9
    assert two["X"][0] == 0
    assert one["X"].base is None


@pytest.mark.parametrize("value", [object(), {"a": 1}, np.array([None]), 2**63, [1, 2]])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(NotStorableError, match="'weird' of an individual"):
        to_columns([{"weird": value}])
