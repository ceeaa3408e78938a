"""Blocks of bounded memory, seeds, checked parameters and tables."""

from __future__ import annotations

import importlib
import math
import sys
import warnings
from collections.abc import Collection, Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.preprocessing import normalize
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import validate_data

from moo_clustering._messages import did_you_mean as did_you_mean
from moo_clustering._messages import message_line, value_line
from moo_clustering._messages import quoted as quoted

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
AnyFloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]
Int64Array = NDArray[np.int64]
IntpArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
# Cluster numbers per sample: 0..k-1 in one row per partition.
Labels = NDArray[np.int32]
# Numbers a block of individuals may occupy in temporary arrays: 32 MB of float64.
BLOCK_ITEMS = 1 << 22
# Frames that a warning is not about.
_OURS = ("moo_clustering", "sklearn", "pymoo")
SeedLike = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
# Genes handled at once; bounds the temporary arrays of a draw to some tens of megabytes.
_CHUNK = 1 << 22
# Columns that a message names.
_SHOWN = 5
# Rows whose largest value is within 2^-40 and 2^40 have lengths that scikit-learn divides by.
_NEAR_ONE = 40
# Single precision holds values of this size and far smaller ones beside them.
_LEAST_SINGLE = 1e-30
# An offset of so many times the spread costs a mean more than three digits.
_FAR = 1e3


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package, directly or through scikit-learn or pymoo."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def block_slices(count: int, items: int) -> Iterator[slice]:
    """Cut 0..count-1 so that no part needs more than ``BLOCK_ITEMS`` numbers, where one can avoid it."""
    step = max(1, BLOCK_ITEMS // max(items, 1))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def centred_features(data: Any) -> NDArray[np.float64]:
    """Copy of ``data`` with column means zero.

    A sample is subtracted before the mean is, so that equal samples come out as exact zeros and a
    large common offset costs no digits. Raises a ValueError if squared distances overflow or vanish.
    """
    X: NDArray[np.float64] = check_array(data, dtype=np.float64, order="C", input_name="data")
    with np.errstate(over="ignore", invalid="ignore"):
        X = X - X[0]
        X -= X.mean(axis=0)
    require_squares(X, "data")
    return X


def far_offset(X: Any) -> FloatArray:
    """Values of the first row where a common offset is far larger than the spread of a column, else 0.

    Means of such columns lack the digits in which rows differ, unless the offset is subtracted first.
    """
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    far = np.maximum(high, -low) > _FAR * (high - low)
    return np.where(far, X[0], 0.0)


def require_squares(X: Any, name: str = "X", dtype: Any = np.float64) -> None:
    """Refuse data whose squared distances overflow or vanish in ``dtype``.

    Raises a ValueError if 10,000 times the sum of all squares may overflow, or if the square of a rounding
    error of the largest difference between rows (of the largest value in sparse data) is no normal number.
    Between these limits a unit that is a power of two times another one changes no digit.
    """
    values = X.data if issparse(X) else X
    if not values.size:
        return
    limits = np.finfo(dtype)
    where = "" if limits.dtype == np.float64 else f" in {limits.dtype}"
    has, them = ("have", "them") if name.endswith("s") else ("has", "it")
    low, high = values.min(axis=0).astype(np.float64), values.max(axis=0).astype(np.float64)
    largest = float(max(high.max(), -low.min()))
    if not largest <= np.sqrt(float(limits.max)) / 1e4 / np.sqrt(values.size):  # NaN neither
        raise ValueError(
            f"{name} {has} values so large that squared distances overflow{where}, up to {largest:g} in "
            f"size; rescale {them}"
        )
    # Constant columns and common offsets take no part in distances.
    widest = largest if issparse(X) else float((high - low).max())
    if 0 < widest < np.sqrt(float(limits.tiny)) / float(limits.eps):
        raise ValueError(
            f"{name} {has} values so small, or so near to each other, that squared distances vanish{where}, "
            f"up to {widest:g} in size; rescale {them}"
        )


def row_sizes(X: Any) -> NDArray[Any]:
    """Largest absolute value of every row of a dense or sparse matrix."""
    if issparse(X):
        return np.asarray(abs(X).max(axis=1).toarray()).ravel()
    return np.asarray(np.abs(X).max(axis=1, initial=0.0))


def near_one(X: Any, *, together: bool = False) -> Any:
    """Multiply rows of a dense or sparse matrix by powers of two to make them near 1: together, or each.

    Each by its own, cosines stay the same. scikit-learn treats rows of a length below 2e-15 as zeros, and
    squares of very large and small values overflow or vanish. X itself is returned if all rows are near 1.
    """
    if issparse(X):
        X = X.tocsr()
    sizes = row_sizes(X)
    exponents = np.frexp(np.full_like(sizes, sizes.max(initial=0.0)) if together else sizes)[1]
    shifts = np.where(np.abs(exponents) > _NEAR_ONE, -exponents, 0)
    if not shifts.any():
        return X
    X = X.astype(np.result_type(X.dtype, np.float32), copy=False)
    if not issparse(X):
        return np.ldexp(X, shifts[:, None])
    X = X.copy()
    X.data = np.ldexp(X.data, np.repeat(shifts, np.diff(X.indptr)))
    return X


def unit_rows(X: Any) -> Any:
    """Copy of a dense or sparse matrix with rows of length 1, whatever their unit; rows of zeros stay."""
    return normalize(near_one(X))


def without_duplicates(X: Any) -> Any:
    """A copy of compressed rows that store some cell in parts, with each in one; other data as they are."""
    if not issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


class QuotingError(ValueError):
    """A problem with a file, in a message that is safe to show whatever the file holds."""

    def __str__(self) -> str:
        return message_line(super().__str__())


def spawn_seeds(random_state: SeedLike, n: int) -> list[np.random.SeedSequence]:
    """Independent seeds for ``n`` tasks in fixed order, from anything scikit-learn takes as a seed.

    A generator given by the user is advanced, so that a second fit with it differs, as in scikit-learn.
    """
    if random_state is None:
        entropy: int | None = None
    elif isinstance(random_state, np.random.Generator):
        entropy = int(random_state.integers(2**63))
    elif isinstance(random_state, int | np.integer):
        entropy = int(random_state)
    else:
        state = check_random_state(random_state)
        entropy = int(state.randint(2**31 - 1))
    return np.random.SeedSequence(entropy).spawn(n)


def integer_seed(sequence: np.random.SeedSequence) -> int:
    """Seed for METIS and scikit-learn: not negative as a signed integer of 32 bits."""
    return int(sequence.generate_state(1)[0] >> 1)


def uniform_ranks(widths: NDArray[np.unsignedinteger[Any]], rng: np.random.Generator) -> NDArray[np.uint64]:
    """One rank per locus, uniform in 0..widths[i]-1 (multiply and shift of 32 random bits)."""
    draws = rng.integers(0, 2**32, size=len(widths), dtype=np.uint32)
    return (draws.astype(np.uint64) * widths) >> np.uint64(32)


def sparse_positions(n_genes: int, prob: float, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Positions 0..n_genes-1, each chosen independently with probability ``prob``, in sorted chunks.

    Draws the gaps between chosen positions, which are geometric, so the cost is O(prob * n_genes).
    """
    if prob <= 0.0:
        return
    for start in range(0, n_genes, _CHUNK):
        length = min(_CHUNK, n_genes - start)
        if prob >= 1.0:
            yield np.arange(start, start + length, dtype=np.int64)
            continue
        parts, last = [], -1
        while last < length - 1:
            expected = (length - last) * prob
            gaps = rng.geometric(prob, size=math.ceil(expected + 4.0 * math.sqrt(expected)) + 4)
            # A gap beyond the chunk is as good as any other; keeps the running sum within int64.
            steps = last + np.cumsum(np.minimum(gaps, length + 1))
            parts.append(steps)
            last = int(steps[-1])
        positions = np.concatenate(parts)
        yield positions[positions < length] + start


class MissingPackageError(ImportError):
    """A package of an extra is needed and not installed."""


def optional_package(module: str, extra: str, purpose: str, otherwise: str = "") -> Any:
    """Import a module of a package that only an ``extra`` of moo_clustering installs.

    Raises a MissingPackageError when the package is not installed: ``purpose`` is the subject of its
    sentence, which says how to install the package, and ``otherwise`` an alternative for the user.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        raise MissingPackageError(
            f"{purpose} needs {package}, which is not installed: "
            f"pip install 'moo_clustering[{extra}]'{otherwise}"
        ) from error


def number_clusters(labels: NDArray[Any]) -> tuple[Labels, NDArray[Any]]:
    """Number the clusters of one partition 0, 1, ... in the order in which they first occur.

    Labels are anything that can be sorted. Also returned is the former number of every cluster. O(n log n)
    time; for whole populations of small codes see
    :func:`moo_clustering.encodings.relabel_by_first_appearance`, which is linear.
    """
    former, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    rank = np.empty(len(former), dtype=np.int32)
    rank[by_appearance] = np.arange(len(former), dtype=np.int32)
    return rank[inverse.reshape(-1)], former[by_appearance]


def non_dominated(F: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rows that no other dominates (equal ones all), in lexicographic order.

    O(n_rows n_front), or O(n_rows log n_rows) for two objectives.
    """
    rest = np.lexsort(F.T[::-1])
    if F.shape[1] == 2 and len(F):
        # Not dominated have less of the second objective than all before, or equal one that has.
        ordered = F[rest]
        less = np.append(True, ordered[1:, 1] < np.minimum.accumulate(ordered[:-1, 1]))
        last = np.maximum.accumulate(np.where(less, np.arange(len(F)), 0))
        return rest[(ordered == ordered[last]).all(axis=1)]
    front: list[int] = []
    while len(rest):
        # The lexicographically least of those not dominated by the front is not dominated at all.
        first = F[rest[0]]
        equal = (F[rest] == first).all(axis=1)
        front.extend(rest[equal].tolist())
        rest = rest[(F[rest] < first).any(axis=1)]
    return np.array(front, dtype=np.intp)


def knee(F: NDArray[np.float64]) -> int:
    """Index of the member nearest to the ideal point, objectives scaled to the range of the front.

    Objectives are minimised; one without range does not count. Ties: the first.
    """
    low, spread = F.min(axis=0), np.ptp(F, axis=0)
    scaled = np.divide(F - low, spread, out=np.zeros_like(F), where=spread > 0)
    return int(np.linalg.norm(scaled, axis=1).argmin())


def integer(name: str, value: Any, least: int = 1, most: int | None = None, what: str = "") -> int:
    """An integer within bounds; TypeError or ValueError that name the parameter and them otherwise.

    ``what`` says in the message what the largest value is, such as ``", the number of samples"``.
    """
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}{what}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer {bounds}, got {quoted(value)}")
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name} must be an integer {bounds}, got {quoted(value)}")
    return int(value)


def probability(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number from 0 to 1, got {quoted(value)}")
    if not 0 <= float(value) <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {quoted(value)}")
    return float(value)


def positive(name: str, value: Any) -> int | float:
    """A finite number above 0, integers as integers."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number above 0, got {quoted(value)}")
    if not 0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {quoted(value)}")
    return int(value) if isinstance(value, Integral) else float(value)


def choice(name: str, value: Any, allowed: Collection[Any]) -> Any:
    """One of the values ``allowed``; ValueError that lists them otherwise, and names the nearest."""
    if any(value is option or (isinstance(value, str) and value == option) for option in allowed):
        return value
    near = did_you_mean(value, filter(None, allowed)) if isinstance(value, str) else ""
    raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {quoted(value)}{near}")


class ShortMessages:
    """An estimator of scikit-learn that quotes a refused option on one line, however long the option is."""

    def _validate_params(self) -> None:
        try:
            super()._validate_params()  # type: ignore[misc]
        except InvalidParameterError as error:
            allowed, got, value = str(error).partition(" Got ")
            raise InvalidParameterError(f"{allowed}{got}{value_line(value)}") from None


def holds_tables(X: Any) -> bool:
    """Whether the items of X are tables themselves, as bags of instances are, rather than rows of numbers."""
    if isinstance(X, np.ndarray):
        nested = X.ndim == 1 and X.dtype == object and any(np.ndim(item) == 2 for item in X)
        return X.ndim == 3 or nested

    def is_table(item: Any) -> bool:
        if isinstance(item, list | tuple):
            return len(item) > 0 and isinstance(item[0], list | tuple | np.ndarray)
        return getattr(item, "ndim", 0) == 2

    return isinstance(X, list | tuple) and any(map(is_table, X))


def numeric_features(estimator: Any, X: Any, *, dtype: Any = np.float64, **options: Any) -> Any:
    """X as numbers, checked by ``validate_data``; sets the estimator's names and number of features.

    What is no number (text, dates, empty cells) is named with its column and with what makes features of it.
    Options are those of scikit-learn's ``validate_data``.
    """
    mapped = getattr(X, "_mmap", None)
    if mapped is not None and mapped.size() < len(mapped):
        raise ValueError(
            f"the memory-mapped file {X.filename} was cut: it has {mapped.size()} of {len(mapped)} bytes; "
            "write it again, and map it anew."
        )
    try:
        if not issparse(X) and (dates := _dates(X)):
            # NumPy would take them for counts of nanoseconds.
            raise TypeError(f"{', '.join(dates)} of dates or times")
        single = isinstance(dtype, type | np.dtype) and np.dtype(dtype) == np.float32
        allowed = [np.float64, np.float32] if single else dtype
        # Sums of the same numbers in another order end in other bits.
        found = validate_data(estimator, X, dtype=allowed, order="C", **options)
    except MemoryError as error:
        shape = np.shape(X)
        raise MemoryError(
            f"{type(estimator).__name__} needs a copy of X, {shape} as numbers of 8 bytes, "
            f"{8 * math.prod(shape) / 2**30:.3g} GiB, and there is not that much free; give fewer samples, "
            "or float64 numbers in the order of rows, which are not copied."
        ) from error
    except OverflowError as error:
        raise ValueError(
            "Input X contains infinity or a value too large: a whole number of more digits than float64 has; "
            "moo_clustering.datasets.prepare_table(frame).X takes it for a missing value and fills it in."
        ) from error
    except (TypeError, ValueError) as error:
        # In arrays, objects that are neither number nor string are a TypeError with scikit-learn.
        objects = isinstance(error, TypeError) and not hasattr(X, "iloc") and not _dates(X)
        is_table = not (issparse(X) or objects or getattr(estimator, "metric", None) == "precomputed")
        problem = _problem(type(estimator).__name__, X) if is_table else ""
        if not problem:
            raise
        raise ValueError(problem) from error
    if single and found.dtype != np.float32:
        largest = float(row_sizes(found).max(initial=0.0))
        if largest > float(np.finfo(np.float32).max) or 0 < largest < _LEAST_SINGLE:
            raise ValueError(
                f"X has values too {'large' if largest > 1 else 'small'} for dtype='float32', up to "
                f"{largest:g} in size; rescale it, or use float64"
            )
        found = found.astype(np.float32)
    return found


def _dates(X: Any) -> list[str]:
    """Columns of dates or times."""
    if hasattr(X, "iloc"):
        kinds = [getattr(each, "kind", "O") for each in X.dtypes]
        return [f"column {name!r}" for name, kind in zip(X.columns, kinds, strict=True) if kind in "mM"]
    return ["array"] if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M") else []


def _problem(name: str, X: Any) -> str:
    """Why a table cannot be taken for numbers, and the remedy; empty for other faults."""
    others, missing, infinite = _others(X)
    remedy = "moo_clustering.datasets.prepare_table(frame).X"
    if others:
        return (
            f"{name} needs numbers, but there are others in {', '.join(others)}; {remedy} makes features of "
            "text, dates and units; or leave such columns out, or take FuzzyModesMOGA, which compares "
            "categories."
        )
    if missing:
        return f"Input X contains NaN: {', '.join(missing)}; {remedy} fills in missing values."
    if infinite:
        return (
            f"Input X contains infinity or a value too large: {', '.join(infinite)}; {remedy} takes them for "
            "missing values and fills them in."
        )
    return ""


def _others(X: Any) -> tuple[list[str], list[str], list[str]]:
    """Columns with other things than numbers, missing values and infinite ones, and the first of each.

    Nothing of arrays that are no tables, and of tables of complex numbers.
    """
    import pandas as pd  # takes long to import, and few tables are refused

    frame = hasattr(X, "iloc")
    table: Any = X if frame else np.asarray(X)
    if table.ndim != 2 or not table.size or getattr(table, "dtype", None) in (np.complex64, np.complex128):
        return [], [], []
    others, missing, infinite = [], [], []
    for place in range(table.shape[1]):
        column = pd.Series(table.iloc[:, place] if frame else table[:, place])
        name = f"column {X.columns[place]!r}" if frame else f"column {place}"
        if column.dtype.kind not in "fiub":
            other = next((value for value in column.astype(object) if not _is_number(value)), None)
            if other is not None:
                others.append(f"{name} (such as {str(other) if isinstance(other, np.str_) else other!r})")
                continue
        if n := int(column.isna().sum()):
            first = int(column.isna().to_numpy().argmax())
            missing.append(f"{name} has {n}, the first in row {first}")
        elif column.dtype.kind == "f" and not np.isfinite(column.to_numpy(np.float64)).all():
            infinite.append(f"{name}, row {int((~np.isfinite(column.to_numpy(np.float64))).argmax())}")
    return others[:_SHOWN], missing[:_SHOWN], infinite[:_SHOWN]


def _is_number(value: Any) -> bool:
    """Whether it is a number, if only a complex one, or missing."""
    import pandas as pd

    if isinstance(value, complex | np.complexfloating) or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
