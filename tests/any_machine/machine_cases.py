"""Every public estimator on small data, drawn with a seed, on which it has something to find.

A new estimator is covered by an entry in ``CASES``, beside the one in ``tests/registry.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sklearn.metrics import adjusted_rand_score

import moo_clustering as moo
from tests.registry import DATA, ESTIMATORS


@dataclass(frozen=True, eq=False)
class Case:
    """An estimator, options besides those of the registry, and what it must achieve for every seed."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    supervised: bool = False
    # Adjusted Rand index, well below what is typical.
    at_least: float = 0.9

    def data(self, seed, noise=1.0):
        """Samples, their classes, and those of a few samples."""
        return DATA[ESTIMATORS[self.name].data](seed, noise)

    def model(self, seed, **options):
        """Not fitted."""
        return ESTIMATORS[self.name].make(**{**self.options, "random_state": seed, **options})

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


_BAGS = {"min_cluster_size": 4}
_SISC = moo.SISC(6, max_iter=3)
_SUBSPACE = {"n_clusters": 6, "max_iter": 5}

CASES = {
    case.name: case
    for case in (
        Case(
            "AMOSAClus",
            {"metric": "euclidean", "annealing": {"n_moves": 20, "n_climb": 3, "t_max": 1.0, "t_min": 0.5}},
            True,
        ),
        Case("NSGA2Clus", {"metric": "euclidean", "search": "evolve"}, True, 0.6),
        Case("PCKMeans", {"n_init": 3}, True),
        Case("HMRFKMeans", {"n_init": 3}, True),
        Case("MetricKMeans", {}, True),
        Case("PESC"),
        Case("SpectralGraphClustering"),
        Case("ParetoClustering", {"families": ("km", "ward", "genie", "gmm")}),
        Case("MOCK", {"n_controls": 1, "pop_size": 10, "n_gen": 4}, at_least=0.5),
        Case("SRMOSC", {"n_candidates": 3, "final": "consensus"}),
        Case("SubspaceMixture", {"n_swaps": 30}, True),
        Case("MemeticKMeans", {"pop_min": 3, "pop_max": 5, "max_stall": 3}),
        Case("ConstrainedKMeans", {"n_init": 5, "min_cluster_size": 4}),
        Case("FuzzyCMeans"),
        Case("GustafsonKessel"),
        Case("FuzzyModesMOGA", at_least=0.5),
        Case("ICLClustering", at_least=0.8),
        Case("Regions", at_least=-1.0),
        Case("EnsembleNMF", {"n_runs": 6, "input": "counts"}),
        Case("NMFClustering", {"n_init": 3}),
        Case("SphericalKMeans", {"n_init": 5}),
        Case("EntropyWeightedKMeans", {"n_clusters": 6, "n_init": 2}, at_least=0.1),
        Case("SCAD2", _SUBSPACE, at_least=0.1),
        Case("SISC", _SUBSPACE, True, 0.5),
        Case("NSGA2SISC", {"n_clusters": 6, "n_sweeps": 1, "pop_size": 4, "n_gen": 2}, True, 0.3),
        Case("SISCEnsemble", {"sisc": _SISC, "n_clusters": (4, 6)}, True),
        Case("SISCStacked", {"sisc": _SISC}, True),
        Case("MetaLabeler", supervised=True),
        Case("PrunedSetsEnsemble", {"n_estimators": 3, "min_count": 1}, True),
        Case("BAMIC", {"n_init": 5}),
        Case("MIKMeans", {"n_init": 5}),
        Case("MIGKA", _BAGS, at_least=0.5),
        Case("MIFGKA", _BAGS, at_least=0.5),
        Case("MIGCUK", _BAGS, at_least=0.5),
        Case("CHCMIC", _BAGS | {"pop_size": 14, "n_gen": 8}, at_least=0.5),
        Case("MemeticCHCMIC", {"pop_size": 6}),
        Case("ParetoBagClustering", {"distances": ("symmetric",), "embeddings": ("mean",)}),
    )
}


@lru_cache(maxsize=80)
def fitted(name, seed, noise=1.0):
    """The model of a case, which several tests look at and none changes."""
    return CASES[name].fit(seed, noise)
