"""FuzzyCMeans and GustafsonKessel: fixed points, worked numbers, degenerate data, messages."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators import FuzzyCMeans, GustafsonKessel
from moo_clustering.validity import FuzzySumOfSquares

RNG = np.random.default_rng(0)
IRIS = load_iris().data
BLOBS = RNG.normal(size=(45, 2)) + 6.0 * np.eye(3)[np.arange(45) % 3][:, :2]
both = pytest.mark.parametrize("method", [FuzzyCMeans, GustafsonKessel])


@parametrize_with_checks(
    [FuzzyCMeans(2, n_init=2, random_state=0), GustafsonKessel(2, n_init=2, random_state=0)]
)
def test_sklearn(estimator, check):
    check(estimator)


def squares_of(model, X):
    """Squared distances, from the covariances for Gustafson-Kessel."""
    rows = []
    for c, v in enumerate(model.cluster_centers_):
        if isinstance(model, GustafsonKessel):
            F = model.covariances_[c]
            A = np.linalg.det(F) ** (1 / len(F)) * np.linalg.inv(F)
        else:
            A = np.eye(len(v))
        rows.append([(x - v) @ A @ (x - v) for x in X])
    return np.array(rows).T


@both
@pytest.mark.parametrize("m", [1.4, 2.0, 3.0])
def test_fits_are_fixed_points(method, m):
    model = method(3, fuzziness=m, tol=1e-12, max_iter=5000, n_init=3, random_state=0).fit(IRIS)
    d = squares_of(model, IRIS)
    u = np.array([[1 / sum((a / b) ** (1 / (m - 1)) for b in row) for a in row] for row in d])
    assert_allclose(model.memberships_, u, atol=1e-7)
    w = u**m
    assert_allclose(model.cluster_centers_, (w.T @ IRIS) / w.sum(axis=0)[:, None], atol=1e-7)
    assert model.objective_ == pytest.approx((w * d).sum(), rel=1e-8)
    assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))


def test_known_objective_on_iris():
    # J_2 of iris with three clusters, as in the literature and from scikit-fuzzy 0.5.
    model = FuzzyCMeans(3, random_state=0).fit(IRIS)
    assert model.objective_ == pytest.approx(60.5057, abs=1e-4)
    index = FuzzySumOfSquares().fit(IRIS).evaluate(model.memberships_[np.newaxis])
    assert index[0] == pytest.approx(model.objective_, rel=1e-6)


def test_two_pairs():
    """Samples -3, -1, 1, 3 with centres -c and c: the updates, iterated by hand in a loop."""
    c = 2.0
    for _ in range(200):
        u = [
            [(1 / (x - v) ** 2) / (1 / (x + c) ** 2 + 1 / (x - c) ** 2) for v in (-c, c)]
            for x in (-3, -1, 1, 3)
        ]
        w = np.square(u)
        c = (w[:, 1] @ [-3, -1, 1, 3]) / w[:, 1].sum()
    model = FuzzyCMeans(2, tol=1e-12, max_iter=500, n_init=1, random_state=0)
    model.fit([[-3.0], [-1.0], [1.0], [3.0]])
    assert_allclose(np.sort(model.cluster_centers_[:, 0]), [-c, c], rtol=1e-9)


def test_objective_decreases_with_updates():
    values = []
    for n in (1, 2, 4, 8, 100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            values.append(FuzzyCMeans(3, max_iter=n, n_init=1, random_state=5).fit(IRIS).objective_)
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


@both
def test_updates_stop_once_memberships_change_by_at_most_tol(method):
    def memberships(max_iter):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            options = {"tol": 1e-3, "n_init": 1, "random_state": 0, "max_iter": max_iter}
            return method(3, **options).fit(IRIS).memberships_

    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = method(3, tol=1e-3, n_init=1, random_state=0).fit(IRIS)
    # A fit stopped after t updates of the centres has the memberships that update t + 1 computes.
    before, last = (memberships(model.n_iter_ - t) for t in (3, 2))
    assert abs(model.memberships_ - last).max() <= 1e-3
    assert abs(last - before).max() > 1e-3


def test_crisp_for_a_fuzziness_near_one():
    model = FuzzyCMeans(3, fuzziness=1.01, random_state=0).fit(BLOBS)
    assert adjusted_rand_score(KMeans(3, n_init=10, random_state=0).fit(BLOBS).labels_, model.labels_) == 1.0
    assert model.memberships_.max(axis=1).min() > 0.99


def test_gustafson_kessel_finds_crossing_lines():
    t = np.linspace(-5, 5, 30)
    noise = RNG.normal(0, 0.1, (60, 2))
    X, y = np.vstack([np.c_[t, t], np.c_[t, -t]]) + noise, np.repeat([0, 1], 30)
    assert adjusted_rand_score(y, GustafsonKessel(2, random_state=0).fit(X).labels_) > 0.8
    assert adjusted_rand_score(y, FuzzyCMeans(2, max_iter=1000, random_state=0).fit(X).labels_) < 0.2


def test_full_regularization_is_fuzzy_c_means():
    one = GustafsonKessel(3, regularization=1.0, random_state=0).fit(IRIS)
    other = FuzzyCMeans(3, random_state=0).fit(IRIS)
    assert_allclose(one.memberships_, other.memberships_, atol=1e-4)


@both
def test_samples_at_centres_and_few_distinct_samples(method):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 3, axis=0)
    with pytest.warns(
        UserWarning, match="only 2 of n_clusters=3 clusters are non-empty: X has fewer distinct"
    ):
        model = method(3, random_state=0).fit(X)
    assert_array_equal(model.memberships_, np.repeat(np.eye(2), 3, axis=0))
    assert model.objective_ == 0.0
    with pytest.warns(UserWarning, match="only 1 of"):
        assert_array_equal(method(2, random_state=0).fit(np.ones((4, 2))).memberships_, np.ones((4, 1)))
    assert method(1).fit([[5.0]]).labels_.tolist() == [0]


@both
def test_a_constant_and_a_repeated_column(method):
    X = np.column_stack([BLOBS, np.ones(45), BLOBS[:, 0]])
    model = method(3, n_init=3, random_state=0).fit(X)
    assert np.isfinite(model.memberships_).all()
    assert_allclose(model.memberships_.sum(axis=1), 1.0)
    assert_array_equal(model.predict(X), model.labels_)


@both
def test_predictions_of_new_samples_and_an_offset(method):
    model = method(3, random_state=0).fit(BLOBS)
    assert_array_equal(model.predict_proba(BLOBS), model.memberships_)
    assert_allclose(model.predict_proba(model.cluster_centers_), np.eye(3), atol=1e-9)
    far = method(3, random_state=0).fit(BLOBS + 1024.0)
    assert_allclose(far.memberships_, model.memberships_, atol=1e-4)
    assert_allclose(far.cluster_centers_ - 1024.0, model.cluster_centers_, atol=1e-3)


def test_too_many_fuzzy_clusters():
    X = RNG.normal(size=(30, 8))
    with pytest.warns(UserWarning, match="reduce n_clusters or fuzziness"):
        model = FuzzyCMeans(6, fuzziness=4.0, random_state=0).fit(X)
    assert model.memberships_.shape == (30, 6)
    assert_array_equal(model.predict(X), model.labels_)
    assert model.n_clusters_ == model.labels_.max() + 1 < 6


@both
def test_facts_and_arrays(method):
    model = method(3, random_state=0).fit(BLOBS)
    result = model.clustering_result()
    largest = model.memberships_.max(axis=1).mean()
    assert dict(result.facts)["memberships"].startswith(f"mean largest membership {largest:.3f}, partition")
    assert_array_equal(result.arrays()["memberships"], model.memberships_)


def test_wrong_options():
    for options, message in (
        ({"fuzziness": 1.0}, "'fuzziness' parameter of FuzzyCMeans must be a float in the range"),
        ({"fuzziness": math.nan}, "fuzziness"),
        ({"n_clusters": 46}, "n_clusters=46 must not exceed the number of samples, 45"),
    ):
        with pytest.raises(ValueError, match=message):
            FuzzyCMeans(**{"n_clusters": 2, **options}).fit(BLOBS)
    with pytest.raises(ValueError, match="'regularization' parameter of GustafsonKessel must be a float"):
        GustafsonKessel(2, regularization=1.5).fit(BLOBS)
    with pytest.warns(ConvergenceWarning, match="memberships did not converge in max_iter=2 iterations"):
        FuzzyCMeans(2, max_iter=2, random_state=0).fit(BLOBS)
