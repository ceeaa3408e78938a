"""Bags with their pool: what the choice and the prediction of bags are computed from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.bags import Bags, bag_distance_kinds
from moo_clustering.bags.distances import DISTANCE_KINDS
from moo_clustering.estimators._pareto_pool import pooled_bags, thinned
from moo_clustering.graphs import self_tuning_graph

SEED = np.random.SeedSequence(0)


@pytest.fixture(scope="module")
def bags():
    rng = np.random.default_rng(3)
    shift = np.repeat([0.0, 5.0], 15)
    items = [rng.normal(s, 1.0, (rng.integers(1, 9), 3)) * [1, 100, 0] for s in shift]
    return Bags.from_list([*items[:20], items[4], *items[20:]])


def pooled(bags, seed=0, **options):
    return pooled_bags(bags, seed=np.random.SeedSequence(seed), **options)


@pytest.fixture(scope="module")
def samples(bags):
    return pooled(bags, embeddings=["mean"], distances=["energy"])


@pytest.fixture(scope="module")
def distances(samples):
    search = samples.nearest.keywords
    between = bag_distance_kinds(search["bags"], directions=search["directions"])
    assert list(between) == list(DISTANCE_KINDS)
    return between


def test_instances_are_scaled(bags, samples):
    low, high = bags.instances.min(axis=0), bags.instances.max(axis=0)
    scaled = (bags.instances - low) / np.where(high > low, high - low, 1)
    assert_allclose(samples.nearest.keywords["bags"].instances, scaled, atol=1e-12)
    raw = pooled(bags, normalize=False, needs_pool=False)
    assert_array_equal(raw.nearest.keywords["bags"].instances, bags.instances)


def test_graph_pool_and_kernels(bags, samples, distances):
    on_distance = [f"{family}@energy" for family in ("kmed", "avg", "spec", "genie", "hdbscan")]
    assert samples.pool.family_names == (*on_distance, "km@mean", "ward@mean")
    assert samples.pool.n_samples == samples.n_samples == samples.n_points == len(bags)
    graph = self_tuning_graph(distances["average"], metric="precomputed")
    assert_allclose(samples.graph.toarray(), graph.toarray(), atol=1e-12)
    for kernel, kind in zip(samples.kernels, ("energy", "sliced"), strict=True):
        D = distances[kind]
        assert_allclose(kernel, np.exp(-((D / np.median(D[D > 0])) ** 2)), rtol=1e-12)
        assert np.linalg.eigvalsh(kernel).min() >= -1e-8 * len(bags)
        # Bag 20 is a copy of bag 4.
        assert kernel[4, 20] == 1
        assert_allclose(kernel[4], kernel[20], rtol=1e-10)
    expected = np.arange(len(bags)) - (np.arange(len(bags)) >= 20)
    expected[20] = 4
    assert_array_equal(samples.equal_points, expected)


def test_no_pool(bags, samples):
    bare = pooled(bags, needs_pool=False)
    assert bare.pool is None
    for kernel, same in zip(bare.kernels, samples.kernels, strict=True):
        assert_array_equal(kernel, same)


def test_given_candidates_come_last(bags):
    mine = np.arange(len(bags)) % 2
    pool = pooled(bags, embeddings=["mean"], distances=["sliced"], extra=[("mine", mine)]).pool
    assert pool.families[-1] == "mine"
    assert_array_equal(pool.labels[-1], mine)


def test_bags_of_the_fit_as_new_bags(bags, samples, distances):
    again = Bags.from_list(list(bags[:8]))
    indices, found = samples.nearest(again, 3)
    assert indices.shape == found.shape == (8, 3)
    assert_array_equal(indices[:, 0], np.arange(8))
    assert_array_equal(indices[4, :2], [4, 20])
    assert_array_equal(found[:, 0], 0)
    expected = np.sort(distances["average"][:8], axis=1, kind="stable")[:, :3]
    assert_allclose(found, expected, atol=1e-7)
    assert samples.nearest(again, 100)[0].shape == (8, len(bags))


def test_order_of_bags_does_not_matter(bags):
    order = np.random.default_rng(0).permutation(len(bags))
    one = pooled(bags, 1, needs_pool=False, max_instances=4)
    two = pooled(bags[order], 1, needs_pool=False, max_instances=4)
    for a, b in zip(one.kernels, two.kernels, strict=True):
        assert_allclose(b, a[np.ix_(order, order)], atol=1e-9)
    assert_allclose(two.graph.toarray(), one.graph.toarray()[np.ix_(order, order)], atol=1e-6)


def test_thinned_bags():
    X = np.arange(20.0)[:, None]
    bags = Bags(X, [0, 3, 13, 14, 20], bag_ids=list("abcd"))
    few = thinned(bags, 4, SEED)
    assert few.sizes.tolist() == [3, 4, 1, 4]
    assert few.bag_ids == tuple("abcd")
    for whole, part in zip(bags, few, strict=True):
        values = part[:, 0].tolist()
        assert values == sorted(set(values))
        assert set(values) <= set(whole[:, 0].tolist())
    assert thinned(bags, None, SEED) is bags
    assert thinned(bags, 10, SEED) is bags


def test_seeds(bags):
    one, two, other = (pooled(bags, s, needs_pool=False).nearest.keywords["directions"] for s in (5, 5, 6))
    assert_array_equal(one, two)
    assert not np.allclose(one, other)


def test_bad_new_bags(samples):
    with pytest.raises(ValueError, match="features"):
        samples.nearest(Bags.from_list([[[1.0, 2.0]]]), 3)
