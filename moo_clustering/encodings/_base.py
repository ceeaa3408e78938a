"""What every representation of a partition can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.integer[Any]]
Labels = NDArray[np.int32]


class Encoding(ABC):
    """Genotype <-> partition, for a whole population at once.

    An encoding knows the samples it partitions and nothing about objectives, so that any encoding
    can be combined with any list of validity indices in
    :class:`~moo_clustering.problems.PartitionProblem`.

    Attributes
    ----------
    n_samples : int
        Number of samples a decoded partition labels.
    n_var : int
        Number of genes of a chromosome.
    dtype : numpy.dtype
        Integer type in which the operators of this package keep the genes.
    """

    n_samples: int
    n_var: int
    dtype: np.dtype[Any]

    @abstractmethod
    def bounds(self) -> tuple[IntArray, IntArray]:
        """Smallest and largest legal gene value, two arrays of shape (n_var,)."""

    @abstractmethod
    def decode(self, X: IntArray) -> Labels:
        """Partitions of a population.

        Parameters
        ----------
        X : ndarray of shape (n_individuals, n_var)
            Valid genotypes; floats with integer values are accepted, since pymoo hands them out.

        Returns
        -------
        labels : ndarray of shape (n_individuals, n_samples), int32
            Clusters 0..k-1 without gaps, in every row.
        """

    @abstractmethod
    def encode(self, labels: IntArray) -> IntArray:
        """Genotypes, shape (n_individuals, n_var), that decode to the given partitions where the
        representation can express them, and to a near one where it cannot (see the subclass)."""

    @abstractmethod
    def repair(self, X: IntArray) -> IntArray:
        """Nearest valid genotypes; a valid row comes back unchanged, the input is not modified."""

    @abstractmethod
    def canonical(self, X: IntArray) -> IntArray:
        """One and the same row for all genotypes that mean the same partition (as far as that can
        be told at O(n_var) a row); used for duplicate elimination."""

    @abstractmethod
    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Random valid genotypes, shape (n_individuals, n_var)."""
