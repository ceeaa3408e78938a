"""Positions of bags in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._random import SeedLike
from moo_clustering.visualization._bag_input import GIVEN, KINDS, read_input, sampled
from moo_clustering.visualization._plane import components, scaled_to_plane

if TYPE_CHECKING:
    from moo_clustering.bags import Bags

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BagEmbeddingData:
    """What :func:`plot_bag_embedding` shows.

    Parameters
    ----------
    positions : ndarray of shape (n_shown, 2)
    bags : ndarray of shape (n_shown,)
        Bag at each position.
    clusters : ndarray of shape (n_shown,)
        Place of its cluster in ``names``.
    names : tuple of str
        Names of the clusters.
    sizes : ndarray of shape (n_clusters,)
        Bags of each, shown or not.
    medoids : ndarray of shape (n_medoids,)
        Rows of the positions of medoids; those of bags that are not shown are left out.
    centers : ndarray of shape (n_centers, 2)
        Positions of centres.
    method : str
        Where the positions come from, and how far they can be trusted.
    """

    positions: Floats
    bags: NDArray[np.int64]
    clusters: NDArray[np.int64]
    names: tuple[str, ...]
    sizes: NDArray[np.int64]
    medoids: NDArray[np.int64]
    centers: Floats
    method: str


def bag_embedding_data(
    bags_or_distances: Any,
    labels: ArrayLike,
    *,
    medoids: ArrayLike | None = None,
    centers: ArrayLike | None = None,
    max_bags: int = 1000,
    random_state: SeedLike = 0,
) -> BagEmbeddingData:
    """Positions of bags in the plane, as far apart as their distances say.

    Up to ``max_bags`` bags are placed by metric multidimensional scaling of their Hausdorff distances.
    Of more, the means are shown by their principal components; where only distances are given, the
    same share of every cluster is scaled.

    Parameters
    ----------
    bags_or_distances : Bags, list of 2-d arrays, 3-d array, or ndarray of shape (n_bags, n_bags)
        Bags in the scale in which distances are meant, or distances of any kind; of two that differ
        there and back the mean is taken.
    labels : array-like of shape (n_bags,)
        Clusters, or known classes.
    medoids : array-like of int, optional
        Numbers of bags to mark.
    centers : array-like of shape (n_centers, n_features), optional
        Vectors to mark, in the scale of the bags; each is as far from a bag as from its farthest
        instance.
    max_bags : int, default=1000
    random_state : int, Generator, RandomState or None, default=0
        For random starts of the scaling, beside that from classical scaling.

    Returns
    -------
    BagEmbeddingData

    Raises
    ------
    ValueError
        When the shapes do not fit each other, distances are negative or not finite, or centres are
        given with distances.

    Notes
    -----
    O(n^2 d + max_bags^3) time for the n instances of at most ``max_bags`` bags; O(n d + d^3) for more.
    """
    data, clusters = read_input(bags_or_distances, labels)
    marked, vectors = _medoids(medoids, len(clusters.codes)), _centers(centers, data)
    if not isinstance(data, np.ndarray) and len(data) > max_bags:
        bags = np.arange(len(data))
        points, share = components(np.vstack([data.means(), vectors]), len(data))
        method = f"principal components of bag means, {share:.0%} of the variance"
    else:
        bags = np.sort(sampled(clusters, max_bags))
        D, kind = _distances(data, bags, vectors)
        points, stress = scaled_to_plane(D, random_state)
        method = f"scaling of {kind}s, stress {stress:.2f}"
    return BagEmbeddingData(
        positions=points[: len(bags)],
        bags=bags,
        clusters=clusters.codes[bags],
        names=clusters.names,
        sizes=clusters.sizes,
        medoids=np.flatnonzero(np.isin(bags, marked)),
        centers=points[len(bags) :],
        method=method,
    )


def _distances(data: Bags | Floats, bags: NDArray[np.int64], vectors: Floats) -> tuple[Floats, str]:
    """Symmetric distances of bags and, after them, of vectors; and what they are."""
    if isinstance(data, np.ndarray):
        D = data[np.ix_(bags, bags)]
        return (D + D.T) / 2.0, GIVEN
    from moo_clustering.bags import Bags, bag_distances

    shown = data[bags]
    if len(vectors):
        points = Bags(vectors, np.arange(len(vectors) + 1))
        shown = Bags.concatenate([Bags(shown.instances, shown.offsets), points])
    return bag_distances(shown, kind="symmetric"), KINDS["symmetric"]


def _medoids(medoids: ArrayLike | None, n_bags: int) -> NDArray[np.int64]:
    found = np.asarray([] if medoids is None else medoids, dtype=np.int64).reshape(-1)
    if len(found) and not (found.min() >= 0 and found.max() < n_bags):
        raise ValueError(f"medoids must be numbers of bags from 0 to {n_bags - 1}, got {found.tolist()}")
    return found


def _centers(centers: ArrayLike | None, data: Bags | Floats) -> Floats:
    if isinstance(data, np.ndarray):
        if centers is not None:
            raise ValueError(
                "centers need bags, from which their distances can be taken; distances are given"
            )
        return np.empty((0, 0))
    vectors = np.empty((0, data.n_features)) if centers is None else np.asarray(centers, dtype=np.float64)
    if vectors.ndim != 2 or vectors.shape[1] != data.n_features:
        raise ValueError(f"centers must have shape (n_centers, {data.n_features}), got {vectors.shape}")
    return vectors
