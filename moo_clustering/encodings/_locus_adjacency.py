"""A partition as a graph with one link per sample."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._kernels.adjacency import component_labels
from moo_clustering.encodings._base import Encoding, IntArray, Labels
from moo_clustering.encodings._checks import (
    checked_genes,
    checked_labels,
    checked_within,
    rounded_genes,
)


class LocusAdjacencyEncoding(Encoding):
    """Gene i names the sample that sample i is linked to; its own index means no link.

    Clusters are the connected components of the graph {i - g_i}, so the number of clusters need
    not be known. They are numbered by first appearance.

    Parameters
    ----------
    neighbors : array-like of shape (n_samples, n_neighbors), optional
        Nearest other samples of every sample, nearest first. They are what :meth:`random` draws
        from and what :meth:`repair` takes; any link between samples is legal.
    n_samples : int, optional
        Number of samples; needed without ``neighbors``.

    Attributes
    ----------
    neighbors : ndarray of shape (n_samples, n_neighbors), int32, read-only, or None

    Notes
    -----
    Decoding is union-find with path halving: O(n_individuals n_samples log n_samples) at worst and
    close to linear in practice, with O(n_samples) memory beyond the labels. Encodings are
    immutable: a deep copy shares the neighbours.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007.

    Examples
    --------
    >>> LocusAdjacencyEncoding(n_samples=5).decode([[1, 0, 2, 4, 4]])
    array([[0, 0, 1, 2, 2]], dtype=int32)
    """

    dtype = np.dtype(np.int32)

    def __init__(self, neighbors: ArrayLike | None = None, n_samples: int | None = None) -> None:
        if neighbors is None and n_samples is None:
            raise ValueError("give neighbors or n_samples.")
        self.neighbors = None if neighbors is None else _checked_neighbors(neighbors)
        if n_samples is None:
            n_samples = len(neighbors)  # type: ignore[arg-type]
        elif self.neighbors is not None and len(self.neighbors) != n_samples:
            raise ValueError(f"neighbors has {len(self.neighbors)} rows, n_samples is {n_samples}.")
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1, got {n_samples}.")
        self.n_samples = self.n_var = int(n_samples)

    def bounds(self) -> tuple[IntArray, IntArray]:
        """The first and the last sample, for every gene."""
        lower = np.zeros(self.n_var, dtype=self.dtype)
        return lower, np.full(self.n_var, self.n_samples - 1, dtype=self.dtype)

    def decode(self, X: IntArray) -> Labels:
        """Connected components, numbered by first appearance."""
        links = checked_within(checked_genes(X, self.n_var), 0, self.n_samples - 1)
        labels = np.empty((len(links), self.n_samples), dtype=np.int32)
        component_labels(links, np.empty(self.n_samples, dtype=np.int64), labels)
        return labels

    def encode(self, labels: IntArray) -> IntArray:
        """Link every sample to the next of its cluster in index order, the last to itself.

        Decodes to the same partition, whatever the neighbours are.
        """
        labels = checked_labels(labels, self.n_samples)
        order = np.argsort(labels, axis=1, kind="stable")
        same = np.diff(np.take_along_axis(labels, order, axis=1), axis=1) == 0
        target = order.copy()
        target[:, :-1] = np.where(same, order[:, 1:], order[:, :-1])
        X = np.empty(labels.shape, dtype=self.dtype)
        np.put_along_axis(X, order, target, axis=1)
        return X

    def repair(self, X: IntArray) -> IntArray:
        """Genes that name no sample become the nearest neighbour, or no link where none is known."""
        links = rounded_genes(X, self.n_var)
        fallback = self.neighbors[:, 0] if self.neighbors is not None else np.arange(self.n_samples)
        return np.where((links >= 0) & (links < self.n_samples), links, fallback).astype(self.dtype)

    def canonical(self, X: IntArray) -> IntArray:
        """The decoded partition: different links with the same components are the same."""
        return self.decode(X)

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Every gene uniform over the sample itself and its neighbours, or over all samples."""
        shape = (n_individuals, self.n_var)
        if self.neighbors is None:
            return rng.integers(0, self.n_samples, size=shape, dtype=np.int32)
        samples = np.arange(self.n_samples, dtype=self.dtype)
        choices = np.column_stack([samples, self.neighbors])
        picked: IntArray = choices[samples, rng.integers(0, choices.shape[1], size=shape)]
        return picked

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _checked_neighbors(neighbors: ArrayLike) -> IntArray:
    nb = np.asarray(neighbors)
    if nb.ndim != 2 or nb.dtype.kind not in "iu" or nb.shape[1] == 0:
        raise ValueError(
            "neighbors must be integers of shape (n_samples, n_neighbors) with n_neighbors >= 1, "
            f"got shape {nb.shape} and dtype {nb.dtype}."
        )
    if nb.size and (nb.min() < 0 or nb.max() >= len(nb)):
        raise ValueError(f"neighbors must be within 0..{len(nb) - 1}, got {nb.min()}..{nb.max()}.")
    if (nb == np.arange(len(nb))[:, None]).any():
        raise ValueError("neighbors must list other samples: a sample is not its own neighbour.")
    nb = nb.astype(np.int32)
    nb.flags.writeable = False
    return nb
