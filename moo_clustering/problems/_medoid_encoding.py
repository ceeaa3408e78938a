"""Medoid sets as an encoding, over any form of the distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering._arrays import block_slices
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.encodings._base import IntArray, Labels
from moo_clustering.encodings._checks import checked_cluster_range, checked_labels
from moo_clustering.encodings._medoids import resolve_k_max
from moo_clustering.problems._medoid_memo import MedoidMemo
from moo_clustering.problems._medoid_space import MedoidSpace


class SpaceMedoidEncoding(MedoidEncoding):
    """A :class:`~moo_clustering.encodings.MedoidEncoding` whose distances are those of a space.

    Genotypes are the same; ``distances`` is there only if the space has a matrix.

    Parameters
    ----------
    space : MedoidSpace
    k_max : {"sqrt", "ceil_sqrt"} or int
    """

    def __init__(self, space: MedoidSpace, k_max: int | str) -> None:
        self.space = space
        self.n_samples = space.n_samples
        self.k_min, self.k_max = checked_cluster_range(
            min(2, self.n_samples), resolve_k_max(k_max, self.n_samples), self.n_samples
        )
        self.n_var = self.k_max
        self._memo = MedoidMemo(self.n_samples)

    @property
    def distances(self) -> Any:  # type: ignore[override]
        """The distance matrix of the space; AttributeError if it has none."""
        return self.space.distances  # type: ignore[attr-defined]

    def genes(self, X: IntArray) -> IntArray:
        """Valid genotypes as C-contiguous int64; floats with integer values are accepted.

        Raises
        ------
        ValueError
            For rows that name a sample twice or none at all, or hold -1 before an id.
        """
        return np.ascontiguousarray(self._checked(X), dtype=np.int64)

    def decode(self, X: IntArray) -> Labels:
        """Assign every sample to its nearest medoid; label = position of the medoid."""
        genes = self.genes(X)
        labels = np.empty((len(genes), self.n_samples), dtype=np.int32)
        for part in block_slices(len(genes), self.n_samples):
            labels[part] = self.space.nearest(genes[part])[0]
        return labels

    def encode(self, labels: IntArray) -> IntArray:
        """Medoids of the clusters, as :meth:`MedoidEncoding.encode`."""
        partitions = checked_labels(labels, self.n_samples)
        X = np.full((len(partitions), self.n_var), -1, dtype=self.dtype)
        for row, partition in zip(X, partitions, strict=True):
            clusters, numbered, sizes = np.unique(partition, return_inverse=True, return_counts=True)
            medoids = self.medoids(numbered.astype(np.int32)[None, :], len(clusters))[0]
            kept = np.sort(np.argsort(-sizes, kind="stable")[: self.k_max])
            row[: len(kept)] = medoids[kept]
        return self.repair(X)

    def medoids(self, labels: Labels, width: int | None = None) -> IntArray:
        """Medoid of every cluster at the position of its label, padded with -1 to ``width`` (k_max)."""
        return self.space.medoids(labels, self.k_max if width is None else width, self._memo)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_memo": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._memo = MedoidMemo(self.n_samples)
