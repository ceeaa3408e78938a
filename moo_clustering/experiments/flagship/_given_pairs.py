"""With pairs of samples that belong together or apart."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from moo_clustering.estimators import HMRFKMeans, PCKMeans
from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments.flagship import _pair_rivals as rivals
from moo_clustering.experiments.flagship._clusterers import k_means
from moo_clustering.experiments.flagship._draws import PairDraw, draw_pairs
from moo_clustering.experiments.flagship._names import (
    CONSTRAINED,
    FLAGSHIP_KNOWN,
    FLAGSHIP_UNKNOWN,
    K_MEANS,
    ORACLE,
    PLAIN_UNKNOWN,
)
from moo_clustering.experiments.flagship._pool_of_set import Fitted, fit_seed, shared_flagship
from moo_clustering.experiments.flagship._sets import ClassedSet
from moo_clustering.experiments.flagship._sheet import Labels, Sheet

AMOUNTS = {".1 n": 0.1, ".5 n": 0.5, "1 n": 1.0, "2 n": 2.0}
KINDS = {"right": 0.0, "10 % flipped": 0.1}
# Rows that count, since pairs are propagated in dense matrices.
MOST_ROWS = 800


def given_pairs(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Pairs among 70 % of the samples; scores are of the samples in no pair, and of all."""
    fitted, k = shared_flagship(found), found.n_classes
    centers = k_means(fitted.X, k, fit_seed(found, K_MEANS))
    for kind, flipped in KINDS.items():
        for amount, factor in AMOUNTS.items():
            setting = f"{amount}, {kind}"
            for draw in range(draws):
                rng = np.random.default_rng(seed_of(found.name, "pairs", setting, draw))
                pairs = draw_pairs(found.classes, factor, flipped, rng)
                add = partial(sheet.add, setting, draw, among=pairs.free)
                # Who knows that pairs may be wrong does not take them as certain.
                how = "soft" if flipped else "hard"
                _answers(found, fitted, pairs, add, centers, rng, how)
                sheet.add_best(setting, draw, ORACLE, lambda: fitted.model.pool_.labels, pairs.free)
    return {}


def _answers(
    found: ClassedSet,
    fitted: Fitted,
    pairs: PairDraw,
    add: Any,
    centers: Labels,
    rng: np.random.Generator,
    how: str,
) -> None:
    X, graph, k, seed = fitted.X, fitted.model.graph_, found.n_classes, fit_seed(found, "pair rivals")
    given: dict[str, Any] = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link, "pairs": how}
    add(FLAGSHIP_UNKNOWN, lambda: fitted.told(**given).labels_)
    add(FLAGSHIP_KNOWN, lambda: fitted.told(n_clusters=k, **given).labels_)
    add(PLAIN_UNKNOWN, lambda: fitted.model.labels_, of_pool=True)
    add(
        "pairs propagated on the graph alone",
        lambda: rivals.propagated_spectral(graph, pairs, k, rng, hard=how == "hard"),
    )
    add(CONSTRAINED, lambda: rivals.written_spectral(graph, X, pairs, k, rng))
    add("PCKMeans", lambda: rivals.pairwise_k_means(PCKMeans, X, pairs, k, seed))
    add("HMRFKMeans", lambda: rivals.pairwise_k_means(HMRFKMeans, X, pairs, k, seed))
    add(K_MEANS, lambda: centers, of_pool=True)
