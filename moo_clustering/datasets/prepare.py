"""Table preparation: convert numbers, dates and categories to scaled and weighted features."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import choice, warn_caller
from moo_clustering._data import as_frame, comparable_labels
from moo_clustering._docs import documented
from moo_clustering._messages import Advice, for_command
from moo_clustering._parallel import one_thread
from moo_clustering._types import BoolArray, FloatArray, IntpArray
from moo_clustering.datasets import cells as reading
from moo_clustering.datasets.cells import UnseenCells, column_list, listed
from moo_clustering.datasets.files import DataError, as_number, written

# An association is significant if its p-value is below this level divided by the number of tests.
_LEVEL = 0.01
# In tables with fewer rows, associations are hardly ever significant and are not computed.
_LEAST_ROWS = 40
# Outliers lie more than _BEYOND interquartile ranges beyond the quartiles. The scale of a column ignores them
# unless their share exceeds _MOST_BEYOND. The other values must be equal, or have a range of at least
# _LEAST_RANGE times the largest magnitude.
_BEYOND, _MOST_BEYOND, _LEAST_RANGE = 10.0, 0.05, 1e-140
# A missing cell is filled from the _DONORS nearest rows. In tables with at most two columns, it is filled
# from only _DONORS_OF_TWO, because several nearest rows may belong to different clusters.
_DONORS, _DONORS_OF_TWO = 5, 1
_MOST_DONORS = 2_000  # maximum number of rows from which cells are filled, and of rows used to find splits
_MOST_COUNTED = 10_000
_PRODUCTS = 500_000
_ROWS = 50_000
# A column alone determines the best split into two clusters if the split explains at least _EXPLAINED of its
# variance, but at most _UNEXPLAINED of any other column. There must be at least _OTHERS other columns.
_EXPLAINED, _UNEXPLAINED, _OTHERS = 0.8, 0.1, 2
# Minimum association with the clusters, and minimum number of missing cells, for a column to be reported.
_FOLLOWS, _FEW_MISSING = 0.3, 5
_Columns = Sequence[NDArray[Any]]
_CLASSES = {"class", "classes", "label", "labels", "target", "targets", "klasse", "cluster"}


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Features computed from a table.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Features without missing values.
    feature_names : tuple of str
        Column names, and ``column=value`` for category indicators.
    notes : tuple of str
        Description of the preparation, one line per kind of step.
    columns : DataFrame of shape (n_samples, n_columns)
        Columns used as features, with missing cells filled: float64, datetime64 or strings.
    category_names : tuple of str
        Names of the categorical ``columns``.
    weights : tuple of float
        Total feature variance of each of the ``columns``, unless ``scale="none"``.
    missing : DataFrame of shape (n_samples, n_columns), bool
        Mask of the cells of ``columns`` that were filled.
    preparer : TablePreparer
        Fitted preparer, for new rows.
    unseen : tuple of UnseenCells
        Cells of new rows that are unreadable, of an unknown category, or outside the range seen in ``fit``.
    """

    X: FloatArray
    feature_names: tuple[str, ...]
    notes: tuple[str, ...]
    columns: pd.DataFrame
    category_names: tuple[str, ...]
    weights: tuple[float, ...]
    missing: pd.DataFrame
    preparer: TablePreparer = field(repr=False)
    unseen: tuple[UnseenCells, ...] = ()

    @property
    def known_columns(self) -> pd.DataFrame:
        """Copy of ``columns`` with the filled cells missing again, and with booleans instead of 0 and 1."""
        found = self.columns.copy(deep=False)
        for name in self.missing.columns[self.missing.any()]:
            found[name] = self.columns[name].mask(self.missing[name])
        for name in (scale.column.name for scale in self.preparer._scales if scale.column.kind == "truth"):
            found[name] = (found[name] > 0).astype("boolean").mask(found[name].isna())
        return found

    @property
    def units(self) -> dict[str, str]:
        """Units by column name, for the ``columns`` that have a unit."""
        return self.preparer.units()

    def following_missing(self, labels: ArrayLike) -> tuple[str, ...]:
        """Return the columns whose missing cells are associated with the clusters, strongest first.

        Such clusters may reflect how the data were collected. Only columns with at least five missing cells
        are tested. A column is returned if the bias-corrected Cramer's V between missingness and clusters is
        at least 0.3, and significant at 0.01 divided by the number of tested columns.
        """
        clusters = np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)
        missing = self.missing.loc[:, self.missing.sum() >= _FEW_MISSING]
        found: dict[str, float] = {}
        for name in missing:
            table = np.zeros((clusters.max() + 1, 2))
            np.add.at(table, (clusters, missing[name].to_numpy().astype(np.intp)), 1.0)
            strength, p_value = _association(table)
            if p_value < _LEVEL / missing.shape[1] and strength >= _FOLLOWS:
                found[str(name)] = strength
        return tuple(sorted(found, key=lambda name: -found[name]))


@documented()
def prepare_table(
    frame: pd.DataFrame,
    *,
    scale: Literal["equal", "none"] = "equal",
    weights: Literal["dependence", "equal"] = "dependence",
    missing: Literal["neighbors", "median"] = "neighbors",
) -> PreparedTable:
    """Compute features from the numbers, booleans, dates and categories in a table.

    Cells of any type are parsed like text in a CSV file; :doc:`/data` lists the recognised notations. Numbers
    may have decimal commas or units. Booleans become 0 and 1, times and durations become hours, dates become
    days, and a categorical column becomes one indicator per value, or a single indicator if it has two
    values. Codes such as 01000 are categories.

    A column is dropped if it is constant or mostly empty, if it numbers the rows, if most of its strings are
    unique, if it mixes units (up to 5% of the numbers may lack the unit), or if its commas or dates are
    ambiguous. Raises a DataError if there are fewer than two rows, duplicate column names, no usable columns,
    or huge numbers. Warns if units are mixed, or if one column determines the best two clusters.

    Parameters
    ----------
    frame : DataFrame of shape (n_samples, n_columns)
        At least two rows. The index is ignored.
    scale : {"equal", "none"}, default="equal"
        ``"equal"``: the feature variances of each column sum to its weight; all indicators of a column are
        scaled by the same factor. ``"none"``: unscaled numbers, and indicators 0 and 1.
    weights : {"dependence", "equal"}, default="dependence"
        If ``scale="equal"``, ``"dependence"`` weights discrete columns (categories, or at most 20 distinct
        values) by their strongest association with another column (see Notes). All other columns have weight
        1. With ``"equal"``, or with fewer than 40 rows, all columns have weight 1.
    missing : {"neighbors", "median"}, default="neighbors"
        ``"neighbors"``: fill missing cells with the mean (dates: median; categories and booleans: mode) of
        the five nearest rows in which the cell is known. ``"median"``: fill them with the column's median
        (categories and booleans: mode); the filled rows may form a cluster.

    Notes
    -----
    The distinct values of a discrete column form clusters, so a single irrelevant column could determine the
    partition. The weight of a discrete column is therefore its highest bias-corrected Cramer's V, from 0 to
    1, with any other column (continuous numbers are split into eight bins with equal counts). A discrete
    column without a significant association is dropped, unless all columns would be dropped. The level of the
    chi-square test is 0.01 divided by the number of other columns.

    With at least 40 rows, values more than ten interquartile ranges beyond the quartiles do not influence the
    scale, unless they make up more than 5% of the column. Distances between rows use the columns known in
    both rows. In tables with at most two columns, each missing cell is filled from a single row.

    Takes O(cells + n_samples n_features) time and memory. Associations between columns with n_values distinct
    values in total take O(n_values^2 n_samples) time, and filling n_incomplete rows takes O(n_incomplete
    min(n_samples, 2000) n_features) time. Missing cells are filled from at most 2,000 rows, and
    associations are computed from at most 10,000 rows, drawn with a fixed seed. Pass the features to
    estimators that do not scale them again, such as ``ParetoClustering(scale="none")``.

    References
    ----------
    W. Bergsma, A bias-correction for Cramer's V and Tschuprow's T, Journal of the Korean Statistical
    Society 42 (2013). O. Troyanskaya et al., Missing value estimation methods for DNA microarrays,
    Bioinformatics 17 (2001).

    Examples
    --------
    >>> import pandas as pd
    >>> from moo_clustering.datasets import prepare_table
    >>> table = prepare_table(pd.DataFrame({"size": ["1,5", "2,5", "", "3,5"], "kind": ["a", "b", "a", "b"]}))
    >>> table.feature_names
    ('size', 'kind=b')
    >>> table.X.var(axis=0).round(9).tolist()
    [1.0, 1.0]
    """
    preparer = TablePreparer(scale=scale, weights=weights, missing=missing)
    return preparer._table(*preparer._fitted(frame))


@documented(prepare_table)
class TablePreparer(TransformerMixin, BaseEstimator):
    """Transformer that prepares a table as :func:`prepare_table` does, and then new rows in the same way.

    The columns of new rows are matched by label. The training table determines their notation, categories,
    scales and weights, and missing cells are filled from its rows.

    Attributes
    ----------
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names seen during ``fit``. Defined only if all labels are strings.
    n_features_in_ : int
    column_names_, category_names_ : tuple of str
        Names of the columns used as features, and of the categorical ones among them.
    weights_, notes_ : tuple
        ``weights`` and ``notes`` of :class:`PreparedTable`.

    Notes
    -----
    New rows may lack columns that were not used in the fit. Additional columns are ignored, and unknown
    categories become missing values. A notation not seen during ``fit`` must be unambiguous, and at most 10%
    of a column's cells may be unreadable. :meth:`transform` issues warnings; :meth:`prepare` returns notes.

    Examples
    --------
    >>> import pandas as pd
    >>> from moo_clustering.datasets import TablePreparer
    >>> frame = pd.DataFrame({"size": ["1,5", "2,5", "4,5", "3,5"], "kind": ["a", "b", "a", "b"]})
    >>> preparer = TablePreparer(scale="none").fit(frame)
    >>> preparer.transform(frame[::-1]).tolist()
    [[3.5, 1.0], [4.5, 0.0], [2.5, 1.0], [1.5, 0.0]]
    """

    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        *,
        scale: Literal["equal", "none"] = "equal",
        weights: Literal["dependence", "equal"] = "dependence",
        missing: Literal["neighbors", "median"] = "neighbors",
    ) -> None:
        self.scale = scale
        self.weights = weights
        self.missing = missing

    def fit(self, X: Any, y: Any = None) -> Self:
        """Infer the kinds, scales and weights of the columns of a table with at least two rows.

        polars, pyarrow and AnnData tables are converted to pandas. ``y`` is ignored. Raises the same
        errors as :func:`prepare_table`.
        """
        self._fitted(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit to a table and return its features, shape (n_samples, n_features)."""
        return self._fitted(X)[0]

    def transform(self, X: Any) -> FloatArray:
        """Return the features of new rows with the columns seen in ``fit``, shape (n_samples, n_features).

        Raises a DataError if there are no rows, or if a column is missing, ambiguous, or of the wrong kind or
        unit. Warns if cells are unreadable, have unknown categories, another notation than in ``fit`` or no
        unit, or are far outside the range seen in ``fit``. Also warns if a row has only missing cells.
        """
        prepared, alarming = self._prepared(X)
        if alarming:
            warn_caller("; ".join(alarming))
        return prepared.X

    def prepare(self, X: Any) -> PreparedTable:
        """Prepare new rows as :meth:`transform` does, but return a table with notes and issue no warnings."""
        return self._prepared(X)[0]

    def inverse_transform(self, X: ArrayLike) -> pd.DataFrame:
        """Convert features, such as those of cluster centres, to a data frame of table columns.

        The category with the largest indicator is returned. Dates are rounded to microseconds.
        """
        check_is_fitted(self)
        features = check_array(X, dtype=np.float64)
        if features.shape[1] != len(self._feature_names):
            n = len(self._feature_names)
            raise ValueError(f"X has {features.shape[1]} features, but the fitted table has {n}")
        ends = np.cumsum([len(scale.feature_names) for scale in self._scales])
        blocks = np.split(features, ends[:-1], axis=1)
        pairs = zip(self._scales, blocks, strict=True)
        return pd.DataFrame({scale.column.name: scale.cells(block) for scale, block in pairs})

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return column names, and ``column=value`` for category indicators.

        Raises a ValueError if ``input_features`` differ from the column names seen during ``fit``.
        """
        check_is_fitted(self)
        if input_features is not None and list(map(str, np.asarray(input_features))) != self._names_in:
            raise ValueError("input_features must equal feature_names_in_, the column names of the fit")
        return np.array(self._feature_names, dtype=object)

    def _fitted(self, table: Any) -> tuple[FloatArray, list[NDArray[Any]], BoolArray, Sequence[str]]:
        """Fit the preparer. Return features, filled columns, a mask of the known cells, and notes."""
        choice("scale", self.scale, ("equal", "none"))
        choice("weights", self.weights, ("dependence", "equal"))
        choice("missing", self.missing, ("neighbors", "median"))
        frame, labels = as_frame(table, 2)
        if len(double := frame.columns[frame.columns.duplicated()]):
            raise DataError(f"the table has two columns named {double[0]!r}")
        if len(frame) < 2:
            rows = f"{len(frame)} row{'' if len(frame) == 1 else 's'}"
            raise DataError(f"the table has {rows}, but clustering requires at least two")
        read = [reading.read_column(name, frame[name]) for name in frame.columns]
        conventions = {column.convention for column in read}
        judged = [reading.judge(reading.settled(column, conventions)) for column in read]
        used = [column for column in judged if column.kind != "out"]
        if not used:
            _refuse(judged)
        if mixed := [column for column in judged if column.units and column.kind == "out"]:
            warn_caller("; ".join(map(str, reading.left_out_notes(mixed, None))))
        if note := reading.totals_note(judged):
            warn_caller(note)
        is_equal = self.scale == "equal"
        weighs = is_equal and self.weights == "dependence"
        shares = _dependence_weights(used) if weighs else np.ones(len(used))
        dropped = [column.name for column, share in zip(used, shares, strict=True) if share == 0.0]
        used = [column for column, share in zip(used, shares, strict=True) if share > 0.0]
        shares = shares[shares > 0.0]
        known = np.column_stack([pd.notna(column.values) for column in used])
        usual = [_usual_cell(each.values[row], each.kind) for each, row in zip(used, known.T, strict=True)]
        filled = _filled([column.values for column in used], known, usual)
        parts = list(zip(used, known.T, usual, shares.tolist(), strict=True))
        scales = [_Scale(*part, values, is_equal) for part, values in zip(parts, filled, strict=True)]
        donors = None
        if self.missing == "neighbors" and len(used) > 1:
            of_donors = scales
            if not is_equal:
                of_donors = [_Scale(*part, values, True) for part, values in zip(parts, filled, strict=True)]
            donors = _Donors(of_donors, shares, filled, known)
            filled, scales = donors.fill(filled, known), scales.copy()
            for at in np.flatnonzero(~known.all(axis=0)).tolist():
                scales[at] = _Scale(*parts[at], filled[at], is_equal)
        X = _features(scales, filled)
        if is_equal:
            _warn_of_split(X, scales)
        n_indicators = sum(len(each.feature_names) for each in scales if each.column.kind == "category")
        notes = (
            *reading.left_out_notes(judged, labels),
            *_independence_notes(dropped),
            *reading.reading_notes(used, n_indicators),
            *_filled_notes(used, known, self.missing),
            *_empty_row_notes(known),
            *_repeated_column_notes(used, filled),
            *_class_notes(used),
        )
        # Set the attributes last, because an error must leave the previous fit unchanged.
        self._scales, self._donors = scales, donors
        self._names_in, self._labels_in = list(frame.columns), labels
        self.n_features_in_ = frame.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        if labels is not None and all(isinstance(label, str) for label in labels):
            self.feature_names_in_ = np.array(self._names_in, dtype=object)
        self._feature_names = tuple(name for scale in scales for name in scale.feature_names)
        self.column_names_ = tuple(column.name for column in used)
        self.category_names_ = tuple(column.name for column in used if column.kind == "category")
        self.weights_ = tuple(shares.tolist())
        self.notes_ = tuple(map(str, notes))
        return X, filled, known, notes

    def _prepared(self, table: Any) -> tuple[PreparedTable, list[str]]:
        """Return the features of new rows, and the notes that :meth:`transform` issues as a warning."""
        check_is_fitted(self)
        frame, notes = self._matched(*as_frame(table))
        columns = [scale.column for scale in self._scales]
        found: list[reading.Reread] = []
        refused: dict[str, DataError] = {}
        for column in columns:
            try:
                found.append(reading.read_again(column, frame[column.name]))
            except DataError as error:
                refused[column.name] = error
        if refused:
            first, *others = refused
            more = f"; errors also occur in {column_list(others)}" if others else ""
            raise DataError(f"{refused[first]}{more}")
        reading.require_one_notation(columns, frame, found)
        alarming = [read.note for read in found if read.note]
        unseen: list[UnseenCells] = []
        for name, read in zip(self.column_names_, found, strict=True):
            if n := len(read.rows):
                unseen.append(UnseenCells.of(name, "unreadable", read.unread, read.rows))
                what, verb = ("1 unreadable cell", "is") if n == 1 else (f"{n} unreadable cells", "are")
                texts = listed([*map(repr, read.unread)])
                alarming.append(f"column {name!r} has {what} ({texts}), which {verb} treated as missing")
        values = [
            scale.known_categories(read.values, alarming, unseen)
            for scale, read in zip(self._scales, found, strict=True)
        ]
        for scale, cells in zip(self._scales, values, strict=True):
            scale.note_beyond(cells, notes, alarming, unseen)
        known = np.column_stack([pd.notna(cells) for cells in values])
        alarming += _empty_row_notes(known)
        filled = _filled(values, known, [scale.usual for scale in self._scales])
        if self._donors is not None:
            filled = self._donors.fill(filled, known)
        notes += alarming + _filled_notes(columns, known, self.missing)
        return self._table(_features(self._scales, filled), filled, known, notes, unseen), alarming

    def _table(
        self, X: FloatArray, filled: _Columns, known: BoolArray, notes: Sequence[str], unseen: Any = ()
    ) -> PreparedTable:
        # The result must not share memory with the table of the caller.
        owned = [each if each.flags.owndata else each.copy() for each in filled]
        columns = [pd.Series(each, dtype=object) if each.dtype == object else each for each in owned]
        cells = pd.DataFrame(dict(zip(self.column_names_, columns, strict=True)), copy=False)
        missing = pd.DataFrame(~known, columns=list(self.column_names_))
        notes, names, categories = tuple(notes), self._feature_names, self.category_names_
        return PreparedTable(X, names, notes, cells, categories, self.weights_, missing, self, tuple(unseen))

    def _matched(self, frame: pd.DataFrame, labels: Sequence[Any] | None) -> tuple[pd.DataFrame, list[str]]:
        """Check that new rows have the columns of the fit, and return them with a note on ignored columns."""
        if not comparable_labels(labels, self._labels_in):
            if frame.shape[1] != self.n_features_in_:
                expected = f"{type(self).__name__} is expecting {self.n_features_in_} features as input"
                raise ValueError(f"X has {frame.shape[1]} features, but {expected}")
            frame = frame.set_axis(self._names_in, axis=1)
        if not len(frame):
            raise DataError("the table has no rows")
        counts = Counter(frame.columns)
        if absent := [name for name in self.column_names_ if name not in counts]:
            _refuse_absent(absent, list(counts), self._names_in)
        if double := [name for name in self.column_names_ if counts[name] > 1]:
            raise DataError(f"the table has two columns named {double[0]!r}")
        in_fit = set(self._names_in)
        others = [name for name in counts if name not in in_fit]
        if not others:
            return frame, []
        verb, what = ("is", "it") if len(others) == 1 else ("are", "them")
        return frame, [f"{column_list(others)} {verb} ignored, because the fit did not use {what}"]

    def units(self) -> dict[str, str]:
        """Return units by column name, for the columns that have a unit."""
        return {scale.column.name: scale.column.unit for scale in self._scales if scale.column.unit}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _refuse_absent(absent: Sequence[str], names: Sequence[str], of_fit: Sequence[str]) -> None:
    alike = {name.strip().casefold(): name for name in names}
    hints = [alike[key] for name in absent if (key := name.strip().casefold()) in alike]
    hint = f"; it has {column_list(hints)}, but names must match exactly" if hints else ""
    if not hints and (new := [name for name in names if name not in of_fit]):
        shown = ", ".join(map(repr, new[:5])) + (", ..." if len(new) > 5 else "")
        hint = f", but has new names ({shown}); rename the columns as in the fit"
    raise DataError(f"the table lacks {column_list(absent)} of the fit{hint}")


def _dependence_weights(columns: Sequence[reading.Column]) -> FloatArray:
    """Return a weight for each column.

    Continuous columns have the weight 1. The weight of other columns is their strongest significant
    association with another column. If the table has few rows, or if all weights would be 0, all weights are
    1.
    """
    weights = np.ones(len(columns))
    if len(columns) == 1 or len(columns[0].values) < _LEAST_ROWS:
        return weights
    # To save time, all distinct values of a column are counted only if there are few in its first rows.
    discrete = [
        column.kind == "category"
        or all(pd.Series(column.values[:n]).nunique() <= reading.FEW for n in (_MOST_COUNTED, None))
        for column in columns
    ]
    if not any(discrete):
        return weights
    rows = _some_rows(len(columns[0].values), _MOST_COUNTED)
    indicators = [_indicators(replace(column, values=column.values[rows])) for column in columns]
    ends = np.cumsum([block.shape[1] for block in indicators])
    spans = [slice(end - block.shape[1], end) for end, block in zip(ends, indicators, strict=True)]
    everything = np.hstack(indicators)
    for at in np.flatnonzero(discrete):
        counts = indicators[at].T @ everything
        found = [_association(counts[:, span]) for other, span in enumerate(spans) if other != at]
        level = _LEVEL / len(found)
        weights[at] = max((strength for strength, p_value in found if p_value < level), default=0.0)
    return weights if weights.any() else np.ones(len(columns))


def _some_rows(n: int, most: int) -> IntpArray:
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _indicators(column: reading.Column) -> FloatArray:
    """Return indicators of the distinct values of a column or, if it has many numbers, of eight bins."""
    known = pd.notna(column.values)
    different, codes = np.unique(column.values[known], return_inverse=True)
    if column.kind != "category" and len(different) > reading.FEW:
        # If a column has few distinct numbers, they form clusters like categories and are not binned. Ranks
        # are binned instead of values, which also works for huge numbers and dates.
        first = np.cumsum(np.bincount(codes)) - np.bincount(codes)
        codes = np.unique(first[codes] * 8 // len(codes), return_inverse=True)[1]
    indicators = np.zeros((len(known), int(codes.max()) + 1))
    indicators[np.flatnonzero(known), codes.reshape(-1)] = 1.0
    return indicators


def _association(counts: FloatArray) -> tuple[float, float]:
    """Return the bias-corrected Cramér's V and the p-value of the chi-square test of a contingency table."""
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    r, c = counts.shape
    n = counts.sum()
    if min(r, c) < 2:
        return 0.0, 1.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = (r - 1) * (c - 1)
    # Bergsma 2013, section 3.
    squared = max(0.0, statistic / n - freedom / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1.0
    strength = min(1.0, np.sqrt(squared / least)) if least > 0.0 else 0.0
    return float(strength), float(chi2.sf(statistic, freedom))


def _warn_of_split(X: FloatArray, scales: Sequence[_Scale]) -> None:
    rows = X[_some_rows(len(X), _MOST_DONORS)]
    if len(scales) <= _OTHERS or len(X) < _LEAST_ROWS or not rows.any():
        return
    from sklearn.cluster import KMeans

    with one_thread():
        side = KMeans(2, n_init=4, random_state=0).fit(rows).labels_ == 1
    # Splits that separate only a few distant rows are ignored, because the estimators handle outliers.
    if min(side.mean(), 1 - side.mean()) < _MOST_BEYOND:
        return
    between = (rows[side].mean(axis=0) - rows[~side].mean(axis=0)) ** 2 * side.mean() * (1 - side.mean())
    owner = np.repeat(np.arange(len(scales)), [len(scale.feature_names) for scale in scales])
    explained = np.bincount(owner, between) / np.maximum(np.bincount(owner, rows.var(axis=0)), 1e-300)
    best, second = np.argsort(explained)[::-1][:2]
    if explained[best] >= _EXPLAINED and explained[second] <= _UNEXPLAINED:
        warn_caller(
            f"column {scales[best].column.name!r} alone determines the main split of the table into two "
            f"clusters, which explains {explained[best]:.0%} of its variance and at most "
            f"{explained[second]:.0%} of any other column's; drop it if you do not want such clusters"
        )


def _filled(columns: _Columns, known: BoolArray, usual: Sequence[Any]) -> list[NDArray[Any]]:
    filled = list(columns)
    for at in np.flatnonzero(~known.all(axis=0)).tolist():
        filled[at] = columns[at].copy()
        filled[at][~known[:, at]] = usual[at]
    return filled


class _Donors:
    """Rows of the fit from which the missing cells of other rows are filled."""

    def __init__(self, scales: list[_Scale], weights: FloatArray, filled: _Columns, known: BoolArray) -> None:
        chosen = _some_rows(len(known), _MOST_DONORS)
        self.scales, self.weights = scales, weights
        self.known, self.values = known[chosen], [each[chosen] for each in filled]
        # The features of missing cells are 0, so that distances ignore them.
        self.rows = _features(scales, self.values) * _mask(scales, self.known)

    def fill(self, filled: list[NDArray[Any]], known: BoolArray) -> list[NDArray[Any]]:
        """Fill missing cells from the nearest rows.

        If no donor shares a known column with a row, the row keeps its cells in ``filled``.
        """
        incomplete = np.flatnonzero(~known.all(axis=1))
        if not len(incomplete):
            return filled
        found = [values.copy() if not known[:, at].all() else values for at, values in enumerate(filled)]
        n_near = _DONORS if len(self.scales) > 2 else _DONORS_OF_TWO
        # Sort rows by their missing cells, because rows that lack the same cells share distance terms.
        incomplete = incomplete[np.lexsort(known[incomplete].T)]
        of_donors, donor_at = np.unique(self.known, axis=0, return_inverse=True)
        donor_at = donor_at.reshape(-1)  # NumPy 2.0 returns a 2-d array
        of_donors_mask, squared = _mask(self.scales, of_donors), self.rows**2
        step = max(1, _PRODUCTS // len(self.rows))
        for low in range(0, len(incomplete), step):
            these = incomplete[low : low + step]
            of_rows, row_at = np.unique(known[these], axis=0, return_inverse=True)
            row_at = row_at.reshape(-1)
            of_rows_mask = _mask(self.scales, of_rows)
            rows = _features(self.scales, [values[these] for values in filled]) * of_rows_mask[row_at]
            distances = rows @ (-2.0 * self.rows.T)
            distances += (rows**2 @ of_donors_mask.T)[:, donor_at]
            distances += (of_rows_mask @ squared.T)[row_at]
            # Divide by the total weight of the columns that are known in both rows.
            common = (of_rows * self.weights) @ of_donors.T
            with np.errstate(divide="ignore"):
                distances /= np.where(common > 0.0, common, np.nan)[row_at][:, donor_at]
            distances[np.isnan(distances)] = np.inf
            np.maximum(distances, 0.0, out=distances)
            for at, scale in enumerate(self.scales):
                wanting, giving = np.flatnonzero(~known[these, at]), np.flatnonzero(self.known[:, at])
                if not len(wanting) or not len(giving):
                    continue
                near = distances[np.ix_(wanting, giving)]
                last = min(n_near, len(giving)) - 1
                bound = np.partition(near, last, axis=1)[:, last]
                # All ties with the last neighbour count, so that the row order does not affect the result.
                taken = (near <= bound[:, None] * (1 + 1e-9) + 1e-12) & np.isfinite(near)
                counts = taken.sum(axis=1)
                for n in set(counts.tolist()) - {0}:
                    places = np.nonzero(taken[counts == n])[1].reshape(-1, n)
                    values = self.values[at][giving[places]]
                    found[at][these[wanting[counts == n]]] = _middles(values, scale.column.kind)
        return found


def _middles(values: NDArray[Any], kind: reading.Kind) -> NDArray[Any]:
    """Return the mean number, median date or mode of each row. The first mode in sorted order is returned."""
    n_rows, n = values.shape
    if kind in ("category", "truth"):
        where, different = reading.different_cells(values.ravel())
        order = np.argsort(different)
        codes = np.argsort(order)[where] + len(order) * np.repeat(np.arange(n_rows), n)
        counts = np.bincount(codes, minlength=n_rows * len(order)).reshape(n_rows, -1)
        return different[order[counts.argmax(axis=1)]]
    if kind == "date":
        return np.partition(values, (n - 1) // 2, axis=1)[:, (n - 1) // 2]
    means: NDArray[Any] = (values / n).sum(axis=1)
    return means


def _features(scales: Sequence[_Scale], filled: _Columns) -> FloatArray:
    X = np.empty((len(filled[0]), sum(len(scale.feature_names) for scale in scales)))
    for low in range(0, len(X), _ROWS):
        rows, end = slice(low, low + _ROWS), 0
        for scale, values in zip(scales, filled, strict=True):
            start, end = end, end + len(scale.feature_names)
            X[rows, start:end] = scale.features(values[rows])
    return X


def _mask(scales: Sequence[_Scale], known: BoolArray) -> FloatArray:
    return np.repeat(known, [len(scale.feature_names) for scale in scales], axis=1).astype(np.float64)


class _Scale:
    def __init__(
        self,
        column: reading.Column,
        is_known: BoolArray,
        usual: Any,
        weight: float,
        filled: NDArray[Any],
        is_equal: bool,
    ) -> None:
        known = filled if is_known.all() else column.values[is_known]
        self.column = replace(column, values=column.values[:0])
        # If near rows cannot fill a missing cell, the column's median or mode fills it.
        self.usual, self.weight = usual, weight
        if column.kind == "category":
            self.categories = np.array(sorted(pd.unique(known)), dtype=object)
            # If there are two values, a second indicator would be redundant.
            shown = self.categories[len(self.categories) == 2 :]
            self.feature_names = tuple(f"{column.name}={value}" for value in shown)
            # All indicators share one factor, because a rare value must not weigh more than a frequent value.
            spread = np.sqrt(self._indicators(filled).var(axis=0).sum()) if is_equal else 1.0
            self.factor = float(1.0 / spread)
            return
        self.feature_names = (column.name,)
        self.low, self.high = known.min(), known.max()
        # Numbers are divided by ``largest``, so that their squares neither overflow nor underflow.
        self.largest, self.mean, self.spread = 1.0, 0.0, 1.0
        if not is_equal:
            return
        numbers = self._numbers(filled)
        self.largest = np.abs(numbers).max()
        numbers = numbers / self.largest
        is_usual = _usual(numbers)
        cells = filled[is_usual]
        if np.ptp(numbers[is_usual]) < _LEAST_RANGE and (cells != cells[0]).any():
            row = int(np.abs(numbers).argmax())
            what = f"column {column.name!r} has {filled[row]:g} in row {row + 1}, more than 1e140 times the "
            raise DataError(f"{what}range of the other cells; correct the cell or leave it empty")
        self.mean = numbers[is_usual].mean()
        spread = (numbers - self.mean)[is_usual].std()
        self.spread = spread if spread > 0 else 1.0

    def _indicators(self, filled: NDArray[Any]) -> FloatArray:
        places = {value: place for place, value in enumerate(self.categories)}
        where, different = reading.different_cells(filled)
        codes = np.array([places[value] for value in different], dtype=np.intp)[where]
        shown = np.arange(len(self.categories))[len(self.categories) == 2 :]
        return (codes[:, None] == shown).astype(np.float64)

    def _numbers(self, filled: NDArray[Any]) -> FloatArray:
        if self.column.kind == "date":
            filled = (filled - self.low) / np.timedelta64(86400, "s")
        return filled.astype(np.float64)

    def features(self, filled: NDArray[Any]) -> FloatArray:
        if self.column.kind == "category":
            block = self._indicators(filled) * self.factor
        else:
            block = ((self._numbers(filled) / self.largest - self.mean) / self.spread)[:, None]
        return block * np.sqrt(self.weight)

    def cells(self, block: FloatArray) -> Any:
        block = block / np.sqrt(self.weight)
        if self.column.kind == "category":
            if len(self.categories) == 2:
                return self.categories[(block[:, 0] > 0.5 * self.factor).astype(int)]
            return self.categories[block.argmax(axis=1)]
        numbers = (block[:, 0] * self.spread + self.mean) * self.largest
        if self.column.kind == "truth":
            return numbers > 0.5
        if self.column.kind == "date":
            return self.low + np.round(numbers * 86400e6).astype("timedelta64[us]")
        return numbers

    def known_categories(
        self, cells: NDArray[Any], alarming: list[str], unseen: list[UnseenCells]
    ) -> NDArray[Any]:
        """Treat new categories as missing cells, and report them in ``alarming`` and ``unseen``."""
        if self.column.kind != "category":
            return cells
        unknown = [text for text in pd.unique(cells) if text not in {None, *self.categories}]
        if not unknown:
            return cells
        # Codes are compared as numbers, because some programs write 1 or 01 as 1.0.
        by_number: dict[float, list[str]] = {}
        for text in self.categories:
            by_number.setdefault(as_number(text), []).append(text)
        same = {text: by_number.get(as_number(text), []) for text in unknown}
        names = {text: found[0] if len(found) == 1 else None for text, found in same.items()}
        if others := [text for text, name in names.items() if name is None]:
            rows = np.flatnonzero(np.isin(cells, np.array(others, dtype=object)))
            n, name = len(rows), self.column.name
            alarming.append(
                f"column {name!r} has {len(others)} categor{'y' if len(others) == 1 else 'ies'} not seen in "
                f"the fit ({listed(list(map(repr, others)))}), in {n} row{'s' * (n != 1)}; "
                f"{'it is' if len(others) == 1 else 'they are'} treated as missing"
            )
            unseen.append(UnseenCells.of(name, "new category", others, rows))
        return np.array([names.get(text, text) for text in cells], dtype=object)

    def note_beyond(
        self, cells: NDArray[Any], notes: list[str], alarming: list[str], unseen: list[UnseenCells]
    ) -> None:
        if self.column.kind not in ("number", "date"):
            return
        rows = np.flatnonzero((cells < self.low) | (cells > self.high))
        outside = cells[rows]
        if not len(rows):
            return
        # Halve the numbers first, because differences between huge numbers could overflow.
        low, high, *numbers = (self._numbers(np.array([self.low, self.high, *outside])) / 2.0).tolist()
        distances = np.abs(np.array(numbers) - (low / 2 + high / 2))
        n = f"{len(outside)} value{'' if len(outside) == 1 else 's'}"
        ends = [
            written(value) if self.column.kind == "date" else f"{value:.6g}"
            for value in (self.low, self.high, outside[distances.argmax()])
        ]
        span, name = f"the range of the fit, {ends[0]} to {ends[1]}", self.column.name
        found = alarming if distances.max() > 1.5 * (high - low) else notes
        found.append(f"column {name!r} has {n} outside {span} (such as {ends[2]})")
        unseen.append(UnseenCells.of(name, "beyond range", ends[2:], rows))


def _usual_cell(known: NDArray[Any], kind: reading.Kind) -> Any:
    # Halve the numbers first, because the sum of two huge numbers could overflow.
    return 2.0 * np.median(known / 2.0) if kind == "number" else _middles(known[None], kind)[0]


def _usual(numbers: FloatArray) -> BoolArray:
    """Return a mask of the values that determine the scale, because they are not outliers."""
    everything = np.ones(len(numbers), dtype=bool)
    if len(numbers) < _LEAST_ROWS:
        return everything
    low, high = np.quantile(numbers, (0.25, 0.75))
    usual: BoolArray = np.abs(numbers - (low + high) / 2) <= (high - low) * (_BEYOND + 0.5)
    return everything if usual.mean() < 1.0 - _MOST_BEYOND else usual


def _refuse(judged: Sequence[reading.Column]) -> None:
    if not judged:
        raise DataError("the table has no columns")
    more = f"; and {len(judged) - 5} more" if len(judged) > 5 else ""
    reasons = [[(c.name, words(c.reason)) for c in judged[:5]] for words in (str, for_command)]
    said = ("; ".join(f"{name!r} ({reason})" for name, reason in each) + more for each in reasons)
    raise DataError(Advice("no usable columns remain: ", *said))


def _independence_notes(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    text = f"{column_list(names)} dropped: few distinct values, and no dependence on any other column ("
    ways = 'TablePreparer(weights="equal")', "--weights equal"
    return [Advice(text, *(f"{way} keeps such columns)" for way in ways))]


def _filled_notes(columns: Sequence[reading.Column], known: BoolArray, missing: str) -> list[str]:
    notes = []
    n_empty = (~known).sum(axis=0).tolist()
    nearest = missing == "neighbors" and len(columns) > 1
    word = "of the nearest rows, in" if nearest else "of"
    # Dates are filled with the median, because the median occurs in the table, in contrast to the mean.
    frequent = "most frequent value"
    names = ("number", "mean"), ("date", "median"), ("category", frequent), ("truth", frequent)
    kinds: dict[str, list[str]] = {}
    for kind, what in names:
        kinds.setdefault(what if nearest or what == frequent else "median", []).append(kind)
    for what, these in kinds.items():
        counts = {c.name: n for c, n in zip(columns, n_empty, strict=True) if n and c.kind in these}
        if not counts:
            continue
        total, where = sum(counts.values()), f"column {next(iter(counts))!r}"
        if len(counts) > 1:
            where = f"{len(counts)} columns: {listed([f'{name} ({n})' for name, n in counts.items()])}"
        filled = "value was" if total == 1 else "values were"
        notes.append(f"{total} missing {filled} filled with the {what} {word} {where}")
    return notes


def _empty_row_notes(known: BoolArray) -> list[str]:
    empty = ~known.any(axis=1)
    n = int(empty.sum())
    rows = f"row {int(empty.argmax()) + 1} has" if n == 1 else f"{n} rows have"
    return [f"{rows} only missing values in the columns used"] if n else []


def _repeated_column_notes(columns: Sequence[reading.Column], filled: _Columns) -> list[str]:
    numeric = [at for at, column in enumerate(columns) if column.kind in ("number", "date")]
    # Related columns are normal among many columns, such as pixels or genes. In few rows, columns may be
    # related by chance.
    if not 2 <= len(numeric) <= 100 or len(filled[0]) < 10:
        return []
    rows = _some_rows(len(filled[0]), 100_000)
    ranges = np.stack([_unit_range(filled[at][rows]) for at in numeric])
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations = np.corrcoef(ranges)
    pairs = np.argwhere(np.triu(np.abs(correlations) >= 0.999, 1)).tolist()
    if not pairs:
        return []
    first, second = (columns[numeric[at]].name for at in pairs[0])
    more = "" if len(pairs) == 1 else f" (and {len(pairs) - 1} more pair{'s' * (len(pairs) > 2)})"
    text = f"columns {first!r} and {second!r}{more} contain the same information, which is counted twice"
    return [Advice(f"{text}; ", "drop one of them", "--drop excludes one of them")]


def _unit_range(values: NDArray[Any]) -> FloatArray:
    numbers = values.astype(np.float64)
    # Divide first, because differences between huge numbers could overflow.
    numbers = numbers / max(float(np.abs(numbers).max()), np.finfo(np.float64).tiny)
    return np.asarray(numbers - numbers.min())


def _class_notes(columns: Sequence[reading.Column]) -> list[str]:
    names = [column.name for column in columns if column.name.casefold() in _CLASSES]
    text = "column {!r} is used as a feature; if it contains known classes, "
    ways = [("exclude it from the fit", f"use --labels {shlex.quote(name)}") for name in names]
    return [Advice(text.format(name), *way) for name, way in zip(names, ways, strict=True)]
