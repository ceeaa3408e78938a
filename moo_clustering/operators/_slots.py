"""Crossover and mutation of rows of medoid slots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.encodings._medoid_slots import repair_slots
from moo_clustering.operators._gene_exchange import Genes, cross_partitions, tails


def cross_slots(
    first: Genes, second: Genes, rng: np.random.Generator, *, k_min: int, n_samples: int
) -> tuple[Genes, Genes]:
    """Two children of every pair of rows: slots from a random cut on exchanged, then repaired."""
    a, b = cross_partitions(first, second, tails, rng, align=False)
    return repair_slots(a, n_samples, k_min, rng), repair_slots(b, n_samples, k_min, rng)


def slot_radius(reach: float, n_samples: int) -> int:
    """floor(reach n_samples), not misled by the last digit of the product."""
    return math.floor(reach * n_samples + 1e-9)


def mutate_slots(
    slots: Genes,
    rng: np.random.Generator,
    *,
    p_gene: float,
    reach: float,
    n_samples: int,
    k_min: int,
    neighbors: NDArray[np.integer[Any]] | None = None,
) -> Genes:
    """Every medoid moves with probability ``p_gene``, then rows are repaired.

    Parameters
    ----------
    slots : ndarray of shape (n_individuals, k_max)
        Not changed.
    rng : numpy.random.Generator
    p_gene, reach : float
        A medoid g becomes g + U{-r..r}, r = floor(reach n_samples), clipped to 0..n_samples-1.
    n_samples, k_min : int
    neighbors : ndarray of shape (n_samples, r), optional
        Nearest samples of every sample; a medoid g becomes one of ``neighbors[g]`` instead, all
        equally likely, and ``reach`` is not used.
    """
    moves = (slots >= 0) & (rng.random(slots.shape) < p_gene)
    if neighbors is None:
        r = slot_radius(reach, n_samples)
        moved = np.clip(slots + rng.integers(-r, r + 1, size=slots.shape), 0, n_samples - 1)
    else:
        moved = neighbors[slots, rng.integers(0, neighbors.shape[1], size=slots.shape)]
    return repair_slots(np.where(moves, moved, slots), n_samples, k_min, rng)


def checked_probability(name: str, value: float) -> float:
    """A number within 0..1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be within 0..1, got {value!r}.")
    return float(value)
