"""Damaged, swapped and edited files: refused as documented, or read as they were written, never otherwise."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from damaged_files import CELLS, IDENTITY, KINDS, PARAMETERS, checkpoint_bytes, data, model
from damaged_outcomes import WRONG, outcome, trials
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.estimators import NSGA2Clus
from moo_clustering.persistence import (
    ArchiveError,
    Checkpoint,
    CheckpointMismatchError,
    load_checkpoint,
    read_archive,
    save_checkpoint,
    write_archive,
)
from papers.runner import CellStore, StoreError

FLIPS, CUTS = 150, 60


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_cut_and_flipped(tmp_path, kind):
    counts, wrong = trials(kind, tmp_path, flips=FLIPS, n_cuts=CUTS, seed=0)
    assert wrong == []
    assert counts["truncated"].total() >= CUTS
    assert counts["flipped"].total() == FLIPS
    assert counts["flipped"]["refused"] > FLIPS // 2


@settings(max_examples=60, deadline=None)
@given(share=st.floats(0, 1, exclude_max=True), tail=st.binary(max_size=40))
def test_cut_anywhere_and_gone_on_with_other_bytes(tmp_path_factory, share, tail):
    kind = KINDS[0]
    path = tmp_path_factory.mktemp("cut") / kind.file
    content = checkpoint_bytes()
    path.write_bytes(content)
    wanted = kind.load(path)
    cut = content[: int(share * len(content))] + tail
    found, why = outcome(kind, path, cut, wanted)
    assert found != WRONG, why


def test_the_search_is_told_to_start_over(tmp_path):
    path = tmp_path / "c.npz"
    path.write_bytes(checkpoint_bytes()[:-1])
    with pytest.raises(ArchiveError, match=r"c\.npz.*truncated.*remove it to start over"):
        model(checkpoint=path, resume=True).fit(data())
    path.unlink()
    assert (model(checkpoint=path, resume=True).fit(data()).labels_ == model().fit(data()).labels_).all()


def _swapped(path, what):
    X = data()
    if what == "method":
        # A front of one's own, so that the searches are as alike as can be.
        NSGA2Clus(pop_size=6, n_gen=2, random_state=0, search="evolve", checkpoint=path).fit(X)
    elif what == "parameters":
        model(checkpoint=path, pm=0.25).fit(X)
    elif what == "data":
        model(checkpoint=path).fit(X + 1e-9)
    elif what == "result":
        write_archive(path, {"labels": np.zeros(3, dtype=np.int32)}, {"format": "moo_clustering run"})
    elif what == "table":
        path.write_text("a,b\n1,2\n")
    elif what == "numpy":
        with open(path, "wb") as file:
            np.savez(file, labels=np.zeros(3))


@pytest.mark.parametrize(
    ("what", "error", "message"),
    [
        ("method", CheckpointMismatchError, "method is 'NSGA2Clus' in the checkpoint but 'PESC' here"),
        ("parameters", CheckpointMismatchError, r"parameter pm is 0\.25 in the checkpoint but 0\.1 here"),
        ("data", CheckpointMismatchError, "the data differ"),
        ("result", ArchiveError, "not a checkpoint; choose another file"),
        ("table", ArchiveError, "not a complete zip file; remove it"),
        ("numpy", ArchiveError, "is not a moo_clustering archive"),
    ],
)
def test_swapped(tmp_path, what, error, message):
    path = tmp_path / "c.npz"
    _swapped(path, what)
    before = path.read_bytes()
    with pytest.raises(error, match=message) as caught:
        model(checkpoint=path, resume=True).fit(data())
    assert "c.npz" in str(caught.value)
    assert path.read_bytes() == before, "what could not be used was overwritten"


def _edited(content, change):
    """The archive with other members: ``change`` gets them by name, as bytes, and may alter them."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, value)
    return file.getvalue()


def _npy(array, *, allow_pickle=False):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def _array(members, name):
    return np.load(io.BytesIO(members[f"{name}.npy"]), allow_pickle=False)


def _header(change, *, checksum):
    def edit(members):
        header = json.loads(_array(members, "__archive__").tobytes())
        change(header)
        if not checksum:
            header.pop("sha256", None)
        members["__archive__.npy"] = _npy(np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))

    return edit


# Of the edits that a checksum would tell, whether or not the file has one.
def _state(change):
    return lambda header: change(header["meta"]["state"]["search"])


HEADERS = {
    "version 99": lambda header: header.update(version=99),
    "version 0": lambda header: header.update(version=0),
    "version as text": lambda header: header.update(version="1"),
    "version true": lambda header: header.update(version=True),
    "no version": lambda header: header.pop("version"),
    "format": lambda header: header.update(format="another"),
    "arrays no list": lambda header: header.update(arrays=3),
    "an array too many": lambda header: header["arrays"].append("x"),
    "sparse": lambda header: header["sparse"].update(
        {header["arrays"][0]: {"class": "csr_matrix", "shape": [1, 1]}}
    ),
    "meta a list": lambda header: header.update(meta=[1]),
    "no meta": lambda header: header.pop("meta"),
    "no identity": lambda header: header["meta"].pop("identity"),
    "identity a list": lambda header: header["meta"].update(identity=[]),
    "no state": lambda header: header["meta"].pop("state"),
    "state a text": lambda header: header["meta"].update(state="x"),
    "no search": lambda header: header["meta"]["state"].pop("search"),
    "no generation": _state(lambda state: state.pop("generation")),
    "algorithm": _state(lambda state: state.update(algorithm="SPEA2")),
    "generator": _state(lambda state: state["rng"].update(bit_generator="MT19937")),
    "generator without state": _state(lambda state: state["rng"].pop("state")),
    "an entry gone": _state(lambda state: state["entries"].append({"path": [["attribute", "pop"]]})),
    "path": _state(lambda state: state["entries"][0].update(path=[["item", "x"], ["item", "y"]])),
    "rows": _state(lambda state: state["individuals"].update(n_rows=1)),
}


@pytest.mark.parametrize("what", HEADERS)
@pytest.mark.parametrize("checksum", [True, False])
def test_edited_metadata(tmp_path, what, checksum):
    path = tmp_path / "c.npz"
    path.write_bytes(_edited(checkpoint_bytes(), _header(HEADERS[what], checksum=checksum)))
    with pytest.raises(ArchiveError, match=r"c\.npz") as caught:
        model(checkpoint=path, resume=True).fit(data())
    assert "\n" not in str(caught.value)


def test_edited_number_of_generations_is_told_by_the_checksum(tmp_path):
    path = tmp_path / "c.npz"
    change = _state(lambda state: state.update(generation=1))
    path.write_bytes(_edited(checkpoint_bytes(), _header(change, checksum=True)))
    with pytest.raises(ArchiveError, match="changed after it was written"):
        model(checkpoint=path, resume=True).fit(data())


def _changed(name, change):
    def edit(members):
        members[f"{name}.npy"] = _npy(change(_array(members, name)))

    return edit


ARRAYS = {
    "values": lambda array: array + 1,
    "a row less": lambda array: array[:-1],
    "a dimension more": lambda array: array[np.newaxis],
    "flat": lambda array: array.reshape(-1)[: max(1, array.size // 2)],
    "empty": lambda array: array[:0],
    "type": lambda array: array.astype(np.float32),
    "text": lambda array: array.astype(str),
    "complex": lambda array: array.astype(complex),
}


@pytest.mark.parametrize("what", ARRAYS)
def test_edited_arrays(tmp_path, what):
    path = tmp_path / "c.npz"
    with zipfile.ZipFile(io.BytesIO(checkpoint_bytes())) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist() if "__archive__" not in name]
    assert len(names) > 5
    for name in names:
        try:
            path.write_bytes(_edited(checkpoint_bytes(), _changed(name, ARRAYS[what])))
        except (TypeError, ValueError):  # numpy has no such change of this array
            continue
        if path.read_bytes() == _edited(checkpoint_bytes(), lambda members: None):
            continue
        with pytest.raises(ArchiveError, match=r"c\.npz"):
            read_archive(path)


class Bomb:
    """Would leave a file if it were unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.file.endswith(".npz")], ids=lambda kind: kind.name
)
def test_nothing_is_unpickled(tmp_path, kind):
    path, mark = tmp_path / kind.file, tmp_path / "executed"
    kind.save(path)
    entry = _npy(np.array([Bomb(mark)], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    content = path.read_bytes()
    for name in names:
        path.write_bytes(_edited(content, lambda members, name=name: members.update({name: entry})))
        with pytest.raises(kind.documented, match=path.name):
            kind.load(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    "name", ["../escaped.npy", "/tmp/escaped.npy", "a/../../escaped.npy", "..\\escaped.npy"]
)
def test_members_with_paths_are_written_nowhere(tmp_path, name):
    inside = tmp_path / "deep" / "er"
    inside.mkdir(parents=True)
    path = inside / "c.npz"
    path.write_bytes(_edited(checkpoint_bytes(), lambda members: members.update({name: _npy(np.arange(3))})))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ArchiveError, match="changed after it was written"):
        read_archive(path)
    assert sorted(tmp_path.rglob("*")) == before


def test_older_archives_have_no_checksum(tmp_path):
    path = tmp_path / "c.npz"
    path.write_bytes(_edited(checkpoint_bytes(), _header(lambda header: None, checksum=False)))
    whole, resumed = model(n_gen=4).fit(data()), model(n_gen=4, checkpoint=path, resume=True).fit(data())
    np.testing.assert_array_equal(resumed.pareto_front_, whole.pareto_front_)


def test_older_cells_have_no_checksum(tmp_path):
    path = tmp_path / "results.jsonl"
    lines = [{"format": "moo_clustering cells", "parameters": PARAMETERS}, {"key": CELLS[0], "value": 3}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with CellStore(path, PARAMETERS) as store:
        assert store.values(CELLS[:1]) == [3]


def test_edited_cell_is_named(tmp_path):
    path = tmp_path / "results.jsonl"
    with CellStore(path, PARAMETERS) as store:
        for key in CELLS[:3]:
            store.add(key, {"score": 0.25})
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[2].replace("0.25", "0.75"), *lines[3:]]))
    with pytest.raises(StoreError, match=r"results\.jsonl, line 3 .*; remove the line"):
        CellStore(path, PARAMETERS)
    path.write_text("".join([*lines[:2], *lines[3:]]))
    with CellStore(path, PARAMETERS) as store:
        assert [key in store for key in CELLS[:3]] == [True, False, True]


def test_a_checkpoint_of_nothing_is_one(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c.npz", identity=IDENTITY)
    save_checkpoint(checkpoint, {}, {})
    assert load_checkpoint(checkpoint) == ({}, {})
