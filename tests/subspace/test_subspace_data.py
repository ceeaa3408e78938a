"""Products of sparse and dense data with panels, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, csc_matrix, csr_array

from moo_clustering.subspace import SubspaceData

RNG = np.random.default_rng(5)
SPARSE = np.where(RNG.random((150, 140)) < 0.1, RNG.normal(size=(150, 140)), 0.0)
FULL = RNG.normal(size=(150, 9))


@pytest.mark.parametrize("X", [SPARSE, (SPARSE != 0) * 1.0, FULL, (FULL > 0) * 1.0])
@pytest.mark.parametrize("form", [np.asarray, csr_array, csc_matrix, coo_array])
def test_products(X, form):
    data = SubspaceData.of(form(X))
    P, Q = RNG.normal(size=(X.shape[0], 3)), RNG.normal(size=(X.shape[1], 5))
    assert (data.n, data.m) == X.shape
    assert data.is_binary == bool(np.isin(X, (0, 1)).all())
    assert_allclose(data.by_column(P), X.T @ P, atol=1e-12)
    assert_allclose(data.by_row(Q), X @ Q, atol=1e-12)
    assert_array_equal(data.frequencies, (X != 0).sum(axis=0))
    assert_allclose(data.mean(), X.mean(axis=0), atol=1e-15)
    assert_array_equal(data.rows(np.array([7, 2, 7])), X[[7, 2, 7]])


def test_float32_sums_in_float64():
    data = SubspaceData.of(csr_array(SPARSE), dtype="float32")
    P = RNG.normal(size=(150, 3)).astype(np.float32)
    expected = SPARSE.astype(np.float32).astype(float).T @ P.astype(float)
    assert_allclose(data.by_column(P), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_features_that_vary(form, factor):
    X = np.array([[0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 1]]) * factor
    assert_array_equal(SubspaceData.of(form(X)).varying, [False, False, True, True])


def test_a_full_column_of_several_values_varies():
    X = csr_array(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]]))
    assert_array_equal(SubspaceData.of(X).varying, [False, True])


def test_dense_matrices_are_compressed_where_it_pays():
    assert type(SubspaceData.of(SPARSE).matrix).__name__ == "SparseMatrix"
    assert type(SubspaceData.of(FULL).matrix).__name__ == "DenseMatrix"


def test_what_is_given_stays_as_it_is():
    given = csr_array(
        (np.array([1.0, 0.0, 1.0, 1.0]), np.array([1, 0, 0, 0]), np.array([0, 2, 4])), shape=(2, 2)
    )
    before = given.data.copy(), given.indices.copy()
    data = SubspaceData.of(given)
    assert_array_equal(given.data, before[0])
    assert_array_equal(given.indices, before[1])
    assert not data.is_binary  # the two ones of a place add up
    assert_array_equal(data.rows(np.arange(2)), [[0.0, 1.0], [2.0, 0.0]])


def test_unit_rows():
    X = np.array([[3.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]])
    rows = SubspaceData.of(X).matrix.unit_rows().toarray()
    assert_allclose(rows, [[0.6, 0.8, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, np.nan]], "NaN"),
        ([[1.0, np.inf]], "infinity"),
        ([1.0, 2.0], "1D"),
        ([[1e200, 1.0]], "overflow"),
        ([[1j, 1.0]], "omplex"),
        (np.zeros((0, 3)), "0 sample"),
    ],
)
def test_bad_data_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        SubspaceData.of(X)


def test_other_types_are_refused():
    with pytest.raises(ValueError, match="dtype must be"):
        SubspaceData.of([[1.0]], dtype="int32")
    with pytest.raises(ValueError, match="float32"):
        SubspaceData.of([[1e30]], dtype="float32")
