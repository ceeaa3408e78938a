"""Features of bags brought to the range of all instances of all bags."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.bags import Bags
from moo_clustering.bags._checks import freeze

Floats = NDArray[np.float64]


class FeatureRange(NamedTuple):
    """What is subtracted from every feature, and what it is divided by then.

    Attributes
    ----------
    low, span : ndarray of shape (n_features,)
        A feature of span 0 becomes 0.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 11.
    """

    low: Floats
    span: Floats

    @classmethod
    def of(cls, bags: Bags) -> FeatureRange:
        """Range of all instances of all bags.

        Raises
        ------
        ValueError
            A range overflows.
        """
        low = bags.instances.min(axis=0).astype(np.float64)
        high = bags.instances.max(axis=0).astype(np.float64)
        with np.errstate(over="ignore"):
            span = high - low
        if not np.isfinite(span).all():
            column = int(np.isinf(span).argmax())
            raise ValueError(
                f"the range of feature {column}, {low[column]:g} to {high[column]:g}, overflows; rescale it"
            )
        return cls(low, span)

    @classmethod
    def unit(cls, n_features: int) -> FeatureRange:
        """The range that changes nothing."""
        return cls(np.zeros(n_features), np.ones(n_features))

    def scale_bags(self, bags: Bags) -> Bags:
        """Bags in the range; what was outside stays outside."""
        if not self.low.any() and (self.span == 1.0).all():
            return bags
        return bags.with_instances(freeze(self.scale(bags.instances)))

    def scale(self, rows: ArrayLike) -> Floats:
        """Rows of any number in the range, as a new array."""
        scaled = np.array(rows, dtype=np.float64)
        scaled -= self.low
        scaled /= np.where(self.span > 0.0, self.span, 1.0)
        scaled[:, self.span == 0.0] = 0.0
        return scaled

    def unscale(self, rows: Floats) -> Floats:
        """Rows in the units of the data."""
        return rows * self.span + self.low
