"""Generated bags."""

import numpy as np
import pytest

from moo_clustering.datasets import make_bags


def test_shapes_and_classes():
    table = make_bags(31, 4, bag_size=(3, 5), n_features=6, random_state=1)
    assert table.n_bags == 31
    assert table.bags.n_features == 6
    assert set(table.bags.sizes.tolist()) == {3, 4, 5}
    assert np.bincount(table.labels).tolist() in ([8, 8, 8, 7],)
    assert table.label_names == ("0", "1", "2", "3")
    assert table.bags.feature_names == ("x0", "x1", "x2", "x3", "x4", "x5")


def test_reproducible():
    one, two = make_bags(random_state=7), make_bags(random_state=np.random.default_rng(7))
    assert one.bags == two.bags
    np.testing.assert_array_equal(one.labels, two.labels)
    assert make_bags(random_state=8).bags != one.bags


def test_without_spread_a_bag_is_its_cluster_centre():
    table = make_bags(12, 3, bag_std=0.0, instance_std=0.0, outlying=0.0, random_state=0)
    points = np.unique(table.bags.instances, axis=0)
    assert len(points) == 3
    of_bag = table.labels[table.bags.bag_of_instance]
    for cluster in range(3):
        assert len(np.unique(table.bags.instances[of_bag == cluster], axis=0)) == 1
    assert (np.abs(points) <= 10).all()


def test_clusters_can_be_told_apart():
    table = make_bags(200, 4, random_state=3)
    means = np.array([np.median(bag, axis=0) for bag in table.bags])
    centres = np.array([means[table.labels == cluster].mean(axis=0) for cluster in range(4)])
    nearest = ((means[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == table.labels).mean() > 0.9


def test_outlying_instances():
    # Without any spread, instances off the three centres are the outlying ones.
    table = make_bags(400, 3, bag_size=(4, 4), bag_std=0.0, instance_std=0.0, outlying=0.2, random_state=0)
    _, inverse, counts = np.unique(table.bags.instances, axis=0, return_inverse=True, return_counts=True)
    far = (counts == 1)[inverse].reshape(400, 4)
    assert not far[:, 0].any()
    assert 0.15 < far[:, 1:].mean() < 0.25
    everything = make_bags(30, bag_size=(2, 2), bag_std=0.0, instance_std=0.0, outlying=1.0, random_state=0)
    assert len(np.unique(everything.bags.instances, axis=0)) == 33


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bags": 2, "n_clusters": 3}, r"n_bags must be at least n_clusters \(3\), got 2"),
        ({"n_clusters": 0}, "n_clusters must be an integer of at least 1, got 0"),
        ({"n_features": 0}, "n_features must be an integer of at least 1, got 0"),
        ({"bag_size": (0, 2)}, r"1 <= minimum <= maximum, got \(0, 2\)"),
        ({"bag_size": (3, 2)}, r"got \(3, 2\)"),
        ({"outlying": 1.5}, "outlying must be a number from 0 to 1, got 1.5"),
        ({"bag_std": -1.0}, "bag_std must be a non-negative number, got -1"),
        ({"instance_std": float("nan")}, "instance_std must be a"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        make_bags(**options)


@pytest.mark.parametrize("bag_size", [3, (1, 2, 3), (1.5, 2)])
def test_bag_size_is_a_pair_of_integers(bag_size):
    with pytest.raises(TypeError, match="bag_size must be a pair of integers"):
        make_bags(bag_size=bag_size)
