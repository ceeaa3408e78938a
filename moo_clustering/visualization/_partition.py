"""Samples as points in the colours of their clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure
from moo_clustering.visualization._palette import look_of
from moo_clustering.visualization._plane import feature_plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_NAMED = 24  # as many as look different


@dataclass(frozen=True, eq=False)
class PartitionData:
    """What :func:`plot_partition` shows.

    Parameters
    ----------
    positions : ndarray of shape (n_points, 2)
    axes : tuple of two str
        Names of the axes.
    clusters : ndarray of shape (n_points,)
        Position in ``names``.
    names : tuple of str
        Clusters in order.
    sizes : tuple of int
        Samples of each, drawn or not.
    share : float or None
        Of the variance that two components show; None for two features, or one, as they are.
    rows : ndarray of shape (n_points,)
        Samples that are drawn, ascending.
    """

    positions: NDArray[np.float64]
    axes: tuple[str, str]
    clusters: NDArray[np.intp]
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    share: float | None
    rows: NDArray[np.intp]


def partition_data(
    X: Any,
    labels: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
) -> PartitionData:
    """Samples in the plane: two features as they are, or two principal components of more.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,), int
    feature_names : sequence of str, optional
    cluster_names : sequence of str, optional
        Name of cluster 0, 1, ...; by default the numbers.
    max_points : int, default=5000
        Of more samples so many are shown, evenly from first to last.

    Returns
    -------
    PartitionData

    Raises
    ------
    ValueError
        When the shapes do not fit each other, or X has no features or values that are not finite.

    Notes
    -----
    O(n_samples n_features^2) time.
    """
    return placed_partition(X, labels, feature_names, cluster_names, max_points)[0]


def placed_partition(
    X: Any,
    labels: ArrayLike,
    feature_names: Sequence[str] | None,
    cluster_names: Sequence[str] | None,
    max_points: int,
    also: NDArray[np.integer[Any]] | tuple[()] = (),
) -> tuple[PartitionData, NDArray[np.float64]]:
    """:func:`partition_data`, with the samples ``also`` among those drawn; and where all samples lie."""
    from scipy import sparse

    labels = np.asarray(labels)
    table: Any = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or labels.shape != (table.shape[0],) or not len(labels):
        raise ValueError(f"X and labels must fit each other, got shapes {table.shape} and {labels.shape}")
    if not table.shape[1]:
        raise ValueError("X has no features, so that its samples have no place in the plane")
    _require_finite(table)
    if max_points < 1:
        raise ValueError(f"max_points must be at least 1, got {max_points}")
    positions, axes, share = feature_plane(table, feature_names)
    shown = np.linspace(0, len(labels) - 1, min(len(labels), max_points)).astype(np.intp)
    shown = np.union1d(shown, np.asarray(also, dtype=np.intp))
    found, clusters, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    named = [str(label) if cluster_names is None else str(cluster_names[label]) for label in found]
    data = PartitionData(
        positions[shown], axes, clusters[shown], tuple(named), tuple(map(int, sizes)), share, shown
    )
    return data, positions


def plot_partition(
    X: Any,
    labels: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Samples as points of the plane in the colours and marks of their clusters.

    Parameters
    ----------
    X, labels, feature_names, cluster_names, max_points
        See :func:`partition_data`.
    title : str, default=""
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data = partition_data(
        X, labels, feature_names=feature_names, cluster_names=cluster_names, max_points=max_points
    )
    with house_style():
        if ax is None:
            ax = new_figure(6.4, 4.6).add_subplot()
        draw_partition(ax, data, title)
        figure = figure_of(ax)
        save_figure(figure, path)
    return figure


def draw_partition(ax: Axes, data: PartitionData, title: str) -> None:
    """Points, legend and title."""
    n = len(data.positions)
    area, alpha = (26.0, 0.85) if n <= 300 else (10.0, 0.6)
    for cluster, name in enumerate(data.names):
        x, y = data.positions[data.clusters == cluster].T
        look = look_of(cluster)
        ax.scatter(
            x, y, s=area, c=look.color, marker=look.marker, alpha=alpha, linewidths=0.0,
            label=f"{name} ({data.sizes[cluster]})", rasterized=n > 2000,
        )  # fmt: skip
    ax.set_xlabel(data.axes[0])
    ax.set_ylabel(data.axes[1])
    if len(data.names) <= _MOST_NAMED:
        size = 9.0 if len(data.names) <= 14 else 7.0
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="cluster (samples)", fontsize=size)
    parts = [title] if title else []
    if data.share is not None:
        parts.append(f"two components with {data.share:.0%} of the variance")
    if sum(data.sizes) > n:
        parts.append(f"{n} of {sum(data.sizes)} samples")
    ax.set_title(", ".join(parts))


def _require_finite(table: Any) -> None:
    from scipy import sparse

    finite = np.isfinite(table.data) if sparse.issparse(table) else np.isfinite(table).all(axis=1)
    if not finite.all():
        where = "" if sparse.issparse(table) else f", first in row {int(finite.argmin())}"
        raise ValueError(f"X has NaN or infinite values{where}; fill them in or leave these samples out")
