"""Without any labels: with and without the number of clusters."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from moo_clustering.experiments.flagship import _clusterers as clusterers
from moo_clustering.experiments.flagship._names import (
    CONSENSUS,
    FLAGSHIP,
    K_MEANS,
    KNOWN,
    MODULARITY,
    ORACLE,
    RANDOM,
    SELECT,
    UNKNOWN,
)
from moo_clustering.experiments.flagship._pool_of_set import Fitted, fit_flagship, fit_seed, shared_flagship
from moo_clustering.experiments.flagship._sets import ClassedSet
from moo_clustering.experiments.flagship._sheet import Sheet
from moo_clustering.validity import Silhouette

_BY_SILHOUETTE = {"Genie": "genie", K_MEANS: "km", "Ward": "ward", "GMM": "gmm", "spectral kNN": "spec"}
_AT_K = {
    "graph agglomeration": "graph_agg",
    "spectral kNN": "spec",
    "Genie": "genie",
    "GMM": "gmm",
    "Ward": "ward",
}


def unsupervised(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """Nothing is known, not even the number of clusters; rivals choose it from the same grid.

    Draws differ in the seeds of all clusterers.
    """
    fits: list[Fitted] = []
    for draw in range(draws):
        fitted = shared_flagship(found) if draw == 0 else fit_flagship(found, fits[0].X, draw=draw)
        _choices(found, fitted, partial(sheet.add, UNKNOWN, draw), draw)
        sheet.add_best(UNKNOWN, draw, ORACLE, partial(_pool_labels, fitted))
        fits.append(fitted)
    pool = fits[0].model.pool_
    return {
        "confidence": float(np.mean([one.model.confidence_ for one in fits])),
        "n_clusters": [int(one.model.n_clusters_) for one in fits],
        "families": len(pool.family_names),
        "members": pool.n_partitions,
        "seconds": float(np.mean([one.seconds for one in fits])),
    }


def _choices(found: ClassedSet, fitted: Fitted, add: Any, draw: int) -> None:
    from moo_clustering.evidence import best_member
    from moo_clustering.validity._minimax_silhouette import MinimaxSilhouette

    model, X, pool = fitted.model, fitted.X, fitted.model.pool_
    rng = np.random.default_rng(fit_seed(found, "rivals", *([draw] if draw else [])))
    of_pool = partial(add, of_pool=True)
    add(FLAGSHIP, lambda: model.labels_, seconds=fitted.seconds)
    add(MODULARITY, lambda: fit_flagship(found, X, draw=draw, criterion="modularity").model.labels_)
    of_pool(
        "agreement only",
        lambda: pool.labels[best_member(model.scores_["agreement"].to_numpy(), pool.n_clusters)],
    )
    of_pool("Genie + minimax silhouette", partial(_best_of_family, MinimaxSilhouette(), fitted, "genie"))
    silhouette = Silhouette()
    for name, family in _BY_SILHOUETTE.items():
        of_pool(f"{name} + silhouette", partial(_best_of_family, silhouette, fitted, family))
    of_pool("spectral kNN + eigengap", lambda: clusterers.by_eigengap(fitted, rng))
    add("HDBSCAN", lambda: clusterers.hdbscan(X))
    add(RANDOM, lambda: rng.integers(model.n_clusters_, size=len(X)))


def _pool_labels(fitted: Fitted) -> clusterers.Labels:
    labels: clusterers.Labels = fitted.model.pool_.labels
    return labels


def _best_of_family(index: Any, fitted: Fitted, family: str) -> clusterers.Labels:
    members = fitted.members(family)
    return clusterers.best_by(index if hasattr(index, "n_samples_") else index.fit(fitted.X), members)


def known_k(found: ClassedSet, sheet: Sheet, draws: int) -> dict[str, Any]:
    """The number of clusters is that of the classes; draws differ in the seeds of all clusterers."""
    k, first = found.n_classes, shared_flagship(found)
    for draw in range(draws):
        if draw:
            fitted = fit_flagship(found, first.X, draw=draw, n_clusters=k)
        else:
            has_k = k in first.model.pool_.n_clusters
            fitted = first if has_k else fit_flagship(found, first.X, n_clusters=k)
        pool, part = fitted.model.pool_, [draw] if draw else []
        _choices_at(found, fitted, partial(sheet.add, KNOWN, draw), part)
        sheet.add_best(KNOWN, draw, ORACLE, partial(_members_at, pool, k))
    return {}


def _choices_at(found: ClassedSet, fitted: Fitted, add: Any, part: list[int]) -> None:
    k = found.n_classes
    rng = np.random.default_rng(fit_seed(found, "rivals at k", *part))
    add(CONSENSUS, lambda: fitted.told(n_clusters=k, method="consensus").labels_)
    add(SELECT, lambda: fitted.told(n_clusters=k, method="select").labels_)
    for name, family in _AT_K.items():
        add(name, partial(fitted.member_at, family, k), of_pool=True)
    add(K_MEANS, lambda: clusterers.k_means(fitted.X, k, fit_seed(found, K_MEANS, *part)))
    add(RANDOM, lambda: rng.integers(k, size=found.n_samples))


def _members_at(pool: Any, k: int) -> clusterers.Labels:
    labels: clusterers.Labels = pool.labels[pool.n_clusters == k]
    return labels
