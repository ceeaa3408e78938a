"""Shared by operators: checks of problems and options, the similarity graph, mutation of a drawn few.

Every operator asks its problem for what it needs through :func:`encoding_of`, :func:`objective_of` or
:func:`require`, so that a wrong combination ends in a sentence that says what is missing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling
from pymoo.core.variable import get

from moo_clustering._arrays import FloatArray, IntArray, Labels
from moo_clustering._data import checked_graph
from moo_clustering._docs import Documented
from moo_clustering._kernels import partitions as kernels
from moo_clustering.bags import BagObjective
from moo_clustering.encodings import Encoding, LabelEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import checked_genes

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem


@dataclass(frozen=True, eq=False)
class LabelGraph:
    """Symmetric similarities between samples, and the sums and votes of clusters over them.

    Several operators share one graph, which :meth:`of` makes once: a copy is the object itself.

    Attributes
    ----------
    matrix : csr_array of shape (n_samples, n_samples)
        Similarities in compressed rows: non-negative, without a diagonal.
    volumes : ndarray of shape (n_samples,)
        Sum of the similarities of each sample.
    """

    matrix: sp.csr_array
    volumes: FloatArray

    @classmethod
    def of(cls, graph: Self | ArrayLike | Any) -> Self:
        """Make a graph of a sparse or dense symmetric matrix of similarities; return a LabelGraph as it is.

        Raises
        ------
        ValueError
            If the matrix is not square or symmetric, or has negative or infinite entries.
        """
        if isinstance(graph, cls):
            return graph
        matrix = sp.csr_array(checked_graph(graph, "graph"), copy=True)
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        matrix.data[row == matrix.indices] = 0.0
        matrix.eliminate_zeros()
        return cls(matrix, np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel())

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    def links(self, labels: Labels) -> FloatArray:
        """Sum of the similarities between each two clusters, shape (k, k); O(links + k^2)."""
        k = int(labels.max()) + 1
        sums = np.zeros((k, k))
        kernels.sum_links(*self._rows, labels, sums)
        return sums

    def voted(self, labels: Labels, inertia: float) -> Labels:
        """Move all samples at once to the cluster of most similarity; cluster numbers may then have gaps."""
        out = np.empty_like(labels)
        tally = np.zeros(int(labels.max()) + 1)
        kernels.vote_once(*self._rows, inertia * self.volumes, labels, tally, out)
        return out

    def joined(self, labels: Labels, max_rounds: int) -> Labels:
        """Replace each -1 by the cluster of most similarity, round by round; -1 stays where no link leads."""
        out = labels.copy()
        kernels.join_neighbors(*self._rows, out, np.zeros(int(labels.max()) + 1), max_rounds)
        return out

    def united(self, labels: Labels, k_max: int) -> Labels:
        """Unite clusters until there are at most ``k_max``: the smallest joins the one it is linked to most.

        Ties go to the lowest number; a cluster without links joins the next smallest.
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
            # Infinite, it is never the smallest again, nor chosen below where sizes decide.
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


# Problems that several operators need.
NEIGHBOR_GRAPH: tuple[str, ...] = ("NeighborGraphProblem", "ranks")
LINKS: tuple[str, ...] = ("MOCKProblem", "graph", "encoding")
MODES: tuple[str, ...] = ("FuzzyModesProblem", "draw")
SPARSE_ROWS: tuple[str, ...] = ("SRMOSCProblem", "candidates")
# Parameters of several operators, for :func:`~moo_clustering._docs.documented`.
SHARED = """
Parameters
----------
graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
    Symmetric similarities.
pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    Partitions to split along.
objective : BagObjective, optional
    Default: the problem's.
"""


class Bounds(NamedTuple):
    """Smallest and largest number of clusters."""

    k_min: int
    k_max: int


def bounds_of(problem: Any) -> Bounds:
    """Range of the number of clusters of a problem over a LabelEncoding; TypeError for any other."""
    encoding = encoding_of(problem, LabelEncoding)
    return Bounds(encoding.k_min, encoding.k_max)


def encoding_of(problem: Any, kind: type[Any] = Encoding) -> Any:
    """Return the encoding of a problem; raise TypeError unless it is of the kind that an operator needs."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, kind):
        raise TypeError(
            f"{type(problem).__name__} has no {kind.__name__}, which this operator needs: take an operator "
            f"of problem.operators(), or a problem with a {kind.__name__}."
        )
    return encoding


def objective_of(problem: Any, objective: BagObjective | None, *methods: str) -> BagObjective:
    """Return the objective that an operator uses; raise TypeError if it lacks one of the methods it calls.

    Without ``objective`` the attribute ``objective`` of the problem is used.
    """
    own = getattr(problem, "objective", None) if objective is None else objective
    lacking = [name for name in methods if not callable(getattr(own, name, None))]
    if lacking:
        owner = f"{type(problem).__name__}.objective" if objective is None else type(objective).__name__
        raise TypeError(
            f"{owner} has no {lacking[0]}(), which this operator needs: use a BagPartitionProblem, or "
            "give the operator objective=BagObjective(...)."
        )
    return own  # type: ignore[return-value]


def require(problem: Any, kind: str, *attributes: str) -> Any:
    """Return the problem; raise TypeError unless it has the attributes of a problem of that kind."""
    if not all(hasattr(problem, name) for name in attributes):
        raise TypeError(
            f"{type(problem).__name__} is no {kind}, which this operator needs: take an operator of "
            f"problem.operators(), or a {kind}."
        )
    return problem


def check_labels(problem: Any) -> None:
    """Raise TypeError for problems of this package whose genes are no cluster numbers."""
    if hasattr(problem, "operators"):
        encoding_of(problem, LabelEncoding)


def center_problem(problem: Any) -> Any:
    """Return the problem; raise TypeError unless its genes are coordinates of centres."""
    return require(problem, "SumOfSquaresProblem", "encoding", "points", "n_clusters", "improve")


def seed_problem(problem: Any) -> Any:
    """Return the problem; raise TypeError unless its genes are seeds of clusters in subspaces."""
    needed = ("encoding", "targets", "cluster_centers", "central_documents", "center_distances")
    return require(problem, "SubspaceClusteringProblem", *needed)


def canonical_rows(X: NDArray[Any], n_samples: int) -> Labels:
    """Copy partitions, with the clusters of each numbered by first appearance."""
    return relabel_by_first_appearance(checked_genes(X, n_samples))


def pool_labels(pool: Any) -> Labels:
    """Canonical copy of the partitions of a pool, or of an array of labels with one partition per row.

    Raises a ValueError if there is no partition at all.
    """
    labels = np.atleast_2d(np.asarray(getattr(pool, "labels", pool)))
    if labels.ndim != 2 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"pool must hold at least one partition, as integer labels of shape (n_partitions, n_samples); "
            f"got shape {labels.shape} and dtype {labels.dtype}."
        )
    return relabel_by_first_appearance(labels)


class SeededOperator(Documented, ABC):
    """Operator of pymoo that needs nothing but the problem, the genes and a generator.

    Subclasses override ``_apply`` in place of pymoo's ``_do``. Its second argument is what ``_do`` is given:
    parents, individuals, or for samplings their number.
    """

    # Kind of problem without which the operator cannot do, and what such problems have; see :func:`require`.
    _needs: ClassVar[tuple[str, ...]] = ()

    def _do(self, problem: Any, X: Any, *args: Any, random_state: Any = None, **kwargs: Any) -> Any:
        if self._needs:
            require(problem, *self._needs)
        return self._apply(problem, X, np.random.default_rng(random_state))

    @abstractmethod
    def _apply(self, problem: Any, X: Any, rng: np.random.Generator) -> Any:
        """Vary, repair or make individuals; no other generator than ``rng`` is drawn from."""


class PairCrossover(SeededOperator, Crossover):
    """Crossover of two parents to two children.

    Parameters
    ----------
    prob : float
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Further options of pymoo's ``Crossover``.
    """

    def __init__(self, prob: float, n_offsprings: int = 2, **kwargs: Any) -> None:
        super().__init__(2, n_offsprings, prob=prob, **kwargs)


class SeededMutation(SeededOperator, Mutation):
    """Mutation of individuals.

    Parameters
    ----------
    prob : float
        Probability that an individual is mutated.
    **kwargs
        Further options of pymoo's ``Mutation``.
    """

    def __init__(self, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)


class SeededSampling(SeededOperator, Sampling):
    """Sampling of individuals."""


class GeneRepair(SeededOperator, Repair):
    """Repair of individuals, of which there is at least one."""

    def _do(self, problem: Any, X: Any, *args: Any, random_state: Any = None, **kwargs: Any) -> Any:
        return super()._do(problem, X, random_state=random_state) if len(X) else X


class DrawnMutation(SeededMutation):
    """Mutation that draws with ``prob`` who is mutated, and computes the mutants of those only.

    pymoo's own ``do`` mutates everybody and discards what was not drawn, which is too dear for mutations
    that evaluate or search. Subclasses override ``_apply`` as usual.
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
        # The individuals of ``pop`` themselves, not copies: what they are set to is set in ``pop``.
        drawn = pop[rng.random(len(pop)) < get(self.prob, size=len(pop))]
        if len(drawn):
            self._mutate(problem, drawn, *args, random_state=rng, **kwargs)
        return pop

    def _mutate(self, problem: Any, drawn: Population, *args: Any, **kwargs: Any) -> None:
        """Replace the genes of individuals."""
        drawn.set("X", self._do(problem, drawn.get("X"), *args, **kwargs))


def redraw_illegal(
    problem: NeighborGraphProblem, X: IntArray, random_state: np.random.Generator | None
) -> IntArray:
    """Replace links to samples that are not admissible by links to one of the k nearest that are."""
    illegal = np.argwhere(problem.ranks(X) >= problem.lists.n_admissible)
    if len(illegal) == 0:
        return X
    repaired = X.copy()
    rows, columns = illegal.T
    repaired[rows, columns] = problem.draw_neighbors(columns, np.random.default_rng(random_state))
    return repaired


def to_genes(problem: Any, values: FloatArray) -> IntArray:
    """Round half to even, clip to the problem's bounds, and convert to its integer type."""
    require(problem, *NEIGHBOR_GRAPH)
    return np.clip(np.rint(values), problem.xl, problem.xu).astype(problem.vtype)
