"""Checkpoints and Ctrl-C: resumed equals uninterrupted, and nothing else is resumed."""

import os
import signal

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from moo_clustering import MOCK
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.estimators import mock
from moo_clustering.operators import NeighborBiasedMutation
from moo_clustering.persistence import CheckpointMismatchError

QUICK = {"n_clusters": 3, "pop_size": 20, "random_state": 4}
PAPER = {"encoding": "locus", "search": "pesa2", "init": "2007", "pc": 0.7}


@pytest.fixture(scope="module")
def X():
    return make_blobs(90, centers=3, n_features=4, cluster_std=4.0, random_state=1)[0]


def same(first, second):
    np.testing.assert_array_equal(first.pareto_front_, second.pareto_front_)
    np.testing.assert_array_equal(first.pareto_labels_, second.pareto_labels_)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    columns = ["generation", "front_size"]
    assert first.history_.to_frame()[columns].equals(second.history_.to_frame()[columns])


@pytest.mark.parametrize(
    "kind", [{}, {"encoding": "split"}, PAPER, {"objectives": ["deviation", "connectivity"]}]
)
def test_resumed_equals_uninterrupted(X, tmp_path, kind):
    options = {**QUICK, **kind}
    whole = MOCK(n_gen=9, **options).fit(X)
    path = tmp_path / "run.npz"
    MOCK(n_gen=4, checkpoint=path, checkpoint_every=3, **options).fit(X)
    rest = MOCK(n_gen=9, checkpoint=path, resume=True, n_jobs=2, **options).fit(X)
    assert rest.n_iter_ == 9
    same(whole, rest)


@pytest.mark.parametrize("kind", [{}, pytest.param(PAPER, marks=pytest.mark.slow)])
def test_ctrl_c_keeps_the_best_so_far_and_can_be_resumed(X, tmp_path, kind, monkeypatch):
    options = {**QUICK, **kind, "n_gen": 8, "n_clusters": None}
    whole = MOCK(**options).fit(X)
    draw, calls = NeighborBiasedMutation._do, []

    def press(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return draw(self, *args, **kwargs)

    path = tmp_path / "run.npz"
    monkeypatch.setattr(NeighborBiasedMutation, "_do", press)
    with pytest.warns(InterruptedSearchWarning, match="generations"):
        part = MOCK(checkpoint=path, **options).fit(X)
    monkeypatch.undo()
    assert part.interrupted_
    assert 0 < part.n_iter_ < 8
    # No control data are searched after Ctrl-C; later they are, for as many generations.
    assert not hasattr(part, "control_fronts_")
    assert part.chosen_ == part.choose("knee").chosen_
    part.choose("attainment")
    short = MOCK(**{**options, "n_gen": part.n_iter_}).fit(X)
    np.testing.assert_array_equal(part.control_fronts_[0][0], short.control_fronts_[0][0])
    resumed = MOCK(checkpoint=path, resume=True, **options).fit(X)
    same(whole, resumed)
    np.testing.assert_array_equal(resumed.attainment_scores_, whole.attainment_scores_)


def test_ctrl_c_in_control_searches(X, monkeypatch):
    def press(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(mock, "control_data", lambda *args, **kwargs: press())
    with pytest.warns(InterruptedSearchWarning, match="control data was interrupted"):
        model = MOCK(n_gen=5, **{**QUICK, "n_clusters": None}).fit(X)
    assert model.interrupted_
    assert model.n_iter_ == 5
    assert model.chosen_ == model.choose("knee").chosen_
    monkeypatch.undo()
    assert len(model.choose("attainment").control_fronts_) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pop_size": 24}, "pop_size is 20 .* 24"),
        ({"encoding": "split"}, "encoding"),
        ({"objectives": ("deviation", "connectivity")}, "objectives"),
        ({"random_state": 5}, "random_state"),
        ({"n_clusters": 30}, "delta"),
    ],
)
def test_other_searches_are_refused(X, tmp_path, change, message):
    path = tmp_path / "run.npz"
    MOCK(n_gen=2, checkpoint=path, **QUICK).fit(X)
    with pytest.raises(CheckpointMismatchError, match=message):
        MOCK(n_gen=4, checkpoint=path, resume=True, **{**QUICK, **change}).fit(X)
    for other in ((X + 1e-9,), (X, np.full(90, -1))):
        with pytest.raises(CheckpointMismatchError, match="data differ"):
            MOCK(n_gen=4, checkpoint=path, resume=True, supervision=None, **QUICK).fit(*other)


@pytest.mark.parametrize(
    "change", [{"n_clusters": 2}, {"n_clusters": None}, {"select": "sum"}, {"n_controls": 1, "k_user": 9}]
)
def test_another_choice_is_the_same_search(X, tmp_path, change):
    path = tmp_path / "run.npz"
    MOCK(n_gen=3, checkpoint=path, **QUICK).fit(X)
    resumed = MOCK(n_gen=5, checkpoint=path, resume=True, **{**QUICK, **change}).fit(X)
    np.testing.assert_array_equal(resumed.pareto_front_, MOCK(n_gen=5, **QUICK).fit(X).pareto_front_)


def test_a_checkpoint_needs_a_seed(X, tmp_path):
    with pytest.raises(ValueError, match="integer random_state"):
        MOCK(3, checkpoint=tmp_path / "run.npz").fit(X)
