"""Eigenvectors of Laplacians by Chebyshev filters, beside SciPy's eigensolvers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from moo_clustering import PESC
from moo_clustering.graphs import (
    embedding,
    knn_graph,
    laplacian,
    neighbor_lists,
    spectral_embedding,
    spectral_partition,
)


def rng(seed=0) -> np.random.Generator:
    return np.random.default_rng(seed)


def graph_of(n_samples=900, n_features=4, width=8, n_blobs=5, spread=2.0, seed=0):
    generator = rng(seed)
    y = generator.integers(0, n_blobs, n_samples)
    X = generator.normal(size=(n_blobs, n_features))[y] * spread + generator.normal(
        size=(n_samples, n_features)
    )
    return knn_graph(neighbor_lists(X, width, rng=rng()))


def filtered(S, k, **options):
    return spectral_embedding(S, k, eigen_solver="chebyshev", rng=rng(1), **options)


def largest_sine(U, V):
    """Largest sine of an angle between two column spaces."""
    U, V = np.linalg.qr(U)[0], np.linalg.qr(V)[0]
    return np.linalg.norm(U - V @ (V.T @ U), 2)


@pytest.mark.parametrize("k", [1, 4, 30])
@pytest.mark.parametrize("kind", ["rw", "unnormalized"])
def test_pairs_are_those_of_scipy(kind, k):
    S = graph_of()
    values, vectors = filtered(S, k, laplacian=kind, n_eigenvalues=k + 1)
    L = laplacian(S, "sym" if kind == "rw" else kind)
    scale = L.diagonal().max()
    expected = eigsh(L + 1e-3 * sp.eye_array(900), k + 1, sigma=0, which="LM")[0] - 1e-3
    np.testing.assert_allclose(values[:k], expected[:k], atol=1e-4 * scale)
    np.testing.assert_allclose(values[k], expected[k], atol=1e-3 * scale)
    U = vectors if kind != "rw" else vectors * np.sqrt(S.sum(axis=1))[:, None]
    U = U / np.linalg.norm(U, axis=0)
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-8)
    assert np.linalg.norm(L @ U - U * values[:k], axis=0).max() <= 1.01e-5 * scale


def test_a_gap_gives_the_subspace_that_a_full_solution_gives():
    S = graph_of(spread=6.0)
    expected = eigh(laplacian(S, "unnormalized").toarray())
    assert expected[0][5] > 20 * expected[0][4]
    values, vectors = filtered(S, 5, laplacian="unnormalized")
    assert largest_sine(vectors, expected[1][:, :5]) < 1e-3
    np.testing.assert_allclose(values, expected[0][:5], atol=1e-6)


def test_components_and_isolated_samples_give_zeros():
    S = sp.block_diag([graph_of(200, seed=s, n_blobs=1) for s in range(6)] + [np.zeros((2, 2))]).tocsr()
    for kind in ("sym", "unnormalized"):
        values, vectors = filtered(S, 8, laplacian=kind, n_eigenvalues=9)
        np.testing.assert_allclose(values[:8], 0, atol=1e-10)
        assert values[8] > 1e-3
        if kind == "unnormalized":
            indicators = np.zeros((len(vectors), 8))
            indicators[np.arange(len(vectors)), np.r_[np.repeat(np.arange(6), 200), 6, 7]] = 1.0
            assert largest_sine(vectors, indicators) < 1e-6


def test_equal_eigenvalues_are_all_found():
    # A torus of 24 x 24: the smallest eigenvalue above 0 is there four times, the next one too.
    ring = sp.diags_array([1.0] * 4, offsets=[-23, -1, 1, 23], shape=(24, 24))
    S = sp.kronsum(ring, ring).tocsr()
    values, _ = filtered(S, 9, laplacian="unnormalized")
    low = 2 - 2 * np.cos(2 * np.pi / 24)
    np.testing.assert_allclose(values, [0, *[low] * 4, *[2 * low] * 4], atol=1e-4)


def test_nothing_is_missed_below_vectors_that_are_known():
    # Parts that are only said to be such: their vectors are no eigenvectors.
    S = graph_of(spread=1.0)
    parts = rng(2).integers(0, 12, 900)
    expected = eigh(laplacian(S, "sym").toarray(), eigvals_only=True)[:6]
    np.testing.assert_allclose(filtered(S, 6, parts=parts)[0], expected, atol=1e-4)


@given(st.integers(12, 60), st.integers(1, 5), st.floats(0.02, 0.6), st.integers(0, 10**6))
def test_any_small_graph(n_samples, k, share, seed):
    upper = sp.triu(sp.random_array((n_samples,) * 2, density=share, rng=rng(seed)), k=1)
    S = (upper + upper.T).tocsr()
    values, vectors = filtered(S, k, laplacian="unnormalized")
    L = laplacian(S, "unnormalized").toarray()
    scale = L.diagonal().max() or 1.0
    np.testing.assert_allclose(values, np.linalg.eigvalsh(L)[:k], atol=1e-3 * scale)
    assert np.linalg.norm(L @ vectors - vectors * values, axis=0).max() <= 1.01e-5 * scale


def test_no_bit_depends_on_threads(monkeypatch):
    from moo_clustering._kernels import threads

    S = graph_of(5000, width=5)
    one = filtered(S, 4)
    # Threads are worth it here, unlike in their other tests.
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 0)
    for n_jobs in (2, 8):
        for found, expected in zip(filtered(S, 4, n_jobs=n_jobs), one, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_large_graphs_are_filtered_by_themselves(monkeypatch):
    S = graph_of(1700, n_features=8)
    monkeypatch.setattr(embedding, "CHEBYSHEV_FROM", 1700)
    monkeypatch.setattr(embedding, "_FACTOR_WORK", 0)
    auto = spectral_embedding(S, 5, rng=rng(1))
    for found, expected in zip(auto, filtered(S, 5), strict=True):
        np.testing.assert_array_equal(found, expected)
    chosen = spectral_partition(S, 5, bridge=False, rng=rng()).labels
    lanczos = spectral_partition(S, 5, bridge=False, eigen_solver="arpack", rng=rng()).labels
    np.testing.assert_array_equal(chosen, lanczos)


def test_the_widest_level_is_counted_from_an_end(monkeypatch):
    # Seen from its middle, sample 0, a path has two samples in every level.
    order = np.r_[np.arange(1, 51), 0, np.arange(51, 101)]
    path = sp.coo_array((np.ones(100), (order[:-1], order[1:])), shape=(101, 101)).tocsr()
    monkeypatch.setattr(embedding, "_FACTOR_WORK", 101)
    assert embedding._factors_well(path + path.T)
    monkeypatch.setattr(embedding, "_FACTOR_WORK", 100)
    assert not embedding._factors_well(path + path.T)


def test_very_unequal_degrees_are_left_to_lanczos(monkeypatch):
    monkeypatch.setattr(embedding, "CHEBYSHEV_FROM", 1600)
    monkeypatch.setattr(embedding, "_FACTOR_WORK", 0)
    S = graph_of(1600, n_features=8)
    S[0] = S[0] * 1000.0
    S = S.maximum(S.T)
    for kind, solver in (("unnormalized", "arpack"), ("rw", "chebyshev")):
        auto = spectral_embedding(S, 3, laplacian=kind, rng=rng())
        other = spectral_embedding(S, 3, laplacian=kind, eigen_solver=solver, rng=rng())
        np.testing.assert_array_equal(auto[1], other[1])


def test_too_few_filters_are_reported(monkeypatch):
    monkeypatch.setattr(embedding, "_MAX_ROUNDS", 1)
    with pytest.warns(UserWarning, match=r"after 1 filters, the largest .* times the tolerance"):
        filtered(graph_of(), 20)


def test_estimators_take_it():
    X = np.vstack([rng(s).normal(size=(40, 3)) + 8 * s for s in range(3)])
    labels = PESC(3, n_gen=2, eigen_solver="chebyshev", random_state=0).fit_predict(X)
    np.testing.assert_array_equal(labels, np.repeat([0, 1, 2], 40))
