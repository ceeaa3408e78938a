"""The content of a report: solutions of a fitted estimator, their columns, and the figures beside them."""

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
# Objectives of this package to maximise; all others are minimised.
_GREATER = frozenset({"i_index", "sep"})
_MOST_ROLES = 3
_HEIGHT = 800  # pixels in a notebook
# The fact that goes to the foot of the page.
MADE_WITH = "made with"
_MOST_RUNS = 200
# Samples up to which threads that wait for each other cost k-means more than they save.
_SMALL = 5000
_CONTROLS = {"control_labels_": "control", "random_control_labels_": "random-control"}
# Labels of all members that are clustered only when they are asked for; and at least so many members.
AFFORDABLE_LABELS, FEWEST_MEMBERS = 100_000, 8


def greater_is_better(estimator: Any) -> list[bool]:
    """Whether greater values are better, for each objective of the front."""
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
    """Objectives in natural sign, NaN where they are not known."""
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
    """Number of clusters, size of the smallest, and samples in none where there are such."""
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
    """Shares of the satisfied constraints: all, must-links, cannot-links."""
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
    """Scores of the method: of a pool, from agreement and modularity; attainment."""
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
    """Those with a number at all."""
    return [column for column in columns if np.isfinite(column.values).any()]


@dataclass(frozen=True, eq=False)
class Column:
    """A number of every solution.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n_solutions,), float64
        NaN where there is none.
    is_objective : bool
    greater_is_better : bool or None
        None where neither is.
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
        Mean over its samples, or over those that were looked at; NaN if unknown.
    typical : tuple of int
        Rows of the samples nearest to its middle, the nearest first.
    features : tuple of (str, float)
        Leading terms or features with their weights, the greatest first.
    """

    silhouette: float = float("nan")
    typical: tuple[int, ...] = ()
    features: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class PlaneMap:
    """Positions of samples in the plane.

    Attributes
    ----------
    positions : ndarray of shape (n_shown, 2), float64
    rows : ndarray of shape (n_shown,), int64
        Rows of the samples shown, ascending.
    axes : tuple of two str
    note : str
        How it was made, and how many samples it leaves out.
    """

    positions: NDArray[np.float64]
    rows: NDArray[np.int64]
    axes: tuple[str, str]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """A further figure.

    Attributes
    ----------
    kind : {"matrix", "lines", "bars", "image"}
    title, note : str
    x, y : sequence
        Names and heights of ``"bars"``; names of columns and rows of a ``"matrix"``, or none.
    series : mapping of str to (x, y)
        The lines of ``"lines"``.
    matrix : ndarray of shape (n_rows, n_columns), optional
        The matrix of ``"matrix"``.
    axes : tuple of two str
    image : bytes
        A PNG, of ``"image"``; ``note`` is what it says to those who cannot see it.
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
        Method, options and data, for the head of the page.
    sample_kind : str
        The word for a sample: "sample", "document", "bag", "row", ...
    sample_names : ndarray of shape (n_samples,) of str
    sample_texts : sequence of str or None
        Texts by which to recognise samples, such as the beginning of a document.
    names : sequence of str
        Names of the solutions.
    labels : ndarray of shape (n_solutions, n_samples), int32
        Clusters 0, 1, ...; -1 for samples in none.
    columns : sequence of Column
        Objectives first.
    chosen : int
        The solution that the estimator gave.
    rules : mapping of str to int
        Solution that ``choose(rule)`` takes.
    runs : sequence of str
        Run of every solution; empty if there is one run only.
    cluster_names : mapping of int to sequence of str
        Names of the clusters of a solution that has them.
    map : PlaneMap or None
    clusters : mapping of int to sequence of ClusterFacts
        Facts of the clusters of each described solution, cluster by cluster.
    features_title : str
        Heading of the features of clusters, such as "leading terms".
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64
    agreement : ndarray of shape (n_solutions, n_solutions) or None
        Adjusted Rand index of every two solutions.
    agreement_note : str
    history : DataFrame or None
        Generations in the first column, numbers in the others.
    panels : sequence of Panel
    missing : sequence of str
        Sentences about what the report cannot show.
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
    """A partition."""

    labels: Labels
    # Roles of the solution in the run, such as ``"member 3"`` of the front and ``"result"``.
    roles: list[str]
    member: int | None = None  # row of the front
    values: NDArray[np.float64] | None = None  # objectives in natural sign, where they are known
    # Sample in the middle of every cluster, where the method has one.
    medoids: NDArray[np.int64] | None = None
    cluster_names: list[str] | None = None

    @property
    def name(self) -> str:
        """Roles, the first of many; that it is the result comes first."""
        shown = ", ".join(sorted(self.roles, key=lambda role: role != "result")[:_MOST_ROLES])
        more = len(self.roles) - _MOST_ROLES
        return shown if more <= 0 else f"{shown} and {more} more"


@dataclass(eq=False)
class Solutions:
    """Partitions in order; those of a front first, and row by row."""

    found: list[Solution] = field(default_factory=list)
    _places: dict[bytes, int] = field(default_factory=dict)

    def add(self, solution: Solution) -> int:
        """Put one at the end, whether there is an equal one or not; its place."""
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
        """The place of a partition, which is added if it is new.

        ``member`` is the row of the front that it is: clusters of that solution are numbered as here from
        then on. With ``always_named`` a solution that is there already has the role too.
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
        """Whether a place is of another row of the front than a row that has none yet."""
        if member is None or self.found[place].member in (None, member):
            return False
        return all(solution.member != member for solution in self.found)

    def _member(self, member: int, labels: Labels) -> int | None:
        """Place of a row of the front, if it is this partition."""
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
        """Different names."""
        return [solution.name for solution in self.found]


def checked_labels(labels: Any, n_samples: int | None = None) -> Labels:
    """Labels as int32, -1 for samples in no cluster; ValueError unless one whole number per sample."""
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
    """The page that was written; the value of a cell in a notebook shows it there.

    Attributes
    ----------
    path : Path
        Absolute.
    """

    path: Path

    def open(self) -> bool:
        """Show it in the browser; False where there is none."""
        return webbrowser.open(self.path.as_uri())

    def _repr_html_(self) -> str:
        # As an attribute, so that neither its scripts nor its looks meet those of the notebook; the file
        # itself is out of reach for notebooks of another machine.
        page = html.escape(self.path.read_text(encoding="utf-8"))
        return (
            f'<iframe srcdoc="{page}" title="report" style="width: 100%; height: {_HEIGHT}px; border: 0">'
            "</iframe>"
        )


class RunSolutions(NamedTuple):
    """Partitions, which of them the estimator gave, what its rules take, and what is left out."""

    solutions: Solutions
    labels: NDArray[np.int32]
    chosen: int
    rules: dict[str, int]
    notes: list[str]


def run_solutions(estimator: Any, class_names: Sequence[str] | None = None) -> RunSolutions:
    """Members of the front, the result, alternatives, controls, runs, and what rules take beside these.

    The fitted estimator stays as it is; ``class_names`` are those of the classes 0, 1, ... that it was given
    as labels. Raises a NotFittedError without ``labels_``.
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
            # The button of a rule says what it takes.
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
    """Objectives of what is not of the front, where they cost little."""
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
    # Constraints may have repaired what the search found.
    final = getattr(estimator, "repaired_labels_", None)
    if final is not None:
        return final[rows]
    if not hasattr(estimator, "graphs_") or "pareto_labels_" in vars(estimator):
        # A property may keep what it finds, which is no business of the estimator that was given.
        return np.asarray(copy.copy(estimator).pareto_labels_)[rows]
    with warnings.catch_warnings():
        # The partition that the estimator chose is enough.
        warnings.simplefilter("ignore")
        return [estimator.graphs_.labels(int(row)) for row in rows]


class Choice(NamedTuple):
    """The solution that ``choose(rule)`` takes."""

    rule: str
    labels: Labels
    member: int | None  # row of the front, where it is known
    estimator: Any  # a copy that has chosen


def choices(estimator: Any) -> list[Choice]:
    """Choices of a fitted estimator by every rule that it has and that can be followed at once.

    The estimator stays as it is.
    """
    found = []
    for rule in rule_names(estimator):
        # Choosing sets attributes, and adds at most to memos behind them, so that the copy may be flat.
        other = copy.copy(estimator)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                other.choose(rule)
            except ValueError:  # a rule that this fit does not allow
                continue
        found.append(Choice(rule, other.labels_, member_of(other), other))
    return found


def member_of(estimator: Any) -> int | None:
    """Row of the front that is chosen, if the estimator tells."""
    row = getattr(estimator, "chosen_", None)
    return None if row is None else int(row)


def rule_names(estimator: Any) -> list[str]:
    """Names that ``choose`` takes, without those that would begin another search."""
    if not callable(getattr(estimator, "choose", None)) or not hasattr(estimator, "pareto_front_"):
        return []
    own = getattr(estimator, "rules_", ("knee", *getattr(estimator, "objective_names_", ())))
    return list(dict.fromkeys(map(str, own)))
