"""Every DEAP function and tool of the package, and individuals to try it on."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from contract.estimators import bags
from contract.operators import BAGS, CENTERS, LABELS, MEDOIDS, NEIGHBORS, SLOTS, first_objective
from contract.problems import POOL, evaluated, graph, problem_of
from moo_clustering import operators as ops
from moo_clustering.bags import BagGeometry, BagObjective, Bags, bag_distances
from moo_clustering.operators import deap as tools

# Public names of the room that vary and select nothing.
OTHERS = {
    "ArrayIndividual": "an individual; copied and pickled in test_deap_individuals",
    "CenterIndividual": "an individual; copied and pickled in test_deap_individuals",
    "MedoidIndividual": "an individual; copied and pickled in test_deap_individuals",
    "Minimize": "a fitness",
    "MinimizeTwo": "a fitness",
    "MedoidFitness": "a fitness",
    "SupervisedMedoidFitness": "a fitness",
    "EvaluateGenes": "scores individuals, without chance",
    "UsesAllClusters": "a test of feasibility",
    "apply_batch": "calls a function on many individuals",
    "batch_map": "calls a function on many individuals",
    "local_search": "decorates other operators",
    "partition_distance": "a distance",
    "partition_key": "a key",
    "fgka_fitness": "weights of a roulette",
    "roulette_weights": "weights of a roulette",
}


@dataclass(frozen=True, eq=False)
class DeapCase:
    """What to call with individuals of a problem, and a generator; ``kind`` is "mate", "mutate", "select" \
or "step"."""

    of: str
    problem: str
    kind: str
    call: Callable[..., Any]
    draws: bool = True

    def individuals(self):
        """Eight individuals with fitness."""
        fitness = {MEDOIDS: tools.SupervisedMedoidFitness}.get(self.problem)
        found = []
        for one in evaluated(self.problem):
            kind = fitness or (tools.MinimizeTwo if len(one.F) == 2 else tools.Minimize)
            make = tools.CenterIndividual if self.problem == CENTERS else tools.ArrayIndividual
            found.append(make(np.array(one.X), kind))
            found[-1].fitness.values = tuple(one.F)
        return found

    def run(self, seed=3, individuals=None):
        """Genes that come out, as one array."""
        rng = np.random.default_rng(seed)
        given = self.individuals() if individuals is None else individuals
        if self.kind == "mate":
            made = [
                child for pair in zip(given[::2], given[1::2], strict=True) for child in self.call(*pair, rng)
            ]
        elif self.kind == "mutate":
            made = [child for one in given for child in self.call(one, rng)]
        else:
            made = self.call(given, rng)
        return np.array([np.asarray(one) for one in made])


def objective():
    """Davies-Bouldin index of bags."""
    return BagObjective(BagGeometry(Bags.from_list(bags())), 3, min_cluster_size=1)


def _toolbox(name, rng):
    problem = problem_of(LABELS)
    crossover, mutation = ops.GroupingOverlayCrossover(graph()), ops.PartitionMutation(graph(), POOL)
    memory = ops.EliteMemory(first_objective)
    made = {
        "bag_toolbox": lambda: tools.bag_toolbox(objective(), rng),
        "slot_toolbox": lambda: tools.slot_toolbox(problem_of(SLOTS).encoding, _plain_score, rng),
        "medoid_toolbox": lambda: tools.medoid_toolbox(problem_of(MEDOIDS)),
        "neighbor_toolbox": lambda: tools.neighbor_toolbox(
            problem_of(NEIGHBORS),
            ops.NeighborSampling(),
            ops.UniformNeighborCrossover(),
            ops.NeighborResample(0.5),
            ops.DynamicDiversitySurvival(),
        ),
        "label_toolbox": lambda: tools.label_toolbox(
            problem, ops.EncodingSampling(), crossover, mutation, tools.SelElite(memory)
        ),
    }
    return made[name]()


def _plain_score(genes):
    return genes.astype(float).sum(axis=1)


def _mate(name, problem, **options):
    return DeapCase(name, problem, "mate", lambda a, b, rng: getattr(tools, name)(a, b, rng, **options))


def _mutate(name, problem_name, **options):
    return DeapCase(name, problem_name, "mutate", lambda one, rng: getattr(tools, name)(one, rng, **options))


def _select(name, problem, call=None, draws=True):
    given = call or (lambda individuals, rng: getattr(tools, name)(individuals, 4, rng))
    return DeapCase(name, problem, "select", given, draws)


def _step(name, problem, call):
    return DeapCase(name, problem, "step", call)


def _first_of(name):
    return DeapCase(
        name, SLOTS if name.startswith("slot") else LABELS, "step", lambda _, rng: _population(name, rng)
    )


def _population(name, rng):
    toolbox = _toolbox(name, rng)
    if name in ("bag_toolbox", "slot_toolbox"):
        return toolbox.population(n=8)
    return toolbox.population(8, rng)


def _vary(name, **options):
    def call(individuals, rng):
        return getattr(tools, name)(individuals, _toolbox("neighbor_toolbox", rng), rng, **options)

    return _step(name, NEIGHBORS, call)


def _labels_step(individuals, rng):
    return tools.LabelStep(8)(individuals, _toolbox("label_toolbox", rng), rng)[0]


def _bag_starts(_, rng):
    toolbox = tools.bag_toolbox(objective(), rng)
    return tools.MixedStarts(objective(), toolbox, rng, bag_distances(Bags.from_list(bags())))(8)


def _bag_copies(individuals, rng):
    toolbox = tools.bag_toolbox(objective(), np.random.default_rng(0))
    return tools.PerturbedCopies(objective(), toolbox)(individuals, 8, rng)


def _elite(individuals, rng):
    return tools.SelElite(ops.EliteMemory(first_objective))(individuals, 4, rng)


_CASES = [
    _mate("cx_match_centers", CENTERS, n_clusters=3),
    DeapCase(
        "as_mate",
        NEIGHBORS,
        "mate",
        lambda a, b, rng: tools.as_mate(ops.UniformNeighborCrossover(), problem_of(NEIGHBORS))(a, b, rng),
    ),
    DeapCase(
        "as_mutate",
        NEIGHBORS,
        "mutate",
        lambda one, rng: tools.as_mutate(ops.NeighborResample(0.5), problem_of(NEIGHBORS))(one, rng),
    ),
    _mutate("mut_relocate", CENTERS, problem=problem_of(CENTERS)),
    DeapCase("perturbed", BAGS, "mutate", lambda one, rng: (tools.perturbed(one, 0.5, 3, rng),)),
    DeapCase(
        "ChangePartition",
        BAGS,
        "mutate",
        lambda one, rng: tools.ChangePartition(partial(objective().drift, rng=rng))(one),
    ),
    DeapCase(
        "SearchPartition",
        BAGS,
        "mutate",
        lambda one, rng: tools.SearchPartition(objective(), partial(objective().improve, rng=rng))(one),
    ),
    _select("SelElite", LABELS, _elite, draws=False),
    _select("SelRouletteLegal", BAGS, lambda them, rng: tools.SelRouletteLegal(3, rng)(them, 4)),
    _select("sel_constraint_nsga2", MEDOIDS),
    _select(
        "sel_dynamic_diversity",
        NEIGHBORS,
        lambda them, rng: tools.sel_dynamic_diversity(them, 4, problem_of(NEIGHBORS)),
        draws=False,
    ),
    _select("sel_roulette_min", BAGS),
    _select("sel_tournament_dcd", LABELS, lambda them, rng: tools.sel_tournament_dcd(_crowded(them), 4, rng)),
    _select(
        "sel_tournament_rank", MEDOIDS, lambda them, rng: tools.sel_tournament_rank(_crowded(them), 4, rng)
    ),
    _step(
        "constraint_nsga2_step",
        MEDOIDS,
        lambda them, rng: tools.constraint_nsga2_step(_crowded(them), _toolbox("medoid_toolbox", rng), rng)[
            0
        ],
    ),
    _step(
        "dynamic_nsga2_step",
        NEIGHBORS,
        lambda them, rng: tools.dynamic_nsga2_step(
            _crowded(them), _toolbox("neighbor_toolbox", rng), rng, pc=0.9
        ),
    ),
    _step("LabelStep", LABELS, lambda them, rng: _labels_step(_crowded(them), rng)),
    _step("MixedStarts", BAGS, _bag_starts),
    _step("PerturbedCopies", BAGS, _bag_copies),
    _vary("var_and", pc=0.5),
    _vary("var_or", pc=0.5),
    *(_first_of(f"{kind}_toolbox") for kind in ("bag", "label", "medoid", "neighbor", "slot")),
]
DEAP_OPERATORS = {case.of: case for case in _CASES}


def _crowded(individuals):
    """Individuals with what a selection before left on them."""
    for place, one in enumerate(individuals):
        one.fitness.rank = place % 2
        one.fitness.crowding_dist = float(place)
    return individuals


def cloned(individuals):
    """As ``toolbox.clone``."""
    return [copy.deepcopy(one) for one in individuals]
