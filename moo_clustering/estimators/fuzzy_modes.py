"""FuzzyModesMOGA."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.result import Result
from pymoo.operators.crossover.pntx import SinglePointCrossover
from pymoo.operators.selection.tournament import TournamentSelection
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context, clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._arrays import Labels, SeedLike, spawn_seeds
from moo_clustering._parallel import threads_here
from moo_clustering.algorithms import PymooSearch, Recorder, drive
from moo_clustering.algorithms.others import non_dominated
from moo_clustering.consensus import cspa
from moo_clustering.encodings import align_labels, relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators._base import ReportMixin, Rule, check_rule, checkpoint_for, choose_member
from moo_clustering.operators import batched_tournament
from moo_clustering.operators.mutation import ModesMutation
from moo_clustering.operators.sampling import ModesSampling
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems.categories import FuzzyModesProblem, memberships, mode_distances
from moo_clustering.validity import pairwise_ari

FINALS = ("vote", "cspa")
# Whole numbers in floats are categories up to so many different ones, measured values beyond.
_FEW = 20
_N_NEIGHBORS = 5
# Shares that differ by less are equal.
_EQUAL = 1e-12


class FuzzyModesMOGA(ReportMixin, ClusterMixin, BaseEstimator):
    """MOGA(pi, sep): modes whose fuzzy clusters are compact and far apart, and a vote among them.

    For tables of categories (numbers, strings, columns of a data frame), or of numbers with
    ``metric="euclidean"``.

    The formulas are read from the article's abstract and later descriptions, so details are
    reconstructions.

    Parameters
    ----------
    n_clusters : int
        K, from 1 to n_samples. Partitions may use fewer.
    metric : {"hamming", "euclidean"}, default="hamming"
        Number of attributes that differ, or Euclidean distance. With ``"hamming"`` every value of a column
        is a category, except in columns of floats that have more than ``bins`` different values, or more
        than 20 if all are whole numbers: those are binned. Numbers are better clustered as such.
    m : float, default=2
        Above 1; memberships get crisp towards 1.
    beta : float, default=0.5
        Samples with at least this share of votes for one cluster train a classifier by the 5 nearest
        neighbours, which decides about the others. With two clusters all have a half.
    final : {"vote", "cspa"}, default="vote"
        How the front becomes one partition: majority vote and classifier, or
        :func:`~moo_clustering.consensus.cspa` with ``partitioner="svd"``.
    reference : {"first", "medoid"}, default="first"
        Partition to which the clusters of the others are matched for the vote: that of least pi, or the
        one most similar to the others.
    bins : int or None, default=5
        Intervals of equal frequency for floats with ``metric="hamming"``. None refuses fractions and takes
        whole numbers as categories however many there are.
    scale : {"minmax", "zscore", "none"}, default="minmax"
        Of the columns, with ``metric="euclidean"``.
    pop_size : int, default=100
    n_gen : int, default=100
        Generations after the initial population.
    pc, pm : float, default=0.8 and 0.2
        Probabilities that a pair is crossed, at one point, and that an attribute of an individual is set
        at random.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads; the result does not depend on it.
    verbose : bool, default=False
        Progress bar with rate, time left and best values.
    checkpoint : path, optional
        File to which the state of the search is written; needs an integer ``random_state``.
    checkpoint_every : int, default=10
        Generations between checkpoints.
    resume : bool, default=False
        Continue from ``checkpoint`` if it exists, to the same result as without interruption.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Label c is the cluster of ``modes_[c]``.
    n_clusters_ : int
    modes_ : ndarray of shape (n_clusters_, n_features)
        Most frequent values, or means, of the clusters of a vote or consensus; or those that were
        searched, of a single solution. As in X; intervals for binned columns.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The same, with ``metric="euclidean"``.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Degrees in the clusters around ``modes_``; rows sum to 1.
    chosen_ : int or None
        Row of the front whose partition this is; None for a vote or consensus.
    pareto_front_ : ndarray of shape (n_solutions, 2)
        pi (less is better) and sep (more is better) of the different non-dominated solutions, by pi.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Nearest modes; those without a sample are left out.
    pareto_modes_ : ndarray of shape (n_solutions, n_clusters, n_features)
        As in X.
    objective_names_ : tuple of str
    result_ : pymoo.core.result.Result
    history_ : Recorder
    n_iter_ : int
        Generations done.
    interrupted_ : bool
        Whether Ctrl-C ended the search early.
    n_features_in_, feature_names_in_

    Notes
    -----
    O(n_gen pop_size K n_samples C) time, C being all categories or the features, and memory as
    :class:`~moo_clustering.problems.FuzzyModesProblem` says; nothing is quadratic in n_samples. The front
    of categories often shrinks to a single solution: sep is greatest where the modes differ in everything,
    and pi then decides alone. That of numbers is little better than the first population, whose evaluation
    already moves the modes into their clusters.

    References
    ----------
    A. Mukhopadhyay, U. Maulik, S. Bandyopadhyay, "Multiobjective genetic algorithm-based fuzzy clustering
    of categorical attributes", IEEE Transactions on Evolutionary Computation 13 (2009).

    Examples
    --------
    >>> from moo_clustering.estimators.fuzzy_modes import FuzzyModesMOGA
    >>> X = [["red", "round"], ["red", "oval"], ["red", "round"], ["blue", "flat"], ["blue", "flat"]]
    >>> model = FuzzyModesMOGA(2, n_gen=5, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> model.modes_.tolist()
    [['red', 'round'], ['blue', 'flat']]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions({"hamming", "euclidean"})],
        "m": [Interval(Real, 1, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "final": [StrOptions(set(FINALS))],
        "reference": [StrOptions({"first", "medoid"})],
        "bins": [Interval(Integral, 2, None, closed="left"), None],
        "scale": [StrOptions({"minmax", "zscore", "none"})],
        "pop_size": [Interval(Integral, 2, None, closed="left")],
        "n_gen": [Interval(Integral, 0, None, closed="left")],
        "pc": [Interval(Real, 0, 1, closed="both")],
        "pm": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "checkpoint": [str, Path, None],
        "checkpoint_every": [Interval(Integral, 1, None, closed="left")],
        "resume": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        metric: Literal["hamming", "euclidean"] = "hamming",
        m: float = 2.0,
        beta: float = 0.5,
        final: Literal["vote", "cspa"] = "vote",
        reference: Literal["first", "medoid"] = "first",
        bins: int | None = 5,
        scale: Literal["minmax", "zscore", "none"] = "minmax",
        pop_size: int = 100,
        n_gen: int = 100,
        pc: float = 0.8,
        pm: float = 0.2,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.m = m
        self.beta = beta
        self.final = final
        self.reference = reference
        self.bins = bins
        self.scale = scale
        self.pop_size = pop_size
        self.n_gen = n_gen
        self.pc = pc
        self.pm = pm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Without missing values.
        y : Ignored

        Raises
        ------
        ValueError, TypeError
            Parameters or data out of range; columns without numbers with ``metric="euclidean"``, or with
            fractions where ``bins=None``, by name.
        """
        columns = read_columns(self, X, reset=True)
        n_samples = len(columns[0].values)
        if self.n_clusters > n_samples:
            raise ValueError(f"n_clusters={self.n_clusters} is more than n_samples={n_samples}.")
        self._coder: CategoryCoder | NumberCoder
        if self.metric == "hamming":
            self._coder = CategoryCoder(columns, self.bins)
        else:
            self._coder = NumberCoder(columns, self.scale)
        data = self._coder.encode(columns)
        checkpoint = self._checkpoint(data)
        search_seed, final_seed = spawn_seeds(self.random_state, 2)
        self._problem = FuzzyModesProblem(
            data, self.n_clusters, metric=self.metric, m=self.m, n_jobs=self.n_jobs
        )
        self._search(int(search_seed.generate_state(1)[0]), checkpoint)
        self._final_seed = int(final_seed.generate_state(1)[0])
        return self.choose(self.final)

    @property
    def rules_(self) -> tuple[str, ...]:
        """Names that :meth:`choose` takes."""
        check_is_fitted(self, "pareto_front_")
        return (*FINALS, "knee", *self.objective_names_)

    def choose(self, rule: Rule) -> Self:
        """Take another partition from the front, without searching again.

        Parameters
        ----------
        rule : {"vote", "cspa", "knee", "pi", "sep"}, int or callable
            As for ``final``; or a single solution: the knee, the best in an objective, a row of
            ``pareto_front_`` or ``rule(pareto_front_) -> row``.

        Returns
        -------
        self
            With ``labels_``, ``n_clusters_``, ``modes_``, ``memberships_`` and ``chosen_`` replaced.

        Raises
        ------
        ValueError
            Unknown rule, or a row number outside the front.
        """
        check_rule(rule, self.rules_)
        if isinstance(rule, str) and rule in FINALS:
            self.chosen_: int | None = None
            self.labels_: Labels = self._vote() if rule == "vote" else self._consensus()
            self._modes = self._problem.modes_of(self.labels_)
        else:
            self.chosen_ = choose_member(self.pareto_front_, self.objective_names_, (False, True), rule)
            self.labels_ = self.pareto_labels_[self.chosen_].copy()
            self._modes = self._pareto_modes[self.chosen_][self._used[self.chosen_]]
        self.n_clusters_ = int(self.labels_.max()) + 1
        self._describe()
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"only {self.n_clusters_} of n_clusters={self.n_clusters} clusters have samples; there may "
                "be too few different rows.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: Any) -> Labels:
        """Cluster of the nearest of ``modes_``; ties: the first.

        A category that was not there in ``fit`` differs from all others. After a vote or consensus samples
        of the fit may be nearest to the mode of another cluster than theirs.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self, "pareto_front_")
        rows = self._coder.encode(read_columns(self, X, reset=False))
        return mode_distances(rows, self._modes, self.metric).argmin(axis=0).astype(np.int32)

    @property
    def pareto_modes_(self) -> NDArray[Any]:
        """Modes of every non-dominated solution."""
        check_is_fitted(self, "pareto_front_")
        return self._coder.decode(self._pareto_modes)

    def _search(self, seed: int, checkpoint: Checkpoint | None) -> None:
        problem = self._problem
        signs = problem.natural(np.ones(2))
        search = modes_search(problem, pop_size=self.pop_size, pc=self.pc, pm=self.pm, seed=seed)
        self.history_ = Recorder(signs)
        self.interrupted_ = drive(
            search,
            n_gen=self.n_gen,
            recorder=self.history_,
            verbose=bool(self.verbose),
            description="FuzzyModesMOGA",
            objective_names=problem.objective_names,
            signs=signs,
            checkpoint=checkpoint,
        )
        self.n_iter_ = search.generation
        self.result_: Result = search.result()
        genes, F = distinct_front(problem, self.result_.pop)
        nearest = problem.nearest(genes)
        self._used = np.stack([np.bincount(row, minlength=self.n_clusters) > 0 for row in nearest])
        numbers = (np.cumsum(self._used, axis=1) - 1).astype(np.int32)
        self.pareto_labels_: Labels = np.take_along_axis(numbers, nearest, axis=1)
        self.pareto_front_ = problem.natural(F)
        self.objective_names_ = problem.objective_names
        self._pareto_modes = problem.modes(genes)

    def _checkpoint(self, data: NDArray[Any]) -> Checkpoint | None:
        # How a partition is taken from the front is no part of the search, and may change on resuming.
        same = clone(self).set_params(final="vote", beta=0.5, reference="first")
        return checkpoint_for(same, data)

    def _vote(self) -> Labels:
        return majority_vote(
            self.pareto_labels_,
            self._problem.space.data,
            metric=self.metric,
            beta=self.beta,
            reference=self.reference,
            n_jobs=self.n_jobs,
        )

    def _consensus(self) -> Labels:
        found = int((self.pareto_labels_.max(axis=1) + 1).sum())
        return cspa(
            self.pareto_labels_,
            min(self.n_clusters, found),
            partitioner="svd",
            random_state=self._final_seed,
        )

    def _describe(self) -> None:
        distances = mode_distances(self._problem.space.data, self._modes, self.metric)
        self.memberships_ = np.ascontiguousarray(memberships(distances, float(self.m)).T)
        self.modes_ = self._coder.decode(self._modes)
        self.__dict__.pop("cluster_centers_", None)
        if self.metric == "euclidean":
            self.cluster_centers_ = self.modes_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = self.metric == "hamming"
        return tags


class CategoryCoder:
    """Columns as codes 0, 1, ... of their values in ascending order.

    Every value is a category, except in columns of floats with more than ``bins`` different values (with
    more than 20 and ``bins`` if all are whole): those are cut at their quantiles into ``bins`` intervals,
    fewer where quantiles are equal.

    Parameters
    ----------
    columns : sequence of Column
    bins : int or None
        None cuts nothing, and refuses columns with fractions.

    Attributes
    ----------
    categories : list of ndarray
        What the codes of a column stand for; intervals of cut columns.

    Raises
    ------
    ValueError
        Fractions without ``bins``, naming the column.
    """

    def __init__(self, columns: Sequence[Column], bins: int | None) -> None:
        self._edges = [_edges(column, bins) for column in columns]
        self.categories = [
            _sorted_values(column) if edges is None else _intervals(edges)
            for column, edges in zip(columns, self._edges, strict=True)
        ]
        for column, edges, categories in zip(columns, self._edges, self.categories, strict=True):
            if edges is None and len(categories) == len(column.values) > _FEW:
                warnings.warn(
                    f"{column.name} has another value in every sample; as categories these say nothing. Give "
                    "measured values as floats, which are binned, or take metric='euclidean'.",
                    UserWarning,
                    stacklevel=4,
                )

    def encode(self, columns: Sequence[Column]) -> NDArray[np.int32]:
        """Codes of shape (n_samples, n_features); -1 for a value that is no category."""
        codes = []
        for column, edges, categories in zip(columns, self._edges, self.categories, strict=True):
            if edges is None:
                codes.append(pd.Index(categories).get_indexer(column.values.to_numpy()))
            elif column.is_number:
                codes.append(np.searchsorted(edges, column.numbers(), side="right"))
            else:
                raise ValueError(f"{column.name} held numbers when fitted, got {column.values.dtype}.")
        return np.column_stack(codes).astype(np.int32)

    def decode(self, modes: NDArray[Any]) -> NDArray[Any]:
        """Codes of shape (..., n_features) as the values they stand for, objects if of different kinds."""
        kinds = {categories.dtype for categories in self.categories}
        values = np.empty(modes.shape, dtype=kinds.pop() if len(kinds) == 1 else object)
        for feature, categories in enumerate(self.categories):
            values[..., feature] = categories[modes[..., feature]]
        return values


class NumberCoder:
    """Columns as numbers on a common scale.

    Parameters
    ----------
    columns : sequence of Column
    scale : {"minmax", "zscore", "none"}

    Raises
    ------
    ValueError
        Columns that hold no numbers, by name.
    """

    def __init__(self, columns: Sequence[Column], scale: str) -> None:
        X = _matrix(columns)
        # Halves, so that the difference of huge numbers stays finite.
        self._origin, self._half = np.zeros(X.shape[1]), np.full(X.shape[1], 0.5)
        if scale != "none":
            low, high = X.min(axis=0), X.max(axis=0)
            self._origin, self._half = low, _not_zero(high / 2 - low / 2)
        if scale == "zscore":
            # Standardising the range first keeps the squares of tiny and huge numbers within bounds.
            scaled = self.encode(columns)
            self._origin = self.decode(scaled.mean(axis=0))
            self._half = self._half * _not_zero(scaled.std(axis=0))

    def encode(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        """Numbers of shape (n_samples, n_features)."""
        X: NDArray[np.float64] = (_matrix(columns) / 2 - self._origin / 2) / self._half
        return X

    def decode(self, modes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of shape (..., n_features), as they were given."""
        X: NDArray[np.float64] = (self._origin / 2 + modes * self._half) * 2
        return X


def _not_zero(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(spread > 0.0, spread, 1.0)


def _matrix(columns: Sequence[Column]) -> NDArray[np.float64]:
    other = [f"{column.name} ({_kind(column)})" for column in columns if not column.is_number]
    if other:
        raise ValueError(
            f"metric='euclidean' needs numbers, but there are others in {', '.join(other)}; take "
            "metric='hamming', which compares categories and bins numbers, or encode them."
        )
    return np.column_stack([column.numbers() for column in columns])


def _kind(column: Column) -> str:
    dtype = column.values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "categories"
    return f"such as {column.values.iloc[0]!r}"


def _edges(column: Column, bins: int | None) -> NDArray[np.float64] | None:
    """Where a column is cut, if it is: the least values of all intervals but the first."""
    if not column.is_float:
        return None
    numbers = column.numbers()
    whole = bool((numbers == np.rint(numbers)).all())
    if bins is None:
        if whole:
            return None
        raise ValueError(
            f"{column.name} holds fractions, which are no categories for metric='hamming': give bins, or "
            "take metric='euclidean'."
        )
    if len(np.unique(numbers)) <= (max(bins, _FEW) if whole else bins):
        return None
    cuts = np.quantile(numbers, np.linspace(0.0, 1.0, bins + 1)[1:-1], method="higher")
    edges: NDArray[np.float64] = np.unique(cuts[cuts > numbers.min()])
    return edges


def _intervals(edges: NDArray[np.float64]) -> NDArray[Any]:
    bounds = [-np.inf, *edges.tolist(), np.inf]
    out = np.empty(len(bounds) - 1, dtype=object)
    for i in range(len(out)):
        out[i] = pd.Interval(bounds[i], bounds[i + 1], closed="left")
    return out


def _sorted_values(column: Column) -> NDArray[Any]:
    """Different values, categories in their order."""
    values = column.values
    if isinstance(values.dtype, pd.CategoricalDtype):
        used = values.cat.remove_unused_categories().cat.categories
        return np.asarray(used)
    distinct = pd.unique(values.to_numpy())
    try:
        return np.sort(distinct)
    except TypeError:
        # Values of different types have no order of their own.
        order = sorted(range(len(distinct)), key=lambda i: (type(distinct[i]).__name__, str(distinct[i])))
        return distinct[order]


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute.

    Attributes
    ----------
    name : str
        For messages: ``"column 'width'"`` or ``"column 3"``.
    values : pandas.Series
        Without missing values.
    """

    name: str
    values: pd.Series

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers, truth values included."""
        return bool(pd.api.types.is_numeric_dtype(self.values.dtype))

    @property
    def is_float(self) -> bool:
        """Whether it holds floating-point numbers."""
        return bool(pd.api.types.is_float_dtype(self.values.dtype))

    def numbers(self) -> NDArray[np.float64]:
        """As float64."""
        return self.values.to_numpy(dtype=np.float64)


def read_columns(estimator: BaseEstimator, X: Any, *, reset: bool) -> list[Column]:
    """Columns of a data frame or of an array of numbers, strings or objects.

    Also sets, or with ``reset=False`` checks, the estimator's names and number of features.

    Raises
    ------
    ValueError
        No samples or features, missing values (naming the column) or sparse data.
    TypeError
        Values that cannot be told apart, such as dictionaries.
    """
    if isinstance(X, pd.DataFrame):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if 0 in X.shape:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) (shape={X.shape}) "
                "while a minimum of 1 is required."
            )
        series = [X.iloc[:, i].reset_index(drop=True) for i in range(X.shape[1])]
    else:
        table = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        # Columns of an array of objects may well hold numbers.
        series = [pd.Series(table[:, i]).infer_objects() for i in range(table.shape[1])]
    names = getattr(estimator, "feature_names_in_", range(len(series)))
    columns = [
        Column(f"column {name!r}" if isinstance(name, str) else f"column {name}", _countable(values))
        for name, values in zip(names, series, strict=True)
    ]
    for column in columns:
        _check(column)
    return columns


def _countable(values: pd.Series) -> pd.Series:
    """As float64 if they are longer or half floats, of which pandas cannot tell which are equal."""
    return values.astype(np.float64) if values.dtype in (np.longdouble, np.float16) else values


def _check(column: Column) -> None:
    values = column.values
    missing = np.flatnonzero(values.isna().to_numpy())
    if len(missing):
        raise ValueError(
            f"Input X contains NaN or missing values: {column.name} has {len(missing)}, the first in row "
            f"{missing[0]}; fill them, or make 'missing' a category."
        )
    if column.is_float and not np.isfinite(column.numbers()).all():
        raise ValueError(f"Input X contains infinity: {column.name}.")
    if pd.api.types.is_complex_dtype(values.dtype):
        raise ValueError(f"Complex data not supported: {column.name}.")
    if values.dtype == object:
        for value in values:
            try:
                hash(value)
            except TypeError:
                raise TypeError(
                    f"{column.name} holds a {type(value).__name__}: every argument must be a string or "
                    "number."
                ) from None


def majority_vote(
    labels: Labels,
    data: NDArray[Any],
    *,
    metric: str,
    beta: float,
    reference: str,
    n_jobs: int | None = None,
) -> Labels:
    """Cluster that most partitions put a sample into; where too few agree, that of its neighbours.

    Parameters
    ----------
    labels : ndarray of shape (n_partitions, n_samples)
        Renumbered to agree best with the reference.
    data : ndarray of shape (n_samples, n_features)
    metric : {"hamming", "euclidean"}
    beta : float
        Samples with at least this share of the votes for one cluster are the training set of a classifier
        by the 5 nearest neighbours, which decides about the others. Without 5 such samples, or without one
        in every cluster, the vote alone decides.
    reference : {"first", "medoid"}
        The first partition, or the one most similar to the others.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        Numbered by first appearance.

    Notes
    -----
    Ties go to the cluster that is first in the reference.
    """
    # First numbered alike, so that no name decides between equally good matchings.
    labels = relabel_by_first_appearance(labels)
    if len(labels) == 1:
        return labels[0]
    aligned = align_labels(labels[reference_row(labels, reference)], labels)
    votes = np.stack([np.count_nonzero(aligned == c, axis=0) for c in range(int(aligned.max()) + 1)])
    winner = votes.argmax(axis=0)
    sure = votes.max(axis=0) / len(labels) >= beta - _EQUAL
    enough = np.count_nonzero(sure) >= _N_NEIGHBORS
    if not sure.all() and enough and np.array_equal(np.unique(winner[sure]), np.unique(winner)):
        classifier = KNeighborsClassifier(_N_NEIGHBORS, metric=metric, n_jobs=n_jobs)
        with threads_here(n_jobs):
            classifier.fit(data[sure], winner[sure])
            winner[~sure] = classifier.predict(data[~sure])
    return relabel_by_first_appearance(winner)


def reference_row(labels: Labels, reference: str) -> int:
    """Row that the others are renumbered to."""
    if reference == "first" or len(labels) == 1:
        return 0
    similarity = pairwise_ari(labels)
    mean = (similarity.sum(axis=1) - 1.0) / (len(labels) - 1)
    # Rounding must not decide between equals.
    return int((mean >= mean.max() - _EQUAL).argmax())


def modes_search(
    problem: FuzzyModesProblem, *, pop_size: int, pc: float, pm: float, seed: int
) -> PymooSearch:
    """MOGA(pi, sep) in pymoo."""
    algorithm = NSGA2(
        pop_size=pop_size,
        sampling=ModesSampling(),
        selection=TournamentSelection(func_comp=batched_tournament),
        crossover=SinglePointCrossover(prob=pc),
        mutation=ModesMutation(prob=pm),
        eliminate_duplicates=False,
        output=None,
    )
    return PymooSearch(problem, algorithm, seed=seed)


def distinct_front(
    problem: FuzzyModesProblem, population: Population
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Different non-dominated solutions, modes in lexicographic order, by pi: genotypes and F."""
    front = population[non_dominated(population.get("F"))]
    genes = problem.canonical(front.get("X"))
    kept = np.sort(distinct_rows(genes)[0])
    return genes[kept], front.get("F")[kept]
