"""Archives that declare more than they hold, or something else than was written."""

from __future__ import annotations

import io
import json
import struct
import zipfile

import numpy as np
import pytest

from moo_clustering import persistence as members_module
from moo_clustering.bags import Bags
from moo_clustering.datasets import read_bags
from moo_clustering.persistence import (
    ArchiveError,
    Checkpoint,
    ObjectsError,
    load_checkpoint,
    read_archive,
    read_members,
    write_archive,
)


def entry(header: str, content: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    """An npy file of a header of one's own."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(text)) + text + content


def described(shape: str, descr: str = "<f8") -> str:
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"


def archive_of(method: int = zipfile.ZIP_STORED, **members: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file


def test_an_honest_array_is_read():
    made = archive_of(x=entry(described("(2,)"), struct.pack("<2d", 1.5, -2.0)))
    assert read_members(made)["x"].tolist() == [1.5, -2.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (entry(described("(2,)"), b"12345678"), r"'x' has 8 bytes, but declares shape \(2,\)"),
        (entry(described("(10000000000,)")), r"'x' has 0 bytes, but declares shape \(10000000000,\)"),
        (entry(described("(100000000, 0)")), r"'x' has 0 bytes, but declares shape \(100000000, 0\)"),
        (entry(described("(-1, -1)"), b"12345678"), r"'x' declares the invalid shape \(-1, -1\)"),
        (entry(described("(True,)"), b"12345678"), r"'x' declares the invalid shape \(True,\)"),
        (entry(described("(1,)", "<U1"), b"\xff" * 4), "'x' contains text that is not valid Unicode"),
        (entry(described("(1,)"), b"12345678", (9, 3)), "'x' has the unknown format version 9.3"),
    ],
)
def test_what_is_declared_must_be_there(content, message):
    with pytest.raises(ValueError, match=message):
        read_members(archive_of(x=content))


def test_objects_are_told_apart():
    with pytest.raises(ObjectsError, match="array 'x' contains Python objects"):
        read_members(archive_of(x=entry(described("(1,)", "|O"), b"12345678")))


def test_what_expands_without_measure_is_not_read(monkeypatch):
    zeros = entry(described("(10000,)"), bytes(80_000))
    packed = archive_of(zipfile.ZIP_DEFLATED, x=zeros)
    assert not read_members(packed)["x"].any()
    monkeypatch.setattr(members_module, "_ALWAYS", 1000)
    with pytest.raises(ValueError, match="more than the allowed 100 times as many"):
        read_members(packed)
    assert read_members(archive_of(x=zeros))["x"].shape == (10_000,)


def edited(path, change):
    """Another header in an archive that was written."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(np.load(io.BytesIO(members["__archive__.npy"])).tobytes())
    change(header)
    file = io.BytesIO()
    np.save(file, np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (members | {"__archive__.npy": file.getvalue()}).items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"meta": {"n": 2}}, "changed after it was written"),
        ({"meta": [1], "sha256": None}, "its metadata are not a mapping"),
        ({"version": 0}, "is damaged: 0 is not a format version"),
        ({"version": "1"}, "is damaged: '1' is not a format version"),
        ({"version": True}, "is damaged: True is not a format version"),
    ],
)
def test_edited_headers_are_refused(tmp_path, change, message):
    path = tmp_path / "a.npz"
    write_archive(path, {"x": np.arange(3)}, {"n": 1})
    edited(path, lambda header: None)
    assert read_archive(path)[1] == {"n": 1}
    edited(path, lambda header: header.update(change))
    with pytest.raises(ArchiveError, match=message):
        read_archive(path)


def test_checkpoints_that_cannot_be_gone_on_with_say_what_to_do(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c.npz", identity={"method": "m"})
    checkpoint.path.write_bytes(b"PK and no more")
    with pytest.raises(ArchiveError, match=r"truncated.*; remove it to start over"):
        load_checkpoint(checkpoint)
    write_archive(checkpoint.path, {}, {"kind": "checkpoint", "identity": {"method": "m"}})
    with pytest.raises(ArchiveError, match="a part is missing; remove it to start over"):
        load_checkpoint(checkpoint)


@pytest.mark.parametrize("masks", [(255,), pytest.param((1, 4, 64), marks=pytest.mark.slow)])
def test_a_list_of_members_that_was_damaged_loses_none_of_them(tmp_path, masks):
    path = tmp_path / "bags.npz"
    bags = Bags(np.ones((3, 1)), [0, 1, 3], bag_ids=["a", "b"], feature_names=["x"])
    bags.save(path)
    whole = path.read_bytes()
    for place in range(whole.index(b"PK\x01\x02"), len(whole)):
        for mask in masks:
            damaged = bytearray(whole)
            damaged[place] ^= mask
            path.write_bytes(damaged)
            try:
                found = Bags.load(path)
            except ValueError:
                continue
            assert found.bag_ids == ("a", "b"), (place, mask)
            assert found.feature_names == ("x",), (place, mask)


def test_arrays_of_other_archives_than_the_header_are_refused_by_every_reader(tmp_path):
    path = tmp_path / "bags.npz"
    Bags(np.ones((3, 1)), [0, 1, 3]).save(path)
    with np.load(path) as arrays:
        held = dict(arrays)
    np.savez(path, **held)
    assert Bags.load(path).instances.tolist() == [[1.0]] * 3
    np.savez(path, **held | {"instances": np.zeros((3, 1))})
    for read in (Bags.load, read_bags):
        with pytest.raises(ValueError, match="changed after it was written"):
            read(path)
