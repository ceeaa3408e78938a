"""Crossover of medoid sets: the head of one parent, filled up from the other."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover

from moo_clustering.encodings._medoid_sets import as_sets, filled, first_distinct, set_sizes
from moo_clustering.operators._medoid_sampling import medoid_encoding_of

Ints = NDArray[np.int64]
Length = Literal["grow", "keep", "two_cut"]


def prefix_union(first: Ints, second: Ints, length: Length, rng: np.random.Generator) -> Ints:
    """One child per pair of rows; it may be short of medoids with ``"two_cut"``.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, k_max)
        Distinct ids, padded with -1.
    length : {"grow", "keep", "two_cut"}
        See :class:`PrefixUnionCrossover`.
    rng : numpy.random.Generator
    """
    width = first.shape[1]
    position = np.arange(width)
    sizes = set_sizes(first)
    head = position < _cuts(sizes, rng)
    candidates = [np.where(head, first, -1), second]
    wanted: Any = width
    if length == "keep":
        candidates.append(np.where(head, -1, first))
        wanted = sizes
    elif length == "two_cut":
        candidates[1] = np.where(position < _cuts(set_sizes(second), rng), -1, second)
    return first_distinct(np.concatenate(candidates, axis=1), wanted)[:, :width]


def _cuts(sizes: Ints, rng: np.random.Generator) -> Ints:
    """A column of cuts, each uniform over 1..size-1 (1 for a single gene)."""
    return rng.integers(1, np.maximum(sizes, 2))[:, None]


class PrefixUnionCrossover(Crossover):
    """The first genes of one parent, then those of the other that are not among them.

    A cut c is drawn from 1..|A|-1; the child is A[:c] followed by the genes of B not in it, in B's
    order, at most ``k_max``. The second child has the roles exchanged and a cut of its own.

    Parameters
    ----------
    length : {"grow", "keep", "two_cut"}, default="grow"
        - ``"grow"``: all of B, as printed. The child is at least as long as B, so without selection
          the number of clusters drifts to ``k_max``.
        - ``"keep"``: as many genes as A has: its head, then B, then the rest of A.
        - ``"two_cut"``: B from a cut of its own on; the mean length falls only by what both parents
          have in common. A child with fewer than two genes gets random ones.
    prob : float, default=0.6
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_pairs k_max log k_max), without a Python loop over pairs or genes.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, length: Length = "grow", prob: float = 0.6, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)
        if length not in get_args(Length):
            raise ValueError(f"length must be one of {get_args(Length)}, got {length!r}.")
        self.length: Length = length

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Ints:
        rng = np.random.default_rng(random_state)
        encoding = medoid_encoding_of(problem)
        first, second = as_sets(X[0]), as_sets(X[1])
        children = [
            filled(prefix_union(a, b, self.length, rng), encoding.k_min, encoding.n_samples, rng)
            for a, b in ((first, second), (second, first))
        ]
        return np.stack(children)
