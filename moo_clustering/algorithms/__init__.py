"""Search loops: what runs them, and those that pymoo and DEAP lack.

:func:`drive` runs any :class:`Search` with progress, history, checkpoints and an orderly Ctrl-C;
:class:`PymooSearch` and :class:`DeapSearch` make searches of pymoo algorithms and DEAP toolboxes, and
:func:`evolve` is all of it in one call for a pymoo problem.
"""

from moo_clustering.algorithms.amosa import AMOSA, LaplaceNoise
from moo_clustering.algorithms.deap_loops import ChcStep, GcukStep, GkaStep, MemeticChcStep, chc, gcuk, gka
from moo_clustering.algorithms.deap_search import DeapSearch
from moo_clustering.algorithms.others import (
    CHC,
    PESA2,
    RandomDraws,
    bag_nsga2,
    best_of_random,
    count_medoid_sets,
    enumerate_medoid_sets,
    exhaustive_front,
)
from moo_clustering.algorithms.pymoo_search import PymooSearch, RowTableEvaluator, evolve
from moo_clustering.algorithms.search import (
    Checkpointable,
    ExhaustedSearchWarning,
    InterruptedSearchWarning,
    Recorder,
    Search,
    drive,
    finite_statistics,
)

__all__ = [
    "AMOSA",
    "CHC",
    "PESA2",
    "ChcStep",
    "Checkpointable",
    "DeapSearch",
    "ExhaustedSearchWarning",
    "GcukStep",
    "GkaStep",
    "InterruptedSearchWarning",
    "LaplaceNoise",
    "MemeticChcStep",
    "PymooSearch",
    "RandomDraws",
    "Recorder",
    "RowTableEvaluator",
    "Search",
    "bag_nsga2",
    "best_of_random",
    "chc",
    "count_medoid_sets",
    "drive",
    "enumerate_medoid_sets",
    "evolve",
    "exhaustive_front",
    "finite_statistics",
    "gcuk",
    "gka",
]
