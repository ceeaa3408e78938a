"""Work that says where it is done, and waits to be killed in its middle."""

import os
import signal
import time
import uuid

import numpy as np
from sklearn.base import BaseEstimator

from moo_clustering import SISC
from moo_clustering.problems import PartitionProblem
from papers.runner import ResultTable, seed_of


def kill_marked(folder, process):
    """Kill a process, and let the work of the others go on."""
    os.kill(process, signal.SIGKILL)
    folder.with_suffix(".killed").touch()


def mark(folder):
    """Leave a file named after this process, if there is a folder; from the third on, wait for a kill."""
    if folder is not None:
        (folder / f"{os.getpid()}-{uuid.uuid4().hex}").touch()
        end = time.monotonic() + 600
        while len(os.listdir(folder)) > 2 and not folder.with_suffix(".killed").exists():
            assert time.monotonic() < end
            time.sleep(0.01)


class MarkedSISC(BaseEstimator):
    """A member of SISCEnsemble."""

    def __init__(self, folder=None, n_clusters=3, random_state=None):
        self.folder = folder
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, y):
        """Fit SISC."""
        mark(self.folder)
        self.model_ = SISC(n_clusters=self.n_clusters, random_state=self.random_state).fit(X, y)
        return self

    def predict_proba(self, X):
        """Of SISC."""
        return self.model_.predict_proba(X)


class MarkedProblem(PartitionProblem):
    """Marks every chunk."""

    folder = None

    def _evaluate(self, X, out, *args, **kwargs):
        mark(self.folder)
        super()._evaluate(X, out, *args, **kwargs)


class MeansPlan:
    """Means of random parts of a table."""

    parameters = {"rows": 50}  # noqa: RUF012
    cells = [{"part": part} for part in range(8)]  # noqa: RUF012

    def __init__(self, settings):
        self.folder = settings.data
        self.table = np.random.default_rng(0).random((300, 20))

    def data(self, key):
        """What a cell needs."""
        return self.folder, self.table

    @staticmethod
    def compute(key, data):
        """Value of a cell."""
        folder, table = data
        mark(folder)
        rows = np.random.default_rng(seed_of(key["part"])).choice(len(table), 50, replace=False)
        return table[rows].mean(axis=0).tolist()

    def tables(self, values):
        """All means."""
        rows = [[key["part"], *means] for key, means in zip(self.cells, values, strict=True)]
        return [ResultTable("means", "Means", ["part", *map(str, range(20))], rows)]

    def figures(self, values):
        """There are none."""
        return []
