"""Hausdorff, average and mean distances of bags from one pass over the products of their instances."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from moo_clustering._kernels import bag_distances as kernels
from moo_clustering._kernels.parts import for_parts
from moo_clustering._parallel import n_threads
from moo_clustering.bags._as_bags import as_bags
from moo_clustering.bags._blocks import Block
from moo_clustering.bags._distances import MAX_MEMORY, _sides, _table_bytes
from moo_clustering.bags._tiles import Side, tiles

Floats = NDArray[np.float64]


class JointDistances(NamedTuple):
    """Distances of bags that need the same distances of instances.

    Attributes
    ----------
    symmetric : ndarray of shape (n_bags_A, n_bags_B)
        Greater of the two directed Hausdorff distances.
    average : ndarray of shape (n_bags_A, n_bags_B)
        Mean of the two mean distances to the nearest instance.
    mean : ndarray of shape (n_bags_A, n_bags_B)
        Mean over all pairs of instances.
    own_A : ndarray of shape (n_bags_A,)
    own_B : ndarray of shape (n_bags_B,)
        Mean over all pairs of instances of the bag, those of an instance with itself too.

    What was not asked for has no entries.
    """

    symmetric: Floats
    average: Floats
    mean: Floats
    own_A: Floats
    own_B: Floats


class _Sums(NamedTuple):
    """Squares of directed distances, sums of nearest distances, and of all, of bags to bags."""

    farthest: Floats
    nearest: Floats
    total: Floats

    @classmethod
    def zeros(cls, n: int, m: int) -> _Sums:
        return cls(np.zeros((n, m)), np.zeros((n, m)), np.zeros((n, m)))


def joint_distances(
    A: Any, B: Any = None, *, nearest: bool = True, mean: bool = True, n_jobs: int | None = None
) -> JointDistances:
    """Distances of all bags of ``A`` to all bags of ``B``, or among themselves, in one pass.

    Parameters
    ----------
    A, B : Bags or anything :func:`as_bags` takes
        ``B=None``: the bags of ``A`` among themselves.
    nearest : bool, default=True
        Whether the symmetric and the average distance are wanted.
    mean : bool, default=True
        Whether the means are.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    JointDistances

    Raises
    ------
    ValueError
        Bags of different widths, or values so large that their squares overflow.

    Notes
    -----
    O(n_A n_B d) time for n_A and n_B instances; memory for blocks of them besides the results.
    """
    a, b = _sides(as_bags(A), None if B is None else as_bags(B), MAX_MEMORY)
    there = _Sums.zeros(len(a.sizes), len(b.sizes))
    back = there if b is a else _Sums.zeros(len(b.sizes), len(a.sizes))
    pairs = [(x, y) for k, x in enumerate(a.blocks) for y in b.blocks[k if b is a else 0 :]]
    largest = [max(block.n_rows for block in side.blocks) for side in (a, b)]
    workers = min(n_threads(n_jobs), max(1, MAX_MEMORY // _table_bytes(max(largest))))

    def kernel(low: int, high: int) -> None:
        table = np.empty(largest[0] * largest[1])
        for x, y in pairs[low:high]:
            _add_block(a, x, b, y, there, None if x is y else back, nearest, mean, table)

    with threadpool_limits(limits=1, user_api="blas"):
        for_parts(kernel, len(pairs), 2.0 * len(a.rows) * len(b.rows) * (a.rows.shape[1] + 1.0), workers)
    return _finished(a, b, there, back, nearest, mean)


def _add_block(
    a: Side,
    x: Block,
    b: Side,
    y: Block,
    there: _Sums,
    back: _Sums | None,
    nearest: bool,
    mean: bool,
    table: Floats,
) -> None:
    """Distances of the bags of ``x`` to those of ``y`` and, with ``back``, the other way round."""
    forward = _Sums.zeros(x.n_bags, y.n_bags)
    backward = _Sums.zeros(y.n_bags, x.n_bags)
    waiting: dict[int, Floats] = {}  # smallest squares so far of the rows of each piece of y
    for part, x_bounds in x.pieces:
        X, x_squares = a.rows[part], a.squares[part]
        least, sums = np.full((y.n_bags, len(X)), np.inf), np.zeros((y.n_bags, len(X)))
        for number, (other, y_bounds) in enumerate(y.pieces):
            Y, y_squares = b.rows[other], b.squares[other]
            products = np.matmul(Y, X.T, out=table[: len(Y) * len(X)].reshape(len(Y), len(X)))
            if mean:
                kernels.add_distances(products, X, Y, x_squares, y_squares, y_bounds, sums)
            if nearest:
                kernels.least_squares(products, X, Y, x_squares, y_squares, y_bounds, least)
            if nearest and back is not None:
                others = waiting.pop(number, None)
                others = np.full((x.n_bags, len(Y)), np.inf) if others is None else others
                kernels.least_squares_back(products, X, Y, x_squares, y_squares, x_bounds, others)
                if part == x.pieces[-1].rows:
                    kernels.greatest(others, y_bounds, backward.farthest)
                    kernels.add_roots(others, y_bounds, backward.nearest)
                else:
                    waiting[number] = others
        if mean:
            kernels.add(sums, x_bounds, forward.total)
        if nearest:
            kernels.greatest(least, x_bounds, forward.farthest)
            kernels.add_roots(least, x_bounds, forward.nearest)
    np.copyto(backward.total, forward.total.T)
    for whole, block in zip(there, forward, strict=True):
        whole[x.bags, y.bags] = block
    for whole, block in zip(back or (), backward, strict=back is not None):
        whole[y.bags, x.bags] = block


def _finished(a: Side, b: Side, there: _Sums, back: _Sums, nearest: bool, mean: bool) -> JointDistances:
    """From sums to means, from squares to distances."""
    none = np.empty((0, 0))
    symmetric = average = total = none
    own_a = own_b = np.empty(0)
    if nearest:
        symmetric = np.sqrt(np.maximum(there.farthest, back.farthest.T))
        average = 0.5 * (there.nearest / a.sizes[:, None] + (back.nearest / b.sizes[:, None]).T)
        if b is a:
            np.fill_diagonal(symmetric, 0.0)
            np.fill_diagonal(average, 0.0)
    if mean:
        total = there.total / (a.sizes[:, None] * b.sizes)
        if b is a:
            # Symmetric but for the rounding of products.
            total = np.minimum(total, total.T)
            own_a = own_b = np.diagonal(total).copy()
        else:
            own_a, own_b = _own_means(a), _own_means(b)
    return JointDistances(symmetric, average, total, own_a, own_b)


def _own_means(side: Side) -> Floats:
    """Mean distance of the instances of every bag to those of the same bag."""
    largest = max(block.n_rows for block in side.blocks)
    table = np.empty(largest * largest)
    own = np.empty(len(side.sizes))
    with threadpool_limits(limits=1, user_api="blas"):
        for block in side.blocks:
            sums, _ = tiles(side, block, side, block, "mean", False, table)
            own[block.bags] = np.diagonal(sums)
    return own / side.sizes.astype(np.float64) ** 2
