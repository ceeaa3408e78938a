"""Members of a front of similarity graphs, and how to cluster from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph
from tqdm import tqdm

from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.algorithms._interrupt import InterruptGuard
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

# Members that the ratio cut picks from, and samples in all of them: eigenvectors of large graphs take long.
_COMPARED, _FEWEST, _COMPARED_SAMPLES = 30, 6, 150_000


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
    _least: dict[int, SpectralPartition] = field(default_factory=dict, repr=False)

    def consensus(self) -> SpectralPartition:
        """Partition of the mean graph."""
        return self._cluster(self.mean_graph())

    def partition(self, member: int) -> SpectralPartition:
        """Partition of the graph of one member."""
        found = self._least.pop(member, None)
        return self._cluster(symmetrize(self.graph(member))) if found is None else found

    def labels(self, member: int) -> NDArray[np.int32]:
        """Labels of one member, remembered."""
        if member not in self._found:
            self._remember(member)
        return self._found[member]

    def least_cut(self) -> int:
        """The member whose partition has the least ratio cut on the mean graph.

        Of at most 30, evenly along the front; from 5000 samples on of fewer, down to 6. Partitions of graphs
        that fall into more parts than there are clusters are arbitrary and do not count, unless all are of
        such. Ctrl-C ends the comparison with the best so far.

        Warns
        -----
        InterruptedSearchWarning
            After Ctrl-C.
        """
        n_compared = min(_COMPARED, max(_FEWEST, _COMPARED_SAMPLES // len(self.X)))
        compared = spread_members(self.F[:, 1], n_compared)
        n_clusters = self.options["n_clusters"]
        parts = {member: self.n_parts(member) for member in compared.tolist()}
        reliable = [member for member, n_parts in parts.items() if n_parts <= n_clusters]
        mean = self._joined(self.mean_graph())
        best, least, n_done = -1, np.inf, 0
        progress = tqdm(reliable or [*parts], desc="SRMOSC partitions", disable=not self.options["verbose"])
        with InterruptGuard() as guard, closing(progress):
            for member in progress:
                n_done += 1
                partition = None if member in self._found else self._remember(member)
                cut = float(ratio_cut(mean, self._found[member][None])[0])
                if cut < least:
                    best, least = member, cut
                    self._least.clear()
                    # One that deserves a warning is made again, with it.
                    if partition is not None and (self.options["bridge"] or parts[member] <= n_clusters):
                        self._least[member] = partition
                # Nothing is cut less than nothing.
                if least <= 0.0 or guard.requested:
                    break
        if guard.requested:
            warnings.warn(
                f"the comparison of partitions was interrupted after {n_done} of {progress.total}; the best "
                'so far is taken, and choose("rcut") goes on.',
                InterruptedSearchWarning,
                stacklevel=4,
            )
        return best

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

    def _remember(self, member: int) -> SpectralPartition:
        with warnings.catch_warnings():
            # Of the one that is chosen is enough.
            warnings.filterwarnings("ignore", message="the graph has .* components")
            partition = self.partition(member)
        self._found[member] = partition.labels
        return partition

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
        given = self.options["must_link"]
        how: Any = given if isinstance(given, str) else "auto"
        return write_constraints(S, self.groups, must_link=how, X=self.X)
