"""Weights of the normalised cut: worked by hand, and against the matrix of similarities."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, csr_matrix

from moo_clustering.features import NCWTransformer, PaperTfidfTransformer

COUNTS = [[2, 1, 0, 0, 1], [1, 2, 0, 0, 1], [0, 0, 3, 1, 1], [0, 1, 1, 2, 1]]
Z = [1.92026045, 1.99973888, 1.69523238, 1.84887242]


def naive(weights):
    z = (weights @ weights.T).sum(axis=1)
    return np.array([row / np.sqrt(total) if total else row for row, total in zip(weights, z, strict=True)])


def test_worked_example():
    weights = PaperTfidfTransformer().fit_transform(COUNTS)
    weighted = NCWTransformer().fit_transform(weights)
    np.testing.assert_allclose(weighted.toarray()[0], [0.70658505, 0.14662965, 0, 0, 0], atol=5e-9)
    # The rows of the weights have length one.
    np.testing.assert_allclose(1 / (weighted.toarray() ** 2).sum(axis=1), Z, atol=5e-9)


@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.sampled_from([0, 0, 1, 2.5])
    )
)
@settings(max_examples=60, deadline=None)
def test_is_the_matrix_of_similarities(weights):
    model = NCWTransformer().fit(csr_matrix(weights))
    weighted = model.transform(weights).toarray()
    np.testing.assert_allclose(weighted, naive(weights), atol=1e-14)
    np.testing.assert_array_equal(NCWTransformer().fit_transform(weights).toarray(), weighted)
    np.testing.assert_array_equal(model.transform(weights[::-2]).toarray(), weighted[::-2])
    # Unit rows are only made shorter: each is as similar to itself as can be.
    units = np.unique(weights[weights.any(axis=1)], axis=0)
    if len(units):
        units /= np.linalg.norm(units, axis=1, keepdims=True)
        lengths = np.linalg.norm(NCWTransformer().fit_transform(units).toarray(), axis=1)
        assert np.all(lengths <= 1 + 1e-14)


def test_zero_documents_stay_zero_without_a_warning():
    weights = csr_matrix([[0.6, 0.8, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weighted = NCWTransformer().fit_transform(weights)
        nothing = NCWTransformer().fit_transform(csr_matrix((3, 2)))
    np.testing.assert_allclose(
        weighted.toarray(), [[0.6 / 1.6**0.5, 0.8 / 1.6**0.5, 0], [0, 0, 0], [0, 0, 0], [1 / 1.6**0.5, 0, 0]]
    )
    assert nothing.nnz == 0


def test_new_documents_have_the_fitted_sum():
    model = NCWTransformer().fit([[1, 0, 0], [1, 0, 0], [0.6, 0.8, 0]])
    np.testing.assert_allclose(model.sum_, [2.6, 0.8, 0])
    new = [[0.8, 0.6, 0], [0, 1, 0], [0, 0, 1]]
    expected = [np.array(new[0]) / 2.56**0.5, [0, 1 / 0.8**0.5, 0], [0, 0, 0]]
    weighted = model.transform(new)
    np.testing.assert_allclose(weighted.toarray(), expected)
    assert weighted.nnz == 3
    np.testing.assert_allclose(model.transform(new[:1]).toarray(), expected[:1])


def test_keeps_type_and_input():
    weights = csr_array(np.array([[1, 0.5], [0, 1]], dtype=np.float32))
    weighted = NCWTransformer().fit_transform(weights)
    assert isinstance(weighted, csr_array)
    assert weighted.dtype == np.float32
    assert weights.toarray().tolist() == [[1, 0.5], [0, 1]]


def test_refuses():
    with pytest.raises(ValueError, match="Negative values"):
        NCWTransformer().fit([[1, -1]])
    with pytest.raises(ValueError, match="2 features"):
        NCWTransformer().fit([[1, 1]]).transform([[1]])
