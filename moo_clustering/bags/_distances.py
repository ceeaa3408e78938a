"""Distances between bags."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from moo_clustering._kernels.parts import for_parts
from moo_clustering._parallel import n_threads
from moo_clustering._suggest import did_you_mean
from moo_clustering.bags._as_bags import as_bags
from moo_clustering.bags._bags import Bags
from moo_clustering.bags._blocks import bag_blocks
from moo_clustering.bags._tiles import SYMMETRIC, Side, tiles

Floats = NDArray[np.float64]
Kind = Literal["directed", "symmetric", "mean_min", "min_min", "mean"]

MAX_MEMORY = 256 * 2**20
# Rows of a block on either side: tables of 2 MB, which stay near the processor.
_ROWS = 512


def bag_distances(
    A: Any,
    B: Any = None,
    *,
    kind: Kind = "directed",
    max_memory: int = MAX_MEMORY,
    n_jobs: int | None = None,
) -> Floats:
    """Euclidean distances of all bags of ``A`` to all bags of ``B``.

    Parameters
    ----------
    A : Bags or anything :func:`as_bags` takes
    B : Bags, anything :func:`as_bags` takes, or None, default=None
        None: the bags of ``A`` among themselves.
    kind : {"directed", "symmetric", "mean_min", "min_min", "mean"}, default="directed"
        With d(a, b) the distance of two instances:

        - ``"directed"``: Hausdorff distance, the greatest over a of the smallest over b (Eq. 1).
          Not symmetric.
        - ``"symmetric"``: the greater of the two directed distances.
        - ``"mean_min"``: the mean over a of the smallest over b. Not symmetric.
        - ``"min_min"``: the smallest of all.
        - ``"mean"``: the mean of all; a bag is not at distance 0 from itself.
    max_memory : int, default=256 MiB
        Bytes for tables of distances between instances, on all threads together. Below 10 MiB the
        blocks become smaller, which can change the last digits.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_bags_A, n_bags_B), float64
        Entry (i, j) is the distance from bag i of ``A`` to bag j of ``B``. With ``B=None`` the
        diagonal is exactly 0 for all kinds but ``"mean"``.

    Raises
    ------
    ValueError
        For bags of different widths, an unknown ``kind``, ``max_memory`` below 16 bytes, or values so
        large that their squares overflow.

    Notes
    -----
    O(n_A n_B d) time for n_A and n_B instances of d features, as matrix products of centred data in
    double precision; two instances so near that this costs digits are compared by their differences,
    so equal ones are at distance 0. Memory besides the result and ``max_memory``: centred copies of
    the instances. The products run on one thread each, so that no digit depends on their number.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 1.

    Examples
    --------
    >>> from moo_clustering.bags import bag_distances
    >>> bag_distances([[[0, 0], [2, 0]], [[0, 1]], [[0, 4]]]).round(2).tolist()
    [[0.0, 2.24, 4.47], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]]
    """
    if kind not in get_args(Kind):
        allowed = ", ".join(map(repr, get_args(Kind)))
        raise ValueError(
            f"kind must be one of {allowed}, got {kind!r}{did_you_mean(str(kind), get_args(Kind))}"
        )
    if isinstance(max_memory, bool) or not isinstance(max_memory, int | float | np.number):
        raise TypeError(f"max_memory must be a number of bytes, got {max_memory!r}")
    if not max_memory >= _table_bytes(1):
        raise ValueError(f"max_memory must be at least {_table_bytes(1)} bytes, got {max_memory}")
    a, b = _sides(as_bags(A), None if B is None else as_bags(B), max_memory)
    there, back = _distances(a, b, kind, max_memory, n_jobs)
    if kind == "symmetric":
        there = np.maximum(there, (there if back is None else back).T)
    elif b is a and kind in SYMMETRIC:
        # Symmetric but for the rounding of products, which users of a symmetric matrix may stumble over.
        there = np.minimum(there, there.T)
    if b is a and kind != "mean":
        np.fill_diagonal(there, 0.0)
    return there


def _table_bytes(n_rows: int) -> int:
    """Five tables for two blocks of ``n_rows`` rows."""
    return 40 * n_rows**2


def _sides(A: Bags, B: Bags | None, max_memory: float) -> tuple[Side, Side]:
    """Centred rows and blocks; the same object twice without ``B``."""
    if B is not None and A.n_features != B.n_features:
        raise ValueError(f"A has {A.n_features} features, but B has {B.n_features}")
    limit = min(_ROWS, math.isqrt(int(min(max_memory, _table_bytes(_ROWS))) // _table_bytes(1)))
    parts = [A] if B is None else [A, B]
    with np.errstate(over="ignore", invalid="ignore"):
        # A row is subtracted before the mean is, so that a large common offset costs no digits.
        rows = [part.instances.astype(np.float64) - A.instances[0].astype(np.float64) for part in parts]
        center = sum(part.sum(axis=0) for part in rows) / sum(map(len, rows))
        for part in rows:
            part -= center
        squares = [np.einsum("ij,ij->i", part, part) for part in rows]
    if not np.isfinite(4.0 * max(part.max() for part in squares)):
        raise ValueError("instances have values so large that squared distances overflow; rescale them")
    sides = [
        Side(rows[k], squares[k], part.sizes, bag_blocks(part.offsets, limit)) for k, part in enumerate(parts)
    ]
    return sides[0], sides[-1]


def _distances(
    a: Side, b: Side, kind: str, max_memory: float, n_jobs: int | None
) -> tuple[Floats, Floats | None]:
    """Distances from a to b, and from b to a where they are wanted; directed ones for ``"symmetric"``."""
    there = np.empty((len(a.sizes), len(b.sizes)))
    back = np.empty(there.shape[::-1]) if kind == "symmetric" and b is not a else None
    reverse = there if b is a else back
    # Products of two blocks serve both directions.
    pairs = [(x, y) for k, x in enumerate(a.blocks) for y in b.blocks[k if b is a else 0 :]]
    largest = [max(block.n_rows for block in side.blocks) for side in (a, b)]
    workers = min(n_threads(n_jobs), max(1, int(max_memory) // _table_bytes(max(largest))))

    def kernel(low: int, high: int) -> None:
        table = np.empty(largest[0] * largest[1])
        for x, y in pairs[low:high]:
            forward, backward = tiles(a, x, b, y, kind, reverse is not None and x is not y, table)
            there[x.bags, y.bags] = forward
            if reverse is not None and backward is not None:
                reverse[y.bags, x.bags] = backward

    with threadpool_limits(limits=1, user_api="blas"):
        for_parts(kernel, len(pairs), len(a.rows) * len(b.rows) * (a.rows.shape[1] + 1.0), workers)
    _finish(there, a.sizes, b.sizes, kind)
    if back is not None:
        _finish(back, b.sizes, a.sizes, kind)
    return there, back


def _finish(out: Floats, sizes: NDArray[np.int64], others: NDArray[np.int64], kind: str) -> None:
    """From sums to means, from squares to distances."""
    if kind == "mean_min":
        out /= sizes[:, None]
    elif kind == "mean":
        out /= sizes[:, None] * others
    else:
        np.sqrt(out, out=out)
