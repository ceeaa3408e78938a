"""Weights of documents for fixed topics."""

from __future__ import annotations

import numpy as np
from numba import njit

from moo_clustering._kernels.nnls import nnls_gram


@njit(cache=True, nogil=True)
def fit_weights(gram, products, weights, lo, hi):  # type: ignore[no-untyped-def]
    """weights[i] = min w' gram w / 2 - products[i]' w over w >= 0, for positive definite gram."""
    k = len(gram)
    gradient = np.empty(k)
    passive = np.zeros(k, dtype=np.bool_)
    factor = np.zeros((k, k))
    trial = np.empty(k)
    for i in range(lo, hi):
        nnls_gram(gram, products[i], k, weights[i], gradient, passive, factor, trial)
