"""Instances laid out for the loops: chunks of a few slots, all bags in one rectangle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_MOST_SLOTS = 16
# What a chunk costs besides its slots, in slots: its coefficients and its maximum.
_CHUNK_COST = 3


class ChunkLayout(NamedTuple):
    """Which instance stands where.

    Attributes
    ----------
    instances : ndarray of shape (n_slots, n_chunks)
        Row of an instance for every place; the last instance of a bag is repeated to fill its chunk.
    chunk_bag : ndarray of shape (n_chunks,), int32
    chunk_start : ndarray of shape (n_bags + 1,)
    """

    instances: Ints
    chunk_bag: NDArray[np.int32]
    chunk_start: Ints


def chunk_layout(sizes: Ints, starts: Ints) -> ChunkLayout:
    """Chunks for bags of the given sizes, of as many slots as leave the least work.

    Parameters
    ----------
    sizes : ndarray of shape (n_bags,)
        All at least 1.
    starts : ndarray of shape (n_bags,)
        First row of every bag, whose rows are adjacent.
    """
    n_slots = min(range(1, _MOST_SLOTS + 1), key=lambda slots: _work(sizes, slots))
    n_chunks = -(-sizes // n_slots)
    chunk_start = np.concatenate([[0], np.cumsum(n_chunks)])
    chunk_bag = np.repeat(np.arange(len(sizes)), n_chunks)
    first = (np.arange(len(chunk_bag)) - chunk_start[chunk_bag]) * n_slots
    place = np.minimum(first + np.arange(n_slots)[:, None], sizes[chunk_bag] - 1)
    return ChunkLayout(starts[chunk_bag] + place, chunk_bag.astype(np.int32), chunk_start)


def _work(sizes: Ints, n_slots: int) -> int:
    return int((-(-sizes // n_slots)).sum()) * (n_slots + _CHUNK_COST)
