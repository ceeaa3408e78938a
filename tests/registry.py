"""Every public estimator once: what it is fitted to, settings that take a moment, and data of that kind.

The contract suite (``contract/estimators.py``), the tests on any machine (``any_machine/machine_cases.py``),
fuzzing (``fuzz/estimators.py``) and the kills (``faults/kill_families.py``) read it and add options of their
own. A new estimator gets an entry here.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering import estimators as public
from moo_clustering.datasets import make_bags


def blobs(seed, noise=1.0):
    """48 points around the corners of a triangle far from the origin, a quarter of them with a class."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(48) % 3)
    turn = rng.uniform(0, 2 * np.pi) + classes * 2 * np.pi / 3
    corners = np.column_stack([20 + 6 * np.cos(turn), 20 + 6 * np.sin(turn)])
    return corners + rng.normal(0, 0.7 * noise, (48, 2)), classes, _partly(classes, 4)


def counts(seed, noise=1.0):
    """45 documents on three topics, each with ten words of its own, and ten that all have."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(45) % 3)
    rates = np.full((3, 40), 0.1 * noise)
    rates[:, 30:] = 1.0
    for topic in range(3):
        rates[topic, 10 * topic : 10 * topic + 10] = 2.0
    return rng.poisson(rates[classes]).astype(float), classes, _partly(classes, 4)


def presence(seed, noise=1.0):
    """Which words the documents have, with the topic as the only label of some of them."""
    X, classes, partly = counts(seed, noise)
    return (X > 0).astype(float), classes, partly


def answers(seed, noise=1.0):
    """60 rows of eight questions with four answers, of which each class prefers one."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(60) % 3)
    chance = rng.random((60, 8)) < 0.15 * noise
    given = np.where(chance, rng.integers(0, 4, (60, 8)), classes[:, None])
    frame = pd.DataFrame(np.array(list("abcd"))[given], columns=[f"q{i}" for i in range(8)])
    return frame, classes, None


def bags(seed, noise=1.0):
    """24 bags of instances from two places."""
    table = make_bags(24, 2, bag_std=noise, outlying=0.0, random_state=seed)
    return table.bags, table.labels, None


def _partly(classes, n_known):
    known = np.concatenate([np.flatnonzero(classes == c)[:n_known] for c in range(3)])
    partly = np.full(len(classes), -1)
    partly[known] = classes[known]
    return partly


# Makers of samples, their classes and a few known ones: seed and noise.
DATA = {"table": blobs, "weights": counts, "presence": presence, "categories": answers, "bags": bags}


@dataclass(frozen=True)
class Setting:
    """One estimator with options that keep it quick.

    Parameters
    ----------
    class_name : str
    data : {"table", "weights", "presence", "categories", "bags"}
        What it is made for.
    options : mapping
    targets : {"classes", "label sets"}
        What a good ``y`` is.
    constraints : bool
        Whether ``fit`` takes pairs.
    clusters : bool
        Whether it leaves ``labels_``.
    """

    class_name: str
    data: str = "table"
    options: Mapping[str, Any] = field(default_factory=dict)
    targets: str = "classes"
    constraints: bool = False
    clusters: bool = True

    def __str__(self):
        plain = [value for value in self.options.values() if isinstance(value, str)]
        return "-".join([self.class_name, *plain])

    @property
    def cls(self):
        """The class."""
        return _WITH_NEIGHBORS.get(self.class_name) or getattr(public, self.class_name)

    @property
    def saves(self):
        """Whether it writes checkpoints."""
        return "checkpoint" in inspect.signature(self.cls).parameters

    def make(self, **options):
        """The estimator, with some options changed."""
        return self.cls(**{"random_state": 0, **self.options, **options})

    def vary(self, data=None, **options):
        """The same estimator with other options, for other data."""
        return replace(self, data=data or self.data, options={**self.options, **options})


class Regions(public.Regions):
    """Regions of samples in a row, for suites that pass samples alone."""

    def fit(self, X, y=None, **options):
        """Fit with the neighbours in the row."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        row = np.diag(np.ones(max(n - 1, 0)), 1)
        return super().fit(X, y, **{"graph": row + row.T, **options})


_WITH_NEIGHBORS = {"Regions": Regions}


def _paired(class_name, data="table", **options):
    return Setting(class_name, data, options, constraints=True)


def _labelled(class_name, *, clusters=True, **options):
    return Setting(class_name, "presence", options, "label sets", clusters=clusters)


# Options of small searches.
SEARCH = {"pop_size": 8, "n_gen": 3}

ESTIMATORS = {
    setting.class_name: setting
    for setting in (
        _paired("AMOSAClus", k_max=4, annealing={"n_climb": 2, "t_max": 1.0, "t_min": 0.3}),
        _paired("NSGA2Clus", k_max=4, **SEARCH),
        _paired("PCKMeans", n_clusters=3, n_init=2),
        _paired("HMRFKMeans", n_clusters=3, n_init=2),
        _paired("MetricKMeans", n_clusters=3, n_init=2),
        _paired("PESC", n_clusters=3, **SEARCH),
        _paired("SpectralGraphClustering", n_clusters=3),
        _paired("ParetoClustering", families=("km", "ward", "genie"), k_range=(2, 3, 4)),
        _paired("MOCK", **SEARCH),
        _paired("SRMOSC", n_clusters=3),
        _paired("SubspaceMixture", n_clusters=3, n_swaps=5),
        Setting("ICLClustering", "table", {"pop_size": 6, "n_gen": 2, "k_max": 8}),
        Setting("Regions", "table", {"n_regions": 3, "n_proposals": 500, **SEARCH}),
        Setting("MemeticKMeans", "table", {"n_clusters": 3, "max_stall": 40}),
        Setting("ConstrainedKMeans", "table", {"n_clusters": 3, "n_init": 2}),
        Setting("FuzzyCMeans", "table", {"n_clusters": 3, "n_init": 2}),
        Setting("GustafsonKessel", "table", {"n_clusters": 3, "n_init": 2}),
        Setting("FuzzyModesMOGA", "categories", {"n_clusters": 3, **SEARCH}),
        Setting("EnsembleNMF", "weights", {"n_clusters": 3, "n_runs": 3}),
        Setting("NMFClustering", "weights", {"n_clusters": 3}),
        Setting("SphericalKMeans", "weights", {"n_clusters": 3, "n_init": 2}),
        _labelled("EntropyWeightedKMeans", n_clusters=3),
        _labelled("SCAD2", n_clusters=3, max_iter=3),
        _labelled("SISC", n_clusters=6, max_iter=3),
        _labelled("NSGA2SISC", n_clusters=4, **SEARCH),
        _labelled("SISCEnsemble", n_clusters=(3, 4), n_estimators=2, clusters=False),
        _labelled("SISCStacked", cv=2, weights=(0.0, 0.5), clusters=False),
        _labelled("MetaLabeler", clusters=False),
        _labelled("PrunedSetsEnsemble", n_estimators=2, clusters=False),
        _paired("BAMIC", "bags"),
        _paired("MIKMeans", "bags"),
        _paired("MIGKA", "bags", **SEARCH),
        _paired("MIFGKA", "bags", **SEARCH),
        _paired("MIGCUK", "bags", **SEARCH),
        _paired("CHCMIC", "bags", **SEARCH),
        _paired("MemeticCHCMIC", "bags", **SEARCH),
        _paired("ParetoBagClustering", "bags", k_range=(2, 3)),
    )
}
