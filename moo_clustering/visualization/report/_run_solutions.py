"""All partitions that a fitted estimator has to offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits

from moo_clustering.visualization.report._front_members import front_members
from moo_clustering.visualization.report._rules import choices, member_of
from moo_clustering.visualization.report._solutions import Solutions, checked_labels

_MOST_RUNS = 200
# Samples up to which threads that wait for each other cost k-means more than they save.
_SMALL = 5000
_CONTROLS = {"control_labels_": "control", "random_control_labels_": "random-control"}


class RunSolutions(NamedTuple):
    """Partitions, which of them the estimator gave, what its rules take, and what is left out."""

    solutions: Solutions
    labels: NDArray[np.int32]
    chosen: int
    rules: dict[str, int]
    notes: list[str]


def run_solutions(estimator: Any, class_names: Sequence[str] | None = None) -> RunSolutions:
    """Members of the front, the result, alternatives, controls, runs, and what rules take beside these.

    Parameters
    ----------
    estimator : fitted clusterer
        It stays as it is.
    class_names : sequence of str, optional
        Names of the classes 0, 1, ... that the fit was given as labels.

    Raises
    ------
    NotFittedError
        Without ``labels_``.
    """
    if getattr(estimator, "labels_", None) is None:
        raise NotFittedError(
            f"a report shows the clusters of a fitted estimator, and this {type(estimator).__name__} has no "
            "labels_; fit it first"
        )
    with threadpool_limits(1 if len(estimator.labels_) <= _SMALL else None, user_api="openmp"):
        return _collected(estimator, class_names)


def _collected(estimator: Any, class_names: Sequence[str] | None) -> RunSolutions:
    labels = checked_labels(estimator.labels_)
    members = front_members(estimator)
    solutions, notes = Solutions(), [] if members.note is None else [members.note]
    for solution in members.solutions:
        solutions.add(solution)
    chosen = solutions.place(
        labels,
        "result",
        member=member_of(estimator),
        cluster_names=cluster_names(estimator, class_names),
        medoids=_medoids(estimator),
    )
    _as_member(solutions, chosen, estimator, member_of(estimator))
    for row, found in enumerate(getattr(estimator, "alternative_labels_", ())):
        solutions.place(found, f"alternative-{row}")
    rules = {}
    for choice in choices(estimator):
        rules[choice.rule] = solutions.place(
            choice.labels,
            choice.rule,
            member=choice.member,
            # What a rule takes is said by its button.
            always_named=False,
            cluster_names=cluster_names(choice.estimator, class_names),
            medoids=_medoids(choice.estimator),
        )
        _as_member(solutions, rules[choice.rule], estimator, choice.member)
    for attribute, role in _CONTROLS.items():
        if hasattr(estimator, attribute):
            solutions.place(getattr(estimator, attribute), role)
    notes += _add_runs(estimator, solutions)
    _add_values(estimator, solutions)
    return RunSolutions(solutions, solutions.labels, chosen, rules, notes)


def cluster_names(estimator: Any, class_names: Sequence[str] | None = None) -> list[str] | None:
    """Names of the classes that clusters are, after a fit of the flagship with labels."""
    if not hasattr(estimator, "alternatives_") or not hasattr(estimator, "classes_"):
        return None
    names = [str(code) if class_names is None else str(class_names[code]) for code in estimator.classes_]
    of_clusters = getattr(estimator, "cluster_classes_index_", None)
    if of_clusters is None:
        return names
    return [names[place] if place >= 0 else f"new, {cluster}" for cluster, place in enumerate(of_clusters)]


def _as_member(solutions: Solutions, place: int, estimator: Any, member: int | None) -> None:
    """Say of a member that was left out of the front what it is, where it was chosen all the same."""
    solution = solutions.found[place]
    if member is None or any(each.member == member for each in solutions.found):
        return
    if solution.member is None:
        solution.member = member
        solution.values = np.asarray(estimator.pareto_front_[member], dtype=np.float64)
        solution.roles.insert(0, f"front {member}")


def _medoids(estimator: Any) -> NDArray[np.int64] | None:
    found = getattr(estimator, "medoid_indices_", None)
    return None if found is None else np.asarray(found, dtype=np.int64)


def _add_runs(estimator: Any, solutions: Solutions) -> list[str]:
    runs = getattr(estimator, "run_labels_", None)
    if runs is None:
        return []
    for row, labels in enumerate(runs[:_MOST_RUNS]):
        solutions.place(labels, f"run {row}")
    return [] if len(runs) <= _MOST_RUNS else [f"{_MOST_RUNS} of {len(runs)} runs are shown, the first."]


def _add_values(estimator: Any, solutions: Solutions) -> None:
    """Objectives of what is not of the front, where they cost little."""
    scoring = getattr(getattr(estimator, "_found", None), "scoring", None)
    others = [each for each in solutions.found if each.values is None]
    if scoring is not None and others:
        labels = np.stack([each.labels for each in others])
        if estimator.landmark_of_ is not None:
            # Of landmarks whose samples are in several clusters, that of one of them.
            of_landmarks = np.zeros((len(labels), estimator.n_landmarks_), dtype=np.int32)
            of_landmarks[:, estimator.landmark_of_] = labels
            labels = of_landmarks
        for each, values in zip(others, scoring.values(labels), strict=True):
            each.values = values
    control = getattr(estimator, "control_", None)
    for each in others:
        if control is not None and each.roles[0] == "random":
            each.values = estimator.result_.problem.natural(control.F[[control.best]])[0]
