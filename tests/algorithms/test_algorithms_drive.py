"""The driver: what it calls when, what it shows, saves and says."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from search_toys import CountingSearch

from moo_clustering.algorithms import ExhaustedSearchWarning, Recorder, drive
from moo_clustering.persistence import ArchiveError, Checkpoint, CheckpointMismatchError, load_checkpoint


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("n_gen", [0, 1, 5])
def test_runs_n_gen_generations(n_gen):
    search = CountingSearch()
    assert drive(search, n_gen=n_gen) is False
    assert search.calls == ["start", *range(1, n_gen + 1)]


@pytest.mark.parametrize(
    ("n_gen", "error"), [(-1, ValueError), (2.0, TypeError), ("3", TypeError), (True, TypeError)]
)
def test_bad_n_gen_before_any_work(n_gen, error):
    search = CountingSearch()
    with pytest.raises(error, match="n_gen must be an integer of at least 0"):
        drive(search, n_gen=n_gen)
    assert search.calls == []


@pytest.mark.parametrize("checkpoint", [3, ["file.npz"]])
def test_bad_checkpoint_before_any_work(checkpoint):
    search = CountingSearch()
    with pytest.raises(TypeError, match="the path of the checkpoint must be a string or a path, got "):
        drive(search, n_gen=2, checkpoint=checkpoint)
    assert search.calls == []


def test_numpy_n_gen():
    search = CountingSearch()
    drive(search, n_gen=np.int64(2))
    assert search.generation == 2


def saved_generations(monkeypatch):
    saved = []
    original = CountingSearch.state
    monkeypatch.setattr(
        CountingSearch, "state", lambda self: (saved.append(self.generation), original(self))[1]
    )
    return saved


@pytest.mark.parametrize(
    ("every", "expected"), [(3, [0, 3, 6, 7]), (1, [*range(8)]), (7, [0, 7]), (100, [0, 7])]
)
def test_saves_at_the_start_every_so_many_generations_and_at_the_end(tmp_path, monkeypatch, every, expected):
    saved = saved_generations(monkeypatch)
    drive(CountingSearch(), n_gen=7, checkpoint=Checkpoint(tmp_path / "c", every=every))
    assert saved == expected


def test_resumes_where_it_stopped_and_may_go_on_for_longer(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", every=2)
    drive(CountingSearch(), n_gen=3, checkpoint=checkpoint)
    search = CountingSearch()
    drive(search, n_gen=5, checkpoint=checkpoint)
    assert search.calls == ["restore", 4, 5]
    search = CountingSearch()
    drive(search, n_gen=5, checkpoint=checkpoint)
    assert search.calls == ["restore"]
    with pytest.raises(
        ValueError, match="n_gen must be at least 5, the number of generations in the checkpoint; got 4"
    ):
        drive(CountingSearch(), n_gen=4, checkpoint=checkpoint)


def test_without_resume_the_checkpoint_is_overwritten(tmp_path):
    drive(CountingSearch(), n_gen=5, checkpoint=Checkpoint(tmp_path / "c"))
    search = CountingSearch()
    checkpoint = Checkpoint(tmp_path / "c", resume=False)
    drive(search, n_gen=2, checkpoint=checkpoint)
    assert search.calls == ["start", 1, 2]
    assert load_checkpoint(checkpoint)[0]["search/generation"] == 2


def test_another_run_or_a_broken_file_is_refused_before_any_work(tmp_path):
    drive(CountingSearch(), n_gen=1, checkpoint=Checkpoint(tmp_path / "c", identity={"data": "a"}))
    search = CountingSearch()
    with pytest.raises(CheckpointMismatchError, match="the data differ"):
        drive(search, n_gen=2, checkpoint=Checkpoint(tmp_path / "c", identity={"data": "b"}))
    (tmp_path / "c").write_bytes(b"something else")
    with pytest.raises(ArchiveError, match="not a moo_clustering archive"):
        drive(search, n_gen=2, checkpoint=Checkpoint(tmp_path / "c"))
    assert search.calls == []


def test_a_search_may_refuse_checkpoints_before_any_work(tmp_path):
    class Unsavable(CountingSearch):
        def check_resumable(self):
            raise ValueError("cannot be saved")

    search = Unsavable()
    with pytest.raises(ValueError, match="cannot be saved"):
        drive(search, n_gen=2, checkpoint=Checkpoint(tmp_path / "c"))
    assert search.calls == []
    drive(search, n_gen=2)


def fail_from(monkeypatch, n):
    from moo_clustering.algorithms import search

    original, calls = search.save_checkpoint, []

    def save(*args):
        calls.append(1)
        if len(calls) >= n:
            raise OSError(28, "No space left on device")
        original(*args)

    monkeypatch.setattr(search, "save_checkpoint", save)


def test_first_checkpoint_that_cannot_be_written_is_an_error(tmp_path, monkeypatch):
    fail_from(monkeypatch, 1)
    search = CountingSearch()
    with pytest.raises(OSError, match="No space"):
        drive(search, n_gen=3, checkpoint=Checkpoint(tmp_path / "c"))
    assert search.calls == ["start"]


def test_later_ones_only_warn_and_the_last_good_one_stays(tmp_path, monkeypatch):
    fail_from(monkeypatch, 3)
    search, checkpoint = CountingSearch(), Checkpoint(tmp_path / "c", every=2)
    with pytest.warns(
        RuntimeWarning, match=r"generation [45] \(.*No space.*it still contains generation 2"
    ) as caught:
        drive(search, n_gen=5, checkpoint=checkpoint)
    assert len(caught) == 2
    assert search.generation == 5
    assert load_checkpoint(checkpoint)[0]["search/generation"] == 2


def test_exhausted_search_ends_with_a_warning_also_after_resuming(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", every=1)
    search = CountingSearch(ends_after=3)
    with pytest.warns(
        ExhaustedSearchWarning, match="stopped after generation 3 of 9, because it found no new individuals"
    ):
        assert drive(search, n_gen=9, checkpoint=checkpoint) is False
    assert search.generation == 3
    with pytest.warns(ExhaustedSearchWarning, match="generation 3 of 12"):
        drive(CountingSearch(ends_after=3), n_gen=12, checkpoint=checkpoint)


def test_progress_is_shown_on_stderr_only_when_wanted(capsys):
    drive(CountingSearch(), n_gen=4)
    assert capsys.readouterr() == ("", "")
    drive(CountingSearch(), n_gen=4, verbose=True, description="counting", objective_names=["up", "down"])
    out, err = capsys.readouterr()
    assert out == ""
    last = err.strip().splitlines()[-1].split("\r")[-1]
    assert last.startswith("counting: 100%")
    assert "4/4" in last
    assert "gen" in last
    assert "up=4, down=-5" in last


def test_progress_of_a_resumed_run_begins_where_it_was(capsys, tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    drive(CountingSearch(), n_gen=3, checkpoint=checkpoint)
    drive(CountingSearch(), n_gen=4, checkpoint=checkpoint, verbose=True)
    err = capsys.readouterr().err
    assert "3/4" in err
    assert "4/4" in err
    assert "0/4" not in err
    assert "f1=4, f2=-5" in err


def test_recorder_gets_every_generation_once_also_over_a_resume(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    first, second = Recorder(), Recorder()
    drive(CountingSearch(), n_gen=3, recorder=first, checkpoint=checkpoint)
    drive(CountingSearch(), n_gen=5, recorder=second, checkpoint=checkpoint)
    assert first.generations == [0, 1, 2, 3]
    assert second.generations == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(second.F[4], [[4, -4], [5, -5]])
    assert second.seconds[:4] == first.seconds
    assert second.seconds == sorted(second.seconds)


def test_recorder_that_the_checkpoint_knows_nothing_of(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c")
    drive(CountingSearch(), n_gen=3, checkpoint=checkpoint)
    recorder = Recorder()
    recorder.record(0, np.zeros((1, 2)))
    drive(CountingSearch(), n_gen=5, recorder=recorder, checkpoint=checkpoint)
    assert recorder.generations == [3, 4, 5]
