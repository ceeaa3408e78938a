"""How many bags differ."""

from __future__ import annotations

import numpy as np

from moo_clustering.bags import Bags


def count_distinct_bags(bags: Bags, limit: int) -> int:
    """Number of bags that differ as sets of instances, or ``limit`` if there are so many.

    Looks at no more bags than it takes to find ``limit``, and sorts the instances of those.
    """
    seen: set[bytes] = set()
    for bag in bags:
        seen.add((np.unique(bag, axis=0) + 0.0).tobytes())
        if len(seen) == limit:
            break
    return len(seen)
