"""Checkpoints of SRMOSC's evolution."""

import os
import signal

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from moo_clustering import SRMOSC
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.operators.sparse_rows import SupportMutation
from moo_clustering.persistence import CheckpointMismatchError

QUICK = {"n_clusters": 3, "search": "nsga2", "pop_size": 12, "random_state": 4}


@pytest.fixture(scope="module")
def X():
    return make_blobs(70, centers=3, n_features=4, cluster_std=2.0, random_state=1)[0]


def same(first, second):
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_array_equal(first.pareto_front_, second.pareto_front_)
    assert first.chosen_ == second.chosen_
    assert abs(first.similarity_ - second.similarity_).max() == 0
    assert first.result_.algorithm.evaluator.n_eval == second.result_.algorithm.evaluator.n_eval


@pytest.mark.slow
def test_resumed_equals_uninterrupted(X, tmp_path):
    whole = SRMOSC(n_gen=9, **QUICK).fit(X)
    path = tmp_path / "run.npz"
    SRMOSC(n_gen=4, checkpoint=path, checkpoint_every=3, **QUICK).fit(X)
    rest = SRMOSC(n_gen=9, checkpoint=path, resume=True, n_jobs=2, **QUICK).fit(X)
    assert rest.n_iter_ == 9
    same(whole, rest)
    population = rest.result_.pop
    errors, sizes = rest.result_.problem.row_tables(population.get("X"))
    np.testing.assert_array_equal(population.get("row_errors"), errors)
    np.testing.assert_array_equal(population.get("row_sizes"), sizes)


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_so_far_and_can_be_resumed(X, tmp_path, monkeypatch):
    whole = SRMOSC(n_gen=8, **QUICK).fit(X)
    path = tmp_path / "run.npz"
    mutate, calls = SupportMutation.do, []

    def press(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return mutate(self, *args, **kwargs)

    monkeypatch.setattr(SupportMutation, "do", press)
    with pytest.warns(InterruptedSearchWarning, match="generations"):
        part = SRMOSC(n_gen=8, checkpoint=path, **QUICK).fit(X)
    monkeypatch.undo()
    assert part.interrupted_
    assert 0 < part.n_iter_ < 8
    assert len(part.labels_) == 70
    same(whole, SRMOSC(n_gen=8, checkpoint=path, resume=True, **QUICK).fit(X))


def test_only_the_same_search_is_resumed(X, tmp_path):
    path = tmp_path / "run.npz"
    SRMOSC(n_gen=2, checkpoint=path, **QUICK).fit(X)
    with pytest.raises(CheckpointMismatchError, match="pm"):
        SRMOSC(n_gen=4, checkpoint=path, resume=True, pm=0.5, **QUICK).fit(X)
    with pytest.raises(CheckpointMismatchError, match="data differ"):
        SRMOSC(n_gen=4, checkpoint=path, resume=True, **QUICK).fit(X + 1e-9)
    # How one of the front is picked may change.
    model = SRMOSC(n_gen=4, checkpoint=path, resume=True, final="consensus", laplacian="rw", **QUICK).fit(X)
    assert model.chosen_ is None
    assert model.n_iter_ == 4


def test_the_hull_has_nothing_to_resume(X, tmp_path):
    for options in ({"checkpoint": tmp_path / "run.npz"}, {"resume": True}):
        with pytest.raises(ValueError, match='search="nsga2"'):
            SRMOSC(3, random_state=0, **options).fit(X)
