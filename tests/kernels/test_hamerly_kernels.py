"""Lloyd's iterations with bounds against plain ones, and the seeds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from moo_clustering._kernels.kmeans import greedy_seeds, lloyd, two_nearest

SIX = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])


def local_search(X, centers, max_passes=300):
    centers = np.array(centers, dtype=float)
    labels = np.empty(len(X), dtype=np.int32)
    f, passes, evaluations, converged = lloyd(X, centers, labels, max_passes, 0.0)
    return centers, labels, f, passes, evaluations, converged


def squares(X, centers):
    """In the order of the features, as the kernel sums."""
    total = np.zeros((len(X), len(centers)))
    for t in range(X.shape[1]):
        total += (X[:, t, None] - centers[None, :, t]) ** 2
    return total


def plain_lloyd(X, centers, max_passes=300):
    centers, labels = np.array(centers, dtype=float), np.full(len(X), -1)
    for passes in range(1, max_passes + 1):
        D = squares(X, centers)
        before, labels = labels, D.argmin(axis=1)
        own = D.min(axis=1)
        for j in range(len(centers)):
            counts = np.bincount(labels, minlength=len(centers))
            if counts[j] == 0:
                free = np.where(counts[labels] > 1, own, -1.0)
                if free.max() > 1e-20:
                    labels[free.argmax()], own[free.argmax()] = j, 0.0
        if (labels == before).all():
            return centers, labels, passes
        for j in np.unique(labels):
            mean = np.zeros(X.shape[1])
            for x in X[labels == j]:
                mean += x
            centers[j] = mean / (labels == j).sum()
    return centers, labels, max_passes


@pytest.mark.parametrize(
    ("start", "labels", "objective"),
    [
        ((0, 1), [0, 0, 0, 1, 1, 1], 4.0),
        ((0, 2, 11), [0, 0, 1, 2, 2, 2], 2.5),
        ((1, 10, 12), [0, 0, 0, 1, 1, 2], 2.5),
    ],
)
def test_six_numbers(start, labels, objective):
    found = local_search(SIX, np.reshape(start, (-1, 1)))
    np.testing.assert_array_equal(found[1], labels)
    assert found[2] == objective
    assert found[5]


@pytest.mark.parametrize(
    ("n", "d", "k"), [(300, 1, 7), (400, 2, 30), (500, 5, 20), (300, 16, 40), (60, 3, 1)]
)
def test_bounds_change_nothing(n, d, k):
    rng = np.random.default_rng(n + d)
    X = rng.random((k, d))[rng.integers(k, size=n)] + 0.1 * rng.standard_normal((n, d))
    start = X[rng.choice(n, k, replace=False)]
    centers, labels, f, passes, evaluations, converged = local_search(X, start)
    wanted = plain_lloyd(X, start)
    np.testing.assert_array_equal(labels, wanted[1])
    np.testing.assert_array_equal(centers, wanted[0])
    assert passes == wanted[2]
    assert converged
    assert f == pytest.approx(((X - centers[labels]) ** 2).sum(), rel=1e-9)
    # Fewer distances than without bounds, and all in the first pass.
    assert n * k <= evaluations
    if k > 1:
        assert evaluations < n * k * passes


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 14), st.integers(1, 3)), elements=st.integers(-4, 4)),
    st.integers(0, 10**6),
    st.data(),
)
def test_whole_numbers_with_ties_and_copies(X, seed, data):
    k = data.draw(st.integers(1, len(X)))
    start = np.random.default_rng(seed).integers(-6, 7, size=(k, X.shape[1])).astype(float)
    centers, labels, f, *_, converged = local_search(X, start)
    wanted = plain_lloyd(X, start)
    np.testing.assert_array_equal(labels, wanted[1])
    assert converged
    assert f == pytest.approx(((X - centers[labels]) ** 2).sum(), rel=1e-9, abs=1e-25)
    distinct = len(np.unique(X, axis=0))
    if distinct >= k:
        assert len(np.unique(labels)) == k
    if distinct <= k:
        assert f == pytest.approx(0.0, abs=1e-24)


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 7)), elements=st.integers(-2, 2)),
    st.integers(0, 10**6),
    st.data(),
)
def test_tenths_with_ties_but_for_rounding(X, seed, data):
    """Means of copies are not quite where the copies are, and equal distances not quite equal."""
    k = data.draw(st.integers(1, min(len(X), 20)))
    X = X * 0.1
    start = np.random.default_rng(seed).integers(-4, 5, size=(k, X.shape[1])) * 0.1
    _, labels, f, *_, converged = local_search(X, start)
    np.testing.assert_array_equal(labels, plain_lloyd(X, start)[1])
    assert converged
    distinct = len(np.unique(X, axis=0))
    assert len(np.unique(labels)) == min(k, distinct)
    if distinct <= k:
        assert f == pytest.approx(0.0, abs=1e-24)


@pytest.mark.parametrize("value", [0.1, -0.1])
def test_copies_are_not_torn_apart_where_centres_coincide(value):
    # Every sample has its second centre where its first is: no distance tells how coarse the numbers are.
    X = np.repeat([[value], [0.0], [3 * value]], [7, 5, 7], axis=0)
    start = np.repeat([[value], [0.0], [3 * value]], 3, axis=0)
    _, labels, f, *_ = local_search(X, start)
    np.testing.assert_array_equal(labels, np.repeat([0, 3, 6], [7, 5, 7]))
    assert f == pytest.approx(0.0, abs=1e-30)


def test_never_increases(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.random((200, 4))
    start = rng.random((15, 4))
    last = np.inf
    for passes in range(1, 30):
        f = local_search(X, start, passes)[2]
        assert f <= last * (1 + 1e-12)
        last = f


def test_empty_centre_goes_to_the_farthest_sample():
    # 100 belongs to the first centre and is farthest; the second centre has no sample.
    X = np.array([[0.0], [1.0], [100.0], [3.0]])
    labels = local_search(X, [[2.0], [-500.0]], max_passes=1)[1]
    np.testing.assert_array_equal(labels, [0, 0, 1, 0])


def test_empty_centre_leaves_the_last_sample_of_a_cluster():
    # 50 is farthest from its own centre, 60, but alone there; of the others 3 is, 2 from 1.
    X = np.array([[0.0], [1.0], [50.0], [3.0]])
    labels = local_search(X, [[1.0], [60.0], [-500.0]], max_passes=1)[1]
    np.testing.assert_array_equal(labels, [0, 0, 1, 2])


@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_copies_of_one_sample_end(offset):
    X = np.full((7, 2), offset)
    _, labels, f, passes, _, converged = local_search(X, np.zeros((3, 2)))
    assert converged
    assert passes < 10
    assert f == pytest.approx(0.0, abs=1e-30)
    assert len(np.unique(labels)) == 1


def test_two_nearest(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, centers = rng.random((50, 7)), rng.random((6, 7))
    labels, first, second = np.empty(50, dtype=np.int32), np.empty(50), np.empty(50)
    assert two_nearest(X, centers, labels, first, second) == 300
    D = squares(X, centers)
    np.testing.assert_array_equal(labels, D.argmin(axis=1))
    np.testing.assert_array_equal(first, np.sort(D, axis=1)[:, 0])
    np.testing.assert_array_equal(second, np.sort(D, axis=1)[:, 1])


def test_two_nearest_of_one_centre_and_of_equals():
    X = np.array([[0.0], [4.0]])
    labels, first, second = np.empty(2, dtype=np.int32), np.empty(2), np.empty(2)
    assert two_nearest(X, np.array([[1.0]]), labels, first, second) == 2
    assert (labels.tolist(), first.tolist(), second.tolist()) == ([0, 0], [1.0, 9.0], [np.inf, np.inf])
    two_nearest(X, np.array([[9.0], [2.0], [-2.0], [2.0]]), labels, first, second)
    assert (labels.tolist(), first.tolist(), second.tolist()) == ([1, 1], [4.0, 4.0], [4.0, 4.0])


def plain_seeds(X, first, draws):
    chosen, nearest = [first], ((X - X[first]) ** 2).sum(axis=1)
    for row in draws:
        cumulative = np.cumsum(nearest)
        if cumulative[-1] > 0:
            trials = [int(np.argmax(cumulative > u * cumulative[-1])) for u in row]
        else:
            trials = [int(u * len(X)) for u in row]
        after = [np.minimum(nearest, ((X - X[t]) ** 2).sum(axis=1)) for t in trials]
        best = int(np.argmin([a.sum() for a in after]))
        chosen.append(trials[best])
        nearest = after[best]
    return chosen


def test_seeds_are_those_of_a_plain_version(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, draws = rng.random((80, 3)), rng.random((11, 4))
    chosen = np.empty(12, dtype=np.int64)
    assert greedy_seeds(X, False, 17, draws, chosen) == 80 + 80 * 4 * 11
    np.testing.assert_array_equal(chosen, plain_seeds(X, 17, draws))


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 2)), elements=st.integers(-3, 3)),
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.data(),
)
def test_seeds_of_whole_numbers(X, seed, trials, data):
    k, first = data.draw(st.integers(1, len(X))), data.draw(st.integers(0, len(X) - 1))
    draws = np.random.default_rng(seed).random((k - 1, trials))
    chosen = np.empty(k, dtype=np.int64)
    greedy_seeds(X, False, first, draws, chosen)
    np.testing.assert_array_equal(chosen, plain_seeds(X, first, draws))


def test_seeds_are_distinct_samples_while_there_are_any():
    X = np.repeat(np.arange(4.0), 5)[:, None]
    for seed in range(5):
        chosen = np.empty(6, dtype=np.int64)
        greedy_seeds(X, False, 0, np.random.default_rng(seed).random((5, 2)), chosen)
        assert set(X[chosen[:4], 0]) == {0.0, 1.0, 2.0, 3.0}
        assert ((chosen >= 0) & (chosen < 20)).all()
