"""Sampling, crossover, mutation and repair of medoid slots."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling

from moo_clustering.encodings._checks import checked_genes, rounded_genes
from moo_clustering.encodings._medoid_slots import MedoidSlotEncoding, repair_slots
from moo_clustering.operators._slots import checked_probability, cross_slots, mutate_slots, slot_radius

IntArray = NDArray[np.integer[Any]]
Kind = Literal["index", "rank"]


def slot_encoding_of(problem: Any) -> MedoidSlotEncoding:
    """The encoding of a problem over medoid slots; refuses others."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, MedoidSlotEncoding):
        raise TypeError(f"{type(problem).__name__} has no MedoidSlotEncoding, which this operator needs.")
    return encoding


class SlotSampling(Sampling):
    """K uniform on k_min..k_max, then K distinct samples uniformly, in random slots.

    For problems whose ``encoding`` is a :class:`~moo_clustering.encodings.MedoidSlotEncoding`.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).
    """

    def _do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        return slot_encoding_of(problem).random(n_samples, np.random.default_rng(random_state))


class SlotOnePointCrossover(Crossover):
    """Exchange the slots from a random cut in 1..k_max-1 on, then repair as :class:`SlotRepair`.

    Parameters
    ----------
    prob : float, default=0.2
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = slot_encoding_of(problem)
        rng = np.random.default_rng(random_state)
        first, second = (checked_genes(parents, encoding.n_var) for parents in X)
        return np.stack(cross_slots(first, second, rng, k_min=encoding.k_min, n_samples=encoding.n_samples))


class SlotMutation(Mutation):
    """Move medoids to samples near them, then repair as :class:`SlotRepair`.

    Parameters
    ----------
    kind : {"index", "rank"}, default="index"
        - ``"index"``, as printed: id g becomes g + U{-r..r}, clipped. Ids of samples in no particular
          order say nothing about nearness.
        - ``"rank"``: a uniform draw among the r nearest samples of the current one, by its row of the
          distances.
    p_gene : float, default=0.7
        Probability that a medoid of a mutated individual moves.
    reach : float, default=0.25
        r = floor(reach n_samples); at least 1 and at most all others for ``"rank"``.
    prob : float, default=0.3
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).
    """

    def __init__(
        self,
        kind: Kind = "index",
        p_gene: float = 0.7,
        reach: float = 0.25,
        prob: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob=prob, **kwargs)
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {get_args(Kind)}, got {kind!r}.")
        self.kind: Kind = kind
        self.p_gene = checked_probability("p_gene", p_gene)
        self.reach = checked_probability("reach", reach)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = slot_encoding_of(problem)
        n = encoding.n_samples
        neighbors = None
        if self.kind == "rank" and n > 1:
            neighbors = encoding.nearest(min(max(slot_radius(self.reach, n), 1), n - 1))
        return mutate_slots(
            checked_genes(X, encoding.n_var),
            np.random.default_rng(random_state),
            p_gene=self.p_gene,
            reach=self.reach,
            n_samples=n,
            k_min=encoding.k_min,
            neighbors=neighbors,
        )


class SlotRepair(Repair):
    """Empty the slots that hold no sample or one held before; draw samples for empty ones up to k_min.

    Fractions are rounded. The operators for medoid slots leave nothing to repair; others do.
    :class:`EncodingRepair` does the same but takes the samples with the lowest numbers.
    """

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[Any]:
        if len(X) == 0:
            return X
        encoding = slot_encoding_of(problem)
        rng = np.random.default_rng(random_state)
        return repair_slots(rounded_genes(X, encoding.n_var), encoding.n_samples, encoding.k_min, rng)
