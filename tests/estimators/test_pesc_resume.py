"""Checkpoints of PESC: resumed equals uninterrupted, and nothing else is resumed."""

import os
import signal

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from moo_clustering import PESC
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.persistence import ArchiveError, CheckpointMismatchError

QUICK = {"n_clusters": 3, "pop_size": 16, "random_state": 4}


@pytest.fixture(scope="module")
def X():
    return make_blobs(90, centers=3, n_features=4, cluster_std=2.0, random_state=1)[0]


def same(first, second):
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_array_equal(first.pareto_front_, second.pareto_front_)
    np.testing.assert_array_equal(first.pareto_neighbors_, second.pareto_neighbors_)
    assert abs(first.similarity_ - second.similarity_).max() == 0
    columns = ["generation", "front_size"]
    assert first.history_.to_frame()[columns].equals(second.history_.to_frame()[columns])


@pytest.mark.parametrize("operators", ["uniform", "rank", "index"])
@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_resumed_equals_uninterrupted(X, tmp_path, engine, operators):
    options = {**QUICK, "engine": engine, "operators": operators}
    whole = PESC(n_gen=9, **options).fit(X)
    path = tmp_path / "run.npz"
    PESC(n_gen=4, checkpoint=path, checkpoint_every=3, **options).fit(X)
    rest = PESC(n_gen=9, checkpoint=path, resume=True, n_jobs=2, **options).fit(X)
    assert rest.n_iter_ == 9
    same(whole, rest)


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_ctrl_c_keeps_the_best_so_far_and_can_be_resumed(X, tmp_path, engine, monkeypatch):
    options = {**QUICK, "engine": engine, "n_gen": 8}
    whole = PESC(**options).fit(X)
    path = tmp_path / "run.npz"
    from moo_clustering.operators import NeighborResample

    draw, calls = NeighborResample._do, []

    def press(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == (3 if engine == "pymoo" else 40):
            os.kill(os.getpid(), signal.SIGINT)
        return draw(self, *args, **kwargs)

    monkeypatch.setattr(NeighborResample, "_do", press)
    with pytest.warns(InterruptedSearchWarning, match="generations"):
        part = PESC(checkpoint=path, **options).fit(X)
    monkeypatch.undo()
    assert part.interrupted_
    assert 0 < part.n_iter_ < 8
    assert len(part.labels_) == 90
    neighbours = part.pareto_neighbors_
    assert np.isfinite(part.pareto_front_).all()
    assert neighbours.shape[1] == 90
    same(whole, PESC(checkpoint=path, resume=True, **options).fit(X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pop_size": 20}, "pop_size is 16 .* 20"),
        ({"laplacian": "rw"}, "laplacian"),
        ({"random_state": 5}, "random_state"),
    ],
)
def test_other_parameters_are_refused(X, tmp_path, change, message):
    path = tmp_path / "run.npz"
    PESC(n_gen=2, checkpoint=path, **QUICK).fit(X)
    before = path.read_bytes()
    with pytest.raises(CheckpointMismatchError, match=message):
        PESC(n_gen=4, checkpoint=path, resume=True, **{**QUICK, **change}).fit(X)
    assert path.read_bytes() == before


def test_other_data_and_other_labels_are_refused(X, tmp_path):
    path = tmp_path / "run.npz"
    PESC(n_gen=2, checkpoint=path, **QUICK).fit(X)
    for other in ((X + 1e-9,), (X, np.full(90, -1))):
        with pytest.raises(CheckpointMismatchError, match="data differ"):
            PESC(n_gen=4, checkpoint=path, resume=True, **QUICK).fit(*other)


def test_foreign_and_truncated_files_are_refused(X, tmp_path):
    path = tmp_path / "run.npz"
    path.write_text("no archive")
    with pytest.raises(ArchiveError, match=r"run\.npz"):
        PESC(n_gen=2, checkpoint=path, resume=True, **QUICK).fit(X)
    whole = tmp_path / "whole.npz"
    PESC(n_gen=2, checkpoint=whole, **QUICK).fit(X)
    path.write_bytes(whole.read_bytes()[:-200])
    with pytest.raises(ArchiveError, match=r"run\.npz"):
        PESC(n_gen=2, checkpoint=path, resume=True, **QUICK).fit(X)


def test_resume_without_a_file_starts_from_the_beginning(X, tmp_path):
    first = PESC(n_gen=3, checkpoint=tmp_path / "none.npz", resume=True, **QUICK).fit(X)
    same(first, PESC(n_gen=3, **QUICK).fit(X))


def test_a_checkpoint_needs_a_seed(X, tmp_path):
    with pytest.raises(ValueError, match="integer random_state"):
        PESC(3, checkpoint=tmp_path / "run.npz").fit(X)


def test_given_neighbours_are_part_of_the_identity(X, tmp_path):
    lists = PESC(n_gen=1, **QUICK).fit(X).result_.problem.lists
    path = tmp_path / "run.npz"
    given = (lists.indices, lists.distances)
    PESC(n_gen=2, checkpoint=path, neighbors=given, **QUICK).fit(X)
    resumed = PESC(n_gen=4, checkpoint=path, resume=True, neighbors=given, **QUICK).fit(X)
    same(resumed, PESC(n_gen=4, neighbors=given, **QUICK).fit(X))
    other = (lists.indices, lists.distances * 2)
    with pytest.raises(CheckpointMismatchError, match="neighbors"):
        PESC(n_gen=4, checkpoint=path, resume=True, neighbors=other, **QUICK).fit(X)
