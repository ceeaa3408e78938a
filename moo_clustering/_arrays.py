"""Blocks of bounded memory, seeds, checked parameters and tables."""

from __future__ import annotations

import importlib
import math
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
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
# Types that tables of numbers may keep.
FLOATS = [np.float64, np.float32]
# Types of integers for which kernels are compiled; others become int64.
_INTEGERS = (np.int32, np.int64, np.intp, np.uint8, np.uint16)
# What NumPy says of data that are no table of numbers.
_NO_NUMBERS = ("could not convert", "setting an array element")
# Columns that a message names.
_SHOWN = 5
# Largest difference of two halves of a symmetric matrix, relative to its largest entry.
_ASYMMETRY = 1e-8


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
    large common offset costs no digits.
    """
    X: NDArray[np.float64] = checked_table(data, "data", order="C")
    with np.errstate(over="ignore", invalid="ignore"):
        X = X - X[0]
        X -= X.mean(axis=0)
        total = np.einsum("ij,ij->i", X, X).max() * len(X)
    if not np.isfinite(total):
        raise ValueError("data has values so large that squared distances overflow; rescale it")
    return X


def require_squares(X: Any) -> None:
    """Refuse values of which sums of squares, and of some times as many, would overflow or vanish.

    Raises a ValueError when the root of the number of values times the largest of them exceeds 1e150, or when
    that is not zero and below 1e-150.
    """
    values = X.data if issparse(X) else X
    largest = float(np.abs(values).max(initial=0.0))
    if largest > 1e150 / np.sqrt(max(values.size, 1)):
        raise ValueError(
            f"X has values so large that squared distances overflow, up to {largest:g} in size; rescale it"
        )
    if 0 < largest < 1e-150:
        raise ValueError(
            f"X has values so small that squared distances vanish, up to {largest:g} in size; rescale it"
        )


def without_duplicates(X: Any) -> Any:
    """A copy of compressed rows that store some cell in parts, with each in one; other data as they are."""
    if not issparse(X) or getattr(X, "has_canonical_format", True):
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


def unmasked(data: Any, name: str) -> Any:
    """The data; a masked array that masks nothing becomes a plain array.

    Raises a TypeError for masked values, also in lists and arrays of objects: NumPy and scikit-learn would
    read what stands behind the mask.
    """
    if isinstance(data, np.ma.MaskedArray):
        if np.ma.is_masked(data):
            raise TypeError(f"{name} is a masked array; fill or remove its masked values")
        data = np.ma.getdata(data)
    if isinstance(data, list | tuple) or (isinstance(data, np.ndarray) and data.dtype == object):
        for item in data.ravel() if isinstance(data, np.ndarray) else data:
            if isinstance(item, list | tuple | np.ndarray):
                unmasked(item, name)
    return data


def checked_container(data: Any, name: str) -> Any:
    """The data without a mask; a TypeError for what is no array, frame or list: a text, a set, a mapping."""
    if data is None or isinstance(data, str | bytes | Mapping | Set | Iterator | type):
        raise TypeError(f"{name} must be an array or a list, got {quoted(data)}")
    return unmasked(data, name)


def checked_array(
    data: Any, name: str, dtype: Any = None, *, ndim: tuple[int, ...] = (), finite: bool = True
) -> NDArray[Any]:
    """Data as a dense array: of real numbers for a ``dtype`` (or a list of them), else of any type.

    Raises a TypeError or ValueError that names the argument for masked and sparse arrays, what holds no
    items, rows that differ in length, other numbers of dimensions, and for a ``dtype`` anything but finite
    real numbers, such as dates.
    """
    given = checked_container(data, name)
    if issparse(given):
        raise TypeError(f"{name} must be a dense array, got a sparse one; convert it with .toarray()")
    try:
        found = np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{name} must be an array, but its rows differ in length") from error
    if found.ndim == 0 and found.dtype == object:
        raise TypeError(f"{name} must be an array or a list, got {quoted(data)}")
    if ndim and found.ndim not in ndim:
        allowed = " or ".join(map(str, ndim))
        raise ValueError(f"{name} must have {allowed} dimensions, got an array of shape {found.shape}")
    if dtype is None:
        return found
    types = dtype if isinstance(dtype, list) else [dtype]
    if found.dtype not in types:
        found = _real(found, name, types[0])
    if finite and found.dtype.kind == "f" and not np.isfinite(found).all():
        place = np.argwhere(~np.isfinite(found))[0].tolist()
        raise ValueError(f"{name} must be finite numbers, got {found[tuple(place)]} at {place}")
    return found


def _real(found: NDArray[Any], name: str, dtype: Any) -> NDArray[Any]:
    try:
        if found.dtype.kind in "biufO":
            return found.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        pass
    other = next((one for one in found.ravel().tolist() if not isinstance(one, Real)), found.dtype)
    raise TypeError(f"{name} must be real numbers, got {quoted(other)}")


def checked_integers(data: Any, name: str, hint: str = "", *, ndim: tuple[int, ...] = ()) -> IntArray:
    """Data as an array of integers; floats must be whole, and anything else is refused by name and place."""
    found = checked_array(data, name, ndim=ndim)
    if found.dtype.kind == "O":
        found = checked_array(found.tolist(), name)
    if found.dtype in _INTEGERS:
        return found
    if found.dtype.kind in "iu" and found.max(initial=0) < 2**63:
        return found.astype(np.int64)
    if found.dtype.kind != "f":
        odd = next((one for one in found.ravel().tolist() if type(one) is not int), found.dtype)
        raise TypeError(f"{name} must be integers, got {quoted(odd)}{hint}")
    # Beyond 2^53 floats skip integers.
    wrong = np.argwhere(~((np.abs(found) <= 2.0**53) & (found == np.floor(found))))
    if len(wrong):
        where = ", ".join(str(place) for place in wrong[0])
        raise ValueError(f"{name} must be integers, got {found[tuple(wrong[0])]} at [{where}]{hint}")
    return found.astype(np.int64)


def checked_table(
    X: Any, name: str = "X", *, dtype: Any = np.float64, features: bool = True, **options: Any
) -> Any:
    """A table of numbers, shape (n_samples, n_features), checked by scikit-learn's ``check_array``.

    Sparse tables, where ``accept_sparse`` allows them, store each cell in one part. Raises a ValueError or
    TypeError as :func:`numeric_features` does; of ``features`` the message names the columns.
    """

    def check(X: Any) -> Any:
        return check_array(X, dtype=dtype, input_name=name, **options)

    return _numbers(name, X, name, check, is_table=features)


def checked_graph(S: Any, name: str = "S", *, symmetric: bool = True) -> Any:
    """A graph, sparse by rows or dense: square, finite, not negative, and symmetric where that is required.

    Sparse rows store each cell in one part, and no zeros; they may share the memory of ``S``.
    """
    matrix = checked_table(S, name, features=False, accept_sparse="csr")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{name} must hold the similarities of all samples with each other, a square matrix; "
            f"got shape {matrix.shape}"
        )
    entries = matrix.data if issparse(matrix) else matrix
    lowest, largest = float(entries.min(initial=0.0)), float(entries.max(initial=0.0))
    if lowest < 0.0:
        raise ValueError(f"{name} must not be negative, got {lowest:g}")
    if symmetric and (issparse(matrix) or not np.array_equal(matrix, matrix.T)):
        asymmetry = float(abs(matrix - matrix.T).max())
        if asymmetry > _ASYMMETRY * largest:
            raise ValueError(
                f"{name} must be symmetric, but its halves differ by up to {asymmetry:g}; "
                f"graphs.symmetrize({name}) takes the larger of two entries"
            )
    if not issparse(matrix):
        return matrix
    graph = csr_array(matrix)
    if not graph.data.all():
        # SciPy's graph routines take a stored zero for an edge.
        graph = graph.copy()
        graph.eliminate_zeros()
    return graph


def numeric_features(estimator: Any, X: Any, *, dtype: Any = np.float64, **options: Any) -> Any:
    """X as numbers, checked by ``validate_data``; sets the estimator's names and number of features.

    What is no number (text, dates, empty cells) is named with its column and with what makes features of it.
    Options are those of scikit-learn's ``validate_data``.
    """
    owner = type(estimator).__name__
    # Sums of the same numbers in another order end in other bits.
    options = {"dtype": dtype, "order": "C", **options}
    is_table = getattr(estimator, "metric", None) != "precomputed"
    return _numbers(owner, X, "X", lambda X: validate_data(estimator, X, **options), is_table=is_table)


def _numbers(owner: str, X: Any, name: str, check: Callable[[Any], Any], *, is_table: bool = True) -> Any:
    """What ``check`` makes of a table, or why it is none."""
    mapped = getattr(X, "_mmap", None)
    if mapped is not None and mapped.size() < len(mapped):
        raise ValueError(
            f"the memory-mapped file {X.filename} was cut: it has {mapped.size()} of {len(mapped)} bytes; "
            "write it again, and map it anew."
        )
    X = checked_container(X, name)
    try:
        if not issparse(X) and (dates := _dates(X)):
            # NumPy would take them for counts of nanoseconds.
            raise TypeError(f"{', '.join(dates)} of dates or times")
        found = check(X)
        if found.dtype.kind not in "biuf":
            raise TypeError(f"{name} must hold real numbers, got values of type {found.dtype}")
        return without_duplicates(found)
    except MemoryError as error:
        shape = np.shape(X)
        raise MemoryError(
            f"{owner} needs a copy of {name}, {shape} as numbers of 8 bytes, "
            f"{8 * math.prod(shape) / 2**30:.3g} GiB, and there is not that much free; give fewer samples, "
            "or float64 numbers in the order of rows, which are not copied."
        ) from error
    except OverflowError as error:
        raise ValueError(
            f"Input {name} contains infinity or a value too large: a whole number of more digits than "
            "float64 has; moo_clustering.datasets.prepare_table(frame).X takes it for a missing value and "
            "fills it in."
        ) from error
    except (TypeError, ValueError) as error:
        # In arrays, objects that are neither number nor string are a TypeError with scikit-learn.
        objects = isinstance(error, TypeError) and not hasattr(X, "iloc") and not _dates(X)
        problem = _problem(owner, name, X) if is_table and not (issparse(X) or objects) else ""
        if problem:
            raise ValueError(problem) from error
        if "argument must be" in str(error):
            raise TypeError(f"{name} must be a table of numbers: {error}") from error
        if any(phrase in str(error) for phrase in _NO_NUMBERS):
            raise ValueError(f"{name} must be a table of numbers, in rows of equal length") from error
        raise


def _dates(X: Any) -> list[str]:
    """Columns of dates or times."""
    if hasattr(X, "iloc") and X.ndim == 2:
        kinds = [getattr(each, "kind", "O") for each in X.dtypes]
        return [f"column {name!r}" for name, kind in zip(X.columns, kinds, strict=True) if kind in "mM"]
    # Frames and tables of other packages are arrays when asked.
    return ["array"] if hasattr(X, "__array__") and np.asarray(X).dtype.kind in "mM" else []


def _problem(owner: str, name: str, X: Any) -> str:
    """Why a table cannot be taken for numbers, and the remedy; empty for other faults."""
    try:
        others, missing, infinite = _others(X)
    except ValueError:
        return f"{name} must be a table, but its rows differ in length."
    remedy = "moo_clustering.datasets.prepare_table(frame).X"
    if others:
        return (
            f"{owner} needs numbers, but there are others in {', '.join(others)}; {remedy} makes features of "
            "text, dates and units; or leave such columns out, or take FuzzyModesMOGA, which compares "
            "categories."
        )
    if missing:
        return f"Input {name} contains NaN: {', '.join(missing)}; {remedy} fills in missing values."
    if infinite:
        return (
            f"Input {name} contains infinity or a value too large: {', '.join(infinite)}; {remedy} takes "
            "them for missing values and fills them in."
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
