"""MIKMeans: farthest instances, weighted centres, clusters that run empty."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from moo_clustering.bags import BagGeometry, BagObjective, Bags
from moo_clustering.estimators.bags_kmeans import MIKMeans, mi_kmeans

TOY = Bags.from_list([[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]])


def random_bags(seed, n_bags=8, n_features=2):
    rng = np.random.default_rng(seed)
    return Bags.from_list([5 * rng.random((rng.integers(1, 5), n_features)) for _ in range(n_bags)]), rng


def naive_distance(bag, vector):
    return max(float(np.linalg.norm(x - vector)) for x in bag)


def naive_centers(bags, labels, centers, weighting):
    out = np.array(centers, dtype=float)
    for k in range(len(centers)):
        members = [bag for bag, label in zip(bags, labels, strict=True) if label == k]
        if members and weighting == "bag":
            out[k] = np.mean([bag.mean(axis=0) for bag in members], axis=0)
        elif members:
            out[k] = np.concatenate(members).mean(axis=0)
    return out


def naive_fill(labels, distances):
    labels, moved = list(labels), set()
    for k in range(len(distances[0])):
        if k in labels:
            continue
        able = [b for b in range(len(labels)) if b not in moved and labels.count(labels[b]) > 1]
        chosen = max(able, key=lambda b: (distances[b][labels[b]], -b))
        labels[chosen] = k
        moved.add(chosen)
    return labels


def naive_run(bags, centers, weighting, empty, max_iter=100):
    """Labels, centres and inertia after every update, to the first repetition of a partition."""
    states = []
    while True:
        distances = [[naive_distance(bag, c) for c in centers] for bag in bags]
        labels = [int(np.argmin(row)) for row in distances]
        if empty == "repair":
            labels = naive_fill(labels, distances)
        centers = naive_centers(bags, labels, centers, weighting)
        if any(labels == old for old, *_ in states) or len(states) == max_iter:
            return states
        value = sum(naive_distance(bag, centers[k]) ** 2 for bag, k in zip(bags, labels, strict=True))
        states.append((labels, centers, value))


@pytest.mark.parametrize(
    ("start", "labels", "centers", "value"),
    [
        ([(0, 0), (0, 1)], (0, 0, 1, 1, 1), [(0.5, 0.5), (20 / 3, 14 / 3)], 80 + 1 / 3),
        # Radii: 5.82, 4.92, 3.56, 4.38 and 4.92; squares by hand.
        (
            [(10, 2), (4, 10)],
            (0, 1, 0, 0, 1),
            [(17 / 3, 4 / 3), (2, 5.5)],
            (289 + 16) / 9 + 24.25 + (49 + 64) / 9 + (169 + 4) / 9 + 24.25,
        ),
    ],
)
def test_toy_bags(start, labels, centers, value):
    run = mi_kmeans(TOY, np.array(start, dtype=float))
    np.testing.assert_array_equal(run.labels, labels)
    np.testing.assert_allclose(run.centers, centers)
    assert run.inertia == pytest.approx(value)
    assert run.converged
    model = MIKMeans(2, init=start, normalize=False).fit(TOY)
    np.testing.assert_array_equal(model.labels_, labels)  # canonical already
    np.testing.assert_allclose(model.cluster_centers_, centers)
    assert model.inertia_ == pytest.approx(value)
    np.testing.assert_array_equal(model.predict(TOY), labels)


def test_bags_count_alike_unless_instances_do():
    start = np.array([(0.0, 0.0), (0.0, 1.0)])
    by_bag = mi_kmeans(TOY, start, weighting="bag")
    by_instance = mi_kmeans(TOY, start, weighting="instance")
    np.testing.assert_array_equal(by_bag.labels, by_instance.labels)
    np.testing.assert_allclose(by_bag.centers, [(0.5, 0.5), (20 / 3, 14 / 3)])
    np.testing.assert_allclose(by_instance.centers, [(2 / 3, 1 / 3), (22 / 3, 10 / 3)])
    assert by_instance.inertia == pytest.approx(78.7777777778)


def test_means_are_of_all_instances():
    # The middle instance can be the farthest from no centre, but belongs to the mean.
    bags = [[[0.0], [1.0], [10.0]], [[100.0]]]
    model = MIKMeans(2, init=[[0.0], [100.0]], normalize=False).fit(bags)
    np.testing.assert_allclose(model.cluster_centers_, [[11 / 3], [100.0]])


def test_farthest_instance_decides():
    model = MIKMeans(2, init=[[0.0], [10.0]], normalize=False).fit([[[0.0]], [[10.0]]])
    # The nearest instance of the first is at the first centre, its farthest nearer to the second; the
    # second is equally far from both.
    np.testing.assert_array_equal(model.predict([[[0.0], [14.0]], [[4.0], [5.5], [6.0]]]), [1, 0])
    np.testing.assert_allclose(model.transform([[[0.0], [14.0]]]), [[14.0, 10.0]])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 4),
    weighting=st.sampled_from(["bag", "instance"]),
)
def test_is_the_plain_alternation(seed, k, weighting):
    bags, rng = random_bags(seed)
    start = bags.instances[rng.permutation(bags.n_instances)[:k]]
    run = mi_kmeans(bags, start, weighting=weighting)
    states = naive_run(bags, start, weighting, "repair")
    n = len(run.history)
    np.testing.assert_allclose([value for value, _ in run.history], [value for *_, value in states[:n]])
    at = int(np.flatnonzero(np.isclose([value for *_, value in states[:n]], run.inertia))[-1])
    np.testing.assert_array_equal(run.labels, states[at][0])
    np.testing.assert_allclose(run.centers, states[at][1])
    assert len({*run.labels}) == k


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), weighting=st.sampled_from(["bag", "instance"]))
def test_kept_centers_stay(seed, weighting):
    bags, rng = random_bags(seed)
    start = bags.instances[rng.permutation(bags.n_instances)[:3]]
    run = mi_kmeans(bags, start, weighting=weighting, empty="keep")
    states = naive_run(bags, start, weighting, "keep")
    assert run.history[0][0] == pytest.approx(states[0][2])
    np.testing.assert_allclose(
        run.centers, naive_centers(bags, run.labels, run.centers, weighting), atol=1e-12
    )


def test_inertia_is_the_total_within_cluster_variation():
    bags, _ = random_bags(5, n_bags=30)
    for weighting in ("bag", "instance"):
        run = mi_kmeans(bags, bags.instances[:3], weighting=weighting)
        objective = BagObjective(BagGeometry(bags, weighting=weighting), 3, "twcv")
        assert run.inertia == pytest.approx(float(objective.evaluate(run.labels[None])[0]))
        centroids = objective.geometry.centroids(run.labels, 3)
        np.testing.assert_allclose(run.centers, centroids)


def test_empty_cluster_gets_the_bag_farthest_from_its_own_center():
    bags = Bags.from_list([[[0.0], [2.0]], [[-1.0], [1.0]], [[-9.0], [9.0]], [[-2.0], [2.0]]])
    start = np.array([[0.0], [50.0]])
    first = mi_kmeans(bags, start, max_iter=1)
    np.testing.assert_array_equal(first.labels, [0, 0, 1, 0])
    kept = mi_kmeans(bags, start, empty="keep")
    np.testing.assert_array_equal(kept.labels, 0)
    np.testing.assert_allclose(kept.centers, [[0.25], [50.0]])
    assert kept.history == [(pytest.approx(1.75**2 + 1.25**2 + 9.25**2 + 2.25**2), 0)]
    with pytest.warns(UserWarning, match="only 1 of n_clusters=2 clusters is non-empty"):
        model = MIKMeans(2, init=start, empty="keep", normalize=False).fit(bags)
    assert model.cluster_centers_.shape == (1, 1)
    assert np.isfinite(model.cluster_centers_).all()
    np.testing.assert_array_equal(model.predict([[[60.0]]]), [0])
    with pytest.raises(ValueError, match="empty='keep'"):
        MIKMeans(2, empty="keep", min_cluster_size=2).fit(bags)


@pytest.mark.parametrize("seed", range(4))
def test_single_instances_make_it_lloyds_k_means(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 3)) + 4 * rng.integers(0, 2, (80, 3))
    start = X[rng.permutation(80)[:4]]
    model = MIKMeans(4, init=start, normalize=False, max_iter=300).fit(X)
    other = KMeans(4, init=start, n_init=1, tol=0, max_iter=300, algorithm="lloyd").fit(X)
    order = [int(other.labels_[np.flatnonzero(model.labels_ == k)[0]]) for k in range(4)]
    np.testing.assert_array_equal(np.array(order)[model.labels_], other.labels_)
    np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_[order])
    assert model.inertia_ == pytest.approx(other.inertia_)
    new = rng.standard_normal((50, 3)) * 3
    np.testing.assert_array_equal(np.array(order)[model.predict(new)], other.predict(new))


def test_starts():
    bags, _ = random_bags(0, n_bags=6)
    model = MIKMeans(6, init="bag_mean", max_iter=100, normalize=False, random_state=0)
    rng = np.random.default_rng(0)
    (means,) = model._starts(bags, rng)
    assert {*map(tuple, means)} == {*map(tuple, bags.means())}
    (rows,) = model.set_params(init="instance")._starts(bags, rng)
    owners = [int(np.flatnonzero((bags.instances == row).all(axis=1))[0]) for row in rows]
    assert sorted(bags.bag_of_instance[owners]) == [*range(6)]
    assert {*owners} != {*bags.offsets[:-1]}
    assert len([*model.set_params(n_init=4)._starts(bags, rng)]) == 4
    with pytest.raises(ValueError, match=r"init must have shape .* \(6, 2\), got shape \(2, 2\)"):
        model.set_params(init=np.eye(2)).fit(bags)
    with pytest.raises(ValueError, match="NaN"):
        model.set_params(init=np.full((6, 2), np.nan)).fit(bags)


def test_cycle_ends_with_its_best():
    # Seeds of which the partitions come back without standing still.
    for seed in (133, 257, 306):
        bags, rng = random_bags(seed)
        start = bags.instances[rng.permutation(bags.n_instances)[:3]]
        run = mi_kmeans(bags, start)
        assert run.converged
        onward = mi_kmeans(bags, run.centers)
        assert len(onward.history) > 1
        assert run.inertia == pytest.approx(min(value for value, _ in onward.history))


def test_warns_only_when_time_runs_out():
    bags, _ = random_bags(0, n_bags=40)
    with pytest.warns(ConvergenceWarning, match="clusters did not converge in max_iter=1 iterations"):
        MIKMeans(3, max_iter=1, random_state=0).fit(bags)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(10):
            model = MIKMeans(3, random_state=seed).fit(bags)
        # As many updates as it takes are enough.
        MIKMeans(3, random_state=9, max_iter=model.n_iter_).fit(bags)
