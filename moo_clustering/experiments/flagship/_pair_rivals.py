"""Rivals that are told which pairs of samples belong together and which apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators import HMRFKMeans, PCKMeans
from moo_clustering.experiments.flagship._draws import PairDraw
from moo_clustering.graphs import spectral_partition

Labels = NDArray[np.integer[Any]]
Features = NDArray[np.float64]

_SPREAD = 0.9


def pairwise_k_means(
    kind: type[PCKMeans] | type[HMRFKMeans], X: Features, pairs: PairDraw, k: int, seed: int
) -> Labels:
    """PCKMeans or HMRFKMeans; pairs that contradict each other pull both ways."""
    model = kind(k, conflicts="keep", random_state=seed)
    labels: Labels = model.fit(X, must_link=pairs.must_link, cannot_link=pairs.cannot_link).labels_
    return labels


def written_spectral(
    graph: sp.csr_array, X: Features, pairs: PairDraw, k: int, rng: np.random.Generator
) -> Labels:
    """Spectral clustering of the graph with 1 at must-links and 0 at cannot-links."""
    similarity = graph.toarray()
    for links, value in ((pairs.must_link, 1.0), (pairs.cannot_link, 0.0)):
        similarity[links[:, 0], links[:, 1]] = similarity[links[:, 1], links[:, 0]] = value
    return spectral_partition(sp.csr_array(similarity), k, X=X, rng=rng).labels


def propagated_spectral(
    graph: sp.csr_array, pairs: PairDraw, k: int, rng: np.random.Generator, *, hard: bool
) -> Labels:
    """Pairs propagated on the graph alone, without a pool; repaired as the flagship's."""
    from moo_clustering.evidence import propagate_pairs, repair_pairs
    from moo_clustering.graphs._spectral_cuts import spectral_cuts

    constraints = PairwiseConstraints(pairs.must_link, pairs.cannot_link, n_samples=graph.shape[0])
    propagated = propagate_pairs(graph, constraints, alpha=_SPREAD)
    labels: Labels = repair_pairs(spectral_cuts(propagated, [k], rng=rng)[0], graph, constraints, hard=hard)
    return labels
