"""Search loops: what runs them, and those that pymoo and DEAP lack.

:func:`drive` runs any :class:`Search` with progress, history, checkpoints and an orderly Ctrl-C;
:class:`PymooSearch` and :class:`DeapSearch` make searches of pymoo algorithms and DEAP toolboxes, and
:func:`evolve` is all of it in one call for a pymoo problem.
"""

from moo_clustering.algorithms._amosa import AMOSA
from moo_clustering.algorithms._bag_nsga2 import bag_nsga2
from moo_clustering.algorithms._best_of_random import RandomDraws, best_of_random
from moo_clustering.algorithms._chc import chc
from moo_clustering.algorithms._chc_pymoo import CHC
from moo_clustering.algorithms._chc_step import ChcStep
from moo_clustering.algorithms._deap_search import DeapSearch
from moo_clustering.algorithms._drive import drive
from moo_clustering.algorithms._evolve import evolve
from moo_clustering.algorithms._exhaustive import count_medoid_sets, enumerate_medoid_sets, exhaustive_front
from moo_clustering.algorithms._finite_statistics import finite_statistics
from moo_clustering.algorithms._gcuk import gcuk
from moo_clustering.algorithms._gcuk_step import GcukStep
from moo_clustering.algorithms._gka import gka
from moo_clustering.algorithms._gka_step import GkaStep
from moo_clustering.algorithms._laplace_noise import LaplaceNoise
from moo_clustering.algorithms._memetic_chc_step import MemeticChcStep
from moo_clustering.algorithms._pesa2 import PESA2
from moo_clustering.algorithms._pymoo_search import PymooSearch
from moo_clustering.algorithms._recorder import Recorder
from moo_clustering.algorithms._row_table_evaluator import RowTableEvaluator
from moo_clustering.algorithms._search import Checkpointable, Search
from moo_clustering.algorithms._warnings import ExhaustedSearchWarning, InterruptedSearchWarning

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
