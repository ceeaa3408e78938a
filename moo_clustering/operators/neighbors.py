"""Operators of links to neighbours: each gene is a neighbour of its sample, as a rank or an index (PESC)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
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

# The problem that these operators need, see :func:`~moo_clustering.operators.base.require`.
NEIGHBOR_GRAPH: tuple[str, ...] = ("NeighborGraphProblem", "ranks")


class NeighborSampling(base.SeededSampling):
    """Link every sample to a random one of its nearest neighbours (PESC, Algorithm 3).

    Parameters
    ----------
    init : {"knn", "spread", "random"}, default="knn"
        - ``"knn"``: uniform over the k nearest, k = ``problem.n_neighbors``.
        - ``"spread"``: individual m of 0..pop-1 draws from its own k_m = 1 + round((k-1) m / (pop-1))
          nearest, so that the first one is the nearest-neighbour graph. Individuals of ``"knn"`` differ
          in f1 by O(1/sqrt(N)) only; with some thousand samples or more, ``"spread"`` covers the front.
        - ``"random"``: uniform over all admissible samples, as a control; needs lists of full width.
    """

    _needs = NEIGHBOR_GRAPH

    def __init__(self, init: Literal["knn", "spread", "random"] = "knn") -> None:
        super().__init__()
        self.init = choice("init", init, ("knn", "spread", "random"))

    def _apply(self, problem: NeighborGraphProblem, n_samples: int, rng: np.random.Generator) -> IntArray:
        ranks = np.empty((n_samples, problem.n_var), dtype=np.min_scalar_type(problem.width - 1))
        for m in range(n_samples):
            ranks[m] = uniform_ranks(self._widths(problem, m, n_samples), rng)
        return problem.genes(ranks)

    def _widths(self, problem: NeighborGraphProblem, member: int, n_members: int) -> NDArray[np.uint32]:
        if self.init == "knn":
            return problem.widths
        if self.init == "random":
            if problem.width < problem.n_samples - 1:
                raise ValueError(
                    "init='random' draws from all samples and needs neighbour lists of full width, "
                    f"{problem.n_samples - 1}; got width {problem.width}."
                )
            return problem.lists.n_admissible.astype(np.uint32)
        own = 1 + round((problem.n_neighbors - 1) * member / max(n_members - 1, 1))
        return np.minimum(problem.widths, np.uint32(own))


class UniformNeighborCrossover(base.PairCrossover):
    """Exchange every gene of two parents with probability one half.

    Every gene of a child comes from a parent at the same locus, so children of feasible parents are
    feasible. Takes genes of any integer type and draws one random bit per gene.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: IntArray, rng: np.random.Generator) -> IntArray:
        if X.dtype.kind not in "iub":
            raise TypeError(
                f"genes must be integers, got {X.dtype}: take an operator of problem.operators()."
            )
        first, second = np.ascontiguousarray(X[0]), np.ascontiguousarray(X[1])
        n_pairs, n_var = first.shape
        swap = base.random_bits(n_pairs, n_var, rng).view(np.uint8)
        children = np.empty((2, n_pairs, n_var), dtype=X.dtype)
        for_blocks(
            lambda lo, hi: loci.swap_where(first, second, swap, children[0], children[1], lo, hi),
            n_var,
            2 * n_pairs,
            getattr(problem, "n_jobs", None),
        )
        return children


@documented(base.PairCrossover)
class RankSBX(SBX):
    """Simulated binary crossover on ranks of neighbours, rounded and clipped.

    A step in rank leads to a slightly nearer or farther neighbour, so the operator does not depend on
    the order of the rows. It draws as pymoo's SBX does (bounded form, genes exchanged with probability
    one half).

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed.
    eta : float, default=15
        Distribution index; the paper does not print it.
    prob_var : float, default=0.5
        Probability per gene.

    References
    ----------
    PESC, "Evolutionary operators"; Deb and Agrawal 1995.
    """

    def __init__(self, prob: float = 0.9, eta: float = 15, prob_var: float = 0.5, **kwargs: Any) -> None:
        super().__init__(prob_var=prob_var, eta=eta, prob=prob, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))


@documented()
class IndexSBX(RankSBX):
    """Simulated binary crossover on sample indices 0..N-1, rounded and clipped.

    A gene that becomes a self link or a forbidden neighbour is redrawn from the k nearest admissible
    ones.

    .. warning::
       The index of a sample says nothing about distance. On rows in random order this operator adds
       random edges; on rows sorted by class, as in many published files, it adds edges within classes,
       and results look better than the data allow. Use it for reproduction only, and never compare
       methods on sorted rows.

    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        children = super()._do(problem, X, *args, **kwargs)
        flat = children.reshape(-1, children.shape[-1])
        return redraw_illegal(problem, flat, kwargs.get("random_state")).reshape(children.shape)


class NeighborResample(base.SeededMutation):
    """Redraw links uniformly over the k nearest admissible neighbours of the sample.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.

    Notes
    -----
    O(prob_var * pop * N) time: only genes that change are drawn.
    """

    _needs = NEIGHBOR_GRAPH

    def __init__(self, prob_var: float | None = None, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, prob_var=prob_var, **kwargs)

    def _apply(self, problem: NeighborGraphProblem, X: IntArray, rng: np.random.Generator) -> IntArray:
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


@documented(base.SeededMutation)
class RankPM(PM):
    """Polynomial mutation on ranks of neighbours, rounded and clipped.

    With narrow lists (w up to about 20) and ``eta=20`` most steps are rounded back to the parent's
    value: lower ``eta`` or use :class:`NeighborResample`.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.
    eta : float, default=20
        Distribution index; the paper does not print it.
    """

    def __init__(
        self, prob_var: float | None = None, eta: float = 20, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, eta=eta, prob_var=prob_var, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))


@documented()
class IndexPM(RankPM):
    """Polynomial mutation on sample indices 0..N-1, rounded and clipped.

    Illegal genes are redrawn, and the order of the rows leaks into the result, as :class:`IndexSBX` explains.

    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return redraw_illegal(problem, super()._do(problem, X, *args, **kwargs), kwargs.get("random_state"))


class CannotLinkRepair(base.GeneRepair):
    """Redraw self links and forbidden neighbours from the k nearest admissible ones.

    For operators that can leave the feasible set in index encoding; in rank encoding every genotype
    within the bounds is feasible.

    References
    ----------
    PESC, Eq. 3.
    """

    _needs = NEIGHBOR_GRAPH

    def _apply(self, problem: NeighborGraphProblem, X: IntArray, rng: np.random.Generator) -> IntArray:
        return redraw_illegal(problem, X, rng)


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
    base.require(problem, *NEIGHBOR_GRAPH)
    return np.clip(np.rint(values), problem.xl, problem.xu).astype(problem.vtype)


register_operators(
    NeighborGraphProblem,
    sampling=NeighborSampling,
    crossover=UniformNeighborCrossover,
    mutation=NeighborResample,
    repair=CannotLinkRepair,
)
