"""Clusters in subspaces as the documents they grow from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from moo_clustering._targets import Targets
from moo_clustering.encodings._base import Encoding, IntArray, Labels
from moo_clustering.encodings._checks import (
    checked_cluster_range,
    checked_genes,
    checked_labels,
    rounded_genes,
)
from moo_clustering.encodings._medoid_slots import random_slots, repair_slots
from moo_clustering.encodings._medoids import occurred_before
from moo_clustering.subspace import (
    SubspaceData,
    SubspaceOptions,
    Sweep,
    distances,
    memberships_from_seeds,
    sweep,
)

Result = TypeVar("Result")


class SubspaceSeedEncoding(Encoding):
    """Genes are the documents that clusters grow from, or -1 for no cluster, anywhere in the row.

    Every document starts near the seeds it is like, and a few sweeps of SISC then move centroids and
    weights of the features; a document belongs to the cluster of its largest membership.

    Parameters
    ----------
    data : SubspaceData
    targets : Targets
        What is known of the documents; guides the sweeps.
    n_seeds : int
        Largest number of clusters, and number of genes.
    k_min : int, optional
        Smallest number of clusters; default ``n_seeds``.
    n_sweeps : int, default=3
    options : SubspaceOptions, optional
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Attributes
    ----------
    k_min, k_max : int

    Notes
    -----
    Decoding takes O(n_individuals n_sweeps (nnz + n_samples + n_features) n_seeds) time for nnz non-zero
    values. Encodings are immutable: a deep copy shares the data.

    References
    ----------
    SISC-ML, "seeds" start.
    """

    dtype = np.dtype(np.int64)

    def __init__(
        self,
        data: SubspaceData,
        targets: Targets,
        n_seeds: int,
        k_min: int | None = None,
        *,
        n_sweeps: int = 3,
        options: SubspaceOptions | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.data = data
        self.targets = targets
        self.options = SubspaceOptions() if options is None else options
        self.n_samples = data.n
        self.k_min, self.k_max = checked_cluster_range(
            n_seeds if k_min is None else k_min, n_seeds, self.n_samples, "n_seeds"
        )
        self.n_var = self.k_max
        self.n_sweeps = n_sweeps
        self.n_jobs = n_jobs

    def bounds(self) -> tuple[IntArray, IntArray]:
        """-1 (no cluster) and the last document, for every gene."""
        lower = np.full(self.n_var, -1, dtype=self.dtype)
        return lower, np.full(self.n_var, self.n_samples - 1, dtype=self.dtype)

    def seeds(self, X: ArrayLike) -> IntArray:
        """Population as int64, after a look at whether it is valid.

        Raises
        ------
        ValueError
            For rows that name a document twice or none at all.
        """
        slots = checked_genes(X, self.n_var).astype(self.dtype)
        occupied = slots >= 0
        wrong = ~occupied.any(axis=1)
        wrong |= ((slots < -1) | (slots >= self.n_samples) | (occurred_before(slots) & occupied)).any(axis=1)
        if wrong.any():
            raise ValueError(
                f"row {np.argmax(wrong)} of X holds no seed, one twice, or numbers outside "
                f"-1..{self.n_samples - 1}: repair the genotypes first."
            )
        return slots

    def grow(self, seeds: IntArray) -> Sweep:
        """Clusters of one row of seeds, without -1, after the sweeps; cluster c is that of seed c."""
        memberships = memberships_from_seeds(self.data, seeds, self.options)
        done = sweep(self.data, self.targets, memberships, self.options)
        for _ in range(1, self.n_sweeps):
            done = sweep(self.data, self.targets, done.memberships, self.options, centers=done.centers)
        return done

    def grow_all(self, X: IntArray, use: Callable[[Sweep], Result]) -> list[Result]:
        """What ``use`` makes of the clusters of every row of :meth:`canonical`, on ``n_jobs`` threads."""
        # Used where they were made: the memberships of all at once would be much memory. Never on a
        # cluster: what goes back of an individual takes as long as growing it.
        run = Parallel(n_jobs=self.n_jobs, require="sharedmem")
        results: list[Result] = run(delayed(self._grown)(row[row >= 0], use) for row in X)
        return results

    def _grown(self, seeds: IntArray, use: Callable[[Sweep], Result]) -> Result:
        return use(self.grow(seeds))

    def decode(self, X: IntArray) -> Labels:
        """Cluster of the largest membership, of equal ones that of the document with the lower number.

        Clusters are numbered in the order of their seeds in the row; those that are nowhere the
        largest have no number.
        """
        slots = self.seeds(X)
        owners = self.grow_all(self.canonical(slots), lambda done: done.memberships.argmax(axis=1))
        labels = np.empty((len(slots), self.n_samples), dtype=np.int32)
        for row, seeds, owner in zip(labels, slots, owners, strict=True):
            row[:] = np.unique(np.argsort(seeds[seeds >= 0])[owner], return_inverse=True)[1]
        return labels

    def encode(self, labels: IntArray) -> IntArray:
        """The member of every cluster that is nearest to its mean, in the order of the labels.

        Of more than ``n_seeds`` clusters the largest are kept (ties: the lowest label), fewer than
        ``k_min`` are filled up as by :meth:`repair`.
        """
        partitions = checked_labels(labels, self.n_samples)
        X = np.full((len(partitions), self.n_var), -1, dtype=self.dtype)
        for row, partition in zip(X, partitions, strict=True):
            clusters, number, sizes = np.unique(partition, return_inverse=True, return_counts=True)
            members = np.eye(len(clusters))[number.reshape(-1)]
            means = self.data.by_column(members) / sizes
            apart = distances(self.data, means, np.full_like(means, -np.log(self.data.m)), 1.0)
            nearest = np.where(members > 0, apart, np.inf).argmin(axis=0)
            kept = np.sort(np.argsort(-sizes, kind="stable")[: self.n_var])
            row[: len(kept)] = nearest[kept]
        return self.repair(X)

    def repair(self, X: IntArray) -> IntArray:
        """Empty what is no document or was named before, fill up to ``k_min`` seeds.

        The first empty slots get the documents with the lowest numbers not in the row. Fractions are
        rounded.
        """
        return repair_slots(rounded_genes(X, self.n_var), self.n_samples, self.k_min)

    def canonical(self, X: IntArray) -> IntArray:
        """Seeds in ascending order, then the empty slots."""
        seeds = checked_genes(X, self.n_var).astype(self.dtype)
        seeds[seeds < 0] = self.n_samples
        seeds.sort(axis=1)
        seeds[seeds == self.n_samples] = -1
        return seeds

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """k uniform on k_min..n_seeds, then k distinct documents in random slots."""
        return random_slots(n_individuals, self.n_samples, self.k_min, self.k_max, rng)

    def ranks(self, X: IntArray) -> list[NDArray[np.intp]]:
        """For every row: the place in canonical order of each of its seeds."""
        return [np.argsort(np.argsort(row[row >= 0])) for row in X]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
