"""Compiled loops against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from moo_clustering._kernels import partitions as kernels

RNG = np.random.default_rng(11)
N, P, K, WIDTH = 37, 4, 5, 6
X = RNG.normal(size=(N, 3))
LABELS = np.array([RNG.permutation(np.arange(N) % k) for k in (1, 2, 3, K)], dtype=np.int32)
N_CLUSTERS = np.array([1, 2, 3, K])
SIZES = np.array([np.bincount(row, minlength=WIDTH) for row in LABELS])
D = np.abs(X[:, :1] - X[:, 0]) + np.abs(X[:, 1:2] - X[:, 1])
MEANS = np.array(
    [[X[row == c].mean(axis=0) if c in row else np.zeros(3) for c in range(WIDTH)] for row in LABELS]
)
GAPS = [np.linalg.norm(m[:k, None] - m[:k], axis=2) for m, k in zip(MEANS, N_CLUSTERS, strict=True)]


def test_count_members():
    sizes = np.zeros((P, WIDTH), dtype=np.int64)
    kernels.count_members(LABELS, sizes)
    np.testing.assert_array_equal(sizes, SIZES)


def test_cluster_means():
    means = np.zeros((P, WIDTH, 3))
    kernels.cluster_means(X, LABELS, SIZES, means)
    np.testing.assert_allclose(means, MEANS, atol=1e-14)


@pytest.mark.parametrize("squared", [True, False])
def test_mean_distance_sums(squared):
    sums = np.zeros((P, WIDTH))
    kernels.mean_distance_sums(X, LABELS, MEANS, squared, sums)
    for q in range(P):
        d = np.linalg.norm(X - MEANS[q][LABELS[q]], axis=1) ** (2 if squared else 1)
        np.testing.assert_allclose(sums[q], np.bincount(LABELS[q], weights=d, minlength=WIDTH), rtol=1e-12)


def test_mean_separations():
    least, greatest = np.empty(P), np.empty(P)
    kernels.mean_separations(MEANS, N_CLUSTERS, least, greatest)
    pairs = [gap[np.triu_indices(len(gap), 1)] ** 2 for gap in GAPS]
    np.testing.assert_allclose(least, [min(p, default=np.inf) for p in pairs], rtol=1e-12)
    np.testing.assert_allclose(greatest, [max(p, default=0.0) for p in pairs], rtol=1e-12)


@pytest.mark.parametrize("floor", [1e-12, 0.4])
def test_worst_ratio_means(floor):
    spreads = RNG.random((P, WIDTH))
    out = np.empty(P)
    kernels.worst_ratio_means(MEANS, spreads, N_CLUSTERS, floor, out)
    for q, k in enumerate(N_CLUSTERS):
        ratios = (spreads[q, :k, None] + spreads[q, :k]) / np.maximum(GAPS[q], floor)
        np.fill_diagonal(ratios, 0.0)
        assert out[q] == pytest.approx(ratios.max(axis=1).mean(), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_own_cluster_sums_and_least_members(dtype):
    sums = np.empty((P, N))
    kernels.own_cluster_sums(D.astype(dtype), LABELS, sums)
    same = LABELS[:, :, None] == LABELS[:, None, :]
    np.testing.assert_allclose(sums, (same * D.astype(dtype).astype(float)).sum(axis=2), rtol=1e-12)
    medoids = np.empty((P, WIDTH), dtype=np.int64)
    kernels.least_members(sums, LABELS, medoids)
    for q in range(P):
        for c in range(WIDTH):
            members = np.flatnonzero(LABELS[q] == c)
            assert medoids[q, c] == (members[np.argmin(sums[q, members])] if len(members) else -1)


def test_least_members_ignores_rounding():
    sums = np.array([[2.0, 1.0 + 4e-16, 1.0, 1.0 - 1e-9]])
    medoids = np.empty((1, 2), dtype=np.int64)
    kernels.least_members(sums, np.array([[0, 0, 0, 1]], dtype=np.int32), medoids)
    np.testing.assert_array_equal(medoids, [[1, 3]])


@pytest.mark.parametrize("squared", [True, False])
def test_medoid_kernels(squared):
    medoids = np.array([RNG.permutation(N)[:WIDTH] for _ in range(P)])
    sums, least, greatest = np.empty(P), np.empty(P), np.empty(P)
    kernels.medoid_distance_sums(D, medoids, LABELS, squared, sums)
    kernels.medoid_separations(D, medoids, N_CLUSTERS, least, greatest)
    for q, k in enumerate(N_CLUSTERS):
        d = D[medoids[q][LABELS[q]], np.arange(N)]
        assert sums[q] == pytest.approx((d**2 if squared else d).sum(), rel=1e-12)
        pairs = D[np.ix_(medoids[q, :k], medoids[q, :k])][np.triu_indices(k, 1)]
        assert least[q] == min(pairs, default=np.inf)
        assert greatest[q] == max(pairs, default=0.0)


def test_silhouette_sums():
    out = np.zeros(P - 1)
    kernels.silhouette_sums(D, LABELS[1:], SIZES[1:], N_CLUSTERS[1:], out)
    for q, labels in enumerate(LABELS[1:]):
        onehot = np.eye(N_CLUSTERS[q + 1])[labels]
        totals = D @ onehot
        a = totals[np.arange(N), labels] / (onehot.sum(axis=0)[labels] - 1)
        b = np.where(onehot > 0, np.inf, totals / onehot.sum(axis=0)).min(axis=1)
        assert out[q] == pytest.approx(((b - a) / np.maximum(a, b)).sum(), rel=1e-12)


def test_count_split_neighbors():
    neighbors = np.argsort(D + 100 * np.eye(N), axis=1)[:, :7].astype(np.int32)
    counts = np.zeros((P, 7), dtype=np.int64)
    kernels.count_split_neighbors(neighbors, LABELS, counts)
    np.testing.assert_array_equal(counts, (LABELS[:, neighbors] != LABELS[:, :, None]).sum(axis=1))


def test_refine_squared_distances():
    exact = ((X[:, None] - X) ** 2).sum(axis=2)
    norms = (X**2).sum(axis=1)
    wrong = exact * 1.5 + np.triu(np.ones((N, N)))
    kernels.refine_squared_distances(X, norms, wrong, 0.5)
    close = exact * 1.5 < 0.5 * (norms[:, None] + norms)
    assert 10 < close.sum() < N * N - 10
    np.testing.assert_allclose(wrong[close], exact[close], atol=1e-14)
    np.testing.assert_allclose(wrong[~close], 1.5 * exact[~close])
    np.testing.assert_array_equal(wrong, wrong.T)
