"""Operators for connected regions: recombination along random trees, and moves of areas across borders."""

from abc import abstractmethod
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.operators.crossover.ux import UniformCrossover

from moo_clustering._arrays import FloatArray, Labels, integer, positive, probability
from moo_clustering._kernels.regions import climb_boundaries
from moo_clustering.encodings import RegionEncoding
from moo_clustering.encodings.base import checked_genes
from moo_clustering.operators import base
from moo_clustering.operators.generic import EncodingRepair, register_operators
from moo_clustering.validity import ChangedShare, Compactness, CutEdges, LoadVariation
from moo_clustering.validity.internal import SumOfSquares

_PER_AREA, _FEWEST, _MOST = 20, 10_000, 64_000


def random_weights(n_rows: int, n_objectives: int, rng: np.random.Generator) -> FloatArray:
    """Draw objective weights that add up to 1, shape (n_rows, n_objectives)."""
    return rng.dirichlet(np.full(n_objectives, 0.7), size=n_rows)


class DirectedMutation(base.SeededMutation):
    """Base class for mutations that improve a weighted sum of the objectives.

    ``DirectedWalks`` sets the weights. With other algorithms, the weights are random, and each is divided by
    the mean magnitude of its objective. Subclasses override :meth:`toward`.
    """

    @abstractmethod
    def toward(
        self, problem: Any, X: NDArray[Any], weights: FloatArray, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Mutate individuals of a PartitionProblem to decrease weighted sums of the minimised objectives.

        ``weights`` are non-negative, shape (n_individuals, n_obj). Returns an array with the shape of ``X``.
        """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        if not len(X):
            return X
        F = problem.evaluate(X, return_values_of=["F"])
        size = np.abs(F).mean(axis=0)
        weights = random_weights(len(X), F.shape[1], rng) / np.where(size > 0.0, size, 1.0)
        return self.toward(problem, X, weights, rng)


class TreeRecombination(base.SeededMutation):
    """Merge two neighbouring regions, then split them by cutting a random spanning tree (ReCom).

    Loads (sums of area weights) stay within the bounds of the ``RegionEncoding``. Two regions are not changed
    if none of six random trees has a suitable cut. Takes O(n_areas + m log m) time per pair, where m is the
    number of edges in the pair. Source: DeFord, Duchin and Solomon, Harvard Data Science Review 3, 2021.

    Parameters
    ----------
    max_pairs : int, default=3
        Maximum number of pairs of regions to recombine; the number is drawn uniformly from 1..max_pairs.
    """

    def __init__(self, max_pairs: int = 3, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.max_pairs = integer("max_pairs", max_pairs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        encoding = base.encoding_of(problem, RegionEncoding)
        plans = _copied(encoding, X)
        for plan in plans:
            encoding.recombine(plan, int(rng.integers(1, self.max_pairs + 1)), rng)
        return plans


class BoundaryClimb(DirectedMutation):
    """Recombine regions at random, then move single areas across borders to improve weighted objectives.

    Simulated annealing decides which moves are accepted. Regions stay connected, and loads stay within the
    bounds of the :class:`~moo_clustering.encodings.RegionEncoding`. Only the objectives ``SumOfSquares``,
    ``CutEdges``, ``LoadVariation`` (with the encoding's weights), ``ChangedShare`` and ``Compactness`` guide
    the moves. Takes O(n_areas + n_edges + n_proposals) time, and up to O(n_areas) time per accepted move.

    Parameters
    ----------
    n_proposals : int, optional
        Number of moves proposed per individual. Default: 20 per area, clipped to [10,000, 64,000].
    heat : float, default=0.3
        Initial temperature, as a multiple of the mean loss of worsening moves. The temperature falls to 1% of
        its initial value.
    recombine : float, default=0.5
        Probability that the climb starts with a :class:`TreeRecombination`.
    max_pairs : int, default=3
        Parameter of :class:`TreeRecombination`.
    """

    def __init__(
        self,
        n_proposals: int | None = None,
        *,
        heat: float = 0.3,
        recombine: float = 0.5,
        max_pairs: int = 3,
        prob: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.n_proposals = None if n_proposals is None else integer("n_proposals", n_proposals)
        self.heat = positive("heat", heat)
        self.recombine = probability("recombine", recombine)
        self.max_pairs = integer("max_pairs", max_pairs)

    def toward(
        self, problem: Any, X: NDArray[Any], weights: FloatArray, rng: np.random.Generator
    ) -> NDArray[Any]:
        encoding = base.encoding_of(problem, RegionEncoding)
        plans, (rates, features, changes, *shapes) = _copied(encoding, X), _directions(problem, encoding)
        shuffled = rng.random(len(plans)) < self.recombine
        n_proposals = self.n_proposals or int(np.clip(_PER_AREA * encoding.n_samples, _FEWEST, _MOST))
        areas = encoding.indptr, encoding.indices, encoding.weight, features, *encoding.bounds_of_loads
        for plan, row, shuffle in zip(plans, weights, shuffled, strict=True):
            if shuffle:
                encoding.recombine(plan, int(rng.integers(1, self.max_pairs + 1)), rng)
            before = np.full(len(plan), -1, dtype=np.int32)
            if changes is not None:
                before[changes.known] = changes.matched(plan[None])[0]
            climb_boundaries(plan, *areas, row @ rates, before, *shapes, float(self.heat), n_proposals, rng)
        return plans


def _directions(
    problem: Any, encoding: RegionEncoding
) -> tuple[FloatArray, FloatArray, ChangedShare | None, FloatArray, FloatArray]:
    """Return the data that ``climb_boundaries`` needs to compute a problem's objectives.

    The first array, of shape (n_obj, 5), contains a 1 for the kind of each objective. Rows of unsupported
    objectives contain zeros. The other values are the features, the ``ChangedShare`` index or None, the
    shapes and the lengths of the borders.
    """
    n, rates = encoding.n_samples, np.zeros((problem.n_obj, 5))
    features, shapes, borders = np.zeros((n, 0)), np.zeros((n, 2)), np.zeros(len(encoding.indices))
    changes = None
    for row, index in enumerate(base.require(problem, "PartitionProblem", "indices").indices):
        if isinstance(index, SumOfSquares):
            features, kind = index.points, 0
        elif isinstance(index, CutEdges):
            kind = 1
        elif isinstance(index, LoadVariation) and np.array_equal(index.weight, encoding.weight):
            kind = 2
        elif isinstance(index, ChangedShare):
            changes, kind = index, 3
        elif isinstance(index, Compactness):
            shapes, kind = index.shapes, 4
            rim = index.borders + index.borders.T
            ends = np.repeat(np.arange(n), np.diff(encoding.indptr))
            borders = np.asarray(rim[ends, encoding.indices], dtype=np.float64).ravel()
        else:
            continue
        rates[row, kind] = 1.0
    return rates, features, changes, shapes, borders


def _copied(encoding: RegionEncoding, X: NDArray[Any]) -> Labels:
    return np.ascontiguousarray(encoding.repair(checked_genes(X, encoding.n_var)), dtype=np.int32)


register_operators(
    RegionEncoding,
    # Crossover rarely yields connected regions, and a repair would destroy the structure of the parents.
    crossover=partial(UniformCrossover, prob=0.0),
    mutation=BoundaryClimb,
    repair=EncodingRepair,
)
