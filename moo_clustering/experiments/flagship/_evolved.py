"""The pool evolved, and with partitions of other methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.estimators import MOCK, PESC, EnsembleNMF, NSGA2Clus
from moo_clustering.estimators._scaling import scale_features
from moo_clustering.experiments.flagship._names import (
    CONTROL,
    EVOLVED,
    FLAGSHIP,
    KNOWN,
    RANDOM_SURVIVAL,
    UNKNOWN,
)
from moo_clustering.experiments.flagship._pool_of_set import Fitted, fit_flagship, fit_seed, shared_flagship
from moo_clustering.experiments.flagship._sets import ClassedSet
from moo_clustering.experiments.flagship._sheet import Labels, Sheet

EVOLUTION = {"pop_size": 48, "n_gen": 25}
# Runs of an ensemble of factorizations.
N_RUNS = 10


def evolution(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """The same pool with and without a search, and with a search that keeps individuals at random."""
    X = found.features()
    for setting, k in ((UNKNOWN, None), (KNOWN, found.n_classes)):
        run = _Evolved(found, X, k)
        sheet.add(setting, 0, EVOLVED, partial(run.attribute, "labels_"))
        for name, attribute in ((CONTROL, "control_labels_"), (RANDOM_SURVIVAL, "random_control_labels_")):
            sheet.add(setting, 0, name, partial(run.attribute, attribute), of_pool=True)
    return {}


class _Evolved:
    def __init__(self, found: ClassedSet, X: NDArray[np.float64], k: int | None) -> None:
        self._found, self._X, self._k = found, X, k

    @cached_property
    def model(self) -> Any:
        return fit_flagship(self._found, self._X, n_clusters=self._k, **EVOLUTION).model

    def attribute(self, name: str) -> Labels:
        labels: Labels = getattr(self.model, name)
        return labels


def families(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Partitions of other methods join the pool; the choice is by the same score."""
    fitted = shared_flagship(found)
    sheet.add(UNKNOWN, 0, FLAGSHIP, lambda: fitted.model.labels_, seconds=fitted.seconds)
    parts: dict[str, Labels] = {}

    def added(name: str) -> Labels:
        parts[name] = _several(ADDED[name](found, fitted, fit_seed(found, name)), fitted)
        return chosen_with(fitted, {name: parts[name]})

    for name in ADDED:
        sheet.add(UNKNOWN, 0, f"with {name}", partial(added, name))
    sheet.add(UNKNOWN, 0, "with all of these", lambda: chosen_with(fitted, parts), of_pool=True)
    return {"partitions": {name: len(labels) for name, labels in parts.items()}}


def chosen_with(fitted: Fitted, parts: Mapping[str, Labels]) -> Labels:
    """Choice of the flagship from its pool and further families."""
    from moo_clustering.estimators.flagship._broad_agreement import BroadAgreement
    from moo_clustering.estimators.flagship._findings import CRITERION_WEIGHTS
    from moo_clustering.evidence import best_member, selection_score
    from moo_clustering.pool import PartitionPool
    from moo_clustering.validity._minimax_silhouette import MinimaxSilhouette

    more = PartitionPool.of([(name, one) for name, labels in parts.items() for one in labels])
    pool = fitted.model.pool_.joined(more)
    agreement = BroadAgreement().fit(pool).evaluate(pool.labels)
    silhouette = MinimaxSilhouette().fit(fitted.X).evaluate(pool.labels)
    score = selection_score(agreement, silhouette, weight=CRITERION_WEIGHTS["minimax"])
    labels: Labels = pool.labels[best_member(score, pool.n_clusters)]
    return labels


def _several(labels: Labels, fitted: Fitted) -> Labels:
    """Partitions into two clusters at least, and no more than the pool's."""
    labels = np.atleast_2d(labels)
    k = np.array([len(np.unique(one)) for one in labels])
    kept = labels[(k > 1) & (k <= fitted.model.pool_.n_clusters.max())]
    if not len(kept):
        raise ValueError("no partition of two clusters or more")
    return kept


def _mock(found: ClassedSet, fitted: Fitted, seed: int) -> Labels:
    # Another rule of choice would need searches on control data; the front is what joins.
    labels: Labels = MOCK(select="knee", random_state=seed).fit(fitted.X).pareto_labels_
    return labels


def _pesc(found: ClassedSet, fitted: Fitted, seed: int) -> Labels:
    labels: Labels = PESC(fitted.model.n_clusters_, random_state=seed).fit(fitted.X).labels_
    return labels


def _nsga2_clus(found: ClassedSet, fitted: Fitted, seed: int) -> Labels:
    metric: Any = "cosine" if found.kind == "t" else "euclidean"
    labels: Labels = NSGA2Clus(metric=metric, random_state=seed).fit(fitted.X).pareto_labels_
    return labels


def _ensemble_nmf(found: ClassedSet, fitted: Fitted, seed: int) -> Labels:
    table = found.table if found.kind == "t" else scale_features(found.table, "minmax")
    # No more factors than features.
    k = min(fitted.model.n_clusters_, table.shape[1])
    model = EnsembleNMF(k, n_runs=N_RUNS, random_state=seed)
    labels: Labels = model.fit(table).labels_
    return labels


ADDED: Mapping[str, Callable[[ClassedSet, Fitted, int], Labels]] = {
    "MOCK": _mock,
    "PESC": _pesc,
    "NSGA2Clus": _nsga2_clus,
    "EnsembleNMF": _ensemble_nmf,
}
