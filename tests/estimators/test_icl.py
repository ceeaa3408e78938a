"""ICLClustering: the number of clusters, the hierarchy, models, and errors."""

import signal

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ICLClustering
from moo_clustering.algorithms.search import InterruptGuard
from moo_clustering.estimators.icl import LikelihoodSearch
from moo_clustering.validity import GaussianModel, IntegratedClassificationLikelihood, StochasticBlockModel

SMALL = {"pop_size": 6, "n_gen": 3, "k_max": 8, "random_state": 0}


def data(kind, seed=0):
    """120 samples of three classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(120) % 3
    if kind in ("auto", "diagonal"):
        X = rng.normal(size=(120, 3)) + 6 * np.eye(3)[y]
    elif kind == "categories":
        X = np.where(rng.random((120, 8)) < 0.8, y[:, None], rng.integers(0, 4, (120, 8))).astype(float)
    elif kind == "counts":
        X = rng.poisson(1 + 6 * np.eye(3)[y].repeat(3, axis=1)).astype(float)
    else:
        S = np.triu(rng.random((120, 120)) < np.where(y[:, None] == y, 0.5, 0.05), 1)
        X = (S + S.T).astype(float)
    return X, y


@pytest.mark.parametrize("model", ["auto", "diagonal", "categories", "counts", "sbm"])
def test_finds_the_classes_and_their_number(model):
    X, y = data(model)
    found = ICLClustering(model=model, **SMALL).fit(X)
    assert found.n_clusters_ == 3
    assert adjusted_rand_score(y, found.labels_) > 0.9
    index = IntegratedClassificationLikelihood(model).fit(X)
    assert found.icl_ == pytest.approx(index.evaluate(found.labels_)[0], abs=1e-8)
    assert found.history_["icl"].is_monotonic_increasing
    if model != "sbm":
        assert adjusted_rand_score(found.labels_, found.predict(X)) > 0.95


def test_hierarchy():
    X, _ = data("auto")
    model = ICLClustering(5, **SMALL).fit(X)
    assert model.n_clusters_ == 5
    assert model.hierarchy_["n_clusters"].tolist() == [5, 4, 3, 2, 1]
    index, finer = IntegratedClassificationLikelihood().fit(X), model.labels_
    for k, icl in zip(model.hierarchy_["n_clusters"][1:], model.hierarchy_["icl"][1:], strict=True):
        model.relabel(n_clusters=k)
        assert model.n_clusters_ == model.labels_.max() + 1 == k
        assert model.icl_ == icl == pytest.approx(index.evaluate(model.labels_)[0], abs=1e-8)
        # Every cluster of the finer level is in one cluster of this level.
        assert len(np.unique(np.stack([finer, model.labels_]), axis=1).T) == k + 1
        finer = model.labels_
    assert model.relabel().n_clusters_ == 5
    with pytest.raises(ValueError, match="n_clusters must be an integer from 1 to 5, got 6"):
        model.relabel(n_clusters=6)


def test_log_alpha_is_where_the_linear_likelihoods_cross():
    X, _ = data("auto")
    table = ICLClustering(4, **SMALL).fit(X).hierarchy_
    model = ICLClustering(4, **SMALL).fit(X)
    log_alpha = float(table["log_alpha"][3])
    # Nearly so for an alpha this small: the partitions into 2 and 1 clusters are equally good.
    small = IntegratedClassificationLikelihood(alpha=float(np.exp(max(log_alpha, -600.0)))).fit(X)
    pair = [model.relabel(n_clusters=k).labels_ for k in (2, 1)]
    difference = np.diff(small.evaluate(pair))[0]
    assert difference == pytest.approx(log_alpha - max(log_alpha, -600.0), abs=1e-4)


def test_degenerate_data():
    few = np.random.default_rng(0).normal(size=(6, 20))
    assert np.isfinite(ICLClustering(**SMALL).fit(few).icl_)
    equal = ICLClustering(**SMALL).fit(np.ones((7, 2)))
    assert (equal.n_clusters_, equal.icl_) == (1, 0.0)
    X, _ = data("auto")
    constant = np.column_stack([X, np.full(120, 3.0)])
    np.testing.assert_array_equal(
        ICLClustering(model="gaussian", **SMALL).fit(constant).labels_,
        ICLClustering(model="gaussian", **SMALL).fit(X).labels_,
    )
    with pytest.warns(UserWarning, match="clusters"):
        assert ICLClustering(3, **SMALL).fit([[0.0], [0.0], [1.0], [1.0]]).n_clusters_ == 2


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        ("counts", [[1, -2], [0, 1]], "counts must be non-negative, got -2"),
        ("counts", [[1, 0.5], [0, 1]], "counts must be integers, got 0.5"),
        ("categories", [[0.0], [1.0], [1.5]], "categories must be integers, got 1.5"),
        ("sbm", [[0.0, 0.5], [0.5, 0.0]], "the graph must have weights 0 and 1, got 0.5; pass 1.0"),
        ("sbm", [[0.0, 1.0], [1.0, 1.0]], "the graph must not have self-loops, got one at row 1"),
        ("sbm", [[0.0, 1.0]], "must be a square matrix"),
        (StochasticBlockModel(directed=False), [[0.0, 1.0], [0.0, 0.0]], "the graph must be symmetric"),
        (GaussianModel(dof=1.0), np.eye(3), r"dof must exceed 2 \(non-constant columns minus 1\)"),
        ("gauss", [[0.0], [1.0]], "model must be one of 'auto'.*got 'gauss'"),
    ],
)
def test_refused(model, X, message):
    with pytest.raises(ValueError, match=message):
        ICLClustering(model=model, **SMALL).fit(X)


def test_refused_after_the_fit():
    model = ICLClustering(model="sbm", **SMALL).fit(data("sbm")[0])
    with pytest.raises(ValueError, match="log_predictive requires a table model"):
        model.predict(data("sbm")[0])
    with pytest.raises(ValueError, match="tau must be"):
        GaussianModel(tau=0.0)


@pytest.mark.parametrize("seed", range(4))
def test_no_merge_and_no_move_improve_the_result(seed):
    X = np.random.default_rng(seed).normal(size=(60, 2)) * [1.0, 4.0]
    model = ICLClustering(pop_size=2, n_gen=0, k_max=30, random_state=seed, model="diagonal").fit(X)
    index = IntegratedClassificationLikelihood("diagonal").fit(X)
    merged = index.merge(model.labels_)[1]
    assert merged.max() <= model.icl_ + 1e-8
    moved = index.swap(model.labels_, random_state=1)
    assert index.evaluate(moved[None])[0] == pytest.approx(model.icl_, abs=1e-8)


def test_pieces_of_different_clusters_of_both_parents_do_not_merge(monkeypatch):
    X, parent = np.random.default_rng(0).normal(size=(40, 2)), np.repeat([0, 1], 20)
    index, rng = IntegratedClassificationLikelihood().fit(X), np.random.default_rng(0)
    assert index.merge(parent)[1].argmax() == 1  # one cluster is better
    monkeypatch.setattr(IntegratedClassificationLikelihood, "swap", lambda index, labels, **options: labels)
    search = LikelihoodSearch(ICLClustering(pm=0.0), index, rng, InterruptGuard())
    np.testing.assert_array_equal(search._child([parent, parent]), parent)


def test_resumed_after_ctrl_c_among_the_first_individuals(monkeypatch, tmp_path):
    X = np.random.default_rng(0).lognormal(size=(60, 2))
    options = {"pop_size": 5, "n_gen": 2, "k_max": 8, "model": "diagonal", "random_state": 0}
    whole, settled, calls = ICLClustering(**options).fit(X), LikelihoodSearch._settled, []

    def interrupted(self, labels):
        calls.append(0)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return settled(self, labels)

    monkeypatch.setattr(LikelihoodSearch, "_settled", interrupted)
    saved = {**options, "checkpoint": tmp_path / "icl.ckpt"}
    with pytest.warns(UserWarning, match="interrupted after 0 of 2 generations"):
        assert ICLClustering(**saved).fit(X).interrupted_
    monkeypatch.setattr(LikelihoodSearch, "_settled", settled)
    resumed = ICLClustering(**saved, resume=True).fit(X)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    pd.testing.assert_frame_equal(resumed.history_, whole.history_)


@pytest.mark.parametrize("model", ["diagonal", "sbm"])
def test_resumed_after_ctrl_c_in_a_generation(monkeypatch, tmp_path, model):
    graph = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None, dtype=float)
    X = graph if model == "sbm" else np.random.default_rng(0).lognormal(size=(80, 2))
    options = {"pop_size": 4, "n_gen": 4, "k_max": 12, "model": model, "random_state": 0}
    whole = ICLClustering(**options).fit(X)
    assert whole.n_iter_ >= 1
    calls, child = [], LikelihoodSearch._child

    def interrupted(self, parents):
        calls.append(0)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return child(self, parents)

    monkeypatch.setattr(LikelihoodSearch, "_child", interrupted)
    saved = {**options, "checkpoint": tmp_path / "icl.ckpt"}
    with pytest.warns(UserWarning, match=r"interrupted after 0 of 4 generations.*resume from checkpoint"):
        stopped = ICLClustering(**saved).fit(X)
    assert stopped.interrupted_
    assert stopped.n_iter_ == 0
    monkeypatch.setattr(LikelihoodSearch, "_child", child)
    resumed = ICLClustering(**saved, resume=True).fit(X)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    assert resumed.icl_ == whole.icl_
    pd.testing.assert_frame_equal(resumed.history_, whole.history_)
    pd.testing.assert_frame_equal(resumed.hierarchy_, whole.hierarchy_)
    with pytest.raises(ValueError, match=r"parameter alpha is 1.0 in the checkpoint but 2.0 here"):
        ICLClustering(**saved, alpha=2.0, resume=True).fit(X)
