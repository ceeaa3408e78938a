"""First memberships."""

import numpy as np
import pytest
from naive_subspace import memberships as naive_memberships
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from moo_clustering._targets import partial_targets
from moo_clustering.subspace import SubspaceData, SubspaceOptions, memberships_from_seeds, start

OPTIONS = SubspaceOptions()


@pytest.mark.parametrize("init", ["labels", "seeds", "kmeans", "dirichlet"])
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
        with pytest.raises(ValueError, match="n_clusters must be from 1 to the 60"):
            start("seeds", data, targets, k, OPTIONS, rng)
    for seeds in ([], [-1, 2], [60], [0.5], [[1, 2]]):
        with pytest.raises(ValueError, match="seeds must be"):
            memberships_from_seeds(data, np.array(seeds), OPTIONS)
