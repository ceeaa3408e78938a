"""How much weight of a pool has two samples in one cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import block_slices
from moo_clustering.validity._hyperedges import check_runs, hyperedges

# Entries that differ by rounding only count as equal to the floor.
_ROUNDING = 1e-12


def coassociation(
    labels: ArrayLike, weights: ArrayLike, *, columns: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Share of the weight of the partitions that have two samples in one cluster.

    Parameters
    ----------
    labels : array-like of shape (n_partitions, n_samples)
        Partitions of any numbering from 0 on.
    weights : array-like of shape (n_partitions,)
        At least 0 and somewhere above; divided by their sum. Partitions of weight 0 cost nothing.
    columns : array-like of int, shape (L,), optional
        Samples to compare all others with. By default all of them.

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        Sum over the partitions P of v_P [l_P(i) = l_P(j)]: a positive semidefinite kernel with ones on its
        diagonal.

    Raises
    ------
    ValueError, TypeError
        If labels, weights or columns are out of range or of the wrong shape.

    Notes
    -----
    Through the sparse table of samples by clusters: O(n_samples L n_partitions / k) time for k clusters a
    partition, O(n_samples L) memory.

    References
    ----------
    ParetoClustering: partition kernel.

    Examples
    --------
    >>> from moo_clustering.evidence import coassociation
    >>> coassociation([[0, 0, 1], [0, 1, 1]], [3.0, 1.0], columns=[0]).ravel().tolist()
    [1.0, 0.75, 0.0]
    """
    rows, shares = checked_pool(labels, weights)
    n_samples = rows.shape[1]
    kept = shares > 0
    edges = hyperedges(rows[kept])
    one_hot = edges.matrix().T.tocsr()
    weighted = edges.matrix(shares[kept])
    if columns is not None:
        weighted = weighted[:, check_columns(columns, n_samples)]
    weighted = weighted.tocsr()
    out = np.empty((n_samples, weighted.shape[1]))
    # In blocks: the sparse form of a full product would take more room than the product itself.
    for part in block_slices(n_samples, 2 * weighted.shape[1]):
        out[part] = (one_hot[part] @ weighted).toarray()
    return out


def consensus_affinity(labels: ArrayLike, weights: ArrayLike, *, floor: float = 0.05) -> NDArray[np.float64]:
    """Co-association of all samples without its small entries, a similarity to be clustered.

    Parameters
    ----------
    labels, weights
        As for :func:`coassociation`.
    floor : float, default=0.05
        Entries up to this become 0.

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64

    Notes
    -----
    O(n_samples^2) memory.

    References
    ----------
    ParetoClustering: consensus.

    Examples
    --------
    >>> from moo_clustering.evidence import consensus_affinity
    >>> consensus_affinity([[0, 0, 1], [0, 1, 1]], [0.98, 0.02])[0].tolist()
    [1.0, 0.98, 0.0]
    """
    affinity = coassociation(labels, weights)
    affinity[affinity <= floor + _ROUNDING] = 0.0
    return affinity


def checked_pool(labels: ArrayLike, weights: ArrayLike) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
    """Labels of shape (n_partitions, n_samples) and weights of sum 1."""
    rows = check_runs(labels)
    if rows.min() < 0:
        raise ValueError(f"labels must be at least 0: every partition places every sample; got {rows.min()}")
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape != (len(rows),):
        raise ValueError(
            f"weights must have one entry per partition, shape ({len(rows)},); got {shares.shape}"
        )
    if not np.isfinite(shares).all() or shares.min() < 0 or shares.max() == 0:
        raise ValueError("weights must be finite, at least 0, and above 0 for some partition")
    # Divided by the greatest first: the sum of tiny weights may lack digits.
    shares = shares / shares.max()
    return rows, shares / shares.sum()


def check_columns(columns: ArrayLike, n_samples: int) -> NDArray[np.intp]:
    """Sample numbers of shape (L,), each from 0 to ``n_samples - 1``."""
    chosen = np.asarray(columns)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise TypeError(f"columns must be a list of sample numbers, got shape {chosen.shape}, {chosen.dtype}")
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n_samples):
        raise ValueError(
            f"columns must be from 0 to n_samples - 1 = {n_samples - 1}, got {chosen.min()} to {chosen.max()}"
        )
    return chosen.astype(np.intp)
