"""Report content: the solutions of a fitted estimator, with their columns and figures."""

from __future__ import annotations

import html
import warnings
import webbrowser
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import FloatArray, Int32Array, Int64Array, Labels
from moo_clustering._data import checked_array
from moo_clustering._parallel import one_thread
from moo_clustering.constraints.pairs import satisfied_pairs
from moo_clustering.descriptions import Heatmap
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.fronts import spread_members
from moo_clustering.pool.candidates import family_words
from moo_clustering.results import ClusteringResult

if TYPE_CHECKING:
    from moo_clustering.constraints import Limit

TO_RESULT = "agreement with the result"
_MOST_ROLES = 3
MADE_WITH = "made with"
_MOST_RUNS = 200
# If the labels of front members must first be computed, at most AFFORDABLE_LABELS labels in total are shown,
# but at least FEWEST_MEMBERS members.
AFFORDABLE_LABELS, FEWEST_MEMBERS = 100_000, 8
Names = Sequence[str] | None
# Types of the entries of ``cuts``, ``left_out``, ``limits`` and ``doubts`` in ReportContent.
Cut = tuple[int, str, str]
LeftOut = tuple[str, Sequence[str], Int64Array]
LimitRow = tuple[str, str, FloatArray]
Doubt = tuple[int, int, int, float, float]


def solution_columns(
    result: ClusteringResult, run: Solutions, labels: Int32Array, supervision: Mapping[str, Any]
) -> list[Column]:
    """Return the solutions' objectives, cluster sizes, scores and satisfied constraints as columns."""
    columns, front = [], result.front
    if front is not None:
        unknown = np.full(len(front.objectives), np.nan)
        values = np.array([unknown if each.values is None else each.values for each in run.found])
        columns += [
            Column(objective.name, own, is_objective=True, greater_is_better=objective.greater_is_better)
            for objective, own in zip(front.objectives, values.T, strict=True)
        ]
    columns += size_columns(labels)
    if result.score is not None:
        values = np.stack([each.values for each in run.found if each.values is not None])
        columns.append(Column("score", result.score(values), greater_is_better=True))
    if result.run_losses is not None:
        losses = {f"run {number}": float(loss) for number, loss in enumerate(result.run_losses)}
        shown = [next((losses[role] for role in each.roles if role in losses), np.nan) for each in run.found]
        columns.append(Column("loss of the run", np.array(shown), greater_is_better=False))
    for name, scores in ({} if front is None else front.scores).items():
        shown = [np.nan if each.member is None else float(scores[each.member]) for each in run.found]
        columns.append(Column(name, np.array(shown), greater_is_better=True))
    return columns + constraint_columns(labels, supervision)


def size_columns(labels: Int32Array) -> list[Column]:
    """Return the numbers of clusters, smallest cluster sizes and numbers of unassigned samples (if any)."""
    sizes = [np.bincount(row[row >= 0]) for row in labels]
    sizes = [each[each > 0] for each in sizes]
    least = [each.min(initial=labels.shape[1]) for each in sizes]
    columns = {"clusters": [*map(len, sizes)], "smallest cluster": least}
    if (outside := (labels < 0).sum(axis=1)).any():
        columns["in no cluster"] = outside.tolist()
    return [Column(name, np.array(values, dtype=np.float64)) for name, values in columns.items()]


def constraint_columns(labels: Int32Array, supervision: Mapping[str, Any]) -> list[Column]:
    """Return the satisfied fractions of all constraints, of must-links, and of cannot-links as columns."""
    if all(given is None or np.size(given) == 0 for given in supervision.values()):
        return []
    (must, n_must), (cannot, n_cannot) = satisfied_pairs(labels, supervision)
    columns = []
    if n_must and n_cannot:
        both = (must + cannot) / (n_must + n_cannot)
        columns.append(Column("constraints satisfied", both, greater_is_better=True))
    kinds = ("must-links satisfied", must, n_must), ("cannot-links satisfied", cannot, n_cannot)
    columns += [Column(name, found / n, greater_is_better=True) for name, found, n in kinds if n]
    return columns


def limit_rows(labels: Int32Array, limits: Sequence[Limit]) -> list[LimitRow]:
    """Return each solution's violation of each limit. NaN if the solution has samples in no cluster."""
    whole = (labels >= 0).all(axis=1)
    rows = []
    for limit in limits:
        values = np.full(len(labels), np.nan)
        values[whole] = limit.violations(labels[whole])
        rows.append((limit.name, limit.requirement, values))
    return rows


def cuts(result: ClusteringResult, run: Solutions, columns: Sequence[Column]) -> list[Cut]:
    """Return the chosen solution and alternatives to it, from the pool or (up to 5) from the front."""
    # For each number of clusters, the front member that is most similar to the chosen solution is compared.
    found, chosen, named = run.found, run.chosen, {column.name: column for column in columns}
    numbers, other = named["clusters"].values, {chosen: "The chosen solution."}
    compared = [column for column in columns if column.is_objective]
    if result.pool is not None:
        index = Column("expected index", np.full(len(found), np.nan), greater_is_better=True)
        index.values[chosen] = result.pool.confidence
        if (level := result.pool.granularity) is not None:
            other[chosen] += f" Granularity: {level(int(numbers[chosen]))}."
        compared = [index, *(column for column in columns if column.name == "score")]
        for name, row in zip(result.alternatives, result.pool.described, strict=False):
            place = next(place for place, each in enumerate(found) if name in each.roles)
            index.values[place] = row["confidence"]
            families = ", ".join(map(family_words, row["families"].split(", ")))
            reason = f"{name}{f' ({level(int(numbers[place]))})' if level else ''}: found by {families}"
            by = row["difference"].partition(", by ")[2]
            other.setdefault(place, f"{reason}{f'; differs in {by}' if by else ''}.")
    elif TO_RESULT in named:
        agreed = named[TO_RESULT].values
        best = {numbers[chosen]: chosen}
        members = [place for place, each in enumerate(found) if each.member is not None]
        for place in sorted(members, key=lambda place: -agreed[place]):
            best.setdefault(numbers[place], place)
        places = [best[number] for number in sorted(best) if best[number] != chosen]
        kept = np.linspace(0, len(places) - 1, min(len(places), 5)).round().astype(int)
        for place in (places[row] for row in kept):
            n_same = int((numbers[members] == numbers[place]).sum())
            which = "The only" if n_same == 1 else f"Most similar to the chosen solution among {n_same}"
            other[place] = f"{which} solution{'s' * (n_same > 1)} on the front with this number of clusters."
    made = [(place, reason, _against(place, chosen, compared)) for place, reason in other.items()]
    return sorted(made, key=lambda cut: (numbers[cut[0]], cut[0])) if len(made) > 1 else []


def _against(place: int, chosen: int, columns: Sequence[Column]) -> str:
    found: dict[str, list[str]] = {"better in": [], "worse in": [], "equal in": []}
    for column in columns:
        own, reference = column.values[[place, chosen]]
        if place != chosen and np.isfinite([own, reference]).all():
            gain = np.sign(own - reference) * (1 if column.greater_is_better else -1)
            kind = {1: "better in", -1: "worse in"}.get(int(gain), "equal in")
            found[kind].append(f"{column.name} ({own:.3g} instead of {reference:.3g})")
    found["equal in"] = [text.partition(" (")[0] for text in found["equal in"]]
    parts = [f"{kind} {', '.join(texts)}" for kind, texts in found.items() if texts]
    return f"Compared with the chosen solution: {'; '.join(parts)}." if parts else ""


@dataclass(frozen=True, eq=False)
class Column:
    """Column with one number per solution.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n_solutions,), float64
        NaN if undefined.
    is_objective : bool
    greater_is_better : bool or None
        None if values are not better or worse than others.
    """

    name: str
    values: FloatArray
    is_objective: bool = False
    greater_is_better: bool | None = None


@dataclass(frozen=True, eq=False)
class ClusterFacts:
    """Description of a cluster.

    Attributes
    ----------
    silhouette : float
        Mean silhouette of the cluster's samples, or of a subsample; NaN if unknown.
    typical : tuple of int
        Row indices of the samples nearest to the cluster centre, nearest first.
    features : tuple of (str, float)
        Leading terms or features with their weights, in decreasing order of weight.
    name : str
        Name that distinguishes the cluster from all other clusters. May be empty.
    nearest : int
        Cluster with which ``contrasts`` compares this cluster; -1 if there is none.
    contrasts : tuple of (str, str, str)
        Names of columns or terms, each with its value in this cluster and its value in ``nearest``.
    rules : tuple of str
        Rules that assign samples to the cluster.
    """

    silhouette: float = float("nan")
    typical: tuple[int, ...] = ()
    features: tuple[tuple[str, float], ...] = ()
    name: str = ""
    nearest: int = -1
    contrasts: tuple[tuple[str, str, str], ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PlaneMap:
    """Positions of samples in the plane.

    Attributes
    ----------
    positions : ndarray of shape (n_shown, 2), float64
    rows : ndarray of shape (n_shown,), int64
        Row indices of the samples shown, in ascending order.
    axes : tuple of two str
    note : str
        Projection method and, if samples are omitted, how the samples shown were selected.
    neighbors : ndarray of shape (n_shown, 2), float64, or None
        Positions in a t-SNE embedding, which the map shows by default. NaN for samples without position.
    columns : sequence of MapColumn
    outlines : ndarray of shape (n_points, 3), float64, or None
        Points of the outlines of areas: index of the area in ``rows``, x, and y. NaN between outlines.
    """

    positions: FloatArray
    rows: Int64Array
    axes: tuple[str, str]
    note: str = ""
    neighbors: FloatArray | None = None
    columns: Sequence[MapColumn] = ()
    outlines: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class MapColumn:
    """Column by which samples on the map can be coloured.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n_shown,), float64
        Numbers, dates in seconds since 1970, or indices into ``categories``; NaN if missing.
    categories : tuple of str
    unit : str
        Unit of the numbers; "date" for dates.
    """

    name: str
    values: FloatArray
    categories: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Figure for results of specific methods, such as similarity matrices.

    Attributes
    ----------
    kind : {"matrix", "lines", "bars", "image"}
    title, note : str
    x, y : sequence
        For ``"bars"``: names and heights. For a ``"matrix"``: column and row names, or empty.
    series : mapping of str to (x, y)
        Coordinates of the points of each of the ``"lines"``, by name of the line.
    matrix : ndarray of shape (n_rows, n_columns), optional
        Values; NaN for empty cells.
    axes : tuple of two str
    image : bytes
        Contents of a PNG file. Its alternative text is ``note``.
    solutions : ndarray of shape (n_rows, n_columns), int64, optional
        Solution that each cell of a ``"matrix"`` selects; -1 if there is none. Panels that have ``solutions``
        are shown in the main part of the page.
    """

    kind: Literal["matrix", "lines", "bars", "image"]
    title: str
    note: str = ""
    x: Sequence[str | float] = ()
    y: Sequence[str | float] = ()
    series: Mapping[str, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    matrix: FloatArray | None = None
    axes: tuple[str, str] = ("", "")
    image: bytes = b""
    solutions: Int64Array | None = None


@dataclass(frozen=True, eq=False)
class ReportContent:
    """Solutions of one or more runs on the same samples.

    Attributes
    ----------
    title : str
    facts : sequence of (str, str)
        Titles and texts of facts in the page header.
    sample_kind : str
        Noun for a sample, such as "document".
    sample_names : ndarray of shape (n_samples,) of str
    sample_texts : sequence of str or None
        Text that identifies each sample, such as the beginning of a document.
    names : sequence of str
    labels : ndarray of shape (n_solutions, n_samples), int32
        Clusters 0, 1, ... of the samples; -1 for samples in no cluster.
    columns : sequence of Column
        Columns of numbers per solution. Objectives come first.
    chosen : int
        Index of the solution selected by the estimator.
    rules : mapping of str to int
        Index of the solution that each rule of ``choose`` selects.
    runs : sequence of str
        Name of each solution's run; empty if there is only one run.
    cluster_names, clusters, heatmaps : mapping of int to sequence of str, sequence of ClusterFacts, Heatmap
        Cluster names, descriptions and heatmaps, by index of the solution. Some solutions may have no entry.
    map : PlaneMap or None
    features_title : str
        Heading for the lists of features, such as "leading terms".
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64
    agreement : ndarray of shape (n_solutions, n_solutions) or None
    agreement_note : str
    history : DataFrame or None
        Generations in the first column, and values in the other columns.
    panels : sequence of Panel
    missing : sequence of str
        Sentences about what the report cannot show.
    confidence : float
        Expected agreement (0 to 1) of the chosen solution with known classes; NaN if unknown.
    cuts : sequence of (int, str, str)
        Solutions to compare: index, origin, and a comparison with the chosen solution.
    left_out : sequence of (str, sequence of str, ndarray)
        Columns that were not used in the fit: name, unique values (or intervals of numbers), and each
        sample's index into these values (-1 if missing).
    limits : sequence of (str, str, ndarray)
        Name and requirement of each limit on clusters, and the violation of the limit by each solution.
    doubts : sequence of (int, int, int, float, float)
        Doubtful samples, most doubtful first: row, own cluster, the other cluster that has the largest
        support in the pool of partitions, and the supports of the own and the other cluster.
    files : sequence of str
        Names of result files in the report folder.
    lines : sequence of (str, str)
        Titles and texts of commands or code that readers can copy.
    """

    title: str
    names: Sequence[str]
    labels: Int32Array
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
    heatmaps: Mapping[int, Heatmap] = field(default_factory=dict)
    features_title: str = "features"
    must_link: Int64Array = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    cannot_link: Int64Array = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    agreement: FloatArray | None = None
    agreement_note: str = ""
    history: pd.DataFrame | None = None
    panels: Sequence[Panel] = ()
    missing: Sequence[str] = ()
    confidence: float = float("nan")
    cuts: Sequence[Cut] = ()
    left_out: Sequence[LeftOut] = ()
    limits: Sequence[LimitRow] = ()
    doubts: Sequence[Doubt] = ()
    files: Sequence[str] = ()
    lines: Sequence[tuple[str, str]] = ()

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
    """Partition and its roles in a run, such as "result", "member 3" (row 3 of the front) or "run 0"."""

    labels: Labels
    roles: list[str]
    member: int | None = None  # row of the front
    values: FloatArray | None = None  # objectives with original signs, if known
    medoids: Int64Array | None = None  # one medoid per cluster
    cluster_names: list[str] | None = None

    @property
    def name(self) -> str:
        shown = ", ".join(sorted(self.roles, key=lambda role: role != "result")[:_MOST_ROLES])
        more = len(self.roles) - _MOST_ROLES
        return shown if more <= 0 else f"{shown} and {more} more"


@dataclass(eq=False)
class Solutions:
    """Partitions of a run in the order of the report, which starts with the members of the front."""

    found: list[Solution] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # sentences about omitted or repaired partitions
    chosen: int = 0  # index of the result
    rules: dict[str, int] = field(default_factory=dict)  # index of the partition that each rule selects
    _places: dict[bytes, int] = field(default_factory=dict)

    def add(self, solution: Solution) -> int:
        """Append a solution, even if its partition already exists, and return its position."""
        self.found.append(solution)
        self._places.setdefault(solution.labels.tobytes(), len(self.found) - 1)
        return len(self.found) - 1

    def place(
        self, labels: ArrayLike, role: str, *, member: int | None = None, always_named: bool = True
    ) -> int:
        """Return the position of a partition, and append the partition if it is new."""
        # If front row ``member`` is present with the same partition, its clusters are renumbered as in
        # ``labels``. If the partition already exists, ``role`` is added only if ``always_named``.
        given = checked_labels(labels)
        place = None if member is None else self._member(member, given)
        if place is None:
            place = self._places.get(given.tobytes())
            is_other = place is not None and self.found[place].member not in (None, member)
            if is_other and member is not None and all(each.member != member for each in self.found):
                place = None
        if place is None:
            return self.add(Solution(given, [role]))
        if always_named and role not in self.found[place].roles:
            self.found[place].roles.append(role)
        return place

    def _member(self, member: int, labels: Labels) -> int | None:
        """Return the position of front row ``member``, or None if it is missing or its partition differs."""
        place = next((place for place, each in enumerate(self.found) if each.member == member), None)
        if place is None:
            return None
        solution = self.found[place]
        first, second = relabel_by_first_appearance(np.stack([solution.labels, labels]) + 1)
        if not (np.array_equal(first, second) and np.array_equal(solution.labels < 0, labels < 0)):
            return None
        if not np.array_equal(solution.labels, labels):
            solution.labels, solution.medoids = labels, None
            self._places.setdefault(labels.tobytes(), place)
        return place

    @property
    def labels(self) -> Labels:
        return np.stack([solution.labels for solution in self.found])

    @property
    def names(self) -> list[str]:
        return [solution.name for solution in self.found]


def checked_labels(labels: Any) -> Labels:
    """Return labels as int32 (-1: in no cluster). Raises a ValueError unless they are 1-d integers."""
    found = checked_array(labels, "labels")
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iub":
        raise ValueError(f"labels must have one integer per sample, got {found.dtype} of shape {found.shape}")
    return np.ascontiguousarray(np.maximum(found, -1), dtype=np.int32)


@dataclass(frozen=True)
class Report:
    """Report page in a file. Notebooks display a report that is the last value in a cell.

    Attributes
    ----------
    path : Path
        Absolute path of the page.
    """

    path: Path

    def open(self) -> bool:
        """Show the page in the browser, or return False if no browser is available."""
        return webbrowser.open(self.path.as_uri())

    def _repr_html_(self) -> str:
        # The attribute srcdoc isolates the scripts and styles of the page from those of the notebook. A link
        # to the file would not work if the notebook runs on another machine.
        page = html.escape(self.path.read_text(encoding="utf-8"))
        return (
            f'<iframe srcdoc="{page}" title="report" style="width: 100%; height: 800px; border: 0"></iframe>'
        )


def run_solutions(result: ClusteringResult, class_names: Names) -> Solutions:
    """Collect the front, the result, alternatives, partitions that rules select, controls and runs."""
    run = Solutions()
    with one_thread("openmp") if len(result.labels) <= 5000 else nullcontext():
        _add_front(run, result)
        run.chosen = _place(run, "result", result, class_names)
        for name, labels in result.alternatives.items():
            run.place(labels, name)
        selected = {}
        for rule in dict.fromkeys(map(str, result.rules)):
            # A ValueError means that this fit does not support the rule.
            with warnings.catch_warnings(action="ignore"), suppress(ValueError):
                selected[rule] = result if result.select is None else result.select(rule)
        for rule, own in selected.items():
            # The names of these rules do not become roles, because the page shows the rules on buttons.
            run.rules[rule] = _place(run, rule, own, class_names, always_named=False)
        for name, labels in result.controls.items():
            run.place(labels, name)
        runs = () if result.runs is None else result.runs
        for row, labels in enumerate(runs[:_MOST_RUNS]):
            run.place(labels, f"run {row}")
        if len(runs) > _MOST_RUNS:
            run.notes.append(f"Only the first {_MOST_RUNS} of {len(runs)} runs are shown.")
        for row, labels in enumerate(() if result.archive is None else result.archive.labels):
            run.place(labels, f"cell {row + 1} of the map", always_named=False)
        others = [each for each in run.found if each.values is None]
        if result.evaluate is not None and others:
            labels = np.stack([each.labels for each in others])
            for each, values in zip(others, result.evaluate(labels), strict=True):
                each.values = values
    return run


def _place(
    solutions: Solutions, role: str, result: ClusteringResult, class_names: Names, always_named: bool = True
) -> int:
    place = solutions.place(result.labels, role, member=result.member, always_named=always_named)
    solution = solutions.found[place]
    if solution.cluster_names is None:
        solution.cluster_names = result.cluster_names(class_names)
    if solution.medoids is None and result.medoids is not None:
        solution.medoids = np.asarray(result.medoids, dtype=np.int64)
    if solution.values is None:
        solution.values = result.values
    if result.member is None or any(each.member == result.member for each in solutions.found):
        return place
    # The front member of the result was omitted, so the result takes its place.
    if solution.member is None and result.front is not None:
        solution.member = result.member
        solution.values = result.front.values[result.member]
        solution.roles.insert(0, f"member {result.member}")
    return place


def _add_front(run: Solutions, result: ClusteringResult) -> None:
    front = result.front
    if front is None or not len(front):
        return
    rows = np.arange(len(front))
    if not front.is_ready:
        most = max(FEWEST_MEMBERS, AFFORDABLE_LABELS // len(result.labels))
        rows = np.sort(spread_members(front.values[:, -1], most))
    if len(rows) < len(front):
        run.notes.append(
            f"Only {len(rows)} evenly spaced solutions out of {len(front)} on the front are shown, because "
            "clustering each graph takes time."
        )
    elif front.repaired is not None and not np.array_equal(front.repaired, front.labels()):
        run.notes.append(
            "The objectives describe the partitions that the search found. Everything else describes these "
            "partitions after samples were moved to satisfy the constraints."
        )
    for row, labels in zip(rows, front.final_labels(rows), strict=True):
        own = None if front.medoids is None else np.asarray(front.medoids[row], dtype=np.int64)
        own = None if own is None else own[own >= 0]
        run.add(Solution(checked_labels(labels), [f"member {row}"], int(row), front.values[row], own))
