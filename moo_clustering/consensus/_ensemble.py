"""What the consensus functions ask of an ensemble, and how they number what they return."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.validity._hyperedges import FloatArray, Hyperedges, IntArray, hyperedges


def check_ensemble(
    labels: ArrayLike, n_clusters: int, weights: ArrayLike | None
) -> tuple[Hyperedges, FloatArray]:
    """Hyperedges of the runs that have a weight, and these weights.

    Raises
    ------
    ValueError, TypeError
        Labels, number of clusters or weights out of range, or objects that no run has seen.
    """
    edges = hyperedges(labels)
    check_number("n_clusters", n_clusters, 1, edges.n_samples)
    run_weights = _check_weights(weights, edges.n_runs)
    counted = np.flatnonzero((run_weights > 0) & edges.seen.any(axis=1))
    if len(counted) < edges.n_runs:
        edges, run_weights = edges.take(counted), run_weights[counted]
    lost = np.flatnonzero(~edges.seen.any(axis=0))
    if len(lost):
        shown = ", ".join(map(str, lost[:5])) + (", ..." if len(lost) > 5 else "")
        raise ValueError(
            f"labels must place every object in at least one run (of weight above 0); {len(lost)} of "
            f"{edges.n_samples} are -1 in all of them: {shown}. Leave these columns out, as in "
            "labels[:, (labels >= 0).any(axis=0)]"
        )
    return edges, run_weights


def check_number(name: str, value: Any, lowest: int, n_samples: int | None = None) -> None:
    """Refuse all but whole numbers from ``lowest`` on, up to the number of objects where that is given."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if n_samples is not None and not lowest <= value <= n_samples:
        raise ValueError(f"{name} must be from {lowest} to the number of objects, {n_samples}; got {value}")
    if value < lowest:
        raise ValueError(f"{name} must be at least {lowest}, got {value}")


def numbered(labels: IntArray) -> NDArray[np.int32]:
    """Labels of shape (n_samples,) in the order of their first objects, without gaps."""
    return relabel_by_first_appearance(labels[np.newaxis])[0]


def _check_weights(weights: ArrayLike | None, n_runs: int) -> FloatArray:
    if weights is None:
        return np.ones(n_runs)
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"weights must be numbers, one per run, got {weights!r}") from None
    if given.shape != (n_runs,):
        raise ValueError(f"weights must have one entry per run, shape ({n_runs},); got {given.shape}")
    if not np.isfinite(given).all() or given.min() < 0 or given.max() == 0:
        raise ValueError("weights must be finite, at least 0, and above 0 for some run")
    return given
