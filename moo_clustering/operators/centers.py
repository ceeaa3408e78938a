"""Operators for the coordinates of k cluster centres (HG-means)."""

from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pymoo.core.population import Population
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from scipy.optimize import linear_sum_assignment

from moo_clustering._arrays import choice, probability, quoted
from moo_clustering._types import AnyFloatArray, FloatArray, IntArray, IntpArray, Labels
from moo_clustering.encodings import Encoding
from moo_clustering.operators import base
from moo_clustering.operators.generic import EncodingRepair, register_operators
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.centers import FuzzyCenterEncoding, SumOfSquaresProblem
from moo_clustering.problems.parts import ChunkedCenterProblem

Removal = Literal["uniform", "cheap"]
MIX_STEP = 0.2


class CenterMatchingCrossover(base.PairCrossover):
    """Match two parents' centres, and inherit a random centre from each matched pair.

    Centres are matched to minimise the sum of squared distances. A second child inherits the centres that the
    first child does not inherit. Each child also gets a ``"mix"``, which is a probability used by
    :class:`RelocateCenter`. It is the mix of a random parent plus a uniform random number from [-0.2, 0.2],
    clipped to [0, 1]. Supports the problems ``SumOfSquaresProblem`` and ``ChunkedCenterProblem``. Takes O(k^2
    n_features + k^3) time per pair, where k is the number of centres. Source: Gribel and Vidal, HG-means,
    Pattern Recognition 88, 2019.

    Parameters
    ----------
    n_offsprings : {2, 1}, default=2
        Number of children per pair.
    """

    def __init__(self, n_offsprings: int = 2, *, prob: float = 1.0, **kwargs: Any) -> None:
        if n_offsprings not in (1, 2):
            raise ValueError(f"n_offsprings must be 1 or 2, got {quoted(n_offsprings)}")
        super().__init__(prob, n_offsprings, **kwargs)

    def do(
        self, problem: Any, pop: Any, parents: Any = None, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> Population:
        """Cross individuals and set the ``mix`` of each child."""
        rng = np.random.default_rng(random_state)
        if parents is not None:
            pop = [pop[mating] for mating in parents]
        children = super().do(problem, pop, *args, random_state=rng, **kwargs)
        for i, child in enumerate(children):
            child.set("mix", inherited_mix([parent.get("mix") for parent in pop[i % len(pop)]], rng))
        return children

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> FloatArray:
        parents = map(center_problem(problem).encoding.relative_centers, X)
        children = [match_centers(first, second, rng) for first, second in zip(*parents, strict=True)]
        return np.reshape(children, (-1, 2, X.shape[2])).swapaxes(0, 1)[: self.n_offsprings]


def match_centers(first: FloatArray, second: FloatArray, rng: Generator) -> tuple[FloatArray, FloatArray]:
    """Return two children; of each matched pair of centres, each child gets one, assigned at random."""
    partners = second[nearest_pairs(first, second)[1]]
    coin = rng.random(len(first))[:, np.newaxis] < 0.5
    return np.where(coin, first, partners), np.where(coin, partners, first)


def inherited_mix(mixes: list[float | None], rng: Generator) -> float:
    """Change a random parent's mix by at most 0.2; if the parent has none, start from a random number."""
    mix, step = mixes[int(rng.integers(len(mixes)))], rng.uniform(-MIX_STEP, MIX_STEP)
    return float(np.clip((rng.random() if mix is None else mix) + step, 0.0, 1.0))


def nearest_pairs(first: AnyFloatArray, second: AnyFloatArray) -> tuple[IntpArray, IntpArray]:
    """Match centres to minimise the sum of squared distances, and return the positions of matched pairs."""
    squares = np.einsum("ij,ij->i", first, first)[:, np.newaxis] + np.einsum("ij,ij->i", second, second)
    left, right = linear_sum_assignment(squares - 2.0 * (first @ second.T))
    return left, right


class RelocateCenter(base.DrawnMutation):
    """Move a centre to a sample, favouring samples far from all other centres.

    Sample i is drawn with probability mix / n + (1 - mix) D_i / sum D, where n is the number of samples and
    D_i is the distance from sample i to the nearest remaining centre. Takes O(n_samples k n_features) time
    per individual. With ``removal="uniform"``, a uniform draw takes only O(k n_features) time. For the
    supported problems and the source, see :class:`CenterMatchingCrossover`.

    Parameters
    ----------
    removal : {"uniform", "cheap"}, default="uniform"
        ``"uniform"`` moves a random centre (as in the paper). ``"cheap"`` draws three random centres, moves
        the one whose removal increases the objective least, and uses D_i^2 instead of D_i.
    mix : float, optional
        Probability of a uniform draw. Default: the individual's ``"mix"``, which
        :class:`CenterMatchingCrossover` sets. If this is missing, each mutation draws a random probability.
    """

    def __init__(
        self, removal: Removal = "uniform", *, mix: float | None = None, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.removal: Removal = choice("removal", removal, get_args(Removal))
        self.mix = None if mix is None else probability("mix", mix)

    def _mutate(self, problem: Any, drawn: Population, *args: Any, random_state: Any, **kwargs: Any) -> None:
        for individual in drawn:
            X = np.atleast_2d(individual.get("X"))
            individual.set("X", self._apply(problem, X, random_state, individual.get("mix"))[0])

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator, mix: float | None = None) -> FloatArray:
        mix = mix if self.mix is None else self.mix
        centers = center_problem(problem).encoding.relative_centers(X)
        for one in centers:
            relocate(problem.encoding, one, rng.random() if mix is None else mix, rng, self.removal)
        return np.asarray(centers.reshape(len(centers), -1))


def relocate(
    encoding: Any, centers: FloatArray, mix: float, rng: Generator, removal: Removal = "uniform"
) -> None:
    """Move a centre in place; ``centers`` has shape (k, n_features)."""
    k, n = len(centers), encoding.n_samples
    anywhere = rng.random() < mix
    place = int(rng.integers(n))
    if removal == "uniform":
        gone = int(rng.integers(k))
        if not anywhere and k > 1:
            place = drawn(np.sqrt(encoding.nearest(np.delete(centers, gone, axis=0))[1]), place, rng)
    else:
        labels, first, second = encoding.nearest(centers)
        # If a centre is removed, each of its samples joins the cluster of the sample's second-nearest centre.
        gone = cheapest(labels, second - first, rng.permutation(k)[:3]) if k > 1 else 0
        if not anywhere and k > 1:
            place = drawn(np.where(labels == gone, second, first), place, rng)
    centers[gone] = encoding.points[place]


def cheapest(labels: Labels, losses: FloatArray, candidates: IntArray) -> int:
    """Return the candidate centre whose removal increases the objective least."""
    return int(candidates[int(np.argmin([losses[labels == j].sum() for j in candidates]))])


def drawn(weights: FloatArray, otherwise: int, rng: Generator) -> int:
    """Draw a position with probability proportional to its weight, or return ``otherwise`` if all are 0."""
    cumulative = np.cumsum(weights)
    if not cumulative[-1] > 0.0:
        return otherwise
    # A position with weight 0 cannot be drawn, because it does not increase the cumulative sum.
    return int(np.argmax(cumulative > rng.random() * cumulative[-1]))


class LocalSearchRepair(base.GeneRepair):
    """Replace individuals' genes with ``problem.improve(X)`` (Lamarckian inheritance).

    Requires a problem with a method ``improve``; ``SumOfSquaresProblem.improve`` runs Lloyd's algorithm.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        return base.require(problem, "problem with improve(X)", "improve").improve(X)


def center_problem(problem: Any) -> Any:
    """Return the problem, or raise a TypeError if its genes are not centre coordinates."""
    return base.require(problem, "SumOfSquaresProblem", "encoding", "points", "n_clusters", "improve")


# A ``ChunkedCenterProblem`` has no repair, because local search would require another pass over the data.
for _kind, _repair in ((SumOfSquaresProblem, LocalSearchRepair), (ChunkedCenterProblem, None)):
    register_operators(
        _kind,
        crossover=CenterMatchingCrossover,
        mutation=partial(RelocateCenter, prob=0.2),
        repair=_repair,
        duplicates=lambda problem: CanonicalDuplicates(problem.encoding),
    )
register_operators(
    FuzzyCenterEncoding,
    crossover=partial(SBX, prob=0.9, eta=10),
    mutation=partial(PM, eta=20),
    repair=EncodingRepair,
    # Equal partitions can have different memberships. If an index uses memberships, genes are therefore
    # compared.
    duplicates=lambda problem: CanonicalDuplicates(
        problem.encoding
        if getattr(problem, "reads_genes", True)
        else partial(Encoding.canonical, problem.encoding)
    ),
)
