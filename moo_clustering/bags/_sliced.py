"""Bags as vectors of quantiles of their projections."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.bags._as_bags import as_bags
from moo_clustering.bags._bags import Bags

Floats = NDArray[np.float64]


def sliced_directions(n_features: int, rng: np.random.Generator, *, n_directions: int = 60) -> Floats:
    """Random directions of unit length, one a row, shape (n_directions, n_features)."""
    directions = rng.standard_normal((n_directions, n_features))
    lengths: Floats = np.linalg.norm(directions, axis=1, keepdims=True)
    return directions / lengths


def sliced_quantile_embedding(
    bags: Any,
    *,
    n_directions: int = 60,
    n_quantiles: int = 25,
    directions: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
) -> Floats:
    """Vectors whose Euclidean distance is the sliced distance of the bags.

    SW(a, b)^2 is the number of features times the mean, over directions v and levels t_q = (q + 1/2) /
    n_quantiles, of the squared difference of the t_q-quantiles of both bags projected on v. It stands in
    for the earth mover's distance. As a Euclidean distance it makes exp(-SW^2 / c) positive semidefinite.

    Parameters
    ----------
    bags : Bags or anything :func:`as_bags` takes
    n_directions : int, default=60
        Random directions, without ``directions``.
    n_quantiles : int, default=25
    directions : array-like of shape (n_directions, n_features), optional
        Of unit length. Vectors of different calls can be compared only for the same directions.
    rng : numpy.random.Generator, optional
        For the directions. Default: a new one.

    Returns
    -------
    ndarray of shape (n_bags, n_directions * n_quantiles), float64

    Raises
    ------
    ValueError
        No direction or level, or directions of another width than the bags.

    Notes
    -----
    O(n log(n) n_directions) time for n instances, O(n_bags n_directions n_quantiles) memory. Quantiles are
    interpolated linearly, so they change slightly when every instance of a bag is repeated.

    References
    ----------
    Rabin, Peyre, Delon and Bernot, Wasserstein barycenter and its application to texture mixing, 2011.

    Examples
    --------
    >>> from moo_clustering.bags import sliced_quantile_embedding
    >>> sliced_quantile_embedding([[[0], [1]], [[5]]], n_quantiles=2, directions=[[1.0]]).round(4).tolist()
    [[0.1768, 0.5303], [3.5355, 3.5355]]
    """
    data = as_bags(bags)
    for name, count in (("n_directions", n_directions), ("n_quantiles", n_quantiles)):
        if count < 1:
            raise ValueError(f"{name} must be at least 1, got {count}")
    if directions is None:
        rng = np.random.default_rng() if rng is None else rng
        lines = sliced_directions(data.n_features, rng, n_directions=n_directions)
    else:
        lines = np.asarray(directions, dtype=np.float64)
    if lines.ndim != 2 or not len(lines) or lines.shape[1] != data.n_features:
        raise ValueError(
            f"directions must have shape (n_directions, {data.n_features}), as many columns as the bags have "
            f"features, got {lines.shape}"
        )
    quantiles = np.empty((data.n_bags, len(lines), n_quantiles))
    at = _Places.of(data, n_quantiles)
    for number, line in enumerate(lines):
        values = data.instances @ line
        sorted_in_bags = values[np.lexsort((values, data.bag_of_instance))]
        low = sorted_in_bags[at.low]
        quantiles[:, number] = low + at.share * (sorted_in_bags[at.high] - low)
    quantiles *= math.sqrt(data.n_features / (len(lines) * n_quantiles))
    return quantiles.reshape(data.n_bags, -1)


class _Places:
    """Between which rows of sorted bags the quantiles lie, and how far from the lower one."""

    def __init__(self, low: NDArray[np.int64], high: NDArray[np.int64], share: Floats) -> None:
        self.low, self.high, self.share = low, high, share

    @classmethod
    def of(cls, bags: Bags, n_quantiles: int) -> _Places:
        levels = (np.arange(n_quantiles) + 0.5) / n_quantiles
        last = bags.sizes[:, None] - 1
        place = levels * last
        low = np.floor(place).astype(np.int64)
        first = bags.offsets[:-1, None]
        return cls(first + low, first + np.minimum(low + 1, last), place - low)
