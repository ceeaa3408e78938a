"""Rows of bags in blocks of bounded size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Piece(NamedTuple):
    """Adjacent rows, and where in them the bags of the block begin and end."""

    rows: slice
    bounds: NDArray[np.int64]


class Block(NamedTuple):
    """Adjacent bags in one piece, or one bag in several."""

    bags: slice
    pieces: list[Piece]

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return int(self.bags.stop - self.bags.start)

    @property
    def n_rows(self) -> int:
        """Rows of the largest piece."""
        return max(int(piece.rows.stop - piece.rows.start) for piece in self.pieces)


def bag_blocks(offsets: NDArray[np.int64], limit: int) -> list[Block]:
    """As few blocks as possible, in order, of pieces of at most ``limit`` rows."""
    blocks = []
    first, n_bags = 0, len(offsets) - 1
    while first < n_bags:
        start = int(offsets[first])
        last = max(int(np.searchsorted(offsets, start + limit, side="right")) - 1, first + 1)
        stop = int(offsets[last])
        if stop - start <= limit:
            pieces = [Piece(slice(start, stop), offsets[first : last + 1] - start)]
        else:
            ends = [*range(start + limit, stop, limit), stop]
            pieces = [
                Piece(slice(low, high), np.array([0, high - low], dtype=np.int64))
                for low, high in zip([start, *ends[:-1]], ends, strict=True)
            ]
        blocks.append(Block(slice(first, last), pieces))
        first = last
    return blocks
