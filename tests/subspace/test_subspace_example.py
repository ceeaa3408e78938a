"""The worked example: five documents, four features, two labels, two clusters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, csr_matrix

from moo_clustering._targets import partial_targets
from moo_clustering.subspace import (
    SubspaceData,
    SubspaceOptions,
    chi_square,
    class_shares,
    impurity,
    overall_shares,
    sweep,
    votes,
)

X = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 0]])
Y = np.array([[1, 0], [1, 0], [0, 1], [-1, -1], [1, 1]])
W = np.array([[0.8, 0.7, 0.2, 0.4, 0.5], [0.2, 0.3, 0.8, 0.6, 0.5]]).T
TARGETS = partial_targets(Y, 5)
OPTIONS = SubspaceOptions(fuzziness=1.5, weight_exponent=3.0, chi_weight=0.5, floor=0.0)
CLOSE = {"rtol": 0, "atol": 6e-9}


@pytest.fixture(params=["dense", "array", "matrix", "int8"])
def data(request):
    form = {"dense": np.asarray, "array": csr_array, "matrix": csr_matrix, "int8": np.int8}[request.param]
    return SubspaceData.of(form(X))


def test_a_sweep(data):
    found = sweep(data, TARGETS, W, OPTIONS)
    assert_allclose(found.centers[:, 0], [0.82854596, 0.66197136, 0.34848015, 0.17145404], **CLOSE)
    assert_allclose(found.impurities, [0.50731353, 1.04111455], **CLOSE)
    assert_allclose(
        np.exp(found.log_weights[:, 0]), [0.25759661, 0.26558595, 0.21922083, 0.25759661], **CLOSE
    )
    assert_allclose(found.distances[0], [0.28319193, 1.98167555], **CLOSE)
    assert_allclose(
        found.memberships[:, 0], [0.98898565, 0.94198527, 0.07624201, 0.10007501, 0.88355155], **CLOSE
    )
    assert_allclose(found.objective, 6.008409624, rtol=0, atol=6e-10)
    assert_allclose(found.change, 0.38355155, **CLOSE)
    assert_allclose(found.shares, [[0.97362566, 0.33202067], [0.16721204, 0.93776878]], **CLOSE)


def test_the_objective_goes_down_within_the_sweep(data):
    """F with equal weights, after the weights, after the memberships."""
    found = sweep(data, TARGETS, W, OPTIONS)
    chi = chi_square(data.by_column(W), W.sum(axis=0), data.frequencies, 5, 5.0)
    squares = (X[:, :, None] - found.centers) ** 2
    values = []
    for log_weights, w in (
        (np.full((4, 2), np.log(0.25)), W),
        (found.log_weights, W),
        (found.log_weights, found.memberships),
    ):
        g = (4 * np.exp(log_weights)) ** 3
        spread = np.einsum("jl,jil,il,l->", w**1.5, squares, g, 1 + found.impurities)
        values.append(spread + 0.5 * (g * chi).sum())
    assert_allclose(values, [7.270341215, 7.148208067, 6.008409624], rtol=0, atol=6e-10)


def test_shares_and_impurities():
    shares = class_shares(W, TARGETS)
    assert_allclose(shares, [[0.90909091, 0.31818182], [0.55555556, 0.72222222]], **CLOSE)
    sizes = W[TARGETS.labelled].sum(axis=0)
    overall = overall_shares(TARGETS)
    for normalisation, expected in {
        "mean": [0.50731353, 1.04111455],
        "count": [0.15346234, 0.2108257],
        "none": [2.69736963, 3.70563109],
        None: [0.0, 0.0],
    }.items():
        assert_allclose(impurity(shares, overall, sizes, 4, True, normalisation), expected, **CLOSE)


def test_impurity_of_single_labels():
    targets = partial_targets(np.array([0, 0, 1, -1]), 4)
    sizes = W[:3].sum(axis=0)
    found = impurity(class_shares(W[:4], targets), overall_shares(targets), sizes, 3, False, "mean")
    assert_allclose(found, [0.2658208, 1.11489377], **CLOSE)


def test_chi_square():
    found = chi_square(X.T @ W, W.sum(axis=0), X.sum(axis=0), 5, 5.0)
    expected = [0.64636752, 0.06543803, 0.70646368, 0.64636752]
    assert_allclose(found, np.transpose([expected, expected]), **CLOSE)


def test_dispersion():
    """D_0 is what the weights of a sweep without impurity and chi-square are made of."""
    found = sweep(
        SubspaceData.of(X),
        TARGETS,
        W,
        SubspaceOptions(weight_exponent=3.0, chi_weight=0.0, impurity=None, floor=0.0),
    )
    powers = np.array([0.2837148, 0.4469, 0.45344369, 0.2837148]) ** -0.5
    assert_allclose(np.exp(found.log_weights[:, 0]), powers / powers.sum(), rtol=0, atol=2e-8)


def test_votes(data):
    found = sweep(data, TARGETS, W, OPTIONS)
    normalised = votes(found.distances, found.shares, found.impurities, n_neighbors=2)
    assert_allclose(normalised[0], [0.87279423, 0.40776151], **CLOSE)
    summed = votes(found.distances, found.shares, found.impurities, n_neighbors=2, aggregation="sum")
    assert_allclose(summed[0], [3.52242085, 1.64564294], **CLOSE)
