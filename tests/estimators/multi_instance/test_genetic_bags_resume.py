"""Checkpoints of the genetic estimators of bags: resumed equals uninterrupted, nothing else is resumed."""

from __future__ import annotations

import os
import pickle
import signal

import numpy as np
import pytest
from genetic_bag_tools import ALL, overlapping, same_run
from sklearn.base import clone

from moo_clustering.algorithms import DeapSearch, InterruptedSearchWarning
from moo_clustering.bags import Bags
from moo_clustering.estimators.bags_genetic import CHCMIC, MIFGKA, MIGCUK, MIGKA, MemeticCHCMIC
from moo_clustering.persistence import ArchiveError, CheckpointMismatchError

EVERY = pytest.mark.parametrize("cls", ALL)
QUICK = {"n_clusters": 3, "pop_size": 10, "random_state": 4}
BAGS, CLASSES = overlapping(20, 3)
Y = np.where(np.arange(20) % 4 == 0, CLASSES, -1)


def saved(path):
    """What is in a checkpoint, apart from seconds and what describes the file."""
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive if "seconds" not in name and name != "__archive__"}


@pytest.mark.parametrize(
    "model",
    [
        MIGKA(),
        MIGKA(draw_weights="printed", elitism=0),
        MIFGKA(),
        MIFGKA(legality="count", constraint_handling="repair", min_cluster_size=2),
        MIGCUK(),
        MIGCUK(k_min=2, mutation="rank", centers="mean", constraint_handling="repair"),
        CHCMIC(),
        CHCMIC(
            difference_threshold=1, pm=0.1, n_keep=2, distance="aligned", mutate="population", max_evals=1500
        ),
        MemeticCHCMIC(max_evals=6000),
        MemeticCHCMIC(constraint_handling="repair"),
    ],
)
@pytest.mark.parametrize("y", [pytest.param(None, marks=pytest.mark.slow), Y], ids=["", "labels"])
def test_resumed_equals_uninterrupted(model, y, tmp_path):
    model.set_params(**QUICK)
    whole = clone(model).set_params(n_gen=9, checkpoint=tmp_path / "whole.npz").fit(BAGS, y)
    same_run(clone(model).set_params(n_gen=9).fit(BAGS, y), whole)
    path = tmp_path / "run.npz"
    part = clone(model).set_params(n_gen=4, checkpoint=path, checkpoint_every=3).fit(BAGS, y)
    assert part.n_iter_ <= 4
    part = pickle.loads(pickle.dumps(part))
    rest = part.set_params(n_gen=9, resume=True, n_jobs=2).fit(Bags.from_list(BAGS), y)
    same_run(whole, rest)
    one, other = saved(tmp_path / "whole.npz"), saved(path)
    assert one.keys() == other.keys()
    assert {"search/individuals/genes", "search/population"} <= one.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


@EVERY
@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c(cls, presses, tmp_path, monkeypatch):
    model = cls(n_gen=8, **QUICK)
    whole = clone(model).fit(BAGS)
    path = tmp_path / "run.npz"
    advance = DeapSearch.advance

    def press(self):
        if self.generation == 5:
            for _ in range(presses):
                os.kill(os.getpid(), signal.SIGINT)
        advance(self)

    monkeypatch.setattr(DeapSearch, "advance", press)
    part = clone(model).set_params(checkpoint=path, checkpoint_every=2)
    if presses == 1:  # the generation is finished
        with pytest.warns(InterruptedSearchWarning, match="6 of 8 generations"):
            part.fit(BAGS)
        assert part.interrupted_
        assert part.n_iter_ == 6
        assert len(part.labels_) == 20
    else:  # it is not, and the file is that of generation 4
        with pytest.raises(KeyboardInterrupt):
            part.fit(BAGS)
    monkeypatch.undo()
    rest = clone(model).set_params(checkpoint=path, resume=True).fit(BAGS)
    assert not rest.interrupted_
    same_run(whole, rest)


CHANGES = {
    MIGKA: {"draw_weights": "scaled"},
    MIFGKA: {"bias": 0.25},
    MIGCUK: {"centers": "mean"},
    CHCMIC: {"crossover": "hux"},
    MemeticCHCMIC: {"perturbation": 0.2},
}


@EVERY
def test_other_parameters_and_data_are_refused(cls, tmp_path):
    path = tmp_path / "run.npz"
    model = cls(n_gen=2, checkpoint=path, **QUICK).fit(BAGS, Y)
    before = path.read_bytes()
    model.set_params(resume=True, n_gen=3)
    for change in (CHANGES[cls], {"pop_size": 11}, {"random_state": 5}, {"penalty": 2.0}, {"n_clusters": 2}):
        with pytest.raises(CheckpointMismatchError, match=next(iter(change))):
            clone(model).set_params(**change).fit(BAGS, Y)
    other = [BAGS[0] + 1e-9, *BAGS[1:]]
    regrouped = [np.concatenate(BAGS[:2]), *BAGS[2:]]
    for X, y in ((other, Y), (BAGS, None), (BAGS, np.where(np.arange(20) == 1, 0, Y)), (regrouped, None)):
        with pytest.raises(CheckpointMismatchError, match="data differ"):
            clone(model).fit(X, y)
    with pytest.raises(ValueError, match="must be at least 2"):
        clone(model).set_params(n_gen=1).fit(BAGS, Y)
    assert path.read_bytes() == before


def test_one_estimator_does_not_resume_another(tmp_path):
    path = tmp_path / "run.npz"
    MIGKA(n_gen=1, checkpoint=path, **QUICK).fit(BAGS)
    with pytest.raises(CheckpointMismatchError):
        CHCMIC(n_gen=2, checkpoint=path, resume=True, **QUICK).fit(BAGS)
    path.write_text("no archive")
    with pytest.raises(ArchiveError, match=r"run\.npz"):
        MIGKA(n_gen=2, checkpoint=path, resume=True, **QUICK).fit(BAGS)


@EVERY
def test_what_checkpoints_need(cls, tmp_path):
    with pytest.raises(ValueError, match="integer random_state"):
        cls(checkpoint=tmp_path / "run.npz").fit(BAGS)
    with pytest.raises(ValueError, match="resume=True requires checkpoint"):
        cls(resume=True).fit(BAGS)
    first = cls(n_gen=3, checkpoint=tmp_path / "none.npz", resume=True, **QUICK).fit(BAGS)
    same_run(first, cls(n_gen=3, **QUICK).fit(BAGS))
