"""Xie-Beni and I: worked values, naive definitions, options."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from moo_clustering.validity import IIndex, XieBeni
from tests.validity.medoid_indices import i_index, xie_beni

LINE = np.array([0.0, 1, 2, 10, 11, 13])[:, np.newaxis]
D_LINE = np.abs(LINE - LINE.T)
# Worked values of NSGA-II-clus.
TABLE = [
    ((0, 3), (0, 0, 1, 1, 1, 1), 0.125, 142.159763313609),
    ((0, 3), (0, 0, 0, 1, 1, 1), 0.025, 490.306122448980),
    ((1, 4), (0, 0, 0, 1, 1, 1), 0.0116666666666667, 961.0),
    ((1, 4), (0, 0, 0, 0, 1, 1), 0.145, 142.159763313609),
    ((0, 1, 4), (0, 1, 1, 2, 2, 2), 1.0, 807.506944444444),
    ((1, 3, 5), (0, 0, 0, 1, 1, 2), 0.0555555555555556, 1708.444444444444),
]


def test_definitions_give_the_worked_values():
    medoids = np.array([[*m, -1][:3] for m, *_ in TABLE])
    labels = np.array([row[1] for row in TABLE])
    np.testing.assert_allclose(xie_beni(D_LINE, medoids, labels), [row[2] for row in TABLE], rtol=1e-12)
    np.testing.assert_allclose(i_index(D_LINE, medoids, labels), [row[3] for row in TABLE], rtol=1e-12)


def test_medoids_found_from_labels_give_the_worked_values():
    labels = [(0, 0, 0, 1, 1, 1), (0, 0, 0, 1, 1, 2)]
    for metric, data in [("euclidean", LINE), ("precomputed", D_LINE), ("cityblock", LINE)]:
        np.testing.assert_allclose(
            XieBeni("medoid", metric).fit(data).evaluate(labels), [0.01166666667, 1 / 18]
        )
        np.testing.assert_allclose(
            IIndex("medoid", metric).fit(data).evaluate(labels), [961, 1708.4444444444]
        )


def test_cosine_with_tie_duplicate_direction_and_zero_row():
    X = np.array([(1.0, 0), (1, 1), (0, 1), (0, 2), (0, 0)])
    labels = [0, 0, 1, 1, 0]
    np.testing.assert_allclose(
        XieBeni("medoid", "cosine").fit(X).evaluate(labels), 0.217157287525381, rtol=1e-12
    )
    np.testing.assert_allclose(
        IIndex("medoid", "cosine").fit(X).evaluate(labels), 0.527861707941832, rtol=1e-12
    )


def naive_medoids(D, labels):
    medoids = []
    for c in range(labels.max() + 1):
        members = np.flatnonzero(labels == c)
        sums = [sum(D[i, j] for j in members) for i in members]
        medoids.append(members[int(np.argmin(np.round(sums, 9)))])
    return medoids


def naive_scatter(points, labels, distance):
    """Distances of the samples to their representatives, and between representatives."""
    own = np.array([distance(i, points[c]) for i, c in enumerate(labels)])
    between = [distance(points[a], points[b], True) for a in range(len(points)) for b in range(a)]
    return own, between


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("seed", range(4))
def test_medoid_form_is_the_definition(metric, seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(25, 3)) + 2, 1)
    D = pairwise_distances(X, metric=metric)
    k = 2 + seed
    labels = rng.permutation(np.arange(25) % k)
    m = naive_medoids(D, labels)
    own, between = naive_scatter(m, labels, lambda i, j, _=False: D[i, j])
    xb = sum(own**2) / (25 * max(min(between) ** 2, 1e-12 * np.mean(D**2)))
    e1 = min(D.sum(axis=0))
    np.testing.assert_allclose(XieBeni("medoid", metric).fit(X).evaluate(labels), xb, rtol=1e-8)
    for power in (1, 2, 0.5):
        i = (e1 / sum(own) * max(between) / k) ** power
        found = IIndex("medoid", metric, power=power).fit(X).evaluate(labels)
        np.testing.assert_allclose(found, i, rtol=1e-8)
    e1_mean = pairwise_distances(X, X.mean(axis=0, keepdims=True), metric=metric).sum()
    ratio = IIndex("medoid", metric, e1="centroid").fit(X).evaluate(labels)[0] / found[0] ** 4
    np.testing.assert_allclose(ratio, (e1_mean / e1) ** 2, rtol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_centroid_form_is_the_definition(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    k = 2 + 2 * seed
    labels = rng.permutation(np.arange(30) % k)
    means = np.array([X[labels == c].mean(axis=0) for c in range(k)])
    own = np.linalg.norm(X - means[labels], axis=1)
    between = cdist(means, means)[np.triu_indices(k, 1)]
    xb = np.sum(own**2) / (30 * between.min() ** 2)
    np.testing.assert_allclose(XieBeni().fit(X).evaluate(labels), xb, rtol=1e-10)
    e1 = np.linalg.norm(X - X.mean(axis=0), axis=1).sum()
    e1_medoid = cdist(X, X).sum(axis=0).min()
    np.testing.assert_allclose(IIndex().fit(X).evaluate(labels), (e1 / own.sum() * between.max() / k) ** 2)
    np.testing.assert_allclose(
        IIndex(e1="medoid").fit(X).evaluate(labels), (e1_medoid / own.sum() * between.max() / k) ** 2
    )


def test_separation_is_floored_when_representatives_coincide():
    X = np.array([[0.0], [0.0], [4.0], [4.0]])
    labels = [0, 1, 0, 1]
    # means 2 and 2: sum of squares 16, mean squared distance 8
    np.testing.assert_allclose(XieBeni().fit(X).evaluate(labels), 16 / (4 * 1e-12 * 8))
    # medoids 0 and 1 (lowest ids), both at 0: sum of squares 32
    np.testing.assert_allclose(XieBeni("medoid").fit(X).evaluate(labels), 32 / (4 * 1e-12 * 8))
    np.testing.assert_allclose(IIndex("medoid").fit(X).evaluate(labels), 0.0)


def test_medoid_ties_go_to_the_lowest_id():
    # In {0,1}, {2,3} all sums tie; in {4,5,6,7} samples 5 and 6 do.
    x = np.array([0.0, 1, 10, 11, 30, 31, 32, 33])
    D = np.abs(x[:, None] - x)
    labels = [0, 0, 1, 1, 2, 2, 2, 2]
    expected = xie_beni(D, [0, 2, 5], labels)
    np.testing.assert_allclose(XieBeni("medoid", "precomputed").fit(D).evaluate(labels), expected, rtol=1e-14)


def test_rounding_does_not_break_ties():
    # Samples 0 and 1 both have the total 0.1 + 0.2 + 0.3, which adds up to 0.6 or to 0.6 and a bit.
    D = np.full((6, 6), 0.9)
    D[:4, :4] = [[0, 0.3, 0.1, 0.2], [0.3, 0, 0.2, 0.1], [0.1, 0.2, 0, 0.5], [0.2, 0.1, 0.5, 0]]
    D[0, 4] = D[4, 0] = 0.5
    np.fill_diagonal(D, 0.0)
    labels = [0, 0, 0, 0, 1, 1]
    found = i_index(D, [0, 4], labels)
    np.testing.assert_allclose(IIndex("medoid", "precomputed").fit(D).evaluate(labels), found, rtol=1e-12)
    assert i_index(D, [1, 4], labels)[0] > 1.1 * found[0]


def test_one_cluster_and_all_zero_distances():
    for D, labels, xb in ((D_LINE, [0] * 6, 1e12), (np.zeros((4, 4)), [0, 1, 0, 1], 0.0)):
        assert XieBeni("medoid", "precomputed").fit(D).evaluate(labels)[0] == xb
        assert IIndex("medoid", "precomputed").fit(D).evaluate(labels)[0] == 0.0


def test_options_are_checked():
    with pytest.raises(ValueError, match="representative must be one of"):
        XieBeni("mode").fit(LINE)
    with pytest.raises(ValueError, match='metric must be "euclidean"'):
        XieBeni(metric="cosine").fit(LINE)
    with pytest.raises(ValueError, match="e1 must be one of"):
        IIndex(e1="mean").fit(LINE)
    with pytest.raises(ValueError, match="power"):
        IIndex(power=0).fit(LINE)
    with pytest.raises(ValueError, match="precomputed"):
        IIndex("medoid", "precomputed", e1="centroid").fit(D_LINE)
    with pytest.raises(ValueError, match="overflow"):
        XieBeni().fit([[1e200], [-1e200]])
