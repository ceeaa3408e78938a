"""Neighbour lists made elsewhere, for instance by an approximate search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs._neighbors import NeighborLists


def lists_from_arrays(
    indices: ArrayLike, distances: ArrayLike, *, n_samples: int, groups: ConstraintGroups | None = None
) -> NeighborLists:
    """Check and wrap the answer of any neighbour search.

    Parameters
    ----------
    indices : array-like of shape (n_samples, width)
        Nearest other samples, nearest first, as scikit-learn's and the approximate searches return
        them. A column of the samples themselves must be dropped first.
    distances : array-like of shape (n_samples, width)
        Their distances, non-decreasing along a row.
    n_samples : int
    groups : ConstraintGroups, optional
        Forbidden neighbours are taken out; ask the search for more neighbours than needed then.

    Returns
    -------
    NeighborLists

    Raises
    ------
    ValueError
        Wrong shape, index out of range, self links, repeated neighbours, distances that are negative,
        not finite or not sorted, or a sample left without any admissible neighbour.
    """
    nb, nd = np.asarray(indices), np.asarray(distances, dtype=np.float32)
    if nb.ndim != 2 or nb.shape != nd.shape or len(nb) != n_samples or nb.shape[1] < 1:
        raise ValueError(
            f"neighbors must be (indices, distances), both of shape ({n_samples}, width); "
            f"got shapes {nb.shape} and {nd.shape}."
        )
    if nb.dtype.kind not in "iu" or nb.min() < 0 or nb.max() >= n_samples:
        raise ValueError(f"neighbors: indices must be integers from 0 to {n_samples - 1}.")
    _refuse(nb == np.arange(n_samples)[:, None], "a sample is its own neighbour")
    ordered = np.sort(nb, axis=1)
    _refuse(ordered[:, 1:] == ordered[:, :-1], "a neighbour is listed twice")
    _refuse(~np.isfinite(nd) | (nd < 0), "a distance is negative or not finite")
    _refuse(np.diff(nd, axis=1) < 0, "distances do not increase along the row")
    nb = nb.astype(np.int32)
    if groups is None or groups.is_empty:
        return NeighborLists(nb, nd, np.full(n_samples, nb.shape[1], dtype=np.int32))
    return _without_forbidden(nb, nd, groups)


def _refuse(bad: NDArray[np.bool_], what: str) -> None:
    rows = np.flatnonzero(bad.any(axis=1))
    if len(rows):
        raise ValueError(f"neighbors: {what} in row {rows[0]}.")


def _without_forbidden(
    nb: NDArray[np.int32], nd: NDArray[np.floating[Any]], groups: ConstraintGroups
) -> NeighborLists:
    forbidden = groups.forbidden(np.arange(len(nb))[:, None], nb)
    order = np.argsort(forbidden, axis=1, kind="stable")
    admissible = nb.shape[1] - forbidden.sum(axis=1)
    if (admissible == 0).any():
        raise ValueError(
            f"neighbors: sample {np.flatnonzero(admissible == 0)[0]} has no admissible neighbour left; "
            "give wider lists."
        )
    padding = np.arange(nb.shape[1]) >= admissible[:, None]
    indices = np.where(padding, -1, np.take_along_axis(nb, order, axis=1)).astype(np.int32)
    distances = np.where(padding, np.inf, np.take_along_axis(nd, order, axis=1)).astype(np.float32)
    return NeighborLists(indices, distances, admissible.astype(np.int32))
