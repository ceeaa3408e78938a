"""Distances between bags (Hausdorff, mean, energy and sliced), and Gaussian kernels of these distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._arrays import FloatArray, Int64Array, choice, positive, quoted, require_squares
from moo_clustering._data import checked_array
from moo_clustering._docs import documented
from moo_clustering._kernels import bag_distances as kernels
from moo_clustering._kernels.threads import for_parts
from moo_clustering._parallel import n_threads, one_thread
from moo_clustering.bags.bags import Bags, as_bags
from moo_clustering.bags.embeddings import check_kinds, sliced_directions, sliced_quantile_embedding

DISTANCE_KINDS = ("symmetric", "average", "energy", "sliced")
Kind = Literal["directed", "symmetric", "mean_min", "min_min", "mean"]
MAX_MEMORY = 256 * 2**20
BLOCK_ROWS = 512
SYMMETRIC = ("min_min", "mean")
_OVER_ROWS = {
    "directed": kernels.GREATEST,
    "symmetric": kernels.GREATEST,
    "mean_min": kernels.SUM_OF_ROOTS,
    "min_min": kernels.SMALLEST,
    "mean": kernels.SUM,
}


def bag_distances(
    A: Any, B: Any = None, *, kind: Kind = "directed", max_memory: int = MAX_MEMORY, n_jobs: int | None = None
) -> FloatArray:
    """Compute the distance from each bag in ``A`` to each bag in ``B``.

    Takes O(n_A n_B d) time, where ``A`` and ``B`` have n_A and n_B instances of d features. Uses matrix
    products in double precision; identical instances have distance 0. Requires memory for the result, for
    tables of at most ``max_memory`` bytes, and for copies of the instances. Raises a ValueError if bags have
    different numbers of features or if squared values overflow. Source: Evolutionary multi-instance
    clustering, Eq. 1.

    Parameters
    ----------
    A : Bags or any input of :func:`as_bags`
    B : Bags, any input of :func:`as_bags`, or None, default=None
        If None, distances between the bags in ``A`` are computed.
    kind : {"directed", "symmetric", "mean_min", "min_min", "mean"}, default="directed"
        How to summarise the Euclidean distances from instances a of one bag to instances b of another:

        - ``"directed"``: Hausdorff distance, the maximum over a of the minimum over b (Eq. 1). Asymmetric.
        - ``"symmetric"``: the larger of the two directed distances.
        - ``"mean_min"``: the mean over a of the minimum over b. Asymmetric.
        - ``"min_min"``: the minimum over all pairs (a, b).
        - ``"mean"``: the mean over all pairs (a, b); the distance of a bag to itself is not 0.
    max_memory : int, default=256 MiB
        Bytes for the distance tables of all threads. Below 10 MiB, the last digits of the result can change.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result.

    Returns
    -------
    ndarray of shape (n_bags_A, n_bags_B), float64
        Entry (i, j) is the distance from bag i in ``A`` to bag j in ``B``. With ``B=None``, the diagonal is
        exactly 0 for all kinds except ``"mean"``.

    Examples
    --------
    >>> from moo_clustering.bags import bag_distances
    >>> bag_distances([[[0, 0], [2, 0]], [[0, 1]], [[0, 4]]]).round(2).tolist()
    [[0.0, 2.24, 4.47], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]]
    """
    choice("kind", kind, get_args(Kind))
    if isinstance(max_memory, bool) or not isinstance(max_memory, int | float | np.number):
        raise TypeError(f"max_memory must be a number of bytes, got {quoted(max_memory)}")
    if not max_memory >= _table_bytes(1):
        raise ValueError(f"max_memory must be at least {_table_bytes(1)} bytes, got {max_memory}")
    return _in_one_pass(as_bags(A), None if B is None else as_bags(B), (kind,), max_memory, n_jobs)[kind]


def _table_bytes(n_rows: int) -> int:
    """Return the number of bytes of the five float64 tables that compare two blocks of ``n_rows`` rows."""
    return 40 * n_rows**2


def _sides(A: Bags, B: Bags | None, max_memory: float) -> tuple[Side, Side]:
    """Prepare the bags for comparison. If ``B`` is None, the same object is returned twice."""
    if B is not None and A.n_features != B.n_features:
        raise ValueError(f"A has {A.n_features} features, but B has {B.n_features}")
    limit = min(BLOCK_ROWS, math.isqrt(int(min(max_memory, _table_bytes(BLOCK_ROWS))) // _table_bytes(1)))
    parts = [A] if B is None else [A, B]
    with np.errstate(over="ignore", invalid="ignore"):
        # A row is subtracted before the mean, so that a large common offset causes no rounding errors.
        rows = [part.instances.astype(np.float64) - A.instances[0].astype(np.float64) for part in parts]
        center = sum(part.sum(axis=0) for part in rows) / sum(map(len, rows))
        for part in rows:
            part -= center
        squares = [np.einsum("ij,ij->i", part, part) for part in rows]
    require_squares(np.concatenate(rows) if len(rows) > 1 else rows[0], "instances")
    sides = [
        Side(rows[k], squares[k], part.sizes, bag_blocks(part.offsets, limit)) for k, part in enumerate(parts)
    ]
    return sides[0], sides[-1]


class Side(NamedTuple):
    """One of two compared sets of bags: centred instances, squared norms, bag sizes, blocks of bags."""

    rows: FloatArray
    squares: FloatArray
    sizes: Int64Array
    blocks: list[Block]


class Block(NamedTuple):
    """Several adjacent small bags in one piece, or one large bag in several pieces.

    A piece consists of a slice of rows, and the positions in this slice at which bags begin and end.
    """

    bags: slice
    pieces: list[tuple[slice, Int64Array]]

    @property
    def n_bags(self) -> int:
        return int(self.bags.stop - self.bags.start)

    @property
    def n_rows(self) -> int:
        """Number of rows in the largest piece."""
        return max(int(rows.stop - rows.start) for rows, _ in self.pieces)


def _distances(
    a: Side, b: Side, kinds: Sequence[str], both: bool, max_memory: float, n_jobs: int | None
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Compute directed distances from a to b and, if ``both`` is set, from b to a."""
    shape = len(a.sizes), len(b.sizes)
    there = {kind: np.empty(shape) for kind in kinds}
    back = there if b is a else {kind: np.empty(shape[::-1]) for kind in kinds if both}
    # If a is b, each pair of blocks is visited once, because its products determine both directions.
    pairs = [(x, y) for k, x in enumerate(a.blocks) for y in b.blocks[k if b is a else 0 :]]
    largest = [max(block.n_rows for block in side.blocks) for side in (a, b)]
    workers = int(min(n_threads(n_jobs), max(1, max_memory / _table_bytes(max(largest)))))

    def visit(low: int, high: int) -> None:
        table = np.empty(largest[0] * largest[1])
        for x, y in pairs[low:high]:
            forward, backward = tiles(a, x, b, y, kinds, bool(back) and x is not y, table)
            for kind, block in forward.items():
                there[kind][x.bags, y.bags] = block
            for kind, block in backward.items():
                back[kind][y.bags, x.bags] = block

    work = float(len(kinds)) * len(a.rows) * len(b.rows) * (a.rows.shape[1] + 1.0)
    with one_thread("blas"):
        for_parts(visit, len(pairs), work, workers)
    for kind, out in there.items():
        _finish(out, a.sizes, b.sizes, kind)
    for kind, out in {} if b is a else back.items():
        _finish(out, b.sizes, a.sizes, kind)
    return there, back


def tiles(
    a: Side, x: Block, b: Side, y: Block, kinds: Sequence[str], both: bool, table: FloatArray
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Compute squared distances from the bags in x to those in y and, if ``both`` is set, from y to x.

    For the kind "mean", sums of distances are computed instead.
    """
    there = {kind: np.full((x.n_bags, y.n_bags), np.inf if kind == "min_min" else 0.0) for kind in kinds}
    back = {kind: np.zeros((y.n_bags, x.n_bags)) for kind in kinds if both and kind not in SYMMETRIC}
    waiting: dict[int, FloatArray] = {}  # smallest squared distances so far, for each piece of y
    mean, nearest = "mean" in kinds, any(kind != "mean" for kind in kinds)
    for part, x_bounds in x.pieces:
        X, x_squares = a.rows[part], a.squares[part]
        # If ``least`` or ``sums`` is not needed, it has no columns.
        least, sums = np.full((y.n_bags, len(X) * nearest), np.inf), np.zeros((y.n_bags, len(X) * mean))
        for number, (other, y_bounds) in enumerate(y.pieces):
            Y, y_squares = b.rows[other], b.squares[other]
            products = np.matmul(Y, X.T, out=table[: len(Y) * len(X)].reshape(len(Y), len(X)))
            if mean:
                kernels.add_distances(products, X, Y, x_squares, y_squares, y_bounds, sums)
            if nearest:
                kernels.nearest_squares(products, X, Y, x_squares, y_squares, y_bounds, least)
            if back:
                others = waiting.pop(number, None)
                others = np.full((x.n_bags, len(Y)), np.inf) if others is None else others
                kernels.nearest_squares_back(products, X, Y, x_squares, y_squares, x_bounds, others)
                if part != x.pieces[-1][0]:
                    waiting[number] = others
                    continue
                for kind, out in back.items():
                    kernels.over_rows(others, y_bounds, _OVER_ROWS[kind], out)
        for kind, out in there.items():
            kernels.over_rows(sums if kind == "mean" else least, x_bounds, _OVER_ROWS[kind], out)
    return there, back | {kind: there[kind].T for kind in kinds if both and kind in SYMMETRIC}


def _finish(out: FloatArray, sizes: Int64Array, others: Int64Array, kind: str) -> None:
    """Convert sums over instances to means, or squared distances to distances, in place."""
    if kind == "mean_min":
        out /= sizes[:, None]
    elif kind == "mean":
        out /= sizes[:, None] * others
    else:
        np.sqrt(out, out=out)


@documented(bag_distances)
def bag_distance_kinds(
    A: Any,
    B: Any = None,
    *,
    kinds: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
    directions: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> dict[str, FloatArray]:
    """Compute several kinds of symmetric distances between the bags in ``A`` and in ``B``.

    All kinds except ``"sliced"`` together take O(n_A n_B d) time, where ``A`` and ``B`` have n_A and n_B
    instances of d features, and do not store the distances of all pairs. ``"sliced"`` adds O(1500 n_bags_A
    n_bags_B) time. Raises the same errors as :func:`bag_distances`.

    Parameters
    ----------
    kinds : sequence of {"symmetric", "average", "energy", "sliced"}, default=all
        - ``"symmetric"``: the larger of the two directed Hausdorff distances.
        - ``"average"``: the average of the two ``"mean_min"`` distances; see :func:`bag_distances`.
        - ``"energy"``: see :func:`energy_distance`.
        - ``"sliced"``: the Euclidean distance between :func:`sliced_quantile_embedding` vectors.
    directions : array-like of shape (n_directions, n_features), optional
        Directions for ``"sliced"``. Default: random. For new bags, pass the directions of the training bags.
    rng : numpy.random.Generator, optional
        Generator for random directions.

    Returns
    -------
    dict of str to ndarray of shape (n_bags_A, n_bags_B), float64
        Distances by kind. With ``B=None``, each matrix is symmetric with an exactly zero diagonal.

    Examples
    --------
    >>> from moo_clustering.bags import bag_distance_kinds
    >>> D = bag_distance_kinds([[[0], [1]], [[1], [3]], [[10]]], kinds=("symmetric", "average"))
    >>> D["symmetric"].tolist()
    [[0.0, 2.0, 10.0], [2.0, 0.0, 9.0], [10.0, 9.0, 0.0]]
    >>> D["average"].tolist()
    [[0.0, 0.75, 9.25], [0.75, 0.0, 7.5], [9.25, 7.5, 0.0]]
    """
    check_kinds(kinds, name="kinds", allowed=DISTANCE_KINDS)
    a, b = as_bags(A), None if B is None else as_bags(B)
    out: dict[str, FloatArray] = {}
    if passed := [kind for kind in dict.fromkeys(kinds) if kind != "sliced"]:
        out = _in_one_pass(a, b, passed, MAX_MEMORY, n_jobs)
    if "sliced" in kinds:
        if directions is None:
            directions = sliced_directions(a.n_features, np.random.default_rng() if rng is None else rng)
        vectors = [sliced_quantile_embedding(one, directions=directions) for one in (a, b) if one is not None]
        out["sliced"] = bag_distances(*vectors, kind="min_min", n_jobs=n_jobs)
    return {kind: out[kind] for kind in kinds}


@documented(bag_distance_kinds)
def energy_distance(A: Any, B: Any = None, *, n_jobs: int | None = None) -> FloatArray:
    """Compute the energy distance between each bag in ``A`` and each bag in ``B``.

    E(a, b)^2 = 2 e(a, b) - e(a, a) - e(b, b), where e(a, b) is the mean Euclidean distance from the instances
    of bag a to the instances of bag b; e(a, a) includes the zero distance from each instance to itself. E is
    0 if all instances have the same relative frequencies in both bags. E^2 is a squared distance in a Hilbert
    space, so exp(-E^2 / c) is positive semidefinite. Takes O(n_A n_B d) time, where ``A`` and ``B`` have n_A
    and n_B instances of d features. Raises the same errors as :func:`bag_distances`. Source: Szekely and
    Rizzo, Journal of Statistical Planning and Inference 143, 2013.

    Returns
    -------
    ndarray of shape (n_bags_A, n_bags_B), float64
        With ``B=None``, the matrix is symmetric with a diagonal of exact zeros.

    Examples
    --------
    >>> from moo_clustering.bags import energy_distance
    >>> energy_distance([[[0], [1]], [[1], [3]], [[10]]]).round(4).tolist()
    [[0.0, 1.2247, 4.3012], [1.2247, 0.0, 3.873], [4.3012, 3.873, 0.0]]
    """
    return bag_distance_kinds(A, B, kinds=("energy",), n_jobs=n_jobs)["energy"]


def gaussian_bag_kernel(distances: ArrayLike, *, scale: float | None = None) -> FloatArray:
    """Compute the Gaussian kernel exp(-distance^2 / scale^2).

    The kernel is positive semidefinite for distances in a Hilbert space, such as energy and sliced distances,
    but generally not for Hausdorff distances. Takes O(n_bags_A n_bags_B) time and memory. Raises a ValueError
    if distances are negative or not finite, or if the scale is not positive.

    Parameters
    ----------
    distances : array-like of shape (n_bags_A, n_bags_B)
        Non-negative distances.
    scale : float, optional
        Default: the median of the positive distances. For new bags, pass the scale of the training bags.

    Returns
    -------
    ndarray of shape (n_bags_A, n_bags_B), float64

    Examples
    --------
    >>> from moo_clustering.bags import gaussian_bag_kernel
    >>> gaussian_bag_kernel([[0.0, 2.0], [2.0, 0.0]]).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """
    D = checked_array(distances, "distances", np.float64)
    if D.ndim != 2 or (D < 0.0).any():
        got = f"got {D.min():g}" if D.ndim == 2 else f"got shape {D.shape}"
        raise ValueError(f"distances must be a matrix of non-negative numbers, {got}")
    width = gaussian_scale(D) if scale is None else positive("scale", scale)
    return np.exp(-((D / width) ** 2))


def gaussian_scale(distances: ArrayLike) -> float:
    """Return the median of the positive distances, or 1 if there are none."""
    D = np.asarray(distances, dtype=np.float64)
    positive = D[D > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0


def _in_one_pass(
    A: Bags, B: Bags | None, kinds: Sequence[str], max_memory: float, n_jobs: int | None
) -> dict[str, FloatArray]:
    """Compute several kinds of distances, except "sliced", in one pass over the instance distances."""
    a, b = _sides(A, B, max_memory)
    directed = [{"average": "mean_min", "energy": "mean"}.get(kind, kind) for kind in kinds]
    both = "symmetric" in kinds or "average" in kinds
    there, back = _distances(a, b, directed, both, max_memory, n_jobs)
    out: dict[str, FloatArray] = {}
    for kind, summary in zip(kinds, directed, strict=True):
        out[kind] = there[summary]
        if b is a and summary in SYMMETRIC:
            # Rounding errors in the products make the matrix slightly asymmetric.
            out[kind] = np.minimum(out[kind], out[kind].T)
        if kind == "symmetric":
            out[kind] = np.maximum(there[kind], back[kind].T)
        elif kind == "average":
            out[kind] = 0.5 * (there[summary] + back[summary].T)
        elif kind == "energy":
            mean = out[kind]
            own_a, own_b = [np.diagonal(mean)] * 2 if b is a else [_own_means(a), _own_means(b)]
            own = own_a[:, None] + own_b
            squares = 2.0 * mean - own
            # A difference much smaller than the subtracted terms may be a rounding error, and is set to 0.
            squares[squares <= 1e-12 * own] = 0.0
            out[kind] = np.sqrt(squares)
        if b is a and kind != "mean":
            np.fill_diagonal(out[kind], 0.0)
    return out


def _own_means(side: Side) -> FloatArray:
    largest = max(block.n_rows for block in side.blocks)
    table = np.empty(largest * largest)
    own = np.empty(len(side.sizes))
    with one_thread("blas"):
        for block in side.blocks:
            sums, _ = tiles(side, block, side, block, ("mean",), False, table)
            own[block.bags] = np.diagonal(sums["mean"])
    return own / side.sizes.astype(np.float64) ** 2


def bag_blocks(offsets: Int64Array, limit: int) -> list[Block]:
    """Divide bags into blocks of at most ``limit`` rows. A larger bag forms a block with several pieces."""
    blocks = []
    first, n_bags = 0, len(offsets) - 1
    while first < n_bags:
        start = int(offsets[first])
        last = max(int(np.searchsorted(offsets, start + limit, side="right")) - 1, first + 1)
        stop = int(offsets[last])
        if stop - start <= limit:
            pieces = [(slice(start, stop), offsets[first : last + 1] - start)]
        else:
            ends = [*range(start + limit, stop, limit), stop]
            pieces = [
                (slice(low, high), np.array([0, high - low], dtype=np.int64))
                for low, high in zip([start, *ends[:-1]], ends, strict=True)
            ]
        blocks.append(Block(slice(first, last), pieces))
        first = last
    return blocks
