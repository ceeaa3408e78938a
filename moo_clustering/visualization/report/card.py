"""Notebook card of a fitted clusterer. The card contains no scripts, and is readable without styles."""

import html
from importlib.resources import files
from typing import Any

import numpy as np

from moo_clustering.results import ClusteringResult, recall_text, result_of, sizes_text

_MOST_BARS = 12
_MOST_POINTS = 500
_WIDTH, _HEIGHT, _MARGIN = 240, 100, 6


def card_of(estimator: Any, diagram: str) -> str:
    """Return HTML that shows a fitted clusterer's clusters, verdict, front, next steps and parameters."""
    result = result_of(estimator)
    first, *others = _words(result)
    columns = _sizes(result) + _front(result)
    items = "".join(f"<li>{html.escape(line)}</li>" for line in others)
    style = files("moo_clustering.visualization.report").joinpath("assets", "card.css").read_text("utf-8")
    return (
        f'<style>{style}</style><div class="moo-card">'
        f"<p><strong>{html.escape(type(estimator).__name__)}</strong>: {html.escape(first)}</p>"
        f'<div class="moo-columns">{columns}</div><ul>{items}</ul>'
        f"</div><details><summary>parameters</summary>{diagram}</details>"
    )


def _words(result: ClusteringResult) -> list[str]:
    own = result.lines()
    lines = list(own) or [sizes_text(np.asarray(result.labels))]
    if (found := recall_text(result.neighbor_recall)) is not None:
        lines.append(f"neighbours: {found}")
    if result.interrupted:
        lines.append("interrupted: the search was stopped early")
    if result.rules and not own and result.front is not None and len(result.front) > 1:
        rules = ", ".join(map(repr, result.rules))
        lines.append(f"next: select another solution with choose(rule); rules are {rules}")
    return [*lines, "report: call show(X) with the training data"]


def _sizes(result: ClusteringResult) -> str:
    numbers, counts = np.unique(result.labels, return_counts=True)
    names, most = result.cluster_names(), counts.max()
    cells = []
    for number, count in zip(numbers[:_MOST_BARS], counts, strict=False):
        name = f"cluster {number}" if number >= 0 else "outliers"
        if number in result.user_names:
            name = f"{number}: {result.user_names[number]}"
        elif names is not None and 0 <= number < len(names):
            name += ", new" if names[number].startswith("new") else f", class {names[number]}"
        bar = f'<span class="moo-bar" style="width: {100 * count / most:.1f}%"></span>'
        cells.append(f"<span>{html.escape(name)}</span>{bar}<span>{count}</span>")
    if (left := len(numbers) - _MOST_BARS) > 0:
        cells.append(f"<span>{left} more</span><span></span><span>{counts[_MOST_BARS:].sum()}</span>")
    return f'<div class="moo-sizes">{"".join(cells)}</div>'


def _front(result: ClusteringResult) -> str:
    """Return a plot of the first two objectives, with a ring around the result."""
    if result.front is None:
        return ""
    values = result.front.values
    rows = np.flatnonzero(np.isfinite(values).all(axis=1))
    if len(rows) < 2 or values.shape[1] < 2:
        return ""
    # A front with more than 10^7 labels is not searched for the result, because this would be slow.
    chosen = result.member if values.shape[0] * len(result.labels) > 10_000_000 else result.row_of_front()
    chosen = chosen if chosen in rows else None
    if len(rows) > _MOST_POINTS:
        spread = np.argsort(values[rows, 0], kind="stable")
        rows = rows[spread[np.linspace(0, len(rows) - 1, _MOST_POINTS).round().astype(np.intp)]]
    low = values[rows, :2].min(axis=0)
    # Values are halved before the subtraction, so that even the range of huge values is finite.
    half = np.maximum(values[rows, :2].max(axis=0) / 2 - low / 2, np.finfo(float).tiny)
    room = np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN

    def place(row: Any) -> str:
        x, y = _MARGIN + (values[row, :2] / 2 - low / 2) / half * room
        return f'cx="{x:.1f}" cy="{_HEIGHT - y:.1f}"'

    points = "".join(f'<circle {place(row)} r="2.5" fill="#2f7fbf"/>' for row in rows)
    across, up = result.front.names[:2]
    told = f"front of {len(values)} solutions: {up} (vertical) against {across} (horizontal)"
    if chosen is not None:
        points += f'<circle {place(chosen)} r="5" fill="none" stroke="#d9541e" stroke-width="2.5"/>'
        told += "; the ring marks the result"
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(told)}">'
        f'<path d="M1 0V{_HEIGHT - 1}H{_WIDTH}" fill="none" stroke="currentColor" opacity=".4"/>'
        f"{points}</svg><figcaption>{html.escape(told)}</figcaption></figure>"
    )
