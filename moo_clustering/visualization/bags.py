"""Plots of bags: distance matrix and embedding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._arrays import FloatArray, Int64Array, SeedLike, integer
from moo_clustering._data import checked_array, checked_integers
from moo_clustering._distances import checked_distances
from moo_clustering._docs import documented
from moo_clustering.validity.external import encode
from moo_clustering.visualization import partitions
from moo_clustering.visualization.figures import PLOT, drawing, figure_of, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from moo_clustering.bags import Bags
    from moo_clustering.bags.distances import Kind

_STRIP = 0.018  # width of the colour strip as a share of the matrix
KINDS = {
    "directed": "directed Hausdorff distance",
    "symmetric": "Hausdorff distance",
    "mean_min": "mean distance to the nearest instance",
    "min_min": "distance between the nearest instances",
    "mean": "mean distance between instances",
}
GIVEN = "distance"


@dataclass(frozen=True, eq=False)
class BagDistanceData:
    """Data drawn by :func:`plot_bag_distances`.

    Parameters
    ----------
    distances : ndarray of shape (n_shown, n_shown)
    order : ndarray of shape (n_shown,)
        Index of the bag in each row and column of ``distances``. Bags are sorted by cluster.
    boundaries : ndarray of shape (n_clusters + 1,)
        First row of each cluster in ``distances``, followed by n_shown.
    names : tuple of str
    sizes : ndarray of shape (n_clusters,)
        Number of bags in each cluster, including those not shown.
    kind : str
        Name of the distance between bags.
    directed : bool
        Whether the distances in both directions can differ.
    """

    distances: FloatArray
    order: Int64Array
    boundaries: Int64Array
    names: tuple[str, ...]
    sizes: Int64Array
    kind: str
    directed: bool


@documented()
def bag_distance_data(
    bags_or_distances: Any, labels: ArrayLike, *, kind: Kind = "symmetric", max_bags: int = 1500
) -> BagDistanceData:
    """Sort the bags by cluster and by distance from the medoid, and compute the distances between bags.

    Takes O(n^2 n_features) time, where n is the number of instances in the bags shown.

    Parameters
    ----------
    bags_or_distances : Bags, list of 2-d arrays, 3-d array, or ndarray of shape (n_bags, n_bags)
        Bags with scaled features, or the distance from each bag (row) to each bag (column).
    labels : array-like of shape (n_bags,)
        Cluster labels, or known classes.
    kind : {"symmetric", "directed", "mean_min", "min_min", "mean"}, default="symmetric"
        See :func:`~moo_clustering.bags.bag_distances`. Ignored if distances are passed.
    max_bags : int, default=1500
        Maximum number of bags to show. If there are more bags, the same fraction of each cluster is shown.

    Raises
    ------
    ValueError
        If shapes do not match, or if a distance is negative or not finite.
    """
    data, codes, names = read_input(bags_or_distances, labels)
    shown = sampled(codes, max_bags)
    if isinstance(data, np.ndarray):
        D = data[np.ix_(shown, shown)]
    else:
        from moo_clustering.bags import bag_distances

        D = bag_distances(data[shown], kind=kind)
    boundaries = np.searchsorted(codes[shown], np.arange(len(names) + 1))
    pairs = pairwise(boundaries.tolist())
    places = np.concatenate([start + _outwards(D[start:stop, start:stop]) for start, stop in pairs])
    D = D[np.ix_(places, places)]
    return BagDistanceData(
        distances=D,
        order=shown[places],
        boundaries=boundaries.astype(np.int64),
        names=names,
        sizes=np.bincount(codes),
        kind=GIVEN if isinstance(data, np.ndarray) else KINDS[kind],
        directed=not np.array_equal(D, D.T),
    )


@documented(PLOT, bag_distance_data)
def plot_bag_distances(
    bags_or_distances: Any,
    labels: ArrayLike,
    *,
    kind: Kind = "symmetric",
    max_bags: int = 1500,
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot the distances between bags. Bags are sorted by cluster; each cluster starts with its medoid."""
    data = bag_distance_data(bags_or_distances, labels, kind=kind, max_bags=max_bags)
    with drawing(ax, path, (6.0, 5.2)) as panel:
        n = len(data.order)
        off = data.distances[~np.eye(n, dtype=bool)]
        # The colour scale is limited, because a few outlying bags could make all other bags look alike.
        top = float(np.quantile(off, 0.98)) if len(off) else 0.0
        smooth: Any = {"interpolation": "antialiased", "rasterized": True}
        image = panel.imshow(data.distances, cmap="viridis", vmin=0.0, vmax=top or 1.0, **smooth)
        extend: Any = "max" if len(off) > 0 and float(off.max()) > top > 0.0 else "neither"
        figure_of(panel).colorbar(image, ax=panel, shrink=0.82, label=data.kind, extend=extend)
        for spine in panel.spines.values():
            spine.set_visible(False)
        # Lines between more than 60 clusters would hide the clusters.
        for place in data.boundaries[1:-1] - 0.5 if len(data.names) <= 60 else ():
            panel.axhline(place, color="white", linewidth=0.8)
            panel.axvline(place, color="white", linewidth=0.8)
        _name_clusters(panel, data)
        to, ylabel = ("to ", "from bags") if data.directed else ("", "")
        panel.set(xlabel=f"{to}bags, the most central of each cluster first", ylabel=ylabel)
        panel.set_title(f"Distances between {counted(n, data.sizes)}")
    return figure_of(panel)


def _name_clusters(ax: Axes, data: BagDistanceData) -> None:
    """Add a strip with the colours of :func:`plot_bag_embedding`, and the names and sizes of clusters."""
    from matplotlib.patches import Rectangle

    n = len(data.order)
    for cluster, (start, stop) in enumerate(pairwise(data.boundaries.tolist())):
        style: Any = {"facecolor": look_of(cluster).color, "clip_on": False, "linewidth": 0.0}
        corner, place = (-_STRIP, start - 0.5), ax.get_yaxis_transform()
        ax.add_patch(Rectangle(corner, _STRIP * 0.75, stop - start, transform=place, **style))
    centres = (data.boundaries[:-1] + data.boundaries[1:] - 1) / 2
    kept: list[int] = []
    for cluster in np.argsort(-np.diff(data.boundaries), kind="stable"):  # large clusters keep their names
        if all(abs(centres[cluster] - centres[other]) >= 0.05 * n for other in kept):
            kept.append(int(cluster))
    kept.sort()
    names = [f"{data.names[each]} ({data.sizes[each]})" for each in kept]
    ax.set_yticks(centres[kept], names, parse_math=False)
    ax.set_xticks([])
    ax.tick_params(length=0, pad=8)


def _outwards(D: FloatArray) -> Int64Array:
    """Sort the bags of a cluster by their distance from the medoid, which has the least sum of distances."""
    medoid = int(D.sum(axis=1).argmin())
    key = D[:, medoid].copy()
    key[medoid] = -1.0
    return np.argsort(key, kind="stable")


def read_input(
    bags_or_distances: Any, labels: ArrayLike
) -> tuple[Bags | FloatArray, Int64Array, tuple[str, ...]]:
    """Return the checked bags or distances, each bag's index into the cluster names, and these names."""
    from moo_clustering.bags import as_bags

    codes, names = encode(labels, "labels")
    data: Bags | FloatArray
    if isinstance(bags_or_distances, np.ndarray) and bags_or_distances.ndim == 2:
        if bags_or_distances.shape != (len(codes), len(codes)):
            raise ValueError(
                f"distances must have shape ({len(codes)}, {len(codes)}) for {len(codes)} labels, "
                f"got {bags_or_distances.shape}; pass bags as Bags or as a list of arrays"
            )
        data = checked_distances(bags_or_distances, "distances", dtype=np.float64, directed=True)
    else:
        data = as_bags(bags_or_distances)
        if len(data) != len(codes):
            raise ValueError(f"labels must have one entry per bag ({len(data)}), got {len(codes)}")
    return data, codes, tuple(map(str, names))


def sampled(codes: Int64Array, max_bags: int) -> Int64Array:
    """Select all bags or, if there are too many, the same fraction of each cluster (at least one bag)."""
    integer("max_bags", max_bags)
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    if len(order) <= max_bags:
        return order
    quotas = np.maximum(1, sizes * max_bags // len(order))
    parts = zip(np.cumsum(sizes) - sizes, sizes, quotas, strict=True)
    return np.concatenate([order[start + np.arange(quota) * size // quota] for start, size, quota in parts])


def affordable_bags(bags: Bags) -> int:
    """Return the number of average-sized bags whose distances can be computed in a few seconds."""
    instances = math.sqrt(2e10 / bags.n_features)
    return max(20, int(instances * bags.n_bags / bags.n_instances))


def counted(n_shown: int, sizes: Int64Array) -> str:
    n_bags = int(sizes.sum())
    return f"{n_bags} bags" if n_shown == n_bags else f"{n_shown} of {n_bags} bags"


@documented(BagDistanceData)
@dataclass(frozen=True, eq=False)
class BagEmbeddingData:
    """Data drawn by :func:`plot_bag_embedding`.

    Parameters
    ----------
    positions : ndarray of shape (n_shown, 2)
    bags : ndarray of shape (n_shown,)
        Index of the bag at each of the ``positions``.
    clusters : ndarray of shape (n_shown,)
        Each bag's index into ``names``.
    medoids : ndarray of shape (n_medoids,)
        Positions of the medoids in ``bags``.
    centers : ndarray of shape (n_centers, 2)
    method : str
        Description of the projection and its quality.
    """

    positions: FloatArray
    bags: Int64Array
    clusters: Int64Array
    names: tuple[str, ...]
    sizes: Int64Array
    medoids: Int64Array
    centers: FloatArray
    method: str


@documented(bag_distance_data)
def bag_embedding_data(
    bags_or_distances: Any,
    labels: ArrayLike,
    *,
    medoids: ArrayLike | None = None,
    centers: ArrayLike | None = None,
    max_bags: int = 1000,
    random_state: SeedLike = 0,
) -> BagEmbeddingData:
    """Compute positions of bags in the plane that approximate the distances between the bags.

    Up to ``max_bags`` bags are positioned using metric multidimensional scaling of their Hausdorff distances.
    This takes O(n^2 d + max_bags^3) time, where n is the number of instances, and d the number of features.
    For more bags, the principal components of the bag means are used, which takes O(n d + d^3) time. If more
    than ``max_bags`` bags are passed as distances, the same fraction of each cluster is shown.

    Parameters
    ----------
    bags_or_distances : Bags, list of 2-d arrays, 3-d array, or ndarray of shape (n_bags, n_bags)
        Bags with scaled features, or distances of any kind, which are averaged over both directions.
    medoids : array-like of int, optional
        Indices of bags to mark.
    centers : array-like of shape (n_centers, n_features), optional
        Vectors to mark, such as centroids, on the scale of the bags. The distance between a vector and a bag
        is the distance between the vector and the bag's farthest instance.
    max_bags : int, default=1000
    random_state : int, Generator, RandomState or None, default=0
        Seed for random starts of multidimensional scaling, in addition to a start from classical scaling.

    Raises
    ------
    ValueError
        If shapes do not match, if a distance is negative or not finite, or for centres with distances.
    """
    data, codes, names = read_input(bags_or_distances, labels)
    marked = checked_integers([] if medoids is None else medoids, "medoids", ndim=(1,))
    if len(marked) and not 0 <= marked.min() <= marked.max() < len(codes):
        raise ValueError(f"medoids must be bag indices from 0 to {len(codes) - 1}, got {marked.tolist()}")
    vectors = _centers(centers, data)
    if not isinstance(data, np.ndarray) and len(data) > max_bags:
        bags = np.arange(len(data))
        points, share = partitions.components(np.vstack([data.means(), vectors]), len(data))
        method = f"principal components of bag means ({share:.0%} of the variance)"
    else:
        bags = np.sort(sampled(codes, max_bags))
        D, kind = _distances(data, bags, vectors)
        points, stress = partitions.scaled_to_plane(D, random_state)
        method = f"scaling of {kind}s (stress {stress:.2f})"
    return BagEmbeddingData(
        positions=points[: len(bags)],
        bags=bags,
        clusters=codes[bags],
        names=names,
        sizes=np.bincount(codes),
        medoids=np.flatnonzero(np.isin(bags, marked)),
        centers=points[len(bags) :],
        method=method,
    )


@documented(PLOT, bag_embedding_data)
def plot_bag_embedding(
    bags_or_distances: Any,
    labels: ArrayLike,
    *,
    medoids: ArrayLike | None = None,
    centers: ArrayLike | None = None,
    max_bags: int = 1000,
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
    random_state: SeedLike = 0,
) -> Figure:
    """Plot bags as points with the colours and markers of their clusters. The title names the projection."""
    data = bag_embedding_data(
        bags_or_distances, labels, medoids=medoids, centers=centers, max_bags=max_bags,
        random_state=random_state,
    )  # fmt: skip
    with drawing(ax, path, (6.4, 5.0)) as panel:
        area = partitions.draw_clusters(panel, data)
        if len(data.medoids):
            x, y = data.positions[data.medoids].T
            ring: Any = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.3}
            panel.scatter(x, y, s=5.0 * area, label="medoid", **ring)
        if len(data.centers):
            x, y = data.centers.T
            panel.scatter(x, y, s=70.0, c="black", marker="X", edgecolors="white", label="centre")
        panel.set_aspect("equal", adjustable="datalim")
        panel.set(xticks=[], yticks=[])
        for spine in panel.spines.values():
            spine.set_visible(True)
            spine.set_color("0.8")
        partitions.add_cluster_legend(panel, data.names, "bags")
        panel.set_title(f"{counted(len(data.positions), data.sizes).capitalize()} by {data.method}")
    return figure_of(panel)


def _distances(data: Bags | FloatArray, bags: Int64Array, vectors: FloatArray) -> tuple[FloatArray, str]:
    """Return symmetric distances between bags and vectors, with bags first, and the name of the distance."""
    if isinstance(data, np.ndarray):
        D = data[np.ix_(bags, bags)]
        return (D + D.T) / 2.0, GIVEN
    from moo_clustering.bags import Bags, bag_distances

    shown = data[bags]
    if len(vectors):
        points = Bags(vectors, np.arange(len(vectors) + 1))
        shown = Bags.concatenate([Bags(shown.instances, shown.offsets), points])
    return bag_distances(shown, kind="symmetric"), KINDS["symmetric"]


def _centers(centers: ArrayLike | None, data: Bags | FloatArray) -> FloatArray:
    if isinstance(data, np.ndarray):
        if centers is not None:
            raise ValueError("centers require bags, but distances between bags were passed; omit centers")
        return np.empty((0, 0))
    given = np.empty((0, data.n_features)) if centers is None else centers
    vectors = checked_array(given, "centers", np.float64)
    if vectors.ndim != 2 or vectors.shape[1] != data.n_features:
        raise ValueError(f"centers must have shape (n_centers, {data.n_features}), got {vectors.shape}")
    return vectors
