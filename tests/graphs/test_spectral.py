"""Spectral partitions, cuts of one graph into several numbers of clusters, and the ratio cut."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_info, threadpool_limits

from moo_clustering.graphs import (
    knn_graph,
    neighbor_lists,
    ratio_cut,
    self_tuning_graph,
    spectral,
    spectral_cuts,
    spectral_partition,
)

WORKED = np.zeros((5, 5))
for (i, j), value in {
    (0, 1): 33, (1, 0): 23, (1, 2): 10, (2, 3): 11, (2, 4): 22, (3, 2): 33, (4, 2): 10, (4, 3): 23,
}.items():  # fmt: skip
    WORKED[i, j] = value / 45


def rng(seed=0) -> np.random.Generator:
    return np.random.default_rng(seed)


def three_blobs(n=30, seed=0):
    X = np.vstack(
        [rng(seed + s).normal(size=(n, 2)) + centre for s, centre in enumerate([[0, 0], [90, 0], [0, 200]])]
    )
    return X, knn_graph(neighbor_lists(X, 5, rng=rng()))


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized", "rw"])
def test_worked_labels(laplacian):
    result = spectral_partition(WORKED, 2, laplacian=laplacian, rng=rng())
    assert result.labels.tolist() == [0, 0, 1, 1, 1]
    assert result.labels.dtype == np.int32
    assert result.n_components == 1
    assert result.embedding.shape == (5, 2)
    assert result.eigenvalues.shape == (3,)
    np.testing.assert_array_equal(result.similarity.toarray(), np.maximum(WORKED, WORKED.T))


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized", "rw"])
@pytest.mark.parametrize("bridge", [True, False])
def test_three_far_blobs(laplacian, bridge):
    X, S = three_blobs()
    result = spectral_partition(S, 3, laplacian=laplacian, bridge=bridge, X=X, rng=rng())
    np.testing.assert_array_equal(result.labels, np.repeat([0, 1, 2], 30))
    assert result.n_components == 3


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized", "rw"])
@pytest.mark.parametrize("precomputed", [False, True])
def test_three_far_blobs_in_two_clusters(laplacian, precomputed):
    X, S = three_blobs()
    given, metric = (cdist(X, X), "precomputed") if precomputed else (X, "euclidean")
    one, again = (
        spectral_partition(S, 2, laplacian=laplacian, X=given, metric=metric, rng=rng()).labels
        for _ in range(2)
    )
    np.testing.assert_array_equal(one, again)
    # The bridges go from the first blob to the other two, which therefore do not stay together.
    kept = one.reshape(3, 30)
    assert (kept == kept[:, :1]).all()
    assert kept[1, 0] != kept[2, 0]


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
def test_isolated_sample(laplacian):
    X, _ = three_blobs()
    X = np.vstack([X, [[-30.0, -30.0]]])
    S = sp.block_diag([three_blobs()[1], sp.csr_array((1, 1))]).tocsr()
    result = spectral_partition(S, 3, laplacian=laplacian, X=X, rng=rng())
    assert result.n_components == 4
    np.testing.assert_array_equal(result.labels[:90], np.repeat([0, 1, 2], 30))
    # Nearest blob: the first.
    assert result.labels[90] == 0
    assert (np.diff(result.similarity.indptr) > 0).all()


def test_more_components_than_clusters_without_bridges_warns():
    X, S = three_blobs()
    with pytest.warns(UserWarning, match="3 components, more than n_clusters=2"):
        labels = spectral_partition(S, 2, bridge=False, rng=rng()).labels
    assert labels.shape == (90,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spectral_partition(S, 2, X=X, rng=rng())
        spectral_partition(S, 4, bridge=False, rng=rng())


def test_bridging_needs_the_data():
    with pytest.raises(ValueError, match="3 components, and bridge=True requires X"):
        spectral_partition(three_blobs()[1], 3, rng=rng())


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
def test_one_cluster_and_every_sample_on_its_own(laplacian):
    assert spectral_partition(WORKED, 1, laplacian=laplacian, rng=rng()).labels.tolist() == [0] * 5
    assert spectral_partition(WORKED, 5, laplacian=laplacian, rng=rng()).labels.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_clusters", [0, 6])
def test_number_of_clusters_out_of_range(n_clusters):
    with pytest.raises(ValueError, match="n_clusters must be an integer from 1 to 5, the number of samples"):
        spectral_partition(WORKED, n_clusters, rng=rng())


def test_two_samples():
    S = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert spectral_partition(S, 2, rng=rng()).labels.tolist() == [0, 1]
    assert spectral_partition(S, 1, rng=rng()).labels.tolist() == [0, 0]
    apart = spectral_partition(np.zeros((2, 2)), 2, X=[[0.0], [1.0]], rng=rng())
    assert (apart.labels.tolist(), apart.n_components) == ([0, 1], 2)


def test_same_seed_same_labels():
    X = rng(4).normal(size=(300, 2))
    S = knn_graph(neighbor_lists(X, 6, rng=rng()))
    one, two = (spectral_partition(S, 5, X=X, rng=rng(9)).labels for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_large_data_is_assigned_to_centres_fitted_on_a_part(monkeypatch):
    X, S = three_blobs(n=80)
    monkeypatch.setattr(spectral, "FITTED_IN_FULL", 100)
    monkeypatch.setattr(spectral, "FITTED_SAMPLE", 60)
    labels = spectral_partition(S, 3, X=X, rng=rng()).labels
    np.testing.assert_array_equal(labels, np.repeat([0, 1, 2], 80))


@pytest.mark.slow
@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
def test_twenty_thousand_samples_in_bridged_blobs(laplacian):
    generator = rng(2)
    y = np.repeat(np.arange(8), 2500)
    X = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1]), axis=-1).reshape(8, 3)[y] * 100.0
    X += generator.random(X.shape)
    lists = neighbor_lists(X, 10, rng=generator)
    result = spectral_partition(knn_graph(lists), 8, laplacian=laplacian, X=X, lists=lists, rng=rng())
    assert result.n_components >= 8
    np.testing.assert_array_equal(result.labels, y)


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
    seeds = np.random.default_rng(4).integers(2**31 - 1, size=max(ks) + 1)[ks]
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
    dense = spectral_cuts(S.toarray(), [8, 3], rng=rng(0))
    assert adjusted_rand_score(dense[1], lanczos[1]) > 0.99


@pytest.mark.parametrize("spread", [2.0, 40.0])
def test_graphs_of_few_neighbours_as_dense_matrices(spread):
    # Groups far apart are components, whose eigenvalues are equal.
    S = self_tuning_graph(blobs(6, size=110, spread=spread))
    ks = [5, 6, 12]
    sparse, dense = (spectral_cuts(form, ks, rng=np.random.default_rng(0)) for form in (S, S.toarray()))
    for one, other in zip(sparse, dense, strict=True):
        assert adjusted_rand_score(one, other) > 0.99


def test_one_decomposition_for_all(monkeypatch):
    calls = []
    solve = spectral.eigh
    monkeypatch.setattr(spectral, "eigh", lambda *a, **o: calls.append(o) or solve(*a, **o))
    spectral_cuts(self_tuning_graph(blobs(1)), range(1, 12), rng=np.random.default_rng(0))
    assert len(calls) == 1
    assert calls[0]["subset_by_index"] == [150 - 11, 149]


def test_one_thread_whatever_is_allowed(monkeypatch):
    seen = []
    call = spectral.eigh

    def watched(*args, **options):
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return call(*args, **options)

    monkeypatch.setattr(spectral, "eigh", watched)
    with threadpool_limits(limits=2):
        allowed = [pool["num_threads"] for pool in threadpool_info()]
        spectral_cuts(self_tuning_graph(blobs(1)), [2], rng=np.random.default_rng(0))
    assert len(seen) == len(allowed) > 0
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
        (np.ones(3), [2], {}, "2D array"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), [2], {}, "symmetric"),
        (sp.csr_array([[0.0, 1.0], [2.0, 0.0]]), [2], {}, "symmetric"),
        (-np.ones((3, 3)), [2], {}, "negative"),
        (np.full((3, 3), np.nan), [2], {}, "S contains NaN"),
        (np.ones((3, 3)), [2, 0], {}, "ks"),
        (np.ones((3, 3)), [1.5], {}, "ks"),
        (np.ones((3, 3)), [2], {"n_init": 0}, "n_init"),
    ],
)
def test_bad_input(S, ks, options, message):
    with pytest.raises(ValueError, match=message):
        spectral_cuts(S, ks, rng=np.random.default_rng(0), **options)


@pytest.fixture
def chain():
    W = np.zeros((5, 5))
    for i, j, w in [(0, 1, 1.0), (0, 2, 0.5), (1, 2, 0.5), (2, 3, 0.2), (3, 4, 1.0)]:
        W[i, j] = W[j, i] = w
    return W


def test_by_hand(chain):
    labels = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]]
    expected = [0.2 / 3 + 0.2 / 2, 1.0 / 2 + 1.0 / 3, 1.5 + 1.5 / 4, 0.0]
    np.testing.assert_allclose(ratio_cut(chain, labels), expected, rtol=1e-12)
    np.testing.assert_allclose(expected[:3], [1 / 6, 5 / 6, 1.875], rtol=1e-12)
    np.testing.assert_allclose(ratio_cut(sp.csr_array(chain), labels[0]), [1 / 6], rtol=1e-12)


def test_one_triangle_is_as_good_as_both(chain):
    labels = [[0, 1, 1, 2, 2]]
    np.testing.assert_array_equal(ratio_cut(np.triu(chain), labels), ratio_cut(chain, labels))


def naive(W, labels):
    total = 0.0
    for c in np.unique(labels):
        inside = labels == c
        total += W[np.ix_(inside, ~inside)].sum() / inside.sum()
    return total


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_is_the_sum_over_clusters(n_samples, n_clusters, seed):
    rng = np.random.default_rng(seed)
    W = rng.random((n_samples, n_samples)) * (rng.random((n_samples, n_samples)) < 0.5)
    W = np.maximum(W, W.T)
    labels = rng.integers(0, n_clusters, (4, n_samples))  # some numbers may be left out
    np.testing.assert_allclose(ratio_cut(W, labels), [naive(W, row) for row in labels], atol=1e-12)


def test_chunks_change_nothing(chain, monkeypatch):
    labels = np.random.default_rng(0).integers(0, 3, (40, 5))
    whole = ratio_cut(chain, labels)
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 25)
    np.testing.assert_array_equal(ratio_cut(chain, labels), whole)


@pytest.mark.parametrize(
    "labels", [[0, 1], [[0, 0, 0, -1, 0]], [[0.0, 0, 0, 0, 0]], np.zeros((1, 1, 5), int)]
)
def test_bad_labels(chain, labels):
    with pytest.raises(ValueError, match="labels must"):
        ratio_cut(chain, labels)


@pytest.mark.parametrize("n_parts", [3, 12])
def test_large_dense_matrices_have_the_partitions_of_the_full_solution(n_parts, monkeypatch):
    """Lanczos where it converges; where many eigenvalues are nearly equal the full solution takes over."""
    rng = np.random.default_rng(0)
    parts = np.sort(rng.integers(n_parts, size=600))
    S = np.where(parts[:, None] == parts, 1.0, 0.0) * rng.uniform(0.5, 1.0, (600, 600))
    S = (S + S.T) / 2 + 1e-9
    quick = spectral_cuts(S, [2, 3, 12], rng=np.random.default_rng(1))
    monkeypatch.setattr("moo_clustering.graphs.spectral._LANCZOS_FROM", 10**6)
    assert_array_equal(quick, spectral_cuts(S, [2, 3, 12], rng=np.random.default_rng(1)))


@pytest.mark.parametrize("laplacian", ["sym", "rw"])
def test_weights_are_numbers_of_copies(laplacian):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(12, 2)), rng.normal(size=(10, 2)) + 3, rng.normal(size=(8, 2)) - 3])
    weight = rng.integers(1, 5, size=30)
    S = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)) * rng.uniform(0.5, 1.0, size=(30, 30))
    found = spectral_partition(S, 3, laplacian=laplacian, sample_weight=weight, rng=np.random.default_rng(0))
    # Every copy divides its similarity to a sample among the copies of this sample.
    copies = np.repeat(np.arange(30), weight)
    repeated = np.where(copies[:, None] == copies, 0.0, (S / weight)[copies][:, copies])
    known = spectral_partition(repeated, 3, laplacian=laplacian, rng=np.random.default_rng(0))
    np.testing.assert_allclose(found.eigenvalues, known.eigenvalues, atol=1e-10)
    np.testing.assert_array_equal(found.labels[copies], known.labels)
    assert (known.labels != np.repeat(np.arange(3), [12, 10, 8])[copies]).any()
    with pytest.raises(ValueError, match=r'laplacian="unnormalized".* use "sym" or "rw"'):
        spectral_partition(S, 3, laplacian="unnormalized", sample_weight=weight, rng=rng)
