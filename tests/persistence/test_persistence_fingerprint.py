"""Fingerprints tell data apart, and nothing else."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp
from scipy import sparse

from moo_clustering.persistence import fingerprint

A = np.arange(24, dtype=np.float64).reshape(4, 6)


def test_is_hex_sha256():
    assert len(fingerprint(A)) == 64
    int(fingerprint(A), 16)


@settings(max_examples=40, deadline=None)
@given(hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)))
def test_layout_and_byte_order_do_not_matter(array):
    expected = fingerprint(array)
    assert fingerprint(np.array(array, order="F")) == expected
    assert fingerprint(array.astype(array.dtype.newbyteorder(">"))) == expected
    if array.ndim:
        assert fingerprint(np.repeat(array, 2, axis=0)[::2]) == expected
        assert fingerprint(array[::-1][::-1]) == expected


def test_chunks_of_a_copied_array_join_up(monkeypatch):
    monkeypatch.setattr("moo_clustering.persistence._CHUNK", 16)
    assert fingerprint(np.asfortranarray(np.arange(1000.0).reshape(10, 100))) == fingerprint(
        np.arange(1000.0).reshape(10, 100)
    )


def test_different_data_differ():
    changed = A.copy()
    changed[3, 5] += 1e-12
    variants = [
        (A,),
        (changed,),
        (A.reshape(6, 4),),
        (A.T,),
        (A.astype(np.float32),),
        (A.astype(np.int64),),
        (A, None),
        (None, A),
        (A, A),
        (),
        (None,),
        (sparse.csr_matrix(A),),
        (np.empty((0, 6)),),
        (np.empty((6, 0)),),
        (np.array(["a", "b"]),),
        (np.array([0.0]),),
        (np.array([-0.0]),),
    ]
    assert len({fingerprint(*v) for v in variants}) == len(variants)


def test_boundaries_between_arrays_count():
    assert fingerprint(A[:2], A[2:]) != fingerprint(A[:1], A[1:])


def test_sparse_formats_and_order_of_entries_do_not_matter():
    csr = sparse.csr_matrix(A)
    shuffled = sparse.csr_matrix(([2.0, 1.0], [1, 0], [0, 2]), shape=(1, 2))
    ordered = sparse.csr_matrix(([1.0, 2.0], [0, 1], [0, 2]), shape=(1, 2))
    assert fingerprint(csr) == fingerprint(sparse.csc_matrix(A)) == fingerprint(sparse.coo_array(A))
    assert fingerprint(shuffled) == fingerprint(ordered)
    np.testing.assert_array_equal(shuffled.indices, [1, 0])  # the argument is not sorted in place
    assert fingerprint(csr) != fingerprint(sparse.csr_matrix((4, 6)))


def test_objects_have_none():
    with pytest.raises(TypeError, match="array 1 contains Python objects"):
        fingerprint(A, np.array([None]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_arrays_are_not_copied(order):
    array = np.zeros((200_000, 50), order=order)  # 80 MB
    tracemalloc.start()
    fingerprint(array)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < (1e5 if order == "C" else 3e7)


def test_masked_values_are_refused():
    with pytest.raises(TypeError, match="array 1 is a masked array"):
        fingerprint(np.zeros(2), np.ma.array([1.0, 2.0], mask=[True, False]))
