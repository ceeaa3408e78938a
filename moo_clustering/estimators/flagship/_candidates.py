"""Partitions and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from moo_clustering.algorithms._exhaustive import non_dominated
from moo_clustering.evidence import selection_score
from moo_clustering.pool import PartitionPool
from moo_clustering.validity import ValidityIndex

FloatArray = NDArray[np.float64]

# How much a point of the selection score counts against evidence, which is a log-likelihood.
SCORE_WEIGHT = 20.0


@dataclass(frozen=True, eq=False)
class Scoring:
    """The objectives of a partition and their sum.

    Attributes
    ----------
    indices : tuple of ValidityIndex, fitted
        Agreement and modularity (or minimax silhouette); then the evidence, if there is any.
    weight : float
        Of the second against the first.
    boundary : ValidityIndex or None
        Price of boundaries, taken off the scalar of a search.
    boundary_price : float
    """

    indices: tuple[ValidityIndex, ...]
    weight: float
    boundary: ValidityIndex | None = None
    boundary_price: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objectives."""
        return tuple(index.name for index in self.indices)

    def values(self, labels: NDArray[np.int32]) -> FloatArray:
        """Objectives, natural sign, shape (q, n_objectives)."""
        return np.column_stack([index.evaluate(labels) for index in self.indices])

    def score(self, values: FloatArray) -> FloatArray:
        """Selection score of agreement and modularity."""
        return selection_score(values[:, 0], values[:, 1], weight=self.weight)

    def scalar(self, values: FloatArray, labels: NDArray[np.int32]) -> FloatArray:
        """What is greatest in the best: the score, or evidence and 20 times the score less the price."""
        total = self.score(values)
        if values.shape[1] > 2:
            total = values[:, 2] + SCORE_WEIGHT * total
        if self.boundary is not None:
            total = total - self.boundary_price * self.boundary.evaluate(labels)
        return total


@dataclass(frozen=True, eq=False)
class Candidates:
    """Partitions to choose from or to combine.

    Attributes
    ----------
    pool : PartitionPool
        Of the m samples or landmarks.
    values : ndarray of shape (p, n_objectives)
    score, scalar : ndarray of shape (p,)
    """

    pool: PartitionPool
    values: FloatArray
    score: FloatArray
    scalar: FloatArray

    @classmethod
    def of(cls, pool: PartitionPool, scoring: Scoring, values: FloatArray | None = None) -> Self:
        """Score a pool; ``values`` if its objectives are known."""
        if values is None:
            values = scoring.values(pool.labels)
        return cls(pool, values, scoring.score(values), scoring.scalar(values, pool.labels))

    def joined(self, other: Candidates) -> Candidates:
        """These, then others."""
        return Candidates(
            self.pool.joined(other.pool),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.score, other.score]),
            np.concatenate([self.scalar, other.scalar]),
        )

    @property
    def labels(self) -> NDArray[np.int32]:
        """Partitions, shape (p, m)."""
        return self.pool.labels

    def front(self) -> NDArray[np.intp]:
        """Members that no other dominates, each partition once."""
        distinct = _first_of_equals(self.labels)
        rows: NDArray[Any] = non_dominated(-self.values[distinct])
        return np.sort(distinct[rows])


def _first_of_equals(labels: NDArray[np.int32]) -> NDArray[np.intp]:
    from moo_clustering.encodings._canonical import distinct_rows

    return np.sort(distinct_rows(labels)[0])
