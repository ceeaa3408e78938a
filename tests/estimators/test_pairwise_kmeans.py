"""PCKMeans and HMRFKMeans: costs, moves that never make it worse, first centres, input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering._kernels.partitions import icm_sweep
from moo_clustering.constraints import InconsistentConstraintsError, PairwiseConstraints
from moo_clustering.constraints.pairs import must_link_groups, supervision_pairs
from moo_clustering.estimators import pairwise_kmeans as _distortions
from moo_clustering.estimators.pairwise_kmeans import (
    DISTORTIONS,
    HMRFKMeans,
    PCKMeans,
    Penalties,
    component_seeds,
)

BOTH = pytest.mark.parametrize("cls", [PCKMeans, HMRFKMeans])
METRICS = pytest.mark.parametrize("metric", ["euclidean", "cosine"])
LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])


def distance(x, z, metric):
    if metric == "euclidean":
        return float(((x - z) ** 2).sum())
    if not x.any() or not z.any():
        return 1.0
    return float(1 - x @ z / np.linalg.norm(x) / np.linalg.norm(z))


def pair_costs(cls, X, must, cannot, metric, w=None):
    """Cost of every violated pair, written out."""
    if cls is HMRFKMeans:
        w = 1.0 if w is None else w
        every = [distance(a, b, metric) for a, b in itertools.combinations(X, 2)]
        return (
            [w * distance(X[i], X[j], metric) for i, j in must],
            [w * (max(every) - distance(X[i], X[j], metric)) for i, j in cannot],
        )
    if w is None:
        unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
        center = X.mean(axis=0) if metric == "euclidean" else unit.sum(axis=0)
        w = np.mean([distance(x, center, metric) for x in X])
    return [w] * len(must), [w] * len(cannot)


def objective(X, labels, centers, metric, must, cannot, costs):
    J = sum(distance(x, centers[c], metric) for x, c in zip(X, labels, strict=True))
    J += sum(cost for (i, j), cost in zip(must, costs[0], strict=True) if labels[i] != labels[j])
    return J + sum(cost for (i, j), cost in zip(cannot, costs[1], strict=True) if labels[i] == labels[j])


def problem(seed, n=24, d=3, n_pairs=10):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 3 * rng.standard_normal((3, d))[rng.integers(3, size=n)]
    pairs = np.column_stack(np.triu_indices(n, 1))[rng.permutation(n * (n - 1) // 2)[: 2 * n_pairs]]
    return X, pairs[:n_pairs], pairs[n_pairs:]


def twin_sweep(distances, starts, partners, weights, order, labels):
    moved = 0
    for i in order:
        mine = slice(starts[i], starts[i + 1])
        theirs, price = labels[partners[mine]], weights[mine]
        known = theirs >= 0
        cost = distances[i] + np.bincount(theirs[known], price[known], minlength=distances.shape[1])
        moved += labels[i] != cost.argmin()
        labels[i] = cost.argmin()
    return moved


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4), st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_sweep_equals_its_plain_twin(seed, n, k, n_pairs):
    rng = np.random.default_rng(seed)
    distances = rng.integers(0, 4, size=(n, k)).astype(float)  # with ties
    pairs = rng.integers(0, n, size=(n_pairs, 2))
    half = n_pairs // 2
    costs = rng.integers(1, 4, size=n_pairs).astype(float)
    penalties = Penalties(pairs[:half], costs[:half], pairs[half:], costs[half:])
    table = penalties.by_sample(n)
    labels = rng.integers(-1, k, size=n).astype(np.int32)
    order = rng.permutation(n)
    one, two = labels.copy(), labels.copy()
    assert icm_sweep(distances, *table, order, one) == twin_sweep(distances, *table, order, two)
    np.testing.assert_array_equal(one, two)


@BOTH
@METRICS
@pytest.mark.parametrize("seed", range(3))
def test_no_single_move_raises_the_objective(cls, metric, seed):
    X, must, cannot = problem(seed)
    costs = pair_costs(cls, X, must, cannot, metric)
    measure = DISTORTIONS[metric]
    prepared = measure.moved(X, measure.offset(X))
    penalties = cls(3, metric=metric)._penalties(
        prepared, PairwiseConstraints(must, cannot, n_samples=len(X)), measure
    )
    # the pairs may come in another order
    assert sorted(penalties.must_costs) == pytest.approx(sorted(costs[0]))
    assert sorted(penalties.cannot_costs) == pytest.approx(sorted(costs[1]))
    rng = np.random.default_rng(seed)
    table = penalties.by_sample(len(X))
    centers = prepared[rng.permutation(len(X))[:3]]
    labels = rng.integers(3, size=len(X)).astype(np.int32)
    seen = np.inf
    n_moves = 0
    for _ in range(6):
        distances = np.ascontiguousarray(measure.distances(prepared, centers))
        for i in rng.permutation(len(X)):
            n_moves += icm_sweep(distances, *table, np.array([i]), labels)
            shown = centers + measure.offset(X)
            J = objective(X, labels, shown, metric, must, cannot, costs)
            assert seen + 1e-9 >= J
            seen = J
        centers = measure.centers(prepared, labels, centers)
        J = objective(X, labels, centers + measure.offset(X), metric, must, cannot, costs)
        assert seen + 1e-9 >= J
        seen = J
    assert n_moves > 10


@BOTH
@METRICS
def test_objective_is_the_one_written_out(cls, metric):
    X, must, cannot = problem(11, n_pairs=30)
    model = cls(3, metric=metric, conflicts="keep", random_state=0).fit(X, must_link=must, cannot_link=cannot)
    costs = pair_costs(cls, X, must, cannot, metric)
    J = objective(X, model.labels_, model.cluster_centers_, metric, must, cannot, costs)
    assert model.objective_ == pytest.approx(J, rel=1e-9)
    assert model.objective_history_[-1] == model.objective_
    assert len(model.objective_history_) == model.n_iter_
    assert (np.diff(model.objective_history_) <= 1e-9).all()
    spent = sum(distance(x, model.cluster_centers_[c], metric) for x, c in zip(X, model.labels_, strict=True))
    assert model.inertia_ == pytest.approx(spent, rel=1e-9)
    assert model.inertia_ < model.objective_  # of these pairs some are violated
    for c, center in enumerate(model.cluster_centers_):
        members = X[model.labels_ == c]
        if metric == "cosine":
            mean = (members / np.linalg.norm(members, axis=1, keepdims=True)).sum(axis=0)
            np.testing.assert_allclose(center, mean / np.linalg.norm(mean), atol=1e-12)
        else:
            np.testing.assert_allclose(center, members.mean(axis=0), atol=1e-12)


@BOTH
@METRICS
def test_the_best_of_all_partitions_is_found(cls, metric):
    X, must, cannot = problem(4, n=9, d=2, n_pairs=3)
    costs = pair_costs(cls, X, must, cannot, metric)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    best = np.inf
    for labels in itertools.product([0, 1], repeat=9):
        labels = np.array(labels)
        if 0 < labels.sum() < 9:
            source = X if metric == "euclidean" else unit
            centers = [source[labels == c].mean(axis=0) for c in (0, 1)]
            best = min(best, objective(X, labels, centers, metric, must, cannot, costs))
    model = cls(2, metric=metric, n_init=60, conflicts="keep", random_state=0)
    model.fit(X, must_link=must, cannot_link=cannot)
    assert model.objective_ == pytest.approx(best, rel=1e-9)


@BOTH
@pytest.mark.parametrize(
    "pairs", [{}, {"must_link": [], "cannot_link": np.empty((0, 2))}, {"y": np.full(90, -1)}]
)
def test_without_pairs_it_is_kmeans(cls, pairs):
    X, _ = make_blobs(90, centers=3, random_state=4)
    model = cls(3, random_state=0).fit(X, **pairs)
    plain = KMeans(3, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(plain.labels_, model.labels_) == 1
    assert model.objective_ == model.inertia_ == pytest.approx(plain.inertia_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@BOTH
def test_one_sort_of_pairs_is_enough(cls):
    together = cls(2, penalty=1e3, random_state=0).fit(LINE, must_link=[(2, 3)])
    assert together.labels_[2] == together.labels_[3]
    apart = cls(2, penalty=1e3, random_state=0).fit(LINE, cannot_link=[(0, 1)])
    assert apart.labels_[0] != apart.labels_[1]


@BOTH
def test_weights(cls):
    pairs = {"must_link": [(2, 3)], "cannot_link": [(0, 1)]}
    free = cls(2, penalty=0.0, random_state=0).fit(LINE, **pairs)
    assert free.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    bound = cls(2, penalty=1e4, random_state=0).fit(LINE, **pairs)
    assert bound.labels_[2] == bound.labels_[3]
    assert bound.labels_[0] != bound.labels_[1]
    only_must = cls(2, penalty=(1e4, 0.0), random_state=0).fit(LINE, **pairs)
    assert only_must.labels_[2] == only_must.labels_[3]
    assert only_must.labels_[0] == only_must.labels_[1]


def test_default_weight_is_the_mean_distortion_to_one_centre():
    # the two pairs cannot both be right: one is violated whatever the labels, for w
    model = PCKMeans(1, random_state=0).fit(LINE, cannot_link=[(0, 1)])
    mean = ((LINE - LINE.mean()) ** 2).mean()
    assert model.objective_ == pytest.approx(7 * mean)
    same = PCKMeans(1, random_state=0).fit(np.ones((3, 2)), cannot_link=[(0, 1)])
    assert same.objective_ == 1.0


def test_hmrf_costs_by_distance():
    model = HMRFKMeans(1, random_state=0).fit(LINE, cannot_link=[(0, 1)])
    assert model.objective_ - model.inertia_ == pytest.approx(169 - 1)
    far = HMRFKMeans(2, penalty=0.01, random_state=0).fit(LINE, must_link=[(0, 5)])
    assert far.objective_ - far.inertia_ == pytest.approx(0.01 * 169)


def components_of(n, *pairs, y=None):
    return must_link_groups(supervision_pairs(n, y, list(pairs) or None, None), y)


def test_components():
    found = components_of(9, (5, 2), (8, 5), (1, 3))
    assert [c.tolist() for c in found] == [[1, 3], [2, 5, 8]]
    # a labelled sample is a component even alone
    found = components_of(6, (0, 4), y=[-1, 1, -1, 0, -1, 1])
    assert [c.tolist() for c in found] == [[0, 4], [1, 5], [3]]


def test_first_centres_by_weighted_farthest_first():
    # means 0 (three samples), 4 (two), 7 (one labelled, so to say), 20 (two)
    X = np.array([[-1.0], [0.0], [1.0], [3.0], [5.0], [7.0], [19.0], [21.0]])
    components = [np.array(c) for c in ([0, 1, 2], [3, 4], [5], [6, 7])]
    rng = np.random.default_rng(0)
    centers = component_seeds(X, components, 4, DISTORTIONS["euclidean"], rng)
    # largest: 0. Then 2*4=8, 1*7=7, 2*20=40: 20. Then 2*4=8, 1*7=7: 4. Then 7.
    assert centers.ravel().tolist() == [0, 20, 4, 7]
    # equal sizes: the component of the lowest sample, and a tie in the score too
    X = np.array([[0.0], [0.0], [-3.0], [-3.0], [3.0], [3.0]])
    components = [np.array(c) for c in ([0, 1], [2, 3], [4, 5])]
    assert component_seeds(X, components, 3, DISTORTIONS["euclidean"], rng).ravel().tolist() == [0, -3, 3]


@METRICS
def test_random_samples_fill_up(metric):
    X, _, _ = problem(0)
    measure = DISTORTIONS[metric]
    X = measure.moved(X, measure.offset(X))
    component = np.array([0, 1, 2, 3])
    drawn = set()
    for seed in range(40):
        centers = component_seeds(X, [component], 3, measure, np.random.default_rng(seed))
        mean = X[component].mean(axis=0)
        expected = mean if metric == "euclidean" else mean / np.linalg.norm(mean)
        np.testing.assert_allclose(centers[0], expected)
        rows = [int(np.flatnonzero((center == X).all(axis=1))[0]) for center in centers[1:]]
        assert rows[0] != rows[1]
        drawn |= set(rows)
    assert drawn <= set(range(4, 24))
    assert len(drawn) > 15


def test_random_samples_differ_where_they_can():
    X = np.repeat([[1e6], [1e6 + 1], [1e6 + 2]], 30, axis=0)
    for seed in range(10):
        centers = component_seeds(X, [], 3, DISTORTIONS["euclidean"], np.random.default_rng(seed))
        assert sorted(centers.ravel()) == [1e6, 1e6 + 1, 1e6 + 2]


@METRICS
@pytest.mark.parametrize("zeros", [0, 1, 3])
def test_largest_distortion(metric, zeros, monkeypatch):
    monkeypatch.setattr(_distortions, "BLOCK_ITEMS", 50)
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal((40, 1 + seed))
        X[:zeros] = 0
        expected = max(distance(a, b, metric) for a, b in itertools.combinations(X, 2))
        measure = DISTORTIONS[metric]
        for data in (X, sp.csr_array(X)):
            assert measure.largest(measure.moved(data, measure.offset(data))) == pytest.approx(expected)
    assert DISTORTIONS[metric].largest(np.zeros((1, 2))) == 0
    assert DISTORTIONS["euclidean"].largest(np.ones((3, 2))) == 0


@METRICS
def test_distortions_within_pairs(metric, monkeypatch):
    monkeypatch.setattr(_distortions, "PAIR_ITEMS", 7)
    X, must, _ = problem(3)
    X[must[0, 0]] = 0
    expected = [distance(X[i], X[j], metric) for i, j in must]
    measure = DISTORTIONS[metric]
    for data in (X, sp.csr_array(X), sp.csr_matrix(X)):
        found = measure.within(measure.moved(data, measure.offset(data)), must)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@BOTH
@METRICS
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix])
def test_sparse_equals_dense(cls, metric, kind):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(60, 12)) * rng.random((60, 12))
    X[:20, 0] += 3
    X[20:40, 1] += 3
    X[40:, 2] += 3
    X[5] = 0
    pairs = {"must_link": [(0, 1), (20, 21), (41, 42)], "cannot_link": [(0, 20), (20, 40), (2, 50)]}
    dense = cls(3, metric=metric, random_state=0).fit(X, **pairs)
    sparse = cls(3, metric=metric, random_state=0).fit(kind(X), **pairs)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(sparse.objective_, dense.objective_, rtol=1e-9)
    for one, two in itertools.product((dense, sparse), (X, kind(X))):
        np.testing.assert_array_equal(one.predict(two), dense.predict(X))


@BOTH
def test_cosine_sees_directions_only(cls):
    rng = np.random.default_rng(0)
    angle = np.repeat([0.0, 1.0, 2.0], 20) + rng.normal(scale=0.1, size=60)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * 10.0 ** rng.uniform(-3, 3, size=(60, 1))
    model = cls(3, metric="cosine", random_state=0).fit(X, must_link=[(0, 1), (20, 21), (40, 41)])
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], 20))
    np.testing.assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1)
    np.testing.assert_array_equal(model.predict(X * 100), model.labels_)


@BOTH
@METRICS
@pytest.mark.filterwarnings("ignore:only")
def test_zero_rows_and_opposite_directions(cls, metric):
    X = np.array([[0.0, 0], [0, 0], [1, 0], [-1, 0], [0, 2], [0, -2]])
    for k in (1, 2, 3):
        model = cls(k, metric=metric, random_state=0).fit(X, must_link=[(0, 2)], cannot_link=[(0, 1), (2, 3)])
        assert np.isfinite(model.cluster_centers_).all()
        assert np.isfinite(model.objective_)
        assert (np.diff(model.objective_history_) <= 1e-12).all()


@BOTH
def test_labels_help_on_iris(cls):
    X, y = load_iris(return_X_y=True)
    plain = adjusted_rand_score(y, cls(3, random_state=0).fit_predict(X))
    gains = []
    for seed in range(3):
        partial = np.full(150, -1)
        drawn = np.random.default_rng(seed).permutation(150)[:30]
        partial[drawn] = y[drawn]
        free = partial < 0
        gains.append(
            adjusted_rand_score(y[free], cls(3, random_state=0).fit_predict(X, partial)[free]) - plain
        )
    assert np.mean(gains) > 0.02


@BOTH
def test_labels_are_all_their_pairs(cls):
    X, _, _ = problem(2)
    partial = np.full(24, -1)
    partial[[0, 3, 5, 6, 9, 10]] = [0, 1, 0, 2, 1, 2]
    pairs = PairwiseConstraints.from_partial_labels(partial)
    one = cls(3, random_state=0).fit(X, partial)
    two = cls(3, random_state=0).fit(X, must_link=pairs.must_link, cannot_link=pairs.cannot_link)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(cls(3, random_state=0).fit_predict(X, partial), one.labels_)


@BOTH
def test_attributes_and_reproducibility(cls):
    X, must, _ = problem(6)
    X.setflags(write=False)
    one, two = (cls(3, n_init=2, random_state=7).fit(X, must_link=must) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.objective_history_, two.objective_history_)
    assert one.labels_.dtype == np.int32
    _, first = np.unique(one.labels_, return_index=True)
    assert (np.diff(first) > 0).all()
    assert one.cluster_centers_.shape == (one.n_clusters_, 3)
    assert one.n_features_in_ == 3
    assert clone(one).get_params() == one.get_params()
    generator = np.random.default_rng(0)
    runs = [cls(4, n_init=1, random_state=generator).fit(X).objective_history_[0] for _ in range(3)]
    assert len(set(runs)) == 3  # a generator goes on
    many = cls(4, n_init=20, random_state=0).fit(X, must_link=must)
    few = cls(4, n_init=1, random_state=0).fit(X, must_link=must)
    assert many.objective_ <= few.objective_


@BOTH
def test_far_from_the_origin(cls):
    X, must, cannot = problem(9)
    options = {"must_link": must, "cannot_link": cannot}
    near = cls(3, conflicts="keep", random_state=0).fit(X, **options)
    far = cls(3, conflicts="keep", random_state=0).fit(X + 1e7, **options)
    np.testing.assert_array_equal(near.labels_, far.labels_)
    np.testing.assert_array_equal(near.predict(X), far.predict(X + 1e7))


@BOTH
def test_fewer_distinct_rows_than_clusters(cls):
    X = np.repeat([[5.0, 0.0], [1.0, 1.0]], 6, axis=0)
    with pytest.warns(UserWarning, match="only 2 of n_clusters=4 clusters are non-empty"):
        model = cls(4, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 6))
    np.testing.assert_allclose(model.cluster_centers_, [[5, 0], [1, 1]], atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_equal_rows_can_be_kept_apart():
    model = PCKMeans(2, random_state=0).fit(np.ones((4, 1)), must_link=[(0, 2), (1, 3)], cannot_link=[(0, 1)])
    assert model.labels_.tolist() == [0, 1, 0, 1]


@BOTH
def test_any_number_of_clusters_up_to_n(cls):
    X, _, _ = problem(1)
    for k in (1, 24):
        assert cls(k, random_state=0).fit(X).n_clusters_ == k
    assert cls(24, random_state=0).fit(X).objective_ == pytest.approx(0, abs=1e-12)
    assert cls(1, random_state=0).fit([[2.0]]).labels_.tolist() == [0]


@BOTH
def test_contradictions(cls):
    contradiction = {"must_link": [[0, 1], [1, 2]], "cannot_link": [[0, 2]]}
    with pytest.raises(InconsistentConstraintsError):
        cls(2).fit(LINE, **contradiction)
    kept = cls(2, conflicts="keep", random_state=0).fit(LINE, **contradiction)
    assert kept.n_clusters_ == 2
    assert kept.objective_ > kept.inertia_


@BOTH
@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({"n_clusters": 7}, {}, "n_clusters=7 must not exceed the number of samples, 6"),
        ({"n_clusters": 0}, {}, "n_clusters"),
        ({"metric": "manhattan"}, {}, "metric"),
        ({"penalty": -1}, {}, "'penalty'"),
        ({"penalty": (1.0, -1.0)}, {"must_link": [(0, 1)]}, r"penalty must be .*; got \(1.0, -1.0\)"),
        ({"penalty": (1.0, 1.0, 1.0)}, {}, "penalty must be"),
        ({"n_init": 0}, {}, "n_init"),
        ({}, {"y": [0, 1]}, "y must have one value per sample"),
        ({}, {"cannot_link": [[0, 6]]}, "out of range"),
        ({}, {"X": [[np.inf]]}, "infinity"),
    ],
    ids=str,
)
def test_bad_input_is_named(cls, options, data, message):
    with pytest.raises(ValueError, match=message):
        cls(**{"n_clusters": 2, **options}).fit(**{"X": LINE, **data})


# Two runs keep the checks short. The labels that some checks give are partial labels here.
@parametrize_with_checks(
    [
        PCKMeans(2, n_init=2, random_state=0),
        PCKMeans(2, metric="cosine", n_init=2, random_state=0),
        HMRFKMeans(2, n_init=2, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
