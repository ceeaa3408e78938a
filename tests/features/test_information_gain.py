"""Information gain of features, the selection by it, and binary words."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering._targets import partial_targets
from moo_clustering.features import InformationGainSelector, binary_unigrams, information_gain

# Section 10 of the paper's specification.
X = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 0]])
Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]])
GAINS = [1.39092369, 0.03994619, 1.39092369, 1.39092369]
FORMATS = [np.asarray, sparse.csr_matrix, sparse.csc_array, pd.DataFrame]


@parametrize_with_checks([InformationGainSelector(), InformationGainSelector(2, drop_constant=False)])
@pytest.mark.filterwarnings("ignore:no features remain", "ignore:No features were selected")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, bool])
def test_worked_example(kind, dtype):
    gains = information_gain(kind(X.astype(dtype)), Y)
    np.testing.assert_allclose(gains, GAINS, atol=5e-9)
    assert gains.dtype == np.float64


def test_worked_example_with_an_unlabelled_document():
    some = Y.copy()
    some[3] = -1
    expected = information_gain(X[[0, 1, 2, 4]], Y[[0, 1, 2, 4]])
    # By hand: H(3/4, 1/4) = .811278; of feature 0 the second label keeps 3/4 H(1/3) = .688722.
    np.testing.assert_allclose(expected, [1.12255625, 0.31127812, 1.31127812, 1.12255625], atol=5e-9)
    for y in (some, sparse.csr_matrix(some), partial_targets(some, 5)):
        assert information_gain(X, y).tolist() == expected.tolist()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 6), st.integers(2, 4))
def test_sum_of_mutual_informations(seed, n, m, n_labels):
    rng = np.random.default_rng(seed)
    values = rng.integers(-1, 2, (n, m))
    labels = rng.integers(0, 2, (n, n_labels))
    classes = rng.integers(0, n_labels, n)
    for y, indicators in ((labels, labels), (classes, classes[:, None] == np.arange(n_labels))):
        naive = [
            sum(mutual_info_score(values[:, i] != 0, column) for column in indicators.T) / np.log(2)
            for i in range(m)
        ]
        gains = information_gain(sparse.csr_matrix(values), y)
        np.testing.assert_allclose(gains, naive, atol=1e-12)
        assert (gains >= 0).all()


def test_classes_of_any_kind_and_scaled_features_are_the_same():
    codes = np.array([0, 0, 1, 2, -1])
    names = np.array(["b", "b", "c", "a", -1], dtype=object)
    gains = information_gain(X, codes)
    np.testing.assert_allclose(information_gain(-3.5 * X, names), gains, atol=1e-15)
    np.testing.assert_allclose(information_gain(X, [5.0, 5.0, 7.0, 1.0, -1.0]), gains, atol=1e-15)


def test_stored_zeros_and_repeated_cells_do_not_count():
    odd = sparse.csr_matrix(
        (np.array([1.0, 0.0, 2.0, -2.0, 1.0]), np.array([0, 1, 2, 2, 1]), np.array([0, 4, 5])), shape=(2, 3)
    )
    before = odd.copy()
    assert information_gain(odd, [0, 1]).tolist() == [2.0, 2.0, 0.0]
    assert InformationGainSelector().fit(odd, [0, 1]).get_support(indices=True).tolist() == [0, 1]
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(odd, name), getattr(before, name))


@pytest.mark.parametrize("labels", ["classes", "sets"])
def test_what_is_not_labelled_cannot_matter(labels):
    rng = np.random.default_rng(3)
    values = sparse.random(60, 40, 0.2, random_state=3, format="csr")
    full = rng.integers(0, 3, 60) if labels == "classes" else rng.integers(0, 2, (60, 3))
    masked, poisoned = full.copy(), full.copy()
    masked[20:] = -1
    poisoned[20:] = rng.permutation(full[20:])
    selector = InformationGainSelector(10).fit(values, masked)
    # Other labels of the unlabelled rows would have changed the choice, had they been seen ...
    assert (selector.support_ != clone(selector).fit(values, poisoned).support_).any()
    # ... and so would other features in those rows, had they counted for the gains.
    other = values.tolil()
    other[20:] = rng.random((40, 40)) < 0.5
    gains = information_gain(other.tocsr(), masked)
    assert selector.information_gains_.tolist() == gains.tolist()
    assert gains.tolist() == information_gain(values[:20], full[:20]).tolist()
    # Nor would labels that are known but masked.
    targets = partial_targets(full, 60)
    hidden = replace(targets, labelled=np.arange(60) < 20)
    np.testing.assert_allclose(information_gain(values, hidden), gains, atol=1e-15)


def test_a_pipeline_shows_training_rows_only():
    rng = np.random.default_rng(0)
    values, classes = rng.integers(0, 2, (40, 12)), rng.integers(0, 2, 40)
    values[:20, 4] = classes[:20]  # tells all in training ...
    values[20:, 7] = classes[20:]  # ... and this one in the test half only
    model = make_pipeline(InformationGainSelector(1), LogisticRegression())
    model.fit(values[:20], classes[:20])
    assert model[0].get_support(indices=True).tolist() == [4]
    model.score(values[20:], classes[20:])
    assert model[0].get_support(indices=True).tolist() == [4]


def test_the_largest_are_kept_and_of_equal_ones_the_first():
    for n, kept in ((1, [0]), (2, [0, 2]), (3, [0, 2, 3]), (1000, [0, 1, 2, 3])):
        selector = InformationGainSelector(n).fit(X, Y)
        assert selector.get_support(indices=True).tolist() == kept
        assert selector.support_.tolist() == [i in kept for i in range(4)]
    np.testing.assert_allclose(selector.information_gains_, GAINS, atol=5e-9)


def test_rounding_errors_break_no_tie():
    # Every feature is in all, one or none of the 28 samples of a class, of as many classes each: the gains
    # are equal, but summed in other orders.
    rng = np.random.default_rng(4)
    counts = np.repeat([28, 1, 0], [5, 3, 7])
    columns = [(np.arange(28) < rng.permutation(counts)[:, None]).ravel() for _ in range(60)]
    selector = InformationGainSelector(6).fit(np.column_stack(columns), np.repeat(np.arange(15), 28))
    assert np.ptp(selector.information_gains_) < 1e-13
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 3, 4, 5]


def test_constant_features_are_judged_by_all_rows():
    values = np.array([[1, 0, 1, 0, 1], [1, 0, 1, 0, 0], [1, 0, 0, 1, 0]])
    y = [0, 1, -1]
    assert InformationGainSelector().fit(values, y).get_support(indices=True).tolist() == [2, 3, 4]
    kept = InformationGainSelector(drop_constant=False).fit(values, y)
    assert kept.get_support(indices=True).tolist() == [0, 1, 2, 3, 4]
    # With equal gains, constant features take no place from others.
    assert InformationGainSelector(2).fit(values, y).get_support(indices=True).tolist() == [2, 4]


def test_all_constant_features_warn():
    with pytest.warns(UserWarning, match="each of the 2 features is zero in all samples or nonzero in all"):
        selector = InformationGainSelector().fit(np.ones((3, 2)), [0, 1, 1])
    assert not selector.support_.any()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_selected_columns_and_back(kind):
    values = kind((X * 2.5).astype(np.float32))
    selector = InformationGainSelector(2)
    chosen = selector.fit_transform(values, Y)
    assert chosen.dtype == np.float32
    assert sparse.issparse(chosen) == sparse.issparse(values)
    dense = chosen.toarray() if sparse.issparse(chosen) else chosen
    np.testing.assert_array_equal(dense, 2.5 * X[:, [0, 2]])
    back = selector.inverse_transform(chosen)
    back = back.toarray() if sparse.issparse(back) else back
    np.testing.assert_array_equal(back, 2.5 * X * [1, 0, 1, 0])


def test_names_of_features():
    frame = pd.DataFrame(X, columns=["engine", "the", "fire", "wing"])
    selector = InformationGainSelector(2).set_output(transform="pandas").fit(frame, Y)
    assert selector.get_feature_names_out().tolist() == ["engine", "fire"]
    assert selector.transform(frame).columns.tolist() == ["engine", "fire"]


@pytest.mark.parametrize("y", [[-1] * 5, np.full((5, 2), -1)])
def test_needs_labels(y):
    for measure in (information_gain, InformationGainSelector().fit):
        with pytest.raises(ValueError, match="requires labelled samples, but y has none"):
            measure(X, y)


def test_refuses():
    with pytest.raises(ValueError, match="requires labelled samples"):
        information_gain(X, None)
    with pytest.raises(ValueError, match="requires y to be passed"):
        InformationGainSelector().fit(X, None)
    with pytest.raises(ValueError, match="'n_features' parameter"):
        InformationGainSelector(0).fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        information_gain([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="y, row 1: some labels are missing"):
        InformationGainSelector().fit(X[:2], [[0, 1], [-1, 1]])


def test_many_documents_stay_sparse():
    rng = np.random.default_rng(0)
    n, m, each = 20_000, 50_000, 40
    indices = rng.integers(0, m, n * each)
    indptr = np.arange(0, n * each + 1, each)
    values = sparse.csr_matrix((np.ones(n * each, dtype=np.float32), indices, indptr), shape=(n, m))
    values.sum_duplicates()
    labels = (rng.random((n, 20)) < 0.1).astype(np.int8)
    labels[n // 2 :] = -1
    tracemalloc.start()
    selector = InformationGainSelector(1000).fit(values, labels)
    chosen = selector.transform(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert chosen.shape == (n, 1000)
    # A dense matrix of bytes would take 1 GB.
    assert peak < 100e6


def test_many_labels_are_taken_in_parts(monkeypatch):
    rng = np.random.default_rng(1)
    values, labels = rng.integers(0, 2, (50, 30)), rng.integers(0, 2, (50, 17))
    at_once = information_gain(values, labels)
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 150)
    np.testing.assert_allclose(information_gain(values, labels), at_once, rtol=1e-13)


def test_binary_words():
    texts = ["Engine smoke; the engine failed", "the", "Smoke in wing 2b"]
    words, vocabulary = binary_unigrams(texts)
    assert vocabulary.tolist() == ["2b", "engine", "failed", "smoke", "wing"]
    assert sparse.issparse(words)
    assert words.dtype == np.float64
    assert words.toarray().tolist() == [[0, 1, 1, 1, 0], [0, 0, 0, 0, 0], [1, 0, 0, 1, 1]]
    everything, names = binary_unigrams(texts, stop_words=None, min_df=2)
    assert names.tolist() == ["smoke", "the"]
    assert everything.toarray().tolist() == [[1, 1], [0, 1], [1, 0]]
    _, rare = binary_unigrams(texts, stop_words=("wing", "failed"), max_df=1)
    assert rare.tolist() == ["2b", "engine", "in"]


@pytest.mark.parametrize(
    ("texts", "options", "error", "message"),
    [
        ("one text", {}, TypeError, "sequence of strings"),
        ([1, 2], {}, TypeError, "sequence of strings"),
        ([], {}, ValueError, "at least one document"),
        (["the of", ""], {}, ValueError, "all documents are empty after removing stop words"),
        (["engine", "wing"], {"min_df": 2}, ValueError, "min_df=2 and max_df=1.0 leave no terms in the 2"),
    ],
)
def test_binary_words_refuse(texts, options, error, message):
    with pytest.raises(error, match=message):
        binary_unigrams(texts, **options)
