"""Indices of bag partitions on five bags whose values are known."""

from __future__ import annotations

import numpy as np
import pytest

from moo_clustering.bags import BagGeometry, BagTransformer, as_bags, bag_distances
from moo_clustering.validity import (
    FTWCV,
    TWCV,
    BagDaviesBouldin,
    BagSDbw,
    BagSilhouette,
    bag_indices,
    bag_report,
    db_medoid,
)

BAGS = [
    [[0.0, 0.0], [2.0, 0.0]],
    [[0.0, 1.0]],
    [[8.0, 0.0], [8.0, 2.0], [8.0, 4.0]],
    [[10.0, 2.0], [6.0, 2.0]],
    [[4.0, 10.0]],
]
TWO, THREE, GAP, ONE_ALONE, ALL_IN_ONE = (
    (0, 0, 1, 1, 1),
    (0, 0, 1, 1, 2),
    (0, 0, 2, 2, 2),
    (0, 0, 0, 0, 1),
    (0, 0, 0, 0, 0),
)
ALMOST = {"rtol": 0.0, "atol": 1e-10}

VALUES = [
    (BagDaviesBouldin(), TWO, 0.8293670558961574),
    (BagDaviesBouldin("instance"), TWO, 0.789272467883347),
    (BagDaviesBouldin(), THREE, 0.3485859161571185),
    (BagDaviesBouldin(), GAP, 0.8293670558961574),
    (BagDaviesBouldin(), ONE_ALONE, 0.5465293562986367),
    (BagDaviesBouldin(), ALL_IN_ONE, 1e6),
    (BagDaviesBouldin(undefined=np.inf), ALL_IN_ONE, np.inf),
    (BagDaviesBouldin(), (0, 0, 1, 1, 0), 1.0139943443142767),
    (TWCV(), TWO, 80.3333333333333),
    (TWCV("instance"), TWO, 78.7777777777778),
    (TWCV(), THREE, 11.0),
    (TWCV(), GAP, 80.3333333333333),
    (TWCV(), (0, 0, 1, 1, 0), 79.6666666666667),
    (TWCV(), ALL_IN_ONE, 155.4),
    (FTWCV(), TWO, 54.3333333333333),
    (FTWCV("printed"), TWO, 173.9444444444444),
    (FTWCV("printed_meansq"), TWO, 169.0),
    (FTWCV(), THREE, 1.0),
    (FTWCV(), GAP, 54.3333333333333),
    (FTWCV("printed"), GAP, 173.9444444444444),
    (BagSilhouette(), TWO, 0.5202354735156673),
    (BagSilhouette(average="bag"), TWO, 0.4635171171298297),
    (BagSilhouette("symmetric"), TWO, 0.4572278893490022),
    (BagSilhouette("symmetric", "bag"), TWO, 0.39708840055826244),
    (BagSilhouette(), THREE, 0.49478864583409504),
    (BagSilhouette(average="bag"), THREE, 0.593746375000914),
    (BagSilhouette(), GAP, 0.5202354735156673),
    (BagSilhouette(average="bag"), GAP, 0.4635171171298297),
    (BagSilhouette(), ONE_ALONE, 0.21539976888603773),
    (BagSilhouette(), ALL_IN_ONE, 0.0),
    (BagSilhouette(average="bag"), ALL_IN_ONE, 0.0),
    (BagSilhouette(), (0, 1, 2, 3, 4), 0.0),
    (BagSDbw(), TWO, 0.438631209051363),
    (BagSDbw("count"), TWO, 0.438631209051363),
    (BagSDbw(sigma="instance"), TWO, 0.38179907727209367),
    (BagSDbw("printed"), TWO, 2.2499126939043843),
    (BagSDbw("printed", "instance"), TWO, 2.193080562125115),
    (BagSDbw(), THREE, 0.006886234000279182),
    (BagSDbw(), GAP, 0.438631209051363),
    (BagSDbw("printed"), GAP, 2.2499126939043843),
    (BagSDbw(), ALL_IN_ONE, 1e6),
    (BagSDbw(undefined=np.inf), ALL_IN_ONE, np.inf),
]


@pytest.mark.parametrize(("index", "labels", "expected"), VALUES)
def test_worked_values(index, labels, expected):
    np.testing.assert_allclose(index.fit(BAGS).evaluate(labels), [expected], **ALMOST)


def test_a_population_of_different_numbers_of_clusters():
    labels = [TWO, THREE, GAP, ONE_ALONE, ALL_IN_ONE]
    for index in (BagDaviesBouldin(), BagSilhouette(), BagSDbw("printed"), TWCV(), FTWCV("printed")):
        index.fit(BAGS)
        one_by_one = np.concatenate([index.evaluate(row) for row in labels])
        np.testing.assert_allclose(index.evaluate(labels), one_by_one, **ALMOST)


def test_parts_of_sdbw():
    scatter, density = BagSDbw().fit(BAGS).parts([TWO, ALL_IN_ONE])
    np.testing.assert_allclose(scatter, [0.438631209051363, np.inf], **ALMOST)
    np.testing.assert_array_equal(density, [0.0, np.inf])
    printed = BagSDbw("printed").fit(BAGS).parts(TWO)
    np.testing.assert_allclose(printed, [[0.438631209051363], [1.8112814848530213]], **ALMOST)


def test_density_of_bags_around_the_midpoint():
    # Norms of variances 38/3 (1, 3, 9.5: mean 4.5) and the like for the mirrored cluster.
    points = np.array([1.0, 3.0, 9.5, -1.0, -3.0, -9.5])
    variance = np.var(points[:3])
    stdev = np.sqrt(2 * variance) / 2
    assert 1 < stdev < 3 < 4.5
    # Near the midpoint 0: 1 and -1. Near 4.5: only 3.
    scatter, density = BagSDbw().fit(points[:, None, None]).parts([0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(scatter, variance / np.var(points), rtol=1e-12)
    np.testing.assert_allclose(density, 2 / 1)
    np.testing.assert_allclose(
        BagSDbw("count").fit(points[:, None, None]).parts([0, 0, 0, 1, 1, 1])[1], 2 / 3
    )


def test_equal_bags_have_no_scatter():
    scatter, density = BagSDbw().fit(np.ones((4, 2, 1))).parts([[0, 0, 1, 1], [0, 0, 0, 0]])
    np.testing.assert_array_equal(scatter, [0.0, np.inf])
    assert np.isposinf(density[1])


def test_lone_points_have_no_variance():
    singletons = BagSDbw(ddof=1).fit(np.arange(3.0)[:, None, None]).parts([0, 1, 2])
    np.testing.assert_array_equal(np.concatenate(singletons), [0.0, 0.0])


def test_variances_do_not_cancel():
    # Variances 1e-8 and 4e-8 at an offset whose square is 1e12: single-pass formulas would lose them.
    X = 1e6 + np.array([1e-4, -1e-4, 2e-4, -2e-4, 1.0])[:, None]
    scatter, _ = BagSDbw().fit(X).parts([0, 0, 1, 1, 2])
    np.testing.assert_allclose(scatter, 5e-8 / 3 / np.var(X), rtol=1e-5)


@pytest.mark.parametrize(
    ("labels", "medoids", "expected"),
    [
        (TWO, (1, 2), 0.49021531714815864),
        (GAP, (1, 0, 2), 0.49021531714815864),
        (GAP, (1, -1, 2), 0.49021531714815864),
        ((1, 1, 0, 0, 0), (2, 1, -1), 0.49021531714815864),
        (ALL_IN_ONE, (1, 2), np.inf),
        (TWO, (1, 1), np.inf),
    ],
)
def test_davies_bouldin_of_medoids(labels, medoids, expected):
    np.testing.assert_allclose(db_medoid(bag_distances(BAGS), labels, medoids), [expected], **ALMOST)


def test_davies_bouldin_of_medoids_takes_populations():
    H = bag_distances(BAGS)
    labels = np.array([TWO, THREE, ALL_IN_ONE])
    medoids = np.array([(1, 2, -1), (0, 3, 4), (2, -1, -1)])
    expected = [db_medoid(H, row, centers)[0] for row, centers in zip(labels, medoids, strict=True)]
    np.testing.assert_array_equal(db_medoid(H, labels, medoids), expected)
    assert db_medoid(H, labels[:0], medoids[:0]).shape == (0,)
    # By hand: radii 1, 0, 2 means (0.5, 1, 0); the worst pairs are (0, 1) twice and (1, 2).
    a, b, c = (0 + 1) / 2, (2.8284271247461903 + 0) / 2, 0.0
    d01, d02, d12 = 8.246211251235321, 10.770329614269007, 10.0
    worst = [max((a + b) / d01, (a + c) / d02), max((a + b) / d01, (b + c) / d12)]
    np.testing.assert_allclose(expected[1], (sum(worst) + max((a + c) / d02, (b + c) / d12)) / 3, **ALMOST)


@pytest.mark.parametrize(
    ("labels", "medoids", "message"),
    [
        (TWO, (1, 5), "from 0 to 4, got 5"),
        (TWO, (1, -2), "got -2"),
        (GAP, (1, 2), "from 0 to 1, got 2"),
        ((0, 0, -1, 1, 1), (1, 2), "got -1"),
        (GAP, (1, 2, -1), "cluster 2, but medoids has no medoid for it"),
        ((0, 1), (1, 2), r"each row of labels must have one entry per .* \(5\), got"),
        ([TWO, TWO], (1, 2), "medoids must have one row per row of labels .2., got 1"),
    ],
)
def test_medoids_that_do_not_fit_are_refused(labels, medoids, message):
    with pytest.raises(ValueError, match=message):
        db_medoid(bag_distances(BAGS), labels, medoids)
    with pytest.raises(ValueError, match="square"):
        db_medoid(np.zeros((2, 3)), (0, 1), (0, 1))


def test_directions_of_distances():
    # From bag 0 to bag 1 it is 9, from 1 to 0 only 0: the row of the scored bag is what counts.
    H = np.array([[0.0, 9.0, 5.0], [0.0, 0.0, 5.0], [4.0, 8.0, 0.0]])
    labels = [0, 0, 1]
    by_row = ((5 - 9) / 9 + (5 - 0) / 5 + 0) / 3
    np.testing.assert_allclose(BagSilhouette("precomputed", "bag").fit(H).evaluate(labels), [by_row])
    by_column = ((4 - 0) / 4 + (8 - 9) / 9) / 3
    np.testing.assert_allclose(BagSilhouette("precomputed", "bag").fit(H.T).evaluate(labels), [by_column])
    mirrored = np.triu(H) + np.triu(H).T
    assert BagSilhouette("precomputed").fit(mirrored).evaluate(labels)[0] != by_row
    # A candidate medoid is not the bag it is far from: r_b = H[b, medoid].
    np.testing.assert_allclose(db_medoid(H, labels, [1, 2]), [(9 + 0) / 2 / 8])


def test_the_distance_of_a_bag_to_itself_does_not_count():
    bags = [[[0.0], [4.0]], [[1.0], [3.0]], [[10.0]]]
    H = bag_distances(bags, kind="mean")
    assert H[0, 0] > 0
    # Bag 0: 2 to bag 1, 8 to bag 2. Bag 1: 2 and 8.
    expected = ((8 - 2) / 8 + (8 - 2) / 8) / 3
    np.testing.assert_allclose(BagSilhouette("mean", "bag").fit(bags).evaluate([0, 0, 1]), [expected])
    np.testing.assert_allclose(BagSilhouette("precomputed", "bag").fit(H).evaluate([0, 0, 1]), [expected])


def test_equal_bags_in_different_clusters_count_nothing():
    bags = [[[0.0]], [[0.0]], [[0.0]], [[0.0]], [[9.0]]]
    # All four are 0 from their own cluster and 0 from the other one, though 9 from the last.
    assert BagSilhouette(average="bag").fit(bags).evaluate([0, 0, 1, 1, 2]) == 0.0


def test_the_farthest_instance_counts_not_the_nearest():
    bags = [[[0.0], [10.0]], [[0.0]], [[20.0]], [[20.0]]]
    # Centroids 2.5 and 20: radii (7.5 + 2.5) / 2 and 0.
    np.testing.assert_allclose(BagDaviesBouldin().fit(bags).evaluate([0, 0, 1, 1]), [5 / 17.5])


def test_instances_left_out_for_speed_still_count_in_means():
    # Instance 4 is never the farthest, but the mean is 4.
    bags = [[[0.0], [4.0], [4.0], [8.0]], [[0.0]], [[30.0]], [[31.0]]]
    everything, pruned = (BagGeometry(as_bags(bags), prune=prune) for prune in (False, True))
    assert pruned.arrays.squares.size < everything.arrays.squares.size
    center = (4 + 0) / 2
    expected = ((8 - center) + 2) / 2 + 0.5
    for data in (bags, everything, pruned):
        values = BagDaviesBouldin().fit(data).evaluate([0, 0, 1, 1])
        np.testing.assert_allclose(values, [expected / (30.5 - center)])


def test_coinciding_centroids_are_as_bad_as_one_cluster():
    bags = [[[0.0]], [[2.0]], [[1.0]], [[1.0]]]
    for undefined in (1e6, np.inf):
        index = BagDaviesBouldin(undefined=undefined).fit(bags)
        np.testing.assert_array_equal(index.evaluate([[0, 0, 1, 1], [0, 0, 0, 0]]), [undefined, undefined])
    # Nor may a partition that is all but undefined be worse than one that is.
    nearly = [[[0.0]], [[2.0]], [[1.0]], [[1.0 + 1e-7]]]
    assert BagDaviesBouldin().fit(nearly).evaluate([0, 0, 1, 1]) == 1e6
    assert 1e6 < BagDaviesBouldin(undefined=np.inf).fit(nearly).evaluate([0, 0, 1, 1])[0] < np.inf


def test_literal_variations_see_the_origin():
    moved = [np.array(bag) + np.array([3.0, -7.0]) for bag in BAGS]
    for reading in ("printed", "printed_meansq"):
        here, there = (FTWCV(reading).fit(bags).evaluate([TWO, ONE_ALONE]) for bags in (BAGS, moved))
        assert np.all(np.abs(here - there) > 1)


def test_weightings_cannot_be_mixed_up():
    shared = BagGeometry(as_bags(BAGS), weighting="instance")
    index = BagDaviesBouldin("instance").fit(shared)
    assert index.geometry_ is shared
    np.testing.assert_allclose(index.evaluate(TWO), [0.789272467883347], **ALMOST)
    for wrong in (BagDaviesBouldin(), TWCV(), FTWCV(), BagSDbw()):
        with pytest.raises(ValueError, match="weighting='bag', but was fitted to a geometry"):
            wrong.fit(shared)
    np.testing.assert_allclose(BagSilhouette().fit(shared).evaluate(TWO), [0.5202354735156673], **ALMOST)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (BagDaviesBouldin("mean"), "weighting must be one of 'bag', 'instance'"),
        (TWCV("mean"), "weighting"),
        (FTWCV("fast"), "reading must be one of"),
        (FTWCV(weighting=3), "weighting"),
        (BagSilhouette("hausdorff"), "kind must be one of"),
        (BagSilhouette(average="mean"), "average must be one of"),
        (BagSilhouette(max_memory=399), "max_memory=399"),
        (BagSDbw("literal"), "reading must be one of"),
        (BagSDbw(sigma="mean"), "sigma"),
        (BagSDbw(ddof=2), "ddof must be 0 or 1, got 2"),
        (BagSDbw(weighting="mean"), "weighting"),
    ],
)
def test_wrong_options_are_refused(index, message):
    with pytest.raises(ValueError, match=message):
        index.fit(BAGS)


@pytest.mark.parametrize("undefined", [0.0, -1.0, np.nan])
def test_a_bound_must_be_positive(undefined):
    for index in (BagDaviesBouldin(undefined=undefined), BagSDbw(undefined=undefined)):
        with pytest.raises(ValueError, match="undefined must be a positive number"):
            index.fit(BAGS).evaluate(TWO)


def test_wrong_matrices_are_refused():
    index = BagSilhouette("precomputed")
    with pytest.raises(ValueError, match="square"):
        index.fit(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="must be non-negative, got -2"):
        index.fit(np.array([[0.0, -2.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="NaN"):
        index.fit(np.array([[0.0, np.nan], [1.0, 0.0]]))


def test_report():
    report = bag_report(BAGS, GAP, y=["p", "p", "n", "n", "p"])
    assert list(report)[:3] == ["n_clusters", "smallest_cluster", "cluster_sizes"]
    assert (report["n_clusters"], report["smallest_cluster"], report["cluster_sizes"]) == (2, 2, [2, 3])
    expected = {
        "davies_bouldin_bag": 0.8293670558961574,
        "davies_bouldin_instance": 0.789272467883347,
        "silhouette_cluster": 0.5202354735156673,
        "silhouette_bag": 0.4635171171298297,
        "sdbw_bag": 0.438631209051363,
        "sdbw_instance": 0.38179907727209367,
        "twcv_bag": 80.3333333333333,
        "twcv_instance": 78.7777777777778,
        "ftwcv_bag": 54.3333333333333,
        "ftwcv_instance": 68.0,
        "matched_rand_index": 0.8,
        "entropy": 0.5509775004,
        "f1": 0.8,
        "adjusted_rand": 1 / 6,
        "accuracy": 0.8,
    }
    assert set(report) == {"n_clusters", "smallest_cluster", "cluster_sizes", *expected}
    for name, value in expected.items():
        assert report[name] == pytest.approx(value, abs=1e-10), name
    assert bag_report(BAGS, GAP, y=list("ppnnp"), pos_label="n")["f1"] == pytest.approx(0.8)
    assert bag_report(BAGS, TWO, y=list("ppnnn"), pos_label="n")["f1"] == 1.0


def test_report_of_one_cluster_hides_nothing():
    report = bag_report(BAGS, ALL_IN_ONE)
    assert report["davies_bouldin_bag"] == report["sdbw_instance"] == np.inf
    assert report["silhouette_bag"] == 0.0
    assert report["smallest_cluster"] == 5
    assert "accuracy" not in report


def test_reports_can_share_what_is_computed_once():
    for weighting in ("bag", "instance"):
        shared = bag_indices(BagGeometry(as_bags(BAGS), weighting=weighting), n_jobs=2)
        for labels in (TWO, THREE):
            assert bag_report(None, labels, indices=shared) == bag_report(BAGS, labels)
    with pytest.raises(ValueError, match="one partition"):
        bag_report(BAGS, [TWO, THREE])
    with pytest.raises(ValueError, match=r"each row of labels must have one entry per .* \(5\), got"):
        bag_report(BAGS, [0, 1, 0])


def test_normalised_bags():
    # Columns span 10: everything shrinks by that, the scale-free indices stay.
    scaled = BagTransformer().fit_transform(as_bags(BAGS))
    np.testing.assert_allclose(BagDaviesBouldin().fit(scaled).evaluate(TWO), [0.8293670558961574], **ALMOST)
    np.testing.assert_allclose(TWCV().fit(scaled).evaluate(TWO), [0.803333333333333], **ALMOST)
