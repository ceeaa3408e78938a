"""Tf-idf without smoothing: worked by hand, against a loop, and against scikit-learn's variants."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import coo_matrix, csc_matrix, csr_array, csr_matrix, issparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from moo_clustering.features import NCWTransformer, PaperTfidfTransformer

COUNTS = np.array([[2, 1, 0, 0, 1], [1, 2, 0, 0, 1], [0, 0, 3, 1, 1], [0, 1, 1, 2, 1]])
WEIGHTS = [
    [0.97913937, 0.20318978, 0, 0, 0],
    [0.76945287, 0.63870359, 0, 0, 0],
    [0, 0, 0.94868330, 0.31622777, 0],
    [0, 0.18249347, 0.43970357, 0.87940713, 0],
]
EMPTY = "no weighted terms"


def naive(counts):
    n, m = counts.shape
    weights = np.zeros((n, m))
    for j in range(m):
        df = sum(counts[i, j] > 0 for i in range(n))
        for i in range(n):
            weights[i, j] = counts[i, j] * math.log(n / df) if df else 0
    for i in range(n):
        length = math.sqrt(sum(weight**2 for weight in weights[i]))
        if length:
            weights[i] /= length
    return weights


@pytest.fixture
def model():
    return PaperTfidfTransformer().fit(COUNTS)


def test_worked_example(model):
    np.testing.assert_allclose(model.transform(COUNTS).toarray(), WEIGHTS, atol=5e-9)
    assert model.df_.tolist() == [2, 3, 2, 2, 4]
    # Neither smoothed nor raised by 1.
    np.testing.assert_allclose(
        model.idf_, [math.log(2), math.log(4 / 3), math.log(2), math.log(2), 0], rtol=1e-15
    )


@pytest.mark.filterwarnings(f"ignore:.*{EMPTY}")
@given(arrays(np.int64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.integers(0, 3)))
@settings(max_examples=60, deadline=None)
def test_is_the_loop(counts):
    weights = PaperTfidfTransformer().fit_transform(csr_matrix(counts))
    np.testing.assert_allclose(weights.toarray(), naive(counts), atol=1e-14)
    lengths = np.linalg.norm(weights.toarray(), axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-14) | (lengths == 0))
    assert np.all(weights.data > 0)


def test_variants_of_scikit_learn(model):
    counts = csr_matrix(COUNTS, dtype=float)
    plain = TfidfTransformer(smooth_idf=False, norm=None).fit(counts)
    expected = model.transform(counts).toarray()
    np.testing.assert_allclose(
        normalize(plain.transform(counts) - counts).toarray(), expected, rtol=0, atol=3e-16
    )
    plain.idf_ = plain.idf_ - 1
    np.testing.assert_allclose(normalize(plain.transform(counts)).toarray(), expected, rtol=0, atol=3e-16)
    smoothed = TfidfTransformer(smooth_idf=False).fit_transform(counts).toarray()
    assert np.abs(smoothed - expected).max() > 0.1


def test_documents_of_a_subset_are_counted_in_the_subset():
    subset = COUNTS[1:]
    alone = PaperTfidfTransformer().fit(csr_matrix(COUNTS)[1:])
    assert alone.df_.tolist() == [1, 2, 2, 2, 3]
    np.testing.assert_allclose(alone.transform(subset).toarray(), naive(subset), atol=1e-15)
    assert np.abs(naive(subset) - naive(COUNTS)[1:]).max() > 0.1


def test_term_in_every_document_stores_nothing(model):
    weights = model.transform(COUNTS)
    assert not weights.toarray()[:, 4].any()
    assert weights.nnz == np.count_nonzero(weights.toarray()) == 9


def test_rows_without_a_weight_stay_zero_with_one_warning():
    counts = np.vstack([COUNTS, [[0, 0, 0, 0, 1], [0, 0, 0, 0, 1]]])
    with pytest.warns(UserWarning, match=f"^2 of 6 documents have {EMPTY}: all weights are zero$") as caught:
        weights = PaperTfidfTransformer().fit_transform(counts).toarray()
    assert len(caught) == 1
    assert not weights[4:].any()
    np.testing.assert_allclose(np.linalg.norm(weights[:4], axis=1), 1)
    with pytest.warns(UserWarning, match=f"^1 of 5 documents has {EMPTY}"):
        PaperTfidfTransformer().fit_transform(counts[:5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PaperTfidfTransformer().fit(counts)
        PaperTfidfTransformer().fit_transform(COUNTS)


def test_new_documents_are_weighed_by_the_fitted_ones(model):
    np.testing.assert_allclose(model.transform(COUNTS[2:3]).toarray(), WEIGHTS[2:3], atol=5e-9)
    a, b = 3 * math.log(2), math.log(4 / 3)
    np.testing.assert_allclose(
        model.transform([[3, 1, 0, 0, 7]]).toarray(), [[a / math.hypot(a, b), b / math.hypot(a, b), 0, 0, 0]]
    )


def test_term_that_no_fitted_document_has():
    model = PaperTfidfTransformer().fit([[1, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(model.transform([[1, 0, 5]]).toarray(), [[1, 0, 0]])
    with pytest.warns(UserWarning, match="1 of 1"):
        assert model.transform([[0, 0, 5]]).nnz == 0


def test_document_with_no_word_of_the_vocabulary():
    pipeline = make_pipeline(CountVectorizer(), PaperTfidfTransformer(), NCWTransformer())
    pipeline.fit(["heart lung", "heart kidney", "lung liver"])
    assert pipeline.get_feature_names_out().tolist() == ["heart", "kidney", "liver", "lung"]
    with pytest.warns(UserWarning, match="1 of 2"):
        weights = pipeline.transform(["kidney", "spleen"]).toarray()
    # Document 1 is (ln 1.5, ln 3) / length; z = <e_kidney, document 1>.
    z = math.log(3) / math.hypot(math.log(1.5), math.log(3))
    np.testing.assert_allclose(weights, [[0, 1 / math.sqrt(z), 0, 0], [0, 0, 0, 0]])


def test_zeros_and_cells_stored_twice():
    rows, columns = [0, 0, 0, 1, 1, 2], [0, 0, 1, 0, 1, 2]
    counts = csr_matrix(coo_matrix(([1.0, 2, 1, 0, 1, 1], (rows, columns)), shape=(3, 3)))
    twice = csr_matrix(([1.0, 2, 1, 0, 1, 1], columns, [0, 3, 5, 6]), shape=(3, 3))
    expected = naive(counts.toarray())
    before = twice.data.copy()
    for given_counts in (counts, twice):
        model = PaperTfidfTransformer().fit(given_counts)
        assert model.df_.tolist() == [1, 2, 1]
        np.testing.assert_allclose(model.transform(given_counts).toarray(), expected, atol=1e-15)
    np.testing.assert_array_equal(twice.data, before)
    assert twice.nnz == 6


@pytest.mark.parametrize("container", [csr_matrix, csc_matrix, csr_array, np.asarray])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_rows_of_any_input(container, dtype):
    weights = PaperTfidfTransformer().fit_transform(container(COUNTS.astype(dtype)))
    assert issparse(weights)
    assert weights.format == "csr"
    assert weights.dtype == (np.float32 if dtype is np.float32 else np.float64)
    assert isinstance(weights, csr_array) == (container is csr_array)
    np.testing.assert_allclose(weights.toarray(), WEIGHTS, atol=1e-6)


def test_refuses(model):
    with pytest.raises(ValueError, match="Negative values"):
        model.fit([[1, -1]])
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[1, np.nan]])
    with pytest.raises(ValueError, match="5 features"):
        model.transform([[1, 1]])
    with pytest.raises(ValueError, match=r"[Pp]andas"):
        model.set_output(transform="pandas").transform(COUNTS)
