"""Crossover, distance and identity of partitions for DEAP.

Individuals are sequences of cluster numbers: NumPy arrays such as :class:`ArrayIndividual`, lists, or
``array.array``. Crossovers change both in place, on copies of their genes (slices of a NumPy
individual are views), and delete their fitness.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.encodings._alignment import aligned_distance, hamming_distance
from moo_clustering.encodings._canonical import relabel_by_first_appearance
from moo_clustering.operators._gene_exchange import (
    Exchange,
    coins,
    cross_partitions,
    half_differing,
    tails,
)
from moo_clustering.operators.deap._genes import copied_genes, put_genes

Individual = Any
Pair = tuple[Individual, Individual]


def cx_one_point(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    align: bool = False,
    n_clusters: int | None = None,
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedOnePoint` of two individuals, in place.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
        ``toolbox.register("mate", cx_one_point, rng=rng)`` makes it a DEAP ``mate(a, b)``.
    align : bool, default=False
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    return _cross(a, b, tails, rng, align, n_clusters)


def cx_hux(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    align: bool = False,
    n_clusters: int | None = None,
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedHUX` of two individuals, in place.

    Exactly floor(h / 2) of the h differing genes are exchanged.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    align : bool, default=False
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    return _cross(a, b, half_differing, rng, align, n_clusters)


def cx_uniform(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    align: bool = False,
    n_clusters: int | None = None,
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedUniformCrossover` of two individuals, in place.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    align : bool, default=False
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    return _cross(a, b, coins, rng, align, n_clusters)


def _cross(
    a: Individual,
    b: Individual,
    exchange: Exchange,
    rng: np.random.Generator,
    align: bool,
    n_clusters: int | None,
) -> Pair:
    first, second = copied_genes(a, np.int32), copied_genes(b, np.int32)
    children = cross_partitions(first, second, exchange, rng, align=align, n_clusters=n_clusters)
    for individual, genes in zip((a, b), children, strict=True):
        put_genes(individual, genes[0])
    return a, b


def partition_distance(
    a: Individual, b: Individual, align: bool = False, n_clusters: int | None = None
) -> int:
    """Number of genes in which two individuals differ, as they are or with their clusters aligned.

    See :func:`~moo_clustering.encodings.aligned_distance`.

    Parameters
    ----------
    a, b : individuals
    align : bool, default=False
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    int
    """
    first, second = np.asarray(a), np.asarray(b)
    return int(aligned_distance(first, second, n_clusters) if align else hamming_distance(first, second))


def partition_key(individual: Individual) -> bytes:
    """The same bytes for individuals that are the same partition, whatever the numbers of its clusters.

    Parameters
    ----------
    individual : individual
        Cluster numbers.

    Returns
    -------
    bytes
    """
    return relabel_by_first_appearance(np.asarray(individual)[None])[0].tobytes()


def perturbed(
    individual: Individual, share: float, n_clusters: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Genes of the individual with a share of them, at random places, redrawn.

    Parameters
    ----------
    individual : individual
        Not changed.
    share : float
        Of the genes, 0..1; round(share n_samples) of them change. Each becomes one of the other
        clusters, all equally likely: with two clusters it is flipped.
    n_clusters : int
    rng : numpy.random.Generator

    Returns
    -------
    genes : ndarray of shape (n_samples,), int32

    References
    ----------
    Eshelman, The CHC adaptive search algorithm, FOGA 1991 (restarts; share 0.35).
    """
    genes = copied_genes(individual, np.int32)[0]
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must be within 0..1, got {share!r}.")
    if n_clusters < 1 or (genes.size and not 0 <= genes.min() <= genes.max() < n_clusters):
        raise ValueError(f"genes must be within 0..n_clusters-1, got n_clusters={n_clusters} and {genes}.")
    places = rng.choice(genes.size, size=round(share * genes.size), replace=False)
    if n_clusters > 1:
        steps = rng.integers(1, n_clusters, size=len(places), dtype=np.int32)
        genes[places] = (genes[places] + steps) % n_clusters
    return genes
