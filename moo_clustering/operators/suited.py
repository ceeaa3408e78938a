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
from moo_clustering.operators import crossover, mutation, mutation_labels, repair, sampling, selection

Makers = tuple[Callable[[], Any], ...]
# Sampling, crossover, mutation and, where genes need one, repair; the first kind that fits counts.
_OF_PROBLEMS: dict[Any, Makers] = {
    problems.MOCKProblem: (
        sampling.MSTInterestingnessSampling,
        partial(UniformCrossover, prob=1.0),
        mutation.NeighborBiasedMutation,
    ),
    problems.NeighborGraphProblem: (
        sampling.NeighborSampling,
        crossover.UniformNeighborCrossover,
        mutation.NeighborResample,
        repair.CannotLinkRepair,
    ),
    problems.SRMOSCProblem: (
        sampling.SparseRowSampling,
        crossover.RowUniformCrossover,
        mutation.SupportMutation,
    ),
    problems.FuzzyModesProblem: (sampling.ModesSampling, SinglePointCrossover, mutation.ModesMutation),
    problems.EnsembleSelectionProblem: (BinaryRandomSampling, HUX, BitflipMutation),
    problems.SubspaceClusteringProblem: (
        sampling.SeedSampling,
        crossover.AlignedSeedCrossover,
        lambda: mutation.MutationChoice([mutation.SweepSeedMutation(), mutation.DistantSeedMutation()]),
    ),
    problems.SumOfSquaresProblem: (
        sampling.EncodingSampling,
        crossover.CentreMatchingCrossover,
        partial(mutation.RelocateCentre, prob=0.2),
        repair.LocalSearchRepair,
    ),
    problems.BagPartitionProblem: (
        partial(sampling.PartitionSampling, ("random", "km")),
        partial(crossover.AlignedHUX, prob=0.9),
        # It lowers one objective only: with all children mutated, a front of several shrinks.
        partial(mutation_labels.ImprovementMutation, 0.2, prob=0.5),
        repair.MinSizeRepair,
    ),
}
# Crossover and mutation.
_OF_ENCODINGS: dict[Any, Makers] = {
    encodings.MedoidEncoding: (
        partial(crossover.PrefixUnionCrossover, "two_cut", prob=0.9),
        partial(mutation.MedoidReplaceMutation, "full", prob=0.5),
    ),
    encodings.MedoidSlotEncoding: (
        partial(crossover.SlotOnePointCrossover, prob=0.9),
        partial(mutation.SlotMutation, "rank", prob=0.5),
    ),
    problems.FeatureSubsetEncoding: (partial(UniformCrossover, prob=0.9), mutation.FeatureMutation),
    encodings.LabelEncoding: (crossover.AlignedUniformCrossover, mutation.EncodingMutation),
    encodings.Encoding: (partial(UniformCrossover, prob=0.9), mutation.EncodingMutation),
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
        makers = (sampling.EncodingSampling, *fitting[0], repair.EncodingRepair)
    kinds = ("sampling", "crossover", "mutation", "repair")
    named = {name: make() for name, make in zip(kinds, makers, strict=False)}
    # MOEAD keeps duplicates, and needs as many individuals as it has directions.
    if algorithm is not None and issubclass(algorithm, MOEAD):
        return named
    duplicates: Any = NoDuplicateElimination()
    if encoding is not None:
        duplicates = selection.CanonicalDuplicates(encoding)
        named["sampling"] = sampling.RefillingSampling(named["sampling"], duplicates)
    elif isinstance(problem, problems.FuzzyModesProblem):
        duplicates = selection.CanonicalDuplicates(problem.canonical)
    elif isinstance(problem, problems.EnsembleSelectionProblem):
        duplicates = selection.CanonicalDuplicates()
    return named | {"eliminate_duplicates": duplicates}
