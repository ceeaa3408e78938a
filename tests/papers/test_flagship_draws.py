"""What is told of the classes, and the rivals that are told it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from moo_clustering.estimators import HMRFKMeans, PCKMeans
from moo_clustering.validity import Silhouette
from papers.flagship import (
    best_by,
    constrained_spectral,
    hdbscan,
    k_means,
    label_propagation,
    label_spreading,
    logistic_regression,
    nearest_labelled,
    pairwise_k_means,
    pck_means,
    propagated_spectral,
    seeded_k_means,
    spreading_kernel,
    written_spectral,
)
from papers.flagship_sets import Sheet, draw_labels, draw_pairs, draw_some_classes

CLASSES = np.repeat([0, 1, 2, -1], [30, 10, 4, 6])
PATH = sp.csr_array(sp.diags_array([np.ones(5), np.ones(5)], offsets=[-1, 1]))


def rng(seed=0):
    return np.random.default_rng(seed)


def groups(n=20):
    y = np.repeat(np.arange(3), n)
    return rng().normal(size=(3 * n, 2)) * 0.3 + 4 * np.array([[0, 0], [1, 0], [0, 1]])[y], y


def neighbor_graph(X):
    d = np.linalg.norm(X[:, None] - X, axis=2)
    near = np.exp(-(d**2)) * (d <= np.sort(d, axis=1)[:, [6]])
    np.fill_diagonal(near, 0)
    return sp.csr_array(np.maximum(near, near.T) + 1e-6 * (1 - np.eye(len(X))))


@pytest.mark.parametrize(("fraction", "counts"), [(0.01, [1, 1, 1]), (0.1, [3, 1, 1]), (0.5, [15, 5, 2])])
def test_labels_of_every_class_and_none_of_noise(fraction, counts):
    y = draw_labels(CLASSES, fraction, rng())
    assert [(y == one).sum() for one in range(3)] == counts
    assert (y[y >= 0] == CLASSES[y >= 0]).all()
    assert (draw_labels(CLASSES, fraction, rng()) == y).all()


def test_half_of_the_classes_have_no_label():
    for seed in range(5):
        y = draw_some_classes(CLASSES, 0.1, rng(seed))
        known = y >= 0
        named = np.unique(CLASSES[known])
        assert len(named) == 2
        # Numbers do not tell which class is missing.
        assert np.unique(y[known]).tolist() == [0, 1]
        assert (named[y[known]] == CLASSES[known]).all()


@pytest.mark.parametrize("flipped", [0.0, 0.1])
def test_pairs_of_some_samples(flipped):
    drawn = draw_pairs(CLASSES, 2.0, flipped, rng())
    pairs = np.concatenate([drawn.must_link, drawn.cannot_link])
    assert len(pairs) == 2 * len(CLASSES)
    assert len(np.unique(np.sort(pairs, axis=1), axis=0)) == len(pairs)
    assert (CLASSES[pairs] >= 0).all()
    assert not drawn.free[pairs].any()
    # 30% of 44 samples with a class are in no pair.
    assert (drawn.free & (CLASSES >= 0)).sum() >= 13
    together = CLASSES[pairs[:, 0]] == CLASSES[pairs[:, 1]]
    wrong = together != np.repeat([True, False], [len(drawn.must_link), len(drawn.cannot_link)])
    assert wrong.sum() == round(flipped * len(pairs))


def test_no_more_pairs_than_there_are():
    drawn = draw_pairs(np.arange(10) % 2, 5.0, 0.0, rng())
    assert len(drawn.must_link) + len(drawn.cannot_link) == 21


def test_spreading_and_propagation_on_a_path():
    y = np.array([0, -1, -1, -1, -1, 1])
    assert label_spreading(spreading_kernel(PATH), y).tolist() == [0, 0, 0, 1, 1, 1]
    assert label_propagation(PATH, y).tolist() == [0, 0, 0, 1, 1, 1]
    # Harmonic: of a path between 0 and 1 at 0 and 2, sample 1 is in the middle; ties go to the first.
    assert label_propagation(PATH, np.array([0, -1, -1, 1, -1, -1])).tolist() == [0, 0, 1, 1, 1, 1]
    # First row of the normalised kernel, as known for factor .9.
    kernel = spreading_kernel(PATH)
    row = kernel[0] / np.sqrt(np.diag(kernel) * kernel[0, 0])
    assert np.allclose(
        row, [1, 0.756434498461, 0.530091399226, 0.361610120109, 0.253407816451, 0.191686414543]
    )


def test_rivals_with_labels_find_plain_groups():
    X, classes = groups()
    y = np.full(len(X), -1)
    y[::20] = classes[::20]
    graph = neighbor_graph(X)
    for labels in (
        nearest_labelled(X, y),
        logistic_regression(X, y),
        pck_means(X, y, 3, 0),
        seeded_k_means(X, y),
        constrained_spectral(graph, X, y, 3, rng()),
        label_spreading(spreading_kernel(graph), y),
        label_propagation(graph, y),
        k_means(X, 3, 0),
    ):
        assert adjusted_rand_score(classes, labels) > 0.95
    assert (logistic_regression(X, np.where(y == 1, 0, -1)) == 0).all()


def test_constrained_spectral_obeys_labels():
    X, classes = groups()
    y = np.where(np.arange(60) % 2, -1, (classes == 2).astype(int))
    labels = constrained_spectral(neighbor_graph(X), X, y, 2, rng())
    assert adjusted_rand_score(classes == 2, labels) > 0.9


def test_rivals_with_pairs_find_plain_groups():
    X, classes = groups()
    pairs = draw_pairs(classes, 1.0, 0.0, rng())
    wrong = draw_pairs(classes, 1.0, 0.1, rng())
    graph = neighbor_graph(X)
    for kind in (PCKMeans, HMRFKMeans):
        assert adjusted_rand_score(classes, pairwise_k_means(kind, X, pairs, 3, 0)) > 0.95
        # Pairs that contradict each other are no error.
        assert len(set(pairwise_k_means(kind, X, wrong, 3, 0))) == 3
    for hard, given in ((True, pairs), (False, wrong)):
        assert adjusted_rand_score(classes, written_spectral(graph, X, given, 3, rng())) > 0.5
        labels = propagated_spectral(graph, given, 3, rng(), hard=hard)
        assert adjusted_rand_score(classes, labels) > 0.5


def test_clusterers():
    X, classes = groups()
    assert adjusted_rand_score(classes, hdbscan(X)) > 0.95
    assert set(hdbscan(rng().random((12, 2)) * 1e-9 + np.arange(12)[:, None])) == {0}
    candidates = np.stack([classes, classes // 2, np.arange(60) % 3])
    assert (best_by(Silhouette().fit(X), candidates) == classes).all()


def test_what_fails_is_written_down():
    sheet = Sheet(CLASSES)

    def fails():
        raise RuntimeError("no\nluck")

    sheet.add("here", 0, "bad", fails)
    sheet.add("here", 0, "good", lambda: np.arange(50) // 30, among=np.arange(50) % 2 == 0)
    sheet.add("here", 0, "short", lambda: np.zeros(3))
    sheet.add_best("here", 0, "best", lambda: np.stack([np.zeros(50, int), CLASSES + 1]))
    bad, good, short, best = sheet.rows
    assert bad["error"] == "RuntimeError: no luck"
    assert "(3,)" in short["error"]
    assert best["ari"] == 1.0
    # Noise does not count, nor what was told.
    here = (CLASSES >= 0) & (np.arange(50) % 2 == 0)
    assert np.isclose(good["ari"], adjusted_rand_score(CLASSES[here], (np.arange(50) // 30)[here]))
    assert np.isclose(good["ari_all"], adjusted_rand_score(CLASSES[:44], (np.arange(50) // 30)[:44]))
