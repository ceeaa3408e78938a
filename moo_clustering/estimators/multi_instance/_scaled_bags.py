"""Bags in the scale in which a fitted estimator measured them."""

from __future__ import annotations

from typing import Any

from moo_clustering.bags import Bags, BagTransformer
from moo_clustering.estimators.multi_instance._bag_scaling import FeatureRange


def scaled_bags(estimator: Any, bags: Bags) -> Bags:
    """Bags in the scale in which a fitted estimator measured them; as they are for one that has none."""
    if not hasattr(estimator, "data_min_"):
        return BagTransformer().fit_transform(bags) if getattr(estimator, "normalize", False) else bags
    return FeatureRange(estimator.data_min_, estimator.data_range_).scale_bags(bags)
