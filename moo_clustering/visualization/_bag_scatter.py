"""Bags as points."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from moo_clustering._random import SeedLike
from moo_clustering.visualization._bag_embedding import BagEmbeddingData, bag_embedding_data
from moo_clustering.visualization._bag_input import counted
from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure
from moo_clustering.visualization._palette import look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_NAMED = 24  # as many as look different


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
    """Bags as points of the plane in the colours of their clusters; the title says how they got there.

    Parameters
    ----------
    bags_or_distances, labels, medoids, centers, max_bags
        See :func:`bag_embedding_data`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    path : path-like, optional
        Also write the figure to this file.
    random_state
        See :func:`bag_embedding_data`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data = bag_embedding_data(
        bags_or_distances,
        labels,
        medoids=medoids,
        centers=centers,
        max_bags=max_bags,
        random_state=random_state,
    )
    with house_style():
        if ax is None:
            ax = new_figure(6.4, 5.0).add_subplot()
        _draw(ax, data)
        figure = figure_of(ax)
        save_figure(figure, path)
    return figure


def _draw(ax: Axes, data: BagEmbeddingData) -> None:
    n = len(data.positions)
    area, alpha = (26.0, 0.85) if n <= 300 else (10.0, 0.6)
    for cluster, name in enumerate(data.names):
        x, y = data.positions[data.clusters == cluster].T
        look = look_of(cluster)
        label = f"{name} ({data.sizes[cluster]})"
        ax.scatter(
            x, y, s=area, c=look.color, marker=look.marker, alpha=alpha, linewidths=0.0, label=label,
            rasterized=n > 2000,
        )  # fmt: skip
    if len(data.medoids):
        x, y = data.positions[data.medoids].T
        ax.scatter(
            x, y, s=5.0 * area, facecolors="none", edgecolors="black",
            linewidths=1.3, label="medoid",
        )  # fmt: skip
    if len(data.centers):
        x, y = data.centers.T
        ax.scatter(x, y, s=70.0, c="black", marker="X", edgecolors="white", label="centre")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_color("0.8")
    if len(data.names) <= _MOST_NAMED:
        size = 9.0 if len(data.names) <= 14 else 7.0
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="cluster (bags)", fontsize=size)
    ax.set_title(f"{counted(n, int(data.sizes.sum())).capitalize()} by {data.method}")
