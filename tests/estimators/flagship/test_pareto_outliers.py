"""Samples far from all others: told, drawn in, and in no cluster of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import QUICK, ari
from scipy.spatial.distance import cdist

from moo_clustering import ParetoClustering

RNG = np.random.default_rng(3)
CENTRES = np.array([[0.0, 0.0, 0.0, 0.0], [9.0, 0.0, 0.0, 0.0], [0.0, 9.0, 0.0, 0.0]])
CLASSES = np.repeat([0, 1, 2], 40)
CLEAN = CENTRES[CLASSES] + RNG.normal(size=(120, 4))
FAR = np.array([[300.0, 0.0, 0.0, 0.0], [0.0, -200.0, 0.0, 0.0], [0.0, 0.0, 90.0, 0.0]])
ROWS = np.concatenate([CLEAN, FAR])
AUTO = {**QUICK, "criterion": "auto"}


@pytest.fixture(scope="module")
def model():
    return ParetoClustering(**AUTO).fit(ROWS)


def test_outliers_are_told_and_make_no_clusters(model):
    assert_array_equal(np.flatnonzero(model.outliers_), [120, 121, 122])
    assert model.n_clusters_ == 3
    assert ari(model.labels_[:120], CLASSES) == 1
    # They join the cluster of their nearest sample.
    nearest = cdist(FAR / CLEAN.std(axis=0), CLEAN / CLEAN.std(axis=0)).argmin(axis=1)
    assert_array_equal(model.labels_[120:], model.labels_[nearest])


def test_outliers_change_nothing_for_the_others(model):
    clean = ParetoClustering(**AUTO).fit(CLEAN)
    assert not clean.outliers_.any()
    assert ari(clean.labels_, model.labels_[:120]) == 1
    # Their values are no part of the scale.
    features = model._samples.features
    assert_allclose(features[:120].std(axis=0), 1.0, rtol=1e-9)
    assert np.abs(features[120:]).max() < 6


def test_new_samples(model):
    assert_array_equal(model.predict(ROWS), model.labels_)
    assert_array_equal(model.predict(FAR * 2), model.labels_[120:])


def test_the_order_of_rows_and_units(model):
    order = np.random.default_rng(1).permutation(123)
    turned = ParetoClustering(**AUTO).fit(ROWS[order] * 1e-3)
    assert_array_equal(turned.outliers_, model.outliers_[order])
    assert ari(turned.labels_, model.labels_[order]) == 1


def test_sparse_clusters_are_no_outliers():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=(150, 2)) * 0.05, [20.0, 0.0] + 4 * rng.normal(size=(15, 2))])
    model = ParetoClustering(**QUICK).fit(rows)
    assert model.outliers_.sum() <= 1
    assert ari(model.labels_, np.repeat([0, 1], [150, 15])) == 1


def test_what_needs_every_sample_has_no_outliers():
    model = ParetoClustering(121, **AUTO).fit(ROWS)
    assert not model.outliers_.any()
    assert not ParetoClustering(**QUICK, metric="precomputed").fit(cdist(ROWS, ROWS)).outliers_.any()


def test_landmarks():
    rows = np.concatenate([np.repeat(CLEAN, 3, axis=0) + 0.01 * RNG.normal(size=(360, 4)), FAR])
    model = ParetoClustering(n_landmarks=150, **AUTO).fit(rows)
    assert model.outliers_.shape == (363,)
    assert_array_equal(np.flatnonzero(model.outliers_), [360, 361, 362])
    assert ari(model.labels_[:360], np.repeat(CLASSES, 3)) == 1
