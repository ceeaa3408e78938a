"""Repairs: make individuals valid, canonical, of a wanted number of clusters, or locally optimal.

:class:`EncodingRepair` works for any encoding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order

from moo_clustering._arrays import IntArray, Labels, integer
from moo_clustering._docs import documented
from moo_clustering.bags import BagObjective
from moo_clustering.encodings import MedoidEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import rounded_genes
from moo_clustering.encodings.medoids import filled, first_distinct
from moo_clustering.operators import base
from moo_clustering.operators.mutation_labels import PoolSplit, merge_linked

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem


class EncodingRepair(base.GeneRepair):
    """Make individuals valid by ``problem.encoding.repair``.

    Fractions are rounded to integers first, so that pymoo's real-valued operators can be used with any
    encoding.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        return base.encoding_of(problem).repair(X)


class CanonicalRepair(base.GeneRepair):
    """Number the clusters of every partition by first appearance.

    For genes that are cluster numbers of at least 0. Equal partitions then have equal genes, so that any
    elimination of duplicates finds them; :class:`CanonicalDuplicates` does so without changing the
    genes. Fractions are rounded to integers, and no cluster number grows beyond those in use.

    Notes
    -----
    O(n_individuals (n_samples + K)) time.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        base.check_labels(problem)
        return relabel_by_first_appearance(rounded_genes(X, X.shape[-1]))


@documented(base.SHARED)
class ClusterNumberRepair(base.GeneRepair):
    """Unite or split clusters until there are as many as wanted.

    Clusters are united as by :class:`GraphMerge`, and split as by :class:`PoolSplit`, one piece at a
    time; where the pool does not split any, the largest cluster is halved in breadth-first order of the
    graph. Partitions with the wanted number do not change. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`, which should allow more clusters than wanted, so that
    operators have room to split before this repair unites.

    Parameters
    ----------
    n_clusters : int
        The number of clusters wanted.

    Notes
    -----
    O(links + k^2) time per cluster too many, O(n_samples) per cluster too few.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, graph: Any, pool: Any, n_clusters: int) -> None:
        super().__init__()
        self.graph = base.LabelGraph.of(graph)
        self.splitting = PoolSplit(pool)
        self.n_clusters = integer("n_clusters", n_clusters)
        if self.n_clusters > self.graph.n_samples:
            raise ValueError(
                f"n_clusters must be at most the number of samples, {self.graph.n_samples}, "
                f"got {self.n_clusters}."
            )

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        bounds = base.bounds_of(problem)
        if not bounds.k_min <= self.n_clusters <= bounds.k_max:
            raise ValueError(
                f"n_clusters must be within the encoding's {bounds.k_min}..{bounds.k_max}, "
                f"got {self.n_clusters}."
            )
        return self.repaired(X, rng)

    def repaired(self, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        """Canonical copies of partitions, with the wanted number of clusters."""
        out = base.canonical_rows(X, self.graph.n_samples)
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
        """Halve the largest cluster; breadth-first order keeps each half connected where it can be."""
        members = np.flatnonzero(labels == np.bincount(labels).argmax())
        inside = self.graph.matrix[members][:, members]
        reached = breadth_first_order(inside, 0, directed=False, return_predecessors=False)
        order = np.concatenate([reached, np.setdiff1d(np.arange(len(members)), reached)])
        out = labels.copy()
        out[members[order[(len(order) + 1) // 2 :]]] = labels.max() + 1
        return relabel_by_first_appearance(out)


@documented(base.SHARED)
class MinSizeRepair(base.GeneRepair):
    """Fill clusters up to the least size with the bags whose move costs least.

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`, which knows ``min_cluster_size``. An objective
    with ``handling="repair"`` repairs constraints, too. Valid individuals do not change. Fractions are
    rounded to integers.

    Parameters
    ----------
    **kwargs
        Options of pymoo's ``Repair``.

    Raises
    ------
    TypeError
        If a problem has no ``objective`` with a method ``repair``.

    Notes
    -----
    One evaluation per individual that is repaired, and O(N) time per bag moved.
    """

    def __init__(self, objective: BagObjective | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.objective = objective

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        objective = base.objective_of(problem, self.objective, "repair")
        return objective.repair(rounded_genes(X, problem.n_var))


class MedoidSetRepair(base.GeneRepair):
    """Drop invalid and repeated medoids, close the gaps, and add random medoids if fewer than two are left.

    Fractions are rounded to integers. Operators of this package leave nothing to repair; others do.
    :class:`EncodingRepair` does the same but adds the samples with the lowest numbers.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        encoding = base.encoding_of(problem, MedoidEncoding)
        ids = rounded_genes(X, encoding.n_var)
        ids[ids >= encoding.n_samples] = -1
        sets = first_distinct(ids, encoding.k_max)
        return filled(sets, encoding.k_min, encoding.n_samples, rng)


class CannotLinkRepair(base.GeneRepair):
    """Redraw self links and forbidden neighbours from the k nearest admissible ones.

    For operators that can leave the feasible set in index encoding; in rank encoding every genotype
    within the bounds is feasible.

    References
    ----------
    PESC, Eq. 3.
    """

    _needs = base.NEIGHBOR_GRAPH

    def _apply(self, problem: NeighborGraphProblem, X: IntArray, rng: np.random.Generator) -> IntArray:
        return base.redraw_illegal(problem, X, rng)


class LocalSearchRepair(base.GeneRepair):
    """Replace every individual by the local optimum that ``problem.improve`` reaches from it.

    For any problem with ``improve(X)``, such as :class:`~moo_clustering.problems.SumOfSquaresProblem`,
    which runs Lloyd's iterations. The optimum is written to the genes (Lamarckian inheritance).
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        return base.require(problem, "problem with improve(X)", "improve").improve(X)
