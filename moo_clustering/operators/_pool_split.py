"""Cut a cluster as another partition does."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.operators._label_rows import (
    Bounds,
    LabelMutation,
    Labels,
    at_least_one,
    pool_labels,
    renumbered,
    share,
)


class PoolSplit(LabelMutation):
    """Cut a random cluster by a random partition of a pool.

    A try draws a cluster with probability proportional to its size, and a partition of the pool, whose
    clusters cut it to pieces. With two or more pieces of at least ``min_share`` of its samples, either
    one of them, or each, with equal probability, becomes a cluster of its own; the smaller ones stay
    with what is left, or with the largest. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`, whose ``k_max`` is never exceeded.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    min_share : float, default=0.08
        Of the samples of the cluster, for a piece to count.
    max_tries : int, default=12
        Afterwards the partition stays as it is.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_samples) time per try.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self, pool: Any, *, min_share: float = 0.08, max_tries: int = 12, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        self.pool = pool_labels(pool)
        self.min_share = share("min_share", min_share)
        self.max_tries = at_least_one("max_tries", max_tries)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return self.split(labels, bounds.k_max, rng)

    def split(
        self, labels: Labels, k_max: int, rng: np.random.Generator, *, one_piece: bool = False
    ) -> Labels:
        """A canonical partition with a cluster cut, by one piece only where that is wanted."""
        k = int(labels.max()) + 1
        if k >= k_max:
            return labels
        for _ in range(self.max_tries):
            members = np.flatnonzero(labels == labels[rng.integers(len(labels))])
            cut = self.pool[rng.integers(len(self.pool)), members]
            sizes = np.bincount(cut)
            # 1e-9: the share of 25 samples that 2 are is .08 but for rounding.
            pieces = np.flatnonzero((sizes > 0) & (sizes >= self.min_share * len(members) - 1e-9))
            if len(pieces) < 2:
                continue
            every = rng.random() < 0.5 and not one_piece and k + len(pieces) - 1 <= k_max
            # Of several largest pieces the first by number, which is the first to appear in the pool's.
            leaving = pieces[pieces != sizes.argmax()] if every else [rng.choice(pieces)]
            out = labels.copy()
            for number, piece in enumerate(leaving):
                out[members[cut == piece]] = k + number
            return renumbered(out)
        return labels
