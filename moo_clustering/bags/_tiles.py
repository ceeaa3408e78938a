"""Distances of the bags of one block to those of another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels import bag_distances as kernels
from moo_clustering.bags._blocks import Block

Floats = NDArray[np.float64]

SYMMETRIC = ("min_min", "mean")
_OVER_ROWS = {
    "directed": kernels.greatest,
    "symmetric": kernels.greatest,
    "mean_min": kernels.add_roots,
    "min_min": kernels.smallest,
    "mean": kernels.add,
}


class Side(NamedTuple):
    """Centred instances of some bags, their squared norms, sizes of the bags, and blocks of them."""

    rows: Floats
    squares: Floats
    sizes: NDArray[np.int64]
    blocks: list[Block]


def tiles(
    a: Side, x: Block, b: Side, y: Block, kind: str, both: bool, table: Floats
) -> tuple[Floats, Floats | None]:
    """Distances of the bags of ``x`` to those of ``y``, and back if ``both``.

    They are sums where the kind is a mean, and squares where it is neither a mean nor a sum. ``table``
    is room for the products of a piece of each.
    """
    start = np.inf if kind == "min_min" else 0.0
    there = np.full((x.n_bags, y.n_bags), start)
    back = np.full((y.n_bags, x.n_bags), start) if both and kind not in SYMMETRIC else None
    to_bags = kernels.add_distances if kind == "mean" else kernels.least_squares
    over_rows = _OVER_ROWS[kind]
    waiting: dict[int, Floats] = {}  # smallest squares so far of the rows of each piece of y
    for part, x_bounds in x.pieces:
        X, x_squares = a.rows[part], a.squares[part]
        values = np.full((y.n_bags, len(X)), 0.0 if kind == "mean" else np.inf)
        for number, (other, y_bounds) in enumerate(y.pieces):
            Y, y_squares = b.rows[other], b.squares[other]
            products = np.matmul(Y, X.T, out=table[: len(Y) * len(X)].reshape(len(Y), len(X)))
            to_bags(products, X, Y, x_squares, y_squares, y_bounds, values)
            if back is not None:
                least = waiting.pop(number, None)
                least = np.full((x.n_bags, len(Y)), np.inf) if least is None else least
                kernels.least_squares_back(products, X, Y, x_squares, y_squares, x_bounds, least)
                if part == x.pieces[-1].rows:
                    over_rows(least, y_bounds, back)
                else:
                    waiting[number] = least
        over_rows(values, x_bounds, there)
    return there, there.T if both and kind in SYMMETRIC else back
