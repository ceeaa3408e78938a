"""Rows of unit length."""

import numpy as np
import pytest
import scipy.sparse as sp

from moo_clustering._arrays import near_one, row_sizes, unit_rows


@pytest.mark.parametrize("container", [np.array, sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lengths_of_any_size(container, dtype):
    tiny, huge = np.finfo(dtype).tiny, np.finfo(dtype).max
    X = np.array(
        [[3, -4, 0], [0, 0, 0], [3 * tiny, 4 * tiny, 0], [0, huge, huge], [1e-16, 0, 0]], dtype=dtype
    )
    given = container(X)
    rows, zero = unit_rows(given), row_sizes(given) == 0
    half = np.sqrt(0.5)
    dense = rows.toarray() if sp.issparse(rows) else rows
    expected = [[0.6, -0.8, 0], [0, 0, 0], [0.6, 0.8, 0], [0, half, half], [1, 0, 0]]
    np.testing.assert_allclose(dense, expected, rtol=1e-6)
    assert dense.dtype == dtype
    assert zero.tolist() == [False, True, False, False, False]
    np.testing.assert_array_equal(given.toarray() if sp.issparse(given) else given, X)


def test_stored_zeros_are_zeros():
    X = sp.csr_array((np.array([0.0, 2.0]), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 2))
    rows, zero = unit_rows(X), row_sizes(X) == 0
    assert zero.tolist() == [True, False]
    assert rows.toarray().tolist() == [[0.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array, np.asarray])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64])
def test_powers_of_two_by_row_or_for_all(kind, dtype):
    X = np.array([[3, 1, 0], [0, 0, 0], [3 << 50, 1 << 50, 0]], dtype=dtype)
    one_by_one, together = near_one(kind(X)), near_one(kind(X), together=True)
    if kind is not np.asarray:
        one_by_one, together = one_by_one.toarray(), together.toarray()
    np.testing.assert_array_equal(one_by_one, [[3, 1, 0], [0, 0, 0], [0.75, 0.25, 0]])
    np.testing.assert_array_equal(together, np.ldexp(X.astype(float), -52))
    assert near_one(one_by_one) is one_by_one
