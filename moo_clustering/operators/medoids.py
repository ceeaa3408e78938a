"""Operators for sets of medoids that are encoded as sample indices."""

import math
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from moo_clustering._arrays import Int64Array, IntArray, choice, probability
from moo_clustering.encodings import MedoidEncoding, MedoidSlotEncoding, medoids
from moo_clustering.encodings.base import checked_genes, rounded_genes
from moo_clustering.operators import base
from moo_clustering.operators.generic import EncodingRepair, register_operators
from moo_clustering.operators.labels import cross_partitions, tails

Length = Literal["grow", "keep", "two_cut"]
ReplaceKind = Literal["replace", "full"]
SlotKind = Literal["index", "rank"]


class MedoidSampling(base.SeededSampling):
    """Draw K uniformly from k_min..k_max, then draw K distinct samples as medoids for a MedoidEncoding."""

    def _apply(self, problem: Any, n_samples: int, rng: Generator) -> IntArray:
        return base.encoding_of(problem, MedoidEncoding).random(n_samples, rng)


class PrefixUnionCrossover(base.PairCrossover):
    """Append medoids from parent B to the first medoids of parent A; swap A and B for a second child.

    For a random cut c in 1..|A|-1, the child consists of A[:c] and the genes of B that are not in A[:c], up
    to ``k_max`` genes in total. Takes O(n_pairs k_max log k_max) time. Source: NSGA-II-clus.

    Parameters
    ----------
    length : {"grow", "keep", "two_cut"}, default="grow"
        - ``"grow"``: append all of B (as in the paper); on average, children have more clusters than parents.
        - ``"keep"``: keep |A| genes, taken from A[:c], then from B, then from the remainder of A.
        - ``"two_cut"``: append B's genes after a second cut, then random medoids up to ``k_min`` medoids.
    """

    def __init__(self, length: Length = "grow", prob: float = 0.6, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.length: Length = choice("length", length, get_args(Length))

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> Int64Array:
        encoding = base.encoding_of(problem, MedoidEncoding)
        pairs = medoids.as_sets(X[0]), medoids.as_sets(X[1])
        children = [
            medoids.filled(prefix_union(*pair, self.length, rng), encoding.k_min, encoding.n_samples, rng)
            for pair in (pairs, pairs[::-1])
        ]
        return np.stack(children)


def prefix_union(first: Int64Array, second: Int64Array, length: Length, rng: Generator) -> Int64Array:
    """Return a child for each pair of rows, padded with -1; "two_cut" children can have too few medoids."""
    width = first.shape[1]
    position = np.arange(width)
    sizes = medoids.set_sizes(first)
    head = position < _cuts(sizes, rng)
    candidates = [np.where(head, first, -1), second]
    wanted: Any = width
    if length == "keep":
        candidates.append(np.where(head, -1, first))
        wanted = sizes
    elif length == "two_cut":
        candidates[1] = np.where(position < _cuts(medoids.set_sizes(second), rng), -1, second)
    return medoids.first_distinct(np.concatenate(candidates, axis=1), wanted)[:, :width]


def _cuts(sizes: Int64Array, rng: Generator) -> Int64Array:
    """Draw a cut uniformly from 1..size-1 for each row, or 1 if the row has a single gene."""
    return rng.integers(1, np.maximum(sizes, 2))[:, None]


class SlotOnePointCrossover(base.PairCrossover):
    """Swap all slots after a random cut in 1..k_max-1, and repair the children.

    Repair empties slots with repeated medoids, and adds random medoids if fewer than k_min medoids remain.
    Source: Evolutionary multi-instance clustering (MIGCUK).
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> IntArray:
        encoding = base.encoding_of(problem, MedoidSlotEncoding)
        first, second = (checked_genes(parents, encoding.n_var) for parents in X)
        children = cross_partitions(first, second, tails, rng, align=False)
        return np.stack([medoids.repair_slots(x, encoding.n_samples, encoding.k_min, rng) for x in children])


class MedoidReplaceMutation(base.SeededMutation):
    """Replace a random medoid with a random non-medoid.

    Takes O(n_individuals k_max log k_max) time. Source: NSGA-II-clus.

    Parameters
    ----------
    kind : {"replace", "full"}, default="replace"
        ``"full"`` replaces, adds or drops a medoid with equal probability. If the drawn addition or removal
        is impossible, a medoid is replaced. If all samples are medoids, a medoid can only be dropped.
    """

    def __init__(self, kind: ReplaceKind = "replace", prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.kind: ReplaceKind = choice("kind", kind, get_args(ReplaceKind))

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> Int64Array:
        encoding = base.encoding_of(problem, MedoidEncoding)
        sets = medoids.as_sets(X)
        sizes, mutated = medoids.set_sizes(sets), sets.copy()
        position = rng.integers(0, np.maximum(sizes, 1))
        action = rng.integers(0, 3, size=len(sets)) if self.kind == "full" else np.zeros(len(sets))
        some_absent = sizes < encoding.n_samples
        delete = (action == 2) & (sizes > encoding.k_min)
        insert = (action == 1) & (sizes < sets.shape[1]) & some_absent
        position[insert] = sizes[insert]
        enter = np.flatnonzero(~delete & some_absent)
        mutated[enter, position[enter]] = medoids.random_absent(sets[enter], encoding.n_samples, rng)
        mutated[delete, position[delete]] = -1
        return np.take_along_axis(mutated, np.argsort(mutated < 0, axis=1, kind="stable"), axis=1)


class MedoidSwapMutation(base.SeededMutation):
    """Swap the positions of two medoids.

    The gene order affects a later crossover, but not the clustering. Source: NSGA-II-clus.
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> Int64Array:
        base.encoding_of(problem, MedoidEncoding)
        sets = medoids.as_sets(X)
        sizes = np.maximum(medoids.set_sizes(sets), 1)
        row = np.arange(len(sets))
        a = rng.integers(0, sizes)
        b = (a + 1 + rng.integers(0, np.maximum(sizes - 1, 1))) % sizes
        swapped = sets.copy()
        swapped[row, a], swapped[row, b] = sets[row, b], sets[row, a]
        return swapped


class SlotMutation(base.SeededMutation):
    """Move medoids to nearby samples, then repair them as :class:`SlotOnePointCrossover` does.

    Source: Evolutionary multi-instance clustering (MIGCUK).

    Parameters
    ----------
    kind : {"index", "rank"}, default="index"
        - ``"index"`` (as printed in the paper): add a random integer in -r..r to the index and clip the sum.
          Samples with nearby indices are close to each other only if the samples are sorted.
        - ``"rank"``: draw the new medoid uniformly from the r samples nearest to the current medoid.
    p_gene : float, default=0.7
        Probability that each medoid of a mutated individual moves.
    reach : float, default=0.25
        Range r of a move, as a fraction of n_samples. r is rounded down, and is at least 1 with ``"rank"``.
    """

    def __init__(
        self,
        kind: SlotKind = "index",
        p_gene: float = 0.7,
        reach: float = 0.25,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.kind: SlotKind = choice("kind", kind, get_args(SlotKind))
        self.p_gene = probability("p_gene", p_gene)
        self.reach = probability("reach", reach)

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> IntArray:
        encoding = base.encoding_of(problem, MedoidSlotEncoding)
        n, r = encoding.n_samples, slot_radius(self.reach, encoding.n_samples)
        slots = checked_genes(X, encoding.n_var)
        moves = (slots >= 0) & (rng.random(slots.shape) < self.p_gene)
        if self.kind == "rank" and n > 1:
            neighbors = encoding.nearest(min(max(r, 1), n - 1))
            moved = neighbors[slots, rng.integers(0, neighbors.shape[1], size=slots.shape)]
        else:
            moved = np.clip(slots + rng.integers(-r, r + 1, size=slots.shape), 0, n - 1)
        return medoids.repair_slots(np.where(moves, moved, slots), n, encoding.k_min, rng)


def slot_radius(reach: float, n_samples: int) -> int:
    """Return floor(reach * n_samples), with a tolerance for rounding errors in the product."""
    return math.floor(reach * n_samples + 1e-9)


class MedoidSetRepair(base.GeneRepair):
    """Remove invalid and repeated medoids, then add random medoids if fewer than ``k_min`` remain.

    Genes are rounded first, and the remaining medoids move to the left. Only children of custom operators
    need this repair. Instead of random medoids, :class:`EncodingRepair` adds samples with the lowest indices.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: Generator) -> NDArray[Any]:
        encoding = base.encoding_of(problem, MedoidEncoding)
        ids = rounded_genes(X, encoding.n_var)
        ids[ids >= encoding.n_samples] = -1
        sets = medoids.first_distinct(ids, encoding.k_max)
        return medoids.filled(sets, encoding.k_min, encoding.n_samples, rng)


register_operators(
    MedoidEncoding,
    crossover=partial(PrefixUnionCrossover, "two_cut", prob=0.9),
    mutation=partial(MedoidReplaceMutation, "full", prob=0.5),
    repair=EncodingRepair,
)
register_operators(
    MedoidSlotEncoding,
    crossover=partial(SlotOnePointCrossover, prob=0.9),
    mutation=partial(SlotMutation, "rank", prob=0.5),
    repair=EncodingRepair,
)
