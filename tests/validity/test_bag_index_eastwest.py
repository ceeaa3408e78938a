"""Indices of bag partitions on the twenty East-West trains, of which all bipartitions can be listed."""

from __future__ import annotations

import numpy as np
import pytest

from moo_clustering.bags import BagGeometry, Bags, BagTransformer
from moo_clustering.validity import (
    FTWCV,
    BagDaviesBouldin,
    BagSDbw,
    BagSilhouette,
    cluster_entropy,
    matched_f1,
    matched_rand_index,
)


@pytest.fixture(scope="module")
def trains(data_folder):
    path = data_folder / "mil" / "eastwest.npz"
    if not path.is_file():
        pytest.skip("no mil/eastwest.npz in the data folder")
    return BagTransformer().fit_transform(Bags.load(path))


@pytest.fixture(scope="module")
def eastbound(data_folder, trains):
    with np.load(data_folder / "mil" / "eastwest.npz") as stored:
        return stored["bag_labels"]


@pytest.fixture(scope="module")
def bipartitions():
    """All but the one with everything in one cluster; the last bag is in cluster 0."""
    codes = np.arange(1, 2**19, dtype=np.int32)
    return ((codes[:, None] >> np.arange(20, dtype=np.int32)) & 1).astype(np.int32)


def alone(trains, name):
    return (np.array(trains.bag_ids) == name).astype(np.int32)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (BagSDbw(sigma="instance", ddof=1), 0.8954),
        (BagSDbw(sigma="instance"), 0.8725),
        (BagSDbw(), 0.4823),
        (BagDaviesBouldin(), 3.2190),
        (BagDaviesBouldin("instance"), 3.2749),
        (BagSilhouette(), 0.0627),
        (BagSilhouette(average="bag"), 0.1191),
        (BagSilhouette("symmetric", "bag"), 0.0666),
    ],
)
def test_the_train_that_mifgka_sets_apart(trains, index, expected):
    value = index.fit(trains).evaluate(alone(trains, "100"))[0]
    assert round(value, 4) == expected


def test_no_bag_is_near_the_midpoint(trains):
    for sigma in ("bag", "instance"):
        assert BagSDbw(sigma=sigma).fit(trains).parts(alone(trains, "100"))[1] == 0.0


def test_agreement_with_the_classes(trains, eastbound):
    found = alone(trains, "100")
    assert matched_rand_index(eastbound, found) == pytest.approx(0.55)
    assert cluster_entropy(eastbound, found) == pytest.approx(0.9481008397, abs=1e-10)
    assert matched_f1(eastbound, found) == pytest.approx(0.1818181818, abs=1e-10)
    assert matched_f1(1 - eastbound, found) == pytest.approx(0.6896551724, abs=1e-10)


@pytest.mark.parametrize(
    ("reading", "name", "least"),
    [
        ("printed_meansq", "100", 67.8983918129),
        pytest.param("printed", "45", 105.3771929825, marks=pytest.mark.slow),
    ],
)
def test_optimum_of_the_literal_fast_variation(trains, bipartitions, reading, name, least):
    values = FTWCV(reading).fit(trains).evaluate(bipartitions)
    best = bipartitions[values.argmin()]
    apart = best if best.sum() == 1 else 1 - best
    np.testing.assert_array_equal(apart, alone(trains, name))
    if reading == "printed_meansq":
        norms = (trains.means() ** 2).sum(axis=1)
    else:
        norms = np.array([(bag**2).sum(axis=1).mean() for bag in trains])
    assert norms.argmax() == apart.argmax()
    assert values.min() == pytest.approx(least, abs=1e-9)


@pytest.mark.slow
def test_least_davies_bouldin_by_size_of_the_smaller_cluster(trains, bipartitions):
    shared = BagGeometry(trains)
    values = BagDaviesBouldin().fit(shared).evaluate(bipartitions)
    ones = bipartitions.sum(axis=1)
    smaller = np.minimum(ones, 20 - ones)
    np.testing.assert_array_equal(np.minimum(bipartitions[values.argmin()], 1), alone(trains, "128"))
    least = [round(float(values[smaller >= size].min()), 4) for size in (1, 2, 3, 4, 5, 6, 8, 10)]
    assert least == [2.6991, 3.4190, 4.0208, 4.5004, 4.7969, 4.9426, 5.4057, 5.5776]
