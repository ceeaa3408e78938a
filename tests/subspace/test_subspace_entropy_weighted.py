"""Entropy-weighted k-means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from moo_clustering.subspace import SubspaceData, distances, entropy_weighted_kmeans


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
    monkeypatch.setattr("moo_clustering._kernels.threads._ITEMS_WORTH_A_THREAD", 0)
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
