"""Kernels of subspace clustering against plain NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from moo_clustering._kernels import (
    subspace as subspace_features,
)
from moo_clustering._kernels import (
    subspace as subspace_memberships,
)
from moo_clustering._kernels import (
    subspace as subspace_products,
)

RNG = np.random.default_rng(3)
DENSE = np.where(RNG.random((23, 17)) < 0.4, RNG.normal(size=(23, 17)), 0.0)
PRESENT = (DENSE != 0) * 1.0


def compressed(dense, dtype, binary=False):
    matrix = csr_array(dense)
    values = np.zeros(0, dtype) if binary else matrix.data.astype(dtype)
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), values


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products(dtype):
    tol = {"rtol": 1e-6, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    panel = RNG.normal(size=(17, 10)).astype(dtype)
    out, rows = np.empty((15, 10)), RNG.permutation(23)[:15]
    room = rows, 17, np.empty_like(rows)
    subspace_products.multiply_rows(*compressed(DENSE, dtype), panel, *room, out)
    assert_allclose(out, DENSE[rows] @ panel, **tol)
    subspace_products.multiply_rows(*compressed(PRESENT, dtype, True), panel, *room, out)
    assert_allclose(out, PRESENT[rows] @ panel, **tol)
    half = np.empty((15, 5))
    subspace_products.quadratic_rows(*compressed(DENSE, dtype), panel, 5, 5, 20, half)
    assert_allclose(half, DENSE[5:20] @ panel[:, :5] + DENSE[5:20] ** 2 @ panel[:, 5:], **tol)
    moments = np.empty((15, 15))
    subspace_products.feature_moments(*compressed(DENSE, dtype), panel, 5, rows, moments)
    expected = [DENSE[rows] @ panel[:, :5], PRESENT[rows] @ panel[:, 5:], DENSE[rows] ** 2 @ panel[:, :5]]
    assert_allclose(moments, np.hstack(expected), **tol)


@pytest.mark.parametrize("height", [1, 3, 8, 40])
def test_sums_in_tiles_are_sums_of_whole_rows_to_the_last_digit(height):
    panel, rows, found = RNG.normal(size=(17, 10)), RNG.permutation(23), []
    for size in (height, 17):
        found.append(np.full((23, 10), 9.0))
        room = rows, size, np.empty_like(rows), found[-1]
        subspace_products.multiply_rows(*compressed(PRESENT, np.float64, True), panel, *room)
    assert_array_equal(*found)


@pytest.mark.parametrize("binary", [True, False])
def test_label_moments(binary):
    X = PRESENT if binary else DENSE
    labels = RNG.integers(0, 3, 17).astype(np.int32)
    sums, squares = np.full((23, 3), 9.0), np.full((23, 3), 9.0)
    subspace_products.label_moments(*compressed(X, np.float64, binary), labels, 0, 23, sums, squares)
    owners = labels[:, None] == np.arange(3)
    assert_allclose(sums, X @ owners, atol=1e-12)
    assert_allclose(squares, X**2 @ owners, atol=1e-12)


@pytest.mark.parametrize("fuzziness", [1.5, 2.0, 1.23])
def test_fuzzy_panel(fuzziness):
    W = RNG.dirichlet(np.ones(4), size=12)
    W[0] = [1.0, 0.0, 0.0, 0.0]
    panel, masses, sizes = np.zeros((12, 8)), np.empty(4), np.empty(4)
    subspace_memberships.fuzzy_panel(W, fuzziness, 2, 12, panel, masses, sizes)
    subspace_memberships.fuzzy_panel(W, fuzziness, 0, 2, panel, np.empty(4), np.empty(4))
    assert_allclose(panel, np.hstack([W**fuzziness, W]), rtol=1e-14)
    assert_allclose(masses, (W[2:] ** fuzziness).sum(axis=0))
    assert_allclose(sizes, W[2:].sum(axis=0))


def test_finish_distances():
    products = np.array([[-1.0, 2.0], [-1.0 + 1e-15, -3.0]])
    subspace_memberships.finish_distances(np.array([1.0, 2.0]), np.array([10.0, 0.5]), 1e-14, products)
    assert_array_equal(products, [[0.0, 2.0], [0.0, 0.0]])


def test_update_rows():
    d = RNG.random((9, 4)) * 10.0 ** RNG.integers(-200, 100, (9, 4))
    d[3] = [0.0, 1.0, 0.0, 2.0]
    d[4] = 0.0
    blame, f = 1 + RNG.random(4), 1.3
    old, out, losses = RNG.dirichlet(np.ones(4), size=9), np.empty((9, 4)), np.empty(2)
    power = 1 / (f - 1)
    subspace_memberships.update_rows(d, blame, blame, power, f, old, 0, 9, np.empty(4), out, losses)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = -np.log(d * blame) * power
        expected = np.exp(logs - logs.max(axis=1, keepdims=True))
        expected /= expected.sum(axis=1, keepdims=True)
    expected[3], expected[4] = [0.5, 0.0, 0.5, 0.0], 0.25
    assert_allclose(out, expected, rtol=1e-10, atol=1e-300)
    assert_allclose(losses, [(expected**f * d * blame).sum(), abs(expected - old).max()])
    again = np.empty((9, 4))
    subspace_memberships.soften_rows(d, blame, power, 0, 9, np.empty(4), again)
    assert_array_equal(again, out)


@pytest.mark.parametrize("binary", [True, False])
def test_weight_panel(binary):
    Z, logs, shift = RNG.random((6, 3)), RNG.normal(size=(6, 3)), RNG.random(6)
    logs[2] = -np.inf
    tops = logs.max(axis=0)
    panel, constants = np.zeros((6, 3 if binary else 6)), np.empty(3)
    subspace_features.weight_panel(Z, logs, tops, 3.0, shift, binary, 0, 6, panel, constants)
    g, moved = np.exp(3 * (logs - tops)), Z - shift[:, None]
    assert_allclose(constants, (g * moved**2).sum(axis=0))
    assert_allclose(panel, g * (1 - 2 * moved) if binary else np.hstack([-2 * g * moved, g]))


@pytest.mark.parametrize("binary", [True, False])
def test_weigh_features(binary):
    n, m, k = 30, 8, 3
    X = (RNG.random((n, m)) < 0.4).astype(float)
    X[:, 2] = 1.0
    if not binary:
        X[:, 3:] *= RNG.normal(size=(n, 5))
    W = RNG.dirichlet(np.ones(k), size=n)
    W[:, 1] = 0.0
    panel = W**1.5
    sums = np.hstack([X.T @ panel, (X != 0).T @ W, (X**2).T @ panel])
    masses, sizes = panel.sum(axis=0), W.sum(axis=0)
    found, old, imp = (X != 0).sum(axis=0).astype(float), RNG.random((m, k)), RNG.random(k)
    varying, shift, power = np.ptp(X, axis=0) > 0, RNG.random(m), 0.25
    centers, logs = np.empty((m, k)), np.empty((m, k))
    least, totals, chi_totals = np.empty(k), np.empty(k), np.empty(k)
    subspace_features.weigh_features(
        sums[:, : (2 if binary else 3) * k].copy(), binary, masses, sizes, sizes * (n - sizes), 1 + imp,
        found, varying, shift, old, n, 30.0, 0.5, 1e-6, power, np.arange(m), centers, logs, least, totals,
        chi_totals,
    )  # fmt: skip
    Z = np.where(masses > 0, sums[:, :k] / np.where(masses > 0, masses, 1), old)
    assert_allclose(centers, np.where(masses > 0, Z + shift[:, None], old))
    D = np.einsum("jl,jil->il", panel, (X[:, :, None] - Z) ** 2)
    below = sizes * (n - sizes) * (found * (n - found))[:, None]
    difference = n * sums[:, k : 2 * k] - sizes * found[:, None]
    chi = np.where(below > 0, 30 * difference**2 / np.where(below > 0, below, 1), 0)
    M = np.maximum(D * (1 + imp) + 0.5 * chi, 1e-6)
    assert_allclose(logs[varying], -power * np.log(M[varying]), rtol=1e-10, atol=1e-12)
    assert_array_equal(logs[~varying], -np.inf)
    smallest = M[varying].min(axis=0)
    assert_allclose(least, smallest)
    relative = (M[varying] / smallest) ** -power
    assert_allclose(totals, relative.sum(axis=0))
    assert_allclose(chi_totals, (relative**5 * chi[varying]).sum(axis=0))
