"""Every pymoo operator of the package, and the problem it is tried on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from pymoo.core.crossover import Crossover
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.core.mating import Mating
from pymoo.core.mutation import Mutation
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding

from contract.problems import PAIRS, POOL, evaluated, first_population, graph, problem_of
from moo_clustering import operators as ops

PARENTS = np.array([[0, 7], [1, 6], [2, 5], [3, 4]])
BITS = "EnsembleSelectionProblem"
BAGS = "BagPartitionProblem"
CENTERS = "SumOfSquaresProblem"
FEATURES = "FeatureSubsetProblem"
LABELS = "PartitionProblem"
LINKS = "MOCKProblem"
MEDOIDS = "MedoidProblem"
MODES = "FuzzyModesProblem"
REGIONS = "PartitionProblem, regions"
NEIGHBORS = "NeighborGraphProblem"
SEEDS = "SubspaceClusteringProblem"
SLOTS = "PartitionProblem, slots"
WEIGHTS = "SRMOSCProblem"

# Public names of the room that are no operators on their own.
OTHERS = {
    "DirectedMutation": "a base class",
    "LabelGraph": "a similarity graph that operators share",
    "EliteMemory": "what EliteSurvival keeps",
    "start_genes": "genes of partitions that are known",
    "suited_operators": "operators that suit a problem",
}


@dataclass(frozen=True, eq=False)
class OperatorCase:
    """An operator, the name of a problem in ``PROBLEMS``; ``draws`` says that chance decides."""

    of: str
    problem: str
    make: Callable[[], Any]
    draws: bool = True

    def run(self, operator=None, *, population=None, seed=3):
        """What the operator makes of a first population: genes, or the order of those who survive."""
        operator = self.make() if operator is None else operator
        problem, rng = problem_of(self.problem), np.random.default_rng(seed)
        population = self.population() if population is None else population
        if isinstance(operator, Sampling):
            return operator(problem, 8, random_state=rng).get("X")
        if isinstance(operator, Crossover):
            return operator.do(problem, population, PARENTS, random_state=rng).get("X")
        if isinstance(operator, Mutation):
            return operator.do(problem, population, inplace=False, random_state=rng).get("X")
        if isinstance(operator, Repair):
            return operator._do(problem, population.get("X").copy(), random_state=rng)
        if isinstance(operator, Mating):
            return operator.do(problem, population, 6, random_state=rng).get("X")
        if self.of == "vary":
            suited = problem.operators()
            return operator(problem, population.get("X"), suited["crossover"], suited["mutation"], rng)
        if self.of == "batched_tournament":
            pairs = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
            return operator(population, pairs, algorithm=_Dominance(), random_state=rng)
        if self.of == "CanonicalDuplicates":
            return operator.do(population).get("X")
        return operator.do(problem, population, n_survive=4, random_state=rng).get("X")

    def population(self):
        """A first population, with ranks for tournaments."""
        if self.of in ("CanonicalDuplicates", "batched_tournament") or "Survival" in self.of:
            population = evaluated(self.problem)
            if self.of == "batched_tournament":
                RankAndCrowding().do(problem_of(self.problem), population)
            return population
        return first_population(self.problem)


class _Dominance:
    tournament_type = "comp_by_rank_and_crowding"


def first_objective(values, labels):
    """A scalar for elites."""
    return values[:, 0]


def _mating():
    return ops.ExclusiveMating(
        TournamentSelection(func_comp=no_comparison),
        ops.AlignedSeedCrossover(prob=0.5),
        ops.DistantSeedMutation(),
        eliminate_duplicates=NoDuplicateElimination(),
    )


def no_comparison(pop, P, random_state=None, **kwargs):
    """The first of every pair wins."""
    return P[:, :1]


def _case(problem, name, *arguments, draws=True, variant="", **options):
    made = OperatorCase(name, problem, lambda: getattr(ops, name)(*arguments, **options), draws)
    return f"{name}{variant}", made


OPERATORS = dict(
    [
        _case(REGIONS, "BoundaryClimb", 500),
        _case(REGIONS, "TreeRecombination"),
        _case(BAGS, "AlignedHUX"),
        _case(BAGS, "AlignedOnePoint"),
        _case(SEEDS, "AlignedSeedCrossover", prob=1.0),
        _case(BAGS, "AlignedUniformCrossover"),
        _case(NEIGHBORS, "CannotLinkRepair", draws=False),
        _case(LABELS, "CanonicalDuplicates", draws=False),
        _case(LABELS, "CanonicalRepair", draws=False),
        _case(CENTERS, "CenterMatchingCrossover"),
        _case(LABELS, "ClusterNumberRepair", graph(), POOL, 3),
        _case(MEDOIDS, "ConstraintCrowdingSurvival"),
        _case(SEEDS, "DistantSeedMutation", prob=1.0),
        _case(NEIGHBORS, "DynamicDiversitySurvival", draws=False),
        _case(LABELS, "EncodingMutation", 0.5),
        _case(LABELS, "EncodingRepair", draws=False),
        _case(LABELS, "EncodingSampling"),
        _case(LABELS, "GraphMerge", graph()),
        _case(LABELS, "GraphRefine", graph(), draws=False),
        _case(LINKS, "GreedyFrontSampling"),
        _case(LABELS, "GroupingOverlayCrossover", graph(), prob=1.0),
        _case(FEATURES, "FeatureMutation"),
        _case(BAGS, "ImprovementMutation"),
        _case(NEIGHBORS, "IndexPM", 0.5),
        _case(NEIGHBORS, "IndexSBX"),
        _case(BAGS, "KMMutation", prob=1.0, draws=False),
        _case(CENTERS, "LocalSearchRepair", draws=False),
        _case(LINKS, "MSTInterestingnessSampling"),
        _case(MEDOIDS, "MedoidReplaceMutation", prob=1.0),
        _case(MEDOIDS, "MedoidSampling"),
        _case(MEDOIDS, "MedoidSetRepair", draws=False),
        _case(MEDOIDS, "MedoidSwapMutation", prob=1.0),
        _case(BAGS, "MinSizeRepair", draws=False),
        _case(MODES, "ModesMutation", prob=1.0),
        _case(MODES, "ModesSampling"),
        _case(SEEDS, "MutationChoice", [ops.DistantSeedMutation(), ops.SweepSeedMutation()], prob=1.0),
        _case(LINKS, "NeighborBiasedMutation"),
        _case(NEIGHBORS, "NeighborResample", 0.5),
        _case(NEIGHBORS, "NeighborSampling"),
        _case(LABELS, "PairViolationMutation", graph(), POOL, PAIRS),
        _case(LABELS, "PartitionMutation", graph(), POOL),
        _case(BAGS, "PartitionSampling", "random"),
        _case(LABELS, "PoolSampling", POOL, [4.0, 3.0, 2.0, 1.0], draws=False),
        _case(LABELS, "PoolSplit", POOL),
        _case(MEDOIDS, "PrefixUnionCrossover", prob=1.0),
        _case(LABELS, "RandomSurvival"),
        _case(NEIGHBORS, "RankPM", 0.5),
        _case(NEIGHBORS, "RankSBX"),
        _case(LABELS, "RefillingSampling", ops.EncodingSampling(), ops.CanonicalDuplicates()),
        _case(CENTERS, "RelocateCenter"),
        _case(WEIGHTS, "RowUniformCrossover"),
        _case(SEEDS, "SeedSampling"),
        _case(SLOTS, "SlotMutation", prob=1.0),
        _case(SLOTS, "SlotOnePointCrossover", prob=1.0),
        _case(WEIGHTS, "SparseRowSampling", draws=False),
        _case(WEIGHTS, "SupportMutation", prob=1.0),
        _case(SEEDS, "SweepSeedMutation", prob=1.0, draws=False),
        _case(NEIGHBORS, "UniformNeighborCrossover"),
        # The best survive, and chance decides about the others.
        _case(LABELS, "EliteSurvival", ops.RandomSurvival(), first_objective, 1),
        ("ExclusiveMating", OperatorCase("ExclusiveMating", SEEDS, _mating)),
        ("batched_tournament", OperatorCase("batched_tournament", LABELS, lambda: ops.batched_tournament)),
        ("vary", OperatorCase("vary", LABELS, lambda: ops.vary)),
    ]
)
