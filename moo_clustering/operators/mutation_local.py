"""Mutations that search: k-means step, improvement, relocation, seeds, support."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.variable import get
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM

from moo_clustering._arrays import FloatArray, IntArray
from moo_clustering._kernels import least_squares
from moo_clustering._kernels.threads import for_blocks
from moo_clustering.bags.objective import RULES, BagObjective, Rule
from moo_clustering.encodings.base import checked_genes
from moo_clustering.encodings.medoids import random_absent, set_sizes
from moo_clustering.operators._shared import ChosenMutation, checked_probability, objective_of
from moo_clustering.operators.crossover import TABLES, center_problem
from moo_clustering.operators.repair import redraw_illegal
from moo_clustering.operators.sampling import seed_problem

if TYPE_CHECKING:
    from moo_clustering.problems.graphs import SRMOSCProblem

Empty = Literal["farthest", "closest", "keep"]
Removal = Literal["uniform", "cheap"]
# Of so many centres the cheapest is removed.
_CANDIDATES = 3
Kind = Literal["replace", "full"]
Tables = tuple[NDArray[np.float64], NDArray[np.int32]]


class ImprovementMutation(ChosenMutation):
    """Draw genes anew, one after the other, with weights by the objective for every cluster.

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`. A gene sees what became of those before it.
    No move leaves a cluster with fewer bags than the objective's ``min_cluster_size``.

    Parameters
    ----------
    p_gene : float, default=0.2
        Probability that a gene of a mutated individual is drawn. The paper's genetic algorithms have
        0.7; a lower one keeps more of the parents.
    weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"
        Weights of the draw, see :meth:`~moo_clustering.bags.BagObjective.improve`.
    objective : BagObjective, optional
        Instead of the problem's.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Attributes
    ----------
    n_trials : int
        Trial evaluations made so far.

    Raises
    ------
    TypeError
        When a problem has no ``objective`` that can be improved.

    Notes
    -----
    All mutated individuals are one batch: O(n + K^3) per gene drawn for n instances and K clusters,
    besides one evaluation.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 5-6.
    """

    def __init__(
        self,
        p_gene: float = 0.2,
        weights: Rule = "contrast",
        objective: BagObjective | None = None,
        prob: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        if weights not in RULES:
            raise ValueError(f"weights must be one of {', '.join(map(repr, RULES))}, got {weights!r}.")
        self.p_gene = checked_probability("p_gene", p_gene)
        self.weights: Rule = weights
        self.objective = objective
        self.n_trials = 0

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.int32]:
        objective = objective_of(problem, self.objective, "improve")
        improved = objective.improve(
            checked_genes(X, problem.n_var),
            np.random.default_rng(random_state),
            p_gene=self.p_gene,
            weights=self.weights,
        )
        self.n_trials += int(improved.n_trials.sum())
        return improved.labels


class RankSBX(SBX):
    """Simulated binary crossover on ranks, rounded and clipped.

    A step in rank is a slightly nearer or farther neighbour, so the operator does not depend on the
    order of the rows. Same draw as pymoo's SBX (bounded form, genes exchanged with probability one
    half).

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed.
    eta : float, default=15
        Distribution index; not printed in the paper.
    prob_var : float, default=0.5
        Probability per gene.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    References
    ----------
    PESC, "Evolutionary operators"; Deb and Agrawal 1995.
    """

    def __init__(self, prob: float = 0.9, eta: float = 15, prob_var: float = 0.5, **kwargs: Any) -> None:
        super().__init__(prob_var=prob_var, eta=eta, prob=prob, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))


class IndexSBX(RankSBX):
    """Simulated binary crossover on sample indices 0..N-1, rounded and clipped.

    A gene that comes out as a self link or a forbidden neighbour is redrawn from the k nearest
    admissible ones.

    .. warning::
       A sample's index carries no distance. On rows in random order this injects random edges; on
       rows sorted by class, as many published files come, it injects edges within the class, and the
       result looks better than the data allow. For reproduction only; never compare methods on
       sorted rows.

    Parameters
    ----------
    prob, eta, prob_var
        As in :class:`RankSBX`.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.
    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        children = super()._do(problem, X, *args, **kwargs)
        flat = children.reshape(-1, children.shape[-1])
        return redraw_illegal(problem, flat, kwargs.get("random_state")).reshape(children.shape)


class RankPM(PM):
    """Polynomial mutation on ranks, rounded and clipped.

    With narrow lists (w up to about 20) and ``eta=20`` most steps round back to the parent's value:
    lower ``eta`` or use :class:`NeighborResample`.

    Parameters
    ----------
    prob_var : float, optional
        Probability per gene; default 1/N.
    eta : float, default=20
        Distribution index; not printed in the paper.
    prob : float, default=1.0
        Probability that an individual is mutated at all.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def __init__(
        self, prob_var: float | None = None, eta: float = 20, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, eta=eta, prob_var=prob_var, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return to_genes(problem, super()._do(problem, X, *args, **kwargs))


class IndexPM(RankPM):
    """Polynomial mutation on sample indices 0..N-1, rounded and clipped.

    Illegal genes are redrawn, and the row order leaks, as described at :class:`IndexSBX`.

    Parameters
    ----------
    prob_var, eta, prob
        As in :class:`RankPM`.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return redraw_illegal(problem, super()._do(problem, X, *args, **kwargs), kwargs.get("random_state"))


def to_genes(problem: Any, values: NDArray[np.float64]) -> IntArray:
    """Rounded half to even, clipped to the problem's bounds, in its integer type."""
    genes: IntArray = np.clip(np.rint(values), problem.xl, problem.xu).astype(problem.vtype)
    return genes


class KMMutation(ChosenMutation):
    """Every bag goes to the nearest centroid of its partition (the KM operator).

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`. It does not look at cluster sizes: follow it
    by :class:`MinSizeRepair` where they matter.

    Parameters
    ----------
    empty : {"farthest", "closest", "keep"}, default="farthest"
        What a cluster without bags gets: the bag farthest from its centroid, the one closest to it
        (as printed), or none.
    objective : BagObjective, optional
        Instead of the problem's.
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Raises
    ------
    TypeError
        When a problem has no ``objective`` that can reassign.

    Notes
    -----
    As an evaluation: O(n N) for N bags with n instances per mutated individual.

    References
    ----------
    Evolutionary multi-instance clustering (KM operator).
    """

    def __init__(
        self,
        empty: Empty = "farthest",
        objective: BagObjective | None = None,
        prob: float = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        if empty not in get_args(Empty):
            raise ValueError(f"empty must be one of {get_args(Empty)}, got {empty!r}.")
        self.empty: Empty = empty
        self.objective = objective

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.int32]:
        objective = objective_of(problem, self.objective, "reassign")
        return objective.reassign(checked_genes(X, problem.n_var), empty=self.empty)


class ModesMutation(Mutation):
    """Set one attribute of one mode, at random, to a random value.

    Any category of the attribute, or uniform in its range. For
    :class:`~moo_clustering.problems.FuzzyModesProblem`.

    Parameters
    ----------
    prob : float, default=0.2
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        rng = np.random.default_rng(random_state)
        mutated = np.array(X)
        positions = rng.integers(0, problem.n_var, size=len(mutated))
        mutated[np.arange(len(mutated)), positions] = problem.draw(positions, rng)
        return mutated


class RelocateCentre(ChosenMutation):
    """Remove a centre and put it on a sample, rather on one that is far from all others.

    With probability ``mix`` the sample is any, otherwise it is drawn in proportion to its distance D to
    the nearest remaining centre: mix / n + (1 - mix) D_i / sum D. For
    :class:`~moo_clustering.problems.SumOfSquaresProblem`.

    Parameters
    ----------
    removal : {"uniform", "cheap"}, default="uniform"
        ``"uniform"``: any centre goes. ``"cheap"``: of three random ones that whose loss costs least,
        and samples are drawn by D squared.
    mix : float, optional
        In [0, 1]. Default: what the individual carries as ``"mix"`` (children of
        :class:`CentreMatchingCrossover` do), or else a uniform number each time.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_samples k n_features) time, with ``"uniform"`` only where the sample is not just any.

    References
    ----------
    D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for minimum sum-of-squares
    clustering", Pattern Recognition 88 (2019), whose mutation the default is.
    """

    def __init__(
        self, removal: Removal = "uniform", *, mix: float | None = None, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        self.removal: Removal = checked_removal(removal)
        if mix is not None and not 0.0 <= mix <= 1.0:
            raise ValueError(f"mix must be in [0, 1], got {mix!r}.")
        self.mix = mix

    def do(
        self,
        problem: Any,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Mutate whole individuals, each by its own ``mix``."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = deepcopy(pop)
        chosen = pop[rng.random(len(pop)) < get(self.prob, size=len(pop))]
        for individual in chosen:
            X = np.atleast_2d(individual.get("X"))
            individual.set("X", self._do(problem, X, random_state=rng, mix=individual.get("mix"))[0])
        return pop

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        mix: float | None = None,
        **kwargs: Any,
    ) -> FloatArray:
        rng = np.random.default_rng(random_state)
        mix = mix if self.mix is None else self.mix
        centers = center_problem(problem).encoding.centers(X)
        for one in centers:
            relocate(problem.encoding, one, rng.random() if mix is None else mix, rng, self.removal)
        return np.asarray(centers.reshape(len(centers), -1))


def checked_removal(removal: Any) -> Removal:
    """One of the kinds of removal.

    Raises
    ------
    ValueError
    """
    if removal not in get_args(Removal):
        raise ValueError(f"removal must be one of {get_args(Removal)}, got {removal!r}.")
    kind: Removal = removal
    return kind


def relocate(
    encoding: Any, centers: FloatArray, mix: float, rng: np.random.Generator, removal: Removal = "uniform"
) -> None:
    """Move one of the centres (k, d), in place."""
    k, n = len(centers), encoding.n_samples
    anywhere = rng.random() < mix
    place = int(rng.integers(n))
    if removal == "uniform":
        gone = int(rng.integers(k))
        if not anywhere and k > 1:
            place = drawn(np.sqrt(encoding.nearest(np.delete(centers, gone, axis=0))[1]), place, rng)
    else:
        labels, first, second = encoding.nearest(centers)
        gone = cheapest(labels, second - first, rng.permutation(k)[:_CANDIDATES]) if k > 1 else 0
        if not anywhere and k > 1:
            place = drawn(np.where(labels == gone, second, first), place, rng)
    centers[gone] = encoding.points[place]


def cheapest(labels: NDArray[np.int32], losses: FloatArray, candidates: NDArray[np.integer[Any]]) -> int:
    """The candidate whose samples lose least when it goes."""
    totals = [losses[labels == j].sum() for j in candidates]
    return int(candidates[int(np.argmin(totals))])


def drawn(weights: FloatArray, otherwise: int, rng: np.random.Generator) -> int:
    """A position in proportion to its weight; ``otherwise`` if all are 0."""
    cumulative = np.cumsum(weights)
    if not cumulative[-1] > 0.0:
        return otherwise
    # The first sum beyond the threshold belongs to a positive weight.
    return int(np.argmax(cumulative > rng.random() * cumulative[-1]))


class DistantSeedMutation(ChosenMutation):
    """Exchange a random seed for a document that is far from all centroids.

    A document is drawn with probability proportional to its distance to the nearest centroid, as the
    clusters measure it. For :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    kind : {"full", "replace"}, default="full"
        ``"full"``: replace a seed, add one in a random slot, or drop one, with equal probability; at the
        largest and the smallest number of clusters replace instead, so always where it is fixed.
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_individuals n_samples) time for individuals that were evaluated, one evaluation more for others:
    best in :class:`~moo_clustering.operators.ExclusiveMating`, which mutates what survived.

    References
    ----------
    SISC-ML's clusters, searched.
    """

    def __init__(self, kind: Kind = "full", prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {get_args(Kind)}, got {kind!r}.")
        self.kind: Kind = kind

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = seed_problem(problem).encoding
        rng = np.random.default_rng(random_state)
        slots: IntArray = encoding.seeds(X)
        sizes = set_sizes(slots)
        action = rng.integers(0, 3, size=len(slots)) if self.kind == "full" else np.zeros(len(slots))
        drop = (action == 2) & (sizes > encoding.k_min)
        enter = ~drop & (sizes < encoding.n_samples)
        add = (action == 1) & (sizes < encoding.k_max) & enter
        slot = _random_slot((slots >= 0) != add[:, np.newaxis], rng)
        slots[drop, slot[drop]] = -1
        if enter.any():
            distances = problem.center_distances(X[enter])
            slots[enter, slot[enter]] = _distant(distances, encoding.seeds(X[enter]), rng)
        return slots


def _random_slot(allowed: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
    """A column for every row, each that is allowed equally likely."""
    return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)


def _distant(
    distances: NDArray[np.floating[Any]], slots: IntArray, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A document not in the row, with probability proportional to its distance; uniform if all are 0."""
    weights = np.asarray(distances, dtype=np.float64).copy()
    row, place = np.nonzero(slots >= 0)
    weights[row, slots[row, place]] = 0.0
    cumulative = np.cumsum(weights, axis=1)
    # The first sum beyond the threshold belongs to a document of positive weight.
    drawn = (cumulative > rng.random(len(slots))[:, np.newaxis] * cumulative[:, -1:]).argmax(axis=1)
    return np.where(cumulative[:, -1] > 0.0, drawn, random_absent(slots, weights.shape[1], rng))


class SweepSeedMutation(ChosenMutation):
    """Local search: every seed becomes the document nearest to the centroid of its cluster.

    What the sweeps of the evaluation found is written back as seeds, from which the child's sweeps go
    on. Nearest is meant relative to the other centroids: the document that belongs to the cluster most.
    For :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    Costs nothing for individuals that were evaluated, one evaluation more for others: best in
    :class:`~moo_clustering.operators.ExclusiveMating`, which mutates what survived. The child of an
    individual whose seeds are where they want to be is a copy.

    References
    ----------
    SISC-ML's clusters, searched.
    """

    def __init__(self, prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        mutated: IntArray = seed_problem(problem).central_documents(X)
        return mutated


class SupportMutation(Mutation):
    """Drop the smallest weight of a row or add the candidate of largest gain, then fit the weights.

    For :class:`~moo_clustering.problems.SRMOSCProblem`. The gain of a candidate is max(0, g)^2 / G_aa, g
    being the negative half of the gradient: how much it alone can lessen the error. The last link of a
    row is not dropped; a row that nothing is added to has its weights fitted all the same.

    Parameters
    ----------
    prob : float, default=0.3
        Probability that an individual is mutated.
    row_rate : float, default=0.05
        Part of its rows that change, at least one.
    n_sweeps : int, default=5
        Sweeps of non-negative coordinate descent over the links of a row.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(row_rate N n_features (w + n_sweeps links)) an individual, besides a copy of its genes.

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    def __init__(
        self, prob: float = 0.3, *, row_rate: float = 0.05, n_sweeps: int = 5, **kwargs: Any
    ) -> None:
        if not 0 < row_rate <= 1:
            raise ValueError(f"row_rate must be above 0 and at most 1, got {row_rate}.")
        if n_sweeps < 0:
            raise ValueError(f"n_sweeps must not be negative, got {n_sweeps}.")
        super().__init__(prob=prob, **kwargs)
        self.row_rate = row_rate
        self.n_sweeps = n_sweeps

    def do(
        self,
        problem: SRMOSCProblem,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> Population:
        """The population, mutated individuals with new arrays."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = Population.create(*(individual.copy() for individual in pop))
        for k in np.flatnonzero(rng.random(len(pop)) <= float(self.prob.value)):
            individual = pop[k]
            # Copies, for arrays may be those of a parent.
            genes = problem.weights(individual.X)[0]
            tables = None
            if all(individual.has(name) for name in TABLES):
                tables = individual.get("row_errors").copy(), individual.get("row_sizes").copy()
                for name, table in zip(TABLES, tables, strict=True):
                    individual.set(name, table)
            self._mutate(problem, genes, tables, rng)
            individual.X = genes.reshape(-1)
        return pop

    def _do(
        self, problem: SRMOSCProblem, X: NDArray[Any], *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[np.float32]:
        rng = np.random.default_rng(random_state)
        mutated = problem.weights(X)
        for genes in mutated:
            self._mutate(problem, genes, None, rng)
        return mutated.reshape(len(mutated), -1)

    def _mutate(
        self,
        problem: SRMOSCProblem,
        genes: NDArray[np.float32],
        tables: Tables | None,
        rng: np.random.Generator,
    ) -> None:
        X, candidates, admissible = problem.candidates()
        n_samples = len(X)
        which = rng.choice(n_samples, size=max(1, round(self.row_rate * n_samples)), replace=False)
        drop = rng.random(len(which)) < 0.5
        errors, sizes = tables or (np.empty(n_samples), np.empty(n_samples, dtype=np.int32))

        def change(lo: int, hi: int) -> None:
            least_squares.change_supports(
                X, problem.norms, candidates, admissible, problem.rho, which, drop, self.n_sweeps, lo, hi,
                genes, errors, sizes,
            )  # fmt: skip

        for_blocks(change, len(which), problem.width * X.shape[1], problem.n_jobs)
