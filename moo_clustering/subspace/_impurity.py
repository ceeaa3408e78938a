"""Impurity of clusters: aggregated dispersion of classes times entropy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from moo_clustering.subspace._options import IMPURITIES, Normalisation


def impurity(
    shares: NDArray[np.float64],
    overall: NDArray[np.float64],
    sizes: NDArray[np.float64],
    n_labelled: float,
    multilabel: bool,
    normalisation: Normalisation,
) -> NDArray[np.float64]:
    """Impurity of clusters by the classes of their labelled samples.

    Parameters
    ----------
    shares : ndarray of shape (n_clusters, n_classes)
        Shares of the classes in the clusters.
    overall : ndarray of shape (n_classes,)
        Shares among all labelled samples.
    sizes : ndarray of shape (n_clusters,)
        Labelled mass of the clusters.
    n_labelled : float
    multilabel : bool
        Whether each class is a yes or no of its own.
    normalisation : {"mean", "count", "none", None}
        Gini index times entropy, relative to that of all labelled samples ("mean"); the same times the
        squared share of labelled samples ("count", the literal ratio); times the squared labelled mass,
        relative to nothing ("none"); or 0 (None).

    Returns
    -------
    ndarray of shape (n_clusters,)
        At least 0; 0 where nothing is labelled or all label sets are the same.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, sections on SISC
    and SISC-ML.
    """
    if normalisation not in IMPURITIES:
        raise ValueError(f"normalisation must be 'mean', 'count', 'none' or None, got {normalisation!r}")
    if normalisation is None or n_labelled <= 0:
        return np.zeros(len(shares))
    mixed = _mixture(shares, multilabel)
    if normalisation == "none":
        return sizes**2 * mixed
    whole = _mixture(overall[None], multilabel)[0]
    if whole <= 0:
        return np.zeros(len(shares))
    relative = mixed / whole
    return relative if normalisation == "mean" else (sizes / n_labelled) ** 2 * relative


def _mixture(shares: NDArray[np.float64], multilabel: bool) -> NDArray[np.float64]:
    """Gini index times entropy, never negative."""
    if multilabel:
        gini = 2.0 * (shares * (1.0 - shares)).sum(axis=1)
        entropy = (entr(shares) + entr(1.0 - shares)).sum(axis=1)
    else:
        gini = 1.0 - (shares**2).sum(axis=1)
        entropy = entr(shares).sum(axis=1)
    product: NDArray[np.float64] = np.maximum(gini, 0.0) * entropy
    return product
