"""Must-links and cannot-links as lines between samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure
from moo_clustering.visualization._partition import PartitionData, draw_partition, placed_partition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from moo_clustering.constraints import PairwiseConstraints

Pairs = NDArray[np.int64]


class _Stroke(NamedTuple):
    """How lines of a kind look: dash and weight tell them apart without their colour."""

    color: str
    width: float
    dash: Any


# Satisfied lines are thin, violated ones thick; must-links dark, cannot-links light where both are thick.
_STROKES = {
    ("must-link", True): _Stroke("#004488", 1.0, "-"),
    ("cannot-link", True): _Stroke("#997700", 0.9, (0, (1.0, 2.0))),
    ("must-link", False): _Stroke("#004488", 2.0, (0, (5.0, 2.0))),
    ("cannot-link", False): _Stroke("#bb3322", 2.0, (0, (5.0, 1.2, 1.0, 1.2))),
}


@dataclass(frozen=True, eq=False)
class PairLines:
    """Pairs of one kind.

    Parameters
    ----------
    kind : {"must-link", "cannot-link"}
    satisfied : bool
    pairs : ndarray of shape (n_drawn, 2), int64
        Samples of the pairs that are drawn.
    segments : ndarray of shape (n_drawn, 2, 2)
        Their places.
    count : int
        Pairs, drawn or not.
    """

    kind: str
    satisfied: bool
    pairs: Pairs
    segments: NDArray[np.float64]
    count: int


@dataclass(frozen=True, eq=False)
class ConstraintsData:
    """What :func:`plot_constraints` shows.

    Parameters
    ----------
    samples : PartitionData
        Samples in the plane, those at the ends of lines among them.
    lines : tuple of four PairLines
        Must-links and cannot-links that are satisfied, then those that are violated.
    """

    samples: PartitionData
    lines: tuple[PairLines, ...]

    def count(self, kind: str, satisfied: bool) -> int:
        """Pairs of a kind, drawn or not."""
        return sum(each.count for each in self.lines if (each.kind, each.satisfied) == (kind, satisfied))


def constraints_data(
    X: Any,
    labels: ArrayLike,
    constraints: PairwiseConstraints,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
    max_pairs: int = 2000,
) -> ConstraintsData:
    """Samples in the plane, and the pairs that are to be together or apart.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Data, or an embedding: two columns are drawn as they are, of more two principal components.
    labels : array-like of shape (n_samples,), int
    constraints : PairwiseConstraints
        Partial labels become some by ``PairwiseConstraints.from_partial_labels``.
    feature_names, cluster_names, max_points
        See :func:`partition_data`; samples at the ends of lines are drawn in addition.
    max_pairs : int, default=2000
        Lines drawn at most: violated pairs first, and of too many an even choice.

    Returns
    -------
    ConstraintsData

    Raises
    ------
    TypeError, ValueError
        For other things than constraints, constraints of other samples, and as of :func:`partition_data`.

    Notes
    -----
    A pair is satisfied as :meth:`PairwiseConstraints.satisfied` counts it. Time that of
    :func:`partition_data` and O(n_pairs).
    """
    if not (hasattr(constraints, "must_link") and hasattr(constraints, "cannot_link")):
        raise TypeError(
            "constraints must be PairwiseConstraints, such as PairwiseConstraints.from_partial_labels(y), "
            f"got {type(constraints).__name__}"
        )
    if max_pairs < 0:
        raise ValueError(f"max_pairs must be at least 0, got {max_pairs}")
    labels = np.asarray(labels)
    if labels.shape != (constraints.n_samples,):
        raise ValueError(
            f"labels must have shape ({constraints.n_samples},), as the constraints have so many samples; "
            f"got {labels.shape}"
        )
    found = {
        (kind, satisfied): pairs[(labels[pairs[:, 0]] == labels[pairs[:, 1]]) == (together == satisfied)]
        for satisfied in (True, False)
        for kind, pairs, together in (
            ("must-link", constraints.must_link, True),
            ("cannot-link", constraints.cannot_link, False),
        )
    }
    n_violated = sum(len(pairs) for (_, satisfied), pairs in found.items() if not satisfied)
    drawn: dict[tuple[str, bool], Pairs] = {}
    for satisfied, room in ((False, max_pairs), (True, max(0, max_pairs - n_violated))):
        kinds = [key for key in found if key[1] == satisfied]
        drawn |= dict(zip(kinds, _even_choice([found[key] for key in kinds], room), strict=True))
    ends = np.unique(np.concatenate([pairs.ravel() for pairs in drawn.values()]))
    samples, positions = placed_partition(X, labels, feature_names, cluster_names, max_points, ends)
    return ConstraintsData(
        samples,
        tuple(PairLines(*key, drawn[key], positions[drawn[key]], len(found[key])) for key in found),
    )


def plot_constraints(
    X: Any,
    labels: ArrayLike,
    constraints: PairwiseConstraints,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
    max_pairs: int = 2000,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Samples in the colours of their clusters, and lines between those that belong together or apart.

    Thin lines are satisfied pairs, thick ones violated; their four dashes are in the legend.

    Parameters
    ----------
    X, labels, constraints, feature_names, cluster_names, max_points, max_pairs
        See :func:`constraints_data`.
    title : str, default=""
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    TypeError, ValueError
        As of :func:`constraints_data`.

    See Also
    --------
    plot_partition : The same without lines.
    """
    data = constraints_data(
        X, labels, constraints, feature_names=feature_names, cluster_names=cluster_names,
        max_points=max_points, max_pairs=max_pairs,
    )  # fmt: skip
    with house_style():
        if ax is None:
            ax = new_figure(6.8, 5.4).add_subplot()
        draw_partition(ax, data.samples, title)
        handles = [_draw(ax, each) for each in data.lines]
        clusters = ax.get_legend()
        _add_legend(ax, handles, clusters)
        ax.set_title("\n".join(part for part in (ax.get_title(), _summary(data)) if part), parse_math=False)
        figure = figure_of(ax)
        save_figure(figure, path)
    return figure


def _draw(ax: Axes, lines: PairLines) -> Any:
    from matplotlib.collections import LineCollection

    color, width, dash = _STROKES[lines.kind, lines.satisfied]
    state = "satisfied" if lines.satisfied else "violated"
    more = "" if len(lines.pairs) == lines.count else f", {len(lines.pairs)} drawn"
    collection = LineCollection(
        list(lines.segments), colors=color, linewidths=width, linestyles=[dash],
        alpha=0.7 if lines.satisfied else 0.95, zorder=0.9 if lines.satisfied else 2.5,
        label=f"{lines.kind}, {state} ({lines.count}{more})",
    )  # fmt: skip
    ax.add_collection(collection)
    return collection


def _add_legend(ax: Axes, handles: list[Any], clusters: Legend | None) -> None:
    ax.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=4.2, ncols=2,
        handlelength=3.6,
    )  # fmt: skip
    if clusters is not None:  # a second legend would take its place
        ax.add_artist(clusters)
        clusters.set_clip_on(False)  # what is cut at the axes gets no room beside them


def _summary(data: ConstraintsData) -> str:
    parts = []
    for kind in ("must-link", "cannot-link"):
        good, bad = data.count(kind, True), data.count(kind, False)
        if good + bad:
            parts.append(f"{good} of {good + bad} {kind}s")
    return f"{' and '.join(parts)} satisfied" if parts else "no pairs"


def _even_choice(kinds: Sequence[Pairs], room: int) -> list[Pairs]:
    """So many pairs of all kinds together, evenly from first to last."""
    total = sum(map(len, kinds))
    if total <= room:
        return list(kinds)
    places = np.linspace(0, total - 1, room).astype(np.intp)
    starts = np.cumsum([0, *map(len, kinds)])
    return [
        pairs[places[(places >= start) & (places < start + len(pairs))] - start]
        for pairs, start in zip(kinds, starts[:-1], strict=True)
    ]
