"""The front of MOCK before the fronts of control data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization._figures import house_style, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from moo_clustering.fronts import AttainmentScores

FloatArray = NDArray[np.float64]

_MEMBERS, _CHOSEN, _CONTROLS, _PROMISING = "#4477aa", "#cc3311", "0.6", "#228833"
# Least distance of numbers beside the front, in its units.
_ROOM = 0.06


@dataclass(frozen=True, eq=False)
class AttainmentData:
    """What :func:`plot_attainment` shows.

    Parameters
    ----------
    front : ndarray of shape (n, 2)
        Solutions that have a score, as they are compared: scaled to [0, 1], square roots.
    n_clusters : ndarray of shape (n,)
    controls : tuple of ndarray of shape (m, 2)
        Corners of the control fronts' surfaces from left to right, with both ends at the frame.
    annotated : ndarray of int
        Rows of ``front`` with their number of clusters beside them.
    chosen : int or None
        Row of ``front``.
    foot : ndarray of shape (2,) or None
        Point of the control surfaces nearest to the chosen solution.
    distance : float or None
        From there to the chosen solution, its score.
    numbers, scores : ndarray of shape (n_numbers,)
        Every number of clusters, and the best score of the solutions that have it.
    promising : ndarray of shape (n_numbers,), bool
        Whether the score is above those of the next smaller and larger numbers.
    """

    front: FloatArray
    n_clusters: NDArray[np.int64]
    controls: tuple[FloatArray, ...]
    annotated: NDArray[np.intp]
    chosen: int | None
    foot: FloatArray | None
    distance: float | None
    numbers: NDArray[np.int64]
    scores: FloatArray
    promising: NDArray[np.bool_]


def attainment_plot_data(attainment: AttainmentScores, chosen: int | None = None) -> AttainmentData:
    """What there is to show of attainment scores.

    Parameters
    ----------
    attainment : AttainmentScores
        Such as ``MOCK().fit(X).attainment_``.
    chosen : int, optional
        Solution to mark, as a row of the scores; default the best. One without a score is not marked.

    Returns
    -------
    AttainmentData

    Raises
    ------
    ValueError, TypeError
        A row outside the front, or other things than scores.
    """
    if not hasattr(attainment, "scores"):
        raise TypeError(
            f"attainment must be AttainmentScores, such as attainment_ of a fitted MOCK that was asked for "
            f"them, got {type(attainment).__name__}"
        )
    n = len(attainment.scores)
    row = attainment.best() if chosen is None else int(chosen)
    if not -n <= row < n:
        raise ValueError(f"chosen={chosen} is outside the front, which has {n} solutions")
    kept = np.flatnonzero(np.isfinite(attainment.scores))
    front, numbers = attainment.front[kept], attainment.n_clusters[kept]
    best = np.array([attainment.best(int(k)) for k in np.unique(numbers)], dtype=np.intp)
    promising = np.isin(best, attainment.promising())
    place = np.flatnonzero(kept == row % n)
    marked = int(place[0]) if len(place) else None
    foot = None
    if marked is not None:
        feet = [_nearest_point(front[marked], corners) for corners in attainment.controls]
        foot = min(feet, key=lambda point: float(np.hypot(*(point - front[marked]))))
    first = [marked] if marked is not None else []
    order = best[np.lexsort((-attainment.scores[best], ~promising))]
    return AttainmentData(
        front=front,
        n_clusters=numbers,
        controls=tuple(_corners(values) for values in attainment.controls),
        annotated=_apart(front, [*first, *np.searchsorted(kept, order)]),
        chosen=marked,
        foot=foot,
        distance=None if foot is None else float(np.hypot(*(foot - front[marked]))),
        numbers=np.unique(numbers),
        scores=attainment.scores[best],
        promising=promising,
    )


def plot_attainment(
    attainment: AttainmentScores,
    chosen: int | None = None,
    names: Sequence[str] = ("variance", "connectivity"),
    *,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """A front before the fronts of control data, and the score over the number of clusters.

    On the left, objectives are scaled to the range of their front and drawn as square roots; numbers are
    numbers of clusters, and the dashed line is the distance of the chosen solution to the control fronts,
    its score. On the right, locally best scores are marked.

    Parameters
    ----------
    attainment, chosen
        See :func:`attainment_plot_data`.
    names : sequence of two str, default=("variance", "connectivity")
        Of the objectives.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if len(names) != 2:
        raise ValueError(f"names must be those of two objectives, got {len(names)}")
    data = attainment_plot_data(attainment, chosen)
    with house_style():
        figure = new_figure(9.0, 4.2)
        left, right = figure.subplots(1, 2)
        _draw_front(left, data, names)
        _draw_scores(right, data)
        save_figure(figure, path)
    return figure


def _draw_front(ax: Any, data: AttainmentData, names: Sequence[str]) -> None:
    for i, corners in enumerate(data.controls):
        label = "control fronts" if i == 0 else None
        ax.plot(*_steps(corners).T, color=_CONTROLS, linewidth=0.8, label=label, zorder=1)
    ax.scatter(*data.front.T, color=_MEMBERS, s=14, label="front", zorder=2)
    if data.chosen is not None and data.foot is not None:
        point = data.front[data.chosen]
        ax.plot(*np.array([point, data.foot]).T, color=_CHOSEN, linestyle="--", linewidth=1.0, zorder=3)
        ax.scatter(
            *point, color=_CHOSEN, marker="D", s=36, label=f"chosen, score {data.distance:.3f}", zorder=4
        )
    for row in data.annotated:
        ax.annotate(
            str(data.n_clusters[row]),
            data.front[row],
            (-4, -4),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=8,
            color=_CHOSEN if row == data.chosen else "black",
        )
    ax.set_xlim(-0.07, 1.05)
    ax.set_ylim(-0.07, 1.05)
    ax.set_aspect("equal")
    ax.set_xlabel(f"{names[0].replace('_', ' ')}, scaled, square root")
    ax.set_ylabel(f"{names[1].replace('_', ' ')}, scaled, square root")
    ax.set_title("Front and control fronts")
    ax.legend(loc="upper right")


def _draw_scores(ax: Any, data: AttainmentData) -> None:
    ax.plot(data.numbers, data.scores, color=_MEMBERS, marker=".", zorder=1)
    shown = data.promising
    ax.scatter(
        data.numbers[shown],
        data.scores[shown],
        facecolor="none",
        edgecolor=_PROMISING,
        s=60,
        label="promising",
        zorder=2,
    )
    if data.chosen is not None and data.distance is not None:
        ax.scatter(
            data.n_clusters[data.chosen],
            data.distance,
            color=_CHOSEN,
            marker="D",
            s=36,
            label="chosen",
            zorder=3,
        )
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("best attainment score")
    ax.set_title("Score over the number of clusters")
    ax.legend(loc="best")


def _corners(surface: FloatArray) -> FloatArray:
    """Corners of a surface, drawn on to where everything ends."""
    top, end = np.array([[surface[0, 0], 1.05]]), np.array([[1.05, surface[-1, 1]]])
    return np.concatenate([top, surface, end])


def _steps(corners: FloatArray) -> FloatArray:
    """The same with the inner corners: right first, then down."""
    inner = np.column_stack([corners[1:, 0], corners[:-1, 1]])
    every = np.empty((2 * len(corners) - 1, 2))
    every[::2], every[1::2] = corners, inner
    return every


def _nearest_point(point: FloatArray, surface: FloatArray) -> FloatArray:
    """Of the boundary of what a front dominates."""
    above, right = np.append(np.inf, surface[:-1, 1]), np.append(surface[1:, 0], np.inf)
    down = np.column_stack([surface[:, 0], np.clip(point[1], surface[:, 1], above)])
    along = np.column_stack([np.clip(point[0], surface[:, 0], right), surface[:, 1]])
    points = np.concatenate([down, along])
    nearest: FloatArray = points[np.hypot(*(points - point).T).argmin()]
    return nearest


def _apart(front: FloatArray, rows: Sequence[Any]) -> NDArray[np.intp]:
    """Of the rows those that are not too near to any before."""
    taken: list[int] = []
    for row in rows:
        gaps = np.hypot(*(front[taken] - front[int(row)]).T) if taken else np.array([np.inf])
        if gaps.min() >= _ROOM:
            taken.append(int(row))
    return np.array(taken, dtype=np.intp)
