"""Every Repair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.repair import Repair
from scipy.sparse.csgraph import breadth_first_order

from moo_clustering._arrays import IntArray, Labels
from moo_clustering.bags.objective import BagObjective
from moo_clustering.encodings.base import relabel_by_first_appearance, rounded_genes
from moo_clustering.encodings.medoids import filled, first_distinct
from moo_clustering.operators._shared import (
    LabelGraph,
    at_least_one,
    bounds_of,
    canonical_rows,
    objective_of,
)
from moo_clustering.operators.mutation import PoolSplit, merge_linked
from moo_clustering.operators.sampling import encoding_of, medoid_encoding_of

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem


class CanonicalRepair(Repair):
    """Number the clusters of every partition in the order in which they first occur.

    For genes that are cluster numbers >= 0. Afterwards two individuals have the same genes exactly
    where they are the same partition, so any elimination of duplicates sees them;
    :class:`CanonicalDuplicates` does without changing the genes. Fractions are rounded, genes are
    integers afterwards, and no number exceeds those there were.

    Notes
    -----
    O(n_individuals (n_samples + K)).
    """

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if len(X) == 0:
            return X
        return relabel_by_first_appearance(rounded_genes(X, X.shape[-1]))


class ClusterNumberRepair(Repair):
    """Unite linked clusters, or cut clusters as a pool does, until there are as many as wanted.

    As :class:`GraphMerge` and :class:`PoolSplit` (one piece at a time) do; where the pool does not cut,
    the largest cluster is halved in breadth-first order of the graph. Partitions with the right number
    stay as they are. For problems over a :class:`~moo_clustering.encodings.LabelEncoding`, which
    should allow more clusters than wanted: operators then have room to cut before this unites.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    n_clusters : int

    Notes
    -----
    O(links + k^2) time per cluster that is too many, O(n_samples) per one that lacks.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, graph: Any, pool: Any, n_clusters: int) -> None:
        super().__init__()
        self.graph = LabelGraph.of(graph)
        self.splitting = PoolSplit(pool)
        self.n_clusters = at_least_one("n_clusters", n_clusters)
        if self.n_clusters > self.graph.n_samples:
            raise ValueError(
                f"n_clusters must be at most the number of samples, {self.graph.n_samples}, "
                f"got {self.n_clusters}."
            )

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        rng, bounds = np.random.default_rng(random_state), bounds_of(problem)
        if not bounds.k_min <= self.n_clusters <= bounds.k_max:
            raise ValueError(
                f"n_clusters must be within the encoding's {bounds.k_min}..{bounds.k_max}, "
                f"got {self.n_clusters}."
            )
        return self.repaired(X, rng)

    def repaired(self, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        """Canonical copies of partitions, with the right number of clusters."""
        out = canonical_rows(X, self.graph.n_samples)
        for row in out:
            row[:] = self._fitted(row.copy(), rng)
        return out

    def _fitted(self, labels: Labels, rng: np.random.Generator) -> Labels:
        while (k := int(labels.max()) + 1) != self.n_clusters:
            if k > self.n_clusters:
                labels = merge_linked(labels, self.graph, self.n_clusters, rng)
            else:
                cut = self.splitting.split(labels, self.n_clusters, rng, one_piece=True)
                labels = self._halved(labels) if cut is labels else cut
        return labels

    def _halved(self, labels: Labels) -> Labels:
        members = np.flatnonzero(labels == np.bincount(labels).argmax())
        inside = self.graph.matrix[members][:, members]
        reached = breadth_first_order(inside, 0, directed=False, return_predecessors=False)
        order = np.concatenate([reached, np.setdiff1d(np.arange(len(members)), reached)])
        out = labels.copy()
        out[members[order[(len(order) + 1) // 2 :]]] = labels.max() + 1
        return relabel_by_first_appearance(out)


class EncodingRepair(Repair):
    """Make individuals valid by ``problem.encoding.repair``.

    Fractions, as pymoo's real-valued operators leave them, are rounded to the nearest integer, so
    those operators can be used on any encoding. Genes are integers afterwards.
    """

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if len(X) == 0:
            return X
        return encoding_of(problem).repair(X)


class LocalSearchRepair(Repair):
    """Replace every individual by the local optimum that ``problem.improve`` reaches from it.

    For :class:`~moo_clustering.problems.SumOfSquaresProblem`, where these are Lloyd's iterations, and
    any problem with ``improve(X)``. What is found stands in the genes (Lamarck's inheritance).
    """

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if not callable(getattr(problem, "improve", None)):
            raise TypeError(f"{type(problem).__name__} has no improve(X), which this operator needs.")
        return X if len(X) == 0 else problem.improve(X)


class MedoidSetRepair(Repair):
    """Drop what is no sample or was named before, close the gaps, add random medoids up to two.

    Fractions are rounded. The operators of this package leave nothing to repair; others do.
    :class:`EncodingRepair` does the same but adds the samples with the lowest numbers.
    """

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        if len(X) == 0:
            return X
        encoding = medoid_encoding_of(problem)
        ids = rounded_genes(X, encoding.n_var)
        ids[ids >= encoding.n_samples] = -1
        sets = first_distinct(ids, encoding.k_max)
        return filled(sets, encoding.k_min, encoding.n_samples, np.random.default_rng(random_state))


class MinSizeRepair(Repair):
    """Fill clusters up to the least size, with the bags that lose least by the move.

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`, whose ``min_cluster_size`` counts; where it
    repairs constraints too (``handling="repair"``), this does. Valid individuals stay as they are.
    Fractions are rounded, genes are integers afterwards.

    Parameters
    ----------
    objective : BagObjective, optional
        Instead of the problem's.
    **kwargs
        Of pymoo's ``Repair``.

    Raises
    ------
    TypeError
        When a problem has no ``objective`` that can repair.

    Notes
    -----
    Individuals that need it take an evaluation each, and O(N) per bag moved.
    """

    def __init__(self, objective: BagObjective | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.objective = objective

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if len(X) == 0:
            return X
        objective = objective_of(problem, self.objective, "repair")
        return objective.repair(rounded_genes(X, problem.n_var))


def redraw_illegal(
    problem: NeighborGraphProblem, X: IntArray, random_state: np.random.Generator | None
) -> IntArray:
    """Replace genes that name no admissible neighbour by one of the k nearest that are."""
    illegal = np.argwhere(problem.ranks(X) >= problem.lists.n_admissible)
    if len(illegal) == 0:
        return X
    repaired = X.copy()
    rows, columns = illegal.T
    repaired[rows, columns] = problem.draw_neighbors(columns, np.random.default_rng(random_state))
    return repaired


class CannotLinkRepair(Repair):
    """Redraw self links and forbidden neighbours from the k nearest admissible ones.

    Needed for operators that can leave the feasible set in index encoding; in rank encoding every
    genotype within the bounds is feasible already. References: PESC, Eq. 3.
    """

    def _do(
        self,
        problem: NeighborGraphProblem,
        X: IntArray,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        return redraw_illegal(problem, X, random_state)


class RepairSequence(Repair):
    """Repairs one after the other; pymoo's algorithms take a single one.

    Parameters
    ----------
    *repairs : pymoo Repair
    """

    def __init__(self, *repairs: Repair) -> None:
        super().__init__()
        for repair in repairs:
            if not isinstance(repair, Repair):
                raise TypeError(f"repairs must be pymoo Repairs, got {type(repair).__name__}.")
        self.repairs = repairs

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        for repair in self.repairs:
            X = repair._do(problem, X, **kwargs)
        return X
