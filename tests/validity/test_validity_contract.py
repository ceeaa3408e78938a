"""What every internal index must do, whatever it measures."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from moo_clustering import _arrays as arrays_module
from moo_clustering.validity import (
    Connectivity,
    DaviesBouldin,
    Deviation,
    IIndex,
    MinimaxSilhouette,
    Silhouette,
    ValidityIndex,
    XieBeni,
    get_index,
)

INDICES = {
    "xie_beni": lambda: XieBeni(),
    "xie_beni_medoid": lambda: XieBeni("medoid"),
    "i_index": lambda: IIndex(),
    "i_index_medoid": lambda: IIndex("medoid"),
    "davies_bouldin": lambda: DaviesBouldin(),
    "silhouette": lambda: Silhouette(),
    "minimax_silhouette": lambda: MinimaxSilhouette(),
    "deviation": lambda: Deviation(),
    "connectivity": lambda: Connectivity(n_neighbors=4),
}
# Indices of bags take a matrix as bags of one sample each.
BAG_INDICES = {
    name: partial(get_index, name)
    for name in ("bag_davies_bouldin", "bag_sdbw", "bag_silhouette", "ftwcv", "twcv")
}
EVERY = INDICES | BAG_INDICES
every_index = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY.keys())
every_index_of_samples = pytest.mark.parametrize("make", INDICES.values(), ids=INDICES.keys())
every_index_of_bags = pytest.mark.parametrize("make", BAG_INDICES.values(), ids=BAG_INDICES.keys())


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
    assert maximised == {"bag_silhouette", "i_index", "i_index_medoid", "minimax_silhouette", "silhouette"}


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


DEGENERATE = {
    # name: (one cluster, all singletons) on 0, 1, 3, 7
    "xie_beni": (1e12, 0.0),
    "xie_beni_medoid": (1e12, 0.0),
    "i_index": (0.0, (1e12 * 7 / 4) ** 2),
    "i_index_medoid": (0.0, (1e12 * 7 / 4) ** 2),
    "davies_bouldin": (1e12, 0.0),
    "silhouette": (-1.0, 0.0),
    "minimax_silhouette": (-1.0, 0.0),
    "deviation": (2.75 + 1.75 + 0.25 + 4.25, 0.0),
    "connectivity": (0.0, 4 * (1 + 1 / 2 + 1 / 3)),
    "bag_davies_bouldin": (1e6, 0.0),
    "bag_sdbw": (1e6, 0.0),
    "bag_silhouette": (0.0, 0.0),
    "ftwcv": (2.75**2 + 1.75**2 + 0.25**2 + 4.25**2, 0.0),
    "twcv": (2.75**2 + 1.75**2 + 0.25**2 + 4.25**2, 0.0),
}


@pytest.mark.parametrize("name", EVERY)
def test_one_cluster_and_all_singletons(name):
    index = EVERY[name]()
    if name == "connectivity":
        index = Connectivity(n_neighbors=3)
    values = index.fit(np.array([[0.0], [1.0], [3.0], [7.0]])).evaluate([[0, 0, 0, 0], [0, 1, 2, 3]])
    np.testing.assert_allclose(values, DEGENERATE[name], rtol=1e-12)


EQUAL_SAMPLES = {
    "xie_beni": (1e12, 0.0),
    "xie_beni_medoid": (1e12, 0.0),
    "i_index": (0.0, 0.0),
    "i_index_medoid": (0.0, 0.0),
    "davies_bouldin": (1e12, 0.0),
    "silhouette": (-1.0, 0.0),
    "minimax_silhouette": (-1.0, 0.0),
    "deviation": (0.0, 0.0),
    "bag_davies_bouldin": (1e6, 1e6),
    "bag_silhouette": (0.0, 0.0),
    "ftwcv": (0.0, 0.0),
    "twcv": (0.0, 0.0),
}


@pytest.mark.parametrize("name", EQUAL_SAMPLES)
def test_equal_samples(name):
    index = EVERY[name]().fit(np.full((7, 3), 0.1))
    values = index.evaluate([[0] * 7, [0, 0, 0, 1, 1, 1, 1]])
    np.testing.assert_array_equal(values, EQUAL_SAMPLES[name])
    np.testing.assert_array_equal(index.evaluate(np.arange(7)), EQUAL_SAMPLES[name][1])


@every_index
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_always_finite(make, data):
    n = data.draw(st.integers(6, 12))
    points = st.sampled_from([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1e-9, 0.0), (1e6, -1e6)])
    X = np.array(data.draw(st.lists(points, min_size=n, max_size=n)))
    raw = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    labels = np.unique(raw, return_inverse=True)[1]
    assert np.all(np.isfinite(make().fit(X).evaluate(labels)))


@every_index
@pytest.mark.filterwarnings("ignore:n_neighbors")
def test_a_single_sample(make):
    assert np.isfinite(make().fit(np.array([[3.0, 4.0]])).evaluate([0])[0])


@every_index
def test_wrong_use_is_refused(make):
    index = make()
    with pytest.raises(NotFittedError, match="not fitted"):
        index.evaluate(np.zeros((1, 6), dtype=int))
    index.fit(np.arange(12.0).reshape(6, 2) ** 2)
    for labels, message in [
        ([0, 0, 1, 1, 0], "6 entries per row"),
        ([0, 0, -1, 1, 0, 0], "got -1"),
        ([0, 0, 6, 1, 0, 0], "got 6"),
        ([0, 0, np.nan, 1, 0, 0], "NaN"),
        ([0, 0, 0.5, 1, 0, 0], "0.5"),
        (np.zeros((1, 2, 6), dtype=int), "1 or 2 dimensions"),
    ]:
        with pytest.raises(ValueError, match=message):
            index.evaluate(labels)
    with pytest.raises(TypeError, match="integers"):
        index.evaluate(["a"] * 6)
    with pytest.raises(TypeError, match="integers"):
        index.evaluate(np.zeros((1, 6), dtype=bool))


@every_index_of_samples
def test_gaps_are_refused(make):
    index = make().fit(np.arange(12.0).reshape(6, 2) ** 2)
    with pytest.raises(ValueError, match="no sample in cluster 1"):
        index.evaluate([0, 0, 2, 2, 0, 0])
    with pytest.raises(ValueError, match="row 1 has k=3"):
        index.evaluate([[0, 0, 1, 1, 0, 0], [1, 1, 1, 1, 2, 2]])


@every_index_of_bags
def test_gaps_are_closed(make):
    index = make().fit(np.arange(12.0).reshape(6, 2) ** 2)
    closed = index.evaluate([[0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0]])
    for dtype in (np.uint8, np.int64, np.float64):
        labels = np.array([[1, 1, 4, 4, 1, 1], [0, 0, 3, 3, 5, 5], [5, 5, 5, 5, 5, 5]], dtype=dtype)
        np.testing.assert_array_equal(index.evaluate(labels), closed)
        np.testing.assert_array_equal(labels[0], [1, 1, 4, 4, 1, 1])


@every_index_of_samples
def test_bad_data_is_refused(make):
    with pytest.raises(ValueError, match="NaN"):
        make().fit([[0.0], [np.nan], [1.0]])
    with pytest.raises(ValueError, match="2D"):
        make().fit([0.0, 1.0])


@every_index_of_bags
def test_bad_bags_are_refused(make):
    with pytest.raises(ValueError, match="bag 1, row 0, column 0 is nan"):
        make().fit([[[0.0], [2.0]], [[np.nan]]])
    with pytest.raises(ValueError, match="bag 1 is empty"):
        make().fit([[[0.0]], np.empty((0, 1))])


@every_index
def test_fit_and_evaluate_leave_their_input_alone(make):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(20, 2)) + 5
    labels = partitions(rng, 4, 20, 4)
    kept = X.copy(), labels.copy()
    make().fit(X).evaluate(labels)
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(labels, kept[1])
