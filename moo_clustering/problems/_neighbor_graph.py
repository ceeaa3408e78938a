"""PESC's phase I: which neighbour each sample is linked to."""

from __future__ import annotations

import math
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.problem import Problem

from moo_clustering._kernels import loci
from moo_clustering._kernels.blocks import sum_blocks
from moo_clustering._random import uniform_ranks
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.diversity import locus_counts, shared_choices
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.graphs import NeighborLists, neighbor_lists

IntArray = NDArray[np.integer[Any]]


def default_n_neighbors(n_samples: int) -> int:
    """Smallest integer greater than ln N, at most N - 1 (PESC, Algorithm 3: k > ln N).

    Parameters
    ----------
    n_samples : int
        N.

    Returns
    -------
    int
    """
    return min(n_samples - 1, math.floor(math.log(n_samples)) + 1)


class NeighborGraphProblem(Problem):
    """Link every sample to one of its neighbours: near (f1) yet unlike the other members (f2).

    Gene i names the neighbour of sample i, as its rank in the neighbour list of i (``gene="rank"``)
    or as its index (``gene="index"``, the paper's literal encoding).

    - f1, ``mean_neighbor_distance``: (1/N) sum_i D[i, x_i], minimised.
    - f2, ``one_minus_diversity``: 1 - DIV(X | Q), minimised. It depends on the set Q that X is
      compared with; use :class:`~moo_clustering.operators.DynamicDiversitySurvival` so that all
      values that are compared with each other refer to the same Q.

    Parameters
    ----------
    lists : NeighborLists
        Nearest admissible neighbours of every sample, nearest first, of width w.
    n_neighbors : int, optional
        k, how many of the nearest are drawn by initialisation and resampling; default the smallest
        integer above ln N. At most w.
    gene : {"rank", "index"}, default="rank"
        ``"index"`` keeps an (N, N) table and needs lists of full width.
    diversity : {"batch", "deferred"}, default="batch"
        What evaluation writes as f2: the value with respect to the batch being evaluated, or NaN,
        to be filled in by a survival that knows the whole population.
    n_jobs : int, optional
        Threads over blocks of loci; the result does not depend on it.

    Attributes
    ----------
    objective_names : tuple of str
    widths : ndarray of shape (N,)
        Number of neighbours gene i is drawn from, min(k, admissible neighbours of i).

    Notes
    -----
    A population costs O(pop N) bytes with ``gene="rank"`` and w <= 256, its evaluation O(pop N).

    References
    ----------
    PESC, Eqs. 1-3 and Algorithm 3.
    """

    objective_names = ("mean_neighbor_distance", "one_minus_diversity")

    def __init__(
        self,
        lists: NeighborLists,
        *,
        n_neighbors: int | None = None,
        gene: Literal["rank", "index"] = "rank",
        diversity: Literal["batch", "deferred"] = "batch",
        n_jobs: int | None = None,
    ) -> None:
        n_samples, width = lists.indices.shape
        if gene not in ("rank", "index"):
            raise ValueError(f"gene must be 'rank' or 'index', got {gene!r}.")
        if diversity not in ("batch", "deferred"):
            raise ValueError(f"diversity must be 'batch' or 'deferred', got {diversity!r}.")
        if n_neighbors is None:
            n_neighbors = min(default_n_neighbors(n_samples), width)
        if not 1 <= n_neighbors <= width:
            raise ValueError(
                f"n_neighbors must be between 1 and the width of the neighbour lists, {width}; "
                f"got {n_neighbors}."
            )
        if gene == "index" and width != n_samples - 1:
            raise ValueError(
                "gene='index' needs neighbour lists of full width, "
                f"{n_samples - 1} for {n_samples} samples; got width {width}."
            )
        if np.isinf(lists.distances[lists.indices >= 0]).any():
            raise ValueError("the neighbour lists hold distances of more than 3.4e38; rescale X.")
        self.lists = lists
        self.width = width
        self.n_neighbors = n_neighbors
        self.gene = gene
        self.diversity = diversity
        self.n_jobs = n_jobs
        self.widths = np.minimum(lists.n_admissible, n_neighbors).astype(np.uint32)
        self._rank_of = _inverse(lists) if gene == "index" else None
        dtype = np.min_scalar_type(width - 1 if gene == "rank" else n_samples - 1)
        upper = lists.n_admissible - 1 if gene == "rank" else n_samples - 1
        super().__init__(n_var=n_samples, n_obj=2, xl=0, xu=np.broadcast_to(upper, n_samples), vtype=dtype)

    @classmethod
    def from_data(
        cls,
        X: ArrayLike,
        *,
        list_width: int | None = None,
        metric: str = "euclidean",
        groups: ConstraintGroups | None = None,
        random_state: int = 0,
        n_neighbors: int | None = None,
        gene: Literal["rank", "index"] = "rank",
        **kwargs: Any,
    ) -> Self:
        """Build the neighbour lists and the problem from features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Used as given: scale it first.
        list_width : int, optional
            w; default k, or n_samples - 1 with ``gene="index"``.
        metric : str, default="euclidean"
            Any metric of scikit-learn, or ``"precomputed"`` distances.
        groups : ConstraintGroups, optional
            Cannot-links: forbidden neighbours never enter a list, so every genotype is feasible.
        random_state : int, default=0
            Seed of the tie-break among equally distant neighbours.
        n_neighbors, gene, **kwargs
            As in the constructor.
        """
        X = np.asarray(X)
        if n_neighbors is None:
            n_neighbors = default_n_neighbors(len(X))
        if list_width is None:
            list_width = len(X) - 1 if gene == "index" else n_neighbors
        lists = neighbor_lists(
            X,
            list_width,
            metric=metric,
            ties="random",
            rng=np.random.default_rng(random_state),
            groups=groups,
            n_jobs=kwargs.get("n_jobs"),
        )
        return cls(lists, n_neighbors=min(n_neighbors, lists.indices.shape[1]), gene=gene, **kwargs)

    @property
    def n_samples(self) -> int:
        """Number of samples, which is the number of genes."""
        return int(self.n_var)

    def ranks(self, X: IntArray) -> IntArray:
        """Population in rank encoding, shape (n_individuals, n_samples), C-contiguous."""
        X = np.asarray(X)
        if X.dtype.kind == "f":
            X = np.rint(X)
        if self._rank_of is not None:
            return np.ascontiguousarray(self._rank_of[np.arange(self.n_var), X.astype(np.intp)])
        return np.ascontiguousarray(X, dtype=self.vtype)

    def genes(self, ranks: IntArray) -> IntArray:
        """Inverse of :meth:`ranks`: the genotypes that stand for these ranks."""
        return ranks if self._rank_of is None else self.neighbors_of_ranks(ranks).astype(self.vtype)

    def neighbors_of_ranks(self, ranks: IntArray) -> NDArray[np.int32]:
        """Index of the chosen neighbour for every rank, shape (n_individuals, n_samples)."""
        out: NDArray[np.int32] = self.lists.indices[np.arange(self.n_var), ranks]
        return out

    def neighbors(self, X: IntArray) -> NDArray[np.int32]:
        """Index of the neighbour each sample is linked to, shape (n_individuals, n_samples)."""
        return self.neighbors_of_ranks(self.ranks(X))

    def draw_neighbors(self, loci: IntArray, rng: np.random.Generator) -> IntArray:
        """Genes drawn for the given loci, each uniform over the k nearest admissible neighbours."""
        ranks = uniform_ranks(self.widths[loci], rng)
        return ranks.astype(self.vtype) if self.gene == "rank" else self.lists.indices[loci, ranks]

    def decode(self, X: IntArray) -> NDArray[np.int32]:
        """Connected components of every individual's graph as partitions."""
        return LocusAdjacencyEncoding(n_samples=self.n_samples).decode(self.neighbors(X))

    def mean_distance(self, ranks: IntArray) -> NDArray[np.float64]:
        """f1 of rank-encoded chromosomes, shape (n_individuals,)."""
        total = sum_blocks(
            lambda lo, hi, out: loci.sum_distances(ranks, self.lists.distances, lo, hi, out),
            self.n_samples,
            len(ranks),
            np.float64,
            self.n_jobs,
        )
        mean: NDArray[np.float64] = total / self.n_samples
        return mean

    def count(self, ranks: IntArray) -> NDArray[np.unsignedinteger[Any]]:
        """Who chose what at each locus, see :func:`moo_clustering.diversity.locus_counts`."""
        return locus_counts(ranks, self.width, n_jobs=self.n_jobs)

    def one_minus_diversity(
        self, ranks: IntArray, counts: NDArray[np.unsignedinteger[Any]], size: int
    ) -> NDArray[np.float64]:
        """f2 of rank-encoded chromosomes with respect to a counted set of ``size`` members."""
        return shared_choices(ranks, counts, n_jobs=self.n_jobs) / (self.n_samples * size)

    def _evaluate(self, X: IntArray, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        ranks = self.ranks(X)
        f1 = self.mean_distance(ranks)  # Eq. 1
        if self.diversity == "deferred":
            f2 = np.full(len(ranks), np.nan)
        else:
            f2 = self.one_minus_diversity(ranks, self.count(ranks), len(ranks))  # Eq. 2
        out["F"] = np.column_stack([f1, f2])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Everything heavy is read-only; pymoo copies problems with the algorithm's history.
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy


def _inverse(lists: NeighborLists) -> IntArray:
    """rank_of[i, j] = rank of j in the list of i; the width (an illegal rank) where j is not in it."""
    n, width = lists.indices.shape
    rank_of = np.full((n, n), width, dtype=np.min_scalar_type(width))
    rows, ranks = np.nonzero(lists.indices >= 0)
    rank_of[rows, lists.indices[rows, ranks]] = ranks
    return rank_of
