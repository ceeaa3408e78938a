"""Members of a front of similarity graphs, and how to cluster from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph
from tqdm import tqdm

from moo_clustering.constraints import ConstraintGroups
from moo_clustering.fronts._spread import spread_members
from moo_clustering.graphs import (
    NeighborLists,
    SpectralPartition,
    spectral_partition,
    symmetrize,
    write_constraints,
)
from moo_clustering.graphs._ratio_cut import ratio_cut

FloatArray = NDArray[np.float64]

# Members that the ratio cut picks from.
_COMPARED = 30
# Above so many pairs within groups must_link=True joins a group by a star instead of a clique.
_MAX_CLIQUE_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False)
class GraphMembers:
    """Non-dominated similarity graphs.

    Parameters
    ----------
    F : ndarray of shape (n_members, 2)
        Error and number of links, by the latter.
    graph : callable
        Directed similarity matrix of a member.
    X : ndarray of shape (n_samples, n_features)
        Scaled.
    lists : NeighborLists
    groups : ConstraintGroups
    join_groups : bool
        Whether samples of a group are linked, or only those of different groups kept apart.
    options : mapping
        Parameters of :class:`~moo_clustering.SRMOSC`.
    seed : SeedSequence
        Fresh generators are made of it each time, so that asking twice gives the same answer.
    """

    F: FloatArray
    graph: Callable[[int], sp.csr_array]
    X: FloatArray
    lists: NeighborLists
    groups: ConstraintGroups
    join_groups: bool
    options: Mapping[str, Any]
    seed: np.random.SeedSequence
    _found: dict[int, NDArray[np.int32]] = field(default_factory=dict, repr=False)

    def consensus(self) -> SpectralPartition:
        """Partition of the mean graph."""
        return self._cluster(self.mean_graph())

    def partition(self, member: int) -> SpectralPartition:
        """Partition of the graph of one member."""
        partition = self._cluster(symmetrize(self.graph(member)))
        self._found[member] = partition.labels
        return partition

    def labels(self, member: int) -> NDArray[np.int32]:
        """Labels of one member, remembered."""
        if member not in self._found:
            self.partition(member)
        return self._found[member]

    def least_cut(self) -> int:
        """The member whose partition has the least ratio cut on the mean graph.

        Of at most 30, evenly along the front. Partitions of graphs that fall into more parts than there
        are clusters are arbitrary and do not count, unless all are of such.
        """
        compared = spread_members(self.F[:, 1], _COMPARED)
        parts = np.array([self.n_parts(int(member)) for member in compared])
        reliable = parts <= self.options["n_clusters"]
        if reliable.any():
            compared = compared[reliable]
        progress = tqdm(compared, desc="SRMOSC partitions", disable=not self.options["verbose"])
        labels = np.stack([self.labels(int(member)) for member in progress])
        cuts = ratio_cut(self._joined(self.mean_graph()), labels)
        return int(compared[cuts.argmin()])

    def n_parts(self, member: int) -> int:
        """Connected components of the graph of one member."""
        graph = self._joined(symmetrize(self.graph(member)))
        return int(csgraph.connected_components(graph, directed=False)[0])

    def mean_graph(self) -> sp.csr_array:
        """Mean of the symmetrised similarity matrices of all members."""
        total = symmetrize(self.graph(0))
        for member in range(1, len(self.F)):
            total = total + symmetrize(self.graph(member))
        return symmetrize(total / len(self.F))

    def _cluster(self, S: sp.csr_array) -> SpectralPartition:
        options = self.options
        return spectral_partition(
            self._joined(S),
            options["n_clusters"],
            laplacian=options["laplacian"],
            bridge=options["bridge"],
            X=self.X,
            metric=options["metric"],
            lists=self.lists,
            eigen_solver=options["eigen_solver"],
            rng=np.random.default_rng(self.seed),
        )

    def _joined(self, S: sp.csr_array) -> sp.csr_array:
        if not self.join_groups or self.groups.is_empty:
            return S
        return write_constraints(S, self.groups, must_link=self._how_to_join(), X=self.X)

    def _how_to_join(self) -> Any:
        how = self.options["must_link"]
        if isinstance(how, str):
            return how
        n_pairs = sum(len(members) * (len(members) - 1) // 2 for members in self.groups.members())
        return "clique" if n_pairs <= _MAX_CLIQUE_PAIRS else "star"
