"""Indices of bag partitions against their formulas, and what must not change them."""

from __future__ import annotations

import naive_bag_indices as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import davies_bouldin_score, silhouette_score

from moo_clustering.bags import BagGeometry, Bags, as_bags, bag_distances
from moo_clustering.validity import FTWCV, TWCV, BagDaviesBouldin, BagSDbw, BagSilhouette, db_medoid


def random_bags(rng, n_bags=12, largest=5, n_features=3, scale=1.0):
    centers = rng.normal(size=(n_bags, n_features)) * scale
    return [c + rng.normal(size=(rng.integers(1, largest + 1), n_features)) * 0.3 for c in centers]


def random_labels(rng, n_bags, count=6, k=5):
    """Up to k clusters, of which some may be empty; the first partition has one, the second two."""
    labels = np.array([rng.integers(0, rng.integers(2, k + 1), n_bags) for _ in range(count)])
    labels[0] = 3
    labels[1] = np.where(labels[1] > 0, 4, 1)
    return labels


seeds = given(seed=st.integers(0, 100_000))
few = settings(max_examples=15, deadline=None)


@few
@seeds
def test_formulas(seed):
    rng = np.random.default_rng(seed)
    bags = random_bags(rng)
    labels = random_labels(rng, len(bags))
    H = naive.hausdorff(bags)
    symmetric = np.maximum(H, H.T)

    def check(index, formula):
        expected = [formula(row) for row in labels]
        np.testing.assert_allclose(index.fit(bags).evaluate(labels), expected, rtol=1e-9, atol=1e-9)

    for weighting in ("bag", "instance"):
        check(
            BagDaviesBouldin(weighting, undefined=np.inf),
            lambda row, weighting=weighting: naive.davies_bouldin(bags, row, weighting),
        )
        check(TWCV(weighting), lambda row, weighting=weighting: naive.twcv(bags, row, weighting))
    for reading in ("between", "printed", "printed_meansq"):
        check(FTWCV(reading), lambda row, reading=reading: naive.ftwcv(bags, row, reading))
    for average in ("cluster", "bag"):
        check(BagSilhouette(average=average), lambda row, average=average: naive.silhouette(H, row, average))
        check(
            BagSilhouette("symmetric", average),
            lambda row, average=average: naive.silhouette(symmetric, row, average),
        )


@few
@seeds
@pytest.mark.parametrize("reading", ["density", "count", "printed"])
def test_formulas_of_sdbw(reading, seed):
    rng = np.random.default_rng(seed)
    # Near each other in one dimension, so that many bags are within stdev of something.
    bags = random_bags(rng, n_bags=14, largest=3, n_features=1 + seed % 2, scale=1.5)
    labels = random_labels(rng, len(bags))
    for sigma, ddof, weighting in [
        ("bag", 0, "bag"),
        ("bag", 1, "instance"),
        ("instance", 0, "bag"),
        ("instance", 1, "instance"),
    ]:
        index = BagSDbw(reading, sigma, ddof=ddof, weighting=weighting).fit(bags)
        expected = np.transpose([naive.sdbw(bags, row, reading, sigma, ddof, weighting) for row in labels])
        np.testing.assert_allclose(index.parts(labels), expected, rtol=1e-9, atol=1e-9)


def test_bags_near_centroids_and_midpoints_are_among_those_tried():
    seen = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        bags = random_bags(rng, n_bags=14, largest=3, n_features=1 + seed % 2, scale=1.5)
        seen.update(BagSDbw().fit(bags).parts(random_labels(rng, len(bags))[1:])[1].round(6))
    assert len(seen) > 5


@few
@seeds
def test_medoids(seed):
    rng = np.random.default_rng(seed)
    H = rng.uniform(0.1, 1.0, size=(9, 9))
    np.fill_diagonal(H, 0.0)
    medoids = np.array([rng.permutation(9)[:4] for _ in range(5)])
    labels = rng.integers(0, 4, size=(5, 9))
    labels[0] = 2
    expected = [naive.db_medoid(H, row, centers) for row, centers in zip(labels, medoids, strict=True)]
    np.testing.assert_allclose(db_medoid(H, labels, medoids), expected, rtol=1e-12)


EVERY = {
    "davies_bouldin": BagDaviesBouldin,
    "davies_bouldin_instance": lambda: BagDaviesBouldin("instance"),
    "twcv": TWCV,
    "twcv_instance": lambda: TWCV("instance"),
    "ftwcv": FTWCV,
    "silhouette": BagSilhouette,
    "silhouette_bag": lambda: BagSilhouette("symmetric", "bag"),
    "silhouette_mean_min": lambda: BagSilhouette("mean_min"),
    "sdbw": BagSDbw,
    "sdbw_printed": lambda: BagSDbw("printed", "instance", ddof=1, weighting="instance"),
}
every_index = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)


@every_index
@few
@seeds
def test_what_must_not_change_an_index(make, seed):
    rng = np.random.default_rng(seed)
    bags = random_bags(rng)
    labels = random_labels(rng, len(bags))
    expected = make().fit(bags).evaluate(labels)

    def check(other_bags, other_labels):
        np.testing.assert_allclose(make().fit(other_bags).evaluate(other_labels), expected, rtol=1e-8)

    check(bags, np.array([rng.permutation(12)[row] for row in labels]))
    order = rng.permutation(len(bags))
    check([bags[b] for b in order], labels[:, order])
    check([rng.permutation(bag) for bag in bags], labels)
    check([bag + np.array([100.0, -30.0, 5.0]) for bag in bags], labels)
    everything = as_bags(bags)
    groups = rng.permutation(everything.n_instances)
    mixed = Bags.from_groups(everything.instances[groups], everything.bag_of_instance[groups])
    check(mixed, labels[:, np.array(mixed.bag_ids, dtype=int)])


@few
@given(seed=st.integers(0, 100_000), factor=st.sampled_from([1e-3, 0.5, 7.0, 1e4]))
def test_scaling(seed, factor):
    rng = np.random.default_rng(seed)
    bags = random_bags(rng)
    labels = random_labels(rng, len(bags))
    scaled = [bag * factor for bag in bags]
    for make, power in [(BagDaviesBouldin, 0), (BagSilhouette, 0), (TWCV, 2), (FTWCV, 2)]:
        before, after = (make().fit(data).evaluate(labels) for data in (bags, scaled))
        np.testing.assert_allclose(after, before * factor**power, rtol=1e-8)
    before, after = (BagSDbw(sigma="instance").fit(data).parts(labels)[0] for data in (bags, scaled))
    np.testing.assert_allclose(after, before, rtol=1e-8)


@few
@seeds
def test_bags_of_one_instance_are_ordinary_samples(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, 2))
    labels = np.array([rng.permutation(np.arange(15) % k) for k in (2, 3, 5)])
    within = [
        sum(np.sum((X[row == c] - X[row == c].mean(axis=0)) ** 2) for c in range(row.max() + 1))
        for row in labels
    ]
    for weighting in ("bag", "instance"):
        np.testing.assert_allclose(
            BagDaviesBouldin(weighting).fit(X).evaluate(labels),
            [davies_bouldin_score(X, row) for row in labels],
        )
        np.testing.assert_allclose(TWCV(weighting).fit(X).evaluate(labels), within)
        np.testing.assert_allclose(FTWCV(weighting=weighting).fit(X).evaluate(labels), within)
    for kind in ("directed", "symmetric", "mean_min", "min_min", "mean"):
        np.testing.assert_allclose(
            BagSilhouette(kind, "bag").fit(X).evaluate(labels), [silhouette_score(X, row) for row in labels]
        )


@few
@seeds
def test_repeated_instances_change_distances_of_no_kind(seed):
    rng = np.random.default_rng(seed)
    bags = random_bags(rng)
    # Every instance as often as the others of its bag, so that means stay.
    repeated = [np.tile(bag, (rng.integers(1, 4), 1)) for bag in bags]
    labels = random_labels(rng, len(bags))
    for make in (BagDaviesBouldin, TWCV, FTWCV, BagSilhouette, BagSDbw):
        before, after = (make().fit(data).evaluate(labels) for data in (bags, repeated))
        np.testing.assert_allclose(after, before, rtol=1e-9)


def test_weighted_fast_variation():
    rng = np.random.default_rng(0)
    bags = random_bags(rng)
    labels = random_labels(rng, len(bags))
    expected = []
    for row in labels:
        total = 0.0
        for members in naive.clusters(row):
            center = naive.centroid(bags, members, "instance")
            total += sum(len(bags[b]) * np.sum((bags[b].mean(axis=0) - center) ** 2) for b in members)
        expected.append(total)
    np.testing.assert_allclose(FTWCV(weighting="instance").fit(bags).evaluate(labels), expected)


def test_raw_values_far_from_the_origin():
    # Like unscaled chemistry: integers to 300 around a large offset, nearly equal bags.
    rng = np.random.default_rng(1)
    bags = [1e4 + rng.integers(-300, 300, size=(rng.integers(1, 6), 40)).astype(float) for _ in range(10)]
    bags[3] = bags[2] + 1e-3
    labels = random_labels(rng, 10)[1:]
    for index, formula in [
        (BagDaviesBouldin(), naive.davies_bouldin),
        (TWCV(), naive.twcv),
        (FTWCV(), naive.ftwcv),
        (BagSDbw(), lambda bags, row: sum(naive.sdbw(bags, row))),
        (BagSilhouette(), lambda bags, row: naive.silhouette(naive.hausdorff(bags), row)),
    ]:
        expected = [formula(bags, row) for row in labels]
        np.testing.assert_allclose(index.fit(bags).evaluate(labels), expected, rtol=1e-9)


@every_index
def test_threads_change_nothing(make, monkeypatch):
    from moo_clustering._kernels import threads as parts

    rng = np.random.default_rng(2)
    bags = as_bags(random_bags(rng, n_bags=40))
    labels = random_labels(rng, 40, count=30)
    expected = make().fit(bags).evaluate(labels)
    monkeypatch.setattr(parts, "_WORTH_A_THREAD", 1)
    index = make()
    index.n_jobs = 2
    np.testing.assert_array_equal(index.fit(bags).evaluate(labels), expected)


@every_index
def test_few_individuals_at_a_time_change_nothing(make, monkeypatch):
    from moo_clustering.bags import geometry as geometry_module

    rng = np.random.default_rng(3)
    bags = as_bags(random_bags(rng, n_bags=70))
    labels = random_labels(rng, 70, count=9)
    expected = make().fit(bags).evaluate(labels)
    monkeypatch.setattr(geometry_module, "_SCRATCH", 1)
    np.testing.assert_array_equal(make().fit(bags).evaluate(labels), expected)


def test_silhouettes_of_more_bags_than_are_taken_at_a_time():
    from moo_clustering._kernels.bag_distances import silhouette_means

    rng = np.random.default_rng(4)
    H = rng.uniform(size=(23, 23))
    np.fill_diagonal(H, 0.0)
    labels = rng.integers(0, 4, size=(6, 23)).astype(np.int32)
    sizes = np.array([np.bincount(row, minlength=4) for row in labels])
    for width, by_cluster in [(7, True), (1, False), (23, True), (64, False)]:
        values = np.full(6, np.nan)
        columns = H.T.copy()
        silhouette_means(columns, labels, sizes, np.full(6, 4), width, by_cluster, values, 0, 4)
        silhouette_means(columns, labels, sizes, np.full(6, 4), width, by_cluster, values, 4, 6)
        average = "cluster" if by_cluster else "bag"
        np.testing.assert_allclose(values, [naive.silhouette(H, row, average) for row in labels])


def test_single_precision_is_close():
    rng = np.random.default_rng(5)
    bags = as_bags(random_bags(rng, n_bags=30))
    labels = random_labels(rng, 30)
    single = BagGeometry(bags, dtype="float32")
    for make in (BagDaviesBouldin, TWCV, FTWCV, lambda: BagSDbw("printed")):
        exact, rough = (make().fit(data).evaluate(labels) for data in (bags, single))
        np.testing.assert_allclose(rough, exact, rtol=1e-4)


def test_precomputed_distances_are_those_of_the_bags():
    rng = np.random.default_rng(6)
    bags = as_bags(random_bags(rng))
    labels = random_labels(rng, len(bags))
    for kind in ("directed", "symmetric", "mean_min", "min_min", "mean"):
        H = bag_distances(bags, kind=kind)
        kept = H.copy()
        np.testing.assert_array_equal(
            BagSilhouette("precomputed").fit(H).evaluate(labels),
            BagSilhouette(kind).fit(bags).evaluate(labels),
        )
        np.testing.assert_array_equal(H, kept)
