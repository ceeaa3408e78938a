"""How much of the labelled part of a cluster has each class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._targets import Targets

# Labelled samples handled at once: bounds the temporary arrays.
_CHUNK = 4096


class LabelledShares(NamedTuple):
    """Shares of classes and the labelled mass |L_l| they are shares of."""

    shares: NDArray[np.float64]
    sizes: NDArray[np.float64]


def labelled_shares(memberships: NDArray[np.floating[Any]], targets: Targets) -> LabelledShares:
    """Shares (1), with the denominator that is missing there; unlabelled samples are never read."""
    k = memberships.shape[1]
    sums, sizes = np.zeros((k, targets.n_classes)), np.zeros(k)
    rows = targets.rows
    for first in range(0, len(rows), _CHUNK):
        part = rows[first : first + _CHUNK]
        weights = memberships[part].astype(np.float64, copy=False)
        sums += weights.T @ targets.indicators[part]
        sizes += weights.sum(axis=0)
    shares = np.tile(overall_shares(targets), (k, 1))
    np.divide(sums, sizes[:, None], out=shares, where=sizes[:, None] > 0)
    return LabelledShares(np.clip(shares, 0.0, 1.0), sizes)


def class_shares(memberships: NDArray[np.floating[Any]], targets: Targets) -> NDArray[np.float64]:
    """Shares of the classes in each cluster.

    Parameters
    ----------
    memberships : ndarray of shape (n_samples, n_clusters)
    targets : Targets
        Rows of unlabelled samples are never read.

    Returns
    -------
    ndarray of shape (n_clusters, n_classes)
        In 0..1; those of all labelled samples where a cluster has none, 0 where nothing is labelled.
    """
    return labelled_shares(memberships, targets).shares


def overall_shares(targets: Targets) -> NDArray[np.float64]:
    """Shares of the classes among all labelled samples.

    Parameters
    ----------
    targets : Targets

    Returns
    -------
    ndarray of shape (n_classes,)
        0 where nothing is labelled.
    """
    rows = targets.rows
    if len(rows) == 0:
        return np.zeros(targets.n_classes)
    found: NDArray[np.float64] = targets.indicators[rows].mean(axis=0)
    return found
