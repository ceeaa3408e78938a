"""Data, labels and parameters that SISC takes or refuses."""

import tracemalloc
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted_subspaces import in_two_parts, indicators, label_sets, naive_distances, planted
from scipy import sparse
from sklearn.metrics import roc_auc_score

from moo_clustering.estimators.subspace import SISC

QUICK = {"n_clusters": 6, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    """Documents, label sets of every second one, all label sets."""
    X, clusters = planted()
    Y = label_sets(clusters)
    partial = Y.copy()
    partial[1::2] = -1
    return X, partial, Y


@pytest.fixture(scope="module")
def model(data):
    X, partial, _ = data
    return SISC(**QUICK).fit(X, partial)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, np.asarray])
def test_formats(model, data, make):
    X, partial, _ = data
    other = make(X.toarray() if make is np.asarray else X)
    again = SISC(**QUICK).fit(other, sparse.csr_array(np.maximum(partial, -1)))
    assert_allclose(again.memberships_, model.memberships_, atol=1e-8)
    assert_allclose(again.predict_proba(other), model.predict_proba(X), atol=1e-8)
    assert_allclose(model.transform(other), model.transform(X))


def test_wide_indices_and_whole_numbers(model, data):
    X, partial, _ = data
    wide = X.astype(np.int8)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    before = wide.data.copy()
    assert_array_equal(SISC(**QUICK).fit(wide, partial).memberships_, model.memberships_)
    assert wide.indices.dtype == np.int64
    assert_array_equal(wide.data, before)


def test_single_precision(model, data):
    X, partial, _ = data
    single = SISC(**QUICK, dtype="float32").fit(X, partial)
    for name in ("memberships_", "cluster_centers_", "feature_weights_"):
        assert getattr(single, name).dtype == np.float32
    assert_allclose(single.predict_proba(X), model.predict_proba(X), atol=1e-3)


def test_counts():
    X, clusters = planted()
    counts = X.copy()
    counts.data *= np.random.default_rng(0).integers(1, 4, len(counts.data))
    with pytest.warns(UserWarning, match="SISC expects binary features.*binarize=True") as caught:
        SISC(**QUICK).fit(counts, clusters)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = SISC(**QUICK).fit(X, clusters)
        SISC(**QUICK).fit(counts * 0.5, clusters)
        for given in (counts, counts.toarray(), counts.toarray() / 7):
            again = SISC(**QUICK, binarize=True).fit(given, clusters)
            assert_allclose(again.memberships_, plain.memberships_, atol=1e-8)
            assert_allclose(again.predict_proba(given), plain.predict_proba(X), atol=1e-8)
    for negative in (-counts, -counts.toarray()):
        with pytest.raises(ValueError, match=r"binarize=True requires non-negative counts.* got -3 in X"):
            SISC(**QUICK, binarize=True).fit(negative, clusters)


def test_documents_without_features(data):
    X, partial, _ = data
    for empty in (sparse.csr_array((2, 50)), np.zeros((2, 50))):
        stack = sparse.vstack if sparse.issparse(empty) else np.vstack
        given = stack([X if sparse.issparse(empty) else X.toarray(), empty])
        with pytest.warns(UserWarning, match="2 of 122 documents have no features") as caught:
            model = SISC(**QUICK).fit(given, np.vstack([partial, partial[:2]]))
        assert len(caught) == 1
        assert np.isfinite(model.memberships_).all()
        assert_allclose(model.memberships_.sum(axis=1), 1)
        probabilities = model.predict_proba(empty)
        assert (probabilities >= 0).all()
        assert (probabilities <= 1).all()


def test_labels_without_documents(data):
    X, partial, _ = data
    wider = np.column_stack([np.where(partial[:, 0] < 0, -1, 0), partial])
    with pytest.warns(UserWarning, match="labels without labelled documents have probability 0: 0"):
        model = SISC(**QUICK).fit(X, wider)
    assert_array_equal(model.class_shares_[:, 0], 0)
    assert_array_equal(model.predict_proba(X)[:, 0], 0)


@pytest.mark.filterwarnings("ignore:.* documents have no features")
@pytest.mark.parametrize("value", [0.0, 1.0, -2.5])
def test_features_that_are_all_the_same(value):
    y = [0, 0, 1, -1, -1]
    model = SISC(2, random_state=0).fit(np.full((5, 3), value), y)
    assert_allclose(model.memberships_, 0.5)
    assert_allclose(model.predict_proba(np.full((2, 3), value)), [[2 / 3, 1 / 3]] * 2)
    assert_array_equal(model.feature_weights_, 0)
    assert model.leading_features() == ((), ())


def test_constant_features_have_no_weight(model, data):
    X, partial, _ = data
    wider = sparse.hstack([np.ones((120, 1)), X, sparse.csr_array((120, 1))])
    again = SISC(**QUICK).fit(wider, partial)
    assert_array_equal(again.feature_weights_[:, [0, -1]], 0)
    assert_allclose(again.memberships_, model.memberships_, atol=1e-8)
    new = wider.toarray()[:5]
    new[:, 0] = 0
    assert_allclose(again.transform(new), model.transform(X[:5]))


@pytest.mark.parametrize("n_clusters", [1, 120])
def test_extreme_numbers_of_clusters(data, n_clusters):
    X, partial, Y = data
    model = SISC(n_clusters, random_state=0).fit(X, partial)
    assert np.isfinite(model.predict_proba(X)).all()
    if n_clusters == 1:
        assert_allclose(model.predict_proba(X), np.tile(Y[::2].mean(axis=0), (120, 1)))


def test_values_of_any_sign(data):
    X, partial, Y = data
    rng = np.random.default_rng(0)
    given = X.toarray() * 2 - 1 + rng.normal(0, 0.3, X.shape)
    model = SISC(**QUICK).fit(given, partial)
    assert roc_auc_score(Y[1::2, :3], model.predict_proba(given)[1::2, :3]) > 0.8
    assert_allclose(model.transform(given), naive_distances(model, given))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fuzziness": 1.0}, "fuzziness must be finite and greater than 1, got 1.0; 1 / .* 1.5 is common"),
        ({"fuzziness": float("nan")}, "fuzziness must be"),
        ({"weight_exponent": 0.5}, "weight_exponent must be finite and greater than 1, got 0.5; 1 / "),
        ({"weight_exponent": float("inf")}, "weight_exponent must be"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 121}, "n_clusters=121 must not exceed the number of samples, 120"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": 7}, "n_neighbors=7 must not exceed n_clusters=6"),
        ({"chi_weight": -0.1}, "chi_weight"),
        ({"impurity": "gini"}, "impurity"),
        ({"aggregation": "mean"}, "aggregation"),
        ({"init": "k-means++"}, "init"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1}, "tol"),
        ({"floor": 0}, "floor"),
        ({"chi_scale": "m"}, "chi_scale"),
        ({"threshold": 1.1}, "threshold"),
        ({"dtype": "int32"}, "dtype"),
        ({"n_init": 0}, "n_init"),
        ({"impurity_in_membership": "yes"}, "impurity_in_membership"),
        ({"binarize": 0.5}, "binarize"),
    ],
)
def test_parameters_out_of_range(data, options, message):
    with pytest.raises(ValueError, match=message):
        SISC(**{**QUICK, **options}).fit(*data[:2])


def test_targets_out_of_range(data):
    X, partial, _ = data
    for y, message in [
        (partial[:-1], r"\(120\), got 119"),
        (partial * 2, "label indicators must be 0 or 1"),
        (np.where(partial < 0, np.nan, partial), "nan"),
        (np.linspace(0, 1, 120), "continuous"),
    ]:
        with pytest.raises(ValueError, match=message):
            SISC(**QUICK).fit(X, y)


def test_memory():
    rng = np.random.default_rng(0)
    n, m = 20_000, 50_000
    X = sparse.csr_array(
        (np.ones(30 * n), rng.integers(m, size=30 * n), np.arange(0, 30 * n + 1, 30)), shape=(n, m)
    )
    X.sum_duplicates()
    X.data[:] = 1
    Y = indicators(rng.integers(5, size=n))
    Y[::2] = -1
    SISC(2, max_iter=1, random_state=0).fit(X[:50], Y[:50])
    tracemalloc.start()
    model = SISC(10, max_iter=2, random_state=0).fit(X, Y)
    scores = model.predict_proba(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A dense copy takes 8 GB, 1 GB as bytes.
    assert peak < 300e6
    # Powers of small weights do not vanish.
    assert len(np.unique(scores[:, 0])) > n / 2


def test_cells_in_parts(model, data):
    X, partial, _ = data
    parts = in_two_parts(X)
    stored = parts.nnz
    assert stored == 2 * X.nnz
    for binarize in (False, True):
        again = SISC(**QUICK, binarize=binarize).fit(parts, partial)
        assert_allclose(again.predict_proba(parts), model.predict_proba(X))
    assert parts.nnz == stored


def test_k_means_start_of_least_values():
    X = sparse.csr_array(np.eye(6)[np.arange(12) % 6] * 1e-200)
    with pytest.raises(
        ValueError, match="squared distances vanish, up to 1e-200 in absolute value; rescale it"
    ):
        SISC(2, init="kmeans", random_state=0).fit(X)
    model = SISC(2, init="kmeans", random_state=0).fit(X * 1e100)
    assert np.isfinite(model.memberships_).all()


def test_votes_by_memberships_keep_the_fuzziness_of_the_fit(data):
    X, partial, _ = data
    model = SISC(**QUICK, aggregation="membership").fit(X, partial)
    expected = model.predict_proba(X)
    assert_array_equal(model.set_params(fuzziness=3.0).predict_proba(X), expected)


def test_score_of_an_array_of_objects(data):
    X, _, Y = data
    y = np.where(np.arange(len(Y)) % 3 == 0, -1, Y[:, 0])
    model = SISC(**QUICK).fit(X, y)
    assert model.score(X, y.astype(object)) == model.score(X, y)
