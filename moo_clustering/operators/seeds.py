"""Operators for seeds; each gene is the initial document of a subspace cluster (SISC-ML)."""

from typing import Any, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from moo_clustering._arrays import AnyFloatArray, Int64Array, IntArray, choice, instance
from moo_clustering._targets import Targets
from moo_clustering.encodings.medoids import random_absent, repair_slots, set_sizes
from moo_clustering.operators import base
from moo_clustering.operators.centers import nearest_pairs
from moo_clustering.operators.generic import MutationChoice, register_operators
from moo_clustering.operators.labels import coins, cross_partitions
from moo_clustering.operators.medoids import ReplaceKind
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.subspace import SubspaceClusteringProblem


class SeedSampling(base.SeededSampling):
    """Draw k uniformly from k_min..n_seeds, then place k distinct documents as seeds in random slots.

    Requires a ``SubspaceClusteringProblem``. Source: SISC-ML (seeds, labels).

    Parameters
    ----------
    by_class : bool, default=False
        Whether to draw labelled documents, cycling through the classes in random order. If all documents of a
        class have been drawn, any labelled document is drawn. Raises a ValueError if no document is labelled.
    """

    def __init__(self, by_class: bool = False) -> None:
        super().__init__()
        self.by_class = bool(instance("by_class", by_class, bool | np.bool_, "True or False"))

    def _apply(self, problem: Any, n_samples: int, rng: Generator) -> IntArray:
        encoding = seed_problem(problem).encoding
        slots: IntArray = encoding.random(n_samples, rng)
        if self.by_class:
            if not problem.targets.labelled.any() or not problem.targets.n_classes:
                raise ValueError("by_class=True requires labels, but no sample is labelled")
            for row in slots:
                row[:] = _labelled_seeds(row, problem.targets, encoding.n_samples, rng)
        return slots


def _labelled_seeds(row: IntArray, targets: Targets, n_samples: int, rng: Generator) -> IntArray:
    """Replace the seeds in a row with labelled documents, cycling through the classes in random order."""
    documents = rng.permutation(targets.rows)
    member = targets.indicators[documents] > 0
    order = rng.permutation(targets.n_classes)
    free = np.ones(len(documents), dtype=bool)
    occupied = np.flatnonzero(row >= 0)
    row = np.full_like(row, -1)
    for number, slot in enumerate(occupied[: len(documents)]):
        of_class = free & member[:, order[number % len(order)]]
        first = np.argmax(of_class if of_class.any() else free)
        free[first] = False
        row[slot] = documents[first]
    return repair_slots(row[np.newaxis], n_samples, len(occupied), rng)[0]


class AlignedSeedCrossover(base.PairCrossover):
    """Swap the seeds of matching clusters between two parents with probability one half.

    The matching minimises the sum of squared distances between centroids. Unmatched seeds go to random
    children. Repeated seeds are removed, and random documents are added if too few seeds remain. Requires a
    ``SubspaceClusteringProblem``. Unevaluated parents are evaluated first. Takes O(k^2 n_features + k^3) time
    per pair. Source: an evolutionary search over SISC-ML clusters.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> IntArray:
        encoding = seed_problem(problem).encoding
        parents = [encoding.seeds(side) for side in X]
        n_pairs = len(parents[0])
        centers = problem.cluster_centers(np.concatenate(parents))
        for *seeds, first, second in zip(*parents, centers[:n_pairs], centers[n_pairs:], strict=True):
            # The seeds of matched clusters move to the same slots of both parents. The unmatched seeds
            # follow.
            for row, matched in zip(seeds, nearest_pairs(first, second), strict=True):
                own = row[row >= 0]
                order = np.append(matched, np.setdiff1d(np.arange(len(own)), matched))
                row[:] = np.append(own[order], np.full(len(row) - len(own), -1))
        children = cross_partitions(parents[0], parents[1], coins, rng, align=False)
        return np.stack([repair_slots(x, encoding.n_samples, encoding.k_min, rng) for x in children])


class DistantSeedMutation(base.DrawnMutation):
    """Replace a random seed with a document drawn in proportion to its distance to the nearest centroid.

    Each distance uses the feature weights of the centroid's cluster. Requires a
    ``SubspaceClusteringProblem``. Takes O(n_samples) time per individual. Unevaluated individuals are
    evaluated first; with :class:`~moo_clustering.operators.ExclusiveMating`, all individuals have been
    evaluated. Source: an evolutionary search over SISC-ML clusters.

    Parameters
    ----------
    kind : {"full", "replace"}, default="full"
        ``"full"`` replaces a seed, adds a seed in a random slot or drops a seed, with equal probability. If
        adding or dropping a seed would violate ``k_max`` or ``k_min``, a seed is replaced.
    """

    def __init__(self, kind: ReplaceKind = "full", prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.kind: ReplaceKind = choice("kind", kind, get_args(ReplaceKind))

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> IntArray:
        encoding = seed_problem(problem).encoding
        slots: IntArray = encoding.seeds(X)
        sizes = set_sizes(slots)
        action = rng.integers(0, 3, size=len(slots)) if self.kind == "full" else np.zeros(len(slots))
        drop = (action == 2) & (sizes > encoding.k_min)
        enter = ~drop & (sizes < encoding.n_samples)
        add = (action == 1) & (sizes < encoding.k_max) & enter
        # In rows that gain a seed, an empty slot is drawn. In all other rows, an occupied slot is drawn.
        slot = np.where((slots >= 0) != add[:, np.newaxis], rng.random(slots.shape), -1.0).argmax(axis=1)
        slots[drop, slot[drop]] = -1
        if enter.any():
            distances = problem.center_distances(X[enter])
            slots[enter, slot[enter]] = _distant(distances, encoding.seeds(X[enter]), rng)
        return slots


def _distant(distances: AnyFloatArray, slots: IntArray, rng: Generator) -> Int64Array:
    """Draw a new document for each row, with a probability proportional to the document's distance.

    If all distances are 0, the new document is drawn uniformly. The documents in ``slots`` are never drawn.
    """
    weights = np.asarray(distances, dtype=np.float64).copy()
    row, place = np.nonzero(slots >= 0)
    weights[row, slots[row, place]] = 0.0
    cumulative = np.cumsum(weights, axis=1)
    # A document with weight 0 cannot be drawn, because it does not increase the cumulative weight.
    drawn = (cumulative > rng.random(len(slots))[:, np.newaxis] * cumulative[:, -1:]).argmax(axis=1)
    return np.where(cumulative[:, -1] > 0.0, drawn, random_absent(slots, weights.shape[1], rng))


class SweepSeedMutation(base.DrawnMutation):
    """Replace each seed with the document that has the highest membership in the seed's cluster.

    The mutant's evaluation thus starts close to the final clusters of its parent. If no seed changes, the
    mutant is a copy. For requirements, time and source, see :class:`DistantSeedMutation`.
    """

    def __init__(self, prob: float = 0.3, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> IntArray:
        return seed_problem(problem).central_documents(X)


def seed_problem(problem: Any) -> Any:
    """Return the problem, or raise a TypeError if its genes are not seeds of subspace clusters."""
    needed = ("encoding", "targets", "cluster_centers", "central_documents", "center_distances")
    return base.require(problem, "SubspaceClusteringProblem", *needed)


register_operators(
    SubspaceClusteringProblem,
    sampling=SeedSampling,
    crossover=AlignedSeedCrossover,
    mutation=lambda: MutationChoice([SweepSeedMutation(), DistantSeedMutation()]),
    duplicates=lambda problem: CanonicalDuplicates(problem.encoding),
)
