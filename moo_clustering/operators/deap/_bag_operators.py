"""Partitions of bags as DEAP operators, each for one individual and for a whole population.

The functions of a toolbox here are objects: called with one individual they do what DEAP expects, and
their ``batch`` does it to the rows of a matrix at once (see
:func:`~moo_clustering.operators.deap.batch_map`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.operators.deap._genes import copied_genes, put_genes

if TYPE_CHECKING:
    from moo_clustering.bags import BagObjective

Individual = Any
Genes = NDArray[np.int32]


class EvaluatePartition:
    """``evaluate``: the objective of a partition, minimised.

    Parameters
    ----------
    objective : BagObjective
    """

    def __init__(self, objective: BagObjective) -> None:
        self.objective = objective

    def __call__(self, individual: Individual) -> tuple[float]:
        """The objective as a tuple."""
        return (float(self.batch(np.atleast_2d(np.asarray(individual)))[0]),)

    def batch(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Objectives of all rows."""
        return self.objective.evaluate(matrix)


class _InPlace(ABC):
    """One individual by the batched form."""

    def __call__(self, individual: Individual) -> tuple[Individual]:
        put_genes(individual, self.batch(copied_genes(individual, np.int32))[0])
        return (individual,)

    @abstractmethod
    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""


class _Counting(_InPlace):
    """A mutation that counts its trial evaluations in ``n_trials``, and starts from what is repaired."""

    def __init__(self, objective: BagObjective, rng: np.random.Generator) -> None:
        self.objective = objective
        self.rng = rng
        self.n_trials = 0

    def _counted(self, improved: Any) -> Genes:
        self.n_trials += int(improved.n_trials.sum())
        genes: Genes = improved.labels
        return genes


class ImprovePartition(_Counting):
    """``mutate``: genes drawn one after the other by the objective for every choice.

    Parameters
    ----------
    objective : BagObjective
    rng : numpy.random.Generator
    p_gene : float, default=0.7
    weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"

    Attributes
    ----------
    n_trials : int
        Trial evaluations so far.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 5-6.
    """

    def __init__(
        self,
        objective: BagObjective,
        rng: np.random.Generator,
        *,
        p_gene: float = 0.7,
        weights: Literal["contrast", "scaled", "printed", "greedy"] = "contrast",
    ) -> None:
        super().__init__(objective, rng)
        self.p_gene = p_gene
        self.weights: Literal["contrast", "scaled", "printed", "greedy"] = weights

    def batch(self, matrix: NDArray[Any], max_trials: int | None = None) -> Genes:
        """All rows; those that ``max_trials`` is not enough for stay as they are."""
        whole = self.objective.repair(matrix)
        improved = self.objective.improve(
            whole, self.rng, p_gene=self.p_gene, weights=self.weights, max_trials=max_trials
        )
        return self._counted(improved)


class DescendPartition(_Counting):
    """``mutate``: single bags moved to their best cluster until no move helps.

    Parameters
    ----------
    objective : BagObjective
    rng : numpy.random.Generator

    Attributes
    ----------
    n_trials : int
        Trial evaluations so far.
    """

    def batch(self, matrix: NDArray[Any], max_trials: int | None = None) -> Genes:
        """All rows, which share ``max_trials`` evenly."""
        whole = self.objective.repair(matrix)
        return self._counted(self.objective.descend(whole, self.rng, max_trials=max_trials))


class DriftPartition(_InPlace):
    """``mutate``: genes drawn all at once, nearer centroids being likelier.

    Parameters
    ----------
    objective : BagObjective
    rng : numpy.random.Generator
    p_gene : float, default=0.7
    bias : float, default=0.5

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 9.
    """

    def __init__(
        self, objective: BagObjective, rng: np.random.Generator, *, p_gene: float = 0.7, bias: float = 0.5
    ) -> None:
        self.objective = objective
        self.rng = rng
        self.p_gene = p_gene
        self.bias = bias

    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""
        return self.objective.drift(matrix, self.rng, p_gene=self.p_gene, bias=self.bias)


class ReassignPartition(_InPlace):
    """``km``: one step of k-means.

    Parameters
    ----------
    objective : BagObjective
    empty : {"farthest", "closest", "keep"}, default="farthest"
        Which bag an empty cluster gets.
    """

    def __init__(
        self, objective: BagObjective, *, empty: Literal["farthest", "closest", "keep"] = "farthest"
    ) -> None:
        self.objective = objective
        self.empty: Literal["farthest", "closest", "keep"] = empty

    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""
        return self.objective.reassign(matrix, empty=self.empty)


class RepairPartition(_InPlace):
    """``repair``: least cluster size, and constraints where they are repaired.

    Parameters
    ----------
    objective : BagObjective
    """

    def __init__(self, objective: BagObjective) -> None:
        self.objective = objective

    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""
        return self.objective.repair(matrix)


class UsesAllClusters:
    """``legal``: whether no cluster is empty, or smaller than asked for.

    Parameters
    ----------
    n_clusters : int
    least : int, default=1
        Bags in every cluster.
    """

    def __init__(self, n_clusters: int, least: int = 1) -> None:
        self.n_clusters = n_clusters
        self.least = least

    def __call__(self, individual: Individual) -> bool:
        """Of one individual."""
        return bool(self.batch(np.asarray(individual)[None])[0])

    def batch(self, matrix: NDArray[Any]) -> NDArray[np.bool_]:
        """Of all rows."""
        sizes = np.stack([(matrix == k).sum(axis=1) for k in range(self.n_clusters)])
        return np.asarray((sizes >= self.least).all(axis=0))
