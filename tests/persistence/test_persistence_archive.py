"""Archives: round trip, atomicity, refusal of everything that is not one."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.lib import format as npy
from scipy import sparse

from moo_clustering.persistence import ArchiveError, read_archive, to_json, write_archive

NAMES = st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9_./-]{0,8}\Z").filter(lambda s: not s.endswith(".npy"))
ARRAYS = hnp.arrays(
    dtype=st.one_of(
        hnp.integer_dtypes(),
        hnp.floating_dtypes(),
        hnp.boolean_dtypes(),
        hnp.unicode_string_dtypes(max_len=3),
    ),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
META = st.dictionaries(
    st.text(max_size=4),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=3), children),
        max_leaves=6,
    ),
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(arrays=st.dictionaries(NAMES, ARRAYS, max_size=4), meta=META)
def test_round_trip(tmp_path_factory, arrays, meta):
    path = tmp_path_factory.mktemp("archive") / "a.npz"
    write_archive(path, arrays, meta)
    found, found_meta = read_archive(path)
    assert list(found) == list(arrays)
    assert found_meta == meta
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


def test_names_that_end_alike_stay_apart(tmp_path):
    arrays = {"a": np.arange(3), "a.b": np.arange(4), "a/b": np.arange(5), "a-": np.arange(6)}
    write_archive(tmp_path / "x", arrays, {})
    found, _ = read_archive(tmp_path / "x")
    assert {name: len(value) for name, value in found.items()} == {"a": 3, "a.b": 4, "a/b": 5, "a-": 6}


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
def test_csr_round_trip(tmp_path, make):
    matrix = make(np.array([[0.0, 2.5, 0.0], [0.0, 0.0, 0.0]], dtype=np.float32))
    write_archive(tmp_path / "s.npz", {"graph": matrix}, {})
    found = read_archive(tmp_path / "s.npz")[0]["graph"]
    assert type(found) is type(matrix)
    assert found.dtype == np.float32
    assert found.shape == (2, 3)
    np.testing.assert_array_equal(found.toarray(), matrix.toarray())


def test_fortran_order_and_views_keep_their_values(tmp_path):
    array = np.arange(24).reshape(4, 6)
    write_archive(tmp_path / "v", {"f": np.asfortranarray(array), "view": array[::2, ::-3]}, {})
    found, _ = read_archive(tmp_path / "v")
    np.testing.assert_array_equal(found["f"], array)
    np.testing.assert_array_equal(found["view"], array[::2, ::-3])


def test_plain_numpy_reads_the_arrays(tmp_path):
    write_archive(tmp_path / "p.npz", {"labels": np.array([0, 1])}, {})
    with np.load(tmp_path / "p.npz", allow_pickle=False) as members:
        np.testing.assert_array_equal(members["labels"], [0, 1])


@pytest.mark.parametrize("name", ["", "a.npy", "../x", "a b", "é", "__archive__", "a::data", 3])
def test_bad_names_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="name"):
        write_archive(tmp_path / "n", {name: np.zeros(1)}, {})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array([{}, None], dtype=object), "Python objects"),
        (np.array([(1, None)], dtype=[("a", int), ("b", object)]), "Python objects"),
        (sparse.coo_matrix((2, 2)), "CSR"),
        (np.ma.masked_array([1, 2], mask=[0, 1]), "mask"),
    ],
)
def test_values_that_are_never_stored(tmp_path, value, message):
    with pytest.raises(TypeError, match=message):
        write_archive(tmp_path / "o", {"x": value}, {})
    assert not list(tmp_path.iterdir())


def test_meta_that_json_cannot_hold_is_named(tmp_path):
    with pytest.raises(TypeError, match=r"meta\['a'\]\[1\] is a object"):
        write_archive(tmp_path / "m", {}, {"a": [1, object()]})
    with pytest.raises(TypeError, match="string keys"):
        write_archive(tmp_path / "m", {}, {"a": {1: 2}})


def test_to_json():
    value = {
        "i": np.int64(3),
        "t": (1, (2.5, None)),
        "a": np.array([[1, 2]]),
        "s": {3, 1, 2},
        "p": Path("a") / "b",
        "u": np.str_("x"),
        "b": np.bool_(True),
    }
    expected = {
        "i": 3,
        "t": [1, [2.5, None]],
        "a": [[1, 2]],
        "s": [1, 2, 3],
        "p": str(Path("a") / "b"),
        "u": "x",
        "b": True,
    }
    assert to_json(value) == expected
    assert json.loads(json.dumps(to_json(value))) == expected


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_failure_in_mid_write_leaves_the_old_file(tmp_path, monkeypatch, failure):
    path = tmp_path / "a.npz"
    write_archive(path, {"x": np.arange(5)}, {"run": 1})
    before = path.read_bytes()
    written = []

    def write_half(file, array, **kwargs):
        if written:
            file.write(b"half of it")
            raise failure
        written.append(1)
        return original(file, array, **kwargs)

    original = npy.write_array
    monkeypatch.setattr(npy, "write_array", write_half)
    with pytest.raises(type(failure)):
        write_archive(path, {"x": np.arange(9), "y": np.arange(9)}, {"run": 2})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_failure_of_the_rename_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    write_archive(path, {"x": np.arange(5)}, {"run": 1})

    def refuse(*_):
        raise PermissionError("no")

    monkeypatch.setattr("moo_clustering.persistence.os.replace", refuse)
    with pytest.raises(PermissionError):
        write_archive(path, {}, {"run": 2})
    monkeypatch.undo()
    assert read_archive(path)[1] == {"run": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_temporary_file_is_in_the_same_folder_and_synced(tmp_path, monkeypatch):
    synced, renamed = [], []

    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(fd), fsync(fd)))
    monkeypatch.setattr(os, "replace", lambda a, b: (renamed.append((a, b, len(synced))), replace(a, b)))
    write_archive(tmp_path / "a", {}, {})
    [(source, target, synced_before)] = renamed
    assert Path(source).parent == tmp_path
    assert Path(target) == tmp_path / "a"
    assert synced_before == 1


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_archive(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        write_archive(tmp_path / "none" / "a", {}, {})


def test_every_truncation_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    write_archive(path, {"x": np.arange(20)}, {"a": 1})
    content = path.read_bytes()
    for length in [*range(0, len(content), 37), len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(ArchiveError, match=r"a\.npz"):
            read_archive(path)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_flipped_byte_is_refused_or_harmless(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("flip") / "a.npz"
    arrays = {"x": np.arange(6), "s": sparse.csr_matrix(np.eye(3))}
    write_archive(path, arrays, {"a": 1})
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        found, meta = read_archive(path)
    except ArchiveError:
        return
    assert meta == {"a": 1}
    np.testing.assert_array_equal(found["x"], arrays["x"])
    np.testing.assert_array_equal(found["s"].toarray(), np.eye(3))


def _npz(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def _npy(array: np.ndarray, **kwargs: bool) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **kwargs)
    return file.getvalue()


def _header(**changes: object) -> bytes:
    header = {"format": "moo_clustering archive", "version": 1, "arrays": [], "sparse": {}, "meta": {}}
    return _npy(np.frombuffer(json.dumps(header | changes).encode(), dtype=np.uint8))


def test_foreign_files_are_refused_with_their_name(tmp_path):
    path = tmp_path / "foreign"
    for content in (b"", b"hello", pickle.dumps({"a": 1}), _npy(np.arange(3))):
        path.write_bytes(content)
        with pytest.raises(ArchiveError, match="foreign is not a moo_clustering archive"):
            read_archive(path)
    np.savez(tmp_path / "plain.npz", x=np.arange(3))
    with pytest.raises(ArchiveError, match=r"plain.npz is not a moo_clustering archive: it has no"):
        read_archive(tmp_path / "plain.npz")
    for entry in (_npy(np.arange(3)), _npy(np.frombuffer(b"[1]", dtype=np.uint8)), b"nonsense"):
        _npz(path, {"__archive__.npy": entry})
        with pytest.raises(ArchiveError, match="foreign is"):
            read_archive(path)
    _npz(path, {"__archive__.npy": _header(format="something else")})
    with pytest.raises(ArchiveError, match="something else"):
        read_archive(path)


def test_future_format_is_refused(tmp_path):
    _npz(tmp_path / "f", {"__archive__.npy": _header(version=2)})
    with pytest.raises(ArchiveError, match=r"format version 2, .* supports at most 1; use a newer version"):
        read_archive(tmp_path / "f")


class Bomb:
    def __reduce__(self):
        return (print, ("executed",))


def test_object_arrays_are_refused_and_nothing_is_executed(tmp_path, capsys):
    entry = _npy(np.array([Bomb()], dtype=object), allow_pickle=True)
    _npz(tmp_path / "b", {"__archive__.npy": _header(arrays=["x"]), "x.npy": entry})
    with pytest.raises(ArchiveError, match="Python objects"):
        read_archive(tmp_path / "b")
    assert "executed" not in capsys.readouterr().out


def test_missing_member_and_impossible_sparse_matrix(tmp_path):
    _npz(tmp_path / "a", {"__archive__.npy": _header(arrays=["x"])})
    with pytest.raises(ArchiveError, match="damaged"):
        read_archive(tmp_path / "a")
    members = {
        "__archive__.npy": _header(arrays=["x"], sparse={"x": {"class": "csr_matrix", "shape": [1, 2]}}),
        "x::data.npy": _npy(np.ones(1)),
        "x::indices.npy": _npy(np.array([7])),
        "x::indptr.npy": _npy(np.array([0, 1])),
    }
    _npz(tmp_path / "a", members)
    with pytest.raises(ArchiveError, match="damaged"):
        read_archive(tmp_path / "a")
