"""Sweeps against naive ones, their invariances, and their memory."""

import tracemalloc

import naive_subspace as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from moo_clustering._targets import Targets, partial_targets
from moo_clustering.subspace import (
    SubspaceData,
    SubspaceOptions,
    chi_square,
    distances,
    entropy_weighted_kmeans,
    iterate,
    memberships_from_distances,
    start,
    sweep,
    votes,
)


def unlabelled(n):
    return partial_targets(None, n)


def assert_same(found, expected, rtol=1e-9):
    for name in ("centers", "impurities", "distances", "memberships", "chi_term", "objective"):
        assert_allclose(getattr(found, name), expected[name], rtol=rtol, atol=rtol, err_msg=name)
    assert_allclose(np.exp(found.log_weights), expected["weights"], rtol=rtol)


@pytest.mark.parametrize("kind", ["binary", "general", "dense", "dense binary"])
@pytest.mark.parametrize("multilabel", [True, False])
def test_as_the_formulas_say(make_corpus, kind, multilabel):
    X, targets, W = make_corpus(density=0.5 if "dense" in kind else 0.15)
    if kind in ("general", "dense"):
        X = X * np.random.default_rng(1).normal(size=X.shape)
        X[1] += 0.1
    if not multilabel:
        y = np.where(targets.labelled, targets.indicators.argmax(axis=1), -1)
        targets = partial_targets(y, len(X))
    data = SubspaceData.of(X if "dense" in kind else csr_array(X))
    assert data.is_binary == ("binary" in kind)
    assert type(data.matrix).__name__ == ("DenseMatrix" if "dense" in kind else "SparseMatrix")
    expected = naive.sweep(X, targets.indicators, targets.labelled, W, multilabel)
    assert_same(sweep(data, targets, W, SubspaceOptions()), expected)
    again = distances(data, expected["centers"], np.log(expected["weights"]), 5.0)
    assert_allclose(again, expected["distances"], rtol=1e-9)


@pytest.mark.parametrize("f", [1.1, 2.0, 1.7])
@pytest.mark.parametrize("q", [1.2, 2.0, 15.0])
def test_other_exponents(corpus, f, q):
    X, targets, W = corpus
    expected = naive.sweep(X, targets.indicators, targets.labelled, W, True, f=f, q=q, gamma=2.0, floor=0.3)
    options = SubspaceOptions(fuzziness=f, weight_exponent=q, chi_weight=2.0, floor=0.3)
    assert_same(sweep(SubspaceData.of(X), targets, W, options), expected, rtol=1e-7)


def test_chi_of_the_labelled(corpus):
    X, targets, W = corpus
    expected = naive.sweep(X, targets.indicators, targets.labelled, W, True, scale=targets.labelled.sum())
    assert_same(sweep(SubspaceData.of(X), targets, W, SubspaceOptions(chi_scale="n_labelled")), expected)


def test_impurity_may_stay_out_of_memberships(corpus):
    X, targets, W = corpus
    found = sweep(SubspaceData.of(X), targets, W, SubspaceOptions(impurity_in_membership=False))
    assert found.impurities.max() > 0.1
    assert_allclose(found.memberships, naive.memberships(found.distances, 1.5))
    expected = (found.memberships**1.5 * found.distances * (1 + found.impurities)).sum()
    assert_allclose(found.objective, expected + 0.5 * found.chi_term.sum())


def test_memberships_are_those_of_the_distances(corpus):
    X, targets, W = corpus
    found = sweep(SubspaceData.of(X), targets, W, SubspaceOptions())
    again = memberships_from_distances(found.distances, found.impurities, SubspaceOptions())
    assert_allclose(again, found.memberships, rtol=1e-13)
    assert_allclose(again.sum(axis=1), 1.0)


def test_the_objective_never_rises_with_impurity_and_chi_square_frozen(make_corpus):
    """Weights, memberships and centroids, each the best for the others."""
    for seed in range(5):
        X, targets, W = make_corpus(seed)
        data, options = SubspaceData.of(X), SubspaceOptions()
        found = sweep(data, targets, W, options)
        chi = chi_square(data.by_column(W), W.sum(axis=0), data.frequencies, data.n, data.n)
        Z, lam, imp = found.centers, np.exp(found.log_weights), found.impurities

        def value(w, z, weights, X=X, imp=imp, chi=chi):
            return naive.objective(X, w, z, weights, imp, chi, f=1.5, q=5.0, gamma=0.5)

        mean = np.repeat(X.mean(axis=0)[:, None], 4, axis=1)
        equal = np.full(Z.shape, 1 / len(Z))
        powers = found.memberships**1.5
        moved = X.T @ powers / powers.sum(axis=0)
        chain = [
            value(W, mean, equal),
            value(W, Z, equal),
            value(W, Z, lam),
            value(found.memberships, Z, lam),
            value(found.memberships, moved, lam),
        ]
        assert_allclose(found.objective, chain[3])
        assert (np.diff(chain) < 0).all()


def test_equal_memberships_stay(corpus):
    X, targets, _ = corpus
    data, options = SubspaceData.of(X), SubspaceOptions()
    with pytest.warns(UserWarning, match="identical clusters"):
        W = start("equal", data, targets, 5, options, np.random.default_rng(0))
    found = iterate(data, targets, W, options)
    assert_allclose(found.sweep.memberships, 0.2, rtol=1e-12)
    assert_allclose(found.sweep.chi_term, 0.0, atol=1e-15)
    assert np.ptp(found.sweep.shares, axis=0).max() < 1e-12
    assert found.converged
    assert found.n_iter == 1


def test_unlabelled_rows_are_never_read(corpus):
    X, targets, W = corpus
    poisoned = targets.indicators.copy()
    poisoned[~targets.labelled] = np.nan
    poison = Targets(poisoned, targets.labelled, targets.classes, True)
    one, other = (sweep(SubspaceData.of(X), t, W, SubspaceOptions()) for t in (targets, poison))
    for name in one._fields:
        assert_array_equal(getattr(one, name), getattr(other, name))


def test_nothing_labelled(corpus):
    X, _, W = corpus
    none = np.full((len(X), 3), -1)
    for targets, T in ((unlabelled(len(X)), 0), (partial_targets(none, len(X)), 3)):
        found = sweep(SubspaceData.of(X), targets, W, SubspaceOptions())
        assert_array_equal(found.impurities, 0.0)
        assert_array_equal(found.shares, np.zeros((4, T)))
        assert np.ptp(found.distances) > 0


def test_a_label_that_none_has(corpus):
    X, targets, W = corpus
    none = np.hstack([targets.indicators, np.zeros((len(X), 1))])
    more = Targets(none, targets.labelled, np.arange(6), True)
    one, other = (sweep(SubspaceData.of(X), t, W, SubspaceOptions()) for t in (targets, more))
    assert_allclose(other.memberships, one.memberships, rtol=1e-12)
    assert_array_equal(other.shares[:, -1], 0.0)


def test_one_label_set_has_no_impurity(corpus):
    X, _, W = corpus
    targets = partial_targets(np.tile([1, 0, 1], (len(X), 1)), len(X))
    assert_array_equal(sweep(SubspaceData.of(X), targets, W, SubspaceOptions()).impurities, 0.0)


def test_documents_without_features(corpus):
    X, targets, W = corpus
    assert not X[0].any()
    found = iterate(SubspaceData.of(csr_array(X)), targets, W, SubspaceOptions()).sweep
    assert np.isfinite(found.memberships).all()
    g = (25 * np.exp(found.log_weights)) ** 5
    assert_allclose(found.distances[0], (g * found.centers**2).sum(axis=0))


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_constant_features_do_not_count(corpus, form):
    X, targets, W = corpus
    more = np.hstack([np.zeros((len(X), 1)), X, np.ones((len(X), 2))])
    few, many = (sweep(SubspaceData.of(form(x)), targets, W, SubspaceOptions()) for x in (X, more))
    assert_allclose(many.distances, few.distances, rtol=1e-12)
    assert_allclose(many.objective, few.objective)
    assert_array_equal(many.log_weights[[0, -2, -1]], -np.inf)
    assert_allclose(many.log_weights[1:-2], few.log_weights)
    assert_allclose(many.centers[[0, -2, -1], 0], [0, 1, 1])


def test_all_features_constant():
    data = SubspaceData.of(np.ones((6, 3)))
    targets = unlabelled(6)
    W = np.random.default_rng(0).dirichlet(np.ones(2), size=6)
    found = iterate(data, targets, W, SubspaceOptions())
    assert_array_equal(found.sweep.distances, 0.0)
    assert_array_equal(found.sweep.memberships, 0.5)
    assert_array_equal(found.history, 0.0)
    assert found.converged


def test_clusters_without_mass_keep_their_centroid(corpus):
    X, targets, W = corpus
    W = W.copy()
    W[:, 2] = 0.0
    W /= W.sum(axis=1, keepdims=True)
    data = SubspaceData.of(X)
    old = np.random.default_rng(0).random((25, 4))
    kept = sweep(data, targets, W, SubspaceOptions(), centers=old)
    assert_array_equal(kept.centers[:, 2], old[:, 2])
    assert_allclose(sweep(data, targets, W, SubspaceOptions()).centers[:, 2], X.mean(axis=0))
    assert_allclose(np.exp(kept.log_weights[:, 2]), 1 / 25)
    overall = targets.indicators[targets.labelled].mean(axis=0)
    assert_allclose(kept.impurities[2], 1.0)
    assert np.isfinite(kept.memberships).all()
    assert overall.shape == kept.shares[2].shape


def test_a_zero_distance_takes_all():
    X = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1]], dtype=float)
    W = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])
    found = sweep(SubspaceData.of(X), unlabelled(5), W, SubspaceOptions())
    assert_array_equal(found.distances[:2, :2], 0.0)
    assert_array_equal(found.memberships[:2], [[0.5, 0.5, 0], [0.5, 0.5, 0]])
    assert found.distances[2, 2] > 0


def test_fifty_thousand_features_do_not_underflow():
    rng = np.random.default_rng(0)
    m, per_row = 50_000, 40
    columns = np.concatenate([rng.choice(m, per_row, replace=False) for _ in range(200)])
    X = csr_array((np.ones(200 * per_row), columns, np.arange(0, 201 * per_row, per_row)), shape=(200, m))
    Y = (rng.random((200, 3)) < 0.4).astype(int)
    targets, options = partial_targets(Y, 200), SubspaceOptions(weight_exponent=5.0)
    for dtype in ("float64", "float32"):
        data = SubspaceData.of(X, dtype=dtype)
        W = start("seeds", data, targets, 6, options, np.random.default_rng(1))
        found = iterate(data, targets, W, options, max_iter=3).sweep
        assert np.isfinite(found.distances).all()
        assert found.distances.min() > 1e-6
        assert np.ptp(found.memberships, axis=0).max() > 0.1


def test_iteration_ends(corpus):
    X, targets, W = corpus
    data, options = SubspaceData.of(X), SubspaceOptions()
    found = iterate(data, targets, W, options, max_iter=500, tol=1e-6)
    assert found.converged
    assert found.sweep.change < 1e-6
    assert len(found.history) == found.n_iter < 500
    short = iterate(data, targets, W, options, max_iter=2)
    assert (short.n_iter, short.converged) == (2, False)
    by_hand = sweep(data, targets, W, options)
    by_hand = sweep(data, targets, by_hand.memberships, options, centers=by_hand.centers)
    assert_array_equal(short.sweep.memberships, by_hand.memberships)
    assert_array_equal(short.history[-1], by_hand.objective)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"max_iter": 0}, "max_iter"), ({"tol": -1.0}, "tol"), ({"tol": np.nan}, "tol")],
)
def test_iteration_refuses(corpus, change, message):
    X, targets, W = corpus
    with pytest.raises(ValueError, match=message):
        iterate(SubspaceData.of(X), targets, W, SubspaceOptions(), **change)


def test_arrays_that_do_not_fit_are_refused(corpus):
    X, targets, W = corpus
    data = SubspaceData.of(X)
    with pytest.raises(ValueError, match="memberships"):
        sweep(data, targets, W[:-1], SubspaceOptions())
    with pytest.raises(ValueError, match="targets"):
        sweep(data, unlabelled(3), W, SubspaceOptions())
    with pytest.raises(ValueError, match="centers must have 3 features, got 25"):
        distances(SubspaceData.of(X[:, :3]), np.ones((25, 2)), np.zeros((25, 2)), 5.0)


@pytest.mark.parametrize(
    "change",
    [
        {"fuzziness": 1.0},
        {"fuzziness": np.nan},
        {"weight_exponent": 1},
        {"weight_exponent": np.inf},
        {"chi_weight": -0.1},
        {"floor": -1.0},
        {"impurity": "gini"},
        {"chi_scale": "m"},
    ],
)
def test_options_out_of_range(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        SubspaceOptions(**change)


@pytest.mark.parametrize("kind", ["binary", "general", "dense"])
def test_more_samples_and_features_than_a_block(make_corpus, kind):
    """Sums over blocks of features with quite different least dispersions come together."""
    X, targets, W = make_corpus(n=300, m=290, k=3, density=0.5 if kind == "dense" else 0.1)
    X[2:150, :140] = 0.0
    X[2, np.arange(0, 140, 3)] = 1.0
    if kind != "binary":
        X = X * np.random.default_rng(1).normal(size=X.shape)
        X[1] += 0.1
    expected = naive.sweep(X, targets.indicators, targets.labelled, W, True)
    data = SubspaceData.of(X)
    assert type(data.matrix).__name__ == ("DenseMatrix" if kind == "dense" else "SparseMatrix")
    assert_same(sweep(data, targets, W, SubspaceOptions()), expected)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_left_of_a_cancellation_is_zero(dtype):
    """Means of equal rows are the row up to rounding only."""
    rng = np.random.default_rng(0)
    X = np.zeros((30, 60))
    X[:12, :9] = rng.random(9)
    X[12:, 20:] = (rng.random((18, 40)) < 0.3) * rng.random((18, 40))
    W = np.zeros((30, 2))
    W[:12, 0] = rng.random(12)
    W[12:, 1] = 1.0
    data = SubspaceData.of(csr_array(X), dtype=dtype)
    found = sweep(data, unlabelled(30), W, SubspaceOptions())
    assert_array_equal(found.distances[:12, 0], 0.0)
    assert_array_equal(found.memberships[:12], np.tile([1.0, 0.0], (12, 1)))
    assert found.distances[12:].min() > 1e-3


def test_iteration_keeps_the_centroid_of_a_cluster_that_runs_empty():
    """The other two clusters are at distance 0 from everything after the first sweep."""
    X = np.repeat([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 5, axis=0)
    W = np.repeat([[0.3, 0.0, 0.7], [0.0, 0.8, 0.2]], 5, axis=0)
    data, options = SubspaceData.of(X), SubspaceOptions()
    first = sweep(data, unlabelled(10), W, options)
    found = iterate(data, unlabelled(10), W, options)
    assert_array_equal(found.sweep.memberships, W[:, :] > [0.0, 0.0, 1.0])
    assert found.n_iter == 2
    assert_array_equal(found.sweep.centers[:, 2], first.centers[:, 2])
    assert abs(first.centers[:, 2] - 0.5).min() > 0.1


OPTIONS = SubspaceOptions()
BY_FEATURE = ("centers", "log_weights")
BY_SAMPLE = ("memberships", "distances")
BY_CLUSTER = ("shares", "impurities", "chi_term")


def draw(seed, binary):
    rng = np.random.default_rng(seed)
    n, m, k = rng.integers(8, 40), rng.integers(5, 30), rng.integers(2, 5)
    X = (rng.random((n, m)) < rng.choice([0.1, 0.3, 0.6])).astype(float)
    X[0], X[1] = 0.0, 1.0
    if not binary:
        X *= rng.normal(size=X.shape)
    Y = (rng.random((n, 3)) < 0.4).astype(int)
    Y[rng.random(n) < 0.3] = -1
    return rng, X, partial_targets(Y, n), rng.dirichlet(np.ones(k), size=n)


def compare(one, other, feature=slice(None), sample=slice(None), cluster=slice(None), rtol=1e-8):
    for name in BY_FEATURE:
        moved = getattr(one, name)[feature][:, cluster]
        assert_allclose(getattr(other, name), moved, rtol=rtol, atol=rtol, err_msg=name)
    for name in BY_SAMPLE:
        moved = getattr(one, name)[sample][:, cluster]
        assert_allclose(getattr(other, name), moved, rtol=rtol, atol=rtol, err_msg=name)
    for name in BY_CLUSTER:
        moved = getattr(one, name)[cluster]
        assert_allclose(getattr(other, name), moved, rtol=rtol, atol=rtol, err_msg=name)
    assert_allclose(other.objective, one.objective, rtol=rtol)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), binary=st.booleans())
def test_order_and_names_do_not_matter(seed, binary):
    rng, X, targets, W = draw(seed, binary)
    one = sweep(SubspaceData.of(X), targets, W, OPTIONS)
    cluster = rng.permutation(W.shape[1])
    compare(one, sweep(SubspaceData.of(X), targets, W[:, cluster], OPTIONS), cluster=cluster)
    sample = rng.permutation(len(X))
    moved = Targets(targets.indicators[sample], targets.labelled[sample], targets.classes, True)
    compare(one, sweep(SubspaceData.of(X[sample]), moved, W[sample], OPTIONS), sample=sample)
    feature = rng.permutation(X.shape[1])
    compare(one, sweep(SubspaceData.of(X[:, feature]), targets, W, OPTIONS), feature=feature)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), binary=st.booleans())
def test_form_and_type_do_not_matter(seed, binary):
    _, X, targets, W = draw(seed, binary)
    one = sweep(SubspaceData.of(X), targets, W, OPTIONS)
    compare(one, sweep(SubspaceData.of(csr_array(X)), targets, W, OPTIONS))
    single = sweep(SubspaceData.of(X, dtype="float32"), targets, W, OPTIONS)
    assert single.memberships.dtype == single.centers.dtype == single.log_weights.dtype == np.float32
    assert_allclose(single.memberships, one.memberships, atol=2e-3)
    assert_allclose(single.objective, one.objective, rtol=1e-3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["binary", "general", "dense"])
def test_threads_do_not_matter(monkeypatch, dtype, kind):
    monkeypatch.setattr("moo_clustering._kernels.threads._WORTH_A_THREAD", 0)
    rng = np.random.default_rng(0)
    X = (rng.random((900, 700)) < (0.5 if kind == "dense" else 0.05)).astype(float)
    if kind != "binary":
        X *= rng.normal(size=X.shape)
    targets = partial_targets(rng.integers(-1, 4, 900), 900)
    results = []
    for n_jobs in (1, 2, 8):
        data = SubspaceData.of(X, dtype=dtype, n_jobs=n_jobs)
        W = start("labels", data, targets, 9, OPTIONS, np.random.default_rng(0))
        results.append(iterate(data, targets, W, OPTIONS, max_iter=2))
    for other in results[1:]:
        for name in results[0].sweep._fields:
            assert_array_equal(getattr(other.sweep, name), getattr(results[0].sweep, name), err_msg=name)
        assert_array_equal(other.history, results[0].history)


def test_a_common_offset_of_dense_data_costs_no_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    targets = partial_targets(rng.integers(0, 2, 40), 40)
    W = rng.dirichlet(np.ones(3), size=40)
    one, far = (sweep(SubspaceData.of(X + offset), targets, W, OPTIONS) for offset in (0.0, 1e6))
    assert_allclose(far.distances, one.distances, rtol=1e-7)
    assert_allclose(far.centers - 1e6, one.centers, atol=1e-8)


def test_nothing_of_samples_by_features():
    rng = np.random.default_rng(0)
    n, m, k, per_row = 20_000, 50_000, 6, 10
    indices = np.sort(rng.integers(0, m, (n, per_row)), axis=1).ravel()
    X = csr_array((np.ones(n * per_row), indices, np.arange(0, n * per_row + 1, per_row)), shape=(n, m))
    X.sum_duplicates()
    X.data[:] = 1.0
    targets = partial_targets((rng.random((n, 5)) < 0.3).astype(int), n)
    options = SubspaceOptions()
    tracemalloc.start()
    try:
        data = SubspaceData.of(X)
        W = start("labels", data, targets, k, options, rng)
        found = iterate(data, targets, W, options, max_iter=3).sweep
        d = distances(SubspaceData.of(X[:5000]), found.centers, found.log_weights, 5.0)
        scores = votes(d, found.shares, found.impurities, n_neighbors=3)
        entropy_weighted_kmeans(data, k, max_iter=2, rng=rng)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert scores.shape == (5000, 5)
    # 8 bytes, k clusters, some arrays each by sample and by feature, and the data twice
    assert peak < 8 * k * (8 * n + 8 * m) + 60 * X.nnz
    assert peak < n * m / 20
