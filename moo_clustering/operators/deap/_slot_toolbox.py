"""A filled DEAP toolbox for medoid slots."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from deap import base, tools
from numpy.typing import NDArray

from moo_clustering.encodings._medoid_slots import random_slots
from moo_clustering.operators._slots import slot_radius
from moo_clustering.operators.deap._batch_map import batch_map
from moo_clustering.operators.deap._individual import ArrayIndividual, Minimize
from moo_clustering.operators.deap._medoid_slots import cx_slots_one_point, mut_slots
from moo_clustering.operators.deap._roulette import sel_roulette_min

if TYPE_CHECKING:
    from moo_clustering.encodings import MedoidSlotEncoding

Score = Callable[[NDArray[Any]], NDArray[np.float64]]


class EvaluateGenes:
    """``evaluate``: any function of a population of chromosomes, minimised.

    Parameters
    ----------
    score : callable
        Of genes, shape (n_individuals, n_var), to objectives, shape (n_individuals,).
    """

    def __init__(self, score: Score) -> None:
        self.score = score

    def __call__(self, individual: Any) -> tuple[float]:
        """The objective as a tuple."""
        return (float(self.score(np.asarray(individual)[None])[0]),)

    def batch(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Objectives of all rows."""
        return self.score(matrix)


def slot_toolbox(
    encoding: MedoidSlotEncoding,
    score: Score,
    rng: np.random.Generator,
    *,
    mutation: Literal["index", "rank"] = "index",
    p_gene: float = 0.7,
    reach: float = 0.25,
    selection: Literal["inverse", "linear"] = "inverse",
) -> base.Toolbox:
    """Toolbox with what :func:`gcuk` and DEAP's own loops call.

    Parameters
    ----------
    encoding : MedoidSlotEncoding
    score : callable
        Of genes, shape (n_individuals, k_max), to objectives that are minimised.
    rng : numpy.random.Generator
        What all operators draw from.
    mutation : {"index", "rank"}, default="index"
        A medoid moves to a sample of nearby number, as printed, or to one of the nearest samples.
    p_gene : float, default=0.7
    reach : float, default=0.25
        How far, as a share of the samples.
    selection : {"inverse", "linear"}, default="inverse"
        Weights of the roulette, see :func:`roulette_weights`.

    Returns
    -------
    deap.base.Toolbox
        ``individual()``, ``from_genes(genes)``, ``population(n)``, ``evaluate``, ``mate``, ``mutate``,
        ``select``, and ``map`` for whole populations.
    """
    if mutation not in ("index", "rank"):
        raise ValueError(f"mutation must be 'index' or 'rank', got {mutation!r}")
    n, k_min, k_max = encoding.n_samples, encoding.k_min, encoding.k_max
    toolbox = base.Toolbox()
    from_genes = partial(ArrayIndividual, fitness=Minimize)
    toolbox.register("from_genes", from_genes)
    toolbox.register("individual", lambda: from_genes(random_slots(1, n, k_min, k_max, rng)[0]))
    toolbox.register("population", lambda n: tools.initRepeat(list, toolbox.individual, n))
    toolbox.register("evaluate", EvaluateGenes(score))
    toolbox.register("mate", cx_slots_one_point, rng=rng, k_min=k_min, n_samples=n)
    neighbors = None
    if mutation == "rank" and n > 1:
        neighbors = encoding.nearest(min(max(1, slot_radius(reach, n)), n - 1))
    toolbox.register(
        "mutate",
        mut_slots,
        rng=rng,
        p_gene=p_gene,
        reach=reach,
        n_samples=n,
        k_min=k_min,
        neighbors=neighbors,
    )
    toolbox.register("select", sel_roulette_min, rng=rng, rule=selection)
    toolbox.register("map", batch_map)
    return toolbox
