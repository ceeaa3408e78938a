"""The members of a front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.constraints._shares import satisfied_shares

# Partitions that are decoded for the archive alone; of four bytes a label.
_LARGEST = 25_000_000


def front_frame(estimator: Any, supervision: Mapping[str, Any]) -> pd.DataFrame | None:
    """Members of the front: number, objectives in natural sign, and, where they are known, number of
    clusters, attainment score (empty: none), shares of the satisfied constraints and whether it is the
    partition given.
    """
    front = getattr(estimator, "pareto_front_", None)
    if front is None:
        return None
    frame = pd.DataFrame({"member": np.arange(len(front))})
    for number, name in enumerate(estimator.objective_names_):
        frame[name] = front[:, number]
    if getattr(estimator, "pool_", None) is not None:
        frame["n_clusters"] = [len(np.unique(labels)) for labels in estimator.pareto_labels_]
    for name, attribute in (("n_clusters", "pareto_K_"), ("attainment", "attainment_scores_")):
        if hasattr(estimator, attribute):
            frame[name] = getattr(estimator, attribute)
    if supervision and (partitions := _partitions(estimator)) is not None:
        for name, shares in satisfied_shares(partitions, supervision).items():
            frame[name] = shares
    if hasattr(estimator, "chosen_") or _partitions(estimator) is not None:
        chosen = _chosen(estimator)
        frame["chosen"] = False if chosen is None else frame["member"] == chosen
    return frame


def kept_partitions(estimator: Any) -> NDArray[Any] | None:
    """Partitions of the front, if they are there or cheap to come by and to keep."""
    return (
        None
        if len(getattr(estimator, "pareto_front_", ())) * len(estimator.labels_) > _LARGEST
        else _partitions(estimator)
    )


def _partitions(estimator: Any) -> NDArray[Any] | None:
    # Decoded from genes, or rows of a pool.
    if hasattr(estimator, "pareto_K_") or getattr(estimator, "pool_", None) is not None:
        return np.asarray(estimator.pareto_labels_)
    # Elsewhere as a property it may cost as much again as the fit.
    found = vars(estimator).get("pareto_labels_")
    return None if found is None else np.asarray(found)


def _chosen(estimator: Any) -> int | None:
    """Row of the member that the estimator took; None if it took another solution."""
    if hasattr(estimator, "chosen_"):
        row: int | None = estimator.chosen_
        return row
    partitions = _partitions(estimator)
    if partitions is None:
        return None
    same = np.flatnonzero((partitions == estimator.labels_).all(axis=1))
    return int(same[0]) if len(same) else None
