"""Content of a report: the solutions of a fitted estimator, their columns and the figures beside them."""

from __future__ import annotations

import copy
import html
import warnings
import webbrowser
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from moo_clustering._arrays import Int64Array, Labels
from moo_clustering._data import checked_array
from moo_clustering._parallel import one_thread
from moo_clustering.constraints.pairs import satisfied_pairs
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.fronts import spread_members

# Column of the adjusted Rand index with the chosen solution.
TO_RESULT = "agreement with the result"
# Objectives that are maximised; all others are minimised.
_GREATER = frozenset({"i_index", "sep"})
_MOST_ROLES = 3
_HEIGHT = 800  # pixels in a notebook
# Name of the fact that the footer of the page shows.
MADE_WITH = "made with"
_MOST_RUNS = 200
# Largest number of samples for which k-means is faster on one thread than on several.
_SMALL = 5000
_CONTROLS = {"control_labels_": "control", "random_control_labels_": "random-control"}
# A front that is clustered on demand shows members with at most this many labels in total, but at least
# FEWEST_MEMBERS of them.
AFFORDABLE_LABELS, FEWEST_MEMBERS = 100_000, 8


def greater_is_better(estimator: Any) -> list[bool]:
    """Whether each objective of the front is maximised."""
    names = tuple(getattr(estimator, "objective_names_", ()))
    if any(each.__name__ == "ParetoPoolClusterer" for each in type(estimator).__mro__):
        return [True] * len(names)
    problem = getattr(getattr(estimator, "result_", None), "problem", None)
    natural = getattr(problem, "natural", None)
    if natural is not None:
        signs = np.asarray(natural(np.ones((1, len(names)))), dtype=np.float64).ravel()
        if signs.shape == (len(names),):
            return [bool(sign < 0) for sign in signs]
    return [name in _GREATER for name in names]


def objective_columns(estimator: Any, solutions: Sequence[Solution]) -> list[Column]:
    """Objectives in natural sign, NaN where unknown."""
    names = tuple(getattr(estimator, "objective_names_", ()))
    found = np.full((len(solutions), len(names)), np.nan)
    for place, solution in enumerate(solutions):
        if solution.values is not None:
            found[place] = solution.values
    return [
        Column(str(name), values, is_objective=True, greater_is_better=greater)
        for name, values, greater in zip(names, found.T, greater_is_better(estimator), strict=True)
        if np.isfinite(values).any()
    ]


def size_columns(labels: NDArray[np.int32]) -> list[Column]:
    """Number of clusters, size of the smallest cluster and, if any, number of samples in no cluster."""
    sizes = [np.bincount(row[row >= 0]) for row in labels]
    sizes = [each[each > 0] for each in sizes]
    columns = [
        Column("clusters", np.array([len(each) for each in sizes], dtype=np.float64)),
        Column(
            "smallest cluster",
            np.array([each.min(initial=labels.shape[1]) for each in sizes], dtype=np.float64),
        ),
    ]
    outside = (labels < 0).sum(axis=1)
    return [*columns, Column("in no cluster", outside.astype(np.float64))] if outside.any() else columns


def constraint_columns(labels: NDArray[np.int32], supervision: Mapping[str, Any]) -> list[Column]:
    """Shares of all constraints, of the must-links and of the cannot-links that are satisfied."""
    if all(given is None or np.size(given) == 0 for given in supervision.values()):
        return []
    must, cannot = satisfied_pairs(labels, supervision)
    columns = []
    if must.n_pairs and cannot.n_pairs:
        both = (must.satisfied + cannot.satisfied) / (must.n_pairs + cannot.n_pairs)
        columns.append(Column("constraints satisfied", both, greater_is_better=True))
    for name, found in (("must-links satisfied", must), ("cannot-links satisfied", cannot)):
        if found.n_pairs:
            columns.append(Column(name, found.satisfied / found.n_pairs, greater_is_better=True))
    return columns


def score_columns(estimator: Any, solutions: Sequence[Solution]) -> list[Column]:
    """Scores by which the method ranks its solutions: score of a pool, loss of a run, attainment."""
    columns = []
    scoring = getattr(estimator, "scoring_", None)
    if scoring is not None:
        values = np.stack([each.values for each in solutions if each.values is not None])
        columns.append(Column("score", scoring.score(values), greater_is_better=True))
    losses = getattr(estimator, "run_losses_", None)
    if losses is not None:
        of_runs = [_run_of(each) for each in solutions]
        shown = [np.nan if run is None else float(losses[run]) for run in of_runs]
        columns.append(Column("loss of the run", np.array(shown), greater_is_better=False))
    attainment = getattr(estimator, "attainment_scores_", None)
    if attainment is not None:
        shown = [np.nan if each.member is None else float(attainment[each.member]) for each in solutions]
        columns.append(Column("attainment", np.array(shown), greater_is_better=True))
    return columns


def _run_of(solution: Solution) -> int | None:
    runs = [role.removeprefix("run ") for role in solution.roles if role.startswith("run ")]
    return int(runs[0]) if runs else None


def known_columns(columns: Sequence[Column]) -> list[Column]:
    """Drop columns that are all NaN."""
    return [column for column in columns if np.isfinite(column.values).any()]


@dataclass(frozen=True, eq=False)
class Column:
    """One number for each solution.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n_solutions,), float64
        NaN where undefined.
    is_objective : bool
    greater_is_better : bool or None
        None if neither direction is better.
    """

    name: str
    values: NDArray[np.float64]
    is_objective: bool = False
    greater_is_better: bool | None = None


@dataclass(frozen=True, eq=False)
class ClusterFacts:
    """Silhouette, typical samples and leading features of a cluster.

    Attributes
    ----------
    silhouette : float
        Mean silhouette of its samples, or of a subsample of them; NaN if unknown.
    typical : tuple of int
        Rows of the samples nearest to the centre of the cluster, nearest first.
    features : tuple of (str, float)
        Leading terms or features with their weights, largest weight first.
    """

    silhouette: float = float("nan")
    typical: tuple[int, ...] = ()
    features: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class PlaneMap:
    """Positions of the samples in the plane.

    Attributes
    ----------
    positions : ndarray of shape (n_shown, 2), float64
    rows : ndarray of shape (n_shown,), int64
        Rows of the samples shown, ascending.
    axes : tuple of two str
    note : str
        Method of the projection, and the number of samples that are not shown.
    """

    positions: NDArray[np.float64]
    rows: NDArray[np.int64]
    axes: tuple[str, str]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """A figure of one method.

    Attributes
    ----------
    kind : {"matrix", "lines", "bars", "image"}
    title, note : str
    x, y : sequence
        Names and heights of ``"bars"``; names of the columns and rows of a ``"matrix"``, or empty.
    series : mapping of str to (x, y)
        The lines of ``"lines"``.
    matrix : ndarray of shape (n_rows, n_columns), optional
        The matrix of ``"matrix"``.
    axes : tuple of two str
    image : bytes
        A PNG file, for ``"image"``; ``note`` is its text alternative.
    """

    kind: Literal["matrix", "lines", "bars", "image"]
    title: str
    note: str = ""
    x: Sequence[str | float] = ()
    y: Sequence[str | float] = ()
    series: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)
    matrix: NDArray[np.float64] | None = None
    axes: tuple[str, str] = ("", "")
    image: bytes = b""


@dataclass(frozen=True, eq=False)
class ReportContent:
    """Solutions of one or more runs on the same samples.

    Attributes
    ----------
    title : str
    facts : sequence of (str, str)
        Method, parameters and data, for the header of the page.
    sample_kind : str
        Noun for a sample: "sample", "document", "bag", "row", ...
    sample_names : ndarray of shape (n_samples,) of str
    sample_texts : sequence of str or None
        Texts that identify the samples, such as the beginning of each document.
    names : sequence of str
        Names of the solutions.
    labels : ndarray of shape (n_solutions, n_samples), int32
        Clusters 0, 1, ...; -1 for samples in no cluster.
    columns : sequence of Column
        Objectives first.
    chosen : int
        The solution that the estimator chose.
    rules : mapping of str to int
        The solution that each ``choose(rule)`` selects.
    runs : sequence of str
        Run of each solution; empty for a single run.
    cluster_names : mapping of int to sequence of str
        Names of the clusters of each solution with named clusters.
    map : PlaneMap or None
    clusters : mapping of int to sequence of ClusterFacts
        One entry per cluster for each described solution.
    features_title : str
        Heading of the features of the clusters, such as "leading terms".
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64
    agreement : ndarray of shape (n_solutions, n_solutions) or None
        Adjusted Rand index of each pair of solutions.
    agreement_note : str
    history : DataFrame or None
        Generations in the first column, values in the others.
    panels : sequence of Panel
    missing : sequence of str
        Sentences that name what the report cannot show.
    """

    title: str
    names: Sequence[str]
    labels: NDArray[np.int32]
    sample_names: NDArray[np.str_]
    facts: Sequence[tuple[str, str]] = ()
    sample_kind: str = "sample"
    sample_texts: Sequence[str] | None = None
    columns: Sequence[Column] = ()
    chosen: int = 0
    rules: Mapping[str, int] = field(default_factory=dict)
    runs: Sequence[str] = ()
    cluster_names: Mapping[int, Sequence[str]] = field(default_factory=dict)
    map: PlaneMap | None = None
    clusters: Mapping[int, Sequence[ClusterFacts]] = field(default_factory=dict)
    features_title: str = "features"
    must_link: Int64Array = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    cannot_link: Int64Array = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    agreement: NDArray[np.float64] | None = None
    agreement_note: str = ""
    history: pd.DataFrame | None = None
    panels: Sequence[Panel] = ()
    missing: Sequence[str] = ()

    @property
    def n_solutions(self) -> int:
        """Number of solutions."""
        return len(self.labels)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.labels.shape[1]


@dataclass(eq=False)
class Solution:
    """A partition and its roles in the run."""

    labels: Labels
    # Such as ``"member 3"`` of the front and ``"result"``.
    roles: list[str]
    member: int | None = None  # row of the front
    values: NDArray[np.float64] | None = None  # objectives in natural sign, if known
    # The medoid of each cluster, if the method has medoids.
    medoids: NDArray[np.int64] | None = None
    cluster_names: list[str] | None = None

    @property
    def name(self) -> str:
        """Its first roles, with ``"result"`` before all others."""
        shown = ", ".join(sorted(self.roles, key=lambda role: role != "result")[:_MOST_ROLES])
        more = len(self.roles) - _MOST_ROLES
        return shown if more <= 0 else f"{shown} and {more} more"


@dataclass(eq=False)
class Solutions:
    """Partitions in the order of the report: the members of the front first, in the order of its rows."""

    found: list[Solution] = field(default_factory=list)
    _places: dict[bytes, int] = field(default_factory=dict)

    def add(self, solution: Solution) -> int:
        """Append a solution, even if an equal one exists, and return its position."""
        self.found.append(solution)
        place = len(self.found) - 1
        self._places.setdefault(solution.labels.tobytes(), place)
        return place

    def place(
        self,
        labels: ArrayLike,
        role: str,
        *,
        member: int | None = None,
        always_named: bool = True,
        cluster_names: list[str] | None = None,
        medoids: NDArray[np.int64] | None = None,
    ) -> int:
        """Return the position of a partition, which is appended if it is new.

        ``member`` is its row of the front; that solution takes over the cluster numbers given here. With
        ``always_named`` an existing solution gets the role as well.
        """
        given = checked_labels(labels)
        place = None if member is None else self._member(member, given)
        if place is None:
            place = self._places.get(given.tobytes())
            if place is not None and self._is_other_member(place, member):
                place = None
        if place is None:
            return self.add(Solution(given, [role], None, None, medoids, cluster_names))
        solution = self.found[place]
        if always_named and role not in solution.roles:
            solution.roles.append(role)
        if solution.cluster_names is None:
            solution.cluster_names = cluster_names
        if solution.medoids is None:
            solution.medoids = medoids
        return place

    def _is_other_member(self, place: int, member: int | None) -> bool:
        """Whether the position belongs to another row of the front, while this row has no position yet."""
        if member is None or self.found[place].member in (None, member):
            return False
        return all(solution.member != member for solution in self.found)

    def _member(self, member: int, labels: Labels) -> int | None:
        """Position of a row of the front, if it is this partition."""
        for place, solution in enumerate(self.found):
            if solution.member == member:
                if not _same_partition(solution.labels, labels):
                    return None
                if not np.array_equal(solution.labels, labels):
                    solution.labels, solution.medoids = labels, None
                    self._places.setdefault(labels.tobytes(), place)
                return place
        return None

    @property
    def labels(self) -> Labels:
        """Shape (n_solutions, n_samples)."""
        return np.stack([solution.labels for solution in self.found])

    @property
    def names(self) -> list[str]:
        """Names of the solutions."""
        return [solution.name for solution in self.found]


def checked_labels(labels: Any, n_samples: int | None = None) -> Labels:
    """Labels as int32, -1 for samples in no cluster; raises a ValueError unless they are 1-d integers."""
    found = checked_array(labels, "labels")
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iub":
        raise ValueError(
            f"labels must be one whole number a sample, got {found.dtype} of shape {found.shape}"
        )
    if n_samples is not None and len(found) != n_samples:
        raise ValueError(f"labels must have one number for each of {n_samples} samples, got {len(found)}")
    return np.ascontiguousarray(np.maximum(found, -1), dtype=np.int32)


def _same_partition(first: Labels, second: Labels) -> bool:
    numbered = relabel_by_first_appearance(np.stack([first, second]) + 1)
    return np.array_equal(first < 0, second < 0) and np.array_equal(*numbered)


@dataclass(frozen=True)
class Report:
    """A written report page, which a notebook shows when it is the last value of a cell.

    Attributes
    ----------
    path : Path
        Absolute path of the page.
    """

    path: Path

    def open(self) -> bool:
        """Show the page in the browser; returns False if there is no browser."""
        return webbrowser.open(self.path.as_uri())

    def _repr_html_(self) -> str:
        # `srcdoc` isolates the scripts and styles of the page from those of the notebook. A link to the file
        # would not work in a notebook that runs on another machine.
        page = html.escape(self.path.read_text(encoding="utf-8"))
        return (
            f'<iframe srcdoc="{page}" title="report" style="width: 100%; height: {_HEIGHT}px; border: 0">'
            "</iframe>"
        )


class RunSolutions(NamedTuple):
    """All partitions of a run, the chosen one, the selections of the rules, and notes on omissions."""

    solutions: Solutions
    labels: NDArray[np.int32]
    chosen: int
    rules: dict[str, int]
    notes: list[str]


def run_solutions(estimator: Any, class_names: Sequence[str] | None = None) -> RunSolutions:
    """Collect the front, the result, alternatives, controls, runs and the selections of all rules.

    The fitted estimator is not modified. ``class_names`` are the names of the classes 0, 1, ... of the labels
    that it was fitted with. Raises a NotFittedError if the estimator has no ``labels_``.
    """
    if getattr(estimator, "labels_", None) is None:
        raise NotFittedError(
            f"a report shows the clusters of a fitted estimator, and this {type(estimator).__name__} has no "
            "labels_; fit it first"
        )
    with one_thread("openmp") if len(estimator.labels_) <= _SMALL else nullcontext():
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
            # The button of a rule names its solution.
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
    """Class name of each cluster after a semi-supervised fit of ParetoClustering."""
    if not hasattr(estimator, "alternatives_") or not hasattr(estimator, "classes_"):
        return None
    names = [str(code) if class_names is None else str(class_names[code]) for code in estimator.classes_]
    of_clusters = getattr(estimator, "cluster_classes_index_", None)
    if of_clusters is None:
        return names
    return [names[place] if place >= 0 else f"new, {cluster}" for cluster, place in enumerate(of_clusters)]


def _as_member(solutions: Solutions, place: int, estimator: Any, member: int | None) -> None:
    """Label the chosen solution when it is a front member that the report leaves out."""
    solution = solutions.found[place]
    if member is None or any(each.member == member for each in solutions.found):
        return
    if solution.member is None:
        solution.member = member
        solution.values = np.asarray(estimator.pareto_front_[member], dtype=np.float64)
        solution.roles.insert(0, f"member {member}")


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
    """Compute the objectives of solutions outside of the front, where this is cheap."""
    scoring = getattr(estimator, "scoring_", None)
    others = [each for each in solutions.found if each.values is None]
    if scoring is not None and others:
        labels = estimator._partitions_of_points(np.stack([each.labels for each in others]))
        for each, values in zip(others, scoring.values(labels), strict=True):
            each.values = values
    control = getattr(estimator, "control_", None)
    for each in others:
        if control is not None and each.roles[0] == "random":
            each.values = estimator.result_.problem.natural(control.F[[control.best]])[0]


class Members(NamedTuple):
    """Members of a front, and a sentence on omitted members, if any."""

    solutions: list[Solution]
    note: str | None = None


def has_front(estimator: Any) -> bool:
    """Whether the estimator has a non-empty front."""
    front = getattr(estimator, "pareto_front_", None)
    return front is not None and len(front) > 0


def front_members(estimator: Any) -> Members:
    """Members of the front of a fitted estimator; empty if it has no front."""
    if not has_front(estimator):
        return Members([])
    front = np.asarray(estimator.pareto_front_, dtype=np.float64)
    rows, repaired = _rows(estimator, front), getattr(estimator, "repaired_labels_", None)
    note = None
    if len(rows) < len(front):
        note = (
            f"{len(rows)} of {len(front)} members of the front are shown, evenly along it: clustering the "
            "graph of each takes time."
        )
    elif repaired is not None and not np.array_equal(repaired, estimator.pareto_labels_):
        note = (
            "The objectives are of the partitions that the search found, before samples were moved to "
            "satisfy constraints; all else is of the partitions after that."
        )
    medoids = getattr(estimator, "repaired_medoids_", None)
    solutions = []
    for row, labels in zip(rows, _labels(estimator, rows), strict=True):
        own = None if medoids is None else np.asarray(medoids[row], dtype=np.int64)
        solutions.append(
            Solution(
                labels=checked_labels(labels),
                roles=[f"member {row}"],
                member=int(row),
                values=front[row],
                medoids=None if own is None else own[own >= 0],
            )
        )
    return Members(solutions, note)


def _rows(estimator: Any, front: NDArray[np.float64]) -> NDArray[np.intp]:
    if not hasattr(estimator, "graphs_") or "pareto_labels_" in vars(estimator):
        return np.arange(len(front))
    most = max(FEWEST_MEMBERS, AFFORDABLE_LABELS // len(estimator.labels_))
    return np.sort(spread_members(front[:, -1], most))


def _labels(estimator: Any, rows: NDArray[np.intp]) -> Any:
    # Constraints may have changed the partitions of the search.
    final = getattr(estimator, "repaired_labels_", None)
    if final is not None:
        return final[rows]
    if not hasattr(estimator, "graphs_") or "pareto_labels_" in vars(estimator):
        # Read from a copy: the property caches its value on the estimator.
        return np.asarray(copy.copy(estimator).pareto_labels_)[rows]
    with warnings.catch_warnings():
        # The estimator has already warned about the partition that it chose.
        warnings.simplefilter("ignore")
        return [estimator.graphs_.labels(int(row)) for row in rows]


class Choice(NamedTuple):
    """The solution that ``choose(rule)`` selects."""

    rule: str
    labels: Labels
    member: int | None  # row of the front, if known
    estimator: Any  # a copy that has chosen


def choices(estimator: Any) -> list[Choice]:
    """Selections of all rules that need no further search; the fitted estimator is not modified."""
    found = []
    for rule in rule_names(estimator):
        # A shallow copy is enough: `choose` sets attributes, and changes no object behind them but caches.
        other = copy.copy(estimator)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                other.choose(rule)
            except ValueError:  # this fit does not support the rule
                continue
        found.append(Choice(rule, other.labels_, member_of(other), other))
    return found


def member_of(estimator: Any) -> int | None:
    """Row of the chosen member of the front; None if the estimator does not record it."""
    row = getattr(estimator, "chosen_", None)
    return None if row is None else int(row)


def rule_names(estimator: Any) -> list[str]:
    """Rules of ``choose`` that do not start another search."""
    if not callable(getattr(estimator, "choose", None)) or not hasattr(estimator, "pareto_front_"):
        return []
    own = getattr(estimator, "rules_", ("knee", *getattr(estimator, "objective_names_", ())))
    return list(dict.fromkeys(map(str, own)))
