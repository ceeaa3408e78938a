"""What all readers promise: the file alone decides and stays as it is; copies and pickles hold the same."""

import copy
import os

import pytest

from contract.copies import pickled
from contract.randomness import poisoned, seeded
from contract.readers import OTHERS, READERS, SOURCES, plain
from contract.rooms import listed_names
from contract.same import assert_same
from moo_clustering import constraints, datasets, persistence

every_reader = pytest.mark.parametrize("case", READERS.values(), ids=READERS.keys())
every_source = pytest.mark.parametrize("case", SOURCES.values(), ids=SOURCES.keys())


@pytest.fixture
def path(case, tmp_path):
    case.write(tmp_path / case.name)
    return tmp_path / case.name


def test_every_public_name_is_listed():
    names = {*datasets.__all__, *persistence.__all__}
    names |= {name for name in constraints.__all__ if name.startswith("read_")}
    assert listed_names(READERS) | listed_names(SOURCES) | OTHERS.keys() == names


@every_reader
def test_the_file_alone_decides(case, path):
    expected = plain(case.read(path))
    with seeded(1), poisoned():
        assert_same(plain(case.read(path)), expected)


@every_reader
def test_paths_may_be_text_and_relative(case, path, monkeypatch):
    expected = plain(case.read(path))
    assert_same(plain(case.read(str(path))), expected)
    monkeypatch.chdir(path.parent)
    assert_same(plain(case.read(case.name)), expected)


@every_reader
def test_files_stay_as_they_are(case, path):
    before = path.read_bytes()
    path.chmod(0o444)
    case.read(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [case.name]


@every_reader
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
def test_copies_hold_the_same(case, path, copied):
    found = case.read(path)
    assert_same(plain(copied(found)), plain(found))


@every_reader
def test_a_file_that_is_not_there_is_named(case, tmp_path):
    missing = tmp_path / "nowhere" / case.name
    if case.of == "load_checkpoint":
        assert case.read(missing) is None
        return
    with pytest.raises((OSError, case.error), match="nowhere"):
        case.read(missing)


@every_source
def test_a_seed_is_all_that_decides(case):
    expected = plain(case.call(0))
    with seeded(1), poisoned():
        assert_same(plain(case.call(0)), expected)
    if case.draws:
        with pytest.raises(AssertionError):
            assert_same(plain(case.call(1)), expected)


@every_source
def test_what_is_handed_out_is_nobody_elses(case):
    expected, first = plain(case.call(0)), case.call(0)
    for name in ("X", "y"):
        if hasattr(first, name):
            getattr(first, name)[...] = 0
    assert_same(plain(case.call(0)), expected)
    assert_same(plain(pickled(case.call(0))), expected)
