"""Operators for neighbour links; each gene is a neighbour's rank or sample index (PESC)."""

from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM

from moo_clustering._arrays import FloatArray, IntArray, choice, sparse_positions, uniform_ranks
from moo_clustering._docs import documented
from moo_clustering._kernels import loci
from moo_clustering._kernels.threads import for_blocks
from moo_clustering.operators import base
from moo_clustering.operators.generic import register_operators
from moo_clustering.problems.graphs import NeighborGraphProblem

NEIGHBOR_GRAPH: tuple[str, ...] = ("NeighborGraphProblem", "ranks")


class NeighborSampling(base.SeededSampling):
    """Link each sample to a random one of its nearest neighbours (PESC, Algorithm 3).

    Parameters
    ----------
    init : {"knn", "spread", "random"}, default="knn"
        - ``"knn"``: draw from the k = ``problem.n_neighbors`` nearest; f1 then varies by only O(1/sqrt(N)).
        - ``"spread"``: for individual m = 0..pop-1, draw from the 1 + round((k-1) m / (pop-1)) nearest. This
          covers the whole front even with thousands of samples.
        - ``"random"``: draw from all admissible samples, as a control. Raises a ValueError if the neighbour
          lists do not contain all N - 1 other samples.
    """

    _needs = NEIGHBOR_GRAPH

    def __init__(self, init: Literal["knn", "spread", "random"] = "knn") -> None:
        super().__init__()
        self.init = choice("init", init, ("knn", "spread", "random"))

    def _apply(self, problem: NeighborGraphProblem, n_samples: int, rng: Generator) -> IntArray:
        ranks = np.empty((n_samples, problem.n_var), dtype=np.min_scalar_type(problem.width - 1))
        for m, row in enumerate(ranks):
            row[:] = uniform_ranks(self._widths(problem, m, n_samples), rng)
        return problem.genes(ranks)

    def _widths(self, problem: NeighborGraphProblem, member: int, n_members: int) -> NDArray[np.uint32]:
        if self.init == "knn":
            return problem.widths
        if self.init == "spread":
            own = 1 + round((problem.n_neighbors - 1) * member / max(n_members - 1, 1))
            return np.minimum(problem.widths, np.uint32(own))
        if problem.width < problem.n_samples - 1:
            raise ValueError(
                "init='random' requires neighbour lists of full width, n_samples - 1 = "
                f"{problem.n_samples - 1}; got width {problem.width}"
            )
        return problem.lists.n_admissible.astype(np.uint32)


class UniformNeighborCrossover(base.PairCrossover):
    """Swap each gene between two parents with probability one half.

    Children of feasible parents are feasible. Raises a TypeError if genes are not integers.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: IntArray, rng: Generator) -> IntArray:
        if X.dtype.kind not in "iub":
            raise TypeError(
                f"genes must be integers, got {X.dtype}; use an operator from problem.operators()"
            )
        parents = np.ascontiguousarray(X)
        _, n_pairs, n_var = parents.shape
        swap = base.random_bits(n_pairs, n_var, rng).view(np.uint8)
        children = np.empty_like(parents)

        def exchange(lo: int, hi: int) -> None:
            loci.swap_where(*parents, swap, *children, lo, hi)

        for_blocks(exchange, n_var, 2 * n_pairs, getattr(problem, "n_jobs", None))
        return children


@documented(base.PairCrossover)
class RankSBX(SBX):
    """Simulated binary crossover of neighbour ranks, followed by rounding and clipping.

    Random numbers are drawn as in pymoo's SBX (bounded form, genes swapped with probability one half).
    Source: PESC, "Evolutionary operators"; Deb and Agrawal 1995.

    Parameters
    ----------
    eta : float, default=15
        Distribution index, which the paper does not report.
    prob_var : float, default=0.5
        Probability that each gene is crossed.
    """

    def __init__(self, prob: float = 0.9, eta: float = 15, prob_var: float = 0.5, **kwargs: Any) -> None:
        super().__init__(prob_var=prob_var, eta=eta, prob=prob, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))


@documented()
class IndexSBX(RankSBX):
    """Simulated binary crossover of sample indices 0..N-1, followed by rounding and clipping.

    Self links and links to forbidden neighbours are redrawn from the k nearest admissible neighbours.

    .. warning::
       Sample indices are unrelated to distances. If rows are in random order, this operator adds random
       links. If rows are sorted by class, it adds links within classes, which makes results overoptimistic.
       Use it only to reproduce the paper, and do not compare methods on sorted rows.
    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return redraw_illegal(problem, super()._do(problem, X, *args, **kwargs), kwargs.get("random_state"))


class NeighborResample(base.SeededMutation):
    """Redraw random links, each uniformly from the k nearest admissible neighbours of its sample.

    Takes O(prob_var * pop * N) time, because random numbers are drawn only for genes that change.

    Parameters
    ----------
    prob_var : float, optional
        Probability that each gene is redrawn. Default: 1/N.
    """

    _needs = NEIGHBOR_GRAPH

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _apply(self, problem: NeighborGraphProblem, X: IntArray, rng: Generator) -> IntArray:
        prob = 1.0 / problem.n_var if self.prob_var is None else float(self.prob_var.value)
        by_index = problem.gene == "index"
        mutated = np.array(X, dtype=None if by_index else problem.vtype, order="C")
        flat = mutated.reshape(-1)
        for positions in sparse_positions(flat.size, prob, rng):
            if by_index:
                flat[positions] = problem.draw_neighbors(positions % problem.n_var, rng)
            else:
                draws = rng.integers(0, 2**32, size=len(positions), dtype=np.uint32)
                loci.resample(flat, positions, draws, problem.widths, problem.n_var)
        return mutated


@documented(base.SeededMutation, NeighborResample, RankSBX)
class RankPM(PM):
    """Polynomial mutation of neighbour ranks, followed by rounding and clipping.

    With up to about 20 neighbours and ``eta=20``, rounding usually restores the parent's value. To prevent
    this, decrease ``eta`` or use :class:`NeighborResample`.
    """

    def __init__(
        self, prob_var: float | None = None, eta: float = 20, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, eta=eta, prob_var=prob_var, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))


@documented()
class IndexPM(RankPM):
    """Polynomial mutation of sample indices 0..N-1, followed by rounding and clipping.

    Invalid genes are redrawn, and results depend on the order of the rows; see :class:`IndexSBX`.
    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return redraw_illegal(problem, super()._do(problem, X, *args, **kwargs), kwargs.get("random_state"))


class CannotLinkRepair(base.GeneRepair):
    """Redraw self links and forbidden links from the k nearest admissible neighbours (PESC, Eq. 3)."""

    _needs = NEIGHBOR_GRAPH

    def _apply(self, problem: NeighborGraphProblem, X: IntArray, rng: Generator) -> IntArray:
        return redraw_illegal(problem, X, rng)


def redraw_illegal(problem: NeighborGraphProblem, X: IntArray, random_state: Generator | None) -> IntArray:
    """Replace each link to an inadmissible sample with a link to one of the k nearest admissible samples."""
    illegal = np.nonzero(problem.ranks(X) >= problem.lists.n_admissible)
    if not len(illegal[-1]):
        return X
    repaired = X.copy()
    repaired[illegal] = problem.draw_neighbors(illegal[-1], np.random.default_rng(random_state))
    return repaired


def to_genes(problem: Any, values: FloatArray) -> IntArray:
    """Round values half to even, clip them to the bounds, and cast them to the problem's integer dtype."""
    base.require(problem, *NEIGHBOR_GRAPH)
    return np.clip(np.rint(values), problem.xl, problem.xu).astype(problem.vtype)


register_operators(
    NeighborGraphProblem,
    sampling=NeighborSampling,
    crossover=UniformNeighborCrossover,
    mutation=NeighborResample,
    repair=CannotLinkRepair,
)
