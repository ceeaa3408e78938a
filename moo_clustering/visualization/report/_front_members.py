"""The members of a front as partitions, as ``choose(row)`` would give them."""

from __future__ import annotations

import copy
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.fronts._spread import spread_members
from moo_clustering.visualization.report._solutions import Solution, checked_labels

# Labels of all members that are clustered only when they are asked for; and at least so many members.
_AFFORDABLE, _FEWEST = 100_000, 8


class Members(NamedTuple):
    """Members of a front, and a sentence on those that are left out, if any are."""

    solutions: list[Solution]
    note: str | None = None


def has_front(estimator: Any) -> bool:
    """Whether there is a front with a member."""
    front = getattr(estimator, "pareto_front_", None)
    return front is not None and len(front) > 0


def front_members(estimator: Any) -> Members:
    """Members of the front of a fitted estimator; none where there is no front."""
    if not has_front(estimator):
        return Members([])
    front = np.asarray(estimator.pareto_front_, dtype=np.float64)
    rows = _rows(estimator, front)
    note = None
    if len(rows) < len(front):
        note = (
            f"{len(rows)} of {len(front)} members of the front are shown, evenly along it: clustering the "
            "graph of each takes time."
        )
    elif _is_repaired(estimator):
        note = (
            "The objectives are of the partitions that the search found, before samples were moved to "
            "satisfy constraints; all else is of the partitions after that."
        )
    medoids = getattr(estimator, "_final_medoids", None)
    solutions = []
    for row, labels in zip(rows, _labels(estimator, rows), strict=True):
        own = None if medoids is None else np.asarray(medoids[row], dtype=np.int64)
        solutions.append(
            Solution(
                labels=checked_labels(labels),
                roles=[f"front {row}"],
                member=int(row),
                values=front[row],
                medoids=None if own is None else own[own >= 0],
            )
        )
    return Members(solutions, note)


def _is_repaired(estimator: Any) -> bool:
    """Whether constraints changed what the search found."""
    final = getattr(estimator, "_final_labels", None)
    return final is not None and not np.array_equal(final, estimator.pareto_labels_)


def _rows(estimator: Any, front: NDArray[np.float64]) -> NDArray[np.intp]:
    if _graphs(estimator) is None or "_pareto_labels" in vars(estimator):
        return np.arange(len(front))
    most = max(_FEWEST, _AFFORDABLE // len(estimator.labels_))
    return np.sort(spread_members(front[:, -1], most))


def _labels(estimator: Any, rows: NDArray[np.intp]) -> Any:
    # Constraints may have repaired what the search found.
    final = getattr(estimator, "_final_labels", None)
    if final is not None:
        return final[rows]
    one = _graphs(estimator)
    if one is None or "_pareto_labels" in vars(estimator):
        # A property may keep what it finds, which is no business of the estimator that was given.
        return np.asarray(copy.copy(estimator).pareto_labels_)[rows]
    with warnings.catch_warnings():
        # Of the partition that the estimator chose is enough.
        warnings.simplefilter("ignore")
        return [one(int(row)) for row in rows]


def _graphs(estimator: Any) -> Any:
    """What clusters the graph of a member, of methods whose members are graphs."""
    ensemble, members = getattr(estimator, "_ensemble", None), getattr(estimator, "_members", None)
    if hasattr(ensemble, "member_partition"):
        return lambda row: ensemble.member_partition(row).labels  # type: ignore[union-attr]
    if hasattr(members, "least_cut"):
        return members.labels  # type: ignore[union-attr]
    return None
