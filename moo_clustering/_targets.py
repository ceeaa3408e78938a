"""Partial labels: one class per sample, or indicators of several labels per sample."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from moo_clustering._arrays import warn_caller
from moo_clustering._data import checked_array
from moo_clustering._messages import quoted

_MARK = "mark unlabelled samples with -1, a missing value, or an empty string among class names"


@dataclass(frozen=True, eq=False)
class Targets:
    """Classes or label sets of the labelled samples."""

    # An array of shape (n_samples, n_classes) that is 1 if the sample has the class or label, and otherwise
    # 0. The rows of unlabelled samples are 0.
    indicators: NDArray[np.float64]
    labelled: NDArray[np.bool_]
    # An array of shape (n_classes,) that contains the classes or, for label sets, the label indices 0, 1, ...
    classes: NDArray[Any]
    multilabel: bool  # whether samples have label sets rather than single classes

    @property
    def rows(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.labelled)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def subset(self, rows: NDArray[np.intp]) -> Self:
        return type(self)(self.indicators[rows], self.labelled[rows], self.classes, self.multilabel)


def partial_targets(y: Any, n_samples: int) -> Targets:
    """Read the ``y`` of ``fit``, which contains classes or label indicators, or is None."""
    # Classes have shape (n_samples,) or (n_samples, 1); -1, missing values and empty strings mark unlabelled
    # samples. Label indicators are 0 or 1 in a dense or sparse array of shape (n_samples, n_labels); rows of
    # -1 mark unlabelled samples. If ``y`` is None, no sample is labelled.
    if y is None:
        nothing = np.zeros(0, dtype=np.int64)
        return Targets(np.zeros((n_samples, 0)), np.zeros(n_samples, dtype=bool), nothing, False)
    given = y.toarray() if issparse(y) else classes_as_given(y, "y")
    if given.ndim == 2 and given.shape[1] == 1:
        warn_caller(
            "A column-vector y was passed when a 1d array was expected: it is used as one class per sample",
            DataConversionWarning,
        )
        given = given.ravel()
    if given.ndim not in (1, 2):
        raise ValueError(f"y must have one or two dimensions, got an array of shape {given.shape}")
    if len(given) != n_samples:
        raise ValueError(f"y must have one row per sample ({n_samples}), got {len(given)}")
    return _classes(given) if given.ndim == 1 else _label_sets(given)


def classes_as_given(y: Any, name: str, *, ndim: tuple[int, ...] = ()) -> NDArray[Any]:
    """Convert classes to an array. Among names, numbers and missing values are not converted to strings."""
    array = checked_array(y, name, ndim=ndim)
    # NumPy would convert a -1 in a list of names to a string.
    mixed = array.dtype.kind in "US" and not isinstance(y, np.ndarray)
    return np.asarray(y, dtype=object) if mixed else array


def marked(y: NDArray[Any], name: str = "y", use: str = "labels") -> NDArray[Any]:
    """Replace None, NaN and pandas.NA among classes by -1; raise a ValueError if all classes are missing."""
    if y.dtype.kind not in "fO":
        return y
    missing = np.isnan(y) if y.dtype.kind == "f" else np.array(list(map(is_missing, y)), dtype=bool)
    if len(y) and missing.all():
        raise ValueError(f"{name} contains only missing values; omit it to fit without {use}")
    found = y.copy()
    found[missing] = -1
    return found


def is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # comparisons with pandas.NA have no truth value
        return True


def _classes(y: NDArray[Any]) -> Targets:
    y = marked(y)
    if y.dtype.kind in "fc" and not np.isfinite(y).all():
        raise ValueError(f"Input y contains infinity; {_MARK}")
    labelled = np.ones(len(y), dtype=bool)
    if y.dtype.kind in "if":
        labelled = y != -1
    elif y.dtype.kind == "U":
        labelled = np.char.str_len(np.char.strip(y)) > 0
    elif y.dtype.kind == "O":
        labelled = np.array([is_class(value) for value in y], dtype=bool)
    kept = y[labelled]
    if kept.dtype.kind == "O" and all(isinstance(value, int | float | np.number) for value in kept):
        kept = np.array(kept.tolist())
    types = {isinstance(value, str): value for value in kept} if kept.dtype.kind == "O" else {}
    if len(types) == 2:
        both = f"numbers ({quoted(types[False])}) and strings ({quoted(types[True])})"
        raise ValueError(f"y mixes {both}; use a single type for all classes")
    if len(kept):
        check_classification_targets(kept)
    classes, codes = np.unique(kept, return_inverse=True)
    if classes.dtype.kind == "U" and "-1" in classes:
        advice = "mark unlabelled samples with the number -1, in an array of dtype object"
        warn_caller(f"y contains the string '-1', which is treated as a class; {advice}")
    indicators = np.zeros((len(y), len(classes)))
    indicators[np.flatnonzero(labelled), codes] = 1.0
    return Targets(indicators, labelled, classes, False)


def is_class(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return not (isinstance(value, int | float | np.number) and value == -1)


def _label_sets(y: NDArray[Any]) -> Targets:
    if y.shape[1] == 0:
        raise ValueError(f"y must have one column per label, got shape {y.shape}")
    try:
        if y.dtype.kind in "cmM":
            raise TypeError("not real numbers")
        values = y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"a 2-d y must contain label indicators 0 and 1, got dtype {y.dtype}") from None
    if problem := wrong_indicators(values):
        raise ValueError(f"y, row {problem[0]}: {problem[1]}")
    labelled = np.asarray((values >= 0.0).all(axis=1))
    return Targets(np.maximum(values, 0.0), labelled, np.arange(y.shape[1]), True)


def wrong_indicators(Y: NDArray[Any]) -> tuple[int, str] | None:
    """Return the first row with invalid label indicators and a message, or None if all rows are valid."""
    missing = Y == -1
    odd = np.argwhere(~(missing | (Y == 0) | (Y == 1)))
    if len(odd):
        row, column = odd[0].tolist()
        allowed = "0 or 1 (or all -1 in an unlabelled row)"
        return row, f"label indicators must be {allowed}, got {Y[row, column]:g} in column {column}"
    partly = np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))
    if len(partly):
        return int(partly[0]), (
            "some labels are missing and others are not; fill in the missing labels, mark all labels as "
            "missing (an unlabelled row), or remove the row"
        )
    return None
