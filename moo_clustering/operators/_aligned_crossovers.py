"""Crossovers of partitions that see through the numbers of the clusters."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover

from moo_clustering.encodings._checks import checked_genes
from moo_clustering.operators._gene_exchange import (
    Genes,
    Mask,
    coins,
    cross_partitions,
    half_differing,
    tails,
)


class _AlignedCrossover(Crossover):
    """Two parents whose genes are cluster numbers, two children; subclasses say what is exchanged."""

    def __init__(self, align: bool = True, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)
        if not isinstance(align, bool | np.bool_):
            raise TypeError(f"align must be True or False, got {align!r}.")
        self.align = bool(align)

    @abstractmethod
    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> Mask:
        """Which genes change sides, a mask of the shape (n_pairs, n_samples) of the parents."""

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Genes:
        rng = np.random.default_rng(random_state)
        first, second = (checked_genes(parents, X.shape[-1]) for parents in X)
        return np.stack(cross_partitions(first, second, self.exchange, rng, align=self.align))


class AlignedOnePoint(_AlignedCrossover):
    """One-point crossover of partitions: the genes from a random cut on are exchanged.

    The same partition can be written with its clusters numbered in any order, and crossing two such
    chromosomes gene by gene yields noise. So the clusters of the second parent first get the numbers
    with which it agrees best with the first (:func:`~moo_clustering.encodings.align_labels`): two
    parents that mean the same partition then have themselves as children.

    Parameters
    ----------
    align : bool, default=True
        False: cross the chromosomes as they are.
    prob : float, default=0.9
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_samples) per pair, plus O(K^3) for alignment of K > 2 clusters. Children may have fewer
    clusters than their parents, never other numbers.

    References
    ----------
    Evolutionary multi-instance clustering (crossover of CHCMIC); the alignment is ours.
    """

    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> Mask:
        return tails(first, second, rng)


class AlignedHUX(_AlignedCrossover):
    """Half-uniform crossover of partitions: exactly half of the differing genes are exchanged.

    Of the h samples in which the parents differ after alignment, floor(h / 2), drawn at random,
    change sides; so the children are as far from either parent as they can be.

    Parameters
    ----------
    align, prob
        As in :class:`AlignedOnePoint`.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_samples) per pair, plus O(K^3) for alignment of K > 2 clusters.

    References
    ----------
    Eshelman, The CHC adaptive search algorithm, FOGA 1991; the alignment is ours.
    """

    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> Mask:
        return half_differing(first, second, rng)


class AlignedUniformCrossover(_AlignedCrossover):
    """Uniform crossover of partitions: every gene is exchanged with probability one half.

    Parameters
    ----------
    align, prob
        As in :class:`AlignedOnePoint`.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_samples) per pair, plus O(K^3) for alignment of K > 2 clusters.
    """

    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> Mask:
        return coins(first, second, rng)
