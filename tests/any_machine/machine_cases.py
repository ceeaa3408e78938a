"""Every public estimator on small data, drawn with a seed, on which it has something to find.

A new estimator is covered by an entry in ``CASES``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

import moo_clustering as moo
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


def words(seed, noise=1.0):
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


@dataclass(frozen=True, eq=False)
class Case:
    """An estimator with options that take a moment, and what it must achieve for every seed."""

    name: str
    data: Callable[..., tuple[Any, Any, Any]]
    options: Mapping[str, Any] = field(default_factory=dict)
    supervised: bool = False
    # Adjusted Rand index, well below what is typical.
    at_least: float = 0.9

    def model(self, seed, **options):
        """Not fitted."""
        return getattr(moo, self.name)(**{**self.options, "random_state": seed, **options})

    def fit(self, seed, noise=1.0, convert=lambda X: X, **options):
        """Fitted to the data of this seed."""
        X, _, y = self.data(seed, noise)
        return self.model(seed, **options).fit(convert(X), *([y] if self.supervised else []))

    def found(self, model, seed, noise=1.0):
        """A class for each sample where there are classes to be had, otherwise a cluster."""
        if hasattr(model, "multilabel_") and self.supervised:
            return model.predict_proba(self.data(seed, noise)[0]).argmax(axis=1)
        return model.labels_

    def outcome(self, model, seed, noise=1.0):
        """All that must not depend on the machine, as arrays."""
        arrays = [self.found(model, seed, noise)]
        arrays += [getattr(model, name) for name in ("labels_", "pareto_front_") if hasattr(model, name)]
        if self.supervised and hasattr(model, "predict_proba"):
            arrays.append(model.predict_proba(self.data(seed, noise)[0]))
        return arrays

    def agreement(self, model, seed):
        """Adjusted Rand index with the classes of the data."""
        return adjusted_rand_score(self.data(seed)[1], self.found(model, seed))


_SEARCH = {"pop_size": 8, "n_gen": 3}
_MEDOIDS = {"metric": "euclidean", "k_max": 4}
_SUBSPACE = {"n_clusters": 6, "max_iter": 5}
_SISC = moo.SISC(6, max_iter=3)
_BAGS = {"min_cluster_size": 4, **_SEARCH}

CASES = {
    case.name: case
    for case in (
        Case("AMOSAClus", blobs, _MEDOIDS | {"n_moves": 20, "n_climb": 3, "t_max": 1.0, "t_min": 0.5}, True),
        Case("NSGA2Clus", blobs, _MEDOIDS | {"search": "evolve"} | _SEARCH, True, 0.6),
        Case("PCKMeans", blobs, {"n_clusters": 3, "n_init": 3}, True),
        Case("HMRFKMeans", blobs, {"n_clusters": 3, "n_init": 3}, True),
        Case("MetricKMeans", blobs, {"n_clusters": 3, "n_init": 2, "metric_max_iter": 100}, True),
        Case("PESC", blobs, {"n_clusters": 3, **_SEARCH}),
        Case("SpectralGraphClustering", blobs, {"n_clusters": 3}),
        Case("ParetoClustering", blobs, {"k_range": (2, 3, 4), "families": ("km", "ward", "genie", "gmm")}),
        Case("MOCK", blobs, {"n_controls": 1, "pop_size": 10, "n_gen": 4}, at_least=0.5),
        Case("SRMOSC", blobs, {"n_clusters": 3, "n_candidates": 3, "final": "consensus"}),
        Case("MemeticKMeans", blobs, {"n_clusters": 3, "pop_min": 3, "pop_max": 5, "max_stall": 3}),
        Case("FuzzyModesMOGA", answers, {"n_clusters": 3, **_SEARCH}, at_least=0.5),
        Case("EnsembleNMF", counts, {"n_clusters": 3, "n_runs": 6, "input": "counts"}),
        Case("NMFClustering", counts, {"n_clusters": 3, "n_init": 3}),
        Case("SphericalKMeans", counts, {"n_clusters": 3, "n_init": 5}),
        Case("EntropyWeightedKMeans", words, {"n_clusters": 6, "n_init": 2}, at_least=0.1),
        Case("SCAD2", words, _SUBSPACE, at_least=0.1),
        Case("SISC", words, _SUBSPACE, True, 0.5),
        Case("NSGA2SISC", words, {"n_clusters": 6, "n_sweeps": 1, "pop_size": 4, "n_gen": 2}, True, 0.3),
        Case("SISCEnsemble", words, {"sisc": _SISC, "n_clusters": (4, 6), "n_estimators": 2}, True),
        Case("SISCStacked", words, {"sisc": _SISC, "cv": 2, "weights": (0.0, 0.5)}, True),
        Case("MetaLabeler", words, {}, True),
        Case("PrunedSetsEnsemble", words, {"n_estimators": 3, "min_count": 1}, True),
        Case("BAMIC", bags, {"n_init": 5}),
        Case("MIKMeans", bags, {"n_init": 5}),
        Case("MIGKA", bags, _BAGS, at_least=0.5),
        Case("MIFGKA", bags, _BAGS, at_least=0.5),
        Case("MIGCUK", bags, _BAGS, at_least=0.5),
        Case("CHCMIC", bags, {"min_cluster_size": 4, "pop_size": 14, "n_gen": 8}, at_least=0.5),
        Case("MemeticCHCMIC", bags, {"pop_size": 6, "n_gen": 3}),
        Case(
            "ParetoBagClustering",
            bags,
            {"k_range": (2, 3), "distances": ("symmetric",), "embeddings": ("mean",)},
        ),
    )
}


@lru_cache(maxsize=80)
def fitted(name, seed, noise=1.0):
    """The model of a case, which several tests look at and none changes."""
    return CASES[name].fit(seed, noise)
