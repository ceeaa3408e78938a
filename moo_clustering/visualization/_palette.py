"""Colours and markers of clusters, told apart by people of any colour vision."""

from __future__ import annotations

from typing import NamedTuple

# Paul Tol's bright scheme without its grey.
_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
_MARKERS = ("o", "s", "^", "D", "v", "P", "<", ">")


class Look(NamedTuple):
    """How a cluster is drawn."""

    color: str
    marker: str


def look_of(cluster: int) -> Look:
    """Colour and marker of a cluster; 24 look different."""
    # Both change from one cluster to the next, so that neighbours differ in two ways.
    turn = cluster // len(_COLORS)
    return Look(_COLORS[cluster % len(_COLORS)], _MARKERS[(cluster + turn) % len(_MARKERS)])
