"""Distances between bags as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._bag_input import GIVEN, KINDS, counted, read_input, sampled
from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure
from moo_clustering.visualization._palette import look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from moo_clustering.bags import Bags
    from moo_clustering.bags._distances import Kind

# Of the side of the matrix: what a name of a cluster needs, and how wide the strip of colours is.
_ROOM = 0.05
_STRIP = 0.018
_LINED = 60  # clusters above which the lines between them would hide them


@dataclass(frozen=True, eq=False)
class BagDistanceData:
    """What :func:`plot_bag_distances` shows.

    Parameters
    ----------
    distances : ndarray of shape (n_shown, n_shown)
        From the bag of the row to that of the column.
    order : ndarray of shape (n_shown,)
        Bag at each place: clusters one after another, in each the most central bag first and the one
        farthest from it last.
    boundaries : ndarray of shape (n_clusters + 1,)
        Places at which the clusters begin, and n_shown.
    names : tuple of str
        Names of the clusters.
    sizes : ndarray of shape (n_clusters,)
        Bags of each, shown or not.
    kind : str
        What the distances are, in words.
    directed : bool
        Whether there and back differ.
    """

    distances: NDArray[np.float64]
    order: NDArray[np.int64]
    boundaries: NDArray[np.int64]
    names: tuple[str, ...]
    sizes: NDArray[np.int64]
    kind: str
    directed: bool


def bag_distance_data(
    bags_or_distances: Any, labels: ArrayLike, *, kind: Kind = "symmetric", max_bags: int = 1500
) -> BagDistanceData:
    """Distances between bags in the order of their clusters.

    Parameters
    ----------
    bags_or_distances : Bags, list of 2-d arrays, 3-d array, or ndarray of shape (n_bags, n_bags)
        Bags in the scale in which distances are meant, or the distances, from row to column.
    labels : array-like of shape (n_bags,)
        Clusters, or known classes.
    kind : {"symmetric", "directed", "mean_min", "min_min", "mean"}, default="symmetric"
        See :func:`~moo_clustering.bags.bag_distances`. Not used where distances are given.
    max_bags : int, default=1500
        Bags above which the same share of every cluster is shown, and measured.

    Returns
    -------
    BagDistanceData

    Raises
    ------
    ValueError
        When the shapes do not fit each other, or distances are negative or not finite.

    Notes
    -----
    O(n^2 d) time for the n instances of the bags that are shown.
    """
    data, clusters = read_input(bags_or_distances, labels)
    shown = sampled(clusters, max_bags)
    D = data[np.ix_(shown, shown)] if isinstance(data, np.ndarray) else _measured(data[shown], kind)
    boundaries = np.searchsorted(clusters.codes[shown], np.arange(len(clusters.names) + 1))
    places = np.concatenate(
        [start + _outwards(D[start:stop, start:stop]) for start, stop in pairwise(boundaries.tolist())]
    )
    D = D[np.ix_(places, places)]
    return BagDistanceData(
        distances=D,
        order=shown[places],
        boundaries=boundaries.astype(np.int64),
        names=clusters.names,
        sizes=clusters.sizes,
        kind=GIVEN if isinstance(data, np.ndarray) else KINDS[kind],
        directed=not np.array_equal(D, D.T),
    )


def plot_bag_distances(
    bags_or_distances: Any,
    labels: ArrayLike,
    *,
    kind: Kind = "symmetric",
    max_bags: int = 1500,
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Distances between bags in the order of their clusters, the most central bag of each first.

    Parameters
    ----------
    bags_or_distances, labels, kind, max_bags
        See :func:`bag_distance_data`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data = bag_distance_data(bags_or_distances, labels, kind=kind, max_bags=max_bags)
    with house_style():
        if ax is None:
            ax = new_figure(6.0, 5.2).add_subplot()
        _draw(ax, data)
        figure = figure_of(ax)
        save_figure(figure, path)
    return figure


def _draw(ax: Axes, data: BagDistanceData) -> None:
    n = len(data.order)
    off = data.distances[~np.eye(n, dtype=bool)]
    # A few outlying bags would make all others look alike.
    top = float(np.quantile(off, 0.98)) if len(off) else 0.0
    image = ax.imshow(
        data.distances,
        cmap="viridis",
        vmin=0.0,
        vmax=top or 1.0,
        interpolation="antialiased",
        rasterized=True,
    )
    clipped = len(off) > 0 and float(off.max()) > top > 0.0
    figure_of(ax).colorbar(image, ax=ax, shrink=0.82, label=data.kind, extend="max" if clipped else "neither")
    for spine in ax.spines.values():
        spine.set_visible(False)
    for place in data.boundaries[1:-1] - 0.5 if len(data.names) <= _LINED else ():
        ax.axhline(place, color="white", linewidth=0.8)
        ax.axvline(place, color="white", linewidth=0.8)
    _name_clusters(ax, data)
    ax.set_xlabel(f"{'to ' if data.directed else ''}bags, in each cluster the most central first")
    ax.set_ylabel("from bags" if data.directed else "")
    ax.set_title(f"Distances of {counted(n, int(data.sizes.sum()))}")


def _name_clusters(ax: Axes, data: BagDistanceData) -> None:
    """Sizes of the clusters beside a strip in their colours, those of the plot of positions."""
    from matplotlib.patches import Rectangle

    n = len(data.order)
    for cluster, (start, stop) in enumerate(pairwise(data.boundaries.tolist())):
        strip = Rectangle(
            (-_STRIP, start - 0.5),
            _STRIP * 0.75,
            stop - start,
            transform=ax.get_yaxis_transform(),
            facecolor=look_of(cluster).color,
            clip_on=False,
            linewidth=0.0,
        )
        ax.add_patch(strip)
    centres = (data.boundaries[:-1] + data.boundaries[1:] - 1) / 2
    kept: list[int] = []
    for cluster in np.argsort(-np.diff(data.boundaries), kind="stable"):  # the largest have their names first
        if all(abs(centres[cluster] - centres[other]) >= _ROOM * n for other in kept):
            kept.append(int(cluster))
    kept.sort()
    ax.set_yticks(centres[kept], [f"{data.names[each]} ({data.sizes[each]})" for each in kept])
    ax.set_xticks([])
    ax.tick_params(length=0, pad=8)


def _measured(bags: Bags, kind: Kind) -> NDArray[np.float64]:
    # Loaded here because most who plot have no bags.
    from moo_clustering.bags import bag_distances

    return bag_distances(bags, kind=kind)


def _outwards(D: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bag nearest to all others first, then the others by their distance to it."""
    # As for BAMIC: from the medoid to its members, and from bags to the medoid.
    medoid = int(D.sum(axis=1).argmin())
    key = D[:, medoid].copy()
    key[medoid] = -1.0
    return np.argsort(key, kind="stable")
