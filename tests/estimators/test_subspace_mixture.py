"""SubspaceMixture: its criterion, its twin in NumPy, relevant features, labels and pairs, input."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchmarks._numpy_mixture import hard_em
from moo_clustering import InconsistentConstraintsError, SubspaceMixture
from moo_clustering.estimators.subspace_mixture import MixtureSearch, samples_of, standardisation
from moo_clustering.visualization.report import report_content


def planted(seed, n=40, d=30):
    """Three clusters with three relevant features each, among normal noise."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.repeat(np.arange(3), n))
    X = rng.normal(size=(3 * n, d))
    for c in range(3):
        members = np.flatnonzero(classes == c)
        X[np.ix_(members, range(3 * c, 3 * c + 3))] = 1 - c + 0.15 * rng.normal(size=(n, 3))
    return X, classes


X, CLASSES = planted(0)
PARTLY = np.where(np.arange(len(X)) < 12, CLASSES, -1)


@pytest.fixture(scope="module")
def model():
    """A fit with the true number of clusters."""
    return SubspaceMixture(3, random_state=0).fit(X)


def naive_objective(model):
    """The criterion by scipy's densities, from the parameters that the model shows."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    centers = (model.cluster_centers_ - X.mean(axis=0)) / X.std(axis=0)
    scales = np.sqrt(model.variances_) / X.std(axis=0)
    labels, (n, d) = model.labels_, X.shape
    likelihood = norm.logpdf(Z, centers[labels], scales[labels]).sum() - norm.logpdf(Z).sum()
    shares = np.log(np.bincount(labels) / n)[labels].sum()
    n_relevant = np.count_nonzero(model.feature_weights_)
    return likelihood + shares - n_relevant * np.log(n * d) - model.n_clusters_ * np.log(n) / 2


def test_objective_is_the_criterion(model):
    assert model.objective_ == pytest.approx(naive_objective(model), rel=1e-9)
    assert model.objective_ == pytest.approx(model.objective_history_[-1], rel=1e-9)
    assert (np.diff(model.objective_history_) > 0).all()


def test_parameters_are_those_of_the_samples(model):
    """Of a cluster where a feature is relevant, else of all clusters that share it."""
    relevant = model.feature_weights_ > 0
    for j in range(X.shape[1]):
        shared = ~relevant[model.labels_, j]
        for c in range(3):
            own = X[model.labels_ == c, j] if relevant[c, j] else X[shared, j]
            assert model.cluster_centers_[c, j] == pytest.approx(own.mean())
            assert model.variances_[c, j] == pytest.approx(own.var())


def test_worked_number():
    """Two clusters of four at -1 and 1 exactly: their variance is the floor, and nothing else is relevant."""
    x = np.repeat([-1.0, 1.0], 4)[:, None]
    model = SubspaceMixture(2, random_state=0, min_variance=0.25).fit(x)
    # Per cluster 4 (ln 1/2 + ln 2 + 1/2) for shares, variance 1/4 and mean, less ln 8 + ln 1 and ln(8) / 2.
    assert model.objective_ == pytest.approx(2 * (2 - 1.5 * np.log(8)))
    np.testing.assert_allclose(model.cluster_centers_, [[-1], [1]])
    np.testing.assert_allclose(model.variances_, 0.25)
    np.testing.assert_allclose(model.shares_, 0.5)


def test_planted_clusters_their_features_and_their_number(model):
    assert adjusted_rand_score(CLASSES, model.labels_) > 0.9
    for cluster, leading in enumerate(model.leading_features(3)):
        c = np.bincount(CLASSES[model.labels_ == cluster]).argmax()
        assert sorted(leading) == [3 * c, 3 * c + 1, 3 * c + 2]
    np.testing.assert_allclose(model.feature_weights_.sum(axis=1), 1)
    free = SubspaceMixture(random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, free.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_noise_is_one_cluster():
    noise = np.random.default_rng(1).normal(size=(100, 10))
    model = SubspaceMixture(random_state=0).fit(noise)
    assert (model.n_clusters_, model.feature_weights_.sum()) == (1, 0)
    with pytest.warns(UserWarning, match="only 1 of n_clusters=4 clusters is non-empty"):
        SubspaceMixture(4, random_state=0).fit(noise)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_em_is_that_of_numpy_and_never_falls(seed, kind):
    start = np.random.default_rng(seed).integers(0, 4, len(X)).astype(np.int32)
    start[: len(X) // 2] = CLASSES[: len(X) // 2]
    labels, objectives = hard_em(X, start, 4, max_iter=20)
    assert (np.diff(objectives) >= -1e-9).all()
    given = kind(X)
    samples = samples_of(given, standardisation(given))
    search = MixtureSearch(samples, SubspaceMixture(max_iter=20), np.random.default_rng(0))
    found = search.converged(search.state(start, 4))
    np.testing.assert_array_equal(found.labels, labels)
    assert found.objective == pytest.approx(objectives[-1])


def test_sparse_data_give_the_same(model):
    thin = np.where(np.abs(X) > 0.3, X, 0.0)
    dense = SubspaceMixture(3, random_state=0).fit(thin)
    compressed = SubspaceMixture(3, random_state=0).fit(sparse.csr_matrix(thin))
    np.testing.assert_array_equal(dense.labels_, compressed.labels_)
    np.testing.assert_allclose(dense.cluster_centers_, compressed.cluster_centers_, atol=1e-12)
    np.testing.assert_array_equal(compressed.predict(thin), dense.labels_)
    counts = sparse.csr_matrix(np.round(np.abs(X)).astype(int))
    assert SubspaceMixture(2, random_state=0, n_swaps=2).fit(counts).labels_.shape == (len(X),)


def test_shift_and_scale_do_not_matter(model):
    other = SubspaceMixture(3, random_state=0).fit(1000.0 + 50.0 * X)
    np.testing.assert_array_equal(other.labels_, model.labels_)
    np.testing.assert_allclose(other.cluster_centers_, 1000 + 50 * model.cluster_centers_)
    np.testing.assert_allclose(other.variances_, 2500 * model.variances_)


def test_threads_do_not_matter(model, monkeypatch):
    monkeypatch.setattr("moo_clustering._kernels.threads._WORTH_A_THREAD", 1)
    again = SubspaceMixture(3, random_state=0, n_jobs=3).fit(X)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert again.objective_ == model.objective_


def test_labels_and_pairs_hold():
    model = SubspaceMixture(3, random_state=0).fit(X, PARTLY)
    known = PARTLY >= 0
    assert adjusted_rand_score(PARTLY[known], model.labels_[known]) == 1.0
    # Pairs against the data: two samples of one cluster apart, two of different ones together.
    first, second = (np.flatnonzero(c == CLASSES)[:2] for c in (0, 1))
    model = SubspaceMixture(3, random_state=0).fit(
        X, must_link=[(first[0], second[0])], cannot_link=[tuple(first), tuple(second)]
    )
    assert model.labels_[first[0]] == model.labels_[second[0]]
    assert model.labels_[first[0]] != model.labels_[first[1]]
    assert model.labels_[second[0]] != model.labels_[second[1]]


def test_labels_find_clusters_that_swaps_alone_do_not():
    few = {"n_clusters": 3, "n_swaps": 0, "random_state": 3}
    without = [adjusted_rand_score(CLASSES, SubspaceMixture(**few).fit(X).labels_)]
    labelled = np.where(np.arange(len(X)) % 4 == 0, CLASSES, -1)
    assert adjusted_rand_score(CLASSES, SubspaceMixture(**few).fit(X, labelled).labels_) > max(0.8, *without)


def test_too_few_clusters_for_the_labels_are_told():
    with pytest.warns(UserWarning, match=r"more samples than there are clusters \(2\); increase n_clusters"):
        SubspaceMixture(2, n_swaps=2, random_state=0).fit(X, PARTLY)
    i, j = np.flatnonzero(PARTLY == 0)[0], np.flatnonzero(PARTLY == 1)[0]
    with pytest.raises(InconsistentConstraintsError, match="differ in y"):
        SubspaceMixture(3).fit(X, PARTLY, must_link=[(i, j)])


def test_constant_features_are_never_relevant():
    wide = np.hstack([np.full((len(X), 2), 7.0), X, np.full((len(X), 1), 0.1)])
    model = SubspaceMixture(3, random_state=0).fit(wide)
    assert not model.feature_weights_[:, [0, 1, -1]].any()
    np.testing.assert_allclose(model.cluster_centers_[:, [0, 1, -1]], [[7, 7, 0.1]] * 3)
    assert adjusted_rand_score(CLASSES, model.labels_) > 0.9
    assert SubspaceMixture(random_state=0).fit(np.ones((4, 2))).n_clusters_ == 1


def test_leading_features_have_names(model):
    names = [f"f{j}" for j in range(X.shape[1])]
    named = SubspaceMixture(3, random_state=0).fit(pd.DataFrame(X, columns=names))
    expected = tuple(tuple(names[j] for j in row) for row in model.leading_features(2))
    assert named.leading_features(2) == model.leading_features(2, names) == expected
    with pytest.raises(ValueError, match=r"feature_names must have one name per feature \(30\), got 1"):
        model.leading_features(feature_names=["a"])
    with pytest.raises(ValueError, match="n must be"):
        model.leading_features(0)


def test_report_shows_the_relevant_features(model):
    shown = report_content(model, X, feature_names=[f"f{j}" for j in range(X.shape[1])])
    assert shown.features_title.startswith("most distinctive features and their weights")
    for cluster, facts in enumerate(shown.clusters[0]):
        names, weights = zip(*facts.features, strict=True)
        assert names == tuple(f"f{j}" for j in model.leading_features()[cluster])
        assert sum(weights) == pytest.approx(X.shape[1])  # the mean over all features is 1


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({"n_clusters": 3}, [[0.0], [1.0]], "n_clusters=3 must not exceed the number of samples, 2"),
        ({"n_clusters": 2}, [[0.0], [np.nan]], "column 0 has 1, the first in row 1"),
        ({"n_clusters": 2, "min_variance": 0.0}, [[0.0], [1.0]], "'min_variance' parameter"),
        ({"n_clusters": 2}, [[0.0], [1e200]], "so large that squared distances overflow"),
    ],
)
def test_bad_input_is_named(options, data, message):
    with pytest.raises(ValueError, match=message):
        SubspaceMixture(**options).fit(data)


# Few swaps keep the checks short. The labels that some checks give are partial labels here.
@parametrize_with_checks([SubspaceMixture(2, n_swaps=3, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
