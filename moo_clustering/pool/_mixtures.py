"""Gaussian mixtures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.mixture import GaussianMixture

from moo_clustering.pool._data import Partition, PoolData, state_of

_MOST_COMPONENTS = 20
# More features than these have too many covariances.
_MOST_FULL = 12


def mixture_partitions(data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence) -> list[Partition]:
    """A mixture for every k up to 20: full covariances up to 12 features, diagonal ones above."""
    shape = "full" if data.X.shape[1] <= _MOST_FULL else "diag"
    return [
        GaussianMixture(
            k, covariance_type=shape, reg_covar=1e-3, max_iter=60, random_state=state_of(seed, k)
        ).fit_predict(data.X)
        for k in ks
        if k <= _MOST_COMPONENTS
    ]
