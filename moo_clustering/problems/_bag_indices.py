"""Indices of bag partitions, fitted to what they share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.bags import BagObjective
from moo_clustering.problems._bag_tables import BagTables
from moo_clustering.problems._partition import Index
from moo_clustering.validity import ValidityIndex, get_index
from moo_clustering.validity._bag_data import UNDEFINED
from moo_clustering.validity._bag_davies_bouldin import BagDaviesBouldin
from moo_clustering.validity._bag_sdbw import BagSDbw
from moo_clustering.validity._bag_silhouette import BagSilhouette
from moo_clustering.validity._within_variation import FTWCV, TWCV

OF_BAGS = {index.name: index for index in (BagDaviesBouldin, BagSDbw, BagSilhouette, FTWCV, TWCV)}
_OF_GEOMETRY = (BagDaviesBouldin, BagSDbw, FTWCV, TWCV)
_MOVED = {"bag_davies_bouldin": "db", "twcv": "twcv", "ftwcv": "ftwcv"}


def bag_indices(
    objectives: Sequence[Index] | Index,
    tables: BagTables,
    replaced: Mapping[Any, Callable[[BagTables], ValidityIndex]] | None = None,
) -> list[ValidityIndex]:
    """Fitted copies of indices of bags.

    Those given by name or class have the options of the tables. Whatever two indices need is
    computed once.

    Parameters
    ----------
    objectives : sequence of str, ValidityIndex objects or classes
    tables : BagTables
    replaced : mapping of classes to functions of tables, optional
        What is meant by the name or the class of an index, where it is another.
    """
    if isinstance(objectives, str | ValidityIndex | type):
        objectives = [objectives]
    names = [index for index in objectives if isinstance(index, str)]
    for name in names:
        if name not in OF_BAGS:
            raise ValueError(
                f"objectives must be of {', '.join(map(repr, OF_BAGS))}, or objects that can be fitted to "
                f"bags; got {name!r}{did_you_mean(name, OF_BAGS)}."
            )
        if names.count(name) > 1:
            raise ValueError(f"objectives must differ, got {name} more than once.")
    fitted = []
    for given in objectives:
        meant = OF_BAGS.get(given) if isinstance(given, str) else given
        other = replaced.get(meant) if replaced and isinstance(meant, type) else None
        fitted.append(_fitted(given, tables) if other is None else other(tables))
    return fitted


def _fitted(given: Index, tables: BagTables) -> ValidityIndex:
    index = copy.copy(get_index(given))
    if not isinstance(given, ValidityIndex):
        for option in ("weighting", "kind", "n_jobs"):
            if hasattr(index, option):
                setattr(index, option, getattr(tables, option))
    if isinstance(index, _OF_GEOMETRY):
        return index.fit(tables.geometry(index.weighting))
    if isinstance(index, BagSilhouette) and index.kind != "precomputed":
        shared = BagSilhouette("precomputed", index.average, max_memory=index.max_memory, n_jobs=index.n_jobs)
        return shared.fit(tables.distances(index.kind))
    return index.fit(tables.bags)  # type: ignore[arg-type]


def finite(index: ValidityIndex, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Infinite values of an index that is minimised as the 1e6 that indices of bags have."""
    return values if index.greater_is_better else np.where(values == np.inf, UNDEFINED, values)


def moved_objective(
    indices: Sequence[ValidityIndex], tables: BagTables, n_clusters: int, **options: Any
) -> BagObjective:
    """The first index that moves of single bags can lower; Davies-Bouldin if there is none."""
    for index in indices:
        if isinstance(index, BagDaviesBouldin | TWCV | FTWCV):
            reading = index.reading if isinstance(index, FTWCV) else "between"
            return BagObjective(
                index.geometry_,
                n_clusters,
                _MOVED[index.name],  # type: ignore[arg-type]
                reading=reading,
                **options,
            )
    return BagObjective(tables.geometry(), n_clusters, **options)
