"""Results for small data without compilation are bitwise equal to those of compiled kernels."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from moo_clustering import ConstrainedKMeans
from moo_clustering._kernels import caching
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.evidence import coassociation
from moo_clustering.graphs import spectral, trees
from moo_clustering.problems import CenterEncoding
from moo_clustering.validity import external, get_index


def compiled_or_not(monkeypatch, function):
    """Return the results of a function with and without compilation."""
    found = []
    for without in (False, True):
        monkeypatch.setattr(caching, "interpreted", lambda *_, without=without: without)
        found.append(function())
    return found


def points(kind, seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(3, 100), rng.integers(1, 14)
    if kind == "ties":
        return rng.integers(0, 4, (n, d)).astype(float)
    X = rng.normal(size=(n, d))
    return X if kind == "normal" else X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("kind", ["normal", "unit", "ties"])
@pytest.mark.parametrize("seed", range(8))
def test_kmeans(monkeypatch, kind, seed):
    X = points(kind, seed)
    for k in range(1, min(len(X), 10)):
        a, b = compiled_or_not(monkeypatch, lambda k=k: spectral.kmeans_labels(X, k, n_init=3, seed=seed))
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["normal", "unit", "ties"])
@pytest.mark.parametrize("seed", range(8))
def test_constrained_kmeans(monkeypatch, kind, seed):
    X = points(kind, seed)
    options = {"min_cluster_size": len(X) // 4, "n_init": 2, "random_state": seed}

    def results():
        model = ConstrainedKMeans(3, **options).fit(X)
        return model.labels_, model.cluster_centers_, CenterEncoding(X, 3).seeds(np.random.default_rng(seed))

    for a, b in zip(*compiled_or_not(monkeypatch, results), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["normal", "ties"])
@pytest.mark.parametrize("seed", range(3))
def test_trees(monkeypatch, kind, seed):
    X = points(kind, seed)

    def cuts():
        tree = trees.mutual_reachability_mst(X, n_neighbors=min(5, len(X) - 1))
        other = trees.euclidean_mst(X, algorithm="prim", root=0, rng=np.random.default_rng(0))
        distances = trees.euclidean_mst(pairwise_distances(X), metric="precomputed", root=0, ties="index")
        lengths = np.delete(other.lengths, other.root)
        cuts = trees.genie_cuts(other.links(), lengths, [1, 2, 3])
        found = cuts, other.parent, other.order, lengths, tree.parent, tree.order, tree.lengths
        return (*found, distances.parent, distances.order)

    for a, b in zip(*compiled_or_not(monkeypatch, cuts), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(3))
def test_partitions(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    raw = rng.integers(0, rng.integers(1, 6, size=(12, 1)), size=(12, 40))
    weights = rng.uniform(size=12)

    def results():
        labels = relabel_by_first_appearance(raw)
        pool = external.CountedPartitions(labels)
        return (
            labels,
            pool.n_pairs,
            external.ari_table(pool, pool),
            external.ari_table(pool, external.CountedPartitions(labels[:3])),
            coassociation(labels, weights),
            get_index("silhouette").fit(raw.T.astype(float)).evaluate(labels),
        )

    for a, b in zip(*compiled_or_not(monkeypatch, results), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_kernel_is_compiled_after_many_steps(monkeypatch):
    def double(values):
        for i in range(len(values)):
            values[i] *= 2

    monkeypatch.setattr(caching.KernelCache, "any_saved", False)
    kernel, values = caching.njit()(double), np.ones(3)
    caching.run(kernel, 10, values)
    assert (values == 2).all()
    assert not kernel.signatures
    caching.run(kernel, 1e9, values)
    assert (values == 4).all()
    assert kernel.signatures
    caching.run(kernel, 10, values)
    assert (values == 8).all()
