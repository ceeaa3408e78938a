"""Spectral cuts against eigenvectors of the whole matrix and k-means with the same seeds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_info, threadpool_limits

from moo_clustering.graphs import embedding, self_tuning_graph, spectral, spectral_cuts


def blobs(seed, n_blobs=5, size=30, spread=8.0):
    rng = np.random.default_rng(seed)
    centres = spread * rng.normal(size=(n_blobs, 3))
    return np.repeat(centres, size, axis=0) + rng.normal(size=(n_blobs * size, 3))


def naive_cut(S, k, seed, n_init=3):
    degree = S.sum(axis=1)
    B = np.array([[S[i, j] / np.sqrt(degree[i] * degree[j]) for j in range(len(S))] for i in range(len(S))])
    values, vectors = np.linalg.eigh(B)
    rows = vectors[:, np.argsort(-values)[:k]]
    rows = rows / np.sqrt((rows**2).sum(axis=1))[:, None]
    return KMeans(k, n_init=n_init, random_state=seed).fit_predict(rows)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_matrix])
def test_naive_twin(form):
    S = self_tuning_graph(blobs(0)).toarray()
    ks = [2, 7, 5, 12]
    labels = spectral_cuts(form(S), ks, rng=np.random.default_rng(4))
    seeds = np.random.default_rng(4).integers(2**31 - 1, size=len(ks))
    assert labels.dtype == np.int32
    for row, k, seed in zip(labels, ks, seeds, strict=True):
        assert adjusted_rand_score(row, naive_cut(S, k, int(seed))) == 1.0
        # By first appearance.
        assert_array_equal(np.unique(row[np.sort(np.unique(row, return_index=True)[1])]), np.arange(k))
        assert (np.maximum.accumulate(row)[1:] + 1 >= row[1:]).all()
        assert row[0] == 0


def test_path_of_six_by_hand():
    # The second vector of a path changes its sign in the middle.
    S = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    labels = spectral_cuts(S, [2, 1, 6, 9], rng=np.random.default_rng(0))
    assert_array_equal(labels, [[0, 0, 0, 1, 1, 1], [0] * 6, range(6), range(6)])


def test_blocks_of_a_coassociation_matrix():
    # The diagonal counts: three partitions of seven samples, two of them alike.
    H = np.array([[0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2]])
    S = np.mean([np.equal.outer(h, h) for h in H], axis=0)
    assert_array_equal(spectral_cuts(S, [3], rng=np.random.default_rng(0))[0], [0, 0, 0, 1, 1, 2, 2])


def test_components_are_found_exactly():
    S = sp.block_diag([np.ones((4, 4)), np.ones((6, 6)), np.ones((2, 2))], format="csr")
    labels = spectral_cuts(S, [3], rng=np.random.default_rng(0))[0]
    assert_array_equal(labels, np.repeat([0, 1, 2], [4, 6, 2]))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_isolated_samples_take_no_eigenvector(form):
    S = np.zeros((9, 9))
    S[1:4, 1:4] = S[5:9, 5:9] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = spectral_cuts(form(S), [2, 8, 9], rng=np.random.default_rng(0))
    assert len(set(labels[0, 1:4])) == len(set(labels[0, 5:9])) == 1
    assert labels[0, 1] != labels[0, 5]
    assert labels[0, 0] == labels[0, 4]
    assert_array_equal(labels[2], np.arange(9))


def test_no_similarity_at_all():
    assert_array_equal(spectral_cuts(np.zeros((4, 4)), [2], rng=np.random.default_rng(0)), [[0] * 4])
    assert_array_equal(spectral_cuts(sp.csr_array((1, 1)), [1, 2], rng=np.random.default_rng(0)), [[0], [0]])


@pytest.mark.slow
def test_large_sparse_graphs(monkeypatch):
    X = blobs(3, n_blobs=8, size=260, spread=20.0)
    S = self_tuning_graph(X)
    truth = np.repeat(np.arange(8), 260)
    assert len(X) > spectral.DENSE_UP_TO
    rng = np.random.default_rng
    lanczos = spectral_cuts(S, [8, 3], rng=rng(0))
    assert_array_equal(lanczos, spectral_cuts(S, [8, 3], rng=rng(0)))
    assert adjusted_rand_score(truth, lanczos[0]) == 1.0
    monkeypatch.setattr(embedding, "DENSE_UP_TO", 10**6)
    dense = spectral_cuts(S, [8, 3], rng=rng(0))
    assert adjusted_rand_score(dense[1], lanczos[1]) > 0.99


def test_one_decomposition_for_all(monkeypatch):
    calls = []
    solve = spectral.eigh
    monkeypatch.setattr(spectral, "eigh", lambda *a, **o: calls.append(o) or solve(*a, **o))
    spectral_cuts(self_tuning_graph(blobs(1)), range(1, 12), rng=np.random.default_rng(0))
    assert len(calls) == 1
    assert calls[0]["subset_by_index"] == [150 - 11, 149]


def test_one_thread_whatever_is_allowed(monkeypatch):
    seen = []
    for owner, name in ((spectral, "eigh"), (KMeans, "fit_predict")):
        call = getattr(owner, name)

        def watched(*args, call=call, **options):
            seen.extend(pool["num_threads"] for pool in threadpool_info())
            return call(*args, **options)

        monkeypatch.setattr(owner, name, watched)
    with threadpool_limits(limits=2):
        allowed = [pool["num_threads"] for pool in threadpool_info()]
        spectral_cuts(self_tuning_graph(blobs(1)), [2], rng=np.random.default_rng(0))
    assert len(seen) == 2 * len(allowed) > 0
    assert set(seen) == {1}
    assert max(allowed) == 2


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_threads_repeats_and_input_left_alone(form):
    S = form(self_tuning_graph(blobs(2, size=120, spread=2.0)).toarray())
    before = S.copy()
    results = []
    for limit in (1, 2):
        with threadpool_limits(limits=limit):
            results.append(spectral_cuts(S, range(2, 10), rng=np.random.default_rng(0)))
    assert_array_equal(*results)
    assert abs(S - before).max() == 0.0


@pytest.mark.parametrize(
    ("S", "ks", "options", "message"),
    [
        (np.ones((3, 2)), [2], {}, "square"),
        (np.ones(3), [2], {}, "square"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), [2], {}, "symmetric"),
        (sp.csr_array([[0.0, 1.0], [2.0, 0.0]]), [2], {}, "symmetric"),
        (-np.ones((3, 3)), [2], {}, "negative"),
        (np.full((3, 3), np.nan), [2], {}, "finite"),
        (np.ones((3, 3)), [2, 0], {}, "ks"),
        (np.ones((3, 3)), [1.5], {}, "ks"),
        (np.ones((3, 3)), [2], {"n_init": 0}, "n_init"),
    ],
)
def test_bad_input(S, ks, options, message):
    with pytest.raises(ValueError, match=message):
        spectral_cuts(S, ks, rng=np.random.default_rng(0), **options)
