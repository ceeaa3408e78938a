"""PESC's phase II: what the search found, merged into partitions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.consensus import (
    diversity_graph,
    ensemble_members,
    kernel_graph,
    reconstruction_graph,
    to_csr,
)
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs import NeighborLists, SpectralPartition, spectral_partition, write_constraints

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]

ENSEMBLES = ("es1", "es2", "es3")


@dataclass(frozen=True)
class GraphEnsemble:
    """Final population of a neighbour-graph search, and how to cluster from it.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled features, or precomputed distances.
    lists : NeighborLists
    groups : ConstraintGroups
    join_groups : bool
        Whether samples of a group are linked, or only those of different groups kept apart.
    ranks : ndarray of shape (pop_size, n_samples)
    F : ndarray of shape (pop_size, 2)
    options : mapping
        Parameters of :class:`~moo_clustering.PESC`.
    weight_seed, spectral_seed : SeedSequence
        Fresh generators are made of them each time, so that asking twice gives the same answer.
    """

    X: NDArray[np.floating[Any]]
    lists: NeighborLists
    groups: ConstraintGroups
    join_groups: bool
    ranks: IntArray
    F: FloatArray
    options: Mapping[str, Any]
    weight_seed: np.random.SeedSequence
    spectral_seed: np.random.SeedSequence

    @cached_property
    def front(self) -> IntArray:
        """Rows of the population that are non-dominated."""
        return ensemble_members(self.F)

    def members(self) -> IntArray:
        """Ranks of the members that are merged."""
        if self.options["ensemble_over"] == "population":
            return self.ranks
        least = self.options["min_members"]
        if least is None:
            least = math.floor(math.log(len(self.X))) + 1
        return self.ranks[ensemble_members(self.F, least)]

    def merge(self, ensemble: str) -> tuple[SpectralPartition, float | None]:
        """Partition by ES1, ES2 or ES3, and the scale factor where one was used."""
        ranks, rng, options = self.members(), np.random.default_rng(self.weight_seed), self.options
        sigma = None
        if ensemble == "es1":
            self._require_features()
            S = reconstruction_graph(
                ranks,
                self.lists,
                self.X,
                solver=options["es1_solver"],
                orientation=options["orientation"],
                ridge=options["ridge"],
                min_weight=options["min_weight"],
                rng=rng,
                n_jobs=options["n_jobs"],
            )
        elif ensemble == "es2":
            S = diversity_graph(ranks, self.lists, weight=options["es2_weight"], n_jobs=options["n_jobs"])
        else:
            S, sigma = kernel_graph(
                ranks,
                self.lists,
                sigma=options["sigma"],
                n_clusters=options["n_clusters"],
                laplacian=options["laplacian"],
                rng=rng,
            )
        return self._cluster(S), sigma

    def member_partition(self, row: int) -> SpectralPartition:
        """Partition of the graph of one non-dominated member, every edge of weight 1."""
        ranks = self.ranks[self.front[row]]
        weights = np.zeros(self.lists.indices.shape)
        weights[np.arange(len(ranks)), ranks] = 1.0
        return self._cluster(to_csr(weights, self.lists))

    def _require_features(self) -> None:
        if self.options["metric"] == "precomputed":
            raise ValueError(
                "ensemble='es1' rebuilds samples from features and cannot be used with "
                "metric='precomputed'; use 'es2' or 'es3'."
            )

    def _cluster(self, S: sp.csr_array) -> SpectralPartition:
        options = self.options
        if self.join_groups and not self.groups.is_empty:
            how: Any = options["must_link"] if isinstance(options["must_link"], str) else "auto"
            S = write_constraints(S, self.groups, must_link=how, X=self.X)
        return spectral_partition(
            S,
            options["n_clusters"],
            laplacian=options["laplacian"],
            bridge=options["bridge"],
            X=self.X,
            metric=options["metric"],
            lists=self.lists,
            eigen_solver=options["eigen_solver"],
            rng=np.random.default_rng(self.spectral_seed),
        )
