"""Operators that suit a problem: the keyword arguments of a pymoo algorithm."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pymoo.algorithms.moo.moead import MOEAD
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.operators.crossover.hux import HUX
from pymoo.operators.crossover.spx import SinglePointCrossover
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling

from moo_clustering import encodings, problems
from moo_clustering.operators import (
    centers,
    feature_subsets,
    generic,
    labels,
    medoids,
    modes,
    neighbors,
    seeds,
    selection,
    sparse_rows,
    trees,
)

Makers = tuple[Callable[[], Any], ...]
# Sampling, crossover, mutation and, where genes need one, repair; the first kind that fits counts.
_OF_PROBLEMS: dict[Any, Makers] = {
    problems.MOCKProblem: (
        trees.MSTInterestingnessSampling,
        partial(UniformCrossover, prob=1.0),
        trees.NeighborBiasedMutation,
    ),
    problems.NeighborGraphProblem: (
        neighbors.NeighborSampling,
        neighbors.UniformNeighborCrossover,
        neighbors.NeighborResample,
        neighbors.CannotLinkRepair,
    ),
    problems.SRMOSCProblem: (
        sparse_rows.SparseRowSampling,
        sparse_rows.RowUniformCrossover,
        sparse_rows.SupportMutation,
    ),
    problems.FuzzyModesProblem: (modes.ModesSampling, SinglePointCrossover, modes.ModesMutation),
    problems.EnsembleSelectionProblem: (BinaryRandomSampling, HUX, BitflipMutation),
    problems.SubspaceClusteringProblem: (
        seeds.SeedSampling,
        seeds.AlignedSeedCrossover,
        lambda: generic.MutationChoice([seeds.SweepSeedMutation(), seeds.DistantSeedMutation()]),
    ),
    problems.SumOfSquaresProblem: (
        generic.EncodingSampling,
        centers.CentreMatchingCrossover,
        partial(centers.RelocateCentre, prob=0.2),
        centers.LocalSearchRepair,
    ),
    problems.BagPartitionProblem: (
        partial(labels.PartitionSampling, ("random", "km")),
        partial(labels.AlignedHUX, prob=0.9),
        # It lowers one objective only: with all children mutated, a front of several shrinks.
        partial(labels.ImprovementMutation, 0.2, prob=0.5),
        labels.MinSizeRepair,
    ),
}
# Crossover and mutation.
_OF_ENCODINGS: dict[Any, Makers] = {
    encodings.MedoidEncoding: (
        partial(medoids.PrefixUnionCrossover, "two_cut", prob=0.9),
        partial(medoids.MedoidReplaceMutation, "full", prob=0.5),
    ),
    encodings.MedoidSlotEncoding: (
        partial(medoids.SlotOnePointCrossover, prob=0.9),
        partial(medoids.SlotMutation, "rank", prob=0.5),
    ),
    problems.FeatureSubsetEncoding: (partial(UniformCrossover, prob=0.9), feature_subsets.FeatureMutation),
    encodings.LabelEncoding: (labels.AlignedUniformCrossover, generic.EncodingMutation),
    encodings.Encoding: (partial(UniformCrossover, prob=0.9), generic.EncodingMutation),
}


def suited_operators(problem: Any, algorithm: type[Any] | None = None) -> dict[str, Any]:
    """Operators that suit a problem, as keyword arguments of any pymoo algorithm.

    ``problem.operators(algorithm)`` is the same. Each value may be replaced:
    ``NSGA2(**(problem.operators() | {"mutation": mine}))``.

    Parameters
    ----------
    problem : Problem
        A problem of this package, or any with an attribute ``encoding``.
    algorithm : type, optional
        Class of the pymoo algorithm. Needed for MOEAD, which takes no ``eliminate_duplicates``.

    Returns
    -------
    dict
        ``sampling``, ``crossover``, ``mutation``, ``eliminate_duplicates``, and ``repair`` where genes may
        need one. With an ``encoding``, the initial population is refilled until it is distinct, and
        duplicates are found in canonical form.

    Raises
    ------
    TypeError
        The problem is none of this package and has no encoding.
    """
    encoding = getattr(problem, "encoding", None)
    makers = next((own for kind, own in _OF_PROBLEMS.items() if isinstance(problem, kind)), None)
    if makers is None:
        fitting = [own for kind, own in _OF_ENCODINGS.items() if isinstance(encoding, kind)]
        if not fitting:
            raise TypeError(
                f"no operators are known for {type(problem).__name__}: give it an attribute encoding, an "
                "Encoding, or the algorithm its own sampling, crossover and mutation."
            )
        makers = (generic.EncodingSampling, *fitting[0], generic.EncodingRepair)
    kinds = ("sampling", "crossover", "mutation", "repair")
    named = {name: make() for name, make in zip(kinds, makers, strict=False)}
    # MOEAD keeps duplicates, and needs as many individuals as it has directions.
    if algorithm is not None and issubclass(algorithm, MOEAD):
        return named
    duplicates: Any = NoDuplicateElimination()
    if encoding is not None:
        duplicates = selection.CanonicalDuplicates(encoding)
        named["sampling"] = generic.RefillingSampling(named["sampling"], duplicates)
    elif isinstance(problem, problems.FuzzyModesProblem):
        duplicates = selection.CanonicalDuplicates(problem.canonical)
    elif isinstance(problem, problems.EnsembleSelectionProblem):
        duplicates = selection.CanonicalDuplicates()
    return named | {"eliminate_duplicates": duplicates}
