"""Evidence of must-links and cannot-links for a partition."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.validity._base import FloatArray, IntArray
from moo_clustering.validity._population import check_population, require_fitted
from moo_clustering.validity._shared_data_index import SharedDataIndex


class PairEvidence(SharedDataIndex):
    """Minus a penalty for every violated pair; maximise.

    Parameters
    ----------
    penalty : float, default=2.9
        Of a must-link whose samples are apart, or a cannot-link whose samples are together. 2.9 is about
        ln(.95 / .05): one pair in twenty is wrong.

    Attributes
    ----------
    n_samples_ : int

    Notes
    -----
    A weight of a pair counts as that many pairs. 0 where nothing is violated. O(q (n + pairs)) time for q
    partitions.

    References
    ----------
    ParetoClustering: pair evidence.

    Examples
    --------
    >>> pairs = PairwiseConstraints([(0, 1)], [(1, 2), (0, 3)], n_samples=4)
    >>> PairEvidence().fit(pairs).evaluate([[0, 0, 1, 1], [0, 1, 1, 0]])
    array([ 0. , -8.7])
    """

    name: ClassVar[str] = "pair_evidence"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    _constraints: PairwiseConstraints

    def __init__(self, penalty: float = 2.9) -> None:
        self.penalty = penalty

    def fit(self, data: Any) -> Self:
        """Take the pairs.

        Parameters
        ----------
        data : PairwiseConstraints

        Raises
        ------
        TypeError
            Something else.
        ValueError
            A penalty that isn't positive.
        """
        if isinstance(self.penalty, bool) or not isinstance(self.penalty, int | float | np.number):
            raise TypeError(f"penalty must be a number, got {self.penalty!r}")
        if not (np.isfinite(self.penalty) and self.penalty > 0):
            raise ValueError(f"penalty must be positive and finite, got {self.penalty!r}")
        if not isinstance(data, PairwiseConstraints):
            raise TypeError(f"pair_evidence is fitted to PairwiseConstraints, got {type(data).__name__}")
        self._constraints = data
        self.n_samples_ = data.n_samples
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        given = self._constraints
        must, cannot = given.satisfied(population.labels)
        violated = (given.must_link_weights.sum() - must) + (given.cannot_link_weights.sum() - cannot)
        values: FloatArray = 0.0 - self.penalty * violated
        return values
