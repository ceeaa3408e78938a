"""With labels of a few samples, of all classes or of half of them."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments.flagship import _clusterers as clusterers
from moo_clustering.experiments.flagship import _label_rivals as rivals
from moo_clustering.experiments.flagship._draws import draw_labels, draw_some_classes
from moo_clustering.experiments.flagship._names import (
    CONSTRAINED,
    EVIDENCE,
    FLAGSHIP,
    FLAGSHIP_KNOWN,
    FLAGSHIP_UNKNOWN,
    K_MEANS,
    LOGISTIC,
    ORACLE,
    PLAIN_KNOWN,
    PLAIN_UNKNOWN,
    SPREADING,
)
from moo_clustering.experiments.flagship._pool_of_set import Fitted, fit_seed, shared_flagship
from moo_clustering.experiments.flagship._sets import ClassedSet
from moo_clustering.experiments.flagship._sheet import Labels, Sheet

FRACTIONS = {"1 %": 0.01, "2 %": 0.02, "5 %": 0.05, "10 %": 0.1}
NOVEL_FRACTIONS = {name: FRACTIONS[name] for name in ("2 %", "5 %", "10 %")}
# What a point of the selection score counts beside evidence.
_SCORE_WEIGHT = 20.0


class _Setup:
    """A set, its fit, and what rivals need once."""

    def __init__(self, found: ClassedSet) -> None:
        self.found, self.k = found, found.n_classes
        self.fitted: Fitted = shared_flagship(found)
        self.X, self.graph = self.fitted.X, self.fitted.model.graph_
        self.seed = fit_seed(found, "label rivals")

    @cached_property
    def kernel(self) -> rivals.Features:
        return rivals.spreading_kernel(self.graph)

    @cached_property
    def k_means(self) -> Labels:
        return clusterers.k_means(self.X, self.k, fit_seed(self.found, K_MEANS))

    def rng(self, *parts: str | int) -> np.random.Generator:
        return np.random.default_rng(seed_of(self.found.name, *parts))


class _Told:
    """The flagship told of one draw, kept for what follows from the same scores."""

    def __init__(self, fitted: Fitted, y: Labels, **options: Any) -> None:
        self._fitted, self._y, self._options = fitted, y, options

    @cached_property
    def model(self) -> Any:
        return self._fitted.told(self._y, **self._options)

    def labels(self) -> Labels:
        labels: Labels = self.model.labels_
        return labels

    def by_evidence(self, weight: float = 0.0) -> Labels:
        """The pool's partition of the greatest evidence, plus so much of the score."""
        from moo_clustering.evidence import best_member

        scores, pool = self.model.scores_, self.model.pool_
        total = scores["label_evidence"].to_numpy() + weight * scores["score"].to_numpy()
        labels: Labels = pool.labels[best_member(total, pool.n_clusters)]
        return labels


def few_labels(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Some samples of every class are labelled; scores are of the others."""
    setup = _Setup(found)
    for setting, fraction in FRACTIONS.items():
        for draw in range(draws):
            rng = setup.rng("labels", setting, draw)
            y = draw_labels(found.classes, fraction, rng)
            _of_all_classes(setup, y, partial(sheet.add, setting, draw, among=y < 0), rng)
            sheet.add_best(setting, draw, ORACLE, lambda: setup.fitted.model.pool_.labels, y < 0)
    return {}


def _of_all_classes(setup: _Setup, y: Labels, add: Any, rng: np.random.Generator) -> None:
    X, graph, k, fitted = setup.X, setup.graph, setup.k, setup.fitted
    told = _Told(fitted, y)
    add(FLAGSHIP, told.labels)
    add("pool kernel alone", lambda: fitted.told(y, kernel="pool").labels_)
    add(EVIDENCE, told.by_evidence, of_pool=True)
    add("best partition by evidence + 20 s", partial(told.by_evidence, _SCORE_WEIGHT), of_pool=True)
    add(SPREADING, lambda: rivals.label_spreading(setup.kernel, y))
    add("label propagation", lambda: rivals.label_propagation(graph, y))
    add("1-NN", lambda: rivals.nearest_labelled(X, y))
    add(LOGISTIC, lambda: rivals.logistic_regression(X, y))
    add(CONSTRAINED, lambda: rivals.constrained_spectral(graph, X, y, k, rng))
    add("PCKMeans", lambda: rivals.pck_means(X, y, k, setup.seed))
    add("seeded k-means", lambda: rivals.seeded_k_means(X, y))
    add(K_MEANS, lambda: setup.k_means, of_pool=True)


def some_classes(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Half of the classes have no label; scores are of all samples without label."""
    setup = _Setup(found)
    for setting, fraction in NOVEL_FRACTIONS.items():
        for draw in range(draws):
            rng = setup.rng("some classes", setting, draw)
            y = draw_some_classes(found.classes, fraction, rng)
            _of_some_classes(setup, y, partial(sheet.add, setting, draw, among=y < 0), rng)
            sheet.add_best(setting, draw, ORACLE, lambda: setup.fitted.model.pool_.labels, y < 0)
    return {}


def _of_some_classes(setup: _Setup, y: Labels, add: Any, rng: np.random.Generator) -> None:
    X, k, fitted = setup.X, setup.k, setup.fitted
    told = _Told(fitted, y, novel="allow")
    add(FLAGSHIP_UNKNOWN, told.labels)
    add(FLAGSHIP_KNOWN, lambda: fitted.told(y, novel="allow", n_clusters=k).labels_)
    add(PLAIN_UNKNOWN, lambda: fitted.model.labels_, of_pool=True)
    add(PLAIN_KNOWN, lambda: fitted.told(n_clusters=k).labels_, of_pool=True)
    add(CONSTRAINED, lambda: rivals.constrained_spectral(setup.graph, X, y, k, rng))
    add(K_MEANS, lambda: setup.k_means, of_pool=True)
    add(EVIDENCE, told.by_evidence, of_pool=True)
    add(SPREADING, lambda: rivals.label_spreading(setup.kernel, y))
    add(LOGISTIC, lambda: rivals.logistic_regression(X, y))
