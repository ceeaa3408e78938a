"""MetricKMeans: the metrics are optimal, and k-means runs in them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.constraints import InconsistentConstraintsError, PairwiseConstraints
from moo_clustering.estimators import pairwise_kmeans as _pair_differences
from moo_clustering.estimators.pairwise_kmeans import MetricKMeans, diagonal_metric, full_metric

SIX = np.array([(0, 0), (1, 3), (0.5, 6), (5, 1), (6, 4), (5.5, 7)])
MUST = np.array([(0, 1), (1, 2), (3, 4), (4, 5)])
CANNOT = np.array([(0, 3), (1, 4), (2, 5)])
OPTIONS = {"max_iter": 2000, "tol": 1e-9}


def problem(seed, n=30, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, size=d) + 5
    pairs = rng.permutation(n * (n - 1) // 2)[:24]
    i, j = (t[pairs] for t in np.triu_indices(n, 1))
    pairs = np.column_stack([i, j])
    return X, pairs[:12], pairs[12:]


def must_sums(X, must, ridge):
    return sum((X[i] - X[j]) ** 2 for i, j in must) + ridge * len(must) * 2 * X.var(axis=0)


def diagonal_loss(a, X, must, cannot, ridge):
    total = sum(np.sqrt(a @ (X[i] - X[j]) ** 2) for i, j in cannot)
    return must_sums(X, must, ridge) @ a - np.log(total)


def test_diagonal_worked_value():
    weights, objective = diagonal_metric(SIX, MUST, CANNOT, ridge=0.0, **OPTIONS)
    np.testing.assert_allclose(weights, [0.2, 0.0], atol=1e-8)
    assert objective == pytest.approx(-1.40333, abs=1e-5)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_diagonal_is_optimal(seed, ridge):
    X, must, cannot = problem(seed)
    a, objective = diagonal_metric(X, must, cannot, ridge=ridge, **OPTIONS)
    s = must_sums(X, must, ridge)
    assert s @ a == pytest.approx(0.5, abs=1e-7)
    assert objective == pytest.approx(diagonal_loss(a, X, must, cannot, ridge), rel=1e-9)
    # no slope down: zero for the features in use, up for those at zero
    q = np.array([(X[i] - X[j]) ** 2 for i, j in cannot])
    r = np.sqrt(q @ a)
    slope = 1 - (q / (2 * r[:, None])).sum(axis=0) / r.sum() / s
    assert np.abs(slope[a * s > 1e-9]).max() < 1e-6
    assert slope.min() > -1e-6
    # and an independent optimiser finds nothing better
    other = optimize.minimize(
        lambda b: diagonal_loss(b**2 / s, X, must, cannot, ridge), np.full(4, 0.3), method="Nelder-Mead"
    )
    assert objective <= other.fun + 1e-6


def by_alternating_projections(X, must, cannot, ridge, n_steps=400):
    """The full metric as the paper finds it."""
    d = X.shape[1]
    W = sum(np.outer(X[i] - X[j], X[i] - X[j]) for i, j in must)
    W = W + ridge * len(must) * 2 * np.cov(X, rowvar=False, bias=True)
    D = np.array([X[i] - X[j] for i, j in cannot])

    def projected(A):
        for _ in range(2000):
            excess = np.sum(W * A) - 1
            if excess > 0:
                A = A - excess / np.sum(W * W) * W
            values, vectors = np.linalg.eigh(A)
            A = (vectors * np.maximum(values, 0)) @ vectors.T
            if np.sum(W * A) <= 1 + 1e-6:
                break
        return A

    def value(A):
        return np.sqrt(np.einsum("ij,jk,ik->i", D, A, D)).sum()

    A = projected(np.eye(d) / np.trace(W))
    step = 0.1 / np.trace(W)
    for _ in range(n_steps):
        r = np.sqrt(np.einsum("ij,jk,ik->i", D, A, D))
        slope = D.T @ (D / (2 * r[:, None]))
        new = projected(A + step * slope / np.linalg.norm(slope))
        if value(new) > value(A):
            A, step = new, step * 1.05
        else:
            step /= 2
    return A / np.sum(W * A), W, value


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_full_is_optimal(ridge):
    X, must, cannot = problem(7, d=3)
    X = X / X.std(axis=0)  # the reference needs features of one scale
    A, objective = full_metric(X, must, cannot, ridge=ridge, **OPTIONS)
    reference, W, value = by_alternating_projections(X, must, cannot, ridge)
    np.testing.assert_array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() >= -1e-12 * np.linalg.eigvalsh(A).max()
    assert np.sum(W * A) == pytest.approx(1.0, rel=1e-9)
    assert objective == pytest.approx(value(A), rel=1e-9)
    assert value(A) >= value(reference) - 1e-9
    assert value(A) == pytest.approx(value(reference), rel=1e-4)


def test_full_reaches_what_bounds_it():
    X, must, cannot = problem(3, d=5)
    A, objective = full_metric(X, must, cannot, ridge=0.3, **OPTIONS)
    W = sum(np.outer(X[i] - X[j], X[i] - X[j]) for i, j in must)
    W = W + 0.3 * len(must) * 2 * np.cov(X, rowvar=False, bias=True)
    D = np.array([X[i] - X[j] for i, j in cannot])
    slope = D.T @ (D / (2 * np.sqrt(np.einsum("ij,jk,ik->i", D, A, D))[:, None]))
    half = np.linalg.inv(np.linalg.cholesky(W))
    assert np.linalg.eigvalsh(half @ slope @ half.T).max() == pytest.approx(objective / 2, rel=1e-6)


def test_full_ends_where_the_bound_is_as_near_as_asked_for():
    X, must, cannot = problem(3, d=5)
    _, best = full_metric(X, must, cannot, ridge=0.3, **OPTIONS)
    with pytest.warns(ConvergenceWarning, match="did not converge in 10 iterations"):
        full_metric(X, must, cannot, ridge=0.3, **{**OPTIONS, "max_iter": 10})
    for tol in (0.1, 1e-3):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _, rough = full_metric(X, must, cannot, ridge=0.3, max_iter=10, tol=tol)
        assert best >= rough >= (1 - tol) * best


def test_a_diagonal_optimum_is_also_admissible_for_the_full_metric():
    X, must, cannot = problem(5)
    diagonal = diagonal_metric(X, must, cannot, ridge=0.0, **OPTIONS)[0]
    spread = sum(np.sqrt(2 * diagonal @ (X[i] - X[j]) ** 2) for i, j in cannot)  # sum_ML d^2 = 1
    assert full_metric(X, must, cannot, ridge=0.0, **OPTIONS)[1] >= spread


def test_differences_in_blocks(monkeypatch):
    X, must, cannot = problem(1)
    expected = [f(X, must, cannot, ridge=0.3, **OPTIONS)[0] for f in (diagonal_metric, full_metric)]
    monkeypatch.setattr(_pair_differences, "PAIR_ITEMS", 10)
    monkeypatch.setattr(_pair_differences, "KEPT_ITEMS", 0)
    found = [f(X, must, cannot, ridge=0.3, **OPTIONS)[0] for f in (diagonal_metric, full_metric)]
    for one, two in zip(expected, found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-12 * np.abs(one).max())


@pytest.fixture(scope="module")
def noisy():
    """Three clusters in two features, beside one of pure noise that is wider than they are apart."""
    X, y = make_blobs(150, centers=[[0, 0], [4, 0], [0, 4]], cluster_std=0.5, random_state=0)
    noise = np.random.default_rng(0).normal(scale=30, size=(150, 1))
    return np.hstack([X, noise]), y


def known(y, n, seed=0):
    partial = np.full(len(y), -1)
    drawn = np.random.default_rng(seed).permutation(len(y))[:n]
    partial[drawn] = y[drawn]
    return partial


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_noise_is_seen_through(noisy, metric):
    X, y = noisy
    partial = known(y, 30)
    free = partial < 0
    plain = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    model = MetricKMeans(3, metric_type=metric, random_state=0).fit(X, partial)
    assert adjusted_rand_score(y[free], plain[free]) < 0.2
    assert adjusted_rand_score(y[free], model.labels_[free]) > 0.95
    np.testing.assert_array_equal(
        MetricKMeans(3, metric_type=metric, random_state=0).fit_predict(X, partial), model.labels_
    )


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_attributes(noisy, metric):
    X, y = noisy
    model = MetricKMeans(3, metric_type=metric, random_state=0).fit(X, known(y, 30))
    assert model.labels_.dtype == np.int32
    _, first = np.unique(model.labels_, return_index=True)
    assert (np.diff(first) > 0).all()
    assert model.n_clusters_ == 3
    assert model.metric_.shape == ((3,) if metric == "diagonal" else (3, 3))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    # Euclidean distances after transform are distances of the metric
    A = np.diag(model.metric_) if metric == "diagonal" else model.metric_
    difference = X[3] - X[77]
    Z = model.transform(X)
    assert Z.shape == X.shape
    np.testing.assert_allclose(np.sum((Z[3] - Z[77]) ** 2), difference @ A @ difference, rtol=1e-9)
    # centres in the units of X
    means = np.array([X[model.labels_ == c].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-2 * X.std(axis=0).max())
    Y = model.transform(model.cluster_centers_)
    distances = ((Z[:, None] - Y[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), model.labels_)
    assert model.inertia_ == pytest.approx(distances.min(axis=1).sum(), rel=1e-6)
    assert isinstance(model.metric_objective_, float)


def test_centres_in_features_that_the_metric_ignores_are_means():
    model = MetricKMeans(2, ridge=0.0, random_state=0).fit(SIX, must_link=MUST, cannot_link=CANNOT)
    np.testing.assert_allclose(model.metric_, [0.2, 0], atol=1e-6)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(model.cluster_centers_, [[0.5, 3], [5.5, 4]], atol=1e-5)


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_units_do_not_matter(noisy, metric):
    X, y = noisy
    model = MetricKMeans(3, metric_type=metric, random_state=0).fit(X, known(y, 30))
    units = np.array([1e-4, 1.0, 1e5])
    other = MetricKMeans(3, metric_type=metric, random_state=0).fit(X * units + 7, known(y, 30))
    np.testing.assert_array_equal(other.labels_, model.labels_)
    np.testing.assert_allclose(other.inertia_, model.inertia_, rtol=1e-3)


@pytest.mark.parametrize("metric", ["diagonal", "full"])
@pytest.mark.parametrize(
    "pairs", [{}, {"must_link": [(0, 1)]}, {"cannot_link": [(0, 1)]}, {"must_link": [], "cannot_link": []}]
)
def test_without_must_links_or_cannot_links_it_is_kmeans(metric, pairs):
    X, _ = make_blobs(60, centers=3, random_state=4)
    model = MetricKMeans(3, metric_type=metric, random_state=0).fit(X, **pairs)
    np.testing.assert_array_equal(model.metric_, np.ones(2) if metric == "diagonal" else np.eye(2))
    assert model.metric_objective_ is None
    plain = KMeans(3, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, plain.labels_) == 1
    assert model.inertia_ == pytest.approx(plain.inertia_)


def test_labels_are_all_their_pairs(noisy):
    X, y = noisy
    partial = known(y, 12)
    pairs = PairwiseConstraints.from_partial_labels(partial)
    one = MetricKMeans(3, random_state=0).fit(X, partial)
    two = MetricKMeans(3, random_state=0).fit(X, must_link=pairs.must_link, cannot_link=pairs.cannot_link)
    np.testing.assert_array_equal(one.metric_, two.metric_)


@pytest.mark.slow
def test_iris_gains_as_measured():
    X, y = load_iris(return_X_y=True)
    scores = []
    for seed in range(4):
        pairs = PairwiseConstraints.from_labels(y, 0.1, scheme="docs", random_state=seed)
        model = MetricKMeans(3, random_state=0).fit(
            X, must_link=pairs.must_link, cannot_link=pairs.cannot_link
        )
        scores.append(adjusted_rand_score(y, model.labels_))
    assert np.mean(scores) > 0.8  # 0.73 without a metric


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_constant_and_repeated_features(metric):
    X, must, cannot = problem(2, d=2)
    X = np.column_stack([X, np.full(len(X), 3.0), X[:, 0]])
    model = MetricKMeans(2, metric_type=metric, random_state=0).fit(X, must_link=must, cannot_link=cannot)
    assert np.isfinite(model.metric_).all()
    assert (np.diag(model.metric_) if metric == "full" else model.metric_)[2] == pytest.approx(0, abs=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_more_features_than_samples(metric):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 40)) + np.repeat([[0.0], [3.0]], 6, axis=0)
    model = MetricKMeans(2, metric_type=metric, random_state=0)
    model.fit(X, must_link=[(0, 1), (6, 7)], cannot_link=[(0, 6), (2, 8)])
    assert np.isfinite(model.metric_).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    Z = model.transform(X)
    assert np.linalg.norm(Z[0] - Z[1]) < np.linalg.norm(Z[0] - Z[6])


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_degenerate_pairs_are_warned_of(metric):
    X = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 0.0], [5.0, 1.5], [5.0, 1.5]])
    model = MetricKMeans(2, metric_type=metric, ridge=0.0, random_state=0)
    with pytest.warns(UserWarning, match="are equal in some directions"):
        model.fit(X, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    assert model.labels_.tolist() == [0, 0, 1, 1, 1]
    with pytest.warns(UserWarning, match="no metric can be learned"):
        model.fit(X, must_link=[(0, 1)], cannot_link=[(3, 4)])
    assert model.metric_objective_ is None


def test_a_metric_that_was_not_found_in_time():
    X, must, cannot = problem(0)
    for metric in ("diagonal", "full"):
        learn = diagonal_metric if metric == "diagonal" else full_metric
        with pytest.warns(ConvergenceWarning, match="in 1 iterations"):
            learn(X, must, cannot, ridge=0.3, max_iter=1, tol=1e-12)


@pytest.mark.filterwarnings("ignore:only .* are non-empty")
def test_fewer_distinct_rows_than_clusters():
    X = np.repeat([[5.0, 0.0], [1.0, 1.0]], 6, axis=0)
    model = MetricKMeans(4, random_state=0)
    with pytest.warns(UserWarning, match="only 2 of n_clusters=.* fewer distinct rows"):
        model.fit(X)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 6))
    assert model.n_clusters_ == len(model.cluster_centers_) == 2
    all_alike = MetricKMeans(3, metric_type="full", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        all_alike.fit(np.ones((9, 2)), must_link=[(0, 1)], cannot_link=[(2, 3)])
    assert (all_alike.labels_ == 0).all()
    assert MetricKMeans(1, random_state=0).fit([[3.0]]).labels_.tolist() == [0]


def test_contradictions():
    contradiction = {"must_link": [[0, 1], [1, 2]], "cannot_link": [[0, 2]]}
    with pytest.raises(InconsistentConstraintsError):
        MetricKMeans(2).fit(SIX, **contradiction)
    with pytest.raises(InconsistentConstraintsError):
        MetricKMeans(2).fit(SIX, [0, 1, -1, -1, -1, -1], must_link=[[0, 1]])
    MetricKMeans(2, conflicts="keep", random_state=0).fit(SIX, **contradiction)


def test_same_seed_same_result(noisy):
    X, y = noisy
    X = X.copy()
    X.setflags(write=False)
    one, two = (MetricKMeans(3, n_init=1, random_state=5).fit(X, known(y, 30)) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    assert clone(one).get_params() == one.get_params()


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({"n_clusters": 7}, {}, "n_clusters=7 must not exceed the number of samples, 6"),
        ({"n_clusters": 0}, {}, "n_clusters"),
        ({"metric_type": "euclidean"}, {}, "metric_type"),
        ({"ridge": -1}, {}, "ridge"),
        ({}, {"y": [0, 1]}, r"y must have one value per sample \(6\), got 2"),
        ({"conflicts": "keep"}, {"y": [0, 1]}, r"y must have one value per sample \(6\), got 2"),
        ({}, {"must_link": [[0, 6]]}, "out of range"),
        ({}, {"X": [[np.nan, 1.0]]}, "NaN"),
    ],
    ids=str,
)
def test_bad_input_is_named(options, data, message):
    with pytest.raises(ValueError, match=message):
        MetricKMeans(**{"n_clusters": 2, **options}).fit(**{"X": SIX, **data})


# Two seeds of k-means keep the checks short. The labels that some checks give are partial labels here.
@parametrize_with_checks(
    [
        MetricKMeans(2, n_init=2, random_state=0),
        MetricKMeans(2, metric_type="full", n_init=2, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
