"""What the search and the prediction of bags are computed from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.bags import Bags
from moo_clustering.bags.distances import DISTANCE_KINDS, bag_distance_kinds
from moo_clustering.estimators._pareto_ground import bag_ground, thinned
from moo_clustering.graphs.similarity import self_tuning_graph


@pytest.fixture(scope="module")
def bags():
    rng = np.random.default_rng(3)
    shift = np.repeat([0.0, 5.0], 15)
    items = [rng.normal(s, 1.0, (rng.integers(1, 9), 3)) * [1, 100, 0] for s in shift]
    return Bags.from_list([*items[:20], items[4], *items[20:]])


@pytest.fixture(scope="module")
def ground(bags):
    return bag_ground(bags, embeddings=["mean"], distances=["energy"], random_state=0)


def test_distances_of_scaled_instances(bags, ground):
    low, high = bags.instances.min(axis=0), bags.instances.max(axis=0)
    scaled = (bags.instances - low) / np.where(high > low, high - low, 1)
    assert_allclose(ground.bags.instances, scaled, atol=1e-12)
    expected = bag_distance_kinds(bags.with_instances(scaled), directions=ground.directions)
    assert list(ground.distances) == list(DISTANCE_KINDS)
    for kind in DISTANCE_KINDS:
        assert_allclose(ground.distances[kind], expected[kind], atol=1e-7)
    raw = bag_ground(bags, normalize=False, needs_pool=False)
    assert_array_equal(raw.bags.instances, bags.instances)


def test_graph_pool_and_kernels(bags, ground):
    on_distance = [f"{family}@energy" for family in ("kmed", "avg", "spec", "genie", "hdbscan")]
    assert ground.pool.family_names == (*on_distance, "km@mean", "ward@mean")
    assert ground.pool.n_samples == ground.n_samples == len(bags)
    graph = self_tuning_graph(ground.distances["average"], metric="precomputed")
    assert_array_equal(ground.graph.toarray(), graph.toarray())
    for kernel, kind in zip(ground.kernels, ("energy", "sliced"), strict=True):
        D = ground.distances[kind]
        assert_allclose(kernel, np.exp(-((D / np.median(D[D > 0])) ** 2)), rtol=1e-12)
        assert np.linalg.eigvalsh(kernel).min() >= -1e-8 * len(bags)
        # Bag 20 is a copy of bag 4.
        assert kernel[4, 20] == 1
        assert_allclose(kernel[4], kernel[20], rtol=1e-10)


def test_no_pool(bags, ground):
    bare = bag_ground(bags, random_state=0, needs_pool=False)
    assert bare.pool is None
    for kernel, same in zip(bare.kernels, ground.kernels, strict=True):
        assert_array_equal(kernel, same)


def test_given_candidates_come_last(bags):
    mine = np.arange(len(bags)) % 2
    ground = bag_ground(
        bags, embeddings=["mean"], distances=["sliced"], extra=[("mine", mine)], random_state=0
    )
    assert ground.pool.families[-1] == "mine"
    assert_array_equal(ground.pool.labels[-1], mine)


def test_bags_of_the_fit_as_new_bags(bags, ground):
    again = Bags.from_list(list(bags[:8]))
    for kernel, across in zip(ground.kernels, ground.cross_kernels(again), strict=True):
        assert_allclose(across, kernel[:8], atol=1e-10)
    indices, distances = ground.nearest(again, 3)
    assert indices.shape == distances.shape == (8, 3)
    assert_array_equal(indices[:, 0], np.arange(8))
    assert_array_equal(indices[4, :2], [4, 20])
    assert_array_equal(distances[:, 0], 0)
    expected = np.sort(ground.distances["average"][:8], axis=1, kind="stable")[:, :3]
    assert_allclose(distances, expected, atol=1e-7)
    assert ground.nearest(again, 100)[0].shape == (8, len(bags))


def test_order_of_bags_does_not_matter(bags):
    rng = np.random.default_rng(0)
    order = rng.permutation(len(bags))
    one = bag_ground(bags, random_state=1, needs_pool=False, max_instances=4)
    two = bag_ground(bags[order], random_state=1, needs_pool=False, max_instances=4)
    for a, b in zip(one.kernels, two.kernels, strict=True):
        assert_allclose(b, a[np.ix_(order, order)], atol=1e-9)
    assert_allclose(two.graph.toarray(), one.graph.toarray()[np.ix_(order, order)], atol=1e-6)


def test_thinned_bags():
    X = np.arange(20.0)[:, None]
    bags = Bags(X, [0, 3, 13, 14, 20], bag_ids=list("abcd"))
    few = thinned(bags, 4, np.random.SeedSequence(0))
    assert few.sizes.tolist() == [3, 4, 1, 4]
    assert few.bag_ids == tuple("abcd")
    for whole, part in zip(bags, few, strict=True):
        values = part[:, 0].tolist()
        assert values == sorted(set(values))
        assert set(values) <= set(whole[:, 0].tolist())
    assert thinned(bags, None, np.random.SeedSequence(0)) is bags
    assert thinned(bags, 10, np.random.SeedSequence(0)) is bags
    with pytest.raises(ValueError, match="max_instances"):
        thinned(bags, 0, np.random.SeedSequence(0))


def test_seeds(bags):
    one, two, other = (bag_ground(bags, random_state=s, needs_pool=False).directions for s in (5, 5, 6))
    assert_array_equal(one, two)
    assert not np.allclose(one, other)
    sequence = np.random.SeedSequence(5)
    a, b = (bag_ground(bags, random_state=sequence, needs_pool=False).directions for _ in range(2))
    assert_array_equal(a, b)


def test_bad_new_bags(ground):
    with pytest.raises(ValueError, match="features"):
        ground.nearest(Bags.from_list([[[1.0, 2.0]]]), 3)
