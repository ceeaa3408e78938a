"""One run on one set for the PESC tables, and its scores."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from moo_clustering.estimators._scaling import scale_features
from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments._store import Key
from moo_clustering.experiments.pesc._given import Found, Given, Graph
from moo_clustering.experiments.pesc._parts import PARTS, warm_up
from moo_clustering.experiments.pesc._sets import FlatSet
from moo_clustering.validity import clustering_accuracy, nmi

Ints = NDArray[np.int64]


class Task(NamedTuple):
    """What a cell is computed from."""

    flat_set: FlatSet
    key: Key
    effort: Mapping[str, int]


def run_task(task: Task) -> dict[str, Any]:
    """Value of a cell: for every row that it gives, scores and costs.

    The order of the rows, the labelled samples and the seed of the method depend on the set and the seed
    only, so that all methods, and all values of their parameters, are compared on the same.
    """
    key, found_set = task.key, task.flat_set
    name, reading, setting = (str(key[part]) for part in ("method", "reading", "setting"))
    order, given = given_of(found_set, key, task.effort)
    with warnings.catch_warnings():
        # Disconnected graphs and searches that run dry are part of what is compared.
        warnings.simplefilter("ignore")
        warm_up(name, reading, setting, given.y is not None)
        found = PARTS[name].run(given, reading, setting)
    known = np.zeros(len(order), dtype=bool) if given.y is None else given.y >= 0
    return {row: _scored(found_set.classes[order], known, one, order) for row, one in found.items()}


def given_of(found_set: FlatSet, key: Key, effort: Mapping[str, int]) -> tuple[NDArray[np.intp], Given]:
    """Order of the rows, and what a method sees of a set: the classes of the labelled samples alone."""
    seed, name = int(key["seed"]), found_set.name
    if key["order"] == "sorted":
        order = np.argsort(found_set.classes, kind="stable")
    else:
        order = np.random.default_rng(seed_of(seed, name, "order")).permutation(len(found_set.X))
    y = None
    if key["labels"]:
        rng = np.random.default_rng(seed_of(seed, name, "labels", key["labels"]))
        y = partial_labels(found_set.classes, int(key["labels"]), rng)[order]
    X = np.asarray(scale_features(found_set.X[order], "minmax"), dtype=np.float64)
    fit_seed = int(seed_of(seed, name, "fit").generate_state(1)[0] >> 1)
    return order, Given(X, found_set.n_clusters, y, fit_seed, found_set.is_nominal, effort)


def partial_labels(classes: Ints, percent: int, rng: np.random.Generator) -> Ints:
    """Classes of so many percent of every class, rounded, of one sample at least; -1 for the others."""
    y = np.full(len(classes), -1, dtype=np.int64)
    for one in range(int(classes.max()) + 1):
        members = np.flatnonzero(classes == one)
        y[rng.choice(members, max(1, round(percent * len(members) / 100)), replace=False)] = one
    return y


def _scored(classes: Ints, known: NDArray[np.bool_], found: Found, order: NDArray[np.intp]) -> dict[str, Any]:
    candidates = [scores(classes, known, labels) for labels in np.atleast_2d(found.labels)]
    best = int(np.argmax([one["accuracy_unlabelled"] for one in candidates]))
    value = {**candidates[best], "seconds": found.seconds, "gap": found.gap}
    return {**value, "graph": _graph(found.graphs[best], order)} if found.graphs else value


def scores(classes: Ints, known: NDArray[np.bool_], labels: NDArray[Any]) -> dict[str, Any]:
    """Agreement of a partition with the classes, on all samples and on those without label."""
    result: dict[str, Any] = {"n_clusters": len(np.unique(labels))}
    everyone = _agreement(classes, labels)
    others = _agreement(classes[~known], labels[~known]) if known.any() else everyone
    return {**result, **everyone, **{f"{name}_unlabelled": score for name, score in others.items()}}


def _agreement(classes: Ints, labels: NDArray[Any]) -> dict[str, float]:
    return {
        "accuracy": clustering_accuracy(classes, labels),
        "ari": float(adjusted_rand_score(classes, labels)),
        "nmi": float(nmi(classes, labels)),
    }


def _graph(graph: Graph, order: NDArray[np.intp]) -> dict[str, Any]:
    """Edges of a graph with the numbers that samples have in the file, rounded to four digits."""
    upper = sp.triu(graph.similarity, 1).tocoo()
    vectors = np.empty_like(graph.vectors)
    vectors[order] = graph.vectors
    return {
        "rows": order[upper.row].tolist(),
        "columns": order[upper.col].tolist(),
        "weights": [float(f"{weight:.4g}") for weight in upper.data],
        "eigenvalues": graph.eigenvalues.tolist(),
        "vectors": vectors.round(6).tolist(),
    }
