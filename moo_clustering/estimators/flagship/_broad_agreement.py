"""Agreement that also counts how many members of the pool say the same."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from moo_clustering.pool import PartitionPool
from moo_clustering.validity import FamilyAgreement, ValidityIndex, pairwise_ari
from moo_clustering.validity._base import FloatArray, IntArray


class BroadAgreement(ValidityIndex):
    """Family agreement plus the mean over families of the mean positive agreement with their members.

    For pools in which only two or three families see the structure, as in spirals, where the median of
    the families sees nothing; together with the silhouette in minimax-path distances.
    """

    name: ClassVar[str] = "broad_agreement"
    greater_is_better: ClassVar[bool] = True

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        """Take a PartitionPool."""
        pool: PartitionPool = data
        self._agreement = FamilyAgreement(n_jobs=self.n_jobs).fit(pool)
        self._labels = pool.labels
        codes = pool.family_codes
        # Columns that average over the members of a family, then over the families.
        shares = 1.0 / np.bincount(codes)[codes]
        self._shares = shares / len(pool.family_names)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        """Between about 0 and 2."""
        rows = np.atleast_2d(np.asarray(labels, dtype=np.int32))
        support = np.maximum(pairwise_ari(rows, self._labels), 0.0) @ self._shares
        values: FloatArray = self.plain(rows) + support
        return values

    def plain(self, labels: IntArray) -> FloatArray:
        """Family agreement alone."""
        return self._agreement.evaluate(labels)
