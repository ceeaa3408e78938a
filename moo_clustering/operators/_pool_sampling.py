"""An initial population of the best partitions there are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.sampling import Sampling

from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.operators._encoding_sampling import encoding_of
from moo_clustering.operators._label_rows import pool_labels


class PoolSampling(Sampling):
    """The members of a pool with the greatest scores, each distinct partition once.

    Nothing is random. A pool with fewer distinct members than asked for gives all that it has. For
    problems with an encoding, which is asked for the genes that mean the partitions.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    scores : array-like of shape (n_partitions,)
        Greater is better; ties: fewer clusters, then the earlier member.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, pool: Any, scores: ArrayLike) -> None:
        super().__init__()
        labels = pool_labels(pool)
        values = np.asarray(scores, dtype=np.float64)
        if values.shape != (len(labels),) or np.isnan(values).any():
            raise ValueError(
                f"scores must be {len(labels)} numbers, one for each partition of the pool; "
                f"got shape {values.shape}."
            )
        order = np.lexsort((labels.max(axis=1), -values))
        first, _ = distinct_rows(labels[order])
        self.labels = labels[order[first]]

    def _do(self, problem: Any, n_samples: int, *args: Any, **kwargs: Any) -> NDArray[np.integer[Any]]:
        return encoding_of(problem).encode(self.labels[:n_samples])
