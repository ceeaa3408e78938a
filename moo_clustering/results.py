"""Results of clusterers in a common form, for reports, cards, plots and the command line.

:func:`result_of` returns the result of any fitted clusterer. A third-party estimator gets a full report if it
has a method ``clustering_result()`` that returns a :class:`ClusteringResult`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline

from moo_clustering._arrays import FloatArray, IntArray, IntpArray, Labels, warn_caller
from moo_clustering._data import checked_array
from moo_clustering._docs import documented
from moo_clustering._messages import Advice, distinct_names, quoted

if TYPE_CHECKING:
    from moo_clustering.constraints import Limit

__all__ = ["ClusteringResult", "Coassociation", "Front", "Objective", "PoolResult", "result_of"]


class Objective(NamedTuple):
    """Name and direction of an objective.

    Attributes
    ----------
    name : str
    greater_is_better : bool
    """

    name: str
    greater_is_better: bool = False


@dataclass(frozen=True, eq=False)
class Front:
    """A front of partitions.

    Attributes
    ----------
    values : ndarray of shape (n_solutions, n_objectives)
        Objectives with their original signs.
    objectives : sequence of Objective
    labels_of : callable
        ``labels_of(rows)`` returns the partitions of the given solutions, shape (n_rows, n_samples).
    is_ready : bool
        Whether all partitions are known or fast to compute. If False, reports show only some of them.
    repaired : ndarray of shape (n_solutions, n_samples), optional
        Partitions after samples have been moved to satisfy constraints.
    medoids : ndarray of shape (n_solutions, n_medoids), optional
        Row indices of each final partition's medoids, followed by -1 if there are fewer than ``n_medoids``.
    n_clusters : ndarray of shape (n_solutions,), optional
    scores : mapping of str to ndarray of shape (n_solutions,)
        Maps names to scores that the method computed. Higher is better; NaN if undefined.
    """

    values: FloatArray
    objectives: Sequence[Objective]
    labels_of: Callable[[IntpArray], Any]
    is_ready: bool = True
    repaired: Labels | None = None
    medoids: NDArray[Any] | None = None
    n_clusters: NDArray[Any] | None = None
    scores: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objectives."""
        return tuple(objective.name for objective in self.objectives)

    def __len__(self) -> int:
        return len(self.values)

    def labels(self) -> Labels:
        """Return the unrepaired partitions of all solutions."""
        return np.asarray(self.labels_of(np.arange(len(self.values))))

    def final_labels(self, rows: IntpArray) -> Any:
        """Return the partitions of the given solutions, after repair if they were repaired."""
        return self.labels_of(rows) if self.repaired is None else self.repaired[rows]


@dataclass(frozen=True, eq=False)
class PoolResult:
    """Results of a clusterer that selects from a pool of partitions.

    Attributes
    ----------
    scores : DataFrame
        One row per partition in the pool.
    alternatives : callable
        ``alternatives(feature_names)`` returns a table of alternative partitions, one per row.
    confidence, structure_p_value : float
    interval : tuple of float
        Lower and upper bound of the expected adjusted Rand index.
    verdict, verdict_line : str
        Verdict in a few words, and as a line that also contains figures.
    remarks : tuple of str
        Reasons for the verdict, and doubts about it.
    granularity : callable, optional
        ``granularity(n_clusters)`` returns "few", "some" or "many".
    granularities : mapping of str to int
        For each granularity, the number of clusters in the result or in the granularity's best partition.
    labels : ndarray of shape (n_partitions, n_samples), optional
    coassociation : callable, optional
        ``coassociation(most)`` returns the :class:`Coassociation` of at most ``most`` samples or landmarks.
    support : callable, optional
        ``support()`` returns, for each sample and cluster, the fraction of the pool that groups the sample
        with the cluster's samples, shape (n_samples, n_clusters).
    classes : ndarray, optional
        Classes, after a fit with labels.
    cluster_classes : ndarray of shape (n_clusters,), optional
        Index of each cluster's class in ``classes``, or -1 for a new class. If None, cluster c is class c.
    probabilities : ndarray of shape (n_samples, n_classes), optional
    control_scores : mapping of str to float
        Maps the evolution and its control runs to their best scores.
    described : sequence of mapping
        Confidence and families of each alternative, and how the alternative differs from the result.
    arrays : mapping of str to ndarray
        Additional arrays for the archive.
    """

    scores: pd.DataFrame
    alternatives: Callable[[Sequence[str] | None], pd.DataFrame]
    confidence: float
    structure_p_value: float
    verdict: str
    verdict_line: str
    interval: tuple[float, float] = (math.nan, math.nan)
    remarks: tuple[str, ...] = ()
    granularity: Callable[[int], str] | None = None
    granularities: Mapping[str, int] = field(default_factory=dict)
    labels: Labels | None = None
    coassociation: Callable[[int], Coassociation] | None = None
    support: Callable[[], FloatArray] | None = None
    classes: NDArray[Any] | None = None
    cluster_classes: NDArray[Any] | None = None
    probabilities: FloatArray | None = None
    control_scores: Mapping[str, float] = field(default_factory=dict)
    described: Sequence[Mapping[Any, Any]] = ()
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)


class Coassociation(NamedTuple):
    """For each pair of samples, the fraction of a pool's partitions that put both into the same cluster.

    If there are many samples, landmarks (representative samples) are compared instead of samples.

    Attributes
    ----------
    matrix : ndarray of shape (n_shown, n_shown)
    labels : ndarray of shape (n_shown,)
    n_all : int
        Total number of samples or landmarks, including those not shown.
    kind : {"samples", "landmarks"}
    """

    matrix: FloatArray
    labels: NDArray[Any]
    n_all: int
    kind: str


@dataclass(frozen=True, eq=False)
class ClusteringResult:
    """Result of a fitted clusterer. Only ``labels`` is required.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Clusters 0, 1, ..., or -1 for noise.
    front : Front, optional
    member : int, optional
        Row of the partition ``labels`` in the front.
    member_is_known : bool
        If ``member`` is None: True if ``labels`` is known to be absent from the front. If False, the front is
        searched for ``labels``.
    rules : sequence of str
        Names of the rules that select a solution without a new search.
    select : callable, optional
        ``select(rule)`` returns the result for another solution without modifying the clusterer. Raises a
        ValueError if the fit does not support the rule.
    values : ndarray of shape (n_objectives,), optional
        Objectives of ``labels`` if this partition is not on the front.
    medoids : ndarray of shape (n_clusters,), optional
        Row indices.
    alternatives, controls : mapping of str to ndarray of shape (n_samples,)
        Map names to additional partitions.
    runs : ndarray of shape (n_runs, n_samples), optional
        Partitions of repeated runs.
    run_losses : ndarray of shape (n_runs,), optional
    evaluate : callable, optional
        ``evaluate(labels)`` returns the objectives of partitions, shape (n_partitions, n_objectives).
    score : callable, optional
        ``score(objectives)`` returns the scores according to which the method ranks solutions.
    pool : PoolResult, optional
    archive : PartitionArchive, optional
    attainment : AttainmentScores, optional
    number_reason : str
        Explanation of the number of clusters.
    figures, record : mapping of str to object
        Figures that describe the fit, such as the number of iterations, and more entries for the run record.
    feature_weights : ndarray of shape (n_clusters, n_features), optional
    leading_features : callable, optional
        ``leading_features(n, names)`` returns n features that characterise each cluster.
    similarity : sparse matrix or ndarray of shape (n_samples, n_samples), optional
        Graph that was clustered.
    eigenvalues, embedding : ndarray, optional
        Eigenvalues and eigenvectors of the graph Laplacian.
    metric : str or callable, optional
        Distance between samples: ``"precomputed"``, ``"cosine"``, ...
    scaled : callable
        ``scaled(X)`` returns features or bags on the scale used by the method.
    limits : sequence of Limit
        Cluster limits. Reports list how often each solution violates them.
    preparer : TablePreparer, optional
        Converts data frames to features, if the method accepts columns of any kind.
    facts : sequence of (str, str)
        Lines at the top of a report, such as a verdict.
    neighbor_recall : float, optional
        Recall of approximate neighbour lists.
    interrupted : bool
        Whether the search was stopped early.
    records : sequence
        Recorders, logbooks or arrays of the search, for plots.
    lines, history, arrays : callable
        Functions without arguments. ``lines()`` returns the lines of a summary for a card, ``history()`` the
        search history as a table or None, and ``arrays()`` a mapping of additional arrays for the archive.
    user_names : mapping of int to str
        Cluster names set by the user.
    """

    labels: NDArray[Any]
    front: Front | None = None
    member: int | None = None
    member_is_known: bool = False
    rules: Sequence[str] = ()
    select: Callable[[str], ClusteringResult] | None = None
    values: FloatArray | None = None
    medoids: NDArray[Any] | None = None
    alternatives: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    controls: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    runs: NDArray[Any] | None = None
    run_losses: FloatArray | None = None
    evaluate: Callable[[Labels], FloatArray] | None = None
    score: Callable[[FloatArray], FloatArray] | None = None
    pool: PoolResult | None = None
    archive: Any = None
    attainment: Any = None
    number_reason: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    feature_weights: FloatArray | None = None
    leading_features: Callable[..., Sequence[Sequence[Any]]] | None = None
    similarity: Any = None
    eigenvalues: FloatArray | None = None
    embedding: Any = None
    metric: Any = None
    scaled: Callable[[Any], Any] = field(default_factory=lambda: lambda X: X)
    limits: Sequence[Limit] = ()
    preparer: Any = None
    facts: Sequence[tuple[str, str]] = ()
    lines: Callable[[], Sequence[str]] = tuple
    neighbor_recall: float | None = None
    interrupted: bool = False
    history: Callable[[], pd.DataFrame | None] = field(default_factory=lambda: lambda: None)
    records: Sequence[Any] = ()
    arrays: Callable[[], Mapping[str, Any]] = dict
    user_names: Mapping[int, str] = field(default_factory=dict)

    @property
    def has_front(self) -> bool:
        """Whether there is a non-empty front."""
        return self.front is not None and len(self.front) > 0

    def cluster_names(self, class_names: Sequence[str] | None = None) -> list[str] | None:
        """Return each cluster's class name ("new, NUMBER" for new classes), or None after a fit without y."""
        if self.pool is None or self.pool.classes is None:
            return None
        codes, of_clusters = self.pool.classes, self.pool.cluster_classes
        names = [str(code) if class_names is None else str(class_names[code]) for code in codes]
        if of_clusters is None:
            return names
        return [names[i] if i >= 0 else f"new, {cluster}" for cluster, i in enumerate(of_clusters)]

    def row_of_front(self) -> int | None:
        """Return the row of the partition ``labels`` in the front, or None if it is absent or unknown."""
        if self.member is not None or self.member_is_known or self.front is None or not self.front.is_ready:
            return self.member
        same = np.flatnonzero((self.front.labels() == self.labels).all(axis=1))
        return int(same[0]) if len(same) else None


def has_labels(clusterer: Any) -> bool:
    return getattr(clusterer, "labels_", None) is not None


@documented()
def result_of(clusterer: Any) -> ClusteringResult:
    """Return the result of a fitted clusterer from any package.

    Raises a NotFittedError if the clusterer has no ``labels_``.

    Parameters
    ----------
    clusterer : fitted clusterer
        Clusterer or pipeline that has ``clustering_result()``, or ``labels_`` and possibly other attributes
        with common names (``pareto_front_``, ``pareto_labels_``, ``medoid_indices_``, ``history_``, ...).

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from moo_clustering.results import result_of
    >>> result_of(KMeans(2, random_state=0).fit([[0], [1], [8], [9]])).labels
    array([1, 1, 0, 0], dtype=int32)
    """
    if isinstance(clusterer, Pipeline):
        return result_of(clusterer[-1])
    if not has_labels(clusterer):
        call = "Call 'fit' with appropriate arguments before using this estimator."
        raise NotFittedError(f"This {type(clusterer).__name__} instance is not fitted yet. {call}")
    has_result = hasattr(clusterer, "clustering_result")
    result: ClusteringResult = clusterer.clustering_result() if has_result else from_attributes(clusterer)
    return result


def from_attributes(clusterer: Any) -> ClusteringResult:
    """Create a result from a clusterer's attributes with common names."""

    def found(name: str, default: Any = None) -> Any:
        return getattr(clusterer, name, default)

    names, values, row = found("objective_names_", ()), found("pareto_front_"), found("chosen_")
    front = None
    if values is not None:
        objectives = [Objective(str(name)) for name in names]
        values = np.asarray(values, dtype=np.float64)
        front = Front(values, objectives, lambda rows: np.asarray(clusterer.pareto_labels_)[rows])
    return ClusteringResult(
        labels=np.asarray(found("_result_labels", clusterer.labels_)),
        front=front,
        member=None if row is None else int(row),
        member_is_known=hasattr(clusterer, "chosen_"),
        medoids=found("medoid_indices_"),
        similarity=found("similarity_"),
        eigenvalues=found("eigenvalues_"),
        embedding=found("embedding_"),
        metric=found("metric", found("affinity")),
        neighbor_recall=found("neighbor_recall_"),
        figures=attributes_of(clusterer, {"n_iter": "n_iter_", "n_components": "n_components_"}),
        interrupted=bool(found("interrupted_", False)),
        history=lambda: history_frame(found("history_"), names),
        records=records_of(clusterer),
        user_names=dict(found("cluster_names_", {})),
    )


def with_user_names(names: Sequence[str], user_names: Mapping[int, str]) -> list[str]:
    """Replace names with names set by the user. Other clusters with the same name are named ``a (2)``, ..."""
    order = sorted(range(len(names)), key=lambda cluster: cluster not in user_names)
    found = distinct_names(user_names.get(cluster, names[cluster]) for cluster in order)
    return [name for _, name in sorted(zip(order, found, strict=True))]


def sizes_text(labels: IntArray, weights: IntArray | None = None, *, new: int = 0) -> str:
    """Describe cluster sizes, ``new`` clusters and outliers, such as ``2 clusters of 9, 5 samples``."""
    weights = np.ones(len(labels), dtype=np.int64) if weights is None else weights
    sizes = np.sort(np.bincount(labels[labels >= 0], weights[labels >= 0]).astype(np.int64))[::-1]
    sizes = sizes[sizes > 0]
    shown = ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")
    text = f"{len(sizes)} cluster{'' if len(sizes) == 1 else 's'} of {shown} samples"
    if new:
        text += f", {new} of them without labels"
    if n_noise := int(weights[labels < 0].sum()):
        text += f" and {n_noise} outlier{'' if n_noise == 1 else 's'}"
    return text


def recall_text(recall: float | None) -> str | None:
    return None if recall is None else f"approximate lists with {recall:.1%} of the nearest neighbours"


def renamed_clusters(changes: Any, user_names: Mapping[int, str], clusters: Sequence[int]) -> dict[int, str]:
    """Return the user's cluster names after applying changes; changing a name to None removes it."""
    if not isinstance(changes, Mapping):
        raise TypeError(f"names must be a mapping from clusters to names, got {quoted(changes)}")
    found: dict[int, str | None] = dict(user_names)
    for key, name in changes.items():
        # In JSON, all keys are strings.
        key = int(key) if isinstance(key, str) and key.isdecimal() else key
        if not isinstance(key, int | np.integer) or isinstance(key, bool) or key not in clusters:
            raise ValueError(f"there is no cluster {quoted(key)}; the last cluster is {max(clusters)}")
        if not isinstance(name, str | None):
            raise TypeError(f"the name of cluster {key} must be a string or None, got {quoted(name)}")
        found[int(key)] = name and " ".join(name.split())
        if found[int(key)] == "":
            said = "cluster names must not be empty; to remove a name, use "
            raise ValueError(Advice(said, "None", f"{key}= or null in a file"))
    names = {cluster: name for cluster, name in sorted(found.items()) if name is not None}
    if twice := [name for name, count in Counter(names.values()).items() if count > 1]:
        same = " and ".join(str(cluster) for cluster, name in names.items() if name == twice[0])
        raise ValueError(f"names must be unique, but clusters {same} would be named {quoted(twice[0])}")
    return names


def carried_names(before: ArrayLike, after: ArrayLike, user_names: Mapping[int, str]) -> dict[int, str]:
    """Transfer the user's cluster names from one partition to another. Warn about names that are dropped."""
    # A name is carried over to the new cluster that contains more than half of the samples of the old
    # cluster, if these samples are also more than half of the new cluster. Otherwise, the name is dropped.
    new, found = np.asarray(after), dict[int, str]()
    for cluster, name in user_names.items():
        own = new[np.asarray(before) == cluster]
        heir = int(np.bincount(own + 1, minlength=1).argmax()) - 1
        if heir >= 0 and 2 * (own == heir).sum() > max(len(own), (new == heir).sum()):
            found[heir] = name
    if lost := ", ".join(quoted(name) for name in user_names.values() if name not in found.values()):
        why = "because the new partition has no similar cluster"
        warn_caller(f"these cluster names were dropped, {why}: {lost}")
    return dict(sorted(found.items()))


def records_of(clusterer: Any) -> list[Any]:
    """Return the recorders, logbooks or arrays of a clusterer's search. The clusterer need not be fitted."""
    found = (getattr(clusterer, name, None) for name in ("history_", "logbook_", "objective_history_"))
    return [records for records in found if records is not None]


def history_frame(history: Any, objective_names: Sequence[str]) -> pd.DataFrame | None:
    """Convert a search history (or None) to a table with one row per generation or sweep."""
    if history is None or isinstance(history, pd.DataFrame):
        return history
    if isinstance(history, np.ndarray):
        return pd.DataFrame({"sweep": np.arange(1, len(history) + 1), "objective": history})
    frame: pd.DataFrame = history.to_frame(objective_names or None)
    return frame


def logbook_frame(logbook: Any, seconds: Sequence[float] = ()) -> pd.DataFrame:
    frame = pd.DataFrame(list(logbook)).rename(columns={"gen": "generation", "iter": "generation"})
    if len(seconds) == len(frame):
        frame.insert(1, "seconds", seconds)
    return frame


def attributes_of(clusterer: Any, attributes: Mapping[str, str]) -> dict[str, Any]:
    """Return the attributes that are not None; ``attributes`` maps keys of the output to attribute names."""
    found = {name: getattr(clusterer, attribute, None) for name, attribute in attributes.items()}
    return {name: value for name, value in found.items() if value is not None}


class SearchHistory(NamedTuple):
    """Values of curves, and objectives of the individuals, at each step of a search."""

    step: str  # such as "generation"
    frame: pd.DataFrame  # one row per step and one column per curve
    # Minimised objectives of the individuals at each step, shape (n_individuals, n_objectives), if recorded.
    F: Sequence[FloatArray] = ()
    maximised: frozenset[str] = frozenset()


def read_history(run: Any, names: Sequence[str] | None = None) -> SearchHistory:
    """Read the history from a fitted estimator, recorder, data frame, DEAP logbook or array."""
    # ``names`` are the objective names for a recorder. By default, the names of the estimator are used.
    from moo_clustering.algorithms.search import Recorder

    if isinstance(run, pd.DataFrame):
        return _of_frame(run)
    if isinstance(run, Recorder):
        return _of_recorder(run, names)
    if isinstance(run, list) and run and all(isinstance(row, Mapping) for row in run):
        return _of_logbook(run)
    if isinstance(run, np.ndarray | list | tuple):
        values = checked_array(run, "runs", np.float64)
        if values.ndim != 1 or not len(values):
            allowed = "non-empty and have shape (n_steps,)"
            raise ValueError(f"a history without names must be {allowed}, got {values.shape}")
        return SearchHistory("step", pd.DataFrame({"objective": values}, index=np.arange(1, len(values) + 1)))
    if isinstance(run, BaseEstimator):
        return _of_estimator(run, names)
    allowed = (
        "a fitted estimator with history_ or logbook_, a Recorder, a DataFrame with a column 'generation'"
    )
    raise TypeError(f"a run must be {allowed}, a DEAP logbook or an array, got {type(run).__name__}")


def _of_estimator(run: BaseEstimator, names: Sequence[str] | None) -> SearchHistory:
    name = type(run).__name__
    for history in (records := records_of(run)):
        if not hasattr(history, "signs"):  # not a Recorder
            read = read_history(history)
            return read._replace(step="sweep") if read.step == "step" else read
        if history.F:
            front = result_of(run).front if has_labels(run) else None
            own = None if front is None else front.names
            return _of_recorder(history, own if names is None else names)
    if records:
        raise ValueError(f"the history of this {name} is empty, because its fit included no search")
    raise ValueError(f"this {name} has neither history_ nor logbook_; pass an estimator that runs a search")


def _of_recorder(recorder: Any, names: Sequence[str] | None) -> SearchHistory:
    if not recorder.F:
        raise ValueError("the recorder is empty, because no run was recorded")
    n_objectives = recorder.F[0].shape[1]
    names = [f"f{i + 1}" for i in range(n_objectives)] if names is None or not len(names) else list(names)
    frame = recorder.to_frame(names)
    signs = np.ones(n_objectives) if recorder.signs is None else np.asarray(recorder.signs, dtype=np.float64)
    means = np.array([pd.DataFrame(F).where(np.isfinite(F)).mean() for F in recorder.F]) * signs
    frame = frame.set_index(frame["generation"].to_numpy()).assign(
        **{f"mean_{name}": means[:, i] for i, name in enumerate(names)}
    )
    columns = [f"{what}_{name}" for name in names for what in ("best", "mean")]
    maximised = frozenset(name for name, sign in zip(names, signs, strict=True) if sign < 0)
    return SearchHistory("generation", frame[[*columns, "front_size"]], recorder.F, maximised)


def _of_frame(frame: pd.DataFrame) -> SearchHistory:
    units = ("generation", "gen", "sweep", "iteration", "iter", "evaluations")
    step = next((name for name in units if name in frame.columns), None)
    if step is None:
        raise ValueError(f"frame must have a column 'generation', got {list(frame.columns)}")
    costs = ["seconds", "nevals", "evals"]
    numbers = frame.drop(columns=[step, *costs], errors="ignore").select_dtypes(["number", "bool"])
    if numbers.empty:
        raise ValueError("frame has no numeric columns to plot")
    steps = frame[step].to_numpy()
    if len(np.unique(steps)) < len(steps):
        raise ValueError(f"column {step!r} contains duplicate numbers; pass one run at a time")
    numbers = numbers.astype(np.float64).set_index(steps).sort_index()
    numbers.columns = numbers.columns.map(str)
    return SearchHistory({"gen": "generation", "iter": "iteration"}.get(step, step), numbers)


def _of_logbook(logbook: Any) -> SearchHistory:
    """Convert a logbook. Statistics of several objectives become one column per objective."""
    rows, chapters = [], getattr(logbook, "chapters", {})  # DEAP calls groups of statistics chapters
    for place, record in enumerate(logbook):
        row = dict(record)
        for chapter, entries in chapters.items():
            row |= {f"{key}_{chapter}": value for key, value in entries[place].items() if key not in row}
        single: dict[str, Any] = {}
        for name, value in row.items():
            if isinstance(value, np.ndarray | list | tuple):
                single |= {f"{name}_f{i}": one for i, one in enumerate(np.ravel(value), 1)}
            else:
                single[name] = value
        rows.append(single)
    return _of_frame(pd.DataFrame(rows))
