"""Hypothesis strategies of what users hand to estimators, most of it good and some of it not."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from estimator_options import options
from estimator_tables import features, mostly, tables
from estimator_targets import classes, label_sets, pairs
from hypothesis import strategies as st

from moo_clustering.bags import Bags


@dataclass(eq=False)
class Case:
    """What one trial hands over.

    Parameters
    ----------
    X : object
    fit : dict
        ``y``, and what else ``fit`` takes by keyword.
    options : dict
        Options of the estimator that are changed.
    new : object
        What ``predict`` and its kin are given after a fit; None: the data of the fit.
    """

    X: Any
    fit: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    new: Any = None

    def __repr__(self) -> str:
        parts = [f"{key}={_described(value)}" for key, value in vars(self).items()]
        return f"Case({', '.join(parts)})"


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_described(item)}" for key, item in value.items()) + "}"
    if isinstance(value, np.ndarray):
        flags = "" if value.flags.c_contiguous and value.flags.writeable else "<not C or read-only>"
        return f"np.array({value.tolist()!r}, dtype={value.dtype.str!r}){flags}"
    if sp.issparse(value):
        return f"{type(value).__name__}({value.toarray().tolist()!r})"
    if isinstance(value, Bags):
        return f"Bags({value.instances.tolist()!r}, {value.offsets.tolist()!r})"
    return repr(value)


@st.composite
def bags(draw: Any) -> tuple[Any, dict[str, Any]]:
    """Bags in any form, and what names their rows."""
    table = draw(tables("table"))
    n = len(table)
    size = draw(st.integers(1, 3))
    bounds = np.unique(np.r_[np.arange(0, n + 1, size), n]).astype(np.int64)
    form = draw(
        mostly(
            st.sampled_from(["list", "bags", "offsets", "groups", "rows"]),
            st.sampled_from(
                ["empty bag", "widths", "mixed", "bad offsets", "bad groups", "both", "float offsets"]
            ),
        )
    )
    parts = [table[first:last] for first, last in pairwise(bounds)]
    if form == "list":
        return parts, {}
    if form == "bags":
        return (Bags(table, bounds) if n and table.shape[1] and np.isfinite(table).all() else parts), {}
    if form in ("offsets", "bad offsets", "float offsets"):
        if form == "bad offsets":
            bounds = draw(st.sampled_from([bounds[::-1], bounds[1:], bounds[:-1], bounds + 1, bounds[:0], 3]))
        return table, {"offsets": bounds + 0.5 if form == "float offsets" else bounds}
    if form in ("groups", "bad groups"):
        groups = [f"bag {i % max(1, n // size)}" for i in range(n)]
        return table, {"groups": groups[1:] if form == "bad groups" else groups}
    if form == "both":
        return table, {"offsets": bounds, "groups": np.arange(n)}
    if form == "empty bag":
        return [*parts, table[:0]], {}
    if form == "widths":
        return [*parts, np.ones((2, table.shape[1] + 1))], {}
    if form == "mixed":
        return [*parts, "bag", None], {}
    return draw(features("table")), {}


@st.composite
def cases(draw: Any, setting: Any, constraints: dict[str, Any]) -> Case:
    """Everything a fit and a prediction are given."""
    fit: dict[str, Any] = {}
    distances = setting.options.get("metric") == "precomputed"
    if setting.data == "bags":
        X, fit = draw(bags())
        n = n_bags(X, fit)
    else:
        X = draw(features("distances" if distances else setting.data))
        n = n_bags(X, fit)
    targets = label_sets(n) if setting.targets == "label sets" else classes(n)
    if setting.targets == "label sets" or draw(st.booleans()):
        fit["y"] = draw(targets)
    if setting.constraints and draw(st.integers(0, 2)) == 0:
        fit["must_link"] = draw(pairs(n))
        fit["cannot_link"] = draw(pairs(n))
    new = draw(mostly(st.none(), features(setting.data)))
    return Case(X, fit, draw(options(constraints, n)), new)


def n_bags(X: Any, fit: dict[str, Any]) -> int:
    """How many there are, roughly where they make no sense."""
    if "offsets" in fit:
        return max(np.size(fit["offsets"]) - 1, 0)
    if "groups" in fit:
        return len(set(fit["groups"]))
    if hasattr(X, "shape") and not isinstance(X, Bags):
        return X.shape[0] if X.shape else 0
    return len(X)
