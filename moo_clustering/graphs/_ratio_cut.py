"""How much a partition cuts of a graph, for the sizes of its clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.graphs._search import CHUNK
from moo_clustering.graphs._similarity import symmetrize


def ratio_cut(W: Any, labels: ArrayLike) -> NDArray[np.float64]:
    """Ratio cut ``sum_c cut(C_c, rest) / |C_c|`` of partitions; less is better.

    Parameters
    ----------
    W : sparse matrix or array-like of shape (n_samples, n_samples)
        Similarities, symmetrised by max(W, W^T).
    labels : array-like of shape (n_partitions, n_samples) or (n_samples,)
        Clusters 0, 1, ...; numbers may be left out.

    Returns
    -------
    ndarray of shape (n_partitions,)

    Raises
    ------
    ValueError
        Labels of another shape, or negative.

    Notes
    -----
    An edge between two clusters counts once for each of them. It favours cutting off single samples where
    the graph is thin. O(n_partitions nnz) time; O(nnz) memory and some tens of megabytes.

    References
    ----------
    Luo, Jiao and Lozano, IEEE TEVC, 2016, where it picks one partition of a front.

    Examples
    --------
    >>> W = [[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]]
    >>> ratio_cut(W, [[0, 0, 1], [0, 0, 0]])
    array([0.75, 0.  ])
    """
    graph = symmetrize(W).tocoo()
    partitions = np.atleast_2d(np.asarray(labels))
    if partitions.ndim != 2 or partitions.shape[1] != graph.shape[0]:
        raise ValueError(f"labels must have shape (n_partitions, {graph.shape[0]}), got {np.shape(labels)}.")
    if partitions.dtype.kind not in "iu" or partitions.min(initial=0) < 0:
        raise ValueError("labels must be integers from 0.")
    values = np.empty(len(partitions))
    step = max(1, CHUNK // max(graph.nnz, graph.shape[0]))
    for lo in range(0, len(partitions), step):
        values[lo : lo + step] = _ratio_cuts(graph, partitions[lo : lo + step].astype(np.int64))
    return values


def _ratio_cuts(graph: Any, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    n_partitions, n_clusters = len(labels), int(labels.max(initial=0)) + 1
    row, column = graph.coords
    cut = labels[:, row] != labels[:, column]
    which, edge = np.nonzero(cut)
    cell = which * n_clusters + labels[which, row[edge]]
    cuts = np.bincount(cell, weights=graph.data[edge], minlength=n_partitions * n_clusters)
    cells = labels + n_clusters * np.arange(n_partitions)[:, None]
    sizes = np.bincount(cells.ravel(), minlength=n_partitions * n_clusters)
    ratios = np.divide(cuts, sizes, out=np.zeros(len(cuts)), where=sizes > 0)
    total: NDArray[np.float64] = ratios.reshape(n_partitions, n_clusters).sum(axis=1)
    return total
