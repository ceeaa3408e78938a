"""The scale of topics."""

from __future__ import annotations

import numpy as np

from moo_clustering.factorization._runs import Floats


def topic_lengths(U: Floats) -> Floats:
    """Euclidean lengths of topics, 1 for topics without terms.

    Parameters
    ----------
    U : ndarray of shape (..., n_terms, n_components)

    Returns
    -------
    ndarray of shape (..., n_components)
        U divided and V multiplied by them have the same product as before.
    """
    lengths: Floats = np.linalg.norm(U, axis=-2)
    return np.where(lengths > 0, lengths, lengths.dtype.type(1))
