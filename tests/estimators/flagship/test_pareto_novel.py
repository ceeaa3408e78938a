"""Labels of some classes only."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, naive_evidence, naive_scores, partly
from sklearn.datasets import make_blobs
from sklearn.metrics import accuracy_score

from moo_clustering import ParetoClustering

Y = partly(CLASSES, 3)
TWO = np.where(Y == 2, -1, Y)


@pytest.fixture(scope="module")
def allowed():
    return ParetoClustering(novel="allow", **QUICK).fit(X, TWO)


def test_the_choice_is_that_of_the_definition(allowed):
    evidence = np.array([naive_evidence(row, TWO, unnamed=True) for row in allowed.pool_.labels])
    best = (evidence + 20 * naive_scores(allowed)).argmax()
    assert ari(allowed.labels_, allowed.pool_.labels[best]) == 1


def test_the_class_without_label_is_a_new_one(allowed):
    assert allowed.n_clusters_ == 3
    assert_array_equal(allowed.classes_, [0, 1])
    assert sorted(allowed.cluster_classes_index_.tolist()) == [-1, 0, 1]
    named = allowed.transduction_
    assert named.dtype == TWO.dtype
    for i, name in enumerate(named):
        index = allowed.cluster_classes_index_[allowed.labels_[i]]
        assert name == (-1 if index < 0 else allowed.classes_[index])
    assert np.mean(named[CLASSES == 2] == -1) > 0.9
    assert accuracy_score(CLASSES, named) > 0.6
    assert not hasattr(allowed, "predict_proba_")
    with pytest.raises(ValueError, match="labels"):
        allowed.predict_proba(X)
    assert_array_equal(allowed.predict(X), allowed.labels_)


def test_without_it_nobody_is_new():
    model = ParetoClustering(novel="none", **QUICK).fit(X, TWO)
    assert set(model.transduction_) == {0, 1}


def test_a_partition_that_no_label_contradicts_is_kept_by_default():
    model = ParetoClustering(**QUICK).fit(X, TWO)
    total = [naive_evidence(row, TWO) for row in model.pool_.labels] + 20 * naive_scores(model)
    assert ari(model.labels_, model.pool_.labels[total.argmax()]) == 1
    # Positions of classes, then the new cluster.
    assert_array_equal(model.labels_[TWO >= 0], TWO[TWO >= 0])
    assert_array_equal(model.cluster_classes_index_, [0, 1, -1])
    assert_array_equal(model.transduction_ == -1, model.labels_ == 2)
    assert_array_equal(model.predict(X), model.labels_)
    assert ", 1 of them without labels:" in model.summary()
    with pytest.raises(ValueError, match="novel='none'"):
        model.predict_proba(X)


def test_clusters_of_one_class_become_one_by_default():
    y = np.where(Y == 2, 1, Y)
    model = ParetoClustering(**QUICK).fit(X, y)
    assert_array_equal(model.labels_ == 0, CLASSES == 0)
    assert model.n_clusters_ == 2
    assert not hasattr(model, "cluster_classes_index_")


def test_classes_of_a_partition_are_at_least_half_certain():
    model = ParetoClustering(clamp=False, **QUICK).fit(X, Y)
    kernel = ParetoClustering(clamp=False, novel="none", **QUICK).fit(X, Y)
    expected = (np.eye(3)[model.labels_] + kernel.predict_proba_) / 2
    assert_allclose(model.predict_proba_, expected, atol=1e-12)
    assert model.pool_.labels[(ari_to(model) == 1).argmax()].max() == 2
    assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


def ari_to(model):
    return np.array([ari(row, model.labels_) for row in model.pool_.labels])


WRONG = np.where(np.arange(len(X)) == np.flatnonzero((CLASSES == 0) & (Y < 0))[0], 1, TWO)


@pytest.mark.parametrize(
    ("y", "options", "pairs"),
    [
        (WRONG, {}, {}),
        (TWO, {"n_clusters": 3}, {}),
        (TWO, {"kernel": "pool"}, {}),
        (TWO, {}, {"must_link": [np.flatnonzero(CLASSES == 2)[:2]]}),
    ],
    ids=["a label contradicts", "n_clusters", "kernel", "pairs"],
)
def test_otherwise_labels_are_of_every_class(y, options, pairs):
    closed = ParetoClustering(novel="none", **QUICK | options).fit(X, y, **pairs)
    model = ParetoClustering(**QUICK | options).fit(X, y, **pairs)
    assert_array_equal(model.labels_, closed.labels_)
    assert_array_equal(model.predict_proba_, closed.predict_proba_)


@pytest.mark.parametrize(
    ("n_labels", "options", "is_kept"),
    [(1, {}, True), (2, {}, False), (1, {"clamp": False}, False)],
    ids=["one label per class", "two labels per class", "labels may be wrong"],
)
def test_labels_that_contradict_a_partition_where_classes_are_likely_to_be_unseen(n_labels, options, is_kept):
    y = np.full(len(X), -1)
    first = np.flatnonzero(CLASSES == 0)
    y[first[:n_labels]] = 0
    y[first[n_labels : 2 * n_labels]] = 1
    closed = ParetoClustering(novel="none", **QUICK | options).fit(X, y)
    model = ParetoClustering(**QUICK | options).fit(X, y)
    if not is_kept:
        assert_array_equal(model.labels_, closed.labels_)
        return
    # The labelled sample of class 1 is in the cluster of class 0, and keeps its class.
    expected = np.where(CLASSES == 0, 0, model.labels_)
    expected[first[1]] = 1
    assert_array_equal(model.labels_, expected)
    others = CLASSES > 0
    assert ari(CLASSES[others], model.labels_[others]) == 1
    assert_array_equal(model.cluster_classes_index_, [0, 1, -1, -1])
    assert set(model.predict(X[others]).tolist()) == {2, 3}


def test_without_structure_labels_decide():
    noise = np.random.default_rng(0).uniform(size=(90, 2))
    closed = ParetoClustering(novel="none", **QUICK).fit(noise, TWO)
    assert_array_equal(closed.labels_, ParetoClustering(**QUICK).fit(noise, TWO).labels_)


def test_few_labels_do_not_hurt():
    ring = np.arange(8) * np.pi / 4
    centers = 10 * np.column_stack([np.cos(ring), np.sin(ring)])
    rows, classes = make_blobs(160, centers=centers, cluster_std=0.8, random_state=2)
    model = ParetoClustering(random_state=0).fit(rows)
    without = ari(classes, model.labels_)
    assert without > 0.9
    y = np.full(len(rows), -1)
    for code in range(4):
        y[np.flatnonzero(classes == code)[0]] = code
    assert ari(classes, model.relabel(y).labels_) >= without
    assert ari(classes, model.set_params(novel="none").relabel(y).labels_) < 0.7


@pytest.mark.parametrize("k", [1, 2, 3, 6, 20, 90])
def test_the_number_given_is_kept(k):
    model = ParetoClustering(k, novel="allow", **QUICK).fit(X, TWO)
    assert model.n_clusters_ == len(model.cluster_classes_index_) == k


def test_majority_names_a_cluster_and_ties_go_to_the_lowest():
    y = np.full(len(X), -1)
    y[np.flatnonzero(CLASSES == 0)[:3]] = [7, 7, 5]
    y[np.flatnonzero(CLASSES == 1)[:2]] = [9, 5]
    model = ParetoClustering(3, novel="allow", **QUICK).fit(X, y)
    names = {int(model.transduction_[np.flatnonzero(c == CLASSES)[10]]) for c in (0, 1, 2)}
    assert names == {7, 5, -1}


def test_merging():
    y = np.full(len(X), -1)
    y[CLASSES == 0] = 3
    apart = ParetoClustering(12, novel="allow", **QUICK).fit(X, y)
    assert (apart.cluster_classes_index_ == 0).sum() > 1
    one = ParetoClustering(12, novel="allow", merge_same_class=True, **QUICK).fit(X, y)
    assert (one.cluster_classes_index_ == 0).sum() == 1
    assert_array_equal(np.unique(one.labels_), np.arange(one.n_clusters_))
    # The others are as they were.
    new = apart.cluster_classes_index_[apart.labels_] < 0
    assert ari(apart.labels_[new], one.labels_[new]) == 1
    assert_array_equal(one.transduction_ == 3, ~new)


@pytest.mark.parametrize(("names", "none"), [([0], -1), (["oak"], "-1"), ([4.0], -1.0)])
def test_a_single_class_warns_and_allows(names, none):
    y = np.array([names[0] if code == 0 else -1 for code in Y], dtype=object)
    with pytest.warns(UserWarning, match=f"to one class, {names[0]!r}, so clusters without labels"):
        model = ParetoClustering(**QUICK).fit(X, y)
    same = ParetoClustering(novel="allow", **QUICK).fit(X, y)
    assert_array_equal(model.labels_, same.labels_)
    assert {*model.transduction_} == {names[0], none}
    assert {type(name) for name in model.transduction_.tolist()} == {type(names[0])}


def test_one_class_everywhere():
    with pytest.warns(UserWarning, match="belong to one class"):
        model = ParetoClustering(**QUICK).fit(X, np.zeros(len(X), dtype=int))
    assert -1 not in model.transduction_ or model.n_clusters_ > 1


def test_pairs_beside_labels(allowed):
    # Samples of the class without label, tied to a labelled one, have its label.
    tied = np.flatnonzero(CLASSES == 2)[:8]
    source = np.flatnonzero(TWO == 1)[0]
    links = [(source, i) for i in tied]
    model = ParetoClustering(novel="allow", **QUICK).fit(X, TWO, must_link=links)
    spread = TWO.copy()
    spread[tied] = 1
    direct = ParetoClustering(novel="allow", **QUICK).fit(X, spread)
    # Violated must-links count besides.
    assert (model.scores_.evidence <= direct.scores_.label_evidence + 1e-9).all()
    broken = np.array([(row[source] != row[tied]).sum() for row in model.pool_.labels])
    np.testing.assert_allclose(
        direct.scores_.label_evidence - model.scores_.evidence, 2.9 * broken, rtol=0.03
    )
