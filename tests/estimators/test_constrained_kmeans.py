"""ConstrainedKMeans: worked numbers, limits kept, the linear programme, prediction, bad bounds."""

import itertools
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import LinearConstraint, linprog, milp
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import ConstrainedKMeans
from moo_clustering.constraints import ClusterSizes, ClusterWeights, GroupShares


def uneven(n=120, seed=0):
    """Blobs of 70, 30 and 20 percent, nearly apart."""
    sizes = [int(0.6 * n), int(0.25 * n), n - int(0.6 * n) - int(0.25 * n)]
    return make_blobs(sizes, centers=[[0, 0], [8, 0], [0, 8]], cluster_std=1.5, random_state=seed)[0]


def best_of_all(X, k, allowed):
    """Least sum of squares of all partitions into k clusters that are allowed."""
    best = np.inf
    for row in itertools.product(range(k), repeat=len(X)):
        row = np.array(row)
        if len(np.unique(row)) == k and allowed(row):
            best = min(best, sum(((X[row == c] - X[row == c].mean(axis=0)) ** 2).sum() for c in range(k)))
    return best


def test_worked_sizes():
    X = np.array([[0.0], [1], [2], [3], [10], [11]])
    assert KMeans(2, n_init=10, random_state=0).fit(X).inertia_ == pytest.approx(5.5)
    model = ConstrainedKMeans(2, min_cluster_size=3, max_cluster_size=3, random_state=0).fit(X)
    assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1])
    # Means 1 and 8: 1 + 0 + 1 and 25 + 4 + 9.
    assert model.inertia_ == pytest.approx(40)
    assert_allclose(model.cluster_centers_, [[1], [8]])
    assert (model.gap_, model.violations_) == (0.0, {"cluster_sizes": 0.0})


def test_small_optima_are_found():
    rng = np.random.default_rng(0)
    for _ in range(2):
        X, weight, groups = rng.normal(size=(9, 2)), rng.integers(1, 5, 9), np.arange(9) % 2
        sizes, weights, shares = (
            ClusterSizes(3, 5),
            ClusterWeights(weight, 7, 16),
            GroupShares(groups, 0.4, 2),
        )
        total = int(weight.sum())
        weights = ClusterWeights(weight, total * 0.4, total * 0.6)
        for options, given, limits in (
            ({"min_cluster_size": 3, "max_cluster_size": 5}, {}, [sizes]),
            (
                {"min_cluster_weight": total * 0.4, "max_cluster_weight": total * 0.6},
                {"weight": weight},
                [weights],
            ),
            ({"min_group_ratio": 0.4, "max_group_ratio": 2}, {"groups": groups}, [shares]),
        ):
            model = ConstrainedKMeans(2, n_init=20, random_state=0, **options).fit(X, **given)
            assert all(limit.violations(model.labels_)[0] == 0 for limit in limits)
            best = best_of_all(
                X, 2, lambda row, limits=limits: all(x.violations(row)[0] == 0 for x in limits)
            )
            assert best - 1e-9 <= model.inertia_ <= 1.2 * best


@pytest.mark.parametrize(("low", "high"), [(30, 50), (40, 40), (1, 60), (35, None)])
def test_sizes_are_within_their_bounds(low, high):
    X = uneven()
    model = ConstrainedKMeans(3, min_cluster_size=low, max_cluster_size=high, random_state=0).fit(X)
    sizes = np.bincount(model.labels_)
    assert (sizes >= low).all()
    assert (sizes <= (high or 120)).all()
    for c in range(3):
        assert_allclose(model.cluster_centers_[c], X[model.labels_ == c].mean(axis=0), atol=1e-9)
    squares = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.inertia_ == pytest.approx(squares)
    # No exchange of two samples, and no allowed move, helps: the last assignment is optimal.
    cost = cdist(X, model.cluster_centers_, "sqeuclidean")
    own = cost[np.arange(len(X)), model.labels_]
    for i, j in itertools.combinations(range(len(X)), 2):
        a, b = model.labels_[[i, j]]
        assert cost[i, b] + cost[j, a] >= own[i] + own[j] - 0.02 * squares / len(X)


def test_without_bounds_it_is_kmeans():
    X = uneven()
    model = ConstrainedKMeans(3, random_state=0, tol=0).fit(X)
    assert model.inertia_ == pytest.approx(KMeans(3, n_init=10, random_state=0, tol=0).fit(X).inertia_)
    assert_array_equal(model.predict(X), model.labels_)


def test_bounds_per_cluster_number_the_clusters():
    X = uneven()
    model = ConstrainedKMeans(3, min_cluster_size=[10, 20, 90], max_cluster_size=[10, 20, 90], random_state=1)
    assert_array_equal(np.bincount(model.fit_predict(X)), [10, 20, 90])
    assert_array_equal(model.predict(X, within_limits=True), model.labels_)


def test_weights_and_groups_together():
    rng = np.random.default_rng(3)
    X, weight = uneven(), rng.lognormal(0, 0.5, 120)
    groups = np.where(X[:, 0] + rng.normal(0, 4, 120) > 2, "a", "b")
    mean = weight.sum() / 3
    options = {"min_cluster_weight": 0.85 * mean, "max_cluster_weight": 1.15 * mean, "min_cluster_size": 25}
    model = ConstrainedKMeans(3, n_init=2, random_state=0, **options).fit(X, weight=weight, groups=groups)
    assert model.violations_ == {"cluster_sizes": 0.0, "cluster_weights": 0.0, "group_shares": 0.0}
    loads = np.bincount(model.labels_, weight)
    assert ((loads > 0.85 * mean - 1e-9) & (loads < 1.15 * mean + 1e-9)).all()
    for c, group in itertools.product(range(3), "ab"):
        ratio = (groups[model.labels_ == c] == group).mean() / (groups == group).mean()
        assert 0.8 - 1e-9 <= ratio <= 1.25 + 1e-9
    assert 0 <= model.gap_ < 0.1


@pytest.mark.parametrize("seed", range(12))
def test_relaxation_equals_the_whole_linear_programme(seed):
    from moo_clustering.estimators import constrained_kmeans

    rng = np.random.default_rng(seed)
    n, k = 150, 4
    weight, groups = rng.lognormal(0, 0.8, n), rng.integers(0, 3, n)
    limits = [ClusterSizes(20, 60), ClusterWeights(weight, 0.2 * weight.sum(), 0.35 * weight.sum())]
    if seed % 2:
        limits.append(GroupShares(groups, 0.9, 1.1))
    bounds = constrained_kmeans._Bounds(limits, n, k)
    duals = np.zeros(bounds._least.shape)
    member = np.eye(3)[groups]
    for _ in range(3):  # the second time from the duals of another programme
        cost = rng.random((n, k)) * [1, 1, 1, 3]
        share, value = bounds._relaxed(cost, duals)
        # The same constraints, written out again.
        rows, least, most = [np.ones(n), weight], [20, 0.2 * weight.sum()], [60, 0.35 * weight.sum()]
        A = [sign * np.kron(row, np.eye(k)) for sign in (1, -1) for row in rows]
        b = [sign * bound for sign, of in ((1, most), (-1, least)) for bound in of for _ in range(k)]
        if seed % 2:
            for g, p in enumerate(member.mean(axis=0)):
                A += [np.kron(0.9 * p - member[:, g], np.eye(k)), np.kron(member[:, g] - 1.1 * p, np.eye(k))]
                b += [0] * (2 * k)
        E = sparse.kron(sparse.eye_array(n), np.ones((1, k)))
        whole = linprog(cost.ravel(), A_ub=np.vstack(A), b_ub=b, A_eq=E, b_eq=np.ones(n))
        assert value == pytest.approx(whole.fun, rel=1e-6)
        assert_allclose(share.sum(axis=1), 1)
        assert (np.abs(share - share.round()) > 1e-6).any(axis=1).sum() <= len(least) * k * 4


def test_predict_ignores_or_keeps_the_limits():
    X, new = uneven(), uneven(60, seed=1)
    model = ConstrainedKMeans(3, min_cluster_size=18, max_cluster_size=42, random_state=0).fit(X[:100])
    nearest = cdist(new, model.cluster_centers_).argmin(axis=1)
    assert_array_equal(model.predict(new), nearest)
    assert np.bincount(nearest, minlength=3).min() < 18 or np.bincount(nearest).max() > 42
    kept = np.bincount(model.predict(new, within_limits=True))
    assert ((kept >= 18) & (kept <= 42)).all()
    assert_allclose(model.transform(new).argmin(axis=1), nearest)
    with pytest.raises(ValueError, match="n_clusters=3 must not exceed the number of samples, 2"):
        model.predict(new[:2], within_limits=True)
    with pytest.raises(
        ValueError, match=r"3 clusters of 18\.\.42 samples contain 54\.\.126 in total, but there are"
    ):
        model.predict(new[:20], within_limits=True)


def test_units_and_offsets_do_not_matter():
    X = uneven()
    options = {"min_cluster_size": 35, "random_state": 0}
    one = ConstrainedKMeans(3, **options).fit(X)
    for unit, offset in ((1024.0, 0.0), (2.0**-20, 0.0), (1.0, 1000.0)):
        other = ConstrainedKMeans(3, **options).fit(X * unit + offset)
        assert_array_equal(one.labels_, other.labels_)


def test_equal_rows_are_separated_only_by_limits_and_pairs():
    X = np.repeat([[0.0], [1.0]], 6, axis=0)
    for options in ({}, {"min_cluster_size": 4}, {"max_cluster_size": 6}):
        with pytest.warns(UserWarning, match="only 2 of n_clusters=3 clusters are non-empty: X has fewer"):
            model = ConstrainedKMeans(3, random_state=0, **options).fit(X)
        assert model.labels_.tolist() == model.predict(X).tolist() == [0] * 6 + [1] * 6
        assert (model.n_clusters_, model.inertia_) == (2, 0.0)
        assert model.cluster_centers_.tolist() == [[0.0], [1.0]]
    with pytest.warns(
        UserWarning, match="equal rows are in different clusters, because of the limits or pairs"
    ):
        model = ConstrainedKMeans(3, max_cluster_size=5, random_state=0).fit(X)
    assert model.n_clusters_ == 3
    with pytest.warns(UserWarning, match="because of the limits or pairs"):
        model = ConstrainedKMeans(3, random_state=0).fit(X, cannot_link=[[0, 1]])
    assert model.labels_[0] != model.labels_[1]
    with pytest.warns(
        UserWarning, match="equal rows are in different clusters, because of the limits or pairs"
    ):
        ConstrainedKMeans(2, min_cluster_size=2, random_state=0).fit([[0.0], [0.0], [0.0], [1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConstrainedKMeans(2, min_cluster_size=2, random_state=0).fit([[0.0], [0.0], [1.0], [1.0]])


@pytest.mark.parametrize(
    ("options", "given", "message"),
    [
        (
            {"min_cluster_size": 50},
            {},
            "invalid min_cluster_size or max_cluster_size: 3 clusters of at least 50 samples contain",
        ),
        (
            {"max_cluster_size": 30},
            {},
            r"3 clusters of 1\.\.30 samples contain 3\.\.90 in total, but there are 120",
        ),
        (
            {"min_cluster_size": 9, "max_cluster_size": 8},
            {},
            "or max_cluster_size: min_cluster_size must not exceed max_cluster_size, got min_cluster_size=9",
        ),
        ({"min_cluster_size": [9, 8]}, {}, "has bounds for 2 clusters, not for 3"),
        ({"max_cluster_weight": 4}, {}, "max_cluster_weight require weight; pass"),
        ({}, {"weight": np.ones(120)}, "weight has no effect without min_cluster_weight"),
        (
            {"max_cluster_weight": 4},
            {"weight": np.ones(119)},
            r"^weight must have one value per sample \(120\)",
        ),
        ({"min_cluster_size": [0, 1, 1]}, {}, r"min_cluster_size must be at least 1, got \[0, 1, 1\]"),
        ({"max_cluster_weight": 1e307}, {"weight": np.full(120, 9e306)}, "weight must have a finite sum"),
        ({"max_cluster_weight": 45}, {"weight": -np.ones(120)}, "^weight must be non-negative, got -1"),
        (
            {"max_cluster_weight": 45},
            {"weight": np.append(np.ones(119), 46)},
            "sample 119 alone weighs 46, more than max_cluster_weight=45",
        ),
        ({"max_cluster_weight": 30}, {"weight": np.ones(120)}, "contain 0..90 in total, but the weights sum"),
        ({}, {"groups": np.ones(120)}, "groups must have at least two values, got 1.0 for all samples"),
        ({}, {"groups": np.append(np.zeros(118), [1, 1])}, "group 1.0, which has 2 samples for 3 clusters"),
        ({"n_clusters": 121}, {}, "n_clusters=121 must not exceed the number of samples, 120"),
    ],
)
def test_bad_limits(options, given, message):
    with pytest.raises(ValueError, match=message):
        ConstrainedKMeans(**{"n_clusters": 3, **options}).fit(uneven(), **given)


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**-20, 2.0**20, 2.0**300])
def test_units_change_nothing(unit):
    # The solver of linear programmes has absolute tolerances.
    X, weight = uneven(60), np.random.default_rng(0).integers(1, 9, 60).astype(float)
    groups, most = np.arange(60) % 2, weight.sum() * 0.36

    def fit(X, weight, most):
        model = ConstrainedKMeans(3, max_cluster_weight=most, n_init=2, random_state=0)
        return model.fit(X, weight=weight, groups=groups)

    model = fit(X, weight, most)
    for other in (fit(X * unit, weight, most), fit(X, weight * unit, most * unit)):
        assert_array_equal(other.labels_, model.labels_)
        assert (other.gap_, other.n_iter_) == (pytest.approx(model.gap_), model.n_iter_)


def test_other_predictions_refuse_weights():
    model = ConstrainedKMeans(2, max_cluster_weight=4, random_state=0).fit(np.eye(4), weight=np.ones(4))
    with pytest.raises(ValueError, match="weight and groups have no effect without within_limits=True"):
        model.predict(np.eye(4), weight=np.ones(4))


def test_what_the_programme_cannot_reach_is_refused():
    # Each bound alone is possible; both together are not: 3 heavy samples and at most 2 per cluster.
    X, weight = np.arange(6.0)[:, None], [9, 9, 9, 1, 1, 1]
    with pytest.raises(ValueError, match="found no partition within the limits; widen the limits"):
        ConstrainedKMeans(2, max_cluster_size=3, max_cluster_weight=16, n_init=2, random_state=0).fit(
            X, weight=weight
        )


@pytest.mark.parametrize("seed", [2, 3])
def test_small_optima_with_pairs_are_found(seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(9, 2)), rng.integers(1, 4, 9)
    must, cannot = [[0, 1], [1, 2]], [[0, 3], [3, 4], [4, 5], [5, 6]]
    low, high = 0.3 * weight.sum(), 0.7 * weight.sum()
    loads = ClusterWeights(weight, low, high)

    def allowed(row):
        together = all(row[i] == row[j] for i, j in must) and all(row[i] != row[j] for i, j in cannot)
        return together and not loads.violations(row[None])[0]

    options = {"min_cluster_weight": low, "max_cluster_weight": high, "n_init": 30, "random_state": 0}
    model = ConstrainedKMeans(2, **options).fit(X, weight=weight, must_link=must, cannot_link=cannot)
    assert allowed(model.labels_)
    assert model.inertia_ == pytest.approx(best_of_all(X, 2, allowed))


def test_pairs_and_sizes_hold_together():
    X = uneven()
    rng = np.random.default_rng(0)
    pairs = rng.choice(len(X), size=(40, 2), replace=False)
    model = ConstrainedKMeans(3, min_cluster_size=38, max_cluster_size=42, n_init=3, random_state=0)
    labels = model.fit(X, must_link=pairs[:20], cannot_link=pairs[20:]).labels_
    assert np.bincount(labels).min() >= 38
    assert np.bincount(labels).max() <= 42
    assert (labels[pairs[:20, 0]] == labels[pairs[:20, 1]]).all()
    assert (labels[pairs[20:, 0]] != labels[pairs[20:, 1]]).all()
    # Compare with the integer programme of all samples at once, for the same centres.
    cost = cdist(X, model.cluster_centers_, "sqeuclidean")
    n, k = cost.shape
    own = sparse.kron(sparse.eye_array(n), np.ones((1, k)))
    ends = [sparse.csr_array(np.eye(n)[pairs[part, place]]) for part, place in np.ndindex(40, 2)]
    first, second = sparse.vstack(ends[::2]), sparse.vstack(ends[1::2])
    must = sparse.kron(first[:20] - second[:20], sparse.eye_array(k))
    cannot = sparse.kron(first[20:] + second[20:], sparse.eye_array(k))
    sizes = sparse.kron(np.ones((1, n)), sparse.eye_array(k))
    limits = [
        LinearConstraint(own, 1, 1),
        LinearConstraint(must, 0, 0),
        LinearConstraint(cannot, 0, 1),
        LinearConstraint(sizes, 38, 42),
    ]
    best = milp(cost.ravel(), integrality=np.ones(n * k), bounds=(0, 1), constraints=limits)
    assert best.fun <= model.inertia_ + 1e-6
    assert model.inertia_ <= 1.02 * best.fun


def test_pairs_that_hold_anyway_change_nothing():
    X = uneven()
    plain = ConstrainedKMeans(3, n_init=3, random_state=0).fit(X)
    (first, _, *_), (other, *_) = (np.flatnonzero(plain.labels_ == c) for c in (0, 1))
    second = np.flatnonzero(plain.labels_ == 0)[1]
    paired = ConstrainedKMeans(3, n_init=3, random_state=0).fit(
        X, must_link=[[first, second]], cannot_link=[[first, other]]
    )
    assert_array_equal(paired.labels_, plain.labels_)
    assert paired.inertia_ == pytest.approx(plain.inertia_)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"must_link": [[0, 1]], "cannot_link": [[0, 1]]}, "contradictory constraints"),
        (
            {"must_link": [[0, 1], [1, 2], [2, 3]]},
            "joins samples with a cluster_size of 4, which exceeds max_cluster_size=3",
        ),
        ({"cannot_link": [[0, 1], [1, 2], [0, 2]]}, "no partition within the limits.*remove pairs"),
        ({"cannot_link": [[0, 9]]}, "9"),
    ],
)
def test_impossible_pairs(pairs, message):
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match=message):
        ConstrainedKMeans(2, max_cluster_size=3, n_init=2, random_state=0).fit(X, **pairs)


@parametrize_with_checks([ConstrainedKMeans(2, n_init=2), ConstrainedKMeans(3, min_cluster_size=2, n_init=1)])
def test_the_interface_of_scikit_learn(estimator, check):
    check(estimator)
