"""FuzzyModesMOGA: evolutionary search for the modes of fuzzy clusters of categorical data."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from numbers import Integral, Real
from typing import Annotated, Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_complex_dtype, is_float_dtype, is_numeric_dtype
from pymoo.core.result import Result
from pymoo.operators.crossover.pntx import SinglePointCrossover
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering import results
from moo_clustering._arrays import FloatArray, Labels, non_dominated, spawn_seeds, warn_caller
from moo_clustering._data import checked_array, checked_container
from moo_clustering._docs import documented
from moo_clustering._parallel import threads_here
from moo_clustering.algorithms.search import Plans, complete
from moo_clustering.consensus import cspa
from moo_clustering.encodings import align_labels, relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.estimators import _base, _options
from moo_clustering.estimators._fronts import FrontSearchMixin
from moo_clustering.operators.modes import ModesMutation, ModesSampling
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems.categories import FuzzyModesProblem, mode_distances
from moo_clustering.problems.centers import fuzzy_memberships
from moo_clustering.validity import pairwise_ari

FINALS = ("vote", "cspa")
# A float column of integers contains categories if it has at most this number of distinct values.
_FEW_VALUES = 20
# Number of neighbours that classify a sample on whose cluster too few partitions agree.
_N_NEIGHBORS = 5
# Shares of votes, or similarities, that differ by at most this value are considered equal.
_EQUAL = 1e-12


@documented(FuzzyModesProblem)
@_options.estimator
class FuzzyModesMOGA(FrontSearchMixin, _base.ReportMixin, ClusterMixin, BaseEstimator):
    """Search for the modes of compact (pi) and well-separated (sep) fuzzy clusters, followed by a vote.

    The solutions on the front are combined by a vote, as in MOGA(pi, sep). X contains categories (numbers,
    strings or data-frame columns) or, with ``metric="euclidean"``, numbers. With categories, the front often
    has a single solution, because sep has the same maximum for all solutions whose modes differ in every
    attribute. With numbers, evolution hardly improves the initial front, because each evaluation already
    improves the modes. The search takes O(n_gen pop_size n_clusters n_samples C) time, where C is the number
    of categories or of numeric features. It uses as much memory as
    :class:`~moo_clustering.problems.FuzzyModesProblem`. Source: A. Mukhopadhyay, U. Maulik, S. Bandyopadhyay,
    "Multiobjective genetic algorithm-based fuzzy clustering of categorical attributes", IEEE Transactions on
    Evolutionary Computation 13 (2009); details are reconstructed from the abstract and later descriptions.

    Parameters
    ----------
    n_clusters : int
        Maximum number of clusters, from 1 to n_samples.
    metric : {"hamming", "euclidean"}
        Distance: number of differing attributes, or Euclidean. With ``"hamming"``, values are categories, and
        float columns with more than ``bins`` values are binned (whole numbers: also more than 20).
    beta : float
        With ``final="vote"``, samples with at least this share of votes train a classifier for other samples.
    final : {"vote", "cspa"}
        How the solutions on the front are combined: by majority vote and a classifier, or by
        :func:`~moo_clustering.consensus.cspa` with ``partitioner="svd"``. :meth:`choose` accepts these names.
    reference : {"first", "medoid"}
        Before the vote, clusters are renumbered to match a reference partition: the partition with the lowest
        pi, or the partition with the highest mean similarity to all other partitions.
    bins : int or None
        With ``metric="hamming"``, number of quantile intervals for float columns. If None, columns are not
        binned, and fractional numbers raise a ValueError.
    scale : {"minmax", "standard", "none"}
        Column scaling. Used only with ``metric="euclidean"``.
    pc, pm : float, default=0.8 and 0.2
        Probability of one-point crossover of a pair, and probability that an attribute is redrawn at random.

    Attributes
    ----------
    modes_ : ndarray of shape (n_clusters_, n_features)
        Modes of the selected solution. After a vote or consensus, they are the most frequent values of each
        cluster or, with ``metric="euclidean"``, the means. Binned columns contain intervals.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Equal to ``modes_``; only with ``metric="euclidean"``.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Membership of each sample in the clusters of ``modes_``. Rows sum to 1.
    chosen_ : int or None
        Selected row of the front, or None for a vote or consensus.
    pareto_front_ : ndarray of shape (n_solutions, 2)
        Values of pi (minimised) and sep (maximised) of the distinct non-dominated solutions, sorted by pi.
    pareto_labels_ : ndarray of shape (n_solutions, n_samples), int32
        Cluster of the nearest mode in each solution.

    Examples
    --------
    >>> from moo_clustering import FuzzyModesMOGA
    >>> X = [["red", "round"], ["red", "oval"], ["red", "round"], ["blue", "flat"], ["blue", "flat"]]
    >>> model = FuzzyModesMOGA(2, n_gen=5, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> model.modes_.tolist()
    [['red', 'round'], ['blue', 'flat']]
    """

    n_clusters: _options.Count
    _: KW_ONLY
    metric: Literal["hamming", "euclidean"] = "hamming"
    fuzziness: Annotated[float, Interval(Real, 1, None, closed="neither")] = 2.0
    beta: _options.Probability = 0.5
    final: Literal["vote", "cspa"] = "vote"
    reference: Literal["first", "medoid"] = "first"
    bins: Annotated[int, Interval(Integral, 2, None, closed="left")] | None = 5
    scale: Literal["minmax", "standard", "none"] = "minmax"
    pop_size: _options.PopulationSize = 100
    n_gen: _options.NonNegativeCount = 100
    pc: _options.Probability = 0.8
    pm: _options.Probability = 0.2

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of X, a table without missing values.

        Raises a ValueError, which names the column, if a column is not numeric with ``metric="euclidean"``,
        or contains fractions with ``metric="hamming"`` and ``bins=None``.
        """
        complete(self._plans(X))
        return self

    def _plans(self, X: Any, y: ArrayLike | None = None) -> Plans[None]:
        columns = read_columns(self, X, reset=True)
        _base.check_n_clusters(self.n_clusters, len(columns[0]))
        categorical = self.metric == "hamming"
        self._coder: CategoryCoder | NumberCoder = (
            CategoryCoder(columns, self.bins) if categorical else NumberCoder(columns, self.scale)
        )
        data = self._coder.encode(columns)
        checkpoint = _base.checkpoint_for(self, data, final="vote", beta=0.5, reference="first")
        search_seed, final_seed = spawn_seeds(self.random_state, 2)
        self._problem = FuzzyModesProblem(
            data, self.n_clusters, metric=self.metric, fuzziness=self.fuzziness, n_jobs=self.n_jobs
        )
        yield from self._search(int(search_seed.generate_state(1)[0]), checkpoint)
        self._final_seed = int(final_seed.generate_state(1)[0])
        self.choose(self.final)

    def _clustering_result(self) -> results.ClusteringResult:
        return replace(super()._clustering_result(), arrays=lambda: {"memberships": self.memberships_})

    def _own_rules(self) -> tuple[str, ...]:
        return FINALS

    def _take_by_rule(self, rule: str) -> None:
        if rule == "vote":
            labels = majority_vote(self.pareto_labels_, self._problem.space.data, self)
        else:
            k = min(self.n_clusters, int((self.pareto_labels_.max(axis=1) + 1).sum()))
            labels = cspa(self.pareto_labels_, k, partitioner="svd", random_state=self._final_seed)
        self._take(None, labels, self._problem.modes_of(labels))

    def _take_member(self, row: int) -> None:
        labels = self.pareto_labels_[row].copy()
        k = int(labels.max()) + 1
        self._take(row, labels, self._pareto_modes[row][:k], self._orders[row, :k].argsort())

    def _take(
        self, row: int | None, labels: Labels, modes: NDArray[Any], numbers: NDArray[np.intp] | None = None
    ) -> None:
        """Set the fitted attributes. If ``row`` is None, the labels come from a vote or consensus."""
        # ``numbers`` contains the clusters in the order in which ``predict`` breaks ties between their modes.
        self._numbers = np.arange(len(modes)) if numbers is None else numbers
        self.chosen_, self.labels_, self._modes = row, labels, modes
        self.n_clusters_ = int(labels.max()) + 1
        distances = mode_distances(self._problem.space.data, modes, self.metric)
        self.memberships_ = np.ascontiguousarray(
            fuzzy_memberships(distances, float(self.fuzziness), axis=0).T
        )
        self.modes_ = self._coder.decode(modes)
        self.__dict__.pop("cluster_centers_", None)
        if self.metric == "euclidean":
            self.cluster_centers_ = self.modes_
        why = "X has fewer distinct rows than clusters, or some modes are not nearest to any sample"
        _base.warn_of_few(self.n_clusters_, self.n_clusters, why)

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Labels:
        """Predict the cluster of the nearest mode, breaking ties as in ``fit``.

        A category that did not occur in the training data differs from all other categories. After a vote or
        consensus, predictions for training samples can differ from ``labels_``.
        """
        check_is_fitted(self, "pareto_front_")
        rows = self._coder.encode(read_columns(self, X, reset=False))
        distances = mode_distances(rows, self._modes[self._numbers], self.metric)
        return self._numbers[distances.argmin(axis=0)].astype(np.int32)

    @property
    def pareto_modes_(self) -> NDArray[Any]:
        """Modes of each solution, shape (n_solutions, n_clusters, n_features); empty clusters come last."""
        check_is_fitted(self, "pareto_front_")
        return self._coder.decode(self._pareto_modes)

    def _search(self, seed: int, checkpoint: Checkpoint | None) -> Plans[None]:
        problem = self._problem
        operators = {
            "sampling": ModesSampling(),
            "crossover": SinglePointCrossover(prob=self.pc),
            "mutation": ModesMutation(prob=self.pm),
        }
        search = self._pymoo_search_for(problem, operators, seed)
        yield from self._drive(search, problem, self.n_gen, checkpoint, problem.natural(np.ones(2)))
        self.result_: Result = search.result()
        # Sort the modes of each solution, so that solutions with equal modes in another order are duplicates.
        front = self.result_.pop[non_dominated(self.result_.pop.get("F"))]
        genes = problem.canonical(front.get("X"))
        distinct = np.sort(distinct_rows(genes)[0])
        genes, F = genes[distinct], front.get("F")[distinct]
        nearest = problem.nearest(genes)
        self._orders = _base.cluster_orders(nearest, self.n_clusters)
        self.pareto_labels_: Labels = relabel_by_first_appearance(nearest)
        self._set_objectives(problem, F)
        self._pareto_modes = np.take_along_axis(problem.modes(genes), self._orders[:, :, None], axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = self.metric == "hamming"
        return tags


class CategoryCoder:
    """Encoder that replaces the values or intervals of each column with codes 0, 1, ... in sorted order."""

    def __init__(self, columns: Sequence[pd.Series], bins: int | None) -> None:
        self._edges = [_edges(column, bins) for column in columns]
        self.categories = [
            _sorted_values(column)
            if edges is None
            else pd.IntervalIndex.from_breaks([-np.inf, *edges, np.inf], closed="left").to_numpy(dtype=object)
            for column, edges in zip(columns, self._edges, strict=True)
        ]
        for column, edges, categories in zip(columns, self._edges, self.categories, strict=True):
            if edges is None and len(categories) == len(column) > _FEW_VALUES:
                warn_caller(
                    f"{column.name} has a different value in every sample, so its categories are "
                    "uninformative. Pass measured values as floats, which are binned, or use "
                    "metric='euclidean'."
                )

    def encode(self, columns: Sequence[pd.Series]) -> NDArray[np.int32]:
        """Return the codes, shape (n_samples, n_features); -1 for values that did not occur in ``fit``."""
        codes = []
        for column, edges, categories in zip(columns, self._edges, self.categories, strict=True):
            if edges is None:
                codes.append(pd.Index(categories).get_indexer(column.to_numpy()))
            elif is_numeric_dtype(column):
                codes.append(np.searchsorted(edges, column.to_numpy(np.float64), side="right"))
            else:
                raise ValueError(f"{column.name} was numeric in fit, got {column.dtype}")
        return np.column_stack(codes).astype(np.int32)

    def decode(self, modes: NDArray[Any]) -> NDArray[Any]:
        """Convert codes of shape (..., n_features) to values, as an object array if column types differ."""
        kinds = {categories.dtype for categories in self.categories}
        values = np.empty(modes.shape, dtype=kinds.pop() if len(kinds) == 1 else object)
        for feature, categories in enumerate(self.categories):
            values[..., feature] = categories[modes[..., feature]]
        return values


class NumberCoder:
    """Encoder that scales numeric columns."""

    def __init__(self, columns: Sequence[pd.Series], scale: str) -> None:
        X = _matrix(columns)
        # Numbers are halved before they are subtracted, because differences of huge numbers could overflow.
        self._origin, self._half = np.zeros(X.shape[1]), np.full(X.shape[1], 0.5)
        if scale != "none":
            low, high = X.min(axis=0), X.max(axis=0)
            self._origin, self._half = low, _not_zero(high / 2 - low / 2)
        if scale == "standard":
            # Scale by the range before computing deviations, because squares could overflow or underflow.
            scaled = self.encode(columns)
            self._origin = self.decode(scaled.mean(axis=0))
            self._half = self._half * _not_zero(scaled.std(axis=0))

    def encode(self, columns: Sequence[pd.Series]) -> FloatArray:
        """Return the scaled numbers, shape (n_samples, n_features)."""
        return (_matrix(columns) / 2 - self._origin / 2) / self._half

    def decode(self, modes: FloatArray) -> FloatArray:
        """Convert scaled numbers of shape (..., n_features) to the units of the data."""
        return (self._origin / 2 + modes * self._half) * 2


def _not_zero(spread: FloatArray) -> FloatArray:
    return np.where(spread > 0.0, spread, 1.0)


def _matrix(columns: Sequence[pd.Series]) -> FloatArray:
    other = []
    for column in columns:
        if not is_numeric_dtype(column):
            categories = isinstance(column.dtype, pd.CategoricalDtype)
            kind = "categories" if categories else f"such as {column.iloc[0]!r}"
            other.append(f"{column.name} ({kind})")
    if other:
        raise ValueError(
            f"metric='euclidean' requires numeric columns, got {', '.join(other)}; use metric='hamming', "
            "which compares categories and bins numbers, or convert the columns to features with "
            "moo_clustering.datasets.prepare_table(frame).X"
        )
    return np.column_stack([column.to_numpy(np.float64) for column in columns])


def _edges(column: pd.Series, bins: int | None) -> FloatArray | None:
    """Return the boundaries between the quantile intervals of a column, or None for categories."""
    if not is_float_dtype(column):
        return None
    numbers = column.to_numpy(np.float64)
    whole = bool((numbers == np.rint(numbers)).all())
    if bins is None and not whole:
        raise ValueError(
            f"{column.name} contains fractions, which are not categories for metric='hamming'; set "
            "bins, or use metric='euclidean'"
        )
    if bins is None or len(np.unique(numbers)) <= (max(bins, _FEW_VALUES) if whole else bins):
        return None
    cuts = np.quantile(numbers, np.linspace(0.0, 1.0, bins + 1)[1:-1], method="higher")
    return np.unique(cuts[cuts > numbers.min()])


def _sorted_values(column: pd.Series) -> NDArray[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return np.asarray(column.cat.remove_unused_categories().cat.categories)
    distinct = pd.unique(column.to_numpy())
    try:
        return np.sort(distinct)
    except TypeError:
        # Values of different types cannot be compared, so sort by type and text.
        order = sorted(range(len(distinct)), key=lambda i: (type(distinct[i]).__name__, str(distinct[i])))
        return distinct[order]


def read_columns(estimator: BaseEstimator, X: Any, *, reset: bool) -> list[pd.Series]:
    """Read the columns of a table, and set (if ``reset``) or check the estimator's features.

    Messages use the names of the returned columns, such as "column 'width'".
    """
    X = checked_container(X, "X")
    if isinstance(X, pd.DataFrame):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if 0 in X.shape:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) (shape={X.shape}) "
                "while a minimum of 1 is required"
            )
        series = [X.iloc[:, i].reset_index(drop=True) for i in range(X.shape[1])]
    else:
        if isinstance(X, list | tuple):
            checked_array(X, "X")  # raises an error if rows have different lengths
        table = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        # Infer the types, because a column of an object array can contain only numbers.
        series = [pd.Series(table[:, i]).infer_objects() for i in range(table.shape[1])]
    names = getattr(estimator, "feature_names_in_", range(len(series)))
    columns = []
    for name, values in zip(names, series, strict=True):
        # pandas cannot compare floats of half or extended precision.
        if values.dtype in (np.longdouble, np.float16):
            values = values.astype(np.float64)
        columns.append(values.rename(f"column {name!r}" if isinstance(name, str) else f"column {name}"))
        _check(columns[-1])
    return columns


def _check(column: pd.Series) -> None:
    missing = np.flatnonzero(column.isna().to_numpy())
    if len(missing):
        raise ValueError(
            f"Input X contains NaN or missing values: {column.name} has {len(missing)}, the first in "
            f"row {missing[0]}; fill them in with moo_clustering.datasets.prepare_table(frame).columns, "
            "or use a category 'missing'"
        )
    if is_float_dtype(column) and not np.isfinite(column.to_numpy(np.float64)).all():
        raise ValueError(f"Input X contains infinity: {column.name}")
    if is_complex_dtype(column):
        raise ValueError(f"Complex data not supported: {column.name}")
    if column.dtype == object:
        for value in column:
            try:
                hash(value)
            except TypeError:
                raise TypeError(
                    f"{column.name} contains a value of type {type(value).__name__}: every argument "
                    "must be a string or number"
                ) from None


def majority_vote(labels: Labels, data: NDArray[Any], options: FuzzyModesMOGA) -> Labels:
    """Assign samples to clusters by majority vote, or by their neighbours if too few partitions agree."""
    # A classifier is trained on the samples whose vote share is at least ``beta``, and assigns all others.
    # Clusters are renumbered first, because tied matchings could depend on the given numbers.
    labels = relabel_by_first_appearance(labels)
    if len(labels) == 1:
        return labels[0]
    aligned = align_labels(labels[reference_row(labels, options.reference)], labels)
    votes = np.stack([np.count_nonzero(aligned == c, axis=0) for c in range(int(aligned.max()) + 1)])
    winner = votes.argmax(axis=0)
    sure = votes.max(axis=0) / len(labels) >= options.beta - _EQUAL
    enough = np.count_nonzero(sure) >= _N_NEIGHBORS
    if not sure.all() and enough and np.array_equal(np.unique(winner[sure]), np.unique(winner)):
        classifier = KNeighborsClassifier(_N_NEIGHBORS, metric=options.metric, n_jobs=options.n_jobs)
        with threads_here(options.n_jobs):
            classifier.fit(data[sure], winner[sure])
            winner[~sure] = classifier.predict(data[~sure])
    return relabel_by_first_appearance(winner)


def reference_row(labels: Labels, reference: str) -> int:
    """Return the row of the partition to which all other partitions are matched."""
    if reference == "first" or len(labels) == 1:
        return 0
    similarity = pairwise_ari(labels)
    mean = (similarity.sum(axis=1) - 1.0) / (len(labels) - 1)
    # If similarities are equal up to rounding errors, the first partition is the reference.
    return int((mean >= mean.max() - _EQUAL).argmax())
