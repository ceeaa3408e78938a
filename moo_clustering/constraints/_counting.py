"""How many constraints a population of partitions satisfies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.constraints._checks import check_partial_labels, check_partitions
from moo_clustering.constraints._pairs import Pairs, n_pairs

# Numba takes long to import, so the kernels are imported where the first population is scored:
# reading, closing and drawing constraints work without them.

Counts = NDArray[np.int64] | NDArray[np.float64]


def sample_major(labels: ArrayLike, n_samples: int) -> NDArray[Any]:
    """Labels as (n_samples, n_individuals) in the narrowest unsigned type that tells them apart."""
    return np.ascontiguousarray(_narrow(check_partitions(labels, n_samples)).T)


def _narrow(labels: NDArray[Any]) -> NDArray[Any]:
    if not labels.size:
        return labels.astype(np.uint8)
    least, greatest = int(labels.min()), int(labels.max())
    if least < 0:
        labels, greatest = labels.astype(np.int64) - least, greatest - least
    return labels.astype(np.min_scalar_type(greatest), copy=False)


def equal_and_different(
    labels: NDArray[Any], pairs: Pairs, weights: NDArray[np.float64] | None
) -> tuple[Counts, Counts]:
    """Number, or total weight, of the pairs with equal and with different labels.

    ``labels`` come from :func:`sample_major`. O(n_pairs * n_individuals).
    """
    from moo_clustering._kernels.constraints import count_equal, weigh_equal

    n_individuals = labels.shape[1]
    if weights is None:
        counts = np.zeros(n_individuals, dtype=np.int64)
        count_equal(labels, pairs, counts)
        return counts, len(pairs) - counts
    equal, different = np.zeros(n_individuals), np.zeros(n_individuals)
    weigh_equal(labels, pairs, weights, equal, different)
    return equal, different


def satisfied_from_labels(
    labels: ArrayLike, y_partial: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Satisfied constraints when the constraints are all pairs of labelled samples.

    Equal to ``PairwiseConstraints.from_partial_labels(y_partial).satisfied(labels)`` without
    listing the pairs: the contingency of classes and clusters is enough.

    Parameters
    ----------
    labels : array-like of shape (n_individuals, n_samples) or (n_samples,)
        Integer partitions of a population, or one partition.
    y_partial : array-like of shape (n_samples,)
        Classes 0, 1, ...; -1 for unlabelled samples.

    Returns
    -------
    must : ndarray of shape (n_individuals,), int64
        Pairs of one class in one cluster: sum of binom(N_gc, 2) over classes g and clusters c.
    cannot : ndarray of shape (n_individuals,), int64
        Pairs of two classes in two clusters.

    Notes
    -----
    O(n_individuals * n_labelled) time and memory.
    """
    from moo_clustering._kernels.constraints import count_equal_by_class

    y = check_partial_labels(y_partial)
    population = check_partitions(labels, len(y))
    by_class = np.argsort(y, kind="stable")
    by_class = by_class[np.count_nonzero(y < 0) :]
    size = np.unique(y[by_class], return_counts=True)[1]
    boundaries = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    chosen = np.ascontiguousarray(_narrow(population[:, by_class]))
    if chosen.dtype.itemsize > 2:
        # Sparse cluster numbers would need a counter for every number up to the greatest.
        chosen = np.unique(chosen, return_inverse=True)[1].reshape(chosen.shape)
    n_labels = int(chosen.max(initial=0)) + 1
    within, together = np.zeros(len(chosen), dtype=np.int64), np.zeros(len(chosen), dtype=np.int64)
    count_equal_by_class(chosen, boundaries, n_labels, within, together)
    n_must = int((size * (size - 1) // 2).sum())
    n_cannot = n_pairs(len(by_class)) - n_must
    return within, n_cannot - (together - within)
