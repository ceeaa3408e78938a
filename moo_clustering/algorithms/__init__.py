"""Search loops: what runs them, and those that pymoo and DEAP lack.

:func:`drive` runs any :class:`Search` with progress, history, checkpoints and an orderly Ctrl-C;
:class:`PymooSearch` and :class:`DeapSearch` make searches of pymoo algorithms and DEAP toolboxes, and
:func:`evolve` is all of it in one call for a pymoo problem.
"""

from moo_clustering.algorithms._amosa import AMOSA
from moo_clustering.algorithms._deap_search import DeapSearch
from moo_clustering.algorithms._drive import drive
from moo_clustering.algorithms._evolve import evolve
from moo_clustering.algorithms._exhaustive import count_medoid_sets, enumerate_medoid_sets, exhaustive_front
from moo_clustering.algorithms._laplace_noise import LaplaceNoise
from moo_clustering.algorithms._pymoo_search import PymooSearch
from moo_clustering.algorithms._recorder import Recorder
from moo_clustering.algorithms._search import Checkpointable, Search
from moo_clustering.algorithms._warnings import ExhaustedSearchWarning, InterruptedSearchWarning

__all__ = [
    "AMOSA",
    "Checkpointable",
    "DeapSearch",
    "ExhaustedSearchWarning",
    "InterruptedSearchWarning",
    "LaplaceNoise",
    "PymooSearch",
    "Recorder",
    "Search",
    "count_medoid_sets",
    "drive",
    "enumerate_medoid_sets",
    "evolve",
    "exhaustive_front",
]
