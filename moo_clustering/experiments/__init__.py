"""The papers' protocols and tables: many small computations, in parallel and resumable.

An experiment is a plan: parameters, cells (one computation each, named by a key), and tables made of
the cells' values. :func:`run_cells` computes what a :class:`CellStore` does not hold yet;
:func:`find_experiment` gives the experiments by name, as ``moo-clustering reproduce`` does.
"""

from moo_clustering.experiments._cells import CellError, run_cells, seed_of
from moo_clustering.experiments._plan import Plan, Settings
from moo_clustering.experiments._registry import EXPERIMENTS, Experiment, find_experiment
from moo_clustering.experiments._reproduce import Reproduction, reproduce
from moo_clustering.experiments._store import CellStore, StoreError
from moo_clustering.experiments._tables import ResultFigure, ResultTable

__all__ = [
    "EXPERIMENTS",
    "CellError",
    "CellStore",
    "Experiment",
    "Plan",
    "Reproduction",
    "ResultFigure",
    "ResultTable",
    "Settings",
    "StoreError",
    "find_experiment",
    "reproduce",
    "run_cells",
    "seed_of",
]
