"""Semi-supervised MOCK: labels and pairs that pick, that are an objective, that are links."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MOCK, InconsistentConstraintsError

QUICK = {"pop_size": 40, "n_gen": 15, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return make_blobs(120, centers=[[0, 0], [4, 0], [0, 4]], cluster_std=1.1, random_state=3)


def partial(y, count=5):
    known = np.full(len(y), -1)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)[:count]
        known[members] = c
    return known


def disagreement(model, y):
    rows = y >= 0
    return np.array([1 - adjusted_rand_score(y[rows], labels[rows]) for labels in model.pareto_labels_])


def roots(model):
    F = model.pareto_front_[:, :2]
    return np.sqrt((F - F.min(axis=0)) / np.ptp(F, axis=0)).sum(axis=1)


@pytest.mark.parametrize("n_clusters", [None, 3])
def test_labels_pick_after_an_unsupervised_search(data, n_clusters):
    X, y = data
    known = partial(y)
    free = MOCK(3, **QUICK).fit(X)
    model = MOCK(n_clusters, **QUICK).fit(X, known)
    np.testing.assert_array_equal(model.pareto_front_, free.pareto_front_)
    rows = np.flatnonzero(model.pareto_K_ == 3) if n_clusters else np.arange(len(model.pareto_front_))
    gap = disagreement(model, known).round(12)
    best = rows[gap[rows] == gap[rows].min()]
    assert model.chosen_ == best[roots(model)[best].argmin()]
    assert not hasattr(model, "control_fronts_")


@pytest.mark.parametrize("encoding", ["short", "split", "locus"])
def test_labels_as_third_objective(data, encoding):
    X, y = data
    known = partial(y)
    model = MOCK(encoding=encoding, supervision="objective", **QUICK).fit(X, known)
    assert model.objective_names_ == ("variance", "connectivity", "ari")
    np.testing.assert_allclose(model.pareto_front_[:, 2], 1 - disagreement(model, known), atol=1e-12)
    F = model.pareto_front_ * [1, 1, -1]
    dominates = (F[:, None] <= F).all(axis=2) & (F[:, None] < F).any(axis=2)
    assert not dominates.any()
    assert model.choose("ari").pareto_front_[model.chosen_, 2] == model.pareto_front_[:, 2].max()
    # Solutions that lose in the two objectives that control data have are not compared with them.
    model.choose("attainment", n_clusters=None)
    two = (F[:, None, :2] <= F[:, :2]).all(axis=2) & (F[:, None, :2] < F[:, :2]).any(axis=2)
    assert two.any()
    assert np.isnan(model.attainment_scores_[two.any(axis=0)]).all()


def test_unlabelled_samples_are_not_read(data):
    X, y = data
    models = [
        MOCK(supervision="objective", **QUICK).fit(X, known)
        for known in (partial(y), partial(y).astype(np.int8))
    ]
    np.testing.assert_array_equal(*(model.labels_ for model in models))
    swapped = (2 - y).astype(int)
    other = MOCK(supervision="objective", **QUICK).fit(X, partial(swapped))
    np.testing.assert_array_equal(other.labels_, models[0].labels_)


@pytest.mark.parametrize("supervision", ["select", "objective", "links"])
@pytest.mark.parametrize("labelled", [[], [4], [0, 1, 2]])
def test_labels_that_tell_nothing(data, supervision, labelled):
    X, y = data
    known = np.full(len(y), -1)
    known[np.flatnonzero(y == 1)[labelled]] = 1
    with pytest.warns(UserWarning, match="fewer than two classes") as caught:
        model = MOCK(3, supervision=supervision, **QUICK).fit(X, known)
    assert len(caught) == 1
    assert model.objective_names_ == ("variance", "connectivity")
    if supervision != "links" or len(labelled) < 2:
        np.testing.assert_array_equal(model.labels_, MOCK(3, **QUICK).fit(X).labels_)


def violated(labels, must, cannot):
    return np.mean([labels[i] != labels[j] for i, j in must]) + np.mean(
        [labels[i] == labels[j] for i, j in cannot]
    )


def test_pairs_pick_and_are_an_objective(data):
    X, y = data
    rng = np.random.default_rng(0)
    pairs = np.unique(np.sort(rng.choice(len(y), (60, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    must, cannot = pairs[same], pairs[~same]
    model = MOCK(**QUICK).fit(X, must_link=must, cannot_link=cannot)
    gaps = np.array([violated(labels, must, cannot) for labels in model.pareto_labels_])
    assert gaps[model.chosen_] == pytest.approx(gaps.min())
    third = MOCK(supervision="objective", **QUICK).fit(X, must_link=must, cannot_link=cannot)
    assert third.objective_names_[2] == "constraint_violation"
    gaps = np.array([violated(labels, must, cannot) for labels in third.pareto_labels_])
    np.testing.assert_allclose(third.pareto_front_[:, 2], gaps)
    assert third.chosen_ in np.flatnonzero(gaps.round(12) == gaps.round(12).min())


def test_with_pairs_labels_are_pairs_too(data):
    X, y = data
    known = partial(y, 2)
    far = int(np.flatnonzero(y != y[10])[-1])
    model = MOCK(supervision="objective", **QUICK).fit(X, known, cannot_link=[(10, far)])
    rows = np.flatnonzero(known >= 0)
    pairs = [(i, j) for a, i in enumerate(rows) for j in rows[a + 1 :]]
    must = [pair for pair in pairs if known[pair[0]] == known[pair[1]]]
    cannot = [*(pair for pair in pairs if known[pair[0]] != known[pair[1]]), (10, far)]
    gaps = [violated(labels, must, cannot) for labels in model.pareto_labels_]
    np.testing.assert_allclose(model.pareto_front_[:, 2], gaps, atol=1e-12)
    # Asked for labels, pairs are no less heeded.
    assert model.choose("labels").chosen_ == model.choose("constraints").chosen_


@pytest.mark.parametrize("encoding", ["short", "split"])
def test_links(data, encoding):
    X, y = data
    known = partial(y, 8)
    known[0] = -1
    model = MOCK(3, encoding=encoding, supervision="links", **QUICK).fit(X, known)
    graph = model.result_.problem.graph
    classes = np.append(known, -1)[graph.neighbors]  # -1 behind the last neighbour is -1 here
    clash = (classes != known[:, None]) & (classes >= 0) & (known[:, None] >= 0)
    assert not clash.any()
    for labels in model.pareto_labels_:
        for c in range(3):
            assert len(set(labels[known == c])) == 1
    for labels, values, k in zip(model.pareto_labels_, model.pareto_front_, model.pareto_K_, strict=True):
        assert len(np.unique(labels)) == k
        centred = np.concatenate([X[labels == c] - X[labels == c].mean(axis=0) for c in range(k)])
        assert values[0] == pytest.approx((centred**2).sum() / len(X))
    assert adjusted_rand_score(y, model.labels_) > 0.8


def test_links_of_the_tree_between_classes_are_cut_first(data):
    X, y = data
    model = MOCK(3, supervision="links", **QUICK).fit(X, y)
    problem = model.result_.problem
    child = problem.encoding.relevant
    apart = y[child] != y[problem.graph.tree.parent[child]]
    count = (y != y[problem.graph.tree.parent]).sum()
    assert 2 <= count <= len(child)
    assert apart[:count].all()
    assert not apart[count:].any()
    np.testing.assert_allclose(disagreement(model, y)[model.chosen_], 0, atol=1e-12)


def test_joined_parts_need_a_tree(data):
    X, y = data
    with pytest.raises(ValueError, match='encoding="short" or "split"'):
        MOCK(supervision="links", encoding="locus", **QUICK).fit(X, partial(y))
    pair = [(0, int(np.flatnonzero(y != y[0])[0]))]
    model = MOCK(3, supervision="links", encoding="locus", **QUICK).fit(X, cannot_link=pair)
    assert model._supervision.rule == "constraints"


def test_ignored(data):
    X, y = data
    model = MOCK(3, supervision=None, **QUICK).fit(X, y, must_link=[(0, 1)], cannot_link=[(0, 1)])
    np.testing.assert_array_equal(model.labels_, MOCK(3, **QUICK).fit(X).labels_)


def test_refused(data):
    X, y = data
    with pytest.raises(InconsistentConstraintsError, match=r"cannot-link \(0, 1\)"):
        MOCK(**QUICK).fit(X, must_link=[(0, 1)], cannot_link=[(0, 1)])
    with pytest.raises(ValueError, match="120"):
        MOCK(**QUICK).fit(X, y[:-1])
    with pytest.raises(ValueError, match="pair"):
        MOCK(**QUICK).fit(X, must_link=[(0, 120)])
