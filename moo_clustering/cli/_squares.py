"""Sums of squares of a search for the least, and those of its controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from moo_clustering.cli._findings import Description


def describe_squares(estimator: Any, found: Description) -> None:
    """Sum of squares, controls and centres; nothing of methods without such controls."""
    if not hasattr(estimator, "control_inertia_"):
        return
    squares: dict[str, Any] = {"inertia": estimator.inertia_, "local_searches": estimator.n_local_searches_}
    if estimator.control_inertia_:
        squares["controls"] = dict(estimator.control_inertia_)
    found.record["sum_of_squares"] = squares
    found.arrays["centers"] = np.asarray(estimator.cluster_centers_)


def squares_rows(record: Mapping[str, Any]) -> list[list[str]]:
    """What was reached, and by how much each control is beside it."""
    if "sum_of_squares" not in record:
        return []
    squares = record["sum_of_squares"]
    value, searches = squares["inertia"], squares["local_searches"]
    many = "search" if searches == 1 else "searches"
    rows = [["sum of squares", f"{value:.6g} after {searches} local {many}"]]
    for name, other in squares.get("controls", {}).items():
        beside = f" ({100 * (other / value - 1):+.2f} %)" if value > 0 else ""
        rows.append([f"  {name}", f"{other:.6g}{beside}"])
    return rows
