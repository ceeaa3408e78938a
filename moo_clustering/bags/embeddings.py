"""Embeddings of bags: statistics, principal components and sliced quantiles."""

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from moo_clustering._arrays import FloatArray, choice, integer, quoted
from moo_clustering._data import checked_array
from moo_clustering.bags.bags import as_bags

Statistic = Literal["mean", "min", "max"]
Embedding = Literal["mean", "stats", "stats_pca", "prototypes"]
EMBEDDINGS: tuple[str, ...] = get_args(Embedding)


def bag_embedding(bags: Any, kind: Embedding, *, symmetric: FloatArray | None = None) -> FloatArray:
    """Embed bags as vectors, for algorithms that require one row per sample.

    Raises a ValueError if ``kind`` is unknown, or if ``"prototypes"`` is requested without ``symmetric``.

    Parameters
    ----------
    bags : Bags or any input of :func:`as_bags`
        Bags of scaled features.
    kind : {"mean", "stats", "stats_pca", "prototypes"}
        - ``"mean"``: mean of the instances.
        - ``"stats"``: mean, minimum and maximum of each feature, standardised over the bags.
        - ``"stats_pca"``: the first min(20, n_bags - 1, 3 n_features) principal components of ``"stats"``.
        - ``"prototypes"``: distances to all bags.
    symmetric : ndarray of shape (n_bags, n_bags), optional
        Symmetric Hausdorff distances, required for ``"prototypes"`` and otherwise ignored.

    Returns
    -------
    ndarray of shape (n_bags, n_dimensions), float64
    """
    choice("kind", kind, EMBEDDINGS)
    if kind == "prototypes":
        if symmetric is None:
            raise ValueError('kind="prototypes" requires the distances between bags; pass symmetric=...')
        return symmetric
    if kind == "mean":
        return as_bags(bags).means()
    table: FloatArray = StandardScaler().fit_transform(bag_statistics(bags))
    if kind == "stats":
        return table
    n_components = min(20, len(table) - 1, table.shape[1])
    if n_components < 1 or not table.any():
        return np.zeros((len(table), 1))
    return PCA(n_components, svd_solver="full").fit_transform(table)


def bag_statistics(bags: Any, *, statistics: Sequence[Statistic] = ("mean", "min", "max")) -> FloatArray:
    """Compute statistics of the instances in each bag, separately for each feature.

    Takes O(n_instances n_features) time. Raises a ValueError if ``statistics`` is empty or a name is unknown.

    Parameters
    ----------
    bags : Bags or any input of :func:`as_bags`
    statistics : sequence of {"mean", "min", "max"}, default=("mean", "min", "max")

    Returns
    -------
    ndarray of shape (n_bags, len(statistics) * n_features), float64
        All features of the first statistic, followed by all features of the next statistic, and so on.

    Examples
    --------
    >>> from moo_clustering.bags import bag_statistics
    >>> bag_statistics([[[0, 5], [2, 7]], [[4, 4]]]).tolist()
    [[1.0, 6.0, 0.0, 5.0, 2.0, 7.0], [4.0, 4.0, 4.0, 4.0, 4.0, 4.0]]
    """
    data = as_bags(bags)
    if not len(statistics):
        raise ValueError("statistics must contain at least one of 'mean', 'min' or 'max', got none")
    check_kinds(statistics, name="statistics", allowed=get_args(Statistic))
    reductions = {"min": np.minimum, "max": np.maximum}
    parts = [
        data.means() if name == "mean" else reductions[name].reduceat(data.instances, data.offsets[:-1])
        for name in statistics
    ]
    return np.concatenate(parts, axis=1, dtype=np.float64)


def check_kinds(kinds: Sequence[str], *, name: str, allowed: Sequence[str]) -> None:
    if isinstance(kinds, str):
        listed = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} must be a sequence of {listed}, got the string {quoted(kinds)}")
    for kind in kinds:
        choice(f"every entry of {name}", kind, allowed)


def sliced_quantile_embedding(
    bags: Any,
    *,
    n_directions: int = 60,
    n_quantiles: int = 25,
    directions: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
) -> FloatArray:
    """Return vectors whose Euclidean distances are the sliced distances between bags.

    Instances are projected onto each direction. The quantiles of a bag's projections are taken at the levels
    (q + 1/2) / n_quantiles. The squared sliced distance SW^2 of two bags is n_features times the mean squared
    difference between their quantiles, over all directions and levels. SW approximates the earth mover's
    distance, and exp(-SW^2 / c) is positive semidefinite. Quantiles are interpolated linearly, so repeating
    all instances of a bag changes them slightly. Takes O(n log(n) n_directions) time, where n is the number
    of instances, and O(n_bags n_directions n_quantiles) memory. Raises a ValueError if there is no direction
    or level, or if directions and bags differ in dimension. Source: Rabin et al., Wasserstein barycenter and
    its application to texture mixing, 2011.

    Parameters
    ----------
    bags : Bags or any input of :func:`as_bags`
    n_directions : int, default=60
        Number of random directions; ignored if ``directions`` is specified.
    n_quantiles : int, default=25
    directions : array-like of shape (n_directions, n_features), optional
        Unit vectors. Results from different calls are comparable only if the directions are the same.
    rng : numpy.random.Generator, optional
        Generator for random directions. Default: a new generator.

    Returns
    -------
    ndarray of shape (n_bags, n_directions * n_quantiles), float64

    Examples
    --------
    >>> from moo_clustering.bags import sliced_quantile_embedding
    >>> sliced_quantile_embedding([[[0], [1]], [[5]]], n_quantiles=2, directions=[[1.0]]).round(4).tolist()
    [[0.1768, 0.5303], [3.5355, 3.5355]]
    """
    data = as_bags(bags)
    integer("n_directions", n_directions)
    integer("n_quantiles", n_quantiles)
    if directions is None:
        rng = np.random.default_rng() if rng is None else rng
        lines = sliced_directions(data.n_features, rng, n_directions=n_directions)
    else:
        lines = checked_array(directions, "directions", np.float64)
    if lines.ndim != 2 or not len(lines) or lines.shape[1] != data.n_features:
        raise ValueError(f"directions must have shape (n_directions, {data.n_features}); got {lines.shape}")
    quantiles = np.empty((data.n_bags, len(lines), n_quantiles))
    # A quantile lies between the sorted values in two rows, and ``share`` is the weight of the upper value.
    last, first = data.sizes[:, None] - 1, data.offsets[:-1, None]
    place = (np.arange(n_quantiles) + 0.5) / n_quantiles * last
    low = np.floor(place).astype(np.int64)
    low_rows, high_rows, share = first + low, first + np.minimum(low + 1, last), place - low
    for number, line in enumerate(lines):
        values = data.instances @ line
        sorted_in_bags = values[np.lexsort((values, data.bag_of_instance))]
        lower = sorted_in_bags[low_rows]
        quantiles[:, number] = lower + share * (sorted_in_bags[high_rows] - lower)
    quantiles *= math.sqrt(data.n_features / (len(lines) * n_quantiles))
    return quantiles.reshape(data.n_bags, -1)


def sliced_directions(n_features: int, rng: np.random.Generator, *, n_directions: int = 60) -> FloatArray:
    """Draw random unit vectors, one per row, shape (n_directions, n_features)."""
    directions = rng.standard_normal((n_directions, n_features))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)
