"""Files that come to be, or are replaced, as a whole."""

import os

import pytest

from moo_clustering import persistence
from moo_clustering.persistence import creating, is_temporary, replacing


def no_links(monkeypatch):
    def refuse(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("moo_clustering.persistence.os.link", refuse)


@pytest.fixture(params=["links", "no links"])
def links(request, monkeypatch):
    if request.param == "no links":
        no_links(monkeypatch)


def test_a_new_file_has_its_name_when_it_is_whole(links, tmp_path):
    with creating(tmp_path / "a") as file:
        file.write(b"all of it")
        assert not (tmp_path / "a").exists()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"all of it"}


def test_a_new_file_is_empty_at_no_time_where_there_are_links(monkeypatch, tmp_path):
    monkeypatch.setattr("moo_clustering.persistence.os.replace", None)
    with creating(tmp_path / "a") as file:
        file.write(b"all of it")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"all of it"}


def test_a_file_that_has_come_to_be_meanwhile_stays(links, tmp_path):
    def meanwhile():
        with creating(tmp_path / "a") as file:
            file.write(b"mine")
            (tmp_path / "a").write_bytes(b"another's")

    with pytest.raises(FileExistsError):
        meanwhile()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"another's"}


def test_a_failure_leaves_nothing(tmp_path):
    def fail():
        with creating(tmp_path / "a") as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not list(tmp_path.iterdir())
    # Nor does the process remember the temporary name.
    assert not persistence._WRITING


@pytest.mark.parametrize("write", [creating, replacing])
def test_what_a_kill_leaves_is_known_by_its_name(tmp_path, write):
    with write(tmp_path / "run.json"):
        (left,) = os.listdir(tmp_path)
        assert is_temporary(left)
    assert not any(map(is_temporary, ("run.json", "labels.csv.tmp", ".hidden")))
