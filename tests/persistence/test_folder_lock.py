"""One writer per folder: a second is refused, and a kill lets the folder go."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from moo_clustering.persistence import FolderInUseError, is_temporary, locked

HOLDS = """
import sys, time
from moo_clustering.persistence import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_writer_is_refused_and_nothing_stays(tmp_path):
    with locked(tmp_path):
        with pytest.raises(FolderInUseError, match=r"writing to .*; wait until it has finished, or choose"):
            locked(tmp_path).__enter__()
        assert all(is_temporary(name) for name in os.listdir(tmp_path))
    assert os.listdir(tmp_path) == []
    with locked(tmp_path):
        pass


@pytest.mark.slow
def test_a_killed_process_lets_the_folder_go(tmp_path):
    command = [sys.executable, "-c", HOLDS, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(FolderInUseError):
                locked(tmp_path).__enter__()
        finally:
            holder.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            holder.wait()
    # The file is still there, but nobody holds it.
    assert len(os.listdir(tmp_path)) == 1
    with locked(tmp_path):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="locks of Unix")
@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK])
def test_without_locks_one_warning_and_no_obstacle(tmp_path, monkeypatch, number):
    def refuse(descriptor, how):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", refuse)
    told = pytest.warns(UserWarning, match="does not support locks .*; make sure that no other process")
    with told, locked(tmp_path):
        (tmp_path / "result").write_text("saved")
    assert len(told) == 1
    assert os.listdir(tmp_path) == ["result"]


@pytest.mark.skipif(sys.platform == "win32", reason="links of Unix")
def test_a_link_under_the_name_of_the_lock_is_not_followed(tmp_path):
    (tmp_path / "mine").write_text("kept")
    folder = tmp_path / "run"
    folder.mkdir()
    with locked(folder):
        (name,) = os.listdir(folder)
    (folder / name).symlink_to(tmp_path / "mine")
    with pytest.raises(OSError, match="run"):
        locked(folder).__enter__()
    assert (tmp_path / "mine").read_text() == "kept"


@pytest.mark.skipif(sys.platform == "win32", reason="locks of Unix")
def test_a_lock_file_that_its_holder_removes_is_not_taken(tmp_path, monkeypatch):
    import fcntl

    flock, left = fcntl.flock, [3]

    def removed_before(descriptor, how):
        if left[0]:
            left[0] -= 1
            for name in os.listdir(tmp_path):
                (tmp_path / name).unlink()
        return flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", removed_before)
    with locked(tmp_path), pytest.raises(FolderInUseError):
        locked(tmp_path).__enter__()
    assert left == [0]
