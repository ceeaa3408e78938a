"""What the families are built from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform
from sklearn.neighbors import NearestNeighbors

from moo_clustering.graphs import SpanningTree
from moo_clustering.graphs._self_tuning import self_tuning_graph

Floats = NDArray[np.float64]
Partition = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class PoolData:
    """Samples, and what several families need of them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), or (n_samples, n_samples) distances
    precomputed : bool
        Whether X holds distances.
    n_neighbors : int
        Of the graph.
    given_graph : csr_array of shape (n_samples, n_samples), optional
    given_merges : ndarray of shape (n_samples - 1, 4), optional
        As of :func:`scipy.cluster.hierarchy.linkage`.
    """

    X: Floats
    precomputed: bool
    n_neighbors: int = 10
    given_graph: csr_array | None = None
    given_merges: Floats | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X)

    @property
    def metric(self) -> Any:
        """Name of the metric, as the graphs take it."""
        return "precomputed" if self.precomputed else "euclidean"

    def graph(self) -> csr_array:
        """Similarity of neighbours."""
        if self.given_graph is not None:
            return self.given_graph
        return self_tuning_graph(self.X, n_neighbors=self.n_neighbors, metric=self.metric)

    def merges(self) -> Floats:
        """Ward linkage of samples, average linkage of distances."""
        if self.given_merges is not None:
            return self.given_merges
        if self.precomputed:
            merges: Floats = linkage(squareform(self.X, checks=False), "average")
        else:
            merges = linkage(self.X, "ward")
        return merges

    def nearest(self, samples: NDArray[np.intp], among: NDArray[np.intp]) -> NDArray[np.intp]:
        """For each of the samples the one that is nearest to it among others."""
        if self.precomputed:
            places = self.X[np.ix_(samples, among)].argmin(axis=1)
        else:
            search = NearestNeighbors(n_neighbors=1).fit(self.X[among])
            places = search.kneighbors(self.X[samples], return_distance=False)[:, 0]
        return among[places]


Builder = Callable[[PoolData, Sequence[int], np.random.SeedSequence], list[Partition]]
"""Partitions of one family for numbers of clusters; what is random follows from the seed and k alone."""


def child_seed(seed: np.random.SeedSequence, key: int) -> np.random.SeedSequence:
    """The child with this number, whichever others are used."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, key))


def state_of(seed: np.random.SeedSequence, key: int) -> int:
    """``random_state`` of the child with this number."""
    return int(child_seed(seed, key).generate_state(1)[0])


def sorted_links(tree: SpanningTree) -> tuple[NDArray[np.int32], Floats]:
    """Links of a tree with their lengths, in the order of their ends, which decides among equal ones."""
    links = np.sort(tree.links(), axis=1)
    lengths = tree.lengths[np.arange(tree.n_samples) != tree.root]
    order = np.lexsort((links[:, 1], links[:, 0]))
    return links[order], lengths[order]
