"""The flagship on a set: fitted once, then told different things."""

from __future__ import annotations

import copy
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments.flagship._sets import ClassedSet

Labels = NDArray[np.integer[Any]]


class Fitted(NamedTuple):
    """A fitted estimator that has seen no classes, and what it took.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled.
    model : ParetoClustering
    seconds : float
    """

    X: NDArray[np.float64]
    model: Any
    seconds: float

    def members(self, family: str) -> Labels:
        """Partitions of a family, shape (q, n_samples)."""
        pool = self.model.pool_
        labels: Labels = pool.labels[np.array(pool.families) == family]
        if not len(labels):
            raise ValueError(f"the pool has no partition of the family {family}")
        return labels

    def member_at(self, family: str, k: int) -> Labels:
        """The first partition of a family that has k clusters."""
        for labels in self.members(family):
            if labels.max() + 1 == k:
                return labels
        raise ValueError(f"the family {family} has no partition into {k} clusters")

    def told(
        self,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        n_clusters: int | None = None,
        **options: Any,
    ) -> Any:
        """Copy of the estimator with other options that knows this; nothing is clustered again."""
        model = copy.copy(self.model).set_params(**options)
        return model.relabel(y, must_link=must_link, cannot_link=cannot_link, n_clusters=n_clusters)


def fit_seed(found: ClassedSet, *parts: str | int) -> int:
    """Seed of everything that is fitted to a set."""
    return int(seed_of(found.name, "fit", *parts).generate_state(1)[0] >> 1)


def fit_flagship(
    found: ClassedSet, X: NDArray[np.float64] | None = None, *, draw: int = 0, **options: Any
) -> Fitted:
    """Fit it to the features alone; every draw has its own seed."""
    from moo_clustering.estimators.flagship._pareto_clustering import ParetoClustering

    if X is None:
        X = found.features()
    seed = fit_seed(found, *([draw] if draw else []))
    start = perf_counter()
    model = ParetoClustering(scale="none", random_state=seed, **options).fit(X)
    return Fitted(X, model, perf_counter() - start)


_last: dict[tuple[str, str, int], Fitted] = {}


def shared_flagship(found: ClassedSet) -> Fitted:
    """The default fit of a set; that of the last set is kept, for the next block of it."""
    key = (found.name, found.identity, found.n_samples)
    if key not in _last:
        _last.clear()
        _last[key] = fit_flagship(found)
    return _last[key]
