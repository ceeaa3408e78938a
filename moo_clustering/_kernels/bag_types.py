"""What the loops over bag partitions read and write, by name.

Sizes: N bags, K clusters, C chunks of S slots (see ``bag_radii``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]

DAVIES_BOULDIN, TWCV, FTWCV = 0, 1, 2
CONTRAST, SCALED, PRINTED, GREEDY = 0, 1, 2, 3


class BagArrays(NamedTuple):
    """Data of a set of bags; nothing here depends on a partition."""

    squares: Floats  # (S, C) squared norms of instances
    products: Floats  # (N, S, C) weighted bag mean times instance
    pulls: Floats  # (N, N) products of weighted bag means
    weights: Floats  # (N,) of bags in centroids
    chunk_bag: Ints  # (C,) bag of every chunk
    chunk_start: Ints  # (N + 1,) first chunk of every bag
    rounding: float  # squared distances below this are rounding


class Task(NamedTuple):
    """What is minimised, and how genes are drawn."""

    objective: int
    literal: bool  # FTWCV as sums of `terms` over cluster sizes instead of within-cluster squares
    constant: float  # FTWCV: what the clusters' part is taken from
    terms: Floats  # (N,) literal FTWCV: mean squared norm of every bag
    rule: int
    least: int  # bags a cluster must keep
    penalty: float  # objective times 1 + penalty * violation
    pair_start: Ints  # (N + 1,) pairs of every bag
    pair_bag: Ints  # the other bag
    pair_weight: Floats  # what it adds to the violation that both share a cluster; below 0 for must-links
    pair_constant: float  # violation of a partition in which no pair shares a cluster


class State(NamedTuple):
    """One individual, kept up to date gene by gene."""

    labels: Ints  # (N,)
    chunk_label: Ints  # (C,)
    projections: Floats  # (K, S, C) sums of products over clusters
    own: Floats  # (S, C) projections of the own cluster
    pulls: Floats  # (K, N) sums of pulls over clusters
    inner: Floats  # (K, K) sums of pulls over pairs of clusters
    masses: Floats  # (K,) sums of weights
    counts: Ints  # (K,) bags
    spreads: Floats  # (K,) sums of radii, squared for TWCV; literal FTWCV: sums of terms
    closeness: Floats  # (K, K) one over the distance of centroids
    numbers: Floats  # objective without penalty, violation
    norms: Floats  # (K,) squared norms of centroids


class Trial(NamedTuple):
    """What becomes of the clusters when one bag leaves its own, or enters another."""

    scale: Floats  # (C,)
    pull: Floats  # (C,)
    best: Floats  # (C,)
    factor: Floats  # (K,) 2 over the mass after the move
    norms: Floats  # (K,) squared norm of the centroid after the move
    spreads: Floats  # (K,) sum of radii after the move, of the bags that do not move
    entering: Floats  # (K,) radius (squared for TWCV) of the moved bag in every cluster
    costs: Floats  # (K,) part of the violation that the moved bag has in every cluster
    values: Floats  # (K,) objective with the bag in every cluster, without penalty
    weights: Floats  # (K,) of the draw
