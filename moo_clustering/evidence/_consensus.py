"""One partition of k clusters from the weighted partitions of a pool."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph

from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.evidence._coassociation import checked_pool, coassociation, consensus_affinity
from moo_clustering.graphs._spectral_cuts import spectral_cuts

# Share of the whole pool, weights aside, and of nothing at all in an affinity with too many parts.
_WHOLE_POOL = 1e-3
_TIE = 1e-6


def consensus_partition(
    labels: ArrayLike, weights: ArrayLike, k: int, *, floor: float = 0.05, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Spectral clustering of the co-association of weighted partitions.

    Parameters
    ----------
    labels : array-like of shape (n_partitions, n_samples)
        Partitions of any numbering from 0 on.
    weights : array-like of shape (n_partitions,)
        At least 0 and somewhere above, as from :func:`consensus_weights`.
    k : int
        Number of clusters, from 1 to n_samples.
    floor : float, default=0.05
        Co-associations up to this count as 0.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Numbered by first appearance: k clusters, or as many as there are samples that some partition of the
        pool (of any weight) tells apart, if these are fewer.

    Raises
    ------
    ValueError, TypeError
        If labels, weights or k are out of range.

    Notes
    -----
    O(n_samples^3) time and O(n_samples^2) memory. Where the weighted partitions fall into more than k groups
    that none of them joins, all partitions of the pool help to join them.

    References
    ----------
    ParetoClustering: consensus.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.evidence import consensus_partition
    >>> pool = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]]
    >>> consensus_partition(pool, [1.0, 0.5, 1.0], 2, rng=np.random.default_rng(0)).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    rows, shares = checked_pool(labels, weights)
    n_samples = rows.shape[1]
    if not 1 <= k <= n_samples:
        raise ValueError(f"k must be from 1 to the number of samples, {n_samples}; got {k}")
    if k in (1, n_samples):
        return np.arange(n_samples, dtype=np.int32) % np.int32(k)
    # Clusters are numbered alike whatever a caller calls them; so are the ties between them.
    rows = relabel_by_first_appearance(rows)
    by_weight = rows[np.argsort(-shares, kind="stable")]
    first, kind = distinct_rows(rows[shares > 0].T)
    if len(first) <= k:
        # Eigenvectors beyond the different rows would be arbitrary.
        return _with_clusters(kind.astype(np.int32), k, by_weight)
    affinity = consensus_affinity(rows, shares, floor=floor)
    if _n_parts(affinity) > k:
        whole = coassociation(rows, np.ones(len(rows)))
        affinity = coassociation(rows, shares) + _WHOLE_POOL * whole + _TIE
    found = spectral_cuts(affinity, [k], rng=rng)[0]
    return _with_clusters(found, k, by_weight)


def _n_parts(affinity: NDArray[np.float64]) -> int:
    return int(csgraph.connected_components(sp.csr_array(affinity), directed=False)[0])


def _with_clusters(found: NDArray[np.int32], k: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """At least k clusters, or as many as columns of ``rows`` differ if these are fewer.

    One partition after the other cuts the largest cluster it can cut: its greatest piece stays, the rest
    becomes a new one.
    """
    found = found.astype(np.int64)
    n_clusters = int(found.max()) + 1
    for row in rows:
        width = int(row.max()) + 1
        while n_clusters < k:
            n_pieces = np.bincount(np.unique(found * width + row) // width)
            sizes = np.where(n_pieces > 1, np.bincount(found), 0)
            if not sizes.any():
                break
            members = np.flatnonzero(found == sizes.argmax())
            piece = row[members]
            found[members[piece != np.bincount(piece).argmax()]] = n_clusters
            n_clusters += 1
    return relabel_by_first_appearance(found[np.newaxis])[0]
