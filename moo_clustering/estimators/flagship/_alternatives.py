"""A few good partitions that differ clearly from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.estimators.flagship._candidates import Candidates
from moo_clustering.validity import pairwise_ari

MOST, LIKENESS = 6, 0.8


def alternatives(
    candidates: Candidates,
    labels: NDArray[np.integer[Any]],
    *,
    most: int = MOST,
    likeness: float = LIKENESS,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Members by falling score, each unlike the result and unlike those before it.

    Parameters
    ----------
    candidates : Candidates
    labels : ndarray of shape (m,)
        The result.
    most : int, default=6
    likeness : float, default=0.8
        Greatest adjusted Rand index of two of them.

    Returns
    -------
    members : ndarray of shape (n_alternatives,)
    ari : ndarray of shape (n_alternatives,)
        Adjusted Rand index of each and the result.

    Notes
    -----
    O(most p m).
    """
    order = np.lexsort((candidates.pool.n_clusters, -candidates.score))
    to_result = pairwise_ari(candidates.labels, np.asarray(labels, dtype=np.int32)[None])[:, 0]
    nearest = to_result.copy()
    members: list[int] = []
    for member in order:
        if nearest[member] > likeness or not np.isfinite(candidates.score[member]):
            continue
        members.append(int(member))
        if len(members) == most:
            break
        nearest = np.maximum(
            nearest, pairwise_ari(candidates.labels, candidates.labels[member : member + 1])[:, 0]
        )
    chosen = np.array(members, dtype=np.intp)
    return chosen, to_result[chosen]
