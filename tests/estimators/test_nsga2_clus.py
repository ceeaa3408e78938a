"""NSGA2Clus: every option acts, fronts are right, runs can be resumed."""

from __future__ import annotations

import os
import signal
import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import InconsistentConstraintsError, NSGA2Clus
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.constraints import PairwiseConstraints, fisher_weights
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators import _medoids as _medoid_base
from moo_clustering.estimators._medoids import most_satisfied
from moo_clustering.estimators._methods import find_method
from moo_clustering.persistence import CheckpointMismatchError
from moo_clustering.problems import MedoidProblem

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])
MODES = ["objective", "crowding", "external", "constraint", "assignment", "none"]
ENGINES = pytest.mark.parametrize("engine", ["pymoo", "deap"])
QUICK = {"metric": "euclidean", "pop_size": 12, "n_gen": 6, "random_state": 3}


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(90, centers=4, n_features=3, cluster_std=5.0, random_state=1)
    partial = np.full(90, -1)
    partial[:14] = y[:14]
    return X, y, partial


def state(model):
    return model.pareto_front_, model.pareto_labels_, model.pareto_medoids_, model.labels_, model.chosen_


def assert_same(first, second):
    for one, two in zip(state(first), state(second), strict=True):
        np.testing.assert_array_equal(one, two)


def differ(first, second):
    return any(not np.array_equal(a, b) for a, b in zip(state(first), state(second), strict=True))


def naive(X, z):
    """Decode one set: assign, new medoids, assign; Xie-Beni and I-index of the result."""
    D = np.abs(X - X.T)

    def assign(z):
        labels = D[:, z].argmin(axis=1)
        labels[z] = np.arange(len(z))
        return labels

    labels = assign(z)
    z = [
        min(np.flatnonzero(labels == c), key=lambda i: D[i, labels == labels[i]].sum()) for c in range(len(z))
    ]
    labels = assign(z)
    e = D[np.arange(len(X)), np.array(z)[labels]]
    apart = [D[a, b] for a, b in combinations(z, 2)]
    xb = (e**2).sum() / (len(X) * min(apart) ** 2)
    i = (D.sum(axis=0).min() / e.sum() * max(apart) / len(z)) ** 2
    return frozenset(map(int, z)), xb, i


@pytest.mark.parametrize("search", ["auto", "exhaustive"])
def test_exhaustive_is_brute_force(search):
    X = np.random.default_rng(0).permutation(60)[:8, None].astype(float)  # whole numbers: exact ties
    found = {}
    for k in (2, 3):
        for z in combinations(range(8), k):
            key, xb, i = naive(X, list(z))
            found[key] = (xb, i)
    front = {
        key: (xb, i)
        for key, (xb, i) in found.items()
        if not any(b <= xb and j >= i and (b < xb or j > i) for b, j in found.values())
    }
    model = NSGA2Clus(metric="euclidean", k_max=3, search=search).fit(X)
    assert {frozenset(row[row >= 0].tolist()) for row in model.pareto_medoids_} == set(front)
    for row, values in zip(model.pareto_medoids_, model.pareto_front_, strict=True):
        np.testing.assert_allclose(values, front[frozenset(row[row >= 0].tolist())])
    assert (np.diff(model.pareto_front_[:, 0]) >= 0).all()
    assert model.n_iter_ == 0
    assert len(model.history_.F) == 1
    evolved = NSGA2Clus(metric="euclidean", k_max=3, search="evolve", random_state=0).fit(X)
    assert {frozenset(row[row >= 0].tolist()) for row in evolved.pareto_medoids_} <= set(found)
    assert evolved.n_iter_ == 20


def test_worked_front():
    model = NSGA2Clus(metric="euclidean", k_max=3).fit(LINE)
    np.testing.assert_array_equal(model.pareto_medoids_, [[1, 4, -1], [1, 3, 5]])
    np.testing.assert_allclose(model.pareto_front_, [[0.7 / 60, 961], [1 / 18, 1708.4444444]])
    assert model.objective_names_ == ("xie_beni", "i_index")
    assert model.constraint_scores_ is None
    np.testing.assert_array_equal(model.choose("xb").labels_, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(model.choose("i_index").labels_, [0, 0, 0, 1, 1, 2])
    np.testing.assert_array_equal(model.medoid_indices_, [1, 3, 5])
    np.testing.assert_array_equal(model.predict([[1.4], [10.6], [40.0]]), [0, 1, 2])


def test_auto_searches_where_there_are_many_sets(blobs):
    X = blobs[0]
    assert NSGA2Clus(**QUICK).fit(X).n_iter_ == 6
    assert NSGA2Clus(**QUICK, k_max=2).fit(X).n_iter_ == 0
    assert NSGA2Clus(**QUICK, k_max=2, max_sets=4004).fit(X).n_iter_ == 6
    assert NSGA2Clus(**QUICK, k_max=2, max_sets=4005).fit(X).n_iter_ == 0
    with pytest.raises(ValueError, match="max_sets"):
        NSGA2Clus(**QUICK, search="exhaustive").fit(X)


@pytest.mark.parametrize("mode", MODES)
@ENGINES
def test_modes(blobs, engine, mode):
    X, _, partial = blobs
    model = NSGA2Clus(**QUICK, supervision=mode, engine=engine)
    if (engine, mode) == ("deap", "constraint"):
        with pytest.raises(ValueError, match="constraint"):
            model.fit(X, partial)
        return
    model.fit(X, partial)
    pairs = PairwiseConstraints.from_partial_labels(partial)
    n_objectives = 3 if mode == "objective" else 2
    assert model.pareto_front_.shape == (len(model.pareto_labels_), n_objectives)
    np.testing.assert_array_equal(
        model.constraint_scores_, np.column_stack(pairs.satisfied(model.pareto_labels_))
    )
    if mode == "objective":
        np.testing.assert_allclose(model.pareto_front_[:, 2], pairs.violation(model.pareto_labels_))
    if mode == "constraint":
        violation = pairs.violation(model.pareto_labels_)
        np.testing.assert_allclose(violation, violation[0])
    if mode in ("assignment", "none"):
        expected = model.pareto_labels_[model.chosen_]
    else:
        problem = MedoidProblem(X, metric="euclidean", constraints=pairs)
        expected = relabel_by_first_appearance(
            problem.constrained_labels(model.pareto_medoids_[model.chosen_])[0]
        )
    np.testing.assert_array_equal(model.labels_, expected)
    if mode == "assignment":
        assert (model.constraint_scores_[:, 0] == len(pairs.must_link)).all()
    signs = np.array([1, -1, 1])[:n_objectives]
    for row in model.pareto_front_ * signs:
        assert not (
            (model.pareto_front_ * signs <= row).all(1) & (model.pareto_front_ * signs < row).any(1)
        ).any()
    assert len({tuple(sorted(row)) for row in model.pareto_medoids_.tolist()}) == len(model.pareto_medoids_)
    assert hasattr(model, "logbook_") is hasattr(model, "hall_of_fame_") is (engine == "deap")
    if engine == "deap":
        assert len(model.logbook_) == 7
        assert len(model.hall_of_fame_) >= 1


def test_modes_differ_in_the_search(blobs):
    X, _, partial = blobs
    fronts = {
        mode: NSGA2Clus(**QUICK, supervision=mode).fit(X, partial).history_.F[-1].tobytes() for mode in MODES
    }
    assert fronts["external"] == fronts["none"]
    assert len(set(fronts.values())) == 5


@pytest.mark.parametrize("mode", MODES)
def test_without_constraints_every_mode_is_none(blobs, mode):
    X = blobs[0]
    plain = NSGA2Clus(**QUICK, supervision="none", select="knee").fit(X)
    model = NSGA2Clus(**QUICK, supervision=mode).fit(X, np.full(90, -1))
    assert_same(plain, model)
    assert model.constraint_scores_ is None


def test_labels_of_unlabelled_samples_cannot_matter(blobs):
    X, y, partial = blobs
    i, j = np.triu_indices(14, 1)
    alike = y[i] == y[j]
    pairs = np.column_stack([i, j])
    by_labels = NSGA2Clus(**QUICK).fit(X, partial)
    by_pairs = NSGA2Clus(**QUICK).fit(X, must_link=pairs[alike], cannot_link=pairs[~alike])
    assert_same(by_labels, by_pairs)
    gold = y.copy()
    gold[14:] = np.random.default_rng(0).permutation(gold[14:])
    constraints = PairwiseConstraints.from_partial_labels(np.where(np.arange(90) < 14, gold, -1))
    permuted = NSGA2Clus(**QUICK).fit(X, must_link=constraints.must_link, cannot_link=constraints.cannot_link)
    assert_same(by_labels, permuted)


@pytest.mark.parametrize(
    "option",
    [
        {"k_max": 3},
        {"k_max": "ceil_sqrt"},
        {"metric": "cosine"},
        {"metric": "manhattan"},
        {"metric": "fisher"},
        {"metric": lambda a, b: float(np.abs(a - b).max())},
        {"decode": "literal"},
        {"n_local": 3},
        {"length": "keep"},
        {"length": "two_cut"},
        {"mutation": "full"},
        {"mutation": "swap"},
        {"pop_size": 14},
        {"n_gen": 0},
        {"pc": 0.0},
        {"pm": 1.0},
        {"unique": True},
        {"random_state": 4},
        {"engine": "deap"},
        {"form": "vector"},
        {"supervision": "crowding", "boundary": "finite"},
    ],
    ids=lambda option: " ".join(f"{name}={getattr(one, '__name__', one)}" for name, one in option.items()),
)
def test_every_option_acts_on_the_search(blobs, option):
    X, _, partial = blobs
    X = X[:88]  # whose square root is not whole
    base = {**QUICK, "supervision": option.get("supervision", "objective")}
    first = NSGA2Clus(**base).fit(X, partial[:88])
    second = NSGA2Clus(**{**base, **option}).fit(X, partial[:88])
    one, two = (model.history_.F[-1] for model in (first, second))
    assert one.shape != two.shape or not np.array_equal(one, two)


@ENGINES
def test_unique_keeps_more_sets(blobs, engine):
    X = blobs[0]
    counts = []
    for unique in (False, True):
        model = NSGA2Clus(**QUICK, supervision="none", engine=engine, unique=unique).fit(X)
        counts.append(len(np.unique(model.history_.F[-1], axis=0)))
    assert counts[1] > counts[0]


def test_post_repair(blobs):
    X, _, partial = blobs
    plain = NSGA2Clus(**QUICK, select="xb", post_repair=False).fit(X, partial)
    repaired = NSGA2Clus(**QUICK, select="xb").fit(X, partial)
    np.testing.assert_array_equal(plain.pareto_labels_, repaired.pareto_labels_)
    np.testing.assert_array_equal(plain.labels_, plain.pareto_labels_[plain.chosen_])
    pairs = PairwiseConstraints.from_partial_labels(partial)
    problem = MedoidProblem(X, metric="euclidean", constraints=pairs)
    row = repaired.pareto_medoids_[repaired.chosen_]
    expected = relabel_by_first_appearance(problem.constrained_labels(row)[0])
    np.testing.assert_array_equal(repaired.labels_, expected)
    assert pairs.satisfied(repaired.labels_)[0][0] == len(pairs.must_link)
    assert pairs.violation(plain.labels_)[0] > pairs.violation(repaired.labels_)[0]
    # every medoid is in its own cluster and has the least total distance there
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    for cluster, medoid in enumerate(repaired.medoid_indices_):
        members = np.flatnonzero(repaired.labels_ == cluster)
        assert medoid in members
        totals = D[np.ix_(members, members)].sum(axis=0)
        assert totals[members == medoid][0] == pytest.approx(totals.min())


def test_choose(blobs):
    X, _, partial = blobs
    model = NSGA2Clus(**QUICK, post_repair=False, k_max=8).fit(X, partial)
    front, scores = model.pareto_front_, model.constraint_scores_
    pairs = PairwiseConstraints.from_partial_labels(partial)
    m, c = len(pairs.must_link), len(pairs.cannot_link)
    n_iter = model.n_iter_
    merit = {"balanced": scores @ [1 / m, 1 / c], "constraints": scores.sum(axis=1)}
    merit |= {"xb": -front[:, 0], "i": front[:, 1], "constraint_violation": -front[:, 2]}
    for rule, values in merit.items():
        model.choose(rule)
        assert values[model.chosen_] == pytest.approx(values.max())
        np.testing.assert_array_equal(model.labels_, model.pareto_labels_[model.chosen_])
        k = model.n_clusters_
        np.testing.assert_array_equal(model.medoid_indices_, model.pareto_medoids_[model.chosen_][:k])
        assert_same(model, NSGA2Clus(**QUICK, post_repair=False, k_max=8, select=rule).fit(X, partial))
    scaled = (front - front.min(axis=0)) / np.ptp(front, axis=0)
    scaled[:, 1] = 1 - scaled[:, 1]
    assert model.choose("knee").chosen_ == np.linalg.norm(scaled, axis=1).argmin()
    assert model.choose(1).chosen_ == 1
    assert model.choose(-1).chosen_ == len(front) - 1
    assert model.choose(lambda F: F[:, 1].argmin()).chosen_ == front[:, 1].argmin()
    assert model.n_iter_ == n_iter
    with pytest.raises(ValueError, match="'balanced'"):
        model.choose("best")
    with pytest.raises(ValueError, match="outside the front"):
        model.choose(len(front))


def test_most_satisfied_breaks_ties_by_xie_beni_and_weighs_cannot_links():
    xie_beni = np.array([1.0, 2.0, 3.0])
    few = np.array([[2, 0], [0, 9], [2, 0]])
    assert most_satisfied(xie_beni, few, (2, 10)) == 0
    assert most_satisfied(xie_beni, few) == 1
    assert most_satisfied(xie_beni[::-1], few, (2, 10)) == 2
    assert most_satisfied(xie_beni, np.array([[0, 3], [0, 4], [0, 4]]), (0, 5)) == 1


def test_rules_by_pairs_take_the_knee_without_pairs(blobs):
    model = NSGA2Clus(**QUICK).fit(blobs[0])
    knee = model.choose("knee").chosen_
    assert knee == model.choose("balanced").chosen_ == model.choose("constraints").chosen_


def test_presets(blobs):
    X, _, partial = blobs
    internal, external = NSGA2Clus.internal(**QUICK), NSGA2Clus.external(**QUICK)
    assert (internal.supervision, external.supervision) == ("crowding", "external")
    for model in (internal, external):
        assert (model.select, model.mutation, model.length) == ("constraints", "swap", "grow")
        assert not model.post_repair
        scores = model.fit(X, partial).constraint_scores_.sum(axis=1)
        assert scores[model.chosen_] == scores.max()
    assert NSGA2Clus.internal(mutation="full", supervision="none").mutation == "full"
    alike = NSGA2Clus.external(**QUICK, supervision="none").fit(X)
    np.testing.assert_array_equal(alike.pareto_front_, external.pareto_front_)


@ENGINES
@pytest.mark.parametrize("mode", ["objective", "assignment", "crowding"])
def test_resumed_equals_uninterrupted(blobs, tmp_path, engine, mode):
    X, _, partial = blobs
    options = {**QUICK, "engine": engine, "supervision": mode, "unique": mode == "objective"}
    whole = NSGA2Clus(**options).fit(X, partial)
    path = tmp_path / "run.npz"
    NSGA2Clus(**{**options, "n_gen": 3}, checkpoint=path, checkpoint_every=2).fit(X, partial)
    rest = NSGA2Clus(**options, checkpoint=path, resume=True, n_jobs=2).fit(X, partial)
    assert_same(whole, rest)
    assert rest.n_iter_ == 6
    for one, two in zip(whole.history_.F, rest.history_.F, strict=True):
        np.testing.assert_array_equal(one, two)
    if engine == "deap":
        assert [dict(r) for r in whole.logbook_] == [dict(r) for r in rest.logbook_]
        np.testing.assert_array_equal(np.stack(whole.hall_of_fame_[:]), np.stack(rest.hall_of_fame_[:]))


@ENGINES
def test_ctrl_c_keeps_the_best_so_far_and_can_be_resumed(blobs, tmp_path, engine, monkeypatch):
    X, _, partial = blobs
    options = {**QUICK, "engine": engine}
    whole = NSGA2Clus(**options).fit(X, partial)
    evaluate, calls = MedoidProblem._evaluate, []

    def press(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return evaluate(self, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(MedoidProblem, "_evaluate", press)
        with pytest.warns(InterruptedSearchWarning) as caught:
            part = NSGA2Clus(**options, checkpoint=tmp_path / "run.npz").fit(X, partial)
    assert {w.filename for w in caught if w.category is InterruptedSearchWarning} == {__file__}
    assert part.interrupted_
    assert part.n_iter_ == 2
    assert len(part.labels_) == len(X)
    rest = NSGA2Clus(**options, checkpoint=tmp_path / "run.npz", resume=True).fit(X, partial)
    assert not rest.interrupted_
    assert_same(whole, rest)


@pytest.mark.parametrize("name", ["internal", "external"])
def test_names_of_the_paper_are_the_presets(name):
    method, options = find_method(f"{name}-NSGA-II-clus")
    assert method.load() is NSGA2Clus
    assert NSGA2Clus(**options).get_params() == getattr(NSGA2Clus, name)().get_params()


def test_checkpoints_know_their_run(blobs, tmp_path):
    X, _, partial = blobs
    options = {**QUICK, "checkpoint": tmp_path / "run.npz", "metric": lambda a, b: float(np.abs(a - b).sum())}
    first = NSGA2Clus(**options).fit(X[:40], partial[:40])
    again = NSGA2Clus(**options, resume=True, select=lambda F: 0, post_repair=False).fit(X[:40], partial[:40])
    np.testing.assert_array_equal(first.pareto_front_, again.pareto_front_)
    with pytest.raises(CheckpointMismatchError):
        NSGA2Clus(**{**options, "pm": 0.3}, resume=True).fit(X[:40], partial[:40])
    sparse = csr_matrix(np.maximum(X[:40], 0))
    options = {**QUICK, "checkpoint": tmp_path / "sparse.npz"}
    NSGA2Clus(**options).fit(sparse)
    NSGA2Clus(**options, resume=True).fit(sparse)
    with pytest.raises(CheckpointMismatchError):
        NSGA2Clus(**options, resume=True).fit(csr_matrix(np.maximum(X[:40], 0) * 2))
    with pytest.raises(ValueError, match="random_state"):
        NSGA2Clus(checkpoint="x.npz").fit(X)
    with pytest.raises(ValueError, match="resume=True requires checkpoint"):
        NSGA2Clus(resume=True).fit(X)


@pytest.mark.parametrize("form", ["matrix", "vector"])
def test_threads_do_not_matter(blobs, form):
    X, _, partial = blobs
    one, two = (
        NSGA2Clus(**{**QUICK, "metric": "cosine"}, form=form, n_jobs=n).fit(X, partial) for n in (1, 2)
    )
    assert_same(one, two)


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "fisher"])
@pytest.mark.parametrize("form", ["matrix", "vector"])
def test_sparse_as_dense(blobs, monkeypatch, metric, form):
    X = np.abs(blobs[0]) * (np.random.default_rng(0).random(blobs[0].shape) < 0.7)
    X[5] = 0
    partial = blobs[2]
    options = {**QUICK, "metric": metric, "form": form, "post_repair": False}
    dense = NSGA2Clus(**options).fit(X, partial)
    seen = []
    plain = _medoid_base.MedoidProblem
    monkeypatch.setattr(
        _medoid_base, "MedoidProblem", lambda X, **options: (seen.append(X), plain(X, **options))[1]
    )
    sparse = NSGA2Clus(**options).fit(csr_matrix(X), partial)
    assert issparse(seen[0])
    np.testing.assert_allclose(dense.pareto_front_, sparse.pareto_front_)
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    np.testing.assert_array_equal(sparse.predict(csr_matrix(X)), dense.predict(X))
    _, group, size = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    rest = size[group.ravel()] == 1  # a medoid keeps its own cluster even beside an identical medoid
    np.testing.assert_array_equal(sparse.predict(X)[rest], sparse.labels_[rest])


def test_fisher_is_euclidean_in_weighted_features(blobs):
    X, _, partial = blobs
    X = np.hstack([X, np.random.default_rng(0).normal(scale=30, size=(90, 1))])
    weights = np.sqrt(fisher_weights(X, PairwiseConstraints.from_partial_labels(partial)))
    options = {**QUICK, "post_repair": False}
    model = NSGA2Clus(**{**options, "metric": "fisher"}).fit(X, partial)
    plain = NSGA2Clus(**options).fit(X * weights, partial)
    assert_same(model, plain)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X * weights))
    assert differ(model, NSGA2Clus(**options).fit(X, partial))
    unsupervised = NSGA2Clus(**{**options, "metric": "fisher"}).fit(X)
    assert_same(unsupervised, NSGA2Clus(**options).fit(X))


def test_precomputed(blobs):
    X, _, partial = blobs
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    plain = NSGA2Clus(**{**QUICK, "metric": "minkowski"}).fit(X, partial)
    model = NSGA2Clus(**{**QUICK, "metric": "precomputed"}).fit(D, partial)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.predict(D[:7]), D[:7, model.medoid_indices_].argmin(axis=1))
    with pytest.raises(ValueError, match="square"):
        NSGA2Clus(metric="precomputed").fit(X)


def test_predict_gives_the_labels(blobs):
    X = blobs[0]
    model = NSGA2Clus(**QUICK).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    model.choose("i")
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    new = X + 0.01
    nearest = np.linalg.norm(new[:, None] - X[model.medoid_indices_][None], axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(new), nearest)


@pytest.mark.parametrize("search", ["auto", "evolve", "exhaustive"])
def test_one_and_two_samples(search):
    one = NSGA2Clus(search=search).fit([[1.0, 2.0]])
    np.testing.assert_array_equal(one.labels_, [0])
    np.testing.assert_array_equal(one.medoid_indices_, [0])
    two = NSGA2Clus(search=search).fit([[1.0, 2.0], [2.0, 1.0]])
    np.testing.assert_array_equal(two.labels_, [0, 1])
    joined = NSGA2Clus(search=search).fit([[1.0, 2.0], [2.0, 1.0]], must_link=[(0, 1)])
    np.testing.assert_array_equal(joined.labels_, [0, 0])
    assert joined.n_clusters_ == len(joined.medoid_indices_) == 1


@pytest.mark.parametrize("k_max", [1, 0, 7, "log"])
def test_k_max_out_of_range(k_max):
    with pytest.raises(ValueError, match="k_max"):
        NSGA2Clus(k_max=k_max).fit(LINE)


@ENGINES
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_identical_samples(engine, metric, value):
    X = np.full((30, 3), value)
    with pytest.warns(UserWarning, match="only 1 of at least 2 clusters.*fewer distinct rows than clusters"):
        model = NSGA2Clus(**{**QUICK, "metric": metric}, engine=engine).fit(X, must_link=[(0, 1)])
    assert np.isfinite(model.pareto_front_).all()
    assert not model.labels_.any()
    assert not model.pareto_labels_.any()
    assert not model.predict(X).any()
    assert len(model.medoid_indices_) == model.n_clusters_ == 1


def test_conflicts(blobs):
    X = blobs[0]
    pairs = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 2), (3, 4)]}
    with pytest.raises(InconsistentConstraintsError):
        NSGA2Clus(**QUICK).fit(X, **pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = NSGA2Clus(**QUICK, conflicts="keep").fit(X, **pairs)
    assert kept.constraint_scores_.sum(axis=1).max() <= 3
    np.testing.assert_array_equal(kept.labels_, kept.pareto_labels_[kept.chosen_])


def test_memory_is_limited(blobs):
    with pytest.raises(ValueError, match="max_memory"):
        NSGA2Clus(**QUICK, max_memory=1000).fit(blobs[0])
    vectors = NSGA2Clus(**{**QUICK, "metric": "cosine"}, max_memory=1000).fit(blobs[0])
    assert vectors.result_.problem.form == "vector"


def test_verbose_and_seeds(blobs, capsys):
    X = blobs[0]
    model = NSGA2Clus(**{**QUICK, "verbose": True}).fit(X)
    assert "NSGA2Clus" in capsys.readouterr().err
    assert_same(model, clone(model).set_params(verbose=False).fit(X))
    assert not model.interrupted_
    rng = np.random.default_rng(0)
    options = {**QUICK, "random_state": rng}
    assert differ(NSGA2Clus(**options).fit(X), NSGA2Clus(**options).fit(X))


@pytest.mark.slow
def test_objective_beats_external_where_nothing_was_said():
    """NSGA-II-clus, with a part of the digits."""
    X, y = load_digits(return_X_y=True)
    gains = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(np.flatnonzero(y >= 5))[:300]
        data, gold = X[rows], y[rows]
        partial = np.where(np.arange(300) < 30, gold, -1)
        score = {}
        for mode in ("objective", "external"):
            model = NSGA2Clus(
                metric="euclidean", supervision=mode, post_repair=mode == "objective", random_state=seed
            )
            score[mode] = adjusted_rand_score(gold[30:], model.fit(data, partial).labels_[30:])
        gains.append(score["objective"] - score["external"])
    assert np.mean(gains) >= 0.03


@parametrize_with_checks(
    [
        NSGA2Clus(metric="euclidean", pop_size=12, n_gen=3, random_state=0),
        NSGA2Clus(metric="euclidean", pop_size=12, n_gen=3, engine="deap", search="evolve", random_state=0),
        NSGA2Clus(pop_size=12, n_gen=3, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
