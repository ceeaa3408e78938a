"""What every index of samples or bags does with numbers and types."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.indices import BAG_INDICES, INDICES
from moo_clustering import _arrays as arrays_module
from moo_clustering.validity import ValidityIndex, get_index

EVERY = {name: case.make for name, case in (INDICES | BAG_INDICES).items()}
every_index = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY.keys())


def partitions(rng, n_individuals, n_samples, k_max, at_least=1):
    """Rows with 1..k_max clusters of at least ``at_least`` samples each."""
    rows = []
    for _ in range(n_individuals):
        k = int(rng.integers(1, k_max + 1))
        seeds = np.repeat(np.arange(k), at_least)
        rows.append(rng.permutation(np.concatenate([seeds, rng.integers(0, k, n_samples - len(seeds))])))
    return np.array(rows, dtype=np.int32)


@every_index
def test_is_a_validity_index_with_name_and_direction(make):
    index = make()
    assert isinstance(index, ValidityIndex)
    assert type(get_index(index.name)) is type(index)
    assert isinstance(index.greater_is_better, bool)
    assert index.fit(np.arange(12.0).reshape(6, 2)) is index


def test_directions():
    maximised = {name for name, make in EVERY.items() if make().greater_is_better}
    assert maximised == {
        "bag_silhouette",
        "calinski_harabasz",
        "cdbw",
        "dbcv",
        "dunn",
        "i_index",
        "i_index_medoid",
        "icl",
        "icl_diagonal",
        "likelihood_gain",
        "minimax_silhouette",
        "silhouette",
    }


@every_index
def test_population_equals_one_by_one_in_any_blocks(make, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    labels = partitions(rng, 15, 40, 20)
    index = make().fit(X)
    together = index.evaluate(labels)
    assert together.shape == (15,)
    assert together.dtype == np.float64
    np.testing.assert_allclose(np.concatenate([index.evaluate(row) for row in labels]), together, rtol=1e-12)
    monkeypatch.setattr(arrays_module, "BLOCK_ITEMS", 700)
    np.testing.assert_allclose(index.evaluate(labels), together, rtol=1e-12)
    assert index.evaluate(labels[:0]).shape == (0,)


@every_index
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_invariant_under_relabelling_and_sample_permutation(make, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    labels = partitions(rng, 3, 30, 6, at_least=3)
    expected = make().fit(X).evaluate(labels)
    renamed = np.array([rng.permutation(row.max() + 1)[row] for row in labels])
    np.testing.assert_allclose(make().fit(X).evaluate(renamed), expected, rtol=1e-9)
    order = rng.permutation(30)
    np.testing.assert_allclose(make().fit(X[order]).evaluate(labels[:, order]), expected, rtol=1e-9)


@every_index
def test_a_large_offset_changes_nothing(make):
    rng = np.random.default_rng(2)
    X = np.round(rng.normal(size=(30, 2)), 3) * 1024
    labels = partitions(rng, 5, 30, 5, at_least=3)
    expected = make().fit(X).evaluate(labels)
    np.testing.assert_allclose(make().fit(X + 1e9).evaluate(labels), expected, rtol=1e-6)


@every_index
def test_many_clusters_and_integer_types(make):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 2))
    labels = np.array([rng.permutation(np.arange(700) % k) for k in (2, 300, 699)], dtype=np.int32)
    index = make().fit(X)
    expected = index.evaluate(labels)
    assert np.all(np.isfinite(expected))
    assert len(set(expected)) == 3
    for dtype in (np.int64, np.uint16, np.float64):
        np.testing.assert_array_equal(index.evaluate(labels.astype(dtype)), expected)
    np.testing.assert_array_equal(index.evaluate(np.asfortranarray(labels)), expected)
    np.testing.assert_array_equal(index.evaluate(labels[0].tolist()), expected[:1])
