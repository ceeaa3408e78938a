"""More samples than landmarks."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import QUICK, ari, partly, true_pairs
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn import __version__
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs

from moo_clustering import ParetoClustering
from moo_clustering.estimators._pareto_pool import placement
from moo_clustering.parts import parts

X, CLASSES = make_blobs(500, centers=4, cluster_std=0.8, random_state=3)
FEW = {**QUICK, "n_landmarks": 60}


@pytest.fixture(scope="module")
def model():
    return ParetoClustering(**FEW).fit(X)


@pytest.mark.slow
def test_shapes(model):
    m = model.n_landmarks_
    assert m <= 60
    assert model.landmark_of_.shape == model.labels_.shape == (500,)
    assert_array_equal(np.unique(model.landmark_of_), np.arange(m))
    assert model.graph_.shape == (m, m)
    assert model.pool_.labels.shape[1] == m
    assert model.pareto_labels_.shape == (len(model.pareto_front_), 500)
    assert model.alternative_labels_.shape == (len(model.alternatives_), 500)
    assert ari(model.labels_, CLASSES) == 1


def test_as_many_landmarks_as_samples_are_none():
    model = ParetoClustering(**{**FEW, "n_landmarks": 500}).fit(X)
    assert model.landmark_of_ is None
    assert model.n_landmarks_ is None
    assert model.pool_.n_samples == 500


def test_samples_of_a_landmark_stay_together(model):
    for labels in (model.labels_, *model.pareto_labels_, *model.alternative_labels_):
        assert len(np.unique(np.column_stack([model.landmark_of_, labels]), axis=0)) == model.n_landmarks_


@pytest.mark.slow
def test_labels(model):
    for per_class in (1, 4):
        y = partly(CLASSES, per_class)
        direct = ParetoClustering(clamp=False, **FEW).fit(X, y)
        assert direct.predict_proba_.shape == (500, 4)
        assert ari(direct.labels_, CLASSES) > 0.98
        assert_allclose(direct.predict_proba(X), direct.predict_proba_, atol=1e-12)
        assert_array_equal(direct.predict(X), direct.labels_)
        clamped = direct.set_params(clamp=True).relabel(y)
        assert_array_equal(clamped.transduction_[y >= 0], y[y >= 0])


def test_different_labels_on_a_landmark(model):
    together = np.flatnonzero(model.landmark_of_ == np.bincount(model.landmark_of_).argmax())
    y = partly(CLASSES, 3)
    y[together[:3]] = 0, 1, 2
    found = ParetoClustering(**FEW).fit(X, y)
    assert_array_equal(found.transduction_[together[:3]], [0, 1, 2])
    assert_allclose(found.predict_proba_.sum(axis=1), 1)


@pytest.mark.slow
def test_pairs(model):
    must, cannot = true_pairs(CLASSES, 60)
    for k in (None, 4):
        found = ParetoClustering(k, **FEW).fit(X, must_link=must, cannot_link=cannot)
        assert ari(found.labels_, CLASSES) > 0.95
    # Nothing can be done about pairs within a landmark.
    together = np.flatnonzero(model.landmark_of_ == model.landmark_of_[0])[:2]
    assert_array_equal(ParetoClustering(**FEW).fit(X, must_link=[together]).labels_, model.labels_)
    assert_array_equal(ParetoClustering(**FEW).fit(X, cannot_link=[together]).labels_, model.labels_)


def test_new_classes():
    y = partly(CLASSES, 3)
    found = ParetoClustering(novel="allow", **FEW).fit(X, np.where(y > 1, -1, y))
    assert sorted(found.cluster_classes_index_.tolist()) == [-1, -1, 0, 1]
    assert ari(found.labels_, CLASSES) > 0.95


def test_candidates_of_ones_own_and_views():
    halves = X[:, 0] > X[:, 0].mean()
    found = ParetoClustering(
        views={"first": [0]}, extra_candidates=[KMeans(4, n_init=1), ("mine", halves)], **FEW
    ).fit(X)
    assert found.pool_.labels.shape[1] == found.n_landmarks_
    assert {"KMeans", "mine", "km@first"} <= set(found.pool_.family_names)


@pytest.mark.filterwarnings("error")
def test_candidates_of_sparse_landmarks():
    found = ParetoClustering(extra_candidates=[KMeans(4, n_init=1)], **FEW).fit(csr_matrix(X))
    assert "KMeans" in found.pool_.family_names


def test_repeated_rows():
    found = ParetoClustering(**FEW).fit(np.tile(X[:50], (10, 1)))
    assert ari(found.labels_, np.tile(CLASSES[:50], 10)) > 0.95
    # Equal rows have equal labels.
    assert_array_equal(found.labels_, np.tile(found.labels_[:50], 10))


def test_fewer_distinct_rows_than_clusters():
    rows = np.repeat([[0.0], [1.0], [5.0]], 100, axis=0)
    with pytest.warns(UserWarning, match="only 3 of n_clusters=.* fewer distinct rows"):
        found = ParetoClustering(5, n_landmarks=60, random_state=0).fit(rows)
    assert ari(found.labels_, np.repeat([0, 1, 2], 100)) == found.n_clusters_ - 2 == 1
    equal = ParetoClustering(n_landmarks=60, random_state=0).fit(np.ones((200, 2)))
    assert equal.n_clusters_ == 1


def test_more_clusters_than_landmarks(model):
    with pytest.raises(ValueError, match="must not exceed n_landmarks=60"):
        ParetoClustering(61, **FEW).fit(X)
    again = ParetoClustering(**FEW).fit(X)
    with pytest.raises(ValueError, match="must not exceed the number of landmarks"):
        again.relabel(n_clusters=61)
    assert again.n_clusters is None
    assert_array_equal(again.labels_, model.labels_)


def test_evolution():
    found = ParetoClustering(n_gen=2, pop_size=8, **FEW).fit(X)
    assert found.control_labels_.shape == found.random_control_labels_.shape == (500,)
    assert found.pareto_labels_.shape[1] == 500


def test_memory_grows_with_the_samples_only():
    many, classes = make_blobs(6000, centers=4, cluster_std=0.8, random_state=3)
    y = partly(classes, 5)
    tracemalloc.start()
    found = ParetoClustering(**{**FEW, "n_landmarks": 100}).fit(many, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A matrix of all pairs of samples would take 36 million numbers.
    assert peak < 6000 * 6000
    assert (found.transduction_ == classes).mean() > 0.97
    assert found.labels_.dtype == np.int32


def mapped(path, array):
    np.save(path, array)
    return np.load(path, mmap_mode="r")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mapped_files_are_read_in_parts(monkeypatch, tmp_path, dtype):
    rows = X.astype(dtype)
    far = rows.copy()
    far[:3] += 200
    y = partly(CLASSES, 3)
    for table in (rows, far):
        held = ParetoClustering(**FEW).fit(table.astype(float))
        with monkeypatch.context() as patch:
            patch.setattr("moo_clustering.estimators._pareto_landmarks.AT_ONCE", 150)
            parts = ParetoClustering(**FEW).fit(mapped(tmp_path / "x.npy", table))
            assert_array_equal(parts.labels_, held.labels_)
            assert_array_equal(parts.landmark_of_, held.landmark_of_)
            assert_array_equal(parts.outliers_, held.outliers_)
            parts.relabel(y)
        assert_allclose(parts.predict_proba_, held.relabel(y).predict_proba_, atol=1e-9)


def test_landmarks_of_a_sample(monkeypatch):
    for name in ("_MOST_SAMPLED", "_LEAST_SAMPLED"):
        monkeypatch.setattr(f"moo_clustering.estimators._pareto_pool.{name}", 300)
    found = ParetoClustering(**FEW).fit(X)
    assert ari(found.labels_, CLASSES) == 1
    assert_array_equal(np.unique(found.landmark_of_), np.arange(found.n_landmarks_))
    sparse = ParetoClustering(**FEW).fit(csr_matrix(X))
    assert_array_equal(sparse.labels_, found.labels_)
    assert_array_equal(sparse.landmark_of_, found.landmark_of_)
    # Four groups of terms, and more terms than components.
    words = np.random.default_rng(0).poisson(0.02 + (CLASSES[:, None] == np.arange(80) % 4))
    reduced = ParetoClustering(**FEW).fit(csr_matrix(words.astype(float)))
    assert ari(reduced.labels_, CLASSES) > 0.95
    assert_array_equal(reduced.predict(csr_matrix(words.astype(float))), reduced.labels_)


def test_a_file_that_was_cut_is_refused(tmp_path):
    table = mapped(tmp_path / "x.npy", X)
    with open(tmp_path / "x.npy", "r+b") as file:
        file.truncate(4096)
    with pytest.raises(ValueError, match=r"x\.npy was truncated: it has 4096 of 8128 bytes; write the file"):
        ParetoClustering(**FEW).fit(table)


def test_too_little_memory_is_said_with_sizes(monkeypatch):
    def full(*_, **__):
        raise MemoryError("Unable to allocate")

    monkeypatch.setattr("moo_clustering._data.validate_data", full)
    table = np.broadcast_to(np.float32(0), (10**9, 10))
    with pytest.raises(
        MemoryError, match=r"requires a float64 copy of X .*\(1000000000, 10\) .*74\.5 GiB, which exceeds"
    ):
        ParetoClustering().fit(table)


@pytest.mark.skipif(
    [*map(int, __version__.split(".")[:2])] < [1, 9], reason="earlier versions draw other batches"
)
@pytest.mark.parametrize("few", [50, 0], ids=["bounds", "products"])
@pytest.mark.parametrize(("n", "batch"), [(1000, 100), (257, 257)])
def test_centers_are_those_of_mini_batch_k_means(monkeypatch, n, batch, few):
    rows = np.random.default_rng(n).normal(size=(n, 4)) * [1, 2, 3, 4]
    monkeypatch.setattr("moo_clustering.estimators._pareto_landmarks._BATCH", batch)
    monkeypatch.setattr("moo_clustering.estimators._pareto_landmarks._FEW", few)
    expected = MiniBatchKMeans(
        40, init="random", n_init=1, max_iter=10, batch_size=batch, max_no_improvement=None, random_state=5
    ).fit(rows)
    assert_array_equal(placement.landmark_centers(rows, 40, 5), expected.cluster_centers_)


@pytest.mark.parametrize("n_features", [1, 2, 4, 7, 30])
@pytest.mark.parametrize("scattered", [True, False])
def test_search_for_points_within_their_limits(n_features, scattered):
    rng = np.random.default_rng(n_features)
    points, rows = (
        rng.integers(3, size=(n, n_features)) + scattered * rng.random(n_features) for n in (300, 50)
    )
    if scattered:
        points, rows = (each + rng.normal(size=each.shape) for each in (points, rows))
    limits = np.where(np.arange(300) % 3, np.inf, 0.8)
    distances = np.sqrt(((rows[:, None] - points) ** 2).cumsum(axis=2)[:, :, -1])
    allowed = np.where(distances <= limits, distances, np.inf)
    order = np.argsort(allowed, axis=1, kind="stable")[:, :4]
    for pivots in (None, points[:9]):
        for n in (1, 4):
            found, away = placement.PointSearch(points, limits, pivots)(rows, n)
            assert_array_equal(found, order[:, :n])
            assert_array_equal(away, np.take_along_axis(allowed, order[:, :n], axis=1))


@pytest.mark.parametrize("in_parts", [True, False])
@pytest.mark.parametrize("n_cells", [1, 2])
def test_an_extreme_value_leaves_the_other_rows_distinct(in_parts, n_cells):
    table = X.copy()
    table[0, :n_cells] = 1e11
    model = ParetoClustering(**FEW).fit(parts(table) if in_parts else table)
    assert model.n_landmarks_ > 40
    assert ari(np.asarray(model.labels_)[1:], CLASSES[1:]) > 0.95


def test_rows_are_equal_up_to_rounding_whatever_the_outliers():
    rows = np.concatenate([X, [[1e12, 1e300]]])
    assert 0 < placement.rounding(rows) == pytest.approx(placement.rounding(X), rel=0.05)
    assert_allclose(placement.rounding(3 * X), 3 * placement.rounding(X))


@pytest.mark.parametrize("in_parts", [True, False])
def test_outliers_are_found_as_without_bounds(in_parts):
    rng = np.random.default_rng(2)
    table = np.concatenate([X, X[:30] + rng.normal(size=(30, 2)) * 4])
    samples = ParetoClustering(**FEW).fit(parts(table) if in_parts else table)._samples
    rows = X[rng.integers(500, size=3000)] + rng.standard_t(2, size=(3000, 2))
    scaled, near = samples.transform(rows), samples.features[~samples.far]
    reach = np.sort(cdist(near, near), axis=1)[:, 5]
    gaps = cdist(scaled, near)
    neighbors = np.argsort(gaps, axis=1)[:, :5]
    fifth = np.take_along_axis(gaps, neighbors, axis=1)[:, 4]
    expected = samples.far[samples.nearest(rows, 1)[0][:, 0]] | placement.are_far(fifth, neighbors, reach)
    assert 0 < expected.sum() < 1500
    assert_array_equal(samples.outlying(rows), expected)


@pytest.mark.parametrize("distinct", [2, 3])
def test_few_distinct_rows_are_clusters_whatever_the_number_of_rows(distinct):
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.arange(120) % distinct)
    X = np.eye(distinct)[codes]
    model = ParetoClustering(n_landmarks=50, random_state=0).fit(X)
    assert model.n_landmarks_ == 20 * distinct
    assert_array_equal(np.bincount(model.landmark_of_) > 0, np.ones(20 * distinct, dtype=bool))
    assert ari(codes, model.labels_) == ari(codes, ParetoClustering(random_state=0).fit(X).labels_) == 1
    assert_array_equal(model.predict(X), model.labels_)
    if distinct > 2:
        labels = model.labels_
        assert_array_equal(model.update(X[:5]).labels_, np.append(labels, labels[:5]))
