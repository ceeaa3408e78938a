"""Calls taken apart for a cluster and put together again, without one."""

from typing import NamedTuple

import numpy as np
import pytest
from joblib import effective_n_jobs, parallel_config
from scipy import sparse

from moo_clustering._parallel import Content, Parcels, Shelf, n_threads


class Future:
    """What a cluster holds."""

    status = "finished"

    def __init__(self, value):
        self.value = value

    def result(self):
        """Comes back."""
        return self.value


class Client:
    """Copies what it is given, as sending does."""

    def __init__(self):
        self.sent = []

    def submit(self, function, content, *, key, pure):
        """Keep the outcome."""
        rebuild, (buffer,) = content.__reduce_ex__(5)
        # At an odd address, as messages have it.
        message = bytearray(1) + bytes(buffer)
        self.sent.append(Future(function(rebuild(memoryview(message)[1:]))))
        return self.sent[-1]


@pytest.fixture
def client():
    return Client()


def done(call):
    function, args, kwargs = call
    return function(*args, **kwargs)


def given(*args, **kwargs):
    return args, kwargs, effective_n_jobs(None)


class Pair(NamedTuple):
    left: np.ndarray
    right: dict[str, sparse.csr_array]


def test_what_comes_out_is_what_went_in(client):
    rng = np.random.default_rng(0)
    table, tall = rng.random((200, 30)), np.asfortranarray(rng.random((300, 20)))
    fixed = rng.random(5000)
    fixed.setflags(write=False)
    rows = sparse.random_array((300, 300), density=0.3, rng=rng, format="csr")
    small, strided, names = (
        np.arange(10),
        rng.random((400, 40))[::2, ::2],
        np.array(["a", None], dtype=object),
    )
    call = (given, (Pair(table, {"rows": rows}), tall), {"rest": [fixed, small, strided, names], "n": 3})
    (pair, tall_again), kwargs, n_jobs = done(Parcels(Shelf(client)).pack(call))
    assert n_jobs == 1
    assert kwargs.pop("n") == 3
    found = [pair.left, tall_again, pair.right["rows"].toarray(), *kwargs["rest"]]
    for new, old in zip(found, [table, tall, rows.toarray(), fixed, small, strided, names], strict=True):
        np.testing.assert_array_equal(new, old)
        assert new.dtype == old.dtype
        assert new.flags.aligned
    assert tall_again.flags.f_contiguous
    assert [part.flags.writeable for part in (pair.left, kwargs["rest"][0])] == [True, False]
    # table, tall, fixed, values and columns of rows; the rest is small or not in one piece.
    assert len(client.sent) == 5


def test_equal_arrays_are_sent_once_and_changed_ones_again(client):
    shelf, table = Shelf(client), np.random.default_rng(0).random((100, 100))
    copy = table.copy()
    parcels = Parcels(shelf)
    for array in (table, copy, table):
        parcels.pack((given, (array,), {}))
    assert len(client.sent) == 1
    table[3, 4] += 1
    again = Parcels(shelf).pack((given, (table,), {}))
    assert len(client.sent) == 2
    np.testing.assert_array_equal(done(again)[0][0], table)


@pytest.mark.parametrize("status", ["cancelled", "error", "lost"])
def test_what_the_cluster_lost_is_sent_again(client, status):
    shelf, table = Shelf(client), np.zeros((100, 100))
    Parcels(shelf).pack((given, (table,), {}))
    client.sent[0].status = status
    done(Parcels(shelf).pack((given, (table,), {})))
    assert len(client.sent) == 2
    Parcels(shelf).pack((given, (table,), {}))
    assert len(client.sent) == 2


def test_another_array_at_the_same_place_is_another(client):
    parcels = Parcels(Shelf(client))
    for i in range(20):
        # Freed and taken again, mostly at the same address.
        array = np.full(4000, float(i))
        (found,), _, _ = done(parcels.pack((given, (array,), {})))
        assert found[0] == i
        del array


def test_weight_of_a_content():
    assert Content(np.zeros(1000, dtype=np.uint8)).__sizeof__() == 1000


def test_threads_where_the_backend_is_of_this_machine():
    assert n_threads(None) == n_threads(1) == 1
    assert n_threads(3) == 3
    with parallel_config(backend="threading", n_jobs=2):
        assert n_threads(None) == 2
        assert n_threads(1) == 1
