"""What is killed: a tiny run of every family. To cover a new family, list it here and in ``registry.py``.

A family has a name, ``whole(folder)``, the run that nothing disturbs, and ``run(folder)``, which begins in
a folder or goes on with what an earlier process left there. Both give what was found, by name.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from deap import tools
from kill_commands import COMMANDS
from kill_outcomes import of_model, of_search
from loop_toys import bits_toolbox
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.problems import get_problem
from sklearn.datasets import make_blobs

from moo_clustering.algorithms import (
    PESA2,
    ChcStep,
    DeapSearch,
    GcukStep,
    GkaStep,
    PymooSearch,
    Recorder,
    drive,
)
from moo_clustering.datasets import make_bags
from moo_clustering.persistence import Checkpoint
from tests.registry import ESTIMATORS

X, CLASSES = make_blobs(90, centers=3, n_features=4, cluster_std=2.5, random_state=1)
Y = np.where(np.arange(90) % 6 == 0, CLASSES, -1)
BAGS = make_bags(24, 3, bag_size=(1, 4), bag_std=5.0, random_state=0)
BAG_Y = np.where(np.arange(24) % 4 == 0, BAGS.labels, -1)
# Words of four topics in 60 documents.
TOPICS = np.arange(60) % 4
WORDS = (
    np.random.default_rng(0).random((60, 24)) < np.where(np.arange(24) // 6 == TOPICS[:, None], 0.8, 0.1)
) * 1.0
DATA = {"table": X, "categories": np.round(X / 2), "weights": WORDS, "presence": WORDS, "bags": BAGS.bags}
POOL = {"families": ("km", "ward", "genie", "spec"), "criterion": "modularity"}
CENTERS = {"ward_start": False, "pop_min": 3, "pop_max": 5, "max_distance_evaluations": 400_000}


@dataclass
class Model:
    """An estimator with a checkpoint, and options besides those of the registry."""

    # The estimator, and what tells its runs apart.
    name: str
    options: dict[str, Any]
    y: Any = None
    every: int = 1

    @property
    def setting(self):
        """The one of the registry, with these options."""
        return ESTIMATORS[self.name.split()[0]].vary(**self.options)

    def whole(self, folder):
        """Without a checkpoint."""
        return self._found()

    def run(self, folder):
        """Going on from the checkpoint, if there is one."""
        return self._found(checkpoint=folder / "run.npz", checkpoint_every=self.every, resume=True)

    def begun(self, folder):
        """Whether there is something to go on from."""
        return (folder / "run.npz").exists()

    def _found(self, **files):
        setting = self.setting
        return of_model(setting.make(random_state=3, **files).fit(DATA[setting.data], self.y))


@dataclass
class Bare:
    """A search of the user's own under ``drive``."""

    name: str
    make: Any
    n_gen: int = 60
    every: int = 2

    begun = Model.begun

    def whole(self, folder):
        """Without a checkpoint."""
        return self._found(None)

    def run(self, folder):
        """Going on from the checkpoint, if there is one."""
        return self._found(Checkpoint(folder / "run.npz", every=self.every))

    def _found(self, checkpoint):
        search, recorder = self.make(), Recorder()
        drive(search, n_gen=self.n_gen, recorder=recorder, checkpoint=checkpoint)
        return of_search(search, recorder)


def pymoo(make, problem="zdt1"):
    """Maker of a search with a pymoo algorithm."""
    return lambda: PymooSearch(get_problem(problem, n_var=8), make(), seed=5, n_gen=60)


def bits(make):
    """Maker of a search with bits by an algorithm of pymoo's interface."""
    return lambda: PymooSearch(
        get_problem("zdt5", m=3, n=5),
        make(sampling=BinaryRandomSampling(), crossover=UniformCrossover()),
        seed=5,
    )


def deap(step):
    """Maker of a search with a DEAP toolbox."""

    def make():
        rng = np.random.default_rng(5)
        best = tools.HallOfFame(3, similar=np.array_equal)
        return DeapSearch(bits_toolbox(rng), step(), rng=rng, pop_size=14, hall_of_fame=best)

    return make


def genetic(name, **options):
    """An estimator of bags."""
    return Model(name, {"n_clusters": 3, "pop_size": 10, "n_gen": 25, **options}, BAG_Y, 2)


SEARCH, FEW = {"pop_size": 16, "n_gen": 15}, {"pop_size": 10, "n_gen": 8}
FAMILIES = [
    Model("NSGA2Clus", {**SEARCH, "metric": "euclidean"}, y=Y),
    Model("NSGA2Clus deap", {**SEARCH, "engine": "deap", "metric": "euclidean"}, y=Y, every=2),
    Model("AMOSAClus", {"t_min": 1.0}, y=Y, every=2),
    Model("AMOSAClus centers", {"t_min": 1.0, "encoding": "center"}, y=Y),
    Model("EnsembleNMF", {"n_clusters": 4, "n_runs": 12}, every=1),
    Model("PESC", SEARCH, every=2),
    Model("PESC deap", {**SEARCH, "engine": "deap", "operators": "rank"}),
    Model("MOCK", {**SEARCH, "n_clusters": 3}, every=3),
    Model(
        "MOCK 2007",
        {**SEARCH, "encoding": "locus", "search": "pesa2", "init": "2007", "pc": 0.7, "n_clusters": None},
    ),
    Model("SRMOSC", {**SEARCH, "search": "nsga2"}),
    Model("FuzzyModesMOGA", SEARCH, every=2),
    Model("ICLClustering", {"pop_size": 10, "n_gen": 10}),
    Model("Regions", {**SEARCH, "n_regions": 3, "n_proposals": 500}, every=2),
    genetic("MIGKA"),
    genetic("MIFGKA"),
    genetic("MIGCUK"),
    genetic("CHCMIC"),
    genetic("MemeticCHCMIC", max_evals=20_000),
    Model(
        "NSGA2SISC", {"pop_size": 6, "n_gen": 6, "n_sweeps": 2},
        y=np.where(np.arange(60) % 3 == 0, TOPICS, -1),
    ),
    Model("ParetoClustering", {**POOL, "n_gen": 10, "pop_size": 10}, y=Y),
    Model("ParetoClustering deap", {**POOL, **FEW, "engine": "deap"}),
    Model("ParetoBagClustering", {"n_gen": 6, "pop_size": 10}, y=BAG_Y),
    Model("MemeticKMeans", {"n_clusters": 12, **CENTERS}),
    Model("MemeticKMeans deap", {"n_clusters": 12, "engine": "deap", **CENTERS}, every=2),
    Model("MemeticKMeans swap", {"n_clusters": 12, "strategy": "swap", **CENTERS}),
    Model("MemeticKMeans starts", {"n_clusters": 12, "strategy": "multistart", **CENTERS}),
    Bare("drive NSGA2", pymoo(lambda: NSGA2(pop_size=16))),
    Bare("drive SPEA2", pymoo(lambda: SPEA2(pop_size=16))),
    Bare("drive PESA2", bits(lambda **options: PESA2(mutation=BitflipMutation(), **options))),
    Bare("drive DEAP chc", deap(lambda: ChcStep(threshold=13, step=13, n_keep=3))),
    Bare("drive DEAP gka", deap(GkaStep)),
    Bare("drive DEAP gcuk", deap(GcukStep)),
    *COMMANDS,
]  # fmt: skip
