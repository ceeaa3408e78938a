"""SRMOSC: weights that rebuild every sample from a few others."""

from __future__ import annotations

import copy
import math
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.core.problem import Problem
from scipy.sparse import csgraph
from sklearn.utils import check_array

from moo_clustering._kernels import sparse_rows
from moo_clustering._kernels.blocks import for_blocks
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.graphs import NeighborLists, neighbor_lists
from moo_clustering.graphs._neighbors import Ties
from moo_clustering.graphs._similarity import listed_edges
from moo_clustering.problems._srmosc_limits import MAX_MEMORY, candidate_width, check_size, checked_norms

FloatArray = NDArray[np.float64]
Weights = NDArray[np.float32]


class SRMOSCProblem(Problem):
    """Rebuild every sample from its nearest others: exactly (f1), and from few of them (f2).

    Gene i * w + a is the weight s_ia >= 0 of the a-th candidate of sample i, and a row of w genes is all
    that concerns the sample.

    - f1, ``reconstruction_error``: sum_i |x_i - sum_a s_ia x_nb(i,a)|^2 + rho sum s^2, minimised.
    - f2, ``n_links``: number of weights above 1e-6, minimised.

    That every sample has a link is a constraint, which the operators made for this problem satisfy.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Used as given: scale it first.
    n_candidates : int or "all", optional
        w; default 2 (floor(ln N) + 1). ``"all"`` is the literal problem over N x N matrices, which in few
        features rebuilds samples from far ones as well as from near ones.
    rho : float or "auto", default="auto"
        Weight of the ridge; ``"auto"`` is 0.025 of the mean feature variance.
    lists : NeighborLists, optional
        Candidates, in place of those that ``n_candidates``, ``metric``, ``ties`` and ``groups`` give.
    groups : ConstraintGroups, optional
        Samples of groups in conflict are no candidates of each other; they are taken out before the
        nearest are.
    metric : str, default="euclidean"
        In which candidates are near.
    ties : {"random", "index"}, default="random"
    pop_size : int, default=100
        Population that ``max_memory`` is meant for.
    max_memory : int, default=4 GiB
        Largest size of a population and its offspring in bytes.
    force : bool, default=False
        Allow all samples as candidates above 2000 samples.
    random_state : int, Generator or None, default=None
        Of ties.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), float64
    lists : NeighborLists
    width : int
        w.
    rho : float
    objective_names : tuple of str

    Raises
    ------
    ValueError
        All samples as candidates of too many, a population beyond ``max_memory``, a sample left without
        candidate, or values whose squares overflow.

    Warns
    -----
    UserWarning
        Samples so far from the origin that rounding decides.

    Notes
    -----
    A population and its offspring take ``2 pop_size N (4 w + 12)`` bytes: 1.8 GB for N = 100000, w = 20
    and 100 individuals. Evaluation costs O(N (w + links n_features)) an individual; with
    :class:`~moo_clustering.algorithms.RowTableEvaluator` errors and numbers of links go along with the
    rows that operators move, and evaluation is a sum over N.

    References
    ----------
    Luo, Jiao and Lozano, IEEE TEVC, 2016.

    Examples
    --------
    >>> from moo_clustering.problems import SRMOSCProblem
    >>> X = [[1, 1], [2, 1], [1, 2], [2, 2]]
    >>> problem = SRMOSCProblem(X, n_candidates="all", rho=0, ties="index")
    >>> problem.lists.indices[0]
    array([1, 2, 3], dtype=int32)
    >>> errors, sizes = problem.row_tables([0, 0, 0.5] + [0, 1, 0] * 3)
    >>> errors.round(4)
    array([[0., 1., 1., 1.]])
    """

    objective_names = ("reconstruction_error", "n_links")

    def __init__(
        self,
        X: ArrayLike,
        *,
        n_candidates: int | Literal["all"] | None = None,
        rho: float | Literal["auto"] = "auto",
        lists: NeighborLists | None = None,
        groups: ConstraintGroups | None = None,
        metric: str = "euclidean",
        ties: Ties = "random",
        pop_size: int = 100,
        max_memory: int = MAX_MEMORY,
        force: bool = False,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.X: FloatArray = np.ascontiguousarray(check_array(X, dtype=np.float64))
        n_samples = len(self.X)
        if n_samples < 2:
            raise ValueError("SRMOSC needs at least 2 samples, got 1.")
        if isinstance(metric, str) and metric == "precomputed":
            raise ValueError('SRMOSC rebuilds samples from features; metric must not be "precomputed".')
        self.norms = checked_norms(self.X)
        width = candidate_width(n_candidates, n_samples) if lists is None else lists.indices.shape[1]
        check_size(n_samples, width, pop_size, max_memory, force)
        if lists is None:
            lists = neighbor_lists(
                self.X,
                width,
                metric=metric,
                ties=ties,
                rng=np.random.default_rng(random_state),
                groups=groups,
                n_jobs=n_jobs,
            )
        elif len(lists.indices) != n_samples:
            raise ValueError(f"lists are about {len(lists.indices)} samples, X about {n_samples}.")
        self.lists = lists
        self.width = width
        self.rho = self._ridge(rho)
        self.n_jobs = n_jobs
        super().__init__(
            n_var=n_samples * width, n_obj=2, n_ieq_constr=1, xl=0.0, xu=self._upper(), vtype=np.float32
        )

    @property
    def n_samples(self) -> int:
        """Number of samples, each with a row of weights."""
        return len(self.X)

    def weights(self, X: ArrayLike) -> Weights:
        """Genotypes as weights on the candidates, (n_individuals, n_samples, width), copied."""
        genes = np.asarray(X, dtype=np.float32).reshape(-1, self.n_samples, self.width)
        return np.ascontiguousarray(np.maximum(genes, np.float32(0.0)))

    def row_tables(self, X: ArrayLike) -> tuple[FloatArray, NDArray[np.int32]]:
        """Error and number of links of every row, both (n_individuals, n_samples), of genotypes."""
        weights = self.weights(X)
        errors = np.empty(weights.shape[:2])
        sizes = np.empty(weights.shape[:2], dtype=np.int32)
        for rows, row_errors, row_sizes in zip(weights, errors, sizes, strict=True):
            self.score(rows, row_errors, row_sizes)
        return errors, sizes

    def score(self, rows: Weights, errors: FloatArray, sizes: NDArray[np.int32]) -> None:
        """Fill in the error and number of links of every row of one individual."""

        def score(lo: int, hi: int) -> None:
            sparse_rows.score_rows(*self.candidates(), self.rho, rows, lo, hi, errors, sizes)

        for_blocks(score, self.n_samples, self.width + self.X.shape[1], self.n_jobs)

    def candidates(self) -> tuple[FloatArray, NDArray[np.int32], NDArray[np.int32]]:
        """Features, and which samples each is rebuilt from: first so many of a list."""
        return self.X, self.lists.indices, self.lists.n_admissible

    def graph(self, x: ArrayLike) -> sp.csr_array:
        """Directed similarity matrix of one genotype."""
        weights = self.weights(x)[0]
        return listed_edges(self.lists, np.where(weights > sparse_rows.LINK, weights, 0.0))

    def decode(self, X: ArrayLike) -> NDArray[np.int32]:
        """Connected components of every individual's graph, by first appearance."""
        parts = [
            csgraph.connected_components(self.graph(x), directed=False)[1]
            for x in np.atleast_2d(np.asarray(X))
        ]
        return relabel_by_first_appearance(np.stack(parts).astype(np.int32))

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        errors, sizes = self.row_tables(X)
        out["F"], out["G"] = summed(errors, sizes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Nothing here changes after construction; pymoo copies problems with the algorithm's history.
        return copy.copy(self)

    def _ridge(self, rho: float | str) -> float:
        if isinstance(rho, str):
            if rho != "auto":
                raise ValueError(f'rho must be "auto" or a number from 0, got {rho!r}.')
            return 0.025 * float(self.X.var(axis=0).mean())
        if not (math.isfinite(rho) and rho >= 0):
            raise ValueError(f'rho must be "auto" or a number from 0, got {rho!r}.')
        return float(rho)

    def _upper(self) -> FloatArray:
        """No candidate alone has a larger best weight; for operators that need bounds."""
        lengths = np.sqrt(self.norms)
        longest = np.where(self.lists.indices >= 0, lengths[self.lists.indices], np.inf)
        bounds = np.divide(lengths[:, None], longest, out=np.ones_like(longest), where=longest > 0)
        return np.maximum(bounds, np.where(self.lists.indices >= 0, 1.0, 0.0)).ravel()


def summed(errors: FloatArray, sizes: NDArray[np.int32]) -> tuple[FloatArray, FloatArray]:
    """Objectives and rows without a link, of tables (n_individuals, n_samples)."""
    F = np.column_stack([errors.sum(axis=1), sizes.sum(axis=1, dtype=np.int64)])
    return F, np.count_nonzero(sizes == 0, axis=1)[:, None].astype(np.float64)
