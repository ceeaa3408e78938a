"""Eigenvectors of graph Laplacians: worked example, and agreement of the solvers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

from moo_clustering.graphs import (
    bridge_components,
    eigengap,
    embedding,
    knn_graph,
    laplacian,
    neighbor_lists,
    spectral_embedding,
)

# The paper's population of three members, ES2, in units of 1/45.
WORKED = (
    np.array([[0, 33, 0, 0, 0], [33, 0, 10, 0, 0], [0, 10, 0, 33, 22], [0, 0, 33, 0, 23], [0, 0, 22, 23, 0]])
    / 45
)
FIEDLER = [0.608762, 0.477921, -0.292829, -0.388306, -0.405549]


def rng(seed=0) -> np.random.Generator:
    return np.random.default_rng(seed)


def blobs(n_samples, n_features=2, n_blobs=4, spread=3.0, seed=0):
    generator = rng(seed)
    y = generator.integers(0, n_blobs, n_samples)
    X = generator.normal(size=(n_blobs, n_features))[y] * spread + generator.normal(
        size=(n_samples, n_features)
    )
    return X, y


def graph_of(X, width=8):
    return bridge_components(knn_graph(neighbor_lists(X, width, rng=rng())), X, rng=rng())


def subspace_error(U, V):
    """Largest sine of an angle between two column spaces."""
    U, V = np.linalg.qr(U)[0], np.linalg.qr(V)[0]
    return np.linalg.norm(U - V @ (V.T @ U), 2)


def test_worked_eigenvalues():
    values, vectors = spectral_embedding(WORKED, 5, laplacian="unnormalized", rng=rng())
    np.testing.assert_allclose(values, [0, 0.1576152, 1.4885490, 1.6077315, 2.1238820], atol=1e-7)
    np.testing.assert_allclose(vectors[:, 1], FIEDLER, atol=1e-6)
    values, _ = spectral_embedding(WORKED, 2, n_eigenvalues=5, rng=rng())
    np.testing.assert_allclose(values, [0, 0.1682591, 1.3844006, 1.5384413, 1.9088991], atol=1e-7)


def test_rows_are_scaled_for_sym_only():
    _, sym = spectral_embedding(WORKED, 2, laplacian="sym", rng=rng())
    np.testing.assert_allclose(np.linalg.norm(sym, axis=1), 1.0)
    values, rw = spectral_embedding(WORKED, 2, laplacian="rw", rng=rng())
    # Generalised eigenvectors of L u = lambda D u; the first is constant.
    D = np.diag(WORKED.sum(axis=1))
    np.testing.assert_allclose((D - WORKED) @ rw, D @ rw * values, atol=1e-12)
    np.testing.assert_allclose(rw[:, 0], rw[0, 0])
    directions = rw / np.linalg.norm(rw, axis=1, keepdims=True)
    np.testing.assert_allclose(sym, directions)


def test_samples_without_edges_are_null_vectors_of_their_own():
    S = sp.block_diag([WORKED, np.zeros((1, 1))]).tocsr()
    for kind in ("sym", "unnormalized"):
        values, vectors = spectral_embedding(S, 3, laplacian=kind, rng=rng())
        np.testing.assert_allclose(values[:2], 0, atol=1e-12)
        assert values[2] > 0.1
        assert np.isfinite(vectors).all()
    # Not among the first vectors: the row is zero and stays so.
    _, one = spectral_embedding(S, 1, laplacian="rw", rng=rng())
    assert one[5, 0] == 0


def test_signs_are_fixed():
    for seed in range(3):
        X, _ = blobs(1600, seed=seed)
        _, vectors = spectral_embedding(graph_of(X), 4, laplacian="unnormalized", rng=rng(seed))
        largest = np.abs(vectors).argmax(axis=0)
        assert (vectors[largest, np.arange(4)] > 0).all()


@pytest.mark.parametrize("laplacian_kind", ["rw", "unnormalized"])
@pytest.mark.parametrize("solver", ["arpack", "lobpcg"])
@pytest.mark.parametrize("n_features", [2, 10])
def test_solvers_agree_on_the_subspace(laplacian_kind, solver, n_features):
    X, _ = blobs(700, n_features, spread=2.0)
    S = graph_of(X)
    options = {"laplacian": laplacian_kind, "rng": rng()}
    values, vectors = spectral_embedding(S, 4, eigen_solver="dense", n_eigenvalues=5, **options)
    found, U = spectral_embedding(S, 4, eigen_solver=solver, **options)
    np.testing.assert_allclose(found, values[:4], atol=2e-3 * values[4])
    assert subspace_error(U, vectors) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sym", "unnormalized"])
def test_large_graph_lanczos_forward_and_inverse_agree(kind):
    X, _ = blobs(20_000, 3, n_blobs=6, spread=4.0, seed=3)
    S = knn_graph(neighbor_lists(X, 10, rng=rng()))
    L = laplacian(S, kind)
    degree = np.asarray(S.sum(axis=1))
    scale = 1.0 if kind == "sym" else float(degree.max())
    strength = np.ones(20_000) if kind != "sym" else 1 / np.sqrt(degree)
    parts = embedding.weakly_tied_parts(S, strength, scale, None)
    known = embedding.part_basis(L, parts, np.sqrt(degree) if kind == "sym" else strength, scale)
    found = [embedding.lanczos_pairs(L, 6, scale, known, rng(s), factorize=bool(s)) for s in (0, 1)]
    for values, vectors in found:
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-8)
        assert (embedding.residuals(L, values, vectors) <= 2e-4 * scale).all()
    assert subspace_error(found[0][1], found[1][1]) < 0.1


def test_ties_are_weak_beside_the_degrees():
    # Two cliques; the unit of the similarities says nothing under the normalised Laplacian.
    S = np.kron(np.eye(2), np.ones((60, 60)) - np.eye(60))
    S[0, 60] = S[60, 0] = 1e-3
    for unit in (1.0, 1e-6, 1e6):
        degree = unit * S.sum(axis=1)
        parts = embedding.weakly_tied_parts(sp.csr_array(unit * S), 1 / np.sqrt(degree), 1.0, None)
        np.testing.assert_array_equal(parts, np.repeat([0, 1], 60))


@pytest.mark.slow
def test_many_eigenvalues_near_zero_are_all_found():
    # Twelve far blobs: a single Lanczos run finds some of the twelve near-null vectors only.
    X, y = blobs(3000, 3, n_blobs=12, spread=300.0, seed=1)
    S = graph_of(X)
    for solver in ("auto", "arpack", "lobpcg"):
        for kind in ("rw", "unnormalized"):
            values, vectors = spectral_embedding(
                S, 12, laplacian=kind, eigen_solver=solver, n_eigenvalues=13, rng=rng()
            )
            assert values[11] < 1e-3 * values[12]
            # Constant within every blob.
            for blob in range(12):
                assert np.ptp(vectors[y == blob], axis=0).max() < 0.01 * np.abs(vectors).max()


def test_exactly_disconnected_graphs_too():
    S = sp.block_diag([graph_of(rng(s).random((400, 2))) for s in range(5)]).tocsr()
    values, vectors = spectral_embedding(S, 5, laplacian="unnormalized", n_eigenvalues=6, rng=rng())
    np.testing.assert_allclose(values[:5], 0, atol=1e-10)
    assert values[5] > 1e-4
    indicators = np.kron(np.eye(5), np.ones((400, 1)))
    assert subspace_error(vectors, indicators) < 1e-6


def test_long_chain_is_resolved():
    # Eigenvalues 2 - 2 cos(pi k / n) of a path lie 1e-6 apart.
    n = 3000
    S = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()
    values, vectors = spectral_embedding(S, 3, laplacian="unnormalized", rng=rng())
    np.testing.assert_allclose(values, 2 - 2 * np.cos(np.pi * np.arange(3) / n), atol=1e-10)
    assert np.count_nonzero(np.diff(np.sign(vectors[:, 1]))) == 1


@pytest.mark.parametrize("solver", ["auto", "lobpcg"])
def test_very_many_weakly_tied_parts(solver):
    # 1600 rings of 20 in a chain: the first eigenvectors are those of a path of rings.
    n_rings, size, tie = 1600, 20, 1e-6
    ring = sp.diags_array([1.0, 1.0, 1.0, 1.0], offsets=[-size + 1, -1, 1, size - 1], shape=(size, size))
    ends = np.arange(n_rings - 1) * size
    ties = sp.coo_array((np.full(len(ends), tie), (ends, ends + size)), shape=(n_rings * size,) * 2)
    S = (sp.block_diag([ring] * n_rings) + ties + ties.T).tocsr()
    values, _ = spectral_embedding(S, 3, laplacian="unnormalized", eigen_solver=solver, rng=rng())
    expected = tie / size * (2 - 2 * np.cos(np.pi * np.arange(3) / n_rings))
    atol = 1e-3 * expected[1] if solver == "auto" else 1e-6
    np.testing.assert_allclose(values, expected, atol=atol)


def test_breakdown_of_lobpcg_falls_back(monkeypatch):
    X, _ = blobs(600, spread=2.0)
    S = graph_of(X)

    def broken(*args, **kwargs):
        raise np.linalg.LinAlgError("singular")

    expected, _ = spectral_embedding(S, 3, laplacian="rw", eigen_solver="dense", rng=rng())
    monkeypatch.setattr(embedding, "lobpcg", broken)
    found, _ = spectral_embedding(S, 3, laplacian="rw", eigen_solver="lobpcg", rng=rng())
    np.testing.assert_allclose(found, expected, atol=1e-5)
    monkeypatch.setattr(embedding, "lobpcg", lambda L, block, **k: (None, block * np.nan))
    found, _ = spectral_embedding(S, 3, laplacian="rw", eigen_solver="lobpcg", rng=rng())
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_lanczos_without_convergence_falls_back(monkeypatch):
    from scipy.sparse.linalg import ArpackNoConvergence

    def hopeless(*args, **kwargs):
        raise ArpackNoConvergence("no", np.empty(0), np.empty((600, 0)))

    S = graph_of(blobs(600, 6, spread=2.0)[0], width=20)
    expected, _ = spectral_embedding(S, 4, laplacian="rw", eigen_solver="dense", rng=rng())
    monkeypatch.setattr(embedding, "eigsh", hopeless)
    found, vectors = spectral_embedding(S, 4, laplacian="rw", eigen_solver="arpack", rng=rng())
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_power_iteration_is_rough_but_right_on_clear_clusters():
    X, y = blobs(800, 8, spread=4.0)
    values, vectors = spectral_embedding(graph_of(X, 12), 4, laplacian="rw", eigen_solver="pic", rng=rng())
    centres = np.stack([vectors[y == b].mean(axis=0) for b in range(4)])
    nearest = ((vectors[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == y).mean() > 0.99
    assert values[0] < 1e-10


def test_same_seed_same_vectors():
    S = graph_of(blobs(1700, 5)[0])
    one, two = (spectral_embedding(S, 4, rng=rng(3))[1] for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_eigengap():
    X, _ = blobs(300, 2, n_blobs=3, spread=40.0, seed=5)
    S = graph_of(X)
    values = eigh(laplacian(S, "sym").toarray(), eigvals_only=True)
    assert eigengap(S, 3, rng=rng()) == pytest.approx(values[3] - values[2])
    assert eigengap(S, 3, rng=rng()) > 5 * eigengap(S, 5, rng=rng())
    assert eigengap(WORKED, 5, rng=rng()) == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_components": 6}, "n_components=6"),
        ({"n_components": 0}, "n_components=0"),
        ({"n_components": 3, "n_eigenvalues": 2}, "n_eigenvalues=2"),
        ({"n_components": 1, "laplacian": "signless"}, "laplacian must be"),
        ({"n_components": 1, "eigen_solver": "amg"}, "eigen_solver must be"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        spectral_embedding(WORKED, rng=rng(), **arguments)
