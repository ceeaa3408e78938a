"""PESC and the evolutionary methods it is compared with, as runs of the PESC tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from moo_clustering.consensus import cspa
from moo_clustering.estimators import MOCK, PESC, SRMOSC, FuzzyModesMOGA
from moo_clustering.experiments.pesc._given import Found, Given, fitted, timed

ENSEMBLES = ("es1", "es2", "es3")


def pesc_model(given: Given, reading: str, **options: Any) -> PESC:
    """PESC in a reading; further options override."""
    make: Callable[..., PESC] = PESC.paper if reading == "paper" else PESC
    literal = {"es1_solver": "pso"} if reading == "paper" else {}
    return make(given.n_clusters, random_state=given.seed, **{**given.sizes, **literal, **options})


def pesc(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """The three ensembles of one population."""
    return _ensembles(pesc_model(given, reading), given, "")


def pesc_joined(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """The same, with labels also written into the graph, as the other graphs have them."""
    return _ensembles(pesc_model(given, reading, must_link="clique"), given, ", must-links")


def generation_0(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """No evolution: ES2 over the non-dominated part of the initial population, and over all of it."""
    found = {}
    for over, name in (("nondominated", ""), ("population", ", whole population")):
        model, seconds = fitted(pesc_model(given, reading, n_gen=0, ensemble_over=over), given)
        found[f"generation 0{name}"] = Found(model.labels_, seconds)
    return found


def pesc_index(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """ES2 with crossover and mutation of sample numbers, as printed."""
    model, seconds = fitted(pesc_model(given, reading, operators="index"), given)
    return {"PESC_ES2, index operators": Found(model.labels_, seconds)}


def _ensembles(model: PESC, given: Given, suffix: str) -> dict[str, Found]:
    _, total = fitted(model, given)
    merged, seconds = {}, {}
    for ensemble in ENSEMBLES:
        _, seconds[ensemble] = timed(model.choose, ensemble)
        merged[ensemble] = model.labels_
    search = total - seconds["es2"]
    return {
        f"PESC_{ensemble.upper()}{suffix}": Found(labels, search + seconds[ensemble])
        for ensemble, labels in merged.items()
    }


def srmosc(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """Evolved with the paper's sizes, or row by row; the member of least ratio cut, and the mean."""
    model, seconds = fitted(srmosc_model(given, reading, final="consensus"), given)
    found = {"SRMOSC, consensus": Found(model.labels_, seconds)}
    _, extra = timed(model.choose, "rcut")
    return {"SRMOSC": Found(model.labels_, seconds + extra), **found}


def srmosc_model(given: Given, reading: str, **options: Any) -> SRMOSC:
    """SRMOSC in a reading."""
    solver: Any = "nsga2" if reading == "paper" else "hull"
    return SRMOSC(given.n_clusters, solver=solver, random_state=given.seed, **given.sizes, **options)


def mock(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """MOCK, CSPA of its front, and the best of its front by the classes."""
    model, seconds = fitted(_mock_model(given, reading), given)
    front = model.pareto_labels_
    merged, extra = timed(_consensus, front, given)
    return {
        "MOCK": Found(model.labels_, seconds),
        "CSPA of MOCK's front": Found(merged, seconds + extra),
        "MOCK, best of its front": Found(front, seconds),
    }


def semi_mock(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """MOCK with labels as a third objective, and with labels that only pick."""
    found = {}
    for supervision, name in (("objective", "Semi-MOCK"), ("select", "MOCK, picked by labels")):
        model, seconds = fitted(_mock_model(given, reading, supervision=supervision), given)
        found[name] = Found(model.labels_, seconds)
    return found


def _mock_model(given: Given, reading: str, **options: Any) -> MOCK:
    make: Callable[..., MOCK] = MOCK.pesc if reading == "paper" else MOCK
    return make(given.n_clusters, random_state=given.seed, **given.sizes, **options)


def moga(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """MOGA(pi, sep) and CSPA of its front, on categories or numbers as the set has them."""
    return _moga(given, given.is_nominal, "")


def moga_other(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """The same on numbers in five bins, or on codes as numbers."""
    return _moga(given, not given.is_nominal, ", other kind")


def _moga(given: Given, categories: bool, suffix: str) -> dict[str, Found]:
    X = given.X
    metric: Any = "hamming" if categories else "euclidean"
    if categories and given.is_nominal:
        # As fractions they would be put in bins; the codes of the file are as good as their ranks.
        X = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    model = FuzzyModesMOGA(given.n_clusters, metric=metric, random_state=given.seed, **given.sizes)
    _, seconds = timed(model.fit, X)
    merged, extra = timed(_consensus, model.pareto_labels_, given)
    return {
        f"MOGA(π,sep){suffix}": Found(model.labels_, seconds),
        f"CSPA{suffix}": Found(merged, seconds + extra),
    }


def _consensus(front: Any, given: Given) -> Any:
    return cspa(front, given.n_clusters, partitioner="svd", random_state=given.seed)
