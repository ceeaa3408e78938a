"""BAMIC: the alternation of its two steps, with distances that are not symmetric."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from moo_clustering.bags import Bags, bag_distances
from moo_clustering.bags.repair import PartitionRepair
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators.bags_kmeans import BAMIC, bamic, updated_medoids

TOY = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]


def hausdorff(a, b):
    return max(min(np.linalg.norm(np.subtract(x, z)) for z in b) for x in a)


def naive_assign(H, medoids):
    labels = [min(range(len(medoids)), key=lambda k: H[b][medoids[k]]) for b in range(len(H))]
    for k, medoid in enumerate(medoids):
        labels[medoid] = k
    return labels


def naive_update(H, labels, medoids):
    updated = []
    for k, medoid in enumerate(medoids):
        members = [b for b in range(len(H)) if labels[b] == k]
        costs = {i: sum(H[i][j] for j in members if j != i) for i in members}
        least = min(costs.values())
        updated.append(medoid if costs[medoid] == least else min(i for i in members if costs[i] == least))
    return updated


def naive_bamic(H, medoids):
    """All states up to the first that has no successor, or that comes back."""
    states = []
    while sorted(medoids) not in [sorted(m) for m, _ in states]:
        labels = naive_assign(H, medoids)
        states.append((medoids, labels))
        medoids = naive_update(H, labels, medoids)
    first = [sorted(m) for m, _ in states].index(sorted(medoids))
    return states, first


def inertia(H, medoids, labels):
    return sum(H[b][medoids[labels[b]]] for b in range(len(H)))


def table(seed, n, integers=False):
    rng = np.random.default_rng(seed)
    H = rng.integers(1, 5, (n, n)).astype(float) if integers else rng.random((n, n))
    np.fill_diagonal(H, 0.0)
    return H, rng


# From medoids (2, 3): bag 2 is nearer to bag 1 (8.54) than to bag 4 (10.77).
@pytest.mark.parametrize(
    ("start", "labels", "medoids"),
    [
        ((0, 1), (1, 1, 0, 0, 0), (3, 1)),
        ((0, 4), (0, 0, 0, 1, 1), (1, 4)),
        ((2, 3), (1, 1, 1, 0, 0), (4, 1)),
    ],
)
def test_toy_bags(start, labels, medoids):
    H = bag_distances(TOY)
    run = bamic(H, np.array(start))
    np.testing.assert_array_equal(run.labels, [labels])
    np.testing.assert_array_equal(run.centers, [medoids])
    expected = sum(hausdorff(TOY[b], TOY[medoids[k]]) for b, k in enumerate(labels))
    assert run.inertia[0] == pytest.approx(expected)
    model = BAMIC(2, init=start, normalize=False).fit(TOY)
    assert model.inertia_ == pytest.approx(expected)
    for own, medoid in zip(labels, np.array(medoids)[list(labels)], strict=True):
        assert model.medoid_indices_[model.labels_[labels.index(own)]] == medoid
    np.testing.assert_array_equal(model.medoid_bags_[0], TOY[model.medoid_indices_[0]])


def test_half_a_table_mirrored_would_end_elsewhere():
    H = bag_distances(TOY)
    upper = np.triu(H) + np.triu(H).T
    ends = [tuple(bamic(T, np.array([0, 1])).centers[0]) for T in (H, H.T, upper)]
    assert ends[0] == (3, 1)
    assert len({*ends}) > 1
    assert ends[1] != ends[0]


def test_a_bag_that_touches_all_others_is_the_medoid():
    # Nearest instances: bag 0 has one in common with bag 1 and one with bag 2, which are far apart.
    H = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.0, 5.0, 0.0]])
    np.testing.assert_array_equal(updated_medoids(H, np.zeros((1, 3), np.int32), np.array([[1]])), [[0]])


def test_candidates_are_measured_to_members():
    # From bag 0 to the others it is near, from the others to bag 0 far; bag 1 the other way round.
    H = np.array([[0.0, 1.0, 1.0], [9.0, 0.0, 5.0], [9.0, 1.0, 0.0]])
    np.testing.assert_array_equal(updated_medoids(H, np.zeros((1, 3), np.int32), np.array([[1]])), [[0]])
    np.testing.assert_array_equal(updated_medoids(H.T, np.zeros((1, 3), np.int32), np.array([[0]])), [[1]])


def test_bags_are_measured_to_medoids():
    H = np.array([[0.0, 9.0, 9.0], [9.0, 0.0, 9.0], [1.0, 2.0, 0.0]])
    H[0, 2], H[1, 2] = 5.0, 0.5
    np.testing.assert_array_equal(bamic(H, np.array([0, 1]), 1).labels[0][2], 0)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), k=st.integers(1, 3), integers=st.booleans())
def test_is_the_plain_alternation(seed, n, k, integers):
    H, rng = table(seed, n, integers)
    starts = np.array([rng.permutation(n)[: min(k, n)] for _ in range(3)])
    runs = bamic(H, starts)
    for s, start in enumerate(starts.tolist()):
        states, first = naive_bamic(H, start)
        values = [inertia(H, *state) for state in states]
        np.testing.assert_allclose([value for value, _ in runs.history[s]], values)
        best = first + int(np.argmin(values[first:]))
        assert runs.inertia[s] == pytest.approx(min(values[first:]))
        if np.sum(np.isclose(values[first:], values[best])) == 1:
            assert runs.centers[s].tolist() == states[best][0]
            assert runs.labels[s].tolist() == states[best][1]
        assert runs.n_iter[s] == len(states)
        assert runs.converged[s]
        alone = bamic(H, starts[s])
        np.testing.assert_array_equal(alone.labels[0], runs.labels[s])


def test_incumbent_stays_among_equals():
    H = np.ones((4, 4)) - np.eye(4)
    run = bamic(H, np.array([3, 2]))
    np.testing.assert_array_equal(run.centers, [[3, 2]])
    assert run.n_iter[0] == 1
    labels = np.array([[1, 1, 1, 0]], np.int32)
    # Bag 2 is no member any more: the lowest of the equals.
    np.testing.assert_array_equal(updated_medoids(H, labels, np.array([[3, 3]])), [[3, 0]])


def test_equal_bags_keep_a_cluster_each():
    run = bamic(np.zeros((4, 4)), np.array([1, 3]))
    np.testing.assert_array_equal(run.labels, [[0, 0, 0, 1]])


def test_cycle_ends_with_its_best_and_no_warning():
    cycles = 0
    for seed in range(20):
        H, rng = table(seed, 7)
        start = rng.permutation(7)[:2]
        states, first = naive_bamic(H, start.tolist())
        run = bamic(H, start)
        assert run.converged[0]
        if len(states) - first > 1:
            cycles += 1
            assert run.inertia[0] == pytest.approx(min(inertia(H, *state) for state in states[first:]))
    assert cycles > 3


def test_warns_only_when_time_runs_out():
    bags = [np.random.default_rng(i).random((3, 2)) for i in range(40)]
    with pytest.warns(ConvergenceWarning, match="clusters did not converge in max_iter=1 iterations"):
        BAMIC(3, max_iter=1, random_state=0).fit(bags)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(10):
            BAMIC(3, random_state=seed).fit(bags)


def test_repair_after_every_assignment():
    H, rng = table(3, 12)
    constraints = PairwiseConstraints([(0, 1), (1, 2)], [(2, 3), (4, 5)], n_samples=12)
    starts = np.array([rng.permutation(12)[:3] for _ in range(10)])
    runs = bamic(H, starts, repair=PartitionRepair(12, 2, constraints))
    for labels, inertia_, medoids in zip(runs.labels, runs.inertia, runs.centers, strict=True):
        assert labels[0] == labels[1] == labels[2] != labels[3]
        assert labels[4] != labels[5]
        assert np.bincount(labels, minlength=3).min() >= 2
        assert inertia_ == pytest.approx(inertia(H, medoids, labels))


@pytest.mark.parametrize("kind", ["directed", "symmetric", "mean_min", "min_min", "mean"])
def test_every_kind_of_distance(kind):
    rng = np.random.default_rng(0)
    bags = [rng.random((rng.integers(1, 5), 2)) for _ in range(15)]
    model = BAMIC(3, kind=kind, normalize=False, random_state=0).fit(bags)
    H = bag_distances(bags, kind=kind)
    assert model.inertia_ == pytest.approx(H[np.arange(15), model.medoid_indices_[model.labels_]].sum())
    # A bag is not at distance 0 from itself in the mean, so that a medoid may be nearer to another.
    others = np.setdiff1d(np.arange(15), model.medoid_indices_)
    np.testing.assert_array_equal(model.predict(bags)[others], model.labels_[others])
    np.testing.assert_allclose(model.transform(bags), H[:, model.medoid_indices_], atol=1e-12)


def test_against_the_kmedoids_library():
    kmedoids = pytest.importorskip("kmedoids")
    rng = np.random.default_rng(1)
    bags = [rng.random((rng.integers(1, 6), 3)) + 2 * (i % 4) for i in range(60)]
    H = bag_distances(bags, kind="symmetric")
    best = np.inf
    for seed in range(10):
        start = np.random.default_rng(seed).permutation(60)[:4]
        run = bamic(H, start)
        same = kmedoids.alternating(H, start.astype(np.uint64))
        np.testing.assert_array_equal(np.sort(same.medoids), np.sort(run.centers[0]))
        assert same.loss == pytest.approx(run.inertia[0])
        swapped = kmedoids.fasterpam(H, run.centers[0].astype(np.uint64))
        assert swapped.loss <= run.inertia[0] + 1e-9
        best = min(best, kmedoids.fasterpam(H, start.astype(np.uint64)).loss)
    model = BAMIC(4, kind="symmetric", n_init=20, normalize=False, random_state=0).fit(bags)
    assert best - 1e-9 <= model.inertia_ <= 1.05 * best


def test_given_medoids_must_be_different_bags():
    with pytest.raises(ValueError, match="2 bag indices"):
        BAMIC(2, init=[0, 1, 2]).fit(TOY)
    with pytest.raises(ValueError, match="2 bag indices"):
        BAMIC(2, init=[0.0, 1.0]).fit(TOY)
    with pytest.raises(ValueError, match="distinct bag indices from 0 to 4"):
        BAMIC(2, init=[1, 1]).fit(TOY)
    with pytest.raises(ValueError, match="distinct bag indices from 0 to 4"):
        BAMIC(2, init=[0, 5]).fit(TOY)
    with pytest.raises(ValueError, match="'kind' parameter"):
        BAMIC(2, kind="hausdorff").fit(TOY)
    with pytest.raises(ValueError, match="max_memory=100 bytes"):
        BAMIC(2, max_memory=100).fit(TOY)
    # Five times five numbers of eight bytes just fit.
    assert len(BAMIC(2, max_memory=200).fit(TOY).labels_) == 5


def test_medoids_are_kept_in_the_units_of_the_data():
    bags = Bags.from_list([np.asarray(bag) * 100.0 + 7 for bag in TOY])
    model = BAMIC(2, random_state=0).fit(bags)
    for bag, number in zip(model.medoid_bags_, model.medoid_indices_, strict=True):
        np.testing.assert_array_equal(bag, bags[number])


def test_distance_of_a_candidate_to_itself_does_not_count():
    H = np.array([[5.0, 1.0, 1.0], [1.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    np.testing.assert_array_equal(updated_medoids(H, np.zeros((1, 3), np.int32), np.array([[1]])), [[0]])
