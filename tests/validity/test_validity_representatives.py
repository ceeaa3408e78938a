"""Centring, and the two kinds of representatives measured alike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from moo_clustering._distances import MAX_MEMORY, centred_features, mean_square
from moo_clustering.validity.base import check_population, mean_square_distance
from moo_clustering.validity.internal import Centroids, Medoids


def test_equal_samples_become_exact_zeros():
    for n in range(1, 40):
        assert not centred_features(np.full((n, 3), [0.1, 1 / 3, 1e10 / 7])).any()


def test_overflow_names_a_value_of_the_data():
    with pytest.raises(ValueError, match=r"up to 1e\+308 in absolute value"):
        centred_features([[1e308], [-1e308], [0.0]])


def test_mean_square_distance():
    X = np.random.default_rng(0).normal(size=(20, 3)) + 5
    expected = np.mean(cdist(X, X) ** 2)
    assert mean_square_distance(centred_features(X)) == pytest.approx(expected, rel=1e-12)
    assert Medoids(X, "euclidean", MAX_MEMORY, "Test").mean_square == pytest.approx(expected, rel=1e-12)


def test_distances_whose_squares_overflow_are_refused():
    D = np.array([[0.0, 1e160], [1e160, 0.0]])
    with pytest.raises(
        ValueError, match="data has distances so large that their squares overflow; rescale it"
    ):
        mean_square(D)
    assert mean_square(D / 1e160) == 0.5


@pytest.mark.parametrize("squared", [True, False])
def test_pairs_and_singletons_have_the_scatter_of_their_samples(squared):
    X = np.random.default_rng(1).normal(size=(12, 3))
    D = cdist(X, X) ** (2 if squared else 1)
    pairs = D[np.triu_indices(12, 1)]
    population = check_population(np.arange(12), 12)
    for form in (Centroids(X), Medoids(X, "euclidean", MAX_MEMORY, "Test")):
        within, least, greatest = form.scatter(population, squared=squared)
        np.testing.assert_allclose(within, 0.0, atol=1e-12)
        np.testing.assert_allclose(least, pairs.min(), rtol=1e-10)
        np.testing.assert_allclose(greatest, pairs.max(), rtol=1e-10)
        assert form.total_to_medoid() == pytest.approx(cdist(X, X).sum(axis=0).min(), rel=1e-10)
    paired = check_population(np.arange(12) // 2, 12)
    own = Medoids(X, "euclidean", MAX_MEMORY, "Test").scatter(paired, squared=squared)[0]
    np.testing.assert_allclose(own, sum(D[i, i + 1] for i in range(0, 12, 2)), rtol=1e-10)
