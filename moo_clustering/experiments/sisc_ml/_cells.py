"""One method on one split of a set: scores of all its kinds, and what they cost."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments._store import Key
from moo_clustering.experiments.sisc_ml._methods import METHODS, Options
from moo_clustering.experiments.sisc_ml._splits import Split
from moo_clustering.validity import class_aucs, mean_roc_curve

N_POINTS = 101
_DIGITS = 6  # of the rates of curves, which are for drawing


class Task(NamedTuple):
    """What a cell is computed from."""

    split: Split
    method: str
    seed: tuple[str | int | float, ...]
    options: Options


def task_of(key: Key, split: Split, options: Options) -> Task:
    """The task of a cell; its seed depends on all of the key but the data."""
    parts = tuple(part for name, part in key.items() if name != "data")
    return Task(split, str(key["method"]), parts, options)


def run_task(task: Task) -> dict[str, Any]:
    """Value of a cell: areas and averaged curves of each kind of scores, and seconds.

    The labels of the test documents are used after the predictions only.
    """
    split, method = task.split, METHODS[task.method]
    seed = int(seed_of(*task.seed).generate_state(1)[0])
    # One thread, so that sums are added up in the same order in all processes.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # Labels without documents and runs that do not settle are part of what is compared.
        warnings.simplefilter("ignore")
        warm_up(task.method)
        start = perf_counter()
        predictors = method.fit(split, seed, task.options)
        fit_seconds = perf_counter() - start
        kinds = {kind: _scored(predictors[kind], split) for kind in method.kinds}
    return {"fit_seconds": fit_seconds, "kinds": kinds}


def _scored(predict: Any, split: Split) -> dict[str, Any]:
    start = perf_counter()
    scores = predict(split.X_test)
    seconds = perf_counter() - start
    aucs = class_aucs(split.y_test, scores)
    _, tpr = mean_roc_curve(split.y_test, scores, N_POINTS)
    return {
        "auc": float(np.nanmean(aucs)),
        "undefined": int(np.isnan(aucs).sum()),
        "predict_seconds": seconds,
        "tpr": tpr.round(_DIGITS).tolist(),
    }


@cache
def warm_up(method: str) -> None:
    """Run a method on next to nothing, so that compiling is not in the seconds of its first cell."""
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.integers(0, 2, (40, 12)).astype(np.float64))
    y = rng.integers(0, 2, (40, 3)).astype(np.int8)
    few: Mapping[str, Any] = {name: {"n_clusters": 6} for name in ("SISC", "SCAD2", "EntropyWeightedKMeans")}
    predictors = METHODS[method].fit(Split(X, y, X, y), 0, few)
    for predict in predictors.values():
        predict(X)
