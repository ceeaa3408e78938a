"""Diversity of individuals, computed from counts of choices at each locus."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import FloatArray, Int64Array, IntArray
from moo_clustering._data import checked_integers
from moo_clustering._docs import documented
from moo_clustering._kernels import loci
from moo_clustering._kernels.threads import for_blocks, sum_blocks

__all__ = ["diversity", "equal_loci", "locus_counts", "remove_counts", "shared_choices"]

Ranks = IntArray
Counts = NDArray[np.unsignedinteger[Any]]


def locus_counts(ranks: Ranks, width: int, *, n_jobs: int | None = None) -> Counts:
    """Count the individuals with each value (choice) at each locus.

    Takes O(n_individuals * n_loci) time and O(n_loci * width) memory. Counts of disjoint sets of individuals
    can be added. This function, :func:`remove_counts` and :func:`shared_choices` raise a ValueError unless
    ``ranks`` are integers from 0 to ``width - 1``.

    Parameters
    ----------
    ranks : ndarray of shape (n_individuals, n_loci)
        Genes of the individuals, from 0 to width - 1.
    width : int
        Number of possible values of a gene.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    counts : ndarray of shape (n_loci, width), uint16 (uint32 for more than 65,535 individuals)
    """
    ranks = _checked(ranks, np.shape(ranks)[-1], width)
    counts = np.zeros((ranks.shape[1], width), dtype=np.uint16 if len(ranks) < 2**16 else np.uint32)
    for_blocks(lambda lo, hi: loci.add_counts(ranks, counts, 1, lo, hi), ranks.shape[1], len(ranks), n_jobs)
    return counts


@documented(locus_counts)
def remove_counts(counts: Counts, ranks: Ranks, *, n_jobs: int | None = None) -> None:
    """Subtract counted individuals from a table of counts in place.

    Parameters
    ----------
    counts : ndarray of shape (n_loci, width)
        Counts from :func:`locus_counts`.
    """
    ranks = _checked(ranks, *counts.shape)
    for_blocks(lambda lo, hi: loci.add_counts(ranks, counts, -1, lo, hi), ranks.shape[1], len(ranks), n_jobs)


@documented(locus_counts)
def shared_choices(ranks: Ranks, counts: Counts, *, n_jobs: int | None = None) -> Int64Array:
    """Count the genes that each individual shares with each member of a set, summed over the members.

    For a set of s members, an individual's diversity (see :func:`diversity`) is 1 - count / (n_loci * s).
    Takes O(n_individuals * n_loci) time.

    Parameters
    ----------
    counts : ndarray of shape (n_loci, width)
        Counts of the set from :func:`locus_counts`.

    Returns
    -------
    ndarray of shape (n_individuals,), int64
    """
    ranks = _checked(ranks, *counts.shape)
    kernel = partial(loci.sum_entries, ranks, counts)
    return sum_blocks(kernel, ranks.shape[1], len(ranks), np.int64, n_jobs)


@documented(shared_choices)
def equal_loci(ranks: Ranks, row: Ranks, *, n_jobs: int | None = None) -> Int64Array:
    """Return the number of loci at which each individual agrees with ``row``.

    Parameters
    ----------
    row : ndarray of shape (n_loci,)
    """
    kernel = partial(loci.count_equal, _checked(ranks, len(row)), row)
    return sum_blocks(kernel, len(row), len(ranks), np.int64, n_jobs)


def _checked(ranks: Ranks, n_loci: int, width: int | None = None) -> Ranks:
    """Check shape and values, because invalid ranks would make the kernels access memory out of bounds."""
    if np.ndim(ranks) != 2 or ranks.shape[1] != n_loci or ranks.dtype.kind not in "iu":
        got = f"shape {np.shape(ranks)} and dtype {np.asarray(ranks).dtype}"
        raise ValueError(f"ranks must be integers of shape (n_individuals, {n_loci}), got {got}")
    if width is not None and ranks.size and not (ranks.min() >= 0 and ranks.max() < width):
        raise ValueError(f"ranks must be from 0 to {width - 1}, got {ranks.min()} to {ranks.max()}")
    return ranks


def diversity(population: IntArray, reference: IntArray | None = None) -> FloatArray:
    """Compute the mean fraction of genes in which each individual differs from the individuals of a set.

    Source: PESC, Eq. 2 (DIV).

    Parameters
    ----------
    population : ndarray of shape (n_individuals, n_loci)
        Non-negative integers without an upper limit.
    reference : ndarray of shape (n_reference, n_loci), optional
        Default: the population itself. In this case, the diversity is at most 1 - 1/n_individuals.

    Returns
    -------
    ndarray of shape (n_individuals,)

    Examples
    --------
    >>> import numpy as np
    >>> diversity(np.array([[1, 0, 3, 2, 3], [1, 0, 4, 2, 3], [1, 2, 4, 2, 2]])) * 15
    array([4., 3., 5.])
    """
    reference = population if reference is None else reference
    population = np.ascontiguousarray(checked_integers(population, "population"))
    reference = np.ascontiguousarray(checked_integers(reference, "reference"))
    if population.ndim != 2 or reference.ndim != 2 or population.shape[1] != reference.shape[1]:
        shapes = f"{population.shape} and {reference.shape}"
        raise ValueError(f"population and reference must be 2-d with equal numbers of loci; got {shapes}")
    if min(population.size, reference.size) == 0:
        raise ValueError("diversity requires at least one individual with at least one gene")
    if (lowest := min(population.min(), reference.min())) < 0:
        raise ValueError(f"genes must be non-negative, got {lowest}")
    width = int(max(population.max(), reference.max())) + 1
    shared = shared_choices(population, locus_counts(reference, width))
    return 1.0 - shared / (population.shape[1] * len(reference))
