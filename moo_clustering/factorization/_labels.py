"""From factors to clusters of documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.factorization._topics import topic_lengths


def labels_from_factors(U: ArrayLike, V: ArrayLike, normalise: bool = True) -> NDArray[np.int32]:
    """Topic of the largest weight of every document, the first of equal ones.

    Parameters
    ----------
    U : array-like of shape (n_terms, n_components) or (n_runs, n_terms, n_components)
    V : array-like of shape (n_documents, n_components) or (n_runs, n_documents, n_components)
    normalise : bool, default=True
        Compare weights for topics of unit length, so that labels do not depend on how a product is
        shared between U and V. Topics without terms stay as they are.

    Returns
    -------
    ndarray of shape (n_documents,) or (n_runs, n_documents), int32
        Numbers of topics; some may not occur.

    References
    ----------
    W. Xu, X. Liu, Y. Gong, "Document clustering based on non-negative matrix factorization", SIGIR
    (2003), section 3.2 (scaling).
    """
    topics, weights = np.asarray(U), np.asarray(V)
    if topics.ndim != weights.ndim or topics.ndim not in (2, 3) or topics.shape[-1] != weights.shape[-1]:
        raise ValueError(
            "U and V must be (n_terms, k) and (n_documents, k), or (n_runs, n_terms, k) and "
            f"(n_runs, n_documents, k) with the same k; got shapes {topics.shape} and {weights.shape}."
        )
    if normalise:
        weights = weights * topic_lengths(topics)[..., np.newaxis, :]
    return weights.argmax(axis=-1).astype(np.int32)
