"""What must not change a sweep: order, names of clusters, threads, type, form of the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from moo_clustering._targets import Targets, partial_targets
from moo_clustering.subspace import SubspaceData, SubspaceOptions, iterate, start, sweep

OPTIONS = SubspaceOptions()
BY_FEATURE = ("centers", "log_weights")
BY_SAMPLE = ("memberships", "distances")
BY_CLUSTER = ("shares", "impurities", "chi_term")


def draw(seed, binary):
    rng = np.random.default_rng(seed)
    n, m, k = rng.integers(8, 40), rng.integers(5, 30), rng.integers(2, 5)
    X = (rng.random((n, m)) < rng.choice([0.1, 0.3, 0.6])).astype(float)
    X[0], X[1] = 0.0, 1.0
    if not binary:
        X *= rng.normal(size=X.shape)
    Y = (rng.random((n, 3)) < 0.4).astype(int)
    Y[rng.random(n) < 0.3] = -1
    return rng, X, partial_targets(Y, n), rng.dirichlet(np.ones(k), size=n)


def compare(one, other, feature=slice(None), sample=slice(None), cluster=slice(None), rtol=1e-8):
    for name in BY_FEATURE:
        moved = getattr(one, name)[feature][:, cluster]
        assert_allclose(getattr(other, name), moved, rtol=rtol, atol=rtol, err_msg=name)
    for name in BY_SAMPLE:
        moved = getattr(one, name)[sample][:, cluster]
        assert_allclose(getattr(other, name), moved, rtol=rtol, atol=rtol, err_msg=name)
    for name in BY_CLUSTER:
        moved = getattr(one, name)[cluster]
        assert_allclose(getattr(other, name), moved, rtol=rtol, atol=rtol, err_msg=name)
    assert_allclose(other.objective, one.objective, rtol=rtol)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), binary=st.booleans())
def test_order_and_names_do_not_matter(seed, binary):
    rng, X, targets, W = draw(seed, binary)
    one = sweep(SubspaceData.of(X), targets, W, OPTIONS)
    cluster = rng.permutation(W.shape[1])
    compare(one, sweep(SubspaceData.of(X), targets, W[:, cluster], OPTIONS), cluster=cluster)
    sample = rng.permutation(len(X))
    moved = Targets(targets.indicators[sample], targets.labelled[sample], targets.classes, True)
    compare(one, sweep(SubspaceData.of(X[sample]), moved, W[sample], OPTIONS), sample=sample)
    feature = rng.permutation(X.shape[1])
    compare(one, sweep(SubspaceData.of(X[:, feature]), targets, W, OPTIONS), feature=feature)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), binary=st.booleans())
def test_form_and_type_do_not_matter(seed, binary):
    _, X, targets, W = draw(seed, binary)
    one = sweep(SubspaceData.of(X), targets, W, OPTIONS)
    compare(one, sweep(SubspaceData.of(csr_array(X)), targets, W, OPTIONS))
    single = sweep(SubspaceData.of(X, dtype="float32"), targets, W, OPTIONS)
    assert single.memberships.dtype == single.centers.dtype == single.log_weights.dtype == np.float32
    assert_allclose(single.memberships, one.memberships, atol=2e-3)
    assert_allclose(single.objective, one.objective, rtol=1e-3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["binary", "general", "dense"])
def test_threads_do_not_matter(monkeypatch, dtype, kind):
    monkeypatch.setattr("moo_clustering._kernels.threads._ITEMS_WORTH_A_THREAD", 0)
    rng = np.random.default_rng(0)
    X = (rng.random((900, 700)) < (0.5 if kind == "dense" else 0.05)).astype(float)
    if kind != "binary":
        X *= rng.normal(size=X.shape)
    targets = partial_targets(rng.integers(-1, 4, 900), 900)
    results = []
    for n_jobs in (1, 2, 8):
        data = SubspaceData.of(X, dtype=dtype, n_jobs=n_jobs)
        W = start("labels", data, targets, 9, OPTIONS, np.random.default_rng(0))
        results.append(iterate(data, targets, W, OPTIONS, max_iter=2))
    for other in results[1:]:
        for name in results[0].sweep._fields:
            assert_array_equal(getattr(other.sweep, name), getattr(results[0].sweep, name), err_msg=name)
        assert_array_equal(other.history, results[0].history)


def test_a_common_offset_of_dense_data_costs_no_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    targets = partial_targets(rng.integers(0, 2, 40), 40)
    W = rng.dirichlet(np.ones(3), size=40)
    one, far = (sweep(SubspaceData.of(X + offset), targets, W, OPTIONS) for offset in (0.0, 1e6))
    assert_allclose(far.distances, one.distances, rtol=1e-7)
    assert_allclose(far.centers - 1e6, one.centers, atol=1e-8)
