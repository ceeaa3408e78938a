"""What is remembered of individuals, and for how long."""

import pickle

import numpy as np

from moo_clustering.problems import subspace
from moo_clustering.problems.subspace import Grown, SeedMemo


def grown(value):
    """All arrays filled with a value: 8 + 4 + 8 + 4 = 24 bytes."""
    of = [np.full(1, value, dtype=dtype) for dtype in (np.float64, np.float32, np.int64, np.float32)]
    return Grown(of[0], of[1][None], of[2], of[3])


def known(memo, keys):
    return [key for key in keys.split() if memo.objectives(key.encode()) is not None]


def kept(memo, keys):
    return [key for key in keys.split() if memo.grown(key.encode()) is not None]


def fill(memo, keys):
    for key in keys.split():
        memo.add(key.encode(), grown(ord(key)))
    return memo


def test_the_least_recently_used_goes_first():
    memo = fill(SeedMemo(3 * 24), "a b c")
    assert memo.grown(b"a").objectives[0] == ord("a")
    assert kept(fill(memo, "d"), "a c d") == ["a", "c", "d"]
    assert kept(memo, "b") == []
    assert known(memo, "a b c d e") == ["a", "b", "c", "d"]


def test_the_last_is_kept_whatever_it_needs():
    assert kept(fill(SeedMemo(0), "a b"), "a b") == ["b"]


def test_the_same_again_takes_no_more_room():
    assert kept(fill(SeedMemo(2 * 24), "a a a b"), "a b") == ["a", "b"]


def test_objectives_are_forgotten_by_halves(monkeypatch):
    monkeypatch.setattr(subspace, "CAPACITY", 2)
    memo = fill(SeedMemo(24), "a b c d")
    assert known(memo, "a b c d") == ["a", "b", "c", "d"]
    assert known(fill(memo, "e"), "a b c d e") == ["c", "d", "e"]
    assert memo.objectives(b"c")[0] == ord("c")


def test_pickles_have_forgotten_everything():
    memo = pickle.loads(pickle.dumps(fill(SeedMemo(50), "a")))
    assert memo.max_bytes == 50
    assert known(memo, "a") == kept(memo, "a") == []
