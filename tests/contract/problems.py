"""Every problem of the package, small, with genes of a first population; operators are tried on them."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from contract.estimators import CLASSES, GRID, PARTLY, bags, rows, words
from moo_clustering import operators as ops
from moo_clustering import problems, validity
from moo_clustering.bags import Bags, bag_distances
from moo_clustering.constraints import ClusterSizes, Contiguity, Kept, PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, MedoidEncoding, MedoidSlotEncoding, RegionEncoding
from moo_clustering.graphs import knn_graph, neighbor_lists
from moo_clustering.validity.internal import SumOfSquares

PAIRS = PairwiseConstraints([(0, 3)], [(0, 1), (1, 2)], n_samples=24)
PARTLY_KNOWN = np.where(np.arange(24) % 4 == 0, CLASSES, -1)
POOL = np.array([CLASSES, np.arange(24) // 8, np.arange(24) % 2, np.arange(24) // 6], dtype=np.int32)


@dataclass(frozen=True, eq=False)
class ProblemCase:
    """A problem, what makes its first population, and how much of its data a pickle may hold.

    ``most`` bounds the bytes of a pickle; ``ships_again`` says why it holds some arrays more than once.
    """

    of: str
    make: Callable[[], Any]
    sampling: Callable[[], Any] = ops.EncodingSampling
    most: int = 20_000
    ships_again: str = ""


@functools.cache
def graph():
    """Similarities of the samples."""
    return knn_graph(lists(), 5)


@functools.cache
def lists():
    """Neighbours of all samples."""
    return neighbor_lists(rows(), 23, rng=np.random.default_rng(0))


def labels_problem():
    """Partitions by cluster numbers, two objectives."""
    return problems.PartitionProblem(rows(), LabelEncoding(24, 5), ["davies_bouldin", "connectivity"])


def limited_problem():
    """Partitions under limits."""
    limits = [ClusterSizes(2, 20), Contiguity(graph()), Kept(CLASSES, 0.9)]
    return problems.PartitionProblem(rows(), LabelEncoding(24, 5), ["davies_bouldin"], limits=limits)


def medoid_problem():
    """Sets of medoids under constraints."""
    return problems.MedoidProblem(
        rows(), k_max=4, metric="euclidean", constraints=PAIRS, supervision="objective"
    )


def slot_problem():
    """Slots for medoids of bags, by distances that are not symmetric."""
    instances = Bags.from_list(bags())
    encoding = MedoidSlotEncoding(bag_distances(instances), 4)
    return problems.PartitionProblem(instances, encoding, ["bag_silhouette"])


def region_problem():
    """Connected regions of a grid, with loads within bounds."""
    encoding = RegionEncoding(GRID, 3, low=6, high=10)
    indices = [validity.CutEdges().fit(GRID), validity.ChangedShare().fit(np.arange(24) // 8)]
    return problems.PartitionProblem(None, encoding, [SumOfSquares().fit(rows()), *indices])


def bag_problem():
    """Partitions of bags."""
    return problems.BagPartitionProblem(bags(), 3, min_cluster_size=2)


def seed_problem():
    """Documents as seeds of clusters."""
    return problems.SubspaceClusteringProblem(words(), PARTLY, n_seeds=4, k_min=2, n_sweeps=1)


def hull_problem():
    """Rows of weights."""
    return problems.SRMOSCProblem(rows(), n_candidates=5, random_state=0)


def mock_problem():
    """Links of a spanning tree."""
    return problems.MOCKProblem(rows(), n_neighbors=4, random_state=0)


def selection_problem():
    """Runs of an ensemble."""
    return problems.EnsembleSelectionProblem(POOL, min_runs=2)


def feature_problem():
    """Subsets of features."""
    X = np.hstack([rows(), rows() ** 2])
    return problems.FeatureSubsetProblem(X, 3, partial_y=PARTLY_KNOWN, max_features=2)


def chunked_center_problem():
    """Centres of a table in parts."""
    names = ["sum_of_squares", "xie_beni"]
    return problems.ChunkedCenterProblem(rows(), 3, names, limits=[ClusterSizes(2, 20)])


def coarse():
    """Whole numbers, as categories."""
    return np.round(rows()).astype(int) - np.round(rows()).astype(int).min()


PROBLEMS = {
    "BagMedoidProblem": ProblemCase("BagMedoidProblem", lambda: problems.BagMedoidProblem(bags(), 4)),
    "BagPartitionProblem": ProblemCase(
        "BagPartitionProblem", bag_problem, lambda: ops.PartitionSampling("random"), most=40_000
    ),
    "ChunkedCenterProblem": ProblemCase("ChunkedCenterProblem", chunked_center_problem),
    "ChunkedProblem": ProblemCase(
        "ChunkedProblem", lambda: problems.ChunkedProblem(labels_problem(), chunk_size=3, n_jobs=1)
    ),
    "EnsembleSelectionProblem": ProblemCase("EnsembleSelectionProblem", selection_problem, lambda: _Bits()),
    "FeatureSubsetProblem": ProblemCase("FeatureSubsetProblem", feature_problem),
    "FuzzyModesProblem": ProblemCase(
        "FuzzyModesProblem", lambda: problems.FuzzyModesProblem(coarse(), 3), ops.ModesSampling
    ),
    "MOCKProblem": ProblemCase("MOCKProblem", mock_problem, ops.MSTInterestingnessSampling),
    "MedoidProblem": ProblemCase("MedoidProblem", medoid_problem, ops.MedoidSampling),
    "NeighborGraphProblem": ProblemCase(
        "NeighborGraphProblem", lambda: problems.NeighborGraphProblem(lists()), ops.NeighborSampling
    ),
    "PartitionProblem": ProblemCase("PartitionProblem", labels_problem),
    "PartitionProblem, medoids": ProblemCase(
        "PartitionProblem",
        lambda: problems.PartitionProblem(
            rows(), MedoidEncoding(rows(), 4), ["silhouette"], constraints=PAIRS
        ),
        ships_again="an index and an encoding, made apart, have the distances each",
    ),
    "PartitionProblem, limits": ProblemCase("PartitionProblem", limited_problem),
    "PartitionProblem, regions": ProblemCase("PartitionProblem", region_problem),
    "PartitionProblem, slots": ProblemCase("PartitionProblem", slot_problem, ops.EncodingSampling),
    "SRMOSCProblem": ProblemCase("SRMOSCProblem", hull_problem, ops.SparseRowSampling),
    "SubspaceClusteringProblem": ProblemCase("SubspaceClusteringProblem", seed_problem, ops.SeedSampling),
    "SumOfSquaresProblem": ProblemCase(
        "SumOfSquaresProblem", lambda: problems.SumOfSquaresProblem(rows(), 3)
    ),
}


class _Bits:
    """A first population of choices."""

    def do(self, problem, n, random_state):
        from pymoo.core.population import Population

        return Population.new(X=random_state.integers(0, 2, (n, problem.n_var)).astype(bool))


@functools.cache
def problem_of(name):
    """The problem of a case, made once."""
    return PROBLEMS[name].make()


def first_population(name, n=8, seed=0):
    """Its first population; the same for the same seed."""
    return PROBLEMS[name].sampling().do(problem_of(name), n, random_state=np.random.default_rng(seed))


def evaluated(name, n=8, seed=0):
    """A first population with objectives."""
    population = first_population(name, n, seed)
    out = problem_of(name).evaluate(population.get("X"), return_as_dictionary=True)
    for key in ("F", "G"):
        if out.get(key) is not None:
            population.set(key, out[key])
    return population
