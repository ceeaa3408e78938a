"""Crossover and mutation of medoid slots for DEAP.

Individuals are sequences of ``k_max`` genes, sample ids or -1: NumPy arrays, lists, or ``array.array``.
Both functions change them in place and delete their fitness.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.operators._slots import checked_probability, cross_slots, mutate_slots
from moo_clustering.operators.deap._genes import copied_genes, put_genes

Individual = Any


def cx_slots_one_point(
    a: Individual, b: Individual, rng: np.random.Generator, *, k_min: int, n_samples: int
) -> tuple[Individual, Individual]:
    """:class:`~moo_clustering.operators.SlotOnePointCrossover` of two individuals, in place.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    k_min : int
        Smallest number of medoids.
    n_samples : int

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    first, second = copied_genes(a, np.int64), copied_genes(b, np.int64)
    children = cross_slots(first, second, rng, k_min=k_min, n_samples=n_samples)
    for individual, genes in zip((a, b), children, strict=True):
        put_genes(individual, genes[0])
    return a, b


def mut_slots(
    ind: Individual,
    rng: np.random.Generator,
    *,
    p_gene: float = 0.7,
    reach: float = 0.25,
    n_samples: int,
    k_min: int,
    neighbors: NDArray[np.integer[Any]] | None = None,
) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.SlotMutation` of one individual, in place.

    Parameters
    ----------
    ind : individual
        Changed; its fitness is deleted.
    rng : numpy.random.Generator
    p_gene : float, default=0.7
        Probability that a medoid moves.
    reach : float, default=0.25
        An id moves by at most floor(reach n_samples).
    n_samples : int
    k_min : int
        Smallest number of medoids.
    neighbors : ndarray of shape (n_samples, r), optional
        Nearest samples of every sample, as from
        :meth:`~moo_clustering.encodings.MedoidSlotEncoding.nearest`: a medoid moves to one of its own,
        whatever ``reach`` is (the mutation ``kind="rank"``).

    Returns
    -------
    tuple of one individual
        The same object, for DEAP.
    """
    genes = mutate_slots(
        copied_genes(ind, np.int64),
        rng,
        p_gene=checked_probability("p_gene", p_gene),
        reach=checked_probability("reach", reach),
        n_samples=n_samples,
        k_min=k_min,
        neighbors=neighbors,
    )
    put_genes(ind, genes[0])
    return (ind,)
