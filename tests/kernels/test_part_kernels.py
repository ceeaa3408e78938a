"""Kernels over parts of a tree and over links, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from moo_clustering._kernels import loci as kernels
from moo_clustering._kernels.loci import component_rows, link_objectives
from moo_clustering._kernels.trees import sample_labels, short_components, split_components


def spread(n, links):
    """Smallest node of the component of every node."""
    label = list(range(n))
    for _ in range(n):
        for a, b in links:
            label[a] = label[b] = min(label[a], label[b])
    return label


@pytest.fixture
def tree():
    rng = np.random.default_rng(0)
    n_parts = 30
    above = np.array([0] + [rng.integers(0, c) for c in range(1, n_parts)], dtype=np.int32)
    gene = np.concatenate([[0], rng.permutation(n_parts - 1)]).astype(np.int32)
    base = np.concatenate([np.arange(n_parts), rng.integers(0, n_parts, 70)]).astype(np.int32)
    return above, gene, rng.permutation(base).astype(np.int32)


def test_split_components(tree):
    above, gene, _ = tree
    G = np.random.default_rng(1).integers(0, 2, (20, 29), dtype=np.uint8)
    out = np.full((20, 30), -7, dtype=np.int32)
    split_components(G, above, gene, 2, 18, out)
    assert (out[[0, 1, 18, 19]] == -7).all()
    for q in range(2, 18):
        held = [(c, above[c]) for c in range(1, 30) if G[q, gene[c]]]
        assert out[q].tolist() == spread(30, held)


def test_short_components(tree):
    _, gene, base = tree
    rng = np.random.default_rng(2)
    G = rng.integers(0, 100, (20, 29), dtype=np.int32)
    # Many that lead nowhere, else nearly all is one component.
    own = np.array([np.flatnonzero(base == c)[0] for c in range(30)])
    for c in range(1, 30):
        stay = rng.random(20) < 0.6
        G[stay, gene[c]] = own[c]
    out = np.full((20, 30), -7, dtype=np.int32)
    short_components(G, base, gene, 2, 18, out)
    assert (out[[0, 1, 18, 19]] == -7).all()
    for q in range(2, 18):
        assert out[q].tolist() == spread(30, [(c, base[G[q, gene[c]]]) for c in range(1, 30)])
    labels = np.empty((20, 100), dtype=np.int32)
    sample_labels(out, base, np.empty(30, dtype=np.int32), 2, 18, labels)
    for q in range(2, 18):
        first: dict[int, int] = {}
        assert labels[q].tolist() == [first.setdefault(int(out[q, c]), len(first)) for c in base]


def test_components_of_links(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    links = rng.integers(0, 40, (12, 40)).astype(np.int32)
    links[rng.random(links.shape) < 0.5] = -1
    links = np.where(links < 0, np.arange(40), links).astype(np.int32)
    out = np.empty((12, 40), dtype=np.int32)
    component_rows(links, 0, 12, out)
    for row, found in zip(links, out, strict=True):
        assert found.tolist() == spread(40, list(enumerate(row)))


def partition_rows(rng, n_rows, n_parts, n_clusters):
    labels = rng.integers(0, n_clusters, (n_rows, n_parts))
    return np.array([[int(np.flatnonzero(row == label)[0]) for label in row] for row in labels])


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_objectives_of_parts(offset, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_parts, n, d = 12, 60, 3
    base = np.concatenate([np.arange(n_parts), rng.integers(0, n_parts, n - n_parts)]).astype(np.int32)
    X = rng.normal(size=(n, d)) * 1e-3 + offset * (base[:, None] % 2)
    sizes = np.bincount(base).astype(float)
    sums = np.array([X[base == c].sum(axis=0) for c in range(n_parts)])
    means = sums / sizes[:, None]
    within = sum(((X[i] - means[base[i]]) ** 2).sum() for i in range(n))
    # Clusters of parts at the same place only: a difference of two large numbers would be noise.
    clusters = [n_parts, 2, 6, 2 if offset else 1]
    half = np.array([[c % k for c in range(n_parts)] for k in clusters])
    out, deviations = np.empty(4), np.empty(4)
    room = np.empty(n_parts), np.empty((n_parts, d))
    kernels.variances(half, sizes, sums, means, within, n, *room, 0, 4, out)
    kernels.deviations(half, sizes, sums, base, X, np.ones(len(X)), *room, 0, 4, deviations)
    for q in range(4):
        labels = half[q][base]
        # By the differences to one member, which are small.
        squares = total = 0.0
        for c in set(labels.tolist()):
            own = X[labels == c] - X[labels == c][0]
            gaps = own - own.mean(axis=0)
            squares += (gaps**2).sum()
            total += np.sqrt((gaps**2).sum(axis=1)).sum()
        tolerance = 1e-10 if offset == 0 else 1e-3
        assert out[q] == pytest.approx(squares / n, rel=tolerance)
        assert deviations[q] == pytest.approx(total, rel=tolerance)


def test_weights_of_pairs(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = partition_rows(rng, 6, 10, 4).astype(np.int32)
    first, second = rng.integers(0, 10, (2, 40)).astype(np.int32)
    weight = rng.random(40)
    for apart in (True, False):
        out = np.full(6, -1.0)
        kernels.pair_weights(rows, first, second, weight, apart, 1, 5, out)
        assert out[0] == out[5] == -1.0
        for q in range(1, 5):
            chosen = [
                w
                for a, b, w in zip(first, second, weight, strict=True)
                if (rows[q, a] != rows[q, b]) == apart
            ]
            assert out[q] == pytest.approx(sum(chosen), rel=1e-14)


def test_rand_index_of_parts(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    base = np.concatenate([np.arange(15), rng.integers(0, 15, 60)])
    for n_classes in (1, 2, 5):
        y = rng.integers(0, n_classes, 75)
        table = np.zeros((15, n_classes))
        np.add.at(table, (base, y), 1)
        rows = np.vstack([partition_rows(rng, 8, 15, 4), np.arange(15)[None], np.zeros((1, 15), dtype=int)])
        out = np.empty(10)
        kernels.rand_gaps(rows, table, np.empty_like(table), 0, 10, out)
        expected = [1 - adjusted_rand_score(y, row[base]) for row in rows]
        assert_allclose(out, expected, atol=1e-12)


@pytest.mark.parametrize("asked", [(True, True, True), (True, False, False), (False, False, True)])
def test_objectives_of_links(asked, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, width = 50, 6
    X = rng.normal(size=(n, 2))
    links = np.where(rng.random((9, n)) < 0.4, np.arange(n), rng.integers(0, n, (9, n))).astype(np.int32)
    neighbors = np.array([rng.permutation(np.delete(np.arange(n), i))[:width] for i in range(n)], np.int32)
    neighbors[::7, 4:] = -1
    weights = 1.0 / np.arange(1, width + 1)
    out = np.zeros((9, 3))
    link_objectives(
        links, X, np.ones(n), np.ascontiguousarray(neighbors.T), weights, asked,
        np.empty(n, np.int32), np.empty(n), np.empty((n, 2)), 0, 9, out,
    )  # fmt: skip
    for q in range(9):
        labels = np.array(spread(n, list(enumerate(links[q]))))
        mean = np.array([X[labels == label].mean(axis=0) for label in labels])
        gaps = ((X - mean) ** 2).sum(axis=1)
        connectivity = sum(
            weights[r]
            for i in range(n)
            for r in range(width)
            if neighbors[i, r] >= 0 and labels[neighbors[i, r]] != labels[i]
        )
        expected = gaps.mean(), np.sqrt(gaps).sum(), connectivity
        for k in range(3):
            if asked[k]:
                assert out[q, k] == pytest.approx(expected[k], rel=1e-12)
