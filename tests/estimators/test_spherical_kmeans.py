"""SphericalKMeans: directions, I2, splits, zero rows."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators import SphericalKMeans, spherical_kmeans
from moo_clustering.validity import i2_criterion, nmi

BOTH = pytest.mark.parametrize("strategy", ["kmeans", "bisecting"])


def documents(n=90, n_topics=3, n_words=40, seed=0):
    """Counts of words, most of them from the words of a topic; documents differ in length."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % n_topics
    shares = np.full((n_topics, n_words), 0.3 / n_words)
    for c in range(n_topics):
        shares[c, c::n_topics] += 0.7 / len(range(c, n_words, n_topics))
    lengths = rng.integers(10, 200, n)
    counts = [rng.multinomial(m, shares[c] / shares[c].sum()) for m, c in zip(lengths, topic, strict=True)]
    return np.array(counts, dtype=float), topic


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@BOTH
def test_finds_topics_and_says_what_they_are_worth(strategy):
    X, topic = documents()
    model = SphericalKMeans(3, strategy=strategy, random_state=0).fit(X)
    assert nmi(topic, model.labels_) == pytest.approx(1.0)
    assert model.labels_.dtype == np.int32
    assert model.i2_ == pytest.approx(i2_criterion(X, model.labels_))
    for c in range(3):
        total = unit(X)[model.labels_ == c].sum(axis=0)
        np.testing.assert_allclose(model.cluster_centers_[c], total / np.linalg.norm(total), atol=1e-12)
    np.testing.assert_array_equal(np.unique(model.labels_, return_index=True)[1], [0, 1, 2])


@BOTH
@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array, sp.csc_matrix])
def test_sparse_is_as_dense(strategy, container):
    X, _ = documents()
    options = {"strategy": strategy, "n_init": 3, "random_state": 0}
    one, two = SphericalKMeans(5, **options).fit(X), SphericalKMeans(5, **options).fit(container(X))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.i2_ == pytest.approx(two.i2_)
    np.testing.assert_allclose(one.transform(X), two.transform(container(X)), atol=1e-12)


@BOTH
def test_lengths_of_rows_do_not_matter(strategy):
    X, _ = documents()
    scales = 10.0 ** np.random.default_rng(0).integers(-200, 200, len(X))
    options = {"strategy": strategy, "n_init": 2, "random_state": 0}
    one = SphericalKMeans(4, **options).fit(X)
    two = SphericalKMeans(4, **options).fit(X * scales[:, None])
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.i2_ == pytest.approx(two.i2_)


def one_iteration(X, labels, k):
    """Assign to the largest dot product with the normalised sums."""
    centers = unit(np.array([X[labels == c].sum(axis=0) for c in range(k)]))
    return (X @ centers.T).argmax(axis=1)


def test_result_is_a_fixed_point_and_i2_never_falls():
    X, _ = documents(seed=3)
    X = unit(X)
    last = -np.inf
    for n_iter in range(1, 12):
        run = spherical_kmeans.spherical_kmeans(X, 6, max_iter=n_iter, rng=np.random.default_rng(5))
        assert run.i2 >= last - 1e-12
        assert run.i2 == pytest.approx(i2_criterion(X, run.labels))
        last = run.i2
    assert run.converged
    np.testing.assert_array_equal(one_iteration(X, run.labels, 6), run.labels)


def test_first_centroids_are_documents_drawn_at_random():
    X = unit(documents(n=12)[0])
    rng = np.random.default_rng(9)
    chosen = np.sort(np.random.default_rng(9).choice(12, size=3, replace=False))
    run = spherical_kmeans.spherical_kmeans(X, 3, max_iter=1, rng=rng)
    np.testing.assert_array_equal(run.labels, (X @ X[chosen].T).argmax(axis=1))
    assert run.n_iter == 1
    assert not run.converged


def test_more_runs_are_no_worse():
    X, _ = documents(n_topics=6, seed=1)
    few = SphericalKMeans(6, n_init=1, random_state=0).fit(X).i2_
    many = SphericalKMeans(6, n_init=8, random_state=0).fit(X).i2_
    # The first of eight runs is the one run.
    assert many >= few
    scores = [
        spherical_kmeans.spherical_kmeans(unit(X), 6, max_iter=100, rng=np.random.default_rng(s)).i2
        for s in range(8)
    ]
    assert np.ptp(scores) > 0


def test_split_raises_i2_most():
    # Angles in degrees: a tight pair, a tight triple, and a wide pair 40 degrees apart.
    angles = np.deg2rad([0.0, 2.0, 40.0, 41.0, 42.0, 80.0, 89.0])
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    rng = np.random.default_rng(0)
    three = spherical_kmeans.bisecting_spherical_kmeans(X, 3, max_iter=50, rng=rng)
    two = spherical_kmeans.bisecting_spherical_kmeans(X, 2, max_iter=50, rng=np.random.default_rng(0))
    # The third cluster comes from one of the first two, and it is the better one to split.
    parts = [np.unique(three.labels[two.labels == c]) for c in (0, 1)]
    split = int(len(parts[1]) == 2)
    assert len(parts[split]) == 2
    gains = []
    for c in (0, 1):
        members = X[two.labels == c]
        whole = np.linalg.norm(members.sum(axis=0))
        halves = [
            np.linalg.norm(members[:i].sum(axis=0)) + np.linalg.norm(members[i:].sum(axis=0))
            for i in range(1, len(members))
        ]
        gains.append(max(halves) - whole)
    assert split == int(np.argmax(gains))
    assert three.i2 == pytest.approx(two.i2 + gains[split])
    assert three.i2 == pytest.approx(i2_criterion(X, three.labels))


@BOTH
def test_zero_rows_go_to_the_largest_cluster_with_a_warning(strategy):
    X, topic = documents(n=40)
    X, topic = X[topic != 2], topic[topic != 2]
    X = np.vstack([np.zeros(40), X, X[topic == 1], np.zeros(40)])
    model = SphericalKMeans(2, strategy=strategy, random_state=0)
    with pytest.warns(UserWarning, match=r"all-zero rows of X \(2\)"):
        model.fit(sp.csr_matrix(X))
    counts = np.bincount(model.labels_[1:-1])
    assert counts[0] != counts[1]
    largest = np.flatnonzero(counts == counts.max())[0]
    assert model.labels_[0] == model.labels_[-1] == largest
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.transform(X)[0], 1.0)


@BOTH
def test_rows_that_do_not_differ_make_fewer_clusters(strategy):
    X = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [0.0, 1.0], [5.0, 0.0]])
    model = SphericalKMeans(4, strategy=strategy, random_state=0)
    with pytest.warns(UserWarning, match="only 2 of n_clusters=4"):
        model.fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1, 0]
    assert model.cluster_centers_.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert model.i2_ == pytest.approx(5.0)


@BOTH
def test_nothing_but_zero_rows(strategy):
    model = SphericalKMeans(3, strategy=strategy)
    with (
        pytest.warns(UserWarning, match=r"all-zero rows of X \(4\)"),
        pytest.warns(UserWarning, match="only 1 of n_clusters=3"),
    ):
        model.fit(np.zeros((4, 2)))
    assert model.labels_.tolist() == [0] * 4
    assert model.i2_ == 0.0
    assert model.predict([[1.0, 2.0]]).tolist() == [0]


@BOTH
def test_every_row_a_cluster(strategy):
    X, _ = documents(n=6)
    model = SphericalKMeans(6, strategy=strategy, random_state=0).fit(X)
    assert sorted(model.labels_) == list(range(6))
    assert model.i2_ == pytest.approx(6.0)


def test_empty_clusters_get_the_rows_least_similar_to_their_own():
    angles = np.deg2rad([0.0, 1.0, 2.0, 30.0, 50.0, 50.0])
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    labels = np.zeros(6, dtype=np.int32)
    spherical_kmeans._fill_empty(X, labels, X @ np.array([1.0, 0.0]), 3)
    # Not both of the equal rows at 50 degrees: the second is near a centroid by then.
    assert labels.tolist() == [0, 0, 0, 2, 1, 0]


def test_members_that_cancel_out_keep_their_centroid():
    X = np.array([[1.0, 0.0], [-1.0, 0.0]])
    model = SphericalKMeans(1, random_state=0).fit(X)
    assert model.i2_ == 0.0
    assert np.linalg.norm(model.cluster_centers_) == pytest.approx(1.0)
    # One of them stays opposite to its centroid and would be moved first.
    assert SphericalKMeans(2, random_state=0).fit(X).i2_ == pytest.approx(2.0)


@BOTH
def test_predict_transform_and_float32(strategy):
    X, _ = documents()
    model = SphericalKMeans(4, strategy=strategy, random_state=0).fit(X)
    distances = model.transform(X)
    np.testing.assert_allclose(distances, 1.0 - unit(X) @ model.cluster_centers_.T, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), distances.argmin(axis=1))
    if strategy == "kmeans":
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.get_feature_names_out().tolist() == [f"sphericalkmeans{c}" for c in range(4)]
    single = SphericalKMeans(4, strategy=strategy, random_state=0).fit(X.astype(np.float32))
    assert single.cluster_centers_.dtype == single.transform(X.astype(np.float32)).dtype == np.float32
    assert single.i2_ == pytest.approx(model.i2_, rel=1e-3)


@BOTH
def test_workers_and_seeds(strategy):
    X, _ = documents(n_topics=5)
    options = {"strategy": strategy, "n_init": 4}
    one = SphericalKMeans(7, random_state=3, **options).fit(X)
    two = SphericalKMeans(7, random_state=3, n_jobs=2, **options).fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)


def test_too_few_iterations_are_told():
    X, _ = documents()
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        SphericalKMeans(8, max_iter=1, n_init=1, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SphericalKMeans(8, random_state=0).fit(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 91}, "n_clusters=91 must not exceed the number of samples, 90"),
        ({"strategy": "bisect"}, "strategy"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        SphericalKMeans(**{"n_clusters": 2, **options}).fit(documents()[0])


@parametrize_with_checks(
    [
        SphericalKMeans(3, n_init=2, random_state=0),
        SphericalKMeans(3, strategy="bisecting", n_init=2, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
