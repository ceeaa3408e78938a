"""Entropy-weighted k-means, and first memberships."""

import numpy as np
import pytest
from naive_subspace import memberships as naive_memberships
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from moo_clustering._targets import partial_targets
from moo_clustering.subspace import (
    SubspaceData,
    SubspaceOptions,
    distances,
    entropy_weighted_kmeans,
    memberships_from_seeds,
    start,
)

OPTIONS = SubspaceOptions()


def cluster(X, k, seed=0, **options):
    return entropy_weighted_kmeans(SubspaceData.of(X), k, rng=np.random.default_rng(seed), **options)


def blocks(seed=0, n=60, noise=0.05):
    """Three groups, each with features of its own."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(3), n // 3)
    X = rng.random((n, 15)) < noise
    for group in range(3):
        X[np.ix_(truth == group, np.arange(5) + 5 * group)] |= rng.random((n // 3, 5)) < 0.8
    return X.astype(float), truth


def naive_state(X, labels, k, gamma, averaged):
    Z, D, lam = (np.empty((X.shape[1], k)) for _ in range(3))
    for t in range(k):
        own = X[labels == t]
        Z[:, t] = own.mean(axis=0)
        D[:, t] = ((own - Z[:, t]) ** 2).sum(axis=0) / (len(own) if averaged else 1)
        powers = np.exp(-(D[:, t] - D[:, t].min()) / gamma)
        lam[:, t] = powers / powers.sum()
    return Z, D, lam


@pytest.mark.parametrize("dispersion", ["sum", "mean"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("scale", [1.0, -1.7])
def test_as_the_formulas_say(dispersion, form, scale):
    X, _ = blocks()
    X *= scale
    gamma = 0.5
    found = cluster(form(X), 3, dispersion=dispersion, gamma=gamma)
    Z, D, lam = naive_state(X, found.labels, 3, gamma, dispersion == "mean")
    assert_allclose(found.centers, Z, atol=1e-12)
    assert_allclose(np.exp(found.log_weights), lam, rtol=1e-9, atol=1e-300)
    d = np.einsum("jil,il->jl", (X[:, :, None] - Z) ** 2, lam)
    assert_allclose(found.distances, d, rtol=1e-8, atol=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.where(lam > 0, lam * np.log(lam), 0.0).sum()
    assert_allclose(found.history[-1], (lam * D).sum() + gamma * entropy, rtol=1e-9, atol=1e-9)
    again = distances(SubspaceData.of(form(X)), found.centers, found.log_weights, 1.0) / 15
    assert_allclose(again, found.distances)


def test_groups_are_found():
    X, truth = blocks()
    best = min((cluster(X, 3, seed, dispersion="mean") for seed in range(5)), key=lambda r: r.history[-1])
    assert len(set(zip(best.labels, truth, strict=True))) == 3


def test_the_objective_never_rises():
    """No cluster runs empty here, so every step is the best for the others."""
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(80, 6))
        found = cluster(X, 3, seed, gamma=5.0, tol=0.0, max_iter=100)
        assert len(found.history) > 2
        assert (np.diff(found.history) < 1e-9).all()
        assert_array_equal(found.labels, found.distances.argmin(axis=1))


def test_no_cluster_is_empty():
    X = np.repeat(np.eye(4), 5, axis=0)
    for seed in range(5):
        found = cluster(X, 9, seed)
        assert_array_equal(np.unique(found.labels), np.arange(9))
        assert np.isfinite(found.distances).all()
    assert_array_equal(np.unique(cluster(np.ones((4, 2)), 4).labels), np.arange(4))


def test_dense_and_sparse_and_threads_agree(monkeypatch):
    monkeypatch.setattr("moo_clustering._kernels.threads._WORTH_A_THREAD", 0)
    X = (np.random.default_rng(0).random((400, 300)) < 0.4).astype(float)
    results = [
        entropy_weighted_kmeans(SubspaceData.of(form(X), n_jobs=n), 4, rng=np.random.default_rng(1))
        for form, n in ((np.asarray, 1), (csr_array, 1), (csr_array, 2), (csr_array, 8))
    ]
    for other in results[1:]:
        assert_array_equal(other.labels, results[0].labels)
        assert_allclose(other.distances, results[0].distances, rtol=1e-9, atol=1e-12)
    for other in results[2:]:
        assert_array_equal(other.distances, results[1].distances)
        assert_array_equal(other.history, results[1].history)


def test_constant_features_have_no_weight():
    X, _ = blocks()
    more = np.hstack([X, np.ones((60, 1)), np.zeros((60, 1))])
    one, other = cluster(X, 3), cluster(more, 3)
    assert_array_equal(one.labels, other.labels)
    assert_array_equal(other.log_weights[15:], -np.inf)
    assert_allclose(other.distances, one.distances, atol=1e-13)


def test_given_seeds():
    X, truth = blocks(noise=0.0)
    found = cluster(X, 3, seeds=np.array([0, 20, 40]), dispersion="mean")
    assert_array_equal(found.labels, truth)
    assert found.labels.dtype == np.int32
    assert found.n_iter == len(found.history)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "n_clusters"),
        ({"k": 61}, "n_clusters"),
        ({"gamma": 0.0}, "gamma"),
        ({"dispersion": "median"}, "dispersion"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1}, "tol"),
        ({"seeds": np.array([1, 2])}, "seeds"),
        ({"seeds": np.array([1, 2, 60])}, "seeds"),
    ],
)
def test_out_of_range(change, message):
    with pytest.raises(ValueError, match=message):
        cluster(blocks()[0], **{"k": 3} | change)


@pytest.mark.parametrize(
    "init", ["labels", "seeds", pytest.param("kmeans", marks=pytest.mark.slow), "dirichlet"]
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_rows_sum_to_one_and_clusters_differ(corpus, init, dtype, form):
    X, targets, _ = corpus
    for values in (X, X * 3.5):
        data = SubspaceData.of(form(values), dtype=dtype)
        found = start(init, data, targets, 7, OPTIONS, np.random.default_rng(2))
        assert found.shape == (60, 7)
        assert found.dtype == np.dtype(dtype)
        assert_allclose(found.sum(axis=1), 1.0, rtol=1e-6)
        assert np.ptp(found, axis=1).max() > 0.05
        again = start(init, data, targets, 7, OPTIONS, np.random.default_rng(2))
        assert_array_equal(found, again)


def test_seeds_are_half_way_to_the_mean(corpus):
    X, targets, _ = corpus
    seeds = np.array([3, 40, 3])
    centers = 0.5 * X[seeds] + 0.5 * X.mean(axis=0)
    d = ((X[:, None] - centers) ** 2).sum(axis=2)
    assert_allclose(memberships_from_seeds(SubspaceData.of(X), seeds, OPTIONS), naive_memberships(d, 1.5))
    drawn = np.random.default_rng(4).choice(60, size=5, replace=False)
    found = start("seeds", SubspaceData.of(X), targets, 5, OPTIONS, np.random.default_rng(4))
    assert_array_equal(found, memberships_from_seeds(SubspaceData.of(X), drawn, OPTIONS))


def test_labels_seed_clusters_in_turn():
    """With one labelled sample a class the first centroids are these samples."""
    rng = np.random.default_rng(0)
    X = (rng.random((20, 12)) < 0.4).astype(float)
    y = np.full(20, -1)
    y[[4, 9, 13]] = [0, 1, 2]
    found = start("labels", SubspaceData.of(X), partial_targets(y, 20), 5, OPTIONS, rng)
    d = ((X[:, None] - X[[4, 9, 13, 4, 9]]) ** 2).sum(axis=2)
    assert_allclose(found, naive_memberships(d, 1.5))


@pytest.mark.parametrize(("n", "size"), [(80, 10), (12, 3), (4, 2)])
def test_labels_draw_no_more_than_they_should(n, size):
    """Of 40 members of each of 2 classes, 4 clusters get means of 40 * 2 // 8 = 10; of few at least 3."""
    X = np.eye(n)
    y = np.arange(n) % 2
    data = SubspaceData.of(X)
    drawn = []
    by_column = data.by_column
    data.by_column = lambda P: drawn.append(P) or by_column(P)
    start("labels", data, partial_targets(y, n), 4, OPTIONS, np.random.default_rng(0))
    assert_array_equal((drawn[0] > 0).sum(axis=0), size)
    assert_allclose(drawn[0].sum(axis=0), 1.0)
    for cluster in range(4):
        assert_array_equal(y[drawn[0][:, cluster] > 0], cluster % 2)


def test_labels_without_members_or_without_labels(corpus):
    X, _, _ = corpus
    data = SubspaceData.of(X)
    Y = np.full((60, 3), -1)
    Y[:9] = [0, 1, 0]
    found = start("labels", data, partial_targets(Y, 60), 6, OPTIONS, np.random.default_rng(1))
    assert np.isfinite(found).all()
    for nothing in (partial_targets(None, 60), partial_targets(np.full((60, 3), -1), 60)):
        found = start("labels", data, nothing, 6, OPTIONS, np.random.default_rng(1))
        assert_array_equal(found, start("seeds", data, nothing, 6, OPTIONS, np.random.default_rng(1)))


def test_kmeans_is_nearly_hard():
    X = np.repeat(np.eye(3), 10, axis=0)
    targets = partial_targets(None, 30)
    found = start("kmeans", SubspaceData.of(X), targets, 3, OPTIONS, np.random.default_rng(0))
    assert_allclose(np.sort(found, axis=1), np.tile([0.1 / 3, 0.1 / 3, 0.9 + 0.1 / 3], (30, 1)))
    labels = found.argmax(axis=1).reshape(3, 10)
    assert (labels == labels[:, :1]).all()
    assert len(set(labels[:, 0])) == 3


def test_bad_starts_are_refused(corpus):
    X, targets, _ = corpus
    data, rng = SubspaceData.of(X), np.random.default_rng(0)
    with pytest.raises(ValueError, match="init must be one of"):
        start("random", data, targets, 3, OPTIONS, rng)
    for k in (0, 61):
        with pytest.raises(ValueError, match="n_clusters must be an integer from 1 to 60, the number of"):
            start("seeds", data, targets, k, OPTIONS, rng)
    for seeds in ([], [-1, 2], [60], [0.5], [[1, 2]]):
        with pytest.raises(ValueError, match="seeds must be"):
            memberships_from_seeds(data, np.array(seeds), OPTIONS)
