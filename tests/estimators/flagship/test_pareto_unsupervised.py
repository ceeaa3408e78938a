"""Without labels and pairs: scores, choice, consensus, alternatives."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import (
    CLASSES,
    QUICK,
    X,
    ari,
    naive_agreement,
    naive_minimax_silhouette,
    naive_modularity,
    naive_scores,
    naive_support,
    partly,
)
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from moo_clustering import ParetoClustering
from moo_clustering.validity import GraphModularity, LikelihoodGain
from papers.flagship_generated import generated_table


def test_scores_are_those_of_the_definition():
    model = ParetoClustering(**QUICK).fit(X)
    pool, scores = model.pool_, model.scores_
    assert pool.labels.shape == (len(scores), len(X))
    assert list(scores.family) == list(pool.families)
    assert list(scores.n_clusters) == [len(set(row)) for row in pool.labels.tolist()]
    agreement = [naive_agreement(row, pool.labels, pool.families) for row in pool.labels]
    assert_allclose(scores.agreement, agreement, atol=1e-12)
    modularity = [naive_modularity(row, model.graph_) for row in pool.labels]
    assert_allclose(scores.modularity, modularity, atol=1e-12)
    assert_allclose(scores.score, naive_scores(model), atol=1e-12)
    assert "total" not in scores


def test_eight_families_over_the_grid(plain):
    names = {"km", "ward", "spec", "genie", "genie_mr", "hdbscan", "gmm", "graph_agg"}
    assert set(plain.scores_.family) == names
    # Up to the root of 90 samples, above it.
    assert set(plain.scores_[plain.scores_.family == "ward"].n_clusters) == set(range(2, 11))


def test_without_a_number_the_best_member(plain):
    best = plain.pool_.labels[plain.scores_.score.argmax()]
    assert ari(plain.labels_, best) == 1
    assert plain.n_clusters_ == len(set(plain.labels_.tolist())) == 3
    assert plain.labels_.dtype == np.int32
    assert ari(plain.labels_, CLASSES) > 0.9
    assert not hasattr(plain, "classes_")
    assert not hasattr(plain, "predict_proba_")


def test_no_member_of_the_front_is_dominated(plain):
    front, labels = plain.pareto_front_, plain.pareto_labels_
    assert plain.objective_names_ == ("agreement", "modularity")
    assert labels.shape == (len(front), len(X))
    everything = plain.scores_[["agreement", "modularity"]].to_numpy()
    for values, row in zip(front, labels, strict=True):
        assert not ((everything >= values).all(axis=1) & (everything > values).any(axis=1)).any()
        assert naive_modularity(row, plain.graph_) == pytest.approx(values[1])
    assert len(np.unique(front, axis=0)) == len(front)
    for values in everything:
        assert (front >= values).all(axis=1).any()
    assert_array_equal(plain.result_.F, -front)
    assert_array_equal(plain.result_.X, labels)
    assert_array_equal(plain.result_.opt.get("F"), -front)


def test_alternatives_are_unlike_each_other_and_fall_in_score(plain):
    frame, labels = plain.alternatives_, plain.alternative_labels_
    assert 2 <= len(frame) == len(labels) <= 4
    assert frame.score.is_monotonic_decreasing
    for i, row in enumerate(labels):
        assert frame.ari_to_labels[i] == pytest.approx(ari(row, plain.labels_))
        assert ari(row, plain.labels_) <= 0.8
        assert all(ari(row, other) <= 0.8 for other in labels[:i])
        assert frame.n_clusters[i] == len(set(row.tolist()))
    # The best of all that differ enough, also in their number, is among them.
    far = np.array([ari(row, plain.labels_) <= 0.8 for row in plain.pool_.labels])
    ratio = plain.scores_.n_clusters / plain.n_clusters_
    far &= np.maximum(ratio, 1 / ratio) >= 1.25
    assert plain.scores_.score[far].max() in set(frame.score)


def test_alternatives_say_how_they_differ():
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.repeat([0, 20, 26], 30), np.tile([0, 7, 0], 30)]) + rng.normal(size=(90, 2))
    model = ParetoClustering(n_clusters=3, **QUICK).fit(pd.DataFrame(rows, columns=["place", "other"]))
    finer, coarser = np.arange(90) // 15, np.arange(90) // 60
    difference = partial(model._assessor.difference, np.arange(90) // 30, names=["place", "other"])
    assert difference(coarser) == "merges clusters 0 and 1, by place"
    assert difference(finer).startswith("splits cluster 0 into 2, 1 into 2, ...")
    assert difference(np.arange(90) % 3) == "divides the samples differently, by place and other"
    frame = model.alternatives_
    assert set(frame.confidence.between(0, 1)) == {True}
    for place, labels in enumerate(model.alternative_labels_):
        sizes = sorted(np.bincount(labels), reverse=True)
        assert frame.sizes[place].startswith(", ".join(map(str, sizes[:8])))
        assert frame.family[place] in frame.families[place].split(", ")
    text = model.summary().splitlines()
    assert text[0].startswith("3 clusters of ")
    assert f"samples: {model.verdict_} (expected" in text[0]
    assert text[1].startswith("granularity: ")
    assert len(text) == 3 + len(frame)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 13, 89, 90])
@pytest.mark.parametrize("method", ["consensus", "select"])
def test_the_number_given_is_kept(k, method):
    model = ParetoClustering(k, method=method, **QUICK).fit(X)
    assert model.n_clusters_ == k
    assert_array_equal(np.unique(model.labels_), np.arange(k))
    if k == 3:
        assert ari(model.labels_, CLASSES) > 0.9


def test_select_takes_the_best_of_that_number():
    model = ParetoClustering(5, method="select", **QUICK).fit(X)
    rows = model.scores_[model.scores_.n_clusters == 5]
    assert ari(model.labels_, model.pool_.labels[rows.score.idxmax()]) == 1


def test_the_weight_of_modularity_is_heard():
    none = ParetoClustering(criterion_weight=0.0, **QUICK).fit(X)
    assert_array_equal(none.scores_.score, none.scores_.agreement)
    much = none.set_params(criterion_weight=1000.0).fit(X)
    assert much.scores_.modularity[much.scores_.score.argmax()] == much.scores_.modularity.max()


@pytest.mark.parametrize(("given", "weight"), [(None, 0.7), (0.2, 0.2)])
def test_scores_by_the_minimax_criterion(given, weight):
    rows = X[::2]
    model = ParetoClustering(**{**QUICK, "criterion": "auto"}, criterion_weight=given).fit(rows)
    scores, pool = model.scores_, model.pool_
    scaled = StandardScaler().fit_transform(rows)
    plain = [naive_agreement(row, pool.labels, pool.families) for row in pool.labels]
    support = [naive_support(row, pool.labels, pool.families) for row in pool.labels]
    silhouette = [naive_minimax_silhouette(row, scaled) for row in pool.labels]
    assert_allclose(scores.agreement, plain, atol=1e-12)
    assert_allclose(scores.broad_agreement, np.add(plain, support), atol=1e-12)
    assert_allclose(scores.minimax_silhouette, silhouette, atol=1e-9)
    assert_allclose(scores.score, scores.broad_agreement + weight * np.array(silhouette), atol=1e-9)
    assert ari(model.labels_, pool.labels[scores.score.argmax()]) == 1


def test_the_criterion_depends_on_what_is_known():
    model = ParetoClustering(**{**QUICK, "criterion": "auto"}).fit(X)
    by_paths, by_graph = ("broad_agreement", "minimax_silhouette"), ("agreement", "modularity")
    assert model.objective_names_ == by_paths
    assert model.relabel(n_clusters=3).objective_names_ == by_graph
    assert model.relabel(partly(CLASSES, 2), n_clusters=None).objective_names_[:2] == by_paths
    assert model.relabel(must_link=[[0, 1]]).objective_names_[:2] == by_graph
    assert model.relabel().objective_names_ == by_paths
    distances = ParetoClustering(**{**QUICK, "criterion": "auto"}, metric="precomputed")
    assert distances.fit(cdist(X, X)).objective_names_ == by_paths
    assert distances.relabel(n_clusters=3).objective_names_ == by_graph


@pytest.mark.parametrize(("given", "weight"), [(None, 1.0), (0.2, 0.2)])
def test_scores_by_the_mixture_criterion(given, weight):
    rng = np.random.default_rng(0)
    rows = np.hstack([X[::2], rng.normal(size=(len(X[::2]), 4 - X.shape[1]))])
    model = ParetoClustering(**{**QUICK, "criterion": "auto"}, criterion_weight=given).fit(rows)
    scores, pool = model.scores_, model.pool_
    gain = LikelihoodGain().fit(StandardScaler().fit_transform(rows)).evaluate(pool.labels)
    modularity = GraphModularity().fit(model.graph_).evaluate(pool.labels)
    assert model.objective_names_ == ("broad_agreement", "mixture")
    assert_allclose(scores.mixture, gain + 0.3 * modularity, atol=1e-9)
    assert_allclose(scores.score, scores.broad_agreement + weight * scores.mixture, atol=1e-9)
    # A constant feature does not count.
    assert ParetoClustering(**{**QUICK, "criterion": "auto"}).fit(
        np.column_stack([X[:, :2], np.full((len(X), 3), 7.0)])
    ).objective_names_ == ("broad_agreement", "minimax_silhouette")


def two_spirals(n):
    """Two arms of n samples each."""
    t = np.sqrt(np.linspace(2, 60, n))
    arm = np.column_stack([t * np.cos(t), t * np.sin(t)])
    return np.concatenate([arm, -arm]), np.repeat([0, 1], n)


@pytest.mark.slow
def test_thin_shapes_by_the_minimax_criterion():
    spirals, classes = two_spirals(50)
    by_modularity = ParetoClustering(criterion="modularity", scale="isotropic", random_state=0)
    assert ari(by_modularity.fit_predict(spirals), classes) < 0.5
    model = ParetoClustering(scale="isotropic", random_state=0).fit(spirals)
    assert ari(model.labels_, classes) == 1
    assert model.objective_names_ == ("broad_agreement", "minimax_silhouette")
    # So thin, few families see them; of three times as many samples they are clear.
    longer, classes = two_spirals(150)
    model.fit(longer)
    assert (ari(model.labels_, classes), model.verdict_) == (1, "clear")


def test_no_structure_is_said():
    noise = np.random.default_rng(0).normal(size=(150, 8))
    with pytest.warns(UserWarning, match=r"no structure beyond noise: .*confidence 0\.\d\d, p = 0"):
        model = ParetoClustering(random_state=0).fit(noise)
    assert model.verdict_ == "no structure beyond noise"
    assert model.confidence_ < 0.3 < model.structure_p_value_ + 0.25


def test_a_small_p_value_without_common_clusters_is_explained(plain, monkeypatch):
    # The warning must not call clusters hardly clearer than noise if their p-value is small.
    assessor, labels = plain._assessor, plain.labels_
    found = assessor.assess(labels, labels)._replace(confidence=0.2, p_value=0.001)
    found = found._replace(verdict="no structure beyond noise")
    monkeypatch.setattr(type(assessor), "assess", lambda self, labels, best: found)
    why = r"algorithm families find no common clusters \(confidence 0.20, p < 0.05\)"
    with pytest.warns(UserWarning, match=why) as caught:
        model = ParetoClustering(**QUICK).fit(X)
    assert not any("hardly clearer" in str(warning.message) for warning in caught)
    assert model.verdict_ == "no structure beyond noise"


@pytest.mark.filterwarnings("error")
def test_clear_structure_is_not_warned_about(plain):
    assert ParetoClustering(random_state=0).fit(X).confidence_ == plain.confidence_ > 0.6
    assert plain.verdict_ == "clear"


def test_a_pool_of_one_family_agrees_with_nobody():
    with pytest.warns(UserWarning, match="only 1 family"):
        model = ParetoClustering(families=["km"], k_range=(2, 3), criterion="modularity", random_state=0).fit(
            X
        )
    assert_array_equal(model.scores_.agreement, 0)
    # Modularity alone decides.
    assert ari(model.labels_, model.pool_.labels[model.scores_.modularity.argmax()]) == 1


def with_outliers():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 3))
    rows[:2] += 9.0
    return rows


def test_no_cluster_is_tiny_unless_asked_for():
    rows = with_outliers()
    plain = ParetoClustering(**QUICK).fit(rows)
    assert np.bincount(plain.labels_).min() >= 2
    large = ParetoClustering(min_cluster_size=30, **QUICK).fit(rows)
    eligible = [np.bincount(row).min() >= 30 for row in large.pool_.labels]
    best = large.pool_.labels[np.where(eligible, large.scores_.score, -np.inf).argmax()]
    assert ari(large.labels_, best) == 1
    assert (np.array([np.bincount(row).min() for row in large.alternative_labels_]) >= 30).all()
    # Known numbers and labels ask for what they ask for.
    same = [model.relabel(n_clusters=5).labels_ for model in (plain, large)]
    assert_array_equal(*same)
    y = np.full(150, -1)
    y[[0, 1, 10, 11]] = [0, 0, 1, 1]
    assert set(large.relabel(y, n_clusters=None).labels_) == {0, 1}


def test_tiny_clusters_of_the_best_join_the_most_similar_if_all_have_some():
    rows = np.concatenate([X[CLASSES == 0][:20], X[CLASSES == 1][:10], X[CLASSES == 2][:10]])
    model = ParetoClustering(min_cluster_size=12, **{**QUICK, "families": ["ward"], "k_range": (3,)})
    with pytest.warns(UserWarning, match="families"):
        model.fit(rows)
    assert np.bincount(model.labels_).min() >= 12
    (three,) = model.pool_.labels
    # Whole clusters are merged.
    assert all(len(set(model.labels_[three == c])) == 1 for c in range(3))


def test_clusters_that_form_clusters_are_divided_if_families_agree():
    X, classes, _ = generated_table("nested", 100)
    model = ParetoClustering(random_state=0).fit(X)
    joined = model._candidates.best(model._candidates.score)
    assert adjusted_rand_score(joined, classes) < 0.6
    assert adjusted_rand_score(model.labels_, classes) > 0.95
    assert model.choose("select").n_clusters_ == model.choose("auto").n_clusters_ == 12
    # Without such a partition, and with repeated points, the result has the best score.
    in_threes = replace(
        model._samples, features=None, coordinates=X, coincident=np.arange(len(X), dtype=np.int32) // 3
    )
    assert replace(model._candidates, samples=in_threes).divided(joined) is joined
    assert model._candidates.divided(model.labels_) is model.labels_
    without_positions = replace(in_threes, coordinates=None, coincident=np.arange(len(X), dtype=np.int32))
    assert replace(model._candidates, samples=without_positions).divided(joined) is joined


@pytest.mark.parametrize(("seed", "n", "k", "d"), [(3, 14, 2, 4), (19, 14, 2, 4), (61, 16, 3, 4)])
def test_single_gaussian_clusters_are_not_divided(seed, n, k, d):
    rng = np.random.default_rng(seed)
    classes = np.repeat(np.arange(k), n)
    X = 10 * rng.normal(size=(k, d))[classes] + rng.normal(size=(k * n, d))
    model = ParetoClustering(random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, classes) > 0.95
