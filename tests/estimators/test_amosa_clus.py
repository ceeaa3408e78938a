"""AMOSAClus: moves, centres, limits, and what it shares with NSGA2Clus."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import AMOSAClus, NSGA2Clus
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators.amosa_clus import (
    CenterProblem,
    CenterSampling,
    draw_moves,
    perturb_centers,
    perturb_medoids,
)
from moo_clustering.problems import MedoidProblem

LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]])
QUICK = {
    "metric": "euclidean",
    "annealing": {
        "soft_limit": 16,
        "hard_limit": 8,
        "n_climb": 3,
        "n_moves": 8,
        "t_max": 10.0,
        "t_min": 1.0,
    },
    "random_state": 5,
}
ENCODINGS = pytest.mark.parametrize("encoding", ["medoid", "center"])


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(80, centers=4, n_features=3, cluster_std=4.0, random_state=1)
    partial = np.full(80, -1)
    partial[:14] = y[:14]
    return X, y, partial


@pytest.fixture(scope="module")
def plain(blobs):
    X, _, partial = blobs
    return AMOSAClus(**QUICK).fit(X, partial)


def state(model):
    return model.pareto_front_, model.pareto_labels_, model.pareto_medoids_, model.labels_, model.chosen_


def assert_same(first, second):
    for one, two in zip(state(first), state(second), strict=True):
        np.testing.assert_array_equal(one, two)


def test_few_samples_are_searched_through():
    X = np.random.default_rng(2).permutation(90)[:9, None].astype(float)
    exact = NSGA2Clus(metric="euclidean", k_max=3, search="exhaustive").fit(X)
    model = AMOSAClus(metric="euclidean", k_max=3, random_state=0).fit(X)
    np.testing.assert_allclose(model.pareto_front_, exact.pareto_front_)
    np.testing.assert_array_equal(
        np.sort(model.pareto_medoids_, axis=1), np.sort(exact.pareto_medoids_, axis=1)
    )
    assert model.n_iter_ == 73
    assert len(model.history_.F) == 74
    assert max(map(len, model.history_.F)) <= 20


def test_limits():
    def limits(n_samples, **annealing):
        model = AMOSAClus(annealing=annealing, metric="euclidean", random_state=0)
        made = model.search_for(np.arange(float(n_samples))[:, None]).algorithm
        return made.soft_limit, made.hard_limit, made.n_moves

    assert limits(19) == (20, 10, 20)
    assert limits(20) == (200, 100, 100)
    assert limits(19, hard_limit=5, n_moves=7) == (20, 5, 7)
    assert limits(50, soft_limit=300) == (300, 100, 100)
    with pytest.raises(ValueError, match="hard_limit"):
        limits(6, soft_limit=20, hard_limit=20)
    with pytest.raises(ValueError, match=r"annealing must contain only soft_limit, .*, got 't_least'"):
        limits(6, t_least=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 't_max'"):
        AMOSAClus(t_max=1.0)


def test_moves_are_uniform_over_those_that_apply():
    can = np.array(list(np.ndindex(2, 2, 2)), dtype=bool)
    moves = np.array([draw_moves(*can.T, np.random.default_rng(seed)) for seed in range(3000)])
    for row, applicable in enumerate(can):
        allowed = np.flatnonzero(applicable) if applicable.any() else [-1]
        shares = [np.mean(moves[:, row] == move) for move in allowed]
        assert sum(shares) == pytest.approx(1.0)
        np.testing.assert_allclose(shares, 1 / len(allowed), atol=0.04)


def test_medoid_moves():
    problem = MedoidProblem(LINE, k_max=3, metric="euclidean")
    X = np.array([[0, 4, -1], [2, 3, 5]])
    seen = [set(), set()]
    for seed in range(300):
        out = perturb_medoids(problem, X.astype(float), np.random.default_rng(seed))
        for row, new in enumerate(out):
            ids = new[new >= 0].tolist()
            assert new.tolist() == ids + [-1] * (3 - len(ids))
            assert len(set(ids)) == len(ids)
            seen[row].add(frozenset(ids))
    rest = [1, 2, 3, 5]
    replaced = [{a, b} for a in rest for b in (0, 4)]
    assert seen[0] == {frozenset(s) for s in [*replaced, *({0, 4, a} for a in rest)]}
    replaced = [{2, 3, 5} - {out} | {a} for a in (0, 1, 4) for out in (2, 3, 5)]
    assert seen[1] == {frozenset(s) for s in [*replaced, {2, 3}, {2, 5}, {3, 5}]}
    everything = MedoidProblem(LINE[:2], metric="euclidean")
    np.testing.assert_array_equal(
        perturb_medoids(everything, np.array([[0, 1]]), np.random.default_rng(0)), [[0, 1]]
    )


def center_problem(X, **options):
    constraints = options.pop("constraints", None)
    model = AMOSAClus(encoding="center", **{"k_max": 3, "metric": "euclidean"} | options)
    return CenterProblem(X, model, constraints, "none")


def test_center_moves(blobs):
    X = blobs[0]
    problem = center_problem(X, perturbation_scale=0.5)
    start = np.full((3000, 3, 3), np.nan)
    start[:, :2] = X[:2]
    out = perturb_centers(problem, start.reshape(3000, 9), np.random.default_rng(0)).reshape(-1, 3, 3)
    sizes = (~np.isnan(out[:, :, 0])).sum(axis=1)
    assert set(sizes) == {2, 3}
    inserted = out[sizes == 3]
    assert len(inserted) / 3000 == pytest.approx(0.5, abs=0.05)
    assert {tuple(row) for row in inserted[:, 2]} <= {tuple(row) for row in X}
    moved = out[sizes == 2][:, :2] - X[:2]
    assert ((moved != 0).any(axis=2).sum(axis=1) == 1).all()
    which = (moved != 0).any(axis=2)
    np.testing.assert_allclose(np.abs(moved[which]).mean(axis=0), 0.5 * X.std(axis=0), rtol=0.15)
    full = np.tile(X[:3].reshape(1, 9), (500, 1))
    out = perturb_centers(problem, full, np.random.default_rng(1)).reshape(-1, 3, 3)
    shorter = out[np.isnan(out[:, 2, 0])]
    kept = {tuple(map(tuple, row[:2])) for row in shorter}
    assert kept == {(tuple(X[a]), tuple(X[b])) for a, b in combinations(range(3), 2)}


def test_centers_are_scored_as_the_formulas_say():
    problem = center_problem(LINE)
    X = np.array([[1.0, 11.0, np.nan], [0.5, 11.0, 500.0], [600.0, 700.0, np.nan]])
    out = problem.evaluate(X, return_as_dictionary=True)
    np.testing.assert_array_equal(problem.decode(X), [[0, 0, 0, 1, 1, 1]] * 2 + [[0] * 6])
    mean = LINE.mean()
    e1 = np.abs(LINE - mean).sum()
    first, second, third = problem.natural(out["F"])
    np.testing.assert_allclose(first, [(1 + 1 + 1 + 4) / (6 * 100), (e1 / 5 * 10 / 2) ** 2])
    np.testing.assert_allclose(second, [(0.25 + 0.25 + 2.25 + 5) / (6 * 10.5**2), (e1 / 5.5 * 10.5 / 2) ** 2])
    np.testing.assert_allclose(third, [1e12, 0.0])
    np.testing.assert_array_equal(out["X"][1], [0.5, 11.0, np.nan])
    np.testing.assert_array_equal(out["X"][2], X[2])


def test_center_sampling(blobs):
    X = blobs[0]
    problem = center_problem(X, k_max=4)
    centers = CenterSampling()._do(problem, 300, random_state=np.random.default_rng(0)).reshape(300, 4, 3)
    sizes = (~np.isnan(centers[:, :, 0])).sum(axis=1)
    assert set(sizes) == {2, 3, 4}
    known = {tuple(row) for row in X}
    for row, size in zip(centers, sizes, strict=True):
        drawn = {tuple(center) for center in row[:size]}
        assert len(drawn) == size
        assert drawn <= known


@ENCODINGS
@pytest.mark.parametrize("mode", ["objective", "external", "constraint", "assignment", "none"])
def test_modes(blobs, encoding, mode):
    X, _, partial = blobs
    model = AMOSAClus(**QUICK, encoding=encoding, supervision=mode)
    if (encoding, mode) == ("center", "assignment"):
        with pytest.raises(ValueError, match="assignment"):
            model.fit(X, partial)
        return
    model.fit(X, partial)
    pairs = PairwiseConstraints.from_partial_labels(partial)
    F = model.pareto_front_ * np.array([1, -1, 1])[: 3 if mode == "objective" else 2]
    for row in F:
        assert not ((row - F >= 0).all(axis=1) & (row - F > 0).any(axis=1)).any()
    assert len(F) <= 8
    np.testing.assert_array_equal(
        model.constraint_scores_, np.column_stack(pairs.satisfied(model.pareto_labels_))
    )
    repaired = mode not in ("assignment", "none")
    if repaired:
        assert pairs.satisfied(model.labels_)[0][0] == len(pairs.must_link)
    else:
        np.testing.assert_array_equal(model.labels_, model.pareto_labels_[model.chosen_])
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
    np.testing.assert_array_equal(model.labels_[model.medoid_indices_], np.arange(model.n_clusters_))
    for row, labels in zip(model.pareto_medoids_, model.pareto_labels_, strict=True):
        k = labels.max() + 1
        np.testing.assert_array_equal(labels[row[:k]], np.arange(k))


@ENCODINGS
def test_supervision_matters(blobs, encoding):
    X, _, partial = blobs
    options = {**QUICK, "encoding": encoding}
    fronts = {
        mode: AMOSAClus(**options, supervision=mode).fit(X, partial).history_.F[-1].tobytes()
        for mode in ("objective", "external", "constraint", "none")
    }
    assert fronts["external"] == fronts["none"]
    assert len(set(fronts.values())) == 3
    unsupervised = AMOSAClus(**options).fit(X)
    assert unsupervised.constraint_scores_ is None
    assert unsupervised.history_.F[-1].tobytes() == fronts["none"]


@pytest.mark.parametrize(
    "option",
    [
        {"k_max": 3},
        {"metric": "cosine"},
        {"metric": "fisher"},
        {"encoding": "center"},
        {"decode": "literal"},
        {"n_local": 3},
        {"annealing": {"soft_limit": 20}},
        {"annealing": {"n_climb": 0}},
        {"annealing": {"t_min": 2.0}},
        {"annealing": {"t_min": 0.01}, "acceptance": "literal"},
        {"perturbation_scale": 0.1, "encoding": "center"},
        {"form": "vector"},
        {"random_state": 6},
    ],
    ids=str,
)
def test_every_option_acts_on_the_search(blobs, plain, option):
    X, _, partial = blobs
    annealing = {**QUICK["annealing"], **option.get("annealing", {})}
    base = {**QUICK, **{key: option[key] for key in ("encoding",) if len(option) > 1 and key in option}}
    if "acceptance" in option:
        base["annealing"] = annealing
    one = plain.history_.F if base == QUICK else AMOSAClus(**base).fit(X, partial).history_.F
    two = AMOSAClus(**{**base, **option, "annealing": annealing}).fit(X, partial).history_.F
    assert len(one) != len(two) or one[-1].shape != two[-1].shape or not np.array_equal(one[-1], two[-1])


@ENCODINGS
def test_choose_and_predict(blobs, encoding):
    X = blobs[0]
    model = AMOSAClus(**QUICK, encoding=encoding).fit(X)
    for rule in ("xb", "i", "knee", 0):
        model.choose(rule)
        np.testing.assert_array_equal(model.labels_, model.pareto_labels_[model.chosen_])
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.choose("i").pareto_front_[model.chosen_, 1] == model.pareto_front_[:, 1].max()
    assert hasattr(model, "cluster_centers_") is (encoding == "center")
    if encoding == "center":
        k = model.n_clusters_
        np.testing.assert_array_equal(model.cluster_centers_, model.pareto_centers_[model.chosen_, :k])
        D = np.linalg.norm(X[:, None] - model.cluster_centers_[None], axis=2)
        np.testing.assert_array_equal(model.labels_, D.argmin(axis=1))
        np.testing.assert_array_equal(model.medoid_indices_, D.argmin(axis=0))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_repaired_centers_follow_the_rule(metric):
    """Components {2, 4}, {0}, {1} on the line with medoids 0 and 5."""
    X = np.hstack([LINE, np.ones((6, 1))])
    pairs = PairwiseConstraints([(2, 4)], [(0, 1)], n_samples=6)
    centers = X[[0, 5]]
    problem = center_problem(X, k_max=2, metric=metric, constraints=pairs)
    reference = MedoidProblem(X, k_max=2, metric=metric, constraints=pairs)
    labels, kept = problem.constrained(centers.reshape(1, -1))
    np.testing.assert_array_equal(labels, reference.constrained_labels([[0, 5]]))
    np.testing.assert_array_equal(kept[0], centers)
    if metric == "euclidean":
        np.testing.assert_array_equal(labels[0], [0, 1, 0, 1, 0, 1])
    joined = PairwiseConstraints([(i, i + 1) for i in range(5)], None, n_samples=6)
    labels, kept = center_problem(X, k_max=2, metric=metric, constraints=joined).constrained(
        centers.reshape(1, -1)
    )
    np.testing.assert_array_equal(labels[0], 0)
    assert np.isnan(kept[0, 1]).all()


@ENCODINGS
@pytest.mark.parametrize("mode", ["objective", "constraint"])
def test_resumed_equals_uninterrupted(blobs, tmp_path, encoding, mode, monkeypatch):
    X, _, partial = blobs
    options = {**QUICK, "encoding": encoding, "supervision": mode}
    whole = AMOSAClus(**options).fit(X, partial)
    path = tmp_path / "run.npz"
    first = AMOSAClus(**options, checkpoint=path, checkpoint_every=4)
    advance, calls = perturb_medoids if encoding == "medoid" else perturb_centers, []

    def stop(*args):
        calls.append(1)
        if len(calls) == 3 + 8 * 6:  # after hill climbing and six temperatures
            raise RuntimeError("stop")
        return advance(*args)

    with monkeypatch.context() as patched:
        patched.setattr(f"moo_clustering.estimators.amosa_clus.{advance.__name__}", stop)
        with pytest.raises(RuntimeError, match="stop"):
            first.fit(X, partial)
    rest = AMOSAClus(**options, checkpoint=path, resume=True).fit(X, partial)
    assert_same(whole, rest)
    assert rest.n_iter_ == whole.n_iter_ == 11
    for one, two in zip(whole.history_.F, rest.history_.F, strict=True):
        np.testing.assert_array_equal(one, two)


def test_threads_and_sparse_data(blobs):
    X = np.abs(blobs[0]) * (np.random.default_rng(0).random(blobs[0].shape) < 0.7)
    options = {**QUICK, "metric": "cosine"}
    one = AMOSAClus(**options).fit(X, blobs[2])
    assert_same(one, AMOSAClus(**options, n_jobs=2).fit(X, blobs[2]))
    sparse = AMOSAClus(**options).fit(csr_matrix(X), blobs[2])
    np.testing.assert_allclose(one.pareto_front_, sparse.pareto_front_)
    with pytest.raises(TypeError, match="sparse"):
        AMOSAClus(**options, encoding="center").fit(csr_matrix(X))
    with pytest.raises(ValueError, match="metric"):
        AMOSAClus(**{**QUICK, "metric": "fisher"}, encoding="center").fit(X)


@ENCODINGS
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_degenerate_data(encoding, metric):
    options = {**QUICK, "encoding": encoding, "metric": metric}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(AMOSAClus(**options).fit_predict([[1.0, 2.0]]), [0])
        np.testing.assert_array_equal(AMOSAClus(**options).fit_predict([[1.0, 2.0], [2.0, 1.0]]), [0, 1])
        three = AMOSAClus(**options).fit_predict([[1.0, 2.0], [2.0, 1.0], [2.0, 1.01]])
        assert len(set(three.tolist())) == 2
    for value in (0.0, 1.0):
        with pytest.warns(UserWarning, match="only 1 of at least 2 clusters.*fewer distinct rows"):
            model = AMOSAClus(**options).fit(np.full((20, 2), value), must_link=[(0, 1)])
        assert np.isfinite(model.pareto_front_).all()
        assert not model.labels_.any()
        assert not model.predict(np.full((3, 2), value)).any()


@ENCODINGS
def test_finds_clear_clusters(encoding):
    X, y = make_blobs(100, centers=[(0, 0), (9, 0), (0, 9), (9, 9)], random_state=0)
    partial = np.where(np.arange(100) < 12, y, -1)
    options = {
        **QUICK,
        "encoding": encoding,
        "annealing": {**QUICK["annealing"], "n_moves": 40, "t_min": 0.1},
    }
    labels = AMOSAClus(**options).fit(X, partial).labels_
    assert adjusted_rand_score(y[12:], labels[12:]) > 0.9


@parametrize_with_checks(
    [
        AMOSAClus(**{**QUICK, "annealing": {**QUICK["annealing"], "n_climb": 1, "n_moves": 4, "t_min": 5.0}}),
        AMOSAClus(**QUICK),
        AMOSAClus(**QUICK, encoding="center"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
