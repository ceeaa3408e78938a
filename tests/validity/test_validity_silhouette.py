"""Silhouette against scikit-learn and against a loop, on both of its code paths."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances, silhouette_score

from moo_clustering.validity import Silhouette
from moo_clustering.validity import internal as module


def naive(D, labels):
    scores = []
    for i, c in enumerate(labels):
        own = [D[i, j] for j in range(len(labels)) if labels[j] == c and j != i]
        others = [np.mean(D[i, labels == o]) for o in set(labels) - {c}]
        if not own or max(np.mean(own), min(others)) == 0:
            scores.append(0.0)
        else:
            scores.append((min(others) - np.mean(own)) / max(np.mean(own), min(others)))
    return np.mean(scores)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("product_up_to", [1, 10, 1000])
def test_equals_scikit_learn_and_the_definition(metric, product_up_to, monkeypatch):
    monkeypatch.setattr(module, "MOST_FOR_PRODUCT", product_up_to)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 4)) + 1
    labels = np.array([rng.permutation(np.arange(90) % k) for k in (2, 3, 10, 11, 40, 89)])
    found = Silhouette(metric).fit(X).evaluate(labels)
    np.testing.assert_allclose(found, [silhouette_score(X, row, metric=metric) for row in labels], rtol=1e-9)
    D = pairwise_distances(X, metric=metric)
    np.testing.assert_allclose(found[[0, 3]], [naive(D, labels[0]), naive(D, labels[3])], rtol=1e-9)
    np.testing.assert_allclose(Silhouette("precomputed").fit(D).evaluate(labels), found, rtol=1e-9)


@pytest.mark.parametrize("product_up_to", [1, 10])
def test_singletons_duplicates_and_a_single_cluster_in_one_population(product_up_to, monkeypatch):
    monkeypatch.setattr(module, "MOST_FOR_PRODUCT", product_up_to)
    # Duplicates away from the origin, with values that do not square exactly.
    x = np.array([0.1, 0.1, 0.1, 0.1, 7.3, 7.7])[:, np.newaxis]
    labels = np.array([[0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 1, 1]])
    D = np.abs(x - x.T)
    expected = [-1.0, *(naive(D, row) for row in labels[1:])]
    found = Silhouette().fit(x).evaluate(labels)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found[2] == pytest.approx(4 / 6)


def test_duplicates_far_from_the_mean_have_distance_exactly_zero():
    rng = np.random.default_rng(6)
    X = np.vstack([np.tile(rng.normal(size=7) * 100, (5, 1)), rng.normal(size=(20, 7))])
    index = Silhouette().fit(X)
    labels = np.array([0, 0, 0, 1, 1] + [2] * 20)
    # a = b = 0 for the five duplicates split over two clusters: they count 0, not noise.
    expected = naive(np.sqrt(((X[:, None] - X) ** 2).sum(-1)), labels)
    np.testing.assert_allclose(index.evaluate(labels), expected, rtol=1e-10)


def test_memory_limit():
    X = np.zeros((1000, 1))
    with pytest.raises(ValueError, match=r"max_memory=7999999 bytes \(0.00745 GiB\)"):
        Silhouette(max_memory=7_999_999).fit(X)
    Silhouette(max_memory=8_000_000).fit(X)
    with pytest.raises(ValueError, match=r"74\.5 GiB"):
        Silhouette().fit(np.zeros((100_000, 1)))
    with pytest.raises(TypeError, match="number of bytes"):
        Silhouette(max_memory="4GB").fit(X)
