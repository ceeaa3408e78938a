"""Loops: every pymoo algorithm of the package, searches that are driven, and loops in DEAP's style."""

import functools
import tempfile
from pathlib import Path

import numpy as np
from contract import deap_operators
from contract.operators import BAGS, CENTERS, LABELS, LINKS, MEDOIDS, MODES, NEIGHBORS, SEEDS, SLOTS, WEIGHTS
from contract.problems import PAIRS, POOL, graph, problem_of, rows
from deap import tools as deap_tools
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.problems import get_problem

from moo_clustering import algorithms, problems
from moo_clustering import operators as ops
from moo_clustering.bags import bag_distances
from moo_clustering.encodings import MedoidSlotEncoding
from moo_clustering.operators import deap as deap_room
from moo_clustering.persistence import Checkpoint

ANNEALING = {"soft_limit": 12, "hard_limit": 6, "n_moves": 10, "n_climb": 3, "t_max": 1.0, "t_min": 0.3}


def cases():
    """Name to function of every case."""
    found = {}
    for name, (problem, make) in EVOLVED.items():
        found[f"evolve/{name}"] = functools.partial(_evolve, problem, make)
    found["evolve/resumed"] = _resumed
    for name, step in STEPS.items():
        found[f"drive/{name}"] = functools.partial(_drive_steps, step)
    found["drive/PymooSearch"] = _drive_pymoo
    found["drive/slots"] = _drive_slots
    for name in LOOPS:
        found[f"loop/{name}"] = functools.partial(_loop, name)
    found["loop/medoid sets"] = _medoid_sets
    return found


def labels_nsga2():
    """NSGA-II over partitions by cluster numbers."""
    return NSGA2(
        pop_size=10,
        sampling=ops.EncodingSampling(),
        crossover=ops.GroupingOverlayCrossover(graph()),
        mutation=ops.PartitionMutation(graph(), POOL),
        repair=ops.CanonicalRepair(),
        eliminate_duplicates=ops.CanonicalDuplicates(),
    )


def _nsga2(sampling, crossover, mutation, kind=NSGA2, **options):
    return lambda: kind(
        pop_size=10, sampling=sampling(), crossover=crossover(), mutation=mutation(), **options
    )


def _links():
    return {
        "sampling": ops.MSTInterestingnessSampling(),
        "crossover": UniformCrossover(prob=1.0),
        "mutation": ops.NeighborBiasedMutation(),
    }


def _chc(**options):
    return lambda: algorithms.CHC(
        10,
        ops.PartitionSampling("random"),
        ops.AlignedHUX(),
        ops.ImprovementMutation(),
        threshold=2,
        n_keep=3,
        **options,
    )


# Name of the case to a problem, by its name in the registry or itself, and what makes the algorithm.
EVOLVED = {
    "NSGA2 labels": (LABELS, labels_nsga2),
    "NSGA2 medoids": (
        MEDOIDS,
        _nsga2(
            ops.MedoidSampling,
            ops.PrefixUnionCrossover,
            ops.MedoidReplaceMutation,
            survival=ops.ConstraintCrowdingSurvival(),
            repair=ops.MedoidSetRepair(),
        ),
    ),
    "NSGA2 neighbours": (
        NEIGHBORS,
        _nsga2(
            ops.NeighborSampling,
            ops.UniformNeighborCrossover,
            lambda: ops.NeighborResample(0.3),
            survival=ops.DynamicDiversitySurvival(),
        ),
    ),
    "NSGA2 ranks": (NEIGHBORS, _nsga2(ops.NeighborSampling, ops.RankSBX, lambda: ops.RankPM(0.3))),
    "NSGA2 seeds": (SEEDS, _nsga2(ops.SeedSampling, ops.AlignedSeedCrossover, ops.DistantSeedMutation)),
    "NSGA2 weights": (WEIGHTS, _nsga2(ops.SparseRowSampling, ops.RowUniformCrossover, ops.SupportMutation)),
    "NSGA2 modes": (MODES, _nsga2(ops.ModesSampling, UniformCrossover, ops.ModesMutation)),
    "NSGA2 links": (LINKS, lambda: NSGA2(pop_size=10, **_links())),
    "NSGA2 random survival": (
        NEIGHBORS,
        _nsga2(
            ops.NeighborSampling,
            ops.UniformNeighborCrossover,
            lambda: ops.NeighborResample(0.3),
            survival=ops.RandomSurvival(),
        ),
    ),
    "GA centres": (
        CENTERS,
        _nsga2(
            ops.EncodingSampling,
            ops.CenterMatchingCrossover,
            ops.RelocateCenter,
            kind=GA,
            repair=ops.LocalSearchRepair(),
        ),
    ),
    "GA slots": (
        SLOTS,
        _nsga2(
            ops.EncodingSampling,
            ops.SlotOnePointCrossover,
            ops.SlotMutation,
            kind=GA,
            repair=ops.EncodingRepair(),
        ),
    ),
    "AMOSA reals": ("zdt1", lambda: algorithms.AMOSA(**ANNEALING, perturb=algorithms.LaplaceNoise(0.2))),
    "AMOSA defaults": ("zdt2", lambda: algorithms.AMOSA(**ANNEALING)),
    "AMOSA literal": ("zdt2", lambda: algorithms.AMOSA(**ANNEALING, acceptance="literal")),
    "PESA2 boxes": (LINKS, lambda: algorithms.PESA2(n_init=12, archive_size=8, n_bins=4, **_links())),
    "PESA2 zdt1": ("zdt1", lambda: algorithms.PESA2(n_init=12, archive_size=8)),
    "CHC bags": (BAGS, _chc()),
    "CHC no acceptance": (BAGS, _chc(threshold_rule="no_acceptance", step=0.5)),
    "CHC divergence": (BAGS, _chc(divergence=0.35)),
}


def _problem(name):
    return get_problem(name, n_var=5) if name.startswith("zdt") else problem_of(name)


def _evolve(name, make):
    recorder = algorithms.Recorder()
    result = algorithms.evolve(_problem(name), make(), n_gen=6, seed=7, recorder=recorder)
    return {"pop": result.pop, "result": result, "history": recorder}


def _resumed():
    problem = problem_of(LABELS)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "search", every=2)
        algorithms.evolve(problem, labels_nsga2(), n_gen=3, seed=7, checkpoint=checkpoint)
        recorder = algorithms.Recorder()
        result = algorithms.evolve(
            problem, labels_nsga2(), n_gen=6, seed=99, checkpoint=checkpoint, recorder=recorder
        )
    return {"pop": result.pop, "result": result, "history": recorder}


def _drive_pymoo():
    search = algorithms.PymooSearch(problem_of(LABELS), labels_nsga2(), seed=5)
    recorder = algorithms.Recorder()
    ended = algorithms.drive(search, n_gen=4, recorder=recorder)
    arrays, _ = search.state()
    return {
        "result": search.result(),
        "history": recorder,
        "interrupted": ended,
        "state": sorted(arrays),
        "generation": search.generation,
    }


STEPS = {
    "GkaStep": lambda: algorithms.GkaStep(mutpb=0.5, kmpb=0.3),
    "GcukStep": lambda: algorithms.GcukStep(cxpb=0.6, mutpb=0.5),
    "ChcStep": lambda: algorithms.ChcStep(mutpb=0.5, kmpb=0.3, threshold=2, n_keep=3),
    "ChcStep no acceptance": lambda: algorithms.ChcStep(
        mutpb=0.3, threshold=2, n_keep=3, threshold_rule="no_acceptance", mutate="population", max_evals=60
    ),
    "MemeticChcStep": lambda: algorithms.MemeticChcStep(optima=0.5, threshold=2, n_keep=3),
}


def _drive_steps(step):
    found = {}
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        toolbox = deap_room.bag_toolbox(deap_operators.objective(), rng)
        hall = deap_tools.HallOfFame(3, similar=np.array_equal)
        search = algorithms.DeapSearch(
            toolbox,
            step(),
            rng=rng,
            pop_size=10,
            hall_of_fame=hall,
            statistics=algorithms.finite_statistics(),
        )
        recorder = algorithms.Recorder()
        algorithms.drive(search, n_gen=5, recorder=recorder)
        found[f"population {seed}"] = search.population
        found[f"logbook {seed}"] = search.logbook
        found[f"hall of fame {seed}"] = hall
        found[f"history {seed}"] = recorder
        found[f"next draw {seed}"] = rng.random()
    return found


def _slots(rng):
    geometry = deap_operators.objective()
    distances = bag_distances(deap_operators.Bags.from_list(deap_operators.bags()))
    encoding = MedoidSlotEncoding(distances, 4)
    return deap_room.slot_toolbox(
        encoding, lambda genes: geometry.evaluate(encoding.decode(genes) % 3) + genes.mean(axis=1), rng
    )


def _drive_slots():
    rng = np.random.default_rng(2)
    search = algorithms.DeapSearch(
        _slots(rng), algorithms.GcukStep(cxpb=0.6, mutpb=0.5), rng=rng, pop_size=10
    )
    algorithms.drive(search, n_gen=5)
    return {"population": search.population, "logbook": search.logbook}


LOOPS = {
    "gka": {"mutpb": 0.8, "kmpb": 0.2},
    "gcuk": {"cxpb": 0.6, "mutpb": 0.5},
    "chc": {"mutpb": 0.5, "kmpb": 0.3, "threshold": 2, "n_keep": 3},
}


def _loop(name):
    found = {}
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        toolbox = _slots(rng) if name == "gcuk" else deap_room.bag_toolbox(deap_operators.objective(), rng)
        best = deap_tools.HallOfFame(2, similar=np.array_equal)
        population, logbook = getattr(algorithms, name)(
            toolbox.population(n=10), toolbox, 6, rng=rng, halloffame=best, **LOOPS[name]
        )
        found |= {f"population {seed}": population, f"logbook {seed}": logbook, f"best {seed}": best}
        found[f"next draw {seed}"] = rng.random()
    return found


def _medoid_sets():
    problem = problems.MedoidProblem(rows()[:9], k_max=3, metric="euclidean")
    result = algorithms.exhaustive_front(problem)
    constrained = problems.MedoidProblem(
        rows(), k_max=2, metric="euclidean", constraints=PAIRS, supervision="objective"
    )
    return {
        "count": algorithms.count_medoid_sets(12, 4),
        "sets": algorithms.enumerate_medoid_sets(7, 3),
        "front": result,
        "constrained": algorithms.exhaustive_front(constrained),
    }
