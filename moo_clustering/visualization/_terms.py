"""Leading terms of topics as bars."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._figures import house_style, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_COLUMNS = 4
_COLOR = "#4477aa"
_LONGEST = 24  # characters of a term
_MARKS = 11  # characters an inch of the title
# Inches: of a panel without its bars, of a bar, and of the width of a panel.
_FRAME, _BAR, _WIDTH = 0.55, 0.19, 2.6


@dataclass(frozen=True, eq=False)
class TermData:
    """What :func:`plot_terms` shows.

    Parameters
    ----------
    clusters : ndarray of shape (n_shown,)
        Rows of the clusters that are shown, ascending.
    sizes : ndarray of shape (n_shown,) or None
        Documents of each.
    terms : list of tuple of str
        Leading terms of each, largest weight first.
    weights : list of ndarray
        Their weights.
    n_clusters : int
        Clusters, shown or not.
    """

    clusters: NDArray[np.int64]
    sizes: NDArray[np.int64] | None
    terms: list[tuple[str, ...]]
    weights: list[NDArray[np.float64]]
    n_clusters: int


def term_data(
    topics: Any,
    terms: ArrayLike | None = None,
    *,
    sizes: ArrayLike | None = None,
    n_terms: int = 10,
    max_clusters: int = 24,
) -> TermData:
    """The terms of the largest weights above 0 of every topic.

    Parameters
    ----------
    topics : array-like or sparse matrix of shape (n_clusters, n_terms_in_all)
        Weights of the terms, such as ``cluster_weights_`` or ``components_``.
    terms : array-like of shape (n_terms_in_all,), optional
        Names of the terms; default: their columns.
    sizes : array-like of shape (n_clusters,), optional
        Documents of every cluster; clusters without any are not shown.
    n_terms : int, default=10
        Terms a cluster.
    max_clusters : int, default=24
        Of more clusters the largest, or without sizes the first, are shown.

    Returns
    -------
    TermData

    Raises
    ------
    ValueError
        When shapes do not fit each other, numbers are less than 1, or weights are not finite.

    Notes
    -----
    Of equal weights the term of the smaller column comes first.
    """
    from scipy import sparse

    given = sparse.csr_array(topics) if sparse.issparse(topics) else np.asarray(topics, dtype=np.float64)
    stored = given.data if sparse.issparse(given) else given
    if given.ndim != 2 or not all(given.shape) or not np.isfinite(stored).all():
        raise ValueError(
            "topics must be finite numbers of shape (n_clusters, n_terms), at least one of each; "
            f"got the shape {given.shape}"
        )
    n_clusters, n_all = given.shape
    names = list(map(str, range(n_all) if terms is None else np.asarray(terms).tolist()))
    counts = None if sizes is None else np.asarray(sizes, dtype=np.int64)
    if len(names) != n_all:
        raise ValueError(f"terms must have one name for each of {n_all} columns, got {len(names)}")
    if counts is not None and counts.shape != (n_clusters,):
        raise ValueError(f"sizes must have shape ({n_clusters},), got {counts.shape}")
    for name, value in (("n_terms", n_terms), ("max_clusters", max_clusters)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    shown = np.arange(n_clusters)
    if counts is not None:
        shown = shown[counts > 0]
        shown = shown[np.argsort(-counts[shown], kind="stable")]
    shown = np.sort(shown[:max_clusters])
    weights = given[shown].toarray() if sparse.issparse(given) else given[shown]
    order = np.argsort(-weights, axis=1, kind="stable")[:, :n_terms]
    kept = [columns[row[columns] > 0] for row, columns in zip(weights, order, strict=True)]
    return TermData(
        clusters=shown,
        sizes=None if counts is None else counts[shown],
        terms=[tuple(names[column] for column in columns) for columns in kept],
        weights=[row[columns] for row, columns in zip(weights, kept, strict=True)],
        n_clusters=n_clusters,
    )


def plot_terms(
    topics: Any,
    terms: ArrayLike | None = None,
    *,
    sizes: ArrayLike | None = None,
    n_terms: int = 10,
    max_clusters: int = 24,
    title: str = "",
    label: str = "weight",
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Bars of the leading terms of every cluster, all on one scale.

    Parameters
    ----------
    topics, terms, sizes, n_terms, max_clusters
        See :func:`term_data`.
    title : str, default=""
    label : str, default="weight"
        What the bars measure.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data = term_data(topics, terms, sizes=sizes, n_terms=n_terms, max_clusters=max_clusters)
    n_shown = len(data.clusters)
    n_rows = max(1, -(-n_shown // _MOST_COLUMNS))
    n_columns = max(1, -(-n_shown // n_rows))
    most = max((len(found) for found in data.terms), default=1)
    with house_style():
        width = max(_WIDTH * n_columns, 4.5)
        figure = new_figure(width, n_rows * (_FRAME + _BAR * max(most, 2)) + 0.6)
        axes = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True)
        for place, ax in enumerate(axes.flat):
            if place < n_shown:
                _draw(ax, data, place, most)
                # Below the last panel of a column there is room for the numbers.
                ax.tick_params(labelbottom=place + n_columns >= n_shown)
            else:
                ax.set_visible(False)
        figure.supxlabel(label, fontsize="medium")
        figure.suptitle(textwrap.fill(_headed(title, data), int(_MARKS * width)), parse_math=False)
        save_figure(figure, path)
    return figure


def _draw(ax: Axes, data: TermData, place: int, most: int) -> None:
    weights, cluster = data.weights[place], int(data.clusters[place])
    rows = np.arange(len(weights))
    ax.barh(rows, weights, color=_COLOR, height=0.72)
    ax.set_yticks(rows, [_cut(term) for term in data.terms[place]], parse_math=False)
    ax.set_ylim(most - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=4)
    size = "" if data.sizes is None else f" ({data.sizes[place]})"
    ax.set_title(f"{cluster}{size}", loc="left", fontweight="bold")
    if not len(weights):
        ax.text(0.5, 0.5, "no terms", transform=ax.transAxes, ha="center", va="center", color="0.5")


def _headed(title: str, data: TermData) -> str:
    what = "Leading terms of the clusters"
    if len(data.clusters) < data.n_clusters:
        what = f"Leading terms of {len(data.clusters)} of {data.n_clusters} clusters"
    if data.sizes is not None:
        what += " (documents)"
    return f"{title}: {what[0].lower()}{what[1:]}" if title else what


def _cut(term: str) -> str:
    line = "".join(mark if mark.isprintable() else " " for mark in term)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
