"""Rows of genes, label graphs, what operators ask of problems."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.variable import get

from moo_clustering._arrays import BoolArray, FloatArray, Labels
from moo_clustering._kernels import partitions as partition_votes
from moo_clustering._kernels.partitions import half_of_differences
from moo_clustering.bags.objective import BagObjective
from moo_clustering.encodings import LabelEncoding
from moo_clustering.encodings.base import align_labels, checked_genes, relabel_by_first_appearance
from moo_clustering.encodings.medoids import repair_slots

Genes = NDArray[np.integer[Any]]
Exchange = Callable[[Genes, Genes, np.random.Generator], BoolArray]
# Draws held at once: 32 MiB.
_DRAWS = 2**22


@dataclass(frozen=True, eq=False)
class LabelGraph:
    """Similarities of samples in compressed rows, and what clusters get from them.

    Made once by :meth:`of` and shared by several operators; copies are the object itself.

    Attributes
    ----------
    matrix : csr_array of shape (n_samples, n_samples)
        Non-negative, without diagonal.
    volumes : ndarray of shape (n_samples,)
        Sum of every row.
    """

    matrix: sp.csr_array
    volumes: FloatArray

    @classmethod
    def of(cls, graph: Self | ArrayLike | Any) -> Self:
        """A graph from a sparse or dense symmetric matrix of similarities; one that is one stays itself.

        Raises
        ------
        ValueError
            For a matrix that is not square, or has negative or infinite entries.
        """
        if isinstance(graph, cls):
            return graph
        matrix = sp.csr_array(graph, dtype=np.float64, copy=True)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"graph must be a square matrix of similarities, got shape {matrix.shape}.")
        if not (np.isfinite(matrix.data) & (matrix.data >= 0.0)).all():
            raise ValueError("graph must hold finite similarities of at least 0.")
        matrix.sum_duplicates()
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        matrix.data[row == matrix.indices] = 0.0
        matrix.eliminate_zeros()
        return cls(matrix, np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel())

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    def links(self, labels: Labels) -> FloatArray:
        """Sum of similarities from each cluster to each, shape (k, k); O(links + k^2)."""
        k = int(labels.max()) + 1
        sums = np.zeros((k, k))
        partition_votes.sum_links(*self._rows, labels, sums)
        return sums

    def voted(self, labels: Labels, inertia: float) -> Labels:
        """Clusters after all samples took that of their neighbours at once; the numbers may have gaps."""
        out = np.empty_like(labels)
        tally = np.zeros(int(labels.max()) + 1)
        partition_votes.vote_once(*self._rows, inertia * self.volumes, labels, tally, out)
        return out

    def joined(self, labels: Labels, max_rounds: int) -> Labels:
        """Labels with -1 replaced by the neighbours' cluster, for those who have such neighbours."""
        out = labels.copy()
        partition_votes.join_neighbors(*self._rows, out, np.zeros(int(labels.max()) + 1), max_rounds)
        return out

    def united(self, labels: Labels, k_max: int) -> Labels:
        """At most ``k_max`` clusters: the smallest joins the one it is linked to most, again and again.

        Ties: the lowest number; without any link the next smallest.
        """
        sizes = np.bincount(labels)
        alive = len(sizes)
        if alive <= k_max:
            return labels
        links, number = self.links(labels), np.arange(alive)
        np.fill_diagonal(links, 0.0)
        size: FloatArray = sizes.astype(np.float64)
        while alive > k_max:
            small = int(size.argmin())
            size[small], joining = np.inf, size[small]
            large = int((links[small] if links[small].any() else -size).argmax())
            number[number == small] = large
            size[large] += joining
            links[large] += links[small]
            links[:, large] += links[:, small]
            links[large, large] = 0.0
            links[small] = links[:, small] = 0.0
            alive -= 1
        return relabel_by_first_appearance(number[labels])

    @property
    def _rows(self) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
        return self.matrix.indptr, self.matrix.indices, self.matrix.data

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Bounds(NamedTuple):
    """Least and greatest number of clusters."""

    k_min: int
    k_max: int


def bounds_of(problem: Any) -> Bounds:
    """Those of a problem's :class:`~moo_clustering.encodings.LabelEncoding`; refuses other problems."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, LabelEncoding):
        raise TypeError(
            f"{type(problem).__name__} has no LabelEncoding, which this operator needs: its genes are the "
            "clusters of the samples."
        )
    return Bounds(encoding.k_min, encoding.k_max)


def canonical_rows(X: NDArray[Any], n_samples: int) -> Labels:
    """A fresh array of partitions, each with its clusters numbered by first appearance."""
    return relabel_by_first_appearance(checked_genes(X, n_samples))


def pool_labels(pool: Any) -> Labels:
    """The partitions of a pool, or of an array of labels, one a row; fresh and canonical.

    Raises
    ------
    ValueError
        For no partition at all.
    """
    labels = np.atleast_2d(np.asarray(getattr(pool, "labels", pool)))
    if labels.ndim != 2 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"pool must hold at least one partition, as integer labels of shape (n_partitions, n_samples); "
            f"got shape {labels.shape} and dtype {labels.dtype}."
        )
    return relabel_by_first_appearance(labels)


def share(name: str, value: float) -> float:
    """A number within 0..1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be within 0..1, got {value!r}.")
    return float(value)


def at_least_one(name: str, value: int) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a positive integer, got {value!r}.")
    if value < 1:
        raise ValueError(f"{name} must be a positive integer, got {value!r}.")
    return int(value)


class ChosenMutation(Mutation):
    """Mutation that first draws who is mutated, by ``prob``, and then mutates nobody else.

    pymoo mutates everybody and throws away what was not to be; subclasses override ``_do`` as ever.
    """

    def do(
        self,
        problem: Any,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = deepcopy(pop)
        chosen = pop[rng.random(len(pop)) < get(self.prob, size=len(pop))]
        if len(chosen):
            chosen.set("X", self._do(problem, chosen.get("X"), *args, random_state=rng, **kwargs))
        return pop


class LabelMutation(ChosenMutation):
    """Mutation of one partition after the other; subclasses say how.

    The numbers of the clusters never matter: every row is numbered by first appearance before, and
    comes out so.
    """

    @abstractmethod
    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        """A changed copy of a canonical partition, or itself where nothing can be done."""

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        rng, bounds = np.random.default_rng(random_state), bounds_of(problem)
        out = canonical_rows(X, problem.n_var)
        for row in out:
            row[:] = self.varied(row.copy(), bounds, rng)
        return out


def objective_of(problem: Any, given: BagObjective | None, *methods: str) -> BagObjective:
    """What an operator moves by: the given objective, or else that of the problem.

    Parameters
    ----------
    problem : Problem
        With an attribute ``objective``, unless one is given.
    given : BagObjective or None
    *methods : str
        What it must offer.

    Raises
    ------
    TypeError
    """
    objective = getattr(problem, "objective", None) if given is None else given
    lacking = [name for name in methods if not callable(getattr(objective, name, None))]
    if lacking:
        owner = f"{type(problem).__name__}.objective" if given is None else type(given).__name__
        raise TypeError(
            f"{owner} has no {lacking[0]}(), which this operator needs: use a BagPartitionProblem, or "
            "give the operator objective=BagObjective(...)."
        )
    return objective  # type: ignore[return-value]


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


def tails(first: Genes, second: Genes, rng: np.random.Generator) -> BoolArray:
    """The genes from a cut on that is uniform over 1..n_var-1, one for every pair."""
    n_pairs, n_var = first.shape
    return np.arange(n_var) >= rng.integers(1, max(n_var, 2), size=(n_pairs, 1))


def half_differing(first: Genes, second: Genes, rng: np.random.Generator) -> BoolArray:
    """Of the h genes in which a pair differs floor(h / 2), every choice equally likely."""
    n_pairs, n_var = first.shape
    first, second = (np.ascontiguousarray(x, dtype=np.int32) for x in (first, second))
    chosen = np.empty((n_pairs, n_var), dtype=bool)
    step = max(1, _DRAWS // max(n_var, 1))
    for lo in range(0, n_pairs, step):
        part = slice(lo, lo + step)
        draws = rng.random(first[part].shape)
        half_of_differences(first[part], second[part], draws, chosen[part])
    return chosen


def coins(first: Genes, second: Genes, rng: np.random.Generator) -> BoolArray:
    """Every gene with probability one half; one random bit each."""
    n_pairs, n_var = first.shape
    shape = n_pairs, -(-n_var // 8)
    bits = np.frombuffer(rng.bytes(shape[0] * shape[1]), dtype=np.uint8).reshape(shape)
    return np.unpackbits(bits, axis=1, count=n_var).view(bool)


def cross_partitions(
    first: Genes,
    second: Genes,
    exchange: Exchange,
    rng: np.random.Generator,
    *,
    align: bool,
    n_clusters: int | None = None,
) -> tuple[Genes, Genes]:
    """Two children of every pair of rows.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, n_samples)
        Cluster of every sample; not changed.
    exchange : callable
        Says which genes are exchanged.
    rng : numpy.random.Generator
    align : bool
        Give the clusters of ``second`` the numbers they have in ``first`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.
    """
    if align:
        second = align_labels(first, second, n_clusters)
    swap = exchange(first, second, rng)
    return np.where(swap, second, first), np.where(swap, first, second)
