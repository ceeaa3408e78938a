"""Temporary files: those of killed writers go when a folder is next written to, those of living ones stay."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from moo_clustering.persistence import _LOCK, locked, read_archive, replacing, write_archive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes and locks of Unix")

WRITES = """
import sys, time
from pathlib import Path
from moo_clustering.persistence import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"x" * 1000)
    print("begun", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def writer(tmp_path):
    """A process in the midst of a write, and its temporary file."""
    command = [sys.executable, "-c", WRITES, str(tmp_path / "checkpoint.npz")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        [temporary] = tmp_path.glob(".checkpoint.npz.*.tmp")
        try:
            yield process, temporary
        finally:
            process.kill()


@pytest.mark.slow
def test_files_of_killed_writers_are_removed(writer, tmp_path):
    process, temporary = writer
    with locked(tmp_path):
        assert temporary.exists()
    write_archive(tmp_path / "other.npz", {}, {})
    assert temporary.exists()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert temporary.exists()
    with locked(tmp_path):
        assert sorted(os.listdir(tmp_path)) == [_LOCK, "other.npz"]
    assert os.listdir(tmp_path) == ["other.npz"]


@pytest.mark.slow
def test_they_are_removed_without_a_lock_too(writer, tmp_path):
    """A search in Python that goes on from its checkpoint locks no folder."""
    process, _ = writer
    process.kill()
    process.wait()
    write_archive(tmp_path / "checkpoint.npz", {"a": np.arange(3)}, {})
    assert os.listdir(tmp_path) == ["checkpoint.npz"]


def test_a_process_keeps_what_it_writes_itself(tmp_path):
    begun, end = threading.Event(), threading.Event()

    def write():
        with replacing(tmp_path / "a") as file:
            file.write(b"a")
            begun.set()
            end.wait()

    thread = threading.Thread(target=write)
    thread.start()
    begun.wait()
    with locked(tmp_path):
        assert len(os.listdir(tmp_path)) == 2
    end.set()
    thread.join()
    assert (tmp_path / "a").read_bytes() == b"a"


def test_which_files_are_removed(tmp_path):
    """By number of the process, lock and age; files of other names and kinds stay."""
    own, dead = os.getpid(), 2**22 + 1
    gone = [f".run.json.{dead}-0123abcd.tmp", f".labels.csv.{own}-0123abcd.tmp", ".old.1-0123abcd.tmp"]
    stay = [
        ".new.1-0123abcd.tmp",
        f"run.json.{dead}-0123abcd.tmp",
        f".a.{dead}-0123abcg.tmp",
        ".tmp",
        "a.tmp",
    ]
    for name in (*gone, *stay):
        (tmp_path / name).touch()
    hour_ago = time.time() - 4000
    os.utime(tmp_path / ".old.1-0123abcd.tmp", (hour_ago, hour_ago))
    (tmp_path / f".folder.{dead}-0123abcd.tmp").mkdir()
    (tmp_path / f".link.{dead}-0123abcd.tmp").symlink_to("a.tmp")
    os.mkfifo(tmp_path / f".pipe.{dead}-0123abcd.tmp")
    with locked(tmp_path):
        pass
    found = {name for name in os.listdir(tmp_path) if name not in stay}
    assert found == {f".{kind}.{dead}-0123abcd.tmp" for kind in ("folder", "link", "pipe")}
    assert set(stay) < set(os.listdir(tmp_path))


def test_without_locks_only_old_files_are_removed(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(95, "no locks here")

    dead = 2**22 + 1
    for name in ("new", "old"):
        (tmp_path / f".{name}.{dead}-0123abcd.tmp").touch()
    os.utime(tmp_path / f".old.{dead}-0123abcd.tmp", (0, 0))
    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.warns(UserWarning, match="does not support locks"), locked(tmp_path):
        pass
    assert os.listdir(tmp_path) == [f".new.{dead}-0123abcd.tmp"]


def test_a_lock_says_whether_its_folder_is_the_same(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    with locked(folder) as is_held:
        assert is_held()
        (folder / _LOCK).unlink()
        assert not is_held()
        with locked(folder) as is_held_again:
            assert not is_held()
            assert is_held_again()
    # The first did not remove what the second held.
    assert not (folder / _LOCK).exists()


@pytest.mark.slow
def test_a_killed_write_leaves_what_was_there(writer, tmp_path):
    process, _ = writer
    write_archive(tmp_path / "checkpoint.npz", {"a": np.arange(3)}, {})
    process.kill()
    process.wait()
    assert read_archive(tmp_path / "checkpoint.npz")[0]["a"].tolist() == [0, 1, 2]
