"""Kernel of walks on the neighbour graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.evidence._coassociation import check_columns
from moo_clustering.evidence._diffusion import dense_affinity, diffusion


def graph_kernel(S: Any, columns: ArrayLike | None = None, *, factor: float = 0.9) -> NDArray[np.float64]:
    """G_ij / sqrt(G_ii G_jj) with G = (I - factor B)^-1 and B the normalised similarities.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities of at least 0.
    columns : array-like of int, shape (L,), optional
        Samples to compare all others with. By default all of them.
    factor : float, default=0.9
        How far walks reach, in [0, 1).

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        Ones on the diagonal.

    Raises
    ------
    ValueError, TypeError
        If S is not symmetric and at least 0, or columns or factor are out of range.

    Notes
    -----
    O(n_samples^3) time and O(n_samples^2) memory, whatever L: the whole diagonal is needed. Keep the full
    kernel where columns change often.

    References
    ----------
    ParetoClustering: graph kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.evidence import graph_kernel
    >>> path = np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1)
    >>> graph_kernel(path, [0]).round(4).ravel().tolist()
    [1.0, 0.825, 0.6807]
    """
    W = dense_affinity(S, "S")
    chosen = None if columns is None else check_columns(columns, len(W))
    G = diffusion(W, factor)
    scale = 1.0 / np.sqrt(G.diagonal())
    if chosen is None:
        G *= scale[:, np.newaxis]
        G *= scale
        return G
    return G[:, chosen] * scale[:, np.newaxis] * scale[chosen]
