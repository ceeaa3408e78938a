"""The ground of bags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from moo_clustering.bags import Bags
from moo_clustering.estimators.flagship._bag_ground import bag_ground
from moo_clustering.estimators.flagship._ground import Ground, PoolOptions
from moo_clustering.estimators.flagship._trivial import at_distance_zero, trivial_pool
from moo_clustering.pool import extra_partitions


def ground_of_bags(
    bags: Bags,
    options: PoolOptions,
    extra: Sequence[Any] | None,
    seed: np.random.SeedSequence,
    *,
    needs_pool: bool = True,
    **views: Any,
) -> Ground:
    """Bags as samples: their graph, kernels and pool.

    Parameters
    ----------
    **views
        ``distances``, ``embeddings``, ``normalize`` and ``max_instances`` of :func:`bag_ground`.
    """
    candidates, rest = seed.spawn(2)
    given = []
    if extra:
        # Clusterers of tables see the means of the bags.
        rng = np.random.default_rng(candidates)
        given = extra_partitions(extra, bags.means(), n_samples=bags.n_bags, rng=rng)
    found = bag_ground(
        bags,
        k_range=options.k_range,
        n_clusters=options.n_clusters,
        n_neighbors=options.n_neighbors,
        extra=given,
        random_state=rest,
        n_jobs=options.n_jobs,
        needs_pool=needs_pool,
        **views,
    )
    pool = found.pool
    if pool is None and needs_pool:
        pool = trivial_pool(found.n_samples)
    # Hausdorff distances are 0 between bags of the same instances only.
    same = at_distance_zero(found.distances["symmetric"])
    return Ground(found.n_samples, found.graph, pool, None, found.nearest, kernels=found.kernels, same=same)
